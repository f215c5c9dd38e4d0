use super::Place;

#[test]
fn perft_counts_the_start_position() {
    let (status, out, err) = Place::new().run(["perft", "startpos", "4"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "197281\n", ""));
}

#[test]
fn perft_takes_a_fen_in_several_words() {
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let arguments = ["perft"].into_iter().chain(fen.split(' ')).chain(["3"]);
    let (status, out, _) = Place::new().run(arguments);
    assert_eq!((status, out.as_str()), (0, "2812\n"));
}

#[test]
fn perft_divides_and_adds_up() {
    let (status, out, _) = Place::new().run(["perft", "startpos", "2", "--divide", "--json"]);
    assert_eq!(status, 0);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["nodes"], 400);
    assert_eq!(answer["moves"].as_array().unwrap().len(), 20);
    assert_eq!(answer["moves"][0]["nodes"], 20);
}

#[test]
fn perft_counts_xiangqi() {
    let place = Place::new();
    let (status, out, err) = place.run(["perft", "startpos", "3", "--game", "xiangqi"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "79666\n", ""));
    let fen = "4k4/9/9/9/9/9/4P4/9/9/4K4 r";
    // Ten ranks tell the game.
    let (status, out, _) = place.run(["perft", fen, "2", "--divide"]);
    assert_eq!(status, 0);
    assert_eq!(out.lines().last(), Some("10"));
    assert!(out.lines().any(|line| line == "e3e4: 3"), "{out}");
    let (status, out, err) = place.run(["perft", "9/9 w", "2", "--game", "xiangqi"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("a xiangqi board has 10"), "{err}");
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let (status, out, _) = Place::new().run(["completions", shell]);
        assert_eq!(status, 0);
        assert!(out.contains("completions"));
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let place = Place::new();
    let (status, out, err) = place.run(["man"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains(".TH retrograde 1"), "{out}");
    let (status, help, _) = place.run(["--help"]);
    assert_eq!(status, 0);
    let (status, out, err) = place.run(["man", "--dir", "share/man1"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let mut pages = 0;
    for page in std::fs::read_dir(place.path("share/man1")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        let command = name.strip_prefix("retrograde").unwrap();
        let command = command.strip_suffix(".1").unwrap().trim_start_matches('-');
        assert!(help.contains(command), "{name}");
        pages += 1;
    }
    assert_eq!(out, format!("wrote {pages} pages to share/man1\n"));
    let probe = std::fs::read_to_string(place.path("share/man1/retrograde-probe.1")).unwrap();
    assert!(probe.contains("standard input"), "{probe}");
    // Where it cannot be written, the error says where.
    std::fs::write(place.path("file"), "").unwrap();
    let (status, _, err) = place.run(["man", "--dir", "file"]);
    assert_eq!(status, 2);
    assert!(err.contains("cannot write manual pages to file"), "{err}");
}

#[test]
fn help_has_an_example_for_every_command() {
    let place = Place::new();
    let (status, out, _) = place.run(["--help"]);
    assert_eq!(status, 0);
    for command in [
        "generate",
        "probe",
        "verify",
        "list",
        "info",
        "stats",
        "convert",
        "perft",
        "bench",
        "completions",
        "man",
    ] {
        assert!(out.contains(command), "{command}");
        let (status, out, _) = place.run([command, "--help"]);
        assert_eq!(status, 0);
        assert!(
            out.contains(&format!("\n  retrograde {command}")),
            "{command}"
        );
    }
}

#[test]
fn kings_alone_are_a_draw_without_any_table() {
    let (status, out, _) = Place::new().run(["probe", "8/8/8/4k3/8/8/4K3/8 w - - 0 1"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("KvK, White to move: draw"), "{out}");
}
