//! Syzygy tables as a source of numbers.
//!
//! Their streams are decoded block by block, all of one at a time. Then their indices are counted
//! up, with the men of each, and each number goes to its addresses.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::files::{LoadError, Numbers, Twin, path_of};
use super::layout::{Frame, Layout};
use super::line::{Line, key};
use super::numbers::{DistanceCode, NO_KEY};
use super::pages::Pages;
use super::scatter::Scatter;
use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::rules::Role;
use crate::chess::symmetry::transpose;
use crate::game::Color;
use crate::metric::{Metric, Wdl};
use crate::parallel;
use crate::probe::Format;
use crate::syzygy::{Encoder, LeadingPawns, Listed, Sequence, Squares, Table};

/// Values that are decoded together, at least.
const PIECE: usize = 1 << 16;
/// Indices that are counted up together.
const TASK: usize = 1 << 14;
/// Streams with more values than this are decoded anew for each slice if there are [`FEW`] of them.
const KEPT: u64 = 512 << 20;
/// As many slices as one pawn makes.
const FEW: usize = 24;

/// The Syzygy tables of a material.
#[derive(Debug)]
pub(super) struct SyzygyTables {
    material: Material,
    results: File,
    distances: Option<File>,
}

/// An open table.
#[derive(Debug)]
struct File {
    path: PathBuf,
    table: Table,
    metric: Metric,
    /// Whether its White is Black in the normal form of the material.
    is_flipped: bool,
    /// By stream.
    listed: Vec<Listed>,
    /// The decoded streams, if they are kept.
    decoded: Vec<Arc<Vec<u8>>>,
}

impl SyzygyTables {
    /// Opens the tables, and decodes what is needed for more than one slice.
    pub fn open(
        directory: &Path,
        layout: &Layout,
        metrics: &[Metric],
    ) -> Result<SyzygyTables, LoadError> {
        let material = layout.material;
        let open = |metric| {
            if !metrics.contains(&metric) {
                return Ok(None);
            }
            let path = path_of(directory, &material, metric, Format::Syzygy).unwrap_or_default();
            if !path.exists() {
                return Ok(None);
            }
            match Table::open_unmapped(&path, &material, metric) {
                Ok(table) => Ok(Some(File::new(path, table, metric, &material))),
                Err(error) => Err(LoadError::Table { path, error }),
            }
        };
        let results = open(Metric::Wdl)?.ok_or_else(|| LoadError::Missing {
            material,
            path: path_of(directory, &material, Metric::Wdl, Format::Syzygy).unwrap_or_default(),
            format: Format::Syzygy,
        })?;
        let mut tables = SyzygyTables {
            material,
            results,
            distances: open(Metric::Dtz)?,
        };
        let mut files = vec![&mut tables.results];
        files.extend(&mut tables.distances);
        let len: u64 = files.iter().map(|file| file.len()).sum();
        if layout.slices() > FEW || layout.slices() > 1 && len <= KEPT {
            for file in files {
                let all = (0..file.table.streams_len()).map(|stream| file.decode(stream));
                file.decoded = all.collect::<Result<_, LoadError>>()?;
            }
        }
        Ok(tables)
    }

    pub fn has(&self, metric: Metric) -> bool {
        self.file(metric).is_some()
    }

    fn file(&self, metric: Metric) -> Option<&File> {
        match metric {
            Metric::Wdl => Some(&self.results),
            Metric::Dtz => self.distances.as_ref(),
            Metric::Dtm => None,
        }
    }

    /// The stream of a side to move in a frame, and whether it is in the other colours.
    fn stream(&self, file: &File, side: usize, frame: &Frame) -> Option<(usize, bool)> {
        // Where both sides have the same men, White is to move in the file.
        let is_flipped = file.is_flipped != (self.material.is_symmetric() && side == 1);
        let turn = Color::ALL[side];
        let (pawns, turn) = match is_flipped {
            true => (frame.pawns.with_colors_exchanged(), !turn),
            false => (frame.pawns, turn),
        };
        let stream = file.table.stream_of(&with_pawns(pawns), turn)?;
        Some((stream, is_flipped))
    }

    pub fn is_stored(&self, metric: Metric, side: usize, frame: &Frame) -> bool {
        let file = self.file(metric);
        file.is_some_and(|file| self.stream(file, side, frame).is_some())
    }

    pub fn distance_code(&self, side: usize, frame: &Frame) -> DistanceCode {
        let mut keys = Box::new([[NO_KEY; 256]; 5]);
        let file = self.distances.as_ref();
        let found = file.and_then(|file| Some((file, self.stream(file, side, frame)?.0)));
        if let Some((file, stream)) = found {
            for (wdl, keys) in Wdl::ALL.into_iter().zip(keys.iter_mut()) {
                for (number, key) in (0..=u8::MAX).zip(keys) {
                    *key = file.key(stream, number, wdl).unwrap_or(NO_KEY);
                }
            }
        }
        DistanceCode::Keys(keys)
    }

    /// The numbers of a metric at the addresses of a frame.
    pub fn numbers(
        &self,
        metric: Metric,
        side: usize,
        frame: &Frame,
    ) -> Result<Numbers, LoadError> {
        let found = self.file(metric);
        let found = found.and_then(|file| Some((file, self.stream(file, side, frame)?)));
        let Some((file, (stream, is_flipped))) = found else {
            return Ok(Numbers::default());
        };
        let values = match file.decoded.get(stream) {
            Some(values) => Arc::clone(values),
            None => file.decode(stream)?,
        };
        let reading = Reading {
            encoder: file.table.encoder(stream),
            listed: &file.listed[stream],
            values: &values,
            frame,
            is_flipped,
            metric: file.metric,
            cells: (0..frame.addresses)
                .into_par_iter()
                .map(|_| [const { AtomicU8::new(0) }; 64])
                .collect(),
        };
        Ok(reading.run())
    }
}

fn with_pawns(pawns: PawnPlacement) -> Placement {
    let mut placement = Placement::default();
    for color in Color::ALL {
        placement.men[color.index()][Role::Pawn.index()] = pawns.of(color);
    }
    placement
}

impl File {
    fn new(path: PathBuf, table: Table, metric: Metric, material: &Material) -> File {
        let streams = 0..table.streams_len();
        File {
            is_flipped: table.material() != material,
            listed: streams
                .map(|stream| Listed::new(table.encoder(stream)))
                .collect(),
            path,
            table,
            metric,
            decoded: Vec::new(),
        }
    }

    /// Values of all streams together.
    fn len(&self) -> u64 {
        let streams = 0..self.table.streams_len();
        streams.map(|stream| self.table.encoder(stream).len()).sum()
    }

    /// All values of a stream.
    fn decode(&self, stream: usize) -> Result<Arc<Vec<u8>>, LoadError> {
        let error = |error| LoadError::Table {
            path: self.path.clone(),
            error,
        };
        let sequence = Sequence::new(&self.table, stream).map_err(error)?;
        if !sequence.is_of_bytes() {
            return Err(LoadError::TooLarge {
                material: *self.table.material(),
                path: self.path.clone(),
            });
        }
        let ends = sequence.ends(PIECE).map_err(error)?;
        let mut values = vec![0; ends.last().copied().unwrap_or(0)];
        let mut pieces = Vec::with_capacity(ends.len());
        let (mut start, mut rest) = (0, values.as_mut_slice());
        for end in ends {
            let (piece, later) = rest.split_at_mut(end - start);
            pieces.push((start, piece));
            (start, rest) = (end, later);
        }
        parallel::try_each_item(pieces, |_, (start, piece)| sequence.decode(start, piece))
            .map_err(error)?;
        Ok(Arc::new(values))
    }

    /// The key of what a number of a distance stands for.
    fn key(&self, stream: usize, number: u8, wdl: Wdl) -> Option<i16> {
        if wdl == Wdl::Draw {
            return Some(key::DRAWN);
        }
        let mut range = self.table.distance_of(stream, number, wdl)?;
        if range.shortest.wdl() == wdl && range.longest.wdl() != wdl {
            // Were it 100 plies, the file would have plies.
            range.longest = range.shortest;
        }
        key::of_range(range)
    }
}

/// A stream on its way into a frame.
struct Reading<'a> {
    encoder: &'a Encoder,
    listed: &'a Listed,
    values: &'a [u8],
    frame: &'a Frame,
    is_flipped: bool,
    metric: Metric,
    cells: Vec<[AtomicU8; 64]>,
}

impl Reading<'_> {
    fn run(self) -> Numbers {
        let twins = match self.encoder.leading_color() {
            None => self.read_all(),
            Some(leading) => self.read_slice(leading),
        };
        let lines = self.cells.into_par_iter();
        let lines = lines.map(|line| -> Line<u8> { line.map(AtomicU8::into_inner) });
        Numbers {
            low: Pages::here(lines.collect()),
            high: Pages::default(),
            twins,
        }
    }

    fn put(&self, place: usize, number: u8) {
        self.cells[place / 64][place % 64].store(number, Ordering::Relaxed);
    }

    fn twin(&self, place: usize, number: u8) -> Twin {
        Twin {
            metric: self.metric,
            address: place / 64,
            king: (place % 64) as u32,
            number,
        }
    }

    /// Reads all indices of a stream without pawns. If the leading men stand on the diagonal,
    /// mirror images have two: the first is read and the other one compared with it.
    fn read_all(&self) -> Vec<Twin> {
        let scatter = Scatter::new(self.frame, &self.encoder.men(), self.is_flipped, false);
        let twins = parallel::map_items(self.values.chunks(TASK), |task, values| {
            let mut twins = Vec::new();
            let start = task * TASK;
            let mut index = start;
            self.encoder
                .for_each_placement(self.listed, start as u64, values.len(), |squares| {
                    let number = self.values[index];
                    match self.twin_before(index, squares) {
                        Some(twin) if self.values[twin] == number => {}
                        Some(_) => twins.push(self.twin(scatter.place(squares), number)),
                        None => scatter.places(squares, |place| self.put(place, number)),
                    }
                    index += 1;
                });
            twins
        });
        twins.concat()
    }

    /// The lesser index of the mirror image, if there is one.
    fn twin_before(&self, index: usize, squares: &Squares) -> Option<usize> {
        if !self.encoder.leads_on_diagonal(squares) {
            return None;
        }
        let mut placement = self.encoder.placement(index as u64)?;
        for set in placement.men.as_flattened_mut() {
            *set = transpose(*set);
        }
        let twin = self.encoder.index(&placement, None)? as usize;
        (twin < index).then_some(twin)
    }

    /// Reads the indices of a slice. If only the leading pawns are their own mirror images, it has
    /// two sets of them.
    fn read_slice(&self, leading: Color) -> Vec<Twin> {
        let pawns = match self.is_flipped {
            true => self.frame.pawns.with_colors_exchanged(),
            false => self.frame.pawns,
        };
        let Some(first) = self.first_of(pawns, leading) else {
            return Vec::new();
        };
        self.read_pawns(first, |place, number| {
            self.put(place, number);
            None
        });
        match self.first_of(pawns.mirrored(), leading) {
            Some(second) if second != first => self.read_pawns(second, |place, number| {
                let other = self.cells[place / 64][place % 64].load(Ordering::Relaxed);
                (other != number).then(|| self.twin(place, number))
            }),
            _ => Vec::new(),
        }
    }

    /// The first index of a pawn placement.
    fn first_of(&self, pawns: PawnPlacement, leading: Color) -> Option<u64> {
        let mut placement = with_pawns(pawns);
        for piece in self.encoder.men() {
            if piece.role != Role::Pawn {
                let free = !placement.occupied();
                let men = &mut placement.men[piece.color.index()][piece.role.index()];
                *men |= free & free.wrapping_neg();
            }
        }
        let leading = LeadingPawns::new(pawns.of(leading));
        let index = self.encoder.index(&placement, leading)?;
        Some(self.encoder.first_with_pawns(index))
    }

    fn read_pawns(&self, first: u64, take: impl Fn(usize, u8) -> Option<Twin> + Sync) -> Vec<Twin> {
        let own = match self.is_flipped {
            true => self.frame.pawns.with_colors_exchanged(),
            false => self.frame.pawns,
        };
        let of_file = self.encoder.placement(first).unwrap_or_default();
        let is_mirrored = Color::ALL
            .iter()
            .any(|&color| of_file.of(color, Role::Pawn) != own.of(color));
        let scatter = Scatter::new(
            self.frame,
            &self.encoder.men(),
            self.is_flipped,
            is_mirrored,
        );
        let len = self.encoder.len_with_pawns() as usize;
        let twins = parallel::map(len.div_ceil(TASK), |task| {
            let start = task * TASK;
            let mut twins = Vec::new();
            self.encoder.for_each_placement_with_pawns(
                self.listed,
                first,
                start as u64,
                TASK.min(len - start),
                |index, squares| {
                    let number = self.values[index as usize];
                    scatter.places(squares, |place| twins.extend(take(place, number)));
                },
            );
            twins
        });
        twins.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::rules::Piece;

    /// The first indices of a pawn placement and of its mirror image, with pieces behind them.
    fn first_indices(men: &str, file: usize, white: u64, black: u64) -> [Placement; 2] {
        let pieces: Vec<Piece> = men.chars().filter_map(Piece::from_letter).collect();
        let second = if men.contains('p') { 1 } else { 15 };
        let encoder = Encoder::new(&pieces, [0, second], file).unwrap();
        let layout = Layout::new("KPPvKPP".parse().unwrap());
        let pawns = PawnPlacement { white, black };
        let reading = Reading {
            encoder: &encoder,
            listed: &Listed::new(&encoder),
            values: &[],
            frame: &layout.frame(0),
            is_flipped: false,
            metric: Metric::Wdl,
            cells: Vec::new(),
        };
        [pawns, pawns.mirrored()].map(|pawns| {
            let first = reading.first_of(pawns, Color::White).unwrap();
            encoder.placement(first).unwrap()
        })
    }

    #[test]
    fn pawns_have_two_sets_of_indices_if_only_the_leading_ones_are_their_own_mirror_image() {
        let a2_h2 = 1 << 8 | 1 << 15;
        let [a, b] = first_indices("PPppKk", 0, a2_h2, 1 << 49 | 1 << 50);
        let [of_a, of_b] = [&a, &b].map(|placement| placement.of(Color::Black, Role::Pawn));
        assert_eq!((of_a, of_b), (1 << 49 | 1 << 50, 1 << 53 | 1 << 54));
        for (white, black) in [
            (a2_h2, 1 << 49 | 1 << 54),
            (1 << 8 | 1 << 14, 1 << 49 | 1 << 50),
        ] {
            let [a, b] = first_indices("PPppKk", 0, white, black);
            assert_eq!(a, b);
        }
    }
}
