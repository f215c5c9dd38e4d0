//! Probes of the three-man tables that are checked in: block cached, and decoded anew.
//!
//! `retrograde bench` measures the same on any tables.

// The macros of criterion make undocumented functions.
#![allow(missing_docs)]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use retrograde::Tablebase;
use retrograde::game::Color;
use retrograde::game::chess::Position;
use retrograde::index::IndexSpace;
use retrograde::material::Material;

/// Legal positions of all three-man materials, evenly spread, both sides to move.
fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for material in Material::all_with_men(3) {
        let space = IndexSpace::new(material);
        let order = space.natural_order();
        for index in (0..space.len()).step_by(211) {
            let Some(placement) = space.placement(&order.digits(index)) else {
                continue;
            };
            for turn in Color::ALL {
                positions.extend(placement.position(turn));
            }
        }
    }
    positions
}

fn probing(criterion: &mut Criterion) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    let tables = Tablebase::open(directory).expect("the tables that are checked in");
    let positions = positions();
    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(positions.len() as u64));
    for cold in [false, true] {
        let state = if cold { "cold" } else { "cached" };
        let mut measure = |metric: &str, probe: &dyn Fn(&Position)| {
            group.bench_function(format!("{metric}/{state}"), |bencher| {
                bencher.iter(|| {
                    for position in &positions {
                        if cold {
                            tables.clear_cache();
                        }
                        probe(position);
                    }
                });
            });
        };
        measure("wdl", &|position| {
            drop(black_box(tables.probe_wdl(position)))
        });
        measure("dtz", &|position| {
            drop(black_box(tables.probe_dtz(position)))
        });
        measure("dtm", &|position| {
            drop(black_box(tables.probe_dtm(position)))
        });
    }
    group.finish();
}

criterion_group!(benches, probing);
criterion_main!(benches);
