use super::Place;

/// Drawn unless perpetual check loses.
const CHECKS_FOR_EVER: &str = "9/9/4k4/9/9/9/9/9/3K5/n2R5 b";

/// Both games have a KRvK, and it is easy to name a directory that is one too deep.
#[test]
fn tables_of_another_game_are_not_replaced() {
    let place = Place::new();
    let make = [
        "generate", "--game", "xiangqi", "KRvK", "--tables", "tables",
    ];
    let (status, _, err) = place.run(make);
    assert_eq!((status, err.as_str()), (0, ""));
    let directory = "tables/xiangqi/perpetual-check";
    let path = place.path(directory).join("KRvK.wdl");
    let before = std::fs::read(&path).unwrap();
    for command in [&["generate", "KRvK"][..], &["verify", "--repair", "--all"]] {
        let (status, _, err) = place.run(command.iter().chain(&["--tables", directory]).copied());
        assert_eq!(status, 2, "{err}");
        assert!(err.contains("KRvK.wdl: a table of another game"), "{err}");
        assert!(std::fs::read(&path).unwrap() == before, "{command:?}");
    }
}

/// What all men lead to is never listed to its end.
#[test]
fn a_full_board_is_refused_at_once() {
    let place = Place::new();
    let all = "KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB";
    for more in [&[][..], &["--dry-run"]] {
        let command = ["generate", "--game", "xiangqi", all];
        let (status, _, err) = place.run(command.iter().chain(more).copied());
        assert_eq!(status, 2);
        assert!(err.contains("too many positions"), "{err}");
    }
}

#[test]
fn tables_of_both_rules_live_side_by_side() {
    let place = Place::with_tables();
    let generate = |rules| {
        let arguments = ["generate", "--game", "xiangqi", "KRvKN", "--rules", rules];
        place.json(arguments.into_iter().chain(["--json"]))
    };
    let made = generate("cycles-draw");
    assert_eq!(
        (made["files"].as_u64(), made["rules"].as_str()),
        (Some(9), Some("cycles-draw"))
    );
    assert_eq!(generate("perpetual-check")["files"], 7);
    assert_eq!(generate("perpetual-check")["files"], 0);

    let drawn = place.json(["probe", CHECKS_FOR_EVER, "--rules", "cycles-draw", "--json"]);
    assert_eq!(drawn["category"], "draw");
    let lost = place.json(["probe", CHECKS_FOR_EVER, "--json"]);
    assert_eq!(lost["category"], "loss");
    assert_eq!(lost["rules"], "perpetual-check");
    assert_eq!(lost["material"], "KRvKN");
    assert!(lost["round"].as_u64() > Some(0) && lost["dtm"].is_null());
    assert!(
        lost["moves"]
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["category"] == "win")
    );

    let (status, out, err) = place.run([
        "probe",
        "3k5/9/9/9/9/9/9/9/9/R3K4 w",
        "--rules",
        "cycles-draw",
    ]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.starts_with(
            "KRvK under cycles-draw, Red to move: Red wins, dtc 1, dtm 1 (mate in 1)\n"
        ),
        "{out}"
    );
    assert!(
        out.contains("a0d0   R9=6   loss          0     0  checkmate"),
        "{out}"
    );

    let listed = place.json(["list", "--game", "xiangqi", "--json"]);
    assert_eq!(listed["tables"].as_array().unwrap().len(), 16);
    // One row for each of the two sets of rules, whatever metrics it has.
    let (_, rows, _) = place.run(["list", "KRvKN", "--game", "xiangqi"]);
    let rows: Vec<&str> = rows
        .lines()
        .filter(|row| row.starts_with("KRvKN"))
        .collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    let info = place.json([
        "info",
        "KRvKN",
        "--game",
        "xiangqi",
        "--rules",
        "cycles-draw",
        "--json",
    ]);
    // The published counts.
    assert_eq!(info["counts"]["red"]["win"], 346_311);
    assert_eq!(info["counts"]["black"]["loss"], 370_780);
    assert_eq!(info["longest"]["dtm"]["red"]["plies"], 25);
    assert_eq!(info["rules"], "cycles-draw");
    let fen = info["longest"]["dtm"]["red"]["fen"].as_str().unwrap();
    let longest = place.json(["probe", fen, "--rules", "cycles-draw", "--json"]);
    assert_eq!(longest["dtm"], 25);
}

#[test]
fn lines_batches_and_statistics() {
    let place = Place::with_tables();
    let rules = ["--rules", "cycles-draw"];
    for rules in ["cycles-draw", "perpetual-check"] {
        let arguments = ["generate", "--game", "xiangqi", "KRvKN", "--rules", rules];
        assert_eq!(place.run(arguments).0, 0);
    }
    let mate = "3k5/9/9/9/9/9/9/9/9/R3K4 w";
    let (status, out, err) = place.run(["probe", mate, "--line"].into_iter().chain(rules));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.ends_with("best line by dtm, 1 ply, then checkmate:\n1. R9=6\n"),
        "{out}"
    );
    let info = ["info", "KRvKN", "--game", "xiangqi", "--json"];
    let info = place.json(info.into_iter().chain(rules));
    let longest = info["longest"]["dtm"]["red"]["fen"].as_str().unwrap();
    let line = place.json(
        ["probe", longest, "--line", "--json"]
            .into_iter()
            .chain(rules),
    );
    assert_eq!(line["line"]["uci"].as_array().unwrap().len(), 25);
    assert_eq!(line["line"]["metric"], "dtm");
    let line = place.json(["probe", CHECKS_FOR_EVER, "--line", "--json"]);
    assert_eq!(line["line"]["end"], "perpetual-check", "{line}");
    assert_eq!(line["line"]["metric"], "dtc");
    let drawn = ["probe", CHECKS_FOR_EVER, "--line"];
    let (_, out, _) = place.run(drawn.into_iter().chain(rules));
    assert!(
        out.ends_with("no line: the game is over or drawn\n"),
        "{out}"
    );

    let lines = format!(
        "# comment\n{mate} - - dtm 1;\n{mate} - - 0 1\n{mate} dtm 1\n8/8/8/8/8/2k5/1R6/K7 w - -\n{CHECKS_FOR_EVER}\n"
    );
    std::fs::write(place.path("some.epd"), &lines).unwrap();
    let batch = ["probe", "--epd", "some.epd", "--line"].into_iter();
    let (status, out, err) = place.run(batch.clone().chain(rules));
    assert_eq!((status, err.as_str()), (0, ""));
    let answers: Vec<serde_json::Value> = (out.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found: Vec<(&str, i64)> = (answers.iter())
        .map(|answer| {
            let category = answer["category"].as_str().unwrap();
            (category, answer["dtm"].as_i64().unwrap_or(0))
        })
        .collect();
    let expected = [("win", 1), ("win", 1), ("win", 1), ("win", 31), ("draw", 0)];
    assert_eq!(found, expected);
    assert_eq!(answers[0]["line"]["wxf"][0], "R9=6");
    assert_eq!(answers[0]["operations"], "dtm 1;");
    assert_eq!(answers[4]["line_number"], 6);
    assert_eq!(answers[3]["line"]["end"], "checkmate");
    std::fs::write(
        place.path("some.epd"),
        lines + "3k5/9/9/9/9/P8/9/9/9/4K4 w\n9/9 w\n",
    )
    .unwrap();
    let (status, out, err) = place.run(batch.chain(["--game", "xiangqi"]));
    assert_eq!(status, 2);
    assert!(
        err.contains("2 lines of some.epd are no positions"),
        "{err}"
    );
    assert!(
        out.contains("\"category\":\"unknown\"") && out.contains("KPvK"),
        "{out}"
    );

    let statistics = [
        "stats", "KRvKN", "--game", "xiangqi", "--json", "--limit", "3",
    ];
    let statistics = place.json(statistics.into_iter().chain(rules));
    for side in ["red", "black"] {
        let counts = &info["counts"][side];
        assert_eq!(statistics[side]["draws"], counts["draw"]);
        for metric in ["dtc", "dtm"] {
            let histogram = statistics[side][metric]["histogram"].as_array().unwrap();
            let sum = |is_win: bool| -> u64 {
                let of_kind = histogram
                    .iter()
                    .filter(|entry| (entry[0].as_i64() > Some(0)) == is_win);
                of_kind.map(|entry| entry[1].as_u64().unwrap()).sum()
            };
            assert_eq!(
                sum(true),
                counts["win"].as_u64().unwrap(),
                "{side} {metric}"
            );
            assert_eq!(
                sum(false),
                counts["loss"].as_u64().unwrap(),
                "{side} {metric}"
            );
        }
    }
    let longest = &statistics["red"]["dtm"]["longest"];
    assert_eq!(longest["plies"], 25);
    assert!(!longest["fens"].as_array().unwrap().is_empty());
    let zugzwangs = &statistics["mutual_zugzwangs"];
    assert!(zugzwangs["positions"].as_u64() >= zugzwangs["different"].as_u64());
    // What the listed ones are, the tables say.
    let kind = &zugzwangs["red_draws_black_loses"]["fens"];
    for fen in kind.as_array().unwrap() {
        let fen = fen.as_str().unwrap();
        let other = fen.replace(" w ", " b ");
        for (fen, category) in [(fen, "draw"), (&other, "loss")] {
            let answer = place.json(["probe", fen, "--json"].into_iter().chain(rules));
            assert_eq!(answer["category"], category, "{fen}");
        }
    }
    let (status, out, err) = place.run(["stats", "KRvKN", "--game", "xiangqi", "--svg", "a.svg"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.contains("KRvKN under perpetual-check, red to move, dtc in plies\n"),
        "{out}"
    );
    assert!(place.path("a.svg").exists());
}

#[test]
fn what_xiangqi_tables_keep_is_what_is_counted_again() {
    let place = Place::new();
    for rules in ["cycles-draw", "perpetual-check"] {
        let options = ["--game", "xiangqi", "--rules", rules, "--tables", "new"];
        let run = |command: &[&str]| place.run(command.iter().chain(&options).copied());
        assert_eq!(run(&["generate", "KRvKN", "KPPvK"]).0, 0);
        for material in ["KRvKN", "KPPvK"] {
            let stats = |more: &[&'static str]| {
                let command = [&["stats", material, "--json"][..], more].concat();
                place.json(command.iter().chain(&options).copied())
            };
            let kept = stats(&[]);
            assert_eq!(kept, stats(&["--recount"]), "{material} {rules}");
            assert!(kept["black"]["mated"].as_u64() > Some(0));
            assert_eq!(kept["rules"], rules);
            // Without distances, moves say who has none.
            let results = stats(&["--metric", "wdl"]);
            let directory = place.path("new/xiangqi").join(rules);
            let paths = ["dtc", "dtm"].map(|metric| directory.join(format!("{material}.{metric}")));
            let distances = || paths.iter().filter(|path| path.exists());
            distances().for_each(|path| crate::verify::remove_statistics(path));
            assert_eq!(kept, stats(&[]), "of earlier versions");
            distances().for_each(|path| std::fs::remove_file(path).unwrap());
            assert_eq!(results, stats(&["--recount"]), "{material} {rules}");
        }
        let (status, _, err) = run(&["stats", "KPPvK", "--counting", "table"]);
        assert!(status == 2 && err.contains("leave it out"), "{err}");
    }
}

#[test]
fn memory_that_is_too_little_is_refused_with_what_would_do() {
    let place = Place::new();
    let with_memory = |arguments: &[&str], mebibytes: u64| {
        let memory = format!("{mebibytes}M");
        let all = ["generate", "--game", "xiangqi", "KRvKN", "--tables", "new"];
        place.run(
            (all.into_iter())
                .chain(["--memory", &memory])
                .chain(arguments.iter().copied()),
        )
    };
    let (status, _, err) = with_memory(&[], 96);
    assert_eq!(status, 2);
    assert!(err.contains("only 96 MiB are allowed"), "{err}");
    let needed: u64 = err
        .split("this needs ")
        .nth(1)
        .and_then(|rest| rest.split_once(" MiB"))
        .and_then(|(number, _)| number.parse().ok())
        .unwrap_or_else(|| panic!("{err}"));
    assert!(!place.path("new").exists());
    assert_eq!(with_memory(&[], needed - 1).0, 2);
    let (status, out, _) = with_memory(&["--dry-run"], needed);
    assert_eq!(status, 0);
    assert!(
        out.contains("of memory; into new") && out.contains("estimated, for"),
        "{out}"
    );
    assert_eq!(with_memory(&[], needed).0, 0);
    let plan = [
        "generate",
        "--game",
        "xiangqi",
        "KRCvKR",
        "--dry-run",
        "--json",
    ];
    let plan = place.json(plan);
    assert!(plan["memory"].as_u64() > Some(300 << 20), "{plan}");
    assert!(plan["estimate"]["seconds"].as_f64() > Some(1.0), "{plan}");
    assert_eq!(plan["steps"].as_array().unwrap().len(), 6);
}

#[test]
fn the_game_of_a_name_is_that_of_the_only_one_that_has_it() {
    let place = Place::with_tables();
    let (status, out, _) = place.run(["generate", "KCvKA", "--dry-run", "--verbose"]);
    assert_eq!(status, 0);
    assert!(out.contains("KCvKA") && out.contains("KCvK "), "{out}");
    let (status, _, err) = place.run(["generate", "KCvKA", "KQvK"]);
    assert_eq!(status, 2);
    assert!(err.contains("one game a command"), "{err}");
    // Chess, while there is nothing else.
    let (status, out, _) = place.run(["generate", "KRvK"]);
    assert_eq!(status, 0);
    assert!(out.contains("nothing to do"), "{out}");
    assert_eq!(place.run(["generate", "KCvK", "--game", "xiangqi"]).0, 0);
    let (status, _, err) = place.run(["generate", "KRvK"]);
    assert_eq!(status, 2);
    assert!(err.contains("add --game chess or --game xiangqi"), "{err}");
    for chess in [
        &["generate", "KRvK", "--game", "chess"][..],
        &["generate", "--men", "3"],
        &["generate", "KQvK"],
        &["generate", "KRvK", "--format", "syzygy", "--dry-run"],
    ] {
        let (status, _, err) = place.run(chess.iter().copied());
        assert_eq!((status, err.as_str()), (0, ""), "{chess:?}");
    }
    // What only one game has tables of needs no word.
    assert_eq!(place.json(["info", "KRvK", "--json"])["game"], "chess");
    assert_eq!(place.json(["info", "KCvK", "--json"])["game"], "xiangqi");
    assert_eq!(place.json(["verify", "KCvK", "--json"])["game"], "xiangqi");
}

#[test]
fn a_name_of_both_games_needs_the_game() {
    let place = Place::with_tables();
    let (status, ..) = place.run(["generate", "--game", "xiangqi", "KRvK"]);
    assert_eq!(status, 0);
    for command in ["stats", "verify", "generate"] {
        let (status, _, err) = place.run([command, "KRvK"]);
        assert_eq!(status, 2, "{command}");
        assert!(err.contains("add --game chess or --game xiangqi"), "{err}");
    }
    let (status, _, err) = place.run(["info", "KRvK"]);
    assert_eq!(status, 2);
    assert!(
        err.contains("--game xiangqi") && err.lines().count() == 1,
        "{err}"
    );
    for (game, side) in [("chess", "white"), ("xiangqi", "red")] {
        let info = place.json(["info", "KRvK", "--game", game, "--json"]);
        assert!(info["counts"][side]["win"].as_u64() > Some(0), "{info}");
    }
}

#[test]
fn without_tables_the_answer_is_no() {
    let place = Place::new();
    let (status, _, err) = place.run(["probe", CHECKS_FOR_EVER]);
    assert_eq!(status, 1);
    assert!(err.contains("retrograde generate --game xiangqi"), "{err}");
    let (status, _, err) = place.run(["probe", "9/9/9/9/9/9/9/9/9/9 w"]);
    assert_eq!(status, 2);
    assert!(err.contains("0 kings"), "{err}");
    let (status, out, _) = place.run([
        "generate",
        "--game",
        "xiangqi",
        "--set",
        "one-attacker",
        "--dry-run",
    ]);
    assert_eq!(status, 0);
    assert!(out.contains("36 materials to solve"), "{out}");
}
