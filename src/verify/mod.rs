//! Checks tables: every checksum, then every value against the values of its successors.
//!
//! Values are read through the prober, so what is checked is what a user is told. They are compared with what the
//! slow way gives: generate the legal moves, look up where each leads, and take the best by the rules of
//! [`metric`](crate::metric). Nothing here knows the solver, whose mistakes it is there to find.
//!
//! Together, the metrics leave nothing to belief: a claimed win must have a successor that is lost and one ply
//! nearer to its end, so by induction every win can be played out, every loss is forced, and what is neither is a
//! draw. Results alone (no DTZ table) could support each other in a circle.
//!
//! Many numbers in a file are free (see [`generate::encode`](crate::generate::encode)): where a position is
//! illegal, or a capture decides. A change there that no prober can notice is no difference.

mod report;
mod values;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

pub use report::{Difference, Report};

use crate::Error;
use crate::game::Color;
use crate::game::chess::{Move, Position, Role, Setup};
use crate::index::{IndexSpace, Order, Placement};
use crate::material::Material;
use crate::metric::{Dtz, MateScore, Metric, Wdl};
use crate::probe::{ProbeError, TableFile, Tablebase};
use crate::symmetry::{mirror, transpose};
use crate::table::Counts;

use values::{Expected, Successor, Value, shown};

/// Indices checked between two looks at the wish to stop: some milliseconds.
const CHUNK: usize = 1 << 14;

/// Checks all tables of a material and returns what is wrong with them.
///
/// The tables of the materials that captures and promotions lead to must be there; they are read, not checked.
/// `progress` is told from many threads how many more of [`work`] are done.
///
/// # Errors
///
/// If a table is missing, damaged tables of other materials are in the way, or `cancel` was set
/// ([`Error::Cancelled`] inside [`ProbeError::Table`]). What is wrong with the material's own tables is no error,
/// but in the report.
pub fn verify(
    tables: &Tablebase,
    material: &Material,
    cancel: &AtomicBool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report, ProbeError> {
    let material = material.normal_form();
    let mut report = Report::new(material);
    let files: Vec<&TableFile> = Metric::ALL
        .into_iter()
        .filter_map(|metric| tables.table(&material, metric))
        .collect();
    for file in &files {
        let checked = file
            .table()
            .and_then(|table| Ok(table.verify_checksums(&|_, _| !cancel.load(Ordering::Relaxed))?));
        match checked {
            Ok(()) => report.files += 1,
            Err(error) if is_cancelled(&error) => return Err(error),
            Err(error) => report.add(Difference::Damage(error.to_string())),
        }
    }
    if !report.is_clean() {
        // Values out of damaged blocks would be errors, one for each position.
        return Ok(report);
    }
    let space = IndexSpace::new(material);
    let check = Check {
        tables,
        material,
        order: space.natural_order(),
        space,
        has_dtz: tables.table(&material, Metric::Dtz).is_some(),
        has_dtm: tables.table(&material, Metric::Dtm).is_some(),
        cancel,
        progress,
    };
    let values = check.read(&mut report)?;
    let sums = check.compare(&values, &mut report)?;
    for file in files {
        check.header(file, &values, &sums, &mut report)?;
    }
    Ok(report)
}

/// How much [`verify`] has to do for a material: the indices of both sides to move, read once and checked once.
#[must_use]
pub fn work(material: &Material) -> u64 {
    4 * IndexSpace::new(material.normal_form()).len()
}

fn is_cancelled(error: &ProbeError) -> bool {
    matches!(error, ProbeError::Table(error) if matches!(**error, Error::Cancelled))
}

/// One material being checked.
struct Check<'a> {
    tables: &'a Tablebase,
    material: Material,
    space: IndexSpace,
    order: Order,
    has_dtz: bool,
    has_dtm: bool,
    cancel: &'a AtomicBool,
    progress: &'a (dyn Fn(u64) + Sync),
}

/// The values of each side to move, by index in the natural order. With the same men on both sides, those of Black
/// are not kept: exchanging the colours gives them.
type Values = [Vec<Value>; 2];

/// What one side's values add up to over the full board.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// By [`Wdl::index`].
    counts: [u64; 5],
    longest_dtz: u32,
    longest_dtm: u32,
}

impl Sums {
    fn add(&mut self, value: Value, weight: u64) {
        let Some(wdl) = value.wdl() else { return };
        self.counts[wdl.index()] += weight;
        if wdl.is_any_win() {
            let mate = value.mate().dtm().map_or(0, |dtm| dtm.0.unsigned_abs());
            self.longest_dtz = self.longest_dtz.max(value.dtz().0.unsigned_abs());
            self.longest_dtm = self.longest_dtm.max(mate);
        }
    }

    fn merge(mut self, other: Sums) -> Sums {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.longest_dtz = self.longest_dtz.max(other.longest_dtz);
        self.longest_dtm = self.longest_dtm.max(other.longest_dtm);
        self
    }
}

impl Check<'_> {
    /// The sides whose values are kept.
    fn sides(&self) -> &'static [Color] {
        if self.material.is_symmetric() {
            &[Color::White]
        } else {
            &Color::ALL
        }
    }

    /// The position with an index, if there is one.
    fn position(&self, index: u64, turn: Color) -> Option<Position> {
        let placement = self.space.placement(&self.order.digits(index))?;
        let setup = Setup {
            pieces: placement.men,
            turn,
            ..Setup::empty()
        };
        Position::from_setup(&setup).ok()
    }

    /// All values, as the prober gives them.
    fn read(&self, report: &mut Report) -> Result<Values, ProbeError> {
        let mut values: Values = Default::default();
        for &side in self.sides() {
            let mut of_side = vec![Value::ILLEGAL; self.space.len() as usize];
            let found = of_side
                .par_chunks_mut(CHUNK)
                .enumerate()
                .map(|(number, chunk)| {
                    let mut part = Report::new(self.material);
                    for (value, index) in chunk.iter_mut().zip((number * CHUNK) as u64..) {
                        if let Some(position) = self.position(index, side) {
                            *value = self.own(self.probe(&position), &position, &mut part)?;
                        }
                    }
                    self.done(chunk.len())?;
                    Ok(part)
                })
                .try_reduce(|| Report::new(self.material), merged)?;
            report.merge(found);
            values[side.index()] = of_side;
        }
        Ok(values)
    }

    /// What the prober says.
    fn probe(&self, position: &Position) -> Result<Value, ProbeError> {
        let wdl = self.tables.probe_wdl(position)?;
        let dtz = match self.has_dtz {
            true => self.tables.probe_dtz(position)?,
            false => Dtz(0),
        };
        let mate = match self.has_dtm {
            true => self
                .tables
                .probe_dtm(position)?
                .map_or(MateScore::DRAW, |dtm| {
                    // The prober's own numbers come from one byte.
                    MateScore::from_plies(dtm.0.unsigned_abs()).unwrap_or(MateScore::DRAW)
                }),
            false => MateScore::DRAW,
        };
        Ok(Value::new(wdl, dtz, mate))
    }

    /// A value; where the tables checked contradict each other, that is reported. The rest stays an error.
    fn own(
        &self,
        value: Result<Value, ProbeError>,
        position: &Position,
        report: &mut Report,
    ) -> Result<Value, ProbeError> {
        match value {
            Err(error @ ProbeError::Contradiction { .. }) => {
                report.add(Difference::Contradiction {
                    fen: position.to_fen(),
                    problem: error.to_string(),
                });
                Ok(Value::CONTRADICTORY)
            }
            other => other,
        }
    }

    /// Compares every value with its successors'; what the values of each side to move add up to.
    fn compare(&self, values: &Values, report: &mut Report) -> Result<[Sums; 2], ProbeError> {
        let mut sums = [Sums::default(); 2];
        for &side in self.sides() {
            let chunks = values[side.index()].len().div_ceil(CHUNK);
            let (of_side, found) = (0..chunks)
                .into_par_iter()
                .map(|number| {
                    let start = number * CHUNK;
                    let end = values[side.index()].len().min(start + CHUNK);
                    self.compare_range(values, side, start..end)
                })
                .try_reduce(
                    || (Sums::default(), Report::new(self.material)),
                    |a, b| Ok((a.0.merge(b.0), merged(a.1, b.1)?)),
                )?;
            sums[side.index()] = of_side;
            report.merge(found);
        }
        if self.material.is_symmetric() {
            sums[1] = sums[0];
        }
        Ok(sums)
    }

    fn compare_range(
        &self,
        values: &Values,
        side: Color,
        range: Range<usize>,
    ) -> Result<(Sums, Report), ProbeError> {
        let mut report = Report::new(self.material);
        let mut sums = Sums::default();
        for index in range.clone() {
            let stored = values[side.index()][index];
            if stored.is_illegal() {
                continue;
            }
            let Some(position) = self.position(index as u64, side) else {
                continue;
            };
            report.positions += 1;
            sums.add(stored, weight(&self.material, &placement_of(&position)));
            let expected = self.expected(&position, values, &mut report)?;
            if let (Some(wdl), Some(expected)) = (stored.wdl(), expected) {
                self.compare_value(&position, (stored, wdl), &expected, &mut report);
            }
        }
        self.done(range.len())?;
        Ok((sums, report))
    }

    /// What follows from the successors; nothing if one of them is contradictory.
    fn expected(
        &self,
        position: &Position,
        values: &Values,
        report: &mut Report,
    ) -> Result<Option<Expected>, ProbeError> {
        let mut expected = Expected::NO_MOVES;
        for m in &position.legal_moves() {
            let next = position.play(m);
            let value = self.value_after(&next, m, values, report)?;
            let Some(wdl) = value.wdl() else {
                return Ok(None);
            };
            // A distance of one ply is also that of a loser who has to zero.
            let may_be_mate = wdl == Wdl::Loss && (!self.has_dtz || value.dtz() == Dtz(-1));
            expected.add(Successor {
                wdl,
                dtz: value.dtz(),
                mate: value.mate(),
                by_zeroing: m.is_zeroing(),
                is_checkmate: may_be_mate && next.is_checkmate(),
            });
        }
        Ok(Some(expected))
    }

    /// The values kept know neither other materials nor en passant.
    fn value_after(
        &self,
        next: &Position,
        m: Move,
        values: &Values,
        report: &mut Report,
    ) -> Result<Value, ProbeError> {
        if m.changes_material() || next.en_passant_square().is_some() {
            return self.own(self.probe(next), next, report);
        }
        let placement = placement_of(next);
        let (placement, side) = match (next.turn(), self.material.is_symmetric()) {
            (Color::Black, true) => (placement.with_colors_exchanged(), Color::White),
            (turn, _) => (placement, turn),
        };
        let index = self.order.index(&self.space.digits(&placement));
        Ok(values[side.index()][index as usize])
    }

    fn compare_value(
        &self,
        position: &Position,
        (stored, wdl): (Value, Wdl),
        expected: &Expected,
        report: &mut Report,
    ) {
        let is_check = position.is_check();
        let value = expected.value(is_check);
        let mut compare = |metric, is_equal: bool| {
            if !is_equal {
                report.add(Difference::Value {
                    metric,
                    fen: position.to_fen(),
                    stored: shown(metric, stored),
                    expected: shown(metric, value),
                });
            }
        };
        if self.has_dtz {
            compare(Metric::Wdl, value.wdl() == Some(wdl));
            compare(Metric::Dtz, value.dtz() == stored.dtz());
        } else {
            compare(Metric::Wdl, expected.allows(wdl, is_check));
        }
        if self.has_dtm {
            compare(Metric::Dtm, value.mate() == stored.mate());
        }
    }

    /// Compares what the header says with what the values add up to.
    fn header(
        &self,
        file: &TableFile,
        values: &Values,
        sums: &[Sums; 2],
        report: &mut Report,
    ) -> Result<(), ProbeError> {
        let metric = file.metric();
        let description = file.description()?;
        for side in Color::ALL {
            let sums = &sums[side.index()];
            let stored = in_order(description.counts[side.index()]);
            let mut expected = sums.counts;
            expected.reverse();
            // Without distances to zeroing, the values were not compared with the fifty-move rule in mind, but they
            // still are what a user is told.
            if stored != expected {
                report.add(Difference::Counts {
                    metric,
                    side,
                    stored,
                    expected,
                });
            }
            let expected = match metric {
                Metric::Wdl => 0,
                Metric::Dtz => sums.longest_dtz,
                Metric::Dtm => sums.longest_dtm,
            };
            let longest = description.longest[side.index()];
            let stored = longest.map_or(0, |longest| longest.plies);
            let is_there = longest.is_none_or(|longest| {
                self.value_at(longest.index, side, values)
                    .is_some_and(|value| {
                        let plies = shown(metric, value).unwrap_or(0);
                        plies > 0 && plies.unsigned_abs() == longest.plies
                    })
            });
            if stored != expected || !is_there {
                report.add(Difference::Longest {
                    metric,
                    side,
                    stored,
                    expected,
                });
            }
        }
        Ok(())
    }

    /// The value of the position with an index in the natural order.
    fn value_at(&self, index: u64, side: Color, values: &Values) -> Option<Value> {
        if side == Color::White || !self.material.is_symmetric() {
            let index = usize::try_from(index).ok()?;
            return values[side.index()].get(index).copied();
        }
        if index >= self.space.len() {
            return None;
        }
        let placement = self.space.placement(&self.order.digits(index))?;
        let twin = self.space.digits(&placement.with_colors_exchanged());
        values[0].get(self.order.index(&twin) as usize).copied()
    }

    /// Tells that so many indices are done, and hears whether to go on.
    fn done(&self, indices: usize) -> Result<(), ProbeError> {
        // With the same men on both sides there is half the work, and the total is for both.
        let sides = 3 - self.sides().len() as u64;
        (self.progress)(indices as u64 * sides);
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled.into());
        }
        Ok(())
    }
}

fn merged(mut a: Report, b: Report) -> Result<Report, ProbeError> {
    a.merge(b);
    Ok(a)
}

fn placement_of(position: &Position) -> Placement {
    Placement {
        men: Color::ALL.map(|color| Role::ALL.map(|role| position.pieces(color, role))),
    }
}

/// How many placements on the full board a stored one stands for.
///
/// Without pawns all eight symmetries count, but a placement on the long diagonal is its own mirror image; no king
/// stands on a line in the middle. With pawns left and right count, unless both mirror images are stored because
/// the pawns alone are their own.
fn weight(material: &Material, placement: &Placement) -> u64 {
    if material.has_pawns() {
        let is_symmetric = Color::ALL.into_iter().all(|color| {
            let pawns = placement.of(color, Role::Pawn);
            mirror(pawns) == pawns
        });
        if is_symmetric { 1 } else { 2 }
    } else {
        let sets = placement.men.as_flattened();
        if sets.iter().all(|&set| transpose(set) == set) {
            4
        } else {
            8
        }
    }
}

/// From wins to losses.
fn in_order(counts: Counts) -> [u64; 5] {
    [
        counts.win,
        counts.cursed_win,
        counts.draw,
        counts.blessed_loss,
        counts.loss,
    ]
}
