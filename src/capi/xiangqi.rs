//! The other game: its tables, by FEN.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

use super::error::{Failure, guarded};
use super::moves::{chars, check_room, write_moves};
use super::probe::NO_VALUE;
use super::tables::{Options, directory};
use retrograde::ProbeError;
use retrograde::probe::xiangqi::{XiangqiMove, XiangqiTables, XiangqiValue};
use retrograde::xiangqi::Rules;
use retrograde::xiangqi::rules::{Position, wxf};

/// What callers see as `retrograde_xiangqi_tables`.
#[derive(Debug)]
pub struct Tables(XiangqiTables);

/// `struct retrograde_xiangqi_value`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CValue {
    wdl: i32,
    dtc: i32,
    dtm: i32,
    round: i32,
}

impl From<&XiangqiValue> for CValue {
    fn from(value: &XiangqiValue) -> CValue {
        CValue {
            wdl: value.wdl.signum2(),
            dtc: value.dtc.unwrap_or(NO_VALUE),
            dtm: value.dtm.map_or(NO_VALUE, |dtm| dtm.0),
            round: value.round.into(),
        }
    }
}

/// `struct retrograde_xiangqi_move`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CMove {
    iccs: [c_char; 8],
    wxf: [c_char; 8],
    flags: i32,
    value: CValue,
}

impl CMove {
    fn new(position: &Position, m: &XiangqiMove) -> CMove {
        let next = position.play(m.played);
        let flags = [
            m.played.is_capture(),
            next.is_checkmate(),
            next.is_stalemate(),
            next.is_insufficient_material(),
            m.played.gives_check(),
        ];
        CMove {
            iccs: chars(&m.played.to_iccs()),
            wxf: chars(&wxf(position, m.played)),
            flags: flags
                .into_iter()
                .zip(0..)
                .map(|(flag, bit)| i32::from(flag) << bit)
                .sum(),
            value: (&m.value).into(),
        }
    }
}

/// The rules of a number of `enum retrograde_xiangqi_rules`.
fn rules(number: c_int) -> Result<Rules, Failure> {
    let known = |rules: &Rules| c_int::from(rules.number()) == number;
    Rules::ALL.into_iter().find(known).ok_or(Failure::Argument(
        "rules is none of enum retrograde_xiangqi_rules",
    ))
}

/// What a caller passed.
///
/// # Safety
///
/// Both are null or as the header says, for as long as the result is used.
unsafe fn question<'a>(
    tables: *const Tables,
    fen: *const c_char,
) -> Result<(&'a XiangqiTables, Position), Failure> {
    // SAFETY: null or valid, as the caller promised.
    let tables = unsafe { tables.as_ref() };
    let (Some(Tables(tables)), false) = (tables, fen.is_null()) else {
        return Err(Failure::Argument(
            "tables or fen is NULL; open tables and pass a FEN",
        ));
    };
    // SAFETY: not null, and the caller promised a zero at the end.
    let fen = unsafe { CStr::from_ptr(fen) }.to_string_lossy();
    Ok((tables, Position::from_fen(&fen)?))
}

/// Finds the tables of some rules in a directory.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_xiangqi_open(
    name: *const c_char,
    rules_number: c_int,
    options: *const Options,
    tables: *mut *mut Tables,
) -> c_int {
    guarded(|| {
        if tables.is_null() {
            return Err(Failure::Argument("tables is NULL; pass its address"));
        }
        let rules = rules(rules_number)?;
        // SAFETY: null or a string, as the caller promised.
        let directory = unsafe { directory(name) }?;
        // SAFETY: null, or as long as it says, as the caller promised.
        let options = unsafe { super::tables::options(options) }?;
        // Each table is looked for by its name when it is needed; a directory that is none is told
        // now.
        if let Err(source) = std::fs::read_dir(&directory) {
            let (path, problem) = (directory, Arc::new(source));
            return Err(ProbeError::Directory { path, problem }.into());
        }
        let opened = XiangqiTables::open_with(&[directory], rules, &options)?;
        // SAFETY: not null, and the caller promised the rest.
        unsafe { tables.write(Box::into_raw(Box::new(Tables(opened)))) };
        Ok(())
    })
}

/// Closes all files and frees all memory.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_xiangqi_free(tables: *mut Tables) {
    if tables.is_null() {
        return;
    }
    guarded(|| {
        // SAFETY: `retrograde_xiangqi_open` made the box, and the caller promised that nobody else
        // uses it.
        drop(unsafe { Box::from_raw(tables) });
        Ok(())
    });
}

/// The value of a position.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_xiangqi_probe(
    tables: *const Tables,
    fen: *const c_char,
    value: *mut CValue,
) -> c_int {
    guarded(|| {
        if value.is_null() {
            return Err(Failure::Argument(
                "no place for the answer; pass the address of a struct retrograde_xiangqi_value",
            ));
        }
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, fen) }?;
        let found = tables.probe(&position)?;
        // SAFETY: not null, and the caller promised the rest.
        unsafe { value.write((&found).into()) };
        Ok(())
    })
}

/// All legal moves with their values, the best first.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_xiangqi_moves(
    tables: *const Tables,
    fen: *const c_char,
    moves: *mut CMove,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    guarded(|| {
        check_room(moves, capacity, count)?;
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, fen) }?;
        let found = tables.moves(&position)?;
        let written = found.iter().map(|m| CMove::new(&position, m));
        // SAFETY: there is room, as the caller promised, and `count` is not null.
        unsafe {
            write_moves(written, moves, capacity);
            count.write(found.len());
        }
        Ok(())
    })
}
