//! Where the time of a generation goes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use retrograde::game::TableGame;
use retrograde::generate::{Generate, Observer, Phase};

/// Seconds of each material and phase.
pub type PhaseTimes<G> = HashMap<PhaseOf<G>, f64>;
type PhaseOf<G> = (<G as TableGame>::Material, Phase<<G as TableGame>::Metric>);

/// Adds up what one thread, which does everything one after the other, spends where: processor time
/// where the system tells it, so that other programs do not count.
pub struct Recorder<G: Generate>(Mutex<Record<G>>);

struct Record<G: Generate> {
    times: PhaseTimes<G>,
    /// The processor's seconds at the end of the last phase, or when the next material was begun.
    last: Option<f64>,
    /// The material that was solved last, and how long that took by the clock.
    solving: Option<(G::Material, Duration)>,
}

impl<G: Generate> Record<G> {
    /// Divides what solving and keeping have taken together by what they took by the clock: slices
    /// are kept while others are still to be solved, and both phases are told of at the end.
    fn divide(&mut self, material: G::Material, keeping: Duration) {
        let Some((_, solving)) = self.solving.take_if(|(solved, _)| *solved == material) else {
            return;
        };
        let all = solving + keeping;
        if all.is_zero() {
            return;
        }
        let share = solving.as_secs_f64() / all.as_secs_f64();
        let mut of_phase = |phase| self.times.remove(&(material, phase)).unwrap_or_default();
        let both = of_phase(Phase::Solving) + of_phase(Phase::Keeping);
        for (phase, share) in [(Phase::Solving, share), (Phase::Keeping, 1.0 - share)] {
            self.times.insert((material, phase), both * share);
        }
    }
}

impl<G: Generate> Default for Recorder<G> {
    fn default() -> Self {
        Recorder(Mutex::new(Record {
            times: HashMap::new(),
            last: processor_seconds(),
            solving: None,
        }))
    }
}

impl<G: Generate> Recorder<G> {
    /// What was spent.
    pub fn into_times(self) -> PhaseTimes<G> {
        let record = self.0.into_inner();
        record.unwrap_or_else(PoisonError::into_inner).times
    }
}

impl<G: Generate> Observer<G> for Recorder<G> {
    fn started(&self, _: G::Material) {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        record.last = processor_seconds();
    }

    fn advanced(&self, _: u64) {}

    fn finished(&self, _: G::Material, _: u64) {}

    fn spent(&self, material: G::Material, phase: Phase<G::Metric>, time: Duration) {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = processor_seconds();
        let seconds = match (record.last, now) {
            (Some(last), Some(now)) => now - last,
            _ => time.as_secs_f64(),
        };
        record.last = now;
        *record.times.entry((material, phase)).or_default() += seconds;
        match phase {
            Phase::Solving => record.solving = Some((material, time)),
            Phase::Keeping => record.divide(material, time),
            Phase::Writing(_) => {}
        }
    }
}

/// Seconds of processor time that the program has taken so far.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    let taken = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(taken.tv_sec as f64 + taken.tv_nsec as f64 / 1e9)
}

/// The system is not asked.
#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}

/// Where to make tables that are measured and not kept.
pub fn temporary_directory() -> Result<tempfile::TempDir> {
    tempfile::tempdir()
        .map_err(|error| anyhow!("cannot make a temporary directory: {error}; set TMPDIR"))
}

/// The thread that a [`Recorder`] is for.
pub fn one_core() -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| anyhow!("cannot start a thread: {error}; end other programs"))
}

/// The middle one; the larger of two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Positions a second.
pub fn per_second(positions: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        positions as f64 / seconds
    } else {
        0.0
    }
}
