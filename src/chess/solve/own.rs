//! The solved slices of a material that its other slices lead to.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::board::words;
use super::division::Division;
use super::view::{SideView, ViewWords, of_slabs};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::error::SolveError;
use crate::game::Color;
use crate::metric::Plies;
use crate::retro::score::Scores;
use crate::store::{Part, Record, RecordKind, RecordReader, Scratch};

/// Views of slices as long as another slice is still to read them.
#[derive(Debug)]
pub struct OwnSlices<'a> {
    /// The material.
    pub material: Material,
    /// Which pawn placement is which slice.
    pub pawns: PawnSlices,
    slices: Vec<[Slot; 2]>,
    /// Where views wait and in slabs of how many words, if not in memory.
    scratch: Option<(Arc<Scratch>, usize)>,
    /// What this rank has of each slice, where several solve them.
    division: Option<Division<'a>>,
}

#[derive(Debug, Default)]
struct Slot {
    readers: AtomicUsize,
    /// Whether one of them sees it mirrored, so that he reads other addresses than his own.
    is_mirrored: AtomicBool,
    view: Mutex<Option<Kept>>,
}

/// A side of another slice that the moves of a slice lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnRead {
    /// The slice.
    pub slice: usize,
    /// Which side is to move there, 0 for White.
    pub side: usize,
    /// Whether the board is mirrored for it.
    pub is_mirrored: bool,
}

/// A view that waits for its readers.
#[derive(Clone, Debug)]
pub enum Kept {
    /// In memory.
    InMemory(Arc<SideView<'static>>),
    /// In the scratch file.
    Stored {
        /// Which slab is the first that is there: other ranks have those before.
        first: usize,
        /// The slabs that are there.
        slabs: Arc<Vec<StoredSlab>>,
    },
}

impl Kept {
    /// All slabs of a slice.
    pub fn stored(slabs: Vec<StoredSlab>) -> Kept {
        Kept::Stored {
            first: 0,
            slabs: Arc::new(slabs),
        }
    }
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
    pub(super) fn new(scratch: &Scratch, view: &SideView<'_>) -> io::Result<StoredSlab> {
        let set = |words: &[u64]| scratch.put_set(words);
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

    /// Adds where everything is to a record.
    fn note(&self, record: &mut Record) {
        let sets = [self.cursed, self.stalemate];
        let is_there = |set: usize| u32::from(sets[set].is_some()) << set;
        // Slabs have fewer than 2^32 words and bytes.
        record.numbers.extend([
            self.words as u32,
            self.score_bytes as u32,
            self.longest.0,
            is_there(0) | is_there(1),
        ]);
        record.parts.extend([self.legal, self.scores]);
        record.parts.extend(sets.into_iter().flatten());
    }

    /// Adds how many there are and where everything of each is.
    fn note_all(slabs: &[StoredSlab], record: &mut Record) {
        record.numbers.push(slabs.len() as u32);
        slabs.iter().for_each(|slab| slab.note(record));
    }

    /// What [`note_all`](Self::note_all) has added.
    fn all_noted(record: &mut RecordReader<'_>) -> Option<Vec<StoredSlab>> {
        let count = record.number()?;
        (0..count).map(|_| StoredSlab::noted(record)).collect()
    }

    /// What [`note`](Self::note) has added.
    fn noted(record: &mut RecordReader<'_>) -> Option<StoredSlab> {
        let (words, score_bytes) = (record.number()? as usize, record.number()? as usize);
        let longest = Plies(record.number()?);
        let are_there = record.number()?;
        let (legal, scores) = (record.part()?, record.part()?);
        let mut set = |number: u32| match are_there >> number & 1 {
            0 => Some(None),
            _ => record.part().map(Some),
        };
        Some(StoredSlab {
            words,
            legal,
            scores,
            score_bytes,
            longest,
            cursed: set(0)?,
            stalemate: set(1)?,
        })
    }

    pub(super) fn load(&self, scratch: &Scratch) -> io::Result<SideView<'static>> {
        let set = |part: Part| -> io::Result<Cow<'static, [u64]>> {
            scratch.get_set(part, self.words).map(Cow::Owned)
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

impl<'a> OwnSlices<'a> {
    /// Room for the slices of a material; `reads` says which sides of which others a slice reads.
    /// Views wait in the scratch file, in slabs of so many words, or in memory. `division` says
    /// what this rank has of each slice.
    #[must_use]
    pub fn new(
        material: Material,
        reads: impl Fn(&PawnSlices, usize) -> Vec<OwnRead>,
        scratch: Option<(Arc<Scratch>, usize)>,
        division: Option<Division<'a>>,
    ) -> OwnSlices<'a> {
        let pawns = PawnSlices::new(&material);
        let own = OwnSlices {
            material,
            slices: (0..pawns.len()).map(|_| Default::default()).collect(),
            pawns,
            scratch,
            division,
        };
        for slice in 0..own.slices.len() {
            for read in reads(&own.pawns, slice) {
                let slot = &own.slices[read.slice][read.side];
                slot.readers.fetch_add(1, Ordering::Relaxed);
                slot.is_mirrored
                    .fetch_or(read.is_mirrored, Ordering::Relaxed);
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
            (Some(Kept::Stored { first, slabs }), Some((scratch, slab))) => {
                let load = |number: usize| {
                    let stored = number.checked_sub(first).and_then(|at| slabs.get(at));
                    stored.ok_or(io::ErrorKind::NotFound)?.load(scratch)
                };
                of_slabs(*slab, addresses, load).map(Some)
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

    /// What this rank has of each slice, where several solve them.
    #[must_use]
    pub fn division(&self) -> Option<&Division<'a>> {
        self.division.as_ref()
    }

    /// A side of a slice of which this rank has put its own slabs away; with those of other ranks
    /// where moves lead there mirrored.
    ///
    /// # Errors
    ///
    /// If another rank is gone, and those of the scratch file.
    pub(super) fn share(
        &self,
        slice: usize,
        turn: Color,
        own: Vec<StoredSlab>,
    ) -> Result<Kept, SolveError> {
        let share = || -> io::Result<Kept> {
            let (Some(division), Some((scratch, _))) = (&self.division, &self.scratch) else {
                return Ok(Kept::stored(own));
            };
            let slot = &self.slices[slice][turn.index()];
            if !slot.is_mirrored.load(Ordering::Relaxed) {
                return Ok(Kept::Stored {
                    first: division.own_slabs().start,
                    slabs: Arc::new(own),
                });
            }
            let mut record = Record::default();
            StoredSlab::note_all(&own, &mut record);
            let mut all = Vec::new();
            for record in division.share(scratch, &record)? {
                let slabs = StoredSlab::all_noted(&mut record.reader());
                all.extend(slabs.ok_or(io::ErrorKind::InvalidData)?);
            }
            Ok(Kept::stored(all))
        };
        share().map_err(|error| SolveError::scratch(&self.material, error.kind()))
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

    /// Notes where that is which others read of a slice, for whoever goes on.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn record(&self, slice: usize) -> io::Result<()> {
        let Some((scratch, _)) = self.scratch.as_ref().filter(|(all, _)| all.is_resumable()) else {
            return Ok(());
        };
        let mut record = Record::default();
        for slot in &self.slices[slice] {
            match &*slot.view() {
                Some(Kept::Stored { slabs, .. }) => StoredSlab::note_all(slabs, &mut record),
                _ => record.numbers.push(0),
            }
        }
        scratch.record(RecordKind::Leaves.of([slice, 0, 0]), &record)
    }

    /// Brings back what the program before has noted of a slice, and says whether it has.
    pub fn recall(&self, slice: usize) -> bool {
        let recalled = || {
            let (scratch, slab) = self.scratch.as_ref()?;
            let record = scratch.recall(RecordKind::Leaves.of([slice, 0, 0]))?;
            let reader = &mut record.reader();
            let words = words(&self.material)?;
            let mut side = |turn: Color| {
                let slabs = StoredSlab::all_noted(reader)?;
                let is_read = self.is_read(slice, turn);
                let wanted = if is_read { words.div_ceil(*slab) } else { 0 };
                (slabs.len() == wanted).then_some(slabs)
            };
            Some([side(Color::White)?, side(Color::Black)?])
        };
        let Some(sides) = recalled() else {
            return false;
        };
        for (turn, slabs) in Color::ALL.into_iter().zip(sides) {
            if self.is_read(slice, turn) {
                self.insert(slice, turn, Kept::stored(slabs));
            }
        }
        true
    }

    /// Keeps a side of a slice.
    pub fn insert(&self, slice: usize, turn: Color, kept: Kept) {
        *self.slices[slice][turn.index()].view() = Some(kept);
    }

    /// Forgets what nobody else reads, now that one reader is done.
    pub fn release(&self, reads: &[OwnRead]) {
        for &OwnRead { slice, side, .. } in reads {
            let slot = &self.slices[slice][side];
            if slot.readers.fetch_sub(1, Ordering::AcqRel) == 1 {
                *slot.view() = None;
            }
        }
    }
}
