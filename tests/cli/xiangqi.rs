use super::Place;

/// Drawn unless perpetual check loses.
const CHECKS_FOR_EVER: &str = "9/9/4k4/9/9/9/9/9/3K5/n2R5 b";

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
        out.starts_with("KRvK under cycles-draw, red to move: win, dtc 1, dtm 1\n"),
        "{out}"
    );
    assert!(
        out.contains("a0d0   R9=6   loss          0     0  checkmate"),
        "{out}"
    );

    let listed = place.json(["list", "--game", "xiangqi", "--json"]);
    assert_eq!(listed["tables"].as_array().unwrap().len(), 16);
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
fn a_name_of_both_games_needs_the_game() {
    let place = Place::with_tables();
    let (status, ..) = place.run(["generate", "--game", "xiangqi", "KRvK"]);
    assert_eq!(status, 0);
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
