//! Words as sets.

use std::borrow::Cow;
use std::fmt::{Debug, LowerHex};
use std::hash::Hash;
use std::iter::FusedIterator;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, ShlAssign, Shr,
    ShrAssign, Sub,
};

/// A machine word used as a set of small numbers, lowest bit first.
///
/// # Examples
///
/// ```
/// use retrograde::game::Bits;
///
/// let set = u64::bit(3) | u64::bit(60);
/// assert_eq!(set.count(), 2);
/// assert_eq!(set.ones().collect::<Vec<_>>(), [3, 60]);
/// ```
pub trait Bits:
    Copy
    + Debug
    + Default
    + Eq
    + Hash
    + LowerHex
    + Ord
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + ShlAssign<u32>
    + Shr<u32, Output = Self>
    + ShrAssign<u32>
    + Sub<Output = Self>
{
    /// The empty set.
    const ZERO: Self;
    /// Every number from 0 to [`WIDTH`](Bits::WIDTH) − 1.
    const FULL: Self;
    /// How many numbers the word can hold.
    const WIDTH: u32;

    /// The set of one number. `index` is taken modulo [`WIDTH`](Bits::WIDTH).
    fn bit(index: u32) -> Self;

    /// How many numbers are in the set.
    fn count(self) -> u32;

    /// The lowest number in the set, or [`WIDTH`](Bits::WIDTH) when there is none.
    fn lowest(self) -> u32;

    /// The highest number in the set, which must not be empty.
    fn highest(self) -> u32;

    /// The set without its lowest number.
    fn without_lowest(self) -> Self;

    /// The numbers from `64 * index` on, as the bits of a word.
    fn part(self, index: u32) -> u64;

    /// The set whose [`part`](Bits::part) number `index` is `part`, and the others empty.
    fn from_part(part: u64, index: u32) -> Self;

    /// All [`part`](Bits::part)s of words, lowest first.
    fn parts_of(words: &[Self]) -> Cow<'_, [u64]>;

    /// The words of such parts; what is left at the end is ignored.
    fn from_parts(parts: Vec<u64>) -> Vec<Self>;

    /// The bytes of words, lowest first.
    fn to_le_bytes(words: &[Self]) -> Vec<u8>;

    /// The words of such bytes; what is left at the end is ignored.
    fn from_le_bytes(bytes: &[u8]) -> Vec<Self>;

    /// Whether the set is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::ZERO
    }

    /// Whether `index` is in the set.
    #[inline]
    fn contains(self, index: u32) -> bool {
        !(self & Self::bit(index)).is_empty()
    }

    /// The numbers in the set, lowest first.
    #[inline]
    fn ones(self) -> Ones<Self> {
        Ones(self)
    }
}

macro_rules! bits {
    ($word:ty, $parts_of:expr, $from_parts:expr) => {
        impl Bits for $word {
            const ZERO: Self = 0;
            const FULL: Self = <$word>::MAX;
            const WIDTH: u32 = <$word>::BITS;

            #[inline]
            fn bit(index: u32) -> Self {
                (1 as $word).wrapping_shl(index)
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn highest(self) -> u32 {
                (Self::WIDTH - 1).wrapping_sub(self.leading_zeros())
            }

            #[inline]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline]
            fn part(self, index: u32) -> u64 {
                (self >> (64 * index)) as u64
            }

            #[inline]
            fn from_part(part: u64, index: u32) -> Self {
                <$word>::from(part) << (64 * index)
            }

            fn parts_of(words: &[Self]) -> Cow<'_, [u64]> {
                $parts_of(words)
            }

            fn from_parts(parts: Vec<u64>) -> Vec<Self> {
                $from_parts(parts)
            }

            fn to_le_bytes(words: &[Self]) -> Vec<u8> {
                let mut bytes = vec![0; size_of_val(words)];
                let to = bytes.as_chunks_mut().0.iter_mut();
                for (to, word) in to.zip(words) {
                    *to = word.to_le_bytes();
                }
                bytes
            }

            fn from_le_bytes(bytes: &[u8]) -> Vec<Self> {
                let words = bytes.as_chunks().0.iter();
                words.map(|&word| <$word>::from_le_bytes(word)).collect()
            }
        }
    };
}

bits!(u64, Cow::Borrowed, std::convert::identity);
bits!(u128, halves_of, of_halves);

fn halves_of(words: &[u128]) -> Cow<'_, [u64]> {
    let halves = |&word: &u128| [word.part(0), word.part(1)];
    words.iter().flat_map(halves).collect()
}

fn of_halves(halves: Vec<u64>) -> Vec<u128> {
    let words = halves.as_chunks().0.iter();
    words
        .map(|&[low, high]| u128::from_part(low, 0) | u128::from_part(high, 1))
        .collect()
}

/// The numbers of a set, lowest first; see [`Bits::ones`].
#[derive(Clone, Copy, Debug)]
pub struct Ones<B>(B);

impl<B: Bits> Iterator for Ones<B> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let lowest = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(lowest)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}

impl<B: Bits> ExactSizeIterator for Ones<B> {}
impl<B: Bits> FusedIterator for Ones<B> {}
