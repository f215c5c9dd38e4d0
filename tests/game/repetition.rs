//! Positions that come back.

use retrograde::chess::{Move, Position};
use retrograde::game::repetition::{Line, Repeatable};

fn play(line: &mut Line<Position>, moves: &str) {
    for uci in moves.split_whitespace() {
        line.play(Move::from_uci(line.current(), uci).unwrap());
    }
}

#[test]
fn shuffling_repeats() {
    let mut line = Line::new(Position::start());
    play(&mut line, "g1f3 g8f6 f3g1");
    assert_eq!(line.earlier_occurrences(), 0);
    play(&mut line, "f6g8");
    assert_eq!(line.earlier_occurrences(), 1);
    assert_eq!(line.plies_since_last(), Some(4));
    assert!(line.is_repeated(1) && line.is_repeated(2) && !line.is_repeated(3));
    play(&mut line, "g1f3 g8f6 f3g1 f6g8");
    assert!(line.is_repeated(3) && !line.is_repeated(4));
    line.pop();
    assert_eq!(line.earlier_occurrences(), 1);
    assert_eq!(line.plies(), 7);
}

#[test]
fn lost_castling_rights_make_another_position() {
    let fen = "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1";
    let mut line = Line::new(Position::from_fen(fen).unwrap());
    play(&mut line, "e1e2 e8e7 e2e1 e7e8");
    assert_eq!(line.earlier_occurrences(), 0);
    play(&mut line, "e1e2 e8e7 e2e1 e7e8");
    assert_eq!(line.earlier_occurrences(), 1);
}

/// After ...d7-d5 white could take en passant, but its pawn is pinned: the rules see the same
/// position again.
#[test]
fn an_illegal_en_passant_capture_is_none() {
    let fen = "4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let mut line = Line::new(Position::from_fen(fen).unwrap());
    play(&mut line, "d7d5");
    assert!(line.current().en_passant_square().is_some());
    assert_eq!(line.current().legal_en_passant_square(), None);
    play(&mut line, "e1e2 g8g7 e2e1 g7g8");
    assert_eq!(line.earlier_occurrences(), 1);

    // Without the rook the capture is legal, and the position after it is another.
    let fen = "r5k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let mut line = Line::new(Position::from_fen(fen).unwrap());
    play(&mut line, "d7d5 e1e2 g8g7 e2e1 g7g8");
    assert_eq!(line.earlier_occurrences(), 0);
}

#[test]
fn pawn_moves_and_captures_cut_the_line() {
    let mut line = Line::new(Position::start());
    play(&mut line, "g1f3 g8f6 f3g1 f6g8 e2e4");
    assert_eq!(line.current().reversible_plies(), 0);
    assert_eq!(line.earlier_occurrences(), 0);
}

/// A position whose key says nothing: only comparing can tell.
#[derive(Debug)]
struct Colliding(u32);

impl Repeatable for Colliding {
    fn repetition_key(&self) -> u64 {
        7
    }
    fn reversible_plies(&self) -> usize {
        100
    }
    fn is_same_position(&self, other: &Colliding) -> bool {
        self.0 == other.0
    }
}

#[test]
fn equal_keys_are_not_enough() {
    let mut line = Line::new(Colliding(1));
    for number in [2, 3, 4, 5] {
        line.push(Colliding(number));
        assert_eq!(line.earlier_occurrences(), 0);
    }
    line.push(Colliding(6));
    line.push(Colliding(3));
    assert_eq!(line.plies_since_last(), Some(4));
}
