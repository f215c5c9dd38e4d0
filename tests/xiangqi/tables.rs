//! Files against the solver.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use retrograde::game::Color;
use retrograde::generate::{GenerateOptions, Generated, Plan};
use retrograde::metric::Wdl;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::table::{StreamSource, Table, WriteOptions, write_table};
use retrograde::tables::{self, rules_directory};
use retrograde::xiangqi::{IndexSpace, Material, Metric, Rules, Xiangqi};

use super::{solved, value};

pub fn table_path(directory: &Path, rules: Rules, material: &Material, metric: Metric) -> PathBuf {
    tables::table_path(
        &rules_directory::<Xiangqi>(directory, rules),
        material,
        metric,
    )
}

pub fn options(directory: &Path, signatures: &[&str], rules: Rules) -> GenerateOptions<Xiangqi> {
    let materials = signatures
        .iter()
        .map(|signature| signature.parse().unwrap());
    GenerateOptions::xiangqi(directory, materials.collect(), rules)
}

fn plan(directory: &Path, signatures: &[&str], rules: Rules) -> Plan<Xiangqi> {
    Plan::new(&options(directory, signatures, rules)).unwrap()
}

pub fn generate(directory: &Path, signatures: &[&str], rules: Rules) -> Generated {
    let plan = plan(directory, signatures, rules);
    plan.run(&AtomicBool::new(false), &()).unwrap()
}

/// Every position of the index, in the tables and in memory; also with the colours exchanged and
/// mirrored.
fn compare(directory: &Path, signature: &str, rules: Rules) -> [usize; 3] {
    let targets = solved(signature, rules);
    let tables = XiangqiTables::open(directory, rules);
    let material: Material = signature.parse().unwrap();
    let space = IndexSpace::new(material.normal_form()).unwrap();
    let mut seen = [0; 3];
    // Every seventh index meets every value of every dimension.
    for index in (0..space.len()).step_by(7) {
        for turn in Color::ALL {
            let placement = space.placement(index);
            let Some(position) = placement.and_then(|placement| placement.position(turn)) else {
                continue;
            };
            let expected = value(&position, &targets);
            for image in [
                position,
                position.mirrored(),
                position.with_colors_exchanged(),
            ] {
                let found = tables.probe(&image).unwrap();
                let fen = image.to_fen();
                assert_eq!(found.wdl, expected.wdl, "{fen}");
                if expected.wdl != Wdl::Draw {
                    let dtc = found.dtc.map(i32::unsigned_abs);
                    assert_eq!(dtc, Some(expected.dtc.into()), "{fen}");
                }
                assert_eq!(found.dtm, expected.dtm, "{fen}");
                assert_eq!(found.round, expected.round, "{fen}");
            }
            seen[(expected.wdl.signum2() / 2 + 1) as usize] += 1;
        }
    }
    seen
}

#[test]
fn tables_say_what_the_solver_says() {
    let directory = tempfile::tempdir().unwrap();
    for rules in Rules::ALL {
        generate(directory.path(), &["KRvKN", "KPPvK", "KCvKAB"], rules);
        for signature in ["KRvKN", "KPPvK", "KRvK"] {
            let seen = compare(directory.path(), signature, rules);
            assert!(seen[0] > 100 && seen[2] > 100, "{signature} {seen:?}");
        }
        let [lost, drawn, _] = compare(directory.path(), "KCvKAB", rules);
        assert!(lost == 0 && drawn > 1000);
    }
}

/// The files of a directory and what is in them; not what is in directories below.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    files
        .filter(|file| file.file_type().unwrap().is_file())
        .map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, fs::read(file.path()).unwrap())
        })
        .collect()
}

#[test]
fn bytes_do_not_depend_on_threads_and_a_second_run_writes_what_is_missing() {
    let rules = Rules::PerpetualCheck;
    let mut made = Vec::new();
    for threads in [1, 3] {
        let directory = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let run = || generate(directory.path(), &["KRvKN"], rules);
        let written = pool.unwrap().install(run);
        // Two of each of KRvK, KNvK and KRvKN, and the rounds of the last.
        assert_eq!(written.files, 7);
        let path = |metric| table_path(directory.path(), rules, &"KRvKN".parse().unwrap(), metric);
        let before = contents(path(Metric::Wdl).parent().unwrap());
        assert_eq!(
            before.values().map(|bytes| bytes.len() as u64).sum::<u64>(),
            written.bytes
        );
        assert!(plan(directory.path(), &["KRvKN"], rules).is_empty());
        fs::remove_file(path(Metric::Dtc)).unwrap();
        fs::write(path(Metric::Wdl), b"damaged").unwrap();
        generate(directory.path(), &["KRvKN"], rules);
        assert_eq!(contents(path(Metric::Wdl).parent().unwrap()), before);
        made.push(before);
    }
    assert_eq!(made[0], made[1]);
}

#[test]
fn what_is_not_there_or_something_else_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let rules = Rules::CyclesDraw;
    generate(directory.path(), &["KNvK", "KRvK"], rules);
    let tables = XiangqiTables::open(directory.path(), rules);
    let position = |fen| retrograde::xiangqi::Position::from_fen(fen).unwrap();
    let missing = tables
        .probe(&position("3k5/9/9/9/9/P8/9/9/9/4K4 w"))
        .unwrap_err();
    let advice = "retrograde generate --game xiangqi --rules cycles-draw KPvK";
    assert!(missing.to_string().contains(advice), "{missing}");
    let path = |signature: &str| {
        table_path(
            directory.path(),
            rules,
            &signature.parse().unwrap(),
            Metric::Wdl,
        )
    };
    fs::copy(path("KRvK"), path("KNvK")).unwrap();
    let foreign = tables
        .probe(&position("3k5/9/9/9/9/N8/9/9/9/4K4 w"))
        .unwrap_err();
    let difference = "not the table that its name says (the header says material KRvK)";
    assert!(foreign.to_string().contains(difference), "{foreign}");
    let advice = "`retrograde generate --game xiangqi --rules cycles-draw KNvK`";
    assert!(foreign.to_string().ends_with(advice), "{foreign}");
    // The header says the same as the name, or cannot be read.
    let path = path("KRvK");
    let contents = fs::read(&path).unwrap();
    let rook = position("3k5/9/9/9/9/R8/9/9/9/4K4 w");
    for damaged in [contents.len() / 2, 10] {
        fs::write(&path, &contents[..damaged]).unwrap();
        let tables = XiangqiTables::open(directory.path(), rules);
        let error = tables.probe(&rook).unwrap_err().to_string();
        let advice = "`retrograde generate --game xiangqi --rules cycles-draw KRvK`";
        assert!(error.ends_with(advice), "{error}");
    }
}

/// Without its rounds a material in which perpetual check decides something would have other moves
/// and lines.
#[test]
fn rounds_that_are_lost_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let rules = Rules::PerpetualCheck;
    generate(directory.path(), &["KRvKN"], rules);
    let position = |fen| retrograde::xiangqi::Position::from_fen(fen).unwrap();
    let lost = position("9/9/4k4/9/9/9/9/9/3K5/n2R5 b");
    let tables = XiangqiTables::open(directory.path(), rules);
    let whole = tables.probe(&lost).unwrap();
    assert!(whole.wdl == Wdl::Loss && whole.round > 0);
    let material: Material = "KRvKN".parse().unwrap();
    let path = table_path(directory.path(), rules, &material, Metric::Rounds);
    fs::remove_file(&path).unwrap();
    let tables = XiangqiTables::open(directory.path(), rules);
    // Results alone say the same as before.
    assert_eq!(tables.probe_wdl(&lost).unwrap(), Wdl::Loss);
    let errors = [
        tables.probe(&lost).unwrap_err(),
        tables.moves(&lost).unwrap_err(),
        tables.line(&lost, 10).unwrap_err(),
    ];
    for error in errors {
        assert!(error.is_missing_table());
        let message = error.to_string();
        assert!(
            message.starts_with("no rounds table for KRvKN"),
            "{message}"
        );
    }
    // Neither rook against king nor a draw has rounds.
    let won = position("3k5/9/9/9/9/R8/9/9/9/4K4 w");
    assert_eq!(tables.probe(&won).unwrap().round, 0);
    let report = super::verify::verify_one(directory.path(), "KRvKN", rules);
    let (file, why) = &report.unreadable[0];
    assert!(*file == path && why.contains("no such table"), "{why}");
    // The command in the error makes it again.
    generate(directory.path(), &["KRvKN"], rules);
    let tables = XiangqiTables::open(directory.path(), rules);
    assert_eq!(tables.probe(&lost).unwrap(), whole);
}

/// There is no fifty-move rule in xiangqi, and who mates is a positive number of plies away from
/// it.
#[test]
fn numbers_that_no_position_can_have_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let rules = Rules::CyclesDraw;
    generate(directory.path(), &["KRvK"], rules);
    let won = retrograde::xiangqi::Position::from_fen("3k5/9/9/9/9/R8/9/9/9/4K4 w").unwrap();
    let probe = || XiangqiTables::open(directory.path(), rules).probe(&won);
    assert_eq!(probe().unwrap().wdl, Wdl::Win);
    let material = "KRvK".parse().unwrap();
    for (metric, number) in [
        (Metric::Dtm, 1),
        (Metric::Wdl, 1),
        (Metric::Wdl, 3),
        (Metric::Wdl, 7),
    ] {
        let path = table_path(directory.path(), rules, &material, metric);
        let table = Table::open(&path).unwrap();
        let positions = table.streams()[0].len() as usize;
        let numbers = vec![number; positions];
        let streams = [0, 1].map(|side| StreamSource::new(side, positions as u64, &numbers));
        let options = WriteOptions::default();
        write_table(&path, table.description(), &streams, &options, &|_, _| true).unwrap();
        let error = probe().unwrap_err().to_string();
        let said = format!("(it has a {metric} that no position can have)");
        assert!(error.contains(&said), "{error}");
    }
}
