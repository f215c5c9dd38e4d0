use std::fs;
use std::process::Output;

use super::Place;
use super::interrupted::{assert_same, complaint, files};

const GENERATE: [&str; 5] = ["generate", "--men", "3", "--tables", "tables"];
const WITH_WORK_FILES: [&str; 2] = ["--men-in-memory", "2"];

/// Runs the program with a limit of so many blocks on the size of files, which stands for a disk
/// that is full: without the signal, a write beyond it fails like one that finds no room.
fn with_files_of(place: &Place, blocks: usize, arguments: &[&str]) -> Output {
    let program = place.retrograde([]).get_program().to_owned();
    std::process::Command::new("sh")
        .current_dir(place.path(""))
        .args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""),
        ])
        .arg(program)
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_disk_that_is_full_at_any_time_is_one_line_and_breaks_nothing() {
    let expected = files(&Place::with_tables().path("tables"));
    for work_files in [&[][..], &WITH_WORK_FILES] {
        let arguments = [&GENERATE[..], work_files].concat();
        let mut failures = 0;
        for blocks in [0, 1, 4, 16, 64, 256] {
            let place = Place::new();
            let tables = place.path("tables");
            let output = with_files_of(&place, blocks, &arguments);
            if !output.status.success() {
                failures += 1;
                let complaint = complaint(&output);
                assert!(complaint.contains("cannot write tables/"), "{complaint}");
                assert!(complaint.contains("free space"), "{complaint}");
            }
            for (name, bytes) in files(&tables) {
                assert!(expected.get(&name) == Some(&bytes), "{blocks}: {name}");
            }
            for name in files(&tables.join(".work")).into_keys() {
                assert!(name.ends_with(".view"), "{blocks}: {name}");
            }
            // With room again, the same command carries on.
            let (status, _, err) = place.run(arguments.iter().copied());
            assert_eq!((status, err.as_str()), (0, ""));
            assert_same(&files(&tables), &expected);
            assert!(!tables.join(".work").exists());
        }
        assert!(failures >= 3, "{failures}");
    }
}

#[test]
fn a_full_disk_names_the_work_file() {
    let place = Place::new();
    let arguments = [&GENERATE[..], &WITH_WORK_FILES].concat();
    let complaint = complaint(&with_files_of(&place, 0, &arguments));
    assert!(complaint.contains("tables/.work/KPvK.w"), "{complaint}");
}

#[test]
fn work_files_that_have_no_place_are_an_error_only_where_they_are_needed() {
    let place = Place::with_tables();
    let tables = place.path("tables");
    let expected = files(&tables);
    let arguments = [&GENERATE[..], &WITH_WORK_FILES].concat();
    fs::write(tables.join(".work"), "in the way").unwrap();
    let (status, out, _) = place.run(arguments.iter().copied());
    assert_eq!(status, 0);
    assert!(out.contains("nothing to do"), "{out}");
    fs::remove_file(tables.join("KPvK.dtz")).unwrap();
    let output = place.retrograde(arguments).output().unwrap();
    let complaint = complaint(&output);
    assert!(complaint.contains("tables/.work/KPvK.w"), "{complaint}");
    let (status, _, err) = place.run(GENERATE);
    assert_eq!((status, err.as_str()), (0, ""));
    let mut left = files(&tables);
    assert_eq!(left.remove(".work").unwrap(), b"in the way");
    assert_same(&left, &expected);
}

#[test]
fn too_little_memory_is_refused_with_what_would_do() {
    let place = Place::new();
    let with_memory = |mebibytes: u64| {
        let memory = format!("{mebibytes}M");
        let mut command = place.retrograde(GENERATE);
        command.args(["--threads", "2", "--memory", &memory]);
        command.output().unwrap()
    };
    let output = with_memory(96);
    let complaint = complaint(&output);
    assert!(!place.path("tables").exists());
    let needed = mebibytes_needed(&complaint);
    assert!(complaint.contains("only 96 MiB"), "{complaint}");
    assert_eq!(with_memory(needed - 1).status.code(), Some(2));
    assert_eq!(with_memory(needed).status.code(), Some(0));
    let expected = files(&Place::with_tables().path("tables"));
    assert_same(&files(&place.path("tables")), &expected);
}

/// What a refusal says that a command needs.
fn mebibytes_needed(complaint: &str) -> u64 {
    let needed = complaint.split("this needs ").nth(1);
    needed
        .and_then(|rest| rest.split_once(" MiB"))
        .and_then(|(number, _)| number.parse().ok())
        .unwrap_or_else(|| panic!("{complaint}"))
}

#[test]
fn seven_men_are_refused_with_the_memory_that_they_need() {
    let place = Place::new();
    let mut command = place.retrograde(["generate", "KQRBvKQR", "--tables", "tables"]);
    let output = command.args(["--threads", "2", "--memory", "16G"]).output();
    let complaint = complaint(&output.unwrap());
    assert!(!place.path("tables").exists());
    // Five sets of 10 squares of the white king times 64 of each man but the black king, 8 bytes a
    // word.
    let sets = (5 * 8 * 10 * 64u64.pow(5)) >> 20;
    let needed = mebibytes_needed(&complaint);
    assert!((sets..3 * sets).contains(&needed), "{complaint}");
    assert!(complaint.contains("only 16384 MiB"), "{complaint}");
}

/// The changelog promises it.
#[test]
fn two_gibibytes_are_enough_for_five_men() {
    let place = Place::new();
    let five = ["generate", "--men", "5", "--tables", "tables", "--dry-run"];
    for memory in ["2G", "1G"] {
        let mut command = place.retrograde(five);
        let output = command
            .args(["--threads", "2", "--memory", memory])
            .output();
        assert_eq!(output.unwrap().status.success(), memory == "2G", "{memory}");
    }
}

#[test]
fn every_width_that_the_processor_has_writes_the_same() {
    let expected = files(&Place::with_tables().path("tables"));
    let mut written = 0;
    for width in ["portable", "256", "512", "auto"] {
        let place = Place::new();
        let arguments = [&GENERATE[..], &["--simd", width]].concat();
        let output = place.retrograde(arguments).output().unwrap();
        if output.status.success() {
            assert_same(&files(&place.path("tables")), &expected);
            written += 1;
        } else {
            let complaint = complaint(&output);
            assert!(complaint.contains("--simd auto"), "{complaint}");
            assert!(!place.path("tables").exists());
            eprintln!("this processor has no registers of {width} bits");
        }
    }
    assert!(written >= 2, "portable and auto always work");
}

/// Whether there is a card or not, and whether the program knows of cards or not.
#[test]
fn what_a_graphics_card_cannot_do_is_said_in_a_line() {
    let place = Place::new();
    let arguments = [&GENERATE[..], &["--engine", "cuda"]].concat();
    let output = place.retrograde(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    if cfg!(feature = "cuda") {
        assert!(output.status.success(), "{said}");
        let expected = files(&Place::with_tables().path("tables"));
        assert_same(&files(&place.path("tables")), &expected);
        assert!(
            said.is_empty() || said.contains("; the processor does everything"),
            "{said}"
        );
    } else {
        assert!(complaint(&output).contains("--features cuda"), "{said}");
        assert!(!place.path("tables").exists());
    }
    let arguments = [&GENERATE[..], &["--engine", "auto"]].concat();
    place.retrograde(arguments).assert().success().stderr("");
}

/// A limit of the address space is a limit of memory: what does not fit it is refused in a line, or
/// done.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_is_an_error_or_enough() {
    let wall = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
    let commands: [&[&str]; 3] = [
        &["generate", "KRvKN", "KPvK", "--tables", "tables"],
        &[
            "generate", "--game", "xiangqi", "KNvKA", "--tables", "tables",
        ],
        &["solve", wall],
    ];
    let mut refused = 0;
    let mut done = 0;
    for arguments in commands {
        for mebibytes in [60, 120, 250, 500, 1000, 4000] {
            let place = Place::new();
            let output = std::process::Command::new("sh")
                .current_dir(place.path(""))
                .arg("-c")
                .arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10))
                .arg(place.retrograde([]).get_program())
                .args(arguments)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => done += 1,
                Some(1 | 2) => {
                    refused += 1;
                    assert_eq!(text.trim_end().lines().count(), 1, "{mebibytes}: {text}");
                }
                code => panic!("{arguments:?} within {mebibytes} MiB: {code:?}, {text}"),
            }
        }
    }
    assert!(refused >= 3 && done >= 3, "{refused} refused, {done} done");
}
