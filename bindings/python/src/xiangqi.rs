//! Tables of xiangqi for Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use retrograde::metric::Dtm;
use retrograde::probe::xiangqi::{
    XiangqiLine, XiangqiLineEnd, XiangqiProbeError, XiangqiTables, XiangqiValue,
};
use retrograde::xiangqi::rules::{Move, wxf};
use retrograde::xiangqi::{Material, Position};

use crate::answers::PyLine;
use crate::errors::{Kind, xiangqi_error};
use crate::generate::rules;
use crate::handle::Handle;

/// A position from a FEN.
pub fn position(fen: &str) -> PyResult<Position> {
    match fen.trim() {
        "startpos" => Ok(Position::start()),
        fen => Position::from_fen(fen).map_err(|error| Kind::Position.error(error)),
    }
}

/// A value; or nothing and the reason, where the tables cannot know.
fn known<T>(value: Result<T, XiangqiProbeError>) -> PyResult<Result<T, String>> {
    match value {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_missing_table() => Ok(Err(error.to_string())),
        Err(error) => Err(xiangqi_error(error)),
    }
}

/// A legal move; values are for the side to move after it.
#[pyclass(frozen, get_all, module = "retrograde", name = "XiangqiMove")]
#[derive(Clone, Debug)]
pub struct PyXiangqiMove {
    uci: String,
    wxf: String,
    zeroing: bool,
    category: &'static str,
    wdl: Option<i32>,
    dtc: Option<i32>,
    dtm: Option<i32>,
    round: Option<u8>,
    checkmate: bool,
    stalemate: bool,
}

#[pymethods]
impl PyXiangqiMove {
    fn __repr__(&self) -> String {
        let PyXiangqiMove {
            uci, wxf, category, ..
        } = self;
        format!("<XiangqiMove {uci} ({wxf}): {category}>")
    }
}

impl PyXiangqiMove {
    fn new(position: &Position, played: Move, value: Option<&XiangqiValue>) -> PyXiangqiMove {
        let next = position.play(played);
        PyXiangqiMove {
            uci: played.to_iccs(),
            wxf: wxf(position, played),
            zeroing: played.is_capture(),
            category: value.map_or("unknown", |value| value.wdl.category()),
            wdl: value.map(|value| value.wdl.signum2()),
            dtc: value.and_then(|value| value.dtc),
            dtm: value.and_then(|value| value.dtm).map(|Dtm(plies)| plies),
            round: value.map(|value| value.round),
            checkmate: next.is_checkmate(),
            stalemate: next.is_stalemate(),
        }
    }
}

/// What the tables say about a position.
#[pyclass(frozen, get_all, module = "retrograde", name = "XiangqiProbe")]
#[derive(Clone, Debug)]
pub struct PyXiangqiProbe {
    fen: String,
    material: String,
    category: &'static str,
    reason: Option<String>,
    wdl: Option<i32>,
    dtc: Option<i32>,
    dtm: Option<i32>,
    round: Option<u8>,
    checkmate: bool,
    stalemate: bool,
    moves: Vec<PyXiangqiMove>,
}

#[pymethods]
impl PyXiangqiProbe {
    fn __repr__(&self) -> String {
        format!("<XiangqiProbe {}: {}>", self.fen, self.category)
    }
}

/// Every legal move with its value, the best first.
fn moves(tables: &XiangqiTables, position: &Position) -> PyResult<Vec<PyXiangqiMove>> {
    if let Ok(moves) = known(tables.moves(position))? {
        let moves = moves.iter();
        return Ok(moves
            .map(|m| PyXiangqiMove::new(position, m.played, Some(&m.value)))
            .collect());
    }
    let mut moves = Vec::new();
    for &played in position.legal_moves().as_slice() {
        let value = known(tables.probe(&position.play(played)))?.ok();
        // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it
        // was.
        let rank = value.map_or((0, true), |value| (value.wdl.signum2(), false));
        moves.push((rank, PyXiangqiMove::new(position, played, value.as_ref())));
    }
    moves.sort_by_key(|&(rank, _)| rank);
    Ok(moves.into_iter().map(|(_, m)| m).collect())
}

/// Tables of xiangqi under some rules. `retrograde.XiangqiTablebase` makes it a context manager.
#[pyclass(
    frozen,
    subclass,
    module = "retrograde._retrograde",
    name = "XiangqiTablebase"
)]
#[derive(Debug)]
pub struct PyXiangqiTablebase(Handle<XiangqiTables>);

#[pymethods]
impl PyXiangqiTablebase {
    #[new]
    #[pyo3(signature = (directory, rules="perpetual-check"))]
    fn new(directory: PathBuf, rules: &str) -> PyResult<PyXiangqiTablebase> {
        let rules = self::rules(rules)?;
        if let Err(problem) = std::fs::read_dir(&directory) {
            let directory = directory.display();
            let message =
                format!("cannot read the directory {directory}: {problem}; choose another");
            return Err(Kind::Directory.error(message));
        }
        Ok(PyXiangqiTablebase(Handle::new(XiangqiTables::open(
            &directory, rules,
        ))))
    }

    #[getter]
    fn rules(&self) -> PyResult<&'static str> {
        Ok(self.0.get()?.rules().name())
    }

    #[getter]
    fn closed(&self) -> bool {
        self.0.is_closed()
    }

    fn close(&self) {
        self.0.close();
    }

    fn probe(&self, py: Python<'_>, fen: &str) -> PyResult<PyXiangqiProbe> {
        let (tables, position) = (self.0.get()?, position(fen)?);
        py.detach(|| {
            let (value, reason) = match known(tables.probe(&position))? {
                Ok(value) => (Some(value), None),
                Err(reason) => (None, Some(reason)),
            };
            Ok(PyXiangqiProbe {
                fen: position.to_fen(),
                material: Material::of(&position).normal_form().to_string(),
                category: value.map_or("unknown", |value| value.wdl.category()),
                reason,
                wdl: value.map(|value| value.wdl.signum2()),
                dtc: value.and_then(|value| value.dtc),
                dtm: value.and_then(|value| value.dtm).map(|Dtm(plies)| plies),
                round: value.map(|value| value.round),
                checkmate: position.is_checkmate(),
                stalemate: position.is_stalemate(),
                moves: moves(&tables, &position)?,
            })
        })
    }

    fn probe_wdl(&self, fen: &str) -> PyResult<i32> {
        let wdl = self.0.get()?.probe_wdl(&position(fen)?);
        Ok(wdl.map_err(xiangqi_error)?.signum2())
    }

    fn root_moves(&self, py: Python<'_>, fen: &str) -> PyResult<Vec<PyXiangqiMove>> {
        let (tables, position) = (self.0.get()?, position(fen)?);
        py.detach(|| moves(&tables, &position))
    }

    #[pyo3(signature = (fen, max_plies=1200))]
    fn line(&self, py: Python<'_>, fen: &str, max_plies: usize) -> PyResult<PyLine> {
        let (tables, position) = (self.0.get()?, position(fen)?);
        let line = py.detach(|| tables.line(&position, max_plies));
        Ok(line.map_err(xiangqi_error)?.into())
    }
}

impl From<XiangqiLine> for PyLine {
    fn from(line: XiangqiLine) -> PyLine {
        let (uci, san) = line.moves.into_iter().map(|m| (m.iccs, m.wxf)).unzip();
        PyLine {
            uci,
            san,
            end: match line.end {
                XiangqiLineEnd::Checkmate => "checkmate",
                XiangqiLineEnd::Stalemate => "stalemate",
                XiangqiLineEnd::Draw => "draw",
                XiangqiLineEnd::PerpetualCheck => "perpetual-check",
                XiangqiLineEnd::Unknown => "unknown",
                _ => "unfinished",
            },
            reason: line.reason,
            metric: Some(line.metric.name()),
        }
    }
}
