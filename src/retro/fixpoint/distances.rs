//! A value for each position, written ply by ply.
//!
//! Each ply decides a few positions of many words. Their bytes, 64 a word, do not fit into any near
//! cache, and a word gets its bytes in a dozen plies. So what a ply decides is first noted one
//! after the other; when there are enough notes, they are carried out for a block of words at a
//! time, all plies of it together.

use super::line_of;
use crate::game::Bits;
use crate::retro::score::Score;
use crate::store::prefer_large_pages;

/// Words whose bytes are written together: they stay in the second-level cache.
const BLOCK: usize = 4096;
/// Notes for each word before they are carried out.
const NOTES: usize = 2;

/// The values of all positions of one side.
#[derive(Debug)]
pub(super) struct Distances<W, S = u8> {
    values: Vec<S>,
    words: usize,
    /// Where something is decided; in order within a run.
    addresses: Vec<u32>,
    /// What is decided there.
    decided: Vec<W>,
    runs: Vec<Run<S>>,
}

/// Notes that belong together.
#[derive(Debug)]
struct Run<S> {
    /// The first that is not carried out yet.
    next: usize,
    end: usize,
    value: S,
}

impl<W: Bits, S: Score> Distances<W, S> {
    /// The same value everywhere.
    #[inline(always)]
    pub fn new(words: usize, value: S) -> Distances<W, S> {
        let mut values = vec![S::default(); words * W::WIDTH as usize];
        prefer_large_pages(&mut values);
        if value != S::default() {
            values.fill(value);
        }
        Distances {
            values,
            words,
            addresses: Vec::with_capacity(NOTES * words),
            decided: Vec::with_capacity(NOTES * words),
            runs: Vec::new(),
        }
    }

    /// Carries out what is noted unless there is room for so many more notes.
    #[inline(always)]
    pub fn make_room(&mut self, notes: usize) {
        if self.addresses.len() + notes > NOTES * self.words {
            self.carry_out();
        }
    }

    /// Notes positions of a word; addresses must increase within a run.
    #[inline(always)]
    pub fn push(&mut self, address: usize, word: W) {
        self.addresses.push(address as u32);
        self.decided.push(word);
    }

    /// All that was noted since the last run has this value.
    #[inline(always)]
    pub fn end_run(&mut self, value: S) {
        let next = self.runs.last().map_or(0, |run| run.end);
        let end = self.addresses.len();
        if end > next {
            self.runs.push(Run { next, end, value });
        }
    }

    #[inline(always)]
    fn carry_out(&mut self) {
        for end_of_block in (BLOCK..self.words + BLOCK).step_by(BLOCK) {
            for run in &mut self.runs {
                while let Some(&address) = self.addresses[..run.end].get(run.next)
                    && (address as usize) < end_of_block
                {
                    let line = &mut self.values[line_of::<W>(address as usize)];
                    S::store(line, self.decided[run.next], run.value);
                    run.next += 1;
                }
            }
        }
        self.addresses.clear();
        self.decided.clear();
        self.runs.clear();
    }

    /// The values, as many a word as it has bits.
    #[inline(always)]
    fn into_values(mut self) -> Vec<S> {
        self.carry_out();
        self.values
    }

    /// The values of both sides, as many a word as it has bits.
    #[inline(always)]
    pub fn into_both_values([white, black]: [Self; 2]) -> [Vec<S>; 2] {
        // What `map` calls would be compiled for any processor.
        [white.into_values(), black.into_values()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_win() {
        let words = 3 * BLOCK / 2;
        let mut distances = Distances::<u64>::new(words, 9);
        let mut expected = vec![9; words * 64];
        let mut seed = 3u64;
        for value in 0..40 {
            distances.make_room(words);
            for address in 0..words {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(9);
                if seed >> 62 != 0 {
                    continue;
                }
                distances.push(address, seed);
                for bit in seed.ones() {
                    expected[address * 64 + bit as usize] = value;
                }
            }
            distances.end_run(value);
        }
        assert_eq!(distances.into_values(), expected);
    }
}
