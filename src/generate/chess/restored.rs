//! Materials whose tables are finished, read back for those that lead to them.

use std::ops::Range;
use std::time::Instant;

use super::views::leave_views;
use super::{Solved, View, new_views, scratch_directory, told_by_solver};
use crate::Error;
use crate::chess::Chess;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::slice::Targets;
use crate::chess::solve::{
    FinishedNumbers, FinishedTables, SeenSlabs, SolveError, SolveOptions, see_slices,
};
use crate::game::Color;
use crate::generate::begun::About;
use crate::generate::game::{GenerateOptions, Job};
use crate::generate::observer::Phase;
use crate::metric::Metric;
use crate::tables::find;
use crate::verify::{StoredLines, StoredNumbers};

/// The finished tables of a material.
#[derive(Debug)]
pub(in crate::generate) struct Finished {
    material: Material,
    numbers: StoredNumbers,
    /// By side to move, whether others read it.
    are_read: [bool; 2],
}

impl Finished {
    /// Opens those that others read: results, and distances to mate if they are wanted.
    pub fn open(
        material: Material,
        leaves: &[View],
        options: &GenerateOptions,
    ) -> Result<Finished, SolveError> {
        let mut metrics = options.metrics.clone();
        metrics.retain(|&metric| metric != Metric::Dtz);
        let numbers = StoredNumbers::open(&options.own_directory(), material, &metrics);
        let are_read = Color::ALL.map(|turn| {
            leaves.iter().any(|view| match view {
                View::Whole(_) => true,
                View::After(promotion) => promotion.source_turn() == turn,
            })
        });
        Ok(Finished {
            material,
            numbers: numbers.map_err(|problem| SolveError::unreadable(&material, problem))?,
            are_read,
        })
    }
}

/// Whether the finished table of results of a material has those of both sides to move. One that
/// is there for archives may have to be searched for those of a side; solving is faster than that.
pub(super) fn has_all_results(material: &Material, options: &GenerateOptions) -> bool {
    let file = find::<Chess>(&options.directory, options.rules, material, Metric::Wdl);
    let table = file.and_then(|file| file.open(false).ok());
    let sides = if material.is_symmetric() { 1 } else { 2 };
    table.is_some_and(|table| (0..sides).all(|side| table.stream(side).is_some()))
}

/// Leaves what others read of a material whose tables are there, slab by slab.
pub(super) fn leave(
    job: &Job<'_, Chess>,
    targets: Targets,
    tables: &Finished,
    about: Option<&About>,
) -> Result<Solved, Error> {
    let Job {
        step,
        options,
        observer,
        ..
    } = *job;
    let start = Instant::now();
    let views = new_views(job, about)?;
    let solve_options = SolveOptions {
        mates: false,
        width: options.width,
        scratch: Some(scratch_directory(job)?),
        watch: job.watch(),
        ..SolveOptions::new(job.cancel)
    };
    let slices = PawnSlices::count(&step.material) as u64;
    let work_of_slice = step.positions * 2 / slices;
    let is_done = |slice: usize| {
        let is_left = views.iter().all(|view| view.has_slice(slice));
        if is_left {
            observer.advanced(work_of_slice);
        }
        is_left
    };
    let finish = |slice: usize, seen: SeenSlabs| {
        leave_views(&views, slice, &seen, options.width)?;
        observer.advanced(work_of_slice);
        Ok(())
    };
    see_slices(
        step.material,
        &targets,
        tables,
        solve_options,
        &is_done,
        &finish,
    )
    .map_err(|error| told_by_solver(job, error))?;
    for view in views {
        view.finish()?;
    }
    observer.spent(step.material, Phase::Solving, start.elapsed());
    Ok(Solved::elsewhere(step.material))
}

impl FinishedTables for Finished {
    fn is_read(&self, side: usize) -> bool {
        self.are_read[side]
    }

    fn numbers(
        &self,
        slice: usize,
        side: usize,
        metric: Metric,
        addresses: &Range<usize>,
    ) -> Result<Option<FinishedNumbers>, SolveError> {
        let numbers = self.numbers.numbers(slice, side, metric, addresses);
        let numbers = numbers.map_err(|problem| SolveError::unreadable(&self.material, problem))?;
        Ok(numbers.map(|StoredLines { low, high }| FinishedNumbers { low, high }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::chess::solve::solved::{SideValues, Solved};
    use crate::chess::solve::view::SideView;
    use crate::chess::solve::{Seen, gather_targets, solve};
    use crate::generate::Plan;
    use crate::metric::Plies;

    fn solved(
        material: Material,
        stored: &HashMap<Material, Arc<Solved>>,
        options: SolveOptions<'_>,
    ) -> Solved {
        let targets = gather_targets(&material, stored, options.width).unwrap();
        solve(material, &targets, options).unwrap()
    }

    fn is_same(a: &SideValues, b: &SideValues) -> bool {
        a.legal == b.legal
            && a.decided == b.decided
            && a.stalemate == b.stalemate
            && a.dtm == b.dtm
            && (a.dtm.is_empty() || a.longest.max(Plies(1)) == b.longest.max(Plies(1)))
    }

    fn is_seen_alike(ours: &SideView<'_>, expected: &SideView<'_>) -> bool {
        ours.legal == expected.legal
            && ours.scores == expected.scores
            && (0..ours.legal.len()).all(|at| ours.cursed_at(at) == expected.cursed_at(at))
    }

    #[test]
    fn what_is_read_back_is_what_was_solved() {
        let directory = tempfile::tempdir().unwrap();
        let names = [
            "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KRvKR", "KRvKB", "KRvKN", "KRvKP",
            "KNNvK", "KQvKQ", "KQvKB", "KQvKN", "KBvKB", "KBvKN", "KNvKN", "KQvKP", "KBvKP",
            "KNvKP", "KPvKP",
        ];
        let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
        let wanted = GenerateOptions::new(directory.path(), materials.clone());
        let cancel = AtomicBool::new(false);
        Plan::new(&wanted).unwrap().run(&cancel, &()).unwrap();
        for mates in [true, false] {
            let plain = SolveOptions {
                mates,
                ..SolveOptions::new(&cancel)
            };
            let mut stored = HashMap::new();
            for &material in &materials {
                let expected = solved(material, &stored, plain);
                let mut options = wanted.clone();
                options
                    .metrics
                    .retain(|&metric| mates || metric != Metric::Dtm);
                let read_by_all = [View::Whole(material)];
                let tables = Finished::open(material, &read_by_all, &options).unwrap();
                let read = SolveOptions {
                    finished: Some(&tables),
                    ..plain
                };
                let ours = solved(material, &stored, read);
                for (ours, expected) in ours.slices.iter().zip(&expected.slices) {
                    let sides = ours.get().unwrap().iter().zip(expected.get().unwrap());
                    for (side, (ours, expected)) in sides.enumerate() {
                        assert!(is_same(ours, expected), "{material}, side {side}, {mates}");
                    }
                }
                if !mates && !material.has_pawns_of_both() {
                    let targets = gather_targets(&material, &stored, plain.width).unwrap();
                    let by_slabs = SolveOptions { slab: 64, ..plain };
                    let finish = |slice: usize, seen: SeenSlabs| {
                        for turn in Color::ALL {
                            let side = &expected.slices[slice].get().unwrap()[turn.index()];
                            let all = SideView::of(side, false);
                            let ours = seen.seen(turn, &(0..seen.words()))?;
                            assert!(is_seen_alike(&ours, &all), "{material}, slice {slice}");
                            let part = seen.words() / 128 * 64..seen.words();
                            let ours = seen.seen(turn, &part)?;
                            assert!(is_seen_alike(&ours, &all.words(part)), "{material}");
                        }
                        Ok::<(), SolveError>(())
                    };
                    let all = |_| false;
                    see_slices(material, &targets, &tables, by_slabs, &all, &finish).unwrap();
                }
                stored.insert(material, Arc::new(expected));
            }
        }
    }
}
