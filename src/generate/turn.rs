//! Slices turned from the solver's layout into the order of a file.
//!
//! The solver has words over the black king's square, a file has rows of its faster dimensions,
//! those behind the black king. So a slice is turned in *tiles*, squares of 64 black kings by 64
//! indices: 64 words are read, rows and columns of their bits are exchanged, and each of the 64
//! words that come out belongs to the row of one black king.

use super::addressing::{Addressing, FileOrder};
use super::rows::{BySets, Numbers, Rows, WithSets, put_bits};
use crate::chess::solve::solved::SideValues;
use crate::parallel;
use crate::simd::Width;
use crate::transpose::{transpose_lines, transpose_words};

/// Indices that a thread turns at a time, about; the bytes do not depend on it.
const TASK: usize = 1 << 17;
/// Indices of each of 64 long rows that a thread turns at a time: what is next to what was read is
/// asked for soon.
const STRIP: usize = 1 << 13;
/// Tiles that are turned before they are put into their rows, so that these are written in whole
/// cache lines.
const TILES: usize = 8;
const ROWS: usize = 64;

impl Rows {
    /// A whole slice, in the memory of other rows.
    pub fn of_slice(
        numbers: &Numbers,
        values: &SideValues,
        addressing: &Addressing,
        order: &FileOrder,
        rows: Rows,
    ) -> Rows {
        let sets_of_words = numbers.sets_of_slice(values, addressing);
        let slice = Slice {
            numbers,
            values,
            sets_of_words: &sets_of_words,
            addresses: &order.addresses,
            run: order.run,
        };
        slice.turned(order.len(), rows)
    }
}

/// What is turned, and how.
#[derive(Clone, Copy)]
struct Slice<'a> {
    numbers: &'a Numbers,
    values: &'a SideValues,
    /// What [`Numbers::sets_of_slice`] says.
    sets_of_words: &'a [u64],
    /// Of each `run` of them the rows of the same black kings follow each other.
    addresses: &'a [u32],
    run: usize,
}

impl Slice<'_> {
    /// All `len` indices.
    fn turned(self, len: usize, mut rows: Rows) -> Rows {
        let bytes = if self.numbers.has_bytes() { len } else { 0 };
        // Each of them is written.
        rows.bytes.resize(bytes, 0);
        let has_whole_words = self.run == 1 || self.run.is_multiple_of(64);
        if !has_whole_words {
            // Words that two rows share are put together.
            rows.sets.clear();
        }
        rows.sets.resize(len.div_ceil(64) * self.numbers.sets(), 0);
        if self.run.is_multiple_of(64) && ROWS * self.run > 4 * TASK {
            self.turn_strips(&mut rows);
        } else {
            self.turn_blocks(&mut rows);
        }
        rows
    }

    /// The rows of all black kings with the same slower dimensions are short: some of them at a
    /// time.
    fn turn_blocks(self, rows: &mut Rows) {
        let len = (TASK / (ROWS * self.run)).max(1) * self.run;
        let mut bytes = rows.bytes.chunks_mut(len * ROWS);
        let sets = rows.sets.chunks_mut(len * self.numbers.sets());
        let blocks = (self.addresses.chunks(len).zip(sets))
            .map(|(addresses, sets)| (addresses, sets, bytes.next().unwrap_or_default()));
        let blocks: Vec<_> = blocks.collect();
        parallel::each_item(blocks, |_, (addresses, sets, bytes)| {
            Width::widest().run(WithSets(Block {
                slice: self,
                addresses,
                sets,
                bytes,
            }));
        });
    }

    /// They are long, and begin with a word of their own: the same part of each of them at a time.
    fn turn_strips(self, rows: &mut Rows) {
        let count = self.numbers.sets();
        let mut strips: Vec<Strip<'_>> = Vec::new();
        for addresses in self.addresses.chunks(self.run) {
            for addresses in addresses.chunks(STRIP) {
                strips.push(Strip {
                    slice: self,
                    addresses,
                    sets: Vec::with_capacity(ROWS),
                    bytes: Vec::new(),
                });
            }
        }
        let in_row = self.run.div_ceil(STRIP);
        let sets = rows.sets.chunks_mut(self.run / 64 * count);
        for (number, row) in sets.enumerate() {
            let strips = &mut strips[number / ROWS * in_row..];
            for (strip, part) in strips.iter_mut().zip(row.chunks_mut(STRIP / 64 * count)) {
                strip.sets.push(part);
            }
        }
        for (number, row) in rows.bytes.chunks_mut(self.run).enumerate() {
            let strips = &mut strips[number / ROWS * in_row..];
            for (strip, part) in strips.iter_mut().zip(row.chunks_mut(STRIP)) {
                strip.bytes.push(part);
            }
        }
        parallel::each_item(strips, |_, strip| Width::widest().run(WithSets(strip)));
    }

    /// The sets of a tile, a word for each of its rows.
    #[inline(always)]
    fn turn_sets<const SETS: usize>(&self, addresses: &[u32], words: &mut [[u64; 64]; SETS]) {
        let sets_of_words = self.sets_of_words.as_chunks::<SETS>().0;
        for (faster, &address) in addresses.iter().enumerate() {
            let all = &sets_of_words[address as usize];
            for (words, &set) in words.iter_mut().zip(all) {
                words[faster] = set;
            }
        }
        words.iter_mut().for_each(transpose_words);
    }

    /// The bytes of a tile, a line for each of its rows.
    #[inline(always)]
    fn turn_bytes(&self, addresses: &[u32], columns: &mut [[u8; 64]; 64]) {
        let mut lines = [[0; 64]; 64];
        for (line, &address) in lines.iter_mut().zip(addresses) {
            *line = self.numbers.line(self.values, address as usize);
        }
        transpose_lines(&lines, columns);
    }
}

/// Rows that are turned as a whole, those of the same slower dimensions next to each other.
struct Block<'a> {
    slice: Slice<'a>,
    addresses: &'a [u32],
    sets: &'a mut [u64],
    bytes: &'a mut [u8],
}

impl BySets for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn numbers(&self) -> &Numbers {
        self.slice.numbers
    }

    #[inline(always)]
    fn run<const SETS: usize>(self) {
        let Block {
            slice,
            addresses,
            sets,
            bytes,
        } = self;
        let run = slice.run;
        if run == 1 {
            return copy::<SETS>(&slice, addresses, sets, bytes);
        }
        let mut words = [[0u64; 64]; SETS];
        let mut columns = [[0u8; 64]; 64];
        for (slower, addresses) in addresses.chunks(run).enumerate() {
            let first_row = slower * ROWS;
            for (tile, addresses) in addresses.chunks(64).enumerate() {
                slice.turn_sets(addresses, &mut words);
                let filled = u64::MAX >> (64 - addresses.len());
                for (number, words) in words.iter().enumerate() {
                    let sets = &mut sets[number..];
                    for (row, word) in (first_row..).zip(words) {
                        let start = row * run + tile * 64;
                        match run.is_multiple_of(64) {
                            true => sets[start / 64 * SETS] = *word,
                            false => put_bits(sets, SETS, start, word & filled),
                        }
                    }
                }
                if bytes.is_empty() {
                    continue;
                }
                slice.turn_bytes(addresses, &mut columns);
                for (row, column) in (first_row..).zip(&columns) {
                    let row = &mut bytes[row * run + tile * 64..][..addresses.len()];
                    match <&mut [u8; 64]>::try_from(&mut *row) {
                        Ok(whole) => *whole = *column,
                        Err(_) => row.copy_from_slice(&column[..addresses.len()]),
                    }
                }
            }
        }
    }
}

/// The black king is the fastest dimension: words are rows.
#[inline(always)]
fn copy<const SETS: usize>(
    slice: &Slice<'_>,
    addresses: &[u32],
    sets: &mut [u64],
    bytes: &mut [u8],
) {
    let sets_of_words = slice.sets_of_words.as_chunks::<SETS>().0;
    for (out, &address) in sets.as_chunks_mut::<SETS>().0.iter_mut().zip(addresses) {
        *out = sets_of_words[address as usize];
    }
    for (out, &address) in bytes.as_chunks_mut::<64>().0.iter_mut().zip(addresses) {
        *out = slice.numbers.line(slice.values, address as usize);
    }
}

/// The same part of the rows of all black kings.
struct Strip<'a> {
    slice: Slice<'a>,
    addresses: &'a [u32],
    /// For each black king.
    sets: Vec<&'a mut [u64]>,
    /// For each black king; nothing for results.
    bytes: Vec<&'a mut [u8]>,
}

impl BySets for Strip<'_> {
    type Output = ();

    #[inline(always)]
    fn numbers(&self) -> &Numbers {
        self.slice.numbers
    }

    #[inline(always)]
    fn run<const SETS: usize>(mut self) {
        let slice = self.slice;
        let mut tiles = [[[0u64; 64]; SETS]; TILES];
        for (group, addresses) in self.addresses.chunks(64 * TILES).enumerate() {
            for (addresses, words) in addresses.chunks(64).zip(&mut tiles) {
                slice.turn_sets(addresses, words);
            }
            let words = group * TILES..group * TILES + addresses.len() / 64;
            for (king, row) in self.sets.iter_mut().enumerate() {
                let row = &mut row.as_chunks_mut::<SETS>().0[words.clone()];
                for (out, tile) in row.iter_mut().zip(&tiles) {
                    for (out, words) in out.iter_mut().zip(tile) {
                        *out = words[king];
                    }
                }
            }
        }
        if self.bytes.is_empty() {
            return;
        }
        let mut columns = [[0u8; 64]; 64];
        for (tile, addresses) in self.addresses.chunks(64).enumerate() {
            slice.turn_bytes(addresses, &mut columns);
            for (row, column) in self.bytes.iter_mut().zip(&columns) {
                row[tile * 64..][..64].copy_from_slice(column);
            }
        }
    }
}
