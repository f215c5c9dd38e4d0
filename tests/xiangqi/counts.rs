//! Wins, draws, losses and longest mates against those of an independent solver.

use retrograde::metric::MateScore;
use retrograde::xiangqi::solve::{Solved, Targets};
use retrograde::xiangqi::{Material, Rules};

use super::solve_into;

/// The longest win of red to move and the longest loss of black to move, in plies.
fn longest_mates(solved: &Solved) -> [u32; 2] {
    [(0, 1), (1, -1)].map(|(side, sign): (usize, i32)| {
        let scores = solved.sides[side].dtm.iter();
        scores
            .filter_map(|&score| MateScore(score).dtm())
            .filter(|dtm| dtm.0.signum() == sign)
            .map(|dtm| dtm.0.unsigned_abs())
            .max()
            .unwrap_or(0)
    })
}

#[test]
fn counts_and_longest_mates_are_those_of_an_independent_solver() {
    let lines = include_str!("../data/xiangqi-counts.csv").lines().skip(1);
    let mut targets = Rules::ALL.map(|_| Targets::new());
    let mut compared = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let rules: Rules = fields[1].parse().unwrap();
        let material: Material = fields[0].parse().unwrap();
        let solved = solve_into(material, rules, &mut targets[rules as usize]);
        let expected: Vec<u64> = fields[2..8].iter().map(|n| n.parse().unwrap()).collect();
        let counts = solved
            .counts()
            .map(|counts| [counts.win, counts.draw, counts.loss]);
        assert_eq!(counts.as_flattened(), expected, "{line}");
        if rules == Rules::CyclesDraw {
            let expected: Vec<u32> = fields[8..].iter().map(|n| n.parse().unwrap_or(0)).collect();
            assert_eq!(longest_mates(&solved).as_slice(), expected, "{line}");
        }
        compared += 1;
    }
    assert_eq!(compared, 23);
}
