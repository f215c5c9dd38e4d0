//! Materials that were begun and not finished: gone on with after the last ply or slice, to the
//! same bytes, with nothing left; and begun anew where anything of what is left is damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use retrograde::Error;
use retrograde::chess::material::Material;
use retrograde::chess::solve::Engine;
use retrograde::game::TableGame;
use retrograde::generate::{DoneBefore, Generate, GenerateOptions, Observer, Plan, ScratchInUse};
use retrograde::metric::Metric;
use retrograde::xiangqi::Rules;
use tempfile::{TempDir, tempdir};

use crate::generate::{self, files, with_threads};

/// How materials are solved so that somebody can go on with them.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Ply by ply.
    Chains,
    /// Slice by slice, each at once.
    Slices,
}

fn options(directory: &Path, signatures: &[&str], way: Way) -> GenerateOptions {
    let (engine, men_in_files) = match way {
        Way::Chains => (Engine::Chains, 6),
        Way::Slices => (Engine::Together, 3),
    };
    GenerateOptions {
        engine: Some(engine),
        men_in_files,
        men_in_memory: 2,
        ..generate::options(directory, signatures)
    }
}

/// Counts, and sets a flag at some event: a ply, a slice, a file that is begun.
#[derive(Debug, Default)]
struct Told {
    /// Whether plies of materials without pawns are counted: those that go on.
    with_all: bool,
    cancel_at: Option<usize>,
    cancel: AtomicBool,
    events: AtomicUsize,
    plies: AtomicUsize,
    /// Plies until something was done that is never done again.
    done_plies: AtomicUsize,
    goes_on: AtomicUsize,
}

impl Told {
    fn count(&self) {
        if Some(self.events.fetch_add(1, Ordering::Relaxed)) == self.cancel_at {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn is_done(&self) {
        let plies = self.plies.load(Ordering::Relaxed);
        self.done_plies.store(plies, Ordering::Relaxed);
    }

    fn plies(&self) -> usize {
        self.plies.load(Ordering::Relaxed)
    }
}

impl Observer for Told {
    fn started(&self, _: Material) {}

    fn advanced(&self, _: u64) {
        self.is_done();
        self.count();
    }

    fn ply(&self, material: Material, _: Metric, _: u32) {
        if self.with_all || material.has_pawns() {
            self.plies.fetch_add(1, Ordering::Relaxed);
        }
        self.count();
    }

    fn goes_on(&self, _: Material, _: DoneBefore) {
        self.goes_on.fetch_add(1, Ordering::Relaxed);
    }

    fn writing(&self, _: Material, _: Metric) {
        self.count();
    }

    fn finished(&self, _: Material, _: u64) {
        self.count();
    }
}

/// Runs on one thread, and stops at an event if one is given.
fn run(options: &GenerateOptions, cancel_at: Option<usize>) -> (Told, Result<(), Error>) {
    let told = Told {
        with_all: options.engine == Some(Engine::Chains),
        cancel_at,
        ..Told::default()
    };
    let plan = Plan::new(options).unwrap();
    let result = with_threads(1, || plan.run(&told.cancel, &told));
    (told, result.map(|_| ()))
}

/// Nothing more and nothing less than the tables is there.
fn assert_finished(directory: &Path, expected: &BTreeMap<String, Vec<u8>>, context: &str) {
    assert!(!directory.join(".work").exists(), "{context}");
    let files = files(directory);
    assert!(files.keys().eq(expected.keys()), "{context}");
    for (name, bytes) in &files {
        assert!(bytes == &expected[name], "{context}: {name} differs");
    }
}

/// Stops at every `step`-th event and goes on. No ply is done twice that was done when it stopped.
fn stop_everywhere(signatures: &[&str], way: Way, step: usize) {
    let whole = tempdir().unwrap();
    let in_memory = generate::options(whole.path(), signatures);
    generate::generate(&in_memory);
    let expected = files(whole.path());
    let undisturbed = tempdir().unwrap();
    let (all, result) = run(&options(undisturbed.path(), signatures, way), None);
    result.unwrap();
    assert_finished(undisturbed.path(), &expected, "undisturbed");
    assert_eq!(all.goes_on.load(Ordering::Relaxed), 0);
    let events = all.events.load(Ordering::Relaxed);
    let mut gone_on = 0;
    for event in (0..events).step_by(step) {
        let context = format!("{signatures:?}, {way:?}: event {event} of {events}");
        let directory = tempdir().unwrap();
        let options = options(directory.path(), signatures, way);
        let (before, result) = run(&options, Some(event));
        // The last two events come when all is done.
        assert!(
            matches!(result, Err(Error::Cancelled)) || event + 2 >= events,
            "{context}: {result:?}"
        );
        let (after, result) = run(&options, None);
        result.unwrap();
        assert_finished(directory.path(), &expected, &context);
        let done = match way {
            Way::Chains => before.plies(),
            Way::Slices => before.done_plies.load(Ordering::Relaxed),
        };
        assert_eq!(after.plies(), all.plies() - done, "{context}");
        gone_on += after.goes_on.load(Ordering::Relaxed);
    }
    assert!(gone_on > 0);
}

#[test]
fn a_material_goes_on_after_every_ply() {
    stop_everywhere(&["KRvK"], Way::Chains, 1);
}

#[test]
fn a_material_that_is_its_own_image_goes_on() {
    let is_full = std::env::var_os("RETROGRADE_FULL").is_some();
    stop_everywhere(&["KNvKN"], Way::Chains, if is_full { 7 } else { 61 });
}

#[test]
fn slices_go_on_after_plies_and_slices() {
    let is_full = std::env::var_os("RETROGRADE_FULL").is_some();
    stop_everywhere(&["KPvK"], Way::Chains, if is_full { 10 } else { 313 });
    stop_everywhere(&["KPvK"], Way::Slices, if is_full { 3 } else { 97 });
    // With views for others that are put together slice by slice.
    stop_everywhere(&["KNvKP"], Way::Slices, if is_full { 97 } else { 2003 });
}

/// What a run leaves that is stopped at an event: each file with its bytes.
fn left_by(signatures: &[&str], way: Way, event: usize) -> (TempDir, BTreeMap<PathBuf, Vec<u8>>) {
    let directory = tempdir().unwrap();
    let options = options(directory.path(), signatures, way);
    let (_, result) = run(&options, Some(event));
    assert!(matches!(result, Err(Error::Cancelled)));
    let left = files(&directory.path().join(".work"));
    let left = left.into_iter();
    let left = left.map(|(name, bytes)| (directory.path().join(".work").join(name), bytes));
    let left: BTreeMap<PathBuf, Vec<u8>> = left.collect();
    let begun = left.keys().filter(|path| is_begun(path)).count();
    assert!(begun > 0, "nothing was begun at event {event}");
    (directory, left)
}

fn is_begun(path: &Path) -> bool {
    let kind = path.extension().and_then(|kind| kind.to_str());
    matches!(kind, Some("journal" | "scratch"))
}

/// Damages each file of work that was begun in many places, and finishes each time.
fn damage_everywhere(signatures: &[&str], way: Way, event: usize, places: usize) {
    let whole = tempdir().unwrap();
    generate::generate(&generate::options(whole.path(), signatures));
    let expected = files(whole.path());
    let (directory, left) = left_by(signatures, way, event);
    let tables = files(&{
        fs::remove_dir_all(directory.path().join(".work")).unwrap();
        directory.path().to_owned()
    });
    let finish = |changed: &BTreeMap<PathBuf, Vec<u8>>, context: &str| {
        fs::remove_dir_all(directory.path()).unwrap();
        fs::create_dir_all(directory.path().join(".work")).unwrap();
        for (name, bytes) in &tables {
            fs::write(directory.path().join(name), bytes).unwrap();
        }
        for (path, bytes) in changed {
            fs::write(path, bytes).unwrap();
        }
        let (told, result) = run(&options(directory.path(), signatures, way), None);
        result.unwrap_or_else(|error| panic!("{context}: {error}"));
        assert_finished(directory.path(), &expected, context);
        told
    };
    let goes_on = finish(&left, "as it was left");
    assert!(goes_on.goes_on.load(Ordering::Relaxed) > 0);
    for (path, bytes) in left.iter().filter(|(path, _)| is_begun(path)) {
        let name = path.file_name().unwrap().to_string_lossy();
        let step = (bytes.len() / places).max(1);
        let places = (0..bytes.len()).step_by(step).chain([bytes.len() - 1]);
        for at in places {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            for (what, damaged) in [("bit", flipped), ("end", bytes[..at].to_vec())] {
                let mut changed = left.clone();
                changed.insert(path.clone(), damaged);
                finish(&changed, &format!("{name}: {what} {at}"));
            }
        }
        let mut changed = left.clone();
        changed.insert(path.clone(), [&bytes[..], &[0; 100]].concat());
        finish(&changed, &format!("{name}: longer"));
        changed.remove(path);
        finish(&changed, &format!("{name}: gone"));
        // That of something else.
        if let Some((_, other)) = left
            .iter()
            .find(|(other, _)| *other != path && other.extension() == path.extension())
        {
            changed.insert(path.clone(), other.clone());
            finish(&changed, &format!("{name}: another"));
        }
    }
}

#[test]
fn damaged_work_is_never_gone_on_with() {
    let is_full = std::env::var_os("RETROGRADE_FULL").is_some();
    let places = if is_full { 1000 } else { 12 };
    damage_everywhere(&["KRvK"], Way::Chains, 64, places);
    damage_everywhere(&["KPvK"], Way::Chains, 1000, places / 4);
    damage_everywhere(&["KPvK"], Way::Slices, 640, places / 4);
    if is_full {
        damage_everywhere(&["KNvKP"], Way::Slices, 900, 3);
    }
}

#[test]
fn work_is_gone_on_with_where_scratch_files_go() {
    let signatures = ["KRvK"];
    let (directory, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let options = GenerateOptions {
        scratch: Some(scratch.path().to_owned()),
        ..options(directory.path(), &signatures, Way::Chains)
    };
    let (before, _) = run(&options, Some(50));
    assert_eq!(files(scratch.path()).len(), 2);
    // Without distances to mate it is another solution, and begins anew.
    let elsewhere = tempdir().unwrap();
    let without_mates = GenerateOptions {
        directory: elsewhere.path().to_owned(),
        metrics: vec![Metric::Dtz],
        ..options.clone()
    };
    let copy = files(scratch.path());
    let (anew, result) = run(&without_mates, None);
    result.unwrap();
    assert_eq!(anew.goes_on.load(Ordering::Relaxed), 0);
    assert_eq!(files(scratch.path()).len(), 0);
    for (name, bytes) in copy {
        fs::write(scratch.path().join(name), bytes).unwrap();
    }
    let (after, result) = run(&options, None);
    result.unwrap();
    assert!(after.goes_on.load(Ordering::Relaxed) > 0);
    assert_eq!(files(scratch.path()).len(), 0);
    let (all, _) = run(
        &self::options(tempdir().unwrap().path(), &signatures, Way::Chains),
        None,
    );
    assert_eq!(before.plies() + after.plies(), all.plies());
}

#[test]
fn views_that_are_made_again_are_the_same() {
    // Those of three and four men are in memory; they are solved again, or read back from finished
    // tables.
    for (signature, way) in [("KRvKN", Way::Chains), ("KRvKP", Way::Slices)] {
        let (whole, directory) = (tempdir().unwrap(), tempdir().unwrap());
        generate::generate(&generate::options(whole.path(), &[signature]));
        let material: Material = signature.parse().unwrap();
        let mut options = options(directory.path(), &[signature], way);
        options.men_in_memory = 4;
        if let Way::Slices = way {
            options.men_in_files = 4;
        }
        let cancel = AtomicBool::new(false);
        let observer = InMaterial {
            material,
            cancel: &cancel,
            left: AtomicUsize::new(match way {
                Way::Chains => 20,
                Way::Slices => 500,
            }),
            goes_on: AtomicUsize::new(0),
        };
        let run = || Plan::new(&options).unwrap().run(&cancel, &observer);
        assert!(matches!(with_threads(2, run), Err(Error::Cancelled)));
        cancel.store(false, Ordering::Relaxed);
        with_threads(1, run).unwrap();
        assert!(observer.goes_on.load(Ordering::Relaxed) > 0, "{signature}");
        assert_finished(directory.path(), &files(whole.path()), signature);
    }
}

/// Sets a flag after some plies of one material, once.
struct InMaterial<'a> {
    material: Material,
    cancel: &'a AtomicBool,
    left: AtomicUsize,
    goes_on: AtomicUsize,
}

impl Observer for InMaterial<'_> {
    fn started(&self, _: Material) {}
    fn advanced(&self, _: u64) {}
    fn finished(&self, _: Material, _: u64) {}

    fn ply(&self, material: Material, _: Metric, _: u32) {
        if material == self.material && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn goes_on(&self, material: Material, _: DoneBefore) {
        let is_this = material == self.material;
        self.goes_on.fetch_add(is_this.into(), Ordering::Relaxed);
    }
}

#[test]
fn two_generations_begin_the_same_material() {
    for way in [Way::Chains, Way::Slices] {
        let signatures = ["KPvK"];
        let whole = tempdir().unwrap();
        generate::generate(&generate::options(whole.path(), &signatures));
        let expected = files(whole.path());
        let directory = tempdir().unwrap();
        let options = options(directory.path(), &signatures, way);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| with_threads(2, || generate::generate(&options)));
            }
        });
        assert_finished(directory.path(), &expected, "all at once");
    }
}

/// Compares at every ply, slice and file what is said to be in use with what is there.
struct InUse {
    in_use: ScratchInUse,
    /// The directories of scratch files and of work files, which may be one.
    directories: BTreeSet<PathBuf>,
    most_scratch: AtomicU64,
    most: AtomicU64,
}

impl InUse {
    fn compare(&self) {
        let bytes_of = |kinds: &[&str]| -> u64 {
            let entries = (self.directories.iter()).filter_map(|path| fs::read_dir(path).ok());
            let paths = entries.flatten().map(|entry| entry.unwrap().path());
            let meant = paths.filter(|path| {
                let kind = path.extension().and_then(|kind| kind.to_str());
                kind.is_some_and(|kind| kinds.contains(&kind))
            });
            meant.map(|path| fs::metadata(path).unwrap().len()).sum()
        };
        let bytes = bytes_of(&["scratch", "view", "part"]);
        assert_eq!(self.in_use.bytes(), bytes);
        self.most.fetch_max(bytes, Ordering::Relaxed);
        let scratch = bytes_of(&["scratch"]);
        self.most_scratch.fetch_max(scratch, Ordering::Relaxed);
    }
}

impl<G: TableGame> Observer<G> for InUse {
    fn started(&self, _: G::Material) {}

    fn advanced(&self, _: u64) {
        self.compare();
    }

    fn ply(&self, _: G::Material, _: G::Metric, _: u32) {
        self.compare();
    }

    fn writing(&self, _: G::Material, _: G::Metric) {
        self.compare();
    }

    fn finished(&self, _: G::Material, _: u64) {}
}

/// Runs a plan of one game; the most bytes that were in use, and those of scratch files.
fn most_in_use<G: Generate>(options: &GenerateOptions<G>, work: &Path) -> (u64, u64, u64) {
    let plan = Plan::new(options).unwrap();
    let scratch = options.scratch.clone().unwrap_or_else(|| work.to_owned());
    let observer = InUse {
        in_use: plan.scratch_in_use(),
        directories: BTreeSet::from([scratch, work.to_owned()]),
        most_scratch: AtomicU64::new(0),
        most: AtomicU64::new(0),
    };
    with_threads(1, || plan.run(&AtomicBool::new(false), &observer)).unwrap();
    assert_eq!(observer.in_use.bytes(), 0);
    let [most, scratch] = [observer.most, observer.most_scratch].map(AtomicU64::into_inner);
    (most, scratch, plan.scratch())
}

#[test]
fn scratch_in_use_is_what_scratch_and_work_files_have() {
    for (signature, way) in [("KRvKN", Way::Chains), ("KRvKP", Way::Slices)] {
        let (directory, scratch) = (tempdir().unwrap(), tempdir().unwrap());
        let options = GenerateOptions {
            scratch: Some(scratch.path().to_owned()),
            ..options(directory.path(), &[signature], way)
        };
        let work = directory.path().join(".work");
        let (most, most_scratch, promised) = most_in_use(&options, &work);
        assert!(most > most_scratch && most_scratch > 0, "{signature}");
        assert!(most_scratch <= promised, "{signature}: {most_scratch}");
    }
    // Work files alone: of chess in memory, and of the other game.
    let directory = tempdir().unwrap();
    let options = GenerateOptions {
        men_in_memory: 2,
        ..generate::options(directory.path(), &["KRvKN"])
    };
    let (most, scratch, _) = most_in_use(&options, &directory.path().join(".work"));
    assert!(most > 0 && scratch == 0);
    let directory = tempdir().unwrap();
    let options = GenerateOptions {
        men_in_memory: 2,
        ..GenerateOptions::xiangqi(
            directory.path(),
            vec!["KRvKN".parse().unwrap()],
            Rules::CyclesDraw,
        )
    };
    let work = directory
        .path()
        .join("xiangqi")
        .join("cycles-draw")
        .join(".work");
    let (most, scratch, _) = most_in_use(&options, &work);
    assert!(most > 0 && scratch == 0);
}
