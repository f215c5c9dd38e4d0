//! From the material of a position to what is known of it: a table of places, looked up without a
//! lock.

use crate::reserve::{Refused, gathered};

/// What stands in a place: the material with this key has the entry with that number.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    entry: u32,
    colors_exchanged: bool,
}

/// No position has no men, so their key is free.
const EMPTY: Place = Place {
    key: 0,
    entry: 0,
    colors_exchanged: false,
};

/// The numbers of entries by the keys of materials in either colours.
#[derive(Debug)]
pub(crate) struct Places {
    /// Open addressing; at most a quarter of the places is taken, so most look-ups see one.
    places: Vec<Place>,
    shift: u32,
}

impl Places {
    /// The entries with these keys, in the order of their numbers: the key in the colours of the
    /// entry, and that with the colours exchanged where it is another. No key is 0, and each stands
    /// for one material.
    ///
    /// # Errors
    ///
    /// If there is no memory for them.
    pub fn new(keys: &[(u64, Option<u64>)]) -> Result<Places, Refused> {
        let bits = (keys.len() * 2 * 4).max(16).next_power_of_two().ilog2();
        let mut places = Places {
            places: gathered(std::iter::repeat_n(EMPTY, 1 << bits))?,
            shift: u64::BITS - bits,
        };
        for (&(key, exchanged), number) in keys.iter().zip(0..) {
            places.insert(key, number, false);
            if let Some(key) = exchanged {
                places.insert(key, number, true);
            }
        }
        Ok(places)
    }

    /// The first place to look at: a multiplication spreads the counts over the high bits.
    #[inline]
    fn first_place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn insert(&mut self, key: u64, entry: u32, colors_exchanged: bool) {
        let mask = self.places.len() - 1;
        let mut place = self.first_place(key);
        while self.places[place].key != EMPTY.key {
            place = (place + 1) & mask;
        }
        self.places[place] = Place {
            key,
            entry,
            colors_exchanged,
        };
    }

    /// The number of the entry of a material, and whether it has the colours exchanged.
    #[inline]
    pub fn find(&self, key: u64) -> Option<(usize, bool)> {
        let mask = self.places.len() - 1;
        let mut number = self.first_place(key);
        loop {
            let place = self.places[number];
            if place.key == key && key != EMPTY.key {
                return Some((place.entry as usize, place.colors_exchanged));
            }
            if place.key == EMPTY.key {
                return None;
            }
            number = (number + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_and_no_other_is() {
        // Keys that differ in their high bits only fall into the same places.
        let keys: Vec<(u64, Option<u64>)> = (1..100)
            .map(|number| (number << 56 | 1, (number % 3 > 0).then_some(number << 40)))
            .collect();
        let places = Places::new(&keys).unwrap();
        for (number, &(key, exchanged)) in keys.iter().enumerate() {
            assert_eq!(places.find(key), Some((number, false)));
            if let Some(key) = exchanged {
                assert_eq!(places.find(key), Some((number, true)));
            }
            assert_eq!(places.find(key + 1), None);
        }
        assert_eq!(places.find(0), None);
        assert_eq!(Places::new(&[]).unwrap().find(1), None);
    }
}
