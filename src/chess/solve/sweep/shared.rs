//! A sweep of a large set on all threads: each has parts of it that only it writes.

use std::convert::Infallible;

use rayon::prelude::*;

use super::neighbours::PushedPlace;
use super::turn::Turns;
use super::{Buffers, SliceMoves, add, sweep_words};
use crate::chess::solve::space::{Board, Moves, Space};
use crate::retro::layer::Layer;
use crate::retro::quiet::{QuietMoves, SharedMoves};
use crate::simd::{Kernel, Width};

/// Words that a thread takes at a time, about.
const TASK: usize = 1 << 16;
/// If less than one word in so many is in use, one thread pushes them.
const FEW: usize = 1 << 14;
/// Words that are known to be empty or not together.
const ROW: usize = 64;

impl<B: Board> SharedMoves for SliceMoves<'_, B> {
    fn sweep_shared(&self, side: usize, into: &[B::Word], from: &mut [B::Word], width: Width) {
        let space = self.space;
        if space.word_side == side {
            let tasks = from.par_chunks_mut(TASK).zip(into.par_chunks(TASK));
            tasks.for_each(|(target, source)| width.run(WordMoves::<B> { source, target }));
        }
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.side != side {
                continue;
            }
            let block = axis.squares.len() * axis.stride;
            match &axis.moves {
                Moves::Turn { .. } => self.turn(into, from, width),
                // Nobody stands in his way, so the places he can come from are simply joined.
                Moves::Leap(targets) if block == space.words => {
                    let places = from.par_chunks_mut(axis.stride).zip(targets);
                    places.for_each(|(target, sources)| {
                        for &source in sources {
                            let source = &into[usize::from(source) * axis.stride..];
                            width.run(Join { source, target });
                        }
                    });
                }
                Moves::Slide(_) | Moves::Leap(_) => {
                    let len = block * (TASK / block).max(1);
                    let tasks = from.par_chunks_mut(len).zip(into.par_chunks(len));
                    let buffers = || Buffers::new(space);
                    tasks.enumerate().for_each_init(
                        buffers,
                        |buffers, (task, (target, source))| {
                            width.run(AxisMoves {
                                space,
                                number,
                                base: task * len,
                                source,
                                target,
                                buffers,
                            });
                        },
                    );
                }
            }
        }
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
    /// The first man, whose moves may turn the board: some rows of all his places together.
    fn turn(&self, into: &[B::Word], from: &mut [B::Word], width: Width) {
        let Some(turns) = &self.sweeper.turns else {
            return;
        };
        let stride = self.space.axes[0].stride;
        let len = TASK.min(stride);
        let mut tasks: Vec<Vec<&mut [B::Word]>> = Vec::new();
        tasks.resize_with(stride.div_ceil(len), Vec::new);
        for place in from.chunks_exact_mut(stride) {
            for (task, rows) in tasks.iter_mut().zip(place.chunks_mut(len)) {
                task.push(rows);
            }
        }
        let buffers = || Buffers::new(self.space);
        let tasks = tasks.into_par_iter().enumerate();
        tasks.for_each_init(buffers, |buffers, (task, mut target)| {
            width.run(FirstMoves {
                space: self.space,
                turns,
                source: into,
                target: &mut target,
                first: task * len,
                buffers,
            });
        });
    }
}

struct WordMoves<'a, B: Board> {
    source: &'a [B::Word],
    target: &'a mut [B::Word],
}

impl<B: Board> Kernel for WordMoves<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, &from) in self.target.iter_mut().zip(self.source) {
            *to |= B::word_moves(from);
        }
    }
}

struct Join<'a, W> {
    source: &'a [W],
    target: &'a mut [W],
}

impl<W: crate::game::Bits> Kernel for Join<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        add(self.target, self.source);
    }
}

struct AxisMoves<'a, B: Board> {
    space: &'a Space<B>,
    number: usize,
    base: usize,
    source: &'a [B::Word],
    target: &'a mut [B::Word],
    buffers: &'a mut Buffers<B::Word>,
}

impl<B: Board> Kernel for AxisMoves<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let AxisMoves {
            space,
            number,
            base,
            source,
            target,
            buffers,
        } = self;
        match space.axes[number].stride {
            1 => sweep_words(space, number, base, source, target),
            _ => buffers.sweep_rows(space, number, base, source, target),
        }
    }
}

struct FirstMoves<'a, 'b, B: Board> {
    space: &'a Space<B>,
    turns: &'a Turns,
    source: &'a [B::Word],
    target: &'a mut [&'b mut [B::Word]],
    first: usize,
    buffers: &'a mut Buffers<B::Word>,
}

impl<B: Board> Kernel for FirstMoves<'_, '_, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let turned = &mut self.buffers.turned;
        let FirstMoves { space, turns, .. } = self;
        turns.predecessors(space, self.source, self.target, self.first, turned);
    }
}
