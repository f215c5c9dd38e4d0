//! Solved sets in files.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::probe::solved::{SolvedSet, SolvedSetError, save};
use retrograde::reach::{Handicap, Leaves, NoLeaves, Options, Solved, solve};
use retrograde::table::records::Records;
use retrograde::verify::solved::{SolvedReport, verify_solved};
use tempfile::TempDir;

use super::{Tables, position, solved};
use crate::probe;

/// A pawn ending whose pieces are in tables of three men.
const BLOCKED: &str = "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1";
const WALL: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";

fn three_men(tables: &Tablebase) -> Tables<'_> {
    Tables {
        tables,
        men: 3,
        except: None,
    }
}

/// The bytes of the file of a set.
fn bytes(solved: &Solved) -> Vec<u8> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.solved");
    let len = save(solved, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, len);
    // Nothing but the file is left.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    bytes
}

fn open(bytes: Vec<u8>) -> Result<SolvedSet, SolvedSetError> {
    let path = Path::new("in memory");
    match Records::from_store(Box::new(bytes)) {
        Ok(records) => SolvedSet::new(path, records),
        Err(problem) => Err(SolvedSetError {
            path: path.to_owned(),
            problem,
        }),
    }
}

fn verify(set: &SolvedSet, leaves: &dyn Leaves) -> SolvedReport {
    verify_solved(set, leaves, &AtomicBool::new(false), &|_| ())
        .unwrap()
        .unwrap()
}

/// The positions that are reached in so many plies.
fn reached(root: &Position, plies: usize) -> Vec<Position> {
    let mut all = vec![*root];
    let mut last = vec![*root];
    for _ in 0..plies {
        let next: Vec<Position> = last
            .iter()
            .flat_map(|position| {
                let moves = position.legal_moves();
                moves
                    .into_iter()
                    .map(|m| position.play(m))
                    .collect::<Vec<_>>()
            })
            .collect();
        all.extend(&next);
        last = next;
    }
    all
}

#[test]
fn a_saved_set_has_the_values_that_were_solved() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    for (fen, leaves) in [
        (BLOCKED, &three_men(&tables) as &dyn Leaves),
        (WALL, &NoLeaves),
    ] {
        let solved = solved(fen, leaves);
        let set = open(bytes(&solved)).unwrap();
        assert_eq!(set.len(), solved.progress.positions as u64);
        assert_eq!(set.root().to_fen(), fen);
        let mut inside = 0;
        for position in reached(&position(fen), 4) {
            let value = set.value(&position).unwrap();
            assert_eq!(value, solved.value(&position), "{position:?}");
            inside += usize::from(value.is_some());
            assert_eq!(
                set.probe_wdl(&position).unwrap(),
                value.map(|value| value.dtz.wdl())
            );
            assert_eq!(
                set.probe_dtz(&position).unwrap(),
                value.map(|value| value.dtz)
            );
            assert_eq!(
                set.probe_dtm(&position).unwrap(),
                value.and_then(|value| value.dtm)
            );
        }
        assert!(inside > 100);
        // Another position is not in it.
        let other = position("8/8/8/4k3/8/8/3QK3/8 w - - 0 1");
        assert_eq!(set.value(&other).unwrap(), None);
        let report = verify(&set, leaves);
        assert_eq!((report.positions, report.differences), (set.len(), 0));
    }
}

#[test]
fn images_of_a_position_are_found_in_a_saved_set() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let set = open(bytes(&solved("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", &NoLeaves))).unwrap();
    assert_eq!(set.len(), 50_009);
    // White's king in all parts of the board and on both long diagonals, once with all men on one.
    for fen in [
        "8/8/2R5/8/1k6/8/4K3/8 b - - 0 1",
        "8/3K4/8/1k6/8/5R2/8/8 b - - 0 1",
        "8/8/3K4/8/1k6/5R2/8/8 w - - 0 1",
        "8/8/8/2R5/7K/8/3k4/8 w - - 0 1",
        "8/4K3/8/1k6/8/2R5/8/8 b - - 0 1",
        "8/8/5R2/8/6k1/8/3K4/8 b - - 0 1",
        "8/8/1R6/8/3k4/8/8/6K1 b - - 0 1",
        "7K/8/8/8/3k4/8/1R6/8 w - - 0 1",
        "8/1R6/8/8/4k3/8/8/7K w - - 0 1",
        "8/1K6/8/8/4k3/8/8/7R b - - 0 1",
    ] {
        let position = position(fen);
        let value = set.value(&position).unwrap().unwrap();
        assert_eq!(value.dtz, tables.probe_dtz(&position).unwrap(), "{fen}");
        assert_eq!(value.dtm, tables.probe_dtm(&position).unwrap(), "{fen}");
    }
    let report = verify(&set, &NoLeaves);
    assert_eq!((report.positions, report.differences), (set.len(), 0));
}

#[test]
fn moves_of_a_saved_set_are_ordered_as_those_of_tables() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let leaves = three_men(&tables);
    let set = open(bytes(&solved(BLOCKED, &leaves))).unwrap();
    let moves = set.root_moves(set.root(), &leaves).unwrap();
    let value = set.value(set.root()).unwrap().unwrap();
    assert_eq!(value.dtz.wdl(), Wdl::Win);
    let best = moves[0].dtz.and_then(|dtz| dtz.exact()).unwrap();
    assert_eq!(best.before_quiet_move(), value.dtz);
    assert!(moves.iter().all(|m| m.wdl.is_some()));
}

#[test]
fn a_set_without_mates_is_saved_without_them() {
    let options = Options {
        mates: false,
        ..Options::default()
    };
    let solved = solve(&position(WALL), &NoLeaves, &options).unwrap();
    let set = open(bytes(&solved)).unwrap();
    assert!(!set.has_mates());
    let value = set.value(set.root()).unwrap().unwrap();
    assert_eq!((value.dtz, value.dtm), (Dtz(0), None));
    assert_eq!(verify(&set, &NoLeaves).differences, 0);
}

#[test]
fn the_number_of_threads_does_not_change_the_file() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| bytes(&solved(BLOCKED, &three_men(&tables))))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn bounds_are_not_saved() {
    let handicap = Handicap {
        pieces: Some(0),
        ..Handicap::none(retrograde::game::Color::White)
    };
    let options = Options {
        handicap: Some(&handicap),
        ..Options::default()
    };
    let solved = solve(&position(WALL), &NoLeaves, &options).unwrap();
    let directory = TempDir::new().unwrap();
    let error = save(&solved, &directory.path().join("a")).unwrap_err();
    assert!(
        error.to_string().contains("without restrictions"),
        "{error}"
    );
}

#[test]
fn damage_is_found_wherever_it_is() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let leaves = three_men(&tables);
    let bytes = bytes(&solved(BLOCKED, &leaves));
    let whole = verify(&open(bytes.clone()).unwrap(), &leaves);
    assert_eq!(whole.differences, 0);
    let cancel = AtomicBool::new(false);
    // Every byte of the header and the last ones of the directory, and some of all others.
    let len = bytes.len();
    let places = (0..128)
        .chain((128..len).step_by(len / 200))
        .chain(len - 64..len);
    for place in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        let error = match open(damaged) {
            Err(error) => error.to_string(),
            Ok(set) => verify_solved(&set, &leaves, &cancel, &|_| ())
                .unwrap_err()
                .to_string(),
        };
        assert!(error.contains("make it again"), "byte {place}: {error}");
    }
    for end in [0, 10, 107, 108, len / 2, len - 1] {
        assert!(open(bytes[..end].to_vec()).is_err(), "{end}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(open(longer).is_err());
}

#[test]
fn a_set_that_leads_to_unknown_positions_is_not_verified() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let set = open(bytes(&solved(BLOCKED, &three_men(&tables)))).unwrap();
    // Without the tables nobody knows what is behind the captures.
    let report = verify(&set, &NoLeaves);
    assert!(report.differences > 0);
    let first = &report.listed[0];
    assert_eq!(first.expected, None);
    assert!(first.to_string().contains("nothing is known"), "{first}");
    assert_ne!(first.stored.dtm, Some(Dtm(0)));
}
