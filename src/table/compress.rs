//! Packed bytes of a block -> what stands in the file.

use liblzma::stream::{Action, Status, Stream};
use zstd::zstd_safe::{self, CCtx, CParameter, FrameFormat, Strategy};

use super::block::StoredBlock;
use super::layout::Codec;
use super::lzma;
use super::options::WriteOptions;
use crate::error::WriteError;
use crate::store::are_all;

/// A compressor and its buffer, for one thread at a time.
pub(super) struct Encoder {
    compressor: Compressor,
    compressed: Vec<u8>,
}

enum Compressor {
    Zstd(CCtx<'static>),
    /// Liblzma's encoder is made anew for each block, which costs little beside the block.
    Lzma,
}

impl Encoder {
    pub fn new(options: &WriteOptions, dictionary: Option<&[u8]>) -> Result<Self, WriteError> {
        Ok(Self {
            compressor: match options.codec {
                Codec::Zstd => Compressor::Zstd(zstd_context(options, dictionary)?),
                Codec::Lzma => Compressor::Lzma,
            },
            compressed: Vec::new(),
        })
    }

    /// Compresses one block: its symbols, and the same packed.
    pub fn encode(&mut self, symbols: &[u8], packed: &[u8]) -> Result<StoredBlock, WriteError> {
        if are_all(symbols, symbols[0]) {
            return Ok(StoredBlock::Constant(symbols[0]));
        }
        self.compressed.clear();
        let is_whole = match &mut self.compressor {
            Compressor::Zstd(context) => {
                let bound = zstd_safe::compress_bound(packed.len());
                self.compressed.reserve(bound);
                context
                    .compress2(&mut self.compressed, packed)
                    .map_err(zstd_error)?;
                true
            }
            Compressor::Lzma => {
                // What is not smaller is not kept, so there need not be room for it.
                self.compressed.reserve(packed.len());
                let filters = lzma::filters(packed.len());
                let encoder = filters.and_then(|filters| Stream::new_raw_encoder(&filters));
                let mut encoder = encoder.map_err(lzma_error)?;
                let status = encoder
                    .process_vec(packed, &mut self.compressed, Action::Finish)
                    .map_err(lzma_error)?;
                status == Status::StreamEnd
            }
        };
        Ok(if is_whole && self.compressed.len() < packed.len() {
            StoredBlock::Compressed(self.compressed.clone())
        } else {
            StoredBlock::Raw(packed.to_vec())
        })
    }
}

fn zstd_context(
    options: &WriteOptions,
    dictionary: Option<&[u8]>,
) -> Result<CCtx<'static>, WriteError> {
    let mut context = CCtx::try_create().ok_or(WriteError::Compression("out of memory"))?;
    let mut set = |parameter| context.set_parameter(parameter).map_err(zstd_error);
    set(CParameter::CompressionLevel(options.level))?;
    set(CParameter::Format(FrameFormat::Magicless))?;
    set(CParameter::ContentSizeFlag(false))?;
    set(CParameter::ChecksumFlag(false))?;
    set(CParameter::DictIdFlag(false))?;
    // The row match finder salts its hashes differently each time a context is used again, so
    // the bytes of a block would depend on which thread compressed which blocks before.
    set(CParameter::UseRowMatchFinder(
        zstd_safe::ParamSwitch::Disable,
    ))?;
    if let Some(strategy) = options.strategy {
        set(CParameter::Strategy(to_strategy(strategy)))?;
    }
    if let Some(matches) = options.matches {
        set(CParameter::SearchLog(matches.search_log))?;
        set(CParameter::MinMatch(matches.min_match))?;
    }
    if let Some(len) = options.target_length {
        set(CParameter::TargetLength(len))?;
    }
    if let Some(dictionary) = dictionary {
        context.load_dictionary(dictionary).map_err(zstd_error)?;
    }
    Ok(context)
}

fn to_strategy(number: u32) -> Strategy {
    match number {
        1 => Strategy::ZSTD_fast,
        2 => Strategy::ZSTD_dfast,
        3 => Strategy::ZSTD_greedy,
        4 => Strategy::ZSTD_lazy,
        5 => Strategy::ZSTD_lazy2,
        6 => Strategy::ZSTD_btlazy2,
        7 => Strategy::ZSTD_btopt,
        8 => Strategy::ZSTD_btultra,
        _ => Strategy::ZSTD_btultra2,
    }
}

fn zstd_error(code: usize) -> WriteError {
    WriteError::Compression(zstd_safe::get_error_name(code))
}

fn lzma_error(error: liblzma::stream::Error) -> WriteError {
    use liblzma::stream::Error;
    WriteError::Compression(match error {
        Error::Mem => "out of memory",
        _ => "LZMA failed",
    })
}
