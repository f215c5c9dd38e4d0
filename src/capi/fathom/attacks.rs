//! Sets of squares.

use std::ffi::c_uint;

use retrograde::chess::rules::{Bitboard, Square, attacks};
use retrograde::game::Color;

/// The number of squares in a set.
#[unsafe(no_mangle)]
pub extern "C" fn tb_pop_count(set: Bitboard) -> c_uint {
    set.count_ones()
}

/// The first square of a set that is not empty.
#[unsafe(no_mangle)]
pub extern "C" fn tb_lsb(set: Bitboard) -> c_uint {
    set.trailing_zeros()
}

/// A set without its first square.
#[unsafe(no_mangle)]
pub extern "C" fn tb_pop_lsb(set: Bitboard) -> Bitboard {
    set & set.wrapping_sub(1)
}

/// The attacks from a square; none from a number that is no square.
fn attacks_from(square: c_uint, attacks: impl FnOnce(Square) -> Bitboard) -> Bitboard {
    Square::from_index(square as usize).map_or(0, attacks)
}

/// The squares a king attacks.
#[unsafe(no_mangle)]
pub extern "C" fn tb_king_attacks(square: c_uint) -> Bitboard {
    attacks_from(square, attacks::king)
}

/// The squares a knight attacks.
#[unsafe(no_mangle)]
pub extern "C" fn tb_knight_attacks(square: c_uint) -> Bitboard {
    attacks_from(square, attacks::knight)
}

/// The squares a queen attacks.
#[unsafe(no_mangle)]
pub extern "C" fn tb_queen_attacks(square: c_uint, occupied: Bitboard) -> Bitboard {
    attacks_from(square, |square| attacks::queen(square, occupied))
}

/// The squares a rook attacks.
#[unsafe(no_mangle)]
pub extern "C" fn tb_rook_attacks(square: c_uint, occupied: Bitboard) -> Bitboard {
    attacks_from(square, |square| attacks::rook(square, occupied))
}

/// The squares a bishop attacks.
#[unsafe(no_mangle)]
pub extern "C" fn tb_bishop_attacks(square: c_uint, occupied: Bitboard) -> Bitboard {
    attacks_from(square, |square| attacks::bishop(square, occupied))
}

/// The squares a pawn attacks, a white one if `white`.
#[unsafe(no_mangle)]
pub extern "C" fn tb_pawn_attacks(square: c_uint, white: bool) -> Bitboard {
    let color = if white { Color::White } else { Color::Black };
    attacks_from(square, |square| attacks::pawn(color, square))
}
