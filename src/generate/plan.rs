//! Which materials to solve, in which order, and what that takes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::write::table_path;
use crate::Error;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::Metric;
use crate::table::{Compression, Table};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// Where the files are and go; made if it does not exist.
    pub directory: PathBuf,
    /// The materials that are wanted; what their moves lead to is added.
    pub materials: Vec<Material>,
    /// The metrics that are wanted. Results ([`Metric::Wdl`]) are always written, since the other metrics are read
    /// together with them.
    pub metrics: Vec<Metric>,
    /// How hard to compress.
    pub compression: Compression,
    /// Bytes of memory that may be used; nothing for no limit.
    pub memory: Option<u64>,
}

/// One material to be solved.
#[derive(Clone, Debug)]
pub struct Step {
    /// The material, in normal form.
    pub material: Material,
    /// The metrics whose files are missing or unusable. Nothing if the material only has to be solved again because
    /// others need its values.
    pub metrics: Vec<Metric>,
    /// The materials its moves lead to, in normal form.
    pub targets: Vec<Material>,
    /// Indices of each side to move.
    pub positions: u64,
}

/// The steps of a generation. Steps of one stage do not depend on each other.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) options: GenerateOptions,
    stages: Vec<Vec<Step>>,
    present: usize,
}

/// Bytes in memory for each index of a side to move that stay until no other material needs them: six sets and a
/// mate score, some of them over both twins.
const KEPT_BYTES: u64 = 3;
/// The same while the material is being solved and written.
const SOLVING_BYTES: u64 = 9;

impl Plan {
    /// Looks at what is in the directory and plans the rest.
    ///
    /// # Errors
    ///
    /// If the directory exists but cannot be read, or the memory limit is below what the plan needs.
    pub fn new(options: &GenerateOptions) -> Result<Plan, Error> {
        let mut options = options.clone();
        options.metrics.push(Metric::Wdl);
        options.metrics.sort_unstable();
        options.metrics.dedup();
        if let Err(source) = std::fs::read_dir(&options.directory)
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Directory {
                directory: options.directory,
                source,
            });
        }
        let mut wanted: HashMap<Material, Step> = HashMap::new();
        let mut open: Vec<Material> = options
            .materials
            .iter()
            .map(Material::normal_form)
            .collect();
        while let Some(material) = open.pop() {
            if wanted.contains_key(&material) {
                continue;
            }
            let targets = material.dependencies();
            open.extend(&targets);
            let step = Step {
                material,
                metrics: missing(&options.directory, &material, &options.metrics),
                targets,
                positions: IndexSpace::new(material).len(),
            };
            wanted.insert(material, step);
        }
        let present = wanted
            .values()
            .filter(|step| step.metrics.is_empty())
            .count();
        let plan = Plan {
            stages: stages(wanted),
            options,
            present,
        };
        match plan.options.memory {
            Some(limit) if plan.peak_memory() > limit => Err(Error::Memory {
                needed: plan.peak_memory(),
                limit,
            }),
            _ => Ok(plan),
        }
    }

    /// The steps in the order in which they can be done.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.stages.iter().flatten()
    }

    /// The steps, those that can be done side by side together.
    #[must_use]
    pub fn stages(&self) -> &[Vec<Step>] {
        &self.stages
    }

    /// Whether everything is there already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// How many of the wanted materials are there already, with all metrics.
    #[must_use]
    pub fn present(&self) -> usize {
        self.present
    }

    /// The work: indices to be solved or written, both sides to move, each metric once.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.steps().map(Step::work).sum()
    }

    /// Bytes of memory at the worst moment, estimated from above.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let threads = rayon::current_num_threads();
        let mut kept: HashMap<Material, u64> = HashMap::new();
        let mut peak = 0;
        for (number, stage) in self.stages.iter().enumerate() {
            let mut largest: Vec<u64> = stage.iter().map(|step| step.positions).collect();
            largest.sort_unstable_by(|a, b| b.cmp(a));
            let solving: u64 = largest.iter().take(threads).sum();
            peak =
                peak.max(kept.values().sum::<u64>() * 2 * KEPT_BYTES + solving * 2 * SOLVING_BYTES);
            for step in stage {
                kept.insert(step.material, step.positions);
            }
            kept.retain(|material, _| self.is_needed_after(number, material));
        }
        peak + BASE_MEMORY
    }

    /// Whether a stage after this one leads to a material.
    pub(super) fn is_needed_after(&self, stage: usize, material: &Material) -> bool {
        self.stages[stage + 1..]
            .iter()
            .flatten()
            .any(|step| step.targets.contains(material))
    }
}

/// Bytes of memory that do not depend on the plan: program, threads' buffers, compression.
const BASE_MEMORY: u64 = 64 << 20;

impl Step {
    /// Indices to be solved or written, both sides to move, each metric once.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.positions * 2 * (1 + self.metrics.len() as u64)
    }
}

/// The metrics of which there is no usable file.
fn missing(directory: &Path, material: &Material, metrics: &[Metric]) -> Vec<Metric> {
    metrics
        .iter()
        .copied()
        .filter(|&metric| {
            let path = table_path(directory, material, metric);
            !Table::open(&path).is_ok_and(|table| {
                let description = table.description();
                description.material == material.to_string()
                    && description.metric == metric.number()
            })
        })
        .collect()
}

/// Only what has to be solved: what has files missing, and what that leads to.
fn stages(mut wanted: HashMap<Material, Step>) -> Vec<Vec<Step>> {
    let mut needed: Vec<Material> = wanted
        .values()
        .filter(|step| !step.metrics.is_empty())
        .map(|step| step.material)
        .collect();
    let mut steps: HashMap<Material, Step> = HashMap::new();
    while let Some(material) = needed.pop() {
        if let Some(step) = wanted.remove(&material) {
            needed.extend(&step.targets);
            steps.insert(material, step);
        }
    }
    // A capture takes a man away, a promotion a pawn: equal in both, two materials never lead to each other.
    let stage_of = |step: &Step| (step.material.men(), step.material.pawns());
    let mut ordered: Vec<Step> = steps.into_values().collect();
    ordered.sort_by_key(|step| {
        (
            stage_of(step),
            std::cmp::Reverse(step.positions),
            step.material.to_string(),
        )
    });
    ordered
        .chunk_by(|a, b| stage_of(a) == stage_of(b))
        .map(<[Step]>::to_vec)
        .collect()
}
