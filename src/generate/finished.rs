//! The slices of a material that are solved and not written yet.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::packed::{Packed, PackedSide};
use super::slices::{LentValues, Slices};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::board::words;
use crate::chess::solve::solved::SideValues;
use crate::chess::solve::{SolveError, SolvedSlice};
use crate::metric::Metric;
use crate::store::{Part, Scratch};
use crate::table::Plane;

/// Slices that wait for being written: packed if there are many, since then only a few are looked at at a time.
#[derive(Debug)]
pub(super) struct FinishedSlices {
    material: Material,
    pawns: PawnSlices,
    slices: Vec<OnceLock<[Finished; 2]>>,
    scratch: Scratch,
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
#[derive(Clone, Copy, Debug)]
struct Put {
    part: Part,
    /// Before it was packed.
    len: usize,
}

impl FinishedSlices {
    /// Where they wait is a scratch file in a directory, or memory.
    pub fn new(material: Material, scratch: Option<&Path>) -> Result<FinishedSlices, SolveError> {
        let pawns = PawnSlices::new(&material);
        let scratch = Scratch::new(scratch);
        Ok(FinishedSlices {
            material,
            slices: (0..pawns.len()).map(|_| OnceLock::new()).collect(),
            pawns,
            scratch: scratch.map_err(|error| SolveError::scratch(&material, error.kind()))?,
            error: OnceLock::new(),
        })
    }

    fn told(&self, error: &io::Error) -> SolveError {
        SolveError::scratch(&self.material, error.kind())
    }

    /// Keeps what files of some metrics are made from.
    pub fn insert(
        &self,
        slice: usize,
        solved: SolvedSlice,
        metrics: &[Metric],
    ) -> Result<(), SolveError> {
        let pack = |values: &SideValues| {
            let put = |packed: Packed| -> io::Result<Put> {
                let part = self.scratch.put(&packed.bytes)?;
                let len = packed.len;
                Ok(Put { part, len })
            };
            let packed = PackedSide::new(values, metrics).put(put);
            packed.map_err(|error| self.told(&error))
        };
        let finished = match solved {
            SolvedSlice::Whole(values) if self.slices.len() == 1 => {
                values.map(|side| Finished::Kept(Box::new(side)))
            }
            SolvedSlice::Whole(values) => {
                let [white, black] = values.each_ref().map(pack);
                [white?, black?].map(|side| {
                    Finished::Packed(PackedSlabs {
                        slabs: vec![side],
                        words: usize::MAX,
                    })
                })
            }
            SolvedSlice::Slabs(slabs) => {
                let mates = metrics.contains(&Metric::Dtm);
                let [white, black] = [0, 1].map(|side: usize| {
                    let numbers = (0..slabs.slabs()).into_par_iter();
                    let packed = numbers.map(|slab| pack(&slabs.side(side, slab, mates)?));
                    packed.collect::<Result<Vec<_>, SolveError>>()
                });
                [white?, black?].map(|packed| {
                    Finished::Packed(PackedSlabs {
                        slabs: packed,
                        words: slabs.addresses(0).len(),
                    })
                })
            }
        };
        // Every slice is finished once, so there is nothing to replace.
        let _ = self.slices[slice].set(finished);
        Ok(())
    }

    fn get(&self, put: &Put) -> io::Result<Vec<u8>> {
        let bytes = self.scratch.get(put.part)?;
        let packed = Packed {
            bytes,
            len: put.len,
        };
        packed.unpack().ok_or(io::ErrorKind::InvalidData.into())
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
            let all = words(&self.material).unwrap_or(0) as usize;
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
