//! Verification finds one wrong number in Syzygy tables that have a right checksum.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::Tablebase;
use crate::chess::material::Material;
use crate::chess::rules::Position;
use crate::chess::symmetry::transpose;
use crate::game::Color;
use crate::generate::{GenerateOptions, Plan};
use crate::metric::Metric;
use crate::probe::Format;
use crate::syzygy::{Encoder, Forgery, file_name};
use crate::verify::{Report, verify};

fn generate(directory: &Path, materials: Vec<Material>) {
    let options = GenerateOptions {
        format: Format::Syzygy,
        metrics: vec![Metric::Wdl, Metric::Dtz],
        ..GenerateOptions::new(directory, materials)
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&AtomicBool::new(false), &()).unwrap();
}

fn verify_one(directory: &Path, material: Material) -> Report {
    verify(directory, &[material], &AtomicBool::new(false), &()).unwrap()
}

/// What a prober says, in words.
fn answer(directory: &Path, position: &Position, metric: Metric) -> String {
    let tables = Tablebase::open(directory).unwrap();
    match metric {
        Metric::Wdl => format!("{:?}", tables.probe_wdl(position)),
        _ => format!("{:?}", tables.probe_dtz_range(position)),
    }
}

/// Changes one number of a table, `count` times, and returns how often a prober could see that;
/// each time verification has to find it. Distances are changed where there is one that no capture
/// tells.
fn change_numbers(directory: &Path, material: Material, metric: Metric, count: usize) -> usize {
    let path = directory.join(file_name(&material, metric).unwrap());
    let original = std::fs::read(&path).unwrap();
    let mut seen = 0;
    let mut random = 7u64;
    let tables = Tablebase::open(directory).unwrap();
    let has_number = |position: &Position| {
        metric == Metric::Wdl || tables.probe_dtz_range(position).unwrap().longest.0.abs() > 2
    };
    let mut forgery = Forgery::read(&path, &material, metric);
    forgery.write(&path);
    let report = verify_one(directory, material);
    assert!(report.is_clean(), "{report:?}");
    for _ in 0..count {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        let number = (random >> 40) as usize % forgery.streams.len();
        let stream = &mut forgery.streams[number];
        let len = stream.encoder.len();
        let first = (random >> 20) % len;
        let found = (first..len).chain(0..first).find_map(|index| {
            let position = stream.encoder.placement(index)?.position(stream.side)?;
            has_number(&position).then_some((index as usize, position))
        });
        let (index, position) = found.unwrap();
        let before = answer(directory, &position, metric);
        let true_number = stream.values[index];
        stream.values[index] = match (metric, &stream.maps) {
            (Metric::Wdl, _) => (true_number + 1 + (random % 4) as u8) % 5,
            (_, Some(maps)) => {
                let longest = maps.iter().map(Vec::len).max().unwrap() as u8;
                (true_number + 1 + (random % 3) as u8) % longest.max(2)
            }
            (_, None) => true_number ^ 1 << (random % 3),
        };
        forgery.write(&path);
        if answer(directory, &position, metric) != before {
            seen += 1;
            let report = verify_one(directory, material);
            assert!(
                report.differences > 0 && report.listed[0].format == Format::Syzygy,
                "{material} {metric} {position:?}: {before}"
            );
            assert!(report.unreadable.is_empty(), "{report:?}");
        }
        forgery.streams[number].values[index] = true_number;
    }
    std::fs::write(&path, original).unwrap();
    seen
}

#[test]
fn a_changed_number_of_a_syzygy_table_is_found_if_any_probe_can_see_it() {
    let directory = tempfile::tempdir().unwrap();
    generate(directory.path(), Material::all_with_men(3));
    let mut seen = [0; 2];
    for material in ["KQvK", "KRvK", "KPvK"].map(|name| name.parse().unwrap()) {
        for (metric, seen) in [Metric::Wdl, Metric::Dtz].into_iter().zip(&mut seen) {
            *seen += change_numbers(directory.path(), material, metric, 24);
        }
    }
    assert!(seen.iter().all(|&seen| seen >= 16), "{seen:?}");
}

/// A second index of a position, one of those that leads to the values of a mirror image, and the
/// position it is of.
fn second_indices(encoder: &Encoder, side: Color) -> impl Iterator<Item = (usize, Position)> {
    (0..encoder.len()).filter_map(move |index| {
        let placement = encoder.placement(index)?;
        let mut mirror_image = placement;
        for set in mirror_image.men.as_flattened_mut() {
            *set = transpose(*set);
        }
        let is_second = encoder.index(&mirror_image, None)? < index;
        let position = is_second.then(|| placement.position(side))?;
        Some((index as usize, position?))
    })
}

#[test]
fn a_changed_number_that_only_a_mirror_image_has_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let material: Material = "KRvKN".parse().unwrap();
    generate(directory.path(), vec![material]);
    for metric in [Metric::Wdl, Metric::Dtz] {
        let path = directory.path().join(file_name(&material, metric).unwrap());
        let original = std::fs::read(&path).unwrap();
        let mut forgery = Forgery::read(&path, &material, metric);
        let stream = &forgery.streams[0];
        let all: Vec<(usize, Position)> = second_indices(&stream.encoder, stream.side).collect();
        let mut seen = 0;
        for (index, position) in all.iter().step_by(all.len() / 16) {
            let before = answer(directory.path(), position, metric);
            let true_number = forgery.streams[0].values[*index];
            forgery.streams[0].values[*index] = if true_number == 2 { 1 } else { 2 };
            forgery.write(&path);
            if answer(directory.path(), position, metric) != before {
                seen += 1;
                let report = verify_one(directory.path(), material);
                assert_eq!(report.differences, 1, "{report:?}");
                assert!(report.listed[0].stored.contains("mirror image"));
            }
            forgery.streams[0].values[*index] = true_number;
        }
        assert!(seen > 0, "{metric}");
        std::fs::write(&path, original).unwrap();
    }
}

#[test]
fn a_changed_number_is_found_where_both_sides_have_the_same_men() {
    let directory = tempfile::tempdir().unwrap();
    let material: Material = "KRvKR".parse().unwrap();
    generate(directory.path(), vec![material]);
    for metric in [Metric::Wdl, Metric::Dtz] {
        let seen = change_numbers(directory.path(), material, metric, 16);
        assert!(seen >= 4, "{metric}: {seen}");
    }
}
