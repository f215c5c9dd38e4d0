//! Where bytes are in a file that several threads write.

use std::fs::File;
use std::io;

use super::read_at;

/// What was put away with one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub(super) start: u64,
    pub(super) len: u32,
    pub(super) checksum: u32,
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

    /// Where it begins in its file.
    #[must_use]
    pub(crate) fn start(self) -> u64 {
        self.start
    }

    /// The CRC-32C of its bytes.
    #[must_use]
    pub(crate) fn checksum(self) -> u32 {
        self.checksum
    }
}

/// What was put away in a file.
pub(super) fn read_part(file: &File, part: Part) -> io::Result<Vec<u8>> {
    let bytes = read_bytes(file, part)?;
    match crc32c::crc32c(&bytes) == part.checksum {
        true => Ok(bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The bytes where it was put away, whatever they are now.
pub(super) fn read_bytes(file: &File, part: Part) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; part.len as usize];
    let mut done = 0;
    while done < bytes.len() {
        let offset = part.start.checked_add(done as u64);
        let offset = offset.ok_or(io::ErrorKind::UnexpectedEof)?;
        match read_at(file, offset, &mut bytes[done..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Whether a part is in a file as it was written.
///
/// # Errors
///
/// If it cannot be read.
pub(super) fn has_part(file: &File, part: Part) -> io::Result<bool> {
    use io::ErrorKind::{InvalidData, UnexpectedEof};
    match read_part(file, part) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => Ok(false),
        Err(error) => Err(error),
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
