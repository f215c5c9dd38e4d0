//! Finding every position that can be reached.
//!
//! Breadth first, a batch at a time. Threads share out the positions of a batch by *source*, a
//! shard or some neighbouring ones, write down what their moves lead to, sorted by the shard it
//! belongs to, and then share out the shards: each adds what was written for it in the order of the
//! sources. Nobody waits for a lock, and positions are numbered the same whatever the number of
//! threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::positions::{Compact, Full, Hashing, Look, Positions, SHARDS, Shard};

/// Positions of a shard that are expanded in one batch, at most and at least.
const BATCH: [usize; 2] = [256, 8];
/// One position in so many is expanded in one batch, so that what shards have for each other stays
/// a small part of the memory.
const SHARE: usize = 256;
/// Sources of small sets, and how large sets are that have one for each shard. What one source has
/// for one shard is then not so little that going from one list to the next takes longer than the
/// lists.
const FEW_SOURCES: usize = 8;
const LARGE: usize = 1 << 22;
/// New positions to expect of one that is expanded; for not going far beyond a limit.
const GROWTH: usize = 8;

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Positions found. Of those without pawns and castling rights, which are the same but for a
    /// symmetry of the board, one is found.
    pub positions: usize,
    /// Positions whose moves have not been looked at yet.
    pub frontier: usize,
    /// Positions whose values have been worked out, once all are found.
    pub solved: usize,
    /// Bytes of memory in use.
    pub memory: usize,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything has been found.
    Complete,
    /// There are as many positions as are allowed.
    Limit,
    /// The caller asked to stop, while positions were sought or while they were solved.
    Stopped,
}

/// Which positions are to be explored after one.
pub trait Successors<P>: Sync {
    /// Names them with their keys, and says what the moves to them are; `is_covered` tells that the
    /// value of the position itself is known.
    fn visit(&self, packed: &P, is_covered: bool, found: impl FnMut(P, u64)) -> Look;
}

/// What one source found for one shard.
type Found<P> = Vec<(P, u64)>;

/// What was found, and what is to be looked at next.
#[derive(Debug)]
pub struct Exploration<P> {
    /// What was found so far.
    pub positions: Positions<P>,
    frontier: usize,
    /// For each shard, where to look for what is to be expanded.
    cursors: Vec<usize>,
    /// The first position if its value is known: it is expanded all the same.
    covered: Option<P>,
    /// Bytes of memory for what shards found for each other.
    messages: usize,
}

impl<P: Compact> Exploration<P> {
    /// Begins with a position, which has the most men.
    pub fn new(packed: P, is_covered: bool, hashing: Hashing) -> Exploration<P> {
        let key = packed.key();
        let mut positions = Positions::new(packed.men() as usize, hashing);
        let shard = &mut positions.shards[hashing.shard(key)];
        // The first position always fits.
        let _ = shard.insert(&packed, key);
        shard.expanded.push(false);
        Exploration {
            positions,
            frontier: 1,
            cursors: vec![0; SHARDS],
            covered: is_covered.then_some(packed),
            messages: 0,
        }
    }

    /// Whether the value of a position that was found is known: that of the first one may be.
    #[inline]
    pub fn is_covered(&self, packed: &P) -> bool {
        self.covered.as_ref() == Some(packed)
    }

    /// How many positions were found whose moves were not looked at.
    pub fn frontier(&self) -> usize {
        self.frontier
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        Progress {
            positions: self.positions.len(),
            frontier: self.frontier,
            solved: 0,
            memory: self.positions.memory() + self.messages,
        }
    }

    /// Goes on until everything is found or there are `limit` positions, or a few more.
    ///
    /// # Errors
    ///
    /// If a shard is full: nothing can be concluded then.
    pub fn run(
        &mut self,
        successors: &impl Successors<P>,
        limit: usize,
        stop: &AtomicBool,
        report: &dyn Fn(Progress),
    ) -> Result<End, Full> {
        let mut found: Vec<Vec<Found<P>>> = vec![vec![Vec::new(); SHARDS]; SHARDS];
        let mut rounds = 0u32;
        while self.frontier > 0 {
            let room = limit.saturating_sub(self.positions.len());
            if room == 0 {
                return Ok(End::Limit);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(End::Stopped);
            }
            let [most, least] = BATCH;
            let share = (self.positions.len() / (SHARE * SHARDS)).clamp(least, most);
            let each = (room / (GROWTH * SHARDS)).clamp(1, share);
            let sources = sources(self.positions.len());
            self.expand(successors, each, &mut found[..sources])?;
            rounds += 1;
            if rounds.is_multiple_of(8) || self.frontier == 0 {
                let found = found.iter().flatten();
                let found: usize = found.map(Vec::capacity).sum();
                self.messages = found * size_of::<(P, u64)>();
                report(self.progress());
            }
        }
        Ok(End::Complete)
    }

    /// Expands so many positions of each shard, if there are as many; so many sources write down
    /// what is found.
    fn expand(
        &mut self,
        successors: &impl Successors<P>,
        each: usize,
        found: &mut [Vec<Found<P>>],
    ) -> Result<(), Full> {
        let hashing = self.positions.hashing();
        // A thread for each shard is not worth while where there is next to nothing to do.
        let is_small = self.frontier.min(each * SHARDS) < 256;
        let grain = if is_small { SHARDS } else { 1 };
        let shards_of_source = SHARDS / found.len();
        let before = self.positions.len();
        let covered = self.covered;
        let expanded: usize = self
            .positions
            .shards
            .par_chunks_mut(shards_of_source)
            .with_min_len(grain)
            .zip(self.cursors.par_chunks_mut(shards_of_source))
            .zip(&mut *found)
            .map(|((shards, cursors), found)| {
                found.iter_mut().for_each(Vec::clear);
                let mut found = |packed, key| found[hashing.shard(key)].push((packed, key));
                let shards = shards.iter_mut().zip(cursors);
                shards
                    .map(|(shard, cursor)| {
                        expand_shard(shard, cursor, successors, covered, each, &mut found)
                    })
                    .sum::<usize>()
            })
            .sum();
        self.positions
            .shards
            .par_iter_mut()
            .with_min_len(grain)
            .enumerate()
            .try_for_each(|(target, shard)| {
                for source in &*found {
                    shard.insert_all(&source[target])?;
                }
                shard.expanded.resize(shard.len(), false);
                Ok(())
            })?;
        self.frontier = self.frontier + (self.positions.len() - before) - expanded;
        Ok(())
    }
}

/// How many sources share the shards of a set of so many positions.
pub fn sources(positions: usize) -> usize {
    if positions < LARGE {
        FEW_SOURCES
    } else {
        SHARDS
    }
}

/// Looks at the moves of the next positions of a shard; how many.
fn expand_shard<P: Compact>(
    shard: &mut Shard<P>,
    cursor: &mut usize,
    successors: &impl Successors<P>,
    covered: Option<P>,
    each: usize,
    mut found: impl FnMut(P, u64),
) -> usize {
    let mut expanded = 0;
    while expanded < each {
        let Some(ahead) = shard.expanded[*cursor..].first_zero() else {
            *cursor = shard.len();
            break;
        };
        let local = *cursor + ahead;
        *cursor = local + 1;
        shard.expanded.set(local, true);
        expanded += 1;
        let packed = shard.get(local);
        shard.looks[local] = successors.visit(&packed, covered == Some(packed), &mut found);
    }
    expanded
}
