//! Every value against the Syzygy tables, which others computed with another program.
//!
//! The tables are not part of this repository: `RETROGRADE_SYZYGY` names their folder. All
//! positions of three men are compared and every 499th index of four; with `RETROGRADE_FULL=1` all
//! 135 million positions: 1000 s of processor time.
//!
//! `RETROGRADE_LARGE_TABLES` names a folder of our tables, made by `retrograde generate`: of each
//! material of five and more men that both folders have, 100 000 random positions are compared,
//! read by our prober.

/// Damaged files: an error or a value, never a panic or a hang.
mod damage;
/// Syzygy tables read by us.
mod reader;
/// Syzygy tables written by us.
mod writer;

use std::ops::Add;
use std::time::Instant;

use rayon::prelude::*;
use retrograde::chess::Role;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Dtz, Metric, Wdl};
use retrograde::syzygy::file_name;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, FromSetup, Position as _, PositionError,
    Setup,
};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

use crate::reference::{large_tables_folder, syzygy_folder};
use crate::solved::{self, Value};

const SAMPLE_STEP: u64 = 499;

/// The tables, or nothing if they are not on this machine.
fn tables() -> Option<Tablebase<Chess>> {
    let folder = syzygy_folder()?;
    let mut tables = Tablebase::new();
    let files = tables.add_directory(&folder).unwrap();
    assert!(files >= 70, "{files} files in {}", folder.display());
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

/// Whether a distance that may have been rounded can stand for ours: if so, ours is as long or one
/// ply longer.
fn fits(theirs: MaybeRounded<shakmaty_syzygy::Dtz>, ours: Dtz) -> bool {
    match theirs {
        MaybeRounded::Precise(dtz) => dtz.0 == ours.0,
        MaybeRounded::Rounded(dtz) => dtz.0 == ours.0 || dtz.add_plies(1).0 == ours.0,
    }
}

/// Whether a distance that is called precise is one ply shorter than ours because the prober lost a
/// rounding.
///
/// Where a table lacks the side to move, the prober takes the longest of the moves. A precise and a
/// rounded value may tie there, and it then calls the result precise although the rounded one can
/// stand for one ply more. So it does with `8/k1K5/2N5/8/8/8/1P6/8 b - - 0 1`: 1... Ka6 is followed
/// by a pawn move at once; after 1... Ka8 that would be stalemate and it takes two plies, 2. Na7
/// Kxa7, but the table says one or two.
fn is_rounded_one_ply_on(tables: &Tablebase<Chess>, theirs: &Chess, ours: Dtz) -> bool {
    let quiet = theirs.legal_moves().into_iter().filter(|m| !m.is_zeroing());
    quiet
        .filter_map(|m| {
            let mut next = theirs.clone();
            next.play_unchecked(m);
            match tables.probe_dtz(&next).unwrap() {
                MaybeRounded::Rounded(dtz) => Some(Dtz(dtz.add_plies(1).0)),
                MaybeRounded::Precise(_) => None,
            }
        })
        .any(|next| next.before_quiet_move() == ours)
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    positions: u64,
    /// Won or lost but for the fifty-move rule.
    cursed: u64,
    lost_roundings: u64,
}

impl Add for Compared {
    type Output = Compared;

    fn add(self, other: Compared) -> Compared {
        Compared {
            positions: self.positions + other.positions,
            cursed: self.cursed + other.cursed,
            lost_roundings: self.lost_roundings + other.lost_roundings,
        }
    }
}

/// Compares the legal ones of both sides to move.
fn assert_equal(tables: &Tablebase<Chess>, material: &Material, placement: &Placement) -> Compared {
    let solved = &solved::all()[material];
    let mut compared = Compared::default();
    for turn in Color::ALL {
        let theirs = theirs(turn, placement);
        let ours = solved::value(solved, turn, placement);
        let fen = || solved::fen(turn, placement);
        assert_eq!(ours.is_some(), theirs.is_some(), "legality of {}", fen());
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            continue;
        };
        compared =
            compared + assert_equal_values(tables, &theirs, ours.wdl, signed_dtz(ours), &fen);
    }
    compared
}

/// Compares the values of one position.
fn assert_equal_values(
    tables: &Tablebase<Chess>,
    theirs: &Chess,
    wdl: Wdl,
    dtz: Dtz,
    fen: &dyn Fn() -> String,
) -> Compared {
    let their_wdl = tables.probe_wdl_after_zeroing(theirs).unwrap();
    assert_eq!(wdl.signum2(), their_wdl as i32, "result of {}", fen());
    let their_dtz = tables.probe_dtz(theirs).unwrap();
    let is_exact = fits(their_dtz, dtz);
    if !is_exact {
        let longer = their_dtz.ignore_rounding().add_plies(1).0 == dtz.0;
        assert!(
            longer && is_rounded_one_ply_on(tables, theirs, dtz),
            "{}: {dtz} plies, theirs {their_dtz:?}",
            fen()
        );
    }
    Compared {
        positions: 1,
        cursed: u64::from(matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss)),
        lost_roundings: u64::from(!is_exact),
    }
}

/// Compares every `step`th index of a material.
fn compare(tables: &Tablebase<Chess>, material: Material, step: u64) -> Compared {
    let space = IndexSpace::new(material);
    let order = space.natural_order();
    (0..space.len().div_ceil(step))
        .into_par_iter()
        .filter_map(|number| space.placement(&order.digits(number * step)))
        .map(|placement| assert_equal(tables, &material, &placement))
        .reduce(Compared::default, Compared::add)
}

#[test]
fn results_and_distances_to_zeroing_equal_those_of_syzygy_tables() {
    let Some(tables) = tables() else { return };
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    solved::all();
    let start = Instant::now();
    let mut total = Compared::default();
    for material in solved::materials() {
        let all = full || material.men() == 3;
        let compared = compare(&tables, material, if all { 1 } else { SAMPLE_STEP });
        assert!(compared.positions > 2_000, "{material}: {compared:?}");
        total = total + compared;
        if full {
            eprintln!("{material}: {compared:?}, {:.1?} so far", start.elapsed());
        }
    }
    // 1 in 2144 of all positions.
    assert!(total.lost_roundings * 1000 < total.positions, "{total:?}");
    eprintln!("equal to Syzygy: {total:?} in {:.1?}", start.elapsed());
}

/// A number that looks random, the same for the same `number` in every run (splitmix64).
fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The position at a random index, either side to move and either colour the stronger one; nothing
/// if the index has none.
fn random_position(space: &IndexSpace, number: u64) -> Option<(Color, Placement)> {
    let index = scrambled(2 * number) % space.len();
    let choice = scrambled(2 * number + 1);
    let placement = space.placement(&space.natural_order().digits(index))?;
    let placement = match choice & 1 {
        0 => placement,
        _ => placement.with_colors_exchanged(),
    };
    let turn = Color::ALL[(choice >> 1 & 1) as usize];
    placement.position(turn)?;
    Some((turn, placement))
}

const RANDOM_POSITIONS: usize = 100_000;

#[test]
fn random_positions_of_more_than_four_men_equal_those_of_syzygy_tables() {
    let (Some(syzygy_folder), Some(folder)) = (syzygy_folder(), large_tables_folder()) else {
        return;
    };
    let tables = tables().unwrap();
    let ours = retrograde::Tablebase::open(&folder).unwrap();
    let both_have = |material: &Material| {
        let name = |metric| file_name(material, metric);
        material.men() > 4
            && ours.table(material, Metric::Dtz).is_some()
            && [Metric::Wdl, Metric::Dtz]
                .into_iter()
                .all(|metric| name(metric).is_some_and(|name| syzygy_folder.join(name).is_file()))
    };
    let mut materials: Vec<Material> = ours.tables().iter().map(|file| *file.material()).collect();
    materials.retain(both_have);
    materials.sort_by_key(Material::to_string);
    materials.dedup();
    let mut total = Compared::default();
    for material in &materials {
        let space = IndexSpace::new(*material);
        let positions: Vec<_> = (0..)
            .filter_map(|number| random_position(&space, number))
            .take(RANDOM_POSITIONS)
            .collect();
        let compared = positions
            .into_par_iter()
            .map(|(turn, placement)| {
                let theirs = theirs(turn, &placement).unwrap();
                let position = placement.position(turn).unwrap();
                let wdl = ours.probe_wdl(&position).unwrap();
                let dtz = ours.probe_dtz(&position).unwrap();
                assert_equal_values(&tables, &theirs, wdl, dtz, &|| position.to_fen())
            })
            .reduce(Compared::default, Compared::add);
        eprintln!("{material}: {compared:?}");
        total = total + compared;
    }
    assert!(
        !materials.is_empty(),
        "no material of more than four men is in both {} and {}",
        folder.display(),
        syzygy_folder.display()
    );
    assert!(total.lost_roundings * 100 < total.positions, "{total:?}");
    eprintln!("{} materials equal to Syzygy: {total:?}", materials.len());
}
