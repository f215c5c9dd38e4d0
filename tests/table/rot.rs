//! Bits of real tables of both games that flip at rest: no value may come out different.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use retrograde::Error;
use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::table::{Compression, Table};
use retrograde::tables::rules_directory;
use retrograde::xiangqi::{Rules, Xiangqi};

use crate::xiangqi::tables::generate;

/// Flips that are tried in all; 100 000 with `RETROGRADE_FULL=1`.
const FLIPS: usize = 400;

/// The table files of a directory.
fn tables(directory: &Path) -> Vec<PathBuf> {
    let is_table = |path: &PathBuf| {
        path.extension()
            .is_some_and(|it| it.len() == 3 || it == "rounds")
    };
    let entries = fs::read_dir(directory).unwrap();
    let mut tables: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(is_table)
        .collect();
    tables.sort();
    tables
}

/// Statistics and values of a table, block by block; `None` where one is damaged.
type Values = Vec<Option<Vec<u8>>>;

/// All that a table says: its description, statistics and values.
fn contents(bytes: Vec<u8>) -> Result<(String, Values), Error> {
    let table = Table::from_store(Box::new(bytes))?;
    let said = format!("{:?}", table.description());
    let mut blocks = vec![
        table
            .statistics()
            .ok()
            .map(|statistics| format!("{statistics:?}").into_bytes()),
    ];
    for stream in table.streams() {
        for block in 0..stream.block_count() {
            let mut packed = Vec::new();
            let decoded = table.decode_block(stream, block, &mut packed);
            blocks.push(decoded.is_ok().then_some(packed));
        }
    }
    Ok((said, blocks))
}

#[test]
fn flipped_bits_give_no_other_value() {
    let xiangqi = tempfile::tempdir().unwrap();
    let rules = Rules::PerpetualCheck;
    generate(xiangqi.path(), &["KNvKA", "KCvKB", "KRvKN"], rules);
    let mut paths = tables(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tables"));
    // Whoever generated larger ones into this folder does not wait for them.
    paths.retain(|path| path.file_stem().is_some_and(|stem| stem.len() == 4));
    paths.extend(tables(&rules_directory::<Xiangqi>(xiangqi.path(), rules)));
    let archive = tempfile::tempdir().unwrap();
    let options = GenerateOptions {
        compression: Compression::Smallest,
        ..GenerateOptions::new(archive.path(), Material::all_with_men(3))
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
    paths.extend(tables(archive.path()));
    assert!(paths.len() >= 35, "{paths:?}");
    let flips = match std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1") {
        true => 100_000,
        false => FLIPS,
    };
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut refused, mut damaged) = (0, 0);
    for path in &paths {
        let bytes = fs::read(path).unwrap();
        let (said, values) = contents(bytes.clone()).unwrap();
        for _ in 0..flips.div_ceil(paths.len()) {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let bit = (random >> 20) as usize % (8 * bytes.len());
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok((now_said, now)) = contents(flipped) else {
                refused += 1;
                continue;
            };
            let context = format!("{}, bit {bit}", path.display());
            assert_eq!(now_said, said, "{context}");
            assert_eq!(now.len(), values.len(), "{context}");
            let wrong = now
                .iter()
                .zip(&values)
                .filter(|(now, value)| now.is_some() && now != value);
            assert_eq!(wrong.count(), 0, "{context}");
            damaged += usize::from(now.contains(&None));
        }
    }
    eprintln!(
        "{} flips: {refused} files refused, {damaged} with errors, 0 with other values",
        refused + damaged
    );
    // Every bit counts for something.
    assert!(refused > 0 && damaged > 0, "{refused} {damaged}");
    assert!(refused + damaged >= flips, "{refused} + {damaged}");
}
