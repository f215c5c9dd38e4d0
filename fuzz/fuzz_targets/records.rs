//! Any bytes as a file of solved positions of either game: an error or values.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::probe::TableLeaves;
use retrograde::probe::solved::{Recorded, SolvedSet};
use retrograde::store::{FaultyStore, Store};
use retrograde::table::records::Records;
use retrograde::{Tablebase, chess, xiangqi};
use retrograde_fuzz::{Target, record_checksums};

fn store(choice: u8, bytes: &[u8]) -> Box<dyn Store> {
    match choice & 4 {
        0 => Box::new(bytes.to_vec()),
        _ => Box::new(FaultyStore::new(bytes.to_vec(), 100, u64::MAX)),
    }
}

/// Opens the file as one of a game, and asks for the values of the first position and of what
/// follows it.
fn ask<P: Recorded>(records: Records) -> Option<SolvedSet<P>> {
    let set = SolvedSet::<P>::new("bytes".as_ref(), records).ok()?;
    let _ = set.value(set.root());
    Some(set)
}

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
        let _ = record_checksums(&mut bytes, target);
    }
    let Ok(records) = Records::from_store(store(choice, &bytes)) else {
        return;
    };
    let key_len = records.description().key_len;
    for number in 0..records.blocks().min(16) {
        let mut keys: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let is_whole = records.for_each_in(number, |key, value| {
            if keys.len() < 16 {
                keys.push((key.to_vec(), value.to_vec()));
            }
        });
        if is_whole.is_err() {
            continue;
        }
        for (key, value) in keys {
            let mut found = vec![0; value.len()];
            assert_eq!(records.find(&key, &mut found).ok(), Some(true));
            assert_eq!(found, value);
        }
    }
    let mut value = [0; 8];
    let _ = records.find(&vec![0x5a; key_len], &mut value);
    if let Some(set) = ask::<chess::Position>(records) {
        let tables = Tablebase::open_files(&[] as &[&str], &Default::default()).expect("no files");
        let _ = set.root_moves(set.root(), &TableLeaves::new(&tables));
    }
    if let Ok(records) = Records::from_store(store(choice, &bytes)) {
        let _ = ask::<xiangqi::Position>(records);
    }
});
