//! Retrograde analysis of words of positions, whatever the game: the iteration, and sets of what is
//! new.
//!
//! Nothing here knows a square or a man. A game brings its words and the moves that are neither captures nor pawn moves
//! ([`quiet`]); [`fixpoint`] does the rest.

pub mod byte_sets;
mod bytes;
pub mod fixpoint;
pub mod layer;
pub mod lines;
pub mod quiet;
pub mod score;
