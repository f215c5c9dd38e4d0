//! Endgame tablebases: generate, verify, store and probe them.

mod error;
pub mod game;
pub mod table;

pub use error::Error;
