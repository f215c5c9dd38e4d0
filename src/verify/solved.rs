//! Checks a file of solved positions: every value must be the best of those its moves lead to.
//!
//! Nothing is solved for it. Every move of every position has to lead to a position of the file, to
//! one that nobody can win, or to one that tables know; what tables say is trusted.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::LISTED;
use crate::metric::{Dtm, Dtz, Wdl};
use crate::parallel;
use crate::probe::solved::{Recorded, SolvedSet};
use crate::reach::{LeafError, Leaves, Value};
use crate::xiangqi::XiangqiValue;
use crate::{chess, xiangqi};

/// What follows from moves, and how it is told.
pub trait Verifiable: Recorded {
    /// The value of a position that has these moves.
    fn expected(&self, moves: &[After<Self>], mates: bool) -> Self::Value;

    /// A value in words.
    fn describe(value: Self::Value) -> String;

    /// The position as text.
    fn fen(&self) -> String;
}

/// A move, the position after it, and its value for the side to move there.
#[derive(Clone, Copy, Debug)]
pub struct After<P: Recorded> {
    /// The move.
    pub played: P::Move,
    /// The position.
    pub next: P,
    /// Its value.
    pub value: P::Value,
}

/// What is wrong with a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedDifference<P: Verifiable = chess::Position> {
    /// The position; empty if it is none.
    pub fen: String,
    /// What is stored.
    pub stored: P::Value,
    /// What follows from its moves; `None` if one of them leads to where nothing is known.
    pub expected: Option<P::Value>,
}

impl<P: Verifiable> fmt::Display for SolvedDifference<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fen.is_empty() {
            return write!(f, "a record is no position");
        }
        write!(f, "{}: {} is stored, ", self.fen, P::describe(self.stored))?;
        match self.expected {
            Some(expected) => {
                let expected = P::describe(expected);
                write!(f, "{expected} follows from its moves")
            }
            None => write!(f, "and nothing is known of a position after it"),
        }
    }
}

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedReport<P: Verifiable = chess::Position> {
    /// Positions that were checked.
    pub positions: u64,
    /// How many of them are wrong.
    pub differences: u64,
    /// The first ones.
    pub listed: Vec<SolvedDifference<P>>,
}

impl<P: Verifiable> Default for SolvedReport<P> {
    fn default() -> Self {
        SolvedReport {
            positions: 0,
            differences: 0,
            listed: Vec::new(),
        }
    }
}

/// Verifies a file; `None` if it was cancelled. Told from time to time how many more positions have
/// been checked.
///
/// # Errors
///
/// If the file or a table is damaged.
pub fn verify_solved<P: Verifiable>(
    set: &SolvedSet<P>,
    leaves: &dyn Leaves<P>,
    cancel: &AtomicBool,
    advanced: &(dyn Fn(u64) + Sync),
) -> Result<Option<SolvedReport<P>>, LeafError> {
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
                    fen: position.map_or(String::new(), |position| position.fen()),
                    stored: *stored,
                    expected,
                });
            }
        }
        report.positions = positions.len() as u64;
        advanced(report.positions);
        Ok::<_, LeafError>(Some(report))
    };
    let reports = parallel::try_map(set.parts(), check)?;
    let reports: Option<Vec<SolvedReport<P>>> = reports.into_iter().collect();
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

/// The value that follows from the moves of a position; `None` if one of them leads to where
/// nothing is known.
fn expected<P: Verifiable>(
    set: &SolvedSet<P>,
    leaves: &dyn Leaves<P>,
    position: &P,
) -> Result<Option<P::Value>, LeafError> {
    let mut moves = Vec::new();
    for played in position.moves() {
        let next = position.after(played);
        let Some(value) = set.value_or_leaf(&next, leaves)? else {
            return Ok(None);
        };
        moves.push(After {
            played,
            next,
            value,
        });
    }
    Ok(Some(position.expected(&moves, set.has_mates())))
}

impl Verifiable for chess::Position {
    fn expected(&self, moves: &[After<Self>], mates: bool) -> Value {
        let is_mate = moves.is_empty() && self.is_check();
        let by_zeroing = moves.iter().map(|after| {
            if after.next.is_checkmate() {
                Dtz(1)
            } else if after.played.is_zeroing() {
                (-after.value.dtz.wdl()).dtz_of_zeroing_move()
            } else {
                after.value.dtz.before_quiet_move()
            }
        });
        let by_mate = moves
            .iter()
            .map(|after| after.value.dtm.map(Dtm::before_move));
        let plies = |dtm: &Option<Dtm>| preference(dtm.map_or(0, |Dtm(plies)| plies));
        let without_moves = Value {
            dtz: Dtz(if is_mate { -1 } else { 0 }),
            dtm: (is_mate && mates).then_some(Dtm(0)),
        };
        Value {
            dtz: by_zeroing
                .max_by_key(|dtz| preference(dtz.0))
                .unwrap_or(without_moves.dtz),
            dtm: by_mate.max_by_key(plies).unwrap_or(without_moves.dtm),
        }
    }

    fn describe(value: Value) -> String {
        format!("dtz {}, dtm {}", value.dtz, or_dash(value.dtm))
    }

    fn fen(&self) -> String {
        self.to_fen()
    }
}

impl Verifiable for xiangqi::Position {
    fn expected(&self, moves: &[After<Self>], mates: bool) -> XiangqiValue {
        let wdl = moves.iter().map(|after| -after.value.wdl).max();
        let wdl = wdl.unwrap_or(Wdl::Loss);
        if wdl == Wdl::Draw {
            return XiangqiValue::DRAW;
        }
        let kept = || moves.iter().filter(|after| -after.value.wdl == wdl);
        let pick = |plies: &mut dyn Iterator<Item = i32>| match wdl {
            Wdl::Win => plies.min(),
            _ => plies.max(),
        };
        let round = pick(&mut kept().map(|after| joined(after, wdl))).unwrap_or(0);
        // Where the rule decides nothing, lost positions have no moves to what it decides.
        let round = match kept().all(|after| round_after(after) == 0) {
            true => 0,
            false => round,
        };
        let sign = if wdl == Wdl::Win { 1 } else { -1 };
        let dtc = match round {
            0 => {
                let plies = kept()
                    .filter(|after| round_after(after) == 0)
                    .map(|after| match after.played.is_capture() {
                        true => 1,
                        false => 1 + distance(after),
                    });
                pick(&mut { plies }).unwrap_or(0)
            }
            // Moves without check are as near as can be for the winner, and for the loser lead to
            // earlier rounds.
            round => {
                let steps = kept()
                    .filter(|after| round_after(after) == round)
                    .map(|after| match after.played.gives_check() {
                        true => 1 + distance(after),
                        false => 1,
                    });
                pick(&mut { steps }).unwrap_or(1)
            }
        };
        let mate = |after: &After<Self>| after.value.dtm.map(|dtm| 1 + dtm.0.abs());
        let dtm = match moves.is_empty() {
            true => mates.then_some(0),
            false => pick(&mut kept().filter_map(mate)),
        };
        XiangqiValue {
            wdl,
            dtc: Some(sign * dtc),
            dtm: dtm.map(|plies| Dtm(sign * plies)),
            round: round as u8,
        }
    }

    fn describe(value: XiangqiValue) -> String {
        let XiangqiValue { wdl, round, .. } = value;
        let dtc = value.dtc.map_or("-".to_owned(), |dtc| dtc.to_string());
        format!(
            "{wdl}, dtc {dtc}, dtm {}, round {round}",
            or_dash(value.dtm)
        )
    }

    fn fen(&self) -> String {
        self.to_fen()
    }
}

/// The round of a position after a move; every number of men counts its own.
fn round_after(after: &After<xiangqi::Position>) -> i32 {
    match after.played.is_capture() {
        true => 0,
        false => after.value.round.into(),
    }
}

/// In which round of the winner's a move helps to decide the position before it: a loser's move
/// without check has to be decided in an earlier one.
fn joined(after: &After<xiangqi::Position>, wdl: Wdl) -> i32 {
    let is_escape = !after.played.is_capture() && !after.played.gives_check();
    round_after(after) + i32::from(wdl == Wdl::Loss && is_escape)
}

fn distance(after: &After<xiangqi::Position>) -> i32 {
    after.value.dtc.map_or(0, i32::abs)
}

fn or_dash(dtm: Option<Dtm>) -> String {
    dtm.map_or("-".to_owned(), |dtm| dtm.to_string())
}

/// More is better for the side to move: a win soon, a draw, a loss late.
fn preference(plies: i32) -> (i32, i32) {
    (plies.signum(), -plies)
}
