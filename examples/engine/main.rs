//! A small chess engine that asks tables, to show how and to measure what they cost.
//!
//! It speaks UCI, so any chess program can play with it:
//!
//! ```text
//! cargo run --release --example engine
//! setoption name TablePath value tables
//! position fen 8/8/8/8/8/2k5/1R6/K7 w - - 0 1
//! go movetime 1000
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `TablePath` | folders of tables of our own, separated as in `PATH` |
//! | `SyzygyPath` | folders of Syzygy tables; where both have a material, our own answer |
//! | `Hash` | mebibytes for the transposition table |
//! | `ProbeCache` | kibibytes for results of probes |
//!
//! Beside UCI there is `bench [DEPTH] [FILE]`: nodes a second with and without tables. The
//! positions that tables were asked about go to the file, one FEN a line.
//!
//! [`search`] says when tables are asked and when not.

mod bench;
mod evaluation;
mod search;
mod transposition;

use std::error::Error;
use std::io::BufRead;
use std::str::{FromStr, SplitWhitespace};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use retrograde::Tablebase;
use retrograde::chess::{Move, Position};
use retrograde::game::Color;
use retrograde::game::repetition::Line;
use retrograde::probe::ProbeOptions;

use search::{Limits, MATE, MATE_IN_SIGHT, Report, Search};
use transposition::Transpositions;

/// Moves that the rest of a game is expected to have.
const MOVES_TO_GO: u32 = 30;
/// What is left of the time for moves to and fro.
const RESERVE: Duration = Duration::from_millis(20);
const DEFAULT_HASH: usize = 16;
const DEFAULT_BENCH_DEPTH: usize = 8;

/// A game and what has been repeated in it.
#[derive(Clone, Debug)]
struct Game {
    line: Line<Position>,
    /// Whether a position has come up again since the last capture or pawn move.
    has_repeated: bool,
}

impl Game {
    fn new(first: Position) -> Game {
        Game {
            line: Line::new(first),
            has_repeated: false,
        }
    }

    fn play(&mut self, m: Move) {
        self.line.play(m);
        let may_repeat = !m.is_zeroing();
        self.has_repeated = may_repeat && (self.has_repeated || self.line.is_repeated(2));
    }
}

/// What the other program has told so far.
struct Engine {
    game: Game,
    table_path: String,
    syzygy_path: String,
    result_bytes: usize,
    tables: Option<Arc<Tablebase>>,
    hash: usize,
    /// Away while a search uses it.
    transpositions: Option<Transpositions>,
    stop: Arc<AtomicBool>,
    search: Option<JoinHandle<Transpositions>>,
}

impl Engine {
    fn new() -> Engine {
        Engine {
            game: Game::new(Position::start()),
            table_path: String::new(),
            syzygy_path: String::new(),
            result_bytes: ProbeOptions::default().result_bytes,
            tables: None,
            hash: DEFAULT_HASH,
            transpositions: None,
            stop: Arc::default(),
            search: None,
        }
    }

    /// Does what a line says; whether to go on.
    fn obey(&mut self, line: &str) -> Result<bool, Box<dyn Error>> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => introduce(),
            Some("isready") => println!("readyok"),
            Some("stop") => {
                self.stop.store(true, Ordering::Relaxed);
                self.wait();
            }
            Some("quit") => return Ok(false),
            Some("ucinewgame") => {
                self.wait();
                self.transpositions = None;
            }
            Some("setoption") => {
                self.wait();
                self.set_option(line)?;
            }
            Some("position") => {
                self.wait();
                self.set_position(words)?;
            }
            Some("go") => {
                self.wait();
                self.go(words)?;
            }
            Some("bench") => {
                self.wait();
                let depth = words
                    .next()
                    .map_or(Ok(DEFAULT_BENCH_DEPTH), usize::from_str)?;
                bench::run(self.tables.as_deref(), self.hash, depth, words.next())?;
            }
            // What is not understood is to be ignored.
            _ => {}
        }
        Ok(true)
    }

    /// Waits for the search to end.
    fn wait(&mut self) {
        if let Some(search) = self.search.take() {
            self.transpositions = search.join().ok();
        }
    }

    fn set_option(&mut self, line: &str) -> Result<(), Box<dyn Error>> {
        let text = line
            .split_once("name ")
            .ok_or("setoption without a name")?
            .1;
        let (name, value) = text.split_once(" value ").unwrap_or((text, ""));
        let value = match value.trim() {
            "<empty>" => "",
            value => value,
        };
        match name.trim().to_ascii_lowercase().as_str() {
            "hash" => {
                self.hash = value.parse()?;
                self.transpositions = None;
            }
            "probecache" => {
                self.result_bytes = value.parse::<usize>()? << 10;
                self.open_tables()?;
            }
            "tablepath" => {
                value.clone_into(&mut self.table_path);
                self.open_tables()?;
            }
            "syzygypath" => {
                value.clone_into(&mut self.syzygy_path);
                self.open_tables()?;
            }
            _ => return Err(format!("no option {name}").into()),
        }
        Ok(())
    }

    fn open_tables(&mut self) -> Result<(), Box<dyn Error>> {
        self.tables = None;
        let paths = [&self.table_path, &self.syzygy_path];
        let folders: Vec<_> = paths
            .into_iter()
            .flat_map(std::env::split_paths)
            .filter(|folder| !folder.as_os_str().is_empty())
            .collect();
        if folders.is_empty() {
            return Ok(());
        }
        let options = ProbeOptions {
            result_bytes: self.result_bytes,
            ..ProbeOptions::default()
        };
        let tables = Tablebase::open_with(&folders, &options)?;
        // What captures lead to is asked most.
        if let Err(error) = tables.prefetch_results(4) {
            println!("info string {error}");
        }
        println!(
            "info string {} tables, of up to {} men",
            tables.tables().len(),
            tables.max_men()
        );
        self.tables = Some(Arc::new(tables));
        Ok(())
    }

    fn set_position(&mut self, mut words: SplitWhitespace<'_>) -> Result<(), Box<dyn Error>> {
        let mut game = match words.next() {
            Some("startpos") => {
                let _ = words.next();
                Game::new(Position::start())
            }
            Some("fen") => {
                let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
                Game::new(Position::from_fen(&fen.join(" "))?)
            }
            _ => return Err("position is followed by startpos or fen".into()),
        };
        for word in words {
            let m = Move::from_uci(game.line.current(), word)?;
            game.play(m);
        }
        self.game = game;
        Ok(())
    }

    fn go(&mut self, words: SplitWhitespace<'_>) -> Result<(), Box<dyn Error>> {
        let limits = limits(words, self.game.line.current().turn())?;
        let game = self.game.clone();
        let tables = self.tables.clone();
        self.stop = Arc::default();
        let stop = Arc::clone(&self.stop);
        let hash = self.hash;
        let transpositions = self.transpositions.take();
        let mut transpositions = transpositions.unwrap_or_else(|| Transpositions::new(hash));
        self.search = Some(thread::spawn(move || {
            let mut search = Search::new(
                &game.line,
                tables.as_deref(),
                &mut transpositions,
                limits,
                &stop,
            );
            let report = search.run(game.has_repeated, &mut |report| print_report(report));
            match report.line.first() {
                Some(best) => println!("bestmove {best}"),
                None => println!("bestmove 0000"),
            }
            transpositions
        }));
        Ok(())
    }
}

fn introduce() {
    println!("id name retrograde example {}", env!("CARGO_PKG_VERSION"));
    println!("id author the authors of retrograde");
    println!("option name Hash type spin default {DEFAULT_HASH} min 1 max 65536");
    println!("option name TablePath type string default <empty>");
    println!("option name SyzygyPath type string default <empty>");
    let kibibytes = ProbeOptions::default().result_bytes >> 10;
    println!("option name ProbeCache type spin default {kibibytes} min 0 max 1048576");
    println!("uciok");
}

/// When to stop, as `go` says.
fn limits(mut words: SplitWhitespace<'_>, turn: Color) -> Result<Limits, Box<dyn Error>> {
    let mut limits = Limits::default();
    let mut remaining = None;
    let mut increment = Duration::ZERO;
    let mut moves_to_go = MOVES_TO_GO;
    let [time, bonus] = match turn {
        Color::White => ["wtime", "winc"],
        Color::Black => ["btime", "binc"],
    };
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, Box<dyn Error>> {
            let number = words.next().ok_or("a number is missing")?;
            // A clock may have run out.
            Ok(number.parse::<i64>()?.max(0) as u64)
        };
        match word {
            "depth" => limits.depth = number()? as usize,
            "nodes" => limits.nodes = number()?,
            "movetime" => limits.time = Some(Duration::from_millis(number()?)),
            "movestogo" => moves_to_go = (number()? as u32).max(1),
            _ if word == time => remaining = Some(Duration::from_millis(number()?)),
            _ if word == bonus => increment = Duration::from_millis(number()?),
            _ => {}
        }
    }
    if let Some(remaining) = remaining {
        let share = remaining / moves_to_go + increment * 3 / 4;
        limits.time = Some(share.min(remaining / 2).saturating_sub(RESERVE));
    }
    Ok(limits)
}

fn print_report(report: &Report) {
    let &Report { score, time, .. } = report;
    let moves = (MATE - score.abs() + 1) / 2;
    let score = match score {
        MATE_IN_SIGHT.. => format!("mate {moves}"),
        _ if score <= -MATE_IN_SIGHT => format!("mate -{moves}"),
        _ => format!("cp {score}"),
    };
    let nodes_a_second = report.nodes as f64 / time.as_secs_f64().max(1e-6);
    let line: Vec<String> = report.line.iter().map(|m| m.to_uci()).collect();
    println!(
        "info depth {} score {score} nodes {} nps {nodes_a_second:.0} tbhits {} time {} pv {}",
        report.depth,
        report.nodes,
        report.table_hits,
        time.as_millis(),
        line.join(" ")
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::new();
    for line in std::io::stdin().lock().lines() {
        match engine.obey(line?.trim()) {
            Ok(true) => {}
            Ok(false) => break,
            // A chess program shows it to its user and goes on.
            Err(error) => println!("info string {error}"),
        }
    }
    engine.stop.store(true, Ordering::Relaxed);
    engine.wait();
    Ok(())
}
