//! Disks that fail: every operation that a command does to its files goes wrong once, in every way.
//! Afterwards there are whole files or none, and the command, given again, finishes with the bytes
//! that it always writes.
//!
//! A program in C (`tests/c/faults.c`) stands between the command and the system. Here some
//! operations of each kind are taken; with `RETROGRADE_FULL=1` all are, or 200 spread evenly where
//! there are more.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::Place;

/// What can go wrong with an operation; faults.c tells what each is.
const MODES: [&str; 8] = [
    "error", "full", "short", "torn", "kill", "bytes", "names", "power",
];
/// What can go wrong with a read.
const READ: &str = "read";

/// Exit statuses of faults.c: of a killed program, and where the system cannot do such a thing.
const KILLED: i32 = 137;
const UNSUPPORTED: i32 = 77;

/// Operations that are tried of each kind, and with `RETROGRADE_FULL`.
const TRIED: usize = 3;
const TRIED_FULL: usize = 200;

/// The compiled faults.c; `None` without a compiler for C.
fn faults() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/faults.c");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let compiled = Command::new(compiler)
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
            .args([&program, &source])
            .status();
        compiled.ok()?.success().then_some(program)
    };
    PROGRAM.get_or_init(compile).as_deref()
}

/// Every file of a place with its bytes.
fn files(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let root = place.path("");
    let mut directories = vec![root.clone()];
    let mut files = BTreeMap::new();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => directories.push(path),
                false => {
                    let name = path.strip_prefix(&root).unwrap().to_owned();
                    files.insert(name, fs::read(path).unwrap());
                }
            }
        }
    }
    files
}

/// Runs the program where one operation goes wrong.
fn run_with(fault: &str, operation: usize, place: &Place, arguments: &[&str]) -> Output {
    let root = place.path("");
    Command::new(faults().unwrap())
        .args([fault, &operation.to_string()])
        .arg(&root)
        .arg(place.retrograde([]).get_program())
        .args(arguments)
        .current_dir(&root)
        .env_remove("RETROGRADE_TABLES")
        .output()
        .unwrap()
}

/// Lets the operations of a command fail. `prepare` brings a place to where the command begins.
fn fail_everywhere(prepare: impl Fn() -> Place, arguments: &[&str]) {
    let whole = prepare();
    let Some([operations, reads]) = counted(&whole, arguments) else {
        return;
    };
    assert!(operations >= 5, "{operations}");
    let expected = files(&whole);
    let is_full = std::env::var_os("RETROGRADE_FULL").is_some();
    let kinds = (MODES.map(|mode| (mode, operations)).into_iter()).chain([(READ, reads)]);
    let mut tried = 0;
    for (number, (mode, all)) in kinds.enumerate() {
        let step = match is_full {
            true => all.div_ceil(TRIED_FULL),
            false => all / TRIED,
        };
        let step = step.max(1);
        for operation in (1 + number % step..=all).step_by(step) {
            tried += 1;
            let context = format!("{arguments:?}: {mode} at {operation} of {all}");
            let place = prepare();
            let before = files(&place);
            let output = run_with(mode, operation, &place, arguments);
            let status = output.status.code();
            let message = String::from_utf8_lossy(&output.stderr);
            if ["kill", "bytes", "names", "power"].contains(&mode) {
                assert_eq!(status, Some(KILLED), "{context}: {message}");
            }
            assert!(!message.contains("panicked"), "{context}: {message}");
            let left = files(&place);
            match status {
                Some(0) => assert!(left == expected, "{context}: not what it should write"),
                Some(KILLED) => {}
                _ => assert_eq!(
                    message.trim_end().lines().count(),
                    1,
                    "{context}: {message}"
                ),
            }
            for (name, bytes) in left.iter().filter(|(name, _)| !is_work(name)) {
                let is_whole = [&expected, &before]
                    .iter()
                    .any(|files| files.get(name) == Some(bytes));
                let is_known = expected.contains_key(name) || before.contains_key(name);
                assert!(
                    is_whole || !is_known,
                    "{context}: {} is not whole",
                    name.display()
                );
            }
            let (status, _, err) = place.run(arguments.iter().copied());
            assert_eq!(status, 0, "{context}: then {err}");
            let now = files(&place);
            let names = |files: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<PathBuf> {
                files.keys().cloned().collect()
            };
            assert_eq!(names(&now), names(&expected), "{context}");
            assert!(now == expected, "{context}: other bytes");
        }
    }
    eprintln!("{arguments:?}: {operations} operations, {reads} reads, {tried} faults");
}

/// Whether a file is what a generation leaves for itself, which it changes in place.
fn is_work(name: &Path) -> bool {
    let mut parts = name.components();
    parts.any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// The operations and the reads of a command; `None`, and a word, where this system cannot let them
/// fail.
fn counted(place: &Place, arguments: &[&str]) -> Option<[usize; 2]> {
    if faults().is_none() {
        eprintln!("skipped: no compiler for C");
        return None;
    }
    let output = run_with("count", 0, place, arguments);
    if output.status.code() == Some(UNSUPPORTED) {
        eprintln!("skipped: this system does not hand system calls to another program");
        return None;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let last = text.lines().last().unwrap().split(' ');
    let numbers: Vec<usize> = last.filter_map(|word| word.parse().ok()).collect();
    Some(numbers.try_into().unwrap())
}

/// The words of a command.
fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

#[test]
fn generation() {
    let command = "generate --men 3 --tables tables --threads 1";
    fail_everywhere(Place::new, &words(command));
}

const WITH_WORK_FILES: &str =
    "generate KPvK --men-in-memory 2 --threads 1 --compression fast --tables tables";

#[test]
fn generation_with_work_files() {
    fail_everywhere(Place::new, &words(WITH_WORK_FILES));
}

/// What six men do: everything that waits is in scratch files, and a killed run carries on from
/// work files.
fn in_scratch_files() -> String {
    format!("{WITH_WORK_FILES} --engine chains")
}

#[test]
fn generation_in_scratch_files() {
    fail_everywhere(Place::new, &words(&in_scratch_files()));
}

/// The run that goes on with what a killed one has left.
#[test]
fn resumed_generation() {
    let command = in_scratch_files();
    let arguments = words(&command);
    let Some([operations, _]) = counted(&Place::new(), &arguments) else {
        return;
    };
    let half_done = || {
        let place = Place::new();
        let output = run_with("kill", operations * 2 / 3, &place, &arguments);
        assert_eq!(output.status.code(), Some(KILLED));
        let is_journal = |name: &PathBuf| name.extension().is_some_and(|kind| kind == "journal");
        assert!(files(&place).keys().any(is_journal));
        place
    };
    fail_everywhere(half_done, &arguments);
}

#[test]
fn generation_of_xiangqi() {
    // It has rounds, without which its results would mean something else.
    let command = "generate --game xiangqi KRvKN --tables tables --threads 1";
    fail_everywhere(Place::new, &words(command));
}

// To compare more would be to read more, which is not what fails here.
const CONVERT: &str = "convert KQvK KRvK --compare 1000 --threads 1 --tables tables";

#[test]
fn conversion() {
    let command = format!("{CONVERT} --to syzygy");
    fail_everywhere(Place::with_tables, &words(&command));
}

#[test]
fn recompression() {
    let command = format!("{CONVERT} --from native --to native --compression smallest");
    fail_everywhere(Place::with_tables, &words(&command));
}

#[test]
fn saved_sets() {
    let wall = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
    let save = |position| ["solve", position, "--save", "wall.solved", "--threads", "1"];
    fail_everywhere(Place::new, &save(wall));
    // An older set of that name stays until the new one is whole.
    let with_older = || {
        let place = Place::new();
        let older = "4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/4K3 w - - 0 1";
        assert_eq!(place.run(save(older)).0, 0);
        place
    };
    fail_everywhere(with_older, &save(wall));
    let xiangqi = "4k4/9/9/9/9/9/9/9/4A4/3AK4 w";
    fail_everywhere(Place::new, &save(xiangqi));
}
