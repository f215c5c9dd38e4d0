//! Everything that links once.

mod game;
