//! What the tables say about a position, in four bytes, and what follows from its successors.

use crate::metric::{Dtm, Dtz, MateScore, Metric, Wdl};

/// The values of one position, as the prober gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// [`Wdl::index`], or one of the two below.
    wdl: u8,
    /// Meaningless without a DTZ table.
    mate: MateScore,
    /// Meaningless without a DTM table.
    dtz: i16,
}

/// No position: men on one square, the opponent in check, a twin.
const ILLEGAL: u8 = u8::MAX;
/// The tables contradict each other here.
const CONTRADICTORY: u8 = u8::MAX - 1;

impl Value {
    pub const ILLEGAL: Value = Value::special(ILLEGAL);
    pub const CONTRADICTORY: Value = Value::special(CONTRADICTORY);

    const fn special(wdl: u8) -> Value {
        Value {
            wdl,
            mate: MateScore::DRAW,
            dtz: 0,
        }
    }

    pub fn new(wdl: Wdl, dtz: Dtz, mate: MateScore) -> Value {
        Value {
            wdl: wdl.index() as u8,
            mate,
            // Longer than any distance: what is cut off differs from what follows.
            dtz: dtz.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
        }
    }

    /// The result; nothing if there is none to rely on.
    pub fn wdl(self) -> Option<Wdl> {
        Wdl::from_index(self.wdl.into())
    }

    pub fn dtz(self) -> Dtz {
        Dtz(self.dtz.into())
    }

    pub fn mate(self) -> MateScore {
        self.mate
    }

    pub fn is_illegal(self) -> bool {
        self.wdl == ILLEGAL
    }
}

/// What the successors seen so far say about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    dtz: Option<Dtz>,
    /// The best result, and the best if every quiet move comes one ply too late for the fifty-move rule.
    wdl: Option<(Wdl, Wdl)>,
    mate: Option<MateScore>,
}

/// A move, seen from its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub wdl: Wdl,
    pub dtz: Dtz,
    pub mate: MateScore,
    pub by_zeroing: bool,
    pub is_checkmate: bool,
}

impl Expected {
    pub const NO_MOVES: Expected = Expected {
        dtz: None,
        wdl: None,
        mate: None,
    };

    /// Takes one more move into account.
    pub fn add(&mut self, next: Successor) {
        let wdl = -next.wdl;
        let dtz = if next.by_zeroing {
            wdl.dtz_of_zeroing_move()
        } else if next.is_checkmate {
            Dtz(1)
        } else {
            next.dtz.before_quiet_move()
        };
        if self
            .dtz
            .is_none_or(|best| preference(dtz) > preference(best))
        {
            self.dtz = Some(dtz);
        }
        let late = match wdl {
            Wdl::Win if !next.by_zeroing && !next.is_checkmate => Wdl::CursedWin,
            Wdl::Loss if !next.by_zeroing => Wdl::BlessedLoss,
            wdl => wdl,
        };
        let (best, best_late) = self.wdl.unwrap_or((wdl, late));
        self.wdl = Some((best.max(wdl), best_late.max(late)));
        self.mate = self.mate.max(Some(next.mate.before_move()));
    }

    /// The distances and the result that follow; `is_check` decides between mate and stalemate.
    pub fn value(&self, is_check: bool) -> Value {
        match (self.dtz, self.mate) {
            (Some(dtz), Some(mate)) => Value::new(dtz.wdl(), dtz, mate),
            _ if is_check => Value::new(Wdl::Loss, Dtz(-1), MateScore::MATED),
            _ => Value::new(Wdl::Draw, Dtz(0), MateScore::DRAW),
        }
    }

    /// Whether a result can be right, without distances to zeroing to decide when a win comes too late.
    pub fn allows(&self, wdl: Wdl, is_check: bool) -> bool {
        match self.wdl {
            Some((best, late)) => wdl == best || wdl == late,
            None => Some(wdl) == self.value(is_check).wdl(),
        }
    }
}

/// More is better for the side that chooses: wins, the shortest first; draws; losses, the longest first.
fn preference(Dtz(plies): Dtz) -> (i32, i32) {
    (plies.signum(), -plies)
}

/// A value as reports and the command line show it.
pub(super) fn shown(metric: Metric, value: Value) -> Option<i32> {
    match metric {
        Metric::Wdl => value.wdl().map(Wdl::signum2),
        Metric::Dtz => Some(value.dtz().0),
        Metric::Dtm => value.mate().dtm().map(|Dtm(plies)| plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(dtz: i32) -> Successor {
        Successor {
            wdl: Dtz(dtz).wdl(),
            dtz: Dtz(dtz),
            mate: MateScore::DRAW,
            by_zeroing: false,
            is_checkmate: false,
        }
    }

    fn dtz_after(successors: &[Successor]) -> i32 {
        let mut expected = Expected::NO_MOVES;
        for &successor in successors {
            expected.add(successor);
        }
        expected.value(false).dtz().0
    }

    #[test]
    fn the_winner_hurries_and_the_loser_does_not() {
        assert_eq!(dtz_after(&[quiet(-4), quiet(-2), quiet(0), quiet(7)]), 3);
        assert_eq!(dtz_after(&[quiet(3), quiet(5)]), -6);
        assert_eq!(dtz_after(&[quiet(3), quiet(0)]), 0);
        assert_eq!(dtz_after(&[]), 0);
    }

    #[test]
    fn one_ply_can_be_too_late() {
        assert_eq!(dtz_after(&[quiet(-100)]), 101);
        assert_eq!(dtz_after(&[quiet(100)]), -101);
        let zeroing = Successor {
            by_zeroing: true,
            ..quiet(-100)
        };
        assert_eq!(dtz_after(&[zeroing]), 1);
    }

    #[test]
    fn a_mate_is_one_ply_away() {
        let mate = Successor {
            is_checkmate: true,
            mate: MateScore::MATED,
            ..quiet(-1)
        };
        assert_eq!(dtz_after(&[mate]), 1);
        assert_eq!(dtz_after(&[quiet(-1)]), 2);
        let mut expected = Expected::NO_MOVES;
        expected.add(mate);
        assert_eq!(expected.value(false).mate().dtm(), Some(Dtm(1)));
        assert_eq!(Expected::NO_MOVES.value(true).mate().dtm(), Some(Dtm(0)));
    }
}
