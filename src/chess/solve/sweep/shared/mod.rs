//! Sweeps of sets far larger than any cache, on all threads, in two passes.
//!
//! What a sweep costs here is reading and writing the sets, so all men of a side are moved while a
//! part of them is in the cache. Two kinds of parts are enough. Of KQRvKQR, whose address is
//! `((king * 64 + queen) * 64 + rook) * 4096 + ...`, White's sweep has
//!
//! - a *far* pass for the men whose squares lie far apart in the address, king and queen: a column
//!   is the row of one square of each other man, at all 10 times 64 places of king and queen;
//! - a *near* pass for all others: a tile is what is left of the address, with the rook in it. As
//!   nothing is added to a tile afterwards, its words become what they finally are, and are
//!   counted.
//!
//! Black's men are all near, in tiles of 4 096 words.

mod far;
mod near;

use std::convert::Infallible;

use super::neighbours::PushedPlace;
use super::{SliceMoves, add, having_a_move_into};
use crate::chess::solve::space::{Axis, Board, Moves};
use crate::parallel::{self, Pool};
use crate::retro::layer::{InUse, Layer};
use crate::retro::quiet::{Among, QuietMoves, SharedMoves};
use crate::simd::Width;
use far::{Columns, FarBuffers, STRIP};
use near::{NearBuffers, Tiles};

/// Words of the largest block of a man who is moved within a tile: two of them fit into a cache
/// that a core has for itself, or nearly.
pub(super) const TILE: usize = 1 << 18;
/// Words that a thread takes at a time at least, in the near pass.
const TASK: usize = 1 << 15;
/// If less than one word in so many is in use, one thread pushes them.
const FEW: usize = 1 << 14;
/// Words that are known to be empty or not together.
const ROW: usize = 64;

/// What happens to the positions from which there is a move.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// They are found, as far as they are asked about.
    Add,
    /// They are taken away from what was found.
    TakeAway,
    /// All others that are asked about are found.
    Leave,
}

/// Whether a man is moved in the far pass, where tiles have at most so many words.
fn is_far(axis: &Axis, tile: usize) -> bool {
    matches!(axis.moves, Moves::Turn { .. }) || axis.squares.len() * axis.stride > tile
}

/// Whether a man has no moves here.
fn stays(axis: &Axis) -> bool {
    matches!(axis.moves, Moves::Stay)
}

impl<B: Board> SharedMoves for SliceMoves<'_, B> {
    type Word = B::Word;

    fn words(&self) -> usize {
        self.space.words
    }

    fn having_a_move_into_open(
        &self,
        side: usize,
        address: usize,
        word: B::Word,
        open: &[B::Word],
    ) -> B::Word {
        having_a_move_into(self.space, self.lines, side, address, word, open)
    }

    fn reach_shared(
        &self,
        side: usize,
        into: &Layer<B::Word>,
        among: Among<'_, B::Word>,
        reached: &mut Layer<B::Word>,
        width: Width,
    ) {
        self.sweep_tiles(side, into.in_use(), (Goal::Add, among), reached, width);
    }

    fn escape_shared(
        &self,
        side: usize,
        into: &[B::Word],
        among: Among<'_, B::Word>,
        candidates: &mut Layer<B::Word>,
        width: Width,
    ) {
        let into = InUse::unknown(into);
        self.sweep_tiles(side, into, (Goal::TakeAway, among), candidates, width);
    }

    fn stuck_shared(
        &self,
        side: usize,
        into: &[B::Word],
        among: Among<'_, B::Word>,
        stuck: &mut Layer<B::Word>,
        width: Width,
    ) {
        let into = InUse::unknown(into);
        self.sweep_tiles(side, into, (Goal::Leave, among), stuck, width);
    }

    fn push_shared(&self, side: usize, into: &Layer<B::Word>, from: &mut Layer<B::Word>) {
        let stride = self.space.axes[0].stride;
        if into.len() * FEW < self.space.words || !stride.is_multiple_of(ROW) {
            for address in into.addresses() {
                self.push(side, address, into.set[address], from);
            }
            return;
        }
        let pushed = from.change_slabs(stride, |place, set, active| {
            let base = place * stride;
            let mut pushed = PushedPlace {
                place,
                base,
                set,
                active,
            };
            pushed.push(self.space, self.lines, side, into);
            Ok::<(), Infallible>(())
        });
        let Ok(()) = pushed;
    }
}

impl<B: Board> SliceMoves<'_, B> {
    fn sweep_tiles(
        &self,
        side: usize,
        into: InUse<'_, B::Word>,
        (goal, among): (Goal, Among<'_, B::Word>),
        target: &mut Layer<B::Word>,
        width: Width,
    ) {
        let space = self.space;
        let own = space.axes.iter();
        let own = own.filter(|axis| axis.side == side && !stays(axis));
        let far: Vec<&Axis> = own.clone().filter(|axis| is_far(axis, self.tile)).collect();
        if let Some(closest) = far.last() {
            self.sweep_far(side, closest.stride, into, goal, &mut target.set, width);
        }
        let row = space.axes.last().map_or(1, |last| last.squares.len());
        let near = own.filter(|axis| !is_far(axis, self.tile));
        let tile = near.map(|axis| axis.squares.len() * axis.stride).max();
        let tile = tile.unwrap_or(row).max(self.block_of_columns(side));
        let task = tile * (TASK / tile).max(1);
        let buffers = || NearBuffers::new(space, tile);
        let Among { set, is_decided } = among;
        let swept = target.change_slabs_beside((task, set), buffers, |buffers, slab| {
            let base = slab.number * task;
            width.run(Tiles {
                space,
                side,
                base,
                largest: self.tile,
                was_far: !far.is_empty(),
                source: into.part(base..base + slab.set.len()),
                goal,
                among: slab.beside,
                is_decided,
                target: slab.set,
                active: slab.active,
                buffers,
            });
            Ok::<(), Infallible>(())
        });
        let Ok(()) = swept;
    }

    /// Words of a block in which a slider on the last axis is moved column by column; one if there
    /// is none.
    fn block_of_columns(&self, side: usize) -> usize {
        let [.., before, last] = &self.space.axes[..] else {
            return 1;
        };
        let block = before.squares.len() * last.squares.len();
        let slides = last.side == side && matches!(last.moves, Moves::Slide(_));
        if slides && block <= self.tile {
            block
        } else {
            1
        }
    }

    /// The men whose squares are `stride` words apart or more.
    fn sweep_far(
        &self,
        side: usize,
        stride: usize,
        into: InUse<'_, B::Word>,
        goal: Goal,
        target: &mut [B::Word],
        width: Width,
    ) {
        let space = self.space;
        let mut strips: Vec<Vec<&mut [B::Word]>> = Vec::new();
        strips.resize_with(stride.div_ceil(STRIP), Vec::new);
        for place in target.chunks_exact_mut(stride) {
            for (strip, rows) in strips.iter_mut().zip(place.chunks_mut(STRIP)) {
                strip.push(rows);
            }
        }
        let buffers = || FarBuffers::new(space, stride);
        let pool = Pool::default();
        parallel::each_item(strips, |strip, mut target| {
            pool.lend(buffers, |buffers| {
                width.run(Columns {
                    space,
                    turns: self.sweeper.turns.as_ref(),
                    side,
                    stride,
                    first: strip * STRIP,
                    source: into,
                    takes_away: matches!(goal, Goal::TakeAway),
                    target: &mut target,
                    buffers,
                });
            });
        });
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chess::material::Material;
    use crate::chess::placement::PawnSlices;
    use crate::chess::solve::board::space;
    use crate::chess::solve::sweep::{LineTable, Sweeper};

    /// A set in which one word in so many is not empty.
    pub(in super::super) fn set(words: usize, one_in: u64, seed: u64) -> Vec<u64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut word = || match random.u64(0..one_in) {
            0 => random.u64(..) & random.u64(..),
            _ => 0,
        };
        (0..words).map(|_| word()).collect()
    }

    /// Sets hold more than legal positions here, so men stand on each other. That is the same in
    /// both ways but where the last man, in whose way nobody stands while rows are swept, shares a
    /// square with another one.
    pub(in super::super) fn legal(
        words: Vec<u64>,
        space: &crate::chess::solve::space::Space<impl Board>,
    ) -> Vec<u64> {
        let mut words = words;
        for (address, word) in words.iter_mut().enumerate() {
            let mut squares = [0; 8];
            space.squares(address, &mut squares);
            let men = squares[..space.axes.len()].iter().chain(&space.fixed);
            let occupied = men.clone().fold(0u64, |all, &square| all | 1 << square);
            let is_one_each = occupied.count_ones() as usize == men.count();
            *word &= if is_one_each { !occupied } else { 0 };
        }
        words
    }

    #[test]
    fn tiles_are_swept_as_whole_sets_are() {
        for material in [
            "KRvK", "KQvKN", "KBvKR", "KQRvK", "KvKQB", "KPvKR", "KRPvKB", "KPvKP",
        ] {
            let material: Material = material.parse().unwrap();
            let pawns = PawnSlices::new(&material);
            let space = space(&material, pawns.placement(pawns.len() / 2));
            let lines = LineTable::new(&space);
            for (one_in, tile) in [(1, TILE), (3, 4096), (1000, 4096), (2, 64), (300, 64)] {
                let mut moves = SliceMoves::new(&space, &lines);
                moves.tile = tile;
                for side in [0, 1] {
                    let into = legal(set(space.words, one_in, 1), &space);
                    let may_be = legal(set(space.words, 2, 2), &space);
                    let mut from = space.empty_set();
                    Sweeper::new(&space).predecessors(&space, side, &into, &mut from);
                    let both = |keep: fn(u64, u64) -> u64| -> Vec<u64> {
                        let words = may_be.iter().zip(&from);
                        words.map(|(&may_be, &from)| keep(may_be, from)).collect()
                    };
                    let context = format!("{material}, side {side}, tiles of {tile}");
                    let mut source = Layer::new(space.words);
                    source.set.copy_from_slice(&into);
                    source.recount();
                    // What is found the next time is written over what was found before.
                    let mut layer = Layer::new(space.words);
                    layer.set.copy_from_slice(&set(space.words, 2, 3));
                    layer.recount();
                    let mut check = |find: &dyn Fn(Among<'_, u64>, &mut Layer<u64>),
                                     expected: &[u64]| {
                        for is_decided in [false, true] {
                            let mut among = may_be.clone();
                            let asked = Among {
                                set: &mut among,
                                is_decided,
                            };
                            find(asked, &mut layer);
                            assert_eq!(layer.set, expected, "{context}");
                            let len = layer.len();
                            layer.recount();
                            assert_eq!(len, layer.len(), "{context}");
                            let rest = may_be.iter().zip(expected).map(|(&may_be, &found)| {
                                if is_decided { may_be & !found } else { may_be }
                            });
                            assert!(rest.eq(among), "{context}");
                        }
                    };
                    let width = Width::widest();
                    check(
                        &|among, layer| moves.reach_shared(side, &source, among, layer, width),
                        &both(|may_be, from| may_be & from),
                    );
                    let left = both(|may_be, from| may_be & !from);
                    check(
                        &|among, layer| moves.stuck_shared(side, &into, among, layer, width),
                        &left,
                    );
                    check(
                        &|among, candidates| {
                            candidates.set.copy_from_slice(&may_be);
                            candidates.recount();
                            moves.escape_shared(side, &into, among, candidates, width);
                        },
                        &left,
                    );
                }
            }
        }
    }
}
