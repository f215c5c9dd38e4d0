//! Everything that links once.

mod cli;
mod game;
mod generate;
mod naive;
mod probe;
mod solve;
mod solved;
mod syzygy;
mod table;
