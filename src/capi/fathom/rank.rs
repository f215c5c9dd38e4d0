//! Ranks of moves.

use std::ffi::{c_int, c_uint};

use super::root::{MAX_MOVES, moves, plies_after, position, promotion_number};
use super::{answer, with_room, with_tables};
use crate::capi::position::Bitboards;
use retrograde::Tablebase;
use retrograde::chess::rules::{Bitboard, Move, Position};
use retrograde::probe::{WIN_SCORE, WINNING, rank_by_result, rank_by_zeroing};

/// `TB_MAX_PLY`.
const MAX_PLY: usize = 256;

/// `struct TbRootMove`.
#[derive(Debug)]
#[repr(C)]
pub struct TbRootMove {
    played: u16,
    pv: [u16; MAX_PLY],
    pv_size: c_uint,
    score: i32,
    rank: i32,
}

/// `struct TbRootMoves`.
#[derive(Debug)]
#[repr(C)]
pub struct TbRootMoves {
    size: c_uint,
    moves: [TbRootMove; MAX_MOVES],
}

/// The score that Fathom gives a move of a rank.
///
/// The numbers between draw and win are not the hundredths of a pawn that its text promises: `max`
/// is a macro there, and what follows it binds to its second argument alone. Programs know them as
/// they are.
fn fathom_score(rank: i32, bound: i32) -> i32 {
    let size = match rank.abs() {
        0 => 0,
        size if size >= bound => WIN_SCORE,
        size if size < 803 => 3,
        size => size - 400,
    };
    size * rank.signum()
}

/// Ranks all legal moves into `results`; nothing if a table is missing.
///
/// # Safety
///
/// `results` is null or a `struct TbRootMoves`, which need not have been written to.
unsafe fn rank_moves(
    position: &Position,
    results: *mut TbRootMoves,
    rank: impl Fn(&Tablebase, Move) -> Option<(i32, i32)>,
) -> Option<c_int> {
    if results.is_null() {
        return None;
    }
    let moves = moves(position);
    let ranked: Vec<(Move, (i32, i32))> = with_tables(|tables| {
        let mut ranked = with_room(moves.len())?;
        for m in moves.into_iter().take(MAX_MOVES) {
            ranked.push((m, rank(tables, m)?));
        }
        Some(ranked)
    })?;
    // SAFETY: not null, and the caller promised the rest; nothing is read, and there are at most
    // `MAX_MOVES` moves.
    unsafe {
        (&raw mut (*results).size).write(ranked.len() as c_uint);
        let first: *mut TbRootMove = (&raw mut (*results).moves).cast();
        for (number, (m, (rank, score))) in ranked.into_iter().enumerate() {
            let place = first.add(number);
            let squares = (m.from().index() << 6 | m.to().index()) as u16;
            (&raw mut (*place).played).write(promotion_number(m) << 12 | squares);
            (&raw mut (*place).pv_size).write(0);
            (&raw mut (*place).score).write(score);
            (&raw mut (*place).rank).write(rank);
        }
    }
    Some(1)
}

/// Ranks all legal moves by distance to zeroing; 0 if a table is missing.
///
/// # Safety
///
/// `results` is null or a `struct TbRootMoves`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_probe_root_dtz(
    white: Bitboard,
    black: Bitboard,
    kings: Bitboard,
    queens: Bitboard,
    rooks: Bitboard,
    bishops: Bitboard,
    knights: Bitboard,
    pawns: Bitboard,
    rule50: c_uint,
    castling: c_uint,
    ep: c_uint,
    turn: bool,
    has_repeated: bool,
    use_rule50: bool,
    results: *mut TbRootMoves,
) -> c_int {
    let boards = Bitboards::from([white, black, kings, queens, rooks, bishops, knights, pawns]);
    answer(0, || {
        if castling != 0 {
            return None;
        }
        let position = position(&boards, rule50, ep, turn)?;
        let clock = i32::from(position.halfmoves());
        let bound = if use_rule50 { WINNING } else { 1 };
        let rank = |tables: &Tablebase, m| {
            let plies = plies_after(tables, &position, m)?;
            let rank = rank_by_zeroing(plies, clock, has_repeated);
            Some((rank, fathom_score(rank, bound)))
        };
        // SAFETY: the caller promised it.
        unsafe { rank_moves(&position, results, rank) }
    })
}

/// Ranks all legal moves by result; 0 if a table is missing.
///
/// # Safety
///
/// `results` is null or a `struct TbRootMoves`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_probe_root_wdl(
    white: Bitboard,
    black: Bitboard,
    kings: Bitboard,
    queens: Bitboard,
    rooks: Bitboard,
    bishops: Bitboard,
    knights: Bitboard,
    pawns: Bitboard,
    rule50: c_uint,
    castling: c_uint,
    ep: c_uint,
    turn: bool,
    use_rule50: bool,
    results: *mut TbRootMoves,
) -> c_int {
    let boards = Bitboards::from([white, black, kings, queens, rooks, bishops, knights, pawns]);
    answer(0, || {
        if castling != 0 {
            return None;
        }
        let position = position(&boards, rule50, ep, turn)?;
        let rank = |tables: &Tablebase, m| {
            let wdl = -tables.probe_wdl_after_zeroing(&position.play(m)).ok()?;
            let rank = rank_by_result(wdl, use_rule50);
            let score = match rank.abs() {
                0 => 0,
                size if size < WINNING => 2 * rank.signum(),
                _ => WIN_SCORE * rank.signum(),
            };
            Some((rank, score))
        };
        // SAFETY: the caller promised it.
        unsafe { rank_moves(&position, results, rank) }
    })
}
