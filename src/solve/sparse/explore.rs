//! Finding every position that can be reached.
//!
//! Breadth first, a batch at a time. Threads share out the positions of a batch by shard, write down what their moves lead to,
//! sorted by the shard it belongs to, and then share out the shards: each adds what was written for it in the order of
//! the sources. Nobody waits for a lock, and positions are numbered the same whatever the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::packed::Packed;
use super::positions::{Full, Hashing, Positions, SHARDS, Shard};
use super::rules::{Next, Rules};
use crate::game::chess::Position;

/// Positions of a shard that are expanded in one batch, at most and at least.
const BATCH: [usize; 2] = [256, 8];
/// One position in so many is expanded in one batch, so that what shards have for each other stays a small part of the
/// memory.
const SHARE: usize = 256;
/// New positions to expect of one that is expanded; for not going far beyond a limit.
const GROWTH: usize = 8;

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Positions found.
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

/// What one shard found for another.
type Found = Vec<(Packed, u64)>;

/// What was found, and what is to be looked at next.
#[derive(Debug)]
pub struct Exploration {
    /// What was found so far.
    pub positions: Positions,
    frontier: usize,
    /// For each shard, where to look for what is to be expanded.
    cursors: Vec<usize>,
    /// The first position if its value is known: it is expanded all the same.
    covered: Option<Packed>,
    /// Bytes of memory for what shards found for each other.
    messages: usize,
}

impl Exploration {
    /// Begins with a position.
    pub fn new(root: &Position, rules: &Rules<'_>, hashing: Hashing) -> Exploration {
        let packed = Packed::new(root);
        let key = packed.key();
        let men = root.occupied().count_ones() as usize;
        let mut positions = Positions::new(men, hashing);
        let shard = &mut positions.shards[hashing.shard(key)];
        // The first position always fits.
        let _ = shard.insert(&packed, key);
        shard.expanded.push(false);
        Exploration {
            positions,
            frontier: 1,
            cursors: vec![0; SHARDS],
            covered: rules.covers(root).then_some(packed),
            messages: 0,
        }
    }

    /// Whether the value of a position that was found is known: that of the first one may be.
    #[inline]
    pub fn is_covered(&self, packed: &Packed) -> bool {
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
        rules: &Rules<'_>,
        limit: usize,
        stop: &AtomicBool,
        report: &dyn Fn(Progress),
    ) -> Result<End, Full> {
        let mut found: Vec<Vec<Found>> = vec![vec![Vec::new(); SHARDS]; SHARDS];
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
            self.expand(rules, each, &mut found)?;
            rounds += 1;
            if rounds.is_multiple_of(8) || self.frontier == 0 {
                let found = found.iter().flatten();
                let found: usize = found.map(Vec::capacity).sum();
                self.messages = found * size_of::<(Packed, u64)>();
                report(self.progress());
            }
        }
        Ok(End::Complete)
    }

    /// Expands so many positions of each shard, if there are as many.
    fn expand(
        &mut self,
        rules: &Rules<'_>,
        each: usize,
        found: &mut [Vec<Found>],
    ) -> Result<(), Full> {
        let hashing = self.positions.hashing();
        // A thread for each shard is not worth while where there is next to nothing to do.
        let grain = if self.frontier.min(each * SHARDS) < 256 {
            SHARDS
        } else {
            1
        };
        let before = self.positions.len();
        let covered = self.covered;
        let expanded: usize = self
            .positions
            .shards
            .par_iter_mut()
            .with_min_len(grain)
            .zip(&mut self.cursors)
            .zip(&mut *found)
            .map(|((shard, cursor), found)| {
                found.iter_mut().for_each(Vec::clear);
                expand_shard(shard, cursor, rules, covered, each, |packed, key| {
                    found[hashing.shard(key)].push((packed, key));
                })
            })
            .sum();
        self.positions
            .shards
            .par_iter_mut()
            .with_min_len(grain)
            .enumerate()
            .try_for_each(|(target, shard)| {
                for source in &*found {
                    for (packed, key) in &source[target] {
                        shard.insert(packed, *key)?;
                    }
                }
                shard.expanded.resize(shard.len(), false);
                Ok(())
            })?;
        self.frontier = self.frontier + (self.positions.len() - before) - expanded;
        Ok(())
    }
}

/// Looks at the moves of the next positions of a shard; how many.
fn expand_shard(
    shard: &mut Shard,
    cursor: &mut usize,
    rules: &Rules<'_>,
    covered: Option<Packed>,
    each: usize,
    mut found: impl FnMut(Packed, u64),
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
        let position = packed.unpack();
        let is_covered = covered == Some(packed);
        for m in &position.legal_moves() {
            if rules.allows(&position, m)
                && matches!(rules.next(&position, m, is_covered), Next::Inside)
            {
                let (next, key) = packed.after(&position, m);
                found(next, key);
            }
        }
    }
    expanded
}
