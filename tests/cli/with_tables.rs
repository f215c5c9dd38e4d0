use super::Place;

const LOST: &str = "8/8/8/8/8/2k5/8/K1q5 w - - 0 1";
const WON: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

/// The names of an object's fields in the order printed.
fn names(json: &str) -> Vec<&str> {
    json.split('"')
        .zip(json.split('"').skip(1))
        .zip(json.split('"').skip(2))
        .filter(|((before, _), after)| {
            after.starts_with(':') && (before.ends_with('{') || before.ends_with(','))
        })
        .map(|((_, name), _)| name)
        .collect()
}

#[test]
fn a_second_run_has_nothing_to_do() {
    let place = Place::with_tables();
    let file = place.path("tables/KPvK.dtz");
    let written = std::fs::metadata(&file).unwrap().modified().unwrap();
    let (status, out, err) = place.run(["generate", "--men", "3"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "nothing to do: all 5 materials are in tables\n");
    assert_eq!(
        std::fs::metadata(&file).unwrap().modified().unwrap(),
        written
    );
}

#[test]
fn only_what_is_missing_is_made_again() {
    let place = Place::with_tables();
    let file = place.path("tables/KPvK.dtz");
    let before = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let (status, out, _) = place.run(["generate", "--men", "3", "--threads", "1"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("wrote 1 file,"), "{out}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let arguments = ["generate", "kpk", "--dry-run", "--tables", "new"];
    let (status, out, _) = place.run(arguments);
    assert_eq!(status, 0);
    assert!(out.starts_with("5 materials to solve"), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, listed, _) = place.run(arguments.into_iter().chain(["--verbose"]));
    assert!(listed.starts_with(&out), "{listed}");
    assert!(
        listed.contains("\nKPvK ") && listed.contains("\nKQvK "),
        "{listed}"
    );
    assert!(!place.path("new").exists());
    let plan = place.json(arguments.into_iter().chain(["--json"]));
    assert_eq!(plan["steps"].as_array().unwrap().len(), 5);
    assert!(plan["memory"].as_u64().unwrap() > 0);
    assert!(out.contains("estimated, for a machine like"), "{out}");
    assert!(plan["estimate"]["seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn chains_need_a_scratch_file_that_is_promised_and_not_left_behind() {
    let place = Place::new();
    let arguments = [
        "generate",
        "krk",
        "--engine",
        "chains",
        "--scratch",
        "scratch",
    ];
    let plan = place.json(arguments.into_iter().chain(["--dry-run", "--json"]));
    assert!(plan["scratch"].as_u64().unwrap() > 0);
    assert!(!place.path("scratch").exists());
    let (status, out, err) = place.run(arguments);
    assert_eq!(status, 0, "{err}");
    assert!(out.starts_with("wrote 3 files"), "{out}");
    assert_eq!(std::fs::read_dir(place.path("scratch")).unwrap().count(), 0);
    // A file where the directory should be.
    std::fs::write(place.path("file"), "").unwrap();
    let arguments = ["generate", "kqk", "--engine", "chains", "--scratch", "file"];
    let (status, _, err) = place.run(arguments);
    assert_eq!(status, 2);
    assert!(err.contains("file"), "{err}");
}

#[test]
fn tables_are_looked_for_where_the_contract_says() {
    let place = Place::new();
    let arguments = ["generate", "KQvK", "--metric", "wdl"];
    // Neither ./tables nor a name: the user's data directory.
    assert_eq!(place.run(arguments).0, 0);
    if cfg!(target_os = "linux") {
        assert!(place.path("data/retrograde/tables/KQvK.wdl").exists());
    }
    std::fs::create_dir(place.path("tables")).unwrap();
    assert_eq!(place.run(arguments).0, 0);
    assert!(place.path("tables/KQvK.wdl").exists());
    let mut command = place.retrograde(arguments);
    command
        .env("RETROGRADE_TABLES", "environment")
        .assert()
        .success();
    assert!(place.path("environment/KQvK.wdl").exists());
    let mut command = place.retrograde(arguments.into_iter().chain(["--tables", "named"]));
    command
        .env("RETROGRADE_TABLES", "environment")
        .assert()
        .success();
    assert!(place.path("named/KQvK.wdl").exists());
}

#[test]
fn probe_shows_every_move_best_first() {
    let (status, out, err) = Place::with_tables().run(["probe", WON]);
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "KPvK, White to move: White wins, dtz 9, dtm 43 (mate in 22)"
    );
    let moves: Vec<&str> = lines[3..]
        .iter()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(moves, ["Kd2", "Kf2", "Kd1", "Kf1", "e3", "e4"]);
}

#[test]
fn a_line_that_cannot_go_on_says_why() {
    let place = Place::with_tables();
    for metric in ["wdl", "dtz", "dtm"] {
        std::fs::remove_file(place.path(format!("tables/KQvK.{metric}"))).unwrap();
    }
    let (status, out, err) = place.run(["probe", "--line", WON]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("best line by dtm"), "{out}");
    assert!(out.contains("then unknown:\n1. K"), "{out}");
    assert!(out.contains("no further: no wdl table for KQvK"), "{out}");
    let answer = place.json(["probe", "--line", "--json", WON]);
    assert_eq!(answer["line"]["end"], "unknown");
    assert!(!answer["line"]["uci"].as_array().unwrap().is_empty());
    // Nor can one that does not begin.
    for metric in ["dtz", "dtm"] {
        std::fs::remove_file(place.path(format!("tables/KPvK.{metric}"))).unwrap();
    }
    let (status, out, _) = place.run(["probe", "--line", WON]);
    assert_eq!(status, 0);
    assert!(out.contains("no line: no dtz table for KPvK"), "{out}");
}

#[test]
fn probe_prints_the_fields_of_the_public_interface() {
    let place = Place::with_tables();
    let (status, out, _) = place.run(["probe", "--json", LOST]);
    assert_eq!(status, 0);
    let position = [
        "fen",
        "material",
        "category",
        "wdl",
        "dtz",
        "precise_dtz",
        "dtm",
        "dtw",
        "dtc",
        "checkmate",
        "stalemate",
        "variant_win",
        "variant_loss",
        "insufficient_material",
        "tables",
    ];
    let one_table = ["metric", "format", "file"];
    let one_move = [
        "uci",
        "san",
        "zeroing",
        "conversion",
        "category",
        "wdl",
        "dtz",
        "precise_dtz",
        "dtm",
        "dtw",
        "dtc",
        "checkmate",
        "stalemate",
        "variant_win",
        "variant_loss",
        "insufficient_material",
    ];
    let tables = one_table.repeat(3);
    let expected = [&position[..], &tables, &["moves"], &one_move];
    assert_eq!(names(&out), expected.concat());
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["fen"], LOST);
    assert_eq!(answer["material"], "KQvK");
    assert_eq!(answer["category"], "loss");
    assert_eq!(
        (answer["wdl"].as_i64(), answer["dtm"].as_i64()),
        (Some(-2), Some(-2))
    );
    assert_eq!(answer["moves"][0]["uci"], "a1a2");
    assert_eq!(answer["moves"][0]["dtm"], 1);
    let mated = place.json(["probe", "--json", "8/8/8/8/8/1k6/1q6/K7 w - - 0 1"]);
    assert_eq!(mated["checkmate"], true);
    assert_eq!(
        (mated["dtm"].as_i64(), &mated["category"]),
        (Some(0), &"loss".into())
    );
    let drawn = place.json(["probe", "--json", "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"]);
    assert_eq!(
        (drawn["dtz"].as_i64(), drawn["dtm"].is_null()),
        (Some(0), true)
    );
}

#[test]
fn the_best_line_ends_in_mate() {
    let place = Place::with_tables();
    let answer = place.json(["probe", WON, "--line", "--json"]);
    assert_eq!(answer["line"]["uci"].as_array().unwrap().len(), 43);
    assert_eq!(answer["line"]["end"], "checkmate");
    let (_, out, _) = place.run(["probe", WON, "--line"]);
    assert!(out.contains("43 plies, then checkmate"), "{out}");
    assert!(out.trim_end().ends_with('#'), "{out}");
}

#[test]
fn missing_distances_are_null() {
    let place = Place::with_tables();
    std::fs::remove_file(place.path("tables/KPvK.dtm")).unwrap();
    let answer = place.json(["probe", WON, "--json"]);
    assert_eq!(answer["category"], "win");
    assert_eq!(answer["dtz"], 9);
    assert!(answer["dtm"].is_null());
}

#[test]
fn epd_lines_are_answered_one_by_one() {
    let place = Place::with_tables();
    let epd = "# two positions\n\n8/8/8/8/8/2k5/8/K1q5 w - - bm Ka2; id \"lost\";\n\
               4k3/8/8/8/8/8/4P3/4K3 w - - 3 40\n";
    let output = place
        .retrograde(["probe", "--epd", "-"])
        .write_stdin(epd)
        .output()
        .unwrap();
    assert!(output.status.success());
    let out = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["category"], "loss");
    assert_eq!(answers[1]["fen"], "4k3/8/8/8/8/8/4P3/4K3 w - - 3 40");
    std::fs::write(place.path("same.epd"), epd).unwrap();
    let (status, from_file, _) = place.run(["probe", "--epd", "same.epd"]);
    assert_eq!((status, from_file), (0, out));
}

#[test]
fn bad_epd_lines_do_not_stop_the_others() {
    let place = Place::with_tables();
    let epd = b"8/8/8/8/8/2k5/8/K1q5 w - -\nrubbish\n\xff\xfe\n4k3/8/8/8/8/8/4P3/4K3 w - -\n";
    let output = place
        .retrograde(["probe", "--epd", "-"])
        .write_stdin(&epd[..])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    let answers: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[1]["line_number"], 2);
    assert!(answers[1]["error"].as_str().unwrap().contains("FEN"));
    assert_eq!(answers[3]["category"], "win");
}

#[test]
fn the_category_is_that_under_the_clock() {
    let place = Place::with_tables();
    // A win that takes 31 plies to the mate or the capture of the rook.
    for (clock, category, move_category) in [
        (0, "win", "loss"),
        (69, "win", "loss"),
        (70, "cursed-win", "blessed-loss"),
        (101, "cursed-win", "blessed-loss"),
    ] {
        let fen = format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 90");
        let answer = place.json(["probe", "--json", &fen]);
        assert_eq!(answer["category"], category, "{clock}");
        assert_eq!(answer["moves"][0]["category"], move_category, "{clock}");
        assert_eq!((&answer["wdl"], &answer["dtz"]), (&2.into(), &31.into()));
        let (_, text, _) = place.run(["probe", &fen]);
        let is_said = text.contains("(cursed-win; win from a fresh clock)");
        assert_eq!(is_said, clock > 69, "{text}");
    }
    // Mated by the hundredth ply, and by the one after.
    for (clock, category) in [(100, "loss"), (101, "blessed-loss")] {
        let fen = format!("R1k5/8/2K5/8/8/8/8/8 b - - {clock} 90");
        let answer = place.json(["probe", "--json", &fen]);
        assert_eq!(
            (&answer["category"], &answer["dtm"]),
            (&category.into(), &0.into())
        );
    }
}

#[test]
fn answers_have_every_field_of_the_public_interface() {
    let place = Place::with_tables();
    let answer = place.json(["probe", "--json", "8/8/8/8/8/1k6/1R6/7K b - - 3 1"]);
    let positions = answer["moves"].as_array().unwrap().iter().chain([&answer]);
    for position in positions {
        for field in [
            "checkmate",
            "stalemate",
            "variant_win",
            "variant_loss",
            "insufficient_material",
            "dtz",
            "precise_dtz",
            "dtm",
            "dtw",
            "dtc",
            "category",
        ] {
            assert!(position.get(field).is_some(), "{field}: {position}");
        }
    }
    let takes = |m: &&serde_json::Value| m["uci"] == "b3b2";
    let capture = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .find(takes)
        .unwrap();
    assert_eq!(
        (&capture["conversion"], &capture["zeroing"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        answer["moves"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|m| m["conversion"] == true)
            .count(),
        1
    );
}

#[test]
fn answers_to_lines_say_which_line_and_what_stands_behind_the_position() {
    let place = Place::with_tables();
    let long = "x".repeat(100_000);
    let lines = format!(
        "\u{feff}8/8/8/8/8/2k5/8/K1q5 w - - bm Ka2; id \"lost\";\r\n\r\n{long}\r\n\
         8/8/8/8/8/2k5/8/K1q5_w_-_-_0_1 id 2;\r\n4k3/8/8/8/8/8/4P3/4K3 w - - 3 40"
    );
    let output = place
        .retrograde(["probe", "-"])
        .write_stdin(lines)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("1 line of - is no position"), "{err}");
    let answers: Vec<serde_json::Value> = (output.stdout.split(|&byte| byte == b'\n'))
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let numbers: Vec<_> = answers
        .iter()
        .map(|answer| &answer["line_number"])
        .collect();
    assert_eq!(numbers, [1, 3, 4, 5]);
    assert_eq!(answers[0]["operations"], "bm Ka2; id \"lost\";");
    assert!(
        answers[1]["error"]
            .as_str()
            .unwrap()
            .contains("longer than")
    );
    assert!(answers[1]["epd"].as_str().unwrap().len() < 1000);
    assert_eq!(answers[2]["operations"], "id 2;");
    assert_eq!(answers[2]["category"], "loss");
    assert_eq!(answers[3].get("operations"), None);
    let (status, out, _) = place.run(["probe", "8/8/8/8/8/2k5/8/K1q5_w_-_-_0_1"]);
    assert!(status == 0 && out.contains("Black wins"), "{out}");
}

#[test]
fn operations_of_epd_set_the_clock() {
    let place = Place::with_tables();
    // Mate is 31 plies away.
    let lines = [
        "8/8/8/8/8/2k5/1R6/K7 w - - id \"hmvc 70; too late\"; fmvn 60;",
        "8/8/8/8/8/2k5/1R6/K7 w - - bm Rb1; hmvc 70;",
        "8/8/8/8/8/2k5/1R6/K7 w - - hmvc seventy;",
    ];
    std::fs::write(place.path("some.epd"), lines.join("\n")).unwrap();
    let (status, out, _) = place.run(["probe", "--epd", "some.epd"]);
    assert_eq!(status, 2);
    let answers: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["category"], "win");
    assert_eq!(answers[0]["fen"], "8/8/8/8/8/2k5/1R6/K7 w - - 0 60");
    assert_eq!(answers[1]["category"], "cursed-win");
    assert_eq!(answers[1]["operations"], "bm Rb1; hmvc 70;");
    assert!(answers[2]["error"].as_str().unwrap().contains("seventy"));
}

#[test]
fn a_damaged_table_does_not_stop_other_lines() {
    let place = Place::with_tables();
    std::fs::write(place.path("tables").join("KQvK.wdl"), "damaged").unwrap();
    let (loss, win) = ("8/8/8/8/8/2k5/8/K1q5 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - -");
    std::fs::write(place.path("some.epd"), format!("{loss}\n{win}\n")).unwrap();
    let (status, out, err) = place.run(["probe", "--epd", "some.epd"]);
    assert_eq!(status, 2);
    assert!(
        err.contains("1 position of some.epd needs a damaged table"),
        "{err}"
    );
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("KQvK.wdl") && lines[0].contains("\"line_number\":1"));
    assert!(lines[1].contains("\"category\":\"win\""));
}

#[test]
fn an_epd_position_outside_the_tables_is_a_no() {
    let output = Place::with_tables()
        .retrograde(["probe", "--epd", "-"])
        .write_stdin("8/8/8/4k3/8/8/3Q4/3QK3 w - -\n")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["category"], "unknown");
    assert!(answer["reason"].as_str().unwrap().contains("KQQvK"));
}

#[test]
fn list_has_every_file() {
    let place = Place::with_tables();
    let answer = place.json(["list", "--json"]);
    let tables = answer["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 15);
    for table in tables {
        assert!(table["bytes"].as_u64().unwrap() > 0);
        assert_eq!(table["format"], "native");
    }
    let (status, out, _) = place.run(["list"]);
    assert_eq!(status, 0);
    assert!(out.contains("15 tables"), "{out}");
}

#[test]
fn info_prints_the_object_of_the_contract() {
    let place = Place::with_tables();
    let answer = place.json(["info", "kpk", "--json"]);
    assert_eq!(answer["material"], "KPvK");
    assert_eq!(answer["game"], "chess");
    assert_eq!(answer["tables"].as_array().unwrap().len(), 3);
    for name in ["metric", "format", "file", "bytes"] {
        assert!(!answer["tables"][0][name].is_null(), "{name}");
    }
    for name in ["win", "cursed_win", "draw", "blessed_loss", "loss"] {
        assert!(answer["counts"]["black"][name].is_u64(), "{name}");
    }
    let longest = &answer["longest"]["dtm"];
    assert_eq!(longest["white"]["plies"], 55);
    assert_eq!(longest["black"]["plies"], 0);
    assert!(longest["black"]["fen"].is_null());
    // The position named is one, it is white's move there, and its value is the one named.
    for metric in ["dtm", "dtz"] {
        let win = &answer["longest"][metric]["white"];
        let fen = win["fen"].as_str().unwrap();
        let probed = place.json(["probe", "--json", fen]);
        assert_eq!(probed[metric], win["plies"]);
    }
}

#[test]
fn statistics_add_up_to_the_counts() {
    let place = Place::with_tables();
    for material in ["KPvK", "KQvK"] {
        let statistics = place.json(["stats", material, "--json"]);
        let info = place.json(["info", material, "--json"]);
        for side in ["white", "black"] {
            let counts = &info["counts"][side];
            assert_eq!(statistics[side]["draws"], counts["draw"]);
            let histogram = statistics[side]["dtm"]["histogram"].as_array().unwrap();
            let sum = |is_win: bool| -> u64 {
                let of_kind = histogram
                    .iter()
                    .filter(|entry| (entry[0].as_i64() > Some(0)) == is_win);
                of_kind.map(|entry| entry[1].as_u64().unwrap()).sum()
            };
            assert_eq!(sum(true), counts["win"].as_u64().unwrap());
            assert_eq!(sum(false), counts["loss"].as_u64().unwrap());
        }
        let longest = &info["longest"]["dtm"]["white"]["plies"];
        assert_eq!(&statistics["white"]["dtm"]["longest"]["plies"], longest);
    }
}

#[test]
fn what_tables_keep_is_what_is_counted_again() {
    // The strongest compression leaves one side's distances out of files.
    for compression in ["default", "small"] {
        let place = Place::new();
        let options = ["--tables", "new", "--compression", compression];
        let generated = place.run(["generate", "KPvK"].into_iter().chain(options));
        assert_eq!(generated.0, 0, "{}", generated.2);
        for material in ["KQvK", "KRvK", "KPvK", "KBvK"] {
            let stats = ["stats", material, "--tables", "new", "--json"];
            let kept = place.json(stats);
            let counted = place.json(stats.into_iter().chain(["--recount"]));
            assert_eq!(kept, counted, "{material} {compression}");
        }
    }
}

#[test]
fn tables_are_counted_as_published_statistics_count() {
    let place = Place::with_tables();
    let side = |counting: &str| {
        let stats = ["stats", "KQvK", "--json", "--counting", counting];
        place.json(stats)["black"].clone()
    };
    // As published: one in eight, but one in four with all men on one long diagonal.
    let [board, table] = ["board", "table"].map(|counting| side(counting)["mated"].as_u64());
    assert_eq!((board, table), (Some(364), Some(46)));
    assert_eq!(side("table")["draws"], 2_896);
    // Mates are rows of their own.
    let rows = &side("table")["dtz"]["histogram"];
    let mates = rows.as_array().unwrap().iter().find(|row| row[0] == 0);
    assert_eq!(mates.unwrap()[1].as_u64(), table);
    let (_, out, _) = place.run(["stats", "KQvK"]);
    assert!(out.contains("\n         mated"), "{out}");
}

/// How many different mutual zugzwangs there are, and how many of each kind.
fn zugzwangs(place: &Place, material: &str) -> (u64, [u64; 3]) {
    let answer = place.json(["stats", material, "--metric", "wdl", "--json"]);
    assert!(answer["white"]["dtm"].is_null());
    let all = &answer["mutual_zugzwangs"];
    let kinds = [
        "white_draws_black_loses",
        "white_loses_black_draws",
        "whoever_moves_loses",
    ];
    let positions = kinds.map(|kind| all[kind]["positions"].as_u64().unwrap());
    assert_eq!(all["positions"], positions.iter().sum::<u64>());
    let different = kinds.map(|kind| {
        let of_kind = &all[kind];
        let listed = of_kind["fens"].as_array().unwrap().len() as u64;
        let different = of_kind["different"].as_u64().unwrap();
        assert_eq!(listed, different.min(10));
        different
    });
    (all["different"].as_u64().unwrap(), different)
}

#[test]
fn there_are_as_many_mutual_zugzwangs_as_published() {
    // From lists made with Nalimov's tables; the program Scid shows them.
    let place = Place::with_tables();
    assert_eq!(zugzwangs(&place, "KPvK"), (80, [80, 0, 0]));
    assert_eq!(zugzwangs(&place, "KQvK"), (0, [0, 0, 0]));
    let materials = ["KRvKN", "KRvKB", "KPPvK", "KPvKP"];
    let options = ["--metric", "wdl", "--compression", "fast"];
    let (status, _, err) = place.run([&["generate"][..], &materials, &options].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(zugzwangs(&place, "KRvKN"), (18, [18, 0, 0]));
    assert_eq!(zugzwangs(&place, "KRvKB"), (5, [5, 0, 0]));
    assert_eq!(zugzwangs(&place, "KBvKP"), (1, [0, 1, 0]));
    assert_eq!(zugzwangs(&place, "KPPvK"), (43, [43, 0, 0]));
    assert_eq!(zugzwangs(&place, "KPvKP"), (121, [106, 106, 15]));
}

#[test]
fn mutual_zugzwangs_are_what_they_are_called() {
    let place = Place::with_tables();
    let answer = place.json(["stats", "KPvK", "--limit", "100", "--json"]);
    let fens = &answer["mutual_zugzwangs"]["white_draws_black_loses"]["fens"];
    for fen in fens.as_array().unwrap() {
        let fen = fen.as_str().unwrap();
        assert_eq!(place.json(["probe", "--json", fen])["wdl"], 0);
        let black = fen.replace(" w ", " b ");
        assert_eq!(place.json(["probe", "--json", &black])["wdl"], -2);
    }
}

#[test]
fn bench_measures_solving_and_compressing_apart() {
    let place = Place::with_tables();
    let answer = place.json(["bench", "KQvK", "KPvK", "--repeat", "2", "--json"]);
    let generate = &answer["generate"];
    assert_eq!(generate["repeats"], 2);
    // A promotion leads to all others.
    assert_eq!(generate["materials"], 5);
    assert_eq!(generate["files"], 15);
    let alone = &generate["one_core"];
    assert_eq!(alone["each"].as_object().unwrap().len(), 2);
    assert_eq!(alone["all"]["positions"], generate["positions"]);
    for rates in [
        &alone["all"],
        &alone["each"]["KQvK"],
        &alone["each"]["KPvK"],
    ] {
        let seconds = |of: &serde_json::Value| of["seconds"].as_f64().unwrap();
        let written = ["wdl", "dtz", "dtm"].map(|metric| seconds(&rates["write"][metric]));
        assert!(written.iter().all(|&seconds| seconds > 0.0));
        assert!(seconds(&rates["compress"]) >= written.iter().sum());
        let rate = rates["solve"]["positions_per_second"].as_f64().unwrap();
        let positions = rates["positions"].as_f64().unwrap();
        assert!((rate * seconds(&rates["solve"]) - positions).abs() < 1.0);
    }
    let probes = answer["probe"].as_array().unwrap();
    assert_eq!(probes.len(), 3);
    let (status, out, _) = place.run(["bench", "KQvK", "--repeat", "1"]);
    assert_eq!(status, 0);
    assert!(out.contains("| solve KQvK, one core |"), "{out}");
    assert!(out.contains("| compress KQvK, one core |"), "{out}");
}

#[test]
fn bench_solves_alone() {
    let place = Place::new();
    let bench = ["bench", "kpk", "KRvK", "--solve-only", "--repeat", "2"];
    let answer = place.json(bench.into_iter().chain(["--json"]));
    assert_eq!(answer["repeats"], 2);
    let solved = answer["solve_only"].as_object().unwrap();
    assert_eq!(solved.len(), 2);
    for (material, positions) in [("KPvK", 2 * 98_304), ("KRvK", 2 * 40_960)] {
        let of = &solved[material];
        assert_eq!(of["positions"], positions, "{material}");
        assert!(of["seconds"].as_f64() > Some(0.0));
        assert!(of["keeping_seconds"].as_f64() > Some(0.0));
    }
    let (status, out, _) = place.run(bench);
    assert_eq!(status, 0);
    assert!(out.contains("| solve KPvK alone, one core | 0."), "{out}");
    assert!(out.contains("; keeping values 0."), "{out}");
    assert_eq!(out.lines().count(), 4, "{out}");
    let xiangqi = ["bench", "--game", "xiangqi", "KNvKA", "--solve-only"];
    let (status, out, _) = place.run(xiangqi.into_iter().chain(["--repeat", "1"]));
    assert_eq!(status, 0);
    assert!(out.contains("| solve KNvKA alone, one core |"), "{out}");
}

#[test]
fn statistics_are_drawn() {
    let place = Place::with_tables();
    let (status, out, err) = place.run(["stats", "KPvK", "--svg", "kpk.svg", "--limit", "3"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("mutual zugzwangs"), "{out}");
    assert!(out.contains('#'), "{out}");
    let svg = std::fs::read_to_string(place.path("kpk.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    // Axes with units, draws as a number, and a bar for two plies that has what is won and what is
    // lost.
    for text in [
        "dtm in plies",
        "positions, logarithmic",
        ">drawn: ",
        "prefers-color-scheme:dark",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let bar = svg
        .lines()
        .find(|line| line.contains("1 and 2 plies"))
        .unwrap();
    assert!(bar.contains("class=\"won\""), "{bar}");
}

#[test]
fn verification_of_good_tables_finds_no_difference() {
    let place = Place::with_tables();
    let (status, out, err) = place.run(["verify", "--all"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("no difference: 15 tables"), "{out}");
    let answer = place.json(["verify", "krk", "--json"]);
    assert_eq!(answer["tables"], 3);
    assert_eq!(answer["difference_count"], 0);
}

#[test]
fn nothing_is_drawn_on_stderr_without_a_terminal() {
    let place = Place::new();
    let (_, _, err) = place.run(["generate", "KQvK", "--tables", "new"]);
    assert_eq!(err, "");
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_failure() {
    use std::process::Stdio;
    let place = Place::with_tables();
    let binary = place.retrograde(["list"]).get_program().to_owned();
    let mut child = std::process::Command::new(binary)
        .current_dir(place.path(""))
        .args(["perft", "startpos", "4", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
