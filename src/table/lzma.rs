//! What LZMA is told for compressing and for decompressing.

use liblzma::stream::{Error, Filters, LzmaOptions};

/// The shortest dictionary there is.
const MIN_DICTIONARY_BYTES: usize = 4096;

/// LZMA2 chunks with nothing around them, of a block of so many packed bytes, compressed as hard as
/// liblzma can. For decompressing, only the length of the block counts: chunks say the rest of
/// themselves.
pub(super) fn filters(packed_len: usize) -> Result<Filters, Error> {
    let mut options = LzmaOptions::new_preset(9)?;
    options
        // A match reaches back to the start of its block at most.
        .dict_size(packed_len.max(MIN_DICTIONARY_BYTES) as u32)
        // The byte before says little of the next one, and where in a word that stands says
        // nothing.
        .literal_context_bits(0)
        .literal_position_bits(0)
        .position_bits(0)
        // Matches are searched for up to the longest there is. With 128 bytes instead, blocks take
        // 1 to 4 % more and up to a third of the time.
        .nice_len(273);
    let mut filters = Filters::new();
    filters.lzma2(&options);
    Ok(filters)
}
