//! How answers are asked for and shown: which distances come first, boards, games, several
//! directories, spellings.

use std::io::Write;
use std::process::Stdio;

use super::Place;

const WON: &str = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";

#[test]
fn moves_and_line_are_by_the_same_distances() {
    let place = Place::with_tables();
    for by in ["dtz", "dtm"] {
        for fen in [WON, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] {
            let answer = place.json(["probe", fen, "--by", by, "--line", "--json"]);
            assert_eq!(answer["line"]["metric"], by);
            assert_eq!(
                answer["line"]["uci"][0], answer["moves"][0]["uci"],
                "{fen} {by}"
            );
            let distances: Vec<i64> = (answer["moves"].as_array().unwrap().iter())
                .filter(|m| m["category"] == "loss" && m["zeroing"] == false)
                .map(|m| -m[by].as_i64().unwrap())
                .collect();
            assert!(distances.is_sorted(), "{fen} {by} {distances:?}");
        }
    }
}

#[test]
fn a_game_alone_can_be_read_by_other_programs() {
    let place = Place::with_tables();
    let (status, out, err) = place.run(["probe", WON, "--pgn", "-"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("[Event \"retrograde probe\"]\n"), "{out}");
    assert!(out.ends_with("# 1-0\n"), "{out}");
    let (status, with_text, _) = place.run(["probe", "--pgn", WON]);
    assert_eq!(status, 0);
    assert!(with_text.ends_with(&format!("\n\n{out}")), "{with_text}");
    let answer = place.json(["probe", WON, "--pgn", "--json"]);
    assert_eq!(answer["pgn"], out);
    assert!(answer["line"].is_null());
}

#[test]
fn the_board_stands_above_the_answer() {
    let (status, out, err) = Place::with_tables().run(["probe", WON, "--board"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("8  . . . . k . . .\n7  . . . . . . . .\n6  . . . . K . . .\n"));
    assert!(
        out.contains("   a b c d e f g h\n\nKPvK, White to move: White wins"),
        "{out}"
    );
}

#[test]
fn who_wins_has_the_name_of_a_side() {
    let place = Place::with_tables();
    for (fen, first) in [
        (
            "K7/8/8/8/8/2k5/1R6/8 b - - 0 1",
            "KRvK, Black to move: draw, dtz 0, dtm -",
        ),
        (
            "8/8/8/8/8/1k6/8/K6R b - - 0 1",
            "KRvK, Black to move: White wins, dtz -",
        ),
    ] {
        let (status, out, _) = place.run(["probe", fen]);
        assert_eq!(status, 0);
        assert!(out.starts_with(first), "{out}");
    }
}

#[test]
fn several_directories_answer_together() {
    let place = Place::with_tables();
    std::fs::create_dir(place.path("more")).unwrap();
    for metric in ["wdl", "dtz", "dtm"] {
        let name = format!("KPvK.{metric}");
        let [from, to] = ["tables", "more"].map(|folder| place.path(format!("{folder}/{name}")));
        std::fs::rename(from, to).unwrap();
    }
    assert_eq!(place.run(["probe", WON, "--tables", "tables"]).0, 1);
    let joined = std::env::join_paths(["tables", "more"]).unwrap();
    let joined = joined.to_str().unwrap();
    for arguments in [
        &["probe", WON, "--tables", "tables", "--tables", "more"][..],
        &["probe", WON, "--tables", joined],
        &["info", "KPvK", "--tables", joined],
    ] {
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!((status, err.as_str()), (0, ""), "{arguments:?}");
    }
    let listed = place.json(["list", "--tables", joined, "--json"]);
    assert_eq!(listed["tables"].as_array().unwrap().len(), 15);
    // What writes or compares files works in one.
    let (status, _, err) = place.run(["generate", "KRvK", "--tables", joined]);
    assert_eq!(status, 2);
    assert!(
        err.contains("works in one directory, and there are 2"),
        "{err}"
    );
}

#[test]
fn an_empty_variable_names_no_tables() {
    let place = Place::with_tables();
    let output = place
        .retrograde(["probe", WON])
        .env("RETROGRADE_TABLES", "")
        .output()
        .unwrap();
    assert!(output.status.success());
}

#[test]
fn what_is_missing_in_a_fen_stands_for_a_new_game() {
    let place = Place::with_tables();
    let whole = place.json(["probe", WON, "--json"]);
    for short in [
        "4k3/8/4K3/4P3/8/8/8/8",
        "4k3/8/4K3/4P3/8/8/8/8 w -",
        "4k3/8/4K3/4P3/8/8/8/8_w",
    ] {
        assert_eq!(place.json(["probe", short, "--json"]), whole, "{short}");
    }
    let (status, _, err) = place.run(["probe", "4k3/8/4K3/4P3/8/8/8/8 x"]);
    assert_eq!(status, 2);
    assert!(err.contains("side to move"), "{err}");
}

#[test]
fn lines_end_with_returns_as_well() {
    let place = Place::with_tables();
    let mut child = std::process::Command::new(place.retrograde(["probe"]).get_program())
        .current_dir(place.path(""))
        .args(["probe", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = format!("{WON}\r{WON}\r\n\n{WON}\n");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let lines: Vec<u64> = (String::from_utf8(output.stdout).unwrap().lines())
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|answer| answer["line_number"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 2, 4]);
}

#[test]
fn elephants_come_back_as_they_were_typed() {
    let place = Place::new();
    let typed = "4k4/9/4e4/9/9/2E6/9/9/9/4K4 w - - 0 1";
    let answer = place.json(["probe", typed, "--json"]);
    assert_eq!(
        (&answer["fen"], &answer["material"]),
        (&typed.into(), &"KEvKE".into())
    );
    let ours = typed.replace('e', "b").replace('E', "B");
    let answer = place.json(["probe", &ours, "--json"]);
    assert_eq!(
        (&answer["fen"], &answer["material"]),
        (&ours.into(), &"KBvKB".into())
    );
}

#[test]
fn a_list_has_what_was_asked_for_in_the_order_that_was_asked_for() {
    let place = Place::with_tables();
    let names = |arguments: &[&'static str]| -> Vec<String> {
        let answer = place.json(["list", "--json"].iter().chain(arguments).copied());
        let name = |table: &serde_json::Value| {
            format!(
                "{}.{}",
                table["material"].as_str().unwrap(),
                table["metric"].as_str().unwrap()
            )
        };
        answer["tables"]
            .as_array()
            .unwrap()
            .iter()
            .map(name)
            .collect()
    };
    assert_eq!(names(&["kpk"]), ["KPvK.wdl", "KPvK.dtz", "KPvK.dtm"]);
    assert_eq!(names(&["--metric", "dtm", "KQvK", "KRvK"]).len(), 2);
    assert_eq!(names(&["--men", "4"]).len(), 0);
    assert_eq!(names(&["--game", "xiangqi"]).len(), 0);
    assert_eq!(names(&["--sort", "name"])[0], "KBvK.wdl");
    // A pawn takes most space.
    assert!(names(&["--sort", "size"])[0].starts_with("KPvK"));
    let (status, out, _) = place.run(["list"]);
    assert_eq!(status, 0);
    assert_eq!(
        out.lines().filter(|line| line.starts_with("KPvK")).count(),
        1,
        "{out}"
    );
    let (status, _, err) = place.run(["list", "--men", "4"]);
    assert_eq!(status, 1);
    assert!(err.contains("no table is of that kind"), "{err}");
    assert_eq!(place.run(["list", "--metric", "wld"]).0, 2);
}
