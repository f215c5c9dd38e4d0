//! Probes of Syzygy tables by us, by shakmaty-syzygy and by Fathom, one after another on the same
//! positions.
//!
//! `RETROGRADE_SYZYGY_LARGE` names the folder of tables: those below and all that captures and
//! promotions lead to. Fathom is loaded from `libfathom.so.1`, or from what `RETROGRADE_FATHOM`
//! names. Distances are only measured if that exports `fathom_probe_dtz`, since Fathom keeps its
//! own function to itself:
//!
//! ```c
//! #include "tbprobe.c"
//! int fathom_probe_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks, uint64_t bishops,
//!                      uint64_t knights, uint64_t pawns, unsigned ep, bool turn, int *success) {
//!   Pos pos = {white, black, kings, queens, rooks, bishops, knights, pawns, 0, (uint8_t)ep, turn};
//!   *success = 1;
//!   return probe_dtz(&pos, success);
//! }
//! ```
//!
//! Other programs on the machine disturb a measurement more than probers differ. So everybody has a
//! turn in every round, and what is printed are medians and least times of rounds, of processor
//! time, and in brackets the median of the ratios to ours within a round.
//!
//! ```sh
//! RETROGRADE_SYZYGY_LARGE=~/syzygy cargo bench --bench syzygy
//! ```

// A library in C, and memory maps.
#![allow(unsafe_code)]

mod common;

use std::hint::black_box;
use std::path::PathBuf;

use common::fathom::{Fathom, FathomPosition};
use common::{Random, games, median, processor_time, random_position, shakmaty_position};
use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::ProbeOptions;
use shakmaty::Chess;

const MATERIALS: [&str; 5] = ["KQRvKR", "KRBvKR", "KRPvKR", "KQPvKQ", "KNNvKQ"];
/// Positions of a stream that is not repeated.
const POSITIONS: usize = 60_000;
/// Positions that are asked for again and again.
const REPEATED: usize = 500;
const ROUNDS: usize = 15;

/// The same positions as each prober wants them.
struct Stream {
    name: &'static str,
    /// How often they are asked for in a round.
    repetitions: usize,
    ours: Vec<Position>,
    shakmaty: Vec<Chess>,
    fathom: Vec<FathomPosition>,
}

impl Stream {
    fn new(name: &'static str, repetitions: usize, ours: Vec<Position>) -> Stream {
        Stream {
            name,
            repetitions,
            shakmaty: ours.iter().map(shakmaty_position).collect(),
            fathom: ours.iter().map(FathomPosition::from).collect(),
            ours,
        }
    }

    /// Nanoseconds of processor time a probe.
    fn measure<P>(&self, positions: &[P], probe: &dyn Fn(&P)) -> f64 {
        let start = processor_time();
        for _ in 0..self.repetitions {
            for position in positions {
                probe(position);
            }
        }
        let elapsed = processor_time() - start;
        elapsed.as_nanos() as f64 / (self.repetitions * positions.len()) as f64
    }
}

/// One line: nanoseconds of each prober, and how many times as long as ours the others take.
fn report(name: &str, metric: Metric, probers: &[(&str, &dyn Fn() -> f64)]) {
    let mut times = vec![Vec::new(); probers.len()];
    // As a test, each once.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    for _ in 0..if is_bench { ROUNDS } else { 1 } {
        for (times, (_, measure)) in times.iter_mut().zip(probers) {
            times.push(measure());
        }
    }
    print!("{name:<10} {metric}");
    for ((prober, _), own) in probers.iter().zip(&times) {
        let ratios = own.iter().zip(&times[0]).map(|(own, ours)| own / ours);
        print!(
            "  {prober} {:6.1} ns, least {:6.1} ({:.2})",
            median(own.clone()),
            own.iter().copied().fold(f64::INFINITY, f64::min),
            median(ratios.collect())
        );
    }
    println!();
}

fn main() {
    let Some(folder) = std::env::var_os("RETROGRADE_SYZYGY_LARGE").filter(|name| !name.is_empty())
    else {
        eprintln!("skipped: set RETROGRADE_SYZYGY_LARGE to a folder of Syzygy tables");
        return;
    };
    let folder = PathBuf::from(folder);
    // Tables are compared, and not who remembers an answer.
    let options = ProbeOptions {
        result_bytes: 0,
        ..ProbeOptions::default()
    };
    let ours = Tablebase::open_with(&[&folder], &options).expect("a folder");
    // SAFETY: nobody writes to the tables meanwhile.
    let mut shakmaty = unsafe { shakmaty_syzygy::Tablebase::<Chess>::with_mmap_filesystem() };
    shakmaty.add_directory(&folder).expect("a folder");
    let fathom = Fathom::load(&folder);
    if fathom.is_none() {
        eprintln!("without Fathom: no libfathom.so.1; RETROGRADE_FATHOM may name it");
    }

    let mut materials = MATERIALS
        .map(|name| name.parse::<Material>().expect("a material"))
        .to_vec();
    materials.retain(|material| {
        let has = |metric| ours.table(material, metric).is_some();
        let has_both = has(Metric::Wdl) && has(Metric::Dtz);
        if !has_both {
            eprintln!("without {material}: no tables");
        }
        has_both
    });
    if materials.is_empty() {
        return;
    }
    let spaces: Vec<IndexSpace> = materials.iter().copied().map(IndexSpace::new).collect();
    let mut random = Random(1);
    let positions: Vec<Position> = (0..POSITIONS)
        .map(|_| random_position(&spaces, &mut random))
        .collect();
    let repeated = positions[..REPEATED].to_vec();
    let played = games(&spaces, &mut random, POSITIONS);
    for (name, repetitions, positions) in [
        ("random", 1, positions),
        ("repeated", POSITIONS / REPEATED, repeated),
        ("games", 1, played),
    ] {
        let stream = Stream::new(name, repetitions, positions);
        for ((our, their), fathoms) in stream.ours.iter().zip(&stream.shakmaty).zip(&stream.fathom)
        {
            let wdl = ours
                .probe_wdl_after_zeroing(our)
                .expect("all tables")
                .index();
            let their = shakmaty.probe_wdl_after_zeroing(their).expect("all tables");
            assert_eq!(wdl as i32, their as i32 + 2, "{}", our.to_fen());
            if let Some(fathom) = &fathom {
                assert_eq!(wdl as u32, fathom.wdl(fathoms), "{}", our.to_fen());
            }
        }
        let our_wdl = || {
            stream.measure(&stream.ours, &|p| {
                drop(black_box(ours.probe_wdl_after_zeroing(p)))
            })
        };
        let their_wdl = || {
            let probe = |p: &Chess| drop(black_box(shakmaty.probe_wdl_after_zeroing(p)));
            stream.measure(&stream.shakmaty, &probe)
        };
        let mut probers: Vec<(&str, &dyn Fn() -> f64)> =
            vec![("ours", &our_wdl), ("shakmaty-syzygy", &their_wdl)];
        let fathom_wdl = || {
            fathom.as_ref().map_or(f64::NAN, |fathom| {
                stream.measure(&stream.fathom, &|p| {
                    black_box(fathom.wdl(p));
                })
            })
        };
        if fathom.is_some() {
            probers.push(("Fathom", &fathom_wdl));
        }
        report(stream.name, Metric::Wdl, &probers);

        let our_dtz = || stream.measure(&stream.ours, &|p| drop(black_box(ours.probe_dtz(p))));
        let their_dtz = || {
            let probe = |p: &Chess| drop(black_box(shakmaty.probe_dtz(p)));
            stream.measure(&stream.shakmaty, &probe)
        };
        let mut probers: Vec<(&str, &dyn Fn() -> f64)> =
            vec![("ours", &our_dtz), ("shakmaty-syzygy", &their_dtz)];
        let function = fathom.as_ref().and_then(Fathom::dtz);
        let fathom_dtz = || {
            function.as_ref().map_or(f64::NAN, |dtz| {
                stream.measure(&stream.fathom, &|p| {
                    black_box(dtz(p));
                })
            })
        };
        if function.is_some() {
            probers.push(("Fathom", &fathom_dtz));
        }
        report(stream.name, Metric::Dtz, &probers);
    }
}
