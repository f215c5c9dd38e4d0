//! Streams -> the bytes of a file; `layout` says where everything stands.

use std::io::Write;
use std::path::Path;

use super::checksum::{CHECKSUM_LEN, checksum};
use super::encode::EncodedStream;
use super::layout::{DATA_ALIGNMENT, DTZ_MAGIC, HAS_PAWNS, SIDES_DIFFER, WDL_MAGIC};
use super::order::{MenOrder, files};
use crate::Error;
use crate::game::Color;
use crate::game::chess::Piece;
use crate::material::Material;
use crate::metric::Metric;
use crate::table::publish;

/// Distances by the number that stands for them, for each of the results of [`map_number`](super::layout::map_number).
pub(crate) type Maps = [Vec<u8>; 4];

/// A stream that is written.
#[derive(Debug)]
pub(crate) struct Stream {
    pub order: MenOrder,
    pub encoded: EncodedStream,
    /// Of distances that are mapped.
    pub maps: Option<Maps>,
}

/// Writes a table of some streams, by the file of the leading pawn, then by the side to move, and returns the size of the
/// file in bytes. The file appears under its name when it is complete and on disk.
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
    let bytes = table_bytes(material, metric, streams);
    publish(path, |file| {
        file.write_all(&bytes)?;
        file.write_all(&checksum(&bytes))?;
        Ok(())
    })?;
    Ok((bytes.len() + CHECKSUM_LEN) as u64)
}

/// All but the checksum.
fn table_bytes(material: &Material, metric: Metric, streams: &[Stream]) -> Vec<u8> {
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
    pad(&mut bytes, 2);
    for stream in streams {
        bytes.extend(&stream.encoded.head);
    }
    for maps in streams.iter().filter_map(|stream| stream.maps.as_ref()) {
        for map in maps {
            bytes.push(map.len() as u8);
            bytes.extend(map);
        }
    }
    pad(&mut bytes, 2);
    for stream in streams {
        bytes.extend(&stream.encoded.sparse_index);
    }
    for stream in streams {
        bytes.extend(&stream.encoded.block_lengths);
    }
    for stream in streams {
        if !stream.encoded.blocks.is_empty() {
            pad(&mut bytes, DATA_ALIGNMENT as usize);
            bytes.extend(&stream.encoded.blocks);
        }
    }
    pad(&mut bytes, DATA_ALIGNMENT as usize);
    bytes
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
    piece.role.index() as u8 + 1 | color
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
}
