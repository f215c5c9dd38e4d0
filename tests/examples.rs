//! Programs and libraries of `examples`.
//!
//! `cargo test` builds them. They are built again here, by the same cargo into the same directory,
//! which takes no time then, but is needed after `cargo test --test main`, which leaves examples as
//! they were.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command printed; it has to succeed.
pub fn run(command: &mut Command) -> String {
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

/// Builds an example and returns the folder it is in.
pub fn build(example: &str) -> PathBuf {
    // target/debug/deps/main-…, or another profile's.
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let name = profile.file_name().unwrap().to_str().unwrap();
    cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--quiet", "--example", example, "--profile"])
        .arg(if name == "debug" { "test" } else { name })
        .arg("--target-dir")
        .arg(profile.parent().unwrap());
    run(&mut cargo);
    profile.join("examples")
}
