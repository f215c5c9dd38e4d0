//! Statistics are counted again, one position after the other on the whole board, with nothing but
//! squares of men.

use std::collections::BTreeMap;

use retrograde::chess::Role;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::chess::solve::solved::Solved;
use retrograde::game::Color;
use retrograde::generate::Summary;
use retrograde::metric::Metric;
use retrograde::statistics::Counting;
use retrograde::table::{Count, SideStatistics};

use crate::solved;

/// What is counted with one side to move: by metric the signed plies, with mates at `i32::MIN`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Naive {
    results: [u64; 5],
    mated: u64,
    stalemated: u64,
    illegal: u64,
    rows: [BTreeMap<i32, u64>; 2],
}

/// Every way to put the men on squares of their own, one by one: identical men are told apart.
fn for_each(men: &[(Color, Role)], squares: &mut Vec<u8>, visit: &mut impl FnMut(&[u8])) {
    let Some(&(_, role)) = men.get(squares.len()) else {
        visit(squares);
        return;
    };
    for square in 0..64 {
        let is_there = !squares.contains(&square);
        if is_there && (role != Role::Pawn || (8..56).contains(&square)) {
            squares.push(square);
            for_each(men, squares, visit);
            squares.pop();
        }
    }
}

/// Whether published statistics count the position: of all that symmetries of the board make of it
/// the one with the smallest squares. With pawns there is one such symmetry.
fn is_in_table(men: &[(Color, Role)], squares: &[u8]) -> bool {
    let has_pawns = men.iter().any(|&(_, role)| role == Role::Pawn);
    let is_first = |symmetry: u8| {
        let image = |square: u8| {
            let [file, rank] = match symmetry & 4 {
                0 => [square % 8, square / 8],
                _ => [square / 8, square % 8],
            };
            (file ^ (7 * (symmetry & 1))) + 8 * (rank ^ (7 * (symmetry >> 1 & 1)))
        };
        let squares = squares.iter().copied();
        squares.clone().le(squares.map(image))
    };
    let symmetries = if has_pawns { 2 } else { 8 };
    (0..symmetries).all(is_first)
}

fn count(solved: &Solved, men: &[(Color, Role)], counting: Counting) -> [Naive; 2] {
    let mut naive = <[Naive; 2]>::default();
    let mut visit = |squares: &[u8]| {
        if counting == Counting::Table && !is_in_table(men, squares) {
            return;
        }
        let mut placement = Placement::default();
        for (&(color, role), &square) in men.iter().zip(squares) {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        for turn in Color::ALL {
            let naive = &mut naive[turn.index()];
            let Some(position) = placement.position(turn) else {
                naive.illegal += 1;
                continue;
            };
            let value = solved::value(solved, turn, &placement).unwrap();
            let points = value.wdl.signum2();
            naive.results[(2 - points) as usize] += 1;
            if points == 0 {
                naive.stalemated += u64::from(position.legal_moves().is_empty());
                continue;
            }
            let plies = [i32::from(value.dtz), value.dtm.unwrap().0.abs()];
            for (rows, plies) in naive.rows.iter_mut().zip(plies) {
                if plies > 0 {
                    *rows.entry(points.signum() * plies).or_default() += 1;
                }
            }
            if plies[1] == 0 {
                assert!(position.legal_moves().is_empty());
                naive.mated += 1;
            }
        }
    };
    for_each(men, &mut Vec::new(), &mut visit);
    naive
}

fn check(signature: &str, countings: &[Counting]) {
    let material: Material = signature.parse().unwrap();
    let solved = &solved::all()[&material];
    let space = IndexSpace::new(material);
    let summary = Summary::new(solved, &space);
    let mut men = vec![(Color::White, Role::King), (Color::Black, Role::King)];
    men.extend(material.men_without_kings());
    for &counting in countings {
        let orders: u64 = match counting {
            Counting::Table => 1,
            // Identical men are told apart above.
            Counting::Board => men
                .chunk_by(|a, b| a == b)
                .map(|same| (1..=same.len() as u64).product::<u64>())
                .product(),
        };
        let number = |count: Count| orders * counting.number(&material, count);
        let naive = count(solved, &men, counting);
        for (number_of_metric, metric) in [Metric::Dtz, Metric::Dtm].into_iter().enumerate() {
            let statistics = summary.statistics(metric);
            for (side, naive) in statistics.sides.iter().zip(&naive) {
                let SideStatistics {
                    results,
                    mated,
                    stalemated,
                    illegal,
                    wins,
                    losses,
                    longest,
                } = side;
                assert_eq!(results.map(number), naive.results, "{signature}");
                assert_eq!(number(*mated), naive.mated);
                assert_eq!(number(*stalemated), naive.stalemated);
                assert_eq!(number(*illegal), naive.illegal, "{signature}");
                let rows: BTreeMap<i32, u64> = (wins.iter())
                    .map(|(&plies, &count)| (plies as i32, number(count)))
                    .chain(
                        losses
                            .iter()
                            .map(|(&plies, &count)| (-(plies as i32), number(count))),
                    )
                    .collect();
                assert_eq!(rows, naive.rows[number_of_metric], "{signature} {metric}");
                assert_eq!(longest.is_empty(), wins.is_empty());
            }
        }
    }
}

#[test]
fn both_countings_of_three_men_are_those_of_single_positions() {
    for material in Material::all_with_men(3) {
        check(&material.to_string(), &[Counting::Board, Counting::Table]);
    }
}

/// Identical men, pawns of one side and of both, both sides' pieces.
#[test]
fn tables_of_four_men_are_counted_as_published_ones() {
    for signature in ["KQQvK", "KPPvK", "KPvKP", "KRvKN"] {
        check(signature, &[Counting::Table]);
    }
}

#[test]
fn longest_wins_are_different_positions_that_take_so_long() {
    for (material, solved) in solved::all() {
        let space = IndexSpace::new(*material);
        let summary = Summary::new(solved, &space);
        for (metric, side) in [(Metric::Dtz, 0), (Metric::Dtz, 1), (Metric::Dtm, 0)] {
            let statistics = &summary.statistics(metric).sides[side];
            let mut indices = statistics.longest.clone();
            for &index in &indices {
                let turn = Color::ALL[side];
                let (placement, _) = space.position(index, turn).unwrap();
                let value = solved::value(solved, turn, &placement).unwrap();
                let plies = match metric {
                    Metric::Dtm => value.dtm.unwrap().0 as u32,
                    _ => value.dtz.into(),
                };
                assert_eq!(plies, statistics.longest_win(), "{material} {metric}");
            }
            indices.sort_unstable();
            indices.dedup();
            assert_eq!(indices.len(), statistics.longest.len());
        }
    }
}
