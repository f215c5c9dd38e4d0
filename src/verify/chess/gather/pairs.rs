//! The numbers of some pairs of kings, brought together from all over a stream.
//!
//! Verification goes from one square of the white king to the next. Where a file has another
//! dimension as its slowest, the numbers of one square are scattered, and to look for them there
//! costs more than what is done with them. So they are brought together first, pair of kings after
//! pair of kings, the rest in the order of the file.
//!
//! An example: the dimensions of KQvKR in a file may be, from the slowest, the queen (64 squares),
//! the white king (10), the rook (64) and the black king (64). A number of the queen on q, the
//! kings on w and b and the rook on r has the index ((10q + w) 64 + r) 64 + b. The numbers of the
//! pair (w, b) are in the order of 64q + r; of these the first 64q + r come before an index with
//! the digits q, w, r, b. So any part of the stream, from one index to another, has those of each
//! pair from one rank to another, and these follow each other where they are brought to.

use std::ops::Range;

use arrayvec::ArrayVec;

use super::{PairDigits, Piece};
use crate::Error;
use crate::chess::index::{BLACK_KING, IndexSpace, MAX_DIMENSIONS, Order, WHITE_KING};
use crate::parallel;
use crate::store::{self, prefer_large_pages};
use crate::table::{Stream, Table};

/// Numbers that are decoded together: they stay in a processor's cache until they are distributed.
const DECODED: u64 = if cfg!(test) { 1 << 10 } else { 1 << 21 };

/// A cache line of a processor, in bytes. What lies a power of two apart shares few places of a
/// cache, and a row of 64 numbers is read fastest if it is one line.
const CACHE_LINE: usize = 64;

/// Where the numbers of pairs of kings are in a stream, and where they are brought to.
#[derive(Debug)]
pub(in crate::verify::chess) struct PairOrder {
    /// The slowest first.
    dimensions: ArrayVec<Dimension, MAX_DIMENSIONS>,
    /// In the order in which they are asked for.
    pairs: Vec<PairDigits>,
    /// By digits, the number of a pair.
    numbers: Vec<Option<usize>>,
    /// Numbers of a pair.
    len: usize,
    /// How many ranks follow each other in the stream at the same distance, and that distance.
    run: (usize, usize),
}

/// A dimension of the file.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    number: usize,
    /// Which digit of a pair it is, if it is that of a king.
    king: Option<usize>,
    /// How far apart neighbours are in the stream.
    stride: usize,
    /// How far apart they are among the numbers of a pair, if it is not that of a king: how many
    /// ranks faster dimensions make.
    below: usize,
}

impl PairOrder {
    /// No pairs so far of a file.
    pub fn new(space: &IndexSpace, order: &Order) -> PairOrder {
        let mut dimensions: ArrayVec<Dimension, MAX_DIMENSIONS> = ArrayVec::new();
        let (mut stride, mut below) = (1, 1);
        // Until a king's dimension is met, ranks follow each other. If it is met at once, those of
        // the next dimension are as far apart as its neighbours are.
        let mut run = None;
        for &dimension in order.dimensions().iter().rev() {
            let number = usize::from(dimension);
            let king = match number {
                WHITE_KING => Some(0),
                BLACK_KING => Some(1),
                _ => None,
            };
            let radix = space.radix(number) as usize;
            dimensions.push(Dimension {
                number,
                king,
                stride,
                below,
            });
            match king {
                Some(_) if run.is_none() && below > 1 => run = Some((below, 1)),
                None => {
                    below *= radix;
                    if run.is_none() && stride != below / radix {
                        run = Some((below, stride));
                    }
                }
                Some(_) => {}
            }
            stride *= radix;
        }
        dimensions.reverse();
        PairOrder {
            dimensions,
            pairs: Vec::new(),
            numbers: vec![None; 64 * 64],
            len: below,
            run: run.unwrap_or((below, 1)),
        }
    }

    /// Where the numbers of a pair are brought to, which is asked for from now on.
    pub fn offset(&mut self, digits: PairDigits) -> usize {
        let next = self.pairs.len();
        let number = *self.numbers[digits[0] * 64 + digits[1]].get_or_insert(next);
        if number == next {
            self.pairs.push(digits);
        }
        number * self.room()
    }

    /// How far apart neighbours in a dimension of the file are brought to.
    pub fn stride(&self, dimension: usize) -> usize {
        let found = self.dimensions.iter().find(|it| it.number == dimension);
        found.map_or(0, |found| found.below)
    }

    /// How far apart pairs are: cache lines, one more than what they take, so that it is no power
    /// of two.
    fn room(&self) -> usize {
        self.len.next_multiple_of(CACHE_LINE) + CACHE_LINE
    }

    /// How many numbers of a pair have an index less than this one.
    fn rank(&self, index: usize, pair: &PairDigits) -> usize {
        let (mut rank, mut rest) = (0, index);
        for dimension in &self.dimensions {
            let digit = rest / dimension.stride;
            rest %= dimension.stride;
            match dimension.king {
                None => rank += digit * dimension.below,
                Some(king) if digit == pair[king] => {}
                // Those that have the same slower digits come all before, or all later.
                Some(king) => {
                    return rank
                        + if digit > pair[king] {
                            dimension.below
                        } else {
                            0
                        };
                }
            }
        }
        rank
    }

    /// The index of a number of a pair; the inverse of [`rank`](Self::rank).
    fn index(&self, rank: usize, pair: &PairDigits) -> usize {
        let (mut index, mut rest) = (0, rank);
        for dimension in &self.dimensions {
            let digit = match dimension.king {
                Some(king) => pair[king],
                None => {
                    let digit = rest / dimension.below;
                    rest %= dimension.below;
                    digit
                }
            };
            index += digit * dimension.stride;
        }
        index
    }

    /// Brings a part of the numbers of a pair from what was decoded, whose first index is given, to
    /// their room.
    fn bring(
        &self,
        pair: &PairDigits,
        ranks: Range<usize>,
        (first, decoded): (usize, &[u8]),
        room: &mut [u8],
    ) {
        let (run, distance) = self.run;
        let mut rank = ranks.start;
        while rank < ranks.end {
            let len = (run - rank % run).min(ranks.end - rank);
            let from = &decoded[self.index(rank, pair) - first..];
            let to = &mut room[rank..rank + len];
            match distance {
                1 => to.copy_from_slice(&from[..len]),
                _ => {
                    for (to, from) in to.iter_mut().zip(from.iter().step_by(distance)) {
                        *to = *from;
                    }
                }
            }
            rank += len;
        }
    }
}

/// Numbers that were brought together.
#[derive(Debug, Default)]
pub(in crate::verify::chess) struct PairNumbers {
    /// With some bytes before, so that the first is at the beginning of a cache line.
    bytes: Vec<u8>,
    start: usize,
    decoded: Vec<u8>,
}

impl PairNumbers {
    /// Reads those of a stream, in place of what was there.
    ///
    /// # Errors
    ///
    /// What is wrong with the table.
    pub fn read(&mut self, order: &PairOrder, table: &Table, stream: &Stream) -> Result<(), Error> {
        self.make_room(order.pairs.len() * order.room());
        let block_values = stream.block_values() as usize;
        let most = (DECODED / u64::from(stream.block_values())).max(1);
        let ranks = |index: usize| order.pairs.iter().map(move |pair| order.rank(index, pair));
        let ranks_before = |block: u64| -> Vec<usize> {
            ranks((block as usize * block_values).min(stream.len() as usize)).collect()
        };
        let mut before = ranks_before(0);
        let mut block = 0;
        while block < stream.block_count() {
            let first = block;
            let start = before.clone();
            // What follows is decoded as long as every block has some of the numbers.
            while block < stream.block_count() && block - first < most {
                let after = ranks_before(block + 1);
                if after == before {
                    break;
                }
                (before, block) = (after, block + 1);
            }
            if block == first {
                block += 1;
                continue;
            }
            table.read_blocks_into(stream, first..block, &mut self.decoded)?;
            let decoded = (first as usize * block_values, &self.decoded[..]);
            let rooms = self.bytes[self.start..].chunks_mut(order.room());
            let parts = rooms.zip(&order.pairs).zip(start.iter().zip(&before));
            let parts = parts.filter(|(_, (start, end))| start < end);
            parallel::each_item(parts, |_, ((room, pair), (&start, &end))| {
                order.bring(pair, start..end, decoded, room);
            });
        }
        Ok(())
    }

    fn make_room(&mut self, len: usize) {
        if self.bytes.is_empty() {
            self.bytes = vec![0; len + CACHE_LINE];
            prefer_large_pages(&mut self.bytes);
        }
        self.bytes.resize(len + CACHE_LINE, 0);
        // Any start is right.
        self.start = self.bytes.as_ptr().align_offset(CACHE_LINE) % CACHE_LINE;
        self.bytes.truncate(self.start + len);
    }

    /// Whether there is nothing but zeros.
    pub fn are_zeros(&self) -> bool {
        store::are_all(&self.bytes[self.start..], 0)
    }

    /// All of them.
    pub fn piece(&self) -> Piece<'_> {
        Piece {
            numbers: &self.bytes[self.start..],
            first: 0,
            is_first: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::material::Material;

    /// All digits of an index, by the number of the dimension.
    fn digits(space: &IndexSpace, order: &Order, mut index: usize) -> [usize; MAX_DIMENSIONS] {
        let mut digits = [0; MAX_DIMENSIONS];
        for &dimension in order.dimensions().iter().rev() {
            let radix = space.radix(dimension.into()) as usize;
            digits[usize::from(dimension)] = index % radix;
            index /= radix;
        }
        digits
    }

    #[test]
    fn numbers_of_a_pair_are_brought_together_in_the_order_of_the_file() {
        let material: Material = "KQRvK".parse().unwrap();
        let space = IndexSpace::new(material);
        let numbers: Vec<u8> = (0..space.len())
            .map(|index| ((index * 37) >> 3) as u8)
            .collect();
        for order in space.all_orders() {
            let mut pairs = PairOrder::new(&space, &order);
            for (white, black) in [(3, 17), (0, 0), (9, 63)] {
                let pair = [white, black];
                let is_of_pair = |index: &usize| {
                    let digits = digits(&space, &order, *index);
                    [digits[WHITE_KING], digits[BLACK_KING]] == pair
                };
                let indices: Vec<usize> = (0..numbers.len()).filter(is_of_pair).collect();
                assert_eq!(indices.len(), pairs.len);
                let offset = pairs.offset(pair);
                assert_eq!(offset, pairs.offset(pair));
                for (rank, &index) in indices.iter().enumerate() {
                    assert_eq!(pairs.index(rank, &pair), index);
                }
                let mut room = vec![0; pairs.room()];
                // In parts, whose ends are anywhere.
                let mut rank = 0;
                for (number, part) in numbers.chunks(10_007).enumerate() {
                    let first = number * 10_007;
                    let end = pairs.rank(first + part.len(), &pair);
                    assert_eq!(rank, pairs.rank(first, &pair));
                    pairs.bring(&pair, rank..end, (first, part), &mut room);
                    rank = end;
                }
                assert_eq!(rank, indices.len());
                assert!(
                    indices
                        .iter()
                        .zip(&room)
                        .all(|(&index, &found)| numbers[index] == found)
                );
            }
            assert_eq!(pairs.pairs, [[3, 17], [0, 0], [9, 63]]);
        }
    }
}
