//! The functions of the library Fathom, over our tables: `include/tbprobe.h` has them as a program in C sees them.
//!
//! Names, arguments, constants and the layout of results are Fathom's, as Debian's `libfathom.so.1` has them, so that programs
//! built for that run on this. What stands behind them is ours: Syzygy tables or our own answer, damaged tables are failed
//! probes, and any number of threads may probe, also while others open other tables.
//!
//! # Global state
//!
//! Fathom's interface has one set of tables for the whole process. Each thread holds on to the set that it saw last
//! and looks at a counter, which changes only when the set does, before it uses it. So probes share nothing that they write,
//! and a set is closed when the last thread that used it sees that there is another, or ends.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::position::{Bitboards, en_passant_square};
use super::tables::path;
use crate::Tablebase;
use crate::game::Color;
use crate::game::chess::{Bitboard, Move, Position, Role, Setup, Square, attacks};
use crate::metric::{Dtz, FIFTY_MOVES, Metric, Wdl};
use crate::probe::{ProbeOptions, WIN_SCORE, WINNING, rank_by_result, rank_by_zeroing};

/// `TB_RESULT_FAILED`.
const FAILED: c_uint = 0xffff_ffff;
/// `TB_RESULT_CHECKMATE`.
const CHECKMATE: c_uint = 4;
/// `TB_RESULT_STALEMATE`.
const STALEMATE: c_uint = 2;
/// `TB_MAX_MOVES`, with room for the end of a list.
const MAX_MOVES: usize = 193;
/// `TB_MAX_PLY`.
const MAX_PLY: usize = 256;

/// Most men of a table of results; 0 before [`tb_init`] and after [`tb_free`].
#[unsafe(no_mangle)]
pub static TB_LARGEST: AtomicU32 = AtomicU32::new(0);

/// The same for programs that know it by the name that Stockfish gave it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static TB_MaxCardinality: AtomicI32 = AtomicI32::new(0);

/// Most men of a table of mates in a format that Fathom knows: none.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static TB_MaxCardinalityDTM: AtomicI32 = AtomicI32::new(0);

/// The tables of the process.
static CURRENT: Mutex<Option<Arc<Tablebase>>> = Mutex::new(None);

/// How often they changed. Written under the lock of [`CURRENT`].
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// What a thread saw last.
struct Held {
    changes: u64,
    tables: Option<Arc<Tablebase>>,
}

thread_local! {
    static HELD: RefCell<Held> = const { RefCell::new(Held { changes: 0, tables: None }) };
}

fn current() -> MutexGuard<'static, Option<Arc<Tablebase>>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts other tables in place of those that are there.
fn exchange(tables: Option<Tablebase>) {
    let men = tables.as_ref().map_or(0, |tables| {
        let results = tables.tables().iter();
        let results = results.filter(|file| file.metric() == Metric::Wdl);
        results.map(|file| file.material().men()).max().unwrap_or(0)
    });
    let tables = tables.map(Arc::new);
    let mut current = current();
    *current = tables;
    CHANGES.fetch_add(1, Ordering::Release);
    TB_LARGEST.store(men as u32, Ordering::Relaxed);
    TB_MaxCardinality.store(men as i32, Ordering::Relaxed);
    TB_MaxCardinalityDTM.store(0, Ordering::Relaxed);
    drop(current);
    // This thread lets go of what it held.
    with_tables(|_| Some(()));
}

/// Asks the tables of the process, if there are any.
#[inline]
fn with_tables<T>(ask: impl FnOnce(&Tablebase) -> Option<T>) -> Option<T> {
    let asked = HELD.try_with(|held| {
        let held = &mut *held.borrow_mut();
        if held.changes != CHANGES.load(Ordering::Acquire) {
            let current = current();
            held.changes = CHANGES.load(Ordering::Relaxed);
            held.tables.clone_from(&current);
        }
        ask(held.tables.as_deref()?)
    });
    // A thread that ends may already have given up its variables.
    asked.ok().flatten()
}

/// The answer, or `failed` where there is none; also where a fault of ours would otherwise reach a program in C.
#[inline]
fn answer<T>(failed: T, ask: impl FnOnce() -> Option<T>) -> T {
    let answer = catch_unwind(AssertUnwindSafe(ask));
    answer.ok().flatten().unwrap_or(failed)
}

/// The position of Fathom's arguments, if it is one.
#[inline]
fn position(boards: &Bitboards, clock: c_uint, ep: c_uint, turn: bool) -> Option<Position> {
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
fn moves(position: &Position) -> Vec<Move> {
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
fn promotion_number(m: Move) -> u16 {
    let number = m.promotion().map(|role| match role {
        Role::Queen => 1,
        Role::Rook => 2,
        Role::Bishop => 3,
        _ => 4,
    });
    number.unwrap_or(0)
}

/// Plies from before the move to the next zeroing move or mate, positive if the player of the move wins.
fn plies_after(tables: &Tablebase, position: &Position, m: Move) -> Option<i32> {
    let next = position.play(m);
    let Dtz(plies) = match m.is_zeroing() {
        true => (-tables.probe_wdl(&next).ok()?).dtz_of_zeroing_move(),
        false if next.is_checkmate() => Dtz(1),
        false => tables.probe_dtz(&next).ok()?.before_quiet_move(),
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

/// `TB_init`: finds the tables of the directories in `path`, between colons (on Windows, semicolons).
///
/// # Safety
///
/// `path` is null or a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_init(path_list: *const c_char) -> bool {
    answer(false, || {
        if path_list.is_null() {
            return None;
        }
        // SAFETY: not null, and the caller promised the rest.
        let list = unsafe { CStr::from_ptr(path_list) };
        if list.is_empty() || list == c"<empty>" {
            exchange(None);
            return Some(true);
        }
        let directories: Vec<PathBuf> = std::env::split_paths(&path(list)?)
            // One that is not there is no error in Fathom.
            .filter(|directory| std::fs::read_dir(directory).is_ok())
            .collect();
        exchange(Tablebase::open_with(&directories, &ProbeOptions::default()).ok());
        Some(true)
    })
}

/// Closes the tables: at once, but for threads that used them and neither probe again nor end.
#[unsafe(no_mangle)]
pub extern "C" fn tb_free() {
    answer((), || {
        exchange(None);
        Some(())
    });
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
    let boards = Bitboards {
        white,
        black,
        kings,
        queens,
        rooks,
        bishops,
        knights,
        pawns,
    };
    answer(FAILED, || {
        let position = position(&boards, 0, ep, turn)?;
        let wdl = with_tables(|tables| tables.probe_wdl(&position).ok())?;
        Some(wdl.index() as c_uint)
    })
}

/// What `tb_probe_root` calls: the value of the position, a move that keeps it, and, if `results` is not null, a number for each
/// legal move.
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
    let boards = Bitboards {
        white,
        black,
        kings,
        queens,
        rooks,
        bishops,
        knights,
        pawns,
    };
    answer(FAILED, || {
        let position = position(&boards, rule50, ep, turn)?;
        let clock = i32::from(position.halfmoves());
        let (Dtz(plies), values) = with_tables(|tables| {
            let dtz = tables.probe_dtz(&position).ok()?;
            let value = |m| Some((m, plies_after(tables, &position, m)?));
            let values: Option<Vec<(Move, i32)>> =
                moves(&position).into_iter().map(value).collect();
            Some((dtz, values?))
        })?;
        if !results.is_null() {
            let numbers = values.iter().map(|&(m, plies)| result(m, plies, clock));
            let numbers = numbers.take(MAX_MOVES - 1).chain([FAILED]);
            for (number, place) in numbers.enumerate() {
                // SAFETY: there are at most `MAX_MOVES` of them, and the caller promised room for as many.
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
            // Any move that draws, another one in another position, so that a game of such moves does not go in circles.
            _ => {
                let drawing = || values.iter().filter(|(_, after)| *after == 0);
                let count = drawing().count().max(1) as u64;
                drawing().nth((position.key() % count) as usize)
            }
        };
        suggested.map(|&(m, _)| result(m, plies, clock))
    })
}

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
/// The numbers between draw and win are not the hundredths of a pawn that its text promises: `max` is a macro there, and what
/// follows it binds to its second argument alone. Programs know them as they are.
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
        let moves = moves.into_iter().take(MAX_MOVES);
        moves.map(|m| Some((m, rank(tables, m)?))).collect()
    })?;
    // SAFETY: not null, and the caller promised the rest; nothing is read, and there are at most `MAX_MOVES` moves.
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
    let boards = Bitboards {
        white,
        black,
        kings,
        queens,
        rooks,
        bishops,
        knights,
        pawns,
    };
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
    let boards = Bitboards {
        white,
        black,
        kings,
        queens,
        rooks,
        bishops,
        knights,
        pawns,
    };
    answer(0, || {
        if castling != 0 {
            return None;
        }
        let position = position(&boards, rule50, ep, turn)?;
        let rank = |tables: &Tablebase, m| {
            let wdl = -tables.probe_wdl(&position.play(m)).ok()?;
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
