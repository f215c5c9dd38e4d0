//! What stands on a square, and where it can stand.

use std::fmt;

use super::square::{ALL_SQUARES, FIRST_RANK, flip};
use super::{Bitboard, Square};
use crate::game::Color;

/// The seven kinds of men, in the order of signatures from their end: `KRNCPAB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// An elephant, `B`; other programs call it bishop and some write `E`.
    Elephant,
    /// An advisor, `A`.
    Advisor,
    /// A pawn, `P`.
    Pawn,
    /// A cannon, `C`.
    Cannon,
    /// A knight, `N`; some programs call it horse and write `H`.
    Knight,
    /// A rook, `R`.
    Rook,
    /// A king, `K`.
    King,
}

impl Role {
    /// All seven, elephant first.
    pub const ALL: [Role; 7] = [
        Role::Elephant,
        Role::Advisor,
        Role::Pawn,
        Role::Cannon,
        Role::Knight,
        Role::Rook,
        Role::King,
    ];

    /// 0 for an elephant to 6 for a king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The role with that index, or `None` from 7 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Role> {
        if index < Role::ALL.len() {
            Some(Role::ALL[index])
        } else {
            None
        }
    }

    /// The letter in upper case, as FEN and material signatures write it.
    pub const fn letter(self) -> char {
        match self {
            Role::Elephant => 'B',
            Role::Advisor => 'A',
            Role::Pawn => 'P',
            Role::Cannon => 'C',
            Role::Knight => 'N',
            Role::Rook => 'R',
            Role::King => 'K',
        }
    }

    /// The role of a letter of either case: those of [`letter`](Role::letter), `E` for the elephant
    /// and `H` for the knight.
    pub const fn from_letter(letter: char) -> Option<Role> {
        match letter.to_ascii_uppercase() {
            'B' | 'E' => Some(Role::Elephant),
            'A' => Some(Role::Advisor),
            'P' => Some(Role::Pawn),
            'C' => Some(Role::Cannon),
            'N' | 'H' => Some(Role::Knight),
            'R' => Some(Role::Rook),
            'K' => Some(Role::King),
            _ => None,
        }
    }

    /// How many of them a side has at the start of a game; there can never be more.
    #[inline]
    pub const fn limit(self) -> u32 {
        match self {
            Role::King => 1,
            Role::Pawn => 5,
            _ => 2,
        }
    }

    /// Whether men of this kind can cross the river, and so attack the enemy's king.
    #[inline]
    pub const fn is_attacker(self) -> bool {
        matches!(self, Role::Pawn | Role::Cannon | Role::Knight | Role::Rook)
    }

    /// That role in that color.
    #[inline]
    pub const fn of(self, color: Color) -> Piece {
        Piece { color, role: self }
    }

    /// The squares on which such a man of that side can stand: 9 for a king, 5 for an advisor, 7
    /// for an elephant, 55 for a pawn, 90 for the others.
    #[inline]
    pub const fn domain(self, color: Color) -> Bitboard {
        let red = match self {
            Role::King => PALACE,
            Role::Advisor => ADVISORS,
            Role::Elephant => ELEPHANTS,
            Role::Pawn => PAWNS,
            Role::Cannon | Role::Knight | Role::Rook => return ALL_SQUARES,
        };
        match color {
            Color::White => red,
            Color::Black => flip(red),
        }
    }
}

const fn set(names: &[[u8; 2]]) -> Bitboard {
    let mut set = 0;
    let mut i = 0;
    while i < names.len() {
        if let Some(square) = Square::from_coords(names[i][0] - b'a', names[i][1] - b'0') {
            set |= square.bit();
        }
        i += 1;
    }
    set
}

/// Red's palace.
const PALACE: Bitboard = set(&[
    *b"d0", *b"d1", *b"d2", *b"e0", *b"e1", *b"e2", *b"f0", *b"f1", *b"f2",
]);

const ADVISORS: Bitboard = set(&[*b"d0", *b"f0", *b"e1", *b"d2", *b"f2"]);

const ELEPHANTS: Bitboard = set(&[*b"c0", *b"g0", *b"a2", *b"e2", *b"i2", *b"c4", *b"g4"]);

/// The files that pawns start on, up to the river, and everything across it.
const PAWNS: Bitboard = {
    let home = set(&[
        *b"a3", *b"a4", *b"c3", *b"c4", *b"e3", *b"e4", *b"g3", *b"g4", *b"i3", *b"i4",
    ]);
    home | FIRST_RANK << 5 | FIRST_RANK << 6 | FIRST_RANK << 7 | FIRST_RANK << 8 | FIRST_RANK << 9
};

/// A man of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// Whose it is; [`Color::White`] is red.
    pub color: Color,
    /// What it is.
    pub role: Role,
}

impl Piece {
    /// The FEN letter: upper case for red, lower case for black.
    pub const fn letter(self) -> char {
        match self.color {
            Color::White => self.role.letter(),
            Color::Black => self.role.letter().to_ascii_lowercase(),
        }
    }

    /// The piece of a FEN letter of any dialect.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        match Role::from_letter(letter) {
            Some(role) => Some(Piece { color, role }),
            None => None,
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}
