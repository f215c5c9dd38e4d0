//! Any bytes as a table of our own: an error or a value, also where probes meet it under the name
//! that it gives itself.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use retrograde::game::{Color, Game};
use retrograde::probe::ProbeOptions;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::store::{FaultyStore, Store};
use retrograde::table::{Description, Table};
use retrograde::tables::rules_directory;
use retrograde::{Tablebase, chess, metric, xiangqi};
use retrograde_fuzz::{Place, Random, Target, checksums};

const PROBES: usize = 16;

/// Spaces of more men take long to number.
const MOST_MEN: usize = 4;

static PLACE: LazyLock<Place> = LazyLock::new(Place::new);

fn options() -> ProbeOptions {
    ProbeOptions {
        cache_bytes: 1 << 20,
        map_files: false,
        ..ProbeOptions::default()
    }
}

/// Asks for positions of a table of chess.
fn probe_chess(bytes: &[u8], description: &Description, random: &mut Random) {
    let Ok(material) = description.material.parse::<chess::material::Material>() else {
        return;
    };
    let mut metrics = metric::Metric::ALL.into_iter();
    let Some(metric) = metrics.find(|metric| metric.number() == description.metric) else {
        return;
    };
    if material.men() > MOST_MEN {
        return;
    }
    let name = format!("{material}.{metric}");
    let path = PLACE.write_as(Path::new(&name), bytes);
    let tables = Tablebase::open_with(&[PLACE.path()], &options()).expect("there is memory");
    let space = chess::index::IndexSpace::new(material);
    for probe in 0..PROBES {
        let index = random.below(space.len() as usize) as u64;
        if let Some((_, position)) = space.position(index, Color::ALL[probe % 2]) {
            let _ = tables.probe_wdl_after_zeroing(&position);
            let _ = tables.probe_dtz_range(&position);
            let _ = tables.probe_dtm(&position);
        }
    }
    std::fs::remove_file(path).expect("it was written");
}

/// Asks for positions of a table of xiangqi.
fn probe_xiangqi(bytes: &[u8], description: &Description, random: &mut Random) {
    let Ok(material) = description.material.parse::<xiangqi::Material>() else {
        return;
    };
    let mut metrics = xiangqi::Metric::ALL.into_iter();
    let metric = metrics.find(|metric| metric.number() == description.metric);
    let mut rules = xiangqi::Rules::ALL.into_iter();
    let rules = rules.find(|rules| rules.number() == description.rules);
    let (Some(metric), Some(rules)) = (metric, rules) else {
        return;
    };
    let Some(space) = xiangqi::IndexSpace::new(material).filter(|_| material.men() <= MOST_MEN)
    else {
        return;
    };
    let directory = rules_directory::<xiangqi::Xiangqi>(Path::new(""), rules);
    let path = PLACE.write_as(&directory.join(format!("{material}.{metric}")), bytes);
    let tables = XiangqiTables::open_with(&[PLACE.path()], rules, &options());
    let tables = tables.expect("there is memory");
    for probe in 0..PROBES {
        let index = random.below(space.len() as usize) as u64;
        let placement = space.placement(index);
        if let Some(position) = placement.and_then(|it| it.position(Color::ALL[probe % 2])) {
            let _ = tables.probe(&position);
        }
    }
    std::fs::remove_file(path).expect("it was written");
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else {
        return;
    };
    let mut bytes = bytes.to_vec();
    let target = match choice & 3 {
        0 => None,
        1 => Some(Target::Header),
        _ => Some(Target::All),
    };
    if let Some(target) = target {
        let _ = checksums(&mut bytes, target);
    }
    let copy = (choice & 8 != 0).then(|| bytes.clone());
    let store: Box<dyn Store> = match choice & 4 {
        0 => Box::new(bytes),
        _ => Box::new(FaultyStore::new(bytes, 100, u64::MAX)),
    };
    let Ok(table) = Table::from_store(store) else {
        return;
    };
    if let Ok(Some(statistics)) = table.statistics() {
        assert_eq!(
            statistics.sides.each_ref().map(|side| side.counts()),
            table.description().counts
        );
    }
    let mut random = Random::new(choice.into());
    for stream in table.streams() {
        let len = usize::try_from(stream.len()).unwrap_or(usize::MAX);
        for _ in 0..PROBES {
            let index = random.below(len) as u64;
            let value = table.value(stream, index);
            if let Ok(value) = value {
                assert!(stream.values().contains(&value));
            }
            if let Some((block, offset)) = stream.locate(index)
                && let Ok(Some(constant)) = table.constant_block(stream, block)
            {
                assert!(offset < stream.values_in_block(block));
                assert!(value.is_err() || value.is_ok_and(|value| value == constant));
            }
        }
        assert!(table.value(stream, stream.len()).is_err());
        let last = stream.block_count() - 1;
        let _ = table.read_blocks(stream, last..last + 1);
    }
    let _ = table.verify_checksums(&|done, _| done < 1_000);
    let description = table.description();
    match copy {
        Some(bytes) if description.game == Game::Chess.number() => {
            probe_chess(&bytes, description, &mut random);
        }
        Some(bytes) if description.game == Game::Xiangqi.number() => {
            probe_xiangqi(&bytes, description, &mut random);
        }
        _ => {}
    }
});
