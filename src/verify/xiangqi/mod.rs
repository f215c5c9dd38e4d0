//! Xiangqi tables: every value against the values of its successors.
//!
//! Results and rounds follow from the moves everywhere, distances to mate as well. Distances to
//! conversion follow exactly where the rule of perpetual check was not needed. Elsewhere they
//! measure progress, and what is checked is that there is some.
//!
//! Positions are looked at 90 at a time, as lines over the squares of one attacker (`line`,
//! `layout`): a move of another man leads from a whole line to a whole line (`moves`).

mod attack;
mod compare;
mod layout;
mod line;
mod moves;
mod recount;
mod values;
mod visit;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::drive::{Outcome, Stop, Verifier};
use super::recount::{Counting, compare};
use super::report::{Found, Observer, Subject};
use super::visit::Visitor;
use crate::Error;
use crate::statistics;
use crate::tables::{rules_directory, table_path};
use crate::xiangqi::{IndexSpace, Material, Metric, Rules, Xiangqi};
use compare::Comparison;
use layout::Layout;
use moves::Captures;
use recount::FileWords;
use values::{Problem, Resolved, Source, native_file, too_large};

impl From<Problem> for Stop {
    fn from((path, problem): Problem) -> Stop {
        Stop::Unreadable(path, problem)
    }
}

/// The positions that verifying a material goes through.
pub(super) fn work(material: &Material) -> u64 {
    IndexSpace::new(*material).map_or(0, |space| 2 * space.len())
}

/// Bytes that verifying a material takes at most, about: its lines and the numbers they are made
/// from, and the lines that captures lead to.
pub(super) fn memory(material: &Material) -> u64 {
    let lines = |material: &Material| {
        let layout = Layout::new(*material);
        layout.map_or(u64::MAX, |layout| {
            layout.addresses as u64 * size_of::<[line::Values; 2]>() as u64
        })
    };
    let streams = work(material).saturating_mul(Metric::ALL.len() as u64);
    let captured = material.dependencies();
    let captured = captured.iter().map(lines).fold(0, u64::saturating_add);
    lines(material)
        .saturating_add(streams)
        .saturating_add(captured)
}

/// A verification on its way.
pub(super) struct Run<'a> {
    directory: &'a Path,
    rules: Rules,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    /// Values that captures of later materials lead to.
    resolved: HashMap<Material, Arc<Resolved>>,
    /// What is counted of the material asked for, instead of comparing it.
    counting: Option<Counting<Metric>>,
    /// Who is shown its positions instead of that.
    visitor: Option<&'a dyn Visitor>,
}

impl<'a> Run<'a> {
    pub fn new(
        directory: &'a Path,
        rules: Rules,
        cancel: &'a AtomicBool,
        observer: &'a dyn Observer,
    ) -> Run<'a> {
        Run {
            directory,
            rules,
            cancel,
            observer,
            resolved: HashMap::new(),
            counting: None,
            visitor: None,
        }
    }

    /// Whether what the moves of a material lead to has mates if it has mates itself.
    fn check_dependencies(&self, material: Material, source: &Source) -> Result<(), Problem> {
        if !source.has(Metric::Dtm) {
            return Ok(());
        }
        let mut dependencies = material.dependencies().into_iter();
        let Some(without) = dependencies.find(|needed| !self.resolved[needed].has_scores) else {
            return Ok(());
        };
        let problem = format!(
            "mates of {material} cannot be verified without those of {without}; generate them with `retrograde \
             generate --game xiangqi --rules {} {without}`",
            self.rules
        );
        Err((self.path(&without, Metric::Dtm), problem))
    }

    /// Counts the values of a material, if that is asked for.
    fn count(
        &mut self,
        material: Material,
        source: &Source,
        values: &Resolved,
    ) -> Result<(), Stop> {
        let Some(counting) = &mut self.counting else {
            return Ok(());
        };
        if let Some(visitor) = self.visitor {
            visit::visit(source, values, visitor);
            self.observer.advanced(work(&material));
            return Ok(());
        }
        let words = FileWords::new(source, values);
        let (addresses, metrics) = (values.layout.addresses, counting.metrics.len());
        let all = u128::from(work(&material));
        for (number, &metric) in counting.metrics.iter().enumerate() {
            let done = |address: usize| {
                let passed = (number * addresses + address) as u128;
                (all * passed / (metrics * addresses) as u128) as u64
            };
            let go_on = |range: Range<usize>| {
                self.observer.advanced(done(range.end) - done(range.start));
                !self.cancel.load(Ordering::Relaxed)
            };
            let found = words.count(metric, counting.listed, &go_on);
            counting.found.push((metric, found.ok_or(Stop::Cancelled)?));
        }
        Ok(())
    }

    /// Compares the statistics that files keep with the values.
    fn compare_statistics(
        &self,
        material: Material,
        source: &Source,
        values: &Resolved,
        found: &mut Found,
    ) -> Result<(), Stop> {
        // What cannot be read of them, comparing checksums has reported.
        let kept = Metric::ALL.map(|metric| source.table(metric)?.statistics().ok().flatten());
        if kept.iter().all(Option::is_none) {
            return Ok(());
        }
        let words = FileWords::new(source, values);
        let go_on = |_| !self.cancel.load(Ordering::Relaxed);
        for (metric, kept) in Metric::ALL.into_iter().zip(&kept) {
            let Some(kept) = kept else {
                continue;
            };
            let counted = words.count(metric, statistics::LISTED, &go_on);
            let counted = counted.ok_or(Stop::Cancelled)?;
            compare(self.subject(material), metric, kept, &counted, found);
        }
        Ok(())
    }

    fn path(&self, material: &Material, metric: Metric) -> PathBuf {
        table_path(
            &rules_directory::<Xiangqi>(self.directory, self.rules),
            material,
            metric,
        )
    }
}

impl Verifier for Run<'_> {
    type Material = Material;

    fn subject(&self, material: Material) -> Subject {
        Subject::Xiangqi(self.rules, material)
    }

    fn needs(&self, material: &Material, is_asked: bool) -> Vec<Material> {
        // What a capture leads to is in its own tables.
        match is_asked && self.counting.is_none() {
            true => material.dependencies(),
            false => Vec::new(),
        }
    }

    fn size(&self, material: &Material) -> (usize, usize) {
        (material.men(), 0)
    }

    fn verify_checksums(&self, material: &Material) -> Result<Vec<(PathBuf, String)>, Error> {
        let go_on = |_, _| !self.cancel.load(Ordering::Relaxed);
        let mut wrong = Vec::new();
        // What is counted is checked as it is read.
        if self.counting.is_some() {
            return Ok(wrong);
        }
        for metric in Metric::ALL {
            let path = self.path(material, metric);
            if !path.exists() {
                continue;
            }
            let file = native_file(self.directory, self.rules, *material, metric);
            match file.verify_checksums(&go_on) {
                Ok(()) => {}
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => wrong.push((path, error.to_string())),
            }
        }
        Ok(wrong)
    }

    fn verify_values(
        &mut self,
        material: Material,
        is_asked: bool,
        later: &[Material],
    ) -> Result<Outcome, Stop> {
        let source = Source::open(self.directory, self.rules, material)?;
        if is_asked && self.counting.is_none() {
            self.check_dependencies(material, &source)?;
        }
        let layout = Layout::new(material);
        let layout = layout.ok_or_else(|| too_large(self.directory, self.rules, material))?;
        let values = Arc::new(Resolved::load(&source, layout)?);
        let mut outcome = Outcome::default();
        if self.counting.is_some() {
            self.count(material, &source, &values)?;
            return Ok(outcome);
        }
        if is_asked {
            let comparison = Comparison {
                subject: self.subject(material),
                source: &source,
                values: &values,
                captures: &Captures::new(&values.layout, &self.resolved),
                cancel: self.cancel,
                observer: self.observer,
                work: work(&material),
            };
            (outcome.positions, outcome.found) = comparison.run().map_err(|_| Stop::Cancelled)?;
            self.compare_statistics(material, &source, &values, &mut outcome.found)?;
            let metrics = Metric::ALL.into_iter();
            outcome.tables = metrics.filter(|&metric| source.has(metric)).count();
        }
        if later
            .iter()
            .any(|later| later.dependencies().contains(&material))
        {
            self.resolved.insert(material, values);
        }
        Ok(outcome)
    }

    fn forget(&mut self, _: &Material, later: &[Material]) {
        let is_needed = |kept: &Material| {
            later
                .iter()
                .any(|later| later.dependencies().contains(kept))
        };
        self.resolved.retain(|kept, _| is_needed(kept));
    }
}
