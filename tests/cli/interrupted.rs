use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use retrograde::table::Table;

use super::Place;

/// Long enough to be killed in the middle, and with every kind of file.
const GENERATE: [&str; 7] = [
    "generate",
    "KRvKN",
    "KPvK",
    "--compression",
    "fast",
    "--tables",
    "tables",
];

/// The same kind of work, with everything that materials leave behind for others in work files.
const GENERATE_WITH_WORK_FILES: [&str; 8] = [
    "generate",
    "KRvKP",
    "--men-in-memory",
    "2",
    "--compression",
    "fast",
    "--tables",
    "tables",
];

/// What six men do: materials go on in their middle.
const GENERATE_IN_SCRATCH_FILES: [&str; 11] = [
    "generate",
    "KRvKN",
    "KPvK",
    "--engine",
    "chains",
    "--men-in-memory",
    "2",
    "--compression",
    "fast",
    "--tables",
    "tables",
];

/// Xiangqi, with a table of rounds and with work files.
const GENERATE_XIANGQI: [&str; 10] = [
    "generate",
    "--game",
    "xiangqi",
    "KRvKN",
    "--men-in-memory",
    "2",
    "--compression",
    "fast",
    "--tables",
    "tables",
];

/// Where the xiangqi tables are that are made if nothing is said of rules.
const XIANGQI_TABLES: &str = "tables/xiangqi/perpetual-check";

/// Every file of a directory with its bytes; not what is in directories below.
pub fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(directory) else {
        return BTreeMap::new();
    };
    entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// The names of two directories' files, and those that differ.
pub fn assert_same(ours: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(ours), names(expected));
    for (name, bytes) in ours {
        assert!(bytes == &expected[name], "{name} differs");
    }
}

/// The program as an ordinary child, which can be killed.
fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new(place.retrograde([]).get_program());
    command
        .current_dir(place.path(""))
        .env_remove("RETROGRADE_TABLES")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What was seen when generations were killed.
#[derive(Debug, Default)]
struct Seen {
    killed: usize,
    unfinished: usize,
    work_files: usize,
}

/// Kills a command at moments that follow from `seed`, runs it to its end, and compares what it has
/// written with what it writes without interruption: the tables that are returned. There are more
/// rounds than `rounds` while what was to be seen has not been: which moments are in the middle
/// depends on how busy the machine is.
fn kill_and_carry_on(
    arguments: &[&str],
    directory: &str,
    with_work_files: bool,
    rounds: usize,
    kills: usize,
    seed: u64,
) -> BTreeMap<String, Vec<u8>> {
    let whole = Place::new();
    let start = Instant::now();
    assert_eq!(whole.run(arguments.iter().copied()).0, 0);
    // On a busy machine the first run says little about the others.
    let duration = start.elapsed().min(Duration::from_secs(3));
    let expected = files(&whole.path(directory));
    let mut random = seed;
    let mut seen = Seen::default();
    for round in 0..20 * rounds {
        let is_enough = seen.killed > 0 && (seen.work_files > 0 || !with_work_files);
        if round >= rounds && is_enough {
            break;
        }
        let place = Place::new();
        let tables = place.path(directory);
        for kill in 0..kills {
            let context = format!("seed {seed:#x}, round {round}, kill {kill}");
            let mut child = command(&place, arguments).spawn().unwrap();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(duration.mul_f64((random % 1000) as f64 / 1000.0));
            // SIGKILL: nobody can clear up.
            child.kill().unwrap();
            seen.killed += usize::from(!child.wait().unwrap().success());
            for (name, bytes) in files(&tables) {
                match expected.get(&name) {
                    Some(expected) => {
                        assert!(&bytes == expected, "{context}: {name}");
                        let table = Table::open(&tables.join(&name)).unwrap();
                        table.verify_checksums(&|_, _| true).unwrap();
                    }
                    None => {
                        assert!(name.ends_with(".part"), "{context}: {name}");
                        seen.unfinished += 1;
                    }
                }
            }
            seen.work_files += files(&tables.join(".work")).len();
        }
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!((status, err.as_str()), (0, ""));
        assert_same(&files(&tables), &expected);
        assert!(!tables.join(".work").exists());
    }
    assert!(seen.killed > 0 && (seen.work_files > 0 || !with_work_files));
    eprintln!("{seen:?}");
    expected
}

#[test]
fn a_killed_generation_is_carried_on_to_the_same_bytes() {
    kill_and_carry_on(&GENERATE, "tables", false, 4, 6, 0x9e37_79b9_7f4a_7c15);
}

#[test]
fn a_killed_generation_with_work_files_is_carried_on_to_the_same_bytes() {
    let seed = 0x2545_f491_4f6c_dd1d;
    let with_work_files = kill_and_carry_on(&GENERATE_WITH_WORK_FILES, "tables", true, 2, 4, seed);
    let place = Place::new();
    let [command, material, _, _, rest @ ..] = GENERATE_WITH_WORK_FILES;
    let in_memory = [&[command, material][..], &rest].concat();
    assert_eq!(place.run(in_memory).0, 0);
    assert_same(&files(&place.path("tables")), &with_work_files);
}

#[test]
fn a_killed_generation_in_scratch_files_is_carried_on_to_the_same_bytes() {
    let arguments = GENERATE_IN_SCRATCH_FILES;
    let seed = 0x6a09_e667_f3bc_c908;
    let in_scratch_files = kill_and_carry_on(&arguments, "tables", true, 2, 6, seed);
    let place = Place::new();
    let [command, first, second, _, _, _, _, rest @ ..] = arguments;
    let in_memory = [&[command, first, second][..], &rest].concat();
    assert_eq!(place.run(in_memory).0, 0);
    assert_same(&files(&place.path("tables")), &in_scratch_files);
}

#[test]
fn a_stopped_generation_says_that_it_goes_on() {
    let arguments = GENERATE_IN_SCRATCH_FILES;
    let place = Place::new();
    // A journal of a material that is ended after some plies.
    for number in 0..500 {
        let wait = Duration::from_millis(20 + 7 * (number % 50));
        let mut child = command(&place, &arguments).spawn().unwrap();
        std::thread::sleep(wait);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            fs::remove_dir_all(place.path("tables")).unwrap();
            continue;
        }
        let left = files(&place.path("tables/.work"));
        if left
            .iter()
            .any(|(name, bytes)| name.ends_with(".journal") && bytes.len() > 5000)
        {
            break;
        }
    }
    let planned = place.run([&arguments[..], &["--dry-run"]].concat()).1;
    assert!(planned.contains("goes on with K"), "{planned}");
    let with_lines = [&arguments[..], &["--progress", "lines"]].concat();
    let (status, _, err) = place.run(with_lines);
    assert_eq!(status, 0);
    assert!(err.contains(" goes on after "), "{err}");
    assert!(!place.path("tables/.work").exists());
}

#[test]
fn a_killed_generation_of_xiangqi_is_carried_on_to_the_same_bytes() {
    let seed = 0x1405_7b7e_f767_814f;
    kill_and_carry_on(&GENERATE_XIANGQI, XIANGQI_TABLES, true, 1, 3, seed);
}

#[test]
fn only_what_nobody_writes_any_more_is_cleared_up() {
    let place = Place::with_tables();
    let tables = place.path("tables");
    let expected = files(&tables);
    for name in [
        ".KRvK.wdl.a1B2c3.part",
        ".KPvK.dtm.000000.part",
        ".KQvK.dtz.zzzzzz.part",
    ] {
        fs::write(tables.join(name), "unfinished").unwrap();
    }
    let kept = [
        ".notes.a1B2c3.part",
        "KRvK.wdl.part",
        ".KQvK.dtz.zzzzzz.part",
    ];
    fs::write(tables.join(kept[0]), "").unwrap();
    fs::write(tables.join(kept[1]), "").unwrap();
    let another_generation = File::open(tables.join(kept[2])).unwrap();
    another_generation.lock().unwrap();
    let generate = ["generate", "--men", "3", "--tables", "tables"];
    place.run([&generate[..], &["--dry-run"]].concat());
    assert_eq!(files(&tables).len(), expected.len() + 5);
    let (status, out, _) = place.run(generate);
    assert_eq!(status, 0);
    assert!(out.contains("nothing to do"), "{out}");
    let mut left = files(&tables);
    for name in kept {
        assert!(left.remove(name).is_some(), "{name}");
    }
    assert_same(&left, &expected);
    drop(another_generation);
    place.run(generate);
    assert!(!tables.join(kept[2]).exists());
}

#[test]
fn two_generations_in_one_directory_do_not_disturb_each_other() {
    let kinds = [
        &GENERATE[..],
        &GENERATE_WITH_WORK_FILES,
        &GENERATE_IN_SCRATCH_FILES,
    ];
    for arguments in kinds {
        let place = Place::new();
        let mut other = command(&place, arguments).spawn().unwrap();
        let (status, _, err) = place.run(arguments.iter().copied());
        assert_eq!((status, err.as_str()), (0, ""));
        assert!(other.wait().unwrap().success());
        assert!(!place.path("tables/.work").exists());
        let whole = Place::new();
        whole.run(arguments.iter().copied());
        assert_same(&files(&place.path("tables")), &files(&whole.path("tables")));
    }
}

/// The one line of complaint of a generation that cannot write.
pub fn complaint(output: &std::process::Output) -> String {
    let err = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(output.stdout.is_empty());
    assert_eq!(err.lines().count(), 1, "{err}");
    err
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let place = Place::with_tables();
    let tables = place.path("tables");
    fs::remove_file(tables.join("KRvK.dtz")).unwrap();
    let expected = files(&tables);
    fs::set_permissions(&tables, fs::Permissions::from_mode(0o555)).unwrap();
    let generate = |directory: &str| {
        place
            .retrograde(["generate", "KRvK", "--tables", directory])
            .output()
            .unwrap()
    };
    if File::create(tables.join("probe")).is_ok() {
        // Permissions do not bind the superuser; a place where nobody can make files does.
        fs::remove_file(tables.join("probe")).unwrap();
        if cfg!(target_os = "linux") {
            let complaint = complaint(&generate("/proc"));
            assert!(
                complaint.contains("cannot write /proc/KRvK."),
                "{complaint}"
            );
        }
    } else {
        let complaint = complaint(&generate("tables"));
        assert!(
            complaint.contains("cannot write tables/KRvK.dtz"),
            "{complaint}"
        );
        assert!(complaint.contains("ermission"), "{complaint}");
    }
    fs::set_permissions(&tables, fs::Permissions::from_mode(0o755)).unwrap();
    assert_same(&files(&tables), &expected);
    fs::write(place.path("file"), "").unwrap();
    let complaint = complaint(&generate("file"));
    assert!(
        complaint.contains("cannot use the directory file"),
        "{complaint}"
    );
}

#[test]
fn tables_that_are_all_there_can_be_read_only() {
    let place = Place::with_tables();
    let tables = place.path("tables");
    fs::set_permissions(&tables, fs::Permissions::from_mode(0o555)).unwrap();
    let (status, out, err) = place.run(["generate", "--men", "3", "--tables", "tables"]);
    fs::set_permissions(&tables, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("nothing to do"), "{out}");
}
