//! What xiangqi tables say about a position: `retrograde probe` with a board of ten ranks.

use std::io::Write;

use anyhow::{Result, anyhow};
use retrograde::game::Color;
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::xiangqi::{XiangqiLineEnd, XiangqiProbeError, XiangqiTables, XiangqiValue};
use retrograde::reach::{LeafError, MoveValue};
use retrograde::xiangqi::{Material, Rules};
use retrograde::xiangqi::{Move, Position, wxf};
use serde::Serialize;

use crate::cli::movetext::movetext;
use crate::cli::print::{best_line, plies_or_dash, those_that_hold};
use crate::cli::solve::leaves::XiangqiLeaves;
use crate::cli::{Outcome, TableDirectory};

/// A line of play ends here even if the game does not.
const MAX_LINE: usize = 1200;

/// A position, its value for the side to move, and its moves, best first.
#[derive(Debug, Serialize)]
pub struct Answer {
    fen: String,
    game: &'static str,
    rules: &'static str,
    material: String,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(flatten)]
    value: ValueAnswer,
    moves: Vec<MoveAnswer>,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<LineAnswer>,
}

#[derive(Debug, Serialize)]
struct ValueAnswer {
    category: &'static str,
    wdl: Option<i32>,
    dtc: Option<i32>,
    dtm: Option<i32>,
    /// How often the rule of perpetual check was applied.
    round: Option<u8>,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
}

/// A move; values are for the side to move after it.
#[derive(Debug, Serialize)]
struct MoveAnswer {
    uci: String,
    wxf: String,
    zeroing: bool,
    #[serde(flatten)]
    value: ValueAnswer,
}

/// Best play.
#[derive(Debug, Serialize)]
pub struct LineAnswer {
    pub uci: Vec<String>,
    pub wxf: Vec<String>,
    /// `checkmate`, `stalemate`, `draw`, `perpetual-check`, `unfinished`, or `unknown` where a table is missing.
    pub end: &'static str,
    /// Which one, if `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// By which metric both sides chose.
    pub metric: &'static str,
}

impl ValueAnswer {
    fn new(value: Option<&XiangqiValue>, position: &Position) -> ValueAnswer {
        ValueAnswer {
            category: value.map_or("unknown", |value| value.wdl.category()),
            wdl: value.map(|value| value.wdl.signum2()),
            dtc: value.and_then(|value| value.dtc),
            dtm: value.and_then(|value| value.dtm).map(|dtm| dtm.0),
            round: value.map(|value| value.round),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
        }
    }
}

impl MoveAnswer {
    fn new(position: &Position, played: Move, value: Option<&XiangqiValue>) -> MoveAnswer {
        MoveAnswer {
            uci: played.to_iccs(),
            wxf: wxf(position, played),
            zeroing: played.is_capture(),
            value: ValueAnswer::new(value, &position.play(played)),
        }
    }
}

/// What a side is called.
pub fn name(color: Color) -> &'static str {
    match color {
        Color::White => "red",
        Color::Black => "black",
    }
}

/// A value; or nothing and the reason, where the tables cannot know.
fn known<T>(value: Result<T, XiangqiProbeError>) -> Result<Result<T, String>, XiangqiProbeError> {
    match value {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_missing_table() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

impl Answer {
    /// Asks the tables.
    ///
    /// # Errors
    ///
    /// If a table is damaged; what the tables do not have makes the category unknown.
    pub fn new(tables: &XiangqiTables, position: &Position, with_line: bool) -> Result<Answer> {
        let value = known(tables.probe(position))?;
        let moves = match &value {
            Ok(_) => known(tables.moves(position))?.ok(),
            Err(_) => None,
        };
        let moves = match moves {
            Some(moves) => (moves.iter())
                .map(|m| MoveAnswer::new(position, m.played, Some(&m.value)))
                .collect(),
            None => moves_of_uncovered(tables, position)?,
        };
        let line = match (&value, with_line) {
            (Ok(_), true) => Some(line(tables, position)?),
            _ => None,
        };
        let (value, reason) = match value {
            Ok(value) => (Some(value), None),
            Err(reason) => (None, Some(reason)),
        };
        Ok(Answer {
            fen: position.to_fen(),
            game: "xiangqi",
            rules: tables.rules().name(),
            material: Material::of(position).normal_form().to_string(),
            reason,
            value: ValueAnswer::new(value.as_ref(), position),
            moves,
            line,
        })
    }
}

impl Answer {
    /// Asks a file of solved positions, and tables for what is not in it.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn of_solved(
        set: &SolvedSet<Position>,
        position: &Position,
        leaves: &XiangqiLeaves<'_>,
    ) -> Result<Answer> {
        let error = |error: LeafError| anyhow!(error);
        let value = set.value_or_leaf(position, leaves).map_err(error)?;
        let moves = set.moves(position, leaves).map_err(error)?;
        let answer =
            |m: &MoveValue<Position>| MoveAnswer::new(position, m.played, m.value.as_ref());
        let reason = || format!("the position is not in {}", set.path().display());
        Ok(Answer {
            fen: position.to_fen(),
            game: "xiangqi",
            rules: set.rules().name(),
            material: Material::of(position).normal_form().to_string(),
            reason: value.is_none().then(reason),
            value: ValueAnswer::new(value.as_ref(), position),
            moves: moves.iter().map(answer).collect(),
            line: None,
        })
    }
}

/// The legal moves of a position where not all are known, with what is.
fn moves_of_uncovered(tables: &XiangqiTables, position: &Position) -> Result<Vec<MoveAnswer>> {
    let mut moves = Vec::new();
    for &played in position.legal_moves().as_slice() {
        let value = known(tables.probe(&position.play(played)))?.ok();
        // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it was.
        let rank = value.map_or((0, true), |value| (value.wdl.signum2(), false));
        moves.push((rank, MoveAnswer::new(position, played, value.as_ref())));
    }
    moves.sort_by_key(|&(rank, _)| rank);
    Ok(moves.into_iter().map(|(_, answer)| answer).collect())
}

/// Best play by the tables.
///
/// # Errors
///
/// If they do not know the first move, or one of them is damaged.
pub fn line(tables: &XiangqiTables, position: &Position) -> Result<LineAnswer> {
    let line = tables.line(position, MAX_LINE)?;
    let (uci, wxf) = line.moves.into_iter().map(|m| (m.iccs, m.wxf)).unzip();
    Ok(LineAnswer {
        uci,
        wxf,
        end: match line.end {
            XiangqiLineEnd::Checkmate => "checkmate",
            XiangqiLineEnd::Stalemate => "stalemate",
            XiangqiLineEnd::Draw => "draw",
            XiangqiLineEnd::PerpetualCheck => "perpetual-check",
            XiangqiLineEnd::Unknown => "unknown",
            _ => "unfinished",
        },
        reason: line.reason,
        metric: line.metric.name(),
    })
}

/// Answers and prints.
pub fn probe(
    position: &Position,
    rules: Rules,
    with_line: bool,
    json: bool,
    directory: &TableDirectory,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let tables = XiangqiTables::open(directory.path(), rules);
    let answer = Answer::new(&tables, position, with_line)?;
    print_answer(answer, position, json, out)
}

/// Prints an answer.
///
/// # Errors
///
/// If it cannot be written.
pub fn print_answer(
    answer: Answer,
    position: &Position,
    json: bool,
    out: &mut dyn Write,
) -> Result<Outcome> {
    if json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else if answer.reason.is_none() {
        print(&answer, position, out)?;
    }
    Ok(match answer.reason {
        None => Outcome::Done,
        Some(reason) => Outcome::No(reason),
    })
}

fn print(answer: &Answer, position: &Position, out: &mut dyn Write) -> Result<()> {
    let value = &answer.value;
    writeln!(
        out,
        "{} under {}, {} to move: {}, dtc {}, dtm {}",
        answer.material,
        answer.rules,
        name(position.turn()),
        value.category,
        plies_or_dash(value.dtc),
        plies_or_dash(value.dtm)
    )?;
    let remarks = [
        (value.round > Some(0), "decided by perpetual check"),
        (value.checkmate, "checkmate"),
        (value.stalemate, "no legal move"),
        (value.insufficient_material, "nobody can attack"),
    ];
    those_that_hold(&remarks, out)?;
    let rows = answer.moves.iter().map(|m| MoveRow {
        iccs: &m.uci,
        wxf: &m.wxf,
        result: m.value.category.to_owned(),
        dtc: m.value.dtc,
        dtm: m.value.dtm,
        checkmate: m.value.checkmate,
        stalemate: m.value.stalemate,
        capture: m.zeroing,
    });
    move_rows(rows, out)?;
    if let Some(line) = &answer.line {
        print_line(line, position, out)?;
    }
    Ok(())
}

/// What is said of one legal move.
pub struct MoveRow<'a> {
    /// The move in ICCS notation.
    pub iccs: &'a str,
    /// The move in WXF notation.
    pub wxf: &'a str,
    /// What the opponent has after it.
    pub result: String,
    /// The opponent's plies to conversion.
    pub dtc: Option<i32>,
    /// The opponent's plies to mate.
    pub dtm: Option<i32>,
    /// Whether it mates.
    pub checkmate: bool,
    /// Whether it leaves the opponent without a move.
    pub stalemate: bool,
    /// Whether it captures.
    pub capture: bool,
}

/// The moves of a position, a row each, below an empty line; nothing if there are none.
///
/// # Errors
///
/// If they cannot be written.
pub fn move_rows<'a>(
    rows: impl IntoIterator<Item = MoveRow<'a>>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_some() {
        writeln!(
            out,
            "\n{:<6} {:<6} {:<9} {:>5} {:>5}",
            "move", "wxf", "opponent", "dtc", "dtm"
        )?;
    }
    for row in rows {
        let remark = match (row.checkmate, row.stalemate, row.capture) {
            (true, ..) => "  checkmate",
            (_, true, _) => "  no legal move",
            (_, _, true) => "  capture",
            _ => "",
        };
        writeln!(
            out,
            "{:<6} {:<6} {:<9} {:>5} {:>5}{remark}",
            row.iccs,
            row.wxf,
            row.result,
            plies_or_dash(row.dtc),
            plies_or_dash(row.dtm)
        )?;
    }
    Ok(())
}

/// Prints best play.
///
/// # Errors
///
/// If it cannot be written.
pub fn print_line(line: &LineAnswer, position: &Position, out: &mut dyn Write) -> Result<()> {
    if line.wxf.is_empty() {
        writeln!(out, "\nno line: the game is over or drawn")?;
        return Ok(());
    }
    let words = movetext(position.fullmoves(), position.turn(), &line.wxf);
    let reason = line.reason.as_deref();
    best_line(line.metric, line.wxf.len(), line.end, &words, reason, out)
}
