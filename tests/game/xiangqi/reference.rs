//! Moves, checks and ends of games against `pyffish`.

use retrograde::xiangqi::{Move, ParseMoveError, Role, squares, wxf};

use super::position;

/// `scripts/xiangqi-reference` made the file.
#[test]
fn positions_of_pyffish() {
    let data = include_str!("../../data/xiangqi-moves.txt");
    let (mut positions, mut lost, mut drawn, mut checks, mut written) = (0, 0, 0, 0, 0);
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').collect();
        let [fen, check, over, moves] = fields[..] else {
            panic!("{line}");
        };
        let position = position(fen);
        positions += 1;
        assert_eq!(position.is_check(), check == "check", "{fen}");
        checks += usize::from(position.is_check());
        assert_eq!(!position.has_legal_move(), over == "lost", "{fen}");
        lost += usize::from(over == "lost");
        if over != "lost" {
            assert_eq!(
                position.is_insufficient_material(),
                over == "drawn",
                "{fen}"
            );
            drawn += usize::from(over == "drawn");
        }
        let mut theirs: Vec<&str> = Vec::new();
        for pair in moves.split(',').filter(|pair| !pair.is_empty()) {
            let (iccs, text) = pair.split_once(' ').unwrap();
            theirs.push(iccs);
            let m = Move::from_iccs(&position, iccs).unwrap_or_else(|e| panic!("{e}"));
            if wxf(&position, m) == text {
                written += 1;
            } else {
                assert_other_text(&position, m, text);
            }
        }
        let mut ours: Vec<String> = (position.legal_moves().iter())
            .map(|m| m.to_iccs())
            .collect();
        ours.sort();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{fen}");
    }
    assert_eq!((positions, lost, drawn, checks), (341, 32, 16, 55));
    assert!(written > 5_000, "{written}");
}

/// Where they write a move in another way, two men of a kind stand on one file: they name the file
/// if the other man cannot go the same way, and front and rear where two files have two pawns each.
fn assert_other_text(position: &retrograde::xiangqi::Position, m: Move, text: &str) {
    let men = squares(position.pieces(position.turn(), m.role()));
    let on_the_file = men.filter(|s| s.file() == m.from().file()).count();
    assert!(on_the_file > 1, "{position} {m} {text}");
    match Move::from_wxf(position, text) {
        Ok(found) => assert_eq!(found, m, "{position} {text}"),
        Err(error) => {
            assert!(matches!(error, ParseMoveError::Ambiguous { .. }), "{error}");
            assert_eq!(m.role(), Role::Pawn);
        }
    }
}
