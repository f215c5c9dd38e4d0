//! The Syzygy files of one solved material.
//!
//! What a file holds, its coding and its layout are `crate::syzygy`'s; here is where the values come from and which order
//! of the men compresses best.

#[cfg(test)]
mod falsified;
mod locate;
mod race;
mod settle;
mod source;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::slices::Slices;
use crate::Error;
use crate::chess::material::Material;
use crate::chess::solve::SolveError;
use crate::game::Color;
use crate::metric::Metric;
use crate::syzygy::{
    self, EncodedStream, Encoder, Flags, LeadingPawns, Listed, MenOrder, Stream, files,
};
use crate::table::WriteError;
use locate::{LastSlice, Locator};
use race::{best_of, place_apart};
use settle::{is_free, settle};
use source::{Histogram, Numbers};

/// Indices that a thread looks at at a time.
const TASK: usize = 1 << 16;
/// Indices of a piece of the sample that orders are compared by.
const PIECE: usize = 1 << 12;
/// Pieces that are looked at first: in a smaller sample orders of short periods look better than they are.
const FEWEST_PIECES: u64 = 8;
const MOST_PIECES: u64 = 32;
/// Of pieces in which nothing is asked for, so many times as many are passed over.
const MOST_EMPTY: usize = 16;

/// Writes one Syzygy table of a solved material, whose results by conversion are those by captures alone, and returns
/// the size of its file in bytes.
///
/// # Errors
///
/// If the file cannot be written, or the caller cancelled.
pub fn write_syzygy(
    directory: &Path,
    slices: &impl Slices,
    metric: Metric,
    cancel: &AtomicBool,
) -> Result<u64, Error> {
    let table = Table::new(slices);
    let name = syzygy::file_name(&table.material, metric).ok_or_else(|| Error::Write {
        name: table.material.to_string(),
        problem: WriteError::Description("Syzygy tables have no distances to mate"),
    })?;
    let streams = match metric {
        Metric::Wdl => table.results(cancel),
        _ => table.distances(cancel),
    }?;
    if let Some(error) = slices.error() {
        return Err(error.clone().into());
    }
    syzygy::write_table(&directory.join(name), &table.material, metric, &streams)
}

/// A material and its values.
struct Table<'a, S> {
    slices: &'a S,
    material: Material,
    /// For each slice the file of the leading pawn.
    file: Vec<usize>,
    orders: Vec<MenOrder>,
}

/// The bytes of one side to move, by the places of a [`Locator`].
struct Side {
    bytes: Vec<u8>,
    metric: Metric,
}

impl<'a, S: Slices> Table<'a, S> {
    fn new(slices: &'a S) -> Table<'a, S> {
        let material = slices.material();
        let orders = MenOrder::all(&material);
        let leading = orders
            .first()
            .and_then(|order| order.encoder(0)?.leading_color());
        let file = |slice| {
            let pawns = leading.map_or(0, |color| slices.placement(slice).of(color));
            LeadingPawns::new(pawns).map_or(0, |pawns| pawns.file())
        };
        Table {
            slices,
            material,
            file: (0..slices.count()).map(file).collect(),
            orders,
        }
    }

    /// The sides to move that files may hold.
    fn sides(&self) -> &'static [Color] {
        match self.material.is_symmetric() {
            true => &[Color::White],
            false => &Color::ALL,
        }
    }

    fn results(&self, cancel: &AtomicBool) -> Result<Vec<Stream>, Error> {
        let sides = self.sides();
        let mut streams: Vec<Vec<Stream>> = Vec::new();
        for &side in sides {
            let side = Side {
                bytes: source::results(self.slices, side.index()),
                metric: Metric::Wdl,
            };
            let of_file = |file: usize| {
                let listed = self.listed(file);
                let (_, order) = self.best_order(&[&side], file, &listed, cancel)?;
                self.stream(&side, file, order, &listed, Flags::default(), cancel)
            };
            let of_files = (0..files(&self.material)).into_par_iter().map(of_file);
            streams.push(of_files.collect::<Result<Vec<Stream>, Error>>()?);
        }
        // By file first.
        let mut sides: Vec<_> = streams.into_iter().map(Vec::into_iter).collect();
        let mut by_file = Vec::new();
        for _ in 0..files(&self.material) {
            by_file.extend(sides.iter_mut().filter_map(Iterator::next));
        }
        Ok(by_file)
    }

    fn distances(&self, cancel: &AtomicBool) -> Result<Vec<Stream>, Error> {
        let files = files(&self.material);
        let mut numbers: Vec<Vec<Numbers>> = Vec::new();
        let mut sides = Vec::new();
        for &side in self.sides() {
            let side = side.index();
            let histograms = Histogram::by_file(self.slices, side, &self.file, files);
            let of_files: Vec<Numbers> = histograms.iter().map(Numbers::new).collect();
            sides.push(Side {
                bytes: source::distances(self.slices, side, &self.file, &of_files),
                metric: Metric::Dtz,
            });
            numbers.push(of_files);
        }
        let sides: Vec<&Side> = sides.iter().collect();
        let of_file = |file: usize| {
            let listed = self.listed(file);
            let (side, order) = self.best_order(&sides, file, &listed, cancel)?;
            let Numbers { flags, maps, .. } = &numbers[side][file];
            let turn = match self.sides()[side] {
                Color::White => Flags::default(),
                Color::Black => Flags::BLACK_TO_MOVE,
            };
            let flags = flags.with(turn);
            let mut stream = self.stream(sides[side], file, order, &listed, flags, cancel)?;
            stream.maps.clone_from(maps);
            Ok(stream)
        };
        (0..files).into_par_iter().map(of_file).collect()
    }

    fn listed(&self, file: usize) -> Listed {
        let encoder = self.encoder(&self.orders[0], file);
        Listed::new(&encoder)
    }

    fn encoder(&self, order: &MenOrder, file: usize) -> Encoder {
        order
            .encoder(file)
            .expect("orders that no encoder has were left out")
    }

    fn gather<'b>(
        &'b self,
        side: &'b Side,
        file: usize,
        order: &MenOrder,
        listed: &'b Listed,
    ) -> Result<Gather<'b>, Error> {
        let material = self.slices.material();
        let locator = Locator::new(&material, self.slices.pawns(), &order.pieces);
        Ok(Gather {
            encoder: self.encoder(order, file),
            listed,
            locator: locator.ok_or_else(|| SolveError::too_large(&material))?,
            side,
        })
    }

    /// The side to move and the order of men that compress best in a sample.
    fn best_order(
        &self,
        sides: &[&Side],
        file: usize,
        listed: &Listed,
        cancel: &AtomicBool,
    ) -> Result<(usize, &MenOrder), Error> {
        let candidates = (0..sides.len())
            .flat_map(|side| self.orders.iter().map(move |order| (side, order)))
            .collect();
        let len = self.encoder(&self.orders[0], file).len();
        let pieces = (len >> 20).clamp(FEWEST_PIECES, MOST_PIECES) as usize;
        best_of(candidates, pieces, |&(side, order), pieces| {
            is_cancelled(cancel)?;
            Ok(self
                .gather(sides[side], file, order, listed)?
                .bytes_of_sample(pieces))
        })
    }

    fn stream(
        &self,
        side: &Side,
        file: usize,
        order: &MenOrder,
        listed: &Listed,
        flags: Flags,
        cancel: &AtomicBool,
    ) -> Result<Stream, Error> {
        is_cancelled(cancel)?;
        let values = self.gather(side, file, order, listed)?.all();
        is_cancelled(cancel)?;
        Ok(Stream {
            order: order.clone(),
            encoded: EncodedStream::new(&values, flags, side.metric),
            maps: None,
        })
    }
}

fn is_cancelled(cancel: &AtomicBool) -> Result<(), Error> {
    match cancel.load(Ordering::Relaxed) {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

/// The values of a stream in the order of its indices.
struct Gather<'a> {
    encoder: Encoder,
    listed: &'a Listed,
    locator: Locator<'a>,
    side: &'a Side,
}

impl Gather<'_> {
    fn gather(&self, start: u64, out: &mut [u8]) {
        let mut last = LastSlice::default();
        let mut places = out.iter_mut();
        let len = places.len();
        self.encoder
            .for_each_placement(self.listed, start, len, |squares| {
                if let Some(out) = places.next() {
                    *out = self.side.bytes[self.locator.place(squares, &mut last)];
                }
            });
    }

    fn all(&self) -> Vec<u8> {
        let mut values = vec![0; self.encoder.len() as usize];
        values
            .par_chunks_mut(TASK)
            .enumerate()
            .for_each(|(task, values)| self.gather((task * TASK) as u64, values));
        settle(&mut values, self.side.metric);
        values
    }

    /// Bytes that some pieces of the stream take, about. Where most pieces have nothing that is asked for, as many more are looked
    /// at until there are enough that have.
    fn bytes_of_sample(&self, pieces: usize) -> u64 {
        let len = self.encoder.len();
        let piece = (len as usize / pieces).clamp(1, PIECE);
        let starts = len - piece as u64 + 1;
        let mut values = Vec::with_capacity(pieces * piece);
        let mut seen = 0;
        while values.len() < pieces * piece && seen < MOST_EMPTY * pieces {
            let start = values.len();
            values.resize(start + piece, 0);
            self.gather(place_apart(seen as u64, starts), &mut values[start..]);
            if is_free(&values[start..], self.side.metric) {
                values.truncate(start);
            }
            seen += 1;
        }
        if values.is_empty() {
            return 0;
        }
        settle(&mut values, self.side.metric);
        let bytes = EncodedStream::new(&values, Flags::default(), self.side.metric).bytes();
        bytes * pieces as u64 / seen as u64
    }
}
