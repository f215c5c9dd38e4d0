//! SAN and UCI.

use retrograde::chess::{Move, ParseMoveError, Position, san};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// FEN, UCI, SAN.
const MOVES: &[(&str, &str, &str)] = &[
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "e2e4",
        "e4",
    ),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
    ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "O-O-O"),
    ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
    ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8#"),
    ("6k1/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
    ("7k/8/8/R7/8/8/4K3/R7 w - - 0 1", "a1a3", "R1a3"),
    ("1k6/8/8/8/8/Q1Q5/4K3/Q7 w - - 0 1", "a3b2", "Qa3b2#"),
    ("k7/8/8/8/8/8/4p3/K2N4 b - - 0 1", "e2d1q", "exd1=Q+"),
    ("k7/4P3/8/8/8/8/8/K7 w - - 0 1", "e7e8n", "e8=N"),
    ("k7/8/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", "exd6"),
    // The other knight is pinned, so nothing is ambiguous.
    ("4r2k/8/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"),
];

#[test]
fn both_notations_both_ways() {
    for &(fen, uci, text) in MOVES {
        let position = position(fen);
        let m = Move::from_uci(&position, uci).unwrap();
        assert_eq!(m.to_uci(), uci);
        assert_eq!(san(&position, m), text);
        assert_eq!(Move::from_san(&position, text), Ok(m));
    }
}

#[test]
fn lenient_where_nothing_is_in_doubt() {
    let p = position("r3k2r/8/8/8/8/8/3P4/R3K2R w KQkq - 0 1");
    for (text, uci) in [
        ("0-0", "e1g1"),
        ("O-O-O!?", "e1c1"),
        ("Pd4", "d2d4"),
        ("d2-d4", "d2d4"),
        ("Ra1xa8+", "a1a8"),
        ("Ra8", "a1a8"),
    ] {
        let m = Move::from_san(&p, text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(m.to_uci(), uci, "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let p = position("6k1/8/8/8/8/8/4K3/R6R w - - 0 1");
    assert!(matches!(
        Move::from_san(&p, "Rd1"),
        Err(ParseMoveError::Ambiguous { .. })
    ));
    assert!(matches!(
        Move::from_san(&p, "Kg1"),
        Err(ParseMoveError::Illegal { .. })
    ));
    assert!(matches!(
        Move::from_san(&p, "O-O"),
        Err(ParseMoveError::Illegal { .. })
    ));
    for text in [
        "",
        "x",
        "Nf9",
        "Zd1",
        "Rd",
        "=Q",
        "é4",
        "Raaad1",
        "R\u{fe0f}d1",
    ] {
        assert!(
            matches!(Move::from_san(&p, text), Err(ParseMoveError::San(_))),
            "{text}"
        );
    }
    for text in ["", "e2", "e2e9", "e2e4k", "e2e4qq", "éé", "aé1b", "e2e4é"] {
        assert!(
            matches!(Move::from_uci(&p, text), Err(ParseMoveError::Uci(_))),
            "{text}"
        );
    }
    assert_eq!(
        Move::from_uci(&p, "e2e4").unwrap_err().to_string(),
        "`e2e4` is not legal in 6k1/8/8/8/8/8/4K3/R6R w - - 0 1"
    );
}
