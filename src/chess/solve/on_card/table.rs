//! The moves of one side as a table that kernels read.
//!
//! Numbers of 64 bits: how many axes there are, whether the side moves the man in the word, the
//! fixed squares, and in which order a thread takes the bits of an address; then six for each axis:
//! how far its place is shifted in an address and which bits it has, how it moves, and where three
//! things are: the squares of its places, where it can go, and where it can have come from. Where
//! something is, is said in bytes from the beginning.
//!
//! Where a slider can go is how many directions it has, and for each how far the next square is and
//! the squares that lie there, square by square: a rook has the directions 1, -1, 8 and -8, and of
//! the first one from a1 the squares b1 to h1, `0xfe`. Of other men there is a list for each place.
//! Lists begin with where each of 64 is, 16 bits each, from there on, and every list has a mark at
//! its end: a king on a1 has `1 8 9 LIST_END`, and one who turns the board has pairs of a place and
//! a symmetry.

use std::collections::BTreeMap;

use crate::chess::solve::space::{Board, Moves, Space, Turned};

const HEADER: usize = 6;
const RECORD: usize = 6;
const LIST_END: u8 = 0xfe;

/// What follows the numbers.
struct Lists {
    /// Where it begins.
    start: usize,
    bytes: Vec<u8>,
}

impl Lists {
    /// Adds bytes at a multiple of eight; returns where they begin.
    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.start + self.bytes.len();
        self.bytes.extend(bytes);
        at as u64
    }

    /// Adds 64 lists, or fewer.
    fn add_lists(&mut self, lists: impl Iterator<Item = Vec<u8>>) -> u64 {
        let mut begins = Vec::new();
        let mut all = Vec::new();
        for list in lists {
            // No list has more than eight pairs, so all of them have less than 65 536 bytes.
            begins.push(2 * 64 + all.len() as u16);
            all.extend(list);
            all.push(LIST_END);
        }
        begins.resize(64, 0);
        let begins = begins.into_iter().flat_map(u16::to_le_bytes);
        self.add(begins.chain(all))
    }
}

/// The directions of a slider, and of each the squares that lie there from every square.
fn directions(lines: &[Vec<u8>]) -> Vec<u64> {
    let mut directions: BTreeMap<i64, [u64; 64]> = BTreeMap::new();
    let set = |squares: &[u8]| squares.iter().fold(0, |all, &square| all | 1u64 << square);
    for line in lines {
        let Some(([first, second], _)) = line.split_first_chunk() else {
            continue;
        };
        let step = i64::from(*second) - i64::from(*first);
        for (at, &square) in line.iter().enumerate() {
            for (step, ray) in [(step, &line[at + 1..]), (-step, &line[..at])] {
                directions.entry(step).or_insert([0; 64])[usize::from(square)] = set(ray);
            }
        }
    }
    let mut numbers = vec![directions.len() as u64];
    for (step, rays) in directions {
        numbers.push(step as u64);
        numbers.extend(rays);
    }
    numbers
}

fn pairs(turned: &[Turned]) -> Vec<u8> {
    let pairs = turned.iter().map(|turned| [turned.place, turned.symmetry]);
    pairs.flatten().collect()
}

/// Bits of an address within which all that a thread looks at is in a cache: 2 MB.
const NEAR_BITS: u64 = 18;
/// The lowest bits, which neighbouring threads have: rows of 2 kB.
const LOW_BITS: u64 = 8;
/// Bits of the two last men.
const LAST_BITS: u64 = 12;

/// How the bits of a thread's number become an address: so many lowest ones stay where they are,
/// and of those below the first man's so many lower ones come last.
///
/// In KQRvKQR an address is `king, Q, R, q, r`, six bits each but for the king. A white queen moves
/// up to 134 MB far, more than a cache has. So threads go through all squares of Q and R with 256
/// words of q and r each, 8 MB, before they come to the next 256.
fn order<B: Board>(space: &Space<B>, side: usize) -> [u64; 3] {
    let bits = |stride: usize| u64::from(stride.trailing_zeros());
    let own = space.axes.iter().skip(1).filter(|axis| axis.side == side);
    let below_first = space.axes.first().map_or(0, |first| bits(first.stride));
    match own.map(|axis| bits(axis.stride)).max() {
        Some(NEAR_BITS..) if below_first > LAST_BITS => {
            [LOW_BITS, LAST_BITS - LOW_BITS, below_first - LAST_BITS]
        }
        _ => [0; 3],
    }
}

/// The table of one side's moves; nothing if addresses are not made of bits, or a man who is turned
/// with the board, or slides, has not all squares in their order.
pub(super) fn table<B: Board>(space: &Space<B>, side: usize) -> Option<Vec<u8>> {
    let squares: Vec<u8> = (0..64).collect();
    let mut lists = Lists {
        start: 8 * (HEADER + RECORD * space.axes.len()),
        bytes: Vec::new(),
    };
    let fixed = space.fixed.iter().fold(0, |all, &square| all | 1 << square);
    let moves_word = u64::from(space.word_side == side);
    let mut numbers = vec![space.axes.len() as u64, moves_word, fixed];
    numbers.extend(order(space, side));
    for (number, axis) in space.axes.iter().enumerate() {
        let has_all_squares = axis.squares == squares;
        if !axis.stride.is_power_of_two() || !(has_all_squares || number == 0) {
            return None;
        }
        let mask = if number == 0 { u64::MAX } else { 63 };
        let own_squares = lists.add(axis.squares.iter().copied());
        let (kind, forth, back) = match &axis.moves {
            _ if axis.side != side => (0, 0, 0),
            Moves::Stay => (0, 0, 0),
            Moves::Slide(_) if !has_all_squares => return None,
            Moves::Slide(lines) => {
                let directions = directions(lines).into_iter();
                (1, lists.add(directions.flat_map(u64::to_le_bytes)), 0)
            }
            Moves::Leap(targets) => (2, lists.add_lists(targets.iter().cloned()), 0),
            Moves::Turn { forth, back } => {
                let [forth, back] = [forth, back].map(|all| all.iter().map(|all| pairs(all)));
                (3, lists.add_lists(forth), lists.add_lists(back))
            }
        };
        let shift = axis.stride.trailing_zeros().into();
        numbers.extend([shift, mask, kind, own_squares, forth, back]);
    }
    let mut table: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
    table.extend(lists.bytes);
    Some(table)
}
