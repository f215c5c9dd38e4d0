//! From the squares of the men to an index, and back.
//!
//! Take KRvKN with White to move. The simplest index has four digits of 64: one for each man's
//! square. It wastes a factor of more than eight, and most of that is easy to get back:
//!
//! 1. **Symmetry.** Without pawns the board may be turned and mirrored so that the first man stands
//!    in the triangle a1-d1-d4, which leaves 10 squares of 64. If it then stands on the diagonal,
//!    the first other man that does not is brought below it. Three men take 31 332 numbers
//!    (`6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + 4 * 7 * 6`, for none, one, two and three men on
//!    the diagonal) instead of 262 144.
//! 2. **No two men on a square.** Each man's digit counts only the squares that those before it
//!    leave free.
//! 3. **Equal men.** Two knights are one digit of `C(n, 2)`, the number of their pair of squares
//!    among all pairs.
//!
//! So the men are cut into *groups*. The **leading group** takes up the symmetry:
//!
//! | material | leading group | its numbers |
//! |---|---|---|
//! | without pawns, some man beside the kings is alone of its kind | three men that are | 31 332 |
//! | without pawns, others | the kings, which never stand side by side | 462 |
//! | with pawns | all pawns of one side | by the file of the leading pawn |
//!
//! With pawns the board can only be mirrored. The pawn nearest to the edge leads; the board is
//! mirrored so that it stands on the files a to d, and each of the four files has a table of its
//! own, with orders and a code of its own. If both sides have pawns, the others are the second
//! group: they have the 48 pawn squares less those of the leading group. All other men follow in
//! groups of equals, on whatever is still free.
//!
//! The file gives the order of the men, which the groups follow, and the rank of the leading group
//! and of the second group of pawns among the factors: `index = sum(digit * factor)`, where the
//! factor of a group is the product of the sizes of those of lower rank.

//!
//! # Examples by hand
//!
//! Squares are numbers, a1 = 0, h1 = 7, h8 = 63. All examples have the order of men in their name
//! and the first group as the fastest.
//!
//! **`KRk`**, three single men. White: king f2, rook h5; Black: king d6. Mirrored, so that the king
//! is in the triangle: c2 = 10, a5 = 32, e6 = 44. Nobody is on the diagonal.
//!
//! ```text
//! c2: number 3 of the squares b1, c1, d1, c2, d2, d3 of the triangle          3
//! a5: 32, less one man on a lower square (c2)                                31
//! e6: 44, less two (c2, a5)                                                  42
//! (3 * 63 + 31) * 62 + 42                                              = 13 682
//! ```
//!
//! **`KRkr`**, the same with a black rook on a8 before the mirroring, so on h8 = 63 after it: less
//! three men below it 60, and its factor is 31 332, the size of the leading group:
//! `13 682 + 60 * 31 332 = 1 893 602`.
//!
//! **`KkQQ`**, kings c2 and e6, queens a5 and h8. The pair of kings is number 209 of 462. The
//! queens' places among free squares are 31 and 61: `C(31, 1) + C(61, 2) = 31 + 1830 = 1861`.
//! `209 + 1861 * 462 = 859 991`.
//!
//! **`PPKk`**, pawns b5 and f3, king e1, black king g8. Pawn squares are numbered so that the
//! leading pawn has the highest number: b5 has 29, f3 20. So the pawn on b5 leads, on the second
//! file, and has come three steps. Before it come the placements whose leading pawn is on b2, b3 or
//! b4, with 35, 33 and 31 squares for the other: 99. The other is number 20: 119 of 180. The king's
//! place is 4, the black king's 62 less three, 59: `119 + 4 * 180 + 59 * (180 * 62) = 659 279`.
//! Mirrored, with pawns g5 and c3, the numbers are 28 and 21. An even number leads: the board is
//! mirrored, and the index is the same.

mod combinations;
mod encoder;
mod leading;

pub use encoder::Encoder;
pub use leading::LeadingPawns;

pub(super) use combinations::unrank_combination;
pub(super) use encoder::{Group, Leading, NO_RANK, material_of};
pub(super) use leading::three_of_number;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::index::Placement;
    use crate::chess::rules::{Piece, Position, Role};
    use crate::chess::symmetry::{Symmetry, is_on_diagonal, mirror};
    use crate::game::Color;
    use crate::syzygy::SyzygyError;
    use crate::syzygy::numbering::{PAWN_FILES, PAWN_SQUARE};

    /// The encoder of men in some order, White's in upper case.
    fn encoder(men: &str, ranks: [u8; 2], file: usize) -> Result<Encoder, SyzygyError> {
        let pieces: Vec<Piece> = men
            .chars()
            .map(|letter| Piece::from_letter(letter).unwrap())
            .collect();
        Encoder::new(&pieces, ranks, file)
    }

    #[test]
    fn men_on_one_square_have_no_index_beyond_the_last() {
        for men in ["KQk", "kNKb", "RkKQ"] {
            let encoder = encoder(men, [0, NO_RANK], 0).unwrap();
            for squares in 0..64u64 * 64 * 64 {
                let mut placement = Placement::default();
                for (piece, place) in encoder.men().iter().zip(0..) {
                    let square = squares >> (6 * place % 18) & 63;
                    placement.men[piece.color.index()][piece.role.index()] |= 1 << square;
                }
                if let Some(index) = encoder.index(&placement, None) {
                    assert!(index < encoder.len());
                }
            }
        }
    }

    fn encoders() -> Vec<Encoder> {
        let mut encoders = Vec::new();
        for (men, ranks) in [
            ("KQk", [0, NO_RANK]),
            ("kNKb", [1, NO_RANK]),
            ("RkKQQ", [1, NO_RANK]),
            ("KkRRbb", [2, NO_RANK]),
            ("kKQQQ", [0, NO_RANK]),
            ("KQRkqrb", [3, NO_RANK]),
        ] {
            encoders.push(encoder(men, ranks, 0).unwrap());
        }
        for (men, ranks) in [
            ("PKk", [2, NO_RANK]),
            ("PPPKk", [0, NO_RANK]),
            ("pPKk", [3, 1]),
            ("PPpppkK", [0, 2]),
            ("PPKkrr", [1, NO_RANK]),
        ] {
            for file in 0..PAWN_FILES {
                encoders.push(encoder(men, ranks, file).unwrap());
            }
        }
        encoders
    }

    fn pawns(encoder: &Encoder, placement: &Placement) -> Option<LeadingPawns> {
        LeadingPawns::new(placement.of(encoder.leading_color()?, Role::Pawn))
    }

    #[test]
    fn the_examples_by_hand_are_right() {
        for (men, file, fen, index) in [
            ("KRk", 0, "8/8/3k4/7R/8/8/5K2/8 w - - 0 1", 13_682),
            ("KRkr", 0, "r7/8/3k4/7R/8/8/5K2/8 w - - 0 1", 1_893_602),
            ("KkQQ", 0, "7Q/8/4k3/Q7/8/8/2K5/8 b - - 0 1", 859_991),
            ("PPKk", 1, "6k1/8/8/1P6/8/5P2/8/4K3 w - - 0 1", 659_279),
            ("PPKk", 1, "1k6/8/8/6P1/8/2P5/8/3K4 w - - 0 1", 659_279),
        ] {
            let encoder = encoder(men, [0, NO_RANK], file).unwrap();
            let placement = Placement::from(&Position::from_fen(fen).unwrap());
            let pawns = pawns(&encoder, &placement);
            assert_eq!(encoder.index(&placement, pawns), Some(index), "{men} {fen}");
        }
    }

    #[test]
    fn every_index_is_that_of_its_placement() {
        for encoder in encoders() {
            let step = encoder.len() / 20_000 + 1;
            for index in (0..encoder.len()).step_by(step as usize) {
                let placement = encoder.placement(index).unwrap();
                let pawns = pawns(&encoder, &placement);
                assert_eq!(encoder.index(&placement, pawns), Some(index), "{encoder:?}");
            }
            assert_eq!(encoder.placement(encoder.len()), None);
        }
    }

    #[test]
    fn symmetric_placements_have_the_same_index() {
        for encoder in encoders() {
            let symmetries = match encoder.leading_color() {
                Some(_) => 2,
                None => Symmetry::COUNT,
            };
            let leading = match encoder.leading() {
                Leading::Three(pieces) => pieces.to_vec(),
                Leading::Kings(kings) => kings.to_vec(),
                Leading::Pawns { .. } => Vec::new(),
            };
            let step = encoder.len() / 3_000 + 1;
            for index in (0..encoder.len()).step_by(step as usize) {
                let placement = encoder.placement(index).unwrap();
                let is_on_diagonal = |man: &Piece| {
                    is_on_diagonal(placement.of(man.color, man.role).trailing_zeros() as u8)
                };
                // Such a leading group does not tell a placement from its transposed twin.
                if !leading.is_empty() && leading.iter().all(is_on_diagonal) {
                    continue;
                }
                // Nor do pawns of which two lead, one on each wing.
                if let Some(color) = encoder.leading_color() {
                    let pawns = placement.of(color, Role::Pawn);
                    let both_wings = pawns & mirror(pawns);
                    let leading = LeadingPawns::new(pawns).unwrap().numbers.ilog2();
                    if both_wings >> PAWN_SQUARE[leading as usize] & 1 == 1 {
                        continue;
                    }
                }
                for symmetry in (0..symmetries).map(Symmetry::from_index) {
                    let turned = Placement {
                        men: placement.men.map(|side| side.map(|set| symmetry.pull(set))),
                    };
                    let pawns = pawns(&encoder, &turned);
                    assert_eq!(encoder.index(&turned, pawns), Some(index), "{encoder:?}");
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_indices_as_published() {
        let len = |men: &str| encoder(men, [0, NO_RANK], 0).unwrap().len();
        assert_eq!(len("KQk"), 31_332);
        assert_eq!(len("KRkr"), 31_332 * 61);
        assert_eq!(len("KkQQ"), 462 * 62 * 61 / 2);
    }

    #[test]
    fn impossible_orders_are_an_error() {
        for (men, ranks) in [
            // Equal men apart, a leading group of equals, kings that do not lead, pawns that do
            // not.
            ("RKRk", [0, NO_RANK]),
            ("RRKkb", [0, NO_RANK]),
            ("QQKk", [0, NO_RANK]),
            ("KPk", [0, NO_RANK]),
            ("PKpk", [0, 1]),
            // Ranks that are no groups', or two groups' at once.
            ("KQk", [1, NO_RANK]),
            ("PpKk", [1, 1]),
            ("PpKk", [0, NO_RANK]),
            ("PKk", [0, 1]),
            ("QQQQQQKk", [0, NO_RANK]),
        ] {
            assert!(encoder(men, ranks, 0).is_err(), "{men} {ranks:?}");
        }
        assert!(encoder("PKk", [0, NO_RANK], 4).is_err());
    }

    #[test]
    fn what_is_no_position_has_no_index() {
        let kings = encoder("KkQQ", [0, NO_RANK], 0).unwrap();
        let mut placement = kings.placement(5_000).unwrap();
        placement.men[1][Role::King.index()] = placement.of(Color::White, Role::King);
        assert_eq!(kings.index(&placement, None), None);
        assert_eq!(kings.index(&Placement::default(), None), None);
        assert_eq!(LeadingPawns::new(1), None);
        assert_eq!(LeadingPawns::new(0), None);
    }
}
