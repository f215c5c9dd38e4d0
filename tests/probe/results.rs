//! Answers that are kept.

use std::thread;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::metric::Wdl;
use retrograde::probe::ProbeOptions;

use super::random::{Random, en_passant_positions};
use super::{all_materials, directory};

/// The tables with so many bytes for results.
fn with_result_bytes(result_bytes: usize) -> Tablebase {
    let options = ProbeOptions {
        result_bytes,
        ..ProbeOptions::default()
    };
    Tablebase::open_with(&[directory()], &options).unwrap()
}

/// Positions of all materials and captures en passant, in no order.
fn positions() -> Vec<Position> {
    let mut random = Random(5);
    let mut positions = en_passant_positions(&mut random, 10);
    for material in all_materials() {
        positions.extend((0..100).map(|_| random.position(&material)));
    }
    for end in (1..positions.len()).rev() {
        positions.swap(end, random.below(end as u64 + 1) as usize);
    }
    positions
}

#[test]
fn kept_answers_are_those_of_the_tables() {
    let positions = positions();
    let none = with_result_bytes(0);
    let answers: Vec<Wdl> = positions
        .iter()
        .map(|position| none.probe_wdl(position).unwrap())
        .collect();
    assert_eq!(none.result_statistics(), Default::default());
    // One bucket, some, and enough for all.
    for bytes in [32, 4_096, 1 << 20] {
        let tables = with_result_bytes(bytes);
        thread::scope(|scope| {
            for first in 0..4 {
                let (tables, positions, answers) = (&tables, &positions, &answers);
                scope.spawn(move || {
                    for number in (0..3 * positions.len()).map(|number| number + first) {
                        let number = number % positions.len();
                        let found = tables.probe_wdl(&positions[number]).unwrap();
                        let fen = positions[number].to_fen();
                        assert_eq!(found, answers[number], "{bytes} bytes: {fen}");
                    }
                });
            }
        });
        let statistics = tables.result_statistics();
        assert_eq!(statistics.bytes, bytes);
        // Fewer are forgotten before the threads come by again.
        assert!(bytes < 1 << 20 || statistics.hits > 0);
        let en_passant = |position: &&Position| position.en_passant_square().is_some();
        let kept = positions.len() - positions.iter().filter(en_passant).count();
        assert_eq!(statistics.hits + statistics.misses, 12 * kept as u64);
    }
}

#[test]
fn a_second_probe_is_answered_without_the_table() {
    let tables = with_result_bytes(1 << 20);
    let position = Position::from_fen("8/8/8/8/8/2k5/1R6/K7 w - - 0 1").unwrap();
    for _ in 0..3 {
        assert_eq!(tables.probe_wdl(&position).unwrap(), Wdl::Win);
    }
    let blocks = tables.cache_statistics();
    assert_eq!(blocks.hits + blocks.misses, 1);
    let results = tables.result_statistics();
    assert_eq!((results.hits, results.misses), (2, 1));
    tables.clear_cache();
    assert_eq!(tables.probe_wdl(&position).unwrap(), Wdl::Win);
    assert_eq!(tables.cache_statistics().misses, 2);
}

#[test]
fn what_was_kept_does_not_hide_an_error() {
    let tables = with_result_bytes(1 << 20);
    let missing = Position::from_fen("8/2pk4/8/8/8/8/4KP1r/R7 w - - 0 1").unwrap();
    for _ in 0..2 {
        assert!(tables.probe_wdl(&missing).unwrap_err().is_missing_table());
    }
    let castles = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    let cannot = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
    assert_eq!(tables.probe_wdl(&cannot).unwrap(), Wdl::Win);
    assert!(tables.probe_wdl(&castles).is_err());
}
