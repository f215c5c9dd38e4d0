use std::io::Cursor;

use proptest::prelude::*;
use retrograde::store::FileStore;
use retrograde::table::layout::{HEADER_LEN, STATISTICS_LEN_OFFSET, VERSION_OFFSET};
use retrograde::table::{
    Codec, Compression, Description, Head, Matches, Packing, Plane, StreamSource, Table,
    WriteOptions, write_table, write_table_to,
};

use super::{all_values, description, runs, small_blocks, table_bytes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn values_come_back_in_every_packing(
        symbols in prop::collection::btree_set(any::<u8>(), 1..=256),
        len in 1usize..3000,
        block_bytes in 1usize..300,
        run in 1u64..200,
        seed: u64,
        two_sides: bool,
    ) {
        let symbols: Vec<u8> = symbols.into_iter().collect();
        let values = |seed| -> Vec<u8> {
            let count = (symbols.len() - 1) as u8;
            runs(len, count.max(1), run, seed)
                .into_iter()
                .map(|number| symbols[usize::from(number)])
                .collect()
        };
        let mut streams = vec![values(seed)];
        if two_sides {
            streams.push(values(!seed));
        }
        let bytes = table_bytes(&streams, &small_blocks(block_bytes));
        let table = Table::from_store(Box::new(bytes)).unwrap();
        prop_assert_eq!(table.description(), &description());
        prop_assert_eq!(table.streams().len(), streams.len());
        table.verify_checksums(&|_, _| true).unwrap();
        let mut packed = Vec::new();
        for (side, values) in (0..).zip(&streams) {
            let stream = table.stream(side).unwrap();
            prop_assert_eq!(stream.order(), [side; 12]);
            prop_assert_eq!(&table.read_stream(stream).unwrap(), values);
            for (index, &value) in values.iter().enumerate().step_by(7) {
                let (block, offset) = stream.locate(index as u64).unwrap();
                prop_assert_eq!(block * u64::from(stream.block_values()) + offset as u64, index as u64);
                prop_assert!(offset < stream.values_in_block(block));
                table.decode_block(stream, block, &mut packed).unwrap();
                prop_assert_eq!(stream.value_in_block(&packed, offset), value);
                if let Some(constant) = table.constant_block(stream, block).unwrap() {
                    prop_assert_eq!(constant, value);
                }
            }
        }
    }
}

#[test]
fn high_bytes_stand_behind_low_ones() {
    let low = [runs(3000, 250, 2, 1), runs(2000, 3, 9, 2)];
    let high = [vec![0; 3000], runs(2000, 1, 50, 3)];
    let bytes = table_bytes(&[low.clone(), high.clone()].concat(), &small_blocks(64));
    let table = Table::from_store(Box::new(bytes.clone())).unwrap();
    table.verify_checksums(&|_, _| true).unwrap();
    assert_eq!(table.streams().len(), 4);
    assert!(table.statistics().unwrap().is_some());
    for (side, (low, high)) in (0..).zip(low.iter().zip(&high)) {
        let [of_low, of_high] = [table.stream(side), table.high_bytes(side)].map(Option::unwrap);
        assert_eq!((of_low.plane(), of_low.side()), (Plane::Low, side));
        assert_eq!((of_high.plane(), of_high.side()), (Plane::High, side));
        assert_eq!(of_high.order(), [side + 2; 12]);
        assert_eq!(&table.read_stream(of_low).unwrap(), low);
        assert_eq!(&table.read_stream(of_high).unwrap(), high);
    }
    // Without high bytes it is the version that older readers know.
    let version = |bytes: &[u8]| bytes[VERSION_OFFSET];
    assert_eq!(version(&bytes), 3);
    assert_eq!(version(&table_bytes(&low, &small_blocks(64))), 2);
    // One side's high bytes without the other's, and high bytes without statistics, are errors.
    let stream = |side, plane, values| StreamSource {
        plane,
        ..StreamSource::new(side, 3000, values)
    };
    let (zeros, description) = (vec![0u8; 3000], description());
    let mut streams = vec![
        stream(0, Plane::Low, &zeros),
        stream(1, Plane::Low, &zeros),
        stream(0, Plane::High, &zeros),
    ];
    let statistics = super::statistics();
    let write = |streams: &[StreamSource<'_>], head: Head<'_>| {
        let mut out = std::io::Cursor::new(Vec::new());
        write_table_to(
            &mut out,
            head,
            streams,
            &WriteOptions::default(),
            &|_, _| true,
        )
    };
    let with_statistics = Head::from((&description, &statistics));
    assert!(write(&streams, with_statistics).is_err());
    streams.push(stream(1, Plane::High, &zeros));
    assert!(write(&streams, with_statistics).is_ok());
    assert!(write(&streams, Head::from(&description)).is_err());
    streams.swap(1, 2);
    assert!(write(&streams, with_statistics).is_err());
}

#[test]
fn bytes_end_where_rows_end() {
    // Rows of 64 of which each is one of a few: so many kinds of values, with and without gaps.
    let mut random = fastrand::Rng::with_seed(9);
    for (kinds, symbols) in [
        (1, 1),
        (2, 2),
        (3, 4),
        (4, 4),
        (5, 7),
        (6, 7),
        (16, 16),
        (17, 17),
    ] {
        for step in [1, 3] {
            let rows: Vec<Vec<u8>> = (0..20)
                .map(|_| (0..64).map(|_| 5 + step * random.u8(..kinds)).collect())
                .collect();
            let values: Vec<u8> = std::iter::repeat_with(|| rows[random.usize(..20)].clone())
                .take(2000)
                .flatten()
                .collect();
            let in_rows = WriteOptions {
                row: 64,
                ..WriteOptions::default()
            };
            let dense = table_bytes(std::slice::from_ref(&values), &WriteOptions::default());
            let in_rows = table_bytes(std::slice::from_ref(&values), &in_rows);
            let [dense, in_rows] = [dense, in_rows].map(|bytes| {
                let (len, table) = (bytes.len(), Table::from_store(Box::new(bytes)).unwrap());
                table.verify_checksums(&|_, _| true).unwrap();
                let stream = table.stream(0).unwrap();
                assert_eq!(table.read_stream(stream).unwrap(), values);
                (len, stream.values().len())
            });
            assert_eq!((dense.1, in_rows.1), (kinds.into(), symbols));
            match dense.1 == in_rows.1 {
                true => assert_eq!(dense.0, in_rows.0),
                // What repeats is found wherever it stands.
                false => assert!(
                    in_rows.0 < dense.0 * 9 / 10,
                    "{kinds}: {in_rows:?}, {dense:?}"
                ),
            }
        }
    }
}

#[test]
fn blocks_are_compressed_in_the_better_of_two_ways() {
    // Words of six bytes in an order by lot: no match of seven bytes is found, but shorter ones are.
    let mut random = fastrand::Rng::with_seed(4);
    let words: Vec<[u8; 6]> = (0..200)
        .map(|_| random.u64(..).to_le_bytes())
        .map(|bytes| *bytes.first_chunk().unwrap())
        .collect();
    let values: Vec<u8> = std::iter::repeat_with(|| words[random.usize(..words.len())])
        .take(2_000_000)
        .flatten()
        .collect();
    let [long, short] = [7, 4].map(|min_match| Matches {
        min_match,
        search_log: 4,
    });
    let options = |matches, other_matches| WriteOptions {
        matches: Some(matches),
        other_matches,
        ..WriteOptions::default()
    };
    let written = |options: &WriteOptions| table_bytes(std::slice::from_ref(&values), options);
    let [only_long, only_short] = [long, short].map(|matches| written(&options(matches, None)));
    assert!(only_short.len() < only_long.len());
    let from_long = written(&options(long, Some(short)));
    // The first of three parts is compressed before anything is known.
    assert!(3 * from_long.len() < only_long.len() + 2 * only_short.len() + only_long.len() / 10);
    assert_eq!(written(&options(short, Some(long))), only_short);
    let table = Table::from_store(Box::new(from_long)).unwrap();
    assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), values);
}

#[test]
fn every_number_of_symbols_has_its_packing() {
    for (symbols, per_byte) in [
        (1, 8),
        (2, 8),
        (3, 5),
        (4, 4),
        (5, 3),
        (6, 3),
        (7, 2),
        (15, 2),
        (16, 2),
        (17, 1),
        (256, 1),
    ] {
        assert_eq!(Packing::for_symbols(symbols).per_byte(), per_byte);
        let values: Vec<u8> = (0..1000)
            .map(|index| (index * 31 % symbols) as u8)
            .collect();
        let bytes = table_bytes(std::slice::from_ref(&values), &small_blocks(64));
        let table = Table::from_store(Box::new(bytes)).unwrap();
        let stream = &table.streams()[0];
        assert_eq!(stream.values().len(), symbols);
        assert_eq!(table.read_stream(stream).unwrap(), values);
    }
}

#[test]
fn a_constant_stream_takes_no_data() {
    let bytes = table_bytes(&[vec![9; 100_000]], &WriteOptions::default());
    let statistics_len = &bytes[STATISTICS_LEN_OFFSET..][..4];
    let statistics_len = u32::from_le_bytes(statistics_len.try_into().unwrap());
    assert_eq!(bytes.len(), HEADER_LEN + 1 + statistics_len as usize);
    let table = Table::from_store(Box::new(bytes)).unwrap();
    let stream = table.stream(0).unwrap();
    assert_eq!(table.constant_block(stream, 0).unwrap(), Some(9));
    assert_eq!(table.value(stream, 99_999).unwrap(), 9);
    assert!(table.value(stream, 100_000).is_err());
    assert!(table.stream(1).is_none());
}

#[test]
fn a_constant_block_takes_a_directory_entry_only() {
    let mut values = vec![2; 64 * 400];
    values[0] = 1;
    let bytes = table_bytes(&[values], &small_blocks(8));
    let table = Table::from_store(Box::new(bytes)).unwrap();
    let stream = table.stream(0).unwrap();
    assert_eq!(stream.block_count(), 400);
    assert_eq!(table.constant_block(stream, 0).unwrap(), None);
    assert_eq!(table.constant_block(stream, 399).unwrap(), Some(2));
    assert!(table.constant_block(stream, 400).is_err());
    assert!(table.file_len() < 400 * 3 + 300);
}

#[test]
fn blocks_with_wide_directory_entries_come_back() {
    let values = runs(3_000_000, 200, 3, 5);
    let bytes = table_bytes(std::slice::from_ref(&values), &small_blocks(1 << 17));
    assert_eq!(all_values(bytes).unwrap(), [values]);
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    // The long blocks are those for which zstd would choose its row match finder.
    let zstd = |block_bytes| WriteOptions {
        dictionary_bytes: 4096,
        ..small_blocks(block_bytes)
    };
    let lzma = WriteOptions {
        codec: Codec::Lzma,
        ..small_blocks(64 << 10)
    };
    for options in [512, 16 << 10, 64 << 10]
        .map(zstd)
        .into_iter()
        .chain([lzma])
    {
        let streams = [runs(3_000_000, 5, 12, 1), runs(700_000, 120, 20, 2)];
        let with_threads = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| table_bytes(&streams, &options))
        };
        let one = with_threads(1);
        assert!(one == with_threads(2));
        assert!(one == with_threads(5));
    }
}

#[test]
fn blocks_of_lzma_come_back() {
    let noise = runs(1000, 255, 1, 3);
    for len in [1, 2, 5, 100, 4095, 4096, 4097, 70_000, 1 << 20] {
        let with = |codec| {
            let streams = [runs(3 * len + 1, 200, 7, 5), runs(2 * len, 3, 20, 6)];
            let streams = [&streams[0], &noise, &streams[1]].map(|part| part.as_slice());
            let streams = [[streams[0], streams[1]].concat(), streams[2].to_vec()];
            let options = WriteOptions {
                codec,
                ..small_blocks(len)
            };
            let bytes = table_bytes(&streams, &options);
            assert_eq!(all_values(bytes.clone()).unwrap(), streams, "{len}");
            bytes.len()
        };
        let [zstd, lzma] = [Codec::Zstd, Codec::Lzma].map(with);
        assert!(lzma < zstd || len < 4096, "{len}: {zstd}, {lzma}");
    }
}

#[test]
fn a_table_of_lzma_needs_no_statistics() {
    let values = runs(10_000, 9, 12, 4);
    let stream = StreamSource::new(0, values.len() as u64, &values);
    let options = WriteOptions {
        codec: Codec::Lzma,
        ..small_blocks(1024)
    };
    let mut out = Cursor::new(Vec::new());
    write_table_to(&mut out, &description(), &[stream], &options, &|_, _| true).unwrap();
    let table = Table::from_store(Box::new(out.into_inner())).unwrap();
    assert_eq!(table.statistics().unwrap(), None);
    assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), values);
    let with_dictionary = WriteOptions {
        dictionary_bytes: 1024,
        ..options
    };
    let mut out = Cursor::new(Vec::new());
    let written = write_table_to(
        &mut out,
        &description(),
        &[stream],
        &with_dictionary,
        &|_, _| true,
    );
    assert!(
        written
            .unwrap_err()
            .to_string()
            .contains("dictionary_bytes")
    );
}

#[test]
fn a_dictionary_is_kept_only_where_it_helps() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dictionary.dtz");
    let write = |values: &Vec<u8>| {
        let options = WriteOptions {
            dictionary_bytes: 2048,
            ..small_blocks(1024)
        };
        let stream = StreamSource::new(1, values.len() as u64, values);
        write_table(&path, &description(), &[stream], &options, &|_, _| true).unwrap()
    };
    // Each block repeats pieces of the same long text, which only a dictionary can know.
    let text = runs(600, 100, 2, 77);
    let pieces = runs(4000, 12, 1, 3);
    let values: Vec<u8> = pieces
        .iter()
        .flat_map(|&piece| text[usize::from(piece) * 50..][..50].to_vec())
        .collect();
    let sizes = write(&values);
    assert!(sizes.streams[0].dictionary_bytes > 0);
    let table = Table::open_unmapped(&path).unwrap();
    assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), values);
    table.verify_checksums(&|_, _| true).unwrap();

    let noise = runs(200_000, 255, 1, 9);
    assert_eq!(write(&noise).streams[0].dictionary_bytes, 0);
}

#[test]
fn all_compressions_and_stores_give_the_same_values() {
    let directory = tempfile::tempdir().unwrap();
    let values = runs(400_000, 4, 20, 8);
    for compression in [Compression::Fast, Compression::Default, Compression::Small] {
        let path = directory.path().join("KRPvKR.wdl");
        let stream = StreamSource::new(0, values.len() as u64, &values);
        write_table(
            &path,
            &description(),
            &[stream],
            &compression.into(),
            &|_, _| true,
        )
        .unwrap();
        for table in [
            Table::open(&path).unwrap(),
            Table::open_unmapped(&path).unwrap(),
            Table::from_store(Box::new(FileStore::open(&path).unwrap())).unwrap(),
            Table::from_store(Box::new(std::fs::read(&path).unwrap())).unwrap(),
        ] {
            assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), values);
        }
    }
}

#[test]
fn statistics_and_flags_leave_the_blocks_as_they_are() {
    let values = super::runs(4000, 5, 30, 1);
    let stream = StreamSource::new(0, values.len() as u64, &values);
    let write = |head: Head<'_>| {
        let mut out = std::io::Cursor::new(Vec::new());
        let options = WriteOptions::default();
        write_table_to(&mut out, head, &[stream], &options, &|_, _| true).unwrap();
        out.into_inner()
    };
    let description = Description {
        flags: 0,
        ..description()
    };
    let flagged = Description {
        flags: 1,
        ..description.clone()
    };
    let before = write((&description).into());
    let after = write((&flagged, &super::statistics()).into());
    assert_eq!(before[HEADER_LEN..], after[HEADER_LEN..before.len()]);
    let table = Table::from_store(Box::new(after)).unwrap();
    assert_eq!(table.description().flags, 1);
    assert_eq!(table.statistics().unwrap(), Some(super::statistics()));
    let table = Table::from_store(Box::new(before)).unwrap();
    assert_eq!(table.statistics().unwrap(), None);
}

/// The file was written when version 1 was new; every later reader must read it.
#[test]
fn the_first_file_of_version_1_is_read() {
    let bytes = include_bytes!("../data/table/version-1.table").to_vec();
    let (_, values) = super::damage::small_table();
    let table = Table::from_store(Box::new(bytes)).unwrap();
    assert_eq!(table.description(), &description());
    table.verify_checksums(&|_, _| true).unwrap();
    for (stream, values) in table.streams().iter().zip(values) {
        assert_eq!(table.read_stream(stream).unwrap(), values);
    }
}
