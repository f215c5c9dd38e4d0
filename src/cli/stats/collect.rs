//! Goes through every position of a material and counts distances.

use std::collections::BTreeMap;

use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::game::chess::Position;
use retrograde::index::{IndexSpace, Order};
use retrograde::material::Material;
use retrograde::metric::{Dtm, Dtz, Metric, Wdl};
use retrograde::probe::{ProbeError, Tablebase};

/// Indices that one thread takes at a time: some milliseconds.
const CHUNK: u64 = 1 << 13;

/// What there is to say about the distances of a material, over the full board.
#[derive(Debug, Default)]
pub struct Statistics {
    /// White to move, black to move.
    pub sides: [SideStatistics; 2],
}

/// The distances with one side to move.
#[derive(Debug, Default)]
pub struct SideStatistics {
    dtz: Option<BTreeMap<i32, u64>>,
    dtm: Option<BTreeMap<i32, u64>>,
    longest_dtz: LongestWins,
    longest_dtm: LongestWins,
}

/// The longest wins of one side in one metric.
#[derive(Debug, Default)]
pub struct LongestWins {
    /// Zero if there is no win.
    pub plies: i32,
    /// How many positions are won as slowly, over the full board.
    pub count: u64,
    /// Some of them, one of each set of mirror images.
    pub fens: Vec<String>,
}

impl SideStatistics {
    /// Positions by plies, for the side to move, without draws; nothing if there is no such table.
    pub fn histogram(&self, metric: Metric) -> Option<&BTreeMap<i32, u64>> {
        match metric {
            Metric::Wdl => None,
            Metric::Dtz => self.dtz.as_ref(),
            Metric::Dtm => self.dtm.as_ref(),
        }
    }

    pub fn longest(&self, metric: Metric) -> &LongestWins {
        match metric {
            Metric::Dtm => &self.longest_dtm,
            Metric::Wdl | Metric::Dtz => &self.longest_dtz,
        }
    }

    fn merge(mut self, other: SideStatistics, limit: usize) -> SideStatistics {
        self.dtz = merged(self.dtz, other.dtz);
        self.dtm = merged(self.dtm, other.dtm);
        self.longest_dtz = self.longest_dtz.merge(other.longest_dtz, limit);
        self.longest_dtm = self.longest_dtm.merge(other.longest_dtm, limit);
        self
    }
}

fn merged(
    ours: Option<BTreeMap<i32, u64>>,
    theirs: Option<BTreeMap<i32, u64>>,
) -> Option<BTreeMap<i32, u64>> {
    let (Some(mut ours), Some(theirs)) = (ours.clone(), theirs.clone()) else {
        return ours.or(theirs);
    };
    for (plies, count) in theirs {
        *ours.entry(plies).or_default() += count;
    }
    Some(ours)
}

impl LongestWins {
    fn add(&mut self, plies: i32, weight: u64, position: &Position, limit: usize) {
        if plies < self.plies || plies <= 0 {
            return;
        }
        if plies > self.plies {
            *self = LongestWins {
                plies,
                ..LongestWins::default()
            };
        }
        self.count += weight;
        if self.fens.len() < limit {
            self.fens.push(position.to_fen());
        }
    }

    fn merge(mut self, other: LongestWins, limit: usize) -> LongestWins {
        match self.plies.cmp(&other.plies) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => {
                self.count += other.count;
                self.fens.extend(other.fens);
                self.fens.truncate(limit);
                self
            }
        }
    }
}

impl Statistics {
    fn merge(self, other: Statistics, limit: usize) -> Statistics {
        let [white, black] = self.sides;
        let [other_white, other_black] = other.sides;
        Statistics {
            sides: [
                white.merge(other_white, limit),
                black.merge(other_black, limit),
            ],
        }
    }
}

/// How many indices [`collect`] goes through.
pub fn work(material: &Material) -> u64 {
    IndexSpace::new(*material).len()
}

/// Counts the distances in `metrics`; `limit` positions of each kind are listed, the first in the order of indices.
///
/// # Errors
///
/// If a table is missing or damaged.
pub fn collect(
    tables: &Tablebase,
    material: &Material,
    metrics: &[Metric],
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Statistics, ProbeError> {
    let space = IndexSpace::new(*material);
    let collector = Collector {
        tables,
        order: space.natural_order(),
        has_dtz: metrics.contains(&Metric::Dtz),
        has_dtm: metrics.contains(&Metric::Dtm),
        limit,
        space,
    };
    let len = collector.space.len();
    // The order of indexed parallel iterators is kept, so the positions listed are always the same.
    (0..len.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut statistics = Statistics::default();
            let end = len.min((chunk + 1) * CHUNK);
            for index in chunk * CHUNK..end {
                collector.add(index, &mut statistics)?;
            }
            progress(end - chunk * CHUNK);
            Ok(statistics)
        })
        .try_reduce(Statistics::default, |a, b| Ok(a.merge(b, limit)))
}

struct Collector<'a> {
    tables: &'a Tablebase,
    space: IndexSpace,
    order: Order,
    has_dtz: bool,
    has_dtm: bool,
    limit: usize,
}

impl Collector<'_> {
    fn add(&self, index: u64, statistics: &mut Statistics) -> Result<(), ProbeError> {
        let Some(placement) = self.space.placement(&self.order.digits(index)) else {
            return Ok(());
        };
        let weight = self.space.weight(&placement);
        for color in Color::ALL {
            if let Some(position) = placement.position(color) {
                let side = &mut statistics.sides[color.index()];
                self.add_position(&position, weight, side)?;
            }
        }
        Ok(())
    }

    fn add_position(
        &self,
        position: &Position,
        weight: u64,
        side: &mut SideStatistics,
    ) -> Result<(), ProbeError> {
        let is_draw = self.tables.probe_wdl(position)? == Wdl::Draw;
        if self.has_dtz {
            let histogram = side.dtz.get_or_insert_default();
            if !is_draw {
                let Dtz(plies) = self.tables.probe_dtz(position)?;
                *histogram.entry(plies).or_default() += weight;
                side.longest_dtz.add(plies, weight, position, self.limit);
            }
        }
        if self.has_dtm {
            let histogram = side.dtm.get_or_insert_default();
            if !is_draw && let Some(Dtm(plies)) = self.tables.probe_dtm(position)? {
                *histogram.entry(plies).or_default() += weight;
                side.longest_dtm.add(plies, weight, position, self.limit);
            }
        }
        Ok(())
    }
}
