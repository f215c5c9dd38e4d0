//! Distances to mate while a position is searched.

use crate::metric::Dtm;

/// A distance to mate as a number, ordered by preference of the side to move as
/// [`MateScore`](crate::metric::MateScore) is, and of two bytes: with six men and more there are
/// mates that a byte does not hold.
///
/// Lost in `2n` plies is `n`, won in `2n + 1` plies is `65535 - n`, and the draw stands between
/// them: 32768. So won in 31 plies is 65520, and lost in 30, the position after the move, is 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mate(u16);

impl Mate {
    /// Neither side mates.
    pub const DRAW: Mate = Mate(1 << 15);
    /// The side to move is mated now; also less than the value of any move.
    pub const MATED: Mate = Mate(0);
    /// The side to move mates with its first move: the best there is.
    pub const AT_ONCE: Mate = Mate(u16::MAX);

    /// Won with so many moves, which a table has for it.
    pub fn won(moves: u16) -> Mate {
        Mate(u16::MAX - moves.min(u16::MAX - Mate::DRAW.0 - 1))
    }

    /// Lost after so many moves, which a table has for it.
    pub fn lost(moves: u16) -> Mate {
        Mate(moves.min(Mate::DRAW.0 - 1))
    }

    /// That of the position before, when the best move led to this one.
    #[inline(always)]
    pub fn before_move(self) -> Mate {
        Mate((u16::MAX - self.0).wrapping_add(u16::from(self >= Mate::DRAW)))
    }

    /// In plies; nothing for a draw.
    pub fn dtm(self) -> Option<Dtm> {
        let number = i32::from(self.0);
        match self.cmp(&Mate::DRAW) {
            std::cmp::Ordering::Less => Some(Dtm(-2 * number)),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Dtm(2 * (i32::from(u16::MAX) - number) + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_ordered_by_preference_and_count_plies() {
        let in_order = [
            Mate::MATED,
            Mate::lost(1),
            Mate::lost(300),
            Mate::DRAW,
            Mate::won(300),
            Mate::won(15),
            Mate::AT_ONCE,
        ];
        assert!(in_order.is_sorted_by(|a, b| a < b));
        let plies = in_order.map(|mate| mate.dtm().map(|Dtm(plies)| plies));
        let expected = [0, -2, -600, 0, 601, 31, 1].map(Some);
        assert_eq!(plies[..3], expected[..3]);
        assert_eq!((plies[3], &plies[4..]), (None, &expected[4..]));
        for mate in in_order {
            let before = mate.dtm().map(Dtm::before_move);
            assert_eq!(mate.before_move().dtm(), before, "{mate:?}");
        }
    }
}
