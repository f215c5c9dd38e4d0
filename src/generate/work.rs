//! What solved materials leave behind for those that lead to them: in memory, or in work files.
//!
//! Views of materials of five and more men take long to solve again, so they are written to files in a hidden
//! directory beside the tables. A generation that was stopped finds them there when it is carried on. A file goes
//! when the material that reads it is done.
//!
//! ```text
//! "RGWORK01"
//! u8   bit 0: the scores are mate scores, not only signs
//! u8   length of the name, and the name, such as KRPvKR.wQ
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

use super::leftovers::remove_if_unlocked;
use super::packed::{Packed, PackedView, PackedViews};
use crate::Error;
use crate::game::Color;
use crate::material::Material;
use crate::solve::chess::Promotion;

const MAGIC: &[u8; 8] = b"RGWORK01";
const DIRECTORY: &str = ".work";
const EXTENSION: &str = "view";
const TEMPORARY: &str = "tmp";
/// Materials of so many men are solved again within seconds.
const MEN_IN_MEMORY: usize = 4;

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

    /// Whether it has a file of its own.
    pub fn is_filed(&self) -> bool {
        self.source().men() > MEN_IN_MEMORY
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
    in_memory: Mutex<HashMap<Item, Arc<PackedViews>>>,
}

impl WorkStore {
    /// The work files beside the tables in a directory; `with_mates` says whether distances to mate are wanted.
    pub fn new(tables: &Path, with_mates: bool) -> WorkStore {
        WorkStore {
            directory: tables.join(DIRECTORY),
            with_mates,
            in_memory: Mutex::default(),
        }
    }

    fn in_memory(&self) -> MutexGuard<'_, HashMap<Item, Arc<PackedViews>>> {
        self.in_memory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, item: &Item) -> PathBuf {
        self.directory.join(format!("{item}.{EXTENSION}"))
    }

    fn error(&self, source: io::Error) -> Error {
        Error::Directory {
            directory: self.directory.clone(),
            source,
        }
    }

    /// Whether there is an undamaged file of an item.
    pub fn is_filed(&self, item: &Item) -> bool {
        item.is_filed() && self.read(item).is_some()
    }

    /// Keeps what a material leaves behind.
    pub fn put(&self, item: Item, views: PackedViews) -> Result<(), Error> {
        if item.is_filed() {
            self.write(&item, &views)
                .map_err(|source| self.error(source))
        } else {
            self.in_memory().insert(item, Arc::new(views));
            Ok(())
        }
    }

    /// What a material has left behind; nothing if it is not there or damaged.
    pub fn get(&self, item: &Item) -> Option<Arc<PackedViews>> {
        if item.is_filed() {
            self.read(item).map(Arc::new)
        } else {
            self.in_memory().get(item).cloned()
        }
    }

    /// Forgets what nobody reads any more.
    pub fn discard(&self, item: &Item) -> Result<(), Error> {
        if !item.is_filed() {
            self.in_memory().remove(item);
            return Ok(());
        }
        match fs::remove_file(self.path(item)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.error(error)),
            _ => Ok(()),
        }
    }

    /// Removes the files of the given items and what was never finished; the directory too if nothing is left.
    pub fn clear(&self, items: impl Iterator<Item = Item>) -> Result<(), Error> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| self.error(error))?,
        };
        for item in items {
            self.discard(&item)?;
        }
        for entry in entries {
            let path = entry.map_err(|error| self.error(error))?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == TEMPORARY)
            {
                remove_if_unlocked(&path);
            }
        }
        // Another generation may have left something that it still wants.
        let _ = fs::remove_dir(&self.directory);
        Ok(())
    }

    fn write(&self, item: &Item, views: &PackedViews) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        let path = self.path(item);
        let temporary = path.with_extension(format!("{}.{TEMPORARY}", std::process::id()));
        let file = fs::File::create(&temporary)?;
        // Held until the file is closed, so that nobody takes it for a leftover. Not every file system has locks.
        let _ = file.try_lock();
        let mut file = BufWriter::new(file);
        let parts: Vec<&Packed> = views.0.iter().flat_map(PackedView::parts).collect();
        let name = item.to_string();
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
        file.into_inner()?;
        fs::rename(temporary, path)
    }

    fn read(&self, item: &Item) -> Option<PackedViews> {
        let bytes = fs::read(self.path(item)).ok()?;
        parse(&bytes, &item.to_string(), self.with_mates)
    }
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
    if front.bytes(name_len)? != name.as_bytes() || with_mates && !has_mates {
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
