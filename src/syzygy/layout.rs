//! Where everything stands in a file.
//!
//! All numbers are little-endian; only the bits of a block run from the highest bit of its first
//! byte down.
//!
//! ```text
//! magic               4 bytes, one for results, one for distances
//! flags               bit 0: the sides have different men; bit 1: there are pawns; bits 4 to 7: how many men
//! for each file of the leading pawn (one without pawns, else four):
//!     ranks           leading group; one byte more for the second group of pawns, if both sides have pawns
//!     men             one byte each: 1 pawn to 6 king, 8 more for black
//!                     (low four bits: White to move; high four bits: Black to move)
//! padding to an even offset
//! for each file, for each stored side: the head of a stream
//!     flags           see [`Flags`]
//!     then, if all values are equal, that value; else
//!     block bits      a block has 1 << that many bytes
//!     span bits       1 << that many values belong to an entry of the sparse index
//!     spare           how many block lengths there are more than blocks
//!     blocks          4 bytes
//!     longest, shortest code, in bits
//!     lowest symbols  2 bytes for each length of code from the shortest on
//!     symbols         2 bytes: how many; then 3 bytes each, two numbers of 12 bits; padded to even length
//! distances only, for each file whose stream is mapped:
//!     maps            wins, losses, cursed wins, blessed losses: how many numbers, then the numbers;
//!                     bytes, or padded to an even offset and 2 bytes each
//! padding to an even offset
//! for each stream: sparse index    6 bytes an entry: block, and place in it
//! for each stream: block lengths   2 bytes each: values in the block, less one
//! for each stream: padding to a multiple of 64, then the blocks
//! checksum            16 bytes, which nobody needs to probe
//! ```
//!
//! Results have a stream for each side to move if the sides have different men; else one, for White
//! to move. Distances always have one.

use std::sync::OnceLock;

use super::index::{Encoder, NO_RANK, material_of};
use super::numbering::PAWN_FILES;
use super::pairs::{Pairs, code_lengths};
use super::preloaded::{Density, Preloaded};
use crate::chess::material::Material;
use crate::chess::rules::{Piece, Role};
use crate::error::{SyzygyError, impossible};
use crate::game::Color;
use crate::metric::{Metric, Wdl};
use crate::reserve::{collected, gathered, reserved};

/// The first bytes of a table of results.
pub const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
/// The first bytes of a table of distances to zeroing.
pub const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

/// Bits of the flags of a table.
pub(super) const SIDES_DIFFER: u8 = 1;
pub(super) const HAS_PAWNS: u8 = 2;

/// Bytes of an entry of the sparse index.
pub(super) const SPARSE_ENTRY_LEN: u64 = 6;
/// Bytes of a block length.
pub(super) const BLOCK_LENGTH_LEN: u64 = 2;
/// Blocks begin at multiples of this.
pub(super) const DATA_ALIGNMENT: u64 = 64;
/// A block has at most 65 536 values and a code at most 32 bits, so no block needs more than 1 <<
/// 18 bytes.
const MOST_BLOCK_BITS: u32 = 18;
/// Bytes of a symbol.
const SYMBOL_LEN: usize = 3;

/// What the head of a stream says about its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Distances only: Black is to move.
    pub const BLACK_TO_MOVE: Flags = Flags(1);
    /// Distances only: values are places in a map.
    pub const MAPPED: Flags = Flags(2);
    /// Distances only: those of wins are in plies, not in moves.
    pub const WINS_IN_PLIES: Flags = Flags(4);
    /// Distances only: those of losses are in plies, not in moves.
    pub const LOSSES_IN_PLIES: Flags = Flags(8);
    /// Distances only: the numbers of the maps have two bytes.
    pub const WIDE: Flags = Flags(16);
    /// All values are equal.
    pub const SINGLE_VALUE: Flags = Flags(128);

    /// These flags and others.
    #[must_use]
    pub const fn with(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }

    /// As the byte of a file.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether these flags are set.
    #[must_use]
    #[inline]
    pub const fn contain(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

/// The values of a stream.
#[derive(Debug)]
pub(super) enum Content {
    Single(u16),
    Coded(Coded),
}

/// Where the parts of a stream are and how they are coded.
#[derive(Debug)]
pub(super) struct Coded {
    pub pairs: Pairs,
    pub block_bits: u32,
    pub span_bits: u32,
    pub blocks: u64,
    /// As many as blocks, and some spare ones.
    pub block_lengths: u64,
    pub sparse_offset: u64,
    pub lengths_offset: u64,
    pub data_offset: u64,
    pub preloaded: OnceLock<Preloaded>,
}

/// The values of one side to move, of one file of the leading pawn.
#[derive(Debug)]
pub(super) struct Stream {
    pub encoder: Encoder,
    pub flags: Flags,
    pub content: Content,
    /// By [`map_number`]; empty if values are not mapped.
    pub maps: [Box<[u16]>; 4],
}

/// All that comes before the sparse index, and where the rest is.
#[derive(Debug)]
pub(super) struct Layout {
    /// Of the men as the file has them: which side is White is its own choice.
    pub material: Material,
    /// Sides to move that are stored.
    pub sides: usize,
    /// By file of the leading pawn, then by side to move.
    pub streams: Vec<Stream>,
}

/// Which of the maps a result has.
#[inline]
pub(crate) const fn map_number(wdl: Wdl) -> usize {
    match wdl {
        Wdl::Win | Wdl::Draw => 0,
        Wdl::Loss => 1,
        Wdl::CursedWin => 2,
        Wdl::BlessedLoss => 3,
    }
}

/// Bytes from the beginning of a file, read one after another.
#[derive(Debug)]
struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Of the whole file, of which `bytes` may be a part.
    file_len: u64,
}

impl<'a> Cursor<'a> {
    fn outside(&self, what: &'static str) -> SyzygyError {
        SyzygyError::Outside {
            what,
            len: self.file_len,
        }
    }

    fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], SyzygyError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let taken = rest.get(..len).ok_or_else(|| self.outside(what))?;
        self.offset += len;
        Ok(taken)
    }

    fn byte(&mut self, what: &'static str) -> Result<u8, SyzygyError> {
        Ok(self.take(1, what)?[0])
    }

    fn u16(&mut self, what: &'static str) -> Result<u16, SyzygyError> {
        let bytes = self.take(2, what)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, SyzygyError> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn align_to_even(&mut self) {
        self.offset = self.offset.next_multiple_of(2);
    }
}

/// The head of a stream, before it is known where its blocks are.
struct Head {
    encoder: Encoder,
    flags: Flags,
    content: Content,
}

impl Layout {
    /// Bytes that all results take in memory, at most.
    pub fn most_preloaded_bytes(&self) -> usize {
        let least_dense = Density::of(u32::MAX);
        let streams = self.streams.iter().map(|stream| match stream.content {
            Content::Single(_) => 0,
            Content::Coded(_) => least_dense.bytes(stream.encoder.len()),
        });
        streams.fold(0, usize::saturating_add)
    }

    /// Reads the layout of a table of the men of `expected`, in either colours, from the first
    /// bytes of a file of `file_len` bytes.
    ///
    /// # Errors
    ///
    /// [`SyzygyError`]; it is [`SyzygyError::Outside`] if more bytes are needed than there are.
    pub fn read(
        bytes: &[u8],
        file_len: u64,
        expected: &Material,
        metric: Metric,
    ) -> Result<Layout, SyzygyError> {
        let mut cursor = Cursor {
            bytes,
            offset: 0,
            file_len,
        };
        let magic = match metric {
            Metric::Wdl => WDL_MAGIC,
            _ => DTZ_MAGIC,
        };
        let found = &bytes[..bytes.len().min(magic.len())];
        if *found != magic[..found.len()] {
            return Err(SyzygyError::NotATable);
        }
        cursor.take(magic.len(), "a header")?;
        let flags = cursor.byte("a header")?;
        let is_as_expected = (flags & SIDES_DIFFER != 0) != expected.is_symmetric()
            && (flags & HAS_PAWNS != 0) == expected.has_pawns();
        if !is_as_expected {
            return Err(other_material(expected));
        }
        let sides = match metric {
            Metric::Wdl if !expected.is_symmetric() => 2,
            _ => 1,
        };
        let (material, encoders) = read_men(&mut cursor, expected, sides)?;
        cursor.align_to_even();
        let heads = encoders.into_iter();
        let heads = collected(heads.map(|encoder| read_head(&mut cursor, encoder)))?;
        let mut streams = reserved(heads.len())?;
        for head in heads {
            let maps = match metric {
                Metric::Dtz => read_maps(&mut cursor, head.flags)?,
                _ => Default::default(),
            };
            // Both sides are the same then: the prober turns the board so that White is to move,
            // and where it could not, it would ask for the other side for ever.
            if metric == Metric::Dtz
                && material.is_symmetric()
                && material.has_pawns()
                && head.flags.contain(Flags::BLACK_TO_MOVE)
            {
                return Err(impossible("side to move"));
            }
            streams.push(Stream {
                encoder: head.encoder,
                flags: head.flags,
                content: head.content,
                maps,
            });
        }
        cursor.align_to_even();
        place(&mut streams, cursor.offset as u64, file_len)?;
        Ok(Layout {
            material,
            sides,
            streams,
        })
    }
}

fn other_material(expected: &Material) -> SyzygyError {
    SyzygyError::OtherMaterial {
        expected: expected.to_string(),
    }
}

/// Reads the orders of men: the material and the encoders by file, then by side.
fn read_men(
    cursor: &mut Cursor<'_>,
    expected: &Material,
    sides: usize,
) -> Result<(Material, Vec<Encoder>), SyzygyError> {
    let both_have_pawns = Color::ALL
        .iter()
        .all(|&color| expected.count(color, Role::Pawn) > 0);
    let files = if expected.has_pawns() { PAWN_FILES } else { 1 };
    let mut material = None;
    let mut leading_color = None;
    let mut encoders = reserved(files * sides)?;
    for file in 0..files {
        let leading = cursor.byte("the order of men")?;
        let second = match both_have_pawns {
            true => cursor.byte("the order of men")?,
            false => NO_RANK << 4 | NO_RANK,
        };
        let men = cursor.take(expected.men(), "the order of men")?;
        for side in 0..sides {
            let nibble = |byte: u8| byte >> (4 * side) & 15;
            let pieces = men
                .iter()
                .map(|&byte| piece_of_code(nibble(byte)))
                .collect::<Option<Vec<Piece>>>()
                .ok_or_else(|| impossible("man"))?;
            let found = material_of(&pieces).ok_or_else(|| impossible("number of kings"))?;
            if found.normal_form() != expected.normal_form() {
                return Err(other_material(expected));
            }
            let encoder = Encoder::new(&pieces, [nibble(leading), nibble(second)], file)?;
            // The prober looks for the leading pawns before it knows which stream it needs.
            if *material.get_or_insert(found) != found
                || *leading_color.get_or_insert(encoder.leading_color()) != encoder.leading_color()
            {
                return Err(impossible("order of men"));
            }
            encoders.push(encoder);
        }
    }
    let material = material.ok_or_else(|| other_material(expected))?;
    Ok((material, encoders))
}

/// The man that a code of four bits stands for.
fn piece_of_code(code: u8) -> Option<Piece> {
    let role = Role::from_index(usize::from(code & 7).checked_sub(1)?)?;
    Some(role.of(Color::ALL[usize::from(code >> 3)]))
}

fn read_head(cursor: &mut Cursor<'_>, encoder: Encoder) -> Result<Head, SyzygyError> {
    const WHAT: &str = "the code of a stream";
    let flags = Flags(cursor.byte(WHAT)?);
    if flags.contain(Flags::SINGLE_VALUE) {
        let value = cursor.byte(WHAT)?;
        return Ok(Head {
            encoder,
            flags,
            content: Content::Single(value.into()),
        });
    }
    let block_bits = u32::from(cursor.byte(WHAT)?);
    let span_bits = u32::from(cursor.byte(WHAT)?);
    if block_bits > MOST_BLOCK_BITS || span_bits >= 32 {
        return Err(impossible("size of blocks"));
    }
    let spare = u64::from(cursor.byte(WHAT)?);
    let blocks = u64::from(cursor.u32(WHAT)?);
    let longest = cursor.byte(WHAT)?;
    let shortest = cursor.byte(WHAT)?;
    let lengths = usize::from(longest.checked_sub(shortest).ok_or_else(code_lengths)?) + 1;
    let lowest: Vec<u16> = cursor
        .take(2 * lengths, WHAT)?
        .chunks_exact(2)
        .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
        .collect();
    let symbols = usize::from(cursor.u16(WHAT)?);
    let parts = cursor.take(SYMBOL_LEN * symbols, WHAT)?;
    let parts = gathered(parts.chunks_exact(SYMBOL_LEN).map(|bytes| {
        let [low, middle, high] = [bytes[0], bytes[1], bytes[2]].map(u16::from);
        [(middle & 15) << 8 | low, high << 4 | middle >> 4]
    }))?;
    cursor.take(symbols % 2, WHAT)?;
    let content = Content::Coded(Coded {
        pairs: Pairs::new(shortest, &lowest, &parts)?,
        block_bits,
        span_bits,
        blocks,
        block_lengths: blocks + spare,
        // Found out when all heads are read.
        sparse_offset: 0,
        lengths_offset: 0,
        data_offset: 0,
        preloaded: OnceLock::new(),
    });
    Ok(Head {
        encoder,
        flags,
        content,
    })
}

fn read_maps(cursor: &mut Cursor<'_>, flags: Flags) -> Result<[Box<[u16]>; 4], SyzygyError> {
    const WHAT: &str = "the maps of distances";
    let mut maps: [Box<[u16]>; 4] = Default::default();
    if !flags.contain(Flags::MAPPED) {
        return Ok(maps);
    }
    let is_wide = flags.contain(Flags::WIDE);
    if is_wide {
        cursor.align_to_even();
    }
    for map in &mut maps {
        let numbers = if is_wide {
            let len = usize::from(cursor.u16(WHAT)?);
            let bytes = cursor.take(2 * len, WHAT)?.chunks_exact(2);
            gathered(bytes.map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])))?
        } else {
            let len = usize::from(cursor.byte(WHAT)?);
            let bytes = cursor.take(len, WHAT)?;
            gathered(bytes.iter().copied().map(u16::from))?
        };
        *map = numbers.into_boxed_slice();
    }
    Ok(maps)
}

/// Lays out what follows the maps: sparse indices, block lengths, blocks.
fn place(streams: &mut [Stream], start: u64, file_len: u64) -> Result<(), SyzygyError> {
    // No sum overflows: a stream has fewer than 2^40 indices and 2^32 blocks of less than 2^32
    // bytes, which is checked before the next is added.
    let inside = |end: u64, what: &'static str| match end <= file_len {
        true => Ok(end),
        false => Err(SyzygyError::Outside {
            what,
            len: file_len,
        }),
    };
    let mut offset = start;
    for stream in &mut *streams {
        if let Content::Coded(coded) = &mut stream.content {
            coded.sparse_offset = offset;
            let entries = stream.encoder.len().div_ceil(1 << coded.span_bits);
            offset = inside(offset + SPARSE_ENTRY_LEN * entries, "the sparse index")?;
        }
    }
    for stream in &mut *streams {
        if let Content::Coded(coded) = &mut stream.content {
            coded.lengths_offset = offset;
            let len = BLOCK_LENGTH_LEN * coded.block_lengths;
            offset = inside(offset + len, "the lengths of blocks")?;
        }
    }
    for stream in &mut *streams {
        if let Content::Coded(coded) = &mut stream.content {
            coded.data_offset = offset.next_multiple_of(DATA_ALIGNMENT);
            let len = coded.blocks << coded.block_bits;
            offset = inside(coded.data_offset + len, "the blocks")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a stream of one block, with the code of the documentation of [`Pairs`].
    fn head(block_bits: u8, span_bits: u8) -> Result<Head, SyzygyError> {
        let mut bytes = vec![0, block_bits, span_bits, 0];
        bytes.extend(1u32.to_le_bytes());
        bytes.extend([3, 1]);
        bytes.extend([3u16, 2, 0, 4].map(u16::to_le_bytes).as_flattened());
        bytes.extend([[2, 0xf0, 0xff], [4, 0xf0, 0xff], [0, 0, 0], [2, 0x10, 0]].as_flattened());
        let men: Vec<Piece> = "KQk".chars().filter_map(Piece::from_letter).collect();
        let mut cursor = Cursor {
            bytes: &bytes,
            offset: 0,
            file_len: bytes.len() as u64,
        };
        read_head(&mut cursor, Encoder::new(&men, [0, NO_RANK], 0)?)
    }

    #[test]
    fn blocks_larger_than_any_need_be_are_an_error() {
        assert!(head(MOST_BLOCK_BITS as u8, 31).is_ok());
        for (block_bits, span_bits) in [(MOST_BLOCK_BITS as u8 + 1, 6), (255, 6), (6, 32)] {
            let error = head(block_bits, span_bits).err();
            assert_eq!(
                error.unwrap().to_string(),
                impossible("size of blocks").to_string()
            );
        }
    }
}
