//! `retrograde bench`: how fast this machine generates and probes.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use retrograde::Tablebase;
use retrograde::game::Color;
use retrograde::game::chess::Position;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::index::IndexSpace;
use retrograde::material::Material;
use retrograde::metric::Metric;
use serde_json::json;

use super::{NoTables, Outcome, TableDirectory, input, progress};

/// What is generated: a pawnless and a pawnful material of four men, and all they lead to.
const GENERATED: [&str; 2] = ["KQvKR", "KPvKP"];
/// Positions probed for each metric.
const POSITIONS: usize = 2000;
/// Repeated probes that are timed together, since one is not much longer than reading the clock.
const REPEATS: u32 = 32;

/// Measure generation and probe speed on this machine
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  retrograde bench --tables ~/tables\n\n\
    Generation: KQvKR, KPvKP and all they lead to, into a directory that is removed again. Probes: random\n\
    positions of the largest tables that are there; cold, with no block decoded yet, and with its block cached.")]
pub struct Bench {
    /// How many threads generate [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Probe times in nanoseconds, sorted.
struct ProbeTimes {
    metric: Metric,
    men: usize,
    cold: Vec<f64>,
    cached: Vec<f64>,
}

impl Bench {
    /// Measures and prints one table.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let place = tempfile::tempdir().context("cannot make a temporary directory; set TMPDIR")?;
        let plan = Plan::new(&GenerateOptions::new(
            place.path(),
            GENERATED
                .iter()
                .map(|signature| input::material(signature))
                .collect::<Result<_, _>>()?,
        ))?;
        let positions: u64 = plan.steps().map(|step| 2 * step.positions).sum();
        let start = Instant::now();
        let generated = plan.run(&AtomicBool::new(false), &())?;
        let seconds = start.elapsed().as_secs_f64();
        let tables = match directory.open() {
            Ok(tables) if !tables.tables().is_empty() => tables,
            Err(error) if !error.is::<NoTables>() => return Err(error),
            // Nothing is there yet: what was just made will do.
            _ => Tablebase::open(place.path())?,
        };
        let probes = Metric::ALL
            .into_iter()
            .filter_map(|metric| probe_times(&tables, metric).transpose())
            .collect::<Result<Vec<_>>>()?;
        if self.json {
            let probes: Vec<_> = probes
                .iter()
                .map(|times| {
                    json!({
                        "metric": times.metric.name(),
                        "men": times.men,
                        "cold_ns": {"median": at(&times.cold, 50), "p99": at(&times.cold, 99)},
                        "cached_ns": {"median": at(&times.cached, 50), "p99": at(&times.cached, 99)},
                    })
                })
                .collect();
            let answer = json!({
                "threads": rayon::current_num_threads(),
                "generate": {
                    "materials": plan.steps().count(),
                    "positions": positions,
                    "files": generated.files,
                    "bytes": generated.bytes,
                    "seconds": seconds,
                },
                "probe": probes,
            });
            writeln!(out, "{answer}")?;
            return Ok(Outcome::Done);
        }
        writeln!(out, "| what | figure |\n|---|---|")?;
        writeln!(
            out,
            "| generate, {} threads | {} materials in {seconds:.2} s, {:.1} million positions/s, {} bytes |",
            rayon::current_num_threads(),
            plan.steps().count(),
            positions as f64 / seconds / 1e6,
            generated.bytes
        )?;
        for times in &probes {
            for (name, times_ns) in [("cold", &times.cold), ("cached", &times.cached)] {
                writeln!(
                    out,
                    "| probe {}, {} men, {name} | median {:.0} ns, 99 % below {:.0} ns |",
                    times.metric,
                    times.men,
                    at(times_ns, 50),
                    at(times_ns, 99)
                )?;
            }
        }
        Ok(Outcome::Done)
    }
}

/// The value that so many per cent of the sorted times do not exceed.
fn at(times: &[f64], percent: usize) -> f64 {
    times
        .get((times.len() * percent / 100).min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

/// Times of probes in the largest tables of a metric; nothing if there are none.
fn probe_times(tables: &Tablebase, metric: Metric) -> Result<Option<ProbeTimes>> {
    let of_metric = || {
        tables
            .tables()
            .iter()
            .filter(|file| file.metric() == metric)
    };
    let Some(men) = of_metric().map(|file| file.material().men()).max() else {
        return Ok(None);
    };
    let materials: Vec<Material> = of_metric()
        .map(|file| *file.material())
        .filter(|material| material.men() == men)
        .collect();
    let probe = |position: &Position| match metric {
        Metric::Wdl => tables.probe_wdl(position).map(drop),
        Metric::Dtz => tables.probe_dtz(position).map(drop),
        Metric::Dtm => tables.probe_dtm(position).map(drop),
    };
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let spaces: Vec<IndexSpace> = materials.into_iter().map(IndexSpace::new).collect();
    while cold.len() < POSITIONS {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        let Some(position) = random_position(space, &mut random) else {
            continue;
        };
        // The first look brings the file into the page cache and opens the table.
        probe(&position)?;
        tables.clear_cache();
        let start = Instant::now();
        probe(&position)?;
        cold.push(start.elapsed().as_nanos() as f64);
        let start = Instant::now();
        for _ in 0..REPEATS {
            probe(std::hint::black_box(&position))?;
        }
        cached.push(start.elapsed().as_nanos() as f64 / f64::from(REPEATS));
    }
    cold.sort_by(f64::total_cmp);
    cached.sort_by(f64::total_cmp);
    Ok(Some(ProbeTimes {
        metric,
        men,
        cold,
        cached,
    }))
}

/// The position at a random index, if it is one.
fn random_position(space: &IndexSpace, random: &mut Random) -> Option<Position> {
    let index = random.below(space.len());
    let turn = Color::ALL[random.below(2) as usize];
    space.position(index, turn).map(|(_, position)| position)
}

/// xorshift: every run probes the same positions.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
