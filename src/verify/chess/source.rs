//! The numbers of the files of a material, brought into verification's own order.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::files::{LoadError, Numbers, path_of};
use super::gather::{Gather, Orders, PairNumbers, Piece};
use super::layout::{Frame, Layout};
use super::line::{Line, Score};
use super::numbers::DistanceCode;
use super::pages::{Pages, Place, large_lines};
use super::part::Part;
use super::syzygy::SyzygyTables;
use crate::Error;
use crate::chess::Chess;
use crate::chess::index::{IndexSpace, Order};
use crate::chess::material::Material;
use crate::game::Color;
use crate::metric::Metric;
use crate::probe::Format;
use crate::table::{Description, Plane, Statistics, Stream, Table};
use crate::tables::{check_streams, in_other_colors, table_path};

/// The open tables of a material.
#[derive(Debug)]
pub(super) struct Source {
    pub space: IndexSpace,
    tables: Tables,
}

#[derive(Debug)]
enum Tables {
    Native(Box<[Option<NativeTable>; 3]>),
    Syzygy(Box<SyzygyTables>),
}

/// Numbers of a stream that are decoded together where the lines of a frame wait in a file.
pub(super) const PIECE: u64 = if cfg!(test) { 1 << 16 } else { 1 << 30 };
/// Lines that are brought into place together there.
pub(super) const TOGETHER: usize = if cfg!(test) { 1 << 13 } else { 1 << 26 };

/// A table of ours, which may have the colours exchanged if an earlier version wrote it.
#[derive(Debug)]
struct NativeTable {
    path: PathBuf,
    table: Table,
    /// In the colours of the file, where they are exchanged.
    exchanged_space: Option<IndexSpace>,
    /// What the header says, in the colours of the normal form.
    description: Description,
    /// What the file keeps. What cannot be read of it, comparing checksums has reported.
    statistics: Option<Statistics>,
}

impl NativeTable {
    fn stream(&self, side: usize) -> Option<&Stream> {
        self.table.stream(self.side_in_file(side))
    }

    fn high_bytes(&self, side: usize) -> Option<&Stream> {
        self.table.high_bytes(self.side_in_file(side))
    }

    fn side_in_file(&self, side: usize) -> u8 {
        match self.exchanged_space {
            Some(_) => 1 - side as u8,
            None => side as u8,
        }
    }

    fn has_high_bytes(&self) -> bool {
        let mut streams = self.table.streams().iter();
        streams.any(|stream| stream.plane() == Plane::High)
    }
}

impl Source {
    /// Opens the tables of some metrics of a material and compares their headers with their names.
    pub fn open(
        directory: &Path,
        material: Material,
        format: Format,
        metrics: &[Metric],
    ) -> Result<Source, LoadError> {
        let layout = Layout::new(material);
        let space = IndexSpace::new(material);
        let tables = match format {
            Format::Native => Tables::Native(Box::new(open_native(directory, &space, metrics)?)),
            Format::Syzygy => {
                let tables = SyzygyTables::open(directory, &layout, metrics)?;
                Tables::Syzygy(Box::new(tables))
            }
        };
        Ok(Source { space, tables })
    }

    pub fn material(&self) -> &Material {
        self.space.material()
    }

    pub fn format(&self) -> Format {
        match self.tables {
            Tables::Native(_) => Format::Native,
            Tables::Syzygy(_) => Format::Syzygy,
        }
    }

    fn native(&self, metric: Metric) -> Option<&NativeTable> {
        match &self.tables {
            Tables::Native(tables) => tables[usize::from(metric.number())].as_ref(),
            Tables::Syzygy(_) => None,
        }
    }

    /// What the header of a table says in the colours of the normal form, if it is of our own
    /// format.
    pub fn description(&self, metric: Metric) -> Option<&Description> {
        self.native(metric).map(|native| &native.description)
    }

    /// The statistics that a table keeps.
    pub fn statistics(&self, metric: Metric) -> Option<&Statistics> {
        self.native(metric)?.statistics.as_ref()
    }

    /// The file of a metric, for messages.
    pub fn path(&self, metric: Metric) -> PathBuf {
        match self.native(metric) {
            Some(native) => native.path.clone(),
            None => PathBuf::from(format!("{}.{metric}", self.material())),
        }
    }

    /// Whether any table keeps statistics.
    pub fn keeps_statistics(&self) -> bool {
        Metric::ALL
            .into_iter()
            .any(|metric| self.statistics(metric).is_some())
    }

    pub fn has(&self, metric: Metric) -> bool {
        match &self.tables {
            Tables::Native(_) => self.native(metric).is_some(),
            Tables::Syzygy(tables) => tables.has(metric),
        }
    }

    /// Whether results are left to the prober where promotions reach them, and not only where
    /// captures do.
    pub fn leaves_promotions(&self) -> bool {
        self.format() == Format::Native
    }

    /// Whether a side's values of a metric are in no file, and follow from the other side's.
    pub fn is_derived(&self, metric: Metric, side: Color, frame: &Frame) -> bool {
        self.has(metric) && !self.is_stored(metric, side.index(), frame)
    }

    /// Whether a side's values of a metric are in a file, not derived from the other side's.
    pub fn is_stored(&self, metric: Metric, side: usize, frame: &Frame) -> bool {
        match &self.tables {
            Tables::Native(_) => {
                let stream = if self.material().is_symmetric() {
                    0
                } else {
                    side
                };
                self.native(metric)
                    .is_some_and(|native| native.stream(stream).is_some())
            }
            Tables::Syzygy(tables) => tables.is_stored(metric, side, frame),
        }
    }

    /// Which metrics are stored, by side to move.
    pub fn stored(&self, frame: &Frame) -> [[bool; 3]; 2] {
        [0, 1].map(|side| Metric::ALL.map(|metric| self.is_stored(metric, side, frame)))
    }

    /// What the numbers of a side's distances to zeroing mean in a frame.
    pub fn distance_code(&self, side: usize, frame: &Frame) -> DistanceCode {
        match &self.tables {
            Tables::Native(_) => DistanceCode::Plies,
            Tables::Syzygy(tables) => tables.distance_code(side, frame),
        }
    }

    /// The score of a draw as the file of distances to mate counts: with numbers of one byte or of
    /// two.
    pub fn draw_in_file<S: Score>(&self) -> S {
        let native = self.native(Metric::Dtm);
        S::draw_in_file(native.is_some_and(NativeTable::has_high_bytes))
    }

    /// The numbers of a metric, at the addresses of a frame. There must be such a stream. Numbers
    /// where no position is, those outside the part, and those of identical men whose squares do
    /// not increase may be any. Those of our own tables are put away if there is a place for it.
    pub fn numbers(
        &self,
        metric: Metric,
        side: usize,
        frame: &Frame,
        part: &Part,
        place: &Place,
    ) -> Result<Numbers, LoadError> {
        if let Tables::Syzygy(tables) = &self.tables {
            return tables.numbers(metric, side, frame);
        }
        let (reading, streams) = self.reading(metric, side, frame)?;
        let numbers = |stream: Option<&Stream>| match stream {
            Some(stream) => reading.numbers(stream, part, place),
            None => Ok(Pages::default()),
        };
        let [low, high] = streams;
        Ok(Numbers {
            low: numbers(low)?,
            high: numbers(high)?,
            twins: Vec::new(),
        })
    }

    /// The numbers of some metrics, read band by band: of a frame without pawns, where a stream has
    /// so many that to read it piece by piece is to go through the frame for each.
    pub fn by_bands<'a>(
        &'a self,
        side: usize,
        frame: &'a Frame,
        is_read: [bool; 3],
    ) -> Result<Option<BandNumbers<'a>>, LoadError> {
        if self.format() != Format::Native || !is_read_by_bands(&self.space, frame) {
            return Ok(None);
        }
        let mut streams = [None, None, None];
        for metric in Metric::ALL {
            let number = usize::from(metric.number());
            if is_read[number] {
                streams[number] = Some(self.reading(metric, side, frame)?);
            }
        }
        Ok(Some(BandNumbers {
            streams,
            band: 0..0,
            pairs: PairNumbers::default(),
            numbers: Default::default(),
        }))
    }

    /// Bytes that the numbers of a metric take in memory, at the addresses of a frame.
    pub fn bytes_of_numbers(&self, metric: Metric, frame: &Frame) -> u64 {
        let native = self.native(metric);
        let planes = 1 + u64::from(native.is_some_and(NativeTable::has_high_bytes));
        planes * frame.addresses as u64 * size_of::<Line<u8>>() as u64
    }

    /// The numbers of a metric at addresses with some squares of the white king, their low bytes
    /// and, if there are any, their high ones. There must be such a stream of our own format.
    pub fn lines(
        &self,
        metric: Metric,
        side: usize,
        frame: &Frame,
        addresses: &Range<usize>,
    ) -> Result<[Vec<Line<u8>>; 2], LoadError> {
        let (reading, streams) = self.reading(metric, side, frame)?;
        let lines = |stream: Option<&Stream>| match stream {
            Some(stream) => reading.lines(stream, addresses),
            None => Ok(Vec::new()),
        };
        let [low, high] = streams;
        Ok([lines(low)?, lines(high)?])
    }

    /// How a side's numbers come into a frame.
    fn reading<'a>(
        &'a self,
        metric: Metric,
        side: usize,
        frame: &'a Frame,
    ) -> Result<StreamReading<'a>, LoadError> {
        let missing = || LoadError::Missing {
            material: *self.material(),
            path: PathBuf::from(format!("{}.{metric}", self.material())),
            format: Format::Native,
        };
        let native = self.native(metric).ok_or_else(missing)?;
        let is_exchanged = self.material().is_symmetric() && side == 1;
        let side_in_table = if is_exchanged { 0 } else { side };
        let low = native.stream(side_in_table).ok_or_else(missing)?;
        let reading = Reading {
            native,
            normal_space: &self.space,
            metric,
            frame,
            side: Color::ALL[side],
            is_exchanged,
        };
        Ok((reading, [Some(low), native.high_bytes(side_in_table)]))
    }
}

/// Whether numbers come into a frame band by band.
pub(super) fn is_read_by_bands(space: &IndexSpace, frame: &Frame) -> bool {
    frame.in_triangle && space.len() > PIECE && bytes_of_pairs(space) <= MOST_OF_PAIRS
}

/// Bytes of the numbers of all pairs of kings that one square of the white king leads to, at most:
/// he, or in other colours the black king on any of 64 squares. In a file whose White has the other
/// colours these are turned into ten, and of the other king's square there are eight images.
pub(super) fn bytes_of_pairs(space: &IndexSpace) -> u64 {
    space.len() / PAIRS_IN_FILE * MOST_PAIRS
}

/// Pairs of kings in a file without pawns: ten squares times 64.
const PAIRS_IN_FILE: u64 = 640;
/// Those of one square of the white king, at most.
const MOST_PAIRS: u64 = 80;
/// Bytes of numbers that are brought together.
const MOST_OF_PAIRS: u64 = 1 << 31;

/// The numbers of one side to move, of which one band at a time is in memory.
pub(super) struct BandNumbers<'a> {
    /// By metric, where they are read.
    streams: [Option<StreamReading<'a>>; 3],
    band: Range<usize>,
    pairs: PairNumbers,
    /// Those of the band.
    numbers: [Numbers; 3],
}

/// How numbers come into a frame, and the streams of their low and high bytes.
type StreamReading<'a> = (Reading<'a>, [Option<&'a Stream>; 2]);

impl BandNumbers<'_> {
    pub fn has(&self, metric: Metric) -> bool {
        self.streams[usize::from(metric.number())].is_some()
    }

    /// The numbers of a band by metric, the first those of its first address.
    pub fn read(&mut self, part: &Part, band: &Range<usize>) -> Result<&[Numbers; 3], LoadError> {
        if self.band == *band {
            return Ok(&self.numbers);
        }
        for (streams, numbers) in self.streams.iter().zip(&mut self.numbers) {
            if let Some((reading, [low, high])) = streams {
                for (stream, pages) in [(low, &mut numbers.low), (high, &mut numbers.high)] {
                    if let Some(stream) = stream {
                        reading.read_band(stream, part, band, &mut self.pairs, pages)?;
                    }
                }
            }
        }
        self.band = band.clone();
        Ok(&self.numbers)
    }
}

/// A table of ours on its way into a frame.
struct Reading<'a> {
    native: &'a NativeTable,
    normal_space: &'a IndexSpace,
    metric: Metric,
    frame: &'a Frame,
    side: Color,
    /// Whether this side's numbers are those of the other in the other colours.
    is_exchanged: bool,
}

/// The blocks of a stream that hold the numbers of a frame, and how these are brought there.
struct Blocks<'a> {
    gather: Gather<'a>,
    blocks: Range<u64>,
    /// How many are decoded together.
    together: u64,
}

impl Reading<'_> {
    fn numbers(&self, stream: &Stream, part: &Part, place: &Place) -> Result<Pages<u8>, LoadError> {
        let (together, piece) = match place.is_large {
            true => (TOGETHER, PIECE),
            false => (usize::MAX, u64::MAX),
        };
        let blocks = self.blocks(stream, piece, Orders::Increasing)?;
        if let Some((away, _)) = &place.away {
            away.clear();
        }
        let spares = place.spares.upgrade();
        let spare = spares.as_ref().map(|spares| &spares.numbers);
        let mut numbers = spare.map(|spare| spare.take()).unwrap_or_default();
        let mut pages = Pages::new(self.frame.addresses, place);
        let bands = self.frame.bands(place.away.is_some());
        let length = bands.first().map_or(1, |band| band.len());
        for bands in bands.chunks((together / length).max(1)) {
            let start = bands.first().map_or(0, |band| band.start);
            let lines = pages.room(bands.iter().map(|band| band.len()).sum());
            self.fill(stream, &blocks, part, (start, lines), &mut numbers)?;
            pages.settle();
        }
        if let Some(spare) = spare {
            spare.put(numbers);
        }
        Ok(pages)
    }

    /// The lines of a band in memory, in place of those that are there; none if they have only high
    /// bytes that are zero.
    fn read_band(
        &self,
        stream: &Stream,
        part: &Part,
        band: &Range<usize>,
        numbers: &mut PairNumbers,
        pages: &mut Pages<u8>,
    ) -> Result<(), LoadError> {
        *pages = match pages.is_empty() {
            true => Pages::new(band.len(), &Place::default()),
            false => std::mem::take(pages).used_again(),
        };
        let length = self.frame.stride(0);
        for start in band.clone().step_by(length) {
            let gather = self.bring_together(stream, Orders::Increasing, start, numbers)?;
            if stream.plane() == Plane::High && band.len() == length && numbers.are_zeros() {
                *pages = Pages::default();
                break;
            }
            gather.run(numbers.piece(), part, self.side, start, pages.room(length));
        }
        Ok(())
    }

    /// The lines at addresses with some squares of the white king.
    fn lines(&self, stream: &Stream, addresses: &Range<usize>) -> Result<Vec<Line<u8>>, LoadError> {
        if is_read_by_bands(self.normal_space, self.frame) {
            let mut lines = large_lines(addresses.len());
            let mut numbers = PairNumbers::default();
            let length = self.frame.stride(0);
            let starts = addresses.clone().step_by(length);
            for (start, lines) in starts.zip(lines.chunks_mut(length)) {
                let gather = self.bring_together(stream, Orders::All, start, &mut numbers)?;
                gather.run(numbers.piece(), &Part::Whole, self.side, start, lines);
            }
            return Ok(lines);
        }
        let blocks = self.blocks(stream, PIECE, Orders::All)?;
        let mut lines = large_lines(addresses.len());
        let place = (addresses.start, &mut lines[..]);
        self.fill(stream, &blocks, &Part::Whole, place, &mut Vec::new())?;
        Ok(lines)
    }

    /// Where the numbers of the frame are, of which about so many are decoded together.
    fn blocks(&self, stream: &Stream, piece: u64, orders: Orders) -> Result<Blocks<'_>, LoadError> {
        let (space, order) = self.space_and_order(stream)?;
        let gather = Gather::new(space, &order, self.frame, self.exchanges_colors(), orders);
        let range = gather.range(&order, space);
        let block_values = u64::from(stream.block_values());
        Ok(Blocks {
            gather,
            blocks: range.start / block_values..range.end.div_ceil(block_values),
            together: (piece / block_values).max(1),
        })
    }

    /// The index space of the file, and the order in which a stream has its dimensions.
    fn space_and_order(&self, stream: &Stream) -> Result<(&IndexSpace, Order), LoadError> {
        let space = (self.native.exchanged_space.as_ref()).unwrap_or(self.normal_space);
        let order = space.order(&stream.order());
        let order = order.map_err(|_| LoadError::Foreign {
            path: self.native.path.clone(),
            material: *self.normal_space.material(),
            metric: self.metric,
        })?;
        Ok((space, order))
    }

    /// Whether White and Black change places between the file and the frame.
    fn exchanges_colors(&self) -> bool {
        self.native.exchanged_space.is_some() != self.is_exchanged
    }

    fn table_error(&self, error: Error) -> LoadError {
        LoadError::Table {
            path: self.native.path.clone(),
            error,
        }
    }

    /// Brings the numbers of one square of the white king together, in a frame without pawns, from
    /// whose first address on [`Gather::run`] takes them to their lines.
    fn bring_together(
        &self,
        stream: &Stream,
        orders: Orders,
        start: usize,
        numbers: &mut PairNumbers,
    ) -> Result<Gather<'_>, LoadError> {
        let (space, order) = self.space_and_order(stream)?;
        let white_king = self.frame.squares(start)[0];
        let gather = Gather::new(space, &order, self.frame, self.exchanges_colors(), orders);
        let (gather, pairs) = gather.of_pairs(space, &order, white_king);
        let read = numbers.read(&pairs, &self.native.table, stream);
        read.map_err(|error| self.table_error(error))?;
        Ok(gather)
    }

    /// Brings the numbers to the lines from address `start` on. They are all zeros before, and
    /// whole bands.
    fn fill(
        &self,
        stream: &Stream,
        Blocks {
            gather,
            blocks,
            together,
        }: &Blocks<'_>,
        part: &Part,
        (start, lines): (usize, &mut [Line<u8>]),
        numbers: &mut Vec<u8>,
    ) -> Result<(), LoadError> {
        let table = &self.native.table;
        let mut next = blocks.start;
        while next < blocks.end {
            let end = next.saturating_add(*together).min(blocks.end);
            let read = table.read_blocks_into(stream, next..end, numbers);
            read.map_err(|error| self.table_error(error))?;
            let piece = Piece {
                numbers,
                first: next * u64::from(stream.block_values()),
                is_first: next == blocks.start,
            };
            gather.run(piece, part, self.side, start, lines);
            next = end;
        }
        Ok(())
    }
}

fn open_native(
    directory: &Path,
    space: &IndexSpace,
    metrics: &[Metric],
) -> Result<[Option<NativeTable>; 3], LoadError> {
    let material = *space.material();
    let mut tables = [None, None, None];
    for &metric in metrics {
        let path = path_of(directory, &material, metric, Format::Native).unwrap_or_default();
        if !path.exists() {
            if metric == Metric::Wdl {
                return Err(LoadError::Missing {
                    material,
                    path,
                    format: Format::Native,
                });
            }
            continue;
        }
        let table = Table::open_unmapped(&path).map_err(|error| LoadError::Table {
            path: path.clone(),
            error,
        })?;
        let description = table.description();
        let is_exchanged = path != table_path(directory, &material, metric);
        let exchanged_space =
            is_exchanged.then(|| IndexSpace::new(material.with_colors_exchanged()));
        let normal_space = space;
        let space = exchanged_space.as_ref().unwrap_or(normal_space);
        let fits = description.material == space.material().to_string()
            && description.metric == metric.number()
            && table.streams().iter().all(|stream| {
                space.order(&stream.order()).is_ok()
                    && usize::from(stream.side()) < sides(&material)
            })
            && check_streams::<Chess>(&table, space.material(), metric, space.len()).is_ok();
        if !fits {
            return Err(LoadError::Foreign {
                path,
                material,
                metric,
            });
        }
        // Tables with the colours exchanged are older than statistics.
        let statistics = match &exchanged_space {
            Some(_) => None,
            None => table.statistics().ok().flatten(),
        };
        let description = match &exchanged_space {
            Some(space) => in_other_colors(description, space, normal_space),
            None => description.clone(),
        };
        tables[usize::from(metric.number())] = Some(NativeTable {
            path,
            table,
            exchanged_space,
            description,
            statistics,
        });
    }
    Ok(tables)
}

/// The sides to move that have values of their own: with the same men on both sides, one serves for
/// both.
pub(super) fn sides(material: &Material) -> usize {
    if material.is_symmetric() { 1 } else { 2 }
}
