//! From what may stand at consecutive indices to numbers with as few changes as possible.
//!
//! Going through the indices in order, what may stand everywhere in a run is cut by what may stand
//! at each next index while something is left. That gives the fewest runs possible.

use std::ops::Range;

use super::rows::{MAX_SETS, Numbers, Rows, moves_to_mate};
use crate::byte_sets;
use crate::game::Bits;

/// Cuts runs and writes numbers. Rows come one after the other; a run goes on from one to the next.
pub(super) struct Runs<'a> {
    numbers: &'a Numbers,
    filler: u8,
    out: &'a mut [u8],
    /// Where the next number goes.
    at: usize,
    /// Where the run starts.
    start: usize,
    /// Results: the set of those, by place, that may stand in the whole run.
    left: u8,
    /// Distances: what may stand in the whole run, if anything is asked for in it.
    interval: Option<(u8, u8)>,
}

/// Every result.
const ALL_LEFT: u8 = (1 << MAX_SETS) - 1;

impl<'a> Runs<'a> {
    /// Fills `out`; the filler stands where nothing at all is asked for.
    pub fn new(numbers: &'a Numbers, filler: u8, out: &'a mut [u8]) -> Runs<'a> {
        Runs {
            numbers,
            filler,
            out,
            at: 0,
            start: 0,
            left: ALL_LEFT,
            interval: None,
        }
    }

    /// Goes on with some indices of `rows`.
    pub fn push(&mut self, rows: &Rows, indices: Range<usize>) {
        let count = self.numbers.sets();
        let mut from = indices.start;
        while from < indices.end {
            let (word, shift) = (from / 64, from % 64);
            let len = (64 - shift).min(indices.end - from);
            let bytes = rows.bytes.get(from..from + len).unwrap_or_default();
            self.push_word(&rows.sets[word * count..][..count], shift, len, bytes);
            from += len;
        }
    }

    /// Goes on with `len` indices: the sets have them from bit `shift` on, and `bytes` are theirs.
    #[inline(always)]
    pub fn push_word(&mut self, sets: &[u64], shift: usize, len: usize, bytes: &[u8]) {
        match self.numbers {
            Numbers::Results(_) => match *sets {
                [a, b] => self.push_results([a, b], shift, len),
                [a, b, c] => self.push_results([a, b, c], shift, len),
                [a, b, c, d] => self.push_results([a, b, c, d], shift, len),
                [a, b, c, d, e] => self.push_results([a, b, c, d, e], shift, len),
                _ => {}
            },
            Numbers::ToZeroing(_) | Numbers::LongToMate(_) => {
                self.push_exact(sets[0] >> shift, bytes);
            }
            Numbers::ToMate => self.push_mates(sets[0] >> shift, sets[1] >> shift, bytes),
        }
        self.at += len;
    }

    /// `sets` have the next `len` indices from bit `shift` on.
    #[inline(always)]
    fn push_results<const SETS: usize>(&mut self, sets: [u64; SETS], shift: usize, len: usize) {
        let mut done = 0;
        loop {
            // How far each result goes on from here.
            let reached: [usize; SETS] = std::array::from_fn(|place| {
                let may_stand = sets[place] >> (shift + done);
                let end = ((!may_stand).trailing_zeros() as usize).min(len - done);
                end * usize::from(self.left >> place & 1)
            });
            let furthest = reached.into_iter().max().unwrap_or(0);
            if furthest != 0 {
                self.left = (0..SETS).fold(0, |left, place| {
                    left | u8::from(reached[place] == furthest) << place
                });
                done += furthest;
            } else if self.start == self.at + done {
                // Every index has a result that may stand; if it had not, this would be the way on.
                done += 1;
            }
            if done == len {
                return;
            }
            self.end_run(self.at + done);
            self.left = ALL_LEFT;
        }
    }

    /// The numbers are what `bytes` say where they are asked for.
    #[inline(always)]
    fn push_exact(&mut self, asked: u64, bytes: &[u8]) {
        let len = bytes.len();
        let asked = asked & u64::MAX >> (64 - len);
        let out = &mut self.out[self.at..self.at + len];
        let mut number = match self.interval {
            Some((number, _)) => number,
            None if asked == 0 => return,
            // What is free at the beginning goes with the first that is asked for.
            None => bytes[asked.trailing_zeros() as usize],
        };
        if asked == u64::MAX >> (64 - len) {
            out.copy_from_slice(bytes);
            number = bytes[len - 1];
        } else if asked == 0 {
            out.fill(number);
        } else {
            for (place, (out, &byte)) in out.iter_mut().zip(bytes).enumerate() {
                number = if asked >> place & 1 == 1 {
                    byte
                } else {
                    number
                };
                *out = number;
            }
        }
        if self.interval.is_none() {
            let first = self.out[self.at];
            self.out[..self.at].fill(first);
        }
        self.interval = Some((number, number));
    }

    /// `free` are those where a worse distance may stand.
    #[inline(always)]
    fn push_mates(&mut self, asked: u64, free: u64, bytes: &[u8]) {
        let asked = asked & u64::MAX >> (64 - bytes.len());
        // What is asked for right after the same changes nothing.
        let same = asked << 1 & !(free ^ free << 1) & !changes(bytes);
        for place in (asked & !same).ones() {
            let (low, high) = moves_to_mate(bytes[place as usize], free.contains(place));
            if let Some((run_low, run_high)) = self.interval {
                let both = (run_low.max(low), run_high.min(high));
                if both.0 <= both.1 {
                    self.interval = Some(both);
                    continue;
                }
                self.end_run(self.at + place as usize);
            }
            self.interval = Some((low, high));
        }
    }

    /// Writes the number of the run, which is the true one of one of its indices.
    #[inline(always)]
    fn end_run(&mut self, end: usize) {
        let number = match (self.numbers, self.interval) {
            (Numbers::Results(present), _) => {
                let best = (self.left | 1).ilog2() as usize;
                present.get(best).or(present.last()).copied()
            }
            (_, Some((low, u8::MAX))) => Some(low),
            (_, Some((_, high))) => Some(high),
            (_, None) => None,
        };
        let number = number.unwrap_or(self.filler);
        let start = std::mem::replace(&mut self.start, end);
        match self.out[start..].first_chunk_mut::<SHORT>() {
            // What is too much is written again by the next run.
            Some(short) if end - start <= SHORT => *short = [number; SHORT],
            _ => self.out[start..end].fill(number),
        }
    }

    /// Ends the last run.
    pub fn finish(mut self) {
        match (self.numbers, self.interval) {
            (Numbers::ToZeroing(_) | Numbers::LongToMate(_), Some(_)) => {}
            _ => self.end_run(self.out.len()),
        }
    }
}

/// Where bytes differ from those before them; the first does.
#[inline(always)]
fn changes(bytes: &[u8]) -> u64 {
    let Some(line) = bytes.first_chunk::<64>() else {
        return u64::MAX;
    };
    let mut before = [0; 64];
    before[1..].copy_from_slice(&line[..63]);
    !byte_sets::equal(line, &before) | 1
}

/// Numbers that are written faster all at once than as many as there are.
const SHORT: usize = 16;
