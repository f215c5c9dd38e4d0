//! A generation as steps that another program runs: one at a time, in any order that the plan
//! allows, on machines that die.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Place;
use super::interrupted::{assert_same, files};

/// The directory of tables of each game.
fn tables(game: &str) -> &'static str {
    match game {
        "chess" => "tables",
        _ => "tables/xiangqi/perpetual-check",
    }
}

fn plan(place: &Place, wanted: &[&str]) -> Value {
    let arguments = [&["plan", "--tables", "tables"][..], wanted].concat();
    let (status, said, told) = place.run(arguments);
    assert_eq!((status, told.as_str()), (0, ""));
    serde_json::from_str(&said).unwrap()
}

fn steps(plan: &Value) -> &[Value] {
    plan["steps"].as_array().unwrap()
}

fn name(step: &Value) -> &str {
    step["material"].as_str().unwrap()
}

fn step(place: &Place, game: &str, material: &str) -> (i32, String, String) {
    let receipt = format!("receipts/{material}.json");
    place.run([
        "step",
        material,
        "--game",
        game,
        "--tables",
        "tables",
        "--receipt",
        &receipt,
    ])
}

/// What `generate` makes of the same.
fn generated(game: &str, materials: &[&str]) -> (Place, BTreeMap<String, Vec<u8>>) {
    let place = Place::new();
    let arguments = [
        &["generate", "--game", game, "--tables", "tables"][..],
        materials,
    ];
    assert_eq!(place.run(arguments.concat()).0, 0);
    let made = files(&place.path(tables(game)));
    (place, made)
}

#[test]
fn a_plan_names_for_each_material_what_it_reads_and_what_it_takes() {
    let place = Place::new();
    let plan = plan(&place, &["KRvKP"]);
    assert_eq!(plan["game"], "chess");
    let levels: HashMap<&str, u64> = steps(&plan)
        .iter()
        .map(|step| (name(step), step["level"].as_u64().unwrap()))
        .collect();
    let last = steps(&plan).last().unwrap();
    assert_eq!(name(last), "KRvKP");
    for read in ["KPvK", "KRvK", "KRvKQ", "KRvKN"] {
        let read = levels.keys().find(|name| {
            let sorted = |name: &str| {
                let mut letters: Vec<char> = name.chars().collect();
                letters.sort_unstable();
                letters
            };
            sorted(name) == sorted(read)
        });
        assert!(levels[read.unwrap()] < levels["KRvKP"]);
    }
    for step in steps(&plan) {
        for read in step["reads"].as_array().unwrap() {
            assert!(levels[read.as_str().unwrap()] < levels[name(step)]);
        }
        for field in ["mem_bytes", "cpu_seconds", "write_bytes"] {
            assert!(step[field].as_f64().unwrap() > 0.0, "{field} of {step}");
        }
        for field in ["read_bytes", "scratch_bytes"] {
            assert!(step[field].is_u64(), "{field} of {step}");
        }
        let reading = step["reading_cpu_seconds"].as_f64().unwrap();
        assert_eq!(
            reading > 0.0,
            step["reads"] != Value::from(Vec::<Value>::new()),
            "{step}"
        );
        assert!(reading < step["cpu_seconds"].as_f64().unwrap(), "{step}");
        let first = step["writes"][0].as_str().unwrap();
        assert_eq!(first, format!("{}.wdl", name(step)));
    }
    assert!(!place.path("tables").exists());
}

#[test]
fn slurm_gets_a_job_for_each_step_after_those_it_reads() {
    let place = Place::new();
    let count = steps(&plan(&place, &["KRvKN"])).len();
    let (status, said, told) = place.run([
        "plan",
        "KRvKN",
        "--format",
        "slurm",
        "--threads",
        "3",
        "--tables",
        "my tables",
        "--metric",
        "wdl,dtz",
        "--memory",
        "2G",
        "--compression",
        "small",
    ]);
    assert_eq!((status, told.as_str()), (0, ""));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), count);
    // A step does what was planned.
    let means = "--threads 3 --metric wdl,dtz --memory 2147483648 --compression small\"";
    assert!(lines.iter().all(|line| line.contains(means)), "{said}");
    assert!(lines.iter().all(|line| line.contains("--cpus-per-task=3")));
    assert!(said.contains("--tables 'my tables'"), "{said}");
    let last = lines.last().unwrap();
    assert!(last.contains("--dependency=afterok:$job"), "{last}");
    assert!(
        last.contains("retrograde step KRvKN --receipt receipts/KRvKN.json"),
        "{last}"
    );
    // The shell takes them, and each job waits for jobs that were named before.
    let script = format!("sbatch() {{ echo \"$@\" >&2; echo 7; }}\nset -u\n{said}");
    let shell = Command::new("bash").args(["-c", &script]).output().unwrap();
    let told = String::from_utf8(shell.stderr).unwrap();
    assert!(shell.status.success(), "{told}");
    assert!(told.contains("--dependency=afterok:7"), "{told}");
}

#[test]
fn steps_one_after_the_other_make_what_generate_makes() {
    for (game, material) in [("chess", "KRvKP"), ("xiangqi", "KRvKA")] {
        let (_, expected) = generated(game, &[material]);
        let place = Place::new();
        let plan = plan(&place, &[material, "--game", game]);
        for planned in steps(&plan) {
            let (status, said, told) = step(&place, game, name(planned));
            assert_eq!(status, 0, "{said}{told}");
            assert!(said.contains(": made, "), "{said}");
        }
        let made = files(&place.path(tables(game)));
        assert_same(&made, &expected);
        let planned = steps(&plan)
            .iter()
            .flat_map(|step| step["writes"].as_array().unwrap());
        let planned: Vec<&str> = planned.map(|path| path.as_str().unwrap()).collect();
        for path in made.keys() {
            assert!(
                planned.iter().any(|planned| planned.ends_with(path)),
                "{path}"
            );
        }

        // The receipt names the files and what they were made from.
        let path = place.path(format!("receipts/{material}.json"));
        let text = fs::read_to_string(&path).unwrap();
        let receipt: Value = serde_json::from_str(&text).unwrap();
        let names = |field: &str| -> Vec<String> {
            let entries = receipt[field].as_array().unwrap().iter();
            entries
                .map(|entry| entry["name"].as_str().unwrap().to_owned())
                .collect()
        };
        assert!(
            names("files").iter().all(|name| name.contains(material)),
            "{text}"
        );
        assert!(
            !names("inputs").is_empty()
                && names("inputs").iter().all(|name| !name.contains(material))
        );
        assert_eq!(receipt["files"][0]["sha256"].as_str().unwrap().len(), 64);

        // What is there is not made again: a new receipt is the same.
        fs::remove_file(&path).unwrap();
        let (status, said, _) = step(&place, game, material);
        assert!(status == 0 && said.contains(": there already, "), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn steps_make_the_same_from_what_earlier_ones_have_left_for_them() {
    for (game, material) in [("chess", "KRvKP"), ("xiangqi", "KRvKAA")] {
        let (_, expected) = generated(game, &[material]);
        let place = Place::new();
        let plan = plan(&place, &[material, "--game", game]);
        let step = |planned: &Value| {
            let own = name(planned);
            let readers = steps(&plan).iter().filter(|reader| {
                let reads = reader["reads"].as_array().unwrap();
                reads.contains(&planned["material"])
            });
            let receipt = format!("receipts/{own}.json");
            let arguments = ["step", own, "--game", game, "--tables", "tables"];
            let leaving = ["--receipt", &receipt, "--leave-for"];
            let all = [&arguments[..], &leaving].concat().into_iter();
            let (status, said, told) = place.run(all.chain(readers.map(name)));
            assert_eq!(status, 0, "{said}{told}");
            assert!(said.contains(": made, "), "{said}");
        };
        let directory = place.path(tables(game));
        steps(&plan).iter().for_each(step);
        assert_same(&files(&directory), &expected);
        let work_files = directory.join(".work");
        assert!(fs::read_dir(&work_files).unwrap().next().is_some());

        // Their tables are not looked at.
        let last = steps(&plan).last().unwrap();
        assert_eq!(name(last), material);
        let four_men = steps(&plan).iter().filter(|step| name(step).len() == 5);
        for gone in four_men.chain([last]) {
            for path in gone["writes"].as_array().unwrap() {
                let _ = fs::remove_file(place.path("tables").join(path.as_str().unwrap()));
            }
        }
        assert!(files(&directory).len() < expected.len() - 3);
        step(last);
        // What nobody needs any more goes with the next generation.
        let generate = ["generate", "--game", game, "--tables", "tables", material];
        assert_eq!(place.run(generate).0, 0);
        assert_same(&files(&directory), &expected);
        assert!(!work_files.exists());
    }
}

#[test]
fn what_a_step_needs_is_never_made_on_the_way() {
    let place = Place::new();
    let (status, said, told) = step(&place, "chess", "KRvKN");
    assert_eq!((status, said.as_str()), (2, ""));
    assert!(
        told.contains("is missing or damaged; make it first: `retrograde step "),
        "{told}"
    );
    assert!(files(&place.path("tables")).is_empty());
    assert!(!place.path("receipts/KRvKN.json").exists());

    // A damaged input is as good as none, and stays.
    let place = Place::with_tables();
    let path = place.path("tables/KRvK.wdl");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(&path, &bytes).unwrap();
    let (status, _, told) = step(&place, "chess", "KRvKN");
    assert!(
        status == 2 && told.contains("KRvK.wdl is missing or damaged"),
        "{told}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // Its own step makes it again.
    assert_eq!(step(&place, "chess", "KRvK").0, 0);
    assert_eq!(step(&place, "chess", "KRvKN").0, 0);

    let (status, _, told) = place.run(["step", "KRvK", "KQvK", "--receipt", "one.json"]);
    assert!(
        status == 2 && told.contains("a step is one material"),
        "{told}"
    );
}

/// Snakemake, where it is installed or named by the variable of that name.
fn snakemake() -> Option<PathBuf> {
    let named = std::env::var_os("SNAKEMAKE").map(PathBuf::from);
    let program = named.unwrap_or_else(|| "snakemake".into());
    let found = Command::new(&program).arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: snakemake is not installed");
    }
    found.then_some(program)
}

fn workflow(program: &PathBuf, place: &Place, men: usize) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(place.path(""))
        .args([
            "--snakefile",
            concat!(env!("CARGO_MANIFEST_DIR"), "/contrib/Snakefile"),
        ])
        .args(["--cores", "2", "--rerun-incomplete", "--nolock", "--config"])
        .arg(format!("men={men}"))
        .arg(concat!("program=", env!("CARGO_BIN_EXE_retrograde")))
        .arg(format!("tables={}", place.path("tables").display()))
        .arg("small=1")
        .env("XDG_CACHE_HOME", place.path("cache"))
        .stdin(Stdio::null());
    command
}

/// Runs it to its end; gives what it says.
fn finish(program: &PathBuf, place: &Place, men: usize) -> String {
    let output = workflow(program, place, men).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

/// Which file each table is.
fn inodes(place: &Place) -> BTreeMap<String, u64> {
    let entries = fs::read_dir(place.path("tables")).unwrap();
    let entries = entries.map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.metadata().unwrap().ino())
        })
        .collect()
}

#[test]
fn a_workflow_makes_the_same_and_only_what_is_gone_again() {
    let Some(program) = snakemake() else { return };
    let (_, expected) = generated("chess", &["--men", "3"]);
    let place = Place::new();
    finish(&program, &place, 3);
    assert_same(&files(&place.path("tables")), &expected);
    let told = finish(&program, &place, 3);
    assert!(told.contains("Nothing to be done"), "{told}");

    // A table that is gone, one that is damaged, a receipt without its table, clocks that are
    // wrong.
    for (number, name) in ["KQvK.dtz", "KRvK.wdl", "KBvK.wdl"].iter().enumerate() {
        let path = place.path("tables").join(name);
        match number {
            0 => fs::remove_file(&path).unwrap(),
            1 => {
                let mut bytes = fs::read(&path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0x40;
                fs::write(&path, bytes).unwrap();
            }
            _ => {
                for metric in ["wdl", "dtz", "dtm"] {
                    let _ = fs::remove_file(path.with_extension(metric));
                }
            }
        }
        let others: Vec<PathBuf> = expected
            .keys()
            .map(|name| place.path("tables").join(name))
            .collect();
        let old =
            std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * (1 + number as u64));
        for path in others.iter().filter(|path| path.exists()) {
            fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        let before = inodes(&place);
        let told = finish(&program, &place, 3);
        assert_same(&files(&place.path("tables")), &expected);
        // Steps that come after may look at their tables again, but make none.
        let after = inodes(&place);
        let changed = after
            .iter()
            .filter(|(name, file)| before.get(*name) != Some(file));
        let material = name.split('.').next().unwrap();
        let changed: Vec<&String> = changed.map(|(name, _)| name).collect();
        assert!(!changed.is_empty(), "{told}");
        assert!(
            changed.iter().all(|name| name.starts_with(material)),
            "{changed:?}"
        );
    }
}

#[test]
fn a_workflow_that_dies_is_carried_on_by_the_same_command() {
    let Some(program) = snakemake() else { return };
    let (_, expected) = generated("chess", &["KRvKN"]);
    let place = Place::new();
    let begin = || {
        let mut command = workflow(&program, &place, 3);
        command
            .args(["materials=KRvKN"])
            .stderr(Stdio::null())
            .stdout(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().unwrap()
    };
    let start = Instant::now();
    assert!(begin().wait().unwrap().success());
    let whole = start.elapsed();
    fs::remove_dir_all(place.path("tables")).unwrap();
    for kill in 1..=10u32 {
        let mut child = begin();
        std::thread::sleep(whole * kill / 11);
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-9", "--", &group]).status();
        let _ = child.wait();
    }
    assert!(begin().wait().unwrap().success());
    let made = files(&place.path("tables"));
    let wanted: BTreeMap<_, _> = made
        .into_iter()
        .filter(|(name, _)| expected.contains_key(name))
        .collect();
    assert_same(&wanted, &expected);
    assert_tidy(&place);
}

/// Nothing is left in the directory of the tables but them and receipts.
fn assert_tidy(place: &Place) {
    let left = fs::read_dir(place.path("tables")).unwrap().flatten();
    let strange: Vec<String> = left
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with('.') || name.ends_with(".part"))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn two_workflows_at_once_make_the_same_and_no_harm() {
    let Some(program) = snakemake() else { return };
    let (_, expected) = generated("chess", &["--men", "3"]);
    let place = Place::new();
    let begin = |directory: &str| {
        fs::create_dir_all(place.path(directory)).unwrap();
        // Each has its own notes, as on two machines; tables and receipts are the same.
        workflow(&program, &place, 3)
            .args(["--directory", directory])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = ["one", "other"].map(begin);
    for run in both {
        let output = run.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
    }
    assert_same(&files(&place.path("tables")), &expected);
    assert_tidy(&place);
}

#[test]
fn a_workflow_on_a_full_disk_is_carried_on_by_the_same_command() {
    let Some(program) = snakemake() else { return };
    let (_, expected) = generated("chess", &["--men", "3"]);
    let place = Place::new();
    // The program finds room for files of 6 KiB, on a disk of its own.
    let limited = place.path("limited");
    let script = format!(
        "#!/bin/sh\ntrap '' XFSZ\nulimit -f 12\nexec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_retrograde")
    );
    fs::write(&limited, script).unwrap();
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o755)).unwrap();
    let limited = workflow(&program, &place, 3)
        .arg(format!("program={}", limited.display()))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&limited.stderr);
    assert!(!limited.status.success(), "{told}");
    assert!(told.contains("space"), "{told}");
    let before = inodes(&place);
    let small: Vec<&String> = before.keys().collect();
    assert!(
        !small.is_empty() && small.len() < expected.len(),
        "{small:?}"
    );
    finish(&program, &place, 3);
    assert_same(&files(&place.path("tables")), &expected);
    let after = inodes(&place);
    // What was whole is not made again; results may be, where distances are missing.
    let is_whole = |name: &str| {
        let material = name.split('.').next().unwrap();
        let all = ["wdl", "dtz", "dtm"].map(|metric| format!("{material}.{metric}"));
        all.iter().all(|name| before.contains_key(name))
    };
    for (name, file) in before.iter().filter(|(name, _)| is_whole(name)) {
        assert_eq!(after.get(name), Some(file), "{name}");
    }
    assert_tidy(&place);
}
