//! Where the value of the position of a Syzygy index lies among those that are laid out.

use super::kings::NO_PLACE;
use super::source::FileSlices;
use crate::chess::material::{MAX_MEN, Material};
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::rules::{Piece, Role};
use crate::chess::solve::board::{addressed_men, words};
use crate::chess::symmetry::Symmetry;
use crate::game::Color;
use crate::syzygy::{Run, Squares};

/// From squares of men to the place of a byte of one side to move in the slices of a file.
#[derive(Debug)]
pub(super) struct Locator<'a> {
    slices: &'a PawnSlices,
    file: &'a FileSlices,
    /// The kings, White's first, by their places among the men.
    kings: [usize; 2],
    /// The pawns, by their places among the men.
    pawns: Vec<(usize, Color)>,
    /// By white king, then by black king: what turns a board without pawns.
    symmetries: Vec<[Symmetry; 64]>,
    /// As the pawns stand, and mirrored.
    pairs: [Pairs; 2],
    /// By symmetry, then by man: what each square adds to the number of the word among those of the
    /// white king.
    parts: Vec<[[u32; 64]; MAX_MEN]>,
}

/// Places of kings in a slice.
#[derive(Debug)]
struct Pairs {
    /// By white king: where his bytes begin, and how many a word has.
    rows: [(usize, usize); 64],
    /// By white king, then by black king: the place in the word.
    places: Vec<[u8; 64]>,
}

/// The slice of the last placement, which is mostly that of the next; without pawns there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSlice {
    pawns: PawnPlacement,
    start: usize,
    is_mirrored: bool,
}

impl<'a> Locator<'a> {
    /// For men in an order, in the slices of a file; in others nothing may be asked.
    ///
    /// Nothing if a slice has more words than can be numbered.
    pub fn new(
        material: &Material,
        slices: &'a PawnSlices,
        file: &'a FileSlices,
        pieces: &[Piece],
    ) -> Option<Locator<'a>> {
        words(material)?;
        let mut addressed = addressed_men(material);
        let mut parts = vec![[[0; 64]; MAX_MEN]; Symmetry::COUNT];
        let mut kings = [0; 2];
        let mut pawns = Vec::new();
        for (man, piece) in pieces.iter().enumerate() {
            let color = piece.color;
            match piece.role {
                Role::Pawn => pawns.push((man, color)),
                Role::King => kings[color.index()] = man,
                role => {
                    // Equal men have a digit each, in any order: the first, which moves most often
                    // from index to index, has the one that moves least far in memory.
                    let number = addressed
                        .iter()
                        .rposition(|&other| other == (color, role))?;
                    addressed[number] = (Color::White, Role::King);
                    let stride = 64u32.pow((addressed.len() - 1 - number) as u32);
                    for (symmetry, parts) in parts.iter_mut().enumerate() {
                        let symmetry = Symmetry::from_index(symmetry);
                        for (square, part) in parts[man].iter_mut().enumerate() {
                            *part = stride * u32::from(symmetry.map(square as u8));
                        }
                    }
                }
            }
        }
        let by_kings = |white: u8| (0..64).map(move |black| [white, black]);
        let pairs = |is_mirrored: bool| Pairs {
            rows: std::array::from_fn(|white| file.kings.row(white as u8, is_mirrored)),
            places: (0..64)
                .map(|white| {
                    let mut places = [NO_PLACE; 64];
                    for (place, kings) in places.iter_mut().zip(by_kings(white)) {
                        *place = file.kings.place(kings, is_mirrored);
                    }
                    places
                })
                .collect(),
        };
        let symmetries = (0..64).map(|white| {
            let mut symmetries = [Symmetry::default(); 64];
            for (symmetry, kings) in symmetries.iter_mut().zip(by_kings(white)) {
                *symmetry = file.kings.symmetry(kings, false);
            }
            symmetries
        });
        Some(Locator {
            slices,
            file,
            kings,
            pawns,
            symmetries: symmetries.collect(),
            pairs: [false, true].map(pairs),
            parts,
        })
    }

    /// Calls `take` with the places of the placements of a run.
    #[inline(always)]
    pub fn places(&self, run: &Run<'_>, last: &mut LastSlice, mut take: impl FnMut(usize)) {
        let is_placed = |&(pawn, _): &(usize, Color)| pawn == run.man;
        if self.kings.contains(&run.man) || self.pawns.iter().any(is_placed) {
            let mut squares = *run.squares;
            for square in run.moves() {
                squares[run.man] = square;
                take(self.place(&squares, last));
            }
            return;
        }
        let first = self.place(run.squares, last);
        if first == self.file.len() {
            // Where the kings may not stand, whatever the others do.
            run.moves().for_each(|_| take(first));
            return;
        }
        let symmetry = self.symmetry(run.squares, last);
        let parts = &self.parts[symmetry.index()][run.man];
        let white = usize::from(run.squares[self.kings[0]] & 63);
        let (_, len) = self.pairs[usize::from(last.is_mirrored)].rows[white];
        let part = |square: u8| parts[usize::from(square & 63)] as usize * len;
        let others = first - part(run.squares[run.man]);
        run.moves().for_each(|square| take(others + part(square)));
    }

    /// What turns the board of the last placement.
    #[inline(always)]
    fn symmetry(&self, squares: &Squares, last: &LastSlice) -> Symmetry {
        let [white, black] = self.kings.map(|king| usize::from(squares[king] & 63));
        match self.pawns.is_empty() {
            true => self.symmetries[white][black],
            false => Symmetry::mirrored(last.is_mirrored),
        }
    }

    /// The place of a placement.
    #[inline(always)]
    pub fn place(&self, squares: &Squares, last: &mut LastSlice) -> usize {
        if !self.pawns.is_empty() {
            let pawns = self.pawns(squares);
            if pawns != last.pawns {
                let (slice, is_mirrored) = self.slices.locate(pawns);
                *last = LastSlice {
                    pawns,
                    start: self.file.starts[slice],
                    is_mirrored,
                };
            }
        }
        let [white, black] = self.kings.map(|king| usize::from(squares[king] & 63));
        let pairs = &self.pairs[usize::from(last.is_mirrored)];
        let place = pairs.places[white][black];
        if place == NO_PLACE {
            return self.file.len();
        }
        let symmetry = self.symmetry(squares, last);
        let parts = self.parts[symmetry.index()].iter().zip(squares);
        let word: u32 = parts
            .map(|(parts, &square)| parts[usize::from(square & 63)])
            .sum();
        let (first, len) = pairs.rows[white];
        last.start + first + word as usize * len + usize::from(place)
    }

    #[inline(always)]
    fn pawns(&self, squares: &Squares) -> PawnPlacement {
        let mut pawns = PawnPlacement::default();
        for &(man, color) in &self.pawns {
            let square = 1 << (squares[man]);
            match color {
                Color::White => pawns.white |= square,
                Color::Black => pawns.black |= square,
            }
        }
        pawns
    }
}
