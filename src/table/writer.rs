//! Values in, a whole table file out, or nothing.
//!
//! Blocks are compressed a batch at a time on all threads of rayon's pool and written in order, so
//! the bytes do not depend on the number of threads and only a batch is in memory.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::Description;
use super::block::{self, DirectoryBuilder, Encoder, StoredBlock};
use super::dictionary;
use super::error::{WriteError, write_error};
use super::layout::{Header, MAX_VALUES, ORDER_LEN, StreamRecord};
use super::options::WriteOptions;
use super::pack::Packing;
use crate::Error;

/// Packed bytes that are compressed before they are written: what is in memory at a time, and
/// about what must finish before a cancellation is noticed.
const BATCH_BYTES: usize = 4 << 20;
/// Values that are looked at together when it is found out which occur.
const SCAN_VALUES: u64 = 1 << 16;

/// The values of one stream.
pub trait ValueSource: Sync {
    /// Writes the values of the indices from `start` on, as many as `out` has room for; that is
    /// never past the end. Called from many threads at once, some indices more than once; the
    /// values must be the same each time.
    fn fill(&self, start: u64, out: &mut [u8]);
}

/// Values in memory.
impl ValueSource for Vec<u8> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        self.as_slice().fill(start, out);
    }
}

/// Values in memory.
impl ValueSource for &[u8] {
    fn fill(&self, start: u64, out: &mut [u8]) {
        out.copy_from_slice(&self[start as usize..][..out.len()]);
    }
}

/// One stream to be written.
#[derive(Clone, Copy)]
pub struct StreamSource<'a> {
    /// Side to move, 0 or 1.
    pub side: u8,
    /// Order of dimensions, for the reader; any bytes.
    pub order: [u8; ORDER_LEN],
    /// Number of values, at least 1.
    pub len: u64,
    /// The values.
    pub source: &'a dyn ValueSource,
    /// Which values occur; `None` if that is to be found out by going through all of them once.
    pub values_present: Option<[bool; 256]>,
}

impl<'a> StreamSource<'a> {
    /// A stream without an order, whose values are to be found out.
    pub fn new(side: u8, len: u64, source: &'a dyn ValueSource) -> Self {
        Self {
            side,
            order: [0; ORDER_LEN],
            len,
            source,
            values_present: None,
        }
    }
}

impl std::fmt::Debug for StreamSource<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StreamSource")
            .field("side", &self.side)
            .field("order", &self.order)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Told how many values are done and how many there are, over all streams; returns whether to go
/// on. Called between batches, from the thread that called the writer.
pub type Progress<'a> = dyn Fn(u64, u64) -> bool + Sync + 'a;

/// Where the bytes of a stream went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSizes {
    /// Side to move, 0 or 1.
    pub side: u8,
    /// Different values.
    pub symbols: usize,
    /// Blocks.
    pub blocks: u64,
    /// Blocks of one value, which take a directory entry only.
    pub constant_blocks: u64,
    /// Blocks that zstd did not shrink.
    pub raw_blocks: u64,
    /// Bytes of the data section, block checksums included.
    pub data_bytes: u64,
    /// Bytes of the directory.
    pub directory_bytes: u64,
    /// Bytes of the dictionary; 0 if there is none.
    pub dictionary_bytes: u64,
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
pub fn write_table(
    path: &Path,
    description: &Description,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, Error> {
    let write = || -> Result<WrittenSizes, WriteError> {
        check_streams(description, streams, options)?;
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
        let sizes = write_streams(&mut buffered, description, streams, options, progress)?;
        buffered.flush()?;
        drop(buffered);
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)?;
        sync_directory(directory)?;
        Ok(sizes)
    };
    write().map_err(|problem| write_error(&path.display().to_string(), problem))
}

/// Writes a table to anything that can be written from its current start: memory, a pipe's buffer,
/// a file that somebody else publishes.
///
/// # Errors
///
/// As for [`write_table`]; what was written until then is no table.
pub fn write_table_to<W: Write + Seek>(
    out: &mut W,
    description: &Description,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, Error> {
    check_streams(description, streams, options)
        .and_then(|()| write_streams(out, description, streams, options, progress))
        .map_err(|problem| write_error(&description.material, problem))
}

/// Bytes that some blocks of a stream take in a file, without a dictionary. Blocks past the end
/// are left out. For choosing an order of dimensions or options from a sample.
///
/// Where `values_present` is not given, the values of the sample decide how values are packed.
///
/// # Errors
///
/// As for [`write_table`].
pub fn compressed_size_of_sample(
    stream: &StreamSource<'_>,
    blocks: &[u64],
    options: &WriteOptions,
) -> Result<u64, Error> {
    let measure = || -> Result<u64, WriteError> {
        options.check()?;
        check_stream(stream)?;
        let mut stream = *stream;
        let present = stream.values_present.unwrap_or_else(|| {
            // How many values a block has depends on the packing; look where the blocks of the
            // densest packing are, which include those of all others.
            let longest = options.block_values(Packing::for_symbols(1)) as u64;
            merge_present(blocks.par_iter().map(|&block| {
                let start = block
                    .saturating_mul(options.block_bytes as u64)
                    .min(stream.len);
                let end = block
                    .saturating_add(1)
                    .saturating_mul(longest)
                    .min(stream.len);
                scan(&stream, start, end)
            }))
        });
        if present == [false; 256] {
            return Ok(0);
        }
        stream.values_present = Some(present);
        let encoder = StreamEncoder::new(0, stream, present, options);
        if encoder.is_constant() {
            return Ok(0);
        }
        let pool = EncoderPool::new(options, None);
        let entry_len = encoder.record(0, 0, 0).entry_len() as u64;
        blocks
            .par_iter()
            .filter(|&&block| block < encoder.block_count())
            .map(|&block| Ok(encoder.encode_block(&pool, block)?.stored_len() as u64 + entry_len))
            .sum()
    };
    measure().map_err(|problem| write_error("a sample", problem))
}

/// Which values occur in a stream.
pub fn values_present(source: &dyn ValueSource, len: u64) -> [bool; 256] {
    let stream = StreamSource::new(0, len, source);
    let chunks = len.div_ceil(SCAN_VALUES);
    merge_present((0..chunks).into_par_iter().map(|chunk| {
        let start = chunk * SCAN_VALUES;
        scan(&stream, start, (start + SCAN_VALUES).min(len))
    }))
}

fn scan(stream: &StreamSource<'_>, start: u64, end: u64) -> [bool; 256] {
    let mut present = [false; 256];
    let mut values = vec![0; SCAN_VALUES.min(end.saturating_sub(start)) as usize];
    let mut start = start;
    while start < end {
        let values = &mut values[..SCAN_VALUES.min(end - start) as usize];
        stream.source.fill(start, values);
        for &value in values.iter() {
            present[usize::from(value)] = true;
        }
        start += values.len() as u64;
    }
    present
}

fn merge_present(parts: impl ParallelIterator<Item = [bool; 256]>) -> [bool; 256] {
    parts.reduce(
        || [false; 256],
        |mut all, part| {
            all.iter_mut()
                .zip(part)
                .for_each(|(all, part)| *all |= part);
            all
        },
    )
}

fn check_streams(
    description: &Description,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
) -> Result<(), WriteError> {
    description.check()?;
    options.check()?;
    streams.iter().try_for_each(check_stream)?;
    match streams {
        [_] => Ok(()),
        [first, second] if first.side < second.side => Ok(()),
        _ => Err(WriteError::Description(
            "a table has one stream, or one for each side in order",
        )),
    }
}

fn check_stream(stream: &StreamSource<'_>) -> Result<(), WriteError> {
    if stream.side > 1 {
        return Err(WriteError::Description("the side to move is 0 or 1"));
    }
    if !(1..=MAX_VALUES).contains(&stream.len) {
        return Err(WriteError::Description("a stream has 1 to 2^48 values"));
    }
    if stream.values_present == Some([false; 256]) {
        return Err(WriteError::Description("some value must be present"));
    }
    Ok(())
}

fn temporary_file(
    directory: &Path,
    file_name: &str,
) -> Result<tempfile::NamedTempFile, WriteError> {
    let prefix = format!(".{file_name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Tables are for everyone, as far as the umask lets; the default is for the owner only.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    Ok(builder.tempfile_in(directory)?)
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
    description: &Description,
    streams: &[StreamSource<'_>],
    options: &WriteOptions,
    progress: &Progress<'_>,
) -> Result<WrittenSizes, WriteError> {
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
        description: description.clone(),
        streams: encoders
            .iter()
            .map(|encoder| encoder.record(0, 0, 0))
            .collect(),
    };
    let identity = header.identity();
    let start = out.stream_position()?;
    // The header goes where these zeros are when the lengths are known; until then this is no table.
    out.write_all(&vec![0; header.encoded_len() as usize])?;
    let mut sizes = WrittenSizes::default();
    for (encoder, record) in encoders.iter().zip(&mut header.streams) {
        let seed = block::stream_seed(identity, record.side);
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
    let (_, file_bytes) = header
        .sections()
        .ok_or(WriteError::Description("the table is too large"))?;
    sizes.file_bytes = file_bytes;
    out.seek(SeekFrom::Start(start))?;
    out.write_all(&header.encode())?;
    out.seek(SeekFrom::Start(start + file_bytes))?;
    Ok(sizes)
}

/// What compressing the blocks of one stream needs.
pub(super) struct StreamEncoder<'a> {
    number: u8,
    stream: StreamSource<'a>,
    packing: Packing,
    block_values: usize,
    /// Values in increasing order; the position is the symbol.
    symbols: Vec<u8>,
    /// Symbol of each value that is present.
    symbol_of: [u8; 256],
    present: [bool; 256],
    options: &'a WriteOptions,
}

impl<'a> StreamEncoder<'a> {
    fn new(
        number: u8,
        stream: StreamSource<'a>,
        present: [bool; 256],
        options: &'a WriteOptions,
    ) -> Self {
        let symbols: Vec<u8> = (0..=255)
            .filter(|&value| present[usize::from(value)])
            .collect();
        let mut symbol_of = [0; 256];
        for (symbol, &value) in symbols.iter().enumerate() {
            symbol_of[usize::from(value)] = symbol as u8;
        }
        let packing = Packing::for_symbols(symbols.len());
        Self {
            number,
            stream,
            packing,
            block_values: options.block_values(packing),
            symbols,
            symbol_of,
            present,
            options,
        }
    }

    pub fn options(&self) -> &WriteOptions {
        self.options
    }

    pub fn is_constant(&self) -> bool {
        self.symbols.len() == 1
    }

    pub fn block_count(&self) -> u64 {
        self.stream.len.div_ceil(self.block_values as u64)
    }

    fn record(&self, dictionary_len: u32, dictionary_checksum: u32, data_len: u64) -> StreamRecord {
        StreamRecord {
            side: self.stream.side,
            order: self.stream.order,
            values: self.stream.len,
            block_values: self.block_values as u32,
            dictionary_len,
            dictionary_checksum,
            data_len,
            symbols: self.symbols.clone(),
        }
    }

    /// Reads the values of a block and leaves its symbols and its packed bytes in the worker.
    fn load_block(&self, worker: &mut Worker, block: u64) -> Result<(), WriteError> {
        let start = block * self.block_values as u64;
        let len = (self.stream.len - start).min(self.block_values as u64) as usize;
        worker.symbols.resize(len, 0);
        self.stream.source.fill(start, &mut worker.symbols);
        let mut unannounced = None;
        for symbol in &mut worker.symbols {
            let value = usize::from(*symbol);
            if !self.present[value] {
                unannounced = Some(*symbol);
            }
            *symbol = self.symbol_of[value];
        }
        if let Some(value) = unannounced {
            return Err(WriteError::UnannouncedValue {
                stream: self.number,
                value,
            });
        }
        self.packing.pack(&worker.symbols, &mut worker.packed);
        Ok(())
    }

    /// The packed bytes of one block.
    pub fn packed_block(&self, pool: &EncoderPool, block: u64) -> Result<Vec<u8>, WriteError> {
        pool.with(|worker| {
            self.load_block(worker, block)?;
            Ok(worker.packed.clone())
        })
    }

    /// One block as it goes into the file.
    pub fn encode_block(&self, pool: &EncoderPool, block: u64) -> Result<StoredBlock, WriteError> {
        pool.with(|worker| {
            self.load_block(worker, block)?;
            worker.encoder.encode(&worker.symbols, &worker.packed)
        })
    }

    /// Writes the data and the directory.
    fn write<W: Write>(
        &self,
        out: &mut W,
        seed: u32,
        dictionary: Option<Vec<u8>>,
        advance: &mut dyn FnMut(u64) -> Result<(), WriteError>,
    ) -> Result<StreamSizes, WriteError> {
        let mut sizes = StreamSizes {
            side: self.stream.side,
            symbols: self.symbols.len(),
            blocks: self.block_count(),
            dictionary_bytes: dictionary.as_ref().map_or(0, Vec::len) as u64,
            ..StreamSizes::default()
        };
        if self.is_constant() {
            sizes.constant_blocks = sizes.blocks;
            advance(self.stream.len)?;
            return Ok(sizes);
        }
        let pool = EncoderPool::new(self.options, dictionary);
        let mut directory = DirectoryBuilder::new(seed, self.record(0, 0, 0).entry_len());
        let batch = (BATCH_BYTES / self.options.block_bytes).clamp(32, 4096) as u64;
        while directory.blocks() < sizes.blocks {
            let first = directory.blocks();
            let end = (first + batch).min(sizes.blocks);
            let stored = (first..end)
                .into_par_iter()
                .map(|block| self.encode_block(&pool, block))
                .collect::<Result<Vec<_>, _>>()?;
            for (block, stored) in (first..end).zip(&stored) {
                match stored {
                    StoredBlock::Constant(_) => sizes.constant_blocks += 1,
                    StoredBlock::Raw(_) => sizes.raw_blocks += 1,
                    StoredBlock::Compressed(_) => {}
                }
                if stored.stored_len() != 0 {
                    let payload = stored.payload();
                    let checksum = block::block_checksum(seed, block, payload);
                    out.write_all(&checksum.to_le_bytes())?;
                    out.write_all(payload)?;
                }
                directory.push(stored);
            }
            let values_end = (end * self.block_values as u64).min(self.stream.len);
            advance(values_end - first * self.block_values as u64)?;
        }
        sizes.data_bytes = directory.data_len();
        let directory = directory.finish();
        sizes.directory_bytes = directory.len() as u64;
        out.write_all(&directory)?;
        Ok(sizes)
    }
}

struct Worker {
    encoder: Encoder,
    symbols: Vec<u8>,
    packed: Vec<u8>,
}

/// Zstd contexts with one set of options, as many as there are threads at work.
pub(super) struct EncoderPool {
    options: WriteOptions,
    dictionary: Option<Vec<u8>>,
    idle: Mutex<Vec<Worker>>,
}

impl EncoderPool {
    pub fn new(options: &WriteOptions, dictionary: Option<Vec<u8>>) -> Self {
        Self {
            options: options.clone(),
            dictionary,
            idle: Mutex::new(Vec::new()),
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Worker) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => Worker {
                encoder: Encoder::new(&self.options, self.dictionary.as_deref())?,
                symbols: Vec::new(),
                packed: Vec::new(),
            },
        };
        let result = work(&mut worker);
        idle().push(worker);
        result
    }
}
