//! Men that step: king, advisor, elephant, knight and pawn.
//!
//! A step is a number to add to a cell of the 16 x 16 board. The targets that are left on the
//! board, in the palace or on the right side of the river are listed in advance for each cell, each
//! with the cell that has to be empty: the leg of a knight, the eye of an elephant. A list ends
//! with cell 0, which is in the margin.

use super::{Bitboard, LegMoves};
use crate::game::Color;
use crate::xiangqi::rules::cell::{CELLS, Cell};
use crate::xiangqi::rules::square::SQUARES;
use crate::xiangqi::rules::{Role, Square};

/// One step along a line.
const STRAIGHT: [i8; 4] = [-0x10, -0x01, 0x01, 0x10];
const OBLIQUE: [i8; 4] = [-0x11, -0x0f, 0x0f, 0x11];
const ELEPHANT: [i8; 4] = [-0x22, -0x1e, 0x1e, 0x22];
const KNIGHT: [i8; 8] = [-0x21, -0x1f, -0x12, -0x0e, 0x0e, 0x12, 0x1f, 0x21];
/// The leg of each of [`KNIGHT`].
const LEGS: [i8; 8] = [-0x10, -0x10, -0x01, 0x01, -0x01, 0x01, 0x10, 0x10];
/// What red calls forward, then the steps sideways.
const RED_PAWN: [i8; 3] = [-0x10, -0x01, 0x01];
const BLACK_PAWN: [i8; 3] = [0x10, -0x01, 0x01];
/// Steps to a neighbouring cell need none to be empty; the margin always is.
const NOTHING_BETWEEN: [i8; 4] = [i8::MIN; 4];

/// The targets from each cell, and what has to be empty for each of them; zeros end a list.
#[derive(Debug)]
pub(in crate::xiangqi) struct Lists<const N: usize> {
    to: [[u8; N]; CELLS],
    through: [[u8; N]; CELLS],
}

impl<const N: usize> Lists<N> {
    /// Both sides' lists: their domains are apart, so no step leads from one to the other.
    const fn both(role: Role, steps: &[i8], through: &[i8]) -> Lists<N> {
        Lists::new(
            role.domain(Color::White) | role.domain(Color::Black),
            steps,
            through,
        )
    }

    const fn new(domain: Bitboard, steps: &[i8], through: &[i8]) -> Lists<N> {
        let mut lists = Lists {
            to: [[0; N]; CELLS],
            through: [[0; N]; CELLS],
        };
        let mut index = 0;
        while let Some(square) = Square::from_index(index) {
            if domain & square.bit() != 0 {
                let from = Cell::computed(square);
                let mut length = 0;
                let mut i = 0;
                while i < steps.len() {
                    let to = from.step(steps[i]);
                    if is_in(domain, to) {
                        lists.to[from.index()][length] = to.0;
                        lists.through[from.index()][length] = from.step(through[i]).0;
                        length += 1;
                    }
                    i += 1;
                }
            }
            index += 1;
        }
        lists
    }

    /// The targets from a cell.
    #[inline]
    pub(in crate::xiangqi) fn targets(&self, from: Cell) -> impl Iterator<Item = Cell> + '_ {
        self.to[from.index()]
            .iter()
            .take_while(|&&to| to != 0)
            .map(|&to| Cell(to))
    }

    /// The targets from a cell, each with the cell that has to be empty.
    #[inline]
    pub(in crate::xiangqi) fn targets_and_between(
        &self,
        from: Cell,
    ) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        self.targets(from)
            .zip(self.through[from.index()].iter().map(|&cell| Cell(cell)))
    }

    /// The targets from each square as sets.
    const fn sets(&self) -> [Bitboard; SQUARES] {
        let mut sets = [0; SQUARES];
        let mut index = 0;
        while let Some(square) = Square::from_index(index) {
            let list = &self.to[Cell::computed(square).index()];
            let mut i = 0;
            while i < N
                && let Some(to) = Cell(list[i]).computed_square()
            {
                sets[index] |= to.bit();
                i += 1;
            }
            index += 1;
        }
        sets
    }
}

const fn is_in(domain: Bitboard, cell: Cell) -> bool {
    match cell.computed_square() {
        Some(square) => domain & square.bit() != 0,
        None => false,
    }
}

/// Before the river the neighbouring files are no squares of pawns, so steps sideways drop out by
/// themselves.
const fn pawn_lists(color: Color) -> Lists<4> {
    let steps = match color {
        Color::White => &RED_PAWN,
        Color::Black => &BLACK_PAWN,
    };
    Lists::new(Role::Pawn.domain(color), steps, &NOTHING_BETWEEN)
}

pub(in crate::xiangqi) static KING_LISTS: Lists<5> =
    Lists::both(Role::King, &STRAIGHT, &NOTHING_BETWEEN);
pub(in crate::xiangqi) static ADVISOR_LISTS: Lists<5> =
    Lists::both(Role::Advisor, &OBLIQUE, &NOTHING_BETWEEN);
pub(in crate::xiangqi) static ELEPHANT_LISTS: Lists<5> =
    Lists::both(Role::Elephant, &ELEPHANT, &OBLIQUE);
pub(in crate::xiangqi) static KNIGHT_LISTS: Lists<9> = Lists::both(Role::Knight, &KNIGHT, &LEGS);
pub(in crate::xiangqi) static PAWN_LISTS: [Lists<4>; 2] =
    [pawn_lists(Color::White), pawn_lists(Color::Black)];

static KING_SETS: [Bitboard; SQUARES] =
    Lists::<5>::both(Role::King, &STRAIGHT, &NOTHING_BETWEEN).sets();
static ADVISOR_SETS: [Bitboard; SQUARES] =
    Lists::<5>::both(Role::Advisor, &OBLIQUE, &NOTHING_BETWEEN).sets();
static PAWN_SETS: [[Bitboard; SQUARES]; 2] = [
    pawn_lists(Color::White).sets(),
    pawn_lists(Color::Black).sets(),
];

static PAWN_ATTACKER_SETS: [[Bitboard; SQUARES]; 2] = [
    reversed(&pawn_lists(Color::White).sets()),
    reversed(&pawn_lists(Color::Black).sets()),
];

/// For each square those whose set it is in.
const fn reversed(sets: &[Bitboard; SQUARES]) -> [Bitboard; SQUARES] {
    let mut reversed = [0; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut to = 0;
        while to < SQUARES {
            reversed[to] |= (sets[from] >> to & 1) << from;
            to += 1;
        }
        from += 1;
    }
    reversed
}

/// The squares a king on `square` can step to; none outside the palaces.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING_SETS[square.index()]
}

/// The squares an advisor on `square` can step to; none from squares where no advisor stands.
#[inline]
pub fn advisor(square: Square) -> Bitboard {
    ADVISOR_SETS[square.index()]
}

/// The squares a pawn of that side on `square` can step to; none from squares where no such pawn
/// stands.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN_SETS[color.index()][square.index()]
}

/// The squares from which a pawn of that side could step to `square`.
#[inline]
pub fn pawn_attackers(color: Color, square: Square) -> Bitboard {
    PAWN_ATTACKER_SETS[color.index()][square.index()]
}

/// A cell that has to be empty, and the targets this opens: 0xff and none at the edge.
type Opening = (u8, Bitboard);

/// For each square up to four cells to look at, as numbers of squares.
type Openings = [[Opening; 4]; SQUARES];

/// Groups the moves of `steps` by what has to be empty. With `reversed`, the moves are those *to*
/// the square.
const fn openings(domain: Bitboard, steps: &[i8], through: &[i8], reversed: bool) -> Openings {
    let mut openings = [[(u8::MAX, 0); 4]; SQUARES];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        let here = Cell::computed(square);
        let mut i = 0;
        while i < steps.len() && domain & square.bit() != 0 {
            let there = if reversed {
                Cell(here.0.wrapping_sub(steps[i] as u8))
            } else {
                here.step(steps[i])
            };
            let start = if reversed { there } else { here };
            if let (Some(other), Some(between)) = (
                there.computed_square(),
                start.step(through[i]).computed_square(),
            ) && domain & other.bit() != 0
            {
                let mut slot = 0;
                while openings[index][slot].0 != u8::MAX
                    && openings[index][slot].0 as usize != between.index()
                {
                    slot += 1;
                }
                openings[index][slot].0 = between.index() as u8;
                openings[index][slot].1 |= other.bit();
            }
            i += 1;
        }
        index += 1;
    }
    openings
}

const ANYWHERE: Bitboard = super::ALL_SQUARES;
const EITHER_SIDE: Bitboard =
    Role::Elephant.domain(Color::White) | Role::Elephant.domain(Color::Black);

static KNIGHT_OPENINGS: Openings = openings(ANYWHERE, &KNIGHT, &LEGS, false);
static KNIGHT_ATTACKER_OPENINGS: Openings = openings(ANYWHERE, &KNIGHT, &LEGS, true);
static ELEPHANT_OPENINGS: Openings = openings(EITHER_SIDE, &ELEPHANT, &OBLIQUE, false);

#[inline]
fn open(openings: &[Opening; 4], occupied: Bitboard) -> Bitboard {
    let mut targets = 0;
    for &(between, set) in openings {
        // An unused entry shifts everything out by 127 at most and adds an empty set either way.
        if occupied >> (between & 127) & 1 == 0 {
            targets |= set;
        }
    }
    targets
}

/// Looks at each leg or eye in turn: four tests of a bit.
#[derive(Clone, Copy, Debug)]
pub struct Steps;

impl LegMoves for Steps {
    #[inline]
    fn knight(square: Square, occupied: Bitboard) -> Bitboard {
        open(&KNIGHT_OPENINGS[square.index()], occupied)
    }

    #[inline]
    fn elephant(square: Square, occupied: Bitboard) -> Bitboard {
        open(&ELEPHANT_OPENINGS[square.index()], occupied)
    }

    #[inline]
    fn knight_attackers(square: Square, occupied: Bitboard) -> Bitboard {
        open(&KNIGHT_ATTACKER_OPENINGS[square.index()], occupied)
    }
}

/// For the difference `to − from` of a knight's move, plus 256, the step to its leg; 0 for every
/// other difference.
pub(in crate::xiangqi) static LEG_OF_DIFFERENCE: [i8; 512] = {
    let mut legs = [0; 512];
    let mut i = 0;
    while i < KNIGHT.len() {
        legs[(256 + KNIGHT[i] as i16) as usize] = LEGS[i];
        i += 1;
    }
    legs
};

/// Which men step by a difference `to − from`, plus 256: bits by [`Role::index`].
pub(in crate::xiangqi) static STEPPERS: [u8; 512] = {
    let mut steppers = [0; 512];
    let mut i = 0;
    while i < 4 {
        steppers[(256 + STRAIGHT[i] as i16) as usize] |= 1 << Role::King.index();
        steppers[(256 + OBLIQUE[i] as i16) as usize] |= 1 << Role::Advisor.index();
        steppers[(256 + ELEPHANT[i] as i16) as usize] |= 1 << Role::Elephant.index();
        i += 1;
    }
    steppers
};
