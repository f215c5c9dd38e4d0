//! `retrograde info`: what the tables of one material say about themselves.

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::{Color, Game, Numbered, Signature};
use retrograde::table::{Counts, Longest};
use retrograde::verify::Subject;
use retrograde::xiangqi::{Rules, Xiangqi};
use serde::Serialize;
use serde_json::{Value, json};

use super::described::{Described, DescribedGame};
use super::print::counted;
use super::{Outcome, TableDirectory};

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

impl Info {
    /// Reads the headers and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        match directory.game_of_table(&self.material, self.game)? {
            Game::Chess => self.run_for::<Chess>(ChessRules::default(), directory, out),
            Game::Xiangqi => self.run_for::<Xiangqi>(self.rules, directory, out),
        }
    }

    fn run_for<G: DescribedGame>(
        &self,
        rules: G::Rules,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let answer = Answer::new::<G>(&self.material, rules, directory)?;
        if self.json {
            writeln!(out, "{}", answer.to_json())?;
        } else {
            answer.print(out)?;
        }
        Ok(Outcome::Done)
    }
}

/// All that is printed.
struct Answer {
    subject: Subject,
    /// The question, where it has the colours exchanged.
    asked: Option<String>,
    tables: Vec<TableAnswer>,
    /// By side to move. Nothing where there are only Syzygy tables, which do not keep them.
    counts: Option<[Counts; 2]>,
    /// By the names of metrics and by side to move. Nothing where there is no table of our own.
    longest: Vec<(&'static str, Option<[LongestWin; 2]>)>,
}

#[derive(Serialize)]
struct TableAnswer {
    metric: &'static str,
    format: &'static str,
    file: String,
    bytes: u64,
}

#[derive(Serialize)]
struct LongestWin {
    plies: u32,
    fen: Option<String>,
}

impl Answer {
    fn new<G: DescribedGame>(
        signature: &str,
        rules: G::Rules,
        directory: &TableDirectory,
    ) -> Result<Answer> {
        let material = G::material(signature)?;
        let tables = G::tables(directory, rules, &material)?;
        if tables.is_empty() {
            return Err(G::missing(directory, rules, &material, G::RESULTS));
        }
        let Some(space) = G::space(material) else {
            bail!("{material} has too many positions for a table; name a smaller material");
        };
        let own = || {
            tables
                .iter()
                .filter_map(|it| Some((it.metric, it.description.as_ref()?)))
        };
        let longest_win = |longest: Option<Longest>, turn| LongestWin {
            plies: longest.map_or(0, |longest| longest.plies),
            // A header may name an index that is no position.
            fen: longest.and_then(|longest| G::fen(&space, longest.index, turn)),
        };
        let longest = |&metric: &G::Metric| {
            let description = own().find(|(own, _)| *own == metric);
            let longest = description.map(|(_, description)| {
                Color::ALL.map(|turn| longest_win(description.longest[turn.index()], turn))
            });
            (metric.name(), longest)
        };
        let asked = signature.parse::<G::Material>().ok();
        let table = |it: &Described<G>| TableAnswer {
            metric: it.metric.name(),
            format: it.format.name(),
            file: it.path.display().to_string(),
            bytes: it.bytes,
        };
        Ok(Answer {
            subject: G::subject(rules, material),
            asked: asked
                .filter(|asked| !asked.is_normal())
                .map(|asked| asked.to_string()),
            counts: own().next().map(|(_, description)| description.counts),
            longest: G::DISTANCES.iter().rev().map(longest).collect(),
            tables: tables.iter().map(table).collect(),
        })
    }

    fn to_json(&self) -> Value {
        let game = self.subject.game();
        let sides = |[first, second]: [Value; 2]| json!({game.name_of(Color::White): first, game.name_of(Color::Black): second});
        let counts = |counts: &[Counts; 2]| {
            sides(counts.map(|counts| {
                let rows = rows(&counts).into_iter();
                rows.map(|(name, count)| (name.replace(' ', "_"), json!(count)))
                    .collect()
            }))
        };
        let longest = self.longest.iter().map(|(metric, longest)| {
            let longest = longest
                .as_ref()
                .map(|both| sides(both.each_ref().map(|it| json!(it))));
            ((*metric).to_owned(), json!(longest))
        });
        let mut answer = json!({
            "material": self.subject.material(),
            "game": game.to_string(),
            "tables": self.tables,
            "counts": self.counts.as_ref().map(counts),
            "longest": longest.collect::<Value>(),
        });
        if let Some(rules) = self.subject.rules() {
            answer["rules"] = rules.name().into();
        }
        answer
    }

    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let game = self.subject.game();
        let material = self.subject.material();
        let rules = self.subject.rules();
        let rules = rules.map_or(String::new(), |rules| format!(", {rules}"));
        writeln!(out, "{material} ({game}{rules}){}", self.whose_side())?;
        for table in &self.tables {
            let size = HumanBytes(table.bytes).to_string();
            let TableAnswer {
                metric,
                format,
                file,
                ..
            } = table;
            writeln!(out, "  {metric:<6}  {format:<6}  {size:>12}  {file}")?;
        }
        if let Some(counts) = &self.counts {
            print_counts(game, counts, out)?;
        }
        for (metric, longest) in &self.longest {
            let Some(longest) = longest else {
                continue;
            };
            for (color, longest) in Color::ALL.into_iter().zip(longest) {
                let side = game.name_of(color);
                write!(out, "longest win of {side} by {metric}: ")?;
                match &longest.fen {
                    Some(fen) => {
                        let plies = counted(longest.plies as usize, "ply");
                        writeln!(out, "{plies}, {fen}")?;
                    }
                    None => writeln!(out, "none")?,
                }
            }
        }
        Ok(())
    }

    /// Says which side is which where the question has the colours exchanged.
    fn whose_side(&self) -> String {
        let Some(asked) = &self.asked else {
            return String::new();
        };
        let material = self.subject.material();
        let (first, black) = material.split_once('v').unwrap_or((&material, ""));
        let side = self.subject.game().name_of(Color::White);
        format!(", asked for as {asked}: {side} has {first} here and black {black}")
    }
}

/// The counts that a game has by what they are called.
fn rows(counts: &Counts) -> [(&'static str, u64); 5] {
    [
        ("win", counts.win),
        ("cursed win", counts.cursed_win),
        ("draw", counts.draw),
        ("blessed loss", counts.blessed_loss),
        ("loss", counts.loss),
    ]
}

fn print_counts(game: Game, [first, black]: &[Counts; 2], out: &mut dyn Write) -> Result<()> {
    let titles = Color::ALL.map(|color| format!("{} to move", game.name_of(color)));
    writeln!(out, "\n{:<14} {:>18} {:>18}", "", titles[0], titles[1])?;
    for ((name, first), (_, black)) in rows(first).into_iter().zip(rows(black)) {
        // Xiangqi has no limit of moves.
        if game == Game::Xiangqi && name.contains(' ') {
            continue;
        }
        let [first, black] = [first, black].map(|count| HumanCount(count).to_string());
        writeln!(out, "{name:<14} {first:>18} {black:>18}")?;
    }
    writeln!(out)?;
    Ok(())
}
