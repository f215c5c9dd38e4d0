//! The library answers as other programs and publications do, and says so when it cannot.

mod allocation;
mod failures;
#[cfg(unix)]
mod load;
mod play;
mod published;
pub mod random;
mod results;
mod syzygy;
mod threads;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use retrograde::Tablebase;
use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::table::Compression;

/// Every material of three and four men.
fn all_materials() -> Vec<Material> {
    (3..=4).flat_map(Material::all_with_men).collect()
}

/// A directory for this run of the tests, emptied of what an earlier one left.
fn empty_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Tables of all three- and four-man materials.
pub fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = empty_directory("probe-four-men");
        let options = GenerateOptions {
            compression: Compression::Fast,
            ..GenerateOptions::new(&directory, all_materials())
        };
        Plan::new(&options)
            .unwrap()
            .run(&Default::default(), &())
            .unwrap();
        directory
    })
}

/// The tables of three men that are part of the repository, without what somebody may have
/// generated beside them.
pub fn three_men() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = empty_directory("probe-three-men");
        for file in Tablebase::open("tables").unwrap().tables() {
            if file.material().men() == 3 {
                let name = file.path().file_name().unwrap();
                std::fs::copy(file.path(), directory.join(name)).unwrap();
            }
        }
        directory
    })
}

/// The same as [`directory`], opened.
fn tables() -> &'static Tablebase {
    static TABLES: OnceLock<Tablebase> = OnceLock::new();
    TABLES.get_or_init(|| Tablebase::open(directory()).unwrap())
}
