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
        ("4k3/8/8/8/8/8/8/4K3", "1 fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "0 kings"),
        ("8/8/8/4k3/4K3/8/8/8 w - - 0 1", "kings on e4 and e5 touch"),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "pawn on h1"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not black's turn"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right `K`"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en-passant square e6"),
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "xiangqi",
        ),
    ] {
        let complaint = complaint(&Place::new(), &["perft", fen, "1"]);
        assert!(complaint.contains(expected), "{complaint}");
    }
}
