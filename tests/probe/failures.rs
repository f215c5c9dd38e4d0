//! What a probe says when it has no answer.

use std::fs;
use std::path::Path;

use retrograde::chess::index::Placement;
use retrograde::chess::{Position, Role};
use retrograde::game::Color;
use retrograde::metric::{Metric, Wdl};
use retrograde::probe::ProbeOptions;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::xiangqi::Rules;
use retrograde::{ProbeError, Tablebase};

use super::{directory, tables};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

const QUEEN: &str = "8/8/8/4k3/8/8/3QK3/8 w - - 0 1";
const ROOK: &str = "8/8/8/4k3/8/8/3RK3/8 w - - 0 1";

/// A directory with copies of two tables, the second's bytes changed.
fn with_changed(change: impl FnOnce(&mut Vec<u8>)) -> (tempfile::TempDir, Tablebase) {
    let copy = tempfile::tempdir().unwrap();
    for name in ["KQvK.wdl", "KRvK.wdl"] {
        fs::copy(directory().join(name), copy.path().join(name)).unwrap();
    }
    let path = copy.path().join("KRvK.wdl");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let tables = Tablebase::open(copy.path()).unwrap();
    (copy, tables)
}

fn assert_one_line(error: &ProbeError) -> String {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    assert!(message.contains("; "), "{message}");
    message
}

#[test]
fn a_directory_that_is_not_there() {
    let error = Tablebase::open("/nowhere/at/all").unwrap_err();
    assert!(assert_one_line(&error).contains("/nowhere/at/all"));
}

#[test]
fn more_memory_than_there_is_is_an_error() {
    let absurd = [usize::MAX, usize::MAX / 2, 1 << 60];
    let open = |options: ProbeOptions| Tablebase::open_with(&[directory()], &options).unwrap_err();
    let no_memory = |error: ProbeError, option: &str| {
        let message = assert_one_line(&error);
        assert!(matches!(error, ProbeError::OutOfMemory { .. }), "{message}");
        assert!(message.contains(option), "{message}");
    };
    for bytes in absurd {
        let defaults = ProbeOptions::default;
        let cache = ProbeOptions {
            cache_bytes: bytes,
            ..defaults()
        };
        let xiangqi = XiangqiTables::open_with(&[directory()], Rules::CyclesDraw, &cache);
        let message = xiangqi.unwrap_err().to_string();
        assert!(message.contains("cache_bytes"), "{message}");
        no_memory(open(cache), "cache_bytes");
        let results = ProbeOptions {
            result_bytes: bytes,
            ..defaults()
        };
        no_memory(open(results), "result_bytes");
        let checkpoints = ProbeOptions {
            checkpoint_bytes: bytes,
            ..defaults()
        };
        no_memory(open(checkpoints), "checkpoint_bytes");
        // A limit only: nothing is taken before there is something to keep.
        let preloaded = ProbeOptions {
            preloaded_bytes: bytes,
            ..defaults()
        };
        let tables = Tablebase::open_with(&[directory()], &preloaded).unwrap();
        assert_eq!(tables.probe_wdl(&position(QUEEN)).unwrap(), Wdl::Win);
    }
}

#[test]
fn a_missing_table_is_named_with_the_command_that_makes_it() {
    let empty = tempfile::tempdir().unwrap();
    let none = Tablebase::open(empty.path()).unwrap();
    assert_eq!((none.max_men(), none.tables().len()), (0, 0));
    let error = none
        .probe_wdl(&position("8/8/8/4k3/8/7r/3QK3/8 b - - 0 1"))
        .unwrap_err();
    let message = assert_one_line(&error);
    assert!(message.contains("retrograde generate KQvKR"), "{message}");
    assert!(message.contains(&empty.path().display().to_string()));
    // Here a capture leads to bare kings, but the table is needed all the same.
    let error = none
        .probe_wdl(&position("8/8/8/8/8/4k3/4Q3/K7 b - - 0 1"))
        .unwrap_err();
    assert!(error.is_missing_table());
}

#[test]
fn six_and_thirty_two_men() {
    let six = position("8/2pk4/8/8/8/8/4KP1r/R7 w - - 0 1");
    assert!(matches!(
        tables().probe_wdl(&six),
        Err(ProbeError::MissingTable { material, .. }) if material == "KRPvKRP"
    ));
    let game = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    let error = tables().probe_dtm(&game).unwrap_err();
    assert!(matches!(error, ProbeError::TooManyMen { men: 32, .. }));
    assert!(error.is_missing_table());
    assert_one_line(&error);
}

#[test]
fn a_clock_that_has_advanced() {
    for clock in [1, 69, 70, 100, 4000] {
        let advanced = position(&format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 90"));
        let error = tables().probe_wdl(&advanced).unwrap_err();
        assert!(matches!(error, ProbeError::Clock { clock: found } if found == clock));
        assert!(!error.is_missing_table());
        assert!(assert_one_line(&error).contains(&format!("stands at {clock},")));
        assert_eq!(
            tables().probe_wdl_after_zeroing(&advanced).unwrap(),
            Wdl::Win
        );
        assert_eq!(tables().probe_dtz(&advanced).unwrap().0, 31);
    }
}

#[test]
fn castling_rights() {
    let castles = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let error = tables().probe_wdl(&castles).unwrap_err();
    assert!(matches!(error, ProbeError::CastlingRights));
    assert_one_line(&error);
    assert!(tables().root_moves(&castles).is_err());
    assert!(tables().line(&castles, 5).is_err());
}

#[test]
fn a_damaged_table_is_an_error_for_its_positions_only() {
    for damage in [
        |bytes: &mut Vec<u8>| bytes.truncate(100),
        |bytes: &mut Vec<u8>| bytes.clear(),
        |bytes: &mut Vec<u8>| bytes[40] ^= 1,
        |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 1),
        |bytes: &mut Vec<u8>| bytes.iter_mut().for_each(|byte| *byte = 0xff),
    ] {
        let (_directory, tables) = with_changed(damage);
        assert_eq!(tables.probe_wdl(&position(QUEEN)).unwrap(), Wdl::Win);
        let error = tables.probe_wdl(&position(ROOK)).unwrap_err();
        assert!(matches!(error, ProbeError::Table(_)), "{error}");
        assert!(assert_one_line(&error).contains("KRvK.wdl"));
        // Asking again gives the same answer, and the list still has it.
        assert_eq!(
            tables.probe_wdl(&position(ROOK)).unwrap_err().to_string(),
            error.to_string()
        );
        assert_eq!(tables.tables().len(), 2);
        assert!(tables.root_moves(&position(ROOK)).is_err());
    }
}

/// Opens tables among which `KRvK.wdl` is something else, mapped and not, and returns the errors.
fn errors_with_odd_file(make: impl FnOnce(&Path)) -> [String; 2] {
    let (copy, _) = with_changed(|_| ());
    let path = copy.path().join("KRvK.wdl");
    fs::remove_file(&path).unwrap();
    make(&path);
    [true, false].map(|map_files| {
        let options = ProbeOptions {
            map_files,
            ..ProbeOptions::default()
        };
        let tables = Tablebase::open_with(&[copy.path()], &options).unwrap();
        assert_eq!(tables.probe_wdl(&position(QUEEN)).unwrap(), Wdl::Win);
        assert_one_line(&tables.probe_wdl(&position(ROOK)).unwrap_err())
    })
}

#[test]
fn a_directory_with_the_name_of_a_table() {
    for message in errors_with_odd_file(|path| fs::create_dir(path).unwrap()) {
        assert!(message.contains("KRvK.wdl: a directory"), "{message}");
    }
}

/// A disk, a server or a limit may be better the next time; a long-lived process asks again.
#[test]
fn a_table_that_could_not_be_opened_is_tried_again() {
    let copy = tempfile::tempdir().unwrap();
    let path = copy.path().join("KRvK.wdl");
    fs::copy(directory().join("KRvK.wdl"), &path).unwrap();
    let tables = Tablebase::open(copy.path()).unwrap();
    fs::remove_file(&path).unwrap();
    for _ in 0..2 {
        assert!(tables.probe_wdl(&position(ROOK)).is_err());
    }
    fs::copy(directory().join("KRvK.wdl"), &path).unwrap();
    assert_eq!(tables.probe_wdl(&position(ROOK)).unwrap(), Wdl::Win);
}

#[cfg(unix)]
#[test]
fn a_pipe_with_the_name_of_a_table_is_not_waited_for() {
    let make = |path: &Path| {
        let status = std::process::Command::new("mkfifo").arg(path).status();
        assert!(status.unwrap().success());
    };
    for message in errors_with_odd_file(make) {
        assert!(message.contains("KRvK.wdl: a pipe"), "{message}");
    }
}

#[test]
fn every_changed_byte_is_an_error_or_changes_nothing() {
    let good = fs::read(directory().join("KRvK.wdl")).unwrap();
    for place in (0..good.len()).step_by(good.len() / 150 + 1) {
        let (_directory, tables) = with_changed(|bytes| bytes[place] ^= 0x55);
        for square in ["b1", "c4", "f7", "h8"] {
            for turn in ["w", "b"] {
                let mut setup = position(ROOK).to_setup();
                setup.pieces[0][Role::Rook.index()] = 0;
                setup.put(Role::Rook.of(Color::White), square.parse().unwrap());
                setup.turn = if turn == "w" {
                    Color::White
                } else {
                    Color::Black
                };
                let Ok(position) = Position::from_setup(&setup) else {
                    continue;
                };
                if let Ok(wdl) = tables.probe_wdl(&position) {
                    assert_eq!(Ok(wdl), super::tables().probe_wdl(&position).map_err(drop));
                }
            }
        }
    }
}

#[test]
fn a_table_under_another_name_is_not_believed() {
    let swap = |name: &str| {
        let copy = tempfile::tempdir().unwrap();
        fs::copy(directory().join(name), copy.path().join("KRvK.wdl")).unwrap();
        let tables = Tablebase::open(copy.path()).unwrap();
        tables.probe_wdl(&position(ROOK)).unwrap_err()
    };
    for (name, difference) in [("KQvK.wdl", "material KQvK"), ("KRvK.dtz", "metric 1")] {
        let error = swap(name);
        assert!(matches!(error, ProbeError::ForeignTable { .. }));
        assert!(assert_one_line(&error).contains(difference), "{error}");
    }
}

#[test]
fn the_first_of_two_directories_counts() {
    let (first, _) = with_changed(Vec::clear);
    let both = |directories: &[&Path]| {
        Tablebase::open_with(directories, &Default::default())
            .unwrap()
            .probe_wdl(&position(ROOK))
    };
    assert!(both(&[first.path(), directory()]).is_err());
    assert_eq!(both(&[directory(), first.path()]).unwrap(), Wdl::Win);
}

#[test]
fn stored_numbers_of_men_that_are_no_position() {
    let stored =
        |placement: &Placement| tables().stored_number(placement, Color::White, Metric::Wdl);
    let mut placement = Placement {
        men: position(ROOK).to_setup().pieces,
    };
    assert!(matches!(stored(&placement), Ok(Some(_))));
    placement.men[0][Role::Rook.index()] = placement.men[1][Role::King.index()];
    assert!(matches!(stored(&placement), Err(ProbeError::Placement(_))));
    placement.men[0][Role::Rook.index()] = 0;
    placement.men[0][Role::Pawn.index()] = 1;
    assert!(matches!(stored(&placement), Err(ProbeError::Placement(_))));
    placement.men[0][Role::Pawn.index()] = 1 << 20;
    placement.men[1][Role::King.index()] = 0;
    assert!(matches!(stored(&placement), Err(ProbeError::Placement(_))));
}
