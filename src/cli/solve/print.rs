//! What was proved, in words, and as a game.

use std::io::Write;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use retrograde::Tablebase;
use retrograde::game::chess::{Position, san};
use retrograde::metric::{Dtz, Metric};
use retrograde::reach::{LineEnd, Solved};

use super::answer::{Explored, SolveAnswer, decisive, pgn_result};
use crate::cli::answer::{LineAnswer, line as line_of_tables};
use crate::cli::movetext::movetext;
use crate::cli::print::{MoveRow, move_rows, plies_or_dash, those_that_hold};
use crate::cli::probe::print_line;

/// Where lines of PGN are broken, as its standard asks.
const PGN_WIDTH: usize = 79;

/// Best play: what was solved, and from where tables know more, what they say.
///
/// # Errors
///
/// If a table is damaged.
pub fn line(
    position: &Position,
    solved: &Solved,
    tables: &Tablebase,
    has_mates: bool,
) -> Result<LineAnswer> {
    let found = decisive(solved);
    // There was no time for mates if a win has none.
    let has_mates =
        has_mates && found.is_none_or(|found| found.root.dtm.is_some() || found.root.dtz == Dtz(0));
    let metric = if has_mates { Metric::Dtm } else { Metric::Dtz };
    let mut answer = LineAnswer {
        uci: Vec::new(),
        san: Vec::new(),
        end: "unknown",
        reason: None,
        metric: metric.name(),
        plies_by_metric: None,
    };
    let Some(found) = found else {
        return Ok(answer);
    };
    let mut position = *position;
    for &played in &found.line.moves {
        answer.uci.push(played.to_uci());
        answer.san.push(san(&position, played));
        position = position.play(played);
    }
    answer.end = match found.line.end {
        LineEnd::Checkmate => "checkmate",
        LineEnd::Draw => "draw",
        LineEnd::TooLong => "unfinished",
        _ => "unknown",
    };
    match found.line.end {
        LineEnd::Leaf => {
            let rest = line_of_tables(tables, &position)?;
            let solved = answer.san.len();
            answer.plies_by_metric = match (rest.metric == answer.metric, rest.plies_by_metric) {
                (false, _) => Some(solved),
                (true, plies) => plies.map(|plies| plies + solved),
            };
            answer.uci.extend(rest.uci);
            answer.san.extend(rest.san);
            answer.end = rest.end;
            answer.reason = rest.reason;
        }
        LineEnd::Unexplored => {
            answer.reason = Some("what follows was not explored".to_owned());
        }
        _ => {}
    }
    Ok(answer)
}

/// Best play as a game.
pub fn pgn(position: &Position, line: &LineAnswer, answer: &SolveAnswer) -> String {
    let result = pgn_result(position.turn(), answer.bounds.wdl);
    let mut pgn = String::new();
    for (name, value) in [
        ("Event", "retrograde solve"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "-"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", result),
        ("SetUp", "1"),
        ("FEN", &answer.fen),
    ] {
        pgn += &format!("[{name} \"{value}\"]\n");
    }
    let mut words = Vec::new();
    for numbered in movetext(position.fullmoves(), position.turn(), &line.san) {
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
pub fn text(answer: &SolveAnswer, position: &Position, out: &mut dyn Write) -> Result<()> {
    let distance = |plies: Option<i32>| match plies {
        // A draw has no way that could be shorter.
        Some(plies) if plies != 0 && !answer.exact => format!("{plies} or less"),
        plies => plies_or_dash(plies),
    };
    writeln!(
        out,
        "{}, {} to move: {}, dtz {}, dtm {}",
        answer.material,
        position.turn(),
        answer.bounds.describe(),
        distance(answer.dtz),
        distance(answer.dtm)
    )?;
    let remarks = [
        (answer.checkmate, "checkmate"),
        (answer.stalemate, "stalemate"),
        (answer.insufficient_material, "nobody can mate"),
    ];
    those_that_hold(&remarks, out)?;
    print_exploration(&answer.explored, out)?;
    if let Some(restriction) = &answer.restriction {
        writeln!(
            out,
            "restriction: {restriction}; results are bounds for that side"
        )?;
    }
    let rows = answer.moves.iter().map(|m| MoveRow {
        san: &m.san,
        result: m.bounds.describe(),
        dtz: plies_or_dash(m.dtz),
        dtm: plies_or_dash(m.dtm),
        checkmate: m.checkmate,
        stalemate: m.stalemate,
        zeroing: m.zeroing,
    });
    move_rows(rows, out)?;
    if let Some(line) = &answer.line {
        print_line(line, position, out)?;
    }
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
pub fn print_exploration(explored: &Explored, out: &mut dyn Write) -> Result<()> {
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
