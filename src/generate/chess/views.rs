//! What a material of chess leaves for those that lead to it: its slices, or the positions after a promotion.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::board::{captures, words};
use crate::chess::solve::slice::{Extraction, Promotion, PromotionSource};
use crate::chess::solve::solved::SliceValues;
use crate::chess::solve::view;
use crate::chess::solve::view::SideView;
use crate::game::Color;
use crate::generate::packed::Packed;
use crate::generate::views::{Parts, ViewName};
use crate::retro::score::Scores;
use crate::simd::Width;

/// What a material leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// All positions of a material in normal form, for those that lead to it by a capture.
    Whole(Material),
    /// The positions after a promotion.
    After(Promotion),
}

/// The parts of one side to move of a slice, or of one promotion: legal positions, scores, and positions that the
/// fifty-move rule changes.
const SIDE_PARTS: usize = 3;

impl View {
    /// Everything that a material has to find.
    pub fn read_by(reader: &Material) -> Vec<View> {
        let mut views: Vec<View> = Promotion::all_of(reader)
            .into_iter()
            .map(View::After)
            .collect();
        for target in captures(reader) {
            let view = View::Whole(target.normal_form());
            if !views.contains(&view) {
                views.push(view);
            }
        }
        views
    }

    /// How many sides it has, and the words of each; nothing if they are too many for the solver.
    fn shape(&self) -> Option<(usize, u64)> {
        Some(match self {
            View::Whole(material) => (PawnSlices::new(material).len() * 2, words(material)?.into()),
            View::After(promotion) => (
                Extraction::new(*promotion).parts(),
                words(&promotion.material)?.into(),
            ),
        })
    }
}

impl ViewName for View {
    type Material = Material;

    fn source(&self) -> Material {
        match self {
            View::Whole(material) => *material,
            View::After(promotion) => promotion.target().normal_form(),
        }
    }

    fn fits(&self, lengths: &[u64]) -> bool {
        let Some((sides, words)) = self.shape() else {
            return false;
        };
        let set = words * 8;
        let is_side = |side: &[u64]| match *side {
            [legal, scores, cursed] => {
                legal == set
                    && [words * 64, words * 128].contains(&scores)
                    && [0, set].contains(&cursed)
            }
            _ => false,
        };
        lengths.len() == sides * SIDE_PARTS && lengths.chunks(SIDE_PARTS).all(is_side)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            View::Whole(material) => write!(f, "{material}"),
            View::After(Promotion {
                material,
                color,
                role,
            }) => {
                let color = match color {
                    Color::White => 'w',
                    Color::Black => 'b',
                };
                write!(f, "{material}.{color}{role:?}")
            }
        }
    }
}

fn pack_side(view: &SideView<'_>) -> [Packed; SIDE_PARTS] {
    [
        Packed::of_words(&view.legal),
        Packed::new(&view.scores.to_le_bytes()),
        Packed::of_words(&view.cursed),
    ]
}

fn unpack_side(parts: &dyn Parts, side: usize) -> Option<SideView<'static>> {
    let part = |number| parts.part(side * SIDE_PARTS + number);
    let legal = part(0)?.unpack_words()?;
    let scores = Scores::from_le_bytes(part(1)?.unpack()?, legal.len() * 64)?;
    Some(SideView {
        legal: Cow::Owned(legal),
        longest: scores.longest(),
        scores,
        cursed: Cow::Owned(part(2)?.unpack_words()?),
        stalemate: Cow::Borrowed(&[]),
    })
}

/// The slices of a material.
pub(super) fn unpack(parts: &dyn Parts, material: Material) -> Option<view::View> {
    let pawns = PawnSlices::new(&material);
    let side = |number| Some(Some(Arc::new(unpack_side(parts, number)?)));
    let slices = (0..pawns.len())
        .into_par_iter()
        .map(|slice| Some([side(2 * slice)?, side(2 * slice + 1)?]))
        .collect::<Option<_>>()?;
    Some(view::View {
        material,
        pawns,
        slices,
    })
}

/// The positions after a promotion, each unpacked when it is asked for.
#[derive(Debug)]
pub(super) struct PackedPromotion(pub Arc<dyn Parts>);

impl PromotionSource for PackedPromotion {
    fn view(&self, part: usize) -> Option<Arc<SideView<'static>>> {
        unpack_side(&*self.0, part).map(Arc::new)
    }
}

/// A view that is being put together, slice by slice.
pub(super) struct NewView {
    view: View,
    /// How promotions are made; nothing for whole materials.
    extraction: Option<Extraction>,
    sides: Vec<Mutex<[Packed; SIDE_PARTS]>>,
}

impl NewView {
    pub fn new(view: &View) -> NewView {
        let extraction = match view {
            View::Whole(_) => None,
            View::After(promotion) => Some(Extraction::new(*promotion)),
        };
        let count = match &extraction {
            None => PawnSlices::new(&view.source()).len() * 2,
            Some(extraction) => extraction.parts(),
        };
        NewView {
            view: *view,
            extraction,
            sides: (0..count).map(|_| Mutex::default()).collect(),
        }
    }

    pub fn view(&self) -> View {
        self.view
    }

    /// The sides that come from a slice, and the side to move that they are made from.
    fn sides_from(&self, slice: usize) -> Vec<(usize, Color)> {
        match &self.extraction {
            None => Color::ALL
                .map(|turn| (slice * 2 + turn.index(), turn))
                .to_vec(),
            Some(extraction) => extraction
                .parts_from(slice)
                .map(|side| (side, extraction.source_turn()))
                .collect(),
        }
    }

    pub fn into_parts(self) -> Vec<Packed> {
        let sides = self.sides.into_iter();
        sides
            .flat_map(|side| side.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}

/// Makes and packs what one slice leaves.
pub(super) fn leave_views(views: &[NewView], slice: usize, values: &SliceValues, width: Width) {
    for turn in Color::ALL {
        let wanted: Vec<(&NewView, usize)> = views
            .iter()
            .flat_map(|view| {
                let sides = view.sides_from(slice).into_iter();
                sides.map(move |(side, of)| (view, side, of))
            })
            .filter(|&(_, _, of)| of == turn)
            .map(|(view, side, _)| (view, side))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let source = SideView::of(&values[turn.index()], false);
        wanted
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(view, side)| {
                let packed = match &view.extraction {
                    None => pack_side(&source),
                    Some(extraction) => pack_side(&extraction.view(side, &source, width)),
                };
                *view.sides[side]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = packed;
            });
    }
}
