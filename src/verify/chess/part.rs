//! The part of a material that is looked into: of one that is only promoted into, little.

use super::layout::{Man, Squares};
use super::resolved::Wanted;
use crate::game::Color;

/// The squares that a promoted man can stand on, where mirror images of all eight kinds count as
/// one.
const EDGE: u64 = 0xFF81_8181_8181_81FF;
/// The last rank, by the colour of the pawn that gets there.
const LAST_RANK: [u64; 2] = [0xFF << 56, 0xFF];

/// The lines of a material that somebody looks into.
///
/// A pawn of KRPvKR makes a queen: then Black is to move and the queen stands on the edge. Of the
/// numbers of KQRvKR, those of White's moves and of 36 out of 64 squares of the queen are left
/// where they are.
#[derive(Debug)]
pub(super) enum Part {
    /// All of them.
    Whole,
    /// Those that promotions lead to.
    Promoted(Vec<Arrival>),
}

/// A man that was a pawn until now.
#[derive(Debug)]
pub(super) struct Arrival {
    man: Man,
    /// Where it may stand.
    squares: u64,
    /// Who may be to move.
    turns: [bool; 2],
}

impl Part {
    /// What some promotions lead to, in the colours in which the material is kept.
    pub fn of_promotions(wanted: &[Wanted], has_pawns: bool) -> Part {
        let arrivals = wanted.iter().map(|wanted| {
            let man = wanted.arrives_as();
            let squares = match has_pawns {
                true => LAST_RANK[man.0.index()],
                false => EDGE,
            };
            Arrival {
                man,
                squares,
                turns: Color::ALL.map(|turn| turn != man.0),
            }
        });
        Part::Promoted(arrivals.collect())
    }

    /// The same lines whoever is to move: where those of one side are derived, all that its moves
    /// lead to. A move of Black's leaves White's queen where it is.
    pub fn with_both_turns(&self) -> Part {
        match self {
            Part::Whole => Part::Whole,
            Part::Promoted(arrivals) => {
                let arrivals = arrivals.iter().map(|arrival| Arrival {
                    turns: [true; 2],
                    ..*arrival
                });
                Part::Promoted(arrivals.collect())
            }
        }
    }

    /// Whether anything with this side to move is in it.
    pub fn has_side(&self, side: Color) -> bool {
        match self {
            Part::Whole => true,
            Part::Promoted(arrivals) => arrivals.iter().any(|arrival| arrival.turns[side.index()]),
        }
    }

    /// Whether the line of men on squares is in it.
    #[inline]
    pub fn has(&self, side: Color, men: &[Man], squares: &Squares) -> bool {
        matches!(self, Part::Whole) || self.squares(side, men, squares, 0) >> squares[0] & 1 != 0
    }

    /// The squares of one of the men where it is in it, with the others on theirs.
    #[inline]
    pub fn squares(&self, side: Color, men: &[Man], squares: &Squares, one: usize) -> u64 {
        let Part::Promoted(arrivals) = self else {
            return u64::MAX;
        };
        let mut found = 0;
        let arrivals = arrivals.iter().filter(|it| it.turns[side.index()]);
        for Arrival {
            man, squares: may, ..
        } in arrivals
        {
            for (place, (other, square)) in men.iter().zip(squares).enumerate() {
                if other == man {
                    let is_there = place != one && may >> square & 1 != 0;
                    found |= if is_there { u64::MAX } else { 0 };
                    found |= if place == one { *may } else { 0 };
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::material::Material;
    use crate::chess::rules::Role;
    use crate::verify::chess::layout::Layout;
    use crate::verify::chess::pages::Place;

    fn part(material: &str, from: &str) -> (Part, Vec<Man>) {
        let material: Material = material.parse().unwrap();
        let wanted = Wanted::from(&[from.parse().unwrap()], &material, &Place::default());
        assert!(!wanted.is_empty());
        (
            Part::of_promotions(&wanted, material.has_pawns()),
            Layout::new(material).frame(0).men,
        )
    }

    #[test]
    fn the_promoted_man_is_on_the_edge_and_the_other_side_to_move() {
        let (part, men) = part("KQRvKR", "KRPvKR");
        assert_eq!(men[1], (Color::White, Role::Queen));
        assert!(part.has_side(Color::Black) && !part.has_side(Color::White));
        let on = |queen, rook| [0, queen, rook, 35, 0, 0, 0, 0];
        // a5 and h4 are on the edge, d4 is not, whatever the rooks do.
        assert!(part.has(Color::Black, &men, &on(32, 27)));
        assert!(part.has(Color::Black, &men, &on(31, 27)));
        assert!(!part.has(Color::Black, &men, &on(27, 63)));
        assert!(!part.has(Color::White, &men, &on(32, 27)));
        let both = part.with_both_turns();
        assert!(both.has(Color::White, &men, &on(32, 27)) && both.has_side(Color::White));
        assert!(!both.has(Color::White, &men, &on(27, 63)));
        assert_eq!(part.squares(Color::Black, &men, &on(27, 63), 1), EDGE);
        assert_eq!(part.squares(Color::Black, &men, &on(32, 63), 2), u64::MAX);
        assert_eq!(part.squares(Color::Black, &men, &on(27, 63), 2), 0);
    }

    #[test]
    fn either_of_two_like_men_may_have_been_the_pawn() {
        let (part, men) = part("KRRvKR", "KRPvKR");
        let on = |first, second| [0, first, second, 35, 0, 0, 0, 0];
        assert!(part.has(Color::Black, &men, &on(27, 63)));
        assert!(part.has(Color::Black, &men, &on(63, 27)));
        assert!(!part.has(Color::Black, &men, &on(27, 28)));
    }

    #[test]
    fn with_pawns_left_the_last_rank_is_where_a_pawn_promotes() {
        let (white, men) = part("KQPvKP", "KPPvKP");
        assert_eq!(white.squares(Color::Black, &men, &[0; 8], 1), 0xFF << 56);
        // Black's pawn makes a queen that White has where the material is kept, on the last rank
        // from there.
        assert!(!white.has_side(Color::White));
        let (part, men) = part("KQPvKPP", "KPPvKPP");
        assert_eq!(part.squares(Color::Black, &men, &[0; 8], 1), 0xFF << 56);
        assert!(!part.has_side(Color::White));
    }
}
