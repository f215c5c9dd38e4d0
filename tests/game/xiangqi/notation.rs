//! ICCS and WXF.

use proptest::prelude::*;
use retrograde::xiangqi::{Move, ParseMoveError, Position, wxf};

use super::{any_position, position};

/// FEN, ICCS, WXF.
const MOVES: &[(&str, &str, &str)] = &[
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "h2e2",
        "C2=5",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "b0c2",
        "H8+7",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "g0e2",
        "E3+5",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "d0e1",
        "A6+5",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "e3e4",
        "P5+1",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "h2h9",
        "C2+7",
    ),
    // Black counts files from the other side, and forward is down.
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b",
        "h7e7",
        "C8=5",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b",
        "h9g7",
        "H8+7",
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b",
        "a9a8",
        "R1+1",
    ),
    // Two rooks, two knights, two cannons on a file.
    ("3k5/9/9/9/R8/9/9/9/R8/4K4 w", "a5a9", "R++4"),
    ("3k5/9/9/9/R8/9/9/9/R8/4K4 w", "a1b1", "R-=8"),
    ("3k5/9/9/9/9/4N4/9/4N4/9/4K4 w", "e4c5", "H++7"),
    ("3k5/9/9/9/9/4N4/9/4N4/9/4K4 w", "e2c1", "H--7"),
    ("5k3/9/4c4/9/9/4c4/9/9/9/3K5 b", "e7e8", "C--1"),
    ("5k3/9/4c4/9/9/4c4/9/9/9/3K5 b", "e4a4", "C+=1"),
    // Guards on one file are never in doubt.
    ("3k5/9/9/9/9/9/9/3A5/9/3AK4 w", "d2e1", "A6-5"),
    ("3k5/9/9/9/9/9/9/3A5/9/3AK4 w", "d0e1", "A6+5"),
    ("3k5/9/9/9/9/2B6/9/9/9/2B1K4 w", "c4e2", "E7-5"),
    ("3k5/9/9/9/9/2B6/9/9/9/2B1K4 w", "c0e2", "E7+5"),
    // Two pawns on one file.
    ("3k5/9/4P4/9/4P4/9/9/9/9/4K4 w", "e7f7", "P+=4"),
    ("3k5/9/4P4/9/4P4/9/9/9/9/4K4 w", "e5e6", "P-+1"),
    // Three, four and five.
    ("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w", "e7e8", "15+1"),
    ("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w", "e6d6", "25=6"),
    ("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w", "e5f5", "35=4"),
    ("3k5/4P4/4P4/4P4/4P4/9/9/9/9/4K4 w", "e5d5", "45=6"),
    ("3k5/9/9/9/9/4p4/4p4/4p4/4p4/5K3 b", "e4d4", "45=4"),
    // Two on each of two files: front and rear would not say of which.
    ("3k5/9/2P1P4/9/2P1P4/9/9/9/9/4K4 w", "c7b7", "17=8"),
    ("3k5/9/2P1P4/9/2P1P4/9/9/9/9/4K4 w", "e5e6", "25+1"),
    ("4k4/9/9/9/2p3p2/9/2p3p2/9/9/3K5 b", "g3h3", "17=8"),
    ("4k4/9/9/9/2p3p2/9/2p3p2/9/9/3K5 b", "c5c4", "23+1"),
];

#[test]
fn both_notations_both_ways() {
    for &(fen, iccs, text) in MOVES {
        let position = position(fen);
        let m = Move::from_iccs(&position, iccs).unwrap();
        assert_eq!(m.to_iccs(), iccs);
        assert_eq!(wxf(&position, m), text, "{fen} {iccs}");
        assert_eq!(Move::from_wxf(&position, text), Ok(m), "{fen} {text}");
    }
}

#[test]
fn lenient_where_nothing_is_in_doubt() {
    let start = Position::start();
    for (text, iccs) in [
        ("c2.5", "h2e2"),
        ("h8+7", "b0c2"),
        ("N8+7", "b0c2"),
        ("B3+5", "g0e2"),
    ] {
        assert_eq!(Move::from_wxf(&start, text).unwrap().to_iccs(), iccs);
    }
    for text in ["h2e2", "H2E2", "H2-E2", "h2-e2"] {
        assert_eq!(Move::from_iccs(&start, text).unwrap().to_iccs(), "h2e2");
    }
    // Only the front rook can go four ranks forward, so the file says enough.
    let rooks = position("3k5/9/9/9/R8/9/9/9/R8/4K4 w");
    assert_eq!(Move::from_wxf(&rooks, "R9+4").unwrap().to_iccs(), "a5a9");
    let pawns = position("3k5/9/2P1P4/9/2P1P4/9/9/9/9/4K4 w");
    assert_eq!(Move::from_wxf(&pawns, "P+=8").unwrap().to_iccs(), "c7b7");
}

#[test]
fn errors_say_what_is_wrong() {
    let rooks = position("3k5/9/9/9/R8/9/9/9/R8/4K4 w");
    let ambiguous = Move::from_wxf(&rooks, "R9+1").unwrap_err();
    assert!(matches!(ambiguous, ParseMoveError::Ambiguous { .. }));
    assert!(
        ambiguous.to_string().contains("`R9+1` fits a1a2 and a5a6"),
        "{ambiguous}"
    );
    let pawns = position("3k5/9/2P1P4/9/2P1P4/9/9/9/9/4K4 w");
    assert!(matches!(
        Move::from_wxf(&pawns, "P++1"),
        Err(ParseMoveError::Ambiguous { .. })
    ));
    let start = Position::start();
    for text in ["C3=5", "R++1", "K5+2", "21+1", "E3+4", "C2+9"] {
        let error = Move::from_wxf(&start, text).unwrap_err();
        assert!(
            matches!(error, ParseMoveError::Illegal { .. }),
            "{text}: {error}"
        );
    }
    for text in [
        "", "C2=", "C2=55", "Q2=5", "C0=5", "C2=0", "C2x5", "C==5", "é2=5", "61+1",
    ] {
        assert_eq!(
            Move::from_wxf(&start, text),
            Err(ParseMoveError::Wxf(text.to_owned()))
        );
    }
    for text in ["", "h2", "h2e", "h2e22", "j2e2", "h2--e2", "é2e2", "heé"] {
        assert_eq!(
            Move::from_iccs(&start, text),
            Err(ParseMoveError::Iccs(text.to_owned()))
        );
    }
    assert!(matches!(
        Move::from_iccs(&start, "a0a5"),
        Err(ParseMoveError::Illegal { .. })
    ));
}

proptest! {
    /// Every legal move has a text of its own in both notations, and it reads back.
    #[test]
    fn every_move_reads_back(position in any_position()) {
        let mut texts = Vec::new();
        for m in position.legal_moves() {
            let text = wxf(&position, m);
            prop_assert_eq!(Move::from_wxf(&position, &text), Ok(m), "{} {}", position, text);
            prop_assert_eq!(Move::from_iccs(&position, &m.to_iccs()), Ok(m));
            prop_assert!(!texts.contains(&text), "{} {}", position, text);
            texts.push(text);
        }
    }

    /// Nothing a user can write makes the readers panic.
    #[test]
    fn any_text_is_answered(text in "[KABNRCPEH1-9+=.\\-a-jé]{0,6}") {
        let start = Position::start();
        let _ = Move::from_wxf(&start, &text);
        let _ = Move::from_iccs(&start, &text);
    }
}
