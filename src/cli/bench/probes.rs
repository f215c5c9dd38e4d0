//! How fast this machine probes.

use std::time::Instant;

use anyhow::Result;
use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::Metric;
use serde_json::{Value, json};

/// Positions probed for each metric.
const POSITIONS: usize = 2000;
/// Repeated probes that are timed together, since one is not much longer than reading the clock.
const REPEATS: u32 = 32;

/// Probe times in nanoseconds, sorted.
pub struct ProbeTimes {
    /// What is asked for.
    metric: &'static str,
    men: usize,
    cold: Vec<f64>,
    cached: Vec<f64>,
}

impl ProbeTimes {
    pub fn to_json(&self) -> Value {
        json!({
            "metric": self.metric,
            "men": self.men,
            "cold_ns": {"median": at(&self.cold, 50), "p99": at(&self.cold, 99)},
            "cached_ns": {"median": at(&self.cached, 50), "p99": at(&self.cached, 99)},
        })
    }

    /// Rows of a table: what was measured, and the figure.
    pub fn rows(&self) -> [(String, String); 2] {
        [("cold", &self.cold), ("cached", &self.cached)].map(|(name, times)| {
            (
                format!("probe {}, {} men, {name}", self.metric, self.men),
                format!(
                    "median {:.0} ns, 99 % below {:.0} ns",
                    at(times, 50),
                    at(times, 99)
                ),
            )
        })
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
///
/// # Errors
///
/// If a table is damaged or one that probes need is missing.
pub fn probe_times(tables: &Tablebase, metric: Metric) -> Result<Option<ProbeTimes>> {
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
    let spaces: Vec<IndexSpace> = materials.into_iter().map(IndexSpace::new).collect();
    let position = |random: &mut Random| {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        random_position(space, random)
    };
    let clear = || tables.clear_cache();
    time_probes(metric.name(), men, position, probe, clear).map(Some)
}

/// Times of probes of random positions, each cold and cached.
///
/// # Errors
///
/// Those of `probe`.
pub fn time_probes<P, E>(
    metric: &'static str,
    men: usize,
    random_position: impl Fn(&mut Random) -> Option<P>,
    probe: impl Fn(&P) -> Result<(), E>,
    clear: impl Fn(),
) -> Result<ProbeTimes>
where
    anyhow::Error: From<E>,
{
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    while cold.len() < POSITIONS {
        let Some(position) = random_position(&mut random) else {
            continue;
        };
        // The first look brings the file into the page cache and opens the table.
        probe(&position)?;
        clear();
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
    Ok(ProbeTimes {
        metric,
        men,
        cold,
        cached,
    })
}

/// The position at a random index, if it is one.
fn random_position(space: &IndexSpace, random: &mut Random) -> Option<Position> {
    let index = random.below(space.len());
    let turn = Color::ALL[random.below(2) as usize];
    space.position(index, turn).map(|(_, position)| position)
}

/// xorshift: every run probes the same positions.
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
