//! `retrograde probe`: the value of a position and of its moves.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use retrograde::game::Game;
use retrograde::probe::ProbeError;
use retrograde::probe::solved::SolvedSet;
use retrograde::xiangqi::Rules;
use retrograde::{chess, xiangqi};
use serde::Serialize;
use serde_json::json;

use super::answer::Answer;
use super::directory::{NoTables, TableDirectory};
use super::game::CliGame;
use super::print::counted;
use super::show::{By, Show, board};
use super::{Outcome, input};

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
    The category is that with the clock of the FEN: a win counts if the clock and dtz are 100 at most together.\n\
    wdl, dtz and dtm are those of a fresh clock.")]
pub struct Probe {
    /// The position, as one argument or several, `_` for a space; `-` is `--epd -`
    #[arg(required_unless_present = "epd", conflicts_with = "epd", num_args = 1..)]
    fen: Vec<String>,

    #[command(flatten)]
    show: Show,

    /// Order moves, and choose those of the line, by plies to the next capture or pawn move (dtz)
    /// or to mate
    #[arg(long, value_name = "METRIC", value_enum, default_value_t)]
    by: By,

    /// Answer every position of a file, or of the standard input, in one JSON object a line
    #[arg(long, value_name = "FILE|-")]
    epd: Option<String>,

    /// The game: chess or xiangqi [default: xiangqi for boards of ten ranks, else chess]
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Ask a file that `solve --save` has written, and tables for what is behind its end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["epd", "line", "pgn", "by"])]
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
        let standard_input = (self.fen == ["-"]).then(|| "-".to_owned());
        if let Some(file) = self.epd.as_ref().or(standard_input.as_ref()) {
            let input = open_lines(file)?;
            return self.answer_lines(file, input, tables, out);
        }
        let mut answer = match input::means_xiangqi(self.game, &self.fen) {
            true => self.answer::<xiangqi::Position>(tables)?,
            false => self.answer::<chess::Position>(tables)?,
        };
        answer.spell_as(&self.fen);
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else if self.show.only_pgn() {
            write!(out, "{}", answer.pgn.as_deref().unwrap_or_default())?;
        } else if answer.reason.is_none() {
            if self.show.board {
                writeln!(out, "{}", board(&answer.fen))?;
            }
            answer.print(out)?;
        }
        Ok(match answer.reason {
            None => Outcome::Done,
            Some(reason) => Outcome::No(reason),
        })
    }

    /// Asks the file of solved positions, or else the tables.
    fn answer<P: CliGame>(&self, directory: &TableDirectory) -> Result<Answer> {
        // What is wrong with the position matters more than what is wrong with the tables.
        let position = P::read(&self.fen)?;
        if let Some(file) = &self.solved {
            let set: SolvedSet<P> = SolvedSet::open(file)?;
            let (rules, directory) = (set.rules(), Some(directory));
            let tables = P::tables(directory, rules)?;
            let leaves = P::leaves(&tables, directory, None, rules)?;
            return position.probe_solved(&set, &leaves);
        }
        match P::open(directory, self.rules) {
            Ok(tables) => self.ask(&position, &tables, directory),
            Err(error) if error.is::<NoTables>() => {
                let mut answer = position.probe(&P::tables(None, self.rules)?, self.by)?;
                // There may be a better one.
                let castling = ProbeError::CastlingRights.to_string();
                if let Some(reason) = answer.reason.as_mut().filter(|it| **it != castling) {
                    *reason = error.to_string();
                }
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks the tables, also for the line if that is wanted.
    fn ask<P: CliGame>(
        &self,
        position: &P,
        tables: &P::Tables,
        directory: &TableDirectory,
    ) -> Result<Answer> {
        let mut answer = position.probe(tables, self.by)?;
        answer.reason = answer.reason.map(|reason| directory.advised(reason));
        if self.show.wants_line() && answer.reason.is_none() {
            let mut line = position.line(tables, self.by)?;
            line.reason = line.reason.map(|reason| directory.advised(reason));
            self.show.add(line, "retrograde probe", &mut answer);
        }
        Ok(answer)
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
            _ => Some(chess::Position::open(directory, self.rules)?),
        };
        let xiangqi = xiangqi::Position::open(directory, self.rules)?;
        let (mut bad, mut failed, mut unknown, mut answered) = (0, 0, 0, 0);
        let mut bytes = Vec::new();
        let mut is_after_return = false;
        for number in 1u64.. {
            let read = read_line(&mut input, &mut bytes, &mut is_after_return)
                .map_err(|error| anyhow!("cannot read {name}: {error}; check --epd"))?;
            if !read {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            // Some editors write a mark of byte order before the first line.
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let answer = match &chess {
                _ if bytes.len() > MAX_LINE_BYTES => Err(LineError::NoPosition(anyhow!(
                    "the line is longer than {MAX_LINE_BYTES} bytes; write one position a line"
                ))),
                Some(tables) if !input::means_xiangqi(self.game, &words) => {
                    self.answer_line::<chess::Position>(number, &words, tables, directory)
                }
                _ => self.answer_line::<xiangqi::Position>(number, &words, &xiangqi, directory),
            };
            match answer {
                Ok(answer) => {
                    let is_known = answer.answer.reason.is_none();
                    unknown += usize::from(!is_known);
                    answered += u64::from(is_known);
                    writeln!(out, "{}", serde_json::to_string(&answer)?)?;
                }
                Err(error) => {
                    let error = match error {
                        LineError::NoPosition(error) => {
                            bad += 1;
                            error
                        }
                        LineError::Tables(error) => {
                            failed += 1;
                            error
                        }
                    };
                    let epd: String = line.chars().take(MAX_LINE_SHOWN).collect();
                    let error = directory.advised(error.to_string());
                    let answer = json!({"error": error, "line_number": number, "epd": epd});
                    writeln!(out, "{answer}")?;
                }
            }
            if name == "-" {
                // Whoever feeds us may wait for the answer.
                out.flush()?;
            }
        }
        let mut problems = Vec::new();
        if bad > 0 {
            problems.push(match bad {
                1 => format!("1 line of {name} is no position"),
                _ => format!("{bad} lines of {name} are no positions"),
            });
        }
        if failed > 0 {
            problems.push(match failed {
                1 => format!("1 position of {name} needs a damaged table"),
                _ => format!("{failed} positions of {name} need a damaged table"),
            });
        }
        if !problems.is_empty() {
            anyhow::bail!(
                "{}: look for \"error\" in the output ({answered} answered)",
                problems.join(" and ")
            );
        }
        Ok(match unknown {
            0 => Outcome::Done,
            _ => Outcome::No(format!(
                "{} of {name} {} not in the tables: look for \"reason\" in the output \
                 ({answered} answered)",
                counted(unknown, "position"),
                if unknown == 1 { "is" } else { "are" },
            )),
        })
    }

    /// The answer to a line, or what is wrong with it or with the tables.
    fn answer_line<P: CliGame>(
        &self,
        line_number: u64,
        words: &[String],
        tables: &P::Tables,
        directory: &TableDirectory,
    ) -> Result<LineAnswer, LineError> {
        let (position, rest) = P::read_epd(words).map_err(LineError::NoPosition)?;
        let mut answer = self
            .ask(&position, tables, directory)
            .map_err(LineError::Tables)?;
        answer.spell_as(words);
        Ok(LineAnswer {
            answer,
            line_number,
            operations: (!rest.is_empty()).then(|| rest.join(" ")),
        })
    }
}

/// The answer to a line of a file.
#[derive(Serialize)]
struct LineAnswer {
    #[serde(flatten)]
    answer: Answer,
    line_number: u64,
    /// What stands behind the position, as it stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<String>,
}

/// Why a line of a file has no answer.
enum LineError {
    NoPosition(anyhow::Error),
    Tables(anyhow::Error),
}

/// Longer lines are no positions, whatever they say.
const MAX_LINE_BYTES: usize = 1 << 16;
/// So much of a line is repeated in an error.
const MAX_LINE_SHOWN: usize = 200;

/// Reads a line of bytes, not text: a line that is not UTF-8 is one bad line, not the end. Of a
/// line that is too long one byte more than it may have is kept. A line ends with a line feed, a
/// carriage return, or both; whether the line before ended with a return is kept in
/// `is_after_return`. False at the end.
fn read_line(
    input: &mut dyn BufRead,
    bytes: &mut Vec<u8>,
    is_after_return: &mut bool,
) -> io::Result<bool> {
    bytes.clear();
    let mut is_any = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(is_any);
        }
        if std::mem::take(is_after_return) && buffer[0] == b'\n' {
            input.consume(1);
            continue;
        }
        is_any = true;
        let end = buffer.iter().position(|byte| b"\r\n".contains(byte));
        *is_after_return = end.is_some_and(|end| buffer[end] == b'\r');
        let used = end.map_or(buffer.len(), |end| end + 1);
        let room = (MAX_LINE_BYTES + 1).saturating_sub(bytes.len());
        bytes.extend_from_slice(&buffer[..used.min(room)]);
        input.consume(used);
        if end.is_some() {
            return Ok(true);
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
