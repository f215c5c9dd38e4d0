//! Decoded blocks, kept for the next probe that needs one of them.
//!
//! Blocks are kept packed, as [`Table::decode_block`](crate::table::Table::decode_block) returns
//! them, and cut into *pages* of [`PAGE_BYTES`]. A probe needs one byte, so it looks for one page.
//! A page can be in one of the [`WAYS`] ways of a *set*, which its key tells.
//!
//! # No locks
//!
//! A lock would cost more than the rest of a look-up, most of all where two threads take turns:
//! whoever takes a lock writes, and what one processor writes another has to fetch again. So a
//! look-up writes nothing but a count of its own thread, and, the first time after a while, a mark
//! that the page is wanted. All memory is atomic words, and each way has a [`Version`] that tells
//! whether what was read belongs together. A writer that finds another at work lets its page go;
//! the block is decoded again when it is needed.
//!
//! A full set evicts by the CLOCK rule: a hand goes round, spares a page that was asked for since
//! it last came by, and takes the first that was not.
//!
//! Memory is taken in shards of [`SETS`] sets, when the first page of a shard comes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::counts::Counts;
use crate::Error;
use crate::reserve::{Refused, defaults, would_give};
use crate::seqlock::Version;
use crate::table::{Stream, Table};

/// Bytes of a block that are kept and thrown away together.
const PAGE_BYTES: usize = 2048;
const WORD_BYTES: usize = size_of::<u64>();
const PAGE_WORDS: usize = PAGE_BYTES / WORD_BYTES;

/// Pages of a set.
const WAYS: usize = 8;

/// Sets of a shard: 1 MiB.
const SETS: usize = 64;

/// Bytes that a page takes beside its contents.
const PAGE_OVERHEAD: usize = size_of::<Set>() / WAYS;

/// What a cache did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Look-ups that found the part of a block that they needed.
    pub hits: u64,
    /// Look-ups that did not, so that a block was decoded.
    pub misses: u64,
    /// Parts of blocks, of 2 KiB, that are kept now.
    pub pages: usize,
    /// Bytes of memory that are taken now.
    pub bytes: usize,
}

/// Which page of which block of which stream of which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageKey(u64);

impl PageKey {
    const TABLE_BITS: u32 = 21;
    const BLOCK_BITS: u32 = 32;
    const PAGE_BITS: u32 = 8;

    /// Page `page` of block `block` of a stream, by its number, in the table with this number;
    /// nothing if one of them is beyond what a key can tell: no directory has so many tables, and
    /// no table so many or so large blocks.
    #[inline]
    fn new(table: u32, stream: u8, block: u64, page: usize) -> Option<PageKey> {
        let is_possible = table >> Self::TABLE_BITS == 0
            && block >> Self::BLOCK_BITS == 0
            && page >> Self::PAGE_BITS == 0;
        let stream = u64::from(table) << 2 | u64::from(stream & 3);
        let key = (stream << Self::BLOCK_BITS | block) << Self::PAGE_BITS | page as u64;
        // So no key is 0.
        is_possible.then_some(PageKey(key.wrapping_add(1)))
    }

    /// The key with its bits spread over the high bits.
    #[inline]
    fn mixed(self) -> u64 {
        let product = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (product ^ product >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// What a way holds; nothing at first, with the key 0.
#[derive(Debug, Default)]
struct Way {
    version: Version,
    key: AtomicU64,
}

/// Pages whose keys are alike.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Set {
    ways: [Way; WAYS],
    /// A bit for each way: asked for since the hand last came by.
    wanted: AtomicU32,
    hand: AtomicU32,
}

impl Set {
    /// The way to be given up for another page.
    fn victim(&self, ways: usize) -> usize {
        let mut way = self.hand.load(Ordering::Relaxed) as usize % ways;
        // Twice round: the marks are gone by then, unless others set them.
        for _ in 0..2 * ways {
            let bit = 1 << way;
            if self.wanted.fetch_and(!bit, Ordering::Relaxed) & bit == 0 {
                break;
            }
            way = (way + 1) % ways;
        }
        self.hand.store((way + 1) as u32, Ordering::Relaxed);
        way
    }
}

/// Some sets and their pages.
#[derive(Debug)]
struct Shard {
    sets: Box<[Set]>,
    words: Box<[AtomicU64]>,
}

impl Shard {
    fn new(sets: usize, ways: usize) -> Result<Shard, Refused> {
        Ok(Shard {
            sets: defaults(sets)?,
            words: defaults(sets * ways * PAGE_WORDS)?,
        })
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.sets) + size_of_val(&*self.words)
    }
}

/// Decoded blocks of all tables, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct BlockCache {
    shards: Box<[OnceLock<Shard>]>,
    /// Sets of a shard; each has as many.
    sets: usize,
    /// Ways of a set that are used: all, unless the whole cache is smaller than a set.
    ways: usize,
    counts: Counts,
}

impl BlockCache {
    /// A cache of up to `bytes` bytes; of less than a page and what belongs to it, it keeps
    /// nothing. An error if the system has not so much memory.
    pub fn new(bytes: usize) -> Result<BlockCache, Refused> {
        would_give(bytes)?;
        let pages = bytes / (PAGE_BYTES + PAGE_OVERHEAD);
        let (shards, sets, ways) = match pages {
            0 => (0, 0, 0),
            // What belongs to a set is taken as a whole.
            1..WAYS => (1, 1, ((bytes - size_of::<Set>()) / PAGE_BYTES).max(1)),
            _ if pages / WAYS < SETS => (1, pages / WAYS, WAYS),
            _ => (pages / WAYS / SETS, SETS, WAYS),
        };
        Ok(BlockCache {
            shards: defaults(shards)?,
            sets,
            ways,
            counts: Counts::new()?,
        })
    }

    /// The numbers of the shard and of the set in it; nothing if nothing is kept.
    #[inline]
    fn place(&self, key: PageKey) -> Option<(&OnceLock<Shard>, usize)> {
        let all = (self.shards.len() * self.sets) as u128;
        let number = ((u128::from(key.mixed()) * all) >> 64) as usize;
        // There are 64 sets in a shard, or there is one shard.
        Some((self.shards.get(number / SETS)?, number % SETS))
    }

    /// The number that the table with this number has at an index: from a decoded block, which is
    /// kept otherwise. `None` if the stream has no such index.
    ///
    /// # Errors
    ///
    /// If the block cannot be read or is damaged.
    #[inline(always)]
    pub fn number(
        &self,
        table: &Table,
        table_number: u32,
        stream: &Stream,
        index: u64,
    ) -> Result<Option<u8>, Error> {
        let Some((block, offset)) = stream.locate(index) else {
            return Ok(None);
        };
        let (byte, place) = stream.place_in_block(offset);
        let key = PageKey::new(table_number, stream.number(), block, byte / PAGE_BYTES);
        match key.and_then(|key| self.read(key, byte % PAGE_BYTES)) {
            Some(byte) => Ok(Some(stream.value_of_byte(byte, place))),
            None => self.number_in_file(table, table_number, stream, (block, offset)),
        }
    }

    /// The same for a block, and a place in it, that is not here. A function of its own, so that
    /// the way of a cached probe is short.
    #[inline(never)]
    fn number_in_file(
        &self,
        table: &Table,
        table_number: u32,
        stream: &Stream,
        (block, offset): (u64, usize),
    ) -> Result<Option<u8>, Error> {
        if let Some(number) = table.constant_block(stream, block)? {
            return Ok(Some(number));
        }
        let mut packed = Vec::new();
        table.decode_block(stream, block, &mut packed)?;
        let (byte, _) = stream.place_in_block(offset);
        for (page, bytes) in packed.chunks(PAGE_BYTES).enumerate() {
            if let Some(key) = PageKey::new(table_number, stream.number(), block, page) {
                self.insert(key, bytes, page == byte / PAGE_BYTES);
            }
        }
        Ok(Some(stream.value_in_block(&packed, offset)))
    }

    /// A byte of a page, if it is here.
    #[inline(always)]
    fn read(&self, key: PageKey, byte: usize) -> Option<u8> {
        let found = self.find(key, byte);
        match found {
            Some(_) => self.counts.hit(),
            None => self.counts.miss(),
        }
        found
    }

    #[inline(always)]
    fn find(&self, key: PageKey, byte: usize) -> Option<u8> {
        let (shard, number) = self.place(key)?;
        let shard = shard.get()?;
        let set = &shard.sets[number];
        let way = set
            .ways
            .iter()
            .position(|way| way.key.load(Ordering::Relaxed) == key.0)?;
        let Way {
            version,
            key: stored,
        } = &set.ways[way];
        let before = version.begin()?;
        if stored.load(Ordering::Relaxed) != key.0 {
            return None;
        }
        let first = (number * self.ways + way) * PAGE_WORDS;
        let word = shard.words[first + byte / WORD_BYTES % PAGE_WORDS].load(Ordering::Relaxed);
        if !version.is_still(before) {
            return None;
        }
        let bit = 1 << way;
        if set.wanted.load(Ordering::Relaxed) & bit == 0 {
            set.wanted.fetch_or(bit, Ordering::Relaxed);
        }
        Some(word.to_le_bytes()[byte % WORD_BYTES])
    }

    /// Keeps a page, of at most [`PAGE_BYTES`], unless it is here already or another thread writes
    /// in its place. One that nobody has asked for does not push out another.
    fn insert(&self, key: PageKey, page: &[u8], is_asked: bool) {
        let Some((shard, number)) = self.place(key) else {
            return;
        };
        if shard.get().is_none()
            && let Ok(new) = Shard::new(self.sets, self.ways)
        {
            // Two threads may get here; either's is as good.
            let _ = shard.set(new);
        }
        // Without memory for it nothing is kept here.
        let Some(shard) = shard.get() else { return };
        let set = &shard.sets[number];
        let is_here = |way: &Way| way.key.load(Ordering::Relaxed) == key.0;
        if set.ways.iter().any(is_here) {
            return;
        }
        let free = || (0..self.ways).find(|&way| set.ways[way].key.load(Ordering::Relaxed) == 0);
        let Some(way) = free().or_else(|| is_asked.then(|| set.victim(self.ways))) else {
            return;
        };
        let first = (number * self.ways + way) * PAGE_WORDS;
        let words = &shard.words[first..first + PAGE_WORDS];
        set.ways[way].write(key.0, || {
            let (whole, rest) = page.as_chunks::<WORD_BYTES>();
            let mut last = [0; WORD_BYTES];
            last[..rest.len()].copy_from_slice(rest);
            for (word, bytes) in words.iter().zip(whole.iter().chain([&last])) {
                word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        });
    }

    /// Forgets all blocks; the counts of hits and misses stay.
    pub fn clear(&self) {
        for shard in self.shards.iter().filter_map(OnceLock::get) {
            for set in &shard.sets {
                for way in &set.ways {
                    way.write(0, || ());
                }
            }
        }
    }

    /// What happened so far.
    pub fn statistics(&self) -> CacheStatistics {
        let (hits, misses) = self.counts.sums();
        let mut sum = CacheStatistics {
            hits,
            misses,
            ..CacheStatistics::default()
        };
        for shard in self.shards.iter().filter_map(OnceLock::get) {
            let ways = shard.sets.iter().flat_map(|set| &set.ways);
            sum.pages += ways
                .filter(|way| way.key.load(Ordering::Relaxed) != 0)
                .count();
            sum.bytes += shard.bytes();
        }
        sum
    }
}

impl Way {
    /// Writes what belongs to another key, unless another thread is at it.
    fn write(&self, key: u64, words: impl FnOnce()) {
        self.version.write(|| {
            self.key.store(key, Ordering::Relaxed);
            words();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH: usize = PAGE_BYTES + PAGE_OVERHEAD;

    fn key(table: u32, block: u64) -> PageKey {
        PageKey::new(table, 0, block, 0).unwrap()
    }

    fn page(fill: u8) -> Vec<u8> {
        vec![fill; PAGE_BYTES]
    }

    #[test]
    fn a_page_is_found_until_it_is_evicted() {
        // One set of four ways.
        let cache = BlockCache::new(4 * PAGE_BYTES + size_of::<Set>()).unwrap();
        for number in 0..4 {
            assert_eq!(cache.read(key(1, number), 2047), None);
            cache.insert(key(1, number), &page(number as u8), true);
            assert_eq!(cache.read(key(1, number), 2047), Some(number as u8));
        }
        assert_eq!(cache.statistics().pages, 4);
        // All have been asked for, so the hand goes round once and takes the first.
        cache.insert(key(1, 4), &page(4), true);
        assert_eq!(cache.read(key(1, 0), 0), None);
        assert_eq!(cache.read(key(1, 1), 0), Some(1));
        cache.insert(key(1, 5), &page(5), true);
        assert_eq!(
            cache.read(key(1, 1), 0),
            Some(1),
            "asked for since the hand came by"
        );
        assert_eq!(cache.read(key(1, 2), 0), None);
        let statistics = cache.statistics();
        assert_eq!((statistics.hits, statistics.misses), (6, 6));
        assert_eq!(statistics.bytes, 4 * PAGE_BYTES + size_of::<Set>());
    }

    #[test]
    fn a_page_nobody_asked_for_takes_a_free_place_only() {
        let cache = BlockCache::new(4 * PAGE_BYTES + size_of::<Set>()).unwrap();
        for number in 0..4 {
            cache.insert(key(1, number), &page(number as u8), number == 0);
        }
        assert_eq!(cache.statistics().pages, 4);
        cache.insert(key(1, 4), &page(4), false);
        assert_eq!(cache.read(key(1, 4), 0), None);
        cache.insert(key(1, 4), &page(4), true);
        assert_eq!(cache.read(key(1, 4), 0), Some(4));
    }

    #[test]
    fn the_budget_holds_and_every_found_byte_is_the_right_one() {
        let budget = 4 << 20;
        let cache = BlockCache::new(budget).unwrap();
        let mut seed = 7u64;
        let mut read = 0;
        for _ in 0..100_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (table, side, block, page) = (
                (seed >> 60) as u32,
                (seed >> 59) as u8 & 1,
                seed >> 33 & 127,
                (seed >> 30) as usize & 3,
            );
            let key = PageKey::new(table, side, block, page).unwrap();
            let mark =
                (u64::from(table) * 131 + u64::from(side) * 17 + block * 5) as u8 ^ page as u8;
            let len = 1 + (key.0 as usize * 7) % 2047;
            let byte = (seed >> 40) as usize % len;
            match cache.read(key, byte) {
                Some(found) => {
                    assert_eq!(found, mark.wrapping_add(byte as u8));
                    read += 1;
                }
                None => {
                    let bytes: Vec<u8> =
                        (0..len).map(|byte| mark.wrapping_add(byte as u8)).collect();
                    cache.insert(key, &bytes, true);
                }
            }
        }
        let statistics = cache.statistics();
        assert!(statistics.bytes <= budget);
        assert!(statistics.bytes > budget / 2);
        assert_eq!(statistics.hits, read);
        assert_eq!(statistics.hits + statistics.misses, 100_000);
        cache.clear();
        assert_eq!(cache.statistics().pages, 0);
    }

    #[test]
    fn threads_see_whole_pages_only() {
        // Every page has its own number in all bytes; all fight for four ways.
        let cache = BlockCache::new(4 * EACH).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let cache = &cache;
                scope.spawn(move || {
                    let mut seed = thread;
                    for _ in 0..20_000 {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let block = seed >> 33 & 15;
                        let byte = (seed >> 40) as usize & 2047;
                        match cache.read(key(0, block), byte) {
                            Some(found) => assert_eq!(found, block as u8),
                            None => cache.insert(key(0, block), &page(block as u8), true),
                        }
                    }
                });
            }
        });
        let statistics = cache.statistics();
        assert_eq!(statistics.hits + statistics.misses, 80_000);
        assert!(statistics.hits > 0);
    }

    #[test]
    fn keys_are_different_or_none() {
        let mut keys = std::collections::HashSet::new();
        for table in [0, 1, (1 << 21) - 1] {
            for stream in [0, 1, 2, 3] {
                for block in [0, 1, (1 << 32) - 1] {
                    for page in [0, 1, 255] {
                        let key = PageKey::new(table, stream, block, page).unwrap();
                        assert!(key.0 != 0 && keys.insert(key.0));
                    }
                }
            }
        }
        assert_eq!(PageKey::new(1 << 21, 0, 0, 0), None);
        assert_eq!(PageKey::new(0, 0, 1 << 32, 0), None);
        assert_eq!(PageKey::new(0, 0, 0, 256), None);
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        for bytes in [0, 100] {
            let cache = BlockCache::new(bytes).unwrap();
            cache.insert(key(0, 0), &page(1), true);
            assert_eq!(cache.read(key(0, 0), 0), None);
            assert_eq!(cache.statistics().pages, 0);
        }
    }
}
