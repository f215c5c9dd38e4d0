//! `retrograde bench --game xiangqi`: solving on one core, generating on one core, and probes.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use retrograde::game::Color;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::probe::xiangqi::{XiangqiProbeError, XiangqiTables};
use retrograde::xiangqi::Position;
use retrograde::xiangqi::solve::{SolveOptions, Targets, solve};
use retrograde::xiangqi::{IndexSpace, Material, Metric, Rules};
use serde_json::{Value, json};

use super::Bench;
use super::probes::{ProbeTimes, Random, time_probes};
use crate::cli::directory::TableDirectory;
use crate::cli::{Outcome, input};

/// What is generated if nothing is said.
const GENERATED: &str = "KRvKN";

/// Times on one core: of one material alone, or of several with all they lead to.
struct Time {
    what: String,
    /// Positions with both sides to move.
    positions: u64,
    seconds: f64,
}

impl Time {
    fn to_json(&self) -> Value {
        json!({"what": self.what, "positions": self.positions, "seconds": self.seconds})
    }

    fn row(&self) -> (String, String) {
        let rate = self.positions as f64 / 1e6 / self.seconds.max(1e-9);
        (
            format!("{}, one core", self.what),
            format!(
                "{rate:.2} million positions/s ({:.2} million in {:.3} s)",
                self.positions as f64 / 1e6,
                self.seconds
            ),
        )
    }
}

fn positions(material: &Material) -> u64 {
    IndexSpace::new(*material).map_or(0, |space| 2 * space.len())
}

/// The middle of some repetitions, in seconds.
fn median(repeats: u32, mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut seconds: Vec<f64> = (0..repeats).map(|_| run()).collect::<Result<_>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// Solves materials and all they lead to; returns the seconds of the last of them alone.
fn solving_seconds(materials: &[Material], options: SolveOptions<'_>) -> Result<f64> {
    fn solve_into(
        material: Material,
        targets: &mut Targets,
        options: SolveOptions<'_>,
    ) -> Result<f64> {
        for target in material.dependencies() {
            if !targets.contains_key(&target) {
                solve_into(target, targets, options)?;
            }
        }
        let start = Instant::now();
        let solved = solve(material, targets, options)?;
        let seconds = start.elapsed().as_secs_f64();
        targets.insert(material, Arc::new(solved));
        Ok(seconds)
    }
    let mut targets = Targets::new();
    let mut seconds = 0.0;
    for &material in materials {
        seconds = solve_into(material, &mut targets, options)?;
    }
    Ok(seconds)
}

/// Measures and prints one table.
pub fn bench(bench: &Bench, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
    let rules = bench.rules;
    let mut materials: Vec<Material> = (bench.materials.iter())
        .map(|signature| input::xiangqi_material(signature))
        .collect::<Result<_>>()?;
    if materials.is_empty() {
        materials.push(input::xiangqi_material(GENERATED)?);
    }
    let cancel = AtomicBool::new(false);
    let options = SolveOptions {
        rules,
        mates: false,
        cancel: &cancel,
    };
    let mut times = Vec::new();
    for material in &materials {
        times.push(Time {
            what: format!("solve {material}, {rules}, results and conversion"),
            positions: positions(material),
            seconds: median(bench.repeat, || solving_seconds(&[*material], options))?,
        });
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let place = tempfile::tempdir().context("no room for tables; set TMPDIR to a directory")?;
    let mut generated = 0;
    let mut bytes = 0;
    let seconds = median(bench.repeat, || {
        let directory = place.path().join("tables");
        if directory.exists() {
            std::fs::remove_dir_all(&directory)?;
        }
        let plan = Plan::new(&GenerateOptions {
            compression: bench.compression.into(),
            ..GenerateOptions::xiangqi(directory, materials.clone(), rules)
        })?;
        generated = plan.steps().map(|step| 2 * step.positions).sum();
        let start = Instant::now();
        bytes = pool.install(|| plan.run(&cancel, &()))?.bytes;
        Ok(start.elapsed().as_secs_f64())
    })?;
    times.push(Time {
        what: format!("generate these and all they lead to ({bytes} bytes)"),
        positions: generated,
        seconds,
    });
    let here = probes(directory, rules)?;
    let probes = match here.is_empty() {
        true => {
            // Nothing is there yet: what was just made will do.
            let made = TableDirectory::choose(Some(place.path().join("tables")));
            self::probes(&made, rules)?
        }
        false => here,
    };
    if bench.json {
        let times: Vec<Value> = times.iter().map(Time::to_json).collect();
        let probes: Vec<Value> = probes.iter().map(ProbeTimes::to_json).collect();
        let answer = json!({
            "game": "xiangqi",
            "rules": rules.name(),
            "generate": times,
            "probe": probes,
        });
        writeln!(out, "{answer}")?;
        return Ok(Outcome::Done);
    }
    writeln!(out, "| what | figure |\n|---|---|")?;
    let rows = times.iter().map(Time::row);
    for (what, figure) in rows.chain(probes.iter().flat_map(ProbeTimes::rows)) {
        writeln!(out, "| {what} | {figure} |")?;
    }
    Ok(Outcome::Done)
}

/// Times of probes in the largest tables that are there: of results alone, and of all there is to say.
fn probes(directory: &TableDirectory, rules: Rules) -> Result<Vec<ProbeTimes>> {
    let results: HashSet<Material> = (directory.xiangqi_files()?.into_iter())
        .filter(|file| file.rules == rules && file.metric == Metric::Wdl)
        .map(|file| file.material)
        .collect();
    let Some(men) = results.iter().map(Material::men).max() else {
        return Ok(Vec::new());
    };
    let mut spaces: Vec<IndexSpace> = (results.into_iter())
        .filter(|material| material.men() == men)
        .filter_map(IndexSpace::new)
        .collect();
    spaces.sort_by_cached_key(|space| space.material().to_string());
    let tables = XiangqiTables::open(directory.path(), rules);
    let position = |random: &mut Random| -> Option<Position> {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        let placement = space.placement(random.below(space.len()))?;
        placement.position(Color::ALL[random.below(2) as usize])
    };
    let wdl = |position: &Position| -> Result<(), XiangqiProbeError> {
        tables.probe_wdl(position).map(drop)
    };
    let all =
        |position: &Position| -> Result<(), XiangqiProbeError> { tables.probe(position).map(drop) };
    let clear = || tables.clear_cache();
    Ok(vec![
        time_probes("wdl", men, position, wdl, clear)?,
        time_probes("everything", men, position, all, clear)?,
    ])
}
