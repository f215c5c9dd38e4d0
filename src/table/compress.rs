//! Packed bytes of a block -> what stands in the file.

use zstd::zstd_safe::{self, CCtx, CParameter, FrameFormat, Strategy};

use super::block::StoredBlock;
use super::options::WriteOptions;
use crate::error::WriteError;

/// A zstd context and its buffers, for one thread at a time.
pub(super) struct Encoder {
    context: CCtx<'static>,
    compressed: Vec<u8>,
}

impl Encoder {
    pub fn new(options: &WriteOptions, dictionary: Option<&[u8]>) -> Result<Self, WriteError> {
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
        if let Some(log) = options.search_log {
            set(CParameter::SearchLog(log))?;
        }
        if let Some(len) = options.min_match {
            set(CParameter::MinMatch(len))?;
        }
        if let Some(len) = options.target_length {
            set(CParameter::TargetLength(len))?;
        }
        if let Some(dictionary) = dictionary {
            context.load_dictionary(dictionary).map_err(zstd_error)?;
        }
        Ok(Self {
            context,
            compressed: Vec::new(),
        })
    }

    /// Compresses one block: its symbols, and the same packed.
    pub fn encode(&mut self, symbols: &[u8], packed: &[u8]) -> Result<StoredBlock, WriteError> {
        if symbols.iter().all(|&symbol| symbol == symbols[0]) {
            return Ok(StoredBlock::Constant(symbols[0]));
        }
        self.compressed.clear();
        self.compressed
            .reserve(zstd_safe::compress_bound(packed.len()));
        self.context
            .compress2(&mut self.compressed, packed)
            .map_err(zstd_error)?;
        Ok(if self.compressed.len() < packed.len() {
            StoredBlock::Compressed(self.compressed.clone())
        } else {
            StoredBlock::Raw(packed.to_vec())
        })
    }
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
