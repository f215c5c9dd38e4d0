use std::collections::BTreeMap;

use retrograde::table::Table;
use serde_json::Value;

use super::Place;

/// What tables of three men say, of both sides to move.
const FENS: [&str; 6] = [
    "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "8/8/8/8/8/2k5/7R/K7 b - - 0 1",
    "8/8/8/4k3/8/8/Q7/K7 w - - 0 1",
    "8/8/8/4k3/8/8/Q7/K7 b - - 0 1",
    "8/8/8/4k3/8/8/P7/K7 w - - 0 1",
    "8/8/8/4k3/8/8/P7/K7 b - - 0 1",
];

fn answers(place: &Place, tables: &str) -> Vec<[Value; 3]> {
    let answers = FENS.iter().map(|fen| {
        let answer = place.json(["probe", "--json", "--tables", tables, fen]);
        ["wdl", "dtz", "dtm"].map(|metric| answer[metric].clone())
    });
    answers.collect()
}

/// The bytes of each file.
fn files(place: &Place, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(place.path(directory)).expect("a directory");
    let files = files.map(|file| file.expect("a file"));
    let files = files.filter(|file| file.path().is_file());
    let read = |file: std::fs::DirEntry| {
        let bytes = std::fs::read(file.path()).expect("a table");
        (file.file_name().to_string_lossy().into_owned(), bytes)
    };
    files.map(read).collect()
}

const ANEW: [&str; 6] = [
    "convert",
    "--from",
    "native",
    "--to",
    "native",
    "--compression",
];

fn anew(rest: &[&'static str]) -> Vec<&'static str> {
    [&ANEW[..], rest].concat()
}

#[test]
fn another_level_says_the_same_in_fewer_bytes() {
    let place = Place::with_tables();
    let before = answers(&place, "tables");
    let old = files(&place, "tables");
    let answer = place.json(anew(&["smallest", "--into", "archive", "--json"]));
    assert_eq!(
        (&answer["materials"], &answer["files"]),
        (&5.into(), &15.into())
    );
    assert_eq!(answer["difference_count"], 0);
    assert!(answer["positions"].as_u64() > Some(500_000), "{answer}");
    let bytes = |files: &BTreeMap<String, Vec<u8>>| -> usize { files.values().map(Vec::len).sum() };
    let small = files(&place, "archive");
    assert_eq!(answer["bytes"], bytes(&small));
    assert_eq!(answer["bytes_before"], bytes(&old));
    assert!(4 * bytes(&small) < 3 * bytes(&old), "{answer}");
    assert_eq!(
        files(&place, "tables"),
        old,
        "what is read from stays as it is"
    );
    assert_eq!(answers(&place, "archive"), before);
    let (status, out, err) = place.run(["verify", "--all", "--tables", "archive"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    // In place, and by what was made: the same bytes, however many threads there are.
    let (status, out, err) = place.run(anew(&["smallest", "--threads", "1"]));
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("5 materials: wrote 15 files, "), "{out}");
    assert!(out.ends_with(", 0 files differ\n"), "{out}");
    assert_eq!(files(&place, "tables"), small);
    // At a weaker level the sides to move that are there stay, and all is right again.
    assert_eq!(place.run(anew(&["fast", "KRvK", "kpk"])).0, 0);
    assert_eq!(answers(&place, "tables"), before);
    assert_ne!(files(&place, "tables"), small);
}

/// Archives keep results of one side to move. What leads to such a material is solved and verified
/// on top of it as on top of other tables.
#[test]
fn results_of_one_side_are_enough_to_go_on_with() {
    let place = Place::with_tables();
    assert_eq!(place.run(["generate", "KRPvK", "--tables", "tables"]).0, 0);
    let expected = files(&place, "tables");
    let smallest = anew(&["smallest", "KRvK", "KPvK", "KQvK", "KRPvK", "KRQvK"]);
    assert_eq!(place.run(smallest).0, 0);
    for name in ["KRvK", "KPvK", "KQvK", "KRPvK"] {
        let path = place.path("tables").join(format!("{name}.wdl"));
        let table = Table::open(&path).expect("a table");
        assert_eq!(table.streams().len(), 1, "{name}");
    }
    for metric in ["wdl", "dtz", "dtm"] {
        let path = place.path("tables").join(format!("KRPvK.{metric}"));
        std::fs::remove_file(path).expect("a table");
    }
    let (status, out, err) = place.run(["generate", "KRPvK", "--tables", "tables"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let made = files(&place, "tables");
    for metric in ["wdl", "dtz", "dtm"] {
        let name = format!("KRPvK.{metric}");
        assert!(made[&name] == expected[&name], "{name}");
    }
    let (status, out, err) = place.run(["verify", "--all", "--tables", "tables"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let stats = |place: &Place| place.run(["stats", "KRvK", "--recount", "--tables", "tables"]);
    let counted = stats(&place);
    assert_eq!((counted.0, counted.2.as_str()), (0, ""));
    assert_eq!(counted, stats(&Place::with_tables()));
}

#[test]
fn of_xiangqi_as_well() {
    let place = Place::new();
    let generate = [
        "generate", "--game", "xiangqi", "KRvKA", "--tables", "tables",
    ];
    assert_eq!(place.run(generate).0, 0);
    let tables = "tables/xiangqi/perpetual-check";
    let old = files(&place, tables);
    let answer = place.json(anew(&["small", "--game", "xiangqi", "KRvKA", "--json"]));
    assert_eq!(answer["difference_count"], 0);
    assert!(answer["bytes"].as_u64() < answer["bytes_before"].as_u64());
    let (status, out, err) = place.run(["verify", "--all"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    // Other materials stay as they are.
    for (name, bytes) in files(&place, tables) {
        assert_eq!(bytes == old[&name], !name.starts_with("KRvKA."), "{name}");
    }
    let archive = place.run(anew(&[
        "small",
        "--rules",
        "perpetual-check",
        "--into",
        "archive",
    ]));
    assert_eq!(archive.0, 0, "{}", archive.2);
    let made = files(&place, "archive/xiangqi/perpetual-check");
    assert_eq!(made.len(), old.len());
}

#[test]
fn a_damaged_table_stays_as_it_is() {
    let place = Place::with_tables();
    let path = place.path("tables").join("KQvK.wdl");
    let mut bytes = std::fs::read(&path).expect("a table");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("room for a table");
    let before = files(&place, "tables");
    let (status, out, err) = place.run(anew(&["small", "KQvK"]));
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(
        err.contains("KQvK.wdl") && err.contains("generate KQvK"),
        "{err}"
    );
    let after = files(&place, "tables");
    assert_eq!(after["KQvK.wdl"], bytes);
    assert_eq!(after.len(), before.len(), "nothing is left behind");
}

#[test]
fn what_cannot_be_meant_is_said() {
    let place = Place::with_tables();
    for (arguments, told) in [
        (anew(&["small", "KRvKR"]), "no table of KRvKR"),
        (anew(&["small", "KRvX"]), "KRvX"),
        (
            anew(&["small", "--rules", "cycles-draw"]),
            "no tables of our own",
        ),
        (
            vec!["convert", "--from", "syzygy", "--to", "syzygy"],
            "one way to compress",
        ),
        (
            vec!["convert", "--to", "syzygy", "--into", "elsewhere"],
            "--from native --to native",
        ),
    ] {
        let (status, out, err) = place.run(arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.contains(told), "{err}");
    }
}
