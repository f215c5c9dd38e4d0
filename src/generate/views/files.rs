//! Views in work files.
//!
//! A file that is damaged, of another version or about something else is as good as none. Nothing
//! is made durable, since the checksums find what a power failure has left half-written.
//!
//! ```text
//! "RGWORK04"
//! u8   bit 0: the scores are mate scores, not only signs; the name of the file says it too. From bit 1 on: the game
//! u8   length of the name, and the name, such as KRPvKR.wQueen
//! u32  number of parts; what they are is for the game to say
//! u64  where the parts end
//! u32  CRC-32C of all before
//! the parts, in any order; what a program that was killed has left unfinished may lie between them
//! for each part: u64 bytes, u64 where it begins, u64 bytes in the file, u32 CRC-32C of these
//! u32  CRC-32C of what is said of the parts
//! ```
//!
//! Parts are written as they are made, so that they need not wait for each other in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::fs;
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{NewParts, Parts, ViewStore, checksum_of};
use crate::Error;
use crate::generate::packed::Packed;
use crate::store::{
    FileStore, Part, Record, RecordKind, Scratch, ScratchDirectory, ScratchEnd, Store, write_all_at,
};
use crate::table::{WriteError, temporary_file};
use crate::tables::go_on;

const MAGIC: &[u8; 8] = b"RGWORK04";
const EXTENSION: &str = "view";
/// How often the directory is made again that another generation has just removed.
const ATTEMPTS: usize = 100;

/// Views in work files, each part read when it is asked for.
#[derive(Debug)]
pub(super) struct InFiles<V> {
    pub directory: ScratchDirectory,
    pub game: u8,
    pub with_mates: bool,
    pub open: Mutex<HashMap<V, Arc<ViewFile>>>,
}

impl<V: Copy + Eq + Hash + Debug + Display + Send + Sync> ViewStore<V> for InFiles<V> {
    fn begin(
        &self,
        view: V,
        parts: usize,
        about: Option<&[u8]>,
    ) -> Result<Box<dyn NewParts + '_>, Error> {
        self.open().remove(&view);
        let path = self.path(&view);
        let name = view.to_string();
        let mut header = MAGIC.to_vec();
        header.extend([self.marks(), name.len() as u8]);
        header.extend(name.as_bytes());
        header.extend((parts as u32).to_le_bytes());
        let len = header.len() as u64 + HEADER_REST;
        let mut records = vec![None; parts];
        let place = match about {
            None => {
                let file = self.temporary_file(&name);
                let file = file.map_err(|problem| not_written(&path, problem))?;
                // Room for the header, which is written last.
                let has_room = file.as_file().set_len(len);
                has_room.map_err(|error| not_written(&path, error.into()))?;
                let end = ScratchEnd::new(len, Some(&self.directory));
                NewPlace::Temporary { file, end }
            }
            Some(about) => {
                let told = |error: io::Error| not_written(&path, error.into());
                let name = self.name_of(&view, self.with_mates);
                let scratch = go_on(&self.directory, &name, about).map_err(told)?;
                for (number, record) in scratch.recall_all(RecordKind::View, 0) {
                    let reader = &mut record.reader();
                    let of_part = records.get_mut(number as usize);
                    if let (Some(of_part), Some(len), Some(part)) =
                        (of_part, reader.number(), reader.part())
                    {
                        *of_part = Some(PartRecord::new(len.into(), part));
                    }
                }
                if scratch.is_empty() {
                    scratch.put(&vec![0; len as usize]).map_err(told)?;
                }
                NewPlace::Resumable(scratch)
            }
        };
        Ok(Box::new(NewFile {
            path,
            place,
            header,
            records: Mutex::new(records),
        }))
    }

    fn get(&self, view: &V) -> Option<Arc<dyn Parts>> {
        if let Some(file) = self.open().get(view) {
            return Some(Arc::clone(file) as Arc<dyn Parts>);
        }
        let marks = self.marks();
        let file = ViewFile::open(&self.path(view), &view.to_string(), marks).map(Arc::new)?;
        self.open().insert(*view, Arc::clone(&file));
        Some(file)
    }

    fn discard(&self, view: &V) -> Result<(), Error> {
        self.open().remove(view);
        self.remove(&self.path(view))
    }
}

impl<V: Display> InFiles<V> {
    fn open(&self) -> MutexGuard<'_, HashMap<V, Arc<ViewFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn path(&self, view: &V) -> PathBuf {
        self.path_of(view, self.with_mates)
    }

    /// Generations with and without distances to mate do not get into each other's way.
    pub fn path_of(&self, view: &V, with_mates: bool) -> PathBuf {
        self.directory.path().join(self.name_of(view, with_mates))
    }

    pub fn name_of(&self, view: &V, with_mates: bool) -> String {
        let scores = if with_mates { "mates" } else { "signs" };
        format!("{view}.{scores}.{EXTENSION}")
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Directory {
            directory: self.directory.path().to_owned(),
            source,
        }
    }

    /// The byte after the magic ones.
    fn marks(&self) -> u8 {
        self.game << 1 | u8::from(self.with_mates)
    }

    pub fn remove(&self, path: &Path) -> Result<(), Error> {
        match fs::remove_file(path) {
            Err(error) if !is_absent(&error) => Err(self.error(error)),
            _ => Ok(()),
        }
    }

    /// A new file beside the work files, locked so that nobody takes it for a leftover.
    fn temporary_file(&self, name: &str) -> Result<tempfile::NamedTempFile, WriteError> {
        let mut attempt = 0;
        loop {
            let directory = self.directory.path();
            fs::create_dir_all(directory)?;
            match temporary_file(directory, name) {
                Err(WriteError::Io(error))
                    if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                }
                file => return file,
            }
        }
    }
}

/// Bytes of the work files in a directory, but for those that are being written.
pub(crate) fn bytes_of_files(directory: &Path) -> u64 {
    let is_view = |path: &Path| path.extension().is_some_and(|kind| kind == EXTENSION);
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let views = files.filter(|file| is_view(&file.path()));
    let bytes = views.filter_map(|file| Some(file.metadata().ok()?.len()));
    bytes.sum()
}

/// The error of a work file that cannot be written.
fn not_written(path: &Path, problem: WriteError) -> Error {
    Error::Write {
        name: path.display().to_string(),
        problem,
    }
}

/// A work file that is being written.
struct NewFile {
    path: PathBuf,
    place: NewPlace,
    /// The beginning of the header.
    header: Vec<u8>,
    /// Of each part that is there.
    records: Mutex<Vec<Option<PartRecord>>>,
}

/// Where it is until it has its name.
enum NewPlace {
    Temporary {
        file: tempfile::NamedTempFile,
        end: ScratchEnd,
    },
    /// Where another program can go on with it.
    Resumable(Scratch),
}

impl NewFile {
    fn told(&self, error: io::Error) -> Error {
        not_written(&self.path, error.into())
    }

    fn records(&self) -> MutexGuard<'_, Vec<Option<PartRecord>>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_away(&self, number: usize, part: &Packed) -> io::Result<PartRecord> {
        match &self.place {
            NewPlace::Temporary { file, end } => {
                let packed = part.bytes.len() as u64;
                let record = PartRecord {
                    len: part.len as u64,
                    start: end.advance(packed),
                    packed,
                    checksum: crc32c::crc32c(&part.bytes),
                };
                write_all_at(file.as_file(), record.start, &part.bytes)?;
                Ok(record)
            }
            NewPlace::Resumable(scratch) => {
                let put = scratch.put(&part.bytes)?;
                // A part has less than 4 GiB.
                let numbers = vec![part.len as u32];
                let parts = vec![put];
                let key = RecordKind::View.of([0, number, 0]);
                scratch.record(key, &Record { numbers, parts })?;
                Ok(PartRecord::new(part.len as u64, put))
            }
        }
    }

    /// Where the parts end.
    fn end(&self) -> u64 {
        match &self.place {
            NewPlace::Temporary { end, .. } => end.get(),
            NewPlace::Resumable(scratch) => scratch.len(),
        }
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match &self.place {
            NewPlace::Temporary { file, .. } => write_all_at(file.as_file(), offset, bytes),
            NewPlace::Resumable(scratch) => scratch.write_at(offset, bytes),
        }
    }
}

impl NewParts for NewFile {
    fn has(&self, number: usize) -> bool {
        self.records().get(number).is_some_and(Option::is_some)
    }

    fn put(&self, number: usize, part: Packed) -> Result<(), Error> {
        if !self.has(number) {
            let record = self.put_away(number, &part);
            let record = record.map_err(|error| self.told(error))?;
            self.records()[number] = Some(record);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let end = self.end();
        let mut header = self.header.clone();
        header.extend(end.to_le_bytes());
        header.extend(crc32c::crc32c(&header).to_le_bytes());
        let mut records = Vec::new();
        for part in self.records().iter() {
            let part = part.unwrap_or_default();
            records.extend(part.len.to_le_bytes());
            // An empty part, which nobody may have put, is at the end.
            let start = if part.packed == 0 { end } else { part.start };
            records.extend(start.to_le_bytes());
            records.extend(part.packed.to_le_bytes());
            records.extend(part.checksum.to_le_bytes());
        }
        records.extend(crc32c::crc32c(&records).to_le_bytes());
        let written = self.write(0, &header);
        let written = written.and_then(|()| self.write(end, &records));
        written.map_err(|error| self.told(error))?;
        let NewFile { path, place, .. } = *self;
        let told = |error: io::Error| not_written(&path, error.into());
        match place {
            NewPlace::Temporary { file, end } => {
                drop(end);
                file.persist(&path).map_err(|error| told(error.error))?;
            }
            NewPlace::Resumable(scratch) => scratch.keep_as(&path).map_err(told)?,
        }
        Ok(())
    }
}

/// Whether there is no such file, and with a file in the place of the directory there can be none.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A work file whose header is undamaged and fits its name.
#[derive(Debug)]
pub(super) struct ViewFile {
    store: FileStore,
    parts: Vec<PartRecord>,
}

/// Where a part is.
#[derive(Clone, Copy, Debug, Default)]
struct PartRecord {
    len: u64,
    start: u64,
    packed: u64,
    checksum: u32,
}

impl PartRecord {
    /// So many bytes, packed in a part of a scratch file.
    fn new(len: u64, part: Part) -> PartRecord {
        PartRecord {
            len,
            start: part.start(),
            packed: part.len() as u64,
            checksum: part.checksum(),
        }
    }
}

/// Bytes of what is said of a part.
const RECORD_LEN: u64 = 8 + 8 + 8 + 4;
/// Bytes of the header after the number of parts.
const HEADER_REST: u64 = 8 + 4;

impl ViewFile {
    fn open(path: &Path, name: &str, marks: u8) -> Option<ViewFile> {
        let store = FileStore::open(path).ok()?;
        let mut expected = MAGIC.to_vec();
        expected.extend([marks, name.len() as u8]);
        expected.extend(name.as_bytes());
        let mut header = vec![0; expected.len() + 4 + HEADER_REST as usize];
        store.read_exact_at(0, &mut header).ok()?;
        let header_len = header.len() as u64;
        let (header, rest) = checked(&header)?.split_at(expected.len());
        let (count, end) = rest.split_first_chunk()?;
        let (count, end) = (
            u32::from_le_bytes(*count),
            u64::from_le_bytes(*end.first_chunk()?),
        );
        let records_len = u64::from(count) * RECORD_LEN + 4;
        if header != expected || end.checked_add(records_len)? != store.len() {
            return None;
        }
        let mut records = vec![0; usize::try_from(records_len).ok()?];
        store.read_exact_at(end, &mut records).ok()?;
        let mut parts = Vec::new();
        let mut left = end.checked_sub(header_len)?;
        for record in checked(&records)?.chunks_exact(RECORD_LEN as usize) {
            let (len, rest) = record.split_first_chunk()?;
            let (start, rest) = rest.split_first_chunk()?;
            let (packed, checksum) = rest.split_first_chunk()?;
            let part = PartRecord {
                len: u64::from_le_bytes(*len),
                start: u64::from_le_bytes(*start),
                packed: u64::from_le_bytes(*packed),
                checksum: u32::from_le_bytes(*checksum.first_chunk()?),
            };
            let is_inside = part.start >= header_len && part.start.checked_add(part.packed)? <= end;
            left = left.checked_sub(part.packed).filter(|_| is_inside)?;
            parts.push(part);
        }
        Some(ViewFile { store, parts })
    }
}

/// Bytes without the checksum at their end, if it is right.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, &checksum) = bytes.split_last_chunk::<4>()?;
    (u32::from_le_bytes(checksum) == crc32c::crc32c(bytes)).then_some(bytes)
}

impl Parts for ViewFile {
    fn lengths(&self) -> Vec<u64> {
        self.parts.iter().map(|part| part.len).collect()
    }

    fn part(&self, number: usize) -> Option<Cow<'_, Packed>> {
        let record = self.parts.get(number)?;
        // The header says that the file is as long as all parts together.
        let mut bytes = vec![0; usize::try_from(record.packed).ok()?];
        self.store.read_exact_at(record.start, &mut bytes).ok()?;
        let len = usize::try_from(record.len).ok()?;
        (crc32c::crc32c(&bytes) == record.checksum).then_some(Cow::Owned(Packed { bytes, len }))
    }

    fn checksum(&self) -> u32 {
        checksum_of(self.parts.iter().map(|part| (part.len, part.checksum)))
    }
}
