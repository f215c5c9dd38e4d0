//! Ranked moves and best lines.

use std::ffi::{c_char, c_int, c_uint};

use super::error::{Failure, guarded};
use super::position::BitboardPosition;
use super::probe::{NO_VALUE, question};
use super::tables::Tables;
use retrograde::chess::rules::Role;
use retrograde::metric::{Dtm, Wdl};
use retrograde::probe::{LineEnd, RankOptions, RankedMove};

/// `struct retrograde_ranked_move`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CRankedMove {
    uci: [c_char; 8],
    from: u8,
    to: u8,
    promotion: c_char,
    flags: u8,
    rank: i32,
    score: i32,
    wdl: i32,
    dtz: i32,
    dtm: i32,
}

/// `struct retrograde_line_move`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CLineMove {
    uci: [c_char; 8],
    san: [c_char; 12],
}

/// A text as an array that ends with at least one zero; what does not fit is left out.
pub fn chars<const N: usize>(text: &str) -> [c_char; N] {
    let mut chars = [0; N];
    for (place, byte) in chars[..N - 1].iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    chars
}

impl From<&RankedMove> for CRankedMove {
    fn from(ranked: &RankedMove) -> CRankedMove {
        let RankedMove {
            played,
            is_zeroing,
            is_checkmate,
            is_stalemate,
            is_insufficient_material,
            wdl,
            dtz,
            dtm,
            rank,
            score,
        } = *ranked;
        let flags = [
            is_zeroing,
            is_checkmate,
            is_stalemate,
            is_insufficient_material,
        ];
        let letter = |role: Role| role.letter().to_ascii_lowercase() as c_char;
        CRankedMove {
            uci: chars(&played.to_uci()),
            from: played.from().index() as u8,
            to: played.to().index() as u8,
            promotion: played.promotion().map_or(0, letter),
            flags: flags
                .into_iter()
                .zip(0..)
                .map(|(flag, bit)| u8::from(flag) << bit)
                .sum(),
            rank,
            score,
            wdl: wdl.map_or(NO_VALUE, Wdl::signum2),
            dtz: dtz.map_or(NO_VALUE, |dtz| dtz.shortest.0),
            dtm: dtm.map_or(NO_VALUE, |Dtm(plies)| plies),
        }
    }
}

/// What `flags` says, `enum retrograde_rank_flag`.
fn rank_options(flags: c_uint) -> Result<RankOptions, Failure> {
    const HAS_REPEATED: c_uint = 1;
    const NO_FIFTY_MOVE_RULE: c_uint = 2;
    const BY_MATE: c_uint = 4;
    if flags & !(HAS_REPEATED | NO_FIFTY_MOVE_RULE | BY_MATE) != 0 {
        return Err(Failure::Argument(
            "flags has bits that are none of enum retrograde_rank_flag; pass 0 for none",
        ));
    }
    Ok(RankOptions {
        has_repeated: flags & HAS_REPEATED != 0,
        fifty_move_rule: flags & NO_FIFTY_MOVE_RULE == 0,
        by_mate: flags & BY_MATE != 0,
    })
}

/// Writes as many moves as there is room for and returns how many these are.
///
/// # Safety
///
/// There is room for `capacity` of them at `place`, or `capacity` is 0.
pub unsafe fn write_moves<T>(
    moves: impl ExactSizeIterator<Item = T>,
    place: *mut T,
    capacity: usize,
) -> usize {
    let count = moves.len().min(capacity);
    for (number, m) in moves.take(count).enumerate() {
        // SAFETY: fewer than `capacity` are there before it, and the caller promised the rest.
        unsafe { place.add(number).write(m) };
    }
    count
}

pub fn check_room<T, U>(moves: *mut T, capacity: usize, count: *mut U) -> Result<(), Failure> {
    if count.is_null() {
        return Err(Failure::Argument(
            "count is NULL; pass the address of a size_t",
        ));
    }
    if moves.is_null() && capacity != 0 {
        return Err(Failure::Argument(
            "moves is NULL; pass an array of capacity moves, or 0 as capacity",
        ));
    }
    Ok(())
}

/// All legal moves, ranked.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_rank_root_moves(
    tables: *const Tables,
    position: *const BitboardPosition,
    flags: c_uint,
    moves: *mut CRankedMove,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    guarded(|| {
        check_room(moves, capacity, count)?;
        let options = rank_options(flags)?;
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, position) }?;
        let ranked = tables.rank_root_moves(&position, &options)?.moves;
        // SAFETY: there is room, as the caller promised, and `count` is not null.
        unsafe {
            write_moves(ranked.iter().map(CRankedMove::from), moves, capacity);
            count.write(ranked.len());
        }
        Ok(())
    })
}

/// Best play of both sides.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_line(
    tables: *const Tables,
    position: *const BitboardPosition,
    moves: *mut CLineMove,
    capacity: usize,
    count: *mut usize,
    end: *mut c_int,
) -> c_int {
    guarded(|| {
        check_room(moves, capacity, count)?;
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, position) }?;
        let line = tables.line(&position, capacity)?;
        let line_moves = line.moves.iter().map(|m| CLineMove {
            uci: chars(&m.uci),
            san: chars(&m.san),
        });
        // SAFETY: there is room, as the caller promised, and `count` is not null.
        let written = unsafe { write_moves(line_moves, moves, capacity) };
        // SAFETY: `count` is not null; `end` is, or the caller promised the rest.
        unsafe {
            count.write(written);
            if !end.is_null() {
                end.write(match line.end {
                    LineEnd::Checkmate => 0,
                    LineEnd::Draw => 1,
                    LineEnd::TooLong => 2,
                    // A table is missing.
                    _ => 3,
                });
            }
        }
        Ok(())
    })
}
