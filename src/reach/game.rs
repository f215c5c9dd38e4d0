//! What the games tell the engine about their positions.
//!
//! Exploring, keeping positions, going from level to level, bounds and lines are one piece of code
//! for all games. What a game brings along is here: `Compact` packs its positions, `Successors`
//! names what is explored after one, [`Leaves`](super::Leaves) know where exploring ends, and
//! [`Reach`] ties them together.

use std::error::Error;
use std::fmt::{self, Debug};

use super::explore::{Exploration, Successors};
use super::handicap::Handicap;
use super::options::Options;
use super::positions::{Compact, Id, Levels, Look, Positions};
use crate::chess;
use crate::game::{Color, Game};
use crate::metric::{Dtm, Dtz, Wdl};
use crate::xiangqi::XiangqiValue;

/// A game of which single positions are solved: its type of positions.
pub trait Reach: Copy + Debug + Send + Sync + 'static {
    /// A legal move.
    type Move: Copy + Debug + Eq + Send + Sync;
    /// What is found of a position, for the side to move.
    type Value: Outcome;
    /// A position as it is kept.
    type Packed: Compact<Position = Self>;
    /// What is known of a position while it is being solved.
    type State: Copy + Debug;
    /// The states of all positions.
    type States: States<Self>;
    /// A game that is being played.
    type Track: Track<Self>;
    /// Orders the moves of a position: less is better for the side that moves.
    type Preference: Ord;

    /// The game itself.
    const GAME: Game;

    /// The side to move.
    fn turn(&self) -> Color;

    /// How many men there are.
    fn men(&self) -> u32;

    /// How many men a side has.
    fn men_of(&self, side: Color) -> u32;

    /// The position as the rules compare it.
    #[must_use]
    fn canonical(&self) -> Self {
        *self
    }

    /// All legal moves.
    fn moves(&self) -> Vec<Self::Move>;

    /// The position after a legal move.
    #[must_use]
    fn after(&self, played: Self::Move) -> Self;

    /// Whether nobody can win by any play.
    fn is_dead(&self) -> bool;

    /// Whether a value of this position is a win also with the clock as it stands.
    fn is_won(&self, value: Self::Value) -> bool {
        let _ = self;
        value.wdl() == Wdl::Win
    }

    /// Whether distances to mate are looked for, if the leaves have them.
    fn wants_mates(options: &Options<'_>) -> bool {
        options.mates
    }

    /// Bytes of memory for each position that this one can reach, at the worst moment.
    fn bytes_per_position(&self, mates: bool) -> f64;

    /// Names what is to be explored after a position, as `Successors` do.
    fn visit(
        packed: &Self::Packed,
        rules: &Rules<'_, Self>,
        is_covered: bool,
        found: impl FnMut(Self::Packed, u64),
    ) -> Look;

    /// Where a move leads; `is_covered` tells whether this position is covered itself.
    fn next(&self, rules: &Rules<'_, Self>, played: Self::Move, is_covered: bool) -> Next<Self>;

    /// The state of this position if it has that value.
    fn state_of(&self, value: Self::Value) -> Self::State;

    /// The value that a state stands for.
    fn value_of(state: Self::State, mates: bool) -> Self::Value;

    /// Whether a move to a position in `next` makes a position what it is, `here`.
    fn keeps(here: Self::State, played: Self::Move, next: Self::State, mates: bool) -> bool;

    /// The order of a move of a position in `here`; `next` is not known where it was not explored,
    /// and `ends` if nobody can move there.
    fn preference(
        here: Self::State,
        played: Self::Move,
        next: Option<Self::State>,
        ends: bool,
        mates: bool,
    ) -> Self::Preference;

    /// Finds the states of all positions.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    fn analyse(
        analysis: &Analysis<'_, Self>,
        states: &mut Self::States,
    ) -> Result<Outlay, LeafError>;
}

/// A value of a chess position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Plies to the next zeroing move, clock at zero; zero for a draw.
    pub dtz: Dtz,
    /// Plies to mate; `None` for a draw, and where mates are not known or were not wanted.
    pub dtm: Option<Dtm>,
}

/// A value.
pub trait Outcome: Copy + Debug + Eq + Send + Sync {
    /// That of a draw.
    const DRAW: Self;

    /// Who wins.
    fn wdl(&self) -> Wdl;
}

impl Outcome for Value {
    const DRAW: Value = Value {
        dtz: Dtz(0),
        dtm: None,
    };

    fn wdl(&self) -> Wdl {
        self.dtz.wdl()
    }
}

impl Outcome for XiangqiValue {
    const DRAW: XiangqiValue = XiangqiValue::DRAW;

    fn wdl(&self) -> Wdl {
        self.wdl
    }
}

/// The states of all positions that were found.
pub trait States<P: Reach>: Debug + Sync {
    /// All are draws.
    fn new(positions: &Positions<P::Packed>, mates: bool) -> Self;

    /// The state of a position.
    fn get(&self, id: Id) -> P::State;

    /// Bytes of memory in use.
    fn memory(&self) -> usize;
}

/// A line that is being played.
pub trait Track<P: Reach> {
    /// Begins with a position.
    fn new(root: &P) -> Self;

    /// Where it has come to.
    fn current(&self) -> P;

    /// Plays a legal move.
    fn play(&mut self, played: P::Move);

    /// Why the rules end the game here, unless it is drawn.
    fn end(&self) -> Option<LineEnd>;
}

/// Why a [`Line`](super::Line) goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// Xiangqi: the side to move is not in check and has no move: it has lost.
    Stalemate,
    /// Nobody can win any more.
    Draw,
    /// Xiangqi: a position has come up again, and one side alone gave check all the time: it loses.
    PerpetualCheck,
    /// The value of the last position is known, and there are other ways to play on from there.
    Leaf,
    /// What follows was not explored or counts as decided.
    Unexplored,
    /// As many moves as are shown.
    TooLong,
}

/// Why a leaf has no value although it should.
pub type LeafError = Box<dyn Error + Send + Sync>;

/// Positions whose values are known: those of tables.
pub trait Leaves<P: Reach = chess::Position>: Sync {
    /// Whether positions of this material are known, all of them; in chess, with these castling
    /// rights.
    fn covers(&self, position: &P) -> bool;

    /// The value of a position that is covered. After a zeroing move only its result matters in
    /// chess, and any distance to zeroing that stands for it will do.
    ///
    /// # Errors
    ///
    /// If it cannot be found out, for a damaged table.
    fn value(&self, position: &P, after_zeroing: bool) -> Result<P::Value, LeafError>;

    /// Whether the values have distances to mate.
    fn has_mates(&self) -> bool;
}

/// No position is known.
#[derive(Clone, Copy, Debug)]
pub struct NoLeaves;

impl<P: Reach> Leaves<P> for NoLeaves {
    fn covers(&self, _: &P) -> bool {
        false
    }

    fn value(&self, _: &P, _: bool) -> Result<P::Value, LeafError> {
        Err("no position is known beforehand".into())
    }

    fn has_mates(&self) -> bool {
        true
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
pub enum Next<P> {
    /// To a position whose value is known.
    Leaf(P),
    /// To a position that counts as lost for the side with the handicap.
    Conceded,
    /// To a position that has to be explored.
    Inside,
    /// Nowhere: a handicap denies it. Where all moves are denied, the position counts as lost for
    /// that side.
    Denied,
}

/// What is explored.
#[derive(Clone, Copy)]
pub struct Rules<'a, P: Reach> {
    leaves: &'a dyn Leaves<P>,
    /// What a side is denied, if anything.
    pub handicap: Option<&'a Handicap>,
}

impl<P: Reach> fmt::Debug for Rules<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("handicap", &self.handicap)
            .finish_non_exhaustive()
    }
}

impl<'a, P: Reach> Rules<'a, P> {
    /// All moves count but those that a handicap denies.
    pub fn new(leaves: &'a dyn Leaves<P>, handicap: Option<&'a Handicap>) -> Rules<'a, P> {
        Rules {
            leaves,
            handicap: handicap.filter(|handicap| handicap.is_any()),
        }
    }

    /// Whether distances to mate can be found.
    pub fn has_mates(&self) -> bool {
        self.leaves.has_mates()
    }

    /// Whether the value of a position is known.
    pub fn covers(&self, position: &P) -> bool {
        position.is_dead() || self.leaves.covers(position)
    }

    /// What is known of a position that is covered; see [`Leaves::value`].
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    pub fn value(&self, position: &P, after_zeroing: bool) -> Result<P::Value, LeafError> {
        if position.is_dead() {
            return Ok(P::Value::DRAW);
        }
        self.leaves.value(position, after_zeroing)
    }

    /// The state of a position that is covered.
    ///
    /// # Errors
    ///
    /// If its value cannot be found out.
    pub fn state(&self, position: &P) -> Result<P::State, LeafError> {
        Ok(position.state_of(self.value(position, false)?))
    }
}

impl<P: Reach> Successors<P::Packed> for Rules<'_, P> {
    fn visit(
        &self,
        packed: &P::Packed,
        is_covered: bool,
        found: impl FnMut(P::Packed, u64),
    ) -> Look {
        P::visit(packed, self, is_covered, found)
    }
}

/// What an analysis goes by.
#[derive(Clone, Copy, Debug)]
pub struct Analysis<'a, P: Reach> {
    /// What was found.
    pub exploration: &'a Exploration<P::Packed>,
    /// Where the levels are, lowest first.
    pub levels: &'a Levels<<P::Packed as Compact>::Level>,
    /// What is a leaf.
    pub rules: &'a Rules<'a, P>,
    /// For whom positions count as lost whose moves were not looked at; if all were, it does not
    /// matter.
    pub lost_for: Color,
    /// Whether distances to mate are wanted.
    pub mates: bool,
    /// What was asked for: what an endless game is worth, when to give up, and who is told how far
    /// it has come.
    pub options: &'a Options<'a>,
}

/// How far an analysis came, and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Outlay {
    /// How far it came.
    pub extent: Extent,
    /// Bytes of memory beside positions and states, at most.
    pub memory: usize,
}

/// How far an analysis came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything is known.
    All,
    /// Everything is known of the position that was asked for, but not its distance to mate.
    WithoutMates,
    /// What is won or lost is won or lost. Nothing follows from other states.
    Part,
}
