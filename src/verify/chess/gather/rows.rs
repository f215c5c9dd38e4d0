//! Lines of the 64 squares of one man that is alone in its group, read as rows of the file.

use super::tile::Numbers;
use super::{Gather, Pairs};
use crate::chess::symmetry::{ABOVE_DIAGONAL, DIAGONAL, Symmetry};
use crate::game::Bits;
use crate::simd::Kernel;
use crate::transpose::transpose_lines;
use crate::verify::chess::layout::Squares;
use crate::verify::chess::line::{Lane, Line};

/// Gathers the lines of the wanted squares of one man, whose numbers follow each other in the file.
///
/// For each square of the black king, the numbers of all squares of the man are a row of 64. The row is turned as a board
/// is, if the pair of kings is turned on the way to the file; 64 rows make 64 lines.
pub(super) struct GatherRows<'a> {
    pub gather: &'a Gather<'a>,
    pub numbers: Numbers<'a>,
    pub squares: &'a Squares,
    pub group: usize,
    pub man: usize,
    /// Squares of the man.
    pub wanted: u64,
    /// The bits of numbers that stay.
    pub kept: u8,
    /// From the address on where this man stands on square 0.
    pub lines: &'a mut [Line<u8>],
}

impl Kernel for GatherRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let pairs = &self.gather.pairs[usize::from(self.squares[0])];
        let mut rows = [[0; 64]; 64];
        for index in 0..Symmetry::COUNT {
            self.read(pairs, Symmetry::from_index(index), &mut rows);
        }
        let mut found = [[0; 64]; 64];
        transpose_lines(&rows, &mut found);
        let stride = self.gather.frame.stride(self.man);
        for square in self.wanted.ones() {
            let square = square as usize;
            let (line, found) = (&mut self.lines[square * stride], &found[square % 64]);
            for (value, found) in line.iter_mut().zip(found) {
                *value = *value & self.kept | found;
            }
        }
    }
}

impl GatherRows<'_> {
    /// Reads the rows of those black kings with which the board is turned in one way.
    #[inline(always)]
    fn read(&self, pairs: &Pairs, symmetry: Symmetry, rows: &mut [Line<u8>; 64]) {
        let decided = pairs.decided[symmetry.index()];
        let undecided = pairs.undecided[symmetry.index()];
        if decided | undecided == 0 {
            return;
        }
        let rest = |symmetry| (self.gather).groups_offset(self.squares, symmetry, Some(self.group));
        let own = rest(symmetry);
        for black in decided.ones().map(|black| black as usize % 64) {
            let row = self.numbers.row(pairs.by_black[black].offset + own);
            rows[black] = u8::turned(&row, symmetry);
        }
        if undecided == 0 {
            return;
        }
        // Kings on the diagonal stay there, and it is up to the other men whether the board is transposed as well.
        let twin = symmetry.then_transpose();
        let (other, transposed) = (rest(twin), self.transposed(symmetry));
        for black in undecided.ones().map(|black| black as usize % 64) {
            let offset = pairs.by_black[black].offset;
            let stays = u8::turned(&self.numbers.row(offset + own), symmetry);
            let turns = u8::turned(&self.numbers.row(offset + other), twin);
            rows[black] = std::array::from_fn(|square| match transposed >> square & 1 {
                0 => stays[square],
                _ => turns[square],
            });
        }
    }

    /// The squares of the man with which a board turned in one way is to be transposed as well, if kings leave it to the
    /// others. All squares on the same side of the diagonal are alike in that.
    #[inline(always)]
    fn transposed(&self, symmetry: Symmetry) -> u64 {
        let sides = [DIAGONAL, ABOVE_DIAGONAL, !(DIAGONAL | ABOVE_DIAGONAL)];
        let mut squares = *self.squares;
        let mut transposed = 0;
        for side in sides.map(|side| symmetry.pull(side)) {
            squares[self.man] = side.trailing_zeros() as u8 & 63;
            if self.gather.transposed_is_smaller(symmetry, &squares) {
                transposed |= side;
            }
        }
        transposed
    }
}
