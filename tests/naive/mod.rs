//! An independent solver, slow and plain, against which every value of the real one is checked.
//!
//! It knows squares of men, the slow move generator and nothing else: no bitsets, no sweeps, no unmoves. Every
//! position, one out of its mirror images, is a number; its quiet moves are listed once; what its captures and pawn
//! moves lead to is looked up among the materials and pawn placements solved before. A position is decided at
//! distance `n`, for `n` = 0, 1, 2, …, from the values of its successors alone, and looked at again only when one
//! of them was decided at distance `n - 1`. What is never decided is a draw.

mod numbering;
mod solver;

use std::collections::HashMap;
use std::sync::OnceLock;

use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::game::chess::{Role, squares};
use retrograde::material::Material;
use retrograde::metric::{Dtm, Wdl};

use crate::solved::{self, Value};
use solver::{DRAW, HOLE, Scores, Table, distance, solve};

/// The materials asked for and all that their moves lead to.
fn tables() -> &'static HashMap<Material, Table> {
    static TABLES: OnceLock<HashMap<Material, Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let parse = |signature: &str| signature.parse::<Material>().unwrap();
        let mut open = ["KPvKP", "KQvKR", "KBNvK"].map(parse).to_vec();
        let mut wanted = Material::all_with_men(3);
        while let Some(material) = open.pop() {
            if !wanted.contains(&material) {
                wanted.push(material);
                open.extend(material.dependencies());
            }
        }
        wanted.sort_by_key(|material| (material.men(), material.pawns()));
        let mut tables = HashMap::new();
        for material in wanted {
            let table = solve(material, &tables);
            tables.insert(material, table);
        }
        tables
    })
}

fn expected([dtz, dtm]: Scores) -> Option<Value> {
    if dtz == HOLE {
        return None;
    }
    let real = distance(dtz) <= 100;
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

/// Compares every position and says how many there were.
fn assert_agreement(material: Material) -> u64 {
    let table = &tables()[&material];
    let solved = &solved::all()[&material];
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
                return 0;
            }
            let naive = table
                .scores
                .each_ref()
                .map(|scores| scores[number as usize]);
            let ours = solved::value(solved, turn, &placement);
            assert_eq!(ours, expected(naive), "{}", solved::fen(turn, &placement));
            u64::from(ours.is_some())
        })
        .sum()
}

fn assert_all_agree(materials: impl IntoIterator<Item = Material>) {
    for material in materials {
        let compared = assert_agreement(material);
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
