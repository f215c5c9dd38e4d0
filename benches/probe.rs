//! Probes of results by us, Fathom, pyrrhic-rs and shakmaty-syzygy: the same positions in the same
//! order.
//!
//! | stream | positions |
//! |---|---|
//! | random | of five materials of five men, without any order |
//! | games | of games of random moves: neighbours, and captures on the way to fewer men |
//! | search | those that the example engine asks for inside its search of some endgames of six to eight men |
//!
//! `RETROGRADE_SYZYGY_LARGE` names the folder of Syzygy tables: those of the five materials and all
//! that captures and promotions lead to. `RETROGRADE_LARGE_TABLES` names that of our own tables.
//! Fathom is loaded from `libfathom.so.1`, or from what `RETROGRADE_FATHOM` names. Without either,
//! the three-man tables of the repository are asked.
//!
//! Every prober has its turn in every round. Ours has decoded the Syzygy tables of up to four men
//! as a whole beforehand, or five, or none, as the line says. It first forgets what else it has
//! kept, then there are two passes over the stream; then it forgets again, and two threads go over
//! the stream at once, one from the beginning and one from the middle. What is printed are medians
//! of rounds: nanoseconds of processor time a probe in both passes, in brackets how many times as
//! long as that Fathom takes within the round, and how many times as many probes a second two
//! threads do, per processor time.
//!
//! ```sh
//! RETROGRADE_SYZYGY_LARGE=~/syzygy RETROGRADE_LARGE_TABLES=~/tables cargo bench --bench probe
//! ```
//!
//! Names of streams behind `--` leave out the others.

// A library in C, and memory maps.
#![allow(unsafe_code)]

mod common;

// The example engine.
#[allow(dead_code)]
#[path = "../examples/engine/bench.rs"]
mod bench;
#[path = "../examples/engine/evaluation.rs"]
mod evaluation;
#[allow(dead_code)]
#[path = "../examples/engine/search.rs"]
mod search;
#[path = "../examples/engine/transposition.rs"]
mod transposition;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use common::fathom::{Fathom, FathomPosition};
use common::pyrrhic::{self, Attacks};
use common::{Random, games, median, processor_time, random_position, shakmaty_position};
use pyrrhic_rs::TableBases;
use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::{Format, ProbeOptions};
use shakmaty::Chess;

/// Of random positions and games.
const MATERIALS: [&str; 5] = ["KQRvKR", "KRBvKR", "KRPvKR", "KQPvKQ", "KNNvKQ"];
/// Positions of a stream, at most.
const POSITIONS: usize = 60_000;
/// Plies that the engine searches.
const DEPTH: usize = 8;
const ROUNDS: usize = 7;
/// Mebibytes of the engine's transposition table.
const HASH: usize = 16;

/// Who is asked.
struct Prober<'a> {
    name: String,
    /// Forgets what was kept.
    forget: Box<dyn Fn() + Sync + 'a>,
    /// Asks for all positions, from one with a number on and then from the first on.
    pass: Box<dyn Fn(usize) + Sync + 'a>,
}

impl<'a> Prober<'a> {
    fn new<P: Sync>(
        name: impl Into<String>,
        positions: &'a [P],
        forget: impl Fn() + Sync + 'a,
        probe: impl Fn(&P) + Sync + 'a,
    ) -> Prober<'a> {
        Prober {
            name: name.into(),
            forget: Box::new(forget),
            pass: Box::new(move |start| {
                let (before, after) = positions.split_at(start);
                after.iter().for_each(&probe);
                before.iter().for_each(&probe);
            }),
        }
    }
}

/// What a prober took in one round: nanoseconds of the passes, and of both threads.
#[derive(Clone, Copy)]
struct Times {
    passes: [f64; 2],
    threads: [f64; 2],
}

impl Times {
    fn of(prober: &Prober<'_>, len: usize) -> Times {
        let time = |start| {
            let before = processor_time();
            (prober.pass)(start);
            (processor_time() - before).as_nanos() as f64 / len as f64
        };
        (prober.forget)();
        let passes = [time(0), time(0)];
        (prober.forget)();
        let barrier = Barrier::new(2);
        let in_thread = |start| {
            // Both passes: the threads meet in different places.
            barrier.wait();
            (time(start) + time(start)) / 2.0
        };
        let threads = thread::scope(|scope| {
            let threads = [0, len / 2].map(|start| scope.spawn(move || in_thread(start)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        Times { passes, threads }
    }

    /// How many times as many probes a second two threads do.
    fn gain_of_threads(&self) -> f64 {
        let one = (self.passes[0] + self.passes[1]) / 2.0;
        self.threads.iter().map(|time| one / time).sum()
    }
}

/// Prints a line for each prober. The ratios are to the one that is called Fathom.
fn report(stream: &str, len: usize, probers: &[Prober<'_>]) {
    // As a test, each once.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let rounds = if is_bench { ROUNDS } else { 1 };
    let mut times: Vec<Vec<Times>> = probers.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (times, prober) in times.iter_mut().zip(probers) {
            times.push(Times::of(prober, len));
        }
    }
    let fathom = probers.iter().position(|prober| prober.name == "Fathom");
    println!("| {stream}, {len} positions | first pass | second pass | two threads |");
    println!("|---|---:|---:|---:|");
    for (prober, own) in probers.iter().zip(&times) {
        let pass = |pass: usize| {
            let ratio = fathom.map_or(f64::NAN, |fathom| {
                let pairs = times[fathom].iter().zip(own);
                median(
                    pairs
                        .map(|(theirs, own)| theirs.passes[pass] / own.passes[pass])
                        .collect(),
                )
            });
            let time = median(own.iter().map(|times| times.passes[pass]).collect());
            format!("{time:.1} ({ratio:.2})")
        };
        let threads = median(own.iter().map(Times::gain_of_threads).collect());
        println!(
            "| {} | {} | {} | {threads:.2} |",
            prober.name,
            pass(0),
            pass(1)
        );
    }
    println!();
}

/// Options that keep nothing of the tables of a format.
fn nothing_kept(format: Format) -> ProbeOptions {
    ProbeOptions {
        format: Some(format),
        result_bytes: 0,
        cache_bytes: 0,
        checkpoint_bytes: 0,
        preloaded_bytes: 0,
        ..ProbeOptions::default()
    }
}

/// The tables of a folder. Those of results with up to so many men are prefetched, as an engine
/// does before it searches.
fn open(folder: &Path, options: &ProbeOptions, men: usize) -> Tablebase {
    let tables = Tablebase::open_with(&[folder], options).expect("a folder of tables");
    tables.prefetch_results(men).expect("tables of results");
    tables
}

/// A folder that a variable names.
fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
}

/// The streams, of positions that all tables know.
fn streams(tables: &Tablebase) -> Vec<(&'static str, Vec<Position>)> {
    let mut random = Random(1);
    let has = |material: &Material| tables.table(material, Metric::Wdl).is_some();
    let mut materials: Vec<Material> = MATERIALS
        .iter()
        .map(|name| name.parse().expect("a material"))
        .filter(has)
        .collect();
    if materials.is_empty() {
        materials = Material::all_with_men(3).into_iter().filter(has).collect();
    }
    let spaces: Vec<IndexSpace> = materials.into_iter().map(IndexSpace::new).collect();
    let randoms = (0..POSITIONS)
        .map(|_| random_position(&spaces, &mut random))
        .collect();
    let played = games(&spaces, &mut random, POSITIONS);
    let mut probed = Vec::new();
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let depth = if is_bench { DEPTH } else { DEPTH / 2 };
    bench::search_all(Some(tables), HASH, depth, Some(&mut probed));
    println!("the engine asked for {} positions", probed.len());
    // The same share of every search, each in its own order.
    let share = probed.len().div_ceil(POSITIONS).max(1);
    let part = 500;
    let searched: Vec<Position> = probed
        .chunks(part)
        .step_by(share)
        .flatten()
        .copied()
        .collect();
    vec![("random", randoms), ("games", played), ("search", searched)]
}

fn main() {
    let syzygy = folder("RETROGRADE_SYZYGY_LARGE");
    let native = folder("RETROGRADE_LARGE_TABLES");
    let native = match (&syzygy, native) {
        (None, None) => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("tables")),
        (_, native) => native,
    };
    let default = |format| ProbeOptions {
        format: Some(format),
        ..ProbeOptions::default()
    };
    let no_results = |format| ProbeOptions {
        result_bytes: 0,
        ..default(format)
    };
    let ours_with = |options: ProbeOptions| {
        let folder = match options.format {
            Some(Format::Syzygy) => syzygy.as_ref()?,
            _ => native.as_ref()?,
        };
        // With so much room tables of five men are decoded as a whole as well.
        let men = if options.preloaded_bytes < 1 << 30 {
            4
        } else {
            5
        };
        Some(open(folder, &options, men))
    };
    let known_by =
        ours_with(default(Format::Syzygy)).or_else(|| ours_with(default(Format::Native)));
    let known_by = known_by.expect("one folder");
    let ours = [
        (
            "ours, .rtbw, nothing kept",
            ours_with(nothing_kept(Format::Syzygy)),
        ),
        (
            "ours, .rtbw, nothing preloaded",
            ours_with(ProbeOptions {
                preloaded_bytes: 0,
                ..no_results(Format::Syzygy)
            }),
        ),
        ("ours, .rtbw", ours_with(no_results(Format::Syzygy))),
        (
            "ours, .rtbw, results kept",
            ours_with(default(Format::Syzygy)),
        ),
        (
            "ours, .rtbw, five men preloaded",
            ours_with(ProbeOptions {
                preloaded_bytes: 8 << 30,
                ..no_results(Format::Syzygy)
            }),
        ),
        (
            "ours, .rtbw, five men preloaded, results kept",
            ours_with(ProbeOptions {
                preloaded_bytes: 8 << 30,
                ..default(Format::Syzygy)
            }),
        ),
        ("ours, native", ours_with(no_results(Format::Native))),
        (
            "ours, native, results kept",
            ours_with(default(Format::Native)),
        ),
        (
            "ours, native, 1 GiB of blocks",
            ours_with(ProbeOptions {
                cache_bytes: 1 << 30,
                ..no_results(Format::Native)
            }),
        ),
    ];
    let fathom = syzygy.as_deref().and_then(Fathom::load);
    if fathom.is_none() {
        eprintln!("without Fathom: no libfathom.so.1, or no Syzygy tables");
    }
    let path = syzygy.as_ref().and_then(|folder| folder.to_str());
    let pyrrhic = path.and_then(|path| TableBases::<Attacks>::new(path).ok());
    let shakmaty = syzygy.as_ref().map(|folder| {
        // SAFETY: nobody writes to the tables meanwhile.
        let mut tables = unsafe { shakmaty_syzygy::Tablebase::<Chess>::with_mmap_filesystem() };
        tables.add_directory(folder).expect("a folder");
        tables
    });

    // Named ones only, if any are named.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for (name, positions) in streams(&known_by) {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let for_fathom: Vec<FathomPosition> = positions.iter().map(FathomPosition::from).collect();
        let for_shakmaty: Vec<Chess> = positions.iter().map(shakmaty_position).collect();
        let mut probers = Vec::new();
        for (name, tables) in &ours {
            let Some(tables) = tables else { continue };
            probers.push(Prober::new(
                *name,
                &positions,
                || tables.clear_cache(),
                |position| drop(black_box(tables.probe_wdl_after_zeroing(position))),
            ));
        }
        if let Some(fathom) = &fathom {
            probers.push(Prober::new(
                "Fathom",
                &for_fathom,
                || (),
                |position| {
                    black_box(fathom.wdl(position));
                },
            ));
        }
        if let Some(tables) = &pyrrhic {
            probers.push(Prober::new(
                "pyrrhic-rs",
                &for_fathom,
                || (),
                |position| {
                    black_box(pyrrhic::wdl(tables, position));
                },
            ));
        }
        if let Some(tables) = &shakmaty {
            probers.push(Prober::new(
                "shakmaty-syzygy",
                &for_shakmaty,
                || (),
                |position| {
                    drop(black_box(tables.probe_wdl_after_zeroing(position)));
                },
            ));
        }
        // They have to agree, or there is nothing to compare.
        for (number, position) in positions.iter().enumerate() {
            let fen = || position.to_fen();
            let wdl = known_by
                .probe_wdl_after_zeroing(position)
                .expect("a table")
                .index() as u32;
            for (name, tables) in &ours {
                let Some(tables) = tables else { continue };
                let own = tables
                    .probe_wdl_after_zeroing(position)
                    .expect("a table")
                    .index() as u32;
                assert_eq!(own, wdl, "{name}: {}", fen());
            }
            if let Some(fathom) = &fathom {
                assert_eq!(fathom.wdl(&for_fathom[number]), wdl, "Fathom: {}", fen());
            }
            if let Some(tables) = &pyrrhic {
                let own = pyrrhic::wdl(tables, &for_fathom[number]);
                assert_eq!(own, wdl, "pyrrhic-rs: {}", fen());
            }
            if let Some(tables) = &shakmaty {
                let own = tables.probe_wdl_after_zeroing(&for_shakmaty[number]);
                assert_eq!(own.expect("a table") as i32 + 2, wdl as i32, "{}", fen());
            }
        }
        report(name, positions.len(), &probers);
    }
    for (name, tables) in &ours {
        if let Some(tables) = tables {
            let kept = tables.result_statistics();
            println!(
                "{name}: {} results found, {} not; {} bytes preloaded",
                kept.hits,
                kept.misses,
                tables.preloaded_bytes()
            );
        }
    }
}
