//! What is known of a position while it is being solved, in sixteen bits, and how it follows from
//! its moves.

use crate::metric::{Dtm, Dtz, FIFTY_MOVES};
use crate::reach::game::Value;

/// The last ply at which a zeroing move still wins.
const LAST: u16 = FIFTY_MOVES.0 as u16;
/// The distance of a zeroing move into a win that the fifty-move rule spoils.
const TOO_LATE: u16 = LAST + 1;
/// No distance is as long.
const END: u16 = 0x4000;

/// The state of a position in one metric. The order is such that what the winner prefers is less.
///
/// | number | state |
/// |---|---|
/// | below 0x4000 | won in so many plies, or fewer |
/// | 0x4000 and so many | lost in so many plies |
/// | 0x8000 and so many | open: lost in so many plies at least, if at all |
/// | 0xffff | not lost: a draw unless a win is found |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State(pub u16);

impl State {
    /// Mated.
    pub const MATED: State = State::lost(0);
    /// Not lost.
    pub const NOT_LOST: State = State(u16::MAX);

    /// Won in so many plies.
    #[inline]
    pub const fn won(plies: u16) -> State {
        State(if plies < END { plies } else { END - 1 })
    }

    /// Lost in so many plies.
    #[inline]
    pub const fn lost(plies: u16) -> State {
        State(END | State::won(plies).0)
    }

    /// Lost in so many plies at least, if at all.
    #[inline]
    pub const fn open(plies: u16) -> State {
        State((2 * END) | State::won(plies).0)
    }

    /// The plies if won.
    #[inline]
    pub const fn as_won(self) -> Option<u16> {
        if self.0 < END { Some(self.0) } else { None }
    }

    /// The plies if lost.
    #[inline]
    pub const fn as_lost(self) -> Option<u16> {
        match self.0 & !(END - 1) {
            END => Some(self.0 & (END - 1)),
            _ => None,
        }
    }

    /// The least number of plies if open.
    #[inline]
    pub const fn as_open(self) -> Option<u16> {
        match self.0 & !(END - 1) {
            half if half == 2 * END => Some(self.0 & (END - 1)),
            _ => None,
        }
    }

    /// The plies if won or lost.
    #[inline]
    pub const fn as_decided(self) -> Option<u16> {
        // The two differ in one bit.
        match self.0 & !END {
            plies if plies < END => Some(plies),
            _ => None,
        }
    }

    /// Plies to the next zeroing move; zero for a draw. A mated position is -1.
    pub fn dtz(self) -> Dtz {
        match (self.as_won(), self.as_lost()) {
            (Some(plies), _) => Dtz(plies.into()),
            (_, Some(plies)) => Dtz(-i32::from(plies.max(1))),
            _ => Dtz(0),
        }
    }

    /// Plies to mate; nothing for a draw.
    pub fn dtm(self) -> Option<Dtm> {
        match (self.as_won(), self.as_lost()) {
            (Some(plies), _) => Some(Dtm(plies.into())),
            (_, Some(plies)) => Some(Dtm(-i32::from(plies))),
            _ => None,
        }
    }

    fn of_plies(plies: i32) -> State {
        let distance = u16::try_from(plies.unsigned_abs()).unwrap_or(END);
        match plies > 0 {
            true => State::won(distance),
            false => State::lost(distance),
        }
    }
}

/// The states of a position, by zeroing moves and by mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct States {
    /// By the next zeroing move.
    pub zeroing: State,
    /// By mate.
    pub mate: State,
}

impl States {
    /// A draw.
    pub const DRAW: States = States {
        zeroing: State::NOT_LOST,
        mate: State::NOT_LOST,
    };
    /// Nothing is known yet, and there are moves.
    pub const OPEN: States = States {
        zeroing: State::open(0),
        mate: State::open(0),
    };
    /// As good as won, at once.
    pub const GIVEN: States = States {
        zeroing: State::won(1),
        mate: State::won(1),
    };
    /// As good as mated.
    pub const CONCEDED: States = States {
        zeroing: State::MATED,
        mate: State::MATED,
    };

    /// The value they stand for.
    pub fn value(self, with_mates: bool) -> Value {
        Value {
            dtz: self.zeroing.dtz(),
            dtm: if with_mates { self.mate.dtm() } else { None },
        }
    }

    /// Those of a position whose value is known.
    pub fn of_known(known: Value, is_checkmate: bool) -> States {
        let zeroing = match known.dtz {
            Dtz(0) => State::NOT_LOST,
            _ if is_checkmate => State::MATED,
            Dtz(plies) => State::of_plies(plies),
        };
        let mate = match known.dtm {
            Some(Dtm(plies)) => State::of_plies(plies),
            None => State::NOT_LOST,
        };
        States { zeroing, mate }
    }
}

/// What the moves looked at so far make of a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outlook {
    win: Option<u16>,
    loss: Option<u16>,
    is_not_lost: bool,
}

impl Outlook {
    /// Counts a move to a position that is in `next`, by mate or, if it does not zero, by the next
    /// zeroing move.
    #[inline]
    pub fn count(&mut self, next: State) {
        if let Some(plies) = next.as_lost() {
            self.win_in(plies + 1);
        } else if let Some(plies) = next.as_won() {
            self.lose_in(plies + 1);
        } else {
            self.is_not_lost = true;
        }
    }

    /// Counts a zeroing move by the next zeroing move: what matters of the position after it is its
    /// result.
    #[inline]
    pub fn count_zeroing(&mut self, next: State) {
        let plies = |plies| if plies <= LAST { 1 } else { TOO_LATE };
        if let Some(after) = next.as_lost() {
            self.win_in(plies(after));
        } else if let Some(after) = next.as_won() {
            self.lose_in(plies(after));
        } else {
            self.is_not_lost = true;
        }
    }

    #[inline]
    fn win_in(&mut self, plies: u16) {
        self.win = Some(self.win.map_or(plies, |win| win.min(plies)));
    }

    #[inline]
    fn lose_in(&mut self, plies: u16) {
        self.loss = self.loss.max(Some(plies));
    }

    /// The state, if so many moves have not been counted; `is_check` matters where there is no move
    /// at all.
    #[inline]
    pub fn state(self, others: usize, is_check: impl FnOnce() -> bool) -> State {
        if let Some(plies) = self.win {
            return State::won(plies);
        }
        if self.is_not_lost {
            return State::NOT_LOST;
        }
        match (others, self.loss) {
            (0, Some(plies)) => State::lost(plies),
            (0, None) if is_check() => State::MATED,
            (0, None) => State::NOT_LOST,
            (_, loss) => State::open(loss.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_were_written() {
        for plies in [0, 1, 100, 101, 0x3fff] {
            assert_eq!(State::won(plies).as_won(), Some(plies));
            assert_eq!(State::lost(plies).as_lost(), Some(plies));
            assert_eq!(State::open(plies).as_open(), Some(plies));
            assert_eq!(State::lost(plies).as_won(), None);
            assert_eq!(State::open(plies).as_lost(), None);
            assert_eq!(State::won(plies).as_open(), None);
            assert_eq!(State::won(plies).as_decided(), Some(plies));
            assert_eq!(State::lost(plies).as_decided(), Some(plies));
            assert_eq!(State::open(plies).as_decided(), None);
            assert!(State::won(plies) < State::lost(0));
            assert!(State::lost(plies) < State::open(0));
            assert!(State::open(plies) < State::NOT_LOST);
        }
        assert_eq!(State::NOT_LOST.as_open(), None);
        assert_eq!(State::NOT_LOST.as_decided(), None);
        assert_eq!(State::MATED.dtz(), Dtz(-1));
        assert_eq!(State::MATED.dtm(), Some(Dtm(0)));
        assert_eq!(State::NOT_LOST.dtz(), Dtz(0));
    }

    #[test]
    fn a_zeroing_move_counts_by_its_result() {
        let state = |next: &[State]| {
            let mut outlook = Outlook::default();
            next.iter().for_each(|&next| outlook.count_zeroing(next));
            outlook.state(0, || true)
        };
        assert_eq!(state(&[]), State::MATED);
        assert_eq!(state(&[State::lost(100)]), State::won(1));
        assert_eq!(state(&[State::lost(101)]), State::won(101));
        let losing = [State::won(100), State::won(101)];
        assert_eq!(state(&losing[..1]), State::lost(1));
        assert_eq!(state(&losing), State::lost(101));
        assert_eq!(state(&[losing[0], State::NOT_LOST]), State::NOT_LOST);
        assert_eq!(state(&[State::lost(101), State::lost(7)]), State::won(1));
    }
}
