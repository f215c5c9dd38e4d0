//! Syzygy tables written by us: every value that a prober finds in them is the one that our solver
//! finds.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use retrograde::chess::index::IndexSpace;
use retrograde::chess::material::Material;
use retrograde::chess::solve::Engine;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::metric::Metric;
use retrograde::probe::{Format, ProbeOptions};
use retrograde::syzygy::{Table, file_name};
use retrograde::verify::BothFormats;
use retrograde::{Error, Tablebase};
use tempfile::TempDir;

use super::reader::{compare_with_solved, open, open_with};
use super::{Compared, SAMPLE_STEP, compare};
use crate::generate::{assert_same_files, files, generate, with_threads};

fn options(directory: &Path, signatures: &[&str]) -> GenerateOptions {
    let materials = signatures.iter().map(|s| s.parse().unwrap()).collect();
    GenerateOptions {
        format: Format::Syzygy,
        ..GenerateOptions::new(directory, materials)
    }
}

/// Tables of all three-man materials, of all leading groups, and of pawns on both sides with what
/// they promote to.
fn written() -> &'static TempDir {
    static WRITTEN: OnceLock<TempDir> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let place = TempDir::new().unwrap();
        let signatures = ["KBvK", "KNvK", "KPvKP", "KNNvK", "KRvKB", "KBvKN"];
        generate(&options(place.path(), &signatures));
        place
    })
}

/// The materials of the written tables.
fn materials() -> Vec<Material> {
    let tables = Tablebase::open(written().path()).unwrap();
    let mut materials: Vec<Material> = tables.tables().iter().map(|it| *it.material()).collect();
    materials.dedup();
    assert!(materials.len() > 20);
    materials
}

#[test]
fn both_files_of_all_materials_are_there_under_their_published_names() {
    let names: Vec<String> = files(written().path()).into_keys().collect();
    let mut expected: Vec<String> = materials()
        .iter()
        .flat_map(|material| [Metric::Wdl, Metric::Dtz].map(|metric| file_name(material, metric)))
        .map(|name| name.unwrap())
        .collect();
    expected.sort();
    assert_eq!(names, expected);
    assert!(names.contains(&"KBvKN.rtbw".to_owned()));
}

#[test]
fn another_prober_finds_the_values_that_were_solved() {
    let mut tables = shakmaty_syzygy::Tablebase::new();
    let files = tables.add_directory(written().path()).unwrap();
    assert_eq!(files, 2 * materials().len());
    let mut total = Compared::default();
    for material in materials() {
        let step = if material.men() == 3 { 1 } else { SAMPLE_STEP };
        total = total + compare(&tables, material, step);
    }
    assert!(total.positions > 500_000, "{total:?}");
    assert!(total.lost_roundings * 1000 < total.positions, "{total:?}");
}

/// Compares every so many placements of a material with what was solved; how many positions that
/// were.
fn compare_each(tables: &Tablebase, material: Material, step: u64) -> u64 {
    let space = IndexSpace::new(material);
    let order = space.natural_order();
    (0..space.len().div_ceil(step))
        .into_par_iter()
        .filter_map(|number| space.placement(&order.digits(number * step)))
        .map(|placement| compare_with_solved(tables, &material, &placement).0)
        .sum()
}

#[test]
fn our_prober_finds_the_values_that_were_solved() {
    let tables = open(written().path(), true);
    for material in materials() {
        let step = if material.men() == 3 { 1 } else { SAMPLE_STEP };
        let positions = compare_each(&tables, material, step);
        assert!(positions > 4_000, "{material}");
    }
}

#[test]
fn values_do_not_depend_on_what_is_kept_of_blocks() {
    // Threads that write to the same few places, and none at all.
    for checkpoint_bytes in [0, 64, 1024] {
        let options = ProbeOptions {
            result_bytes: 0,
            checkpoint_bytes,
            // Else the blocks of tables that are asked so often are not read.
            preloaded_bytes: 0,
            ..ProbeOptions::default()
        };
        let tables = open_with(written().path(), &options);
        for name in ["KRvKB", "KPvKP", "KQvKR"] {
            let material: Material = name.parse().unwrap();
            let space = IndexSpace::new(material);
            let order = space.natural_order();
            let numbers = 0..40_000u64;
            let positions: u64 = numbers
                .into_par_iter()
                // Neighbours, so that they are in the same blocks, in no order.
                .map(|number| number * 7_919 % 40_000 + space.len() / 2)
                .filter_map(|number| space.placement(&order.digits(number)))
                .map(|placement| compare_with_solved(&tables, &material, &placement).0)
                .sum();
            assert!(positions > 10_000, "{material}: {positions}");
        }
    }
}

#[test]
fn values_do_not_depend_on_what_is_decoded_as_a_whole() {
    // All and some.
    for preloaded_bytes in [64 << 20, 3 << 20] {
        let options = ProbeOptions {
            result_bytes: 0,
            preloaded_bytes,
            ..ProbeOptions::default()
        };
        let tables = open_with(written().path(), &options);
        tables.prefetch_results(4).unwrap();
        let taken = tables.preloaded_bytes();
        assert!(taken <= preloaded_bytes && taken >= preloaded_bytes.min(2 << 20));
        for material in materials() {
            let step = if material.men() == 3 {
                7
            } else {
                4 * SAMPLE_STEP
            };
            let positions = compare_each(&tables, material, step);
            assert!(positions > 1_000, "{material}");
        }
        assert_eq!(tables.preloaded_bytes(), taken);
    }
}

#[test]
fn tables_that_do_not_answer_are_not_decoded_as_a_whole() {
    let ours = crate::probe::directory();
    let tables = Tablebase::open_with(&[ours, written().path()], &ProbeOptions::default()).unwrap();
    tables.prefetch_results(4).unwrap();
    assert_eq!(tables.preloaded_bytes(), 0);
    let material = "KQvKR".parse().unwrap();
    tables.prefetch(&material, Metric::Dtz).unwrap();
    let missing = "KQQvKQ".parse().unwrap();
    assert!(tables.prefetch(&missing, Metric::Wdl).is_err());
}

#[test]
fn a_small_table_is_decoded_as_a_whole_when_it_is_asked_often() {
    let tables = open_with(written().path(), &ProbeOptions::default());
    let material: Material = "KRvKB".parse().unwrap();
    let space = IndexSpace::new(material);
    let order = space.natural_order();
    let ask = |numbers: std::ops::Range<u64>| {
        numbers
            .into_par_iter()
            .filter_map(|number| space.placement(&order.digits(number * 997 % space.len())))
            .for_each(|placement| {
                compare_with_solved(&tables, &material, &placement);
            });
    };
    // A distance asks for the results of moves as well.
    ask(0..50);
    assert_eq!(tables.preloaded_bytes(), 0);
    ask(50..10_000);
    // Three men that take up the symmetry and another one, both sides to move, with two bits each.
    // Captures lead to other tables.
    let of_table = 2 * (31_332 * 61_usize).div_ceil(4);
    let taken = tables.preloaded_bytes();
    assert!((of_table..of_table + 20_000).contains(&taken), "{taken}");
    tables.clear_cache();
    ask(0..500);
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let [one, three] = [1, 3].map(|threads| {
        let place = TempDir::new().unwrap();
        with_threads(threads, || {
            generate(&options(place.path(), &["KPvK", "KRvKB"]));
        });
        place
    });
    assert_same_files(one.path(), three.path());
}

#[test]
fn the_bytes_do_not_depend_on_where_values_wait() {
    let expected = files(written().path());
    for (engine, men_in_files) in [(Engine::Chains, 6), (Engine::Together, 3)] {
        let (place, scratch) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let mut options = options(place.path(), &["KPvK", "KRvKB", "KNNvK"]);
        options.engine = Some(engine);
        options.men_in_files = men_in_files;
        options.scratch = Some(scratch.path().to_owned());
        assert!(Plan::new(&options).unwrap().scratch() > 0);
        assert!(generate(&options) >= 14);
        for (name, bytes) in files(place.path()) {
            assert!(expected.get(&name) == Some(&bytes), "{name}, {engine:?}");
        }
        // Scratch files have no names.
        assert!(files(scratch.path()).is_empty());
    }
}

#[test]
fn six_men_are_planned_within_memory() {
    // Without pawns, and with one and two that have all to themselves.
    for (signature, most) in [("KQRvKQR", 9), ("KQQPvKQ", 12), ("KRPPvKR", 12)] {
        let place = TempDir::new().unwrap();
        let plan = with_threads(2, || {
            Plan::new(&options(place.path(), &[signature])).unwrap()
        });
        assert!(plan.peak_memory() < most << 30, "{signature}");
        assert!(plan.scratch() > 1 << 30, "{signature}");
    }
}

#[test]
fn checksums_are_right_and_a_wrong_one_is_noticed() {
    let place = TempDir::new().unwrap();
    generate(&options(place.path(), &["KQvK"]));
    let path = place.path().join("KQvK.rtbz");
    let material: Material = "KQvK".parse().unwrap();
    let verify = |table: Table| table.verify_checksum(&|_, _| true);
    for open in [Table::open, Table::open_unmapped] {
        verify(open(&path, &material, Metric::Dtz).unwrap()).unwrap();
        let table = open(&path, &material, Metric::Dtz).unwrap();
        let stopped = table.verify_checksum(&|_, _| false);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
    let sound = std::fs::read(&path).unwrap();
    for place in [sound.len() - 1, sound.len() / 2] {
        let mut damaged = sound.clone();
        damaged[place] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        let table = Table::open(&path, &material, Metric::Dtz).unwrap();
        let error = verify(table).unwrap_err().to_string();
        assert!(
            error.contains("KQvK.rtbz: damaged: the checksum"),
            "{error}"
        );
    }
    // Only that one is written again.
    assert_eq!(generate(&options(place.path(), &["KQvK"])), 1);
    assert_eq!(std::fs::read(&path).unwrap(), sound);
    assert_eq!(generate(&options(place.path(), &["KQvK"])), 0);
}

#[test]
fn both_formats_are_compared() {
    let place = TempDir::new().unwrap();
    let materials: Vec<Material> = ["KQvK", "KPvK"].map(|it| it.parse().unwrap()).to_vec();
    generate(&options(place.path(), &["KQvK", "KPvK"]));
    let never = AtomicBool::new(false);
    let compare = |material: &Material, indices| {
        let both = BothFormats::open(place.path()).unwrap();
        both.compare(material, indices, &never)
    };
    assert!(compare(&materials[0], 10).unwrap_err().is_missing_table());
    generate(&GenerateOptions::new(place.path(), materials.clone()));
    for material in &materials {
        let all = compare(material, u64::MAX).unwrap();
        assert!(all.positions > 40_000 && all.differences.is_empty());
        let some = compare(material, 1_000).unwrap();
        assert!((1_000..2_000).contains(&some.positions));
    }
    // A table of other men under this name is no table; a sound one with other values is found out.
    let plan = Plan::new(&options(place.path(), &["KRvK"])).unwrap();
    plan.run(&never, &()).unwrap();
    let path = |name: &str| place.path().join(name);
    std::fs::copy(path("KRvK.rtbw"), path("KQvK.rtbw")).unwrap();
    assert!(compare(&materials[0], 10).is_err());
    let mut bytes = std::fs::read(path("KRvK.rtbw")).unwrap();
    // The rook becomes a queen, for both sides to move.
    for byte in &mut bytes[6..9] {
        let queen_for_rook = |code: u8| if code == 4 { 5 } else { code };
        *byte = queen_for_rook(*byte & 15) | queen_for_rook(*byte >> 4) << 4;
    }
    std::fs::write(path("KQvK.rtbw"), bytes).unwrap();
    let found = compare(&materials[0], u64::MAX).unwrap();
    assert!(found.differences.len() > 100);
    let difference = found.differences[0].to_string();
    assert!(
        difference.starts_with("KQvK wdl (syzygy): "),
        "{difference}"
    );
}
