//! How fast this machine generates: solving and compressing apart on one core, and everything on
//! all.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Result;
use retrograde::game::Numbered;
use retrograde::generate::{Generate, GenerateOptions, Generated, Observer, Phase, Plan};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::recorder::{PhaseTimes, Recorder, median, one_core, per_second, temporary_directory};

/// Repeated generations of some materials and all they lead to.
pub struct Generation<G: Generate> {
    /// What was asked for.
    materials: Vec<G::Material>,
    /// Positions of each material that is solved: its indices with both sides to move.
    positions: HashMap<G::Material, u64>,
    /// On one core, processor time where the system tells it.
    alone: Vec<PhaseTimes<G>>,
    /// On all threads, in seconds, sorted.
    together: Vec<f64>,
    generated: Generated,
    /// The tables of the last repetition.
    pub place: TempDir,
}

/// What one core did with one material, or with all.
struct Rates {
    positions: u64,
    solving: f64,
    /// Keeping values until they are written, and writing all metrics.
    compressing: f64,
    writing: Vec<f64>,
}

impl<G: Generate> Generation<G> {
    /// Generates what `options` ask for into directories that are removed again, `repeats` times on
    /// one core and as often on all threads. The directory of the options does not count.
    ///
    /// # Errors
    ///
    /// If there is no room, a thread cannot be started, or a generation fails.
    pub fn measure(options: &GenerateOptions<G>, repeats: usize) -> Result<Generation<G>> {
        let one = one_core()?;
        let mut alone = Vec::new();
        for _ in 0..repeats {
            let recorder = Recorder::<G>::default();
            one.install(|| Once::run(options, &recorder))?;
            alone.push(recorder.into_times());
        }
        let mut last = Once::run(options, &())?;
        let mut together = vec![last.seconds];
        for _ in 1..repeats {
            last = Once::run(options, &())?;
            together.push(last.seconds);
        }
        together.sort_by(f64::total_cmp);
        Ok(Generation {
            positions: last.positions,
            generated: last.generated,
            place: last.place,
            materials: options.materials.clone(),
            alone,
            together,
        })
    }

    /// The rates of one material; of all that were solved if none is given.
    fn rates(&self, material: Option<G::Material>) -> Rates {
        let seconds = |phase: Phase<G::Metric>| {
            let of_run = |times: &PhaseTimes<G>| -> f64 {
                let wanted = times.iter().filter(|&(&(of, in_phase), _)| {
                    in_phase == phase && material.is_none_or(|material| material == of)
                });
                wanted.map(|(_, seconds)| seconds).sum()
            };
            median(self.alone.iter().map(of_run).collect())
        };
        let of_metrics = G::Metric::LIST.iter();
        let writing: Vec<f64> = of_metrics.map(|&of| seconds(Phase::Writing(of))).collect();
        Rates {
            positions: match material {
                Some(material) => self.positions.get(&material).copied().unwrap_or(0),
                None => self.positions.values().sum(),
            },
            solving: seconds(Phase::Solving),
            compressing: seconds(Phase::Keeping) + writing.iter().sum::<f64>(),
            writing,
        }
    }

    pub fn to_json(&self) -> Value {
        let of_one_core = |rates: Rates| {
            let rate = |seconds: f64| json!({"seconds": seconds, "positions_per_second": per_second(rates.positions, seconds)});
            json!({
                "positions": rates.positions,
                "solve": rate(rates.solving),
                "compress": rate(rates.compressing),
                "write": G::Metric::LIST
                    .iter()
                    .zip(rates.writing)
                    .map(|(metric, seconds)| (metric.name().to_owned(), rate(seconds)))
                    .collect::<serde_json::Map<_, _>>(),
            })
        };
        let each: serde_json::Map<_, _> = self
            .materials
            .iter()
            .map(|material| {
                let rates = self.rates(Some(*material));
                (material.to_string(), of_one_core(rates))
            })
            .collect();
        json!({
            "threads": rayon::current_num_threads(),
            "repeats": self.together.len(),
            "materials": self.positions.len(),
            "positions": self.positions.values().sum::<u64>(),
            "files": self.generated.files,
            "bytes": self.generated.bytes,
            "seconds": median(self.together.clone()),
            "one_core": {"all": of_one_core(self.rates(None)), "each": each},
        })
    }

    /// Rows of a table: what was measured, and the figure.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let count = self.positions.len();
        let all = format!("all {count} materials");
        let named = self.materials.iter().map(|material| Some(*material));
        for material in named.chain([None]) {
            let name = material.map_or_else(|| all.clone(), |material| material.to_string());
            let rates = self.rates(material);
            let rate = |seconds: f64| per_second(rates.positions, seconds) / 1e6;
            rows.push((
                format!("solve {name}, one core"),
                format!(
                    "{:.1} million positions/s ({:.1} million in {:.3} s)",
                    rate(rates.solving),
                    rates.positions as f64 / 1e6,
                    rates.solving
                ),
            ));
            let of_metrics: Vec<String> = G::Metric::LIST
                .iter()
                .zip(rates.writing)
                .map(|(metric, seconds)| format!("{metric} {:.1}", rate(seconds)))
                .collect();
            rows.push((
                format!("compress {name}, one core"),
                format!(
                    "{:.1} million positions/s ({})",
                    rate(rates.compressing),
                    of_metrics.join(", ")
                ),
            ));
        }
        let seconds = median(self.together.clone());
        let positions: u64 = self.positions.values().sum();
        rows.push((
            format!("generate {all}, {} threads", rayon::current_num_threads()),
            format!(
                "{:.1} million positions/s, {seconds:.2} s, {} bytes",
                per_second(positions, seconds) / 1e6,
                self.generated.bytes
            ),
        ));
        rows
    }
}

/// One generation.
struct Once<G: Generate> {
    positions: HashMap<G::Material, u64>,
    generated: Generated,
    seconds: f64,
    place: TempDir,
}

impl<G: Generate> Once<G> {
    fn run(options: &GenerateOptions<G>, observer: &dyn Observer<G>) -> Result<Once<G>> {
        let place = temporary_directory()?;
        let plan = Plan::new(&GenerateOptions {
            directory: place.path().to_owned(),
            ..options.clone()
        })?;
        let start = Instant::now();
        let generated = plan.run(&AtomicBool::new(false), observer)?;
        Ok(Once {
            seconds: start.elapsed().as_secs_f64(),
            positions: plan
                .steps()
                .map(|step| (step.material, 2 * step.positions))
                .collect(),
            generated,
            place,
        })
    }
}
