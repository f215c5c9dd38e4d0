//! Small tables of results, decoded as a whole.
//!
//! A probe of five men looks at captures, so it asks the tables of four men as often as its own,
//! and most of those are small: of a material without pawns there are two million placements up to
//! symmetry. With two bits for each of them an answer takes one look into memory, and neighbours in
//! the index, which searches ask for together, share a line of the processor's cache.
//!
//! To decode such a table takes some milliseconds. So it is done when somebody asked for it often,
//! or said that he will: see [`Tablebase::prefetch`](crate::Tablebase::prefetch).

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::reserve::{Refused, reserved, room};

/// After so many answers from its blocks a table is preloaded.
const MANY: u32 = 4096;

/// A larger table is not preloaded unless somebody says so: it would take longer than a search can
/// wait.
const LARGEST: usize = 8 << 20;

/// Bytes of memory for preloaded tables, shared by all of them.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: usize,
    left: AtomicUsize,
}

impl Budget {
    /// Nobody has taken any of it yet.
    pub fn new(bytes: usize) -> Budget {
        Budget {
            bytes,
            left: AtomicUsize::new(bytes),
        }
    }

    /// Bytes that are taken.
    pub fn taken(&self) -> usize {
        self.bytes - self.left.load(Ordering::Relaxed)
    }

    /// Takes bytes if as many are left, and says whether they were.
    pub fn take(&self, bytes: usize) -> bool {
        let left = |left: usize| left.checked_sub(bytes);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        taken.is_ok()
    }

    /// Gives bytes back that were taken.
    pub fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// All results of a stream, side by side.
#[derive(Debug)]
pub(super) struct Preloaded {
    bytes: Box<[u8]>,
    density: Density,
    /// What the bits of a result stand for.
    results: [u8; 1 << Density::MOST_BITS],
}

/// How many results a byte has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Density {
    /// The binary logarithm.
    log: u32,
}

impl Density {
    const MOST_BITS: u32 = 4;

    /// For so many different ones.
    pub fn of(results: u32) -> Density {
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
    pub fn bytes(self, results: u64) -> usize {
        usize::try_from(results.div_ceil(self.results() as u64)).unwrap_or(usize::MAX)
    }
}

impl Preloaded {
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

/// Packs results as they are decoded, piece after piece.
#[derive(Debug)]
pub(super) struct Packer {
    preloaded: Preloaded,
    bytes: Vec<u8>,
    /// By result, the bits that stand for it.
    codes: [u8; u8::BITS as usize],
    /// Results of a piece that ended within a byte, in front of the next piece.
    piece: Vec<u8>,
    waiting: usize,
}

impl Packer {
    /// For `len` results that are all in a set, which has a bit for each.
    ///
    /// # Errors
    ///
    /// If there is no memory for them.
    pub fn new(set: u8, len: u64) -> Result<Packer, Refused> {
        let density = Density::of(set.count_ones());
        let mut results = [0; 1 << Density::MOST_BITS];
        let mut codes = [0; u8::BITS as usize];
        let known = (0..u8::BITS as u8).filter(|result| set >> result & 1 != 0);
        for (code, result) in known.enumerate() {
            results[code] = result;
            codes[usize::from(result)] = code as u8;
        }
        Ok(Packer {
            preloaded: Preloaded {
                bytes: Box::default(),
                density,
                results,
            },
            bytes: reserved(density.bytes(len))?,
            codes,
            piece: Vec::new(),
            waiting: 0,
        })
    }

    /// Where the next `len` results are to be written.
    ///
    /// # Errors
    ///
    /// If there is no memory for them.
    pub fn next_piece(&mut self, len: usize) -> Result<&mut [u8], Refused> {
        self.pack_whole_bytes();
        self.waiting = self.piece.len();
        room(&mut self.piece, len)?;
        self.piece.resize(self.waiting + len, 0);
        Ok(&mut self.piece[self.waiting..])
    }

    /// All results, when the last piece is written.
    pub fn finish(mut self) -> Preloaded {
        self.pack_whole_bytes();
        if !self.piece.is_empty() {
            self.bytes.push(self.pack(&self.piece));
        }
        self.preloaded.bytes = self.bytes.into();
        self.preloaded
    }

    fn pack_whole_bytes(&mut self) {
        let results = self.preloaded.density.results();
        let whole = self.piece.len() - self.piece.len() % results;
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.extend(
            self.piece[..whole]
                .chunks_exact(results)
                .map(|results| self.pack(results)),
        );
        self.bytes = bytes;
        self.piece.drain(..whole);
    }

    fn pack(&self, results: &[u8]) -> u8 {
        let bits = self.preloaded.density.bits();
        let codes = results
            .iter()
            .map(|&result| self.codes[usize::from(result & 7)]);
        codes.rev().fold(0, |byte, code| byte << bits | code)
    }
}

/// Whether a table should be preloaded, and whether it is.
#[derive(Debug)]
pub(super) struct Preloading {
    /// How often somebody asked, up to [`MANY`]; as often from the beginning if it is not to be
    /// preloaded for that.
    asked: AtomicU32,
    /// Held by the thread that decodes.
    is_done: Mutex<bool>,
}

impl Preloading {
    /// Of a table whose results take so many bytes; of distances none are preloaded.
    pub fn new(bytes: Option<usize>) -> Preloading {
        let is_small = bytes.is_some_and(|bytes| bytes <= LARGEST);
        Preloading {
            asked: AtomicU32::new(if is_small { 0 } else { MANY }),
            is_done: Mutex::new(false),
        }
    }

    /// Somebody asked; whether it is time to preload the table, which one is told once.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.asked.load(Ordering::Relaxed) < MANY && self.count()
    }

    #[cold]
    fn count(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 == MANY
    }

    /// Whether the table is preloaded, to be set by who does it. If another thread is at it, this
    /// one waits.
    pub fn is_done(&self) -> MutexGuard<'_, bool> {
        self.is_done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`is_done`](Self::is_done), or `None` if another thread is at it.
    pub fn is_done_unless_busy(&self) -> Option<MutexGuard<'_, bool>> {
        match self.is_done.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
