//! From the order of the numbers in a file to that of verification.

mod kings;
mod pairs;
mod rows;
mod tile;

use kings::{Bands, FromFile, GatherBlackKing, GatherKings};
pub(in crate::verify::chess) use pairs::PairNumbers;
use pairs::PairOrder;
use rows::GatherRows;
use tile::{GatherTile, Numbers};

use crate::chess::index::{FIRST_GROUP, IndexSpace, MAX_DIMENSIONS, Order};
use crate::chess::placement::rank_combination;
use crate::chess::symmetry::{Symmetry, into_triangle, is_on_diagonal, triangle_place};
use crate::game::Color;
use crate::parallel;
use crate::simd::Width;
use crate::verify::chess::layout::{Frame, Squares, flipped_first, transposed_is_smaller};
use crate::verify::chess::line::Line;
use crate::verify::chess::pages::CHUNK;
use crate::verify::chess::part::Part;

/// Numbers of a stream that follow each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::verify::chess) struct Piece<'a> {
    pub numbers: &'a [u8],
    /// The index of the first.
    pub first: u64,
    /// Whether no piece came before.
    pub is_first: bool,
}

/// Brings the numbers of a stream to the addresses of a frame.
pub(in crate::verify::chess) struct Gather<'a> {
    frame: &'a Frame,
    /// Whether White and Black change places.
    exchanged: bool,
    /// For each dimension of the file, how far apart its neighbours are.
    strides: [usize; MAX_DIMENSIONS],
    /// The men of the frame in each group of the file.
    groups: Vec<Vec<usize>>,
    /// With pawns: the place of the pawn placement in the file, and the symmetry that takes the
    /// frame's board there.
    pawns: Option<(usize, Symmetry)>,
    /// By the square of the frame's white king.
    pairs: Vec<Pairs>,
    /// The group whose numbers lie closest together in the file, and one of its men.
    fastest: Option<(usize, usize)>,
    /// With pawns: whose king of the frame's has squares that follow each other in the file, if any
    /// has, and the symmetry that takes the frame's board there.
    fastest_king: Option<(Color, Symmetry)>,
    /// Which lines get numbers.
    orders: Orders,
}

/// Squares of the white king whose lines are brought into place together, at least.
const MIN_KINGS: usize = 8;

/// Of the addresses of identical men, which of their orders are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verify::chess) enum Orders {
    /// All of them.
    All,
    /// That in which their squares increase, at least.
    Increasing,
}

/// How a pair of kings is turned on the way to the file.
#[derive(Clone, Copy, Debug)]
struct Kings {
    symmetry: Symmetry,
    offset: usize,
    /// Both are on the diagonal: the other men decide whether to transpose.
    undecided: bool,
}

/// The digits of a pair of kings in the file: that of its White's king, and of the other.
type PairDigits = [usize; 2];

/// The pairs of kings with the white king on one square.
#[derive(Debug)]
struct Pairs {
    by_black: [Kings; 64],
    /// By symmetry, the squares of the black king with which it is that one.
    decided: [u64; Symmetry::COUNT],
    /// Those with which it is that one, or transposed in addition.
    undecided: [u64; Symmetry::COUNT],
}

impl Pairs {
    fn new(by_black: [Kings; 64]) -> Pairs {
        let (mut decided, mut undecided) = ([0; Symmetry::COUNT], [0; Symmetry::COUNT]);
        for (black, kings) in by_black.iter().enumerate() {
            let squares = match kings.undecided {
                true => &mut undecided,
                false => &mut decided,
            };
            squares[kings.symmetry.index()] |= 1 << black;
        }
        Pairs {
            by_black,
            decided,
            undecided,
        }
    }
}

impl<'a> Gather<'a> {
    pub fn new(
        space: &IndexSpace,
        order: &Order,
        frame: &'a Frame,
        exchanged: bool,
        orders: Orders,
    ) -> Gather<'a> {
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
            .min_by_key(|&group| strides[FIRST_GROUP + group])
            .and_then(|group| Some((group, *groups[group].last()?)));
        let fastest_king = pawns.and_then(|(_, symmetry)| {
            let mut kings = Color::ALL.map(in_file).into_iter().zip(&strides[1..]);
            let (king, _) = kings.find(|&(_, &stride)| stride == 1)?;
            Some((king, symmetry))
        });
        let mut gather = Gather {
            frame,
            exchanged,
            strides,
            groups,
            pawns,
            pairs: Vec::new(),
            fastest,
            fastest_king,
            orders,
        };
        let pairs = (0..64).map(|white| {
            let by_black = std::array::from_fn(|black| gather.pair(white, black as u8).0);
            Pairs::new(by_black)
        });
        gather.pairs = pairs.collect();
        gather
    }

    /// The same from numbers that are brought together for one square of the frame's white king,
    /// with what is to be brought together. For a frame without pawns.
    pub fn of_pairs(mut self, space: &IndexSpace, order: &Order, white: u8) -> (Self, PairOrder) {
        let mut pairs = PairOrder::new(space, order);
        for black in 0..64 {
            let (_, digits) = self.pair(white, black);
            let by_black = &mut self.pairs[usize::from(white)].by_black;
            by_black[usize::from(black)].offset = pairs.offset(digits);
        }
        for (group, stride) in self.strides[FIRST_GROUP..space.dimensions()]
            .iter_mut()
            .enumerate()
        {
            *stride = pairs.stride(FIRST_GROUP + group);
        }
        (self, pairs)
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

    /// The pair of kings on two squares, and its digits in the file.
    fn pair(&self, white: u8, black: u8) -> (Kings, PairDigits) {
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
        let digits = [
            self.king_digit(symmetry.map(king)),
            symmetry.map(other).into(),
        ];
        let kings = Kings {
            symmetry,
            offset: base + digits[0] * self.strides[1] + digits[1] * self.strides[2],
            undecided,
        };
        (kings, digits)
    }

    /// The digit of the king of the file's White on a square of its board.
    fn king_digit(&self, square: u8) -> usize {
        match self.pawns {
            Some(_) => square.into(),
            None => triangle_place(square),
        }
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
        digit * self.strides[FIRST_GROUP + group]
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
    /// whole bands: of a part of the frame, with a side of the frame to move. If there is more than
    /// one piece, lines were all zeros before the first.
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
        let from = |symmetry| FromFile {
            gather: self,
            numbers,
            symmetry,
            part,
            side,
            kept,
        };
        match self.fastest_king {
            Some((Color::Black, symmetry)) => {
                let from = from(symmetry);
                parallel::each_item(lines.chunks_mut(CHUNK), |number, lines| {
                    let start = start + number * CHUNK;
                    width.run(GatherBlackKing { from, start, lines });
                });
                return;
            }
            // Where only few of a row's numbers are wanted, those of another man are taken.
            Some((Color::White, symmetry)) if lines.len() >= MIN_KINGS * self.frame.stride(0) => {
                let from = from(symmetry);
                let bands = Bands::new(self.frame, start, lines, CHUNK);
                parallel::each_item(bands, |_, bands| width.run(GatherKings { from, bands }));
                return;
            }
            _ => {}
        }
        match self.fastest {
            Some((group, man)) => {
                let stride = self.frame.stride(man);
                let like = match self.groups[group][..] {
                    [like, other] if other == man => Some(like),
                    _ => None,
                };
                let are_rows =
                    self.groups[group].len() == 1 && self.strides[FIRST_GROUP + group] == 1;
                // A chunk has all squares of the man, and of the one that is like it.
                let chunk = 64 * like.map_or(stride, |like| self.frame.stride(like));
                let gather_chunk = |start: usize, place: usize, lines: &mut [Line<u8>]| {
                    let squares = self.frame.squares(start + place);
                    let mut wanted = part.squares(side, men, &squares, man);
                    if self.orders == Orders::Increasing {
                        wanted &= self.squares_in_order(&squares, man, like);
                    }
                    if wanted == 0 {
                        return;
                    }
                    let tile = GatherTile {
                        gather: self,
                        numbers,
                        squares: &squares,
                        group,
                        man,
                        like,
                        wanted,
                        kept,
                        lines: &mut lines[place % stride..],
                    };
                    match are_rows {
                        true => width.run(GatherRows(tile)),
                        false => width.run(tile),
                    }
                };
                // Where the men of a chunk do not stand on their first squares.
                let places = || {
                    let fixed = (0..chunk).step_by(64 * stride);
                    fixed.flat_map(|fixed| fixed..fixed + stride)
                };
                if self.are_kings_together() {
                    // What is next to each other in the file is asked for at the same time.
                    let bands = Bands::new(self.frame, start, lines, chunk);
                    // A chunk that is a whole band leaves the bands to be shared.
                    let groups = rayon::current_num_threads().div_ceil(bands.len().max(1));
                    let bands = bands.into_iter().flat_map(|bands| bands.in_groups(groups));
                    parallel::each_item(bands, |_, mut bands| {
                        for place in places() {
                            for (start, lines) in bands.chunks() {
                                gather_chunk(start, place, lines);
                            }
                        }
                    });
                } else {
                    parallel::each_item(lines.chunks_mut(chunk), |number, lines| {
                        for place in places() {
                            gather_chunk(start + number * chunk, place, lines);
                        }
                    });
                }
            }
            None => parallel::each_item(lines.chunks_mut(64), |chunk, lines| {
                for (number, line) in lines.iter_mut().enumerate() {
                    let squares = self.frame.squares(start + chunk * 64 + number);
                    if !part.has(side, men, &squares) {
                        continue;
                    }
                    for (black, value) in line.iter_mut().enumerate() {
                        let kings = self.pairs[usize::from(squares[0])].by_black[black];
                        *value = *value & kept | self.number(numbers, kings, &squares);
                    }
                }
            }),
        }
    }

    /// Whether the squares of the white king of a frame without pawns follow each other in the
    /// file.
    fn are_kings_together(&self) -> bool {
        self.frame.in_triangle && !self.exchanged && self.strides[1] == 1
    }

    /// The squares of the fastest man with which identical men are in order. A tile has the numbers
    /// of both orders of two.
    fn squares_in_order(&self, squares: &Squares, man: usize, like: Option<usize>) -> u64 {
        let Some(like) = like else {
            return self.frame.squares_in_order(squares, man);
        };
        let mut others = *squares;
        (others[like], others[man]) = (0, 1);
        match self.frame.is_in_order(&others) {
            true => u64::MAX,
            false => 0,
        }
    }

    /// Whether a board, turned, is to be transposed as well, where the kings leave that to the
    /// other men.
    #[inline(always)]
    fn transposed_is_smaller(&self, symmetry: Symmetry, squares: &Squares) -> bool {
        transposed_is_smaller(
            (0..self.groups.len()).map(|group| self.set(group, squares, symmetry)),
        )
    }

    /// The number of one position.
    #[inline(always)]
    fn number(&self, numbers: Numbers<'_>, kings: Kings, squares: &Squares) -> u8 {
        let mut symmetry = kings.symmetry;
        if kings.undecided && self.transposed_is_smaller(symmetry, squares) {
            // Kings on the diagonal stay where they are.
            symmetry = symmetry.then_transpose();
        }
        numbers.at(kings.offset + self.groups_offset(squares, symmetry, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::material::Material;
    use crate::verify::chess::layout::Layout;

    /// Compares the lines of a slice with their numbers, looked up one by one, whatever the order
    /// of the file.
    fn check(material: &str, slice: usize, exchanged: bool) {
        let material: Material = material.parse().unwrap();
        let space = IndexSpace::new(material);
        let layout = Layout::new(material);
        let frame = &layout.frame(slice);
        let number = |index: u64| (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
        let numbers: Vec<u8> = (0..space.len()).map(number).collect();
        let is_first = |order: &Order| order.dimensions()[0] == 0;
        for order in space.all_orders().into_iter().filter(is_first) {
            let gather = Gather::new(&space, &order, frame, exchanged, Orders::Increasing);
            let mut lines = vec![[0; 64]; frame.addresses];
            // Half of the numbers at a time, as from a file that is too large.
            for (first, part) in (0..).zip(numbers.chunks(numbers.len().div_ceil(2))) {
                let piece = Piece {
                    numbers: part,
                    first: first * numbers.len().div_ceil(2) as u64,
                    is_first: first == 0,
                };
                gather.run(piece, &Part::Whole, Color::White, 0, &mut lines);
            }
            let all = Numbers {
                numbers: &numbers,
                first: 0,
            };
            for (address, line) in lines.iter().enumerate() {
                let squares = frame.squares(address);
                let occupied = frame.placement(&squares).occupied();
                let men = frame.men.len() + frame.pawns.all().count_ones() as usize;
                if !frame.is_in_order(&squares) || occupied.count_ones() as usize != men {
                    continue;
                }
                for black in (0..64).filter(|black| occupied >> black & 1 == 0) {
                    let kings = gather.pairs[usize::from(squares[0])].by_black[black];
                    let expected = gather.number(all, kings, &squares);
                    assert_eq!(
                        line[black], expected,
                        "{material} {order:?} {squares:?} {black}"
                    );
                }
            }
        }
    }

    #[test]
    fn lines_have_their_numbers_whatever_the_order_of_the_file() {
        for material in ["KQvK", "KRvKB", "KNNvK", "KPvK", "KRPvK", "KPvKP"] {
            check(
                material,
                5 % Layout::new(material.parse().unwrap()).slices(),
                false,
            );
        }
    }

    #[test]
    fn lines_have_their_numbers_in_other_colors() {
        for (material, slice) in [("KQvKQ", 0), ("KNvKN", 0), ("KPvKP", 0), ("KPvKP", 700)] {
            check(material, slice, true);
        }
    }
}
