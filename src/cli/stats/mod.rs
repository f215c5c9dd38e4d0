//! `retrograde stats`: how the values of a material are distributed.

mod histogram;
mod svg;
mod zugzwang;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::{HumanCount, ProgressBar};
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::{Color, Game, Numbered, Signature};
use retrograde::probe::ProbeError;
use retrograde::statistics::{Counting, LISTED};
use retrograde::table::{Count, SideStatistics, Statistics};
use retrograde::tables::generate_arguments;
use retrograde::verify::{self, Observer, Subject, work};
use retrograde::xiangqi::{Rules, Xiangqi};
use serde_json::{Value, json};

use super::described::{Described, DescribedGame};
use super::{Outcome, TableDirectory, input, memory, progress};
use histogram::Distances;
use zugzwang::{Found, Kind, Zugzwangs};

/// [`Counting`] on the command line.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum CountingArg {
    /// Every legal placement on the full board once, identical men not told apart
    #[default]
    Board,
    /// One position of each symmetric set, identical men told apart, as in published statistics
    Table,
}

impl From<CountingArg> for Counting {
    fn from(counting: CountingArg) -> Counting {
        match counting {
            CountingArg::Board => Counting::Board,
            CountingArg::Table => Counting::Table,
        }
    }
}

/// Show histograms of a material's distances, its longest wins and mutual zugzwangs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde stats KQvKR\n  \
    retrograde stats KPvKP --limit 100 --json\n  \
    retrograde stats KBNvK --svg kbnk.svg\n  \
    retrograde stats KRPvKR --metric wdl\n  \
    retrograde stats KQvKR --counting table\n  \
    retrograde stats KCAvKN --game xiangqi\n\n\
    Numbers of positions are over the full board, like those of `info`, identical men not told apart.\n\
    `--counting table` counts as published statistics of Syzygy tables do: one position of each symmetric set,\n\
    identical men told apart. Zugzwangs are always counted over the full board.\n\n\
    Tables keep their statistics. Those of older files are counted again, and so is what --limit wants beyond the\n\
    ten positions that are kept of each kind; that takes as long as reading the tables. In a mutual zugzwang whoever is to move\n\
    does worse than if it were the opponent's turn; both turns are legal, and the fifty-move rule is ignored.\n\
    `different` ones are counted as in published lists: mirror images are one position, and where both sides have\n\
    the same men, so are positions with the colours exchanged.")]
pub struct Stats {
    /// The material, in any order and case
    material: String,

    /// The game: chess or xiangqi; has to be said where both have tables of that name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// Which distances to show histograms of; wdl shows none, only zugzwangs
    /// [default: those that are there]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    metric: Vec<String>,

    /// Which positions to count
    #[arg(long, value_name = "COUNTING", value_enum, default_value_t)]
    counting: CountingArg,

    /// Count again what the tables say, instead of showing what they keep
    #[arg(long)]
    recount: bool,

    /// Draw the histograms into a file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// How many longest wins and zugzwangs to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the tables of a material keep, as `stats --json` prints it.
///
/// # Errors
///
/// If there are none, or if one is damaged or keeps nothing.
#[cfg(feature = "serve")]
pub fn kept<G: DescribedGame>(
    rules: G::Rules,
    directory: &TableDirectory,
    material: G::Material,
) -> Result<Value> {
    let mut kept: ByMetric<G::Metric> = Vec::new();
    for table in G::tables(directory, rules, &material)? {
        kept.extend(
            table
                .statistics
                .map(|statistics| (table.metric, statistics)),
        );
    }
    if kept.is_empty() {
        return Err(G::missing(directory, rules, &material, G::RESULTS));
    }
    let answer = Answer::new::<G>(rules, material, Counting::Board, &kept, LISTED)?;
    Ok(answer.to_json())
}

/// Statistics by metric.
type ByMetric<M> = Vec<(M, Statistics)>;

impl Stats {
    /// Reads what the tables keep, or all of them, and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
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
        let material = G::material(&self.material)?;
        let tables = G::tables(directory, rules, &material)?;
        let missing = |metric| G::missing(directory, rules, &material, metric);
        let metrics = self.metrics(&tables, &material, missing)?;
        self.refuse_to_draw_nothing::<G>(rules, &material, &metrics)?;
        let kept = match self.recount {
            true => None,
            false => self.kept(tables, &metrics),
        };
        let statistics = match kept {
            Some(statistics) => statistics,
            None => self.count::<G>(directory, rules, material, &metrics)?,
        };
        let answer = Answer::new::<G>(
            rules,
            material,
            self.counting.into(),
            &statistics,
            self.limit,
        )?;
        self.draw(&answer)?;
        if self.json {
            writeln!(out, "{}", answer.to_json())?;
        } else {
            answer.print(self.limit, out)?;
        }
        Ok(Outcome::Done)
    }

    /// What the files keep; nothing if one of them keeps nothing, or not as many positions as are
    /// wanted.
    fn kept<G: DescribedGame>(
        &self,
        tables: Vec<Described<G>>,
        metrics: &[G::Metric],
    ) -> Option<ByMetric<G::Metric>> {
        let mut kept: ByMetric<G::Metric> = Vec::new();
        for table in tables.into_iter().filter(Described::is_native) {
            if metrics.contains(&table.metric) {
                kept.push((table.metric, table.statistics?));
            }
        }
        let is_cut = |statistics: &Statistics| {
            let mut sides = statistics.sides.iter();
            let mut kinds = statistics.zugzwangs.iter();
            sides.any(|side| side.longest.len() >= LISTED)
                || kinds.any(|kind| kind.different > kind.indices.len() as u64)
        };
        let is_too_little = self.limit > LISTED && kept.iter().any(|(_, kept)| is_cut(kept));
        let place = |metric: G::Metric| metrics.iter().position(|&wanted| wanted == metric);
        kept.sort_by_key(|(metric, _)| place(*metric));
        (!is_too_little).then_some(kept)
    }

    fn count<G: DescribedGame>(
        &self,
        directory: &TableDirectory,
        rules: G::Rules,
        material: G::Material,
        metrics: &[G::Metric],
    ) -> Result<ByMetric<G::Metric>> {
        let path = directory.only("stats --recount")?;
        let subject = G::subject(rules, material);
        memory::refuse_too_large(subject, verify::memory(subject))?;
        let bar = progress::bar(work(path, &[subject]), "positions");
        bar.set_message(subject.to_string());
        let listed = self.limit.max(LISTED);
        let never = AtomicBool::new(false);
        let counted = G::recount(
            path,
            rules,
            material,
            metrics,
            listed,
            &never,
            &Progress(&bar),
        );
        bar.finish_and_clear();
        Ok(counted?)
    }

    /// The metric of results, and the distances that are wanted: those that are there, if nothing
    /// is said.
    ///
    /// # Errors
    ///
    /// If there are no results, or no distances that are named.
    fn metrics<G: DescribedGame>(
        &self,
        tables: &[Described<G>],
        material: &G::Material,
        missing: impl Fn(G::Metric) -> Error,
    ) -> Result<Vec<G::Metric>> {
        // Syzygy tables have rounded distances, which would be counted as if they were exact.
        let is_there = |metric: G::Metric| {
            let mut own = tables.iter().filter(|table| table.is_native());
            own.any(|table| table.metric == metric)
        };
        let named = self.metric.iter().map(|name| G::metric(name));
        let named = named.collect::<Result<Vec<G::Metric>>>()?;
        let mut metrics = vec![G::RESULTS];
        metrics.extend(
            G::DISTANCES
                .iter()
                .filter(|&metric| match named.is_empty() {
                    true => is_there(*metric),
                    false => named.contains(metric),
                }),
        );
        let Some(&lacking) = metrics.iter().find(|&&metric| !is_there(metric)) else {
            return Ok(metrics);
        };
        match tables.iter().find(|table| table.metric == lacking) {
            Some(table) if lacking == G::RESULTS => Err(ProbeError::OtherFormat {
                path: table.path.clone(),
                material: material.to_string(),
            }
            .into()),
            _ => Err(missing(lacking)),
        }
    }

    /// Ends with an error if there is nothing to draw and a drawing is wanted.
    fn refuse_to_draw_nothing<G: DescribedGame>(
        &self,
        rules: G::Rules,
        material: &G::Material,
        metrics: &[G::Metric],
    ) -> Result<()> {
        if self.svg.is_some() && metrics.len() == 1 {
            let distances = G::DISTANCES.iter().map(|metric| metric.name());
            bail!(
                "there are no distances to draw; leave out --svg, or add them with `retrograde generate {} \
                 --metric {}` and choose them with --metric",
                generate_arguments::<G>(material, rules),
                distances.collect::<Vec<_>>().join(",")
            );
        }
        Ok(())
    }

    /// Draws the histograms, if that is wanted.
    fn draw(&self, answer: &Answer) -> Result<()> {
        let Some(path) = &self.svg else {
            return Ok(());
        };
        let sides = Color::ALL.into_iter().zip(&answer.sides);
        let panels = sides.flat_map(|(color, side)| {
            side.distances().map(move |(metric, distances)| svg::Panel {
                title: answer.title(color),
                metric,
                distances,
                draws: side.draws,
            })
        });
        std::fs::write(path, svg::draw(panels))
            .map_err(|error| anyhow!("cannot write {}: {error}; check --svg", path.display()))
    }
}

/// Moves a bar.
struct Progress<'a>(&'a ProgressBar);

impl Observer for Progress<'_> {
    fn started(&self, _: Subject) {}

    fn advanced(&self, positions: u64) {
        self.0.inc(positions);
    }
}

/// All that is printed.
struct Answer {
    subject: Subject,
    is_symmetric: bool,
    stalemate_loses: bool,
    counting: Counting,
    /// By side to move, the first mover first.
    sides: [SideAnswer; 2],
    zugzwangs: Found,
}

/// What is printed of one side to move.
struct SideAnswer {
    draws: u64,
    mated: u64,
    stalemated: u64,
    illegal: u64,
    /// By the names of metrics; nothing where one was not asked for.
    distances: Vec<(&'static str, Option<Distances>)>,
}

impl SideAnswer {
    /// Those that were asked for.
    fn distances(&self) -> impl Iterator<Item = (&'static str, &Distances)> {
        let all = self.distances.iter();
        all.filter_map(|(metric, distances)| Some((*metric, distances.as_ref()?)))
    }
}

impl Answer {
    fn new<G: DescribedGame>(
        rules: G::Rules,
        material: G::Material,
        counting: Counting,
        statistics: &[(G::Metric, Statistics)],
        limit: usize,
    ) -> Result<Answer> {
        let Some(space) = G::space(material) else {
            bail!("{material} has too many positions for a table; name a smaller material");
        };
        if G::number(&material, counting, Count::default()).is_none() {
            bail!(
                "--counting table counts as statistics of Syzygy tables do; leave it out for xiangqi"
            );
        }
        let number = |count| G::number(&material, counting, count).unwrap_or(0);
        let fen = |turn: Color| {
            let space = &space;
            move |index: u64| G::fen(space, index, turn)
        };
        let side = |turn: Color| {
            let of_side = |all: &Statistics| all.sides[turn.index()].clone();
            let any = statistics.first().map(|(_, all)| of_side(all));
            let any = any.unwrap_or_default();
            let mut without_move = number(any.mated);
            if G::STALEMATE_LOSES {
                without_move += number(any.stalemated);
            }
            let of_metric = |metric: &G::Metric| {
                let found = statistics.iter().find(|(there, _)| there == metric);
                let distances = found.map(|(_, all)| {
                    let side: &SideStatistics = &all.sides[turn.index()];
                    Distances::of_file(side, without_move, number, fen(turn), limit)
                });
                (metric.name(), distances)
            };
            SideAnswer {
                draws: number(any.results[2]),
                mated: number(any.mated),
                stalemated: number(any.stalemated),
                illegal: number(any.illegal),
                distances: G::DISTANCES.iter().map(of_metric).collect(),
            }
        };
        let mut zugzwangs = Found::default();
        let kept = statistics.iter().flat_map(|(_, all)| &all.zugzwangs);
        for (kind, kept) in Kind::ALL.into_iter().zip(kept) {
            let indices = kept.indices.iter().take(limit).copied();
            *zugzwangs.of_kind(kind) = Zugzwangs {
                count: kept.positions,
                different: kept.different,
                fens: indices.filter_map(fen(Color::White)).collect(),
            };
        }
        Ok(Answer {
            subject: G::subject(rules, material),
            is_symmetric: material.is_symmetric(),
            stalemate_loses: G::STALEMATE_LOSES,
            counting,
            sides: Color::ALL.map(side),
            zugzwangs,
        })
    }

    /// Whose positions are counted.
    fn title(&self, turn: Color) -> String {
        let material = self.subject.material();
        let rules = self.subject.rules();
        let under = rules.map_or(String::new(), |rules| format!(" under {rules}"));
        format!(
            "{material}{under}, {} to move",
            self.subject.game().name_of(turn)
        )
    }

    fn to_json(&self) -> Value {
        let game = self.subject.game();
        let side = |side: &SideAnswer| {
            let mut answer = json!({
                "draws": side.draws,
                "mated": side.mated,
                "stalemated": side.stalemated,
                "illegal": side.illegal,
            });
            for (metric, distances) in &side.distances {
                answer[metric] = distances.as_ref().map(Distances::to_json).into();
            }
            answer
        };
        let first = game.name_of(Color::White);
        let mut answer = json!({
            "material": self.subject.material(),
            "game": game.to_string(),
            "counting": match self.counting {
                Counting::Board => "board",
                Counting::Table => "table",
            },
            "mutual_zugzwangs": self.zugzwangs.to_json(self.is_symmetric, first),
        });
        if let Some(rules) = self.subject.rules() {
            answer["rules"] = rules.name().into();
        }
        for (color, of_side) in Color::ALL.into_iter().zip(&self.sides) {
            answer[game.name_of(color)] = side(of_side);
        }
        answer
    }

    fn print(&self, limit: usize, out: &mut dyn Write) -> Result<()> {
        for (color, side) in Color::ALL.into_iter().zip(&self.sides) {
            let title = self.title(color);
            let others = [
                ("draw", side.draws),
                ("mated", side.mated),
                ("stalemated", side.stalemated),
            ];
            let others = &others[..if self.stalemate_loses { 3 } else { 2 }];
            for (metric, distances) in side.distances() {
                distances.print(&format!("{title}, {metric} in plies"), others, out)?;
            }
            let [mated, stalemated, illegal] =
                [side.mated, side.stalemated, side.illegal].map(HumanCount);
            writeln!(
                out,
                "{title}: {mated} mated, {stalemated} stalemated, {illegal} illegal\n"
            )?;
        }
        let first = self.subject.game().name_of(Color::White);
        let material = self.subject.material();
        self.zugzwangs
            .print(&material, self.is_symmetric, first, limit, out)
    }
}
