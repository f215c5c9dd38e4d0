//! Xiangqi: positions solved along the edges between them.
//!
//! Men never come back and there is nothing to promote to, so the levels are the numbers of men.
//! Within one, the quiet moves are kept as edges from the position they lead to, which both the
//! analysis by plies and the rule of perpetual check go along.
//!
//! Bounds hold under both sets of rules: what a side reaches although positions count as lost for
//! it, it reaches in the game.

mod analyse;
mod decide;
mod graph;
mod packed;
mod perpetual;
mod rules;
mod state;

use super::game::{Analysis, LeafError, LineEnd, Next, Outlay, Reach, Rules, Track};
use super::options::Options;
use super::positions::{Look, bytes_to_find};
use crate::game::{Color, Game};
use crate::metric::Wdl;
use crate::xiangqi;
use crate::xiangqi::XiangqiValue;
use crate::xiangqi::rules::{History, Move, Position, Role};

use graph::Node;
use packed::Packed;
use state::{State, States};

impl Reach for Position {
    type Move = Move;
    type Value = XiangqiValue;
    type Packed = Packed;
    type State = State;
    type States = States;
    type Track = History;
    type Preference = ((i8, u16, u32, u32), String);

    const GAME: Game = Game::Xiangqi;

    fn turn(&self) -> Color {
        self.turn()
    }

    fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    fn men_of(&self, side: Color) -> u32 {
        self.by_color(side).count_ones()
    }

    fn moves(&self) -> Vec<Move> {
        self.legal_moves().to_vec()
    }

    fn after(&self, played: Move) -> Position {
        self.play(played)
    }

    fn is_dead(&self) -> bool {
        self.is_insufficient_material()
    }

    fn wants_mates(options: &Options<'_>) -> bool {
        options.mates && options.rules == xiangqi::Rules::CyclesDraw
    }

    /// Positions and slots, states, and of the largest level the nodes, what the iteration keeps,
    /// and each quiet move twice.
    fn bytes_per_position(&self, _: bool) -> f64 {
        let moves: u32 = Role::ALL
            .into_iter()
            .map(|role| {
                let most = match role {
                    Role::Rook | Role::Cannon => 17,
                    Role::Knight => 8,
                    Role::Pawn => 3,
                    _ => 4,
                };
                most * self.by_role(role).count_ones()
            })
            .sum();
        // One side moves at a time, and lines are rarely all free.
        let edges = f64::from(moves) / 2.0;
        let [packed, beside] = bytes_to_find::<Packed>(self.men());
        let kept = packed * 1.125 + beside + size_of::<State>() as f64;
        kept + size_of::<Node>() as f64 + 48.0 + 2.0 * 4.0 * edges
    }

    fn visit(
        packed: &Packed,
        rules: &Rules<'_, Position>,
        _: bool,
        found: impl FnMut(Packed, u64),
    ) -> Look {
        rules::visit(packed, rules, found)
    }

    fn next(&self, rules: &Rules<'_, Position>, played: Move, _: bool) -> Next<Position> {
        rules::next(rules, &self.play(played), played)
    }

    fn state_of(&self, value: XiangqiValue) -> State {
        State::of_known(&value)
    }

    fn value_of(state: State, mates: bool) -> XiangqiValue {
        state.value(mates)
    }

    fn keeps(here: State, _: Move, next: State, _: bool) -> bool {
        here.wdl == -next.wdl
    }

    /// A win that the rule of perpetual check decides goes to an earlier round if it can, else on
    /// without check, else nearer to such a move.
    fn preference(
        here: State,
        played: Move,
        next: Option<State>,
        ends: bool,
        mates: bool,
    ) -> Self::Preference {
        let Some(next) = next else {
            // Behind draws and before losses.
            return ((1, 0, 0, 0), played.to_iccs());
        };
        let plies = match (played.is_capture(), mates) {
            (_, true) => next.mate,
            (true, false) => 0,
            (false, false) => next.conversion,
        };
        // Every number of men counts its own rounds.
        let round = match played.is_capture() || ends {
            true => 0,
            false => u16::from(next.round),
        };
        let order = match next.wdl {
            Wdl::Loss => {
                let is_check = round > 0 && round == u16::from(here.round) && played.gives_check();
                let blocked = is_check && next.conversion >= here.conversion;
                let class = u32::from(is_check) + u32::from(blocked);
                (-1, round, class, u32::from(plies))
            }
            // The loser goes to later rounds and longer ways.
            Wdl::Win => (2, u16::MAX - round, 0, u32::MAX - u32::from(plies)),
            _ => (0, 0, 0, 0),
        };
        (order, played.to_iccs())
    }

    fn analyse(
        analysis: &Analysis<'_, Position>,
        states: &mut States,
    ) -> Result<Outlay, LeafError> {
        analyse::run(analysis, states)
    }
}

impl Track<Position> for History {
    fn new(root: &Position) -> History {
        History::new(*root)
    }

    fn current(&self) -> Position {
        *self.current()
    }

    fn play(&mut self, played: Move) {
        self.play(played);
    }

    fn end(&self) -> Option<LineEnd> {
        if !self.current().has_legal_move() {
            return Some(match self.is_check() {
                true => LineEnd::Checkmate,
                false => LineEnd::Stalemate,
            });
        }
        let loser = self.repetition().and_then(|repetition| repetition.loser());
        loser.map(|_| LineEnd::PerpetualCheck)
    }
}
