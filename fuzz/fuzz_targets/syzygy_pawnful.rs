//! Any bytes as a Syzygy table: an error or a value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde_fuzz::{PAWNFUL, syzygy};

fuzz_target!(|data: &[u8]| syzygy(PAWNFUL, data));
