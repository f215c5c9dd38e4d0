//! A material whose values are made again slab by slab whenever somebody wants them, so that the
//! writer has the numbers of one side to move and one metric in memory at a time and nothing else.

use std::ops::Range;
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
    in_parts: bool,
    laid_out: Mutex<Option<Arc<LaidOut>>>,
    error: OnceLock<SolveError>,
}

impl Slabs {
    /// `in_parts` says that numbers of distances are not all in memory while they are written.
    pub fn new(values: SlabValues, in_parts: bool) -> Slabs {
        Slabs {
            pawns: PawnSlices::new(&values.material()),
            values,
            in_parts,
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
}

/// Numbers of any value, so many: memory that was in use, if it is enough, since what comes from the
/// system has to be cleared first.
fn of_len<T: Copy + Default>(mut old: Vec<T>, len: usize) -> Vec<T> {
    if old.len() < len {
        drop(old);
        return vec![T::default(); len];
    }
    old.truncate(len);
    old.shrink_to_fit();
    old
}

/// What is laid out of the words of a slab.
struct OfSlab<'a> {
    slab: usize,
    /// Words of the slab before the first one that is.
    skipped: usize,
    addresses: Range<usize>,
    sets: &'a mut [u64],
    bytes: &'a mut [u8],
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
        let kept = self.slot().take().and_then(Arc::into_inner);
        let laid_out = match kept {
            Some(laid_out) if laid_out.has(side, numbers) => Some(laid_out),
            other => self.part(side, numbers, addressing, 0..addressing.words(), other),
        };
        if let Some(mut laid_out) = laid_out {
            laid_out.turn(along);
            *self.slot() = Some(Arc::new(laid_out));
        }
    }

    fn laid_out(&self, side: usize, numbers: &Numbers) -> Option<Arc<LaidOut>> {
        let slot = self.slot();
        let laid_out = slot.as_ref()?;
        laid_out.has(side, numbers).then(|| Arc::clone(laid_out))
    }

    fn lays_out_parts(&self) -> bool {
        self.in_parts
    }

    fn part(
        &self,
        side: usize,
        numbers: &Numbers,
        addressing: &Addressing,
        addresses: Range<usize>,
        spare: Option<LaidOut>,
    ) -> Option<LaidOut> {
        // What was laid out as a whole is not wanted any more.
        self.slot().take();
        let words = addresses.len();
        let old = spare.map(|old| (old.sets, old.bytes)).unwrap_or_default();
        let mut sets = of_len(old.0, words * numbers.sets());
        let mut bytes = of_len(old.1, words * 64 * usize::from(numbers.has_bytes()));
        let of_slab = self.values.addresses(0).len();
        let slabs = addresses.start / of_slab..addresses.end.div_ceil(of_slab);
        let (mut sets_left, mut bytes_left) = (&mut sets[..], &mut bytes[..]);
        let slabs: Vec<OfSlab<'_>> = slabs
            .map(|slab| {
                let all = self.values.addresses(slab);
                let wanted = all.start.max(addresses.start)..all.end.min(addresses.end);
                let with_bytes = wanted.len() * 64 * usize::from(numbers.has_bytes());
                let sets = sets_left.split_off_mut(..wanted.len() * numbers.sets());
                let bytes = bytes_left.split_off_mut(..with_bytes);
                OfSlab {
                    slab,
                    skipped: wanted.start - all.start,
                    addresses: wanted,
                    sets: sets.unwrap_or_default(),
                    bytes: bytes.unwrap_or_default(),
                }
            })
            .collect();
        let distances = wanted(&[numbers.metric()]);
        let first = slabs.first().map_or(0, |part| part.slab);
        let read = |number: usize| self.values.read_ahead(side, first + number, distances);
        let laid_out = parallel::try_map_items_ahead(slabs, read, |_, part| {
            let values = self.values.side(side, part.slab, distances)?;
            let words = part.sets.chunks_exact_mut(numbers.sets());
            for ((at, address), word) in (part.skipped..).zip(part.addresses).zip(words) {
                let all = numbers.sets_at(&values, at, addressing.held(address));
                word.copy_from_slice(&all[..word.len()]);
            }
            for (at, bytes) in (part.skipped..).zip(part.bytes.chunks_exact_mut(64)) {
                bytes.copy_from_slice(&numbers.line(&values, at));
            }
            Ok::<(), SolveError>(())
        });
        if let Err(error) = laid_out {
            self.error.get_or_init(|| error);
            return None;
        }
        Some(LaidOut {
            side,
            numbers: numbers.clone(),
            first: addresses.start,
            along: None,
            sets,
            bytes,
        })
    }

    fn error(&self) -> Option<&SolveError> {
        self.error.get()
    }
}
