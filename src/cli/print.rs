//! What several commands print in the same words.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use retrograde::verify::Report;
use serde::Serializer;
use serde_json::{Value, json};

use super::Outcome;

/// A number of things, of which one is called by the noun.
pub fn counted(number: usize, noun: &str) -> String {
    let number = number as u64;
    match (number, noun.strip_suffix("ly")) {
        (1, _) => format!("1 {noun}"),
        (_, Some(start)) => format!("{} {start}lies", HumanCount(number)),
        (_, None) => format!("{} {noun}s", HumanCount(number)),
    }
}

/// The last line of a list of tables.
pub fn total(files: usize, bytes: u64, directory: &str, out: &mut dyn Write) -> Result<()> {
    let (tables, bytes) = (counted(files, "table"), HumanBytes(bytes));
    writeln!(out, "{tables}, {bytes}, in {directory}")?;
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
        "wrote {}, {}, to {} in {seconds:.1} s",
        counted(files, "file"),
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
    let what = match present {
        1 => "the material is".to_owned(),
        _ => format!("all {} are", counted(present, "material")),
    };
    writeln!(out, "nothing to do: {what} in {}", directory.display())?;
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
        writeln!(out, "and {}", counted(more as usize, "more difference"))?;
    }
    Ok(())
}

/// A path as a shell has to be given it.
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    shlex::try_quote(&path).map_or(path.clone(), |quoted| quoted.into_owned())
}

/// How verification ends: what was found, and the command that mends it.
pub fn verdict(report: &Report, repair: &str, directory: &Path) -> Outcome {
    if report.is_clean() {
        return Outcome::Done;
    }
    let mut found = format!(
        "{}, {}",
        counted(report.differences as usize, "difference"),
        counted(report.unreadable.len(), "unreadable file"),
    );
    if !report.not_compared.is_empty() {
        let materials = counted(report.not_compared.len(), "material");
        found += &format!(", {materials} not compared for want of them");
    }
    Outcome::No(format!(
        "{found}, in {}; {}",
        directory.display(),
        match report.unreadable.len() {
            0 => "remove the files and generate them again".to_owned(),
            _ => format!("make them again: {repair}"),
        }
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
