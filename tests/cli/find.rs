//! `retrograde find`, compared with probing every position.

use std::collections::BTreeSet;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::metric::Wdl;
use serde_json::Value;

use super::Place;

fn found(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let all = ["find"].iter().chain(arguments).chain(&["--json"]).copied();
    let (status, out, err) = place.run(all);
    assert_eq!((status, err.as_str()), (0, ""), "{arguments:?}");
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The number of positions of a king and `man` against a king that are like something, one of each
/// symmetric set.
fn naive_count(man: char, is_like: impl Fn(&Tablebase, &Position) -> bool) -> usize {
    let tables = Tablebase::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tables")).unwrap();
    let images = if man == 'P' { 2 } else { 8 };
    let image = |square: usize, number: usize| {
        let (mut file, mut rank) = (square % 8, square / 8);
        file ^= 7 * (number & 1);
        rank ^= 7 * (number >> 1 & 1);
        if number & 4 != 0 {
            file * 8 + rank
        } else {
            rank * 8 + file
        }
    };
    let mut seen = BTreeSet::new();
    for number in 0..64 * 64 * 64 {
        let squares = [number % 64, number / 64 % 64, number / 4096];
        let symmetric = (0..images).map(|symmetry| squares.map(|square| image(square, symmetry)));
        let first = symmetric.min().unwrap();
        if squares != first
            || squares[0] == squares[1]
            || squares[2] == squares[0]
            || squares[1] == squares[2]
        {
            continue;
        }
        for turn in ["w", "b"] {
            let mut board = [' '; 64];
            for (square, man) in squares.into_iter().zip(['K', man, 'k']) {
                board[square] = man;
            }
            let ranks: Vec<String> = (board.chunks(8).rev())
                .map(|rank| {
                    rank.iter()
                        .map(|&man| if man == ' ' { '1' } else { man })
                        .collect()
                })
                .collect();
            let fen = format!("{} {turn} - - 0 1", ranks.join("/"));
            if let Ok(position) = Position::from_fen(&fen)
                && is_like(&tables, &position)
            {
                seen.insert((turn, first));
            }
        }
    }
    seen.len()
}

#[test]
fn all_positions_with_the_properties_are_found_and_no_others() {
    let place = Place::with_tables();
    let count = |arguments: &[&str]| {
        let (status, out, err) = place.run(
            ["find"]
                .iter()
                .chain(arguments)
                .chain(&["--count"])
                .copied(),
        );
        assert_eq!((status, err.as_str()), (0, ""));
        out.trim().parse::<usize>().unwrap()
    };
    let mates = naive_count('R', |tables, position| {
        let dtm = tables.probe_dtm(position).unwrap();
        dtm.is_some_and(|dtm| (7..=9).contains(&dtm.0))
    });
    assert!(mates > 100);
    assert_eq!(
        count(&["KRvK", "--category", "win", "--dtm", "7..9"]),
        mates
    );
    assert_eq!(
        found(
            &place,
            &["KRvK", "--category", "win", "--dtm", "7..9", "--all"]
        )
        .len(),
        mates
    );
    let pawns = naive_count('P', |tables, position| {
        let fen = position.to_fen();
        let pawn_on_a_or_h = fen
            .split(' ')
            .next()
            .unwrap()
            .split('/')
            .any(|rank| rank.starts_with('P') || rank.ends_with('P'));
        pawn_on_a_or_h && tables.probe_wdl(position).unwrap().signum2() == 0
    });
    assert_eq!(
        count(&["KPvK", "--category", "draw", "--pawn-files", "a,h"]),
        pawns
    );
    let only = naive_count('P', |tables, position| {
        let moves = position.legal_moves();
        let wins = moves
            .into_iter()
            .filter(|&m| tables.probe_wdl_after_zeroing(&position.play(m)).unwrap() == Wdl::Loss);
        wins.count() == 1
    });
    assert_eq!(
        count(&["kpk", "--category", "win", "--winning-moves", "1"]),
        only
    );
    let mated = found(
        &place,
        &["KRvK", "--category", "loss", "--dtm", "0", "--all"],
    );
    assert!(!mated.is_empty());
    for found in mated {
        let fen = found["fen"].as_str().unwrap();
        let probed = place.json(["probe", "--json", fen]);
        assert_eq!(
            (&found["dtz"], &found["dtm"]),
            (&probed["dtz"], &probed["dtm"]),
            "{fen}"
        );
    }
    // As `stats` counts them, whoever has to move.
    let stats = place.json(["stats", "KPvK", "--json"]);
    let different = stats["mutual_zugzwangs"]["different"].as_u64().unwrap() as usize;
    assert_eq!(count(&["KPvK", "--zugzwang", "--turn", "white"]), different);
}

#[test]
fn what_is_drawn_depends_on_the_seed_alone() {
    let place = Place::with_tables();
    let draw = |seed, threads| {
        let (status, out, _) = place.run([
            "find",
            "KPvK",
            "--random",
            "20",
            "--category",
            "win,loss",
            "--seed",
            seed,
            "--threads",
            threads,
        ]);
        assert_eq!(status, 0);
        assert_eq!(out.lines().count(), 20);
        out
    };
    let first = draw("1", "1");
    assert_eq!(first, draw("1", "3"));
    assert_ne!(first, draw("2", "1"));
    // What is printed can be asked for.
    std::fs::write(place.path("some.epd"), &first).unwrap();
    let (status, out, err) = place.run(["probe", "--epd", "some.epd"]);
    assert_eq!((status, err.as_str()), (0, ""));
    for (line, answer) in first.lines().zip(out.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let category = format!(
            "c0 \"{}, dtz {}, ",
            answer["category"].as_str().unwrap(),
            answer["dtz"]
        );
        assert!(line.contains(&category), "{line}");
        let plies = answer["dtm"].as_i64().unwrap();
        let moves = format!(" dm {};", (plies + i64::from(plies > 0)) / 2);
        assert!(plies == 0 || line.contains(&moves), "{line} {plies}");
    }
}

#[test]
fn the_longest_are_those_of_the_statistics() {
    let place = Place::with_tables();
    for by in ["dtm", "dtz"] {
        let longest = found(
            &place,
            &[
                "KPvK",
                "--longest",
                "3",
                "--category",
                "win",
                "--turn",
                "white",
                "--by",
                by,
            ],
        );
        assert_eq!(longest.len(), 3);
        let info = place.json(["info", "KPvK", "--json"]);
        assert_eq!(longest[0][by], info["longest"][by]["white"]["plies"]);
    }
}

#[test]
fn positions_of_xiangqi_are_found_as_well() {
    let place = Place::new();
    let rules = ["--game", "xiangqi", "--rules", "cycles-draw"];
    let (status, _, err) = place.run(
        ["generate", "KRvKN", "--tables", "tables"]
            .into_iter()
            .chain(rules),
    );
    assert_eq!(status, 0, "{err}");
    let arguments = [
        "KRvKN",
        "--longest",
        "5",
        "--category",
        "win",
        "--turn",
        "red",
    ];
    let longest = found(
        &place,
        &[&arguments[..], &["--tables", "tables"], &rules].concat(),
    );
    assert_eq!(longest[0]["dtm"], 25);
    let random = ["KRvKN", "--random", "30", "--tables", "tables"];
    for position in found(&place, &[&random[..], &rules].concat()) {
        let fen = position["fen"].as_str().unwrap();
        let answer = place.json(
            ["probe", fen, "--json", "--tables", "tables"]
                .into_iter()
                .chain(rules),
        );
        for field in ["category", "dtc", "dtm"] {
            assert_eq!(answer[field], position[field], "{fen} {field}");
        }
    }
    let only = [
        "KRvKN",
        "--winning-moves",
        "1",
        "--turn",
        "red",
        "--random",
        "3",
        "--tables",
        "tables",
    ];
    assert_eq!(found(&place, &[&only[..], &rules].concat()).len(), 3);
    let files = ["find", "KRvKN", "--pawn-files", "a", "--tables", "tables"];
    assert_eq!(place.run(files.into_iter().chain(rules)).0, 2);
}

#[test]
fn what_cannot_be_found_is_said() {
    let place = Place::with_tables();
    for (arguments, status, says) in [
        (&["find", "KQvKR"][..], 1, "generate KQvKR"),
        (
            &["find", "KRvK", "--category", "cursed-win"],
            1,
            "no position of KRvK is like that",
        ),
        (
            &["find", "KRvK", "--dtm", "9..5"],
            2,
            "write a number or a range",
        ),
        (
            &["find", "KPvK", "--pawn-files", "i"],
            2,
            "files from a to h",
        ),
    ] {
        let (found, _, err) = place.run(arguments.iter().copied());
        assert_eq!(found, status, "{arguments:?} {err}");
        assert!(err.contains(says), "{err}");
    }
}
