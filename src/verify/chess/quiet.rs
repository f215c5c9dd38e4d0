//! The quiet moves from the addresses of a row: 64 that differ only in the square of the last man.
//!
//! Whatever his square, the other men move alike, unless he is in their way. What a move of theirs
//! leads to from the addresses of a row is a row again. So a move is looked up once for 64 lines,
//! which are read one after the other, with the same squares of the black king left out.
//!
//! An example: KRBvKR, the white king on a1, White's rook on c1, his bishop on c3; the last man is
//! Black's rook, on any square. The rook moves to c2: from the row of (a1, c1, c3) to that of (a1,
//! c2, c3). It does so from all lines but two: that of c3, where the bishop is, has no positions,
//! and with Black's rook on c2 it would be a capture. Black's king may be anywhere, as no square
//! lies between.

use super::layout::{Frame, Squares, squares_of};
use super::line::{Lane, Line, ROW, Row, best_of_steps, take_best, take_best_turned};
use super::pages::Around;
use crate::chess::rules::{Square, attacks};
use crate::chess::symmetry::{Symmetry, into_triangle};
use crate::game::{Bits, Color};
use crate::simd::{Kernel, Width};

/// A move that leads from a row to another one.
#[derive(Clone, Copy, Debug)]
struct RowMove {
    /// The first address of the other row.
    row: usize,
    /// What the board is turned by on the way: the square of the last man as well.
    symmetry: Symmetry,
    /// Squares of the last man from which on it is possible.
    lines: u64,
    /// Squares where the black king is in the way.
    between: u64,
}

/// A move from one address of a row.
#[derive(Clone, Copy, Debug)]
struct LineMove {
    /// The square of the last man.
    line: u32,
    /// Where it leads to.
    address: usize,
    symmetry: Symmetry,
    /// Squares where the black king is in the way.
    between: u64,
}

/// The quiet moves from the addresses of a row, but for those of the black king.
#[derive(Debug, Default)]
pub(super) struct RowMoves {
    /// The first address, and who moves; nothing before any row was looked at.
    of: Option<(usize, Color)>,
    /// Squares of the last man on which the men are in order, each on a square of its own.
    lines: u64,
    rows: Vec<RowMove>,
    /// Moves of the last man within the row, by his square; empty if he is the opponent's.
    within: Vec<u64>,
    /// Moves of identical men after which another one is the last.
    single: Vec<LineMove>,
}

impl RowMoves {
    /// The first address of the row that an address is in.
    fn row_of(address: usize) -> usize {
        address & !(ROW - 1)
    }

    /// Finds the moves of a side from the row of an address, if they are not those found last.
    pub fn find(&mut self, frame: &Frame, side: Color, address: usize) {
        let row = Self::row_of(address);
        if self.of == Some((row, side)) {
            return;
        }
        self.of = Some((row, side));
        self.rows.clear();
        self.within.clear();
        self.single.clear();
        let row = RowOfMen::new(frame, row);
        self.lines = row.lines;
        if self.lines == 0 {
            return;
        }
        for (man, &(color, role)) in frame.men[..row.last].iter().enumerate() {
            if color != side {
                continue;
            }
            let from = Square::wrapping(row.squares[man].into());
            for to in squares_of(attacks::attacks(color, role, from, row.occupied) & !row.occupied)
            {
                let between = attacks::between(from, to);
                let lines = row.lines & !(between | to.bit());
                let mut squares = row.squares;
                squares[man] = to.index() as u8;
                let symmetry = match man {
                    0 if frame.in_triangle => into_triangle(squares[0]),
                    _ => Symmetry::default(),
                };
                self.add(&row, squares, symmetry, (lines, between));
            }
        }
        if frame.men[row.last].0 == side {
            self.add_moves_of_last(&row);
        }
    }

    /// Adds a move to squares of the men, that of the last one left aside, which is turned on the
    /// way; with the squares of the last man from which on it is possible, and those where the
    /// black king is in the way.
    fn add(
        &mut self,
        row: &RowOfMen<'_>,
        squares: Squares,
        symmetry: Symmetry,
        (lines, between): (u64, u64),
    ) {
        let mut squares = squares.map(|square| symmetry.map(square));
        let stays_last = symmetry.pull(row.squares_behind(&squares));
        let rows = lines & stays_last;
        if rows != 0 {
            squares[row.last] = 63;
            self.rows.push(RowMove {
                row: Self::row_of(row.frame.address(squares)),
                symmetry,
                lines: rows,
                between,
            });
        }
        for line in (lines & !stays_last).ones() {
            squares[row.last] = symmetry.map(line as u8);
            self.single.push(LineMove {
                line,
                address: row.frame.address(squares),
                symmetry,
                between,
            });
        }
    }

    fn add_moves_of_last(&mut self, row: &RowOfMen<'_>) {
        let (color, role) = row.frame.men[row.last];
        let behind = row.squares_behind(&row.squares);
        self.within.resize(ROW, 0);
        for line in row.lines.ones() {
            let from = Square::wrapping(line);
            let reached = attacks::attacks(color, role, from, row.occupied) & !row.occupied;
            self.within[line as usize] = reached & behind;
            for to in squares_of(reached & !behind) {
                let mut squares = row.squares;
                squares[row.last] = to.index() as u8;
                self.single.push(LineMove {
                    line,
                    address: row.frame.address(squares),
                    symmetry: Symmetry::default(),
                    between: attacks::between(from, to),
                });
            }
        }
    }
}

/// The men at the addresses of a row.
struct RowOfMen<'a> {
    frame: &'a Frame,
    /// The number of the last man.
    last: usize,
    /// Where the men stand, the last one on any square.
    squares: Squares,
    /// Where the others stand.
    occupied: u64,
    /// Squares of the last man on which the men are in order, each on a square of its own.
    lines: u64,
}

impl RowOfMen<'_> {
    fn new(frame: &Frame, row: usize) -> RowOfMen<'_> {
        let last = frame.men.len() - 1;
        let squares = frame.squares(row);
        let mut occupied = frame.pawns.all();
        let mut are_apart = true;
        for &square in &squares[..last] {
            are_apart &= occupied >> square & 1 == 0;
            occupied |= 1 << square;
        }
        RowOfMen {
            frame,
            last,
            squares,
            occupied,
            lines: match are_apart {
                true => frame.squares_in_order(&squares, last) & !occupied,
                false => 0,
            },
        }
    }

    /// The squares on which the last man is the last of those like him, the others standing on
    /// these squares.
    fn squares_behind(&self, squares: &Squares) -> u64 {
        let men = &self.frame.men;
        let like = (0..self.last).filter(|&man| man > 0 && men[man] == men[self.last]);
        match like.map(|man| squares[man]).max() {
            Some(square) => !(u64::MAX >> (63 - square)),
            None => u64::MAX,
        }
    }
}

/// The best of the quiet moves from the addresses of a row, in numbers of one kind.
#[derive(Debug)]
pub(super) struct BestOfRow<M> {
    /// The first address, and who moves.
    of: Option<(usize, Color)>,
    lines: Vec<Line<M>>,
}

impl<M> Default for BestOfRow<M> {
    fn default() -> BestOfRow<M> {
        BestOfRow {
            of: None,
            lines: Vec::new(),
        }
    }
}

impl<M: Lane> BestOfRow<M> {
    /// The best number of an address in the row whose moves are given, where `reached` are those of
    /// the other side.
    pub fn line(
        &mut self,
        moves: &RowMoves,
        reached: Around<'_, M>,
        address: usize,
        width: Width,
    ) -> &Line<M> {
        if self.of != moves.of {
            self.of = moves.of;
            self.lines.resize(ROW, [M::NONE; 64]);
            if let Ok(best) = self.lines.as_mut_slice().try_into() {
                width.run(FindBest {
                    moves,
                    reached,
                    best,
                });
            }
        }
        &self.lines[address % ROW]
    }
}

/// Finds the best of the quiet moves from the addresses of a row.
struct FindBest<'a, M> {
    moves: &'a RowMoves,
    reached: Around<'a, M>,
    best: &'a mut Row<M>,
}

impl<M: Lane> Kernel for FindBest<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let FindBest {
            moves,
            reached,
            best,
        } = self;
        let Some((row, side)) = moves.of.filter(|_| moves.lines != 0) else {
            return;
        };
        let own = reached.row(row);
        for line in moves.lines.ones().map(|line| line as usize % ROW) {
            best[line] = match side {
                Color::White => [M::NONE; 64],
                Color::Black => best_of_steps(&own[line]),
            };
        }
        for to in &moves.rows {
            to.take(reached.row(to.row), best);
        }
        for (line, to) in moves.within.iter().enumerate() {
            let from = Square::wrapping(line as u32);
            for to in squares_of(*to) {
                let between = attacks::between(from, to);
                take_best(&mut best[line % ROW], &own[to.index() % ROW], between);
            }
        }
        for to in &moves.single {
            let line = reached.line(to.address);
            let best = &mut best[to.line as usize % ROW];
            take_best_turned(best, line, to.symmetry, to.between);
        }
    }
}

impl RowMove {
    /// Takes the numbers of the other row.
    #[inline(always)]
    fn take<M: Lane>(&self, reached: &Row<M>, best: &mut Row<M>) {
        let lines = self.lines.ones().map(|line| line as usize % ROW);
        if self.symmetry.is_identity() {
            for line in lines {
                take_best(&mut best[line], &reached[line], self.between);
            }
        } else {
            let turned = self.symmetry.squares();
            for line in lines {
                let reached = &reached[usize::from(turned[line]) % ROW];
                take_best_turned(&mut best[line], reached, self.symmetry, self.between);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::material::Material;
    use crate::verify::chess::layout::Layout;
    use crate::verify::chess::pages::{Pages, Window};

    /// The best number that a move of the men leads to, for one square of the black king, with the
    /// attacks of the board as it is.
    fn best_of_moves(
        frame: &Frame,
        reached: &Window<'_, u8>,
        side: Color,
        squares: &Squares,
        king: u8,
    ) -> u8 {
        let occupied = frame.placement(squares).occupied() | 1 << king;
        let mut best = u8::MAX;
        for (man, &(color, role)) in frame.men.iter().enumerate() {
            let from = Square::wrapping(squares[man].into());
            let to = match color == side {
                true => attacks::attacks(color, role, from, occupied) & !occupied,
                false => 0,
            };
            for to in squares_of(to) {
                let mut squares = *squares;
                squares[man] = to.index() as u8;
                let symmetry = match frame.in_triangle {
                    true => into_triangle(squares[0]),
                    false => Symmetry::default(),
                };
                let address = frame.address(squares.map(|square| symmetry.map(square)));
                best = best.min(reached.line(address)[usize::from(symmetry.map(king))]);
            }
        }
        if side == Color::Black {
            let steps = attacks::king(Square::wrapping(king.into())) & !occupied;
            for to in squares_of(steps) {
                best = best.min(reached.line(frame.address(*squares))[to.index()]);
            }
        }
        best
    }

    #[test]
    fn rows_have_the_best_of_each_line_s_moves() {
        let mut random = fastrand::Rng::with_seed(4);
        for material in [
            "KQvK", "KRvKB", "KNNvK", "KRRvK", "KQvKQ", "KPvKP", "KRPvK", "KBvKP",
        ] {
            let material: Material = material.parse().unwrap();
            let layout = Layout::new(material);
            let frame = layout.frame(layout.slices() / 3);
            // Where a man stands, or the black king on a man, there is no position.
            let line = |address: usize| -> Line<u8> {
                let occupied = frame.placement(&frame.squares(address)).occupied();
                std::array::from_fn(|king| match occupied >> king & 1 {
                    0 => random.u8(..),
                    _ => u8::NONE,
                })
            };
            let pages = Pages::here((0..frame.addresses).map(line).collect());
            let window = pages.open();
            let around = Around {
                near: &window,
                far: &window,
                band: (0, frame.addresses),
            };
            let mut moves = RowMoves::default();
            for side in Color::ALL {
                let mut best = BestOfRow::default();
                for address in (0..frame.addresses).step_by(7) {
                    let squares = frame.squares(address);
                    let placement = frame.placement(&squares);
                    let men = frame.men.len() + frame.pawns.all().count_ones() as usize;
                    let are_apart = placement.occupied().count_ones() as usize == men;
                    if !are_apart || !frame.is_in_order(&squares) {
                        continue;
                    }
                    moves.find(&frame, side, address);
                    let found = best.line(&moves, around, address, Width::widest());
                    for king in (0..64).filter(|king| placement.occupied() >> king & 1 == 0) {
                        let expected = best_of_moves(&frame, &window, side, &squares, king);
                        assert_eq!(found[usize::from(king)], expected, "{material} {squares:?}");
                    }
                }
            }
        }
    }
}
