//! What solved materials leave for those that lead to them: in memory, or in files by parts.
//!
//! Views of materials of five and more men take long to solve again, so they are written to work files in a hidden
//! directory beside the tables. A generation that was stopped finds them there when it is carried on. A file goes
//! when the last material that reads it is done.
//!
//! A file that is damaged, of another version or about something else is as good as none. Nothing is made durable,
//! since the checksums find what a power failure has left half-written.
//!
//! ```text
//! "RGWORK02"
//! u8   bit 0: the scores are mate scores, not only signs; the name of the file says it too. From bit 1 on: the game
//! u8   length of the name, and the name, such as KRPvKR.wQueen
//! u32  number of parts; what they are is for the game to say
//! u64  where the parts end
//! u32  CRC-32C of all before
//! the parts, in any order
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
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packed::Packed;
use crate::Error;
use crate::game::{Game, Signature};
use crate::store::{FileStore, Store, write_all_at};
use crate::table::{WriteError, temporary_file};
use crate::tables::remove_unfinished;

const MAGIC: &[u8; 8] = b"RGWORK02";
/// The hidden directory beside the tables.
pub(super) const DIRECTORY: &str = ".work";
const EXTENSION: &str = "view";
/// How often the directory is made again that another generation has just removed.
const ATTEMPTS: usize = 100;

/// The name of a view, which is a part of the name of its file.
pub trait ViewName: Copy + Eq + Hash + Debug + Display + Send + Sync {
    /// Of the game.
    type Material: Signature;

    /// The material, in normal form, that leaves the view.
    fn source(&self) -> Self::Material;

    /// Whether parts of these lengths, unpacked, can be those of the view.
    fn fits(&self, lengths: &[u64]) -> bool;
}

/// Where views are kept until nobody reads them any more.
pub trait ViewStore<V>: Debug + Sync {
    /// Begins to keep a view of so many parts.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    fn begin(&self, view: V, parts: usize) -> Result<Box<dyn NewParts + '_>, Error>;

    /// Keeps a view.
    ///
    /// # Errors
    ///
    /// If there is no room.
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error> {
        let new = self.begin(view, parts.len())?;
        for (number, part) in parts.into_iter().enumerate() {
            new.put(number, part)?;
        }
        new.finish()
    }

    /// A view, to get parts of it; nothing if it is not there.
    fn get(&self, view: &V) -> Option<Arc<dyn Parts>>;

    /// Forgets a view.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    fn discard(&self, view: &V) -> Result<(), Error>;
}

/// The parts of a view that is being made, by many threads.
pub trait NewParts: Send + Sync {
    /// Keeps a part.
    ///
    /// # Errors
    ///
    /// If there is no room.
    fn put(&self, number: usize, part: Packed) -> Result<(), Error>;

    /// All parts are there, and may be read.
    ///
    /// # Errors
    ///
    /// If there is no room.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// The parts of a view.
pub trait Parts: Debug + Send + Sync {
    /// How long each is when it is unpacked.
    fn lengths(&self) -> Vec<u64>;

    /// One of them; nothing if there is none of that number, or it is damaged.
    fn part(&self, number: usize) -> Option<Cow<'_, Packed>>;
}

impl Parts for Vec<Packed> {
    fn lengths(&self) -> Vec<u64> {
        self.iter().map(|part| part.len as u64).collect()
    }

    fn part(&self, number: usize) -> Option<Cow<'_, Packed>> {
        self.get(number).map(Cow::Borrowed)
    }
}

/// Views in memory.
#[derive(Debug)]
struct InMemory<V>(Mutex<HashMap<V, Arc<Vec<Packed>>>>);

impl<V> InMemory<V> {
    fn views(&self) -> MutexGuard<'_, HashMap<V, Arc<Vec<Packed>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Copy + Eq + Hash + Debug + Send + Sync> ViewStore<V> for InMemory<V> {
    fn begin(&self, view: V, parts: usize) -> Result<Box<dyn NewParts + '_>, Error> {
        Ok(Box::new(NewInMemory {
            store: self,
            view,
            parts: (0..parts).map(|_| Mutex::default()).collect(),
        }))
    }

    fn get(&self, view: &V) -> Option<Arc<dyn Parts>> {
        let parts = Arc::clone(self.views().get(view)?);
        Some(parts)
    }

    fn discard(&self, view: &V) -> Result<(), Error> {
        self.views().remove(view);
        Ok(())
    }
}

struct NewInMemory<'a, V> {
    store: &'a InMemory<V>,
    view: V,
    parts: Vec<Mutex<Packed>>,
}

impl<V: Copy + Eq + Hash + Send + Sync> NewParts for NewInMemory<'_, V> {
    fn put(&self, number: usize, part: Packed) -> Result<(), Error> {
        *self.parts[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = part;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let parts = self.parts.into_iter();
        let parts = parts.map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        self.store
            .views()
            .insert(self.view, Arc::new(parts.collect()));
        Ok(())
    }
}

/// Views in work files, each part read when it is asked for.
#[derive(Debug)]
struct InFiles<V> {
    directory: PathBuf,
    game: u8,
    with_mates: bool,
    open: Mutex<HashMap<V, Arc<ViewFile>>>,
}

/// All that a generation keeps: views of materials of few men in memory, those of others in files.
#[derive(Debug)]
pub struct Views<V> {
    in_memory: InMemory<V>,
    in_files: InFiles<V>,
    men_in_memory: usize,
}

impl<V: ViewName> Views<V> {
    /// None in memory yet, and the work files that are there beside the tables of a directory.
    pub fn new(directory: &Path, game: Game, with_mates: bool, men_in_memory: usize) -> Views<V> {
        Views {
            in_memory: InMemory(Mutex::default()),
            in_files: InFiles {
                directory: directory.join(DIRECTORY),
                game: game.number(),
                with_mates,
                open: Mutex::default(),
            },
            men_in_memory,
        }
    }

    /// The error of a file that was there and is needed, and cannot be used any more.
    pub fn lost(&self) -> Error {
        Error::WorkFiles {
            directory: self.in_files.directory.clone(),
        }
    }

    /// Whether a view is kept in a file.
    pub fn is_for_file(&self, view: &V) -> bool {
        is_for_file(*view, self.men_in_memory)
    }

    /// Whether there is an undamaged file of a view.
    pub fn is_filed(&self, view: &V) -> bool {
        let is_whole = |parts: Arc<dyn Parts>| {
            let lengths = parts.lengths();
            view.fits(&lengths) && (0..lengths.len()).all(|number| parts.part(number).is_some())
        };
        self.is_for_file(view) && self.in_files.get(view).is_some_and(is_whole)
    }

    fn of(&self, view: &V) -> &dyn ViewStore<V> {
        match self.is_for_file(view) {
            true => &self.in_files,
            false => &self.in_memory,
        }
    }

    /// Removes the files of the given views and what was never finished; the directory too if nothing is left.
    pub fn clear(&self, views: impl Iterator<Item = V>) -> Result<(), Error> {
        let files = &self.in_files;
        if !files.directory.is_dir() {
            return Ok(());
        }
        for view in views {
            for with_mates in [false, true] {
                files.remove(&files.path_of(&view, with_mates))?;
            }
        }
        remove_unfinished(&files.directory);
        // Another generation may have left something that it still wants.
        let _ = fs::remove_dir(&files.directory);
        Ok(())
    }
}

/// Whether a view is kept in a file, where those of materials of up to `men_in_memory` men are kept in memory.
pub(super) fn is_for_file<V: ViewName>(view: V, men_in_memory: usize) -> bool {
    view.source().men() > men_in_memory
}

impl<V: ViewName> ViewStore<V> for Views<V> {
    fn begin(&self, view: V, parts: usize) -> Result<Box<dyn NewParts + '_>, Error> {
        self.of(&view).begin(view, parts)
    }

    fn get(&self, view: &V) -> Option<Arc<dyn Parts>> {
        let parts = self.of(view).get(view)?;
        view.fits(&parts.lengths()).then_some(parts)
    }

    fn discard(&self, view: &V) -> Result<(), Error> {
        self.of(view).discard(view)
    }
}

impl<V: Copy + Eq + Hash + Debug + Display + Send + Sync> ViewStore<V> for InFiles<V> {
    fn begin(&self, view: V, parts: usize) -> Result<Box<dyn NewParts + '_>, Error> {
        self.open().remove(&view);
        let path = self.path(&view);
        let name = view.to_string();
        let temporary =
            (self.temporary_file(&name)).map_err(|problem| not_written(&path, problem))?;
        let mut header = MAGIC.to_vec();
        header.extend([self.marks(), name.len() as u8]);
        header.extend(name.as_bytes());
        header.extend((parts as u32).to_le_bytes());
        let records = PartRecord::default();
        Ok(Box::new(NewFile {
            end: AtomicU64::new(header.len() as u64 + HEADER_REST),
            path,
            temporary,
            header,
            records: Mutex::new(vec![records; parts]),
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

    fn path(&self, view: &V) -> PathBuf {
        self.path_of(view, self.with_mates)
    }

    /// Generations with and without distances to mate do not get into each other's way.
    fn path_of(&self, view: &V, with_mates: bool) -> PathBuf {
        let scores = if with_mates { "mates" } else { "signs" };
        self.directory.join(format!("{view}.{scores}.{EXTENSION}"))
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Directory {
            directory: self.directory.clone(),
            source,
        }
    }

    /// The byte after the magic ones.
    fn marks(&self) -> u8 {
        self.game << 1 | u8::from(self.with_mates)
    }

    fn remove(&self, path: &Path) -> Result<(), Error> {
        match fs::remove_file(path) {
            Err(error) if !is_absent(&error) => Err(self.error(error)),
            _ => Ok(()),
        }
    }

    /// A new file beside the work files, locked so that nobody takes it for a leftover.
    fn temporary_file(&self, name: &str) -> Result<tempfile::NamedTempFile, WriteError> {
        let mut attempt = 0;
        loop {
            fs::create_dir_all(&self.directory)?;
            match temporary_file(&self.directory, name) {
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
    temporary: tempfile::NamedTempFile,
    /// The beginning of the header.
    header: Vec<u8>,
    end: AtomicU64,
    records: Mutex<Vec<PartRecord>>,
}

impl NewFile {
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let written = write_all_at(self.temporary.as_file(), offset, bytes);
        written.map_err(|error| not_written(&self.path, error.into()))
    }
}

impl NewParts for NewFile {
    fn put(&self, number: usize, part: Packed) -> Result<(), Error> {
        let packed = part.bytes.len() as u64;
        let record = PartRecord {
            len: part.len as u64,
            start: self.end.fetch_add(packed, Ordering::Relaxed),
            packed,
            checksum: crc32c::crc32c(&part.bytes),
        };
        self.records.lock().unwrap_or_else(PoisonError::into_inner)[number] = record;
        self.write(record.start, &part.bytes)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let end = self.end.load(Ordering::Relaxed);
        let mut header = self.header.clone();
        header.extend(end.to_le_bytes());
        header.extend(crc32c::crc32c(&header).to_le_bytes());
        self.write(0, &header)?;
        let mut records = Vec::new();
        let parts = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        for part in parts.iter() {
            records.extend(part.len.to_le_bytes());
            // An empty part that nobody has put is at the end.
            let start = if part.packed == 0 { end } else { part.start };
            records.extend(start.to_le_bytes());
            records.extend(part.packed.to_le_bytes());
            records.extend(part.checksum.to_le_bytes());
        }
        drop(parts);
        records.extend(crc32c::crc32c(&records).to_le_bytes());
        self.write(end, &records)?;
        match self.temporary.persist(&self.path) {
            Ok(_) => Ok(()),
            Err(error) => Err(not_written(&self.path, error.error.into())),
        }
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
struct ViewFile {
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
        (left == 0).then_some(ViewFile { store, parts })
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::chess::View;
    use crate::metric::Metric;

    fn store(tables: &Path, metrics: &[Metric]) -> Views<View> {
        Views::new(tables, Game::Chess, metrics.contains(&Metric::Dtm), 2)
    }

    fn view() -> View {
        View::Whole("KQvK".parse().unwrap())
    }

    /// Words of a view of KQvK.
    const WORDS: usize = 10 * 64;

    /// Parts of the right shape, for both sides to move; `seed` makes their scores different.
    fn parts(seed: u8) -> Vec<Packed> {
        let side = [
            Packed::of_words(&[7; WORDS]),
            Packed::new(&[seed; WORDS * 64]),
            Packed::default(),
        ];
        [&side[..], &side].concat()
    }

    fn bytes(parts: &dyn Parts) -> Vec<Vec<u8>> {
        let numbers = 0..parts.lengths().len();
        numbers
            .map(|number| parts.part(number).unwrap().unpack().unwrap())
            .collect()
    }

    #[test]
    fn what_is_put_into_a_file_is_found_by_another_store() {
        let tables = tempfile::tempdir().unwrap();
        let store_with_mates = store(tables.path(), &Metric::ALL);
        store_with_mates.put(view(), parts(3)).unwrap();
        let found = store(tables.path(), &Metric::ALL).get(&view()).unwrap();
        assert_eq!(bytes(&*found), bytes(&parts(3)));
        assert!(found.part(parts(3).len()).is_none());
        store_with_mates.clear(std::iter::once(view())).unwrap();
        assert!(!tables.path().join(DIRECTORY).exists());
    }

    #[test]
    fn with_and_without_mate_scores_are_two_files() {
        let tables = tempfile::tempdir().unwrap();
        let files = |metrics: &[Metric]| store(tables.path(), metrics);
        let [signs, mates] = [&[Metric::Wdl, Metric::Dtz][..], &Metric::ALL];
        files(signs).put(view(), parts(3)).unwrap();
        assert!(files(signs).is_filed(&view()) && !files(mates).is_filed(&view()));
        let path = |metrics| files(metrics).in_files.path(&view());
        fs::copy(path(signs), path(mates)).unwrap();
        assert!(!files(mates).is_filed(&view()));
        files(mates).put(view(), parts(4)).unwrap();
        let found = files(signs).get(&view()).unwrap();
        assert_eq!(bytes(&*found), bytes(&parts(3)));
        let found = files(mates).get(&view()).unwrap();
        assert_eq!(bytes(&*found), bytes(&parts(4)));
        files(signs).clear(std::iter::once(view())).unwrap();
        assert!(!files(mates).is_filed(&view()));
    }

    #[test]
    fn a_file_with_any_bit_or_any_end_changed_is_none() {
        let tables = tempfile::tempdir().unwrap();
        let is_filed = || store(tables.path(), &Metric::ALL).is_filed(&view());
        let store = store(tables.path(), &Metric::ALL);
        store.put(view(), parts(3)).unwrap();
        let path = store.in_files.path(&view());
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert!(!is_filed(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(!is_filed(), "{at} bytes");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(!is_filed());
        fs::write(&path, &whole).unwrap();
        assert!(is_filed());
    }

    #[test]
    fn what_passes_its_checksums_has_to_have_the_right_shape() {
        let tables = tempfile::tempdir().unwrap();
        let store = store(tables.path(), &Metric::ALL);
        let mut short = parts(3);
        short.truncate(3);
        let mut long = parts(3);
        long.push(Packed::default());
        let with = |number: usize, part: Packed| {
            let mut parts = parts(3);
            parts[number] = part;
            parts
        };
        let others = [
            short,
            long,
            Vec::new(),
            with(0, Packed::of_words(&[7; WORDS - 1])),
            with(4, Packed::new(&[1; WORDS * 64 - 1])),
            with(5, Packed::of_words(&[7; WORDS - 1])),
        ];
        for parts in others {
            store.put(view(), parts).unwrap();
            assert!(store.get(&view()).is_none());
        }
    }
}
