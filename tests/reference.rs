//! Data of other programs that is not part of this repository.

use std::path::PathBuf;

/// The folder of Syzygy tables that `RETROGRADE_SYZYGY` names; says that the test is skipped if it
/// names none or is empty.
pub fn syzygy_folder() -> Option<PathBuf> {
    folder("RETROGRADE_SYZYGY", "Syzygy tables")
}

/// The folder of our tables of more than four men that `RETROGRADE_LARGE_TABLES` names; says that
/// the test is skipped if it names none.
pub fn large_tables_folder() -> Option<PathBuf> {
    folder("RETROGRADE_LARGE_TABLES", "tables of more than four men")
}

fn folder(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable)
        .filter(|name| !name.is_empty())
        .map(PathBuf::from);
    match &folder {
        None => eprintln!("skipped: no {what}; set {variable} to their folder"),
        Some(folder) => assert!(
            folder.is_dir(),
            "{variable}: no folder {}",
            folder.display()
        ),
    }
    folder
}

/// The folder of Syzygy tables of more than four men that `RETROGRADE_SYZYGY_LARGE` names, with the
/// smaller ones they need; says that the test is skipped if it names none.
pub fn large_syzygy_folder() -> Option<PathBuf> {
    folder(
        "RETROGRADE_SYZYGY_LARGE",
        "Syzygy tables of more than four men",
    )
}
