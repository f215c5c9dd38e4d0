//! How many positions have which distance, of either game: counted, printed, and as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use indicatif::HumanCount;
use retrograde::table::{Count, SideStatistics};
use serde_json::{Value, json};

use crate::cli::print::counted;

/// Rows of a printed histogram, at most.
const ROWS: u32 = 24;
/// Columns of its longest bar.
const COLUMNS: u64 = 48;

/// The distances of one metric with one side to move, over the full board.
#[derive(Debug, Default)]
pub struct Distances {
    /// Positions by plies, for the side to move, without draws; those without a move at 0.
    pub histogram: BTreeMap<i32, u64>,
    longest: LongestWins,
}

/// The longest wins of one side in one metric.
#[derive(Debug, Default)]
struct LongestWins {
    /// Zero if there is no win.
    plies: i32,
    /// How many positions are won as slowly, over the full board.
    count: u64,
    /// Some of them, one of each set of mirror images.
    fens: Vec<String>,
}

impl Distances {
    /// The distances that a file keeps, in some counting; so many have lost without a move, and
    /// `fen` finds the position of an index.
    pub fn of_file(
        side: &SideStatistics,
        without_move: u64,
        number: impl Fn(Count) -> u64,
        fen: impl FnMut(u64) -> Option<String>,
        limit: usize,
    ) -> Distances {
        let plies = side.longest_win();
        let wins = side
            .wins
            .iter()
            .map(|(&plies, &count)| (plies as i32, count));
        let losses = side
            .losses
            .iter()
            .map(|(&plies, &count)| (-(plies as i32), count));
        let rows = wins
            .chain(losses)
            .map(|(plies, count)| (plies, number(count)));
        let at_once = (without_move > 0).then_some((0, without_move));
        Distances {
            histogram: rows.chain(at_once).collect(),
            longest: LongestWins {
                plies: plies as i32,
                count: side.wins.get(&plies).map_or(0, |&count| number(count)),
                fens: (side.longest.iter().take(limit).copied())
                    .filter_map(fen)
                    .collect(),
            },
        }
    }

    pub fn to_json(&self) -> Value {
        let LongestWins { plies, count, fens } = &self.longest;
        json!({
            "histogram": self.histogram.iter().collect::<Vec<_>>(),
            "longest": {"plies": plies, "positions": count, "fens": fens},
        })
    }

    /// Prints the histogram under a title, and the longest wins. `others` are rows without
    /// distances, draws first.
    ///
    /// # Errors
    ///
    /// If nothing can be written.
    pub fn print(&self, title: &str, others: &[(&str, u64)], out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{title}")?;
        print_histogram(&self.histogram, others, out)?;
        let LongestWins { plies, count, fens } = &self.longest;
        if *plies > 0 {
            let plies = counted(*plies as usize, "ply");
            let count = counted(*count as usize, "position");
            writeln!(out, "longest win: {plies}, {count}")?;
        }
        for fen in fens {
            writeln!(out, "  {fen}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}

fn print_histogram(
    histogram: &BTreeMap<i32, u64>,
    others: &[(&str, u64)],
    out: &mut dyn Write,
) -> Result<()> {
    let rows = bins(histogram, others);
    let highest = rows.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    for (name, count) in rows {
        // Something is never drawn as nothing.
        let columns = (count * COLUMNS).div_ceil(highest) as usize;
        let bar = "#".repeat(columns);
        let count = HumanCount(count).to_string();
        writeln!(out, "{name:>14} {count:>14} {bar}")?;
    }
    Ok(())
}

/// Rows of equal width in plies: wins from the shortest on, draws, losses from the longest on, and
/// what has lost at once.
fn bins(histogram: &BTreeMap<i32, u64>, others: &[(&str, u64)]) -> Vec<(String, u64)> {
    let longest = histogram.keys().map(|plies| plies.unsigned_abs()).max();
    let width = longest.unwrap_or(0).div_ceil(ROWS / 2).max(1);
    let mut wins: BTreeMap<u32, u64> = BTreeMap::new();
    let mut losses: BTreeMap<u32, u64> = BTreeMap::new();
    for (&plies, &count) in histogram {
        if plies == 0 {
            continue;
        }
        let bins = if plies > 0 { &mut wins } else { &mut losses };
        *bins
            .entry(plies.unsigned_abs().saturating_sub(1) / width)
            .or_default() += count;
    }
    let name = |what: &str, bin: u32| match width {
        1 => format!("{what} {}", bin + 1),
        _ => format!("{what} {}-{}", bin * width + 1, (bin + 1) * width),
    };
    let mut rows = Vec::new();
    rows.extend(wins.iter().map(|(&bin, &count)| (name("win", bin), count)));
    let mut others = others.iter().map(|&(name, count)| (name.to_owned(), count));
    rows.extend(others.next());
    rows.extend(
        losses
            .iter()
            .rev()
            .map(|(&bin, &count)| (name("loss", bin), count)),
    );
    rows.extend(others);
    rows
}
