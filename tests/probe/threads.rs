//! Many threads at once, with caches that hold next to nothing, and tables that are opened and
//! closed meanwhile.
//!
//! Only the three-man tables of the repository are used, so that the test can be run under
//! ThreadSanitizer, which makes everything ten times as slow; `docs/DESIGN.md` has the command.

use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::material::Material;
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::probe::{ProbeOptions, RankOptions};

use super::random::Random;

const THREADS: u64 = 8;
/// How often a thread takes the tables that are there and asks some questions.
const TURNS: usize = 60;
const QUESTIONS: usize = 60;

/// The tables of three men with so little memory that most blocks and results are thrown away at
/// once.
fn tables(map_files: bool) -> Arc<Tablebase> {
    let options = ProbeOptions {
        cache_bytes: 8_000,
        result_bytes: 256,
        map_files,
        ..ProbeOptions::default()
    };
    Arc::new(Tablebase::open_with(&[super::three_men()], &options).unwrap())
}

/// A position with what one thread alone finds.
struct Known {
    position: Position,
    wdl: Wdl,
    dtz: Dtz,
    dtm: Option<Dtm>,
}

fn known() -> Vec<Known> {
    let tables = tables(true);
    let mut random = Random(8);
    let materials = Material::all_with_men(3);
    (0..500)
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

fn ask(tables: &Tablebase, known: &Known, random: &mut Random) {
    let position = &known.position;
    match random.below(8) {
        0 => assert_eq!(tables.probe_dtz(position).unwrap(), known.dtz),
        1 => assert_eq!(tables.probe_dtm(position).unwrap(), known.dtm),
        2 => {
            let ranked = tables.rank_root_moves(position, &RankOptions::default());
            let best = ranked.unwrap().moves.first().and_then(|m| m.wdl);
            assert!(best.is_none_or(|best| -best == known.wdl));
        }
        _ => assert_eq!(tables.probe_wdl(position).unwrap(), known.wdl),
    }
}

#[test]
fn threads_share_tables_that_come_and_go() {
    let known = known();
    let shared = RwLock::new(tables(true));
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (known, shared) = (&known, &shared);
            scope.spawn(move || {
                let mut random = Random(seed);
                for _ in 0..TURNS {
                    let current = {
                        let guard = shared.read().unwrap_or_else(PoisonError::into_inner);
                        Arc::clone(&guard)
                    };
                    for _ in 0..QUESTIONS {
                        let number = random.below(known.len() as u64) as usize;
                        ask(&current, &known[number], &mut random);
                    }
                    match random.below(6) {
                        0 => current.clear_cache(),
                        1 => {
                            let statistics = current.cache_statistics();
                            assert!(statistics.bytes <= 8_000);
                            assert_eq!(current.result_statistics().bytes, 256);
                        }
                        2 => {
                            let new = tables(random.below(2) == 0);
                            let mut guard = shared.write().unwrap_or_else(PoisonError::into_inner);
                            // The last of the threads that use the old ones closes them.
                            *guard = new;
                        }
                        _ => {}
                    }
                }
            });
        }
    });
    let last = shared.into_inner().unwrap();
    assert_eq!(Arc::strong_count(&last), 1);
}
