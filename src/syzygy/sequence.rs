//! All values of a stream, one after another, block by block.

use super::find::slice_of;
use super::layout::{BLOCK_LENGTH_LEN, Coded, Content, SPARSE_ENTRY_LEN};
use super::pairs::WrittenOut;
use super::table::Table;
use crate::Error;
use crate::error::{SyzygyError, impossible};
use crate::reserve::{Refused, reserved, zeroed};

/// The values of a stream of a table in the order of its indices.
///
/// Probes find a block by the sparse index, and this reads blocks in their order. Both find the
/// same, which is made sure of when it is made.
#[derive(Debug)]
pub(crate) struct Sequence<'a> {
    table: &'a Table,
    content: Values<'a>,
    len: u64,
}

#[derive(Debug)]
enum Values<'a> {
    Single(u16),
    Coded {
        coded: &'a Coded,
        written_out: WrittenOut,
        /// The first index of each block, and the end of the last one.
        starts: Vec<u64>,
    },
}

impl<'a> Sequence<'a> {
    /// The values of a stream.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file cannot be read, or if its blocks do not have the values of all
    /// indices or are not where the sparse index says.
    pub fn new(table: &'a Table, stream: usize) -> Result<Sequence<'a>, Error> {
        let error = |problem| table.error(problem);
        let stream = &table.layout.streams[stream];
        let len = stream.encoder.len();
        let content = match &stream.content {
            Content::Single(value) => Values::Single(*value),
            Content::Coded(coded) => {
                let starts = starts(table, coded).map_err(error)?;
                check_sparse_index(table, coded, &starts, len).map_err(error)?;
                Values::Coded {
                    coded,
                    written_out: WrittenOut::new(&coded.pairs).map_err(error)?,
                    starts: in_blocks(starts, coded, len).map_err(error)?,
                }
            }
        };
        Ok(Sequence {
            table,
            content,
            len,
        })
    }

    /// Whether every value fits into a byte.
    pub fn is_of_bytes(&self) -> bool {
        let largest = match &self.content {
            Values::Single(value) => *value,
            Values::Coded { written_out, .. } => written_out.largest,
        };
        u8::try_from(largest).is_ok()
    }

    /// How many values there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Where pieces of at least `least` values end that can be decoded one without another. The
    /// last one ends with the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if there is no memory for them.
    pub fn ends(&self, least: usize) -> Result<Vec<usize>, Error> {
        let refused = |refused: Refused| self.table.error(refused.into());
        let mut ends = reserved(self.len as usize / least + 1).map_err(refused)?;
        if let Values::Coded { starts, .. } = &self.content {
            let mut next = least as u64;
            for &start in starts.iter().filter(|&&start| start < self.len) {
                if start >= next {
                    ends.push(start as usize);
                    next = start + least as u64;
                }
            }
        }
        ends.push(self.len as usize);
        Ok(ends)
    }

    /// Decodes the values from `start` on, which is the beginning of the stream or one of the
    /// [`ends`](Self::ends).
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file cannot be read or is damaged.
    pub fn decode(&self, start: usize, out: &mut [u8]) -> Result<(), Error> {
        match &self.content {
            Values::Single(value) => out.fill(*value as u8),
            Values::Coded {
                coded,
                written_out,
                starts,
            } => {
                let mut block = starts.partition_point(|&other| other < start as u64);
                let mut bytes = Vec::new();
                let mut rest = out;
                while !rest.is_empty() {
                    let len = (starts[block + 1] - starts[block]) as usize;
                    let (now, later) = rest.split_at_mut(len.min(rest.len()));
                    self.decode_block(coded, written_out, block as u64, &mut bytes, now)
                        .map_err(|problem| self.table.error(problem))?;
                    rest = later;
                    block += 1;
                }
            }
        }
        Ok(())
    }

    fn decode_block(
        &self,
        coded: &Coded,
        written_out: &WrittenOut,
        block: u64,
        bytes: &mut Vec<u8>,
        out: &mut [u8],
    ) -> Result<(), SyzygyError> {
        let len = 1 << coded.block_bits;
        let offset = coded.offset_of(block);
        let block = match self.table.store.as_slice() {
            Some(mapped) => slice_of(mapped, offset, len)?,
            None => {
                zeroed(bytes, len)?;
                self.table.store.read_exact_at(offset, bytes)?;
                bytes
            }
        };
        let values = coded.pairs.all_values(written_out, block, out);
        values.ok_or(impossible("code"))
    }
}

/// The first index of each block, of the spare ones as well, and the end of the last one.
fn starts(table: &Table, coded: &Coded) -> Result<Vec<u64>, SyzygyError> {
    let mut lengths = Vec::new();
    zeroed(
        &mut lengths,
        (BLOCK_LENGTH_LEN * coded.block_lengths) as usize,
    )?;
    table
        .store
        .read_exact_at(coded.lengths_offset, &mut lengths)?;
    let mut start = 0;
    let mut starts = reserved(lengths.len() / 2 + 1)?;
    starts.push(0);
    starts.extend(lengths.chunks_exact(2).map(|length| {
        start += u64::from(u16::from_le_bytes([length[0], length[1]])) + 1;
        start
    }));
    Ok(starts)
}

/// Makes sure that a probe, which goes from an entry of the sparse index from block to block, finds
/// the one that has its index.
fn check_sparse_index(
    table: &Table,
    coded: &Coded,
    starts: &[u64],
    len: u64,
) -> Result<(), SyzygyError> {
    let span = 1u64 << coded.span_bits;
    let entries = len.div_ceil(span);
    let mut bytes = Vec::new();
    zeroed(&mut bytes, (SPARSE_ENTRY_LEN * entries) as usize)?;
    table.store.read_exact_at(coded.sparse_offset, &mut bytes)?;
    for (entry, number) in bytes.chunks_exact(SPARSE_ENTRY_LEN as usize).zip(0..) {
        let block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let place = u64::from(u16::from_le_bytes([entry[4], entry[5]]));
        let start = starts.get(block as usize).copied();
        if start.map(|start| start + place) != Some(number * span + span / 2) {
            return Err(impossible("entry of the sparse index"));
        }
    }
    Ok(())
}

/// Leaves the starts of the blocks that there are.
fn in_blocks(mut starts: Vec<u64>, coded: &Coded, len: u64) -> Result<Vec<u64>, SyzygyError> {
    starts.truncate(coded.blocks as usize + 1);
    match starts.last() {
        Some(&end) if end >= len => Ok(starts),
        _ => Err(impossible("lengths of blocks")),
    }
}
