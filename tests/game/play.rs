//! Making and taking back moves.

use proptest::prelude::*;
use retrograde::chess::attacks::RotatedOccupancy;
use retrograde::chess::{Position, Role};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
];

proptest! {
    /// Everything a position keeps up to date equals what it is from scratch, and every move comes
    /// back.
    #[test]
    fn incremental_equals_from_scratch(
        start in 0usize..STARTS.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let mut position = position(STARTS[start]);
        let mut played = Vec::new();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            let before = position;
            let undo = position.make(m);
            prop_assert_eq!(before.play(m), position);
            prop_assert_eq!(position.key(), position.key_from_scratch());
            prop_assert_eq!(position.pawn_key(), position.pawn_key_from_scratch());
            prop_assert_eq!(position.material_key(), position.material_key_from_scratch());
            prop_assert_eq!(*position.rotated(), RotatedOccupancy::new(position.occupied()));
            prop_assert_eq!(
                m.changes_material(),
                before.material_key() != position.material_key()
            );
            prop_assert_eq!(m.is_zeroing(), position.halfmoves() == 0);
            prop_assert_eq!(Position::from_fen(&position.to_fen()).unwrap(), position);
            played.push((before, m, undo));
        }
        for (before, m, undo) in played.into_iter().rev() {
            position.unmake(m, undo);
            prop_assert_eq!(position, before);
        }
    }
}

#[test]
fn outcomes() {
    let mate = position("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1");
    assert!(mate.is_check() && mate.is_checkmate() && !mate.is_stalemate());
    assert!(!mate.has_legal_move() && mate.legal_moves().is_empty());
    let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(!stalemate.is_check() && stalemate.is_stalemate() && !stalemate.is_checkmate());
    let double = position("4k3/8/5N2/8/8/8/8/4R1K1 b - - 0 1");
    assert_eq!(double.checkers().count_ones(), 2);
    assert!(double.legal_moves().iter().all(|m| m.role() == Role::King));
}

#[test]
fn insufficient_material() {
    for (board, expected) in [
        ("4k3/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/4KN2", true),
        ("4k3/8/8/8/8/8/8/4KB2", true),
        ("4k1b1/8/8/8/8/8/8/4KB2", true),
        ("4kb2/8/8/8/8/8/8/4KB2", false),
        ("4k3/8/8/8/8/8/8/3NKN2", false),
        ("4kn2/8/8/8/8/8/8/4KB2", false),
        ("4k3/8/8/8/8/8/P7/4K3", false),
        ("4k3/8/8/8/8/8/8/R3K3", false),
    ] {
        let position = position(&format!("{board} w - - 0 1"));
        assert_eq!(position.is_insufficient_material(), expected, "{board}");
    }
}

#[test]
fn the_most_moves_fit_a_list() {
    let most = position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    assert_eq!(most.legal_moves().len(), 218);
    assert_eq!(most.count_legal_moves(), 218);
}

/// What is played from a position with the highest counters of a FEN can be read again, and comes
/// back.
#[test]
fn counters_stay_at_their_highest() {
    let highest = position("4k3/8/8/8/8/8/8/4K3 b - - 65535 1000000000");
    for m in &highest.legal_moves() {
        let next = highest.play(m);
        assert_eq!(Position::from_fen(&next.to_fen()).as_ref(), Ok(&next));
        assert_eq!(
            (next.halfmoves(), next.fullmoves()),
            (65_535, 1_000_000_000)
        );
        let mut back = highest;
        let undo = back.make(m);
        back.unmake(m, undo);
        assert_eq!(back, highest);
    }
}
