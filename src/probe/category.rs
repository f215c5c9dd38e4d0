//! The result of a position as its clock stands, in the words of the public tablebase interface.

use crate::metric::{DtzRange, FIFTY_MOVES, Wdl};

/// The result of a position under the fifty-move rule and its clock, for the side to move: from
/// worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// It loses.
    Loss,
    /// No table says.
    Unknown,
    /// It loses, or the rule saves it by a ply: the distance is a rounded one.
    SyzygyLoss,
    /// It loses, or the rule saves it: the distance is not known.
    MaybeLoss,
    /// It would lose, but the fifty-move rule saves it.
    BlessedLoss,
    /// Nobody wins.
    Draw,
    /// It would win, but for the fifty-move rule.
    CursedWin,
    /// It wins, or the rule prevents it: the distance is not known.
    MaybeWin,
    /// It wins, or the rule prevents it by a ply: the distance is a rounded one.
    SyzygyWin,
    /// It wins.
    Win,
}

/// What is known of a position whose category is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocked {
    /// The result from a fresh clock, if a table says.
    pub wdl: Option<Wdl>,
    /// The plies to the next zeroing move, or to mate, if a table says.
    pub dtz: Option<DtzRange>,
    /// Whether the side to move is mated.
    pub is_checkmate: bool,
    /// Plies since the last zeroing move.
    pub clock: u32,
    /// The same before the move that led here. Where no move did, one less, or zero.
    pub clock_before: u32,
}

impl Category {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::Unknown => "unknown",
            Category::SyzygyLoss => "syzygy-loss",
            Category::MaybeLoss => "maybe-loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::MaybeWin => "maybe-win",
            Category::SyzygyWin => "syzygy-win",
            Category::Win => "win",
        }
    }

    /// The same for the other side.
    #[must_use]
    pub const fn negated(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
        }
    }

    /// The category of a position. A mate on the board counts whatever the clock says after it;
    /// what follows a clock of 100 plies and more comes too late.
    #[must_use]
    pub fn of(position: &Clocked) -> Category {
        let limit = FIFTY_MOVES.0;
        let Some(wdl) = position.wdl else {
            return Category::Unknown;
        };
        if wdl == Wdl::Draw {
            return Category::Draw;
        }
        let for_winner = if position.clock_before >= limit {
            Category::CursedWin
        } else if position.is_checkmate {
            Category::Win
        } else if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) {
            Category::CursedWin
        } else {
            let plies = |distance: u32| position.clock.saturating_add(distance);
            match position.dtz {
                _ if position.clock == 0 => Category::Win,
                None => Category::MaybeWin,
                Some(dtz) if plies(dtz.longest.0.unsigned_abs()) <= limit => Category::Win,
                Some(dtz) if plies(dtz.shortest.0.unsigned_abs()) <= limit => Category::SyzygyWin,
                Some(_) => Category::CursedWin,
            }
        };
        match wdl.is_any_win() {
            true => for_winner,
            false => for_winner.negated(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Dtz;

    fn category(wdl: Wdl, plies: [i32; 2], clock: u32) -> Category {
        Category::of(&Clocked {
            wdl: Some(wdl),
            dtz: Some(DtzRange {
                shortest: Dtz(plies[0]),
                longest: Dtz(plies[1]),
            }),
            is_checkmate: false,
            clock,
            clock_before: clock.saturating_sub(1),
        })
    }

    #[test]
    fn the_clock_and_the_distance_are_a_hundred_plies_at_most() {
        for (clock, expected) in [
            (0, Category::Win),
            (69, Category::Win),
            (70, Category::CursedWin),
            (101, Category::CursedWin),
        ] {
            assert_eq!(category(Wdl::Win, [31, 31], clock), expected);
            let loss = category(Wdl::Loss, [-31, -31], clock);
            assert_eq!(loss, expected.negated());
        }
        assert_eq!(category(Wdl::Draw, [0, 0], 101), Category::Draw);
        let cursed = category(Wdl::CursedWin, [120, 120], 0);
        assert_eq!(cursed, Category::CursedWin);
    }

    #[test]
    fn rounded_distances_leave_a_ply_open() {
        assert_eq!(category(Wdl::Win, [30, 31], 69), Category::Win);
        assert_eq!(category(Wdl::Win, [30, 31], 70), Category::SyzygyWin);
        assert_eq!(category(Wdl::Loss, [-30, -31], 70), Category::SyzygyLoss);
        assert_eq!(category(Wdl::Win, [30, 31], 71), Category::CursedWin);
        // From a fresh clock the result says it.
        assert_eq!(category(Wdl::Win, [100, 101], 0), Category::Win);
    }

    #[test]
    fn a_mate_counts_if_it_comes_in_time() {
        let mated = |clock: u32| {
            Category::of(&Clocked {
                wdl: Some(Wdl::Loss),
                dtz: None,
                is_checkmate: true,
                clock,
                clock_before: clock - 1,
            })
        };
        assert_eq!(mated(100), Category::Loss);
        assert_eq!(mated(101), Category::BlessedLoss);
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let unknown = Clocked {
            wdl: None,
            dtz: None,
            is_checkmate: false,
            clock: 10,
            clock_before: 9,
        };
        assert_eq!(Category::of(&unknown), Category::Unknown);
        let won = Clocked {
            wdl: Some(Wdl::Win),
            ..unknown
        };
        assert_eq!(Category::of(&won), Category::MaybeWin);
        let fresh = Clocked {
            clock: 0,
            clock_before: 0,
            ..won
        };
        assert_eq!(Category::of(&fresh), Category::Win);
    }
}
