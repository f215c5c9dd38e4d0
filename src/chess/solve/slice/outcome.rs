//! What a zeroing move leads to, a word of positions at a time.

use super::routes::Route;
use crate::chess::rules::attacks;
use crate::chess::solve::board::square;
use crate::chess::solve::turned::BoardScore;
use crate::chess::solve::view::SideView;
use crate::chess::symmetry::Symmetry;
use crate::game::Bits;
use crate::metric::Wdl;

/// A word of positions after a zeroing move, seen by the side that moves next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<'a> {
    /// Nothing for bare kings.
    place: Option<(&'a SideView<'static>, usize, Symmetry)>,
    /// The white king's square.
    white_king: u8,
}

/// The values of a word of positions, seen by the side that moves next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<S> {
    pub(super) scores: [S; 64],
    won: u64,
    lost: u64,
    /// Won or lost, but for the fifty-move rule.
    cursed: u64,
    stalemate: u64,
}

impl<'a> Outcome<'a> {
    /// Where a route leads; `moved` is a man and the square he goes to.
    #[inline(always)]
    pub(super) fn new(route: &'a Route, squares: &[u8], moved: Option<(usize, u8)>) -> Outcome<'a> {
        let white_king = match moved {
            Some((0, to)) => to,
            _ => squares[0],
        };
        let place = route.view.as_deref().map(|view| {
            let (address, symmetry) = route.locate(squares, moved);
            (view, address, symmetry)
        });
        Outcome { place, white_king }
    }

    #[inline(always)]
    pub(super) fn legal(&self) -> u64 {
        match self.place {
            Some((view, address, symmetry)) => symmetry.pull(view.legal[address]),
            None => !(attacks::king(square(self.white_king)) | 1 << self.white_king),
        }
    }

    /// Scores are those of draws if only results are wanted.
    #[inline(always)]
    pub(super) fn word<S: BoardScore>(&self, with_scores: bool) -> Word<S> {
        let Some((view, address, symmetry)) = self.place else {
            return Word {
                scores: [S::DRAW; 64],
                won: 0,
                lost: 0,
                cursed: 0,
                stalemate: 0,
            };
        };
        let (scores, (won, lost)) = match with_scores {
            true => {
                let scores = S::pull(symmetry, &view.line(address));
                (scores, S::won_and_lost(&scores))
            }
            false => {
                let [won, lost] =
                    (view.results().each_ref()).map(|set| symmetry.pull(set[address]));
                ([S::DRAW; 64], (won, lost))
            }
        };
        Word {
            scores,
            won,
            lost,
            cursed: symmetry.pull(view.cursed_at(address)),
            stalemate: view
                .stalemate
                .get(address)
                .map_or(0, |&word| symmetry.pull(word)),
        }
    }

    /// The value and the score of the position with the black king on a square, if it is legal.
    #[inline(always)]
    pub(super) fn position<S: BoardScore>(&self, king: u8) -> Option<(Wdl, S)> {
        if !self.legal().contains(king.into()) {
            return None;
        }
        let Some((view, address, symmetry)) = self.place else {
            return Some((Wdl::Draw, S::DRAW));
        };
        let bit = symmetry.map(king).into();
        let score = S::from_wide(view.score(address, bit));
        Some((view.wdl(address, bit), score))
    }
}

impl<S: BoardScore> Word<S> {
    /// The positions of each value for the side that moves next, out of some.
    #[inline(always)]
    pub(super) fn by_value(&self, positions: u64) -> [u64; 5] {
        let mut sets = [0; 5];
        sets[Wdl::Loss.index()] = positions & self.lost & !self.cursed;
        sets[Wdl::BlessedLoss.index()] = positions & self.lost & self.cursed;
        sets[Wdl::Draw.index()] = positions & !(self.won | self.lost);
        sets[Wdl::CursedWin.index()] = positions & self.won & self.cursed;
        sets[Wdl::Win.index()] = positions & self.won & !self.cursed;
        sets
    }

    /// Changes the values by an en-passant capture that is legal in some of the positions.
    ///
    /// The table that the values come from knows nothing of the capture. Where it says stalemate,
    /// the capture is the only move and its value alone counts; elsewhere the better of the two.
    pub(super) fn answer_en_passant(&mut self, legal: u64, reply: &Outcome<'_>, with_scores: bool) {
        let possible = reply.legal();
        let word: Word<S> = reply.word(with_scores);
        let own = self.by_value(legal);
        let replies = word.by_value(possible);
        let only = self.stalemate & possible;
        let mut taken = 0;
        let mut by_value = [0; 5];
        for value in Wdl::ALL.into_iter().rev() {
            let kept = own[value.index()] & !only;
            let reached = (kept | replies[(-value).index()]) & !taken;
            taken |= reached;
            by_value[value.index()] = reached;
        }
        let [loss, blessed_loss, _, cursed_win, win] = by_value;
        self.won = win | cursed_win;
        self.lost = loss | blessed_loss;
        self.cursed = cursed_win | blessed_loss;
        for king in possible.ones() {
            let capture = word.scores[king as usize].before_move();
            let score = &mut self.scores[king as usize];
            *score = if only.contains(king) {
                capture
            } else {
                capture.max(*score)
            };
        }
        self.stalemate &= !possible;
    }
}
