//! What solved materials leave for those that lead to them: in memory, or in files by parts.
//!
//! Views of materials of five and more men take long to solve again, so they are written to work
//! files in a hidden directory beside the tables. A generation that was stopped finds them there
//! when it is carried on. A file goes when the last material that reads it is done.

mod files;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::{Debug, Display};
use std::fs;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packed::Packed;
use crate::Error;
use crate::game::{Game, Signature};
use crate::store::ScratchDirectory;
use crate::tables::{remove_begun, remove_unfinished};
use files::InFiles;
pub(super) use files::bytes_of_files;

/// The hidden directory beside the tables.
pub(super) const DIRECTORY: &str = ".work";

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
    /// Begins to keep a view of so many parts; or goes on with it, where a program that was killed
    /// has begun it and what it was made from is the same, `about`.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    fn begin(
        &self,
        view: V,
        parts: usize,
        about: Option<&[u8]>,
    ) -> Result<Box<dyn NewParts + '_>, Error>;

    /// Keeps a view.
    ///
    /// # Errors
    ///
    /// If there is no room.
    fn put(&self, view: V, parts: Vec<Packed>) -> Result<(), Error> {
        let new = self.begin(view, parts.len(), None)?;
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
    /// Whether a part is there already.
    fn has(&self, _number: usize) -> bool {
        false
    }

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

    /// A CRC-32C of what all of them are: their lengths, and the checksums of their bytes.
    fn checksum(&self) -> u32;
}

/// The checksum of parts of these lengths and checksums.
fn checksum_of(parts: impl Iterator<Item = (u64, u32)>) -> u32 {
    parts.fold(0, |checksum, (len, of_part)| {
        let checksum = crc32c::crc32c_append(checksum, &len.to_le_bytes());
        crc32c::crc32c_append(checksum, &of_part.to_le_bytes())
    })
}

impl Parts for Vec<Packed> {
    fn lengths(&self) -> Vec<u64> {
        self.iter().map(|part| part.len as u64).collect()
    }

    fn part(&self, number: usize) -> Option<Cow<'_, Packed>> {
        self.get(number).map(Cow::Borrowed)
    }

    fn checksum(&self) -> u32 {
        let of_part = |part: &Packed| (part.len as u64, crc32c::crc32c(&part.bytes));
        checksum_of(self.iter().map(of_part))
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
    fn begin(
        &self,
        view: V,
        parts: usize,
        _: Option<&[u8]>,
    ) -> Result<Box<dyn NewParts + '_>, Error> {
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

/// All that a generation keeps: views of materials of few men in memory, those of others in files.
#[derive(Debug)]
pub struct Views<V> {
    in_memory: InMemory<V>,
    in_files: InFiles<V>,
    men_in_memory: usize,
}

impl<V: ViewName> Views<V> {
    /// None in memory yet, and the work files that are there beside the tables of a directory.
    pub fn new(
        directory: ScratchDirectory,
        game: Game,
        with_mates: bool,
        men_in_memory: usize,
    ) -> Views<V> {
        Views {
            in_memory: InMemory(Mutex::default()),
            in_files: InFiles {
                directory,
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
            directory: self.in_files.directory.path().to_owned(),
        }
    }

    /// Whether a view is kept in a file.
    pub fn is_for_file(&self, view: &V) -> bool {
        is_for_file(*view, self.men_in_memory)
    }

    /// Whether there is an undamaged file of a view, which may be one that would now be kept in
    /// memory.
    pub fn has_file(&self, view: &V) -> bool {
        let is_whole = |parts: Arc<dyn Parts>| {
            let lengths = parts.lengths();
            view.fits(&lengths) && (0..lengths.len()).all(|number| parts.part(number).is_some())
        };
        self.in_files.get(view).is_some_and(is_whole)
    }

    fn of(&self, view: &V) -> &dyn ViewStore<V> {
        match self.is_for_file(view) {
            true => &self.in_files,
            false => &self.in_memory,
        }
    }

    /// Removes the files of the given views and what was never finished; the directory too if
    /// nothing is left.
    pub fn clear(&self, views: impl Iterator<Item = V>) -> Result<(), Error> {
        let files = &self.in_files;
        let directory = files.directory.path();
        if !directory.is_dir() {
            return Ok(());
        }
        let mut names = HashSet::new();
        for view in views {
            for with_mates in [false, true] {
                files.remove(&files.path_of(&view, with_mates))?;
                names.insert(files.name_of(&view, with_mates));
            }
        }
        remove_begun(directory, |name| names.contains(name));
        remove_unfinished(directory);
        // Another generation may have left something that it still wants.
        let _ = fs::remove_dir(directory);
        Ok(())
    }
}

/// Whether a view is kept in a file, where those of materials of up to `men_in_memory` men are kept
/// in memory.
pub(super) fn is_for_file<V: ViewName>(view: V, men_in_memory: usize) -> bool {
    view.source().men() > men_in_memory
}

impl<V: ViewName> ViewStore<V> for Views<V> {
    fn begin(
        &self,
        view: V,
        parts: usize,
        about: Option<&[u8]>,
    ) -> Result<Box<dyn NewParts + '_>, Error> {
        self.of(&view).begin(view, parts, about)
    }

    fn get(&self, view: &V) -> Option<Arc<dyn Parts>> {
        let parts = self.of(view).get(view)?;
        view.fits(&parts.lengths()).then_some(parts)
    }

    fn discard(&self, view: &V) -> Result<(), Error> {
        self.of(view).discard(view)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::generate::chess::View;
    use crate::metric::Metric;

    fn store(tables: &Path, metrics: &[Metric]) -> Views<View> {
        let directory = ScratchDirectory::new(tables.join(DIRECTORY));
        Views::new(directory, Game::Chess, metrics.contains(&Metric::Dtm), 2)
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

    fn bytes_of(parts: &dyn Parts) -> Vec<Vec<u8>> {
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
        assert_eq!(bytes_of(&*found), bytes_of(&parts(3)));
        assert!(found.part(parts(3).len()).is_none());
        store_with_mates.clear(std::iter::once(view())).unwrap();
        assert!(!tables.path().join(DIRECTORY).exists());
    }

    #[test]
    fn a_file_that_was_begun_is_gone_on_with() {
        let tables = tempfile::tempdir().unwrap();
        let store = store(tables.path(), &Metric::ALL);
        let begin = |about: &[u8]| store.begin(view(), parts(3).len(), Some(about)).unwrap();
        let there = |new: &dyn NewParts| -> Vec<usize> {
            (0..parts(3).len())
                .filter(|&number| new.has(number))
                .collect()
        };
        let begun = begin(b"this");
        for number in [4, 0, 2] {
            begun.put(number, parts(3)[number].clone()).unwrap();
        }
        // Another generation at the same time begins its own.
        assert!(there(&*begin(b"this")).is_empty());
        drop(begun);
        assert!(!store.has_file(&view()));
        assert_eq!(there(&*begin(b"this")), [0, 2, 4]);
        let names = || -> Vec<PathBuf> {
            let entries = fs::read_dir(tables.path().join(DIRECTORY)).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        let left: Vec<_> = names()
            .into_iter()
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        assert_eq!(left.len(), 2);
        for (path, bytes) in &left {
            for at in (0..=bytes.len()).step_by(7) {
                for path in names() {
                    fs::remove_file(path).unwrap();
                }
                for (path, bytes) in &left {
                    fs::write(path, bytes).unwrap();
                }
                let mut flipped = bytes.clone();
                if let Some(byte) = flipped.get_mut(at) {
                    *byte ^= 1;
                }
                fs::write(path, if at % 2 == 0 { &flipped } else { &bytes[..at] }).unwrap();
                let new = begin(b"this");
                // What is not there is made again, and what is there is not written again.
                let found = there(&*new);
                assert!([4, 0, 2].starts_with(&found) || found == [0, 4] || found == [0, 2, 4]);
                for (number, part) in parts(3).into_iter().enumerate() {
                    new.put(number, part).unwrap();
                }
                new.finish().unwrap();
                assert!(store.has_file(&view()), "{at}");
                let found = store.get(&view()).unwrap();
                assert_eq!(bytes_of(&*found), bytes_of(&parts(3)));
                store.discard(&view()).unwrap();
                assert!(names().is_empty());
            }
        }
        for (path, bytes) in &left {
            fs::write(path, bytes).unwrap();
        }
        assert!(there(&*begin(b"that")).is_empty());
        store.clear(std::iter::once(view())).unwrap();
        assert!(!tables.path().join(DIRECTORY).exists());
    }

    #[test]
    fn with_and_without_mate_scores_are_two_files() {
        let tables = tempfile::tempdir().unwrap();
        let files = |metrics: &[Metric]| store(tables.path(), metrics);
        let [signs, mates] = [&[Metric::Wdl, Metric::Dtz][..], &Metric::ALL];
        files(signs).put(view(), parts(3)).unwrap();
        assert!(files(signs).has_file(&view()) && !files(mates).has_file(&view()));
        let path = |metrics| files(metrics).in_files.path(&view());
        fs::copy(path(signs), path(mates)).unwrap();
        assert!(!files(mates).has_file(&view()));
        files(mates).put(view(), parts(4)).unwrap();
        let found = files(signs).get(&view()).unwrap();
        assert_eq!(bytes_of(&*found), bytes_of(&parts(3)));
        let found = files(mates).get(&view()).unwrap();
        assert_eq!(bytes_of(&*found), bytes_of(&parts(4)));
        files(signs).clear(std::iter::once(view())).unwrap();
        assert!(!files(mates).has_file(&view()));
    }

    #[test]
    fn a_file_with_any_bit_or_any_end_changed_is_none() {
        let tables = tempfile::tempdir().unwrap();
        let has_file = || store(tables.path(), &Metric::ALL).has_file(&view());
        let store = store(tables.path(), &Metric::ALL);
        store.put(view(), parts(3)).unwrap();
        let path = store.in_files.path(&view());
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert!(!has_file(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(!has_file(), "{at} bytes");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(!has_file());
        fs::write(&path, &whole).unwrap();
        assert!(has_file());
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
