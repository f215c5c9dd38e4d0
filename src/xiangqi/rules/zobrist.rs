//! Keys of xiangqi positions.
//!
//! A number for each man on each square and one for red to move; see those of chess. No format
//! prescribes them, so they come from a small generator.

use super::square::SQUARES;
use super::{Piece, Square};

/// The number for red to move. Absent for black.
pub const TURN: u64 = NUMBERS[14 * SQUARES];

/// By color and role, then by square.
pub(super) static MAN_KEYS: [[u64; SQUARES]; 14] = {
    let mut keys = [[0; SQUARES]; 14];
    let mut i = 0;
    while i < 14 * SQUARES {
        keys[i / SQUARES][i % SQUARES] = NUMBERS[i];
        i += 1;
    }
    keys
};

/// The number of a man on a square.
#[inline]
pub fn man(man: Piece, square: Square) -> u64 {
    MAN_KEYS[7 * man.color.index() + man.role.index()][square.index()]
}

/// Steele, Lea and Flood's SplitMix64 from seed 0.
const NUMBERS: [u64; 14 * SQUARES + 1] = {
    let mut numbers = [0; 14 * SQUARES + 1];
    let mut state: u64 = 0;
    let mut i = 0;
    while i < numbers.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[i] = z ^ z >> 31;
        i += 1;
    }
    numbers
};
