//! Opening and closing tables.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::offset_of;
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
    /// How many bytes the program's structure has: less than here if it was compiled with an older
    /// header.
    size: usize,
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
            size: size_of::<Options>(),
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

impl Options {
    /// The sizes that the structure has or might have had: it grows by fields at its end.
    fn check(size: usize) -> Result<(), Failure> {
        let sizes = [
            offset_of!(Options, result_bytes),
            offset_of!(Options, checkpoint_bytes),
            offset_of!(Options, preloaded_bytes),
            offset_of!(Options, map_files),
            offset_of!(Options, format),
            size_of::<Options>(),
        ];
        match sizes.contains(&size) {
            true => Ok(()),
            false => Err(Failure::Argument(
                "the size of the options is none that this library knows; pass sizeof(struct retrograde_options) to \
                 retrograde_default_options, and use the header of this library or of an older one",
            )),
        }
    }
}

/// The options of a caller: the defaults for null and for fields that the caller's structure does
/// not have.
///
/// # Safety
///
/// They are null, or as many bytes long as their first field says.
pub unsafe fn options(options: *const Options) -> Result<ProbeOptions, Failure> {
    if options.is_null() {
        return Ok(ProbeOptions::default());
    }
    // SAFETY: not null, and the caller promised at least this field.
    let size = unsafe { (&raw const (*options).size).read() };
    Options::check(size)?;
    let mut all = Options::from(&ProbeOptions::default());
    let place: *mut Options = &raw mut all;
    // SAFETY: the caller promised that many bytes, there is room for as many, and numbers may have
    // any bytes.
    unsafe { place.cast::<u8>().copy_from(options.cast(), size) };
    all.try_into()
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
pub unsafe extern "C" fn retrograde_default_options(options: *mut Options, size: usize) -> c_int {
    guarded(|| {
        if options.is_null() {
            return Err(Failure::Argument(
                "options is NULL; pass the address of a struct retrograde_options",
            ));
        }
        Options::check(size)?;
        let mut defaults = Options::from(&ProbeOptions::default());
        defaults.size = size;
        let defaults: *const Options = &raw const defaults;
        // SAFETY: not null, the caller promised that many bytes, and there are as many.
        unsafe { options.cast::<u8>().copy_from(defaults.cast(), size) };
        Ok(())
    })
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
        // SAFETY: null, or as long as it says, as the caller promised.
        let options = unsafe { self::options(options) }?;
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
pub unsafe extern "C" fn retrograde_prefetch_results(
    tables: *const Tables,
    max_men: c_uint,
) -> c_int {
    guarded(|| {
        // SAFETY: null or from `retrograde_open`, as the caller promised.
        let Some(Tables(tables)) = (unsafe { tables.as_ref() }) else {
            return Err(Failure::Argument("tables is NULL; open them first"));
        };
        let max_men = usize::try_from(max_men).unwrap_or(usize::MAX);
        Ok(tables.prefetch_results(max_men)?)
    })
}
