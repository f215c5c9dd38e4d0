//! What stands in the file -> packed bytes of a block.

use zstd::zstd_safe::{DCtx, DDict, DParameter, FrameFormat};

use crate::reserve::{Refused, room};

/// What the blocks of a stream have in common.
pub(super) type Dictionary = DDict<'static>;

/// The dictionary of these bytes, if they are one.
pub(super) fn dictionary(bytes: &[u8]) -> Option<Dictionary> {
    DDict::try_create(bytes)
}

/// About what a context takes.
const CONTEXT_BYTES: u64 = 160 << 10;

/// Decompresses blocks; the context is used again and again, as making one costs more than a block.
pub(super) struct Decoder {
    /// Made for the first block.
    context: Option<DCtx<'static>>,
}

impl Decoder {
    pub const fn new() -> Self {
        Self { context: None }
    }

    fn context(&mut self) -> Result<&mut DCtx<'static>, Refused> {
        if self.context.is_none() {
            let mut context = DCtx::try_create().ok_or(Refused {
                bytes: CONTEXT_BYTES,
            })?;
            // Cannot fail on a new context of a library that has the parameter; if it did, every block
            // would fail to decode, which is reported.
            let _ = context.set_parameter(DParameter::Format(FrameFormat::Magicless));
            self.context = Some(context);
        }
        self.context.as_mut().ok_or(Refused {
            bytes: CONTEXT_BYTES,
        })
    }

    /// Decompresses into `packed`, which is cleared first. Whether the result has `packed_len`
    /// bytes and all of the payload was used.
    ///
    /// # Errors
    ///
    /// If there is no memory for that.
    pub fn decode(
        &mut self,
        payload: &[u8],
        dictionary: Option<&Dictionary>,
        packed_len: usize,
        packed: &mut Vec<u8>,
    ) -> Result<bool, Refused> {
        packed.clear();
        room(packed, packed_len)?;
        let context = self.context()?;
        let result = match dictionary {
            Some(dictionary) => context.decompress_using_ddict(packed, payload, dictionary),
            None => context.decompress(packed, payload),
        };
        Ok(result == Ok(packed_len) && packed.len() == packed_len)
    }
}
