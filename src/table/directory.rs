//! Checked copies of the directory groups of a stream.
//!
//! The checksum of a mapped group says what its bytes were when it was computed. A bad disk, or
//! another program, may change them afterwards, and the entry of a constant block is all that there
//! is of it. So entries are read from a copy whose checksum was right, which also spares the next
//! probe the checksum.

use std::sync::OnceLock;

use crate::error::TableError;
use crate::reserve::{Refused, defaults, reserved};

/// Groups of a part: what is allocated at once.
const PART: usize = 64;

type Part = Box<[OnceLock<Box<[u8]>>]>;

/// Copies of the groups that were asked for, each made once.
///
/// They take as much memory as the directory, at most 3.2 bytes a block; nothing is taken before a
/// group is asked for but a quarter of a byte a group, since a forged file may claim any number of
/// them.
#[derive(Debug)]
pub(super) struct Directory(Box<[OnceLock<Part>]>);

impl Directory {
    /// For so many groups.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub fn new(groups: u64) -> Result<Directory, TableError> {
        let parts = groups.div_ceil(PART as u64);
        Ok(Directory(defaults(parts as usize)?))
    }

    /// The copy of a group, if it was made already.
    #[inline]
    pub fn get(&self, group: u64) -> Option<&[u8]> {
        let part = self.0.get(group as usize / PART)?.get()?;
        part[group as usize % PART].get().map(|bytes| &**bytes)
    }

    /// Keeps a copy of a group, which was checked.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    #[cold]
    pub fn keep(&self, group: u64, bytes: &[u8]) -> Result<&[u8], TableError> {
        let place = &self.0[group as usize / PART];
        if place.get().is_none() {
            // Two threads may get here; either's is as good.
            let _ = place.set(defaults(PART)?);
        }
        let place = &place.get_or_init(Part::default)[group as usize % PART];
        let mut copy = reserved(bytes.len())?;
        copy.extend_from_slice(bytes);
        Ok(place.get_or_init(|| copy.into_boxed_slice()))
    }
}

impl From<Refused> for TableError {
    fn from(Refused { bytes }: Refused) -> TableError {
        TableError::OutOfMemory { bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_kept_as_it_was_first() {
        let directory = Directory::new(130).unwrap();
        assert_eq!(directory.get(129), None);
        assert_eq!(directory.keep(129, &[1, 2]).unwrap(), [1, 2]);
        assert_eq!(directory.keep(129, &[3]).unwrap(), [1, 2]);
        assert_eq!(directory.get(129), Some(&[1, 2][..]));
        assert_eq!(directory.get(128), None);
        assert_eq!(directory.get(500), None);
    }
}
