//! What README.md and the manuals in `docs` show is what the program does.
//!
//! Blocks marked `console` are sessions: a line that begins with `$ ` is run, and the lines after
//! it are what it prints. A line `…` stands for any lines, and `…` within a line for any text. All
//! blocks of a document run one after the other in one directory, which has the tables of three
//! men.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Place;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn document(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).expect(path)
}

/// The blocks of a document in some language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("\n```{language}\n");
    let ends = |block: &'a str| block.split_once("\n```").map(|(block, _)| block);
    text.split(&begin).skip(1).filter_map(ends).collect()
}

/// Whether a line is what was expected.
fn line_fits(expected: &str, line: &str) -> bool {
    match expected.split_once('…') {
        None => expected == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            let mut ends = line.char_indices().map(|(at, _)| at);
            ends.any(|at| line_fits(rest, &line[at..])) || line_fits(rest, "")
        }),
    }
}

/// Whether lines are what was expected.
fn fits(expected: &[&str], lines: &[&str]) -> bool {
    match expected {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|at| fits(rest, &lines[at..])),
        [first, rest @ ..] => lines
            .split_first()
            .is_some_and(|(line, lines)| line_fits(first, line) && fits(rest, lines)),
    }
}

/// Runs a command as a user in that directory does, and returns whether it succeeded and what it
/// printed.
fn shell(command: &str, place: &Place) -> (bool, String) {
    let program = assert_cmd::cargo::cargo_bin("retrograde");
    let folders = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(place.path(""))
        .env("PATH", &folders)
        .env("HOME", place.path(""))
        .env("XDG_DATA_HOME", place.path("data"))
        .env_remove("RETROGRADE_TABLES")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), printed)
}

/// Runs all sessions of a document.
fn run(path: &str) {
    let text = document(path);
    let place = Place::with_tables();
    let sessions = blocks(&text, "console");
    assert!(!sessions.is_empty(), "{path}");
    for session in sessions {
        let (before, commands) = session.split_once("$ ").unwrap();
        assert_eq!(before, "", "{path}: {session}");
        for command in commands.split("\n$ ") {
            let (command, expected) = command.split_once('\n').unwrap_or((command, ""));
            let (_, printed) = shell(command, &place);
            let expected: Vec<&str> = expected.lines().collect();
            let lines: Vec<&str> = printed.lines().collect();
            assert!(fits(&expected, &lines), "{path}: $ {command}\n{printed}");
        }
    }
}

#[test]
fn readme_shows_what_is_printed() {
    run("README.md");
}

/// In the order in which they stand, where there are the tables of a fresh clone. What takes
/// minutes is planned only.
#[test]
fn the_commands_of_readme_that_make_tables_work_one_after_the_other() {
    let text = document("README.md");
    let block = blocks(&text, "sh")
        .into_iter()
        .find(|block| block.contains("--game xiangqi"));
    let place = Place::with_tables();
    let mut planned = 0;
    for line in block.unwrap().lines() {
        let command = line.split('#').next().unwrap().trim();
        let takes_long = ["--men 5", "KRPvKR", "KR?vKR"]
            .iter()
            .any(|it| command.contains(it));
        let is_planned = command.contains("--dry-run");
        let (is_well, printed) = match takes_long && !is_planned {
            true => shell(&format!("{command} --dry-run"), &place),
            false => shell(command, &place),
        };
        planned += usize::from(takes_long);
        assert!(is_well, "{command}\n{printed}");
    }
    assert_eq!(planned, 4);
    assert!(place.path("tables/xiangqi").is_dir());
    let (is_well, printed) = shell("retrograde probe '9/9/4k4/9/9/9/9/9/3K5/n2R5 b'", &place);
    assert!(is_well && printed.contains("Red wins"), "{printed}");
}

#[test]
fn the_manual_of_the_command_line_shows_what_is_printed() {
    run("docs/cli.md");
}

#[test]
fn the_manual_of_solving_shows_what_is_printed() {
    run("docs/solve.md");
}

#[test]
fn the_manual_of_xiangqi_shows_what_is_printed() {
    run("docs/xiangqi.md");
}

#[test]
fn every_command_is_in_the_manual() {
    let manual = document("docs/cli.md");
    let (status, help, _) = Place::new().run(["--help"]);
    assert_eq!(status, 0);
    let commands = help.split_once("Commands:\n").unwrap().1;
    let names: Vec<&str> = commands
        .lines()
        .take_while(|line| line.starts_with("  "))
        // What goes on from the line before stands further right.
        .filter_map(|line| line[2..].split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let is_heading = |line: &str| {
            line.strip_prefix("## ")
                .is_some_and(|title| title.split([',', ' ']).any(|word| word == name))
        };
        assert!(manual.lines().any(is_heading), "{name}");
    }
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    let mut documents = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned()];
    for entry in std::fs::read_dir(Path::new(ROOT).join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            documents.push(format!("docs/{name}"));
        }
    }
    for path in documents {
        let text = document(&path);
        let folder = Path::new(ROOT).join(&path).parent().unwrap().to_owned();
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'));
        for (link, _) in links {
            let file = link.split('#').next().unwrap();
            let is_elsewhere = link.contains("://") || file.is_empty();
            assert!(is_elsewhere || folder.join(file).exists(), "{path}: {link}");
        }
        // What was measured may speak of files that are gone.
        if path.ends_with("MEASUREMENTS.md") {
            continue;
        }
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "examples/", "scripts/", "benches/"]
                .iter()
                .any(|folder| quoted.starts_with(folder))
                && !quoted.contains([' ', '*', '<', '…']);
            let file = quoted.trim_end_matches('/');
            assert!(
                !is_path || Path::new(ROOT).join(file).exists(),
                "{path}: {quoted}"
            );
        }
    }
}

/// All source files below a folder, as paths.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_source_that_the_design_names_is_there() {
    let mut there = Vec::new();
    for folder in ["src", "bindings/python/src", "tests", "benches", "examples"] {
        sources(&Path::new(ROOT).join(folder), &mut there);
    }
    for path in ["docs/DESIGN.md", "docs/TECHNIQUES.md", "docs/six-men.md"] {
        let text = document(path);
        let is_part = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
        let words = text.split(|letter| !is_part(letter));
        let named = words
            .map(|word| word.trim_matches('.'))
            .filter(|word| word.ends_with(".rs"));
        for name in named {
            assert!(
                there.iter().any(|file| file.ends_with(name)),
                "{path}: {name}"
            );
        }
    }
}
