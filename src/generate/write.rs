//! The files of one solved material.

use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::addressing::Addressing;
use super::by_parts::WindowSource;
use super::choose::{Ordered, choose};
use super::effort::Effort;
use super::side::Side;
use super::slices::Slices;
use super::source::{LaidOutSource, SideSource};
use super::summary::Summary;
use crate::Error;
use crate::chess::Chess;
use crate::chess::index::IndexSpace;
use crate::error::{WriteError, write_error};
use crate::game::TableGame;
use crate::metric::{Metric, Wdl};
use crate::table::{
    Compression, Description, Plane, StreamSource, Table, ValueSource, write_table,
};
use crate::tables::table_path;

/// Writes one table of a solved material and returns the size of its file in bytes.
///
/// # Errors
///
/// If the file cannot be written, or the caller cancelled.
pub fn write_metric(
    directory: &Path,
    slices: &dyn Slices,
    index_space: &IndexSpace,
    summary: &Summary,
    metric: Metric,
    compression: Compression,
    cancel: &AtomicBool,
) -> Result<u64, Error> {
    let material = slices.material();
    let effort = Effort::new(compression, metric, &material);
    let addressing = Addressing::new(index_space);
    // With the same men on both sides, Black to move is White to move with the colours exchanged.
    let new_side = |side: usize, plane: Plane| {
        Side::new(
            slices,
            index_space,
            &addressing,
            summary,
            side,
            (metric, plane),
        )
    };
    let mut sides: Vec<Side<'_>> = (0..if material.is_symmetric() { 1 } else { 2 })
        .map(|side| new_side(side, Plane::Low))
        .collect();
    let counts = summary.counts();
    let is_needed = |side: &Side<'_>| {
        let has_cursed = counts[side.side].has_cursed();
        Chess::needs_side(&material, metric, side.side, has_cursed)
    };
    let mut choices = choose(&sides, &effort, is_needed)?;
    if summary.has_high_bytes(metric) {
        for low in choices.clone() {
            let high = new_side(sides[low.side].side, Plane::High);
            let best = choose(std::slice::from_ref(&high), &effort, |_| true)?;
            choices.extend(best.into_iter().map(|choice| choice.at(sides.len())));
            sides.push(high);
        }
    }
    let laid_out: Vec<_> = sides.iter().map(|side| side.sampled(&[])).collect();
    let window = RwLock::default();
    let sources = choices.iter().enumerate();
    let sources = sources.map(|(stream, choice)| -> Box<dyn ValueSource> {
        let (side, order) = (&sides[choice.side], &choice.order);
        match slices.is_laid_out() {
            true if side.is_in_parts() => Box::new(WindowSource::new(side, order)),
            true => Box::new(LaidOutSource::new(laid_out[choice.side].in_order(*order))),
            false => Box::new(SideSource::new(side, order, stream, &window)),
        }
    });
    let sources: Vec<Box<dyn ValueSource + '_>> = sources.collect();
    let streams: Vec<StreamSource<'_>> = choices
        .iter()
        .zip(&sources)
        .map(|(choice, source)| sides[choice.side].stream(&choice.order, &**source))
        .collect();
    let description = Description {
        material: material.to_string(),
        metric: metric.number(),
        counts,
        longest: summary.longest(metric),
        ..Description::default()
    };
    let head = (&description, summary.statistics(metric));
    let path = table_path(directory, &material, metric);
    let written = write_table(&path, head, &streams, &effort.options, &|_, _| {
        !cancel.load(Ordering::Relaxed) && slices.error().is_none()
    });
    if let Some(error) = slices.error() {
        return Err(error.clone().into());
    }
    let bytes = written?.file_bytes;
    if metric != Metric::Wdl {
        check_longest(&path, index_space, summary, metric).inspect_err(|_| {
            // That it cannot be removed would be less to tell.
            let _ = std::fs::remove_file(&path);
        })?;
    }
    Ok(bytes)
}

/// Compares the longest wins, as they were counted while solving, with what a file of distances
/// says of them. Values take a long way from the solver into the file, and long distances the
/// longest; `verify` compares all of them.
fn check_longest(
    path: &Path,
    space: &IndexSpace,
    summary: &Summary,
    metric: Metric,
) -> Result<(), Error> {
    let table = Table::open_unmapped(path)?;
    let natural = space.natural_order();
    // What a zeroing move gives no file of distances to zeroing has to have.
    let by_zeroing = [Wdl::Win, Wdl::CursedWin].map(|win| win.dtz_of_zeroing_move().0 as u32);
    let sides = summary.statistics(metric).sides.iter();
    for (side, statistics) in sides.enumerate() {
        let plies = statistics.longest_win();
        if metric == Metric::Dtz && by_zeroing.contains(&plies) {
            continue;
        }
        let Some(low) = table.stream(side as u8) else {
            continue;
        };
        let streams = [Some(low), table.high_bytes(side as u8)];
        for &index in &statistics.longest {
            let digits = natural.digits(index);
            let mut found = 0;
            for (stream, shift) in streams.into_iter().flatten().zip([0, 8]) {
                let order = space.order(&stream.order());
                let index = order.map_or(u64::MAX, |order| order.index(&digits));
                found |= u32::from(table.value(stream, index)?) << shift;
            }
            let is_right = match metric {
                // A conversion may be as good as what is stored, and that is a longer mate then.
                Metric::Dtm => 2 * found + 1 >= plies,
                _ => found == plies,
            };
            if !is_right {
                let problem = "the file does not say of the longest wins what was solved";
                let problem = WriteError::Description(problem);
                return Err(write_error(&path.display().to_string(), problem));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;
    use crate::Tablebase;
    use crate::chess::material::Material;
    use crate::chess::solve::solved::{SideValues, Solved};
    use crate::chess::solve::{SolveOptions, gather_targets, solve};
    use crate::chess::{Chess, ChessRules};
    use crate::game::{Bits, Color};
    use crate::generate::chess::restored::Finished;
    use crate::generate::game::GenerateOptions;
    use crate::metric::{Dtm, Dtz, Wdl};
    use crate::retro::score::Score;
    use crate::table::Statistics;
    use crate::table::Table;
    use crate::verify::Recount;

    /// Every distance that many times as long: odd, so that who wins still follows from the parity
    /// of a mate.
    const LONGER: i32 = 21;

    /// Makes distances longer, and results those that follow from them under the fifty-move rule.
    fn stretch(values: &mut SideValues) {
        values.own.dtz_high = vec![0; values.own.dtz.len()];
        let scores = (0..values.dtm.len()).map(|place| match values.dtm.plies(place) {
            None => <u16 as Score>::DRAW,
            Some(plies) => u16::from_plies(plies.unsigned_abs() * LONGER as u32).unwrap(),
        });
        values.dtm = u16::wrap(scores.collect());
        for address in 0..values.legal.len() {
            for (strict, cursed) in [(Wdl::Win, Wdl::CursedWin), (Wdl::Loss, Wdl::BlessedLoss)] {
                let both = values.decided[strict.index()][address]
                    | values.decided[cursed.index()][address];
                for king in both.ones() {
                    let place = address * 64 + king as usize;
                    let plies = i32::from(values.own.dtz[place]) * LONGER;
                    let value = if plies > 100 { cursed } else { strict };
                    for other in [strict, cursed] {
                        values.decided[other.index()][address] &= !(1 << king);
                    }
                    values.decided[value.index()][address] |= 1 << king;
                    let [low, high, ..] = plies.to_le_bytes();
                    values.own.dtz[place] = low;
                    values.own.dtz_high[place] = high;
                }
            }
        }
    }

    /// The same solution with each side changed.
    fn changed(solved: Solved, change: impl Fn(&mut SideValues)) -> Solved {
        let slices = solved.slices.into_iter().map(|slice| {
            let mut values = slice.into_inner().unwrap();
            values.iter_mut().for_each(&change);
            values.into()
        });
        Solved {
            slices: slices.collect(),
            ..solved
        }
    }

    /// No material of up to five men has distances to zeroing above 255 plies, so those of KRvK are
    /// made longer.
    #[test]
    fn distances_of_two_bytes_are_counted_written_and_probed() {
        let material: Material = "KRvK".parse().unwrap();
        let cancel = AtomicBool::new(false);
        let options = SolveOptions::new(&cancel);
        let targets = gather_targets(&material, &HashMap::new(), options.width).unwrap();
        let solved = solve(material, &targets, options).unwrap();
        let index_space = IndexSpace::new(material);
        let short = Summary::new(&solved, &index_space);
        let solved = changed(solved, stretch);
        let summary = Summary::new(&solved, &index_space);
        for metric in [Metric::Dtz, Metric::Dtm] {
            assert!(!short.has_high_bytes(metric) && summary.has_high_bytes(metric));
            let sides = |summary: &Summary| summary.statistics(metric).sides.clone();
            for (short, long) in sides(&short).into_iter().zip(sides(&summary)) {
                let longer = |rows: BTreeMap<u32, _>| {
                    let rows = rows.into_iter();
                    rows.map(|(plies, count)| (plies * LONGER as u32, count))
                        .collect()
                };
                assert_eq!(long.wins, longer(short.wins));
                assert_eq!(long.losses, longer(short.losses));
                assert_eq!(long.longest, short.longest);
            }
        }

        let directory = tempfile::tempdir().unwrap();
        for metric in Metric::ALL {
            let (to, level) = (directory.path(), Compression::Default);
            write_metric(to, &solved, &index_space, &summary, metric, level, &cancel).unwrap();
        }
        let today = Tablebase::open("tables").unwrap();
        let longer = Tablebase::open(directory.path()).unwrap();
        for metric in [Metric::Dtz, Metric::Dtm] {
            let table = Table::open(&table_path(directory.path(), &material, metric)).unwrap();
            table.verify_checksums(&|_, _| true).unwrap();
            assert_eq!(
                table.description().longest[0].unwrap().plies,
                31 * LONGER as u32
            );
            for side in Color::ALL {
                let number = side.index() as u8;
                let is_stored = table.stream(number).is_some();
                assert_eq!(table.high_bytes(number).is_some(), is_stored);
                // Distances of a side that is not stored are those of its moves, one ply more.
                if is_stored {
                    check_probes(&index_space, side, metric, &today, &longer);
                }
            }
        }
        check_counted_and_read_back(directory.path(), &solved, &summary);

        // What has lost its high bytes on the way is no table.
        let lossy = changed(solved, |side| {
            side.own.dtz_high = Vec::new();
            let plies = (0..side.dtm.len()).map(|place| side.dtm.plies(place));
            let low = |plies: i32| u16::from_plies(plies.unsigned_abs() % 512).unwrap();
            let scores = plies.map(|plies| plies.map_or(<u16 as Score>::DRAW, low));
            side.dtm = u16::wrap(scores.collect());
        });
        for metric in [Metric::Dtz, Metric::Dtm] {
            let (to, level) = (directory.path(), Compression::Default);
            let written = write_metric(to, &lossy, &index_space, &summary, metric, level, &cancel);
            let told = written.unwrap_err().to_string();
            assert!(told.contains("longest wins"), "{told}");
            assert!(!table_path(to, &material, metric).exists());
        }
    }

    /// What verification's code reads from files with high bytes: what is counted again, and what
    /// is read back.
    fn check_counted_and_read_back(directory: &Path, solved: &Solved, summary: &Summary) {
        let (material, cancel) = (solved.material, AtomicBool::new(false));
        let stored = |metric: Metric, side: usize| {
            let table = Table::open(&table_path(directory, &material, metric)).unwrap();
            table.stream(side as u8).is_some()
        };
        let rules = ChessRules::FiftyMoves;
        let metrics = [Metric::Dtz, Metric::Dtm];
        let counted =
            Chess::recount(directory, rules, material, &metrics, 10, &cancel, &()).unwrap();
        for (metric, counted) in counted {
            let kept = summary.statistics(metric);
            for side in (0..2).filter(|&side| stored(metric, side)) {
                let longest = |statistics: &Statistics| statistics.sides[side].wins.clone();
                assert_eq!(longest(&counted), longest(kept), "{metric}");
                let losses = |statistics: &Statistics| statistics.sides[side].losses.clone();
                assert_eq!(losses(&counted), losses(kept), "{metric}");
            }
        }
        let wanted = GenerateOptions::new(directory, vec![material]);
        let tables = Finished::open(material, &[], &wanted).unwrap();
        let options = SolveOptions {
            finished: Some(&tables),
            ..SolveOptions::new(&cancel)
        };
        let targets = gather_targets(&material, &HashMap::new(), options.width).unwrap();
        let restored = solve(material, &targets, options).unwrap();
        let (restored, expected) = (&restored.slices[0], &solved.slices[0]);
        for side in (0..2).filter(|&side| stored(Metric::Dtm, side)) {
            let [restored, expected] =
                [restored, expected].map(|slice| &slice.get().unwrap()[side]);
            assert_eq!(restored.decided, expected.decided);
            let positions = (0..expected.dtm.len()).filter(|&place| {
                let won_or_lost = expected.dtm.plies(place).is_some();
                won_or_lost && expected.legal[place / 64] >> (place % 64) & 1 == 1
            });
            for place in positions {
                assert_eq!(restored.dtm.plies(place), expected.dtm.plies(place));
            }
        }
    }

    fn check_probes(
        space: &IndexSpace,
        side: Color,
        metric: Metric,
        today: &Tablebase,
        longer: &Tablebase,
    ) {
        let mut probed = 0;
        for index in 0..space.len() {
            let Some((_, position)) = space.position(index, side) else {
                continue;
            };
            let plies = |tables: &Tablebase| match metric {
                Metric::Dtm => tables.probe_dtm(&position).unwrap().map(|Dtm(plies)| plies),
                _ => {
                    let Dtz(plies) = tables.probe_dtz(&position).unwrap();
                    Some(plies)
                }
            };
            // A mated side has -1 ply to zeroing by convention.
            let expected = plies(today).map(|plies| match plies {
                -1 => -1,
                plies => plies * LONGER,
            });
            assert_eq!(plies(longer), expected, "{}", position.to_fen());
            probed += 1;
        }
        assert!(probed > 10_000);
    }
}
