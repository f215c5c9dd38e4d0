//! What several ranks make is what one process makes. Run by `mpirun`; without it, or with one that
//! cannot start ranks here, the tests say so and pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Plan};

/// Seconds after which ranks that wait for each other are ended.
const PATIENCE: u32 = 300;

/// Runs the program by so many ranks.
fn by_ranks(count: usize, arguments: &[&str]) -> Output {
    let mut command = ranks(count, arguments);
    command.output().expect("`timeout` is part of every system")
}

/// The command that runs the program by so many ranks.
fn ranks(count: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.args([&PATIENCE.to_string(), "mpirun", "-n", &count.to_string()]);
    let version = Command::new("mpirun").arg("--version").output();
    if version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("Open MPI")) {
        // More ranks than processors, and in containers the user is often root.
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    command
        .arg(env!("CARGO_BIN_EXE_retrograde-mpi"))
        .args(arguments);
    command
}

fn is_there() -> bool {
    let version = Command::new("mpirun").arg("--version").output();
    let is_there = version.is_ok_and(|version| version.status.success());
    if !is_there {
        eprintln!("no mpirun here: nothing was tested");
    }
    is_there
}

/// All tables of some materials and of all they lead to.
fn made_by_one(directory: &Path, names: &[&str]) {
    let materials = names.iter().map(|name| name.parse::<Material>().unwrap());
    let options: GenerateOptions = GenerateOptions::new(directory, materials.collect());
    let plan = Plan::new(&options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
}

/// The tables of a material, by file name.
fn tables(directory: &Path, material: &str) -> Vec<(String, Vec<u8>)> {
    let mut tables = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with(&format!("{material}.")) {
            tables.push((name, fs::read(path).unwrap()));
        }
    }
    tables.sort();
    tables
}

/// Copies all tables but those of a material.
fn copy_others(from: &Path, to: &Path, material: &str) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        if path.is_file() && !name.to_str().unwrap().starts_with(&format!("{material}.")) {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn ranks_make_the_same_bytes_as_one_process() {
    if !is_there() {
        return;
    }
    let one = tempfile::tempdir().unwrap();
    made_by_one(one.path(), &["KQvKR", "KRvKP", "KNNvK"]);
    for (material, counts) in [
        ("KRvK", &[1, 10][..]),
        ("KQvKR", &[2, 4]),
        ("KNNvK", &[3]),
        ("KPvK", &[2]),
        ("KRvKP", &[2, 10]),
    ] {
        for &count in counts {
            let together = tempfile::tempdir().unwrap();
            copy_others(one.path(), together.path(), material);
            let directory = together.path().to_str().unwrap();
            let made = by_ranks(count, &[material, "--tables", directory]);
            let said = String::from_utf8_lossy(&made.stdout);
            let complained = String::from_utf8_lossy(&made.stderr);
            assert!(
                made.status.success(),
                "{material}, {count} ranks: {said}{complained}"
            );
            let (ours, expected) = (
                tables(together.path(), material),
                tables(one.path(), material),
            );
            assert!(ours == expected, "{material}, {count} ranks");
            assert!(said.contains("all plies: "), "{said}");
            assert_eq!(left_in(together.path()), [""; 0]);
        }
    }
}

/// What is in a directory beside tables.
fn left_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_table = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["wdl", "dtz", "dtm"].contains(&extension))
    };
    let left = paths.filter(|path| !is_table(path));
    left.map(|path| path.display().to_string()).collect()
}

/// The processes that run our program on tables in a directory. Needs Linux (/proc).
fn processes(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_rank = |number: &String| {
        let arguments = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|&byte| byte == 0);
        let is_ours = arguments.next() == Some(env!("CARGO_BIN_EXE_retrograde-mpi").as_bytes());
        is_ours && arguments.any(|argument| argument == directory.to_str().unwrap().as_bytes())
    };
    numbers.filter(is_rank).collect()
}

/// Whether a rank has begun to write what its plies decide, to a file without a name in the
/// directory.
fn has_begun_plies(directory: &Path) -> bool {
    processes(directory).into_iter().any(|rank| {
        let files = fs::read_dir(format!("/proc/{rank}/fd"));
        let files = files.into_iter().flatten().flatten();
        let mut paths = files.map(|file| file.path());
        paths.any(|path| {
            let has_bytes = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
            let is_unnamed = |file: PathBuf| file.starts_with(directory) && !file.exists();
            has_bytes && fs::read_link(path).is_ok_and(is_unnamed)
        })
    })
}

#[test]
#[cfg(target_os = "linux")]
fn after_a_rank_was_killed_the_same_command_makes_the_same_bytes() {
    if !is_there() {
        return;
    }
    let material = "KRvKP";
    let one = tempfile::tempdir().unwrap();
    made_by_one(one.path(), &[material]);
    let together = tempfile::tempdir().unwrap();
    copy_others(one.path(), together.path(), material);
    let arguments = [material, "--tables", together.path().to_str().unwrap()];
    for kill in 0..3 {
        let mut command = ranks(2, &arguments);
        let mut running = command.stderr(Stdio::null()).spawn().unwrap();
        while !has_begun_plies(together.path()) {
            assert!(
                running.try_wait().unwrap().is_none(),
                "nothing was left to be killed"
            );
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(40 * kill));
        let found = processes(together.path());
        let killed = &found[kill as usize % found.len()];
        let done = Command::new("kill").args(["-9", killed]).status().unwrap();
        assert!(done.success());
        assert!(!running.wait().unwrap().success());
        while !processes(together.path()).is_empty() {
            sleep(Duration::from_millis(1));
        }
        assert_ne!(
            left_in(together.path()),
            [""; 0],
            "the rank was done already"
        );
    }
    let made = by_ranks(2, &arguments);
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    assert!(tables(together.path(), material) == tables(one.path(), material));
    assert_eq!(left_in(together.path()), [""; 0]);
}

/// What the program complains of where nothing has been generated.
fn complaint(count: usize, material: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let tables = directory.path().to_str().unwrap();
    let made = by_ranks(count, &[material, "--tables", tables]);
    assert!(!made.status.success());
    String::from_utf8_lossy(&made.stderr).into_owned()
}

#[test]
fn what_is_missing_is_named() {
    if !is_there() {
        return;
    }
    let said = complaint(2, "KQvKR");
    assert!(said.contains("retrograde generate K"), "{said}");
}

#[test]
fn more_ranks_than_squares_of_the_king_are_refused() {
    if !is_there() {
        return;
    }
    let said = complaint(11, "KQvKR");
    assert!(said.contains("11 ranks cannot share KQvKR"), "{said}");
    assert!(said.contains("he has 10"), "{said}");
}
