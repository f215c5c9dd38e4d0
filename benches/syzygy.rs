//! Probes of Syzygy tables by us, by shakmaty-syzygy and by Fathom, one after another on the same positions.
//!
//! `RETROGRADE_SYZYGY_LARGE` names the folder of tables: those below and all that captures and promotions lead to.
//! Fathom is loaded from `libfathom.so.1`, or from what `RETROGRADE_FATHOM` names. Distances are only measured if that exports
//! `fathom_probe_dtz`, since Fathom keeps its own function to itself:
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
//! Other programs on the machine disturb a measurement more than probers differ. So everybody has a turn in every round, and what is
//! printed are medians and least times of rounds, of processor time, and in brackets the median of the ratios to ours
//! within a round.
//!
//! ```sh
//! RETROGRADE_SYZYGY_LARGE=~/syzygy cargo bench --bench syzygy
//! ```

// A library in C, and memory maps.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use retrograde::Tablebase;
use retrograde::game::Color;
use retrograde::game::chess::{Position, Role};
use retrograde::index::IndexSpace;
use retrograde::material::Material;
use retrograde::metric::Metric;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError};

const MATERIALS: [&str; 5] = ["KQRvKR", "KRBvKR", "KRPvKR", "KQPvKQ", "KNNvKQ"];
/// Positions of a stream that is not repeated.
const POSITIONS: usize = 60_000;
/// Positions that are asked for again and again.
const REPEATED: usize = 500;
/// Moves of a game, at most.
const LONGEST_GAME: usize = 40;
const ROUNDS: usize = 15;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % end
    }
}

/// A random legal position of one of the materials, either colours, either side to move.
fn random_position(spaces: &[IndexSpace], random: &mut Random) -> Position {
    loop {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        let digits = space.natural_order().digits(random.below(space.len()));
        let Some(placement) = space.placement(&digits) else {
            continue;
        };
        let placement = match random.below(2) {
            0 => placement,
            _ => placement.with_colors_exchanged(),
        };
        let turn = Color::ALL[random.below(2) as usize];
        if let Some(position) = placement.position(turn) {
            return position;
        }
    }
}

/// Positions of games of random moves, one after another: neighbours, and captures on the way to fewer men.
fn games(spaces: &[IndexSpace], random: &mut Random) -> Vec<Position> {
    let mut positions = Vec::with_capacity(POSITIONS);
    while positions.len() < POSITIONS {
        let mut position = random_position(spaces, random);
        for _ in 0..LONGEST_GAME {
            positions.push(position);
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                break;
            }
            position = position.play(moves.as_slice()[random.below(moves.len() as u64) as usize]);
        }
    }
    positions.truncate(POSITIONS);
    positions
}

type ProbeWdl = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u32, bool) -> u32;
type ProbeDtz =
    unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u32, bool, *mut i32) -> i32;

/// What Fathom is asked with: white, black, kings to pawns, the en-passant square, whether White is to move.
#[derive(Clone, Copy)]
struct FathomPosition([u64; 8], u32, bool);

impl From<&Position> for FathomPosition {
    fn from(position: &Position) -> Self {
        let side = |color| {
            Role::ALL
                .iter()
                .fold(0, |all, &role| all | position.pieces(color, role))
        };
        let roles = [
            Role::King,
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::Pawn,
        ];
        let mut sets = [0; 8];
        sets[..2].copy_from_slice(&Color::ALL.map(side));
        sets[2..].copy_from_slice(&roles.map(|role| position.by_role(role)));
        // Fathom takes a1, which is 0, for none.
        let square = position.en_passant_square();
        let square = square.map_or(0, |square| square.index() as u32);
        FathomPosition(sets, square, position.turn() == Color::White)
    }
}

/// Fathom as a shared library. It keeps its tables in global variables.
struct Fathom {
    wdl: ProbeWdl,
    dtz: Option<ProbeDtz>,
    /// The functions are in it.
    _library: libloading::Library,
}

impl Fathom {
    fn load(folder: &Path) -> Option<Fathom> {
        let name = std::env::var_os("RETROGRADE_FATHOM").unwrap_or_else(|| "libfathom.so.1".into());
        let folder = std::ffi::CString::new(folder.to_str()?).ok()?;
        // SAFETY: the functions have the types that `tbprobe.h` of Fathom and the text above declare; the library stays loaded
        // as long as they are there, and this one thread calls them.
        unsafe {
            let library = libloading::Library::new(&name).ok()?;
            let init = library
                .get::<unsafe extern "C" fn(*const std::ffi::c_char) -> bool>("tb_init")
                .ok()?;
            if !init(folder.as_ptr()) {
                return None;
            }
            Some(Fathom {
                wdl: *library.get::<ProbeWdl>("tb_probe_wdl_impl").ok()?,
                dtz: library
                    .get::<ProbeDtz>("fathom_probe_dtz")
                    .ok()
                    .map(|function| *function),
                _library: library,
            })
        }
    }

    fn wdl(&self, &FathomPosition([a, b, c, d, e, f, g, h], square, turn): &FathomPosition) -> u32 {
        // SAFETY: numbers only; any are allowed.
        unsafe { (self.wdl)(a, b, c, d, e, f, g, h, square, turn) }
    }

    /// A function to ask for distances.
    fn dtz(&self) -> Option<impl Fn(&FathomPosition) -> i32 + use<>> {
        let function = self.dtz?;
        Some(
            move |&FathomPosition([a, b, c, d, e, f, g, h], square, turn): &FathomPosition| {
                let mut success = 1;
                // SAFETY: as above, and `success` lives until it returns.
                let dtz =
                    unsafe { function(a, b, c, d, e, f, g, h, square, turn, &raw mut success) };
                assert!(success != 0, "Fathom lacks a table");
                dtz
            },
        )
    }
}

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
        let shakmaty = |position: &Position| {
            let fen: Fen = position.to_fen().parse().expect("a FEN");
            Chess::from_setup(fen.into_setup(), CastlingMode::Standard)
                .or_else(PositionError::ignore_impossible_check)
                .expect("a legal position")
        };
        Stream {
            name,
            repetitions,
            shakmaty: ours.iter().map(shakmaty).collect(),
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

/// What this thread has used.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time on the clock, for want of anything better.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
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
    let ours = Tablebase::open(&folder).expect("a folder");
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
    let played = games(&spaces, &mut random);
    for (name, repetitions, positions) in [
        ("random", 1, positions),
        ("repeated", POSITIONS / REPEATED, repeated),
        ("games", 1, played),
    ] {
        let stream = Stream::new(name, repetitions, positions);
        for ((our, their), fathoms) in stream.ours.iter().zip(&stream.shakmaty).zip(&stream.fathom)
        {
            let wdl = ours.probe_wdl(our).expect("all tables").index();
            let their = shakmaty.probe_wdl_after_zeroing(their).expect("all tables");
            assert_eq!(wdl as i32, their as i32 + 2, "{}", our.to_fen());
            if let Some(fathom) = &fathom {
                assert_eq!(wdl as u32, fathom.wdl(fathoms), "{}", our.to_fen());
            }
        }
        let our_wdl = || stream.measure(&stream.ours, &|p| drop(black_box(ours.probe_wdl(p))));
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
