//! What stays at home: a side's king, advisors and elephants, numbered together.
//!
//! A king has 9 squares, an advisor 5, an elephant 7, and few of their joint placements put two men
//! on one square: with two of each there are 1410. Numbering the placements themselves leaves no
//! holes and needs one dimension instead of up to five. Squares are those of red; black's camp is
//! the same with the board turned.

use super::rules::{Bitboard, Role, SQUARES, Square, mirror, squares};
use crate::game::Color;
use crate::reserve::{Refused, gathered, reserved, room};

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

/// The number of a camp that there is not.
const NO_CAMP: u16 = u16::MAX;

/// All camps with so many advisors and elephants, numbered.
///
/// The number of a camp is found without a search: the king's square, the advisors and the
/// elephants are numbered each for itself, and a table has the number of the camp for the three of
/// them.
#[derive(Clone, Debug)]
pub struct Camps {
    camps: Vec<Camp>,
    advisors: Guards,
    elephants: Guards,
    /// By king, advisors and elephants; [`NO_CAMP`] where two men would stand on one square.
    numbers: Vec<u16>,
    /// The numbers of the mirror images.
    mirrored: Vec<u16>,
}

/// So many advisors or elephants on the squares of their domain.
#[derive(Clone, Debug)]
struct Guards {
    /// How many ways there are to place them.
    ways: usize,
    /// By the set of places they stand on, in the order of the domain: which way that is, or
    /// [`NO_WAY`].
    way: [u8; 1 << MAX_PLACES],
}

/// The squares of the domain of elephants, the larger one of the two.
const MAX_PLACES: usize = 7;

/// Off the domain.
const NO_PLACE: u8 = u8::MAX;

/// Not as many men as there should be.
const NO_WAY: u8 = u8::MAX;

/// By color, where a square of the board stands in the domain of a man of that color, as its owner
/// sees it.
type Places = [[u8; SQUARES]; 2];

const fn places(role: Role) -> Places {
    let mut places = [[NO_PLACE; SQUARES]; 2];
    let domain = role.domain(Color::White);
    let mut next = 0;
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        if domain & square.bit() != 0 {
            places[0][index] = next;
            places[1][square.flipped().index()] = next;
            next += 1;
        }
        index += 1;
    }
    places
}

static KING_PLACES: Places = places(Role::King);
static ADVISOR_PLACES: Places = places(Role::Advisor);
static ELEPHANT_PLACES: Places = places(Role::Elephant);

impl Guards {
    fn new(count: usize) -> Guards {
        let mut way = [NO_WAY; 1 << MAX_PLACES];
        let mut ways = 0;
        for set in (0..way.len()).filter(|set| set.count_ones() as usize == count) {
            way[set] = ways;
            ways += 1;
        }
        Guards {
            ways: ways.into(),
            way,
        }
    }

    /// Which way men stand, or `None` if they are not as many or one is off the domain.
    #[inline]
    fn way(&self, places: &[u8; SQUARES], men: Bitboard) -> Option<usize> {
        let mut set = 0;
        for square in squares(men) {
            let place = places[square.index()];
            if place == NO_PLACE {
                return None;
            }
            set |= 1 << place;
        }
        let way = self.way[set];
        (way != NO_WAY).then_some(way.into())
    }
}

impl Camps {
    /// The camps with up to two advisors and up to two elephants: the king slowest, elephants
    /// fastest.
    #[must_use]
    pub fn new(advisors: usize, elephants: usize) -> Camps {
        Camps::try_new(advisors, elephants).unwrap_or_else(|refused| refused.abort())
    }

    /// The same, if there is memory for it.
    pub(crate) fn try_new(advisors: usize, elephants: usize) -> Result<Camps, Refused> {
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
                        room(&mut camps, 1)?;
                        camps.push(camp);
                    }
                }
            }
        }
        let [advisors, elephants] = [advisors, elephants].map(Guards::new);
        let kings = Role::King.domain(Color::White).count_ones() as usize;
        let slots = kings * advisors.ways * elephants.ways;
        let mut numbers = reserved(slots)?;
        numbers.resize(slots, NO_CAMP);
        let mut numbered = Camps {
            camps,
            advisors,
            elephants,
            numbers,
            mirrored: Vec::new(),
        };
        for (number, camp) in (0..).zip(&numbered.camps) {
            let king = camp.king.bit();
            let slot = numbered.slot(Color::White, king, camp.advisors, camp.elephants);
            if let Some(slot) = slot {
                numbered.numbers[slot] = number;
            }
        }
        let mirrored = numbered.camps.iter().map(|camp| {
            let number = numbered.number(&camp.mirrored());
            number.map_or(NO_CAMP, |number| number as u16)
        });
        numbered.mirrored = gathered(mirrored)?;
        Ok(numbered)
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
        let mirrored = (0..).zip(&self.mirrored);
        mirrored.filter(|&(number, &other)| number <= other).count()
    }

    /// The camp of a number below [`len`](Camps::len), or `None`.
    #[must_use]
    pub fn camp(&self, number: u32) -> Option<&Camp> {
        self.camps.get(number as usize)
    }

    /// The number of a camp, or `None` if men stand where they cannot or are not as many.
    #[must_use]
    pub fn number(&self, camp: &Camp) -> Option<u32> {
        self.number_of(Color::White, camp.king.bit(), camp.advisors, camp.elephants)
    }

    /// The number of the camp that the men of a color make, with the squares they have on the
    /// board.
    #[inline]
    pub(crate) fn number_of(
        &self,
        color: Color,
        king: Bitboard,
        advisors: Bitboard,
        elephants: Bitboard,
    ) -> Option<u32> {
        let number = self.numbers[self.slot(color, king, advisors, elephants)?];
        (number != NO_CAMP).then_some(number.into())
    }

    /// The number of the camp that is the mirror image of one, or `None` from [`len`](Camps::len)
    /// on.
    #[must_use]
    #[inline]
    pub fn mirrored(&self, number: u32) -> Option<u32> {
        self.mirrored.get(number as usize).map(|&n| n.into())
    }

    /// Where `numbers` has the number of a camp.
    #[inline]
    fn slot(
        &self,
        color: Color,
        king: Bitboard,
        advisors: Bitboard,
        elephants: Bitboard,
    ) -> Option<usize> {
        let one = squares(king).next().filter(|square| king == square.bit())?;
        let king = KING_PLACES[color.index()][one.index()];
        let advisors = (self.advisors).way(&ADVISOR_PLACES[color.index()], advisors)?;
        let elephants = (self.elephants).way(&ELEPHANT_PLACES[color.index()], elephants)?;
        let guards = advisors * self.elephants.ways + elephants;
        let all = self.advisors.ways * self.elephants.ways;
        (king != NO_PLACE).then(|| usize::from(king) * all + guards)
    }
}

/// The subsets of a set with so many squares, in the order of their highest square, then of the one
/// below.
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
                    let mirrored = camps.number(&camp.mirrored());
                    assert!(mirrored.is_some() && mirrored == camps.mirrored(number));
                }
                assert_eq!(camps.camp(camps.len() as u32), None);
            }
        }
    }
}
