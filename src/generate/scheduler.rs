//! Doing what is planned: which step begins when, within the threads, the memory and the room on
//! the disk that there are.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rayon::Scope;

use super::begun::material_of;
use super::game::{Generate, Job, Step};
use super::heap::give_back;
use super::observer::{Observer, Phase};
use super::plan::Plan;
use super::views::{ViewStore, Views};
use crate::Error;
use crate::game::Game;
use crate::tables::{remove_begun, remove_leftovers, remove_unfinished};

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

impl<G: Generate> Plan<G> {
    /// Does what is planned, and removes what killed generations have left unfinished.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, a material cannot be solved, or `cancel` was set. The files
    /// that were finished before stay.
    pub fn run(&self, cancel: &AtomicBool, observer: &dyn Observer<G>) -> Result<Generated, Error> {
        let mut generated = Generated::default();
        let mut replanned = None;
        let mut attempts = 0;
        loop {
            let plan = replanned.as_ref().unwrap_or(self);
            match plan.attempt(cancel, observer, &mut generated) {
                // What was in the work files is solved again, unless another generation has written
                // what needs it.
                Err(Error::WorkFiles { .. }) if attempts < ATTEMPTS => {
                    let mut rest = Plan::new(&self.options)?;
                    // Whoever watches scratch files goes on doing so.
                    rest.scratch_directory = self.scratch_directory.clone();
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
        observer: &dyn Observer<G>,
        generated: &mut Generated,
    ) -> Result<(), Error> {
        let directory = self.options.own_directory();
        remove_leftovers(&self.options.directory);
        remove_unfinished(&self.options.work_directory());
        let views = self.options.views(&self.scratch_directory);
        if !self.is_empty() {
            std::fs::create_dir_all(&directory)
                .map_err(|source| Error::Directory { directory, source })?;
            let scheduler = Scheduler {
                plan: self,
                views: &views,
                cancel,
                observer,
                state: Mutex::new(State {
                    waiting: (0..self.steps.len()).collect(),
                    running: Vec::new(),
                    done: HashSet::new(),
                    budget: self.budget,
                    scratch_room: self.scratch_room(),
                    generated: Generated::default(),
                    error: None,
                }),
            };
            rayon::scope(|scope| scheduler.start_what_can_start(scope));
            let state = scheduler.state.into_inner();
            let state = state.unwrap_or_else(PoisonError::into_inner);
            generated.files += state.generated.files;
            generated.bytes += state.generated.bytes;
            if let Some(error) = state.error {
                return Err(error);
            }
        }
        // What is left of these materials was begun by programs that have ended; only chess begins
        // any.
        if G::GAME == Game::Chess {
            let wanted: HashSet<String> = self.wanted.iter().map(ToString::to_string).collect();
            remove_begun(self.scratch_directory.path(), |name| {
                material_of(name).is_some_and(|material| wanted.contains(material))
            });
        }
        match self.options.left_for {
            Some(_) => Ok(()),
            None => views.clear(self.wanted.iter().flat_map(G::reads)),
        }
    }
}

/// A generation that is under way.
struct Scheduler<'a, G: Generate> {
    plan: &'a Plan<G>,
    views: &'a Views<G::View>,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer<G>,
    state: Mutex<State<G>>,
}

/// Which steps are where.
#[derive(Debug)]
struct State<G: Generate> {
    /// In the order of the plan.
    waiting: Vec<usize>,
    running: Vec<usize>,
    done: HashSet<G::Material>,
    /// Bytes of memory that nobody has.
    budget: u64,
    /// Bytes of scratch files that there is still room for.
    scratch_room: u64,
    generated: Generated,
    error: Option<Error>,
}

impl<G: Generate> State<G> {
    /// Takes out the first step that is ready and fits into the memory and the room left.
    fn next(&mut self, steps: &[Step<G>]) -> Option<usize> {
        if self.error.is_some() || self.running.len() >= rayon::current_num_threads() {
            return None;
        }
        let at = self.waiting.iter().position(|&number| {
            let step = &steps[number];
            let is_ready = step.targets.iter().all(|target| self.done.contains(target));
            is_ready && step.memory <= self.budget && step.scratch <= self.scratch_room
        })?;
        let number = self.waiting.remove(at);
        self.budget -= steps[number].memory;
        self.scratch_room -= steps[number].scratch;
        self.running.push(number);
        Some(number)
    }
}

impl<'a, G: Generate> Scheduler<'a, G> {
    fn state(&self) -> MutexGuard<'_, State<G>> {
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
        state.budget += step.memory;
        state.scratch_room += step.scratch;
        let stays =
            |view: &G::View| self.plan.options.left_for.is_some() && self.views.is_for_file(view);
        let result = result.and_then(|written| {
            let read = G::reads(&step.material).into_iter();
            for view in read.filter(|view| !stays(view)) {
                let mut others = state.waiting.iter().chain(&state.running);
                if !others.any(|&other| steps[other].reads(&view)) {
                    self.views.discard(&view)?;
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

    fn take_step(&self, step: &Step<G>) -> Result<Generated, Error> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let material = step.material;
        self.observer.started(material);
        let job = Job {
            step,
            options: &self.plan.options,
            views: self.views,
            cancel: self.cancel,
            scratch: &self.plan.scratch_directory,
            observer: self.observer,
        };
        let solved = G::solve(&job)?;
        give_back();
        let mut written = Generated::default();
        if !step.metrics.is_empty() {
            for metric in G::files(&job, &solved) {
                self.observer.writing(material, metric);
                let start = Instant::now();
                written.bytes += G::write(&job, &solved, metric)?;
                written.files += 1;
                let spent = start.elapsed();
                self.observer.spent(material, Phase::Writing(metric), spent);
                if step.metrics.contains(&metric) {
                    self.observer.advanced(step.positions * 2);
                }
            }
        }
        G::finish(&solved);
        self.observer.finished(material, written.bytes);
        Ok(written)
    }
}
