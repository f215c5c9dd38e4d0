//! Where the value of the position of a Syzygy index lies among those that are laid out.

use crate::chess::material::{MAX_MEN, Material};
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::rules::{Piece, Role};
use crate::chess::solve::board::{addressed_men, words};
use crate::chess::symmetry::{Symmetry, into_triangle, triangle_place};
use crate::game::Color;
use crate::syzygy::Squares;

/// From squares of men to a place among the positions of one side to move in some slices: 64 to a word.
#[derive(Debug)]
pub(super) struct Locator<'a> {
    slices: &'a PawnSlices,
    /// By slice: where its positions begin.
    starts: &'a [usize],
    /// The white king, by his place among the men.
    white_king: usize,
    /// The pawns, by their places among the men.
    pawns: Vec<(usize, Color)>,
    /// What turns the board for each square of the white king.
    symmetries: [Symmetry; 64],
    /// By symmetry: what each square of the white king adds to the place.
    white_king_parts: Vec<[usize; 64]>,
    /// By symmetry, then by man: what each square adds to the place; of the white king nothing.
    parts: Vec<[[u32; 64]; MAX_MEN]>,
}

/// The slice of the last placement, which is mostly that of the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSlice {
    pawns: PawnPlacement,
    start: usize,
    is_mirrored: bool,
}

impl<'a> Locator<'a> {
    /// For men in an order, in slices that begin at some places; of others nothing may be asked.
    ///
    /// Nothing if a slice has more words than can be numbered.
    pub fn new(
        material: &Material,
        slices: &'a PawnSlices,
        starts: &'a [usize],
        pieces: &[Piece],
    ) -> Option<Locator<'a>> {
        words(material)?;
        let mut addressed = addressed_men(material);
        let mut parts = vec![[[0; 64]; MAX_MEN]; Symmetry::COUNT];
        let mut white_king_parts = vec![[0; 64]; Symmetry::COUNT];
        let mut white_king = 0;
        let mut pawns = Vec::new();
        for (man, piece) in pieces.iter().enumerate() {
            let color = piece.color;
            let stride = if piece.role == Role::Pawn {
                pawns.push((man, color));
                continue;
            } else if (color, piece.role) == (Color::Black, Role::King) {
                1
            } else {
                let number = addressed
                    .iter()
                    .position(|&other| other == (color, piece.role))?;
                // Equal men have an address each, in any order.
                addressed[number] = (Color::Black, Role::King);
                64usize.pow((addressed.len() - number) as u32)
            };
            let is_white_king = (color, piece.role) == (Color::White, Role::King);
            if is_white_king {
                white_king = man;
            }
            for number in 0..Symmetry::COUNT {
                let symmetry = Symmetry::from_index(number);
                for square in 0..64 {
                    let turned = symmetry.map(square as u8);
                    if is_white_king {
                        let digit = match material.has_pawns() {
                            true => turned.into(),
                            // Only asked for where he is in the triangle.
                            false => triangle_place(turned).min(63),
                        };
                        white_king_parts[number][square] = stride * digit;
                    } else {
                        // He alone may have a stride of 64^5.
                        parts[number][man][square] = (stride * usize::from(turned)) as u32;
                    }
                }
            }
        }
        let symmetries = std::array::from_fn(|square| match material.has_pawns() {
            true => Symmetry::default(),
            false => into_triangle(square as u8),
        });
        Some(Locator {
            slices,
            starts,
            white_king,
            pawns,
            symmetries,
            white_king_parts,
            parts,
        })
    }

    /// The place of a placement.
    #[inline(always)]
    pub fn place(&self, squares: &Squares, last: &mut LastSlice) -> usize {
        let white_king = usize::from(squares[self.white_king] & 63);
        let mut symmetry = self.symmetries[white_king];
        let mut place = self.starts[0];
        if !self.pawns.is_empty() {
            let pawns = self.pawns(squares);
            if pawns != last.pawns {
                let (slice, is_mirrored) = self.slices.locate(pawns);
                *last = LastSlice {
                    pawns,
                    start: self.starts[slice],
                    is_mirrored,
                };
            }
            symmetry = Symmetry::mirrored(last.is_mirrored);
            place = last.start;
        }
        place += self.white_king_parts[symmetry.index()][white_king];
        let parts = &self.parts[symmetry.index()];
        for (parts, &square) in parts.iter().zip(squares) {
            place += parts[usize::from(square & 63)] as usize;
        }
        place
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
