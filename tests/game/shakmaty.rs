//! Moves, checks and FENs against an independent implementation.

use proptest::prelude::*;
use retrograde::chess::{Move, Position, Role, Setup, Square, san};
use retrograde::game::Color;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

fn theirs(fen: &str) -> Result<Chess, String> {
    let fen: Fen = fen.parse().map_err(|_| "unreadable".to_owned())?;
    fen.into_position(CastlingMode::Standard)
        .map_err(|e| e.to_string())
}

/// Every legal move with both notations, and what follows from them.
fn assert_same(ours: &Position, theirs: &Chess) {
    let fen = ours.to_fen();
    let mut our_moves: Vec<(String, String)> = ours
        .legal_moves()
        .into_iter()
        .map(|m| (m.to_uci(), san(ours, m)))
        .collect();
    let mut their_moves: Vec<(String, String)> = theirs
        .legal_moves()
        .into_iter()
        .map(|m| {
            (
                m.to_uci(CastlingMode::Standard).to_string(),
                SanPlus::from_move(theirs.clone(), m).to_string(),
            )
        })
        .collect();
    our_moves.sort();
    their_moves.sort();
    assert_eq!(our_moves, their_moves, "{fen}");
    assert_eq!(ours.count_legal_moves(), our_moves.len() as u64, "{fen}");
    assert_eq!(ours.has_legal_move(), !our_moves.is_empty(), "{fen}");
    assert_eq!(ours.is_check(), theirs.is_check(), "{fen}");
    assert_eq!(ours.is_checkmate(), theirs.is_checkmate(), "{fen}");
    assert_eq!(ours.is_stalemate(), theirs.is_stalemate(), "{fen}");
    assert_eq!(
        ours.is_insufficient_material(),
        theirs.is_insufficient_material(),
        "{fen}"
    );
    assert_eq!(
        fen,
        Fen::from_position(theirs, EnPassantMode::PseudoLegal).to_string()
    );
    assert_eq!(
        ours.legal_en_passant_square().map(|s| s.to_string()),
        theirs
            .ep_square(EnPassantMode::Legal)
            .map(|s| s.to_string()),
        "{fen}"
    );
    let captures: Vec<Move> = ours.legal_captures().into_iter().collect();
    let expected: Vec<Move> = ours
        .legal_moves()
        .into_iter()
        .filter(|m| m.changes_material())
        .collect();
    assert_eq!(captures.len(), expected.len(), "{fen}");
    assert!(expected.iter().all(|m| captures.contains(m)), "{fen}");
    for m in ours.legal_moves() {
        assert_eq!(Move::from_uci(ours, &m.to_uci()).as_ref(), Ok(&m));
        assert_eq!(Move::from_san(ours, &san(ours, m)).as_ref(), Ok(&m));
    }
}

/// A few men of each side anywhere: far from what games look like, full of pins and checks.
fn random_setup() -> impl Strategy<Value = Setup> {
    let man = (0usize..2, 0usize..5, 0u8..64);
    (
        prop::collection::vec(man, 0..9),
        0u8..64,
        0u8..64,
        any::<bool>(),
        prop::option::of(0u8..8),
    )
        .prop_map(|(men, white, black, white_to_move, en_passant)| {
            let mut setup = Setup::empty();
            let kings = [(0, 5, white), (1, 5, black)];
            for (color, role, square) in kings.into_iter().chain(men) {
                let square = Square::new(square).unwrap();
                let role = Role::from_index(role).unwrap();
                if setup.occupied() & square.bit() == 0 {
                    setup.put(role.of(Color::ALL[color]), square);
                }
            }
            setup.turn = Color::ALL[usize::from(!white_to_move)];
            let rank = if white_to_move { 5 } else { 2 };
            setup.en_passant = en_passant.and_then(|file| Square::from_coords(file, rank));
            setup
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_positions(setup in random_setup()) {
        let mut setup = setup;
        let mut fen = setup.to_fen();
        if setup.en_passant.is_some() && Position::from_setup(&setup).is_err() {
            setup.en_passant = None;
            fen = setup.to_fen();
        }
        match (Position::from_setup(&setup), theirs(&fen)) {
            (Ok(ours), Ok(theirs)) => {
                prop_assert_eq!(Position::from_fen(&fen).unwrap(), ours);
                assert_same(&ours, &theirs);
            }
            // They also refuse checks that no move can have given; we have no need to.
            (Ok(_), Err(error)) => prop_assert!(
                error.contains("check") || error.contains("passant"),
                "{} {}", fen, error
            ),
            (Err(error), Ok(_)) => prop_assert!(false, "{fen}: {error}"),
            (Err(_), Err(_)) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_games(choices in prop::collection::vec(any::<prop::sample::Index>(), 150)) {
        let mut ours = Position::start();
        let mut theirs = Chess::default();
        for choice in choices {
            assert_same(&ours, &theirs);
            let moves = ours.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            let uci: shakmaty::uci::UciMove = m.to_uci().parse().unwrap();
            let their_move = uci.to_move(&theirs).unwrap();
            prop_assert_eq!(m.is_zeroing(), their_move.is_zeroing());
            prop_assert_eq!(m.is_capture(), their_move.is_capture());
            theirs.play_unchecked(their_move);
            ours.make(m);
        }
    }
}
