//! Keys against the published ones of the Polyglot book format.

use retrograde::chess::{Move, Position, Role};
use retrograde::game::Color;

/// The examples of the format's description: moves from the start, FEN, key.
const PUBLISHED: [(&str, &str, u64); 9] = [
    (
        "",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        0x463b_9618_1691_fc9c,
    ),
    (
        "e2e4",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        0x823c_9b50_fd11_4196,
    ),
    (
        "e2e4 d7d5",
        "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
        0x0756_b944_61c5_0fb0,
    ),
    (
        "e2e4 d7d5 e4e5",
        "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
        0x662f_afb9_65db_29d4,
    ),
    (
        "e2e4 d7d5 e4e5 f7f5",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        0x22a4_8b5a_8e47_ff78,
    ),
    (
        "e2e4 d7d5 e4e5 f7f5 e1e2",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 1 3",
        0x652a_607c_a3f2_42c1,
    ),
    (
        "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7",
        "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 2 4",
        0x00fd_d303_c946_bdd9,
    ),
    (
        "a2a4 b7b5 h2h4 b5b4 c2c4",
        "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
        0x3c81_23ea_7b06_7637,
    ),
    (
        "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3",
        "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 1 4",
        0x5c3f_9b82_9b27_9560,
    ),
];

#[test]
fn polyglot_keys() {
    for (moves, fen, key) in PUBLISHED {
        let read = Position::from_fen(fen).unwrap();
        assert_eq!(read.key(), key, "{fen}");
        let mut played = Position::start();
        for uci in moves.split_whitespace() {
            played.make(Move::from_uci(&played, uci).unwrap());
        }
        assert_eq!(played, read, "{moves}");
    }
}

#[test]
fn material_keys_are_exact_and_swap() {
    let position = Position::from_fen("8/5k2/8/2nn4/8/8/1P3K2/R6B w - - 0 1").unwrap();
    let key = position.material_key();
    assert_eq!(key.to_string(), "KRBPvKNN");
    assert_eq!(key.men(), 7);
    assert_eq!(key.swapped().to_string(), "KNNvKRBP");
    assert_eq!(key.swapped().swapped(), key);
    assert_eq!(key.count(Role::Knight.of(Color::Black)), 2);
    assert_eq!(key, position.material_key_from_scratch());
    assert_eq!(
        key.with(Role::Queen.of(Color::White)).to_string(),
        "KQRBPvKNN"
    );
}

#[test]
fn pawn_keys_see_pawns_only() {
    let a = Position::from_fen("4k3/2p5/8/8/8/8/3P4/4K3 w - - 0 1").unwrap();
    let b = Position::from_fen("k7/2p5/8/8/8/8/3P4/R3K3 b Q - 0 1").unwrap();
    let c = Position::from_fen("4k3/2p5/8/8/8/3P4/8/4K3 w - - 0 1").unwrap();
    assert_eq!(a.pawn_key(), b.pawn_key());
    assert_ne!(a.pawn_key(), c.pawn_key());
    assert_eq!(a.pawn_key(), a.pawn_key_from_scratch());
}
