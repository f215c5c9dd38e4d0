//! The positions that were met, found by their Zobrist keys.
//!
//! The table is cut into shards by bits of the key, so that many threads can add positions at once,
//! each to shards of its own. A shard keeps its positions one after the other, packed, and finds
//! them by a hash table of 32-bit slots: 24 bits say which position it is, eight more bits of the
//! key tell most others apart without looking at them. What looks the same is then compared as a
//! whole, so two positions with one key are two positions.

use std::marker::PhantomData;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::game::Color;

/// How many shards there are.
pub const SHARDS: usize = 64;
/// Bits of a position's number within its shard.
const LOCAL: u32 = 24;
const LOCAL_MASK: u32 = (1 << LOCAL) - 1;
/// The most positions of a shard: a slot holds one more than the number, and 0 if it is empty.
const MAX_POSITIONS: u32 = LOCAL_MASK;
const MIN_SLOTS: usize = 16;
/// Shards that are sorted at a time: each needs room for a copy.
const SORTED_AT_ONCE: usize = 16;

/// Positions that are looked for side by side, so that what one waits for from memory the others do
/// not wait for again.
const SIDE_BY_SIDE: usize = 16;

/// As many bytes as a position of any game takes, or more.
pub const ROOM: usize = size_of::<Words>();

/// The bytes of a position, the first ones lowest.
pub type Words = [u64; 4];

/// A position in as few bytes as its men need: what distinguishes it, and nothing else.
pub trait Compact: Copy + Eq + Default + Send + Sync + std::fmt::Debug {
    /// What it packs.
    type Position;

    /// Moves lead to the same level or to lower ones; those that can be taken back stay.
    type Level: Copy + Ord + Send + Sync + std::fmt::Debug;

    /// How many bytes a position with at most so many men takes.
    fn bytes(men: usize) -> usize;

    /// A position that is canonical: see [`Reach::canonical`](super::Reach::canonical).
    fn new(position: &Self::Position) -> Self;

    /// The position, with counters of a new game.
    fn unpack(&self) -> Self::Position;

    /// The position, if it is one that [`new`](Self::new) has packed: for what is read from files.
    fn position(&self) -> Option<Self::Position>;

    /// The one of those that are the same but for a symmetry of the board that stands for all.
    #[must_use]
    fn normal_form(self) -> Self {
        self
    }

    /// How many positions a normal form stands for.
    fn images(&self) -> u64 {
        1
    }

    /// The side to move.
    fn turn(&self) -> Color;

    /// How many men there are.
    fn men(&self) -> u32;

    /// All bytes; those behind [`bytes`](Self::bytes) are zero.
    fn words(&self) -> Words;

    /// The position that has these bytes.
    fn from_words(words: Words) -> Self;

    /// The Zobrist key.
    fn key(&self) -> u64;

    /// The level.
    fn level(&self) -> Self::Level;

    /// The position in bytes, of which the first [`bytes`](Self::bytes) are all there is. Positions
    /// are in the order of these bytes in files.
    fn to_key(&self) -> [u8; ROOM] {
        let mut words = self.words();
        words[0] = words[0].swap_bytes();
        let mut key = [0; ROOM];
        for (bytes, word) in key.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        key
    }

    /// What [`to_key`](Self::to_key) wrote, or as much as there is of it.
    fn from_key(key: &[u8]) -> Self {
        let mut padded = [0; ROOM];
        let len = key.len().min(ROOM);
        padded[..len].copy_from_slice(&key[..len]);
        let mut words = Words::default();
        for (word, bytes) in words.iter_mut().zip(padded.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words[0] = words[0].swap_bytes();
        Self::from_words(words)
    }
}

/// What the moves of a position are, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look(u8);

impl Look {
    /// Some lead to other levels or to what is known, there are none, or nobody has looked.
    pub const AGAIN: Look = Look(u8::MAX);

    /// So many, all of which lead to the same level.
    pub fn all_stay(moves: usize) -> Look {
        match u8::try_from(moves) {
            Ok(moves @ 1..) => Look(moves),
            _ => Look::AGAIN,
        }
    }

    /// How many there are, if all lead to the same level.
    #[inline]
    pub fn moves(self) -> Option<u8> {
        (self != Look::AGAIN).then_some(self.0)
    }
}

/// Where a position is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u32);

impl Id {
    /// The position of that number in that shard.
    #[inline]
    pub fn new(shard: usize, local: u32) -> Id {
        Id((shard as u32) << LOCAL | local)
    }

    /// The shard.
    #[inline]
    pub fn shard(self) -> usize {
        (self.0 >> LOCAL) as usize
    }

    /// The number in the shard.
    #[inline]
    pub fn local(self) -> usize {
        (self.0 & LOCAL_MASK) as usize
    }
}

/// Positions of one shard that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The shard.
    pub shard: usize,
    /// The number of the first one.
    pub start: u32,
    /// One more than the number of the last one.
    pub end: u32,
}

impl Run {
    /// How many there are.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// All of them.
    #[inline]
    pub fn ids(self) -> impl Iterator<Item = Id> {
        (self.start..self.end).map(move |local| Id::new(self.shard, local))
    }

    /// The same in parts of so many at most.
    pub fn parts(self, most: u32) -> impl Iterator<Item = Run> {
        (self.start..self.end)
            .step_by(most as usize)
            .map(move |start| Run {
                start,
                end: self.end.min(start + most),
                ..self
            })
    }
}

/// How a key finds its place.
#[derive(Clone, Copy, Debug)]
pub struct Hashing {
    /// Which bits of the key count.
    mask: u64,
}

impl Hashing {
    /// Only the bits of `mask` count: all of them, unless collisions are wanted.
    pub fn new(mask: u64) -> Hashing {
        Hashing { mask }
    }

    /// The key in a form of which every part depends on all bits that count.
    #[inline]
    fn hash(self, key: u64) -> u64 {
        let mixed = (key & self.mask).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    }

    /// The shard of a key.
    #[inline]
    pub fn shard(self, key: u64) -> usize {
        (self.hash(key) >> 58) as usize % SHARDS
    }
}

/// What would not fit into a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The positions whose keys belong to one shard.
#[derive(Clone, Debug)]
pub struct Shard<P> {
    /// Bytes from one position to the next.
    stride: usize,
    /// Which bits of the words at a position belong to it.
    mask: Words,
    hashing: Hashing,
    /// The positions, and behind them room for the words of one more.
    bytes: Vec<u8>,
    len: u32,
    slots: Vec<u32>,
    /// Positions whose moves have been looked at.
    pub expanded: BitVec,
    /// What was found by that, as far as it will be needed again.
    pub looks: Vec<Look>,
    of: PhantomData<P>,
}

impl<P: Compact> Shard<P> {
    fn new(men: usize, hashing: Hashing) -> Shard<P> {
        let stride = P::bytes(men);
        Shard {
            stride,
            mask: first_bytes(stride),
            hashing,
            bytes: vec![0; ROOM],
            len: 0,
            slots: vec![0; MIN_SLOTS],
            expanded: BitVec::new(),
            looks: Vec::new(),
            of: PhantomData,
        }
    }

    /// How many positions there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        let beside = self.expanded.capacity() / 8 + self.looks.capacity();
        self.bytes.capacity() + 4 * self.slots.capacity() + beside
    }

    /// The position of a number below [`len`](Self::len).
    #[inline]
    pub fn get(&self, local: usize) -> P {
        P::from_words(self.words(local))
    }

    #[inline]
    fn words(&self, local: usize) -> Words {
        let at = local * self.stride;
        let mut words = Words::default();
        // No more than are needed, for the sake of the cache lines they lie in. What the mask
        // leaves out belongs to the next position, or is the room behind the last one.
        let bytes = self.bytes[at..at + ROOM].as_chunks().0;
        let used = self.stride.div_ceil(size_of::<u64>());
        for ((word, bytes), mask) in words.iter_mut().zip(bytes).zip(self.mask).take(used) {
            *word = u64::from_le_bytes(*bytes) & mask;
        }
        words
    }

    /// The slot of a position, or the empty one where it belongs.
    #[inline]
    fn slot(&self, words: Words, hash: u64) -> (usize, Option<u32>) {
        let tag = tag(hash);
        let last = self.slots.len() - 1;
        let mut at = hash as usize & last;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return (at, None);
            }
            if slot & !LOCAL_MASK == tag {
                let local = (slot & LOCAL_MASK) - 1;
                if self.words(local as usize) == words {
                    return (at, Some(local));
                }
            }
            at = (at + 1) & last;
        }
    }

    /// Looks at the first slot where each of some positions may be, at most [`SIDE_BY_SIDE`].
    ///
    /// Nothing here waits for what was loaded before it, so all of it is loaded at once.
    #[inline]
    fn first_slots(&self, wanted: &[(P, u64)]) -> [First; SIDE_BY_SIDE] {
        let last = self.slots.len() - 1;
        let mut slots = [0; SIDE_BY_SIDE];
        for (slot, (_, key)) in slots.iter_mut().zip(wanted) {
            *slot = self.slots[self.hashing.hash(*key) as usize & last];
        }
        let mut firsts = [First::Empty; SIDE_BY_SIDE];
        for ((first, slot), (packed, key)) in firsts.iter_mut().zip(slots).zip(wanted) {
            // The bytes of an empty slot do not matter, but there are some.
            let local = (slot & LOCAL_MASK).saturating_sub(1);
            let is_same = self.words(local as usize) == packed.words();
            *first = match slot {
                0 => First::Empty,
                slot if is_same && slot & !LOCAL_MASK == tag(self.hashing.hash(*key)) => {
                    First::Found(local)
                }
                _ => First::Other,
            };
        }
        firsts
    }

    /// Calls `found` with the numbers of those of some positions with their keys that are there, in
    /// order.
    #[inline]
    pub fn find_all(&self, wanted: &[(P, u64)], mut found: impl FnMut(u32)) {
        for wanted in wanted.chunks(SIDE_BY_SIDE) {
            for (first, (packed, key)) in self.first_slots(wanted).into_iter().zip(wanted) {
                let local = match first {
                    First::Empty => None,
                    First::Found(local) => Some(local),
                    First::Other => self.find(packed, *key),
                };
                if let Some(local) = local {
                    found(local);
                }
            }
        }
    }

    /// The number of a position with its key.
    #[inline]
    pub fn find(&self, packed: &P, key: u64) -> Option<u32> {
        self.slot(packed.words(), self.hashing.hash(key)).1
    }

    /// Adds those of some positions with their keys that are not there yet, in order.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_all(&mut self, new: &[(P, u64)]) -> Result<(), Full> {
        for new in new.chunks(SIDE_BY_SIDE) {
            for (first, (packed, key)) in self.first_slots(new).into_iter().zip(new) {
                // What is there stays; what was not may have been added since.
                if !matches!(first, First::Found(_)) {
                    self.insert(packed, *key)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a position unless it is there; whether it is new.
    ///
    /// # Errors
    ///
    /// If there are as many as a slot can name.
    #[inline]
    pub fn insert(&mut self, packed: &P, key: u64) -> Result<bool, Full> {
        let (words, hash) = (packed.words(), self.hashing.hash(key));
        let (at, found) = self.slot(words, hash);
        if found.is_some() {
            return Ok(false);
        }
        if self.len >= MAX_POSITIONS {
            return Err(Full);
        }
        self.slots[at] = tag(hash) | (self.len + 1);
        self.push(words);
        if 4 * self.len() >= 3 * self.slots.len() {
            self.rehash(2 * self.slots.len());
        }
        Ok(true)
    }

    fn push(&mut self, words: Words) {
        // Doubling would leave half of the memory unused.
        let more = (self.len() / 8).max(64);
        if self.bytes.len() + self.stride > self.bytes.capacity() {
            self.bytes.reserve_exact(more * self.stride);
        }
        if self.looks.len() == self.looks.capacity() {
            self.looks.reserve_exact(more);
        }
        self.looks.push(Look::AGAIN);
        let at = self.len() * self.stride;
        self.bytes.resize(self.bytes.len() + self.stride, 0);
        // What is written behind the position is zero, as what is there.
        let room = self.bytes[at..at + ROOM].as_chunks_mut().0;
        for (bytes, word) in room.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        self.len += 1;
    }

    /// Makes the slots anew.
    fn rehash(&mut self, slots: usize) {
        // The old ones are given back before the new ones are asked for.
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        for local in 0..self.len {
            let hash = self.hashing.hash(self.get(local as usize).key());
            let mut at = hash as usize & (slots - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = tag(hash) | (local + 1);
        }
    }

    /// Sorts the positions by level, keeping the order within a level, and says where each level
    /// begins.
    pub fn sort_by_level(&mut self) -> Vec<(P::Level, u32)> {
        let mut order: Vec<(P::Level, u32)> = (0..self.len)
            .map(|local| (self.get(local as usize).level(), local))
            .collect();
        order.sort_unstable();
        let mut starts: Vec<(P::Level, u32)> = Vec::new();
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut expanded = BitVec::with_capacity(self.expanded.len());
        let mut looks = Vec::with_capacity(self.looks.len());
        let mut moved = vec![0; self.len()];
        for (&(level, old), new) in order.iter().zip(0..) {
            if starts.last().is_none_or(|&(last, _)| last != level) {
                starts.push((level, new));
            }
            let at = old as usize * self.stride;
            bytes.extend_from_slice(&self.bytes[at..at + self.stride]);
            expanded.push(self.is_expanded(old as usize));
            looks.push(self.looks[old as usize]);
            moved[old as usize] = new;
        }
        bytes.resize(self.bytes.len(), 0);
        self.bytes = bytes;
        self.expanded = expanded;
        self.looks = looks;
        for slot in &mut self.slots {
            if *slot != 0 {
                let old = (*slot & LOCAL_MASK) - 1;
                *slot = (*slot & !LOCAL_MASK) | (moved[old as usize] + 1);
            }
        }
        starts
    }

    /// Whether the moves of a position have been looked at.
    #[inline]
    pub fn is_expanded(&self, local: usize) -> bool {
        self.expanded.get(local).as_deref() == Some(&true)
    }
}

/// What the first slot says where a position may be.
#[derive(Clone, Copy)]
enum First {
    /// It is not there.
    Empty,
    /// It has this number.
    Found(u32),
    /// Another one is in its place.
    Other,
}

/// The bits of so many bytes.
fn first_bytes(count: usize) -> Words {
    std::array::from_fn(|word| {
        let bits = 8 * count.saturating_sub(8 * word).min(8) as u32;
        u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
    })
}

#[inline]
fn tag(hash: u64) -> u32 {
    ((hash >> 50) as u32) << LOCAL
}

/// All positions.
#[derive(Clone, Debug)]
pub struct Positions<P> {
    hashing: Hashing,
    /// By bits of the key.
    pub shards: Vec<Shard<P>>,
}

/// Of each level, lowest first, the positions by shard.
pub type Levels<L> = Vec<(L, Vec<Run>)>;

impl<P: Compact> Positions<P> {
    /// No position yet, none with more than so many men.
    pub fn new(men: usize, hashing: Hashing) -> Positions<P> {
        Positions {
            hashing,
            shards: vec![Shard::new(men, hashing); SHARDS],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.shards.iter().map(Shard::memory).sum()
    }

    /// Sorts positions by level and says where those of each level are, lowest first.
    pub fn sort_by_level(&mut self) -> Levels<P::Level> {
        let mut starts: Vec<Vec<(P::Level, u32)>> = Vec::new();
        for shards in self.shards.chunks_mut(SORTED_AT_ONCE) {
            let sorted = shards.par_iter_mut().map(|shard| shard.sort_by_level());
            starts.extend(sorted.collect::<Vec<_>>());
        }
        let mut all: Vec<P::Level> = starts.iter().flatten().map(|&(level, _)| level).collect();
        all.sort_unstable();
        all.dedup();
        let mut next = vec![0; starts.len()];
        all.into_iter()
            .map(|level| {
                let mut runs = Vec::new();
                for (shard, (starts, next)) in starts.iter().zip(&mut next).enumerate() {
                    let Some(&(_, start)) = starts.get(*next).filter(|start| start.0 == level)
                    else {
                        continue;
                    };
                    *next += 1;
                    let end = match starts.get(*next) {
                        Some(&(_, end)) => end,
                        None => self.shards[shard].len() as u32,
                    };
                    runs.push(Run { shard, start, end });
                }
                (level, runs)
            })
            .collect()
    }

    /// How keys find their places.
    pub fn hashing(&self) -> Hashing {
        self.hashing
    }

    /// The position of a place.
    #[inline]
    pub fn get(&self, id: Id) -> P {
        self.shards[id.shard()].get(id.local())
    }

    /// What the moves of a position are, if they have been looked at.
    #[inline]
    pub fn look(&self, id: Id) -> Look {
        self.shards[id.shard()].looks[id.local()]
    }

    /// Whether the moves of a position have been looked at.
    #[inline]
    pub fn is_expanded(&self, id: Id) -> bool {
        self.shards[id.shard()].is_expanded(id.local())
    }

    /// Where a position with its key is.
    #[inline]
    pub fn find(&self, packed: &P, key: u64) -> Option<Id> {
        let shard = self.hashing.shard(key);
        let local = self.shards[shard].find(packed, key)?;
        Some(Id::new(shard, local))
    }
}

/// Bytes of a position of so many men while positions are sought: what it is and what its moves
/// are, with an eighth of room to grow; slots, of which few are in use after growing; whether it
/// was looked at.
pub fn bytes_to_find<P: Compact>(men: u32) -> [f64; 2] {
    let packed = 1.0 + P::bytes(men as usize) as f64;
    [packed, 4.0 / 0.375 + 0.25]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::rules::Position;
    use crate::reach::chess::Packed;

    #[test]
    fn positions_with_the_same_key_are_told_apart() {
        let position = Position::from_fen("8/8/3k4/8/8/3K4/3R4/8 w - - 0 1").unwrap();
        let packed = Packed::new(&position);
        // Every key is the same.
        let mut positions: Positions<Packed> = Positions::new(3, Hashing::new(0));
        let shard = positions.hashing().shard(position.key());
        let moves = position.legal_moves();
        let after: Vec<(Packed, u64)> = moves
            .into_iter()
            .map(|m| packed.after(&position, m))
            .collect();
        for (next, key) in &after {
            assert_eq!(positions.shards[shard].insert(next, *key), Ok(true));
        }
        for (next, key) in &after {
            assert_eq!(positions.shards[shard].insert(next, *key), Ok(false));
        }
        assert_eq!(positions.len(), after.len());
        for ((next, key), local) in after.iter().zip(0..) {
            let id = positions.find(next, *key).unwrap();
            assert_eq!(id, Id::new(shard, local));
            assert_eq!(positions.get(id), *next);
        }
        assert_eq!(positions.find(&packed, position.key()), None);
    }
}
