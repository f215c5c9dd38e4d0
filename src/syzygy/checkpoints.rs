//! Where to begin decoding in the middle of a block.
//!
//! Codes have no fixed length, so what stands in the middle of a block is found from its beginning:
//! on average half of the block is passed over. But a search asks for the same blocks again and
//! again. So the values of a block are divided into *cells* of equal size, at most [`CELLS`] and
//! the first one, and of each cell that a probe comes by it is written down where the code begins
//! that has its first value. The next probe begins there.
//!
//! Random probes seldom meet the same block twice. So the first one only leaves its key, and those
//! that follow look for cells. A probe begins at the last cell it knows and passes through all that
//! follow, so what is known of a block are always its first cells. They fit into one line of a
//! processor's cache, an [`Entry`]. The key of a block tells which entry is its own, and the last
//! block that came keeps it.
//!
//! Nobody waits: where an entry is being written, a reader begins at the beginning of the block,
//! and a writer writes nothing.

use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::reserve::{Refused, defaults, would_give};
use crate::seqlock::Version;

/// Cells of a block, the first one aside, whose beginning is the block's.
pub(super) const CELLS: usize = CELLS_OF_WORD * WORDS;
const WORDS: usize = 6;
const CELLS_OF_WORD: usize = 3;
/// Bits of a start within a word.
const START_BITS: u32 = 21;
/// Bits of a place within a symbol, which has up to 256 values.
const WITHIN_BITS: u32 = 8;
/// Bits of the number of known cells.
const KNOWN_BITS: u32 = 5;

/// Which block of which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockKey(u64);

impl BlockKey {
    const TABLE_BITS: u32 = 22;
    const PLACE_BITS: u32 = 36;
    /// The binary logarithms of the bytes that blocks have whose starts can be kept.
    const BLOCK_BITS: RangeInclusive<u32> = 5..=START_BITS - WITHIN_BITS - 3;

    /// The block of a size that begins at an offset of the file of the table with this number;
    /// nothing if it is beyond what keys or starts can tell.
    #[inline]
    pub fn new(table: u32, offset: u64, block_bits: u32) -> Option<BlockKey> {
        let place = offset >> Self::BLOCK_BITS.start();
        let is_possible = table >> Self::TABLE_BITS == 0
            && place >> Self::PLACE_BITS == 0
            && Self::BLOCK_BITS.contains(&block_bits);
        // No key is 0, as a file does not begin with a block.
        is_possible.then_some(BlockKey(u64::from(table) << Self::PLACE_BITS | place))
    }
}

/// Where the code of the first value of a cell begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Start {
    /// Bits of the block before the code.
    pub bit: u32,
    /// Values that the symbol of the code has before the first one of the cell.
    pub within: u32,
}

impl Start {
    /// Whether the bit is one of those of the largest block whose starts can be kept.
    #[inline]
    pub fn can_be_kept(self) -> bool {
        self.bit >> (START_BITS - WITHIN_BITS) == 0
    }

    #[inline]
    fn of_bits(bits: u64) -> Start {
        Start {
            bit: (bits >> WITHIN_BITS) as u32 & ((1 << (START_BITS - WITHIN_BITS)) - 1),
            within: bits as u32 & ((1 << WITHIN_BITS) - 1),
        }
    }

    fn bits(self) -> u64 {
        u64::from(self.bit << WITHIN_BITS | self.within)
    }
}

/// The known cells of one block; nothing at first, with the key 0.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Entry {
    version: Version,
    /// The key of the block and how many cells are known.
    block: AtomicU64,
    starts: [AtomicU64; WORDS],
}

/// The cells that probes came by, of the blocks of all tables.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    entries: OnceLock<Box<[Entry]>>,
    len: usize,
}

impl Checkpoints {
    /// Those of as many blocks as `bytes` have room for, which are taken when they are first
    /// needed. Of less than 64 bytes nothing is kept. An error if the system has not so much memory
    /// now; if it has not when it is needed, nothing is kept.
    pub fn new(bytes: usize) -> Result<Checkpoints, Refused> {
        would_give(bytes)?;
        Ok(Checkpoints {
            entries: OnceLock::new(),
            len: bytes / size_of::<Entry>(),
        })
    }

    /// Whether anything is kept.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.len != 0
    }

    #[inline]
    fn entry(&self, BlockKey(key): BlockKey) -> Option<&Entry> {
        let entries = match self.entries.get() {
            Some(entries) => entries,
            None => self.first_entries(),
        };
        let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = u128::from(product ^ product >> 29) * entries.len() as u128;
        entries.get((place >> u64::BITS) as usize)
    }

    #[cold]
    fn first_entries(&self) -> &[Entry] {
        self.entries
            .get_or_init(|| defaults(self.len).unwrap_or_default())
    }

    /// The last cell up to `cell` that is known of a block, and its start: if there is none, the
    /// block's beginning. Nothing if it is the first time that anybody asks for the block, or the
    /// first time since another one took its place.
    #[inline]
    pub(super) fn nearest(&self, key: BlockKey, cell: usize) -> Option<(usize, Start)> {
        let entry = self.entry(key)?;
        let before = entry.version.begin()?;
        let block = entry.block.load(Ordering::Relaxed);
        if block >> KNOWN_BITS != key.0 {
            entry
                .version
                .write(|| entry.block.store(key.0 << KNOWN_BITS, Ordering::Relaxed));
            return None;
        }
        let cell = cell.min(block as usize & ((1 << KNOWN_BITS) - 1));
        let Some(place) = cell.checked_sub(1) else {
            return Some((0, Start::default()));
        };
        let word = entry.starts[place / CELLS_OF_WORD % WORDS].load(Ordering::Relaxed);
        if !entry.version.is_still(before) {
            return None;
        }
        let shift = START_BITS * (place % CELLS_OF_WORD) as u32;
        Some((cell, Start::of_bits(word >> shift)))
    }

    /// Keeps the starts of the cells of a block from `first` on, unless another thread writes in
    /// the same place, another block took it, or there are unknown cells before them.
    #[cold]
    pub(super) fn add(&self, key: BlockKey, first: usize, starts: &[Start]) {
        let Some(entry) = self.entry(key) else {
            return;
        };
        entry.version.write(|| {
            let block = entry.block.load(Ordering::Relaxed);
            let known = block as usize & ((1 << KNOWN_BITS) - 1);
            let last = first + starts.len() - 1;
            if block >> KNOWN_BITS != key.0 || first == 0 || first > known + 1 || last > CELLS {
                return;
            }
            for (place, start) in (first - 1..).zip(starts) {
                let word = &entry.starts[place / CELLS_OF_WORD];
                let shift = START_BITS * (place % CELLS_OF_WORD) as u32;
                let others = word.load(Ordering::Relaxed) & !(((1 << START_BITS) - 1) << shift);
                word.store(others | start.bits() << shift, Ordering::Relaxed);
            }
            let known = known.max(last) as u64;
            entry
                .block
                .store(key.0 << KNOWN_BITS | known, Ordering::Relaxed);
        });
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.entries.get().into_iter().flatten() {
            let write = || entry.block.store(0, Ordering::Relaxed);
            entry.version.write(write);
        }
    }
}

/// How the values of a block are divided into cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    shift: u32,
}

impl Cells {
    /// Of a block of so many values, at least one.
    #[inline]
    pub fn of_block(values: u32) -> Cells {
        // One more than CELLS, as the first cell does not count.
        let least = (values - 1) / (CELLS as u32 + 1);
        Cells {
            shift: u32::BITS - least.leading_zeros(),
        }
    }

    /// The cell of a value.
    #[inline]
    pub fn of(self, place: u32) -> usize {
        (place >> self.shift) as usize
    }

    /// The first value of a cell.
    #[inline]
    pub fn first(self, cell: usize) -> u32 {
        (cell as u32) << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(number: u32) -> Start {
        Start {
            bit: 8191 - number,
            within: 255 - number,
        }
    }

    #[test]
    fn what_was_added_is_found() {
        let checkpoints = Checkpoints::new(64).unwrap();
        let key = |block: u64| BlockKey::new(3, (block + 1) << 6, 6).unwrap();
        let beginning = Some((0, Start::default()));
        assert_eq!(checkpoints.nearest(key(0), 5), None);
        assert_eq!(checkpoints.nearest(key(0), 5), beginning);
        checkpoints.add(key(0), 1, &[start(1), start(2)]);
        assert_eq!(checkpoints.nearest(key(0), 0), beginning);
        assert_eq!(checkpoints.nearest(key(0), 1), Some((1, start(1))));
        assert_eq!(checkpoints.nearest(key(0), 5), Some((2, start(2))));
        // There is a gap before these.
        checkpoints.add(key(0), 4, &[start(4)]);
        assert_eq!(checkpoints.nearest(key(0), 5), Some((2, start(2))));
        let rest: Vec<Start> = (3..=CELLS as u32).map(start).collect();
        checkpoints.add(key(0), 3, &rest);
        for cell in 1..=CELLS {
            let expected = (cell, start(cell as u32));
            assert_eq!(checkpoints.nearest(key(0), cell), Some(expected));
        }
        // Another block takes the only entry.
        assert_eq!(checkpoints.nearest(key(1), 5), None);
        checkpoints.add(key(0), 1, &[start(1)]);
        checkpoints.add(key(1), 2, &[start(2)]);
        assert_eq!(checkpoints.nearest(key(1), 5), beginning);
        checkpoints.add(key(1), 1, &[start(7)]);
        assert_eq!(checkpoints.nearest(key(1), 5), Some((1, start(7))));
        assert_eq!(checkpoints.nearest(key(0), 1), None);
        checkpoints.clear();
        assert_eq!(checkpoints.nearest(key(0), 5), None);
    }

    #[test]
    fn blocks_have_keys_of_their_own() {
        let key = |table, offset| BlockKey::new(table, offset, 5).unwrap();
        assert_ne!(key(0, 64), key(0, 96));
        assert_ne!(key(0, 64), key(1, 64));
        assert_eq!(BlockKey::new(1 << 22, 64, 5), None);
        assert_eq!(BlockKey::new(0, 1 << 41, 5), None);
        assert_eq!(BlockKey::new(0, 64, 4), None);
        assert_eq!(BlockKey::new(0, 64, 11), None);
    }

    #[test]
    fn nothing_is_kept_without_room() {
        let checkpoints = Checkpoints::new(63).unwrap();
        assert!(!checkpoints.has_room());
        let key = BlockKey::new(0, 64, 6).unwrap();
        checkpoints.add(key, 1, &[start(1)]);
        assert_eq!(checkpoints.nearest(key, 1), None);
    }

    #[test]
    fn every_value_has_a_cell() {
        for values in (1..100).chain([4_095, 4_096, 4_097, 65_535, 65_536]) {
            let cells = Cells::of_block(values);
            let last = cells.of(values - 1);
            assert!(last <= CELLS, "{values}");
            assert!(values < 64 || last >= CELLS / 2, "{values}");
            assert!((0..=last).all(|cell| cells.of(cells.first(cell)) == cell));
        }
    }
}
