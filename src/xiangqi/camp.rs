//! What stays at home: a side's king, advisors and elephants, numbered together.
//!
//! A king has 9 squares, an advisor 5, an elephant 7, and few of their joint placements put two men on one square: with two of
//! each there are 1410. Numbering the placements themselves leaves no holes and needs one dimension instead
//! of up to five. Squares are those of red; black's camp is the same with the board turned.

use std::collections::HashMap;

use crate::game::Color;
use crate::game::xiangqi::{Bitboard, Role, Square, mirror, squares};

/// A king with its advisors and elephants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Camp {
    /// The king.
    pub king: Square,
    /// The advisors.
    pub advisors: Bitboard,
    /// The elephants.
    pub elephants: Bitboard,
}

impl Camp {
    /// All squares.
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.king.bit() | self.advisors | self.elephants
    }

    /// Left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Camp {
        Camp {
            king: self.king.mirrored(),
            advisors: mirror(self.advisors),
            elephants: mirror(self.elephants),
        }
    }
}

/// All camps with so many advisors and elephants, numbered.
#[derive(Clone, Debug)]
pub struct Camps {
    camps: Vec<Camp>,
    numbers: HashMap<Camp, u32>,
}

impl Camps {
    /// The camps with up to two advisors and up to two elephants: the king slowest, elephants fastest.
    #[must_use]
    pub fn new(advisors: usize, elephants: usize) -> Camps {
        let mut camps = Vec::new();
        for king in squares(Role::King.domain(Color::White)) {
            for advisors in subsets(Role::Advisor.domain(Color::White), advisors) {
                for elephants in subsets(Role::Elephant.domain(Color::White), elephants) {
                    let camp = Camp {
                        king,
                        advisors,
                        elephants,
                    };
                    let men = 1 + advisors.count_ones() + elephants.count_ones();
                    if camp.occupied().count_ones() == men {
                        camps.push(camp);
                    }
                }
            }
        }
        let numbers = (0..).zip(&camps).map(|(i, &camp)| (camp, i)).collect();
        Camps { camps, numbers }
    }

    /// How many there are; never none.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.camps.len()
    }

    /// How many remain if one of each mirror pair does.
    #[must_use]
    pub fn folded_len(&self) -> usize {
        let kept = (0..).zip(&self.camps).filter(|&(number, camp)| {
            let mirrored = self.number(&camp.mirrored());
            mirrored.is_none_or(|mirrored| number <= mirrored)
        });
        kept.count()
    }

    /// The camp of a number below [`len`](Camps::len), or `None`.
    #[must_use]
    pub fn camp(&self, number: u32) -> Option<&Camp> {
        self.camps.get(number as usize)
    }

    /// The number of a camp, or `None` if men stand where they cannot or are not as many.
    #[must_use]
    pub fn number(&self, camp: &Camp) -> Option<u32> {
        self.numbers.get(camp).copied()
    }
}

/// The subsets of a set with so many squares, in the order of their highest square, then of the one below.
fn subsets(set: Bitboard, size: usize) -> Vec<Bitboard> {
    if size == 0 {
        return vec![0];
    }
    let mut found = Vec::new();
    for highest in squares(set) {
        let below = set & (highest.bit() - 1);
        found.extend((subsets(below, size - 1).iter()).map(|rest| rest | highest.bit()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts that are known in the field.
    #[test]
    fn as_many_as_there_are() {
        for (advisors, elephants, count) in [
            (0, 0, 9),
            (1, 0, 40),
            (0, 1, 62),
            (2, 0, 70),
            (0, 2, 183),
            (1, 1, 275),
            (2, 1, 480),
            (1, 2, 810),
            (2, 2, 1410),
        ] {
            assert_eq!(Camps::new(advisors, elephants).len(), count);
        }
    }

    #[test]
    fn numbers_and_camps_are_one_to_one() {
        for advisors in 0..3 {
            for elephants in 0..3 {
                let camps = Camps::new(advisors, elephants);
                for number in 0..camps.len() as u32 {
                    let camp = camps.camp(number).unwrap();
                    assert_eq!(camps.number(camp), Some(number));
                    assert!(camps.number(&camp.mirrored()).is_some());
                }
                assert_eq!(camps.camp(camps.len() as u32), None);
            }
        }
    }
}
