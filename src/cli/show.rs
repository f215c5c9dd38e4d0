//! What is shown of an answer beside values and moves: a board, best play, a game in PGN.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use retrograde::game::{Color, Game};

use super::answer::{Answer, LineAnswer};
use super::movetext::movetext;

/// By which distances moves of one result are ordered, and those of a line chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// To the next capture, in chess also pawn move.
    #[value(alias = "dtc")]
    Dtz,
    /// To mate, where it is known.
    #[default]
    Dtm,
}

/// What is to be shown.
#[derive(Debug, Args)]
pub struct Show {
    /// Show best play to the end
    #[arg(long)]
    pub line: bool,

    /// Show best play as a game in PGN, in xiangqi with moves as ICCS writes them; `--pgn -` prints
    /// nothing else
    #[arg(long, value_name = "-", num_args = 0..=1, require_equals = true,
        default_missing_value = "", value_parser = ["", "-"], hide_possible_values = true)]
    pub pgn: Option<String>,

    /// Draw the board
    #[arg(long)]
    pub board: bool,
}

impl Show {
    /// Whether best play is wanted in some way.
    pub fn wants_line(&self) -> bool {
        self.line || self.pgn.is_some()
    }

    /// Whether the game in PGN is all that is wanted.
    pub fn only_pgn(&self) -> bool {
        self.pgn.as_deref() == Some("-")
    }

    /// Adds best play to an answer, as it is wanted; `event` is what the game is called.
    pub fn add(&self, line: LineAnswer, event: &str, answer: &mut Answer) {
        answer.pgn = self.pgn.as_ref().map(|_| pgn(&line, answer, event));
        answer.line = self.line.then_some(line);
    }
}

/// The board of a FEN of either game, a line each rank.
pub fn board(fen: &str) -> String {
    let ranks: Vec<&str> = fen.split([' ', '/']).collect();
    let count = fen.split(' ').next().unwrap_or(fen).split('/').count();
    // Xiangqi counts ranks from 0.
    let lowest = if count > 8 { 0 } else { 1 };
    let mut text = String::new();
    for (rank, men) in (lowest..lowest + count).rev().zip(&ranks) {
        let _ = write!(text, "{rank} ");
        for man in men.chars() {
            match man.to_digit(10) {
                Some(empty) => text.push_str(&" .".repeat(empty as usize)),
                None => text.extend([' ', man]),
            }
        }
        text.push('\n');
    }
    let files = if count > 8 { 'a'..='i' } else { 'a'..='h' };
    text.push_str("  ");
    for file in files {
        text.extend([' ', file]);
    }
    text.push('\n');
    text
}

/// Where lines of PGN are broken, as its standard asks.
const PGN_WIDTH: usize = 79;

/// Best play as a game.
fn pgn(line: &LineAnswer, answer: &Answer, event: &str) -> String {
    let result = pgn_result(answer.turn, answer.bounds.wdl);
    let fen = ("FEN", &*answer.fen);
    let (before, behind, [first, second], record) = match answer.game {
        Game::Chess => (
            None,
            [("SetUp", "1"), fen],
            ["White", "Black"],
            &line.names.book,
        ),
        Game::Xiangqi => (
            Some(("Game", "Chinese Chess")),
            [("Format", "ICCS"), fen],
            ["Red", "Black"],
            &line.names.uci,
        ),
    };
    let common = [
        ("Event", event),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "-"),
        (first, "?"),
        (second, "?"),
        ("Result", result),
    ];
    let tags = before.into_iter().chain(common).chain(behind);
    let mut pgn: String = tags
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    let mut words = Vec::new();
    for numbered in movetext(answer.fullmoves, answer.turn, record) {
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

/// The result of a game, as game records write it.
fn pgn_result(turn: Color, wdl: Option<i32>) -> &'static str {
    match (wdl, turn) {
        (Some(2), Color::White) | (Some(-2), Color::Black) => "1-0",
        (Some(2), Color::Black) | (Some(-2), Color::White) => "0-1",
        (Some(_), _) => "1/2-1/2",
        (None, _) => "*",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_both_games_are_drawn_as_they_stand() {
        let chess = board("4k3/8/8/8/8/8/1R6/K7 w - - 0 1");
        let lines: Vec<&str> = chess.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], "8  . . . . k . . .");
        assert_eq!(lines[6], "2  . R . . . . . .");
        assert_eq!(lines[8], "   a b c d e f g h");
        let xiangqi = board("3k5/9/9/9/9/9/9/9/9/R3K4 w");
        let lines: Vec<&str> = xiangqi.lines().collect();
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[0], "9  . . . k . . . . .");
        assert_eq!(lines[9], "0  R . . . K . . . .");
        assert_eq!(lines[10], "   a b c d e f g h i");
    }
}
