//! The slices of a material that are solved and not written yet.

use std::io;
use std::sync::{Arc, OnceLock};

use super::packed::{Packed, PackedSide, SIDE_PARTS};
use super::slices::{LentValues, Slices};
use super::summary::SliceDigest;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::board::words;
use crate::chess::solve::solved::{SideValues, SliceValues};
use crate::chess::solve::{SolveError, SolvedSlice};
use crate::metric::Metric;
use crate::store::{Part, Record, RecordKind, RecordReader, Scratch};
use crate::table::Plane;

/// Slices that wait for being written: packed if there are many, since then only a few are looked
/// at at a time.
#[derive(Debug)]
pub(super) struct FinishedSlices {
    material: Material,
    pawns: PawnSlices,
    slices: Vec<OnceLock<[Finished; 2]>>,
    scratch: Arc<Scratch>,
    error: OnceLock<SolveError>,
}

#[derive(Debug)]
enum Finished {
    Kept(Box<SideValues>),
    Packed(PackedSlabs),
}

#[derive(Debug)]
struct PackedSlabs {
    slabs: Vec<PackedSide<Put>>,
    /// Words of each, but of the last, which may have fewer.
    words: usize,
}

/// Where something packed was put.
#[derive(Clone, Copy, Debug, Default)]
struct Put {
    part: Part,
    /// Before it was packed.
    len: usize,
}

/// A bit for each metric.
fn mask(metrics: &[Metric]) -> u32 {
    metrics
        .iter()
        .fold(0, |mask, metric| mask | 1 << metric.number())
}

/// Puts a digest away and adds where it is to a record.
pub(super) fn note_digest(
    scratch: &Scratch,
    digest: &SliceDigest,
    record: &mut Record,
) -> io::Result<()> {
    let bytes = digest.to_bytes();
    // A digest has some kilobytes.
    record.numbers.push(bytes.len() as u32);
    record.parts.push(scratch.put_compressed(&bytes)?);
    Ok(())
}

/// What [`note_digest`] has put away.
pub(super) fn noted_digest(
    scratch: &Scratch,
    record: &mut RecordReader<'_>,
) -> Option<SliceDigest> {
    let (len, part) = (record.number()?, record.part()?);
    let bytes = scratch.get_compressed(part, len as usize).ok()?;
    SliceDigest::from_bytes(&bytes)
}

fn noted_side(record: &mut RecordReader<'_>) -> Option<PackedSide<Put>> {
    let has_long_mates = record.number()? != 0;
    let mut parts = [Put::default(); SIDE_PARTS];
    for put in &mut parts {
        put.len = record.number()? as usize;
    }
    for put in &mut parts {
        put.part = record.part()?;
    }
    Some(PackedSide {
        parts,
        has_long_mates,
    })
}

impl FinishedSlices {
    /// None yet, which will wait in a scratch file.
    pub fn new(material: Material, scratch: Arc<Scratch>) -> FinishedSlices {
        let pawns = PawnSlices::new(&material);
        FinishedSlices {
            material,
            slices: (0..pawns.len()).map(|_| OnceLock::new()).collect(),
            pawns,
            scratch,
            error: OnceLock::new(),
        }
    }

    /// How many slices the program before has noted.
    pub fn recorded(&self) -> usize {
        self.scratch.recorded(RecordKind::Slice)
    }

    /// Nobody has to go on with the material.
    pub fn finish(&self) {
        self.scratch.finish();
    }

    /// Notes that a slice is done, and its digest, for whoever goes on.
    pub fn record(
        &self,
        slice: usize,
        digest: &SliceDigest,
        metrics: &[Metric],
    ) -> Result<(), SolveError> {
        if !self.scratch.is_resumable() {
            return Ok(());
        }
        let told = |error: io::Error| self.told(&error);
        let mut record = Record::default();
        record.numbers.push(mask(metrics));
        note_digest(&self.scratch, digest, &mut record).map_err(told)?;
        for side in self.slices[slice].get().into_iter().flatten() {
            if let Finished::Packed(PackedSlabs { slabs, words }) = side {
                record.numbers.push(slabs.len() as u32);
                record
                    .numbers
                    .push(u32::try_from(*words).unwrap_or(u32::MAX));
                for slab in slabs {
                    let PackedSide {
                        parts,
                        has_long_mates,
                    } = slab;
                    record.numbers.push((*has_long_mates).into());
                    // What was packed has less than 4 GiB.
                    let lens = parts.iter().map(|put| put.len as u32);
                    record.numbers.extend(lens);
                    record.parts.extend(parts.iter().map(|put| put.part));
                }
            }
        }
        let key = RecordKind::Slice.of([slice, 0, 0]);
        self.scratch.record(key, &record).map_err(told)
    }

    /// Brings back a slice that the program before has done for some metrics at least: its digest.
    pub fn recall(&self, slice: usize, metrics: &[Metric]) -> Option<SliceDigest> {
        let record = self.scratch.recall(RecordKind::Slice.of([slice, 0, 0]))?;
        let reader = &mut record.reader();
        let wanted = mask(metrics);
        if reader.number()? & wanted != wanted {
            return None;
        }
        let digest = noted_digest(&self.scratch, reader)?;
        if !metrics.is_empty() {
            let mut side = || {
                let count = reader.number()?;
                let words = match reader.number()? {
                    u32::MAX => usize::MAX,
                    words => words as usize,
                };
                let slabs = (0..count).map(|_| noted_side(reader));
                let slabs = slabs.collect::<Option<Vec<_>>>()?;
                Some(Finished::Packed(PackedSlabs { slabs, words }))
            };
            let sides = [side()?, side()?];
            // Every slice is recalled once.
            let _ = self.slices[slice].set(sides);
        }
        Some(digest)
    }

    fn told(&self, error: &io::Error) -> SolveError {
        SolveError::scratch(&self.material, error.kind())
    }

    /// Keeps what files of some metrics are made from, and says what all of it is.
    pub fn insert(
        &self,
        index_space: &IndexSpace,
        slice: usize,
        solved: SolvedSlice,
        metrics: &[Metric],
    ) -> Result<SliceDigest, SolveError> {
        let pack = |values: &SideValues| {
            let put = |packed: Packed| -> io::Result<Put> {
                let part = self.scratch.put(&packed.bytes)?;
                let len = packed.len;
                Ok(Put { part, len })
            };
            let packed = PackedSide::new(values, metrics).put(put);
            packed.map_err(|error| self.told(&error))
        };
        let placement = (slice, self.placement(slice));
        let (digest, finished) = match solved {
            SolvedSlice::Whole(values) => {
                let digest = SliceDigest::new(index_space, placement.1, slice, &values);
                let finished = match self.slices.len() {
                    1 => values.map(|side| Finished::Kept(Box::new(side))),
                    _ => {
                        let [white, black] = values.each_ref().map(pack);
                        let whole = |side| PackedSlabs {
                            slabs: vec![side],
                            words: usize::MAX,
                        };
                        [white?, black?].map(|side| Finished::Packed(whole(side)))
                    }
                };
                (digest, finished)
            }
            SolvedSlice::Slabs(slabs) => {
                let words = slabs.addresses(0).len();
                // The values of a slab are made once for everything that is said of them.
                let visit = |values: &SliceValues| Ok([pack(&values[0])?, pack(&values[1])?]);
                let mates = metrics.contains(&Metric::Dtm);
                let (digest, packed) =
                    SliceDigest::of_slabs(index_space, placement, &slabs, mates, visit)?;
                let (white, black) = packed.into_iter().map(<(_, _)>::from).unzip();
                let packed = |slabs| Finished::Packed(PackedSlabs { slabs, words });
                (digest, [white, black].map(packed))
            }
        };
        // Every slice is finished once, so there is nothing to replace.
        let _ = self.slices[slice].set(finished);
        Ok(digest)
    }

    fn get(&self, put: &Put) -> io::Result<Packed> {
        Ok(Packed {
            bytes: self.scratch.get(put.part)?,
            len: put.len,
        })
    }

    fn unpack(
        &self,
        slabs: &[PackedSide<Put>],
        metric: Metric,
        plane: Plane,
    ) -> io::Result<SideValues> {
        let unpack = |slab: &PackedSide<Put>| slab.unpack(metric, plane, |put| self.get(put));
        let mut all = SideValues::default();
        match slabs {
            [whole] => all = unpack(whole)?,
            slabs => {
                for slab in slabs {
                    all.extend(&unpack(slab)?);
                }
            }
        }
        Ok(all)
    }
}

impl FinishedSlices {
    /// The values of some slabs, of at most so many words.
    fn lent(
        &self,
        slabs: &[PackedSide<Put>],
        most: usize,
        metric: Metric,
        plane: Plane,
    ) -> LentValues<'_> {
        let values = self.unpack(slabs, metric, plane).unwrap_or_else(|error| {
            self.error.get_or_init(|| self.told(&error));
            let all = words(&self.material).unwrap_or(0);
            SideValues::undecided(all.min(most))
        });
        LentValues::Restored(Arc::new(values))
    }
}

impl Slices for FinishedSlices {
    fn material(&self) -> Material {
        self.material
    }

    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, slice: usize, side: usize, metric: Metric, plane: Plane) -> LentValues<'_> {
        match self.slices[slice].get().map(|sides| &sides[side]) {
            Some(Finished::Kept(values)) => LentValues::Kept(values),
            Some(Finished::Packed(packed)) => self.lent(&packed.slabs, usize::MAX, metric, plane),
            None => LentValues::Restored(Arc::default()),
        }
    }

    fn slab(&self, slice: usize) -> usize {
        match self.slices[slice].get() {
            Some([Finished::Packed(packed), _]) => packed.words,
            _ => usize::MAX,
        }
    }

    fn side_of_slab(
        &self,
        (slice, slab): (usize, usize),
        side: usize,
        metric: Metric,
        plane: Plane,
    ) -> LentValues<'_> {
        match self.slices[slice].get().map(|sides| &sides[side]) {
            Some(Finished::Packed(PackedSlabs { slabs, words })) if slab < slabs.len() => {
                self.lent(&slabs[slab..=slab], *words, metric, plane)
            }
            _ => self.side(slice, side, metric, plane),
        }
    }

    fn error(&self) -> Option<&SolveError> {
        self.error.get()
    }
}
