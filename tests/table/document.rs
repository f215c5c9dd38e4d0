use std::io::Cursor;

use retrograde::table::layout::*;
use retrograde::table::{
    Count, Counts, Description, Longest, Packing, SideStatistics, Statistics, StreamSource, Table,
    write_table_to,
};

use super::small_blocks;

const DOCUMENT: &str = include_str!("../../docs/FORMAT.md");

/// The cells of every table row in the document.
fn rows() -> Vec<Vec<&'static str>> {
    DOCUMENT
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// Rows `| offset | size | name |` whose name is one of these, in the order of the document.
fn fields(names: &[(&'static str, usize)]) -> Vec<(&'static str, usize, usize)> {
    rows()
        .into_iter()
        .filter_map(|cells| {
            let &[offset, size, name, ..] = cells.as_slice() else {
                return None;
            };
            names.iter().find(|(known, _)| *known == name)?;
            Some((name, offset.parse().ok()?, size.parse().unwrap_or(0)))
        })
        .collect()
}

/// The document has exactly these fields, at these offsets, without gaps up to `end`.
fn check_fields(names: &[(&'static str, usize)], end: usize) {
    let fields = fields(names);
    let found: Vec<(&str, usize)> = fields
        .iter()
        .map(|&(name, offset, _)| (name, offset))
        .collect();
    assert_eq!(found, names);
    let mut expected = 0;
    for (name, offset, size) in fields {
        assert_eq!(offset, expected, "{name}");
        expected = offset + size;
    }
    assert_eq!(expected, end);
}

#[test]
fn the_header_is_where_the_document_says() {
    check_fields(
        &[
            ("MAGIC", MAGIC_OFFSET),
            ("VERSION", VERSION_OFFSET),
            ("STATISTICS_LEN", STATISTICS_LEN_OFFSET),
            ("FILE_LEN", FILE_LEN_OFFSET),
            ("GAME", GAME_OFFSET),
            ("METRIC", METRIC_OFFSET),
            ("RULES", RULES_OFFSET),
            ("STREAM_COUNT", STREAM_COUNT_OFFSET),
            ("FLAGS", FLAGS_OFFSET),
            ("MATERIAL", MATERIAL_OFFSET),
            ("COUNTS", COUNTS_OFFSET),
            ("LONGEST", LONGEST_OFFSET),
            ("STREAMS", STREAMS_OFFSET),
            ("CHECKSUM", CHECKSUM_OFFSET),
        ],
        HEADER_LEN,
    );
    check_fields(
        &[
            ("STREAM_SIDE", STREAM_SIDE_OFFSET),
            ("STREAM_PLANE", STREAM_PLANE_OFFSET),
            ("STREAM_SYMBOL_COUNT", STREAM_SYMBOL_COUNT_OFFSET),
            ("STREAM_ORDER", STREAM_ORDER_OFFSET),
            ("STREAM_VALUES", STREAM_VALUES_OFFSET),
            ("STREAM_BLOCK_VALUES", STREAM_BLOCK_VALUES_OFFSET),
            ("STREAM_DICTIONARY_LEN", STREAM_DICTIONARY_LEN_OFFSET),
            (
                "STREAM_DICTIONARY_CHECKSUM",
                STREAM_DICTIONARY_CHECKSUM_OFFSET,
            ),
            ("STREAM_CODEC", STREAM_CODEC_OFFSET),
            ("STREAM_DATA_LEN", STREAM_DATA_LEN_OFFSET),
        ],
        STREAM_LEN,
    );
    check_fields(
        &[
            ("GROUP_CHECKSUM", GROUP_CHECKSUM_OFFSET),
            ("GROUP_BASE", GROUP_BASE_OFFSET),
            ("GROUP_ENTRIES", GROUP_ENTRIES_OFFSET),
        ],
        GROUP_ENTRIES_OFFSET,
    );
}

#[test]
fn the_constants_are_what_the_document_says() {
    let rows = rows();
    for (name, value) in [
        ("GROUP_BLOCKS", GROUP_BLOCKS),
        ("FIRST_LENGTH_ENTRY", u64::from(FIRST_LENGTH_ENTRY)),
        ("BLOCK_CHECKSUM_LEN", BLOCK_CHECKSUM_LEN as u64),
        ("NARROW_BLOCK_BYTES", NARROW_BLOCK_BYTES as u64),
        ("MAX_BLOCK_BYTES", MAX_BLOCK_BYTES as u64),
        ("MAX_DICTIONARY_LEN", MAX_DICTIONARY_LEN as u64),
        ("STATISTICS_CHECKSUM_LEN", STATISTICS_CHECKSUM_LEN as u64),
        ("MAX_STATISTICS_LEN", MAX_STATISTICS_LEN as u64),
        ("MAX_VALUES", MAX_VALUES),
        ("HEADER_LEN", HEADER_LEN as u64),
        ("STREAM_LEN", STREAM_LEN as u64),
        ("MORE_STREAMS_LEN", MORE_STREAMS_LEN as u64),
        ("HIGH_BYTES", HIGH_BYTES.into()),
    ] {
        let row = rows.iter().find(|cells| cells[0] == name).expect(name);
        assert_eq!(row[1], value.to_string(), "{name}");
    }
    assert!(DOCUMENT.contains(&format!("\nVersion {VERSION}. ")));
    let [magic, control] = [&MAGIC[..10], &MAGIC[10..]];
    assert_eq!(magic, b"retrograde");
    let control: Vec<String> = control.iter().map(|byte| format!("{byte:02X}")).collect();
    assert!(DOCUMENT.contains(&format!("`{}`", control.join(" "))));
}

#[test]
fn symbols_pack_as_the_document_says() {
    let per_byte: Vec<(usize, usize)> = rows()
        .iter()
        .skip_while(|cells| cells[0] != "symbols")
        .skip(2)
        .map_while(|cells| match cells.as_slice() {
            [symbols, per_byte] => Some((symbols.parse().ok()?, per_byte.parse().ok()?)),
            _ => None,
        })
        .collect();
    assert_eq!(per_byte.last(), Some(&(256, 1)));
    for symbols in 1..=256 {
        let row = per_byte.iter().find(|(up_to, _)| symbols <= *up_to);
        assert_eq!(Packing::for_symbols(symbols).per_byte(), row.unwrap().1);
    }
}

/// The table that the document shows byte by byte.
fn example() -> Vec<u8> {
    let values: Vec<u8> = vec![7, 9, 9, 7, 7, 9, 9, 9, 9, 9, 9, 9];
    let description = Description {
        metric: 2,
        material: "KRvK".to_owned(),
        counts: [
            Counts::default(),
            Counts {
                draw: 3,
                loss: 9,
                ..Counts::default()
            },
        ],
        longest: [
            Some(Longest {
                plies: 31,
                index: 258,
            }),
            None,
        ],
        ..Description::default()
    };
    let some = |positions| Count {
        positions,
        on_diagonal: 0,
    };
    let statistics = Statistics {
        sides: [
            SideStatistics {
                longest: vec![258],
                ..SideStatistics::default()
            },
            SideStatistics {
                results: [0, 0, 3, 0, 9].map(some),
                mated: some(2),
                stalemated: some(1),
                illegal: some(300),
                losses: [(2, some(4)), (6, some(3))].into(),
                ..SideStatistics::default()
            },
        ],
        zugzwangs: Vec::new(),
    };
    let stream = StreamSource {
        order: [3, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ..StreamSource::new(1, values.len() as u64, &values)
    };
    let mut out = Cursor::new(Vec::new());
    write_table_to(
        &mut out,
        (&description, &statistics),
        &[stream],
        &small_blocks(1),
        &|_, _| true,
    )
    .unwrap();
    out.into_inner()
}

#[test]
fn the_hex_dump_is_what_the_writer_writes() {
    let dump: Vec<u8> = DOCUMENT
        .lines()
        .filter(|line| line.len() > 6 && line.is_char_boundary(4))
        .filter(|line| {
            let (offset, rest) = line.split_at(4);
            offset.bytes().all(|byte| byte.is_ascii_hexdigit()) && rest.starts_with("  ")
        })
        .flat_map(|line| {
            let bytes = line[6..].split("   ").next().unwrap_or_default();
            bytes
                .split_whitespace()
                .map(|byte| u8::from_str_radix(byte, 16).unwrap())
                .collect::<Vec<u8>>()
        })
        .collect();
    let written = example();
    let shown: Vec<String> = written
        .chunks(16)
        .map(|line| line.iter().map(|byte| format!(" {byte:02x}")).collect())
        .collect();
    assert!(dump == written, "the writer writes\n{}", shown.join("\n"));
    let table = Table::from_store(Box::new(dump)).unwrap();
    let stream = table.stream(1).unwrap();
    assert_eq!(table.value(stream, 3).unwrap(), 7);
    assert_eq!(table.constant_block(stream, 1).unwrap(), Some(9));
    let statistics = table.statistics().unwrap().unwrap();
    assert_eq!(statistics.sides[1].losses[&6].positions, 3);
}
