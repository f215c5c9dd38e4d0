//! Single positions, and games played out by what the solver says.

use retrograde::game::Color;
use retrograde::metric::Wdl;
use retrograde::xiangqi::solve::Targets;
use retrograde::xiangqi::{Material, Placement, Rules};
use retrograde::xiangqi::{Move, Position};

use super::{solved, value};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// An older generator says 13 plies, which black lengthens by a check.
#[test]
fn a_check_in_between_makes_a_mate_longer() {
    let targets = solved("KRvKP", Rules::CyclesDraw);
    let value = value(&position("9/9/5k3/9/9/9/3p5/3K5/3R5/9 w"), &targets);
    assert_eq!(value.dtm.map(|dtm| dtm.0), Some(15));
}

/// Black has nothing but checks.
#[test]
fn who_can_only_check_for_ever_draws_or_loses() {
    for (signature, fen) in [
        ("KRvKN", "9/9/4k4/9/9/9/9/9/3K5/n2R5 b"),
        ("KRAvKR", "9/9/3k5/9/9/9/3R5/5A3/3K5/r8 b"),
        ("KCAvKN", "9/9/5k3/9/9/9/9/5A3/4K4/1nC6 b"),
    ] {
        let position = position(fen);
        let without = value(&position, &solved(signature, Rules::CyclesDraw));
        assert_eq!(without.wdl, Wdl::Draw, "{fen}");
        let with = value(&position, &solved(signature, Rules::PerpetualCheck));
        assert_eq!(with.wdl, Wdl::Loss, "{fen}");
        assert!(with.round > 0, "{fen}");
    }
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

/// The winner's move: where the rule decides at once, one without check; else whatever is a ply
/// nearer.
fn best_move(position: &Position, targets: &Targets) -> Move {
    let here = value(position, targets);
    let is_ruled = here.round > 0;
    let moves = position.legal_moves();
    let mut choices = Vec::new();
    for &m in moves.as_slice() {
        let next = position.play(m);
        let there = value(&next, targets);
        if there.wdl != Wdl::Loss {
            continue;
        }
        if m.is_capture() {
            assert!(
                !is_ruled,
                "a capture wins without the rule: {}",
                position.to_fen()
            );
            choices.push((0, m));
        } else if there.round == here.round {
            let at_once = is_ruled && here.dtc == 1;
            if !at_once && there.dtc + 1 == here.dtc || at_once && !m.gives_check() {
                choices.push((there.dtc, m));
            }
        }
    }
    let (_, best) = *choices
        .iter()
        .min_by_key(|(distance, _)| *distance)
        .unwrap_or_else(|| panic!("{}: {here:?}", position.to_fen()));
    best
}

/// A defender.
#[derive(Clone, Copy, Debug)]
pub enum Defence {
    Random,
    /// Checks whenever it can.
    Checking,
}

impl Defence {
    pub fn choose(self, position: &Position, random: &mut Random) -> Move {
        let all = position.legal_moves();
        let checks: Vec<Move> = (all.as_slice().iter().copied())
            .filter(|m| m.gives_check())
            .collect();
        match self {
            Defence::Checking if !checks.is_empty() => checks[random.below(checks.len())],
            _ => all.as_slice()[random.below(all.as_slice().len())],
        }
    }
}

/// More plies than the winner needs for all rounds; a defender who is still there has checked for
/// ever.
const LONG: usize = 2000;
/// Plies at the end of a long game that are looked at.
const TAIL: usize = 400;

/// Plays on until the value cannot change any more, and says whether the winner has won.
fn is_won_by_playing(
    start: Position,
    defence: Defence,
    targets: &Targets,
    random: &mut Random,
) -> bool {
    let mut position = start;
    let winner = match value(&start, targets).wdl {
        Wdl::Win => start.turn(),
        _ => !start.turn(),
    };
    let mut checks = [0, 0];
    let mut last = (u8::MAX, u8::MAX);
    for ply in 0..LONG {
        if !position.has_legal_move() {
            return position.turn() != winner;
        }
        let here = value(&position, targets);
        let m = if position.turn() == winner {
            assert_eq!(here.wdl, Wdl::Win, "{}", position.to_fen());
            // Rounds never come back.
            assert!(here.round <= last.0, "{}", position.to_fen());
            last = (here.round, here.dtc);
            best_move(&position, targets)
        } else {
            assert_eq!(here.wdl, Wdl::Loss, "{}", position.to_fen());
            defence.choose(&position, random)
        };
        if ply >= LONG - TAIL {
            checks[usize::from(position.turn() != winner)] += usize::from(m.gives_check());
        }
        position.make(m);
    }
    // Nobody has taken anything for long, so the defender must have checked all the time and the
    // winner must not.
    let [by_winner, by_defender] = checks;
    by_defender == TAIL / 2 && by_winner < TAIL / 2
}

#[test]
fn positions_decided_by_the_rule_are_won_by_playing() {
    let mut random = Random(6);
    let mut played = 0;
    for signature in ["KRvKN", "KRAvKR", "KCAvKN"] {
        let targets = solved(signature, Rules::PerpetualCheck);
        let material: Material = signature.parse().unwrap();
        let solved = &targets[&material.normal_form()];
        for (turn, side) in Color::ALL.into_iter().zip(&solved.sides) {
            let ruled: Vec<usize> = (0..side.rounds.len())
                .filter(|&at| side.rounds[at] > 0)
                .collect();
            for _ in 0..170.min(ruled.len()) {
                let at = ruled[random.below(ruled.len())];
                let placement = Placement {
                    pieces: solved.space.pieces(at / 128, at as u32 % 128),
                };
                let start = placement.position(turn).unwrap();
                for defence in [Defence::Random, Defence::Checking] {
                    assert!(
                        is_won_by_playing(start, defence, &targets, &mut random),
                        "{} {defence:?}",
                        start.to_fen()
                    );
                }
                played += 1;
            }
        }
    }
    assert!(played >= 1000, "{played}");
}
