//! Compares every position of a xiangqi material with its successors, and headers with all
//! positions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::layout::Canonical;
use super::line::{Best, Values, key};
use super::moves::{Captures, Moves};
use super::values::{At, Resolved, Source};
use crate::Error;
use crate::counted::counted;
use crate::game::Color;
use crate::metric::{MateScore, Wdl};
use crate::parallel;
use crate::probe::Format;
use crate::table::Counts;
use crate::verify::report::{Difference, Found, Observer, Subject};
use crate::xiangqi::Metric;
use crate::xiangqi::rules::{Bitboard, Square, squares};

/// Addresses that are compared together.
const CHUNK: usize = 256;

/// What comparing some positions of one side to move gave.
#[derive(Debug, Default)]
struct Side {
    counts: Counts,
    /// The longest wins in plies: to conversion, to mate.
    longest: [u32; 2],
}

/// What comparing some addresses gave.
#[derive(Debug, Default)]
struct Compared {
    sides: [Side; 2],
    positions: u64,
    found: Found,
}

impl Compared {
    fn and(mut self, other: Compared) -> Compared {
        for (side, other) in self.sides.iter_mut().zip(other.sides) {
            side.counts.win += other.counts.win;
            side.counts.draw += other.counts.draw;
            side.counts.loss += other.counts.loss;
            for (longest, other) in side.longest.iter_mut().zip(other.longest) {
                *longest = other.max(*longest);
            }
        }
        self.positions += other.positions;
        self.found.extend(other.found);
        self
    }
}

/// A comparison of a whole material.
pub(super) struct Comparison<'a> {
    pub subject: Subject,
    pub source: &'a Source,
    pub values: &'a Resolved,
    pub captures: &'a Captures,
    pub cancel: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// What is told to the observer in all.
    pub work: u64,
}

impl Comparison<'_> {
    /// Compares; returns how many positions there were, and what was found.
    pub fn run(&self) -> Result<(u64, Found), Error> {
        let addresses = self.values.layout.addresses;
        let done = |address: usize| {
            let share = address.min(addresses) as u128 * u128::from(self.work);
            (share / addresses as u128) as u64
        };
        let compared = parallel::try_map(addresses.div_ceil(CHUNK), |chunk| {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            let mut compared = Compared::default();
            let end = addresses.min((chunk + 1) * CHUNK);
            for address in chunk * CHUNK..end {
                if let Some(at) = At::new(&self.values.layout, address) {
                    self.compare_address(address, &at, &mut compared);
                }
            }
            self.observer.advanced(done(end) - done(chunk * CHUNK));
            Ok(compared)
        })?;
        let mut compared = (compared.into_iter()).fold(Compared::default(), Compared::and);
        for strange in &self.values.meaningless {
            let men = self.values.layout.men(strange.address);
            let place = Square::trusted(strange.place.into());
            let only = self.values.layout.canonical(&men, place.bit());
            if only.positions != 0 {
                compared.found.add(|| Difference {
                    fen: self.fen(strange.address, place, strange.side),
                    ..self.difference(
                        Metric::Wdl,
                        format!("the number {} without meaning", strange.number),
                        "a result".to_owned(),
                    )
                });
            }
        }
        self.compare_headers(&mut compared);
        Ok((compared.positions, compared.found))
    }

    fn difference(&self, metric: Metric, stored: String, expected: String) -> Difference {
        Difference {
            subject: self.subject,
            format: Format::Native,
            metric: metric.name(),
            fen: String::new(),
            stored,
            expected,
        }
    }

    fn fen(&self, address: usize, place: Square, side: Color) -> String {
        let layout = &self.values.layout;
        let mut men = layout.men(address);
        men.squares[0] = place;
        let position = layout.placement(&men, true).position(side);
        position.map_or_else(String::new, |position| position.to_fen())
    }

    fn compare_address(&self, address: usize, at: &At, compared: &mut Compared) {
        let layout = &self.values.layout;
        let canonical = layout.canonical(&at.men, at.legal[0] | at.legal[1]);
        if canonical.positions == 0 {
            return;
        }
        let metrics = Metric::ALL.into_iter().filter(|&m| self.source.has(m));
        let metrics = metrics.count() as u64;
        for side in Color::ALL {
            let legal = at.legal[side.index()] & canonical.positions;
            if legal == 0 {
                continue;
            }
            compared.positions += u64::from(legal.count_ones()) * metrics;
            let stored = &self.values.lines[address][side.index()];
            self.count(stored, legal, canonical, &mut compared.sides[side.index()]);
            let moves = Moves {
                own: self.values,
                captures: self.captures,
                at,
                address,
                side,
            };
            let best = moves.best();
            let mut without_check: Option<Best> = None;
            for place in squares(legal) {
                let (key, score) = stored.at(place);
                let (reached, reached_score) = best.at(place);
                let is_over = reached == key::NONE;
                let expected = match is_over {
                    true => key::MATED,
                    false => key::before(reached),
                };
                let mut add = |metric, stored: String, expected: String| {
                    compared.found.add(|| Difference {
                        fen: self.fen(address, place, side),
                        ..self.difference(metric, stored, expected)
                    });
                };
                if let Some((metric, stored, expected)) = self.differ(key, expected, || {
                    let best = without_check.get_or_insert_with(|| moves.best_without_check());
                    best.at(place).0
                }) {
                    add(metric, stored, expected);
                }
                if self.values.has_scores {
                    let expected = match is_over {
                        true => MateScore::MATED,
                        false => MateScore(reached_score).before_move(),
                    };
                    let score = MateScore(score);
                    if score != expected || sign(score) != key.signum() {
                        add(Metric::Dtm, mate(score), mate(expected));
                    }
                }
            }
        }
    }

    /// Where a stored key does not follow from the one that the moves lead to: the first metric in
    /// which it does not.
    ///
    /// Where the rule of perpetual check was needed, distances measure progress, and what is
    /// checked is that there is some: the winner has a move that comes nearer or, at distance 1,
    /// one without check, and every move of the loser within the round comes nearer.
    fn differ(
        &self,
        stored: i32,
        expected: i32,
        reached_without_check: impl FnOnce() -> i32,
    ) -> Option<(Metric, String, String)> {
        let result = key::result(expected);
        if key::result(stored) != result {
            let [stored, expected] = [stored, expected].map(|key| key::result(key).to_string());
            return Some((Metric::Wdl, stored, expected));
        }
        if result == Wdl::Draw {
            return None;
        }
        let round = key::round(expected);
        if key::round(stored) != round {
            let [stored, expected] =
                [stored, expected].map(|key| format!("{result} in round {}", key::round(key)));
            return Some((Metric::Rounds, stored, expected));
        }
        if !self.source.has(Metric::Dtc) {
            return None;
        }
        let (plies, least) = (key::plies(stored), key::plies(expected));
        let follows = match result {
            _ if round == 0 => plies == least,
            Wdl::Win if plies == 1 => {
                let reached = reached_without_check();
                key::result(reached) == Wdl::Loss && key::round(reached) == round
            }
            Wdl::Win => plies == least,
            _ => plies >= least,
        };
        let within = match round {
            0 => String::new(),
            _ => format!(" within round {round}"),
        };
        (!follows).then(|| {
            let expected = match result {
                Wdl::Loss if round > 0 => {
                    format!(
                        "{result} in {} or more{within}",
                        counted(least.unsigned_abs(), "ply")
                    )
                }
                Wdl::Win if round > 0 && plies == 1 => {
                    format!(
                        "{result} in {}{within}, as every move to it is a check",
                        counted(least.unsigned_abs(), "ply")
                    )
                }
                _ => format!(
                    "{result} in {}{within}",
                    counted(least.unsigned_abs(), "ply")
                ),
            };
            let stored = format!(
                "{result} in {}{within}",
                counted(plies.unsigned_abs(), "ply")
            );
            (Metric::Dtc, stored, expected)
        })
    }

    fn count(&self, stored: &Values, legal: Bitboard, canonical: Canonical, side: &mut Side) {
        for place in squares(legal) {
            let (key, score) = stored.at(place);
            let images = 2 - u64::from(canonical.symmetric & place.bit() != 0);
            match key::result(key) {
                Wdl::Win => {
                    side.counts.win += images;
                    side.longest[0] = side.longest[0].max(key::plies(key).unsigned_abs());
                    let mate = MateScore(score).dtm().map_or(0, |dtm| dtm.0.unsigned_abs());
                    side.longest[1] = side.longest[1].max(mate);
                }
                Wdl::Loss => side.counts.loss += images,
                _ => side.counts.draw += images,
            }
        }
    }

    /// What headers claim about all positions.
    fn compare_headers(&self, compared: &mut Compared) {
        let Compared { sides, found, .. } = compared;
        for metric in Metric::ALL {
            let Some(table) = self.source.table(metric) else {
                continue;
            };
            let mut check = |stored: String, expected: String| {
                if stored != expected {
                    found.add(|| self.difference(metric, stored, expected));
                }
            };
            for (color, side) in Color::ALL.into_iter().zip(&*sides) {
                let description = table.description();
                check(
                    format!("{:?}", description.counts[color.index()]),
                    format!("{:?}", side.counts),
                );
                let expected = match metric {
                    Metric::Dtc => side.longest[0],
                    Metric::Dtm => side.longest[1],
                    Metric::Wdl | Metric::Rounds => continue,
                };
                let longest = description.longest[color.index()];
                check(
                    format!("longest win {}", longest.map_or(0, |longest| longest.plies)),
                    format!("longest win {expected}"),
                );
                if let Some(longest) = longest {
                    let plies = self.plies_of_win(longest.index, metric, color);
                    let named = format!("index {} as the longest win", longest.index);
                    check(
                        named.clone(),
                        match plies == Some(longest.plies) {
                            true => named,
                            false => {
                                let found = plies.map_or("none".to_owned(), |it| it.to_string());
                                format!("a win of {}, not {found}", counted(longest.plies, "ply"))
                            }
                        },
                    );
                }
            }
        }
    }

    /// In how many plies the position of an index is won, if it is.
    fn plies_of_win(&self, index: u64, metric: Metric, side: Color) -> Option<u32> {
        let layout = &self.values.layout;
        let men = layout.men_of(&self.source.space.placement(index)?)?;
        let place = layout.locate(&men);
        let first = match place.mirrored {
            true => men.squares[0].mirrored(),
            false => men.squares[0],
        };
        let (key, score) = self.values.lines[place.address][side.index()].at(first);
        if key == key::NONE || key::result(key) != Wdl::Win {
            return None;
        }
        match metric {
            Metric::Dtm => MateScore(score).dtm().map(|dtm| dtm.0.unsigned_abs()),
            _ => Some(key::plies(key).unsigned_abs()),
        }
    }
}

/// Who wins by a mate score, as the sign of a key.
fn sign(score: MateScore) -> i32 {
    i32::from(score > MateScore::DRAW) - i32::from(score < MateScore::DRAW)
}

fn mate(score: MateScore) -> String {
    match score.dtm() {
        Some(dtm) => format!("mate in {}", counted(dtm.0, "ply")),
        None => "no mate".to_owned(),
    }
}
