//! In place of `decompress` without the feature `native`. No table of our own is opened then, so
//! nothing here is called.

use crate::reserve::Refused;

/// There is none.
#[derive(Debug)]
pub(super) enum Dictionary {}

pub(super) fn dictionary(_: &[u8]) -> Option<Dictionary> {
    None
}

/// How the blocks of a stream are decompressed.
pub(super) enum StreamCodec<'a> {
    Zstd(Option<&'a Dictionary>),
    Lzma,
}

pub(super) struct Decoder;

impl Decoder {
    pub const fn new() -> Self {
        Self
    }

    pub fn decode(
        &mut self,
        _: StreamCodec<'_>,
        _: &[u8],
        _: usize,
        _: &mut Vec<u8>,
    ) -> Result<bool, Refused> {
        Ok(false)
    }
}
