//! The values of one layout in the order of another: colours exchanged, a promoted man held fixed.
//!
//! Two layouts differ in which man is which digit of the address, in the symmetry that brings the
//! white king or the pawns to their place, and, with the colours exchanged, in which king is the
//! bit. All that is known for each digit beforehand, so an address costs a few additions; a line of
//! 64 positions moves as a whole.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::board::addressed_men;
use super::turned::BoardScore;
use super::view::{SideView, View};
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::rules::Role;
use crate::chess::symmetry;
use crate::chess::symmetry::{Symmetry, TRIANGLE};
use crate::game::Color;
use crate::parallel;
use crate::retro::score::Scores;
use crate::simd::{Kernel, Width};
use crate::transpose::transpose_words;

/// How the address of a source follows from that of a target.
#[derive(Debug)]
pub(super) struct Relation {
    exchanged: bool,
    source_has_pawns: bool,
    /// Squares of the white king in the target, in the order of its address.
    kings: Vec<u8>,
    /// Words from one place of the source's white king to the next.
    king_stride: usize,
    /// For each symmetry and each of the target's other men, what each of his squares adds.
    offsets: Vec<Vec<[u32; 64]>>,
    /// For each symmetry, what the promoted man adds.
    fixed: Vec<u32>,
}

impl Relation {
    /// From `source`, a material in the colours of its layout, to the men of `target`.
    ///
    /// With `promoted`, the source has one man more who is addressed: he stands on that square. The
    /// men and the square are in the colours of the target.
    pub(super) fn new(
        source: &Material,
        target: &Material,
        promoted: Option<(Color, Role, u8)>,
        exchanged: bool,
    ) -> Relation {
        let source_men = addressed_men(source);
        let pieces = source_men.len() - 1;
        let turned = |color: Color| if exchanged { !color } else { color };
        let mut free: Vec<Option<(Color, Role)>> =
            source_men[1..].iter().copied().map(Some).collect();
        let mut stride_of = |color: Color, role: Role| {
            let at = free
                .iter()
                .position(|&man| man == Some((turned(color), role)));
            let at = at.unwrap_or(0);
            free[at] = None;
            1u32 << (6 * (pieces - 1 - at))
        };
        // The slowest of several identical men is the promoted one: what is read then lies
        // together.
        let promoted = promoted.map(|(color, role, square)| (stride_of(color, role), square));
        let strides: Vec<u32> = addressed_men(target)[1..]
            .iter()
            .map(|&(color, role)| stride_of(color, role))
            .collect();
        let flip = if exchanged { 56 } else { 0 };
        let contribution = |symmetry: usize, stride: u32, square: u8| {
            stride * u32::from(Symmetry::from_index(symmetry).map(square ^ flip))
        };
        Relation {
            exchanged,
            source_has_pawns: source.has_pawns(),
            kings: match target.has_pawns() {
                true => (0..64).collect(),
                false => TRIANGLE.to_vec(),
            },
            king_stride: 1 << (6 * pieces),
            offsets: (0..Symmetry::COUNT)
                .map(|symmetry| {
                    let squares = |&stride: &u32| {
                        std::array::from_fn(|square| contribution(symmetry, stride, square as u8))
                    };
                    strides.iter().map(squares).collect()
                })
                .collect(),
            fixed: (0..Symmetry::COUNT)
                .map(|symmetry| {
                    promoted.map_or(0, |(stride, square)| contribution(symmetry, stride, square))
                })
                .collect(),
        }
    }

    /// The places of the target's white king.
    pub(super) fn kings(&self) -> usize {
        self.kings.len()
    }

    /// The words of the target.
    pub(super) fn words(&self) -> usize {
        self.kings.len() << (6 * self.offsets[0].len())
    }

    /// The symmetry for a square of the source's white king, and what he adds to the address.
    fn king(&self, square: u8, mirrored: bool) -> (Symmetry, usize) {
        let symmetry = match self.source_has_pawns {
            true => Symmetry::mirrored(mirrored),
            false => symmetry::into_triangle(square),
        };
        let turned = symmetry.map(square);
        let place = match self.source_has_pawns {
            true => usize::from(turned),
            false => symmetry::triangle_place(turned),
        };
        let fixed = self.fixed[symmetry.index()] as usize;
        (symmetry, place * self.king_stride + fixed)
    }

    /// What the men other than the king add to the source's address, from their part of the
    /// target's.
    #[inline(always)]
    fn offset(&self, symmetry: usize, inner: usize) -> usize {
        let digits = self.offsets[symmetry].iter().rev().enumerate();
        digits
            .map(|(number, offsets)| offsets[inner >> (6 * number) & 63] as usize)
            .sum()
    }

    /// One side of a slice in the order of the target; `mirrored` if the source's slice is the
    /// mirror image.
    pub(super) fn apply(
        &self,
        source: &SideView<'_>,
        mirrored: bool,
        width: Width,
    ) -> SideView<'static> {
        match &source.scores {
            Scores::Bytes(_) => self.apply_scores::<u8>(source, mirrored, width),
            Scores::Words(_) => self.apply_scores::<u16>(source, mirrored, width),
        }
    }

    fn apply_scores<S: BoardScore>(
        &self,
        source: &SideView<'_>,
        mirrored: bool,
        width: Width,
    ) -> SideView<'static> {
        let mut target = Laid::<S>::new(self.words(), source);
        width.run(Apply {
            relation: self,
            source,
            mirrored,
            only: None,
            target: &mut target,
        });
        target.into_view(source)
    }

    /// The words of the source that those of one place of the target's white king come from;
    /// nothing if they come from everywhere.
    pub(super) fn words_for_king(&self, place: usize, mirrored: bool) -> Option<Range<usize>> {
        let (symmetry, base) = self.king(self.kings[place], mirrored);
        let first = base - self.fixed[symmetry.index()] as usize;
        (!self.exchanged).then(|| first..first + self.king_stride)
    }

    /// The words of one place of the target's white king, from those that
    /// [`words_for_king`](Self::words_for_king) names.
    pub(super) fn apply_for_king(
        &self,
        place: usize,
        source: &SideView<'_>,
        mirrored: bool,
        width: Width,
    ) -> SideView<'static> {
        match &source.scores {
            Scores::Bytes(_) => self.scores_for_king::<u8>(place, source, mirrored, width),
            Scores::Words(_) => self.scores_for_king::<u16>(place, source, mirrored, width),
        }
    }

    fn scores_for_king<S: BoardScore>(
        &self,
        place: usize,
        source: &SideView<'_>,
        mirrored: bool,
        width: Width,
    ) -> SideView<'static> {
        let mut target = Laid::<S>::new(self.words() / self.kings.len(), source);
        width.run(Apply {
            relation: self,
            source,
            mirrored,
            only: Some(place),
            target: &mut target,
        });
        target.into_view(source)
    }

    /// Copies the words of all places of the target's white king, or those of one place alone, from
    /// words of the source that begin with those of its king's place.
    #[inline(always)]
    fn copy<S: BoardScore>(
        &self,
        source: &SideView<'_>,
        mirrored: bool,
        only: Option<usize>,
        target: &mut Laid<S>,
    ) {
        let stride = 1 << (6 * self.offsets[0].len());
        let kings = match only {
            Some(place) => place..place + 1,
            None => 0..self.kings.len(),
        };
        for (number, &square) in self.kings[kings].iter().enumerate() {
            let (symmetry, base) = self.king(square, mirrored);
            let base = match only {
                Some(_) => self.fixed[symmetry.index()] as usize,
                None => base,
            };
            for inner in 0..stride {
                let from = base + self.offset(symmetry.index(), inner);
                let address = number * stride + inner;
                // Illegal positions are draws on either side.
                let legal = source.legal[from];
                if legal != 0 {
                    target.legal[address] = symmetry.pull(legal);
                    target.scores[address * 64..][..64]
                        .copy_from_slice(&S::pull(symmetry, &source.line(from)));
                    if let Some(cursed) = target.cursed.get_mut(address) {
                        *cursed = symmetry.pull(source.cursed[from]);
                    }
                }
            }
        }
    }

    /// The source's bit is the target's white king: squares of 64 times 64 positions are
    /// transposed.
    #[inline(always)]
    fn exchange<S: BoardScore>(&self, source: &SideView<'_>, mirrored: bool, target: &mut Laid<S>) {
        let bits: [(Symmetry, usize); 64] =
            std::array::from_fn(|bit| self.king(bit as u8 ^ 56, mirrored));
        let mut lines = Box::new([[S::MATED; 64]; 64]);
        let mut transposed = lines.clone();
        let stride = 1 << (6 * self.offsets[0].len());
        for inner in 0..stride {
            let offsets: [usize; Symmetry::COUNT] =
                std::array::from_fn(|symmetry| self.offset(symmetry, inner));
            let mut legal = [0; 64];
            let mut cursed = [0; 64];
            for (bit, &(symmetry, base)) in bits.iter().enumerate() {
                let from = base + offsets[symmetry.index()];
                // Row after row from the other side of the board.
                legal[bit] = symmetry.pull(source.legal[from]).swap_bytes();
                cursed[bit] = symmetry.pull(source.cursed_at(from)).swap_bytes();
                lines[bit] = S::pull(Symmetry::FLIP, &S::pull(symmetry, &source.line(from)));
            }
            transpose_words(&mut legal);
            transpose_words(&mut cursed);
            S::transpose(&lines, &mut transposed);
            for (place, &square) in self.kings.iter().enumerate() {
                let address = place * stride + inner;
                target.legal[address] = legal[usize::from(square)];
                target.scores[address * 64..][..64]
                    .copy_from_slice(&transposed[usize::from(square)]);
                if let Some(word) = target.cursed.get_mut(address) {
                    *word = cursed[usize::from(square)];
                }
            }
        }
    }
}

impl View {
    /// The same values laid out as a material that is this one, or this one with the colours
    /// exchanged.
    #[must_use]
    pub fn in_colors_of(&self, material: &Material, width: Width) -> View {
        if *material == self.material {
            return self.clone();
        }
        let exchange = Exchange::new(&self.material, material);
        let slices = parallel::map(exchange.pawns.len(), |slice| {
            Color::ALL.map(|turn| {
                let side = self.side(exchange.source(slice), !turn)?;
                Some(Arc::new(exchange.side(slice, side, width)))
            })
        });
        View {
            material: *material,
            pawns: exchange.pawns,
            slices,
        }
    }
}

/// How the slices of a material with the colours exchanged are made from those that are there.
#[derive(Debug)]
pub struct Exchange {
    relation: Relation,
    stored: PawnSlices,
    /// Which pawn placement is which slice, with the colours exchanged.
    pub pawns: PawnSlices,
}

impl Exchange {
    /// From the slices of `stored` those of `material`, which is the same with the colours
    /// exchanged.
    #[must_use]
    pub fn new(stored: &Material, material: &Material) -> Exchange {
        Exchange {
            relation: Relation::new(stored, material, None, true),
            stored: PawnSlices::new(stored),
            pawns: PawnSlices::new(material),
        }
    }

    fn locate(&self, slice: usize) -> (usize, bool) {
        let placement = self.pawns.placement(slice).with_colors_exchanged();
        self.stored.locate(placement)
    }

    /// The slice that one is made from, seen by the other side to move.
    #[must_use]
    pub fn source(&self, slice: usize) -> usize {
        self.locate(slice).0
    }

    /// One side of a slice, from that of its source.
    #[must_use]
    pub fn side(&self, slice: usize, source: &SideView<'_>, width: Width) -> SideView<'static> {
        self.relation.apply(source, self.locate(slice).1, width)
    }
}

/// Work of [`Relation::apply`] that wide registers speed up.
struct Apply<'a, S> {
    relation: &'a Relation,
    source: &'a SideView<'a>,
    mirrored: bool,
    /// The only place of the white king, if not all are wanted.
    only: Option<usize>,
    target: &'a mut Laid<S>,
}

impl<S: BoardScore> Kernel for Apply<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.relation.exchanged {
            self.relation
                .exchange(self.source, self.mirrored, self.target);
        } else {
            self.relation
                .copy(self.source, self.mirrored, self.only, self.target);
        }
    }
}

/// A view that is being written.
struct Laid<S> {
    legal: Vec<u64>,
    scores: Vec<S>,
    cursed: Vec<u64>,
}

impl<S: BoardScore> Laid<S> {
    /// Illegal positions at so many addresses.
    fn new(words: usize, source: &SideView<'_>) -> Laid<S> {
        Laid {
            legal: vec![0; words],
            scores: vec![S::DRAW; words * 64],
            cursed: vec![0; if source.cursed.is_empty() { 0 } else { words }],
        }
    }

    fn into_view(self, source: &SideView<'_>) -> SideView<'static> {
        SideView {
            legal: Cow::Owned(self.legal),
            scores: S::wrap(self.scores),
            longest: source.longest,
            cursed: Cow::Owned(self.cursed),
            ..SideView::default()
        }
    }
}
