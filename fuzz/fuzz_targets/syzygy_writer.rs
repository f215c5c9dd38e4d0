//! Any bytes as values of a Syzygy table: what is written is read again, value for value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Metric, Wdl};
use retrograde::syzygy::{Table, written_for_test};

const MATERIALS: [&str; 6] = ["KQvK", "KBvKN", "KNNvK", "KPvK", "KQvKQ", "KRvKR"];

/// Values from the fuzzer: a byte says which value, how often it follows itself, and how often that
/// comes again.
struct Values<'a> {
    bytes: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Values<'_> {
    fn next(&mut self, len: u64) -> Vec<u8> {
        let mut values = Vec::new();
        while (values.len() as u64) < len {
            let byte = *self.bytes.next().expect("there are bytes");
            let run = 1usize << (byte >> 3 & 15);
            values.extend(std::iter::repeat_n(byte % 5, run));
        }
        values.truncate(len as usize);
        values
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[choice, order], bytes)) = data.split_first_chunk::<2>() else {
        return;
    };
    if bytes.is_empty() {
        return;
    }
    let name = MATERIALS[usize::from(choice) % MATERIALS.len()];
    let material: Material = name.parse().expect("a material");
    let mut values = Values {
        bytes: bytes.iter().cycle(),
    };
    let (file, streams) =
        written_for_test(&material, order.into(), &mut |len| values.next(len)).expect("a table");
    let table = Table::from_store(Box::new(file), &material, Metric::Wdl).expect("it is whole");
    table.verify_checksum(&|_, _| true).expect("it is whole");
    let mut step = 1 + usize::from(order) * 7;
    for stream in streams {
        step += 2;
        for (index, &value) in stream.values.iter().enumerate().step_by(step) {
            let placement = stream.encoder.placement(index as u64).expect("an index");
            let expected = Wdl::from_index(value.into()).expect("a result");
            let found = table.wdl(&placement, Color::ALL[stream.side]);
            assert_eq!(found.expect("it is whole"), expected, "{name} {index}");
        }
    }
});
