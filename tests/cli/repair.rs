use std::fs;

use super::Place;
use super::interrupted::{assert_same, files};

/// Where the tables of both games and formats are.
const DIRECTORIES: [&str; 2] = ["tables", "tables/xiangqi/perpetual-check"];

/// What is damaged, in the middle of the file.
const DAMAGED: [&str; 5] = [
    "tables/KQvK.dtz",
    "tables/KQvK.dtm",
    "tables/KPvK.wdl",
    "tables/KRvK.rtbz",
    "tables/xiangqi/perpetual-check/KNvKA.dtc",
];

#[test]
fn damaged_files_are_named_and_made_again() {
    let place = Place::with_tables();
    for more in [
        &["--men", "3", "--format", "syzygy"][..],
        &["KNvKA", "--game", "xiangqi"],
    ] {
        let arguments = [&["generate", "--tables", "tables"][..], more].concat();
        assert_eq!(place.run(arguments).0, 0);
    }
    let contents = || DIRECTORIES.map(|directory| files(&place.path(directory)));
    let whole = contents();
    for name in DAMAGED {
        let mut bytes = fs::read(place.path(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        fs::write(place.path(name), bytes).unwrap();
    }
    let verify = ["verify", "--all", "--tables", "tables"];
    let (status, said, told) = place.run(verify);
    assert_eq!(status, 1, "{told}");
    let repair = "make them again: retrograde verify --repair --all --tables tables";
    assert!(told.contains(repair), "{told}");
    let counts = "0 differences, 5 unreadable files, 1 material not compared for want of them";
    assert!(told.contains(counts), "{told} {said}");
    assert!(
        said.contains("KPvK: not compared, needs tables/KRvK.rtbz"),
        "{said}"
    );
    for name in DAMAGED {
        let line = said.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {said}"));
        assert!(
            line.contains("fails its checksum") || name.ends_with("z"),
            "{line}"
        );
    }
    assert!(said.contains("block "), "{said}");

    let (status, said, told) = place.run([&verify[..], &["--repair"]].concat());
    assert_eq!((status, told.as_str()), (0, ""), "{said}");
    assert!(
        said.starts_with("5 files made again\nno difference"),
        "{said}"
    );
    for (now, before) in contents().iter().zip(&whole) {
        assert_same(now, before);
    }
    // Nothing is left to do.
    let (status, said, _) = place.run([&verify[..], &["--repair"]].concat());
    assert!(status == 0 && said.starts_with("no difference"), "{said}");
}

#[test]
fn what_memory_is_too_little_for_is_compared_by_checksums() {
    let place = Place::with_tables();
    let verify = |more: &[&str]| {
        let arguments = [
            "verify", "KRvK", "KQvK", "--tables", "tables", "--memory", "64K",
        ];
        place.run([&arguments[..], more].concat())
    };
    let (status, said, told) = verify(&[]);
    assert_eq!(status, 1);
    for material in ["KRvK", "KQvK"] {
        let line = format!("{material}: not compared, needs about ");
        assert!(said.contains(&line), "{said}");
    }
    assert!(
        told.contains("checksums are right, but values of 2 materials"),
        "{told}"
    );
    let json: serde_json::Value = serde_json::from_str(&verify(&["--json"]).1).unwrap();
    assert_eq!(json["tables"], 0);
    assert!(
        json["not_compared"][0]["memory"].as_u64() > Some(64 << 10),
        "{json}"
    );

    let path = place.path("tables/KRvK.dtz");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(path, bytes).unwrap();
    let (status, said, told) = verify(&[]);
    assert!(status == 1 && said.contains("KRvK.dtz"), "{said}{told}");
    assert!(told.contains("0 differences, 1 unreadable file"), "{told}");
}
