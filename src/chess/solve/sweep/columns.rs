//! A slider on the last axis, in whole blocks of the last two axes.
//!
//! Along a row his squares depend on each other, one after the other. With rows and columns
//! exchanged his places are rows, as those of any other man are, and the man before him stands
//! where the last one stood.

use super::{BlockOfRows, blocked, union};
use crate::chess::solve::space::{Board, Space};
use crate::game::Bits;
use crate::retro::layer::InUse;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct ColumnBuffers<W> {
    /// A block with rows and columns exchanged; empty where there is one axis only.
    exchanged: Vec<W>,
    /// What is reached in it.
    found: Vec<W>,
    running: Vec<W>,
}

impl<W: Bits> ColumnBuffers<W> {
    pub fn new<B: Board<Word = W>>(space: &Space<B>) -> ColumnBuffers<W> {
        let [column, block] = match &space.axes[..] {
            [.., before, last] => {
                let column = before.squares.len();
                [column, column * last.squares.len()]
            }
            _ => [0, 0],
        };
        ColumnBuffers {
            exchanged: vec![W::ZERO; block],
            found: vec![W::ZERO; block],
            running: vec![W::ZERO; column],
        }
    }

    /// Whether words are whole blocks; they are if they are as many as one.
    #[inline(always)]
    pub fn divide(&self, words: &[W]) -> bool {
        words.len() >= self.exchanged.len() && !self.exchanged.is_empty()
    }

    /// Adds to `reached` the positions from which the last man has a move into `source`, which
    /// begins at address `base`.
    #[inline(always)]
    pub fn sweep<B: Board<Word = W>>(
        &mut self,
        space: &Space<B>,
        base: usize,
        source: InUse<'_, W>,
        reached: &mut [W],
    ) {
        let number = space.axes.len() - 1;
        let (axis, before) = (&space.axes[number], &space.axes[number - 1]);
        let (row, column) = (axis.squares.len(), before.squares.len());
        let blocks = reached.chunks_exact_mut(row * column);
        for (block, reached) in blocks.enumerate() {
            let addresses = block * row * column..(block + 1) * row * column;
            let is_known = source.are_known_empty(addresses.clone());
            let source = &source.words[addresses];
            if is_known || union(source).is_empty() {
                continue;
            }
            exchange(source, &mut self.exchanged, row);
            // The square of the man before him is not to count as blocked: it differs from column
            // to column.
            let rows = BlockOfRows {
                axis,
                in_use: W::FULL,
                last: before,
                blocked: blocked(space, number - 1, base + block * row * column),
            };
            self.found.fill(W::ZERO);
            rows.sweep(&self.exchanged, &mut self.found, &mut self.running);
            for (place, words) in reached.chunks_exact_mut(row).enumerate() {
                let found = self.found[place..].iter().step_by(column);
                for (word, &found) in words.iter_mut().zip(found) {
                    *word |= found;
                }
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
