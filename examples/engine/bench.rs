//! How fast the search is with and without tables, and which positions it asks them about.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::game::repetition::Line;

use super::search::{Limits, Search};
use super::transposition::Transpositions;

/// Endgames of six to eight men, from which captures and promotions lead to five and fewer.
pub const POSITIONS: [&str; 12] = [
    "8/5p2/8/1k2r3/8/2P5/1K6/4R3 w - - 0 1",
    "8/8/4kp2/8/1P6/2K5/6r1/3R4 w - - 0 1",
    "8/2p5/3k4/1r6/3PR3/4K3/8/8 b - - 0 1",
    "4k3/5p2/8/8/3q4/8/1PQ5/1K6 w - - 0 1",
    "8/1p6/1k6/3q4/8/4P3/4QK2/8 b - - 0 1",
    "8/5k2/3r1b2/8/8/2R5/1P3K2/8 w - - 0 1",
    "8/2kb4/8/1r6/8/3N4/4KR2/8 w - - 0 1",
    "5k2/8/2n2p2/8/8/1R3N2/5K2/8 w - - 0 1",
    "8/2q4k/8/8/4R1Q1/8/r4P2/6K1 w - - 0 1",
    "8/3k1p2/4p3/8/8/2P5/1P2K3/8 w - - 0 1",
    "8/1b3k2/5p2/8/3P4/2B5/4K3/8 w - - 0 1",
    "3r4/5pk1/8/8/1P6/1K6/3R1P2/8 w - - 0 1",
];

/// What a search of all positions took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    pub nodes: u64,
    pub table_hits: u64,
    pub time: Duration,
}

/// Searches every position to a depth, each as if it were the first. Positions that tables were
/// asked about are added to `probed`, if they are wanted.
pub fn search_all(
    tables: Option<&Tablebase>,
    mebibytes: usize,
    depth: usize,
    mut probed: Option<&mut Vec<Position>>,
) -> Sum {
    let mut transpositions = Transpositions::new(mebibytes);
    let stop = AtomicBool::new(false);
    let limits = Limits {
        depth,
        ..Limits::default()
    };
    let mut sum = Sum::default();
    for fen in POSITIONS {
        let position = Position::from_fen(fen).expect("a position");
        let game = Line::new(position);
        transpositions.clear();
        let mut search = Search::new(&game, tables, &mut transpositions, limits, &stop);
        search.probed = probed.is_some().then(Vec::new);
        let report = search.run(false, &mut |_| ());
        sum.nodes += report.nodes;
        sum.table_hits += report.table_hits;
        sum.time += report.time;
        if let (Some(all), Some(more)) = (&mut probed, search.probed) {
            all.extend(more);
        }
    }
    sum
}

/// Prints nodes a second without and with tables; writes the positions that were asked for to a
/// file, if one is named.
///
/// # Errors
///
/// If the file cannot be written.
pub fn run(
    tables: Option<&Tablebase>,
    mebibytes: usize,
    depth: usize,
    file: Option<&str>,
) -> io::Result<()> {
    let tell = |name: &str, sum: Sum| {
        let seconds = sum.time.as_secs_f64().max(1e-9);
        println!(
            "{name}: {} nodes, {:.3} s, {:.0} nodes/s, {} table hits",
            sum.nodes,
            seconds,
            sum.nodes as f64 / seconds,
            sum.table_hits
        );
    };
    tell("without tables", search_all(None, mebibytes, depth, None));
    if let Some(tables) = tables {
        let mut probed = file.map(|_| Vec::new());
        let sum = search_all(Some(tables), mebibytes, depth, probed.as_mut());
        tell("with tables", sum);
        let results = tables.result_statistics();
        println!(
            "results kept: {} hits, {} misses",
            results.hits, results.misses
        );
        if let (Some(file), Some(probed)) = (file, probed) {
            let mut out = io::BufWriter::new(std::fs::File::create(file)?);
            for position in probed {
                writeln!(out, "{}", position.to_fen())?;
            }
            out.flush()?;
        }
    }
    Ok(())
}
