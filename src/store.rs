//! Where the bytes of a file come from: memory, positioned reads, or a memory map.
//!
//! Tests put a store that fails in the same place ([`FaultyStore`]).

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "generate")]
mod compressed;
#[cfg(feature = "generate")]
mod journal;
#[cfg(feature = "generate")]
mod lines;
#[cfg(feature = "generate")]
mod moved;
#[cfg(feature = "generate")]
mod part;
#[cfg(feature = "generate")]
mod predicted;
#[cfg(feature = "generate")]
mod scratch;
#[cfg(feature = "generate")]
mod scratch_directory;

#[cfg(feature = "generate")]
pub use compressed::{
    compress, compress_lines, compress_set, decompress, decompress_into, decompress_set,
};
#[cfg(feature = "generate")]
pub use journal::{Record, RecordKey, RecordKind, RecordReader};
#[cfg(feature = "generate")]
pub use part::Part;
#[cfg(feature = "generate")]
pub(crate) use part::write_all_at;
#[cfg(feature = "generate")]
pub(crate) use predicted::{read_word, write_word};
#[cfg(feature = "generate")]
pub use scratch::Scratch;
#[cfg(feature = "generate")]
pub use scratch_directory::ScratchDirectory;
#[cfg(feature = "generate")]
pub(crate) use scratch_directory::ScratchEnd;

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

/// Whether all bytes are the same one. Parts are looked at as a whole, which takes wide registers;
/// to stop at the first other byte takes one at a time.
#[cfg(feature = "generate")]
pub(crate) fn are_all(bytes: &[u8], value: u8) -> bool {
    let mut parts = bytes.chunks(4096);
    parts.all(|part| part.iter().fold(0, |all, byte| all | byte ^ value) == 0)
}

/// Fewer bytes are left in pages as they come.
#[cfg(feature = "generate")]
const MANY: usize = 8 << 20;

/// Asks for pages of 2 MiB under memory that was not used yet, if it is large. A sweep over sets of
/// 1.3 GB jumps about in them, and with pages of 4 KiB waits for the translation of addresses: the
/// first ply of KQRvKQR, which sweeps everything, takes half the time with large ones.
#[cfg(feature = "generate")]
pub(crate) fn prefer_large_pages<T>(memory: &mut [T]) {
    if size_of_val(memory) >= MANY {
        prefer_large_pages_under(memory.as_mut_ptr().cast(), size_of_val(memory));
    }
}

/// Asks for pages of 2 MiB under all of some memory; its first and last page lie half outside.
#[cfg(feature = "generate")]
pub(crate) fn prefer_large_pages_under(memory: *mut u8, len: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const PAGE: usize = 4 << 10;
        let first = memory.addr() / PAGE * PAGE;
        let end = (memory.addr() + len).next_multiple_of(PAGE);
        // SAFETY: this advice changes no byte, whatever lies in these pages. Without it they are
        // used all the same, so what the system says to it does not matter.
        unsafe {
            libc::madvise(
                memory.with_addr(first).cast(),
                end - first,
                libc::MADV_HUGEPAGE,
            );
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = (memory, len);
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
    /// What the system reports; [`io::ErrorKind::InvalidInput`] for a directory, a pipe or a
    /// device.
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
    /// What the system reports; [`io::ErrorKind::InvalidInput`] for a directory, a pipe or a
    /// device.
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
