//! What was proved of a position, as one JSON object.

use std::path::PathBuf;

use retrograde::game::{Color, Game};
use retrograde::metric::Wdl;
use retrograde::reach::{Analysed, End, MoveValue, Outcome, Progress, Reach, Solved};
use serde::Serialize;

use super::game::{SolveGame, Traits};

/// A position, what is proved of it for the side to move, and its moves, best first.
#[derive(Serialize)]
#[serde(bound = "")]
pub struct SolveAnswer<P: SolveGame> {
    pub fen: String,
    /// Unless it is chess, which has one set of rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<&'static str>,
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
    #[serde(flatten)]
    pub distances: P::Distances,
    #[serde(flatten)]
    pub traits: Traits,
    pub moves: Vec<SolvedMove<P>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<P::LineAnswer>,
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
#[derive(Serialize)]
#[serde(bound = "")]
pub struct SolvedMove<P: SolveGame> {
    #[serde(flatten)]
    pub names: P::Names,
    pub zeroing: bool,
    pub category: &'static str,
    #[serde(flatten)]
    pub bounds: Bounds,
    #[serde(flatten)]
    pub distances: P::Distances,
    #[serde(flatten)]
    pub traits: Traits,
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
    /// What it is at least and at most.
    #[serde(skip)]
    pub range: [Wdl; 2],
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
            range: [at_least, at_most],
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

/// A move with what the analyses say of the position after it, for the side to move there.
pub struct Judged<P: Reach> {
    pub played: P::Move,
    pub next: P,
    pub bounds: Bounds,
    /// The value from which distances are, if a result is proved.
    pub value: Option<P::Value>,
}

impl<P: SolveGame> Judged<P> {
    fn new(position: &P, solved: &Solved<P>, played: P::Move) -> Judged<P> {
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

    fn answer(&self, position: &P) -> SolvedMove<P> {
        SolvedMove {
            names: position.names(self.played),
            zeroing: P::is_zeroing(self.played),
            category: self.bounds.category(),
            bounds: self.bounds,
            distances: P::distances(self.value),
            traits: self.next.traits(),
        }
    }
}

/// All moves, best first, as `probe` has them.
fn moves<P: SolveGame>(position: &P, solved: &Solved<P>) -> Vec<SolvedMove<P>> {
    let order = decisive(solved).map_or(Vec::new(), |found| found.moves.clone());
    let judged = order
        .iter()
        .map(|m| Judged::new(position, solved, m.played));
    let mut judged: Vec<Judged<P>> = judged.collect();
    if judged.is_empty() {
        let moves = position.moves().into_iter();
        judged = moves.map(|m| Judged::new(position, solved, m)).collect();
    }
    position.sort(&mut judged);
    judged.iter().map(|m| m.answer(position)).collect()
}

/// The analysis whose distances and line are those of the result: that in which the winner wins, or any for a draw.
pub fn decisive<P: Reach>(solved: &Solved<P>) -> Option<&Analysed<P>> {
    let is_loss = |found: &&Analysed<P>| found.root.wdl() < Wdl::Draw;
    solved
        .upper()
        .filter(is_loss)
        .or(solved.lower())
        .or(solved.upper())
}

impl<P: SolveGame> SolveAnswer<P> {
    /// What was proved of `position`.
    pub fn new(position: &P, solved: &Solved<P>) -> SolveAnswer<P> {
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
        let reason = bounds.result.is_none();
        SolveAnswer {
            fen: position.fen(),
            game: (P::GAME == Game::Xiangqi).then_some("xiangqi"),
            rules: (P::GAME == Game::Xiangqi).then(|| solved.rules().name()),
            material: position.material(),
            category: bounds.category(),
            reason: reason.then(|| unproved(solved.end, &bounds)),
            bounds,
            exact: solved.exact().is_some(),
            distances: P::distances(found.map(|found| found.root)),
            traits: position.traits(),
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

/// The result of a game, as game records write it.
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
}
