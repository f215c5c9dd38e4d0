//! Endgame tablebases: generate, verify, store and probe them.

pub mod game;
pub mod material;
pub mod metric;
pub mod placement;
pub mod solve;
pub mod symmetry;
