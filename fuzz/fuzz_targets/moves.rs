//! Any text as a move in some positions of both games: an error, or a legal move.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::{chess, xiangqi};

/// Castling, en passant, promotions with a choice, three queens that can go to one square.
const CHESS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "1r1r2k1/2P5/8/8/8/8/8/K7 w - - 0 1",
    "8/7k/8/Q2Q4/8/8/8/Q2K4 w - - 0 1",
];

/// The start, and three men of a kind on one file.
const XIANGQI: [&str; 2] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
    "4k4/9/4P4/4P4/4P4/9/9/9/9/3K5 w",
];

fuzz_target!(|text: &str| {
    for fen in CHESS {
        let position = chess::Position::from_fen(fen).expect("a position");
        let found = [
            chess::Move::from_uci(&position, text),
            chess::Move::from_san(&position, text),
        ];
        for m in found.into_iter().flatten() {
            assert!(position.legal_moves().into_iter().any(|legal| legal == m));
        }
    }
    for fen in XIANGQI {
        let position = xiangqi::rules::Position::from_fen(fen).expect("a position");
        let found = [
            xiangqi::rules::Move::from_iccs(&position, text),
            xiangqi::rules::Move::from_wxf(&position, text),
        ];
        for m in found.into_iter().flatten() {
            assert!(position.legal_moves().into_iter().any(|legal| legal == m));
        }
    }
});
