//! How hard to compress.

use super::layout::{Codec, MAX_BLOCK_BYTES, MAX_DICTIONARY_LEN};
use super::pack::Packing;
use crate::error::WriteError;

/// How hard to compress, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// For tables that are used once.
    Fast,
    /// The knee of the curve.
    #[default]
    Default,
    /// For tables that are kept or sent: a tenth smaller, several times slower to write, and blocks
    /// twice as long, so that a cold probe takes twice the time.
    Small,
    /// For archives: the smallest files, however long it takes to write them, and slow to probe.
    Smallest,
}

/// How zstd looks for matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matches {
    /// The shortest match in bytes, 3 to 7.
    pub min_match: u32,
    /// log2 of the number of places that are looked at, 1 to 30.
    pub search_log: u32,
}

/// How hard to compress, in numbers. [`WriteOptions::from`] gives those of a [`Compression`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// What compresses the blocks.
    pub codec: Codec,
    /// zstd level, 1 to 22. LZMA always tries as hard as it can.
    pub level: i32,
    /// Packed bytes in a block, 1 to [`MAX_BLOCK_BYTES`]: what a cold probe must decode.
    pub block_bytes: usize,
    /// Values in a row, which no byte shares with the next row; 0 if there are no rows. See
    /// [`Packing::in_rows`].
    pub row: usize,
    /// zstd: bytes of the dictionary of each stream, at most; 0 for none. It is kept only where a
    /// sample shows that it saves more than its own size.
    pub dictionary_bytes: usize,
    /// Blocks from which a dictionary is trained; as many others measure what it saves.
    pub dictionary_samples: u64,
    /// zstd strategy, 1 (fast) to 9 (btultra2); `None` for that of the level.
    pub strategy: Option<u32>,
    /// zstd: how to look for matches; `None` for that of the level.
    pub matches: Option<Matches>,
    /// zstd: another way to do so. It is tried in a few blocks now and then, and the next blocks are
    /// compressed in whichever way these take fewer bytes.
    pub other_matches: Option<Matches>,
    /// zstd: match length in bytes that ends a search; `None` for that of the level.
    pub target_length: Option<u32>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Compression::Default.into()
    }
}

impl From<Compression> for WriteOptions {
    fn from(compression: Compression) -> Self {
        let options = Self {
            codec: Codec::Zstd,
            level: 6,
            block_bytes: 16 << 10,
            row: 0,
            dictionary_bytes: 0,
            dictionary_samples: 256,
            strategy: None,
            matches: None,
            other_matches: None,
            target_length: None,
        };
        // Bytes and times of 256 blocks of 32 KiB, or as many bytes in smaller ones, of each of six
        // five-man materials: distances to mate, and to zeroing.
        match compression {
            // 6.35 MB in 96 ms, 3.48 MB in 81 ms.
            Compression::Fast => Self {
                level: 3,
                ..options
            },
            // 5.58 MB in 282 ms, 2.98 MB in 186 ms. Level 7 is 1 % smaller and takes 1.5 times as
            // long, level 5 is 3 % larger and takes three quarters. Blocks of 16 KiB have
            // parameters of their own, and from level 8 on they search binary trees.
            Compression::Default => options,
            // 4.8 MB in 2.2 s, 2.6 MB in 1.6 s. Level 19 is 1 to 2 % smaller and takes 3.6 times as
            // long; level 14 is 4 % larger. Twice the block doubles the time to decode one, to 18
            // microseconds. Dictionaries never paid for themselves here.
            Compression::Small => Self {
                level: 15,
                block_bytes: 32 << 10,
                ..options
            },
            // Of all five men 22 % smaller than `Small`, results half as large since they are those
            // of one side, in 3 to 7 times the time; a cold probe of a side that is there takes 1
            // to 3 ms. With zstd's level 19 and blocks of 256 KiB it was 6 %, and 0.15 ms.
            Compression::Smallest => Self {
                codec: Codec::Lzma,
                block_bytes: MAX_BLOCK_BYTES,
                ..options
            },
        }
    }
}

impl WriteOptions {
    /// Values in a block of a stream in which so many different values occur, 1 to 256.
    pub fn block_values(&self, symbols: usize) -> usize {
        self.block_bytes * self.packing(symbols).per_byte()
    }

    pub(super) fn packing(&self, symbols: usize) -> Packing {
        Packing::in_rows(symbols, self.row)
    }

    pub(super) fn check(&self) -> Result<(), WriteError> {
        let ensure = |good: bool, name, allowed| {
            if good {
                Ok(())
            } else {
                Err(WriteError::Option { name, allowed })
            }
        };
        ensure((1..=22).contains(&self.level), "level", "1 to 22")?;
        ensure(
            (1..=MAX_BLOCK_BYTES).contains(&self.block_bytes),
            "block_bytes",
            "1 byte to 1 MiB",
        )?;
        ensure(
            self.dictionary_bytes == 0
                || self.codec == Codec::Zstd
                    && (256..=MAX_DICTIONARY_LEN).contains(&self.dictionary_bytes),
            "dictionary_bytes",
            "0, or 256 bytes to 1 MiB for zstd",
        )?;
        ensure(
            self.strategy
                .is_none_or(|strategy| (1..=9).contains(&strategy)),
            "strategy",
            "1 to 9",
        )?;
        for matches in [self.matches, self.other_matches].into_iter().flatten() {
            ensure(
                (1..=30).contains(&matches.search_log),
                "search_log",
                "1 to 30",
            )?;
            ensure((3..=7).contains(&matches.min_match), "min_match", "3 to 7")?;
        }
        ensure(
            self.target_length.is_none_or(|len| len <= 131_072),
            "target_length",
            "0 to 131072",
        )
    }
}
