//! The library answers as other programs and publications do, and says so when it cannot.

mod failures;
mod play;
mod published;
mod random;
mod syzygy;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use retrograde::Tablebase;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::material::Material;
use retrograde::metric::Metric;
use retrograde::table::Compression;

/// Every material of three and four men.
fn all_materials() -> Vec<Material> {
    (3..=4).flat_map(Material::all_with_men).collect()
}

/// Makes the tables of some materials, and of what they lead to, in a directory for this run of the tests.
fn generate(name: &str, materials: Vec<Material>, compression: Compression) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Tables of an earlier run may come from another version of the generator.
    let _ = std::fs::remove_dir_all(&directory);
    let options = GenerateOptions {
        directory: directory.clone(),
        materials,
        metrics: Metric::ALL.to_vec(),
        compression,
        memory: None,
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&Default::default(), &()).unwrap();
    directory
}

/// Tables of all three- and four-man materials with both sides to move.
fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| generate("probe-both-sides", all_materials(), Compression::Fast))
}

/// The same, opened.
fn tables() -> &'static Tablebase {
    static TABLES: OnceLock<Tablebase> = OnceLock::new();
    TABLES.get_or_init(|| Tablebase::open(directory()).unwrap())
}
