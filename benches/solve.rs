//! Solving in memory, one thread: whole materials (sets, fixed point, mate scores), and positions
//! by what they reach.

// The macros of criterion make undocumented functions.
#![allow(missing_docs)]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use retrograde::chess::Position;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::chess::solve;
use retrograde::chess::solve::solved::Solved;
use retrograde::chess::solve::{SolveOptions, gather_targets};
use retrograde::reach::{self, NoLeaves, Options};
use retrograde::xiangqi;

/// Solves everything a material leads to, so that only the material itself is measured.
fn dependencies(
    material: Material,
    stored: &mut HashMap<Material, Arc<Solved>>,
    options: SolveOptions<'_>,
) {
    for dependency in material.dependencies() {
        if !stored.contains_key(&dependency) {
            dependencies(dependency, stored, options);
            let targets = gather_targets(&dependency, stored, options.width)
                .expect("dependencies come first");
            let solved = solve::solve(dependency, &targets, options).expect("four men fit");
            stored.insert(dependency, Arc::new(solved));
        }
    }
}

fn solving(criterion: &mut Criterion) {
    let cancel = AtomicBool::new(false);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    let mut group = criterion.benchmark_group("solve");
    group.sample_size(10);
    for signature in ["KQvK", "KQvKR", "KBNvK", "KRvKP", "KPvKP"] {
        let material: Material = signature.parse().expect("a signature");
        let with_mates = SolveOptions::new(&cancel);
        let mut stored = HashMap::new();
        dependencies(material, &mut stored, with_mates);
        let targets = gather_targets(&material, &stored, with_mates.width).expect("all are there");
        group.throughput(Throughput::Elements(2 * IndexSpace::new(material).len()));
        for mates in [false, true] {
            let options = SolveOptions {
                mates,
                ..with_mates
            };
            let name = if mates { "dtz+dtm" } else { "dtz" };
            group.bench_function(BenchmarkId::new(name, signature), |bencher| {
                bencher.iter(|| {
                    pool.install(|| black_box(solve::solve(material, &targets, options)).is_ok())
                });
            });
        }
    }
    group.finish();
}

/// Solves everything a xiangqi material can capture into.
fn xiangqi_dependencies(
    material: xiangqi::Material,
    targets: &mut retrograde::xiangqi::solve::Targets,
    options: retrograde::xiangqi::solve::SolveOptions<'_>,
) {
    for target in material.dependencies() {
        if !targets.contains_key(&target) {
            xiangqi_dependencies(target, targets, options);
            let solved =
                retrograde::xiangqi::solve::solve(target, targets, options).expect("few men");
            targets.insert(target, Arc::new(solved));
        }
    }
}

/// Results and distances to conversion; elements are positions of one side to move, as other
/// generators count them: one of each mirror pair.
fn solving_xiangqi(criterion: &mut Criterion) {
    let cancel = AtomicBool::new(false);
    let mut group = criterion.benchmark_group("solve-xiangqi");
    group.sample_size(10);
    for (signature, rules) in [
        ("KRvKAABB", xiangqi::Rules::CyclesDraw),
        ("KRvKN", xiangqi::Rules::PerpetualCheck),
        ("KNPvKAABB", xiangqi::Rules::CyclesDraw),
        ("KRCvKR", xiangqi::Rules::PerpetualCheck),
    ] {
        let material: xiangqi::Material = signature.parse().expect("a signature");
        let options = retrograde::xiangqi::solve::SolveOptions {
            rules,
            mates: false,
            watch: retrograde::xiangqi::solve::Watch::new(&cancel),
        };
        let mut targets = HashMap::new();
        xiangqi_dependencies(material, &mut targets, options);
        let space = xiangqi::IndexSpace::new(material).expect("few men");
        group.throughput(Throughput::Elements(space.len()));
        group.bench_function(BenchmarkId::new(rules.name(), signature), |bencher| {
            bencher.iter(|| {
                black_box(retrograde::xiangqi::solve::solve(
                    material, &targets, options,
                ))
                .is_ok()
            });
        });
    }
    group.finish();
}

fn solving_by_what_is_reached(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    let mut group = criterion.benchmark_group("reach");
    group.sample_size(10);
    for (name, fen) in [
        (
            "walls of pawns",
            "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/3BK3 w - - 0 1",
        ),
        ("KRvK", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"),
    ] {
        let position = Position::from_fen(fen).expect("a position");
        let options = Options::default();
        let solve = || {
            let solved = reach::solve(&position, &NoLeaves, &options);
            solved.expect("no leaf fails").progress.positions
        };
        group.throughput(Throughput::Elements(pool.install(solve) as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| pool.install(|| black_box(solve())));
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    solving,
    solving_xiangqi,
    solving_by_what_is_reached
);
criterion_main!(benches);
