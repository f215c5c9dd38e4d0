//! Opening and closing tables.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::path::PathBuf;

use super::error::{Failure, guarded};
use retrograde::Tablebase;
use retrograde::probe::{Format, ProbeOptions};

/// What callers see as `retrograde_tables`.
#[derive(Debug)]
pub struct Tables(pub Tablebase);

/// `struct retrograde_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Options {
    cache_bytes: usize,
    result_bytes: usize,
    checkpoint_bytes: usize,
    preloaded_bytes: usize,
    map_files: c_int,
    format: c_int,
}

impl From<&ProbeOptions> for Options {
    fn from(options: &ProbeOptions) -> Options {
        Options {
            cache_bytes: options.cache_bytes,
            result_bytes: options.result_bytes,
            checkpoint_bytes: options.checkpoint_bytes,
            preloaded_bytes: options.preloaded_bytes,
            map_files: options.map_files.into(),
            format: match options.format {
                None => 0,
                Some(Format::Native) => 1,
                Some(Format::Syzygy) => 2,
            },
        }
    }
}

impl TryFrom<Options> for ProbeOptions {
    type Error = Failure;

    fn try_from(options: Options) -> Result<ProbeOptions, Failure> {
        let format = match options.format {
            0 => None,
            1 => Some(Format::Native),
            2 => Some(Format::Syzygy),
            _ => {
                return Err(Failure::Argument(
                    "the format of the options is none of enum retrograde_format; call retrograde_default_options first",
                ));
            }
        };
        Ok(ProbeOptions {
            cache_bytes: options.cache_bytes,
            result_bytes: options.result_bytes,
            checkpoint_bytes: options.checkpoint_bytes,
            preloaded_bytes: options.preloaded_bytes,
            map_files: options.map_files != 0,
            format,
        })
    }
}

/// The directory of a C string.
///
/// # Safety
///
/// It is null or a string that ends with a zero.
pub unsafe fn directory(name: *const c_char) -> Result<PathBuf, Failure> {
    if name.is_null() {
        return Err(Failure::Argument(
            "the name of a directory is NULL; pass as many strings as count says",
        ));
    }
    // SAFETY: not null, and the caller promised the rest.
    let name = unsafe { CStr::from_ptr(name) };
    path(name).ok_or(Failure::Argument(
        "the name of a directory is not UTF-8; convert it first",
    ))
}

/// The path that C's bytes stand for; nothing if this system has no such path.
#[cfg(unix)]
pub fn path(name: &CStr) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(name.to_bytes()).into())
}

/// The path that C's bytes stand for; nothing if this system has no such path.
#[cfg(not(unix))]
pub fn path(name: &CStr) -> Option<PathBuf> {
    name.to_str().ok().map(PathBuf::from)
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn retrograde_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Writes the defaults.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_default_options(options: *mut Options) {
    if !options.is_null() {
        // SAFETY: not null, and the caller promised the rest.
        unsafe { options.write((&ProbeOptions::default()).into()) };
    }
}

/// Finds the tables in some directories.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_open(
    directories: *const *const c_char,
    count: usize,
    options: *const Options,
    tables: *mut *mut Tables,
) -> c_int {
    guarded(|| {
        if tables.is_null() || directories.is_null() {
            return Err(Failure::Argument(
                "directories or tables is NULL; pass both",
            ));
        }
        if count == 0 {
            return Err(Failure::Argument(
                "no directory was given; pass at least one",
            ));
        }
        // SAFETY: there are `count` pointers, as the caller promised.
        let names = unsafe { std::slice::from_raw_parts(directories, count) };
        let directories = names
            .iter()
            // SAFETY: each is null or a string, as the caller promised.
            .map(|&name| unsafe { directory(name) })
            .collect::<Result<Vec<PathBuf>, Failure>>()?;
        let options = match options.is_null() {
            true => ProbeOptions::default(),
            // SAFETY: not null, and the caller promised the rest.
            false => unsafe { *options }.try_into()?,
        };
        let opened = Box::new(Tables(Tablebase::open_with(&directories, &options)?));
        // SAFETY: not null, and the caller promised the rest.
        unsafe { tables.write(Box::into_raw(opened)) };
        Ok(())
    })
}

/// Closes all files and frees all memory.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_free(tables: *mut Tables) {
    if tables.is_null() {
        return;
    }
    guarded(|| {
        // SAFETY: `retrograde_open` made the box, and the caller promised that nobody else uses it.
        drop(unsafe { Box::from_raw(tables) });
        Ok(())
    });
}

/// The largest number of men of any table.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_max_men(tables: *const Tables) -> c_uint {
    // SAFETY: null or from `retrograde_open`, as the caller promised.
    let tables = unsafe { tables.as_ref() };
    tables.map_or(0, |tables| tables.0.max_men() as c_uint)
}

/// Gets ready what a search will ask.
///
/// # Safety
///
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn retrograde_prefetch(tables: *const Tables, max_men: c_uint) -> c_int {
    guarded(|| {
        // SAFETY: null or from `retrograde_open`, as the caller promised.
        let Some(Tables(tables)) = (unsafe { tables.as_ref() }) else {
            return Err(Failure::Argument("tables is NULL; open them first"));
        };
        let max_men = usize::try_from(max_men).unwrap_or(usize::MAX);
        Ok(tables.prefetch_results(max_men)?)
    })
}
