//! What several commands print in the same words.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};

use super::Outcome;

/// A distance, or a dash where it is not known.
pub fn plies_or_dash(plies: Option<i32>) -> String {
    plies.map_or("-".to_owned(), |plies| plies.to_string())
}

/// A line for each that holds.
pub fn those_that_hold(remarks: &[(bool, &str)], out: &mut dyn Write) -> Result<()> {
    for (holds, what) in remarks {
        if *holds {
            writeln!(out, "{what}")?;
        }
    }
    Ok(())
}

/// What is said of one legal move of a chess position.
pub struct MoveRow<'a> {
    /// The move in standard algebraic notation.
    pub san: &'a str,
    /// What the opponent has after it.
    pub result: String,
    /// The opponent's distance to zeroing.
    pub dtz: String,
    /// The opponent's distance to mate.
    pub dtm: String,
    /// Whether it mates.
    pub checkmate: bool,
    /// Whether it stalemates.
    pub stalemate: bool,
    /// Whether it sets the half-move clock back.
    pub zeroing: bool,
}

/// The moves of a chess position, a row each, below an empty line; nothing if there are none.
pub fn move_rows<'a>(
    rows: impl IntoIterator<Item = MoveRow<'a>>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_some() {
        writeln!(
            out,
            "\n{:<8} {:<13} {:>5} {:>5}",
            "move", "opponent", "dtz", "dtm"
        )?;
    }
    for row in rows {
        let remark = match (row.checkmate, row.stalemate, row.zeroing) {
            (true, ..) => "  checkmate",
            (_, true, _) => "  stalemate",
            (_, _, true) => "  zeroing",
            _ => "",
        };
        writeln!(
            out,
            "{:<8} {:<13} {:>5} {:>5}{remark}",
            row.san, row.result, row.dtz, row.dtm
        )?;
    }
    Ok(())
}

/// Best play by a metric: its plies, how it ends, its moves as words, and why it does not go on.
pub fn best_line(
    metric: &str,
    plies: usize,
    end: &str,
    words: &[String],
    reason: Option<&str>,
    out: &mut dyn Write,
) -> Result<()> {
    writeln!(out, "\nbest line by {metric}, {plies} plies, then {end}:")?;
    writeln!(out, "{}", words.join(" "))?;
    if let Some(reason) = reason {
        writeln!(out, "no further: {reason}")?;
    }
    Ok(())
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
        .map(|(path, why)| json!({"file": path, "error": why}))
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
