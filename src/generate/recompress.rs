//! The numbers of a table, compressed once more, harder or less hard: nothing is solved.
//!
//! Each stream keeps the order of its dimensions and, number for number, what stands in it, free
//! numbers too. What a level keeps of two sides to move is kept of those that are there; a side
//! that is not there does not come back.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use super::effort::Effort;
use super::game::Generate;
use crate::Error;
use crate::parallel;
use crate::table::{
    Compression, Head, Progress, Stream, StreamSource, Table, ValueSource, WrittenSizes,
    write_table,
};
use crate::tables::NativeFile;

/// Compresses the table of a file anew, and writes it to a file. That may be the same one, which is
/// replaced when the new one is whole and on disk; `table` stays what it was then.
///
/// # Errors
///
/// [`Error::Table`] if the table is damaged, [`Error::Write`] if the new one cannot be written,
/// [`Error::Cancelled`] if `progress` said so; then nothing changes.
pub fn recompress<G: Generate>(
    (file, table): (&NativeFile<G>, &Table),
    to: &Path,
    compression: Compression,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, Error> {
    let effort = G::effort(compression, file.metric, &file.material);
    let kept = kept_sides(file, table, &effort);
    let failed = Mutex::new(None);
    let sources = table.streams().iter();
    let sources = sources.filter(|stream| kept[usize::from(stream.side())]);
    let sources: Vec<Stored<'_>> = sources
        .map(|stream| Stored {
            table,
            stream,
            at_hand: RwLock::default(),
            failed: &failed,
        })
        .collect();
    let streams: Vec<StreamSource<'_>> = sources.iter().map(Stored::stream).collect();
    let statistics = table.statistics()?;
    let head = Head {
        description: table.description(),
        statistics: statistics.as_ref(),
    };
    let written = write_table(to, head, &streams, &effort.options, &|done, total| {
        progress(done, total) && failed_of(&failed).is_none()
    });
    match failed_of(&failed).take() {
        Some(error) => Err(error),
        None => written,
    }
}

/// Which sides to move the new table has: what the game needs, and of others those that the level
/// keeps.
fn kept_sides<G: Generate>(file: &NativeFile<G>, table: &Table, effort: &Effort) -> [bool; 2] {
    let is_there = [0, 1].map(|side| table.stream(side).is_some());
    let (Some(limit), [true, true]) = (effort.larger_side, is_there) else {
        return is_there;
    };
    let bytes = [0, 1].map(|side| {
        let streams = table.streams().iter();
        let of_side = streams.filter(|stream| stream.side() == side);
        of_side.map(Stream::stored_len).sum::<u64>()
    });
    let larger = usize::from(bytes[1] > bytes[0]);
    let has_cursed = table.description().counts[larger].has_cursed();
    let is_needed = G::needs_side(&file.material, file.metric, larger, has_cursed);
    [0, 1].map(|side| side != larger || is_needed || bytes[larger] < limit)
}

/// The first of some indices, spread over all of a stream, at which a table and what [`recompress`]
/// made of it have other numbers, with the side to move.
///
/// # Errors
///
/// [`Error::Table`] if a block of either is damaged.
pub fn first_difference(
    old: &Table,
    new: &Table,
    indices: u64,
) -> Result<Option<(u8, u64)>, Error> {
    for stream in new.streams() {
        let mut olds = old.streams().iter();
        let same = |old: &&Stream| (old.side(), old.plane()) == (stream.side(), stream.plane());
        let Some(before) = olds.find(same).filter(|old| old.len() == stream.len()) else {
            return Ok(Some((stream.side(), 0)));
        };
        let tables = ((old, before), (new, stream));
        let found = parallel::try_map(stream.block_count() as usize, |block| {
            difference_in_block(tables, block as u64, indices)
        })?;
        if let Some(index) = found.into_iter().flatten().next() {
            return Ok(Some((stream.side(), index)));
        }
    }
    Ok(None)
}

/// The first index of a block of the new stream at which the old one has another number, of the
/// indices that are looked at.
///
/// Of `len` numbers so many are looked at that the n-th has the index `n * len / indices`. Of 10
/// numbers 4 are looked at, those at 0, 2, 5 and 7. A block that begins at 4 has the first of them
/// with `n = 4 * 4 / 10`, rounded up: 2, at 5.
fn difference_in_block(
    ((old, before), (new, stream)): ((&Table, &Stream), (&Table, &Stream)),
    block: u64,
    indices: u64,
) -> Result<Option<u64>, Error> {
    let [len, indices] = [stream.len(), indices.min(stream.len())].map(u128::from);
    let start = u128::from(block) * u128::from(stream.block_values());
    let end = start + stream.values_in_block(block) as u128;
    let looked_at = (start * indices).div_ceil(len)..(end * indices).div_ceil(len);
    if looked_at.is_empty() {
        return Ok(None);
    }
    let mut decoded = Vec::new();
    new.decode_block(stream, block, &mut decoded)?;
    let mut decoded_before = (u64::MAX, Vec::new());
    for number in looked_at {
        let index = number * len / indices;
        let value = stream.value_in_block(&decoded, (index - start) as usize);
        let index = index as u64;
        let Some((block, offset)) = before.locate(index) else {
            return Ok(Some(index));
        };
        if decoded_before.0 != block {
            old.decode_block(before, block, &mut decoded_before.1)?;
            decoded_before.0 = block;
        }
        if before.value_in_block(&decoded_before.1, offset) != value {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn failed_of(failed: &Mutex<Option<Error>>) -> MutexGuard<'_, Option<Error>> {
    failed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of a stream of a table, read a few blocks at a time.
struct Stored<'a> {
    table: &'a Table,
    stream: &'a Stream,
    /// The first index of what was read, and the numbers from there on.
    at_hand: RwLock<(u64, Vec<u8>)>,
    /// The first thing that went wrong.
    failed: &'a Mutex<Option<Error>>,
}

impl Stored<'_> {
    fn stream(&self) -> StreamSource<'_> {
        let mut present = [false; 256];
        for &value in self.stream.values() {
            present[usize::from(value)] = true;
        }
        StreamSource {
            side: self.stream.side(),
            plane: self.stream.plane(),
            order: self.stream.order(),
            len: self.stream.len(),
            source: self,
            values_present: Some(present),
        }
    }

    /// The blocks that have the indices from `start` to `end`.
    fn blocks(&self, start: u64, end: u64) -> Range<u64> {
        let values = u64::from(self.stream.block_values());
        start / values..end.div_ceil(values)
    }
}

impl ValueSource for Stored<'_> {
    fn prepare(&self, start: u64, end: u64) {
        let blocks = self.blocks(start, end);
        let mut at_hand = self.at_hand.write().unwrap_or_else(PoisonError::into_inner);
        at_hand.0 = blocks.start * u64::from(self.stream.block_values());
        let read = (self.table).read_blocks_into(self.stream, blocks, &mut at_hand.1);
        if let Err(error) = read {
            failed_of(self.failed).get_or_insert(error);
        }
    }

    /// What could not be read are numbers of no meaning, and the writer is told to stop.
    fn fill(&self, start: u64, out: &mut [u8]) {
        let at_hand = self.at_hand.read().unwrap_or_else(PoisonError::into_inner);
        let (first, numbers) = &*at_hand;
        let from = start
            .checked_sub(*first)
            .and_then(|from| usize::try_from(from).ok());
        match from.and_then(|from| numbers.get(from..)?.get(..out.len())) {
            Some(numbers) => out.copy_from_slice(numbers),
            None => out.fill(self.stream.values().first().copied().unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Description, WriteOptions, write_table};

    /// A table of one stream with these numbers.
    fn table(path: &Path, numbers: &Vec<u8>, block_bytes: usize) -> Table {
        let description = Description {
            material: "KRvK".to_owned(),
            ..Description::default()
        };
        let options = WriteOptions {
            block_bytes,
            ..WriteOptions::default()
        };
        let stream = StreamSource::new(0, numbers.len() as u64, numbers);
        write_table(path, &description, &[stream], &options, &|_, _| true).unwrap();
        Table::open(path).unwrap()
    }

    #[test]
    fn a_difference_is_found_where_it_is_looked_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let mut random = fastrand::Rng::with_seed(3);
        let numbers: Vec<u8> = (0..10_007).map(|_| random.u8(..200)).collect();
        let old = table(&path("old"), &numbers, 640);
        let same = table(&path("same"), &numbers, 4096);
        for indices in [0, 1, 100, 10_007, u64::MAX] {
            assert_eq!(first_difference(&old, &same, indices).unwrap(), None);
        }
        for index in [0, 1, 639, 640, 4095, 4096, 10_006] {
            let mut other = numbers.clone();
            other[index] ^= 1;
            let new = table(&path("new"), &other, 4096);
            let found = first_difference(&old, &new, u64::MAX).unwrap();
            assert_eq!(found, Some((0, index as u64)));
            let is_looked_at = (0..10u64).any(|number| number * 10_007 / 10 == index as u64);
            let found = first_difference(&old, &new, 10).unwrap();
            assert_eq!(found.is_some(), is_looked_at, "{index}");
        }
        let shorter = table(&path("shorter"), &numbers[1..].to_vec(), 640);
        assert!(first_difference(&old, &shorter, 10).unwrap().is_some());
    }
}
