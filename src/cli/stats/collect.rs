//! Goes through every position of a material and counts distances.

use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::game::chess::Position;
use retrograde::index::{IndexSpace, Order};
use retrograde::material::Material;
use retrograde::metric::{Dtm, Dtz, Metric, Wdl};
use retrograde::probe::{ProbeError, Tablebase};

use super::histogram::{Distances, merged};

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
    dtz: Option<Distances>,
    dtm: Option<Distances>,
}

impl SideStatistics {
    /// Those of a metric; nothing if there is no such table.
    pub fn distances(&self, metric: Metric) -> Option<&Distances> {
        match metric {
            Metric::Wdl => None,
            Metric::Dtz => self.dtz.as_ref(),
            Metric::Dtm => self.dtm.as_ref(),
        }
    }

    fn merge(self, other: SideStatistics, limit: usize) -> SideStatistics {
        SideStatistics {
            dtz: merged(self.dtz, other.dtz, limit),
            dtm: merged(self.dtm, other.dtm, limit),
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
        let fen = || position.to_fen();
        if self.has_dtz {
            let distances = side.dtz.get_or_insert_default();
            if !is_draw {
                let Dtz(plies) = self.tables.probe_dtz(position)?;
                distances.add(plies, weight, fen, self.limit);
            }
        }
        if self.has_dtm {
            let distances = side.dtm.get_or_insert_default();
            if !is_draw && let Some(Dtm(plies)) = self.tables.probe_dtm(position)? {
                distances.add(plies, weight, fen, self.limit);
            }
        }
        Ok(())
    }
}
