//! When the mate scores of zeroing moves come into play.
//!
//! Asking every word at every ply at which something of it is due would read its scores as often,
//! from all over the memory. So they are read once for some plies, as many as there is room for
//! notes: which positions of which word are due at which of them. A ply with more of them than
//! there is room for is read by itself.

use super::{Values, line_of};
use crate::game::Bits;
use crate::metric::Wdl;
use crate::retro::score::Score;
use crate::simd::Kernel;

/// Words for which there is room for one note. What is solved at a time with 2 GiB of memory
/// depends on it.
const WORDS_OF_NOTE: usize = 2;

/// The scores of one side's zeroing moves, ready to be asked ply by ply which positions they
/// concern.
#[derive(Debug)]
pub(super) struct DueScores<'a, W, S> {
    /// The score of the best zeroing move of each position, [`Score::MATED`] where there is none.
    scores: &'a [S],
    /// Which positions are won and lost: nothing else is ever due.
    results: &'a Values<W>,
    /// The number of words in which something is due at each ply; 0 for those that were asked for.
    counts: Vec<u32>,
    /// For each word, the next ply without notes at which anything in it is due.
    next: Vec<S>,
    /// Plies before this one have notes, or were asked for.
    noted: usize,
    /// Where the notes of the next ply with any begin.
    next_note: usize,
    /// Where something is due, ply by ply.
    addresses: Vec<u32>,
    /// What is due there.
    due: Vec<W>,
}

/// More bits than any word has.
const MAX_WIDTH: usize = 128;

impl<'a, W: Bits, S: Score> DueScores<'a, W, S> {
    #[inline(always)]
    pub fn new(scores: &'a [S], results: &'a Values<W>) -> DueScores<'a, W, S> {
        let mut due = DueScores {
            scores,
            results,
            counts: Vec::new(),
            next: Vec::new(),
            noted: 0,
            next_note: 0,
            addresses: Vec::new(),
            due: Vec::new(),
        };
        let words = results.decided[Wdl::Loss.index()].len();
        due.next = vec![S::NEVER; words];
        for address in 0..words {
            let plies = plies_at(scores, results, address);
            let plies = &plies[..W::WIDTH as usize];
            let counts = &mut due.counts;
            each_ply(plies, !S::equal::<W>(plies, S::NEVER), |ply, _| {
                let number = ply.plies() as usize;
                if counts.len() <= number {
                    counts.resize(number + 1, 0);
                }
                counts[number] += 1;
            });
            due.next[address] = S::smallest_above(plies, S::default());
        }
        due
    }

    /// Notes what is due at the plies from `first` on, as many as there is room for, if there is
    /// for one.
    #[inline(always)]
    fn note(&mut self, first: usize) {
        let room = self.next.len() / WORDS_OF_NOTE;
        let mut starts = Vec::new();
        let mut notes = 0;
        for &count in &self.counts[first..] {
            if notes + count as usize > room {
                break;
            }
            starts.push(notes);
            notes += count as usize;
        }
        if starts.is_empty() {
            return;
        }
        self.noted = first + starts.len();
        self.next_note = 0;
        self.addresses.resize(notes, 0);
        self.due.resize(notes, W::ZERO);
        let (Some(before), Some(last)) = (
            S::ply(first.saturating_sub(1) as u32),
            S::ply((self.noted - 1) as u32),
        ) else {
            return;
        };
        for address in 0..self.next.len() {
            if self.next[address] > last {
                continue;
            }
            let plies = plies_at(self.scores, self.results, address);
            let plies = &plies[..W::WIDTH as usize];
            let later = S::above::<W>(plies, last);
            each_ply(plies, S::above::<W>(plies, before) & !later, |ply, word| {
                let place = &mut starts[ply.plies() as usize - first];
                self.addresses[*place] = address as u32;
                self.due[*place] = word;
                *place += 1;
            });
            self.next[address] = S::smallest_above(plies, last);
        }
    }

    /// The next ply at which anything is due.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        let next = self.counts.iter().position(|&count| count != 0);
        next.map(|ply| ply as u32)
    }

    /// Calls `visit` with the positions that are due at a ply, a word at a time. Plies must be
    /// asked for in order, leaving out none.
    #[inline(always)]
    pub fn take(&mut self, ply: u32, mut visit: impl FnMut(usize, W)) {
        let number = ply as usize;
        let (Some(ply), Some(&count)) = (S::ply(ply), self.counts.get(number)) else {
            return;
        };
        if count == 0 {
            return;
        }
        if number >= self.noted {
            self.note(number);
        }
        self.counts[number] = 0;
        if number < self.noted {
            let notes = self.next_note..self.next_note + count as usize;
            for (&address, &word) in self.addresses[notes.clone()].iter().zip(&self.due[notes]) {
                visit(address as usize, word);
            }
            self.next_note += count as usize;
            return;
        }
        for address in 0..self.next.len() {
            if self.next[address] == ply {
                let plies = plies_at(self.scores, self.results, address);
                let plies = &plies[..W::WIDTH as usize];
                visit(address, S::equal(plies, ply));
                self.next[address] = S::smallest_above(plies, ply);
            }
        }
    }
}

/// For each position of a word, the ply at which its best zeroing move comes into play.
#[inline(always)]
fn plies_at<W: Bits, S: Score>(
    scores: &[S],
    results: &Values<W>,
    address: usize,
) -> [S; MAX_WIDTH] {
    let mut plies = [S::NEVER; MAX_WIDTH];
    let (won, lost) = (results.won(address), results.lost(address));
    if !(won | lost).is_empty() {
        let scores = &scores[line_of::<W>(address)];
        let plies = &mut plies[..W::WIDTH as usize];
        for (ply, &score) in plies.iter_mut().zip(scores) {
            *ply = score.due();
        }
        // A won position waits for no zeroing move that does not win.
        S::keep(plies, lost | won & S::above(scores, S::DRAW));
    }
    plies
}

/// Calls `visit` with each ply of some positions and all positions of that ply; plies come in no
/// order. Two are looked for at a time, from both ends, since each waits for the one before.
#[inline(always)]
fn each_ply<W: Bits, S: Score>(plies: &[S], mut positions: W, mut visit: impl FnMut(S, W)) {
    while !positions.is_empty() {
        let ply = plies[positions.lowest() as usize];
        let other = plies[positions.highest() as usize];
        let here = S::equal::<W>(plies, ply);
        let there = S::equal::<W>(plies, other);
        positions &= !(here | there);
        visit(ply, here);
        if other != ply {
            visit(other, there);
        }
    }
}

/// What is due at each ply, all at once, for so few words that there is room for it.
#[derive(Debug)]
pub(super) struct AllDue<'a, W, S> {
    /// The score of the best zeroing move of each position, [`Score::MATED`] where there is none.
    pub scores: &'a [S],
    /// Which positions are won and lost: nothing else is ever due.
    pub results: &'a Values<W>,
}

impl<W: Bits, S: Score> Kernel for AllDue<'_, W, S> {
    /// By ply, the words in which something is due and which positions.
    type Output = Vec<Vec<(usize, W)>>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut all: Vec<Vec<(usize, W)>> = Vec::new();
        for address in 0..self.scores.len() / W::WIDTH as usize {
            let plies = plies_at(self.scores, self.results, address);
            let plies = &plies[..W::WIDTH as usize];
            each_ply(plies, !S::equal::<W>(plies, S::NEVER), |ply, word| {
                let number = ply.plies() as usize;
                if all.len() <= number {
                    all.resize_with(number + 1, Vec::new);
                }
                all[number].push((address, word));
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{MateScore, Plies};
    use crate::retro::score::Scores;

    #[test]
    fn what_is_never_due_is_not_due_after_the_longest_mate() {
        let mut scores = [MateScore::DRAW.0; 64];
        scores[3] = MateScore::from_plies(254).unwrap().0;
        let mut results = Values {
            decided: std::array::from_fn(|_| vec![0u64]),
            stalemate: vec![0],
            dtz: Vec::new(),
            dtz_high: Vec::new(),
            dtm: Scores::default(),
            longest: Plies(0),
        };
        results.decided[Wdl::Loss.index()][0] = !0;
        let mut due = DueScores::new(&scores, &results);
        let mut found = Vec::new();
        for ply in 1..=300 {
            due.take(ply, |address, word| found.push((ply, address, word)));
        }
        assert_eq!(found, [(254, 0, 1 << 3)]);
        assert_eq!(due.next(), None);
    }

    #[test]
    fn what_there_is_no_room_for_is_read_again() {
        let mut random = fastrand::Rng::with_seed(5);
        let words = 7;
        let mut scores: Vec<u8> = (0..words * 64).map(|_| random.u8(..)).collect();
        // Some plies concern more words than there is room for, others fewer.
        for line in scores.chunks_mut(64) {
            line[..16].copy_from_slice(&[255, 1, 254, 2, 200, 60, 129, 126].repeat(2));
        }
        let mut results = Values {
            decided: std::array::from_fn(|_| vec![0u64; words]),
            stalemate: vec![0; words],
            dtz: Vec::new(),
            dtz_high: Vec::new(),
            dtm: Scores::default(),
            longest: Plies(0),
        };
        for (address, &won) in [!0, 0, 0xffff, 0, 7, !7, 1 << 63].iter().enumerate() {
            results.decided[Wdl::Win.index()][address] = won;
            results.decided[Wdl::BlessedLoss.index()][address] = random.u64(..) & !won;
        }
        let mut expected = std::collections::BTreeMap::new();
        for (place, &score) in scores.iter().enumerate() {
            let (address, bit) = (place / 64, 1u64 << (place % 64));
            let is_won = results.won(address) & bit != 0 && score > u8::DRAW;
            if score.due() != u8::NEVER && (is_won || results.lost(address) & bit != 0) {
                *expected
                    .entry((u32::from(score.due()), address))
                    .or_default() |= bit;
            }
        }
        let words_at = |ply: u32| expected.range((ply, 0)..=(ply, words)).count();
        let room = words / WORDS_OF_NOTE;
        assert!((1..=254).any(|ply| words_at(ply) > room));
        assert!((1..=254).any(|ply| (1..=room).contains(&words_at(ply))));
        let mut due = DueScores::new(&scores, &results);
        let mut found = std::collections::BTreeMap::new();
        for ply in 1..=254 {
            let first = expected.keys().find(|&&(other, _)| other >= ply);
            assert_eq!(due.next(), first.map(|&(ply, _)| ply));
            due.take(ply, |address, word| {
                assert_eq!(found.insert((ply, address), word), None);
            });
        }
        assert_eq!(found, expected);
        assert_eq!(due.next(), None);
    }

    #[test]
    fn a_score_is_due_after_its_plies() {
        for score in 1..=u8::MAX {
            match MateScore(score).dtm() {
                Some(dtm) => assert_eq!(u32::from(score.due()), dtm.0.unsigned_abs(), "{score}"),
                None => assert_eq!(score.due(), u8::NEVER),
            }
        }
    }
}
