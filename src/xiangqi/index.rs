//! Xiangqi position <-> index, for one material.
//!
//! The dimensions are red's camp, black's camp, and for each kind of attacker of each side the combination of squares
//! its men stand on: a man's squares are its domain, 55 for pawns and 90 for the others, and identical men are
//! not told apart. Left and right are the only symmetry. One dimension is *folded*: of each mirror pair of its
//! values only the smaller is counted. Where the value is its own mirror image, the smaller of the two
//! positions counts, digit by digit, and the index of the other stays empty.
//!
//! Every placement, up to mirroring, has exactly one index in `0..len()`. Placements with two men on one square have one
//! too, [`IndexSpace::placement`] says so.
//!
//! # Example by hand
//!
//! KRvKAABB: 9 kings x 1410 camps x 90 rooks. 714 of the camps are left of their mirror image or the same:
//! 9 x 714 x 90 = 578 340 indices.

use super::{Camp, Camps, Material};
use crate::game::Color;
use crate::game::xiangqi::{Bitboard, Position, Role, Setup, Square, flip, mirror, squares};

/// Dimensions with more values than this are not folded: a table of the values is kept. Camps always have fewer.
const MAX_FOLDED: u64 = 5_000;

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
        let [red, black] = self.pieces.map(|side| side.map(flip));
        Placement {
            pieces: [black, red],
        }
    }

    /// The placement of a position.
    #[must_use]
    pub fn of(position: &Position) -> Placement {
        Placement {
            pieces: position.to_setup().pieces,
        }
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
    /// How many values each dimension has: the camps, then the groups.
    radices: Vec<u64>,
    folded: usize,
    /// The values of the folded dimension that count, in order.
    kept: Vec<u64>,
    len: u64,
}

impl IndexSpace {
    /// The index of a material, or `None` for one with more than 2<sup>64</sup> indices, as 32 men have.
    #[must_use]
    pub fn new(material: Material) -> Option<IndexSpace> {
        let camps = Color::ALL.map(|color| {
            Camps::new(
                material.count(color, Role::Advisor),
                material.count(color, Role::Elephant),
            )
        });
        let mut groups = Vec::new();
        for color in Color::ALL {
            for role in Role::ALL.into_iter().rev().filter(|r| r.is_attacker()) {
                let count = material.count(color, role);
                if count > 0 {
                    groups.push(Group { color, role, count });
                }
            }
        }
        let radices = (camps.iter().map(|camps| camps.len() as u64))
            .chain(groups.iter().map(|group| {
                let domain = group.role.domain(group.color).count_ones();
                choose(u64::from(domain), group.count as u64)
            }))
            .collect();
        let mut space = IndexSpace {
            material,
            camps,
            groups,
            radices,
            folded: 0,
            kept: Vec::new(),
            len: 0,
        };
        space.fold();
        space.len = (0..space.radices.len())
            .map(|dimension| space.radix(dimension))
            .try_fold(1, u64::checked_mul)?;
        Some(space)
    }

    /// Folds the dimension that loses the largest share of its values.
    fn fold(&mut self) {
        let mut best: Option<(u64, u64)> = None;
        for dimension in 0..self.radices.len() {
            let radix = self.radices[dimension];
            if radix > MAX_FOLDED {
                continue;
            }
            let kept: Vec<u64> = (0..radix)
                .filter(|&digit| digit <= self.mirrored_digit(dimension, digit))
                .collect();
            let share = (kept.len() as u64, radix);
            if best.is_none_or(|best| share.0 * best.1 < best.0 * share.1) {
                best = Some(share);
                self.folded = dimension;
                self.kept = kept;
            }
        }
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
        own_view(group.color, unrank(group, value))
    }

    /// How many values of a dimension count.
    fn radix(&self, dimension: usize) -> u64 {
        if dimension == self.folded {
            self.kept.len() as u64
        } else {
            self.radices[dimension]
        }
    }

    /// The index of a placement, and whether it is that of its mirror image; `None` if the men are not those of the
    /// material or stand where they cannot.
    #[must_use]
    pub fn index(&self, placement: &Placement) -> Option<(u64, bool)> {
        let digits = self.digits(placement)?;
        let mirrored = self.digits(&placement.mirrored())?;
        let order = (digits[self.folded], &digits).cmp(&(mirrored[self.folded], &mirrored));
        let is_mirrored = order.is_gt();
        let digits = if is_mirrored { mirrored } else { digits };
        let mut index = 0;
        for (dimension, &digit) in digits.iter().enumerate() {
            let digit = if dimension == self.folded {
                self.kept.binary_search(&digit).ok()? as u64
            } else {
                digit
            };
            index = index * self.radix(dimension) + digit;
        }
        Some((index, is_mirrored))
    }

    /// The placement of an index; `None` if two men would stand on one square, if the index belongs to a mirror image that
    /// has a smaller one, or from [`len`](IndexSpace::len) on.
    #[must_use]
    pub fn placement(&self, index: u64) -> Option<Placement> {
        let mut rest = index;
        let mut digits = vec![0; self.radices.len()];
        for dimension in (0..digits.len()).rev() {
            let radix = self.radix(dimension);
            digits[dimension] = rest % radix;
            rest /= radix;
        }
        if rest > 0 {
            return None;
        }
        digits[self.folded] = self.kept[digits[self.folded] as usize];
        let placement = self.placement_of(&digits)?;
        let is_own = self.index(&placement)?.0 == index;
        (is_own && placement.is_disjoint()).then_some(placement)
    }

    fn digits(&self, placement: &Placement) -> Option<Vec<u64>> {
        for color in Color::ALL {
            for role in Role::ALL {
                let men = placement.pieces[color.index()][role.index()].count_ones();
                if men as usize != self.material.count(color, role) {
                    return None;
                }
            }
        }
        let mut digits = Vec::with_capacity(self.radices.len());
        for color in Color::ALL {
            let men = |role: Role| own_view(color, placement.pieces[color.index()][role.index()]);
            let camp = Camp {
                king: squares(men(Role::King)).next()?,
                advisors: men(Role::Advisor),
                elephants: men(Role::Elephant),
            };
            digits.push(self.camps[color.index()].number(&camp)?.into());
        }
        for group in &self.groups {
            let men = placement.pieces[group.color.index()][group.role.index()];
            digits.push(rank(group, own_view(group.color, men))?);
        }
        Some(digits)
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
        for (group, &digit) in self.groups.iter().zip(&digits[2..]) {
            placement.pieces[group.color.index()][group.role.index()] =
                own_view(group.color, unrank(group, digit));
        }
        Some(placement)
    }

    /// What becomes of a value of a dimension when left and right are exchanged.
    fn mirrored_digit(&self, dimension: usize, digit: u64) -> u64 {
        let mirrored = match dimension {
            0 | 1 => self.camps[dimension]
                .camp(digit as u32)
                .and_then(|camp| self.camps[dimension].number(&camp.mirrored()))
                .map(u64::from),
            _ => {
                let group = &self.groups[dimension - 2];
                rank(group, mirror(unrank(group, digit)))
            }
        };
        // Every domain is its own mirror image.
        mirrored.unwrap_or(digit)
    }
}

/// A side's men as that side sees the board: as they are for red, turned for black.
fn own_view(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => set,
        Color::Black => flip(set),
    }
}

/// The number of a combination of squares of red's domain, in the combinatorial number system.
fn rank(group: &Group, men: Bitboard) -> Option<u64> {
    let domain = group.role.domain(Color::White);
    if men & !domain != 0 || men.count_ones() as usize != group.count {
        return None;
    }
    let place = |square: Square| u64::from((domain & (square.bit() - 1)).count_ones());
    Some(
        (1..)
            .zip(squares(men))
            .map(|(nth, square)| choose(place(square), nth))
            .sum(),
    )
}

fn unrank(group: &Group, number: u64) -> Bitboard {
    let domain: Vec<Square> = squares(group.role.domain(Color::White)).collect();
    let mut rest = number;
    let mut men = 0;
    for nth in (1..=group.count as u64).rev() {
        let place = (0..domain.len())
            .rev()
            .find(|&place| choose(place as u64, nth) <= rest)
            .unwrap_or(0);
        rest -= choose(place as u64, nth).min(rest);
        men |= domain[place].bit();
    }
    men
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
        let mut digits = vec![0; space.radices.len()];
        loop {
            visit(space.placement_of(&digits).unwrap());
            let Some(dimension) = (0..digits.len())
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
        for signature in ["KRvK", "KPvKA", "KPPvK", "KAvKP", "KCvKB"] {
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

    /// The number of legal positions, by the independent counts: KRvK has 3834 with red to move and 4914 with black.
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
