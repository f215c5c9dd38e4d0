//! Xiangqi tables: every value against the values of its successors.
//!
//! Results and rounds follow from the moves everywhere, distances to mate as well. Distances to conversion follow exactly where the
//! rule of perpetual check was not needed. Elsewhere they measure progress, and what is checked is that there is some: the winner
//! has a move that comes nearer or, at distance 1, one without check, and every move of the loser comes nearer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::Error;
use crate::game::Color;
use crate::game::xiangqi::Position;
use crate::metric::{MateScore, Wdl};
use crate::probe::xiangqi::is_about;
use crate::table::Table;
use crate::xiangqi::{IndexSpace, Material, Metric, Placement, Rules, table_path};

/// The most differences that are listed.
pub const LISTED: usize = 10;

/// What a verification of xiangqi tables found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XiangqiReport {
    /// Tables whose values were compared.
    pub tables: usize,
    /// Legal positions compared.
    pub positions: u64,
    /// Differences found.
    pub differences: u64,
    /// The first of them, at most [`LISTED`] a material, each with its position.
    pub listed: Vec<String>,
    /// Tables that are missing or could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl XiangqiReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences == 0 && self.unreadable.is_empty()
    }
}

/// The tables of one material in memory.
struct Loaded {
    space: IndexSpace,
    streams: HashMap<Metric, [Vec<u8>; 2]>,
}

/// What the tables say of one position.
#[derive(Clone, Copy, Debug)]
struct Value {
    wdl: Wdl,
    dtc: Option<u8>,
    dtm: Option<MateScore>,
    round: u8,
}

impl Loaded {
    fn load(
        directory: &Path,
        rules: Rules,
        material: Material,
    ) -> Result<Loaded, (PathBuf, String)> {
        let path = |metric| table_path(directory, rules, &material, metric);
        let space = IndexSpace::new(material)
            .ok_or_else(|| (path(Metric::Wdl), "too many positions".to_owned()))?;
        let mut streams = HashMap::new();
        for metric in Metric::ALL {
            let path = path(metric);
            if metric != Metric::Wdl && !path.exists() {
                continue;
            }
            let read = || -> Result<[Vec<u8>; 2], Error> {
                let table = Table::open(&path)?;
                let foreign = || Error::Foreign {
                    path: path.clone(),
                    material: material.to_string(),
                    difference: "the header says something else".to_owned(),
                };
                if !is_about(table.description(), &material, metric, rules) {
                    return Err(foreign());
                }
                let mut both = [Vec::new(), Vec::new()];
                for (side, values) in (0..).zip(&mut both) {
                    let stream = table.stream(side).ok_or_else(foreign)?;
                    if stream.len() != space.len() {
                        return Err(foreign());
                    }
                    *values = table.read_stream(stream)?;
                }
                Ok(both)
            };
            let read = read().map_err(|error| (path.clone(), error.to_string()))?;
            streams.insert(metric, read);
        }
        Ok(Loaded { space, streams })
    }

    fn value(&self, index: u64, turn: Color) -> Value {
        let number = |metric| -> Option<u8> {
            let stream: &[Vec<u8>; 2] = self.streams.get(&metric)?;
            stream[turn.index()].get(index as usize).copied()
        };
        let wdl = number(Metric::Wdl).and_then(|number| Wdl::from_index(number.into()));
        Value {
            wdl: wdl.unwrap_or(Wdl::Draw),
            dtc: number(Metric::Dtc),
            dtm: number(Metric::Dtm).map(MateScore),
            round: number(Metric::Rounds).unwrap_or(0),
        }
    }
}

/// A move and what it leads to.
struct Child {
    value: Value,
    capture: bool,
    check: bool,
}

type Tables = HashMap<Material, Loaded>;

/// The value of a position after a move; `None` if its table is not there.
fn lookup(tables: &Tables, position: &Position) -> Option<Value> {
    if position.is_insufficient_material() {
        return Some(Value {
            wdl: Wdl::Draw,
            dtc: Some(0),
            dtm: Some(MateScore::DRAW),
            round: 0,
        });
    }
    let material = Material::of(position);
    let loaded = tables.get(&material.normal_form())?;
    let position = match material.is_normal() {
        true => *position,
        false => position.with_colors_exchanged(),
    };
    let (index, _) = loaded.space.index(&Placement::of(&position))?;
    Some(loaded.value(index, position.turn()))
}

/// What does not follow from the moves, in words.
fn difference(here: &Value, children: &[Child]) -> Option<String> {
    let best = children.iter().map(|child| -child.value.wdl).max();
    let wdl = best.unwrap_or(Wdl::Loss);
    if here.wdl != wdl {
        return Some(format!("stored {}, expected {wdl}", here.wdl));
    }
    let score = children
        .iter()
        .map(|child| child.value.dtm.map(MateScore::before_move))
        .try_fold(MateScore::MATED, |best, score| Some(best.max(score?)));
    if let (Some(stored), Some(expected)) = (here.dtm, score)
        && stored != expected
    {
        return Some(format!(
            "dtm stored {:?}, expected {:?}",
            stored.dtm(),
            expected.dtm()
        ));
    }
    if wdl == Wdl::Draw {
        return None;
    }
    let keeping = || children.iter().filter(|child| -child.value.wdl == wdl);
    let rounds = keeping().map(|child| if child.capture { 0 } else { child.value.round });
    let round = match wdl {
        Wdl::Win => rounds.min(),
        _ => rounds.max(),
    };
    let round = round.unwrap_or(0);
    if here.round != round {
        return Some(format!("round stored {}, expected {round}", here.round));
    }
    let dtc = here.dtc?;
    let of_round = || keeping().filter(|child| child.capture || child.value.round == round);
    let distances = of_round().map(|child| match child.capture {
        true => 1,
        false => 1 + u32::from(child.value.dtc.unwrap_or(0)),
    });
    let is_progress = match (wdl, round) {
        (Wdl::Win, 0) => distances.min() == Some(dtc.into()),
        (_, 0) => distances.max().unwrap_or(0) == u32::from(dtc),
        (Wdl::Win, _) if dtc == 1 => of_round().any(|child| !child.check),
        (Wdl::Win, _) => distances.min() == Some(dtc.into()),
        _ => of_round().all(|child| child.capture || child.value.dtc < here.dtc),
    };
    (!is_progress)
        .then(|| format!("dtc {dtc} of a {wdl} in round {round} does not follow from the moves"))
}

/// Positions that are looked at together.
const BATCH: u64 = 4096;

/// Verifies the tables of some materials; those of what they can capture into must be there.
///
/// # Errors
///
/// [`Error::Cancelled`] if the caller cancelled. What is wrong with a table is in the report.
pub fn verify_xiangqi(
    directory: &Path,
    rules: Rules,
    materials: &[Material],
    cancel: &AtomicBool,
) -> Result<XiangqiReport, Error> {
    let mut report = XiangqiReport::default();
    let mut tables = Tables::new();
    for &material in materials {
        let needed: Vec<Material> = [material]
            .into_iter()
            .chain(material.dependencies())
            .collect();
        tables.retain(|material, _| needed.contains(material));
        for needed in needed {
            if tables.contains_key(&needed) {
                continue;
            }
            match Loaded::load(directory, rules, needed) {
                Ok(loaded) => {
                    tables.insert(needed, loaded);
                }
                Err(unreadable) if !report.unreadable.contains(&unreadable) => {
                    report.unreadable.push(unreadable);
                }
                Err(_) => {}
            }
        }
        let Some(loaded) = tables.get(&material) else {
            continue;
        };
        report.tables += loaded.streams.len();
        let batches = loaded.space.len().div_ceil(BATCH);
        let found: Vec<(u64, Vec<String>)> = (0..batches)
            .into_par_iter()
            .map(|batch| {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Error::Cancelled);
                }
                let end = loaded.space.len().min((batch + 1) * BATCH);
                Ok(verify_range(loaded, &tables, batch * BATCH..end))
            })
            .collect::<Result<_, _>>()?;
        let mut listed = 0;
        for (positions, differences) in found {
            report.positions += positions;
            report.differences += differences.len() as u64;
            for difference in differences {
                if listed < LISTED {
                    listed += 1;
                    report
                        .listed
                        .push(format!("{material} {rules}: {difference}"));
                }
            }
        }
    }
    Ok(report)
}

fn verify_range(
    loaded: &Loaded,
    tables: &Tables,
    indices: std::ops::Range<u64>,
) -> (u64, Vec<String>) {
    let mut positions = 0;
    let mut differences = Vec::new();
    for index in indices {
        let Some(placement) = loaded.space.placement(index) else {
            continue;
        };
        for turn in Color::ALL {
            let Some(position) = placement.position(turn) else {
                continue;
            };
            positions += 1;
            let children: Option<Vec<Child>> = (position.legal_moves().as_slice().iter())
                .map(|&m| {
                    Some(Child {
                        value: lookup(tables, &position.play(m))?,
                        capture: m.is_capture(),
                        check: m.gives_check(),
                    })
                })
                .collect();
            // What is not there is in the report already.
            let Some(children) = children else {
                continue;
            };
            if let Some(difference) = difference(&loaded.value(index, turn), &children) {
                differences.push(format!("{}: {difference}", position.to_fen()));
            }
        }
    }
    (positions, differences)
}
