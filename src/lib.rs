//! Endgame tablebases: generate, verify, store and probe them.

pub mod game;
