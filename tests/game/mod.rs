//! The move generator.

mod attacks;
mod fen;
mod notation;
mod perft;
mod play;
mod repetition;
mod shakmaty;
mod xiangqi;
mod zobrist;
