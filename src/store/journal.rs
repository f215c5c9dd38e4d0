//! What of a scratch file is whole, so that another program can go on with it.
//!
//! A journal lies beside its scratch file and says what that is about. A record is added when all
//! that it names has been written to the scratch file.
//!
//! ```text
//! "RGJRNL01"
//! u32  bytes of what it is about
//!      these bytes
//! u32  CRC-32C of all before
//! records, each:
//! u32  bytes of the record after this number and before its checksum
//! u8   of which kind, and three times u32, which of the kind
//! u32  how many numbers
//! u32  how many parts
//!      the numbers, each u32
//!      the parts, each: u64 where it begins in the scratch file, u32 bytes, u32 CRC-32C of these
//! u32  CRC-32C that goes on from that of the header: where the record begins as u64, and the record
//! ```
//!
//! Nothing is made durable, since the checksums find what a power failure has left half-written.
//! Whoever goes on reads the scratch file once. The first record that is damaged, or that names
//! something damaged, is the end: it is cut off with all that follows, and so is what lies in the
//! scratch file behind what the records before it name.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::part::{Part, has_part, write_all_at};

const MAGIC: &[u8; 8] = b"RGJRNL01";
/// Bytes of the kind and the place of a record and of how much is in it.
const RECORD_HEAD: usize = 1 + 3 * 4 + 2 * 4;
const PART_LEN: usize = 8 + 4 + 4;

/// What a record tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// What is fixed from outside; by slab.
    Fixed = 1,
    /// Positions of the loser without a move; by winner.
    WithoutMoves = 2,
    /// What a ply decided of results; by winner and ply.
    Zeroing = 3,
    /// When zeroing moves come into play; by winner, side and slab.
    Due = 4,
    /// What a ply decided of mates; by winner and ply.
    Mates = 5,
    /// Images of what a ply decided; by a number of what that is, and ply.
    Images = 6,
    /// Statistics.
    Digest = 7,
    /// What other slices read; by slice.
    Leaves = 8,
    /// What files are made from; by slice.
    Slice = 9,
    /// A part of a view; by number.
    View = 10,
}

impl RecordKind {
    /// The record of this kind that is about something; what is not used of `place` is 0.
    #[must_use]
    pub fn of(self, place: [usize; 3]) -> RecordKey {
        RecordKey {
            kind: self as u8,
            // Slabs, slices and plies are less than 2^32.
            place: place.map(|number| number as u32),
        }
    }
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordKey {
    kind: u8,
    place: [u32; 3],
}

/// What is found in a scratch file, and what has to be known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Whatever numbers the writer needs.
    pub numbers: Vec<u32>,
    /// Where bytes are.
    pub parts: Vec<Part>,
}

impl Record {
    /// The numbers and parts in order.
    #[must_use]
    pub fn reader(&self) -> RecordReader<'_> {
        RecordReader {
            numbers: self.numbers.iter(),
            parts: self.parts.iter(),
        }
    }

    fn encoded(&self, key: RecordKey) -> io::Result<Vec<u8>> {
        let count = |len: usize| u32::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge);
        let mut body = vec![key.kind];
        body.extend(key.place.iter().flat_map(|number| number.to_le_bytes()));
        body.extend(count(self.numbers.len())?.to_le_bytes());
        body.extend(count(self.parts.len())?.to_le_bytes());
        body.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        for part in &self.parts {
            body.extend(part.start.to_le_bytes());
            body.extend(part.len.to_le_bytes());
            body.extend(part.checksum.to_le_bytes());
        }
        let mut record = count(body.len())?.to_le_bytes().to_vec();
        record.extend(body);
        Ok(record)
    }

    fn decoded(body: &[u8]) -> Option<(RecordKey, Record)> {
        let (head, rest) = body.split_at_checked(RECORD_HEAD)?;
        let (&kind, head) = head.split_first()?;
        let &[a, b, c, numbers, parts] = head.as_chunks::<4>().0 else {
            return None;
        };
        let place = [a, b, c].map(u32::from_le_bytes);
        let [numbers, parts] = [numbers, parts].map(|count| u32::from_le_bytes(count) as usize);
        let (numbers, parts) = match numbers.checked_mul(4) {
            Some(bytes) if parts.checked_mul(PART_LEN)?.checked_add(bytes)? == rest.len() => {
                rest.split_at_checked(bytes)?
            }
            _ => return None,
        };
        let numbers = numbers.as_chunks().0.iter();
        let parts = parts.as_chunks::<PART_LEN>().0.iter().map(|part| {
            let [start, rest] = part.as_chunks::<8>().0 else {
                return Part::default();
            };
            let [len, checksum] = rest.as_chunks::<4>().0 else {
                return Part::default();
            };
            Part {
                start: u64::from_le_bytes(*start),
                len: u32::from_le_bytes(*len),
                checksum: u32::from_le_bytes(*checksum),
            }
        });
        let record = Record {
            numbers: numbers.map(|&number| u32::from_le_bytes(number)).collect(),
            parts: parts.collect(),
        };
        Some((RecordKey { kind, place }, record))
    }
}

/// The numbers and parts of a record, one after the other.
#[derive(Clone, Debug)]
pub struct RecordReader<'a> {
    numbers: std::slice::Iter<'a, u32>,
    parts: std::slice::Iter<'a, Part>,
}

impl RecordReader<'_> {
    /// The next number.
    pub fn number(&mut self) -> Option<u32> {
        self.numbers.next().copied()
    }

    /// The next part.
    pub fn part(&mut self) -> Option<Part> {
        self.parts.next().copied()
    }

    /// Whether all has been read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.numbers.as_slice().is_empty() && self.parts.as_slice().is_empty()
    }
}

/// The journal of a scratch file.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    /// The checksum of the header.
    seed: u32,
    end: Mutex<u64>,
    /// What another program has recorded and nobody has asked for.
    known: Mutex<BTreeMap<RecordKey, Record>>,
}

impl Journal {
    /// Begins an empty file, or goes on with what it says is in the scratch file: the journal, and
    /// where that ends. Nothing if it is about something else. What is torn or damaged, and all
    /// that was recorded after it, is cut off.
    ///
    /// # Errors
    ///
    /// If one of the files cannot be read, when nothing is cut off, or cannot be written.
    pub fn open(file: File, data: &File, about: &[u8]) -> io::Result<Option<(Journal, u64)>> {
        let mut header = MAGIC.to_vec();
        let len = u32::try_from(about.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        header.extend(len.to_le_bytes());
        header.extend(about);
        let seed = crc32c::crc32c(&header);
        header.extend(seed.to_le_bytes());
        let mut journal = Journal {
            file,
            seed,
            end: Mutex::new(header.len() as u64),
            known: Mutex::default(),
        };
        let bytes = read_all(&journal.file)?;
        if bytes.is_empty() {
            write_all_at(&journal.file, 0, &header)?;
            data.set_len(0)?;
            return Ok(Some((journal, 0)));
        }
        if !bytes.starts_with(&header) {
            return Ok(None);
        }
        let mut ends = Vec::new();
        let mut at = header.len();
        while let Some((body, next)) = journal.body(&bytes, at)
            && let Some(record) = Record::decoded(body)
        {
            ends.push((record, next));
            at = next;
        }
        drop(bytes);
        let data_len = data.metadata()?.len();
        let end_of = |part: &Part| part.start.checked_add(part.len.into());
        let is_whole = |part: &Part| match end_of(part) {
            _ if part.is_empty() => Ok(true),
            Some(end) if end <= data_len => has_part(data, *part),
            _ => Ok(false),
        };
        // A part that cannot be read now may be whole: then nothing is thrown away.
        let whole = (ends.par_iter())
            .map(|((_, record), _)| {
                let mut parts = record.parts.iter();
                parts.try_fold(true, |whole, part| Ok(whole && is_whole(part)?))
            })
            .collect::<io::Result<Vec<bool>>>()?;
        let good = whole.iter().take_while(|&&is_whole| is_whole).count();
        ends.truncate(good);
        let end = ends.last().map_or(header.len(), |&(_, end)| end) as u64;
        let parts = ends.iter().flat_map(|((_, record), _)| &record.parts);
        let used = parts.filter(|part| !part.is_empty());
        let end_of_data = used.filter_map(end_of).max().unwrap_or(0);
        // The journal first: it must not name what is written over.
        journal.file.set_len(end)?;
        data.set_len(end_of_data)?;
        journal.end = Mutex::new(end);
        journal.known = Mutex::new(ends.into_iter().map(|(record, _)| record).collect());
        Ok(Some((journal, end_of_data)))
    }

    /// What is in the record at an offset, and where the next begins.
    fn body<'a>(&self, bytes: &'a [u8], at: usize) -> Option<(&'a [u8], usize)> {
        let (len, _) = bytes.get(at..)?.split_first_chunk()?;
        let end = (at + 4).checked_add(u32::from_le_bytes(*len) as usize)?;
        let record = bytes.get(at..end)?;
        let (checksum, _) = bytes.get(end..)?.split_first_chunk()?;
        let is_good = u32::from_le_bytes(*checksum) == self.checksum(at as u64, record);
        is_good.then_some((&record[4..], end + 4))
    }

    fn checksum(&self, at: u64, record: &[u8]) -> u32 {
        let seed = crc32c::crc32c_append(self.seed, &at.to_le_bytes());
        crc32c::crc32c_append(seed, record)
    }

    /// Adds a record.
    pub fn add(&self, key: RecordKey, record: &Record) -> io::Result<()> {
        let mut bytes = record.encoded(key)?;
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(self.checksum(*end, &bytes).to_le_bytes());
        write_all_at(&self.file, *end, &bytes)?;
        *end += bytes.len() as u64;
        Ok(())
    }

    /// How many records of a kind another program has added that nobody has taken out.
    pub fn count(&self, kind: RecordKind) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.keys().filter(|key| key.kind == kind as u8).count()
    }

    /// Takes a record out that another program has added.
    pub fn take(&self, key: RecordKey) -> Option<Record> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&key)
    }

    /// Takes all records of a kind and with the first number of their places out: with the second,
    /// in order.
    pub fn take_all(&self, kind: RecordKind, first: usize) -> Vec<(u32, Record)> {
        let from = kind.of([first, 0, 0]);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = known.split_off(&from);
        let is_other = |key: &RecordKey| key.kind != from.kind || key.place[0] != from.place[0];
        if let Some(&next) = taken.keys().find(|key| is_other(key)) {
            known.append(&mut taken.split_off(&next));
        }
        taken
            .into_iter()
            .map(|(key, record)| (key.place[1], record))
            .collect()
    }
}

fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut &*file, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::Scratch;

    fn open(directory: &Path, about: &[u8]) -> Option<Scratch> {
        Scratch::resumable(
            &directory.join("journal"),
            &directory.join("data"),
            File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(directory.join("journal"))
                .unwrap(),
            about,
        )
        .unwrap()
    }

    fn record(scratch: &Scratch, ply: u8) -> Record {
        let bytes = vec![ply; 10 * usize::from(ply)];
        Record {
            numbers: vec![7, ply.into()],
            parts: vec![scratch.put(&bytes).unwrap(), Part::default()],
        }
    }

    /// How many plies are there, from the first on; what they say is right.
    fn plies(scratch: &Scratch) -> usize {
        let all = scratch.recall_all(RecordKind::Mates, 1);
        for (ply, (number, record)) in (1..).zip(&all) {
            assert_eq!((*number, &record.numbers[..]), (ply, &[7, ply][..]));
            let bytes = scratch.get(record.parts[0]).unwrap();
            assert_eq!(bytes, vec![ply as u8; 10 * ply as usize]);
        }
        all.len()
    }

    fn written(directory: &Path) {
        let scratch = open(directory, b"this").unwrap();
        for ply in 1..=5 {
            let record = record(&scratch, ply);
            let key = RecordKind::Mates.of([1, ply.into(), 0]);
            scratch.record(key, &record).unwrap();
        }
    }

    #[test]
    fn what_was_recorded_is_there_again_and_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        written(directory.path());
        let scratch = open(directory.path(), b"this").unwrap();
        assert_eq!(plies(&scratch), 5);
        assert_eq!(plies(&scratch), 0);
        let sixth = record(&scratch, 6);
        let key = RecordKind::Mates.of([1, 6, 0]);
        scratch.record(key, &sixth).unwrap();
        drop(scratch);
        let scratch = open(directory.path(), b"this").unwrap();
        assert_eq!(scratch.recall(RecordKind::Mates.of([0, 6, 0])), None);
        assert_eq!(scratch.recall(RecordKind::Due.of([1, 6, 0])), None);
        assert_eq!(scratch.recall(key), Some(sixth));
        assert_eq!(plies(&scratch), 5);
        drop(scratch);
        for about in [&b"That"[..], b"thi", b"this too", b""] {
            assert!(open(directory.path(), about).is_none());
        }
        let scratch = open(directory.path(), b"this").unwrap();
        scratch.finish();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert_eq!(plies(&scratch), 6);
    }

    #[test]
    fn of_damaged_files_the_beginning_counts_that_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        written(directory.path());
        let names = ["journal", "data"].map(|name| directory.path().join(name));
        let whole = names.each_ref().map(|path| std::fs::read(path).unwrap());
        for (damaged, bytes) in whole.iter().enumerate() {
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                for (is_cut, changed) in [(false, &flipped[..]), (true, &bytes[..at])] {
                    for (number, (path, bytes)) in names.iter().zip(&whole).enumerate() {
                        let changed = if number == damaged { changed } else { bytes };
                        std::fs::write(path, changed).unwrap();
                    }
                    let found = open(directory.path(), b"this");
                    let found = found.map_or(0, |scratch| plies(&scratch));
                    assert!(found < 5, "{damaged} {at} {is_cut}");
                    let is_late = at >= bytes.len() * 3 / 4;
                    assert!(found > 0 || !is_late, "{damaged} {at} {is_cut}");
                }
            }
        }
    }

    #[test]
    fn records_that_are_moved_do_not_count() {
        let directory = tempfile::tempdir().unwrap();
        written(directory.path());
        let path = directory.path().join("journal");
        let bytes = std::fs::read(&path).unwrap();
        let header = MAGIC.len() + 4 + 4 + 4;
        let of_record = (bytes.len() - header) / 5;
        let without_first = [&bytes[..header], &bytes[header + of_record..]].concat();
        std::fs::write(&path, without_first).unwrap();
        assert_eq!(plies(&open(directory.path(), b"this").unwrap()), 0);
    }
}
