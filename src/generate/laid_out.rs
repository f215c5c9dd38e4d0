//! One side to move of a slice whose numbers are all in memory, and are too many to be there in the
//! order of a file as well.
//!
//! The solver has a word for the 64 squares of the black king, a file a row for the squares of its
//! fastest man. So the numbers are turned where they lie: 64 words that differ in this man's square
//! are rows and columns of a square of bits, which are exchanged, and then a row of the file is in
//! one place. In KRvK the white king on a1 and the rook on b2, square 9, are word 9, and bit 20 of
//! it is the black king on e3. Turned along the rook it is bit 9 of word 20, next to the bits for
//! the rook on a2 and c2.

use std::ops::Range;

use super::addressing::{FastestMan, Row};
use super::rows::Numbers;
use crate::parallel;
use crate::transpose::{transpose_lines, transpose_words};

/// The numbers of one side to move at consecutive addresses, in the solver's layout or turned.
#[derive(Debug)]
pub struct LaidOut {
    pub(super) side: usize,
    pub(super) numbers: Numbers,
    /// The first address; it and the number of words are such that men who are turned along take
    /// all squares.
    pub(super) first: usize,
    /// The man that has taken the place of the black king.
    pub(super) along: Option<FastestMan>,
    /// For each word what [`Numbers::sets_at`] says.
    pub(super) sets: Vec<u64>,
    /// The solver's bytes; empty for results.
    pub(super) bytes: Vec<u8>,
}

/// Up to 64 numbers of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartOfRow<'a> {
    /// What [`Numbers::sets_at`] says of them, from bit `shift` on.
    pub sets: &'a [u64],
    pub shift: usize,
    /// How many.
    pub len: usize,
    /// Their bytes; none for results.
    pub bytes: &'a [u8],
}

impl PartOfRow<'_> {
    /// Looks at it, so that it is on its way from memory.
    #[inline(always)]
    pub fn touch(&self) -> u64 {
        let ends = [self.bytes.first(), self.bytes.last()];
        let ends = ends.into_iter().flatten();
        let of_sets = self.sets.first().copied().unwrap_or(0);
        ends.fold(of_sets, |all, &end| all ^ u64::from(end))
    }
}

/// Words, or lines of bytes, of each of 64 rows that a thread turns at a time.
const STRIP: usize = 1 << 10;
/// Words of each of 64 rows that are turned in a cache. In memory, rows may lie so that they take
/// the place of each other in it.
const TILE: usize = 32;

impl LaidOut {
    /// Whether these are all numbers of a side, whichever way they are turned.
    pub fn has(&self, side: usize, numbers: &Numbers) -> bool {
        (self.side, &self.numbers) == (side, numbers)
    }

    /// The addresses that these are the numbers of.
    pub(super) fn addresses(&self) -> Range<usize> {
        self.first..self.first + self.sets.len() / self.numbers.sets()
    }

    /// Turns the numbers along a man, or back into the solver's layout.
    pub fn turn(&mut self, along: Option<FastestMan>) {
        if self.along == along {
            return;
        }
        // Turning twice along the same man is turning back.
        for man in [self.along, along].into_iter().flatten() {
            let words = self.numbers.sets() << man.shift;
            for_each_strip(&mut self.sets, words, turn_words);
            for_each_strip(self.bytes.as_chunks_mut().0, 1 << man.shift, turn_lines);
        }
        self.along = along;
    }

    /// Tells the numbers of one row of a file, in which the men but the fastest ones make up an
    /// address: up to 64 at a time.
    pub(super) fn push_row<'s>(
        &'s self,
        row: &Row,
        part: impl Fn(u32) -> usize,
        mut push: impl FnMut(PartOfRow<'s>),
    ) {
        let mut push = |address: usize, squares: Range<u32>| {
            let (place, count) = (address - self.first, self.numbers.sets());
            let (shift, len) = (squares.start as usize, squares.len());
            let bytes = match self.bytes.is_empty() {
                true => &[],
                false => &self.bytes[place * 64 + shift..][..len],
            };
            push(PartOfRow {
                sets: &self.sets[place * count..][..count],
                shift,
                len,
                bytes,
            });
        };
        let Some(man) = self.along else {
            push(row.address, row.digits.clone());
            return;
        };
        let mut digits = row.digits.clone();
        while !digits.is_empty() {
            let part = part(digits.start);
            let squares = man.squares(part);
            let len = squares.len().min(digits.len()) as u32;
            let others = row.address + (part & !(63 << man.shift));
            let first = squares.start;
            push(
                others + ((row.black_king as usize) << man.shift),
                first..first + len,
            );
            digits.start += len;
        }
    }
}

/// Calls `turn` with the same part of each of 64 rows of a length, for all of them.
fn for_each_strip<T: Send>(all: &mut [T], row: usize, turn: impl Fn(Vec<&mut [T]>) + Sync) {
    parallel::each_item(all.chunks_mut(64 * row), |_, rows| {
        let mut strips: Vec<Vec<&mut [T]>> = Vec::new();
        strips.resize_with(row.div_ceil(STRIP), || Vec::with_capacity(64));
        for row in rows.chunks_mut(row) {
            for (strip, part) in strips.iter_mut().zip(row.chunks_mut(STRIP)) {
                strip.push(part);
            }
        }
        parallel::each_item(strips, |_, strip| turn(strip));
    });
}

fn turn_words(mut rows: Vec<&mut [u64]>) {
    let len = rows.first().map_or(0, |row| row.len());
    let mut tile = [[0; 64]; TILE];
    for start in (0..len).step_by(TILE) {
        let end = len.min(start + TILE);
        for (number, row) in rows.iter().enumerate() {
            for (column, &word) in tile.iter_mut().zip(&row[start..end]) {
                column[number] = word;
            }
        }
        tile[..end - start].iter_mut().for_each(transpose_words);
        for (number, row) in rows.iter_mut().enumerate() {
            for (column, word) in tile.iter().zip(&mut row[start..end]) {
                *word = column[number];
            }
        }
    }
}

fn turn_lines(mut rows: Vec<&mut [[u8; 64]]>) {
    let len = rows.first().map_or(0, |row| row.len());
    let mut lines = [[0; 64]; 64];
    let mut turned = [[0; 64]; 64];
    for at in 0..len {
        for (line, row) in lines.iter_mut().zip(&rows) {
            *line = row[at];
        }
        transpose_lines(&lines, &mut turned);
        for (row, line) in rows.iter_mut().zip(&turned) {
            row[at] = *line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::index::IndexSpace;
    use crate::generate::addressing::{Addressing, FileOrder};
    use crate::table::Plane;

    fn random(signature: &str, numbers: Numbers) -> (IndexSpace, LaidOut) {
        let mut random = fastrand::Rng::with_seed(3);
        let space = IndexSpace::new(signature.parse().unwrap());
        let words = Addressing::new(&space).words();
        let bytes = if numbers.has_bytes() { words * 64 } else { 0 };
        let mut set = |len: usize| (0..len).map(|_| random.u64(..)).collect();
        let laid_out = LaidOut {
            side: 0,
            first: 0,
            along: None,
            sets: set(words * numbers.sets()),
            bytes: (0..bytes).map(|_| fastrand::u8(..)).collect(),
            numbers,
        };
        (space, laid_out)
    }

    #[test]
    fn the_example_is_right() {
        let (space, mut laid_out) = random("KRvK", Numbers::Results(vec![0]));
        laid_out.sets.fill(0);
        laid_out.sets[9] = 1 << 20;
        let rook = Addressing::new(&space).fastest_man(3);
        assert_eq!(rook.map(|man| man.shift), Some(0));
        laid_out.turn(rook);
        let found: Vec<_> = (laid_out.sets.iter().enumerate())
            .filter(|&(_, &set)| set != 0)
            .collect();
        assert_eq!(found, [(20, &(1 << 9))]);
    }

    #[test]
    fn rows_of_every_order_are_turned_words() {
        for (signature, numbers) in [
            ("KQvKR", Numbers::ToZeroing(Plane::Low)),
            ("KQvKR", Numbers::Results(vec![0, 2, 4])),
            ("KRRvK", Numbers::Results(vec![2, 4])),
            ("KRRvK", Numbers::ToZeroing(Plane::Low)),
            ("KQQQvK", Numbers::Results(vec![4])),
        ] {
            let (space, mut laid_out) = random(signature, numbers);
            let addressing = Addressing::new(&space);
            let count = laid_out.numbers.sets();
            for order in space.all_orders() {
                let list = FileOrder::new(&addressing, &order);
                let fastest = usize::from(*order.dimensions().last().unwrap());
                let before: Vec<u64> = laid_out.sets.clone();
                let lines = laid_out.bytes.clone();
                laid_out.turn(addressing.fastest_man(fastest));
                let Some(man) = laid_out.along else { continue };
                for index in (0..list.len()).step_by(61) {
                    let (row, faster) = (index / list.run, index % list.run);
                    let address = list.addresses[row / 64 * list.run + faster] as usize;
                    let king = row % 64;
                    let square = address >> man.shift & 63;
                    let turned = address - (square << man.shift) + (king << man.shift);
                    for set in 0..count {
                        assert_eq!(
                            laid_out.sets[turned * count + set] >> square & 1,
                            before[address * count + set] >> king & 1,
                        );
                    }
                    if !lines.is_empty() {
                        assert_eq!(
                            laid_out.bytes[turned * 64 + square],
                            lines[address * 64 + king]
                        );
                    }
                }
                laid_out.turn(None);
                assert!(laid_out.sets == before && laid_out.bytes == lines);
            }
        }
    }
}
