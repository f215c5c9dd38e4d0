//! What can stand in a file in several orders of its dimensions.

use std::ops::Range;

use crate::table::layout::ORDER_LEN;
use crate::table::{Plane, StreamSource, ValueSource};

/// The numbers of one side to move, which can stand in a file in several orders.
///
/// They are made of slices of equal length. Their number is the slowest dimension in every order,
/// so that a few of them are enough to look at a few blocks.
pub(in crate::generate) trait Ordered: Sync {
    /// An order of the dimensions.
    type Order: Copy + Send + Sync;
    /// Some slices, ready to be looked at in many orders.
    type Slices<'a>: Send + Sync
    where
        Self: 'a;

    /// Which side is to move, 0 or 1.
    fn number(&self) -> u8;

    /// Which byte of each number.
    fn plane(&self) -> Plane {
        Plane::Low
    }

    /// Which numbers occur.
    fn present(&self) -> [bool; 256];

    /// How many indices there are.
    fn len(&self) -> u64;

    /// How many slices there are.
    fn slices(&self) -> u64;

    /// Every order. Of those with the same two fastest dimensions the first stands for all where
    /// these pairs are compared.
    fn orders(&self) -> Vec<Self::Order>;

    /// The numbers of the dimensions, the slowest first.
    fn dimensions(order: &Self::Order) -> &[u8];

    /// How many values a dimension has.
    fn radix(&self, dimension: u8) -> u64;

    /// Told before numbers of this side are asked for which indices will be wanted in which orders;
    /// those of others are not until they are prepared.
    fn prepare(&self, _slices: &Self::Slices<'_>, _wanted: &[(Self::Order, Vec<Range<u64>>)]) {}

    /// Whether its numbers need no preparation now.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Some slices.
    fn sampled(&self, slices: &[usize]) -> Self::Slices<'_>;

    /// The numbers at the indices of some slices in an order; no others are asked for.
    fn source<'s, 'a: 's>(
        slices: &'s Self::Slices<'a>,
        order: &Self::Order,
    ) -> impl ValueSource + 's
    where
        Self: 'a;

    /// How many numbers occur.
    fn symbols(&self) -> usize {
        self.present().iter().filter(|&&is| is).count()
    }

    /// A stream of a file.
    fn stream<'a>(&self, order: &Self::Order, source: &'a dyn ValueSource) -> StreamSource<'a> {
        let mut bytes = [u8::MAX; ORDER_LEN];
        let dimensions = Self::dimensions(order);
        bytes[..dimensions.len()].copy_from_slice(dimensions);
        StreamSource {
            side: self.number(),
            plane: self.plane(),
            order: bytes,
            len: self.len(),
            source,
            values_present: Some(self.present()),
        }
    }
}

/// The fastest few dimensions of an order, or all if it has fewer.
pub(super) fn fastest<S: Ordered>(order: &S::Order, count: usize) -> &[u8] {
    let dimensions = S::dimensions(order);
    &dimensions[dimensions.len().saturating_sub(count)..]
}

/// The first of the orders with each pair of fastest dimensions.
pub(super) fn one_with_each_pair<S: Ordered>(side: &S) -> Vec<S::Order> {
    first_with_each(&side.orders(), |order| fastest::<S>(order, 2))
}

/// The first of the orders that have the same key, for every key.
pub(super) fn first_with_each<'a, O: Copy, K: PartialEq + 'a>(
    orders: &'a [O],
    key: impl Fn(&'a O) -> K,
) -> Vec<O> {
    let mut keys: Vec<K> = Vec::new();
    let mut first = Vec::new();
    for order in orders {
        let key = key(order);
        if !keys.contains(&key) {
            keys.push(key);
            first.push(*order);
        }
    }
    first
}
