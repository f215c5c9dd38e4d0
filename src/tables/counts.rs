//! Hits and misses, counted without threads waiting for each other.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::reserve::{Refused, array};

/// What some threads have counted. A line of the processor's cache for itself, as what one
/// processor writes another has to fetch again.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Share {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// More than there are threads, mostly.
const SHARES: usize = 16;

/// Counts of look-ups.
#[derive(Debug)]
pub(crate) struct Counts {
    shares: Box<[Share; SHARES]>,
}

/// The number of this thread among those that have counted something, for the choice of its share.
#[inline]
fn thread_number() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    const NONE: usize = usize::MAX;
    thread_local! {
        static NUMBER: Cell<usize> = const { Cell::new(NONE) };
    }
    match NUMBER.get() {
        NONE => {
            let number = THREADS.fetch_add(1, Ordering::Relaxed) % SHARES;
            NUMBER.set(number);
            number
        }
        number => number,
    }
}

impl Counts {
    /// Nothing was counted yet.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn new() -> Result<Counts, Refused> {
        Ok(Counts { shares: array()? })
    }

    #[inline]
    fn share(&self) -> &Share {
        &self.shares[thread_number() % SHARES]
    }

    /// Counts a look-up that found something.
    #[inline]
    pub fn hit(&self) {
        self.share().hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one that did not.
    #[inline]
    pub fn miss(&self) {
        self.share().misses.fetch_add(1, Ordering::Relaxed);
    }

    /// All hits and all misses.
    pub fn sums(&self) -> (u64, u64) {
        let sum = |count: fn(&Share) -> &AtomicU64| {
            let counts = self.shares.iter().map(count);
            counts.map(|count| count.load(Ordering::Relaxed)).sum()
        };
        (sum(|share| &share.hits), sum(|share| &share.misses))
    }
}
