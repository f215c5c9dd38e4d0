//! Doing what is planned.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::Scope;
use rayon::prelude::*;

use super::finished::FinishedSlices;
use super::heap::give_back;
use super::packed::{PackedView, PackedViews};
use super::plan::{Plan, Step, reads};
use super::slices::Slices;
use super::summary::{SliceDigest, Summary};
use super::syzygy::write_syzygy;
use super::work::{DIRECTORY, Item, WorkStore};
use super::write::write_metric;
use crate::Error;
use crate::game::Color;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::{FIFTY_MOVES, Metric};
use crate::placement::PawnSlices;
use crate::probe::Format;
use crate::simd::Width;
use crate::solve::chess::{Extraction, Promotion, PromotionViews, Targets, captures};
use crate::solve::solved::SliceValues;
use crate::solve::view::SideView;
use crate::solve::{SolveError, SolveOptions, solve_slices};
use crate::tables::{remove_leftovers, remove_unfinished};

/// Told about the course of a generation, from any thread.
pub trait Observer: Sync {
    /// A material is being solved.
    fn started(&self, material: Material);
    /// So much more of [`Plan::work`] is done.
    fn advanced(&self, work: u64);
    /// A material's files are written; they have `bytes` bytes together.
    fn finished(&self, material: Material, bytes: u64);
    /// So much time went into a phase of a material. Times of a material add up if one thread does everything;
    /// with more, [`Phase::Solving`] is the time on the clock and [`Phase::Keeping`] is part of it.
    fn spent(&self, _material: Material, _phase: Phase, _time: Duration) {}
}

/// What a generation spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// From what captures and promotions lead to, to all values.
    Solving,
    /// Digesting values, packing them until they are written, and leaving behind what other materials read.
    Keeping,
    /// Writing the file of a metric.
    Writing(Metric),
}

/// An observer that does not care.
impl Observer for () {
    fn started(&self, _: Material) {}
    fn advanced(&self, _: u64) {}
    fn finished(&self, _: Material, _: u64) {}
}

/// What a generation has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// Files written.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// How often in turn work files may be lost without a table having been finished.
const ATTEMPTS: usize = 3;

impl Plan {
    /// Does what is planned, and removes what killed generations have left unfinished.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, a material cannot be solved, or `cancel` was set. The files that were finished
    /// before stay.
    pub fn run(&self, cancel: &AtomicBool, observer: &dyn Observer) -> Result<Generated, Error> {
        let mut generated = Generated::default();
        let mut replanned = None;
        let mut attempts = 0;
        loop {
            let plan = replanned.as_ref().unwrap_or(self);
            match plan.attempt(cancel, observer, &mut generated) {
                // What was in the work files is solved again, unless another generation has written what needs it.
                Err(Error::WorkFiles { .. }) if attempts < ATTEMPTS => {
                    let rest = Plan::new(&self.options)?;
                    attempts = match rest.files() < plan.files() {
                        true => 0,
                        false => attempts + 1,
                    };
                    replanned = Some(rest);
                }
                result => return result.map(|()| generated),
            }
        }
    }

    fn attempt(
        &self,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        generated: &mut Generated,
    ) -> Result<(), Error> {
        let directory = &self.options.directory;
        remove_leftovers(directory);
        remove_unfinished(&directory.join(DIRECTORY));
        let work = WorkStore::new(&self.options);
        if !self.is_empty() {
            std::fs::create_dir_all(directory).map_err(|source| Error::Directory {
                directory: directory.clone(),
                source,
            })?;
            let course = Course {
                plan: self,
                work: &work,
                cancel,
                observer,
                state: Mutex::new(State {
                    waiting: (0..self.steps.len()).collect(),
                    room: self.room,
                    ..State::default()
                }),
            };
            rayon::scope(|scope| course.start_what_can_start(scope));
            let state = course.state.into_inner();
            let state = state.unwrap_or_else(PoisonError::into_inner);
            generated.files += state.generated.files;
            generated.bytes += state.generated.bytes;
            if let Some(error) = state.error {
                return Err(error);
            }
        }
        work.clear(self.wanted.iter().flat_map(Item::all_of))
    }
}

/// A generation that is under way.
struct Course<'a> {
    plan: &'a Plan,
    work: &'a WorkStore,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    state: Mutex<State>,
}

/// Which steps are where.
#[derive(Debug, Default)]
struct State {
    /// In the order of the plan.
    waiting: Vec<usize>,
    running: Vec<usize>,
    done: HashSet<Material>,
    /// Bytes of memory that nobody has.
    room: u64,
    generated: Generated,
    error: Option<Error>,
}

impl State {
    /// Takes out the first step that is ready and has room.
    fn next(&mut self, steps: &[Step]) -> Option<usize> {
        if self.error.is_some() || self.running.len() >= rayon::current_num_threads() {
            return None;
        }
        let at = self.waiting.iter().position(|&number| {
            let step = &steps[number];
            let is_ready = step.targets.iter().all(|target| self.done.contains(target));
            is_ready && step.memory <= self.room
        })?;
        let number = self.waiting.remove(at);
        self.room -= steps[number].memory;
        self.running.push(number);
        Some(number)
    }
}

impl<'a> Course<'a> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_what_can_start<'scope>(&'scope self, scope: &Scope<'scope>) {
        loop {
            let Some(number) = self.state().next(&self.plan.steps) else {
                return;
            };
            scope.spawn(move |scope| {
                let result = self.take_step(&self.plan.steps[number]);
                give_back();
                self.finish(number, result);
                self.start_what_can_start(scope);
            });
        }
    }

    fn finish(&self, number: usize, result: Result<Generated, Error>) {
        let steps = &self.plan.steps;
        let step = &steps[number];
        let mut state = self.state();
        state.running.retain(|&other| other != number);
        state.done.insert(step.material);
        state.room += step.memory;
        let result = result.and_then(|written| {
            for item in Item::all_of(&step.material) {
                let mut others = state.waiting.iter().chain(&state.running);
                if !others.any(|&other| reads(&steps[other], &item)) {
                    self.work.discard(&item)?;
                }
            }
            Ok(written)
        });
        match result {
            Ok(written) => {
                state.generated.files += written.files;
                state.generated.bytes += written.bytes;
            }
            Err(error) => {
                state.error.get_or_insert(error);
            }
        }
    }

    fn take_step(&self, step: &Step) -> Result<Generated, Error> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let material = step.material;
        self.observer.started(material);
        let index_space = IndexSpace::new(material);
        let (finished, digest) = self.solve(step, &index_space)?;
        give_back();
        let mut written = Generated::default();
        if !step.metrics.is_empty() {
            let summary = Summary::from_digest(&digest, &index_space);
            for &metric in &step.metrics {
                let start = Instant::now();
                let directory = &self.plan.options.directory;
                written.bytes += match self.plan.options.format {
                    Format::Native => write_metric(
                        directory,
                        &finished,
                        &index_space,
                        &summary,
                        metric,
                        self.plan.options.compression,
                        self.cancel,
                    ),
                    Format::Syzygy => write_syzygy(directory, &finished, metric, self.cancel),
                }?;
                written.files += 1;
                let spent = start.elapsed();
                self.observer.spent(material, Phase::Writing(metric), spent);
                self.observer.advanced(step.positions * 2);
            }
        }
        self.observer.finished(material, written.bytes);
        Ok(written)
    }

    fn solve(
        &self,
        step: &Step,
        index_space: &IndexSpace,
    ) -> Result<(FinishedSlices, SliceDigest), Error> {
        let material = step.material;
        let start = Instant::now();
        let keeping = AtomicU64::new(0);
        let targets = self.targets(&material)?;
        let options = SolveOptions {
            mates: self.plan.options.metrics.contains(&Metric::Dtm),
            captures_alone: self.plan.options.format == Format::Syzygy,
            limit: FIFTY_MOVES,
            width: self.plan.options.width,
            slices_at_a_time: step.slices_at_a_time,
            cancel: self.cancel,
        };
        let leavings: Vec<Leaving> = step.leaves.iter().map(Leaving::new).collect();
        let finished = FinishedSlices::new(material);
        let digest = Mutex::new(SliceDigest::default());
        let work_of_slice = step.positions * 2 / finished.count() as u64;
        let finish = |slice: usize, values: SliceValues| {
            let start = Instant::now();
            leave_behind(&leavings, slice, &values, options.width);
            if !step.metrics.is_empty() {
                let placement = finished.placement(slice);
                let of_slice = SliceDigest::new(index_space, placement, slice, &values);
                let mut digest = digest.lock().unwrap_or_else(PoisonError::into_inner);
                *digest = std::mem::take(&mut *digest).merge(of_slice);
                drop(digest);
                finished.insert(slice, values, &step.metrics);
            }
            let spent = start.elapsed().as_nanos() as u64;
            keeping.fetch_add(spent, Ordering::Relaxed);
            self.observer.advanced(work_of_slice);
            Ok::<(), Error>(())
        };
        solve_slices(material, &targets, options, &finish)
            .map_err(|error| self.told_by_solver(step, error))?;
        let mut kept = Duration::from_nanos(keeping.into_inner());
        let solved = match rayon::current_num_threads() {
            1 => start.elapsed().saturating_sub(kept),
            _ => start.elapsed(),
        };
        self.observer.spent(material, Phase::Solving, solved);
        let start = Instant::now();
        for leaving in leavings {
            self.work.put(leaving.item, leaving.into_views())?;
        }
        kept += start.elapsed();
        self.observer.spent(material, Phase::Keeping, kept);
        let digest = digest.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((finished, digest))
    }

    /// What an error of the solver means here.
    fn told_by_solver(&self, step: &Step, error: Error) -> Error {
        let reads_files = || {
            let mut items = Item::all_of(&step.material).into_iter();
            items.any(|item| self.work.is_for_file(&item))
        };
        match error {
            Error::Solve(SolveError::Cancelled { .. }) => Error::Cancelled,
            // What every step reads is there when it begins, but it is unpacked while it is being read.
            Error::Solve(SolveError::MissingTarget { .. }) if reads_files() => self.work.lost(),
            other => other,
        }
    }

    /// What the moves of a material lead to, laid out as its solver wants it.
    fn targets(&self, material: &Material) -> Result<Targets, Error> {
        let width = self.plan.options.width;
        let lost = |item: &Item, target: Material| match self.work.is_for_file(item) {
            true => self.work.lost(),
            false => SolveError::missing_target(material, &target).into(),
        };
        let find =
            |item: &Item, target: Material| self.work.get(item).ok_or_else(|| lost(item, target));
        let mut targets = Targets::default();
        for target in captures(material) {
            let stored = target.normal_form();
            let item = Item::Whole(stored);
            let views = find(&item, target)?;
            let view = views.unpack(stored).ok_or_else(|| lost(&item, target))?;
            targets
                .captures
                .insert(target, Arc::new(view.in_colors_of(&target, width)));
        }
        for promotion in Promotion::all_of(material) {
            let views = find(&Item::After(promotion), promotion.target())?;
            targets.promotions.insert(
                (promotion.color, promotion.role),
                PromotionViews::new(&promotion, views),
            );
        }
        Ok(targets)
    }
}

/// An item that is being put together, slice by slice.
struct Leaving {
    item: Item,
    /// How promotions are made; nothing for whole materials.
    extraction: Option<Extraction>,
    views: Vec<Mutex<PackedView>>,
}

impl Leaving {
    fn new(item: &Item) -> Leaving {
        let extraction = match item {
            Item::Whole(_) => None,
            Item::After(promotion) => Some(Extraction::new(*promotion)),
        };
        let count = match &extraction {
            None => PawnSlices::new(&item.source()).len() * 2,
            Some(extraction) => extraction.parts(),
        };
        Leaving {
            item: *item,
            extraction,
            views: (0..count).map(|_| Mutex::default()).collect(),
        }
    }

    /// The views that come from a slice, and the side to move that they are made from.
    fn views_from(&self, slice: usize) -> Vec<(usize, Color)> {
        match &self.extraction {
            None => Color::ALL
                .map(|turn| (slice * 2 + turn.index(), turn))
                .to_vec(),
            Some(extraction) => extraction
                .parts_from(slice)
                .map(|part| (part, extraction.source_turn()))
                .collect(),
        }
    }

    fn into_views(self) -> PackedViews {
        let views = self.views.into_iter();
        PackedViews(
            views
                .map(|view| view.into_inner().unwrap_or_else(PoisonError::into_inner))
                .collect(),
        )
    }
}

/// Makes and packs what is left behind of one slice.
fn leave_behind(leavings: &[Leaving], slice: usize, values: &SliceValues, width: Width) {
    for turn in Color::ALL {
        let wanted: Vec<(&Leaving, usize)> = leavings
            .iter()
            .flat_map(|leaving| {
                let views = leaving.views_from(slice).into_iter();
                views.map(move |(view, of)| (leaving, view, of))
            })
            .filter(|&(_, _, of)| of == turn)
            .map(|(leaving, view, _)| (leaving, view))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let source = SideView::of(&values[turn.index()], false);
        wanted
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(leaving, view)| {
                let packed = match &leaving.extraction {
                    None => PackedView::new(&source),
                    Some(extraction) => PackedView::new(&extraction.view(view, &source, width)),
                };
                *leaving.views[view]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = packed;
            });
    }
}
