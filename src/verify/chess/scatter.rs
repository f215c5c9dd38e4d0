//! From the men of a Syzygy index to the addresses of a frame.

use arrayvec::ArrayVec;

use super::layout::Frame;
use crate::chess::material::MAX_MEN;
use crate::chess::rules::{Piece, Role};
use crate::chess::symmetry::{Symmetry, into_triangle, is_on_diagonal, triangle_place};
use crate::game::Color;
use crate::syzygy::Squares;

/// Finds the places of a placement: an address times 64, and the square of the black king.
///
/// There are several if equal men may change places, or if the white king stands on the diagonal of
/// a frame without pawns.
#[derive(Debug)]
pub(super) struct Scatter {
    /// By square of the white king, how the board is turned.
    symmetries: Vec<ArrayVec<Symmetry, 2>>,
    white_king: usize,
    /// By symmetry, then by man of the file: what each square adds to the place.
    parts: Vec<[[usize; 64]; MAX_MEN]>,
    /// The men of the file in all orders that differ only in equal men.
    orders: Vec<[u8; MAX_MEN]>,
    men: usize,
}

impl Scatter {
    /// For men in the order of a file. `is_flipped` says that its White is the frame's Black,
    /// `is_mirrored` that its board is the mirror image of the frame's, which is for frames with
    /// pawns.
    pub fn new(frame: &Frame, men: &[Piece], is_flipped: bool, is_mirrored: bool) -> Scatter {
        let flip = if is_flipped { 56 } else { 0 };
        let color = |piece: &Piece| {
            if is_flipped {
                !piece.color
            } else {
                piece.color
            }
        };
        let mut parts = vec![[[0; 64]; MAX_MEN]; Symmetry::COUNT];
        let mut white_king = 0;
        let mut is_taken = vec![false; frame.men.len()];
        for (number, piece) in men.iter().enumerate() {
            let man = (color(piece), piece.role);
            let is_white_king = man == (Color::White, Role::King);
            let stride = if man == (Color::Black, Role::King) {
                1
            } else {
                // Pawns have no part in the place.
                let places = frame.men.iter().zip(&is_taken);
                let Some(place) = places
                    .into_iter()
                    .position(|(&other, &is_taken)| other == man && !is_taken)
                else {
                    continue;
                };
                is_taken[place] = true;
                frame.stride(place) * 64
            };
            if is_white_king {
                white_king = number;
            }
            for (symmetry, parts) in parts.iter_mut().enumerate() {
                let symmetry = Symmetry::from_index(symmetry);
                for (square, part) in parts[number].iter_mut().enumerate() {
                    let turned = symmetry.map(square as u8 ^ flip);
                    let digit = match is_white_king && frame.in_triangle {
                        // Only asked for where he is in the triangle.
                        true => triangle_place(turned).min(63),
                        false => turned.into(),
                    };
                    *part = stride * digit;
                }
            }
        }
        let symmetries = (0..64u8).map(|square| {
            let mut symmetries = ArrayVec::new();
            if frame.in_triangle {
                let symmetry = into_triangle(square ^ flip);
                symmetries.push(symmetry);
                if is_on_diagonal(symmetry.map(square ^ flip)) {
                    symmetries.push(symmetry.then_transpose());
                }
            } else {
                symmetries.push(Symmetry::mirrored(is_mirrored));
            }
            symmetries
        });
        Scatter {
            symmetries: symmetries.collect(),
            white_king,
            parts,
            orders: orders(men),
            men: men.len(),
        }
    }

    /// One of the places.
    pub fn place(&self, squares: &Squares) -> usize {
        let symmetry = self.symmetries[usize::from(squares[self.white_king] & 63)][0];
        self.place_in_order(squares, symmetry, &self.orders[0])
    }

    /// Calls `take` with all places.
    #[inline(always)]
    pub fn places(&self, squares: &Squares, mut take: impl FnMut(usize)) {
        for &symmetry in &self.symmetries[usize::from(squares[self.white_king] & 63)] {
            for order in &self.orders {
                take(self.place_in_order(squares, symmetry, order));
            }
        }
    }

    #[inline(always)]
    fn place_in_order(
        &self,
        squares: &Squares,
        symmetry: Symmetry,
        order: &[u8; MAX_MEN],
    ) -> usize {
        let parts = self.parts[symmetry.index()][..self.men].iter();
        parts
            .zip(order)
            .map(|(parts, &man)| parts[usize::from(squares[usize::from(man)] & 63)])
            .sum()
    }
}

/// All orders of some men that differ only in equal ones; those of pawns make no difference and are
/// left as they are.
fn orders(men: &[Piece]) -> Vec<[u8; MAX_MEN]> {
    let natural: [u8; MAX_MEN] = std::array::from_fn(|man| man as u8);
    let mut orders = vec![natural];
    for place in 0..men.len() {
        if men[place].role == Role::Pawn {
            continue;
        }
        // Each man may change places with equal ones behind it.
        let equal = (place + 1..men.len()).filter(|&other| men[other] == men[place]);
        let equal: Vec<usize> = equal.collect();
        let exchanged = orders.iter().flat_map(|order| {
            equal.iter().map(|&other| {
                let mut order = *order;
                order.swap(place, other);
                order
            })
        });
        let exchanged: Vec<_> = exchanged.collect();
        orders.extend(exchanged);
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn equal_men_change_places() {
        for (men, expected) in [("KQkr", 1), ("KNNk", 2), ("KQQQkrr", 12), ("PPPKk", 1)] {
            let men: Vec<Piece> = men.chars().filter_map(Piece::from_letter).collect();
            let orders = orders(&men);
            assert_eq!(orders.len(), expected);
            let different: HashSet<_> = orders.iter().collect();
            assert_eq!(different.len(), expected);
            for order in orders {
                let moved = order.iter().map(|&man| men.get(usize::from(man)));
                let same = moved.zip(&men).all(|(moved, man)| moved == Some(man));
                assert!(same);
            }
        }
    }
}
