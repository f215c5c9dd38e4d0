//! What files say of all positions of xiangqi together, against counts of single positions of the
//! whole board.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use retrograde::game::Color;
use retrograde::generate::xiangqi_statistics;
use retrograde::statistics::{Kind, LISTED};
use retrograde::table::{SideStatistics, Statistics};
use retrograde::xiangqi::solve::Solved;
use retrograde::xiangqi::{IndexSpace, Material, Metric, Placement, Rules};

use super::xiangqi::{Board, DRAW, HOLE, MATE, Table, pieces};

/// What is counted with one side to move; men of a kind are told apart.
#[derive(Default)]
struct Naive {
    /// Lost, drawn, won.
    results: [u64; 3],
    mated: u64,
    stalemated: u64,
    illegal: u64,
    /// To conversion and to mate, by signed plies.
    rows: [BTreeMap<i32, u64>; 2],
    /// The placements of the wins of each row.
    wins: [BTreeMap<i32, Vec<Placement>>; 2],
}

/// Placements whose owners would rather not move, by kind.
type Zugzwangs = [Vec<Placement>; 3];

fn count(table: &Table) -> ([Naive; 2], Zugzwangs) {
    let mut sides = <[Naive; 2]>::default();
    let mut zugzwangs = Zugzwangs::default();
    for number in 0..table.len() {
        let (men, red) = table.men(number);
        let Some(board) = Board::new(&men) else {
            continue;
        };
        let side = &mut sides[usize::from(!red)];
        if table.conversion[number] == HOLE {
            side.illegal += 1;
            continue;
        }
        let placement = Placement {
            pieces: pieces(&men),
        };
        let result = table.result(number);
        side.results[(result + 1) as usize] += 1;
        if table.conversion[number] == -MATE {
            match board.is_attacked(red) {
                true => side.mated += 1,
                false => side.stalemated += 1,
            }
        }
        for (scores, (rows, wins)) in [&table.conversion, &table.mate]
            .into_iter()
            .zip(side.rows.iter_mut().zip(&mut side.wins))
        {
            let score = scores[number];
            if score != DRAW && score != -MATE {
                let plies = i32::from(score.signum() * (MATE - score.abs()));
                *rows.entry(plies).or_default() += 1;
                wins.entry(plies).or_default().push(placement);
            }
        }
        // Black to move comes after red.
        if red && table.conversion[number + 1] != HOLE {
            let kind = match [result, table.result(number + 1)] {
                [0, -1] => Kind::BlackLoses,
                [-1, 0] => Kind::WhiteLoses,
                [-1, -1] => Kind::BothLose,
                _ => continue,
            };
            zugzwangs[kind as usize].push(placement);
        }
    }
    (sides, zugzwangs)
}

/// The first different ones, and how many there are; `same` are images that count as one.
fn different(
    space: &IndexSpace,
    placements: &[Placement],
    same: &dyn Fn(&Placement) -> Vec<Placement>,
) -> (Vec<u64>, u64) {
    let index = |placement: &Placement| space.index(placement).unwrap().0;
    let least = |placement: &Placement| same(placement).iter().map(index).min().unwrap();
    let all: BTreeSet<u64> = placements.iter().map(least).collect();
    let count = all.len() as u64;
    (all.into_iter().take(LISTED).collect(), count)
}

fn rows(side: &SideStatistics) -> BTreeMap<i32, u64> {
    let wins = side
        .wins
        .iter()
        .map(|(&plies, count)| (plies as i32, count));
    let losses = (side.losses.iter()).map(|(&plies, count)| (-(plies as i32), count));
    let rows = wins.chain(losses);
    rows.map(|(plies, count)| (plies, count.positions))
        .collect()
}

/// Compares what is counted from the sets of the solver.
pub(super) fn check(table: &Table, solved: &Solved, material: Material, rules: Rules) {
    let space = IndexSpace::new(material).unwrap();
    let statistics = |metric| -> Statistics {
        xiangqi_statistics(solved, &space, metric, &AtomicBool::new(false)).unwrap()
    };
    let (naive, zugzwangs) = count(table);
    let orders = table.orders_of_identical();
    let results = statistics(Metric::Wdl);
    for (side, naive) in results.sides.iter().zip(&naive) {
        let positions = side.results.map(|count| count.positions * orders);
        let [lost, drawn, won] = naive.results;
        assert_eq!(positions, [won, 0, drawn, 0, lost], "{material} {rules}");
        let others = [side.mated, side.stalemated, side.illegal];
        let others = others.map(|count| count.positions * orders);
        let expected = [naive.mated, naive.stalemated, naive.illegal];
        assert_eq!(others, expected, "{material} {rules}");
        assert!(rows(side).is_empty() && side.longest.is_empty());
    }
    for (kind, found) in Kind::ALL.into_iter().zip(&results.zugzwangs) {
        let placements = &zugzwangs[kind as usize];
        let are_colors_alike = kind == Kind::BothLose && material.is_symmetric();
        let same = |placement: &Placement| match are_colors_alike {
            true => vec![*placement, placement.with_colors_exchanged()],
            false => vec![*placement],
        };
        let (indices, different) = different(&space, placements, &same);
        assert_eq!(found.positions * orders, placements.len() as u64);
        assert_eq!(
            (&found.indices, found.different),
            (&indices, different),
            "{material} {kind:?}"
        );
    }
    // The rule gives distances of its own.
    if rules == Rules::PerpetualCheck {
        return;
    }
    for (number, metric) in [Metric::Dtc, Metric::Dtm].into_iter().enumerate() {
        let statistics = statistics(metric);
        assert!(statistics.zugzwangs.is_empty());
        for (color, naive) in Color::ALL.into_iter().zip(&naive) {
            let side = &statistics.sides[color.index()];
            let counted: BTreeMap<i32, u64> = (rows(side).into_iter())
                .map(|(plies, positions)| (plies, positions * orders))
                .collect();
            assert_eq!(counted, naive.rows[number], "{material} {metric}");
            let longest = naive.wins[number]
                .last_key_value()
                .filter(|(plies, _)| **plies > 0);
            let placements = longest.map_or(&[][..], |(_, placements)| placements);
            let (indices, _) = different(&space, placements, &|placement| vec![*placement]);
            assert_eq!(side.longest, indices, "{material} {metric} {color}");
        }
    }
}
