use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

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

/// Every file of a directory with its bytes.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(directory) else {
        return BTreeMap::new();
    };
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// The names of two directories' files, and those that differ.
fn assert_same(ours: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
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

#[test]
fn a_killed_generation_is_carried_on_to_the_same_bytes() {
    let whole = Place::new();
    let start = Instant::now();
    assert_eq!(whole.run(GENERATE).0, 0);
    let duration = start.elapsed();
    let expected = files(&whole.path("tables"));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut leftovers = 0;
    let mut killed = 0;
    for round in 0..4 {
        let place = Place::new();
        let tables = place.path("tables");
        for _ in 0..6 {
            let mut child = command(&place, &GENERATE).spawn().unwrap();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(duration.mul_f64((random % 1000) as f64 / 1000.0));
            // SIGKILL: nobody can clear up.
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
            for (name, bytes) in files(&tables) {
                match expected.get(&name) {
                    Some(expected) => assert!(&bytes == expected, "round {round}: {name}"),
                    None => {
                        assert!(name.ends_with(".part"), "round {round}: {name}");
                        leftovers += 1;
                    }
                }
            }
        }
        let (status, _, err) = place.run(GENERATE);
        assert_eq!((status, err.as_str()), (0, ""));
        assert_same(&files(&tables), &expected);
    }
    assert!(killed > 0);
    eprintln!("killed {killed} times, {leftovers} unfinished files seen");
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
    let place = Place::new();
    let mut other = command(&place, &GENERATE).spawn().unwrap();
    let (status, _, err) = place.run(GENERATE);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(other.wait().unwrap().success());
    let whole = Place::new();
    whole.run(GENERATE);
    assert_same(&files(&place.path("tables")), &files(&whole.path("tables")));
}

/// The one line of complaint of a generation that cannot write.
fn complaint(output: &std::process::Output) -> String {
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
