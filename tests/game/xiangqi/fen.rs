//! FEN both ways, in every dialect, and every way to get it wrong.

use retrograde::game::Color;
use retrograde::xiangqi::{Position, Role, Setup, SetupError};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

#[test]
fn round_trip() {
    for fen in [
        START,
        "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w - - 3 17",
        "9/9/3k5/9/9/9/3R5/5A3/3K5/r8 b - - 119 80",
    ] {
        assert_eq!(Position::from_fen(fen).unwrap().to_fen(), fen);
    }
    assert_eq!(Position::start().to_fen(), START);
    assert_eq!(Position::from_fen(START), Ok(Position::start()));
}

#[test]
fn dialects() {
    for fen in [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r",
        "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - -",
        "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r - - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 0",
        "  rnbakabnr/9/1c41c1/p1p1p1p1p/9/45/P1P1P1P1P/1C5C1/9/RNBAKABNR   w ",
    ] {
        assert_eq!(Position::from_fen(fen), Ok(Position::start()), "{fen}");
    }
}

/// What is wrong in each line, and what the one-line message must say.
#[test]
fn precise_errors() {
    for (fen, message) in [
        ("", "FEN has 0 fields"),
        ("3k5/9/9/9/9/9/9/9/9/4K4", "FEN has 1 field:"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w -", "FEN has 3 fields"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0", "FEN has 5 fields"),
        (
            "3k5/9/9/9/9/9/9/9/4K4 w",
            "FEN board has 9 ranks: a xiangqi board has 10",
        ),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "FEN board has 8 ranks"),
        (
            "3k5/9/9/9/9/9/8/9/9/4K4 w",
            "rank 3: 8 squares instead of 9 in `8`",
        ),
        ("3k55/9/9/9/9/9/9/9/9/4K4 w", "rank 9: 14 squares"),
        ("3k5/9/9/9/9/9/9/9/9/4Q4 w", "rank 0: `Q` is no man"),
        ("3k5/9/9/9/9/9/9/9/9/4K3é w", "rank 0: `é` is no man"),
        ("3k5/9/9/9/9/9/9/9/9/4K30 w", "rank 0: `0` is no man"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 R", "side to move is `R`"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w KQ -", "field 3 is `KQ`"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - e3", "field 4 is `e3`"),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 w - - -1 1",
            "halfmove clock is `-1`",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 w - - 65536 1",
            "write a number from 0 to 65535",
        ),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 x", "move number is `x`"),
        ("9/9/9/9/9/9/9/9/9/4K4 w", "black has 0 kings"),
        ("3k5/9/9/9/9/9/9/9/4K4/4K4 w", "red has 2 kings"),
        (
            "4k4/9/9/9/9/9/9/9/9/4K4 w",
            "the kings on e0 and e9 face each other",
        ),
        (
            "4k4/9/9/9/9/9/9/9/9/4K4 b",
            "the kings on e0 and e9 face each other",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/6K2 w",
            "`K` on g0: red's king stays in its palace",
        ),
        (
            "9/9/9/3k5/9/9/9/9/9/4K4 w",
            "`k` on d6: black's king stays in its palace",
        ),
        (
            "3k5/3a5/9/9/9/9/9/9/9/4K4 w",
            "`a` on d8: black's advisors stand on d9",
        ),
        (
            "3k5/9/9/9/B8/9/9/9/9/4K4 w",
            "`B` on a5: red's elephants stand on c0",
        ),
        (
            "3k5/9/9/9/9/9/1P7/9/9/4K4 w",
            "`P` on b3: red's pawns stand on the files",
        ),
        (
            "p2k5/9/9/9/9/9/9/9/9/4K4 w",
            "`p` on a9: black's pawns stand on the files",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/RRR1K4 w",
            "red has 3 men `R`: a side has at most 2",
        ),
        (
            "3k5/9/9/9/pppppp3/9/9/9/9/4K4 w",
            "black has 6 men `p`: a side has at most 5",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/3RK4 w",
            "black's king on d9 is in check and it is not black's turn",
        ),
    ] {
        let error = Position::from_fen(fen).expect_err(fen).to_string();
        assert!(error.contains(message), "{fen}: {error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn setups() {
    let mut setup = Setup::empty();
    setup.put(Role::King.of(Color::White), "e0".parse().unwrap());
    setup.put(Role::King.of(Color::Black), "d9".parse().unwrap());
    let position = Position::from_setup(&setup).unwrap();
    assert_eq!(Position::from_setup(&position.to_setup()), Ok(position));
    let mut overlapping = setup;
    overlapping.put(Role::Rook.of(Color::White), "e0".parse().unwrap());
    assert_eq!(
        Position::from_setup(&overlapping),
        Err(SetupError::Overlap("e0".parse().unwrap()))
    );
    setup.pieces[0][Role::Rook.index()] |= 1 << 90;
    assert_eq!(Position::from_setup(&setup), Err(SetupError::OffBoard));
}

proptest::proptest! {
    /// Nothing a user can write makes the reader panic.
    #[test]
    fn any_text_is_answered(text in "[kabnrcpehKABNRCPEH1-9/ wbr\\-0é]{0,90}") {
        let _ = Position::from_fen(&text);
    }

    /// What is read is printed in a way that reads the same.
    #[test]
    fn printed_positions_read_back(position in super::any_position()) {
        let fen = position.to_fen();
        proptest::prop_assert_eq!(Position::from_fen(&fen), Ok(position));
        let other = fen.replace('b', "e").replace('B', "E").replace('n', "h").replace('N', "H");
        let other = other.replace(" w ", " r ").replace(" e ", " b ");
        proptest::prop_assert_eq!(Position::from_fen(&other), Ok(position));
    }
}
