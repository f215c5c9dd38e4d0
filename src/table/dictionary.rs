//! A zstd dictionary for one stream, if it is worth its bytes.

use super::encode::{EncoderPool, StreamEncoder};
use crate::error::WriteError;
use crate::parallel;

/// Trains a dictionary from blocks spread over the stream and keeps it if other blocks show that it
/// saves more than it takes.
///
/// The result depends on the values and the options only. `None` also where there is too little to
/// learn from.
pub(super) fn train(encoder: &StreamEncoder<'_>) -> Result<Option<Vec<u8>>, WriteError> {
    let options = encoder.options();
    let blocks = encoder.block_count();
    if options.dictionary_bytes == 0 || encoder.is_constant() || blocks < 16 {
        return Ok(None);
    }
    // Every other sampled block is kept for the measurement, so that what the dictionary knows by
    // heart does not count in its favour.
    let samples = (2 * options.dictionary_samples.max(1)).min(blocks);
    let numbers: Vec<u64> = (0..samples)
        .map(|sample| (u128::from(sample) * u128::from(blocks) / u128::from(samples)) as u64)
        .collect();
    let plain = EncoderPool::new(options, None);
    encoder.prepare(0, 0);
    let packed = parallel::try_map(numbers.len(), |number| {
        encoder.packed_block(&plain, numbers[number])
    })?;
    let sizes: Vec<usize> = packed.iter().step_by(2).map(Vec::len).collect();
    let lesson: Vec<u8> = packed.iter().step_by(2).flatten().copied().collect();
    let Ok(dictionary) = zstd::dict::from_continuous(&lesson, &sizes, options.dictionary_bytes)
    else {
        // zstd gives up where samples are too few or too much alike, as in a stream of few blocks.
        return Ok(None);
    };
    let tests: Vec<u64> = numbers.iter().skip(1).step_by(2).copied().collect();
    let size = |pool: &EncoderPool| {
        let sizes = parallel::try_map(tests.len(), |number| {
            let stored = encoder.encode_block(pool, tests[number])?;
            Ok::<u64, WriteError>(stored.stored_len() as u64)
        })?;
        Ok::<u64, WriteError>(sizes.iter().sum())
    };
    let without = size(&plain)?;
    let with = size(&EncoderPool::new(options, Some(dictionary.clone())))?;
    let saved = u128::from(without.saturating_sub(with)) * u128::from(blocks) / tests.len() as u128;
    Ok((saved > dictionary.len() as u128).then_some(dictionary))
}
