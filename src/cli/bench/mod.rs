//! `retrograde bench`: how fast this machine generates, probes and solves.

mod generation;
mod probes;
mod reach;
mod recorder;
mod solving;
mod xiangqi;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use retrograde::game::Game;
use retrograde::generate::{Generate, GenerateOptions};
use retrograde::metric::Metric;
use retrograde::probe::ProbeOptions;
use retrograde::table;
use retrograde::xiangqi::Rules;
use serde_json::json;

use super::directory::{NoTables, TableDirectory};
use super::names::each_once;
use super::wanted::{Compression, Engine};
use super::{Outcome, input, progress};
use generation::Generation;
use probes::{ProbeTimes, probe_times};
use reach::{ReachTime, reach_times};
use solving::Solving;

/// What is generated if nothing is said: a pawnless and a pawnful material of four men.
const GENERATED: [&str; 2] = ["KQvKR", "KPvKP"];
const GENERATED_OF_XIANGQI: &str = "KRvKN";

/// Measure generation, probe and solving speed on this machine
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde bench --tables ~/tables\n  \
    retrograde bench KQRvKR --repeat 1\n  \
    retrograde bench KQRvKR KRPvKR --solve-only\n  \
    retrograde bench --game xiangqi KRCvKR\n\n\
    Generation: some materials and all they lead to, into a directory that is removed again; medians. Solving and\n\
    compressing are timed on one core by its processor time, positions are those of both sides to move. Probes: random\n\
    positions of the largest tables that are there; cold, with no block decoded yet, and with its block cached.\n\
    Solving: two positions by what they can reach, without tables.")]
pub struct Bench {
    /// What to generate [default: KQvKR KPvKP, of xiangqi KRvKN]
    #[arg(value_name = "MATERIAL")]
    materials: Vec<String>,

    /// The game: chess or xiangqi
    #[arg(long, value_name = "GAME", default_value_t)]
    game: Game,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// How often to generate it, on one core and again on all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), default_value_t = 3)]
    repeat: u32,

    /// Solve what is named and nothing else: results and distances to zeroing, of xiangqi to
    /// conversion, on one core. What it leads to is made before, and writing does not count
    #[arg(long, conflicts_with = "compression")]
    solve_only: bool,

    /// How materials of chess are solved [default: as generate does]
    #[arg(long, value_name = "ENGINE", value_enum)]
    engine: Option<Engine>,

    /// How hard to compress
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Compression::Default)]
    compression: Compression,

    /// How many threads generate [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Measures and prints one table.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        match self.game {
            Game::Chess => self.chess(directory, out),
            Game::Xiangqi => self.xiangqi(directory, out),
        }
    }

    fn chess(&self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let materials = each_once(self.named(&GENERATED, input::material)?);
        let options = GenerateOptions {
            compression: self.compression.into(),
            engine: self.engine.and_then(Engine::of_all),
            card: self.engine.map_or(Ok(None), Engine::card)?,
            ..GenerateOptions::new(PathBuf::new(), materials)
        };
        if self.solve_only {
            return self.solve(options, &[Metric::Wdl, Metric::Dtz], out);
        }
        let generation = Generation::measure(&options, self.repeat as usize)?;
        // Tables are measured, and not how fast an answer is found again.
        let options = ProbeOptions {
            result_bytes: 0,
            preloaded_bytes: 0,
            ..ProbeOptions::default()
        };
        let tables = match directory.open_with(&options) {
            Ok(tables) if !tables.tables().is_empty() => tables,
            Err(error) if !error.is::<NoTables>() => return Err(error),
            // Nothing is there yet: what was just made will do.
            _ => directory.at(generation.place.path()).open_with(&options)?,
        };
        let probes: Vec<ProbeTimes> = Metric::ALL
            .into_iter()
            .filter_map(|metric| probe_times(&tables, metric).transpose())
            .collect::<Result<_>>()?;
        let reach = reach_times(self.repeat as usize)?;
        self.print(&generation, &probes, &reach, out)
    }

    fn xiangqi(&self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let materials = self.named(&[GENERATED_OF_XIANGQI], input::xiangqi_material)?;
        let options = GenerateOptions {
            compression: self.compression.into(),
            ..GenerateOptions::xiangqi(PathBuf::new(), materials, self.rules)
        };
        if self.solve_only {
            use retrograde::xiangqi::Metric;
            return self.solve(options, &[Metric::Wdl, Metric::Dtc], out);
        }
        let generation = Generation::measure(&options, self.repeat as usize)?;
        let mut probes = xiangqi::probe_times(directory, self.rules)?;
        if probes.is_empty() {
            let made = directory.at(generation.place.path());
            probes = xiangqi::probe_times(&made, self.rules)?;
        }
        self.print(&generation, &probes, &[], out)
    }

    /// Measures solving alone and prints it.
    fn solve<G: Generate>(
        &self,
        options: GenerateOptions<G>,
        metrics: &[G::Metric],
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let options = GenerateOptions {
            metrics: metrics.to_vec(),
            compression: table::Compression::Fast,
            ..options
        };
        let solved = Solving::measure(&options, self.repeat as usize)?;
        if self.json {
            let answer = json!({"repeats": self.repeat, "solve_only": Solving::to_json(&solved)});
            writeln!(out, "{answer}")?;
            return Ok(Outcome::Done);
        }
        print_rows(solved.iter().map(Solving::row), out)
    }

    /// The materials that were named, or else those of the game.
    fn named<M, E>(
        &self,
        default: &[&str],
        read: impl Fn(&str) -> Result<M, E>,
    ) -> Result<Vec<M>, E> {
        match self.materials.is_empty() {
            true => default.iter().map(|signature| read(signature)).collect(),
            false => self
                .materials
                .iter()
                .map(|signature| read(signature))
                .collect(),
        }
    }

    fn print<G: Generate>(
        &self,
        generation: &Generation<G>,
        probes: &[ProbeTimes],
        reach: &[ReachTime],
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        if self.json {
            let probes: Vec<_> = probes.iter().map(ProbeTimes::to_json).collect();
            let reach: Vec<_> = reach.iter().map(ReachTime::to_json).collect();
            let answer = json!({"generate": generation.to_json(), "probe": probes, "solve": reach});
            writeln!(out, "{answer}")?;
            return Ok(Outcome::Done);
        }
        let rows = generation.rows().into_iter();
        let rows = rows.chain(probes.iter().flat_map(ProbeTimes::rows));
        print_rows(rows.chain(reach.iter().map(ReachTime::row)), out)
    }
}

/// Prints what was measured as one table.
fn print_rows(
    rows: impl Iterator<Item = (String, String)>,
    out: &mut dyn Write,
) -> Result<Outcome> {
    writeln!(out, "| what | figure |\n|---|---|")?;
    for (what, figure) in rows {
        writeln!(out, "| {what} | {figure} |")?;
    }
    Ok(Outcome::Done)
}
