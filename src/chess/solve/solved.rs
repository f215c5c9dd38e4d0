//! Solved materials in memory, as the materials that convert into them read them.

use std::marker::PhantomData;
use std::sync::OnceLock;

use super::turned::BoardScore;
use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::symmetry;
use crate::chess::symmetry::Symmetry;
use crate::metric::{Plies, Wdl};
use crate::retro::fixpoint::{Fixed, Values};
use crate::retro::score::Scores;
use crate::simd::{Kernel, Width};

/// The values of one side to move in one slice, seen from outside: words over the black king's
/// square.
#[derive(Debug, Default)]
pub struct SideValues {
    /// Positions that can occur.
    pub legal: Vec<u64>,
    /// For each [`Wdl`], the positions of that value; empty at the draw, which is what remains.
    pub decided: [Vec<u64>; 5],
    /// Not in check and without a legal move.
    pub stalemate: Vec<u64>,
    /// Scores, 64 a word; empty if not wanted.
    pub dtm: Scores<'static>,
    /// The longest mate among them and those of the other side to move, in plies.
    pub longest: Plies,
    /// Everything that only the table's own files need; dropped once they are written.
    pub own: OwnValues,
}

/// What is needed to write the files of a material, beyond what others read.
#[derive(Debug, Default)]
pub struct OwnValues {
    /// Distance to zeroing in plies without sign; 64 a word.
    pub dtz: Vec<u8>,
    /// Its high bytes; empty where no distance is longer than 255 plies.
    pub dtz_high: Vec<u8>,
    /// Positions whose result is reached by a capture or promotion: a prober finds it there.
    pub wdl_by_conversion: Vec<u64>,
    /// Positions won (cursed or not) by a zeroing move: their distance to zeroing follows from
    /// that.
    pub won_by_zeroing: Vec<u64>,
    /// Positions whose distance to mate is reached by a capture or promotion.
    pub dtm_by_conversion: Vec<u64>,
    /// While a file is written whose mates take two bytes, one byte of the full moves to mate; else
    /// empty.
    pub mate_moves: Vec<u8>,
}

impl SideValues {
    /// The values that [`crate::retro::fixpoint`] found, and which of them a prober finds
    /// elsewhere.
    pub(super) fn new(
        fixed: Fixed<u64>,
        conversions: Option<Conversions>,
        values: Values<u64>,
        width: Width,
    ) -> SideValues {
        let elsewhere = Elsewhere {
            fixed: &fixed,
            conversions: conversions.as_ref(),
            values: &values,
            scores: PhantomData::<u8>,
        };
        let own = match elsewhere.are_wide() {
            false => width.run(elsewhere),
            true => width.run(Elsewhere {
                fixed: &fixed,
                conversions: conversions.as_ref(),
                values: &values,
                scores: PhantomData::<u16>,
            }),
        };
        let mut seen = SideValues::seen(fixed.legal, values);
        seen.own = OwnValues {
            dtz: seen.own.dtz,
            dtz_high: seen.own.dtz_high,
            ..own
        };
        seen
    }

    /// The values that were found, without which of them a prober finds elsewhere.
    pub(super) fn seen(legal: Vec<u64>, values: Values<u64>) -> SideValues {
        let Values {
            decided,
            stalemate,
            dtz,
            dtz_high,
            dtm,
            longest,
        } = values;
        SideValues {
            legal,
            decided,
            stalemate,
            dtm,
            longest,
            own: OwnValues {
                dtz,
                dtz_high,
                ..OwnValues::default()
            },
        }
    }

    /// No position is legal at so many addresses.
    pub(crate) fn undecided(words: usize) -> SideValues {
        let set = || vec![0; words];
        let lines = || vec![0; words * 64];
        SideValues {
            legal: set(),
            decided: std::array::from_fn(|value| if value == DRAW { Vec::new() } else { set() }),
            stalemate: set(),
            dtm: lines().into(),
            longest: Plies(0),
            own: OwnValues {
                dtz: lines(),
                dtz_high: Vec::new(),
                wdl_by_conversion: set(),
                won_by_zeroing: set(),
                dtm_by_conversion: set(),
                mate_moves: Vec::new(),
            },
        }
    }

    /// How many addresses there are values of.
    fn words(&self) -> usize {
        self.decided[Wdl::Win.index()].len()
    }

    /// Adds the values of the addresses that follow. Of either, some kinds of values may not be
    /// there at all.
    pub(crate) fn extend(&mut self, more: &SideValues) {
        let (words, more_words) = (self.words(), more.words());
        let (own, more_own) = (&mut self.own, &more.own);
        let sets = [
            (&mut self.legal, &more.legal),
            (&mut self.stalemate, &more.stalemate),
            (&mut own.wdl_by_conversion, &more_own.wdl_by_conversion),
            (&mut own.won_by_zeroing, &more_own.won_by_zeroing),
            (&mut own.dtm_by_conversion, &more_own.dtm_by_conversion),
        ];
        for (all, more) in sets
            .into_iter()
            .chain(self.decided.iter_mut().zip(&more.decided))
        {
            all.extend_from_slice(more);
        }
        if !own.dtz_high.is_empty() || !more_own.dtz_high.is_empty() {
            // High bytes come without the low ones where they are written.
            own.dtz_high.resize(words * 64, 0);
            own.dtz_high.extend_from_slice(&more_own.dtz_high);
            own.dtz_high.resize((words + more_words) * 64, 0);
        }
        own.dtz.extend_from_slice(&more_own.dtz);
        own.mate_moves.extend_from_slice(&more_own.mate_moves);
        self.dtm.extend(&more.dtm);
    }

    /// The positions of one word that are won or lost, cursed and blessed ones included.
    #[must_use]
    #[inline(always)]
    pub fn decided_at(&self, address: usize) -> u64 {
        // Plain words, since what folds an iterator is compiled by itself, for the narrowest
        // registers.
        let [loss, blessed_loss, _, cursed_win, win] = &self.decided;
        loss[address] | blessed_loss[address] | cursed_win[address] | win[address]
    }

    /// The value of one position, or nothing if it is not legal.
    #[must_use]
    #[inline]
    pub fn wdl(&self, address: usize, bit: u32) -> Option<Wdl> {
        if self.legal[address] >> bit & 1 == 0 {
            return None;
        }
        Some(
            [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss]
                .into_iter()
                .find(|value| self.decided[value.index()][address] >> bit & 1 == 1)
                .unwrap_or(Wdl::Draw),
        )
    }
}

const DRAW: usize = Wdl::Draw.index();

/// Finds the positions whose values a prober finds elsewhere.
struct Elsewhere<'a, S> {
    fixed: &'a Fixed<u64>,
    conversions: Option<&'a Conversions>,
    values: &'a Values<u64>,
    scores: PhantomData<S>,
}

impl<S> Elsewhere<'_, S> {
    /// Whether scores of two bytes are among those to be compared.
    fn are_wide(&self) -> bool {
        let converting = match self.conversions {
            Some(conversions) => &conversions.score,
            None => &self.fixed.zeroing_score,
        };
        converting.are_wide() || self.values.dtm.are_wide()
    }
}

impl<S: BoardScore> Kernel for Elsewhere<'_, S> {
    type Output = OwnValues;

    #[inline(always)]
    fn run(self) -> OwnValues {
        let Elsewhere {
            fixed,
            conversions,
            values: Values { decided, dtm, .. },
            ..
        } = self;
        let words = fixed.legal.len();
        let (converting, score) = match conversions {
            Some(conversions) => (&conversions.wdl, &conversions.score),
            None => (&fixed.zeroing, &fixed.zeroing_score),
        };
        let mut own = OwnValues {
            dtz: Vec::new(),
            dtz_high: Vec::new(),
            wdl_by_conversion: vec![0; words],
            won_by_zeroing: vec![0; words],
            dtm_by_conversion: vec![0; if dtm.is_empty() { 0 } else { words }],
            mate_moves: Vec::new(),
        };
        for address in 0..words {
            if fixed.legal[address] == 0 {
                continue;
            }
            let mut sets = [0; 5];
            let mut drawn = fixed.legal[address];
            for value in [Wdl::Loss, Wdl::BlessedLoss, Wdl::CursedWin, Wdl::Win] {
                sets[value.index()] = decided[value.index()][address];
                drawn &= !sets[value.index()];
            }
            sets[DRAW] = drawn;
            let mut any = 0;
            for (set, converting) in sets.iter().zip(converting) {
                own.wdl_by_conversion[address] |= set & converting[address];
                any |= converting[address];
            }
            for value in [Wdl::Win, Wdl::CursedWin].map(Wdl::index) {
                own.won_by_zeroing[address] |= sets[value] & fixed.zeroing[value][address];
            }
            if let Some(word) = own.dtm_by_conversion.get_mut(address)
                && any != 0
            {
                *word = any & S::agreeing(&S::line(dtm, address), &S::line(score, address));
            }
        }
        own
    }
}

/// The zeroing moves that also change the material.
#[derive(Debug)]
pub(crate) struct Conversions {
    /// For each [`Wdl`], the positions with a conversion of that value for the mover.
    pub wdl: [Vec<u64>; 5],
    /// Best mate score of a conversion.
    pub score: Scores<'static>,
}

impl Conversions {
    pub(super) fn new<S: BoardScore>(words: usize, with_scores: bool) -> Conversions {
        Conversions {
            wdl: std::array::from_fn(|_| vec![0; words]),
            score: S::wrap(vec![S::MATED; if with_scores { words * 64 } else { 0 }]),
        }
    }
}

impl From<Fixed<u64>> for Conversions {
    fn from(fixed: Fixed<u64>) -> Conversions {
        Conversions {
            wdl: fixed.zeroing,
            score: fixed.zeroing_score,
        }
    }
}

impl From<Conversions> for Fixed<u64> {
    fn from(conversions: Conversions) -> Fixed<u64> {
        Fixed {
            legal: Vec::new(),
            in_check: Vec::new(),
            zeroing: conversions.wdl,
            zeroing_score: conversions.score,
        }
    }
}

/// Both sides of one slice.
pub type SliceValues = [SideValues; 2];

/// All slices of a material, or of its mirror image with the colours exchanged.
#[derive(Debug)]
pub struct Solved {
    /// The material as it is laid out here; not in normal form if the colours were exchanged.
    pub material: Material,
    /// Which pawn placement is which slice.
    pub pawns: PawnSlices,
    /// The slices; one that is not solved yet is empty.
    pub slices: Vec<OnceLock<SliceValues>>,
}

/// One word of a slice, seen after a symmetry has turned the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which slice.
    pub slice: usize,
    /// Which word of it.
    pub address: usize,
    /// What has to be done to the word.
    pub symmetry: Symmetry,
}

impl Solved {
    /// Room for all slices of a material.
    #[must_use]
    pub fn new(material: Material) -> Solved {
        let pawns = PawnSlices::new(&material);
        let slices = (0..pawns.len()).map(|_| OnceLock::new()).collect();
        Solved {
            material,
            pawns,
            slices,
        }
    }

    /// The slice of a pawn placement and whether the board has to be mirrored for it.
    #[must_use]
    pub fn slice(&self, placement: PawnPlacement) -> (usize, bool) {
        self.pawns.locate(placement)
    }

    /// The word that holds the positions with these squares, in the order of the address, in a
    /// slice found by [`slice`](Self::slice).
    #[must_use]
    #[inline]
    pub fn place(&self, slice: usize, mirrored: bool, squares: &[u8]) -> Place {
        let symmetry = if self.material.has_pawns() {
            Symmetry::mirrored(mirrored)
        } else {
            symmetry::into_triangle(squares[0])
        };
        let mut address = if self.material.has_pawns() {
            usize::from(symmetry.map(squares[0]))
        } else {
            symmetry::triangle_place(symmetry.map(squares[0]))
        };
        for &square in &squares[1..] {
            address = address * 64 + usize::from(symmetry.map(square));
        }
        Place {
            slice,
            address,
            symmetry,
        }
    }
}
