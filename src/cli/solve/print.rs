//! What was proved, in words, and as a game.

use std::io::Write;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use retrograde::reach::{LineEnd, Solved};

use super::answer::{Explored, SolveAnswer, decisive, pgn_result};
use super::game::SolveGame;
use crate::cli::movetext::movetext;

/// Where lines of PGN are broken, as its standard asks.
const PGN_WIDTH: usize = 79;

/// Best play: what was solved, and from where tables know more, what they say.
///
/// # Errors
///
/// If a table is damaged.
pub fn line<P: SolveGame>(
    position: &P,
    solved: &Solved<P>,
    tables: &P::Tables,
) -> Result<P::LineAnswer> {
    let has_mates = solved.has_mates();
    let Some(found) = decisive(solved) else {
        return Ok(P::line_answer(Vec::new(), "unknown", has_mates));
    };
    let (mut position, mut names) = (*position, Vec::new());
    for &played in &found.line.moves {
        names.push(position.names(played));
        position = position.after(played);
    }
    let end = match found.line.end {
        LineEnd::Checkmate => "checkmate",
        LineEnd::Stalemate => "stalemate",
        LineEnd::Draw => "draw",
        LineEnd::PerpetualCheck => "perpetual-check",
        LineEnd::TooLong => "unfinished",
        _ => "unknown",
    };
    let mut answer = P::line_answer(names, end, has_mates);
    position.go_on(&mut answer, found.line.end, tables)?;
    Ok(answer)
}

/// Best play as a game.
pub fn pgn<P: SolveGame>(position: &P, line: &P::LineAnswer, answer: &SolveAnswer<P>) -> String {
    let result = pgn_result(position.turn(), answer.bounds.wdl);
    let [before, behind] = P::PGN_TAGS;
    let [first, second] = P::PLAYERS;
    let common = [
        ("Event", "retrograde solve"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "-"),
        (first, "?"),
        (second, "?"),
        ("Result", result),
    ];
    let fen = [("FEN", &*answer.fen)];
    let tags = before.iter().chain(&common).chain(behind).chain(&fen);
    let mut pgn: String = tags
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    let mut words = Vec::new();
    for numbered in movetext(position.fullmoves(), position.turn(), P::record(line)) {
        words.extend(numbered.split(' ').map(str::to_owned));
    }
    words.push(result.to_owned());
    let mut width = 0;
    for word in words {
        let room = width == 0 || width + 1 + word.len() <= PGN_WIDTH;
        pgn.push(if room && width > 0 { ' ' } else { '\n' });
        width = if room && width > 0 {
            width + 1 + word.len()
        } else {
            word.len()
        };
        pgn += &word;
    }
    pgn.push('\n');
    pgn
}

/// Prints an answer.
///
/// # Errors
///
/// If it cannot be written.
pub fn text<P: SolveGame>(
    answer: &SolveAnswer<P>,
    position: &P,
    out: &mut dyn Write,
) -> Result<()> {
    position.print_value(answer, out)?;
    print_exploration(&answer.explored, out)?;
    if let Some(restriction) = &answer.restriction {
        writeln!(
            out,
            "restriction: {restriction}; results are bounds for that side"
        )?;
    }
    position.print_moves(answer, out)?;
    if let Some(pgn) = &answer.pgn {
        write!(out, "\n{pgn}")?;
    }
    if let Some(saved) = &answer.saved {
        let (file, bytes) = (saved.file.display(), HumanBytes(saved.bytes));
        writeln!(out, "\nsaved {file}, {bytes}")?;
    }
    Ok(())
}

/// How much was explored, and what was left out.
fn print_exploration(explored: &Explored, out: &mut dyn Write) -> Result<()> {
    let count = |number: usize| HumanCount(number as u64);
    write!(out, "{} positions", count(explored.positions))?;
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
