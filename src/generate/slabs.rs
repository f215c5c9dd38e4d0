//! A material whose values are made again slab by slab whenever somebody wants them, so that the
//! writer has the numbers of one side to move and one metric in memory at a time and nothing else.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::addressing::{Addressing, FastestMan};
use super::laid_out::LaidOut;
use super::rows::Numbers;
use super::slices::{LentValues, Slices, wanted};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::solved::SideValues;
use crate::chess::solve::{SlabValues, SolveError};
use crate::metric::Metric;
use crate::parallel;
use crate::table::Plane;

/// The only slice of a material, in slabs.
#[derive(Debug)]
pub(super) struct Slabs {
    values: SlabValues,
    pawns: PawnSlices,
    laid_out: Mutex<Option<Arc<LaidOut>>>,
    error: OnceLock<SolveError>,
}

impl Slabs {
    pub fn new(values: SlabValues) -> Slabs {
        Slabs {
            pawns: PawnSlices::new(&values.material()),
            values,
            laid_out: Mutex::default(),
            error: OnceLock::new(),
        }
    }

    /// Nobody has to go on with the material.
    pub fn finish(&self) {
        self.values.scratch().finish();
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<LaidOut>>> {
        self.laid_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lay_out(
        &self,
        side: usize,
        numbers: &Numbers,
        addressing: &Addressing,
    ) -> Result<LaidOut, SolveError> {
        let words = addressing.words();
        let mut sets = vec![0; words * numbers.sets()];
        let mut bytes = vec![0; if numbers.has_bytes() { words * 64 } else { 0 }];
        let of_slab = self.values.addresses(0).len();
        let mut bytes_of_slabs = bytes.chunks_mut(of_slab * 64);
        let slabs: Vec<(&mut [u64], &mut [u8])> = sets
            .chunks_mut(of_slab * numbers.sets())
            .map(|sets| (sets, bytes_of_slabs.next().unwrap_or_default()))
            .collect();
        parallel::try_each_item(slabs, |slab, (sets, bytes)| {
            let values = self.values.side(side, slab, wanted(&[numbers.metric()]))?;
            let words = sets.chunks_exact_mut(numbers.sets());
            for ((at, address), word) in self.values.addresses(slab).enumerate().zip(words) {
                let all = numbers.sets_at(&values, at, addressing.held(address));
                word.copy_from_slice(&all[..word.len()]);
            }
            for (at, bytes) in bytes.chunks_exact_mut(64).enumerate() {
                bytes.copy_from_slice(&numbers.line(&values, at));
            }
            Ok::<(), SolveError>(())
        })?;
        Ok(LaidOut {
            side,
            numbers: numbers.clone(),
            along: None,
            sets,
            bytes,
        })
    }
}

impl Slices for Slabs {
    fn material(&self) -> Material {
        self.values.material()
    }

    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, _: usize, side: usize, metric: Metric, _: Plane) -> LentValues<'_> {
        let values = self.values.whole_side(side, wanted(&[metric]));
        let values = values.unwrap_or_else(|error| {
            self.error.get_or_init(|| error);
            SideValues::default()
        });
        LentValues::Restored(Arc::new(values))
    }

    fn slab(&self, _: usize) -> usize {
        self.values.addresses(0).len()
    }

    fn side_of_slab(
        &self,
        (_, slab): (usize, usize),
        side: usize,
        metric: Metric,
        _: Plane,
    ) -> LentValues<'_> {
        let values = self.values.side(side, slab, wanted(&[metric]));
        let values = values.unwrap_or_else(|error| {
            self.error.get_or_init(|| error);
            SideValues::undecided(self.values.addresses(slab).len())
        });
        LentValues::Restored(Arc::new(values))
    }

    fn is_laid_out(&self) -> bool {
        true
    }

    fn prepare(
        &self,
        side: usize,
        numbers: &Numbers,
        addressing: &Addressing,
        along: Option<FastestMan>,
    ) {
        // What is not wanted any more goes before more is made.
        let kept = self.slot().take();
        let kept = kept.filter(|laid_out| laid_out.has(side, numbers));
        let laid_out = match kept.and_then(Arc::into_inner) {
            Some(laid_out) => Ok(laid_out),
            None => self.lay_out(side, numbers, addressing),
        };
        match laid_out {
            Ok(mut laid_out) => {
                laid_out.turn(along);
                *self.slot() = Some(Arc::new(laid_out));
            }
            Err(error) => {
                self.error.get_or_init(|| error);
            }
        }
    }

    fn laid_out(&self, side: usize, numbers: &Numbers) -> Option<Arc<LaidOut>> {
        let slot = self.slot();
        let laid_out = slot.as_ref()?;
        laid_out.has(side, numbers).then(|| Arc::clone(laid_out))
    }

    fn error(&self) -> Option<&SolveError> {
        self.error.get()
    }
}
