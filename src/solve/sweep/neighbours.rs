//! The neighbours of single words: for plies in which few words have anything to say.

use crate::game::Bits;
use crate::solve::space::{Board, Moves, Space};

/// Squares a slider cannot pass, at one address.
#[inline(always)]
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
#[inline(always)]
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
                let mut open = !B::Word::ZERO;
                for &square in lines.rays(number, squares[number]) {
                    if square == RAY_END {
                        open = !B::Word::ZERO;
                        continue;
                    }
                    let bit = B::Word::bit(u32::from(square));
                    // Behind a man nothing is open any more.
                    if !(occupied & bit).is_empty() {
                        open = B::Word::ZERO;
                    }
                    if open.is_empty() {
                        continue;
                    }
                    if !visit(base + axis.place(square) * axis.stride, open) {
                        return;
                    }
                    open &= !bit;
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
    /// For each axis and square, the first and the end of its squares in `squares`.
    ranges: Vec<Vec<(u32, u32)>>,
    /// The squares of the rays; [`RAY_END`] after the last of each.
    squares: Vec<u8>,
}

/// No square.
const RAY_END: u8 = u8::MAX;

impl LineTable {
    /// The rays of all axes of a space.
    #[must_use]
    pub fn new<B: Board>(space: &Space<B>) -> LineTable {
        let mut table = LineTable {
            ranges: Vec::new(),
            squares: Vec::new(),
        };
        for axis in &space.axes {
            let mut ranges = Vec::new();
            if let Moves::Slide(lines) = &axis.moves {
                for square in 0..(<B::Word as Bits>::WIDTH as u8) {
                    let start = table.squares.len() as u32;
                    for ray in rays_from(lines, square) {
                        table.squares.extend(ray);
                        table.squares.push(RAY_END);
                    }
                    ranges.push((start, table.squares.len() as u32));
                }
            }
            table.ranges.push(ranges);
        }
        table
    }

    /// The rays of an axis from a square, one after the other, [`RAY_END`] after each.
    #[inline(always)]
    fn rays(&self, axis: usize, square: u8) -> &[u8] {
        let (start, end) = self.ranges[axis][usize::from(square)];
        &self.squares[start as usize..end as usize]
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

/// Calls `visit` with positions from which `side` has a quiet move into the positions of one word, a word at a time.
#[inline(always)]
pub fn push_predecessors<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    address: usize,
    word: B::Word,
    mut visit: impl FnMut(usize, B::Word),
) {
    if space.word_side == side {
        visit(address, B::word_moves(word));
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
            visit(at, B::pull(B::inverse(symmetry), word));
        }
    }
    for_each_neighbour(space, lines, side, address, |at, open| {
        let word = word & open;
        if !word.is_empty() {
            visit(at, word);
        }
        true
    });
}

/// Those positions of a word from which `side` has a quiet move into `target`.
#[must_use]
#[inline(always)]
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
