//! Bytes, and sets of them as bits, as loops that compilers turn into wide registers.

/// What each of 64 places is worth in the byte of a set that stands for its column, where eight
/// places are a row.
const WEIGHTS: [u8; 64] = {
    let mut weights = [0; 64];
    let mut place = 0;
    while place < weights.len() {
        weights[place] = 1 << (place / 8);
        place += 1;
    }
    weights
};
/// The bit of a set that each byte of a row stands for.
const ROW: u64 = 0x8040_2010_0804_0201;

/// The set of the places of which something is true.
///
/// A chosen place has the weight of its row of eight. So the rows together, as words of 64 bits,
/// have a byte for each column with a bit for each row, and exchanging rows and columns of these
/// bits is all that is left: of the places 0, 2 and 17, which are row 0, columns 0 and 2, and row
/// 2, column 1, the weights are 1, 1 and 4, the bytes together `01 04 01 00 00 00 00 00`, and the
/// set is `05 00 02 00 00 00 00 00`. Measured, that takes half of the time of putting each row's
/// weights into a byte of its own, with 512 bits, and a fifth with 256.
#[inline(always)]
#[must_use]
pub fn places(is_chosen: impl Fn(usize) -> bool) -> [u8; 8] {
    let mut chosen = [0; 64];
    for (place, (chosen, weight)) in chosen.iter_mut().zip(WEIGHTS).enumerate() {
        *chosen = if is_chosen(place) { weight } else { 0 };
    }
    let mut columns = 0;
    for row in chosen.as_chunks().0 {
        columns |= u64::from_le_bytes(*row);
    }
    with_rows_and_columns_exchanged(columns).to_le_bytes()
}

/// Exchanges rows, which are bytes, and columns of bits: in squares of two, four and eight.
///
/// Source: Henry S. Warren, *Hacker's Delight*, "Transposing a bit matrix".
#[inline(always)]
fn with_rows_and_columns_exchanged(mut bits: u64) -> u64 {
    for (shift, upper) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let different = (bits ^ bits >> shift) & upper;
        bits ^= different ^ different << shift;
    }
    bits
}

/// 255 at the places of a set, 0 elsewhere.
///
/// A byte of the set is copied into all bytes of a word, of which each keeps its own bit. Measured,
/// doubling it three times takes a third of the time of looking up the byte at each place, with 512
/// bits, and two fifths with 256.
#[inline(always)]
#[must_use]
pub fn expanded(set: [u8; 8]) -> [u8; 64] {
    let set = u64::from_le_bytes(set);
    let mut rows = [0; 8];
    for (number, row) in rows.iter_mut().enumerate() {
        let mut byte = set >> (8 * number) & 0xff;
        byte |= byte << 8;
        byte |= byte << 16;
        byte |= byte << 32;
        *row = byte & ROW;
    }
    let mut bytes = [0; 64];
    for (bytes, row) in bytes.as_chunks_mut().0.iter_mut().zip(rows) {
        *bytes = row.to_le_bytes();
    }
    for byte in &mut bytes {
        *byte = if *byte == 0 { 0 } else { u8::MAX };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_right() {
        let set = places(|place| [0, 2, 17].contains(&place));
        assert_eq!(set, [5, 0, 2, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn sets_are_expanded_and_found_again() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..1000 {
            let set = random.u64(..) & random.u64(..);
            let bytes = expanded(set.to_le_bytes());
            for (place, &byte) in bytes.iter().enumerate() {
                let expected = if set >> place & 1 == 1 { u8::MAX } else { 0 };
                assert_eq!(byte, expected);
            }
            let found = places(|place| bytes[place] != 0);
            assert_eq!(u64::from_le_bytes(found), set);
        }
    }
}
