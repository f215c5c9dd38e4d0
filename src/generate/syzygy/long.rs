//! Streams that are made one after the other, and those that are never in memory as a whole, with
//! limits that are low enough for materials of three and four men.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::chess::solve::solved::Solved;
use crate::chess::solve::{SolveOptions, gather_targets, solve};
use crate::generate::{GenerateOptions, Plan};
use crate::table::Compression;
use crate::verify::verify;

const METRICS: [Metric; 2] = [Metric::Wdl, Metric::Dtz];

/// Writes our own tables of some materials and of all that they lead to, as quickly as possible,
/// and returns the values that Syzygy tables of all are made from.
fn generated(directory: &Path, names: &[&str]) -> HashMap<Material, Arc<Solved>> {
    let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
    let options = GenerateOptions {
        compression: Compression::Fast,
        metrics: METRICS.to_vec(),
        ..GenerateOptions::new(directory, materials)
    };
    let plan = Plan::new(&options).unwrap();
    let cancel = AtomicBool::new(false);
    let options = SolveOptions {
        mates: false,
        captures_alone: true,
        ..SolveOptions::new(&cancel)
    };
    let mut all = HashMap::new();
    for step in plan.steps() {
        let targets = gather_targets(&step.material, &all, options.width).unwrap();
        let solved = solve(step.material, &targets, options).unwrap();
        all.insert(step.material, Arc::new(solved));
    }
    plan.run(&cancel, &()).unwrap();
    all
}

/// The bytes of a file that is written within limits.
fn written(directory: &Path, solved: &Solved, metric: Metric, limits: Limits) -> Vec<u8> {
    let cancel = AtomicBool::new(false);
    let writing = Writing {
        directory,
        scratch: &ScratchDirectory::new(directory),
        has_high_bytes: false,
        limits,
        cancel: &cancel,
    };
    let bytes = write_syzygy(solved, metric, &writing).unwrap();
    let name = syzygy::file_name(&solved.material, metric).unwrap();
    let written = std::fs::read(directory.join(name)).unwrap();
    assert_eq!(written.len() as u64, bytes);
    written
}

/// Materials of each kind: different men, equal men, a pawn, pawns on both sides.
const NAMES: [&str; 4] = ["KRvKN", "KNNvK", "KRvKP", "KPvKP"];
/// The same men on both sides, a pawn of Black's that may win, and pawns of one side.
const OTHERS: [&str; 3] = ["KQvKQ", "KBvKP", "KPvK"];

#[test]
fn tables_are_the_same_however_little_is_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let all = generated(directory.path(), &NAMES);
    for material in NAMES.iter().chain(&OTHERS) {
        for metric in METRICS {
            let material = material.parse::<Material>().unwrap().normal_form();
            written(directory.path(), &all[&material], metric, Limits::DEFAULT);
        }
    }
    streams_one_after_the_other_are_the_same(directory.path(), &all);
    long_streams_have_the_same_values(directory.path(), &all);
}

fn streams_one_after_the_other_are_the_same(
    directory: &Path,
    all: &HashMap<Material, Arc<Solved>>,
) {
    let other = tempfile::tempdir().unwrap();
    let one = Limits {
        at_once: 0,
        ..Limits::DEFAULT
    };
    for material in NAMES.iter().chain(&OTHERS) {
        let material = material.parse::<Material>().unwrap().normal_form();
        for metric in METRICS {
            let name = syzygy::file_name(&material, metric).unwrap();
            let usual = std::fs::read(directory.join(&name)).unwrap();
            let ours = written(other.path(), &all[&material], metric, one);
            assert!(ours == usual, "{name}");
        }
    }
}

fn long_streams_have_the_same_values(directory: &Path, all: &HashMap<Material, Arc<Solved>>) {
    // Samples of a fifth, and of less than a piece where there is a stream for each file.
    let low = Limits {
        at_once: 0,
        stream: 3 * PIECE as u64,
    };
    let with_threads = |threads: usize, solved: &Solved, metric| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| written(directory, solved, metric, low))
    };
    let mut others = 0;
    for material in NAMES.map(|name| name.parse::<Material>().unwrap().normal_form()) {
        for metric in METRICS {
            let name = syzygy::file_name(&material, metric).unwrap();
            let usual = std::fs::read(directory.join(&name)).unwrap();
            let long = with_threads(2, &all[&material], metric);
            others += usize::from(long != usual);
            assert!(
                long.len() < usual.len() * 5 / 4,
                "{name}: {} instead of {}",
                long.len(),
                usual.len()
            );
            assert!(with_threads(3, &all[&material], metric) == long, "{name}");
        }
        // Every value of it and of our own tables, against those of its successors.
        let cancel = AtomicBool::new(false);
        let report = verify(directory, &[material], &cancel, &()).unwrap();
        assert!(report.is_clean() && report.tables == 4, "{report:?}");
    }
    // What is drawn nearly everywhere has the same bytes.
    assert!(others >= 4, "{others}");
}
