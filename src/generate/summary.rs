//! Counts, longest wins and the numbers that occur, found slice by slice.

use rayon::prelude::*;

use crate::game::chess::Role;
use crate::game::{Bits, Color};
use crate::index::{IndexSpace, Placement};
use crate::material::Material;
use crate::metric::{MateScore, Metric, Wdl};
use crate::placement::PawnPlacement;
use crate::solve::chess::{addressed_men, space};
use crate::solve::solved::{SideValues, SliceValues, Solved};
use crate::symmetry::{TRIANGLE, is_on_diagonal};
use crate::table::{Counts, Longest};

/// What the files of a material say about its values as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// For each side to move, every legal placement of the men once, identical men not told apart.
    pub counts: [Counts; 2],
    /// For each side to move, its longest win by distance to zeroing.
    pub longest_dtz: [Option<Longest>; 2],
    /// For each side to move, its longest win by distance to mate; nothing if that was not solved.
    pub longest_dtm: [Option<Longest>; 2],
    /// For each side to move and each metric by its number, the numbers that files have to hold.
    pub present: [[[bool; 256]; 3]; 2],
}

impl Summary {
    /// Goes through all values.
    #[must_use]
    pub fn new(solved: &Solved, index_space: &IndexSpace) -> Summary {
        let digest = solved
            .slices
            .par_iter()
            .enumerate()
            .filter_map(|(number, slice)| {
                let pawns = solved.pawns.placement(number);
                let values = slice.get()?;
                Some(SliceDigest::new(&solved.material, pawns, number, values))
            })
            .reduce(SliceDigest::default, SliceDigest::merge);
        Summary::from_digest(&digest, index_space)
    }

    /// The same from the digest of all slices.
    #[must_use]
    pub fn from_digest(digest: &SliceDigest, index_space: &IndexSpace) -> Summary {
        let material = index_space.material();
        let identical = orders_of_identical(material);
        let longest = |metric: usize| {
            [0, 1].map(|side: usize| {
                let found = digest.sides[side].longest[metric]?;
                Some(found.indexed(index_space))
            })
        };
        Summary {
            counts: [0, 1].map(|side: usize| {
                let [loss, blessed_loss, draw, cursed_win, win] =
                    digest.sides[side].counts.map(|count| count / identical);
                Counts {
                    win,
                    cursed_win,
                    draw,
                    blessed_loss,
                    loss,
                }
            }),
            longest_dtz: longest(TO_ZEROING),
            longest_dtm: longest(TO_MATE),
            present: [0, 1].map(|side: usize| digest.sides[side].present),
        }
    }

    /// The longest wins in one metric; a table of results has none.
    #[must_use]
    pub fn longest(&self, metric: Metric) -> [Option<Longest>; 2] {
        match metric {
            Metric::Wdl => [None; 2],
            Metric::Dtz => self.longest_dtz,
            Metric::Dtm => self.longest_dtm,
        }
    }

    /// The numbers that a stream has to hold. Never none: where nothing is asked for, 0 stands.
    #[must_use]
    pub fn present(&self, side: usize, metric: Metric) -> [bool; 256] {
        let mut present = self.present[side][usize::from(metric.number())];
        if present == [false; 256] {
            present[0] = true;
        }
        present
    }
}

/// What has to be known of a slice before any slice is written. Made when the slice has been solved; those of all
/// slices are merged, in any order, into that of the material.
#[derive(Clone, Debug, Default)]
pub struct SliceDigest {
    sides: [SideDigest; 2],
}

#[derive(Clone, Debug)]
struct SideDigest {
    /// Positions with each result over the full board, identical men told apart.
    counts: [u64; 5],
    /// The numbers that occur where they are asked for, by metric.
    present: [[bool; 256]; 3],
    /// The longest wins, to zeroing and to mate.
    longest: [Option<Found>; 2],
}

const TO_ZEROING: usize = 0;
const TO_MATE: usize = 1;

impl Default for SideDigest {
    fn default() -> SideDigest {
        SideDigest {
            counts: [0; 5],
            present: [[false; 256]; 3],
            longest: [None; 2],
        }
    }
}

impl SliceDigest {
    /// Goes through the values of a slice.
    #[must_use]
    pub fn new(
        material: &Material,
        pawns: PawnPlacement,
        slice: usize,
        values: &SliceValues,
    ) -> SliceDigest {
        SliceDigest {
            sides: [0, 1].map(|side: usize| {
                let values = &values[side];
                let mut digest = SideDigest::default();
                digest.count(material, pawns, values);
                digest.look_at_distances(pawns, slice, values);
                digest
            }),
        }
    }

    /// That of two sets of slices together.
    #[must_use]
    pub fn merge(mut self, other: SliceDigest) -> SliceDigest {
        for (own, other) in self.sides.iter_mut().zip(&other.sides) {
            for (own, other) in own.counts.iter_mut().zip(other.counts) {
                *own += other;
            }
            let present = own.present.as_flattened_mut();
            for (own, other) in present.iter_mut().zip(other.present.as_flattened()) {
                *own |= other;
            }
            for (own, other) in own.longest.iter_mut().zip(other.longest) {
                if other.is_some_and(|other| own.is_none_or(|own| other.is_before(&own))) {
                    *own = other;
                }
            }
        }
        self
    }
}

impl SideDigest {
    fn count(&mut self, material: &Material, pawns: PawnPlacement, values: &SideValues) {
        let words = values.legal.len();
        for address in 0..words {
            let weight = weight(material, pawns, words, address);
            let free = values.own.wdl_by_conversion[address];
            let mut drawn = values.legal[address];
            for value in [
                Wdl::Win,
                Wdl::CursedWin,
                Wdl::BlessedLoss,
                Wdl::Loss,
                Wdl::Draw,
            ] {
                let set = match value {
                    Wdl::Draw => drawn,
                    value => values.decided[value.index()][address],
                };
                drawn &= !set;
                self.counts[value.index()] += weight * u64::from(set.count_ones());
                // Less than a win, the true result bounds what may stand even where it is free.
                let asked = if value == Wdl::Win { set & !free } else { set };
                self.present[usize::from(Metric::Wdl.number())][value.index()] |= asked != 0;
            }
        }
    }

    fn look_at_distances(&mut self, pawns: PawnPlacement, slice: usize, values: &SideValues) {
        let found = |plies: u32, address: usize, bit: u32| Found {
            plies,
            slice,
            pawns,
            address,
            bit,
        };
        let [_, to_zeroing, to_mate] = &mut self.present;
        let [longest_to_zeroing, longest_to_mate] = &mut self.longest;
        let keep = |longest: &mut Option<Found>, plies: u32, address: usize, bit: u32| {
            if longest.is_none_or(|longest| plies > longest.plies) {
                *longest = Some(found(plies, address, bit));
            }
        };
        for address in 0..values.legal.len() {
            let decided = values.decided_at(address);
            let won = values.decided[Wdl::Win.index()][address]
                | values.decided[Wdl::CursedWin.index()][address];
            let distances = &values.own.dtz[address * 64..][..64];
            for bit in decided.ones() {
                let plies = distances[bit as usize];
                to_zeroing[usize::from(plies)] |= !values.own.won_by_zeroing[address].contains(bit);
                if won.contains(bit) {
                    keep(longest_to_zeroing, plies.into(), address, bit);
                }
            }
            let Some(scores) = values.dtm.get(address * 64..(address + 1) * 64) else {
                continue;
            };
            for bit in decided.ones() {
                let score = MateScore(scores[bit as usize]);
                let plies = score.dtm().map_or(0, |dtm| dtm.0.unsigned_abs());
                to_mate[plies as usize / 2] = true;
                if won.contains(bit) {
                    keep(longest_to_mate, plies, address, bit);
                }
            }
        }
    }
}

/// How many placements on the full board one stored position stands for, before identical men.
fn weight(material: &Material, pawns: PawnPlacement, words: usize, address: usize) -> u64 {
    if material.has_pawns() {
        if pawns == pawns.mirrored() { 1 } else { 2 }
    } else if is_on_diagonal(TRIANGLE[address / (words / TRIANGLE.len())]) {
        // Both transposed twins are in the solver's sets.
        4
    } else {
        8
    }
}

/// In how many orders the identical pieces can be addressed.
fn orders_of_identical(material: &Material) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    Color::ALL
        .into_iter()
        .flat_map(|color| {
            [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]
                .map(|role| factorial(material.count(color, role)))
        })
        .product()
}

/// A position in the solver's terms.
#[derive(Clone, Copy, Debug)]
struct Found {
    plies: u32,
    slice: usize,
    pawns: PawnPlacement,
    address: usize,
    bit: u32,
}

impl Found {
    /// Whether this is the one to keep of two: the longer one, or that of the lower slice.
    fn is_before(&self, other: &Found) -> bool {
        (self.plies, other.slice) > (other.plies, self.slice)
    }

    fn indexed(self, index_space: &IndexSpace) -> Longest {
        let material = index_space.material();
        let mut squares = [0u8; 8];
        space(material, self.pawns).squares(self.address, &mut squares);
        let mut placement = Placement::default();
        for (&(color, role), &square) in addressed_men(material).iter().zip(&squares) {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        placement.men[Color::Black.index()][Role::King.index()] = 1 << self.bit;
        for color in Color::ALL {
            placement.men[color.index()][Role::Pawn.index()] = self.pawns.of(color);
        }
        Longest {
            plies: self.plies,
            index: index_space
                .natural_order()
                .index(&index_space.digits(&placement)),
        }
    }
}
