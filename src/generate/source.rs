//! One side of one metric of a solved material as the numbers of a file.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use arrayvec::ArrayVec;

use super::addressing::{BLACK_KING, FastestMan, FileOrder};
use super::by_king::ByKing;
use super::by_parts::Samples;
use super::choose::Ordered;
use super::gather::Gather;
use super::laid_out::{LaidOut, PartOfRow};
use super::rows::{Rows, WithSets};
use super::runs::Runs;
use super::side::Side;
use super::slices::LentValues;
use crate::chess::index::Order;
use crate::parallel;
use crate::simd::Width;
use crate::table::{Plane, ValueSource};

impl Ordered for Side<'_> {
    type Order = Order;
    type Slices<'a>
        = SampledSlices<'a>
    where
        Self: 'a;

    fn number(&self) -> u8 {
        self.side as u8
    }

    fn plane(&self) -> Plane {
        self.plane
    }

    fn present(&self) -> [bool; 256] {
        self.present
    }

    fn len(&self) -> u64 {
        self.space.len()
    }

    fn slices(&self) -> u64 {
        self.slices.count() as u64
    }

    fn orders(&self) -> Vec<Order> {
        let mut orders = self.space.all_orders();
        // Where the black king is the third, one plane of words has many blocks.
        let third = |order: &Order| order.dimensions().iter().rev().nth(2).copied();
        orders.sort_by_key(|order| third(order) != Some(BLACK_KING as u8));
        orders
    }

    fn dimensions(order: &Order) -> &[u8] {
        order.dimensions()
    }

    fn radix(&self, dimension: u8) -> u64 {
        self.space.radix(dimension.into()).into()
    }

    fn prepare(&self, slices: &SampledSlices<'_>, wanted: &[(Order, Vec<Range<u64>>)]) {
        match self.is_in_parts() {
            true => slices.samples.gather(self, wanted, None),
            false => Side::prepare(self, None),
        }
    }

    fn is_prepared(&self) -> bool {
        let laid_out = || self.slices.laid_out(self.side, &self.numbers);
        !self.slices.is_laid_out() || laid_out().is_some_and(|laid_out| laid_out.along.is_none())
    }

    fn sampled(&self, slices: &[usize]) -> SampledSlices<'_> {
        SampledSlices::new(self, slices)
    }

    fn source<'s, 'a: 's>(slices: &'s SampledSlices<'a>, order: &Order) -> impl ValueSource + 's
    where
        Self: 'a,
    {
        slices.in_order(*order)
    }
}

/// Slices of one stream that are in the order of its file, and rows that were needed before: memory
/// that is used again costs less than memory from the system.
#[derive(Default)]
pub(super) struct Window {
    /// Which stream.
    stream: usize,
    /// Consecutive slices.
    slices: Vec<(usize, Arc<Rows>)>,
    spare: Vec<Rows>,
}

impl Window {
    /// Keeps only some slices of a stream.
    fn keep(&mut self, stream: usize, slices: &Range<usize>) {
        let is_kept = |number: usize| self.stream == stream && slices.contains(&number);
        let (kept, old) = (self.slices.drain(..)).partition(|&(number, _)| is_kept(number));
        self.stream = stream;
        self.slices = kept;
        let old: Vec<(usize, Arc<Rows>)> = old;
        let spare = old
            .into_iter()
            .filter_map(|(_, rows)| Arc::into_inner(rows));
        self.spare.extend(spare);
    }
}

/// The numbers of one side to move in one order. Whole slices are put into that order when the
/// first of their indices is wanted, and kept until indices of later slices, or of another stream,
/// are.
pub(super) struct SideSource<'a> {
    side: &'a Side<'a>,
    file_order: FileOrder,
    /// Which stream of the file.
    stream: usize,
    window: &'a RwLock<Window>,
}

impl<'a> SideSource<'a> {
    /// A stream of a file; its streams share a window, since they are wanted one after the other.
    pub fn new(
        side: &'a Side<'a>,
        order: &Order,
        stream: usize,
        window: &'a RwLock<Window>,
    ) -> SideSource<'a> {
        SideSource {
            side,
            file_order: FileOrder::new(side.addressing, order),
            stream,
            window,
        }
    }

    fn window(&self) -> RwLockWriteGuard<'_, Window> {
        self.window.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn in_window(&self, slice: usize) -> Option<Arc<Rows>> {
        let window = self.window.read().unwrap_or_else(PoisonError::into_inner);
        if window.stream != self.stream {
            return None;
        }
        let mut slices = window.slices.iter();
        let (_, rows) = slices.find(|&&(number, _)| number == slice)?;
        Some(Arc::clone(rows))
    }

    fn load(&self, slice: usize) -> Arc<Rows> {
        let Side {
            numbers,
            addressing,
            ..
        } = self.side;
        let values = self.side.values(slice);
        let spare = self.window().spare.pop().unwrap_or_default();
        Arc::new(Rows::of_slice(
            numbers,
            &values,
            addressing,
            &self.file_order,
            spare,
        ))
    }
}

impl ValueSource for SideSource<'_> {
    fn prepare(&self, start: u64, end: u64) {
        let slice_len = self.side.slice_len();
        let slices = (start / slice_len) as usize..end.div_ceil(slice_len) as usize;
        // What is not wanted any more goes before more is loaded.
        self.window().keep(self.stream, &slices);
        let loaded = parallel::map_items(slices, |_, slice| {
            let rows = self.in_window(slice).unwrap_or_else(|| self.load(slice));
            (slice, rows)
        });
        let mut window = self.window();
        window.slices = loaded;
        // One is enough to go on with the next slice, and two slices are at hand at the end of one.
        let enough = usize::from(window.slices.len() == 1);
        window.spare.truncate(enough);
    }

    fn fill(&self, start: u64, out: &mut [u8]) {
        self.side.fill(start, out, |runs, slice, indices| {
            let rows = self.in_window(slice).unwrap_or_else(|| self.load(slice));
            runs.push(&rows, indices.start as usize..indices.end as usize);
        });
    }
}

/// Some slices of one side to move, in the solver's layout: for looking at a few indices in many
/// orders.
pub(super) struct SampledSlices<'a> {
    side: &'a Side<'a>,
    slices: Vec<SampledSlice<'a>>,
    /// What is looked at of a side that is in memory in parts only.
    samples: Samples,
}

struct SampledSlice<'a> {
    number: usize,
    /// For each word what [`Numbers::sets_at`] says.
    sets: Vec<u64>,
    /// The same turned, of results: of each number more are looked at than of distances, as a block
    /// has more.
    by_king: Option<ByKing>,
    /// The solver's bytes; empty for results.
    bytes: Cow<'a, [u8]>,
}

/// The sets and bytes of a slice, wherever they are.
enum Looked<'a> {
    Sampled(&'a SampledSlice<'a>),
    LaidOut(Arc<LaidOut>),
}

impl Looked<'_> {
    fn sets(&self) -> &[u64] {
        match self {
            Looked::Sampled(slice) => &slice.sets,
            Looked::LaidOut(slice) => &slice.sets,
        }
    }

    fn by_king(&self) -> Option<&ByKing> {
        match self {
            Looked::Sampled(slice) => slice.by_king.as_ref(),
            Looked::LaidOut(_) => None,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Looked::Sampled(slice) => &slice.bytes,
            Looked::LaidOut(slice) => &slice.bytes,
        }
    }
}

impl<'a> SampledSlices<'a> {
    pub fn new(side: &'a Side<'a>, numbers: &[usize]) -> SampledSlices<'a> {
        let sampled = |&number: &usize| {
            let values = side.values(number);
            let sets = side.numbers.sets_of_slice(&values, side.addressing);
            let count = side.numbers.sets();
            SampledSlice {
                number,
                by_king: (!side.numbers.has_bytes()).then(|| ByKing::new(&sets, count)),
                sets,
                // All else that was brought back is not needed any more.
                bytes: match values {
                    LentValues::Kept(values) => side.numbers.bytes(values),
                    LentValues::Restored(values) => Cow::Owned(match Arc::try_unwrap(values) {
                        Ok(values) => side.numbers.take_bytes(values),
                        Err(values) => side.numbers.bytes(&values).into_owned(),
                    }),
                },
            }
        };
        let slices = match side.slices.is_laid_out() {
            true => Vec::new(),
            false => parallel::map_items(numbers, |_, number| sampled(number)),
        };
        SampledSlices {
            side,
            slices,
            samples: Samples::default(),
        }
    }

    fn look(&self, number: usize) -> Option<Looked<'_>> {
        let Side {
            slices,
            side,
            numbers,
            ..
        } = self.side;
        let mut sampled = self.slices.iter();
        match sampled.find(|slice| slice.number == number) {
            Some(slice) => Some(Looked::Sampled(slice)),
            None => slices
                .laid_out(*side, numbers)
                .filter(|slice| slice.along.is_none())
                .map(Looked::LaidOut),
        }
    }

    /// The sampled slices' indices in an order; no others may be asked for.
    pub fn in_order(&self, order: Order) -> SampleSource<'_> {
        SampleSource {
            sampled: self,
            order,
        }
    }
}

/// The numbers of sampled slices in one order.
pub(super) struct SampleSource<'a> {
    sampled: &'a SampledSlices<'a>,
    order: Order,
}

impl<'a> SampleSource<'a> {
    /// What may stand at `len` indices of a slice.
    fn rows(&self, slice: &Looked<'_>, start: u64, len: usize) -> Rows {
        Width::widest().run(WithSets(Gather {
            side: self.sampled.side,
            order: &self.order,
            sets: slice.sets(),
            by_king: slice.by_king(),
            bytes: slice.bytes(),
            start,
            len,
        }))
    }
}

impl ValueSource for SampleSource<'_> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        let side = self.sampled.side;
        if side.is_in_parts() {
            self.sampled.samples.fill(side, &self.order, start, out);
            return;
        }
        side.fill(start, out, |runs, number, indices| {
            let len = (indices.end - indices.start) as usize;
            let rows = match self.sampled.look(number) {
                Some(slice) => self.rows(&slice, indices.start, len),
                None => Rows::new(&side.numbers, len),
            };
            runs.push(&rows, 0..len);
        });
    }
}

/// Parts of rows that are asked for at a time. In memory rows that follow each other in a file are
/// far apart, so each is waited for; those of a few parts come side by side.
const PARTS_AT_A_TIME: usize = 32;

fn push_parts(parts: &mut ArrayVec<PartOfRow<'_>, PARTS_AT_A_TIME>, runs: &mut Runs<'_>) {
    let touched = parts.iter().fold(0, |all, part| all ^ part.touch());
    // Nobody wants to know what is there, but it has to be looked at.
    std::hint::black_box(touched);
    for part in parts.drain(..) {
        runs.push_word(part.sets, part.shift, part.len, part.bytes);
    }
}

/// The numbers of a laid out side in one order, turned when they are wanted.
pub(super) struct LaidOutSource<'a> {
    sample: SampleSource<'a>,
    /// The fastest dimension.
    fastest: usize,
    along: Option<FastestMan>,
}

impl<'a> LaidOutSource<'a> {
    pub fn new(sample: SampleSource<'a>) -> LaidOutSource<'a> {
        let fastest = sample.order.dimensions().last();
        let fastest = fastest.map_or(BLACK_KING, |&dimension| usize::from(dimension));
        LaidOutSource {
            along: sample.sampled.side.addressing.fastest_man(fastest),
            fastest,
            sample,
        }
    }

    /// All numbers of the side, if a row is in one place.
    fn turned(&self) -> Option<Arc<LaidOut>> {
        let side = self.sample.sampled.side;
        let has_rows = self.along.is_some() || self.fastest == BLACK_KING;
        let laid_out = side.slices.laid_out(side.side, &side.numbers)?;
        (has_rows && laid_out.along == self.along).then_some(laid_out)
    }
}

impl ValueSource for LaidOutSource<'_> {
    fn prepare(&self, _: u64, _: u64) {
        self.sample.sampled.side.prepare(self.along);
    }

    fn fill(&self, start: u64, out: &mut [u8]) {
        let Some(laid_out) = self.turned() else {
            self.sample.fill(start, out);
            return;
        };
        let side = self.sample.sampled.side;
        side.fill(start, out, |runs, _, indices| {
            let len = (indices.end - indices.start) as usize;
            let part = |digit| side.addressing.part(self.fastest, digit);
            let mut parts: ArrayVec<PartOfRow<'_>, PARTS_AT_A_TIME> = ArrayVec::new();
            for row in side.rows(&self.sample.order, indices.start, len) {
                laid_out.push_row(&row, part, |part| {
                    parts.push(part);
                    if parts.is_full() {
                        push_parts(&mut parts, runs);
                    }
                });
            }
            push_parts(&mut parts, runs);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::index::IndexSpace;
    use crate::chess::solve::solved::{SideValues, Solved};
    use crate::generate::addressing::Addressing;
    use crate::generate::rows::Numbers;
    use crate::metric::Metric;
    use crate::table::Plane;

    /// Values without any pattern.
    fn random(words: usize, random: &mut fastrand::Rng) -> SideValues {
        let mut values = SideValues::undecided(words);
        for address in 0..words {
            let [legal, decided, won, free] = std::array::from_fn(|_| random.u64(..));
            values.legal[address] = legal;
            values.decided[0][address] = legal & decided & !won;
            values.decided[4][address] = legal & decided & won;
            values.own.wdl_by_conversion[address] = legal & free;
            values.own.won_by_zeroing[address] = legal & decided & won & free;
            values.own.dtm_by_conversion[address] = legal & free >> 1;
        }
        random.fill(&mut values.own.dtz);
        random.fill(values.dtm.bytes_mut());
        values
    }

    #[test]
    fn turned_and_gathered_rows_are_those_of_the_words() {
        let mut rng = fastrand::Rng::with_seed(11);
        for signature in ["KQvKR", "KRRvK", "KPvK"] {
            let solved = Solved::new(signature.parse().unwrap());
            let space = IndexSpace::new(solved.material);
            let addressing = Addressing::new(&space);
            for slice in &solved.slices {
                let values = [0, 1].map(|_| random(addressing.words(), &mut rng));
                slice.set(values).unwrap();
            }
            for (metric, numbers) in [
                (Metric::Wdl, Numbers::Results(vec![2])),
                (Metric::Wdl, Numbers::Results(vec![0, 2, 4])),
                (Metric::Wdl, Numbers::Results(vec![0, 1, 2, 3, 4])),
                (Metric::Dtz, Numbers::ToZeroing(Plane::Low)),
                (Metric::Dtm, Numbers::ToMate),
            ] {
                let side = Side {
                    slices: &solved,
                    space: &space,
                    addressing: &addressing,
                    side: 0,
                    metric,
                    plane: Plane::Low,
                    numbers,
                    present: [true; 256],
                    filler: 0,
                };
                let number = solved.slices.len() / 2;
                let sampled = side.sampled(&[number]);
                for order in space.all_orders() {
                    check(&side, &sampled, number, order);
                }
            }
        }
    }

    fn check(side: &Side<'_>, sampled: &SampledSlices<'_>, number: usize, order: Order) {
        let values = side.values(number);
        let addressing = side.addressing;
        let (count, len) = (side.numbers.sets(), side.slice_len() as usize);
        let file_order = FileOrder::new(addressing, &order);
        // What was there before leaves nothing behind.
        let spare = Rows {
            sets: vec![!0; 1000],
            bytes: vec![9; 2 * len],
        };
        let turned = Rows::of_slice(&side.numbers, &values, addressing, &file_order, spare);
        let source = sampled.in_order(order);
        let slice = sampled.look(number).unwrap();
        let tested = len.min(3000);
        for start in [0, (len - tested) / 3, len - tested] {
            let gathered = source.rows(&slice, start as u64, tested);
            for place in 0..tested {
                let index = start + place;
                let digits = order.digits(index as u64);
                let parts = order.dimensions().iter().map(|&dimension| {
                    addressing.part(dimension.into(), digits[usize::from(dimension)])
                });
                let address = parts.sum::<usize>();
                let king = digits[BLACK_KING] as usize;
                let held = addressing.held(address);
                let sets = side.numbers.sets_at(&values, address, held);
                for (set, &expected) in sets[..count].iter().enumerate() {
                    for (rows, at) in [(&turned, index), (&gathered, place)] {
                        let word = rows.sets[at / 64 * count + set];
                        assert_eq!(word >> (at % 64) & 1, expected >> king & 1);
                    }
                }
                if side.numbers.has_bytes() {
                    let expected = side.numbers.line(&values, address)[king];
                    assert_eq!(turned.bytes[index], expected);
                    assert_eq!(gathered.bytes[place], expected);
                }
            }
        }
    }
}
