//! Tables of chess for Python.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use retrograde::chess::Position;
use retrograde::metric::{Dtm, Dtz, Metric, Wdl};
use retrograde::probe::{Format, ProbeOptions};

use crate::answers::{PyLine, PyMove, PyProbe, moves};
use crate::batch::{self, Batch};
use crate::errors::{Kind, probe_error};
use crate::handle::Handle;
use crate::position::{Reading, position, position_of_setup, setup_of_board};
use crate::statistics::{PyStatistics, statistics};

/// A table that was found; it is opened when it is asked.
#[pyclass(frozen, get_all, module = "retrograde", name = "TableFile")]
#[derive(Clone, Debug)]
pub struct PyTableFile {
    material: String,
    metric: &'static str,
    format: &'static str,
    path: PathBuf,
}

#[pymethods]
impl PyTableFile {
    fn __repr__(&self) -> String {
        let PyTableFile {
            material,
            metric,
            format,
            ..
        } = self;
        format!("<TableFile {material} {metric} ({format})>")
    }
}

/// Tables of chess. `retrograde.Tablebase` adds what works with arrays.
#[pyclass(
    frozen,
    subclass,
    module = "retrograde._retrograde",
    name = "Tablebase"
)]
#[derive(Debug)]
pub struct PyTablebase(Handle<retrograde::Tablebase>);

fn format(name: Option<&str>) -> PyResult<Option<Format>> {
    match name {
        None => Ok(None),
        Some("native") => Ok(Some(Format::Native)),
        Some("syzygy") => Ok(Some(Format::Syzygy)),
        Some(other) => Err(PyValueError::new_err(format!(
            "format is {other:?}; give \"native\", \"syzygy\", or None for both"
        ))),
    }
}

/// Paths of a call with any number of them.
pub fn paths(paths: &Bound<'_, PyTuple>) -> PyResult<Vec<PathBuf>> {
    if paths.is_empty() {
        return Err(PyTypeError::new_err(
            "no directory given; name one or more that have tables",
        ));
    }
    paths.iter().map(|path| path.extract()).collect()
}

#[pymethods]
impl PyTablebase {
    #[new]
    #[pyo3(signature = (*paths, format=None, cache_bytes=67108864, map_files=true))]
    fn new(
        paths: &Bound<'_, PyTuple>,
        format: Option<&str>,
        cache_bytes: i64,
        map_files: bool,
    ) -> PyResult<PyTablebase> {
        let cache_bytes = usize::try_from(cache_bytes)
            .map_err(|_| PyValueError::new_err("cache_bytes is below 0; give 0 to keep nothing"))?;
        let options = ProbeOptions {
            format: self::format(format)?,
            cache_bytes,
            map_files,
            ..ProbeOptions::default()
        };
        let tables = retrograde::Tablebase::open_with(&self::paths(paths)?, &options);
        Ok(PyTablebase(Handle::new(tables.map_err(probe_error)?)))
    }

    #[getter]
    fn max_men(&self) -> PyResult<usize> {
        Ok(self.0.get()?.max_men())
    }

    #[getter]
    fn tables(&self) -> PyResult<Vec<PyTableFile>> {
        let tables = self.0.get()?;
        let files = tables.tables().iter().map(|file| PyTableFile {
            material: file.material().to_string(),
            metric: file.metric().name(),
            format: file.format().name(),
            path: file.path().to_owned(),
        });
        Ok(files.collect())
    }

    #[getter]
    fn closed(&self) -> bool {
        self.0.is_closed()
    }

    fn close(&self) {
        self.0.close();
    }

    fn probe(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<PyProbe> {
        let (tables, position) = (
            self.0.get()?,
            self::position(position, Reading::Everything)?,
        );
        py.detach(|| PyProbe::new(&tables, &position))
    }

    fn probe_wdl(&self, position: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = self::position(position, Reading::Clock)?;
        let wdl = self.0.get()?.probe_wdl(&position);
        wdl.map(Wdl::signum2).map_err(probe_error)
    }

    fn probe_wdl_after_zeroing(&self, position: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = self::position(position, Reading::Values)?;
        let wdl = self.0.get()?.probe_wdl_after_zeroing(&position);
        wdl.map(Wdl::signum2).map_err(probe_error)
    }

    fn probe_dtz(&self, position: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = self::position(position, Reading::Values)?;
        let Dtz(plies) = self.0.get()?.probe_dtz(&position).map_err(probe_error)?;
        Ok(plies)
    }

    fn probe_dtz_range(&self, position: &Bound<'_, PyAny>) -> PyResult<(i32, i32)> {
        let position = self::position(position, Reading::Values)?;
        let range = self
            .0
            .get()?
            .probe_dtz_range(&position)
            .map_err(probe_error)?;
        Ok((range.shortest.0, range.longest.0))
    }

    fn probe_dtm(&self, position: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
        let position = self::position(position, Reading::Values)?;
        let dtm = self.0.get()?.probe_dtm(&position).map_err(probe_error)?;
        Ok(dtm.map(|Dtm(plies)| plies))
    }

    fn root_moves(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Vec<PyMove>> {
        let (tables, position) = (
            self.0.get()?,
            self::position(position, Reading::Everything)?,
        );
        py.detach(|| moves(&tables, &position))
    }

    #[pyo3(signature = (position, max_plies=1200))]
    fn line(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        max_plies: usize,
    ) -> PyResult<PyLine> {
        let (tables, position) = (
            self.0.get()?,
            self::position(position, Reading::Everything)?,
        );
        let line = py.detach(|| tables.line(&position, max_plies));
        Ok(line.map_err(probe_error)?.into())
    }

    #[pyo3(signature = (max_men=4))]
    fn prefetch_results(&self, py: Python<'_>, max_men: usize) -> PyResult<()> {
        let tables = self.0.get()?;
        py.detach(|| tables.prefetch_results(max_men))
            .map_err(probe_error)
    }

    #[pyo3(signature = (material, metric="dtm"))]
    fn statistics(&self, py: Python<'_>, material: &str, metric: &str) -> PyResult<PyStatistics> {
        let tables = self.0.get()?;
        py.detach(|| statistics(&tables, material, metric))
    }

    /// Values of positions that were read one by one; see `batch`.
    fn _probe_positions<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<Bound<'py, PyAny>>,
        metrics: (bool, bool),
        threads: Option<i64>,
    ) -> PyResult<Batch<'py>> {
        let tables = self.0.get()?;
        let positions = batch::read(positions)?;
        batch::probe(py, &tables, &positions, metrics, threads)
    }

    /// Values of rows of bitboards; see `batch`.
    fn _probe_rows<'py>(
        &self,
        py: Python<'py>,
        rows: &[u8],
        turns: &[u8],
        en_passant: Option<&[u8]>,
        metrics: (bool, bool),
        threads: Option<i64>,
    ) -> PyResult<Batch<'py>> {
        let tables = self.0.get()?;
        let rows = batch::Rows::new(rows, turns, en_passant)?;
        batch::probe(py, &tables, &rows, metrics, threads)
    }
}

/// A position; python-chess has no table for what is none, which is a `KeyError`.
fn board_or_key_error(board: &Bound<'_, PyAny>) -> PyResult<Position> {
    if board.is_instance_of::<PyString>() {
        return position(board, Reading::Values);
    }
    let setup = setup_of_board(board, Reading::Values)?;
    position_of_setup(setup).map_err(|error| Kind::NotCovered.error(error))
}

/// Tables for what stands in for python-chess: files that were listed by it.
#[pyclass(frozen, module = "retrograde._retrograde", name = "Files")]
#[derive(Debug)]
pub struct PyFiles(retrograde::Tablebase);

#[pymethods]
impl PyFiles {
    #[new]
    fn new(paths: Vec<PathBuf>) -> PyResult<PyFiles> {
        let tables = retrograde::Tablebase::open_files(&paths, &ProbeOptions::default());
        Ok(PyFiles(tables.map_err(probe_error)?))
    }

    fn probe_wdl(&self, board: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = board_or_key_error(board)?;
        // As python-chess has it, whatever the clock.
        let wdl = self.0.probe_wdl_after_zeroing(&position);
        wdl.map(Wdl::signum2).map_err(probe_error)
    }

    fn probe_dtz(&self, board: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = board_or_key_error(board)?;
        let Dtz(plies) = self.0.probe_dtz_rounded(&position).map_err(probe_error)?;
        Ok(plies)
    }

    fn probe_dtz_no_ep(&self, board: &Bound<'_, PyAny>) -> PyResult<i32> {
        let mut setup = board_or_key_error(board)?.to_setup();
        setup.en_passant = None;
        let position =
            Position::from_setup(&setup).map_err(|error| Kind::NotCovered.error(error))?;
        let Dtz(plies) = self.0.probe_dtz_rounded(&position).map_err(probe_error)?;
        Ok(plies)
    }

    /// The result as it stands in the table.
    fn probe_wdl_table(&self, board: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = board_or_key_error(board)?;
        if position.occupied().count_ones() == 2 {
            return Ok(0);
        }
        let placement = (&position).into();
        let number = self
            .0
            .stored_number(&placement, position.turn(), Metric::Wdl);
        let wdl = match number.map_err(probe_error)? {
            Some(number) => Wdl::from_index(number.into()).unwrap_or(Wdl::Draw),
            // What no table has is what the moves lead to.
            None => self.0.probe_wdl(&position).map_err(probe_error)?,
        };
        Ok(wdl.signum2())
    }

    /// Plies to mate, 0 for a draw and a mated position.
    fn probe_dtm(&self, board: &Bound<'_, PyAny>) -> PyResult<i32> {
        let position = board_or_key_error(board)?;
        let dtm = self.0.probe_dtm(&position).map_err(probe_error)?;
        Ok(dtm.map_or(0, |Dtm(plies)| plies))
    }
}
