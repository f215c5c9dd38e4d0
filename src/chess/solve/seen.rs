//! What others see of a material, read back from finished tables slab by slab.
//!
//! What stands in a table and what conversions are worth is all that is asked, so a slice needs no
//! other, and a slab none of the others. That leaves out stalemates, which en passant asks for, and
//! mates of a side that no file has.

use std::ops::Range;

use super::board::ChessBoard;
use super::in_slabs::{Seen, put_together};
use super::own::{OwnSlices, StoredSlab};
use super::restored::{Elsewhere, incomplete};
use super::slice::{SliceRules, Targets, ZeroingMoves};
use super::solved::SideValues;
use super::space::Space;
use super::view::SideView;
use super::{FinishedTables, SolveError, SolveOptions, board, unprepared};
use crate::chess::material::Material;
use crate::game::Color;
use crate::metric::Metric;
use crate::parallel;
use crate::store::Scratch;

/// Words whose numbers are read together: as many squares of the white king as fit, but one at
/// least. That is 1 GiB of a side; tests read several times.
const TOGETHER: usize = if cfg!(test) { 1 << 10 } else { 1 << 24 };

/// What others see of a slice, in a scratch file.
#[derive(Debug)]
pub struct SeenSlabs {
    material: Material,
    scratch: Scratch,
    /// Of a side.
    words: usize,
    /// Words of a slab.
    slab: usize,
    /// By side to move; nothing of one that nobody reads.
    sides: [Vec<StoredSlab>; 2],
}

/// Bytes of the results that are read together, of both sides to move of a slice of so many words,
/// with so many squares of the white king.
pub fn bytes_read_together(words: u64, kings: u64) -> u64 {
    2 * 64 * (TOGETHER as u64).clamp(words / kings, words)
}

/// Reads the results of each slice of a material without en passant, and hands out what others see
/// of it. Slices are left out of which `is_done` says that nothing is missing.
///
/// # Errors
///
/// If a target is missing, the tables or the scratch file cannot be read, the caller cancelled, or
/// what `finish` says.
pub fn see_slices<E: From<SolveError>>(
    material: Material,
    targets: &Targets,
    tables: &dyn FinishedTables,
    options: SolveOptions<'_>,
    is_done: &dyn Fn(usize) -> bool,
    finish: &dyn Fn(usize, SeenSlabs) -> Result<(), E>,
) -> Result<(), E> {
    if board::words(&material).is_none() {
        return Err(SolveError::too_large(&material).into());
    }
    let own = OwnSlices::new(material, |_, _| Vec::new(), None, None);
    for slice in (0..own.pawns.len()).filter(|&slice| !is_done(slice)) {
        let space = board::space(&material, own.pawns.placement(slice));
        let rules = |addresses: Range<usize>| {
            let moves = ZeroingMoves::Conversions;
            SliceRules::new(&space, &own, slice, targets, &options, addresses, moves)
                .map_err(|reason| unprepared(&material, reason))
        };
        let seen = SeenSlabs::read((material, slice), &space, tables, rules, options)?;
        finish(slice, seen)?;
    }
    Ok(())
}

impl SeenSlabs {
    /// `rules` prepares the conversions at some addresses.
    fn read<'a>(
        (material, slice): (Material, usize),
        space: &Space<ChessBoard>,
        tables: &dyn FinishedTables,
        rules: impl Fn(Range<usize>) -> Result<SliceRules<'a>, SolveError> + Sync,
        options: SolveOptions<'_>,
    ) -> Result<SeenSlabs, SolveError> {
        let scratch = Scratch::new(options.scratch);
        let mut seen = SeenSlabs {
            material,
            scratch: scratch.map_err(|error| SolveError::scratch(&material, error.kind()))?,
            words: space.words,
            slab: options.slab,
            sides: Default::default(),
        };
        // Without pawns all addresses lead to the same, which stays as long as somebody has it.
        let first = rules(0..options.slab.min(space.words))?;
        let of_king = space.axes[0].stride;
        let together = (TOGETHER / of_king).max(1) * of_king;
        for start in (0..space.words).step_by(together) {
            let addresses = start..space.words.min(start + together);
            let mut numbers = [None, None];
            for (side, numbers) in numbers.iter_mut().enumerate() {
                if tables.is_read(side) {
                    let read = tables.numbers(slice, side, Metric::Wdl, &addresses)?;
                    *numbers = Some(read.ok_or_else(|| incomplete(&material))?);
                }
            }
            let numbers = numbers.each_ref().map(Option::as_ref);
            let slabs = addresses.len().div_ceil(options.slab);
            let put = parallel::try_map(slabs, |slab| {
                if options.watch.is_cancelled() {
                    return Err(SolveError::cancelled(&material));
                }
                let words = slab * options.slab..addresses.len().min((slab + 1) * options.slab);
                let place = start + words.start..start + words.end;
                let own = material
                    .has_pawns()
                    .then(|| rules(place.clone()))
                    .transpose()?;
                let rules = own.as_ref().unwrap_or(&first);
                let (fixed, conversions) = rules.collect(options.width, place);
                let mut put = [None, None];
                for side in [0, 1] {
                    let Some(numbers) = numbers[side] else {
                        continue;
                    };
                    let fixed = &fixed[side];
                    let elsewhere = Elsewhere::new(fixed, conversions[side].as_ref());
                    let mut values = SideValues {
                        legal: fixed.legal.clone(),
                        decided: std::array::from_fn(|_| vec![0; words.len()]),
                        ..SideValues::default()
                    };
                    let numbers = &numbers.low[words.clone()];
                    let decided = &mut values.decided;
                    elsewhere.read_results(numbers, &fixed.legal, decided, options.width);
                    let view = SideView::of(&values, false);
                    let stored = StoredSlab::new(&seen.scratch, &view);
                    put[side] = Some(stored.map_err(|error| seen.told(&error))?);
                }
                Ok(put)
            })?;
            for put in put {
                for (side, put) in seen.sides.iter_mut().zip(put) {
                    side.extend(put);
                }
            }
        }
        Ok(seen)
    }

    fn told(&self, error: &std::io::Error) -> SolveError {
        SolveError::scratch(&self.material, error.kind())
    }
}

impl Seen for SeenSlabs {
    fn words(&self) -> usize {
        self.words
    }

    fn slab(&self) -> Option<usize> {
        Some(self.slab)
    }

    fn seen(&self, turn: Color, addresses: &Range<usize>) -> Result<SideView<'_>, SolveError> {
        let side = &self.sides[turn.index()];
        put_together(self.slab, addresses, |slab| {
            let stored = side.get(slab).ok_or_else(|| incomplete(&self.material))?;
            stored
                .load(&self.scratch)
                .map_err(|error| self.told(&error))
        })
    }
}
