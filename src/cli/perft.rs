//! `retrograde perft`: how many lines of play there are.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use retrograde::game::Game;
use retrograde::{chess, xiangqi};
use serde::Serialize;

use super::{Outcome, input};

/// More would not end; this many do not exhaust the stack.
const MAX_DEPTH: u32 = 99;

/// Count the lines of play from a position: the move generator's own test
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde perft startpos 5\n  \
    retrograde perft '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1' 5 --divide\n  \
    retrograde perft startpos 4 --game xiangqi")]
pub struct Perft {
    /// The position, as one argument or several; `startpos` for the start of a game
    #[arg(required = true, num_args = 1..)]
    fen: Vec<String>,

    /// Length of the lines in plies
    #[arg(value_parser = depth)]
    depth: u32,

    /// Which game the position is of; a FEN tells by its ranks, `startpos` is of chess
    #[arg(long)]
    game: Option<Game>,

    /// Count for each first move
    #[arg(long)]
    divide: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn depth(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(depth) if depth <= MAX_DEPTH => Ok(depth),
        _ => Err(format!(
            "depth `{text}`: write a number of plies from 0 to {MAX_DEPTH}"
        )),
    }
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    depth: u32,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveCount>>,
}

#[derive(Serialize)]
struct MoveCount {
    uci: String,
    nodes: u64,
}

impl Perft {
    /// Counts and prints.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome> {
        let answer = match input::means_xiangqi(self.game, &self.fen) {
            true => self.xiangqi()?,
            false => self.chess()?,
        };
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
            return Ok(Outcome::Done);
        }
        for m in answer.moves.iter().flatten() {
            writeln!(out, "{}: {}", m.uci, m.nodes)?;
        }
        writeln!(out, "{}", answer.nodes)?;
        Ok(Outcome::Done)
    }

    fn chess(&self) -> Result<Answer> {
        let position = input::position(&self.fen)?;
        let divided = (self.divide).then(|| chess::divide(&position, self.depth));
        let moves = divided.map(|moves| counts(&moves, |m| m.to_uci()));
        Ok(self.answer(position.to_fen(), moves, || {
            chess::perft(&position, self.depth)
        }))
    }

    fn xiangqi(&self) -> Result<Answer> {
        let position = input::xiangqi_position(&self.fen)?;
        let divided = (self.divide).then(|| xiangqi::divide(&position, self.depth));
        let moves = divided.map(|moves| counts(&moves, |m| m.to_iccs()));
        Ok(self.answer(position.to_fen(), moves, || {
            xiangqi::perft(&position, self.depth)
        }))
    }

    fn answer(
        &self,
        fen: String,
        moves: Option<Vec<MoveCount>>,
        count: impl Fn() -> u64,
    ) -> Answer {
        let nodes = match &moves {
            Some(moves) if self.depth > 0 => moves.iter().map(|m| m.nodes).sum(),
            _ => count(),
        };
        Answer {
            fen,
            depth: self.depth,
            nodes,
            moves,
        }
    }
}

fn counts<M>(moves: &[(M, u64)], name: impl Fn(&M) -> String) -> Vec<MoveCount> {
    moves
        .iter()
        .map(|(m, nodes)| MoveCount {
            uci: name(m),
            nodes: *nodes,
        })
        .collect()
}
