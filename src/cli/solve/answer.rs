//! What was proved of a position, as one JSON object.

use std::path::PathBuf;

use retrograde::metric::Wdl;
use retrograde::reach::{Analysed, End, MoveValue, Outcome, Progress, Reach, Solved};
use serde::Serialize;

use crate::cli::answer::{Answer, Bounds, MoveAnswer};
use crate::cli::game::{CliGame, Judged};

/// What is proved of a position, and how.
#[derive(Debug, Serialize)]
pub struct SolveAnswer {
    #[serde(flatten)]
    pub answer: Answer,
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
    #[serde(serialize_with = "crate::cli::print::path")]
    pub file: PathBuf,
    pub bytes: u64,
}

/// A move with what the analyses say of the position after it.
fn judged<P: CliGame>(position: &P, solved: &Solved<P>, played: P::Move) -> Judged<P> {
    let next = position.after(played);
    let find = |found: Option<&Analysed<P>>| {
        let mut moves = found?.moves.iter();
        let of_move: &MoveValue<P> = moves.find(|m| m.played == played)?;
        of_move.value
    };
    // What is a lower bound for the player is an upper bound for the opponent.
    let (upper, lower) = (find(solved.lower()), find(solved.upper()));
    let bound = |of: Option<P::Value>, trivial| of.map_or(trivial, |of| next.with_clock(of));
    let at_most = bound(upper, Wdl::Win);
    let at_least = match at_most {
        // Nothing is worse.
        Wdl::Loss => Wdl::Loss,
        _ => bound(lower, Wdl::Loss),
    };
    let bounds = Bounds::new(at_least, at_most);
    let value = bounds.result.and_then(|_| match at_most {
        Wdl::Loss | Wdl::BlessedLoss => upper,
        _ => lower.or(upper),
    });
    Judged {
        played,
        next,
        bounds,
        value,
    }
}

/// All moves, best first, as `probe` has them.
fn moves<P: CliGame>(position: &P, solved: &Solved<P>) -> Vec<MoveAnswer> {
    let found = decisive(solved).map_or(&[][..], |found| &found.moves);
    let mut order: Vec<P::Move> = found.iter().map(|m| m.played).collect();
    if order.is_empty() {
        order = position.moves();
    }
    let mut moves: Vec<Judged<P>> = (order.into_iter())
        .map(|played| judged(position, solved, played))
        .collect();
    position.sort(&mut moves);
    moves.iter().map(|m| m.answer(position)).collect()
}

/// The analysis whose distances and line are those of the result: that in which the winner wins, or
/// any for a draw.
pub fn decisive<P: Reach>(solved: &Solved<P>) -> Option<&Analysed<P>> {
    let is_loss = |found: &&Analysed<P>| found.root.wdl() < Wdl::Draw;
    solved
        .upper()
        .filter(is_loss)
        .or(solved.lower())
        .or(solved.upper())
}

impl SolveAnswer {
    /// What was proved of `position`.
    pub fn new<P: CliGame>(position: &P, solved: &Solved<P>) -> SolveAnswer {
        let bound = |found: Option<&Analysed<P>>, trivial| {
            found.map_or(trivial, |found| position.with_clock(found.root))
        };
        let at_least = bound(solved.lower(), Wdl::Loss);
        let at_most = match at_least {
            // Nothing is better.
            Wdl::Win => Wdl::Win,
            _ => bound(solved.upper(), Wdl::Win),
        };
        let bounds = Bounds::new(at_least, at_most);
        let found = bounds.result.and_then(|_| decisive(solved));
        let reason = || unproved(solved.end, &bounds);
        let reason = bounds.result.is_none().then(reason);
        SolveAnswer {
            answer: Answer {
                exact: Some(solved.exact().is_some()),
                distances: P::distances(found.map(|found| found.root)),
                moves: moves(position, solved),
                ..position.answer(solved.rules(), bounds, reason)
            },
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
