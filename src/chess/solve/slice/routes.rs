//! Where the zeroing moves of a slice lead, before it is known where the pieces stand.
//!
//! A capture leads from a word of one material to a word of another. The black king is the bit of
//! both words, so only the address has to be found, and how the board has to be turned. Both follow
//! from the squares by adding table entries; a [`Route`] has these tables, one for each man that
//! can be taken.
//!
//! # Example by hand
//!
//! KQvKR. Addressed are the white king (his place in the triangle a1-d1-d4), the queen and the
//! rook, the last one fastest:
//!
//! ```text
//! KQvKR:  address = (place(K) * 64 + Q) * 64 + r        place: a1 b1 c1 d1 b2 c2 d2 c3 d3 d4 = 0 to 9
//! KQvK:   address =  place(K) * 64 + Q
//! ```
//!
//! White: king c2, queen d1; Black: rook d5. Squares 10, 3 and 35, place of the king 5: address
//! `(5 * 64 + 3) * 64 + 35 = 20 707`.
//!
//! *Queen takes rook.* King c2 and queen d5 remain: address `5 * 64 + 35 = 355` of KQvK, Black to
//! move. The king is in the triangle, so nothing is turned, and bit `i` of word 355 says what the
//! position with the black king on `i` is worth. The route has `kings[10].address = 5 * 64` and,
//! for that king's symmetry, `offsets[queen][35] = 35`; [`Route::locate`] adds them. From 64
//! positions of KQvKR at once come 64 values.
//!
//! *King takes rook*, from d2 on e3, with the queen on a5. Afterwards the king is outside the
//! triangle, on e3 = 20. Mirrored he stands on d3 = 19, place 8, and the queen on h5 = 39: address
//! `8 * 64 + 39 = 551`. So `kings[20]` has the address `8 * 64` and the mirroring, and its offsets
//! have 39 for a queen on a5 = 32. The word that is read there has to be turned back: the position
//! with the black king on g7 = 54 is bit 49, b7.
//!
//! With pawns the board can only be mirrored, once for the whole slice: the pawns after the move
//! are found among those of the other material, or their mirror image is, and that says it for all
//! addresses.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::promotion::PromotionViews;
use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::rules::{Role, attacks};
use crate::chess::solve::SolveOptions;
use crate::chess::solve::board::square;
use crate::chess::solve::board::{ChessBoard, addressed_men};
use crate::chess::solve::own::{OwnRead, OwnSlices};
use crate::chess::solve::space::Space;
use crate::chess::solve::view::{CaptureSource, SideView, ViewWords};
use crate::chess::symmetry;
use crate::chess::symmetry::Symmetry;
use crate::game::{Bits, Color};

/// What the moves of a material lead to.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// What captures lead to, laid out with the colours of the material.
    pub captures: HashMap<Material, Arc<dyn CaptureSource>>,
    /// What promotions without capture lead to.
    pub promotions: HashMap<(Color, Role), PromotionViews>,
}

/// Where a position after a zeroing move is found.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// Nothing for bare kings.
    pub(super) view: Option<Arc<SideView<'static>>>,
    /// For each square of the white king, what it means for the address.
    kings: Box<[KingPlace; 64]>,
    /// For each symmetry that can occur and each man before the move but the first, what each of
    /// his squares adds.
    offsets: Vec<[u32; 64]>,
    men: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct KingPlace {
    symmetry: Symmetry,
    /// Where the offsets of this symmetry begin.
    offsets: u32,
    /// From the first word of the view on, so below zero where only later words are there. The word
    /// that is meant is one of the view, so 32 bits of it are enough: all sums wrap.
    address: u32,
}

impl Route {
    /// The word with the positions after a move, and the symmetry that turned the board; `moved` is
    /// a man and the square he goes to.
    #[inline(always)]
    pub(super) fn locate(&self, squares: &[u8], moved: Option<(usize, u8)>) -> (usize, Symmetry) {
        let square_of = |man: usize| {
            usize::from(match moved {
                Some((mover, to)) if mover == man => to,
                _ => squares[man],
            })
        };
        let place = self.kings[square_of(0) & 63];
        let offsets = &self.offsets[place.offsets as usize..][..self.men];
        let mut address = place.address;
        for (man, offsets) in offsets.iter().enumerate() {
            address = address.wrapping_add(offsets[square_of(man + 1) & 63]);
        }
        (address as usize, place.symmetry)
    }

    /// The same for every square of the last man, who does not move.
    #[inline(always)]
    pub(super) fn locate_row(
        &self,
        squares: &[u8],
        moved: Option<(usize, u8)>,
    ) -> ([u32; 64], Symmetry) {
        let (on_this, symmetry) = self.locate(squares, moved);
        let king = match moved {
            Some((0, to)) => to,
            _ => squares[0],
        };
        let first = self.kings[usize::from(king) & 63].offsets as usize;
        let offsets = &self.offsets[first + self.men - 1];
        let this = offsets[usize::from(squares[self.men]) & 63];
        let mut addresses = [0; 64];
        for (address, offset) in addresses.iter_mut().zip(offsets) {
            *address = (on_this as u32).wrapping_sub(this).wrapping_add(*offset);
        }
        (addresses, symmetry)
    }
}

/// A pawn's move within the board, before it is known what stands around.
#[derive(Clone, Debug)]
pub(super) struct PawnMove {
    pub(super) to: u8,
    /// The square a double step passes.
    pub(super) passed: Option<u8>,
    /// The addressed man taken, by number; he must be on `to`.
    pub(super) victim: Option<usize>,
    pub(super) conversion: bool,
    pub(super) route: Route,
    /// What en-passant captures in reply lead to.
    pub(super) en_passant: Vec<Route>,
}

impl PawnMove {
    /// Whether it only promotes; pawns that are taken never stand on a last rank.
    pub(super) fn is_quiet_promotion(&self) -> bool {
        self.conversion && self.victim.is_none() && !(8..56).contains(&self.to)
    }
}

/// Everything about a slice that does not depend on the address.
#[derive(Debug)]
pub struct SliceRules<'a> {
    pub(super) space: &'a Space<ChessBoard>,
    pub(super) men: Vec<(Color, Role)>,
    pub(super) placement: PawnPlacement,
    /// Captures of each addressed man by a piece; none for the white king.
    pub(super) captures_of_men: Vec<Option<Route>>,
    /// Captures of each pawn by a piece.
    pub(super) captures_of_pawns: Vec<(Color, u8, Route)>,
    /// Moves of each side's pawns.
    pub(super) pawn_moves: [Vec<PawnMove>; 2],
    pub(super) with_scores: bool,
    pub(super) captures_alone: bool,
    /// Whether a byte is not enough for the scores of zeroing moves.
    pub(super) is_wide: bool,
}

/// Which zeroing moves of a slice are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroingMoves {
    /// All of them.
    All,
    /// Those that change the material, so that no other slice of it has to be solved.
    Conversions,
}

/// Why what the moves of a slice lead to is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unprepared {
    /// A material that a move leads to is not among the targets.
    MissingTarget(Material),
    /// The scratch file cannot be read.
    Scratch(io::ErrorKind),
}

impl From<io::Error> for Unprepared {
    fn from(error: io::Error) -> Unprepared {
        Unprepared::Scratch(error.kind())
    }
}

/// A move that leaves the slice.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    /// The addressed man who is taken.
    victim: Option<usize>,
    /// The pawn that becomes another man: whose, from which square, what and where.
    promotion: Option<(Color, u8, Role, u8)>,
    /// The pawns afterwards.
    pawns: PawnPlacement,
    /// Who moves next.
    next: Color,
}

struct RouteFinder<'a> {
    material: Material,
    men: Vec<(Color, Role)>,
    slice: usize,
    /// Words of a set.
    words: usize,
    /// Those from which moves are made.
    addresses: Range<usize>,
    own: &'a OwnSlices<'a>,
    targets: &'a Targets,
    moves: ZeroingMoves,
}

/// Where the address of a man after a move comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Man(usize),
    Promoted(u8),
}

impl RouteFinder<'_> {
    fn material_after(&self, leaving: &Leaving) -> Material {
        let mut counts = [[0u8; 6]; 2];
        for (number, &(color, role)) in self.men.iter().enumerate() {
            counts[color.index()][role.index()] += u8::from(Some(number) != leaving.victim);
        }
        if let Some((color, _, role, _)) = leaving.promotion {
            counts[color.index()][role.index()] += 1;
        }
        counts[Color::Black.index()][Role::King.index()] += 1;
        for color in Color::ALL {
            counts[color.index()][Role::Pawn.index()] = leaving.pawns.of(color).count_ones() as u8;
        }
        Material::from_counts(counts).unwrap_or(Material::BARE_KINGS)
    }

    fn route(&self, leaving: Leaving) -> Result<Route, Unprepared> {
        let material = self.material_after(&leaving);
        let missing = || Unprepared::MissingTarget(material);
        if material == Material::BARE_KINGS {
            return Ok(Route {
                view: None,
                kings: Box::new([KingPlace::default(); 64]),
                offsets: Vec::new(),
                men: 0,
            });
        }
        if material == self.material {
            let (slice, mirrored) = self.own.pawns.locate(leaving.pawns);
            let addresses = match mirrored {
                true => self.mirrored_addresses(),
                false => self.addresses.clone(),
            };
            let view = self.own.view(slice, leaving.next, &addresses)?;
            let view = view.ok_or_else(missing)?;
            return Ok(self.address_after(&leaving, &material, mirrored, view));
        }
        if let (None, Some((color, from, role, _))) = (leaving.victim, leaving.promotion) {
            let views = self.targets.promotions.get(&(color, role));
            let view = views
                .and_then(|views| views.view(self.slice, from, &self.addresses))
                .ok_or_else(missing)?;
            // Laid out as the slice itself.
            let leaving = Leaving {
                promotion: None,
                ..leaving
            };
            return Ok(self.address_after(&leaving, &self.material, false, view));
        }
        let whole = self.targets.captures.get(&material).ok_or_else(missing)?;
        let (slice, mirrored) = whole.pawns().locate(leaving.pawns);
        let view = whole.side(slice, leaving.next).ok_or_else(missing)?;
        let view = ViewWords { view, first: 0 };
        Ok(self.address_after(&leaving, &material, mirrored, view))
    }

    /// Where the addresses from which moves are made are in a slice that is seen mirrored, and some
    /// more: the white king stays on his rank.
    fn mirrored_addresses(&self) -> Range<usize> {
        let of_rank = self.words / 8;
        let Range { start, end } = self.addresses;
        start / of_rank * of_rank..end.div_ceil(of_rank) * of_rank
    }

    /// How the addresses in a view of a layout follow from the squares before the move.
    fn address_after(
        &self,
        leaving: &Leaving,
        layout: &Material,
        mirrored: bool,
        ViewWords { view, first }: ViewWords,
    ) -> Route {
        let mut before: Vec<((Color, Role), Origin)> = self
            .men
            .iter()
            .enumerate()
            .filter(|&(number, _)| Some(number) != leaving.victim)
            .map(|(number, &man)| (man, Origin::Man(number)))
            .collect();
        if let Some((color, _, role, square)) = leaving.promotion {
            before.push(((color, role), Origin::Promoted(square)));
        }
        let after = addressed_men(layout);
        let men = self.men.len() - 1;
        let symmetries: Vec<Symmetry> = match layout.has_pawns() {
            true => vec![Symmetry::mirrored(mirrored)],
            false => (0..Symmetry::COUNT).map(Symmetry::from_index).collect(),
        };
        let mut offsets = vec![[0; 64]; symmetries.len() * men];
        let mut fixed = vec![0; symmetries.len()];
        for (number, man) in after.iter().enumerate().skip(1) {
            let stride = 1u32 << (6 * (after.len() - 1 - number));
            let found = before.iter().position(|(other, _)| other == man);
            let origin = found.map_or(Origin::Man(0), |at| before.remove(at).1);
            for (slot, symmetry) in symmetries.iter().enumerate() {
                let contribution = |square: u8| stride * u32::from(symmetry.map(square));
                match origin {
                    Origin::Man(before) => {
                        offsets[slot * men + before - 1] =
                            std::array::from_fn(|square| contribution(square as u8));
                    }
                    Origin::Promoted(square) => fixed[slot] += contribution(square),
                }
            }
        }
        let king_stride = 1u32 << (6 * (after.len() - 1));
        let kings = Box::new(std::array::from_fn(|square| {
            let square = square as u8;
            let (symmetry, slot) = match layout.has_pawns() {
                true => (symmetries[0], 0),
                false => {
                    let symmetry = symmetry::into_triangle(square);
                    (symmetry, symmetry.index())
                }
            };
            let turned = symmetry.map(square);
            let place = match layout.has_pawns() {
                true => u32::from(turned),
                false => symmetry::triangle_place(turned) as u32,
            };
            KingPlace {
                symmetry,
                offsets: (slot * men) as u32,
                address: (place.wrapping_mul(king_stride))
                    .wrapping_add(fixed[slot])
                    .wrapping_sub(first as u32),
            }
        }));
        Route {
            view: Some(view),
            kings,
            offsets,
            men,
        }
    }
}

impl<'a> SliceRules<'a> {
    /// Prepares zeroing moves at some addresses of one slice of `own`, of which those they lead to
    /// are solved.
    ///
    /// # Errors
    ///
    /// If a material that a move leads to is not among `targets`, or the scratch file cannot be
    /// read.
    pub fn new(
        space: &'a Space<ChessBoard>,
        own: &OwnSlices<'_>,
        slice: usize,
        targets: &Targets,
        options: &SolveOptions<'_>,
        addresses: Range<usize>,
        moves: ZeroingMoves,
    ) -> Result<SliceRules<'a>, Unprepared> {
        let placement = own.pawns.placement(slice);
        let finder = RouteFinder {
            material: own.material,
            men: addressed_men(&own.material),
            slice,
            words: space.words,
            addresses,
            own,
            targets,
            moves,
        };
        let captures_of_men: Vec<Option<Route>> = finder
            .men
            .iter()
            .enumerate()
            .map(|(victim, &(owner, _))| {
                let leaving = Leaving {
                    victim: Some(victim),
                    promotion: None,
                    pawns: placement,
                    next: owner,
                };
                (victim > 0).then(|| finder.route(leaving)).transpose()
            })
            .collect::<Result<_, _>>()?;
        let mut captures_of_pawns = Vec::new();
        let mut pawn_moves = [Vec::new(), Vec::new()];
        for color in Color::ALL {
            for from in placement.of(color).ones() {
                let rest = placement.with(color, placement.of(color) & !(1 << from));
                let route = finder.route(Leaving {
                    victim: None,
                    promotion: None,
                    pawns: rest,
                    next: color,
                })?;
                captures_of_pawns.push((color, from as u8, route));
                finder.pawn_moves(placement, color, from as u8, &mut pawn_moves[color.index()])?;
            }
        }
        let routes = captures_of_men.iter().flatten();
        let routes = routes.chain(captures_of_pawns.iter().map(|(_, _, route)| route));
        let pawn_moves_of_both = || pawn_moves.iter().flatten();
        let routes = routes.chain(pawn_moves_of_both().map(|pawn_move| &pawn_move.route));
        // The capture is a move further away than the push that allows it.
        let en_passant = pawn_moves_of_both().flat_map(|pawn_move| &pawn_move.en_passant);
        let further = en_passant.map(|route| (route, 2));
        let is_wide = (routes.map(|route| (route, 1)).chain(further)).any(|(route, moves)| {
            route.view.as_deref().is_some_and(|view| {
                let is_too_long = view.longest.0 + moves > options.longest_in_bytes.0;
                view.scores.are_wide() || options.mates && is_too_long
            })
        });
        Ok(SliceRules {
            is_wide,
            space,
            placement,
            captures_of_men,
            captures_of_pawns,
            pawn_moves,
            with_scores: options.mates,
            captures_alone: options.captures_alone,
            men: finder.men,
        })
    }
}

/// The pawns after a step and after a double step, as far as no pawn is in the way; nothing where
/// the step promotes.
fn pushes(placement: PawnPlacement, color: Color, from: u8) -> [Option<PawnPlacement>; 2] {
    let (ahead, home_rank) = match color {
        Color::White => (8i8, 1),
        Color::Black => (-8, 6),
    };
    let step = from.wrapping_add_signed(ahead);
    if !(8..56).contains(&step) || placement.all() >> step & 1 == 1 {
        return [None; 2];
    }
    let rest = placement.of(color) & !(1 << from);
    let moved = |to: u8| placement.with(color, rest | 1 << to);
    let double = step.wrapping_add_signed(ahead);
    let is_free = from / 8 == home_rank && placement.all() >> double & 1 == 0;
    [Some(moved(step)), is_free.then(|| moved(double))]
}

/// The sides of other slices of a material that the moves of one lead to.
#[must_use]
pub fn own_reads(pawns: &PawnSlices, slice: usize) -> Vec<OwnRead> {
    let placement = pawns.placement(slice);
    let mut reads = Vec::new();
    for color in Color::ALL {
        for from in placement.of(color).ones() {
            let after = pushes(placement, color, from as u8);
            reads.extend(after.into_iter().flatten().map(|to| {
                let (slice, is_mirrored) = pawns.locate(to);
                OwnRead {
                    slice,
                    side: (!color).index(),
                    is_mirrored,
                }
            }));
        }
    }
    // One that is read both ways is read twice.
    reads.sort_unstable();
    reads.dedup();
    reads
}

impl RouteFinder<'_> {
    fn pawn_moves(
        &self,
        placement: PawnPlacement,
        color: Color,
        from: u8,
        moves: &mut Vec<PawnMove>,
    ) -> Result<(), Unprepared> {
        let ahead = match color {
            Color::White => 8i8,
            Color::Black => -8,
        };
        let step = from.wrapping_add_signed(ahead);
        if placement.all() >> step & 1 == 0 {
            self.arrivals(placement, color, (from, step), None, moves)?;
        }
        if let [_, Some(pushed)] = pushes(placement, color, from)
            && self.moves == ZeroingMoves::All
        {
            let double = step.wrapping_add_signed(ahead);
            let beside = placement.of(!color) & neighbours_on_rank(double);
            let en_passant = beside
                .ones()
                .map(|taker| {
                    let takers = placement.of(!color) & !(1 << taker) | 1 << step;
                    let rest = placement.of(color) & !(1 << from);
                    self.route(Leaving {
                        victim: None,
                        promotion: None,
                        pawns: placement.with(color, rest).with(!color, takers),
                        next: color,
                    })
                })
                .collect::<Result<_, _>>()?;
            moves.push(PawnMove {
                to: double,
                passed: Some(step),
                victim: None,
                conversion: false,
                route: self.route(Leaving {
                    victim: None,
                    promotion: None,
                    pawns: pushed,
                    next: !color,
                })?,
                en_passant,
            });
        }
        for to in attacks::pawn(color, square(from)).ones() {
            let to = to as u8;
            if placement.of(color) >> to & 1 == 1 {
                continue;
            }
            if placement.of(!color) >> to & 1 == 1 {
                let taker = placement.of(color) & !(1 << from) | 1 << to;
                let taken = placement.of(!color) & !(1 << to);
                moves.push(PawnMove {
                    to,
                    passed: None,
                    victim: None,
                    conversion: true,
                    route: self.route(Leaving {
                        victim: None,
                        promotion: None,
                        pawns: placement.with(color, taker).with(!color, taken),
                        next: !color,
                    })?,
                    en_passant: Vec::new(),
                });
                continue;
            }
            for (victim, &(owner, role)) in self.men.iter().enumerate() {
                if owner != color && role != Role::King {
                    self.arrivals(placement, color, (from, to), Some(victim), moves)?;
                }
            }
        }
        Ok(())
    }

    /// A pawn arriving on a square, as itself or promoted, maybe taking an addressed man there.
    fn arrivals(
        &self,
        placement: PawnPlacement,
        color: Color,
        (from, to): (u8, u8),
        victim: Option<usize>,
        moves: &mut Vec<PawnMove>,
    ) -> Result<(), Unprepared> {
        let rest = placement.of(color) & !(1 << from);
        let mut arrive = |conversion, pawns, promotion| -> Result<(), Unprepared> {
            moves.push(PawnMove {
                to,
                passed: None,
                victim,
                conversion,
                route: self.route(Leaving {
                    victim,
                    promotion,
                    pawns: placement.with(color, pawns),
                    next: !color,
                })?,
                en_passant: Vec::new(),
            });
            Ok(())
        };
        if (8..56).contains(&to) {
            return match (self.moves, victim) {
                (ZeroingMoves::Conversions, None) => Ok(()),
                _ => arrive(victim.is_some(), rest | 1 << to, None),
            };
        }
        for role in Role::PROMOTIONS {
            arrive(true, rest, Some((color, from, role, to)))?;
        }
        Ok(())
    }
}

fn neighbours_on_rank(square: u8) -> u64 {
    let bit = 1u64 << square;
    let rank = 0xffu64 << (square & !7);
    (bit << 1 | bit >> 1) & rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_by_hand_is_right() {
        let material: Material = "KQvKR".parse().unwrap();
        let own = OwnSlices::new(material, |_, _| Vec::new(), None, None);
        let targets = Targets::default();
        let finder = RouteFinder {
            material,
            men: addressed_men(&material),
            slice: 0,
            words: 10 << 12,
            addresses: 0..10 << 12,
            own: &own,
            targets: &targets,
            moves: ZeroingMoves::All,
        };
        let leaving = Leaving {
            victim: Some(2),
            promotion: None,
            pawns: PawnPlacement::default(),
            next: Color::Black,
        };
        let after = finder.material_after(&leaving);
        assert_eq!(after, "KQvK".parse().unwrap());
        let view = |first| ViewWords {
            view: Arc::default(),
            first,
        };
        let route = finder.address_after(&leaving, &after, false, view(0));
        // Queen d1 takes d5, king c2.
        let (address, symmetry) = route.locate(&[10, 3, 35], Some((1, 35)));
        assert_eq!((address, symmetry.is_identity()), (355, true));
        assert_eq!(route.kings[10].address, 5 * 64);
        // King d2 takes e3, queen a5.
        let (address, symmetry) = route.locate(&[11, 32, 20], Some((0, 20)));
        assert_eq!((address, symmetry), (551, Symmetry::mirrored(true)));
        assert_eq!(route.kings[20].address, 8 * 64);
        assert_eq!(symmetry.pull(1 << 49), 1 << 54);
        let later = finder.address_after(&leaving, &after, false, view(350));
        assert_eq!(later.locate(&[10, 3, 35], Some((1, 35))).0, 5);
    }
}
