//! What the program's options can do about an error of the library, which does not know them.

use std::path::Path;

use anyhow::anyhow;
use retrograde::Error;
use retrograde::chess::solve::SolveError;
use retrograde::probe::ProbeError;

use super::print::quoted;

/// The error with the option that helps, where there is one.
pub fn with_options(error: anyhow::Error) -> anyhow::Error {
    match option_against(&error) {
        Some(option) => anyhow!("{error} ({option})"),
        None => error,
    }
}

/// A message whose commands make or search tables in a directory: what the library proposes does
/// not name it.
pub fn in_directory(message: &str, directory: &Path) -> String {
    let option = format!(" --tables {}", quoted(directory));
    let mut out = String::new();
    // Every other piece stands between backticks.
    for (number, piece) in message.split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        out += piece;
        let is_command = |name: &&str| piece.starts_with(&format!("retrograde {name} "));
        let has_command = number % 2 == 1 && ["generate", "find"].iter().any(is_command);
        if has_command && !piece.contains("--tables") {
            out += &option;
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposed_commands_name_the_directory() {
        let in_there = |message: &str| in_directory(message, Path::new("my tables"));
        for (message, expected) in [
            (
                "no dtz table for KQvKR in my tables; generate it with `retrograde generate KQvKR`",
                "no dtz table for KQvKR in my tables; generate it with `retrograde generate KQvKR --tables 'my tables'`",
            ),
            (
                "`retrograde generate KQvK --tables x`",
                "`retrograde generate KQvK --tables x`",
            ),
            (
                "`retrograde generate` works in one",
                "`retrograde generate` works in one",
            ),
            ("retrograde generate `x`", "retrograde generate `x`"),
            ("", ""),
        ] {
            assert_eq!(in_there(message), expected);
        }
    }
}
