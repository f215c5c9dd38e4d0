//! From a position to its value: exploring, analysing and what is told of it.

use super::ReachError;
use super::explore::{End, Exploration};
use super::game::{Analysis, Extent, Leaves, Reach, Rules, States};
use super::handicap::Handicap;
use super::options::{MAX_POSITIONS, Options};
use super::positions::{Compact, Hashing};
use super::solved::{Analysed, Solved};
use crate::game::Color;
use crate::{chess, xiangqi};

/// A game whose positions are solved. Each game has the function itself, so that it is compiled
/// with the library: what a trait provides is generic, and would be compiled again by every crate
/// that solves.
pub trait Solve: Reach {
    /// Explores what this position can reach, and solves it.
    ///
    /// # Errors
    ///
    /// Those of [`solve`].
    fn solve(
        &self,
        leaves: &dyn Leaves<Self>,
        options: &Options<'_>,
    ) -> Result<Solved<Self>, ReachError>;
}

impl Solve for chess::Position {
    fn solve(
        &self,
        leaves: &dyn Leaves<Self>,
        options: &Options<'_>,
    ) -> Result<Solved<Self>, ReachError> {
        explored_and_analysed(self, leaves, options)
    }
}

impl Solve for xiangqi::Position {
    fn solve(
        &self,
        leaves: &dyn Leaves<Self>,
        options: &Options<'_>,
    ) -> Result<Solved<Self>, ReachError> {
        explored_and_analysed(self, leaves, options)
    }
}

/// Explores what a position can reach, and solves it.
///
/// The result does not depend on the number of threads, unless [`Options::stop`] ends the
/// exploration.
///
/// # Errors
///
/// [`ReachError`] says what went wrong; too little room is no error but makes bounds of values.
pub fn solve<P: Solve>(
    position: &P,
    leaves: &dyn Leaves<P>,
    options: &Options<'_>,
) -> Result<Solved<P>, ReachError> {
    position.solve(leaves, options)
}

fn explored_and_analysed<P: Reach>(
    position: &P,
    leaves: &dyn Leaves<P>,
    options: &Options<'_>,
) -> Result<Solved<P>, ReachError> {
    let handicap = options.handicap.filter(|handicap| handicap.is_any());
    if handicap.is_some_and(|handicap| handicap.promotions.is_empty()) {
        return Err(ReachError::NoPromotion);
    }
    let rules = Rules::new(leaves, handicap);
    let root = position.canonical();
    let first = P::Packed::new(&root).normal_form();
    let hashing = Hashing::new(options.key_mask);
    let mut exploration = Exploration::new(first, rules.covers(&root), hashing);
    let limit = options.max_positions.clamp(1, MAX_POSITIONS);
    let end = exploration
        .run(&rules, limit, options.stop, options.report)
        .map_err(|_| ReachError::TooMany)?;
    let progress = exploration.progress();
    (options.report)(progress);
    let levels = exploration.positions.sort_by_level();
    let mates = P::wants_mates(options) && rules.has_mates();
    let states = P::States::new(&exploration.positions, mates);
    let mut solved = Solved {
        turn: root.turn(),
        end,
        progress,
        peak_memory: progress.memory,
        analysed: Vec::new(),
        root,
        exploration,
        states,
        mates,
        rules: options.rules,
    };
    let mut extent = Extent::All;
    for side in sides(root.turn(), end, handicap, options.side) {
        let analysis = Analysis {
            exploration: &solved.exploration,
            levels: &levels,
            rules: &rules,
            // Where values are exact there is nothing that could count as lost.
            lost_for: side.unwrap_or(Color::White),
            mates,
            options,
        };
        let outlay = P::analyse(&analysis, &mut solved.states)?;
        extent = outlay.extent;
        let memory = solved.exploration.positions.memory() + solved.states.memory();
        solved.peak_memory = solved.peak_memory.max(memory + outlay.memory);
        solved.mates &= extent == Extent::All;
        let player = solved.player(&rules);
        let found = Analysed {
            side,
            root: player.root(&root),
            moves: player.moves(&root)?,
            line: player.line(&root)?,
        };
        if extent == Extent::Part {
            solved.analysed.extend(found.only_decided(root.turn()));
            break;
        }
        let is_won = side == Some(root.turn()) && root.is_won(found.root);
        solved.analysed.push(found);
        if is_won || extent != Extent::All {
            // The other bound could not be less, or there is no time for it.
            break;
        }
    }
    match extent {
        Extent::All => solved.progress.solved = progress.positions,
        _ => solved.end = End::Stopped,
    }
    Ok(solved)
}

/// For which sides to look for a lower bound; `None` stands for exact values.
fn sides(
    turn: Color,
    end: End,
    handicap: Option<&Handicap>,
    wanted: Option<Color>,
) -> Vec<Option<Color>> {
    match (handicap, end) {
        (Some(handicap), _) => vec![Some(handicap.side)],
        (None, End::Complete) => vec![None],
        (None, _) => match wanted {
            Some(side) => vec![Some(side)],
            None => vec![Some(turn), Some(!turn)],
        },
    }
}
