//! Tallies as numbers, for whoever goes on with a material that was begun.

use super::SliceTally;
use super::tally::{DistanceTally, Found, SideTally};
use crate::table::{Count, Zugzwangs};

/// What is written as numbers, and read back from them in the same order.
trait Noted: Sized {
    fn note(&self, numbers: &mut Vec<u64>);

    /// `None` if the numbers are no such thing.
    fn noted(numbers: &mut &[u64]) -> Option<Self>;
}

impl Noted for u64 {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.push(*self);
    }

    fn noted(numbers: &mut &[u64]) -> Option<u64> {
        let (&first, rest) = numbers.split_first()?;
        *numbers = rest;
        Some(first)
    }
}

impl Noted for bool {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.push((*self).into());
    }

    fn noted(numbers: &mut &[u64]) -> Option<bool> {
        Some(u64::noted(numbers)? != 0)
    }
}

impl<T: Noted> Noted for Vec<T> {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.push(self.len() as u64);
        self.iter().for_each(|each| each.note(numbers));
    }

    fn noted(numbers: &mut &[u64]) -> Option<Vec<T>> {
        let len = u64::noted(numbers)?;
        // Ends with the numbers, whatever the length.
        (0..len).map(|_| T::noted(numbers)).collect()
    }
}

impl<T: Noted, const LEN: usize> Noted for [T; LEN] {
    fn note(&self, numbers: &mut Vec<u64>) {
        self.iter().for_each(|each| each.note(numbers));
    }

    fn noted(numbers: &mut &[u64]) -> Option<[T; LEN]> {
        let all: Option<Vec<T>> = (0..LEN).map(|_| T::noted(numbers)).collect();
        all?.try_into().ok()
    }
}

impl Noted for Count {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.extend([self.positions, self.on_diagonal]);
    }

    fn noted(numbers: &mut &[u64]) -> Option<Count> {
        Some(Count {
            positions: u64::noted(numbers)?,
            on_diagonal: u64::noted(numbers)?,
        })
    }
}

impl Noted for Found {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.extend([self.plies.into(), self.slice as u64, self.index]);
    }

    fn noted(numbers: &mut &[u64]) -> Option<Found> {
        Some(Found {
            plies: u64::noted(numbers)?.try_into().ok()?,
            slice: u64::noted(numbers)?.try_into().ok()?,
            index: u64::noted(numbers)?,
        })
    }
}

impl Noted for DistanceTally {
    fn note(&self, numbers: &mut Vec<u64>) {
        self.wins.note(numbers);
        self.losses.note(numbers);
        self.asked.note(numbers);
        self.longest.note(numbers);
    }

    fn noted(numbers: &mut &[u64]) -> Option<DistanceTally> {
        Some(DistanceTally {
            wins: Noted::noted(numbers)?,
            losses: Noted::noted(numbers)?,
            asked: Noted::noted(numbers)?,
            longest: Noted::noted(numbers)?,
        })
    }
}

impl Noted for SideTally {
    fn note(&self, numbers: &mut Vec<u64>) {
        self.results.note(numbers);
        self.mated.note(numbers);
        self.stalemated.note(numbers);
        self.distances.note(numbers);
    }

    fn noted(numbers: &mut &[u64]) -> Option<SideTally> {
        Some(SideTally {
            results: Noted::noted(numbers)?,
            mated: Noted::noted(numbers)?,
            stalemated: Noted::noted(numbers)?,
            distances: Noted::noted(numbers)?,
        })
    }
}

impl Noted for Zugzwangs {
    fn note(&self, numbers: &mut Vec<u64>) {
        numbers.extend([self.positions, self.different]);
        self.indices.note(numbers);
    }

    fn noted(numbers: &mut &[u64]) -> Option<Zugzwangs> {
        Some(Zugzwangs {
            positions: u64::noted(numbers)?,
            different: u64::noted(numbers)?,
            indices: Noted::noted(numbers)?,
        })
    }
}

impl SliceTally {
    /// Adds everything to some numbers.
    pub fn note(&self, numbers: &mut Vec<u64>) {
        numbers.push(self.listed as u64);
        self.sides.note(numbers);
        self.zugzwangs.note(numbers);
    }

    /// What [`note`](Self::note) has added, taken from the beginning of some numbers.
    #[must_use]
    pub fn noted(numbers: &mut &[u64]) -> Option<SliceTally> {
        Some(SliceTally {
            listed: u64::noted(numbers)?.try_into().ok()?,
            sides: Noted::noted(numbers)?,
            zugzwangs: Noted::noted(numbers)?,
        })
    }
}
