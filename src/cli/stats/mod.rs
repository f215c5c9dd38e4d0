//! `retrograde stats`: how the values of a material are distributed.

pub(super) mod histogram;
mod svg;
pub(super) mod zugzwang;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::{HumanCount, ProgressBar};
use retrograde::Tablebase;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::{Color, Game};
use retrograde::metric::Metric;
use retrograde::probe::Format;
use retrograde::statistics::{Counting, LISTED};
use retrograde::table::{SideStatistics, Statistics};
use retrograde::verify::{Observer, Recount, work};
use retrograde::xiangqi::Rules;
use serde_json::{Value, json};

use super::{Outcome, TableDirectory, input, progress, xiangqi};
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
    pub(super) material: String,

    /// The game: chess or xiangqi; has to be said where both have tables of that name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    pub(super) rules: Rules,

    /// Which distances to show histograms of; wdl shows none, only zugzwangs [default: those that are there]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(super) metric: Vec<String>,

    /// Which positions to count
    #[arg(long, value_name = "COUNTING", value_enum, default_value_t)]
    counting: CountingArg,

    /// Count again what the tables say, instead of showing what they keep
    #[arg(long)]
    recount: bool,

    /// Draw the histograms into a file
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,

    /// How many longest wins and zugzwangs to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) limit: usize,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// Statistics by metric.
type ByMetric = Vec<(Metric, Statistics)>;

impl Stats {
    /// Reads what the tables keep, or all of them, and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let named = std::slice::from_ref(&self.material);
        if directory.game_of_tables(named, self.game)? == Game::Xiangqi {
            return xiangqi::stats(&self, directory, out);
        }
        let material = input::material(&self.material)?;
        let tables = directory.open()?;
        let Some(results) = tables.table(&material, Metric::Wdl) else {
            return Err(directory.missing(&material, Metric::Wdl).into());
        };
        results.description()?;
        let mut metrics = self.metrics(&material, directory, &tables)?;
        self.refuse_to_draw_nothing(metrics.is_empty(), "dtz,dtm")?;
        metrics.insert(0, Metric::Wdl);
        let kept = match self.recount {
            true => None,
            false => self.kept(&tables, &material, &metrics)?,
        };
        let statistics = match kept {
            Some(statistics) => statistics,
            None => self.count(directory, &material, &metrics)?,
        };
        let answer = Answer::new(material, self.counting.into(), &statistics, self.limit);
        let sides = Color::ALL.into_iter().zip(&answer.sides);
        self.draw(sides.flat_map(|(color, side)| {
            let titled = side.distances.iter().map(move |(metric, distances)| {
                let title = format!("{material}, {color} to move, {metric}");
                (title, distances)
            });
            titled.collect::<Vec<_>>()
        }))?;
        if self.json {
            writeln!(out, "{}", answer.to_json())?;
        } else {
            answer.print(self.limit, out)?;
        }
        Ok(Outcome::Done)
    }

    /// What the files keep; nothing if one of them keeps nothing, or not as many positions as are wanted.
    fn kept(
        &self,
        tables: &Tablebase,
        material: &Material,
        metrics: &[Metric],
    ) -> Result<Option<ByMetric>> {
        let mut kept = Vec::new();
        for &metric in metrics {
            let Some(file) = tables.table(material, metric) else {
                return Ok(None);
            };
            let Some(statistics) = file.table()?.statistics()? else {
                return Ok(None);
            };
            let sides = statistics.sides.iter();
            let is_cut = sides
                .map(|side| side.longest.len())
                .any(|len| len >= LISTED)
                || (statistics.zugzwangs.iter())
                    .any(|kind| kind.different > kind.indices.len() as u64);
            if is_cut && self.limit > LISTED {
                return Ok(None);
            }
            kept.push((metric, statistics));
        }
        Ok(Some(kept))
    }

    fn count(
        &self,
        directory: &TableDirectory,
        material: &Material,
        metrics: &[Metric],
    ) -> Result<ByMetric> {
        let path = directory.path();
        let bar = progress::bar(work(path, &[*material]), "positions");
        bar.set_message(material.to_string());
        let listed = self.limit.max(LISTED);
        let never = AtomicBool::new(false);
        let (rules, progress) = (ChessRules::FiftyMoves, Progress(&bar));
        let counted = Chess::recount(path, rules, *material, metrics, listed, &never, &progress);
        bar.finish_and_clear();
        Ok(counted?)
    }

    /// Ends with an error if there is nothing to draw and a drawing is wanted.
    pub(super) fn refuse_to_draw_nothing(&self, is_nothing: bool, metrics: &str) -> Result<()> {
        if self.svg.is_some() && is_nothing {
            bail!(
                "there are no distances to draw; leave out --svg, or add them with `retrograde generate {} \
                 --metric {metrics}` and choose them with --metric",
                self.material
            );
        }
        Ok(())
    }

    /// Draws titled histograms, if that is wanted.
    pub(super) fn draw<'a>(
        &self,
        titled: impl Iterator<Item = (String, &'a Distances)>,
    ) -> Result<()> {
        let Some(path) = &self.svg else {
            return Ok(());
        };
        std::fs::write(path, svg::draw(titled))
            .map_err(|error| anyhow!("cannot write {}: {error}; check --svg", path.display()))
    }

    /// The distances that are wanted: those that are there, if nothing is said.
    fn metrics(
        &self,
        material: &Material,
        directory: &TableDirectory,
        tables: &Tablebase,
    ) -> Result<Vec<Metric>> {
        let named: Vec<Metric> = (self.metric.iter())
            .map(|name| name.parse())
            .collect::<Result<_, _>>()?;
        let distances = [Metric::Dtz, Metric::Dtm].into_iter();
        // Syzygy tables have rounded distances, which would be counted as if they were exact.
        let is_there = |metric: &Metric| {
            let file = tables.table(material, *metric);
            file.is_some_and(|file| file.format() == Format::Native)
        };
        if named.is_empty() {
            return Ok(distances.filter(is_there).collect());
        }
        distances
            .filter(|metric| named.contains(metric))
            .map(|metric| match is_there(&metric) {
                true => Ok(metric),
                false => Err(directory.missing(material, metric).into()),
            })
            .collect()
    }
}

/// Moves a bar.
struct Progress<'a>(&'a ProgressBar);

impl Observer for Progress<'_> {
    fn started(&self, _: retrograde::verify::Subject) {}

    fn advanced(&self, positions: u64) {
        self.0.inc(positions);
    }
}

/// All that is printed.
struct Answer {
    material: Material,
    counting: Counting,
    /// White to move, black to move.
    sides: [SideAnswer; 2],
    zugzwangs: Found,
}

/// What is printed of one side to move.
struct SideAnswer {
    draws: u64,
    mated: u64,
    stalemated: u64,
    illegal: u64,
    distances: Vec<(Metric, Distances)>,
}

impl Answer {
    fn new(
        material: Material,
        counting: Counting,
        statistics: &[(Metric, Statistics)],
        limit: usize,
    ) -> Answer {
        let space = IndexSpace::new(material);
        let number = |count| counting.number(&material, count);
        let fen = |turn: Color| {
            let space = &space;
            move |index: u64| Some(space.position(index, turn)?.1.to_fen())
        };
        let side = |turn: Color| {
            let all = statistics
                .iter()
                .map(|(metric, all)| (*metric, &all.sides[turn.index()]));
            let of_metric = |(metric, side): (Metric, &SideStatistics)| {
                (metric, Distances::of_file(side, number, fen(turn), limit))
            };
            let any = statistics
                .first()
                .map(|(_, all)| all.sides[turn.index()].clone());
            let any = any.unwrap_or_default();
            SideAnswer {
                draws: number(any.results[2]),
                mated: number(any.mated),
                stalemated: number(any.stalemated),
                illegal: number(any.illegal),
                distances: all
                    .filter(|(metric, _)| *metric != Metric::Wdl)
                    .map(of_metric)
                    .collect(),
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
        Answer {
            material,
            counting,
            sides: Color::ALL.map(side),
            zugzwangs,
        }
    }

    fn to_json(&self) -> Value {
        let side = |side: &SideAnswer| {
            let mut answer = json!({
                "draws": side.draws,
                "mated": side.mated,
                "stalemated": side.stalemated,
                "illegal": side.illegal,
                "dtz": null,
                "dtm": null,
            });
            for (metric, distances) in &side.distances {
                answer[metric.name()] = distances.to_json();
            }
            answer
        };
        let [white, black] = self.sides.each_ref().map(side);
        json!({
            "material": self.material.to_string(),
            "counting": match self.counting {
                Counting::Board => "board",
                Counting::Table => "table",
            },
            "white": white,
            "black": black,
            "mutual_zugzwangs": self.zugzwangs.to_json(self.material.is_symmetric(), "white"),
        })
    }

    fn print(&self, limit: usize, out: &mut dyn Write) -> Result<()> {
        for (color, side) in Color::ALL.into_iter().zip(&self.sides) {
            for (metric, distances) in &side.distances {
                let title = format!("{}, {color} to move, {metric} in plies", self.material);
                distances.print(&title, side.draws, out)?;
            }
            let [mated, stalemated, illegal] =
                [side.mated, side.stalemated, side.illegal].map(HumanCount);
            writeln!(
                out,
                "{}, {color} to move: {mated} mated, {stalemated} stalemated, {illegal} illegal\n",
                self.material
            )?;
        }
        let is_symmetric = self.material.is_symmetric();
        (self.zugzwangs).print(
            &self.material.to_string(),
            is_symmetric,
            "white",
            limit,
            out,
        )
    }
}
