//! What a table says of all its values together.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use retrograde::Tablebase;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Metric, Wdl};
use retrograde::probe::Format;
use retrograde::table::{Count, SideStatistics};

use crate::errors::{Kind, library_error, probe_error};

/// How many positions of one side to move have which value.
#[pyclass(frozen, get_all, module = "retrograde", name = "SideStatistics")]
#[derive(Clone, Debug)]
pub struct PySideStatistics {
    results: BTreeMap<&'static str, u64>,
    checkmates: u64,
    stalemates: u64,
    wins: BTreeMap<u32, u64>,
    losses: BTreeMap<u32, u64>,
    longest: Vec<String>,
}

impl PySideStatistics {
    fn new(side: &SideStatistics, space: &IndexSpace, turn: Color) -> PySideStatistics {
        let plies = |counts: &BTreeMap<u32, Count>| {
            counts
                .iter()
                .map(|(&plies, count)| (plies, count.positions))
                .collect()
        };
        // In files the best comes first.
        let results = Wdl::ALL.iter().rev().zip(side.results);
        let fen = |&index: &u64| Some(space.position(index, turn)?.1.to_fen());
        PySideStatistics {
            results: results
                .map(|(wdl, count)| (wdl.category(), count.positions))
                .collect(),
            checkmates: side.mated.positions,
            stalemates: side.stalemated.positions,
            wins: plies(&side.wins),
            losses: plies(&side.losses),
            longest: side.longest.iter().filter_map(fen).collect(),
        }
    }
}

/// What a table says of all its values together.
#[pyclass(frozen, get_all, module = "retrograde", name = "Statistics")]
#[derive(Clone, Debug)]
pub struct PyStatistics {
    material: String,
    white: PySideStatistics,
    black: PySideStatistics,
}

#[pymethods]
impl PyStatistics {
    fn __repr__(&self) -> String {
        format!("<Statistics of {}>", self.material)
    }
}

/// The statistics of a table of our own.
///
/// # Errors
///
/// If there is no such table, if it is damaged, or if it keeps none.
pub fn statistics(tables: &Tablebase, material: &str, metric: &str) -> PyResult<PyStatistics> {
    let material: Material = material
        .parse()
        .map_err(|error| Kind::Material.error(error))?;
    let metric: Metric =
        metric
            .parse()
            .map_err(|error: retrograde::metric::ParseMetricError| {
                pyo3::exceptions::PyValueError::new_err(error.to_string())
            })?;
    let file = tables
        .table(&material, metric)
        .filter(|file| file.format() == Format::Native);
    let material = material.normal_form();
    let file = file.ok_or_else(|| {
        let message = format!("no {metric} table of our own for {material}; make it with generate");
        Kind::MissingTable.error(message)
    })?;
    let table = file.table().map_err(probe_error)?;
    let found = table.statistics().map_err(library_error)?;
    // Tables of earlier versions may have the other side as White.
    let own: Material = table.description().material.parse().unwrap_or(material);
    let found = found.ok_or_else(|| {
        let path = file.path().display();
        Kind::Table.error(format!("{path}: has no statistics; generate it again"))
    })?;
    let space = IndexSpace::new(own);
    let [white, black] =
        Color::ALL.map(|turn| PySideStatistics::new(&found.sides[turn.index()], &space, turn));
    Ok(PyStatistics {
        material: own.to_string(),
        white,
        black,
    })
}
