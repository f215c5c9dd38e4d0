//! Lines of the 64 squares of one man, whose numbers lie in few places of a file, brought into
//! place together.

use std::ops::RangeInclusive;

use super::{Gather, Orders, Pairs};
use crate::chess::symmetry::Symmetry;
use crate::game::Bits;
use crate::simd::Kernel;
use crate::transpose::transpose_lines;
use crate::verify::chess::layout::Squares;
use crate::verify::chess::line::{Line, none_on};

/// Gathers the lines of the wanted squares of one man, of up to 64 times 64 numbers.
///
/// Where two men are alike, the file has a number for both of their orders: that of squares p and
/// q, q being the smaller, is p(p - 1)/2 + q. So with the first man on p, the numbers of the second
/// on smaller squares follow each other. They are read in a row, and each is that of two lines.
/// Those of larger squares are read when the first man is there.
pub(super) struct GatherTile<'a> {
    pub gather: &'a Gather<'a>,
    pub numbers: Numbers<'a>,
    pub squares: &'a Squares,
    pub group: usize,
    pub man: usize,
    /// The other one of two men that are alike, if they are two.
    pub like: Option<usize>,
    /// Squares of the man.
    pub wanted: u64,
    /// The bits of numbers that stay.
    pub kept: u8,
    /// From the address on where this man, and the other if there is one, stand on square 0.
    pub lines: &'a mut [Line<u8>],
}

impl Kernel for GatherTile<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let pairs = &self.gather.pairs[usize::from(self.squares[0])];
        for index in 0..Symmetry::COUNT {
            self.take_turned(pairs, Symmetry::from_index(index));
        }
    }
}

impl GatherTile<'_> {
    /// Takes the numbers of those black kings with which the board is turned in one way.
    #[inline(always)]
    fn take_turned(&mut self, pairs: &Pairs, symmetry: Symmetry) {
        let twin = symmetry.then_transpose();
        let decided = pairs.decided[symmetry.index()];
        let undecided = pairs.undecided[symmetry.index()];
        let transposed_twins = pairs.undecided[twin.index()];
        let kings = decided | undecided | transposed_twins;
        if kings == 0 {
            return;
        }
        let Some(tile) = self.tile(pairs, symmetry, kings) else {
            return;
        };
        let stay = match undecided {
            0 => 0,
            _ => !self.transposed(symmetry),
        };
        let come = match transposed_twins {
            0 => 0,
            _ => self.transposed(twin),
        };
        for square in (self.wanted & tile.squares).ones() {
            let mut here = decided;
            if stay >> square & 1 != 0 {
                here |= undecided;
            }
            if come >> square & 1 != 0 {
                here |= transposed_twins;
            }
            let square = square as usize;
            let found = &tile.lines[usize::from(tile.places[square]) % 64];
            let stride = self.gather.frame.stride(self.man);
            match self.like {
                None => self.take(square * stride, found, here),
                Some(like) => {
                    let other = self.gather.frame.stride(like);
                    let like = usize::from(self.squares[like]);
                    let is_wanted = |first: usize, second: usize| {
                        self.gather.orders == Orders::All || first < second
                    };
                    if is_wanted(like, square) {
                        self.take(like * other + square * stride, found, here);
                    }
                    if is_wanted(square, like) {
                        self.take(square * other + like * stride, found, here);
                    }
                }
            }
        }
    }

    /// The squares of the man with which a board turned in one way is to be transposed as well, if
    /// kings leave it to the others.
    #[inline(always)]
    fn transposed(&self, symmetry: Symmetry) -> u64 {
        let mut squares = *self.squares;
        let mut transposed = 0;
        for square in self.wanted.ones() {
            squares[self.man] = square as u8;
            let is_smaller = self.gather.transposed_is_smaller(symmetry, &squares);
            transposed |= u64::from(is_smaller) << square;
        }
        transposed
    }

    /// Takes the numbers of some black kings.
    #[inline(always)]
    fn take(&mut self, line: usize, found: &Line<u8>, kings: u64) {
        let line = &mut self.lines[line];
        if kings == u64::MAX {
            keep(line, found, self.kept);
        } else {
            let kings = none_on::<u8>(kings);
            for ((value, found), king) in line.iter_mut().zip(found).zip(kings) {
                *value = *value & (self.kept | !king) | found & king;
            }
        }
    }

    /// The numbers of some black kings on a board turned in one way, if any are in the part of the
    /// stream that is there.
    #[inline(always)]
    fn tile(&self, pairs: &Pairs, symmetry: Symmetry, kings: u64) -> Option<Tile> {
        let GatherTile {
            gather, numbers, ..
        } = *self;
        let own = self.own(symmetry);
        if own.squares == 0 {
            return None;
        }
        let rest = gather.groups_offset(self.squares, symmetry, Some(self.group));
        let first = kings.trailing_zeros() as usize % 64;
        let mut bases = [pairs.by_black[first].offset + rest; 64];
        let mut is_any_here = false;
        for black in kings.ones() {
            let base = pairs.by_black[black as usize].offset + rest;
            bases[black as usize] = base;
            is_any_here |= numbers.has_any_of(base + own.low..=base + own.high);
        }
        if !is_any_here {
            return None;
        }
        // For few kings it is quicker to read numbers one by one.
        Some(match kings.count_ones() >= 16 && own.is_row() {
            true => Tile::new(numbers, &bases, &own),
            false => {
                let mut tile = Tile::empty(own.squares);
                for black in kings.ones().map(|black| black as usize) {
                    tile.read(numbers, bases[black], &own, black);
                }
                tile
            }
        })
    }

    /// What the man and others of its group add to an index on a board turned in one way.
    #[inline(always)]
    fn own(&self, symmetry: Symmetry) -> Own {
        let end = self
            .like
            .map_or(64, |like| symmetry.map(self.squares[like]));
        let mut own = Own {
            squares: 0,
            offsets: [0; 64],
            low: usize::MAX,
            high: 0,
        };
        let mut squares = *self.squares;
        for (square, offset) in (0..).zip(&mut own.offsets) {
            if symmetry.map(square) >= end {
                continue;
            }
            squares[self.man] = square;
            *offset = self.gather.group_offset(self.group, &squares, symmetry);
            (own.low, own.high) = (own.low.min(*offset), own.high.max(*offset));
            own.squares |= 1 << square;
        }
        own
    }
}

/// Takes numbers, and keeps some bits of what was there.
#[inline(always)]
pub(super) fn keep(line: &mut Line<u8>, found: &Line<u8>, kept: u8) {
    for (value, found) in line.iter_mut().zip(found) {
        *value = *value & kept | found;
    }
}

/// What a man and others of its group add to an index, by its square.
struct Own {
    /// Squares that are looked at.
    squares: u64,
    offsets: [usize; 64],
    low: usize,
    high: usize,
}

impl Own {
    /// Whether they are so close together that a row of 64 numbers has all of them.
    #[inline(always)]
    fn is_row(&self) -> bool {
        self.high - self.low < 64
    }
}

/// The numbers of some squares of one man and of the black king.
struct Tile {
    squares: u64,
    /// By place, those of all black kings.
    lines: [Line<u8>; 64],
    /// Which place is that of each square of the man.
    places: [u8; 64],
}

impl Tile {
    #[inline(always)]
    fn empty(squares: u64) -> Tile {
        const PLACES: [u8; 64] = {
            let mut places = [0; 64];
            let mut place = 0;
            while place < 64 {
                places[place] = place as u8;
                place += 1;
            }
            places
        };
        Tile {
            squares,
            lines: [[0; 64]; 64],
            places: PLACES,
        }
    }

    /// Reads the numbers of one square of the black king, at all sums of a base and an offset.
    #[inline(always)]
    fn read(&mut self, numbers: Numbers<'_>, base: usize, own: &Own, black: usize) {
        if own.is_row() {
            let row = numbers.row(base + own.low);
            for (line, offset) in self.lines.iter_mut().zip(own.offsets) {
                line[black] = row[offset.wrapping_sub(own.low) & 63];
            }
        } else if let Some(near) = numbers.between(base + own.low, base + own.high) {
            for (line, offset) in self.lines.iter_mut().zip(own.offsets) {
                let number = near.get(offset.wrapping_sub(own.low));
                line[black] = number.copied().unwrap_or(0);
            }
        } else {
            for (line, offset) in self.lines.iter_mut().zip(own.offsets) {
                line[black] = numbers.at(base + offset);
            }
        }
    }

    /// Reads the numbers at all sums of a base and an offset, which are those of a row.
    ///
    /// The bases are a power of two apart: read one by one for each square, they would push each
    /// other out of the cache.
    #[inline(always)]
    fn new(numbers: Numbers<'_>, bases: &[usize; 64], own: &Own) -> Tile {
        let mut tile = Tile::empty(own.squares);
        for (place, offset) in tile.places.iter_mut().zip(own.offsets) {
            *place = offset.wrapping_sub(own.low) as u8;
        }
        let mut rows = [[0; 64]; 64];
        for (row, base) in rows.iter_mut().zip(bases) {
            *row = numbers.row(base + own.low);
        }
        transpose_lines(&rows, &mut tile.lines);
        tile
    }
}

/// A part of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a> {
    pub numbers: &'a [u8],
    /// The index of the first.
    pub first: usize,
}

impl<'a> Numbers<'a> {
    /// Whether any of some indices is in the part.
    #[inline(always)]
    pub fn has_any_of(self, indices: RangeInclusive<usize>) -> bool {
        *indices.end() >= self.first && *indices.start() < self.first + self.numbers.len()
    }

    /// Those from one index to another, if all are there.
    #[inline(always)]
    fn between(self, first: usize, last: usize) -> Option<&'a [u8]> {
        let start = first.checked_sub(self.first)?;
        self.numbers.get(start..=last - self.first)
    }

    /// Those of 64 indices.
    #[inline(always)]
    pub fn row(self, index: usize) -> [u8; 64] {
        let start = index.wrapping_sub(self.first);
        let row = self.numbers.get(start..start.wrapping_add(64));
        let row = row.and_then(|row| row.try_into().ok());
        row.unwrap_or_else(|| std::array::from_fn(|place| self.at(index + place)))
    }

    #[inline(always)]
    pub fn at(self, index: usize) -> u8 {
        self.numbers
            .get(index.wrapping_sub(self.first))
            .copied()
            .unwrap_or(0)
    }
}
