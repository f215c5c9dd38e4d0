use serde_json::Value;

use super::Place;

/// The lines that a command prints for programs while it is at work.
fn told<'a>(place: &Place, arguments: impl IntoIterator<Item = &'a str>) -> Vec<Value> {
    let (status, _, err) = place.run(arguments.into_iter().chain(["--progress", "json"]));
    assert_eq!(status, 0, "{err}");
    let lines = err.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect(&err)
}

fn number(line: &Value, field: &str) -> u64 {
    line[field].as_u64().expect(field)
}

/// Checks that the lines begin, finish so many materials and end.
fn assert_course(lines: &[Value], materials: u64) -> Vec<&Value> {
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!(
        (&first["event"], &last["event"]),
        (&"begun".into(), &"ended".into())
    );
    assert_eq!(last["seconds_left"], 0.0);
    let mut finished = 0;
    for line in lines {
        assert_eq!(number(line, "materials"), materials);
        assert!(number(line, "finished") >= finished, "{line}");
        finished = number(line, "finished");
        assert!(
            number(line, "positions") <= number(line, "all_positions"),
            "{line}"
        );
        assert!(line["in_work"].is_array(), "{line}");
        if cfg!(target_os = "linux") {
            assert!(number(line, "memory") > 1 << 20, "{line}");
        }
    }
    assert_eq!(finished, materials);
    let finished: Vec<&Value> = (lines.iter())
        .filter(|line| line["event"] == "finished")
        .collect();
    assert_eq!(finished.len() as u64, materials);
    finished
}

#[test]
fn programs_are_told_of_every_material_of_both_games() {
    for (game, material) in [("chess", "KQvKR"), ("xiangqi", "KRvKA")] {
        let place = Place::new();
        let generate = ["generate", material, "--game", game, "--tables", "tables"];
        let plan = place.json(generate.into_iter().chain(["--dry-run", "--json"]));
        let steps = plan["steps"].as_array().unwrap();
        let lines = told(&place, generate);
        let bytes: u64 = assert_course(&lines, steps.len() as u64)
            .into_iter()
            .map(|line| number(line, "bytes"))
            .sum();
        let files = place.json(["list", "--tables", "tables", "--json"]);
        let tables = files["tables"].as_array().unwrap();
        let listed: u64 = tables.iter().map(|table| number(table, "bytes")).sum();
        assert_eq!(listed, bytes, "{files}");
        // What there is to do is known at once, and from the plan how long it takes.
        assert!(lines[0]["seconds_left"].as_f64().unwrap() > 0.0);
        assert!(lines.iter().all(|line| line["scratch"].is_u64()));
        let verify = ["verify", "--all", "--tables", "tables"];
        let verified = told(&place, verify);
        assert_course(&verified, steps.len() as u64);
        assert!(verified.iter().all(|line| line["scratch"].is_null()));
    }
}

#[test]
fn lines_are_for_people_and_for_a_log() {
    let place = Place::new();
    let generate = ["generate", "KQvK", "KRvK", "--tables", "tables"];
    let show = ["--progress", "lines", "--log", "log"];
    let (status, _, err) = place.run(generate.into_iter().chain(show));
    assert_eq!(status, 0, "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("0 of 2"), "{err}");
    assert!(
        lines[1].starts_with("1 of 2: K") && lines[1].contains("K finished, "),
        "{err}"
    );
    assert!(lines[2].starts_with("2 of 2: K"), "{err}");
    assert!(lines[3].contains(" done after "), "{err}");
    // With the time of day, and behind what is there.
    let log = || std::fs::read_to_string(place.path("log")).unwrap();
    let logged = log();
    assert_eq!(logged.lines().count(), lines.len());
    for (logged, line) in logged.lines().zip(&lines) {
        let (time, text) = logged.split_once("Z  INFO ").unwrap();
        assert!(time.starts_with("20") && text == *line, "{logged}");
    }
    let verify = [
        "verify", "--all", "--quiet", "--log", "log", "--tables", "tables",
    ];
    let (status, _, err) = place.run(verify);
    assert_eq!((status, err.as_str()), (0, ""));
    let both = log();
    assert!(
        both.starts_with(&logged) && both.len() > logged.len(),
        "{both}"
    );
    let (status, _, err) = place.run(["verify", "--all", "--log", ".", "--tables", "tables"]);
    assert_eq!(status, 2);
    assert!(
        err.contains("cannot write .: ") && err.contains("; name another file with --log"),
        "{err}"
    );
}

#[test]
fn short_commands_are_silent_where_nobody_looks() {
    let place = Place::with_tables();
    for arguments in [&["generate", "KQvKN"][..], &["verify", "--all"]] {
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!((status, err.as_str()), (0, ""), "{arguments:?}");
    }
}
