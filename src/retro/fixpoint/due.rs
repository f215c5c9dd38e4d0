//! When the mate scores of zeroing moves come into play.

use super::{Values, line_of};
use crate::game::Bits;
use crate::metric::Wdl;
use crate::retro::score::Score;

/// The scores of one side's zeroing moves, ready to be asked ply by ply which positions they concern.
#[derive(Debug)]
pub(super) struct DueScores<'a, W, S> {
    /// The score of the best zeroing move of each position, [`Score::MATED`] where there is none.
    scores: &'a [S],
    /// Which positions are won and lost: nothing else is ever due.
    results: &'a Values<W>,
    /// For each word, the next ply at which anything in it is due.
    next: Vec<S>,
}

/// More bits than any word has.
const MAX_WIDTH: usize = 128;

impl<'a, W: Bits, S: Score> DueScores<'a, W, S> {
    #[inline(always)]
    pub fn new(scores: &'a [S], results: &'a Values<W>) -> DueScores<'a, W, S> {
        let words = results.decided[Wdl::Loss.index()].len();
        let mut due = DueScores {
            scores,
            results,
            next: Vec::new(),
        };
        due.next = (0..words)
            .map(|address| {
                let plies = due.plies(address);
                S::smallest_above(&plies[..W::WIDTH as usize], S::default())
            })
            .collect();
        due
    }

    /// For each position of a word, the ply at which its best zeroing move comes into play.
    #[inline(always)]
    fn plies(&self, address: usize) -> [S; MAX_WIDTH] {
        let mut plies = [S::NEVER; MAX_WIDTH];
        let won = self.results.won(address);
        let lost = self.results.lost(address);
        if !(won | lost).is_empty() {
            let scores = &self.scores[line_of::<W>(address)];
            let plies = &mut plies[..W::WIDTH as usize];
            for (ply, &score) in plies.iter_mut().zip(scores) {
                *ply = score.due();
            }
            // A won position waits for no zeroing move that does not win.
            S::keep(plies, lost | won & S::above(scores, S::DRAW));
        }
        plies
    }

    /// The next ply at which anything is due.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        let next = self
            .next
            .iter()
            .fold(S::NEVER, |first, &next| first.min(next));
        (next != S::NEVER).then(|| next.plies())
    }

    /// Calls `visit` with the positions that are due at a ply, a word at a time. Plies must be asked for in order,
    /// leaving out none.
    #[inline(always)]
    pub fn take(&mut self, ply: u32, mut visit: impl FnMut(usize, W)) {
        let Some(ply) = S::ply(ply) else {
            return;
        };
        for row in 0..self.next.len().div_ceil(ROW) {
            let first = row * ROW;
            let end = self.next.len().min(first + ROW);
            if !self.next[first..end].contains(&ply) {
                continue;
            }
            for address in first..end {
                if self.next[address] == ply {
                    let plies = self.plies(address);
                    let plies = &plies[..W::WIDTH as usize];
                    visit(address, S::equal(plies, ply));
                    self.next[address] = S::smallest_above(plies, ply);
                }
            }
        }
    }
}

/// Words that are looked at together for one that is due.
const ROW: usize = 64;

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
    fn a_score_is_due_after_its_plies() {
        for score in 1..=u8::MAX {
            match MateScore(score).dtm() {
                Some(dtm) => assert_eq!(u32::from(score.due()), dtm.0.unsigned_abs(), "{score}"),
                None => assert_eq!(score.due(), u8::NEVER),
            }
        }
    }
}
