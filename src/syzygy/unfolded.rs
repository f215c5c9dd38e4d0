//! Small tables of results, decoded as a whole.
//!
//! A probe of five men looks at captures, so it asks the tables of four men as often as its own, and most of those are small: of a
//! material without pawns there are two million placements up to symmetry. With two bits for each of them an answer takes one look into
//! memory, and neighbours in the index, which searches ask for together, share a line of the processor's cache.
//!
//! To decode such a table takes some milliseconds. So it is done when somebody asked for it often, or said that he will: see
//! [`Tablebase::prefetch`](crate::Tablebase::prefetch).

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::layout::{Coded, Content, Layout};
use super::sequence::Sequence;
use super::table::Table;
use crate::Error;
use crate::metric::{Metric, Wdl};

/// After so many answers from its blocks a table is unfolded.
const MANY: u32 = 4096;

/// A larger table is not unfolded unless somebody says so: it would take longer than a search can wait.
const LARGEST: usize = 8 << 20;

/// Results that are decoded at a time, about.
const PIECE: usize = 1 << 20;

/// Bytes of memory for unfolded tables.
#[derive(Debug)]
pub(crate) struct Room {
    bytes: usize,
    left: AtomicUsize,
}

impl Room {
    /// Nobody has taken any of it yet.
    pub fn new(bytes: usize) -> Room {
        Room {
            bytes,
            left: AtomicUsize::new(bytes),
        }
    }

    /// Bytes that are taken.
    pub fn taken(&self) -> usize {
        self.bytes - self.left.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let left = |left: usize| left.checked_sub(bytes);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        taken.is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// All results of a stream, side by side.
#[derive(Debug)]
pub(super) struct Unfolded {
    bytes: Box<[u8]>,
    density: Density,
    /// What the bits of a result stand for.
    results: [u8; 1 << Density::MOST_BITS],
}

/// How many results a byte has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Density {
    /// The binary logarithm.
    log: u32,
}

impl Density {
    const MOST_BITS: u32 = 4;

    /// For so many different ones.
    fn of(results: u32) -> Density {
        Density {
            log: if results <= 4 { 2 } else { 1 },
        }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u8::BITS >> self.log
    }

    fn results(self) -> usize {
        1 << self.log
    }

    /// Bytes for so many results.
    fn bytes(self, results: u64) -> usize {
        usize::try_from(results.div_ceil(self.results() as u64)).unwrap_or(usize::MAX)
    }
}

impl Unfolded {
    /// Those of a sequence that has no others than a set of them.
    fn new(sequence: &Sequence<'_>, set: u8) -> Result<Unfolded, Error> {
        let density = Density::of(set.count_ones());
        let mut results = [0; 1 << Density::MOST_BITS];
        let mut codes = [0; u8::BITS as usize];
        let known = (0..u8::BITS as u8).filter(|result| set >> result & 1 != 0);
        for (code, result) in known.enumerate() {
            results[code] = result;
            codes[usize::from(result)] = code as u8;
        }
        let pack = |results: &[u8]| {
            let codes = results.iter().map(|&result| codes[usize::from(result & 7)]);
            codes
                .rev()
                .fold(0, |byte, code| byte << density.bits() | code)
        };
        let mut bytes = Vec::with_capacity(density.bytes(sequence.len()));
        // A piece may end within a byte; what is left waits for the next one.
        let mut piece = Vec::new();
        let mut start = 0;
        for end in sequence.ends(PIECE) {
            let waiting = piece.len();
            piece.resize(waiting + end - start, 0);
            sequence.decode(start, &mut piece[waiting..])?;
            let whole = piece.len() - piece.len() % density.results();
            bytes.extend(piece[..whole].chunks_exact(density.results()).map(pack));
            piece.drain(..whole);
            start = end;
        }
        bytes.extend(piece.chunks(density.results()).map(pack));
        Ok(Unfolded {
            bytes: bytes.into(),
            density,
            results,
        })
    }

    /// The result with an index, if there is one.
    #[inline]
    pub fn result(&self, index: u64) -> Option<u16> {
        let byte = *self.bytes.get((index >> self.density.log) as usize)?;
        let place = index as u32 & ((1 << self.density.log) - 1);
        let bits = self.density.bits();
        let code = byte >> (bits * place) & ((1 << bits) - 1);
        Some(self.results[usize::from(code)].into())
    }
}

/// Whether a table should be unfolded, and whether it is.
#[derive(Debug)]
pub(super) struct Unfolding {
    /// How often somebody asked, up to [`MANY`]; as often from the beginning if it is not to be unfolded for that.
    asked: AtomicU32,
    /// Held by the thread that decodes.
    is_done: Mutex<bool>,
}

impl Unfolding {
    pub fn new(layout: &Layout, metric: Metric) -> Unfolding {
        let is_small = most_bytes(layout) <= LARGEST;
        let asked = if is_small && metric == Metric::Wdl {
            0
        } else {
            MANY
        };
        Unfolding {
            asked: AtomicU32::new(asked),
            is_done: Mutex::new(false),
        }
    }

    /// Somebody asked; whether it is time to unfold the table, which one is told once.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.asked.load(Ordering::Relaxed) < MANY && self.count()
    }

    #[cold]
    fn count(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 == MANY
    }
}

/// Bytes that all results take, at most.
fn most_bytes(layout: &Layout) -> usize {
    let least_dense = Density::of(u32::MAX);
    let streams = layout.streams.iter().map(|stream| match stream.content {
        Content::Single(_) => 0,
        Content::Coded(_) => least_dense.bytes(stream.encoder.len()),
    });
    streams.fold(0, usize::saturating_add)
}

/// Which results a stream may have, a bit for each; nothing if there are values that are no results.
fn set_of_results(coded: &Coded) -> Option<u8> {
    let mut values = coded.pairs.values();
    values.try_fold(0, |set, value| {
        Wdl::from_index(value.into()).map(|wdl| set | 1 << wdl.index())
    })
}

impl Table {
    /// Decodes all results and keeps them, if they take no more than so many bytes: two bits each, or four if there are more than four
    /// different ones. Whether they are kept now. It takes about a nanosecond for each; probes are several times as fast afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file is damaged or cannot be read. Nothing is kept then, and probes find what can be found.
    pub fn unfold(&self, bytes: usize) -> Result<bool, Error> {
        self.unfold_into(&Room::new(bytes))
    }

    /// The same if there is room. If another thread is at it, this one waits.
    pub(crate) fn unfold_into(&self, room: &Room) -> Result<bool, Error> {
        let is_done = self.unfolding.is_done.lock();
        let mut is_done = is_done.unwrap_or_else(PoisonError::into_inner);
        if !*is_done {
            *is_done = self.unfold_streams(room)?;
        }
        Ok(*is_done)
    }

    /// The same, unless another thread is at it. What is damaged is an error of the probes that meet it.
    #[cold]
    pub(super) fn try_to_unfold_into(&self, room: &Room) {
        if let Ok(mut is_done) = self.unfolding.is_done.try_lock()
            && !*is_done
        {
            *is_done = self.unfold_streams(room).unwrap_or(false);
        }
    }

    fn unfold_streams(&self, room: &Room) -> Result<bool, Error> {
        if self.metric() != Metric::Wdl {
            return Ok(false);
        }
        let mut streams = Vec::new();
        let mut bytes = 0usize;
        for (number, stream) in self.layout.streams.iter().enumerate() {
            let Content::Coded(coded) = &stream.content else {
                continue;
            };
            // Of a damaged file some are none. A probe says so if it meets them.
            let Some(set) = set_of_results(coded) else {
                return Ok(false);
            };
            let density = Density::of(set.count_ones());
            bytes = bytes.saturating_add(density.bytes(stream.encoder.len()));
            streams.push((number, coded, set));
        }
        if !room.take(bytes) {
            return Ok(false);
        }
        let unfolded: Result<Vec<Unfolded>, Error> = streams
            .iter()
            .map(|&(number, _, set)| Unfolded::new(&Sequence::new(self, number)?, set))
            .collect();
        let unfolded = unfolded.inspect_err(|_| room.give_back(bytes))?;
        for ((_, coded, _), unfolded) in streams.iter().zip(unfolded) {
            // Nobody else sets it, as one thread at a time is here, and none after it was done.
            let _ = coded.unfolded.set(unfolded);
        }
        Ok(true)
    }
}
