//! Everything that links once.

mod solve;
mod table;
