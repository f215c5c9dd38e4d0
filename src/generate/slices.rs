//! Where the writer gets solved values from: one slice, one side to move, one metric at a time.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::addressing::{Addressing, FastestMan};
use super::laid_out::LaidOut;
use super::rows::Numbers;
use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::solve::solved::{SideValues, Solved};
use crate::chess::solve::{SolveError, Wanted};
use crate::metric::Metric;
use crate::table::Plane;

/// The distances that files of some metrics are made from.
pub(super) fn wanted(metrics: &[Metric]) -> Wanted {
    Wanted {
        to_zeroing: metrics.contains(&Metric::Dtz),
        to_mate: metrics.contains(&Metric::Dtm),
    }
}

/// The solved values of a material, handed out slice by slice.
///
/// A slice is a pawn placement; slices have the numbers of [`PawnSlices`], which is the order in
/// which files hold them. A file is written slice by slice, so whoever keeps values compressed has
/// to have few of them at hand at a time.
pub trait Slices: Sync {
    /// The material, in normal form.
    fn material(&self) -> Material;

    /// The pawn placements of the slices.
    fn pawns(&self) -> &PawnSlices;

    /// The number of slices, 1 without pawns.
    fn count(&self) -> usize {
        self.pawns().len()
    }

    /// The pawns of a slice.
    fn placement(&self, slice: usize) -> PawnPlacement {
        self.pawns().placement(slice)
    }

    /// The values of one side to move (0 is White) in a slice. Asked for from many threads at once,
    /// and for a few slices more than once.
    ///
    /// Only what the metric's numbers are made from has to be there:
    ///
    /// | metric | fields |
    /// |---|---|
    /// | WDL | `legal`, `decided`, `own.wdl_by_conversion` |
    /// | DTZ | `decided`, `own.dtz` or, of high bytes, `own.dtz_high`, `own.won_by_zeroing` |
    /// | DTM | `decided`, `dtm`, `own.dtm_by_conversion` |
    fn side(&self, slice: usize, side: usize, metric: Metric, plane: Plane) -> LentValues<'_>;

    /// How many words the slabs of a slice have, in which its values may be asked for as well; the
    /// last may have fewer.
    fn slab(&self, _slice: usize) -> usize {
        usize::MAX
    }

    /// The values of a slab, as [`side`](Self::side) has them.
    fn side_of_slab(
        &self,
        place: (usize, usize),
        side: usize,
        metric: Metric,
        plane: Plane,
    ) -> LentValues<'_> {
        let (slice, _) = place;
        self.side(slice, side, metric, plane)
    }

    /// Whether numbers are taken from [`laid_out`](Self::laid_out), since values as a whole are too
    /// many.
    fn is_laid_out(&self) -> bool {
        false
    }

    /// Lays out the numbers of one side to move, turned along a man, and forgets others; by one
    /// thread at a time.
    fn prepare(
        &self,
        _side: usize,
        _numbers: &Numbers,
        _addressing: &Addressing,
        _along: Option<FastestMan>,
    ) {
    }

    /// What was laid out last, if it is this.
    fn laid_out(&self, _side: usize, _numbers: &Numbers) -> Option<Arc<LaidOut>> {
        None
    }

    /// Whether only what is wanted next of distances is in memory, gathered from parts, because all
    /// numbers of a side would be too many.
    fn lays_out_parts(&self) -> bool {
        false
    }

    /// Lays out the numbers of one side to move at some addresses, in the memory of what was laid
    /// out before if it is given; nothing if something went wrong.
    fn part(
        &self,
        _side: usize,
        _numbers: &Numbers,
        _addressing: &Addressing,
        _addresses: Range<usize>,
        _spare: Option<LaidOut>,
    ) -> Option<LaidOut> {
        None
    }

    /// What went wrong while values were brought back; the numbers told since then are of no use.
    fn error(&self) -> Option<&SolveError> {
        None
    }
}

/// The values of one side to move in one slice, as long as somebody looks at them.
#[derive(Clone, Debug)]
pub enum LentValues<'a> {
    /// They lie where they were solved.
    Kept(&'a SideValues),
    /// They were brought back for this.
    Restored(Arc<SideValues>),
}

impl Deref for LentValues<'_> {
    type Target = SideValues;

    fn deref(&self) -> &SideValues {
        match self {
            LentValues::Kept(values) => values,
            LentValues::Restored(values) => values,
        }
    }
}

/// All values in memory. A slice that is not solved has no values.
impl Slices for Solved {
    fn material(&self) -> Material {
        self.material
    }

    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, slice: usize, side: usize, _: Metric, _: Plane) -> LentValues<'_> {
        match self.slices[slice].get() {
            Some(values) => LentValues::Kept(&values[side]),
            None => LentValues::Restored(Arc::default()),
        }
    }
}
