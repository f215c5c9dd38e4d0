//! The numbers of one side to move on the way to its values.

use super::files::Numbers;
use super::line::{ILLEGAL, Line, Score};
use super::numbers::DistanceCode;
use super::pages::Window;
use super::part::Part;
use crate::game::Color;

/// The numbers of one side to move, on the way to its values.
pub(super) struct SideNumbers<'a, S> {
    /// By metric.
    pub numbers: &'a [Numbers; 3],
    pub code: DistanceCode,
    pub draw_in_file: S,
    pub part: &'a Part,
    pub side: Color,
    /// Whether keys are in no file, and follow from the other side's.
    pub derives_keys: bool,
    /// Whether mate scores do so as well; with keys only.
    pub derives_scores: bool,
}

/// Numbers through new windows.
pub(super) struct OpenNumbers<'a, 'n, S> {
    pub reading: &'a SideNumbers<'n, S>,
    /// Low and high bytes.
    pub results: [Window<'n, u8>; 2],
    pub distances: [Window<'n, u8>; 2],
    pub scores: [Window<'n, u8>; 2],
}

impl<'a, 'n, S> OpenNumbers<'a, 'n, S> {
    pub fn new(reading: &'a SideNumbers<'n, S>) -> OpenNumbers<'a, 'n, S> {
        let [results, distances, scores] = reading.numbers;
        let open = |numbers: &'n Numbers| [numbers.low.open(), numbers.high.open()];
        OpenNumbers {
            reading,
            results: open(results),
            distances: open(distances),
            scores: open(scores),
        }
    }

    pub fn gives_scores(&self) -> bool {
        self.reading.derives_scores || !self.scores[0].is_empty()
    }

    pub fn gives_keys(&self) -> bool {
        self.reading.derives_keys || !self.distances[0].is_empty()
    }
}

/// The values of an address, as far as they are asked for.
pub(super) struct ValueLine<'a, S> {
    pub results: &'a mut Line<u8>,
    pub scores: Option<&'a mut Line<S>>,
    pub keys: Option<&'a mut Line<i16>>,
}

impl<S: Score> ValueLine<'_, S> {
    /// There is no position.
    pub fn take_no_position(self) {
        *self.results = [ILLEGAL; 64];
        if let Some(scores) = self.scores {
            *scores = [S::ILLEGAL; 64];
        }
        if let Some(keys) = self.keys {
            *keys = [i16::MAX; 64];
        }
    }
}

/// Numbers from their low and high bytes.
#[inline(always)]
pub(super) fn numbers_at<S: Score>([low, high]: &[Window<'_, u8>; 2], address: usize) -> Line<S> {
    let low = low.line(address);
    match high.get(address) {
        None => low.map(|low| S::of_bytes(low, 0)),
        Some(high) => std::array::from_fn(|place| S::of_bytes(low[place], high[place])),
    }
}
