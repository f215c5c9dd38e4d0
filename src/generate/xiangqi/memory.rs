//! How much memory solving and writing a material of xiangqi takes.
//!
//! Sizes of arrays are exact, of those that grow with what is found they are bounds. How far views
//! shrink when they are packed is not known before; what is assumed is less than any set of one
//! attacker has shown.

use super::Xiangqi;
use crate::game::Bits;
use crate::generate::game::GenerateOptions;
use crate::xiangqi::solve::space::words;
use crate::xiangqi::solve::{
    MATES_BYTES, MORE_DISTANCES_BYTES, PERPETUAL_CHECK_BYTES, SOLVED_BYTES, SOLVING_BYTES,
};
use crate::xiangqi::{IndexSpace, Material, Metric, Rules};

/// Bytes of a word of what others read: three sets.
const READ_BYTES: u64 = 3 * (u128::WIDTH as u64 / 8);
/// Bytes of an index while its tables are written: one for each side to move.
const INDEX_BYTES: u64 = 2;
/// By how much packed views are smaller, at least.
const PACKED: u64 = 4;

fn has_mates(options: &GenerateOptions<Xiangqi>) -> bool {
    options.metrics.contains(&Metric::Dtm)
}

/// Bytes of what others read of a solved material; nothing if it is too large to be solved.
fn of_read(material: &Material, options: &GenerateOptions<Xiangqi>) -> Option<u64> {
    let mates = match has_mates(options) {
        true => MORE_DISTANCES_BYTES,
        false => 0,
    };
    Some(2 * words(material)? * (READ_BYTES + mates))
}

/// Bytes that a view takes in memory.
pub(super) fn of_view(material: &Material, options: &GenerateOptions<Xiangqi>) -> u64 {
    of_read(material, options).unwrap_or(0) / PACKED
}

/// Bytes while a material is solved and written, at the worst moment; nothing if it is too large to
/// be solved.
pub(super) fn of_step(
    material: &Material,
    is_written: bool,
    options: &GenerateOptions<Xiangqi>,
) -> Option<u64> {
    let words = 2 * words(material)?;
    let mates = has_mates(options);
    let mut solving = SOLVING_BYTES;
    let mut solved = SOLVED_BYTES;
    if mates {
        solving += MATES_BYTES;
        solved += MORE_DISTANCES_BYTES;
    }
    if options.rules == Rules::PerpetualCheck {
        solving += PERPETUAL_CHECK_BYTES;
        solved += MORE_DISTANCES_BYTES;
    }
    let mut writing = words * solved;
    if is_written {
        writing += INDEX_BYTES * IndexSpace::new(*material)?.len();
    }
    // What captures lead to is unpacked, and laid out anew for the material that reads it, before
    // the iteration begins.
    let collected = 112 + if mates { 128 } else { 0 };
    let mut collecting = words * collected;
    for target in material.dependencies() {
        collecting += of_read(&target, options)?;
    }
    for target in material.captures() {
        collecting += of_read(&target, options)?;
    }
    Some((words * solving).max(writing).max(collecting))
}
