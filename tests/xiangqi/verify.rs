//! Verification by lines against verification position by position, and tables with one wrong
//! number.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use retrograde::game::Color;
use retrograde::metric::{MateScore, Wdl};
use retrograde::table::{Description, StreamSource, Table, WriteOptions, write_table};
use retrograde::verify::{Observer, Report, Subject, verify, work};
use retrograde::xiangqi::Position;
use retrograde::xiangqi::{IndexSpace, Material, Metric, Placement, Rules};

use super::tables::{generate, table_path};

fn material(signature: &str) -> Material {
    signature.parse().unwrap()
}

pub fn verify_one(directory: &Path, signature: &str, rules: Rules) -> Report {
    let subjects = [Subject::Xiangqi(rules, material(signature))];
    verify(directory, &subjects, &AtomicBool::new(false), &()).unwrap()
}

/// The numbers of the tables of one material.
struct Naive {
    space: IndexSpace,
    numbers: HashMap<Metric, [Vec<u8>; 2]>,
}

/// What the tables say of one position.
#[derive(Clone, Copy, Debug)]
struct Value {
    wdl: Wdl,
    dtc: u8,
    dtm: Option<MateScore>,
    round: u8,
}

/// A move and what it leads to.
struct Child {
    value: Value,
    capture: bool,
    check: bool,
}

impl Naive {
    fn load(directory: &Path, rules: Rules, material: Material) -> Naive {
        let mut numbers = HashMap::new();
        for metric in Metric::ALL {
            let path = table_path(directory, rules, &material, metric);
            if path.exists() {
                numbers.insert(metric, read(&path).1);
            }
        }
        Naive {
            space: IndexSpace::new(material).unwrap(),
            numbers,
        }
    }

    fn value(&self, index: u64, turn: Color) -> Value {
        let number = |metric| {
            let numbers: &[Vec<u8>; 2] = self.numbers.get(&metric)?;
            Some(numbers[turn.index()][index as usize])
        };
        let wdl = Wdl::from_index(number(Metric::Wdl).unwrap().into());
        Value {
            wdl: wdl.unwrap(),
            dtc: number(Metric::Dtc).unwrap(),
            dtm: number(Metric::Dtm).map(MateScore),
            round: number(Metric::Rounds).unwrap_or(0),
        }
    }
}

fn look_up(tables: &HashMap<Material, Naive>, position: &Position) -> Value {
    if position.is_insufficient_material() {
        return Value {
            wdl: Wdl::Draw,
            dtc: 0,
            dtm: Some(MateScore::DRAW),
            round: 0,
        };
    }
    let material = Material::of(position);
    let position = match material.is_normal() {
        true => *position,
        false => position.with_colors_exchanged(),
    };
    let naive = &tables[&material.normal_form()];
    let (index, _) = naive.space.index(&Placement::of(&position)).unwrap();
    naive.value(index, position.turn())
}

/// In how many metrics a value does not follow from those of its moves.
fn differences(here: &Value, children: &[Child]) -> u64 {
    let mut differences = 0;
    if let Some(stored) = here.dtm {
        let scores = children
            .iter()
            .map(|child| child.value.dtm.unwrap().before_move());
        let expected = scores.max().unwrap_or(MateScore::MATED);
        let fits = stored.cmp(&MateScore::DRAW) == here.wdl.cmp(&Wdl::Draw);
        differences += u64::from(stored != expected || !fits);
    }
    let wdl = children.iter().map(|child| -child.value.wdl).max();
    let wdl = wdl.unwrap_or(Wdl::Loss);
    if here.wdl != wdl {
        return differences + 1;
    }
    if wdl == Wdl::Draw {
        return differences;
    }
    let keeping = || children.iter().filter(|child| -child.value.wdl == wdl);
    let rounds = keeping().map(|child| if child.capture { 0 } else { child.value.round });
    let round = match wdl {
        Wdl::Win => rounds.min(),
        _ => rounds.max(),
    };
    let round = round.unwrap_or(0);
    if here.round != round {
        return differences + 1;
    }
    let of_round = || keeping().filter(|child| child.capture || child.value.round == round);
    let distances = of_round().map(|child| match child.capture {
        true => 1,
        false => 1 + u32::from(child.value.dtc),
    });
    let is_progress = match (wdl, round) {
        (Wdl::Win, 0) => distances.min() == Some(here.dtc.into()),
        (_, 0) => distances.max().unwrap_or(0) == u32::from(here.dtc),
        (Wdl::Win, _) if here.dtc == 1 => of_round().any(|child| !child.check),
        (Wdl::Win, _) => distances.min() == Some(here.dtc.into()),
        _ => of_round().all(|child| child.capture || child.value.dtc < here.dtc),
    };
    differences + u64::from(!is_progress)
}

/// A position or its mirror image.
fn either_image(position: &Position) -> String {
    position.to_fen().min(position.mirrored().to_fen())
}

/// What is found by looking at one position after the other: how many, how many differences, and
/// where.
fn verify_naively(directory: &Path, signature: &str, rules: Rules) -> (u64, u64, BTreeSet<String>) {
    let material = material(signature);
    let needed = [material].into_iter().chain(material.dependencies());
    let tables: HashMap<Material, Naive> = needed
        .map(|material| (material, Naive::load(directory, rules, material)))
        .collect();
    let own = &tables[&material];
    let (mut positions, mut found, mut places) = (0, 0, BTreeSet::new());
    for index in 0..own.space.len() {
        let Some(placement) = own.space.placement(index) else {
            continue;
        };
        for turn in Color::ALL {
            let Some(position) = placement.position(turn) else {
                continue;
            };
            positions += own.numbers.len() as u64;
            let children: Vec<Child> = (position.legal_moves().as_slice().iter())
                .map(|&m| Child {
                    value: look_up(&tables, &position.play(m)),
                    capture: m.is_capture(),
                    check: m.gives_check(),
                })
                .collect();
            let differences = differences(&own.value(index, turn), &children);
            if differences > 0 {
                found += differences;
                places.insert(either_image(&position));
            }
        }
    }
    (positions, found, places)
}

/// The header and the numbers of a table.
fn read(path: &Path) -> (Description, [Vec<u8>; 2]) {
    let table = Table::open(path).unwrap();
    let numbers = [0, 1].map(|side| table.read_stream(table.stream(side).unwrap()).unwrap());
    (table.description().clone(), numbers)
}

/// Writes a table of other contents, with checksums that are right.
fn write(path: &Path, description: &Description, numbers: &[Vec<u8>; 2]) {
    let stream = |side: usize| {
        let numbers = &numbers[side];
        StreamSource::new(side as u8, numbers.len() as u64, numbers)
    };
    let streams = [0, 1].map(stream);
    let options = WriteOptions::default();
    write_table(path, description, &streams, &options, &|_, _| true).unwrap();
}

/// Files that are put back when this goes.
struct Kept(PathBuf, Vec<u8>);

impl Kept {
    fn new(path: PathBuf) -> Kept {
        let bytes = fs::read(&path).unwrap();
        Kept(path, bytes)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        fs::write(&self.0, &self.1).unwrap();
    }
}

/// A position of a material that a condition holds for, far from the first.
fn some_index(signature: &str, turn: Color, is_meant: impl Fn(u64) -> bool) -> u64 {
    let space = IndexSpace::new(material(signature)).unwrap();
    let start = space.len() / 3;
    let mut indices = (start..space.len()).chain(0..start);
    let is_legal = |index: u64| {
        let placement = space.placement(index);
        placement.is_some_and(|placement| placement.position(turn).is_some())
    };
    indices
        .find(|&index| is_meant(index) && is_legal(index))
        .unwrap()
}

/// Men of a kind, guards, kings alone against the last attacker, and colours exchanged by a
/// capture.
#[test]
fn what_is_found_is_what_is_found_position_by_position() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (signature, rules) in [
        ("KRvK", Rules::PerpetualCheck),
        ("KPPvK", Rules::CyclesDraw),
        ("KPvKAB", Rules::CyclesDraw),
        ("KRvKN", Rules::PerpetualCheck),
    ] {
        generate(directory, &[signature], rules);
        let report = verify_one(directory, signature, rules);
        let (positions, found, _) = verify_naively(directory, signature, rules);
        assert!(report.is_clean(), "{signature} {rules}: {report:?}");
        assert_eq!((report.positions, found), (positions, 0), "{signature}");
    }
    for (signature, rules, metric) in [
        ("KRvK", Rules::PerpetualCheck, Metric::Wdl),
        ("KRvK", Rules::PerpetualCheck, Metric::Dtc),
        ("KPPvK", Rules::CyclesDraw, Metric::Wdl),
        ("KPvKAB", Rules::CyclesDraw, Metric::Dtc),
        ("KPvKAB", Rules::CyclesDraw, Metric::Dtm),
        ("KRvKN", Rules::PerpetualCheck, Metric::Rounds),
    ] {
        let path = table_path(directory, rules, &material(signature), metric);
        let results = table_path(directory, rules, &material(signature), Metric::Wdl);
        let (_, results) = read(&results);
        let _kept = Kept::new(path.clone());
        let (description, mut numbers) = read(&path);
        let is_won = |index: u64| results[0][index as usize] == Wdl::Win.index() as u8;
        let index = some_index(signature, Color::White, is_won) as usize;
        let number = &mut numbers[0][index];
        *number = match metric {
            Metric::Wdl => Wdl::Draw.index() as u8,
            Metric::Dtc | Metric::Dtm => *number ^ 2,
            Metric::Rounds => *number + 1,
        };
        write(&path, &description, &numbers);
        let report = verify_one(directory, signature, rules);
        let (positions, found, places) = verify_naively(directory, signature, rules);
        assert!(found > 0, "{signature} {metric}");
        assert_eq!(report.positions, positions);
        // Headers may differ as well.
        let of_values = found..=found + 12;
        assert!(of_values.contains(&report.differences), "{report:?}");
        for listed in report.listed.iter().filter(|listed| !listed.fen.is_empty()) {
            let position = Position::from_fen(&listed.fen).unwrap();
            assert!(places.contains(&either_image(&position)), "{listed}");
        }
    }
}

/// Each metric under both sets of rules, at several positions.
#[test]
fn wrong_numbers_of_every_metric_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (signature, space) = ("KRvKN", IndexSpace::new(material("KRvKN")).unwrap());
    for rules in Rules::ALL {
        generate(directory, &[signature], rules);
        let path = |metric| table_path(directory, rules, &material(signature), metric);
        let (_, results) = read(&path(Metric::Wdl));
        let rounds = path(Metric::Rounds);
        let rounds = rounds.exists().then(|| read(&rounds).1);
        let mut tried = 0;
        for metric in Metric::ALL.into_iter().filter(|&m| path(m).exists()) {
            let _kept = Kept::new(path(metric));
            let (description, right) = read(&path(metric));
            for turn in Color::ALL {
                let results = &results[turn.index()];
                // Within rounds, distances are measures of progress, and several may do.
                let round = |index: u64| {
                    let rounds = rounds.as_ref()?;
                    Some(rounds[turn.index()][index as usize])
                };
                let is_decided = |index: u64| {
                    let is_exact = metric != Metric::Dtc || round(index).unwrap_or(0) == 0;
                    is_exact && results[index as usize] != Wdl::Draw.index() as u8
                };
                let step = space.len() / 2;
                for first in [0, step] {
                    let is_meant = |index| index >= first && is_decided(index);
                    let index = some_index(signature, turn, is_meant) as usize;
                    let mut numbers = right.clone();
                    let number = &mut numbers[turn.index()][index];
                    *number = match metric {
                        Metric::Wdl => Wdl::Draw.index() as u8,
                        _ => *number ^ 1,
                    };
                    write(&path(metric), &description, &numbers);
                    let report = verify_one(directory, signature, rules);
                    assert!(report.differences > 0, "{rules} {metric} {turn} {index}");
                    assert!(report.unreadable.is_empty(), "{report:?}");
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 12, "{rules}");
    }
}

#[test]
fn a_number_without_meaning_and_false_headers_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let rules = Rules::CyclesDraw;
    generate(directory, &["KRvK"], rules);
    let path = |metric| table_path(directory, rules, &material("KRvK"), metric);
    let (description, right) = read(&path(Metric::Wdl));
    {
        let _kept = Kept::new(path(Metric::Wdl));
        let mut numbers = right.clone();
        let index = some_index("KRvK", Color::Black, |_| true);
        numbers[1][index as usize] = 3;
        write(&path(Metric::Wdl), &description, &numbers);
        let report = verify_one(directory, "KRvK", rules);
        let words = "the number 3 without meaning";
        assert!(report.listed.iter().any(|listed| listed.stored == words));
    }
    type Lie = fn(&mut Description);
    let lies: [(Metric, Lie); 4] = [
        (Metric::Wdl, |description| description.counts[0].win += 1),
        (Metric::Dtc, |description| description.counts[1].draw += 2),
        (Metric::Dtc, |description| {
            let longest = description.longest[0].as_mut().unwrap();
            longest.plies += 2;
        }),
        (Metric::Dtm, |description| {
            let longest = description.longest[0].as_mut().unwrap();
            longest.index = if longest.index == 0 { 1 } else { 0 };
        }),
    ];
    for (metric, lie) in lies {
        let _kept = Kept::new(path(metric));
        let (mut description, numbers) = read(&path(metric));
        lie(&mut description);
        write(&path(metric), &description, &numbers);
        let report = verify_one(directory, "KRvK", rules);
        assert!((1..=2).contains(&report.differences), "{report:?}");
        let listed = &report.listed[0];
        assert!(listed.fen.is_empty() && listed.metric == metric.name());
    }
    assert!(verify_one(directory, "KRvK", rules).is_clean());
}

#[test]
fn reports_do_not_depend_on_threads_and_progress_comes_to_its_end() {
    #[derive(Default)]
    struct Progress(AtomicU64);
    impl Observer for Progress {
        fn started(&self, subject: Subject) {
            assert_eq!(subject.to_string(), "KPPvK cycles-draw");
        }
        fn advanced(&self, positions: u64) {
            self.0.fetch_add(positions, Ordering::Relaxed);
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let rules = Rules::CyclesDraw;
    generate(directory, &["KPPvK"], rules);
    let path = table_path(directory, rules, &material("KPPvK"), Metric::Dtm);
    let (description, mut numbers) = read(&path);
    for number in numbers[0].iter_mut().step_by(37) {
        *number ^= 1;
    }
    write(&path, &description, &numbers);
    let subjects = [Subject::Xiangqi(rules, material("KPPvK"))];
    let reports = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let progress = Progress::default();
        let run = || verify(directory, &subjects, &AtomicBool::new(false), &progress).unwrap();
        let report = pool.unwrap().install(run);
        assert_eq!(
            progress.0.load(Ordering::Relaxed),
            work(directory, &subjects)
        );
        report
    });
    assert_eq!(reports[0], reports[1]);
    assert!(reports[0].differences > 1000 && reports[0].listed.len() == 10);
}

#[test]
fn what_captures_lead_to_has_to_be_there() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for rules in Rules::ALL {
        generate(directory, &["KRvKA"], rules);
        let path = table_path(directory, rules, &material("KRvK"), Metric::Wdl);
        fs::remove_file(&path).unwrap();
        let report = verify_one(directory, "KRvKA", rules);
        assert_eq!(report.tables, 0);
        assert!(report.unreadable.iter().any(|(file, _)| *file == path));
        let (_, why) = report.unreadable.last().unwrap();
        let advice = format!("retrograde generate --game xiangqi --rules {rules} KRvK`");
        assert!(why.contains(&advice), "{why}");
    }
}
