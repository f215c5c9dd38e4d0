use super::Place;

/// Runs a command that cannot succeed and returns its one line on stderr.
fn complaint(place: &Place, arguments: &[&str]) -> String {
    let (status, out, err) = place.run(arguments.iter().copied());
    assert_eq!(status, 2, "{arguments:?}: {err}");
    assert_eq!(out, "", "{arguments:?}");
    assert!(err.starts_with("retrograde: "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    err
}

#[test]
fn bad_usage_is_one_line() {
    let place = Place::new();
    assert!(complaint(&place, &[]).contains("retrograde --help"));
    assert!(complaint(&place, &["bake"]).contains("bake"));
    assert!(complaint(&place, &["perft"]).contains("<FEN>"));
    assert!(complaint(&place, &["perft", "startpos", "x"]).contains('x'));
    assert!(complaint(&place, &["completions", "tcsh"]).contains("bash"));
    assert!(complaint(&place, &["perft", "startpos", "1", "--sort"]).contains("--sort"));
}

#[test]
fn each_bad_position_has_its_own_complaint() {
    for (fen, expected) in [
        ("8/8/8/8/8/8/8 w - - 0 1", "7 ranks"),
        ("8/8/8/8/8/8/8/9 w - - 0 1", "rank 1"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "7 fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "0 kings"),
        ("8/8/8/4k3/4K3/8/8/8 w - - 0 1", "kings on e4 and e5 touch"),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "pawn on h1"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not black's turn"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right `K`"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en-passant square e6"),
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "add --game xiangqi",
        ),
        (
            "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1",
            "9 ranks: write 8 for chess or 10 for xiangqi",
        ),
    ] {
        let complaint = complaint(&Place::new(), &["perft", fen, "1", "--game", "chess"]);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn each_bad_request_has_its_own_complaint() {
    let place = Place::new();
    for (arguments, expected) in [
        (&["generate"][..], "--men 4"),
        (&["generate", "KXvK"], "`X` is not one of"),
        (&["generate", "QvK"], "one king"),
        (&["generate", "KvK"], "always a draw"),
        (&["generate", "KQRBNPvKQ"], "has 8 men"),
        (
            &["generate", "--men", "9"],
            "--men 9: tables have 3 to 7 men",
        ),
        (&["generate", "--men", "three"], "--men three"),
        (&["generate", "--game", "xiangqi"], "--set one-attacker"),
        (
            &["generate", "--game", "xiangqi", "KQvK"],
            "`Q` is not one of",
        ),
        (
            &["generate", "--game", "xiangqi", "KRvK", "--metric", "dtm"],
            "--rules cycles-draw",
        ),
        (
            &["generate", "--game", "xiangqi", "KRvK", "--rules", "asian"],
            "unknown rules `asian`",
        ),
        (
            &["generate", "KQvK", "--set", "one-attacker"],
            "--game xiangqi",
        ),
        (
            &["generate", "--men", "3", "--game", "go"],
            "unknown game `go`",
        ),
        (
            &["generate", "--men", "3", "--metric", "dtc"],
            "unknown metric `dtc`",
        ),
        (&["generate", "KQQQvKQQ"], "fewer men"),
        (&["generate", "--men", "3", "--memory", "much"], "512M"),
        (
            &["generate", "--men", "3", "--memory", "1M"],
            "raise --memory",
        ),
        (&["generate", "--men", "3", "--threads", "0"], "--threads 0"),
        (
            &["generate", "--men", "3", "--compression", "best"],
            "fast, default, small",
        ),
        (&["generate", "--men", "3", "--format", "gaviota"], "native"),
        (&["convert"], "--to"),
        (&["probe"], "<FEN>"),
        (
            &["probe", "--epd", "nowhere.epd"],
            "cannot read nowhere.epd",
        ),
        (
            &["probe", "8/8/8/4k3/4K3/8/8/8 w - - 0 1"],
            "kings on e4 and e5 touch",
        ),
        (&["verify"], "--all"),
        (&["verify", "KQvK", "--all"], "--all"),
        (&["info", "KQvX"], "`X`"),
    ] {
        let complaint = complaint(&place, arguments);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn an_unreadable_directory_is_named() {
    let place = Place::new();
    std::fs::write(place.path("file"), "not a directory").unwrap();
    for directory in ["nowhere", "file", "file/tables"] {
        for command in [
            &["list"][..],
            &["info", "KQvK"],
            &["verify", "--all"],
            &["stats", "KQvK"],
        ] {
            let arguments = [command, &["--tables", directory]].concat();
            assert!(complaint(&place, &arguments).contains(directory));
        }
    }
    for directory in ["file", "file/tables"] {
        let arguments = ["generate", "--men", "3", "--tables", directory];
        assert!(complaint(&place, &arguments).contains(directory));
    }
}

#[test]
fn a_missing_table_is_a_no_that_says_how_to_make_it() {
    let place = Place::with_tables();
    for arguments in [
        &["probe", "8/8/8/4k3/8/8/3Q4/3QK3 w - - 0 1"][..],
        &["info", "kqqk"],
        &["stats", "KQQvK"],
        &["verify", "KQQvK"],
    ] {
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!(status, 1, "{err}");
        assert_eq!(err.lines().count(), 1);
        assert!(err.contains("retrograde generate KQQvK"), "{err}");
    }
}

#[test]
fn proposed_commands_make_tables_where_they_were_looked_for() {
    let place = Place::with_tables();
    std::fs::rename(place.path("tables"), place.path("my tables")).unwrap();
    let missing = "8/8/8/4k3/8/8/3Q4/3QK3 w - - 0 1";
    let (status, _, err) = place.run(["probe", missing, "--tables", "my tables"]);
    assert_eq!(status, 1);
    let command = "`retrograde generate KQQvK --tables 'my tables'`";
    assert!(err.contains(command), "{err}");
    let answer = place
        .run(["probe", missing, "--tables", "my tables", "--json"])
        .1;
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert!(answer["reason"].as_str().unwrap().contains(command));
    // Of several directories it is that of the damaged file.
    std::fs::create_dir(place.path("other")).unwrap();
    let path = place.path("my tables/KQvK.wdl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[30] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let needs = "8/8/8/4k3/8/8/3Q4/4K3 w - - 0 1";
    let (status, _, err) =
        place.run(["probe", needs, "--tables", "other", "--tables", "my tables"]);
    assert_eq!(status, 2);
    let command = "`retrograde generate KQvK --tables 'my tables'`";
    assert!(err.starts_with("retrograde: my tables/KQvK.wdl: "), "{err}");
    assert!(err.contains(command), "{err}");
}

#[test]
fn without_any_tables_the_answer_is_no() {
    let place = Place::new();
    for arguments in [
        &["list"][..],
        &["verify", "--all"],
        &["info", "KQvK"],
        &["probe", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"],
    ] {
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!(status, 1, "{arguments:?}");
        assert!(err.contains("retrograde generate"), "{err}");
    }
}

#[test]
fn too_many_men_are_in_no_table() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
    let (status, _, err) = Place::with_tables().run(["probe", fen]);
    assert_eq!(status, 1);
    assert!(err.contains("32 men"), "{err}");
}

#[test]
fn castling_rights_are_unknown_with_a_reason() {
    let place = Place::with_tables();
    let (status, out, err) = place.run(["probe", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "--json"]);
    assert_eq!(status, 1);
    assert!(err.contains("castle"), "{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["category"], "unknown");
    assert!(answer["wdl"].is_null() && answer["dtz"].is_null() && answer["dtm"].is_null());
    assert!(answer["reason"].as_str().unwrap().contains("castle"));
    // Castling itself gives up the rights, so what comes after it is known.
    let moves = answer["moves"].as_array().unwrap();
    let castles = moves.iter().find(|m| m["san"] == "O-O-O").unwrap();
    assert_eq!(castles["category"], "loss");
}

#[test]
fn a_damaged_table_is_named_and_never_believed() {
    let fen = "8/8/8/4k3/8/8/8/4KQ2 w - - 0 1";
    for damage in ["truncated", "altered", "empty", "text"] {
        let place = Place::with_tables();
        let file = place.path("tables/KQvK.dtm");
        let mut bytes = std::fs::read(&file).unwrap();
        match damage {
            "truncated" => bytes.truncate(bytes.len() / 2),
            "altered" => bytes.iter_mut().skip(400).for_each(|byte| *byte ^= 0x10),
            "empty" => bytes.clear(),
            _ => bytes = b"This is no table.".repeat(100),
        }
        std::fs::write(&file, bytes).unwrap();
        let complaint = complaint(&place, &["probe", fen]);
        assert!(complaint.contains("KQvK.dtm"), "{damage}: {complaint}");
        let (status, out, err) = place.run(["verify", "--all"]);
        assert_eq!(status, 1, "{damage}: {err}");
        assert!(out.contains("KQvK.dtm"), "{damage}: {out}");
    }
}

#[test]
fn a_table_under_another_name_is_noticed() {
    let place = Place::with_tables();
    let [queen, rook] = ["KQvK.wdl", "KRvK.wdl"].map(|name| place.path("tables").join(name));
    std::fs::copy(rook, queen).unwrap();
    let complaint = complaint(&place, &["probe", "8/8/8/4k3/8/8/8/4KQ2 w - - 0 1"]);
    assert!(complaint.contains("KQvK"), "{complaint}");
}

/// A limit on the size of files stands for a disk that is full.
#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_leaves_no_broken_file() {
    let place = Place::with_tables();
    let file = place.path("tables/KPvK.dtm");
    std::fs::remove_file(&file).unwrap();
    let program = place.retrograde([]).get_program().to_owned();
    let output = std::process::Command::new("sh")
        .current_dir(place.path(""))
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" generate KPvK --tables tables",
        ])
        .arg(program)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("KPvK.dtm") && err.contains("space"), "{err}");
    assert!(!file.exists());
    assert_eq!(std::fs::read_dir(place.path("tables")).unwrap().count(), 14);
    assert_eq!(place.run(["verify", "--all"]).0, 0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_generation_leaves_no_broken_file_and_carries_on() {
    let place = Place::with_tables();
    let program = place.retrograde([]).get_program().to_owned();
    let child = std::process::Command::new(program)
        .current_dir(place.path(""))
        .args([
            "generate",
            "KQvKR",
            "KRvKR",
            "KQvKQ",
            "--compression",
            "small",
        ])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Once there is one file more, if only a temporary one, it is well under way.
    let files = || std::fs::read_dir(place.path("tables")).unwrap().count();
    for _ in 0..600 {
        if files() > 15 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("the same command carries on"), "{err}");
    let (status, out, _) = place.run(["list"]);
    assert_eq!(status, 0);
    assert!(!out.contains("damaged"), "{out}");
    for file in std::fs::read_dir(place.path("tables")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with('K'), "{name} was left behind");
    }
    // Less than what was interrupted, so that the test ends soon.
    assert_eq!(place.run(["generate", "--men", "3"]).0, 0);
}
