//! Generation of xiangqi tables: what counts as there, what a stopped generation leaves, and what
//! the bytes depend on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use retrograde::Error;
use retrograde::generate::{GenerateOptions, Observer, Plan};
use retrograde::table::Table;
use retrograde::tables::rules_directory;
use retrograde::xiangqi::{HAS_ROUNDS, Material, Metric, Rules, Xiangqi};
use tempfile::tempdir;

use super::tables::{contents, generate, options, table_path};

const RULES: Rules = Rules::PerpetualCheck;

/// Reads two other materials, and has rounds.
const READER: &str = "KRvKN";

fn path(directory: &Path, metric: Metric) -> PathBuf {
    table_path(directory, RULES, &READER.parse().unwrap(), metric)
}

fn files(directory: &Path, rules: Rules) -> BTreeMap<String, Vec<u8>> {
    contents(&rules_directory::<Xiangqi>(directory, rules))
}

fn run(options: &GenerateOptions<Xiangqi>) -> usize {
    let plan = Plan::new(options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap().files
}

/// The metrics that are to be written again of each material that is to be solved.
fn missing(directory: &Path) -> Vec<(String, Vec<Metric>)> {
    let plan = Plan::new(&options(directory, &[READER], RULES)).unwrap();
    let steps = plan.steps();
    let missing = steps.map(|step| (step.material.to_string(), step.metrics.clone()));
    missing.filter(|(_, metrics)| !metrics.is_empty()).collect()
}

#[test]
fn a_damaged_or_missing_file_is_made_again() {
    let directory = tempdir().unwrap();
    let directory = directory.path();
    generate(directory, &[READER], RULES);
    let expected = files(directory, RULES);
    assert_eq!(missing(directory), []);
    let only = |metrics: &[Metric]| vec![(READER.to_owned(), metrics.to_vec())];
    for metric in [Metric::Dtc, Metric::Rounds] {
        let path = path(directory, metric);
        let whole = fs::read(&path).unwrap();
        // A bit in the header, in blocks, and in the directory of blocks.
        for at in [20, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            assert_eq!(missing(directory), only(&[metric]), "{metric} {at}");
        }
        generate(directory, &[READER], RULES);
        assert!(files(directory, RULES) == expected, "{metric}");
        fs::remove_file(&path).unwrap();
        assert_eq!(missing(directory), only(&[metric]));
        assert_eq!(generate(directory, &[READER], RULES).files, 1);
        assert!(files(directory, RULES) == expected, "{metric}");
    }
    // Whether there are rounds is known from the results; without them they are made together.
    fs::remove_file(path(directory, Metric::Wdl)).unwrap();
    assert_eq!(generate(directory, &[READER], RULES).files, 2);
    assert!(files(directory, RULES) == expected);
}

#[test]
fn results_say_whether_there_are_rounds() {
    let directory = tempdir().unwrap();
    generate(directory.path(), &[READER], RULES);
    for signature in ["KRvK", "KNvK", READER] {
        let material: Material = signature.parse().unwrap();
        let path = |metric| table_path(directory.path(), RULES, &material, metric);
        let flags = Table::open(&path(Metric::Wdl)).unwrap().description().flags;
        let has_rounds = path(Metric::Rounds).exists();
        assert_eq!(flags & HAS_ROUNDS != 0, has_rounds, "{signature}");
        assert_eq!(has_rounds, signature == READER);
    }
}

#[test]
fn threads_memory_and_work_files_do_not_change_the_bytes() {
    for rules in Rules::ALL {
        let expected = tempdir().unwrap();
        generate(expected.path(), &["KRvKN", "KCvKAB"], rules);
        let expected = files(expected.path(), rules);
        for threads in [1, 3] {
            let directory = tempdir().unwrap();
            let mut options = options(directory.path(), &["KRvKN", "KCvKAB"], rules);
            options.memory = Some(1);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let Err(Error::Memory { needed, .. }) = Plan::new(&options) else {
                    panic!("a byte of memory is enough");
                };
                options.memory = Some(needed);
                options.men_in_memory = 2;
                run(&options);
            });
            assert!(files(directory.path(), rules) == expected, "{threads}");
            assert!(
                !rules_directory::<Xiangqi>(directory.path(), rules)
                    .join(".work")
                    .exists()
            );
        }
    }
}

/// Stops a generation when a material begins.
struct StopAt<'a> {
    material: Material,
    cancel: &'a AtomicBool,
}

impl Observer<Xiangqi> for StopAt<'_> {
    fn started(&self, material: Material) {
        if material == self.material {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
    fn advanced(&self, _: u64) {}
    fn finished(&self, _: Material, _: u64) {}
}

#[test]
fn a_stopped_generation_finds_what_was_left_and_clears_up() {
    let directory = tempdir().unwrap();
    let mut options = options(directory.path(), &[READER], RULES);
    options.men_in_memory = 2;
    let cancel = AtomicBool::new(false);
    let stop = StopAt {
        material: READER.parse().unwrap(),
        cancel: &cancel,
    };
    let stopped = Plan::new(&options).unwrap().run(&cancel, &stop);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    let own = rules_directory::<Xiangqi>(directory.path(), RULES);
    let mut views: Vec<String> = contents(&own.join(".work")).into_keys().collect();
    views.sort();
    assert_eq!(views, ["KNvK.signs.view", "KRvK.signs.view"]);
    fs::write(own.join(".KRvKN.dtc.a1B2c3.part"), "unfinished").unwrap();
    fs::write(own.join(".work").join(".KRvK.a1B2c3.part"), "unfinished").unwrap();
    // Neither KRvK nor KNvK is solved again; a damaged view is.
    assert_eq!(Plan::new(&options).unwrap().steps().count(), 1);
    let view = own.join(".work").join(&views[0]);
    let mut bytes = fs::read(&view).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&view, bytes).unwrap();
    assert_eq!(Plan::new(&options).unwrap().steps().count(), 2);
    run(&options);
    let whole = tempdir().unwrap();
    generate(whole.path(), &[READER], RULES);
    assert!(!own.join(".work").exists());
    assert!(files(directory.path(), RULES) == files(whole.path(), RULES));
}
