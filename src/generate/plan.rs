//! Which materials to solve, in which order, and what that takes.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::memory;
use super::work::{Item, WorkStore};
use crate::Error;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::Metric;
use crate::probe::{Format, ProbeOptions, Tablebase};
use crate::simd::Width;
use crate::solve::SolveError;
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
    /// How hard to compress; Syzygy tables have one way.
    pub compression: Compression,
    /// How files are arranged. Syzygy tables have no distances to mate, which are left out then.
    pub format: Format,
    /// Bytes of memory that may be used. If nothing is said, materials are solved side by side within 5.5 GiB, and
    /// one that needs more alone gets it.
    pub memory: Option<u64>,
    /// What materials of up to so many men leave behind for those that lead to them is kept in memory, and is solved
    /// again when a generation that was stopped is carried on. What larger ones leave behind is kept in work files
    /// beside the tables, and so is that of fewer men if the memory allowed is short. The tables do not depend on it.
    pub men_in_memory: usize,
    /// How wide the registers are that the solver uses. The tables do not depend on it.
    pub width: Width,
}

impl GenerateOptions {
    /// Men up to which materials are solved again within seconds.
    pub const MEN_IN_MEMORY: usize = 4;

    /// All metrics of some materials, in the way that is best without further knowledge.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>, materials: Vec<Material>) -> GenerateOptions {
        GenerateOptions {
            directory: directory.into(),
            materials,
            metrics: Metric::ALL.to_vec(),
            compression: Compression::Default,
            format: Format::Native,
            memory: None,
            men_in_memory: GenerateOptions::MEN_IN_MEMORY,
            width: Width::widest(),
        }
    }
}

/// One material to be solved.
#[derive(Clone, Debug)]
pub struct Step {
    /// The material, in normal form.
    pub material: Material,
    /// The metrics whose files are missing or unusable. Nothing if the material only has to be solved again because
    /// others need its values.
    pub metrics: Vec<Metric>,
    /// The materials solved before it in this plan whose values it reads, in normal form.
    pub targets: Vec<Material>,
    /// Indices of each side to move.
    pub positions: u64,
    /// What later steps read of it.
    pub(super) leaves: Vec<Item>,
    /// Bytes of memory while it is being solved and written.
    pub(super) memory: u64,
    /// How many of its slices may be solved at the same time.
    pub(super) slices_at_a_time: usize,
}

/// The steps of a generation.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) options: GenerateOptions,
    /// Each after those whose values it reads.
    pub(super) steps: Vec<Step>,
    /// All materials that are wanted.
    pub(super) wanted: Vec<Material>,
    present: usize,
    peak_memory: u64,
    /// Bytes that steps which are being done may take together.
    pub(super) room: u64,
}

/// What materials of so many men leave behind is small enough to be kept in memory always.
const FEWEST_IN_MEMORY: usize = 3;

/// What materials solved side by side may take where no limit is given.
pub(super) const DEFAULT_MEMORY: u64 = 11 << 29;

impl Plan {
    /// Looks at what is in the directory and plans the rest.
    ///
    /// # Errors
    ///
    /// If the directory exists but cannot be read, or the memory limit is below what the plan needs.
    pub fn new(options: &GenerateOptions) -> Result<Plan, Error> {
        let mut options = options.clone();
        options.metrics.push(Metric::Wdl);
        if options.format == Format::Syzygy {
            options.metrics.retain(|&metric| metric != Metric::Dtm);
        }
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
        // All of them are read from end to end: mapped, they would seem to be memory that is used.
        let unmapped = ProbeOptions {
            map_files: false,
            ..ProbeOptions::default()
        };
        let there = Tablebase::open_with(&[&options.directory], &unmapped).ok();
        let mut wanted: HashMap<Material, Vec<Metric>> = HashMap::new();
        let mut open: Vec<Material> = options
            .materials
            .iter()
            .map(Material::normal_form)
            .collect();
        while let Some(material) = open.pop() {
            if wanted.contains_key(&material) {
                continue;
            }
            open.extend(material.dependencies());
            let metrics = missing(there.as_ref(), &material, &options);
            wanted.insert(material, metrics);
        }
        loop {
            let plan = Plan::fitted(&options, &wanted);
            match plan {
                // What is kept in memory now is kept in work files then.
                Err(Error::Memory { .. }) if options.men_in_memory > FEWEST_IN_MEMORY => {
                    options.men_in_memory -= 1;
                }
                plan => return plan,
            }
        }
    }

    /// The plan for what is missing of the wanted materials.
    fn fitted(
        options: &GenerateOptions,
        wanted: &HashMap<Material, Vec<Metric>>,
    ) -> Result<Plan, Error> {
        let mut plan = Plan {
            present: wanted.values().filter(|metrics| metrics.is_empty()).count(),
            wanted: wanted.keys().copied().collect(),
            steps: ordered_steps(options, wanted)?,
            options: options.clone(),
            peak_memory: memory::BASE,
            room: 0,
        };
        plan.fit_into_memory()?;
        Ok(plan)
    }

    /// Decides how much may be done side by side.
    fn fit_into_memory(&mut self) -> Result<(), Error> {
        if self.steps.is_empty() {
            return Ok(());
        }
        let left_behind = self.left_behind();
        let apart = memory::BASE + left_behind;
        if let Some(limit) = self.options.memory {
            for step in &mut self.steps {
                step.be_thrifty(self.options.format, limit.saturating_sub(apart));
            }
        }
        let largest = self.steps.iter().map(|step| step.memory).max().unwrap_or(0);
        if let Some(limit) = self.options.memory
            && apart + largest > limit
        {
            return Err(Error::Memory {
                needed: apart + largest,
                limit,
            });
        }
        let limit = self.options.memory.unwrap_or(DEFAULT_MEMORY);
        self.room = limit.saturating_sub(apart).max(largest);
        self.peak_memory = apart + self.room.min(self.side_by_side());
        Ok(())
    }

    /// The most bytes of what steps leave behind in memory.
    fn left_behind(&self) -> u64 {
        let men = self.options.men_in_memory;
        let mut kept: HashMap<Item, u64> = HashMap::new();
        let mut most = 0;
        for (number, step) in self.steps.iter().enumerate() {
            let in_memory = step.leaves.iter().filter(|item| !item.is_for_file(men));
            kept.extend(in_memory.map(|item| (*item, memory::of_item(item))));
            most = most.max(kept.values().sum());
            let later = &self.steps[number + 1..];
            kept.retain(|item, _| later.iter().any(|step| reads(step, item)));
        }
        most
    }

    /// The most bytes of steps that can be done at the same time, where nothing keeps them apart.
    fn side_by_side(&self) -> u64 {
        let before = self.steps_before();
        let sums = self.steps.iter().enumerate().map(|(number, step)| {
            let independent = self.steps.iter().enumerate().filter(|&(other, _)| {
                other != number
                    && !before[number].contains(&other)
                    && !before[other].contains(&number)
            });
            let mut sizes: Vec<u64> = independent.map(|(_, other)| other.memory).collect();
            sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
            let others = sizes.iter().take(rayon::current_num_threads() - 1);
            step.memory + others.sum::<u64>()
        });
        sums.max().unwrap_or(0)
    }

    /// For each step the steps that have to be done before it.
    fn steps_before(&self) -> Vec<HashSet<usize>> {
        let mut numbers: HashMap<Material, usize> = HashMap::new();
        let mut before: Vec<HashSet<usize>> = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            let mut own = HashSet::new();
            for target in &step.targets {
                if let Some(&target) = numbers.get(target) {
                    own.insert(target);
                    own.extend(&before[target]);
                }
            }
            before.push(own);
            numbers.insert(step.material, number);
        }
        before
    }

    /// The steps in the order in which they can be done.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter()
    }

    /// Whether everything is there already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
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

    /// How many files are to be written.
    pub(super) fn files(&self) -> usize {
        self.steps.iter().map(|step| step.metrics.len()).sum()
    }

    /// Bytes of memory at the worst moment, estimated from above.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.peak_memory
    }
}

impl Step {
    /// Indices to be solved or written, both sides to move, each metric once.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.positions * 2 * (1 + self.metrics.len() as u64)
    }

    /// Solves one slice after the other if it takes more than so many bytes.
    fn be_thrifty(&mut self, format: Format, room: u64) {
        if self.memory > room
            && let Some(memory) = memory::of_step(&self.material, &self.metrics, format, 1)
        {
            self.memory = memory;
            self.slices_at_a_time = 1;
        }
    }
}

/// Whether a step reads an item.
pub(super) fn reads(step: &Step, item: &Item) -> bool {
    Item::all_of(&step.material).contains(item)
}

/// The metrics of which there is no file whose header fits its name and whose checksums are right.
fn missing(
    there: Option<&Tablebase>,
    material: &Material,
    options: &GenerateOptions,
) -> Vec<Metric> {
    let is_usable = |metric: Metric| {
        let mut files = there.iter().flat_map(|there| there.tables());
        let file = files.find(|file| {
            *file.material() == *material
                && file.metric() == metric
                && file.format() == options.format
        });
        file.is_some_and(|file| file.verify_checksums(&|_, _| true).is_ok())
    };
    let metrics = options.metrics.iter().copied();
    metrics.filter(|&metric| !is_usable(metric)).collect()
}

/// Only what has to be solved, each after what it leads to: what has files missing, and what that reads and no
/// work file holds.
fn ordered_steps(
    options: &GenerateOptions,
    wanted: &HashMap<Material, Vec<Metric>>,
) -> Result<Vec<Step>, Error> {
    let work = WorkStore::new(options);
    let mut order = Order {
        work: &work,
        wanted,
        items: HashMap::new(),
        done: HashSet::new(),
        materials: Vec::new(),
    };
    // What a material with pawns reads is solved just before it: work files then do not lie about for long.
    let mut missing: Vec<Material> = wanted
        .iter()
        .filter(|(_, metrics)| !metrics.is_empty())
        .map(|(material, _)| *material)
        .collect();
    missing.sort_by_key(|material| {
        (
            material.men(),
            std::cmp::Reverse(material.pawns()),
            material.to_string(),
        )
    });
    for material in missing {
        order.visit(material);
    }
    let Order {
        items, materials, ..
    } = order;
    materials
        .iter()
        .map(|material| {
            let mut targets: Vec<Material> = items[material].iter().map(Item::source).collect();
            targets.sort_unstable_by_key(Material::to_string);
            targets.dedup();
            let mut leaves: Vec<Item> = Vec::new();
            for item in materials.iter().flat_map(|reader| &items[reader]) {
                if item.source() == *material && !leaves.contains(item) {
                    leaves.push(*item);
                }
            }
            let metrics = wanted[material].clone();
            let too_large = || SolveError::too_large(material);
            Ok(Step {
                material: *material,
                memory: memory::of_step(material, &metrics, options.format, usize::MAX)
                    .ok_or_else(too_large)?,
                slices_at_a_time: usize::MAX,
                metrics,
                targets,
                positions: IndexSpace::new(*material).len(),
                leaves,
            })
        })
        .collect()
}

struct Order<'a> {
    work: &'a WorkStore,
    wanted: &'a HashMap<Material, Vec<Metric>>,
    /// For each material, what it reads that is not there yet.
    items: HashMap<Material, Vec<Item>>,
    done: HashSet<Material>,
    materials: Vec<Material>,
}

impl Order<'_> {
    fn visit(&mut self, material: Material) {
        if !self.done.insert(material) || !self.wanted.contains_key(&material) {
            return;
        }
        let items: Vec<Item> = Item::all_of(&material)
            .into_iter()
            .filter(|item| !self.work.is_filed(item))
            .collect();
        for item in &items {
            self.visit(item.source());
        }
        self.items.insert(material, items);
        self.materials.push(material);
    }
}
