//! What holds whatever the limits, the threads and the keys.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use retrograde::Tablebase;
use retrograde::chess::{Position, Role};
use retrograde::game::{Color, Game};
use retrograde::metric::{Dtm, Dtz, Wdl};
use retrograde::reach::{Analysed, End, Handicap, NoLeaves, Options, ReachError, Solved, solve};

use super::{Tables, position, solved, wdl};
use crate::probe;

/// A won ending, of which everything is reached: 399 064 positions, 50 009 but for the symmetries
/// of the board.
const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
/// A bishop before a wall.
const WALL: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/3BK3 w - - 0 1";

fn three_men() -> Tablebase {
    Tablebase::open(probe::three_men()).unwrap()
}

fn leaves(tables: &Tablebase, men: u32) -> Tables<'_> {
    Tables {
        tables,
        men,
        except: None,
    }
}

/// Everything of a result that is to be the same.
fn outline(solved: &Solved) -> String {
    let analysed: Vec<String> = solved
        .analysed
        .iter()
        .map(
            |Analysed {
                 side,
                 root,
                 moves,
                 line,
             }| format!("{side:?} {root:?} {moves:?} {line:?}"),
        )
        .collect();
    format!(
        "{:?} {:?} {analysed:?}",
        solved.end, solved.progress.positions
    )
}

#[test]
fn one_position_stands_for_its_images() {
    let rook = solved(ROOK, &NoLeaves);
    assert_eq!((rook.progress.positions, rook.images()), (50_009, 399_064));
    // Nobody looks at a wall of pawns from another side.
    let wall = solved(WALL, &NoLeaves);
    assert_eq!(wall.progress.positions as u64, wall.images());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads: usize| -> Vec<String> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            [(WALL, usize::MAX), (ROOK, usize::MAX), (ROOK, 10_000)]
                .iter()
                .map(|&(fen, max_positions)| {
                    let options = Options {
                        max_positions,
                        ..Options::default()
                    };
                    outline(&solve(&position(fen), &NoLeaves, &options).unwrap())
                })
                .collect()
        })
    };
    let one = run(1);
    assert!(one[1].starts_with("Complete") && one[2].starts_with("Limit"));
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn keys_that_collide_do_not_change_values() {
    for fen in [WALL, ROOK] {
        let whole = solved(fen, &NoLeaves);
        let options = Options {
            key_mask: 0xffff,
            ..Options::default()
        };
        let colliding = solve(&position(fen), &NoLeaves, &options).unwrap();
        let analysed = |solved: &Solved| {
            let Analysed {
                root, moves, line, ..
            } = &solved.analysed[0];
            format!("{root:?} {moves:?} {line:?}")
        };
        assert_eq!(colliding.progress.positions, whole.progress.positions);
        assert_eq!(analysed(&colliding), analysed(&whole));
    }
}

#[test]
fn bounds_hold_whatever_the_limit() {
    let tables = three_men();
    for fen in [
        "8/8/1k6/1p6/1P6/8/1K6/8 w - - 0 1",
        "8/8/8/1p1k4/1P6/8/8/K7 b - - 0 1",
        "8/8/8/1p1k4/1P6/8/8/K7 w - - 0 1",
        "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1",
    ] {
        let exact = wdl(&solved(fen, &leaves(&tables, 3)));
        let mut met = 0;
        for max_positions in [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000] {
            let options = Options {
                max_positions,
                ..Options::default()
            };
            let part = solve(&position(fen), &leaves(&tables, 3), &options).unwrap();
            let lower = part.lower().map_or(Wdl::Loss, |found| found.root.dtz.wdl());
            let upper = part.upper().map_or(Wdl::Win, |found| found.root.dtz.wdl());
            assert!(
                lower <= exact && exact <= upper,
                "{fen} {max_positions}: {lower} {upper}"
            );
            met += usize::from(lower == exact && part.end == End::Limit);
            if part.end == End::Complete {
                assert_eq!(part.exact().unwrap().dtz.wdl(), exact);
            }
        }
        // What is proved of a win or a loss was found before everything was explored.
        assert!(met > 0 || exact == Wdl::Draw, "{fen}");
    }
}

#[test]
fn a_handicap_is_a_lower_bound() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    // White has to let the pawn promote.
    let fen = "8/8/8/8/p7/P6k/6p1/6K1 w - - 0 1";
    let exact = solved(fen, &leaves(&tables, 4)).exact().unwrap();
    let mut bounds = Vec::new();
    for (side, promotions, pieces, loses_to_promotion) in [
        (Color::Black, vec![Role::Queen], Some(1), false),
        (Color::Black, vec![Role::Knight], None, true),
        (Color::Black, vec![Role::Queen], Some(0), false),
        (Color::White, Role::PROMOTIONS.to_vec(), None, true),
    ] {
        let handicap = Handicap {
            promotions,
            pieces,
            loses_to_promotion,
            ..Handicap::none(side)
        };
        let options = Options {
            handicap: Some(&handicap),
            ..Options::default()
        };
        let part = solve(&position(fen), &leaves(&tables, 4), &options).unwrap();
        assert!(part.exact().is_none());
        let denied = handicap.describe(Game::Chess);
        assert!(!denied.is_empty());
        let bound = part.analysed[0].root.dtz.wdl();
        match side {
            Color::White => assert!(bound <= exact.dtz.wdl(), "{denied}: {bound}"),
            Color::Black => assert!(bound >= exact.dtz.wdl(), "{denied}: {bound}"),
        }
        bounds.push(bound);
    }
    assert_eq!(exact.dtz.wdl(), Wdl::Loss);
    // A queen is enough, and without any piece there is nothing to win with.
    assert_eq!(bounds[0], Wdl::Loss);
    assert!(bounds[2] >= Wdl::Draw);
}

#[test]
fn men_that_are_kept_bound_what_is_explored() {
    let tables = three_men();
    // White wins the pawn and need not give its own.
    let fen = "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1";
    let run = |least_men| {
        let handicap = Handicap {
            least_men,
            ..Handicap::none(Color::White)
        };
        let options = Options {
            handicap: Some(&handicap),
            ..Options::default()
        };
        solve(&position(fen), &leaves(&tables, 3), &options).unwrap()
    };
    let exact = solved(fen, &leaves(&tables, 3)).exact().unwrap().dtz;
    let whole = run(1);
    let kept = run(2);
    assert!(whole.exact().is_some() && kept.exact().is_none());
    assert_eq!(kept.lower().unwrap().root.dtz, exact);
    assert!(
        kept.analysed
            .iter()
            .all(|found| found.side == Some(Color::White))
    );
}

#[test]
fn a_side_needs_some_promotion() {
    let handicap = Handicap {
        promotions: Vec::new(),
        ..Handicap::none(Color::White)
    };
    let options = Options {
        handicap: Some(&handicap),
        ..Options::default()
    };
    let error = solve(&position(ROOK), &NoLeaves, &options).unwrap_err();
    assert!(matches!(error, ReachError::NoPromotion), "{error}");
}

/// The best that the tables know of the moves of a position.
fn best_of_moves(tables: &Tablebase, position: &Position) -> Option<Dtm> {
    let after = position.legal_moves().into_iter();
    let mates = after.filter_map(|m| tables.probe_dtm(&position.play(m)).unwrap());
    mates
        .map(Dtm::before_move)
        .filter(|&Dtm(plies)| plies > 0)
        .min()
}

#[test]
fn castling_rights_count() {
    let tables = three_men();
    for fen in [
        "8/8/8/8/8/3k4/8/R3K3 w Q - 0 1",
        "8/8/8/8/8/5k2/8/4K2R w K - 0 1",
    ] {
        let root = position(fen);
        // Every move gives up the right.
        let expected = best_of_moves(&tables, &root);
        assert!(expected.is_some());
        for leaves in [3, 0] {
            let leaves = Tables {
                tables: &tables,
                men: leaves,
                except: None,
            };
            let solved = solve(&root, &leaves, &Options::default()).unwrap();
            assert_eq!(solved.exact().unwrap().dtm, expected, "{fen}");
        }
    }
}

#[test]
fn mates_and_stalemates_need_no_exploration() {
    for (fen, dtz, dtm) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", -1, Some(0)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, None),
        ("8/8/8/4k3/8/8/4K3/8 w - - 0 1", 0, None),
    ] {
        let value = solved(fen, &NoLeaves).exact().unwrap();
        assert_eq!((value.dtz, value.dtm), (Dtz(dtz), dtm.map(Dtm)), "{fen}");
    }
}

#[test]
fn what_is_proved_when_it_is_broken_off_is_right() {
    let tables = three_men();
    let fen = "8/8/1p6/1P1K4/8/8/5k2/8 w - - 0 1";
    let leaves = leaves(&tables, 3);
    let start = Instant::now();
    let whole = solved(fen, &leaves);
    let time = start.elapsed();
    let exact = whole.exact().unwrap().dtz.wdl();
    assert_eq!(exact, Wdl::Win);
    let mut stopped = 0;
    for round in 0..30 {
        let cancel = AtomicBool::new(round == 0);
        let options = Options {
            cancel: &cancel,
            ..Options::default()
        };
        let part = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(time * round / 30);
                cancel.store(true, Ordering::Relaxed);
            });
            solve(&position(fen), &leaves, &options).unwrap()
        });
        stopped += usize::from(part.end == End::Stopped);
        for found in &part.analysed {
            assert_eq!(found.root.dtz.wdl(), exact);
            let moves = &whole.analysed[0].moves;
            for m in &found.moves {
                let known = moves.iter().find(|known| known.played == m.played);
                let known = known.unwrap().value.unwrap();
                assert!(
                    m.value
                        .is_none_or(|value| value.dtz.wdl() == known.dtz.wdl())
                );
            }
        }
        if round == 0 {
            assert!(part.analysed.is_empty() && part.exact().is_none());
        }
    }
    assert!(stopped > 0);
}
