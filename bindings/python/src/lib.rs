//! The Python module `retrograde._retrograde`: the library for Python. What it offers is described
//! in `python/retrograde/_retrograde.pyi` and in `docs/python.md`.

mod answers;
mod batch;
mod errors;
mod generate;
mod handle;
mod interruptible;
mod position;
mod solve;
mod statistics;
mod tablebase;
mod xiangqi;

/// The compiled part of the package.
#[pyo3::pymodule]
mod _retrograde {
    #[pymodule_export]
    use crate::answers::{PyLine, PyMove, PyProbe};
    #[pymodule_export]
    use crate::generate::{PyGenerated, PyReport, generate_tables, verify_tables};
    #[pymodule_export]
    use crate::solve::{PySolved, solve_position};
    #[pymodule_export]
    use crate::statistics::{PySideStatistics, PyStatistics};
    #[pymodule_export]
    use crate::tablebase::{PyFiles, PyTableFile, PyTablebase};
    #[pymodule_export]
    use crate::xiangqi::{PyXiangqiMove, PyXiangqiProbe, PyXiangqiTablebase};
}
