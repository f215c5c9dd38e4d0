//! The C library, asked by programs in C and by programs that were built for the library whose names it also has.
//!
//! `cargo test` builds it, as the example `c_library`. It is built again here, by the same cargo into the same directory, which takes
//! no time then, but is needed after `cargo test --test main`, which leaves examples as they were.

/// Programs of others that use the library by the names of Fathom.
mod fathom;
/// Programs in C, compiled here.
mod programs;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// What a command printed; it has to succeed.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let Output {
        status,
        stdout,
        stderr,
    } = &output;
    assert!(
        status.success(),
        "{command:?}: {status}\n{}{}",
        String::from_utf8_lossy(stdout),
        String::from_utf8_lossy(stderr)
    );
    String::from_utf8_lossy(stdout).into_owned()
}

/// The folder of a library that is built with all functions for C, under the name that its users look for.
fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // target/debug/deps/main-…, or another profile's.
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().and_then(Path::parent).unwrap();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let name = profile.file_name().unwrap().to_str().unwrap();
        cargo
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["build", "--quiet", "--example", "c_library", "--profile"])
            .arg(if name == "debug" { "test" } else { name })
            .arg("--target-dir")
            .arg(profile.parent().unwrap());
        run(&mut cargo);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
        std::fs::create_dir_all(&folder).unwrap();
        let built = profile.join(format!("examples/{DLL_PREFIX}c_library{DLL_SUFFIX}"));
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
