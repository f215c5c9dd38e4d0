//! Positions as bitboards.

use std::ffi::{CStr, c_char, c_int};

use super::error::{Failure, guarded};
use retrograde::chess::rules::{
    Bitboard, CastlingRights, CastlingSide, Position, Role, Setup, Square,
};
use retrograde::game::Color;

/// Who stands where, by color and by role.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bitboards {
    pub white: Bitboard,
    pub black: Bitboard,
    pub kings: Bitboard,
    pub queens: Bitboard,
    pub rooks: Bitboard,
    pub bishops: Bitboard,
    pub knights: Bitboard,
    pub pawns: Bitboard,
}

impl Bitboards {
    /// The sets by color and role.
    ///
    /// # Errors
    ///
    /// If a man has no color, no role or two colors; two roles are noticed by
    /// [`Position::from_setup`].
    pub fn pieces(&self) -> Result<[[Bitboard; 6]; 2], Failure> {
        let roles = [
            self.pawns,
            self.knights,
            self.bishops,
            self.rooks,
            self.queens,
            self.kings,
        ];
        if self.white & self.black != 0 {
            return Err(Failure::Bitboards(
                "a square is both white and black; clear one of them",
            ));
        }
        if roles.iter().fold(0, |all, set| all | set) != self.white | self.black {
            return Err(Failure::Bitboards(
                "a man is white or black but of no kind, or the other way round; set both",
            ));
        }
        Ok([self.white, self.black].map(|side| roles.map(|set| set & side)))
    }
}

impl From<[Bitboard; 8]> for Bitboards {
    /// White, black, then kings to pawns.
    fn from(sets: [Bitboard; 8]) -> Bitboards {
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = sets;
        Bitboards {
            white,
            black,
            kings,
            queens,
            rooks,
            bishops,
            knights,
            pawns,
        }
    }
}

impl From<&Position> for Bitboards {
    fn from(position: &Position) -> Bitboards {
        Bitboards {
            white: position.by_color(Color::White),
            black: position.by_color(Color::Black),
            kings: position.by_role(Role::King),
            queens: position.by_role(Role::Queen),
            rooks: position.by_role(Role::Rook),
            bishops: position.by_role(Role::Bishop),
            knights: position.by_role(Role::Knight),
            pawns: position.by_role(Role::Pawn),
        }
    }
}

/// The square of a number; nothing for 0, which is a1 and never behind a pawn.
pub fn en_passant_square(number: u8) -> Result<Option<Square>, Failure> {
    match number {
        0 => Ok(None),
        number => match Square::new(number) {
            Some(square) => Ok(Some(square)),
            None => Err(Failure::Bitboards(
                "en_passant is no square; pass 0 if no pawn has just made a double step",
            )),
        },
    }
}

/// `struct retrograde_position`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BitboardPosition {
    boards: Bitboards,
    halfmove_clock: u16,
    turn: u8,
    en_passant: u8,
    castling: u8,
}

/// The rights in the order of their bits.
const CASTLING: [(Color, CastlingSide); 4] = [
    (Color::White, CastlingSide::King),
    (Color::White, CastlingSide::Queen),
    (Color::Black, CastlingSide::King),
    (Color::Black, CastlingSide::Queen),
];

impl BitboardPosition {
    /// The position, if it is legal.
    pub fn position(&self) -> Result<Position, Failure> {
        let turn = Color::ALL.get(usize::from(self.turn)).copied();
        let turn = turn.ok_or(Failure::Bitboards(
            "turn is neither RETROGRADE_WHITE nor RETROGRADE_BLACK",
        ))?;
        if self.castling >> CASTLING.len() != 0 {
            return Err(Failure::Bitboards(
                "castling has bits that are none of enum retrograde_castling",
            ));
        }
        let castling = CASTLING
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| self.castling >> bit & 1 != 0)
            .fold(CastlingRights::NONE, |rights, (_, (color, side))| {
                rights.with(CastlingRights::of(color, side))
            });
        let setup = Setup {
            pieces: self.boards.pieces()?,
            turn,
            castling,
            en_passant: en_passant_square(self.en_passant)?,
            halfmoves: self.halfmove_clock,
            fullmoves: 1,
        };
        Ok(Position::from_setup(&setup)?)
    }
}

impl From<&Position> for BitboardPosition {
    fn from(position: &Position) -> BitboardPosition {
        let rights = position.castling_rights();
        let castling = CASTLING
            .into_iter()
            .enumerate()
            .map(|(bit, (color, side))| u8::from(rights.has(color, side)) << bit)
            .sum();
        BitboardPosition {
            boards: position.into(),
            halfmove_clock: position.halfmoves(),
            turn: position.turn().index() as u8,
            en_passant: position
                .en_passant_square()
                .map_or(0, |square| square.index() as u8),
            castling,
        }
    }
}

/// Reads a FEN.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_read_fen(
    fen: *const c_char,
    position: *mut BitboardPosition,
) -> c_int {
    guarded(|| {
        if fen.is_null() || position.is_null() {
            return Err(Failure::Argument("fen or position is NULL; pass both"));
        }
        // SAFETY: not null, and the caller promised a zero at the end.
        let fen = unsafe { CStr::from_ptr(fen) }.to_string_lossy();
        let read = BitboardPosition::from(&Position::from_fen(&fen)?);
        // SAFETY: not null, and the caller promised the rest.
        unsafe { position.write(read) };
        Ok(())
    })
}
