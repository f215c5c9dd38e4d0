//! When the mate scores of zeroing moves come into play.

use super::bytes::{above, equal, keep, smallest_above};
use super::line_of;
use crate::game::Bits;
use crate::metric::MateScore;

/// Never due: there is no such ply, since the longest mate a [`MateScore`] can hold has 254.
const NEVER: u8 = u8::MAX;

/// The plies at which the scores of zeroing moves are due, ready to be asked ply by ply which positions they
/// concern.
#[derive(Debug)]
pub(super) struct DueScores {
    /// For each position, the ply at which its best zeroing move comes into play.
    plies: Vec<u8>,
    /// For each word, the next ply at which anything in it is due.
    next: Vec<u8>,
}

impl DueScores {
    /// From the score of the best zeroing move of each position, [`MateScore::MATED`] where there is none, and the
    /// positions that are won and lost: nothing else is ever due.
    #[inline(always)]
    pub fn new<W: Bits>(scores: &[u8], won: &[W], lost: &[W]) -> DueScores {
        let mut plies = vec![NEVER; scores.len()];
        let mut next = vec![NEVER; won.len()];
        let lines = plies
            .chunks_exact_mut(W::WIDTH as usize)
            .zip(scores.chunks_exact(W::WIDTH as usize));
        for ((plies, scores), (next, (&won, &lost))) in
            lines.zip(next.iter_mut().zip(won.iter().zip(lost)))
        {
            if (won | lost).is_empty() {
                continue;
            }
            for (ply, &score) in plies.iter_mut().zip(scores) {
                *ply = due(score);
            }
            // A won position waits for no zeroing move that does not win.
            keep(plies, lost | won & above(scores, MateScore::DRAW.0));
            *next = smallest_above(plies, 0);
        }
        DueScores { plies, next }
    }

    /// The next ply at which anything is due.
    #[inline(always)]
    pub fn next(&self) -> Option<u32> {
        let next = self.next.iter().fold(NEVER, |first, &next| first.min(next));
        (next != NEVER).then(|| next.into())
    }

    /// Calls `visit` with the positions that are due at a ply, a word at a time. Plies must be asked for in order,
    /// leaving out none.
    #[inline(always)]
    pub fn take<W: Bits>(&mut self, ply: u32, mut visit: impl FnMut(usize, W)) {
        let Some(ply) = u8::try_from(ply).ok().filter(|&ply| ply != NEVER) else {
            return;
        };
        for (row, next) in self.next.chunks_mut(64).enumerate() {
            if !next.contains(&ply) {
                continue;
            }
            for (at, next) in next.iter_mut().enumerate() {
                if *next == ply {
                    let address = row * 64 + at;
                    let plies = &self.plies[line_of::<W>(address)];
                    visit(address, equal(plies, ply));
                    *next = smallest_above(plies, ply);
                }
            }
        }
    }
}

/// The ply at which a zeroing move with this score, seen by the mover, comes into play.
#[inline(always)]
fn due(score: u8) -> u8 {
    if score > MateScore::DRAW.0 {
        2 * (u8::MAX - score) + 1
    } else if score == MateScore::DRAW.0 || score == MateScore::MATED.0 {
        NEVER
    } else {
        2 * score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_never_due_is_not_due_after_the_longest_mate() {
        let mut scores = [MateScore::DRAW.0; 64];
        scores[3] = MateScore::from_plies(254).unwrap().0;
        let mut due = DueScores::new(&scores, &[0], &[!0u64]);
        let mut found = Vec::new();
        for ply in 1..=300 {
            due.take(ply, |address, word: u64| found.push((ply, address, word)));
        }
        assert_eq!(found, [(254, 0, 1 << 3)]);
        assert_eq!(due.next(), None);
    }

    #[test]
    fn a_score_is_due_after_its_plies() {
        for score in 1..=u8::MAX {
            match MateScore(score).dtm() {
                Some(dtm) => assert_eq!(u32::from(due(score)), dtm.0.unsigned_abs(), "{score}"),
                None => assert_eq!(due(score), NEVER),
            }
        }
    }
}
