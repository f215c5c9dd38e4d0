//! Materials whose tables are finished, read back for those that lead to them.

use crate::chess::material::Material;
use crate::chess::solve::{FinishedNumbers, FinishedTables, SolveError};
use crate::generate::game::GenerateOptions;
use crate::metric::Metric;
use crate::verify::{StoredLines, StoredNumbers};

/// The finished tables of a material.
#[derive(Debug)]
pub(in crate::generate) struct Finished {
    material: Material,
    numbers: StoredNumbers,
}

impl Finished {
    /// Opens those that others read: results, and distances to mate if they are wanted.
    pub fn open(material: Material, options: &GenerateOptions) -> Result<Finished, SolveError> {
        let mut metrics = options.metrics.clone();
        metrics.retain(|&metric| metric != Metric::Dtz);
        let numbers = StoredNumbers::open(&options.own_directory(), material, &metrics);
        Ok(Finished {
            material,
            numbers: numbers.map_err(|problem| SolveError::unreadable(&material, problem))?,
        })
    }
}

impl FinishedTables for Finished {
    fn numbers(
        &self,
        slice: usize,
        side: usize,
        metric: Metric,
    ) -> Result<Option<FinishedNumbers>, SolveError> {
        let numbers = self.numbers.numbers(slice, side, metric);
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
    use crate::chess::solve::{SolveOptions, gather_targets, solve};
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
                let tables = Finished::open(material, &options).unwrap();
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
                stored.insert(material, Arc::new(expected));
            }
        }
    }
}
