//! Values of positions and of their moves.

use std::cmp::Reverse;
use std::ffi::c_uint;

use super::{answer, with_room, with_tables};
use crate::capi::position::{Bitboards, en_passant_square};
use retrograde::Tablebase;
use retrograde::chess::rules::{Bitboard, Move, Position, Role, Setup};
use retrograde::game::Color;
use retrograde::metric::{Dtz, FIFTY_MOVES, Wdl};

/// `TB_RESULT_FAILED`.
const FAILED: c_uint = 0xffff_ffff;
/// `TB_RESULT_CHECKMATE`.
const CHECKMATE: c_uint = 4;
/// `TB_RESULT_STALEMATE`.
const STALEMATE: c_uint = 2;
/// `TB_MAX_MOVES`: what a list of moves has room for, one less where it has an end mark.
pub const MAX_MOVES: usize = 193;

/// The position of Fathom's arguments, if it is one.
#[inline]
pub fn position(boards: &Bitboards, clock: c_uint, ep: c_uint, turn: bool) -> Option<Position> {
    let setup = Setup {
        pieces: boards.pieces().ok()?,
        turn: if turn { Color::White } else { Color::Black },
        en_passant: en_passant_square(u8::try_from(ep).ok()?).ok()?,
        halfmoves: clock.min(u16::MAX.into()) as u16,
        ..Setup::empty()
    };
    Position::from_setup(&setup).ok()
}

/// All legal moves in the order in which Fathom lists them.
pub fn moves(position: &Position) -> Vec<Move> {
    let promotion = |m: &Move| {
        let order = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];
        m.promotion()
            .and_then(|role| order.iter().position(|&other| other == role))
    };
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| {
        (
            Reverse(m.role()),
            m.from().index(),
            !m.is_en_passant(),
            m.to().index(),
            promotion(m),
        )
    });
    moves
}

/// What a pawn becomes, as Fathom numbers it.
pub fn promotion_number(m: Move) -> u16 {
    let number = m.promotion().map(|role| match role {
        Role::Queen => 1,
        Role::Rook => 2,
        Role::Bishop => 3,
        _ => 4,
    });
    number.unwrap_or(0)
}

/// Plies from before the move to the next zeroing move or mate, positive if the player of the move
/// wins.
pub fn plies_after(tables: &Tablebase, position: &Position, m: Move) -> Option<i32> {
    let next = position.play(m);
    let Dtz(plies) = match m.is_zeroing() {
        true => (-tables.probe_wdl_after_zeroing(&next).ok()?).dtz_of_zeroing_move(),
        false if next.is_checkmate() => Dtz(1),
        false => tables.probe_dtz_rounded(&next).ok()?.before_quiet_move(),
    };
    Some(plies)
}

/// One number with a move, its distance and its result with the clock as it stands.
fn result(m: Move, plies: i32, clock: i32) -> c_uint {
    let is_in_time = plies.abs() + clock <= FIFTY_MOVES.0 as i32;
    let wdl = match (plies.signum(), is_in_time) {
        (0, _) => Wdl::Draw,
        (1, true) => Wdl::Win,
        (1, false) => Wdl::CursedWin,
        (_, true) => Wdl::Loss,
        (_, false) => Wdl::BlessedLoss,
    };
    wdl.index() as c_uint
        | (m.to().index() as c_uint) << 4
        | (m.from().index() as c_uint) << 10
        | c_uint::from(promotion_number(m)) << 16
        | c_uint::from(m.is_en_passant()) << 19
        | plies.unsigned_abs() << 20
}

/// What `tb_probe_wdl` calls: 0 for a loss to 4 for a win.
#[unsafe(no_mangle)]
pub extern "C" fn tb_probe_wdl_impl(
    white: Bitboard,
    black: Bitboard,
    kings: Bitboard,
    queens: Bitboard,
    rooks: Bitboard,
    bishops: Bitboard,
    knights: Bitboard,
    pawns: Bitboard,
    ep: c_uint,
    turn: bool,
) -> c_uint {
    let boards = Bitboards::from([white, black, kings, queens, rooks, bishops, knights, pawns]);
    answer(FAILED, || {
        let position = position(&boards, 0, ep, turn)?;
        let wdl = with_tables(|tables| tables.probe_wdl(&position).ok())?;
        Some(wdl.index() as c_uint)
    })
}

/// What `tb_probe_root` calls: the value of the position, a move that keeps it, and, if `results`
/// is not null, a number for each legal move.
///
/// # Safety
///
/// There is room for `TB_MAX_MOVES` numbers at `results`, or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_probe_root_impl(
    white: Bitboard,
    black: Bitboard,
    kings: Bitboard,
    queens: Bitboard,
    rooks: Bitboard,
    bishops: Bitboard,
    knights: Bitboard,
    pawns: Bitboard,
    rule50: c_uint,
    ep: c_uint,
    turn: bool,
    results: *mut c_uint,
) -> c_uint {
    let boards = Bitboards::from([white, black, kings, queens, rooks, bishops, knights, pawns]);
    answer(FAILED, || {
        let position = position(&boards, rule50, ep, turn)?;
        let clock = i32::from(position.halfmoves());
        let (Dtz(plies), values) = with_tables(|tables| {
            let dtz = tables.probe_dtz_rounded(&position).ok()?;
            let moves = moves(&position);
            let mut values = with_room(moves.len())?;
            for m in moves {
                values.push((m, plies_after(tables, &position, m)?));
            }
            Some((dtz, values))
        })?;
        if !results.is_null() {
            let numbers = values.iter().map(|&(m, plies)| result(m, plies, clock));
            let numbers = numbers.take(MAX_MOVES - 1).chain([FAILED]);
            for (number, place) in numbers.enumerate() {
                // SAFETY: there are at most `MAX_MOVES` of them, and the caller promised room for
                // as many.
                unsafe { results.add(number).write(place) };
            }
        }
        if values.is_empty() {
            return Some(match position.is_check() {
                true => CHECKMATE,
                false => STALEMATE,
            });
        }
        let suggested = match plies.signum() {
            // The shortest way that wins, the longest that loses, and of several the first.
            1 => values
                .iter()
                .filter(|(_, after)| *after > 0)
                .min_by_key(|(_, after)| *after),
            -1 => values.iter().min_by_key(|(_, after)| *after),
            // Any move that draws, another one in another position, so that a game of such moves
            // does not go in circles.
            _ => {
                let drawing = || values.iter().filter(|(_, after)| *after == 0);
                let count = drawing().count().max(1) as u64;
                drawing().nth((position.key() % count) as usize)
            }
        };
        suggested.map(|&(m, _)| result(m, plies, clock))
    })
}
