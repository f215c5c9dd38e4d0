//! `retrograde info`: what the tables of one material say about themselves.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::game::{Color, Game};
use retrograde::metric::Metric;
use retrograde::probe::{Format, ProbeError, TableFile};
use retrograde::table::{Counts, Longest};
use retrograde::xiangqi::Rules;
use serde::Serialize;

use super::{Outcome, TableDirectory, input, xiangqi};

/// Show a material's tables: sizes, counts of results, longest wins
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  retrograde info KQvKR --json\n\n\
    Counts are over the full board: every legal placement of the men once, identical men not told apart,\n\
    en-passant rights ignored.")]
pub struct Info {
    /// The material, in any order and case
    material: String,

    /// The game: chess or xiangqi; has to be said where both have tables of that name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    material: String,
    game: &'static str,
    tables: Vec<TableAnswer>,
    /// Nothing where there are only Syzygy tables, which do not keep them.
    counts: Option<Sides<CountsAnswer>>,
    longest: LongestAnswer,
}

#[derive(Serialize)]
struct TableAnswer {
    metric: &'static str,
    format: &'static str,
    file: String,
    bytes: u64,
}

#[derive(Serialize)]
struct Sides<T> {
    white: T,
    black: T,
}

#[derive(Serialize)]
struct CountsAnswer {
    win: u64,
    cursed_win: u64,
    draw: u64,
    blessed_loss: u64,
    loss: u64,
}

/// Nothing where the table is missing.
#[derive(Serialize)]
struct LongestAnswer {
    dtm: Option<Sides<LongestWin>>,
    dtz: Option<Sides<LongestWin>>,
}

#[derive(Serialize)]
struct LongestWin {
    plies: u32,
    fen: Option<String>,
}

impl Info {
    /// Reads the headers and prints.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let named = std::slice::from_ref(&self.material);
        if tables.game_of_tables(named, self.game)? == Game::Xiangqi {
            return xiangqi::info(&self.material, self.rules, self.json, tables, out);
        }
        let answer = self.answer(tables)?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else {
            print(&answer, &self.whose_side(&answer.material)?, out)?;
        }
        Ok(Outcome::Done)
    }

    /// Says which side is which where the question has the colours exchanged.
    fn whose_side(&self, table: &str) -> Result<String> {
        let asked: Material = self.material.parse()?;
        let (white, black) = table.split_once('v').unwrap_or((table, ""));
        Ok(match asked.is_normal() {
            true => String::new(),
            false => format!(", asked for as {asked}: white has {white} here and black {black}"),
        })
    }

    fn answer(&self, directory: &TableDirectory) -> Result<Answer> {
        let material = input::material(&self.material)?;
        let tables = directory.open()?;
        let files: Vec<&TableFile> = tables
            .tables()
            .iter()
            .filter(|file| *file.material() == material)
            .collect();
        if files.is_empty() {
            return Err(directory.missing(&material, Metric::Wdl).into());
        }
        for file in &files {
            file.check()?;
        }
        // Only our own tables say more of themselves than where they are.
        let native = |file: &&&TableFile| file.format() == Format::Native;
        let counts = match files.iter().find(native) {
            None => None,
            Some(file) => {
                let [white, black] = file.description()?.counts.map(CountsAnswer::from);
                Some(Sides { white, black })
            }
        };
        let space = IndexSpace::new(material);
        let longest = |metric| -> Result<Option<Sides<LongestWin>>, ProbeError> {
            let mut of_metric = files.iter().filter(|file| file.metric() == metric);
            let Some(file) = of_metric.find(native) else {
                return Ok(None);
            };
            let [white, black] = file.description()?.longest;
            Ok(Some(Sides {
                white: LongestWin::new(&space, white, Color::White),
                black: LongestWin::new(&space, black, Color::Black),
            }))
        };
        Ok(Answer {
            material: material.to_string(),
            game: "chess",
            tables: files
                .iter()
                .map(|file| {
                    Ok(TableAnswer {
                        metric: file.metric().name(),
                        format: file.format().name(),
                        file: file.path().display().to_string(),
                        bytes: file.bytes()?,
                    })
                })
                .collect::<Result<_>>()?,
            counts,
            longest: LongestAnswer {
                dtm: longest(Metric::Dtm)?,
                dtz: longest(Metric::Dtz)?,
            },
        })
    }
}

impl From<Counts> for CountsAnswer {
    fn from(counts: Counts) -> CountsAnswer {
        CountsAnswer {
            win: counts.win,
            cursed_win: counts.cursed_win,
            draw: counts.draw,
            blessed_loss: counts.blessed_loss,
            loss: counts.loss,
        }
    }
}

impl LongestWin {
    fn new(space: &IndexSpace, longest: Option<Longest>, turn: Color) -> LongestWin {
        LongestWin {
            plies: longest.map_or(0, |longest| longest.plies),
            // A header may name an index that is no position.
            fen: longest
                .and_then(|longest| space.position(longest.index, turn))
                .map(|(_, position)| position.to_fen()),
        }
    }
}

fn print(answer: &Answer, whose_side: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} ({}){whose_side}", answer.material, answer.game)?;
    for table in &answer.tables {
        let size = HumanBytes(table.bytes).to_string();
        let TableAnswer {
            metric,
            format,
            file,
            ..
        } = table;
        writeln!(out, "  {metric}  {format:<6}  {size:>12}  {file}")?;
    }
    if let Some(counts) = &answer.counts {
        print_counts(counts, out)?;
    }
    for (metric, longest) in [("dtm", &answer.longest.dtm), ("dtz", &answer.longest.dtz)] {
        let Some(Sides { white, black }) = longest else {
            continue;
        };
        for (side, longest) in [("white", white), ("black", black)] {
            match &longest.fen {
                Some(fen) => {
                    let plies = longest.plies;
                    writeln!(
                        out,
                        "longest win of {side} by {metric}: {plies} plies, {fen}"
                    )?;
                }
                None => writeln!(out, "longest win of {side} by {metric}: none")?,
            }
        }
    }
    Ok(())
}

fn print_counts(Sides { white, black }: &Sides<CountsAnswer>, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "\n{:<14} {:>18} {:>18}",
        "", "white to move", "black to move"
    )?;
    for (name, white, black) in [
        ("win", white.win, black.win),
        ("cursed win", white.cursed_win, black.cursed_win),
        ("draw", white.draw, black.draw),
        ("blessed loss", white.blessed_loss, black.blessed_loss),
        ("loss", white.loss, black.loss),
    ] {
        let [white, black] = [white, black].map(|count| HumanCount(count).to_string());
        writeln!(out, "{name:<14} {white:>18} {black:>18}")?;
    }
    writeln!(out)?;
    Ok(())
}
