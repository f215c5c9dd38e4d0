//! Streams -> the bytes of a file; `layout` says where everything stands.

use std::io::{self, Write};
use std::path::Path;

use super::checksum::{CHECKSUM_LEN, CHUNK, ChunkHash, checksum_of_hashes, hash_of_chunk};
use super::encode::EncodedStream;
use super::index::Encoder;
use super::layout::{DATA_ALIGNMENT, DTZ_MAGIC, Flags, HAS_PAWNS, SIDES_DIFFER, WDL_MAGIC};
use super::order::{MenOrder, files};
use crate::Error;
use crate::chess::material::Material;
use crate::chess::rules::Piece;
use crate::game::Color;
use crate::metric::Metric;
use crate::table::publish;

/// Distances by the number that stands for them, for each of the results of
/// [`map_number`](super::layout::map_number).
pub(crate) type Maps = [Vec<u8>; 4];

/// A stream that is written.
#[derive(Debug)]
pub(crate) struct Stream {
    pub order: MenOrder,
    pub encoded: EncodedStream,
    /// Of distances that are mapped.
    pub maps: Option<Maps>,
}

/// Writes a table of some streams, by the file of the leading pawn, then by the side to move, and
/// returns the size of the file in bytes. The file appears under its name when it is complete and
/// on disk.
///
/// # Errors
///
/// [`Error::Write`] if the system cannot write.
pub(crate) fn write_table(
    path: &Path,
    material: &Material,
    metric: Metric,
    streams: &[Stream],
) -> Result<u64, Error> {
    publish(path, |file| Ok(write_to(file, material, metric, streams)?))
}

/// A file that is being written.
struct Output<W> {
    to: W,
    /// Bytes written so far.
    len: u64,
    /// The bytes of the chunk of the checksum that is not full yet.
    chunk: Vec<u8>,
    hashes: Vec<ChunkHash>,
}

impl<W: Write> Output<W> {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.len += bytes.len() as u64;
        while !bytes.is_empty() {
            let (some, rest) = bytes.split_at(bytes.len().min(CHUNK - self.chunk.len()));
            self.chunk.extend_from_slice(some);
            bytes = rest;
            if self.chunk.len() == CHUNK {
                self.hashes.push(hash_of_chunk(&self.chunk));
                self.chunk.clear();
            }
        }
        Ok(())
    }

    fn pad(&mut self, alignment: u64) -> io::Result<()> {
        let len = self.len.next_multiple_of(alignment) - self.len;
        self.write(&[0; DATA_ALIGNMENT as usize][..len as usize])
    }

    /// Writes the checksum; returns how many bytes there are with it.
    fn finish(mut self) -> io::Result<u64> {
        if !self.chunk.is_empty() {
            self.hashes.push(hash_of_chunk(&self.chunk));
        }
        self.to.write_all(&checksum_of_hashes(&self.hashes))?;
        Ok(self.len + CHECKSUM_LEN as u64)
    }
}

/// Writes all of a table, and returns how many bytes that are.
fn write_to(
    to: impl Write,
    material: &Material,
    metric: Metric,
    streams: &[Stream],
) -> io::Result<u64> {
    let mut out = Output {
        to,
        len: 0,
        chunk: Vec::new(),
        hashes: Vec::new(),
    };
    out.write(&header(material, metric, streams))?;
    for stream in streams {
        out.write(&stream.encoded.sparse_index)?;
    }
    for stream in streams {
        out.write(&stream.encoded.block_lengths)?;
    }
    for stream in streams {
        if stream.encoded.blocks.len() > 0 {
            out.pad(DATA_ALIGNMENT)?;
            (stream.encoded.blocks).read(|bytes| out.write(bytes))?;
        }
    }
    out.pad(DATA_ALIGNMENT)?;
    out.finish()
}

/// All in front of the sparse indices.
fn header(material: &Material, metric: Metric, streams: &[Stream]) -> Vec<u8> {
    let mut bytes = match metric {
        Metric::Wdl => WDL_MAGIC,
        _ => DTZ_MAGIC,
    }
    .to_vec();
    let flag = |flag: u8, is_set: bool| if is_set { flag } else { 0 };
    bytes.push(
        flag(SIDES_DIFFER, !material.is_symmetric())
            | flag(HAS_PAWNS, material.has_pawns())
            | (material.men() as u8) << 4,
    );
    let sides = streams.len() / files(material);
    for sides in streams.chunks(sides) {
        write_order(sides, &mut bytes);
    }
    pad_to_even(&mut bytes);
    for stream in streams {
        bytes.extend(&stream.encoded.head);
    }
    for maps in streams.iter().filter_map(|stream| stream.maps.as_ref()) {
        for map in maps {
            bytes.push(map.len() as u8);
            bytes.extend(map);
        }
    }
    pad_to_even(&mut bytes);
    bytes
}

fn pad_to_even(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(2), 0);
}

/// Writes the order of men of one file of the leading pawn. Black to move has the high four bits.
fn write_order(sides: &[Stream], bytes: &mut Vec<u8>) {
    let white = &sides[0].order;
    let black = &sides[sides.len() - 1].order;
    bytes.push(white.ranks[0] | black.ranks[0] << 4);
    if white.has_second_pawns() {
        bytes.push(white.ranks[1] | black.ranks[1] << 4);
    }
    let pairs = white.pieces.iter().zip(&black.pieces);
    bytes.extend(pairs.map(|(&white, &black)| code(white) | code(black) << 4));
}

/// The code of a man.
fn code(piece: Piece) -> u8 {
    let color = match piece.color {
        Color::White => 0,
        Color::Black => 8,
    };
    (piece.role.index() as u8 + 1) | color
}

/// A stream of a table of which only the bytes count: what has a value, for whom to move, and the
/// values.
#[doc(hidden)]
#[derive(Debug)]
pub struct WrittenStream {
    pub encoder: Encoder,
    pub side: usize,
    pub values: Vec<u8>,
}

/// The bytes of a table of results of any values, and its streams, for tests of the way there and
/// back: `values` is asked for as many as a stream has, and `order` chooses an order of men.
/// Nothing if a stream would not have that order.
#[doc(hidden)]
pub fn written_for_test(
    material: &Material,
    order: usize,
    values: &mut dyn FnMut(u64) -> Vec<u8>,
) -> Option<(Vec<u8>, Vec<WrittenStream>)> {
    let orders = MenOrder::all(material);
    let sides = if material.is_symmetric() { 1 } else { 2 };
    let (mut streams, mut written) = (Vec::new(), Vec::new());
    for number in 0..files(material) * sides {
        let order = orders[(order + number * 7) % orders.len()].clone();
        let encoder = order.encoder(number / sides)?;
        let values = values(encoder.len());
        streams.push(Stream {
            order,
            encoded: EncodedStream::new(&values, Flags::default(), Metric::Wdl).ok()?,
            maps: None,
        });
        written.push(WrittenStream {
            encoder,
            side: number % sides,
            values,
        });
    }
    let mut bytes = Vec::new();
    write_to(&mut bytes, material, Metric::Wdl, &streams).ok()?;
    Some((bytes, written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Dtz, Wdl};
    use crate::syzygy::Table;
    use crate::syzygy::preloaded::Budget;

    /// Values in runs of many lengths, always the same.
    fn values(len: u64, number_of_values: u64, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut values = Vec::new();
        while (values.len() as u64) < len {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let run = 1 << ((state >> 59) % 13);
            let value = (state >> 33) % number_of_values;
            values.extend(std::iter::repeat_n(value as u8, run));
        }
        values.truncate(len as usize);
        values
    }

    /// A table with such values in every stream, and the values; the order of men is another one in
    /// each stream.
    fn table(
        material: &Material,
        metric: Metric,
        sides: usize,
        number_of_values: u64,
        flags: Flags,
        maps: Option<&Maps>,
    ) -> (Table, Vec<(MenOrder, Vec<u8>)>) {
        let orders = MenOrder::all(material);
        let mut streams = Vec::new();
        let mut expected = Vec::new();
        for number in 0..files(material) * sides {
            let order = orders[number * 7 % orders.len()].clone();
            let len = order.encoder(number / sides).unwrap().len();
            let values = values(len, number_of_values, number as u64);
            streams.push(Stream {
                order: order.clone(),
                encoded: EncodedStream::new(&values, flags, metric).unwrap(),
                maps: maps.cloned(),
            });
            expected.push((order, values));
        }
        let mut bytes = Vec::new();
        let written = write_to(&mut bytes, material, metric, &streams).unwrap();
        assert_eq!(written, bytes.len() as u64);
        let table = Table::from_store(Box::new(bytes), material, metric).unwrap();
        table.verify_checksum(&|_, _| true).unwrap();
        (table, expected)
    }

    #[test]
    fn results_that_are_written_are_read() {
        for material in ["KQvK", "KNNvK", "KBvKN", "KPvK", "KPvKP", "KQvKQ"] {
            let material: Material = material.parse().unwrap();
            let sides = if material.is_symmetric() { 1 } else { 2 };
            let (table, streams) = table(&material, Metric::Wdl, sides, 5, Flags::default(), None);
            for (number, (order, values)) in streams.iter().enumerate() {
                let encoder = order.encoder(number / sides).unwrap();
                for index in (0..encoder.len()).step_by(13) {
                    let placement = encoder.placement(index).unwrap();
                    let turn = Color::ALL[number % sides];
                    let expected = Wdl::from_index(values[index as usize].into());
                    assert_eq!(
                        table.wdl(&placement, turn).ok(),
                        expected,
                        "{material} {index}"
                    );
                }
            }
        }
    }

    #[test]
    fn preloaded_tables_have_the_results_of_their_blocks() {
        // Two bits and four, streams of one result, bytes that blocks do not fill.
        for (name, numbers, per_byte) in [
            ("KQvK", 3, 4),
            ("KNNvK", 5, 2),
            ("KPvKP", 4, 4),
            ("KPvK", 1, 0),
        ] {
            let material: Material = name.parse().unwrap();
            let sides = if material.is_symmetric() { 1 } else { 2 };
            let flags = Flags::default();
            let (table, streams) = table(&material, Metric::Wdl, sides, numbers, flags, None);
            let (mut bytes, mut expected) = (0, Vec::new());
            for (number, (order, values)) in streams.iter().enumerate() {
                let encoder = order.encoder(number / sides).unwrap();
                bytes += match per_byte {
                    0 => 0,
                    _ => values.len().div_ceil(per_byte),
                };
                for index in (0..encoder.len()).step_by(11) {
                    let placement = encoder.placement(index).unwrap();
                    let turn = Color::ALL[number % sides];
                    expected.push((placement, turn, table.wdl(&placement, turn).ok()));
                }
            }
            assert!(expected.iter().all(|(.., wdl)| wdl.is_some()));
            let room = Budget::new(bytes);
            if bytes > 0 {
                let too_little = Budget::new(bytes - 1);
                assert!(!table.preload_into(&too_little).unwrap());
                assert_eq!(too_little.taken(), 0);
            }
            assert!(table.preload_into(&room).unwrap());
            assert_eq!(room.taken(), bytes, "{name}");
            // It is done once.
            assert!(table.preload(0).unwrap());
            for (placement, turn, wdl) in expected {
                assert_eq!(table.wdl(&placement, turn).ok(), wdl, "{name}");
            }
        }
    }

    #[test]
    fn tables_of_other_numbers_are_not_preloaded() {
        let material: Material = "KNNvK".parse().unwrap();
        let room = Budget::new(1 << 24);
        for (metric, numbers) in [(Metric::Wdl, 6), (Metric::Dtz, 3)] {
            let flags = Flags::default();
            let (table, _) = table(&material, metric, 2, numbers, flags, None);
            assert!(!table.preload_into(&room).unwrap());
            assert_eq!(room.taken(), 0);
        }
    }

    #[test]
    fn distances_that_are_written_are_read() {
        let maps: Maps = [
            vec![9, 0, 50],
            vec![7, 1, 2],
            vec![100, 3, 30],
            vec![0, 1, 44],
        ];
        let material: Material = "KRvKP".parse().unwrap();
        let flags = Flags::BLACK_TO_MOVE
            .with(Flags::MAPPED)
            .with(Flags::LOSSES_IN_PLIES);
        let (table, streams) = table(&material, Metric::Dtz, 1, 3, flags, Some(&maps));
        for (file, (order, values)) in streams.iter().enumerate() {
            let encoder = order.encoder(file).unwrap();
            for index in (0..encoder.len()).step_by(997) {
                let placement = encoder.placement(index).unwrap();
                let number = usize::from(values[index as usize]);
                for (wdl, map, first, rounding) in [
                    (Wdl::Win, 0, 1, 1),
                    (Wdl::Loss, 1, -1, 0),
                    (Wdl::CursedWin, 2, 101, 1),
                    (Wdl::BlessedLoss, 3, -101, 1),
                ] {
                    let found = table.dtz(&placement, Color::Black, wdl).unwrap().unwrap();
                    let plies = i32::from(maps[map][number]) << rounding;
                    let sign = i32::signum(first);
                    assert_eq!(found.shortest, Dtz(first + sign * plies));
                    assert_eq!(found.longest, Dtz(first + sign * (plies + rounding)));
                }
                let other = table.dtz(&placement, Color::White, Wdl::Win);
                assert_eq!(other.unwrap(), None);
            }
        }
    }

    #[test]
    fn a_single_value_takes_two_bytes_a_stream() {
        let material: Material = "KBvK".parse().unwrap();
        let (table, _) = table(&material, Metric::Wdl, 2, 1, Flags::default(), None);
        assert_eq!(table.file_len(), 80);
    }
}
