//! Choosing what stands where several values may.
//!
//! First as few runs of equal values as possible. Where one run ends and the next begins may still be open: what lies between
//! them goes to the value that is more frequent in the whole stream, so that frequent runs become longer and alike. That
//! took 3 to 11 % off the files.

use super::source::FREE;
use crate::metric::Metric;

/// Settles the values of a stream or of a sample of it.
pub(super) fn settle(values: &mut [u8], metric: Metric) {
    match metric {
        Metric::Wdl => settle_results(values),
        _ => settle_distances(values),
    }
}

/// Whether nothing is asked for anywhere.
pub(super) fn is_free(values: &[u8], metric: Metric) -> bool {
    let free = match metric {
        Metric::Wdl => ANYTHING,
        _ => FREE,
    };
    values.iter().all(|&value| value == free)
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
    /// The best result that may stand, which is the true one somewhere in the run.
    fn value(self) -> u8 {
        self.left.ilog2() as u8
    }
}

fn settle_results(sets: &mut [u8]) {
    let mut frequencies = [0u64; 256];
    for &set in sets.iter() {
        frequencies[usize::from(set)] += 1;
    }
    let frequency = |value: u8| frequencies[1 << value];
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
            if frequency(run.value()) >= frequency(before.value()) {
                let may_stand = |place: usize| sets[place] >> run.value() & 1 == 1;
                while border > before.start && may_stand(border - 1) {
                    border -= 1;
                }
            }
            sets[before.start..border].fill(before.value());
            run.start = border;
        }
        rest.start = run.end;
        before = Some(run);
    }
    if let Some(last) = before {
        sets[last.start..last.end].fill(last.value());
    }
}

fn settle_distances(values: &mut [u8]) {
    let mut frequencies = [0u64; 256];
    for &value in values.iter() {
        frequencies[usize::from(value)] += 1;
    }
    let mut start = 0;
    while let Some(free) = values[start..].iter().position(|&value| value == FREE) {
        start += free;
        let len = values[start..].iter().position(|&value| value != FREE);
        let end = len.map_or(values.len(), |len| start + len);
        let before = start.checked_sub(1).map(|place| values[place]);
        let after = values.get(end).copied();
        let frequency = |value: &u8| frequencies[usize::from(*value)];
        let value = before.into_iter().chain(after).max_by_key(frequency);
        values[start..end].fill(value.unwrap_or(0));
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
