//! Verification finds nothing in good tables, and every change that matters in others.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::generate::{GenerateOptions, Plan, table_path};
use retrograde::metric::Metric;
use retrograde::probe::Format;
use retrograde::table::{
    Compression, Description, Head, Statistics, StreamSource, Table, WriteOptions, write_table,
};
use retrograde::verify::{Difference, Report, Subject, verify};
use retrograde::xiangqi::{self, Rules};

use crate::reference::syzygy_folder;
use crate::solved;

fn generate(directory: &Path, compression: Compression) {
    generate_materials(directory, Material::all_with_men(3), compression);
}

/// Generates tables of some materials and of all that their moves lead to.
fn generate_materials(directory: &Path, materials: Vec<Material>, compression: Compression) {
    let options = GenerateOptions {
        compression,
        ..GenerateOptions::new(directory, materials)
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
}

/// Sides to move that results, distances to zeroing and distances to mate are stored of.
const SIDES: [[&[u8]; 3]; 7] = [
    [&[0, 1], &[0], &[0]],
    [&[0, 1], &[1], &[1]],
    [&[0, 1], &[0, 1], &[0, 1]],
    [&[0], &[0], &[0]],
    [&[1], &[0], &[1]],
    [&[0], &[1], &[0, 1]],
    [&[1], &[0, 1], &[0]],
];

fn write_sides(directory: &Path, material: &Material, sides: [&[u8]; 3]) {
    for (metric, sides) in Metric::ALL.into_iter().zip(sides) {
        solved::write_sides(directory, &solved::all()[material], metric, sides);
    }
}

fn verify_all(directory: &Path) -> Report {
    let materials = Material::all_with_men(3);
    verify(directory, &materials, &AtomicBool::new(false), &()).unwrap()
}

fn verify_one(directory: &Path, material: Material) -> Report {
    verify(directory, &[material], &AtomicBool::new(false), &()).unwrap()
}

#[test]
fn good_tables_have_no_differences() {
    for compression in [Compression::Fast, Compression::Default, Compression::Small] {
        let directory = tempfile::tempdir().unwrap();
        generate(directory.path(), compression);
        let report = verify_all(directory.path());
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.tables, 15);
        assert!(report.positions > 500_000);
    }
}

#[test]
fn good_tables_have_no_differences_whichever_sides_they_have() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Fast);
    for sides in SIDES {
        for material in Material::all_with_men(3) {
            write_sides(directory.path(), &material, sides);
        }
        let report = verify_all(directory.path());
        assert!(report.is_clean(), "{sides:?}: {report:?}");
    }
}

#[test]
fn good_tables_of_four_men_have_no_differences() {
    let directory = tempfile::tempdir().unwrap();
    // Pawns of one and of both colours, identical pieces, the same men on both sides, and all
    // promotions.
    let materials = ["KPvKP", "KPPvK", "KRRvK", "KQvKR"].map(|name| name.parse().unwrap());
    generate_materials(directory.path(), materials.to_vec(), Compression::Fast);
    let found = Tablebase::open(directory.path()).unwrap();
    let mut materials: Vec<Material> = found.tables().iter().map(|file| *file.material()).collect();
    materials.sort_by_key(Material::to_string);
    materials.dedup();
    let report = verify(directory.path(), &materials, &AtomicBool::new(false), &()).unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.tables, 3 * materials.len());
    assert!(report.positions > 100_000_000, "{}", report.positions);
}

pub fn generate_syzygy(directory: &Path, materials: Vec<Material>) {
    let options = GenerateOptions {
        format: Format::Syzygy,
        metrics: vec![Metric::Wdl, Metric::Dtz],
        ..GenerateOptions::new(directory, materials)
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
}

#[test]
fn good_syzygy_tables_have_no_differences() {
    let directory = tempfile::tempdir().unwrap();
    // Equal men, the same men on both sides, and a material that is in the other colours in our own
    // format.
    let mut materials = Material::all_with_men(3);
    materials.extend(["KBBvK", "KRvKR", "KRvKN"].map(|name| name.parse::<Material>().unwrap()));
    generate_syzygy(directory.path(), materials.clone());
    let report = verify(directory.path(), &materials, &AtomicBool::new(false), &()).unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.tables, 2 * materials.len());
    assert!(report.positions > 5_000_000, "{}", report.positions);
}

#[test]
fn published_syzygy_tables_have_no_differences() {
    let Some(folder) = syzygy_folder() else {
        return;
    };
    let mut materials = Material::all_with_men(3);
    materials.extend(["KNNvK", "KPvKP", "KPPvK"].map(|name| name.parse::<Material>().unwrap()));
    let report = verify(&folder, &materials, &AtomicBool::new(false), &()).unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.tables, 2 * materials.len());
}

#[test]
fn both_formats_are_verified_where_both_are() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Fast);
    generate_syzygy(directory.path(), Material::all_with_men(3));
    let report = verify_all(directory.path());
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.tables, 15 + 10);
    // Where a material that moves lead to has no table of a format, that of the other one is read.
    let remove = |name: &str| std::fs::remove_file(directory.path().join(name)).unwrap();
    remove("KQvK.rtbw");
    remove("KRvK.wdl");
    remove("KRvK.dtm");
    remove("KPvK.dtm");
    let report = verify_one(directory.path(), "KPvK".parse().unwrap());
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.tables, 4);
    // Results alone, and distances without results.
    remove("KPvK.rtbz");
    let report = verify_one(directory.path(), "KPvK".parse().unwrap());
    assert!(report.is_clean() && report.tables == 3, "{report:?}");
    let report = verify_one(directory.path(), "KQvK".parse().unwrap());
    let text = format!("{:?}", report.unreadable);
    assert!(text.contains("generate KQvK --format syzygy"), "{text}");
}

#[test]
fn a_changed_byte_of_a_syzygy_table_makes_the_report_unclean() {
    let directory = tempfile::tempdir().unwrap();
    generate_syzygy(directory.path(), Material::all_with_men(3));
    for name in ["KPvK.rtbw", "KPvK.rtbz"] {
        let path = directory.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        for place in [9, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            std::fs::write(&path, changed).unwrap();
            let report = verify_one(directory.path(), "KPvK".parse().unwrap());
            assert!(!report.is_clean(), "{name}, byte {place}");
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(verify_one(directory.path(), "KPvK".parse().unwrap()).is_clean());
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Default);
    for material in Material::all_with_men(3) {
        for metric in Metric::ALL {
            let bytes = std::fs::read(table_path(directory.path(), &material, metric)).unwrap();
            // Every byte of the smaller files, a seventh of those of the larger ones.
            let step = if bytes.len() < 4096 { 1 } else { 7 };
            for place in (0..bytes.len()).step_by(step) {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << (place % 8);
                let found = Table::from_store(Box::new(changed))
                    .and_then(|table| table.verify_checksums(&|_, _| true));
                assert!(found.is_err(), "{material}.{metric}, byte {place}");
            }
        }
    }
}

#[test]
fn a_changed_byte_makes_the_report_unclean() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Default);
    let material: Material = "KPvK".parse().unwrap();
    for metric in Metric::ALL {
        let path = table_path(directory.path(), &material, metric);
        let bytes = std::fs::read(&path).unwrap();
        for place in [9, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            std::fs::write(&path, changed).unwrap();
            let report = verify_one(directory.path(), material);
            assert!(!report.is_clean(), "{metric}, byte {place}");
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(verify_one(directory.path(), material).is_clean());
}

/// Writes a table again, changed and without statistics, with all checksums right.
fn rewrite(path: &Path, change: impl Fn(&mut Description, &mut [Numbers])) {
    rewrite_all(path, |description, streams, statistics| {
        *statistics = None;
        change(description, streams);
    });
}

/// Writes a table again as earlier versions did.
pub fn remove_statistics(path: &Path) {
    rewrite(path, |_, _| ());
}

/// Writes a table again with other statistics.
fn rewrite_statistics(path: &Path, change: impl Fn(&mut Statistics)) {
    rewrite_all(path, |_, _, statistics| {
        change(statistics.as_mut().unwrap())
    });
}

fn rewrite_all(
    path: &Path,
    change: impl Fn(&mut Description, &mut [Numbers], &mut Option<Statistics>),
) {
    let table = Table::open(path).unwrap();
    let mut description = table.description().clone();
    let mut statistics = table.statistics().unwrap();
    let mut streams: Vec<Numbers> = table
        .streams()
        .iter()
        .map(|stream| Numbers {
            side: stream.side(),
            order: stream.order(),
            numbers: table.read_stream(stream).unwrap(),
        })
        .collect();
    drop(table);
    change(&mut description, &mut streams, &mut statistics);
    let sources: Vec<StreamSource<'_>> = streams
        .iter()
        .map(|stream| StreamSource {
            order: stream.order,
            ..StreamSource::new(stream.side, stream.numbers.len() as u64, &stream.numbers)
        })
        .collect();
    let options = WriteOptions::from(Compression::Fast);
    let head = Head {
        description: &description,
        statistics: statistics.as_ref(),
    };
    write_table(path, head, &sources, &options, &|_, _| true).unwrap();
}

/// A stream of a table.
struct Numbers {
    side: u8,
    order: [u8; 12],
    numbers: Vec<u8>,
}

/// Writes a table again with one number changed.
fn rewrite_number(path: &Path, side: u8, index: u64, change: impl Fn(u8) -> u8) {
    rewrite(path, |_, streams| {
        for stream in streams.iter_mut().filter(|stream| stream.side == side) {
            let number = &mut stream.numbers[index as usize];
            *number = change(*number);
        }
    });
}

/// The answer of a prober, in words.
fn answer(directory: &Path, position: &Position, metric: Metric) -> String {
    let tables = Tablebase::open(directory).unwrap();
    match metric {
        Metric::Wdl => format!("{:?}", tables.probe_wdl(position)),
        Metric::Dtz => format!("{:?}", tables.probe_dtz(position)),
        Metric::Dtm => format!("{:?}", tables.probe_dtm(position)),
    }
}

/// Changes numbers of tables that are stored with right checksums, `count` times for each of three
/// metrics, and returns how often a prober could see that; each time verification has to find it.
fn change_numbers(directory: &Path, material: Material, count: usize, seed: u64) -> [usize; 3] {
    let mut seen = [0; 3];
    let mut random = seed;
    let space = IndexSpace::new(material);
    for metric in Metric::ALL {
        let path = table_path(directory, &material, metric);
        let original = std::fs::read(&path).unwrap();
        let table = Table::open(&path).unwrap();
        for _ in 0..count {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            let streams = table.streams();
            let stream = &streams[(random >> 40) as usize % streams.len()];
            let side = stream.side();
            let order = space.order(&stream.order()).unwrap();
            // The next index that is a legal position.
            let first = (random >> 20) % space.len();
            let found = (first..space.len()).chain(0..first).find_map(|index| {
                let placement = space.placement(&order.digits(index))?;
                let turn = Color::ALL[usize::from(side)];
                Some((index, placement.position(turn)?))
            });
            let (index, position) = found.unwrap();
            let before = answer(directory, &position, metric);
            rewrite_number(&path, side, index, |number| match metric {
                Metric::Wdl => (number + 1 + (random % 4) as u8) % 5,
                Metric::Dtz | Metric::Dtm => number ^ (1 << (random % 4)),
            });
            if answer(directory, &position, metric) != before {
                seen[usize::from(metric.number())] += 1;
                let report = verify_one(directory, material);
                assert!(report.differences > 0, "{material} {metric} {position:?}");
                // Those before it may differ as well, more of them than are listed.
                let is_here = |listed: &Difference| {
                    let listed = Position::from_fen(&listed.fen).unwrap();
                    let [there, here] =
                        [&listed, &position].map(|it| space.digits(&Placement::from(it)));
                    there == here && listed.turn() == position.turn()
                };
                assert!(
                    report.listed.iter().any(is_here)
                        || report.differences > report.listed.len() as u64,
                    "{material} {metric} {position:?}: {:?}",
                    report.listed
                );
                assert!(report.unreadable.is_empty());
            }
            std::fs::write(&path, &original).unwrap();
        }
    }
    seen
}

fn total(seen: &[[usize; 3]]) -> [usize; 3] {
    std::array::from_fn(|metric| seen.iter().map(|seen| seen[metric]).sum())
}

#[test]
fn a_changed_value_with_right_checksums_is_found_if_any_probe_can_see_it() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Default);
    let mut seen = Vec::new();
    for material in ["KPvK", "KQvK"].map(|name| name.parse::<Material>().unwrap()) {
        seen.push(change_numbers(directory.path(), material, 12, 7));
        for sides in SIDES {
            write_sides(directory.path(), &material, sides);
            assert!(verify_one(directory.path(), material).is_clean());
            seen.push(change_numbers(directory.path(), material, 12, 11));
        }
    }
    assert!(total(&seen).iter().all(|&seen| seen >= 16), "{seen:?}");
}

#[test]
fn a_changed_value_of_four_men_is_found_if_any_probe_can_see_it() {
    let directory = tempfile::tempdir().unwrap();
    let materials = ["KPvKP", "KQvKR", "KBBvK"].map(|name| name.parse().unwrap());
    generate_materials(directory.path(), materials.to_vec(), Compression::Fast);
    let counts = [4, 8, 8];
    let seen: [[usize; 3]; 3] = std::array::from_fn(|number| {
        change_numbers(directory.path(), materials[number], counts[number], 3)
    });
    assert!(total(&seen).iter().all(|&seen| seen >= 4), "{seen:?}");
}

#[test]
fn a_wrong_header_is_found() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Default);
    let material: Material = "KRvK".parse().unwrap();
    let path = table_path(directory.path(), &material, Metric::Dtm);
    rewrite(&path, |description, _| description.counts[0].win += 1);
    let report = verify_one(directory.path(), material);
    assert_eq!(report.differences, 1, "{report:?}");
}

/// Tables of both games whose statistics say something else than their values.
#[test]
fn wrong_statistics_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    generate(directory, Compression::Fast);
    let rules = Rules::PerpetualCheck;
    crate::xiangqi::tables::generate(directory, &["KRvKN"], rules);
    let chess: Material = "KPvK".parse().unwrap();
    let xiangqi: xiangqi::Material = "KRvKN".parse().unwrap();
    let subjects = [Subject::from(chess), Subject::Xiangqi(rules, xiangqi)];
    let verify = || verify(directory, &subjects, &AtomicBool::new(false), &()).unwrap();
    assert!(verify().is_clean());
    let path = |metric| crate::xiangqi::tables::table_path(directory, rules, &xiangqi, metric);
    let paths = [
        table_path(directory, &chess, Metric::Dtm),
        table_path(directory, &chess, Metric::Wdl),
        path(xiangqi::Metric::Dtc),
        path(xiangqi::Metric::Wdl),
    ];
    type Lie = fn(&mut Statistics);
    let lies: [(Lie, &str); 5] = [
        (|kept| kept.sides[0].illegal.positions += 1, "illegal"),
        (|kept| kept.sides[1].stalemated.positions += 1, "stalemated"),
        (|kept| kept.sides[1].mated.positions += 1, "mated"),
        (|kept| _ = kept.sides[0].wins.pop_last(), "won in"),
        (|kept| _ = kept.sides[0].longest.pop(), "longest"),
    ];
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let has_rows = path.extension().unwrap() != "wdl";
        for (lie, what) in &lies[..if has_rows { 5 } else { 3 }] {
            std::fs::write(&path, &bytes).unwrap();
            rewrite_statistics(&path, lie);
            let report = verify();
            assert_eq!(
                report.differences,
                1,
                "{what} {}: {report:?}",
                path.display()
            );
            let listed = &report.listed[0];
            let words = listed.to_string();
            assert!(listed.fen.is_empty() && words.contains(what), "{words}");
        }
        if !has_rows {
            std::fs::write(&path, &bytes).unwrap();
            rewrite_statistics(&path, |kept| kept.zugzwangs[0].different += 1);
            assert_eq!(verify().differences, 1);
        }
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn a_missing_dependency_is_named() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Compression::Default);
    std::fs::remove_file(directory.path().join("KQvK.wdl")).unwrap();
    let report = verify_one(directory.path(), "KPvK".parse().unwrap());
    assert!(!report.is_clean());
    let text = format!("{:?}", report.unreadable);
    assert!(text.contains("retrograde generate KQvK"), "{text}");
}

/// What `verify` promises to take, whatever the material.
#[test]
fn six_men_are_verified_within_a_few_gibibytes() {
    for material in Material::all_with_men(6) {
        let gibibytes = retrograde::verify::memory(material) as f64 / (1u64 << 30) as f64;
        assert!(gibibytes < 8.0, "{material}: {gibibytes}");
    }
}
