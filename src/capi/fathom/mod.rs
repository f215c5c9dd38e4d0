//! The functions of the library Fathom, over our tables: `include/tbprobe.h` has them as a program
//! in C sees them.
//!
//! Names, arguments, constants and the layout of results are Fathom's, as Debian's `libfathom.so.1`
//! has them, so that programs built for that run on this. What stands behind them is ours: Syzygy
//! tables or our own answer, damaged tables are failed probes, and any number of threads may probe,
//! also while others open other tables.
//!
//! # Global state
//!
//! Fathom's interface has one set of tables for the whole process. Each thread holds on to the set
//! that it saw last and looks at a counter, which changes only when the set does, before it uses
//! it. So probes share nothing that they write, and a set is closed when the last thread that used
//! it sees that there is another, or ends.

// Their number is Fathom's.
#![allow(clippy::too_many_arguments)]

mod attacks;
mod rank;
mod root;

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::tables::path;
use retrograde::Tablebase;
use retrograde::metric::Metric;
use retrograde::probe::ProbeOptions;

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

/// An empty vector with room for so many items; nothing where the system has not the memory.
fn with_room<T>(items: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(items).ok()?;
    Some(all)
}

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

/// The answer, or `failed` where there is none; also where a fault of ours would otherwise reach a
/// program in C.
#[inline]
fn answer<T>(failed: T, ask: impl FnOnce() -> Option<T>) -> T {
    let answer = catch_unwind(AssertUnwindSafe(ask));
    answer.ok().flatten().unwrap_or(failed)
}

/// Finds the tables of the directories in a list, between colons (on Windows, semicolons).
///
/// # Safety
///
/// The list is null or a string that ends with a zero.
unsafe fn open(path_list: *const c_char) -> bool {
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

/// Finds the tables of the directories in a list.
///
/// # Safety
///
/// The list is null or a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_init(path_list: *const c_char) -> bool {
    // SAFETY: the caller promised it.
    unsafe { open(path_list) }
}

/// The same by an older name, which Debian's `ethereal-chess` uses.
///
/// # Safety
///
/// The list is null or a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tb_init_impl(path_list: *const c_char) -> bool {
    // SAFETY: the caller promised it.
    unsafe { open(path_list) }
}

/// Closes the tables: at once, but for threads that used them and neither probe again nor end.
#[unsafe(no_mangle)]
pub extern "C" fn tb_free() {
    answer((), || {
        exchange(None);
        Some(())
    });
}
