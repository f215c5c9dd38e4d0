//! The C library, asked by programs in C and by programs that were built for the library whose
//! names it also has.

/// An engine that does.
mod ethereal;
/// Programs of others that use the library by the names of Fathom.
mod fathom;
/// Programs in C, compiled here.
mod programs;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::examples::build;

pub use crate::examples::run;

/// The folder of a library that is built with all functions for C, under the name that its users
/// look for.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let built = build("c_library").join(format!("{DLL_PREFIX}c_library{DLL_SUFFIX}"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
        std::fs::create_dir_all(&folder).unwrap();
        for name in [
            &format!("{DLL_PREFIX}retrograde{DLL_SUFFIX}"),
            "libfathom.so.1",
        ] {
            // A program that runs may still have an older one mapped, whose bytes have to stay.
            let _ = std::fs::remove_file(folder.join(name));
            std::fs::copy(&built, folder.join(name)).unwrap();
        }
        folder
    })
}
