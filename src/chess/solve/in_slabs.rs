//! A slice that is solved without the values of all of its positions in memory.

use std::sync::Arc;

use rayon::prelude::*;

use super::slice::SliceRules;
use super::solved::{Conversions, SideValues, SliceValues};
use super::space::Space;
use super::{SolveOptions, board::ChessBoard, sweep, told};
use crate::chess::material::Material;
use crate::error::SolveError;
use crate::retro::fixpoint::{Chains, Fixed, Outside, StoredSlab, Unsolved, solve_chains};
use crate::simd::Width;
use crate::store::Scratch;

/// The values of a slice, made again for some consecutive addresses whenever somebody asks for
/// them.
#[derive(Debug)]
pub struct SlabValues {
    material: Material,
    chains: Chains<u64>,
    /// Zeroing moves that change the material, where there are others.
    conversions: Option<Outside<u64>>,
    mates: bool,
    width: Width,
}

impl SlabValues {
    /// Collects what is fixed and solves.
    pub(super) fn solve(
        material: Material,
        space: &Space<ChessBoard>,
        rules: SliceRules<'_>,
        options: SolveOptions<'_>,
    ) -> Result<SlabValues, SolveError> {
        let told = |reason: Unsolved| told(&material, reason);
        let width = options.width;
        let scratch = Scratch::new(options.scratch).map_err(|error| told(error.into()))?;
        let scratch = Arc::new(scratch);
        let slabs = (0..space.words.div_ceil(options.slab)).into_par_iter();
        let collected = slabs.map(|slab| {
            if options.cancel.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Unsolved::Cancelled);
            }
            let start = slab * options.slab;
            let addresses = start..space.words.min(start + options.slab);
            let ([white, black], conversions) = rules.collect(width, addresses);
            let [white_conversions, black_conversions] = conversions;
            let put = |fixed: &Fixed<u64>| StoredSlab::new(&scratch, fixed);
            let put_conversions = |conversions: Option<Conversions>| match conversions {
                Some(conversions) => put(&conversions.into()),
                None => Ok(StoredSlab::default()),
            };
            Ok((
                [put(&white)?, put(&black)?],
                [
                    put_conversions(white_conversions)?,
                    put_conversions(black_conversions)?,
                ],
            ))
        });
        let collected: Result<(Vec<_>, Vec<_>), Unsolved> = collected.collect();
        let (fixed, conversions) = collected.map_err(told)?;
        drop(rules);
        let outside = |slabs| Outside::new(Arc::clone(&scratch), space.words, options.slab, slabs);
        let lines = sweep::LineTable::new(space);
        let moves = sweep::SliceMoves::new(space, &lines);
        let limits = options.limits();
        let chains = solve_chains(&moves, outside(fixed), limits, width, options.cancel);
        Ok(SlabValues {
            material,
            chains: chains.map_err(told)?,
            conversions: material.has_pawns().then(|| outside(conversions)),
            mates: options.mates,
            width,
        })
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// Whether mates are longer than a byte can say.
    #[must_use]
    pub fn are_wide(&self) -> bool {
        self.mates && self.chains.are_wide()
    }

    /// The number of slabs.
    #[must_use]
    pub fn slabs(&self) -> usize {
        self.chains.outside().slabs()
    }

    /// The addresses of a slab.
    #[must_use]
    pub fn addresses(&self, slab: usize) -> std::ops::Range<usize> {
        self.chains.addresses(slab)
    }

    /// The values of one side to move (0 is White) in a slab; distances to mate only if they are
    /// wanted and known.
    ///
    /// # Errors
    ///
    /// If a distance does not fit, or the scratch file cannot be read.
    pub fn side(&self, side: usize, slab: usize, mates: bool) -> Result<SideValues, SolveError> {
        let mates = mates && self.mates;
        let make = || -> Result<SideValues, Unsolved> {
            let mut fixed = self.chains.outside().fixed(side, slab)?;
            let conversions = match &self.conversions {
                Some(conversions) => Some(Conversions::from(conversions.fixed(side, slab)?)),
                None => None,
            };
            fixed.in_check = Vec::new();
            let values = self.chains.values(side, slab, mates)?;
            Ok(SideValues::new(fixed, conversions, values, self.width))
        };
        make().map_err(|reason| told(&self.material, reason))
    }

    /// All values of one side together.
    ///
    /// # Errors
    ///
    /// Those of [`side`](Self::side).
    pub fn whole_side(&self, side: usize, mates: bool) -> Result<SideValues, SolveError> {
        let slabs = (0..self.slabs()).into_par_iter();
        let slabs = slabs.map(|slab| self.side(side, slab, mates));
        let mut slabs = slabs.collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut values = slabs.next().unwrap_or_default();
        slabs.for_each(|slab| values.extend(&slab));
        Ok(values)
    }

    /// All values of both sides together.
    ///
    /// # Errors
    ///
    /// Those of [`side`](Self::side).
    pub fn whole(&self) -> Result<SliceValues, SolveError> {
        Ok([self.whole_side(0, true)?, self.whole_side(1, true)?])
    }
}
