//! Any bytes as a manifest: an error, or a comparison with the three-man tables that counts every
//! file once.

#![no_main]

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use indicatif::ProgressBar;
use libfuzzer_sys::fuzz_target;
use retrograde_fuzz::manifest::Manifest;
use retrograde_fuzz::{Place, TABLES};

/// More files are not compared, as that takes long.
const MOST_BYTES: u64 = 1 << 20;

static PLACE: LazyLock<Place> = LazyLock::new(Place::new);

fuzz_target!(|data: &[u8]| {
    let Ok(manifest) = Manifest::read(&PLACE.write(data)) else {
        return;
    };
    let mut printed = Vec::new();
    manifest.print(&mut printed).expect("memory takes all");
    let again = Manifest::read(&PLACE.write(&printed)).expect("what is printed can be read");
    let mut printed_again = Vec::new();
    again.print(&mut printed_again).expect("memory takes all");
    assert_eq!(printed, printed_again);
    if manifest.bytes() > MOST_BYTES {
        return;
    }
    let (bar, go_on) = (ProgressBar::hidden(), AtomicBool::new(false));
    let compared = manifest
        .compare(TABLES.as_ref(), &go_on, &bar)
        .expect("the tables are there");
    assert_eq!(compared.files == 0, manifest.is_empty());
    assert!(compared.differences.len() <= compared.files);
});
