//! Our library in the place of Debian's `libfathom.so.1`: by function, and under the program
//! `fathom`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::programs::compile;
use super::{library_folder, run};
use crate::probe;
use crate::reference::syzygy_folder;

const EPD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chess-wdl-dtz.epd");

/// Syzygy tables: those of others, or three men of our own making.
pub fn syzygy() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        syzygy_folder().unwrap_or_else(|| {
            let folder = library_folder().join("syzygy");
            run(Command::new(env!("CARGO_BIN_EXE_retrograde"))
                .args(["generate", "--men", "3", "--format", "syzygy", "--tables"])
                .arg(&folder));
            folder
        })
    })
}

/// Compares the two libraries on the positions of the EPD file and random ones.
fn compare(ours: &Path, mode: &str, count: u32) {
    let program = compile("tests/c/compare.c", &format!("compare-{mode}"));
    let output = Command::new(program)
        .arg("libfathom.so.1")
        .arg(syzygy())
        .arg(library_folder().join("libfathom.so.1"))
        .arg(ours)
        .args([mode, &count.to_string(), EPD])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(3) => eprintln!("skipped: no libfathom.so.1; Debian has it in the package libfathom1"),
        Some(0) => assert!(said.ends_with("; 0 differences\n"), "{said}"),
        _ => panic!("{said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn both_libraries_say_the_same_of_syzygy_tables() {
    compare(syzygy(), "exact", 2_000);
}

#[test]
fn our_tables_say_what_fathom_says_of_syzygy_tables() {
    compare(probe::directory(), "native", 2_000);
}

/// The program, where it is installed.
fn fathom() -> Option<&'static str> {
    let found = ["fathom", "/usr/games/fathom"]
        .into_iter()
        .find(|name| Command::new(name).arg("--help").output().is_ok());
    if found.is_none() {
        eprintln!("skipped: no program fathom; Debian has it in the package of that name");
    }
    found
}

/// What the program says of a position.
fn ask(fathom: &str, fen: &str, tables: &Path, library: Option<&Path>) -> Vec<String> {
    let mut command = Command::new(fathom);
    command
        .arg(format!("--path={}", tables.display()))
        .arg(fen)
        .env_remove("LD_LIBRARY_PATH");
    if let Some(library) = library {
        command.env("LD_LIBRARY_PATH", library);
    }
    run(&mut command).lines().map(str::to_owned).collect()
}

#[test]
fn the_program_fathom_runs_on_our_library() {
    let Some(fathom) = fathom() else { return };
    let (syzygy, ours) = (syzygy(), library_folder());
    let most_men = retrograde::Tablebase::open(syzygy).unwrap().max_men();
    let text = std::fs::read_to_string(EPD).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').take(4).collect();
        let men = fields[0]
            .chars()
            .filter(|c| c.is_ascii_alphabetic())
            .count();
        if men > most_men {
            continue;
        }
        let fen = fields.join(" ") + " 0 1";
        let theirs = ask(fathom, &fen, syzygy, None);
        let mut same = ask(fathom, &fen, syzygy, Some(ours));
        let is_drawn = theirs.contains(&"[WDL \"Draw\"]".to_owned());
        let tags = theirs.iter().rposition(|line| line.starts_with('['));
        let line_of_play = tags.unwrap() + 1;
        if is_drawn {
            // Any move that draws is as good as another. The moves follow an empty line.
            for line in [line_of_play, line_of_play + 1] {
                same[line].clone_from(&theirs[line]);
            }
        }
        assert_eq!(same, theirs, "{fen}");

        // Debian's library cannot read these tables.
        let native = ask(fathom, &fen, probe::directory(), Some(ours));
        let values = |lines: &[String]| {
            let mut lines = lines[..line_of_play].to_vec();
            lines.retain(|line| !line.starts_with("[DTZ"));
            lines
        };
        assert_eq!(values(&native), values(&theirs), "{fen}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}
