//! One side to move whose numbers are too many to be in memory all at once.
//!
//! A file goes through them in its own order, the solver has them by address. So indices are
//! gathered: all addresses with the white king on one square are laid out, whatever of them is
//! wanted is copied to where it stands in the order, and so on through his ten squares. What is
//! wanted is a *window* of the file that is written next, or the sample that many orders are
//! compared in.
//!
//! Of KQRvKQR, distances to zeroing are 72 bytes for each of 167.8 million words, 12 GB. A third of
//! them as a window and a tenth laid out are 5.2 GB, less than the solver needs; for that the values
//! of each slab are made three times instead of once.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::addressing::{BLACK_KING, FastestMan, Row};
use super::laid_out::{LaidOut, PartOfRow};
use super::rows::{Numbers, Rows, put_bits};
use super::side::Side;
use super::windows::{bytes_of_word, windows};
use crate::chess::index::{Order, WHITE_KING};
use crate::parallel;
use crate::table::ValueSource;

/// Indices of a gathered range that a thread copies at a time.
const PIECE: usize = 1 << 18;

/// What may stand at consecutive indices in an order.
#[derive(Debug)]
pub(super) struct Gathered {
    order: Order,
    indices: Range<u64>,
    rows: Rows,
}

impl Gathered {
    /// Nothing is there yet.
    fn new(side: &Side<'_>, order: &Order, indices: Range<u64>) -> Gathered {
        let len = (indices.end - indices.start) as usize;
        Gathered {
            order: *order,
            indices,
            rows: Rows::new(&side.numbers, len),
        }
    }

    /// Whether it has some indices in an order.
    fn has(&self, order: &Order, indices: &Range<u64>) -> bool {
        self.indices.start <= indices.start
            && indices.end <= self.indices.end
            && self.order.dimensions() == order.dimensions()
    }

    /// Writes the numbers of indices that it has.
    fn fill(&self, side: &Side<'_>, start: u64, out: &mut [u8]) {
        let first = self.indices.start;
        side.fill(start, out, |runs, _, indices| {
            let places = indices.start - first..indices.end - first;
            runs.push(&self.rows, places.start as usize..places.end as usize);
        });
    }

    /// The squares of the white king, by number, that its indices have.
    fn white_kings(&self, side: &Side<'_>) -> Range<u32> {
        let mut dimensions = self.order.dimensions().iter();
        let is_slowest = dimensions.find(|&&dimension| side.space.radix(dimension.into()) > 1)
            == Some(&(WHITE_KING as u8));
        match is_slowest {
            true => {
                let king = |index: u64| self.order.digits(index)[WHITE_KING];
                king(self.indices.start)..king(self.indices.end.saturating_sub(1)) + 1
            }
            false => 0..side.space.radix(WHITE_KING),
        }
    }

    fn pieces<'a>(&'a mut self, numbers: &'a Numbers) -> impl Iterator<Item = Piece<'a>> {
        let sets = self.rows.sets.chunks_mut(PIECE / 64 * numbers.sets());
        let mut bytes = self.rows.bytes.chunks_mut(PIECE);
        let (order, end) = (&self.order, self.indices.end);
        (self.indices.clone().step_by(PIECE).zip(sets)).map(move |(start, sets)| Piece {
            numbers,
            order,
            start,
            len: (end - start).min(PIECE as u64) as usize,
            sets,
            bytes: bytes.next().unwrap_or_default(),
        })
    }
}

/// A piece of a gathered range.
struct Piece<'a> {
    numbers: &'a Numbers,
    order: &'a Order,
    start: u64,
    len: usize,
    sets: &'a mut [u64],
    bytes: &'a mut [u8],
}

impl Piece<'_> {
    /// Copies what a part has of it.
    fn copy(&mut self, side: &Side<'_>, part: &LaidOut) {
        let fastest = self.order.dimensions().last();
        let fastest = fastest.map_or(BLACK_KING, |&dimension| usize::from(dimension));
        let (order, start, len) = (self.order, self.start, self.len);
        let is_in_one_place = part.along.is_some() || fastest == BLACK_KING;
        let addresses = part.addresses();
        let mut at = 0;
        for row in side.rows(order, start, len) {
            if !is_in_one_place {
                self.copy_one_by_one(side, part, (&row, fastest), at);
            } else if addresses.contains(&row.address) {
                self.copy_row(side, part, (&row, fastest), at);
            }
            at += row.digits.len();
        }
    }

    /// Copies a row that is in one place.
    fn copy_row(
        &mut self,
        side: &Side<'_>,
        part: &LaidOut,
        (row, fastest): (&Row, usize),
        mut at: usize,
    ) {
        let count = self.numbers.sets();
        let part_of = |digit| side.addressing.part(fastest, digit);
        part.push_row(row, part_of, |part| {
            let PartOfRow {
                sets,
                shift,
                len,
                bytes,
            } = part;
            let kept = u64::MAX >> (64 - len);
            for (number, set) in sets.iter().enumerate() {
                put_bits(&mut self.sets[number..], count, at, set >> shift & kept);
            }
            if !bytes.is_empty() {
                self.bytes[at..at + len].copy_from_slice(bytes);
            }
            at += len;
        });
    }

    /// Copies what a part that is not turned has of a row.
    fn copy_one_by_one(
        &mut self,
        side: &Side<'_>,
        part: &LaidOut,
        (row, fastest): (&Row, usize),
        at: usize,
    ) {
        let count = self.numbers.sets();
        let digits = row.digits.start as usize..row.digits.end as usize;
        let parts = side.addressing.parts_of(fastest, digits);
        let addresses = part.addresses();
        for (at, part_of_digit) in (at..).zip(parts) {
            let address = row.address + part_of_digit;
            if !addresses.contains(&address) {
                continue;
            }
            let (place, king) = (address - part.first, row.black_king);
            for number in 0..count {
                let bit = part.sets[place * count + number] >> king & 1;
                self.sets[at / 64 * count + number] |= bit << (at % 64);
            }
            if let Some(byte) = self.bytes.get_mut(at) {
                *byte = part.bytes[place * 64 + king as usize];
            }
        }
    }
}

/// Fills what is wanted, part by part; `along` is the man that rows are turned along. What went
/// wrong the slices know.
fn gather(side: &Side<'_>, wanted: &mut [Gathered], along: Option<FastestMan>) {
    let kings = side.space.radix(WHITE_KING);
    let words = side.addressing.words() / kings as usize;
    let mut spare = None;
    for king in 0..kings {
        let has_king = |wanted: &Gathered| wanted.white_kings(side).contains(&king);
        if !wanted.iter().any(has_king) {
            continue;
        }
        let first = king as usize * words;
        let addresses = first..first + words;
        let (slices, numbers) = (side.slices, &side.numbers);
        let part = slices.part(side.side, numbers, side.addressing, addresses, spare);
        let Some(mut part) = part else {
            return;
        };
        part.turn(along);
        let pieces = wanted
            .iter_mut()
            .flat_map(|wanted| wanted.pieces(&side.numbers));
        parallel::each_item(pieces.collect::<Vec<_>>(), |_, mut piece| {
            piece.copy(side, &part);
        });
        spare = Some(part);
    }
}

/// What is at hand of some orders: samples that were gathered together, or a window.
#[derive(Debug, Default)]
pub(super) struct Samples {
    gathered: RwLock<Vec<Gathered>>,
}

impl Samples {
    fn gathered(&self) -> RwLockReadGuard<'_, Vec<Gathered>> {
        self.gathered.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gathers some indices in each of some orders, whose rows are turned along a man, and forgets
    /// others.
    pub fn gather(
        &self,
        side: &Side<'_>,
        wanted: &[(Order, Vec<Range<u64>>)],
        along: Option<FastestMan>,
    ) {
        let empty = |(order, ranges): &(Order, Vec<Range<u64>>)| {
            let order = *order;
            let ranges = ranges.clone().into_iter();
            ranges.map(move |indices| Gathered::new(side, &order, indices))
        };
        let mut gathered = (self.gathered.write()).unwrap_or_else(PoisonError::into_inner);
        // What is not wanted any more goes before more is made.
        gathered.clear();
        gathered.extend(wanted.iter().flat_map(empty));
        gather(side, &mut gathered, along);
    }

    /// Writes the numbers of indices in an order. What was not gathered before is for this alone.
    pub fn fill(&self, side: &Side<'_>, order: &Order, start: u64, out: &mut [u8]) {
        let indices = start..start + out.len() as u64;
        let gathered = self.gathered();
        match gathered.iter().find(|some| some.has(order, &indices)) {
            Some(some) => some.fill(side, start, out),
            None => {
                let mut some = [Gathered::new(side, order, indices)];
                gather(side, &mut some, None);
                some[0].fill(side, start, out);
            }
        }
    }
}

/// The numbers of one side to move in one order, a window at a time.
pub(super) struct WindowSource<'a> {
    side: &'a Side<'a>,
    order: Order,
    along: Option<FastestMan>,
    /// Indices of a window, at least.
    len: u64,
    window: Samples,
}

impl<'a> WindowSource<'a> {
    pub fn new(side: &'a Side<'a>, order: &Order) -> WindowSource<'a> {
        let fastest = order.dimensions().last().map(|&fastest| fastest.into());
        let windows = windows(bytes_of_word(&side.numbers));
        WindowSource {
            along: fastest.and_then(|fastest| side.addressing.fastest_man(fastest)),
            order: *order,
            len: side.space.len().div_ceil(windows),
            side,
            window: Samples::default(),
        }
    }
}

impl ValueSource for WindowSource<'_> {
    fn prepare(&self, start: u64, end: u64) {
        let is_there = |window: &Gathered| window.has(&self.order, &(start..end));
        if start == end || self.window.gathered().iter().any(is_there) {
            return;
        }
        // A window begins with what is wanted together. So that there are no more windows than
        // planned, it is as much longer as the last one may have left out.
        let indices = start..(start + self.len + (end - start)).min(self.side.space.len());
        let wanted = [(self.order, vec![indices])];
        self.window.gather(self.side, &wanted, self.along);
    }

    fn fill(&self, start: u64, out: &mut [u8]) {
        self.window.fill(self.side, &self.order, start, out);
    }
}
