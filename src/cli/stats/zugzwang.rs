//! Mutual zugzwangs, printed and as JSON.

use std::io::Write;

use indicatif::HumanCount;
pub use retrograde::statistics::Kind;
use serde_json::{Value, json};

use crate::cli::print::counted;

/// In words; `first` is what the side that moves first in a game is called.
fn name(kind: Kind, first: &str) -> String {
    match kind {
        Kind::BlackLoses => format!("{first} to move draws, black to move loses"),
        Kind::WhiteLoses => format!("{first} to move loses, black to move draws"),
        Kind::BothLose => "whoever is to move loses".to_owned(),
    }
}

fn json_name(kind: Kind, first: &str) -> String {
    match kind {
        Kind::BlackLoses => format!("{first}_draws_black_loses"),
        Kind::WhiteLoses => format!("{first}_loses_black_draws"),
        Kind::BothLose => "whoever_moves_loses".to_owned(),
    }
}

/// The mutual zugzwangs of one kind.
#[derive(Debug, Default)]
pub struct Zugzwangs {
    /// Over the full board.
    pub count: u64,
    /// Mirror images counted once; where both sides have the same men and lose, so are exchanged
    /// colours.
    pub different: u64,
    /// The first of those that are different, in the order of indices, with White to move.
    pub fens: Vec<String>,
}

/// The mutual zugzwangs of a material.
#[derive(Debug, Default)]
pub struct Found([Zugzwangs; 3]);

impl Found {
    pub fn of_kind(&mut self, kind: Kind) -> &mut Zugzwangs {
        &mut self.0[kind as usize]
    }

    /// How many zugzwangs there are: over the full board, and different ones as published lists
    /// count them. Where both sides have the same men, exchanging the colours does not make a
    /// position a different one.
    fn totals(&self, is_symmetric: bool) -> (u64, u64) {
        let different = |kind: &Kind| *kind != Kind::WhiteLoses || !is_symmetric;
        (
            self.0.iter().map(|kind| kind.count).sum(),
            Kind::ALL
                .into_iter()
                .filter(different)
                .map(|kind| self.0[kind as usize].different)
                .sum(),
        )
    }

    pub fn to_json(&self, is_symmetric: bool, first: &str) -> Value {
        let (positions, different) = self.totals(is_symmetric);
        let mut answer = json!({"positions": positions, "different": different});
        for kind in Kind::ALL {
            let Zugzwangs {
                count,
                different,
                fens,
            } = &self.0[kind as usize];
            answer[json_name(kind, first)] =
                json!({"positions": count, "different": different, "fens": fens});
        }
        answer
    }

    /// Prints how many there are of each kind, and those listed.
    ///
    /// # Errors
    ///
    /// If nothing can be written.
    pub fn print(
        &self,
        material: &str,
        is_symmetric: bool,
        first: &str,
        limit: usize,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let (positions, different) = self.totals(is_symmetric);
        writeln!(
            out,
            "{material} mutual zugzwangs: {}, {} different",
            counted(positions as usize, "position"),
            HumanCount(different)
        )?;
        for kind in Kind::ALL {
            let of_kind = &self.0[kind as usize];
            if of_kind.count == 0 {
                continue;
            }
            writeln!(
                out,
                "{}: {}, {} different",
                name(kind, first),
                counted(of_kind.count as usize, "position"),
                HumanCount(of_kind.different)
            )?;
            for fen in &of_kind.fens {
                writeln!(out, "  {fen}")?;
            }
            if of_kind.different > of_kind.fens.len() as u64 {
                writeln!(out, "  and more: --limit lists more than {limit}")?;
            }
        }
        Ok(())
    }
}
