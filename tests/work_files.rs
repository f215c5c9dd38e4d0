//! Work files: found again, solved again where they are no good, and gone at the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use retrograde::Error;
use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Observer, Plan};
use retrograde::metric::Metric;
use tempfile::{TempDir, tempdir};

use crate::generate::{self, files, with_threads};

/// Reads promotions, captures and a capture with pawns; everything else here is solved for it.
const READER: &str = "KRvKP";

/// What [`READER`] reads, by the material that leaves it behind.
const WORK_FILES: [(&str, &str); 9] = [
    ("KRvKP.bQueen.mates.view", "KQvKR"),
    ("KRvKP.bRook.mates.view", "KRvKR"),
    ("KRvKP.bBishop.mates.view", "KRvKB"),
    ("KRvKP.bKnight.mates.view", "KRvKN"),
    ("KRvK.mates.view", "KRvK"),
    ("KPvK.mates.view", "KPvK"),
    ("KQvK.mates.view", "KQvK"),
    ("KBvK.mates.view", "KBvK"),
    ("KNvK.mates.view", "KNvK"),
];

/// Work files are for large materials; here all go into them.
fn options(directory: &Path) -> GenerateOptions {
    GenerateOptions {
        men_in_memory: 2,
        ..generate::options(directory, &[READER])
    }
}

fn options_without_mates(directory: &Path) -> GenerateOptions {
    GenerateOptions {
        metrics: vec![Metric::Wdl, Metric::Dtz],
        ..options(directory)
    }
}

/// Does something each time a material begins.
struct When<F> {
    material: Material,
    act: F,
}

impl<F: Fn() + Sync> Observer for When<F> {
    fn started(&self, material: Material) {
        if material == self.material {
            (self.act)();
        }
    }
    fn advanced(&self, _: u64) {}
    fn finished(&self, _: Material, _: u64) {}
}

fn when_reader_begins<F: Fn() + Sync>(act: F) -> When<F> {
    When {
        material: READER.parse().unwrap(),
        act,
    }
}

/// All tables, made without interruption and without work files.
fn expected() -> &'static BTreeMap<String, Vec<u8>> {
    static EXPECTED: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let directory = tempdir().unwrap();
        let in_memory = generate::options(directory.path(), &[READER]);
        generate::generate(&in_memory);
        files(directory.path())
    })
}

/// Nothing more and nothing less than the tables is there.
fn assert_finished(directory: &Path, context: &str) {
    assert!(!directory.join(".work").exists(), "{context}");
    let files = files(directory);
    assert!(files.keys().eq(expected().keys()), "{context}");
    for (name, bytes) in &files {
        assert!(bytes == &expected()[name], "{context}: {name} differs");
    }
}

fn stop_before_reader(options: &GenerateOptions) {
    let cancel = AtomicBool::new(false);
    let observer = when_reader_begins(|| cancel.store(true, Ordering::Relaxed));
    let result = Plan::new(options).unwrap().run(&cancel, &observer);
    assert!(matches!(result, Err(Error::Cancelled)));
}

/// A directory in which everything is solved that [`READER`] reads, but not itself.
fn stopped() -> TempDir {
    static STOPPED: OnceLock<TempDir> = OnceLock::new();
    let stopped = STOPPED.get_or_init(|| {
        let directory = tempdir().unwrap();
        stop_before_reader(&options(directory.path()));
        directory
    });
    let copy = tempdir().unwrap();
    fs::create_dir(copy.path().join(".work")).unwrap();
    for part in ["", ".work"] {
        for entry in fs::read_dir(stopped.path().join(part)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let to = copy.path().join(part).join(entry.file_name());
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    copy
}

/// The materials that a plan solves again without writing them.
fn solved_again(plan: &Plan) -> Vec<String> {
    let steps = plan.steps().filter(|step| step.metrics.is_empty());
    steps.map(|step| step.material.to_string()).collect()
}

#[test]
fn what_finished_tables_say_is_left_for_those_that_ask() {
    let directory = tempdir().unwrap();
    for (name, bytes) in expected() {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    let for_reader = |material: &str| GenerateOptions {
        left_for: Some(vec![READER.parse().unwrap()]),
        ..generate::options(directory.path(), &[material])
    };
    let work_files = directory.path().join(".work");
    let run = |options: &GenerateOptions| {
        let plan = Plan::new(options).unwrap();
        plan.run(&AtomicBool::new(false), &()).unwrap();
        plan.steps().count()
    };
    for (material, left) in [("KQvKR", true), ("KRvKN", true), ("KQvKR", false)] {
        let options = for_reader(material);
        let steps = run(&options);
        assert_eq!(steps > 0, left, "{material}");
        let of_material = WORK_FILES.iter().find(|&&(_, source)| source == material);
        assert!(work_files.join(of_material.unwrap().0).exists());
    }
    // It is asked for no longer.
    assert_eq!(run(&generate::options(directory.path(), &[READER])), 0);
    assert_finished(directory.path(), "all is there");
}

#[test]
fn what_was_left_behind_is_not_solved_again() {
    let directory = stopped();
    let mut names: Vec<String> = fs::read_dir(directory.path().join(".work"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut all = WORK_FILES.map(|(name, _)| name);
    all.sort_unstable();
    assert_eq!(names, all);
    let plan = Plan::new(&options(directory.path())).unwrap();
    assert_eq!(plan.steps().count(), 1);
    assert_eq!(plan.run(&AtomicBool::new(false), &()).unwrap().files, 3);
    assert_finished(directory.path(), "carried on");
}

#[test]
fn a_damaged_or_foreign_work_file_is_solved_again() {
    type Damage = fn(&Path, Vec<u8>);
    let damages: [(&str, Damage); 8] = [
        ("missing", |path, _| fs::remove_file(path).unwrap()),
        ("empty", |path, _| fs::write(path, "").unwrap()),
        ("truncated", |path, bytes| {
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("overlong", |path, bytes| {
            fs::write(path, [&bytes[..], &[0]].concat()).unwrap();
        }),
        ("altered", |path, mut bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("of another version", |path, mut bytes| {
            bytes[7] += 1;
            fs::write(path, bytes).unwrap();
        }),
        ("another item", |path, _| {
            let (other, _) = WORK_FILES
                .into_iter()
                .find(|(name, _)| !path.ends_with(name))
                .unwrap();
            fs::copy(path.with_file_name(other), path).unwrap();
        }),
        ("without mate scores", |path, bytes| {
            fs::write(path, [&bytes[..8], &[0], &bytes[9..]].concat()).unwrap();
        }),
    ];
    for (number, (context, damage)) in damages.into_iter().enumerate() {
        let directory = stopped();
        let (name, source) = WORK_FILES[number % WORK_FILES.len()];
        let path = directory.path().join(".work").join(name);
        let bytes = fs::read(&path).unwrap();
        damage(&path, bytes);
        let plan = Plan::new(&options(directory.path())).unwrap();
        let again = solved_again(&plan);
        assert!(again.contains(&source.to_owned()), "{context}: {again:?}");
        for (_, other) in WORK_FILES.iter().filter(|(_, other)| other.len() == 5) {
            assert_eq!(again.contains(&(*other).to_owned()), *other == source);
        }
        plan.run(&AtomicBool::new(false), &()).unwrap();
        assert_finished(directory.path(), context);
    }
}

#[test]
fn work_files_of_other_metrics_are_not_used_and_do_not_stay() {
    let directory = tempdir().unwrap();
    let without_mates = options_without_mates(directory.path());
    stop_before_reader(&without_mates);
    generate::generate(&options(directory.path()));
    assert_finished(directory.path(), "with mates after without");

    let directory = stopped();
    let without_mates = options_without_mates(directory.path());
    generate::generate(&without_mates);
    assert!(!directory.path().join(".work").exists());
    let files = files(directory.path());
    assert_eq!(files.len(), expected().len() - 1);
    for (name, bytes) in &files {
        assert!(bytes == &expected()[name], "{name} differs");
    }
}

#[test]
fn what_vanishes_after_the_plan_is_made_is_solved_again() {
    let directory = stopped();
    let plan = Plan::new(&options(directory.path())).unwrap();
    assert_eq!(plan.steps().count(), 1);
    fs::remove_dir_all(directory.path().join(".work")).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
    assert_finished(directory.path(), "all of them");

    let directory = stopped();
    let file = directory.path().join(".work").join(WORK_FILES[4].0);
    let seen = AtomicUsize::new(0);
    let once = when_reader_begins(|| {
        if seen.fetch_add(1, Ordering::Relaxed) == 0 {
            fs::write(&file, "damaged").unwrap();
        }
    });
    let plan = Plan::new(&options(directory.path())).unwrap();
    plan.run(&AtomicBool::new(false), &once).unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 2);
    assert_finished(directory.path(), "one of them");
}

#[test]
fn what_vanishes_again_and_again_is_an_error() {
    let directory = stopped();
    let work = directory.path().join(".work");
    let always = when_reader_begins(|| fs::write(work.join(WORK_FILES[4].0), "damaged").unwrap());
    let plan = Plan::new(&options(directory.path())).unwrap();
    let error = plan.run(&AtomicBool::new(false), &always).unwrap_err();
    assert!(matches!(error, Error::WorkFiles { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains(&work.display().to_string()), "{message}");
    assert!(message.contains("start again"), "{message}");
    generate::generate(&options(directory.path()));
    assert_finished(directory.path(), "without disturbance");
}

#[test]
fn unfinished_work_files_are_cleared_up() {
    let directory = stopped();
    let work = directory.path().join(".work");
    fs::write(work.join(".KRvKP.bQueen.a1B2c3.part"), "unfinished").unwrap();
    generate::generate(&options(directory.path()));
    assert_finished(directory.path(), "finished");
}

#[test]
fn generations_at_the_same_time_do_not_disturb_each_other() {
    let directory = tempdir().unwrap();
    let without_mates = options_without_mates(directory.path());
    let all = [
        options(directory.path()),
        options(directory.path()),
        without_mates,
    ];
    std::thread::scope(|scope| {
        for options in &all {
            scope.spawn(|| with_threads(2, || generate::generate(options)));
        }
    });
    assert_finished(directory.path(), "all at once");
}
