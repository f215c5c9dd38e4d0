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

use super::space::{Axis, Board, Moves, Space};
use crate::game::Bits;

/// Words handled together: a cache line of 64-bit words.
const LANES: usize = 8;

type Line<W> = [W; LANES];

fn load<W: Bits>(set: &[W], at: usize) -> Line<W> {
    let mut line = [W::ZERO; LANES];
    line.copy_from_slice(&set[at..at + LANES]);
    line
}

#[inline(always)]
fn combine<W: Bits>(a: &Line<W>, b: &Line<W>, f: impl Fn(W, W) -> W) -> Line<W> {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

/// Buffers of a sweep, so that a ply allocates nothing.
#[derive(Debug)]
pub struct Sweeper<B: Board> {
    source: Vec<Line<B::Word>>,
    reached: Vec<Line<B::Word>>,
    passable: Vec<Line<B::Word>>,
}

impl<B: Board> Sweeper<B> {
    /// Buffers for any space of this board.
    #[must_use]
    pub fn new() -> Self {
        let squares = <B::Word as Bits>::WIDTH as usize;
        Sweeper {
            source: vec![[B::Word::ZERO; LANES]; squares],
            reached: vec![[B::Word::ZERO; LANES]; squares],
            passable: (0..squares)
                .map(|square| [!B::Word::bit(square as u32); LANES])
                .collect(),
        }
    }

    /// Adds to `target` every position from which `side` has a quiet move into `source`.
    ///
    /// Positions that are not legal may be added as well; the caller masks them out. `source` holds legal
    /// positions only.
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
                Moves::Turn { forth, .. } => turn(space, number, forth, source, target),
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
                    Moves::Turn { .. } => unreachable!("swept word by word"),
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
                Moves::Turn { .. } => unreachable!("swept word by word"),
            }
        }
    }

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
            let reached = &mut self.reached[square];
            *reached = combine(reached, &running, |a, b| a | b);
            running = combine(&running, &self.source[square], |a, b| a | b);
            running = combine(&running, &self.passable[square], |a, b| a & b);
        }
    }

    fn leap(&mut self, targets: &[Vec<u8>]) {
        for (to, froms) in self.reached.iter_mut().zip(targets) {
            for &from in froms {
                *to = combine(to, &self.source[usize::from(from)], |a, b| a | b);
            }
        }
    }

    /// Closes the squares of all addressed men but the moving one and of those in the lanes.
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

    fn unblock(&mut self, square: u8) {
        self.passable[usize::from(square)] = [!B::Word::bit(u32::from(square)); LANES];
    }

    fn unblock_all(&mut self, space: &Space<B>, squares: &[u8; 8]) {
        for &square in &squares[..space.axes.len() - 1] {
            self.unblock(square);
        }
        for &square in &space.fixed {
            self.unblock(square);
        }
    }
}

impl<B: Board> Default for Sweeper<B> {
    fn default() -> Self {
        Sweeper::new()
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

/// A man whose domain is one square out of each class of symmetric squares.
fn turn<B: Board>(
    space: &Space<B>,
    number: usize,
    forth: &[Vec<super::space::Turned>],
    source: &[B::Word],
    target: &mut [B::Word],
) {
    assert_eq!(number, 0, "only the slowest man has a reduced domain");
    let axis = &space.axes[number];
    let stride = axis.stride;
    for symmetry in 0..B::SYMMETRIES {
        let map = AddressMap::new(space, symmetry);
        for (to, froms) in forth.iter().enumerate() {
            for from in froms
                .iter()
                .filter(|from| usize::from(from.symmetry) == symmetry)
            {
                let from_base = usize::from(from.place) * stride;
                let source = &source[from_base..from_base + stride];
                let target = &mut target[to * stride..(to + 1) * stride];
                if symmetry == 0 {
                    for (to, &from) in target.iter_mut().zip(source) {
                        *to |= from;
                    }
                } else if source.iter().any(|word| !word.is_empty()) {
                    map.for_each(|at, mapped| {
                        let word = source[mapped];
                        if !word.is_empty() {
                            target[at] |= B::pull(symmetry, word);
                        }
                    });
                }
            }
        }
    }
}

/// Where a symmetry takes the addresses of all men but the slowest.
struct AddressMap {
    /// For each axis after the first, the mapped contribution of each place.
    contributions: Vec<Vec<usize>>,
}

impl AddressMap {
    fn new<B: Board>(space: &Space<B>, symmetry: usize) -> AddressMap {
        let contributions = space.axes[1..]
            .iter()
            .map(|axis: &Axis| {
                axis.squares
                    .iter()
                    .map(|&square| axis.stride * axis.place(B::map(symmetry, square)))
                    .collect()
            })
            .collect();
        AddressMap { contributions }
    }

    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        fn descend(
            contributions: &[Vec<usize>],
            at: &mut usize,
            mapped: usize,
            visit: &mut impl FnMut(usize, usize),
        ) {
            match contributions {
                [] => {
                    visit(*at, mapped);
                    *at += 1;
                }
                [last] => {
                    for &contribution in last {
                        visit(*at, mapped + contribution);
                        *at += 1;
                    }
                }
                [first, rest @ ..] => {
                    for &contribution in first {
                        descend(rest, at, mapped + contribution, visit);
                    }
                }
            }
        }
        descend(&self.contributions, &mut 0, 0, &mut visit);
    }
}

/// Squares a slider cannot pass, at one address.
#[inline]
fn occupied<B: Board>(space: &Space<B>, squares: &[u8; 8]) -> B::Word {
    let addressed = &squares[..space.axes.len()];
    addressed
        .iter()
        .chain(&space.fixed)
        .fold(B::Word::ZERO, |all, &square| {
            all | B::Word::bit(u32::from(square))
        })
}

/// Calls `visit(address, positions that can be moved between by this man and are not blocked)` for every
/// address one quiet move of an addressed man of `side` away; stops early when it returns `false`.
#[inline]
fn for_each_neighbour<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    address: usize,
    mut visit: impl FnMut(usize, B::Word) -> bool,
) {
    let mut squares = [0u8; 8];
    space.squares(address, &mut squares);
    let occupied = occupied(space, &squares);
    for (number, axis) in space.axes.iter().enumerate() {
        if axis.side != side {
            continue;
        }
        let place = axis.place(squares[number]);
        let base = address - place * axis.stride;
        match &axis.moves {
            Moves::Slide(_) => {
                for ray in &lines.rays[number][usize::from(squares[number])] {
                    let mut open = !B::Word::ZERO;
                    for &square in ray {
                        let bit = B::Word::bit(u32::from(square));
                        if !(occupied & bit).is_empty() {
                            break;
                        }
                        if !visit(base + axis.place(square) * axis.stride, open) {
                            return;
                        }
                        open &= !bit;
                    }
                }
            }
            Moves::Leap(targets) => {
                for &to in &targets[place] {
                    if !visit(base + usize::from(to) * axis.stride, !B::Word::ZERO) {
                        return;
                    }
                }
            }
            Moves::Turn { .. } => {}
        }
    }
}

/// For every sliding axis, the rays that start on each square: the lines of [`Moves::Slide`] cut there.
#[derive(Debug)]
pub struct LineTable {
    rays: Vec<Vec<Vec<Vec<u8>>>>,
}

impl LineTable {
    /// The rays of all axes of a space.
    #[must_use]
    pub fn new<B: Board>(space: &Space<B>) -> LineTable {
        let rays = space
            .axes
            .iter()
            .map(|axis| match &axis.moves {
                Moves::Slide(lines) => (0..(<B::Word as Bits>::WIDTH as usize))
                    .map(|square| rays_from(lines, square as u8))
                    .collect(),
                Moves::Leap(_) | Moves::Turn { .. } => Vec::new(),
            })
            .collect();
        LineTable { rays }
    }
}

fn rays_from(lines: &[Vec<u8>], square: u8) -> Vec<Vec<u8>> {
    let mut rays = Vec::new();
    for line in lines {
        if let Some(at) = line.iter().position(|&other| other == square) {
            rays.push(line[at + 1..].to_vec());
            rays.push(line[..at].iter().rev().copied().collect());
        }
    }
    rays.retain(|ray| !ray.is_empty());
    rays
}

/// Adds to `target` every position from which `side` has a quiet move into the positions of one word.
pub fn push_predecessors<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    address: usize,
    word: B::Word,
    target: &mut [B::Word],
) {
    if space.word_side == side {
        target[address] |= B::word_moves(word);
    }
    let first = &space.axes[0];
    if let (Moves::Turn { back, .. }, true) = (&first.moves, first.side == side) {
        let mut squares = [0u8; 8];
        space.squares(address, &mut squares);
        for from in &back[address / first.stride] {
            let symmetry = usize::from(from.symmetry);
            let mut at = usize::from(from.place) * first.stride;
            for (axis, &square) in space.axes.iter().zip(&squares).skip(1) {
                at += axis.stride * axis.place(B::map(symmetry, square));
            }
            target[at] |= B::pull(B::inverse(symmetry), word);
        }
    }
    for_each_neighbour(space, lines, side, address, |at, open| {
        target[at] |= word & open;
        true
    });
}

/// Those positions of a word from which `side` has a quiet move into `target`.
#[must_use]
pub fn having_a_move_into<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    address: usize,
    word: B::Word,
    target: &[B::Word],
) -> B::Word {
    let mut found = B::Word::ZERO;
    if space.word_side == side {
        found |= word & B::word_moves(target[address]);
    }
    let first = &space.axes[0];
    if let (Moves::Turn { forth, .. }, true) = (&first.moves, first.side == side) {
        let mut squares = [0u8; 8];
        space.squares(address, &mut squares);
        for to in &forth[address / first.stride] {
            let symmetry = usize::from(to.symmetry);
            let mut at = usize::from(to.place) * first.stride;
            for (axis, &square) in space.axes.iter().zip(&squares).skip(1) {
                at += axis.stride * axis.place(B::map(symmetry, square));
            }
            found |= word & B::pull(symmetry, target[at]);
        }
    }
    if found == word {
        return found;
    }
    for_each_neighbour(space, lines, side, address, |at, open| {
        found |= word & open & target[at];
        found != word
    });
    found
}
