//! Everything that links once.

mod solve;
