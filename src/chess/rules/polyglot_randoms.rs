//! The 781 random numbers of the Polyglot opening book format.
//!
//! Programs that read Polyglot books share one array of numbers, printed in the format's
//! description. It is the output of ISAAC-64, Bob Jenkins' public domain generator, started from a
//! seed of zeros: four blocks of 256 numbers, each read from its last number to its first, the
//! fourth only as far as needed. Computing them takes less room than printing them; the tests
//! compare keys with the published ones.

/// How many numbers the format uses.
pub(super) const COUNT: usize = 781;

/// The numbers, in the order of the format's description.
pub(super) const RANDOMS: [u64; COUNT] = {
    let mut numbers = [0; COUNT];
    let mut isaac = Isaac64::new();
    let mut i = 0;
    while i < COUNT {
        if i % 256 == 0 {
            isaac.next_block();
        }
        numbers[i] = isaac.block[255 - i % 256];
        i += 1;
    }
    numbers
};

/// The generator's state and its latest block of numbers.
struct Isaac64 {
    memory: [u64; 256],
    block: [u64; 256],
    a: u64,
    b: u64,
    c: u64,
}

/// Jenkins' mixing step, in which every word affects every other.
const fn mix(w: &mut [u64; 8]) {
    const SHIFTS: [u32; 8] = [9, 9, 23, 15, 14, 20, 17, 14];
    let mut i = 0;
    while i < 8 {
        let previous = (i + 7) & 7;
        w[i] = w[i].wrapping_sub(w[(i + 4) & 7]);
        w[(i + 5) & 7] ^= if i % 2 == 0 {
            w[previous] >> SHIFTS[i]
        } else {
            w[previous] << SHIFTS[i]
        };
        w[previous] = w[previous].wrapping_add(w[i]);
        i += 1;
    }
}

impl Isaac64 {
    /// The generator seeded with 256 zeros.
    const fn new() -> Isaac64 {
        const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c13;
        let mut words = [GOLDEN_RATIO; 8];
        let mut round = 0;
        while round < 4 {
            mix(&mut words);
            round += 1;
        }
        let mut memory = [0; 256];
        // The first pass takes in the seed, which is zero; the second spreads it over all the
        // memory.
        let mut i = 0;
        while i < 2 * 256 {
            let mut j = 0;
            while j < 8 {
                words[j] = words[j].wrapping_add(memory[i % 256 + j]);
                j += 1;
            }
            mix(&mut words);
            j = 0;
            while j < 8 {
                memory[i % 256 + j] = words[j];
                j += 1;
            }
            i += 8;
        }
        Isaac64 {
            memory,
            block: [0; 256],
            a: 0,
            b: 0,
            c: 0,
        }
    }

    /// Replaces the block by the next 256 numbers.
    const fn next_block(&mut self) {
        self.c = self.c.wrapping_add(1);
        self.b = self.b.wrapping_add(self.c);
        let mut i = 0;
        while i < 256 {
            let x = self.memory[i];
            let mixed = match i % 4 {
                0 => !(self.a ^ (self.a << 21)),
                1 => self.a ^ (self.a >> 5),
                2 => self.a ^ (self.a << 12),
                _ => self.a ^ (self.a >> 33),
            };
            self.a = mixed.wrapping_add(self.memory[(i + 128) % 256]);
            let y = self.memory[(x >> 3) as usize % 256]
                .wrapping_add(self.a)
                .wrapping_add(self.b);
            self.memory[i] = y;
            self.b = self.memory[(y >> 11) as usize % 256].wrapping_add(x);
            self.block[i] = self.b;
            i += 1;
        }
    }
}
