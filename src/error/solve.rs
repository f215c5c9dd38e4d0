//! Why a material could not be solved.

use std::fmt::Display;

use crate::card::CardError;

/// Why a material could not be solved, of either game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A material that moves lead to was not given.
    #[error("cannot solve {material}: its moves lead to {target}, which has to be solved first")]
    MissingTarget {
        /// The material to be solved.
        material: String,
        /// What is missing.
        target: String,
    },
    /// A distance is too long for the one byte it is kept in.
    #[error(
        "cannot solve {material}: a distance is too long for the byte that holds it, which is more than 255 plies to the \
         next capture or pawn move or, in xiangqi, 253 to mate; in chess the engine of chains holds longer ones"
    )]
    DistanceOverflow {
        /// The material to be solved.
        material: String,
    },
    /// A set of its positions has more words than an address can name.
    #[error(
        "cannot solve {material}: it has too many positions for this version; ask for fewer men"
    )]
    TooLarge {
        /// The material to be solved.
        material: String,
    },
    /// The scratch file cannot be written or read.
    #[error(
        "cannot solve {material}: the scratch file fails: {problem}; choose another directory for it"
    )]
    Scratch {
        /// The material that was being solved.
        material: String,
        /// What the system says.
        problem: String,
    },
    /// The graphics card cannot do it.
    #[error("cannot solve {material} on a graphics card: {problem}; choose another engine")]
    Card {
        /// The material that was being solved.
        material: String,
        /// What the card says.
        problem: CardError,
    },
    /// A finished table of it cannot be read back.
    #[error("cannot read the tables of {material} back: {problem}")]
    Unreadable {
        /// The material.
        material: String,
        /// What is wrong.
        problem: String,
    },
    /// The caller asked to stop.
    #[error("stopped while solving {material}")]
    Cancelled {
        /// The material that was being solved.
        material: String,
    },
}

impl SolveError {
    /// That the moves of a material lead to another one which was not given.
    pub(crate) fn missing_target(material: &impl Display, target: &impl Display) -> SolveError {
        SolveError::MissingTarget {
            material: material.to_string(),
            target: target.to_string(),
        }
    }

    /// That a distance of a material is too long.
    pub(crate) fn distance_overflow(material: &impl Display) -> SolveError {
        SolveError::DistanceOverflow {
            material: material.to_string(),
        }
    }

    /// That a material has too many positions.
    pub(crate) fn too_large(material: &impl Display) -> SolveError {
        SolveError::TooLarge {
            material: material.to_string(),
        }
    }

    /// That a finished table cannot be read.
    pub(crate) fn unreadable(material: &impl Display, problem: String) -> SolveError {
        SolveError::Unreadable {
            material: material.to_string(),
            problem,
        }
    }

    /// That the scratch file fails.
    pub(crate) fn scratch(material: &impl Display, kind: std::io::ErrorKind) -> SolveError {
        SolveError::Scratch {
            material: material.to_string(),
            problem: kind.to_string(),
        }
    }

    /// That the graphics card cannot do it.
    pub(crate) fn card(material: &impl Display, problem: CardError) -> SolveError {
        SolveError::Card {
            material: material.to_string(),
            problem,
        }
    }

    /// That the caller asked to stop.
    pub(crate) fn cancelled(material: &impl Display) -> SolveError {
        SolveError::Cancelled {
            material: material.to_string(),
        }
    }
}
