//! Answers from xiangqi tables.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::game::xiangqi::{Move, Position};
use crate::metric::{Dtm, MateScore, Wdl};
use crate::table::{Description, Table};
use crate::xiangqi::{GAME_NUMBER, IndexSpace, Material, Metric, Placement, Rules, table_path};

/// Why a xiangqi position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XiangqiProbeError {
    /// There is no table for its material.
    #[error(
        "no {metric} table for {material} under {rules} in {}; make it with `retrograde generate --game xiangqi --rules {rules} {material}`",
        directory.display()
    )]
    Missing {
        /// The material.
        material: Material,
        /// What was wanted.
        metric: Metric,
        /// The rules.
        rules: Rules,
        /// The directory of all tables.
        directory: PathBuf,
    },
    /// A table is there and cannot be read.
    #[error(transparent)]
    Table(#[from] Error),
}

/// What the tables say about a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XiangqiValue {
    /// The result: win, draw or loss.
    pub wdl: Wdl,
    /// Plies to the next capture or mate that keeps the result, positive when the side to move wins; 0 for a draw and where there is
    /// no move. `None` where there is no such table. Of positions with a [`round`](XiangqiValue::round) it is a measure of
    /// progress: plies until the loser can only check for ever or leaves the round.
    pub dtc: Option<i32>,
    /// Plies to mate; `None` for a draw and where there is no such table.
    pub dtm: Option<Dtm>,
    /// How often the rule of perpetual check was applied before the position was decided; 0 where it was not needed.
    pub round: u8,
}

impl XiangqiValue {
    const DRAW: XiangqiValue = XiangqiValue {
        wdl: Wdl::Draw,
        dtc: Some(0),
        dtm: None,
        round: 0,
    };
}

/// A legal move and what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XiangqiMove {
    /// The move.
    pub played: Move,
    /// The value after it, for the opponent.
    pub value: XiangqiValue,
    /// Whether the opponent has no move and so has lost.
    pub ends: bool,
}

/// An opened table and the index it is made with.
#[derive(Debug)]
struct OpenTable {
    table: Table,
    space: Arc<IndexSpace>,
}

/// Tables that were asked for; nothing where there is none.
type OpenTables = HashMap<(Material, Metric), Option<Arc<OpenTable>>>;

/// The xiangqi tables of one directory under one set of rules.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use retrograde::game::xiangqi::Position;
/// use retrograde::generate::xiangqi::{XiangqiOptions, XiangqiPlan};
/// use retrograde::metric::{Dtm, Wdl};
/// use retrograde::probe::xiangqi::XiangqiTables;
/// use retrograde::table::Compression;
/// use retrograde::xiangqi::{Metric, Rules};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let options = XiangqiOptions {
///     directory: directory.to_owned(),
///     materials: vec!["KRvK".parse()?],
///     rules: Rules::CyclesDraw,
///     metrics: vec![Metric::Wdl, Metric::Dtc, Metric::Dtm],
///     compression: Compression::Default,
/// };
/// XiangqiPlan::new(options).run(&AtomicBool::new(false), &|_| {})?;
///
/// let tables = XiangqiTables::open(directory, Rules::CyclesDraw);
/// let position = Position::from_fen("3k5/9/9/9/9/9/9/9/9/R3K4 w")?;
/// let value = tables.probe(&position)?;
/// assert_eq!((value.wdl, value.dtm), (Wdl::Win, Some(Dtm(1))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct XiangqiTables {
    directory: PathBuf,
    rules: Rules,
    open: Mutex<OpenTables>,
}

/// Whether a header is that of a table.
#[must_use]
pub fn is_about(
    description: &Description,
    material: &Material,
    metric: Metric,
    rules: Rules,
) -> bool {
    description.game == GAME_NUMBER
        && description.metric == metric.number()
        && description.rules == rules.number()
        && description.material == material.to_string()
}

impl XiangqiTables {
    /// The tables in a directory, which are opened when they are asked for.
    #[must_use]
    pub fn open(directory: &Path, rules: Rules) -> XiangqiTables {
        XiangqiTables {
            directory: directory.to_owned(),
            rules,
            open: Mutex::default(),
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    fn table(&self, material: Material, metric: Metric) -> Result<Option<Arc<OpenTable>>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = open.get(&(material, metric)) {
            return Ok(table.clone());
        }
        let path = table_path(&self.directory, self.rules, &material, metric);
        let found = if path.exists() {
            let table = Table::open(&path)?;
            let space = IndexSpace::new(material);
            let fits = is_about(table.description(), &material, metric, self.rules)
                && space.as_ref().is_some_and(|space| {
                    let lengths = table.streams().iter().map(|stream| stream.len());
                    lengths.into_iter().all(|len| len == space.len())
                });
            match space {
                Some(space) if fits => Some(Arc::new(OpenTable {
                    table,
                    space: Arc::new(space),
                })),
                _ => return Err(Error::Foreign { path }),
            }
        } else {
            None
        };
        open.insert((material, metric), found.clone());
        Ok(found)
    }

    /// The number a table has for a position; `None` if there is no such table.
    fn number(&self, position: &Position, metric: Metric) -> Result<Option<u8>, Error> {
        let material = Material::of(position);
        let position = match material.is_normal() {
            true => *position,
            false => position.with_colors_exchanged(),
        };
        let Some(open) = self.table(material.normal_form(), metric)? else {
            return Ok(None);
        };
        let index = open.space.index(&Placement::of(&position));
        let stream = open.table.stream(position.turn().index() as u8);
        match (index, stream) {
            (Some((index, _)), Some(stream)) => Ok(Some(open.table.value(stream, index)?)),
            _ => Ok(None),
        }
    }

    /// What the tables say about a position.
    ///
    /// # Errors
    ///
    /// If the table of results is missing, or one that is there cannot be read.
    pub fn probe(&self, position: &Position) -> Result<XiangqiValue, XiangqiProbeError> {
        if position.is_insufficient_material() {
            return Ok(XiangqiValue::DRAW);
        }
        let number = self.number(position, Metric::Wdl)?;
        let number = number.ok_or_else(|| XiangqiProbeError::Missing {
            material: Material::of(position).normal_form(),
            metric: Metric::Wdl,
            rules: self.rules,
            directory: self.directory.clone(),
        })?;
        let wdl = Wdl::from_index(number.into()).unwrap_or(Wdl::Draw);
        if wdl == Wdl::Draw {
            return Ok(XiangqiValue::DRAW);
        }
        let sign = if wdl == Wdl::Win { 1 } else { -1 };
        let dtc = self.number(position, Metric::Dtc)?;
        let dtm = self.number(position, Metric::Dtm)?;
        Ok(XiangqiValue {
            wdl,
            dtc: dtc.map(|plies| sign * i32::from(plies)),
            dtm: dtm.and_then(|score| MateScore(score).dtm()),
            round: self.number(position, Metric::Rounds)?.unwrap_or(0),
        })
    }

    /// Every legal move with its value, the best first. The first wins a won position by being played again and again.
    ///
    /// # Errors
    ///
    /// As for [`probe`](XiangqiTables::probe).
    pub fn moves(&self, position: &Position) -> Result<Vec<XiangqiMove>, XiangqiProbeError> {
        let here = self.probe(position)?;
        let mut moves = Vec::new();
        for &played in position.legal_moves().as_slice() {
            let next = position.play(played);
            moves.push(XiangqiMove {
                played,
                value: self.probe(&next)?,
                ends: !next.has_legal_move(),
            });
        }
        moves.sort_by_cached_key(|m| (order(&here, m), m.played.to_iccs()));
        Ok(moves)
    }
}

/// Smaller is better for the side that moves.
fn order(here: &XiangqiValue, m: &XiangqiMove) -> (i32, bool, i32, i32) {
    let class = m.value.wdl.signum2();
    let distance = match (m.value.dtm, m.value.dtc) {
        (Some(dtm), _) => dtm.0.abs(),
        (None, _) if m.played.is_capture() => 0,
        (None, dtc) => dtc.map_or(0, i32::abs),
    };
    // Every material counts its own rounds.
    let round = match m.played.is_capture() {
        true => 0,
        false => i32::from(m.value.round),
    };
    match m.value.wdl {
        // The winner goes on to fewer rounds, and where the rule itself decides to positions without check.
        Wdl::Loss => {
            let must_be_quiet = here.round > 0 && here.dtc == Some(1);
            let is_wrong = must_be_quiet && m.played.gives_check();
            (class, is_wrong, if m.ends { -1 } else { round }, distance)
        }
        Wdl::Win => (class, false, -round, -distance),
        _ => (class, false, 0, 0),
    }
}
