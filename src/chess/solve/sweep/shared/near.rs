//! The near pass: all other men, tile by tile, after which each word is what it finally is.

use super::super::columns::ColumnBuffers;
use super::super::{Buffers, sweep_words, union};
use super::{Goal, ROW, is_far, stays};
use crate::chess::solve::space::{Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::not_empty;
use crate::simd::Kernel;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct NearBuffers<W> {
    rows: Buffers<W>,
    /// What is reached in a tile.
    reached: Vec<W>,
    columns: ColumnBuffers<W>,
}

impl<W: Bits> NearBuffers<W> {
    pub fn new<B: Board<Word = W>>(space: &Space<B>, tile: usize) -> NearBuffers<W> {
        NearBuffers {
            rows: Buffers::new(space),
            reached: vec![W::ZERO; tile],
            columns: ColumnBuffers::new(space),
        }
    }
}

/// Some tiles beside each other.
pub(super) struct Tiles<'a, B: Board> {
    pub space: &'a Space<B>,
    pub side: usize,
    /// The address of the first word.
    pub base: usize,
    /// The most words of the block of a man who is moved here.
    pub largest: usize,
    /// Whether the far pass has been here.
    pub was_far: bool,
    pub source: &'a [B::Word],
    pub goal: Goal<'a, B::Word>,
    pub target: &'a mut [B::Word],
    pub active: &'a mut [u64],
    pub buffers: &'a mut NearBuffers<B::Word>,
}

impl<B: Board> Kernel for Tiles<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let tile = self.buffers.reached.len();
        for start in (0..self.source.len()).step_by(tile) {
            let source = &self.source[start..start + tile];
            let is_empty = union(source).is_empty();
            let is_done = match self.goal {
                Goal::Add(_) => is_empty && !self.was_far,
                Goal::TakeAway => {
                    let rows = rows_of(self.active, start, tile);
                    is_empty && !self.was_far || rows.iter().all(|&row| row == 0)
                }
                Goal::Leave(_) => false,
            };
            if is_done {
                continue;
            }
            self.buffers.reached.fill(B::Word::ZERO);
            if !is_empty {
                self.sweep(start, source);
            }
            self.finish(start);
        }
    }
}

/// The rows of a tile, a bit a word.
#[inline(always)]
fn rows_of(active: &[u64], start: usize, tile: usize) -> &[u64] {
    &active[start / ROW..(start + tile).div_ceil(ROW)]
}

impl<B: Board> Tiles<'_, B> {
    #[inline(always)]
    fn sweep(&mut self, start: usize, source: &[B::Word]) {
        let (space, base) = (self.space, self.base + start);
        let NearBuffers {
            rows,
            reached,
            columns,
        } = &mut *self.buffers;
        if space.word_side == self.side {
            for (to, &from) in reached.iter_mut().zip(source) {
                *to |= B::word_moves(from);
            }
        }
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.side != self.side || stays(axis) || is_far(axis, self.largest) {
                continue;
            }
            match (axis.stride, &axis.moves) {
                (1, Moves::Slide(_)) if columns.divide(source) => {
                    columns.sweep(space, base, source, reached);
                }
                (1, _) => sweep_words(space, number, base, source, reached),
                _ => rows.sweep_rows(space, number, base, source, reached),
            }
        }
    }

    #[inline(always)]
    fn finish(&mut self, start: usize) {
        let reached = self.buffers.reached.chunks(ROW);
        let target = self.target[start..start + self.buffers.reached.len()].chunks_mut(ROW);
        let active = &mut self.active[start / ROW..];
        for (number, ((target, reached), active)) in target.zip(reached).zip(active).enumerate() {
            let words = target.iter_mut().zip(reached);
            match self.goal {
                Goal::Add(wanted) => {
                    for ((word, &more), &wanted) in words.zip(&wanted[start + number * ROW..]) {
                        *word = (*word | more) & wanted;
                    }
                }
                Goal::TakeAway => {
                    for (word, &less) in words {
                        *word &= !less;
                    }
                }
                Goal::Leave(among) => {
                    for ((word, &more), &among) in words.zip(&among[start + number * ROW..]) {
                        *word = among & !(*word | more);
                    }
                }
            }
            *active = not_empty(target);
        }
    }
}
