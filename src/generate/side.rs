//! One side to move of one metric of a solved material: its numbers, slice by slice and row by row.

use std::ops::Range;

use super::addressing::{Addressing, BLACK_KING, FastestMan, Row};
use super::rows::Numbers;
use super::runs::Runs;
use super::slices::{LentValues, Slices};
use super::summary::Summary;
use super::windows::{bytes_of_word, windows};
use crate::chess::index::{IndexSpace, MAX_DIMENSIONS, Order};
use crate::metric::Metric;
use crate::table::Plane;

/// The numbers of one side to move, in whatever order.
pub(super) struct Side<'a> {
    pub slices: &'a dyn Slices,
    pub space: &'a IndexSpace,
    pub addressing: &'a Addressing,
    pub side: usize,
    pub metric: Metric,
    pub plane: Plane,
    pub numbers: Numbers,
    pub present: [bool; 256],
    /// Stands where nothing is asked for in a whole block.
    pub filler: u8,
}

impl<'a> Side<'a> {
    pub fn new(
        slices: &'a dyn Slices,
        space: &'a IndexSpace,
        addressing: &'a Addressing,
        summary: &Summary,
        side: usize,
        (metric, plane): (Metric, Plane),
    ) -> Side<'a> {
        let present = summary.present(side, metric, plane);
        Side {
            slices,
            space,
            addressing,
            side,
            metric,
            plane,
            numbers: Numbers::new(metric, plane, summary.has_high_bytes(metric), &present),
            filler: present.iter().position(|&is| is).unwrap_or(0) as u8,
            present,
        }
    }

    /// Brings the numbers into memory where not all of them are, turned along a man.
    pub fn prepare(&self, along: Option<FastestMan>) {
        (self.slices).prepare(self.side, &self.numbers, self.addressing, along);
    }

    /// Whether only a part of the numbers is in memory at a time.
    pub fn is_in_parts(&self) -> bool {
        self.slices.lays_out_parts() && windows(bytes_of_word(&self.numbers)) > 1
    }

    /// The number of indices of a slice.
    pub fn slice_len(&self) -> u64 {
        self.space.len() / self.slices.count() as u64
    }

    /// The values of a slice.
    pub fn values(&self, slice: usize) -> LentValues<'a> {
        self.slices.side(slice, self.side, self.metric, self.plane)
    }

    /// Writes the numbers of indices from `start` on. `push` is given runs, a slice, and those of
    /// its indices that come next.
    pub fn fill(
        &self,
        start: u64,
        out: &mut [u8],
        push: impl Fn(&mut Runs<'_>, usize, Range<u64>),
    ) {
        let slice_len = self.slice_len();
        let end = start + out.len() as u64;
        let mut runs = Runs::new(&self.numbers, self.filler, out);
        let mut from = start;
        while from < end {
            let slice = from / slice_len;
            let first = slice * slice_len;
            let to = end.min(first + slice_len);
            push(&mut runs, slice as usize, from - first..to - first);
            from = to;
        }
        runs.finish();
    }

    /// The rows of `len` indices of a slice from `start` on in an order.
    #[inline(always)]
    pub fn rows<'b>(&'b self, order: &'b Order, start: u64, len: usize) -> IndexRows<'b> {
        let (fastest, slower) = match order.dimensions() {
            [slower @ .., fastest] => (usize::from(*fastest), slower),
            [] => (BLACK_KING, &[][..]),
        };
        IndexRows {
            space: self.space,
            addressing: self.addressing,
            fastest,
            slower,
            digits: order.digits(start),
            rest: len as u32,
        }
    }
}

/// Goes through consecutive indices row by row.
///
/// An iterator and no function that is given a closure, since only that can be made to be inlined
/// into what is compiled for wide registers.
pub(super) struct IndexRows<'a> {
    space: &'a IndexSpace,
    addressing: &'a Addressing,
    fastest: usize,
    /// The other dimensions.
    slower: &'a [u8],
    /// Where the next row begins.
    digits: [u32; MAX_DIMENSIONS],
    /// Indices that are left.
    rest: u32,
}

impl Iterator for IndexRows<'_> {
    type Item = Row;

    #[inline(always)]
    fn next(&mut self) -> Option<Row> {
        if self.rest == 0 {
            return None;
        }
        let first = self.digits[self.fastest];
        let end = self.space.radix(self.fastest).min(first + self.rest);
        let mut address = 0;
        for &dimension in self.slower {
            let dimension = usize::from(dimension);
            address += self.addressing.part(dimension, self.digits[dimension]);
        }
        let black_king = self.digits[BLACK_KING];
        self.rest -= end - first;
        self.digits[self.fastest] = 0;
        for &dimension in self.slower.iter().rev() {
            let digit = &mut self.digits[usize::from(dimension)];
            *digit += 1;
            if *digit < self.space.radix(usize::from(dimension)) {
                break;
            }
            *digit = 0;
        }
        Some(Row {
            address,
            black_king,
            digits: first..end,
        })
    }
}
