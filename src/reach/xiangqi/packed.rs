//! A xiangqi position in as few bytes as its men need.

use crate::game::Color;
use crate::reach::positions::{Compact, Words};
use crate::xiangqi::rules::{Piece, Position, Role, Setup, Square, squares, zobrist};

/// Bits of a man.
const MAN: u32 = 4;
const MAN_MASK: u128 = 15;
/// The squares of the board.
const ALL: u128 = (1 << 90) - 1;
/// Set in the squares if black is to move.
const BLACK_TO_MOVE: u128 = 1 << 95;
/// Bytes of the occupied squares and of whose turn it is.
const HEAD: usize = 12;

/// A position without its counters: the occupied squares, and four bits for each man in the order
/// of the squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    squares: u128,
    men: u128,
}

impl Packed {
    fn occupied(&self) -> u128 {
        self.squares & !BLACK_TO_MOVE
    }

    fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + use<> {
        let mut men = self.men;
        squares(self.occupied()).map(move |square| {
            let man = man((men & MAN_MASK) as u8);
            men >>= MAN;
            (man, square)
        })
    }
}

impl Compact for Packed {
    /// The number of men: captures alone cannot be taken back. Pawn moves cannot either, but they
    /// have no level of their own, as distances do not begin anew with them.
    type Level = u32;
    type Position = Position;

    fn bytes(men: usize) -> usize {
        HEAD + men.div_ceil(2)
    }

    fn new(position: &Position) -> Packed {
        let occupied = position.occupied();
        let mut men = 0;
        let mut shift = 0;
        for square in squares(occupied) {
            if let Some(man) = position.piece_at(square) {
                men |= u128::from(number(man)) << shift;
                shift += MAN;
            }
        }
        let turn = match position.turn() {
            Color::White => 0,
            Color::Black => BLACK_TO_MOVE,
        };
        Packed {
            squares: occupied | turn,
            men,
        }
    }

    fn unpack(&self) -> Position {
        Position::from_men(self.pieces(), self.turn())
    }

    fn position(&self) -> Option<Position> {
        if self.occupied() & !ALL != 0 {
            return None;
        }
        let mut setup = Setup::empty();
        for (man, square) in self.pieces() {
            setup.put(man, square);
        }
        setup.turn = self.turn();
        let position = Position::from_setup(&setup).ok()?;
        (Packed::new(&position) == *self).then_some(position)
    }

    fn turn(&self) -> Color {
        match self.squares & BLACK_TO_MOVE {
            0 => Color::White,
            _ => Color::Black,
        }
    }

    fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    #[inline]
    fn words(&self) -> Words {
        let (low, high) = (self.men as u64, (self.men >> 64) as u64);
        [
            self.squares as u64,
            (self.squares >> 64) as u64 | low << 32,
            low >> 32 | high << 32,
            high >> 32,
        ]
    }

    #[inline]
    fn from_words([first, second, third, fourth]: Words) -> Packed {
        let (low, high) = (second >> 32 | third << 32, third >> 32 | fourth << 32);
        Packed {
            squares: u128::from(first) | u128::from(second as u32) << 64,
            men: u128::from(low) | u128::from(high) << 64,
        }
    }

    fn key(&self) -> u64 {
        let turn = match self.turn() {
            Color::White => zobrist::TURN,
            Color::Black => 0,
        };
        self.pieces()
            .fold(turn, |key, (man, square)| key ^ zobrist::man(man, square))
    }

    fn level(&self) -> u32 {
        self.men()
    }
}

#[inline]
fn number(man: Piece) -> u8 {
    (7 * man.color.index() + man.role.index()) as u8
}

#[inline]
fn man(number: u8) -> Piece {
    let color = Color::ALL[usize::from(number >= 7)];
    let role = Role::from_index(usize::from(number) - 7 * color.index());
    role.unwrap_or(Role::King).of(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        let mut position = Position::start();
        for ply in 0..120 {
            let packed = Packed::new(&position);
            let unpacked = packed.unpack();
            assert_eq!(packed.key(), position.key(), "{position:?}");
            assert_eq!(unpacked.key(), position.key());
            assert_eq!(Packed::new(&unpacked), packed);
            // Men of a kind may have other numbers, and then move in another order.
            let [ours, theirs] = [&unpacked, &position].map(|position| {
                let mut moves = position.legal_moves().to_vec();
                moves.sort_unstable();
                moves
            });
            assert_eq!(ours, theirs);
            let men = position.occupied().count_ones();
            let bytes: Vec<u8> = packed
                .words()
                .into_iter()
                .flat_map(u64::to_le_bytes)
                .collect();
            let behind = &bytes[Packed::bytes(men as usize)..];
            assert!(behind.iter().all(|&byte| byte == 0));
            assert_eq!(Packed::from_words(packed.words()), packed);
            assert_eq!(packed.level(), men);
            let moves = position.legal_moves();
            let Some(&m) = moves.get((ply * 7 + 3) % moves.len().max(1)) else {
                break;
            };
            let next = position.play(m);
            let level = Packed::new(&next).level();
            assert_eq!(level < men, m.is_capture());
            position = next;
        }
    }
}
