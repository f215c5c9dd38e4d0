//! Solving one position with any number of men, by what it can reach.
//!
//! Tables end at a number of men. Many positions with more men reach few others: blocked pawns,
//! fortresses, studies. Here everything that can be reached is found, kept by Zobrist key, and
//! solved by retrograde analysis. Where a table knows a position, or nobody can mate any more, the
//! exploration goes no further.
//!
//! # What is proved
//!
//! When everything was explored, values are exact, as those of tables are:
//! [`Dtz`](crate::metric::Dtz) counts from a fresh clock, and with a clock of `c` plies a win in
//! `n` plies to the next zeroing move counts if `c + n` is at most 100. Repetitions are no draws,
//! as in tables.
//!
//! When there is not room for everything, the positions whose moves were not looked at count as
//! lost for one side. What that side reaches all the same it reaches in the game, so its value is a
//! lower bound, and counted as lost for the other side an upper bound. The same holds for a side
//! that is denied something by a [`Handicap`]. A win found like this is a win; its distances are
//! those of the way that was found, and there may be a shorter one.
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
//! In xiangqi what an endless game is worth is a matter of the rules, and whoever has no move has
//! lost:
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
//! Exploring, keeping positions in slots, going from level to level, bounds, restrictions and lines
//! are the same for both games. Three seams are what a game brings along: its positions packed
//! (`Compact`), what is explored after one (`Successors`), and where exploring ends ([`Leaves`]).
//! What is truly different stays apart: `chess/` has the normal form by the symmetries of the
//! board, captures en passant and distances that begin anew with a pawn move, so no edges are kept;
//! `xiangqi/` keeps them, for the rule of perpetual check.

mod chess;
mod explore;
mod game;
mod handicap;
mod options;
mod play;
mod positions;
mod solve;
mod solved;
mod xiangqi;

pub use explore::{End, Progress};
pub(crate) use game::Rules;
pub use game::{LeafError, Leaves, LineEnd, NoLeaves, Outcome, Reach, Value};
pub use handicap::Handicap;
pub use options::{MAX_POSITIONS, Options};
pub use play::{Line, MoveValue};
pub(crate) use positions::{Compact, Id};
pub use solve::{Solve, solve};
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
