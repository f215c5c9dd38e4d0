use super::Place;

const WALL: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
const PASSED: &str = "8/8/8/1P6/8/6k1/6p1/6K1 w - - 0 1";

#[test]
fn a_wall_of_pawns_is_a_draw_without_any_table() {
    let place = Place::new();
    let (status, out, err) = place.run(["solve", WALL, "--line"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let first = out.lines().next().unwrap();
    assert_eq!(first, "KPPPPvKPPPP, White to move: draw, dtz 0, dtm -");
    assert!(
        out.lines().nth(1).unwrap().starts_with("1,152 positions, "),
        "{out}"
    );
    assert!(out.contains("Kd2      draw"), "{out}");
    assert!(out.contains("no line: the game is over or drawn"), "{out}");
}

/// What is said of each move, in the same fields as `probe` has.
fn moves(answer: &serde_json::Value) -> Vec<[String; 7]> {
    let fields = ["uci", "san", "zeroing", "category", "wdl", "dtz", "dtm"];
    let moves = answer["moves"].as_array().unwrap().iter();
    moves
        .map(|m| fields.map(|field| m[field].to_string()))
        .collect()
}

#[test]
fn what_tables_know_is_found_without_them() {
    let place = Place::with_tables();
    let probed = place.json(["probe", ROOK, "--json", "--line"]);
    let solved = place.json(["solve", ROOK, "--json", "--line", "--without-tables"]);
    for field in ["fen", "material", "category", "wdl", "dtz", "dtm"] {
        assert_eq!(solved[field], probed[field], "{field}");
    }
    assert_eq!(moves(&solved), moves(&probed));
    assert_eq!(solved["line"]["san"].as_array().unwrap().len(), 31);
    assert_eq!(solved["line"]["end"], "checkmate");
    assert_eq!(solved["exploration"], "complete");
    assert_eq!(solved["exact"], true);
    assert_eq!(solved["table_men"], 0);
    // With tables there is nothing to explore but the position.
    let with_tables = place.json(["solve", ROOK, "--json", "--line"]);
    assert_eq!(with_tables["positions"], 1);
    assert_eq!(with_tables["table_men"], 3);
    assert_eq!(moves(&with_tables), moves(&probed));
    assert_eq!(with_tables["line"]["san"].as_array().unwrap().len(), 31);
}

#[test]
fn the_category_is_that_with_the_clock() {
    let place = Place::with_tables();
    for (clock, category) in [(0, "win"), (69, "win"), (70, "cursed-win")] {
        let fen = ROOK.replace("0 1", &format!("{clock} 90"));
        let answer = place.json(["solve", &fen, "--json"]);
        assert_eq!(answer["category"], category, "{fen}");
        assert_eq!(answer["dtz"], 31);
        assert_eq!(answer["moves"][0]["dtz"], -30);
    }
}

#[test]
fn what_is_not_proved_is_a_no_with_bounds() {
    let place = Place::with_tables();
    let arguments = ["solve", PASSED, "--max-positions", "200"];
    let (status, out, err) = place.run(arguments);
    assert_eq!(status, 1, "{out}{err}");
    assert!(err.contains("not everything could be explored"), "{err}");
    assert!(out.contains("not explored"), "{out}");
    let (_, out, _) = place.run(arguments.into_iter().chain(["--json"]));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["category"], "unknown");
    assert_eq!(answer["exploration"], "limit");
    assert_eq!(answer["exact"], false);
    assert!(answer["unexplored"].as_u64().unwrap() > 0);
}

#[test]
fn restrictions_are_printed_and_prove_bounds() {
    let place = Place::with_tables();
    let (status, out, err) = place.run([
        "solve",
        PASSED,
        "--promote",
        "q",
        "--max-pieces",
        "1",
        "--concede-promotions",
        "--pgn",
    ]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let restriction = "restriction: white promotes to Q only, white does not promote with 1 piece or more, \
                       white counts as lost once black promotes; results are bounds for that side";
    assert!(out.lines().any(|line| line == restriction), "{out}");
    assert!(out.contains(": White wins, dtz "), "{out}");
    assert!(out.contains("or less"), "{out}");
    assert!(
        out.contains("[FEN \"8/8/8/1P6/8/6k1/6p1/6K1 w - - 0 1\"]"),
        "{out}"
    );
    assert!(
        out.contains("[Result \"1-0\"]") && out.trim_end().ends_with("1-0"),
        "{out}"
    );
}

#[test]
fn what_does_not_fit_is_refused_beforehand() {
    let place = Place::new();
    let complaint = |arguments: &[&str]| {
        let arguments = ["solve", WALL].iter().chain(arguments).copied();
        let (status, out, err) = place.run(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    };
    let needs = complaint(&["--max-positions", "900000000", "--memory", "1G"]);
    assert!(
        needs.contains("900000000 positions of 10 men need "),
        "{needs}"
    );
    assert!(complaint(&["--memory", "1M"]).contains("allow at least"));
    assert!(complaint(&["--max-positions", "0"]).contains("write a number from 1"));
    assert!(complaint(&["--promote", "K"]).contains("Q, R, B and N"));
    assert!(complaint(&["--prove", "green"]).contains("--prove"));
}

/// The position in which games begin, of which nobody explores everything.
#[cfg(unix)]
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[cfg(unix)]
#[test]
fn a_signal_is_obeyed_soon_and_shows_what_is_proved() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    // While positions are sought, and while those that were found are solved.
    for (signal, limit, wait) in [("-INT", "9000000", 300), ("-TERM", "20000", 1500)] {
        let place = Place::new();
        let program = place.retrograde([]).get_program().to_owned();
        let child = Command::new(program)
            .current_dir(place.path(""))
            .env_remove("RETROGRADE_TABLES")
            .args(["solve", START, "--max-positions", limit, "--memory", "1G"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let start = Instant::now();
        let kill = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(20), "{signal}");
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            out.contains(", White to move: unknown, dtz -"),
            "{out}{err}"
        );
        assert!(out.contains(" positions, "), "{out}");
        assert!(out.contains("Nf3      unknown"), "{out}");
        if limit == "9000000" {
            assert!(kill.unwrap().success());
            assert_eq!(output.status.code(), Some(2), "{err}");
            assert_eq!(
                err.trim_end(),
                "retrograde: stopped; what is proved so far was printed"
            );
        }
    }
}

#[test]
fn a_win_is_shown_by_its_line_to_mate() {
    let place = Place::with_tables();
    // The pawns are blocked, so there are few positions but many moves.
    let (status, out, err) = place.run(["solve", "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1", "--line"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let mut lines = out.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("KPvKP, White to move: White wins, dtz 3, dtm "),
        "{out}"
    );
    let moves = out.lines().last().unwrap();
    assert!(
        moves.starts_with("1. Kc6 ") && moves.ends_with('#'),
        "{out}"
    );
    assert!(out.contains(", then checkmate:"), "{out}");
}

#[test]
fn what_was_saved_is_probed_and_verified() {
    let place = Place::with_tables();
    let fen = "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1";
    let solved = place.json(["solve", fen, "--json", "--save", "study.solved"]);
    let bytes = std::fs::metadata(place.path("study.solved")).unwrap().len();
    assert_eq!(solved["saved"]["bytes"], bytes);
    let probed = place.json(["probe", fen, "--json", "--solved", "study.solved"]);
    for field in ["fen", "material", "category", "wdl", "dtz", "dtm"] {
        assert_eq!(probed[field], solved[field], "{field}");
    }
    assert_eq!(moves(&probed), moves(&solved));
    let (status, out, err) = place.run(["verify", "--solved", "study.solved"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("no difference: "), "{out}");
    // Another position is not in the file.
    let (status, out, err) = place.run(["probe", WALL, "--solved", "study.solved"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("is not in study.solved"), "{err}");
    // Without tables nobody knows what captures lead to.
    std::fs::remove_dir_all(place.path("tables")).unwrap();
    let (status, out, err) = place.run(["verify", "--solved", "study.solved"]);
    assert_eq!(status, 1, "{out}");
    assert!(err.contains("differences in study.solved"), "{err}");
    let mut damaged = std::fs::read(place.path("study.solved")).unwrap();
    damaged[200] ^= 1;
    std::fs::write(place.path("study.solved"), damaged).unwrap();
    let (status, _, err) = place.run(["verify", "--solved", "study.solved"]);
    assert_eq!(status, 2, "{err}");
    assert!(
        err.contains("study.solved: block 0 fails its checksum"),
        "{err}"
    );
}

#[test]
fn bounds_are_not_saved() {
    let place = Place::with_tables();
    let (status, _, err) = place.run(["solve", PASSED, "--keep-men", "2", "--save", "x"]);
    assert_eq!(status, 2);
    assert!(err.contains("cannot be used with"), "{err}");
    let part = ["solve", PASSED, "--max-positions", "200", "--save", "x"];
    assert_eq!(place.run(part).0, 1);
    assert!(!place.path("x").exists());
}

/// Drawn unless perpetual check loses.
const CHECKS_FOR_EVER: &str = "9/9/4k4/9/9/9/9/9/3K5/n2R5 b";

#[test]
fn xiangqi_is_solved_under_both_sets_of_rules() {
    let place = Place::new();
    let lost = place.json(["solve", CHECKS_FOR_EVER, "--line", "--json"]);
    assert_eq!(lost["game"], "xiangqi");
    assert_eq!(lost["rules"], "perpetual-check");
    assert_eq!(lost["category"], "loss");
    assert_eq!(lost["exact"], true);
    assert_eq!(lost["exploration"], "complete");
    assert_eq!(lost["line"]["end"], "perpetual-check");
    assert!(lost["round"].as_u64() > Some(0) && lost["dtm"].is_null());
    let moves = lost["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|m| m["category"] == "win"));

    let rook = "4k4/9/9/9/9/9/9/9/9/R2K5 w";
    let (status, out, err) = place.run(["solve", rook, "--rules", "cycles-draw", "--line"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.starts_with(
            "KRvK under cycles-draw, Red to move: Red wins, dtc 3, dtm 3 (mate in 2)\n4,293 positions, "
        ),
        "{out}"
    );
    assert!(out.contains("a0a8   R9+8   loss         -2    -2"), "{out}");
    assert!(
        out.contains("best line by dtm, 3 plies, then stalemate:\n1. R9+8 "),
        "{out}"
    );
}

#[test]
fn tables_of_xiangqi_end_the_exploration() {
    let place = Place::new();
    let fen = "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w";
    let solve = ["solve", fen, "--rules", "cycles-draw", "--line", "--json"];
    let without = place.json(solve);
    let generate = ["generate", "KRvK", "KPvK", "--rules", "cycles-draw"];
    place.json((generate.into_iter()).chain(["--game", "xiangqi", "--json"]));
    let with = place.json(solve);
    assert_eq!((&with["wdl"], &with["dtm"]), (&2.into(), &15.into()));
    assert_eq!(
        (&without["table_men"], &with["table_men"]),
        (&0.into(), &3.into())
    );
    assert!(with["positions"].as_u64() < without["positions"].as_u64());
    assert_eq!(with["moves"], without["moves"]);
    assert_eq!(with["line"]["uci"].as_array().map(Vec::len), Some(15));

    let (status, out, err) = place.run(["solve", fen, "--max-positions", "500"]);
    assert_eq!(status, 1, "{out}{err}");
    assert!(err.contains("not everything could be explored"), "{err}");
    let bound = place.run(["solve", fen, "--max-positions", "3000", "--prove", "red"]);
    assert!(bound.1.contains("not explored"), "{}", bound.1);
}

#[test]
fn what_only_chess_has_is_refused_for_xiangqi() {
    let place = Place::new();
    let (status, _, err) = place.run(["solve", CHECKS_FOR_EVER, "--promote", "Q"]);
    assert_eq!(status, 2, "{err}");
    assert!(
        err.contains("--promote is for chess, and this is xiangqi"),
        "{err}"
    );
    let (status, _, err) = place.run(["solve", CHECKS_FOR_EVER, "--game", "chess"]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("add --game xiangqi"), "{err}");
}

/// Red wins in three plies.
const XIANGQI_ROOK: &str = "4k4/9/9/9/9/9/9/9/9/R2K5 w";
/// A pawn for each side, and a draw.
const XIANGQI_PAWNS: &str = "4k4/9/9/9/9/p8/8P/9/9/3K5 b";
/// A rook against a pawn that has crossed the river, under rules by which endless games are drawn.
const XIANGQI_PAWN: [&str; 4] = [
    "solve",
    "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w",
    "--rules",
    "cycles-draw",
];

#[test]
fn restrictions_of_xiangqi_are_in_its_words() {
    let place = Place::new();
    let options = [
        "--keep-men",
        "2",
        "--max-pieces",
        "1",
        "--concede-promotions",
        "--pgn",
    ];
    let (status, out, err) = place.run(XIANGQI_PAWN.into_iter().chain(options));
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let restriction = "restriction: red does not cross the river with 1 piece or more, red counts as lost once black \
                       crosses the river, red counts as lost with fewer than 2 men; results are bounds for that side";
    assert!(out.lines().any(|line| line == restriction), "{out}");
    assert!(out.contains(": Red wins, dtc "), "{out}");
    let free = place.json(XIANGQI_PAWN.into_iter().chain(["--json"]));
    let kept = place.json(
        XIANGQI_PAWN
            .into_iter()
            .chain(["--json", "--keep-men", "2"]),
    );
    assert!(kept["positions"].as_u64() < free["positions"].as_u64());
    assert_eq!((&kept["wdl"], &kept["exact"]), (&2.into(), &false.into()));
}

#[test]
fn a_game_of_xiangqi_is_recorded_as_other_programs_read_it() {
    let place = Place::new();
    let (status, out, err) = place.run(["solve", XIANGQI_ROOK, "--rules", "cycles-draw", "--pgn"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let record = &out[out.find("[Game").expect("a record")..];
    let (tags, moves) = record.split_once("\n\n").expect("tags and moves");
    assert!(tags.starts_with("[Game \"Chinese Chess\"]\n"), "{out}");
    let fen = place.json(["solve", XIANGQI_ROOK, "--rules", "cycles-draw", "--json"]);
    let fen = format!("[FEN {}]", fen["fen"]);
    for tag in ["[Red \"?\"]", "[Result \"1-0\"]", "[Format \"ICCS\"]", &fen] {
        assert!(tags.lines().any(|line| line == tag), "{tag}: {out}");
    }
    assert!(
        moves.starts_with("1. a0a8 ") && moves.ends_with(" 1-0\n"),
        "{out}"
    );
    // Moves that are legal, one after the other, to the end.
    use retrograde::xiangqi::{Move, Position};
    let mut position = Position::from_fen(XIANGQI_ROOK).unwrap();
    for word in moves.split_whitespace().filter(|word| word.len() == 4) {
        position = position.play(Move::from_iccs(&position, word).unwrap());
    }
    assert!(!position.has_legal_move());
}

#[test]
fn xiangqi_positions_that_were_saved_are_probed_and_verified() {
    let place = Place::new();
    let fields = [
        "fen", "game", "rules", "material", "category", "wdl", "dtc", "dtm", "round",
    ];
    for (fen, rules) in [
        (XIANGQI_ROOK, "cycles-draw"),
        (XIANGQI_PAWNS, "perpetual-check"),
    ] {
        let solve = [
            "solve", fen, "--rules", rules, "--json", "--save", "a.solved",
        ];
        let solved = place.json(solve);
        let probed = place.json(["probe", fen, "--json", "--solved", "a.solved"]);
        for field in fields {
            assert_eq!(probed[field], solved[field], "{field}");
        }
        let names = |answer: &serde_json::Value| -> Vec<[String; 5]> {
            let moves = answer["moves"].as_array().unwrap().iter();
            let of_move = ["uci", "wxf", "category", "dtc", "round"];
            moves
                .map(|m| of_move.map(|field| m[field].to_string()))
                .collect()
        };
        assert_eq!(names(&probed), names(&solved));
        let (status, out, err) = place.run(["verify", "--solved", "a.solved"]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with("no difference: "), "{out}");
    }
    // Nothing of the first one is left.
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 1);
    let (status, _, err) = place.run(["probe", WALL, "--solved", "a.solved"]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("impossible game: it is not chess"), "{err}");
}

#[test]
fn a_damaged_table_on_the_line_costs_neither_the_answer_nor_the_set() {
    let place = Place::with_tables();
    let path = place.path("tables/KRvK.dtm");
    let mut bytes = std::fs::read(&path).unwrap();
    // In a block that the first move needs nothing of.
    bytes[634] ^= 1;
    std::fs::write(path, bytes).unwrap();
    let solve = ["solve", ROOK, "--line", "--json", "--save", "a.solved"];
    let (status, out, err) = place.run(solve);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("KRvK.dtm: block 0 of stream 0"), "{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&answer["category"], &answer["dtz"]),
        (&"win".into(), &31.into())
    );
    assert_eq!(answer["line"]["end"], "unknown");
    let reason = answer["line"]["reason"].as_str().unwrap();
    assert!(reason.contains("KRvK.dtm: block 0 of stream 0"), "{reason}");
    assert!(place.path("a.solved").is_file());
}

#[test]
fn where_a_set_goes_is_looked_at_first() {
    let place = Place::new();
    std::fs::create_dir(place.path("directory")).unwrap();
    for (target, complaint) in [
        ("directory", "not a regular file"),
        ("missing/a.solved", "cannot write missing/a.solved"),
        #[cfg(unix)]
        ("/dev/null", "not a regular file"),
    ] {
        let (status, out, err) = place.run(["solve", START_OF_GAMES, "--save", target]);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(complaint), "{target}: {err}");
    }
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 1);
    // What a killed program left is gone, and what only looks like it is not.
    for left in [
        ".a.solved.a1B2c3.part",
        ".b.solved.a1B2c3.part",
        "a.solved.part",
    ] {
        std::fs::write(place.path(left), "").unwrap();
    }
    place.json(["solve", WALL, "--json", "--save", "a.solved"]);
    assert!(!place.path(".a.solved.a1B2c3.part").exists());
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 4);
}

/// Nobody would wait until everything was found.
const START_OF_GAMES: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[cfg(unix)]
#[test]
fn what_cannot_be_saved_is_shown_all_the_same() {
    let place = Place::new();
    let program = place.retrograde([]).get_program().to_owned();
    std::fs::write(place.path("old.solved"), "old").unwrap();
    // Nothing can be written to a file.
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} solve '{WALL}' --save old.solved",
        program.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .env_remove("RETROGRADE_TABLES")
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{out}{err}");
    assert!(out.starts_with("KPPPPvKPPPP, White to move: draw"), "{out}");
    assert!(err.contains("cannot write old.solved"), "{err}");
    assert_eq!(std::fs::read(place.path("old.solved")).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 1);
}

#[test]
fn no_side_keeps_more_men_than_it_has() {
    let place = Place::new();
    for (fen, men, side) in [(WALL, "5", "white"), (CHECKS_FOR_EVER, "2", "black")] {
        let (status, out, err) = place.run(["solve", fen, "--keep-men", "99"]);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(&format!("{side} has {men} men")), "{err}");
    }
}
