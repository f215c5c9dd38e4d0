//! Generation of chess: what the plan and the scheduler have to know of a material, and how one is
//! solved and written.

mod estimate;
mod memory;
pub(super) mod restored;
mod views;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use views::View;

use super::begun::{About, Begun};
use super::effort::Effort;
use super::finished::{FinishedSlices, note_digest, noted_digest};
use super::game::{
    Cost, Generate, GenerateOptions, Job, MEN_IN_FILES, MEN_IN_MEMORY, Needs, Step, Thrift,
};
use super::observer::{DoneBefore, Phase};
use super::slabs::Slabs;
use super::slices::Slices;
use super::summary::{SliceDigest, Summary};
use super::syzygy::{Limits, Writing, write_syzygy};
use super::views::ViewStore;
use super::write::write_metric;
use crate::Error;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::solve::board::{captures, words};
use crate::chess::solve::slice::{Promotion, PromotionViews, Targets};
use crate::chess::solve::{
    Checkpoints, Engine, FinishedTables, SLAB, SolveError, SolveOptions, SolvedSlice,
    solve_in_slabs, solve_slices,
};
use crate::chess::{Chess, ChessRules};
use crate::metric::Metric;
use crate::retro::ranks::Ranks;
use crate::simd::Width;
use crate::store::{Record, RecordKind, Scratch, ScratchDirectory};
use crate::syzygy;
use crate::table::Compression;
use crate::tables::{Format, find};
use restored::Finished;
use views::{NewView, PackedCaptures, PackedPromotion, leave_views};

impl GenerateOptions<Chess> {
    /// Men up to which materials are solved again within seconds.
    pub const MEN_IN_MEMORY: usize = MEN_IN_MEMORY;

    /// All metrics of some materials of chess, in the way that is best without further knowledge.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>, materials: Vec<Material>) -> GenerateOptions {
        GenerateOptions {
            directory: directory.into(),
            materials,
            alone: false,
            metrics: Metric::ALL.to_vec(),
            compression: Compression::Default,
            format: Format::Native,
            rules: ChessRules::default(),
            memory: None,
            men_in_memory: MEN_IN_MEMORY,
            men_in_files: MEN_IN_FILES,
            width: Width::widest(),
            engine: None,
            scratch: None,
            scratch_room: None,
            left_for: None,
            ranks: None,
            card: None,
        }
    }
}

/// The values of a material and what is known of them as a whole, until its files are written.
#[derive(Debug)]
pub struct Solved {
    values: Values,
    index_space: IndexSpace,
    summary: Summary,
}

impl Solved {
    /// A material of which nothing is written here.
    fn elsewhere(material: Material) -> Solved {
        let index_space = IndexSpace::new(material);
        Solved {
            values: Values::Elsewhere,
            summary: Summary::from_digest(&SliceDigest::default(), &index_space),
            index_space,
        }
    }
}

/// Where values wait for being written.
#[derive(Debug)]
enum Values {
    Slices(Box<FinishedSlices>),
    Slabs(Box<Slabs>),
    /// Nothing is written here: another rank has them and writes, or finished tables have them.
    Elsewhere,
}

/// More words of a slice are too many for having the values of all of its positions at hand.
const MANY_WORDS: usize = 1 << 22;

/// The ranks that solve a material together, of which some metrics are to be written. What is only
/// read each of them brings back for itself.
fn ranks<'a>(metrics: &[Metric], options: &'a GenerateOptions) -> Option<&'a dyn Ranks> {
    let ranks = options.ranks.as_deref();
    ranks.filter(|ranks| ranks.count() > 1 && !metrics.is_empty())
}

/// How the slices of a material are solved.
fn engine(material: &Material, metrics: &[Metric], options: &GenerateOptions) -> Engine {
    if ranks(metrics, options).is_some() {
        return Engine::Chains;
    }
    let largest = match words(material) {
        Some(0..=MANY_WORDS) => Engine::Together,
        _ => Engine::Chains,
    };
    options.engine.unwrap_or(largest)
}

/// How a material is solved, and where its values wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// All is in memory.
    Memory,
    /// Without pawns, made again slab by slab.
    Slabs,
    /// With pawns, slices wait in scratch files.
    Files,
    /// Read back from finished tables, slab by slab.
    Tables,
}

/// How a material of which all tables are there is read back from them; nothing if it is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadBack {
    /// The values of a slice are at hand as they are when it is solved.
    Slices,
    /// Slab by slab.
    Slabs,
}

fn read_back(
    material: &Material,
    metrics: &[Metric],
    options: &GenerateOptions,
) -> Option<ReadBack> {
    // Beside Syzygy tables those of our own have not been compared with their checksums, and may be
    // damaged: then only who asks for that reads them.
    let has_tables = options.format == Format::Native || options.alone;
    if !metrics.is_empty() || !has_tables || !restored::has_all_results(material, options) {
        return None;
    }
    match engine(material, metrics, options) {
        Engine::Together => Some(ReadBack::Slices),
        // The mates that no file has follow from those of all of a slice, and so do the stalemates
        // that en passant asks for.
        Engine::Chains => {
            let has_mates = options.metrics.contains(&Metric::Dtm);
            let is_local = !has_mates && !material.has_pawns_of_both();
            is_local.then_some(ReadBack::Slabs)
        }
    }
}

fn way(
    material: &Material,
    metrics: &[Metric],
    options: &GenerateOptions,
    thrift: Thrift,
) -> (Way, Engine) {
    let engine = engine(material, metrics, options);
    let is_large = material.men() >= options.men_in_files || engine == Engine::Chains;
    let way = match material.has_pawns() {
        false if engine == Engine::Chains => Way::Slabs,
        true if is_large || thrift.in_files => Way::Files,
        _ => Way::Memory,
    };
    let way = match read_back(material, metrics, options) {
        Some(ReadBack::Slabs) => Way::Tables,
        _ => way,
    };
    (way, engine)
}

impl Generate for Chess {
    type Format = Format;
    type View = View;
    type Solved = Solved;

    const ZEROING: Metric = Metric::Dtz;
    const MATES: Metric = Metric::Dtm;

    fn effort(compression: Compression, metric: Metric, material: &Material) -> Effort {
        Effort::new(compression, metric, material)
    }

    fn complete(options: &mut GenerateOptions) {
        options.metrics.push(Metric::Wdl);
        if options.format == Format::Syzygy {
            options.metrics.retain(|&metric| metric != Metric::Dtm);
        }
    }

    fn rank(material: &Material) -> usize {
        usize::MAX - material.pawns()
    }

    fn missing(material: &Material, options: &GenerateOptions) -> Vec<Metric> {
        let is_usable = |metric: Metric| match options.format {
            Format::Native => find::<Chess>(&options.directory, options.rules, material, metric)
                .is_some_and(|file| file.verify_checksums(&|_, _| true).is_ok()),
            Format::Syzygy => {
                syzygy::find_file(&options.directory, material, metric).is_some_and(|path| {
                    let table = syzygy::Table::open_unmapped(&path, material, metric);
                    table.is_ok_and(|table| table.verify_checksum(&|_, _| true).is_ok())
                })
            }
        };
        let metrics = options.metrics.iter().copied();
        metrics.filter(|&metric| !is_usable(metric)).collect()
    }

    fn is_too_large(material: &Material) -> bool {
        words(material).is_none()
    }

    fn reads(material: &Material) -> Vec<View> {
        View::read_by(material)
    }

    fn memory_of_view(view: &View, _: &GenerateOptions) -> u64 {
        memory::of_view(view)
    }

    fn memory_of_step(
        needs: &Needs<'_, Chess>,
        options: &GenerateOptions,
        thrift: Thrift,
    ) -> Option<u64> {
        let &Needs {
            material, metrics, ..
        } = needs;
        let (format, at_a_time) = (options.format, thrift.parts_at_a_time);
        match way(material, metrics, options, thrift) {
            (Way::Slabs, _) => memory::of_step_in_slabs(needs, format, thrift.numbers_in_parts),
            (Way::Files, engine) => memory::of_step_in_files(needs, format, engine, at_a_time),
            (Way::Memory, _) => memory::of_step(material, metrics, format, at_a_time),
            (Way::Tables, _) => memory::of_reading_back(needs),
        }
    }

    fn scratch_of_step(needs: &Needs<'_, Chess>, options: &GenerateOptions, thrift: Thrift) -> u64 {
        let mates = options.metrics.contains(&Metric::Dtm);
        let solving = match way(needs.material, needs.metrics, options, thrift) {
            (Way::Slabs, _) => memory::scratch(needs.material, mates),
            (Way::Files, engine) => memory::scratch_in_files(needs, mates, engine),
            (Way::Memory, _) => 0,
            (Way::Tables, _) => memory::scratch_of_reading_back(needs.material),
        };
        solving + memory::scratch_of_writing(needs, options.format)
    }

    fn cost(step: &Step, options: &GenerateOptions) -> Cost {
        estimate::cost(step, options)
    }

    fn solve(job: &Job<'_, Chess>) -> Result<Solved, Error> {
        let Job {
            step,
            options,
            observer,
            ..
        } = *job;
        let material = step.material;
        let start = Instant::now();
        let keeping = AtomicU64::new(0);
        let (way, engine) = way(&material, &step.metrics, options, step.thrift);
        let tables = match read_back(&material, &step.metrics, options) {
            Some(_) => Some(Finished::open(material, &step.leaves, options)?),
            None => None,
        };
        let staying = match way {
            Way::Memory => captures(&material),
            Way::Slabs | Way::Tables => Vec::new(),
            Way::Files => memory::staying(&material, engine, step.thrift.parts_at_a_time),
        };
        let ranks = ranks(&step.metrics, options);
        // What ranks have begun together they begin together again.
        let may_go_on = way != Way::Memory && ranks.is_none();
        let mut about = may_go_on.then(|| about(job, tables.is_some()));
        let targets = targets(job, &staying, about.as_mut())?;
        if let (Way::Tables, Some(tables)) = (way, &tables) {
            return restored::leave(job, targets, tables, about.as_ref());
        }
        let begun = about.map(|about| begin(job, about)).transpose()?;
        // Work files are cleared away by the rank that is done first, so scratch files lie beside
        // the tables.
        let scratch_directory = ranks.map(|_| {
            let beside = || options.own_directory();
            let path = options.scratch.clone().unwrap_or_else(beside);
            job.scratch.elsewhere(path)
        });
        let solve_options = SolveOptions {
            mates: options.metrics.contains(&Metric::Dtm),
            // Tables of our own leave promotions out as well.
            captures_alone: options.format == Format::Syzygy && tables.is_none(),
            width: options.width,
            engine,
            // A file has one side of what is its own image with the colours exchanged.
            both_sides: !step.leaves.is_empty(),
            checkpoints: begun.as_ref().map(|begun| begun as &dyn Checkpoints),
            scratch: scratch_directory.as_ref(),
            finished: tables.as_ref().map(|tables| tables as &dyn FinishedTables),
            slices_at_a_time: step.thrift.parts_at_a_time,
            ranks,
            card: options.card.as_deref(),
            watch: job.watch(),
            ..SolveOptions::new(job.cancel)
        };
        if ranks.is_some_and(|ranks| ranks.rank() > 0) {
            return solve_for_another(job, way, targets, solve_options);
        }
        if way == Way::Slabs {
            return solve_slabs(job, targets, solve_options, begun.as_ref());
        }
        let new_views = new_views(job, begun.as_ref().map(Begun::about))?;
        let index_space = IndexSpace::new(material);
        let scratch = match &begun {
            Some(begun) => Arc::clone(begun.of_material()),
            None => {
                let scratch = Scratch::new(scratch_directory.as_ref());
                let told = |error: io::Error| SolveError::scratch(&material, error.kind());
                Arc::new(scratch.map_err(told)?)
            }
        };
        let finished = FinishedSlices::new(material, scratch);
        let digest = Mutex::new(SliceDigest::default());
        let work_of_slice = step.positions * 2 / finished.count() as u64;
        let add = |of_slice: SliceDigest| {
            let mut digest = digest.lock().unwrap_or_else(PoisonError::into_inner);
            *digest = std::mem::take(&mut *digest).merge(of_slice);
        };
        let done = finished.recorded();
        if done > 0 {
            observer.goes_on(material, DoneBefore::Slices(done, finished.count()));
        }
        let is_done = |slice: usize| {
            let is_left = || new_views.iter().all(|view| view.has_slice(slice));
            let recalled = is_left().then(|| finished.recall(slice, &step.metrics));
            let Some(of_slice) = recalled.flatten() else {
                return false;
            };
            add(of_slice);
            observer.advanced(work_of_slice);
            true
        };
        let finish = |slice: usize, solved: SolvedSlice| {
            let start = Instant::now();
            leave_views(&new_views, slice, &solved, options.width)?;
            let mut of_slice = SliceDigest::default();
            if !step.metrics.is_empty() {
                of_slice = finished.insert(&index_space, slice, solved, &step.metrics)?;
            }
            finished.record(slice, &of_slice, &step.metrics)?;
            add(of_slice);
            let spent = start.elapsed().as_nanos() as u64;
            keeping.fetch_add(spent, Ordering::Relaxed);
            observer.advanced(work_of_slice);
            Ok::<(), Error>(())
        };
        solve_slices(material, &targets, solve_options, &is_done, &finish)
            .map_err(|error| told_by_solver(job, error))?;
        let mut kept = Duration::from_nanos(keeping.into_inner());
        let solved = match rayon::current_num_threads() {
            1 => start.elapsed().saturating_sub(kept),
            _ => start.elapsed(),
        };
        observer.spent(material, Phase::Solving, solved);
        let start = Instant::now();
        for view in new_views {
            view.finish()?;
        }
        kept += start.elapsed();
        observer.spent(material, Phase::Keeping, kept);
        let digest = digest.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Solved {
            values: Values::Slices(Box::new(finished)),
            summary: Summary::from_digest(&digest, &index_space),
            index_space,
        })
    }

    fn files(job: &Job<'_, Chess>, solved: &Solved) -> Vec<Metric> {
        match solved.values {
            Values::Elsewhere => Vec::new(),
            _ => job.step.metrics.clone(),
        }
    }

    fn write(job: &Job<'_, Chess>, solved: &Solved, metric: Metric) -> Result<u64, Error> {
        match &solved.values {
            Values::Slices(slices) => write_metric_of(job, solved, &**slices, metric),
            Values::Slabs(slabs) => write_metric_of(job, solved, &**slabs, metric),
            Values::Elsewhere => Ok(0),
        }
    }

    fn finish(solved: &Solved) {
        match &solved.values {
            Values::Slices(slices) => slices.finish(),
            Values::Slabs(slabs) => slabs.finish(),
            Values::Elsewhere => {}
        }
    }
}

fn write_metric_of(
    job: &Job<'_, Chess>,
    solved: &Solved,
    slices: &dyn Slices,
    metric: Metric,
) -> Result<u64, Error> {
    match job.options.format {
        Format::Native => write_native(job, solved, slices, metric),
        Format::Syzygy => {
            let writing = Writing {
                directory: &job.options.directory,
                scratch: scratch_directory(job)?,
                has_high_bytes: solved.summary.has_high_bytes(metric),
                limits: Limits::DEFAULT,
                cancel: job.cancel,
            };
            write_syzygy(slices, metric, &writing)
        }
    }
}

fn write_native(
    job: &Job<'_, Chess>,
    solved: &Solved,
    slices: &dyn Slices,
    metric: Metric,
) -> Result<u64, Error> {
    write_metric(
        &job.options.directory,
        slices,
        &solved.index_space,
        &solved.summary,
        metric,
        job.options.compression,
        job.cancel,
    )
}

/// Takes part in solving what another rank writes.
fn solve_for_another(
    job: &Job<'_, Chess>,
    way: Way,
    targets: Targets,
    options: SolveOptions<'_>,
) -> Result<Solved, Error> {
    let material = job.step.material;
    let told = |error: SolveError| told_by_solver(job, error.into());
    if way == Way::Slabs {
        solve_in_slabs(material, targets, options).map_err(told)?;
    } else {
        solve_slices(material, &targets, options, &|_| false, &|_, _| Ok(())).map_err(told)?;
    }
    Ok(Solved::elsewhere(material))
}

/// Solves a material without pawns whose values do not have to fit into memory.
fn solve_slabs(
    job: &Job<'_, Chess>,
    targets: Targets,
    options: SolveOptions<'_>,
    begun: Option<&Begun>,
) -> Result<Solved, Error> {
    let Job { step, observer, .. } = *job;
    let material = step.material;
    let start = Instant::now();
    let told = |error: SolveError| told_by_solver(job, error.into());
    let slabs = solve_in_slabs(material, targets, options).map_err(told)?;
    let slabs = slabs.ok_or_else(|| SolveError::too_large(&material))?;
    observer.spent(material, Phase::Solving, start.elapsed());
    let start = Instant::now();
    let new_views = new_views(job, begun.map(Begun::about))?;
    let solved = SolvedSlice::Slabs(Box::new(slabs));
    leave_views(&new_views, 0, &solved, options.width)?;
    for view in new_views {
        view.finish()?;
    }
    let SolvedSlice::Slabs(slabs) = solved else {
        return Err(SolveError::too_large(&material).into());
    };
    let index_space = IndexSpace::new(material);
    let digest = match step.metrics.is_empty() {
        true => SliceDigest::default(),
        false => {
            let mates = step.metrics.contains(&Metric::Dtm);
            let slice = (0, PawnPlacement::default());
            let of_plies = || SliceDigest::of_plies(&index_space, slice, &slabs, mates);
            digest_once(slabs.scratch(), &material, mates, of_plies)?
        }
    };
    observer.advanced(step.positions * 2);
    observer.spent(material, Phase::Keeping, start.elapsed());
    Ok(Solved {
        values: Values::Slabs(Box::new(Slabs::new(*slabs, step.thrift.numbers_in_parts))),
        summary: Summary::from_digest(&digest, &index_space),
        index_space,
    })
}

/// What an error of the solver means here.
fn told_by_solver(job: &Job<'_, Chess>, error: Error) -> Error {
    let reads_files = || {
        let mut views = View::read_by(&job.step.material).into_iter();
        views.any(|view| job.views.is_for_file(&view))
    };
    match error {
        Error::Solve(SolveError::Cancelled { .. }) => Error::Cancelled,
        // What every step reads is there when it begins, but it is unpacked while it is being read.
        Error::Solve(SolveError::MissingTarget { .. }) if reads_files() => job.views.lost(),
        other => other,
    }
}

/// The digest of a material, with distances to mate or without, as the program before has put it
/// away, or as `make` makes it.
fn digest_once(
    scratch: &Scratch,
    material: &Material,
    mates: bool,
    make: impl Fn() -> Result<SliceDigest, SolveError>,
) -> Result<SliceDigest, SolveError> {
    let key = RecordKind::Digest.of([mates.into(), 0, 0]);
    let recalled = scratch.recall(key);
    let recalled = recalled.and_then(|record| noted_digest(scratch, &mut record.reader()));
    if let Some(digest) = recalled {
        return Ok(digest);
    }
    let digest = make()?;
    if scratch.is_resumable() {
        let mut record = Record::default();
        let noted = note_digest(scratch, &digest, &mut record);
        let noted = noted.and_then(|()| scratch.record(key, &record));
        noted.map_err(|error| SolveError::scratch(material, error.kind()))?;
    }
    Ok(digest)
}

/// What the solution of a material depends on, but for what it reads.
fn about(job: &Job<'_, Chess>, is_read_back: bool) -> About {
    let mut about = About::new();
    about.add(&[
        job.options.metrics.contains(&Metric::Dtm).into(),
        (job.options.format == Format::Syzygy).into(),
        is_read_back.into(),
    ]);
    about.add(&(SLAB as u64).to_le_bytes());
    about
}

/// The directory of scratch files, which is there then.
fn scratch_directory<'a>(job: &Job<'a, Chess>) -> Result<&'a ScratchDirectory, Error> {
    let directory = job.scratch.path();
    match std::fs::create_dir_all(directory) {
        Ok(()) => Ok(job.scratch),
        Err(source) => Err(no_directory(directory, source)),
    }
}

fn no_directory(directory: &Path, source: io::Error) -> Error {
    Error::Directory {
        directory: directory.to_owned(),
        source,
    }
}

/// Begins a material, or goes on with it.
fn begin(job: &Job<'_, Chess>, about: About) -> Result<Begun, Error> {
    let name = job.step.material.to_string();
    Begun::new(job.scratch.clone(), &name, about)
        .map_err(|source| no_directory(job.scratch.path(), source))
}

/// What later steps read.
fn new_views<'a>(job: &Job<'a, Chess>, about: Option<&About>) -> Result<Vec<NewView<'a>>, Error> {
    let leaves = job.step.leaves.iter();
    leaves
        .map(|view| NewView::new(view, job.views, about))
        .collect()
}

/// What the moves of a material lead to, laid out as its solver wants it; some materials that
/// captures lead to stay in memory until all slices are solved. `about` is told what is read, if
/// somebody may have to go on.
fn targets(
    job: &Job<'_, Chess>,
    staying: &[Material],
    mut about: Option<&mut About>,
) -> Result<Targets, Error> {
    let material = &job.step.material;
    let width = job.options.width;
    let lost = |view: &View, target: Material| match job.views.is_for_file(view) {
        true => job.views.lost(),
        false => SolveError::missing_target(material, &target).into(),
    };
    let mut find = |view: &View, target: Material| {
        let parts = job.views.get(view).ok_or_else(|| lost(view, target))?;
        if let Some(about) = &mut about {
            about.add(view.to_string().as_bytes());
            about.add(&parts.checksum().to_le_bytes());
        }
        Ok::<_, Error>(parts)
    };
    let mut targets = Targets::default();
    for target in captures(material) {
        let view = View::Whole(target.normal_form());
        let parts = find(&view, target)?;
        let captures = PackedCaptures::new(parts, &target, staying.contains(&target), width);
        let captures = captures.ok_or_else(|| SolveError::too_large(&target))?;
        targets.captures.insert(target, Arc::new(captures));
    }
    for promotion in Promotion::all_of(material) {
        let parts = find(&View::After(promotion), promotion.target())?;
        let words = words(material).ok_or_else(|| SolveError::too_large(material))?;
        targets.promotions.insert(
            (promotion.color, promotion.role),
            PromotionViews::new(&promotion, Arc::new(PackedPromotion { parts, words })),
        );
    }
    Ok(targets)
}
