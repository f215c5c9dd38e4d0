//! Attacks by multiplication and look-up.
//!
//! Only the squares a slider passes over matter, the ends of its lines left out: at most 12 for a
//! rook, 9 for a bishop. Multiplying those bits of the occupied squares by the right number gathers
//! enough of them in the top bits to index the square's own table; different occupancies may share
//! an entry when their attacks are the same. The multipliers were found by trying random numbers
//! with few bits set; the tests prove them, since any other multiplier mixes up attacks.

use super::hyperbola::{A1H8, A8H1, FILE, LINES, RANK, along};
use super::{Bitboard, SliderAttacks, Square};

/// Magic bitboards: one multiplication and one load for both lines of a rook or a bishop.
#[derive(Clone, Copy, Debug)]
pub struct Magic;

/// How to find the attacks of one square in [`ATTACKS`].
#[derive(Clone, Copy)]
struct Entry {
    /// The squares whose occupation matters.
    mask: Bitboard,
    multiplier: u64,
    /// Where the square's attacks begin.
    offset: u32,
    shift: u32,
}

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;

const EDGE_RANKS: Bitboard = 0xff00_0000_0000_00ff;
const EDGE_FILES: Bitboard = 0x8181_8181_8181_8181;

const fn entries(multipliers: &[u64; 64], directions: [usize; 2], mut offset: u32) -> [Entry; 64] {
    let mut entries = [Entry {
        mask: 0,
        multiplier: 0,
        offset: 0,
        shift: 0,
    }; 64];
    let mut square = 0;
    while square < 64 {
        let rank = 0xff << (square & 56);
        let file = 0x0101_0101_0101_0101 << (square & 7);
        let ends = (EDGE_RANKS & !rank) | (EDGE_FILES & !file);
        let lines = LINES[square][directions[0]] | LINES[square][directions[1]];
        let mask = lines & !ends;
        entries[square] = Entry {
            mask,
            multiplier: multipliers[square],
            offset,
            shift: 64 - mask.count_ones(),
        };
        offset += 1 << mask.count_ones();
        square += 1;
    }
    entries
}

static ROOKS: [Entry; 64] = entries(&ROOK_MAGICS, [RANK, FILE], 0);
static BISHOPS: [Entry; 64] = entries(&BISHOP_MAGICS, [A1H8, A8H1], ROOK_ENTRIES as u32);

static ATTACKS: [Bitboard; ROOK_ENTRIES + BISHOP_ENTRIES] = {
    let mut attacks = [0; ROOK_ENTRIES + BISHOP_ENTRIES];
    let mut square = 0;
    while square < 64 {
        fill(&mut attacks, &ROOKS[square], square, [RANK, FILE]);
        fill(&mut attacks, &BISHOPS[square], square, [A1H8, A8H1]);
        square += 1;
    }
    attacks
};

/// Writes the attacks of one square. Every compilation runs this, so each line is looked along once
/// and not once for each of the 108 thousand entries: the hash of both lines' men is the sum of
/// their hashes, as no bit is in both.
const fn fill(attacks: &mut [Bitboard], entry: &Entry, square: usize, directions: [usize; 2]) {
    let (one, count_of_one) = alone(entry, square, directions[0]);
    let (other, count_of_other) = alone(entry, square, directions[1]);
    let mut i = 0;
    while i < count_of_one {
        let (product, seen) = one[i];
        let mut j = 0;
        while j < count_of_other {
            let hash = product.wrapping_add(other[j].0) >> entry.shift;
            attacks[entry.offset as usize + hash as usize] = seen | other[j].1;
            j += 1;
        }
        i += 1;
    }
}

/// For each set of men on the inner squares of one line its product with the multiplier, and the
/// attacks along the line.
const fn alone(entry: &Entry, square: usize, direction: usize) -> ([(u64, Bitboard); 64], usize) {
    let line = LINES[square][direction];
    let inner = line & entry.mask;
    let mut states = [(0, 0); 64];
    let mut count = 0;
    let mut occupied = 0u64;
    loop {
        let product = occupied.wrapping_mul(entry.multiplier);
        states[count] = (product, along(square, occupied, line));
        count += 1;
        occupied = occupied.wrapping_sub(inner) & inner;
        if occupied == 0 {
            break;
        }
    }
    (states, count)
}

impl Entry {
    #[inline]
    fn index(&self, occupied: Bitboard) -> usize {
        let hash = (occupied & self.mask).wrapping_mul(self.multiplier) >> self.shift;
        self.offset as usize + hash as usize
    }
}

impl SliderAttacks for Magic {
    type Occupancy = Bitboard;

    #[inline]
    fn occupancy(occupied: Bitboard) -> Bitboard {
        occupied
    }

    #[inline]
    fn rook(square: Square, occupied: &Bitboard) -> Bitboard {
        ATTACKS[ROOKS[square.index()].index(*occupied)]
    }

    #[inline]
    fn bishop(square: Square, occupied: &Bitboard) -> Bitboard {
        ATTACKS[BISHOPS[square.index()].index(*occupied)]
    }
}

/// For each square, a multiplier that sends every occupancy to an entry of its own attacks.
#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x1080_0080_4000_1020,
    0x0540_0020_0040_1001,
    0x0200_0912_2042_0080,
    0x1280_1000_1801_4480,
    0x3001_0008_1020_8040,
    0x0300_0900_0204_0008,
    0x0280_0300_0200_0080,
    0x2180_0024_8000_4100,
    0x0014_8004_2040_0080,
    0x0024_8020_0080_4004,
    0x0a10_8010_0020_0080,
    0x0422_0010_0820_4200,
    0x2120_8004_0080_0800,
    0x2800_8080_0200_0400,
    0x1091_0004_0100_0200,
    0x0020_8020_4100_0080,
    0x8080_0240_0020_0042,
    0x1010_0040_4000_2000,
    0x0a00_8080_1000_2000,
    0x0401_0500_1000_2008,
    0x8810_8080_0800_0400,
    0x2000_8801_4004_1020,
    0x4080_0400_0142_10a8,
    0x0001_0200_1084_0041,
    0x1240_0046_8000_8021,
    0x4101_d001_4000_2001,
    0x4800_2000_8080_1000,
    0x0000_1002_8008_0081,
    0x0188_0080_8008_0400,
    0x0204_0100_4040_0200,
    0x4004_d004_0012_0821,
    0x0842_0042_0010_8114,
    0xd000_4000_8080_0032,
    0x8040_0800_2020_1002,
    0x2000_2004_1100_4100,
    0x0203_0062_0b00_1000,
    0x2201_0008_0100_0410,
    0x008a_0010_0200_0804,
    0x0050_0200_0101_0004,
    0x0044_0490_c200_2904,
    0x0910_4001_2181_8000,
    0x20a0_0040_3002_4000,
    0x0000_1020_0101_0044,
    0x0350_4201_a012_0008,
    0x0004_0008_0080_8004,
    0x0018_0400_0200_8080,
    0x1400_1001_8204_0048,
    0x0800_0080_4122_0004,
    0x2004_8200_2143_0600,
    0x2000_4000_8020_0180,
    0x0030_0400_2008_0120,
    0xa214_8008_0010_0080,
    0x0006_d005_0128_0100,
    0x1065_8004_0002_0180,
    0x0404_8001_0002_0080,
    0x0080_010c_0048_8200,
    0x124c_2100_1080_0043,
    0x0000_2012_0045_0082,
    0x0003_01c2_4950_2001,
    0x0800_1000_0408_2101,
    0x4002_0010_0804_2002,
    0x0046_0008_2450_0122,
    0x0c02_0028_0144_0082,
    0x0800_0041_0020_8c02,
];

/// The same for bishops.
#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x2011_010a_0082_0204,
    0x0402_2284_0102_0014,
    0x0010_010a_0820_0000,
    0x0008_2088_2008_00a0,
    0x0024_50c0_0008_2080,
    0x6002_0124_2088_0200,
    0x2022_0082_2010_0010,
    0x8000_2101_0820_0210,
    0xa008_0820_4400_8201,
    0x0010_0210_2101_0100,
    0x0008_2802_3042_1001,
    0x0210_8404_088c_0040,
    0x4400_0110_4000_8088,
    0x8600_0110_2210_0000,
    0x14a4_2124_1002_0900,
    0x0000_4022_280c_1424,
    0x1308_0440_0881_0409,
    0x9044_8c20_0802_0063,
    0x040c_0012_1800_5500,
    0xe00a_4004_0102_0208,
    0x4014_0000_9420_00c2,
    0x0002_0209_00a0_8405,
    0x20e9_0414_0101_1000,
    0x160c_8001_0400_8285,
    0x0211_1020_0420_0208,
    0x0122_1004_0821_0800,
    0x3002_0208_c448_0a00,
    0x0102_0021_0200_8200,
    0x8101_0011_0700_4000,
    0x0008_0023_0200_8401,
    0x3000_8084_0402_0801,
    0x0974_0044_8021_0400,
    0x0059_2011_0922_0400,
    0x0802_a460_001c_0822,
    0x1000_41d0_0408_02a0,
    0x00a0_4202_8018_0080,
    0x0241_1004_0000_8020,
    0x0060_0482_0891_0102,
    0x2261_0200_a0a2_0802,
    0x1008_6600_4080_8040,
    0x2004_1003_0810_1102,
    0x4061_0801_1040_8420,
    0x0083_0402_0104_4202,
    0x12a1_7142_0082_0800,
    0x0029_4030_0880_0100,
    0x0072_0490_0081_2100,
    0x4030_1128_4089_0900,
    0x0c88_2852_8220_2080,
    0x001c_0104_1005_4000,
    0x0206_0082_4150_0008,
    0x9804_0124_0a48_0800,
    0x0140_0000_8424_1120,
    0x0100_8090_0202_100c,
    0x0250_4030_0248_8180,
    0x0220_0409_0829_2084,
    0x0c05_4400_8401_0042,
    0x2002_0201_1101_3080,
    0x2000_0100_8090_4808,
    0x1890_0802_0201_0430,
    0x0040_8100_0210_4402,
    0x2429_2029_2003_4408,
    0x0804_0404_4830_2100,
    0x0122_d002_2848_2480,
    0x0102_080a_4086_0200,
];
