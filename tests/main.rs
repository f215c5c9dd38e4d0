//! Everything that links once.

mod game;
mod solve;
mod table;
