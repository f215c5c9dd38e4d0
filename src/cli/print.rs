//! What several commands print in the same words.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde::Serializer;
use serde_json::{Value, json};

use super::Outcome;

/// A number of things, of which one is called by the noun.
pub fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", HumanCount(number as u64))
}

/// The last line of a list of tables.
pub fn total(files: usize, bytes: u64, directory: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{files} tables, {}, in {}",
        HumanBytes(bytes),
        directory.display()
    )?;
    Ok(())
}

/// What was generated.
pub fn written(
    files: usize,
    bytes: u64,
    directory: &Path,
    seconds: f64,
    out: &mut dyn Write,
) -> Result<()> {
    writeln!(
        out,
        "wrote {files} files, {}, to {} in {seconds:.1} s",
        HumanBytes(bytes),
        directory.display()
    )?;
    Ok(())
}

/// A path in JSON, which has no place for bytes that are not UTF-8.
pub fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// That all is there already.
pub fn nothing_to_do(present: usize, directory: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "nothing to do: all {present} materials are in {}",
        directory.display()
    )?;
    Ok(())
}

/// The files that could not be read, and why.
pub fn unreadable_json(files: &[(PathBuf, String)]) -> Vec<Value> {
    let files = files.iter();
    files
        .map(|(path, why)| json!({"file": path.display().to_string(), "error": why}))
        .collect()
}

/// The differences that are listed, and how many more there are.
pub fn differences<T: std::fmt::Display>(
    listed: &[T],
    all: u64,
    out: &mut dyn Write,
) -> Result<()> {
    for difference in listed {
        writeln!(out, "{difference}")?;
    }
    let more = all.saturating_sub(listed.len() as u64);
    if more > 0 {
        writeln!(out, "and {} more differences", HumanCount(more))?;
    }
    Ok(())
}

/// How verification ends that found so many differences and unreadable files.
pub fn verdict(differences: u64, unreadable: usize, directory: &Path) -> Outcome {
    if differences == 0 && unreadable == 0 {
        return Outcome::Done;
    }
    Outcome::No(format!(
        "{} differences and {unreadable} unreadable files in {}; remove the files and generate them again",
        HumanCount(differences),
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_that_are_not_listed_are_counted() {
        let print = |all| {
            let mut out = Vec::new();
            differences(&["one", "two"], all, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(print(2), "one\ntwo\n");
        assert_eq!(print(1002), "one\ntwo\nand 1,000 more differences\n");
    }
}
