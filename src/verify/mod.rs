//! Checks tables without solving anything: every value must be the best of those its moves lead to.
//!
//! First the numbers of a material's files become values, as a prober sees them: a number that is not needed, because
//! a capture or promotion decides, is replaced by what that decides. Then every legal position is compared with its
//! successors in all metrics. Together with the values of mated and stalemated positions, which have none, that
//! leaves one solution for distances, so a wrong value is found where it stands or one move before.
//!
//! A number that no probe ever reads may be anything, and is not a value; all bytes are covered by checksums.
//!
//! Syzygy tables are verified like our own: only what is left to the prober differs, and distances may be rounded.

mod compare;
#[cfg(test)]
mod falsified;
mod formats;
mod gather;
mod headers;
mod keys;
mod layout;
mod line;
mod moves;
mod numbers;
mod recount;
mod report;
mod resolved;
mod scatter;
mod slice;
pub mod solved;
mod source;
mod syzygy;
pub mod xiangqi;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::Error;
use crate::game::Color;
use crate::game::chess::Role;
use crate::index::IndexSpace;
use crate::material::Material;
use crate::metric::Metric;
use crate::probe::Format;
use crate::simd::Width;
use crate::statistics::SliceTally;
use crate::table::Table;
use crate::tables::table_path;
use compare::{Compared, Comparison, Found};
use headers::Named;
use moves::{Moves, PromotionLines};
use recount::Counting;
use resolved::{Captures, Promoted, Promotion, Resolved, Wanted};
use slice::SliceValues;
use source::{FORMATS, LoadError, Source, asked_in, path_of, sides, tables_of};

pub use formats::{BothFormats, Compared as ComparedFormats};
pub use recount::{RecountError, recount};
pub use report::{Difference, LISTED, Observer, Report};

/// The positions that verifying some materials in a directory goes through, in the unit of [`Observer::advanced`].
#[must_use]
pub fn work(directory: &Path, materials: &[Material]) -> u64 {
    let of_format = |format| -> u64 {
        asked_in(directory, materials, format)
            .iter()
            .map(|material| IndexSpace::new(*material).len() * sides(material) as u64)
            .sum()
    };
    FORMATS.into_iter().map(of_format).sum()
}

/// Verifies the tables of some materials in a directory, of both formats: all checksums, then all values.
///
/// The tables that their moves lead to are read as well, those of the other format where there are no others, and are trusted
/// unless they are among `materials`.
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
    let mut report = Report::default();
    for format in FORMATS {
        let asked = asked_in(directory, materials, format);
        verify_format(directory, format, asked, cancel, observer, &mut report)?;
    }
    Ok(report)
}

/// Verifies the tables of one format.
fn verify_format(
    directory: &Path,
    format: Format,
    asked: Vec<Material>,
    cancel: &AtomicBool,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<(), Error> {
    Run::new(directory, format, cancel, observer, report).go_through(&asked)
}

/// Materials and all that their moves lead to, in an order in which they can be verified.
fn with_dependencies(asked: &[Material]) -> Vec<Material> {
    let mut order = asked.to_vec();
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
    in_order_of_use(order)
}

/// Materials in an order in which each comes after those its moves lead to, but not long after, so that few values
/// have to be kept.
fn in_order_of_use(materials: Vec<Material>) -> Vec<Material> {
    fn visit(material: Material, wanted: &[Material], order: &mut Vec<Material>) {
        if order.contains(&material) || !wanted.contains(&material) {
            return;
        }
        let mut dependencies = material.dependencies();
        dependencies
            .sort_by_key(|material| (material.men(), material.pawns(), material.to_string()));
        for dependency in dependencies {
            visit(dependency, wanted, order);
        }
        order.push(material);
    }
    let mut order = Vec::new();
    for &material in &materials {
        visit(material, &materials, &mut order);
    }
    order
}

/// Whether captures of some materials lead to a material. What promotions lead to has as many men.
fn is_captured_into(material: &Material, later: &[Material]) -> bool {
    later
        .iter()
        .any(|later| later.men() > material.men() && later.dependencies().contains(material))
}

/// Indices of a slice from which on it is worked on by all threads together, not side by side with others.
const LARGE_SLICE: usize = 1 << 20;

/// A verification on its way.
struct Run<'a> {
    directory: &'a Path,
    format: Format,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    report: &'a mut Report,
    /// Materials whose values could be read, and whether mates are among them.
    usable: HashMap<Material, bool>,
    /// Values that captures of later materials lead to.
    resolved: HashMap<Material, Arc<Resolved>>,
    /// Values that promotions of later materials lead to.
    promoted: Promoted,
    /// What is counted of the materials asked for, instead of comparing them.
    counting: Option<Counting>,
}

/// Why a material could not be verified.
enum Stop {
    Cancelled,
    Unreadable(PathBuf, String),
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        Stop::Unreadable(error.path().to_owned(), error.to_string())
    }
}

impl<'a> Run<'a> {
    fn new(
        directory: &'a Path,
        format: Format,
        cancel: &'a AtomicBool,
        observer: &'a dyn Observer,
        report: &'a mut Report,
    ) -> Run<'a> {
        Run {
            directory,
            format,
            cancel,
            observer,
            report,
            usable: HashMap::new(),
            resolved: HashMap::from([(Material::BARE_KINGS, Arc::new(Resolved::bare_kings()))]),
            promoted: Promoted::default(),
            counting: None,
        }
    }

    fn go_through(&mut self, asked: &[Material]) -> Result<(), Error> {
        let order = with_dependencies(asked);
        for (number, material) in order.iter().enumerate() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            self.verify_material(*material, asked.contains(material), &order[number + 1..])?;
        }
        Ok(())
    }

    /// Verifies a material, or only finds its values, and keeps what later ones need.
    fn verify_material(
        &mut self,
        material: Material,
        is_asked: bool,
        later: &[Material],
    ) -> Result<(), Error> {
        if is_asked {
            self.observer.started(material);
            // What is counted is checked as it is read.
            if self.counting.is_none() {
                self.verify_checksums(&material)?;
            }
        }
        match self.find_values(material, is_asked, later) {
            Ok(()) => {}
            Err(Stop::Cancelled) => return Err(Error::Cancelled),
            Err(Stop::Unreadable(path, problem)) => {
                let unreadable = (path, problem);
                if !self.report.unreadable.contains(&unreadable) {
                    self.report.unreadable.push(unreadable);
                }
            }
        }
        self.promoted.forget(&material);
        self.resolved
            .retain(|kept, _| *kept == Material::BARE_KINGS || is_captured_into(kept, later));
        Ok(())
    }

    /// Compares the checksums of the tables of a material.
    fn verify_checksums(&mut self, material: &Material) -> Result<(), Error> {
        let go_on = |_, _| !self.cancel.load(Ordering::Relaxed);
        for (metric, path) in tables_of(self.directory, material, self.format) {
            let verified = match self.format {
                Format::Native => {
                    Table::open(&path).and_then(|table| table.verify_checksums(&go_on))
                }
                Format::Syzygy => crate::syzygy::Table::open(&path, material, metric)
                    .and_then(|table| table.verify_checksum(&go_on)),
            };
            match verified {
                Ok(()) => {}
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => self.report.unreadable.push((path, error.to_string())),
            }
        }
        Ok(())
    }

    /// The format in which a material is read: for one that is not asked for the other one will do.
    fn format_of(&self, material: &Material, is_asked: bool) -> Format {
        let has_results = |format: Format| {
            path_of(self.directory, material, Metric::Wdl, format).is_some_and(|path| path.exists())
        };
        let mut others = FORMATS.into_iter().filter(|&format| has_results(format));
        if is_asked || has_results(self.format) {
            return self.format;
        }
        others.next().unwrap_or(self.format)
    }

    fn open(&self, material: Material, is_asked: bool) -> Result<Source, Stop> {
        let dependencies = material.dependencies();
        let missing = dependencies
            .iter()
            .find(|dependency| !self.usable.contains_key(dependency));
        if let Some(missing) = missing {
            let problem = format!(
                "{material} cannot be verified without usable tables of {missing}; generate them with `retrograde \
                 generate {missing}{}`",
                source::option(self.format)
            );
            let path = path_of(self.directory, missing, Metric::Wdl, self.format);
            return Err(Stop::Unreadable(path.unwrap_or_default(), problem));
        }
        let format = self.format_of(&material, is_asked);
        // What only leads somewhere has no use for distances to zeroing, and Syzygy tables none for mates.
        let is_wanted = |&metric: &Metric| match metric {
            Metric::Wdl => true,
            Metric::Dtz => is_asked,
            Metric::Dtm => self.format == Format::Native,
        };
        let is_counted = |metric: &Metric| {
            let counting = self.counting.as_ref();
            *metric == Metric::Wdl || counting.is_none_or(|of| of.metrics.contains(metric))
        };
        let metrics: Vec<Metric> = Metric::ALL
            .into_iter()
            .filter(is_wanted)
            .filter(is_counted)
            .collect();
        let source = Source::open(self.directory, material, format, &metrics)?;
        // A mate may lead through any capture or promotion; a distance to zeroing ends there.
        if source.has(Metric::Dtm)
            && let Some(&missing) = dependencies
                .iter()
                .find(|dependency| !self.usable[*dependency])
        {
            Err(LoadError::Missing {
                material: missing,
                path: table_path(self.directory, &missing, Metric::Dtm),
                format: Format::Native,
            })?;
        }
        Ok(source)
    }

    fn find_values(
        &mut self,
        material: Material,
        is_asked: bool,
        later: &[Material],
    ) -> Result<(), Stop> {
        let source = self.open(material, is_asked)?;
        let captures = Captures::new(&material, &self.resolved);
        let wanted = Wanted::from(later, &material);
        let is_kept = is_captured_into(&material, later);
        let mut own = Resolved::new(material);
        let steps: Vec<u32> = (0..own.layout.slices())
            .map(|slice| own.layout.pawns.placement(slice).steps_to_promotion())
            .collect();
        let mut slices: Vec<usize> = (0..steps.len()).collect();
        slices.sort_by_key(|&slice| steps[slice]);
        let is_large = own.layout.addresses() * 64 >= LARGE_SLICE;
        let mut all = SliceOutcome::default();
        // Slices equally far from promotion do not lead to each other.
        for level in slices.chunk_by(|&a, &b| steps[a] == steps[b]) {
            let job = Job {
                source: &source,
                own: &own,
                captures: &captures,
                promoted: &self.promoted,
                wanted: &wanted,
                is_asked,
                counting: self.counting.as_ref().map(|counting| counting.listed),
                work: source.space.len() / steps.len() as u64,
                cancel: self.cancel,
                observer: self.observer,
                width: Width::widest(),
            };
            if is_large {
                for &slice in level {
                    all = all.and(job.run(slice)?);
                }
            } else {
                let outcomes = level.par_iter().map(|&slice| job.run(slice));
                all = all.and(outcomes.try_reduce(SliceOutcome::default, |a, b| Ok(a.and(b)))?);
            }
            if !is_kept {
                // A pawn walks one or two squares; what comes next does not reach further.
                let reached = steps[level[0]].saturating_sub(1);
                own.forget(|slice| steps[slice] < reached);
            }
        }
        drop(captures);
        match &mut self.counting {
            Some(counting) if is_asked => counting.tally = std::mem::take(&mut all.tally),
            None if is_asked => all.report(&source, self.report),
            _ => {}
        }
        self.usable.insert(material, source.has(Metric::Dtm));
        self.promoted.extend(all.promoted);
        if is_kept {
            self.resolved.insert(material, Arc::new(own));
        }
        Ok(())
    }
}

/// What working on the slices of a material takes.
struct Job<'a> {
    source: &'a Source,
    own: &'a Resolved,
    captures: &'a Captures,
    promoted: &'a Promoted,
    wanted: &'a [Wanted],
    is_asked: bool,
    /// How many positions are named of each kind, where values are counted and not compared.
    counting: Option<usize>,
    /// Indices of a slice.
    work: u64,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    width: Width,
}

/// What some slices gave.
#[derive(Default)]
struct SliceOutcome {
    compared: [Compared; 2],
    named: Named,
    tally: SliceTally,
    promoted: Vec<resolved::Found>,
}

impl SliceOutcome {
    fn and(mut self, other: SliceOutcome) -> SliceOutcome {
        let [white, black] = other.compared;
        let [own_white, own_black] = self.compared;
        self.promoted.extend(other.promoted);
        SliceOutcome {
            compared: [own_white.and(white), own_black.and(black)],
            named: self.named.and(other.named),
            tally: self.tally.merge(other.tally),
            promoted: self.promoted,
        }
    }

    /// Puts what was found about a whole material into a report.
    fn report(&mut self, source: &Source, report: &mut Report) {
        let mut found = Found::default();
        for compared in &mut self.compared {
            report.positions += compared.positions;
            found.extend(std::mem::take(&mut compared.found));
        }
        self.named
            .compare_headers(source, &self.compared, &mut found);
        report.tables += Metric::ALL
            .iter()
            .filter(|&&metric| source.has(metric))
            .count();
        report.differences += found.total;
        report.listed.extend(found.listed);
    }
}

impl Job<'_> {
    /// Reads a slice, compares it if that is asked for, and keeps its values.
    fn run(&self, slice: usize) -> Result<SliceOutcome, Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        let frame = self.own.layout.frame(slice);
        let promotions = self.promotions(slice);
        let moves = Moves {
            frame: &frame,
            own: self.own,
            captures: self.captures,
            promoted: &promotions,
            width: self.width,
        };
        let values = SliceValues::load(self.source, moves, self.is_asked)?;
        let mut outcome = SliceOutcome::default();
        if let Some(listed) = self.counting.filter(|_| self.is_asked) {
            let space = &self.source.space;
            outcome.tally = recount::tally(space, self.source, &values, slice, listed);
            (self.observer).advanced(recount::work_of_slice(self.source, self.work));
        } else if self.is_asked {
            outcome.named.look_up(self.source, &values, slice);
            let comparison = Comparison {
                source: self.source,
                values: &values,
                cancel: self.cancel,
                observer: self.observer,
                work: self.work,
            };
            outcome.compared = comparison.run().map_err(|_| Stop::Cancelled)?;
        }
        let _ = self.own.slices[slice].set(values.sides.map(|side| side.lines));
        for wanted in self.wanted {
            outcome.promoted.extend(wanted.find(self.own, slice));
        }
        Ok(outcome)
    }

    /// What the promotions of a slice without a capture lead to.
    fn promotions(&self, slice: usize) -> Vec<PromotionLines> {
        let pawns = self.own.layout.pawns.placement(slice);
        let mut promotions = Vec::new();
        for color in Color::ALL {
            for from in layout::squares_of(pawns.of(color)) {
                if from.rank_for(color) != 6 {
                    continue;
                }
                let to = from.ahead(color).index() as u8;
                for role in Role::PROMOTIONS {
                    let promotion = Promotion {
                        material: self.own.layout.material,
                        color,
                        role,
                    };
                    let lines = self.promoted.lines(promotion, slice, to);
                    promotions.extend(lines.map(|lines| PromotionLines { color, lines }));
                }
            }
        }
        promotions
    }
}
