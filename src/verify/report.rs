//! What a verification tells, on its way and at its end.

use std::path::PathBuf;

use crate::chess::material::Material;
use crate::game::Game;
use crate::probe::Format;
use crate::xiangqi::{self, Rules};

/// Whose tables are verified: those of a material of chess, or of one of xiangqi under some rules.
///
/// # Examples
///
/// ```
/// use retrograde::verify::Subject;
/// use retrograde::xiangqi::Rules;
///
/// let chess = Subject::from("KQvK".parse::<retrograde::chess::material::Material>()?);
/// let xiangqi = Subject::Xiangqi(Rules::CyclesDraw, "KRvK".parse()?);
/// assert_eq!(chess.to_string(), "KQvK");
/// assert_eq!(xiangqi.to_string(), "KRvK cycles-draw");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// A material of chess.
    Chess(Material),
    /// A material of xiangqi.
    Xiangqi(Rules, xiangqi::Material),
}

impl Subject {
    /// The game.
    #[must_use]
    pub fn game(&self) -> Game {
        match self {
            Subject::Chess(_) => Game::Chess,
            Subject::Xiangqi(..) => Game::Xiangqi,
        }
    }

    /// The rules, which xiangqi has several of.
    #[must_use]
    pub fn rules(&self) -> Option<Rules> {
        match self {
            Subject::Chess(_) => None,
            Subject::Xiangqi(rules, _) => Some(*rules),
        }
    }

    /// The name of the material.
    #[must_use]
    pub fn material(&self) -> String {
        match self {
            Subject::Chess(material) => material.to_string(),
            Subject::Xiangqi(_, material) => material.to_string(),
        }
    }
}

impl From<Material> for Subject {
    fn from(material: Material) -> Subject {
        Subject::Chess(material)
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.material())?;
        self.rules().map_or(Ok(()), |rules| write!(f, " {rules}"))
    }
}

/// Told about the course of a verification, from any thread.
pub trait Observer: Sync {
    /// The tables of a material are being verified.
    fn started(&self, subject: Subject);
    /// So many more positions are done; [`work`](super::work) says how many there are.
    fn advanced(&self, positions: u64);
    /// The checksums of the tables of a material have been compared; now its values are. Told again
    /// where they were being [read](Self::reading).
    fn comparing(&self, _subject: Subject) {}
    /// A material is done.
    fn finished(&self, _subject: Subject) {}
    /// The values of a material are being read: of one that is not asked for, for others that lead
    /// to it, or those of a part that is to be compared, where that takes long.
    fn reading(&self, _subject: Subject) {}
    /// Those of a material that is not asked for have been read.
    fn read(&self, _subject: Subject) {}
}

/// An observer that does not care.
impl Observer for () {
    fn started(&self, _: Subject) {}
    fn advanced(&self, _: u64) {}
}

/// One value that is not what its successors say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Whose table it is.
    pub subject: Subject,
    /// The format of the table.
    pub format: Format,
    /// The name of the metric.
    pub metric: &'static str,
    /// The position, as FEN; empty where a count in the header is wrong.
    pub fen: String,
    /// What the table says.
    pub stored: String,
    /// What follows from the moves.
    pub expected: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference {
            subject,
            format,
            metric,
            fen,
            stored,
            expected,
        } = self;
        let place = if fen.is_empty() { "header" } else { fen };
        let format = match format {
            Format::Native => "",
            Format::Syzygy => " (syzygy)",
        };
        write!(
            f,
            "{subject} {metric}{format}: {place}: stored {stored}, expected {expected}"
        )
    }
}

/// Differences, the first of them in full.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub total: u64,
    pub listed: Vec<Difference>,
}

impl Found {
    pub fn add(&mut self, difference: impl FnOnce() -> Difference) {
        self.total += 1;
        if self.listed.len() < LISTED {
            self.listed.push(difference());
        }
    }

    /// Both together.
    pub fn and(mut self, other: Found) -> Found {
        self.extend(other);
        self
    }

    pub fn extend(&mut self, other: Found) {
        self.total += other.total;
        self.listed.extend(other.listed);
        self.listed.truncate(LISTED);
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Tables whose values were compared.
    pub tables: usize,
    /// Legal positions compared, each metric once.
    pub positions: u64,
    /// Differences found.
    pub differences: u64,
    /// The first of them, at most [`LISTED`] a material.
    pub listed: Vec<Difference>,
    /// Tables that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Whose values could not be compared because they follow from those of a file of others, which
    /// is among the unreadable ones.
    pub not_compared: Vec<(Subject, PathBuf)>,
}

/// The most differences of a material that are listed.
pub const LISTED: usize = 10;

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.differences == 0 && self.unreadable.is_empty()
    }
}
