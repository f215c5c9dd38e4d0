//! The colors of a material exchanged that has the same men on both sides.
//!
//! Without pawns any symmetry of the board leads from a position to one of the same value. With the
//! colors exchanged the black king becomes the white one, so he has to go into the triangle
//! a1-d1-d4, and all other men with him.
//!
//! # Example by hand
//!
//! KQvKQ, addresses `(place(K) * 64 + Q) * 64 + q`. White: king b1, queen d1; Black: queen h8, king
//! g6. That is bit 46 of the word at `(1 * 64 + 3) * 64 + 63 = 4351`. With the colors exchanged the
//! white king is on g6. Mirrored and flipped he is on b3, and transposed on c2, place 5. All others
//! go the same way: what was White's queen from d1 by e8 to h5, Black's from h8 to a1, and what was
//! the white king from b1 by g8 to h7. So the image is bit 55, h7, of the word at
//! `(5 * 64 + 0) * 64 + 39 = 20519`.

use arrayvec::ArrayVec;

use super::board::ChessBoard;
use super::space::Space;
use crate::chess::material::Material;
use crate::chess::symmetry::{Symmetry, into_triangle, triangle_place};
use crate::game::Bits;
use crate::retro::fixpoint::ColorExchange;

/// A symmetry that takes a square into the triangle.
#[derive(Clone, Copy, Debug)]
struct IntoTriangle {
    symmetry: u8,
    /// What a king on the square adds to the address there.
    of_king: usize,
}

/// Words with at least as many positions have their images under all symmetries looked up together.
const DENSE: u32 = 8;

/// Where positions of one material without pawns go when the colors are exchanged.
#[derive(Debug)]
pub(super) struct ExchangedColors<'a> {
    space: &'a Space<ChessBoard>,
    /// For each square of the black king, the symmetries that take him into the triangle: two on a
    /// diagonal, else one.
    kings: [ArrayVec<IntoTriangle, 2>; 64],
    /// For each symmetry and each man after the first, what each of his squares adds.
    offsets: [Vec<[usize; 64]>; Symmetry::COUNT],
}

impl<'a> ExchangedColors<'a> {
    /// Nothing if the material is not its own image, or has pawns.
    pub fn new(material: &Material, space: &'a Space<ChessBoard>) -> Option<Self> {
        if !material.is_symmetric() || material.has_pawns() {
            return None;
        }
        let symmetries = || (0..Symmetry::COUNT).map(Symmetry::from_index);
        let (king, others) = space.axes.split_first()?;
        let kings = std::array::from_fn(|square| {
            let found = symmetries().filter_map(|symmetry| {
                let place = triangle_place(symmetry.map(square as u8));
                (place < king.squares.len()).then_some(IntoTriangle {
                    symmetry: symmetry.index() as u8,
                    of_king: place * king.stride,
                })
            });
            found.collect()
        });
        // White's men and Black's are in the same order, so each stands in for the one half of them
        // further on.
        let partner = |man: usize| &others[(man + others.len() / 2) % others.len()];
        let offsets = std::array::from_fn(|index| {
            let symmetry = Symmetry::from_index(index);
            let men = (0..others.len()).map(|man| {
                let stride = partner(man).stride;
                std::array::from_fn(|square| stride * usize::from(symmetry.map(square as u8)))
            });
            men.collect()
        });
        Some(ExchangedColors {
            space,
            kings,
            offsets,
        })
    }
}

impl ColorExchange<u64> for ExchangedColors<'_> {
    #[inline(always)]
    fn images(&self, address: usize, word: u64, mut found: impl FnMut(usize, u32)) {
        let mut squares = [0; 8];
        self.space.squares(address, &mut squares);
        let [white_king, others @ ..] = &squares;
        let of_others = |symmetry: usize| -> usize {
            let offsets = self.offsets[symmetry].iter().zip(others);
            offsets
                .map(|(of_man, &square)| of_man[usize::from(square)])
                .sum()
        };
        let image = |symmetry: usize| -> (usize, u32) {
            let bit = Symmetry::from_index(symmetry).map(*white_king);
            (of_others(symmetry), bit.into())
        };
        let is_dense = word.count_ones() >= DENSE;
        let images: [(usize, u32); Symmetry::COUNT] = match is_dense {
            true => std::array::from_fn(image),
            false => Default::default(),
        };
        for king in word.ones() {
            for into in &self.kings[king as usize] {
                let symmetry = usize::from(into.symmetry);
                let (of_others, bit) = match is_dense {
                    true => images[symmetry],
                    false => image(symmetry),
                };
                found(into.of_king + of_others, bit);
            }
        }
    }

    /// Where the second man may be led to: images have the man there who stands in for him.
    fn neighborhood(&self, address: usize) -> usize {
        let mut squares = [0; 8];
        self.space.squares(address, &mut squares);
        class_of(squares[1])
    }
}

/// The place in the triangle of the square there that is symmetric to one.
fn class_of(square: u8) -> usize {
    triangle_place(into_triangle(square).map(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::placement::PawnPlacement;
    use crate::chess::solve::board::space;

    #[test]
    fn the_example_by_hand_is_right() {
        let material: Material = "KQvKQ".parse().unwrap();
        let space = space(&material, PawnPlacement::default());
        let exchange = ExchangedColors::new(&material, &space).unwrap();
        let mut found = Vec::new();
        exchange.images(4351, 1 << 46, |address, bit| found.push((address, bit)));
        assert_eq!(found, [(20519, 55)]);
        for other in ["KQvKR", "KPvKP"] {
            let other: Material = other.parse().unwrap();
            assert!(ExchangedColors::new(&other, &space).is_none());
        }
    }

    #[test]
    fn images_of_images_are_the_positions_and_their_twins() {
        let material: Material = "KRBvKRB".parse().unwrap();
        let space = space(&material, PawnPlacement::default());
        let exchange = ExchangedColors::new(&material, &space).unwrap();
        let images = |address: usize, bit: u32| {
            let mut found = Vec::new();
            exchange.images(address, 1 << bit, |address, bit| found.push((address, bit)));
            found
        };
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..10_000 {
            let position = (random.usize(..space.words), random.u32(..64));
            let on_diagonal = |square: u8| square >> 3 == square & 7;
            let mut squares = [0; 8];
            space.squares(position.0, &mut squares);
            let mut again = Vec::new();
            for (address, bit) in images(position.0, position.1) {
                again.extend(images(address, bit));
                // Black's rook there is White's here.
                let mut there = [0; 8];
                space.squares(address, &mut there);
                let near = exchange.neighborhood(position.0);
                assert_eq!(near, class_of(there[3]));
            }
            again.sort_unstable();
            again.dedup();
            assert!(again.contains(&position));
            let twins = if on_diagonal(squares[0]) { 2 } else { 1 };
            assert!(again.len() <= twins, "{position:?}: {again:?}");
        }
    }
}
