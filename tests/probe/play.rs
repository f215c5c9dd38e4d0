//! Ranked moves and best lines.

use std::path::Path;

use retrograde::chess::Position;
use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::metric::{Dtm, Dtz, Metric, Wdl};
use retrograde::probe::{LineEnd, ProbeOptions, TableFile};
use retrograde::table::{Compression, StreamSource, write_table};
use retrograde::{ProbeError, Tablebase};

use super::random::{Random, en_passant_positions};
use super::{all_materials, directory, empty_directory, tables};
use crate::solved;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// The tables of some metrics, without the others.
fn tables_of(name: &str, metrics: &[Metric]) -> Tablebase {
    let copy = empty_directory(name);
    for file in tables().tables() {
        if metrics.contains(&file.metric()) {
            std::fs::copy(file.path(), copy.join(file.path().file_name().unwrap())).unwrap();
        }
    }
    Tablebase::open(copy).unwrap()
}

#[test]
fn every_value_follows_from_the_values_after_the_moves() {
    let mut random = Random(1);
    let mut positions: Vec<Position> = all_materials()
        .iter()
        .flat_map(|material| {
            (0..200)
                .map(|_| random.position(material))
                .collect::<Vec<_>>()
        })
        .collect();
    positions.extend(en_passant_positions(&mut random, 50));
    for position in positions {
        let fen = position.to_fen();
        let moves = tables().root_moves(&position).unwrap();
        let wdl = tables().probe_wdl(&position).unwrap();
        let dtz = tables().probe_dtz(&position).unwrap();
        let dtm = tables().probe_dtm(&position).unwrap();
        assert_eq!(dtz.wdl(), wdl, "{fen}");
        assert_eq!(
            dtm.map_or(0, |dtm| (dtm.0 > 0) as i32 * 2 - 1),
            wdl.signum2().signum(),
            "{fen}"
        );
        let Some(best) = moves.first() else {
            let expected = if position.is_check() {
                (Some(Dtm(0)), -1)
            } else {
                (None, 0)
            };
            assert_eq!((dtm, dtz.0), expected, "{fen}");
            continue;
        };
        assert_eq!(best.wdl.map(|wdl| -wdl), Some(wdl), "{fen}");
        let best_dtz = match wdl {
            Wdl::Draw => 0,
            _ if best.is_zeroing => wdl.dtz_of_zeroing_move().0,
            _ if best.is_checkmate => 1,
            _ => best.dtz.unwrap().shortest.before_quiet_move().0,
        };
        assert_eq!(best_dtz, dtz.0, "{fen}");
        let after: Vec<Option<Dtm>> = moves.iter().map(|m| m.dtm.map(Dtm::before_move)).collect();
        let shortest = after.iter().flatten().filter(|dtm| dtm.0 > 0).min();
        let longest = after.iter().flatten().min();
        match dtm {
            None => assert!(after.contains(&None) && shortest.is_none(), "{fen}"),
            Some(Dtm(1..)) => assert_eq!(shortest.copied(), dtm, "{fen}"),
            Some(_) => assert_eq!(
                (longest.copied(), after.contains(&None)),
                (dtm, false),
                "{fen}"
            ),
        }
    }
}

/// Copies a table with the values of one side to move only, and says that the fifty-move rule
/// changes some of the other side's.
fn copy_one_side(file: &TableFile, side: u8, to: &Path) {
    let table = file.table().unwrap();
    let stream = table.stream(side).unwrap();
    let values = table.read_stream(stream).unwrap();
    let source = StreamSource {
        order: stream.order(),
        ..StreamSource::new(side, stream.len(), &values)
    };
    let path = to.join(file.path().file_name().unwrap());
    let options = Compression::Fast.into();
    let mut description = table.description().clone();
    description.counts[1 - usize::from(side)].blessed_loss += 1;
    write_table(&path, &description, &[source], &options, &|_, _| true).unwrap();
}

/// All tables, the results of some materials with the first sides to move and their distances with
/// the second.
fn tables_with_sides(name: &str, materials: &[Material], sides: [&[u8]; 2]) -> Tablebase {
    let directory = empty_directory(name);
    for file in tables().tables() {
        let material = file.material();
        if materials.contains(material) && !material.is_symmetric() {
            let solved = &solved::all()[material];
            let sides = sides[usize::from(file.metric() != Metric::Wdl)];
            solved::write_sides(&directory, solved, file.metric(), sides);
        } else {
            let name = file.path().file_name().unwrap();
            std::fs::copy(file.path(), directory.join(name)).unwrap();
        }
    }
    Tablebase::open(directory).unwrap()
}

#[test]
fn one_stored_side_answers_for_both() {
    let materials: Vec<Material> = Material::all_with_men(3)
        .into_iter()
        .chain(["KPvKP", "KRvKN", "KQvKP"].map(|signature| signature.parse().unwrap()))
        .collect();
    let with_sides = |name: &str, sides| tables_with_sides(name, &materials, sides);
    let both = with_sides("probe-both-sides", [&[0, 1], &[0, 1]]);
    let one_side = [
        with_sides("probe-white-only", [&[0], &[0]]),
        with_sides("probe-black-only", [&[1], &[1]]),
        with_sides("probe-results-of-white", [&[0], &[1]]),
        with_sides("probe-results-of-black", [&[1], &[0]]),
        with_sides("probe-distances-of-black", [&[0, 1], &[1]]),
        with_sides("probe-distances-of-both", [&[1], &[0, 1]]),
    ];
    let mut random = Random(3);
    let mut positions: Vec<Position> = materials
        .iter()
        .flat_map(|material| {
            (0..1_000)
                .map(|_| random.position(material))
                .collect::<Vec<_>>()
        })
        .collect();
    positions.extend(en_passant_positions(&mut random, 100));
    for position in positions {
        let fen = position.to_fen();
        let values = |tables: &Tablebase| {
            (
                tables.probe_wdl(&position).unwrap(),
                tables.probe_dtz(&position).unwrap(),
                tables.probe_dtm(&position).unwrap(),
            )
        };
        let expected = values(&both);
        if position.legal_en_passant_square().is_none() {
            assert_eq!(expected, solved_values(&position), "{fen}");
        }
        for one_side in &one_side {
            assert_eq!(values(one_side), expected, "{fen}");
        }
    }
}

/// What the solver says about a position.
fn solved_values(position: &Position) -> (Wdl, Dtz, Option<Dtm>) {
    let mut placement = Placement::from(position);
    let mut turn = position.turn();
    if !Material::from_counts(placement.counts())
        .unwrap()
        .is_normal()
    {
        placement = placement.with_colors_exchanged();
        turn = !turn;
    }
    let material = Material::from_counts(placement.counts()).unwrap();
    let value = solved::value(&solved::all()[&material], turn, &placement).unwrap();
    // A mated position has distance 0 in tables, and -1 in answers, which have a sign.
    let dtz = value.wdl.signum2().signum() * i32::from(value.dtz.max(1));
    (value.wdl, Dtz(dtz), value.dtm)
}

#[test]
fn results_lack_no_side_that_the_fifty_move_rule_changes() {
    let directory = empty_directory("probe-one-side-of-results");
    let queen: Material = "KQvK".parse().unwrap();
    for side in [0, 1] {
        copy_one_side(
            tables().table(&queen, Metric::Wdl).unwrap(),
            side,
            &directory,
        );
        let one_side = Tablebase::open(&directory).unwrap();
        for turn in ["w", "b"] {
            let position = position(&format!("8/8/8/4k3/8/8/3QK3/8 {turn} - - 0 1"));
            let error = one_side.probe_wdl(&position).unwrap_err();
            assert!(matches!(error, ProbeError::ForeignTable { .. }));
            let lacking = ["black", "white"][usize::from(side)];
            assert!(error.to_string().contains(lacking), "{error}");
        }
    }
}

#[test]
fn lines_end_in_mate_after_as_many_plies_as_the_table_says() {
    let by_zeroing = tables_of("probe-without-dtm", &[Metric::Wdl, Metric::Dtz]);
    let mut random = Random(9);
    for material in all_materials() {
        for _ in 0..4 {
            let position = random.position(&material);
            let fen = position.to_fen();
            let line = tables().line(&position, 300).unwrap();
            assert_eq!(line.metric, Metric::Dtm);
            let Some(dtm) = tables().probe_dtm(&position).unwrap() else {
                assert_eq!((line.moves.len(), line.end), (0, LineEnd::Draw), "{fen}");
                continue;
            };
            assert_eq!(line.end, LineEnd::Checkmate, "{fen}");
            assert_eq!(line.moves.len() as u32, dtm.0.unsigned_abs(), "{fen}");
            let line = by_zeroing.line(&position, 300).unwrap();
            assert_eq!(
                (line.metric, line.end),
                (Metric::Dtz, LineEnd::Checkmate),
                "{fen}"
            );
        }
    }
}

#[test]
fn a_line_by_mate_keeps_a_win_that_the_clock_leaves() {
    // Kings' moves mate sooner, if the rule did not end the game first.
    for clock in [0, 98, 99] {
        let start = position(&format!("4k3/8/2K5/8/3P4/8/8/8 w - - {clock} 90"));
        let line = tables().line(&start, 300).unwrap();
        assert_eq!((line.metric, line.end), (Metric::Dtm, LineEnd::Checkmate));
        let mut current = start;
        for m in &line.moves {
            current = current.play(m.played);
            assert!(current.is_checkmate() || current.halfmoves() < 100);
        }
        assert_eq!(line.moves[0].played.is_zeroing(), clock >= 98);
        let fastest = tables().probe_dtm(&start).unwrap().unwrap().0 as usize;
        assert_eq!(line.moves.len() == fastest, clock == 0);
    }
    // What the rule has made a draw is played to its mate.
    let late = position("8/8/8/8/8/2k5/1R6/K7 w - - 80 1");
    let line = tables().line(&late, 300).unwrap();
    assert_eq!((line.moves.len(), line.end), (31, LineEnd::Checkmate));
}

#[test]
fn a_line_goes_on_by_zeroing_where_distances_to_mate_are_missing() {
    let start = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let without = |name: &str, metrics: &[Metric]| {
        let directory = empty_directory(name);
        for file in tables().tables() {
            let is_queen = file.material().to_string() == "KQvK";
            if file.material().men() == 3 && !(is_queen && metrics.contains(&file.metric())) {
                let to = directory.join(file.path().file_name().unwrap());
                std::fs::copy(file.path(), to).unwrap();
            }
        }
        Tablebase::open(directory)
            .unwrap()
            .line(&start, 300)
            .unwrap()
    };
    let line = without("probe-line-without-dtm", &[Metric::Dtm]);
    assert_eq!((line.metric, line.end), (Metric::Dtm, LineEnd::Checkmate));
    assert_eq!(line.reason, None);
    let by_mate = line
        .moves
        .iter()
        .take_while(|m| m.metric == Metric::Dtm)
        .count();
    assert!(by_mate > 0 && by_mate < line.moves.len());
    assert!(
        line.moves[by_mate..]
            .iter()
            .all(|m| m.metric == Metric::Dtz)
    );
    // One move promotes, and no table tells how far the next zeroing move is then.
    let line = without("probe-line-only-wdl", &[Metric::Dtm, Metric::Dtz]);
    assert_eq!(line.end, LineEnd::Unknown);
    assert!(line.reason.unwrap().contains("KQvK"));
    assert!(!line.moves.is_empty());
    // Not even the value of the promotion.
    let line = without("probe-line-without-queen", &Metric::ALL);
    assert_eq!(line.end, LineEnd::Unknown);
    assert!(line.reason.unwrap().contains("KQvK"));
    assert!(!line.moves.is_empty());
    assert!(line.moves.iter().all(|m| !m.san.contains('=')));
}

#[test]
fn a_line_is_written_in_both_notations_and_stops_when_told() {
    let start = position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    let line = tables().line(&start, 3).unwrap();
    assert_eq!(line.end, LineEnd::TooLong);
    assert_eq!(line.moves.len(), 3);
    let mut current = start;
    for m in &line.moves {
        assert_eq!(m.uci, m.played.to_uci());
        assert_eq!(
            retrograde::chess::Move::from_san(&current, &m.san),
            Ok(m.played)
        );
        current = current.play(m.played);
    }
}

#[test]
fn the_clock_makes_late_wins_worse_than_early_ones() {
    // 31 plies to mate and no zeroing move before: with 80 plies on the clock nothing wins any
    // more.
    let fresh = position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    let late = position("8/8/8/8/8/2k5/1R6/K7 w - - 80 1");
    for position in [fresh, late] {
        let moves = tables().root_moves(&position).unwrap();
        assert_eq!(moves[0].wdl, Some(Wdl::Loss));
        let plies: Vec<i32> = moves
            .iter()
            .filter(|m| m.wdl == Some(Wdl::Loss))
            .map(|m| -m.dtz.unwrap().shortest.0)
            .collect();
        assert!(plies.is_sorted());
    }
    // A pawn move sets the clock back and wins; queen moves would be too late.
    let late = position("8/8/8/8/8/1K6/4P3/k7 w - - 99 1");
    assert!(tables().root_moves(&late).unwrap()[0].is_zeroing);
}

#[test]
fn without_distances_to_zeroing_moves_are_ordered_by_mate() {
    let by_mate = tables_of("probe-without-dtz", &[Metric::Wdl, Metric::Dtm]);
    let mut random = Random(11);
    for material in all_materials() {
        let position = random.position(&material);
        let moves = by_mate.root_moves(&position).unwrap();
        for result in [Wdl::Win, Wdl::Loss] {
            let plies: Vec<i32> = moves
                .iter()
                .filter(|m| m.wdl == Some(result))
                .map(|m| -m.dtm.unwrap().0)
                .collect();
            assert!(plies.is_sorted(), "{}: {plies:?}", position.to_fen());
        }
    }
}

#[test]
fn missing_metrics_are_left_out_of_moves() {
    let only_results = tables_of("probe-only-wdl", &[Metric::Wdl]);
    let start = position("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    let moves = only_results.root_moves(&start).unwrap();
    assert_eq!(moves[0].wdl, Some(Wdl::Loss));
    assert!(moves.iter().all(|m| m.wdl.is_some() && m.dtm.is_none()));
    assert!(matches!(
        only_results.line(&start, 10),
        Err(ProbeError::MissingTable { metric: Metric::Dtz, material, .. }) if material == "KRvK"
    ));
}

#[test]
fn threads_and_small_caches_give_the_same_answers() {
    let options = ProbeOptions {
        cache_bytes: 100_000,
        map_files: false,
        ..ProbeOptions::default()
    };
    let small = Tablebase::open_with(&[directory()], &options).unwrap();
    let materials = all_materials();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (small, materials) = (&small, &materials);
            scope.spawn(move || {
                let mut random = Random(seed / 2);
                for number in 0..1_500 {
                    let position = random.position(&materials[number % materials.len()]);
                    assert_eq!(
                        small.probe_dtm(&position).unwrap(),
                        tables().probe_dtm(&position).unwrap()
                    );
                }
            });
        }
    });
    let statistics = small.cache_statistics();
    assert!(statistics.bytes <= options.cache_bytes);
    assert!(statistics.misses > 0);
}
