//! `retrograde probe` with a board of ten ranks.

use std::io::Write;

use anyhow::Result;
use retrograde::game::Color;
use retrograde::game::xiangqi::{Position, wxf};
use retrograde::probe::xiangqi::{XiangqiTables, XiangqiValue};
use retrograde::xiangqi::{Material, Rules};
use serde::Serialize;

use crate::cli::print::{known, those_that_hold};
use crate::cli::{Outcome, TableDirectory};

#[derive(Serialize)]
struct Answer {
    fen: String,
    game: &'static str,
    rules: &'static str,
    material: String,
    #[serde(flatten)]
    value: ValueAnswer,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct ValueAnswer {
    category: &'static str,
    wdl: i32,
    dtc: Option<i32>,
    dtm: Option<i32>,
    /// How often the rule of perpetual check was applied.
    round: u8,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
}

#[derive(Serialize)]
struct MoveAnswer {
    uci: String,
    wxf: String,
    zeroing: bool,
    #[serde(flatten)]
    value: ValueAnswer,
}

impl ValueAnswer {
    fn new(value: &XiangqiValue, position: &Position) -> ValueAnswer {
        ValueAnswer {
            category: value.wdl.category(),
            wdl: value.wdl.signum2(),
            dtc: value.dtc,
            dtm: value.dtm.map(|dtm| dtm.0),
            round: value.round,
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
        }
    }
}

/// What a side is called.
pub(super) fn name(color: Color) -> &'static str {
    match color {
        Color::White => "red",
        Color::Black => "black",
    }
}

/// Answers and prints.
pub fn probe(
    position: &Position,
    rules: Rules,
    json: bool,
    directory: &TableDirectory,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let tables = XiangqiTables::open(directory.path(), rules);
    let value = tables.probe(position)?;
    let moves = tables
        .moves(position)?
        .iter()
        .map(|m| MoveAnswer {
            uci: m.played.to_iccs(),
            wxf: wxf(position, m.played),
            zeroing: m.played.is_capture(),
            value: ValueAnswer::new(&m.value, &position.play(m.played)),
        })
        .collect();
    let answer = Answer {
        fen: position.to_fen(),
        game: "xiangqi",
        rules: rules.name(),
        material: Material::of(position).normal_form().to_string(),
        value: ValueAnswer::new(&value, position),
        moves,
    };
    if json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        print(&answer, position, out)?;
    }
    Ok(Outcome::Done)
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
        known(value.dtc),
        known(value.dtm)
    )?;
    let remarks = [
        (value.round > 0, "decided by perpetual check"),
        (value.checkmate, "checkmate"),
        (value.stalemate, "no legal move"),
        (value.insufficient_material, "nobody can attack"),
    ];
    those_that_hold(&remarks, out)?;
    if !answer.moves.is_empty() {
        writeln!(
            out,
            "\n{:<6} {:<6} {:<9} {:>5} {:>5}",
            "move", "wxf", "opponent", "dtc", "dtm"
        )?;
    }
    for m in &answer.moves {
        let remark = match (m.value.checkmate, m.value.stalemate, m.zeroing) {
            (true, ..) => "  checkmate",
            (_, true, _) => "  no legal move",
            (_, _, true) => "  capture",
            _ => "",
        };
        writeln!(
            out,
            "{:<6} {:<6} {:<9} {:>5} {:>5}{remark}",
            m.uci,
            m.wxf,
            m.value.category,
            known(m.value.dtc),
            known(m.value.dtm)
        )?;
    }
    Ok(())
}
