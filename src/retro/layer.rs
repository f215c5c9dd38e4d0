//! Sets that know which of their words are in use.

use std::convert::Infallible;
use std::ops::Range;

use crate::game::Bits;
use crate::parallel::{self, Pool};
use crate::store::prefer_large_pages;

/// The empty set of that many words, in large pages where the system has them.
#[inline(always)]
pub(crate) fn large_set<W: Bits>(words: usize) -> Vec<W> {
    let mut set = vec![W::ZERO; words];
    prefer_large_pages(&mut set);
    set
}

/// From one word in this many in use on, a set is emptied as a whole.
const MANY: usize = 8;

/// From so many words of a row in use on, all of them are gone through, in wide registers.
const MANY_OF_ROW: u32 = 6;

/// Words that one bit of [`Layer::active`] each stands for.
pub const ROW: usize = u64::BITS as usize;

/// A set that is empty at most addresses most of the time.
#[derive(Debug)]
pub struct Layer<W> {
    /// The set itself.
    pub set: Vec<W>,
    /// A bit for each word, set where the word is not empty.
    active: Vec<u64>,
    /// How many bits of `active` are set.
    len: usize,
}

/// A set of which it may be known which words are not empty.
#[derive(Clone, Copy, Debug)]
pub struct InUse<'a, W> {
    /// The words.
    pub words: &'a [W],
    /// A bit for each of them, set where it is not empty.
    active: Option<&'a [u64]>,
}

impl<'a, W: Bits> InUse<'a, W> {
    /// A set of which nothing is known.
    #[must_use]
    #[inline(always)]
    pub fn unknown(words: &'a [W]) -> InUse<'a, W> {
        InUse {
            words,
            active: None,
        }
    }

    /// Some of the words; both ends are multiples of 64, or nothing is known of them.
    #[must_use]
    #[inline(always)]
    pub fn part(self, addresses: Range<usize>) -> InUse<'a, W> {
        let rows = addresses.start / ROW..addresses.end.div_ceil(ROW);
        let is_whole = addresses.start.is_multiple_of(ROW) && addresses.end.is_multiple_of(ROW);
        InUse {
            words: &self.words[addresses],
            active: self.active.filter(|_| is_whole).map(|active| &active[rows]),
        }
    }

    /// Whether it is known, without looking at them, that some words are empty.
    #[must_use]
    #[inline(always)]
    pub fn are_known_empty(self, addresses: Range<usize>) -> bool {
        let is_whole = addresses.start.is_multiple_of(ROW) && addresses.end.is_multiple_of(ROW);
        match self.active {
            Some(active) if is_whole => {
                let rows = &active[addresses.start / ROW..addresses.end / ROW];
                rows.iter().all(|&row| row == 0)
            }
            _ => false,
        }
    }
}

/// A slab of a layer, and the words of another set at the same addresses.
#[derive(Debug)]
pub struct SlabBeside<'a, W> {
    /// Its number.
    pub number: usize,
    /// Its words.
    pub set: &'a mut [W],
    /// The bits that say which of them are not empty.
    pub active: &'a mut [u64],
    /// The words of the other set.
    pub beside: &'a mut [W],
}

impl<W: Bits> Layer<W> {
    /// The empty set of that many words.
    #[inline(always)]
    #[must_use]
    pub fn new(words: usize) -> Layer<W> {
        Layer {
            set: large_set(words),
            active: vec![0; words.div_ceil(ROW)],
            len: 0,
        }
    }

    /// The number of words that are not empty.
    #[must_use]
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether all words are empty.
    #[must_use]
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The set, and which of its words are not empty.
    #[must_use]
    #[inline(always)]
    pub fn in_use(&self) -> InUse<'_, W> {
        InUse {
            words: &self.set,
            active: Some(&self.active),
        }
    }

    /// Adds positions to a word; there must be some.
    #[inline(always)]
    pub fn insert(&mut self, address: usize, word: W) {
        self.set[address] |= word;
        let active = &mut self.active[address / ROW];
        let bit = 1 << (address % ROW);
        self.len += usize::from(*active & bit == 0);
        *active |= bit;
    }

    /// Adds words to those of a row, which begins at an address. `active` says which are not empty.
    #[inline(always)]
    pub fn insert_row(&mut self, start: usize, words: &[W; ROW], active: u64) {
        for (own, &word) in self.set[start..start + ROW].iter_mut().zip(words) {
            *own |= word;
        }
        let own = &mut self.active[start / ROW];
        self.len += (active & !*own).count_ones() as usize;
        *own |= active;
    }

    /// The rows that are not empty: where each begins, and which of its words are not.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = (usize, u64)> {
        let rows = (0..).step_by(ROW).zip(&self.active);
        rows.filter_map(|(start, &active)| (active != 0).then_some((start, active)))
    }

    /// Finds out anew which words are not empty, after the set was changed directly.
    #[inline(always)]
    pub fn recount(&mut self) {
        recount_slab(&self.set, &mut self.active);
        self.count();
    }

    #[inline(always)]
    fn count(&mut self) {
        self.len = count_in_use(&self.active);
    }

    /// Empties every word, in slabs of so many words, a multiple of 64, on all threads.
    pub fn clear_slabs(&mut self, slab: usize) {
        let Ok(()) = self.change_slabs(slab, |_, set, active| {
            update_slab(set, active, |_, _| W::ZERO);
            Ok::<(), Infallible>(())
        });
    }

    /// Goes through slabs of so many words, a multiple of 64, on all threads: each is given with
    /// its number and the bits that say which of its words are not empty. They have to be right
    /// when `change` is done.
    ///
    /// # Errors
    ///
    /// What `change` says.
    pub fn change_slabs<E: Send>(
        &mut self,
        slab: usize,
        change: impl Fn(usize, &mut [W], &mut [u64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let sets = self.set.chunks_mut(slab);
        let slabs = sets.zip(self.active.chunks_mut(slab / ROW));
        let lens = parallel::try_map_items(slabs, |number, (set, active)| {
            change(number, set, active)?;
            Ok(count_in_use(active))
        })?;
        self.len = lens.iter().sum::<usize>();
        Ok(())
    }

    /// The same together with the words of another set at the same addresses, and with something
    /// that a thread makes once and uses for several slabs.
    ///
    /// # Errors
    ///
    /// What `change` says.
    pub fn change_slabs_beside<T: Send, E: Send>(
        &mut self,
        (slab, beside): (usize, &mut [W]),
        make: impl Fn() -> T + Sync,
        change: impl Fn(&mut T, SlabBeside<'_, W>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let sets = self.set.chunks_mut(slab).zip(beside.chunks_mut(slab));
        let slabs = sets.zip(self.active.chunks_mut(slab / ROW));
        let pool = Pool::default();
        let lens = parallel::try_map_items(slabs, |number, ((set, beside), active)| {
            let slab = SlabBeside {
                number,
                set,
                active: &mut *active,
                beside,
            };
            pool.lend(&make, |made| change(made, slab))?;
            Ok(count_in_use(active))
        })?;
        self.len = lens.iter().sum::<usize>();
        Ok(())
    }

    /// The addresses of the words of a slab that are not empty.
    #[must_use]
    pub fn addresses_in(&self, slab: usize, number: usize) -> Addresses<'_> {
        let rows = slab / ROW;
        let start = number * rows;
        let end = self.active.len().min(start + rows);
        Addresses {
            rows: self.active[start..end].iter(),
            row: start,
            rest: 0,
        }
    }

    /// The addresses of the words that are not empty.
    #[must_use]
    #[inline(always)]
    pub fn addresses(&self) -> Addresses<'_> {
        Addresses {
            rows: self.active.iter(),
            row: 0,
            rest: 0,
        }
    }

    /// Takes out the words that are not empty, with their addresses.
    #[inline(always)]
    pub fn drain(&mut self) -> Drain<'_, W> {
        self.len = 0;
        Drain {
            set: &mut self.set,
            rows: self.active.iter_mut(),
            row: 0,
            rest: 0,
        }
    }

    /// Empties every word.
    #[inline(always)]
    pub fn clear(&mut self) {
        if self.len * MANY >= self.set.len() {
            self.set.fill(W::ZERO);
        } else {
            for address in (Addresses {
                rows: self.active.iter(),
                row: 0,
                rest: 0,
            }) {
                self.set[address] = W::ZERO;
            }
        }
        self.active.fill(0);
        self.len = 0;
    }

    /// Moves what `keep` leaves of each word, given those of the same address in another set, to
    /// `found`, and empties this set, of which nobody needs to know which words are in use. Goes
    /// through all words, in wide registers.
    #[inline(always)]
    pub fn take_all(&mut self, other: &[W], found: &mut Layer<W>, keep: impl Fn(W, W) -> W) {
        let rows = self.set.chunks_mut(ROW).zip(other.chunks(ROW));
        let found_rows = found.set.chunks_mut(ROW).zip(&mut found.active);
        for ((words, others), (found, active)) in rows.zip(found_rows) {
            take_row(words, others, found, &keep);
            *active = not_empty(found);
        }
        found.count();
        self.active.fill(0);
        self.len = 0;
    }

    /// The same where it is known which words are in use: of a row those alone, or all if they are
    /// many. What `keep` leaves of an empty word is empty.
    #[inline(always)]
    pub fn take_in_use(&mut self, other: &[W], found: &mut Layer<W>, keep: impl Fn(W, W) -> W) {
        let rows = self.set.chunks_mut(ROW).zip(&mut self.active);
        let rows = rows.zip(other.chunks(ROW));
        let found_rows = found.set.chunks_mut(ROW).zip(&mut found.active);
        let mut more = 0;
        for (((words, active), others), (found, found_active)) in rows.zip(found_rows) {
            let mut rest = std::mem::take(active);
            if rest == 0 {
                continue;
            }
            let before = found_active.count_ones();
            if rest.count_ones() >= MANY_OF_ROW {
                take_row(words, others, found, &keep);
                *found_active = not_empty(found);
            } else {
                while rest != 0 {
                    let at = rest.trailing_zeros() as usize;
                    let kept = keep(std::mem::replace(&mut words[at], W::ZERO), others[at]);
                    found[at] |= kept;
                    *found_active |= u64::from(!kept.is_empty()) << at;
                    rest &= rest - 1;
                }
            }
            more += (found_active.count_ones() - before) as usize;
        }
        found.len += more;
        self.len = 0;
    }
}

/// Adds what `keep` leaves of each word, given another one, to what is found, and empties it.
#[inline(always)]
fn take_row<W: Bits>(words: &mut [W], others: &[W], found: &mut [W], keep: &impl Fn(W, W) -> W) {
    for ((word, &other), found) in words.iter_mut().zip(others).zip(found) {
        *found |= keep(*word, other);
        *word = W::ZERO;
    }
}

/// How many words some rows say are in use.
fn count_in_use(active: &[u64]) -> usize {
    active.iter().map(|row| row.count_ones() as usize).sum()
}

/// Changes every word of a slab that is not empty; it may become so. Addresses are those within the
/// slab.
#[inline(always)]
pub fn update_slab<W: Bits>(
    set: &mut [W],
    active: &mut [u64],
    mut change: impl FnMut(usize, W) -> W,
) {
    for (row, active) in active.iter_mut().enumerate() {
        let mut rest = *active;
        while rest != 0 {
            let address = row * ROW + rest.trailing_zeros() as usize;
            let word = change(address, set[address]);
            set[address] = word;
            if word.is_empty() {
                *active &= !(rest & rest.wrapping_neg());
            }
            rest &= rest - 1;
        }
    }
}

/// Adds words to a slab, given by their addresses within it.
#[inline(always)]
pub fn add_to_slab<W: Bits>(
    set: &mut [W],
    active: &mut [u64],
    words: impl Iterator<Item = (usize, W)>,
) {
    for (address, word) in words {
        set[address] |= word;
        active[address / ROW] |= u64::from(!word.is_empty()) << (address % ROW);
    }
}

/// Takes words away from those of the same place.
#[inline(always)]
pub fn take_away<W: Bits>(words: &mut [W], others: &[W]) {
    for (word, &other) in words.iter_mut().zip(others) {
        *word &= !other;
    }
}

/// Finds out anew which words of a slab are not empty.
#[inline(always)]
pub fn recount_slab<W: Bits>(set: &[W], active: &mut [u64]) {
    let (rows, rest) = set.as_chunks::<ROW>();
    for (active, row) in active.iter_mut().zip(rows) {
        *active = not_empty(row);
    }
    if let (Some(active), false) = (active.get_mut(rows.len()), rest.is_empty()) {
        *active = not_empty(rest);
    }
}

/// The bit of each word of a row.
const BITS: [u64; ROW] = {
    let mut bits = [1; ROW];
    let mut at = 1;
    while at < ROW {
        bits[at] = bits[at - 1] << 1;
        at += 1;
    }
    bits
};

/// A bit for each word of a row, set where the word is not empty. Chosen from constants, since
/// compilers turn that into wide registers, and shifting a bit to its place not.
#[inline(always)]
pub(crate) fn not_empty<W: Bits>(row: &[W]) -> u64 {
    let mut all = 0;
    for (word, &bit) in row.iter().zip(&BITS) {
        all |= if word.is_empty() { 0 } else { bit };
    }
    all
}

/// The addresses of the words of a layer that are not empty, in order.
#[derive(Clone, Debug)]
pub struct Addresses<'a> {
    rows: std::slice::Iter<'a, u64>,
    /// Rows that were begun.
    row: usize,
    /// What is left of the newest.
    rest: u64,
}

impl Iterator for Addresses<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.rest = *self.rows.next()?;
            self.row += 1;
        }
        let at = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((self.row - 1) * ROW + at)
    }
}

/// Words that are taken out of a layer. All of them have to be.
#[derive(Debug)]
pub struct Drain<'a, W> {
    set: &'a mut [W],
    rows: std::slice::IterMut<'a, u64>,
    /// Rows that were begun.
    row: usize,
    /// What is left of the newest.
    rest: u64,
}

impl<W: Bits> Iterator for Drain<'_, W> {
    type Item = (usize, W);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, W)> {
        while self.rest == 0 {
            self.rest = std::mem::take(self.rows.next()?);
            self.row += 1;
        }
        let at = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        let address = (self.row - 1) * ROW + at;
        Some((address, std::mem::replace(&mut self.set[address], W::ZERO)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_is_taken_as_all_is() {
        let mut random = fastrand::Rng::with_seed(5);
        for one_in in [1, 2, 20, 300] {
            let mut set = |words: usize| {
                let mut layer = Layer::<u64>::new(words);
                for word in &mut layer.set {
                    *word = match random.u64(0..one_in) {
                        0 => random.u64(..) & random.u64(..),
                        _ => 0,
                    };
                }
                layer.recount();
                layer
            };
            // Some rows, and one that is shorter.
            let [words, other, found] = [0; 3].map(|_| set(20 * ROW + 7));
            let copy = |of: &Layer<u64>| {
                let mut copy = Layer::new(of.set.len());
                copy.set.copy_from_slice(&of.set);
                copy.recount();
                copy
            };
            let [mut left, mut in_use] = [&words, &found].map(copy);
            left.take_in_use(&other.set, &mut in_use, |word, other| word & other);
            let [mut all_left, mut all] = [&words, &found].map(copy);
            all_left.take_all(&other.set, &mut all, |word, other| word & other);
            assert!(in_use.set == all.set && left.set == all_left.set);
            assert!(in_use.addresses().eq(all.addresses()) && left.addresses().eq([]));
            assert_eq!((in_use.len(), left.len()), (all.len(), 0));
        }
    }
}
