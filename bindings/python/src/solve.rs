//! Solving one position by what it can reach.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use retrograde::chess::san;
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::probe::xiangqi::{XiangqiLeaves, XiangqiTables};
use retrograde::probe::{ProbeOptions, TableLeaves};
use retrograde::reach::{
    Analysed, End, Leaves, LineEnd, MAX_POSITIONS, Options, Outcome, Solve, Solved, Value, solve,
};
use retrograde::xiangqi::rules::wxf;
use retrograde::xiangqi::{Rules, XiangqiValue};
use retrograde::{chess, xiangqi};

use crate::answers::PyLine;
use crate::errors::{Kind, probe_error};
use crate::generate::rules;
use crate::interruptible::{interruptible, threads};
use crate::position::{Reading, position};

/// What is proved of a position, for the side to move, with the clock at zero.
#[pyclass(frozen, get_all, module = "retrograde", name = "Solved")]
#[derive(Clone, Debug)]
pub struct PySolved {
    fen: String,
    category: &'static str,
    wdl: Option<i32>,
    at_least: &'static str,
    at_most: &'static str,
    exact: bool,
    dtz: Option<i32>,
    dtc: Option<i32>,
    dtm: Option<i32>,
    line: PyLine,
    exploration: &'static str,
    positions: usize,
    unexplored: usize,
}

#[pymethods]
impl PySolved {
    fn __repr__(&self) -> String {
        let PySolved {
            fen,
            category,
            positions,
            ..
        } = self;
        format!("<Solved {fen}: {category}, {positions} positions>")
    }
}

/// What Python shows of a game's positions and values.
trait Shown: Solve {
    /// Its FEN.
    fn fen(&self) -> String;
    /// A move as engines write it, as books do, and the position after it.
    fn names(&self, played: Self::Move) -> (String, String, Self);
    /// Plies to zeroing, to conversion and to mate.
    fn distances(value: Self::Value) -> [Option<i32>; 3];
}

impl Shown for chess::Position {
    fn fen(&self) -> String {
        self.to_fen()
    }

    fn names(&self, played: chess::Move) -> (String, String, chess::Position) {
        (played.to_uci(), san(self, played), self.play(played))
    }

    fn distances(value: Value) -> [Option<i32>; 3] {
        let Dtz(dtz) = value.dtz;
        [Some(dtz), None, value.dtm.map(|Dtm(dtm)| dtm)]
    }
}

impl Shown for xiangqi::Position {
    fn fen(&self) -> String {
        self.to_fen()
    }

    fn names(&self, played: xiangqi::Move) -> (String, String, xiangqi::Position) {
        (played.to_iccs(), wxf(self, played), self.play(played))
    }

    fn distances(value: XiangqiValue) -> [Option<i32>; 3] {
        [None, value.dtc, value.dtm.map(|Dtm(dtm)| dtm)]
    }
}

impl PySolved {
    fn new<P: Shown>(root: &P, solved: &Solved<P>) -> PySolved {
        let bound =
            |found: Option<&Analysed<P>>, trivial| found.map_or(trivial, |it| it.root.wdl());
        let at_least = bound(solved.lower(), Wdl::Loss);
        let at_most = match at_least {
            // Nothing is better.
            Wdl::Win => Wdl::Win,
            _ => bound(solved.upper(), Wdl::Win),
        };
        let wdl = (at_least == at_most).then_some(at_least);
        // The analysis whose distances and line are those of the result.
        let is_loss = |found: &&Analysed<P>| found.root.wdl() < Wdl::Draw;
        let lost = solved.upper().filter(is_loss);
        let found = wdl.and_then(|_| lost.or(solved.lower()).or(solved.upper()));
        let [dtz, dtc, dtm] = found.map_or([None; 3], |found| P::distances(found.root));
        PySolved {
            fen: root.fen(),
            category: wdl.map_or("unknown", Wdl::category),
            wdl: wdl.map(Wdl::signum2),
            at_least: at_least.category(),
            at_most: at_most.category(),
            exact: solved.exact().is_some(),
            dtz,
            dtc,
            dtm,
            line: found.map_or_else(PyLine::unknown, |found| line(root, found)),
            exploration: match solved.end {
                End::Complete => "complete",
                End::Limit => "limit",
                End::Stopped => "stopped",
            },
            positions: solved.progress.positions,
            unexplored: solved.progress.frontier,
        }
    }
}

fn line<P: Shown>(root: &P, found: &Analysed<P>) -> PyLine {
    let mut position = root.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &played in &found.line.moves {
        let (engines, books, next) = position.names(played);
        uci.push(engines);
        san.push(books);
        position = next;
    }
    let end = match found.line.end {
        LineEnd::Checkmate => "checkmate",
        LineEnd::Stalemate => "stalemate",
        LineEnd::Draw => "draw",
        LineEnd::PerpetualCheck => "perpetual-check",
        LineEnd::Leaf => "tables",
        _ => "unfinished",
    };
    PyLine {
        uci,
        san,
        end,
        reason: None,
        metric: None,
    }
}

/// How a position is solved.
struct Means {
    max_positions: usize,
    mates: bool,
    rules: Rules,
    threads: usize,
    progress: Option<Py<PyAny>>,
}

impl Means {
    fn run<P: Shown>(
        &self,
        py: Python<'_>,
        root: &P,
        leaves: &dyn Leaves<P>,
    ) -> PyResult<PySolved> {
        let found = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let work = |cancel: &AtomicBool| {
            let options = Options {
                rules: self.rules,
                max_positions: self.max_positions,
                mates: self.mates,
                stop: cancel,
                cancel,
                report: &|progress| {
                    found[0].store(progress.positions, Ordering::Relaxed);
                    found[1].store(progress.frontier, Ordering::Relaxed);
                },
                ..Options::default()
            };
            solve(root, leaves, &options).map(|solved| PySolved::new(root, &solved))
        };
        let tell = |py: Python<'_>| match &self.progress {
            None => Ok(()),
            Some(told) => {
                let [positions, unexplored] =
                    [0, 1].map(|it: usize| found[it].load(Ordering::Relaxed));
                told.call1(py, (positions, unexplored)).map(|_| ())
            }
        };
        let solved = interruptible(py, self.threads, work, tell)?;
        solved.map_err(|error| Kind::Other.error(error))
    }
}

/// Explores what a position can reach, and solves it.
#[pyfunction]
#[pyo3(name = "solve", signature = (
    position, tables=None, *, max_positions=10000000, mates=true, rules="perpetual-check",
    threads=None, progress=None
))]
#[allow(clippy::too_many_arguments)]
pub fn solve_position(
    py: Python<'_>,
    position: &Bound<'_, PyAny>,
    tables: Option<PathBuf>,
    max_positions: i64,
    mates: bool,
    rules: &str,
    threads: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PySolved> {
    let max_positions = match usize::try_from(max_positions) {
        Ok(positions @ 1..=MAX_POSITIONS) => positions,
        _ => {
            return Err(PyValueError::new_err(format!(
                "max_positions is {max_positions}; give a number from 1 to {MAX_POSITIONS}"
            )));
        }
    };
    let means = Means {
        max_positions,
        mates,
        rules: self::rules(rules)?,
        threads: self::threads(threads)?,
        progress,
    };
    let fen: Option<String> = position.extract().ok();
    if let Some(fen) = fen.filter(|fen| is_xiangqi(fen)) {
        let root = crate::xiangqi::position(&fen)?;
        let open = XiangqiTables::open(&tables.clone().unwrap_or_default(), means.rules);
        let leaves = match tables {
            None => XiangqiLeaves::none(&open),
            Some(_) => {
                XiangqiLeaves::new(&open, Some(&root)).map_err(|e| Kind::Directory.error(e))?
            }
        };
        return means.run(py, &root, &leaves);
    }
    let root = self::position(position, Reading::Everything)?;
    let directories: Vec<PathBuf> = tables.into_iter().collect();
    let open = retrograde::Tablebase::open_with(&directories, &ProbeOptions::default());
    let open = open.map_err(probe_error)?;
    means.run(py, &root, &TableLeaves::new(&open))
}

/// Whether a FEN has the ten ranks of a xiangqi board.
fn is_xiangqi(fen: &str) -> bool {
    let board = fen.split_whitespace().next();
    board.is_some_and(|board| board.split('/').count() == 10)
}
