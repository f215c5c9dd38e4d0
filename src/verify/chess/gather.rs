//! From the order of the numbers in a file to that of verification.

use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::layout::{Frame, Squares, flipped_first, transposed_is_smaller};
use super::line::{Line, squares_where};
use super::part::Part;
use crate::chess::index::{IndexSpace, MAX_DIMENSIONS, Order};
use crate::chess::placement::rank_combination;
use crate::chess::symmetry::{Symmetry, into_triangle, is_on_diagonal, triangle_place};
use crate::game::{Bits, Color};
use crate::simd::{Kernel, Width};
use crate::transpose::transpose_lines;

/// Numbers of a stream that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub numbers: &'a [u8],
    /// The index of the first.
    pub first: u64,
    /// Whether no piece came before.
    pub is_first: bool,
}

/// Brings the numbers of a stream to the addresses of a frame.
pub(super) struct Gather<'a> {
    frame: &'a Frame,
    /// Whether White and Black change places.
    exchanged: bool,
    /// For each dimension of the file, how far apart its neighbours are.
    strides: [usize; MAX_DIMENSIONS],
    /// The men of the frame in each group of the file.
    groups: Vec<Vec<usize>>,
    /// With pawns: the place of the pawn placement in the file, and the symmetry that takes the frame's board there.
    pawns: Option<(usize, Symmetry)>,
    /// By the squares of the white king and the black king of the frame.
    kings: Vec<[Kings; 64]>,
    /// The group whose numbers lie closest together in the file, and one of its men.
    fastest: Option<(usize, usize)>,
}

/// How a pair of kings is turned on the way to the file.
#[derive(Clone, Copy, Debug)]
struct Kings {
    symmetry: Symmetry,
    offset: usize,
    /// Both are on the diagonal: the other men decide whether to transpose.
    undecided: bool,
}

impl<'a> Gather<'a> {
    pub fn new(space: &IndexSpace, order: &Order, frame: &'a Frame, exchanged: bool) -> Gather<'a> {
        let mut strides = [0; MAX_DIMENSIONS];
        for (dimension, stride) in strides[..space.dimensions()].iter_mut().enumerate() {
            let mut digits = [0; MAX_DIMENSIONS];
            digits[dimension] = 1;
            *stride = order.index(&digits) as usize;
        }
        let in_file = |color: Color| if exchanged { !color } else { color };
        let groups: Vec<Vec<usize>> = space
            .groups()
            .iter()
            .map(|group| {
                (1..frame.men.len())
                    .filter(|&man| {
                        let (color, role) = frame.men[man];
                        (in_file(color), role) == (group.color, group.role)
                    })
                    .collect()
            })
            .collect();
        let pawns = (!frame.in_triangle).then(|| {
            let placement = if exchanged {
                frame.pawns.with_colors_exchanged()
            } else {
                frame.pawns
            };
            let (slice, mirrored) = space.pawns().locate(placement);
            let symmetry = Symmetry::mirrored(mirrored);
            let symmetry = if exchanged {
                flipped_first(symmetry)
            } else {
                symmetry
            };
            (slice * strides[0], symmetry)
        });
        let fastest = (0..groups.len())
            .min_by_key(|&group| strides[3 + group])
            .and_then(|group| Some((group, *groups[group].last()?)));
        let mut gather = Gather {
            frame,
            exchanged,
            strides,
            groups,
            pawns,
            kings: Vec::new(),
            fastest,
        };
        let squares = |white| std::array::from_fn(|black| gather.pair(white, black as u8));
        gather.kings = (0..64).map(squares).collect();
        gather
    }

    /// The part of the stream that holds the numbers.
    pub fn range(&self, order: &Order, space: &IndexSpace) -> std::ops::Range<u64> {
        match self.pawns {
            Some((start, _)) if order.dimensions().first() == Some(&0) => {
                start as u64..(start + self.strides[0]) as u64
            }
            _ => 0..space.len(),
        }
    }

    fn pair(&self, white: u8, black: u8) -> Kings {
        let flip = |square: u8| square ^ 56;
        let mut undecided = false;
        let (symmetry, base) = match self.pawns {
            Some((start, symmetry)) => (symmetry, start),
            None => {
                let (king, other) = if self.exchanged {
                    (flip(black), flip(white))
                } else {
                    (white, black)
                };
                let mut symmetry = into_triangle(king);
                if is_on_diagonal(symmetry.map(king)) {
                    let other = symmetry.map(other);
                    undecided = is_on_diagonal(other);
                    if other >> 3 > other & 7 {
                        symmetry = symmetry.then_transpose();
                    }
                }
                let symmetry = if self.exchanged {
                    flipped_first(symmetry)
                } else {
                    symmetry
                };
                (symmetry, 0)
            }
        };
        let (king, other) = if self.exchanged {
            (black, white)
        } else {
            (white, black)
        };
        Kings {
            symmetry,
            offset: base
                + self.king_offset(symmetry, king)
                + usize::from(symmetry.map(other)) * self.strides[2],
            undecided,
        }
    }

    /// What the king of the file's White adds to the index.
    fn king_offset(&self, symmetry: Symmetry, king: u8) -> usize {
        let square = symmetry.map(king);
        let digit = if self.pawns.is_some() {
            square.into()
        } else {
            triangle_place(square)
        };
        digit * self.strides[1]
    }

    /// The squares of a group on the board of the file.
    #[inline(always)]
    fn set(&self, group: usize, squares: &Squares, symmetry: Symmetry) -> u64 {
        self.groups[group]
            .iter()
            .fold(0, |set, &man| set | 1 << symmetry.map(squares[man]))
    }

    /// What the men of a group add to the index.
    #[inline(always)]
    fn group_offset(&self, group: usize, squares: &Squares, symmetry: Symmetry) -> usize {
        let digit = match self.groups[group][..] {
            [man] => symmetry.map(squares[man]).into(),
            _ => rank_combination(self.set(group, squares, symmetry)),
        };
        digit * self.strides[3 + group]
    }

    /// What the men of all groups but one add to the index.
    #[inline(always)]
    fn groups_offset(&self, squares: &Squares, symmetry: Symmetry, except: Option<usize>) -> usize {
        (0..self.groups.len())
            .filter(|&group| Some(group) != except)
            .map(|group| self.group_offset(group, squares, symmetry))
            .sum()
    }

    /// Brings the numbers of a piece of the stream to the lines from address `start` on, which are
    /// whole bands: of a part of the frame, with a side of the frame to move. If there is more than one
    /// piece, lines were all zeros before the first.
    pub fn run(
        &self,
        piece: Piece<'_>,
        part: &Part,
        side: Color,
        start: usize,
        lines: &mut [Line<u8>],
    ) {
        let men = &self.frame.men;
        let numbers = Numbers {
            numbers: piece.numbers,
            first: piece.first as usize,
        };
        let kept = if piece.is_first { 0 } else { u8::MAX };
        let width = Width::widest();
        match self.fastest {
            Some((group, man)) => {
                let stride = self.frame.stride(man);
                lines
                    .par_chunks_mut(64 * stride)
                    .enumerate()
                    .for_each(|(block, lines)| {
                        for below in 0..stride {
                            let address = start + block * 64 * stride + below;
                            let squares = self.frame.squares(address);
                            let wanted = part.squares(side, men, &squares, man);
                            if wanted != 0 {
                                width.run(GatherTile {
                                    gather: self,
                                    numbers,
                                    squares: &squares,
                                    group,
                                    man,
                                    wanted,
                                    kept,
                                    lines: &mut lines[below..],
                                });
                            }
                        }
                    });
            }
            None => lines
                .par_chunks_mut(64)
                .enumerate()
                .for_each(|(chunk, lines)| {
                    for (number, line) in lines.iter_mut().enumerate() {
                        let squares = self.frame.squares(start + chunk * 64 + number);
                        if !part.has(side, men, &squares) {
                            continue;
                        }
                        for (black, value) in line.iter_mut().enumerate() {
                            let kings = self.kings[usize::from(squares[0])][black];
                            *value = *value & kept | self.number(numbers, kings, &squares);
                        }
                    }
                }),
        }
    }

    /// The number of one position.
    #[inline(always)]
    fn number(&self, numbers: Numbers<'_>, kings: Kings, squares: &Squares) -> u8 {
        let mut symmetry = kings.symmetry;
        if kings.undecided
            && transposed_is_smaller(
                (0..self.groups.len()).map(|group| self.set(group, squares, symmetry)),
            )
        {
            // Kings on the diagonal stay where they are.
            symmetry = symmetry.then_transpose();
        }
        numbers.at(kings.offset + self.groups_offset(squares, symmetry, None))
    }
}

/// Gathers the lines of the wanted squares of one man, of up to 64 times 64 numbers that lie in few
/// places of the file.
struct GatherTile<'a> {
    gather: &'a Gather<'a>,
    numbers: Numbers<'a>,
    squares: &'a Squares,
    group: usize,
    man: usize,
    wanted: u64,
    /// The bits of numbers that stay.
    kept: u8,
    lines: &'a mut [Line<u8>],
}

impl Kernel for GatherTile<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let GatherTile {
            gather,
            numbers,
            squares,
            group,
            man,
            wanted,
            kept,
            lines,
        } = self;
        let kings = &gather.kings[usize::from(squares[0])];
        let mut offsets = [usize::MAX; Symmetry::COUNT];
        // By symmetry and square, what the man and others of its group add.
        let mut own = [0; Symmetry::COUNT * 64];
        let mut ends = [(usize::MAX, 0); Symmetry::COUNT];
        for symmetry in kings.iter().map(|kings| kings.symmetry) {
            let offset = &mut offsets[symmetry.index()];
            if *offset != usize::MAX {
                continue;
            }
            *offset = gather.groups_offset(squares, symmetry, Some(group));
            let mut squares = *squares;
            let (low, high) = &mut ends[symmetry.index()];
            for (square, own) in (0..).zip(&mut own[symmetry.index() * 64..][..64]) {
                squares[man] = square;
                *own = gather.group_offset(group, &squares, symmetry);
                (*low, *high) = (*own.min(low), *own.max(high));
            }
        }
        let bases: [usize; 64] = std::array::from_fn(|black| {
            kings[black].offset + offsets[kings[black].symmetry.index()]
        });
        let rows: [usize; 64] = std::array::from_fn(|black| kings[black].symmetry.index() * 64);
        let undecided = squares_where(|black| kings[black].undecided);
        let here = squares_where(|black| {
            let (low, high) = ends[kings[black].symmetry.index()];
            numbers.has_any_of(bases[black] + low..=bases[black] + high)
        });
        if here | undecided == 0 {
            return;
        }
        let is_uniform = rows.iter().all(|&row| row == rows[0]);
        let tile = is_uniform.then(|| Tile::new(numbers, &bases, &own[rows[0]..][..64]));
        let tile = tile.flatten().unwrap_or_else(|| {
            let mut tile = Tile::EMPTY;
            for black in here.ones().map(|black| black as usize) {
                tile.read(numbers, bases[black], &own[rows[black]..][..64], black);
            }
            tile
        });
        for square in wanted.ones().map(|square| square as usize) {
            let mut found = tile.lines[usize::from(tile.places[square]) % 64];
            if undecided != 0 {
                let mut squares = *squares;
                squares[man] = square as u8;
                for black in undecided.ones() {
                    let kings = kings[black as usize];
                    found[black as usize] = gather.number(numbers, kings, &squares);
                }
            }
            let line = &mut lines[square * gather.frame.stride(man)];
            for (value, found) in line.iter_mut().zip(found) {
                *value = *value & kept | found;
            }
        }
    }
}

/// The numbers of all squares of one man and of the black king.
struct Tile {
    /// By place, those of all black kings.
    lines: [Line<u8>; 64],
    /// Which place is that of each square of the man.
    places: [u8; 64],
}

impl Tile {
    const EMPTY: Tile = Tile {
        lines: [[0; 64]; 64],
        places: {
            let mut places = [0; 64];
            let mut place = 0;
            while place < 64 {
                places[place] = place as u8;
                place += 1;
            }
            places
        },
    };

    /// Reads the numbers of one square of the black king, at all sums of a base and an offset.
    #[inline(always)]
    fn read(&mut self, numbers: Numbers<'_>, base: usize, own: &[usize], black: usize) {
        let low = own.iter().copied().min().unwrap_or(0);
        let row = match own.iter().all(|own| own - low < 64) {
            true => Some(numbers.row(base + low)),
            false => None,
        };
        for (line, own) in self.lines.iter_mut().zip(own) {
            line[black] = match &row {
                Some(row) => row[(own - low) & 63],
                None => numbers.at(base + own),
            };
        }
    }

    /// Reads the numbers at all sums of a base and an offset, if the offsets are close together.
    ///
    /// The bases are a power of two apart: read one by one for each square, they would push each other out of the cache.
    #[inline(always)]
    fn new(numbers: Numbers<'_>, bases: &[usize; 64], own: &[usize]) -> Option<Tile> {
        let low = *own.iter().min()?;
        let mut places = [0; 64];
        for (place, own) in places.iter_mut().zip(own) {
            *place = u8::try_from(own - low).ok().filter(|&place| place < 64)?;
        }
        let rows = bases.map(|base| numbers.row(base + low));
        let mut lines = [[0; 64]; 64];
        transpose_lines(&rows, &mut lines);
        Some(Tile { lines, places })
    }
}

/// A part of a stream.
#[derive(Clone, Copy, Debug)]
struct Numbers<'a> {
    numbers: &'a [u8],
    first: usize,
}

impl Numbers<'_> {
    /// Whether any of some indices is in the part.
    #[inline(always)]
    fn has_any_of(self, indices: RangeInclusive<usize>) -> bool {
        *indices.end() >= self.first && *indices.start() < self.first + self.numbers.len()
    }

    /// Those of 64 indices.
    #[inline(always)]
    fn row(self, index: usize) -> [u8; 64] {
        let start = index.wrapping_sub(self.first);
        let row = self.numbers.get(start..start.wrapping_add(64));
        let row = row.and_then(|row| row.try_into().ok());
        row.unwrap_or_else(|| std::array::from_fn(|place| self.at(index + place)))
    }

    #[inline(always)]
    fn at(self, index: usize) -> u8 {
        self.numbers
            .get(index.wrapping_sub(self.first))
            .copied()
            .unwrap_or(0)
    }
}
