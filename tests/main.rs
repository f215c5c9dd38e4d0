//! Everything that links once.

mod game;
mod probe;
mod solve;
mod table;
