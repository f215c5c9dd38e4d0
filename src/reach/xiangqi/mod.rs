//! Solving one xiangqi position with any number of men, by what it can reach.
//!
//! As for chess: every position that can be reached is found and kept by its Zobrist key; captures into what is known end the
//! exploration. Men never come back and there is nothing to promote to, so the levels are the numbers of men. Within one, the
//! quiet moves are kept as edges from the position they lead to, which both the analysis by plies and the rule of perpetual check
//! go along.
//!
//! When there is not room for everything, positions whose moves were not looked at count as lost for one side, and what that
//! side reaches all the same is a lower bound of its value. That holds under both sets of rules.
//!
//! # Examples
//!
//! ```
//! use retrograde::game::xiangqi::Position;
//! use retrograde::metric::{Dtm, Wdl};
//! use retrograde::reach::xiangqi::{NoLeaves, Options, solve};
//! use retrograde::xiangqi::Rules;
//!
//! // Whoever has no move has lost.
//! let position = Position::from_fen("4k4/9/9/9/9/9/9/9/9/R2K5 w")?;
//! let options = Options {
//!     rules: Rules::CyclesDraw,
//!     ..Options::default()
//! };
//! let solved = solve(&position, &NoLeaves, &options)?;
//! let value = solved.exact().ok_or("everything is explored")?;
//! assert_eq!((value.wdl, value.dtm), (Wdl::Win, Some(Dtm(3))));
//! assert_eq!(solved.analysed[0].line.moves.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decide;
mod graph;
mod packed;
mod perpetual;
mod play;
mod rules;
mod state;

use std::sync::atomic::AtomicBool;

use super::explore::Exploration;
use super::positions::{Compact, Hashing, Run};
use super::{End, MAX_POSITIONS, NEVER, Progress, ReachError};
use crate::game::Color;
use crate::game::xiangqi::{Position, Role};
use crate::metric::Wdl;
use crate::xiangqi;
use crate::xiangqi::{XiangqiMove, XiangqiValue};

use decide::{Distance, decide};
use graph::{Graph, Node};
use packed::Packed;
use perpetual::perpetual;
use rules::Rules;
use state::{State, States};

pub use play::{Line, LineEnd};
pub use rules::{LeafError, Leaves, NoLeaves};

/// What to solve and how far to go.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What an endless game is worth.
    pub rules: xiangqi::Rules,
    /// How many positions to find, at most; a few more may be found.
    pub max_positions: usize,
    /// The side whose lower bound is wanted where not everything is explored; both sides' if nothing is said.
    pub side: Option<Color>,
    /// Whether distances to mate are wanted. They are found where endless games are drawn, and all leaves have them.
    pub mates: bool,
    /// Which bits of the keys count. For tests: with fewer of them, positions collide.
    pub key_mask: u64,
    /// Set to end the exploration; what was found is solved then.
    pub stop: &'a AtomicBool,
    /// Set to end the solving as well. Then nothing is proved.
    pub cancel: &'a AtomicBool,
    /// Told from time to time how far it has come.
    pub report: &'a (dyn Fn(Progress) + Sync),
}

impl Default for Options<'_> {
    /// As many positions as there can be, with mates, perpetual check loses.
    fn default() -> Self {
        Options {
            rules: xiangqi::Rules::default(),
            max_positions: MAX_POSITIONS,
            side: None,
            mates: true,
            key_mask: u64::MAX,
            stop: &NEVER,
            cancel: &NEVER,
            report: &|_| (),
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("rules", &self.rules)
            .field("max_positions", &self.max_positions)
            .field("side", &self.side)
            .field("mates", &self.mates)
            .field("key_mask", &self.key_mask)
            .finish_non_exhaustive()
    }
}

/// A legal move and what is known of the position after it, for the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveValue {
    /// Its value, or in a bound what it is worth at most for the opponent of the side the bound is for.
    Known(XiangqiMove),
    /// It was not explored.
    Unexplored(crate::game::xiangqi::Move),
}

/// What one analysis found.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The side whose lower bound it is; nothing if values are exact.
    pub side: Option<Color>,
    /// The value of the position, for the side to move.
    pub root: XiangqiValue,
    /// All legal moves, the best first.
    pub moves: Vec<MoveValue>,
    /// Best play by what was found.
    pub line: Line,
}

/// What is known of a position.
#[derive(Debug)]
pub struct Solved {
    /// The position.
    pub root: Position,
    /// How the exploration ended.
    pub end: End,
    /// How far it came.
    pub progress: Progress,
    /// Bytes of memory at the worst moment.
    pub peak_memory: usize,
    /// Whether distances to mate are known.
    pub has_mates: bool,
    /// Exact values, or bounds from one side or both.
    pub analysed: Vec<Analysed>,
    exploration: Exploration<Packed>,
    states: States,
}

impl Solved {
    /// The value if everything was explored.
    #[must_use]
    pub fn exact(&self) -> Option<XiangqiValue> {
        let exact = self.analysed.iter().find(|found| found.side.is_none())?;
        Some(exact.root)
    }

    /// The value of another position, if it was explored and values are exact.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<XiangqiValue> {
        self.exact()?;
        let packed = Packed::new(position);
        let id = self.exploration.positions.find(&packed, packed.key())?;
        Some(self.states.get(id).value(self.has_mates))
    }

    /// What is at least true for the side to move: an exact value, or a lower bound.
    #[must_use]
    pub fn lower(&self) -> Option<&Analysed> {
        let turn = self.root.turn();
        let is_lower = |found: &&Analysed| found.side.is_none_or(|side| side == turn);
        self.analysed.iter().find(is_lower)
    }

    /// What is at most true for the side to move: an exact value, or an upper bound.
    #[must_use]
    pub fn upper(&self) -> Option<&Analysed> {
        let turn = self.root.turn();
        let is_upper = |found: &&Analysed| found.side.is_none_or(|side| side != turn);
        self.analysed.iter().find(is_upper)
    }
}

/// Bytes of memory for each position that has the men of this one or fewer, at the worst moment, at most: positions and
/// slots as in chess, states, and of the largest level the nodes, what the iteration keeps, and each quiet move twice.
#[must_use]
pub fn bytes_per_position(position: &Position) -> f64 {
    let moves: u32 = Role::ALL
        .into_iter()
        .map(|role| {
            let most = match role {
                Role::Rook | Role::Cannon => 17,
                Role::Knight => 8,
                Role::Pawn => 3,
                _ => 4,
            };
            most * position.by_role(role).count_ones()
        })
        .sum();
    // One side moves at a time, and lines are rarely all free.
    let edges = f64::from(moves) / 2.0;
    let packed = 1.0 + Packed::bytes(position.occupied().count_ones() as usize) as f64;
    let kept = packed * 1.125 + 4.0 / 0.375 + 0.25 + size_of::<State>() as f64;
    kept + size_of::<Node>() as f64 + 48.0 + 2.0 * 4.0 * edges
}

/// Explores what a position can reach, and solves it.
///
/// The result does not depend on the number of threads, unless [`Options::stop`] ends the exploration.
///
/// # Errors
///
/// [`ReachError`] says what went wrong; too little room is no error but makes bounds of values.
pub fn solve(
    position: &Position,
    leaves: &dyn Leaves,
    options: &Options<'_>,
) -> Result<Solved, ReachError> {
    let rules = Rules::new(leaves);
    let packed = Packed::new(position);
    let men = position.occupied().count_ones() as usize;
    let mut exploration = Exploration::new(packed, men, false, Hashing::new(options.key_mask));
    let limit = options.max_positions.clamp(1, MAX_POSITIONS);
    let end = exploration
        .run(&rules, limit, options.stop, options.report)
        .map_err(|_| ReachError::TooMany)?;
    let levels = exploration.positions.sort_by_level();
    let states = States::new(&exploration.positions);
    let has_mates =
        options.mates && options.rules == xiangqi::Rules::CyclesDraw && rules.has_mates();
    let mut solved = Solved {
        root: *position,
        end,
        progress: exploration.progress(),
        peak_memory: exploration.progress().memory,
        has_mates,
        analysed: Vec::new(),
        exploration,
        states,
    };
    (options.report)(solved.progress);
    for side in sides(position.turn(), end, options.side) {
        if !solved.analyse(&levels, &rules, side, options)? {
            solved.end = End::Stopped;
            return Ok(solved);
        }
        let found = solved.found(&rules, side)?;
        let is_won = side == Some(position.turn()) && found.root.wdl == Wdl::Win;
        solved.analysed.push(found);
        if is_won {
            // The other bound could not be less.
            break;
        }
    }
    solved.progress.solved = solved.progress.positions;
    Ok(solved)
}

/// For which sides to look for a lower bound; nothing stands for exact values.
fn sides(turn: Color, end: End, wanted: Option<Color>) -> Vec<Option<Color>> {
    match (end, wanted) {
        (End::Complete, _) => vec![None],
        (_, Some(side)) => vec![Some(side)],
        (_, None) => vec![Some(turn), Some(!turn)],
    }
}

impl Solved {
    /// Solves level after level; whether it came to the end.
    fn analyse(
        &mut self,
        levels: &[(u32, Vec<Run>)],
        rules: &Rules<'_>,
        side: Option<Color>,
        options: &Options<'_>,
    ) -> Result<bool, ReachError> {
        self.states.clear();
        let mut progress = self.progress;
        for (_, runs) in levels {
            let positions = &self.exploration.positions;
            let graph = Graph::new(positions, runs, &self.states, rules, options.cancel)?;
            let Some(graph) = graph else {
                return Ok(false);
            };
            let kept = self.exploration.positions.memory() + self.states.memory();
            let iteration = graph.nodes.len() * 48;
            self.peak_memory = self.peak_memory.max(kept + graph.memory() + iteration);
            // Where values are exact there is nothing that could count as lost.
            let lost_for = side.unwrap_or(Color::White);
            if self.solve_level(&graph, lost_for, options).is_none() {
                return Ok(false);
            }
            progress.solved += graph.members.len();
            progress.memory = kept + graph.memory();
            (options.report)(progress);
        }
        Ok(true)
    }

    /// Finds the states of a level; nothing if that was cancelled.
    fn solve_level(&mut self, graph: &Graph, lost_for: Color, options: &Options<'_>) -> Option<()> {
        let decided = decide(graph, Distance::Conversion, lost_for, options.cancel)?;
        let mates = match self.has_mates {
            true => decide(graph, Distance::Mate, lost_for, options.cancel)?,
            false => Vec::new(),
        };
        for (number, (&id, decision)) in graph.members.iter().zip(&decided).enumerate() {
            let state = State {
                wdl: decision.wdl,
                round: 0,
                conversion: decision.plies,
                mate: mates.get(number).map_or(0, |mate| mate.plies),
            };
            self.states.set(id, state);
        }
        if options.rules != xiangqi::Rules::PerpetualCheck {
            return Some(());
        }
        let results: Vec<Wdl> = decided.iter().map(|decision| decision.wdl).collect();
        for winner in Color::ALL {
            let ruled = perpetual(graph, &results, winner, options.cancel)?;
            for ((&id, node), ruled) in graph.members.iter().zip(&graph.nodes).zip(ruled) {
                if ruled.round > 0 {
                    let wdl = match node.turn == winner {
                        true => Wdl::Win,
                        false => Wdl::Loss,
                    };
                    self.states.set(
                        id,
                        State {
                            wdl,
                            round: ruled.round,
                            conversion: ruled.step,
                            mate: 0,
                        },
                    );
                }
            }
        }
        Some(())
    }
}
