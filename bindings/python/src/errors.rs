//! Which Python exception an error of the library is. The classes are in `retrograde/_errors.py`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use retrograde::ProbeError;
use retrograde::probe::xiangqi::XiangqiProbeError;

/// A class of `retrograde/_errors.py`.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Anything else.
    Other,
    /// Not a position.
    Position,
    /// Not a material.
    Material,
    /// A table is missing.
    MissingTable,
    /// No table can know the position, or the result under its clock.
    NotCovered,
    /// A table is damaged.
    Table,
    /// A directory cannot be read or made.
    Directory,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Other => "Error",
            Kind::Position => "PositionError",
            Kind::Material => "MaterialError",
            Kind::MissingTable => "MissingTableError",
            Kind::NotCovered => "NotCoveredError",
            Kind::Table => "TableError",
            Kind::Directory => "DirectoryError",
        }
    }

    /// An exception of the class.
    pub fn error(self, message: impl ToString) -> PyErr {
        Python::attach(|py| {
            let class = || -> PyResult<Bound<'_, PyType>> {
                let module = py.import("retrograde._errors")?;
                Ok(module.getattr(self.name())?.cast_into()?)
            };
            match class() {
                Ok(class) => PyErr::from_type(class, (message.to_string(),)),
                Err(error) => error,
            }
        })
    }
}

/// The exception for a question without an answer.
pub fn probe_error(error: ProbeError) -> PyErr {
    let kind = match &error {
        ProbeError::Directory { .. } => Kind::Directory,
        error if error.is_missing_table() => Kind::MissingTable,
        ProbeError::Clock { .. } | ProbeError::CastlingRights => Kind::NotCovered,
        ProbeError::Placement(_) => Kind::Position,
        _ => Kind::Table,
    };
    kind.error(error)
}

/// The exception for a question about xiangqi without an answer.
pub fn xiangqi_error(error: XiangqiProbeError) -> PyErr {
    match error {
        XiangqiProbeError::Missing { .. } => Kind::MissingTable.error(error),
        XiangqiProbeError::Table(error) => library_error(error),
        error => Kind::Other.error(error),
    }
}

/// The exception for work that failed.
pub fn library_error(error: retrograde::Error) -> PyErr {
    use retrograde::Error;
    let kind = match &error {
        Error::Table { .. } | Error::Syzygy { .. } | Error::Foreign { .. } => Kind::Table,
        Error::Directory { .. } => Kind::Directory,
        _ => Kind::Other,
    };
    kind.error(error)
}

/// The exception for an argument of a wrong type.
pub fn wrong_type(wanted: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let name = found.get_type().name();
    let name = name.map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{wanted}, not {name}"))
}
