//! Values -> symbols: the pairs of neighbouring symbols that are most frequent become symbols of
//! their own, again and again.
//!
//! A pass over the sequence counts all pairs, chooses the most frequent ones and replaces them.
//! Pairs chosen together must not overlap anywhere, or the counts would be wrong: no symbol is the
//! right part of one and the left part of another. Of equal counts the pair with the lower numbers
//! comes first, so the result does not depend on anything but the values.

use crate::syzygy::pairs::NO_SYMBOL;

/// Most symbols: numbers have 12 bits, and the last number says that a symbol is a value.
const MAX_SYMBOLS: usize = NO_SYMBOL as usize;
/// Most values that a symbol stands for.
const MAX_VALUES: u16 = 256;
/// Most pairs that are replaced in one pass.
const MAX_IN_PASS: usize = 256;
/// A pass takes pairs down to this many hundredths of the best count.
const CLOSE_TO_BEST: u64 = 80;
/// A pair that occurs less often costs more in the list of symbols than it saves in the blocks.
const FEWEST: u32 = 4;

/// The symbols that were found in a sequence of values.
#[derive(Debug)]
pub(super) struct Symbols {
    /// What each symbol is: two symbols, or a value and [`NO_SYMBOL`].
    pub parts: Vec<[u16; 2]>,
    /// How many values each symbol stands for.
    pub values: Vec<u16>,
    /// What each pass has replaced.
    passes: Vec<NewSymbols>,
}

impl Symbols {
    /// Finds the symbols of a sequence in which values are numbered by their place among `present`,
    /// and makes the sequence one of these symbols.
    pub fn find(sequence: &mut Vec<u16>, present: &[u16]) -> Symbols {
        let mut symbols = Symbols {
            parts: present.iter().map(|&value| [value, NO_SYMBOL]).collect(),
            values: vec![1; present.len()],
            passes: Vec::new(),
        };
        let mut counts = PairCounts::default();
        while symbols.parts.len() < MAX_SYMBOLS {
            counts.count(sequence, symbols.parts.len());
            let chosen = symbols.choose(&counts);
            if chosen.is_empty() {
                break;
            }
            let pass = symbols.add(&chosen);
            pass.replace(sequence);
            symbols.passes.push(pass);
        }
        symbols
    }

    /// Makes another sequence of values one of these symbols, by the same passes.
    pub fn replace(&self, sequence: &mut Vec<u16>) {
        for pass in &self.passes {
            pass.replace(sequence);
        }
    }

    /// The pairs that are replaced next.
    fn choose(&self, counts: &PairCounts) -> Vec<[u16; 2]> {
        let is_short_enough = |[left, right]: [u16; 2]| {
            self.values[usize::from(left)] + self.values[usize::from(right)] <= MAX_VALUES
        };
        let mut pairs: Vec<(u32, [u16; 2])> = counts
            .iter()
            .filter(|&(count, pair)| count >= FEWEST && is_short_enough(pair))
            .collect();
        let Some(best) = pairs.iter().map(|&(count, _)| u64::from(count)).max() else {
            return Vec::new();
        };
        pairs.retain(|&(count, _)| u64::from(count) * 100 >= best * CLOSE_TO_BEST);
        pairs.sort_unstable_by_key(|&(count, pair)| (std::cmp::Reverse(count), pair));
        let room = MAX_IN_PASS.min(MAX_SYMBOLS - self.parts.len());
        let mut is_left = vec![false; self.parts.len()];
        let mut is_right = is_left.clone();
        let mut chosen = Vec::new();
        for (_, pair) in pairs {
            let [left, right] = pair.map(usize::from);
            if chosen.len() < room && !is_right[left] && !is_left[right] {
                is_left[left] = true;
                is_right[right] = true;
                chosen.push(pair);
            }
        }
        chosen
    }

    /// Makes each of some pairs, which do not overlap, a new symbol.
    fn add(&mut self, chosen: &[[u16; 2]]) -> NewSymbols {
        let mut new = NewSymbols::new(self.parts.len());
        for &pair in chosen {
            let [left, right] = pair.map(usize::from);
            new.insert(pair, self.parts.len() as u16);
            self.parts.push(pair);
            self.values.push(self.values[left] + self.values[right]);
        }
        new
    }
}

/// The symbols that pairs become.
#[derive(Debug)]
struct NewSymbols {
    /// For each left part, the first of its entries.
    first: Vec<u16>,
    /// Right part, symbol, and the next entry with the same left part.
    entries: Vec<[u16; 3]>,
}

const NONE: u16 = u16::MAX;

impl NewSymbols {
    fn new(symbols: usize) -> NewSymbols {
        NewSymbols {
            first: vec![NONE; symbols],
            entries: Vec::new(),
        }
    }

    fn insert(&mut self, [left, right]: [u16; 2], symbol: u16) {
        let first = &mut self.first[usize::from(left)];
        self.entries.push([right, symbol, *first]);
        *first = self.entries.len() as u16 - 1;
    }

    /// Puts the symbols where their pairs stand in a sequence.
    fn replace(&self, sequence: &mut Vec<u16>) {
        let (mut from, mut to) = (0, 0);
        while from < sequence.len() {
            let left = sequence[from];
            let pair = sequence.get(from + 1).map(|&right| [left, right]);
            let symbol = pair.and_then(|pair| self.get(pair));
            sequence[to] = symbol.unwrap_or(left);
            from += 1 + usize::from(symbol.is_some());
            to += 1;
        }
        sequence.truncate(to);
    }

    #[inline]
    fn get(&self, [left, right]: [u16; 2]) -> Option<u16> {
        let mut entry = self.first[usize::from(left)];
        while entry != NONE {
            let [other, symbol, next] = self.entries[usize::from(entry)];
            if other == right {
                return Some(symbol);
            }
            entry = next;
        }
        None
    }
}

/// Most places of a table with one for each pair. It has no more than the sequence has symbols, or
/// looking through it would take longer than counting.
const MAX_PLACES: usize = 1 << 18;

/// How often each pair occurs, where three equal symbols are one pair.
#[derive(Debug, Default)]
struct PairCounts {
    /// A table with a place for each pair, or open addressing: pair, count. A count of 0 is an
    /// empty place.
    places: Vec<(u32, u32)>,
    used: usize,
}

impl PairCounts {
    fn key([left, right]: [u16; 2]) -> u32 {
        u32::from(left) << 16 | u32::from(right)
    }

    fn count(&mut self, sequence: &[u16], symbols: usize) {
        let width = symbols.next_power_of_two();
        if width * width <= MAX_PLACES.min(sequence.len()) {
            self.clear(width * width);
            for_each_pair(sequence, |[left, right]| {
                let place = usize::from(left) * width + usize::from(right);
                let (key, sum) = &mut self.places[place];
                *key = Self::key([left, right]);
                *sum += 1;
            });
        } else {
            // Most pairs do not occur; grown when half of the places are used.
            self.clear(sequence.len().clamp(1 << 4, 1 << 16).next_power_of_two());
            for_each_pair(sequence, |pair| self.add(Self::key(pair), 1));
        }
    }

    fn clear(&mut self, places: usize) {
        self.places.clear();
        self.places.resize(places, (0, 0));
        self.used = 0;
    }

    #[inline]
    fn add(&mut self, key: u32, count: u32) {
        let mask = self.places.len() - 1;
        let mut place = key.wrapping_mul(0x9e37_79b1) as usize >> 7 & mask;
        loop {
            let (other, sum) = &mut self.places[place];
            if *sum == 0 {
                *other = key;
                *sum = count;
                self.used += 1;
                if self.used * 2 > self.places.len() {
                    self.grow();
                }
                return;
            }
            if *other == key {
                *sum += count;
                return;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(0, 0); self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, larger);
        self.used = 0;
        for (key, count) in old {
            if count != 0 {
                self.add(key, count);
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, [u16; 2])> {
        let used = self.places.iter().filter(|&&(_, count)| count != 0);
        used.map(|&(key, count)| (count, [(key >> 16) as u16, key as u16]))
    }
}

/// Calls `visit` with all neighbours; of equal symbols only with those that can be replaced
/// together.
#[inline(always)]
fn for_each_pair(sequence: &[u16], mut visit: impl FnMut([u16; 2])) {
    let mut is_in_twin = false;
    for pair in sequence.windows(2) {
        let is_twin = pair[0] == pair[1];
        if is_twin && is_in_twin {
            is_in_twin = false;
            continue;
        }
        is_in_twin = is_twin;
        visit([pair[0], pair[1]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a sequence, written out.
    fn expanded(symbols: &Symbols, sequence: &[u16]) -> Vec<u16> {
        let mut values = Vec::new();
        for &symbol in sequence {
            let mut stack = vec![symbol];
            while let Some(symbol) = stack.pop() {
                match symbols.parts[usize::from(symbol)] {
                    [value, NO_SYMBOL] => values.push(value),
                    [left, right] => stack.extend([right, left]),
                }
            }
        }
        values
    }

    /// Runs of many lengths, of three values.
    fn sequence(len: usize, mut seed: u64) -> Vec<u16> {
        let mut values = Vec::new();
        while values.len() < len {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(9);
            let value = (seed >> 60) as u16 % 3;
            let run = 1 + (seed >> 40) % (u64::from((seed >> 33).trailing_zeros().max(1)) * 40);
            values.extend(std::iter::repeat_n(value, run as usize));
        }
        values
    }

    #[test]
    fn symbols_stand_for_the_values() {
        let values = sequence(50_000, 5);
        let mut replaced = values.clone();
        let symbols = Symbols::find(&mut replaced, &[7, 1, 4]);
        let expected = |values: &[u16]| -> Vec<u16> {
            let values = values.iter().map(|&place| [7, 1, 4][usize::from(place)]);
            values.collect()
        };
        assert_eq!(expanded(&symbols, &replaced), expected(&values));
        assert!(replaced.len() * 5 < values.len());
        let sums = replaced
            .iter()
            .map(|&symbol| usize::from(symbols.values[usize::from(symbol)]));
        assert_eq!(sums.sum::<usize>(), values.len());
        assert!(symbols.values.iter().all(|&values| values <= MAX_VALUES));
        // The passes do to it what finding them did, and to another sequence something alike.
        let mut again = values.clone();
        symbols.replace(&mut again);
        assert!(again == replaced);
        let others = sequence(50_000, 6);
        let mut replaced = others.clone();
        symbols.replace(&mut replaced);
        assert_eq!(expanded(&symbols, &replaced), expected(&others));
        assert!(replaced.len() * 5 < others.len());
    }

    #[test]
    fn three_equal_symbols_are_one_pair() {
        // With a place for each pair, and without.
        for symbols in [2, 1 << 10] {
            let mut counts = PairCounts::default();
            counts.count(&[0, 0, 0, 1, 1, 1, 1], symbols);
            let mut found: Vec<_> = counts.iter().collect();
            found.sort_unstable();
            assert_eq!(found, [(1, [0, 0]), (1, [0, 1]), (2, [1, 1])]);
        }
    }
}
