//! An open file and the values in it.

use std::path::Path;

use arrayvec::ArrayVec;

use super::checkpoints::{BlockKey, Cells, Checkpoints};
use super::checksum::{CHECKSUM_LEN, CHUNK, checksum_of_hashes, hash_of_chunk};
use super::find::{Bytes, Place, slice_of};
use super::index::{Encoder, LeadingPawns};
use super::layout::{Coded, Content, Flags, Layout, Stream, map_number};
use super::memory::Kept;
use super::preloaded::Preloading;
use crate::Error;
use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::men::Men;
use crate::chess::rules::Role;
use crate::error::{SyzygyError, impossible};
use crate::game::Color;
use crate::metric::{Dtz, DtzRange, Metric, Wdl};
use crate::reserve::{reserved, zeroed};
use crate::store::{FileStore, MappedFile, Store};
use crate::table::Progress;

/// The first bytes of a file that are read before it is known how many are needed.
const FIRST_READ: u64 = 16 << 10;
/// More than the largest layout has: eight streams of 65 536 symbols, and maps.
const LARGEST_LAYOUT: u64 = 4 << 20;

/// An open table. It can be used from many threads at once.
///
/// What is needed for every probe, the code and its symbols, is read when the table is opened; a
/// probe reads an entry of the sparse index, some lengths of blocks and part of one block. Blocks
/// are not kept: they are decoded as far as needed. A [`Tablebase`](crate::Tablebase) keeps where
/// to begin within those that were asked for, and the results of small tables as a whole.
#[derive(Debug)]
pub struct Table {
    name: String,
    pub(super) store: Box<dyn Store>,
    metric: Metric,
    pub(super) layout: Layout,
    pub(super) preloading: Preloading,
}

impl Table {
    /// Opens a table of results or of distances to zeroing by mapping it into memory. The men of
    /// `material` may be in either colours.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file cannot be read, is no such table, or is of other men.
    pub fn open(path: &Path, material: &Material, metric: Metric) -> Result<Table, Error> {
        let store = MappedFile::open(path).map(|store| Box::new(store) as Box<dyn Store>);
        Table::of_file(path, store, material, metric)
    }

    /// Opens a table that is read piece by piece, not mapped: a failing disk is an error then and
    /// not a signal.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_unmapped(path: &Path, material: &Material, metric: Metric) -> Result<Table, Error> {
        let store = FileStore::open(path).map(|store| Box::new(store) as Box<dyn Store>);
        Table::of_file(path, store, material, metric)
    }

    /// Opens a table that is not a file.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn from_store(
        store: Box<dyn Store>,
        material: &Material,
        metric: Metric,
    ) -> Result<Table, Error> {
        Table::new("a table in memory".to_owned(), Ok(store), material, metric)
    }

    fn of_file(
        path: &Path,
        store: std::io::Result<Box<dyn Store>>,
        material: &Material,
        metric: Metric,
    ) -> Result<Table, Error> {
        Table::new(path.display().to_string(), store, material, metric)
    }

    fn new(
        name: String,
        store: std::io::Result<Box<dyn Store>>,
        material: &Material,
        metric: Metric,
    ) -> Result<Table, Error> {
        let opened = store.map_err(SyzygyError::from).and_then(|store| {
            let layout = read_layout(store.as_ref(), material, metric)?;
            Ok((store, layout))
        });
        match opened {
            Ok((store, layout)) => Ok(Table {
                name,
                store,
                metric,
                preloading: Preloading::new(
                    (metric == Metric::Wdl).then(|| layout.most_preloaded_bytes()),
                ),
                layout,
            }),
            Err(problem) => Err(Error::Syzygy { name, problem }),
        }
    }

    /// What the table is of. Which side is White is the file's own choice.
    #[must_use]
    #[inline]
    pub fn material(&self) -> &Material {
        &self.layout.material
    }

    /// What it stores.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Path of the file, or what stands for it in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of the file in bytes.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.store.len()
    }

    /// The stored result of men that are those of [`material`](Self::material), in its colours.
    ///
    /// It is the value of the position unless a capture reaches that; it is not better than the
    /// value then, and it may be anything if a capture wins. En-passant rights are left aside.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file is damaged or cannot be read, if it is no table of results, or
    /// if the men are other ones than the table's or no position.
    #[inline]
    pub fn wdl(&self, placement: &Placement, turn: Color) -> Result<Wdl, Error> {
        self.wdl_keeping(*placement, turn, None)
    }

    /// The same; what may help the next probes is kept.
    ///
    /// # Errors
    ///
    /// As for [`wdl`](Self::wdl).
    #[inline]
    pub(crate) fn wdl_keeping(
        &self,
        men: impl Men,
        turn: Color,
        kept: Option<Kept<'_>>,
    ) -> Result<Wdl, Error> {
        self.result(men, turn, kept)
            .map_err(|problem| self.error(problem))
    }

    /// The stored distance to zeroing of men that are those of [`material`](Self::material), in its
    /// colours, for a position of the result `wdl`. Nothing if the other side's distances are
    /// stored.
    ///
    /// Tables keep distances in moves or in plies. In moves, an odd number of plies and the even
    /// number after it are the same, and the range is of both. A mated position has the distance 1.
    ///
    /// The distance is that of the position unless it is drawn or a capture or a pawn move wins.
    /// Then it may be anything.
    ///
    /// # Errors
    ///
    /// As for [`wdl`](Self::wdl); also where no position of this result can have what is stored.
    #[inline]
    pub fn dtz(
        &self,
        placement: &Placement,
        turn: Color,
        wdl: Wdl,
    ) -> Result<Option<DtzRange>, Error> {
        self.dtz_keeping(*placement, turn, wdl, None)
    }

    /// The same; what may help the next probes is kept.
    ///
    /// # Errors
    ///
    /// As for [`dtz`](Self::dtz).
    #[inline]
    pub(crate) fn dtz_keeping(
        &self,
        men: impl Men,
        turn: Color,
        wdl: Wdl,
        kept: Option<Kept<'_>>,
    ) -> Result<Option<DtzRange>, Error> {
        self.distance(men, turn, wdl, kept)
            .map_err(|problem| self.error(problem))
    }

    /// A hint to the system that the file will be read soon.
    pub fn will_read(&self) {
        self.store.will_read(0, self.store.len());
    }

    /// Compares the checksum at the end of the file, which probes do not look at. `progress` is
    /// told how many bytes of how many are done and returns whether to go on.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if it is wrong or the file cannot be read; [`Error::Cancelled`] if
    /// `progress` said so.
    pub fn verify_checksum(&self, progress: &Progress<'_>) -> Result<(), Error> {
        let is_right = self
            .has_right_checksum(progress)
            .map_err(|problem| self.error(problem))?;
        match is_right {
            Some(true) => Ok(()),
            Some(false) => Err(self.error(SyzygyError::Checksum)),
            None => Err(Error::Cancelled),
        }
    }

    /// Nothing if `progress` said that it is enough.
    fn has_right_checksum(&self, progress: &Progress<'_>) -> Result<Option<bool>, SyzygyError> {
        let Some(len) = self.store.len().checked_sub(CHECKSUM_LEN as u64) else {
            return Ok(Some(false));
        };
        let mut hashes = reserved(len.div_ceil(CHUNK as u64) as usize)?;
        let mut chunk = Vec::new();
        zeroed(&mut chunk, CHUNK.min(len as usize))?;
        let mut start = 0;
        while start < len {
            if !progress(start, len) {
                return Ok(None);
            }
            let chunk_len = (len - start).min(CHUNK as u64);
            let chunk = &mut chunk[..chunk_len as usize];
            self.store.read_exact_at(start, chunk)?;
            hashes.push(hash_of_chunk(chunk));
            start += chunk_len;
        }
        let stored: [u8; CHECKSUM_LEN] = self.store.as_ref().array(len)?;
        Ok(Some(checksum_of_hashes(&hashes) == stored))
    }

    #[inline]
    fn result(
        &self,
        men: impl Men,
        turn: Color,
        kept: Option<Kept<'_>>,
    ) -> Result<Wdl, SyzygyError> {
        if self.metric != Metric::Wdl {
            return Err(SyzygyError::NotATable);
        }
        let (men, turn) = self.with_white_to_move(men, turn);
        let (streams, pawns) = self.streams(&men)?;
        let stream = &streams[turn.index().min(streams.len() - 1)];
        let index = stream.encoder.index(&men, pawns);
        let value = self.value(stream, index.ok_or(SyzygyError::NoPosition)?, kept)?;
        Wdl::from_index(value.into()).ok_or(impossible("result"))
    }

    fn distance(
        &self,
        men: impl Men,
        turn: Color,
        wdl: Wdl,
        kept: Option<Kept<'_>>,
    ) -> Result<Option<DtzRange>, SyzygyError> {
        if self.metric != Metric::Dtz {
            return Err(SyzygyError::NotATable);
        }
        let (men, turn) = self.with_white_to_move(men, turn);
        let (streams, pawns) = self.streams(&men)?;
        let stream = &streams[0];
        let is_black = stream.flags.contain(Flags::BLACK_TO_MOVE);
        if is_black != (turn == Color::Black) && !self.material().is_symmetric() {
            return Ok(None);
        }
        if wdl == Wdl::Draw {
            return Ok(Some(Dtz(0).into()));
        }
        let index = stream.encoder.index(&men, pawns);
        let value = self.value(stream, index.ok_or(SyzygyError::NoPosition)?, kept)?;
        stream.distance(value, wdl).map(Some)
    }

    /// The stream that has a side to move and the pawns of a placement, both in the colours of
    /// [`material`](Self::material); nothing if the side is not stored.
    pub(crate) fn stream_of(&self, placement: &Placement, turn: Color) -> Option<usize> {
        let (streams, _) = self.streams(placement).ok()?;
        let turn = match self.material().is_symmetric() {
            true => Color::White,
            false => turn,
        };
        let is_other_side = self.metric == Metric::Dtz
            && !self.material().is_symmetric()
            && streams[0].flags.contain(Flags::BLACK_TO_MOVE) != (turn == Color::Black);
        if is_other_side {
            return None;
        }
        let place = turn.index().min(streams.len() - 1);
        let of_all = &self.layout.streams;
        of_all
            .iter()
            .position(|stream| std::ptr::eq(stream, &streams[place]))
    }

    /// How many streams there are.
    pub(crate) fn streams_len(&self) -> usize {
        self.layout.streams.len()
    }

    /// The relation between placements and the indices of a stream.
    pub(crate) fn encoder(&self, stream: usize) -> &Encoder {
        &self.layout.streams[stream].encoder
    }

    /// The distance that a number of a stream stands for in a position of a result that is no draw;
    /// nothing if none does.
    pub(crate) fn distance_of(&self, stream: usize, number: u8, wdl: Wdl) -> Option<DtzRange> {
        let stream = &self.layout.streams[stream];
        stream.distance(number.into(), wdl).ok()
    }

    /// Where both sides have the same men, White is to move.
    #[inline]
    fn with_white_to_move<M: Men>(&self, men: M, turn: Color) -> (M, Color) {
        if turn == Color::Black && self.material().is_symmetric() {
            (men.with_colors_exchanged(), Color::White)
        } else {
            (men, turn)
        }
    }

    /// The streams, by side to move, that some men are in; and the leading pawns.
    #[inline(always)]
    fn streams(&self, men: &impl Men) -> Result<(&[Stream], Option<LeadingPawns>), SyzygyError> {
        let Layout { streams, sides, .. } = &self.layout;
        let Some(color) = streams[0].encoder.leading_color() else {
            return Ok((streams, None));
        };
        let pawns = LeadingPawns::new(men.of(color, Role::Pawn));
        let pawns = pawns.ok_or(SyzygyError::NoPosition)?;
        let first = pawns.file() * sides;
        Ok((&streams[first..first + sides], Some(pawns)))
    }

    /// The value at an index of a stream.
    #[inline]
    fn value(
        &self,
        stream: &Stream,
        index: u64,
        kept: Option<Kept<'_>>,
    ) -> Result<u16, SyzygyError> {
        let coded = match &stream.content {
            Content::Single(value) => return Ok(*value),
            Content::Coded(coded) => coded,
        };
        match coded.preloaded.get() {
            Some(preloaded) => preloaded.result(index).ok_or(SyzygyError::NoPosition),
            None => self.value_in_blocks(coded, index, kept),
        }
    }

    /// The same from the blocks of the file.
    // By itself: preloaded tables need nothing of it.
    #[inline(never)]
    fn value_in_blocks(
        &self,
        coded: &Coded,
        index: u64,
        kept: Option<Kept<'_>>,
    ) -> Result<u16, SyzygyError> {
        if let Some(Kept { memory, .. }) = kept
            && self.preloading.is_due()
        {
            self.try_to_preload_into(&memory.budget);
        }
        let value = match self.store.as_slice() {
            Some(bytes) => {
                let place = coded.find(bytes, index)?;
                let offset = coded.offset_of(place.block);
                let len = coded.len_to_read(offset, bytes.len() as u64);
                let block = slice_of(bytes, offset, len)?;
                let key = |table| BlockKey::new(table, offset, coded.block_bits);
                let kept = kept.filter(|kept| kept.memory.checkpoints.has_room());
                match kept.and_then(|kept| Some((&kept.memory.checkpoints, key(kept.table)?))) {
                    Some((checkpoints, key)) => {
                        value_keeping(coded, block, place, checkpoints, key)
                    }
                    None => coded.pairs.value(block, place.number),
                }
            }
            None => {
                let store = self.store.as_ref();
                let place = coded.find(store, index)?;
                let offset = coded.offset_of(place.block);
                let mut block = Vec::new();
                zeroed(&mut block, coded.len_to_read(offset, store.len()))?;
                store.read_exact_at(offset, &mut block)?;
                coded.pairs.value(&block, place.number)
            }
        };
        value.ok_or(impossible("code"))
    }

    #[cold]
    pub(super) fn error(&self, problem: SyzygyError) -> Error {
        Error::Syzygy {
            name: self.name.clone(),
            problem,
        }
    }
}

impl Stream {
    /// The distance that a stored value stands for in a position of a result that is no draw.
    #[inline]
    fn distance(&self, value: u16, wdl: Wdl) -> Result<DtzRange, SyzygyError> {
        let value = if self.flags.contain(Flags::MAPPED) {
            let map = &self.maps[map_number(wdl)];
            *map.get(usize::from(value)).ok_or(impossible("distance"))?
        } else {
            value
        };
        let is_in_plies = match wdl {
            Wdl::Win => self.flags.contain(Flags::WINS_IN_PLIES),
            Wdl::Loss => self.flags.contain(Flags::LOSSES_IN_PLIES),
            _ => false,
        };
        let rounding = i32::from(!is_in_plies);
        let Dtz(nearest) = wdl.dtz_of_zeroing_move();
        let plies = i32::from(value) << rounding;
        let sign = nearest.signum();
        Ok(DtzRange {
            shortest: Dtz(nearest + sign * plies),
            longest: Dtz(nearest + sign * (plies + rounding)),
        })
    }
}

/// The value at a place of a block that has some bytes, from the nearest cell on that is known. New
/// ones are kept.
#[inline]
fn value_keeping(
    coded: &Coded,
    bytes: &[u8],
    place: Place,
    checkpoints: &Checkpoints,
    key: BlockKey,
) -> Option<u16> {
    let cells = Cells::of_block(place.values);
    let wanted = cells.of(place.number);
    let in_cell = place.number - cells.first(wanted);
    match checkpoints.nearest(key, wanted) {
        None => coded.pairs.value(bytes, place.number),
        Some((cell, start)) if cell == wanted => coded.pairs.value_from(bytes, start, in_cell),
        Some((cell, start)) => {
            let mut starts = ArrayVec::new();
            let (passed, distance) = (wanted - cell, cells.first(1));
            let pairs = &coded.pairs;
            let value = pairs.value_noting(bytes, start, passed, distance, in_cell, &mut starts);
            checkpoints.add(key, cell + 1, &starts);
            value
        }
    }
}

/// Reads as much of a file as its layout takes.
fn read_layout(
    store: &dyn Store,
    material: &Material,
    metric: Metric,
) -> Result<Layout, SyzygyError> {
    let file_len = store.len();
    if let Some(bytes) = store.as_slice() {
        return Layout::read(bytes, file_len, material, metric);
    }
    let mut len = FIRST_READ.min(file_len);
    loop {
        let mut bytes = Vec::new();
        zeroed(&mut bytes, len as usize)?;
        store.read_exact_at(0, &mut bytes)?;
        match Layout::read(&bytes, file_len, material, metric) {
            Err(SyzygyError::Outside { .. }) if len < file_len.min(LARGEST_LAYOUT) => {
                len = (len * 8).min(file_len);
            }
            layout => return layout,
        }
    }
}
