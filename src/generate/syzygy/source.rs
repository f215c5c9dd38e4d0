//! The values of one side to move as a Syzygy table has them, in the solver's layout: a byte for
//! each position of the slices that belong to one file of the leading pawn.

use std::ops::Range;

use rayon::prelude::*;

use super::kings::KingPairs;
use super::settle::{FREE, free};
use crate::chess::placement::PawnPlacement;
use crate::chess::solve::board::words;
use crate::chess::solve::solved::SideValues;
use crate::game::Bits;
use crate::generate::rows::results_at;
use crate::generate::slices::Slices;
use crate::metric::{Metric, Wdl};
use crate::syzygy::{Flags, Maps, map_number};
use crate::table::Plane;

/// Which slices belong to a file of the leading pawn, and where their positions lie among those of
/// the file.
#[derive(Clone, Debug)]
pub(super) struct FileSlices {
    slices: Vec<usize>,
    /// By slice; of those that do not belong to the file, the end.
    pub starts: Vec<usize>,
    /// The pairs of kings that have bytes.
    pub kings: KingPairs,
    /// Words of a slice.
    words: usize,
}

impl FileSlices {
    /// By file, where `file` is that of a pawn placement; nothing if a slice is too large.
    pub fn of_files(
        slices: &dyn Slices,
        files: usize,
        file: impl Fn(PawnPlacement) -> usize,
    ) -> Option<Vec<FileSlices>> {
        let material = slices.material();
        let words = words(&material)?;
        let kings = KingPairs::new(material.has_pawns(), words);
        let slice_len = kings.bytes_before(words);
        let all: Vec<usize> = (0..slices.count())
            .map(|slice| file(slices.placement(slice)))
            .collect();
        let of_file = |file: usize| {
            let own: Vec<usize> = (0..all.len()).filter(|&slice| all[slice] == file).collect();
            let mut starts = vec![own.len() * slice_len; all.len()];
            for (number, &slice) in own.iter().enumerate() {
                starts[slice] = number * slice_len;
            }
            FileSlices {
                slices: own,
                starts,
                kings: kings.clone(),
                words,
            }
        };
        Some((0..files).map(of_file).collect())
    }

    /// Bytes of one side to move, but for one behind them that says that nothing is asked for.
    pub fn len(&self) -> usize {
        self.slices.len() * self.kings.bytes_before(self.words)
    }
}

/// Where values come from: a material, a side to move and a metric.
pub(super) struct Values<'a> {
    pub slices: &'a dyn Slices,
    pub side: usize,
    pub metric: Metric,
    /// Whether some distances to zeroing take two bytes.
    pub has_high_bytes: bool,
}

impl Values<'_> {
    /// Shows a slab of a slice: its values, and the high bytes of its distances, if there are any.
    fn show<R>(&self, slice: usize, slab: usize, visit: impl FnOnce(&SideValues, &[u8]) -> R) -> R {
        let of_plane =
            |plane| (self.slices).side_of_slab((slice, slab), self.side, self.metric, plane);
        let values = of_plane(Plane::Low);
        match self.has_high_bytes {
            false => visit(&values, &[]),
            true => visit(&values, &of_plane(Plane::High).own.dtz_high),
        }
    }

    /// The addresses of the slabs of a slice of a file.
    fn slabs(&self, file: &FileSlices, slice: usize) -> impl Iterator<Item = Range<usize>> {
        let (words, slab) = (file.words, self.slices.slab(slice).min(file.words));
        (0..words.div_ceil(slab)).map(move |number| number * slab..words.min((number + 1) * slab))
    }

    /// The bytes of the slices of a file, one after the other; `fill` makes those of a word.
    fn lay_out(
        &self,
        file: &FileSlices,
        fill: impl Fn(&SideValues, &[u8], usize, &mut [u8; 64]) + Sync,
    ) -> Vec<u8> {
        let mut bytes = vec![0; file.len() + 1];
        let mut rest = bytes.as_mut_slice();
        let mut slabs = Vec::new();
        for &slice in &file.slices {
            for (number, addresses) in self.slabs(file, slice).enumerate() {
                let [start, end] =
                    [addresses.start, addresses.end].map(|end| file.kings.bytes_before(end));
                let (own, others) = rest.split_at_mut(end - start);
                slabs.push((slice, number, addresses, own));
                rest = others;
            }
        }
        rest.fill(free(self.metric));
        slabs
            .into_par_iter()
            .for_each(|(slice, slab, addresses, mut bytes)| {
                self.show(slice, slab, |values, high| {
                    let mut line = [0; 64];
                    for (at, address) in addresses.enumerate() {
                        fill(values, high, at, &mut line);
                        let squares = file.kings.squares(address);
                        let (own, others) = bytes.split_at_mut(squares.len());
                        for (byte, &square) in own.iter_mut().zip(squares) {
                            *byte = line[usize::from(square)];
                        }
                        bytes = others;
                    }
                });
            });
        bytes
    }

    /// What probers find without the table, and what follows from that.
    ///
    /// A prober looks at captures first, unlike ours not at promotions; the solver was told. So a
    /// result may be any that is not better than the true one where a capture reaches that, and
    /// anything where one wins. A distance may be anything in drawn positions and where a zeroing
    /// move wins.
    ///
    /// For results, a byte has a bit for each that may stand.
    pub fn results(&self, file: &FileSlices) -> Vec<u8> {
        self.lay_out(file, |values, _, address, line| {
            let sets = results_at(values, address, !0);
            for (number, eight) in line.chunks_exact_mut(8).enumerate() {
                let mut masks = 0;
                for (result, set) in sets.iter().enumerate() {
                    masks |= SPREAD[(set >> (8 * number) & 0xff) as usize] << result;
                }
                eight.copy_from_slice(&masks.to_le_bytes());
            }
        })
    }

    /// Distances to zeroing by the numbers of the file, or [`FREE`].
    pub fn distances(&self, file: &FileSlices, numbers: &Numbers) -> Vec<u8> {
        let numbers = &numbers.numbers;
        self.lay_out(file, |values, high, address, line| {
            line.fill(FREE);
            for_each_asked(values, high, address, |result, king, plies| {
                let number = numbers[map_number(result)].get(plies);
                line[king] = number.copied().unwrap_or(FREE);
            });
        })
    }

    /// How often each distance is asked for in a file.
    pub fn histogram(&self, file: &FileSlices) -> Histogram {
        let slabs = file.slices.par_iter().flat_map_iter(|&slice| {
            let slabs = self.slabs(file, slice).enumerate();
            slabs.map(move |(slab, _)| (slice, slab))
        });
        slabs
            .fold(Histogram::default, |mut histogram, (slice, slab)| {
                self.show(slice, slab, |values, high| histogram.add(values, high));
                histogram
            })
            .reduce(Histogram::default, Histogram::merged)
    }
}

/// A byte of 0 or 1 for each bit of a byte, the lowest first.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The results that have distances.
const RESULTS: [Wdl; 4] = [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss];

/// Calls `visit` with the result, the square of the black king and the plies of each distance that
/// is asked for in a word.
#[inline(always)]
fn for_each_asked(
    values: &SideValues,
    high: &[u8],
    address: usize,
    mut visit: impl FnMut(Wdl, usize, usize),
) {
    let distances = &values.own.dtz[address * 64..][..64];
    let high = high.get(address * 64..).unwrap_or_default();
    let asked = !values.own.won_by_zeroing[address];
    for result in RESULTS {
        for king in (values.decided[result.index()][address] & asked).ones() {
            let king = king as usize;
            let high = high.get(king).copied().unwrap_or(0);
            let plies = u16::from_le_bytes([distances[king], high]);
            visit(result, king, plies.into());
        }
    }
}

/// How often each distance is asked for, by [`map_number`], then by plies.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram([Vec<u64>; 4]);

impl Histogram {
    fn add(&mut self, values: &SideValues, high: &[u8]) {
        for address in 0..values.own.dtz.len() / 64 {
            for_each_asked(values, high, address, |result, _, plies| {
                let counts = &mut self.0[map_number(result)];
                if plies >= counts.len() {
                    counts.resize(plies + 1, 0);
                }
                counts[plies] += 1;
            });
        }
    }

    fn merged(mut self, other: Histogram) -> Histogram {
        for (all, other) in self.0.iter_mut().zip(other.0) {
            all.resize(all.len().max(other.len()), 0);
            all.iter_mut()
                .zip(other)
                .for_each(|(all, other)| *all += other);
        }
        self
    }

    fn has(&self, result: Wdl) -> bool {
        !self.0[map_number(result)].is_empty()
    }

    /// Whether moves are not enough, as they would not tell 99 plies from 100, the last at which a
    /// win or a loss is one.
    fn needs_plies(&self, result: Wdl) -> bool {
        let counts = self.0[map_number(result)].iter().skip(99);
        counts.take(2).any(|&count| count != 0)
    }
}

/// How distances become the numbers of a stream.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub flags: Flags,
    pub maps: Option<Maps>,
    /// By [`map_number`], then by plies.
    numbers: [Vec<u8>; 4],
}

impl Numbers {
    /// Nothing if they do not fit into a byte, which no distance of six men exceeds in moves.
    pub fn new(histogram: &Histogram) -> Option<Numbers> {
        let mut flags = Flags::default();
        for (result, flag) in [
            (Wdl::Win, Flags::WINS_IN_PLIES),
            (Wdl::Loss, Flags::LOSSES_IN_PLIES),
        ] {
            if histogram.needs_plies(result) {
                flags = flags.with(flag);
            }
        }
        let mut numbers: [Vec<u8>; 4] = Default::default();
        for result in RESULTS {
            let is_in_plies = match result {
                Wdl::Win => flags.contain(Flags::WINS_IN_PLIES),
                Wdl::Loss => flags.contain(Flags::LOSSES_IN_PLIES),
                _ => false,
            };
            let nearest = result.dtz_of_zeroing_move().0.unsigned_abs() as usize;
            let of_plies = (0..histogram.0[map_number(result)].len())
                .map(|plies| plies.saturating_sub(nearest) >> u8::from(!is_in_plies));
            let of_plies = of_plies.map(|number| u8::try_from(number).ok());
            numbers[map_number(result)] = of_plies.collect::<Option<Vec<u8>>>()?;
        }
        let mut own = Numbers {
            flags,
            maps: None,
            numbers,
        };
        let results = RESULTS.into_iter();
        if results.filter(|&result| histogram.has(result)).count() > 1 {
            own.map(histogram);
        }
        let has_free = |numbers: &Vec<u8>| numbers.contains(&FREE);
        (!own.numbers.iter().any(has_free)).then_some(own)
    }

    /// Numbers the distances of each result anew, the most frequent first: then results have small
    /// numbers in common.
    fn map(&mut self, histogram: &Histogram) {
        let mut maps = Maps::default();
        for ((map, numbers), counts) in maps.iter_mut().zip(&mut self.numbers).zip(&histogram.0) {
            let mut sums = [0u64; 256];
            for (&number, count) in numbers.iter().zip(counts) {
                sums[usize::from(number)] += count;
            }
            *map = (0..=u8::MAX)
                .filter(|&number| sums[usize::from(number)] != 0)
                .collect();
            map.sort_by_key(|&number| std::cmp::Reverse(sums[usize::from(number)]));
            for number in numbers {
                let place = map.iter().position(|other| other == number);
                *number = place.unwrap_or(0) as u8;
            }
        }
        self.flags = self.flags.with(Flags::MAPPED);
        self.maps = Some(maps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A histogram of so many plies of a result, each asked for once.
    fn histogram(result: Wdl, plies: &[usize]) -> Histogram {
        let mut histogram = Histogram::default();
        let counts = &mut histogram.0[map_number(result)];
        counts.resize(plies.iter().max().unwrap() + 1, 0);
        plies.iter().for_each(|&plies| counts[plies] += 1);
        histogram
    }

    #[test]
    fn distances_of_two_bytes_have_numbers_of_one() {
        // The longest of KRNvKNN.
        let long = histogram(Wdl::CursedWin, &[101, 485]);
        let numbers = Numbers::new(&long).unwrap();
        assert!(numbers.maps.is_none());
        assert_eq!(numbers.numbers[map_number(Wdl::CursedWin)][485], 192);
        let both = long.clone().merged(histogram(Wdl::Win, &[1, 99]));
        let numbers = Numbers::new(&both).unwrap();
        assert_eq!(numbers.maps.unwrap()[map_number(Wdl::CursedWin)], [0, 192]);
        assert!(numbers.flags.contain(Flags::WINS_IN_PLIES));
        // A number of a byte, but the one that says that nothing is asked for; and none of a byte.
        assert!(Numbers::new(&histogram(Wdl::CursedWin, &[101 + 2 * 254])).is_some());
        for plies in [101 + 2 * 255, 101 + 2 * 256] {
            assert!(Numbers::new(&histogram(Wdl::CursedWin, &[plies])).is_none());
        }
        // The number is free in a map.
        let mapped = histogram(Wdl::CursedWin, &[101 + 2 * 255]);
        assert!(Numbers::new(&mapped.merged(histogram(Wdl::Win, &[1]))).is_some());
    }
}
