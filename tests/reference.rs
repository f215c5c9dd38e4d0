//! Data of other programs that is not part of this repository.

use std::path::PathBuf;

/// The folder of Syzygy tables that `RETROGRADE_SYZYGY` names; says that the test is skipped if it names none or is empty.
pub fn syzygy_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("RETROGRADE_SYZYGY")
        .filter(|name| !name.is_empty())
        .map(PathBuf::from);
    match &folder {
        None => eprintln!("skipped: no Syzygy tables; set RETROGRADE_SYZYGY to their folder"),
        Some(folder) => assert!(
            folder.is_dir(),
            "RETROGRADE_SYZYGY: no folder {}",
            folder.display()
        ),
    }
    folder
}
