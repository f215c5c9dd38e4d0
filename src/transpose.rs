//! Rows and columns exchanged, of bytes and of bits.
//!
//! Eight bytes are handled as one number, which any processor can do and which compilers turn into
//! wider registers.

/// Exchanges rows and columns of eight times eight bytes.
#[inline(always)]
pub fn transpose_bytes(rows: &mut [u64; 8]) {
    exchange::<4, 8>(rows, 32, 0x0000_0000_ffff_ffff);
    exchange::<2, 8>(rows, 16, 0x0000_ffff_0000_ffff);
    exchange::<1, 8>(rows, 8, 0x00ff_00ff_00ff_00ff);
}

/// Exchanges rows and columns of 64 times 64 bytes.
#[inline(always)]
pub fn transpose_lines(lines: &[[u8; 64]; 64], transposed: &mut [[u8; 64]; 64]) {
    for row in (0..64).step_by(8) {
        for column in (0..64).step_by(8) {
            let mut block = [0; 8];
            for (number, bytes) in block.iter_mut().enumerate() {
                let mut eight = [0; 8];
                eight.copy_from_slice(&lines[row + number][column..column + 8]);
                *bytes = u64::from_le_bytes(eight);
            }
            transpose_bytes(&mut block);
            for (number, bytes) in block.into_iter().enumerate() {
                transposed[column + number][row..row + 8].copy_from_slice(&bytes.to_le_bytes());
            }
        }
    }
}

/// Exchanges rows and columns of 64 words.
#[inline(always)]
pub fn transpose_words(words: &mut [u64; 64]) {
    exchange::<32, 64>(words, 32, 0x0000_0000_ffff_ffff);
    exchange::<16, 64>(words, 16, 0x0000_ffff_0000_ffff);
    exchange::<8, 64>(words, 8, 0x00ff_00ff_00ff_00ff);
    exchange::<4, 64>(words, 4, 0x0f0f_0f0f_0f0f_0f0f);
    exchange::<2, 64>(words, 2, 0x3333_3333_3333_3333);
    exchange::<1, 64>(words, 1, 0x5555_5555_5555_5555);
}

/// Exchanges the upper bits of each word with the lower bits, those of the mask, of the word
/// `WIDTH` further on; `shift` bits lie between them.
#[inline(always)]
fn exchange<const WIDTH: usize, const LEN: usize>(words: &mut [u64; LEN], shift: u32, mask: u64) {
    for number in 0..LEN / 2 {
        let upper = number / WIDTH * (2 * WIDTH) + number % WIDTH;
        let lower = upper + WIDTH;
        let exchanged = (words[upper] >> shift ^ words[lower]) & mask;
        words[upper] ^= exchanged << shift;
        words[lower] ^= exchanged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 56) as u8
        };
        let lines: [[u8; 64]; 64] = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let mut transposed = [[0; 64]; 64];
        transpose_lines(&lines, &mut transposed);
        let odd = |line: &[u8; 64]| {
            (line.iter().enumerate())
                .fold(0, |set, (place, byte)| set | u64::from(byte & 1) << place)
        };
        let mut words = lines.each_ref().map(odd);
        transpose_words(&mut words);
        for row in 0..64 {
            for column in 0..64 {
                assert_eq!(transposed[column][row], lines[row][column]);
                assert_eq!(words[column] >> row & 1, u64::from(lines[row][column]) & 1);
            }
        }
    }
}
