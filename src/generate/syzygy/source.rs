//! The values of one side to move as a Syzygy table has them: a byte for each position of the solver.

use rayon::prelude::*;

use crate::chess::solve::solved::SideValues;
use crate::game::Bits;
use crate::generate::rows::results_at;
use crate::generate::slices::Slices;
use crate::metric::{Metric, Wdl};
use crate::syzygy::{Flags, Maps, map_number};
use crate::table::Plane;

/// Stands for a distance that nobody asks for.
pub(super) const FREE: u8 = u8::MAX;

/// What probers find without the table, and what follows from that.
///
/// A prober looks at captures first, unlike ours not at promotions; the solver was told. So a result may be any that is not
/// better than the true one where a capture reaches that, and anything where one wins. A distance may be anything in drawn
/// positions and where a zeroing move wins.
///
/// For results, a byte has a bit for each that may stand.
pub(super) fn results<S: Slices>(slices: &S, side: usize) -> Vec<u8> {
    bytes_of_slices(slices, side, Metric::Wdl, |_, values, bytes| {
        for (address, bytes) in bytes.chunks_exact_mut(64).enumerate() {
            let sets = results_at(values, address, !0);
            for (number, eight) in bytes.chunks_exact_mut(8).enumerate() {
                let mut masks = 0;
                for (result, set) in sets.iter().enumerate() {
                    masks |= SPREAD[(set >> (8 * number) & 0xff) as usize] << result;
                }
                eight.copy_from_slice(&masks.to_le_bytes());
            }
        }
    })
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

/// The bytes of all slices, one after the other.
fn bytes_of_slices<S: Slices>(
    slices: &S,
    side: usize,
    metric: Metric,
    fill: impl Fn(usize, &SideValues, &mut [u8]) + Sync,
) -> Vec<u8> {
    let words = slices.side(0, side, metric, Plane::Low).decided[Wdl::Win.index()].len();
    let mut bytes = vec![0; slices.count() * words * 64];
    if words > 0 {
        bytes
            .par_chunks_mut(words * 64)
            .enumerate()
            .for_each(|(slice, bytes)| {
                fill(slice, &slices.side(slice, side, metric, Plane::Low), bytes)
            });
    }
    bytes
}

/// How often each distance is asked for, in plies, by [`map_number`].
#[derive(Clone, Debug)]
pub(super) struct Histogram([[u64; 256]; 4]);

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram([[0; 256]; 4])
    }
}

/// The results that have distances, with the place of their maps.
const RESULTS: [Wdl; 4] = [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss];

impl Histogram {
    /// By file of the leading pawn, where `file` is that of each slice.
    pub fn by_file<S: Slices>(slices: &S, side: usize, file: &[usize], files: usize) -> Vec<Self> {
        let empty = || vec![Histogram::default(); files];
        (0..slices.count())
            .into_par_iter()
            .fold(empty, |mut histograms, slice| {
                histograms[file[slice]].add(&slices.side(slice, side, Metric::Dtz, Plane::Low));
                histograms
            })
            .reduce(empty, |mut all, other| {
                for (all, other) in all.iter_mut().zip(&other) {
                    let counts = all.0.as_flattened_mut().iter_mut();
                    counts
                        .zip(other.0.as_flattened())
                        .for_each(|(all, other)| *all += other);
                }
                all
            })
    }

    fn add(&mut self, values: &SideValues) {
        for (address, distances) in values.own.dtz.chunks_exact(64).enumerate() {
            let asked = !values.own.won_by_zeroing[address];
            for result in RESULTS {
                let counts = &mut self.0[map_number(result)];
                for king in (values.decided[result.index()][address] & asked).ones() {
                    counts[usize::from(distances[king as usize])] += 1;
                }
            }
        }
    }

    fn has(&self, result: Wdl) -> bool {
        self.0[map_number(result)] != [0; 256]
    }

    /// Whether moves are not enough, as they would not tell 99 plies from 100, the last at which a win or a loss is one.
    fn needs_plies(&self, result: Wdl) -> bool {
        self.0[map_number(result)][99..=100] != [0, 0]
    }
}

/// How distances become the numbers of a stream.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub flags: Flags,
    pub maps: Option<Maps>,
    /// By [`map_number`], then by plies.
    numbers: [[u8; 256]; 4],
}

impl Numbers {
    pub fn new(histogram: &Histogram) -> Numbers {
        let mut flags = Flags::default();
        for (result, flag) in [
            (Wdl::Win, Flags::WINS_IN_PLIES),
            (Wdl::Loss, Flags::LOSSES_IN_PLIES),
        ] {
            if histogram.needs_plies(result) {
                flags = flags.with(flag);
            }
        }
        let mut numbers = [[0; 256]; 4];
        for result in RESULTS {
            let is_in_plies = match result {
                Wdl::Win => flags.contain(Flags::WINS_IN_PLIES),
                Wdl::Loss => flags.contain(Flags::LOSSES_IN_PLIES),
                _ => false,
            };
            let nearest = result.dtz_of_zeroing_move().0.unsigned_abs() as usize;
            for (plies, number) in numbers[map_number(result)].iter_mut().enumerate() {
                *number = (plies.saturating_sub(nearest) >> u8::from(!is_in_plies)) as u8;
            }
        }
        let mut own = Numbers {
            flags,
            maps: None,
            numbers,
        };
        if RESULTS
            .into_iter()
            .filter(|&result| histogram.has(result))
            .count()
            > 1
        {
            own.map(histogram);
        }
        own
    }

    /// Numbers the distances of each result anew, the most frequent first: then results have small numbers in common.
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

/// Distances to zeroing by the numbers of the file of each slice, or [`FREE`].
pub(super) fn distances<S: Slices>(
    slices: &S,
    side: usize,
    file: &[usize],
    numbers: &[Numbers],
) -> Vec<u8> {
    bytes_of_slices(slices, side, Metric::Dtz, |slice, values, bytes| {
        let numbers = &numbers[file[slice]].numbers;
        bytes.fill(FREE);
        for (address, bytes) in bytes.chunks_exact_mut(64).enumerate() {
            let distances = &values.own.dtz[address * 64..][..64];
            let asked = !values.own.won_by_zeroing[address];
            for result in RESULTS {
                let numbers = &numbers[map_number(result)];
                for king in (values.decided[result.index()][address] & asked).ones() {
                    bytes[king as usize] = numbers[usize::from(distances[king as usize])];
                }
            }
        }
    })
}
