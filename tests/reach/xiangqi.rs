//! Xiangqi positions solved by what they reach, against the solver of tables, and by playing on.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use retrograde::game::Color;
use retrograde::metric::Wdl;
use retrograde::probe::solved::{SolvedSet, save};
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::reach::{End, Handicap, LeafError, Leaves, LineEnd, NoLeaves, Options, solve};
use retrograde::table::records::Records;
use retrograde::verify::solved::verify_solved;
use retrograde::xiangqi::Position;
use retrograde::xiangqi::{IndexSpace, Material, Rules, XiangqiValue};

use crate::xiangqi::play::{Defence, Random};
use crate::xiangqi::tables::generate;
use crate::xiangqi::{solved as solved_material, value as value_of_material};

type Solved = retrograde::reach::Solved<Position>;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn options(rules: Rules) -> Options<'static> {
    Options {
        rules,
        ..Options::default()
    }
}

fn solved(fen: &str, leaves: &dyn Leaves<Position>, options: &Options<'_>) -> Solved {
    solve(&position(fen), leaves, options).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Black can only check, which is drawn or lost by the rules. It reaches 765 735 positions.
const CHECKS_FOR_EVER: &str = "9/9/4k4/9/9/9/9/9/3K5/n2R5 b";

/// That position under the rule of perpetual check; it takes seconds, so it is solved once.
fn checks_for_ever() -> &'static Solved {
    static SOLVED: OnceLock<Solved> = OnceLock::new();
    SOLVED.get_or_init(|| solved(CHECKS_FOR_EVER, &NoLeaves, &Options::default()))
}

/// Every position of a material, and of each mirror pair one.
fn positions(signature: &str) -> impl Iterator<Item = Position> {
    let material: Material = signature.parse().unwrap();
    let space = IndexSpace::new(material.normal_form()).unwrap();
    let placements = (0..space.len()).filter_map(move |index| space.placement(index));
    placements.flat_map(|placement| {
        Color::ALL
            .into_iter()
            .filter_map(move |turn| placement.position(turn))
    })
}

/// Compares all positions that a position reaches with what the solver of tables says; how many,
/// and how many of them the rule of perpetual check decides.
fn compare(found: &Solved, materials: &[&str], rules: Rules) -> [usize; 2] {
    assert_eq!(found.end, End::Complete);
    let targets = solved_material(materials[0], rules);
    let mut compared = [0; 2];
    for position in materials.iter().flat_map(|signature| positions(signature)) {
        let Some(ours) = found.value(&position) else {
            continue;
        };
        let expected = value_of_material(&position, &targets);
        let context = || format!("{} under {rules}: {ours:?}", position.to_fen());
        assert_eq!(ours.wdl, expected.wdl, "{}", context());
        assert_eq!(ours.round > 0, expected.round > 0, "{}", context());
        compared[0] += 1;
        compared[1] += usize::from(ours.round > 0);
        if ours.round == 0 {
            let plies = ours.dtc.map(i32::unsigned_abs);
            assert_eq!(plies, Some(expected.dtc.into()), "{}", context());
        }
        assert_eq!(ours.dtm, expected.dtm, "{}", context());
    }
    compared
}

#[test]
fn what_is_reached_has_the_values_of_the_tables() {
    let cases = [
        ("4k4/9/9/9/9/9/9/9/9/R2K5 w", vec!["KRvK"], 1_000),
        (
            "3k5/4a4/9/9/9/9/9/9/9/N3K4 w",
            vec!["KNvKA", "KNvK"],
            10_000,
        ),
        ("4k4/9/9/9/9/p8/8P/9/9/3K5 b", vec!["KPvKP", "KPvK"], 1_000),
    ];
    for (fen, materials, least) in cases {
        for rules in Rules::ALL {
            let found = solved(fen, &NoLeaves, &options(rules));
            let [compared, _] = compare(&found, &materials, rules);
            assert!(compared > least, "{fen}: {compared}");
        }
    }
    let [_, ruled] = compare(
        checks_for_ever(),
        &["KRvKN", "KRvK", "KNvK"],
        Rules::PerpetualCheck,
    );
    assert!(ruled > 1_000, "{ruled}");
}

/// Tables of all materials of one directory but one.
struct Tables {
    tables: XiangqiTables,
    except: Material,
}

impl Leaves<Position> for Tables {
    fn covers(&self, position: &Position) -> bool {
        Material::of(position).normal_form() != self.except
    }

    fn value(&self, position: &Position, _: bool) -> Result<XiangqiValue, LeafError> {
        Ok(self.tables.probe(position)?)
    }

    fn has_mates(&self) -> bool {
        true
    }
}

#[test]
fn tables_end_the_exploration_and_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let fen = "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w";
    generate(directory.path(), &["KRvK", "KPvK"], Rules::CyclesDraw);
    let leaves = Tables {
        tables: XiangqiTables::open(directory.path(), Rules::CyclesDraw),
        except: "KRvKP".parse().unwrap(),
    };
    let options = options(Rules::CyclesDraw);
    let with = solved(fen, &leaves, &options);
    let without = solved(fen, &NoLeaves, &options);
    assert!(with.progress.positions < without.progress.positions);
    let value = with.exact().unwrap();
    assert_eq!((value.wdl, value.dtm.unwrap().0), (Wdl::Win, 15));
    assert_eq!(Some(value), without.exact());
    let line = &without.analysed[0].line;
    assert_eq!(line.moves.len(), 15);
    assert!(matches!(line.end, LineEnd::Checkmate | LineEnd::Stalemate));
    assert_eq!(with.analysed[0].moves, without.analysed[0].moves);
}

#[test]
fn colliding_keys_and_threads_change_nothing() {
    let fen = "3k5/4a4/9/9/9/9/9/9/9/N3K4 w";
    let all = solved(fen, &NoLeaves, &Options::default());
    let masked = Options {
        key_mask: 0x3fff,
        ..Options::default()
    };
    let masked = solved(fen, &NoLeaves, &masked);
    assert_eq!(masked.progress.positions, all.progress.positions);
    assert_eq!(masked.analysed[0].moves, all.analysed[0].moves);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads() + 1);
    let pool = pool.build().unwrap();
    let more = pool.install(|| solved(CHECKS_FOR_EVER, &NoLeaves, &Options::default()));
    let usual = checks_for_ever();
    assert_eq!(more.progress.positions, usual.progress.positions);
    assert_eq!(more.analysed[0].moves, usual.analysed[0].moves);
    assert_eq!(more.analysed[0].line, usual.analysed[0].line);
}

#[test]
fn bounds_hold_where_not_everything_is_explored() {
    for rules in Rules::ALL {
        let by_the_rules = match rules {
            Rules::CyclesDraw => Wdl::Draw,
            Rules::PerpetualCheck => Wdl::Loss,
        };
        for (fen, exact, most) in [
            (
                "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w",
                Wdl::Win,
                [500, 5_000, 40_000],
            ),
            (CHECKS_FOR_EVER, by_the_rules, [500, 5_000, 40_000]),
            (
                "4k4/9/9/9/9/p8/8P/9/9/3K5 b",
                Wdl::Draw,
                [100, 1_000, 10_000],
            ),
        ] {
            for max_positions in most {
                let part = Options {
                    max_positions,
                    ..options(rules)
                };
                let part = solved(fen, &NoLeaves, &part);
                assert_eq!(part.end, End::Limit);
                assert!(part.exact().is_none());
                let lower = part.lower().map(|found| found.root.wdl);
                let upper = part.upper().map(|found| found.root.wdl);
                assert!(lower.is_some_and(|lower| lower <= exact), "{fen} {lower:?}");
                assert!(upper.is_none_or(|upper| upper >= exact), "{fen} {upper:?}");
            }
        }
    }
}

#[test]
fn restrictions_prove_bounds() {
    let exact = [
        "9/9/5k3/9/9/9/3p5/3K5/3R5/9 w",
        "4k4/9/9/9/9/p8/8P/9/9/3K5 b",
    ]
    .map(|fen| (fen, solved(fen, &NoLeaves, &options(Rules::CyclesDraw))));
    let [rook, pawns] = &exact;
    for ((fen, whole), side) in [
        (rook, Color::White),
        (pawns, Color::Black),
        (pawns, Color::White),
    ] {
        for (pieces, loses_to_promotion, least_men) in [
            (Some(0), false, 1),
            (Some(1), false, 1),
            (None, true, 1),
            (None, false, 2),
            (Some(0), true, 2),
        ] {
            let handicap = Handicap {
                pieces,
                loses_to_promotion,
                least_men,
                ..Handicap::none(side)
            };
            let restricted = Options {
                handicap: Some(&handicap),
                ..options(Rules::CyclesDraw)
            };
            let bound = solved(fen, &NoLeaves, &restricted);
            assert!(bound.exact().is_none() && bound.end == End::Complete);
            assert!(bound.progress.positions <= whole.progress.positions);
            let found = &bound.analysed[0];
            assert_eq!((bound.analysed.len(), found.side), (1, Some(side)));
            let (exact, proved) = (whole.exact().unwrap().wdl, found.root.wdl);
            match bound.turn == side {
                true => assert!(proved <= exact, "{handicap:?}"),
                false => assert!(proved >= exact, "{handicap:?}"),
            }
        }
    }
    // Red's pawn stays at home, and black's crosses at once.
    let fen = "4k4/9/9/9/p8/9/8P/9/9/3K5 b";
    let count = |handicap: &Handicap| {
        let restricted = Options {
            handicap: handicap.is_any().then_some(handicap),
            ..options(Rules::CyclesDraw)
        };
        let found = solved(fen, &NoLeaves, &restricted);
        (found.progress.positions, found.analysed[0].root.wdl)
    };
    let none = Handicap::none(Color::White);
    let (whole, exact) = count(&none);
    assert_eq!(exact, Wdl::Draw);
    let at_home = Handicap {
        pieces: Some(0),
        ..none.clone()
    };
    assert!(2 * count(&at_home).0 < whole);
    let conceding = Handicap {
        loses_to_promotion: true,
        ..none
    };
    assert_eq!(count(&conceding).1, Wdl::Win);
}

/// Bytes of a saved set, and the set.
fn saved(found: &Solved) -> SolvedSet<Position> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.solved");
    save(found, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let records = Records::from_store(Box::new(bytes)).unwrap();
    SolvedSet::new(&path, records).unwrap()
}

#[test]
fn a_saved_set_has_the_values_that_were_solved() {
    for (fen, materials, rules) in [
        (
            "3k5/4a4/9/9/9/9/9/9/9/N3K4 w",
            vec!["KNvKA", "KNvK"],
            Rules::CyclesDraw,
        ),
        (
            "4k4/9/9/9/9/p8/8P/9/9/3K5 b",
            vec!["KPvKP", "KPvK"],
            Rules::PerpetualCheck,
        ),
    ] {
        let found = solved(fen, &NoLeaves, &options(rules));
        let set = saved(&found);
        assert_eq!(
            (set.len(), set.rules()),
            (found.progress.positions as u64, rules)
        );
        assert_eq!(set.has_mates(), rules == Rules::CyclesDraw);
        assert_eq!(set.root().to_fen(), position(fen).to_fen());
        let mut asked: Vec<Position> = materials.iter().flat_map(|it| positions(it)).collect();
        // About as they lie in the file, so that each block is decoded once.
        asked.sort_by_key(|position| (position.occupied() as u64, position.occupied() >> 64));
        for position in asked {
            assert_eq!(set.value(&position).unwrap(), found.value(&position));
        }
        let report = verify_solved(&set, &NoLeaves, &AtomicBool::new(false), &|_| ());
        let report = report.unwrap().unwrap();
        assert_eq!((report.positions, report.differences), (set.len(), 0));
    }
    // Rounds too.
    let set = saved(checks_for_ever());
    let report = verify_solved(&set, &NoLeaves, &AtomicBool::new(false), &|_| ());
    assert_eq!(report.unwrap().unwrap().listed, []);
}

/// More plies than the winner needs for all rounds; a defender who is still there has checked for
/// ever.
const LONG: usize = 1200;
/// Plies at the end of a long game that are looked at.
const TAIL: usize = 200;

fn is_won_by_playing(
    found: &Solved,
    start: Position,
    winner: Color,
    defence: Defence,
    random: &mut Random,
) -> bool {
    let mut position = start;
    let mut checks = [0, 0];
    for ply in 0..LONG {
        if !position.has_legal_move() {
            return position.turn() != winner;
        }
        let m = if position.turn() == winner {
            match found.moves(&position, &NoLeaves).unwrap().first() {
                Some(best) if best.value.is_some() => best.played,
                _ => return false,
            }
        } else {
            defence.choose(&position, random)
        };
        if ply >= LONG - TAIL {
            checks[usize::from(position.turn() != winner)] += usize::from(m.gives_check());
        }
        position.make(m);
    }
    let [by_winner, by_defender] = checks;
    by_defender == TAIL / 2 && by_winner < TAIL / 2
}

#[test]
fn what_the_rule_decides_is_won_by_playing_the_first_move() {
    let found = checks_for_ever();
    let mut random = Random(11);
    let ruled: Vec<(Position, XiangqiValue)> = positions("KRvKN")
        .filter_map(|position| {
            let value = found.value(&position)?;
            (value.round > 0).then_some((position, value))
        })
        .collect();
    for _ in 0..200 {
        let (start, value) = ruled[random.below(ruled.len())];
        let winner = match value.wdl {
            Wdl::Win => start.turn(),
            _ => !start.turn(),
        };
        for defence in [Defence::Random, Defence::Checking] {
            assert!(
                is_won_by_playing(found, start, winner, defence, &mut random),
                "{} {defence:?}",
                start.to_fen()
            );
        }
    }
    assert_eq!(found.analysed[0].line.end, LineEnd::PerpetualCheck);
}
