//! The example engine for xiangqi, by conversation.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use retrograde::game::Color;
use retrograde::metric::Wdl;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::xiangqi::{History, Move, Position};
use retrograde::xiangqi::{IndexSpace, Rules};

use super::play::{Defence, Random};
use super::tables::generate;
use crate::engine::Engine;
use crate::examples::build;

fn start() -> Engine {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program =
        PROGRAM.get_or_init(|| build("ucci").join(format!("ucci{}", std::env::consts::EXE_SUFFIX)));
    Engine::run(&mut Command::new(program))
}

fn start_with(folder: &Path, rules: Rules) -> Engine {
    let mut engine = start();
    engine.say("ucci");
    engine.until("ucciok");
    engine.say(&format!("setoption rules {rules}"));
    engine.say(&format!("setoption tables {}", folder.display()));
    assert_eq!(engine.ready(), ["readyok"]);
    engine
}

/// The move it plays after some moves.
fn best_move(engine: &mut Engine, line: &History, first: &Position) -> Move {
    let moves: Vec<String> = line.moves().map(|m| m.to_iccs()).collect();
    let moves = match moves.is_empty() {
        true => String::new(),
        false => format!(" moves {}", moves.join(" ")),
    };
    engine.say(&format!("position fen {}{moves}", first.to_fen()));
    engine.say("go depth 1");
    let said = engine.until("bestmove");
    let name = said.last().unwrap().trim_start_matches("bestmove ");
    Move::from_iccs(line.current(), name).unwrap_or_else(|error| panic!("{said:?}: {error}"))
}

#[test]
fn it_speaks_ucci_and_uci() {
    let mut engine = start();
    engine.say("ucci");
    let said = engine.until("ucciok");
    assert!(said.iter().any(|line| line.starts_with("id name ")));
    assert!(
        said.iter()
            .any(|line| line.starts_with("option tables type string"))
    );
    assert_eq!(engine.ready(), ["readyok"]);
    engine.say("position startpos moves h2e2 h9g7");
    engine.say("go depth 2");
    let said = engine.until("bestmove");
    let line = ["h2e2", "h9g7"].iter().fold(Position::start(), |p, name| {
        p.play(Move::from_iccs(&p, name).unwrap())
    });
    let best = said.last().unwrap().trim_start_matches("bestmove ");
    assert!(Move::from_iccs(&line, best).is_ok(), "{best}");
    // Without tables: a rook for nothing.
    engine.say("position fen 3k5/9/9/9/9/9/r8/9/9/R3K4 w - - 0 1");
    engine.say("go depth 2");
    assert_eq!(engine.until("bestmove").last().unwrap(), "bestmove a0a3");
    for (line, answer) in [
        ("position fen 9/9/9/9/9/9/9/9/9/9 w", "0 kings"),
        ("position startpos moves a0a9", "a0a9"),
        ("setoption nonsense 1", "no option"),
        ("setoption rules asian", "asian"),
        ("go depth", "number"),
    ] {
        engine.say(line);
        let said = engine.ready();
        assert!(said[0].starts_with("info string "), "{line}: {said:?}");
        assert!(said[0].contains(answer), "{line}: {said:?}");
    }
    // No move is left.
    engine.say("position fen 3k5/9/9/9/9/9/9/9/9/3RK4 b");
    engine.say("go");
    engine.until("nobestmove");
    engine.say("uci");
    engine.until("uciok");
    engine.say("go");
    assert_eq!(engine.until("bestmove").last().unwrap(), "bestmove 0000");
    engine.quit();
}

/// Positions of a material with a value, the first that a walk with a stride finds.
fn positions(
    tables: &XiangqiTables,
    signature: &str,
    count: usize,
    is_wanted: impl Fn(&XiangqiTables, &Position) -> bool,
) -> Vec<Position> {
    let space = IndexSpace::new(signature.parse().unwrap()).unwrap();
    let indices = (0..space.len()).map(|n| n.wrapping_mul(0x9e37_79b9) % space.len());
    let found: Vec<Position> = indices
        .filter_map(|index| space.placement(index)?.position(Color::White))
        .filter(|position| is_wanted(tables, position))
        .take(count)
        .collect();
    assert_eq!(found.len(), count, "{signature}");
    found
}

#[test]
fn it_mates_as_fast_as_possible() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules::CyclesDraw;
    let signatures = ["KRvKN", "KPPvK", "KNvKA", "KRvKAB"];
    generate(folder.path(), &signatures, rules);
    let tables = XiangqiTables::open(folder.path(), rules);
    let mut engine = start_with(folder.path(), rules);
    for signature in signatures {
        let is_won = |tables: &XiangqiTables, position: &Position| {
            tables.probe_wdl(position).unwrap() == Wdl::Win
        };
        for first in positions(&tables, signature, 6, is_won) {
            let mut line = History::new(first);
            let mut plies = tables.probe(&first).unwrap().dtm.unwrap().0;
            loop {
                let m = best_move(&mut engine, &line, &first);
                line.play(m);
                plies -= 1;
                if plies == 0 {
                    break;
                }
                // The longest defence.
                let defence = tables.moves(line.current()).unwrap()[0];
                assert_eq!(defence.value.dtm.map(|dtm| dtm.0), Some(plies - 1));
                line.play(defence.played);
                plies -= 1;
            }
            assert!(!line.current().has_legal_move(), "{}", first.to_fen());
        }
    }
    engine.quit();
}

/// More plies than it needs.
const LONG: usize = 400;

#[test]
fn it_wins_what_the_rule_of_perpetual_check_decides() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules::PerpetualCheck;
    generate(folder.path(), &["KRvKN", "KCAvKN"], rules);
    let tables = XiangqiTables::open(folder.path(), rules);
    let mut engine = start_with(folder.path(), rules);
    let mut random = Random(3);
    let [mut mates, mut checked_for_ever] = [0, 0];
    for (signature, count) in [("KRvKN", 6), ("KNvKCA", 6)] {
        let is_ruled =
            |tables: &XiangqiTables, position: &Position| tables.probe(position).unwrap().round > 0;
        for start in positions(&tables, signature, count, is_ruled) {
            for defence in [Defence::Random, Defence::Checking] {
                let mut line = History::new(start);
                let winner = match tables.probe_wdl(&start).unwrap() {
                    Wdl::Win => start.turn(),
                    _ => !start.turn(),
                };
                let loser = loop {
                    assert!(line.moves().len() < LONG, "{}", start.to_fen());
                    if !line.current().has_legal_move() {
                        mates += 1;
                        break line.current().turn();
                    }
                    let repetition = line.repetition().and_then(|again| again.loser());
                    if let Some(loser) = repetition {
                        checked_for_ever += 1;
                        break loser;
                    }
                    let m = match line.current().turn() == winner {
                        true => best_move(&mut engine, &line, &start),
                        false => defence.choose(line.current(), &mut random),
                    };
                    line.play(m);
                };
                assert_eq!(loser, !winner, "{} {defence:?}", start.to_fen());
            }
        }
    }
    assert!(
        mates > 5 && checked_for_ever > 1,
        "{mates} {checked_for_ever}"
    );
    engine.quit();
}
