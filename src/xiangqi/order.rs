//! The order of the dimensions in a stream of a table.

use super::IndexSpace;
use super::index::Digits;

/// The most dimensions a material can have: two camps, and a group of each of four kinds of
/// attackers of each side.
pub const MAX_DIMENSIONS: usize = 2 + 2 * 4;

/// Where the indices of a material stand in a stream whose dimensions have an order of their own:
/// the slowest first. An [`IndexSpace`] has them in the *natural* one, that of their numbers: the
/// camps, then the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// For each dimension, the fastest of the natural order first: how many values it has, and how
    /// far apart its neighbours are in the stream. Empty if the order is the natural one.
    strides: Vec<(u64, u64)>,
    /// How far apart the neighbours of each dimension are in the stream, those of the index first.
    steps: Digits,
}

/// An order of dimensions is not one of the material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the order of dimensions does not fit the material")]
pub struct OrderError;

impl Order {
    /// The order of a stream as its header has it: zeros for the natural order, else the numbers of
    /// the dimensions and `u8::MAX` after them.
    ///
    /// # Errors
    ///
    /// If a number is missing, repeated or not that of a dimension.
    pub fn new(space: &IndexSpace, bytes: &[u8]) -> Result<Order, OrderError> {
        let mut order = Order {
            strides: Vec::new(),
            steps: *space.strides(),
        };
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(order);
        }
        let count = space.dimensions();
        let (used, rest) = bytes.split_at_checked(count).ok_or(OrderError)?;
        if rest.iter().any(|&byte| byte != u8::MAX) {
            return Err(OrderError);
        }
        let radices = (0..count).rev().map(|dimension| space.radix(dimension));
        order.strides = radices.map(|radix| (radix, 0)).collect();
        let mut stride = 1;
        for &dimension in used.iter().rev() {
            let from_fastest = (count - 1)
                .checked_sub(dimension.into())
                .ok_or(OrderError)?;
            let (radix, own) = &mut order.strides[from_fastest];
            if *own != 0 {
                return Err(OrderError);
            }
            *own = stride;
            stride *= *radix;
        }
        for (step, &(_, stride)) in order.steps.iter_mut().zip(order.strides.iter().rev()) {
            *step = stride;
        }
        Ok(order)
    }

    /// Where the index stands in the stream that is made of these values.
    #[inline]
    pub(crate) fn place_of(&self, digits: &Digits) -> u64 {
        let terms = digits.iter().zip(&self.steps);
        terms.map(|(digit, step)| digit * step).sum()
    }

    /// Where an index stands in the stream.
    #[must_use]
    #[inline]
    pub fn place(&self, index: u64) -> u64 {
        if self.strides.is_empty() {
            return index;
        }
        let mut rest = index;
        let mut place = 0;
        for &(radix, stride) in &self.strides {
            place += rest % radix * stride;
            rest /= radix;
        }
        place
    }

    /// The values of a whole stream by index.
    #[must_use]
    pub fn by_index(&self, values: Vec<u8>) -> Vec<u8> {
        if self.strides.is_empty() {
            return values;
        }
        let indices = 0..values.len() as u64;
        indices
            .map(|index| values[self.place(index) as usize])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own() {
        let space = IndexSpace::new("KRvKPA".parse().unwrap()).unwrap();
        assert_eq!(space.dimensions(), 4);
        for bytes in [[0, 1, 2, 3, 255], [3, 0, 2, 1, 255], [1, 3, 0, 2, 255]] {
            let order = Order::new(&space, &bytes).unwrap();
            let places: Vec<u64> = (0..space.len()).map(|index| order.place(index)).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..space.len()));
            for index in (0..space.len()).step_by(7) {
                if let Some(placement) = space.placement(index) {
                    let (digits, _) = space.counted_digits(&placement).unwrap();
                    assert_eq!(order.place_of(&digits), places[index as usize]);
                }
            }
            let mut stream = vec![0; places.len()];
            for (index, &place) in places.iter().enumerate() {
                stream[place as usize] = (index % 251) as u8;
            }
            let values = order.by_index(stream);
            assert!(
                (0..)
                    .zip(values)
                    .all(|(index, value)| index % 251 == u32::from(value))
            );
        }
        // The last dimension is the slowest, the first the fastest.
        let order = Order::new(&space, &[3, 2, 1, 0, 255]).unwrap();
        assert_eq!(order.place(1), space.len() / space.radix(3));
        assert_eq!(order.place(space.len() / space.radix(0)), 1);
    }

    #[test]
    fn only_permutations_are_orders() {
        let space = IndexSpace::new("KRvK".parse().unwrap()).unwrap();
        let natural = Order::new(&space, &[0; 12]).unwrap();
        assert_eq!(natural.place(77), 77);
        for bytes in [&[0, 1, 2][..], &[2, 0, 1, 255]] {
            assert!(Order::new(&space, bytes).is_ok(), "{bytes:?}");
        }
        for bytes in [
            &[0, 1, 1][..],
            &[0, 1, 3],
            &[0, 1],
            &[1, 2, 0, 0],
            &[0, 0, 1, 255],
        ] {
            assert_eq!(Order::new(&space, bytes), Err(OrderError), "{bytes:?}");
        }
    }
}
