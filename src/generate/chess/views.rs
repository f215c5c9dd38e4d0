//! What a material of chess leaves for those that lead to it: its slices, or the positions after a
//! promotion.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::Error;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::solve::board::{captures, words};
use crate::chess::solve::layout::Exchange;
use crate::chess::solve::slice::{Extraction, KingPart, Promotion, PromotionSource};
use crate::chess::solve::view::{CaptureSource, SideView, ViewWords, of_slabs};
use crate::chess::solve::{Seen, SolveError};
use crate::game::Color;
use crate::generate::begun::About;
use crate::generate::packed::Packed;
use crate::generate::views::{NewParts, Parts, ViewName, ViewStore, Views};
use crate::parallel;
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

/// The parts of a slab of one side to move of a slice, or of one promotion: legal positions,
/// scores, and positions that the fifty-move rule changes.
const SLAB_PARTS: usize = 3;
/// Words of a slab: few, so that who reads some words has little to unpack.
pub(super) const SLAB: usize = 1 << 11;
/// Slabs of a solved slice that are seen together where views are as the slice is.
const SLABS_SEEN_TOGETHER: usize = 8;

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
            View::Whole(material) => (PawnSlices::count(material) * 2, words(material)? as u64),
            View::After(promotion) => (
                PawnSlices::count_promoting(&promotion.material, promotion.color),
                words(&promotion.material)? as u64,
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
        let slabs = slabs_of(words);
        let is_slab = |(number, slab): (usize, &[u64])| {
            let first = (number % slabs * SLAB) as u64;
            let words = (words - first).min(SLAB as u64);
            match *slab {
                [legal, scores, cursed] => {
                    legal == words * 8
                        && [words * 64, words * 128].contains(&scores)
                        && [0, words * 8].contains(&cursed)
                }
                _ => false,
            }
        };
        let mut all = lengths.chunks(SLAB_PARTS).enumerate();
        lengths.len() == sides * slabs * SLAB_PARTS && all.all(is_slab)
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

fn pack(view: &SideView<'_>) -> [Packed; SLAB_PARTS] {
    let scores = match view.scores.are_wide() {
        false => Packed::of_lines(view.scores.bytes()),
        true => Packed::new(&view.scores.to_le_bytes()),
    };
    [
        Packed::of_words(&view.legal),
        scores,
        Packed::of_words(&view.cursed),
    ]
}

fn slabs_of(words: u64) -> usize {
    words.div_ceil(SLAB as u64) as usize
}

/// Some words of a side, of which each slab is unpacked.
fn unpack(
    parts: &dyn Parts,
    side: usize,
    words: usize,
    addresses: &Range<usize>,
) -> Option<ViewWords> {
    let first = side * slabs_of(words as u64);
    let load = |slab: usize| -> Result<SideView<'static>, Absent> {
        let part = |number| parts.part((first + slab) * SLAB_PARTS + number);
        let unpack = || {
            let legal = part(0)?.unpack_words()?;
            let scores = Scores::from_le_bytes(part(1)?.unpack()?, legal.len() * 64)?;
            Some(SideView::new(legal, scores, part(2)?.unpack_words()?))
        };
        unpack().ok_or(Absent)
    };
    of_slabs(SLAB, addresses, load).ok()
}

/// A part is not there or damaged.
struct Absent;

/// The slices of a material that captures lead to, each side unpacked when it is asked for.
#[derive(Debug)]
pub(super) struct PackedCaptures {
    parts: Arc<dyn Parts>,
    words: usize,
    /// Where the material is stored with the colours exchanged.
    exchange: Option<Exchange>,
    pawns: PawnSlices,
    sides: Vec<Mutex<Lent>>,
    /// Whether sides stay when nobody reads them.
    stay: bool,
    width: Width,
}

/// A side that somebody reads, or that stays.
#[derive(Debug, Default)]
struct Lent {
    view: Weak<SideView<'static>>,
    stays: Option<Arc<SideView<'static>>>,
}

impl PackedCaptures {
    /// Those of `target` from the parts of its normal form; nothing if it is too large.
    pub fn new(
        parts: Arc<dyn Parts>,
        target: &Material,
        stay: bool,
        width: Width,
    ) -> Option<PackedCaptures> {
        let stored = target.normal_form();
        let pawns = PawnSlices::new(target);
        Some(PackedCaptures {
            parts,
            words: words(target)?,
            exchange: (stored != *target).then(|| Exchange::new(&stored, target)),
            sides: (0..pawns.len() * 2).map(|_| Mutex::default()).collect(),
            pawns,
            stay,
            width,
        })
    }

    fn load(&self, slice: usize, turn: Color) -> Option<Arc<SideView<'static>>> {
        let side = |slice: usize, turn: Color| {
            let side = slice * 2 + turn.index();
            unpack(&*self.parts, side, self.words, &(0..self.words))
        };
        Some(match &self.exchange {
            None => side(slice, turn)?.view,
            Some(exchange) => {
                let source = side(exchange.source(slice), !turn)?.view;
                Arc::new(exchange.side(slice, &source, self.width))
            }
        })
    }
}

impl CaptureSource for PackedCaptures {
    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, slice: usize, turn: Color) -> Option<Arc<SideView<'static>>> {
        let lent = self.sides.get(slice * 2 + turn.index())?;
        // Whoever else wants this side waits for it.
        let mut lent = lent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = lent.view.upgrade() {
            return Some(view);
        }
        let view = self.load(slice, turn)?;
        lent.view = Arc::downgrade(&view);
        lent.stays = self.stay.then(|| Arc::clone(&view));
        Some(view)
    }
}

/// The positions after a promotion, each unpacked when it is asked for.
#[derive(Debug)]
pub(super) struct PackedPromotion {
    pub parts: Arc<dyn Parts>,
    /// Of a side.
    pub words: usize,
}

impl PromotionSource for PackedPromotion {
    fn view(&self, part: usize, addresses: &Range<usize>) -> Option<ViewWords> {
        unpack(&*self.parts, part, self.words, addresses)
    }
}

/// A view that is being put together, slice by slice.
pub(super) struct NewView<'a> {
    /// How promotions are made; nothing for whole materials.
    extraction: Option<Extraction>,
    /// Slabs of a side.
    slabs: usize,
    parts: Box<dyn NewParts + 'a>,
}

impl<'a> NewView<'a> {
    /// Begins it, or goes on with it where it was made from the same, if something is given for
    /// that.
    pub fn new(
        view: &View,
        store: &'a Views<View>,
        about: Option<&About>,
    ) -> Result<NewView<'a>, Error> {
        let about = about.map(|about| about.with(view.to_string().as_bytes()));
        let too_large = || SolveError::too_large(&view.source());
        let (sides, words) = view.shape().ok_or_else(too_large)?;
        let slabs = slabs_of(words);
        Ok(NewView {
            extraction: match view {
                View::Whole(_) => None,
                View::After(promotion) => Some(Extraction::new(*promotion)),
            },
            slabs,
            parts: store.begin(*view, sides * slabs * SLAB_PARTS, about.as_deref())?,
        })
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

    /// Whether all is there that is made from a slice.
    pub fn has_slice(&self, slice: usize) -> bool {
        let mut sides = self.sides_from(slice).into_iter();
        sides.all(|(side, _)| self.has(side, 0, self.slabs))
    }

    /// Whether so many slabs of a side are there, from the word `first` on.
    fn has(&self, side: usize, first: usize, slabs: usize) -> bool {
        let first = (side * self.slabs + first / SLAB) * SLAB_PARTS;
        (first..first + slabs * SLAB_PARTS).all(|number| self.parts.has(number))
    }

    /// Keeps a side that is made from one of a slice.
    fn leave(&self, side: usize, source: &SideView<'_>, width: Width) -> Result<(), Error> {
        if self.has(side, 0, self.slabs) {
            return Ok(());
        }
        let made =
            (self.extraction.as_ref()).map(|extraction| extraction.view(side, source, width));
        self.put(side, 0, made.as_ref().unwrap_or(source))
    }

    /// Keeps words of a side from an address on, which is that of a slab.
    fn put(&self, side: usize, first: usize, view: &SideView<'_>) -> Result<(), Error> {
        let words = view.legal.len();
        parallel::try_each(words.div_ceil(SLAB), |slab| {
            let packed = pack(&view.words(slab * SLAB..words.min((slab + 1) * SLAB)));
            let number = (side * self.slabs + first / SLAB + slab) * SLAB_PARTS;
            let mut parts = packed.into_iter().zip(number..);
            parts.try_for_each(|(part, number)| self.parts.put(number, part))
        })
    }

    /// A side by the squares of the white king, if each of these is some slabs and made from a part
    /// of a slice that is.
    fn king_parts(&self, side: usize, slab: usize) -> Option<Vec<KingPart>> {
        let mut parts = self.extraction.as_ref()?.king_parts(side)?;
        let are_slabs = parts.iter().all(|part| {
            let source = &part.source;
            part.first.is_multiple_of(SLAB)
                && source.start.is_multiple_of(slab)
                && source.end.is_multiple_of(slab)
        });
        let slabs = parts.len();
        let slabs = self.slabs.checked_div(slabs).unwrap_or(0);
        parts.retain(|part| !self.has(side, part.first, slabs));
        are_slabs.then_some(parts)
    }

    /// Keeps a part of a side from the words of the slice that it names.
    fn leave_part(
        &self,
        part: &KingPart,
        source: &SideView<'_>,
        width: Width,
    ) -> Result<(), Error> {
        match &self.extraction {
            Some(extraction) => {
                let view = extraction.king_view(part, source, width);
                self.put(part.part, part.first, &view)
            }
            None => Ok(()),
        }
    }

    /// All sides are there.
    pub fn finish(self) -> Result<(), Error> {
        self.parts.finish()
    }
}

/// Makes and packs what one slice leaves.
pub(super) fn leave_views(
    views: &[NewView<'_>],
    slice: usize,
    solved: &dyn Seen,
    width: Width,
) -> Result<(), Error> {
    for turn in Color::ALL {
        let wanted: Vec<(&NewView<'_>, usize)> = views
            .iter()
            .flat_map(|view| {
                let sides = view.sides_from(slice).into_iter();
                sides.map(move |(side, of)| (view, side, of))
            })
            .filter(|&(_, _, of)| of == turn)
            .map(|(view, side, _)| (view, side))
            .filter(|(view, side)| !view.has(*side, 0, view.slabs))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        if let Some(slab) = solved.slab()
            && let Some(parts) = king_parts(&wanted, slab)
        {
            for of_words in parts.chunk_by(|(_, a), (_, b)| a.source == b.source) {
                let source = solved.seen(turn, &of_words[0].1.source)?;
                parallel::try_each_item(of_words, |_, (view, part)| {
                    view.leave_part(part, &source, width)
                })?;
            }
            continue;
        }
        let are_whole = wanted.iter().all(|(view, _)| view.extraction.is_none());
        if let (Some(slab), true) = (solved.slab(), are_whole)
            && slab.is_multiple_of(SLAB)
        {
            let together = slab * SLABS_SEEN_TOGETHER;
            for first in (0..solved.words()).step_by(together) {
                let addresses = first..solved.words().min(first + together);
                let source = solved.seen(turn, &addresses)?;
                for (view, side) in &wanted {
                    view.put(*side, first, &source)?;
                }
            }
            continue;
        }
        let source = solved.seen(turn, &(0..solved.words()))?;
        parallel::try_each_item(wanted, |_, (view, side)| view.leave(side, &source, width))?;
    }
    Ok(())
}

/// All parts of some sides, those from the same words of a slice one after the other; nothing if
/// one of them cannot be made part by part.
fn king_parts<'a, 'v>(
    wanted: &[(&'a NewView<'v>, usize)],
    slab: usize,
) -> Option<Vec<(&'a NewView<'v>, KingPart)>> {
    let mut parts = Vec::new();
    for &(view, side) in wanted {
        let of_side = view.king_parts(side, slab)?;
        parts.extend(of_side.into_iter().map(|part| (view, part)));
    }
    parts.sort_by_key(|(_, part)| part.source.start);
    Some(parts)
}
