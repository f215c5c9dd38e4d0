//! Solving one position with any number of men, by what it can reach.
//!
//! Tables end at a number of men. Many positions with more men reach few others: blocked pawns, fortresses, studies. Here
//! everything that can be reached is found, kept by Zobrist key, and solved by retrograde analysis.
//! Where a table knows a position, or nobody can mate any more, the exploration goes no further.
//!
//! # What is proved
//!
//! When everything was explored, values are exact, as those of tables are: [`Dtz`] counts from a fresh clock, and with a
//! clock of `c` plies a win in `n` plies to the next zeroing move counts if `c + n` is at most 100. Repetitions are no
//! draws, as in tables.
//!
//! When there is not room for everything, the positions whose moves were not looked at count as lost for one side. What
//! that side reaches all the same it reaches in the game, so its value is a lower bound, and counted as lost for the other
//! side an upper bound. The same holds for a side that is denied something by a [`Handicap`]. A win found like this is a
//! win; its distances are those of the way that was found, and there may be a shorter one.
//!
//! # Examples
//!
//! ```
//! use retrograde::game::chess::Position;
//! use retrograde::metric::Wdl;
//! use retrograde::reach::{NoLeaves, Options, solve};
//!
//! // Nobody can break through, and nobody can mate.
//! let position = Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?;
//! let solved = solve(&position, &NoLeaves, &Options::default())?;
//! assert_eq!(solved.exact().map(|value| value.dtz.wdl()), Some(Wdl::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyse;
mod explore;
mod level;
mod packed;
mod plane;
mod play;
mod positions;
mod propagate;
mod rules;
mod symmetry;
mod unmove;
mod value;
pub mod xiangqi;

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use crate::game::Color;
use crate::game::chess::{Move, Position};
use crate::metric::{Dtm, Dtz, FIFTY_MOVES};

use analyse::{Analysis, Reach};
use explore::Exploration;
use packed::canonical;
use plane::Values;
use play::Player;
use positions::{Hashing, Shard};

pub use explore::{End, Progress};
pub(crate) use packed::{MAX_BYTES, Packed};
pub use play::{Line, LineEnd};
pub(crate) use positions::Id;
pub(crate) use rules::Rules;
pub use rules::{Handicap, LeafError, Leaves, NoLeaves};

/// The most positions that can be explored.
pub const MAX_POSITIONS: usize = 960_000_000;

/// Why a position could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReachError {
    /// A position that bounds the exploration should have a value and has none.
    #[error(transparent)]
    Leaf(#[from] LeafError),
    /// The keys of too many positions are alike.
    #[error("too many positions for this version; explore fewer")]
    TooMany,
    /// Handicaps that leave a side without a promotion.
    #[error("a side with a pawn has to be allowed some promotion")]
    NoPromotion,
}

/// What to solve and how far to go.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How many positions to find, at most; a few more may be found.
    pub max_positions: usize,
    /// What one side is denied. Then only its lower bound is found.
    pub handicap: Option<&'a Handicap>,
    /// The side whose lower bound is wanted where not everything is explored; both sides' if nothing is said.
    pub side: Option<Color>,
    /// Whether distances to mate are wanted. They are not found if a leaf does not have them.
    pub mates: bool,
    /// Which bits of the keys count. For tests: with fewer of them, positions collide.
    pub key_mask: u64,
    /// Set to end the exploration; what was found is solved then.
    pub stop: &'a AtomicBool,
    /// Set to end the solving as well; there is an answer all the same if it is known by then.
    pub cancel: &'a AtomicBool,
    /// Told from time to time how far it has come.
    pub report: &'a (dyn Fn(Progress) + Sync),
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Options<'_> {
    /// As many positions as there can be, no handicap, with mates.
    fn default() -> Self {
        Options {
            max_positions: MAX_POSITIONS,
            handicap: None,
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
            .field("max_positions", &self.max_positions)
            .field("handicap", &self.handicap)
            .field("side", &self.side)
            .field("mates", &self.mates)
            .field("key_mask", &self.key_mask)
            .finish_non_exhaustive()
    }
}

/// A value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Plies to the next zeroing move, clock at zero; zero for a draw.
    pub dtz: Dtz,
    /// Plies to mate; nothing for a draw, and where mates are not known or were not wanted.
    pub dtm: Option<Dtm>,
}

/// A move, and the value of the position after it for the side to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The move.
    pub played: Move,
    /// Nothing if a handicap denies the move, or all that is known is that it counts as lost.
    pub value: Option<Value>,
}

/// What one analysis found.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The side whose lower bound it is; nothing if values are exact.
    pub side: Option<Color>,
    /// The value of the position, for the side to move.
    pub root: Value,
    /// All legal moves, in the order in which they are generated.
    pub moves: Vec<MoveValue>,
    /// Best play by what was found.
    pub line: Line,
}

impl Analysed {
    /// What is left of it if the analysis was broken off: that a side wins, with its moves that do.
    fn only_decided(mut self, turn: Color) -> Option<Analysed> {
        let winner = match self.root.dtz.0 {
            0 => return None,
            1.. => turn,
            _ => !turn,
        };
        if self.side.is_some_and(|side| side != winner) {
            return None;
        }
        self.side = Some(winner);
        for m in &mut self.moves {
            // After the move it is the other side's turn.
            let wins = |value: &Value| value.dtz.0 != 0 && (value.dtz.0 < 0) == (winner == turn);
            m.value = m.value.filter(wins);
        }
        Some(self)
    }
}

/// What is known of a position.
#[derive(Debug)]
pub struct Solved {
    /// The side to move.
    pub turn: Color,
    /// How the exploration ended.
    pub end: End,
    /// How far it came.
    pub progress: Progress,
    /// Bytes of memory at the worst moment.
    pub peak_memory: usize,
    /// Exact values, or bounds from one side or both.
    pub analysed: Vec<Analysed>,
    root: Position,
    exploration: Exploration,
    values: Values,
    mates: bool,
}

impl Solved {
    /// The value if everything was explored.
    #[must_use]
    pub fn exact(&self) -> Option<Value> {
        let exact = self.analysed.iter().find(|found| found.side.is_none())?;
        Some(exact.root)
    }

    /// The value of another position, if it was explored and values are exact. The clock does not matter.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        self.exact()?;
        let packed = Packed::new(position).normal_form();
        let id = self.exploration.positions.find(&packed, packed.key())?;
        Some(self.values.get(id).value(self.mates))
    }

    /// The position that was solved.
    #[must_use]
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// Whether distances to mate are known.
    #[must_use]
    pub fn has_mates(&self) -> bool {
        self.mates
    }

    /// How many positions were found, counting all that are the same but for a symmetry of the board.
    ///
    /// It takes the longer the more there are.
    #[must_use]
    pub fn images(&self) -> u64 {
        let shards = self.exploration.positions.shards.par_iter();
        let images = |shard: &Shard| {
            let positions = (0..shard.len()).map(|local| shard.get(local).images());
            positions.sum::<u64>()
        };
        shards.map(images).sum()
    }

    /// Where all positions are, in the order of their keys in files.
    pub(crate) fn in_order(&self) -> Vec<Id> {
        let positions = &self.exploration.positions;
        let shards = positions.shards.iter().enumerate();
        let mut ids: Vec<Id> = shards
            .flat_map(|(shard, it)| (0..it.len() as u32).map(move |local| Id::new(shard, local)))
            .collect();
        ids.par_sort_unstable_by_key(|&id| positions.get(id).to_key());
        ids
    }

    /// A position and its value.
    pub(crate) fn entry(&self, id: Id) -> (Packed, Value) {
        let value = self.values.get(id).value(self.mates);
        (self.exploration.positions.get(id), value)
    }

    /// What is at least true for the side to move: an exact value, or a lower bound.
    #[must_use]
    pub fn lower(&self) -> Option<&Analysed> {
        let is_lower = |found: &&Analysed| found.side.is_none_or(|side| side == self.turn);
        self.analysed.iter().find(is_lower)
    }

    /// What is at most true for the side to move: an exact value, or an upper bound.
    #[must_use]
    pub fn upper(&self) -> Option<&Analysed> {
        let is_upper = |found: &&Analysed| found.side.is_none_or(|side| side != self.turn);
        self.analysed.iter().find(is_upper)
    }
}

/// Bytes of memory for each position with at most so many men, at the worst moment: the positions and what their moves are, with
/// an eighth of room to grow while they are sought; slots, of which few are in use after growing; what was looked at; and then
/// states.
#[must_use]
pub fn bytes_per_position(men: usize, mates: bool) -> f64 {
    let planes = if mates { 2.0 } else { 1.0 };
    let packed = 1.0 + Packed::bytes(men) as f64;
    (packed * 1.125).max(packed + planes * plane::BYTES as f64) + 4.0 / 0.375 + 0.25
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
    let handicap = options.handicap.filter(|handicap| handicap.is_any());
    if handicap.is_some_and(|handicap| handicap.promotions.is_empty()) {
        return Err(ReachError::NoPromotion);
    }
    let rules = Rules::new(leaves, handicap);
    let root = canonical(position);
    let men = root.occupied().count_ones() as usize;
    let hashing = Hashing::new(options.key_mask);
    let first = Packed::new(&root).normal_form();
    let mut exploration = Exploration::new(first, men, rules.covers(&root), hashing);
    let limit = options.max_positions.clamp(1, MAX_POSITIONS);
    let end = exploration
        .run(&rules, limit, options.stop, options.report)
        .map_err(|_| ReachError::TooMany)?;
    let mut progress = exploration.progress();
    (options.report)(progress);
    let levels = exploration.positions.sort_by_level();
    let mut mates = options.mates && rules.has_mates();
    let values = Values::new(&exploration.positions, mates);
    let mut analysed = Vec::new();
    let mut peak_memory = progress.memory;
    let mut reach = Reach::All;
    for side in sides(&root, end, handicap, options.side) {
        let analysis = Analysis {
            exploration: &exploration,
            levels: &levels,
            values: &values,
            rules: &rules,
            // Where values are exact there is nothing that could count as lost.
            lost_for: side.unwrap_or(Color::White),
            cancel: options.cancel,
            report: options.report,
        };
        let more;
        (reach, more) = analysis.run()?;
        peak_memory = peak_memory.max(exploration.positions.memory() + values.memory() + more);
        mates &= reach == Reach::All;
        let player = Player::new(&exploration, &values, &rules, mates);
        let found = Analysed {
            side,
            root: player.root(&root),
            moves: player.moves(&root)?,
            line: player.line(&root)?,
        };
        if reach == Reach::Part {
            analysed.extend(found.only_decided(root.turn()));
            break;
        }
        let plies = found.root.dtz.0 + i32::from(root.halfmoves());
        let in_time = found.root.dtz.0 > 0 && plies <= FIFTY_MOVES.0 as i32;
        let is_won = side == Some(root.turn()) && in_time;
        analysed.push(found);
        if is_won || reach != Reach::All {
            // The other bound could not be less, or there is no time for it.
            break;
        }
    }
    if reach == Reach::All {
        progress.solved = progress.positions;
    }
    Ok(Solved {
        turn: root.turn(),
        end: match reach {
            Reach::All => end,
            _ => End::Stopped,
        },
        progress,
        peak_memory,
        analysed,
        root,
        exploration,
        values,
        mates,
    })
}

/// For which sides to look for a lower bound; nothing stands for exact values.
fn sides(
    root: &Position,
    end: End,
    handicap: Option<&Handicap>,
    wanted: Option<Color>,
) -> Vec<Option<Color>> {
    match (handicap, end) {
        (Some(handicap), _) => vec![Some(handicap.side)],
        (None, End::Complete) => vec![None],
        (None, _) => match wanted {
            Some(side) => vec![Some(side)],
            None => vec![Some(root.turn()), Some(!root.turn())],
        },
    }
}
