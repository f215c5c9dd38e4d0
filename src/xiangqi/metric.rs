//! What the tables of xiangqi hold.

use std::fmt;
use std::str::FromStr;

/// What a table stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Results: [`Wdl`](crate::metric::Wdl) without the classes between.
    Wdl,
    /// Plies to the next capture or mate that keeps the result.
    Dtc,
    /// Plies to mate; under [`Rules::CyclesDraw`](super::Rules::CyclesDraw) only.
    Dtm,
    /// How often the rule of perpetual check was applied before a position was decided; there is no
    /// table where it never was.
    Rounds,
}

impl Metric {
    /// All of them, in the order of their numbers in table files.
    pub const ALL: [Metric; 4] = [Metric::Wdl, Metric::Dtc, Metric::Dtm, Metric::Rounds];

    /// The name on the command line, and the extension of the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtc => "dtc",
            Metric::Dtm => "dtm",
            Metric::Rounds => "rounds",
        }
    }

    /// The number in table files.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not the name of a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric `{0}`: xiangqi tables have wdl, dtc, dtm and rounds")]
pub struct ParseMetricError(String);

impl FromStr for Metric {
    type Err = ParseMetricError;

    fn from_str(name: &str) -> Result<Metric, ParseMetricError> {
        Metric::ALL
            .into_iter()
            .find(|metric| metric.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| ParseMetricError(name.to_owned()))
    }
}

/// The bit in the flags of a table of results that says: perpetual check decided something, so its
/// material has rounds.
pub const HAS_ROUNDS: u32 = 1;

/// Whether a table of results with these flags means nothing without one of rounds.
pub(crate) const fn needs_rounds(flags: u32) -> bool {
    flags & HAS_ROUNDS != 0
}
