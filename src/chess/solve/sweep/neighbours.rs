//! The neighbours of single words: for plies in which few words have anything to say.

use crate::chess::solve::space::{Board, Moves, Space, Turned};
use crate::game::Bits;
use crate::retro::layer::{Layer, add_to_slab};

/// Squares a slider cannot pass, with addressed men on some squares.
#[inline(always)]
pub(super) fn occupied<B: Board>(space: &Space<B>, squares: &[u8]) -> B::Word {
    squares
        .iter()
        .chain(&space.fixed)
        .fold(B::Word::ZERO, |all, &square| {
            all | B::Word::bit(u32::from(square))
        })
}

/// What is done with the neighbours of a word.
///
/// A trait and no closure, since only a function can be made to be inlined.
trait Visitor<W> {
    /// Told about an address one quiet move away, and the positions between which the man can move
    /// because nothing stands in his way; says whether to go on.
    fn visit(&mut self, address: usize, open: W) -> bool;
}

/// Visits every address one quiet move of an addressed man of `side` away; of those from number
/// `first` on.
#[inline(always)]
fn visit_neighbours<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    (side, first): (usize, usize),
    address: usize,
    squares: &[u8; 8],
    visitor: &mut impl Visitor<B::Word>,
) {
    let occupied = occupied(space, &squares[..space.axes.len()]);
    for (number, axis) in space.axes.iter().enumerate() {
        if axis.side != side || number < first {
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
                    if !visitor.visit(base + axis.place(square) * axis.stride, open) {
                        return;
                    }
                    open &= !bit;
                }
            }
            Moves::Leap(targets) => {
                for &to in &targets[place] {
                    if !visitor.visit(base + usize::from(to) * axis.stride, !B::Word::ZERO) {
                        return;
                    }
                }
            }
            Moves::Turn { .. } | Moves::Stay => {}
        }
    }
}

/// For every sliding axis, the rays that start on each square: the lines of [`Moves::Slide`] cut
/// there.
#[derive(Debug)]
pub struct LineTable {
    /// For each axis and square, the first and the end of its squares in `squares`.
    ranges: Vec<Vec<(u32, u32)>>,
    /// The squares of the rays; [`RAY_END`] after the last of each.
    squares: Vec<u8>,
}

/// No square.
pub(super) const RAY_END: u8 = u8::MAX;

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
    pub(super) fn rays(&self, axis: usize, square: u8) -> &[u8] {
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

/// Where the first man's move to a place leads, with the squares of all other men turned.
#[inline(always)]
pub(super) fn address_after_turn<B: Board>(
    space: &Space<B>,
    squares: &[u8; 8],
    turned: Turned,
) -> usize {
    let symmetry = usize::from(turned.symmetry);
    let mut address = usize::from(turned.place) * space.axes[0].stride;
    for (axis, &square) in space.axes.iter().zip(squares).skip(1) {
        address += axis.stride * axis.place(B::map(symmetry, square));
    }
    address
}

/// Adds positions from which `side` has a quiet move into the positions of one word.
#[inline(always)]
pub fn push_predecessors<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    address: usize,
    word: B::Word,
    reached: &mut Layer<B::Word>,
) {
    let mut squares = [0u8; 8];
    space.squares(address, &mut squares);
    let all = PushedMen {
        side,
        first: 0,
        only_turns: false,
    };
    push_word(space, lines, all, (address, &squares), word, reached);
}

/// Whose moves a word is pushed back by.
#[derive(Clone, Copy)]
pub(super) struct PushedMen {
    pub side: usize,
    /// The number of the first that slides or leaps.
    pub first: usize,
    /// Whether of the first man's moves only those count with which the board is turned.
    pub only_turns: bool,
}

/// Adds positions from which some men have a quiet move into the positions of one word.
#[inline(always)]
pub(super) fn push_word<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    men: PushedMen,
    (address, squares): (usize, &[u8; 8]),
    word: B::Word,
    reached: &mut Layer<B::Word>,
) {
    if space.word_side == men.side {
        reached.insert(address, B::word_moves(word));
    }
    let first = &space.axes[0];
    if let (Moves::Turn { back, .. }, true) = (&first.moves, first.side == men.side) {
        for from in &back[first.place_at(address)] {
            if men.only_turns && !is_turned::<B>(from) {
                continue;
            }
            let at = address_after_turn(space, squares, *from);
            reached.insert(at, B::pull(B::inverse(from.symmetry.into()), word));
        }
    }
    let mut push = Push { word, reached };
    visit_neighbours(
        space,
        lines,
        (men.side, men.first),
        address,
        squares,
        &mut push,
    );
}

/// Whether the other men come to stand on other squares with a move of the first one.
#[inline(always)]
pub(super) fn is_turned<B: Board>(from: &Turned) -> bool {
    // No symmetry but one leaves both of these where they are.
    let symmetry = usize::from(from.symmetry);
    B::map(symmetry, 0) != 0 || B::map(symmetry, 1) != 1
}

/// Adds a word to its neighbours.
struct Push<'a, W> {
    word: W,
    reached: &'a mut Layer<W>,
}

impl<W: Bits> Visitor<W> for Push<'_, W> {
    #[inline(always)]
    fn visit(&mut self, address: usize, open: W) -> bool {
        let word = self.word & open;
        if !word.is_empty() {
            self.reached.insert(address, word);
        }
        true
    }
}

/// The words with one square of the first man, to be added to.
#[derive(Debug)]
pub(super) struct PushedPlace<'a, W> {
    /// The place of the first man.
    pub place: usize,
    /// The address of the first word.
    pub base: usize,
    pub set: &'a mut [W],
    /// Which words are not empty.
    pub active: &'a mut [u64],
}

impl<W: Bits> PushedPlace<'_, W> {
    fn insert(&mut self, address: usize, word: W) {
        let added = std::iter::once((address - self.base, word));
        add_to_slab(self.set, self.active, added);
    }

    /// Adds what [`push_predecessors`] does from the words of a layer, as far as it has the first
    /// man here.
    pub fn push<B: Board<Word = W>>(
        &mut self,
        space: &Space<B>,
        lines: &LineTable,
        side: usize,
        layer: &Layer<W>,
    ) {
        let first = &space.axes[0];
        for address in layer.addresses_in(first.stride, self.place) {
            let word = layer.set[address];
            if space.word_side == side {
                self.insert(address, B::word_moves(word));
            }
            let mut squares = [0u8; 8];
            space.squares(address, &mut squares);
            let place = &mut *self;
            let mut push = PushHere { word, place };
            visit_neighbours(space, lines, (side, 1), address, &squares, &mut push);
        }
        if first.side != side {
            return;
        }
        for from in 0..first.squares.len() {
            match &first.moves {
                Moves::Turn { back, .. } => {
                    for turned in &back[from] {
                        if usize::from(turned.place) == self.place {
                            self.push_turned(
                                space,
                                *turned,
                                layer.addresses_in(first.stride, from),
                                layer,
                            );
                        }
                    }
                }
                Moves::Leap(targets) if targets[from].contains(&(self.place as u8)) => {
                    for address in layer.addresses_in(first.stride, from) {
                        let at = self.base + address - from * first.stride;
                        self.insert(at, layer.set[address]);
                    }
                }
                Moves::Leap(_) | Moves::Slide(_) | Moves::Stay => {}
            }
        }
    }

    fn push_turned<B: Board<Word = W>>(
        &mut self,
        space: &Space<B>,
        turned: Turned,
        addresses: impl Iterator<Item = usize>,
        layer: &Layer<W>,
    ) {
        for address in addresses {
            let mut squares = [0u8; 8];
            space.squares(address, &mut squares);
            let at = address_after_turn(space, &squares, turned);
            let word = B::pull(B::inverse(turned.symmetry.into()), layer.set[address]);
            self.insert(at, word);
        }
    }
}

/// Adds a word to its neighbours with the first man where he is.
struct PushHere<'a, 'b, W> {
    word: W,
    place: &'a mut PushedPlace<'b, W>,
}

impl<W: Bits> Visitor<W> for PushHere<'_, '_, W> {
    #[inline(always)]
    fn visit(&mut self, address: usize, open: W) -> bool {
        let word = self.word & open;
        if !word.is_empty() {
            self.place.insert(address, word);
        }
        true
    }
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
    let mut squares = [0u8; 8];
    space.squares(address, &mut squares);
    let first = &space.axes[0];
    if let (Moves::Turn { forth, .. }, true) = (&first.moves, first.side == side) {
        for to in &forth[first.place_at(address)] {
            let at = address_after_turn(space, &squares, *to);
            found |= word & B::pull(to.symmetry.into(), target[at]);
        }
    }
    if found == word {
        return found;
    }
    let mut search = Search {
        word,
        found,
        target,
    };
    visit_neighbours(space, lines, (side, 0), address, &squares, &mut search);
    search.found
}

/// Looks for a move into a set, until every position of a word has one.
struct Search<'a, W> {
    word: W,
    found: W,
    target: &'a [W],
}

impl<W: Bits> Visitor<W> for Search<'_, W> {
    #[inline(always)]
    fn visit(&mut self, address: usize, open: W) -> bool {
        self.found |= self.word & open & self.target[address];
        self.found != self.word
    }
}
