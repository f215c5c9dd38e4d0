//! Choosing what stands where several values may.
//!
//! First as few runs of equal values as possible. Where one run ends and the next begins may still
//! be open: what lies between them goes to the value that is more frequent in the whole stream, so
//! that frequent runs become longer and alike. That took 3 to 11 % off the files.

use rayon::prelude::*;

use crate::metric::{Metric, Wdl};

/// Stands for a distance that nobody asks for.
pub(super) const FREE: u8 = u8::MAX;

/// How often each byte stands in a stream before it is settled, or in a sample of it.
#[derive(Clone, Debug)]
pub(super) struct Frequencies([u64; 256]);

impl Frequencies {
    pub fn new(values: &[u8]) -> Frequencies {
        let empty = || [0u64; 256];
        let counts = values
            .par_chunks(1 << 16)
            .fold(empty, |mut counts, values| {
                for &value in values {
                    counts[usize::from(value)] += 1;
                }
                counts
            });
        let add = |mut all: [u64; 256], counts: [u64; 256]| {
            all.iter_mut()
                .zip(counts)
                .for_each(|(all, count)| *all += count);
            all
        };
        Frequencies(counts.reduce(empty, add))
    }

    /// The numbers, or the best results, that are asked for somewhere.
    pub fn asked(&self, metric: Metric) -> [bool; 256] {
        let mut asked = [false; 256];
        let bytes = (0..=u8::MAX).filter(|&byte| self.0[usize::from(byte)] != 0);
        for byte in bytes.filter(|&byte| byte != free(metric)) {
            match metric {
                Metric::Wdl if byte == 0 => {}
                Metric::Wdl => asked[byte.ilog2() as usize] = true,
                _ => asked[usize::from(byte)] = true,
            }
        }
        asked
    }

    fn of_result(&self, result: u8) -> u64 {
        self.0[1 << result]
    }

    /// What stands where nothing is asked for far and wide.
    fn most_frequent_result(&self) -> u8 {
        let results = 0..Wdl::ALL.len() as u8;
        let most = results.max_by_key(|&result| self.of_result(result));
        most.unwrap_or(0)
    }

    fn most_frequent_number(&self) -> u8 {
        let most = (0..FREE)
            .rev()
            .max_by_key(|&number| self.0[usize::from(number)]);
        most.unwrap_or(0)
    }
}

/// Settles the values of a stream or of a part of it.
pub(super) fn settle(values: &mut [u8], metric: Metric, frequencies: &Frequencies) {
    match metric {
        Metric::Wdl => settle_results(values, frequencies),
        _ => settle_distances(values, frequencies),
    }
}

/// The byte that says that nothing is asked for.
pub(super) fn free(metric: Metric) -> u8 {
    match metric {
        Metric::Wdl => ANYTHING,
        _ => FREE,
    }
}

/// Whether nothing is asked for anywhere.
pub(super) fn is_free(values: &[u8], metric: Metric) -> bool {
    values.iter().all(|&value| value == free(metric))
}

/// A run of equal results that is being made of sets of results.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: usize,
    end: usize,
    /// What may stand everywhere in it.
    left: u8,
}

const ANYTHING: u8 = 0b1_1111;

impl Run {
    /// The best result that may stand, which is the true one somewhere in the run, if anything is
    /// asked for there.
    fn value(self, frequencies: &Frequencies) -> u8 {
        match self.left {
            ANYTHING => frequencies.most_frequent_result(),
            left => left.ilog2() as u8,
        }
    }
}

fn settle_results(sets: &mut [u8], frequencies: &Frequencies) {
    let frequency = |run: Run| frequencies.of_result(run.value(frequencies));
    let mut rest = Run {
        start: 0,
        end: 0,
        left: ANYTHING,
    };
    let mut before: Option<Run> = None;
    while rest.start < sets.len() {
        let mut run = rest;
        run.end = run.start;
        while let Some(both) = sets.get(run.end).map(|set| set & run.left)
            && both != 0
        {
            run.left = both;
            run.end += 1;
        }
        if let Some(before) = before {
            let mut border = run.start;
            if frequency(run) >= frequency(before) {
                let may_stand = |place: usize| sets[place] >> run.value(frequencies) & 1 == 1;
                while border > before.start && may_stand(border - 1) {
                    border -= 1;
                }
            }
            sets[before.start..border].fill(before.value(frequencies));
            run.start = border;
        }
        rest.start = run.end;
        before = Some(run);
    }
    if let Some(last) = before {
        sets[last.start..last.end].fill(last.value(frequencies));
    }
}

fn settle_distances(values: &mut [u8], frequencies: &Frequencies) {
    let mut start = 0;
    while let Some(free) = values[start..].iter().position(|&value| value == FREE) {
        start += free;
        let len = values[start..].iter().position(|&value| value != FREE);
        let end = len.map_or(values.len(), |len| start + len);
        let before = start.checked_sub(1).map(|place| values[place]);
        let after = values.get(end).copied();
        let frequency = |value: &u8| frequencies.0[usize::from(*value)];
        let value = before.into_iter().chain(after).max_by_key(frequency);
        let value = value.unwrap_or_else(|| frequencies.most_frequent_number());
        values[start..end].fill(value);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles a whole stream.
    fn settle(values: &mut [u8], metric: Metric) {
        let frequencies = Frequencies::new(values);
        super::settle(values, metric, &frequencies);
    }

    #[test]
    fn where_nothing_is_asked_for_the_most_frequent_stands() {
        let all = [1, 1, ANYTHING, 4, 4, 4, 0b111];
        let frequencies = Frequencies::new(&all);
        let mut asked = [false; 256];
        asked[0] = true;
        asked[2] = true;
        assert_eq!(frequencies.asked(Metric::Wdl), asked);
        let mut sets = [ANYTHING; 3];
        super::settle(&mut sets, Metric::Wdl, &frequencies);
        assert_eq!(sets, [2; 3]);
        let frequencies = Frequencies::new(&[FREE, FREE, 7, 0]);
        asked[2] = false;
        asked[7] = true;
        assert_eq!(frequencies.asked(Metric::Dtz), asked);
        let mut values = [FREE; 3];
        super::settle(
            &mut values,
            Metric::Dtz,
            &Frequencies::new(&[7, FREE, 3, 7]),
        );
        assert_eq!(values, [7; 3]);
    }

    #[test]
    fn results_are_as_few_runs_as_possible() {
        let mut sets = [0b1_1111, 0b0_0111, 0b0_0100, 0b1_1111, 0b0_0001, 0b1_1111];
        settle(&mut sets, Metric::Wdl);
        assert_eq!(sets, [2, 2, 2, 0, 0, 0]);
        let mut sets = [ANYTHING; 3];
        settle(&mut sets, Metric::Wdl);
        assert_eq!(sets, [4; 3]);
    }

    #[test]
    fn what_lies_between_goes_to_the_more_frequent() {
        let mut sets = [0b1, 0b1, 0b1_1111, 0b1_1111, 0b100, 0b1_1111];
        settle(&mut sets, Metric::Wdl);
        assert_eq!(sets, [0, 0, 0, 0, 2, 2]);
        let mut values = [FREE, 3, 3, FREE, 4, FREE, FREE, 5, 5, 5, FREE];
        settle(&mut values, Metric::Dtz);
        assert_eq!(values, [3, 3, 3, 3, 4, 5, 5, 5, 5, 5, 5]);
        let mut values = [FREE; 3];
        settle(&mut values, Metric::Dtz);
        assert_eq!(values, [0; 3]);
    }
}
