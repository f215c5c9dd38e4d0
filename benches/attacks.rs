//! The slider attack schemes side by side, and the move generator on top of the one in use.
//!
//! `on the fly` starts from the occupied squares, as a set-wise solver has them; `incremental` from
//! what a position keeps up to date. One iteration finds the queen attacks from every square of
//! every board.

// The macros of criterion make public functions without documentation.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use retrograde::chess::attacks::{
    DarkThought, Hyperbola, Magic, RayWalk, RotatedOccupancy, SliderAttacks, Swafford,
};
use retrograde::chess::{Position, Square, perft};

/// Boards of three to twenty-six men from a small generator of random numbers.
fn boards() -> Vec<u64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..64)
        .map(|i| {
            let mut board = 0u64;
            while board.count_ones() < 3 + i % 24 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                board |= 1 << (state >> 58);
            }
            board
        })
        .collect()
}

fn all_queens<S: SliderAttacks>(occupancies: &[S::Occupancy]) -> u64 {
    let mut sum = 0;
    for occupancy in occupancies {
        for square in Square::all() {
            sum ^= S::queen(square, black_box(occupancy));
        }
    }
    sum
}

fn one_queen_on_the_fly<S: SliderAttacks>(boards: &[u64]) -> u64 {
    let mut sum = 0;
    for (&board, square) in boards.iter().zip(Square::all()) {
        let occupancy = S::occupancy(black_box(board));
        sum ^= S::queen(square, &occupancy);
    }
    sum
}

fn scheme<S: SliderAttacks>(c: &mut Criterion, name: &str) {
    let boards = boards();
    let occupancies: Vec<S::Occupancy> = boards.iter().map(|&b| S::occupancy(b)).collect();
    let mut group = c.benchmark_group("attacks");
    group.throughput(Throughput::Elements(64 * boards.len() as u64));
    group.bench_function(BenchmarkId::new("incremental", name), |b| {
        b.iter(|| all_queens::<S>(black_box(&occupancies)));
    });
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function(BenchmarkId::new("on the fly", name), |b| {
        b.iter(|| one_queen_on_the_fly::<S>(black_box(&boards)));
    });
    group.finish();
}

fn attacks(c: &mut Criterion) {
    scheme::<Swafford>(c, "Swafford, 256 entries");
    scheme::<DarkThought>(c, "DarkThought, compressed");
    scheme::<Hyperbola>(c, "hyperbola");
    scheme::<Magic>(c, "magic");
    scheme::<RayWalk>(c, "ray walk");
    c.bench_function("rotated boards/one move", |b| {
        let (from, to) = (Square::new(12).expect("e2"), Square::new(28).expect("e4"));
        let mut rotated = RotatedOccupancy::new(from.bit());
        b.iter(|| {
            rotated.toggle(black_box(from));
            rotated.toggle(black_box(to));
            rotated
        });
    });
}

fn moves(c: &mut Criterion) {
    let mut group = c.benchmark_group("moves");
    for (name, fen, depth) in [
        (
            "start",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            4,
        ),
        (
            "Kiwipete",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            3,
        ),
        ("KQRvKR", "8/8/2k5/8/8/3r4/1Q6/K6R w - - 0 1", 4),
    ] {
        let position = Position::from_fen(fen).expect("a position");
        let nodes = perft(&position, depth);
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(BenchmarkId::new("perft", name), |b| {
            b.iter(|| assert_eq!(perft(black_box(&position), depth), nodes));
        });
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("legal moves", name), |b| {
            b.iter(|| black_box(&position).legal_moves().len());
        });
        group.bench_function(BenchmarkId::new("legal captures", name), |b| {
            b.iter(|| black_box(&position).legal_captures().len());
        });
    }
    group.finish();
}

criterion_group!(benches, attacks, moves);
criterion_main!(benches);
