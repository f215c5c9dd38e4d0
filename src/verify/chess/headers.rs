//! What the headers of a material's files claim about all positions, against the values.

use super::compare::Compared;
use super::line::{ILLEGAL, Score, key};
use super::slice::SliceValues;
use super::source::{Source, sides};
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::counted::counted;
use crate::game::Color;
use crate::metric::Metric;
use crate::table::Longest;
use crate::verify::report::{Difference, Found};

/// The positions that the headers name as longest wins, and what they are.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Plies, by metric and side.
    plies: [[Option<i32>; 2]; 3],
}

fn longest_of(source: &Source, metric: Metric, side: usize) -> Option<Longest> {
    source.description(metric)?.longest[side]
}

impl Named {
    /// Looks the named positions of a slice up.
    pub fn look_up<S: Score>(
        &mut self,
        source: &Source,
        values: &SliceValues<'_, S>,
        slice: usize,
    ) {
        let natural = source.space.natural_order();
        for metric in [Metric::Dtz, Metric::Dtm] {
            for side in 0..sides(source.material()) {
                let index = longest_of(source, metric, side).map(|longest| longest.index);
                let Some(index) = index.filter(|&index| index < source.space.len()) else {
                    continue;
                };
                if natural.digits(index)[0] as usize != slice {
                    continue;
                }
                let Some(placement) = source.space.placement(&natural.digits(index)) else {
                    continue;
                };
                let king = placement.of(Color::Black, Role::King).trailing_zeros() as usize;
                let (_, address, symmetry) = values.targets.own.layout.locate(&placement);
                let king = usize::from(symmetry.map(king as u8));
                let own = values.sides[side].open();
                if own.results.line(address)[king] == ILLEGAL {
                    continue;
                }
                self.plies[usize::from(metric.number())][side] = Some(match metric {
                    Metric::Dtm => {
                        let score = own.scores.get(address).map(|line| line[king]);
                        score.and_then(S::dtm).map_or(0, |dtm| dtm.0)
                    }
                    Metric::Wdl | Metric::Dtz => key::shortest(own.keys.line(address)[king]).into(),
                });
            }
        }
    }

    pub fn and(mut self, other: Named) -> Named {
        for (own, other) in self
            .plies
            .iter_mut()
            .flatten()
            .zip(other.plies.iter().flatten())
        {
            *own = own.or(*other);
        }
        self
    }

    /// Compares the counts and longest wins in the headers with the values.
    pub fn compare_headers(&self, source: &Source, compared: &[Compared; 2], found: &mut Found) {
        let material: Material = *source.material();
        let mut check = |metric: Metric, stored: String, expected: String| {
            if stored != expected {
                found.add(|| Difference {
                    subject: material.into(),
                    format: source.format(),
                    metric: metric.name(),
                    fen: String::new(),
                    stored,
                    expected,
                });
            }
        };
        for metric in Metric::ALL {
            let Some(description) = source.description(metric) else {
                continue;
            };
            for side in 0..2 {
                let own = &compared[side.min(sides(&material) - 1)];
                check(
                    metric,
                    format!("{:?}", description.counts[side]),
                    format!("{:?}", own.counts),
                );
                let stored = description.longest[side];
                let expected = match metric {
                    Metric::Wdl => continue,
                    Metric::Dtz => own.longest[0],
                    Metric::Dtm => own.longest[1],
                };
                check(
                    metric,
                    format!("longest win {}", stored.map_or(0, |longest| longest.plies)),
                    format!("longest win {expected}"),
                );
                if let Some(longest) = stored.filter(|_| side < sides(&material)) {
                    let plies = self.plies[usize::from(metric.number())][side].unwrap_or(0);
                    check(
                        metric,
                        format!("index {} as the longest win", longest.index),
                        if plies == longest.plies as i32 {
                            format!("index {} as the longest win", longest.index)
                        } else {
                            format!("a win of {}, not {plies}", counted(longest.plies, "ply"))
                        },
                    );
                }
            }
        }
    }
}
