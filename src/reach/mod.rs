//! Solving one position with any number of men, by what it can reach.
//!
//! Tables end at a number of men. Many positions with more men reach few others: blocked pawns, fortresses, studies. Here
//! everything that can be reached is found, kept by Zobrist key, and solved by retrograde analysis.
//! Where a table knows a position, or nobody can mate any more, the exploration goes no further.
//!
//! # What is proved
//!
//! When everything was explored, values are exact, as those of tables are: [`Dtz`](crate::metric::Dtz) counts
//! from a fresh clock, and with a
//! clock of `c` plies a win in `n` plies to the next zeroing move counts if `c + n` is at most 100. Repetitions are no
//! draws, as in tables.
//!
//! When there is not room for everything, the positions whose moves were not looked at count as lost for one side. What
//! that side reaches all the same it reaches in the game, so its value is a lower bound, and counted as lost for the other
//! side an upper bound. The same holds for a side that is denied something by a [`Handicap`]. A win found like this is a
//! win; its distances are those of the way that was found, and there may be a shorter one.
//!
//! # Examples
//!
//! ```
//! use retrograde::chess::rules::Position;
//! use retrograde::metric::Wdl;
//! use retrograde::reach::{NoLeaves, Options, solve};
//!
//! // Nobody can break through, and nobody can mate.
//! let position = Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?;
//! let solved = solve(&position, &NoLeaves, &Options::default())?;
//! assert_eq!(solved.exact().map(|value| value.dtz.wdl()), Some(Wdl::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In xiangqi what an endless game is worth is a matter of the rules, and whoever has no move has lost:
//!
//! ```
//! use retrograde::xiangqi::rules::Position;
//! use retrograde::metric::{Dtm, Wdl};
//! use retrograde::reach::{NoLeaves, Options, solve};
//! use retrograde::xiangqi::Rules;
//!
//! let position = Position::from_fen("4k4/9/9/9/9/9/9/9/9/R2K5 w")?;
//! let options = Options {
//!     rules: Rules::CyclesDraw,
//!     ..Options::default()
//! };
//! let solved = solve(&position, &NoLeaves, &options)?;
//! let value = solved.exact().ok_or("everything is explored")?;
//! assert_eq!((value.wdl, value.dtm), (Wdl::Win, Some(Dtm(3))));
//! assert_eq!(solved.analysed[0].line.moves.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! Exploring, keeping positions in slots, going from level to level, bounds, restrictions and lines are the same for both games.
//! Three seams are what a game brings along: its positions packed (`Compact`), what is explored after one
//! (`Successors`), and where exploring ends ([`Leaves`]). What is truly different stays apart: `chess/` has
//! the normal form by the symmetries of the board, captures en passant and distances that begin anew with a pawn move, so no
//! edges are kept; `xiangqi/` keeps them, for the rule of perpetual check.

mod chess;
mod explore;
mod game;
mod handicap;
mod options;
mod play;
mod positions;
mod solved;
mod xiangqi;

use crate::game::Color;

use explore::Exploration;
use game::{Analysis, Extent, States};
use positions::Hashing;

pub use explore::{End, Progress};
pub(crate) use game::Rules;
pub use game::{LeafError, Leaves, LineEnd, NoLeaves, Outcome, Reach, Value};
pub use handicap::Handicap;
pub use options::{MAX_POSITIONS, Options};
pub use play::{Line, MoveValue};
pub(crate) use positions::{Compact, Id};
pub use solved::{Analysed, Solved};

/// Why a position could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReachError {
    /// A position that bounds the exploration should have a value and has none.
    #[error(transparent)]
    Leaf(#[from] LeafError),
    /// The keys of too many positions are alike.
    #[error("too many positions for this version; explore fewer")]
    TooMany,
    /// Handicaps that leave a side without a promotion.
    #[error("a side with a pawn has to be allowed some promotion")]
    NoPromotion,
}

/// Bytes of memory for each position that this one can reach, at the worst moment.
#[must_use]
pub fn bytes_per_position<P: Reach>(position: &P, mates: bool) -> f64 {
    position.bytes_per_position(mates)
}

/// Explores what a position can reach, and solves it.
///
/// The result does not depend on the number of threads, unless [`Options::stop`] ends the exploration.
///
/// # Errors
///
/// [`ReachError`] says what went wrong; too little room is no error but makes bounds of values.
pub fn solve<P: Reach>(
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
