//! Counts and longest wins of a solved material, over the full board.

use crate::game::Color;
use crate::game::chess::Role;
use crate::index::{IndexSpace, Placement};
use crate::material::Material;
use crate::metric::{MateScore, Metric, Wdl};
use crate::placement::PawnPlacement;
use crate::solve::chess::{addressed_men, space};
use crate::solve::solved::{SideValues, Solved};
use crate::symmetry::{TRIANGLE, is_on_diagonal};
use crate::table::{Counts, Longest};

/// What the headers of a material's files say about its values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// For each side to move, every legal placement of the men once, identical men not told apart.
    pub counts: [Counts; 2],
    /// For each side to move, its longest win by distance to zeroing.
    pub longest_dtz: [Option<Longest>; 2],
    /// For each side to move, its longest win by distance to mate; nothing if that was not solved.
    pub longest_dtm: [Option<Longest>; 2],
}

impl Summary {
    /// Goes through all values.
    #[must_use]
    pub fn new(solved: &Solved, index_space: &IndexSpace) -> Summary {
        let longest = |metric| {
            [0, 1].map(|side| {
                longest_win(solved, side, metric).map(|found| found.indexed(solved, index_space))
            })
        };
        Summary {
            counts: [0, 1].map(|side| counts(solved, side)),
            longest_dtz: longest(Metric::Dtz),
            longest_dtm: longest(Metric::Dtm),
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

fn counts(solved: &Solved, side: usize) -> Counts {
    let mut sums = [0u64; 5];
    for (number, slice) in solved.slices.iter().enumerate() {
        let Some(slice) = slice.get() else { continue };
        let values = &slice[side];
        let words = values.legal.len();
        let pawns = solved.pawns.placement(number);
        for address in 0..words {
            let weight = weight(&solved.material, pawns, words, address);
            let mut rest = u64::from(values.legal[address].count_ones());
            for value in [Wdl::Win, Wdl::CursedWin, Wdl::BlessedLoss, Wdl::Loss] {
                let count = u64::from(values.decided[value.index()][address].count_ones());
                sums[value.index()] += weight * count;
                rest -= count;
            }
            sums[Wdl::Draw.index()] += weight * rest;
        }
    }
    let [loss, blessed_loss, draw, cursed_win, win] =
        sums.map(|sum| sum / orders_of_identical(&solved.material));
    Counts {
        win,
        cursed_win,
        draw,
        blessed_loss,
        loss,
    }
}

/// A position in the solver's terms.
#[derive(Clone, Copy, Debug)]
struct Found {
    plies: u32,
    slice: usize,
    address: usize,
    bit: u8,
}

fn longest_win(solved: &Solved, side: usize, metric: Metric) -> Option<Found> {
    let mut best: Option<Found> = None;
    for (number, slice) in solved.slices.iter().enumerate() {
        let Some(slice) = slice.get() else { continue };
        let values = &slice[side];
        for address in 0..values.legal.len() {
            let mut won = won(values, address);
            while won != 0 {
                let bit = won.trailing_zeros() as u8;
                won &= won - 1;
                let position = address * 64 + usize::from(bit);
                let plies = match metric {
                    Metric::Dtm if values.dtm.is_empty() => return None,
                    Metric::Dtm => MateScore(values.dtm[position])
                        .dtm()
                        .map_or(0, |dtm| dtm.0.unsigned_abs()),
                    Metric::Wdl | Metric::Dtz => u32::from(values.own.dtz[position]),
                };
                if best.is_none_or(|best| plies > best.plies) {
                    best = Some(Found {
                        plies,
                        slice: number,
                        address,
                        bit,
                    });
                }
            }
        }
    }
    best
}

fn won(values: &SideValues, address: usize) -> u64 {
    values.decided[Wdl::Win.index()][address] | values.decided[Wdl::CursedWin.index()][address]
}

impl Found {
    fn indexed(self, solved: &Solved, index_space: &IndexSpace) -> Longest {
        let material = &solved.material;
        let pawns = solved.pawns.placement(self.slice);
        let mut squares = [0u8; 8];
        space(material, pawns).squares(self.address, &mut squares);
        let mut placement = Placement::default();
        for (&(color, role), &square) in addressed_men(material).iter().zip(&squares) {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        placement.men[Color::Black.index()][Role::King.index()] = 1 << self.bit;
        for color in Color::ALL {
            placement.men[color.index()][Role::Pawn.index()] = pawns.of(color);
        }
        Longest {
            plies: self.plies,
            index: index_space
                .natural_order()
                .index(&index_space.digits(&placement)),
        }
    }
}
