//! Checks a file of solved positions: every value must be the best of those its moves lead to.
//!
//! Nothing is solved for it. Every move of every position has to lead to a position of the file, to one that nobody can win, or
//! to one that tables know; what tables say is trusted.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::LISTED;
use crate::game::chess::Position;
use crate::metric::{Dtm, Dtz};
use crate::probe::solved::SolvedSet;
use crate::reach::{LeafError, Leaves, Value};

/// What is wrong with a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedDifference {
    /// The position; empty if it is none.
    pub fen: String,
    /// What is stored.
    pub stored: Value,
    /// What follows from its moves; nothing if one of them leads to where nothing is known.
    pub expected: Option<Value>,
}

impl fmt::Display for SolvedDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtm = |value: Value| value.dtm.map_or("-".to_owned(), |dtm| dtm.to_string());
        let stored = self.stored;
        if self.fen.is_empty() {
            return write!(f, "a record is no position");
        }
        write!(
            f,
            "{}: dtz {}, dtm {} is stored, ",
            self.fen,
            stored.dtz,
            dtm(stored)
        )?;
        match self.expected {
            Some(expected) => write!(
                f,
                "dtz {}, dtm {} follows from its moves",
                expected.dtz,
                dtm(expected)
            ),
            None => write!(f, "and nothing is known of a position after it"),
        }
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolvedReport {
    /// Positions that were checked.
    pub positions: u64,
    /// How many of them are wrong.
    pub differences: u64,
    /// The first ones.
    pub listed: Vec<SolvedDifference>,
}

/// Verifies a file; nothing if it was cancelled. Told from time to time how many more positions have been checked.
///
/// # Errors
///
/// If the file or a table is damaged.
pub fn verify_solved(
    set: &SolvedSet,
    leaves: &dyn Leaves,
    cancel: &AtomicBool,
    advanced: &(dyn Fn(u64) + Sync),
) -> Result<Option<SolvedReport>, LeafError> {
    let check = |part: usize| {
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut positions = Vec::new();
        set.for_each_in(part, |position, value| positions.push((position, value)))?;
        let mut report = SolvedReport::default();
        for (position, stored) in &positions {
            let expected = match position {
                Some(position) => expected(set, leaves, position)?,
                None => None,
            };
            if expected != Some(*stored) {
                report.differences += 1;
                report.listed.push(SolvedDifference {
                    fen: position.map_or(String::new(), |position| position.to_fen()),
                    stored: *stored,
                    expected,
                });
            }
        }
        report.positions = positions.len() as u64;
        advanced(report.positions);
        Ok::<_, LeafError>(Some(report))
    };
    let reports: Option<Vec<SolvedReport>> = (0..set.parts())
        .into_par_iter()
        .map(check)
        .collect::<Result<_, _>>()?;
    let Some(reports) = reports else {
        return Ok(None);
    };
    let mut all = SolvedReport::default();
    for report in reports {
        all.positions += report.positions;
        all.differences += report.differences;
        all.listed.extend(report.listed);
    }
    all.listed.truncate(LISTED);
    Ok(Some(all))
}

/// The value that follows from the moves of a position; nothing if one of them leads to where nothing is known.
fn expected(
    set: &SolvedSet,
    leaves: &dyn Leaves,
    position: &Position,
) -> Result<Option<Value>, LeafError> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        let is_mate = position.is_check();
        return Ok(Some(Value {
            dtz: Dtz(if is_mate { -1 } else { 0 }),
            dtm: (is_mate && set.has_mates()).then_some(Dtm(0)),
        }));
    }
    let (mut dtz, mut dtm) = (Dtz(0), None);
    for (number, played) in (&moves).into_iter().enumerate() {
        let next = position.play(played);
        let Some(value) = set.value_or_leaf(&next, leaves)? else {
            return Ok(None);
        };
        let by_zeroing = if next.is_checkmate() {
            Dtz(1)
        } else if played.is_zeroing() {
            (-value.dtz.wdl()).dtz_of_zeroing_move()
        } else {
            value.dtz.before_quiet_move()
        };
        if number == 0 || preference(by_zeroing.0) > preference(dtz.0) {
            dtz = by_zeroing;
        }
        let by_mate = value.dtm.map(Dtm::before_move);
        let plies = |dtm: Option<Dtm>| dtm.map_or(0, |Dtm(plies)| plies);
        if number == 0 || preference(plies(by_mate)) > preference(plies(dtm)) {
            dtm = by_mate;
        }
    }
    Ok(Some(Value { dtz, dtm }))
}

/// More is better for the side to move: a win soon, a draw, a loss late.
fn preference(plies: i32) -> (i32, i32) {
    (plies.signum(), -plies)
}
