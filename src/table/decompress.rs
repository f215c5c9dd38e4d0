//! What stands in the file -> packed bytes of a block.

use liblzma::stream::{Action, Error, Status, Stream};
use zstd::zstd_safe::{DCtx, DDict, DParameter, FrameFormat};

use super::lzma;
use crate::reserve::{Refused, room};

/// What the blocks of a stream have in common.
pub(super) type Dictionary = DDict<'static>;

/// How the blocks of a stream are decompressed.
pub(super) enum StreamCodec<'a> {
    /// By zstd, with a dictionary if the stream has one.
    Zstd(Option<&'a Dictionary>),
    /// By LZMA.
    Lzma,
}

/// The dictionary of these bytes, if they are one.
pub(super) fn dictionary(bytes: &[u8]) -> Option<Dictionary> {
    DDict::try_create(bytes)
}

/// About what a context takes.
const CONTEXT_BYTES: u64 = 160 << 10;
/// About what LZMA takes beside the dictionary.
const LZMA_BYTES: u64 = 32 << 10;

/// Decompresses blocks.
pub(super) struct Decoder {
    /// Made for the first block of zstd, and used again and again, as making one costs more than a
    /// block.
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
            // Cannot fail on a new context of a library that has the parameter; if it did, every
            // block would fail to decode, which is reported.
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
        codec: StreamCodec<'_>,
        payload: &[u8],
        packed_len: usize,
        packed: &mut Vec<u8>,
    ) -> Result<bool, Refused> {
        packed.clear();
        room(packed, packed_len)?;
        let dictionary = match codec {
            StreamCodec::Zstd(dictionary) => dictionary,
            StreamCodec::Lzma => return decode_lzma(payload, packed_len, packed),
        };
        let context = self.context()?;
        let result = match dictionary {
            Some(dictionary) => context.decompress_using_ddict(packed, payload, dictionary),
            None => context.decompress(packed, payload),
        };
        Ok(result == Ok(packed_len) && packed.len() == packed_len)
    }
}

/// [`Decoder::decode`] of LZMA2 chunks into a vector that is empty and has room.
fn decode_lzma(payload: &[u8], packed_len: usize, packed: &mut Vec<u8>) -> Result<bool, Refused> {
    let refused = Refused {
        bytes: packed_len as u64 + LZMA_BYTES,
    };
    // What it is told is right for every block, so only memory can lack.
    let decoder = lzma::filters(packed_len).and_then(|filters| Stream::new_raw_decoder(&filters));
    let mut decoder = decoder.map_err(|_| refused)?;
    let status = match decoder.process_vec(payload, packed, Action::Finish) {
        Err(Error::Mem) => return Err(refused),
        status => status,
    };
    let has_used_all = decoder.total_in() == payload.len() as u64;
    Ok(status == Ok(Status::StreamEnd) && has_used_all && packed.len() == packed_len)
}
