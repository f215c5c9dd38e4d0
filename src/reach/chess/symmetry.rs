//! Positions that are the same but for the symmetries of the board.
//!
//! Where nobody has a pawn or may castle, turning the board or looking at it in a mirror changes
//! nothing, so of each eight positions one is found, kept and solved: the *normal form*. White's
//! king stands in the triangle a1-d1-d4 there, and where it stands on the long diagonal, a1 to h8,
//! the position is not greater than its image in that.
//!
//! # Counting moves
//!
//! A position is lost when the last of its moves is known to lose, so its moves to one normal form
//! have to be as many as that one's, taken back, to its own. They are, as long as both positions
//! have eight images. Only those with all men on a long diagonal have four: their moves come in
//! pairs that are each other's image, and of those one is counted
//! ([`Packed::is_image_of_another`]), taking moves back as well.

use arrayvec::ArrayVec;

use super::packed::Packed;
use crate::chess::rules::{Position, Role, Square};
use crate::chess::symmetry::{
    ABOVE_DIAGONAL, DIAGONAL, Symmetry, into_triangle, is_on_diagonal, transpose,
};
use crate::game::Color;

/// The number of images of a position without pawns, of which few have only half as many.
const IMAGES: u64 = 8;

/// Whether the rules of a position are the same in all directions.
#[inline]
pub fn has_images(position: &Position) -> bool {
    position.by_role(Role::Pawn) == 0 && position.castling_rights().is_empty()
}

/// The one of its images that stands for all; itself if it has none.
pub fn normal_form(packed: Packed) -> Packed {
    let mut king = None;
    for (man, square) in packed.pieces() {
        if man.role == Role::Pawn {
            return packed;
        }
        if man == Role::King.of(Color::White) {
            king = Some(square);
        }
    }
    match king {
        Some(king) if packed.castling_rooks() == 0 => packed.normal_form_without_pawns(king),
        _ => packed,
    }
}

/// How many positions a normal form stands for.
pub fn images(packed: &Packed) -> u64 {
    let is_alone =
        packed.pieces().any(|(man, _)| man.role == Role::Pawn) || packed.castling_rooks() > 0;
    match (is_alone, are_on_diagonal(packed.occupied())) {
        (true, _) => 1,
        (false, true) => IMAGES / 2,
        (false, false) => IMAGES,
    }
}

impl Packed {
    /// The same for a position that [`has_images`], whose key and square of White's king are known;
    /// and its key.
    #[inline]
    pub fn normal_form_of(self, key: u64, white_king: Square) -> (Packed, u64) {
        let king = white_king.index() as u8;
        let is_normal = into_triangle(king).is_identity()
            && (!is_on_diagonal(king) || self.occupied() < transpose(self.occupied()));
        if is_normal {
            return (self, key);
        }
        let normal = self.normal_form_without_pawns(white_king);
        (normal, normal.key())
    }

    fn normal_form_without_pawns(self, king: Square) -> Packed {
        let image = |symmetry: Symmetry| {
            let image =
                |square: Square| Square::wrapping(symmetry.map(square.index() as u8).into());
            let mut men: ArrayVec<(Square, u8), 32> = self
                .numbered_men()
                .map(|(number, square)| (image(square), number))
                .collect();
            men.sort_unstable();
            Packed::of_numbered_men(&men, self.turn())
        };
        let king = king.index() as u8;
        let symmetry = into_triangle(king);
        match is_on_diagonal(symmetry.map(king)) {
            true => image(symmetry).min(image(symmetry.then_transpose())),
            false => image(symmetry),
        }
    }

    /// Whether a move from or to a square is the image of another one of a normal form
    /// that [`has_images`]: all men stand on the diagonal, and the square is above it.
    #[inline]
    pub fn is_image_of_another(&self, square: Square) -> bool {
        are_on_diagonal(self.occupied()) && square.bit() & ABOVE_DIAGONAL != 0
    }
}

#[inline]
fn are_on_diagonal(occupied: u64) -> bool {
    occupied & !DIAGONAL == 0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::chess::rules::Setup;
    use crate::reach::positions::Compact;

    const FENS: [&str; 5] = [
        "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
        "7K/8/8/8/3k4/2N5/8/8 b - - 0 1",
        "8/1K6/8/3k4/8/8/6Q1/8 b - - 0 1",
        "k7/8/2n5/3b4/4R3/8/6K1/8 b - - 0 1",
        "8/8/8/3kn3/8/8/4N3/3K4 w - - 0 1",
    ];

    /// The eight images of a position.
    fn images(position: &Position) -> Vec<Position> {
        let mut images = Vec::new();
        for (mask, is_transposed) in [0, 7, 56, 63]
            .map(|mask| [(mask, false), (mask, true)])
            .concat()
        {
            let mut setup = Setup::empty();
            for (man, square) in Packed::new(position).pieces() {
                let square = square.index() as u32 ^ mask;
                let square = match is_transposed {
                    true => square / 8 + square % 8 * 8,
                    false => square,
                };
                setup.put(man, Square::wrapping(square));
            }
            setup.turn = position.turn();
            images.push(Position::from_setup(&setup).unwrap());
        }
        images
    }

    #[test]
    fn all_images_have_one_normal_form() {
        for fen in FENS {
            let position = Position::from_fen(fen).unwrap();
            let normal = Packed::new(&position).normal_form();
            assert_eq!(normal.normal_form(), normal);
            let images = images(&position);
            let keys: HashSet<u64> = images.iter().map(Position::key).collect();
            assert_eq!(normal.images(), keys.len() as u64, "{fen}");
            assert!(keys.contains(&normal.key()));
            for image in &images {
                let packed = Packed::new(image);
                assert_eq!(packed.normal_form(), normal, "{fen} {image:?}");
                let found = packed.normal_form_of(packed.key(), image.king(Color::White));
                assert_eq!(found, (normal, normal.key()), "{fen} {image:?}");
            }
        }
    }

    #[test]
    fn what_is_not_the_same_in_all_directions_is_its_own_normal_form() {
        for fen in [
            "8/8/8/8/2k5/8/1P6/7K w - - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let packed = Packed::new(&position);
            assert!(!has_images(&position));
            assert_eq!((packed.normal_form(), packed.images()), (packed, 1));
        }
    }
}
