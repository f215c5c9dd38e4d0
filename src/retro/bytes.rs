//! The values of one word's positions: as many bytes as the word has bits.
//!
//! Sixty-four at a time, as in [`byte_sets`].

use crate::byte_sets::{self, expanded};
use crate::game::Bits;

/// The places whose values are chosen, of any size.
#[inline(always)]
pub(crate) fn places<W: Bits, S: Copy>(values: &[S], is_chosen: impl Fn(S) -> bool) -> W {
    let mut places = W::ZERO;
    for (part, line) in (0..).zip(values.as_chunks::<64>().0) {
        let set = byte_sets::places(|place| is_chosen(line[place]));
        places |= W::from_part(set, part);
    }
    places
}

/// Writes `value` at the places of a set.
#[inline(always)]
pub(crate) fn store<W: Bits>(values: &mut [u8], places: W, value: u8) {
    for (part, line) in (0..).zip(values.as_chunks_mut::<64>().0) {
        for (old, chosen) in line.iter_mut().zip(expanded(places.part(part))) {
            *old = *old & !chosen | value & chosen;
        }
    }
}

/// The places at which `value` stands.
#[inline(always)]
pub(crate) fn equal<W: Bits>(values: &[u8], value: u8) -> W {
    // Closures would be compiled for any processor.
    let mut places = W::ZERO;
    for (part, line) in (0..).zip(values.as_chunks().0) {
        places |= W::from_part(byte_sets::equal(line, &[value; 64]), part);
    }
    places
}

/// The places at which a value greater than `bound` stands.
#[inline(always)]
pub(crate) fn above<W: Bits>(values: &[u8], bound: u8) -> W {
    let mut places = W::ZERO;
    for (part, line) in (0..).zip(values.as_chunks().0) {
        places |= W::from_part(byte_sets::above(line, &[bound; 64]), part);
    }
    places
}

/// The smallest byte above `bound`; `u8::MAX` if there is none.
#[inline(always)]
pub(crate) fn smallest_above(values: &[u8], bound: u8) -> u8 {
    const LANES: usize = 32;
    let mut smallest = [u8::MAX; LANES];
    let (chunks, _) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (smallest, &value) in smallest.iter_mut().zip(chunk) {
            let too_small = 0u8.wrapping_sub(u8::from(value <= bound));
            *smallest = (*smallest).min(value | too_small);
        }
    }
    let mut first = u8::MAX;
    for smallest in smallest {
        first = first.min(smallest);
    }
    first
}

/// Keeps the bytes at the places of a set and makes the others `u8::MAX`.
#[inline(always)]
pub(crate) fn keep<W: Bits>(values: &mut [u8], places: W) {
    for (part, line) in (0..).zip(values.as_chunks_mut::<64>().0) {
        for (value, kept) in line.iter_mut().zip(expanded(places.part(part))) {
            *value |= !kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_bytes_agree() {
        let mut seed = 7u64;
        for _ in 0..1000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(9);
            let places = seed ^ seed >> 29;
            let mut values: Vec<u8> = (0..64).map(|i| (seed >> (i / 8)) as u8 | 1).collect();
            let before = values.clone();
            store(&mut values, places, 0);
            for (place, (&now, &then)) in (0..).zip(values.iter().zip(&before)) {
                assert_eq!(now, if places.contains(place) { 0 } else { then });
            }
            assert_eq!(equal::<u64>(&values, 0), places);
            let value = before[5];
            let expected = (0..64)
                .filter(|&i| before[i] == value)
                .fold(0u64, |set, i| set | 1 << i);
            assert_eq!(equal::<u64>(&before, value), expected);
            let expected = (0..64)
                .filter(|&i| before[i] > value)
                .fold(0u64, |set, i| set | 1 << i);
            assert_eq!(above::<u64>(&before, value), expected);
            let next = before.iter().copied().filter(|&v| v > value).min();
            assert_eq!(smallest_above(&before, value), next.unwrap_or(u8::MAX));
            let mut kept = before.clone();
            keep(&mut kept, places);
            for (place, (&now, &then)) in (0..).zip(kept.iter().zip(&before)) {
                assert_eq!(
                    now,
                    if places.contains(place) {
                        then
                    } else {
                        u8::MAX
                    }
                );
            }
        }
    }
}
