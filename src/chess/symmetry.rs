//! The eight symmetries of the chess board, on squares and on words of 64 squares.

/// A symmetry of the board: first maybe mirrored left to right, then maybe flipped top to bottom,
/// then maybe transposed along the diagonal a1-h8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

const MIRROR: u8 = 1;
const FLIP: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Symmetry {
    /// Exchanges files and ranks.
    pub const TRANSPOSE: Symmetry = Symmetry(TRANSPOSE);
    /// Exchanges White's side of the board and Black's.
    pub const FLIP: Symmetry = Symmetry(FLIP);
    /// How many there are.
    pub const COUNT: usize = 8;

    /// The symmetry with a number below [`COUNT`](Self::COUNT); higher bits are ignored.
    #[must_use]
    pub const fn from_index(index: usize) -> Symmetry {
        Symmetry((index % Self::COUNT) as u8)
    }

    /// The inverse of [`from_index`](Self::from_index).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Exchanges left and right, or changes nothing.
    #[must_use]
    pub const fn mirrored(mirror: bool) -> Symmetry {
        Symmetry(if mirror { MIRROR } else { 0 })
    }

    /// This symmetry, and transposed afterwards.
    #[must_use]
    pub const fn then_transpose(self) -> Symmetry {
        Symmetry(self.0 ^ TRANSPOSE)
    }

    /// This symmetry, and transposed afterwards if something is the case.
    #[must_use]
    #[inline(always)]
    pub const fn then_transpose_if(self, is_so: bool) -> Symmetry {
        Symmetry(self.0 ^ (is_so as u8 * TRANSPOSE))
    }

    /// Whether nothing changes.
    #[must_use]
    #[inline(always)]
    pub const fn is_identity(self) -> bool {
        self.0 == 0
    }

    /// Whether left and right are exchanged.
    #[must_use]
    #[inline(always)]
    pub const fn mirrors(self) -> bool {
        self.0 & MIRROR != 0
    }

    /// Whether top and bottom are exchanged.
    #[must_use]
    #[inline(always)]
    pub const fn flips(self) -> bool {
        self.0 & FLIP != 0
    }

    /// Whether files and ranks are exchanged, after all else.
    #[must_use]
    #[inline(always)]
    pub const fn transposes(self) -> bool {
        self.0 & TRANSPOSE != 0
    }

    /// Where a square (0 is a1, 63 is h8) goes.
    #[must_use]
    #[inline(always)]
    pub const fn map(self, square: u8) -> u8 {
        let mirror = (self.0 & MIRROR) * 7;
        let flip = (self.0 & FLIP) / FLIP * 56;
        let square = square ^ mirror ^ flip;
        let transposed = square >> 3 | (square & 7) << 3;
        if self.0 & TRANSPOSE == 0 {
            square
        } else {
            transposed
        }
    }

    /// Where every square goes, in a table: for those who map several and cannot guess whether
    /// files and ranks are exchanged.
    #[must_use]
    #[inline(always)]
    pub const fn squares(self) -> &'static [u8; 64] {
        &MAPS[self.index() % Self::COUNT]
    }

    /// The symmetry that takes every square back.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.0 & TRANSPOSE == 0 {
            self
        } else {
            // Behind a transposition, left-right and top-bottom change places.
            Symmetry(TRANSPOSE | (self.0 & MIRROR) << 1 | (self.0 & FLIP) >> 1)
        }
    }

    /// The word whose bit `i` is bit `map(i)` of `word`.
    #[must_use]
    #[inline(always)]
    pub const fn pull(self, mut word: u64) -> u64 {
        if self.0 & TRANSPOSE != 0 {
            word = transpose(word);
        }
        if self.0 & FLIP != 0 {
            word = word.swap_bytes();
        }
        if self.0 & MIRROR != 0 {
            word = mirror(word);
        }
        word
    }
}

static MAPS: [[u8; 64]; Symmetry::COUNT] = {
    let mut maps = [[0; 64]; Symmetry::COUNT];
    let mut index = 0;
    while index < Symmetry::COUNT {
        let mut square = 0;
        while square < 64 {
            maps[index][square] = Symmetry::from_index(index).map(square as u8);
            square += 1;
        }
        index += 1;
    }
    maps
};

/// The word with its files in reverse order.
#[must_use]
#[inline(always)]
pub const fn mirror(mut word: u64) -> u64 {
    const ONES: u64 = 0x5555_5555_5555_5555;
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    const FOURS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    word = word >> 1 & ONES | (word & ONES) << 1;
    word = word >> 2 & PAIRS | (word & PAIRS) << 2;
    word >> 4 & FOURS | (word & FOURS) << 4
}

/// The word with files and ranks exchanged.
#[must_use]
#[inline(always)]
pub const fn transpose(mut word: u64) -> u64 {
    let swap = (word ^ (word >> 28)) & 0x0000_0000_f0f0_f0f0;
    word ^= swap ^ (swap << 28);
    let swap = (word ^ (word >> 14)) & 0x0000_cccc_0000_cccc;
    word ^= swap ^ (swap << 14);
    let swap = (word ^ (word >> 7)) & 0x00aa_00aa_00aa_00aa;
    word ^ swap ^ (swap << 7)
}

/// The squares of the triangle a1-d1-d4, to which every square is symmetric.
pub const TRIANGLE: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

const TRIANGLE_PLACES: [u8; 64] = {
    let mut places = [u8::MAX; 64];
    let mut place = 0;
    while place < TRIANGLE.len() {
        places[TRIANGLE[place] as usize] = place as u8;
        place += 1;
    }
    places
};

/// The number of a square of the triangle; 255 for others.
#[must_use]
#[inline(always)]
pub const fn triangle_place(square: u8) -> usize {
    TRIANGLE_PLACES[square as usize] as usize
}

/// The squares of the diagonal a1-h8.
pub const DIAGONAL: u64 = 0x8040_2010_0804_0201;

/// The squares on the side of a8: those that transposing takes below the diagonal.
pub const ABOVE_DIAGONAL: u64 = {
    let mut set = 0;
    let mut square = 0;
    while square < 64 {
        if square >> 3 > square & 7 {
            set |= 1 << square;
        }
        square += 1;
    }
    set
};

/// Whether a square lies on the diagonal a1-h8.
#[must_use]
pub const fn is_on_diagonal(square: u8) -> bool {
    square >> 3 == square & 7
}

/// The symmetry that takes a square into the corner a1-d1-a4-d4, nothing transposed.
#[must_use]
#[inline(always)]
pub const fn into_corner(square: u8) -> Symmetry {
    Symmetry(((square >> 2 & 1) * MIRROR) | ((square >> 5 & 1) * FLIP))
}

/// The symmetry that takes a square into the triangle without transposing more than needed.
#[must_use]
#[inline(always)]
pub const fn into_triangle(square: u8) -> Symmetry {
    let corner = into_corner(square);
    let turned = corner.map(square);
    corner.then_transpose_if(turned >> 3 > turned & 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_is_map_read_backwards() {
        for index in 0..Symmetry::COUNT {
            let symmetry = Symmetry::from_index(index);
            for square in 0..64u8 {
                assert_eq!(symmetry.inverse().map(symmetry.map(square)), square);
                assert_eq!(symmetry.pull(1 << symmetry.map(square)), 1 << square);
            }
        }
    }

    #[test]
    fn every_square_reaches_the_triangle() {
        for square in 0..64 {
            assert!(triangle_place(into_triangle(square).map(square)) < TRIANGLE.len());
        }
    }
}
