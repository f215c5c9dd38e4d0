//! One man's quiet moves applied to a whole set of positions.
//!
//! Three loops do the same thing at different costs:
//!
//! - [`Sweeper::predecessors`] pulls: every block of positions that differ only in one man's square is swept along
//!   that man's lines with a running set. A few operations a word, whatever is in it.
//! - [`push_predecessors`] scatters the bits of single words; for plies in which few words have any.
//! - [`having_a_move_into`] asks for a single word which of its positions have a move into a set, and stops when
//!   all have.
//!
//! The man in the word is the only one whose square is not in the address, so it alone can stand in the way
//! without being seen: each square a slider passes is taken out of the word.

mod neighbours;
mod turn;

pub use neighbours::{LineTable, having_a_move_into, push_predecessors};

use super::space::{Board, Moves, Space};
use crate::game::Bits;
use turn::Turns;

/// Words handled together: a cache line of 64-bit words.
const LANES: usize = 8;

type Line<W> = [W; LANES];

#[inline(always)]
fn load<W: Bits>(set: &[W], at: usize) -> Line<W> {
    let mut line = [W::ZERO; LANES];
    line.copy_from_slice(&set[at..at + LANES]);
    line
}

/// Plain loops: what takes a closure may be left out of line, and then has no wide registers.
#[inline(always)]
fn add<W: Bits>(line: &mut Line<W>, other: &Line<W>) {
    for (word, &other) in line.iter_mut().zip(other) {
        *word |= other;
    }
}

#[inline(always)]
fn restrict<W: Bits>(line: &mut Line<W>, other: &Line<W>) {
    for (word, &other) in line.iter_mut().zip(other) {
        *word &= other;
    }
}

/// Buffers of a sweep, so that a ply allocates nothing.
#[derive(Debug)]
pub struct Sweeper<B: Board> {
    source: Vec<Line<B::Word>>,
    reached: Vec<Line<B::Word>>,
    passable: Vec<Line<B::Word>>,
    turns: Option<Turns>,
    turned: Vec<B::Word>,
}

impl<B: Board> Sweeper<B> {
    /// Buffers for a space.
    #[must_use]
    pub fn new(space: &Space<B>) -> Self {
        let squares = <B::Word as Bits>::WIDTH as usize;
        Sweeper {
            source: vec![[B::Word::ZERO; LANES]; squares],
            reached: vec![[B::Word::ZERO; LANES]; squares],
            passable: (0..squares)
                .map(|square| [!B::Word::bit(square as u32); LANES])
                .collect(),
            turns: Turns::new(space),
            turned: Vec::with_capacity(squares),
        }
    }

    /// Adds to `target` every position from which `side` has a quiet move into `source`.
    ///
    /// Positions that are not legal may be added as well; the caller masks them out. `source` holds legal
    /// positions only.
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
                        turns.predecessors(space, source, target, &mut self.turned);
                    }
                }
                Moves::Slide(_) | Moves::Leap(_) if axis.stride.is_multiple_of(LANES) => {
                    self.sweep_lines(space, number, source, target);
                }
                Moves::Slide(_) | Moves::Leap(_) => {
                    self.sweep_words(space, number, source, target);
                }
            }
        }
    }

    /// An axis that is not the last: the lanes of a line are places of the last axis.
    #[inline(always)]
    fn sweep_lines(
        &mut self,
        space: &Space<B>,
        number: usize,
        source: &[B::Word],
        target: &mut [B::Word],
    ) {
        let axis = &space.axes[number];
        let places = axis.squares.len();
        let last = space.axes.len() - 1;
        let mut squares = [0u8; 8];
        for outer in (0..space.words).step_by(places * axis.stride) {
            for inner in (0..axis.stride).step_by(LANES) {
                let base = outer + inner;
                let mut any = B::Word::ZERO;
                for place in 0..places {
                    let line = load(source, base + place * axis.stride);
                    any |= line.iter().fold(B::Word::ZERO, |all, &word| all | word);
                    self.source[place] = line;
                }
                if any.is_empty() {
                    continue;
                }
                self.reached[..places].fill([B::Word::ZERO; LANES]);
                match &axis.moves {
                    Moves::Slide(lines) => {
                        space.squares(base, &mut squares);
                        let first_lane =
                            (base / space.axes[last].stride) % space.axes[last].squares.len();
                        self.block(space, number, &squares);
                        for lane in 0..LANES {
                            let square = space.axes[last].squares[first_lane + lane];
                            self.passable[usize::from(square)][lane] = B::Word::ZERO;
                        }
                        self.slide(lines);
                        for lane in 0..LANES {
                            self.unblock(space.axes[last].squares[first_lane + lane]);
                        }
                        self.unblock_all(space, &squares);
                    }
                    Moves::Leap(targets) => self.leap(targets),
                    Moves::Turn { .. } => {}
                }
                for place in 0..places {
                    let at = base + place * axis.stride;
                    for (to, &from) in target[at..at + LANES].iter_mut().zip(&self.reached[place]) {
                        *to |= from;
                    }
                }
            }
        }
    }

    /// The last axis: the first lane does the work of all.
    #[inline(always)]
    fn sweep_words(
        &mut self,
        space: &Space<B>,
        number: usize,
        source: &[B::Word],
        target: &mut [B::Word],
    ) {
        let axis = &space.axes[number];
        let places = axis.squares.len();
        let mut squares = [0u8; 8];
        for base in (0..space.words).step_by(places) {
            let words = &source[base..base + places];
            if words.iter().all(|word| word.is_empty()) {
                continue;
            }
            let reached = &mut target[base..base + places];
            match &axis.moves {
                Moves::Slide(lines) => {
                    space.squares(base, &mut squares);
                    self.block(space, number, &squares);
                    for line in lines {
                        slide_word(line.iter(), words, reached, &self.passable);
                        slide_word(line.iter().rev(), words, reached, &self.passable);
                    }
                    self.unblock_all(space, &squares);
                }
                Moves::Leap(targets) => {
                    for (to, froms) in reached.iter_mut().zip(targets) {
                        for &from in froms {
                            *to |= words[usize::from(from)];
                        }
                    }
                }
                Moves::Turn { .. } => {}
            }
        }
    }

    #[inline(always)]
    fn slide(&mut self, lines: &[Vec<u8>]) {
        for line in lines {
            self.slide_one_way(line.iter());
            self.slide_one_way(line.iter().rev());
        }
    }

    #[inline(always)]
    fn slide_one_way<'a>(&mut self, line: impl Iterator<Item = &'a u8>) {
        let mut running = [B::Word::ZERO; LANES];
        for &square in line {
            let square = usize::from(square);
            add(&mut self.reached[square], &running);
            add(&mut running, &self.source[square]);
            restrict(&mut running, &self.passable[square]);
        }
    }

    #[inline(always)]
    fn leap(&mut self, targets: &[Vec<u8>]) {
        for (to, froms) in self.reached.iter_mut().zip(targets) {
            for &from in froms {
                add(to, &self.source[usize::from(from)]);
            }
        }
    }

    /// Closes the squares of all addressed men but the moving one and of those in the lanes.
    #[inline(always)]
    fn block(&mut self, space: &Space<B>, moving: usize, squares: &[u8; 8]) {
        let last = space.axes.len() - 1;
        for (number, &square) in squares.iter().enumerate().take(last) {
            if number != moving {
                self.passable[usize::from(square)] = [B::Word::ZERO; LANES];
            }
        }
        for &square in &space.fixed {
            self.passable[usize::from(square)] = [B::Word::ZERO; LANES];
        }
    }

    #[inline(always)]
    fn unblock(&mut self, square: u8) {
        self.passable[usize::from(square)] = [!B::Word::bit(u32::from(square)); LANES];
    }

    #[inline(always)]
    fn unblock_all(&mut self, space: &Space<B>, squares: &[u8; 8]) {
        for &square in &squares[..space.axes.len() - 1] {
            self.unblock(square);
        }
        for &square in &space.fixed {
            self.unblock(square);
        }
    }
}

#[inline(always)]
fn slide_word<'a, W: Bits>(
    line: impl Iterator<Item = &'a u8>,
    source: &[W],
    target: &mut [W],
    passable: &[Line<W>],
) {
    let mut running = W::ZERO;
    for &square in line {
        let square = usize::from(square);
        target[square] |= running;
        running = (running | source[square]) & passable[square][0];
    }
}
