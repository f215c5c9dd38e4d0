//! How long a plan takes and how large its files become.
//!
//! Two materials as large as each other may differ by a factor of ten in the size of a file, and
//! one that is nearly always drawn takes next to nothing, so what is said of one material is
//! coarse; over many, differences even out. Times are those of one machine.

use super::game::{Cost, Generate, Step};
use super::plan::Plan;

/// What a plan takes, about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes of the files.
    pub bytes: u64,
    /// Seconds of one core.
    pub core_seconds: f64,
    /// Seconds on the clock with the threads there are.
    pub seconds: f64,
}

impl<G: Generate> Plan<G> {
    /// About what one of its steps takes.
    #[must_use]
    pub fn cost(&self, step: &Step<G>) -> Cost {
        G::cost(step, &self.options)
    }

    /// About how large the files become and how long it takes.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        let threads = rayon::current_num_threads() as f64;
        let mut sum = Estimate::default();
        let mut longest_on_one_thread: f64 = 0.0;
        for step in self.steps() {
            let cost = self.cost(step);
            sum.bytes += cost.bytes;
            sum.core_seconds += cost.solving + cost.writing;
            if cost.is_on_one_thread {
                longest_on_one_thread = longest_on_one_thread.max(cost.solving);
            }
        }
        sum.seconds = (sum.core_seconds / threads).max(longest_on_one_thread);
        sum
    }
}
