//! The near pass: all other men, tile by tile, after which each word is what it finally is. A man
//! who is alone here is moved in strips of his places instead, which need less of a cache.

use super::super::columns::ColumnBuffers;
use super::super::{Buffers, sweep_words, union};
use super::{Goal, ROW, is_far, stays};
use crate::chess::solve::space::{Axis, Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::{InUse, not_empty, take_away};
use crate::simd::Kernel;

/// Words at each place of a man who is moved alone that are worked on together: two kilobytes lie
/// beside each other in memory, and those of all places fit into a cache.
const STRIP: usize = 4 * ROW;

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
    pub source: InUse<'a, B::Word>,
    pub goal: Goal,
    /// What is asked about.
    pub among: &'a mut [B::Word],
    /// Whether what is found is taken away from that.
    pub is_decided: bool,
    pub target: &'a mut [B::Word],
    pub active: &'a mut [u64],
    pub buffers: &'a mut NearBuffers<B::Word>,
}

impl<B: Board> Kernel for Tiles<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        if let Some(number) = self.alone() {
            self.run_strips(number);
            return;
        }
        let tile = self.buffers.reached.len();
        for start in (0..self.source.words.len()).step_by(tile) {
            let source = self.source.part(start..start + tile);
            let rows = rows_of(self.active, start, tile);
            // Candidates, or what was found the time before.
            let has_any = rows.iter().any(|&row| row != 0);
            if matches!(self.goal, Goal::TakeAway) && !has_any {
                continue;
            }
            let is_known = source.are_known_empty(0..tile);
            let is_empty = is_known || union(source.words).is_empty();
            if matches!(self.goal, Goal::Add) && is_empty && !self.was_far {
                if has_any {
                    self.clear(start, tile);
                }
                continue;
            }
            self.buffers.reached.fill(B::Word::ZERO);
            if !is_empty {
                self.sweep(start, source);
            }
            let reached = std::mem::take(&mut self.buffers.reached);
            self.finish(start, &reached);
            self.buffers.reached = reached;
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
    fn sweep(&mut self, start: usize, source: InUse<'_, B::Word>) {
        let (space, base) = (self.space, self.base + start);
        let NearBuffers {
            rows,
            reached,
            columns,
        } = &mut *self.buffers;
        if space.word_side == self.side {
            for (to, &from) in reached.iter_mut().zip(source.words) {
                *to |= B::word_moves(from);
            }
        }
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.side != self.side || stays(axis) || is_far(axis, self.largest) {
                continue;
            }
            match (axis.stride, &axis.moves) {
                (1, Moves::Slide(_)) if columns.divide(source.words) => {
                    columns.sweep(space, base, source, reached);
                }
                (1, _) => sweep_words(space, number, base, source, reached),
                _ => rows.sweep_rows(space, number, base, source, reached),
            }
        }
    }

    /// Nothing is found in a tile.
    #[inline(always)]
    fn clear(&mut self, start: usize, tile: usize) {
        self.target[start..start + tile].fill(B::Word::ZERO);
        self.active[start / ROW..(start + tile).div_ceil(ROW)].fill(0);
    }

    /// The only man who is moved here, if his rows are so far apart that a tile would not stay in a
    /// cache.
    #[inline(always)]
    fn alone(&self) -> Option<usize> {
        let space = self.space;
        let is_near =
            |axis: &Axis| axis.side == self.side && !stays(axis) && !is_far(axis, self.largest);
        let mut near = (space.axes.iter().enumerate()).filter(|(_, axis)| is_near(axis));
        let (number, axis) = near.next()?;
        let is_alone = near.next().is_none() && space.word_side != self.side;
        let row = space.axes.last()?.squares.len();
        let has_strips = row == ROW && axis.stride > STRIP && axis.stride.is_multiple_of(STRIP);
        (is_alone && has_strips).then_some(number)
    }

    /// Moves the only man strip by strip: so many words at each of his places.
    #[inline(always)]
    fn run_strips(&mut self, number: usize) {
        let axis = &self.space.axes[number];
        let places = axis.squares.len();
        let block = places * axis.stride;
        let mut strips = std::mem::take(&mut self.buffers.reached);
        for outer in (0..self.source.words.len()).step_by(block) {
            for start in (outer..outer + axis.stride).step_by(STRIP) {
                for at in (0..STRIP).step_by(ROW) {
                    let place = (self.base, start + at);
                    let rows = &mut self.buffers.rows;
                    let reached = rows.sweep_block(self.space, number, place, self.source);
                    for (place, strip) in strips.chunks_exact_mut(STRIP).take(places).enumerate() {
                        let to = strip[at..].iter_mut().take(ROW);
                        match reached {
                            Some(reached) => {
                                let from = &reached[place * ROW..][..ROW];
                                to.zip(from).for_each(|(to, &from)| *to = from);
                            }
                            None => to.for_each(|to| *to = B::Word::ZERO),
                        }
                    }
                }
                for (place, strip) in strips.chunks_exact(STRIP).take(places).enumerate() {
                    self.finish(start + place * axis.stride, strip);
                }
            }
        }
        self.buffers.reached = strips;
    }

    /// What words finally are, given from where there is a move.
    #[inline(always)]
    fn finish(&mut self, start: usize, reached: &[B::Word]) {
        let end = start + reached.len();
        let reached = reached.chunks(ROW);
        let target = self.target[start..end].chunks_mut(ROW);
        let among = self.among[start..end].chunks_mut(ROW);
        let active = &mut self.active[start / ROW..];
        for (((target, reached), among), active) in target.zip(reached).zip(among).zip(active) {
            let words = target.iter_mut().zip(reached).zip(&*among);
            // Without a far pass a word is still what was found the time before.
            match (self.goal, self.was_far) {
                (Goal::Add, true) => {
                    for ((word, &more), &among) in words {
                        *word = (*word | more) & among;
                    }
                }
                (Goal::Add, false) => {
                    for ((word, &more), &among) in words {
                        *word = more & among;
                    }
                }
                (Goal::TakeAway, _) => {
                    for ((word, &less), _) in words {
                        *word &= !less;
                    }
                }
                (Goal::Leave, true) => {
                    for ((word, &more), &among) in words {
                        *word = among & !(*word | more);
                    }
                }
                (Goal::Leave, false) => {
                    for ((word, &more), &among) in words {
                        *word = among & !more;
                    }
                }
            }
            *active = not_empty(target);
            if self.is_decided && *active != 0 {
                take_away(among, target);
            }
        }
    }
}
