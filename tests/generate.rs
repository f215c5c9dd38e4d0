//! Generation of files: the same bytes whatever the threads, nothing broken when stopped, nothing
//! done twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use retrograde::Error;
use retrograde::chess::material::Material;
use retrograde::chess::solve::Engine;
use retrograde::generate::{GenerateOptions, Observer, Phase, Plan, table_path};
use retrograde::metric::Metric;
use retrograde::simd::Width;
use retrograde::table::{Compression, Table};
use tempfile::tempdir;

pub fn options(directory: &Path, signatures: &[&str]) -> GenerateOptions {
    let materials = signatures.iter().map(|s| s.parse().unwrap()).collect();
    GenerateOptions {
        compression: Compression::Fast,
        ..GenerateOptions::new(directory, materials)
    }
}

const THREE_MEN: [&str; 5] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];

pub fn generate(options: &GenerateOptions) -> usize {
    let plan = Plan::new(options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap().files
}

/// Every file of a directory with its bytes.
pub fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

pub fn assert_same_files(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    assert!(a.keys().eq(b.keys()), "{:?} and {:?}", a.keys(), b.keys());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

/// Who changes how tables are compressed makes the tables of the repository again: users of every
/// binding get these.
#[test]
fn the_tables_of_the_repository_are_what_is_written_today() {
    let directory = tempdir().unwrap();
    generate(&GenerateOptions {
        compression: Compression::Default,
        ..options(directory.path(), &THREE_MEN)
    });
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    for (name, bytes) in files(directory.path()) {
        let kept = fs::read(kept.join(&name)).unwrap();
        assert!(
            kept == bytes,
            "tables/{name} is of before: remove it, and `retrograde generate --men 3`"
        );
    }
}

pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

/// Sets a flag at the given event; materials that start and finish are events.
struct CancelAt<'a> {
    event: usize,
    seen: AtomicUsize,
    cancel: &'a AtomicBool,
}

impl CancelAt<'_> {
    fn count(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed) == self.event {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

impl Observer for CancelAt<'_> {
    fn started(&self, _: Material) {
        self.count();
    }
    fn advanced(&self, _: u64) {
        self.count();
    }
    fn finished(&self, _: Material, _: u64) {
        self.count();
    }
}

#[test]
fn one_and_three_threads_write_the_same_bytes() {
    let directories = [tempdir().unwrap(), tempdir().unwrap()];
    let signatures = [THREE_MEN.as_slice(), &["KPvKP", "KRvKP"]].concat();
    for (threads, directory) in [1, 3].into_iter().zip(&directories) {
        let mut options = options(directory.path(), &signatures);
        // Two metrics see everything the third does, and the file of results is always written.
        options.metrics = vec![Metric::Dtz, Metric::Dtm];
        with_threads(threads, || generate(&options));
    }
    assert_same_files(directories[0].path(), directories[1].path());
    let written = files(directories[0].path());
    // Each of KPvKP and KRvKP, and what they lead to: one man each, 15 materials, beside the five
    // of three men.
    assert_eq!(written.len(), 20 * 3);
}

#[test]
fn width_threads_and_memory_do_not_change_the_bytes() {
    // Without pawns, with them, with identical sides and with identical men.
    let four_men = ["KRvKP", "KBNvK", "KQvKQ", "KNNvK"];
    let signatures = [THREE_MEN.as_slice(), &four_men].concat();
    let expected = tempdir().unwrap();
    with_threads(2, || generate(&options(expected.path(), &signatures)));
    let widths = [Width::Portable, Width::Bits256, Width::Bits512];
    for (number, width) in widths.into_iter().enumerate() {
        if !width.is_available() {
            eprintln!("this processor has no {width:?}");
            continue;
        }
        let directory = tempdir().unwrap();
        let mut options = options(directory.path(), &signatures);
        options.width = width;
        // The least memory, once for each number of threads, and once more as much as there is.
        with_threads(1 + number % 2, || {
            if number < 2 {
                options.memory = Some(1);
                let Err(Error::Memory { needed, .. }) = Plan::new(&options) else {
                    panic!("a byte of memory is enough");
                };
                options.memory = Some(needed);
            }
            generate(&options);
        });
        assert_same_files(directory.path(), expected.path());
    }
}

#[test]
fn tables_made_slab_by_slab_are_the_same() {
    // With different and with identical sides, with identical men, and with pawns of one side and
    // of both.
    let mut signatures = vec!["KQvKR", "KBvKB", "KNNvK", "KRvKP", "KPvKP"];
    if std::env::var_os("RETROGRADE_FULL").is_some() {
        signatures.extend([
            "KQvKQ", "KRvKN", "KBBvK", "KBPvK", "KPPvK", "KQRvKR", "KRPvKR",
        ]);
    }
    let expected = tempdir().unwrap();
    generate(&options(expected.path(), &signatures));
    for (engine, men_in_files) in [(Engine::Chains, 6), (Engine::Together, 3)] {
        let (directory, scratch) = (tempdir().unwrap(), tempdir().unwrap());
        let mut options = options(directory.path(), &signatures);
        assert_eq!(Plan::new(&options).unwrap().scratch(), 0);
        options.engine = Some(engine);
        options.men_in_files = men_in_files;
        options.scratch = Some(scratch.path().to_owned());
        assert!(Plan::new(&options).unwrap().scratch() > 0);
        generate(&options);
        assert_same_files(expected.path(), directory.path());
    }
}

/// How many materials were in work when one of the largest was.
#[derive(Default)]
struct SideBySide {
    running: Mutex<Vec<Material>>,
    most: AtomicUsize,
}

impl Observer for SideBySide {
    fn started(&self, material: Material) {
        let mut running = self.running.lock().unwrap();
        running.push(material);
        if running.iter().any(|material| material.men() == 4) {
            self.most.fetch_max(running.len(), Ordering::Relaxed);
        }
    }
    fn advanced(&self, _: u64) {}
    fn finished(&self, material: Material, _: u64) {
        self.running.lock().unwrap().retain(|it| *it != material);
    }
}

#[test]
fn materials_whose_scratch_files_have_no_room_together_wait_for_each_other() {
    let directory = tempdir().unwrap();
    // The scratch files of each are as large as those of the others.
    let mut options = options(directory.path(), &["KQvKR", "KQvKN", "KBvKN", "KRvKB"]);
    options.engine = Some(Engine::Chains);
    with_threads(2, || {
        let two = Plan::new(&options).unwrap().scratch();
        // One that needs more than there is room for is solved all the same, alone.
        options.scratch_room = Some(1);
        let plan = Plan::new(&options).unwrap();
        assert_eq!(plan.scratch() * 2, two);
        assert_eq!(plan.least_scratch(), plan.scratch());
        let observer = SideBySide::default();
        plan.run(&AtomicBool::new(false), &observer).unwrap();
        assert_eq!(observer.most.into_inner(), 1);
    });
}

/// With little memory, distances are gathered for the file from parts of the board.
#[test]
fn numbers_written_in_windows_are_the_same() {
    let mut signatures = vec!["KQvKR", "KBvKB", "KNNvK"];
    if std::env::var_os("RETROGRADE_FULL").is_some() {
        signatures.extend(["KQvKQ", "KRvKN", "KBBvK", "KRRvK", "KQRvKR"]);
    }
    let expected = tempdir().unwrap();
    generate(&options(expected.path(), &signatures));
    let directory = tempdir().unwrap();
    let mut options = options(directory.path(), &signatures);
    options.engine = Some(Engine::Chains);
    let whole = Plan::new(&options).unwrap().peak_memory();
    options.memory = Some(1);
    let Err(Error::Memory { needed, .. }) = Plan::new(&options) else {
        panic!("a byte of memory is enough");
    };
    assert!(needed < whole, "{needed} {whole}");
    options.memory = Some(needed);
    generate(&options);
    assert_same_files(expected.path(), directory.path());
}

/// The materials that are solved ply by ply, and those whose values are brought about at all.
#[derive(Default)]
struct SolvedMaterials {
    by_plies: Mutex<BTreeSet<String>>,
    all: Mutex<Vec<String>>,
}

impl Observer for SolvedMaterials {
    fn started(&self, _: Material) {}
    fn advanced(&self, _: u64) {}
    fn ply(&self, material: Material, _: Metric, _: u32) {
        self.by_plies.lock().unwrap().insert(material.to_string());
    }
    fn finished(&self, _: Material, _: u64) {}
    fn spent(&self, material: Material, phase: Phase, _: Duration) {
        if phase == Phase::Solving {
            self.all.lock().unwrap().push(material.to_string());
        }
    }
}

#[test]
fn what_finished_tables_say_is_not_solved_again() {
    // Captures lead to a slice and to the same one mirrored, promotions to materials as they are
    // and with the colours exchanged.
    let directory = tempdir().unwrap();
    let mut options = options(directory.path(), &["KRvKP", "KBPvK", "KBvKN"]);
    options.metrics = vec![Metric::Wdl, Metric::Dtz];
    generate(&options);
    let expected = files(directory.path());
    for engine in [Engine::Together, Engine::Chains] {
        for (name, metric) in [
            ("KRvKP", Metric::Dtz),
            ("KBPvK", Metric::Wdl),
            ("KBvKN", Metric::Dtz),
        ] {
            fs::remove_file(directory.path().join(format!("{name}.{metric}"))).unwrap();
        }
        options.engine = Some(engine);
        let plan = Plan::new(&options).unwrap();
        assert!(plan.steps().count() > 3, "nothing has to be read");
        let solved = SolvedMaterials::default();
        plan.run(&AtomicBool::new(false), &solved).unwrap();
        let by_plies = solved.by_plies.into_inner().unwrap();
        assert!(
            by_plies.iter().eq(&["KBPvK", "KBvKN", "KRvKP"]),
            "{by_plies:?}"
        );
        // The time that is left follows from that.
        let mut all = solved.all.into_inner().unwrap();
        all.sort();
        let mut steps: Vec<String> = plan.steps().map(|step| step.material.to_string()).collect();
        steps.sort();
        assert_eq!(all, steps, "{engine:?}");
        assert!(files(directory.path()) == expected, "{engine:?}");
    }
}

#[test]
fn a_second_plan_is_empty() {
    let directory = tempdir().unwrap();
    let options = options(directory.path(), &THREE_MEN);
    assert_eq!(Plan::new(&options).unwrap().present(), 0);
    assert_eq!(generate(&options), 15);
    let again = Plan::new(&options).unwrap();
    assert!(again.is_empty());
    assert_eq!((again.present(), again.work()), (5, 0));
    let before = files(directory.path());
    assert_eq!(generate(&options), 0);
    assert!(before == files(directory.path()));
}

#[test]
fn a_cancelled_generation_leaves_whole_files_and_is_carried_on() {
    let whole = tempdir().unwrap();
    generate(&options(whole.path(), &THREE_MEN));
    let expected = files(whole.path());
    let mut seen_partial = false;
    for event in 0.. {
        let directory = tempdir().unwrap();
        let options = options(directory.path(), &THREE_MEN);
        let cancel = AtomicBool::new(false);
        let observer = CancelAt {
            event,
            seen: AtomicUsize::new(0),
            cancel: &cancel,
        };
        let result = with_threads(1, || Plan::new(&options).unwrap().run(&cancel, &observer));
        if !cancel.load(Ordering::Relaxed) {
            // Past the last event: nothing was stopped.
            assert_eq!(result.unwrap().files, 15);
            break;
        }
        let left = files(directory.path());
        // The last event comes when all is done.
        assert!(matches!(result, Err(Error::Cancelled)) || left.len() == 15);
        for (name, bytes) in &left {
            assert!(
                expected.get(name) == Some(bytes),
                "{name} after event {event}"
            );
        }
        seen_partial |= !left.is_empty() && left.len() < 15;
        assert_eq!(generate(&options), 15 - left.len());
        assert_same_files(directory.path(), whole.path());
    }
    assert!(seen_partial);
}

#[test]
fn a_truncated_or_missing_file_is_planned_again_and_the_others_are_kept() {
    let directory = tempdir().unwrap();
    let options = options(directory.path(), &THREE_MEN);
    generate(&options);
    let expected = files(directory.path());
    let material: Material = "KRvK".parse().unwrap();
    let truncated = table_path(directory.path(), &material, Metric::Dtz);
    let bytes = fs::read(&truncated).unwrap();
    fs::write(&truncated, &bytes[..bytes.len() / 2]).unwrap();
    assert!(Table::open(&truncated).is_err());
    fs::remove_file(table_path(directory.path(), &material, Metric::Dtm)).unwrap();
    let plan = Plan::new(&options).unwrap();
    let planned: Vec<_> = plan
        .steps()
        .map(|step| (step.material, step.metrics.clone()))
        .collect();
    assert_eq!(planned, [(material, vec![Metric::Dtz, Metric::Dtm])]);
    assert_eq!(plan.present(), 4);
    assert_eq!(generate(&options), 2);
    assert!(expected == files(directory.path()));
}

#[test]
fn a_file_of_another_material_under_the_name_is_planned_again() {
    let directory = tempdir().unwrap();
    let options = options(directory.path(), &["KQvK", "KRvK"]);
    generate(&options);
    let path = |signature: &str| {
        table_path(
            directory.path(),
            &signature.parse::<Material>().unwrap(),
            Metric::Wdl,
        )
    };
    fs::copy(path("KQvK"), path("KRvK")).unwrap();
    let plan = Plan::new(&options).unwrap();
    let planned: Vec<_> = plan
        .steps()
        .map(|step| (step.material.to_string(), step.metrics.clone()))
        .collect();
    assert_eq!(planned, [("KRvK".to_owned(), vec![Metric::Wdl])]);
}

#[test]
fn what_a_missing_material_leads_to_is_planned_but_not_written_again() {
    let directory = tempdir().unwrap();
    generate(&options(directory.path(), &["KQvK", "KRvK"]));
    let plan = Plan::new(&options(directory.path(), &["KQvKR"])).unwrap();
    let mut planned: Vec<_> = plan
        .steps()
        .map(|step| (step.material.to_string(), step.metrics.len()))
        .collect();
    planned.sort();
    let expected = [("KQvK", 0), ("KQvKR", 3), ("KRvK", 0)];
    assert_eq!(
        planned,
        expected.map(|(name, files)| (name.to_owned(), files))
    );
}

#[test]
fn a_memory_limit_below_the_need_is_an_error_that_names_both() {
    let directory = tempdir().unwrap();
    let mut options = options(directory.path(), &["KQvKR"]);
    let needed = Plan::new(&options).unwrap().peak_memory();
    options.memory = Some(needed);
    assert!(Plan::new(&options).is_ok());
    options.memory = Some(needed - 1);
    let error = Plan::new(&options).unwrap_err();
    assert!(
        matches!(error, Error::Memory { needed: n, limit } if n == needed && limit == needed - 1)
    );
    let message = error.to_string();
    assert!(
        message.contains(&format!("{} MiB", needed.div_ceil(1 << 20))),
        "{message}"
    );
    assert!(
        message.contains("allow more or ask for fewer men"),
        "{message}"
    );
}

#[test]
fn estimated_sizes_are_about_what_is_written() {
    let directory = tempdir().unwrap();
    // Each kind of material that the estimate tells apart, and what they lead to.
    let mut options = options(directory.path(), &["KQvKR", "KRPvK", "KPvKP"]);
    options.compression = Compression::Default;
    let plan = Plan::new(&options).unwrap();
    let estimate = plan.estimate();
    let written = plan.run(&AtomicBool::new(false), &()).unwrap().bytes;
    assert!(
        (written / 2..=written * 2).contains(&estimate.bytes),
        "{} bytes estimated, {written} written",
        estimate.bytes
    );
    assert!(Plan::new(&options).unwrap().estimate().bytes == 0);
}

#[test]
fn estimates_grow_with_the_work_and_shrink_with_threads() {
    let directory = tempdir().unwrap();
    let estimate = |metrics: &[Metric], compression, threads| {
        let mut options = options(directory.path(), &["KRPvKR"]);
        options.metrics = metrics.to_vec();
        options.compression = compression;
        with_threads(threads, || Plan::new(&options).unwrap().estimate())
    };
    let default = Compression::Default;
    let all = estimate(&Metric::ALL, default, 1);
    assert!(all.seconds == all.core_seconds);
    let results = estimate(&[Metric::Wdl], default, 1);
    assert!(results.bytes < all.bytes && results.seconds < all.seconds);
    let small = estimate(&Metric::ALL, Compression::Small, 1);
    assert!(small.bytes < all.bytes && small.seconds > all.seconds);
    let fast = estimate(&Metric::ALL, Compression::Fast, 1);
    assert!(fast.bytes > all.bytes && fast.seconds < all.seconds);
    let shared = estimate(&Metric::ALL, default, 2);
    assert_eq!(shared.core_seconds, all.core_seconds);
    assert!(shared.seconds < all.seconds);
}
