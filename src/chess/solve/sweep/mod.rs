//! One man's quiet moves applied to a whole set of positions.
//!
//! Three loops do the same thing at different costs:
//!
//! - [`Sweeper::predecessors`] pulls: every block of positions that differ only in one man's square
//!   is swept along that man's lines with a running set. A few operations a word, whatever is in
//!   it.
//! - [`push_predecessors`] scatters the bits of single words; for plies in which few words have
//!   any. Where several words next to each other have, `push` moves these together.
//! - [`having_a_move_into`] asks for a single word which of its positions have a move into a set,
//!   and stops when all have.
//!
//! The man in the word is the only one whose square is not in the address, so it alone can stand in
//! the way without being seen: each square a slider passes is taken out of the word.

mod columns;
mod neighbours;
mod of_rank;
mod push;
mod shared;
mod turn;

pub use neighbours::{LineTable, having_a_move_into, push_predecessors};
pub use of_rank::{RankMoves, places_of};

use super::space::{Axis, Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::{InUse, Layer};
use crate::retro::quiet::QuietMoves;
use columns::ColumnBuffers;
use push::push_layer;
use turn::Turns;

/// The quiet moves of a slice described by lines, leaps and turns.
#[derive(Debug)]
pub struct SliceMoves<'a, B: Board> {
    space: &'a Space<B>,
    lines: &'a LineTable,
    sweeper: Sweeper<B>,
    /// The most words of a tile, where all threads sweep together.
    tile: usize,
}

impl<'a, B: Board> SliceMoves<'a, B> {
    /// The moves in a space; `lines` are its own.
    #[must_use]
    pub fn new(space: &'a Space<B>, lines: &'a LineTable) -> Self {
        SliceMoves {
            space,
            lines,
            sweeper: Sweeper::new(space),
            tile: shared::TILE,
        }
    }
}

impl<B: Board> QuietMoves for SliceMoves<'_, B> {
    type Word = B::Word;

    #[inline(always)]
    fn words(&self) -> usize {
        self.space.words
    }

    #[inline(always)]
    fn sweep(&mut self, side: usize, into: &[B::Word], from: &mut [B::Word]) {
        self.sweeper.predecessors(self.space, side, into, from);
    }

    #[inline(always)]
    fn push(&self, side: usize, address: usize, word: B::Word, from: &mut Layer<B::Word>) {
        push_predecessors(self.space, self.lines, side, address, word, from);
    }

    #[inline(always)]
    fn push_all(&self, side: usize, into: &Layer<B::Word>, from: &mut Layer<B::Word>) {
        push_layer(self.space, self.lines, side, into, from);
    }

    #[inline(always)]
    fn having_a_move_into(
        &self,
        side: usize,
        address: usize,
        word: B::Word,
        into: &[B::Word],
    ) -> B::Word {
        having_a_move_into(self.space, self.lines, side, address, word, into)
    }
}

/// Buffers of a sweep, so that a ply allocates nothing.
///
/// Words that differ only in the last man's square are a *row*. Rows are what loops run over: long
/// enough that compilers make wide registers of them.
#[derive(Debug)]
pub struct Sweeper<B: Board> {
    buffers: Buffers<B::Word>,
    columns: ColumnBuffers<B::Word>,
    turns: Option<Turns>,
}

/// What one thread needs.
#[derive(Debug)]
struct Buffers<W> {
    /// The rows of one block, one for each place of the moving man.
    source: Vec<W>,
    reached: Vec<W>,
    running: Vec<W>,
    turned: Vec<W>,
}

impl<W: Bits> Buffers<W> {
    fn new<B: Board<Word = W>>(space: &Space<B>) -> Buffers<W> {
        let row = space.axes.last().map_or(1, |last| last.squares.len());
        let places = space.axes.iter().map(|axis| axis.squares.len()).max();
        let block = vec![W::ZERO; row * places.unwrap_or(1)];
        Buffers {
            source: block.clone(),
            reached: block,
            running: vec![W::ZERO; row],
            turned: Vec::with_capacity(row),
        }
    }
}

impl<B: Board> Sweeper<B> {
    /// Buffers for a space.
    #[must_use]
    pub fn new(space: &Space<B>) -> Self {
        Sweeper {
            buffers: Buffers::new(space),
            columns: ColumnBuffers::new(space),
            turns: Turns::new(space),
        }
    }

    /// Adds to `target` every position from which `side` has a quiet move into `source`.
    ///
    /// Positions that are not legal may be added as well; the caller masks them out. `source` holds
    /// legal positions only.
    #[inline(always)]
    pub fn predecessors(
        &mut self,
        space: &Space<B>,
        side: usize,
        source: &[B::Word],
        target: &mut [B::Word],
    ) {
        if space.word_side == side {
            for (to, &from) in target.iter_mut().zip(source) {
                *to |= B::word_moves(from);
            }
        }
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.side != side {
                continue;
            }
            match &axis.moves {
                Moves::Turn { .. } => {
                    if let Some(turns) = &self.turns {
                        let stride = axis.stride;
                        let mut places: Vec<_> = target.chunks_exact_mut(stride).collect();
                        let turned = &mut self.buffers.turned;
                        turns.predecessors(space, source, &mut places, 0, turned);
                    }
                }
                Moves::Slide(_) if axis.stride == 1 && self.columns.divide(source) => {
                    let source = InUse::unknown(source);
                    self.columns.sweep(space, 0, source, target);
                }
                Moves::Slide(_) | Moves::Leap(_) if axis.stride == 1 => {
                    let source = InUse::unknown(source);
                    sweep_words(space, number, 0, source, target);
                }
                Moves::Slide(_) | Moves::Leap(_) => {
                    let source = InUse::unknown(source);
                    self.buffers.sweep_rows(space, number, 0, source, target);
                }
                Moves::Stay => {}
            }
        }
    }
}

impl<W: Bits> Buffers<W> {
    /// An axis that is not the last, in some whole blocks of all its places, the first of them at
    /// address `base`.
    #[inline(always)]
    fn sweep_rows<B: Board<Word = W>>(
        &mut self,
        space: &Space<B>,
        number: usize,
        base: usize,
        source: InUse<'_, W>,
        target: &mut [W],
    ) {
        let axis = &space.axes[number];
        let row = self.running.len();
        let block = axis.squares.len() * row;
        if axis.stride == row {
            for outer in (0..source.words.len()).step_by(block) {
                let range = outer..outer + block;
                if source.are_known_empty(range.clone()) {
                    continue;
                }
                let rows = BlockOfRows {
                    axis,
                    in_use: W::FULL,
                    last: &space.axes[space.axes.len() - 1],
                    blocked: blocked(space, number, base + outer),
                };
                rows.sweep(
                    &source.words[range.clone()],
                    &mut target[range],
                    &mut self.running,
                );
            }
            return;
        }
        // Rows that are a power of two apart compete for the same lines of a cache.
        for outer in (0..source.words.len()).step_by(axis.squares.len() * axis.stride) {
            for inner in (0..axis.stride).step_by(row) {
                let Some(reached) = self.sweep_block(space, number, (base, outer + inner), source)
                else {
                    continue;
                };
                for (place, from) in reached.chunks_exact(row).enumerate() {
                    let at = outer + inner + place * axis.stride;
                    add(&mut target[at..at + row], from);
                }
            }
        }
    }

    /// The rows from which the man of an axis has a move into those that begin `at` words after
    /// address `base`, one for each of his places; nothing if all of these are empty.
    #[inline(always)]
    fn sweep_block<B: Board<Word = W>>(
        &mut self,
        space: &Space<B>,
        number: usize,
        (base, at): (usize, usize),
        source: InUse<'_, W>,
    ) -> Option<&[W]> {
        let axis = &space.axes[number];
        let row = self.running.len();
        let block = axis.squares.len() * row;
        let mut in_use = W::ZERO;
        let rows = self.source.chunks_exact_mut(row).zip(&axis.squares);
        for (place, (to, &square)) in rows.enumerate() {
            let start = at + place * axis.stride;
            if !copy_in_use(source, start, to).is_empty() {
                in_use |= W::bit(square.into());
            }
        }
        if in_use.is_empty() {
            return None;
        }
        let reached = &mut self.reached[..block];
        reached.fill(W::ZERO);
        let rows = BlockOfRows {
            axis,
            in_use,
            last: &space.axes[space.axes.len() - 1],
            blocked: blocked(space, number, base + at),
        };
        rows.sweep(&self.source[..block], reached, &mut self.running);
        Some(reached)
    }
}

/// The squares of all men that stand in the way of one man at an address, but for the last one and
/// that in the word.
#[inline(always)]
fn blocked<B: Board>(space: &Space<B>, moving: usize, address: usize) -> B::Word {
    let mut squares = [0u8; 8];
    space.squares(address, &mut squares);
    let last = space.axes.len() - 1;
    let mut blocked = B::Word::ZERO;
    for (number, &square) in squares[..last].iter().enumerate() {
        if number != moving {
            blocked |= B::Word::bit(square.into());
        }
    }
    for &square in &space.fixed {
        blocked |= B::Word::bit(square.into());
    }
    blocked
}

/// All positions that differ only in the squares of one man, of the last man and of that in the
/// word.
struct BlockOfRows<'a, W> {
    /// The moving man.
    axis: &'a Axis,
    /// His squares whose rows may not be empty.
    in_use: W,
    /// The last man: his places are the words of a row.
    last: &'a Axis,
    blocked: W,
}

impl<W: Bits> BlockOfRows<'_, W> {
    /// Adds to `reached` the positions from which the man has a move into `source`: a row for each
    /// of his places.
    #[inline(always)]
    fn sweep(&self, source: &[W], reached: &mut [W], running: &mut [W]) {
        let row = running.len();
        match &self.axis.moves {
            Moves::Slide(lines) => {
                for line in lines {
                    self.slide(line.iter(), source, reached, running);
                    self.slide(line.iter().rev(), source, reached, running);
                }
            }
            Moves::Leap(targets) => {
                for (to, froms) in reached.chunks_exact_mut(row).zip(targets) {
                    add_rows(to, source, froms);
                }
            }
            Moves::Turn { .. } | Moves::Stay => {}
        }
    }

    #[inline(always)]
    fn slide<'a>(
        &self,
        line: impl Iterator<Item = &'a u8>,
        source: &[W],
        reached: &mut [W],
        running: &mut [W],
    ) {
        let row = running.len();
        // Nothing runs before the first row that is not empty.
        let mut runs = false;
        for &square in line {
            let bit = W::bit(square.into());
            if !(self.blocked & bit).is_empty() {
                runs = false;
                continue;
            }
            if !runs {
                if (self.in_use & bit).is_empty() {
                    continue;
                }
                running.fill(W::ZERO);
                runs = true;
            }
            let at = self.axis.place(square) * row;
            pass(
                running,
                &source[at..at + row],
                &mut reached[at..at + row],
                !bit,
            );
            // The last man may stand there.
            if let Some(word) = running.get_mut(self.last.place(square)) {
                *word = W::ZERO;
            }
        }
    }
}

/// One step of a slider: what runs reaches a square, what stands there runs too, and goes on where
/// it is open.
#[inline(always)]
fn pass<W: Bits>(running: &mut [W], source: &[W], reached: &mut [W], open: W) {
    for ((running, &source), reached) in running.iter_mut().zip(source).zip(reached) {
        *reached |= *running;
        *running = (*running | source) & open;
    }
}

#[inline(always)]
fn add<W: Bits>(words: &mut [W], others: &[W]) {
    for (word, &other) in words.iter_mut().zip(others) {
        *word |= other;
    }
}

/// What is in any of some words: all are looked at, in wide registers.
#[inline(always)]
fn union<W: Bits>(words: &[W]) -> W {
    words.iter().fold(W::ZERO, |all, &word| all | word)
}

/// Adds the rows of some places: four at a time, so that what they are added to is read and written
/// once for these.
#[inline(always)]
fn add_rows<W: Bits>(to: &mut [W], rows: &[W], places: &[u8]) {
    let row = to.len();
    let at = |place: u8| &rows[usize::from(place) * row..][..row];
    let (fours, rest) = places.as_chunks();
    for &[a, b, c, d] in fours {
        let others = at(a).iter().zip(at(b)).zip(at(c)).zip(at(d));
        for (word, (((&a, &b), &c), &d)) in to.iter_mut().zip(others) {
            *word |= a | b | c | d;
        }
    }
    for &place in rest {
        add(to, at(place));
    }
}

/// Copies words and says what is in any of them.
#[inline(always)]
fn copy<W: Bits>(from: &[W], to: &mut [W]) -> W {
    let mut any = W::ZERO;
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from;
        any |= from;
    }
    any
}

/// Copies the words that begin at `start` and says what is in any of them; they are not looked at if
/// they are known to be empty.
#[inline(always)]
fn copy_in_use<W: Bits>(source: InUse<'_, W>, start: usize, to: &mut [W]) -> W {
    let range = start..start + to.len();
    if source.are_known_empty(range.clone()) {
        to.fill(W::ZERO);
        return W::ZERO;
    }
    copy(&source.words[range], to)
}

/// The last axis, in some whole rows, the first of them at address `base`.
#[inline(always)]
fn sweep_words<B: Board>(
    space: &Space<B>,
    number: usize,
    base: usize,
    source: InUse<'_, B::Word>,
    target: &mut [B::Word],
) {
    let axis = &space.axes[number];
    let places = axis.squares.len();
    let rows = source.words.chunks_exact(places);
    for (at, (words, reached)) in rows.zip(target.chunks_exact_mut(places)).enumerate() {
        let start = at * places;
        if source.are_known_empty(start..start + places) || union(words).is_empty() {
            continue;
        }
        match &axis.moves {
            Moves::Slide(lines) => {
                let open = !blocked(space, number, base + at * places);
                for line in lines {
                    slide_word(line.iter(), axis, words, reached, open);
                    slide_word(line.iter().rev(), axis, words, reached, open);
                }
            }
            Moves::Leap(targets) => {
                for (to, froms) in reached.iter_mut().zip(targets) {
                    for &from in froms {
                        *to |= words[usize::from(from)];
                    }
                }
            }
            Moves::Turn { .. } | Moves::Stay => {}
        }
    }
}

/// Along one line; `open` are the squares that nobody but the man in the word blocks.
#[inline(always)]
fn slide_word<'a, W: Bits>(
    line: impl Iterator<Item = &'a u8>,
    axis: &Axis,
    source: &[W],
    reached: &mut [W],
    open: W,
) {
    let mut running = W::ZERO;
    for &square in line {
        let place = axis.place(square);
        reached[place] |= running;
        let bit = W::bit(square.into());
        running = if (open & bit).is_empty() {
            W::ZERO
        } else {
            (running | source[place]) & !bit
        };
    }
}
