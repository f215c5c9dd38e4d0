//! Checks tables without solving anything: every value must be the best of those its moves lead to.
//!
//! Nothing here is shared with what makes tables but signatures, indices, attack tables and the file formats, so that a
//! mistake there is found. Both games take the same way through a directory (`drive`) and report alike; what the moves of
//! chess lead to is in the modules below this one, and those of xiangqi in `xiangqi`.
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
mod drive;
mod files;
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
mod xiangqi;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::Error;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::game::Color;
use crate::metric::Metric;
use crate::probe::Format;
use crate::simd::Width;
use crate::statistics::SliceTally;
use crate::table::Table;
use crate::tables::table_path;
use crate::xiangqi::Rules;
use compare::{Compared, Comparison, Found};
use drive::{Outcome, Stop, Verifier, drive};
use files::{FORMATS, LoadError, asked_in, path_of, tables_of};
use headers::Named;
use moves::{Moves, PromotionLines};
use recount::Counting;
use resolved::{Captures, Promoted, Promotion, Resolved, Wanted};
use slice::SliceValues;
use source::{Source, sides};

pub use formats::{BothFormats, Compared as ComparedFormats};
pub use recount::{RecountError, recount};
pub use report::{Difference, LISTED, Observer, Report, Subject};

/// The positions that verifying some materials in a directory goes through, in the unit of [`Observer::advanced`].
#[must_use]
pub fn work<S: Copy + Into<Subject>>(directory: &Path, materials: &[S]) -> u64 {
    let chess = of_chess(materials);
    let of_format = |format| -> u64 {
        asked_in(directory, &chess, format)
            .iter()
            .map(|material| IndexSpace::new(*material).len() * sides(material) as u64)
            .sum()
    };
    let of_rules = |rules| -> u64 { of_xiangqi(materials, rules).iter().map(xiangqi::work).sum() };
    let chess: u64 = FORMATS.into_iter().map(of_format).sum();
    chess + Rules::ALL.into_iter().map(of_rules).sum::<u64>()
}

fn of_chess<S: Copy + Into<Subject>>(materials: &[S]) -> Vec<Material> {
    let subjects = materials.iter().map(|&material| material.into());
    let chess = subjects.filter_map(|subject| match subject {
        Subject::Chess(material) => Some(material),
        Subject::Xiangqi(..) => None,
    });
    chess.collect()
}

fn of_xiangqi<S: Copy + Into<Subject>>(
    materials: &[S],
    rules: Rules,
) -> Vec<crate::xiangqi::Material> {
    let subjects = materials.iter().map(|&material| material.into());
    let xiangqi = subjects.filter_map(|subject| match subject {
        Subject::Xiangqi(own, material) if own == rules => Some(material.normal_form()),
        _ => None,
    });
    xiangqi.collect()
}

/// Verifies the tables of some materials in a directory, of both games, all rules and formats: all checksums, then all
/// values, then what headers say of them.
///
/// The tables that their moves lead to are read as well, of chess those of the other format where there are no others, and are
/// trusted unless they are among `materials`.
///
/// # Errors
///
/// If the caller cancelled. What is wrong with a table is part of the report.
pub fn verify<S: Copy + Into<Subject>>(
    directory: &Path,
    materials: &[S],
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let chess = of_chess(materials);
    for format in FORMATS {
        let asked = asked_in(directory, &chess, format);
        let mut run = Run::new(directory, format, cancel, observer);
        drive(&mut run, &asked, cancel, observer, &mut report)?;
    }
    for rules in Rules::ALL {
        let asked = of_xiangqi(materials, rules);
        let mut run = xiangqi::Run::new(directory, rules, cancel, observer);
        drive(&mut run, &asked, cancel, observer, &mut report)?;
    }
    Ok(report)
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
    /// Materials whose values could be read, and whether mates are among them.
    usable: HashMap<Material, bool>,
    /// Values that captures of later materials lead to.
    resolved: HashMap<Material, Arc<Resolved>>,
    /// Values that promotions of later materials lead to.
    promoted: Promoted,
    /// What is counted of the materials asked for, instead of comparing them.
    counting: Option<Counting>,
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
    ) -> Run<'a> {
        Run {
            directory,
            format,
            cancel,
            observer,
            usable: HashMap::new(),
            resolved: HashMap::from([(Material::BARE_KINGS, Arc::new(Resolved::bare_kings()))]),
            promoted: Promoted::default(),
            counting: None,
        }
    }
}

impl Verifier for Run<'_> {
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
                    Table::open(&path).and_then(|table| table.verify_checksums(&go_on))
                }
                Format::Syzygy => crate::syzygy::Table::open(&path, material, metric)
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

impl Run<'_> {
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
                files::option(self.format)
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
    ) -> Result<Outcome, Stop> {
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
        let outcome = match &mut self.counting {
            Some(counting) if is_asked => {
                counting.tally = std::mem::take(&mut all.tally);
                Outcome::default()
            }
            None if is_asked => all.outcome(&source),
            _ => Outcome::default(),
        };
        self.usable.insert(material, source.has(Metric::Dtm));
        self.promoted.extend(all.promoted);
        if is_kept {
            self.resolved.insert(material, Arc::new(own));
        }
        Ok(outcome)
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
        let metrics = Metric::ALL.iter();
        Outcome {
            tables: metrics.filter(|&&metric| source.has(metric)).count(),
            positions,
            found,
        }
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
