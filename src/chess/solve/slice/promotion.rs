//! Quiet promotions: what a pawn's last step leads to, laid out as the material reads it that has
//! the pawn.
//!
//! After its pawn's promotion a material is another one in which the promoted man stands on the
//! last rank. All other men are addressed as before. So the values that are read are one slice for
//! each slice with a pawn that can promote, at the same addresses, of one side to move: an eighth
//! to a twentieth of the other material.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::rules::Role;
use crate::chess::solve::layout::Relation;
use crate::chess::solve::view::{SideView, ViewWords};
use crate::game::{Bits, Color};
use crate::simd::Width;

/// The promotions of one side's pawns to one kind of man, without capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Promotion {
    /// Before the promotion, in normal form.
    pub material: Material,
    /// Whose pawns.
    pub color: Color,
    /// What they become.
    pub role: Role,
}

impl Promotion {
    /// All promotions of a material.
    #[must_use]
    pub fn all_of(material: &Material) -> Vec<Promotion> {
        let mut promotions = Vec::new();
        for color in Color::ALL {
            if material.count(color, Role::Pawn) > 0 {
                promotions.extend(Role::PROMOTIONS.map(|role| Promotion {
                    material: *material,
                    color,
                    role,
                }));
            }
        }
        promotions
    }

    /// The material after the promotion, in the colours of the one before.
    #[must_use]
    pub fn target(&self) -> Material {
        self.material
            .without(self.color, Role::Pawn)
            .with(self.color, self.role)
    }

    /// The side to move, in the colours of the stored target, whose values the promotion leads to.
    #[must_use]
    pub fn source_turn(&self) -> Color {
        // The opponent moves next.
        match self.target().is_normal() {
            true => !self.color,
            false => self.color,
        }
    }

    /// The slices with a pawn that can promote, and its square.
    fn pawns(&self, slices: &PawnSlices) -> Vec<(usize, u8)> {
        let rank: u64 = match self.color {
            Color::White => 0xff << 48,
            Color::Black => 0xff << 8,
        };
        (0..slices.len())
            .flat_map(|slice| {
                let pawns = slices.placement(slice).of(self.color) & rank;
                pawns.ones().map(move |from| (slice, from as u8))
            })
            .collect()
    }

    fn square(&self, from: u8) -> u8 {
        match self.color {
            Color::White => from + 8,
            Color::Black => from - 8,
        }
    }
}

/// One of a promotion's views before it is made.
#[derive(Clone, Copy, Debug)]
struct Part {
    square: u8,
    /// Where it comes from: a slice of the target and whether the board has to be mirrored for it.
    source: (usize, bool),
}

/// Makes the views of a promotion from the solved target.
#[derive(Debug)]
pub struct Extraction {
    promotion: Promotion,
    parts: Vec<Part>,
    /// For each file.
    relations: Vec<Relation>,
}

impl Extraction {
    /// What a promotion's views are made from.
    #[must_use]
    pub fn new(promotion: Promotion) -> Extraction {
        let target = promotion.target();
        let exchanged = !target.is_normal();
        let stored = target.normal_form();
        let before = PawnSlices::new(&promotion.material);
        let after = PawnSlices::new(&stored);
        let parts = promotion
            .pawns(&before)
            .into_iter()
            .map(|(slice, from)| {
                let pawns: PawnPlacement = before.placement(slice);
                let rest = pawns.of(promotion.color) & !(1 << from);
                let rest = pawns.with(promotion.color, rest);
                Part {
                    square: promotion.square(from),
                    source: after.locate(match exchanged {
                        true => rest.with_colors_exchanged(),
                        false => rest,
                    }),
                }
            })
            .collect();
        let relations = (0..8)
            .map(|file| {
                let square = match promotion.color {
                    Color::White => 56 + file,
                    Color::Black => file,
                };
                let promoted = Some((promotion.color, promotion.role, square));
                Relation::new(&stored, &promotion.material, promoted, exchanged)
            })
            .collect();
        Extraction {
            promotion,
            parts,
            relations,
        }
    }

    /// How many views there are.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The views that are made from a slice of the target, by number.
    pub fn parts_from(&self, slice: usize) -> impl Iterator<Item = usize> {
        let from_slice = move |part: &usize| self.parts[*part].source.0 == slice;
        (0..self.parts.len()).filter(from_slice)
    }

    /// The slice of the target that a view is made from.
    #[must_use]
    pub fn source(&self, part: usize) -> usize {
        self.parts[part].source.0
    }

    /// The side to move, in the colours of the stored target, whose values the views are made from.
    #[must_use]
    pub fn source_turn(&self) -> Color {
        self.promotion.source_turn()
    }

    /// Makes one view from the slice of the target that it comes from, seen by the side to move.
    #[must_use]
    pub fn view(&self, part: usize, source: &SideView<'_>, width: Width) -> SideView<'static> {
        let (relation, mirrored) = self.relation(part);
        relation.apply(source, mirrored, width)
    }
}

/// The part of a view with the white king on one square.
#[derive(Clone, Debug)]
pub struct KingPart {
    /// The view.
    pub part: usize,
    /// The place of the king, from which its words begin.
    king: usize,
    /// The address of its first word.
    pub first: usize,
    /// The words of the source that it is made from.
    pub source: Range<usize>,
}

impl Extraction {
    /// The parts of one view by the square of the white king; nothing if each is made from all of
    /// the source.
    #[must_use]
    pub fn king_parts(&self, part: usize) -> Option<Vec<KingPart>> {
        let (relation, mirrored) = self.relation(part);
        let kings = 0..relation.kings();
        let parts = kings.map(|king| {
            Some(KingPart {
                part,
                king,
                first: king * relation.words() / relation.kings(),
                source: relation.words_for_king(king, mirrored)?,
            })
        });
        parts.collect()
    }

    /// Makes a part of a view from the words of the source that it names.
    #[must_use]
    pub fn king_view(
        &self,
        part: &KingPart,
        source: &SideView<'_>,
        width: Width,
    ) -> SideView<'static> {
        let (relation, mirrored) = self.relation(part.part);
        relation.apply_for_king(part.king, source, mirrored, width)
    }

    fn relation(&self, part: usize) -> (&Relation, bool) {
        let Part {
            square,
            source: (_, mirrored),
        } = self.parts[part];
        (&self.relations[usize::from(square % 8)], mirrored)
    }
}

/// Where the views of a promotion are kept, by the number that [`Extraction`] gives them.
pub trait PromotionSource: Debug + Send + Sync {
    /// One view, at least at some of its addresses; nothing if it is not there.
    fn view(&self, part: usize, addresses: &Range<usize>) -> Option<ViewWords>;
}

impl PromotionSource for Vec<Arc<SideView<'static>>> {
    fn view(&self, part: usize, _: &Range<usize>) -> Option<ViewWords> {
        let view = Arc::clone(self.get(part)?);
        Some(ViewWords { view, first: 0 })
    }
}

/// The views of a promotion as the material that has the pawn reads them.
#[derive(Clone, Debug)]
pub struct PromotionViews {
    /// Slice and square of the pawn, in order.
    pawns: Vec<(usize, u8)>,
    source: Arc<dyn PromotionSource>,
}

impl PromotionViews {
    /// The views of a promotion, wherever they are.
    #[must_use]
    pub fn new(promotion: &Promotion, source: Arc<dyn PromotionSource>) -> PromotionViews {
        PromotionViews {
            pawns: promotion.pawns(&PawnSlices::new(&promotion.material)),
            source,
        }
    }

    /// What the promotion of a pawn leads to at some addresses; nothing if it is not there.
    #[must_use]
    pub fn view(&self, slice: usize, from: u8, addresses: &Range<usize>) -> Option<ViewWords> {
        let part = self.pawns.binary_search(&(slice, from)).ok()?;
        self.source.view(part, addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::solve::board::words;
    use crate::retro::score::Scores;

    /// A side with something else everywhere.
    fn noise(words: usize) -> SideView<'static> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 31
        };
        SideView {
            legal: (0..words).map(|_| next() | 1).collect(),
            scores: Scores::from((0..words * 64).map(|_| next() as u8).collect::<Vec<_>>()),
            cursed: (0..words).map(|_| next()).collect(),
            ..SideView::default()
        }
    }

    #[test]
    fn the_parts_by_kings_are_those_of_the_view() {
        for (material, color, role) in [
            ("KRPvK", Color::White, Role::Knight),
            ("KRvKP", Color::Black, Role::Rook),
            ("KQPvK", Color::White, Role::Queen),
            ("KPvKP", Color::White, Role::Bishop),
        ] {
            let material: Material = material.parse().unwrap();
            let promotion = Promotion {
                material,
                color,
                role,
            };
            let extraction = Extraction::new(promotion);
            let stored = promotion.target().normal_form();
            let source = noise(words(&stored).unwrap());
            for part in 0..extraction.parts() {
                let whole = extraction.view(part, &source, Width::widest());
                let Some(parts) = extraction.king_parts(part) else {
                    assert!(!promotion.target().is_normal());
                    continue;
                };
                let mut all = SideView::default();
                for king in parts {
                    assert_eq!(king.first, all.legal.len());
                    let words = source.words(king.source.clone());
                    all.extend(&extraction.king_view(&king, &words, Width::widest()));
                }
                assert_eq!(all.legal, whole.legal);
                assert_eq!(all.scores, whole.scores);
                assert_eq!(all.cursed, whole.cursed);
            }
        }
    }
}
