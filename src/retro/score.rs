//! Distances to mate as solving keeps them: a byte a position where all of a slice fit, two where
//! they do not.
//!
//! Both kinds are ordered by preference of the side to move, as [`MateScore`] is: lost scores from
//! zero upwards, the draw in the middle, won scores down from the largest number. Only the step
//! from the longest loss that fits to the move before it leaves the range, and would become a draw;
//! so who reads scores asks first how long the mates behind them are.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use super::bytes::{self, places};
use super::lines;
use crate::byte_sets;
use crate::game::Bits;
use crate::metric::{MateScore, Plies};
use crate::simd::{Kernel, Width};

/// The longest mate, in plies, that a byte holds: the loss before which there is no win any more.
pub const LONGEST_IN_BYTES: Plies = Plies(254);

/// A distance to mate, won or lost, as a number of some width.
pub trait Score: Copy + Ord + Debug + Default + Send + Sync + 'static {
    /// Neither side mates.
    const DRAW: Self;
    /// The side to move is mated now; also less than the value of any move.
    const MATED: Self;
    /// No ply at all: larger than that of any mate which fits.
    const NEVER: Self;

    /// The score of a mate given in `plies`, won (odd) or lost (even) by the side to move, if it
    /// fits.
    fn from_plies(plies: u32) -> Option<Self>;

    /// The score of that many plies, which have to fit, read from numbers of either width.
    fn from_wide(score: u16) -> Self;

    /// The plies to a mate, [`NEVER`](Self::NEVER) for a draw and where there is no move, which is
    /// called mated.
    fn due(self) -> Self;

    /// The ply as a number of this width, if there is such.
    fn ply(ply: u32) -> Option<Self>;

    /// The number as a ply.
    fn plies(self) -> u32;

    /// The score of the position before, when the best move led to a position of this score.
    fn before_move(self) -> Self;

    /// The scores of some positions, one after the other, if there are any of this width or a
    /// smaller one.
    fn of<'a>(scores: &'a Scores<'_>, positions: Range<usize>) -> Cow<'a, [Self]>;

    /// The scores of one word of 64 positions.
    fn line(scores: &Scores<'_>, address: usize) -> [Self; 64];

    /// Numbers of this width.
    fn wrap(scores: Vec<Self>) -> Scores<'static>;

    /// Numbers of this width to be written; nothing if they have another.
    fn unwrap<'a>(scores: &'a mut Scores<'static>) -> &'a mut [Self];

    /// The positions of a word that are won and those that are lost.
    fn won_and_lost(scores: &[Self; 64]) -> (u64, u64);

    /// The positions at which two lines agree.
    fn agreeing(a: &[Self; 64], b: &[Self; 64]) -> u64;

    /// `best = max(best, score before the move)` at the positions of a set.
    fn keep_best(best: &mut [Self; 64], scores: &[Self; 64], positions: u64);

    /// `best = max(best, score)` at the positions of a set.
    fn keep_best_of_one(best: &mut [Self; 64], score: Self, positions: u64);

    /// Writes a score at the places of a set.
    fn store<W: Bits>(scores: &mut [Self], places: W, score: Self);

    /// The places at which a score stands.
    fn equal<W: Bits>(scores: &[Self], score: Self) -> W;

    /// The places at which a number greater than `bound` stands.
    fn above<W: Bits>(scores: &[Self], bound: Self) -> W;

    /// The smallest number above `bound`; the largest there is if there is none.
    fn smallest_above(scores: &[Self], bound: Self) -> Self;

    /// Keeps the numbers at the places of a set and makes the others the largest there is.
    fn keep<W: Bits>(scores: &mut [Self], places: W);
}

impl Score for u8 {
    const DRAW: u8 = MateScore::DRAW.0;
    const MATED: u8 = MateScore::MATED.0;
    const NEVER: u8 = u8::MAX;

    #[inline(always)]
    fn from_plies(plies: u32) -> Option<u8> {
        MateScore::from_plies(plies).map(|score| score.0)
    }

    #[inline(always)]
    fn from_wide(score: u16) -> u8 {
        narrow(score)
    }

    #[inline(always)]
    fn due(self) -> u8 {
        if self > Self::DRAW {
            2 * (u8::MAX - self) + 1
        } else if self == Self::DRAW || self == Self::MATED {
            Self::NEVER
        } else {
            2 * self
        }
    }

    #[inline(always)]
    fn ply(ply: u32) -> Option<u8> {
        u8::try_from(ply).ok().filter(|&ply| ply != Self::NEVER)
    }

    #[inline(always)]
    fn plies(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn before_move(self) -> u8 {
        MateScore(self).before_move().0
    }

    fn of<'a>(scores: &'a Scores<'_>, positions: Range<usize>) -> Cow<'a, [u8]> {
        match scores {
            Scores::Bytes(bytes) => Cow::Borrowed(&bytes[positions]),
            Scores::Words(_) => Cow::Borrowed(&[]),
        }
    }

    #[inline(always)]
    fn line(scores: &Scores<'_>, address: usize) -> [u8; 64] {
        lines::line_at(scores.bytes(), address)
    }

    fn wrap(scores: Vec<u8>) -> Scores<'static> {
        scores.into()
    }

    #[inline(always)]
    fn unwrap<'a>(scores: &'a mut Scores<'static>) -> &'a mut [u8] {
        scores.bytes_mut()
    }

    #[inline(always)]
    fn won_and_lost(scores: &[u8; 64]) -> (u64, u64) {
        lines::won_and_lost(scores)
    }

    #[inline(always)]
    fn agreeing(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        byte_sets::equal(a, b)
    }

    #[inline(always)]
    fn keep_best(best: &mut [u8; 64], scores: &[u8; 64], positions: u64) {
        lines::keep_best(best, scores, positions);
    }

    #[inline(always)]
    fn keep_best_of_one(best: &mut [u8; 64], score: u8, positions: u64) {
        lines::keep_best_of_one(best, score, positions);
    }

    #[inline(always)]
    fn store<W: Bits>(scores: &mut [u8], places: W, score: u8) {
        bytes::store(scores, places, score);
    }

    #[inline(always)]
    fn equal<W: Bits>(scores: &[u8], score: u8) -> W {
        bytes::equal(scores, score)
    }

    #[inline(always)]
    fn above<W: Bits>(scores: &[u8], bound: u8) -> W {
        bytes::above(scores, bound)
    }

    #[inline(always)]
    fn smallest_above(scores: &[u8], bound: u8) -> u8 {
        bytes::smallest_above(scores, bound)
    }

    #[inline(always)]
    fn keep<W: Bits>(scores: &mut [u8], places: W) {
        bytes::keep(scores, places);
    }
}

/// All bits set at a place of a set, none elsewhere.
#[inline(always)]
fn chosen(positions: u64, place: usize) -> u16 {
    0u16.wrapping_sub((positions >> place & 1) as u16)
}

impl Score for u16 {
    const DRAW: u16 = 1 << 15;
    const MATED: u16 = 0;
    const NEVER: u16 = u16::MAX;

    #[inline(always)]
    fn from_plies(plies: u32) -> Option<u16> {
        let half = u16::try_from(plies / 2).ok()?;
        match plies % 2 {
            0 => (half < Self::DRAW).then_some(half),
            _ => (half < Self::DRAW - 1).then_some(u16::MAX - half),
        }
    }

    #[inline(always)]
    fn from_wide(score: u16) -> u16 {
        score
    }

    #[inline(always)]
    fn due(self) -> u16 {
        if self > Self::DRAW {
            2 * (u16::MAX - self) + 1
        } else if self == Self::DRAW || self == Self::MATED {
            Self::NEVER
        } else {
            2 * self
        }
    }

    #[inline(always)]
    fn ply(ply: u32) -> Option<u16> {
        u16::try_from(ply).ok().filter(|&ply| ply != Self::NEVER)
    }

    #[inline(always)]
    fn plies(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn before_move(self) -> u16 {
        (u16::MAX - self).wrapping_add(u16::from(self >= Self::DRAW))
    }

    fn of<'a>(scores: &'a Scores<'_>, positions: Range<usize>) -> Cow<'a, [u16]> {
        match scores {
            Scores::Bytes(bytes) => bytes[positions].iter().copied().map(widened).collect(),
            Scores::Words(words) => Cow::Borrowed(&words[positions]),
        }
    }

    #[inline(always)]
    fn line(scores: &Scores<'_>, address: usize) -> [u16; 64] {
        match scores {
            Scores::Bytes(bytes) => lines::line_at(bytes, address).map(widened),
            Scores::Words(words) => {
                let mut line = [0; 64];
                line.copy_from_slice(&words[address * 64..][..64]);
                line
            }
        }
    }

    fn wrap(scores: Vec<u16>) -> Scores<'static> {
        Scores::Words(Cow::Owned(scores))
    }

    #[inline(always)]
    fn unwrap<'a>(scores: &'a mut Scores<'static>) -> &'a mut [u16] {
        match scores {
            Scores::Bytes(_) => &mut [],
            Scores::Words(words) => words.to_mut(),
        }
    }

    #[inline(always)]
    fn won_and_lost(scores: &[u16; 64]) -> (u64, u64) {
        let won = places(scores, |score| score > Self::DRAW);
        (won, places(scores, |score| score < Self::DRAW))
    }

    #[inline(always)]
    fn agreeing(a: &[u16; 64], b: &[u16; 64]) -> u64 {
        let pairs = a.iter().zip(b).enumerate();
        pairs.fold(0, |set, (place, (a, b))| set | u64::from(a == b) << place)
    }

    #[inline(always)]
    fn keep_best(best: &mut [u16; 64], scores: &[u16; 64], positions: u64) {
        for (place, (best, score)) in best.iter_mut().zip(scores).enumerate() {
            *best = (score.before_move() & chosen(positions, place)).max(*best);
        }
    }

    #[inline(always)]
    fn keep_best_of_one(best: &mut [u16; 64], score: u16, positions: u64) {
        for (place, best) in best.iter_mut().enumerate() {
            *best = (score & chosen(positions, place)).max(*best);
        }
    }

    #[inline(always)]
    fn store<W: Bits>(scores: &mut [u16], places: W, score: u16) {
        for place in places.ones() {
            scores[place as usize] = score;
        }
    }

    #[inline(always)]
    fn equal<W: Bits>(scores: &[u16], score: u16) -> W {
        places(scores, |other| other == score)
    }

    #[inline(always)]
    fn above<W: Bits>(scores: &[u16], bound: u16) -> W {
        places(scores, |score| score > bound)
    }

    #[inline(always)]
    fn smallest_above(scores: &[u16], bound: u16) -> u16 {
        let above = scores.iter().copied().filter(|&score| score > bound);
        above.fold(u16::MAX, u16::min)
    }

    #[inline(always)]
    fn keep<W: Bits>(scores: &mut [u16], places: W) {
        for (place, score) in (0..).zip(scores) {
            if !places.contains(place) {
                *score = u16::MAX;
            }
        }
    }
}

/// What a byte means, as a word.
#[inline(always)]
pub(crate) fn widened(byte: u8) -> u16 {
    match byte.cmp(&MateScore::DRAW.0) {
        std::cmp::Ordering::Less => byte.into(),
        std::cmp::Ordering::Equal => <u16 as Score>::DRAW,
        std::cmp::Ordering::Greater => u16::MAX - u16::from(u8::MAX - byte),
    }
}

/// What a word means, as a byte that has to be able to say it.
#[inline(always)]
fn narrow(word: u16) -> u8 {
    match word.cmp(&<u16 as Score>::DRAW) {
        std::cmp::Ordering::Less => word.min(127) as u8,
        std::cmp::Ordering::Equal => MateScore::DRAW.0,
        std::cmp::Ordering::Greater => u8::MAX - (u16::MAX - word).min(126) as u8,
    }
}

/// The plies of the longest mate among some scores; one if there is none.
struct Longest<'a, S>(&'a [S]);

impl<S: Score> Kernel for Longest<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        // One for each place of a line, which fill wide registers.
        let (mut lost, mut won) = ([S::MATED; 64], [S::NEVER; 64]);
        let (lines, rest) = self.0.as_chunks::<64>();
        let mut note = |place: usize, score: S| {
            let loss = if score < S::DRAW { score } else { S::MATED };
            let win = if score > S::DRAW { score } else { S::NEVER };
            lost[place] = lost[place].max(loss);
            won[place] = won[place].min(win);
        };
        for line in lines {
            for (place, &score) in line.iter().enumerate() {
                note(place, score);
            }
        }
        for (place, &score) in rest.iter().enumerate() {
            note(place, score);
        }
        let mut longest = 0;
        for score in lost.into_iter().chain(won) {
            // A draw is due never; so is a mate at once, which is no distance.
            if score != S::MATED {
                longest = longest.max(score.due().plies());
            }
        }
        longest
    }
}

/// The scores of many positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scores<'a> {
    /// [`MateScore`] bytes.
    Bytes(Cow<'a, [u8]>),
    /// Numbers of two bytes, where a mate is longer than a byte can say.
    Words(Cow<'a, [u16]>),
}

impl Default for Scores<'_> {
    fn default() -> Self {
        Scores::Bytes(Cow::Borrowed(&[]))
    }
}

impl From<Vec<u8>> for Scores<'static> {
    fn from(bytes: Vec<u8>) -> Self {
        Scores::Bytes(Cow::Owned(bytes))
    }
}

impl Scores<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Scores::Bytes(bytes) => bytes.len(),
            Scores::Words(words) => words.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Scores::Bytes(bytes) => bytes.len(),
            Scores::Words(words) => size_of_val::<[u16]>(words),
        }
    }

    /// Whether two bytes a position are needed.
    #[must_use]
    pub fn are_wide(&self) -> bool {
        matches!(self, Scores::Words(_))
    }

    /// The scores if they are bytes, else nothing.
    #[must_use]
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Scores::Bytes(bytes) => bytes,
            Scores::Words(_) => &[],
        }
    }

    /// Plies to mate at a place, with the sign of who mates; nothing for a draw.
    #[must_use]
    pub fn plies(&self, at: usize) -> Option<i32> {
        let score = self.wide(at);
        match score.cmp(&<u16 as Score>::DRAW) {
            std::cmp::Ordering::Less => Some(-2 * i32::from(score)),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(2 * i32::from(u16::MAX - score) + 1),
        }
    }

    /// The score at a place, as a word.
    #[must_use]
    #[inline(always)]
    pub fn wide(&self, at: usize) -> u16 {
        match self {
            Scores::Bytes(bytes) => widened(bytes[at]),
            Scores::Words(words) => words[at],
        }
    }

    /// The longest mate among them, in plies; one if there is none.
    #[must_use]
    pub fn longest(&self) -> Plies {
        Plies(match self {
            Scores::Bytes(bytes) => Width::widest().run(Longest(bytes)),
            Scores::Words(words) => Width::widest().run(Longest(words)),
        })
    }

    /// As bytes where no mate is longer than `limit`, which has to fit into bytes.
    #[must_use]
    pub fn narrowed(self, limit: Plies) -> Self {
        match self {
            Scores::Words(words) if Scores::Words(Cow::Borrowed(&words)).longest() <= limit => {
                Scores::Bytes(words.iter().copied().map(narrow).collect())
            }
            scores => scores,
        }
    }

    /// As words.
    #[must_use]
    pub fn widened(self) -> Self {
        match self {
            Scores::Bytes(bytes) => Scores::Words(bytes.iter().copied().map(widened).collect()),
            scores @ Scores::Words(_) => scores,
        }
    }

    /// The numbers as bytes, the lower byte first.
    #[must_use]
    pub fn to_le_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Scores::Bytes(bytes) => Cow::Borrowed(bytes),
            Scores::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }
    }

    /// The scores of so many positions from what [`to_le_bytes`](Self::to_le_bytes) has made;
    /// nothing if these are not as many.
    #[must_use]
    pub fn from_le_bytes(bytes: Vec<u8>, positions: usize) -> Option<Self> {
        if bytes.len() == positions {
            return Some(Scores::Bytes(Cow::Owned(bytes)));
        }
        let (words, _) = bytes.as_chunks::<2>();
        (bytes.len() == 2 * positions)
            .then(|| Scores::Words(words.iter().map(|&word| u16::from_le_bytes(word)).collect()))
    }

    /// Adds the scores of more positions; all are words if some are.
    pub fn extend(&mut self, more: &Scores<'_>) {
        if more.are_wide() && !self.are_wide() {
            *self = std::mem::take(self).widened();
        }
        match (self, more) {
            (Scores::Bytes(all), Scores::Bytes(more)) => all.to_mut().extend_from_slice(more),
            (Scores::Words(all), Scores::Words(more)) => all.to_mut().extend_from_slice(more),
            (Scores::Words(all), Scores::Bytes(more)) => {
                all.to_mut().extend(more.iter().copied().map(widened));
            }
            (Scores::Bytes(_), Scores::Words(_)) => {}
        }
    }

    /// Those of some positions.
    #[must_use]
    pub fn part(&self, positions: Range<usize>) -> Scores<'_> {
        match self {
            Scores::Bytes(bytes) => Scores::Bytes(Cow::Borrowed(&bytes[positions])),
            Scores::Words(words) => Scores::Words(Cow::Borrowed(&words[positions])),
        }
    }

    /// Lent.
    #[must_use]
    pub fn borrowed(&self) -> Scores<'_> {
        match self {
            Scores::Bytes(bytes) => Scores::Bytes(Cow::Borrowed(bytes)),
            Scores::Words(words) => Scores::Words(Cow::Borrowed(words)),
        }
    }

    /// With nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> Scores<'static> {
        match self {
            Scores::Bytes(bytes) => Scores::Bytes(Cow::Owned(bytes.into_owned())),
            Scores::Words(words) => Scores::Words(Cow::Owned(words.into_owned())),
        }
    }
}

impl Scores<'static> {
    /// The bytes, to be written; nothing if they are none.
    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Scores::Bytes(bytes) => bytes.to_mut(),
            Scores::Words(_) => &mut [],
        }
    }

    /// The bytes; nothing if they are none.
    #[must_use]
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Scores::Bytes(bytes) => Some(bytes.into_owned()),
            Scores::Words(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_bytes_say_and_go_on() {
        for byte in 0..=u8::MAX {
            let word = widened(byte);
            assert_eq!(narrow(word), byte);
            assert_eq!(u8::plies(byte.due()) % 255, u16::plies(word.due()) % 65535);
            let plies = Scores::from(vec![byte]).plies(0);
            assert_eq!(plies, MateScore(byte).dtm().map(|dtm| dtm.0));
            if byte != 127 {
                assert_eq!(widened(byte.before_move()), word.before_move());
            }
        }
        // The step that a byte cannot say.
        assert_eq!(127u8.before_move(), MateScore::DRAW.0);
        assert_eq!(u16::from_plies(255), Some(widened(127).before_move()));
        for plies in 0..=65_000 {
            let score = u16::from_plies(plies).unwrap();
            assert_eq!(u16::from_plies(plies + 1), Some(score.before_move()));
        }
    }

    #[test]
    fn the_longest_mate_is_found_and_decides_the_width() {
        let scores = [128, 3, 0, 250].map(widened).to_vec();
        let words = u16::wrap(scores.clone());
        assert_eq!(words.longest(), Plies(11));
        assert!(words.clone().narrowed(Plies(10)).are_wide());
        let bytes = words.narrowed(Plies(11));
        assert_eq!(bytes, Scores::from(vec![128, 3, 0, 250]));
        assert_eq!(bytes.longest(), Plies(11));
        assert_eq!(bytes.widened(), u16::wrap(scores));
        assert_eq!(Scores::from(vec![128, 0]).longest(), Plies(1));
        assert_eq!(Scores::from(vec![127]).longest(), LONGEST_IN_BYTES);
    }

    #[test]
    fn words_are_handled_as_bytes_are() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state
        };
        for _ in 0..200 {
            let [a, b]: [[u8; 64]; 2] = std::array::from_fn(|_| {
                std::array::from_fn(|_| match next() >> 61 {
                    0 => 0,
                    1 => 126,
                    2 => 128,
                    3 => 255,
                    _ => ((next() >> 40) as u8).max(128),
                })
            });
            let [wide_a, wide_b] = [a, b].map(|line| line.map(widened));
            let set = next();
            assert_eq!(u8::won_and_lost(&a), u16::won_and_lost(&wide_a));
            assert_eq!(u8::agreeing(&a, &b), u16::agreeing(&wide_a, &wide_b));
            let (mut best, mut wide_best) = (a, wide_a);
            u8::keep_best(&mut best, &b, set);
            u16::keep_best(&mut wide_best, &wide_b, set);
            assert_eq!(best.map(widened), wide_best);
            u8::keep_best_of_one(&mut best, 200, !set);
            u16::keep_best_of_one(&mut wide_best, widened(200), !set);
            assert_eq!(best.map(widened), wide_best);
            let equal: u64 = u16::equal(&wide_a, widened(126));
            assert_eq!(equal, u8::equal::<u64>(&a, 126));
            let above: u64 = u16::above(&wide_a, <u16 as Score>::DRAW);
            assert_eq!(above, u8::above::<u64>(&a, 128));
            u8::store(&mut best, set, 7);
            u16::store(&mut wide_best, set, 7);
            assert_eq!(best.map(widened), wide_best);
            let (plies, wide_plies) = (a.map(Score::due), wide_a.map(Score::due));
            let (mut kept, mut wide_kept) = (plies, wide_plies);
            u8::keep(&mut kept, set);
            u16::keep(&mut wide_kept, set);
            let same = |byte: u8, word: u16| match byte {
                u8::MAX => word == u16::MAX,
                byte => u16::from(byte) == word,
            };
            assert!(kept.iter().zip(wide_kept).all(|(&a, b)| same(a, b)));
            let next = u8::smallest_above(&plies, 9);
            assert!(same(next, u16::smallest_above(&wide_plies, 9)));
        }
    }
}
