//! Counts and longest mates against published ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::chess::solve::{SolveError, SolveOptions, gather_targets, solve};
use retrograde::generate::Summary;
use retrograde::metric::{FIFTY_MOVES, Metric};
use retrograde::simd::Width;
use retrograde::table::Counts;

use crate::solved;

/// Wins, draws, losses and their sum as the data file has them: with and without the fifty-move
/// rule together.
fn four_counts(counts: &Counts) -> [u64; 4] {
    let wins = counts.win + counts.cursed_win;
    let losses = counts.loss + counts.blessed_loss;
    [wins, counts.draw, losses, wins + counts.draw + losses]
}

/// The line that the data file should have for a material.
fn line(summary: &Summary) -> Vec<u64> {
    let longest = summary
        .longest(Metric::Dtm)
        .map(|longest| longest.map_or(0, |longest| longest.plies.into()));
    let counts = summary.counts().each_ref().map(four_counts);
    [counts[0].as_slice(), &counts[1], &longest].concat()
}

#[test]
fn counts_and_longest_mates_of_all_35_materials_are_the_published_ones() {
    let published: HashMap<&str, Vec<u64>> = include_str!("data/chess-counts.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let (material, numbers) = line.split_once(',').unwrap();
            (
                material,
                numbers.split(',').map(|n| n.parse().unwrap()).collect(),
            )
        })
        .collect();
    assert_eq!(solved::all().len(), 35);
    for (material, solved) in solved::all() {
        let summary = Summary::new(solved, &IndexSpace::new(*material));
        let published = &published[material.to_string().as_str()];
        assert_eq!(&line(&summary), published, "{material}");
    }
}

#[test]
fn every_width_finds_the_same_values() {
    let with_pawns = ["KQvKR", "KRvKR", "KRvKB", "KRvKN", "KRvKP"];
    let materials: Vec<_> = solved::materials()
        .into_iter()
        .filter(|material| {
            material.men() == 3 || with_pawns.contains(&material.to_string().as_str())
        })
        .collect();
    assert_eq!(materials.len(), 5 + with_pawns.len());
    // The widest is what all other tests use.
    let widths = [Width::Portable, Width::Bits256, Width::Bits512];
    for width in widths.into_iter().filter(|&width| width < Width::widest()) {
        for (material, solved) in solved::with_width(&materials, FIFTY_MOVES, width) {
            let widest = &solved::all()[&material];
            assert_eq!(solved.slices.len(), widest.slices.len());
            for (ours, widest) in solved.slices.iter().zip(&widest.slices) {
                let sides = ours.get().unwrap().iter().zip(widest.get().unwrap());
                for (ours, widest) in sides {
                    let is_same = ours.legal == widest.legal
                        && ours.decided == widest.decided
                        && ours.stalemate == widest.stalemate
                        && ours.dtm == widest.dtm
                        && ours.own.dtz == widest.own.dtz
                        && ours.own.wdl_by_conversion == widest.own.wdl_by_conversion
                        && ours.own.won_by_zeroing == widest.own.won_by_zeroing
                        && ours.own.dtm_by_conversion == widest.own.dtm_by_conversion;
                    assert!(is_same, "{material} with {width:?}");
                }
            }
        }
    }
}

#[test]
fn a_won_position_without_a_distance_is_an_error_and_no_draw() {
    let [queen, rook, both] =
        ["KQvK", "KRvK", "KQvKR"].map(|name| name.parse::<Material>().unwrap());
    let mut stored = solved::with_options(&[queen, rook], |options| options);
    // As if these had the longest loss that a byte can say, and did not tell.
    let slice = Arc::get_mut(stored.get_mut(&queen).unwrap()).unwrap();
    let [_, black] = slice.slices[0].get_mut().unwrap();
    black.dtm = vec![127; black.legal.len() * 64].into();
    let cancel = AtomicBool::new(false);
    let options = SolveOptions::new(&cancel);
    let targets = gather_targets(&both, &stored, options.width).unwrap();
    let error = solve(both, &targets, options).unwrap_err();
    assert!(
        matches!(error, SolveError::DistanceOverflow { .. }),
        "{error}"
    );
    // With the truth about the longest, there is one.
    let [_, black] = Arc::get_mut(stored.get_mut(&queen).unwrap())
        .unwrap()
        .slices[0]
        .get_mut()
        .unwrap();
    black.longest = black.dtm.longest();
    let targets = gather_targets(&both, &stored, options.width).unwrap();
    let solved = solve(both, &targets, options).unwrap();
    let [white, black] = solved.slices[0].get().unwrap();
    assert!(white.dtm.are_wide());
    let longest = white.dtm.longest().max(black.dtm.longest());
    assert_eq!([white.longest, black.longest], [longest; 2]);
}
