//! What clap has to say about bad usage, in one line.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Whether the "error" is what the user asked for: help or the version.
pub fn is_request(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    )
}

/// What is wrong and what to do, in one line.
pub fn one_line(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        || error.kind() == ErrorKind::MissingSubcommand
    {
        return "no command given: `retrograde --help` lists them".to_owned();
    }
    // A value's own parser knows best what is wrong with it; a positional argument's names the
    // value too.
    if let Some(source) = error.source() {
        return match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(name)) if name.starts_with('-') => {
                let flag = name.split_whitespace().next().unwrap_or(name);
                let value = match error.get(ContextKind::InvalidValue) {
                    Some(ContextValue::String(value)) => value.as_str(),
                    _ => "",
                };
                format!("{flag} {value}: {source}")
            }
            _ => source.to_string(),
        };
    }
    let text = error.to_string();
    let what: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let what = what.join(" ").replace(" tip: ", "; ");
    let what = what.strip_prefix("error: ").unwrap_or(&what);
    format!("{what}; `--help` after the command explains it")
}
