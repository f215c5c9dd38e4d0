//! Retrograde analysis against published results.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use retrograde::material::Material;
use retrograde::metric::MateScore;
use retrograde::solve::{SolveOptions, gather_targets, solve};
use retrograde::symmetry::{self, Symmetry, TRIANGLE};

#[test]
fn counts_of_three_and_four_men() {
    let mut stored = HashMap::new();
    let cancel = AtomicBool::new(false);
    let counts = std::fs::read_to_string("tests/data/chess-counts.csv").unwrap();
    let mut order: Vec<Material> = (3..=4).flat_map(Material::all_with_men).collect();
    order.sort_by_key(|m| (m.men(), m.pawns()));
    for material in order {
        let start = Instant::now();
        let targets = gather_targets(&material, &stored).unwrap();
        let solved = solve(
            material,
            &targets,
            SolveOptions {
                mates: true,
                cancel: &cancel,
            },
        )
        .unwrap();
        eprintln!("{material} {:?}", start.elapsed());
        let mut sums = [[0u64; 5]; 2];
        let mut longest = [0i32; 2];
        for (n, slice) in solved.slices.iter().enumerate() {
            let slice = slice.get().unwrap();
            let placement = solved.pawns.placement(n);
            for side in 0..2 {
                let v = &slice[side];
                for address in 0..v.legal.len() {
                    for bit in 0..64u32 {
                        let Some(wdl) = v.wdl(address, bit) else {
                            continue;
                        };
                        let weight = if material.has_pawns() {
                            if placement == placement.mirrored() {
                                1
                            } else {
                                2
                            }
                        } else {
                            let wk = TRIANGLE[address / (v.legal.len() / 10)];
                            if symmetry::is_on_diagonal(wk) { 4 } else { 8 }
                        };
                        sums[side][wdl.index()] += weight;
                        let score = MateScore(v.dtm[address * 64 + bit as usize]);
                        longest[side] = longest[side].max(score.dtm().map_or(0, |d| d.0));
                    }
                }
            }
        }
        let factor: u64 = [0, 1]
            .iter()
            .map(|&c| {
                let counts: Vec<usize> = retrograde::material::ROLES_BY_STRENGTH[1..5]
                    .iter()
                    .map(|&r| material.count(retrograde::game::Color::ALL[c], r))
                    .collect();
                counts
                    .iter()
                    .map(|&n| (1..=n as u64).product::<u64>())
                    .product::<u64>()
            })
            .product();
        let _ = Symmetry::IDENTITY;
        let f = |s: usize| {
            format!(
                "{},{},{},{}",
                (sums[s][4] + sums[s][3]) / factor,
                sums[s][2] / factor,
                (sums[s][1] + sums[s][0]) / factor,
                sums[s].iter().sum::<u64>() / factor
            )
        };
        let line = format!("{material},{},{},{},{}", f(0), f(1), longest[0], longest[1]);
        if !counts.lines().any(|l| l == line) {
            eprintln!(
                "WRONG {line} expected {:?}",
                counts
                    .lines()
                    .find(|l| l.starts_with(&format!("{material},")))
            );
        }
        stored.insert(material, Arc::new(solved));
    }
}
