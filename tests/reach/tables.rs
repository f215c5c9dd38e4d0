//! Positions that are in tables, solved without those tables.

use std::time::Instant;

use retrograde::Tablebase;
use retrograde::chess::material::Material;
use retrograde::chess::zobrist::MaterialKey;
use retrograde::chess::{Position, Role, Setup, Square};
use retrograde::game::Color;
use retrograde::reach::{NoLeaves, Options, Solved, solve};

use super::{Tables, position, solved};
use crate::probe;
use crate::probe::random::Random;

/// Compares a value with that of the tables; whether the position was in the set.
fn compare(solved: &Solved, tables: &Tablebase, position: &Position) -> bool {
    let Some(value) = solved.value(position) else {
        return false;
    };
    assert_eq!(
        value.dtz,
        tables.probe_dtz(position).unwrap(),
        "{position:?}"
    );
    assert_eq!(
        value.dtz.wdl(),
        tables.probe_wdl_after_zeroing(position).unwrap(),
        "{position:?}"
    );
    assert_eq!(
        value.dtm,
        tables.probe_dtm(position).unwrap(),
        "{position:?}"
    );
    true
}

#[test]
fn three_men_solved_from_nothing_have_the_values_of_the_checked_in_tables() {
    let tables = Tablebase::open(probe::three_men()).unwrap();
    let mut random = Random(0x5bd1_e995);
    for (fen, materials) in [
        ("8/8/8/8/8/2k5/8/K1r5 w - - 0 1", &["KRvK"][..]),
        ("7k/8/8/8/8/8/3P4/3K4 w - - 0 1", &["KPvK", "KQvK", "KRvK"]),
    ] {
        let solved = solved(fen, &NoLeaves);
        let mut found = 0;
        for material in materials {
            let material: Material = material.parse().unwrap();
            for _ in 0..200 {
                found += usize::from(compare(&solved, &tables, &random.position(&material)));
            }
        }
        // Of both colours only one is reached.
        assert!(found > 60 * materials.len(), "{found}");
    }
}

/// A random position of pawns and kings.
fn pawn_ending(random: &mut Random, pawns: [usize; 2]) -> Position {
    loop {
        let mut setup = Setup::empty();
        for color in Color::ALL {
            let men = std::iter::repeat_n(Role::Pawn, pawns[color.index()]).chain([Role::King]);
            for role in men {
                let square = match role {
                    Role::Pawn => 8 + random.below(48),
                    _ => random.below(64),
                };
                setup.put(role.of(color), Square::from_index(square as usize).unwrap());
            }
        }
        setup.turn = Color::ALL[random.below(2) as usize];
        let men = pawns[0] + pawns[1] + 2;
        if setup.occupied().count_ones() as usize == men
            && let Ok(position) = Position::from_setup(&setup)
        {
            return position;
        }
    }
}

#[test]
fn four_men_solved_without_their_table_have_its_values() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    let mut random = Random(0x2545_f491);
    let mut compared = 0;
    for pawns in [[1, 1], [2, 0]].into_iter().cycle().take(12) {
        let root = pawn_ending(&mut random, pawns);
        let leaves = Tables {
            tables: &tables,
            men: 4,
            except: Some(root.material_key()),
        };
        let solved = solve(&root, &leaves, &Options::default()).unwrap();
        assert!(compare(&solved, &tables, &root));
        compared += 1;
        // En-passant captures come up on the way.
        for _ in 0..25 {
            let mut position = root;
            for _ in 0..1 + random.below(12) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let next = position.play(moves[random.below(moves.len() as u64) as usize]);
                if next.material_key() != root.material_key() {
                    break;
                }
                position = next;
            }
            assert!(compare(&solved, &tables, &position));
            compared += 1;
        }
    }
    assert!(compared >= 300);
}

#[test]
fn pieces_of_four_men_solved_without_their_table_have_its_values() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    let mut random = Random(0x9e37_79b9);
    // The rook's pawn and the knight that guards it leave the kings little; the bishop has half of
    // the board.
    let fens = [
        "8/8/8/8/8/1k6/p7/K1N5 b - - 0 1",
        "8/8/8/p7/P7/8/1k6/7K b - - 0 1",
    ];
    for fen in fens {
        let root = position(fen);
        let leaves = Tables {
            tables: &tables,
            men: 4,
            except: Some(root.material_key()),
        };
        let solved = solve(&root, &leaves, &Options::default()).unwrap();
        let mut position = root;
        for _ in 0..100 {
            assert!(compare(&solved, &tables, &position));
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let next = position.play(moves[random.below(moves.len() as u64) as usize]);
            position = if next.material_key() == root.material_key() {
                next
            } else {
                root
            };
        }
    }
}

/// Of so many random positions, as they are drawn below.
const RANDOM_POSITIONS: usize = 300;

/// Random positions of random materials of three and four men. Where there are pieces beside pawns
/// White is the stronger side, so that positions of one material are found together.
fn random_positions() -> Vec<(Material, Vec<Position>)> {
    let mut random = Random(0x6a09_e667);
    let materials: Vec<Material> = (3..=4).flat_map(Material::all_with_men).collect();
    let mut positions: Vec<(Material, Vec<Position>)> = materials
        .into_iter()
        .map(|material| (material, Vec::new()))
        .collect();
    for _ in 0..RANDOM_POSITIONS {
        let number = random.below(positions.len() as u64) as usize;
        let (material, of_material) = &mut positions[number];
        let position = loop {
            let position = random.position(material);
            if is_small(material) || position.material_key() == material_key(material) {
                break position;
            }
        };
        of_material.push(position);
    }
    positions
}

fn material_key(material: &Material) -> MaterialKey {
    let men = |color: Color| {
        let roles = material.side(color).into_iter();
        roles.map(move |role| role.of(color))
    };
    MaterialKey::of(Color::ALL.into_iter().flat_map(men))
}

/// Whether one position does not reach many.
fn is_small(material: &Material) -> bool {
    material.men() == 3 || material.pawns() == 2
}

/// Solves positions of one material without its table and compares them; how many sets that took,
/// and how large they were together.
fn compare_all(tables: &Tablebase, positions: &[Position]) -> (usize, usize) {
    let mut sets: Vec<Solved> = Vec::new();
    let mut explored = 0;
    for position in positions {
        if sets.iter().any(|solved| compare(solved, tables, position)) {
            continue;
        }
        let leaves = Tables {
            tables,
            men: 4,
            except: Some(position.material_key()),
        };
        let solved = solve(position, &leaves, &Options::default()).unwrap();
        assert!(compare(&solved, tables, position), "{position:?}");
        explored += solved.progress.positions;
        sets.push(solved);
    }
    (sets.len(), explored)
}

/// All of them with `RETROGRADE_FULL=1`, which takes an hour or more, or those of the materials
/// that `RETROGRADE_MATERIALS` names, as in `KQvKR,KRvKB`; otherwise those of three men, and of two
/// pawns.
#[test]
fn random_positions_solved_without_their_table_have_its_values() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    let named = std::env::var("RETROGRADE_MATERIALS").ok();
    let is_wanted = |material: &Material| match &named {
        Some(names) => names.split(',').any(|name| name == material.to_string()),
        None => full || is_small(material),
    };
    let mut compared = 0;
    for (material, positions) in random_positions() {
        if is_wanted(&material) {
            let start = Instant::now();
            let (sets, explored) = compare_all(&tables, &positions);
            compared += positions.len();
            let count = positions.len();
            let seconds = start.elapsed().as_secs_f64();
            eprintln!(
                "{material}: {count} positions, {sets} sets of {explored} positions, {seconds:.1} s"
            );
        }
    }
    match (named, full) {
        (Some(_), _) => assert!(compared > 0),
        (None, true) => assert_eq!(compared, RANDOM_POSITIONS),
        (None, false) => assert!(compared >= 50, "{compared}"),
    }
}
