//! Answers questions about positions from the tables in a directory.
//!
//! A [`Tablebase`] is a value: it lists its directories once, opens each file when it is first
//! needed, keeps decoded blocks, and can be asked from many threads at once. Two can be open at the
//! same time.
//!
//! # What is asked of the tables
//!
//! A table has numbers for positions without en-passant rights, and it leaves out what a prober
//! finds by itself: where a capture or promotion decides, any number may stand. So a probe first
//! looks at the captures and promotions, each a probe of a smaller material, and then at one number
//! of its own table; `search` has the rules. Castling rights are not covered at all.
//!
//! # In a search
//!
//! Inside the search ask [`Tablebase::probe_wdl`], which says what comes out if the clock of the
//! fifty-move rule stands at zero. So ask
//!
//! - where the clock does stand at zero, right after a capture or pawn move. With a clock that has
//!   advanced a win may be too far away, and the answer is [an error](ProbeError::Clock). Nothing
//!   is missed: every way to so few men goes through a capture;
//! - where there are at most [`Tablebase::max_men`] men and nobody may castle;
//! - behind the look into the transposition table, and not in the quiescence search, which has too
//!   many nodes for it;
//! - with tables that are [ready](Tablebase::prefetch_results), if they are in Syzygy's format;
//! - and do not mind a [missing table](ProbeError::is_missing_table): it is as if there were none
//!   at all.
//!
//! A cursed win and a blessed loss are draws, if a little better and a little worse ones.
//!
//! At the root ask [`Tablebase::rank_root_moves`], which knows the clock and repetitions, and
//! search the moves of the best rank only. A result alone is not enough there: every move of a won
//! game might keep the win and none make progress. If it answered by distances to zeroing, do not
//! ask inside the search as well: where all positions are won, nothing tells them apart.
//!
//! `examples/engine` is an engine that does all this. A program with boards of its own makes
//! positions from sets of squares:
//!
//! ```
//! use retrograde::chess::{Position, Role, Setup};
//! use retrograde::game::Color;
//!
//! let mut setup = Setup::empty();
//! setup.pieces[Color::White.index()][Role::King.index()] = 1 << 0;
//! setup.pieces[Color::White.index()][Role::Rook.index()] = 1 << 9;
//! setup.pieces[Color::Black.index()][Role::King.index()] = 1 << 18;
//! let position = Position::from_setup(&setup)?;
//! assert_eq!(position.to_fen(), "8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
//! # Ok::<(), retrograde::chess::rules::SetupError>(())
//! ```
//!
//! # What it costs
//!
//! | | |
//! |---|---|
//! | opening a [`Tablebase`] | listing the directories; a table is opened when it is first needed |
//! | [`probe_wdl`](Tablebase::probe_wdl) of a position that was asked for lately | tens of nanoseconds |
//! | of another one | 50 ns to 1 µs: less if its block is decoded, or if it is in memory that the processor has at hand |
//! | of our own table, block not decoded yet | microseconds |
//! | [`probe_dtz`](Tablebase::probe_dtz), [`probe_dtm`](Tablebase::probe_dtm) | several times as much, as other moves are looked at too |
//! | [`root_moves`](Tablebase::root_moves), [`rank_root_moves`](Tablebase::rank_root_moves) | some probes a move: up to a millisecond |
//! | [`line`](Tablebase::line) | that for each move of the line |
//!
//! | [`prefetch_results`](Tablebase::prefetch_results) of four men, Syzygy tables | 0.2 s |
//!
//! README has figures. Probes of results take no memory, unless a block has to be decoded, files
//! are [not mapped](ProbeOptions::map_files), or a small Syzygy table that was asked often is
//! decoded [as a whole](ProbeOptions::preloaded_bytes), which takes some milliseconds, once, if it
//! was not prefetched.
//!
//! # Examples
//!
//! ```
//! use retrograde::Tablebase;
//! use retrograde::chess::rules::Position;
//! use retrograde::metric::Wdl;
//!
//! # let directory = tempfile::tempdir()?;
//! let tables = Tablebase::open(directory.path())?;
//! // Two kings need no table.
//! let position = Position::from_fen("8/8/8/4k3/8/8/4K3/8 w - - 0 1")?;
//! assert_eq!(tables.probe_wdl(&position)?, Wdl::Draw);
//! // A queen does, and this directory is empty.
//! let position = Position::from_fen("8/8/8/4k3/8/8/3QK3/8 w - - 0 1")?;
//! let error = tables.probe_wdl(&position).unwrap_err();
//! assert!(error.to_string().ends_with("generate it with `retrograde generate KQvK`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalog;
mod category;
mod error;
#[cfg(test)]
mod former;
#[cfg(feature = "generate")]
mod leaves;
mod line;
mod mate;
mod rank;
mod ranked;
mod results;
mod search;
#[cfg(feature = "generate")]
pub mod solved;
pub mod xiangqi;

use std::path::{Path, PathBuf};

use catalog::{Catalog, Found, NativeTable, OpenTable};
use results::ResultCache;
use search::Rounding;

use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::men::BoardMen;
use crate::chess::rules::zobrist::MaterialKey;
use crate::chess::rules::{Board, Position, Role};
use crate::game::Color;
use crate::metric::{Dtm, Dtz, DtzRange, Metric, Wdl};
use crate::reserve::Refused;
use crate::syzygy::Memory;
use crate::table::Plane;
use crate::tables::BlockCache;

pub use crate::tables::{CacheStatistics, Format};
pub use catalog::TableFile;
pub use category::{Category, Clocked};
pub use error::ProbeError;
#[cfg(feature = "generate")]
pub use leaves::TableLeaves;
pub use line::{Line, LineEnd, LineMove};
pub use rank::{RootMove, sort_root_moves, sort_root_moves_by};
pub use ranked::{
    CERTAIN, RankOptions, RankedMove, RankedMoves, WIN_SCORE, WINNING, rank_by_result,
    rank_by_zeroing,
};
pub use results::ResultStatistics;

/// How a [`Tablebase`] is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// Bytes of decoded blocks to keep, at most; 0 keeps none.
    pub cache_bytes: usize,
    /// Bytes for answers of [`Tablebase::probe_wdl`] and
    /// [`probe_wdl_after_zeroing`](Tablebase::probe_wdl_after_zeroing), of either format; 0 keeps
    /// none. It is for positions that are asked for again and again, as a search does; all bytes
    /// are taken at once.
    pub result_bytes: usize,
    /// Bytes for the places in blocks of Syzygy tables from which decoding can begin, 64 for each
    /// block that was asked for; 0 keeps none. It is for blocks that are asked for again and again;
    /// all bytes are taken with the first of them.
    pub checkpoint_bytes: usize,
    /// Bytes for Syzygy tables of results that are decoded as a whole, which makes them several
    /// times as fast; 0 decodes none. As long as there is room that is done with tables of up to
    /// four men when they were asked some thousand times, which takes some milliseconds then, and
    /// with those that [`Tablebase::prefetch`] names. All results of four men take 35 MB.
    pub preloaded_bytes: usize,
    /// Whether files are mapped into memory, or else read block by block. A failing disk is a
    /// signal for the process in the first case and a [`ProbeError`] in the second, which is
    /// slower.
    pub map_files: bool,
    /// Which tables answer; all if nothing is said, our own where a directory has both formats.
    pub format: Option<Format>,
}

impl Default for ProbeOptions {
    /// 64 MiB of blocks, 1 MiB of results, 4 MiB of places in blocks, 64 MiB of tables as a whole,
    /// mapped files.
    fn default() -> ProbeOptions {
        ProbeOptions {
            cache_bytes: 64 << 20,
            result_bytes: 1 << 20,
            checkpoint_bytes: 4 << 20,
            preloaded_bytes: 64 << 20,
            map_files: true,
            format: None,
        }
    }
}

fn owned(paths: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    paths.iter().map(|path| path.as_ref().to_owned()).collect()
}

/// The tables of one or more directories.
///
/// All methods take `&self` and may be called from any number of threads.
#[derive(Debug)]
pub struct Tablebase {
    catalog: Catalog,
    cache: BlockCache,
    results: ResultCache,
    memory: Memory,
}

fn refused(option: &'static str) -> impl FnOnce(Refused) -> ProbeError {
    move |Refused { bytes }| ProbeError::OutOfMemory { option, bytes }
}

impl Tablebase {
    /// The tables of one directory. Takes as long as listing it; no file is opened.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Directory`] if it cannot be listed. A damaged table is an error of the probes
    /// that need it.
    pub fn open(directory: impl AsRef<Path>) -> Result<Tablebase, ProbeError> {
        Tablebase::open_with(&[directory], &ProbeOptions::default())
    }

    /// The tables of several directories. Where two have the same table, that of the first counts.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Directory`] if one of them cannot be listed, [`ProbeError::OutOfMemory`] if
    /// there is less memory than the options want to keep things in.
    pub fn open_with(
        directories: &[impl AsRef<Path>],
        options: &ProbeOptions,
    ) -> Result<Tablebase, ProbeError> {
        Tablebase::of_catalog(Catalog::scan(&owned(directories), options)?, options)
    }

    /// Some tables, which lie anywhere and are named as tables are. Where two are the same table,
    /// the first counts.
    ///
    /// # Errors
    ///
    /// [`ProbeError::FileName`] if one has another name, [`ProbeError::OutOfMemory`] as for
    /// [`open_with`](Self::open_with). A file that is not there is an error of the probes that need
    /// it.
    pub fn open_files(
        files: &[impl AsRef<Path>],
        options: &ProbeOptions,
    ) -> Result<Tablebase, ProbeError> {
        Tablebase::of_catalog(Catalog::of_paths(&owned(files), options)?, options)
    }

    fn of_catalog(catalog: Catalog, options: &ProbeOptions) -> Result<Tablebase, ProbeError> {
        Ok(Tablebase {
            catalog,
            cache: BlockCache::new(options.cache_bytes).map_err(refused("cache_bytes"))?,
            results: ResultCache::new(options.result_bytes).map_err(refused("result_bytes"))?,
            memory: Memory::new(options.checkpoint_bytes, options.preloaded_bytes)
                .map_err(refused("checkpoint_bytes"))?,
        })
    }

    /// The largest number of men that any table here has, kings included; 0 without tables.
    ///
    /// An engine need not ask about positions with more. Fewer men than this can still lack a
    /// table.
    #[must_use]
    pub fn max_men(&self) -> usize {
        self.catalog.max_men
    }

    /// All tables, those of fewer men first. They are named, not opened: a damaged one is in the
    /// list.
    #[must_use]
    pub fn tables(&self) -> &[TableFile] {
        &self.catalog.files
    }

    /// The table of a material, in either colours, and metric that answers: our own if there are
    /// both formats.
    #[must_use]
    pub fn table(&self, material: &Material, metric: Metric) -> Option<&TableFile> {
        let material = material.normal_form();
        self.tables()
            .iter()
            .find(|file| *file.material() == material && file.metric() == metric)
    }

    /// What the block cache did so far.
    #[must_use]
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// What the cache of results did so far.
    #[must_use]
    pub fn result_statistics(&self) -> ResultStatistics {
        self.results.statistics()
    }

    /// Bytes that Syzygy tables take which were
    /// [decoded as a whole](ProbeOptions::preloaded_bytes).
    #[must_use]
    pub fn preloaded_bytes(&self) -> usize {
        self.memory.budget.taken()
    }

    /// Opens a table that will be asked soon, tells the system to read its whole file if it is
    /// [mapped](ProbeOptions::map_files), and decodes a Syzygy table of results as a whole, however
    /// large it is, if [there is room](ProbeOptions::preloaded_bytes): milliseconds for four men,
    /// up to two seconds for five. To be called before a search, which is not interrupted by any of
    /// that then. Whether there was room [`preloaded_bytes`](Self::preloaded_bytes) tells.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] if the table is missing, or damaged where that is noticed; not every block is
    /// checked.
    pub fn prefetch(&self, material: &Material, metric: Metric) -> Result<(), ProbeError> {
        let (_, file) = self.file(catalog::key_of(material), metric)?;
        file.prefetch(&self.memory)
    }

    /// [Prefetches](Self::prefetch) the tables of results that answer for up to `max_men` men,
    /// small ones first: those of four men, say, which captures in a search of five and six men
    /// lead to. All of them take 0.2 seconds and 35 MB.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] of the first one that is damaged; the others are prefetched all the same.
    pub fn prefetch_results(&self, max_men: usize) -> Result<(), ProbeError> {
        let mut first_error = None;
        for file in self.catalog.answering(Metric::Wdl) {
            if file.material().men() <= max_men {
                first_error = first_error.or(file.prefetch(&self.memory).err());
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Forgets all decoded blocks and results; tables that are decoded as a whole stay.
    pub fn clear_cache(&self) {
        self.cache.clear();
        self.results.clear();
        self.memory.checkpoints.clear();
    }

    /// Who wins under the fifty-move rule, for the side to move: of a position whose clock stands
    /// at zero, as right after a capture or pawn move. With a clock that has advanced a win may be
    /// too far away, which [`rank_root_moves`](Self::rank_root_moves) knows.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Clock`] if the clock does not stand at zero. Otherwise [`ProbeError`] says
    /// which table is missing or damaged, or why no table covers the position.
    #[inline]
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        match position.halfmoves() {
            0 => self.probe_wdl_after_zeroing(position),
            clock => Err(ProbeError::Clock { clock }),
        }
    }

    /// Who would win if a capture or pawn move had led to the position: whatever its clock says, it
    /// counts as zero.
    ///
    /// # Errors
    ///
    /// As for [`probe_wdl`](Self::probe_wdl), but for the clock.
    pub fn probe_wdl_after_zeroing(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.check_covered(position)?;
        let Some(slot) = self.results.slot(position) else {
            return self.wdl(position);
        };
        if let Some(wdl) = slot.read() {
            return Ok(wdl);
        }
        let wdl = self.wdl(position)?;
        slot.write(wdl);
        Ok(wdl)
    }

    /// Plies to the next capture or pawn move that keeps the result, or to mate; zero for a draw.
    ///
    /// As if the clock stood at zero, whatever it says. Exact with our own tables; with Syzygy
    /// tables the distance may be one ply longer, as [`probe_dtz_range`](Self::probe_dtz_range)
    /// tells.
    ///
    /// # Errors
    ///
    /// As for [`probe_wdl`](Self::probe_wdl); the WDL tables are needed too.
    pub fn probe_dtz(&self, position: &Position) -> Result<Dtz, ProbeError> {
        Ok(self.probe_dtz_range(position)?.shortest)
    }

    /// The same with the longest distance that it may be as well, since Syzygy tables may have
    /// rounded it.
    ///
    /// # Errors
    ///
    /// As for [`probe_dtz`](Self::probe_dtz).
    pub fn probe_dtz_range(&self, position: &Position) -> Result<DtzRange, ProbeError> {
        self.check_covered(position)?;
        self.dtz(position)
    }

    /// The distance that other programs find in the same Syzygy table: the shortest that is
    /// possible, also where the moves of the position tell that it is the longest. For comparing
    /// with them, or standing in for them.
    ///
    /// # Errors
    ///
    /// As for [`probe_dtz`](Self::probe_dtz).
    pub fn probe_dtz_rounded(&self, position: &Position) -> Result<Dtz, ProbeError> {
        self.check_covered(position)?;
        Ok(self.dtz_with(position, Rounding::Kept)?.shortest)
    }

    /// Plies to mate, as if there were no fifty-move rule; nothing for a draw.
    ///
    /// # Errors
    ///
    /// As for [`probe_wdl`](Self::probe_wdl); the WDL tables are needed too.
    pub fn probe_dtm(&self, position: &Position) -> Result<Option<Dtm>, ProbeError> {
        self.check_covered(position)?;
        Ok(self.mate_score(position)?.dtm())
    }

    /// The number a table has for some men, as it stands in the file, or its low byte; nothing if
    /// that side's are not stored.
    ///
    /// It is the value of the position only where the rules in `generate::encode` say so. For
    /// checking tables, and for programs that search captures themselves. Syzygy tables have such
    /// numbers for results only.
    ///
    /// # Errors
    ///
    /// As for [`probe_wdl`](Self::probe_wdl); [`ProbeError::Placement`] if men share a square,
    /// pawns stand on a last rank, or a side has not one king; [`ProbeError::OtherFormat`] for
    /// distances in a Syzygy table.
    pub fn stored_number(
        &self,
        placement: &Placement,
        turn: Color,
        metric: Metric,
    ) -> Result<Option<u8>, ProbeError> {
        const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
        let counts = placement.counts();
        let pawns = Color::ALL.map(|color| placement.of(color, Role::Pawn));
        if (pawns[0] | pawns[1]) & LAST_RANKS != 0 {
            return Err(ProbeError::Placement("a pawn stands on a last rank"));
        }
        if counts.iter().any(|side| side[Role::King.index()] != 1) {
            return Err(ProbeError::Placement("a side has not one king"));
        }
        let men: u32 = counts.iter().flatten().map(|&n| u32::from(n)).sum();
        if placement.occupied().count_ones() != men {
            return Err(ProbeError::Placement("two men stand on one square"));
        }
        let key = MaterialKey::of(Color::ALL.into_iter().flat_map(|color| {
            Role::ALL.into_iter().flat_map(move |role| {
                let count = usize::from(counts[color.index()][role.index()]).min(15);
                std::iter::repeat_n(role.of(color), count)
            })
        }));
        self.number(key, placement, turn, metric)
    }

    /// Whether the position is of a kind that tables are made for.
    #[inline]
    fn check_covered(&self, position: &Position) -> Result<(), ProbeError> {
        if position.castling_rights().is_empty() {
            Ok(())
        } else {
            Err(ProbeError::CastlingRights)
        }
    }

    /// The number that a table of distances to mate has for a position; nothing if that side's are
    /// not stored.
    #[inline]
    fn stored_dtm(&self, board: &Board) -> Result<Option<u16>, ProbeError> {
        let placement = Placement::from(board);
        let (key, turn) = (board.material_key(), board.turn());
        let (found, file) = self.file(key, Metric::Dtm)?;
        match file.open()? {
            OpenTable::Native(table) => {
                self.native_number(found, file, table, (key, &placement, turn))
            }
            // There are none of mates, and the error says so.
            OpenTable::Syzygy(_) => file.table().map(|_| None),
        }
    }

    /// The result that a table has for a position; nothing if that side's are not stored.
    #[inline]
    fn stored_wdl(&self, board: &Board) -> Result<Option<Wdl>, ProbeError> {
        let key = board.material_key();
        let turn = board.turn();
        let (found, file) = self.file(key, Metric::Wdl)?;
        match file.open()? {
            OpenTable::Syzygy(table) => {
                let exchanged = found.colors_exchanged;
                let wdl = table.wdl(BoardMen::from(board), turn, exchanged, &self.memory)?;
                Ok(Some(wdl))
            }
            OpenTable::Native(table) => {
                let placement = Placement::from(board);
                let asked = (key, &placement, turn);
                let number = self.native_byte(found, file, table, asked, Plane::Low)?;
                number
                    .map(|number| {
                        Wdl::from_index(number.into())
                            .ok_or_else(|| self.contradiction(key, Metric::Wdl))
                    })
                    .transpose()
            }
        }
    }

    #[inline]
    fn number(
        &self,
        key: MaterialKey,
        placement: &Placement,
        turn: Color,
        metric: Metric,
    ) -> Result<Option<u8>, ProbeError> {
        let (found, file) = self.file(key, metric)?;
        match file.open()? {
            OpenTable::Native(table) => {
                self.native_byte(found, file, table, (key, placement, turn), Plane::Low)
            }
            OpenTable::Syzygy(table) if metric == Metric::Wdl => {
                let exchanged = found.colors_exchanged;
                let wdl = table.wdl(*placement, turn, exchanged, &self.memory)?;
                Ok(Some(wdl.index() as u8))
            }
            // The number of a distance means nothing without the result.
            OpenTable::Syzygy(_) => file.table().map(|_| None),
        }
    }

    /// The distance to zeroing that a table has for a position of the result `wdl`, which is no
    /// draw; nothing if that side's are not stored. A mated position has 0 in our own tables and -1
    /// in Syzygy tables.
    #[inline]
    fn stored_dtz(&self, board: &Board, wdl: Wdl) -> Result<Option<DtzRange>, ProbeError> {
        let key = board.material_key();
        let turn = board.turn();
        let (found, file) = self.file(key, Metric::Dtz)?;
        match file.open()? {
            OpenTable::Native(table) => {
                let placement = Placement::from(board);
                let plies = self.native_number(found, file, table, (key, &placement, turn))?;
                let sign = if wdl.is_any_win() { 1 } else { -1 };
                Ok(plies.map(|plies| Dtz(sign * i32::from(plies)).into()))
            }
            OpenTable::Syzygy(table) => {
                let exchanged = found.colors_exchanged;
                table.dtz(BoardMen::from(board), turn, exchanged, wdl, &self.memory)
            }
        }
    }

    /// The file that answers for a material and metric.
    #[inline(always)]
    fn file(
        &self,
        key: MaterialKey,
        metric: Metric,
    ) -> Result<(Found<'_>, &TableFile), ProbeError> {
        let found = self.catalog.find(key);
        found
            .and_then(|found| Some((found, self.catalog.file(found.entry, metric)?)))
            .ok_or_else(|| self.catalog.missing(key, metric))
    }

    /// Whether the table of a position's material and a metric is a Syzygy table.
    fn is_syzygy(&self, board: &Board, metric: Metric) -> bool {
        self.file(board.material_key(), metric)
            .is_ok_and(|(_, file)| file.format() == Format::Syzygy)
    }

    /// The number that a table of our own has for some men; nothing if that side's are not stored.
    #[inline]
    fn native_number(
        &self,
        found: Found<'_>,
        file: &TableFile,
        opened: &NativeTable,
        at: (MaterialKey, &Placement, Color),
    ) -> Result<Option<u16>, ProbeError> {
        let Some(low) = self.native_byte(found, file, opened, at, Plane::Low)? else {
            return Ok(None);
        };
        let high = match opened.has_high_bytes() {
            false => None,
            true => self.native_byte(found, file, opened, at, Plane::High)?,
        };
        Ok(Some(u16::from_le_bytes([low, high.unwrap_or(0)])))
    }

    /// A byte of the number that a table of our own has for some men; nothing if that side's are
    /// not stored.
    #[inline(always)]
    fn native_byte(
        &self,
        found: Found<'_>,
        file: &TableFile,
        opened: &NativeTable,
        (key, placement, turn): (MaterialKey, &Placement, Color),
        plane: Plane,
    ) -> Result<Option<u8>, ProbeError> {
        let Found {
            entry,
            colors_exchanged,
        } = found;
        // A symmetric material may have both sides' values; those of white to move are always
        // there.
        let exchange = colors_exchanged != opened.colors_exchanged
            || (entry.material.is_symmetric() && turn == Color::Black);
        let (placement, side) = if exchange {
            (placement.with_colors_exchanged(), 1 - turn.index())
        } else {
            (*placement, turn.index())
        };
        let stream = match plane {
            Plane::Low => opened.side(side),
            Plane::High => opened.high_bytes(side),
        };
        let Some((stream, order)) = stream else {
            return Ok(None);
        };
        let index = order.index(&file.space().digits(&placement));
        let number = self
            .cache
            .number(&opened.table, file.number(), stream, index)?;
        match number {
            Some(_) => Ok(number),
            None => Err(self.contradiction(key, file.metric())),
        }
    }

    /// The error for tables that do not go together.
    #[cold]
    fn contradiction(&self, key: MaterialKey, metric: Metric) -> ProbeError {
        let material = self
            .catalog
            .find(key)
            .map_or_else(|| key.to_string(), |found| found.entry.material.to_string());
        ProbeError::Contradiction { material, metric }
    }
}
