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
//! "RGWORK01"
//! u8   bit 0: the scores are mate scores, not only signs; the name of the file says it too. From bit 1 on: the game
//! u8   length of the name, and the name, such as KRPvKR.wQueen
//! u32  number of parts; what they are is for the game to say
//! for each part: u64 bytes, u64 bytes in the file, u32 CRC-32C of these
//! u32  CRC-32C of all before
//! the parts
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::fs;
use std::hash::Hash;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packed::Packed;
use crate::Error;
use crate::game::{Game, Signature};
use crate::store::{FileStore, Store};
use crate::table::{WriteError, temporary_file};
use crate::tables::remove_unfinished;

const MAGIC: &[u8; 8] = b"RGWORK01";
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
    /// Keeps a view.
    ///
    /// # Errors
    ///
    /// If there is no room.
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error>;

    /// A view, to get parts of it; nothing if it is not there.
    fn get(&self, view: &V) -> Option<Arc<dyn Parts>>;

    /// Forgets a view.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    fn discard(&self, view: &V) -> Result<(), Error>;
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

impl<V: Copy + Eq + Hash + Debug + Send> ViewStore<V> for InMemory<V> {
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error> {
        self.views().insert(view, Arc::new(parts));
        Ok(())
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
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error> {
        self.of(&view).put(view, parts)
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
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error> {
        self.open().remove(&view);
        self.write(&view, &parts).map_err(|problem| Error::Write {
            name: self.path(&view).display().to_string(),
            problem,
        })
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

    fn write(&self, view: &V, parts: &[Packed]) -> Result<(), WriteError> {
        let name = view.to_string();
        let temporary = self.temporary_file(&name)?;
        let mut file = BufWriter::new(temporary.as_file());
        let mut header = MAGIC.to_vec();
        header.extend([self.marks(), name.len() as u8]);
        header.extend(name.as_bytes());
        header.extend((parts.len() as u32).to_le_bytes());
        for part in parts {
            header.extend((part.len as u64).to_le_bytes());
            header.extend((part.bytes.len() as u64).to_le_bytes());
            header.extend(crc32c::crc32c(&part.bytes).to_le_bytes());
        }
        header.extend(crc32c::crc32c(&header).to_le_bytes());
        file.write_all(&header)?;
        for part in parts {
            file.write_all(&part.bytes)?;
        }
        file.flush()?;
        drop(file);
        let persisted = temporary.persist(self.path(view));
        persisted.map_err(|error| error.error)?;
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
struct ViewFile {
    store: FileStore,
    parts: Vec<PartRecord>,
}

/// Where a part is.
#[derive(Clone, Copy, Debug)]
struct PartRecord {
    len: u64,
    start: u64,
    packed: u64,
    checksum: u32,
}

/// Bytes of what the header says of a part.
const RECORD_LEN: u64 = 8 + 8 + 4;

impl ViewFile {
    fn open(path: &Path, name: &str, marks: u8) -> Option<ViewFile> {
        let store = FileStore::open(path).ok()?;
        let mut expected = MAGIC.to_vec();
        expected.extend([marks, name.len() as u8]);
        expected.extend(name.as_bytes());
        let mut header = vec![0; expected.len() + 4];
        store.read_exact_at(0, &mut header).ok()?;
        let (found, &count) = header.split_last_chunk::<4>()?;
        if found != expected {
            return None;
        }
        let start = header.len() as u64;
        let records_len = u64::from(u32::from_le_bytes(count)) * RECORD_LEN;
        if start + records_len + 4 > store.len() {
            return None;
        }
        header.resize((start + records_len) as usize, 0);
        let records = &mut header[start as usize..];
        store.read_exact_at(start, records).ok()?;
        let mut checksum = [0; 4];
        store
            .read_exact_at(start + records_len, &mut checksum)
            .ok()?;
        if u32::from_le_bytes(checksum) != crc32c::crc32c(&header) {
            return None;
        }
        let mut end = start + records_len + 4;
        let mut parts = Vec::new();
        for record in header[start as usize..].chunks_exact(RECORD_LEN as usize) {
            let (len, rest) = record.split_first_chunk()?;
            let (packed, rest) = rest.split_first_chunk()?;
            let packed = u64::from_le_bytes(*packed);
            parts.push(PartRecord {
                len: u64::from_le_bytes(*len),
                start: end,
                packed,
                checksum: u32::from_le_bytes(*rest.first_chunk()?),
            });
            end = end.checked_add(packed)?;
        }
        (end == store.len()).then_some(ViewFile { store, parts })
    }
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
