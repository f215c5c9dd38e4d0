//! Where the values of a table to be written come from.

use super::layout::{MAX_VALUES, ORDER_LEN, Plane};
use crate::error::WriteError;
use crate::parallel;

/// Values that are looked at together when it is found out which occur.
const SCAN_VALUES: u64 = 1 << 16;

/// The values of one stream.
pub trait ValueSource: Sync {
    /// Writes the values of the indices from `start` on, as many as `out` has room for; that is
    /// never past the end. Called from many threads at once, some indices more than once; the
    /// values must be the same each time.
    fn fill(&self, start: u64, out: &mut [u8]);

    /// Told before values are asked for that the next are those of the indices from `start` to
    /// `end`, by one thread at a time and while no values are being asked for. A source whose
    /// values are not all at hand gets them here.
    fn prepare(&self, start: u64, end: u64) {
        let _ = (start, end);
    }
}

/// Values in memory.
impl ValueSource for Vec<u8> {
    fn fill(&self, start: u64, out: &mut [u8]) {
        self.as_slice().fill(start, out);
    }
}

/// Values in memory.
impl ValueSource for &[u8] {
    fn fill(&self, start: u64, out: &mut [u8]) {
        out.copy_from_slice(&self[start as usize..][..out.len()]);
    }
}

/// One stream to be written.
#[derive(Clone, Copy)]
pub struct StreamSource<'a> {
    /// Side to move, 0 or 1.
    pub side: u8,
    /// Which byte of each number.
    pub plane: Plane,
    /// Order of dimensions, for the reader; any bytes.
    pub order: [u8; ORDER_LEN],
    /// Number of values, at least 1.
    pub len: u64,
    /// The values.
    pub source: &'a dyn ValueSource,
    /// Which values occur; `None` if that is to be found out by going through all of them once.
    pub values_present: Option<[bool; 256]>,
}

impl<'a> StreamSource<'a> {
    /// A stream without an order, whose values are to be found out.
    pub fn new(side: u8, len: u64, source: &'a dyn ValueSource) -> Self {
        Self {
            side,
            plane: Plane::Low,
            order: [0; ORDER_LEN],
            len,
            source,
            values_present: None,
        }
    }
}

impl std::fmt::Debug for StreamSource<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StreamSource")
            .field("side", &self.side)
            .field("plane", &self.plane)
            .field("order", &self.order)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Which values occur in a stream.
pub fn values_present(source: &dyn ValueSource, len: u64) -> [bool; 256] {
    let stream = StreamSource::new(0, len, source);
    let chunks = len.div_ceil(SCAN_VALUES);
    merge_present(parallel::map(chunks as usize, |chunk| {
        let start = chunk as u64 * SCAN_VALUES;
        scan(&stream, start, (start + SCAN_VALUES).min(len))
    }))
}

/// Which values occur at some indices of a stream.
fn scan(stream: &StreamSource<'_>, start: u64, end: u64) -> [bool; 256] {
    let mut present = [false; 256];
    let mut values = vec![0; SCAN_VALUES.min(end.saturating_sub(start)) as usize];
    let mut start = start;
    while start < end {
        let values = &mut values[..SCAN_VALUES.min(end - start) as usize];
        stream.source.fill(start, values);
        for &value in values.iter() {
            present[usize::from(value)] = true;
        }
        start += values.len() as u64;
    }
    present
}

/// Which values occur in any of some parts.
fn merge_present(parts: Vec<[bool; 256]>) -> [bool; 256] {
    let mut all = [false; 256];
    for part in parts {
        for (all, part) in all.iter_mut().zip(part) {
            *all |= part;
        }
    }
    all
}

/// Whether a stream fits into the format.
pub(super) fn check_stream(stream: &StreamSource<'_>) -> Result<(), WriteError> {
    if stream.side > 1 {
        return Err(WriteError::Description("the side to move is 0 or 1"));
    }
    if !(1..=MAX_VALUES).contains(&stream.len) {
        return Err(WriteError::Description("a stream has 1 to 2^48 values"));
    }
    if stream.values_present == Some([false; 256]) {
        return Err(WriteError::Description("some value must be present"));
    }
    Ok(())
}
