//! FEN both ways, and every way to get it wrong.

use retrograde::chess::{CastlingRights, Position, Role, Setup, SetupError};
use retrograde::game::Color;

#[test]
fn round_trip() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
        "8/8/8/4k3/8/8/4P3/R3K3 w - - 99 150",
        "4k3/8/8/8/8/8/8/R3K2R b KQ - 3 2",
    ] {
        assert_eq!(Position::from_fen(fen).unwrap().to_fen(), fen);
    }
    assert_eq!(
        Position::start().to_fen(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
}

#[test]
fn four_fields_and_move_zero() {
    let epd = Position::from_fen("8/8/8/4k3/8/8/4P3/4K3 w - -").unwrap();
    assert_eq!(epd.to_fen(), "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
    let zero = Position::from_fen("8/8/8/4k3/8/8/4P3/4K3 w - - 0 0").unwrap();
    assert_eq!(zero, epd);
}

#[test]
fn en_passant_squares_nobody_can_use_are_dropped() {
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let position = Position::from_fen(fen).unwrap();
    assert_eq!(position.en_passant_square(), None);
    assert_eq!(position.to_fen(), fen.replace("e3", "-"));
}

/// What is wrong in each line, and what the one-line message must say.
#[test]
fn precise_errors() {
    for (fen, message) in [
        ("", "FEN has 0 fields"),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0", "FEN has 5 fields"),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 x", "FEN has 7 fields"),
        ("8/8/8/4k3/8/8/4K3 w - - 0 1", "FEN board has 7 ranks"),
        (
            "8/8/8/4k3/8/8/4P3/4K4 w - - 0 1",
            "rank 1: 9 squares instead of 8 in `4K4`",
        ),
        ("8/8/8/4k3/8/7/4P3/4K3 w - - 0 1", "rank 3: 7 squares"),
        (
            "8/8/8/4k3/8/8/4P3/4K2PPPPPPPPPPP w - - 0 1",
            "rank 1: 18 squares",
        ),
        ("8/8/8/4k3/8/8/4x3/4K3 w - - 0 1", "rank 2: `x` is no man"),
        ("8/8/8/4k3/9/8/8/4K3 w - - 0 1", "rank 4: `9` is no man"),
        ("8/8/8/4k3/8/8/8/4K3 W - - 0 1", "side to move is `W`"),
        ("8/8/8/4k3/8/8/8/4K3 w KK - 0 1", "castling rights are `KK`"),
        ("8/8/8/4k3/8/8/8/4K3 w HA - 0 1", "castling rights are `HA`"),
        (
            "8/8/8/4k3/8/8/8/4K3 w - e9 0 1",
            "en-passant square is `e9`",
        ),
        ("8/8/8/4k3/8/8/8/4K3 w - - -1 1", "halfmove clock is `-1`"),
        ("8/8/8/4k3/8/8/8/4K3 w - - +1 1", "halfmove clock is `+1`"),
        (
            "8/8/8/4k3/8/8/8/4K3 w - - 65536 1",
            "write a number from 0 to 65535",
        ),
        ("8/8/8/4k3/8/8/8/4K3 w - - 0 x", "move number is `x`"),
        (
            "8/8/8/4k3/8/8/8/4K3 w - - 0 99999999999",
            "move number is `99999999999`",
        ),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "black has 0 kings"),
        ("8/8/8/4k3/8/8/8/3KK3 w - - 0 1", "white has 2 kings"),
        (
            "8/8/8/8/8/8/4k3/4K3 w - - 0 1",
            "the kings on e1 and e2 touch",
        ),
        (
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
            "black's king on e8 is in check",
        ),
        ("8/8/8/4k3/8/8/8/4K2P w - - 0 1", "pawn on h1"),
        ("p7/8/8/4k3/8/8/8/4K3 w - - 0 1", "pawn on a8"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "`K` needs a rook on h1"),
        ("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1", "`Q` needs a king on e1"),
        ("4k2r/8/8/8/8/8/8/4K3 w q - 0 1", "`q` needs a rook on a8"),
        (
            "4k3/8/8/8/3pP3/8/8/4K3 b - e4 0 1",
            "with black to move it is on the third rank",
        ),
        ("4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1", "no pawn in front of it"),
        (
            "4k3/8/8/8/3pP3/8/4N3/4K3 b - e3 0 1",
            "the pawn's way there is not empty",
        ),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1",
            "with white to move it is on the sixth rank",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "white has 17 men",
        ),
        (
            "4k3/qqqqqqqq/qq6/8/8/8/8/4K3 b - - 0 1",
            "black has 0 pawns and at least 9 promoted pieces",
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
    setup.put(Role::King.of(Color::White), "e1".parse().unwrap());
    setup.put(Role::King.of(Color::Black), "e8".parse().unwrap());
    setup.put(Role::Rook.of(Color::White), "h1".parse().unwrap());
    setup.castling = CastlingRights::ALL;
    assert!(matches!(
        Position::from_setup(&setup),
        Err(SetupError::Castling { right: 'Q', .. })
    ));
    setup.castling = CastlingRights::NONE;
    let position = Position::from_setup(&setup).unwrap();
    assert_eq!(
        Position::from_setup(&position.to_setup()).unwrap(),
        position
    );
    setup.put(Role::Pawn.of(Color::White), "h1".parse().unwrap());
    assert_eq!(
        Position::from_setup(&setup),
        Err(SetupError::Overlap("h1".parse().unwrap()))
    );
}

proptest::proptest! {
    /// Nothing a user can write makes the reader panic.
    #[test]
    fn any_text_is_answered(text in "[pnbrqkPNBRQK1-9/ wbKQkq\\-a-h0-9é]{0,90}") {
        let _ = Position::from_fen(&text);
    }
}
