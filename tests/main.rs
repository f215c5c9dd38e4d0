//! Everything that links once.

mod cli;
mod game;
mod solve;
mod table;
