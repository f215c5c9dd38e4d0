//! Where the bytes of a file come from: memory, positioned reads, or a memory map.
//!
//! Tests put a store that fails in the same place ([`FaultyStore`]).

use std::collections::HashMap;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that do not change while the store is open.
pub trait Store: Send + Sync + Debug {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Reads some bytes at `offset` and returns how many: less than asked for at the end of the
    /// store, or whenever the system pleases.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// All bytes, where they are in memory or mapped.
    fn as_slice(&self) -> Option<&[u8]> {
        None
    }

    /// A hint that these bytes will be read soon and in order.
    fn will_read(&self, offset: u64, len: u64) {
        let _ = (offset, len);
    }

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills the whole buffer from `offset` on.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::UnexpectedEof`] if the store ends before the
    /// buffer is full.
    fn read_exact_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(offset, buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A table in memory.
impl Store for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..))
            .unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// Opens a regular file. It is looked at first, since to open a named pipe is to wait for a writer.
fn open_regular(path: &Path) -> io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() {
        let what = match kind.is_dir() {
            true => "a directory",
            false => "a pipe or a device",
        };
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{what}, not a regular file"),
        ));
    }
    File::open(path)
}

/// A file that is read with one system call per block. Slower than [`MappedFile`] where the table
/// is in memory anyway, but an unreadable disk is an error here and a signal there.
#[derive(Debug)]
pub struct FileStore {
    file: File,
    len: u64,
}

impl FileStore {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::InvalidInput`] for a directory, a pipe or a device.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }
}

impl Store for FileStore {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_at(&self.file, offset, buffer)
    }
}

fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
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
            false => self.put(&zstd::bulk::compress(bytes, 1)?),
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
        let bytes = zstd::bulk::decompress(&self.get(part)?, len)?;
        match bytes.len() == len {
            true => Ok(bytes),
            false => Err(io::ErrorKind::InvalidData.into()),
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

/// A file mapped into memory.
///
/// A table is never changed in place: it is written under another name and renamed, so a mapping
/// keeps showing the table that was opened. If another program truncates the file nevertheless, or
/// the disk fails, the process gets SIGBUS; [`FileStore`] gives an error instead.
#[derive(Debug)]
pub struct MappedFile {
    map: memmap2::Mmap,
}

impl MappedFile {
    /// Maps a whole file. An empty file is mapped as well.
    ///
    /// # Errors
    ///
    /// What the system reports; [`io::ErrorKind::InvalidInput`] for a directory, a pipe or a device.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        // SAFETY: the bytes must not change while they are mapped. Tables are published by a rename
        // and never written in place (docs/FORMAT.md, "How a writer publishes"), which is all that
        // a program can do about other programs; nothing is assumed about the bytes beyond what the
        // checksums have shown, and no reference into them outlives the map.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        // Probes jump about; reading ahead would only fill memory with blocks nobody asked for. Who
        // reads a whole stream says so by `will_read`.
        #[cfg(unix)]
        map.advise(memmap2::Advice::Random)?;
        Ok(Self { map })
    }
}

impl Store for MappedFile {
    fn len(&self) -> u64 {
        self.map.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.map.get(offset..))
            .unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(&self.map)
    }

    #[cfg(unix)]
    fn will_read(&self, offset: u64, len: u64) {
        let (Ok(offset), Ok(len)) = (usize::try_from(offset), usize::try_from(len)) else {
            return;
        };
        if offset
            .checked_add(len)
            .is_some_and(|end| end <= self.map.len())
        {
            // Only a hint: without it the bytes are read all the same.
            let _ = self
                .map
                .advise_range(memmap2::Advice::WillNeed, offset, len);
        }
    }
}

/// A table in memory that misbehaves as disks do, for tests: reads come in small pieces and from
/// some read on they fail.
#[derive(Debug)]
pub struct FaultyStore {
    bytes: Vec<u8>,
    piece: usize,
    good_reads: u64,
    reads: AtomicU64,
}

impl FaultyStore {
    /// A store that returns at most `piece` bytes a read and fails every read after the first
    /// `good_reads`.
    pub fn new(bytes: Vec<u8>, piece: usize, good_reads: u64) -> Self {
        Self {
            bytes,
            piece,
            good_reads,
            reads: AtomicU64::new(0),
        }
    }
}

impl Store for FaultyStore {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if self.reads.fetch_add(1, Ordering::Relaxed) >= self.good_reads {
            return Err(io::Error::other("simulated disk error"));
        }
        let len = buffer.len().min(self.piece);
        self.bytes.read_at(offset, &mut buffer[..len])
    }
}
