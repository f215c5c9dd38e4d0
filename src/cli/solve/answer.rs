//! What was proved of a position, as one JSON object.

use std::path::PathBuf;

use retrograde::game::Color;
use retrograde::game::chess::{Position, san};
use retrograde::metric::{Dtm, Dtz, FIFTY_MOVES, Wdl};
use retrograde::probe::{RootMove, sort_root_moves};
use retrograde::reach::{Analysed, End, MoveValue, Progress, Solved, Value};
use serde::Serialize;

use crate::cli::answer::{self, LineAnswer};

/// A position, what is proved of it for the side to move, and its moves, best first.
#[derive(Debug, Serialize)]
pub struct SolveAnswer {
    pub fen: String,
    pub material: String,
    /// With the clock of the position.
    pub category: &'static str,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(flatten)]
    pub bounds: Bounds,
    /// Whether distances are exact, or those of a way that was found and may not be the shortest.
    pub exact: bool,
    pub dtz: Option<i32>,
    pub dtm: Option<i32>,
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
    pub moves: Vec<SolvedMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<LineAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
    #[serde(flatten)]
    pub explored: Explored,
    /// What was denied to one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restriction: Option<String>,
    /// Where all positions were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<Saved>,
}

/// How far an exploration came and what it took.
#[derive(Debug, Serialize)]
pub struct Explored {
    /// Whether everything that can be reached was explored: `complete`, `limit` or `stopped`.
    exploration: &'static str,
    /// Positions found.
    pub positions: usize,
    /// Those whose moves were not looked at.
    pub unexplored: usize,
    /// Bytes of memory at the worst moment.
    pub memory: usize,
    /// Men up to which all positions were taken from tables; 0 if none were.
    pub table_men: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A file with all positions.
#[derive(Debug, Serialize)]
pub struct Saved {
    pub file: PathBuf,
    pub bytes: u64,
}

/// A move; values are for the side to move after it.
#[derive(Debug, Serialize)]
pub struct SolvedMove {
    pub uci: String,
    pub san: String,
    pub zeroing: bool,
    pub category: &'static str,
    #[serde(flatten)]
    pub bounds: Bounds,
    pub dtz: Option<i32>,
    pub dtm: Option<i32>,
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
}

/// The result if it is proved, and what is proved otherwise. With the clock as it stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bounds {
    pub wdl: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<&'static str>,
    #[serde(skip)]
    pub result: Option<Wdl>,
}

impl Bounds {
    /// At least the one, at most the other.
    pub fn new(at_least: Wdl, at_most: Wdl) -> Bounds {
        let result = (at_least == at_most).then_some(at_least);
        let unless = |bound: Wdl, trivial: Wdl| {
            (result.is_none() && bound != trivial).then(|| bound.category())
        };
        Bounds {
            wdl: result.map(Wdl::signum2),
            at_least: unless(at_least, Wdl::Loss),
            at_most: unless(at_most, Wdl::Win),
            result,
        }
    }

    /// The category, `unknown` where it is not proved.
    pub fn category(&self) -> &'static str {
        self.result.map_or("unknown", Wdl::category)
    }

    /// In words.
    pub fn describe(&self) -> String {
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => format!("at least {least}, at most {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => self.category().to_owned(),
        }
    }
}

/// The result of a value when the clock stands at so many plies.
fn with_clock(value: Value, clock: u32, is_checkmate: bool) -> Wdl {
    let wdl = value.dtz.wdl();
    if is_checkmate || clock + value.dtz.0.unsigned_abs() <= FIFTY_MOVES.0 {
        return wdl;
    }
    match wdl {
        Wdl::Win => Wdl::CursedWin,
        Wdl::Loss => Wdl::BlessedLoss,
        wdl => wdl,
    }
}

/// A move with what the analyses say of the position after it, for the side to move there.
struct Judged {
    root_move: RootMove,
    bounds: Bounds,
    value: Option<Value>,
}

impl Judged {
    /// Of the same move in the analysis that has an upper bound for the side to move after it, and in that with a lower one.
    fn new(
        position: &Position,
        played: retrograde::game::chess::Move,
        upper: Option<&MoveValue>,
        lower: Option<&MoveValue>,
    ) -> Judged {
        let next = position.play(played);
        let is_checkmate = next.is_checkmate();
        let clock = u32::from(next.halfmoves());
        let value = |of: Option<&MoveValue>| of.and_then(|of| of.value);
        let bound = |of: Option<&MoveValue>, trivial| {
            value(of).map_or(trivial, |value| with_clock(value, clock, is_checkmate))
        };
        let at_least = bound(lower, Wdl::Loss);
        let at_most = bound(upper, Wdl::Win);
        let bounds = Bounds::new(at_least, at_most);
        let decided = bounds.result.and_then(|_| match at_most {
            Wdl::Loss | Wdl::BlessedLoss => value(upper),
            _ => value(lower).or(value(upper)),
        });
        Judged {
            root_move: RootMove {
                wdl: decided.map(|value| value.dtz.wdl()),
                dtz: decided.map(|value| value.dtz.into()),
                dtm: decided.and_then(|value| value.dtm),
                ..RootMove::new(played, &next)
            },
            bounds,
            value: decided,
        }
    }

    fn answer(&self, position: &Position) -> SolvedMove {
        let m = &self.root_move;
        SolvedMove {
            uci: m.played.to_uci(),
            san: san(position, m.played),
            zeroing: m.is_zeroing,
            category: self.bounds.category(),
            bounds: self.bounds,
            dtz: self.value.map(|value| value.dtz.0),
            dtm: dtm(self.value),
            checkmate: m.is_checkmate,
            stalemate: m.is_stalemate,
            insufficient_material: m.is_insufficient_material,
        }
    }
}

fn dtm(value: Option<Value>) -> Option<i32> {
    value.and_then(|value| value.dtm).map(|Dtm(plies)| plies)
}

/// All moves, best first, as [`retrograde::Tablebase::root_moves`] has them.
fn moves(position: &Position, solved: &Solved) -> Vec<SolvedMove> {
    let find = |found: Option<&Analysed>, played| -> Option<MoveValue> {
        let mut moves = found?.moves.iter();
        moves.find(|m| m.played == played).copied()
    };
    let mut judged: Vec<Judged> = Vec::new();
    for played in &position.legal_moves() {
        // What is a lower bound for the player is an upper bound for the opponent.
        let (upper, lower) = (find(solved.lower(), played), find(solved.upper(), played));
        judged.push(Judged::new(
            position,
            played,
            upper.as_ref(),
            lower.as_ref(),
        ));
    }
    let mut order: Vec<RootMove> = judged.iter().map(|m| m.root_move).collect();
    sort_root_moves(&mut order, u32::from(position.halfmoves()));
    let place = |m: &Judged| {
        let is_same = |root_move: &RootMove| root_move.played == m.root_move.played;
        order.iter().position(is_same)
    };
    judged.sort_by_cached_key(place);
    judged.iter().map(|m| m.answer(position)).collect()
}

/// The analysis whose distances and line are those of the result: that in which the winner wins, or any for a draw.
pub fn decisive(solved: &Solved) -> Option<&Analysed> {
    let is_loss = |found: &&Analysed| found.root.dtz < Dtz(0);
    solved
        .upper()
        .filter(is_loss)
        .or(solved.lower())
        .or(solved.upper())
}

impl SolveAnswer {
    /// What was proved of `position`.
    pub fn new(position: &Position, solved: &Solved) -> SolveAnswer {
        let is_checkmate = position.is_checkmate();
        let clock = u32::from(position.halfmoves());
        let bound = |found: Option<&Analysed>, trivial| {
            found.map_or(trivial, |found| with_clock(found.root, clock, is_checkmate))
        };
        let at_least = bound(solved.lower(), Wdl::Loss);
        let at_most = match at_least {
            // Nothing is better.
            Wdl::Win => Wdl::Win,
            _ => bound(solved.upper(), Wdl::Win),
        };
        let bounds = Bounds::new(at_least, at_most);
        let value = bounds
            .result
            .and_then(|_| decisive(solved))
            .map(|found| found.root);
        SolveAnswer {
            fen: position.to_fen(),
            material: answer::material(position),
            category: bounds.category(),
            reason: bounds
                .result
                .is_none()
                .then(|| unproved(solved.end, &bounds)),
            bounds,
            exact: solved.exact().is_some(),
            dtz: value.map(|value| value.dtz.0),
            dtm: dtm(value),
            checkmate: is_checkmate,
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
            moves: moves(position, solved),
            line: None,
            pgn: None,
            explored: Explored::new(solved.end, solved.progress, solved.peak_memory),
            restriction: None,
            saved: None,
        }
    }
}

impl Explored {
    /// Without any table, and not timed yet.
    pub fn new(end: End, progress: Progress, memory: usize) -> Explored {
        Explored {
            exploration: match end {
                End::Complete => "complete",
                End::Limit => "limit",
                End::Stopped => "stopped",
            },
            positions: progress.positions,
            unexplored: progress.frontier,
            memory,
            table_men: 0,
            seconds: 0.0,
        }
    }
}

/// Why a result is not known.
pub fn unproved(end: End, bounds: &Bounds) -> String {
    let proved = match (bounds.at_least, bounds.at_most) {
        (None, None) => "nothing is proved".to_owned(),
        _ => format!("proved is only: {}", bounds.describe()),
    };
    let why = match end {
        End::Complete => "one side was restricted; restrict it less",
        End::Stopped => "it was stopped",
        End::Limit => {
            "not everything could be explored; allow more with --max-positions or --memory"
        }
    };
    format!("{proved}, since {why}")
}

/// The result of a game, as PGN writes it.
pub fn pgn_result(turn: Color, wdl: Option<i32>) -> &'static str {
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
    fn bounds_that_meet_are_a_result() {
        let win = Bounds::new(Wdl::Win, Wdl::Win);
        assert_eq!((win.category(), win.describe().as_str()), ("win", "win"));
        let half = Bounds::new(Wdl::Draw, Wdl::Win);
        assert_eq!(half.category(), "unknown");
        assert_eq!(half.describe(), "at least draw");
        let open = Bounds::new(Wdl::Loss, Wdl::Win);
        assert_eq!(open.describe(), "unknown");
        let closer = Bounds::new(Wdl::Draw, Wdl::CursedWin);
        assert_eq!(closer.describe(), "at least draw, at most cursed-win");
    }

    #[test]
    fn a_win_that_comes_too_late_is_cursed() {
        let value = |plies| Value {
            dtz: Dtz(plies),
            dtm: None,
        };
        assert_eq!(with_clock(value(31), 69, false), Wdl::Win);
        assert_eq!(with_clock(value(31), 70, false), Wdl::CursedWin);
        assert_eq!(with_clock(value(-2), 98, false), Wdl::Loss);
        assert_eq!(with_clock(value(-2), 99, false), Wdl::BlessedLoss);
        assert_eq!(with_clock(value(-1), 100, true), Wdl::Loss);
        assert_eq!(with_clock(value(0), 100, false), Wdl::Draw);
    }
}
