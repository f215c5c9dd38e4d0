//! Bytes that are put away for a while.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::journal::{Journal, Record, RecordKey, RecordKind};
use super::part::{Part, read_bytes, read_part, write_all_at};
use super::scratch_directory::{ScratchDirectory, ScratchEnd};
use super::{
    are_all, compress, compress_lines, compress_set, decompress, decompress_into, decompress_set,
};
use crate::game::Bits;

/// Bytes that are put away once and read back, by many threads: in memory, in a file that has no
/// name and so is gone with the program, or in one that another program can go on with.
#[derive(Debug)]
pub struct Scratch {
    place: ScratchPlace,
    end: ScratchEnd,
    named: Option<Named>,
    compresses: bool,
}

/// What stays when the program is killed.
#[derive(Debug)]
struct Named {
    journal: Journal,
    /// The paths of the scratch file and of the journal.
    paths: [PathBuf; 2],
}

#[derive(Debug)]
enum ScratchPlace {
    File(SharedFile),
    Memory(Mutex<HashMap<u64, Arc<[u8]>>>),
}

/// A file that threads write one after the other.
///
/// Systems let one at a time write a file, and on Linux whoever waits for that is busy meanwhile:
/// 14 of 200 seconds of processor time of the plies of KQRvKQR with two threads, where the file went
/// into memory that the system had to find first.
#[derive(Debug)]
struct SharedFile {
    file: File,
    writer: Mutex<()>,
}

impl From<File> for SharedFile {
    fn from(file: File) -> SharedFile {
        SharedFile {
            file,
            writer: Mutex::default(),
        }
    }
}

impl SharedFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        write_all_at(&self.file, offset, bytes)
    }
}

impl Scratch {
    /// A file in a directory; memory if none is given.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    pub fn new(directory: Option<&ScratchDirectory>) -> io::Result<Scratch> {
        Ok(Scratch {
            place: match directory {
                Some(directory) => {
                    ScratchPlace::File(tempfile::tempfile_in(directory.path())?.into())
                }
                None => ScratchPlace::Memory(Mutex::default()),
            },
            end: ScratchEnd::new(0, directory),
            named: None,
            compresses: true,
        })
    }

    /// The same, where nothing is compressed: for so little that room does not count, and time
    /// does.
    #[must_use]
    pub fn uncompressed(self) -> Scratch {
        Scratch {
            compresses: false,
            ..self
        }
    }

    /// Files that stay until [`finish`](Self::finish): begun, or gone on with as far as the journal
    /// says that they are whole. Nothing if it is about something else than `about`.
    ///
    /// `journal` is open for reading and writing. Whoever has locked it keeps others away from both
    /// files.
    ///
    /// # Errors
    ///
    /// If the files cannot be used.
    pub fn resumable(
        journal_path: &Path,
        data_path: &Path,
        journal: File,
        about: &[u8],
    ) -> io::Result<Option<Scratch>> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let data = options.open(data_path)?;
        let opened = Journal::open(journal, &data, about)?;
        Ok(opened.map(|(journal, end)| Scratch {
            place: ScratchPlace::File(data.into()),
            end: ScratchEnd::new(end, None),
            named: Some(Named {
                journal,
                paths: [data_path.to_owned(), journal_path.to_owned()],
            }),
            compresses: true,
        }))
    }

    /// The same, whose bytes count in a directory as long as it is open.
    #[must_use]
    pub fn counted_in(self, directory: &ScratchDirectory) -> Scratch {
        Scratch {
            end: ScratchEnd::new(self.len(), Some(directory)),
            ..self
        }
    }

    /// Notes that all of this has been put away, for whoever goes on. Nothing is done where nobody
    /// can.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn record(&self, key: RecordKey, record: &Record) -> io::Result<()> {
        match &self.named {
            Some(named) => named.journal.add(key, record),
            None => Ok(()),
        }
    }

    /// Whether records are of use.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.named.is_some()
    }

    /// How many records of a kind the program before has left that were not recalled.
    #[must_use]
    pub fn recorded(&self, kind: RecordKind) -> usize {
        (self.named.as_ref()).map_or(0, |named| named.journal.count(kind))
    }

    /// What the program before has recorded about something, once.
    #[must_use]
    pub fn recall(&self, key: RecordKey) -> Option<Record> {
        self.named.as_ref()?.journal.take(key)
    }

    /// All that the program before has recorded of a kind and with the first number of its place:
    /// with the second, in order, once.
    #[must_use]
    pub fn recall_all(&self, kind: RecordKind, first: usize) -> Vec<(u32, Record)> {
        match &self.named {
            Some(named) => named.journal.take_all(kind, first),
            None => Vec::new(),
        }
    }

    /// Writes bytes at an offset of the file, whatever stands there.
    pub(crate) fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match &self.place {
            ScratchPlace::File(shared) => shared.write_at(offset, bytes),
            ScratchPlace::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Gives a file that stays another name, under which it is no scratch file any more.
    pub(crate) fn keep_as(self, path: &Path) -> io::Result<()> {
        let Scratch { named, end, .. } = self;
        let Some(Named { paths, journal }) = named else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        // Whoever counts files meanwhile should not find its bytes twice.
        drop(end);
        let [data, journal_path] = paths;
        std::fs::rename(data, path)?;
        std::fs::remove_file(journal_path)?;
        drop(journal);
        Ok(())
    }

    /// Nobody has to go on with it: its files are gone with the program, and on most systems now.
    pub fn finish(&self) {
        for path in self.named.iter().flat_map(|named| &named.paths) {
            // What stays harms nobody, and whoever needs its name removes it.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Bytes put away so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end.get()
    }

    /// Whether nothing was put away.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts bytes away, less than 4 GiB.
    ///
    /// # Errors
    ///
    /// If there is no room, and other errors of the disk.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Part> {
        let len = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let start = self.end.advance(len.into());
        match &self.place {
            _ if len == 0 => {}
            ScratchPlace::File(shared) => shared.write_at(start, bytes)?,
            ScratchPlace::Memory(parts) => {
                let bytes = bytes.into();
                let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                parts.insert(start, bytes);
            }
        }
        Ok(Part {
            start,
            len,
            checksum: crc32c::crc32c(bytes),
        })
    }

    /// Puts bytes away compressed, as little as possible since they are read back soon, or as they
    /// are if that takes less room; zeros alone take none.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn put_compressed(&self, bytes: &[u8]) -> io::Result<Part> {
        self.put_smaller(bytes, compress)
    }

    /// The same for values of positions, 64 for each address, which is quicker.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn put_lines(&self, bytes: &[u8]) -> io::Result<Part> {
        self.put_smaller(bytes, compress_lines)
    }

    fn put_smaller(
        &self,
        bytes: &[u8],
        compress: fn(&[u8]) -> io::Result<Vec<u8>>,
    ) -> io::Result<Part> {
        if are_all(bytes, 0) {
            return Ok(Part::default());
        }
        if self.compresses {
            let compressed = compress(bytes)?;
            if compressed.len() < bytes.len() {
                return self.put(&compressed);
            }
        }
        self.put(bytes)
    }

    /// Puts a set of positions away, packed by what its words have in common, or as it is if that
    /// takes less room; one that is empty takes none.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn put_set<W: Bits>(&self, set: &[W]) -> io::Result<Part> {
        if set.iter().all(|word| word.is_empty()) {
            return Ok(Part::default());
        }
        if self.compresses {
            let packed = compress_set(set);
            if packed.len() < size_of_val(set) {
                return self.put(&packed);
            }
        }
        self.put(&W::to_le_bytes(set))
    }

    /// The set of so many words that was put away by [`put_set`](Self::put_set).
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn get_set<W: Bits>(&self, part: Part, words: usize) -> io::Result<Vec<W>> {
        if part.is_empty() {
            return Ok(vec![W::ZERO; words]);
        }
        let bytes = self.get(part)?;
        match bytes.len() == words * size_of::<W>() {
            true => Ok(W::from_le_bytes(&bytes)),
            false => decompress_set(&bytes, words),
        }
    }

    /// So many bytes that were put away by [`put_compressed`](Self::put_compressed) or
    /// [`put_lines`](Self::put_lines).
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn get_compressed(&self, part: Part, len: usize) -> io::Result<Vec<u8>> {
        if part.is_empty() {
            return Ok(vec![0; len]);
        }
        let bytes = self.get(part)?;
        match bytes.len() == len {
            true => Ok(bytes),
            false => decompress(&bytes, len),
        }
    }

    /// The same bytes in a room that is theirs.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn get_compressed_into(&self, part: Part, room: &mut [u8]) -> io::Result<()> {
        if part.is_empty() {
            room.fill(0);
            return Ok(());
        }
        let bytes = self.get(part)?;
        if bytes.len() == room.len() {
            room.copy_from_slice(&bytes);
            return Ok(());
        }
        decompress_into(&bytes, room)
    }

    /// Reads what was put away and forgets it: whoever gets it soon afterwards does not wait for the
    /// disk. What goes wrong he is told.
    pub fn read_ahead(&self, part: Part) {
        if let (ScratchPlace::File(SharedFile { file, .. }), false) = (&self.place, part.is_empty())
        {
            let _ = read_bytes(file, part);
        }
    }

    /// What was put away.
    ///
    /// # Errors
    ///
    /// Errors of the disk; [`io::ErrorKind::InvalidData`] if other bytes come back.
    pub fn get(&self, part: Part) -> io::Result<Vec<u8>> {
        match &self.place {
            _ if part.is_empty() => Ok(Vec::new()),
            ScratchPlace::File(shared) => read_part(&shared.file, part),
            ScratchPlace::Memory(parts) => {
                let parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                let bytes = Arc::clone(parts.get(&part.start).ok_or(io::ErrorKind::NotFound)?);
                // Others need not wait for the copy.
                drop(parts);
                Ok(bytes.to_vec())
            }
        }
    }
}
