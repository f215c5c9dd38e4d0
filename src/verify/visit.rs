//! Going through all positions of a material with their values, many at a time: numbers become
//! values as for a comparison, and are shown instead of compared.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::recount::{Recount, RecountError};
use super::report::Observer;
use crate::game::Color;
use crate::metric::Wdl;

/// A position and its value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visited {
    /// Which position of the material it is, as [`Visit::fens`] understands it.
    pub number: u64,
    /// The side to move.
    pub turn: Color,
    /// The result, from a fresh clock.
    pub wdl: Wdl,
    /// Plies to the next zeroing move, in xiangqi to the next capture, or to mate: nothing for
    /// draws and where no table of them is read. In chess a mated side has 1, as its distance is -1
    /// by convention.
    pub zeroing: Option<u16>,
    /// Plies to mate; nothing for draws and where no table of them is read.
    pub mate: Option<u16>,
    /// Whether whoever has to move does worse than if it were the opponent's turn.
    pub is_zugzwang: bool,
}

/// Is shown positions, from any thread and in any order.
pub trait Visitor: Sync {
    /// Whether positions of chess with pawns on these squares are wanted at all.
    fn wants_pawns(&self, _white: u64, _black: u64) -> bool {
        true
    }

    /// Shown some positions that stand near each other.
    fn visit(&self, positions: &[Visited]);
}

/// The FEN of a position by its number.
pub type Fens = Box<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// A game whose tables can be gone through.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// use retrograde::chess::{Chess, ChessRules};
/// use retrograde::metric::Metric;
/// use retrograde::verify::{Visit, Visited, Visitor};
///
/// /// How many mates in one there are.
/// #[derive(Default)]
/// struct Mates(AtomicU64);
///
/// impl Visitor for Mates {
///     fn visit(&self, positions: &[Visited]) {
///         let mates = positions.iter().filter(|it| it.mate == Some(1)).count();
///         self.0.fetch_add(mates as u64, Ordering::Relaxed);
///     }
/// }
///
/// let (mates, never) = (Mates::default(), AtomicBool::new(false));
/// let material = "KRvK".parse()?;
/// Chess::visit("tables".as_ref(), ChessRules::FiftyMoves, material, &[Metric::Dtm], &mates, &never, &())?;
/// assert!(mates.0.into_inner() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Visit: Recount {
    /// Shows all positions of a material in its normal form, one of each symmetric set, with the
    /// distances of some metrics.
    ///
    /// What captures and promotions of chess decide is not in the tables, so those that they lead
    /// to are read as well. The observer is told of as many positions as [`work`](super::work)
    /// says.
    ///
    /// # Errors
    ///
    /// If a table of results is missing, one that is there is damaged, or the caller cancelled.
    fn visit(
        directory: &Path,
        rules: Self::Rules,
        material: Self::Material,
        metrics: &[Self::Metric],
        visitor: &dyn Visitor,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), RecountError>;

    /// What the numbers of positions of a material stand for; nothing if it has too many.
    fn fens(material: Self::Material) -> Option<Fens>;
}

/// Whether whoever has to move does worse than if it were the opponent's turn, by the results of
/// both for themselves.
pub(super) fn is_zugzwang(results: [Wdl; 2]) -> bool {
    let [white, black] = results.map(|wdl| wdl.signum2());
    white < -black
}
