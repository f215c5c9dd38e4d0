//! The engine Ethereal, as Debian has it, on our library in the place of Fathom: it has to search
//! the same tree.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fathom::syzygy;
use super::{library_folder, run};
use crate::probe;
use crate::reference::syzygy_folder;

/// Endgames of more men than tables have, which the search meets.
const POSITIONS: [&str; 6] = [
    "8/8/2k1p3/4p3/8/3PK3/8/8 w - - 0 1",
    "8/5ppk/8/8/8/8/1P1PK3/8 w - - 0 1",
    "4k3/1r3p2/8/8/8/8/3P1R2/4K3 w - - 0 1",
    "8/2k1bp2/8/8/8/5B2/3P1K2/8 b - - 0 1",
    "8/8/1k1p1p2/8/8/2P1P3/4K3/8 b - - 0 1",
    "8/3q1k2/4p3/8/8/3P4/2K1Q3/8 w - - 0 1",
];

/// What a search came to.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    best: String,
    score: String,
    nodes: u64,
    table_hits: u64,
}

/// The program, where it is installed.
fn program() -> Option<&'static str> {
    let found = ["ethereal-chess", "/usr/games/ethereal-chess"]
        .into_iter()
        .find(|name| {
            let mut command = Command::new(name);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            command.status().is_ok()
        });
    if found.is_none() {
        eprintln!("skipped: no program ethereal-chess; Debian has it in the package of that name");
    }
    found
}

/// A library that has the name by which Debian's program looks for a function of Debian's Fathom,
/// which has it by another.
fn names() -> PathBuf {
    let (source, library) = (
        library_folder().join("names.c"),
        library_folder().join("names.so"),
    );
    std::fs::write(
        &source,
        "int tb_init(const char *);\nint tb_init_impl(const char *path) { return tb_init(path); }\n",
    )
    .unwrap();
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    run(Command::new(compiler)
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source));
    library
}

/// Searches a position to a fixed depth.
fn search(program: &mut Command, tables: &Path, fen: &str) -> Option<Answer> {
    let mut process = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let tables = tables.display();
    // The program may have ended already, for want of a library.
    let _ = write!(
        input,
        "setoption name SyzygyPath value {tables}\nposition fen {fen}\ngo depth 10\n"
    );
    let mut info = String::new();
    let mut best = None;
    for line in BufReader::new(process.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some(m) = line.strip_prefix("bestmove ") {
            best = m.split(' ').next().map(str::to_owned);
            break;
        }
        if line.starts_with("info depth") {
            info = line;
        }
    }
    let _ = writeln!(input, "quit");
    drop(input);
    process.wait().unwrap();
    let words: Vec<&str> = info.split_whitespace().collect();
    let after = |name: &str| words.iter().position(|word| *word == name).map(|at| at + 1);
    let number = |name| words[after(name).unwrap()].parse().unwrap();
    Some(Answer {
        best: best?,
        score: words[after("score")?..][..2].join(" "),
        nodes: number("nodes"),
        table_hits: number("tbhits"),
    })
}

#[test]
fn the_program_ethereal_searches_the_same_on_our_library() {
    let Some(program) = program() else { return };
    let (ours, names) = (library_folder(), names());
    let mut folders = vec![syzygy()];
    if syzygy_folder().is_some() {
        // Then both are of four men.
        folders.push(probe::directory());
    }
    let mut table_hits = 0;
    for fen in POSITIONS {
        let mut debian = Command::new(program);
        debian
            .env("LD_PRELOAD", &names)
            .env_remove("LD_LIBRARY_PATH");
        let Some(theirs) = search(&mut debian, syzygy(), fen) else {
            eprintln!("skipped: ethereal-chess does not run on the installed libfathom.so.1");
            return;
        };
        for tables in &folders {
            let mut command = Command::new(program);
            let same = search(command.env("LD_LIBRARY_PATH", ours), tables, fen);
            assert_eq!(same.as_ref(), Some(&theirs), "{fen}: {}", tables.display());
        }
        table_hits += theirs.table_hits;
    }
    assert!(table_hits > 0);
}
