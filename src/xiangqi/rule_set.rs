//! What an endless game is worth.

use std::fmt;
use std::str::FromStr;

/// The rules on which the values of a table rest. Every table records its own, and tables of
/// different rules are never mixed.
///
/// Perpetual chase differs from rule book to rule book and is part of neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rules {
    /// An endless game is a draw.
    CyclesDraw,
    /// A side that checks for ever loses, unless both do: an endless game is won by a side if from
    /// some point on every move of the other is a check, while its own go on not being checks.
    /// Otherwise it is a draw.
    #[default]
    PerpetualCheck,
}

impl Rules {
    /// Both.
    pub const ALL: [Rules; 2] = [Rules::CyclesDraw, Rules::PerpetualCheck];

    /// The number in table files.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name on the command line, in JSON and in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rules::CyclesDraw => "cycles-draw",
            Rules::PerpetualCheck => "perpetual-check",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not the name of a set of rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rules `{0}`: use cycles-draw or perpetual-check")]
pub struct ParseRulesError(String);

impl FromStr for Rules {
    type Err = ParseRulesError;

    fn from_str(name: &str) -> Result<Rules, ParseRulesError> {
        Rules::ALL
            .into_iter()
            .find(|rules| rules.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| ParseRulesError(name.to_owned()))
    }
}
