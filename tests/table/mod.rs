//! What the tests of the table format share.

use std::io::Cursor;

use retrograde::table::{
    Count, Counts, Description, Longest, Plane, SideStatistics, Statistics, StreamSource, Table,
    WriteOptions, Zugzwangs, write_table_to,
};

/// Damaged, truncated and hostile bytes give errors.
mod damage;
/// `docs/FORMAT.md` says what the code does.
mod document;
/// What is on disk before, during and after writing.
mod publication;
/// Bits of real tables that flip.
mod rot;
/// What was written is read.
mod round_trip;

/// A description that uses every field.
fn description() -> Description {
    Description {
        game: 0,
        metric: 2,
        rules: 1,
        flags: 5,
        material: "KRPvKR".to_owned(),
        counts: [
            Counts {
                win: 1,
                cursed_win: 2,
                draw: 3,
                blessed_loss: 4,
                loss: 5,
            },
            Counts {
                win: 6,
                cursed_win: 7,
                draw: 8,
                blessed_loss: 9,
                loss: u64::MAX,
            },
        ],
        longest: [
            Some(Longest {
                plies: 147,
                index: 1_234_567,
            }),
            None,
        ],
    }
}

/// Statistics that use every field and have the results of the description.
fn statistics() -> Statistics {
    let mut number = 0;
    let mut count = || {
        number += 99;
        Count {
            positions: number * number,
            on_diagonal: number,
        }
    };
    let sides = description().counts.map(|counts| SideStatistics {
        results: [
            counts.win,
            counts.cursed_win,
            counts.draw,
            counts.blessed_loss,
            counts.loss,
        ]
        .map(|positions| Count {
            positions,
            on_diagonal: positions / 2,
        }),
        mated: count(),
        stalemated: count(),
        illegal: count(),
        wins: [1, 3, 147].map(|plies| (plies, count())).into(),
        losses: [2, 300].map(|plies| (plies, count())).into(),
        longest: vec![1_234_567, 89, 0],
    });
    let zugzwangs = |positions| Zugzwangs {
        positions,
        different: positions / 2,
        indices: (0..positions / 2).collect(),
    };
    Statistics {
        sides,
        zugzwangs: [0, 8, 30].map(zugzwangs).into(),
    }
}

/// Small blocks, so that small tables have many.
fn small_blocks(block_bytes: usize) -> WriteOptions {
    WriteOptions {
        block_bytes,
        ..WriteOptions::default()
    }
}

/// A table in memory; the first stream is for side 0, the second for side 1. Of four, the other two
/// have high bytes.
fn table_bytes(streams: &[Vec<u8>], options: &WriteOptions) -> Vec<u8> {
    let streams: Vec<StreamSource<'_>> = streams
        .iter()
        .zip(0..)
        .map(|(values, side)| StreamSource {
            order: [side; 12],
            plane: if side < 2 { Plane::Low } else { Plane::High },
            ..StreamSource::new(side & 1, values.len() as u64, values)
        })
        .collect();
    let mut out = Cursor::new(Vec::new());
    let head = (&description(), &statistics());
    let sizes = write_table_to(&mut out, head, &streams, options, &|_, _| true).unwrap();
    assert_eq!(sizes.file_bytes, out.get_ref().len() as u64);
    out.into_inner()
}

/// Every value of every stream, or the first error; statistics are right if they are read at all.
fn all_values(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, retrograde::Error> {
    let table = Table::from_store(Box::new(bytes))?;
    if let Some(read) = table.statistics()? {
        assert_eq!(read, statistics());
    }
    table
        .streams()
        .iter()
        .map(|stream| table.read_stream(stream))
        .collect()
}

/// Values in runs of about `run` with some noise, as tablebases have: the same for the same seed.
fn runs(len: usize, symbols: u8, run: u64, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    };
    let mut value = 0;
    (0..len)
        .map(|_| {
            if random() % run == 0 {
                value = (random() % u64::from(symbols)) as u8;
            }
            if random() % (4 * run) == 0 {
                (random() % u64::from(symbols)) as u8
            } else {
                value
            }
        })
        .collect()
}
