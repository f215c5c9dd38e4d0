//! Every value against the Syzygy tables, which others computed with another program.
//!
//! The tables are not part of this repository: `../shared/reference/syzygy`, or the folder in `RETROGRADE_SYZYGY`.
//! All positions of three men are compared and every 499th index of four; with `RETROGRADE_FULL=1` all of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::game::chess::Role;
use retrograde::index::{IndexSpace, Placement};
use retrograde::material::Material;
use retrograde::metric::{Dtz, Wdl};
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Setup,
};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

use crate::solved::{self, Value};

const SAMPLE_STEP: u64 = 499;

/// The tables, or nothing if they are not on this machine.
fn tables() -> Option<Tablebase<Chess>> {
    let folder = std::env::var_os("RETROGRADE_SYZYGY").map_or_else(
        || {
            PathBuf::from(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../shared/reference/syzygy"
            ))
        },
        PathBuf::from,
    );
    if !folder.is_dir() {
        eprintln!("skipped: no Syzygy tables in {}", folder.display());
        return None;
    }
    let mut tables = Tablebase::new();
    let files = tables.add_directory(&folder).unwrap();
    assert_eq!(files, 70, "files in {}", folder.display());
    Some(tables)
}

/// The position for `shakmaty`, or nothing if it calls it illegal.
fn theirs(turn: Color, placement: &Placement) -> Option<Chess> {
    let role = |role: Role| {
        let of = |color| placement.of(color, role);
        Bitboard(of(Color::White) | of(Color::Black))
    };
    let side = |color: Color| {
        Bitboard(
            Role::ALL
                .iter()
                .fold(0, |all, &role| all | placement.of(color, role)),
        )
    };
    let mut setup = Setup::empty();
    setup.board = Board::try_from_bitboards(
        ByRole {
            pawn: role(Role::Pawn),
            knight: role(Role::Knight),
            bishop: role(Role::Bishop),
            rook: role(Role::Rook),
            queen: role(Role::Queen),
            king: role(Role::King),
        },
        ByColor {
            white: side(Color::White),
            black: side(Color::Black),
        },
    )
    .ok()?;
    setup.turn = match turn {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    };
    Chess::from_setup(setup, CastlingMode::Standard)
        // Checks that no last move can have given are still positions.
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// As probers report it: with a sign, and one ply for a mated position.
fn signed_dtz(value: Value) -> Dtz {
    match value.wdl {
        Wdl::Draw => Dtz(0),
        wdl if wdl.is_any_win() => Dtz(value.dtz.into()),
        _ => Dtz(-i32::from(value.dtz.max(1))),
    }
}

/// Whether a distance that may have been rounded can stand for ours: if so, ours is as long or one ply longer.
fn fits(theirs: MaybeRounded<shakmaty_syzygy::Dtz>, ours: Dtz) -> bool {
    match theirs {
        MaybeRounded::Precise(dtz) => dtz.0 == ours.0,
        MaybeRounded::Rounded(dtz) => dtz.0 == ours.0 || dtz.add_plies(1).0 == ours.0,
    }
}

/// Compares both sides to move and says how many legal positions that were.
fn assert_equal(tables: &Tablebase<Chess>, material: &Material, placement: &Placement) -> u64 {
    let solved = &solved::all()[material];
    let mut compared = 0;
    for turn in Color::ALL {
        let theirs = theirs(turn, placement);
        let ours = solved::value(solved, turn, placement);
        let fen = || solved::fen(turn, placement);
        assert_eq!(ours.is_some(), theirs.is_some(), "legality of {}", fen());
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            continue;
        };
        let wdl = tables.probe_wdl_after_zeroing(&theirs).unwrap();
        assert_eq!(ours.wdl.signum2(), wdl as i32, "result of {}", fen());
        let dtz = tables.probe_dtz(&theirs).unwrap();
        let own = signed_dtz(ours);
        assert!(fits(dtz, own), "{}: {own} plies, theirs {dtz:?}", fen());
        compared += 1;
    }
    compared
}

/// Compares every `step`th index of a material.
fn compare(tables: &Tablebase<Chess>, material: Material, step: u64) -> u64 {
    let space = IndexSpace::new(material);
    let order = space.natural_order();
    (0..space.len().div_ceil(step))
        .into_par_iter()
        .filter_map(|number| space.placement(&order.digits(number * step)))
        .map(|placement| assert_equal(tables, &material, &placement))
        .sum()
}

#[test]
fn results_and_distances_to_zeroing_equal_those_of_syzygy_tables() {
    let Some(tables) = tables() else { return };
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    solved::all();
    let start = Instant::now();
    let total = AtomicU64::new(0);
    for material in solved::materials() {
        let step = if full || material.men() == 3 {
            1
        } else {
            SAMPLE_STEP
        };
        let compared = compare(&tables, material, step);
        assert!(compared > 3_000, "{material}: only {compared} positions");
        total.fetch_add(compared, Ordering::Relaxed);
        if full {
            eprintln!(
                "{material}: {compared} positions equal, {:.1?} so far",
                start.elapsed()
            );
        }
    }
    eprintln!(
        "{total:?} positions equal those of Syzygy in {:.1?}",
        start.elapsed()
    );
}
