//! Repetition and perpetual check.

use proptest::prelude::*;
use retrograde::game::Color;
use retrograde::game::repetition::Line;
use retrograde::xiangqi::{History, Move, Position, Repetition};

use super::{any_game, position};

fn play(line: &mut History, moves: &str) {
    for name in moves.split_whitespace() {
        let m = Move::from_iccs(line.current(), name).unwrap_or_else(|e| panic!("{e}"));
        line.play(m);
    }
}

#[test]
fn shuffling_repeats() {
    let mut line = History::new(Position::start());
    play(&mut line, "b0c2 b9c7 c2b0");
    assert_eq!(line.repetition(), None);
    play(&mut line, "c7b9");
    let quiet = |plies| Repetition {
        plies,
        always_checks: [false; 2],
    };
    assert_eq!(line.repetition(), Some(quiet(4)));
    assert_eq!(quiet(4).loser(), None);
    play(&mut line, "b0c2 b9c7 c2b0 c7b9");
    let all: Vec<Repetition> = line.repetitions().collect();
    assert_eq!(all, [quiet(4), quiet(8)]);
    assert_eq!(line.take_back().map(Move::to_iccs).as_deref(), Some("c7b9"));
    assert_eq!(line.repetition(), Some(quiet(4)));
    assert_eq!(line.moves().len(), 7);
}

#[test]
fn a_capture_ends_the_search() {
    let mut line = History::new(position("3k5/9/9/9/9/9/9/p8/9/R3K4 w"));
    play(&mut line, "a0a2 d9d8 a2a0 d8d9");
    assert_eq!(line.repetition(), None);
    assert_eq!(line.current().halfmoves(), 3);
    play(&mut line, "a0a2 d9d8 a2a0 d8d9");
    assert_eq!(line.repetition().map(|found| found.plies), Some(4));
    assert_eq!(line.repetitions().count(), 1);
}

/// The same squares with the other side to move are another position.
#[test]
fn losing_a_move_is_no_repetition() {
    let mut line = History::new(position("3k5/9/9/9/9/9/9/9/4K4/R8 w"));
    play(&mut line, "a0b0 d9d8 b0c0 d8d7 c0a0 d7d8 a0b0 d8d9 b0a0");
    let first = position("3k5/9/9/9/9/9/9/9/4K4/R8 b");
    assert_eq!(line.current().to_setup().pieces, first.to_setup().pieces);
    assert_eq!(line.repetition(), None);
}

#[test]
fn men_of_a_kind_may_change_places() {
    let mut line = History::new(position("3k5/9/9/9/9/9/9/9/4K4/R7R w"));
    play(&mut line, "a0a5 d9d8 i0a0 d8d9 a5i5 d9d8 i5i0 d8d9");
    assert_eq!(line.repetition().map(|found| found.plies), Some(8));
}

#[test]
fn one_side_checks_for_ever() {
    let mut line = History::new(position("3k5/9/9/9/9/9/9/9/4K4/R8 w"));
    play(&mut line, "a0a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9");
    let found = line.repetition().unwrap();
    assert_eq!(found.always_checks, [true, false]);
    assert_eq!(found.loser(), Some(Color::White));
    assert!(!line.is_check());
    // One quiet move among the checks is enough.
    let mut line = History::new(position("3k5/9/9/9/9/9/9/9/4K4/R8 w"));
    play(&mut line, "a0a9 d9d8 a9a7 d8d9 a7a9 d9d8 a9a7 d8d9");
    assert_eq!(line.repetition().unwrap().loser(), None);
}

#[test]
fn who_loses() {
    for (always_checks, loser) in [
        ([true, true], None),
        ([false, false], None),
        ([true, false], Some(Color::White)),
        ([false, true], Some(Color::Black)),
    ] {
        let repetition = Repetition {
            plies: 4,
            always_checks,
        };
        assert_eq!(repetition.loser(), loser);
    }
}

fn check(line: &History, compared: &Line<Position>) -> Result<(), TestCaseError> {
    prop_assert_eq!(line.current(), compared.current());
    let found = line.repetition();
    prop_assert_eq!(found.map(|found| found.plies), compared.plies_since_last());
    prop_assert_eq!(line.repetitions().count(), compared.earlier_occurrences());
    prop_assert!(found.is_none() || line.may_repeat());
    let Some(found) = found else { return Ok(()) };
    for (side, color) in Color::ALL.into_iter().enumerate() {
        let last_mover_is_it = line.current().turn() != color;
        let skipped = usize::from(!last_mover_is_it);
        let mut checks = line
            .moves()
            .rev()
            .take(found.plies)
            .skip(skipped)
            .step_by(2);
        prop_assert_eq!(found.always_checks[side], checks.all(Move::gives_check));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The home-coming test finds what comparing all positions finds, and the small hash never
    /// hides anything.
    #[test]
    fn home_coming_equals_comparison(
        (start, choices) in any_game(),
        few in 1usize..4,
        back in 0usize..40,
    ) {
        let mut line = History::new(start);
        let mut compared = Line::new(start);
        for choice in &choices {
            let moves = line.current().legal_moves();
            // Few moves to choose from, and the last man moving back when it can: positions come
            // back often.
            let home = line.moves().rev().nth(1).and_then(|m| line.current().legal_move(m.to(), m.from()));
            let m = match (home, moves.first()) {
                (_, None) => break,
                (Some(home), _) if choice.index(3) > 0 => home,
                _ => moves[choice.index(few.min(moves.len()))],
            };
            line.play(m);
            compared.push(*line.current());
            check(&line, &compared)?;
        }
        for _ in 0..back.min(choices.len()) {
            if line.take_back().is_none() {
                break;
            }
            compared.pop();
            check(&line, &compared)?;
        }
    }
}
