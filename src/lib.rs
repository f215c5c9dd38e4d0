//! Endgame tablebases: generate, verify, store and probe them.

mod error;
pub mod game;
pub mod generate;
pub mod index;
pub mod material;
pub mod metric;
pub mod placement;
pub mod probe;
pub mod solve;
pub mod symmetry;
pub mod table;
pub mod verify;

pub use error::Error;
pub use probe::{ProbeError, Tablebase};
