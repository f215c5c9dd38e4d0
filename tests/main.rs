//! Everything that links once.

mod cli;
mod game;
mod probe;
mod solve;
mod table;
