//! An independent solver, slow and plain, against which every value of the real one is checked.
//!
//! It knows squares of men, the slow move generator and nothing else: no bitsets, no sweeps, no
//! unmoves. Every position, one out of its mirror images, is a number; its quiet moves are listed
//! once; what its captures and pawn moves lead to is looked up among the materials and pawn
//! placements solved before. A position is decided at distance `n`, for `n` = 0, 1, 2, …, from the
//! values of its successors alone, and looked at only when one of them was decided at distance
//! `n - 1` that wins, or the last that was not known to lose. What is never decided is a draw.

mod numbering;
mod solver;
mod xiangqi;
mod xiangqi_statistics;

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use retrograde::chess::material::Material;
use retrograde::chess::solve::SolveOptions;
use retrograde::chess::solve::solved::Solved;
use retrograde::chess::{Role, squares};
use retrograde::game::Color;
use retrograde::metric::{Dtm, FIFTY_MOVES, Plies, Wdl};
use retrograde::retro::fixpoint::Engine;
use retrograde::retro::score::LONGEST_IN_BYTES;

use crate::solved::{self, Value};
use solver::{DRAW, HOLE, Score, Scores, Table, distance, solve};

/// The materials asked for and all that their moves lead to.
fn tables() -> &'static HashMap<Material, Table> {
    static TABLES: OnceLock<HashMap<Material, Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        with_limit(
            &with_dependencies(&["KPvKP", "KQvKR", "KBNvK"]),
            FIFTY_MOVES,
        )
    })
}

/// The three-man materials, those asked for and all that their moves lead to, in an order in which
/// they can be solved.
fn with_dependencies(signatures: &[&str]) -> Vec<Material> {
    let mut open: Vec<Material> = signatures
        .iter()
        .map(|signature| signature.parse().unwrap())
        .collect();
    let mut wanted = Material::all_with_men(3);
    while let Some(material) = open.pop() {
        if !wanted.contains(&material) {
            wanted.push(material);
            open.extend(material.dependencies());
        }
    }
    wanted.sort_by_key(|material| (material.men(), material.pawns()));
    wanted
}

fn with_limit(materials: &[Material], limit: Plies) -> HashMap<Material, Table> {
    let mut tables = HashMap::new();
    // Captures lead to fewer men, promotions to fewer pawns.
    let are_apart = |a: &Material, b: &Material| (a.men(), a.pawns()) == (b.men(), b.pawns());
    for apart in materials.chunk_by(are_apart) {
        let next = AtomicUsize::new(0);
        let some = || {
            let mut solved = Vec::new();
            while let Some(&material) = apart.get(next.fetch_add(1, Ordering::Relaxed)) {
                solved.push((material, solve(material, &tables, limit.0 as Score)));
            }
            solved
        };
        // A list of moves has up to a gigabyte, so no more than two at a time.
        let (some, others) = std::thread::scope(|scope| {
            let others = scope.spawn(some);
            (some(), others.join().unwrap())
        });
        tables.extend(some.into_iter().chain(others));
    }
    tables
}

fn expected([dtz, dtm]: Scores, limit: Plies) -> Option<Value> {
    if dtz == HOLE {
        return None;
    }
    let real = distance(dtz) <= limit.0 as Score;
    let wdl = match (dtz.signum(), real) {
        (1, true) => Wdl::Win,
        (1, false) => Wdl::CursedWin,
        (-1, true) => Wdl::Loss,
        (-1, false) => Wdl::BlessedLoss,
        _ => Wdl::Draw,
    };
    Some(Value {
        wdl,
        dtz: if dtz == DRAW { 0 } else { distance(dtz) as u8 },
        dtm: (dtm != DRAW).then(|| Dtm(i32::from(dtm.signum() * distance(dtm)))),
    })
}

/// How many positions of each value were compared.
type Compared = [u64; 5];

/// Compares every position.
fn assert_agreement(table: &Table, solved: &Solved, limit: Plies) -> Compared {
    (0..table.numbering.len() as u32)
        .into_par_iter()
        .map(|number| {
            let (at, turn) = table.numbering.squares(number);
            let men = &at[..table.numbering.men.len()];
            let placement = table.numbering.placement(men);
            let distinct = placement.occupied().count_ones() as usize == men.len();
            let on_board = squares(
                placement.of(Color::White, Role::Pawn) | placement.of(Color::Black, Role::Pawn),
            )
            .all(|pawn| (1..7).contains(&pawn.rank()));
            if !distinct || !on_board || table.numbering.number(men, turn) != number {
                return Compared::default();
            }
            let naive = table
                .scores
                .each_ref()
                .map(|scores| scores[number as usize]);
            let ours = solved::value(solved, turn, &placement);
            assert_eq!(
                ours,
                expected(naive, limit),
                "{} with a limit of {limit} plies",
                solved::fen(turn, &placement)
            );
            std::array::from_fn(|value| {
                u64::from(ours.is_some_and(|ours| ours.wdl.index() == value))
            })
        })
        .reduce(Compared::default, |a: Compared, b: Compared| {
            std::array::from_fn(|value| a[value] + b[value])
        })
}

fn assert_all_agree(materials: impl IntoIterator<Item = Material>) {
    for material in materials {
        let (table, solved) = (&tables()[&material], &solved::all()[&material]);
        let compared: u64 = assert_agreement(table, solved, FIFTY_MOVES).iter().sum();
        eprintln!("{material}: {compared} positions agree with the naive solver");
        assert!(compared > 20_000);
    }
}

#[test]
fn every_position_of_three_men_agrees_with_the_naive_solver() {
    assert_all_agree(Material::all_with_men(3));
}

#[test]
fn every_position_of_queen_against_rook_agrees_with_the_naive_solver() {
    assert_all_agree(["KQvKR".parse().unwrap()]);
}

#[test]
fn every_position_of_bishop_and_knight_agrees_with_the_naive_solver() {
    assert_all_agree(["KBNvK".parse().unwrap()]);
}

#[test]
fn every_position_of_pawn_against_pawn_and_what_it_leads_to_agrees_with_the_naive_solver() {
    let pawns: Material = "KPvKP".parse().unwrap();
    let one_each =
        |material: &&Material| material.men() == 4 && material.side(Color::White).len() == 2;
    let mut led_to: Vec<Material> = tables().keys().filter(one_each).copied().collect();
    assert!(led_to.contains(&pawns));
    assert_eq!(led_to.len(), 15);
    led_to.sort_by_key(|material| material.pawns());
    assert_all_agree(led_to);
}

/// The same values as with the usual limit, which the tests above compare with those of the naive
/// solver.
#[test]
fn mates_longer_than_a_byte_holds_are_the_same() {
    let materials = with_dependencies(&["KPvKP", "KQvKR", "KBNvK"]);
    for longest_in_bytes in [6, 20].map(Plies) {
        let solved = solved::with_options(&materials, |options| SolveOptions {
            longest_in_bytes,
            ..options
        });
        let sides = |material| {
            let slices = &solved[material].slices;
            slices.iter().flat_map(|slice| slice.get().unwrap())
        };
        // Slices of both kinds are read by slices of the other.
        let are_wide = |material| sides(material).any(|side| side.dtm.are_wide());
        let are_narrow = |material| sides(material).any(|side| !side.dtm.are_wide());
        assert!(materials.iter().any(are_wide) && materials.iter().any(are_narrow));
        for material in &materials {
            assert!(tables().contains_key(material));
            assert_same(&solved[material], &solved::all()[material]);
        }
    }
}

/// The two ways to run a slice find the same, and that is the truth.
#[test]
fn chains_find_what_both_sides_together_do() {
    let with_chains = |limit, longest_in_bytes, materials: &[Material]| {
        solved::with_options(materials, |options| SolveOptions {
            engine: Engine::Chains,
            limit,
            longest_in_bytes,
            // Most of these have one slab otherwise.
            slab: if limit == FIFTY_MOVES {
                options.slab
            } else {
                320
            },
            ..options
        })
    };
    let all = with_chains(FIFTY_MOVES, LONGEST_IN_BYTES, &solved::materials());
    for (material, solved) in &all {
        assert_same(solved, &solved::all()[material]);
    }
    let materials = with_dependencies(&["KRvKP", "KPvKP"]);
    for limit in [6, 20].map(Plies) {
        let together = solved::with_limit(&materials, limit);
        for (material, solved) in with_chains(limit, Plies(20), &materials) {
            for side in solved.slices.iter().flat_map(|slice| slice.get().unwrap()) {
                assert_eq!(side.dtm.are_wide(), side.dtm.longest() > Plies(20));
            }
            assert_same(&solved, &together[&material]);
        }
    }
}

/// Compares all values of all slices, and what a prober finds elsewhere.
fn assert_same(a: &Solved, b: &Solved) {
    for (a, b) in a.slices.iter().zip(&b.slices) {
        for (a, b) in a.get().unwrap().iter().zip(b.get().unwrap()) {
            let is_same = a.legal == b.legal
                && a.decided == b.decided
                && a.stalemate == b.stalemate
                && a.longest == b.longest
                && a.dtm.clone().widened() == b.dtm.clone().widened()
                && a.own.dtz == b.own.dtz
                && a.own.wdl_by_conversion == b.own.wdl_by_conversion
                && a.own.won_by_zeroing == b.own.won_by_zeroing
                && a.own.dtm_by_conversion == b.own.dtm_by_conversion;
            assert!(is_same);
        }
    }
}

/// With the rule at fifty moves no material of up to four men has cursed wins; with fewer moves
/// most have.
fn assert_cursed_wins_agree(materials: &[Material], limits: &[u32], engines: &[Engine]) {
    for limit in limits.iter().copied().map(Plies) {
        let naive = with_limit(materials, limit);
        let solved_by = |engine: Engine| {
            solved::with_options(materials, |options| SolveOptions {
                limit,
                engine,
                // Most of these have one slab otherwise.
                slab: 320,
                ..options
            })
        };
        let (&first, others) = engines.split_first().unwrap();
        let solved = solved_by(first);
        let mut total = Compared::default();
        for material in materials {
            let compared = assert_agreement(&naive[material], &solved[material], limit);
            eprintln!("{material}, {limit} plies: {compared:?} from loss to win");
            for (total, compared) in total.iter_mut().zip(compared) {
                *total += compared;
            }
        }
        assert!(total.iter().all(|&compared| compared > 1000), "{total:?}");
        for &engine in others {
            for (material, by_other) in solved_by(engine) {
                assert_same(&by_other, &solved[&material]);
            }
        }
    }
}

#[test]
fn cursed_wins_under_a_shorter_rule_agree_with_the_naive_solver() {
    let both = [Engine::Together, Engine::Chains];
    if std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1") {
        assert_cursed_wins_agree(&solved::materials(), &[6, 10, 20], &both);
    } else {
        assert_cursed_wins_agree(&with_dependencies(&["KRvKP"]), &[6], &both);
        assert_cursed_wins_agree(&with_dependencies(&["KQvKR"]), &[20], &both[..1]);
    }
}
