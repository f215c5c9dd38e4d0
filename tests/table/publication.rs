use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use retrograde::Error;
use retrograde::table::{
    Description, StreamSource, Table, ValueSource, WriteError, WriteOptions, write_table,
    write_table_to,
};

use super::{description, runs, small_blocks};

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_missing_directory_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("missing").join("KRvK.wdl");
    let values = vec![1, 2, 3];
    let stream = StreamSource::new(0, 3, &values);
    let error = write_table(
        &path,
        &description(),
        &[stream],
        &WriteOptions::default(),
        &|_, _| true,
    )
    .unwrap_err();
    assert!(error.to_string().contains("KRvK.wdl"), "{error}");
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_name_taken_by_a_directory_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KRvK.wdl");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("kept"), "").unwrap();
    let values = vec![1, 2, 3];
    let stream = StreamSource::new(0, 3, &values);
    let result = write_table(
        &path,
        &description(),
        &[stream],
        &WriteOptions::default(),
        &|_, _| true,
    );
    assert!(matches!(result, Err(Error::Write { .. })));
    assert_eq!(names(directory.path()), ["KRvK.wdl"]);
}

#[test]
fn a_cancelled_table_leaves_the_old_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KRvK.wdl");
    let options = small_blocks(64);
    let values = runs(200_000, 5, 10, 1);
    let stream = StreamSource::new(0, values.len() as u64, &values);
    let old = vec![7, 8];
    let old_stream = StreamSource::new(0, 2, &old);
    write_table(&path, &description(), &[old_stream], &options, &|_, _| true).unwrap();
    let calls = AtomicUsize::new(0);
    write_table(
        &path.with_extension("counted"),
        &description(),
        &[stream],
        &options,
        &|done, total| {
            assert!(done <= total && total == stream.len);
            calls.fetch_add(1, Ordering::Relaxed);
            true
        },
    )
    .unwrap();
    std::fs::remove_file(path.with_extension("counted")).unwrap();
    for stop in 1..=calls.into_inner() {
        let calls = AtomicUsize::new(0);
        let go_on = |_, _| calls.fetch_add(1, Ordering::Relaxed) + 1 < stop;
        let result = write_table(&path, &description(), &[stream], &options, &go_on);
        assert!(matches!(result, Err(Error::Cancelled)));
        assert_eq!(names(directory.path()), ["KRvK.wdl"]);
        let table = Table::open(&path).unwrap();
        assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), [7, 8]);
    }
    write_table(&path, &description(), &[stream], &options, &|_, _| true).unwrap();
    let table = Table::open(&path).unwrap();
    assert_eq!(table.read_stream(&table.streams()[0]).unwrap(), values);
}

#[cfg(unix)]
#[test]
fn a_table_is_readable_by_others_as_far_as_the_umask_lets() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("KRvK.wdl");
    let values = vec![1, 2, 3];
    let stream = StreamSource::new(0, 3, &values);
    write_table(
        &path,
        &description(),
        &[stream],
        &WriteOptions::default(),
        &|_, _| true,
    )
    .unwrap();
    let plain = directory.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

/// Writes into memory until it has been called too often.
struct FailingWriter {
    out: Cursor<Vec<u8>>,
    good_writes: usize,
}

impl Write for FailingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.good_writes == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.good_writes -= 1;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for FailingWriter {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.out.seek(position)
    }
}

#[test]
fn what_a_failed_write_leaves_is_no_table() {
    let values = runs(2000, 200, 4, 1);
    let stream = StreamSource::new(0, values.len() as u64, &values);
    for good_writes in 0.. {
        let mut out = FailingWriter {
            out: Cursor::new(Vec::new()),
            good_writes,
        };
        let result = write_table_to(
            &mut out,
            &description(),
            &[stream],
            &small_blocks(200),
            &|_, _| true,
        );
        let opened = Table::from_store(Box::new(out.out.into_inner()));
        match result {
            Ok(_) => {
                assert!(good_writes > 20 && opened.is_ok());
                break;
            }
            Err(error) => assert!(matches!(error, Error::Write { .. }) && opened.is_err()),
        }
    }
}

#[test]
fn unsuitable_input_is_refused_before_anything_is_written() {
    struct Unused;
    impl ValueSource for Unused {
        fn fill(&self, _: u64, _: &mut [u8]) {
            panic!("nothing is read");
        }
    }
    let refused =
        |description: &Description, streams: &[StreamSource<'_>], options: &WriteOptions| {
            let mut out = Cursor::new(Vec::new());
            let result = write_table_to(&mut out, description, streams, options, &|_, _| true);
            assert!(matches!(result, Err(Error::Write { .. })), "{result:?}");
            assert!(out.into_inner().is_empty());
        };
    let good = description();
    let options = WriteOptions::default();
    let white = StreamSource::new(0, 5, &Unused);
    let black = StreamSource::new(1, 5, &Unused);
    refused(&good, &[], &options);
    refused(&good, &[black, white], &options);
    refused(&good, &[white, white], &options);
    refused(&good, &[white, black, black], &options);
    refused(&good, &[StreamSource::new(2, 5, &Unused)], &options);
    refused(&good, &[StreamSource::new(0, 0, &Unused)], &options);
    refused(&good, &[StreamSource::new(0, u64::MAX, &Unused)], &options);
    for material in ["", "K v K", "KQQQQQQQvKQQQQQQQ", "KRvKé"] {
        let description = Description {
            material: material.to_owned(),
            ..good.clone()
        };
        refused(&description, &[white], &options);
    }
    refused(
        &good,
        &[white],
        &WriteOptions {
            level: 23,
            ..options.clone()
        },
    );
    refused(&good, &[white], &small_blocks(0));
    refused(&good, &[white], &small_blocks((1 << 20) + 1));
    refused(
        &good,
        &[white],
        &WriteOptions {
            dictionary_bytes: 3,
            ..options.clone()
        },
    );
    refused(
        &good,
        &[white],
        &WriteOptions {
            strategy: Some(10),
            ..options.clone()
        },
    );
}

#[test]
fn an_unannounced_value_is_an_error() {
    let written = |values: &Vec<u8>, row: usize| {
        let mut present = [false; 256];
        for &value in &values[..values.len() - 1] {
            present[usize::from(value)] = true;
        }
        let stream = StreamSource {
            values_present: Some(present),
            ..StreamSource::new(0, values.len() as u64, values)
        };
        let options = WriteOptions {
            row,
            ..WriteOptions::default()
        };
        let mut out = Cursor::new(Vec::new());
        write_table_to(&mut out, &description(), &[stream], &options, &|_, _| true)
    };
    // In rows of 64 the fourth symbol is spare, 1 or 0: nobody announced that either.
    for (values, row) in [
        (vec![1, 2, 3], 0),
        (vec![0, 2, 4, 1], 64),
        (vec![0, 2, 3, 1], 64),
        (vec![1, 2, 3, 0], 64),
    ] {
        let last = values[values.len() - 1];
        assert!(matches!(
            written(&values, row),
            Err(Error::Write {
                problem: WriteError::UnannouncedValue { value, .. },
                ..
            }) if value == last
        ));
    }
}
