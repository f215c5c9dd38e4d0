//! How large a stream would become, from some of its blocks.

use super::encode::{EncoderPool, StreamEncoder};
use super::options::WriteOptions;
use super::source::StreamSource;
use crate::error::WriteError;

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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::table::{Description, values_present, write_table_to};

    #[test]
    fn blocks_have_the_bytes_that_they_take_in_a_file() {
        let mut random = fastrand::Rng::with_seed(4);
        let runs = std::iter::repeat_with(|| vec![random.u8(..5); random.usize(1..30)]);
        let values: Vec<u8> = runs.take(1 << 16).flatten().collect();
        let options = WriteOptions {
            block_bytes: 2048,
            ..WriteOptions::default()
        };
        let len = values.len() as u64;
        let mut stream = StreamSource::new(0, len, &values);
        stream.values_present = Some(values_present(&values, len));
        let head = Description {
            material: "KRPvKR".to_owned(),
            ..Description::default()
        };
        let mut file = Cursor::new(Vec::new());
        let sizes = write_table_to(&mut file, &head, &[stream], &options, &|_, _| true).unwrap();
        let written = &sizes.streams[0];
        let sizes = BlockSizes::new(&options);
        let bytes = (0..written.blocks).map(|block| sizes.of(&stream, block).unwrap());
        assert_eq!(bytes.sum::<u64>(), written.data_bytes + 2 * written.blocks);
        assert_eq!(sizes.of(&stream, written.blocks).unwrap(), 0);
        assert_eq!(sizes.of(&stream, 1 << 60).unwrap(), 0);
    }
}
