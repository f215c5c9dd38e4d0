//! `retrograde probe`: the value of a position and of its moves.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::game::Game;
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::xiangqi::Rules;
use serde_json::json;

use super::answer::{Answer, LineAnswer};
use super::movetext::movetext;
use super::print::{MoveRow, best_line, move_rows, plies_or_dash, those_that_hold};
use super::solve::leaves::{TableLeaves, XiangqiLeaves, tables_if_any};
use super::{NoTables, Outcome, TableDirectory, input, xiangqi};

/// Look a position up: its value, and every legal move with its value, best first
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde probe '8/8/8/8/8/2k5/8/K1q5 w - - 0 1'\n  \
    retrograde probe 4k3/8/8/8/8/8/4P3/4K3 w - - --line\n  \
    retrograde probe --epd positions.epd > answers.jsonl\n  \
    retrograde probe '4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/3K4 b - - 0 1' --solved wall.solved\n  \
    retrograde probe '3k5/9/9/9/9/9/9/9/9/R3K4 w' --rules cycles-draw --line\n\n\
    A board of ten ranks is xiangqi. There dtc is plies to the next capture or mate, and moves are also written\n\
    in WXF notation.\n\n\
    wdl is 2 for a win to -2 for a loss, 1 and -1 where the fifty-move rule saves the loser. dtz and dtm are\n\
    plies to the next capture or pawn move and to mate: positive when the side to move wins. The values of a\n\
    move are those of the opponent, who is to move after it.\n\n\
    Distances from Syzygy tables may be rounded: ~15 is 15 plies or 16.\n\n\
    Values are those of a fresh fifty-move clock, whatever the clock of the FEN. The order of the moves takes it\n\
    into account: a win that comes too late for it stands behind one that does not.")]
pub struct Probe {
    /// The position, as one argument or several
    #[arg(required_unless_present = "epd", conflicts_with = "epd", num_args = 1..)]
    fen: Vec<String>,

    /// Show best play to the end
    #[arg(long)]
    line: bool,

    /// Answer every position of a file, or of the standard input, in one JSON object a line
    #[arg(long, value_name = "FILE|-")]
    epd: Option<String>,

    /// The game: chess or xiangqi [default: xiangqi for boards of ten ranks, else chess]
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,
    /// Ask a file that `solve --save` has written, and tables for what is behind its end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["epd", "line"])]
    solved: Option<PathBuf>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Probe {
    /// Answers and prints.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        if let Some(file) = &self.epd {
            let input = open_lines(file)?;
            return self.answer_lines(file, input, tables, out);
        }
        if input::means_xiangqi(self.game, &self.fen) {
            let position = input::xiangqi_position(&self.fen)?;
            if let Some(file) = &self.solved {
                let set = SolvedSet::open(file)?;
                let rules = set.rules();
                let open = XiangqiTables::open(tables.path(), rules);
                let leaves = XiangqiLeaves::new(&open, None, tables, rules)?;
                let answer = xiangqi::Answer::of_solved(&set, &position, &leaves)?;
                return xiangqi::print_answer(answer, &position, self.json, out);
            }
            return xiangqi::probe(&position, self.rules, self.line, self.json, tables, out);
        }
        // What is wrong with the position matters more than what is wrong with the tables.
        let position = input::position(&self.fen)?;
        let answer = match (&self.solved, tables.open()) {
            (Some(file), _) => {
                let set = SolvedSet::open(file)?;
                let tables = tables_if_any(tables)?;
                Answer::of_solved(&set, &position, &TableLeaves::new(&tables))?
            }
            (None, Ok(tables)) => Answer::new(&tables, &position, self.line)?,
            (None, Err(error)) if error.is::<NoTables>() => {
                Answer::without_tables(&position, error.to_string())?
            }
            (None, Err(error)) => return Err(error),
        };
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else if answer.reason.is_none() {
            print(&answer, &position, out)?;
        }
        Ok(match answer.reason {
            None => Outcome::Done,
            Some(reason) => Outcome::No(reason),
        })
    }

    fn answer_lines(
        &self,
        name: &str,
        mut input: Box<dyn BufRead>,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let chess = match self.game {
            Some(Game::Xiangqi) => None,
            _ => Some(directory.open()?),
        };
        let xiangqi = XiangqiTables::open(directory.path(), self.rules);
        let (mut bad, mut unknown, mut answered) = (0, 0, 0);
        let mut bytes = Vec::new();
        for number in 1u64.. {
            bytes.clear();
            // Bytes, not text: a line that is not UTF-8 is one bad line, not the end.
            let read = input
                .read_until(b'\n', &mut bytes)
                .map_err(|error| anyhow!("cannot read {name}: {error}; check --epd"))?;
            if read == 0 {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match self.answer_line(line, chess.as_ref(), &xiangqi)? {
                Ok((answer, is_known)) => {
                    unknown += u64::from(!is_known);
                    answered += u64::from(is_known);
                    writeln!(out, "{answer}")?;
                }
                Err(error) => {
                    bad += 1;
                    let answer =
                        json!({"error": error.to_string(), "line_number": number, "epd": line});
                    writeln!(out, "{answer}")?;
                }
            }
            if name == "-" {
                // Whoever feeds us may wait for the answer.
                out.flush()?;
            }
        }
        if bad > 0 {
            anyhow::bail!(
                "{bad} lines of {name} are no positions: look for \"error\" in the output ({answered} answered)"
            );
        }
        Ok(match unknown {
            0 => Outcome::Done,
            _ => Outcome::No(format!(
                "{unknown} positions of {name} are not in the tables: look for \"reason\" in the output \
                 ({answered} answered)"
            )),
        })
    }
}

impl Probe {
    /// The answer to a line and whether the tables have one, or what is wrong with the line.
    fn answer_line(
        &self,
        line: &str,
        chess: Option<&Tablebase>,
        xiangqi: &XiangqiTables,
    ) -> Result<Result<(String, bool)>> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Some(chess) = chess.filter(|_| !input::means_xiangqi(self.game, &words)) else {
            return match input::xiangqi_epd(&words) {
                Ok(position) => {
                    let answer = xiangqi::Answer::new(xiangqi, &position, self.line)?;
                    let json = serde_json::to_string(&answer)?;
                    Ok(Ok((json, answer.reason.is_none())))
                }
                Err(error) => Ok(Err(error)),
            };
        };
        match input::epd(&words) {
            Ok(position) => {
                let answer = Answer::new(chess, &position, self.line)?;
                let json = serde_json::to_string(&answer)?;
                Ok(Ok((json, answer.reason.is_none())))
            }
            Err(error) => Ok(Err(error)),
        }
    }
}

/// A file, or the standard input for `-`.
fn open_lines(name: &str) -> Result<Box<dyn BufRead>> {
    if name == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file =
        File::open(name).map_err(|error| anyhow!("cannot read {name}: {error}; check --epd"))?;
    Ok(Box::new(BufReader::new(file)))
}

fn print(answer: &Answer, position: &Position, out: &mut dyn Write) -> Result<()> {
    let distance = |plies: Option<i32>, precise: Option<i32>| match plies == precise {
        true => plies_or_dash(plies),
        false => format!("~{}", plies_or_dash(plies)),
    };
    writeln!(
        out,
        "{}, {} to move: {}, dtz {}, dtm {}",
        answer.material,
        position.turn(),
        answer.category,
        distance(answer.dtz, answer.precise_dtz),
        plies_or_dash(answer.dtm)
    )?;
    print_foreign_tables(answer, out)?;
    let remarks = [
        (answer.checkmate, "checkmate"),
        (answer.stalemate, "stalemate"),
        (answer.insufficient_material, "nobody can mate"),
    ];
    those_that_hold(&remarks, out)?;
    let rows = answer.moves.iter().map(|m| MoveRow {
        san: &m.san,
        result: m.category.to_owned(),
        dtz: distance(m.dtz, m.precise_dtz),
        dtm: plies_or_dash(m.dtm),
        checkmate: m.checkmate,
        stalemate: m.stalemate,
        zeroing: m.zeroing,
    });
    move_rows(rows, out)?;
    if let Some(line) = &answer.line {
        print_line(line, position, out)?;
    }
    Ok(())
}

/// Says which tables answered if not all of them are our own.
fn print_foreign_tables(answer: &Answer, out: &mut dyn Write) -> Result<()> {
    if answer.tables.iter().all(|table| table.format == "native") {
        return Ok(());
    }
    let tables: Vec<String> = answer
        .tables
        .iter()
        .map(|table| format!("{} ({})", table.file.display(), table.format))
        .collect();
    writeln!(out, "from {}", tables.join(", "))?;
    Ok(())
}

pub fn print_line(line: &LineAnswer, position: &Position, out: &mut dyn Write) -> Result<()> {
    if line.san.is_empty() {
        let reason = line.reason.as_deref();
        let reason = reason.unwrap_or("the game is over or drawn");
        writeln!(out, "\nno line: {reason}")?;
        return Ok(());
    }
    let metric = match line.plies_by_metric {
        None => line.metric.to_owned(),
        Some(plies) => format!("{} for {plies} plies, from there by dtz", line.metric),
    };
    let words = movetext(position.fullmoves(), position.turn(), &line.san);
    let reason = line.reason.as_deref();
    best_line(&metric, line.san.len(), line.end, &words, reason, out)
}
