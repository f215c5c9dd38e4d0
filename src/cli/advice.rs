//! What the program's options can do about an error of the library, which does not know them.

use anyhow::anyhow;
use retrograde::Error;
use retrograde::chess::solve::SolveError;
use retrograde::probe::ProbeError;

/// The error with the option that helps, where there is one.
pub fn with_options(error: anyhow::Error) -> anyhow::Error {
    match option_against(&error) {
        Some(option) => anyhow!("{error} ({option})"),
        None => error,
    }
}

fn option_against(error: &anyhow::Error) -> Option<&'static str> {
    if let Some(ProbeError::Directory { .. }) = error.downcast_ref() {
        return Some("choose it with --tables DIR");
    }
    match error.downcast_ref()? {
        Error::Memory { .. } => Some("raise --memory"),
        Error::Directory { .. } => Some("choose it with --tables DIR"),
        Error::Solve(SolveError::DistanceOverflow { .. }) => {
            Some("--engine chains in chess, --metric without dtm in xiangqi")
        }
        _ => None,
    }
}
