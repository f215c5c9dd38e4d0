//! Who is told how a generation goes.

use std::time::Duration;

use crate::card::CardError;
use crate::chess::Chess;
use crate::game::TableGame;
use crate::metric::Metric;

/// Told how a generation goes, from any thread.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// use retrograde::chess::material::Material;
/// use retrograde::generate::{GenerateOptions, Observer, Plan};
///
/// #[derive(Default)]
/// struct Bytes(AtomicU64);
///
/// impl Observer for Bytes {
///     fn started(&self, material: Material) {
///         println!("{material}");
///     }
///     fn advanced(&self, _: u64) {}
///     fn finished(&self, _: Material, bytes: u64) {
///         self.0.fetch_add(bytes, Ordering::Relaxed);
///     }
/// }
///
/// let directory = tempfile::tempdir()?;
/// let plan = Plan::new(&GenerateOptions::new(directory.path(), vec!["KRvK".parse()?]))?;
/// let written = Bytes::default();
/// let generated = plan.run(&AtomicBool::new(false), &written)?;
/// assert_eq!(written.0.into_inner(), generated.bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer<G: TableGame = Chess>: Sync {
    /// A material is being solved.
    fn started(&self, material: G::Material);
    /// So much more of [`Plan::work`](super::Plan::work) is done.
    fn advanced(&self, work: u64);
    /// All positions of a material at so many plies of a metric are known; where several slices are
    /// solved, those of one.
    fn ply(&self, _material: G::Material, _metric: G::Metric, _plies: u32) {}
    /// The work on a material goes on where a program was killed or stopped.
    fn goes_on(&self, _material: G::Material, _done: DoneBefore<G::Metric>) {}
    /// The graphics card cannot solve a material, or has failed; the processor goes on from what is
    /// found.
    fn goes_on_without_card(&self, _material: G::Material, _why: CardError) {}
    /// The file of a metric is being written.
    fn writing(&self, _material: G::Material, _metric: G::Metric) {}
    /// A material's files are written; they have `bytes` bytes together.
    fn finished(&self, material: G::Material, bytes: u64);
    /// So much time went into a phase of a material. Times of a material add up if one thread does
    /// everything; with more, [`Phase::Solving`] is the time on the clock and [`Phase::Keeping`] is
    /// part of it.
    fn spent(&self, _material: G::Material, _phase: Phase<G::Metric>, _time: Duration) {}
}

/// What a generation spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase<M = Metric> {
    /// From what captures and promotions lead to, or from finished tables, to all values. Each step
    /// of a plan has this phase once.
    Solving,
    /// Digesting values, packing them until they are written, and leaving behind what other
    /// materials read.
    Keeping,
    /// Writing the file of a metric.
    Writing(M),
}

/// What is not done again where a generation goes on with a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DoneBefore<M = Metric> {
    /// All plies of a metric up to this one; where several slices are solved, those of one. Nobody
    /// is told of them.
    Plies(M, u32),
    /// So many slices, of so many.
    Slices(usize, usize),
}

/// An observer that does not care.
impl<G: TableGame> Observer<G> for () {
    fn started(&self, _: G::Material) {}
    fn advanced(&self, _: u64) {}
    fn finished(&self, _: G::Material, _: u64) {}
}
