//! Lines of the 64 squares of one man that is alone in its group, read as rows of the file.

use super::Pairs;
use super::tile::{GatherTile, keep};
use crate::chess::symmetry::{ABOVE_DIAGONAL, DIAGONAL, Symmetry};
use crate::game::Bits;
use crate::simd::Kernel;
use crate::transpose::transpose_lines;
use crate::verify::chess::line::{Lane, Line};

/// Gathers the lines of the wanted squares of one man, whose numbers follow each other in the file.
///
/// For each square of the black king, the numbers of all squares of the man are a row of 64. The
/// row is turned as a board is, if the pair of kings is turned on the way to the file; 64 rows make
/// 64 lines.
pub(super) struct GatherRows<'a>(pub GatherTile<'a>);

impl Kernel for GatherRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let pairs = &self.0.gather.pairs[usize::from(self.0.squares[0])];
        let mut rows = [[0; 64]; 64];
        // If the board is turned in one way for all black kings, it is enough to turn what comes
        // out.
        let whole = (pairs.decided.iter()).position(|&kings| kings == u64::MAX);
        let turned = Symmetry::from_index(whole.unwrap_or_default());
        if whole.is_some() {
            self.read_whole(pairs, turned, &mut rows);
        } else {
            for index in 0..Symmetry::COUNT {
                self.read(pairs, Symmetry::from_index(index), &mut rows);
            }
        }
        let mut found = [[0; 64]; 64];
        transpose_lines(&rows, &mut found);
        let stride = self.0.gather.frame.stride(self.0.man);
        for square in self.0.wanted.ones() {
            let found = &found[usize::from(turned.map(square as u8)) % 64];
            let line = &mut self.0.lines[square as usize * stride];
            keep(line, found, self.0.kept);
        }
    }
}

impl GatherRows<'_> {
    /// What the men but one add to an index on a board turned in one way.
    #[inline(always)]
    fn others(&self, symmetry: Symmetry) -> usize {
        (self.0.gather).groups_offset(self.0.squares, symmetry, Some(self.0.group))
    }

    /// Reads the rows of all black kings as they are in the file.
    #[inline(always)]
    fn read_whole(&self, pairs: &Pairs, symmetry: Symmetry, rows: &mut [Line<u8>; 64]) {
        let own = self.others(symmetry);
        for (row, kings) in rows.iter_mut().zip(&pairs.by_black) {
            *row = self.0.numbers.row(kings.offset + own);
        }
    }

    /// Reads the rows of those black kings with which the board is turned in one way.
    #[inline(always)]
    fn read(&self, pairs: &Pairs, symmetry: Symmetry, rows: &mut [Line<u8>; 64]) {
        let decided = pairs.decided[symmetry.index()];
        let undecided = pairs.undecided[symmetry.index()];
        if decided | undecided == 0 {
            return;
        }
        let own = self.others(symmetry);
        for black in decided.ones().map(|black| black as usize % 64) {
            let row = self.0.numbers.row(pairs.by_black[black].offset + own);
            rows[black] = u8::turned(&row, symmetry);
        }
        if undecided == 0 {
            return;
        }
        // Kings on the diagonal stay there, and it is up to the other men whether the board is
        // transposed as well.
        let twin = symmetry.then_transpose();
        let (other, transposed) = (self.others(twin), self.transposed(symmetry));
        for black in undecided.ones().map(|black| black as usize % 64) {
            let offset = pairs.by_black[black].offset;
            let stays = u8::turned(&self.0.numbers.row(offset + own), symmetry);
            let turns = u8::turned(&self.0.numbers.row(offset + other), twin);
            rows[black] = std::array::from_fn(|square| match transposed >> square & 1 {
                0 => stays[square],
                _ => turns[square],
            });
        }
    }

    /// The squares of the man with which a board turned in one way is to be transposed as well, if
    /// kings leave it to the others. All squares on the same side of the diagonal are alike in
    /// that.
    #[inline(always)]
    fn transposed(&self, symmetry: Symmetry) -> u64 {
        let sides = [DIAGONAL, ABOVE_DIAGONAL, !(DIAGONAL | ABOVE_DIAGONAL)];
        let mut squares = *self.0.squares;
        let mut transposed = 0;
        for side in sides.map(|side| symmetry.pull(side)) {
            squares[self.0.man] = side.trailing_zeros() as u8 & 63;
            if self.0.gather.transposed_is_smaller(symmetry, &squares) {
                transposed |= side;
            }
        }
        transposed
    }
}
