//! In how many windows numbers are written that are too many to be in memory all at once, and what
//! memory that takes; `by_parts.rs` does it.

use super::rows::Numbers;

/// Bytes of a word of one side while a chain runs. No more are used for numbers in parts.
pub(super) const CHAIN_BYTES: u64 = 5 * 8 + 1;
/// Squares of the white king without pawns, each of which is a part.
const PARTS: u64 = 10;

/// The windows in which numbers of so many bytes a word are written, so that a window and a part
/// take no more memory than solving: one, if all of them take no more.
#[must_use]
pub(super) fn windows(bytes: u64) -> u64 {
    // Which positions files hold is a byte of a word.
    let left = CHAIN_BYTES - 1;
    match bytes <= left {
        true => 1,
        false => bytes.div_ceil(left - (bytes / PARTS).min(left - 1)),
    }
}

/// Bytes of a word that numbers take while they are written in windows, rounded up.
#[must_use]
pub(super) fn bytes_in_memory(bytes: u64) -> u64 {
    match windows(bytes) {
        1 => bytes,
        windows => bytes.div_ceil(windows) + bytes.div_ceil(PARTS),
    }
}

/// Bytes of a word that numbers take, laid out or in the order of a file.
pub(super) fn bytes_of_word(numbers: &Numbers) -> u64 {
    8 * numbers.sets() as u64 + if numbers.has_bytes() { 64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_take_no_more_memory_than_solving() {
        // Results, distances to zeroing and distances to mate.
        for (bytes, expected) in [(16, 1), (40, 1), (72, 3), (80, 3)] {
            assert_eq!(windows(bytes), expected);
            assert!(bytes_in_memory(bytes) < CHAIN_BYTES);
        }
    }
}
