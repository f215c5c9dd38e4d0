//! Any bytes as a table of our own: an error or a value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::store::{FaultyStore, Store};
use retrograde::table::Table;
use retrograde_fuzz::{Random, Target, checksums};

const PROBES: usize = 16;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else {
        return;
    };
    let mut bytes = bytes.to_vec();
    let target = match choice & 3 {
        0 => None,
        1 => Some(Target::Header),
        _ => Some(Target::All),
    };
    if let Some(target) = target {
        let _ = checksums(&mut bytes, target);
    }
    let store: Box<dyn Store> = match choice & 4 {
        0 => Box::new(bytes),
        _ => Box::new(FaultyStore::new(bytes, 100, u64::MAX)),
    };
    let Ok(table) = Table::from_store(store) else {
        return;
    };
    if let Ok(Some(statistics)) = table.statistics() {
        assert_eq!(
            statistics.sides.each_ref().map(|side| side.counts()),
            table.description().counts
        );
    }
    let mut random = Random::new(choice.into());
    for stream in table.streams() {
        let len = usize::try_from(stream.len()).unwrap_or(usize::MAX);
        for _ in 0..PROBES {
            let index = random.below(len) as u64;
            let value = table.value(stream, index);
            if let Ok(value) = value {
                assert!(stream.values().contains(&value));
            }
            if let Some((block, offset)) = stream.locate(index)
                && let Ok(Some(constant)) = table.constant_block(stream, block)
            {
                assert!(offset < stream.values_in_block(block));
                assert!(value.is_err() || value.is_ok_and(|value| value == constant));
            }
        }
        assert!(table.value(stream, stream.len()).is_err());
        let last = stream.block_count() - 1;
        let _ = table.read_blocks(stream, last..last + 1);
    }
    let _ = table.verify_checksums(&|done, _| done < 1_000);
});
