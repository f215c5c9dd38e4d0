//! What the moves of chess lead to, a line of 64 positions at a time.

mod compare;
mod compare_slice;
mod derive;
mod exchanged;
mod files;
mod formats;
mod gather;
mod headers;
mod keys;
mod layout;
mod line;
mod memory;
mod men;
mod moves;
mod numbers;
mod pages;
mod part;
mod places;
mod quiet;
mod reading;
mod recount;
mod resolved;
mod scatter;
mod slice;
mod source;
mod spare;
mod steps;
mod stored;
mod strange;
mod syzygy;
#[cfg(test)]
mod tests;
mod visit;
mod work;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use crate::Error;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::game::Color;
use crate::metric::Metric;
use crate::parallel;
use crate::probe::Format;
use crate::simd::Width;
use crate::statistics::{self, SliceTally};
use crate::table::{Plane, Table};
use crate::tables::table_path;
use crate::verify::drive::{Outcome, Stop, Verifier};
use crate::verify::recount::{Counting, compare as compare_statistics};
use crate::verify::report::{Found, Observer, Subject};
use crate::verify::visit::Visitor;
use compare::{Compared, Comparison};
use files::{LoadError, path_of, tables_of};
use headers::Named;
use layout::PAGE;
use moves::Targets;
use pages::{Away, Place, Shared};
use part::Part;
use places::Places;
use resolved::{Captures, Lines, Promoted, Resolved, Wanted};
use slice::SliceValues;
use source::{Source, sides};
use spare::Spares;

pub(in crate::verify) use files::{FORMATS, asked_in};
pub use formats::{BothFormats, Compared as ComparedFormats};
pub(in crate::verify) use line::Score;
pub(in crate::verify) use memory::{AT_HAND, memory_within};
pub(crate) use stored::{StoredLines, StoredNumbers};
pub(in crate::verify) use visit::format_shown;

/// The positions that verifying a material goes through.
pub(super) fn work(material: &Material) -> u64 {
    IndexSpace::new(*material).len() * sides(material) as u64
}

/// The most men of which the longest mate is known to be held by a byte, that of a position before
/// as well: it has 253 plies.
const MEN_IN_BYTES: usize = 5;

/// Whether a byte holds each distance to mate of some materials and of all that they lead to.
pub(super) fn fits_bytes(directory: &Path, format: Format, materials: &[Material]) -> bool {
    if format == Format::Syzygy {
        return true;
    }
    let mut all: HashSet<Material> = HashSet::new();
    let mut left: Vec<Material> = materials.iter().map(Material::normal_form).collect();
    while let Some(material) = left.pop() {
        if all.insert(material) {
            left.extend(material.dependencies());
        }
    }
    let has_words = |material: &Material| {
        let path = path_of(directory, material, Metric::Dtm, format);
        let table = path.and_then(|path| Table::open_unmapped(&path).ok());
        let has_words = |table: Table| {
            let mut streams = table.streams().iter();
            streams.any(|stream| stream.plane() == Plane::High)
        };
        table.is_some_and(has_words)
    };
    all.iter()
        .all(|material| material.men() <= MEN_IN_BYTES && !has_words(material))
}

/// Whether captures of some materials lead to a material. What promotions lead to has as many men.
fn is_captured_into(material: &Material, later: &[Material]) -> bool {
    later
        .iter()
        .any(|later| later.men() > material.men() && later.dependencies().contains(material))
}

/// Indices of a slice from which on it is worked on by all threads together, not side by side with
/// others.
const LARGE_SLICE: usize = 1 << 20;

/// A verification on its way.
pub(super) struct Run<'a, S> {
    directory: &'a Path,
    format: Format,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    /// Materials whose values are known, and whether mates are among them.
    has_mates: HashMap<Material, bool>,
    /// Values that captures of later materials lead to.
    resolved: HashMap<Material, Arc<Resolved<S>>>,
    /// Values that promotions of later materials lead to.
    promoted: Promoted<S>,
    /// Memory of frames that are not needed any more.
    spares: Arc<Spares>,
    /// Memory of what one promotion led to, once another is better.
    arrivals: Arc<Spares>,
    /// Bytes that a material may take as a whole; of larger ones what is not worked on waits in
    /// files.
    at_hand: u64,
    /// Whether what waits for other slices and materials waits in files.
    is_away: bool,
    /// What places share where values wait.
    shared: Shared,
    /// What is counted of the materials asked for, instead of comparing them.
    counting: Option<Counting<Metric>>,
    /// Who is shown their positions instead of that.
    visitor: Option<&'a dyn Visitor>,
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        Stop::Unreadable(error.path().to_owned(), error.to_string())
    }
}

impl<'a, S: Score> Run<'a, S> {
    /// For some materials, of which those that take more bytes than `at_hand` are verified by
    /// parts.
    pub(super) fn new(
        directory: &'a Path,
        format: Format,
        (materials, at_hand): (&[Material], u64),
        cancel: &'a AtomicBool,
        observer: &'a dyn Observer,
    ) -> Run<'a, S> {
        let is_large = |material: &Material| memory::whole(material) > at_hand;
        Run {
            at_hand,
            is_away: format == Format::Native && materials.iter().any(is_large),
            shared: Shared::default(),
            directory,
            format,
            cancel,
            observer,
            has_mates: HashMap::new(),
            resolved: HashMap::from([(Material::BARE_KINGS, Arc::new(Resolved::bare_kings()))]),
            promoted: Promoted::default(),
            spares: Arc::default(),
            arrivals: Arc::default(),
            counting: None,
            visitor: None,
        }
    }
}

impl<S: Score> Verifier for Run<'_, S> {
    type Material = Material;

    fn subject(&self, material: Material) -> Subject {
        Subject::Chess(material)
    }

    fn needs(&self, material: &Material, _: bool) -> Vec<Material> {
        material.dependencies()
    }

    fn size(&self, material: &Material) -> (usize, usize) {
        (material.men(), material.pawns())
    }

    fn verify_checksums(&self, material: &Material) -> Result<Vec<(PathBuf, String)>, Error> {
        let go_on = |_, _| !self.cancel.load(Ordering::Relaxed);
        let mut wrong = Vec::new();
        // What is counted is checked as it is read.
        if self.counting.is_some() {
            return Ok(wrong);
        }
        for (metric, path) in tables_of(self.directory, material, self.format) {
            let verified = match self.format {
                Format::Native => {
                    Table::open_unmapped(&path).and_then(|table| table.verify_checksums(&go_on))
                }
                Format::Syzygy => crate::syzygy::Table::open_unmapped(&path, material, metric)
                    .and_then(|table| table.verify_checksum(&go_on)),
            };
            match verified {
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
        self.find_values(material, is_asked, later)
    }

    fn forget(&mut self, material: &Material, later: &[Material]) {
        self.promoted.forget(material);
        self.resolved
            .retain(|kept, _| *kept == Material::BARE_KINGS || is_captured_into(kept, later));
    }
}

impl<S: Score> Run<'_, S> {
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
        let format = self.format_of(&material, is_asked);
        // What only leads somewhere has no use for distances to zeroing, and Syzygy tables none for
        // mates.
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
                .find(|dependency| !self.has_mates[*dependency])
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
    ) -> Result<Outcome, Stop> {
        let source = self.open(material, is_asked)?;
        // Slices of a page or less are too many to be put away one by one.
        let layout = layout::Layout::new(material);
        let waits_away = self.is_away && layout.addresses() >= 1 << PAGE;
        let kept = match waits_away {
            true => Some(away(&source, Some(self.directory), &self.shared)?),
            false => None,
        };
        let captures = Captures::new(&material, &self.resolved, kept.as_ref());
        let promoting = later
            .iter()
            .filter(|from| from.has_pawns() && from.men() == material.men());
        let promoting: Vec<&Material> = promoting.collect();
        // What promotions of one material lead to is part of what it takes in memory; of many it
        // would be too much.
        let wanted = match (&promoting[..], self.is_away) {
            ([], _) => {
                self.arrivals = Arc::default();
                Vec::new()
            }
            (&[from], false) => {
                let lines = layout::Layout::new(*from).addresses();
                let arrivals = Spares::of(&mut self.arrivals, lines);
                let place = Place {
                    spares: Arc::downgrade(arrivals),
                    ..Place::default()
                };
                Wanted::from(later, &material, &place)
            }
            _ => {
                let directory = self.is_away.then_some(self.directory);
                let away = away(&source, directory, &self.shared)?;
                Wanted::from(later, &material, &Place::new(Some(&away), PAGE))
            }
        };
        let is_kept = is_captured_into(&material, later);
        let part = match is_asked || is_kept {
            true => Part::Whole,
            false => Part::of_promotions(&wanted, material.has_pawns()),
        };
        // What moves between slices lead to: where only White has pawns, positions with Black to
        // move.
        let keeps = Color::ALL
            .map(|side| is_kept || !wanted.is_empty() || material.count(!side, Role::Pawn) > 0);
        let mut own = Resolved::new(material);
        let steps: Vec<u32> = (0..own.layout.slices())
            .map(|slice| own.layout.pawns.placement(slice).steps_to_promotion())
            .collect();
        let mut slices: Vec<usize> = (0..steps.len()).collect();
        slices.sort_by_key(|&slice| steps[slice]);
        let is_large = own.layout.addresses() * 64 >= LARGE_SLICE;
        let is_by_parts = source.format() == Format::Native
            && waits_away
            && memory::slice(&material) > self.at_hand / 2;
        // Frames that are in memory one after the other take each other's memory.
        let spares = Spares::of(&mut self.spares, own.layout.addresses());
        let spares = match is_large && !is_by_parts {
            true => Arc::downgrade(spares),
            false => Weak::new(),
        };
        let mut all = SliceOutcome::default();
        // Slices equally far from promotion do not lead to each other.
        for level in slices.chunk_by(|&a, &b| steps[a] == steps[b]) {
            let job = Job {
                source: &source,
                own: &own,
                captures: &captures,
                promoted: &self.promoted,
                kept: kept.as_ref(),
                keeps,
                spares: spares.clone(),
                is_by_parts,
                wanted: &wanted,
                part: &part,
                directory: self.directory,
                shared: &self.shared,
                is_asked,
                is_compared: is_asked && self.counting.is_none(),
                listed: match &self.counting {
                    Some(counting) => self.visitor.is_none().then_some(counting.listed),
                    None => source.keeps_statistics().then_some(statistics::LISTED),
                },
                visitor: self.visitor,
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
                let outcomes = parallel::try_map(level.len(), |number| job.run(level[number]))?;
                all = outcomes.into_iter().fold(all, SliceOutcome::and);
            }
            if !is_kept {
                // A pawn walks one or two squares; what comes next does not reach further.
                let reached = steps[level[0]].saturating_sub(1);
                own.forget(|slice| steps[slice] < reached);
            }
        }
        drop(captures);
        let outcome = match &mut self.counting {
            Some(_) if self.visitor.is_some() => Outcome::default(),
            Some(counting) if is_asked => {
                let count = |&metric: &Metric| (metric, all.tally.statistics(&material, metric));
                counting.found = counting.metrics.iter().map(count).collect();
                Outcome::default()
            }
            None if is_asked => all.outcome(&source),
            _ => Outcome::default(),
        };
        self.has_mates.insert(material, source.has(Metric::Dtm));
        self.promoted.extend(all.promoted);
        if is_kept {
            self.resolved.insert(material, Arc::new(own));
        }
        Ok(outcome)
    }
}

/// What working on the slices of a material takes.
struct Job<'a, S> {
    source: &'a Source,
    own: &'a Resolved<S>,
    captures: &'a Captures<S>,
    promoted: &'a Promoted<S>,
    /// Where values wait for other slices and materials, if not in memory.
    kept: Option<&'a Arc<Away>>,
    /// Whether other slices and materials ask for values, by side to move.
    keeps: [bool; 2],
    /// Memory of earlier slices.
    spares: Weak<Spares>,
    /// Whether a slice is too large to be in memory.
    is_by_parts: bool,
    wanted: &'a [Wanted],
    part: &'a Part,
    directory: &'a Path,
    shared: &'a Shared,
    is_asked: bool,
    is_compared: bool,
    /// How many positions are named of each kind, where values are counted.
    listed: Option<usize>,
    visitor: Option<&'a dyn Visitor>,
    /// Indices of a slice.
    work: u64,
    cancel: &'a AtomicBool,
    observer: &'a dyn Observer,
    width: Width,
}

/// What some slices gave.
#[derive(Default)]
struct SliceOutcome<S> {
    compared: [Compared; 2],
    named: Named,
    tally: SliceTally,
    promoted: Vec<resolved::Found<S>>,
}

impl<S> SliceOutcome<S> {
    fn and(mut self, other: SliceOutcome<S>) -> SliceOutcome<S> {
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

    /// What was found about a whole material.
    fn outcome(&mut self, source: &Source) -> Outcome {
        let mut found = Found::default();
        let mut positions = 0;
        for compared in &mut self.compared {
            positions += compared.positions;
            found.extend(std::mem::take(&mut compared.found));
        }
        self.named
            .compare_headers(source, &self.compared, &mut found);
        for metric in Metric::ALL {
            if let Some(kept) = source.statistics(metric) {
                let material = source.material();
                let counted = self.tally.statistics(material, metric);
                compare_statistics((*material).into(), metric, kept, &counted, &mut found);
            }
        }
        let metrics = Metric::ALL.iter();
        Outcome {
            tables: metrics.filter(|&&metric| source.has(metric)).count(),
            positions,
            found,
        }
    }
}

impl<S: Score> Job<'_, S> {
    /// Reads a slice, compares it if that is asked for, and keeps its values.
    fn run(&self, slice: usize) -> Result<SliceOutcome<S>, Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        let frame = self.own.layout.frame(slice);
        let targets = Targets {
            frame: &frame,
            own: self.own,
            captures: self.captures,
            promoted: self.promotions(slice),
            width: self.width,
        };
        let places = Places {
            own: match self.is_by_parts {
                true => Some(away(self.source, Some(self.directory), self.shared)?),
                false => None,
            },
            kept: self.kept.cloned(),
            spares: self.spares.clone(),
        };
        // A slice that is too large to be in memory takes minutes to read.
        let takes_long = self.is_asked && self.is_by_parts;
        let subject = Subject::Chess(*self.source.material());
        if takes_long {
            self.observer.reading(subject);
        }
        let comparison = self.is_compared.then_some(Comparison {
            source: self.source,
            frame: &frame,
            stored: self.source.stored(&frame),
            cancel: self.cancel,
            observer: self.observer,
            work: self.work,
        });
        let asked = (self.is_asked, comparison);
        let mut values = SliceValues::load(self.source, targets, self.part, asked, places)?;
        if takes_long {
            self.observer.comparing(subject);
        }
        let mut outcome = SliceOutcome::default();
        if let Some(listed) = self.listed.filter(|_| self.is_asked) {
            let space = &self.source.space;
            outcome.tally = recount::tally(space, self.source, &values, slice, listed);
        }
        if let Some(visitor) = self.visitor.filter(|_| self.is_asked) {
            visit::visit(self.source, &values, slice, visitor);
        }
        if self.is_asked && !self.is_compared {
            (self.observer).advanced(recount::work_of_slice(self.source, self.work));
        }
        if let Some(comparison) = &comparison {
            outcome.named.look_up(self.source, &values, slice);
            outcome.compared = (values.compare(comparison)).map_err(|_| Stop::Cancelled)?;
        }
        let SliceValues { sides, .. } = values;
        let mut lines = sides.map(|side| side.lines);
        for (lines, keeps) in lines.iter_mut().zip(self.keeps) {
            match (keeps, self.kept) {
                (false, _) => *lines = Lines::default(),
                (true, Some(kept)) => lines.put_away(kept),
                (true, None) => {}
            }
        }
        let _ = self.own.slices[slice].set(lines);
        for wanted in self.wanted {
            outcome
                .promoted
                .extend(wanted.find(self.own, slice, self.is_by_parts));
        }
        match self.shared.trouble() {
            None => Ok(outcome),
            Some(problem) => Err(LoadError::Scratch {
                path: self.source.path(Metric::Wdl),
                problem: problem.to_owned(),
            })?,
        }
    }

    /// What the promotions of a slice without a capture lead to.
    fn promotions(&self, slice: usize) -> Vec<(Color, &Lines<S>)> {
        let pawns = self.own.layout.pawns.placement(slice);
        let mut promotions = Vec::new();
        for color in Color::ALL {
            for from in layout::squares_of(pawns.of(color)) {
                if from.rank_for(color) != 6 {
                    continue;
                }
                let to = from.ahead(color).index() as u8;
                let lines = self
                    .promoted
                    .lines(self.own.layout.material, color, slice, to);
                promotions.extend(lines.iter().map(|lines| (color, lines)));
            }
        }
        promotions
    }
}

/// A place where values of a material wait: a file in a directory, or memory.
fn away(
    source: &Source,
    directory: Option<&Path>,
    shared: &Shared,
) -> Result<Arc<Away>, LoadError> {
    let away = Away::new(directory, shared);
    away.map(Arc::new).map_err(|error| LoadError::Scratch {
        path: source.path(Metric::Wdl),
        problem: format!("there is no place for what waits: {error}"),
    })
}
