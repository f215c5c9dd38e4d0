//! Threads that ask while files are removed, replaced and damaged: each answer is right or an
//! error, and the cache keeps to its budget.
//!
//! Some rounds here; with `RETROGRADE_LOAD=SECONDS` as long as that, in tables of three and four
//! men, and the memory of the process is looked at. `MALLOC_ARENA_MAX=1` then keeps glibc from
//! holding back what is free for each thread.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::probe::xiangqi::{XiangqiTables, XiangqiValue};
use retrograde::probe::{ProbeError, ProbeOptions, RankOptions};
use retrograde::xiangqi::{self, Rules};

use super::random::Random;
use crate::xiangqi::tables::generate;

const THREADS: u64 = 4;
const CACHE_BYTES: usize = 16 << 20;
const RULES: Rules = Rules::PerpetualCheck;
/// How often each thread asks so many questions, and how many of these turns there are until it
/// opens the tables anew, for all.
const TURNS: u64 = 60;
const QUESTIONS: u64 = 100;
const TURNS_OPEN: u64 = 5;
/// How long they stay open where it goes on for long.
const KEPT: Duration = Duration::from_secs(20);
const POSITIONS: usize = 2_000;

/// A position with what whole tables say.
enum Known {
    Chess(KnownChess),
    Xiangqi(Box<xiangqi::Position>, XiangqiValue),
}

struct KnownChess {
    position: Position,
    wdl: Wdl,
    dtz: Dtz,
    dtm: Option<Dtm>,
}

fn known(directory: &Path, men: usize) -> Vec<Known> {
    let tables = Tablebase::open(directory).unwrap();
    let materials: Vec<Material> = (3..=men).flat_map(Material::all_with_men).collect();
    let mut random = Random(21);
    let chess = (0..POSITIONS).map(|number| {
        let position = random.position(&materials[number % materials.len()]);
        Known::Chess(KnownChess {
            wdl: tables.probe_wdl(&position).unwrap(),
            dtz: tables.probe_dtz(&position).unwrap(),
            dtm: tables.probe_dtm(&position).unwrap(),
            position,
        })
    });
    let chess: Vec<Known> = chess.collect();
    let tables = XiangqiTables::open(directory, RULES);
    let mut random = Random(22);
    let spaces = ["KRvKN", "KCvKA", "KRvK"]
        .map(|name| xiangqi::IndexSpace::new(name.parse().unwrap()).unwrap());
    let positions = (0..).filter_map(|number| {
        let space = &spaces[number % spaces.len()];
        let placement = space.placement(random.below(space.len()))?;
        placement.position(Color::ALL[number / spaces.len() % 2])
    });
    let xiangqi = positions.take(POSITIONS / 4).map(|position| {
        let value = tables.probe(&position).unwrap();
        Known::Xiangqi(Box::new(position), value)
    });
    chess.into_iter().chain(xiangqi).collect()
}

/// Asks something. True if there was an answer, which has to be the right one.
fn ask(tables: &Tablebase, known: &KnownChess, random: &mut Random) -> bool {
    fn check<T: PartialEq + std::fmt::Debug>(
        answer: Result<T, ProbeError>,
        right: &T,
        position: &Position,
    ) -> bool {
        if let Ok(answer) = &answer {
            assert_eq!(answer, right, "{}", position.to_fen());
        }
        answer.is_ok()
    }
    let position = &known.position;
    match random.below(8) {
        0 | 1 => check(tables.probe_dtz(position), &known.dtz, position),
        2 | 3 => check(tables.probe_dtm(position), &known.dtm, position),
        4 => {
            let ranked = tables.rank_root_moves(position, &RankOptions::default());
            let best = ranked.map(|ranked| ranked.moves.first().and_then(|m| m.wdl));
            let expected = best.as_ref().ok().copied().flatten().map(|_| -known.wdl);
            check(best, &expected, position)
        }
        _ => check(tables.probe_wdl(position), &known.wdl, position),
    }
}

/// Does something to a file of `to`, or puts it back as it is in `from`. What is mapped may be
/// replaced and removed; only what is read may be changed in place or cut short.
fn disturb(from: &Path, to: &Path, name: &str, in_place: bool, random: &mut Random) {
    let (whole, path) = (from.join(name), to.join(name));
    let mut bytes = fs::read(whole).unwrap();
    let place = random.below(bytes.len() as u64);
    let replace = |bytes: &[u8]| {
        let part = to.join(".part");
        fs::write(&part, bytes).unwrap();
        fs::rename(&part, &path).unwrap();
    };
    match random.below(6) {
        0 => {
            let _ = fs::remove_file(&path);
        }
        1 => {
            bytes[place as usize] ^= 1 << random.below(8);
            replace(&bytes);
        }
        2 if in_place => {
            if let Ok(file) = File::options().write(true).open(&path) {
                let byte = bytes[place as usize] ^ 0x10;
                file.write_all_at(&[byte], place).unwrap();
            }
        }
        3 if in_place => {
            if let Ok(file) = File::options().write(true).open(&path) {
                file.set_len(place).unwrap();
            }
        }
        _ => replace(&bytes),
    }
}

/// Copies all files of a directory, and of those below it; returns where they are in it.
fn copy(from: &Path, to: &Path) -> Vec<String> {
    let (mut names, mut below) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(directory) = below.pop() {
        fs::create_dir_all(to.join(&directory)).unwrap();
        for entry in fs::read_dir(from.join(&directory)).unwrap() {
            let entry = entry.unwrap();
            let name = directory.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                below.push(name);
                continue;
            }
            fs::copy(entry.path(), to.join(&name)).unwrap();
            names.push(name.to_str().unwrap().to_owned());
        }
    }
    names.sort();
    names
}

/// Tables of both games that all threads ask.
struct Opened {
    since: Instant,
    chess: Tablebase,
    xiangqi: XiangqiTables,
}

impl Opened {
    fn new(directory: &Path, map_files: bool) -> Arc<Opened> {
        let options = ProbeOptions {
            cache_bytes: CACHE_BYTES,
            map_files,
            ..ProbeOptions::default()
        };
        Arc::new(Opened {
            since: Instant::now(),
            chess: Tablebase::open_with(&[directory], &options).unwrap(),
            xiangqi: XiangqiTables::open_with(&[directory], RULES, &options).unwrap(),
        })
    }

    /// Asks for one of the positions. True if there was an answer, which has to be the right one.
    fn ask(&self, known: &Known, random: &mut Random) -> bool {
        match known {
            Known::Chess(known) => ask(&self.chess, known, random),
            Known::Xiangqi(position, value) => {
                let answer = match random.below(4) {
                    0 => self.xiangqi.moves(position).map(|moves| {
                        // The best move keeps what there is.
                        let best = moves.first().map_or(value.wdl, |best| -best.value.wdl);
                        assert_eq!(best, value.wdl, "{}", position.to_fen());
                        *value
                    }),
                    1 => self.xiangqi.probe_wdl(position).map(|wdl| {
                        assert_eq!(wdl, value.wdl, "{}", position.to_fen());
                        *value
                    }),
                    _ => self.xiangqi.probe(position),
                };
                if let Ok(answer) = &answer {
                    // Distances whose table is not there are not told.
                    let right = XiangqiValue {
                        dtc: answer.dtc.and(value.dtc),
                        dtm: answer.dtm.and(value.dtm),
                        ..*value
                    };
                    assert_eq!(*answer, right, "{}", position.to_fen());
                }
                answer.is_ok()
            }
        }
    }

    fn check_budget(&self) {
        for cache in [
            self.chess.cache_statistics(),
            self.xiangqi.cache_statistics(),
        ] {
            assert!(cache.bytes <= CACHE_BYTES);
        }
    }
}

/// Bytes of memory of this process that are no files, if the system says.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

#[test]
fn answers_are_right_or_errors_whatever_happens_to_the_files() {
    let seconds = std::env::var("RETROGRADE_LOAD").ok();
    let seconds = seconds.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
    let (chess, men) = match seconds {
        Some(_) => (super::directory(), 4),
        None => (super::three_men(), 3),
    };
    let source = tempfile::tempdir().unwrap();
    for file in Tablebase::open(chess).unwrap().tables() {
        let name = file.path().file_name().unwrap();
        fs::copy(file.path(), source.path().join(name)).unwrap();
    }
    generate(source.path(), &["KRvKN", "KCvKA"], RULES);
    let directory = source.path();
    let known = known(directory, men);
    let total = [AtomicU64::new(0), AtomicU64::new(0)];
    let most = AtomicU64::new(0);
    for map_files in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let names = copy(directory, place.path());
        let start = Instant::now();
        let goes_on = |turn: u64| match seconds {
            Some(seconds) => start.elapsed() < seconds / 2,
            None => turn < TURNS,
        };
        let open = || Opened::new(place.path(), map_files);
        let shared = Mutex::new(open());
        let before = memory().unwrap_or(0);
        thread::scope(|scope| {
            let ask_on_thread = |seed: u64| {
                let (known, total, open, goes_on) = (&known, &total, &open, &goes_on);
                let (shared, most) = (&shared, &most);
                scope.spawn(move || {
                    let mut random = Random(seed);
                    let mut turn = 0;
                    while goes_on(turn) {
                        turn += 1;
                        // What could not be opened stays unknown until all are opened anew.
                        let tables = {
                            let mut shared = shared.lock().unwrap();
                            let is_old = match seconds {
                                Some(_) => shared.since.elapsed() > KEPT,
                                None => turn % TURNS_OPEN == 0,
                            };
                            if is_old {
                                *shared = open();
                            }
                            shared.clone()
                        };
                        for _ in 0..QUESTIONS {
                            let known = &known[random.below(known.len() as u64) as usize];
                            let is_known = tables.ask(known, &mut random);
                            total[usize::from(!is_known)].fetch_add(1, Ordering::Relaxed);
                        }
                        tables.check_budget();
                        let more = memory().unwrap_or(0).saturating_sub(before);
                        most.fetch_max(more, Ordering::Relaxed);
                    }
                })
            };
            let threads: Vec<_> = (0..THREADS).map(ask_on_thread).collect();
            let mut random = Random(99);
            while threads.iter().any(|thread| !thread.is_finished()) {
                let name = &names[random.below(names.len() as u64) as usize];
                disturb(directory, place.path(), name, !map_files, &mut random);
                thread::sleep(Duration::from_millis(1));
            }
        });
        // Whole again, everything is known.
        copy(directory, place.path());
        let (tables, mut random) = (open(), Random(5));
        assert!(known.iter().all(|known| tables.ask(known, &mut random)));
    }
    let [right, errors] = total.map(AtomicU64::into_inner);
    assert!(
        right > 1_000 && errors > 10,
        "{right} right, {errors} errors"
    );
    let most = most.into_inner();
    eprintln!(
        "{right} right answers, {errors} errors, 0 wrong answers, at most {most} bytes of memory"
    );
    // Alone in its process it can tell what memory it takes: the caches of both games, of those
    // opened and of those before.
    assert!(
        seconds.is_none() || most < 6 * CACHE_BYTES as u64,
        "{most} bytes: more than was given, or the allocator keeps what is free; glibc does for \
         each thread unless MALLOC_ARENA_MAX is 1"
    );
}
