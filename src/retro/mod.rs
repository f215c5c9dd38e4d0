//! Retrograde analysis of words of positions, whatever the game: the iteration, and sets of what is
//! new.
//!
//! Nothing here knows a square or a man. A game brings its words and the moves that are neither
//! captures nor pawn moves (`quiet`); [`fixpoint`] does the rest.

mod bytes;
pub mod fixpoint;
pub(crate) mod layer;
pub(crate) mod lines;
pub(crate) mod quiet;
pub mod ranks;
pub mod score;
pub(crate) mod words;
