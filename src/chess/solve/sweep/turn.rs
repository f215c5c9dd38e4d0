//! The moves of a man whose domain is one square out of each class of symmetric squares.
//!
//! A move out of the domain turns the board: the squares of all other men are mapped, and the words
//! are turned. A row of words is turned once for each square it comes from and then added wherever
//! the man can have come from.

use super::union;
use crate::chess::solve::space::{Axis, Board, Moves, Space};
use crate::game::Bits;
use crate::retro::layer::InUse;

/// Where a man that turns the board can go, sorted by what has to be turned.
#[derive(Debug)]
pub(super) struct Turns {
    /// Moves within the domain.
    straight: Vec<Arrival>,
    /// Moves out of it.
    turned: Vec<(usize, Arrival)>,
    /// For each symmetry and each axis after the first, the mapped contribution of each place to
    /// the address.
    maps: Vec<Vec<Vec<usize>>>,
}

/// One place to which the man can go, and the places from which he can.
#[derive(Debug)]
struct Arrival {
    to: usize,
    from: Vec<usize>,
}

impl Turns {
    /// The moves of the first man of a space; nothing if he does not turn the board.
    pub fn new<B: Board>(space: &Space<B>) -> Option<Turns> {
        let Moves::Turn { forth, .. } = &space.axes.first()?.moves else {
            return None;
        };
        let arrivals = |symmetry: usize| {
            (0..forth.len()).filter_map(move |to| {
                let from: Vec<usize> = (0..forth.len())
                    .filter(|&from| {
                        forth[from].iter().any(|turned| {
                            (usize::from(turned.place), usize::from(turned.symmetry))
                                == (to, symmetry)
                        })
                    })
                    .collect();
                (!from.is_empty()).then_some(Arrival { to, from })
            })
        };
        Some(Turns {
            straight: arrivals(0).collect(),
            turned: (1..B::SYMMETRIES)
                .flat_map(|symmetry| arrivals(symmetry).map(move |arrival| (symmetry, arrival)))
                .collect(),
            maps: mapped_places(space),
        })
    }

    /// Adds to `target` every position from which the man has a move into `source`. `target` has
    /// the same rows of each of his places, the first of them `first` words after the place begins.
    #[inline(always)]
    pub fn predecessors<B: Board>(
        &self,
        space: &Space<B>,
        source: &[B::Word],
        target: &mut [&mut [B::Word]],
        first: usize,
        turned: &mut Vec<B::Word>,
    ) {
        let source = InUse::unknown(source);
        let row = space.axes.last().map_or(1, |last| last.squares.len());
        let len = target.first().map_or(0, |place| place.len());
        for at in (first..first + len).step_by(row) {
            let mut rows = RowsAt {
                target,
                at: at - first,
            };
            self.row_predecessors(space, source, at, turned, &mut rows);
        }
    }

    /// The same for one row, which begins `at` words after a place does.
    #[inline(always)]
    pub fn row_predecessors<B: Board>(
        &self,
        space: &Space<B>,
        source: InUse<'_, B::Word>,
        at: usize,
        turned: &mut Vec<B::Word>,
        target: &mut impl TurnedRows<B::Word>,
    ) {
        let stride = space.axes[0].stride;
        let row = space.axes.last().map_or(1, |last| last.squares.len());
        for arrival in &self.straight {
            let start = arrival.to * stride + at;
            if let Some(words) = words_in_use(source, start, row) {
                arrival.add(words, target);
            }
        }
        for (symmetry, arrival) in &self.turned {
            let maps = &self.maps[*symmetry];
            let Some((last, slower)) = maps.split_last() else {
                continue;
            };
            let mapped = mapped_row(space, slower, at);
            let start = arrival.to * stride + mapped;
            let Some(words) = words_in_use(source, start, row) else {
                continue;
            };
            turned.clear();
            turned.extend(last.iter().map(|&place| words[place]));
            for word in turned.iter_mut() {
                *word = B::pull(*symmetry, *word);
            }
            arrival.add(turned, target);
        }
    }
}

/// So many words from an address on, if any of them is not empty.
#[inline(always)]
fn words_in_use<W: Bits>(source: InUse<'_, W>, start: usize, row: usize) -> Option<&[W]> {
    if source.are_known_empty(start..start + row) {
        return None;
    }
    let words = &source.words[start..start + row];
    (!union(words).is_empty()).then_some(words)
}

/// Where the first man may have come from: a row for each of his places.
pub(super) trait TurnedRows<W> {
    fn add(&mut self, place: usize, words: &[W]);
}

/// Rows that begin at the same word of each place.
struct RowsAt<'a, 'b, W> {
    target: &'a mut [&'b mut [W]],
    at: usize,
}

impl<W: Bits> TurnedRows<W> for RowsAt<'_, '_, W> {
    #[inline(always)]
    fn add(&mut self, place: usize, words: &[W]) {
        super::add(
            &mut self.target[place][self.at..self.at + words.len()],
            words,
        );
    }
}

/// For each symmetry and each axis after the first, the mapped contribution of each place to the
/// address.
pub(super) fn mapped_places<B: Board>(space: &Space<B>) -> Vec<Vec<Vec<usize>>> {
    let map = |axis: &Axis, symmetry: usize| {
        let places = axis.squares.iter();
        let mapped = places.map(|&square| axis.stride * axis.place(B::map(symmetry, square)));
        mapped.collect()
    };
    let of_symmetry = |symmetry| {
        space.axes[1..]
            .iter()
            .map(|axis| map(axis, symmetry))
            .collect()
    };
    (0..B::SYMMETRIES).map(of_symmetry).collect()
}

/// Where the row of words that begins at `at`, seen from the first man's place, is mapped.
#[inline(always)]
pub(super) fn mapped_row<B: Board>(space: &Space<B>, slower: &[Vec<usize>], at: usize) -> usize {
    let mut rest = at;
    let mut mapped = 0;
    for (map, axis) in slower.iter().zip(&space.axes[1..]) {
        let place = axis.place_at(rest);
        rest -= place * axis.stride;
        mapped += map[place];
    }
    mapped
}

impl Arrival {
    #[inline(always)]
    fn add<W>(&self, words: &[W], target: &mut impl TurnedRows<W>) {
        for &from in &self.from {
            target.add(from, words);
        }
    }
}
