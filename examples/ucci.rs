//! A small xiangqi engine that plays by the tables what they know, and by a short search what they
//! do not.
//!
//! It speaks UCCI, and UCI with ranks from 0 to 9:
//!
//! ```text
//! cargo run --release --example ucci
//! ucci
//! setoption tables tables
//! position fen 9/9/4k4/9/9/9/9/9/3K5/n2R5 w
//! go depth 3
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `tables` | the folder of tables that `retrograde generate --game xiangqi` was given |
//! | `rules` | `perpetual-check` or `cycles-draw` |
//!
//! In a position of the tables every move has a value. One of the best class is played: in a won
//! position the first of the list, which gets nearer with every move; in a drawn one what the
//! search likes best. Inside the search tables are asked right after captures, which every way to
//! so few men goes through.

use std::error::Error;
use std::io::BufRead;
use std::path::Path;
use std::str::SplitWhitespace;

use retrograde::game::Color;
use retrograde::metric::Wdl;
use retrograde::probe::xiangqi::{XiangqiMove, XiangqiTables, XiangqiValue};
use retrograde::xiangqi::Rules;
use retrograde::xiangqi::{History, Move, Position, Role};

/// Plies of the search if nothing is said, and the most it goes to.
const DEFAULT_DEPTH: u32 = 3;
const MAX_DEPTH: u32 = 6;
/// The score of the side that has won; a ply away from it takes one off.
const WON: i32 = 30_000;
/// The score of a win that is known from the tables inside the search.
const WON_BY_TABLE: i32 = 20_000;

/// Which of the two languages the other program speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Ucci,
    Uci,
}

struct Engine {
    language: Language,
    line: History,
    folder: Option<String>,
    rules: Rules,
    tables: Option<XiangqiTables>,
}

/// What is played, and why.
struct Choice {
    best: Move,
    /// For the player.
    score: i32,
    /// Known from the tables.
    value: Option<XiangqiValue>,
}

impl Engine {
    /// Does what a line says; whether to go on.
    fn obey(&mut self, line: &str) -> Result<bool, Box<dyn Error>> {
        let mut words = line.split_whitespace();
        match words.next().unwrap_or("") {
            "ucci" => self.introduce(Language::Ucci),
            "uci" => self.introduce(Language::Uci),
            "isready" => println!("readyok"),
            "setoption" => self.set_option(&mut words)?,
            "position" => self.set_position(&mut words)?,
            "go" => self.go(&mut words)?,
            "quit" => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    fn introduce(&mut self, language: Language) {
        self.language = language;
        println!(
            "id name retrograde xiangqi example {}",
            env!("CARGO_PKG_VERSION")
        );
        println!("id author the authors of retrograde");
        let name = match language {
            Language::Ucci => "",
            Language::Uci => "name ",
        };
        println!("option {name}tables type string default <empty>");
        println!(
            "option {name}rules type combo var perpetual-check var cycles-draw default {}",
            self.rules
        );
        match language {
            Language::Ucci => println!("ucciok"),
            Language::Uci => println!("uciok"),
        }
    }

    fn set_option(&mut self, words: &mut SplitWhitespace<'_>) -> Result<(), Box<dyn Error>> {
        let mut words: Vec<&str> = words.collect();
        // UCI says `name tables value FOLDER`, UCCI `tables FOLDER`.
        words.retain(|word| self.language == Language::Ucci || !matches!(*word, "name" | "value"));
        let (name, value) = words.split_first().ok_or("an option has a name")?;
        let value = value.join(" ");
        match *name {
            "tables" => self.folder = Some(value).filter(|folder| !folder.is_empty()),
            "rules" => self.rules = value.parse()?,
            _ => return Err(format!("no option {name}; there are tables and rules").into()),
        }
        let open = |folder: &String| XiangqiTables::open(Path::new(folder), self.rules);
        self.tables = self.folder.as_ref().map(open);
        Ok(())
    }

    /// `startpos` or `fen FEN`, and `moves`.
    fn set_position(&mut self, words: &mut SplitWhitespace<'_>) -> Result<(), Box<dyn Error>> {
        let all: Vec<&str> = words.collect();
        let (position, moves) = match all.iter().position(|word| *word == "moves") {
            Some(at) => (&all[..at], &all[at + 1..]),
            None => (&all[..], &all[..0]),
        };
        let first = match position.split_first() {
            Some((&"startpos", _)) => Position::start(),
            Some((&"fen", fen)) => Position::from_fen(&fen.join(" "))?,
            _ => return Err("write position startpos, or position fen and a FEN".into()),
        };
        let mut line = History::new(first);
        for name in moves {
            let m = Move::from_iccs(line.current(), name)?;
            line.play(m);
        }
        self.line = line;
        Ok(())
    }

    fn go(&mut self, words: &mut SplitWhitespace<'_>) -> Result<(), Box<dyn Error>> {
        let mut depth = DEFAULT_DEPTH;
        while let Some(word) = words.next() {
            if word == "depth" {
                let number = words.next().ok_or("a number is missing")?;
                depth = number.parse::<u32>()?.clamp(1, MAX_DEPTH);
            }
        }
        let position = *self.line.current();
        let Some(choice) = self.choose(&position, depth) else {
            match self.language {
                Language::Ucci => println!("nobestmove"),
                Language::Uci => println!("bestmove 0000"),
            }
            return Ok(());
        };
        let score = match (self.language, choice.value.and_then(|value| value.dtm)) {
            (Language::Ucci, _) => format!("{}", choice.score),
            (Language::Uci, Some(dtm)) => format!("mate {}", (dtm.0 + dtm.0.signum()) / 2),
            (Language::Uci, None) => format!("cp {}", choice.score),
        };
        println!(
            "info depth {depth} score {score} pv {}",
            choice.best.to_iccs()
        );
        println!("bestmove {}", choice.best.to_iccs());
        Ok(())
    }

    /// The move to play; nothing if there is none, and the game is over.
    fn choose(&self, position: &Position, depth: u32) -> Option<Choice> {
        let ranked = self.ranked(position);
        let candidates: Vec<Move> = match &ranked {
            // All that are as good as the best.
            Some((_, moves)) => {
                let best = moves.first()?.value.wdl;
                let class = moves.iter().take_while(|m| m.value.wdl == best);
                class.map(|m| m.played).collect()
            }
            None => position.legal_moves().into_iter().collect(),
        };
        let first = *candidates.first()?;
        if let Some((value, _)) = &ranked
            && value.wdl != Wdl::Draw
        {
            let plies = value.dtm.map_or(0, |dtm| dtm.0.abs());
            let sign = value.wdl.signum2().signum();
            return Some(Choice {
                best: first,
                score: sign * (WON - plies),
                value: Some(*value),
            });
        }
        let mut best = (first, -WON);
        for m in candidates {
            let score = -self.search(&position.play(m), depth - 1, -WON, -best.1, 1);
            if score > best.1 {
                best = (m, score);
            }
        }
        Some(Choice {
            best: best.0,
            score: best.1,
            value: ranked.map(|(value, _)| value),
        })
    }

    /// What the tables say of a position and its moves, the best first; nothing if they do not know
    /// all of it.
    fn ranked(&self, position: &Position) -> Option<(XiangqiValue, Vec<XiangqiMove>)> {
        let tables = self.tables.as_ref()?;
        Some((tables.probe(position).ok()?, tables.moves(position).ok()?))
    }

    /// Negamax with alpha and beta; the score is that of the side to move.
    fn search(&self, position: &Position, depth: u32, alpha: i32, beta: i32, ply: i32) -> i32 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return ply - WON;
        }
        if depth == 0 {
            return material(position);
        }
        let mut best = alpha;
        for m in &moves {
            let next = position.play(m);
            let known = match &self.tables {
                Some(tables) if m.is_capture() => tables.probe_wdl(&next).ok(),
                _ => None,
            };
            let score = match known {
                Some(wdl) => -wdl.signum2().signum() * WON_BY_TABLE,
                None => -self.search(&next, depth - 1, -beta, -best, ply + 1),
            };
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        best
    }
}

/// What the men are worth, for the side to move.
fn material(position: &Position) -> i32 {
    let worth = |role: Role| match role {
        Role::Rook => 1000,
        Role::Cannon => 480,
        Role::Knight => 430,
        Role::Advisor | Role::Elephant => 150,
        Role::Pawn => 120,
        Role::King => 0,
    };
    let side = |color: Color| -> i32 {
        let count = |role| position.count(color, role) as i32 * worth(role);
        Role::ALL.into_iter().map(count).sum()
    };
    side(position.turn()) - side(!position.turn())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine {
        language: Language::Ucci,
        line: History::new(Position::start()),
        folder: None,
        rules: Rules::default(),
        tables: None,
    };
    for line in std::io::stdin().lock().lines() {
        match engine.obey(line?.trim()) {
            Ok(true) => {}
            Ok(false) => break,
            // A xiangqi program shows it to its user and goes on.
            Err(error) => println!("info string {error}"),
        }
    }
    if engine.language == Language::Ucci {
        println!("bye");
    }
    Ok(())
}
