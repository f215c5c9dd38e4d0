//! What finished tables leave out: stalemates, and the mates of a side that no file has.

use super::due::DueScores;
use super::wide::WideMoves;
use super::{Fixed, Values, line_of, without_moves};
use crate::game::Bits;
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;
use crate::retro::score::Score;
use crate::simd::{Kernel, Width};

/// Completes the values of a slice, of which results are known, and where mates are wanted those of
/// one side at least. Of `fixed`, the positions in check are taken away.
///
/// The result does not depend on `width`.
pub fn complete<M: QuietMoves>(
    moves: M,
    fixed: &mut [Fixed<M::Word>; 2],
    values: &mut [Values<M::Word>; 2],
    width: Width,
) {
    let in_check = [0, 1].map(|side: usize| std::mem::take(&mut fixed[side].in_check));
    width.run(Complete {
        moves: WideMoves { moves, width },
        fixed,
        in_check,
        values,
    });
}

struct Complete<'a, M: QuietMoves> {
    moves: WideMoves<M>,
    fixed: &'a [Fixed<M::Word>; 2],
    in_check: [Vec<M::Word>; 2],
    values: &'a mut [Values<M::Word>; 2],
}

impl<M: QuietMoves> Kernel for Complete<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let found = without_moves(&mut self.moves, self.fixed, &self.in_check);
        let [white, black] = found.stalemated;
        self.values[0].stalemate = white;
        self.values[1].stalemate = black;
        for side in [0, 1] {
            if self.values[side].dtm.is_empty() && !self.values[1 - side].dtm.is_empty() {
                let mated = &found.mated[1 - side];
                self.values[side].dtm = match self.values[1 - side].dtm.are_wide() {
                    false => u8::wrap(self.behind(side, mated)),
                    true => u16::wrap(self.behind(side, mated)),
                };
            }
        }
        let longest = self.values.iter().map(|values| values.dtm.longest()).max();
        for values in self.values.iter_mut() {
            values.longest = longest.unwrap_or_default();
        }
    }
}

impl<M: QuietMoves> Complete<'_, M> {
    /// The mate scores of a side, one ply behind those of the other, whose mated positions these
    /// are.
    #[inline(always)]
    fn behind<S: Score>(&mut self, side: usize, mated: &[M::Word]) -> Vec<S> {
        let words = mated.len();
        let width = M::Word::WIDTH as usize;
        let (own, other) = (&self.values[side], &self.values[1 - side]);
        let mut scores = vec![S::DRAW; words * width];
        for address in 0..words {
            let line = &mut scores[line_of::<M::Word>(address)];
            S::store(line, own.won(address) | own.lost(address), S::MATED);
        }
        let ahead = S::of(&other.dtm, 0..words * width);
        let mut due = DueScores::new(&ahead, other);
        let mut layer = Layer::new(words);
        let mut reached = Layer::new(words);
        let mut open: Vec<M::Word> = (0..words).map(|address| own.won(address)).collect();
        let mut ply = 0;
        for (address, &word) in mated.iter().enumerate() {
            if !word.is_empty() {
                layer.insert(address, word);
            }
        }
        loop {
            self.moves.reach(side, &layer, &mut reached);
            // Lost positions are ahead after an even number of plies, and the first of them counts;
            // of the won ones it is the last.
            let score = S::from_plies(ply + 1).unwrap_or(S::DRAW);
            for (address, word) in reached.drain() {
                let word = match ply % 2 {
                    0 => word & open[address],
                    _ => word & own.lost(address),
                };
                if ply % 2 == 0 {
                    open[address] &= !word;
                }
                S::store(&mut scores[line_of::<M::Word>(address)], word, score);
            }
            layer.clear();
            let Some(next) = due.next() else {
                break;
            };
            ply = next;
            due.take(ply, |address, word| {
                if !word.is_empty() {
                    layer.insert(address, word);
                }
            });
        }
        let zeroing = &self.fixed[side].zeroing_score;
        for address in 0..words {
            let decided = own.won(address) | own.lost(address);
            for bit in decided.ones() {
                let at = address * width + bit as usize;
                scores[at] = scores[at].max(S::from_wide(zeroing.wide(at)));
            }
        }
        scores
    }
}
