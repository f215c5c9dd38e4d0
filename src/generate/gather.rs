//! What may stand at a few consecutive indices of a slice that is in the solver's layout, in any
//! order of the dimensions: for samples.
//!
//! An index is one bit of a word, and the words of consecutive indices lie so far apart that they
//! take the place of each other in a cache. Where the black king is one of the next faster
//! dimensions the same words are wanted for his next square, so they are put together first.

use super::addressing::BLACK_KING;
use super::by_king::ByKing;
use super::rows::{BySets, Numbers, Rows, put_bits};
use super::side::Side;
use crate::chess::index::Order;
use crate::transpose::transpose_words;

/// The indices of a slice in an order.
pub(super) struct Gather<'a> {
    pub side: &'a Side<'a>,
    pub order: &'a Order,
    /// For each word what [`Numbers::sets_at`](super::rows::Numbers::sets_at) says.
    pub sets: &'a [u64],
    /// The same turned, if they were.
    pub by_king: Option<&'a ByKing>,
    /// The solver's bytes; empty for results.
    pub bytes: &'a [u8],
    /// The first index.
    pub start: u64,
    /// How many.
    pub len: usize,
}

/// Words that are put together, at most: what stays in a near cache.
const MOST_WORDS: usize = 1 << 12;

/// Words, and lines of bytes; no lines for results.
type SetsAndLines<'a, const SETS: usize> = (&'a [[u64; SETS]], &'a [[u8; 64]]);

/// The sets of up to 64 words, turned: of each set a word for each square of the black king.
type Columns<const SETS: usize> = [[u64; 64]; SETS];

/// The sets, and where bytes are wanted lines, of some rows.
struct Tiles<const SETS: usize> {
    /// The address of the row that is there; `usize::MAX` if there is none.
    addresses: Vec<usize>,
    /// Words of a row.
    row: usize,
    /// For each 64 words of a row.
    columns: Vec<Columns<SETS>>,
    lines: Vec<[u8; 64]>,
}

impl<const SETS: usize> Tiles<SETS> {
    /// As many as there are rows until the black king takes his next square.
    fn new(gather: &Gather<'_>) -> Tiles<SETS> {
        let radix = |dimension: u8| gather.side.space.radix(dimension.into()) as usize;
        let (row, rows) = match *gather.order.dimensions() {
            [.., king, fastest] if usize::from(king) == BLACK_KING => (radix(fastest), 1),
            [.., king, second, fastest] if usize::from(king) == BLACK_KING => {
                (radix(fastest), radix(second))
            }
            _ => (0, 0),
        };
        let rows = match row * rows <= MOST_WORDS {
            true => rows,
            false => 0,
        };
        let has_lines = rows == 1 && !gather.bytes.is_empty();
        Tiles {
            addresses: vec![usize::MAX; rows],
            row,
            columns: vec![[[0; 64]; SETS]; row.div_ceil(64) * rows],
            lines: vec![[0; 64]; if has_lines { row } else { 0 }],
        }
    }

    /// The columns, and the lines if there are any, of the row with a number, at an address and
    /// what each digit adds to it.
    #[inline(always)]
    fn of_row(
        &mut self,
        number: usize,
        address: usize,
        parts: &[usize],
        (sets, lines): SetsAndLines<'_, SETS>,
    ) -> Option<(&[Columns<SETS>], &[[u8; 64]])> {
        if self.addresses.is_empty() || parts.len() != self.row {
            return None;
        }
        let slot = number % self.addresses.len();
        let chunks = self.row.div_ceil(64);
        let columns = &mut self.columns[slot * chunks..][..chunks];
        if self.addresses[slot] != address {
            self.addresses[slot] = address;
            for (columns, parts) in columns.iter_mut().zip(parts.chunks(64)) {
                for (place, &part) in parts.iter().enumerate() {
                    let words = &sets[address + part];
                    for (column, &word) in columns.iter_mut().zip(words) {
                        column[place] = word;
                    }
                }
                for column in columns {
                    // What is left there of an earlier row would come after these.
                    column[parts.len()..].fill(0);
                    transpose_words(column);
                }
            }
            for (line, &part) in self.lines.iter_mut().zip(parts) {
                *line = lines[address + part];
            }
        }
        Some((columns, &self.lines))
    }
}

/// Adds a bit of a word to those of others, set by set.
#[inline(always)]
fn add_bits<const SETS: usize>(bits: &mut [u64; SETS], sets: &[u64; SETS], bit: u32, place: usize) {
    for (bits, set) in bits.iter_mut().zip(sets) {
        *bits |= (set >> bit & 1) << place;
    }
}

/// The bits of up to 64 addresses, of which the first one lies at `start`, of one square of the
/// black king.
#[inline(always)]
fn bits_of_square<const SETS: usize>(
    words: &[[u64; SETS]],
    start: usize,
    parts: &[usize],
) -> [u64; SETS] {
    let mut bits = [0; SETS];
    for (place, &part) in parts.iter().enumerate() {
        let address = start + part;
        add_bits(
            &mut bits,
            &words[address / 64],
            (address % 64) as u32,
            place,
        );
    }
    bits
}

/// Adds up to 64 indices to each set of some rows.
#[inline(always)]
fn put<const SETS: usize>(sets: &mut [u64], start: usize, bits: [u64; SETS]) {
    for (number, bits) in bits.into_iter().enumerate() {
        put_bits(&mut sets[number..], SETS, start, bits);
    }
}

impl BySets for Gather<'_> {
    type Output = Rows;

    #[inline(always)]
    fn numbers(&self) -> &Numbers {
        &self.side.numbers
    }

    #[inline(always)]
    fn run<const SETS: usize>(self) -> Rows {
        let addressing = self.side.addressing;
        let sets = self.sets.as_chunks::<SETS>().0;
        let lines = self.bytes.as_chunks::<64>().0;
        let mut rows = Rows::new(&self.side.numbers, self.len);
        let mut tiles = Tiles::<SETS>::new(&self);
        let fastest = self.order.dimensions().last();
        let fastest = fastest.map_or(BLACK_KING, |&dimension| usize::from(dimension));
        let mut done = 0;
        let all = self.side.rows(self.order, self.start, self.len);
        for (number, row) in all.enumerate() {
            let digits = row.digits.start as usize..row.digits.end as usize;
            if fastest == BLACK_KING {
                let (address, first) = (row.address, digits.start);
                let kept = u64::MAX >> (64 - digits.len());
                let mut bits = sets[address];
                for set in &mut bits {
                    *set = *set >> first & kept;
                }
                put(&mut rows.sets, done, bits);
                if !lines.is_empty() {
                    let out = rows.bytes[done..].iter_mut();
                    for (out, &byte) in out.zip(&lines[address][digits.clone()]) {
                        *out = byte;
                    }
                }
                done += digits.len();
                continue;
            }
            let king = row.black_king;
            let parts = addressing.parts_of(fastest, digits);
            let of_square = self.by_king.map(|turned| turned.of_square::<SETS>(king));
            let known = tiles.of_row(number, row.address, parts, (sets, lines));
            let (known_columns, known_lines) = known.unwrap_or_default();
            for (chunk, parts) in parts.chunks(64).enumerate() {
                let mut bits = [0; SETS];
                match (known_columns.get(chunk), of_square) {
                    (Some(columns), _) => {
                        for (bits, column) in bits.iter_mut().zip(columns) {
                            *bits = column[king as usize % 64];
                        }
                    }
                    (None, Some(words)) => bits = bits_of_square(words, row.address, parts),
                    (None, None) => {
                        for (place, &part) in parts.iter().enumerate() {
                            let sets = &sets[row.address + part];
                            add_bits(&mut bits, sets, king, place);
                        }
                    }
                }
                put(&mut rows.sets, done, bits);
                if !lines.is_empty() {
                    let out = rows.bytes[done..].iter_mut();
                    match known_lines.get(chunk * 64..chunk * 64 + parts.len()) {
                        Some(lines) => {
                            for (out, line) in out.zip(lines) {
                                *out = line[king as usize % 64];
                            }
                        }
                        None => {
                            for (out, &part) in out.zip(parts) {
                                *out = lines[row.address + part][king as usize % 64];
                            }
                        }
                    }
                }
                done += parts.len();
            }
        }
        rows
    }
}
