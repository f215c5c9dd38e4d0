//! What solved materials leave behind for those that lead to them: in memory, or in work files.
//!
//! Views of materials of five and more men take long to solve again, so they are written to files in a hidden
//! directory beside the tables. A generation that was stopped finds them there when it is carried on. A file goes
//! when the material that reads it is done.
//!
//! A file that is damaged, of another version or about something else is as good as none. Nothing is made durable,
//! since the checksums find what a power failure has left half-written.
//!
//! ```text
//! "RGWORK01"
//! u8   bit 0: the scores are mate scores, not only signs; the name of the file says it too
//! u8   length of the name, and the name, such as KRPvKR.wQueen
//! u32  number of parts; three make a view: legal positions, scores, positions spoiled by the fifty-move rule
//! for each part: u64 bytes, u64 bytes in the file, u32 CRC-32C of these
//! u32  CRC-32C of all before
//! the parts
//! ```

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::packed::{Packed, PackedView, PackedViews};
use super::plan::GenerateOptions;
use crate::Error;
use crate::game::Color;
use crate::material::Material;
use crate::metric::Metric;
use crate::placement::PawnSlices;
use crate::solve::chess::{Extraction, Promotion, words};
use crate::table::{WriteError, temporary_file};
use crate::tables::remove_unfinished;

const MAGIC: &[u8; 8] = b"RGWORK01";
/// The hidden directory beside the tables.
pub(super) const DIRECTORY: &str = ".work";
const EXTENSION: &str = "view";
/// How often the directory is made again that another generation has just removed.
const ATTEMPTS: usize = 100;

/// What a material leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// All positions of a material in normal form, for those that lead to it by a capture.
    Whole(Material),
    /// The positions after a promotion.
    After(Promotion),
}

impl Item {
    /// The material, in normal form, that leaves it behind.
    pub fn source(&self) -> Material {
        match self {
            Item::Whole(material) => *material,
            Item::After(promotion) => promotion.target().normal_form(),
        }
    }

    /// Everything that a material has to find.
    pub fn all_of(reader: &Material) -> Vec<Item> {
        let mut items: Vec<Item> = Promotion::all_of(reader)
            .into_iter()
            .map(Item::After)
            .collect();
        for target in crate::solve::chess::captures(reader) {
            let item = Item::Whole(target.normal_form());
            if !items.contains(&item) {
                items.push(item);
            }
        }
        items
    }

    /// Whether it is kept in a file of its own, where materials of up to `men_in_memory` men are kept in memory.
    pub fn is_for_file(&self, men_in_memory: usize) -> bool {
        self.source().men() > men_in_memory
    }

    /// How many views it has, and the words of each; nothing if they are too many for the solver.
    fn shape(&self) -> Option<(usize, usize)> {
        Some(match self {
            Item::Whole(material) => (
                PawnSlices::new(material).len() * 2,
                words(material)? as usize,
            ),
            Item::After(promotion) => (
                Extraction::new(*promotion).parts(),
                words(&promotion.material)? as usize,
            ),
        })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Whole(material) => write!(f, "{material}"),
            Item::After(Promotion {
                material,
                color,
                role,
            }) => {
                let color = match color {
                    Color::White => 'w',
                    Color::Black => 'b',
                };
                write!(f, "{material}.{color}{role:?}")
            }
        }
    }
}

/// What has been left behind and is still to be read.
#[derive(Debug)]
pub(super) struct WorkStore {
    directory: PathBuf,
    with_mates: bool,
    men_in_memory: usize,
    in_memory: Mutex<HashMap<Item, Arc<PackedViews>>>,
}

impl WorkStore {
    /// Nothing in memory yet, and the work files that are there.
    pub fn new(options: &GenerateOptions) -> WorkStore {
        WorkStore {
            directory: options.directory.join(DIRECTORY),
            with_mates: options.metrics.contains(&Metric::Dtm),
            men_in_memory: options.men_in_memory,
            in_memory: Mutex::default(),
        }
    }

    fn in_memory(&self) -> MutexGuard<'_, HashMap<Item, Arc<PackedViews>>> {
        self.in_memory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, item: &Item) -> PathBuf {
        self.path_of(item, self.with_mates)
    }

    /// Generations with and without distances to mate do not get into each other's way.
    fn path_of(&self, item: &Item, with_mates: bool) -> PathBuf {
        let scores = if with_mates { "mates" } else { "signs" };
        self.directory.join(format!("{item}.{scores}.{EXTENSION}"))
    }

    /// The error of a file that was there and is needed, and cannot be used any more.
    pub fn lost(&self) -> Error {
        Error::WorkFiles {
            directory: self.directory.clone(),
        }
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Directory {
            directory: self.directory.clone(),
            source,
        }
    }

    /// Whether an item is kept in a file.
    pub fn is_for_file(&self, item: &Item) -> bool {
        item.is_for_file(self.men_in_memory)
    }

    /// Whether there is an undamaged file of an item.
    pub fn is_filed(&self, item: &Item) -> bool {
        self.is_for_file(item) && self.read(item).is_some()
    }

    /// Keeps what a material leaves behind.
    pub fn put(&self, item: Item, views: PackedViews) -> Result<(), Error> {
        if self.is_for_file(&item) {
            self.write(&item, &views).map_err(|problem| Error::Write {
                name: self.path(&item).display().to_string(),
                problem,
            })
        } else {
            self.in_memory().insert(item, Arc::new(views));
            Ok(())
        }
    }

    /// What a material has left behind; nothing if it is not there or damaged.
    pub fn get(&self, item: &Item) -> Option<Arc<PackedViews>> {
        if self.is_for_file(item) {
            self.read(item).map(Arc::new)
        } else {
            self.in_memory().get(item).cloned()
        }
    }

    /// Forgets what nobody reads any more.
    pub fn discard(&self, item: &Item) -> Result<(), Error> {
        if !self.is_for_file(item) {
            self.in_memory().remove(item);
            return Ok(());
        }
        self.remove(&self.path(item))
    }

    fn remove(&self, file: &Path) -> Result<(), Error> {
        match fs::remove_file(file) {
            Err(error) if !is_absent(&error) => Err(self.error(error)),
            _ => Ok(()),
        }
    }

    /// Removes the files of the given items and what was never finished; the directory too if nothing is left.
    pub fn clear(&self, items: impl Iterator<Item = Item>) -> Result<(), Error> {
        if !self.directory.is_dir() {
            return Ok(());
        }
        for item in items {
            for with_mates in [false, true] {
                self.remove(&self.path_of(&item, with_mates))?;
            }
        }
        remove_unfinished(&self.directory);
        // Another generation may have left something that it still wants.
        let _ = fs::remove_dir(&self.directory);
        Ok(())
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

    fn write(&self, item: &Item, views: &PackedViews) -> Result<(), WriteError> {
        let name = item.to_string();
        let temporary = self.temporary_file(&name)?;
        let mut file = BufWriter::new(temporary.as_file());
        let parts: Vec<&Packed> = views.0.iter().flat_map(PackedView::parts).collect();
        let mut header = MAGIC.to_vec();
        header.extend([u8::from(self.with_mates), name.len() as u8]);
        header.extend(name.as_bytes());
        header.extend((parts.len() as u32).to_le_bytes());
        for part in &parts {
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
        let persisted = temporary.persist(self.path(item));
        persisted.map_err(|error| error.error)?;
        Ok(())
    }

    fn read(&self, item: &Item) -> Option<PackedViews> {
        let bytes = fs::read(self.path(item)).ok()?;
        let views = parse(&bytes, &item.to_string(), self.with_mates)?;
        let (count, words) = item.shape()?;
        let fits = views.0.len() == count && views.0.iter().all(|view| view.has_words(words));
        fits.then_some(views)
    }
}

/// Whether there is no such file, and with a file in the place of the directory there can be none.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Reads from the front of bytes.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(front)
    }

    fn number<const LEN: usize>(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        bytes[..LEN].copy_from_slice(self.bytes(LEN)?);
        Some(u64::from_le_bytes(bytes))
    }
}

/// The views in the bytes of a work file; nothing unless everything is as it was written.
fn parse(bytes: &[u8], name: &str, with_mates: bool) -> Option<PackedViews> {
    let mut front = Front(bytes);
    if front.bytes(MAGIC.len())? != MAGIC {
        return None;
    }
    let has_mates = front.number::<1>()? & 1 == 1;
    let name_len = front.number::<1>()? as usize;
    if front.bytes(name_len)? != name.as_bytes() || has_mates != with_mates {
        return None;
    }
    let count = front.number::<4>()? as usize;
    let mut sizes = Vec::new();
    for _ in 0..count {
        sizes.push((
            front.number::<8>()?,
            front.number::<8>()?,
            front.number::<4>()?,
        ));
    }
    let header = &bytes[..bytes.len() - front.0.len()];
    if front.number::<4>()? != u64::from(crc32c::crc32c(header)) {
        return None;
    }
    let mut parts = Vec::new();
    for (len, packed, checksum) in sizes {
        let bytes = front.bytes(usize::try_from(packed).ok()?)?.to_vec();
        if u64::from(crc32c::crc32c(&bytes)) != checksum {
            return None;
        }
        let len = usize::try_from(len).ok()?;
        parts.push(Packed { bytes, len });
    }
    let mut views = Vec::new();
    let mut parts = parts.into_iter();
    while let Some(legal) = parts.next() {
        views.push(PackedView::from_parts([
            legal,
            parts.next()?,
            parts.next()?,
        ]));
    }
    front.0.is_empty().then_some(PackedViews(views))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::view::SideView;

    fn store(tables: &Path, metrics: &[Metric]) -> WorkStore {
        let mut options = GenerateOptions::new(tables, Vec::new());
        options.metrics = metrics.to_vec();
        options.men_in_memory = 2;
        WorkStore::new(&options)
    }

    fn item() -> Item {
        Item::Whole("KQvK".parse().unwrap())
    }

    /// Views of the right shape; `seed` makes their scores different.
    fn views(seed: u8) -> PackedViews {
        let (count, words) = item().shape().unwrap();
        let view = SideView {
            legal: vec![7; words].into(),
            scores: vec![seed; words * 64].into(),
            ..SideView::default()
        };
        PackedViews(vec![PackedView::new(&view); count])
    }

    fn bytes(views: &PackedViews) -> Vec<Vec<u8>> {
        let parts = views.0.iter().flat_map(PackedView::parts);
        parts.map(|part| part.unpack().unwrap()).collect()
    }

    #[test]
    fn what_is_put_into_a_file_is_found_by_another_store() {
        let tables = tempfile::tempdir().unwrap();
        let store_with_mates = store(tables.path(), &Metric::ALL);
        store_with_mates.put(item(), views(3)).unwrap();
        let found = store(tables.path(), &Metric::ALL).get(&item()).unwrap();
        assert_eq!(bytes(&found), bytes(&views(3)));
        store_with_mates.clear(std::iter::once(item())).unwrap();
        assert!(!tables.path().join(DIRECTORY).exists());
    }

    #[test]
    fn with_and_without_mate_scores_are_two_files() {
        let tables = tempfile::tempdir().unwrap();
        let signs = store(tables.path(), &[Metric::Wdl, Metric::Dtz]);
        let mates = store(tables.path(), &Metric::ALL);
        signs.put(item(), views(3)).unwrap();
        assert!(signs.is_filed(&item()) && !mates.is_filed(&item()));
        fs::copy(signs.path(&item()), mates.path(&item())).unwrap();
        assert!(!mates.is_filed(&item()));
        mates.put(item(), views(4)).unwrap();
        assert_eq!(bytes(&signs.get(&item()).unwrap()), bytes(&views(3)));
        assert_eq!(bytes(&mates.get(&item()).unwrap()), bytes(&views(4)));
        signs.clear(std::iter::once(item())).unwrap();
        assert!(!mates.is_filed(&item()));
    }

    #[test]
    fn a_file_with_any_bit_or_any_end_changed_is_none() {
        let tables = tempfile::tempdir().unwrap();
        let store = store(tables.path(), &Metric::ALL);
        store.put(item(), views(3)).unwrap();
        let path = store.path(&item());
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert!(!store.is_filed(&item()), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(!store.is_filed(&item()), "{at} bytes");
        }
        fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
        assert!(!store.is_filed(&item()));
        fs::write(&path, &whole).unwrap();
        assert!(store.is_filed(&item()));
    }

    #[test]
    fn what_passes_its_checksums_has_to_have_the_right_shape() {
        let tables = tempfile::tempdir().unwrap();
        let store = store(tables.path(), &Metric::ALL);
        let mut short = views(3);
        short.0.pop();
        let (count, words) = item().shape().unwrap();
        let view = |words: usize, scores: usize| {
            PackedView::new(&SideView {
                legal: vec![7; words].into(),
                scores: vec![1; scores].into(),
                ..SideView::default()
            })
        };
        let others = [
            short,
            PackedViews::default(),
            PackedViews(vec![view(words - 1, words * 64); count]),
            PackedViews(vec![view(words, words * 64 - 1); count]),
        ];
        for views in others {
            store.put(item(), views).unwrap();
            assert!(store.get(&item()).is_none());
        }
    }
}
