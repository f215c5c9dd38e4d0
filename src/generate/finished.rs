//! The slices of a material that are solved and not written yet.

use std::sync::{Arc, OnceLock};

use super::packed::PackedSide;
use super::slices::{LentValues, Slices};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::solved::{SideValues, SliceValues};
use crate::metric::Metric;

/// Slices that wait for being written: packed if there are many, since then only a few are looked at at a time.
#[derive(Debug)]
pub(super) struct FinishedSlices {
    material: Material,
    pawns: PawnSlices,
    slices: Vec<OnceLock<[Finished; 2]>>,
}

#[derive(Debug)]
enum Finished {
    Kept(Box<SideValues>),
    Packed(Box<PackedSide>),
}

impl FinishedSlices {
    pub fn new(material: Material) -> FinishedSlices {
        let pawns = PawnSlices::new(&material);
        FinishedSlices {
            material,
            slices: (0..pawns.len()).map(|_| OnceLock::new()).collect(),
            pawns,
        }
    }

    /// Keeps what files of some metrics are made from.
    pub fn insert(&self, slice: usize, values: SliceValues, metrics: &[Metric]) {
        let finished = values.map(|side| match self.slices.len() {
            1 => Finished::Kept(Box::new(side)),
            _ => Finished::Packed(Box::new(PackedSide::new(&side, metrics))),
        });
        // Every slice is finished once, so there is nothing to replace.
        let _ = self.slices[slice].set(finished);
    }
}

impl Slices for FinishedSlices {
    fn material(&self) -> Material {
        self.material
    }

    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, slice: usize, side: usize, metric: Metric) -> LentValues<'_> {
        match self.slices[slice].get().map(|sides| &sides[side]) {
            Some(Finished::Kept(values)) => LentValues::Kept(values),
            Some(Finished::Packed(packed)) => {
                let values = packed.unpack(metric);
                let values = values.expect("what was packed in memory comes back");
                LentValues::Restored(Arc::new(values))
            }
            None => LentValues::Restored(Arc::default()),
        }
    }
}
