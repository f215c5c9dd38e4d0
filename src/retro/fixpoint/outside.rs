//! What is fixed outside a slice, put away slab by slab.
//!
//! A slab is some consecutive words. What a slab of one side is, its legal positions and its
//! zeroing moves, is read a few times, from the first slab to the last; so it is put away
//! compressed, each set apart.

use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::Fixed;
use crate::game::Bits;
use crate::metric::Wdl;
use crate::retro::score::Scores;
use crate::store::{Part, Record, RecordReader, Scratch};

/// Numbers of the sets of a side; those of zeroing moves follow.
const LEGAL: usize = 0;
const IN_CHECK: usize = 1;
const ZEROING: usize = 2;

/// What is fixed of all slabs of both sides.
#[derive(Debug)]
pub struct Outside<W> {
    scratch: Arc<Scratch>,
    words: usize,
    slab: usize,
    slabs: Vec<[StoredSlab; 2]>,
    word: PhantomData<W>,
}

/// Where the sets of one side of a slab are; a part that is empty has nothing but zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredSlab {
    sets: [Part; ZEROING + Wdl::ALL.len()],
    scores: Part,
    score_bytes: usize,
}

impl StoredSlab {
    /// Puts one side of a slab away.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn new<W: Bits>(scratch: &Scratch, fixed: &Fixed<W>) -> io::Result<StoredSlab> {
        let mut stored = StoredSlab::default();
        let sets = [&fixed.legal, &fixed.in_check].into_iter();
        for (part, set) in stored.sets.iter_mut().zip(sets.chain(&fixed.zeroing)) {
            *part = scratch.put_set(set)?;
        }
        let scores = fixed.zeroing_score.to_le_bytes();
        stored.score_bytes = scores.len();
        stored.scores = scratch.put_set::<u64>(&Bits::from_le_bytes(&scores))?;
        Ok(stored)
    }

    /// Adds where everything is to a record.
    pub fn note(&self, record: &mut Record) {
        // Scores of a slab are less than 4 GiB.
        record.numbers.push(self.score_bytes as u32);
        record.parts.extend(self.sets);
        record.parts.push(self.scores);
    }

    /// What [`note`](Self::note) has added; nothing if it is not there.
    #[must_use]
    pub fn noted(record: &mut RecordReader<'_>) -> Option<StoredSlab> {
        let mut stored = StoredSlab {
            score_bytes: record.number()? as usize,
            ..StoredSlab::default()
        };
        for part in &mut stored.sets {
            *part = record.part()?;
        }
        stored.scores = record.part()?;
        Some(stored)
    }
}

impl<W: Bits> Outside<W> {
    /// From what is stored of slabs of `slab` words, a multiple of 64; the last may have fewer.
    #[must_use]
    pub fn new(
        scratch: Arc<Scratch>,
        words: usize,
        slab: usize,
        slabs: Vec<[StoredSlab; 2]>,
    ) -> Outside<W> {
        Outside {
            scratch,
            words,
            slab,
            slabs,
            word: PhantomData,
        }
    }

    /// Where everything is put.
    #[must_use]
    pub fn scratch(&self) -> &Arc<Scratch> {
        &self.scratch
    }

    /// Words of all slabs.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Words of a slab, but for the last.
    pub(super) fn slab(&self) -> usize {
        self.slab
    }

    /// The number of slabs.
    #[must_use]
    pub fn slabs(&self) -> usize {
        self.slabs.len()
    }

    /// The addresses of a slab.
    #[must_use]
    pub fn addresses(&self, slab: usize) -> Range<usize> {
        let start = slab * self.slab;
        start..self.words.min(start + self.slab)
    }

    /// Where everything of one side of a slab is.
    pub(super) fn stored(&self, side: usize, slab: usize) -> &StoredSlab {
        &self.slabs[slab][side]
    }

    fn set(&self, side: usize, slab: usize, set: usize) -> io::Result<Vec<W>> {
        let len = self.addresses(slab).len();
        self.scratch.get_set(self.slabs[slab][side].sets[set], len)
    }

    /// The legal positions of a side.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn legal(&self, side: usize, slab: usize) -> io::Result<Vec<W>> {
        self.set(side, slab, LEGAL)
    }

    /// The positions of a side in which its king is attacked.
    pub(super) fn in_check(&self, side: usize, slab: usize) -> io::Result<Vec<W>> {
        self.set(side, slab, IN_CHECK)
    }

    /// The positions of a side with a zeroing move of one of some values.
    pub(super) fn zeroing(&self, side: usize, slab: usize, values: &[Wdl]) -> io::Result<Vec<W>> {
        let sets = values.iter().map(|value| ZEROING + value.index());
        let mut sets = sets.filter(|&set| !self.slabs[slab][side].sets[set].is_empty());
        let Some(first) = sets.next() else {
            return Ok(vec![W::ZERO; self.addresses(slab).len()]);
        };
        let mut all = self.set(side, slab, first)?;
        for set in sets {
            for (all, word) in all.iter_mut().zip(self.set(side, slab, set)?) {
                *all |= word;
            }
        }
        Ok(all)
    }

    /// Makes words the legal positions of a side that have no zeroing move of one of some values.
    pub(super) fn copy_unsaved(
        &self,
        side: usize,
        slab: usize,
        saving: &[Wdl],
        words: &mut [W],
    ) -> io::Result<()> {
        words.copy_from_slice(&self.legal(side, slab)?);
        for (word, saved) in words.iter_mut().zip(self.zeroing(side, slab, saving)?) {
            *word &= !saved;
        }
        Ok(())
    }

    /// Whether a side has a zeroing move of a value anywhere.
    pub(super) fn has_zeroing(&self, side: usize, value: Wdl) -> bool {
        let set = ZEROING + value.index();
        self.slabs
            .iter()
            .any(|slab| !slab[side].sets[set].is_empty())
    }

    /// Whether there are scores of zeroing moves.
    pub(super) fn has_scores(&self) -> bool {
        self.slabs.iter().flatten().all(|side| side.score_bytes > 0)
    }

    /// The best scores of a side's zeroing moves.
    pub(super) fn scores(&self, side: usize, slab: usize) -> io::Result<Scores<'static>> {
        let StoredSlab {
            scores,
            score_bytes,
            ..
        } = self.slabs[slab][side];
        let positions = self.addresses(slab).len() * W::WIDTH as usize;
        let words = self
            .scratch
            .get_set::<u64>(scores, score_bytes / size_of::<u64>())?;
        let scores = Scores::from_le_bytes(Bits::to_le_bytes(&words), positions);
        scores.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Reads what [`fixed`](Self::fixed) gets, so that it does not wait for the disk.
    pub fn read_ahead(&self, side: usize, slab: usize, with_scores: bool) {
        let StoredSlab { sets, scores, .. } = &self.slabs[slab][side];
        let sets = sets.iter().enumerate().filter(|&(set, _)| set != IN_CHECK);
        let scores = with_scores.then_some(scores);
        for &part in sets.map(|(_, part)| part).chain(scores) {
            self.scratch.read_ahead(part);
        }
    }

    /// Everything of a side but its checks, which solving alone asks for; scores only if they are
    /// wanted.
    ///
    /// # Errors
    ///
    /// Those of the scratch file.
    pub fn fixed(&self, side: usize, slab: usize, with_scores: bool) -> io::Result<Fixed<W>> {
        let mut fixed = Fixed {
            legal: self.legal(side, slab)?,
            in_check: Vec::new(),
            zeroing: Default::default(),
            zeroing_score: Scores::default(),
        };
        for (value, set) in fixed.zeroing.iter_mut().enumerate() {
            *set = self.set(side, slab, ZEROING + value)?;
        }
        if with_scores && self.slabs[slab][side].score_bytes > 0 {
            fixed.zeroing_score = self.scores(side, slab)?;
        }
        Ok(fixed)
    }
}
