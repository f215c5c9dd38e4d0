//! Which materials to solve, in which order, and what that takes.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::Error;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::Metric;
use crate::placement::PawnSlices;
use crate::probe::Tablebase;
use crate::solve::SolveError;
use crate::solve::chess::words;
use crate::table::Compression;

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
    memory: StepMemory,
}

/// The steps of a generation, in batches. Steps of one batch do not depend on each other.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) options: GenerateOptions,
    /// Steps that are done side by side.
    batches: Vec<Vec<Step>>,
    present: usize,
    peak_memory: u64,
}

/// Bytes of a solved material for each word of a side to move that other materials read: six sets and 64 mate
/// scores.
const KEPT_BYTES: u64 = 6 * 8 + 64;
/// Bytes more until its files are written: 64 distances, three sets, and 64 intervals in two copies of an order.
const UNWRITTEN_BYTES: u64 = 64 + 3 * 8 + 64 * 2;
/// Bytes for each word of a side to move of a slice that is being solved, at the worst moment.
const SOLVING_BYTES: u64 = 520;
/// Bytes of memory that do not depend on the plan: program, threads' buffers, compression.
const BASE_MEMORY: u64 = 96 << 20;
/// Bytes that materials solved side by side may take together where no limit is given.
const DEFAULT_BATCH_MEMORY: u64 = 512 << 20;

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
        let there = Tablebase::open(&options.directory).ok();
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
                metrics: missing(there.as_ref(), &material, &options.metrics),
                targets,
                positions: IndexSpace::new(material).len(),
                memory: memory_of(&material).ok_or(SolveError::TooLarge { material })?,
            };
            wanted.insert(material, step);
        }
        let present = wanted
            .values()
            .filter(|step| step.metrics.is_empty())
            .count();
        let mut plan = Plan {
            batches: Vec::new(),
            options,
            present,
            peak_memory: BASE_MEMORY,
        };
        plan.fill_batches(stages(wanted));
        match plan.options.memory {
            Some(limit) if !plan.is_empty() && plan.peak_memory > limit => Err(Error::Memory {
                needed: plan.peak_memory,
                limit,
            }),
            _ => Ok(plan),
        }
    }

    /// Cuts stages into batches that fit into memory, if at all possible.
    fn fill_batches(&mut self, stages: Vec<Vec<Step>>) {
        let mut kept: HashMap<Material, u64> = HashMap::new();
        for number in 0..stages.len() {
            let kept_bytes: u64 = kept.values().sum();
            let room = match self.options.memory {
                Some(limit) => limit.saturating_sub(BASE_MEMORY + kept_bytes),
                None => DEFAULT_BATCH_MEMORY,
            };
            let mut batch: Vec<Step> = Vec::new();
            let mut batch_bytes = 0;
            // What a batch has solved stays while the rest of its stage is being solved.
            let mut fresh = 0;
            for step in &stages[number] {
                if !batch.is_empty() && fresh + batch_bytes + step.memory.working > room {
                    fresh += batch.iter().map(|step| step.memory.kept).sum::<u64>();
                    self.batches.push(std::mem::take(&mut batch));
                    batch_bytes = 0;
                }
                batch_bytes += step.memory.working;
                batch.push(step.clone());
                let peak = BASE_MEMORY + kept_bytes + fresh + batch_bytes;
                self.peak_memory = self.peak_memory.max(peak);
                kept.insert(step.material, step.memory.kept);
            }
            self.batches.push(batch);
            let later = &stages[number + 1..];
            kept.retain(|material, _| {
                later
                    .iter()
                    .flatten()
                    .any(|step| step.targets.contains(material))
            });
        }
    }

    /// The steps in the order in which they can be done.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.batches.iter().flatten()
    }

    /// The steps, those that are done side by side together.
    #[must_use]
    pub fn batches(&self) -> &[Vec<Step>] {
        &self.batches
    }

    /// Whether everything is there already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
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
        self.peak_memory
    }

    /// Whether a batch after this one leads to a material.
    pub(super) fn is_needed_after(&self, batch: usize, material: &Material) -> bool {
        self.batches[batch + 1..]
            .iter()
            .flatten()
            .any(|step| step.targets.contains(material))
    }
}

/// Bytes of memory that a material takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StepMemory {
    /// While it is being solved and written.
    working: u64,
    /// Afterwards, while others need it.
    kept: u64,
}

/// What solving a material takes; nothing if it has more words than the solver can address.
fn memory_of(material: &Material) -> Option<StepMemory> {
    let words_of_slice = u64::from(words(material)?);
    let slices = PawnSlices::new(material).len() as u64;
    let all = words_of_slice * slices * 2;
    let in_work = (rayon::current_num_threads() as u64).min(slices) * words_of_slice * 2;
    // Targets in the other colours are laid out anew as long as the material is being solved.
    let exchanged: u64 = material
        .conversions()
        .iter()
        .filter(|target| !target.is_normal())
        .filter_map(|target| {
            Some(u64::from(words(target)?) * PawnSlices::new(target).len() as u64 * 2)
        })
        .sum();
    let kept = all * KEPT_BYTES;
    Some(StepMemory {
        kept,
        working: kept + all * UNWRITTEN_BYTES + in_work * SOLVING_BYTES + exchanged * KEPT_BYTES,
    })
}

impl Step {
    /// Indices to be solved or written, both sides to move, each metric once.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.positions * 2 * (1 + self.metrics.len() as u64)
    }
}

/// The metrics of which there is no file whose header fits its name and whose checksums are right.
fn missing(there: Option<&Tablebase>, material: &Material, metrics: &[Metric]) -> Vec<Metric> {
    metrics
        .iter()
        .copied()
        .filter(|&metric| {
            let file = there.and_then(|there| there.table(material, metric));
            let is_usable = file
                .and_then(|file| file.table().ok())
                .is_some_and(|table| table.verify_checksums(&|_, _| true).is_ok());
            !is_usable
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
