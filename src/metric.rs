//! What a table says about a position: [`Wdl`], [`Dtz`], [`Dtm`], their units and how a value
//! passes from a position to the one before it.
//!
//! Every value is from the point of view of the side to move.
//!
//! | metric | question it answers | unit |
//! |---|---|---|
//! | [`Wdl`] | who wins, with the fifty-move rule and its clock at zero | five classes |
//! | [`Dtz`] | how long until the next capture or pawn move while that result is kept | plies |
//! | [`Dtm`] | how long until mate, as if there were no fifty-move rule | plies |
//!
//! `Dtz` refines `Wdl`:
//!
//! | `Wdl` | `Dtz`, plies | meaning |
//! |---|---|---|
//! | [`Wdl::Win`] | 1 to 100 | wins before the fifty-move rule can be claimed |
//! | [`Wdl::CursedWin`] | 101 and more | would win, but the defender can claim a draw |
//! | [`Wdl::Draw`] | 0 | |
//! | [`Wdl::BlessedLoss`] | -101 and less | would lose, but may claim a draw |
//! | [`Wdl::Loss`] | -1 to -100 | loses; a mated position is reported as -1 |
//!
//! # Examples
//!
//! ```
//! use retrograde::metric::{Dtm, Dtz, MateScore, Wdl};
//!
//! // A loss of the opponent is a win for the side that moves there, one ply longer.
//! assert_eq!(-Wdl::Loss, Wdl::Win);
//! assert_eq!(Dtz(-30).before_quiet_move(), Dtz(31));
//! assert_eq!(Dtm(-30).before_move(), Dtm(31));
//! // 100 plies are in time for the fifty-move rule, 101 are not.
//! assert_eq!((Dtz(100).wdl(), Dtz(101).wdl()), (Wdl::Win, Wdl::CursedWin));
//! assert_eq!(Wdl::BlessedLoss.category(), "blessed-loss");
//! // A byte holds a distance to mate; more is better for the side to move.
//! let [slow, quick] = [31, 3].map(|plies| MateScore::from_plies(plies).unwrap());
//! assert!(slow < quick && MateScore::DRAW < slow);
//! assert_eq!(slow.dtm(), Some(Dtm(31)));
//! ```

use std::fmt;
use std::ops::Neg;

/// What a table stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// [`Wdl`].
    Wdl,
    /// [`Dtz`].
    Dtz,
    /// [`Dtm`].
    Dtm,
}

impl Metric {
    /// All metrics, in the order of their numbers in table files.
    pub const ALL: [Metric; 3] = [Metric::Wdl, Metric::Dtz, Metric::Dtm];

    /// The name on the command line, and the extension of the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtz => "dtz",
            Metric::Dtm => "dtm",
        }
    }

    /// The number in table files.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not the name of a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric `{0}`: use wdl, dtz or dtm")]
pub struct ParseMetricError(String);

impl std::str::FromStr for Metric {
    type Err = ParseMetricError;

    fn from_str(name: &str) -> Result<Metric, ParseMetricError> {
        Metric::ALL
            .into_iter()
            .find(|metric| metric.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| ParseMetricError(name.to_owned()))
    }
}

/// A number of half moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plies(pub u32);

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The number of plies without a capture or a pawn move after which a draw can be claimed.
pub const FIFTY_MOVES: Plies = Plies(100);

/// Result of best play under the fifty-move rule, clock at zero, for the side to move.
///
/// The order is the order of preference of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Loses, and the fifty-move rule does not help.
    Loss,
    /// Would lose, but is saved by the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Would win, but the fifty-move rule saves the opponent.
    CursedWin,
    /// Wins.
    Win,
}

impl Wdl {
    /// All values, worst for the side to move first.
    pub const ALL: [Wdl; 5] = [
        Wdl::Loss,
        Wdl::BlessedLoss,
        Wdl::Draw,
        Wdl::CursedWin,
        Wdl::Win,
    ];

    /// The place of the value in [`Wdl::ALL`], which is also the number stored in table files.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The value at a place of [`Wdl::ALL`], or nothing beyond it.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Wdl> {
        if index < Wdl::ALL.len() {
            Some(Wdl::ALL[index])
        } else {
            None
        }
    }

    /// The number used by the public tablebase interfaces: -2 for a loss to 2 for a win.
    #[must_use]
    pub const fn signum2(self) -> i32 {
        self as i32 - 2
    }

    /// Whether the side to move mates in the end if the fifty-move rule is ignored.
    #[must_use]
    pub const fn is_any_win(self) -> bool {
        matches!(self, Wdl::Win | Wdl::CursedWin)
    }

    /// Whether the side to move is mated in the end if the fifty-move rule is ignored.
    #[must_use]
    pub const fn is_any_loss(self) -> bool {
        matches!(self, Wdl::Loss | Wdl::BlessedLoss)
    }

    /// The distance to zeroing of a position in which a zeroing move reaches this value at once.
    ///
    /// One ply for a real result; 101 where the fifty-move rule spoils it; zero for a draw.
    #[must_use]
    pub const fn dtz_of_zeroing_move(self) -> Dtz {
        Dtz(match self {
            Wdl::Win => 1,
            Wdl::CursedWin => 101,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -101,
            Wdl::Loss => -1,
        })
    }

    /// The word used on the command line and in JSON.
    #[must_use]
    pub const fn category(self) -> &'static str {
        match self {
            Wdl::Win => "win",
            Wdl::CursedWin => "cursed-win",
            Wdl::Draw => "draw",
            Wdl::BlessedLoss => "blessed-loss",
            Wdl::Loss => "loss",
        }
    }
}

impl Neg for Wdl {
    type Output = Wdl;

    /// The same result seen by the opponent.
    fn neg(self) -> Wdl {
        match self {
            Wdl::Win => Wdl::Loss,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Draw => Wdl::Draw,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Loss => Wdl::Win,
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.category())
    }
}

/// Plies to the next capture or pawn move that keeps the result, or to mate.
///
/// Positive when the side to move wins, negative when it loses, zero for a draw; exact, never
/// rounded. The winner takes the shortest way, the loser the longest. A mated position is -1, as in
/// other programs that probe Syzygy tables; its mating move therefore counts one ply, not two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dtz(pub i32);

impl Dtz {
    /// The value of the position before, when a move that is neither a capture nor a pawn move led
    /// here.
    ///
    /// Does not apply to a mated position, whose predecessor has distance one.
    #[must_use]
    pub const fn before_quiet_move(self) -> Dtz {
        Dtz(match self.0 {
            0 => 0,
            distance if distance > 0 => -(distance + 1),
            distance => -distance + 1,
        })
    }

    /// The result this distance stands for, with the clock at zero.
    #[must_use]
    pub const fn wdl(self) -> Wdl {
        match self.0 {
            0 => Wdl::Draw,
            1..=100 => Wdl::Win,
            101.. => Wdl::CursedWin,
            -100..=-1 => Wdl::Loss,
            _ => Wdl::BlessedLoss,
        }
    }
}

impl fmt::Display for Dtz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a table knows of a distance to zeroing: it is `shortest`, or `longest`, or between them.
///
/// Our own tables know it exactly. Syzygy tables may keep moves where they could keep plies: then
/// `longest` is one ply farther from zero than `shortest`, which is what other probers report. The
/// result is the same for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DtzRange {
    /// The distance nearest to zero.
    pub shortest: Dtz,
    /// The distance farthest from zero.
    pub longest: Dtz,
}

impl DtzRange {
    /// The distance, if it is known exactly.
    #[must_use]
    pub fn exact(self) -> Option<Dtz> {
        (self.shortest == self.longest).then_some(self.shortest)
    }

    /// The range of the position before, when a move that is neither a capture nor a pawn move led
    /// here.
    ///
    /// Does not apply to a mated position, whose predecessor has distance one.
    #[must_use]
    pub const fn before_quiet_move(self) -> DtzRange {
        DtzRange {
            shortest: self.shortest.before_quiet_move(),
            longest: self.longest.before_quiet_move(),
        }
    }

    /// Whether every distance of the range stands for this result, with the clock at zero.
    #[must_use]
    pub fn is_of(self, wdl: Wdl) -> bool {
        self.shortest.wdl() == wdl && self.longest.wdl() == wdl
    }
}

impl From<Dtz> for DtzRange {
    /// A distance that is known exactly.
    fn from(dtz: Dtz) -> DtzRange {
        DtzRange {
            shortest: dtz,
            longest: dtz,
        }
    }
}

/// Plies to mate, ignoring the fifty-move rule: odd and positive when the side to move wins, even
/// and not positive when it loses; a mated position is 0. Draws have no `Dtm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dtm(pub i32);

impl fmt::Display for Dtm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Dtm {
    /// The value of the position before, when any move led here.
    #[must_use]
    pub const fn before_move(self) -> Dtm {
        Dtm(if self.0 > 0 {
            -(self.0 + 1)
        } else {
            -self.0 + 1
        })
    }
}

/// Distance to mate in one byte, ordered by preference of the side to move.
///
/// | byte | meaning |
/// |---|---|
/// | 0 to 127 | mated in twice that many plies |
/// | 128 | draw |
/// | 129 to 255 | mates in `2 * (255 - byte) + 1` plies |
///
/// Every move of every chess material of up to five men fits: the longest mates are 253 plies, and
/// a forced loss is at most 254. Because the parity of a mate follows from its winner, halving
/// loses nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MateScore(pub u8);

impl MateScore {
    /// Neither side mates.
    pub const DRAW: MateScore = MateScore(128);
    /// The side to move is mated now; also less than the value of any move.
    pub const MATED: MateScore = MateScore(0);

    /// The score of the position before, when the best move led to a position of this score.
    #[must_use]
    #[inline(always)]
    pub const fn before_move(self) -> MateScore {
        MateScore((255 - self.0).wrapping_add((self.0 >= MateScore::DRAW.0) as u8))
    }

    /// The score of a mate given in `plies`, won (odd) or lost (even) by the side to move.
    ///
    /// Nothing if the distance does not fit: more than 253 plies won or 254 lost.
    #[must_use]
    pub const fn from_plies(plies: u32) -> Option<MateScore> {
        let half = plies / 2;
        if plies % 2 == 1 && half <= 126 {
            Some(MateScore(255 - half as u8))
        } else if plies.is_multiple_of(2) && half <= 127 {
            Some(MateScore(half as u8))
        } else {
            None
        }
    }

    /// The distance to mate, or nothing for a draw.
    #[must_use]
    pub const fn dtm(self) -> Option<Dtm> {
        match self.0 {
            128 => None,
            byte if byte < 128 => Some(Dtm(-2 * byte as i32)),
            byte => Some(Dtm(2 * (255 - byte as i32) + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_score_before_move_adds_one_ply() {
        for plies in 0..=252 {
            let score = MateScore::from_plies(plies).unwrap();
            let before = score.before_move();
            assert_eq!(before.dtm().unwrap().0.unsigned_abs(), plies + 1);
            assert_eq!(
                Some(before.dtm().unwrap()),
                score.dtm().map(Dtm::before_move)
            );
        }
        assert_eq!(MateScore::DRAW.before_move(), MateScore::DRAW);
        assert_eq!(
            MateScore::from_plies(253).unwrap().before_move().dtm(),
            Some(Dtm(-254))
        );
        assert_eq!(MateScore::from_plies(255), None);
        assert_eq!(MateScore::from_plies(256), None);
    }

    #[test]
    fn mate_scores_are_ordered_by_preference() {
        let order: Vec<MateScore> = (0..=127)
            .map(|half| MateScore::from_plies(2 * half).unwrap())
            .chain([MateScore::DRAW])
            .chain(
                (0..=126)
                    .rev()
                    .map(|half| MateScore::from_plies(2 * half + 1).unwrap()),
            )
            .collect();
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn wdl_negation_and_order() {
        for wdl in Wdl::ALL {
            assert_eq!(-(-wdl), wdl);
            assert_eq!((-wdl).signum2(), -wdl.signum2());
            assert_eq!(Wdl::from_index(wdl.index()), Some(wdl));
            assert_eq!(wdl.dtz_of_zeroing_move().wdl(), wdl);
        }
    }
}
