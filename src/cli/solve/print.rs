//! What was proved, in words.

use std::io::Write;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use retrograde::game::Game;
use retrograde::reach::{LineEnd, Solved};

use super::answer::{Explored, SolveAnswer, decisive};
use crate::cli::answer::{LineAnswer, Names, zeroing};
use crate::cli::game::CliGame;
use crate::cli::print::counted;
use crate::cli::show::By;

/// Why nothing is known of what follows.
const UNEXPLORED: &str = "what follows was not explored";

/// Best play: what was solved, and from where tables know more, what they say. And what is wrong
/// with a table, if the line ends there.
pub fn line<P: CliGame>(
    position: &P,
    solved: &Solved<P>,
    tables: &P::Tables,
) -> (LineAnswer, Option<anyhow::Error>) {
    let found = decisive(solved).map(|found| &found.line);
    let (mut position, mut uci, mut book) = (*position, Vec::new(), Vec::new());
    for &played in found.iter().flat_map(|line| &line.moves) {
        let names = position.names(played);
        uci.push(names.uci);
        book.push(names.book);
        position = position.after(played);
    }
    let (solved_plies, end) = (uci.len(), found.map(|line| line.end));
    let mut line = LineAnswer {
        names: Names {
            game: P::GAME,
            uci,
            book,
        },
        end: match end {
            Some(LineEnd::Checkmate) => "checkmate",
            Some(LineEnd::Stalemate) => "stalemate",
            Some(LineEnd::Draw) => "draw",
            Some(LineEnd::PerpetualCheck) => "perpetual-check",
            Some(LineEnd::TooLong) => "unfinished",
            _ => "unknown",
        },
        reason: (end == Some(LineEnd::Unexplored)).then(|| UNEXPLORED.to_owned()),
        metric: match solved.has_mates() {
            true => "dtm",
            false => zeroing(P::GAME),
        },
        plies_by_metric: None,
    };
    if end == Some(LineEnd::Leaf) {
        let rest = match position.line(tables, By::Dtm) {
            Ok(rest) => rest,
            Err(error) => {
                (line.end, line.reason) = ("unknown", Some(error.to_string()));
                return (line, Some(error));
            }
        };
        if P::GAME == Game::Chess {
            line.plies_by_metric = match rest.metric == line.metric {
                false => Some(solved_plies),
                true => rest.plies_by_metric.map(|plies| plies + solved_plies),
            };
        }
        line.names.uci.extend(rest.names.uci);
        line.names.book.extend(rest.names.book);
        (line.end, line.reason) = (rest.end, rest.reason);
    }
    (line, None)
}

/// Prints an answer.
///
/// # Errors
///
/// If it cannot be written.
pub fn text(answer: &SolveAnswer, out: &mut dyn Write) -> Result<()> {
    answer.answer.print_value(out)?;
    print_exploration(&answer.explored, out)?;
    if let Some(restriction) = &answer.restriction {
        writeln!(
            out,
            "restriction: {restriction}; results are bounds for that side"
        )?;
    }
    answer.answer.print_moves(out)?;
    if let Some(saved) = &answer.saved {
        let (file, bytes) = (saved.file.display(), HumanBytes(saved.bytes));
        writeln!(out, "\nsaved {file}, {bytes}")?;
    }
    Ok(())
}

/// How much was explored, and what was left out.
fn print_exploration(explored: &Explored, out: &mut dyn Write) -> Result<()> {
    let count = |number: usize| HumanCount(number as u64);
    write!(out, "{}", counted(explored.positions, "position"))?;
    if explored.unexplored > 0 {
        write!(out, ", {} of them not explored", count(explored.unexplored))?;
    }
    if explored.table_men > 0 {
        write!(out, ", tables of up to {} men", explored.table_men)?;
    }
    writeln!(
        out,
        ", {} of memory, {:.3} s",
        HumanBytes(explored.memory as u64),
        explored.seconds
    )?;
    Ok(())
}
