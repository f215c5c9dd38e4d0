//! Values of positions.

use std::ffi::c_int;

use super::error::{Failure, guarded};
use super::position::BitboardPosition;
use super::tables::Tables;
use retrograde::chess::rules::Position;
use retrograde::metric::{Dtm, Wdl};
use retrograde::{ProbeError, Tablebase};

/// Stands for a distance that there is none of; `RETROGRADE_NO_VALUE`.
pub const NO_VALUE: i32 = i32::MIN;

/// What a caller passed.
///
/// # Safety
///
/// Both are null or as the header says, for as long as the result is used.
pub unsafe fn question<'a>(
    tables: *const Tables,
    position: *const BitboardPosition,
) -> Result<(&'a Tablebase, Position), Failure> {
    // SAFETY: null or valid, as the caller promised.
    let question = unsafe { tables.as_ref().zip(position.as_ref()) };
    let (Tables(tables), position) = question.ok_or(Failure::Argument(
        "tables or position is NULL; open tables and set up a position first",
    ))?;
    Ok((tables, position.position()?))
}

/// Asks one question and writes the answer.
///
/// # Safety
///
/// As the header says of the functions below.
#[inline]
unsafe fn answer<T>(
    tables: *const Tables,
    position: *const BitboardPosition,
    place: *mut c_int,
    probe: impl FnOnce(&Tablebase, &Position) -> Result<T, ProbeError>,
    number: impl FnOnce(T) -> c_int,
) -> c_int {
    guarded(|| {
        if place.is_null() {
            return Err(Failure::Argument(
                "no place for the answer; pass the address of an int",
            ));
        }
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, position) }?;
        let value = number(probe(tables, &position)?);
        // SAFETY: not null, and the caller promised the rest.
        unsafe { place.write(value) };
        Ok(())
    })
}

/// Who wins.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_probe_wdl(
    tables: *const Tables,
    position: *const BitboardPosition,
    wdl: *mut c_int,
) -> c_int {
    // SAFETY: the caller promised it.
    unsafe { answer(tables, position, wdl, Tablebase::probe_wdl, Wdl::signum2) }
}

/// Who would win with the clock at zero.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_probe_wdl_after_zeroing(
    tables: *const Tables,
    position: *const BitboardPosition,
    wdl: *mut c_int,
) -> c_int {
    let probe = Tablebase::probe_wdl_after_zeroing;
    // SAFETY: the caller promised it.
    unsafe { answer(tables, position, wdl, probe, Wdl::signum2) }
}

/// Plies to the next zeroing move.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_probe_dtz(
    tables: *const Tables,
    position: *const BitboardPosition,
    dtz: *mut c_int,
) -> c_int {
    // SAFETY: the caller promised it.
    unsafe { answer(tables, position, dtz, Tablebase::probe_dtz, |dtz| dtz.0) }
}

/// The same and the longest distance that it may be.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_probe_dtz_range(
    tables: *const Tables,
    position: *const BitboardPosition,
    shortest: *mut c_int,
    longest: *mut c_int,
) -> c_int {
    guarded(|| {
        if shortest.is_null() || longest.is_null() {
            return Err(Failure::Argument(
                "no place for the answers; pass the addresses of two ints",
            ));
        }
        // SAFETY: the caller promised it.
        let (tables, position) = unsafe { question(tables, position) }?;
        let range = tables.probe_dtz_range(&position)?;
        // SAFETY: not null, and the caller promised the rest.
        unsafe {
            shortest.write(range.shortest.0);
            longest.write(range.longest.0);
        }
        Ok(())
    })
}

/// Plies to mate.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_probe_dtm(
    tables: *const Tables,
    position: *const BitboardPosition,
    dtm: *mut c_int,
) -> c_int {
    let number = |dtm: Option<Dtm>| dtm.map_or(NO_VALUE, |dtm| dtm.0);
    // SAFETY: the caller promised it.
    unsafe { answer(tables, position, dtm, Tablebase::probe_dtm, number) }
}
