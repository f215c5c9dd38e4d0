//! How long solving takes by itself: what a material leads to is there, and what is written does
//! not count. Said apart is what it takes to count the values, to pack them until they are written,
//! and to leave behind what others read.

use std::io::ErrorKind;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use retrograde::game::Signature;
use retrograde::generate::{Generate, GenerateOptions, Phase, Plan};
use retrograde::tables::{rules_directory, table_path};
use serde_json::{Value, json};

use super::recorder::{Recorder, median, one_core, per_second, temporary_directory};

/// A material solved several times on one core.
pub struct Solving<G: Generate> {
    material: G::Material,
    /// Its indices with both sides to move.
    positions: u64,
    /// The median, of processor time where the system tells it.
    seconds: f64,
    /// The same of what is kept of the values for others and for the writer.
    keeping: f64,
}

impl<G: Generate> Solving<G> {
    /// Makes what `options` ask for in a directory that is removed again, then each of the
    /// materials `repeats` times on one core. The directory of the options does not count.
    ///
    /// # Errors
    ///
    /// If there is no room, a thread cannot be started, or a generation fails.
    pub fn measure(options: &GenerateOptions<G>, repeats: usize) -> Result<Vec<Solving<G>>> {
        let place = temporary_directory()?;
        let options = GenerateOptions {
            directory: place.path().to_owned(),
            ..options.clone()
        };
        Plan::new(&options)?.run(&AtomicBool::new(false), &())?;
        let one = one_core()?;
        let measure = |material: &G::Material| {
            let material = material.normal_form();
            let only = GenerateOptions {
                materials: vec![material],
                ..options.clone()
            };
            let [mut seconds, mut keeping] = [Vec::new(), Vec::new()];
            let mut positions = 0;
            for _ in 0..repeats {
                remove_tables(&only)?;
                let plan = Plan::new(&only)?;
                let step = plan.steps().find(|step| step.material == material);
                positions = step.map_or(0, |step| 2 * step.positions);
                let recorder = Recorder::<G>::default();
                one.install(|| plan.run(&AtomicBool::new(false), &recorder))?;
                let times = recorder.into_times();
                seconds.extend(times.get(&(material, Phase::Solving)));
                keeping.extend(times.get(&(material, Phase::Keeping)));
            }
            Ok(Solving {
                material,
                positions,
                seconds: median(seconds),
                keeping: median(keeping),
            })
        };
        options.materials.iter().map(measure).collect()
    }

    pub fn to_json(solved: &[Solving<G>]) -> Value {
        let each = solved.iter().map(|of| {
            let rate = per_second(of.positions, of.seconds);
            let figures = json!({
                "positions": of.positions,
                "seconds": of.seconds,
                "positions_per_second": rate,
                "keeping_seconds": of.keeping,
            });
            (of.material.to_string(), figures)
        });
        each.collect::<serde_json::Map<_, _>>().into()
    }

    /// A row of a table: what was measured, and the figure.
    pub fn row(&self) -> (String, String) {
        (
            format!("solve {} alone, one core", self.material),
            format!(
                "{:.3} s, {:.1} million positions/s ({:.1} million); keeping values {:.3} s",
                self.seconds,
                per_second(self.positions, self.seconds) / 1e6,
                self.positions as f64 / 1e6,
                self.keeping
            ),
        )
    }
}

/// Removes the tables of the materials that are asked for.
fn remove_tables<G: Generate>(options: &GenerateOptions<G>) -> Result<()> {
    let directory = rules_directory::<G>(&options.directory, options.rules);
    for material in &options.materials {
        for &metric in &options.metrics {
            let path = table_path(&directory, material, metric);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    bail!("cannot remove {}: {error}; set TMPDIR", path.display());
                }
                _ => {}
            }
        }
    }
    Ok(())
}
