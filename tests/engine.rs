//! The example engine, by conversation.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use retrograde::Tablebase;
use retrograde::chess::material::Material;
use retrograde::chess::{Move, Position};
use retrograde::metric::{Dtm, Wdl};

use crate::examples::build;
use crate::probe;
use crate::probe::random::Random;

/// A running engine.
pub struct Engine {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Engine {
        static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| {
            build("engine").join(format!("engine{}", std::env::consts::EXE_SUFFIX))
        });
        Engine::run(&mut Command::new(program))
    }

    /// Starts a program that speaks UCI, or a language like it.
    pub fn run(program: &mut Command) -> Engine {
        let mut process = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Engine {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()).lines(),
            process,
        }
    }

    fn with_tables(folder: &Path) -> Engine {
        let mut engine = Engine::start();
        engine.say(&format!(
            "setoption name TablePath value {}",
            folder.display()
        ));
        engine.ready();
        engine
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// What it says up to a line that begins like this, which is the last.
    pub fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            let line = self.output.next();
            let line = line.unwrap_or_else(|| panic!("ended after {said:?}"));
            said.push(line.unwrap());
            if said.last().is_some_and(|line| line.starts_with(beginning)) {
                return said;
            }
        }
    }

    /// What it has said until it is ready.
    pub fn ready(&mut self) -> Vec<String> {
        self.say("isready");
        self.until("readyok")
    }

    /// Searches; returns what it said last about the score, and the best move.
    fn go(&mut self, limit: &str) -> (String, String) {
        self.say(&format!("go {limit}"));
        let said = self.until("bestmove");
        let info = said.iter().rfind(|line| line.starts_with("info depth"));
        let best = said.last().unwrap().trim_start_matches("bestmove ");
        (info.cloned().unwrap_or_default(), best.to_owned())
    }

    pub fn quit(mut self) {
        self.say("quit");
        assert!(self.process.wait().unwrap().success());
    }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The number after a word.
fn number(line: &str, word: &str) -> i64 {
    let mut words = line.split(' ').skip_while(|&other| other != word);
    let number = words.nth(1).unwrap_or_else(|| panic!("no {word}: {line}"));
    number.parse().unwrap()
}

#[test]
fn it_speaks_uci() {
    let mut engine = Engine::start();
    engine.say("uci");
    let said = engine.until("uciok");
    assert!(said.iter().any(|line| line.starts_with("id name ")));
    for option in ["Hash", "TablePath", "SyzygyPath", "ProbeCache"] {
        let option = format!("option name {option} type ");
        assert!(said.iter().any(|line| line.starts_with(&option)));
    }
    assert_eq!(engine.ready(), ["readyok"]);
    engine.say("setoption name Hash value 2");
    engine.say("ucinewgame");
    engine.say("position startpos moves e2e4 e7e5 g1f3");
    let game = ["e2e4", "e7e5", "g1f3"]
        .iter()
        .fold(Position::start(), |position, uci| {
            position.play(Move::from_uci(&position, uci).unwrap())
        });
    for limit in [
        "depth 3",
        "movetime 30",
        "nodes 5000",
        "wtime 600 btime 600 winc 10 binc 10",
        "wtime -5 btime -5 movestogo 1",
    ] {
        let (info, best) = engine.go(limit);
        assert!(Move::from_uci(&game, &best).is_ok(), "{limit}: {best}");
        let line = info.split(" pv ").nth(1).unwrap_or(&best);
        assert!(line.starts_with(&best), "{limit}: {info}");
    }
    engine.say("go infinite");
    assert_eq!(engine.ready().last().unwrap(), "readyok");
    engine.say("stop");
    let said = engine.until("bestmove");
    assert!(said.last().unwrap().len() > "bestmove ".len());
    // What cannot be understood is told, or ignored, and all goes on.
    for (line, answer) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "0 kings"),
        ("position startpos moves e2e5", "e2e5"),
        ("setoption name Nonsense value 1", "no option"),
        (
            "setoption name TablePath value nowhere at all",
            "nowhere at all",
        ),
        ("go depth", "number"),
    ] {
        engine.say(line);
        let said = engine.ready();
        assert!(said[0].starts_with("info string "), "{line}: {said:?}");
        assert!(said[0].contains(answer), "{line}: {said:?}");
    }
    engine.say("what is this");
    assert_eq!(engine.ready(), ["readyok"]);
    // Mated already.
    engine.say("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(engine.go("depth 2").1, "0000");
    engine.quit();
}

#[test]
fn it_finds_a_mate_without_tables() {
    let mut engine = Engine::start();
    engine.say("position fen 6k1/5ppp/8/8/8/8/4r3/R3K3 w Q - 0 1");
    let (_, best) = engine.go("depth 3");
    assert_eq!(best, "e1e2");
    engine.say("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    let (info, best) = engine.go("depth 3");
    assert_eq!(best, "a1a8");
    assert_eq!(number(&info, "mate"), 1);
    engine.say("position fen k7/8/8/1K6/8/8/8/7R w - - 0 1");
    let (info, _) = engine.go("depth 6");
    assert_eq!(number(&info, "mate"), 2);
    engine.quit();
}

/// Plays a won position against the longest defence; every move has to be on a shortest way to
/// mate.
fn mates_as_fast_as_possible(
    engine: &mut Engine,
    tables: &Tablebase,
    start: &Position,
    random: &mut Random,
) {
    let fen = start.to_fen();
    let mut position = *start;
    let mut told = format!("position fen {fen} moves");
    let mut play = |position: &mut Position, m: Move| {
        told = format!("{told} {m}");
        *position = position.play(m);
        told.clone()
    };
    let mut question = format!("position fen {fen}");
    let mut plies = tables.probe_dtm(start).unwrap().unwrap().0;
    loop {
        engine.say(&question);
        let (info, best) = engine.go("depth 3");
        assert_eq!(
            i64::from(plies + 1) / 2,
            number(&info, "mate"),
            "{question}: {info}"
        );
        let m = Move::from_uci(&position, &best).unwrap();
        play(&mut position, m);
        plies -= 1;
        if plies == 0 {
            assert!(position.is_checkmate(), "{question}: {best}");
            return;
        }
        let left = tables.probe_dtm(&position).unwrap();
        assert_eq!(left, Some(Dtm(-plies)), "{question}: {best}");
        let mut longest = tables.root_moves(&position).unwrap();
        longest.retain(|m| m.dtm == Some(Dtm(plies - 1)));
        let defence = longest[random.below(longest.len() as u64) as usize].played;
        question = play(&mut position, defence);
        plies -= 1;
    }
}

/// Won positions of a material, as many as are found easily.
fn won(
    tables: &Tablebase,
    material: &Material,
    count: usize,
    random: &mut Random,
) -> Vec<Position> {
    (0..300)
        .map(|_| random.position(material))
        .filter(|position| tables.probe_wdl(position).unwrap() == Wdl::Win)
        .take(count)
        .collect()
}

#[test]
fn it_mates_as_fast_as_possible_with_three_men() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let mut engine = Engine::with_tables(probe::three_men());
    let mut random = Random(3);
    let mut mates = 0;
    for material in Material::all_with_men(3) {
        for position in won(&tables, &material, 8, &mut random) {
            mates_as_fast_as_possible(&mut engine, &tables, &position, &mut random);
            mates += 1;
        }
    }
    assert_eq!(mates, 24);
    engine.quit();
}

#[test]
fn it_mates_as_fast_as_possible_with_four_men() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    let mut engine = Engine::with_tables(probe::directory());
    let mut random = Random(4);
    let mut mates = 0;
    for material in Material::all_with_men(4) {
        for position in won(&tables, &material, 3, &mut random) {
            mates_as_fast_as_possible(&mut engine, &tables, &position, &mut random);
            mates += 1;
        }
    }
    assert!(mates > 60, "{mates}");
    engine.quit();
}

#[test]
fn it_makes_progress_by_distances_to_zeroing_alone() {
    let folder = tempfile::tempdir().unwrap();
    for file in Tablebase::open(probe::three_men()).unwrap().tables() {
        let name = file.path().file_name().unwrap();
        if !name.to_str().unwrap().ends_with(".dtm") {
            std::fs::copy(file.path(), folder.path().join(name)).unwrap();
        }
    }
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let mut engine = Engine::with_tables(folder.path());
    let mut random = Random(6);
    for material in ["KQvK", "KRvK", "KPvK"] {
        let material = material.parse().unwrap();
        for start in won(&tables, &material, 2, &mut random) {
            let mut position = start;
            let mut question = format!("position fen {} moves", start.to_fen());
            while !position.is_checkmate() {
                assert!(position.halfmoves() < 100, "{question}");
                engine.say(&question);
                let (_, best) = engine.go("depth 3");
                let m = Move::from_uci(&position, &best).unwrap();
                position = position.play(m);
                question = format!("{question} {m}");
                if position.is_checkmate() {
                    break;
                }
                assert_eq!(
                    tables.probe_wdl_after_zeroing(&position).unwrap(),
                    Wdl::Loss
                );
                let defence = tables.root_moves(&position).unwrap()[0].played;
                position = position.play(defence);
                question = format!("{question} {defence}");
            }
        }
    }
    engine.quit();
}

#[test]
fn it_asks_tables_inside_the_search() {
    let mut engine = Engine::with_tables(probe::three_men());
    // Of four men. To take the rook wins, as the pawn gets through; a table knows.
    engine.say("position fen 8/8/8/4P3/3rK3/8/8/7k w - - 0 1");
    let (info, best) = engine.go("depth 2");
    assert_eq!(best, "e4d4");
    assert!(number(&info, "cp") > 19_000, "{info}");
    assert!(number(&info, "tbhits") > 0, "{info}");
    engine.quit();
}

#[test]
fn bench_prints_nodes_a_second_and_records_positions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions");
    let mut engine = Engine::with_tables(probe::directory());
    engine.say(&format!("bench 6 {}", file.display()));
    let said = engine.ready();
    for name in ["without tables: ", "with tables: "] {
        let line = said.iter().find(|line| line.starts_with(name)).unwrap();
        assert!(line.contains(" nodes/s"), "{line}");
    }
    engine.quit();
    let recorded = std::fs::read_to_string(file).unwrap();
    assert!(recorded.lines().count() > 20);
    let tables = Tablebase::open(probe::directory()).unwrap();
    for fen in recorded.lines() {
        let position = position(fen);
        assert_eq!(position.halfmoves(), 0, "{fen}");
        tables.probe_wdl(&position).unwrap();
    }
}
