//! Any bytes as a Syzygy table: an error or a value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde_fuzz::{PAWNLESS, syzygy};

fuzz_target!(|data: &[u8]| syzygy(PAWNLESS, data));
