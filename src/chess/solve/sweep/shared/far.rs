//! The far pass: men whose squares lie far apart in the address, column by column.

use super::super::turn::{TurnedRows, Turns};
use super::super::{BlockOfRows, add_rows, blocked, copy, copy_in_use};
use super::add;
use crate::chess::solve::space::{Axis, Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::{InUse, take_away};
use crate::simd::Kernel;

/// Words of each place that a thread takes at a time: a page of memory.
pub(super) const STRIP: usize = 512;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct FarBuffers<W> {
    /// A column: the row of each place. Rows that are a power of two apart would compete for the
    /// same lines of a cache.
    source: Vec<W>,
    reached: Vec<W>,
    running: Vec<W>,
    turned: Vec<W>,
}

impl<W: Bits> FarBuffers<W> {
    pub fn new<B: Board<Word = W>>(space: &Space<B>, stride: usize) -> FarBuffers<W> {
        let row = space.axes.last().map_or(1, |last| last.squares.len());
        let column = space.words / stride * row;
        FarBuffers {
            source: vec![W::ZERO; column],
            reached: vec![W::ZERO; column],
            running: vec![W::ZERO; row],
            turned: Vec::with_capacity(row),
        }
    }
}

/// Some columns beside each other.
pub(super) struct Columns<'a, 'b, B: Board> {
    pub space: &'a Space<B>,
    pub turns: Option<&'a Turns>,
    pub side: usize,
    /// Words from one row of a column to the next.
    pub stride: usize,
    /// Words from where a place begins to the first column.
    pub first: usize,
    pub source: InUse<'a, B::Word>,
    pub takes_away: bool,
    /// The same words of each place.
    pub target: &'a mut [&'b mut [B::Word]],
    pub buffers: &'a mut FarBuffers<B::Word>,
}

impl<B: Board> Kernel for Columns<'_, '_, B> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let row = self.buffers.running.len();
        let len = self.target.first().map_or(0, |place| place.len());
        for at in (0..len).step_by(row) {
            self.gather(self.first + at);
            self.sweep(self.first + at);
            self.scatter(at);
        }
    }
}

impl<B: Board> Columns<'_, '_, B> {
    #[inline(always)]
    fn gather(&mut self, at: usize) {
        let row = self.buffers.running.len();
        let rows = self.buffers.source.chunks_exact_mut(row);
        for (place, to) in rows.enumerate() {
            copy_in_use(self.source, place * self.stride + at, to);
        }
        self.buffers.reached.fill(B::Word::ZERO);
    }

    #[inline(always)]
    fn sweep(&mut self, at: usize) {
        let space = self.space;
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.side != self.side || axis.stride < self.stride {
                continue;
            }
            match &axis.moves {
                Moves::Stay => {}
                Moves::Turn { .. } => self.turn(at),
                Moves::Leap(targets) => self.leap(axis, targets),
                Moves::Slide(_) => self.slide(number, axis, at),
            }
        }
    }

    /// The first man, whose moves may turn the board.
    #[inline(always)]
    fn turn(&mut self, at: usize) {
        let Some(turns) = self.turns else { return };
        let row = self.buffers.running.len();
        // Rows of a column at one place of the first man.
        let rows = self.space.axes[0].stride / self.stride;
        for inner in 0..rows {
            let mut reached = RowsOfPlaces {
                reached: &mut self.buffers.reached,
                from: inner * row,
                apart: rows * row,
            };
            turns.row_predecessors(
                self.space,
                self.source,
                inner * self.stride + at,
                &mut self.buffers.turned,
                &mut reached,
            );
        }
    }

    #[inline(always)]
    fn leap(&mut self, axis: &Axis, targets: &[Vec<u8>]) {
        let apart = axis.stride / self.stride * self.buffers.running.len();
        let block = apart * targets.len();
        let blocks = self.buffers.source.chunks_exact(block);
        for (source, reached) in blocks.zip(self.buffers.reached.chunks_exact_mut(block)) {
            for (to, froms) in reached.chunks_exact_mut(apart).zip(targets) {
                add_rows(to, source, froms);
            }
        }
    }

    #[inline(always)]
    fn slide(&mut self, number: usize, axis: &Axis, at: usize) {
        // Only the first man's rows lie further apart than one, and he is a king.
        debug_assert_eq!(axis.stride, self.stride);
        let FarBuffers {
            source,
            reached,
            running,
            ..
        } = &mut *self.buffers;
        let block = axis.squares.len() * running.len();
        let blocks = source.chunks_exact(block);
        for (outer, (source, reached)) in blocks.zip(reached.chunks_exact_mut(block)).enumerate() {
            let base = outer * axis.squares.len() * axis.stride;
            let places = (0..axis.squares.len()).zip(&axis.squares);
            let in_use = places.filter(|&(place, _)| {
                let start = base + at + place * axis.stride;
                !self.source.are_known_empty(start..start + running.len())
            });
            let rows = BlockOfRows {
                axis,
                in_use: in_use.fold(B::Word::ZERO, |all, (_, &square)| {
                    all | B::Word::bit(square.into())
                }),
                last: &self.space.axes[self.space.axes.len() - 1],
                blocked: blocked(self.space, number, base + at),
            };
            rows.sweep(source, reached, running);
        }
    }

    #[inline(always)]
    fn scatter(&mut self, at: usize) {
        let row = self.buffers.running.len();
        let reached = self.buffers.reached.chunks_exact(row);
        for (target, reached) in self.target.iter_mut().zip(reached) {
            let target = &mut target[at..at + row];
            match self.takes_away {
                // The first to be here: what was found the time before is written over.
                false => {
                    copy(reached, target);
                }
                true => take_away(target, reached),
            }
        }
    }
}

/// The rows of a column that differ only in the first man's place.
struct RowsOfPlaces<'a, W> {
    reached: &'a mut [W],
    /// Where that of his first place begins.
    from: usize,
    apart: usize,
}

impl<W: Bits> TurnedRows<W> for RowsOfPlaces<'_, W> {
    #[inline(always)]
    fn add(&mut self, place: usize, words: &[W]) {
        let start = self.from + place * self.apart;
        add(&mut self.reached[start..start + words.len()], words);
    }
}
