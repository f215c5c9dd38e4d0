//! The Syzygy files of one solved material.
//!
//! What a file holds, its coding and its layout are `crate::syzygy`'s; here is where the values
//! come from and which order of the men compresses best.
//!
//! A stream is one side to move, with pawns of one file of the leading pawn. The bytes of the
//! positions that it is made of are laid out in the solver's order, and gathered from there in any
//! order of the men. Of a material with few positions all streams of a side are made at the same
//! time; else one after the other, and a stream of many indices is never in memory as a whole.

#[cfg(test)]
mod falsified;
mod gather;
mod kings;
mod locate;
#[cfg(test)]
mod long;
mod race;
mod settle;
mod source;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::slices::Slices;
use crate::Error;
use crate::chess::material::Material;
use crate::chess::placement::{PawnPlacement, PawnSlices};
use crate::chess::solve::SolveError;
use crate::error::write_error;
use crate::game::Color;
use crate::metric::Metric;
use crate::store::{Scratch, ScratchDirectory};
use crate::syzygy::{
    self, EncodedStream, Encoder, Flags, LeadingPawns, Listed, MenOrder, PIECE, Stream, files,
};
use crate::table::WriteError;
use gather::{Gather, Long};
use kings::KingPairs;
use locate::Locator;
use race::best_of;
use settle::{Frequencies, settle};
use source::{FileSlices, Numbers, Values};

/// Pieces that are looked at first: in a smaller sample orders of short periods look better than
/// they are.
const FEWEST_PIECES: u64 = 8;
const MOST_PIECES: u64 = 32;

/// How much is in memory at a time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Positions of both sides to move up to which all streams of a side are made at the same time.
    /// The bytes of a file do not depend on it.
    pub at_once: u64,
    /// Values up to which a stream is in memory as a whole, and values of the sample of a longer
    /// one. The bytes of those depend on it.
    pub stream: u64,
}

impl Limits {
    /// All materials of five men have fewer positions, and shorter streams.
    pub const DEFAULT: Limits = Limits {
        at_once: 1 << 30,
        stream: 1 << 27,
    };

    /// Whether all streams of a side are made at the same time, of so many positions of one side to
    /// move.
    fn are_at_once(self, positions: u64) -> bool {
        2 * positions <= self.at_once
    }

    /// Bytes while a file is written of a material with so many positions of one side to move, of
    /// which one file of the leading pawn has at most so many.
    pub fn bytes(self, positions: u64, of_file: u64) -> u64 {
        match self.are_at_once(positions) {
            true => (2 + STREAM_BYTES) * positions,
            false => of_file + STREAM_BYTES * self.stream + PIECES_BYTES,
        }
    }
}

/// Bytes of an index of a stream in memory: the value, and the symbol.
const STREAM_BYTES: u64 = 3;
/// Bytes of the pieces of a long stream that threads work on, of the ends of blocks, and of the
/// sparse index.
const PIECES_BYTES: u64 = 128 << 20;
/// Bits of a position of one side to move that wait in scratch files as symbols and blocks, at
/// most.
const WAITING_BITS: u64 = 1;

/// Bytes of scratch files while a file is written of a material with so many positions of one side
/// to move.
pub fn scratch(positions: u64) -> u64 {
    match Limits::DEFAULT.are_at_once(positions) {
        true => 0,
        false => 2 * positions * WAITING_BITS / 8,
    }
}

/// Bytes of one side to move of a slice of so many words.
pub fn bytes_of_slice(has_pawns: bool, words: u64) -> u64 {
    KingPairs::new(has_pawns, words as usize).bytes_before(words as usize) as u64
}

/// The most slices of a material whose leading pawn stands on the same file.
pub fn most_slices(material: &Material) -> u64 {
    let slices = PawnSlices::new(material);
    let leading = leading_color(material);
    let mut counts = vec![0; files(material)];
    for slice in 0..slices.len() {
        counts[file_of(leading, slices.placement(slice))] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}

/// The side whose pawns lead, if there are any.
fn leading_color(material: &Material) -> Option<Color> {
    let orders = MenOrder::all(material);
    orders.first()?.encoder(0)?.leading_color()
}

/// The file of the leading pawn; 0 without pawns.
fn file_of(leading: Option<Color>, placement: PawnPlacement) -> usize {
    let pawns = leading.map_or(0, |color| placement.of(color));
    LeadingPawns::new(pawns).map_or(0, |pawns| pawns.file())
}

/// How a file is written.
#[derive(Debug)]
pub struct Writing<'a> {
    /// Where it goes.
    pub directory: &'a Path,
    /// Where scratch files go.
    pub scratch: &'a ScratchDirectory,
    /// Whether some distances to zeroing take two bytes.
    pub has_high_bytes: bool,
    /// How much is in memory at a time.
    pub limits: Limits,
    /// Checked now and then.
    pub cancel: &'a AtomicBool,
}

/// Writes one Syzygy table of a solved material, whose results by conversion are those by captures
/// alone, and returns the size of its file in bytes.
///
/// # Errors
///
/// If the file cannot be written, or the caller cancelled.
pub fn write_syzygy(
    slices: &dyn Slices,
    metric: Metric,
    writing: &Writing<'_>,
) -> Result<u64, Error> {
    let material = slices.material();
    let no_table = |reason: &'static str| Error::Write {
        name: material.to_string(),
        problem: WriteError::Description(reason),
    };
    let name = syzygy::file_name(&material, metric)
        .ok_or_else(|| no_table("Syzygy tables have no distances to mate"))?;
    let leading = leading_color(&material);
    let file = |placement| file_of(leading, placement);
    let file_slices = FileSlices::of_files(slices, files(&material), file)
        .ok_or_else(|| SolveError::too_large(&material))?;
    let positions: usize = file_slices.iter().map(FileSlices::len).sum();
    let path = writing.directory.join(name);
    let table = Table {
        slices,
        material,
        files: file_slices,
        orders: MenOrder::all(&material),
        are_at_once: writing.limits.are_at_once(positions as u64),
        scratch: OnceLock::new(),
        path: &path,
        writing,
    };
    let streams = match metric {
        Metric::Wdl => table.results(),
        _ => table.distances(),
    };
    if let Some(error) = slices.error() {
        return Err(error.clone().into());
    }
    syzygy::write_table(&path, &material, metric, &streams?)
}

/// A material and its values.
struct Table<'a> {
    slices: &'a dyn Slices,
    material: Material,
    /// By file of the leading pawn.
    files: Vec<FileSlices>,
    orders: Vec<MenOrder>,
    are_at_once: bool,
    /// Blocks of long streams.
    scratch: OnceLock<Arc<Scratch>>,
    path: &'a Path,
    writing: &'a Writing<'a>,
}

/// What a stream is made of.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// Laid out for one side to move and one file.
    bytes: &'a [u8],
    metric: Metric,
    file: usize,
    listed: &'a Listed,
}

impl Table<'_> {
    /// The sides to move that files may hold.
    fn sides(&self) -> &'static [Color] {
        match self.material.is_symmetric() {
            true => &[Color::White],
            false => &Color::ALL,
        }
    }

    fn values(&self, side: usize, metric: Metric) -> Values<'_> {
        Values {
            slices: self.slices,
            side: self.sides()[side].index(),
            metric,
            has_high_bytes: self.writing.has_high_bytes && metric == Metric::Dtz,
        }
    }

    /// What is made of each file of the leading pawn.
    fn for_each_file<T: Send>(
        &self,
        make: impl Fn(usize) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let files = 0..self.files.len();
        match self.are_at_once {
            true => files.into_par_iter().map(&make).collect(),
            false => files.map(&make).collect(),
        }
    }

    fn results(&self) -> Result<Vec<Stream>, Error> {
        let mut sides = Vec::new();
        for side in 0..self.sides().len() {
            let streams = self.for_each_file(|file| {
                let bytes = self.values(side, Metric::Wdl).results(&self.files[file]);
                let listed = self.listed(file);
                let source = Source {
                    bytes: &bytes,
                    metric: Metric::Wdl,
                    file,
                    listed: &listed,
                };
                let candidates = self.orders.iter().collect();
                let order = best_of(candidates, self.pieces(file), |orders, pieces| {
                    let orders = orders.par_iter();
                    let sizes = orders.map(|order| self.bytes_of_sample(source, order, pieces));
                    sizes.collect()
                })?;
                self.stream(source, order, Flags::default())
            });
            sides.push(streams?.into_iter());
        }
        // By file first.
        let mut by_file = Vec::new();
        for _ in 0..self.files.len() {
            by_file.extend(sides.iter_mut().filter_map(Iterator::next));
        }
        Ok(by_file)
    }

    fn distances(&self) -> Result<Vec<Stream>, Error> {
        self.for_each_file(|file| {
            let mut sides = Sides::new(self, file)?;
            let listed = self.listed(file);
            let candidates = (0..self.sides().len())
                .flat_map(|side| self.orders.iter().map(move |order| (side, order)))
                .collect();
            let best = best_of(
                candidates,
                self.pieces(file),
                |candidates: &[(usize, &MenOrder)], pieces| {
                    let mut sizes = vec![0; candidates.len()];
                    for side in sides.order() {
                        let mut own: Vec<(&mut u64, &MenOrder)> = (sizes.iter_mut())
                            .zip(candidates)
                            .filter(|(_, (of, _))| *of == side)
                            .map(|(size, (_, order))| (size, *order))
                            .collect();
                        if own.is_empty() {
                            continue;
                        }
                        let source = Source {
                            bytes: sides.bytes(side),
                            metric: Metric::Dtz,
                            file,
                            listed: &listed,
                        };
                        own.par_iter_mut().try_for_each(|(size, order)| {
                            **size = self.bytes_of_sample(source, order, pieces)?;
                            Ok::<(), Error>(())
                        })?;
                    }
                    Ok(sizes)
                },
            );
            let (side, order) = best?;
            let turn = match self.sides()[side] {
                Color::White => Flags::default(),
                Color::Black => Flags::BLACK_TO_MOVE,
            };
            let Numbers { flags, maps, .. } = sides.numbers[side].clone();
            let source = Source {
                bytes: sides.bytes(side),
                metric: Metric::Dtz,
                file,
                listed: &listed,
            };
            let stream = self.stream(source, order, flags.with(turn))?;
            Ok(Stream { maps, ..stream })
        })
    }

    fn listed(&self, file: usize) -> Listed {
        Listed::new(&self.encoder(&self.orders[0], file))
    }

    fn encoder(&self, order: &MenOrder, file: usize) -> Encoder {
        order
            .encoder(file)
            .expect("orders that no encoder has were left out")
    }

    /// Pieces that are compared first.
    fn pieces(&self, file: usize) -> usize {
        let len = self.encoder(&self.orders[0], file).len();
        (len >> 20).clamp(FEWEST_PIECES, MOST_PIECES) as usize
    }

    fn gather<'b>(&'b self, source: Source<'b>, order: &MenOrder) -> Result<Gather<'b>, Error> {
        let file = &self.files[source.file];
        let locator = Locator::new(&self.material, self.slices.pawns(), file, &order.pieces);
        Ok(Gather {
            encoder: self.encoder(order, source.file),
            listed: source.listed,
            locator: locator.ok_or_else(|| SolveError::too_large(&self.material))?,
            bytes: source.bytes,
            metric: source.metric,
        })
    }

    fn bytes_of_sample(
        &self,
        source: Source<'_>,
        order: &MenOrder,
        pieces: usize,
    ) -> Result<u64, Error> {
        self.is_cancelled()?;
        let bytes = self.gather(source, order)?.bytes_of_sample(pieces);
        bytes.map_err(|error| self.told(error))
    }

    fn stream(&self, source: Source<'_>, order: &MenOrder, flags: Flags) -> Result<Stream, Error> {
        self.is_cancelled()?;
        let gather = self.gather(source, order)?;
        let encoded = if gather.encoder.len() > self.writing.limits.stream {
            self.long(gather, flags)
        } else {
            let values = gather.all();
            self.is_cancelled()?;
            EncodedStream::new(&values, flags, source.metric)
        };
        Ok(Stream {
            order: order.clone(),
            encoded: encoded.map_err(|error| self.told(error))?,
            maps: None,
        })
    }

    /// A stream that is never in memory as a whole.
    fn long(&self, gather: Gather<'_>, flags: Flags) -> io::Result<EncodedStream> {
        let metric = gather.metric;
        let pieces = (self.writing.limits.stream as usize / PIECE).max(1);
        let mut sample = gather.pieces(pieces);
        let long = Long {
            frequencies: Frequencies::new(&sample),
            cancel: self.writing.cancel,
            gather,
        };
        let pieces = sample.par_chunks_mut(PIECE);
        pieces.for_each(|piece| settle(piece, metric, &long.frequencies));
        // What is asked for anywhere, and what stands where nothing is.
        let mut is_present = Frequencies::new(long.gather.bytes).asked(metric);
        let mut free = [settle::free(metric)];
        settle(&mut free, metric, &long.frequencies);
        for value in sample.iter().chain(&free) {
            is_present[usize::from(*value)] = true;
        }
        let of_parts = Arc::new(Scratch::new(Some(self.writing.scratch))?);
        let of_blocks = self.scratch()?;
        let scratch = [&of_parts, &of_blocks];
        EncodedStream::of_long(&long, &sample, &is_present, flags, metric, scratch)
    }

    /// Where blocks of long streams wait.
    fn scratch(&self) -> io::Result<Arc<Scratch>> {
        if let Some(scratch) = self.scratch.get() {
            return Ok(Arc::clone(scratch));
        }
        let scratch = Arc::new(Scratch::new(Some(self.writing.scratch))?);
        Ok(Arc::clone(self.scratch.get_or_init(|| scratch)))
    }

    /// What an error of a stream means.
    fn told(&self, error: io::Error) -> Error {
        match self.is_cancelled() {
            Err(cancelled) => cancelled,
            Ok(()) => write_error(&self.path.display().to_string(), error.into()),
        }
    }

    fn is_cancelled(&self) -> Result<(), Error> {
        match self.writing.cancel.load(Ordering::Relaxed) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
}

/// The distances of a file for each side to move, of which only one is laid out if they are many.
struct Sides<'a> {
    table: &'a Table<'a>,
    file: usize,
    /// By side.
    numbers: Vec<Numbers>,
    laid_out: Vec<Option<Vec<u8>>>,
}

impl<'a> Sides<'a> {
    fn new(table: &'a Table<'a>, file: usize) -> Result<Sides<'a>, Error> {
        let sides = 0..table.sides().len();
        let numbers = sides.clone().map(|side| {
            let values = table.values(side, Metric::Dtz);
            Numbers::new(&values.histogram(&table.files[file])).ok_or_else(|| Error::Write {
                name: table.material.to_string(),
                problem: WriteError::Description(
                    "a distance is longer than Syzygy tables of six men have them",
                ),
            })
        });
        Ok(Sides {
            table,
            file,
            numbers: numbers.collect::<Result<_, Error>>()?,
            laid_out: sides.map(|_| None).collect(),
        })
    }

    /// The sides, one that is laid out first.
    fn order(&self) -> Vec<usize> {
        let mut sides: Vec<usize> = (0..self.laid_out.len()).collect();
        sides.sort_by_key(|&side| self.laid_out[side].is_none());
        sides
    }

    fn bytes(&mut self, side: usize) -> &[u8] {
        if self.laid_out[side].is_none() && !self.table.are_at_once {
            self.laid_out.fill(None);
        }
        let Sides {
            table,
            file,
            numbers,
            laid_out,
        } = self;
        laid_out[side].get_or_insert_with(|| {
            let values = table.values(side, Metric::Dtz);
            values.distances(&table.files[*file], &numbers[side])
        })
    }
}
