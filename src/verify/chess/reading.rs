//! The numbers of one side to move on the way to its values.

use std::any::Any;
use std::ops::Range;

use super::compare::Comparison;
use super::files::{LoadError, Numbers, Twin};
use super::line::{ILLEGAL, Line, Score};
use super::numbers::DistanceCode;
use super::pages::{Pages, Window};
use super::part::Part;
use super::source::BandNumbers;
use crate::game::Color;
use crate::metric::Metric;

/// Where the numbers of one side to move are.
pub(super) enum NumbersFrom<'a> {
    /// All of them, by metric.
    Frame(Box<[Numbers; 3]>),
    /// In files until they are needed.
    Bands(Box<BandNumbers<'a>>),
}

impl NumbersFrom<'_> {
    /// Whether there are numbers of each metric.
    pub fn metrics(&self) -> [bool; 3] {
        match self {
            NumbersFrom::Frame(numbers) => {
                numbers.each_ref().map(|numbers| !numbers.low.is_empty())
            }
            NumbersFrom::Bands(bands) => Metric::ALL.map(|metric| bands.has(metric)),
        }
    }

    /// Numbers of mirror images that a file has besides.
    pub fn twins(&self) -> Vec<Twin> {
        match self {
            NumbersFrom::Frame(numbers) => {
                let [results, distances, _] = &**numbers;
                [&results.twins[..], &distances.twins[..]].concat()
            }
            NumbersFrom::Bands(_) => Vec::new(),
        }
    }

    /// The numbers of a band, and the address of the first.
    pub fn of_band(
        &mut self,
        part: &Part,
        band: &Range<usize>,
    ) -> Result<(&[Numbers; 3], usize), LoadError> {
        match self {
            NumbersFrom::Frame(numbers) => Ok((numbers, 0)),
            NumbersFrom::Bands(bands) => Ok((bands.read(part, band)?, band.start)),
        }
    }
}

/// The numbers of one side to move, on the way to its values.
pub(super) struct SideNumbers<'a, S> {
    /// The metrics that there are numbers of.
    pub has: [bool; 3],
    pub code: DistanceCode,
    pub draw_in_file: S,
    pub part: &'a Part,
    pub side: Color,
    /// Whether keys are in no file, and follow from the other side's.
    pub derives_keys: bool,
    /// Whether mate scores do so as well; with keys only.
    pub derives_scores: bool,
    /// Whether results, and whether mate scores, are [taken](Taken).
    pub in_place: [bool; 2],
    /// Whether what moves lead to that are not quiet is kept for the comparison.
    pub keeps_zeroing: bool,
    /// How values are compared while they are derived, if they are.
    pub comparison: Option<Comparison<'a>>,
}

impl<S: Score> SideNumbers<'_, S> {
    /// Whether results are in no file, and follow from the other side's.
    pub fn derives_results(&self) -> bool {
        !self.has[0] && !self.in_place[0]
    }

    pub fn gives_scores(&self) -> bool {
        self.derives_scores || self.in_place[1] || self.has[2]
    }

    pub fn gives_keys(&self) -> bool {
        self.derives_keys || self.has[1]
    }
}

/// Results and mate scores that become values where their numbers are.
pub(super) struct Taken<S> {
    pub results: Option<Pages<u8>>,
    pub scores: Option<Pages<S>>,
}

impl<S: Score> Taken<S> {
    pub const NOTHING: Taken<S> = Taken {
        results: None,
        scores: None,
    };

    /// Takes results out of the numbers, and scores if both these and their numbers have one byte.
    /// All are in memory.
    pub fn of([results, _, scores]: &mut [Numbers; 3]) -> Taken<S> {
        let has_results = !results.low.is_empty();
        let are_bytes = size_of::<S>() == 1 && !scores.low.is_empty() && scores.high.is_empty();
        Taken {
            results: has_results.then(|| std::mem::take(&mut results.low).used_again()),
            scores: are_bytes.then(|| {
                // The compiler cannot know here that scores of one byte are bytes.
                let bytes: Box<dyn Any> = Box::new(std::mem::take(&mut scores.low).used_again());
                bytes
                    .downcast()
                    .map_or_else(|_| Pages::default(), |pages| *pages)
            }),
        }
    }
}

/// Numbers through new windows.
pub(super) struct OpenNumbers<'a, 'n, S> {
    pub reading: &'a SideNumbers<'a, S>,
    /// The address that the first numbers are of.
    first: usize,
    results: Window<'n, u8>,
    /// Low and high bytes.
    distances: [Window<'n, u8>; 2],
    scores: [Window<'n, u8>; 2],
}

impl<'a, 'n, S: Score> OpenNumbers<'a, 'n, S> {
    pub fn new(
        reading: &'a SideNumbers<'a, S>,
        (numbers, first): (&'n [Numbers; 3], usize),
    ) -> OpenNumbers<'a, 'n, S> {
        let [results, distances, scores] = numbers;
        let open = |numbers: &'n Numbers| [numbers.low.open(), numbers.high.open()];
        OpenNumbers {
            reading,
            first,
            results: results.low.open(),
            distances: open(distances),
            scores: open(scores),
        }
    }

    /// The numbers of results at an address.
    #[inline(always)]
    pub fn results(&self, address: usize) -> &Line<u8> {
        self.results.line(address - self.first)
    }

    /// Those of distances to zeroing.
    #[inline(always)]
    pub fn distances(&self, address: usize) -> Line<u16> {
        numbers_at(&self.distances, address - self.first)
    }

    /// Those of mate scores.
    #[inline(always)]
    pub fn scores(&self, address: usize) -> Line<S> {
        numbers_at(&self.scores, address - self.first)
    }
}

/// The values of an address, as far as they are asked for.
pub(super) struct ValueLine<'a, S> {
    pub results: &'a mut Line<u8>,
    pub scores: Option<&'a mut Line<S>>,
    pub keys: Option<&'a mut Line<i16>>,
    /// The results, and the mate scores, that captures, promotions and pawn moves lead to.
    pub zeroing: Option<&'a mut Line<u8>>,
    pub zeroing_scores: Option<&'a mut Line<S>>,
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
fn numbers_at<S: Score>([low, high]: &[Window<'_, u8>; 2], address: usize) -> Line<S> {
    let low = low.line(address);
    match high.get(address) {
        None => low.map(|low| S::of_bytes(low, 0)),
        Some(high) => std::array::from_fn(|place| S::of_bytes(low[place], high[place])),
    }
}
