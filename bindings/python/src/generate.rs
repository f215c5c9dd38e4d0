//! Generating and verifying whole directories.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use retrograde::chess::material::Material;
use retrograde::generate::{self, GenerateOptions, Plan};
use retrograde::metric::Metric;
use retrograde::probe::Format;
use retrograde::table::Compression;
use retrograde::verify::{self, Report, Subject};
use retrograde::xiangqi::{self, Rules};

use crate::errors::{Kind, library_error};
use crate::interruptible::{interruptible, threads};

/// Counts work, and calls a Python function with it.
struct Progress {
    done: AtomicU64,
    total: u64,
    material: Mutex<String>,
    told: Option<Py<PyAny>>,
}

impl Progress {
    fn new(total: u64, told: Option<Py<PyAny>>) -> Progress {
        Progress {
            done: AtomicU64::new(0),
            total,
            material: Mutex::default(),
            told,
        }
    }

    fn is_at(&self, material: String) {
        *self.material.lock().unwrap_or_else(PoisonError::into_inner) = material;
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(told) = &self.told else {
            return Ok(());
        };
        let material = self
            .material
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let done = self.done.load(Ordering::Relaxed).min(self.total);
        told.call1(py, (done, self.total, material)).map(|_| ())
    }

    /// Tells that all is done.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.done.store(self.total, Ordering::Relaxed);
        self.tell(py)
    }
}

impl<G: generate::Generate> generate::Observer<G> for Progress {
    fn started(&self, material: G::Material) {
        self.is_at(material.to_string());
    }

    fn advanced(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    fn finished(&self, _: G::Material, _: u64) {}
}

impl verify::Observer for Progress {
    fn started(&self, subject: Subject) {
        self.is_at(subject.to_string());
    }

    fn advanced(&self, positions: u64) {
        self.done.fetch_add(positions, Ordering::Relaxed);
    }
}

/// One name or several.
#[derive(Debug, FromPyObject)]
pub enum Names {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Names {
    fn list(self) -> Vec<String> {
        match self {
            Names::One(name) => vec![name],
            Names::Several(names) => names,
        }
    }

    fn materials<M: FromStr<Err: Display>>(self) -> PyResult<Vec<M>> {
        let names = self.list();
        if names.is_empty() {
            return Err(PyValueError::new_err(
                "no material given; name one such as KRPvKR",
            ));
        }
        let parse = |name: String| {
            name.parse()
                .map_err(|error: M::Err| Kind::Material.error(error))
        };
        names.into_iter().map(parse).collect()
    }
}

/// A word out of several.
fn word<T: Copy>(name: &str, given: &str, words: &[(&str, T)]) -> PyResult<T> {
    let found = words.iter().find(|(word, _)| *word == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        PyValueError::new_err(format!("{name} is {given:?}; give {}", known.join(" or ")))
    })
}

fn is_xiangqi(game: &str) -> PyResult<bool> {
    word("game", game, &[("chess", false), ("xiangqi", true)])
}

/// Rules of xiangqi by their name.
pub fn rules(name: &str) -> PyResult<Rules> {
    word(
        "rules",
        name,
        &Rules::ALL.map(|rules| (rules.name(), rules)),
    )
}

/// What a generation has written.
#[pyclass(frozen, get_all, module = "retrograde", name = "Generated")]
#[derive(Clone, Debug)]
pub struct PyGenerated {
    files: usize,
    bytes: u64,
}

#[pymethods]
impl PyGenerated {
    fn __repr__(&self) -> String {
        format!("<Generated {} files, {} bytes>", self.files, self.bytes)
    }
}

/// What a generation takes, whatever the game.
struct Means {
    compression: Compression,
    memory: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
}

impl Means {
    fn run<G: generate::Generate>(
        self,
        py: Python<'_>,
        options: GenerateOptions<G>,
    ) -> PyResult<PyGenerated> {
        let options = GenerateOptions {
            compression: self.compression,
            memory: self.memory,
            ..options
        };
        // How much is done side by side depends on the threads.
        let plan = interruptible(py, self.threads, |_| Plan::new(&options), |_| Ok(()))?;
        let plan = plan.map_err(library_error)?;
        let progress = Progress::new(plan.work(), self.progress);
        let work = |cancel: &AtomicBool| plan.run(cancel, &progress);
        let generated = interruptible(py, self.threads, work, |py| progress.tell(py))?;
        let generated = generated.map_err(library_error)?;
        progress.end(py)?;
        Ok(PyGenerated {
            files: generated.files,
            bytes: generated.bytes,
        })
    }
}

/// The metrics that are asked for; all if none is.
fn metrics<M: Copy + FromStr<Err: Display>>(wanted: Option<Names>, all: &[M]) -> PyResult<Vec<M>> {
    let parse = |name: String| {
        let metric = name.parse();
        metric.map_err(|error: M::Err| PyValueError::new_err(error.to_string()))
    };
    wanted.map_or_else(
        || Ok(all.to_vec()),
        |names| names.list().into_iter().map(parse).collect(),
    )
}

/// Solves materials and writes their tables, and all tables they depend on.
#[pyfunction]
#[pyo3(name = "generate", signature = (
    materials, tables="tables".into(), *, game="chess", rules="perpetual-check", metrics=None,
    format="native", compression="default", memory=None, threads=None, progress=None
), text_signature = "(materials, tables='tables', *, game='chess', rules='perpetual-check', metrics=None, \
    format='native', compression='default', memory=None, threads=None, progress=None)")]
#[allow(clippy::too_many_arguments)]
pub fn generate_tables(
    py: Python<'_>,
    materials: Names,
    tables: PathBuf,
    game: &str,
    rules: &str,
    metrics: Option<Names>,
    format: &str,
    compression: &str,
    memory: Option<u64>,
    threads: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyGenerated> {
    let compressions = [
        ("fast", Compression::Fast),
        ("default", Compression::Default),
        ("small", Compression::Small),
        ("smallest", Compression::Smallest),
    ];
    let formats = [("native", Format::Native), ("syzygy", Format::Syzygy)];
    let format = word("format", format, &formats)?;
    let rules = self::rules(rules)?;
    let means = Means {
        compression: word("compression", compression, &compressions)?,
        memory,
        threads: self::threads(threads)?,
        progress,
    };
    if !is_xiangqi(game)? {
        let metrics = self::metrics(metrics, &Metric::ALL)?;
        let options = GenerateOptions::new(tables, materials.materials()?);
        return means.run(
            py,
            GenerateOptions {
                metrics,
                format,
                ..options
            },
        );
    }
    if format == Format::Syzygy {
        return Err(PyValueError::new_err(
            "Syzygy's format is for chess; leave it out",
        ));
    }
    let metrics = self::metrics(metrics, &xiangqi::Metric::ALL)?;
    let options = GenerateOptions::xiangqi(tables, materials.materials()?, rules);
    means.run(py, GenerateOptions { metrics, ..options })
}

/// What a verification found.
#[pyclass(frozen, get_all, module = "retrograde", name = "Report")]
#[derive(Clone, Debug)]
pub struct PyReport {
    tables: usize,
    positions: u64,
    differences: u64,
    listed: Vec<String>,
    unreadable: Vec<(PathBuf, String)>,
    is_clean: bool,
}

#[pymethods]
impl PyReport {
    fn __repr__(&self) -> String {
        let PyReport {
            tables,
            positions,
            differences,
            ..
        } = self;
        let unreadable = self.unreadable.len();
        format!(
            "<Report of {tables} tables, {positions} positions: {differences} differences, {unreadable} unreadable>"
        )
    }
}

impl From<Report> for PyReport {
    fn from(report: Report) -> PyReport {
        PyReport {
            tables: report.tables,
            positions: report.positions,
            differences: report.differences,
            is_clean: report.is_clean(),
            listed: report.listed.iter().map(ToString::to_string).collect(),
            unreadable: report.unreadable,
        }
    }
}

/// Compares all values of tables with those of their successors.
#[pyfunction]
#[pyo3(name = "verify", signature = (
    materials, tables="tables".into(), *, game="chess", rules="perpetual-check", threads=None, progress=None
), text_signature = "(materials, tables='tables', *, game='chess', rules='perpetual-check', threads=None, \
    progress=None)")]
pub fn verify_tables(
    py: Python<'_>,
    materials: Names,
    tables: PathBuf,
    game: &str,
    rules: &str,
    threads: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyReport> {
    let rules = self::rules(rules)?;
    let subjects: Vec<Subject> = match is_xiangqi(game)? {
        false => materials
            .materials::<Material>()?
            .into_iter()
            .map(Subject::from)
            .collect(),
        true => {
            let materials = materials.materials()?.into_iter();
            materials
                .map(|material| Subject::Xiangqi(rules, material))
                .collect()
        }
    };
    let progress = Progress::new(verify::work(&tables, &subjects), progress);
    let work = |cancel: &AtomicBool| verify::verify(&tables, &subjects, cancel, &progress);
    let report = interruptible(py, self::threads(threads)?, work, |py| progress.tell(py))?;
    let report = report.map_err(library_error)?;
    progress.end(py)?;
    Ok(report.into())
}
