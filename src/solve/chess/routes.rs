//! Where the zeroing moves of a slice lead, before it is known where the pieces stand.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ChessBoard, addressed_men, square};
use crate::game::chess::{Role, attacks};
use crate::game::{Bits, Color};
use crate::material::Material;
use crate::placement::PawnPlacement;
use crate::solve::solved::Solved;
use crate::solve::space::Space;

/// The solved materials that moves of another lead to, laid out with that one's colours.
pub type Targets = HashMap<Material, Arc<Solved>>;

/// What a zeroing move leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    BareKings,
    Solved(&'a Solved),
}

/// How the squares of the men after a zeroing move follow from those before.
#[derive(Clone, Debug)]
pub(super) struct Route<'a> {
    pub(super) target: Target<'a>,
    pub(super) slice: usize,
    pub(super) mirrored: bool,
    /// For each addressed man afterwards, the one he was before; a promoted pawn has its own square.
    pub(super) men: Vec<Origin>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Man(usize),
    Promoted(u8),
}

/// A pawn's move within the board, before it is known what stands around.
#[derive(Clone, Debug)]
pub(super) struct PawnMove<'a> {
    pub(super) to: u8,
    /// The square a double step passes.
    pub(super) passed: Option<u8>,
    /// The addressed man taken, by number; he must be on `to`.
    pub(super) victim: Option<usize>,
    pub(super) conversion: bool,
    pub(super) route: Route<'a>,
    /// What en-passant captures in reply lead to.
    pub(super) en_passant: Vec<Route<'a>>,
}

/// Everything about a slice that does not depend on the address.
#[derive(Debug)]
pub struct SliceRules<'a> {
    pub(super) space: &'a Space<ChessBoard>,
    pub(super) men: Vec<(Color, Role)>,
    pub(super) placement: PawnPlacement,
    /// Captures of each addressed man by a piece; none for the white king.
    pub(super) captures_of_men: Vec<Option<Route<'a>>>,
    /// Captures of each pawn by a piece.
    pub(super) captures_of_pawns: Vec<(Color, u8, Route<'a>)>,
    /// Moves of each side's pawns.
    pub(super) pawn_moves: [Vec<PawnMove<'a>>; 2],
    pub(super) with_scores: bool,
}

/// A material that a move leads to is not among the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingTarget(pub Material);

struct RouteFinder<'a> {
    material: Material,
    men: Vec<(Color, Role)>,
    own: &'a Solved,
    targets: &'a Targets,
}

impl<'a> RouteFinder<'a> {
    fn route(
        &self,
        victim: Option<usize>,
        promotion: Option<(Color, Role, u8)>,
        placement: PawnPlacement,
    ) -> Result<Route<'a>, MissingTarget> {
        let mut counts = [[0u8; 6]; 2];
        let mut men: Vec<((Color, Role), Origin)> = self
            .men
            .iter()
            .enumerate()
            .filter(|&(number, _)| Some(number) != victim)
            .map(|(number, &man)| (man, Origin::Man(number)))
            .collect();
        if let Some((color, role, square)) = promotion {
            men.push(((color, role), Origin::Promoted(square)));
        }
        for &((color, role), _) in &men {
            counts[color.index()][role.index()] += 1;
        }
        counts[Color::Black.index()][Role::King.index()] += 1;
        for color in Color::ALL {
            counts[color.index()][Role::Pawn.index()] = placement.of(color).count_ones() as u8;
        }
        let material = Material::from_counts(counts).unwrap_or(Material::BARE_KINGS);
        let order = addressed_men(&material);
        let origins = order
            .iter()
            .map(|man| {
                let at = men.iter().position(|(other, _)| other == man);
                at.map_or(Origin::Man(0), |at| men.remove(at).1)
            })
            .collect();
        let target = if material == Material::BARE_KINGS {
            Target::BareKings
        } else if material == self.material {
            Target::Solved(self.own)
        } else {
            Target::Solved(self.targets.get(&material).ok_or(MissingTarget(material))?)
        };
        let (slice, mirrored) = match target {
            Target::BareKings => (0, false),
            Target::Solved(solved) => solved.slice(placement),
        };
        Ok(Route {
            target,
            slice,
            mirrored,
            men: origins,
        })
    }
}

impl<'a> SliceRules<'a> {
    /// Prepares the zeroing moves of one slice of `own`, some slices of which may still be unsolved.
    ///
    /// # Errors
    ///
    /// If a material that a move leads to is not among `targets`.
    pub fn new(
        space: &'a Space<ChessBoard>,
        own: &'a Solved,
        slice: usize,
        targets: &'a Targets,
        with_scores: bool,
    ) -> Result<SliceRules<'a>, MissingTarget> {
        let placement = own.pawns.placement(slice);
        let finder = RouteFinder {
            material: own.material,
            men: addressed_men(&own.material),
            own,
            targets,
        };
        let captures_of_men = (0..finder.men.len())
            .map(|victim| {
                (victim > 0)
                    .then(|| finder.route(Some(victim), None, placement))
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        let mut captures_of_pawns = Vec::new();
        let mut pawn_moves = [Vec::new(), Vec::new()];
        for color in Color::ALL {
            for from in placement.of(color).ones() {
                let rest = placement.with(color, placement.of(color) & !(1 << from));
                captures_of_pawns.push((color, from as u8, finder.route(None, None, rest)?));
                finder.pawn_moves(placement, color, from as u8, &mut pawn_moves[color.index()])?;
            }
        }
        Ok(SliceRules {
            space,
            placement,
            captures_of_men,
            captures_of_pawns,
            pawn_moves,
            with_scores,
            men: finder.men,
        })
    }
}

impl<'a> RouteFinder<'a> {
    fn pawn_moves(
        &self,
        placement: PawnPlacement,
        color: Color,
        from: u8,
        moves: &mut Vec<PawnMove<'a>>,
    ) -> Result<(), MissingTarget> {
        let (ahead, home_rank) = match color {
            Color::White => (8i8, 1),
            Color::Black => (-8, 6),
        };
        let rest = placement.with(color, placement.of(color) & !(1 << from));
        let step = from.wrapping_add_signed(ahead);
        if placement.all() >> step & 1 == 0 {
            self.arrivals(rest, color, step, None, moves)?;
            let double = step.wrapping_add_signed(ahead);
            if from / 8 == home_rank && placement.all() >> double & 1 == 0 {
                let pushed = rest.with(color, rest.of(color) | 1 << double);
                let beside = placement.of(!color) & neighbours_on_rank(double);
                let en_passant = beside
                    .ones()
                    .map(|taker| {
                        let takers = placement.of(!color) & !(1 << taker) | 1 << step;
                        self.route(None, None, rest.with(!color, takers))
                    })
                    .collect::<Result<_, _>>()?;
                moves.push(PawnMove {
                    to: double,
                    passed: Some(step),
                    victim: None,
                    conversion: false,
                    route: self.route(None, None, pushed)?,
                    en_passant,
                });
            }
        }
        for to in attacks::pawn(color, square(from)).ones() {
            let to = to as u8;
            if placement.of(color) >> to & 1 == 1 {
                continue;
            }
            if placement.of(!color) >> to & 1 == 1 {
                let taken = rest.with(!color, rest.of(!color) & !(1 << to));
                let after = taken.with(color, taken.of(color) | 1 << to);
                moves.push(PawnMove {
                    to,
                    passed: None,
                    victim: None,
                    conversion: true,
                    route: self.route(None, None, after)?,
                    en_passant: Vec::new(),
                });
                continue;
            }
            for (victim, &(owner, role)) in self.men.iter().enumerate() {
                if owner != color && role != Role::King {
                    self.arrivals(rest, color, to, Some(victim), moves)?;
                }
            }
        }
        Ok(())
    }

    /// A pawn arriving on a square, as itself or promoted, maybe taking an addressed man there.
    fn arrivals(
        &self,
        rest: PawnPlacement,
        color: Color,
        to: u8,
        victim: Option<usize>,
        moves: &mut Vec<PawnMove<'a>>,
    ) -> Result<(), MissingTarget> {
        let promotes = to < 8 || to >= 56;
        let mut arrive = |conversion, route| {
            moves.push(PawnMove {
                to,
                passed: None,
                victim,
                conversion,
                route,
                en_passant: Vec::new(),
            });
        };
        if promotes {
            for role in Role::PROMOTIONS {
                arrive(true, self.route(victim, Some((color, role, to)), rest)?);
            }
        } else {
            let after = rest.with(color, rest.of(color) | 1 << to);
            arrive(victim.is_some(), self.route(victim, None, after)?);
        }
        Ok(())
    }
}

fn neighbours_on_rank(square: u8) -> u64 {
    let bit = 1u64 << square;
    let rank = 0xffu64 << (square & !7);
    (bit << 1 | bit >> 1) & rank
}
