//! The near pass: all other men, tile by tile, after which each word is what it finally is.

use super::super::{BlockOfRows, Buffers, blocked, sweep_words};
use super::{Goal, ROW, is_far, stays};
use crate::chess::solve::space::{Board, Moves, Space};
use crate::game::Bits;
use crate::simd::Kernel;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct NearBuffers<W> {
    rows: Buffers<W>,
    /// What is reached in a tile.
    reached: Vec<W>,
    /// A square of rows with rows and columns exchanged, and what is reached in it.
    exchanged: [Vec<W>; 2],
    running: Vec<W>,
}

impl<W: Bits> NearBuffers<W> {
    pub fn new<B: Board<Word = W>>(space: &Space<B>, tile: usize) -> NearBuffers<W> {
        let [columns, square] = match &space.axes[..] {
            [.., before, last] => [
                before.squares.len(),
                before.squares.len() * last.squares.len(),
            ],
            _ => [0, 0],
        };
        NearBuffers {
            rows: Buffers::new(space),
            reached: vec![W::ZERO; tile],
            exchanged: [(), ()].map(|()| vec![W::ZERO; square]),
            running: vec![W::ZERO; columns],
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
            let is_empty = source
                .iter()
                .fold(B::Word::ZERO, |all, &word| all | word)
                .is_empty();
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
            exchanged,
            running,
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
            let is_in_blocks = source.len() >= exchanged[0].len() && !exchanged[0].is_empty();
            match (axis.stride, &axis.moves) {
                (1, Moves::Slide(_)) if is_in_blocks => {
                    sweep_columns(space, base, source, reached, exchanged, running);
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
            let mut bits = 0;
            match self.goal {
                Goal::Add(wanted) => {
                    let wanted = &wanted[start + number * ROW..];
                    for (at, ((word, &more), &wanted)) in
                        target.iter_mut().zip(reached).zip(wanted).enumerate()
                    {
                        *word = (*word | more) & wanted;
                        bits |= u64::from(!word.is_empty()) << at;
                    }
                }
                Goal::TakeAway => {
                    for (at, (word, &less)) in target.iter_mut().zip(reached).enumerate() {
                        *word &= !less;
                        bits |= u64::from(!word.is_empty()) << at;
                    }
                }
                Goal::Leave(among) => {
                    let among = &among[start + number * ROW..];
                    for (at, ((word, &more), &among)) in
                        target.iter_mut().zip(reached).zip(among).enumerate()
                    {
                        *word = among & !(*word | more);
                        bits |= u64::from(!word.is_empty()) << at;
                    }
                }
            }
            *active = bits;
        }
    }
}

/// A slider on the last axis, in whole blocks of the last two axes.
///
/// Along a row his squares depend on each other, one after the other. With rows and columns
/// exchanged his places are rows, as those of any other man are, and the man before him stands
/// where the last one stood.
#[inline(always)]
fn sweep_columns<B: Board>(
    space: &Space<B>,
    base: usize,
    source: &[B::Word],
    reached: &mut [B::Word],
    [exchanged, found]: &mut [Vec<B::Word>; 2],
    running: &mut [B::Word],
) {
    let number = space.axes.len() - 1;
    let (axis, before) = (&space.axes[number], &space.axes[number - 1]);
    let (row, column) = (axis.squares.len(), before.squares.len());
    let blocks = source.chunks_exact(row * column);
    for (block, (source, reached)) in blocks
        .zip(reached.chunks_exact_mut(row * column))
        .enumerate()
    {
        exchange(source, exchanged, row);
        // The square of the man before him is not to count as blocked: it differs from column to
        // column.
        let rows = BlockOfRows {
            axis,
            last: before,
            blocked: blocked(space, number - 1, base + block * row * column),
        };
        found.fill(B::Word::ZERO);
        rows.sweep(exchanged, found, running);
        for (place, words) in reached.chunks_exact_mut(row).enumerate() {
            let found = found[place..].iter().step_by(column);
            for (word, &found) in words.iter_mut().zip(found) {
                *word |= found;
            }
        }
    }
}

/// Exchanges rows, of so many words, and columns.
#[inline(always)]
fn exchange<W: Bits>(from: &[W], to: &mut [W], row: usize) {
    let column = from.len() / row;
    for (place, words) in from.chunks_exact(row).enumerate() {
        for (to, &word) in to[place..].iter_mut().step_by(column).zip(words) {
            *to = word;
        }
    }
}
