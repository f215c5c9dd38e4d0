//! What follows within a level from what is known of it.
//!
//! Distances grow ply by ply. A position that is lost in n plies makes those before it won in n + 1; one that is won takes
//! away a move from those before it, and the last one taken makes them lost. Who comes before is found by taking moves
//! back, so no edges are stored.
//!
//! Threads share out shards as they do in an exploration: they write down what comes before the positions of a shard,
//! sorted by the shard it belongs to, and then each looks up and changes what is in a shard of its own.

use rayon::prelude::*;

use super::explore::Exploration;
use super::packed::Packed;
use super::plane::Plane;
use super::positions::{Id, SHARDS};
use super::unmove::predecessors;
use super::value::State;

/// Positions of a shard that are taken at a time, at most and at least.
const BATCH: [usize; 2] = [128, 8];
/// One position in so many is taken at a time, so that what shards have for each other stays a small part of the memory.
const SHARE: usize = 256;
/// Below so many positions, threads cost more than they save.
pub const ALONE: usize = 2048;

/// Positions by the ply at which they are decided; those of each shard by themselves if threads are to share them.
#[derive(Debug)]
pub struct Schedule {
    lanes: Vec<Lane>,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    plies: Vec<Vec<Id>>,
}

impl Lane {
    #[inline]
    fn add(&mut self, ply: u16, id: Id) {
        let ply = usize::from(ply);
        if ply >= self.plies.len() {
            self.plies.resize_with(ply + 1, Vec::new);
        }
        self.plies[ply].push(id);
    }

    fn take(&mut self, ply: usize) -> Vec<Id> {
        self.plies
            .get_mut(ply)
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

impl Schedule {
    /// Nothing yet; of a level that is so small that one thread does it.
    pub fn new(is_small: bool) -> Schedule {
        let lanes = if is_small { 1 } else { SHARDS };
        Schedule {
            lanes: vec![Lane::default(); lanes],
        }
    }

    /// Adds a position that is decided at a ply.
    pub fn add(&mut self, ply: u16, id: Id) {
        let lane = id.shard() % self.lanes.len();
        self.lanes[lane].add(ply, id);
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        let plies = self.lanes.iter().flat_map(|lane| &lane.plies);
        plies.map(|due| due.capacity() * size_of::<Id>()).sum()
    }

    fn has_more(&self, ply: usize) -> bool {
        self.lanes.iter().any(|lane| ply < lane.plies.len())
    }
}

/// What one shard has for another: positions before its own.
#[derive(Clone, Debug, Default)]
struct Messages {
    before: Vec<(Packed, u64)>,
    /// So many of them, the first ones, come before lost positions.
    lost: usize,
}

/// Carries what is decided through levels.
#[derive(Debug, Default)]
pub struct Propagation {
    /// By the shard they come from and the one they go to.
    messages: Vec<Vec<Messages>>,
    /// The most bytes of memory that were in use so far.
    pub peak_memory: usize,
}

impl Propagation {
    /// Notes how much memory is in use, with `others` bytes elsewhere.
    fn note_memory(&mut self, schedule: &Schedule, due: &[Vec<Id>], others: usize) {
        let due: usize = due.iter().map(|due| due.capacity() * size_of::<Id>()).sum();
        let messages = self.messages.iter().flatten();
        let messages: usize = messages
            .map(|message| message.before.capacity() * size_of::<(Packed, u64)>())
            .sum();
        self.peak_memory = self
            .peak_memory
            .max(schedule.memory() + due + messages + others);
    }

    /// Carries what is decided through a level, ply by ply; there are `others` bytes of other schedules.
    pub fn run(
        &mut self,
        exploration: &Exploration,
        plane: &Plane,
        mut schedule: Schedule,
        others: usize,
    ) {
        let level = LevelPlane { exploration, plane };
        let mut ply = 0;
        while schedule.has_more(ply) {
            let due: Vec<Vec<Id>> = schedule
                .lanes
                .iter_mut()
                .map(|lane| lane.take(ply))
                .collect();
            if due.iter().map(Vec::len).sum::<usize>() < ALONE {
                due.iter()
                    .flatten()
                    .for_each(|&id| level.take_back(id, ply as u16, &mut schedule));
            } else {
                if self.messages.is_empty() {
                    self.messages = vec![vec![Messages::default(); SHARDS]; SHARDS];
                }
                self.note_memory(&schedule, &due, others);
                level.share(due, ply as u16, &mut schedule, &mut self.messages);
            }
            ply += 1;
        }
    }
}

/// One metric of a level.
#[derive(Clone, Copy)]
struct LevelPlane<'a> {
    exploration: &'a Exploration,
    plane: &'a Plane,
}

impl LevelPlane<'_> {
    /// Passes the result of a position on, by one thread.
    fn take_back(self, id: Id, plies: u16, schedule: &mut Schedule) {
        let Some(is_lost) = self.is_lost(id, plies) else {
            return;
        };
        let positions = &self.exploration.positions;
        predecessors(&positions.get(id), |before, key| {
            if let Some(id) = positions.find(&before, key)
                && let Some(ply) = self.pass(id, is_lost, plies)
            {
                schedule.add(ply, id);
            }
        });
    }

    /// Passes the results of positions on, the threads sharing the shards.
    fn share(
        self,
        mut due: Vec<Vec<Id>>,
        plies: u16,
        schedule: &mut Schedule,
        messages: &mut [Vec<Messages>],
    ) {
        // A level that is done alone has one lane; it has no ply that is not.
        debug_assert_eq!(due.len(), SHARDS);
        let [most, least] = BATCH;
        let positions = self.exploration.positions.len();
        let batch = (positions / (SHARE * SHARDS)).clamp(least, most);
        while due.iter().any(|due| !due.is_empty()) {
            due.par_iter_mut()
                .zip(&mut *messages)
                .for_each(|(due, messages)| {
                    let rest = due.len().saturating_sub(batch);
                    self.send(&due[rest..], plies, messages);
                    due.truncate(rest);
                });
            let messages = &*messages;
            schedule
                .lanes
                .par_iter_mut()
                .enumerate()
                .for_each(|(shard, lane)| {
                    for source in messages {
                        self.receive(shard, &source[shard], plies, lane);
                    }
                });
        }
    }

    /// Whether a position is lost or won at this ply; nothing if it was decided before.
    #[inline]
    fn is_lost(self, id: Id, plies: u16) -> Option<bool> {
        let state = self.plane.state(id);
        if state == State::lost(plies) {
            Some(true)
        } else if state == State::won(plies) {
            Some(false)
        } else {
            None
        }
    }

    /// Writes down what comes before positions that are decided at this ply.
    fn send(self, due: &[Id], plies: u16, messages: &mut [Messages]) {
        let positions = &self.exploration.positions;
        let hashing = positions.hashing();
        for message in &mut *messages {
            message.before.clear();
        }
        for wanted in [true, false] {
            for &id in due {
                if self.is_lost(id, plies) == Some(wanted) {
                    predecessors(&positions.get(id), |before, key| {
                        messages[hashing.shard(key)].before.push((before, key));
                    });
                }
            }
            if wanted {
                for message in &mut *messages {
                    message.lost = message.before.len();
                }
            }
        }
    }

    /// Passes results to the positions of a shard.
    fn receive(self, shard: usize, messages: &Messages, plies: u16, lane: &mut Lane) {
        let (lost, won) = messages.before.split_at(messages.lost);
        for (before, is_lost) in [(lost, true), (won, false)] {
            for (before, key) in before {
                if let Some(local) = self.exploration.positions.shards[shard].find(before, *key) {
                    let id = Id::new(shard, local);
                    if let Some(ply) = self.pass(id, is_lost, plies) {
                        lane.add(ply, id);
                    }
                }
            }
        }
    }

    /// Passes the result of a position, lost or won in so many plies, to one before it; the ply at which that is decided
    /// if it is sooner than was known.
    #[inline]
    fn pass(self, id: Id, is_lost: bool, plies: u16) -> Option<u16> {
        // What is not explored stays what it counts as.
        if self.exploration.frontier() > 0 && !self.exploration.positions.is_expanded(id) {
            return None;
        }
        let next = plies + 1;
        match is_lost {
            true => self.plane.improve(id, State::won(next)).then_some(next),
            false => self.plane.lose_move(id, next),
        }
    }
}
