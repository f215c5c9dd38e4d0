//! Everything that is fixed from outside a slice: legal positions, checks, and what zeroing moves
//! lead to.

mod collect;
mod outcome;
mod promotion;
mod routes;

pub use promotion::{Extraction, KingPart, Promotion, PromotionSource, PromotionViews};
pub use routes::{SliceRules, Targets, Unprepared, ZeroingMoves, own_reads};
