//! Lines of a frame with pawns, where the squares of a king follow each other in the file.
//!
//! All boards of such a frame are turned in one way on the way to the file, if they are, and no
//! turn exchanges ranks and files. So what follows each other there does so here, but for the
//! order of files, or of ranks.

use super::tile::{Numbers, keep};
use super::{Gather, Orders};
use crate::chess::symmetry::Symmetry;
use crate::game::{Bits, Color};
use crate::simd::Kernel;
use crate::transpose::transpose_lines;
use crate::verify::chess::layout::{Frame, Squares};
use crate::verify::chess::line::{Lane, Line};
use crate::verify::chess::part::Part;

/// What lines are gathered from, and of which.
#[derive(Clone, Copy)]
pub(super) struct FromFile<'a> {
    pub gather: &'a Gather<'a>,
    pub numbers: Numbers<'a>,
    /// Takes the boards of the frame to those of the file.
    pub symmetry: Symmetry,
    pub part: &'a Part,
    pub side: Color,
    /// The bits of numbers that stay.
    pub kept: u8,
}

/// Gathers lines whose numbers follow each other in the file.
pub(super) struct GatherBlackKing<'a> {
    pub from: FromFile<'a>,
    /// The address of the first line.
    pub start: usize,
    pub lines: &'a mut [Line<u8>],
}

impl Kernel for GatherBlackKing<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let FromFile {
            gather,
            numbers,
            symmetry,
            part,
            side,
            kept,
        } = self.from;
        let frame = gather.frame;
        let first = usize::from(symmetry.map(0));
        for (address, line) in (self.start..).zip(self.lines) {
            let squares = frame.squares(address);
            if !gather.is_line(&squares) || !part.has(side, &frame.men, &squares) {
                continue;
            }
            let kings = gather.pairs[usize::from(squares[0])].by_black[first];
            let others = gather.groups_offset(&squares, symmetry, None);
            let row = u8::turned(&numbers.row(kings.offset + others), symmetry);
            keep(line, &row, kept);
        }
    }
}

/// Gathers the lines of all squares of the white king.
///
/// For each square of the black king, the numbers of all squares of the white king are a row of 64;
/// 64 rows make 64 lines.
pub(super) struct GatherKings<'a, 'l> {
    pub from: FromFile<'a>,
    pub bands: Bands<'l>,
}

impl Kernel for GatherKings<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let FromFile {
            gather, part, side, ..
        } = self.from;
        let frame = gather.frame;
        for place in 0..self.bands.len() {
            let squares = frame.squares(self.bands.first + place);
            if gather.is_line(&squares) {
                let kings = part.squares(side, &frame.men, &squares, 0);
                self.take(place, &squares, kings);
            }
        }
    }
}

impl GatherKings<'_, '_> {
    /// Takes the numbers of some squares of the white king, the other men being on squares.
    #[inline(always)]
    fn take(&mut self, place: usize, squares: &Squares, kings: u64) {
        let FromFile {
            gather,
            numbers,
            symmetry,
            kept,
            ..
        } = self.from;
        let frame = gather.frame;
        let pairs = &gather.pairs[usize::from(symmetry.map(0))];
        let others = gather.groups_offset(squares, symmetry, None);
        let rows = pairs.by_black.map(|kings| kings.offset + others);
        let (low, high) = (
            rows[usize::from(symmetry.map(0))],
            rows[usize::from(symmetry.map(63))],
        );
        if kings == 0 || !numbers.has_any_of(low..=high + 63) {
            return;
        }
        let rows = rows.map(|row| numbers.row(row));
        let mut found = [[0; 64]; 64];
        transpose_lines(&rows, &mut found);
        for (start, lines) in self.bands.chunks() {
            let king = frame.squares(start)[0];
            if kings.contains(king.into()) {
                let found = &found[usize::from(symmetry.map(king)) % 64];
                keep(&mut lines[place], found, kept);
            }
        }
    }
}

impl Gather<'_> {
    /// Whether there is a line of men on squares.
    #[inline(always)]
    fn is_line(&self, squares: &Squares) -> bool {
        self.orders == Orders::All || self.frame.is_in_order(squares)
    }
}

/// The same part of some bands, one for each place of the white king.
pub(super) struct Bands<'l> {
    /// The first address of each band.
    starts: Vec<usize>,
    /// How far the first line is from there.
    first: usize,
    bands: Vec<&'l mut [Line<u8>]>,
}

impl<'l> Bands<'l> {
    /// Divides whole bands from an address on into parts of so many lines.
    pub fn new(
        frame: &Frame,
        start: usize,
        lines: &'l mut [Line<u8>],
        part: usize,
    ) -> Vec<Bands<'l>> {
        let length = frame.stride(0);
        let starts: Vec<usize> = (start..start + lines.len()).step_by(length).collect();
        let mut bands: Vec<_> = (lines.chunks_mut(length))
            .map(|band| band.chunks_mut(part))
            .collect();
        let parts = (0..length).step_by(part).map(|first| Bands {
            starts: starts.clone(),
            first,
            bands: bands.iter_mut().filter_map(Iterator::next).collect(),
        });
        parts.collect()
    }

    /// Divides the bands into so many groups, or fewer.
    pub fn in_groups(mut self, groups: usize) -> Vec<Bands<'l>> {
        let length = self.starts.len().div_ceil(groups.max(1)).max(1);
        let starts = self.starts.chunks(length);
        let groups = starts.map(|starts| Bands {
            starts: starts.to_vec(),
            first: self.first,
            bands: self.bands.drain(..starts.len()).collect(),
        });
        groups.collect()
    }

    /// Lines of each band.
    fn len(&self) -> usize {
        self.bands.first().map_or(0, |band| band.len())
    }

    /// Of each band the address of the first line, and the lines.
    pub fn chunks(&mut self) -> impl Iterator<Item = (usize, &mut [Line<u8>])> {
        let starts = self.starts.iter().map(|start| start + self.first);
        starts.zip(self.bands.iter_mut().map(|lines| &mut **lines))
    }
}
