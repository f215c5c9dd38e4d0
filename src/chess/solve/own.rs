//! The solved slices of a material that its other slices lead to.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::view::{SideView, ViewWords, of_slabs};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::error::SolveError;
use crate::game::{Bits, Color};
use crate::metric::Plies;
use crate::retro::score::Scores;
use crate::store::{Part, Scratch};

/// Views of slices as long as another slice is still to read them.
#[derive(Debug)]
pub struct OwnSlices {
    /// The material.
    pub material: Material,
    /// Which pawn placement is which slice.
    pub pawns: PawnSlices,
    slices: Vec<[Slot; 2]>,
    /// Where views wait and in slabs of how many words, if not in memory.
    scratch: Option<(Arc<Scratch>, usize)>,
}

#[derive(Debug, Default)]
struct Slot {
    readers: AtomicUsize,
    view: Mutex<Option<Kept>>,
}

/// A view that waits for its readers.
#[derive(Clone, Debug)]
pub enum Kept {
    /// In memory.
    InMemory(Arc<SideView<'static>>),
    /// In the scratch file.
    Stored(Arc<Vec<StoredSlab>>),
}

/// Where a slab of a view is in the scratch file.
#[derive(Clone, Debug)]
pub struct StoredSlab {
    words: usize,
    legal: Part,
    scores: Part,
    score_bytes: usize,
    longest: Plies,
    /// Nothing where the set is left out.
    cursed: Option<Part>,
    stalemate: Option<Part>,
}

impl StoredSlab {
    fn new(scratch: &Scratch, view: &SideView<'_>) -> io::Result<StoredSlab> {
        let set = |words: &[u64]| scratch.put_compressed(&Bits::to_le_bytes(words));
        let scores = view.scores.to_le_bytes();
        let unless_left_out = |words: &[u64]| match words.is_empty() {
            true => Ok(None),
            false => set(words).map(Some),
        };
        Ok(StoredSlab {
            words: view.legal.len(),
            legal: set(&view.legal)?,
            scores: scratch.put_compressed(&scores)?,
            score_bytes: scores.len(),
            longest: view.longest,
            cursed: unless_left_out(&view.cursed)?,
            stalemate: unless_left_out(&view.stalemate)?,
        })
    }

    fn load(&self, scratch: &Scratch) -> io::Result<SideView<'static>> {
        let set = |part: Part| -> io::Result<Cow<'static, [u64]>> {
            let bytes = scratch.get_compressed(part, self.words * 8)?;
            Ok(Cow::Owned(Bits::from_le_bytes(&bytes)))
        };
        let scores = scratch.get_compressed(self.scores, self.score_bytes)?;
        let scores = Scores::from_le_bytes(scores, self.words * 64);
        Ok(SideView {
            legal: set(self.legal)?,
            scores: scores.ok_or(io::ErrorKind::InvalidData)?,
            longest: self.longest,
            cursed: self.cursed.map(set).transpose()?.unwrap_or_default(),
            stalemate: self.stalemate.map(set).transpose()?.unwrap_or_default(),
            ..SideView::default()
        })
    }
}

impl Slot {
    fn view(&self) -> MutexGuard<'_, Option<Kept>> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnSlices {
    /// Room for the slices of a material; `reads` says which sides of which others a slice reads.
    #[must_use]
    pub fn new(
        material: Material,
        reads: impl Fn(&PawnSlices, usize) -> Vec<(usize, Color)>,
        scratch: Option<(Arc<Scratch>, usize)>,
    ) -> OwnSlices {
        let pawns = PawnSlices::new(&material);
        let own = OwnSlices {
            material,
            slices: (0..pawns.len()).map(|_| Default::default()).collect(),
            pawns,
            scratch,
        };
        for slice in 0..own.slices.len() {
            for (read, turn) in reads(&own.pawns, slice) {
                let readers = &own.slices[read][turn.index()].readers;
                readers.fetch_add(1, Ordering::Relaxed);
            }
        }
        own
    }

    /// One side of a slice, at least at some of its addresses, if it is solved.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn view(
        &self,
        slice: usize,
        turn: Color,
        addresses: &Range<usize>,
    ) -> io::Result<Option<ViewWords>> {
        let kept = self.slices[slice][turn.index()].view().clone();
        match (kept, &self.scratch) {
            (Some(Kept::InMemory(view)), _) => Ok(Some(ViewWords { view, first: 0 })),
            (Some(Kept::Stored(slabs)), Some((scratch, slab))) => {
                of_slabs(*slab, addresses, |number| slabs[number].load(scratch)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether others read a side of a slice.
    #[must_use]
    pub fn is_read(&self, slice: usize, turn: Color) -> bool {
        let slot = &self.slices[slice][turn.index()];
        slot.readers.load(Ordering::Relaxed) > 0
    }

    /// Words of a slab, if views are put away by slabs.
    #[must_use]
    pub fn slab(&self) -> Option<usize> {
        self.scratch.as_ref().map(|&(_, slab)| slab)
    }

    /// Puts a slab of a view away.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn put_away(&self, view: &SideView<'_>) -> Result<StoredSlab, SolveError> {
        let stored = match &self.scratch {
            Some((scratch, _)) => StoredSlab::new(scratch, view),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        stored.map_err(|error| SolveError::scratch(&self.material, error.kind()))
    }

    /// Keeps a side of a slice.
    pub fn insert(&self, slice: usize, turn: Color, kept: Kept) {
        *self.slices[slice][turn.index()].view() = Some(kept);
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
