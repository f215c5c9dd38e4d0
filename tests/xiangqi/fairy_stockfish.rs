//! Distances to mate against the searches of Fairy-Stockfish, where that program is installed.

use std::process::Command;

use retrograde::xiangqi::Position;
use retrograde::xiangqi::solve::Targets;
use retrograde::xiangqi::{Material, Rules};

use super::{solve_into, value};
use crate::engine::Engine;

/// Positions with their distances to mate in plies, negative for the side that loses.
const POSITIONS: &str = include_str!("../data/xiangqi-dtm.txt");
/// The rules that the tables rest on.
const VARIANT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/fairy-cycles-draw.ini"
);
/// A search this deep, in plies, without a mate is one without a mate.
const DEPTH: u32 = 60;

fn positions() -> impl Iterator<Item = (Position, i32)> {
    let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let (fen, plies) = line.split_once(';').unwrap();
        (Position::from_fen(fen).unwrap(), plies.parse().unwrap())
    })
}

#[test]
fn the_file_says_what_the_solver_says() {
    let mut targets = Targets::new();
    let mut compared = 0;
    for (position, plies) in positions() {
        let material = Material::of(&position).normal_form();
        solve_into(material, Rules::CyclesDraw, &mut targets);
        let dtm = value(&position, &targets).dtm;
        assert_eq!(dtm.map(|dtm| dtm.0), Some(plies), "{}", position.to_fen());
        compared += 1;
    }
    assert_eq!(compared, 50);
}

/// The program, where it is installed.
fn fairy_stockfish() -> Option<Engine> {
    // Debian installs games where not every PATH leads.
    for name in ["fairy-stockfish", "/usr/games/fairy-stockfish"] {
        if Command::new(name).arg("compiler").output().is_ok() {
            return Some(Engine::run(&mut Command::new(name)));
        }
    }
    eprintln!("skipped: no program fairy-stockfish; Debian has it in the package of that name");
    None
}

/// The last distance to mate, in moves, that a search reports.
fn mate(said: &[String]) -> Option<i32> {
    let word_after = |line: &String| {
        let mut words = line.split(' ').skip_while(|word| *word != "mate");
        words.nth(1).and_then(|word| word.parse().ok())
    };
    said.iter().rev().find_map(word_after)
}

#[test]
fn mate_searches_find_the_same_distances() {
    let Some(mut engine) = fairy_stockfish() else {
        return;
    };
    engine.say("uci");
    engine.until("uciok");
    engine.say(&format!("setoption name VariantPath value {VARIANT}"));
    engine.say("setoption name UCI_Variant value cyclesdraw");
    let mut compared = 0;
    for (position, plies) in positions() {
        let fen = position.to_fen();
        let moves = (plies + plies.signum()) / 2;
        engine.say("ucinewgame");
        engine.ready();
        engine.say(&format!("position fen {fen}"));
        // A winner's search ends with the first mate as short as this one.
        let limit = match plies {
            1.. => format!("mate {moves} depth {DEPTH}"),
            _ => format!("depth {}", 2 * -plies + 20),
        };
        engine.say(&format!("go {limit}"));
        let found = mate(&engine.until("bestmove"));
        assert_eq!(found, Some(moves), "{fen} {plies} plies");
        if moves > 1 {
            // And there is none that is shorter.
            engine.say("ucinewgame");
            engine.say(&format!("position fen {fen}"));
            engine.say(&format!("go mate {} depth {plies}", moves - 1));
            let found = mate(&engine.until("bestmove"));
            assert!(found.is_none_or(|found| found >= moves), "{fen} {found:?}");
        }
        compared += 1;
    }
    assert_eq!(compared, 50);
    engine.quit();
}
