//! The solved slices of a material that its other slices lead to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::solved::SliceValues;
use super::view::SideView;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::game::Color;

/// Views of slices as long as another slice is still to read them.
#[derive(Debug)]
pub struct OwnSlices {
    /// The material.
    pub material: Material,
    /// Which pawn placement is which slice.
    pub pawns: PawnSlices,
    slices: Vec<[Slot; 2]>,
}

#[derive(Debug, Default)]
struct Slot {
    readers: AtomicUsize,
    view: Mutex<Option<Arc<SideView<'static>>>>,
}

impl Slot {
    fn view(&self) -> MutexGuard<'_, Option<Arc<SideView<'static>>>> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnSlices {
    /// Room for the slices of a material; `reads` says which sides of which others a slice reads.
    #[must_use]
    pub fn new(
        material: Material,
        reads: impl Fn(&PawnSlices, usize) -> Vec<(usize, Color)>,
    ) -> OwnSlices {
        let pawns = PawnSlices::new(&material);
        let own = OwnSlices {
            material,
            slices: (0..pawns.len()).map(|_| Default::default()).collect(),
            pawns,
        };
        for slice in 0..own.slices.len() {
            for (read, turn) in reads(&own.pawns, slice) {
                let readers = &own.slices[read][turn.index()].readers;
                readers.fetch_add(1, Ordering::Relaxed);
            }
        }
        own
    }

    /// One side of a slice, if it is solved.
    #[must_use]
    pub fn view(&self, slice: usize, turn: Color) -> Option<Arc<SideView<'static>>> {
        self.slices[slice][turn.index()].view().clone()
    }

    /// Keeps what others read of a solved slice.
    pub fn insert(&self, slice: usize, values: &SliceValues, with_stalemates: bool) {
        for (slot, values) in self.slices[slice].iter().zip(values) {
            if slot.readers.load(Ordering::Relaxed) > 0 {
                let view = SideView::of(values, with_stalemates).into_owned();
                *slot.view() = Some(Arc::new(view));
            }
        }
    }

    /// Forgets what nobody else reads, now that one reader is done.
    pub fn release(&self, reads: &[(usize, Color)]) {
        for &(slice, turn) in reads {
            let slot = &self.slices[slice][turn.index()];
            if slot.readers.fetch_sub(1, Ordering::AcqRel) == 1 {
                *slot.view() = None;
            }
        }
    }
}
