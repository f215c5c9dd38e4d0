//! Making, taking back and generating moves.

use proptest::prelude::*;
use retrograde::xiangqi::attacks::BitLines;
use retrograde::xiangqi::{Position, Role, Square};

use super::{any_game, any_position, naive, position};

/// Generated moves, the fast test of every pair of squares, and the naive generator say the same.
fn assert_moves_agree(position: &Position) {
    let fen = position.to_fen();
    let mut generated: Vec<(String, bool)> = (position.legal_moves().iter())
        .map(|m| (m.to_iccs(), m.gives_check()))
        .collect();
    generated.sort();
    assert_eq!(generated, naive::legal_moves(&fen), "{fen}");
    assert_eq!(position.count_legal_moves(), generated.len() as u64);
    assert_eq!(position.has_legal_move(), !generated.is_empty());
    assert_eq!(position.is_check(), naive::is_check(&fen), "{fen}");

    let moves = position.legal_moves();
    let mut pseudo_legal = Vec::new();
    for from in Square::all() {
        for to in Square::all() {
            let found = moves.iter().find(|m| m.from() == from && m.to() == to);
            assert_eq!(
                position.legal_move(from, to),
                found.copied(),
                "{fen} {from}{to}"
            );
            if position.is_pseudo_legal(from, to) {
                pseudo_legal.push(format!("{from}{to}"));
            }
        }
    }
    pseudo_legal.sort();
    assert_eq!(pseudo_legal, naive::pseudo_legal_moves(&fen), "{fen}");

    let captures: Vec<_> = (position.legal_moves().into_iter())
        .filter(|m| m.is_capture())
        .collect();
    let mut listed: Vec<_> = position.legal_captures().into_iter().collect();
    assert_eq!(listed.len(), captures.len());
    listed.retain(|m| !captures.contains(m));
    assert!(listed.is_empty(), "{fen}: {listed:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn generators_agree(position in any_position()) {
        assert_moves_agree(&position);
        assert_moves_agree(&position.mirrored());
        assert_moves_agree(&position.with_colors_exchanged());
    }
}

proptest! {
    /// Everything a position keeps up to date equals what it is from scratch, and every move comes
    /// back.
    #[test]
    fn incremental_equals_from_scratch((start, choices) in any_game()) {
        let mut position = start;
        let mut played = Vec::new();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            let before = position;
            prop_assert_eq!(position.role_at(m.from()), Some(m.role()));
            prop_assert_eq!(position.role_at(m.to()), m.capture());
            let undo = position.make(m);
            prop_assert_eq!(before.play(m), position);
            prop_assert_eq!(position.key(), position.key_from_scratch());
            prop_assert_eq!(*position.board().lines(), BitLines::new(position.occupied()));
            prop_assert_eq!(m.is_capture(), position.halfmoves() == 0);
            prop_assert_eq!(m.gives_check(), position.is_check());
            prop_assert_eq!(position.is_check(), naive::is_check(&position.to_fen()));
            prop_assert_eq!(Position::from_fen(&position.to_fen()).unwrap(), position);
            prop_assert_eq!(position.mirrored().mirrored(), position);
            played.push((before, m, undo));
        }
        for (before, m, undo) in played.into_iter().rev() {
            position.unmake(m, undo);
            prop_assert_eq!(position, before);
            prop_assert_eq!(position.board(), before.board());
            prop_assert_eq!(position.is_check(), before.is_check());
        }
    }

    /// The squares that hold somebody are those of the piece list.
    #[test]
    fn board_and_piece_list_agree(position in any_position()) {
        for square in Square::all() {
            let found = [retrograde::game::Color::White, retrograde::game::Color::Black]
                .into_iter()
                .flat_map(|color| Role::ALL.map(|role| role.of(color)))
                .find(|man| position.pieces(man.color, man.role) & square.bit() != 0);
            prop_assert_eq!(position.piece_at(square), found);
            prop_assert_eq!(position.occupied() & square.bit() != 0, found.is_some());
        }
    }
}

#[test]
fn a_side_without_a_move_has_lost() {
    let mate = position("R2k5/4R4/9/9/9/9/9/9/9/4K4 b");
    assert!(mate.is_check() && mate.is_checkmate() && !mate.is_stalemate());
    for fen in [
        "3k5/4R4/9/9/9/9/9/9/9/4K4 b",
        "3k5/4P4/9/9/9/9/9/9/9/4K4 b",
        // The pawn keeps the king off d8, the other king off e9.
        "3k5/9/3P5/9/9/9/9/9/9/4K4 b",
    ] {
        let stalemate = position(fen);
        assert!(!stalemate.is_check() && !stalemate.is_checkmate());
        assert!(stalemate.is_stalemate() && !stalemate.has_legal_move());
    }
    let free = position("3k5/9/9/4P4/9/9/9/9/9/4K4 b");
    assert!(free.has_legal_move() && !free.is_checkmate() && !free.is_stalemate());
}

#[test]
fn kings_do_not_face() {
    // The only man between the kings may move along the file and not leave it.
    let between = position("4k4/9/9/9/4C4/9/9/9/9/4K4 w");
    let cannon = Square::from_coords(4, 5).unwrap();
    assert!(
        between
            .legal_moves()
            .iter()
            .all(|m| m.from() != cannon || m.to().file() == 4)
    );
    // A king may not step into the other's sight.
    let apart = position("3k5/9/9/9/9/9/9/9/9/4K4 b");
    assert_eq!(apart.legal_moves().len(), 1);
}

#[test]
fn attackers() {
    for (board, drawn) in [
        ("3k5/9/9/9/9/9/9/9/9/4K4", true),
        ("3k5/4a4/b8/9/9/9/9/4B4/4A4/4K4", true),
        ("3k5/9/9/9/9/9/9/9/4C4/4K4", false),
        ("3k5/9/9/9/9/p8/9/9/9/4K4", false),
        ("3k5/9/9/9/9/9/9/9/8R/4K4", false),
        ("3k5/9/9/9/9/n8/9/9/9/4K4", false),
    ] {
        let position = position(&format!("{board} w"));
        assert_eq!(position.is_insufficient_material(), drawn, "{board}");
    }
}

#[test]
fn a_full_board_of_moves_fits_a_list() {
    let most = position("3k5/9/R3C4/9/2N3N2/P1P1P3P/R6C1/4B4/4A4/2B1KA3 w");
    assert_eq!(
        most.legal_moves().len(),
        naive::legal_moves(&most.to_fen()).len()
    );
}

/// What is played from a position with the highest counters of a FEN can be read again, and comes
/// back.
#[test]
fn counters_stay_at_their_highest() {
    let highest = position("5k3/9/9/9/9/9/9/9/4A4/R3K3c b - - 65535 1000000000");
    for m in &highest.legal_moves() {
        let next = highest.play(m);
        assert_eq!(Position::from_fen(&next.to_fen()).as_ref(), Ok(&next));
        assert_eq!(next.fullmoves(), 1_000_000_000);
        let mut back = highest;
        let undo = back.make(m);
        back.unmake(m, undo);
        assert_eq!(back, highest);
    }
}
