//! Threads that ask while files are removed, replaced and damaged: each answer is right or an error, and the cache keeps to its
//! budget.
//!
//! Some rounds here; with `RETROGRADE_LOAD=SECONDS` as long as that, in tables of three and four men.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::material::Material;
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::probe::{ProbeError, ProbeOptions, RankOptions};

use super::random::Random;

const THREADS: u64 = 4;
const CACHE_BYTES: usize = 16 << 20;
/// How often each thread opens the tables, and asks then.
const TURNS: u64 = 30;
const QUESTIONS: u64 = 200;
const POSITIONS: usize = 2_000;

/// A position with what whole tables say.
struct Known {
    position: Position,
    wdl: Wdl,
    dtz: Dtz,
    dtm: Option<Dtm>,
}

fn known(directory: &Path, men: usize) -> Vec<Known> {
    let tables = Tablebase::open(directory).unwrap();
    let materials: Vec<Material> = (3..=men).flat_map(Material::all_with_men).collect();
    let mut random = Random(21);
    (0..POSITIONS)
        .map(|number| {
            let position = random.position(&materials[number % materials.len()]);
            Known {
                wdl: tables.probe_wdl(&position).unwrap(),
                dtz: tables.probe_dtz(&position).unwrap(),
                dtm: tables.probe_dtm(&position).unwrap(),
                position,
            }
        })
        .collect()
}

/// Asks something. True if there was an answer, which has to be the right one.
fn ask(tables: &Tablebase, known: &Known, random: &mut Random) -> bool {
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

/// Does something to a file of `to`, or puts it back as it is in `from`. What is mapped may be replaced and removed; only what is
/// read may be changed in place or cut short.
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

/// Copies all files of a directory.
fn copy(from: &Path, to: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        fs::copy(&path, to.join(&name)).unwrap();
        names.push(name);
    }
    names.sort();
    names
}

#[test]
fn answers_are_right_or_errors_whatever_happens_to_the_files() {
    let seconds = std::env::var("RETROGRADE_LOAD").ok();
    let seconds = seconds.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
    let (directory, men) = match seconds {
        Some(_) => (super::directory(), 4),
        None => (super::three_men(), 3),
    };
    let known = known(directory, men);
    let total = [AtomicU64::new(0), AtomicU64::new(0)];
    for map_files in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let names = copy(directory, place.path());
        let options = ProbeOptions {
            cache_bytes: CACHE_BYTES,
            map_files,
            ..ProbeOptions::default()
        };
        let start = Instant::now();
        let goes_on = |turn: u64| match seconds {
            Some(seconds) => start.elapsed() < seconds / 2,
            None => turn < TURNS,
        };
        let open = || Tablebase::open_with(&[place.path()], &options).unwrap();
        thread::scope(|scope| {
            let ask_on_thread = |seed: u64| {
                let (known, total, open, goes_on) = (&known, &total, &open, &goes_on);
                scope.spawn(move || {
                    let mut random = Random(seed);
                    let mut turn = 0;
                    while goes_on(turn) {
                        turn += 1;
                        let tables = open();
                        for _ in 0..QUESTIONS {
                            let known = &known[random.below(known.len() as u64) as usize];
                            let is_known = ask(&tables, known, &mut random);
                            total[usize::from(!is_known)].fetch_add(1, Ordering::Relaxed);
                        }
                        assert!(tables.cache_statistics().bytes <= CACHE_BYTES);
                    }
                })
            };
            let threads: Vec<_> = (0..THREADS).map(ask_on_thread).collect();
            let mut random = Random(99);
            while threads.iter().any(|thread| !thread.is_finished()) {
                let name = &names[random.below(names.len() as u64) as usize];
                disturb(directory, place.path(), name, !map_files, &mut random);
                thread::yield_now();
            }
        });
        // Whole again, everything is known.
        copy(directory, place.path());
        let (tables, mut random) = (open(), Random(5));
        assert!(known.iter().all(|known| ask(&tables, known, &mut random)));
    }
    let [right, errors] = total.map(AtomicU64::into_inner);
    assert!(
        right > 1_000 && errors > 10,
        "{right} right, {errors} errors"
    );
    eprintln!("{right} right answers, {errors} errors, 0 wrong answers");
}
