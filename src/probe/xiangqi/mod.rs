//! Answers from xiangqi tables.

#[cfg(feature = "generate")]
mod leaves;
mod line;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::directories;
use super::{CacheStatistics, ProbeOptions, owned};
use crate::Error;
use crate::game::Game;
use crate::metric::{MateScore, Wdl};
use crate::reserve::{Refused, gathered, room};
use crate::table::{Description, Table};
use crate::tables::{BlockCache, NativeFile, Places, list};
use crate::xiangqi::rules::{Position, Square};
use crate::xiangqi::{
    Digits, IndexSpace, Material, Metric, Order, OrderError, Placement, Rules, Xiangqi,
    needs_rounds,
};

pub use crate::xiangqi::{XiangqiMove, XiangqiValue};
#[cfg(feature = "generate")]
pub use leaves::XiangqiLeaves;
pub use line::{XiangqiLine, XiangqiLineEnd, XiangqiLineMove};

/// Why a xiangqi position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XiangqiProbeError {
    /// There is no table for its material.
    #[error(
        "no {metric} table for {material} under {rules} in {}; make it with \
         `retrograde generate --game xiangqi --rules {rules} {material}`",
        directories(searched)
    )]
    Missing {
        /// The material.
        material: Material,
        /// What was wanted.
        metric: Metric,
        /// The rules.
        rules: Rules,
        /// The directories where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// A table is there and cannot be read.
    #[error(transparent)]
    Table(#[from] Error),
    /// The system has not the memory for the list of tables or for that of an answer.
    #[error("not enough memory for {bytes} bytes; free some and try again")]
    LittleMemory {
        /// How many bytes were asked for at once.
        bytes: u64,
    },
    /// The system has not the memory that [`ProbeOptions::cache_bytes`] asks for.
    #[error("not enough memory for {bytes} bytes of `cache_bytes`; choose less")]
    OutOfMemory {
        /// How many bytes were asked for at once.
        bytes: u64,
    },
}

impl From<Refused> for XiangqiProbeError {
    fn from(Refused { bytes }: Refused) -> XiangqiProbeError {
        XiangqiProbeError::LittleMemory { bytes }
    }
}

impl XiangqiProbeError {
    /// Whether nothing is wrong but that there is no such table.
    #[must_use]
    pub fn is_missing_table(&self) -> bool {
        matches!(self, XiangqiProbeError::Missing { .. })
    }
}

/// An opened table and its number for the cache.
#[derive(Debug)]
struct OpenTable {
    table: Table,
    number: u32,
    /// By side to move, where the indices stand.
    orders: [Order; 2],
}

/// The tables of one material, each opened when it is asked for.
#[derive(Debug)]
struct Entry {
    material: Material,
    /// Which of the materials it is, for the cache.
    number: u32,
    files: [Option<NativeFile<Xiangqi>>; Metric::ALL.len()],
    /// Nothing if it has too many positions for a table.
    space: OnceLock<Option<IndexSpace>>,
    tables: [OnceLock<OpenTable>; Metric::ALL.len()],
}

impl Entry {
    fn new(material: Material, number: u32) -> Entry {
        Entry {
            material,
            number,
            files: Default::default(),
            space: OnceLock::new(),
            tables: Default::default(),
        }
    }

    #[inline]
    fn space(&self) -> Result<Option<&IndexSpace>, Refused> {
        let space = match self.space.get() {
            Some(space) => space,
            None => self.first_space()?,
        };
        Ok(space.as_ref())
    }

    #[cold]
    fn first_space(&self) -> Result<&Option<IndexSpace>, Refused> {
        let space = IndexSpace::try_new(self.material)?;
        // Two threads may get here; either's is as good.
        Ok(self.space.get_or_init(|| space))
    }
}

/// Where the numbers of a position are.
struct Located<'a> {
    entry: &'a Entry,
    space: &'a IndexSpace,
    side: u8,
    digits: Digits,
}

/// The xiangqi tables of one or more directories under one set of rules.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use retrograde::xiangqi::rules::Position;
/// use retrograde::generate::{GenerateOptions, Plan};
/// use retrograde::metric::{Dtm, Wdl};
/// use retrograde::probe::xiangqi::XiangqiTables;
/// use retrograde::xiangqi::Rules;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let options = GenerateOptions::xiangqi(directory, vec!["KRvK".parse()?], Rules::CyclesDraw);
/// Plan::new(&options)?.run(&AtomicBool::new(false), &())?;
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
    directories: Vec<PathBuf>,
    rules: Rules,
    map_files: bool,
    entries: Vec<Entry>,
    places: Places,
    /// What was wrong with a directory when it was listed.
    problem: Option<(PathBuf, io::Error)>,
    cache: BlockCache,
}

/// Whether a header is that of a table.
#[must_use]
pub fn is_about(
    description: &Description,
    material: &Material,
    metric: Metric,
    rules: Rules,
) -> bool {
    description.game == Game::Xiangqi.number()
        && description.metric == metric.number()
        && description.rules == rules.number()
        && description.material == material.to_string()
}

impl XiangqiTables {
    /// The tables in a directory, each opened when it is asked for. What comes into the directory
    /// later is not seen. A directory that cannot be listed is an error of the probes. Decoded
    /// blocks are kept as by default, or none if there is no memory for them. Without memory for
    /// the list of tables the process ends; [`open_with`](Self::open_with) has an error for that.
    #[must_use]
    pub fn open(directory: &Path, rules: Rules) -> XiangqiTables {
        let ProbeOptions {
            cache_bytes,
            map_files,
            ..
        } = ProbeOptions::default();
        BlockCache::new(cache_bytes)
            .or_else(|_| BlockCache::new(0))
            .and_then(|cache| XiangqiTables::new(&[directory.to_owned()], rules, map_files, cache))
            .unwrap_or_else(|refused| refused.abort())
    }

    /// The tables in several directories, opened in some way. Where two have the same table, that
    /// of the first counts. What is said of results of whole probes and of formats does not matter
    /// here.
    ///
    /// # Errors
    ///
    /// [`XiangqiProbeError::OutOfMemory`] if there is less memory than the options want to keep
    /// blocks in, [`XiangqiProbeError::LittleMemory`] if there is none for the list of tables.
    pub fn open_with(
        directories: &[impl AsRef<Path>],
        rules: Rules,
        options: &ProbeOptions,
    ) -> Result<XiangqiTables, XiangqiProbeError> {
        let refused = |Refused { bytes }| XiangqiProbeError::OutOfMemory { bytes };
        let cache = BlockCache::new(options.cache_bytes).map_err(refused)?;
        let directories = owned(directories);
        XiangqiTables::new(&directories, rules, options.map_files, cache).map_err(Into::into)
    }

    fn new(
        directories: &[PathBuf],
        rules: Rules,
        map_files: bool,
        cache: BlockCache,
    ) -> Result<XiangqiTables, Refused> {
        let (mut entries, mut problem): (Vec<Entry>, _) = (Vec::new(), None);
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        for directory in directories {
            let files = list::<Xiangqi>(directory, rules).unwrap_or_else(|error| {
                problem = Some((directory.clone(), error));
                Vec::new()
            });
            let more = files.len();
            numbers.try_reserve(more).map_err(|_| Refused {
                bytes: (more * size_of::<(u64, usize)>()) as u64,
            })?;
            for file in files {
                let number = *numbers.entry(file.material.key()).or_insert(entries.len());
                if number == entries.len() {
                    room(&mut entries, 1)?;
                    entries.push(Entry::new(file.material, number as u32));
                }
                let metric = usize::from(file.metric.number());
                // What an earlier directory has stays.
                entries[number].files[metric].get_or_insert(file);
            }
        }
        let keys = gathered(entries.iter().map(|Entry { material, .. }| {
            let exchanged = material.with_colors_exchanged();
            let exchanged = (!material.is_symmetric()).then(|| exchanged.key());
            (material.key(), exchanged)
        }))?;
        Ok(XiangqiTables {
            directories: directories.to_vec(),
            rules,
            map_files,
            places: Places::new(&keys)?,
            entries,
            problem,
            cache,
        })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// What the block cache did so far.
    #[must_use]
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Forgets all decoded blocks, so that the next probes are cold.
    pub fn clear_cache(&self) {
        self.cache.clear();
    }

    /// Opens a table of a material; its number for the cache is that of the material and the
    /// metric.
    #[cold]
    fn open_table(
        &self,
        located: &Located<'_>,
        file: &NativeFile<Xiangqi>,
    ) -> Result<OpenTable, Error> {
        let space = located.space;
        let table = file.open_of(self.map_files, || Some(space.len()))?;
        let order = |side| {
            let stream = table.stream(side).ok_or(OrderError)?;
            Order::new(space, &stream.order())
        };
        let orders = || Ok::<_, OrderError>([order(0)?, order(1)?]);
        let orders = orders().map_err(|error| file.foreign(error.to_string()))?;
        let metrics = Metric::ALL.len() as u32;
        Ok(OpenTable {
            table,
            orders,
            number: located.entry.number * metrics + u32::from(file.metric.number()),
        })
    }

    /// Where a position stands in the tables of its material.
    #[inline]
    fn locate(&self, position: &Position) -> Result<Option<Located<'_>>, Refused> {
        let (placement, material) = Placement::with_material(position);
        let Some((entry, colors_exchanged)) = self.places.find(material.key()) else {
            return Ok(None);
        };
        let entry = &self.entries[entry];
        let (placement, turn) = match colors_exchanged {
            true => (placement.with_colors_exchanged(), !position.turn()),
            false => (placement, position.turn()),
        };
        let located = entry.space()?.and_then(|space| {
            let (digits, _) = space.counted_digits(&placement)?;
            Some(Located {
                entry,
                space,
                side: turn.index() as u8,
                digits,
            })
        });
        Ok(located)
    }

    /// The number a table has for a position; `None` if there is no such table.
    #[inline]
    fn number(&self, located: &Located<'_>, metric: Metric) -> Result<Option<u8>, Error> {
        let metric = usize::from(metric.number());
        let Some(file) = &located.entry.files[metric] else {
            return Ok(None);
        };
        let place = &located.entry.tables[metric];
        let opened = match place.get() {
            Some(opened) => opened,
            None => {
                let opened = self.open_table(located, file)?;
                place.get_or_init(|| opened)
            }
        };
        let Some(stream) = opened.table.stream(located.side) else {
            return Ok(None);
        };
        let place = opened.orders[usize::from(located.side)].place_of(&located.digits);
        self.cache
            .number(&opened.table, opened.number, stream, place)
    }

    #[cold]
    fn missing(&self, position: &Position, metric: Metric) -> XiangqiProbeError {
        if let Some((directory, problem)) = &self.problem {
            return XiangqiProbeError::Table(Error::Directory {
                directory: directory.clone(),
                source: io::Error::new(problem.kind(), problem.to_string()),
            });
        }
        XiangqiProbeError::Missing {
            material: Material::of(position).normal_form(),
            metric,
            rules: self.rules,
            searched: self.directories.clone(),
        }
    }

    /// That the table of a metric has a number which means nothing there. Checksums do not find it:
    /// whoever wrote it wrote them.
    #[cold]
    fn contradiction(
        &self,
        position: &Position,
        located: &Located<'_>,
        metric: Metric,
    ) -> XiangqiProbeError {
        match &located.entry.files[usize::from(metric.number())] {
            Some(file) => {
                let difference = format!("it has a {metric} that no position can have");
                XiangqiProbeError::Table(file.foreign(difference))
            }
            None => self.missing(position, metric),
        }
    }

    /// The result and, if it is no draw, where the rest is.
    fn result(&self, position: &Position) -> Result<(Wdl, Option<Located<'_>>), XiangqiProbeError> {
        let Some(located) = self.locate(position)? else {
            // There are no tables of materials in which nobody can attack.
            return match position.is_insufficient_material() {
                true => Ok((Wdl::Draw, None)),
                false => Err(self.missing(position, Metric::Wdl)),
            };
        };
        let number = self.number(&located, Metric::Wdl)?;
        let number = number.ok_or_else(|| self.missing(position, Metric::Wdl))?;
        // There is no fifty-move rule, so nothing is won or lost but for it.
        match Wdl::from_index(number.into()) {
            Some(wdl @ (Wdl::Win | Wdl::Loss)) => Ok((wdl, Some(located))),
            Some(Wdl::Draw) => Ok((Wdl::Draw, None)),
            _ => Err(self.contradiction(position, &located, Metric::Wdl)),
        }
    }

    /// Who wins: what an engine asks inside its search. Looks at one table.
    ///
    /// # Errors
    ///
    /// If the table of results is missing or cannot be read.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, XiangqiProbeError> {
        Ok(self.result(position)?.0)
    }

    /// What the tables say about a position.
    ///
    /// # Errors
    ///
    /// If the table of results is missing, or that of rounds where perpetual check decides
    /// something, or if one that is there cannot be read.
    pub fn probe(&self, position: &Position) -> Result<XiangqiValue, XiangqiProbeError> {
        let (wdl, Some(located)) = self.result(position)? else {
            return Ok(XiangqiValue::DRAW);
        };
        let sign = if wdl == Wdl::Win { 1 } else { -1 };
        let dtc = self.number(&located, Metric::Dtc)?;
        let dtm = self.number(&located, Metric::Dtm)?;
        let dtm = dtm.and_then(|score| MateScore(score).dtm());
        // Only who mates is a positive number of plies away from it.
        if dtm.is_some_and(|dtm| (dtm.0 > 0) != (wdl == Wdl::Win)) {
            return Err(self.contradiction(position, &located, Metric::Dtm));
        }
        Ok(XiangqiValue {
            wdl,
            dtc: dtc.map(|plies| sign * i32::from(plies)),
            dtm,
            round: self.round(position, &located)?,
        })
    }

    /// The round in which a position was decided: 0 in a material in which perpetual check decides
    /// nothing.
    fn round(&self, position: &Position, located: &Located<'_>) -> Result<u8, XiangqiProbeError> {
        if let Some(round) = self.number(located, Metric::Rounds)? {
            return Ok(round);
        }
        // The file may be lost, and then nothing but the results says that there was one.
        let results = &located.entry.tables[usize::from(Metric::Wdl.number())];
        let is_lost = |opened: &OpenTable| needs_rounds(opened.table.description().flags);
        match results.get().is_some_and(is_lost) {
            true => Err(self.missing(position, Metric::Rounds)),
            false => Ok(0),
        }
    }

    /// Every legal move with its value, the best first. The first wins a won position by being
    /// played again and again.
    ///
    /// # Errors
    ///
    /// As for [`probe`](XiangqiTables::probe).
    pub fn moves(&self, position: &Position) -> Result<Vec<XiangqiMove>, XiangqiProbeError> {
        self.moves_by(position, Metric::Dtm)
    }

    /// Every legal move with its value, the best first as [`moves`](Self::moves) has them; with
    /// [`Metric::Dtc`] by plies to the next capture, also where plies to mate are known.
    ///
    /// # Errors
    ///
    /// As for [`probe`](XiangqiTables::probe).
    pub fn moves_by(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<XiangqiMove>, XiangqiProbeError> {
        let here = self.probe(position)?;
        let mut moves = Vec::new();
        for &played in position.legal_moves().as_slice() {
            let next = position.play(played);
            room(&mut moves, 1)?;
            moves.push(XiangqiMove {
                played,
                value: self.probe(&next)?,
                ends: !next.has_legal_move(),
            });
        }
        // A mate comes before a position without moves.
        let is_quiet_end = |m: &XiangqiMove| m.ends && !m.played.gives_check();
        let by_mate = metric == Metric::Dtm;
        // No two moves are equal, and a sort that keeps the order of equals takes memory.
        moves.sort_unstable_by_key(|m| {
            let order = order(&here, m, by_mate);
            let squares = [m.played.from(), m.played.to()].map(Square::index);
            (order, is_quiet_end(m), squares)
        });
        Ok(moves)
    }
}

/// Smaller is better for the side that moves.
fn order(here: &XiangqiValue, m: &XiangqiMove, by_mate: bool) -> (i32, bool, i32, i32) {
    let class = m.value.wdl.signum2();
    let distance = match (m.value.dtm, m.value.dtc) {
        (Some(dtm), _) if by_mate => dtm.0.abs(),
        (_, _) if m.played.is_capture() => 0,
        (_, dtc) => dtc.map_or(0, i32::abs),
    };
    // Every material counts its own rounds.
    let round = match m.played.is_capture() {
        true => 0,
        false => i32::from(m.value.round),
    };
    match m.value.wdl {
        // The winner goes on to fewer rounds, and where the rule itself decides to positions
        // without check.
        Wdl::Loss => {
            let must_be_quiet = here.round > 0 && here.dtc == Some(1);
            let is_wrong = must_be_quiet && m.played.gives_check();
            (class, is_wrong, if m.ends { -1 } else { round }, distance)
        }
        Wdl::Win => (class, false, -round, -distance),
        _ => (class, false, 0, 0),
    }
}
