//! Why a question about a position has no answer.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::chess::material::MAX_MEN;
use crate::chess::rules::zobrist::MaterialKey;
use crate::metric::Metric;
use crate::reserve::Refused;

/// Why a question about a position has no answer. Each message is one line and says what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// A directory of tables cannot be listed.
    #[error(
        "cannot read the directory {}: {problem}; choose another, or make tables \
         there with `retrograde generate`",
        path.display()
    )]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        problem: Arc<io::Error>,
    },
    /// A file was named as a table and has no name of one.
    #[error(
        "{}: not the name of a table; name files such as KQvK.wdl or KQvK.rtbw",
        path.display()
    )]
    FileName {
        /// The file.
        path: PathBuf,
    },
    /// The table that the answer needs is not there.
    #[error(
        "no {metric} table for {material} in {}; {}",
        directories(searched),
        way_to_table(material, *metric)
    )]
    MissingTable {
        /// The material in normal form, such as `KQvKR`. It may be one that a capture or promotion
        /// leads to.
        material: String,
        /// Which of its tables.
        metric: Metric,
        /// Where it was looked for.
        searched: Arc<[PathBuf]>,
    },
    /// More men than any table has.
    #[error("{material} has {men} men and tables have at most {MAX_MEN}; remove some men")]
    TooManyMen {
        /// The material, not in normal form.
        material: MaterialKey,
        /// How many men it has, kings included.
        men: u32,
    },
    /// A side may still castle, which no table covers.
    #[error(
        "a side may still castle, and no table covers that; write `-` for the castling rights of the \
         position to ask for it without them, or let `retrograde solve` search"
    )]
    CastlingRights,
    /// The clock of the fifty-move rule does not stand at zero, and the result from a clock at zero
    /// was asked for.
    #[error(
        "the clock of the fifty-move rule stands at {clock}, and a result alone is that of a clock at zero; ask for \
         ranked moves, which know the clock, or for the result after a capture or pawn move"
    )]
    Clock {
        /// Plies since the last capture or pawn move.
        clock: u16,
    },
    /// The men given are not those of a position.
    #[error("not a position: {0}; give each man a square of its own and each side one king")]
    Placement(&'static str),
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Table(Arc<crate::Error>),
    /// A file has the name of a table and is a table, but of something else.
    #[error(
        "{}: not the table that its name says ({difference}); remove it, or replace it with \
         `retrograde generate {material}`",
        path.display()
    )]
    ForeignTable {
        /// The file.
        path: PathBuf,
        /// The material in its name.
        material: String,
        /// What does not agree.
        difference: String,
    },
    /// The system has not the memory that an option of [`ProbeOptions`](super::ProbeOptions) asks
    /// for.
    #[error("not enough memory for {bytes} bytes of `{option}`; choose less")]
    OutOfMemory {
        /// The name of the option.
        option: &'static str,
        /// How many bytes were asked for at once.
        bytes: u64,
    },
    /// The system has not the memory for the list of tables or for that of an answer.
    #[error("not enough memory for {bytes} bytes; free some and try again")]
    LittleMemory {
        /// How many bytes were asked for at once.
        bytes: u64,
    },
    /// Something was asked of a Syzygy table that only our own tables can tell.
    #[error(
        "{}: a Syzygy table, which this cannot be done with; make our own with `retrograde generate {material}`",
        path.display()
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The material in normal form.
        material: String,
    },
    /// Tables of one material do not go together, or hold a number that means nothing.
    #[error(
        "the {metric} table of {material} contradicts the other tables; replace them with \
         `retrograde generate {material}`"
    )]
    Contradiction {
        /// The material in normal form.
        material: String,
        /// The table in which the contradiction showed.
        metric: Metric,
    },
}

impl ProbeError {
    /// Whether the answer would be known if there were more tables, such as nobody may have.
    #[must_use]
    pub fn is_missing_table(&self) -> bool {
        matches!(
            self,
            ProbeError::MissingTable { .. } | ProbeError::TooManyMen { .. }
        )
    }
}

impl ProbeError {
    /// Whether the system refused memory or a file, so that the same may work later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            ProbeError::OutOfMemory { .. } | ProbeError::LittleMemory { .. } => true,
            ProbeError::Table(error) => error.may_pass(),
            _ => false,
        }
    }
}

impl From<Refused> for ProbeError {
    fn from(Refused { bytes }: Refused) -> ProbeError {
        ProbeError::LittleMemory { bytes }
    }
}

impl From<crate::Error> for ProbeError {
    fn from(error: crate::Error) -> ProbeError {
        ProbeError::Table(Arc::new(error))
    }
}

pub(super) fn directories(searched: &[PathBuf]) -> String {
    searched
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" or ")
}

/// Positions of more men have too many addresses for the solver.
const MOST_MEN_GENERATED: usize = 6;

/// What to do about a table that is not there.
fn way_to_table(material: &str, metric: Metric) -> String {
    // A letter for each man, and one between the sides.
    if material.len() <= MOST_MEN_GENERATED + 1 {
        return format!("generate it with `retrograde generate {material}`");
    }
    let instead = match metric {
        Metric::Wdl | Metric::Dtz => "put Syzygy tables there",
        Metric::Dtm => "ask for another metric",
    };
    format!("{instead}: of more than {MOST_MEN_GENERATED} men none are generated here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_and_say_what_to_do() {
        let missing = |material: &str, metric| ProbeError::MissingTable {
            material: material.to_owned(),
            metric,
            searched: [PathBuf::from("tables")].into(),
        };
        for (material, metric, message) in [
            (
                "KQvKR",
                Metric::Dtz,
                "no dtz table for KQvKR in tables; generate it with `retrograde generate KQvKR`",
            ),
            (
                "KRPPvKRP",
                Metric::Wdl,
                "no wdl table for KRPPvKRP in tables; put Syzygy tables there: of more than 6 men none are generated here",
            ),
            (
                "KRPPvKRP",
                Metric::Dtm,
                "no dtm table for KRPPvKRP in tables; ask for another metric: of more than 6 men none are generated here",
            ),
        ] {
            assert_eq!(missing(material, metric).to_string(), message);
        }
        let missing = missing("KQvKR", Metric::Dtz);
        assert!(missing.is_missing_table());
        let directory = ProbeError::Directory {
            path: "nowhere".into(),
            problem: Arc::new(io::ErrorKind::NotFound.into()),
        };
        let clock = ProbeError::Clock { clock: 7 };
        assert!(!clock.is_missing_table());
        for error in [missing, directory, clock, ProbeError::CastlingRights] {
            assert!(!error.to_string().contains('\n'));
            assert!(error.to_string().contains("; "));
        }
    }
}
