//! Values of a material that is kept in the other colours.
//!
//! White's king becomes Black's there: what is one line here, with the black king on all squares,
//! has a number in each of 64 lines there. But so have the lines of all squares of the white king.
//! With the other men where they are, the line there in which the black king stands on b has the
//! numbers of all squares w of the white king; turned as the board is turned, it is row b of a
//! square of numbers, whose column w is the line here. So each line there is looked up once for
//! all, and not once for each number.

use super::layout::{Frame, Squares, flipped_first};
use super::line::{ILLEGAL, Lane, Line, Score};
use crate::chess::index::Placement;
use crate::chess::rules::Role;
use crate::chess::symmetry::{Symmetry, TRIANGLE, into_triangle};
use crate::game::Bits;
use crate::parallel;
use crate::simd::{Kernel, Width};

/// Addresses with the white king on the same square that a thread takes together.
const STRIP: usize = 64;

/// The squares of the black king, by the band there in which they are the white king's: of values
/// that wait, one band at a time is at hand.
pub(super) fn kings_by_band(in_triangle: bool, is_away: bool) -> Vec<u64> {
    if !is_away || !in_triangle {
        return vec![u64::MAX];
    }
    let of_place = |place: u8| {
        (0..64u8)
            .filter(|king| into_triangle(king ^ 56).map(king ^ 56) == place)
            .fold(0, |kings, king| kings | 1 << king)
    };
    TRIANGLE.into_iter().map(of_place).collect()
}

/// The results of a placement and, if they are known, its scores, with the symmetry that takes its
/// board to theirs.
pub(super) type Found<'v, S> = (&'v Line<u8>, Option<&'v Line<S>>, Symmetry);

/// The values of a material in the other colours, with one side to move.
pub(super) trait InOtherColors<S>: Sync {
    /// Those of a placement in these colours, whose black king is left aside.
    fn find(&self, placement: &Placement) -> Option<Found<'_, S>>;
}

/// Lines of a frame that are found in the other colours.
pub(super) struct Exchanged<'a, M> {
    pub frame: &'a Frame,
    /// The men but the kings at an address, the white king's square being of no account; nothing if
    /// there is no position.
    pub men: M,
}

/// Lines at some addresses, by the place of the white king; no scores if they are not known.
struct Strip<'a, S> {
    first: usize,
    results: Vec<&'a mut [Line<u8>]>,
    scores: Vec<&'a mut [Line<S>]>,
}

/// Deals the lines of each place of the white king, `stride` of them, to strips.
fn deal<'a, N, S>(
    lines: &'a mut [Line<N>],
    stride: usize,
    strips: &mut [Strip<'a, S>],
    of: impl for<'s> Fn(&'s mut Strip<'a, S>) -> &'s mut Vec<&'a mut [Line<N>]>,
) {
    for place in lines.chunks_mut(stride) {
        for (strip, lines) in strips.iter_mut().zip(place.chunks_mut(STRIP)) {
            of(strip).push(lines);
        }
    }
}

impl<M: Fn(&Squares) -> Option<Placement> + Sync> Exchanged<'_, M> {
    /// Fills all lines of the frame, but for positions with the black king on other squares than
    /// these.
    pub fn take<S: Score>(
        &self,
        values: &impl InOtherColors<S>,
        kings: u64,
        results: &mut [Line<u8>],
        scores: &mut [Line<S>],
    ) {
        let stride = self.frame.stride(0);
        let strips = (0..stride).step_by(STRIP).map(|first| Strip {
            first,
            results: Vec::new(),
            scores: Vec::new(),
        });
        let mut strips: Vec<Strip<'_, S>> = strips.collect();
        deal(results, stride, &mut strips, |strip| &mut strip.results);
        deal(scores, stride, &mut strips, |strip| &mut strip.scores);
        let width = Width::widest();
        parallel::each_item(strips, |_, mut strip| {
            let len = strip.results.first().map_or(0, |lines| lines.len());
            for at in 0..len {
                let squares = self.frame.squares(strip.first + at);
                let Some(men) = (self.men)(&squares) else {
                    continue;
                };
                let (results, scores) = self.rows(values, &men, kings);
                width.run(Columns {
                    frame: self.frame,
                    kings,
                    rows: &results,
                    at,
                    lines: &mut strip.results,
                });
                width.run(Columns {
                    frame: self.frame,
                    kings,
                    rows: &scores,
                    at,
                    lines: &mut strip.scores,
                });
            }
        });
    }

    /// By square of the black king, the values with the white king on every square.
    fn rows<S: Score>(
        &self,
        values: &impl InOtherColors<S>,
        men: &Placement,
        kings: u64,
    ) -> ([Line<u8>; 64], [Line<S>; 64]) {
        let mut results = [[ILLEGAL; 64]; 64];
        let mut scores = [[S::ILLEGAL; 64]; 64];
        for black in (kings & !men.occupied()).ones() {
            let mut men = *men;
            men.men[1][Role::King.index()] = 1 << black;
            let Some((found, known, symmetry)) = values.find(&men.with_colors_exchanged()) else {
                continue;
            };
            let symmetry = flipped_first(symmetry);
            let black = black as usize % 64;
            results[black] = Lane::turned(found, symmetry);
            if let Some(found) = known {
                scores[black] = Lane::turned(found, symmetry);
            }
        }
        (results, scores)
    }
}

/// Makes lines of the columns of a square of numbers.
struct Columns<'a, 'b, N> {
    frame: &'a Frame,
    kings: u64,
    rows: &'a [Line<N>; 64],
    at: usize,
    /// By place of the white king.
    lines: &'a mut [&'b mut [Line<N>]],
}

impl<N: Lane> Kernel for Columns<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.lines.is_empty() {
            return;
        }
        let mut columns = [[N::NONE; 64]; 64];
        N::exchange(self.rows, &mut columns);
        for (place, lines) in self.lines.iter_mut().enumerate() {
            let white = match self.frame.in_triangle {
                true => TRIANGLE[place].into(),
                false => place,
            };
            let line = &mut lines[self.at];
            if self.kings == u64::MAX {
                *line = columns[white];
                continue;
            }
            for black in self.kings.ones() {
                line[black as usize] = columns[white][black as usize];
            }
        }
    }
}
