//! Manifests, and directories whose names are no text.

use std::fs;

use super::Place;

/// A place with tables and their manifest.
fn with_manifest() -> Place {
    let place = Place::with_tables();
    let (status, _, err) = place.run([
        "generate", "--game", "xiangqi", "KNvKA", "--tables", "tables",
    ]);
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, out, err) = place.run(["list", "--manifest", "--tables", "tables"]);
    assert_eq!((status, err.as_str()), (0, ""));
    fs::write(place.path("manifest.json"), out).unwrap();
    place
}

const COMPARE: [&str; 5] = [
    "verify",
    "--manifest",
    "manifest.json",
    "--tables",
    "tables",
];

#[test]
fn a_manifest_has_every_file_of_both_games() {
    let place = with_manifest();
    let text = fs::read_to_string(place.path("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files = manifest["files"].as_array().unwrap();
    let names: Vec<&str> = files
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted());
    assert!(names.contains(&"KPvK.dtz"));
    assert!(names.contains(&"xiangqi/perpetual-check/KNvKA.wdl"));
    let of = |name: &str| &files[names.iter().position(|it| *it == name).unwrap()];
    let queen = of("KQvK.wdl");
    let bytes = fs::read(place.path("tables/KQvK.wdl")).unwrap();
    assert_eq!(queen["bytes"], bytes.len());
    // As other programs compute it.
    let other = std::process::Command::new("sha256sum")
        .arg(place.path("tables/KQvK.wdl"))
        .output();
    if let Ok(other) = other {
        let expected = String::from_utf8(other.stdout).unwrap();
        assert_eq!(queen["sha256"], expected.split(' ').next().unwrap());
    }
    let info = place.json(["info", "KQvK", "--tables", "tables", "--json"]);
    assert_eq!(queen["positions"][0]["win"], info["counts"]["white"]["win"]);
    let (status, out, err) = place.run(COMPARE);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("no difference: "), "{out}");
}

#[test]
fn a_copy_that_differs_is_told_file_by_file() {
    let place = with_manifest();
    let table = |name: &str| place.path("tables").join(name);
    fs::remove_file(table("KBvK.wdl")).unwrap();
    let bytes = fs::read(table("KQvK.dtz")).unwrap();
    fs::write(table("KQvK.dtz"), &bytes[1..]).unwrap();
    let mut bytes = fs::read(table("KRvK.dtm")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(table("KRvK.dtm"), bytes).unwrap();
    fs::copy(table("KNvK.wdl"), table("KQvKQ.wdl")).unwrap();
    let (status, out, err) = place.run(COMPARE);
    assert_eq!(status, 1);
    assert!(err.contains("3 files of "), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert_eq!(lines[0], "KBvK.wdl: not there");
    assert!(lines[1].starts_with("KQvK.dtz: has "), "{out}");
    assert_eq!(lines[2], "KRvK.dtm: other bytes");
    assert_eq!(lines[3], "KQvKQ.wdl: not in the manifest");
}

#[test]
fn what_is_no_manifest_is_an_error() {
    let place = Place::with_tables();
    for (text, expected) in [
        ("{}", "manifest.json is no manifest: missing field"),
        (r#"{"manifest":2,"files":[]}"#, "version 2"),
        ("\u{fffd}", "is no manifest"),
    ] {
        fs::write(place.path("manifest.json"), text).unwrap();
        let (status, _, err) = place.run(COMPARE);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
    fs::remove_file(place.path("manifest.json")).unwrap();
    let (status, _, err) = place.run(COMPARE);
    assert_eq!(status, 2);
    let expected = "cannot read the manifest manifest.json: No such file";
    assert!(cfg!(windows) || err.contains(expected), "{err}");
    let outside = r#"{"manifest":1,"files":[{"name":"../secret","bytes":1,"sha256":""}]}"#;
    fs::write(place.path("manifest.json"), outside).unwrap();
    let (status, out, _) = place.run(COMPARE);
    assert_eq!(status, 1);
    assert!(out.starts_with("../secret: not a name of a table"), "{out}");
}

/// Any bytes may be the name of a directory.
#[cfg(target_os = "linux")]
#[test]
fn directories_need_no_text_for_a_name() {
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"tables-\xff");
    let run = |arguments: &[&str]| {
        let output = place
            .retrograde(arguments.iter().copied())
            .arg("--tables")
            .arg(name)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
    };
    run(&["generate", "KQvK", "--json"]);
    run(&["generate", "KQvK", "--dry-run"]);
    run(&["generate", "--game", "xiangqi", "KNvK", "--json"]);
    for command in [
        "list",
        "list --json",
        "list --game xiangqi --json",
        "list --manifest",
    ] {
        run(&command.split(' ').collect::<Vec<_>>());
    }
    run(&["verify", "--all", "--json"]);
    run(&["info", "KQvK", "--json"]);
    run(&["stats", "KQvK", "--json"]);
    run(&["probe", "8/8/8/4k3/8/8/3QK3/8 w - - 0 1", "--json"]);
    run(&["convert", "--to", "syzygy", "--json"]);
}
