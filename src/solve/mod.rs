//! Retrograde analysis, 64 positions at a time.
//!
//! Every other generator we know walks positions: take an index, find the squares, make unmoves, touch a byte.
//! Here sets are walked. All positions that differ only in the black king's square are one word, and a piece's
//! moves are applied to all words that differ only in its square ([`sweep`]). The idea is that of Stiller and of
//! Wendroff et al., "Bits and Pieces" (1993); [`fixpoint`] is the iteration, [`chess`] what the game fixes.

pub mod chess;
pub mod fixpoint;
pub mod solved;
pub mod space;
pub mod sweep;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use thiserror::Error;

use crate::game::chess::Role;
use crate::material::Material;
#[cfg(doc)]
use crate::metric::FIFTY_MOVES;
use crate::metric::Plies;
use crate::placement::PawnPlacement;
use chess::{MissingTarget, SliceRules, Targets};
use solved::{SideValues, SliceValues, Solved};

/// Why a material could not be solved.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// A material that moves lead to was not given.
    #[error("cannot solve {material}: its moves lead to {target}, which has to be solved first")]
    MissingTarget {
        /// The material to be solved.
        material: Material,
        /// What is missing.
        target: Material,
    },
    /// A distance is too long for the one byte it is kept in.
    #[error(
        "cannot solve {material}: it has a mate of more than 253 plies or a distance to zeroing of more than \
         255, which this version cannot store; without distances to mate (`--metric wdl,dtz`) it may work"
    )]
    DistanceOverflow {
        /// The material to be solved.
        material: Material,
    },
    /// A set of its positions has more words than an address can name.
    #[error(
        "cannot solve {material}: it has too many positions for this version; ask for fewer men"
    )]
    TooLarge {
        /// The material to be solved.
        material: Material,
    },
    /// The caller asked to stop.
    #[error("stopped while solving {material}")]
    Cancelled {
        /// The material that was being solved.
        material: Material,
    },
}

/// What to solve and how to stop.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions<'a> {
    /// Whether distances to mate are wanted; the targets must have them too.
    pub mates: bool,
    /// Plies without a capture or a pawn move after which a draw can be claimed: [`FIFTY_MOVES`] in chess as it is
    /// played, fewer to see cursed wins in small materials.
    pub limit: Plies,
    /// Checked between slices.
    pub cancel: &'a AtomicBool,
}

/// Every value of a material. `targets` holds what its moves lead to, laid out with its
/// colours ([`gather_targets`]).
///
/// Slices of pawn placements that are equally far from promotion are solved in parallel.
///
/// # Errors
///
/// If a target is missing, a distance does not fit, or the caller cancelled.
pub fn solve(
    material: Material,
    targets: &Targets,
    options: SolveOptions<'_>,
) -> Result<Solved, SolveError> {
    if chess::words(&material).is_none() {
        return Err(SolveError::TooLarge { material });
    }
    for_each_slice(material, |own, slice| {
        if options.cancel.load(Ordering::Relaxed) {
            return Err(SolveError::Cancelled { material });
        }
        let space = chess::space(&material, own.pawns.placement(slice));
        let rules = slice_rules(&space, own, slice, targets, options.mates)?;
        let (fixed, conversions) = rules.collect();
        let lines = sweep::LineTable::new(&space);
        let width = crate::simd::Width::widest();
        let values = fixpoint::solve_slice(&space, &lines, &fixed, options.limit, width)
            .map_err(|fixpoint::DistanceOverflow| SolveError::DistanceOverflow { material })?;
        Ok(side_values(fixed, conversions, values))
    })
}

fn slice_rules<'a>(
    space: &'a space::Space<chess::ChessBoard>,
    own: &'a Solved,
    slice: usize,
    targets: &'a Targets,
    mates: bool,
) -> Result<SliceRules<'a>, SolveError> {
    SliceRules::new(space, own, slice, targets, mates).map_err(|MissingTarget(target)| {
        SolveError::MissingTarget {
            material: own.material,
            target,
        }
    })
}

fn side_values(
    fixed: [fixpoint::Fixed<u64>; 2],
    conversions: [solved::Conversions; 2],
    values: [fixpoint::Values<u64>; 2],
) -> SliceValues {
    let [white, black] = fixed;
    let [white_conversions, black_conversions] = conversions;
    let [white_values, black_values] = values;
    [
        SideValues::new(white, white_conversions, white_values),
        SideValues::new(black, black_conversions, black_values),
    ]
}

/// Fills the slices of a material, those nearer to promotion first and equally near ones in parallel.
fn for_each_slice(
    material: Material,
    fill: impl Fn(&Solved, usize) -> Result<SliceValues, SolveError> + Sync,
) -> Result<Solved, SolveError> {
    let solved = Solved::new(material);
    let mut slices: Vec<(u32, usize)> = (0..solved.pawns.len())
        .map(|slice| (solved.pawns.placement(slice).steps_to_promotion(), slice))
        .collect();
    slices.sort_unstable();
    for equally_far in slices.chunk_by(|a, b| a.0 == b.0) {
        equally_far.par_iter().try_for_each(|&(_, slice)| {
            let values = fill(&solved, slice)?;
            // Every slice is filled once, so there is nothing to replace.
            let _ = solved.slices[slice].set(values);
            Ok(())
        })?;
    }
    Ok(solved)
}

/// The same values laid out with the colours exchanged.
#[must_use]
pub fn with_colors_exchanged(solved: &Solved) -> Solved {
    let material = solved.material.with_colors_exchanged();
    let exchanged = Solved::new(material);
    (0..exchanged.pawns.len())
        .into_par_iter()
        .for_each(|slice| {
            let placement = exchanged.pawns.placement(slice);
            let _ = exchanged.slices[slice].set(exchange_slice(solved, &material, placement));
        });
    exchanged
}

fn exchange_slice(solved: &Solved, material: &Material, placement: PawnPlacement) -> SliceValues {
    let space = chess::space(material, placement);
    let men = chess::addressed_men(material);
    // For each man of the other layout, which of ours he is; ours has the black king last.
    let theirs: Vec<usize> = chess::addressed_men(&solved.material)
        .iter()
        .scan(vec![false; men.len()], |used, &(color, role)| {
            if role == Role::King {
                return Some(men.len());
            }
            let ours = (0..men.len()).find(|&man| !used[man] && men[man] == (!color, role))?;
            used[ours] = true;
            Some(ours)
        })
        .collect();
    let (source_slice, mirrored) = solved.slice(placement.with_colors_exchanged());
    let Some(source) = solved.slices[source_slice].get() else {
        return SliceValues::default();
    };
    let mut exchanged = [0, 1].map(|side: usize| SideValues {
        legal: space.empty_set(),
        decided: std::array::from_fn(|value| {
            if source[1 - side].decided[value].is_empty() {
                Vec::new()
            } else {
                space.empty_set()
            }
        }),
        stalemate: space.empty_set(),
        dtm: vec![
            crate::metric::MateScore::DRAW.0;
            source[1 - side].dtm.len().min(1) * space.words * 64
        ],
        own: solved::OwnValues::default(),
    });
    let mut squares = [0u8; 8];
    let mut turned = [0u8; 8];
    for address in 0..space.words {
        space.squares(address, &mut squares);
        for king in 0..64u8 {
            for (turned, &ours) in turned.iter_mut().zip(&theirs) {
                let square = if ours == men.len() {
                    king
                } else {
                    squares[ours]
                };
                *turned = square ^ 56;
            }
            let place = solved.place(source_slice, mirrored, &turned[..theirs.len()]);
            let bit = place.symmetry.map(squares[0] ^ 56);
            for (side, values) in exchanged.iter_mut().enumerate() {
                let source = &source[1 - side];
                let copy = |from: &[u64], to: &mut [u64]| {
                    to[address] |= (from[place.address] >> bit & 1) << king;
                };
                copy(&source.legal, &mut values.legal);
                copy(&source.stalemate, &mut values.stalemate);
                for (from, to) in source.decided.iter().zip(&mut values.decided) {
                    if !from.is_empty() {
                        copy(from, to);
                    }
                }
                if !source.dtm.is_empty() {
                    values.dtm[address * 64 + usize::from(king)] =
                        source.dtm[place.address * 64 + usize::from(bit)];
                }
            }
        }
    }
    exchanged
}

/// Collects what the moves of `material` lead to, laid out as its solver wants it, from the stored normal forms.
///
/// # Errors
///
/// If one of them is not there.
pub fn gather_targets(material: &Material, stored: &Targets) -> Result<Targets, SolveError> {
    material
        .conversions()
        .into_iter()
        .map(|target| {
            let solved = stored
                .get(&target.normal_form())
                .ok_or(SolveError::MissingTarget {
                    material: *material,
                    target,
                })?;
            let laid_out = if target.is_normal() {
                Arc::clone(solved)
            } else {
                Arc::new(with_colors_exchanged(solved))
            };
            Ok((target, laid_out))
        })
        .collect()
}
