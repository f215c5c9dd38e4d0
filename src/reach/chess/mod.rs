//! Chess: positions in a normal form, solved by taking moves back.

mod analyse;
mod compact;
mod level;
mod packed;
mod plane;
mod propagate;
mod rules;
mod state;
mod symmetry;
mod unmove;

use std::cmp::Reverse;

use super::explore;
use super::game::{Analysis, LeafError, LineEnd, Next, Outlay, Reach, Rules, Track, Value};
use super::positions::{Look, bytes_to_find};
use crate::chess::rules::{Board, Move, Position, Role, Square};
use crate::game::{Color, Game};
use crate::metric::FIFTY_MOVES;

use plane::Values;
use state::{Outlook, State, States};

pub use packed::Packed;

type Exploration = explore::Exploration<Packed>;

impl Reach for Position {
    type Move = Move;
    type Value = Value;
    type Packed = Packed;
    type State = States;
    type States = Values;
    type Track = Position;
    type Preference = ((i8, i32), i32, Square, Square, Reverse<Option<Role>>);

    const GAME: Game = Game::Chess;

    fn turn(&self) -> Color {
        Board::turn(self)
    }

    fn men(&self) -> u32 {
        self.occupied().count_ones()
    }

    fn men_of(&self, side: Color) -> u32 {
        self.by_color(side).count_ones()
    }

    fn canonical(&self) -> Position {
        compact::canonical(self)
    }

    fn moves(&self) -> Vec<Move> {
        self.legal_moves().into_iter().collect()
    }

    fn after(&self, played: Move) -> Position {
        self.play(played)
    }

    fn is_dead(&self) -> bool {
        self.is_insufficient_material()
    }

    fn is_won(&self, value: Value) -> bool {
        let plies = value.dtz.0 + i32::from(self.halfmoves());
        value.dtz.0 > 0 && plies <= FIFTY_MOVES.0 as i32
    }

    /// Positions while they are sought, or positions and then states.
    fn bytes_per_position(&self, mates: bool) -> f64 {
        let planes = if mates { 2.0 } else { 1.0 };
        let [packed, beside] = bytes_to_find::<Packed>(self.men());
        (packed * 1.125).max(packed + planes * plane::BYTES as f64) + beside
    }

    fn visit(
        packed: &Packed,
        rules: &Rules<'_, Position>,
        is_covered: bool,
        found: impl FnMut(Packed, u64),
    ) -> Look {
        rules::visit(packed, rules, is_covered, found)
    }

    fn next(&self, rules: &Rules<'_, Position>, played: Move, is_covered: bool) -> Next<Position> {
        rules::next(rules, self, played, is_covered)
    }

    fn state_of(&self, value: Value) -> States {
        // A mated position has the same distance as one that is lost after the next move.
        States::of_known(value, value.dtz.0 == -1 && self.is_checkmate())
    }

    fn value_of(state: States, mates: bool) -> Value {
        state.value(mates)
    }

    fn keeps(here: States, played: Move, next: States, mates: bool) -> bool {
        let wanted = if mates { here.mate } else { here.zeroing };
        of_move(played, next, mates) == wanted
    }

    /// By what the move is worth; then the one that zeroes sooner for the winner, later for the
    /// loser; then by squares, and the strongest promotion first.
    fn preference(
        _: States,
        played: Move,
        next: Option<States>,
        _: bool,
        mates: bool,
    ) -> Self::Preference {
        let worth = next.map(|next| of_move(played, next, mates));
        let rank = match worth.map(|worth| (worth.as_won(), worth.as_lost())) {
            Some((Some(plies), _)) => (0, plies.into()),
            Some((_, Some(plies))) => (3, -i32::from(plies)),
            Some((None, None)) => (1, 0),
            None => (2, 0),
        };
        let zeroing = next.map_or(State::NOT_LOST, |next| next.zeroing);
        let plies = match played.is_zeroing() {
            true => 0,
            false => zeroing.dtz().0.abs(),
        };
        let signed = match zeroing.as_lost() {
            Some(_) => plies,
            None => -plies,
        };
        let (from, to) = (played.from(), played.to());
        (rank, signed, from, to, Reverse(played.promotion()))
    }

    fn analyse(
        analysis: &Analysis<'_, Position>,
        states: &mut Values,
    ) -> Result<Outlay, LeafError> {
        analyse::run(analysis, states)
    }
}

/// What a move to a position in `next` makes of the one before it.
fn of_move(played: Move, next: States, mates: bool) -> State {
    let mut outlook = Outlook::default();
    match (mates, played.is_zeroing()) {
        (true, _) => outlook.count(next.mate),
        (false, true) => outlook.count_zeroing(next.zeroing),
        (false, false) => outlook.count(next.zeroing),
    }
    outlook.state(0, || false)
}

/// Repetitions do not matter.
impl Track<Position> for Position {
    fn new(root: &Position) -> Position {
        root.canonical()
    }

    fn current(&self) -> Position {
        *self
    }

    fn play(&mut self, played: Move) {
        *self = self.after(played).canonical();
    }

    fn end(&self) -> Option<LineEnd> {
        self.is_checkmate().then_some(LineEnd::Checkmate)
    }
}
