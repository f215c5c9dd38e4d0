//! What is verified by parts is what is verified in memory. Pages, bands and pieces of streams are
//! small in tests.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::Run;
use crate::chess::material::Material;
use crate::generate::{GenerateOptions, Plan};
use crate::metric::Metric;
use crate::probe::Format;
use crate::table::{
    Compression, Description, Head, Plane, Statistics, StreamSource, Table, WriteOptions,
    write_table,
};
use crate::tables::table_path;
use crate::verify::recount::{self, Counting};
use crate::verify::visit::{Visited, Visitor};
use crate::verify::{Report, verify_chess, verify_within};

fn generate(directory: &Path, names: &[&str]) -> Vec<Material> {
    let materials: Vec<Material> = names
        .iter()
        .map(|name| name.parse::<Material>().unwrap().normal_form())
        .collect();
    let mut options = GenerateOptions::new(directory, materials.clone());
    options.compression = Compression::Fast;
    Plan::new(&options)
        .unwrap()
        .run(&AtomicBool::new(false), &())
        .unwrap();
    materials
}

/// The report of verification in memory, with mate scores of as many bytes as it takes, after that
/// by parts with two was found to be the same.
fn report(directory: &Path, material: Material) -> Report {
    let never = AtomicBool::new(false);
    let materials = [material];
    let whole = verify_within(directory, &materials, u64::MAX, &never, &()).unwrap();
    let mut by_parts = Report::default();
    let asked = (&materials[..], 0);
    verify_chess::<u16>(directory, Format::Native, asked, &never, &(), &mut by_parts).unwrap();
    assert_eq!(by_parts, whole, "{material}");
    whole
}

/// A stream of a table.
struct Numbers {
    side: u8,
    plane: Plane,
    order: [u8; 12],
    numbers: Vec<u8>,
}

/// Writes a table again, changed, with all checksums right.
fn rewrite(path: &Path, change: impl FnOnce(&mut Vec<Numbers>, &mut Option<Statistics>)) {
    let table = Table::open(path).unwrap();
    let description: Description = table.description().clone();
    let mut statistics = table.statistics().unwrap();
    let streams = table.streams().iter().map(|stream| Numbers {
        side: stream.side(),
        plane: stream.plane(),
        order: stream.order(),
        numbers: table.read_stream(stream).unwrap(),
    });
    let mut streams: Vec<Numbers> = streams.collect();
    drop(table);
    change(&mut streams, &mut statistics);
    let sources = streams.iter().map(|stream| StreamSource {
        order: stream.order,
        plane: stream.plane,
        ..StreamSource::new(stream.side, stream.numbers.len() as u64, &stream.numbers)
    });
    let sources: Vec<StreamSource<'_>> = sources.collect();
    let head = Head {
        description: &description,
        statistics: statistics.as_ref(),
    };
    let options = WriteOptions::from(Compression::Fast);
    write_table(path, head, &sources, &options, &|_, _| true).unwrap();
}

/// Adds high bytes, which are all zero.
fn add_high_bytes(streams: &mut Vec<Numbers>) {
    let high = streams.iter().map(|low| Numbers {
        plane: Plane::High,
        numbers: vec![0; low.numbers.len()],
        ..*low
    });
    let high: Vec<Numbers> = high.collect();
    streams.extend(high);
}

/// Changes some numbers of each stream.
fn damage(streams: &mut [Numbers]) {
    for (number, stream) in streams.iter_mut().enumerate() {
        let len = stream.numbers.len();
        for place in 1..97 {
            let place = (len / 98 * place + number * 77 + place) % len;
            stream.numbers[place] = match stream.plane {
                Plane::Low => stream.numbers[place].wrapping_add(1 + place as u8 % 4),
                Plane::High => 1,
            };
        }
    }
}

#[test]
fn reports_by_parts_are_those_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    // Pawns of one and of both colours, equal men, the same men on both sides, promotions into
    // other colours.
    let names = ["KQvKR", "KRvKR", "KRvKP", "KPvKP", "KBBvK", "KPPvK"];
    let materials = generate(directory, &names);
    // Reports of wrong tables are compared with each other, and so say of all other values that
    // they are right.
    for &material in &materials[..2] {
        let clean = report(directory, material);
        assert!(clean.is_clean() && clean.tables == 3, "{clean:?}");
    }
    let mut found = [0; 3];
    let metrics = Metric::ALL.into_iter().cycle();
    for (material, metric) in materials.into_iter().zip(metrics) {
        let path = table_path(directory, &material, metric);
        let bytes = std::fs::read(&path).unwrap();
        rewrite(&path, |streams, statistics| {
            *statistics = None;
            damage(streams);
        });
        let damaged = report(directory, material);
        assert!(damaged.unreadable.is_empty());
        found[usize::from(metric.number())] += damaged.differences;
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(
        found.iter().all(|&differences| differences > 4),
        "{found:?}"
    );
}

#[test]
fn one_side_is_verified_by_parts_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for material in generate(directory, &["KRvKN", "KPvKN"]) {
        let keep = |metric: Metric, side: u8| {
            let path = table_path(directory, &material, metric);
            rewrite(&path, |streams, _| {
                streams.retain(|stream| stream.side == side)
            });
        };
        keep(Metric::Dtz, 0);
        keep(Metric::Dtm, 0);
        let clean = report(directory, material);
        assert!(clean.is_clean(), "{clean:?}");
        let path = table_path(directory, &material, Metric::Wdl);
        let of_both = std::fs::read(&path).unwrap();
        for side in [0, 1] {
            std::fs::write(&path, &of_both).unwrap();
            keep(Metric::Wdl, side);
            let clean = report(directory, material);
            assert!(clean.is_clean(), "{clean:?}");
        }
        // What the next material leads to is right again.
        for metric in [Metric::Dtm, Metric::Wdl] {
            let path = table_path(directory, &material, metric);
            let right = std::fs::read(&path).unwrap();
            rewrite(&path, |streams, _| damage(streams));
            assert!(report(directory, material).differences > 0);
            std::fs::write(&path, right).unwrap();
        }
    }
}

#[test]
fn high_bytes_are_verified() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    // No capture or promotion decides anything here, so all numbers are as they would be with two
    // bytes.
    let material = generate(directory, &["KRvK"])[0];
    let expected = report(directory, material);
    for metric in [Metric::Dtz, Metric::Dtm] {
        let path = table_path(directory, &material, metric);
        rewrite(&path, |streams, _| add_high_bytes(streams));
        assert_eq!(report(directory, material), expected);
        let bytes = std::fs::read(&path).unwrap();
        rewrite(&path, |streams, _| {
            let high = streams
                .iter_mut()
                .rfind(|stream| stream.plane == Plane::High);
            high.unwrap().numbers.fill(1);
        });
        let damaged = report(directory, material);
        assert!(damaged.differences > 100, "{damaged:?}");
        let told = damaged
            .listed
            .iter()
            .flat_map(|it| [&it.stored, &it.expected]);
        let mut plies =
            told.flat_map(|text| text.split_whitespace().filter_map(|it| it.parse().ok()));
        assert!(
            plies.any(|plies: u32| (256..=1024).contains(&plies)),
            "{damaged:?}"
        );
        std::fs::write(&path, bytes).unwrap();
    }
}

/// Remembers what it is shown.
#[derive(Default)]
struct Memory(Mutex<Vec<Visited>>);

impl Visitor for Memory {
    fn visit(&self, positions: &[Visited]) {
        self.0.lock().unwrap().extend(positions);
    }
}

#[test]
fn values_are_counted_and_shown_by_parts() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let never = AtomicBool::new(false);
    for material in generate(directory, &["KQvKR", "KRvKR", "KPvKN"]) {
        let run = |at_hand: u64| -> Run<'_, u8> {
            Run::new(
                directory,
                Format::Native,
                (&[material], at_hand),
                &never,
                &(),
            )
        };
        let mut counting = run(0);
        counting.counting = Some(Counting::new(&Metric::ALL, 10));
        recount::count(&mut counting, directory, material, &never, &()).unwrap();
        for (metric, counted) in counting.counting.unwrap().found {
            let table = Table::open(&table_path(directory, &material, metric)).unwrap();
            let kept = table.statistics().unwrap().unwrap();
            assert_eq!(kept.first_difference(&counted), None, "{material} {metric}");
        }
        let [whole, by_parts] = [u64::MAX, 0].map(|at_hand| {
            let memory = Memory::default();
            let mut run = run(at_hand);
            run.counting = Some(Counting::new(&Metric::ALL, 0));
            run.visitor = Some(&memory);
            recount::count(&mut run, directory, material, &never, &()).unwrap();
            let mut seen = memory.0.into_inner().unwrap();
            seen.sort_by_key(|position| position.number);
            seen
        });
        assert!(whole.len() > 10_000 && whole == by_parts, "{material}");
    }
}
