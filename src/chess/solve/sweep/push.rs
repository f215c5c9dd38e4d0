//! Moves back from all words of a layer, a row at a time where several of them are not empty.
//!
//! Words that differ only in the last man's square are next to each other. With the other men where
//! they are, a move of one of those leads from all of these words to as many next to each other, but
//! for the words in which the last man stands in the way, and in what is left for the squares of the
//! man in the word that do. So a row of 64 words is moved in wide registers, in the time of about
//! four words one by one. The last man's moves, and those that turn the board, remain: they lead to
//! other places from each word.

use super::neighbours::{
    LineTable, PushedMen, RAY_END, is_turned, occupied, push_predecessors, push_word,
};
use crate::chess::solve::space::{Axis, Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::{Layer, ROW, not_empty};

/// Below so many words of a row they are looked at one by one.
///
/// Measured on KRBvKR, where a row in use has 2.8 such words in the mean: with 2 solving takes three
/// hundredths longer than with 5, with 3 one longer than with 4.
const FEW: u32 = 4;

/// Adds positions from which `side` has a quiet move into those of a layer.
#[inline(always)]
pub(super) fn push_layer<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    side: usize,
    into: &Layer<B::Word>,
    reached: &mut Layer<B::Word>,
) {
    let last = space.axes.last().filter(|last| last.squares.len() == ROW);
    let last = last.filter(|_| space.axes.len() > 1);
    for (start, active) in into.rows() {
        let words = into.set[start..].first_chunk();
        if let (Some(last), Some(words), FEW..) = (last, words, active.count_ones()) {
            let row = RowPush {
                space,
                lines,
                side,
                last,
                start,
                words,
                active,
            };
            row.run(reached);
            continue;
        }
        for place in active.ones() {
            let address = start + place as usize;
            push_predecessors(space, lines, side, address, into.set[address], reached);
        }
    }
}

/// A row of words to move back from.
struct RowPush<'a, B: Board> {
    space: &'a Space<B>,
    lines: &'a LineTable,
    side: usize,
    /// The last man, who stands on each of his squares.
    last: &'a Axis,
    start: usize,
    words: &'a [B::Word; ROW],
    /// The words that are not empty.
    active: u64,
}

impl<B: Board> RowPush<'_, B> {
    #[inline(always)]
    fn run(&self, reached: &mut Layer<B::Word>) {
        let space = self.space;
        let mut squares = [0u8; 8];
        space.squares(self.start, &mut squares);
        self.push_words(squares, reached);
        let last = space.axes.len() - 1;
        let occupied = occupied(space, &squares[..last]);
        for (number, axis) in space.axes[..last].iter().enumerate() {
            if axis.side != self.side {
                continue;
            }
            let place = axis.place(squares[number]);
            let base = self.start - place * axis.stride;
            match &axis.moves {
                Moves::Slide(_) => {
                    let rays = self.lines.rays(number, squares[number]);
                    self.slide(axis, base, rays, occupied, reached);
                }
                Moves::Leap(targets) => {
                    for &to in &targets[place] {
                        let to = base + usize::from(to) * axis.stride;
                        reached.insert_row(to, self.words, self.active);
                    }
                }
                Moves::Turn { back, .. } => {
                    for from in back[place].iter().filter(|from| !is_turned::<B>(from)) {
                        let to = base + usize::from(from.place) * axis.stride;
                        reached.insert_row(to, self.words, self.active);
                    }
                }
                Moves::Stay => {}
            }
        }
    }

    /// Moves of the man in the word, of the last man, and of the first one where the board is
    /// turned: word by word.
    #[inline(always)]
    fn push_words(&self, mut squares: [u8; 8], reached: &mut Layer<B::Word>) {
        let last = self.space.axes.len() - 1;
        let men = PushedMen {
            side: self.side,
            first: last,
            only_turns: true,
        };
        for place in self.active.ones().map(|place| place as usize) {
            let (address, word) = (self.start + place, self.words[place]);
            squares[last] = self.last.squares[place];
            push_word(
                self.space,
                self.lines,
                men,
                (address, &squares),
                word,
                reached,
            );
        }
    }

    /// Moves of a man along rays, from each of which he may have come.
    #[inline(always)]
    fn slide(
        &self,
        axis: &Axis,
        base: usize,
        rays: &[u8],
        occupied: B::Word,
        reached: &mut Layer<B::Word>,
    ) {
        let (mut running, mut active) = (*self.words, self.active);
        for &square in rays {
            if square == RAY_END {
                (running, active) = (*self.words, self.active);
                continue;
            }
            if active == 0 {
                continue;
            }
            let bit = B::Word::bit(u32::from(square));
            if !(occupied & bit).is_empty() {
                active = 0;
                continue;
            }
            // The last man may stand there.
            let in_the_way = self.last.place(square);
            running[in_the_way] = B::Word::ZERO;
            active &= !(1 << in_the_way);
            reached.insert_row(base + axis.place(square) * axis.stride, &running, active);
            for word in &mut running {
                *word &= !bit;
            }
            active = not_empty(&running);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::material::Material;
    use crate::chess::placement::PawnSlices;
    use crate::chess::solve::board::space;
    use crate::chess::solve::sweep::shared::tests::{legal, set};

    #[test]
    fn rows_are_moved_as_their_words_are() {
        for material in ["KRvK", "KQvKN", "KBvKR", "KvKQB", "KNNvK", "KRPvKB"] {
            let material: Material = material.parse().unwrap();
            let pawns = PawnSlices::new(&material);
            let space = space(&material, pawns.placement(pawns.len() / 2));
            let lines = LineTable::new(&space);
            for one_in in [1, 3, 12, 60] {
                let mut into = Layer::new(space.words);
                into.set = legal(set(space.words, one_in, one_in), &space);
                into.recount();
                for side in [0, 1] {
                    let [mut by_rows, mut by_words] = [0; 2].map(|_| Layer::new(space.words));
                    push_layer(&space, &lines, side, &into, &mut by_rows);
                    for address in into.addresses() {
                        let word = into.set[address];
                        push_predecessors(&space, &lines, side, address, word, &mut by_words);
                    }
                    assert!(by_rows.set == by_words.set, "{material} {side} 1/{one_in}");
                    assert!(by_rows.addresses().eq(by_words.addresses()));
                    assert_eq!(by_rows.len(), by_words.len());
                }
            }
        }
    }
}
