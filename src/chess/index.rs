//! Position <-> index: one bijection for every material.
//!
//! A position, up to the symmetries of the board, is a number in mixed radix. Its digits, the
//! *dimensions*, are
//!
//! | number | dimension | values |
//! |---|---|---|
//! | 0 | pawn placement, one out of each mirror pair | 1 without pawns |
//! | 1 | white king | 10 squares of the triangle a1-d1-d4 without pawns, else 64 |
//! | 2 | black king | 64 |
//! | 3, 4, … | each group of identical pieces, White's first, strongest first | `64 choose n` |
//!
//! and every table chooses their order, the slowest first, for each side to move: that is worth up
//! to a factor of three in compressed size.
//!
//! Every legal placement has exactly one index. Some indices are *holes*: two men on one square,
//! kings side by side, and the second of two placements that are mirror images of each other with
//! both kings on the long diagonal. Holes cost nothing in a file, since any value may stand there.
//!
//! # Example by hand
//!
//! KRvK has 10 * 64 * 64 = 40 960 indices for 28 056 different placements. White: king f2, rook h5;
//! Black: king d6.
//!
//! 1. The white king has to stand in the triangle. Left and right are exchanged: king c2, rook a5,
//!    black king e6, squares 10, 32 and 44 (a1 is 0, h1 is 7, h8 is 63).
//! 2. The squares of the triangle are a1, b1, c1, d1, b2, c2, d2, c3, d3, d4, so c2 is number 5.
//!    The digits are 0 (pawns), 5, 44, 32.
//! 3. In the natural order, with the rook fastest: `(5 * 64 + 44) * 64 + 32 = 23 328`. In the order
//!    white king, rook, black king: `(5 * 64 + 32) * 64 + 44 = 22 572`.
//!
//! With the white king on b2, which is on the long diagonal, the triangle does not tell a placement
//! from its mirror image across that diagonal. Then the black king decides: on e7, above the
//! diagonal, he goes to g5, and rook a5 to e1. So the digits that name king b2, king e7 and rook a5
//! are a hole. If he stands on the diagonal as well, the first group that is not its own mirror
//! image decides.
//!
//! Two rooks, on a2 and e3, are one digit: squares 8 and 20, `C(8, 1) + C(20, 2) = 8 + 190 = 198`
//! of `C(64, 2) = 2016`.

use super::material::Material;
use super::placement::{PawnPlacement, PawnSlices, binomial, rank_combination, unrank_combination};
use super::rules::{Board, Position, Role, Setup};
use super::symmetry;
use super::symmetry::{Symmetry, TRIANGLE};
use crate::game::Color;
use crate::reserve::Refused;

/// The most dimensions a material can have: pawns, two kings and five groups.
pub const MAX_DIMENSIONS: usize = 8;

/// The dimension of the pawn placement.
pub(crate) const PAWNS: usize = 0;
/// That of the white king, in the colours of the digits.
pub(crate) const WHITE_KING: usize = 1;
/// That of the black king.
pub(crate) const BLACK_KING: usize = 2;
/// That of the first group of identical pieces.
pub(crate) const FIRST_GROUP: usize = 3;

/// Identical pieces of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Whose they are.
    pub color: Color,
    /// What they are; neither pawn nor king.
    pub role: Role,
    /// How many there are.
    pub count: usize,
}

/// The men of a position as sets of squares, colours as the material has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Squares of each kind of man: `[color][role]`.
    pub men: [[u64; 6]; 2],
}

impl Placement {
    /// The men of one kind.
    #[must_use]
    #[inline(always)]
    pub const fn of(&self, color: Color, role: Role) -> u64 {
        self.men[color.index()][role.index()]
    }

    /// All occupied squares.
    #[must_use]
    pub fn occupied(&self) -> u64 {
        self.men.iter().flatten().fold(0, |all, set| all | set)
    }

    /// The colours exchanged and the board turned so that pawns walk the right way.
    #[must_use]
    #[inline]
    pub fn with_colors_exchanged(&self) -> Placement {
        let [white, black] = self.men;
        Placement {
            men: [black.map(u64::swap_bytes), white.map(u64::swap_bytes)],
        }
    }

    /// The same men without White's king.
    #[cfg(feature = "generate")]
    #[must_use]
    pub(crate) fn without_white_king(mut self) -> Placement {
        self.men[0][Role::King.index()] = 0;
        self
    }

    /// The position with a side to move, without castling or en-passant rights, the clock at zero;
    /// nothing if the men are no legal position.
    #[must_use]
    pub fn position(&self, turn: Color) -> Option<Position> {
        let setup = Setup {
            pieces: self.men,
            turn,
            ..Setup::empty()
        };
        Position::from_setup(&setup).ok()
    }

    /// The number of men of each kind.
    #[must_use]
    pub fn counts(&self) -> [[u8; 6]; 2] {
        self.men.map(|side| side.map(|set| set.count_ones() as u8))
    }
}

/// The men of a board.
impl From<&Board> for Placement {
    #[inline]
    fn from(board: &Board) -> Placement {
        Placement {
            men: Color::ALL.map(|color| Role::ALL.map(|role| board.pieces(color, role))),
        }
    }
}

/// The men of a position.
impl From<&Position> for Placement {
    #[inline]
    fn from(position: &Position) -> Placement {
        position.board().into()
    }
}

/// The digits of one position.
pub type Digits = [u32; MAX_DIMENSIONS];

/// The dimensions of a material.
#[derive(Clone, Debug)]
pub struct IndexSpace {
    material: Material,
    pawns: PawnSlices,
    groups: Vec<Group>,
    radices: [u32; MAX_DIMENSIONS],
}

/// An order of dimensions is not one of the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the order of pieces does not fit the material")]
pub struct OrderError;

/// The order of the dimensions of a material, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Numbers of dimensions; those past the material's are not used.
    dimensions: [u8; MAX_DIMENSIONS],
    count: usize,
    /// For each dimension by number, how far apart its neighbours are.
    strides: [u64; MAX_DIMENSIONS],
}

/// The groups of like men, kings and pawns aside.
fn groups_of(material: &Material) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (color, role) in material.men_without_kings() {
        if role == Role::Pawn {
            continue;
        }
        match groups.last_mut() {
            Some(group) if (group.color, group.role) == (color, role) => group.count += 1,
            _ => groups.push(Group {
                color,
                role,
                count: 1,
            }),
        }
    }
    groups
}

/// How many values each dimension has.
fn radices(material: &Material, groups: &[Group], slices: usize) -> [u32; MAX_DIMENSIONS] {
    let mut radices = [1; MAX_DIMENSIONS];
    radices[PAWNS] = slices as u32;
    radices[WHITE_KING] = if material.has_pawns() { 64 } else { 10 };
    radices[BLACK_KING] = 64;
    for (radix, group) in radices[FIRST_GROUP..].iter_mut().zip(groups) {
        *radix = binomial(64, group.count) as u32;
    }
    radices
}

impl IndexSpace {
    /// The dimensions of a material.
    ///
    /// # Panics
    ///
    /// If the material has more men than [`crate::chess::material::MAX_MEN`].
    #[must_use]
    pub fn new(material: Material) -> IndexSpace {
        IndexSpace::try_new(material).unwrap_or_else(|refused| refused.abort())
    }

    /// The same, if there is memory for it.
    pub(crate) fn try_new(material: Material) -> Result<IndexSpace, Refused> {
        let groups = groups_of(&material);
        let pawns = PawnSlices::try_new(&material)?;
        let radices = radices(&material, &groups, pawns.len());
        Ok(IndexSpace {
            material,
            pawns,
            groups,
            radices,
        })
    }

    /// The number of indices with the pawns on given squares, without making the pawn placements.
    #[must_use]
    pub fn len_of_slice(material: &Material) -> u64 {
        let radices = radices(material, &groups_of(material), 1);
        radices.iter().map(|&radix| u64::from(radix)).product()
    }

    /// The material, in the colours the digits are for.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The pawn placements.
    #[must_use]
    pub fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    /// The groups of identical pieces, in the order of their dimensions.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        FIRST_GROUP + self.groups.len()
    }

    /// How many values a dimension has.
    #[must_use]
    pub fn radix(&self, dimension: usize) -> u32 {
        self.radices[dimension]
    }

    /// The number of indices, holes included.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        self.radices.iter().map(|&radix| u64::from(radix)).product()
    }

    /// An order given by the numbers of the dimensions, slowest first.
    ///
    /// # Errors
    ///
    /// If a number is missing, repeated or not a dimension of the material. Bytes past the
    /// material's dimensions must be `u8::MAX`.
    pub fn order(&self, dimensions: &[u8]) -> Result<Order, OrderError> {
        let count = self.dimensions();
        let (used, rest) = dimensions.split_at_checked(count).ok_or(OrderError)?;
        if rest.iter().any(|&byte| byte != u8::MAX) {
            return Err(OrderError);
        }
        let mut order = Order {
            dimensions: [u8::MAX; MAX_DIMENSIONS],
            count,
            strides: [0; MAX_DIMENSIONS],
        };
        order.dimensions[..count].copy_from_slice(used);
        let mut stride = 1;
        for &dimension in used.iter().rev() {
            let dimension = usize::from(dimension);
            if dimension >= count || order.strides[dimension] != 0 {
                return Err(OrderError);
            }
            order.strides[dimension] = stride;
            stride *= u64::from(self.radices[dimension]);
        }
        Ok(order)
    }

    /// The dimensions in the order of their numbers: pawn placement, white king, black king,
    /// groups.
    ///
    /// Indices that have to be understood without a table's own order, such as those of the longest
    /// wins, are in this one.
    #[must_use]
    pub fn natural_order(&self) -> Order {
        let mut order = Order {
            dimensions: [u8::MAX; MAX_DIMENSIONS],
            count: self.dimensions(),
            strides: [0; MAX_DIMENSIONS],
        };
        let mut stride = 1;
        for dimension in (0..order.count).rev() {
            order.dimensions[dimension] = dimension as u8;
            order.strides[dimension] = stride;
            stride *= u64::from(self.radices[dimension]);
        }
        order
    }

    /// Every order of the dimensions; the pawn placement stays the slowest.
    #[must_use]
    pub fn all_orders(&self) -> Vec<Order> {
        let mut orders = Vec::new();
        let mut rest: Vec<u8> = (1..self.dimensions() as u8).collect();
        permute(&mut rest, 0, &mut |permuted| {
            let dimensions: Vec<u8> = std::iter::once(0).chain(permuted.iter().copied()).collect();
            orders.extend(self.order(&dimensions));
        });
        orders
    }

    /// The digits of a placement.
    ///
    /// # Panics
    ///
    /// If its men are not those of the material.
    #[must_use]
    #[inline]
    pub fn digits(&self, placement: &Placement) -> Digits {
        let white_king = placement.of(Color::White, Role::King).trailing_zeros() as u8;
        let black_king = placement.of(Color::Black, Role::King).trailing_zeros() as u8;
        let mut digits = [0; MAX_DIMENSIONS];
        let symmetry = if self.material.has_pawns() {
            let (slice, mirrored) = self.pawns.locate(PawnPlacement {
                white: placement.of(Color::White, Role::Pawn),
                black: placement.of(Color::Black, Role::Pawn),
            });
            digits[PAWNS] = slice as u32;
            let symmetry = Symmetry::mirrored(mirrored);
            digits[WHITE_KING] = u32::from(symmetry.map(white_king));
            symmetry
        } else {
            let symmetry = self.symmetry(placement, white_king, black_king);
            digits[WHITE_KING] = symmetry::triangle_place(symmetry.map(white_king)) as u32;
            symmetry
        };
        digits[BLACK_KING] = u32::from(symmetry.map(black_king));
        for (digit, group) in digits[FIRST_GROUP..].iter_mut().zip(&self.groups) {
            let set = placement.of(group.color, group.role);
            *digit = if group.count == 1 {
                u32::from(symmetry.map(set.trailing_zeros() as u8))
            } else {
                rank_combination(symmetry.inverse().pull(set)) as u32
            };
        }
        digits
    }

    /// The symmetry that takes a pawnless placement to the one that is stored.
    #[inline]
    fn symmetry(&self, placement: &Placement, white_king: u8, black_king: u8) -> Symmetry {
        let symmetry = symmetry::into_triangle(white_king);
        if !symmetry::is_on_diagonal(symmetry.map(white_king)) {
            return symmetry;
        }
        let king = symmetry.map(black_king);
        let transpose = if !symmetry::is_on_diagonal(king) {
            king >> 3 > king & 7
        } else {
            self.groups
                .iter()
                .map(|group| {
                    symmetry
                        .inverse()
                        .pull(placement.of(group.color, group.role))
                })
                .find(|&set| symmetry::transpose(set) != set)
                .is_some_and(|set| symmetry::transpose(set) < set)
        };
        if transpose {
            symmetry.then_transpose()
        } else {
            symmetry
        }
    }

    /// The placement with these digits, or nothing if they are a hole: men on one square, or a
    /// placement stored under the digits of its mirror image. Kings side by side are not noticed.
    #[must_use]
    pub fn placement(&self, digits: &Digits) -> Option<Placement> {
        let mut men = [[0u64; 6]; 2];
        let white_king = if self.material.has_pawns() {
            digits[WHITE_KING] as u8
        } else {
            TRIANGLE[digits[WHITE_KING] as usize]
        };
        men[Color::White.index()][Role::King.index()] = 1 << white_king;
        men[Color::Black.index()][Role::King.index()] = 1 << digits[BLACK_KING];
        let pawns = self.pawns.placement(digits[PAWNS] as usize);
        men[Color::White.index()][Role::Pawn.index()] = pawns.white;
        men[Color::Black.index()][Role::Pawn.index()] = pawns.black;
        for (&digit, group) in digits[FIRST_GROUP..].iter().zip(&self.groups) {
            men[group.color.index()][group.role.index()] =
                unrank_combination(digit as usize, group.count);
        }
        let placement = Placement { men };
        let distinct = placement.occupied().count_ones() as usize == self.material.men();
        (distinct && self.digits(&placement) == *digits).then_some(placement)
    }

    /// The men and the position at an index in the [natural order](Self::natural_order); nothing if
    /// the index is too large, a hole, or no legal position with that side to move.
    #[must_use]
    pub fn position(&self, index: u64, turn: Color) -> Option<(Placement, Position)> {
        if index >= self.len() {
            return None;
        }
        let placement = self.placement(&self.natural_order().digits(index))?;
        Some((placement, placement.position(turn)?))
    }

    /// How many placements on the full board a stored one stands for.
    ///
    /// Without pawns the board has eight symmetries, and only a placement with all men on the long
    /// diagonal, or with identical men exchanged by it, is its own image under one of them. With
    /// pawns there is left and right; where the pawns alone are their own mirror image, both
    /// placements have an index.
    #[must_use]
    pub fn weight(&self, placement: &Placement) -> u64 {
        if self.material.has_pawns() {
            let pawns = Color::ALL.map(|color| placement.of(color, Role::Pawn));
            if pawns.map(symmetry::mirror) == pawns {
                1
            } else {
                2
            }
        } else {
            let is_own_image = |&set: &u64| symmetry::transpose(set) == set;
            if placement.men.as_flattened().iter().all(is_own_image) {
                4
            } else {
                8
            }
        }
    }
}

impl Order {
    /// The index of a position.
    #[must_use]
    #[inline(always)]
    pub fn index(&self, digits: &Digits) -> u64 {
        digits
            .iter()
            .zip(&self.strides)
            .map(|(&digit, &stride)| u64::from(digit) * stride)
            .sum()
    }

    /// The digits of an index below the number of indices.
    #[must_use]
    pub fn digits(&self, index: u64) -> Digits {
        let mut digits = [0; MAX_DIMENSIONS];
        let mut rest = index;
        for &dimension in self.dimensions() {
            let stride = self.strides[usize::from(dimension)];
            digits[usize::from(dimension)] = (rest / stride) as u32;
            rest %= stride;
        }
        digits
    }

    /// The numbers of the dimensions, slowest first.
    #[must_use]
    pub fn dimensions(&self) -> &[u8] {
        &self.dimensions[..self.count]
    }
}

fn permute(items: &mut Vec<u8>, from: usize, visit: &mut impl FnMut(&[u8])) {
    if from == items.len() {
        visit(items);
    }
    for next in from..items.len() {
        items.swap(from, next);
        permute(items, from + 1, visit);
        items.swap(from, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The men of a FEN.
    fn men(fen: &str) -> Placement {
        Placement::from(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn the_example_by_hand_is_right() {
        let space = IndexSpace::new("KRvK".parse().unwrap());
        assert_eq!(space.len(), 40_960);
        let digits = space.digits(&men("8/8/3k4/7R/8/8/5K2/8 w - - 0 1"));
        assert_eq!(digits[..4], [0, 5, 44, 32]);
        assert_eq!(space.natural_order().index(&digits), 23_328);
        assert_eq!(
            space
                .order(&[0, 1, 3, 2, 255, 255, 255, 255])
                .unwrap()
                .index(&digits),
            22_572
        );
        let twins = [
            "8/4k3/8/R7/8/8/1K6/8 w - - 0 1",
            "8/8/8/6k1/8/8/1K6/4R3 w - - 0 1",
        ];
        let [above, below] = twins.map(|fen| space.digits(&men(fen)));
        assert_eq!(above, below);
        assert_eq!(below[..4], [0, 4, 38, 4]);
        assert_eq!(space.placement(&[0, 4, 52, 32, 0, 0, 0, 0]), None);
        let space = IndexSpace::new("KRRvK".parse().unwrap());
        let digits = space.digits(&men("8/8/8/4k3/8/4R3/R7/2K5 b - - 0 1"));
        assert_eq!((digits[3], space.radix(3)), (198, 2_016));
    }

    #[test]
    fn every_index_is_a_hole_or_its_own() {
        for signature in ["KQvK", "KRRvK", "KPvK", "KQvKR", "KPvKP", "KPPvK"] {
            let space = IndexSpace::new(signature.parse().unwrap());
            for order in space.all_orders().iter().take(3) {
                let mut stored = 0;
                for index in (0..space.len()).step_by(if space.len() > 100_000 { 97 } else { 1 }) {
                    let digits = order.digits(index);
                    assert_eq!(order.index(&digits), index);
                    if let Some(placement) = space.placement(&digits) {
                        assert_eq!(space.digits(&placement), digits);
                        stored += 1;
                    }
                }
                assert!(stored > 0);
            }
        }
    }

    #[test]
    fn symmetric_placements_share_an_index() {
        let space = IndexSpace::new("KRRvKN".parse().unwrap());
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            1u64 << (seed >> 58)
        };
        for _ in 0..20_000 {
            let mut placement = Placement::default();
            placement.men[0][Role::King.index()] = random();
            placement.men[1][Role::King.index()] = random();
            placement.men[0][Role::Rook.index()] = random() | random();
            placement.men[1][Role::Knight.index()] = random();
            if placement.occupied().count_ones() != 5 {
                continue;
            }
            let digits = space.digits(&placement);
            assert!(space.placement(&digits).is_some());
            for index in 0..Symmetry::COUNT {
                let symmetry = Symmetry::from_index(index);
                let turned = Placement {
                    men: placement.men.map(|side| side.map(|set| symmetry.pull(set))),
                };
                assert_eq!(space.digits(&turned), digits);
            }
        }
    }

    #[test]
    fn weights_add_up_to_the_full_board() {
        let squares = |men: u64| (64 - men..64).map(|n| n + 1).product::<u64>();
        // Two rooks are not told apart; a pawn has 48 squares.
        for (signature, placements) in [
            ("KQvK", squares(3)),
            ("KRRvK", squares(4) / 2),
            ("KPvK", 48 * 63 * 62),
            ("KPPvK", 48 * 47 / 2 * 62 * 61),
        ] {
            let space = IndexSpace::new(signature.parse().unwrap());
            let order = space.natural_order();
            let sum: u64 = (0..space.len())
                .filter_map(|index| space.placement(&order.digits(index)))
                .map(|placement| space.weight(&placement))
                .sum();
            assert_eq!(sum, placements, "{signature}");
            let of_slice = IndexSpace::len_of_slice(space.material());
            assert_eq!(
                of_slice * space.pawns().len() as u64,
                space.len(),
                "{signature}"
            );
        }
    }

    #[test]
    fn positions_come_from_the_index_of_their_men() {
        let space = IndexSpace::new("KRvK".parse().unwrap());
        let order = space.natural_order();
        for index in 0..space.len() {
            for turn in Color::ALL {
                let Some((placement, position)) = space.position(index, turn) else {
                    continue;
                };
                assert_eq!(placement, Placement::from(&position));
                assert_eq!(order.index(&space.digits(&placement)), index);
                assert_eq!(position.turn(), turn);
            }
        }
        assert!(space.position(space.len(), Color::White).is_none());
    }

    #[test]
    fn orders_are_checked() {
        let space = IndexSpace::new("KQvKR".parse().unwrap());
        assert_eq!(space.all_orders().len(), 24);
        assert!(space.order(&[0, 1, 2, 3, 4, 255, 255]).is_ok());
        assert!(space.order(&[0, 1, 2, 3, 3]).is_err());
        assert!(space.order(&[0, 1, 2, 3]).is_err());
        assert!(space.order(&[0, 1, 2, 3, 4, 5]).is_err());
    }
}
