//! Every value of a material as a prober would give it, from the numbers in its files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::rules::{self, Outcome};
use crate::Error;
use crate::game::Color;
use crate::game::chess::Position;
use crate::generate::table_path;
use crate::index::{IndexSpace, Order, Placement};
use crate::material::Material;
use crate::metric::{MateScore, Metric, Wdl};
use crate::table::{Description, Table};

/// Stands in the results where a position is not legal or an index is a hole.
const ILLEGAL: u8 = u8::MAX;

/// The values of one side to move, by index in natural order.
#[derive(Clone, Debug, Default)]
struct SideValues {
    /// [`Wdl::index`], or [`ILLEGAL`].
    wdl: Vec<u8>,
    /// Plies to zeroing without sign. Empty if there is no such table.
    dtz: Vec<u8>,
    /// [`MateScore`] bytes. Empty if there is no such table.
    dtm: Vec<u8>,
}

/// A table's header and which sides it stores.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub description: Description,
    pub stored: [bool; 2],
}

/// Every value of one material.
#[derive(Debug)]
pub(super) struct Values {
    pub space: IndexSpace,
    pub natural: Order,
    /// What there is of each metric.
    pub sources: [Option<Source>; 3],
    /// Numbers in the files that mean nothing, by side, metric and index.
    pub meaningless: Vec<(usize, Metric, u64)>,
    sides: [SideValues; 2],
}

/// Why the values of a material cannot be known.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error("{error}")]
    Table { path: PathBuf, error: Error },
    #[error(
        "{}: no such table; generate it with `retrograde generate {material}`",
        path.display()
    )]
    Missing { material: Material, path: PathBuf },
    #[error(
        "{}: not a {metric} table of {material}; remove it and run `retrograde generate {material}`",
        path.display()
    )]
    Foreign {
        path: PathBuf,
        material: Material,
        metric: Metric,
    },
}

impl LoadError {
    /// The file that is at fault.
    pub fn path(&self) -> &Path {
        match self {
            LoadError::Table { path, .. }
            | LoadError::Missing { path, .. }
            | LoadError::Foreign { path, .. } => path,
        }
    }
}

/// The materials that others lead to, in normal form.
pub(super) type Loaded = HashMap<Material, Arc<Values>>;

impl Values {
    /// Reads the tables of a material; `loaded` holds what its moves lead to.
    pub fn load(
        directory: &Path,
        material: Material,
        loaded: &Loaded,
    ) -> Result<Values, LoadError> {
        let space = IndexSpace::new(material);
        let natural = space.natural_order();
        let mut values = Values {
            space,
            natural,
            sources: [None, None, None],
            meaningless: Vec::new(),
            sides: Default::default(),
        };
        for metric in Metric::ALL {
            let path = table_path(directory, &material, metric);
            if path.exists() {
                values.read(&path, metric)?;
            } else if metric == Metric::Wdl {
                return Err(LoadError::Missing { material, path });
            }
        }
        // A mate may lead through any capture or promotion; a distance to zeroing ends there.
        if values.has(Metric::Dtm) {
            for dependency in material.dependencies() {
                if !loaded
                    .get(&dependency)
                    .is_some_and(|values| values.has(Metric::Dtm))
                {
                    return Err(LoadError::Missing {
                        material: dependency,
                        path: table_path(directory, &dependency, Metric::Dtm),
                    });
                }
            }
        }
        values.resolve(loaded);
        Ok(values)
    }

    fn read(&mut self, path: &Path, metric: Metric) -> Result<(), LoadError> {
        let material = *self.space.material();
        let foreign = || LoadError::Foreign {
            path: path.to_owned(),
            material,
            metric,
        };
        let table = Table::open(path).map_err(|error| LoadError::Table {
            path: path.to_owned(),
            error,
        })?;
        let description = table.description();
        if description.material != material.to_string() || description.metric != metric.number() {
            return Err(foreign());
        }
        let mut stored = [false; 2];
        for stream in table.streams() {
            let order = self
                .space
                .order(&stream.order())
                .ok()
                .filter(|_| stream.len() == self.space.len() && stream.side() < 2)
                .ok_or_else(foreign)?;
            let numbers = table
                .read_stream(stream)
                .map_err(|error| LoadError::Table {
                    path: path.to_owned(),
                    error,
                })?;
            let natural: Vec<u8> = self
                .for_each_index(|index| numbers[order.index(&self.natural.digits(index)) as usize]);
            let side = usize::from(stream.side());
            stored[side] = true;
            let values = &mut self.sides[side];
            match metric {
                Metric::Wdl => values.wdl = natural,
                Metric::Dtz => values.dtz = natural,
                Metric::Dtm => values.dtm = natural,
            }
        }
        self.sources[usize::from(metric.number())] = Some(Source {
            description: table.description().clone(),
            stored,
        });
        Ok(())
    }

    /// The sides to move that have values of their own: with the same men on both sides, one serves for both.
    pub fn sides(&self) -> usize {
        if self.space.material().is_symmetric() {
            1
        } else {
            2
        }
    }

    pub fn has(&self, metric: Metric) -> bool {
        self.sources[usize::from(metric.number())].is_some()
    }

    /// Whether a side's values of a metric are in a file, not derived from the other side's.
    pub fn is_stored(&self, metric: Metric, side: usize) -> bool {
        self.sources[usize::from(metric.number())]
            .as_ref()
            .is_some_and(|source| source.stored[side])
    }

    /// The legal position at an index.
    pub fn position(&self, index: u64, side: usize) -> Option<(Placement, Position)> {
        self.space.position(index, Color::ALL[side])
    }

    /// The value at an index, or nothing if there is no legal position.
    pub fn at(&self, index: u64, side: usize) -> Option<Outcome> {
        let values = &self.sides[side];
        let index = index as usize;
        let wdl = Wdl::from_index(usize::from(*values.wdl.get(index)?))?;
        Some(Outcome {
            wdl,
            dtz: values.dtz.get(index).copied().unwrap_or(0).into(),
            score: MateScore(values.dtm.get(index).copied().unwrap_or(0)),
        })
    }

    /// The value of a placement of these men in these colours.
    pub fn of(&self, placement: &Placement, side: usize) -> Option<Outcome> {
        self.at(self.natural.index(&self.space.digits(placement)), side)
    }

    /// Turns the numbers of the files into values: what captures and promotions decide, what a missing side's are.
    fn resolve(&mut self, loaded: &Loaded) {
        for side in 0..self.sides() {
            let results = self.for_each_index(|index| self.resolve_result(index, side, loaded));
            self.take_results(side, results);
        }
        if self.has(Metric::Dtz) {
            for side in 0..self.sides() {
                if self.is_stored(Metric::Dtz, side) {
                    self.sides[side].dtz =
                        self.for_each_index(|index| self.resolve_distance(index, side, loaded));
                }
            }
        }
        for metric in [Metric::Dtz, Metric::Dtm] {
            for side in 0..self.sides() {
                if self.has(metric) && !self.is_stored(metric, side) {
                    let derived = self.for_each_index(|index| {
                        let value = self.at(index, side).and_then(|_| {
                            let (placement, position) = self.position(index, side)?;
                            rules::from_successors(&placement, &position, self, loaded)
                        });
                        value.map_or(0, |value| match metric {
                            Metric::Dtm => value.score.0,
                            // A distance that fits no byte differs from every stored one.
                            Metric::Wdl | Metric::Dtz => u8::try_from(value.dtz).unwrap_or(u8::MAX),
                        })
                    });
                    match metric {
                        Metric::Dtm => self.sides[side].dtm = derived,
                        Metric::Wdl | Metric::Dtz => self.sides[side].dtz = derived,
                    }
                }
            }
        }
    }

    fn for_each_index<T: Send>(&self, value: impl Fn(u64) -> T + Sync) -> Vec<T> {
        // Ranges of usize are indexed in parallel, those of u64 are not.
        (0..self.space.len() as usize)
            .into_par_iter()
            .with_min_len(1024)
            .map(|index| value(index as u64))
            .collect()
    }

    /// The result and the mate score of one position: the better of what is stored and what captures and promotions
    /// reach.
    fn resolve_result(&self, index: u64, side: usize, loaded: &Loaded) -> Resolved {
        let Some((placement, position)) = self.position(index, side) else {
            return Resolved::ILLEGAL;
        };
        let best = rules::best_conversion(&placement, &position, self, loaded);
        let stored = &self.sides[side];
        let mut resolved = Resolved::ILLEGAL;
        let wdl = match best {
            Some(best) if best.wdl == Wdl::Win => Some(Wdl::Win),
            _ => {
                let number = stored.wdl.get(index as usize).copied().unwrap_or(ILLEGAL);
                let found = Wdl::from_index(usize::from(number));
                resolved.meaningless_result = found.is_none();
                found.max(best.map(|best| best.wdl))
            }
        };
        let Some(wdl) = wdl else { return resolved };
        resolved.wdl = wdl.index() as u8;
        if let Some(&number) = stored.dtm.get(index as usize) {
            let score = match wdl {
                Wdl::Win | Wdl::CursedWin => MateScore(u8::MAX.wrapping_sub(number)),
                Wdl::Draw => MateScore::DRAW,
                Wdl::BlessedLoss | Wdl::Loss => MateScore(number),
            };
            let by_conversion = best.map_or(MateScore::MATED, |best| best.score);
            // A number on the wrong side of the draw is worse than any mate for the side it belongs to.
            let score = match wdl {
                Wdl::Win | Wdl::CursedWin if score <= MateScore::DRAW => by_conversion,
                Wdl::BlessedLoss | Wdl::Loss if score >= MateScore::DRAW => {
                    resolved.meaningless_score = by_conversion < MateScore::DRAW;
                    by_conversion
                }
                _ => score.max(by_conversion),
            };
            resolved.score = score.0;
        }
        resolved
    }

    fn take_results(&mut self, side: usize, results: Vec<Resolved>) {
        for (index, result) in (0..).zip(&results) {
            if result.meaningless_result {
                self.meaningless.push((side, Metric::Wdl, index));
            }
            if result.meaningless_score {
                self.meaningless.push((side, Metric::Dtm, index));
            }
        }
        let stored_mates = !self.sides[side].dtm.is_empty();
        self.sides[side].wdl = results.iter().map(|result| result.wdl).collect();
        if stored_mates {
            self.sides[side].dtm = results.iter().map(|result| result.score).collect();
        }
    }

    /// The distance to zeroing of one position: one ply where a zeroing move wins, else what is stored.
    fn resolve_distance(&self, index: u64, side: usize, loaded: &Loaded) -> u8 {
        let Some(value) = self.at(index, side) else {
            return 0;
        };
        if value.wdl == Wdl::Draw {
            return 0;
        }
        if value.wdl.is_any_win()
            && let Some((placement, position)) = self.position(index, side)
            && rules::best_zeroing(&placement, &position, self, loaded) == Some(value.wdl)
        {
            return value.wdl.dtz_of_zeroing_move().0.unsigned_abs() as u8;
        }
        u8::try_from(value.dtz).unwrap_or(u8::MAX)
    }
}

/// The values of one position on the way from numbers to values.
#[derive(Clone, Copy, Debug)]
struct Resolved {
    wdl: u8,
    score: u8,
    meaningless_result: bool,
    meaningless_score: bool,
}

impl Resolved {
    const ILLEGAL: Resolved = Resolved {
        wdl: ILLEGAL,
        score: MateScore::DRAW.0,
        meaningless_result: false,
        meaningless_score: false,
    };
}
