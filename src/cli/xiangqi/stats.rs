//! `retrograde stats` for xiangqi: all numbers of a material's tables, one index after the other.

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use rayon::prelude::*;
use retrograde::game::{Color, Game};
use retrograde::metric::{MateScore, Wdl};
use retrograde::probe::xiangqi::{XiangqiProbeError, is_about};
use retrograde::table::Table;
use retrograde::xiangqi::{IndexSpace, Metric, Order, Placement};
use serde_json::{Value, json};

use super::files;
use crate::cli::directory::TableDirectory;
use crate::cli::stats::Stats;
use crate::cli::stats::histogram::{Distances, merged};
use crate::cli::stats::zugzwang::{Found, Kind};
use crate::cli::{Outcome, input, progress};

/// Indices that one thread takes at a time: some milliseconds.
const CHUNK: u64 = 1 << 13;

/// The distances, in the order they are printed.
const DISTANCES: [Metric; 2] = [Metric::Dtc, Metric::Dtm];

/// What there is to say of a material.
#[derive(Debug, Default)]
struct Statistics {
    /// By side to move.
    draws: [u64; 2],
    /// By side to move and metric.
    distances: [[Option<Distances>; 2]; 2],
    /// Mutual zugzwangs: red to move, and the kind.
    zugzwangs: Vec<(u64, Kind)>,
}

impl Statistics {
    fn merge(mut self, other: Statistics, limit: usize) -> Statistics {
        for (ours, theirs) in self.draws.iter_mut().zip(other.draws) {
            *ours += theirs;
        }
        let theirs = other.distances.into_iter().flatten();
        for (ours, theirs) in self.distances.as_flattened_mut().iter_mut().zip(theirs) {
            *ours = merged(ours.take(), theirs, limit);
        }
        self.zugzwangs.extend(other.zugzwangs);
        self
    }
}

/// The numbers of some tables of a material.
struct Numbers {
    space: IndexSpace,
    streams: HashMap<Metric, [Vec<u8>; 2]>,
    limit: usize,
}

impl Numbers {
    fn number(&self, metric: Metric, turn: Color, index: u64) -> Option<u8> {
        let streams: &[Vec<u8>; 2] = self.streams.get(&metric)?;
        streams[turn.index()].get(index as usize).copied()
    }

    fn wdl(&self, turn: Color, index: u64) -> Wdl {
        let number = self.number(Metric::Wdl, turn, index);
        let wdl = number.and_then(|number| Wdl::from_index(number.into()));
        wdl.unwrap_or(Wdl::Draw)
    }

    fn add(&self, index: u64, statistics: &mut Statistics) {
        let Some(placement) = self.space.placement(index) else {
            return;
        };
        let weight = weight(&placement);
        let positions = Color::ALL.map(|color| placement.position(color));
        for (turn, position) in Color::ALL.into_iter().zip(&positions) {
            let Some(position) = position else {
                continue;
            };
            let wdl = self.wdl(turn, index);
            if wdl == Wdl::Draw {
                statistics.draws[turn.index()] += weight;
            }
            let sign = wdl.signum2().signum();
            let of_side = &mut statistics.distances[turn.index()];
            for (distances, metric) in of_side.iter_mut().zip(DISTANCES) {
                let Some(number) = self.number(metric, turn, index) else {
                    continue;
                };
                let distances = distances.get_or_insert_default();
                if wdl == Wdl::Draw {
                    continue;
                }
                let plies = match metric {
                    Metric::Dtm => MateScore(number).dtm().map_or(0, |dtm| dtm.0),
                    _ => sign * i32::from(number),
                };
                distances.add(plies, weight, || position.to_fen(), self.limit);
            }
        }
        if positions.iter().all(Option::is_some) {
            let [red, black] = Color::ALL.map(|turn| self.wdl(turn, index));
            if let Some(kind) = Kind::new(red, black) {
                statistics.zugzwangs.push((index, kind));
            }
        }
    }
}

/// How many positions of the full board a placement stands for.
fn weight(placement: &Placement) -> u64 {
    match placement.mirrored() == *placement {
        true => 1,
        false => 2,
    }
}

/// Goes through all positions and prints.
pub fn stats(stats: &Stats, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
    let material = input::xiangqi_material(&stats.material)?;
    let rules = stats.rules;
    let missing = |metric| XiangqiProbeError::Missing {
        material,
        metric,
        rules,
        directory: directory.path().to_owned(),
    };
    let named: Vec<Metric> = (stats.metric.iter())
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let files = files(directory, rules, &material);
    let mut wanted = vec![Metric::Wdl];
    wanted.extend(
        DISTANCES
            .into_iter()
            .filter(|metric| match named.is_empty() {
                true => files.iter().any(|(there, _)| there == metric),
                false => named.contains(metric),
            }),
    );
    let space = IndexSpace::new(material).ok_or_else(|| missing(Metric::Wdl))?;
    let mut streams = HashMap::new();
    for &metric in &wanted {
        let file = files.iter().find(|(there, _)| *there == metric);
        let (_, path) = file.ok_or_else(|| missing(metric))?;
        let table = Table::open(path)?;
        let foreign = || retrograde::Error::Foreign {
            path: path.clone(),
            material: material.to_string(),
            difference: "the header says something else".to_owned(),
        };
        if !is_about(table.description(), &material, metric, rules) {
            return Err(foreign().into());
        }
        let mut both = [Vec::new(), Vec::new()];
        for (side, values) in (0..).zip(&mut both) {
            let stream = table.stream(side).filter(|all| all.len() == space.len());
            let stream = stream.ok_or_else(foreign)?;
            let order = Order::new(&space, &stream.order()).map_err(|_| foreign())?;
            *values = order.by_index(table.read_stream(stream)?);
        }
        streams.insert(metric, both);
    }
    stats.refuse_to_draw_nothing(wanted.len() == 1, "dtc")?;
    let numbers = Numbers {
        space,
        streams,
        limit: stats.limit,
    };
    let len = numbers.space.len();
    let bar = progress::bar(len, "indices");
    bar.set_message(material.to_string());
    let statistics = (0..len.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut statistics = Statistics::default();
            let end = len.min((chunk + 1) * CHUNK);
            for index in chunk * CHUNK..end {
                numbers.add(index, &mut statistics);
            }
            bar.inc(end - chunk * CHUNK);
            statistics
        })
        // The order of indexed parallel iterators is kept, so the positions listed are always the same.
        .reduce(Statistics::default, |a, b| a.merge(b, stats.limit));
    bar.finish_and_clear();
    let zugzwangs = zugzwangs(&numbers, &statistics.zugzwangs);
    let sides = || Color::ALL.into_iter().zip(&statistics.distances);
    let titled = sides().flat_map(|(color, side)| {
        let each = side.iter().zip(DISTANCES);
        each.filter_map(move |(distances, metric)| {
            let title = format!(
                "{material}, {} to move, {metric}",
                Game::Xiangqi.name_of(color)
            );
            distances.as_ref().map(|distances| (title, distances))
        })
    });
    stats.draw(titled.clone())?;
    if stats.json {
        let side = |color: Color| {
            let [dtc, dtm] = (statistics.distances[color.index()].each_ref())
                .map(|distances| distances.as_ref().map(Distances::to_json));
            json!({"draws": statistics.draws[color.index()], "dtc": dtc, "dtm": dtm})
        };
        let answer: Value = json!({
            "material": material.to_string(),
            "game": "xiangqi",
            "rules": rules.name(),
            "red": side(Color::White),
            "black": side(Color::Black),
            "mutual_zugzwangs": zugzwangs.to_json(material.is_symmetric(), "red"),
        });
        writeln!(out, "{answer}")?;
        return Ok(Outcome::Done);
    }
    for (color, side) in sides() {
        for (distances, metric) in side.iter().zip(DISTANCES) {
            if let Some(distances) = distances {
                let title = format!(
                    "{material} under {rules}, {} to move, {metric} in plies",
                    Game::Xiangqi.name_of(color)
                );
                distances.print(&title, statistics.draws[color.index()], out)?;
            }
        }
    }
    let signature = material.to_string();
    zugzwangs.print(&signature, material.is_symmetric(), "red", stats.limit, out)?;
    Ok(Outcome::Done)
}

/// The mutual zugzwangs found, counted and listed.
fn zugzwangs(numbers: &Numbers, found: &[(u64, Kind)]) -> Found {
    let space = &numbers.space;
    let mut zugzwangs = Found::default();
    for &(index, kind) in found {
        let Some(placement) = space.placement(index) else {
            continue;
        };
        let is_first = kind != Kind::BothLose
            || !space.material().is_symmetric()
            || space
                .index(&placement.with_colors_exchanged())
                .is_none_or(|(exchanged, _)| exchanged >= index);
        let fen = || {
            let position = placement.position(Color::White);
            position.map_or_else(String::new, |position| position.to_fen())
        };
        zugzwangs
            .of_kind(kind)
            .add(weight(&placement), is_first, fen, numbers.limit);
    }
    zugzwangs
}
