//! What the fuzz targets and the maker of their seeds share.

use retrograde::chess::Role;
use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::game::Color;
use retrograde::metric::{Metric, Wdl};
use retrograde::store::{FaultyStore, Store};
use retrograde::syzygy::Table;

mod checksums;
mod place;
mod records;

pub use checksums::{Target, checksums};
pub use place::{Place, TABLES, run};
pub use records::record_checksums;

/// The program, for targets that ask it as a whole.
#[path = "../../src/cli/mod.rs"]
pub mod cli;

/// Its manifests, for a target of their own.
#[path = "../../src/cli/manifest.rs"]
pub mod manifest;

/// Materials of three to seven men without pawns: all alone, equal men, both sides alike.
pub const PAWNLESS: &[&str] = &[
    "KQvK", "KRvK", "KNvK", "KQvKR", "KBvKN", "KNNvK", "KRvKR", "KQvKQ", "KNNvKN", "KQRvKR",
    "KBBvKN", "KQQQvK", "KQRvKQR", "KRRvKBB", "KQRBvKN", "KQRBNvKR", "KRRRvKNN", "KQQQQQvK",
];

/// The same with pawns of one side and of both.
pub const PAWNFUL: &[&str] = &[
    "KPvK", "KPvKP", "KPPvK", "KRPvK", "KQvKP", "KNvKP", "KRPvKR", "KQPvKQ", "KPPvKP", "KNNvKP",
    "KRPvKRP", "KPPvKPP", "KPPPvKPP", "KRBPvKNP", "KPPPPPvK",
];

/// Bytes before those of the file: which material; bit 0 whether distances, bit 1 whether it is
/// read piece by piece, and the rest for the placements.
pub const PREFIX: usize = 2;

/// Bytes of a table that is decoded as a whole.
const LARGEST_PRELOADED: usize = 4 << 20;

const PLACEMENTS: usize = 16;

/// Numbers that depend on nothing but a seed.
pub struct Random(u64);

impl Random {
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % end
    }
}

/// The men of a material on squares that are free, pawns where pawns can stand. One in eight
/// placements is wrong: two men on a square, pawns on a last rank, or a man too few.
fn placement(material: &Material, random: &mut Random) -> Placement {
    let is_wrong = random.below(8) == 0;
    let mut taken = 0u64;
    let mut placement = Placement::default();
    for color in Color::ALL {
        for role in Role::ALL {
            for _ in 0..material.count(color, role) {
                let square = loop {
                    let square = random.below(64);
                    let is_taken = taken >> square & 1 == 1;
                    let is_beyond = role == Role::Pawn && !(8..56).contains(&square);
                    if is_wrong || !is_taken && !is_beyond {
                        break square;
                    }
                };
                taken |= 1 << square;
                placement.men[color.index()][role.index()] |= 1 << square;
            }
        }
    }
    placement
}

/// Opens a Syzygy file, asks for values and for its checksum.
pub fn syzygy(materials: &[&str], data: &[u8]) {
    let Some((&[number, choice], bytes)) = data.split_first_chunk::<PREFIX>() else {
        return;
    };
    let material: Material = materials[usize::from(number) % materials.len()]
        .parse()
        .expect("the names above are materials");
    let metric = [Metric::Wdl, Metric::Dtz][usize::from(choice & 1)];
    let store: Box<dyn Store> = match choice & 2 {
        0 => Box::new(bytes.to_vec()),
        _ => Box::new(FaultyStore::new(bytes.to_vec(), 100, u64::MAX)),
    };
    let Ok(table) = Table::from_store(store, &material, metric) else {
        return;
    };
    let mut random = Random::new(u64::from(choice) << 32 | bytes.len() as u64);
    for _ in 0..PLACEMENTS {
        let placement = placement(table.material(), &mut random);
        for turn in Color::ALL {
            if metric == Metric::Wdl {
                let _ = table.wdl(&placement, turn);
                continue;
            }
            for wdl in [
                Wdl::Loss,
                Wdl::BlessedLoss,
                Wdl::Draw,
                Wdl::CursedWin,
                Wdl::Win,
            ] {
                if let Ok(Some(range)) = table.dtz(&placement, turn, wdl) {
                    assert!((range.longest.0 - range.shortest.0).abs() <= 1);
                }
            }
        }
    }
    let _ = table.verify_checksum(&|_, _| true);
    if let Ok(true) = table.preload(LARGEST_PRELOADED) {
        for _ in 0..PLACEMENTS {
            let placement = placement(table.material(), &mut random);
            for turn in Color::ALL {
                let _ = table.wdl(&placement, turn);
            }
        }
    }
}
