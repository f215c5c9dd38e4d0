//! Bit-ranks and bit-files: rook and cannon without walking.
//!
//! Whether the squares of a file are occupied is a number of ten bits, its *bit-file*; a rank has a
//! *bit-rank* of nine bits. Where a rook or cannon on a given place of the line can go quietly,
//! what the rook captures and what the cannon captures over its screen depends on that number only,
//! not on who stands there. All answers are in tables, once as the two places to either side, from
//! which moves are listed, and once as a mask of the line, with which one move is tested or a set
//! is made.

use super::{Bitboard, LineMoves};
use crate::xiangqi::rules::Square;
use crate::xiangqi::rules::square::{A_FILE, FILES, FIRST_RANK, RANKS};

/// In place of a square where nothing can be captured.
pub(in crate::xiangqi) const NOWHERE: u8 = u8::MAX;

/// Places on a line, towards its start and towards its end.
type Both = [u8; 2];

/// What a line of `LENGTH` squares allows, by the place of the man and the occupied squares.
#[derive(Debug)]
pub(in crate::xiangqi) struct Places<const LENGTH: usize, const STATES: usize> {
    /// The farthest places of quiet moves; the man's own where there are none.
    pub quiet: [[Both; STATES]; LENGTH],
    /// The first men, or [`NOWHERE`].
    pub rook: [[Both; STATES]; LENGTH],
    /// The men behind the first, or [`NOWHERE`].
    pub cannon: [[Both; STATES]; LENGTH],
}

/// The same as sets of places.
#[derive(Debug)]
pub(in crate::xiangqi) struct Masks<const LENGTH: usize, const STATES: usize> {
    pub quiet: [[u16; STATES]; LENGTH],
    pub rook: [[u16; STATES]; LENGTH],
    pub cannon: [[u16; STATES]; LENGTH],
}

impl<const LENGTH: usize, const STATES: usize> Places<LENGTH, STATES> {
    const fn new() -> Self {
        let mut places = Places {
            quiet: [[[0; 2]; STATES]; LENGTH],
            rook: [[[NOWHERE; 2]; STATES]; LENGTH],
            cannon: [[[NOWHERE; 2]; STATES]; LENGTH],
        };
        let mut place = 0;
        while place < LENGTH {
            let mut state = 0;
            while state < STATES {
                let mut side = 0;
                while side < 2 {
                    let (quiet, rook, cannon) = look::<LENGTH>(place, state, side == 1);
                    places.quiet[place][state][side] = quiet;
                    places.rook[place][state][side] = rook;
                    places.cannon[place][state][side] = cannon;
                    side += 1;
                }
                state += 1;
            }
            place += 1;
        }
        places
    }
}

/// Looks along a line: the last empty place, the first man, the second man.
const fn look<const LENGTH: usize>(place: usize, state: usize, forward: bool) -> (u8, u8, u8) {
    let before = state & ((1 << place) - 1);
    let behind = state ^ before ^ (state & 1 << place);
    match (forward, before, behind) {
        (false, 0, _) => (0, NOWHERE, NOWHERE),
        (false, men, _) => {
            let first = men.ilog2();
            let second = match men ^ 1 << first {
                0 => NOWHERE,
                others => others.ilog2() as u8,
            };
            (first as u8 + 1, first as u8, second)
        }
        (true, _, 0) => (LENGTH as u8 - 1, NOWHERE, NOWHERE),
        (true, _, men) => {
            let first = men.trailing_zeros() as u8;
            let second = match men & (men - 1) {
                0 => NOWHERE,
                others => others.trailing_zeros() as u8,
            };
            (first - 1, first, second)
        }
    }
}

impl<const LENGTH: usize, const STATES: usize> Masks<LENGTH, STATES> {
    const fn new(places: &Places<LENGTH, STATES>) -> Self {
        let mut masks = Masks {
            quiet: [[0; STATES]; LENGTH],
            rook: [[0; STATES]; LENGTH],
            cannon: [[0; STATES]; LENGTH],
        };
        let mut place = 0;
        while place < LENGTH {
            let mut state = 0;
            while state < STATES {
                let [first, last] = places.quiet[place][state];
                masks.quiet[place][state] = (2 << last) - (1 << first) - (1 << place);
                masks.rook[place][state] = bits(places.rook[place][state]);
                masks.cannon[place][state] = bits(places.cannon[place][state]);
                state += 1;
            }
            place += 1;
        }
        masks
    }
}

const fn bits(places: Both) -> u16 {
    let mut bits = 0;
    let mut i = 0;
    while i < 2 {
        if places[i] != NOWHERE {
            bits |= 1 << places[i];
        }
        i += 1;
    }
    bits
}

pub(in crate::xiangqi) static FILE_PLACES: Places<RANKS, 1024> = Places::new();
pub(in crate::xiangqi) static RANK_PLACES: Places<FILES, 512> = Places::new();
pub(in crate::xiangqi) static FILE_MASKS: Masks<RANKS, 1024> = Masks::new(&FILE_PLACES);
pub(in crate::xiangqi) static RANK_MASKS: Masks<FILES, 512> = Masks::new(&RANK_PLACES);

/// A mask of a rank on the lowest rank of a board.
static SPREAD: [Bitboard; 512] = {
    let mut sets = [0; 512];
    let mut mask = 0;
    while mask < 512 {
        let mut file = 0;
        while file < FILES {
            sets[mask] |= ((mask >> file & 1) as Bitboard) << (RANKS * file);
            file += 1;
        }
        mask += 1;
    }
    sets
};

/// The occupied squares of every file and every rank.
///
/// A man that comes or goes changes one bit in two of the numbers, so a position keeps them up to
/// date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitLines {
    files: [u16; FILES],
    ranks: [u16; RANKS],
}

impl BitLines {
    /// The lines of an empty board.
    pub(in crate::xiangqi) const EMPTY: BitLines = BitLines {
        files: [0; FILES],
        ranks: [0; RANKS],
    };

    /// The lines of a set of occupied squares.
    pub fn new(occupied: Bitboard) -> BitLines {
        BitLines {
            files: std::array::from_fn(|file| bit_file(occupied, file)),
            ranks: std::array::from_fn(|rank| bit_rank(occupied, rank)),
        }
    }

    /// Changes whether a square is occupied.
    #[inline]
    pub fn toggle(&mut self, square: Square) {
        self.toggle_at(square.file().into(), square.rank().into());
    }

    #[inline]
    pub(in crate::xiangqi) fn toggle_at(&mut self, file: usize, rank: usize) {
        self.files[file] ^= 1 << rank;
        self.ranks[rank] ^= 1 << file;
    }

    /// The occupied squares of a file, 0 to 8; red's back rank is bit 0.
    ///
    /// # Panics
    ///
    /// If there is no such file.
    #[inline]
    pub fn file(&self, file: usize) -> u16 {
        self.files[file]
    }

    /// The occupied squares of a rank, 0 to 9; the a-file is bit 0.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[inline]
    pub fn rank(&self, rank: usize) -> u16 {
        self.ranks[rank]
    }

    /// All occupied squares.
    pub fn occupied(&self) -> Bitboard {
        (self.files.iter().rev()).fold(0, |set, &file| set << RANKS | Bitboard::from(file))
    }
}

/// The bit-file of a set: ten neighbouring bits.
#[inline]
pub fn bit_file(occupied: Bitboard, file: usize) -> u16 {
    (occupied >> (RANKS * file) & A_FILE) as u16
}

/// The bit-rank of a set: nine bits that are ten apart.
#[inline]
pub fn bit_rank(occupied: Bitboard, rank: usize) -> u16 {
    // Bit 10k times 2^(54 − 9j) is bit 54 + 10k − 9j: the seven with j = k are neighbours, no two
    // products fall on one bit, and no other falls on those seven.
    const FILES_A_TO_G: u64 = 1 | 1 << 10 | 1 << 20 | 1 << 30 | 1 << 40 | 1 << 50 | 1 << 60;
    const GATHER: u64 = 1 << 54 | 1 << 45 | 1 << 36 | 1 << 27 | 1 << 18 | 1 << 9 | 1;
    let line = occupied >> rank;
    let first_seven = (line as u64 & FILES_A_TO_G).wrapping_mul(GATHER) >> 54 & 0x7f;
    let last_two = (line >> 70 & 1) << 7 | (line >> 80 & 1) << 8;
    first_seven as u16 | last_two as u16
}

/// A place on its two lines, and which squares of them are occupied.
#[derive(Clone, Copy)]
pub(super) struct Cross {
    file: usize,
    rank: usize,
    bit_file: usize,
    bit_rank: usize,
}

impl Cross {
    #[inline]
    pub(super) fn on_the_fly(square: Square, occupied: Bitboard) -> Cross {
        let (file, rank) = (square.file().into(), square.rank().into());
        Cross {
            file,
            rank,
            bit_file: bit_file(occupied, file).into(),
            bit_rank: bit_rank(occupied, rank).into(),
        }
    }

    #[inline]
    fn kept(square: Square, lines: &BitLines) -> Cross {
        let (file, rank) = (square.file().into(), square.rank().into());
        Cross {
            file,
            rank,
            bit_file: lines.files[file].into(),
            bit_rank: lines.ranks[rank].into(),
        }
    }

    #[inline]
    fn set(self, on_file: u16, on_rank: u16) -> Bitboard {
        Bitboard::from(on_file) << (RANKS * self.file) | SPREAD[usize::from(on_rank)] << self.rank
    }

    #[inline]
    pub(super) fn quiet(self) -> Bitboard {
        self.set(
            FILE_MASKS.quiet[self.rank][self.bit_file],
            RANK_MASKS.quiet[self.file][self.bit_rank],
        )
    }

    #[inline]
    pub(super) fn rook_captures(self) -> Bitboard {
        self.set(
            FILE_MASKS.rook[self.rank][self.bit_file],
            RANK_MASKS.rook[self.file][self.bit_rank],
        )
    }

    #[inline]
    pub(super) fn cannon_captures(self) -> Bitboard {
        self.set(
            FILE_MASKS.cannon[self.rank][self.bit_file],
            RANK_MASKS.cannon[self.file][self.bit_rank],
        )
    }
}

/// Bit-ranks and bit-files: a look-up for the file and one for the rank.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl LineMoves for Lines {
    type Occupancy = BitLines;

    fn occupancy(occupied: Bitboard) -> BitLines {
        BitLines::new(occupied)
    }

    #[inline]
    fn quiet(square: Square, lines: &BitLines) -> Bitboard {
        Cross::kept(square, lines).quiet()
    }

    #[inline]
    fn rook_captures(square: Square, lines: &BitLines) -> Bitboard {
        Cross::kept(square, lines).rook_captures()
    }

    #[inline]
    fn cannon_captures(square: Square, lines: &BitLines) -> Bitboard {
        Cross::kept(square, lines).cannon_captures()
    }
}

/// The squares between two on one file or rank; none if they are not.
#[inline]
pub fn between(one: Square, other: Square) -> Bitboard {
    let (low, high) = if one < other {
        (one, other)
    } else {
        (other, one)
    };
    let run = (high.bit() - 1) & !(low.bit() | (low.bit() - 1));
    if low.file() == high.file() {
        run
    } else if low.rank() == high.rank() {
        run & FIRST_RANK << low.rank()
    } else {
        0
    }
}
