//! The checksum in the last 16 bytes of a Syzygy file.
//!
//! What stands in front of it is cut into chunks of 2^24 bytes, the last one may be shorter.
//! `CityHashCrc256` turns every chunk into 32 bytes, and `CityHashCrc128` of all of these together
//! is the checksum.
//!
//! Both are functions of `CityHash` 1.0.3 by Geoff Pike and Jyrki Alakuijala. Its code, of which
//! what the checksum needs is rewritten here, is under the MIT licence:
//!
//! > Copyright (c) 2011 Google, Inc.
//! >
//! > Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
//! > documentation files (the "Software"), to deal in the Software without restriction, including without limitation
//! > the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
//! > to permit persons to whom the Software is furnished to do so, subject to the following conditions:
//! >
//! > The above copyright notice and this permission notice shall be included in all copies or substantial portions of
//! > the Software.
//! >
//! > THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
//! > THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
//! > AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
//! > CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
//! > IN THE SOFTWARE.

use std::{mem::swap, num::Wrapping};

/// A number modulo 2^64.
type Word = Wrapping<u64>;

/// The `CityHashCrc256` of a chunk: four little-endian words.
pub(super) type ChunkHash = [[u8; 8]; 4];

/// Bytes of a chunk.
pub(super) const CHUNK: usize = 1 << 24;
/// Bytes of a block of `CityHashCrc256`, which hashes nothing shorter.
const BLOCK: usize = 240;
/// Bytes of a part of a block, one word for each lane.
const PART: usize = 40;
/// The most bytes of which `CityHashCrc128` is `CityHash128`.
const SHORT: usize = 900;

/// A prime, named as in `CityHash`.
const K0: Word = Wrapping(0xc3a5_c85c_97cb_3127);
/// A prime, named as in `CityHash`.
const K1: Word = Wrapping(0xb492_b66f_be98_f273);
/// A prime, named as in `CityHash`.
const K2: Word = Wrapping(0x9ae1_6a3b_2f90_404f);
/// A prime, named as in `CityHash`.
const K3: Word = Wrapping(0xc949_d7c7_509e_6557);

/// Bytes of a checksum.
pub(super) const CHECKSUM_LEN: usize = 16;

#[cfg(test)]
/// The checksum of a file of which `bytes` is everything in front of the checksum.
pub(super) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_LEN] {
    let hashes: Vec<ChunkHash> = bytes.chunks(CHUNK).map(hash_of_chunk).collect();
    checksum_of_hashes(&hashes)
}

/// The hash of a chunk.
pub(super) fn hash_of_chunk(chunk: &[u8]) -> ChunkHash {
    hash_crc_256(chunk).map(|word| word.0.to_le_bytes())
}

/// The checksum of a file whose chunks have these hashes.
pub(super) fn checksum_of_hashes(hashes: &[ChunkHash]) -> [u8; CHECKSUM_LEN] {
    let [low, high] = hash_crc_128(hashes).map(|word| u128::from(word.0));
    (high << 64 | low).to_le_bytes()
}

/// `CityHashCrc128`, of hashes of chunks only.
fn hash_crc_128(hashes: &[ChunkHash]) -> [Word; 2] {
    let bytes = hashes.as_flattened().as_flattened();
    if bytes.len() <= SHORT {
        hash_128(hashes)
    } else {
        let [_, _, low, high] = hash_crc_256(bytes);
        [low, high]
    }
}

/// `CityHashCrc256`.
fn hash_crc_256(bytes: &[u8]) -> [Word; 4] {
    if bytes.len() < BLOCK {
        let mut block = [0; BLOCK];
        block[..bytes.len()].copy_from_slice(bytes);
        hash_blocks(&block, !length(bytes) & Wrapping(u64::from(u32::MAX)))
    } else {
        hash_blocks(bytes, Wrapping(0))
    }
}

/// `CityHashCrc256Long`: hashes at least one block.
fn hash_blocks(bytes: &[u8], seed: Word) -> [Word; 4] {
    let length = length(bytes);
    let start = [
        mix(word(bytes, 96) + K0, length),
        word(bytes, 120) * K0 + length,
    ];
    let mut state = State {
        lanes: [
            word(bytes, 56) + K0,
            word(bytes, 96) + K0,
            start[0],
            start[1],
            word(bytes, 184) + seed,
            start[0] + start[1],
        ],
        sums: [seed, Wrapping(0), Wrapping(0), Wrapping(0), Wrapping(0)],
    };
    let (blocks, tail) = bytes.split_at(bytes.len() / BLOCK * BLOCK);
    for [first, second] in blocks.as_chunks::<PART>().0.as_chunks().0 {
        state.absorb(first, Wrapping(1), [40, 26, 40, 32, 24]);
        state.absorb_multiplied(second);
    }
    let (parts, rest) = tail.as_chunks();
    for part in parts {
        state.absorb_multiplied(part);
    }
    if !rest.is_empty()
        && let Some(part) = bytes.last_chunk()
    {
        state.absorb_multiplied(part);
    }
    state.finish(start)
}

/// What `CityHashCrc256` remembers of the bytes it has seen.
struct State {
    /// Five words that were made from the last part, and the first of the five of the part before.
    lanes: [Word; 6],
    /// The CRC-32C of all words that each of the five lanes has had.
    sums: [Word; 5],
}

impl State {
    /// Takes in a part; every lane gets the word of the next one, rotated and multiplied, plus a
    /// word of the part.
    #[inline]
    fn absorb(&mut self, part: &[u8; PART], multiplier: Word, rotations: [u32; 5]) {
        let old = self.lanes;
        for lane in 0..5 {
            self.lanes[lane] =
                rotate(old[lane + 1], rotations[lane]) * multiplier + word(part, 8 * lane);
            self.sums[lane] = crc32c(self.sums[lane], self.lanes[lane]);
        }
        self.lanes[5] = old[0];
    }

    /// Takes in a part the way in which every second part of a block, and every part after the
    /// blocks, is.
    #[inline]
    fn absorb_multiplied(&mut self, part: &[u8; PART]) {
        self.absorb(part, K0, [41, 27, 41, 33, 25]);
    }

    /// The hash of all parts; `start` is what the third and the fourth lane started from.
    fn finish(self, start: [Word; 2]) -> [Word; 4] {
        let stir = |value| shift_mix(value * K0) * K0;
        let [lane_0, lane_1, lane_2, lane_3, lane_4, lane_5] = self.lanes;
        let [sum_0, sum_1, sum_2, sum_3, sum_4] = self.sums;

        let low = sum_4 + (sum_3 << 32);
        let high = sum_2 + (sum_1 << 32);
        let first = mix(lane_0, low);
        let second = lane_1 + high;
        let third = mix(lane_2, sum_0) + sum_3;
        let fourth = mix(lane_3, lane_4 + start[0]);
        let low = low + lane_4;

        let left = mix(first, fourth) + low;
        let middle = mix(second, third) + first;
        let right = mix(low, sum_3 + mix(high, lane_5)) + third;

        let stirred_once = stir(first + right) + second;
        let stirred_twice = stir(stirred_once) + third;
        let result_0 = left + middle + right + high;
        let result_1 = start[1] + stirred_once + result_0;
        let result_2 = stirred_twice + result_1;
        let result_3 = stir(stirred_twice + left) + result_2;
        [result_0, result_1, result_2, result_3]
    }
}

/// `CityHash128`, of hashes of chunks only.
fn hash_128(hashes: &[ChunkHash]) -> [Word; 2] {
    let bytes = hashes.as_flattened().as_flattened();
    let Some((head, bytes)) = bytes.split_at_checked(16) else {
        return hash_murmur(bytes, [K0, K1]);
    };
    let seed = [word(head, 0) ^ K3, word(head, 8)];
    if bytes.len() < 128 {
        hash_murmur(bytes, seed)
    } else {
        hash_128_long(bytes, seed)
    }
}

/// `CityMurmur`, of a multiple of 16 bytes only.
fn hash_murmur(bytes: &[u8], seed: [Word; 2]) -> [Word; 2] {
    let [mut first, mut second] = seed;
    let (mut third, mut fourth);
    match bytes.len() {
        0 => {
            first = shift_mix(first * K1) * K1;
            third = second * K1 + K2;
            fourth = shift_mix(first + third);
        }
        16 => {
            let (low, high) = (word(bytes, 0), word(bytes, 8));
            first = shift_mix(first * K1) * K1;
            third = second * K1 + (mix(low, rotate(high + Wrapping(16), 16)) ^ high);
            fourth = shift_mix(first + low);
        }
        len => {
            let (pairs, last) = bytes.split_at(len - 16);
            third = mix(word(last, 8) + K1, first);
            fourth = mix(second + length(bytes), third + word(last, 0));
            first += fourth;
            for pair in pairs.chunks_exact(16) {
                first = (first ^ (shift_mix(word(pair, 0) * K1) * K1)) * K1;
                second ^= first;
                third = (third ^ (shift_mix(word(pair, 8) * K1) * K1)) * K1;
                fourth ^= third;
            }
        }
    }
    let (left, right) = (mix(first, third), mix(fourth, second));
    [left ^ right, mix(right, left)]
}

/// `CityHash128WithSeed` of at least 128 bytes.
fn hash_128_long(bytes: &[u8], seed: [Word; 2]) -> [Word; 2] {
    let [mut x, mut y] = seed;
    let mut z = length(bytes) * K1;
    let left_0 = rotate(y ^ K1, 49) * K1 + word(bytes, 0);
    let mut left = [left_0, rotate(left_0, 42) * K1 + word(bytes, 8)];
    let mut right = [
        rotate(y + z, 35) * K1 + x,
        rotate(x + word(bytes, 88), 53) * K1,
    ];

    let tail = bytes.len() % 128;
    for block in bytes[..bytes.len() - tail].chunks_exact(64) {
        x = (rotate(x + y + left[0] + word(block, 8), 37) * K1) ^ right[1];
        y = rotate(y + left[1] + word(block, 48), 42) * K1 + left[0] + word(block, 40);
        z = rotate(z + right[0], 33) * K1;
        left = hash_weakly(block, [left[1] * K1, x + right[0]]);
        right = hash_weakly(&block[32..], [z + right[1], y + word(block, 16)]);
        swap(&mut x, &mut z);
    }
    x += rotate(left[0] + z, 49) * K0;
    z += rotate(right[0], 37) * K0;

    // The first bytes of the tail come last, together with bytes in front of the tail.
    for block in bytes.rchunks_exact(32).take(tail.div_ceil(32)) {
        y = rotate(x + y, 42) * K0 + left[1];
        right[0] += word(block, 16);
        x = x * K0 + right[0];
        z += right[1] + word(block, 0);
        right[1] += left[0];
        left = hash_weakly(block, [left[0] + z, left[1]]);
    }
    x = mix(x, left[0]);
    y = mix(y + z, right[0]);
    [
        mix(x + left[1], right[1]) + y,
        mix(x + right[1], y + left[1]),
    ]
}

/// `WeakHashLen32WithSeeds`: hashes the first 32 bytes of `bytes`.
fn hash_weakly(bytes: &[u8], seed: [Word; 2]) -> [Word; 2] {
    let last = word(bytes, 24);
    let first = seed[0] + word(bytes, 0);
    let sum = first + word(bytes, 8) + word(bytes, 16);
    [
        sum + last,
        rotate(seed[1] + first + last, 21) + rotate(sum, 44) + first,
    ]
}

/// `HashLen16`: makes one word of two.
fn mix(low: Word, high: Word) -> Word {
    const MULTIPLIER: Word = Wrapping(0x9ddf_ea08_eb38_2d69);
    let inner = shift_mix((low ^ high) * MULTIPLIER);
    shift_mix((high ^ inner) * MULTIPLIER) * MULTIPLIER
}

/// `ShiftMix`: lets the high bits change the low ones.
fn shift_mix(value: Word) -> Word {
    value ^ (value >> 47)
}

/// Rotates to the right.
fn rotate(value: Word, bits: u32) -> Word {
    Wrapping(value.0.rotate_right(bits))
}

/// Number of bytes.
fn length(bytes: &[u8]) -> Word {
    Wrapping(bytes.len() as u64)
}

/// The little-endian word that starts at byte `offset`.
#[inline]
fn word(bytes: &[u8], offset: usize) -> Word {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    Wrapping(u64::from_le_bytes(word))
}

/// The CRC-32C of eight more bytes, those of `word`; neither what it starts from nor what it ends
/// in is inverted.
fn crc32c(sum: Word, word: Word) -> Word {
    let bytes = (sum ^ word).0.to_le_bytes();
    let sum = CRC_TABLES
        .iter()
        .zip(bytes)
        .fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)]);
    Wrapping(u64::from(sum))
}

/// For each of eight bytes what it adds to the CRC-32C of all eight.
static CRC_TABLES: [[u32; 256]; 8] = crc_tables();

/// Computes [`CRC_TABLES`], from the last byte to the first.
const fn crc_tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte;
        let mut place = 8;
        while place > 0 {
            place -= 1;
            let mut bit = 0;
            while bit < 8 {
                sum = (sum >> 1) ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 };
                bit += 1;
            }
            tables[place][byte as usize] = sum;
        }
        byte += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Bytes without a pattern, the same on every run.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn crc32c_has_its_check_value() {
        // To start from all ones is to invert the first four bytes; zeros in front of them change
        // nothing.
        let first = u64::from(!b'1') << 56;
        let rest = u64::from_le_bytes([!b'2', !b'3', !b'4', b'5', b'6', b'7', b'8', b'9']);
        let crc = crc32c(crc32c(Wrapping(0), Wrapping(first)), Wrapping(rest));
        assert_eq!(!crc.0 & u64::from(u32::MAX), 0xe306_9283);
    }

    #[test]
    fn a_published_file_has_its_checksum() {
        // KBvK.rtbw; what is missing are zeros.
        let mut bytes = [0; 64];
        bytes[..14].copy_from_slice(b"\x71\xe8\x23\x5d\x31\x00\xee\x66\x33\x00\x80\x02\x80\x02");
        let expected = 0x4b37_ef62_3e69_eadb_6756_777c_1603_4e6f_u128;
        assert_eq!(checksum(&bytes), expected.to_be_bytes());
    }

    /// The original in C computes the same.
    #[test]
    fn noise_of_any_length_has_its_checksum() {
        let bytes = noise(CHUNK + 1);
        for (length, expected) in [
            (0, 0x2b9a_c064_fc9d_f03d_291e_e592_c340_b53c),
            (BLOCK - 1, 0x2e12_ed87_2413_e7b8_d18c_59dc_c3ee_0e84),
            (BLOCK, 0x3adc_0817_fb74_0ef9_a341_d821_0662_8505),
            (BLOCK + PART + 1, 0x6be6_bdcb_fc32_96af_f6c2_0258_53a3_a337),
            (CHUNK + 1, 0x14aa_1f43_b699_d805_4460_1ede_b09c_9f08),
        ] {
            let found = u128::from_be_bytes(checksum(&bytes[..length]));
            assert_eq!(found, expected, "of {length} bytes");
        }
    }

    /// The original in C computes the same; more than four chunks, and more than 28, are hashed in
    /// other ways.
    #[test]
    fn noise_in_place_of_chunk_hashes_has_its_hash() {
        let bytes = noise(29 * 32);
        let hashes = bytes.as_chunks().0.as_chunks().0;
        for (chunks, expected) in [
            (4, [0xa07d_edaf_c151_f036, 0x4463_8914_36f4_a90f]),
            (5, [0x71a6_374b_1b40_83e8, 0xbe8b_9dc2_b1d7_3b11]),
            (28, [0x44d1_3114_fff0_cbf5, 0xe6b3_3a1d_2e05_463d]),
            (29, [0x3102_6100_3286_ca41, 0xe635_2d18_f804_f8f5]),
        ] {
            let found = hash_crc_128(&hashes[..chunks]);
            assert_eq!(found, expected.map(Wrapping), "of {chunks} chunks");
        }
    }

    #[test]
    fn every_length_has_its_own_checksum() {
        let bytes = noise(2 * BLOCK + PART + 2);
        let lengths = 0..=bytes.len();
        let checksums: HashSet<_> = lengths.map(|length| checksum(&bytes[..length])).collect();
        assert_eq!(checksums.len(), bytes.len() + 1);
    }
}
