//! Statistics counted from the tables themselves: their numbers become values as for a comparison,
//! and are counted instead of compared.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::drive::{Verifier, drive};
use super::report::{Difference, Found, Observer, Report, Subject};
use crate::Error;
use crate::game::{Numbered, Signature, TableGame};
use crate::probe::Format;
use crate::table::Statistics;
use crate::tables::{find, generate_arguments, rules_directory, table_path};

/// Why the statistics of a material could not be counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecountError {
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A table is missing or damaged, of this material or of one that its captures and promotions
    /// lead to.
    #[error("{problem}")]
    Unreadable {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
}

/// A game whose tables can be counted again.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use retrograde::chess::{Chess, ChessRules};
/// use retrograde::generate::{GenerateOptions, Plan};
/// use retrograde::metric::Metric;
/// use retrograde::verify::Recount;
///
/// let directory = tempfile::tempdir()?;
/// let material = "KRvK".parse()?;
/// let never = AtomicBool::new(false);
/// Plan::new(&GenerateOptions::new(directory.path(), vec![material]))?.run(&never, &())?;
///
/// let rules = ChessRules::FiftyMoves;
/// let counted = Chess::recount(directory.path(), rules, material, &[Metric::Dtz], 10, &never, &())?;
/// let [(Metric::Dtz, statistics)] = &counted[..] else { unreachable!() };
/// assert_eq!(statistics.sides[0].longest_win(), 31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Recount: TableGame {
    /// A material as reports name it.
    fn subject(rules: Self::Rules, material: Self::Material) -> Subject;

    /// Counts the statistics of some metrics of a material from its tables in our own format.
    /// `listed` positions are named of each kind, at most.
    ///
    /// What captures and promotions of chess decide is not in the tables, so those that they lead
    /// to are read as well. The observer is told of as many positions as [`work`](super::work)
    /// says.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged, or the caller cancelled.
    fn recount(
        directory: &Path,
        rules: Self::Rules,
        material: Self::Material,
        metrics: &[Self::Metric],
        listed: usize,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Vec<(Self::Metric, Statistics)>, RecountError>;
}

/// What is counted of one material, instead of comparing its values, and what was found.
#[derive(Debug)]
pub(super) struct Counting<M> {
    pub metrics: Vec<M>,
    /// How many positions are named of each kind, at most.
    pub listed: usize,
    pub found: Vec<(M, Statistics)>,
}

impl<M: Numbered> Counting<M> {
    pub fn new(metrics: &[M], listed: usize) -> Counting<M> {
        Counting {
            metrics: metrics.to_vec(),
            listed,
            found: Vec::new(),
        }
    }
}

/// Ends with an error unless a directory has the tables of a material.
pub(super) fn check_presence<G: TableGame>(
    directory: &Path,
    rules: G::Rules,
    material: &G::Material,
    metrics: &[G::Metric],
) -> Result<(), RecountError> {
    let is_missing =
        |metric: &&G::Metric| find::<G>(directory, rules, material, **metric).is_none();
    let Some(&metric) = metrics.iter().find(is_missing) else {
        return Ok(());
    };
    let material = material.normal_form();
    let path = table_path(&rules_directory::<G>(directory, rules), &material, metric);
    let arguments = generate_arguments::<G>(&material, rules);
    let problem = format!(
        "{}: no such table; generate it with `retrograde generate {arguments} --metric {metric}`",
        path.display()
    );
    Err(RecountError::Unreadable { path, problem })
}

/// Goes through the tables of a material and those that are needed with it.
pub(super) fn count<V: Verifier>(
    verifier: &mut V,
    directory: &Path,
    material: V::Material,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<(), RecountError> {
    let mut report = Report::default();
    match drive(verifier, &[material], cancel, observer, &mut report) {
        Err(Error::Cancelled) => return Err(RecountError::Cancelled),
        Err(error) => {
            return Err(RecountError::Unreadable {
                path: directory.to_owned(),
                problem: error.to_string(),
            });
        }
        Ok(()) => {}
    }
    // What is found wrong later may follow from the first.
    match report.unreadable.into_iter().next() {
        Some((path, problem)) => Err(RecountError::Unreadable { path, problem }),
        None => Ok(()),
    }
}

/// Compares what a file keeps with what was counted.
pub(super) fn compare(
    subject: Subject,
    metric: impl Numbered,
    kept: &Statistics,
    counted: &Statistics,
    found: &mut Found,
) {
    if let Some([stored, expected]) = kept.first_difference(counted) {
        found.add(|| Difference {
            subject,
            format: Format::Native,
            metric: metric.name(),
            fen: String::new(),
            stored,
            expected,
        });
    }
}
