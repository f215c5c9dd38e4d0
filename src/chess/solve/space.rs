//! The positions of one slice as words: which man is which dimension, which squares are which
//! address.
//!
//! A slice is one material with all pawns fixed. A position of it is one square for each other man.
//! One man, in chess the black king, is the *bit* of a word; the squares of the others are the
//! *address* of the word, a number in mixed radix with the last axis fastest:
//!
//! ```text
//! KRvKN:  address = (white king * 64 + rook) * 64 + knight        bit = black king
//! ```
//!
//! Nothing here knows chess. A game describes a man by the lines or leaps it moves along and by the
//! squares it can stand on.

use std::ops::Range;

use crate::game::Bits;

/// What the solver must know of a board: the man in the word and the symmetries.
pub trait Board: Send + Sync + 'static {
    /// A set of squares: one bit for each square of the man in the word.
    type Word: Bits;

    /// Number of symmetries of the empty board; number 0 changes nothing.
    const SYMMETRIES: usize;

    /// The squares one move of the man in the word away from a set of squares.
    fn word_moves(word: Self::Word) -> Self::Word;

    /// The square to which a symmetry takes a square.
    fn map(symmetry: usize, square: u8) -> u8;

    /// The word whose bit `i` is bit `map(symmetry, i)` of `word`.
    fn pull(symmetry: usize, word: Self::Word) -> Self::Word;

    /// The symmetry that undoes another.
    fn inverse(symmetry: usize) -> usize;
}

/// How one addressed man moves when nothing is captured; every move can be taken back by the same
/// rule.
#[derive(Clone, Debug)]
pub enum Moves {
    /// Nowhere: what others do with his moves is their business.
    Stay,
    /// Along lines of squares, either way, until something stands there: the lines in order of
    /// their squares.
    Slide(Vec<Vec<u8>>),
    /// To fixed places of the domain: for each place those it can go to.
    Leap(Vec<Vec<u8>>),
    /// As `Leap`, for a man whose domain is one square out of each class of symmetric squares:
    /// going to `place` by `symmetry` means that the board has to be turned by it afterwards.
    /// `back` is the same relation read from the destination; the symmetry turns the position
    /// *before* the move.
    Turn {
        /// For each place, the places it can go to.
        forth: Vec<Vec<Turned>>,
        /// For each place, the places it can come from; where two symmetric twins of a position are
        /// both stored, both are listed.
        back: Vec<Vec<Turned>>,
    },
}

/// A place of a domain reached by turning the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// Index in the domain.
    pub place: u8,
    /// The symmetry that turns the actual square into the square of the domain.
    pub symmetry: u8,
}

/// One addressed man.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The squares it can stand on, in the order of the address.
    pub squares: Vec<u8>,
    /// The side that moves it: 0 or 1.
    pub side: usize,
    /// Its quiet moves.
    pub moves: Moves,
    /// Words from one place to the next.
    pub stride: usize,
    /// The stride as a power of two, if it is one.
    log_stride: Option<u32>,
    /// Inverse of `squares`; `u8::MAX` for a square outside the domain.
    places: Vec<u8>,
}

impl Axis {
    /// The place of a square in the domain.
    #[inline(always)]
    #[must_use]
    pub fn place(&self, square: u8) -> usize {
        usize::from(self.places[usize::from(square)])
    }

    /// The place at an address that no slower man adds to. A division takes longer than all else
    /// that is done with most addresses.
    #[inline(always)]
    #[must_use]
    pub fn place_at(&self, address: usize) -> usize {
        match self.log_stride {
            Some(log_stride) => address >> log_stride,
            None => address / self.stride,
        }
    }
}

/// All positions of one slice.
#[derive(Clone, Debug)]
pub struct Space<B: Board> {
    /// The addressed men, the slowest first.
    pub axes: Vec<Axis>,
    /// The side that moves the man in the word.
    pub word_side: usize,
    /// Squares on which the men that never move in this slice stand.
    pub fixed: Vec<u8>,
    /// Number of words of a set.
    pub words: usize,
    board: std::marker::PhantomData<B>,
}

/// An addressed man before it has its place in the address.
#[derive(Clone, Debug)]
pub struct Man {
    /// The squares it can stand on.
    pub squares: Vec<u8>,
    /// The side that moves it: 0 or 1.
    pub side: usize,
    /// Its quiet moves.
    pub moves: Moves,
}

impl<B: Board> Space<B> {
    /// The space of the given men, slowest first, with other men fixed.
    #[must_use]
    pub fn new(men: Vec<Man>, word_side: usize, fixed: Vec<u8>) -> Space<B> {
        let mut words = 1;
        let mut axes: Vec<Axis> = men
            .into_iter()
            .rev()
            .map(|man| {
                let mut places = vec![u8::MAX; <B::Word as Bits>::WIDTH as usize];
                for (place, &square) in (0..).zip(&man.squares) {
                    places[usize::from(square)] = place;
                }
                let stride = words;
                words *= man.squares.len();
                Axis {
                    squares: man.squares,
                    side: man.side,
                    moves: man.moves,
                    stride,
                    log_stride: stride.is_power_of_two().then(|| stride.trailing_zeros()),
                    places,
                }
            })
            .collect();
        axes.reverse();
        Space {
            axes,
            word_side,
            fixed,
            words,
            board: std::marker::PhantomData,
        }
    }

    /// The squares of the addressed men at an address, in the order of the axes.
    #[inline]
    pub fn squares(&self, address: usize, squares: &mut [u8; 8]) {
        let mut rest = address;
        for (axis, square) in self.axes.iter().zip(squares) {
            let place = axis.place_at(rest);
            rest -= place * axis.stride;
            *square = axis.squares[place];
        }
    }

    /// The positions with the first man on some of his places, from which he does not move. There
    /// must be another man.
    #[must_use]
    pub fn with_first_on(&self, places: Range<usize>) -> Space<B> {
        let mut axes = self.axes.clone();
        let first = &mut axes[0];
        first.squares = first.squares[places.clone()].to_vec();
        first.moves = Moves::Stay;
        first.places.fill(u8::MAX);
        for (place, &square) in (0..).zip(&first.squares) {
            first.places[usize::from(square)] = place;
        }
        Space {
            words: first.stride * places.len(),
            axes,
            word_side: self.word_side,
            fixed: self.fixed.clone(),
            board: std::marker::PhantomData,
        }
    }

    /// A set with nothing in it.
    #[must_use]
    pub fn empty_set(&self) -> Vec<B::Word> {
        vec![B::Word::ZERO; self.words]
    }
}
