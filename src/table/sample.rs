//! How large a stream would become, from some of its blocks.

use super::encode::{EncoderPool, StreamEncoder};
use super::options::WriteOptions;
use super::pack::Packing;
use super::source::{StreamSource, check_stream, merge_present, scan};
use crate::Error;
use crate::error::{WriteError, write_error};
use crate::parallel;

/// Bytes that some blocks of a stream take in a file, without a dictionary. Blocks past the end
/// are left out. For choosing an order of dimensions or options from a sample.
///
/// Where `values_present` is not given, the values of the sample decide how values are packed.
///
/// # Errors
///
/// As for [`write_table`](super::write_table).
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
            merge_present(parallel::map(blocks.len(), |number| {
                let block = blocks[number];
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
        stream.values_present = Some(present);
        let sizes = BlockSizes::new(options);
        let sizes = parallel::try_map(blocks.len(), |number| sizes.of(&stream, blocks[number]))?;
        Ok(sizes.iter().sum())
    };
    measure().map_err(|problem| write_error("a sample", problem))
}

/// Compresses single blocks of any streams, to see how many bytes they take.
pub(crate) struct BlockSizes {
    options: WriteOptions,
    pool: EncoderPool,
}

impl BlockSizes {
    pub fn new(options: &WriteOptions) -> BlockSizes {
        BlockSizes {
            options: options.clone(),
            pool: EncoderPool::new(options, None),
        }
    }

    /// The bytes of a block of a stream in a file, with its entry in the directory; 0 past the end,
    /// and where the values that are present are not given or are one.
    pub fn of(&self, stream: &StreamSource<'_>, block: u64) -> Result<u64, WriteError> {
        let present = stream.values_present.unwrap_or([false; 256]);
        if present.iter().filter(|&&is| is).count() < 2 {
            return Ok(0);
        }
        let encoder = StreamEncoder::new(0, *stream, present, &self.options);
        if block >= encoder.block_count() {
            return Ok(0);
        }
        let stored = encoder.encode_block(&self.pool, block)?;
        Ok(stored.stored_len() as u64 + encoder.record().entry_len() as u64)
    }
}
