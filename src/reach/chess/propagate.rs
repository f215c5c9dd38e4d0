//! What follows within a level from what is known of it.
//!
//! Distances grow ply by ply. A position that is lost in n plies makes those before it won in n +
//! 1; one that is won takes away a move from those before it, and the last one taken makes them
//! lost. Who comes before is found by taking moves back, so no edges are stored. What is decided at
//! a ply is found by looking through the states of the level, so there are no lists of it either.
//!
//! Threads share out shards as they do in an exploration: they write down what comes before the
//! positions of some shards, sorted by the shard it belongs to, and then each looks up and changes
//! what is in a shard of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::Exploration;
use super::packed::Packed;
use super::plane::Plane;
use super::state::State;
use super::unmove::predecessors;
use crate::reach::explore::sources;
use crate::reach::positions::{Id, Run, SHARDS};

/// Positions of a shard that are taken at a time, at most and at least.
const BATCH: [usize; 2] = [128, 8];
/// One position in so many is taken at a time, so that what shards have for each other stays a
/// small part of the memory.
const SHARE: usize = 512;
/// Below so many positions, threads cost more than they save.
pub const ALONE: usize = 2048;

/// What one source has for one shard: positions before its own.
#[derive(Clone, Debug, Default)]
struct Messages {
    before: Vec<(Packed, u64)>,
    /// So many of them, the first ones, come before lost positions.
    lost: usize,
}

/// Some neighbouring shards whose positions are passed on.
#[derive(Clone, Debug)]
struct Source {
    /// Of each shard, positions of the level that have not been looked through for the ply.
    rest: Vec<Run>,
    /// Those that are passed on next.
    due: Vec<Id>,
    /// By the shard they go to.
    messages: Vec<Messages>,
}

/// Carries what is decided through levels.
#[derive(Debug)]
pub struct Propagation<'a> {
    exploration: &'a Exploration,
    cancel: &'a AtomicBool,
    sources: Vec<Source>,
}

impl<'a> Propagation<'a> {
    /// Until `cancel` is set.
    pub fn new(exploration: &'a Exploration, cancel: &'a AtomicBool) -> Propagation<'a> {
        Propagation {
            exploration,
            cancel,
            sources: Vec::new(),
        }
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        let messages = self.sources.iter().flat_map(|source| &source.messages);
        let messages: usize = messages
            .map(|messages| messages.before.capacity() * size_of::<(Packed, u64)>())
            .sum();
        messages + self.sources.len() * SHARDS * size_of::<Messages>()
    }

    /// Carries what is decided through a level, ply by ply; whether to the end.
    pub fn run(&mut self, plane: &Plane, runs: &[Run]) -> bool {
        let level = LevelPlane {
            exploration: self.exploration,
            plane,
        };
        if runs.iter().map(Run::len).sum::<usize>() < ALONE {
            level.run_alone(runs, self.cancel)
        } else {
            self.run_shared(level, runs)
        }
    }

    fn run_shared(&mut self, level: LevelPlane<'_>, runs: &[Run]) -> bool {
        let positions = self.exploration.positions.len();
        if self.sources.is_empty() {
            let source = Source {
                rest: Vec::new(),
                due: Vec::new(),
                messages: vec![Messages::default(); SHARDS],
            };
            self.sources = vec![source; sources(positions)];
        }
        let shards_of_source = SHARDS / self.sources.len();
        let [most, least] = BATCH;
        let batch = (positions / (SHARE * SHARDS)).clamp(least, most);
        let last = runs.par_iter().map(|&run| level.last_ply(run)).max();
        let mut last = last.flatten();
        let mut ply = 0;
        while last.is_some_and(|last| ply <= last) {
            for &run in runs {
                self.sources[run.shard / shards_of_source].rest.push(run);
            }
            loop {
                if self.cancel.load(Ordering::Relaxed) {
                    return false;
                }
                let sent: usize = self
                    .sources
                    .par_iter_mut()
                    .map(|source| level.send(source, ply, batch))
                    .sum();
                if sent == 0 {
                    break;
                }
                let sources = &self.sources;
                let latest = (0..SHARDS).into_par_iter().map(|shard| {
                    let messages = sources.iter().map(|source| &source.messages[shard]);
                    messages
                        .filter_map(|messages| level.receive(shard, messages, ply))
                        .max()
                });
                last = last.max(latest.max().flatten());
            }
            ply += 1;
        }
        true
    }
}

/// One metric of a level.
#[derive(Clone, Copy)]
struct LevelPlane<'a> {
    exploration: &'a Exploration,
    plane: &'a Plane,
}

impl LevelPlane<'_> {
    /// The ply at which the last one of some positions is decided, as far as is known.
    fn last_ply(self, run: Run) -> Option<u16> {
        let decided = run.ids().filter_map(|id| self.plane.state(id).as_decided());
        decided.max()
    }

    /// Carries what is decided through a level, by one thread; whether to the end.
    fn run_alone(self, runs: &[Run], cancel: &AtomicBool) -> bool {
        let mut due: Vec<Vec<Id>> = Vec::new();
        let add = |due: &mut Vec<Vec<Id>>, ply: u16, id: Id| {
            let ply = usize::from(ply);
            if ply >= due.len() {
                due.resize_with(ply + 1, Vec::new);
            }
            due[ply].push(id);
        };
        for id in runs.iter().flat_map(|run| run.ids()) {
            if let Some(ply) = self.plane.state(id).as_decided() {
                add(&mut due, ply, id);
            }
        }
        let mut ply = 0;
        while usize::from(ply) < due.len() {
            if cancel.load(Ordering::Relaxed) {
                return false;
            }
            for id in std::mem::take(&mut due[usize::from(ply)]) {
                // It may have been decided sooner.
                let state = self.plane.state(id);
                if state.as_decided() == Some(ply) {
                    let is_lost = state.as_lost().is_some();
                    self.take_back(id, is_lost, ply, |next, before| add(&mut due, next, before));
                }
            }
            ply += 1;
        }
        true
    }

    /// Passes the result of a position on.
    fn take_back(self, id: Id, is_lost: bool, plies: u16, mut decided: impl FnMut(u16, Id)) {
        let positions = &self.exploration.positions;
        predecessors(&positions.get(id), |before, key| {
            if let Some(before) = positions.find(&before, key)
                && let Some(ply) = self.pass(before, is_lost, plies)
            {
                decided(ply, before);
            }
        });
    }

    /// Writes down what comes before the next positions of shards, `batch` of each, that are
    /// decided at this ply; how many they are.
    fn send(self, source: &mut Source, plies: u16, batch: usize) -> usize {
        let Source {
            rest,
            due,
            messages,
        } = source;
        let positions = &self.exploration.positions;
        let hashing = positions.hashing();
        due.clear();
        for message in &mut *messages {
            message.before.clear();
            message.lost = 0;
        }
        rest.retain_mut(|run| {
            self.plane.next_decided(run, plies, batch, due);
            run.len() > 0
        });
        for wanted in [true, false] {
            for &id in &*due {
                if self.plane.state(id).as_lost().is_some() == wanted {
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
        due.len()
    }

    /// Passes results to the positions of a shard; the latest ply at which one of them is decided.
    fn receive(self, shard: usize, messages: &Messages, plies: u16) -> Option<u16> {
        let (lost, won) = messages.before.split_at(messages.lost);
        let mut latest = None;
        let positions = &self.exploration.positions.shards[shard];
        for (before, is_lost) in [(lost, true), (won, false)] {
            positions.find_all(before, |local| {
                latest = latest.max(self.pass(Id::new(shard, local), is_lost, plies));
            });
        }
        latest
    }

    /// Passes the result of a position, lost or won in so many plies, to one before it; the ply at
    /// which that is decided if it is sooner than was known.
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
