//! What stands in the file -> packed bytes of a block.

use zstd::zstd_safe::{DCtx, DDict, DParameter, FrameFormat};

/// What the blocks of a stream have in common.
pub(super) type Dictionary = DDict<'static>;

/// The dictionary of these bytes, if they are one.
pub(super) fn dictionary(bytes: &[u8]) -> Option<Dictionary> {
    DDict::try_create(bytes)
}

/// Decompresses blocks; the context is used again and again, as making one costs more than a block.
pub(super) struct Decoder {
    context: DCtx<'static>,
}

impl Decoder {
    pub fn new() -> Self {
        let mut context = DCtx::create();
        // Cannot fail on a new context of a library that has the parameter; if it did, every block
        // would fail to decode, which is reported.
        let _ = context.set_parameter(DParameter::Format(FrameFormat::Magicless));
        Self { context }
    }

    /// Decompresses into `packed`, which is cleared first. Whether the result has `packed_len`
    /// bytes and all of the payload was used.
    pub fn decode(
        &mut self,
        payload: &[u8],
        dictionary: Option<&Dictionary>,
        packed_len: usize,
        packed: &mut Vec<u8>,
    ) -> bool {
        packed.clear();
        packed.reserve(packed_len);
        let result = match dictionary {
            Some(dictionary) => self
                .context
                .decompress_using_ddict(packed, payload, dictionary),
            None => self.context.decompress(packed, payload),
        };
        result == Ok(packed_len) && packed.len() == packed_len
    }
}
