//! Counting distances as plies decided them, without a number for each position.

use super::sets::{SliceWords, TO_ZEROING};
use super::tally::{Found, Part, Slice, SliceTally};
use crate::chess::symmetry::DIAGONAL;
use crate::metric::Wdl;
use crate::retro::words::Words;
use crate::simd::{Kernel, Width};
use crate::table::Count;

/// Rows there are at least, as of numbers of one byte.
const ROWS: usize = 256;

/// What plies decided of a side at the addresses of a [`Slice`], all of them in order. Addresses
/// begin with 0.
pub(crate) struct DecidedPlies<Won, Lost> {
    /// The positions that each ply won.
    pub won: Won,
    /// The positions that each ply lost, mated ones at ply 0.
    pub lost: Lost,
}

/// Counts what one ply decided.
struct CountPly<'a> {
    place: &'a Slice<'a>,
    parts: &'a [Part],
    words: Words<u64, &'a [u8]>,
    /// What is not counted.
    without: &'a [u64],
}

/// What one ply decided.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    /// Of the positions that are counted.
    count: Count,
    /// Whether there are any, counted or not.
    has_any: bool,
}

impl Kernel for CountPly<'_> {
    type Output = Counted;

    #[inline(always)]
    fn run(self) -> Counted {
        let mut counted = Counted::default();
        let mut parts = self.parts.iter();
        let Some(mut part) = parts.next() else {
            return counted;
        };
        let first = part.addresses.start;
        for (number, word) in self.words {
            let address = first + number;
            while address >= part.addresses.end {
                match parts.next() {
                    Some(next) => part = next,
                    None => return counted,
                }
            }
            if !self.place.is_in_order(address) {
                continue;
            }
            counted.has_any = true;
            let word = word & !self.without.get(number).copied().unwrap_or(0);
            counted.count += self.place.weighed(part, address, word);
        }
        counted
    }
}

impl Slice<'_> {
    /// Adds the distances of a side to what was counted of it without them. `won_by_zeroing` has
    /// the positions that a zeroing move wins, at the same addresses.
    ///
    /// # Errors
    ///
    /// Those of `plies`.
    pub(crate) fn add_plies<E>(
        &self,
        tally: &mut SliceTally,
        (side, distance): (usize, usize),
        (slice, won_by_zeroing): (&impl SliceWords, &[u64]),
        plies: DecidedPlies<
            impl Iterator<Item = Result<(u32, Words<u64>), E>>,
            impl Iterator<Item = Result<(u32, Words<u64>), E>>,
        >,
    ) -> Result<(), E> {
        let parts = self.parts();
        let width = Width::widest();
        let count = |words: &Words<u64>, without| {
            width.run(CountPly {
                place: self,
                parts: &parts,
                words: words.again(),
                without,
            })
        };
        let of_side = &mut tally.sides[side].distances[distance];
        of_side.make_rows(ROWS);
        let without = match distance {
            TO_ZEROING => won_by_zeroing,
            _ => &[],
        };
        let mut last = None;
        for ply in plies.won {
            let (plies, words) = ply?;
            let counted = count(&words, without);
            of_side.make_rows(plies as usize + 1);
            of_side.wins[plies as usize] += counted.count;
            of_side.ask(distance, plies, counted.count);
            if counted.has_any {
                last = Some((plies, words));
            }
        }
        for ply in plies.lost {
            let (plies, words) = ply?;
            let counted = count(&words, &[]);
            of_side.make_rows(plies as usize + 1);
            of_side.losses[plies as usize] += counted.count;
            of_side.ask(distance, plies, counted.count);
        }
        if distance == TO_ZEROING {
            for value in [Wdl::Win, Wdl::CursedWin] {
                let plies = value.dtz_of_zeroing_move().0 as usize;
                of_side.make_rows(plies + 1);
                of_side.wins[plies] += self.count_won_by_zeroing(&parts, side, value, slice);
            }
        }
        let longest = of_side.longest_win();
        let last = last.filter(|&(plies, _)| plies == longest && plies > 0);
        if let Some((plies, words)) = last {
            of_side.longest = self.first_of(plies, words);
        }
        if self.only_white {
            let mut of_black = tally.sides[0].distances[distance].clone();
            of_black.longest.clear();
            tally.sides[1].distances[distance] = of_black;
        }
        Ok(())
    }

    /// How many positions of the full board those of a word stand for.
    #[inline(always)]
    fn weighed(&self, part: &Part, address: usize, word: u64) -> Count {
        let of = |set: u64| part.weight * u64::from(set.count_ones());
        let on_diagonal = part.on_diagonal && self.pieces_are_on_diagonal(address);
        Count {
            positions: of(word),
            on_diagonal: if on_diagonal { of(word & DIAGONAL) } else { 0 },
        }
    }

    fn count_won_by_zeroing(
        &self,
        parts: &[Part],
        side: usize,
        value: Wdl,
        slice: &impl SliceWords,
    ) -> Count {
        let mut count = Count::default();
        for part in parts {
            for address in part.addresses.clone() {
                if !self.is_in_order(address) {
                    continue;
                }
                let sets = slice.sets(side, address);
                let set = sets.decided[value.index()] & sets.won_by_zeroing;
                count += self.weighed(part, address, set);
            }
        }
        count
    }

    /// The first of the positions that a ply won, each once.
    fn first_of(&self, plies: u32, words: Words<u64>) -> Vec<Found> {
        let first = self.addresses.start;
        let words = words.map(|(number, word)| (first + number, word));
        let words = words.filter(|&(address, _)| self.is_in_order(address));
        self.first_found(plies, words)
    }
}
