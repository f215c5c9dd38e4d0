//! What Python gets for a position: values, moves, lines.

use pyo3::prelude::*;
use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::chess::{Position, san};
use retrograde::metric::{Dtm, Dtz, DtzRange, Wdl};
use retrograde::probe::{Line, LineEnd, ProbeError, RootMove, Tablebase};

use crate::errors::probe_error;

/// The category of a value that may not be known.
fn category(wdl: Option<Wdl>) -> &'static str {
    wdl.map_or("unknown", Wdl::category)
}

/// A value; or nothing and the reason, where the tables cannot know.
pub fn known<T>(value: Result<T, ProbeError>) -> PyResult<Result<T, String>> {
    match value {
        Ok(value) => Ok(Ok(value)),
        Err(
            error @ (ProbeError::MissingTable { .. }
            | ProbeError::TooManyMen { .. }
            | ProbeError::CastlingRights),
        ) => Ok(Err(error.to_string())),
        Err(error) => Err(probe_error(error)),
    }
}

/// As Python writes it.
fn repr(value: Option<i32>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| value.to_string())
}

/// A legal move; values are for the side to move after it.
#[pyclass(frozen, get_all, module = "retrograde", name = "Move")]
#[derive(Clone, Debug)]
pub struct PyMove {
    uci: String,
    san: String,
    zeroing: bool,
    category: &'static str,
    wdl: Option<i32>,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
}

#[pymethods]
impl PyMove {
    fn __repr__(&self) -> String {
        let PyMove {
            uci, san, category, ..
        } = self;
        let (dtz, dtm) = (repr(self.dtz), repr(self.dtm));
        format!("<Move {uci} ({san}): {category}, dtz {dtz}, dtm {dtm}>")
    }
}

impl PyMove {
    fn new(position: &Position, root_move: &RootMove) -> PyMove {
        PyMove {
            uci: root_move.played.to_uci(),
            san: san(position, root_move.played),
            zeroing: root_move.is_zeroing,
            category: category(root_move.wdl),
            wdl: root_move.wdl.map(Wdl::signum2),
            dtz: root_move.dtz.map(|dtz| dtz.shortest.0),
            precise_dtz: precise(root_move.dtz),
            dtm: root_move.dtm.map(|Dtm(plies)| plies),
            checkmate: root_move.is_checkmate,
            stalemate: root_move.is_stalemate,
            insufficient_material: root_move.is_insufficient_material,
        }
    }
}

fn precise(dtz: Option<DtzRange>) -> Option<i32> {
    dtz.and_then(DtzRange::exact).map(|Dtz(plies)| plies)
}

/// All legal moves, best first.
///
/// # Errors
///
/// If a table is damaged.
pub fn moves(tables: &Tablebase, position: &Position) -> PyResult<Vec<PyMove>> {
    let moves = match known(tables.root_moves(position))? {
        Ok(moves) => moves,
        Err(_) => moves_of_uncovered(tables, position)?,
    };
    Ok(moves.iter().map(|m| PyMove::new(position, m)).collect())
}

/// The legal moves of a position that no table covers. Those that give up the last castling right
/// have values.
fn moves_of_uncovered(tables: &Tablebase, position: &Position) -> PyResult<Vec<RootMove>> {
    let mut moves = Vec::new();
    for played in &position.legal_moves() {
        moves.push(tables.root_move(position, played).map_err(probe_error)?);
    }
    // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it was.
    moves.sort_by_key(|m| m.wdl.map_or((Wdl::Draw, true), |wdl| (wdl, false)));
    Ok(moves)
}

/// What the tables say about a position.
#[pyclass(frozen, get_all, module = "retrograde", name = "Probe")]
#[derive(Clone, Debug)]
pub struct PyProbe {
    fen: String,
    material: String,
    category: &'static str,
    reason: Option<String>,
    wdl: Option<i32>,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
    moves: Vec<PyMove>,
}

#[pymethods]
impl PyProbe {
    fn __repr__(&self) -> String {
        let PyProbe { fen, category, .. } = self;
        let (dtz, dtm) = (repr(self.dtz), repr(self.dtm));
        format!("<Probe {fen}: {category}, dtz {dtz}, dtm {dtm}>")
    }
}

impl PyProbe {
    /// Asks the tables.
    ///
    /// # Errors
    ///
    /// If a table is damaged; what the tables do not have makes the category unknown.
    pub fn new(tables: &Tablebase, position: &Position) -> PyResult<PyProbe> {
        let wdl = known(tables.probe_wdl_after_zeroing(position))?;
        let dtz = known(tables.probe_dtz_range(position))?.ok();
        let dtm = known(tables.probe_dtm(position))?.ok().flatten();
        let material = Material::from_counts(Placement::from(position).counts());
        let (wdl, reason) = match wdl {
            Ok(wdl) => (Some(wdl), None),
            Err(reason) => (None, Some(reason)),
        };
        Ok(PyProbe {
            fen: position.to_fen(),
            // A position has two kings, so there always is one.
            material: material
                .map(|it| it.normal_form().to_string())
                .unwrap_or_default(),
            category: category(wdl),
            reason,
            wdl: wdl.map(Wdl::signum2),
            dtz: dtz.map(|dtz| dtz.shortest.0),
            precise_dtz: precise(dtz),
            dtm: dtm.map(|Dtm(plies)| plies),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
            moves: moves(tables, position)?,
        })
    }
}

/// Best play, of either game.
#[pyclass(frozen, get_all, module = "retrograde", name = "Line")]
#[derive(Clone, Debug)]
pub struct PyLine {
    /// As engines write moves.
    pub uci: Vec<String>,
    /// As books write them: SAN, in xiangqi WXF.
    pub san: Vec<String>,
    pub end: &'static str,
    pub reason: Option<String>,
    pub metric: Option<&'static str>,
}

#[pymethods]
impl PyLine {
    fn __len__(&self) -> usize {
        self.uci.len()
    }

    fn __repr__(&self) -> String {
        let moves = match self.san.len() {
            0 => "no moves".to_owned(),
            _ => self.san.join(" "),
        };
        format!("<Line {moves}: {}>", self.end)
    }
}

impl PyLine {
    /// No moves, since nothing is known.
    pub fn unknown() -> PyLine {
        PyLine {
            uci: Vec::new(),
            san: Vec::new(),
            end: "unknown",
            reason: None,
            metric: None,
        }
    }
}

impl From<Line> for PyLine {
    fn from(line: Line) -> PyLine {
        let (uci, san) = line.moves.into_iter().map(|m| (m.uci, m.san)).unzip();
        PyLine {
            uci,
            san,
            end: match line.end {
                LineEnd::Checkmate => "checkmate",
                LineEnd::Draw => "draw",
                LineEnd::Unknown => "unknown",
                _ => "unfinished",
            },
            reason: line.reason,
            metric: Some(line.metric.name()),
        }
    }
}
