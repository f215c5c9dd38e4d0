//! What a game gives so that its materials can be planned, solved and written, and what it is told
//! for that.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::effort::Effort;
use super::observer::{DoneBefore, Observer};
use super::views::{DIRECTORY, ViewName, Views};
use crate::Error;
use crate::card::{Card, CardError};
use crate::chess::Chess;
use crate::chess::solve::Engine;
use crate::game::{Signature, TableGame};
use crate::retro::fixpoint::{Distance, PlyObserver, Watch};
use crate::retro::ranks::Ranks;
use crate::simd::Width;
use crate::store::ScratchDirectory;
use crate::table::Compression;
use crate::tables::rules_directory;

/// A game whose tables can be generated: what a plan has to know of its materials, and how one of
/// them is solved and written. Everything else is done once for all games: [`Plan`](super::Plan)
/// says what is missing and in which order it can be done, the scheduler does it within the memory
/// allowed, and what a material leaves for those that lead to it is kept in memory or in files.
///
/// A material leaves *views*: its values as those read them whose captures or promotions lead to
/// it. How many there are and what they look like is for the game to say; to everybody else a view
/// is a name and packed parts.
pub trait Generate: TableGame {
    /// How files are arranged, where there is a choice.
    type Format: Copy + Eq + Debug + Send + Sync;
    /// What a material leaves; it is printed as a part of a file name.
    type View: ViewName<Material = Self::Material>;
    /// The values of a material until its files are written.
    type Solved;

    /// The distances that are found together with the results.
    const ZEROING: Self::Metric;
    /// The metric whose values make views larger.
    const MATES: Self::Metric;

    /// How a file of a metric is compressed, and what is kept in it.
    fn effort(compression: Compression, metric: Self::Metric, material: &Self::Material) -> Effort;

    /// Adds the metrics that are always written, and takes out those that there are not.
    fn complete(options: &mut GenerateOptions<Self>);

    /// Of equally many men, those with the smaller number are planned first.
    fn rank(material: &Self::Material) -> usize;

    /// The metrics of which there is no usable file: one whose header fits its name and whose
    /// checksums are right.
    fn missing(material: &Self::Material, options: &GenerateOptions<Self>) -> Vec<Self::Metric>;

    /// Whether a material has too many positions to be solved at all, as far as can be said of it
    /// alone.
    fn is_too_large(material: &Self::Material) -> bool;

    /// The views that solving a material reads.
    fn reads(material: &Self::Material) -> Vec<Self::View>;

    /// Bytes that a view takes in memory, packed.
    fn memory_of_view(view: &Self::View, options: &GenerateOptions<Self>) -> u64;

    /// Bytes while a material is solved and files of it are written, at the worst moment; nothing
    /// if it is too large to be solved.
    fn memory_of_step(
        needs: &Needs<'_, Self>,
        options: &GenerateOptions<Self>,
        thrift: Thrift,
    ) -> Option<u64>;

    /// Bytes of scratch files while a material is solved and written, at most; nothing where all is
    /// in memory.
    fn scratch_of_step(
        _needs: &Needs<'_, Self>,
        _options: &GenerateOptions<Self>,
        _thrift: Thrift,
    ) -> u64 {
        0
    }

    /// What a step takes, about.
    fn cost(step: &Step<Self>, options: &GenerateOptions<Self>) -> Cost;

    /// Solves the material of a job, and puts what it leaves into the store.
    ///
    /// # Errors
    ///
    /// If it cannot be solved, if a view cannot be kept, or [`Error::Cancelled`].
    fn solve(job: &Job<'_, Self>) -> Result<Self::Solved, Error>;

    /// The files to write, in this order: those that are missing, and those which only turn out to
    /// be needed when the material is solved.
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

    /// All files of a material are there: what another program would need to go on with it may go.
    fn finish(_solved: &Self::Solved) {}
}

/// What is wanted of a material.
#[derive(Debug)]
pub struct Needs<'a, G: Generate> {
    /// The material.
    pub material: &'a G::Material,
    /// The metrics whose files are to be written.
    pub metrics: &'a [G::Metric],
    /// What later steps read of it.
    pub leaves: &'a [G::View],
}

/// What is done to take less memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thrift {
    /// How many parts of a material may be solved at the same time.
    pub parts_at_a_time: usize,
    /// Whether what waits goes to scratch files, where a game can do that.
    pub in_files: bool,
    /// Whether numbers that are too many to be in memory all at once are written a part at a time,
    /// each of which is made from the scratch files anew.
    pub numbers_in_parts: bool,
}

impl Thrift {
    /// Nothing.
    pub const NONE: Thrift = Thrift {
        parts_at_a_time: usize::MAX,
        in_files: false,
        numbers_in_parts: false,
    };
    /// What there is, the least first.
    const LEVELS: [Thrift; 2] = [
        Thrift {
            parts_at_a_time: usize::MAX,
            in_files: true,
            numbers_in_parts: true,
        },
        Thrift {
            parts_at_a_time: 1,
            in_files: true,
            numbers_in_parts: true,
        },
    ];
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

/// What is wanted.
#[derive(Clone, Debug)]
pub struct GenerateOptions<G: Generate = Chess> {
    /// Where the files are and go; made if it does not exist. Those of xiangqi have directories of
    /// their own in it.
    pub directory: PathBuf,
    /// The materials that are wanted; what their moves lead to is added.
    pub materials: Vec<G::Material>,
    /// Whether only tables of the wanted materials are written: what they lead to is read back from
    /// tables of our own where these are there, and solved again where they are not.
    pub alone: bool,
    /// The metrics that are wanted. Results are always written, since the other metrics are read
    /// together with them.
    pub metrics: Vec<G::Metric>,
    /// How hard to compress; Syzygy tables have one way.
    pub compression: Compression,
    /// How files are arranged. Syzygy tables have no distances to mate, which are left out then.
    pub format: G::Format,
    /// Under which rules.
    pub rules: G::Rules,
    /// Bytes of memory that may be used. If nothing is said, materials are solved side by side
    /// within 5.5 GiB, and one that needs more alone gets it.
    pub memory: Option<u64>,
    /// What materials of up to so many men leave for those that lead to them is kept in memory, and
    /// is made again when a generation that was stopped is carried on. What larger ones leave is
    /// kept in work files beside the tables, and so is that of fewer men if the memory allowed is
    /// short. The tables do not depend on it.
    pub men_in_memory: usize,
    /// Slices of materials of chess with pawns and at least so many men that wait for others or for
    /// the writer are in scratch files, and those of fewer men if the memory allowed is short. The
    /// tables do not depend on it.
    pub men_in_files: usize,
    /// How wide the registers are that the solver uses. The tables do not depend on it.
    pub width: Width,
    /// How materials of chess are solved; if nothing is said, those of which a slice has more than
    /// 268 million positions as [`Engine::Chains`]. The tables do not depend on it.
    pub engine: Option<Engine>,
    /// Where scratch files go; in a directory beside the tables if nothing is said. They are gone
    /// at the end. A generation that was killed or stopped finds its own there, and goes on with
    /// them.
    pub scratch: Option<PathBuf>,
    /// Bytes that scratch files may have together: materials whose files would have more are solved
    /// one after the other, and one that needs more alone gets it. If nothing is said, memory
    /// decides what is solved side by side.
    pub scratch_room: Option<u64>,
    /// For a step of several, each done by a program of its own: the materials that others make
    /// afterwards. What these read of the wanted ones is left in work files, also where their
    /// tables are there already, as is what is brought back from finished tables; what other steps
    /// have left is read. It stays until all is there and somebody generates the same without this.
    pub left_for: Option<Vec<G::Material>>,
    /// Other processes that solve what is to be written together with this one, as chains;
    /// materials of chess only. The first rank writes, from what all have found.
    pub ranks: Option<Arc<dyn Ranks>>,
    /// A graphics card that solves what is solved as [`Engine::Chains`], where there are no ranks.
    /// The tables do not depend on it.
    pub card: Option<Arc<dyn Card>>,
}

impl<G: Generate> GenerateOptions<G> {
    /// Where the tables of the game and its rules are.
    pub(super) fn own_directory(&self) -> PathBuf {
        rules_directory::<G>(&self.directory, self.rules)
    }

    /// Whether a material in normal form is one of the wanted ones, not only what these lead to.
    pub(super) fn asks_for(&self, material: &G::Material) -> bool {
        let mut asked = self.materials.iter();
        asked.any(|asked| asked.normal_form() == *material)
    }

    /// Where scratch files go.
    pub(super) fn scratch_directory(&self) -> PathBuf {
        let own = || self.work_directory();
        self.scratch.clone().unwrap_or_else(own)
    }

    /// Where work files go.
    pub(super) fn work_directory(&self) -> PathBuf {
        self.own_directory().join(DIRECTORY)
    }

    /// Where the generation keeps what materials leave; files that are being written count as
    /// scratch.
    pub(super) fn views(&self, scratch: &ScratchDirectory) -> Views<G::View> {
        let with_mates = self.metrics.contains(&G::MATES);
        Views::new(
            scratch.elsewhere(self.work_directory()),
            G::GAME,
            with_mates,
            self.men_in_memory,
        )
    }
}

/// Men up to which materials are solved again within seconds.
pub const MEN_IN_MEMORY: usize = 4;

/// Men from which on the slices of a material take more memory than most machines have.
pub const MEN_IN_FILES: usize = 6;

/// One material to be solved.
#[derive(Clone, Debug)]
pub struct Step<G: Generate = Chess> {
    /// The material, in normal form.
    pub material: G::Material,
    /// The metrics whose files are missing or unusable. Empty if the material only has to be solved
    /// again because others need its values.
    pub metrics: Vec<G::Metric>,
    /// The materials solved before it in this plan whose values it reads, in normal form.
    pub targets: Vec<G::Material>,
    /// Indices of each side to move.
    pub positions: u64,
    /// What later steps read of it.
    pub(super) leaves: Vec<G::View>,
    /// Bytes of memory while it is being solved and written.
    pub(super) memory: u64,
    /// Bytes of scratch files, about.
    pub(super) scratch: u64,
    pub(super) thrift: Thrift,
}

impl<G: Generate> Step<G> {
    /// Indices to be solved or written, both sides to move, each metric once.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.positions * 2 * (1 + self.metrics.len() as u64)
    }

    /// Does what is necessary to take no more than so many bytes, as far as possible.
    pub(super) fn be_thrifty(&mut self, options: &GenerateOptions<G>, budget: u64) {
        for thrift in Thrift::LEVELS {
            if self.memory <= budget {
                return;
            }
            let needs = Needs {
                material: &self.material,
                metrics: &self.metrics,
                leaves: &self.leaves,
            };
            if let Some(memory) = G::memory_of_step(&needs, options, thrift) {
                let scratch = G::scratch_of_step(&needs, options, thrift);
                (self.memory, self.scratch, self.thrift) = (memory, scratch, thrift);
            }
        }
    }

    /// Whether it reads a view.
    pub(super) fn reads(&self, view: &G::View) -> bool {
        G::reads(&self.material).contains(view)
    }
}

/// One material to be solved and written, and all that this takes.
pub struct Job<'a, G: Generate> {
    /// What is planned.
    pub step: &'a Step<G>,
    /// What is wanted of all.
    pub options: &'a GenerateOptions<G>,
    /// What other materials have left.
    pub views: &'a Views<G::View>,
    /// Checked now and then.
    pub cancel: &'a AtomicBool,
    /// Where scratch files go.
    pub scratch: &'a ScratchDirectory,
    /// To be told of the work of solving, and of the times of it.
    pub observer: &'a dyn Observer<G>,
}

impl<G: Generate> Job<'_, G> {
    /// How its solver is watched and stopped.
    pub(super) fn watch(&self) -> Watch<'_> {
        Watch {
            cancel: self.cancel,
            observer: Some(self),
        }
    }
}

impl<G: Generate> PlyObserver for Job<'_, G> {
    fn ply(&self, distance: Distance, plies: u32) {
        let metric = match distance {
            Distance::Zeroing => G::ZEROING,
            Distance::Mate => G::MATES,
        };
        self.observer.ply(self.step.material, metric, plies);
    }

    fn goes_on(&self, distance: Distance, plies: u32) {
        let metric = match distance {
            Distance::Zeroing => G::ZEROING,
            Distance::Mate => G::MATES,
        };
        let done = DoneBefore::Plies(metric, plies);
        self.observer.goes_on(self.step.material, done);
    }

    fn goes_on_without_card(&self, why: CardError) {
        self.observer.goes_on_without_card(self.step.material, why);
    }
}

impl<G: Generate> fmt::Debug for Job<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { step, options, .. } = self;
        let mut job = f.debug_struct("Job");
        job.field("step", step)
            .field("options", options)
            .finish_non_exhaustive()
    }
}
