//! From a list of materials to files: plan, solve, write.
//!
//! Materials that do not lead to each other are solved side by side. Values stay in memory as long as a material
//! still to come leads to them. Every file appears whole or not at all, so an interrupted generation is carried on
//! by starting it again: files that are there are kept, and what the missing ones lead to is solved again, which
//! costs far less than compressing it did.

mod addressing;
mod choose;
mod leftovers;
mod plan;
mod rows;
mod runs;
mod slices;
mod source;
mod summary;
mod write;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

pub use leftovers::remove_leftovers;
pub use plan::{GenerateOptions, Plan, Step};
pub use slices::{LentValues, Slices};
pub use summary::{SliceDigest, Summary};
pub use write::{Effort, table_path, write_metric};

use crate::Error;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::{FIFTY_MOVES, Metric};
use crate::solve::chess::Targets;
use crate::solve::solved::{OwnValues, Solved};
use crate::solve::{SolveError, SolveOptions, gather_targets, solve};

/// Told about the course of a generation, from any thread.
pub trait Observer: Sync {
    /// A material is being solved.
    fn started(&self, material: Material);
    /// So much more of [`Plan::work`] is done.
    fn advanced(&self, work: u64);
    /// A material's files are written; they have `bytes` bytes together.
    fn finished(&self, material: Material, bytes: u64);
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

impl Plan {
    /// Does what is planned, and removes what killed generations have left unfinished.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, a material cannot be solved, or `cancel` was set. The files that were finished
    /// before stay.
    pub fn run(&self, cancel: &AtomicBool, observer: &dyn Observer) -> Result<Generated, Error> {
        let directory = &self.options.directory;
        remove_leftovers(directory);
        if self.is_empty() {
            return Ok(Generated::default());
        }
        std::fs::create_dir_all(directory).map_err(|source| Error::Directory {
            directory: directory.clone(),
            source,
        })?;
        let mut stored: Targets = HashMap::new();
        let mut generated = Generated::default();
        for (number, batch) in self.batches().iter().enumerate() {
            let fresh: Mutex<Vec<(Arc<Solved>, Generated)>> = Mutex::new(Vec::new());
            batch.par_iter().with_max_len(1).try_for_each(|step| {
                let (solved, written) = self.take_step(step, &stored, cancel, observer)?;
                let kept = (Arc::new(solved), written);
                fresh
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(kept);
                Ok::<(), Error>(())
            })?;
            for (solved, written) in fresh.into_inner().unwrap_or_else(PoisonError::into_inner) {
                stored.insert(solved.material, solved);
                generated.files += written.files;
                generated.bytes += written.bytes;
            }
            stored.retain(|material, _| self.is_needed_after(number, material));
        }
        Ok(generated)
    }

    fn take_step(
        &self,
        step: &Step,
        stored: &Targets,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(Solved, Generated), Error> {
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        observer.started(step.material);
        let mates = self.options.metrics.contains(&Metric::Dtm);
        let targets = gather_targets(&step.material, stored)?;
        let options = SolveOptions {
            mates,
            limit: FIFTY_MOVES,
            cancel,
        };
        let mut solved = solve(step.material, &targets, options).map_err(cancelled)?;
        drop(targets);
        observer.advanced(step.positions * 2);
        let mut written = Generated::default();
        if !step.metrics.is_empty() {
            let index_space = IndexSpace::new(step.material);
            let summary = Summary::new(&solved, &index_space);
            for &metric in &step.metrics {
                written.bytes += write_metric(
                    &self.options.directory,
                    &solved,
                    &index_space,
                    &summary,
                    metric,
                    self.options.compression,
                    cancel,
                )?;
                written.files += 1;
                observer.advanced(step.positions * 2);
            }
        }
        observer.finished(step.material, written.bytes);
        for values in solved.slices.iter_mut().filter_map(|slice| slice.get_mut()) {
            for side in values {
                side.own = OwnValues::default();
            }
        }
        Ok((solved, written))
    }
}

/// A solver that was stopped has nothing more to say than that.
fn cancelled(error: SolveError) -> Error {
    match error {
        SolveError::Cancelled { .. } => Error::Cancelled,
        other => other.into(),
    }
}
