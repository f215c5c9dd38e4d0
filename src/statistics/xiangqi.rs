//! Counting the positions of a material of xiangqi.
//!
//! As in chess, positions are gone through a word at a time, here over the squares of one attacker,
//! and again both the solver and files have words. Left and right are the only symmetry. Of a camp
//! and its mirror image one side has one only, so a position stands for two; where that camp is its
//! own mirror image, both mirror images of the rest are there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;

use super::Kind;
use crate::game::Bits;
use crate::metric::MateScore;
use crate::table::{Count, SideStatistics, Statistics, Zugzwangs};
use crate::xiangqi::{IndexSpace, Metric, Placement};

/// What is known of the positions of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Word {
    /// Positions of the full board for each one that is counted.
    pub weight: u64,
    /// All men on squares of their own; one of the orders of identical men.
    pub counted: u128,
    /// By side to move.
    pub sides: [Sets; 2],
}

/// What is known of them with one side to move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sets {
    pub legal: u128,
    pub won: u128,
    pub lost: u128,
    /// Lost because there is no move.
    pub stuck: u128,
}

impl Sets {
    fn drawn(&self) -> u128 {
        self.legal & !self.won & !self.lost
    }
}

/// The words of a material.
pub(crate) trait Words: Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// What is known of one.
    fn word(&self, address: usize) -> Word;
    /// The number of a decided position in the file that is counted for.
    fn number(&self, side: usize, address: usize, bit: u32) -> u8;
    /// Where the men of a position stand.
    fn placement(&self, address: usize, bit: u32) -> Placement;
}

/// Words that are counted together.
const CHUNK: usize = 1 << 10;

/// Counts what the file of a metric says of all its values. `listed` positions are named of each
/// kind, at most.
///
/// `go_on` is told which words are done and says whether to go on; else there is nothing.
pub(crate) fn count(
    words: &impl Words,
    space: &IndexSpace,
    metric: Metric,
    listed: usize,
    go_on: &(dyn Fn(Range<usize>) -> bool + Sync),
) -> Option<Statistics> {
    let of_chunk = |range: Range<usize>| {
        let mut tally = Tally::new(listed);
        for address in range.clone() {
            tally.add(words, space, metric, address);
        }
        go_on(range).then_some(tally)
    };
    let both = |one: Tally, other: Tally| Some(one.merge(other));
    let tally = (chunks(words).map(of_chunk)).try_reduce(|| Tally::new(listed), both)?;
    let mut statistics = Statistics {
        sides: tally.sides.each_ref().map(|side| side.statistics(metric)),
        zugzwangs: match metric {
            Metric::Wdl => tally.zugzwangs.into_iter().map(Found::into).collect(),
            _ => Vec::new(),
        },
    };
    if matches!(metric, Metric::Dtc | Metric::Dtm) {
        for (side, statistics) in statistics.sides.iter_mut().enumerate() {
            let plies = statistics.longest_win();
            if plies > 0 {
                let number = number_of(metric, plies);
                statistics.longest = longest(words, space, side, number, listed);
            }
        }
    }
    Some(statistics)
}

fn chunks(words: &impl Words) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let len = words.len();
    let chunks = (0..len.div_ceil(CHUNK)).into_par_iter();
    chunks.map(move |chunk| chunk * CHUNK..len.min((chunk + 1) * CHUNK))
}

/// Indices of the first wins that have a number.
fn longest(
    words: &impl Words,
    space: &IndexSpace,
    side: usize,
    number: u8,
    listed: usize,
) -> Vec<u64> {
    let of_chunk = |range: Range<usize>| {
        let mut found = Found::new(listed);
        for address in range {
            let word = words.word(address);
            for bit in (word.sides[side].won & word.counted).ones() {
                if words.number(side, address, bit) == number {
                    let index = space.index(&words.placement(address, bit));
                    found.list(index.map(|(index, _)| index));
                }
            }
        }
        found
    };
    let found = (chunks(words).map(of_chunk)).reduce(|| Found::new(listed), Found::merge);
    found.first.into_iter().collect()
}

/// The plies or the round that a number of a decided position means.
fn plies_of(metric: Metric, number: u8) -> u32 {
    match metric {
        Metric::Dtm => MateScore(number)
            .dtm()
            .map_or(0, |dtm| dtm.0.unsigned_abs()),
        Metric::Wdl | Metric::Dtc | Metric::Rounds => number.into(),
    }
}

/// The number of wins in so many plies.
fn number_of(metric: Metric, plies: u32) -> u8 {
    match metric {
        Metric::Dtm => MateScore::from_plies(plies).unwrap_or(MateScore::DRAW).0,
        Metric::Wdl | Metric::Dtc | Metric::Rounds => plies as u8,
    }
}

/// Positions of the full board, identical men not told apart.
struct Tally {
    sides: [SideTally; 2],
    zugzwangs: [Found; 3],
}

/// Those with one side to move.
struct SideTally {
    win: u64,
    draw: u64,
    loss: u64,
    mated: u64,
    stalemated: u64,
    illegal: u64,
    /// By number; without those that have no move.
    wins: [u64; 256],
    losses: [u64; 256],
}

/// Positions of one kind, some of them by name.
struct Found {
    positions: u64,
    different: u64,
    listed: usize,
    first: BTreeSet<u64>,
}

impl Tally {
    fn new(listed: usize) -> Tally {
        Tally {
            sides: [0, 1].map(|_| SideTally::new()),
            zugzwangs: [0, 1, 2].map(|_| Found::new(listed)),
        }
    }

    fn add(&mut self, words: &impl Words, space: &IndexSpace, metric: Metric, address: usize) {
        let word = words.word(address);
        if word.weight == 0 || word.counted == 0 {
            return;
        }
        for (side, tally) in self.sides.iter_mut().enumerate() {
            tally.add(&word, side);
            if metric != Metric::Wdl {
                let number = |bit| usize::from(words.number(side, address, bit));
                tally.add_numbers(&word, side, number);
            }
        }
        if metric == Metric::Wdl {
            self.add_zugzwangs(words, space, &word, address);
        }
    }

    fn add_zugzwangs(
        &mut self,
        words: &impl Words,
        space: &IndexSpace,
        word: &Word,
        address: usize,
    ) {
        let [red, black] = &word.sides;
        for (kind, found) in Kind::ALL.into_iter().zip(&mut self.zugzwangs) {
            let set = match kind {
                Kind::BlackLoses => red.drawn() & black.lost,
                Kind::WhiteLoses => red.lost & black.drawn(),
                Kind::BothLose => red.lost & black.lost,
            };
            for bit in (set & word.counted).ones() {
                found.positions += word.weight;
                let placement = words.placement(address, bit);
                let Some(index) = index_of_first(space, kind, &placement, word.weight) else {
                    continue;
                };
                found.different += 1;
                found.list(Some(index));
            }
        }
    }

    fn merge(mut self, other: Tally) -> Tally {
        for (own, other) in self.sides.iter_mut().zip(&other.sides) {
            own.merge(other);
        }
        let [a, b, c] = self.zugzwangs;
        let [d, e, f] = other.zugzwangs;
        self.zugzwangs = [a.merge(d), b.merge(e), c.merge(f)];
        self
    }
}

/// The index of a mutual zugzwang, unless one that counts as the same comes before it: the mirror
/// image where both are in the words, and where both sides have the same men and lose, that with
/// the colours exchanged.
fn index_of_first(
    space: &IndexSpace,
    kind: Kind,
    placement: &Placement,
    weight: u64,
) -> Option<u64> {
    let (index, is_mirrored) = space.index(placement)?;
    if weight == 1 && is_mirrored {
        return None;
    }
    if kind == Kind::BothLose && space.material().is_symmetric() {
        let (exchanged, _) = space.index(&placement.with_colors_exchanged())?;
        return (exchanged >= index).then_some(index);
    }
    Some(index)
}

impl SideTally {
    fn new() -> SideTally {
        SideTally {
            win: 0,
            draw: 0,
            loss: 0,
            mated: 0,
            stalemated: 0,
            illegal: 0,
            wins: [0; 256],
            losses: [0; 256],
        }
    }

    fn add(&mut self, word: &Word, side: usize) {
        let count = |set: u128| word.weight * u64::from((set & word.counted).count());
        let sets = &word.sides[side];
        // Whose king could be taken, were it the other's turn, is in check.
        let in_check = !word.sides[1 - side].legal;
        self.win += count(sets.won);
        self.loss += count(sets.lost);
        self.draw += count(sets.drawn());
        self.mated += count(sets.stuck & in_check);
        self.stalemated += count(sets.stuck & !in_check);
        self.illegal += count(!sets.legal);
    }

    fn add_numbers(&mut self, word: &Word, side: usize, number: impl Fn(u32) -> usize) {
        let sets = &word.sides[side];
        for bit in (sets.won & word.counted).ones() {
            self.wins[number(bit)] += word.weight;
        }
        for bit in (sets.lost & !sets.stuck & word.counted).ones() {
            self.losses[number(bit)] += word.weight;
        }
    }

    fn merge(&mut self, other: &SideTally) {
        self.win += other.win;
        self.draw += other.draw;
        self.loss += other.loss;
        self.mated += other.mated;
        self.stalemated += other.stalemated;
        self.illegal += other.illegal;
        for (own, other) in [
            (&mut self.wins, &other.wins),
            (&mut self.losses, &other.losses),
        ] {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }

    fn statistics(&self, metric: Metric) -> SideStatistics {
        let count = |positions: u64| Count {
            positions,
            on_diagonal: 0,
        };
        let rows = |counts: &[u64; 256]| -> BTreeMap<u32, Count> {
            let rows = (0..=u8::MAX).zip(counts).filter(|(_, n)| **n > 0);
            rows.map(|(number, &n)| (plies_of(metric, number), count(n)))
                .collect()
        };
        SideStatistics {
            results: [self.win, 0, self.draw, 0, self.loss].map(count),
            mated: count(self.mated),
            stalemated: count(self.stalemated),
            illegal: count(self.illegal),
            wins: rows(&self.wins),
            losses: rows(&self.losses),
            longest: Vec::new(),
        }
    }
}

impl Found {
    fn new(listed: usize) -> Found {
        Found {
            positions: 0,
            different: 0,
            listed,
            first: BTreeSet::new(),
        }
    }

    /// Names a position if it is among the first.
    fn list(&mut self, index: Option<u64>) {
        self.first.extend(index);
        while self.first.len() > self.listed {
            self.first.pop_last();
        }
    }

    fn merge(mut self, other: Found) -> Found {
        self.positions += other.positions;
        self.different += other.different;
        for index in other.first {
            self.list(Some(index));
        }
        self
    }
}

impl From<Found> for Zugzwangs {
    fn from(found: Found) -> Zugzwangs {
        Zugzwangs {
            positions: found.positions,
            different: found.different,
            indices: found.first.into_iter().collect(),
        }
    }
}
