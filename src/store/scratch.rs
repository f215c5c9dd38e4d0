//! Bytes that are put away for a while.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{compress, decompress, read_at};

/// Bytes that are put away once and read back, by many threads: in a file that has no name and so
/// is gone with the program, or in memory.
#[derive(Debug)]
pub struct Scratch {
    place: ScratchPlace,
    end: AtomicU64,
}

#[derive(Debug)]
enum ScratchPlace {
    File(File),
    Memory(Mutex<HashMap<u64, Arc<[u8]>>>),
}

/// What was put away with one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    start: u64,
    len: u32,
    checksum: u32,
}

impl Part {
    /// Its bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl Scratch {
    /// A file in a directory; memory if none is given.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    pub fn new(directory: Option<&Path>) -> io::Result<Scratch> {
        Ok(Scratch {
            place: match directory {
                Some(directory) => ScratchPlace::File(tempfile::tempfile_in(directory)?),
                None => ScratchPlace::Memory(Mutex::default()),
            },
            end: AtomicU64::new(0),
        })
    }

    /// Bytes put away so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
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
        let start = self.end.fetch_add(len.into(), Ordering::Relaxed);
        match &self.place {
            _ if len == 0 => {}
            ScratchPlace::File(file) => write_all_at(file, start, bytes)?,
            ScratchPlace::Memory(parts) => {
                let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                parts.insert(start, bytes.into());
            }
        }
        Ok(Part {
            start,
            len,
            checksum: crc32c::crc32c(bytes),
        })
    }

    /// Puts bytes away compressed, as little as possible since they are read back soon; zeros alone
    /// take no room.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn put_compressed(&self, bytes: &[u8]) -> io::Result<Part> {
        match bytes.iter().all(|&byte| byte == 0) {
            true => Ok(Part::default()),
            false => self.put(&compress(bytes)?),
        }
    }

    /// So many bytes that were put away compressed.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn get_compressed(&self, part: Part, len: usize) -> io::Result<Vec<u8>> {
        if part.is_empty() {
            return Ok(vec![0; len]);
        }
        decompress(&self.get(part)?, len)
    }

    /// What was put away.
    ///
    /// # Errors
    ///
    /// Errors of the disk; [`io::ErrorKind::InvalidData`] if other bytes come back.
    pub fn get(&self, part: Part) -> io::Result<Vec<u8>> {
        match &self.place {
            _ if part.is_empty() => Ok(Vec::new()),
            ScratchPlace::File(file) => {
                let mut bytes = vec![0; part.len as usize];
                let mut done = 0;
                while done < bytes.len() {
                    match read_at(file, part.start + done as u64, &mut bytes[done..]) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Ok(read) => done += read,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                match crc32c::crc32c(&bytes) == part.checksum {
                    true => Ok(bytes),
                    false => Err(io::ErrorKind::InvalidData.into()),
                }
            }
            ScratchPlace::Memory(parts) => {
                let parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                let bytes = parts.get(&part.start);
                Ok(bytes.ok_or(io::ErrorKind::NotFound)?.to_vec())
            }
        }
    }
}

fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_at(file, bytes, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_write(file, bytes, offset);
}

/// Writes all bytes from `offset` on; other threads may write elsewhere meanwhile.
pub(crate) fn write_all_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match write_at(file, offset + done as u64, &bytes[done..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
