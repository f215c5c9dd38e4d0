//! Xiangqi position <-> index, for one material.
//!
//! The dimensions are red's camp, black's camp, and for each kind of attacker of each side the
//! combination of squares its men stand on: a man's squares are its domain, 55 for pawns and 90 for
//! the others, and identical men are not told apart. Left and right are the only symmetry. One
//! dimension is *folded*: of each mirror pair of its values only the smaller is counted. Where the
//! value is its own mirror image, the smaller of the two positions counts, digit by digit, and the
//! index of the other stays empty.
//!
//! Every placement, up to mirroring, has exactly one index in `0..len()`. Placements with two men
//! on one square have one too, [`IndexSpace::placement`] says so.
//!
//! # Example by hand
//!
//! KRvKAABB: 9 kings x 1410 camps x 90 rooks. 714 of the camps are left of their mirror image or
//! the same: 9 x 714 x 90 = 578 340 indices.

use super::rules::{Bitboard, Position, Role, SQUARES, Setup, Square, flip, mirror, squares};
use super::{Camps, Material};
use crate::game::Color;
use crate::reserve::{Refused, collected, gathered, reserved};

/// Dimensions with more values than this are not folded: a table of the values is kept. Camps
/// always have fewer.
const MAX_FOLDED: u64 = 5_000;

/// Two camps and, for each side, four kinds of attackers.
const MAX_DIMENSIONS: usize = 10;

/// The men that make dimensions of their own.
const ATTACKERS: [Role; 4] = [Role::Rook, Role::Knight, Role::Cannon, Role::Pawn];

/// The value of each dimension, zeros after the last.
pub(crate) type Digits = [u64; MAX_DIMENSIONS];

/// What becomes of a value of the folded dimension.
#[derive(Clone, Copy, Debug)]
enum Folded {
    /// It counts, as so manyth.
    Kept(u32),
    /// It counts too, and is its own mirror image: of two placements with it the smaller one
    /// counts.
    OwnImage(u32),
    /// Its mirror image counts.
    Mirrored,
}

/// Identical attackers of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Whose.
    pub color: Color,
    /// What.
    pub role: Role,
    /// How many.
    pub count: usize,
}

/// The squares of all men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// By color and role.
    pub pieces: [[Bitboard; 7]; 2],
}

impl Placement {
    /// Left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Placement {
        Placement {
            pieces: self.pieces.map(|side| side.map(mirror)),
        }
    }

    /// The colours exchanged, and the board turned round.
    #[must_use]
    pub fn with_colors_exchanged(&self) -> Placement {
        // Most sets are empty.
        let turned = |set| if set == 0 { 0 } else { flip(set) };
        let [red, black] = self.pieces.map(|side| side.map(turned));
        Placement {
            pieces: [black, red],
        }
    }

    /// The placement of a position.
    #[must_use]
    pub fn of(position: &Position) -> Placement {
        Placement {
            pieces: position.all_men().0,
        }
    }

    /// The placement of a position and its material, which are found at one go.
    #[inline]
    pub(crate) fn with_material(position: &Position) -> (Placement, Material) {
        let (pieces, counts) = position.all_men();
        (Placement { pieces }, Material::from_counts(counts))
    }

    /// The position with that side to move, or `None` if it is not legal.
    #[must_use]
    pub fn position(&self, turn: Color) -> Option<Position> {
        let setup = Setup {
            pieces: self.pieces,
            turn,
            ..Setup::empty()
        };
        Position::from_setup(&setup).ok()
    }

    /// Whether no two men stand on one square.
    fn is_disjoint(&self) -> bool {
        let men = self.pieces.as_flattened();
        let occupied = men.iter().fold(0, |all, set| all | set);
        men.iter().map(|set| set.count_ones()).sum::<u32>() == Bitboard::count_ones(occupied)
    }
}

/// The index of one material.
#[derive(Clone, Debug)]
pub struct IndexSpace {
    material: Material,
    camps: [Camps; 2],
    groups: Vec<Group>,
    /// How the men of each group are numbered.
    combinations: Vec<Combinations>,
    /// How many values each dimension has: the camps, then the groups.
    radices: Vec<u64>,
    /// How many indices lie between neighbouring values of a dimension.
    strides: Digits,
    folded: usize,
    /// The values of the folded dimension that count, in order.
    kept: Vec<u64>,
    /// What becomes of each value of the folded dimension.
    places: Vec<Folded>,
    len: u64,
}

impl IndexSpace {
    /// The index of a material, or `None` for one with more than 2<sup>64</sup> indices, as 32 men
    /// have.
    #[must_use]
    pub fn new(material: Material) -> Option<IndexSpace> {
        IndexSpace::try_new(material).unwrap_or_else(|refused| refused.abort())
    }

    /// The same, if there is memory for it.
    pub(crate) fn try_new(material: Material) -> Result<Option<IndexSpace>, Refused> {
        let camps = |color| {
            Camps::try_new(
                material.count(color, Role::Advisor),
                material.count(color, Role::Elephant),
            )
        };
        let camps = [camps(Color::White)?, camps(Color::Black)?];
        let mut groups = reserved(2 * ATTACKERS.len())?;
        for color in Color::ALL {
            for role in ATTACKERS {
                let count = material.count(color, role);
                if count > 0 {
                    groups.push(Group { color, role, count });
                }
            }
        }
        let combinations = collected(groups.iter().map(Combinations::of))?;
        let radices = (camps.iter().map(|camps| camps.len() as u64))
            .chain(combinations.iter().map(|combinations| combinations.len));
        let radices = gathered(radices)?;
        let mut space = IndexSpace {
            material,
            camps,
            groups,
            combinations,
            radices,
            strides: [0; MAX_DIMENSIONS],
            folded: 0,
            kept: Vec::new(),
            places: Vec::new(),
            len: 1,
        };
        space.fold()?;
        for dimension in (0..space.radices.len()).rev() {
            space.strides[dimension] = space.len;
            let Some(len) = space.len.checked_mul(space.radix(dimension)) else {
                return Ok(None);
            };
            space.len = len;
        }
        Ok(Some(space))
    }

    /// Folds the dimension that loses the largest share of its values.
    fn fold(&mut self) -> Result<(), Refused> {
        let mut best: Option<(u64, u64)> = None;
        for dimension in 0..self.radices.len() {
            let radix = self.radices[dimension];
            if radix > MAX_FOLDED {
                continue;
            }
            let mut kept = reserved(radix as usize)?;
            kept.extend((0..radix).filter(|&digit| digit <= self.mirrored_digit(dimension, digit)));
            let share = (kept.len() as u64, radix);
            if best.is_none_or(|best| share.0 * best.1 < best.0 * share.1) {
                best = Some(share);
                self.folded = dimension;
                self.kept = kept;
            }
        }
        let places = self.radices[self.folded] as usize;
        self.places = gathered(std::iter::repeat_n(Folded::Mirrored, places))?;
        for (place, &digit) in (0..).zip(&self.kept) {
            let is_own_image = self.mirrored_digit(self.folded, digit) == digit;
            self.places[digit as usize] = match is_own_image {
                true => Folded::OwnImage(place),
                false => Folded::Kept(place),
            };
        }
        Ok(())
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The groups of identical attackers, the dimensions after the two camps.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many indices there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The values of a dimension that count, in the order of the index.
    pub(crate) fn values(&self, dimension: usize) -> Vec<u64> {
        match dimension == self.folded {
            true => self.kept.clone(),
            false => (0..self.radices[dimension]).collect(),
        }
    }

    /// The squares of the men of a group by the value of its dimension.
    pub(crate) fn men(&self, group: &Group, value: u64) -> Bitboard {
        let same = self.groups.iter().zip(&self.combinations);
        let found = same.into_iter().find(|(own, _)| *own == group);
        found.map_or(0, |(_, combinations)| combinations.men(value))
    }

    /// How many dimensions there are.
    pub(crate) fn dimensions(&self) -> usize {
        self.radices.len()
    }

    /// How many values of a dimension count.
    pub(crate) fn radix(&self, dimension: usize) -> u64 {
        if dimension == self.folded {
            self.kept.len() as u64
        } else {
            self.radices[dimension]
        }
    }

    /// The index of a placement, and whether it is that of its mirror image; `None` if the men are
    /// not those of the material or stand where they cannot.
    #[must_use]
    #[inline]
    pub fn index(&self, placement: &Placement) -> Option<(u64, bool)> {
        let (digits, is_mirrored) = self.counted_digits(placement)?;
        let index = digits.iter().zip(&self.strides).map(|(d, s)| d * s).sum();
        Some((index, is_mirrored))
    }

    /// The values of the dimensions of which an index is made, as they are counted, and whether
    /// they are those of the mirror image; `None` as for [`index`](Self::index).
    #[inline]
    pub(crate) fn counted_digits(&self, placement: &Placement) -> Option<(Digits, bool)> {
        let mut digits = self.digits(placement)?;
        let mut is_mirrored = false;
        digits[self.folded] = match self.places[digits[self.folded] as usize] {
            Folded::Kept(place) => place.into(),
            Folded::OwnImage(place) => {
                let mirrored = self.mirrored_digits(placement, &digits)?;
                is_mirrored = mirrored < digits;
                if is_mirrored {
                    digits = mirrored;
                }
                place.into()
            }
            Folded::Mirrored => {
                is_mirrored = true;
                digits = self.mirrored_digits(placement, &digits)?;
                match self.places[digits[self.folded] as usize] {
                    Folded::Kept(place) | Folded::OwnImage(place) => place.into(),
                    Folded::Mirrored => return None,
                }
            }
        };
        Some((digits, is_mirrored))
    }

    /// How many indices lie between neighbouring values of each dimension.
    pub(super) fn strides(&self) -> &Digits {
        &self.strides
    }

    /// The placement of an index; `None` if two men would stand on one square, if the index belongs
    /// to a mirror image that has a smaller one, or from [`len`](IndexSpace::len) on.
    #[must_use]
    pub fn placement(&self, index: u64) -> Option<Placement> {
        if index >= self.len {
            return None;
        }
        let mut rest = index;
        let mut digits = [0; MAX_DIMENSIONS];
        for (digit, stride) in digits.iter_mut().zip(self.strides) {
            // There are fewer dimensions than places for them, and those have no stride.
            if let Some(quotient) = rest.checked_div(stride) {
                *digit = quotient;
                rest %= stride;
            }
        }
        let folded = self.kept[digits[self.folded] as usize];
        digits[self.folded] = folded;
        let placement = self.placement_of(&digits)?;
        let is_own = match self.places[folded as usize] {
            Folded::OwnImage(_) => self.index(&placement)?.0 == index,
            _ => true,
        };
        (is_own && placement.is_disjoint()).then_some(placement)
    }

    /// The value of each dimension; `None` if the men are not those of the material or stand where
    /// they cannot.
    #[inline]
    fn digits(&self, placement: &Placement) -> Option<Digits> {
        let mut digits = [0; MAX_DIMENSIONS];
        let mut foreign = 0;
        for color in Color::ALL {
            let men = |role: Role| placement.pieces[color.index()][role.index()];
            let [king, advisors, elephants] = [Role::King, Role::Advisor, Role::Elephant].map(men);
            let number = self.camps[color.index()].number_of(color, king, advisors, elephants);
            digits[color.index()] = number?.into();
            for role in ATTACKERS {
                if self.material.count(color, role) == 0 {
                    foreign |= men(role);
                }
            }
        }
        if foreign != 0 {
            return None;
        }
        let groups = self.groups.iter().zip(&self.combinations);
        for (digit, (group, combinations)) in digits[2..].iter_mut().zip(groups) {
            let men = placement.pieces[group.color.index()][group.role.index()];
            *digit = combinations.number(men)?;
        }
        Some(digits)
    }

    /// The values of the mirror image of a placement that has the values `digits`.
    #[inline]
    fn mirrored_digits(&self, placement: &Placement, digits: &Digits) -> Option<Digits> {
        let mut mirrored = [0; MAX_DIMENSIONS];
        for (side, camps) in self.camps.iter().enumerate() {
            mirrored[side] = camps.mirrored(digits[side] as u32)?.into();
        }
        let groups = self.groups.iter().zip(&self.combinations);
        for (digit, (group, combinations)) in mirrored[2..].iter_mut().zip(groups) {
            let men = placement.pieces[group.color.index()][group.role.index()];
            *digit = combinations.number(mirror(men))?;
        }
        Some(mirrored)
    }

    fn placement_of(&self, digits: &[u64]) -> Option<Placement> {
        let mut placement = Placement {
            pieces: [[0; 7]; 2],
        };
        for color in Color::ALL {
            let camp = self.camps[color.index()].camp(digits[color.index()] as u32)?;
            let side = &mut placement.pieces[color.index()];
            side[Role::King.index()] = own_view(color, camp.king.bit());
            side[Role::Advisor.index()] = own_view(color, camp.advisors);
            side[Role::Elephant.index()] = own_view(color, camp.elephants);
        }
        let groups = self.groups.iter().zip(&self.combinations);
        for ((group, combinations), &digit) in groups.zip(&digits[2..]) {
            placement.pieces[group.color.index()][group.role.index()] = combinations.men(digit);
        }
        Some(placement)
    }

    /// What becomes of a value of a dimension when left and right are exchanged.
    #[inline]
    fn mirrored_digit(&self, dimension: usize, digit: u64) -> u64 {
        let mirrored = match dimension {
            0 | 1 => self.camps[dimension].mirrored(digit as u32).map(u64::from),
            _ => {
                let combinations = &self.combinations[dimension - 2];
                combinations.number(mirror(combinations.men(digit)))
            }
        };
        // Every domain is its own mirror image.
        mirrored.unwrap_or(digit)
    }
}

/// A side's men as that side sees the board: as they are for red, turned for black.
#[inline]
fn own_view(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => set,
        Color::Black => flip(set),
    }
}

/// The combinations of squares of a group, in the combinatorial number system: the number of one is
/// a sum over its squares, from the lowest on, of how many combinations there are of so many
/// squares that are all below that one.
///
/// # Example by hand
///
/// Two red rooks on b0, square 10, and on a1, square 1: the lower one adds `choose(1, 1)` = 1, the
/// higher one `choose(10, 2)` = 45. The number is 46; 45 have both rooks below b0, and one has a
/// rook on b0 and the other on a0.
#[derive(Clone, Debug)]
struct Combinations {
    color: Color,
    len: u64,
    /// The squares, as the owner sees them, in their order.
    domain: Vec<Square>,
    /// For each man, the lowest first, what each square adds as the owner sees it, or [`OUTSIDE`].
    terms: Vec<[u32; SQUARES]>,
}

/// What a square adds that is none of the domain.
const OUTSIDE: u32 = u32::MAX;

impl Combinations {
    fn of(group: &Group) -> Result<Combinations, Refused> {
        let domain = gathered(squares(group.role.domain(Color::White)))?;
        let terms = (1..=group.count as u64).map(|nth| {
            let mut terms = [OUTSIDE; SQUARES];
            for (place, square) in (0..).zip(&domain) {
                terms[square.index()] = choose(place, nth) as u32;
            }
            terms
        });
        Ok(Combinations {
            color: group.color,
            len: choose(domain.len() as u64, group.count as u64),
            terms: gathered(terms)?,
            domain,
        })
    }

    /// The number of a combination of squares of the board, or `None` if they are not as many as
    /// the men, or one is outside the domain.
    #[inline]
    fn number(&self, men: Bitboard) -> Option<u64> {
        let mut number = 0;
        let mut rest = match self.terms.len() {
            // One alone is turned as a square, which is less than turning a set.
            1 => men,
            _ => own_view(self.color, men),
        };
        for terms in &self.terms {
            let mut square = squares(rest).next()?;
            rest &= rest - 1;
            if self.terms.len() == 1 && self.color == Color::Black {
                square = square.flipped();
            }
            let term = terms[square.index()];
            if term == OUTSIDE {
                return None;
            }
            number += u64::from(term);
        }
        (rest == 0).then_some(number)
    }

    /// The squares of the board of a combination.
    fn men(&self, number: u64) -> Bitboard {
        let mut rest = number;
        let mut men = 0;
        for terms in self.terms.iter().rev() {
            let term = |square: &Square| u64::from(terms[square.index()]);
            let larger = self.domain.partition_point(|square| term(square) <= rest);
            let square = self.domain[larger.saturating_sub(1)];
            rest = rest.saturating_sub(term(&square));
            men |= square.bit();
        }
        own_view(self.color, men)
    }
}

/// How many combinations of `k` out of `n` there are, for `k` up to 5.
fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(signature: &str) -> IndexSpace {
        IndexSpace::new(signature.parse().unwrap()).unwrap()
    }

    #[test]
    fn sizes() {
        for (signature, len) in [
            ("KRvK", 9 * 9 * 50),
            ("KRvKAABB", 9 * 714 * 90),
            ("KNPvKAABB", 9 * 714 * 90 * 55),
            ("KPPvK", 9 * 9 * 765),
            ("KRvKR", 9 * 9 * 50 * 90),
        ] {
            assert_eq!(space(signature).len(), len, "{signature}");
        }
        let everything = "KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB".parse().unwrap();
        assert!(IndexSpace::new(everything).is_none());
    }

    /// Visits all placements of a material over the full board, identical men not told apart.
    fn all_placements(space: &IndexSpace, visit: &mut dyn FnMut(Placement)) {
        let mut digits = [0; MAX_DIMENSIONS];
        loop {
            visit(space.placement_of(&digits).unwrap());
            let Some(dimension) = (0..space.radices.len())
                .rev()
                .find(|&d| digits[d] + 1 < space.radices[d])
            else {
                return;
            };
            digits[dimension] += 1;
            digits[dimension + 1..].fill(0);
        }
    }

    /// Every placement has one index, shared with its mirror image only, and the index leads back.
    #[test]
    fn placements_and_indices_are_one_to_one() {
        for signature in [
            "KRvK", "KPvKA", "KPPvK", "KAvKP", "KCvKB", "KvKRR", "KPvKPP",
        ] {
            let space = space(signature);
            let mut owners: Vec<Option<Placement>> = vec![None; space.len() as usize];
            all_placements(&space, &mut |placement| {
                let (index, is_mirrored) = space.index(&placement).unwrap();
                let canonical = if is_mirrored {
                    placement.mirrored()
                } else {
                    placement
                };
                let owner = owners[index as usize].get_or_insert(canonical);
                assert_eq!(*owner, canonical, "{signature} {index}");
                let found = space.placement(index);
                assert_eq!(found, canonical.is_disjoint().then_some(canonical));
            });
            for (index, owner) in owners.iter().enumerate() {
                let found = space.placement(index as u64);
                assert_eq!(
                    found,
                    owner.filter(Placement::is_disjoint),
                    "{signature} {index}"
                );
            }
            assert_eq!(space.placement(space.len()), None);
        }
    }

    /// The number of legal positions, by the independent counts: KRvK has 3834 with red to move and
    /// 4914 with black.
    #[test]
    fn legal_positions_of_a_rook_against_a_bare_king() {
        let space = space("KRvK");
        let mut legal = [0, 0];
        for index in 0..space.len() {
            let Some(placement) = space.placement(index) else {
                continue;
            };
            let images = if placement.mirrored() == placement {
                1
            } else {
                2
            };
            for color in Color::ALL {
                if placement.position(color).is_some() {
                    legal[color.index()] += images;
                }
            }
        }
        assert_eq!(legal, [3834, 108 + 4806]);
    }
}
