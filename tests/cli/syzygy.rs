use super::Place;
use crate::reference::syzygy_folder;

/// A place with the Syzygy tables of three men in `tables`, if they are anywhere.
fn place() -> Option<Place> {
    let folder = syzygy_folder()?;
    let place = Place::new();
    std::fs::create_dir(place.path("tables")).expect("a new directory");
    for man in ["P", "N", "B", "R", "Q"] {
        for extension in ["rtbw", "rtbz"] {
            let name = format!("K{man}vK.{extension}");
            let copy = place.path("tables").join(&name);
            std::fs::copy(folder.join(name), copy).expect("a table and room for a copy");
        }
    }
    Some(place)
}

#[test]
fn probe_names_the_tables_and_marks_rounded_distances() {
    let Some(place) = place() else { return };
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    let answer = place.json(["probe", "--json", fen]);
    assert_eq!((&answer["wdl"], &answer["dtz"]), (&2.into(), &31.into()));
    assert!(answer["precise_dtz"].is_null() && answer["dtm"].is_null());
    let tables = answer["tables"].as_array().unwrap();
    let column = |name: &str| {
        tables
            .iter()
            .map(|table| table[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(column("format"), ["syzygy", "syzygy"]);
    assert_eq!(column("metric"), ["wdl", "dtz"]);
    assert!(column("file")[0].as_str().unwrap().ends_with("KRvK.rtbw"));
    let (status, out, _) = place.run(["probe", fen]);
    assert_eq!(status, 0);
    assert!(
        out.contains("dtz ~31") && out.contains("KRvK.rtbz (syzygy)"),
        "{out}"
    );
    // Captures are known exactly.
    let answer = place.json(["probe", "--json", "8/8/8/8/8/8/1k6/R3K3 b - - 0 1"]);
    assert_eq!(answer["precise_dtz"], answer["dtz"]);
}

#[test]
fn list_and_info_show_them() {
    let Some(place) = place() else { return };
    let tables = place.json(["list", "--json"])["tables"].clone();
    let tables = tables.as_array().unwrap();
    assert_eq!(tables.len(), 10);
    let is_sound =
        |table: &serde_json::Value| table["format"] == "syzygy" && table["error"].is_null();
    assert!(tables.iter().all(is_sound));
    let (_, out, _) = place.run(["list"]);
    assert!(out.contains("syzygy") && out.contains("10 tables"), "{out}");
    let answer = place.json(["info", "KQvK", "--json"]);
    assert_eq!(answer["tables"][1]["format"], "syzygy");
    assert!(answer["counts"].is_null() && answer["longest"]["dtz"].is_null());
    assert_eq!(place.run(["info", "KQvK"]).0, 0);
}

#[test]
fn verify_checks_them() {
    let Some(place) = place() else { return };
    let answer = place.json(["verify", "KPvK", "--json"]);
    assert_eq!(answer["tables"], 2, "{answer}");
    assert_eq!(answer["difference_count"], 0);
    let (status, out, _) = place.run(["verify", "--all"]);
    assert!(status == 0 && out.contains("10 tables"), "{out}");
    let path = place.path("tables").join("KQvK.rtbz");
    let mut bytes = std::fs::read(&path).expect("a table");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("room for a table");
    let (status, out, _) = place.run(["verify", "KQvK"]);
    assert!(status == 1 && out.contains("KQvK.rtbz"), "{out}");
}

#[test]
fn what_needs_our_own_tables_says_so() {
    let Some(place) = place() else { return };
    let (status, out, err) = place.run(["stats", "KQvK"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("Syzygy") && err.contains("generate"), "{err}");
    // Generating does not take them for its own, and both may be there.
    let (status, _, err) = place.run(["generate", "KQvK", "--tables", "tables"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let answer = place.json(["probe", "--json", "8/8/8/8/4k3/8/1Q6/K7 w - - 0 1"]);
    let formats = answer["tables"].as_array().unwrap();
    assert!(
        formats.iter().all(|table| table["format"] == "native"),
        "{answer}"
    );
    let (status, out, _) = place.run(["list"]);
    let of_both = |row: &str| row.starts_with("KQvK ") && row.contains(" both ");
    assert!(status == 0 && out.lines().any(of_both), "{out}");
    assert_eq!(place.run(["stats", "KQvK"]).0, 0);
}

#[test]
fn generate_writes_them_and_convert_makes_ours_of_them_and_back() {
    let place = Place::new();
    let generate = [
        "generate", "KQvK", "--format", "syzygy", "--tables", "tables",
    ];
    let (status, out, err) = place.run(generate);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("wrote 2 files"), "{out}");
    let (_, out, _) = place.run(generate);
    assert!(out.starts_with("nothing to do"), "{out}");
    let (status, _, err) = place.run([&generate[..], &["--metric", "wdl,dtm"]].concat());
    assert!(status == 2 && err.contains("dtm"), "{err}");
    let answer = place.json(["convert", "--to", "native", "--json"]);
    assert_eq!(
        (&answer["files"], &answer["difference_count"]),
        (&2.into(), &0.into())
    );
    assert!(answer["positions"].as_u64().unwrap() > 40_000);
    let answer = place.json(["convert", "--to", "native", "--compare", "100", "--json"]);
    assert!((1..=200).contains(&answer["positions"].as_u64().unwrap()));
    let list = |place: &Place| place.json(["list", "--json"])["tables"].clone();
    let of_both = list(&place).as_array().unwrap().len();
    assert_eq!(of_both, 4, "no distances to mate, as before");
    let made = |name: &str| std::fs::read(place.path("tables").join(name)).unwrap();
    let before = [made("KQvK.rtbw"), made("KQvK.rtbz")];
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        std::fs::remove_file(place.path("tables").join(name)).unwrap();
    }
    let (status, out, err) = place.run(["convert", "--to", "syzygy", "kqk", "--compare", "0"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("1 material: wrote 2 files"), "{out}");
    assert!(out.ends_with("; 0 positions compared, 0 differ\n"), "{out}");
    assert_eq!([made("KQvK.rtbw"), made("KQvK.rtbz")], before);
    let (status, _, err) = place.run(["convert", "--to", "syzygy", "KRvK"]);
    assert!(
        status == 2 && err.contains("no native table of KRvK"),
        "{err}"
    );
}

#[test]
fn convert_alone_leaves_out_what_a_material_leads_to() {
    let place = Place::new();
    for format in ["native", "syzygy"] {
        let directory = format!("{format}-alone");
        let tables = ["--tables", &directory];
        let made = |name: &str| std::fs::read(place.path(&directory).join(name)).ok();
        let (status, _, err) = place.run(
            [
                &[
                    "generate", "KPvKP", "--format", format, "--metric", "wdl,dtz",
                ],
                &tables[..],
            ]
            .concat(),
        );
        assert_eq!(status, 0, "{err}");
        let (to, results, others) = match format {
            "native" => ("syzygy", "KPvKP.rtbw", ["KQvKP.rtbw", "KPvK.rtbw"]),
            _ => ("native", "KPvKP.wdl", ["KQvKP.wdl", "KPvK.wdl"]),
        };
        let convert = [&["convert", "--to", to, "KPvKP", "--json"], &tables[..]].concat();
        let alone = place.json([&convert[..], &["--alone"]].concat());
        assert_eq!(
            (&alone["files"], &alone["difference_count"]),
            (&2.into(), &0.into())
        );
        assert!(alone["positions"].as_u64().unwrap() > 100_000, "{alone}");
        assert!(others.iter().all(|other| made(other).is_none()));
        let bytes = made(results).unwrap();
        // With all that it leads to, all of it solved, it is the same table.
        std::fs::remove_file(place.path(&directory).join(results)).unwrap();
        let all = place.json(convert);
        assert_eq!(all["difference_count"], 0);
        assert!(all["files"].as_u64().unwrap() > 20, "{all}");
        assert!(others.iter().all(|other| made(other).is_some()));
        assert_eq!(made(results).unwrap(), bytes);
    }
    let (status, _, err) = place.run([
        "convert",
        "--from",
        "native",
        "--to",
        "native",
        "--alone",
        "--tables",
        "native-alone",
    ]);
    assert!(status == 2 && err.contains("--alone"), "{err}");
}

#[test]
fn convert_says_where_the_tables_differ() {
    let place = Place::new();
    let generate = |material: &'static str| {
        let arguments = [
            "generate", material, "--format", "syzygy", "--tables", "tables",
        ];
        assert_eq!(place.run(arguments).0, 0);
    };
    generate("KRvK");
    let path = |name: &str| place.path("tables").join(name);
    let mut bytes = std::fs::read(path("KRvK.rtbw")).unwrap();
    // The men of the header, in both nibbles: the rook becomes a queen.
    for byte in &mut bytes[6..9] {
        let queen_for_rook = |code: u8| if code == 4 { 5 } else { code };
        *byte = queen_for_rook(*byte & 15) | queen_for_rook(*byte >> 4) << 4;
    }
    std::fs::write(path("KQvK.rtbw"), bytes).unwrap();
    let (status, out, err) = place.run(["convert", "--to", "native", "KQvK"]);
    assert_eq!(status, 1);
    assert!(
        out.contains("KQvK wdl (syzygy): ") && out.contains("stored"),
        "{out}"
    );
    assert!(err.contains("other values"), "{err}");
}

#[test]
fn convert_says_what_it_wrote_when_it_cannot_compare() {
    let place = Place::new();
    let generate = ["generate", "KRvK", "--tables", "tables"];
    assert_eq!(place.run(generate).0, 0);
    let path = place.path("tables").join("KRvK.dtz");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
    let (status, out, err) = place.run(["convert", "--to", "syzygy", "KRvK"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(
        err.contains("2 new files written, but not compared: "),
        "{err}"
    );
    assert!(
        err.contains("KRvK.dtz") && err.lines().count() == 1,
        "{err}"
    );
    assert!(place.path("tables/KRvK.rtbz").exists());
}
