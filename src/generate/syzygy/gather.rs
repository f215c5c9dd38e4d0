//! The values of a stream in the order of its indices.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::locate::{LastSlice, Locator};
use super::race::place_apart;
use super::settle::{Frequencies, is_free, settle};
use crate::metric::Metric;
use crate::syzygy::{EncodedStream, Encoder, Flags, Listed, LongStream, PIECE};

/// Indices that a thread looks at at a time.
const TASK: usize = 1 << 16;
/// Indices of a piece of the sample that orders are compared by.
const SAMPLE_PIECE: usize = 1 << 12;
/// Of pieces in which nothing is asked for, so many times as many are passed over.
const MOST_EMPTY: usize = 16;

/// Values that are laid out for one side to move, by the index of a stream.
pub(super) struct Gather<'a> {
    pub encoder: Encoder,
    pub listed: &'a Listed,
    pub locator: Locator<'a>,
    /// By the places of the locator.
    pub bytes: &'a [u8],
    pub metric: Metric,
}

impl Gather<'_> {
    fn gather(&self, start: u64, out: &mut [u8]) {
        let mut last = LastSlice::default();
        let mut values = out.iter_mut();
        let len = values.len();
        self.encoder.for_each_run(self.listed, start, len, |run| {
            self.locator.places(run, &mut last, |place| {
                if let Some(value) = values.next() {
                    *value = self.bytes[place];
                }
            });
        });
    }

    /// All of them.
    pub fn all(&self) -> Vec<u8> {
        let mut values = vec![0; self.encoder.len() as usize];
        values
            .par_chunks_mut(TASK)
            .enumerate()
            .for_each(|(task, values)| self.gather((task * TASK) as u64, values));
        let frequencies = Frequencies::new(&values);
        settle(&mut values, self.metric, &frequencies);
        values
    }

    /// Bytes that some pieces of the stream take, about. Where most pieces have nothing that is
    /// asked for, as many more are looked at until there are enough that have.
    pub fn bytes_of_sample(&self, pieces: usize) -> io::Result<u64> {
        let len = self.encoder.len();
        let piece = (len as usize / pieces).clamp(1, SAMPLE_PIECE);
        let starts = len - piece as u64 + 1;
        let mut values = Vec::with_capacity(pieces * piece);
        let mut seen = 0;
        while values.len() < pieces * piece && seen < MOST_EMPTY * pieces {
            let start = values.len();
            values.resize(start + piece, 0);
            self.gather(place_apart(seen as u64, starts), &mut values[start..]);
            if is_free(&values[start..], self.metric) {
                values.truncate(start);
            }
            seen += 1;
        }
        if values.is_empty() {
            return Ok(0);
        }
        let frequencies = Frequencies::new(&values);
        settle(&mut values, self.metric, &frequencies);
        let bytes = EncodedStream::new(&values, Flags::default(), self.metric)?.bytes();
        Ok(bytes * pieces as u64 / seen as u64)
    }

    /// Some pieces of a long stream together, those in which something is asked for.
    pub fn pieces(&self, pieces: usize) -> Vec<u8> {
        let len = self.encoder.len();
        let piece = PIECE.min(len as usize);
        let starts = len - piece as u64 + 1;
        let mut values: Vec<u8> = Vec::with_capacity(pieces * piece);
        let mut seen = 0;
        while values.len() < pieces * piece && seen < MOST_EMPTY * pieces {
            let start = values.len();
            let missing = pieces - start / piece;
            values.resize(start + missing * piece, 0);
            let new = values[start..].par_chunks_mut(piece).enumerate();
            let are_asked: Vec<bool> = new
                .map(|(number, values)| {
                    self.gather(place_apart((seen + number) as u64, starts), values);
                    !is_free(values, self.metric)
                })
                .collect();
            let mut end = start;
            for (number, _) in are_asked.iter().enumerate().filter(|&(_, &asked)| asked) {
                let from = start + number * piece;
                values.copy_within(from..from + piece, end);
                end += piece;
            }
            values.truncate(end);
            seen += missing;
        }
        values
    }
}

/// A stream that is too long to be in memory.
pub(super) struct Long<'a> {
    pub gather: Gather<'a>,
    /// In a sample of it.
    pub frequencies: Frequencies,
    pub cancel: &'a AtomicBool,
}

impl LongStream for Long<'_> {
    fn len(&self) -> u64 {
        self.gather.encoder.len()
    }

    fn fill(&self, start: u64, out: &mut [u8]) -> io::Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.gather.gather(start, out);
        settle(out, self.gather.metric, &self.frequencies);
        Ok(())
    }
}
