//! Syzygy tables read by us: every value equals what our solver finds, or what another prober
//! reads.

use rayon::prelude::*;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::chess::{Piece, Position};
use retrograde::game::Color;
use retrograde::metric::{Dtz, DtzRange, Metric, Wdl};
use retrograde::probe::{Format, ProbeOptions};
use retrograde::store::FaultyStore;
use retrograde::syzygy::{Encoder, Table, WDL_MAGIC};
use retrograde::{ProbeError, Tablebase};
use shakmaty_syzygy::MaybeRounded;

use super::{RANDOM_POSITIONS, SAMPLE_STEP, random_position, signed_dtz, theirs};
use crate::reference::{large_syzygy_folder, syzygy_folder};
use crate::solved;

/// Tables that are read block by block, however often they are asked.
pub fn open(folder: &std::path::Path, map_files: bool) -> Tablebase {
    let options = ProbeOptions {
        map_files,
        preloaded_bytes: 0,
        ..ProbeOptions::default()
    };
    open_with(folder, &options)
}

pub fn open_with(folder: &std::path::Path, options: &ProbeOptions) -> Tablebase {
    Tablebase::open_with(&[folder], options).unwrap()
}

fn contains(range: DtzRange, dtz: Dtz) -> bool {
    range.shortest == dtz || range.longest == dtz
}

/// How many positions were compared, and how many distances were exact.
pub type Compared = (u64, u64);

/// Compares both sides to move of both colours of a placement with what our solver finds.
pub fn compare_with_solved(
    tables: &Tablebase,
    material: &Material,
    placement: &Placement,
) -> Compared {
    let solved = &solved::all()[material];
    let exchanged = placement.with_colors_exchanged();
    let mut compared = (0, 0);
    for turn in Color::ALL {
        let Some(ours) = solved::value(solved, turn, placement) else {
            continue;
        };
        for (placement, turn) in [(placement, turn), (&exchanged, !turn)] {
            let position = placement.position(turn).unwrap();
            let fen = position.to_fen();
            assert_eq!(tables.probe_wdl(&position).unwrap(), ours.wdl, "{fen}");
            let range = tables.probe_dtz_range(&position).unwrap();
            let dtz = signed_dtz(ours);
            assert!(contains(range, dtz), "{fen}: {dtz}, read {range:?}");
            assert!((range.longest.0 - range.shortest.0).abs() <= 1, "{fen}");
            assert_eq!(tables.probe_dtz(&position).unwrap(), range.shortest);
            compared.0 += 1;
            compared.1 += u64::from(range.exact().is_some());
        }
    }
    compared
}

fn sum(a: Compared, b: Compared) -> Compared {
    (a.0 + b.0, a.1 + b.1)
}

#[test]
fn every_value_read_is_the_one_solved() {
    let Some(folder) = syzygy_folder() else {
        return;
    };
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    let tables = open(&folder, true);
    let mut total = (0, 0);
    for material in solved::materials() {
        let all = full || material.men() == 3;
        let step = if all { 1 } else { SAMPLE_STEP };
        let space = IndexSpace::new(material);
        let order = space.natural_order();
        let compared = (0..space.len().div_ceil(step))
            .into_par_iter()
            .filter_map(|number| space.placement(&order.digits(number * step)))
            .map(|placement| compare_with_solved(&tables, &material, &placement))
            .reduce(Compared::default, sum);
        eprintln!("{material}: {compared:?}");
        assert!(compared.0 > 4_000, "{material}: {compared:?}");
        total = sum(total, compared);
    }
    eprintln!("{} positions read, {} distances exact", total.0, total.1);
}

#[test]
fn files_that_are_not_mapped_have_the_same_values() {
    let Some(folder) = syzygy_folder() else {
        return;
    };
    let [mapped, read] = [true, false].map(|map_files| open(&folder, map_files));
    for signature in ["KQvK", "KPvK", "KNvK", "KBvKN", "KPvKP", "KRPvK", "KPPvK"] {
        let material: Material = signature.parse().unwrap();
        let space = IndexSpace::new(material);
        let positions = (0..).filter_map(|number| random_position(&space, number));
        for (turn, placement) in positions.take(200) {
            let position = placement.position(turn).unwrap();
            let [a, b] = [&mapped, &read].map(|tables| tables.probe_dtz_range(&position).unwrap());
            assert_eq!(a, b, "{}", position.to_fen());
        }
        for metric in [Metric::Wdl, Metric::Dtz] {
            let path = mapped.table(&material, metric).unwrap().path();
            let bytes = std::fs::read(path).unwrap();
            let open = |good_reads| {
                let store = FaultyStore::new(bytes.clone(), 100, good_reads);
                Table::from_store(Box::new(store), &material, metric)
            };
            let fails = (0..10).filter(|&good_reads| open(good_reads).is_err());
            assert!(
                fails.count() > 0,
                "{signature}.{metric} is read without reading"
            );
            assert!(open(u64::MAX).is_ok());
        }
    }
}

/// Whether a distance of another prober can be of our range, which may be narrower.
fn agree(range: DtzRange, theirs: MaybeRounded<shakmaty_syzygy::Dtz>) -> bool {
    let shortest = Dtz(theirs.ignore_rounding().0);
    let longest = match theirs {
        MaybeRounded::Precise(_) => shortest,
        MaybeRounded::Rounded(dtz) => Dtz(dtz.add_plies(1).0),
    };
    [shortest, longest].contains(&range.shortest) && [shortest, longest].contains(&range.longest)
}

#[test]
fn random_positions_of_large_tables_read_the_same_as_by_another_prober() {
    let Some(folder) = large_syzygy_folder() else {
        return;
    };
    let ours = open(&folder, true);
    let mut tables = shakmaty_syzygy::Tablebase::new();
    tables.add_directory(&folder).unwrap();
    let has_both = |material: &Material| {
        let has = |metric| ours.table(material, metric).is_some();
        material.men() > 4 && has(Metric::Wdl) && has(Metric::Dtz)
    };
    let mut materials: Vec<Material> = ours.tables().iter().map(|file| *file.material()).collect();
    materials.dedup();
    materials.retain(has_both);
    assert!(
        !materials.is_empty(),
        "no large tables in {}",
        folder.display()
    );
    for material in materials {
        let space = IndexSpace::new(material);
        let positions: Vec<_> = (0..)
            .filter_map(|number| random_position(&space, number))
            .take(RANDOM_POSITIONS)
            .collect();
        let lost_roundings: usize = positions
            .into_par_iter()
            .map(|(turn, placement)| {
                let their_position = theirs(turn, &placement).unwrap();
                let position = placement.position(turn).unwrap();
                let fen = position.to_fen();
                let wdl = ours.probe_wdl(&position).unwrap();
                let their_wdl = tables.probe_wdl_after_zeroing(&their_position).unwrap();
                assert_eq!(wdl.signum2(), their_wdl as i32, "{fen}");
                let range = ours.probe_dtz_range(&position).unwrap();
                let their_dtz = tables.probe_dtz(&their_position).unwrap();
                if agree(range, their_dtz) {
                    return 0;
                }
                // It may have lost a rounding, as its test above explains.
                let as_rounded = MaybeRounded::Rounded(their_dtz.ignore_rounding());
                assert!(
                    agree(range, as_rounded),
                    "{fen}: {range:?}, theirs {their_dtz:?}"
                );
                1
            })
            .sum();
        eprintln!("{material}: {RANDOM_POSITIONS} positions, {lost_roundings} roundings lost");
        assert!(lost_roundings * 20 < RANDOM_POSITIONS, "{material}");
    }
}

/// A table of KNvK in which White to move has a win from index 20 000 on, and Black to move is
/// always drawn. Both streams are put together by hand, as the format has them.
fn synthetic_table() -> (Vec<u8>, Encoder) {
    const WINS_FROM: usize = 20_000;
    let men: Vec<Piece> = "kKN".chars().filter_map(Piece::from_letter).collect();
    let encoder = Encoder::new(&men, [0, 15], 0).unwrap();
    let mut bytes = WDL_MAGIC.to_vec();
    bytes.extend([0x31, 0x00, 0xee, 0x66, 0x22, 0]);
    // White: blocks of 64 bytes, spans of 256 values, two spare block lengths.
    bytes.extend([0, 6, 8, 2]);
    let fours = WINS_FROM / 4;
    let ones = encoder.len() as usize - WINS_FROM;
    // All codes have two bits, so a block has 256 symbols.
    let symbols: Vec<u8> = std::iter::repeat_n(3, fours)
        .chain(std::iter::repeat_n(1, ones))
        .collect();
    let blocks: Vec<&[u8]> = symbols.chunks(256).collect();
    bytes.extend((blocks.len() as u32).to_le_bytes());
    bytes.extend([2, 2, 0, 0, 4, 0]);
    // A draw, a win, two draws, four draws.
    for [left, right] in [[2u16, 0xfff], [4, 0xfff], [0, 0], [2, 2]] {
        bytes.extend([
            left as u8,
            (right << 4) as u8 | (left >> 8) as u8,
            (right >> 4) as u8,
        ]);
    }
    // Black: always the same.
    bytes.extend([128, 2]);
    let lengths: Vec<usize> = blocks
        .iter()
        .map(|block| {
            block
                .iter()
                .map(|&symbol| if symbol == 3 { 4 } else { 1 })
                .sum()
        })
        .collect();
    for entry in 0..encoder.len().div_ceil(256) as usize {
        // The middle of the last span may lie behind the end; its entry is about a place that no
        // block has.
        let (mut block, mut place) = (0, entry * 256 + 128);
        while block + 1 < lengths.len() && place >= lengths[block] {
            place -= lengths[block];
            block += 1;
        }
        bytes.extend((block as u32).to_le_bytes());
        bytes.extend((place as u16).to_le_bytes());
    }
    for length in lengths.iter().chain(&[1, 1]) {
        bytes.extend((*length as u16 - 1).to_le_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    for block in blocks {
        let packed = block.chunks(4).map(|symbols| {
            let bits = symbols.iter().zip([6, 4, 2, 0]);
            bits.fold(0, |byte, (symbol, shift)| byte | symbol << shift)
        });
        bytes.extend(packed);
        bytes.resize(bytes.len().next_multiple_of(64), 0);
    }
    (bytes, encoder)
}

#[test]
fn a_table_put_together_by_hand_is_read() {
    let (bytes, encoder) = synthetic_table();
    let material: Material = "KNvK".parse().unwrap();
    let open = |metric| Table::from_store(Box::new(bytes.clone()), &material, metric);
    assert!(open(Metric::Dtz).is_err());
    let table = open(Metric::Wdl).unwrap();
    assert_eq!(*table.material(), material);
    for index in 0..encoder.len() {
        let placement = encoder.placement(index).unwrap();
        let expected = if index < 20_000 { Wdl::Draw } else { Wdl::Win };
        let [white, black] = Color::ALL.map(|turn| table.wdl(&placement, turn).unwrap());
        assert_eq!((white, black), (expected, Wdl::Draw), "{index}");
    }
}

#[test]
fn our_own_table_answers_where_both_formats_are() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let (bytes, _) = synthetic_table();
    std::fs::write(path("KNvK.rtbw"), bytes).unwrap();
    let position = Position::from_fen("8/8/8/8/8/1k6/8/KN6 w - - 0 1").unwrap();
    let tables = Tablebase::open(place.path()).unwrap();
    let material = "KNvK".parse().unwrap();
    let file = tables.table(&material, Metric::Wdl).unwrap();
    assert_eq!(file.format(), Format::Syzygy);
    assert!(file.check().is_ok());
    assert!(matches!(file.table(), Err(ProbeError::OtherFormat { .. })));
    let of_syzygy = tables.probe_wdl(&position);
    assert!(matches!(of_syzygy, Ok(Wdl::Draw | Wdl::Win)));
    let missing = tables.probe_dtz(&Position::from_fen("8/8/8/8/8/2k5/8/KR6 w - - 0 1").unwrap());
    assert!(missing.unwrap_err().is_missing_table());

    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/KNvK.wdl");
    std::fs::copy(ours, path("KNvK.wdl")).unwrap();
    let tables = Tablebase::open(place.path()).unwrap();
    assert_eq!(tables.tables().len(), 2);
    let file = tables.table(&material, Metric::Wdl).unwrap();
    assert_eq!(file.format(), Format::Native);
    assert_eq!(tables.probe_wdl(&position).unwrap(), Wdl::Draw);
}

#[test]
fn a_name_with_the_other_side_first_is_understood() {
    let place = tempfile::tempdir().unwrap();
    let (bytes, encoder) = synthetic_table();
    std::fs::write(place.path().join("KvKN.rtbw"), bytes).unwrap();
    let tables = Tablebase::open(place.path()).unwrap();
    for index in [0, 19_999, 20_000, encoder.len() - 1] {
        let placement = encoder.placement(index).unwrap().with_colors_exchanged();
        let number = tables.stored_number(&placement, Color::Black, Metric::Wdl);
        let expected = if index < 20_000 { Wdl::Draw } else { Wdl::Win };
        assert_eq!(number.unwrap(), Some(expected.index() as u8));
    }
}
