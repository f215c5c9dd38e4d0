//! Values in, a whole table file out, or nothing.
//!
//! Blocks are compressed a batch at a time on all threads of rayon's pool and written in order, so
//! the bytes do not depend on the number of threads and only a batch is in memory.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use super::Description;
use super::block;
use super::dictionary;
use super::encode::{StreamEncoder, StreamSizes};
use super::layout::{Header, MAX_STATISTICS_LEN, Plane, STATISTICS_CHECKSUM_LEN, STATISTICS_SIDE};
use super::options::WriteOptions;
use super::source::{StreamSource, check_stream, values_present};
use super::statistics::{SideStatistics, Statistics};
use super::{Progress, TEMPORARY_SUFFIX};
use crate::Error;
use crate::error::{WriteError, write_error};

/// What a table is about, and what it says of all its values together.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// What is read when it is opened.
    pub description: &'a Description,
    /// What is read when it is asked for. Results over the full board are those of the description.
    pub statistics: Option<&'a Statistics>,
}

/// Without statistics.
impl<'a> From<&'a Description> for Head<'a> {
    fn from(description: &'a Description) -> Head<'a> {
        Head {
            description,
            statistics: None,
        }
    }
}

impl<'a> From<(&'a Description, &'a Statistics)> for Head<'a> {
    fn from((description, statistics): (&'a Description, &'a Statistics)) -> Head<'a> {
        Head {
            description,
            statistics: Some(statistics),
        }
    }
}

/// Where the bytes of a table went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenSizes {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Its streams in order.
    pub streams: Vec<StreamSizes>,
}

/// Writes a table. The file appears under its name when it is complete and on disk, and replaces
/// any older one; on an error, nothing changes.
///
/// # Errors
///
/// [`Error::Write`] if the description, a stream or an option is unsuitable or the system cannot
/// write; [`Error::Cancelled`] if `progress` said so.
pub fn write_table<'a>(
    path: &Path,
    head: impl Into<Head<'a>>,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, Error> {
    let head = head.into();
    check_streams(head, streams, options)
        .map_err(|problem| write_error(&path.display().to_string(), problem))?;
    publish(path, |file| {
        write_streams(file, head, streams, options, progress)
    })
}

/// Writes a file that appears under its name when it is complete and on disk, and replaces any
/// older one; on an error, nothing changes.
///
/// # Errors
///
/// Those of `write`, and [`Error::Write`] if the system cannot write.
pub(crate) fn publish<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T, WriteError>,
) -> Result<T, Error> {
    let write = || -> Result<T, WriteError> {
        // In the same directory, because a rename across file systems is not atomic.
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let file_name = path.file_name().ok_or(WriteError::Description(
            "the path of a table ends with a file name",
        ))?;
        let mut temporary = temporary_file(directory, &file_name.to_string_lossy())?;
        let mut buffered = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
        let written = write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)?;
        sync_directory(directory)?;
        Ok(written)
    };
    write().map_err(|problem| write_error(&path.display().to_string(), problem))
}

/// Writes a table to anything that can be written from its current start: memory, a pipe's buffer,
/// a file that somebody else publishes.
///
/// # Errors
///
/// As for [`write_table`]; what was written until then is no table.
pub fn write_table_to<'a, W: Write + Seek>(
    out: &mut W,
    head: impl Into<Head<'a>>,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, Error> {
    let head = head.into();
    check_streams(head, streams, options)
        .and_then(|()| write_streams(out, head, streams, options, progress))
        .map_err(|problem| write_error(&head.description.material, problem))
}

fn check_streams(
    head: Head<'_>,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
) -> Result<(), WriteError> {
    head.description.check()?;
    if let Some(statistics) = head.statistics
        && (statistics.sides.each_ref().map(SideStatistics::counts)) != head.description.counts
    {
        return Err(WriteError::Description(
            "the statistics have other counts than the description",
        ));
    }
    options.check()?;
    streams.iter().try_for_each(check_stream)?;
    let first_high = (streams.iter())
        .position(|stream| stream.plane == Plane::High)
        .unwrap_or(streams.len());
    let (low, high) = streams.split_at(first_high);
    let are_sides = (1..=2).contains(&low.len()) && low.is_sorted_by(|a, b| a.side < b.side);
    let is_high = |(low, high): (&StreamSource<'_>, &StreamSource<'_>)| {
        high.plane == Plane::High && (high.side, high.len) == (low.side, low.len)
    };
    let are_paired =
        high.is_empty() || low.len() == high.len() && low.iter().zip(high).all(is_high);
    if !are_sides || !are_paired {
        return Err(WriteError::Description(
            "a table has one stream, or one for each side in order, and the high bytes of all of them or of none behind",
        ));
    }
    match (high, head.statistics) {
        ([_, ..], None) => Err(WriteError::Description(
            "a table with high bytes has statistics",
        )),
        _ => Ok(()),
    }
}

/// The name of this machine, of letters and digits only; empty if the system does not say.
pub(crate) fn host() -> String {
    #[cfg(unix)]
    {
        let name = rustix::system::uname();
        let name = name.nodename().to_string_lossy();
        name.chars().filter(char::is_ascii_alphanumeric).collect()
    }
    #[cfg(not(unix))]
    String::new()
}

/// A new file beside one that it is to become, `.NAME.HOST-RANDOM.part`, locked as long as it is
/// open where the file system has locks: whoever clears up after killed writers leaves locked ones
/// alone.
pub(crate) fn temporary_file(
    directory: &Path,
    file_name: &str,
) -> Result<tempfile::NamedTempFile, WriteError> {
    let prefix = format!(".{file_name}.{}-", host());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Tables are for everyone, as far as the umask lets; the default is for the owner only.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let temporary = builder.tempfile_in(directory)?;
        let is_being_removed = matches!(
            temporary.as_file().try_lock(),
            Err(fs::TryLockError::WouldBlock)
        );
        // Cleared up before it was locked, it is gone.
        if !is_being_removed && temporary.path().exists() {
            return Ok(temporary);
        }
    }
}

/// Makes a rename durable. Only Unix can open a directory for that.
fn sync_directory(directory: &Path) -> Result<(), WriteError> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

fn write_streams<W: Write + Seek>(
    out: &mut W,
    head: Head<'_>,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, WriteError> {
    let statistics = head.statistics.map(Statistics::encode);
    if (statistics.as_ref())
        .is_some_and(|payload| payload.len() + STATISTICS_CHECKSUM_LEN > MAX_STATISTICS_LEN)
    {
        return Err(WriteError::Description("the statistics are too long"));
    }
    let total = streams.iter().map(|stream| stream.len).sum();
    let mut done = 0;
    let mut advance = |values| {
        done += values;
        if progress(done, total) {
            Ok(())
        } else {
            Err(WriteError::Cancelled)
        }
    };
    advance(0)?;
    let encoders: Vec<StreamEncoder<'_>> = streams
        .iter()
        .enumerate()
        .map(|(number, stream)| {
            let present = stream
                .values_present
                .unwrap_or_else(|| values_present(stream.source, stream.len));
            StreamEncoder::new(number as u8, *stream, present, options)
        })
        .collect();
    let mut header = Header {
        description: head.description.clone(),
        streams: encoders.iter().map(|encoder| encoder.record()).collect(),
        statistics_len: (statistics.as_ref())
            .map(|payload| (payload.len() + STATISTICS_CHECKSUM_LEN) as u32),
    };
    let identity = header.identity();
    let start = out.stream_position()?;
    // The header goes where these zeros are when the lengths are known; until then this is no
    // table.
    out.write_all(&vec![0; header.encoded_len() as usize])?;
    let mut sizes = WrittenSizes::default();
    for (encoder, record) in encoders.iter().zip(&mut header.streams) {
        let seed = block::stream_seed(identity, record.checksum_side());
        let dictionary = dictionary::train(encoder)?;
        if let Some(dictionary) = &dictionary {
            out.write_all(dictionary)?;
            record.dictionary_len = dictionary.len() as u32;
            record.dictionary_checksum = block::dictionary_checksum(seed, dictionary);
        }
        let stream_sizes = encoder.write(out, seed, dictionary, &mut advance)?;
        record.data_len = stream_sizes.data_bytes;
        sizes.streams.push(stream_sizes);
    }
    if let Some(payload) = statistics {
        let seed = block::stream_seed(identity, STATISTICS_SIDE);
        let checksum = block::statistics_checksum(seed, &payload);
        out.write_all(&checksum.to_le_bytes())?;
        out.write_all(&payload)?;
    }
    let (_, file_bytes) = header
        .sections()
        .ok_or(WriteError::Description("the table is too large"))?;
    sizes.file_bytes = file_bytes;
    out.seek(SeekFrom::Start(start))?;
    out.write_all(&header.encode())?;
    out.seek(SeekFrom::Start(start + file_bytes))?;
    Ok(sizes)
}
