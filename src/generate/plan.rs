//! Which materials to solve, in which order, and what that takes.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::begun::material_of;
use super::game::{Generate, GenerateOptions, Needs, Step, Thrift};
use super::scratch_in_use::ScratchInUse;
use super::views::{ViewName, Views, is_for_file};
use crate::Error;
use crate::chess::Chess;
use crate::error::SolveError;
use crate::game::{Game, Signature};
use crate::store::ScratchDirectory;
use crate::table::Table;
use crate::tables::{left_of_work, table_path};

/// The steps of a generation.
#[derive(Clone, Debug)]
pub struct Plan<G: Generate = Chess> {
    pub(super) options: GenerateOptions<G>,
    /// Each after those whose values it reads.
    pub(super) steps: Vec<Step<G>>,
    /// All materials that are wanted.
    pub(super) wanted: Vec<G::Material>,
    present: usize,
    peak_memory: u64,
    /// Bytes that steps which are being done may take together.
    pub(super) budget: u64,
    pub(super) scratch_directory: ScratchDirectory,
}

/// Program, threads' stacks, compression contexts, blocks on their way to a file.
pub(super) const BASE_MEMORY: u64 = 96 << 20;

/// What materials of so many men leave is small enough to be kept in memory always.
pub(super) const FEWEST_IN_MEMORY: usize = 3;

/// What materials solved side by side may take where no limit is given.
const DEFAULT_MEMORY: u64 = 11 << 29;

impl<G: Generate> Plan<G> {
    /// Looks at what is in the directory and plans the rest.
    ///
    /// # Errors
    ///
    /// If the directory exists but cannot be read, the memory limit is below what the plan needs,
    /// or a material is too large to be solved.
    pub fn new(options: &GenerateOptions<G>) -> Result<Plan<G>, Error> {
        let mut options = options.clone();
        G::complete(&mut options);
        options.metrics.sort_unstable();
        options.metrics.dedup();
        let directory = options.own_directory();
        if let Err(source) = std::fs::read_dir(&directory)
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::Directory { directory, source });
        }
        // Before all that it leads to is looked for: of a full board that has no end.
        if let Some(material) = options.materials.iter().find(|it| G::is_too_large(it)) {
            return Err(SolveError::too_large(material).into());
        }
        if options.left_for.is_some() {
            // What stays in memory is no use to others.
            options.men_in_memory = options.men_in_memory.min(FEWEST_IN_MEMORY);
        }
        let work_files = WorkFiles::<G>::new(&options);
        let mut wanted: HashMap<G::Material, Vec<G::Metric>> = HashMap::new();
        let mut open: Vec<G::Material> = options
            .materials
            .iter()
            .map(G::Material::normal_form)
            .collect();
        while let Some(material) = open.pop() {
            if wanted.contains_key(&material) {
                continue;
            }
            open.extend(materials_behind(&material, &options, &work_files));
            let missing = match !options.alone || options.asks_for(&material) {
                true => G::missing(&material, &options),
                false => Vec::new(),
            };
            is_free_for::<G>(&directory, &material, &missing)?;
            wanted.insert(material, missing);
        }
        loop {
            let plan = Plan::fitted(&options, &wanted, &work_files);
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
        options: &GenerateOptions<G>,
        wanted: &HashMap<G::Material, Vec<G::Metric>>,
        work_files: &WorkFiles<G>,
    ) -> Result<Plan<G>, Error> {
        let mut plan = Plan {
            present: wanted.values().filter(|metrics| metrics.is_empty()).count(),
            wanted: wanted.keys().copied().collect(),
            steps: ordered_steps(options, wanted, work_files)?,
            options: options.clone(),
            peak_memory: BASE_MEMORY,
            budget: 0,
            scratch_directory: ScratchDirectory::new(options.scratch_directory()),
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
        let apart = BASE_MEMORY + left_behind;
        if let Some(limit) = self.options.memory {
            for step in &mut self.steps {
                step.be_thrifty(&self.options, limit.saturating_sub(apart));
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
        self.budget = limit.saturating_sub(apart).max(largest);
        self.peak_memory = apart + self.budget.min(self.side_by_side());
        Ok(())
    }

    /// The most bytes of what steps leave in memory.
    fn left_behind(&self) -> u64 {
        let men = self.options.men_in_memory;
        let mut last_readers: HashMap<G::View, usize> = HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            last_readers.extend(G::reads(&step.material).iter().map(|&view| (view, number)));
        }
        let mut kept: HashMap<G::View, u64> = HashMap::new();
        let mut most = 0;
        for (number, step) in self.steps.iter().enumerate() {
            let in_memory = step.leaves.iter().filter(|view| !is_for_file(**view, men));
            kept.extend(in_memory.map(|view| (*view, G::memory_of_view(view, &self.options))));
            most = most.max(kept.values().sum());
            kept.retain(|view, _| last_readers.get(view).is_some_and(|&last| last > number));
        }
        most
    }

    /// The most bytes of steps that can be done at the same time, where nothing keeps them apart.
    fn side_by_side(&self) -> u64 {
        self.most_side_by_side(|step| step.memory, |_, _| true)
    }

    /// The most that steps which can be done at the same time take together of something.
    fn most_side_by_side(
        &self,
        size: impl Fn(&Step<G>) -> u64,
        fit: impl Fn(&Step<G>, &Step<G>) -> bool,
    ) -> u64 {
        let before = self.steps_before();
        let sums = self.steps.iter().enumerate().map(|(number, step)| {
            let independent = self.steps.iter().enumerate().filter(|&(other, others)| {
                other != number
                    && !before[number].contains(&other)
                    && !before[other].contains(&number)
                    && fit(step, others)
            });
            let mut sizes: Vec<u64> = independent.map(|(_, other)| size(other)).collect();
            sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
            let others = sizes.iter().take(rayon::current_num_threads() - 1);
            size(step) + others.sum::<u64>()
        });
        sums.max().unwrap_or(0)
    }

    /// For each step the steps that have to be done before it.
    fn steps_before(&self) -> Vec<HashSet<usize>> {
        let mut numbers: HashMap<G::Material, usize> = HashMap::new();
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
    pub fn steps(&self) -> impl Iterator<Item = &Step<G>> {
        self.steps.iter()
    }

    /// The first step that makes tables of a material that was not asked for: those are missing or
    /// damaged.
    #[must_use]
    pub fn first_missing(&self) -> Option<&Step<G>> {
        let is_asked = |step: &Step<G>| self.options.asks_for(&step.material);
        (self.steps.iter()).find(|step| !step.metrics.is_empty() && !is_asked(step))
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

    /// Bytes of scratch files at the worst moment, estimated from above.
    #[must_use]
    pub fn scratch(&self) -> u64 {
        let fit = |a: &Step<G>, b: &Step<G>| a.memory + b.memory <= self.budget;
        self.most_side_by_side(|step| step.scratch, fit)
            .min(self.scratch_room())
    }

    /// Bytes of the scratch files of the step that has most, estimated from above: room without
    /// which the plan cannot be done, however little is done side by side.
    #[must_use]
    pub fn least_scratch(&self) -> u64 {
        self.steps().map(|step| step.scratch).max().unwrap_or(0)
    }

    /// Bytes of scratch files that steps which are being done may have together.
    pub(super) fn scratch_room(&self) -> u64 {
        let room = self.options.scratch_room.unwrap_or(u64::MAX);
        room.max(self.least_scratch())
    }

    /// Tells how much room scratch and work files take while the plan is being run.
    #[must_use]
    pub fn scratch_in_use(&self) -> ScratchInUse {
        ScratchInUse {
            scratch: self.scratch_directory.clone(),
            work_files: self.options.work_directory(),
        }
    }

    /// The materials that a generation which was stopped or killed has begun and this one may go on
    /// with, each with the bytes of its scratch files that are there. Whether they are whole is
    /// seen when they are gone on with.
    #[must_use]
    pub fn begun(&self) -> Vec<(G::Material, u64)> {
        let directory = self.scratch_directory.path();
        // Only chess begins any, and the games share names.
        let left = match G::GAME {
            Game::Chess => left_of_work(directory, |_| true),
            Game::Xiangqi => Vec::new(),
        };
        let bytes_of = |material: G::Material| {
            let name = material.to_string();
            let own = left
                .iter()
                .filter(|(work, _)| material_of(work) == Some(&name));
            own.map(|(_, bytes)| bytes).sum()
        };
        let materials = self.steps().map(|step| step.material);
        let sizes = materials.map(|material| (material, bytes_of(material)));
        sizes.filter(|&(_, bytes)| bytes > 0).collect()
    }

    /// Bytes of memory at the worst moment, estimated from above.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.peak_memory
    }
}

/// Tables of the games have the same names: makes sure that none of another game would be replaced,
/// which is what happens to whoever names its directory by mistake.
///
/// # Errors
///
/// [`Error::OtherGame`] if one would.
fn is_free_for<G: Generate>(
    directory: &Path,
    material: &G::Material,
    missing: &[G::Metric],
) -> Result<(), Error> {
    for metric in missing {
        let path = table_path(directory, material, metric);
        let found = Table::open_unmapped(&path);
        if found.is_ok_and(|table| table.description().game != G::GAME.number()) {
            return Err(Error::OtherGame { path });
        }
    }
    Ok(())
}

/// The work files that are there when a plan is made. Whether one is whole takes reading it, which
/// is done once.
struct WorkFiles<G: Generate> {
    views: Views<G::View>,
    are_whole: RefCell<HashMap<G::View, bool>>,
}

impl<G: Generate> WorkFiles<G> {
    fn new(options: &GenerateOptions<G>) -> Self {
        WorkFiles {
            views: options.views(&ScratchDirectory::new(options.scratch_directory())),
            are_whole: RefCell::default(),
        }
    }

    /// Whether there is an undamaged file of a view that is kept in one.
    fn have(&self, view: &G::View, men_in_memory: usize) -> bool {
        let is_whole = || self.views.has_file(view);
        is_for_file(*view, men_in_memory)
            && *(self.are_whole.borrow_mut())
                .entry(*view)
                .or_insert_with(is_whole)
    }
}

/// The materials of which something has to be there for a material to be made. What other steps
/// have left of one in work files stands for its tables and for all that is behind them.
fn materials_behind<G: Generate>(
    material: &G::Material,
    options: &GenerateOptions<G>,
    work_files: &WorkFiles<G>,
) -> Vec<G::Material> {
    if options.left_for.is_none() {
        return material.dependencies();
    }
    let views = G::reads(material).into_iter();
    let missing = views.filter(|view| !work_files.have(view, options.men_in_memory));
    missing.map(|view| view.source()).collect()
}

/// Only what has to be solved, each after what it leads to: what has files missing, or is read by
/// those that work files are left for, and what that reads; if no work file holds it.
fn ordered_steps<G: Generate>(
    options: &GenerateOptions<G>,
    wanted: &HashMap<G::Material, Vec<G::Metric>>,
    work_files: &WorkFiles<G>,
) -> Result<Vec<Step<G>>, Error> {
    let men_in_memory = options.men_in_memory;
    let mut order: Order<'_, G> = Order {
        work_files,
        men_in_memory,
        wanted,
        views: HashMap::new(),
        done: HashSet::new(),
        materials: Vec::new(),
    };
    let later = options.left_for.iter().flatten();
    let later = later.flat_map(|reader| G::reads(&reader.normal_form()));
    let later: Vec<G::View> = later
        .filter(|&view| is_for_file(view, men_in_memory))
        .collect();
    let has_to_leave = |material: &G::Material| {
        let mut own = later.iter().filter(|view| view.source() == *material);
        options.asks_for(material) && own.any(|view| !work_files.have(view, men_in_memory))
    };
    // What a material of high rank reads is solved just before it: work files then do not lie about
    // for long.
    let mut missing: Vec<G::Material> = wanted
        .iter()
        .filter(|(material, metrics)| !metrics.is_empty() || has_to_leave(material))
        .map(|(material, _)| *material)
        .collect();
    missing
        .sort_by_cached_key(|material| (material.men(), G::rank(material), material.to_string()));
    for material in missing {
        order.visit(material);
    }
    let Order {
        views, materials, ..
    } = order;
    let mut leaves: HashMap<G::Material, Vec<G::View>> = HashMap::new();
    let read: Vec<G::View> = materials
        .iter()
        .flat_map(|reader| views[reader].iter().copied())
        .chain(later)
        .collect();
    for view in read {
        let of_source = leaves.entry(view.source()).or_default();
        if !of_source.contains(&view) {
            of_source.push(view);
        }
    }
    materials
        .iter()
        .map(|material| {
            let mut targets: Vec<G::Material> =
                views[material].iter().map(ViewName::source).collect();
            targets.sort_by_cached_key(G::Material::to_string);
            targets.dedup();
            let metrics = wanted[material].clone();
            let leaves = leaves.remove(material).unwrap_or_default();
            let needs = Needs {
                material,
                metrics: &metrics,
                leaves: &leaves,
            };
            let memory = G::memory_of_step(&needs, options, Thrift::NONE);
            let scratch = G::scratch_of_step(&needs, options, Thrift::NONE);
            let too_large = || SolveError::too_large(material);
            Ok(Step {
                material: *material,
                memory: memory.ok_or_else(too_large)?,
                scratch,
                thrift: Thrift::NONE,
                metrics,
                targets,
                positions: G::positions(&G::space(*material).ok_or_else(too_large)?),
                leaves,
            })
        })
        .collect()
}

struct Order<'a, G: Generate> {
    work_files: &'a WorkFiles<G>,
    men_in_memory: usize,
    wanted: &'a HashMap<G::Material, Vec<G::Metric>>,
    /// For each material, what it reads that is not there yet.
    views: HashMap<G::Material, Vec<G::View>>,
    done: HashSet<G::Material>,
    materials: Vec<G::Material>,
}

impl<G: Generate> Order<'_, G> {
    fn visit(&mut self, material: G::Material) {
        if !self.done.insert(material) || !self.wanted.contains_key(&material) {
            return;
        }
        let views: Vec<G::View> = G::reads(&material)
            .into_iter()
            .filter(|view| !self.work_files.have(view, self.men_in_memory))
            .collect();
        for view in &views {
            self.visit(view.source());
        }
        self.views.insert(material, views);
        self.materials.push(material);
    }
}
