//! Tests with tables that no writer writes although every checksum is right.

use super::block::{
    self, DirectoryBuilder, StoredBlock, block_checksum, dictionary_checksum, stream_seed,
};
use super::compress::Encoder;
use super::decompress::{Decoder, StreamCodec};
use super::layout::{
    Codec, GROUP_BASE_OFFSET, GROUP_ENTRIES_OFFSET, Header, ORDER_LEN, Plane, STREAMS_OFFSET,
    StreamRecord, get_u64,
};
use super::{Description, Table, TableError, WriteOptions};
use crate::Error;

const VALUES: u64 = 100;
const BLOCK_VALUES: u32 = 50;

/// A table of three values in two blocks of ten packed bytes.
struct Forgery {
    blocks: [StoredBlock; 2],
    dictionary: Vec<u8>,
    codec: Codec,
    /// Changes the only directory group, whose checksum is made right again.
    change_group: fn(&mut [u8]),
}

impl Default for Forgery {
    fn default() -> Self {
        Self {
            blocks: [StoredBlock::Raw(vec![1; 10]), StoredBlock::Constant(2)],
            dictionary: Vec::new(),
            codec: Codec::Zstd,
            change_group: |_| {},
        }
    }
}

impl Forgery {
    fn bytes(self) -> Vec<u8> {
        let mut header = Header {
            description: Description {
                material: "KRvK".to_owned(),
                ..Description::default()
            },
            streams: vec![StreamRecord {
                side: 0,
                plane: Plane::Low,
                order: [0; ORDER_LEN],
                values: VALUES,
                block_values: BLOCK_VALUES,
                dictionary_len: self.dictionary.len() as u32,
                dictionary_checksum: 0,
                codec: self.codec,
                data_len: 0,
                symbols: vec![3, 5, 7],
            }],
            statistics_len: None,
        };
        let seed = stream_seed(header.identity(), 0);
        let mut directory = DirectoryBuilder::new(seed, 2);
        let mut data = Vec::new();
        for (number, block) in (0..).zip(&self.blocks) {
            directory.push(block);
            if block.stored_len() != 0 {
                let checksum = block_checksum(seed, number, block.payload());
                data.extend_from_slice(&checksum.to_le_bytes());
                data.extend_from_slice(block.payload());
            }
        }
        let mut group = directory.finish();
        (self.change_group)(&mut group);
        let checksum = block::group_checksum(seed, 0, &group[GROUP_BASE_OFFSET..]);
        group[..GROUP_BASE_OFFSET].copy_from_slice(&checksum.to_le_bytes());
        header.streams[0].data_len = data.len() as u64;
        if !self.dictionary.is_empty() {
            header.streams[0].dictionary_checksum = dictionary_checksum(seed, &self.dictionary);
        }
        [header.encode(), self.dictionary, data, group].concat()
    }

    fn values(self) -> Result<Vec<u8>, TableError> {
        let table = Table::from_store(Box::new(self.bytes())).unwrap();
        let stream = &table.streams()[0];
        table.read_stream(stream).map_err(|error| match error {
            Error::Table { problem, .. } => problem,
            other => panic!("{other}"),
        })
    }
}

/// A zstd frame by hand: no magic, no content size, window of 1 KiB; one block, the last, that
/// repeats a zero byte `len` times.
fn frame(len: u32) -> StoredBlock {
    let block_header = ((len << 3) | 0b011).to_le_bytes();
    StoredBlock::Compressed([&[0, 0], &block_header[..3], &[0]].concat())
}

#[test]
fn the_forger_can_write_a_good_table() {
    let values = Forgery::default().values().unwrap();
    assert_eq!(values.len(), 100);
    assert_eq!(values[..6], [5, 3, 3, 3, 3, 5]);
    assert_eq!(values[50..], [7; 50]);
}

#[test]
fn a_frame_of_another_size_is_rejected() {
    let values = |len| {
        let forgery = Forgery {
            blocks: [frame(len), StoredBlock::Constant(0)],
            ..Forgery::default()
        };
        forgery.values()
    };
    assert_eq!(values(10).unwrap(), [3; 100]);
    for len in [0, 1, 9, 11, 500, 1 << 20] {
        let found = values(len);
        assert!(
            matches!(found, Err(TableError::BlockDecode { block: 0, .. })),
            "{len}: {found:?}"
        );
    }
}

#[test]
fn a_payload_that_is_no_frame_is_rejected() {
    for payload in [vec![0], vec![0xff; 9], b"nonsense".to_vec()] {
        for codec in [Codec::Zstd, Codec::Lzma] {
            let forgery = Forgery {
                blocks: [
                    StoredBlock::Compressed(payload.clone()),
                    StoredBlock::Constant(0),
                ],
                codec,
                ..Forgery::default()
            };
            assert!(matches!(
                forgery.values(),
                Err(TableError::BlockDecode { block: 0, .. })
            ));
        }
    }
}

#[test]
fn lzma_of_another_size_is_rejected() {
    // Chunks by hand: so many bytes as they are, the dictionary reset before them, and the end. A
    // block of 50 values in bytes of five has ten; ten as they are would be raw, so chunks of ten
    // are longer than a payload can be.
    let chunk = |len: u8| {
        let mut chunk = vec![1, 0, len - 1];
        chunk.extend(std::iter::repeat_n(0, len.into()));
        chunk
    };
    let values = |payload: Vec<u8>| {
        let forgery = Forgery {
            blocks: [StoredBlock::Compressed(payload), StoredBlock::Constant(0)],
            codec: Codec::Lzma,
            ..Forgery::default()
        };
        forgery.values()
    };
    for payload in [
        [chunk(5), vec![0]].concat(),
        chunk(5),
        [chunk(1), vec![0; 3]].concat(),
    ] {
        let found = values(payload);
        assert!(
            matches!(found, Err(TableError::BlockDecode { block: 0, .. })),
            "{found:?}"
        );
    }
}

#[test]
fn lzma_has_to_end_where_its_payload_ends() {
    let zeros = vec![0; 1000];
    let options = WriteOptions {
        codec: Codec::Lzma,
        ..WriteOptions::default()
    };
    let mut encoder = Encoder::new(&options, None).unwrap();
    let symbols: Vec<u8> = (0..1000u32).map(|number| u8::from(number == 0)).collect();
    let StoredBlock::Compressed(good) = encoder.encode(&symbols, &zeros).unwrap() else {
        panic!("zeros compress");
    };
    let decode = |payload: &[u8], len: usize| {
        let mut packed = Vec::new();
        let decoded = Decoder::new().decode(StreamCodec::Lzma, payload, len, &mut packed);
        decoded.unwrap().then_some(packed)
    };
    assert_eq!(decode(&good, 1000), Some(zeros));
    assert_eq!(decode(&good, 999), None);
    assert_eq!(decode(&good, 1001), None);
    assert_eq!(decode(&good[..good.len() - 1], 1000), None);
    assert_eq!(decode(&[&good[..], &[0]].concat(), 1000), None);
    assert_eq!(decode(&[], 1000), None);
}

#[test]
fn a_payload_longer_than_a_block_is_rejected() {
    let forgery = Forgery {
        blocks: [StoredBlock::Raw(vec![0; 11]), StoredBlock::Constant(0)],
        ..Forgery::default()
    };
    assert!(matches!(
        forgery.values(),
        Err(TableError::ImpossibleEntry { block: 0, .. })
    ));
}

#[test]
fn a_byte_that_stands_for_nothing_is_rejected() {
    let forgery = Forgery {
        blocks: [StoredBlock::Constant(0), StoredBlock::Raw(vec![243; 10])],
        ..Forgery::default()
    };
    assert!(matches!(
        forgery.values(),
        Err(TableError::SymbolRange { block: 1, .. })
    ));
}

#[test]
fn a_constant_without_a_symbol_is_rejected() {
    let forgery = Forgery {
        blocks: [StoredBlock::Raw(vec![0; 10]), StoredBlock::Constant(3)],
        ..Forgery::default()
    };
    assert!(matches!(
        forgery.values(),
        Err(TableError::ImpossibleEntry { block: 1, .. })
    ));
}

#[test]
fn blocks_outside_the_data_are_rejected() {
    let changes: [fn(&mut [u8]); 3] = [
        |group| group[GROUP_BASE_OFFSET] = 1,
        |group| group[GROUP_BASE_OFFSET..GROUP_ENTRIES_OFFSET].fill(0xff),
        // Block 1 becomes a payload of one byte behind the end.
        |group| group[GROUP_ENTRIES_OFFSET + 2..].copy_from_slice(&256u16.to_le_bytes()),
    ];
    for change_group in changes {
        let forgery = Forgery {
            change_group,
            ..Forgery::default()
        };
        assert!(matches!(
            forgery.values(),
            Err(TableError::ImpossibleEntry { .. })
        ));
    }
}

#[test]
fn data_that_no_block_uses_is_found_by_verification() {
    let forgery = Forgery {
        // Block 0 becomes constant; its bytes stay behind.
        change_group: |group| group[GROUP_ENTRIES_OFFSET..][..2].copy_from_slice(&[0, 0]),
        ..Forgery::default()
    };
    let table = Table::from_store(Box::new(forgery.bytes())).unwrap();
    assert!(table.verify_checksums(&|_, _| true).is_err());
}

#[test]
fn a_dictionary_that_is_none_is_rejected() {
    // The magic number of a zstd dictionary, then no entropy tables.
    let mut dictionary = 0xec30_a437u32.to_le_bytes().to_vec();
    dictionary.extend_from_slice(&[0xff; 60]);
    let forgery = Forgery {
        dictionary,
        ..Forgery::default()
    };
    assert!(matches!(
        forgery.values(),
        Err(TableError::ImpossibleDictionary { stream: 0 })
    ));
}

#[test]
fn the_header_comes_back() {
    let bytes = Forgery::default().bytes();
    let header = Header::decode(&bytes[..STREAMS_OFFSET + 103], bytes.len() as u64).unwrap();
    let encoded = header.encode();
    assert_eq!(bytes[..encoded.len()], encoded);
    assert_eq!(header.encoded_len(), encoded.len() as u64);
    assert_eq!(
        get_u64(&bytes, super::layout::FILE_LEN_OFFSET),
        bytes.len() as u64
    );
}

#[test]
fn sections_beyond_four_gigabytes_add_up_and_overflow_is_noticed() {
    let bytes = Forgery::default().bytes();
    let mut header = Header::decode(&bytes[..STREAMS_OFFSET + 103], bytes.len() as u64).unwrap();
    header.streams[0].data_len = 5 << 32;
    let (sections, end) = header.sections().unwrap();
    assert_eq!(sections[0].directory, sections[0].data + (5 << 32));
    assert_eq!(end, sections[0].directory + 16);
    header.streams[0].data_len = u64::MAX;
    assert_eq!(header.sections(), None);
}

#[test]
fn directory_groups_address_data_beyond_four_gigabytes() {
    let mut group = vec![0; GROUP_ENTRIES_OFFSET + 4];
    group[GROUP_BASE_OFFSET..GROUP_ENTRIES_OFFSET].copy_from_slice(&(7u64 << 33).to_le_bytes());
    group[GROUP_ENTRIES_OFFSET..][..2].copy_from_slice(&(255u16 + 1000).to_le_bytes());
    assert_eq!(
        block::group_block_start(&group, 2, 1),
        Some((7 << 33) + 1004)
    );
}
