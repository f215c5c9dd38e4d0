//! Solved values as other slices and materials read them: a byte and a bit for each position.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::solved::{SideValues, Solved};
use super::turned::BoardScore;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::game::Bits;
use crate::game::Color;
use crate::metric::{MateScore, Plies, Wdl};
use crate::retro::score::{Score, Scores};
use crate::simd::{Kernel, Width};

/// The values of one side to move in one slice, without its distances to zeroing.
///
/// The byte of a position holds its result too, as its sign. A word of results is then made from 64
/// bytes that a reader of mate scores loads anyway, so nothing else has to be kept or loaded.
#[derive(Clone, Debug, Default)]
pub struct SideView<'a> {
    /// Positions that can occur.
    pub legal: Cow<'a, [u64]>,
    /// Scores, 64 a word; that of a draw for illegal positions. Where distances to mate are not
    /// wanted, any score of the right sign.
    pub scores: Scores<'a>,
    /// No mate among the scores is longer.
    pub longest: Plies,
    /// Cursed wins and blessed losses; empty if there are none.
    pub cursed: Cow<'a, [u64]>,
    /// Not in check and without a legal move; empty if nobody asks.
    pub stalemate: Cow<'a, [u64]>,
    /// The positions that are won and those that are lost, once somebody has asked for results
    /// alone.
    pub(super) results: OnceLock<[Vec<u64>; 2]>,
}

/// Scores where only their sign counts.
const SOME_WIN: u8 = u8::MAX;
const SOME_LOSS: u8 = 0;

impl<'a> SideView<'a> {
    /// What others see of values; borrows what is there already.
    #[must_use]
    pub fn of(values: &'a SideValues, with_stalemates: bool) -> SideView<'a> {
        let scores = if values.dtm.is_empty() {
            Width::widest().run(Signs(values)).into()
        } else {
            values.dtm.borrowed()
        };
        let [blessed, cursed] =
            [Wdl::BlessedLoss, Wdl::CursedWin].map(|value| &values.decided[value.index()]);
        let any = blessed.iter().chain(cursed).any(|&word| word != 0);
        let cursed = any.then(|| blessed.iter().zip(cursed).map(|(a, b)| a | b).collect());
        SideView {
            legal: Cow::Borrowed(&values.legal),
            scores,
            longest: values.longest,
            cursed: Cow::Owned(cursed.unwrap_or_default()),
            stalemate: Cow::Borrowed(match with_stalemates {
                true => &values.stalemate,
                false => &[],
            }),
            results: OnceLock::new(),
        }
    }

    /// A view of some sets and scores.
    #[must_use]
    pub fn new(legal: Vec<u64>, scores: Scores<'static>, cursed: Vec<u64>) -> SideView<'static> {
        SideView {
            legal: Cow::Owned(legal),
            longest: scores.longest(),
            scores,
            cursed: Cow::Owned(cursed),
            ..SideView::default()
        }
    }

    /// Without any word, and room for some.
    #[must_use]
    pub fn with_capacity(words: usize) -> SideView<'static> {
        SideView {
            legal: Cow::Owned(Vec::with_capacity(words)),
            scores: Vec::with_capacity(words * 64).into(),
            ..SideView::default()
        }
    }

    /// Some of its words, as a view of their own.
    #[must_use]
    pub fn words(&self, addresses: Range<usize>) -> SideView<'_> {
        fn part<'b>(set: &'b [u64], addresses: &Range<usize>) -> Cow<'b, [u64]> {
            Cow::Borrowed(match set.is_empty() {
                true => &[],
                false => &set[addresses.clone()],
            })
        }
        SideView {
            legal: part(&self.legal, &addresses),
            scores: (self.scores).part(addresses.start * 64..addresses.end * 64),
            longest: self.longest,
            cursed: part(&self.cursed, &addresses),
            stalemate: part(&self.stalemate, &addresses),
            results: OnceLock::new(),
        }
    }

    /// Adds the words that follow.
    pub fn extend(&mut self, more: &SideView<'_>) {
        let (words, with_more) = (self.legal.len(), self.legal.len() + more.legal.len());
        self.legal.to_mut().extend_from_slice(&more.legal);
        self.scores.extend(&more.scores);
        self.longest = self.longest.max(more.longest);
        for (set, more) in [
            (&mut self.cursed, &more.cursed),
            (&mut self.stalemate, &more.stalemate),
        ] {
            // A set that is left out has nothing in it.
            if !set.is_empty() || !more.is_empty() {
                let set = set.to_mut();
                set.resize(words, 0);
                set.extend_from_slice(more);
                set.resize(with_more, 0);
            }
        }
    }

    /// The same with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> SideView<'static> {
        SideView {
            legal: Cow::Owned(self.legal.into_owned()),
            scores: self.scores.into_owned(),
            longest: self.longest,
            cursed: Cow::Owned(self.cursed.into_owned()),
            stalemate: Cow::Owned(self.stalemate.into_owned()),
            results: self.results,
        }
    }

    /// Bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.scores.size() + 8 * (self.legal.len() + self.cursed.len() + self.stalemate.len())
    }

    /// The scores of one word.
    #[inline(always)]
    #[must_use]
    pub fn line<S: BoardScore>(&self, address: usize) -> [S; 64] {
        S::line(&self.scores, address)
    }

    /// The positions that are won and those that are lost.
    #[must_use]
    pub fn results(&self) -> &[Vec<u64>; 2] {
        let width = Width::widest();
        self.results.get_or_init(|| match &self.scores {
            Scores::Bytes(scores) => width.run(Results(scores)),
            Scores::Words(scores) => width.run(Results(scores)),
        })
    }

    /// Cursed wins and blessed losses of one word.
    #[inline(always)]
    #[must_use]
    pub fn cursed_at(&self, address: usize) -> u64 {
        match self.cursed.is_empty() {
            true => 0,
            false => self.cursed[address],
        }
    }

    /// The value of one legal position.
    #[inline(always)]
    #[must_use]
    pub fn wdl(&self, address: usize, bit: u32) -> Wdl {
        let cursed = self.cursed_at(address).contains(bit);
        match self.score(address, bit).cmp(&<u16 as Score>::DRAW) {
            Ordering::Less if cursed => Wdl::BlessedLoss,
            Ordering::Less => Wdl::Loss,
            Ordering::Equal => Wdl::Draw,
            Ordering::Greater if cursed => Wdl::CursedWin,
            Ordering::Greater => Wdl::Win,
        }
    }

    /// The score of one position, in two bytes.
    #[inline(always)]
    #[must_use]
    pub fn score(&self, address: usize, bit: u32) -> u16 {
        self.scores.wide(address * 64 + bit as usize)
    }
}

/// The positions that some scores say are won, and those that are lost.
struct Results<'a, S>(&'a [S]);

impl<S: Score> Kernel for Results<'_, S> {
    type Output = [Vec<u64>; 2];

    #[inline(always)]
    fn run(self) -> [Vec<u64>; 2] {
        let lines = self.0.as_chunks::<64>().0;
        let [mut all_won, mut all_lost] = [(); 2].map(|()| vec![0; lines.len()]);
        for ((line, won), lost) in lines.iter().zip(&mut all_won).zip(&mut all_lost) {
            (*won, *lost) = S::won_and_lost(line);
        }
        [all_won, all_lost]
    }
}

/// Scores that say nothing but results.
struct Signs<'a>(&'a SideValues);

impl Kernel for Signs<'_> {
    type Output = Vec<u8>;

    #[inline(always)]
    fn run(self) -> Vec<u8> {
        let decided = &self.0.decided;
        let mut scores = vec![MateScore::DRAW.0; self.0.legal.len() * 64];
        for (address, line) in scores.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let set = |value: Wdl| decided[value.index()][address];
            u8::store(line, set(Wdl::Loss) | set(Wdl::BlessedLoss), SOME_LOSS);
            u8::store(line, set(Wdl::Win) | set(Wdl::CursedWin), SOME_WIN);
        }
        scores
    }
}

/// The views of both sides of one slice, as far as somebody reads them.
pub type SliceView = [Option<Arc<SideView<'static>>>; 2];

/// All slices of a material, or of its mirror image with the colours exchanged.
#[derive(Clone, Debug)]
pub struct View {
    /// The material as it is laid out here; not in normal form if the colours were exchanged.
    pub material: Material,
    /// Which pawn placement is which slice.
    pub pawns: PawnSlices,
    /// The slices.
    pub slices: Vec<SliceView>,
}

impl View {
    /// Views of everything solved, copied.
    #[must_use]
    pub fn of(solved: &Solved) -> View {
        let slices = solved
            .slices
            .iter()
            .map(|slice| {
                [0, 1].map(|side: usize| {
                    let values = &slice.get()?[side];
                    Some(Arc::new(SideView::of(values, false).into_owned()))
                })
            })
            .collect();
        View {
            material: solved.material,
            pawns: solved.pawns.clone(),
            slices,
        }
    }

    /// One side of a slice, if it is there.
    #[must_use]
    pub fn side(&self, slice: usize, turn: Color) -> Option<&Arc<SideView<'static>>> {
        self.slices.get(slice)?[turn.index()].as_ref()
    }

    /// Bytes of all slices.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let sides = self.slices.iter().flatten().flatten();
        sides.map(|side| side.bytes()).sum()
    }
}

/// The slices of a material that captures lead to, laid out with the colours of the material
/// before.
pub trait CaptureSource: Debug + Send + Sync {
    /// Which pawn placement is which slice.
    fn pawns(&self) -> &PawnSlices;

    /// One side of a slice; nothing if it is not there.
    fn side(&self, slice: usize, turn: Color) -> Option<Arc<SideView<'static>>>;
}

impl CaptureSource for View {
    fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    fn side(&self, slice: usize, turn: Color) -> Option<Arc<SideView<'static>>> {
        View::side(self, slice, turn).cloned()
    }
}

/// Words of a side that lie together.
#[derive(Clone, Debug)]
pub struct ViewWords {
    /// The words.
    pub view: Arc<SideView<'static>>,
    /// The address of the first.
    pub first: usize,
}

/// Puts the words at some addresses together from slabs of `slab` words.
pub fn of_slabs<E>(
    slab: usize,
    addresses: &Range<usize>,
    load: impl Fn(usize) -> Result<SideView<'static>, E>,
) -> Result<ViewWords, E> {
    let slabs = addresses.start / slab..addresses.end.div_ceil(slab);
    let all = if slabs.len() == 1 && addresses.start.is_multiple_of(slab) {
        load(slabs.start)?
    } else {
        let mut all = SideView::with_capacity(addresses.len());
        for number in slabs {
            let first = number * slab;
            let words = load(number)?;
            let from = addresses.start.saturating_sub(first);
            let to = words.legal.len().min(addresses.end - first);
            all.extend(&words.words(from..to));
        }
        all
    };
    Ok(ViewWords {
        view: Arc::new(all),
        first: addresses.start,
    })
}
