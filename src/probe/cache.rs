//! Decoded blocks, kept for the next probe that needs one of them.
//!
//! Blocks are kept packed, as [`Table::decode_block`](crate::table::Table::decode_block) returns them. They are
//! spread over shards, each with its own lock, which is held for a look-up or an insertion but never while a
//! block is decoded: two threads that miss the same block both decode it, and the second result is dropped.
//!
//! A full shard evicts by the CLOCK rule: a hand goes round, spares a block that was asked for since it last came
//! by, and takes the first that was not.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most shards a cache has; enough that threads seldom wait for each other.
const MAX_SHARDS: usize = 64;

/// Bytes below which a shard is not worth having.
const MIN_SHARD_BYTES: usize = 256 << 10;

/// Bytes that a block takes beside its contents, about.
const SLOT_OVERHEAD: usize = 64;

/// What a cache did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Look-ups that found their block.
    pub hits: u64,
    /// Look-ups that did not, so that a block was decoded.
    pub misses: u64,
    /// Blocks that are kept now.
    pub blocks: usize,
    /// Bytes that they take.
    pub bytes: usize,
}

/// Which block of which stream of which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BlockKey(u64);

impl BlockKey {
    /// Block `block` of the stream of `side` in the table with this number.
    ///
    /// Numbers that do not fit their share of 64 bits only ever come from a table of more than 2^40 blocks or
    /// a directory of more than 2^23 tables.
    #[inline]
    pub fn new(table: u32, side: u8, block: u64) -> BlockKey {
        BlockKey((u64::from(table) << 1 | u64::from(side)) << 40 | block)
    }

    /// The key with its bits spread. Both steps can be undone, so different keys stay different.
    #[inline]
    fn mixed(self) -> u64 {
        let product = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    }
}

/// Takes a number that is spread already.
#[derive(Default)]
struct MixedHasher(u64);

impl Hasher for MixedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[derive(Debug)]
struct Slot {
    mixed: u64,
    packed: Vec<u8>,
    /// Asked for since the hand last came by.
    is_wanted: bool,
}

impl Slot {
    fn bytes(&self) -> usize {
        self.packed.capacity() + SLOT_OVERHEAD
    }
}

#[derive(Debug, Default)]
struct Shard {
    /// From mixed key to slot.
    places: HashMap<u64, usize, BuildHasherDefault<MixedHasher>>,
    slots: Vec<Slot>,
    hand: usize,
    bytes: usize,
    hits: u64,
    misses: u64,
}

impl Shard {
    /// Makes room for `bytes`; what is evicted is given back to be freed outside the lock.
    fn evict(&mut self, bytes: usize, budget: usize, evicted: &mut Vec<Slot>) {
        while self.bytes + bytes > budget && !self.slots.is_empty() {
            if self.hand >= self.slots.len() {
                self.hand = 0;
            }
            let slot = &mut self.slots[self.hand];
            if slot.is_wanted {
                slot.is_wanted = false;
                self.hand += 1;
                continue;
            }
            let slot = self.slots.swap_remove(self.hand);
            self.places.remove(&slot.mixed);
            if let Some(moved) = self.slots.get(self.hand) {
                self.places.insert(moved.mixed, self.hand);
            }
            self.bytes -= slot.bytes();
            evicted.push(slot);
        }
    }
}

/// Decoded blocks of all tables, up to a number of bytes.
#[derive(Debug)]
pub(super) struct BlockCache {
    shards: Box<[Mutex<Shard>]>,
    /// Bytes that one shard may take.
    shard_bytes: usize,
}

impl BlockCache {
    /// A cache of up to `bytes` bytes; 0 keeps nothing.
    pub fn new(bytes: usize) -> BlockCache {
        let shards = (bytes / MIN_SHARD_BYTES).clamp(1, MAX_SHARDS);
        // Rounded down to a power of two, so that a mask finds the shard.
        let shards = 1 << shards.ilog2();
        BlockCache {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            shard_bytes: bytes / shards,
        }
    }

    #[inline]
    fn shard(&self, mixed: u64) -> MutexGuard<'_, Shard> {
        // The map inside a shard uses the lowest and the highest bits.
        let number = (mixed >> 40) as usize & (self.shards.len() - 1);
        lock(&self.shards[number])
    }

    /// What `read` finds in the block, if it is here. `read` runs under a lock: it takes one value, no more.
    #[inline]
    pub fn read(&self, key: BlockKey, read: impl FnOnce(&[u8]) -> u8) -> Option<u8> {
        let mixed = key.mixed();
        let shard = &mut *self.shard(mixed);
        let Some(&place) = shard.places.get(&mixed) else {
            shard.misses += 1;
            return None;
        };
        shard.hits += 1;
        let slot = &mut shard.slots[place];
        slot.is_wanted = true;
        Some(read(&slot.packed))
    }

    /// Keeps a block, unless it is here already or larger than a shard.
    pub fn insert(&self, key: BlockKey, packed: Vec<u8>) {
        let slot = Slot {
            mixed: key.mixed(),
            packed,
            is_wanted: false,
        };
        let bytes = slot.bytes();
        if bytes > self.shard_bytes {
            return;
        }
        let mut evicted = Vec::new();
        let mut guard = self.shard(slot.mixed);
        let shard = &mut *guard;
        if shard.places.contains_key(&slot.mixed) {
            return;
        }
        shard.evict(bytes, self.shard_bytes, &mut evicted);
        shard.places.insert(slot.mixed, shard.slots.len());
        shard.slots.push(slot);
        shard.bytes += bytes;
        drop(guard);
    }

    /// Forgets all blocks; the counts of hits and misses stay.
    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            *shard = Shard {
                hits: shard.hits,
                misses: shard.misses,
                ..Shard::default()
            };
        }
    }

    /// What happened so far.
    pub fn statistics(&self) -> CacheStatistics {
        let mut sum = CacheStatistics::default();
        for shard in &self.shards {
            let shard = lock(shard);
            sum.hits += shard.hits;
            sum.misses += shard.misses;
            sum.blocks += shard.slots.len();
            sum.bytes += shard.bytes;
        }
        sum
    }
}

/// A thread that panicked left a shard whole: nothing in it panics between two changes that belong together.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(fill: u8) -> Vec<u8> {
        vec![fill; 1000]
    }

    #[test]
    fn a_block_is_found_until_it_is_evicted() {
        let cache = BlockCache::new(4 * (1000 + SLOT_OVERHEAD));
        for number in 0..4 {
            let key = BlockKey::new(1, 0, number);
            assert_eq!(cache.read(key, |packed| packed[999]), None);
            cache.insert(key, block(number as u8));
            assert_eq!(cache.read(key, |packed| packed[999]), Some(number as u8));
        }
        assert_eq!(cache.statistics().blocks, 4);
        // All have been asked for, so the hand goes round once and takes the first.
        cache.insert(BlockKey::new(1, 0, 4), block(4));
        assert_eq!(cache.read(BlockKey::new(1, 0, 0), |packed| packed[0]), None);
        assert_eq!(
            cache.read(BlockKey::new(1, 0, 2), |packed| packed[0]),
            Some(2)
        );
        cache.insert(BlockKey::new(1, 0, 5), block(5));
        assert_eq!(
            cache.read(BlockKey::new(1, 0, 2), |packed| packed[0]),
            Some(2),
            "asked for since the hand came by"
        );
        let statistics = cache.statistics();
        assert_eq!((statistics.hits, statistics.misses), (6, 5));
        assert_eq!(statistics.bytes, 4 * (1000 + SLOT_OVERHEAD));
    }

    #[test]
    fn the_budget_holds_and_every_found_block_is_the_right_one() {
        let budget = 4 << 20;
        let cache = BlockCache::new(budget);
        let mut seed = 7u64;
        for _ in 0..100_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (table, side, number) = (
                (seed >> 60) as u32,
                (seed >> 59) as u8 & 1,
                seed >> 33 & 1023,
            );
            let key = BlockKey::new(table, side, number);
            let mark = (u64::from(table) * 131 + u64::from(side) * 17 + number) as u8;
            match cache.read(key, |packed| packed[packed.len() - 1]) {
                Some(found) => assert_eq!(found, mark),
                None => cache.insert(key, vec![mark; 1 + (seed >> 40 & 8191) as usize]),
            }
        }
        let statistics = cache.statistics();
        assert!(statistics.bytes <= budget);
        assert!(statistics.bytes > budget / 2);
        assert_eq!(statistics.hits + statistics.misses, 100_000);
        cache.clear();
        assert_eq!(cache.statistics().blocks, 0);
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let cache = BlockCache::new(0);
        cache.insert(BlockKey::new(0, 0, 0), block(1));
        assert_eq!(cache.statistics().blocks, 0);
    }
}
