//! How hard to compress and to look for the order of the dimensions.

use crate::chess::material::Material;
use crate::metric::Metric;
use crate::table::{Compression, Matches, WriteOptions};

/// Values of a row of chess: the squares of a man alone of its kind. The places of two or more men
/// of a kind are a multiple of 4.
const SQUARES: usize = 64;

/// How hard to look for the order of the dimensions, and what to keep.
#[derive(Clone, Debug)]
pub struct Effort {
    /// How to compress.
    pub options: WriteOptions,
    /// Blocks compressed in each round of comparing the orders, those of all orders together, for
    /// each pair of fastest dimensions.
    pub sample_blocks: u64,
    /// Of small streams only one in so many blocks is compressed for that, for each order.
    pub sample_part: u64,
    /// Packed bytes of such a block.
    pub sample_bytes: usize,
    /// The level they are compressed at.
    pub sample_level: i32,
    /// Estimated bytes below which the side to move that compresses worse is kept as well, if it
    /// need not be kept anyway; nothing if always. A prober finds what is not kept one ply ahead,
    /// which takes many probes instead of one.
    pub larger_side: Option<u64>,
}

impl Effort {
    /// What a compression means for a metric of a material of chess.
    #[must_use]
    pub fn new(compression: Compression, metric: Metric, material: &Material) -> Effort {
        let mut options = WriteOptions {
            // Of the results of all five men, those with pawns take 16 % less where bytes end with
            // rows, those without 7 % more: one row is less like the next one there.
            row: if material.has_pawns() { SQUARES } else { 0 },
            ..compression.into()
        };
        let keeps_one_side = matches!(compression, Compression::Small | Compression::Smallest);
        if metric == Metric::Dtm && !keeps_one_side {
            // A probe for a mate decodes a block of results as well; halving the block keeps both
            // under 10 µs.
            options.block_bytes /= 2;
        }
        Effort {
            larger_side: match metric {
                Metric::Wdl => (compression == Compression::Smallest).then_some(0),
                _ if keeps_one_side => Some(0),
                // All of four men, and about two in three of five, for a sixth more bytes.
                Metric::Dtz => Some(4 << 20),
                // Two in three of five men, for a fifth more bytes.
                Metric::Dtm => Some(20 << 20),
            },
            ..Effort::for_both_sides(compression, options, metric == Metric::Wdl)
        }
    }

    /// What a compression means for a file of both sides to move.
    #[must_use]
    pub fn for_both_sides(
        compression: Compression,
        mut options: WriteOptions,
        are_results: bool,
    ) -> Effort {
        if compression == Compression::Default {
            // Beside what zstd chooses for the level, 4 and 4, in 16 MiB of each of ten streams of
            // KRPvKR, KRBvKR, KBNvKN and KQRvKB: results a hundredth smaller and distances as
            // small, in three quarters of its time.
            let [short, long] = [(5, 3), (6, 4)].map(|(min_match, search_log)| Matches {
                min_match,
                search_log,
            });
            options.matches = Some(if are_results { long } else { short });
            // Distances differ: of KQRvKB's the long ones save a fiftieth, of others they take more.
            options.other_matches = (!are_results).then_some(long);
        }
        // Two planes of two men each show nearly as much as whole blocks, and of those there can be
        // more. For archives the third man counts as well, but blocks of 1 MiB would take too long.
        let (sample_blocks, sample_part, sample_level, sample_bytes) = match compression {
            Compression::Fast => (3, 16, 1, 8 << 10),
            Compression::Default => (16, 16, 6, 8 << 10),
            Compression::Small | Compression::Smallest => (8, 1, 9, 256 << 10),
        };
        Effort {
            sample_bytes: options.block_bytes.min(sample_bytes),
            options,
            // What there is to tell apart in results stands in a few blocks of many.
            sample_blocks: match are_results {
                true => 2 * sample_blocks,
                false => sample_blocks,
            },
            sample_part,
            sample_level,
            larger_side: None,
        }
    }
}
