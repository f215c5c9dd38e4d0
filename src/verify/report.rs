//! What was checked, and what was found wrong.

use std::fmt;

use crate::game::Color;
use crate::material::Material;
use crate::metric::Metric;

/// Differences kept in a report; the others are only counted.
const KEPT: usize = 20;

/// What was checked of one material, and what was found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The material, in normal form.
    pub material: Material,
    /// Files whose checksums are right.
    pub files: usize,
    /// Legal positions whose values were compared with those of their successors, both sides to move.
    pub positions: u64,
    /// The first differences found.
    pub differences: Vec<Difference>,
    /// How many there are in all.
    pub difference_count: u64,
}

/// Something wrong with the tables of a material.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A file is damaged, or not what its name says; in words.
    Damage(String),
    /// A value is not what follows from its successors.
    Value {
        /// Which value.
        metric: Metric,
        /// The position.
        fen: String,
        /// What the table says: -2 to 2 or plies, for the side to move; no distance to mate for a draw.
        stored: Option<i32>,
        /// What follows.
        expected: Option<i32>,
    },
    /// A value that cannot be, or that contradicts another table; in words.
    Contradiction {
        /// The position.
        fen: String,
        /// What the prober says.
        problem: String,
    },
    /// The header counts something else than the values.
    Counts {
        /// The file's metric.
        metric: Metric,
        /// The side to move.
        side: Color,
        /// What the header says: wins, cursed wins, draws, blessed losses, losses.
        stored: [u64; 5],
        /// What the values say.
        expected: [u64; 5],
    },
    /// The header names another longest win than the values have.
    Longest {
        /// The file's metric.
        metric: Metric,
        /// The side to move, which wins.
        side: Color,
        /// What the header says, in plies.
        stored: u32,
        /// What the values say, in plies. Equal if only the position named is a wrong one.
        expected: u32,
    },
}

impl Report {
    pub(super) fn new(material: Material) -> Report {
        Report {
            material,
            files: 0,
            positions: 0,
            differences: Vec::new(),
            difference_count: 0,
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.difference_count == 0
    }

    pub(super) fn add(&mut self, difference: Difference) {
        self.difference_count += 1;
        if self.differences.len() < KEPT {
            self.differences.push(difference);
        }
    }

    /// Adds what another part of the same material came to.
    pub(super) fn merge(&mut self, other: Report) {
        self.positions += other.positions;
        self.difference_count += other.difference_count;
        let room = KEPT - self.differences.len();
        self.differences
            .extend(other.differences.into_iter().take(room));
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value =
            |value: &Option<i32>| value.map_or("draw".to_owned(), |value| value.to_string());
        match self {
            Difference::Damage(problem) => f.write_str(problem),
            Difference::Value {
                metric,
                fen,
                stored,
                expected,
            } => {
                let [stored, expected] = [stored, expected].map(value);
                write!(
                    f,
                    "{fen}: {metric} is {stored}, its successors say {expected}"
                )
            }
            Difference::Contradiction { fen, problem } => write!(f, "{fen}: {problem}"),
            Difference::Counts {
                metric,
                side,
                stored,
                expected,
            } => write!(
                f,
                "the {metric} header counts {stored:?} with {side} to move, the values say {expected:?}"
            ),
            Difference::Longest {
                metric,
                side,
                stored,
                expected,
            } if stored == expected => write!(
                f,
                "the {metric} header names a position for the longest win of {side} that is none of {stored} plies"
            ),
            Difference::Longest {
                metric,
                side,
                stored,
                expected,
            } => write!(
                f,
                "the {metric} header says that the longest win of {side} has {stored} plies, the values say {expected}"
            ),
        }
    }
}
