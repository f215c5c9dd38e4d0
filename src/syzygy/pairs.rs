//! The values of a block: a canonical Huffman code of symbols, each of which stands for a run of
//! values.
//!
//! # Pairs
//!
//! Values of neighbouring indices are much alike. The compressor takes the pair of neighbouring
//! symbols that is most frequent, replaces it everywhere by a new symbol, and does so again some
//! thousand times. So a symbol is either one value, or a pair of other symbols; in the end it
//! stands for up to 256 values:
//!
//! ```text
//! symbol  is          stands for
//!   0     value 2     2
//!   1     value 4     4
//!   2     (0, 0)      2 2
//!   3     (2, 1)      2 2 4
//!   4     (3, 2)      2 2 4 2 2
//! ```
//!
//! To find value number 3 of symbol 4 nothing has to be written out: its left symbol has 3 values,
//! so it is number 0 of the right symbol 2, and that is number 0 of its left symbol 0. For this the
//! number of values of every symbol is worked out when the table is opened (equation 1):
//! `values(s) = 1` for a value, `values(left(s)) + values(right(s))` for a pair.
//!
//! # Code
//!
//! What remains is a sequence of symbols, written with a Huffman code. The code is *canonical*:
//! only the length of each symbol's code is free, the rest follows from two rules. Symbols of
//! shorter codes have higher numbers, and codes, read as binary fractions `0.b1 b2 b3 ...`,
//! increase with the number of their symbol. So all codes of one length are neighbours, and shorter
//! ones are greater:
//!
//! ```text
//! symbol  code          as a fraction
//!   0     000           0
//!   1     001           1/8
//!   2     01            1/4
//!   3     1             1/2
//! ```
//!
//! The file gives, for each length, the *lowest* symbol that has a code of this length: here 3, 2,
//! 0 for lengths 1, 2, 3. Let `base(n)` be the code of that symbol as a whole number of `n` bits.
//! The longest codes begin with `base = 0`. Codes of length `n + 1` are followed by those of length
//! `n`, which have one bit less, so (equation 2)
//!
//! ```text
//! base(n) = (base(n + 1) + lowest(n) - lowest(n + 1)) / 2
//! ```
//!
//! as `lowest(n) - lowest(n + 1)` symbols have codes of `n + 1` bits. Shifted to the left end of a
//! word of 64 bits, the bases of all lengths can be compared with the next bits of a block: the
//! code is of the first length, from the shortest on, whose base is not greater (3), and its symbol
//! is `lowest(n)` plus the difference in units of its last bit (4).
//!
//! # Faster
//!
//! Looking for the length by (3) from the shortest on takes several comparisons, and the processor
//! guesses wrong when they end. But as codes are sorted by their length, the first bits of a word
//! alone tell the length, even of longer codes, except where a base lies among the words with these
//! first bits. So a small table has, for each pattern of the first [`FIRST_BITS`] bits, the
//! shortest length that is possible, and it seldom takes a comparison more.
//!
//! Most symbols of a block are only passed over. For them it is enough to know how many values they
//! stand for and where the next code begins, and of all codes that lie in the next [`SKIP_BITS`]
//! bits together that is one number to load.
//!
//! Going down from a symbol to its value, half of the turns go either way, and no processor can
//! guess them. So a step is one word to load and no branch: a [`Node`] has both parts of a pair and
//! the number of values of its left part.

use arrayvec::ArrayVec;

use super::checkpoints::{CELLS, Start};
use crate::error::{SyzygyError, impossible};
use crate::reserve::{Refused, array, defaults, gathered, reserved};

/// What is wrong with a table whose code cannot be.
pub(super) const fn code_lengths() -> SyzygyError {
    impossible("lengths of codes")
}

/// The right symbol of what is no pair but a value, which then is the left number.
pub(super) const NO_SYMBOL: u16 = 0xfff;

/// Bits of the number of a symbol.
const SYMBOL_BITS: u32 = 12;

/// Longest code; the bit buffer always holds it.
const MAX_CODE_BITS: u8 = 32;

/// Bits of a word by which the length of a code is looked up: 512 bytes for a stream.
const FIRST_BITS: u32 = 9;

/// Bits of a word by which several codes are passed over at once: 1 KiB for a stream. More bits
/// take fewer steps through a block, but the tables of all streams that a search asks for would not
/// stay in the nearest caches.
const SKIP_BITS: u32 = 8;

/// How often so many bits can be taken before the bit buffer has to be filled again.
const SKIPS: u32 = 57 / SKIP_BITS;

/// What is known by the next [`SKIP_BITS`] bits: the first code, its symbol (12 bits) and its own
/// bits (4 bits), none if it is longer than that; and all codes that lie in these bits together:
/// their bits (4 bits), and how many values they stand for.
#[derive(Clone, Copy, Debug, Default)]
struct First(u32);

impl First {
    /// The symbol of the first code and its bits, if it is not too long.
    #[inline(always)]
    fn code(self) -> Option<(u32, u32)> {
        let bits = self.0 & 15;
        (bits != 0).then_some((self.0 >> 4 & 0xfff, bits))
    }

    /// Bits of all codes.
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0 >> 16 & 15
    }

    /// Values of all codes.
    #[inline(always)]
    fn values(self) -> u32 {
        self.0 >> 20
    }
}

/// What a symbol stands for, in 64 bits: all its values, if they are so few that they fit; else its
/// left part (12 bits), its right part (12 bits), and how many values the left part has, less one.
///
/// Which of both it is follows from the number of values.
#[derive(Clone, Copy, Debug)]
struct Node(u64);

impl Node {
    fn pair([left, right]: [u16; 2], more_values: &[u8]) -> Node {
        let more_values_left = more_values[usize::from(left)];
        Node(u64::from(more_values_left) << 24 | u64::from(right) << 12 | u64::from(left))
    }

    #[inline]
    fn left(self) -> u32 {
        self.0 as u32 & 0xfff
    }

    #[inline]
    fn right(self) -> u32 {
        self.0 as u32 >> 12 & 0xfff
    }

    #[inline]
    fn more_values_left(self) -> u32 {
        self.0 as u32 >> 24
    }
}

/// How values stand side by side in a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Width {
    /// The binary logarithm of the bits of a value, which are 4, 8 or 16.
    log: u32,
}

impl Width {
    fn of(greatest: u16) -> Width {
        Width {
            log: match greatest {
                0..16 => 2,
                16..256 => 3,
                _ => 4,
            },
        }
    }

    /// How many values fit.
    #[inline]
    fn values(self) -> u32 {
        u64::BITS >> self.log
    }

    #[inline]
    fn value(self, Node(values): Node, place: u32) -> u16 {
        let mask = (1u64 << (1 << self.log)) - 1;
        (values >> ((place << self.log) % u64::BITS) & mask) as u16
    }

    /// So many values, and others behind them.
    fn join(self, Node(left): Node, left_values: u32, Node(right): Node) -> Node {
        Node(left | right << (left_values << self.log))
    }
}

/// The codes of one length.
#[derive(Clone, Copy, Debug, Default)]
struct Length {
    /// The least of them at the left end of the word.
    base: u64,
    /// Its symbol, less the least code as a number (4).
    lowest: u32,
}

/// A place for each length of a code; more than there are, so that six bits are always one of them.
const LENGTHS: usize = 64;

/// The symbols of a stream and their code.
#[derive(Debug)]
pub(super) struct Pairs {
    /// By symbol.
    nodes: Box<[Node]>,
    width: Width,
    /// How many values a symbol stands for, less one.
    more_values: Box<[u8]>,
    /// By bits of a code; the base of the longest is 0.
    lengths: Box<[Length; LENGTHS]>,
    /// By first bits of a word: the bits of the shortest codes that it may begin with.
    first_lengths: Box<[u8; 1 << FIRST_BITS]>,
    /// By first bits of a word.
    firsts: Box<[First; 1 << SKIP_BITS]>,
}

impl Pairs {
    /// The code with `lowest[n]` as the lowest symbol of the codes of `shortest + n` bits, and two
    /// parts, or a value and [`NO_SYMBOL`], for each symbol.
    ///
    /// # Errors
    ///
    /// [`SyzygyError::Impossible`] if there is no such code, or symbols consist of themselves or of
    /// too many values.
    pub fn new(shortest: u8, lowest: &[u16], parts: &[[u16; 2]]) -> Result<Pairs, SyzygyError> {
        if parts.len() > 1 << SYMBOL_BITS {
            return Err(impossible("number of symbols"));
        }
        let more_values = count_values(parts)?;
        let bases = bases(shortest, lowest)?;
        let mut lengths = array::<Length, LENGTHS>()?;
        for ((&base, &lowest), bits) in bases.iter().zip(lowest).zip(usize::from(shortest)..) {
            let least = (base >> (LENGTHS - bits)) as u32;
            lengths[bits] = Length {
                base,
                lowest: u32::from(lowest).wrapping_sub(least),
            };
        }
        let mut first_lengths = array::<u8, { 1 << FIRST_BITS }>()?;
        for (first, bits) in first_lengths.iter_mut().enumerate() {
            let greatest = ((first as u64 + 1) << (u64::BITS - FIRST_BITS)).wrapping_sub(1);
            let possible = bases.iter().position(|&base| base <= greatest);
            *bits = shortest + possible.ok_or_else(code_lengths)? as u8;
        }
        let greatest = parts.iter().filter(|parts| parts[1] == NO_SYMBOL);
        let width = Width::of(greatest.map(|parts| parts[0]).max().unwrap_or(0));
        let mut pairs = Pairs {
            nodes: nodes(parts, &more_values, width)?,
            width,
            more_values,
            lengths,
            first_lengths,
            firsts: array()?,
        };
        for bits in 0..pairs.firsts.len() {
            pairs.firsts[bits] = pairs.first(bits as u64);
        }
        Ok(pairs)
    }

    /// The values that symbols stand for or consist of.
    pub fn values(&self) -> impl Iterator<Item = u16> {
        let symbols = self.nodes.iter().zip(&self.more_values);
        let single = symbols.filter(|&(_, &more_values)| more_values == 0);
        single.map(|(&node, _)| self.width.value(node, 0))
    }

    /// What is known by these bits.
    fn first(&self, known: u64) -> First {
        let mut word = known << (u64::BITS - SKIP_BITS);
        let (mut code, mut bits, mut values) = (0, 0, 0);
        loop {
            // Zeros stand for the bits that are not known. A code that does not reach them is the
            // right one.
            let (symbol, len) = self.symbol(word);
            let more_values = self.more_values.get(symbol as usize);
            match more_values {
                Some(&more_values) if bits + len <= SKIP_BITS => {
                    if bits == 0 {
                        code = symbol << 4 | len;
                    }
                    word <<= len;
                    bits += len;
                    values += u32::from(more_values) + 1;
                }
                // 8 codes of a bit, of 256 values each, are the most.
                _ => return First(values << 20 | bits << 16 | code),
            }
        }
    }

    /// The symbol whose code a word begins with, and the bits of that (3), (4).
    #[inline(always)]
    fn symbol(&self, word: u64) -> (u32, u32) {
        let first = (word >> (u64::BITS - FIRST_BITS)) as usize;
        let mut bits = usize::from(self.first_lengths[first]) % LENGTHS;
        // Ends with the longest, whose base is 0.
        while self.lengths[bits].base > word {
            bits = (bits + 1) % LENGTHS;
        }
        // There is no code of no bits.
        let code = (word >> ((LENGTHS - bits) % LENGTHS)) as u32;
        (code.wrapping_add(self.lengths[bits].lowest), bits as u32)
    }

    /// Value number `place` of the block that some bytes begin with; nothing if there is no such
    /// value.
    ///
    /// It is fastest where some bytes follow the block.
    #[inline]
    pub fn value(&self, bytes: &[u8], place: u32) -> Option<u16> {
        self.value_from(bytes, Start::default(), place)
    }

    /// The same from a start on: value number `place` behind the first one of its cell.
    // By itself: its loops want all registers.
    #[inline(never)]
    pub fn value_from(&self, bytes: &[u8], start: Start, place: u32) -> Option<u16> {
        let mut bits = Bits::from(bytes, start.bit);
        let mut place = place + start.within;
        let (symbol, more_values) = self.reach(&mut bits, &mut place)?;
        Some(self.value_of(symbol, more_values, place))
    }

    /// Value number `place` behind the first one of a cell, `cells` cells further on, each of which
    /// has `distance` values. Where those cells start is put into `starts`, as far as it can be
    /// kept.
    #[inline(never)]
    pub fn value_noting(
        &self,
        bytes: &[u8],
        start: Start,
        cells: usize,
        distance: u32,
        place: u32,
        starts: &mut ArrayVec<Start, CELLS>,
    ) -> Option<u16> {
        let mut bits = Bits::from(bytes, start.bit);
        let mut within = start.within;
        for passed in 0..cells {
            within += distance;
            self.reach(&mut bits, &mut within)?;
            let start = Start {
                bit: bits.bit as u32,
                within,
            };
            // A damaged block may have more than its bits.
            if start.can_be_kept() && starts.len() == passed {
                starts.try_push(start).ok()?;
            }
        }
        within += place;
        let (symbol, more_values) = self.reach(&mut bits, &mut within)?;
        Some(self.value_of(symbol, more_values, within))
    }

    /// Value number `place` of a symbol that has so many more values than one.
    #[inline(always)]
    fn value_of(&self, mut symbol: u32, mut more_values: u32, mut place: u32) -> u16 {
        // Ends, as a part of a symbol has fewer values than the symbol.
        while more_values >= self.width.values() {
            let node = self.nodes[symbol as usize];
            let left_values = node.more_values_left() + 1;
            let is_right = place >= left_values;
            symbol = if is_right { node.right() } else { node.left() };
            more_values = match is_right {
                true => more_values - left_values,
                false => left_values - 1,
            };
            place -= u32::from(is_right) * left_values;
        }
        self.width.value(self.nodes[symbol as usize], place)
    }

    /// Drops codes until the next one is that of value number `place`, which becomes its number
    /// within the symbol; the symbol, and how many values it stands for, less one.
    #[inline(always)]
    fn reach(&self, bits: &mut Bits<'_>, place: &mut u32) -> Option<(u32, u32)> {
        loop {
            let (first, passed) = self.pass_over(bits, *place);
            *place -= passed;
            let (symbol, len) = first.code().unwrap_or_else(|| {
                bits.refill();
                self.symbol(bits.word)
            });
            let more_values = u32::from(*self.more_values.get(symbol as usize)?);
            if *place <= more_values {
                return Some((symbol, more_values));
            }
            // Ends after at most `place` rounds, as every symbol has a value.
            *place -= more_values + 1;
            bits.skip(len);
        }
    }

    /// Drops codes as long as they all stand for values before number `place`; returns what
    /// follows, and how many values were passed over. The code that follows may be another such, if
    /// it is long or others that begin soon are not.
    #[inline(always)]
    fn pass_over(&self, bits: &mut Bits<'_>, place: u32) -> (First, u32) {
        let mut passed = 0;
        loop {
            bits.refill();
            for _ in 0..SKIPS {
                let first = self.firsts[(bits.word >> (u64::BITS - SKIP_BITS)) as usize];
                // No values at all are the most, less one.
                if place - passed <= first.values().wrapping_sub(1) {
                    return (first, passed);
                }
                passed += first.values();
                bits.skip(first.bits());
            }
        }
    }

    /// The first values of a block, as many as `out` has place for; nothing if there is no such
    /// code.
    pub fn all_values(&self, written_out: &WrittenOut, block: &[u8], out: &mut [u8]) -> Option<()> {
        let mut bits = Bits::from(block, 0);
        let mut rest = out;
        while !rest.is_empty() {
            bits.refill();
            let (symbol, code_len) = self.symbol(bits.word);
            let values = written_out.of(symbol as usize)?;
            let len = values.len().min(rest.len());
            let (now, later) = rest.split_at_mut(len);
            now.copy_from_slice(&values[..len]);
            rest = later;
            bits.skip(code_len);
        }
        Some(())
    }
}

/// The values of all symbols, written out.
#[derive(Debug)]
pub(super) struct WrittenOut {
    values: Vec<u8>,
    /// By symbol where its values begin, and where the last ones end.
    starts: Vec<usize>,
    /// The largest value of all, which may not fit into a byte.
    pub largest: u16,
}

impl WrittenOut {
    /// Those of a code.
    ///
    /// # Errors
    ///
    /// [`SyzygyError::OutOfMemory`] if there is not enough for them.
    pub fn new(pairs: &Pairs) -> Result<WrittenOut, SyzygyError> {
        let lengths = pairs.more_values.iter().map(|&more| usize::from(more) + 1);
        let mut written_out = WrittenOut {
            values: reserved(lengths.sum())?,
            starts: reserved(pairs.nodes.len() + 1)?,
            largest: 0,
        };
        written_out.starts.push(0);
        // Each on it stands for a value at least, of 256 at most.
        let mut stack = reserved(256)?;
        for symbol in 0..pairs.nodes.len() as u32 {
            stack.push(symbol);
            while let Some(symbol) = stack.pop() {
                let node = pairs.nodes[symbol as usize];
                let more_values = u32::from(pairs.more_values[symbol as usize]);
                if more_values >= pairs.width.values() {
                    stack.extend([node.right(), node.left()]);
                    continue;
                }
                for place in 0..=more_values {
                    let value = pairs.width.value(node, place);
                    written_out.values.push(value as u8);
                    written_out.largest = written_out.largest.max(value);
                }
            }
            written_out.starts.push(written_out.values.len());
        }
        Ok(written_out)
    }

    fn of(&self, symbol: usize) -> Option<&[u8]> {
        let end = *self.starts.get(symbol + 1)?;
        self.values.get(self.starts[symbol]..end)
    }
}

/// By length of code, the least code at the left end of a word: equation (2).
fn bases(shortest: u8, lowest: &[u16]) -> Result<Box<[u64]>, SyzygyError> {
    let longest = usize::from(shortest) + lowest.len() - 1;
    if shortest == 0 || longest > usize::from(MAX_CODE_BITS) {
        return Err(code_lengths());
    }
    let mut bases: Box<[u64]> = defaults(lowest.len())?;
    for n in (0..lowest.len() - 1).rev() {
        let longer = lowest[n].checked_sub(lowest[n + 1]);
        bases[n] = (bases[n + 1] + u64::from(longer.ok_or_else(code_lengths)?)) / 2;
    }
    for (base, bits) in bases.iter_mut().zip(u32::from(shortest)..) {
        if *base >> bits != 0 {
            return Err(code_lengths());
        }
        *base <<= u64::BITS - bits;
    }
    Ok(bases)
}

/// What each symbol stands for.
fn nodes(parts: &[[u16; 2]], more_values: &[u8], width: Width) -> Result<Box<[Node]>, Refused> {
    let mut nodes = gathered(parts.iter().map(|_| Node(0)))?.into_boxed_slice();
    let mut symbols = gathered(0..parts.len())?;
    // Parts have fewer values than what they are parts of.
    symbols.sort_unstable_by_key(|&symbol| more_values[symbol]);
    for symbol in symbols {
        let [left, right] = parts[symbol];
        nodes[symbol] = if right == NO_SYMBOL {
            Node(left.into())
        } else if u32::from(more_values[symbol]) >= width.values() {
            Node::pair(parts[symbol], more_values)
        } else {
            let [left, right] = [left, right].map(usize::from);
            let left_values = u32::from(more_values[left]) + 1;
            width.join(nodes[left], left_values, nodes[right])
        };
    }
    Ok(nodes)
}

/// How many values each symbol stands for, less one: equation (1).
///
/// A damaged file may have a pair of itself, or of symbols that lead back to it. So the symbols
/// that are being worked out lie on a stack of our own, and none may come up again before it is
/// done.
fn count_values(pairs: &[[u16; 2]]) -> Result<Box<[u8]>, SyzygyError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Begun,
        Done,
    }
    let mut more_values = defaults(pairs.len())?;
    let mut states = gathered(pairs.iter().map(|_| State::New))?;
    // None is on it twice.
    let mut stack = reserved(pairs.len())?;
    for symbol in 0..pairs.len() {
        stack.push(symbol);
        while let Some(&symbol) = stack.last() {
            let [left, right] = pairs[symbol].map(usize::from);
            if states[symbol] == State::Done || right == usize::from(NO_SYMBOL) {
                states[symbol] = State::Done;
                stack.pop();
                continue;
            }
            states[symbol] = State::Begun;
            let mut is_ready = true;
            for part in [right, left] {
                match states.get(part) {
                    None => return Err(impossible("symbol")),
                    Some(State::Begun) => return Err(impossible("symbol, a part of itself")),
                    Some(State::Done) => {}
                    Some(State::New) => {
                        is_ready = false;
                        stack.push(part);
                        break;
                    }
                }
            }
            if is_ready {
                let sum = u16::from(more_values[left]) + u16::from(more_values[right]) + 1;
                more_values[symbol] =
                    u8::try_from(sum).map_err(|_| impossible("length of a symbol"))?;
                states[symbol] = State::Done;
                stack.pop();
            }
        }
    }
    Ok(more_values)
}

/// Bits of some bytes from a place on, zeros behind their end.
struct Bits<'a> {
    bytes: &'a [u8],
    /// How many bits were dropped.
    bit: usize,
    /// The next bits, the first at the left end; those to the right of what was filled in are zero.
    word: u64,
}

impl<'a> Bits<'a> {
    /// Behind so many bits.
    #[inline(always)]
    fn from(bytes: &'a [u8], bit: u32) -> Bits<'a> {
        Bits {
            bytes,
            bit: bit as usize,
            word: 0,
        }
    }

    /// Fills the word with 57 bits at least. That is done anew each time, which takes fewer
    /// instructions than to add what is missing.
    #[inline(always)]
    fn refill(&mut self) {
        let rest = self.bytes.get(self.bit / 8..).unwrap_or_default();
        let next = match rest.first_chunk() {
            Some(next) => u64::from_be_bytes(*next),
            None => last_bits(rest),
        };
        self.word = next << (self.bit % 8);
    }

    /// Drops bits of the word, at most [`MAX_CODE_BITS`].
    #[inline(always)]
    fn skip(&mut self, bits: u32) {
        self.word <<= bits;
        self.bit += bits as usize;
    }
}

/// The last bytes, then zeros.
#[cold]
fn last_bits(rest: &[u8]) -> u64 {
    let mut next = [0; 8];
    next[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: u16 = NO_SYMBOL;

    /// The code and the symbols of the module's documentation put together.
    fn example() -> Pairs {
        let pairs = [[2, VALUE], [4, VALUE], [0, 0], [2, 1]];
        Pairs::new(1, &[3, 2, 0], &pairs).unwrap()
    }

    #[test]
    fn every_value_of_a_block_is_found() {
        // 3 = 2 2 4, 0 = 2, 2 = 2 2, 1 = 4, 3 = 2 2 4, then a 1 for ever.
        let block = [0b1000_0100, 0b1100_0000];
        let values = [2, 2, 4, 2, 2, 2, 4, 2, 2, 4];
        for (place, &value) in values.iter().enumerate() {
            assert_eq!(example().value(&block, place as u32), Some(value));
        }
        let written_out = WrittenOut::new(&example()).unwrap();
        assert_eq!(written_out.largest, 4);
        for len in 0..=values.len() {
            let mut all = vec![0; len];
            example()
                .all_values(&written_out, &block, &mut all)
                .unwrap();
            assert!(
                all.iter()
                    .copied()
                    .map(u16::from)
                    .eq(values[..len].iter().copied())
            );
        }
        // Behind the end come zeros, which are code 000.
        assert_eq!(example().value(&block, 65_535), Some(2));
    }

    #[test]
    fn codes_longer_than_the_first_bits_are_found() {
        // Codes 1, 01, 001 and so on; the last two have 20 bits.
        let lowest: Vec<u16> = (1..20).map(|bits| 21 - bits).chain([0]).collect();
        let pairs: Vec<[u16; 2]> = (0..21).map(|value| [value, VALUE]).collect();
        let pairs = Pairs::new(1, &lowest, &pairs).unwrap();
        for zeros in 0..20u32 {
            let block = (1u64 << 63 >> zeros).to_be_bytes();
            let expected = 20 - zeros as u16;
            assert_eq!(pairs.value(&block, 0), Some(expected), "{zeros} zeros");
        }
        assert_eq!(pairs.value(&[0; 8], 0), Some(0));
    }

    #[test]
    fn symbols_that_lead_back_to_themselves_are_an_error() {
        for pairs in [
            vec![[0, 0]],
            vec![[1, VALUE], [2, 0], [0, 1]],
            vec![[0, VALUE], [0, 7]],
        ] {
            assert!(count_values(&pairs).is_err(), "{pairs:?}");
        }
        // Each is twice the one before: 256 values are the most.
        let doubled = |symbols: u16| -> Vec<[u16; 2]> {
            let pair = |n: u16| if n == 0 { [0, VALUE] } else { [n - 1, n - 1] };
            (0..symbols).map(pair).collect()
        };
        assert_eq!(count_values(&doubled(9)).unwrap()[8], 255);
        assert!(count_values(&doubled(10)).is_err());
    }

    #[test]
    fn impossible_codes_are_an_error() {
        assert!(bases(0, &[0]).is_err());
        assert!(bases(1, &[0, 1]).is_err(), "lowest symbols increase");
        assert!(bases(30, &[3, 2, 1, 0]).is_err(), "33 bits");
        assert!(bases(1, &[900, 0]).is_err(), "more symbols than codes");
    }
}
