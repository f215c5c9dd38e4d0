//! Damaged files: an error or a value, never a panic or a hang.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Metric, Wdl};
use retrograde::syzygy::Table;

use super::random_position;
use crate::reference::syzygy_folder;
use crate::verify::generate_syzygy;

/// Far more than any of them takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// Opens a file and asks for some values. Returns whether it could be opened, and how many values
/// it had.
fn try_all(
    bytes: Vec<u8>,
    material: &Material,
    metric: Metric,
    placements: &[(Color, Placement)],
) -> (bool, usize) {
    let start = Instant::now();
    let Ok(table) = Table::from_store(Box::new(bytes), material, metric) else {
        return (false, 0);
    };
    let is_known = |&&(turn, placement): &&(Color, Placement)| match metric {
        Metric::Wdl => table.wdl(&placement, turn).is_ok(),
        _ => [Wdl::Win, Wdl::CursedWin, Wdl::BlessedLoss, Wdl::Loss]
            .into_iter()
            .any(|wdl| table.dtz(&placement, turn, wdl).is_ok()),
    };
    // What stands in the colours of the file only.
    let asked = placements.iter().filter(|(_, placement)| {
        Material::from_counts(placement.counts()) == Some(*table.material())
    });
    let known = asked.filter(is_known).count();
    assert!(start.elapsed() < LIMIT);
    (true, known)
}

fn for_each_table(test: impl Fn(&str, &[u8], &Material, Metric, &[(Color, Placement)])) {
    // Published tables where they are, else our own.
    let own = tempfile::tempdir().unwrap();
    let folder = syzygy_folder().unwrap_or_else(|| {
        generate_syzygy(own.path(), Material::all_with_men(3));
        own.path().to_owned()
    });
    for signature in ["KPvK", "KQvK", "KRvK", "KNvK"] {
        let material: Material = signature.parse().unwrap();
        let space = IndexSpace::new(material);
        let placements: Vec<_> = (0..)
            .filter_map(|number| random_position(&space, number))
            .take(48)
            .collect();
        for (metric, extension) in [(Metric::Wdl, "rtbw"), (Metric::Dtz, "rtbz")] {
            let name = format!("{signature}.{extension}");
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            test(&name, &bytes, &material, metric, &placements);
        }
    }
}

#[test]
fn every_byte_changed() {
    for_each_table(|name, bytes, material, metric, placements| {
        let (is_open, known) = try_all(bytes.to_vec(), material, metric, placements);
        assert!(is_open && known > 10, "{name}");
        let outcomes: Vec<(bool, usize)> = (0..bytes.len())
            .into_par_iter()
            .flat_map_iter(|place| [0x01, 0x10, 0x80, 0x55, 0xff].map(|mask| (place, mask)))
            .map(|(place, mask)| {
                let mut damaged = bytes.to_vec();
                damaged[place] ^= mask;
                try_all(damaged, material, metric, placements)
            })
            .collect();
        let unopened = outcomes.iter().filter(|outcome| !outcome.0).count();
        let incomplete = outcomes.iter().filter(|outcome| outcome.1 < known).count();
        eprintln!(
            "{name}: {} changes, {unopened} not opened, {incomplete} with fewer values",
            outcomes.len()
        );
        // At the least a wrong magic and wrong men are noticed.
        assert!(unopened > 20, "{name}");
    });
}

#[test]
fn every_length() {
    for_each_table(|name, bytes, material, metric, placements| {
        let shortest = (0..=bytes.len())
            .into_par_iter()
            .filter(|&len| try_all(bytes[..len].to_vec(), material, metric, placements).0)
            .min()
            .unwrap();
        // All but the checksum and padding is needed; there is nothing else where all values are
        // equal.
        let is_single = name.starts_with("KNvK");
        assert!(
            is_single || shortest + 16 + 64 > bytes.len(),
            "{name}: {shortest}"
        );
    });
}

#[test]
fn many_bytes_changed_at_once() {
    for_each_table(|_, bytes, material, metric, placements| {
        (0..3_000u64).into_par_iter().for_each(|seed| {
            let mut damaged = bytes.to_vec();
            let mut number = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut random = || {
                number ^= number << 13;
                number ^= number >> 7;
                number ^= number << 17;
                number >> 16
            };
            // Behind the orders of men, where damage is not noticed at once, and mostly in the
            // heads.
            let end = if seed % 4 == 0 {
                damaged.len()
            } else {
                damaged.len().min(700)
            };
            for _ in 0..1 + random() % 8 {
                let place = 10 + random() as usize % (end - 10);
                damaged[place] = random() as u8;
            }
            try_all(damaged, material, metric, placements);
        });
    });
}
