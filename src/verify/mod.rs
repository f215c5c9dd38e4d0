//! Checks tables without solving anything: every value must be the best of those its moves lead to.
//!
//! First the numbers of a material's files become values, as a prober sees them: a number that is not needed, because
//! a capture or promotion decides, is replaced by what that decides. Then every legal position is compared with its
//! successors in all metrics. Together with the values of mated and stalemated positions, which have none, that
//! leaves one solution for distances, so a wrong value is found where it stands or one move before.
//!
//! A number that no probe ever reads may be anything, and is not a value; all bytes are covered by checksums.

mod rules;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::Error;
use crate::generate::table_path;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::{Metric, Wdl};
use crate::table::{Counts, Table};
use rules::Outcome;
use values::{Loaded, Values};

/// Told about the course of a verification, from any thread.
pub trait Observer: Sync {
    /// The tables of a material are being verified.
    fn started(&self, material: Material);
    /// So many more positions are done; [`work`] says how many there are.
    fn advanced(&self, positions: u64);
}

/// An observer that does not care.
impl Observer for () {
    fn started(&self, _: Material) {}
    fn advanced(&self, _: u64) {}
}

/// One value that is not what its successors say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The material.
    pub material: Material,
    /// The metric.
    pub metric: Metric,
    /// The position, as FEN; empty where a count in the header is wrong.
    pub fen: String,
    /// What the table says.
    pub stored: String,
    /// What follows from the moves.
    pub expected: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference {
            material,
            metric,
            fen,
            stored,
            expected,
        } = self;
        let place = if fen.is_empty() { "header" } else { fen };
        write!(
            f,
            "{material} {metric}: {place}: stored {stored}, expected {expected}"
        )
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Tables whose values were compared.
    pub tables: usize,
    /// Legal positions compared, each metric once.
    pub positions: u64,
    /// Differences found.
    pub differences: u64,
    /// The first of them, at most [`LISTED`] a material.
    pub listed: Vec<Difference>,
    /// Tables that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// The most differences of a material that are listed.
pub const LISTED: usize = 10;

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences == 0 && self.unreadable.is_empty()
    }
}

/// The positions that verifying some materials goes through, in the unit of [`Observer::advanced`].
#[must_use]
pub fn work(materials: &[Material]) -> u64 {
    materials
        .iter()
        .map(|material| IndexSpace::new(*material).len() * sides(material))
        .sum()
}

fn sides(material: &Material) -> u64 {
    if material.is_symmetric() { 1 } else { 2 }
}

/// Verifies the tables of some materials in a directory: all checksums, then all values.
///
/// The tables that their moves lead to are read as well, and are trusted unless they are among `materials`.
///
/// # Errors
///
/// If the caller cancelled. What is wrong with a table is part of the report.
pub fn verify(
    directory: &Path,
    materials: &[Material],
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    let asked: Vec<Material> = materials.iter().map(Material::normal_form).collect();
    let mut order = asked.clone();
    let mut next = 0;
    while let Some(material) = order.get(next) {
        for dependency in material.dependencies() {
            if !order.contains(&dependency) {
                order.push(dependency);
            }
        }
        next += 1;
    }
    order.sort_by_key(|material| (material.men(), material.pawns(), material.to_string()));
    order.dedup();
    let mut report = Report::default();
    let mut loaded = Loaded::new();
    for (number, material) in order.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let is_asked = asked.contains(material);
        if is_asked {
            observer.started(*material);
            verify_checksums(directory, material, cancel, &mut report)?;
        }
        match load(directory, *material, &loaded) {
            Ok(values) => {
                if is_asked {
                    compare(&values, &loaded, cancel, observer, &mut report)?;
                }
                loaded.insert(*material, Arc::new(values));
            }
            Err(unreadable) => {
                if !report.unreadable.contains(&unreadable) {
                    report.unreadable.push(unreadable);
                }
            }
        }
        loaded.retain(|kept, _| {
            order[number + 1..]
                .iter()
                .any(|later| later.dependencies().contains(kept))
        });
    }
    Ok(report)
}

/// The values of a material, or the file at fault and why there are none.
fn load(
    directory: &Path,
    material: Material,
    loaded: &Loaded,
) -> Result<Values, (PathBuf, String)> {
    if let Some(missing) = material
        .dependencies()
        .into_iter()
        .find(|dependency| !loaded.contains_key(dependency))
    {
        let problem = format!(
            "{material} cannot be verified without usable tables of {missing}; generate them with `retrograde \
             generate {missing}`"
        );
        return Err((table_path(directory, &missing, Metric::Wdl), problem));
    }
    Values::load(directory, material, loaded)
        .map_err(|error| (error.path().to_owned(), error.to_string()))
}

fn verify_checksums(
    directory: &Path,
    material: &Material,
    cancel: &AtomicBool,
    report: &mut Report,
) -> Result<(), Error> {
    for metric in Metric::ALL {
        let path = table_path(directory, material, metric);
        if !path.exists() {
            continue;
        }
        let go_on = |_, _| !cancel.load(Ordering::Relaxed);
        match Table::open(&path).and_then(|table| table.verify_checksums(&go_on)) {
            Ok(()) => {}
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => report.unreadable.push((path, error.to_string())),
        }
    }
    Ok(())
}

/// Compares every position of a material with its successors, and the header with all of them.
fn compare(
    values: &Values,
    loaded: &Loaded,
    cancel: &AtomicBool,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<(), Error> {
    let mut found = Found::default();
    for &(side, metric, index) in &values.meaningless {
        found.add(difference(
            values,
            metric,
            index,
            side,
            "a number without meaning",
            "a value",
        ));
    }
    let mut counts = [Counts::default(); 2];
    let mut longest = [[0u32; 2]; 2];
    for side in 0..values.sides() {
        let compared = (0..values.space.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Error::Cancelled);
                }
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(values.space.len());
                let size = range.end - range.start;
                let compared = compare_range(values, loaded, side, range);
                observer.advanced(size);
                Ok(compared)
            })
            .try_reduce(Compared::default, |a, b| Ok(a.and(b)))?;
        found.total += compared.found.total;
        found.listed.extend(compared.found.listed);
        counts[side] = compared.counts;
        longest[side] = compared.longest;
        report.positions += compared.positions;
    }
    if values.sides() == 1 {
        counts[1] = counts[0];
        longest[1] = longest[0];
    }
    compare_headers(values, &counts, &longest, &mut found);
    report.tables += Metric::ALL
        .iter()
        .filter(|&&metric| values.has(metric))
        .count();
    report.differences += found.total;
    found.listed.truncate(LISTED);
    report.listed.extend(found.listed);
    Ok(())
}

/// Indices compared together.
const CHUNK: u64 = 1 << 14;

/// Differences, the first of them in full.
#[derive(Debug, Default)]
struct Found {
    total: u64,
    listed: Vec<Difference>,
}

impl Found {
    fn add(&mut self, difference: Difference) {
        self.total += 1;
        if self.listed.len() < LISTED {
            self.listed.push(difference);
        }
    }
}

/// What comparing some positions gave.
#[derive(Debug, Default)]
struct Compared {
    found: Found,
    counts: Counts,
    /// Longest wins in plies: to zeroing, to mate.
    longest: [u32; 2],
    positions: u64,
}

impl Compared {
    fn and(mut self, other: Compared) -> Compared {
        self.found.total += other.found.total;
        self.found.listed.extend(other.found.listed);
        self.found.listed.truncate(LISTED);
        self.counts.win += other.counts.win;
        self.counts.cursed_win += other.counts.cursed_win;
        self.counts.draw += other.counts.draw;
        self.counts.blessed_loss += other.counts.blessed_loss;
        self.counts.loss += other.counts.loss;
        for (longest, other) in self.longest.iter_mut().zip(other.longest) {
            *longest = other.max(*longest);
        }
        self.positions += other.positions;
        self
    }

    fn count(&mut self, value: Outcome, weight: u64) {
        let count = match value.wdl {
            Wdl::Win => &mut self.counts.win,
            Wdl::CursedWin => &mut self.counts.cursed_win,
            Wdl::Draw => &mut self.counts.draw,
            Wdl::BlessedLoss => &mut self.counts.blessed_loss,
            Wdl::Loss => &mut self.counts.loss,
        };
        *count += weight;
        if value.wdl.is_any_win() {
            let mate = value.score.dtm().map_or(0, |dtm| dtm.0.unsigned_abs());
            self.longest[0] = self.longest[0].max(value.dtz.into());
            self.longest[1] = self.longest[1].max(mate);
        }
    }
}

fn compare_range(
    values: &Values,
    loaded: &Loaded,
    side: usize,
    range: std::ops::Range<u64>,
) -> Compared {
    let mut compared = Compared::default();
    for index in range {
        let Some(value) = values.at(index, side) else {
            continue;
        };
        let Some((placement, position)) = values.position(index, side) else {
            continue;
        };
        compared.count(value, values.space.weight(&placement));
        let Some(expected) = rules::from_successors(&placement, &position, values, loaded) else {
            compared.found.add(difference(
                values,
                Metric::Wdl,
                index,
                side,
                value.wdl.category(),
                "a value for every move",
            ));
            continue;
        };
        for metric in Metric::ALL {
            if !values.is_stored(metric, side) {
                continue;
            }
            compared.positions += 1;
            if !agrees(values, metric, value, expected) {
                let (stored, expected) = (describe(metric, value), describe(metric, expected));
                compared
                    .found
                    .add(difference(values, metric, index, side, &stored, &expected));
            }
        }
    }
    compared
}

/// Whether a value is what its successors say.
fn agrees(values: &Values, metric: Metric, value: Outcome, expected: Outcome) -> bool {
    match metric {
        // Without distances it is not known which wins are cursed.
        Metric::Wdl if !values.has(Metric::Dtz) => {
            value.wdl.is_any_win() == expected.wdl.is_any_win()
                && value.wdl.is_any_loss() == expected.wdl.is_any_loss()
        }
        Metric::Wdl => value.wdl == expected.wdl,
        Metric::Dtz => value.dtz == expected.dtz,
        Metric::Dtm => {
            value.score == expected.score
                && (value.score > crate::metric::MateScore::DRAW) == value.wdl.is_any_win()
                && (value.score < crate::metric::MateScore::DRAW) == value.wdl.is_any_loss()
        }
    }
}

fn describe(metric: Metric, value: Outcome) -> String {
    match metric {
        Metric::Wdl => value.wdl.to_string(),
        Metric::Dtz => format!("{} in {} plies", value.wdl, value.dtz),
        Metric::Dtm => match value.score.dtm() {
            Some(dtm) => format!("mate in {dtm} plies"),
            None => "no mate".to_owned(),
        },
    }
}

fn difference(
    values: &Values,
    metric: Metric,
    index: u64,
    side: usize,
    stored: &str,
    expected: &str,
) -> Difference {
    Difference {
        material: *values.space.material(),
        metric,
        fen: values
            .position(index, side)
            .map(|(_, position)| position.to_fen())
            .unwrap_or_default(),
        stored: stored.to_owned(),
        expected: expected.to_owned(),
    }
}

/// Compares the counts and longest wins in the headers with the values.
fn compare_headers(
    values: &Values,
    counts: &[Counts; 2],
    longest: &[[u32; 2]; 2],
    found: &mut Found,
) {
    let mut check = |metric: Metric, stored: String, expected: String| {
        if stored != expected {
            found.add(Difference {
                material: *values.space.material(),
                metric,
                fen: String::new(),
                stored,
                expected,
            });
        }
    };
    for metric in Metric::ALL {
        let Some(source) = &values.sources[usize::from(metric.number())] else {
            continue;
        };
        for side in 0..2 {
            check(
                metric,
                format!("{:?}", source.description.counts[side]),
                format!("{:?}", counts[side]),
            );
            let stored = source.description.longest[side];
            let expected = match metric {
                Metric::Wdl => continue,
                Metric::Dtz => longest[side][0],
                Metric::Dtm => longest[side][1],
            };
            check(
                metric,
                format!("longest win {}", stored.map_or(0, |longest| longest.plies)),
                format!("longest win {expected}"),
            );
            if let Some(longest) = stored.filter(|_| side < values.sides()) {
                let plies = values
                    .at(longest.index, side)
                    .map_or(0, |value| match metric {
                        Metric::Dtm => value.score.dtm().map_or(0, |dtm| dtm.0),
                        Metric::Wdl | Metric::Dtz => value.dtz.into(),
                    });
                check(
                    metric,
                    format!("index {} as the longest win", longest.index),
                    if plies == longest.plies as i32 {
                        format!("index {} as the longest win", longest.index)
                    } else {
                        format!("a win of {} plies, not {plies}", longest.plies)
                    },
                );
            }
        }
    }
}
