//! Values that moves of other materials lead to: results and mate scores as a prober would give them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::layout::{Frame, Layout, Man};
use super::line::{ILLEGAL, Lane, Line, turned};
use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::rules::{Role, Square, attacks};
use crate::chess::symmetry::Symmetry;
use crate::game::Color;
use crate::metric::{MateScore, Wdl};
use crate::store::compress;

/// The values of one side to move in a frame.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// [`Wdl::index`], or [`ILLEGAL`].
    pub results: Vec<Line<u8>>,
    /// [`MateScore`] bytes; empty if they are not known.
    pub scores: Vec<Line<u8>>,
}

/// The values of a material, slice by slice.
#[derive(Debug)]
pub(super) struct Resolved {
    pub layout: Layout,
    pub slices: Vec<OnceLock<[Lines; 2]>>,
}

/// Lines that a move leads to, and the symmetry that takes the mover's board to theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'a> {
    pub results: &'a Line<u8>,
    pub scores: Option<&'a Line<u8>>,
    pub symmetry: Symmetry,
}

impl Resolved {
    /// A material without values so far.
    pub fn new(material: Material) -> Resolved {
        let layout = Layout::new(material);
        Resolved {
            slices: (0..layout.slices()).map(|_| OnceLock::new()).collect(),
            layout,
        }
    }

    /// Gives the memory of some slices back.
    pub fn forget(&mut self, is_forgotten: impl Fn(usize) -> bool) {
        for (slice, lines) in self.slices.iter_mut().enumerate() {
            if is_forgotten(slice) {
                lines.take();
            }
        }
    }

    /// Two kings, which draw wherever they may stand.
    pub fn bare_kings() -> Resolved {
        let kings = Resolved::new(Material::BARE_KINGS);
        let frame = kings.layout.frame(0);
        let lines = || {
            let legal = (0..frame.addresses).map(|address| {
                let king = Square::wrapping(frame.squares(address)[0].into());
                !(attacks::king(king) | king.bit())
            });
            let line = |legal: u64, value: u8| -> Line<u8> {
                std::array::from_fn(|square| {
                    if legal >> square & 1 != 0 {
                        value
                    } else {
                        ILLEGAL
                    }
                })
            };
            Lines {
                results: legal
                    .clone()
                    .map(|set| line(set, Wdl::Draw.index() as u8))
                    .collect(),
                scores: legal.map(|set| line(set, MateScore::DRAW.0)).collect(),
            }
        };
        let _ = kings.slices[0].set([lines(), lines()]);
        kings
    }

    /// The lines of a placement, whose black king is left aside, in these colours.
    #[inline]
    pub fn reach(&self, placement: &Placement, side: Color) -> Option<Reached<'_>> {
        let (slice, address, symmetry) = self.layout.locate(placement);
        let lines = &self.slices[slice].get()?[side.index()];
        Some(Reached {
            results: lines.results.get(address)?,
            scores: lines.scores.get(address),
            symmetry,
        })
    }

    /// The line of a placement, without a black king, in the other colours.
    fn line_in_other_colors(&self, placement: &Placement, side: Color) -> (Line<u8>, Line<u8>) {
        let mut results = [ILLEGAL; 64];
        let mut scores = [ILLEGAL; 64];
        let king = placement.of(Color::White, Role::King).trailing_zeros() as u8 ^ 56;
        let occupied = placement.occupied();
        for black in (0..64).filter(|black| occupied >> black & 1 == 0) {
            let mut placement = *placement;
            placement.men[1][Role::King.index()] = 1 << black;
            if let Some(reached) = self.reach(&placement.with_colors_exchanged(), !side) {
                let square = usize::from(reached.symmetry.map(king));
                results[black] = reached.results[square];
                scores[black] = reached.scores.map_or(ILLEGAL, |scores| scores[square]);
            }
        }
        (results, scores)
    }

    fn has_scores(&self) -> bool {
        let mut slices = self.slices.iter().filter_map(OnceLock::get).flatten();
        slices.any(|lines| !lines.scores.is_empty())
    }

    /// The same values with White and Black in each other's place.
    pub fn with_colors_exchanged(&self) -> Resolved {
        let exchanged = Resolved::new(self.layout.material.with_colors_exchanged());
        let has_scores = self.has_scores();
        (0..exchanged.layout.slices())
            .into_par_iter()
            .for_each(|slice| {
                let frame = exchanged.layout.frame(slice);
                let lines = Color::ALL.map(|side| {
                    let lines = (0..frame.addresses).into_par_iter().map(|address| {
                        let placement = frame.placement(&frame.squares(address));
                        self.line_in_other_colors(&placement, side)
                    });
                    let (results, scores) = lines.unzip();
                    Lines {
                        results,
                        scores: if has_scores { scores } else { Vec::new() },
                    }
                });
                let _ = exchanged.slices[slice].set(lines);
            });
        exchanged
    }
}

/// The materials that captures lead to.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// By the man taken, its colour and role, and what the taking pawn became, if it did.
    targets: [[[Option<Arc<Resolved>>; 7]; 6]; 2],
}

impl Captures {
    /// Looks up the materials that captures of a material lead to; those in the other colours are laid out anew.
    pub fn new(material: &Material, known: &HashMap<Material, Arc<Resolved>>) -> Captures {
        let mut exchanged: HashMap<Material, Arc<Resolved>> = HashMap::new();
        let mut captures = Captures::default();
        for color in Color::ALL {
            let mut victims = material.side(color);
            victims.dedup();
            for victim in victims.into_iter().filter(|&role| role != Role::King) {
                let taken = material.without(color, victim);
                let mut targets = vec![(None, taken)];
                if material.count(!color, Role::Pawn) > 0 && victim != Role::Pawn {
                    targets.extend(Role::PROMOTIONS.map(|role| {
                        (
                            Some(role),
                            taken.without(!color, Role::Pawn).with(!color, role),
                        )
                    }));
                }
                for (promotion, target) in targets {
                    let values = if target.is_normal() {
                        known.get(&target).cloned()
                    } else {
                        let normal = known.get(&target.normal_form());
                        normal.map(|normal| {
                            let fresh = || Arc::new(normal.with_colors_exchanged());
                            exchanged.entry(target).or_insert_with(fresh).clone()
                        })
                    };
                    if let Some(values) = values {
                        captures.targets[color.index()][victim.index()][place(promotion)] =
                            Some(values);
                    }
                }
            }
        }
        captures
    }

    /// What taking a man leads to.
    #[inline]
    pub fn of(&self, color: Color, victim: Role, promotion: Option<Role>) -> Option<&Resolved> {
        self.targets[color.index()][victim.index()][place(promotion)].as_deref()
    }
}

/// Where captures with a promotion are found, and those without.
fn place(promotion: Option<Role>) -> usize {
    promotion.map_or(6, Role::index)
}

/// A promotion that leads from one material, in its normal form, to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Promotion {
    pub material: Material,
    pub color: Color,
    pub role: Role,
}

/// Values that promotions lead to, compressed: by the slice the pawn comes from and the square it reaches, at the
/// addresses of that slice.
#[derive(Debug, Default)]
pub(super) struct Promoted {
    packed: HashMap<Promotion, HashMap<(usize, u8), Packed>>,
}

#[derive(Debug)]
struct Packed {
    results: Vec<u8>,
    scores: Option<Vec<u8>>,
    addresses: usize,
}

fn pack(lines: &[Line<u8>]) -> Vec<u8> {
    // Without a result, what is read back is not as long as it should be.
    compress(lines.as_flattened()).unwrap_or_default()
}

fn unpack(packed: &[u8], addresses: usize) -> Vec<Line<u8>> {
    let mut lines = vec![[ILLEGAL; 64]; addresses];
    match zstd::bulk::decompress_to_buffer(packed, lines.as_flattened_mut()) {
        Ok(len) if len == addresses * 64 => lines,
        _ => vec![[ILLEGAL; 64]; addresses],
    }
}

impl Promoted {
    /// What a promotion from a slice leads to.
    pub fn lines(&self, promotion: Promotion, slice: usize, square: u8) -> Option<Lines> {
        let packed = self.packed.get(&promotion)?.get(&(slice, square))?;
        Some(Lines {
            results: unpack(&packed.results, packed.addresses),
            scores: match &packed.scores {
                Some(scores) => unpack(scores, packed.addresses),
                None => Vec::new(),
            },
        })
    }

    /// Forgets what promotions of a material lead to.
    pub fn forget(&mut self, material: &Material) {
        self.packed
            .retain(|promotion, _| promotion.material != *material);
    }

    /// Keeps what is found.
    pub fn extend(&mut self, found: Vec<Found>) {
        for Found {
            promotion,
            place,
            packed,
        } in found
        {
            self.packed
                .entry(promotion)
                .or_default()
                .insert(place, packed);
        }
    }
}

/// A part of a slice that promotions lead to.
#[derive(Debug)]
pub(super) struct Found {
    promotion: Promotion,
    place: (usize, u8),
    packed: Packed,
}

/// A promotion that leads to a material, seen from there.
#[derive(Debug)]
pub(super) struct Wanted {
    promotion: Promotion,
    /// The material that promotes.
    from: Layout,
    /// Whether the promoted material is kept in the other colours.
    exchanged: bool,
}

impl Wanted {
    /// The promotions of some materials that lead to one material.
    pub fn from(later: &[Material], material: &Material) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for &from in later {
            for color in Color::ALL {
                if from.count(color, Role::Pawn) == 0 {
                    continue;
                }
                for role in Role::PROMOTIONS {
                    let promoted = from.without(color, Role::Pawn).with(color, role);
                    if promoted.normal_form() == *material {
                        wanted.push(Wanted {
                            promotion: Promotion {
                                material: from,
                                color,
                                role,
                            },
                            from: Layout::new(from),
                            exchanged: !promoted.is_normal(),
                        });
                    }
                }
            }
        }
        wanted
    }

    /// The promoted man, in the colours in which the material is kept.
    pub fn arrives_as(&self) -> Man {
        let Promotion { color, role, .. } = self.promotion;
        (if self.exchanged { !color } else { color }, role)
    }

    /// Packs the part of a solved slice that the promotion leads to.
    pub fn find(&self, values: &Resolved, slice: usize) -> Vec<Found> {
        let Promotion { color, role, .. } = self.promotion;
        let pawns = values.layout.pawns.placement(slice);
        let pawns = if self.exchanged {
            pawns.with_colors_exchanged()
        } else {
            pawns
        };
        let mut sides = vec![pawns, pawns.mirrored()];
        sides.dedup();
        let (rank, back) = match color {
            Color::White => (56, 48),
            Color::Black => (0, 8),
        };
        let mut found = Vec::new();
        for rest in sides {
            for file in 0..8u8 {
                let pawn = 1 << (back + file);
                if rest.all() & pawn != 0 {
                    continue;
                }
                let before = rest.with(color, rest.of(color) | pawn);
                let (from, mirrored) = self.from.pawns.locate(before);
                if mirrored {
                    continue;
                }
                let lines = self.lines(values, &self.from.frame(from), rest, role, rank + file);
                found.push(Found {
                    promotion: self.promotion,
                    place: (from, rank + file),
                    packed: Packed {
                        addresses: lines.results.len(),
                        results: pack(&lines.results),
                        scores: (!lines.scores.is_empty()).then(|| pack(&lines.scores)),
                    },
                });
            }
        }
        found
    }

    /// The values after a promotion, at the addresses from which it is played.
    fn lines(
        &self,
        values: &Resolved,
        from: &Frame,
        rest: PawnPlacement,
        role: Role,
        square: u8,
    ) -> Lines {
        let color = self.promotion.color;
        let has_scores = values.has_scores();
        let lines = (0..from.addresses).into_par_iter().map(|address| {
            let mut placement = from.placement(&from.squares(address));
            if placement.occupied() >> square & 1 != 0 {
                return ([ILLEGAL; 64], [ILLEGAL; 64]);
            }
            placement.men[color.index()][Role::Pawn.index()] = rest.of(color);
            placement.men[color.index()][role.index()] |= 1 << square;
            if self.exchanged {
                return values.line_in_other_colors(&placement, !color);
            }
            match values.reach(&placement, !color) {
                Some(reached) => (
                    turned(reached.results, reached.symmetry),
                    reached
                        .scores
                        .map_or([u8::NONE; 64], |scores| turned(scores, reached.symmetry)),
                ),
                None => ([ILLEGAL; 64], [ILLEGAL; 64]),
            }
        });
        let (results, scores) = lines.unzip();
        Lines {
            results,
            scores: if has_scores { scores } else { Vec::new() },
        }
    }
}
