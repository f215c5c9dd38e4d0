use std::error::Error as _;
use std::io::{Seek, SeekFrom, Write};

use retrograde::Error;
use retrograde::store::FaultyStore;
use retrograde::table::layout::{
    CHECKSUM_OFFSET, FILE_LEN_OFFSET, HEADER_LEN, LONGEST_OFFSET, MATERIAL_OFFSET,
    MORE_STREAMS_LEN, STATISTICS_LEN_OFFSET, STREAM_BLOCK_VALUES_OFFSET, STREAM_CODEC_OFFSET,
    STREAM_COUNT_OFFSET, STREAM_DATA_LEN_OFFSET, STREAM_DICTIONARY_LEN_OFFSET, STREAM_LEN,
    STREAM_PLANE_OFFSET, STREAM_SIDE_OFFSET, STREAM_SYMBOL_COUNT_OFFSET, STREAM_VALUES_OFFSET,
    STREAMS_OFFSET, VERSION, VERSION_OF_TWO_BYTES, VERSION_OFFSET,
};
use retrograde::table::{Codec, Table, TableError, WriteOptions};

use super::{all_values, runs, small_blocks, table_bytes};

/// Some constant, some raw, some compressed blocks, a dictionary, two streams. The file of version
/// 1 in `tests/data/table` holds these values.
pub(super) fn small_table() -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut first = runs(4000, 5, 30, 1);
    first[1000..2000].fill(3);
    let text = runs(100, 100, 2, 77);
    let mut second = text.repeat(30);
    second.extend(runs(600, 255, 1, 5));
    let options = WriteOptions {
        dictionary_bytes: 256,
        ..small_blocks(96)
    };
    let streams = vec![first, second];
    let bytes = table_bytes(&streams, &options);
    (bytes, streams)
}

/// The values of [`small_table`], compressed by LZMA.
fn table_of_lzma() -> (Vec<u8>, Vec<Vec<u8>>) {
    let (_, streams) = small_table();
    let options = WriteOptions {
        codec: Codec::Lzma,
        ..small_blocks(200)
    };
    (table_bytes(&streams, &options), streams)
}

/// Both sides with high bytes, which are mostly one value.
fn table_of_two_bytes() -> (Vec<u8>, Vec<Vec<u8>>) {
    let low = [runs(700, 200, 3, 8), runs(500, 9, 20, 4)];
    let high = low.each_ref().map(|low| {
        let number = |(place, &low): (usize, &u8)| u8::from(place > 300) * (low & 1);
        low.iter().enumerate().map(number).collect()
    });
    let streams = [low, high].concat();
    (table_bytes(&streams, &small_blocks(24)), streams)
}

fn problem(result: Result<impl std::fmt::Debug, Error>) -> TableError {
    match result.unwrap_err() {
        Error::Table { problem, .. } => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_flipped_bit_is_found_or_harmless() {
    for (bytes, values) in [small_table(), table_of_two_bytes(), table_of_lzma()] {
        flip_every_bit(&bytes, &values);
    }
}

fn flip_every_bit(bytes: &[u8], values: &[Vec<u8>]) {
    for position in 0..bytes.len() {
        for mask in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[position] ^= mask;
            if let Ok(read) = all_values(damaged.clone()) {
                assert!(read == values, "byte {position} ^ {mask:#x}");
            }
            let found = Table::from_store(Box::new(damaged))
                .and_then(|table| table.verify_checksums(&|_, _| true));
            assert!(
                found.is_err(),
                "byte {position} ^ {mask:#x} is covered by no checksum"
            );
        }
    }
}

/// A bad disk gives other bytes when it is asked again for a page of a mapped file, and another
/// program may write there.
#[test]
fn bytes_that_change_after_they_were_read_change_no_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KPvK.wdl");
    let (bytes, values) = small_table();
    std::fs::write(&path, &bytes).unwrap();
    let read = |table: &Table| {
        let mut right = 0;
        for (stream, values) in table.streams().iter().zip(&values) {
            for block in 0..stream.block_count() {
                let first = (block * u64::from(stream.block_values())) as usize;
                let expected = &values[first..][..stream.values_in_block(block)];
                if let Ok(Some(value)) = table.constant_block(stream, block) {
                    assert!(expected.iter().all(|&expected| expected == value));
                    right += 1;
                }
                let mut packed = Vec::new();
                if table.decode_block(stream, block, &mut packed).is_ok() {
                    let mut read = vec![0; expected.len()];
                    stream.unpack_block(&packed, &mut read);
                    assert!(read == expected, "block {block}");
                    right += 1;
                }
            }
        }
        right
    };
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut write = |position: usize, byte: u8| {
        file.seek(SeekFrom::Start(position as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    // A new table that has read everything for some bytes, since what is kept must not hide a
    // change from all of them.
    for first in (HEADER_LEN..bytes.len()).step_by(64) {
        let table = Table::open(&path).unwrap();
        let all = read(&table);
        for (position, &byte) in bytes.iter().enumerate().skip(first).take(64) {
            write(position, byte ^ 0x11);
            assert!(read(&table) >= all - 1, "one byte takes one block at most");
            write(position, byte);
        }
        assert_eq!(read(&table), all);
    }
}

#[test]
fn every_truncation_is_found_at_open() {
    for (bytes, _) in [small_table(), table_of_two_bytes(), table_of_lzma()] {
        for len in 0..bytes.len() {
            let found = problem(Table::from_store(Box::new(bytes[..len].to_vec())));
            assert!(
                matches!(found, TableError::Truncated { .. }),
                "{len}: {found}"
            );
        }
    }
    let (mut longer, _) = small_table();
    longer.push(0);
    let found = problem(Table::from_store(Box::new(longer)));
    assert!(matches!(found, TableError::Overlong { extra: 1 }));
}

#[test]
fn swapped_blocks_are_found() {
    // Two raw blocks of equal length: only the block number in the checksum tells them apart.
    let values = runs(512, 255, 1, 12);
    let bytes = table_bytes(&[values], &small_blocks(128));
    let table = Table::from_store(Box::new(bytes.clone())).unwrap();
    let data = HEADER_LEN + table.streams()[0].values().len();
    let mut swapped = bytes;
    let (first, second) = swapped[data..][..264].split_at_mut(132);
    first.swap_with_slice(second);
    let found = problem(all_values(swapped));
    assert!(
        matches!(found, TableError::BlockChecksum { block: 0 | 1, .. }),
        "{found}"
    );
}

#[test]
fn blocks_of_another_table_are_found() {
    use retrograde::table::{Description, StreamSource, write_table_to};
    let values = runs(512, 255, 1, 12);
    let write = |material: &str| {
        let mut out = std::io::Cursor::new(Vec::new());
        let description = Description {
            material: material.to_owned(),
            ..Description::default()
        };
        let stream = StreamSource::new(0, values.len() as u64, &values);
        write_table_to(
            &mut out,
            &description,
            &[stream],
            &small_blocks(128),
            &|_, _| true,
        )
        .unwrap();
        out.into_inner()
    };
    let one = write("KRvK");
    let mut mixed = write("KQvK");
    assert_eq!(one.len(), mixed.len());
    mixed[HEADER_LEN + 300..].copy_from_slice(&one[HEADER_LEN + 300..]);
    assert!(all_values(one).is_ok());
    assert!(all_values(mixed).is_err());
}

#[test]
fn a_failing_disk_gives_an_error_at_every_read() {
    let (bytes, values) = small_table();
    let read = |good_reads| {
        let store = FaultyStore::new(bytes.clone(), 50, good_reads);
        let table = Table::from_store(Box::new(store))?;
        assert_eq!(table.statistics()?, Some(super::statistics()));
        table
            .streams()
            .iter()
            .map(|stream| table.read_stream(stream))
            .collect::<Result<Vec<_>, _>>()
    };
    let mut good_reads = 0;
    let read_values = loop {
        match read(good_reads) {
            Ok(values) => break values,
            Err(error) => {
                assert!(error.to_string().contains("simulated"), "{error}");
                assert!(error.source().is_some());
            }
        }
        good_reads += 1;
    };
    assert!(good_reads > 50);
    assert_eq!(read_values, values);
}

/// Changes bytes of the header and makes its checksum right again.
fn forge(bytes: &[u8], offset: usize, replacement: &[u8]) -> Vec<u8> {
    let mut forged = bytes.to_vec();
    forged[offset..][..replacement.len()].copy_from_slice(replacement);
    let (records, more) = match u32::from(forged[VERSION_OFFSET]) {
        VERSION_OF_TWO_BYTES | VERSION => (4, MORE_STREAMS_LEN),
        _ => (2, 0),
    };
    let symbols: usize = (0..records)
        .map(|number| {
            let offset = record(number) + STREAM_SYMBOL_COUNT_OFFSET;
            usize::from(u16::from_le_bytes([forged[offset], forged[offset + 1]])).min(256)
        })
        .sum();
    let checksum = crc32c::crc32c(&forged[..CHECKSUM_OFFSET]);
    let end = (HEADER_LEN + more + symbols).min(forged.len());
    let checksum = crc32c::crc32c_append(checksum, &forged[HEADER_LEN..end]);
    forged[CHECKSUM_OFFSET..HEADER_LEN].copy_from_slice(&checksum.to_le_bytes());
    forged
}

/// Where a stream record is.
fn record(number: usize) -> usize {
    match number {
        0 | 1 => STREAMS_OFFSET + number * STREAM_LEN,
        _ => HEADER_LEN + (number - 2) * STREAM_LEN,
    }
}

#[test]
fn hostile_headers_of_two_bytes_are_rejected() {
    let (bytes, _) = table_of_two_bytes();
    let codecs = [0, 3].map(|number| record(number) + STREAM_CODEC_OFFSET);
    let planes = [0, 1, 2, 3].map(|number| record(number) + STREAM_PLANE_OFFSET);
    let cases: &[(usize, &[u8])] = &[
        (VERSION_OFFSET, &[2]),
        (VERSION_OFFSET, &[4]),
        (codecs[0], &[1]),
        (codecs[1], &[1]),
        (codecs[1], &[2]),
        (STREAM_COUNT_OFFSET, &[0]),
        (STREAM_COUNT_OFFSET, &[1]),
        (STREAM_COUNT_OFFSET, &[2]),
        (STREAM_COUNT_OFFSET, &[3]),
        (STREAM_COUNT_OFFSET, &[5]),
        (planes[0], &[1]),
        (planes[1], &[1]),
        (planes[2], &[0]),
        (planes[3], &[2]),
        (record(2) + STREAM_SIDE_OFFSET, &[1]),
        (record(3) + STREAM_SIDE_OFFSET, &[0]),
        (record(3) + STREAM_VALUES_OFFSET, &[1]),
    ];
    reject(&bytes, cases);
}

#[test]
fn hostile_headers_of_lzma_are_rejected() {
    let (bytes, _) = table_of_lzma();
    let codecs = [0, 1, 2, 3].map(|number| record(number) + STREAM_CODEC_OFFSET);
    let cases: &[(usize, &[u8])] = &[
        (VERSION_OFFSET, &[2]),
        (VERSION_OFFSET, &[3]),
        (codecs[0], &[2]),
        (codecs[0], &[0, 1]),
        (codecs[2], &[1]),
        (record(0) + STREAM_DICTIONARY_LEN_OFFSET, &[1]),
        (record(0) + STREAM_PLANE_OFFSET, &[1]),
        (record(1) + STREAM_PLANE_OFFSET, &[1]),
        (record(2) + STREAM_SIDE_OFFSET, &[1]),
        (STREAM_COUNT_OFFSET, &[0]),
        (STREAM_COUNT_OFFSET, &[1]),
        (STREAM_COUNT_OFFSET, &[3]),
        (STREAM_COUNT_OFFSET, &[4]),
        (STATISTICS_LEN_OFFSET, &[0; 4]),
        (STATISTICS_LEN_OFFSET, &[1, 0, 0, 0]),
    ];
    reject(&bytes, cases);
    // Zstd and LZMA may stand in one table, but a block is of one of them.
    let forged = forge(&bytes, codecs[0], &[0]);
    let found = problem(all_values(forged));
    assert!(matches!(found, TableError::BlockDecode { .. }), "{found}");
}

/// With any of these bytes changed it is no table, though its checksum is right.
fn reject(bytes: &[u8], cases: &[(usize, &[u8])]) {
    for &(offset, replacement) in cases {
        let forged = forge(bytes, offset, replacement);
        let found = problem(Table::from_store(Box::new(forged)));
        let is_told = matches!(
            found,
            TableError::ImpossibleField { .. }
                | TableError::Truncated { .. }
                | TableError::HeaderChecksum
        );
        assert!(is_told, "{offset} {replacement:?}: {found}");
    }
    // The forger himself is right.
    assert!(all_values(forge(bytes, 0, &[])).is_ok());
}

#[test]
fn hostile_headers_are_rejected() {
    let (bytes, _) = small_table();
    let max = u64::MAX.to_le_bytes();
    let second = STREAMS_OFFSET + STREAM_LEN;
    let cases: &[(usize, &[u8])] = &[
        (STREAM_COUNT_OFFSET, &[0]),
        (STREAM_COUNT_OFFSET, &[1]),
        (STREAM_COUNT_OFFSET, &[3]),
        (STATISTICS_LEN_OFFSET, &[1]),
        (STATISTICS_LEN_OFFSET, &[0; 4]),
        (STATISTICS_LEN_OFFSET, &[255; 4]),
        (VERSION_OFFSET, &[1]),
        (MATERIAL_OFFSET, &[0]),
        (MATERIAL_OFFSET, b"\xff"),
        (MATERIAL_OFFSET + 7, b"x"),
        (LONGEST_OFFSET + 4, &[1]),
        (LONGEST_OFFSET + 16, &[1]),
        (STREAMS_OFFSET + STREAM_SIDE_OFFSET, &[1]),
        (STREAMS_OFFSET + STREAM_SIDE_OFFSET, &[2]),
        (second + STREAM_SIDE_OFFSET, &[0]),
        (STREAMS_OFFSET + STREAM_SYMBOL_COUNT_OFFSET, &[0, 0]),
        (STREAMS_OFFSET + STREAM_SYMBOL_COUNT_OFFSET, &[1, 0]),
        (STREAMS_OFFSET + STREAM_SYMBOL_COUNT_OFFSET, &[1, 1]),
        (STREAMS_OFFSET + STREAM_SYMBOL_COUNT_OFFSET, &[255, 255]),
        (STREAMS_OFFSET + STREAM_VALUES_OFFSET, &max),
        (STREAMS_OFFSET + STREAM_VALUES_OFFSET, &[0; 8]),
        (STREAMS_OFFSET + STREAM_BLOCK_VALUES_OFFSET, &[0; 4]),
        (STREAMS_OFFSET + STREAM_BLOCK_VALUES_OFFSET, &[1, 0, 0, 0]),
        (STREAMS_OFFSET + STREAM_BLOCK_VALUES_OFFSET, &[255; 4]),
        (STREAMS_OFFSET + STREAM_DICTIONARY_LEN_OFFSET, &[255; 4]),
        (STREAMS_OFFSET + STREAM_DATA_LEN_OFFSET, &max),
        (second + STREAM_DATA_LEN_OFFSET, &max),
        (HEADER_LEN, &[7]),
    ];
    for &(offset, replacement) in cases {
        let forged = forge(&bytes, offset, replacement);
        let found = problem(Table::from_store(Box::new(forged)));
        assert!(
            matches!(
                found,
                TableError::ImpossibleField { .. } | TableError::Truncated { .. }
            ),
            "{offset} {replacement:?}: {found}"
        );
    }
    // The forger himself is right.
    assert!(all_values(forge(&bytes, 0, &[])).is_ok());
}

#[test]
fn damaged_statistics_are_an_error() {
    let (bytes, _) = small_table();
    let table = Table::from_store(Box::new(bytes.clone())).unwrap();
    assert_eq!(table.statistics().unwrap(), Some(super::statistics()));
    let len = u32::from_le_bytes(bytes[STATISTICS_LEN_OFFSET..][..4].try_into().unwrap());
    for position in bytes.len() - len as usize..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 1;
        let table = Table::from_store(Box::new(damaged)).unwrap();
        let found = problem(table.statistics());
        assert!(
            matches!(found, TableError::StatisticsChecksum),
            "{position}: {found}"
        );
    }
    // Those of a table of something else are none of this.
    let other = forge(&bytes, MATERIAL_OFFSET, b"KQPvKR");
    let table = Table::from_store(Box::new(other)).unwrap();
    let found = problem(table.statistics());
    assert!(matches!(found, TableError::StatisticsChecksum), "{found}");
}

#[test]
fn an_absurd_number_of_values_is_an_error_not_an_allocation() {
    // One constant stream of 2^48 values is a valid file of a few bytes.
    let bytes = table_bytes(&[vec![1; 10]], &WriteOptions::default());
    let len = (1u64 << 48).to_le_bytes();
    let forged = forge(&bytes, STREAMS_OFFSET + STREAM_VALUES_OFFSET, &len);
    let table = Table::from_store(Box::new(forged)).unwrap();
    let stream = table.stream(0).unwrap();
    assert_eq!(stream.len(), 1 << 48);
    assert_eq!(table.value(stream, (1 << 48) - 1).unwrap(), 1);
}

#[test]
fn other_files_and_versions_are_told_apart() {
    let (bytes, _) = small_table();
    let open = |bytes: Vec<u8>| problem(Table::from_store(Box::new(bytes)));
    assert!(matches!(
        open(b"Hello, world".to_vec()),
        TableError::NotATable
    ));
    assert!(matches!(open(vec![0; 5000]), TableError::NotATable));
    assert!(matches!(open(Vec::new()), TableError::Truncated { .. }));
    let version = |number: u32| {
        let mut bytes = bytes.clone();
        bytes[VERSION_OFFSET..][..4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    assert!(matches!(
        open(version(9)),
        TableError::NewerVersion { found: 9, .. }
    ));
    assert!(matches!(
        open(version(0)),
        TableError::OlderVersion { found: 0, .. }
    ));
    let mut damaged = bytes.clone();
    damaged[FILE_LEN_OFFSET] ^= 1;
    assert!(matches!(open(damaged), TableError::HeaderChecksum));
}

#[test]
fn messages_say_which_table_and_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KRPvKR.wdl");
    let (bytes, _) = small_table();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let message = Table::open(&path).unwrap_err().to_string();
    assert!(message.contains("KRPvKR.wdl: truncated"), "{message}");
    assert!(message.contains("retrograde generate KRPvKR"), "{message}");
    let missing = directory.path().join("missing.wdl");
    assert!(
        Table::open(&missing)
            .unwrap_err()
            .to_string()
            .contains("missing.wdl")
    );
}

#[test]
fn verification_can_be_cancelled() {
    let (bytes, _) = small_table();
    let table = Table::from_store(Box::new(bytes)).unwrap();
    assert!(matches!(
        table.verify_checksums(&|_, _| false),
        Err(Error::Cancelled)
    ));
}
