//! What a game gives so that its materials can be planned, solved and written.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use super::plan::{GenerateOptions, Step};
use super::scheduler::Job;
use crate::Error;
use crate::game::TableGame;

/// A game whose tables can be generated: what a plan has to know of its materials, and how one of them is solved and
/// written. Everything else is done once for all games: [`Plan`](super::Plan) says what is missing and in which order
/// it can be done, the scheduler does it within the memory allowed, and what a material leaves for those that lead to
/// it is kept in memory or in files.
///
/// A material leaves *views*: its values as those read them whose captures or promotions lead to it. How many there
/// are and what they look like is for the game to say; to everybody else a view is a name and packed parts.
pub trait Generate: TableGame {
    /// How files are arranged, where there is a choice.
    type Format: Copy + Eq + Debug + Send + Sync;
    /// What a material leaves; it is printed as a part of a file name.
    type View: Copy + Eq + Hash + Debug + Display + Send + Sync;
    /// The values of a material until its files are written.
    type Solved;
    /// A look at the tables that are there.
    type Present;

    /// The metric whose values make views larger.
    const MATES: Self::Metric;

    /// Adds the metrics that are always written, and takes out those that there are not.
    fn complete(options: &mut GenerateOptions<Self>);

    /// Of equally many men, those with the smaller number are planned first.
    fn rank(material: &Self::Material) -> usize;

    /// Looks at the directory.
    fn present(options: &GenerateOptions<Self>) -> Self::Present;

    /// The metrics of which there is no usable file: one whose header fits its name and whose checksums are right.
    fn missing(
        present: &Self::Present,
        material: &Self::Material,
        options: &GenerateOptions<Self>,
    ) -> Vec<Self::Metric>;

    /// The views that solving a material reads.
    fn reads(material: &Self::Material) -> Vec<Self::View>;

    /// The material, in normal form, that leaves a view.
    fn source(view: &Self::View) -> Self::Material;

    /// Whether parts of these lengths, unpacked, can be those of a view.
    fn fits(view: &Self::View, lengths: &[u64]) -> bool;

    /// Bytes that a view takes in memory, packed.
    fn memory_of_view(view: &Self::View, options: &GenerateOptions<Self>) -> u64;

    /// Bytes while a material is solved, so many parts of it at a time, and these files of it are written, at the
    /// worst moment; nothing if it is too large to be solved.
    fn memory_of_step(
        material: &Self::Material,
        metrics: &[Self::Metric],
        options: &GenerateOptions<Self>,
        parts_at_a_time: usize,
    ) -> Option<u64>;

    /// What a step takes, about.
    fn cost(step: &Step<Self>, options: &GenerateOptions<Self>) -> Cost;

    /// Solves the material of a job, and puts what it leaves into the store.
    ///
    /// # Errors
    ///
    /// If it cannot be solved, if a view cannot be kept, or [`Error::Cancelled`].
    fn solve(job: &Job<'_, Self>) -> Result<Self::Solved, Error>;

    /// The files to write, in this order: those that are missing, and those which only turn out to be needed when the
    /// material is solved.
    fn files(job: &Job<'_, Self>, solved: &Self::Solved) -> Vec<Self::Metric>;

    /// Writes a file and returns its bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or [`Error::Cancelled`].
    fn write(
        job: &Job<'_, Self>,
        solved: &Self::Solved,
        metric: Self::Metric,
    ) -> Result<u64, Error>;
}

/// What a step takes, about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Bytes of the files.
    pub bytes: u64,
    /// Seconds of one core for solving.
    pub solving: f64,
    /// Seconds of one core for writing.
    pub writing: f64,
    /// Whether it is solved on one thread.
    pub is_on_one_thread: bool,
}
