//! What a zeroing move leads to, a word of positions at a time.

use super::routes::{Origin, Route, Target};
use super::square;
use crate::game::chess::attacks;
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Wdl};
use crate::solve::solved::{SideValues, SliceValues};
use crate::symmetry::Symmetry;

/// A word of values after a zeroing move, seen by the side that moves next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<'a> {
    /// Nothing for bare kings.
    values: Option<(&'a SideValues, usize, Symmetry)>,
    /// The white king's square, for bare kings.
    white_king: u8,
}

impl Outcome<'_> {
    #[inline]
    pub(super) fn legal(&self) -> u64 {
        match self.values {
            Some((values, address, symmetry)) => symmetry.pull(values.legal[address]),
            None => !(attacks::king(square(self.white_king)) | 1 << self.white_king),
        }
    }

    /// The positions of each value, for the side that moves next.
    #[inline]
    pub(super) fn by_value(&self) -> [u64; 5] {
        let legal = self.legal();
        let mut sets = [0; 5];
        if let Some((values, address, symmetry)) = self.values {
            for value in [Wdl::Loss, Wdl::BlessedLoss, Wdl::CursedWin, Wdl::Win] {
                let word = values.decided[value.index()][address];
                sets[value.index()] = if word == 0 { 0 } else { symmetry.pull(word) };
            }
        }
        sets[Wdl::Draw.index()] = legal & !(sets[0] | sets[1] | sets[3] | sets[4]);
        sets
    }

    pub(super) fn stalemate(&self) -> u64 {
        match self.values {
            Some((values, address, symmetry)) => symmetry.pull(values.stalemate[address]),
            None => 0,
        }
    }

    /// The score of the position with the black king on a square, for the side that moves next.
    #[inline]
    pub(super) fn score(&self, king: u8) -> MateScore {
        match self.values {
            Some((values, address, symmetry)) => {
                MateScore(values.dtm[address * 64 + usize::from(symmetry.map(king))])
            }
            None => MateScore::DRAW,
        }
    }

    /// All 64 scores.
    pub(super) fn scores(&self) -> [u8; 64] {
        let mut scores = [MateScore::DRAW.0; 64];
        if let Some((values, address, symmetry)) = self.values {
            let line = &values.dtm[address * 64..(address + 1) * 64];
            if symmetry.is_identity() {
                scores.copy_from_slice(line);
            } else {
                for (king, score) in (0..64).zip(&mut scores) {
                    *score = line[usize::from(symmetry.map(king))];
                }
            }
        }
        scores
    }
}

/// The word of positions that a zeroing move leads to; `moved` is a piece and the square it takes on.
#[inline]
pub(super) fn outcome<'a>(
    route: &Route<'a>,
    squares: &[u8],
    moved: Option<(usize, u8)>,
    next: Color,
) -> Outcome<'a> {
    let mut after = [0u8; 8];
    for (square, origin) in after.iter_mut().zip(&route.men) {
        *square = match *origin {
            Origin::Promoted(square) => square,
            Origin::Man(man) => match moved {
                Some((mover, to)) if mover == man => to,
                _ => squares[man],
            },
        };
    }
    let values = match route.target {
        Target::BareKings => None,
        Target::Solved(solved) => {
            let place = solved.place(route.slice, route.mirrored, &after[..route.men.len()]);
            let values: &SliceValues = solved.slices[place.slice]
                .get()
                .expect("slices nearer to promotion are solved first");
            Some((&values[next.index()], place.address, place.symmetry))
        }
    };
    Outcome {
        values,
        white_king: after[0],
    }
}

/// Changes the values of a position by an en-passant capture it allows.
///
/// The table it comes from knows nothing of the capture. Where it says stalemate, the capture is the only move
/// and its value alone counts; elsewhere the better of the two.
pub(super) fn answer_en_passant(
    by_value: &mut [u64; 5],
    scores: Option<&mut [u8; 64]>,
    stalemate: &mut u64,
    reply: &Outcome<'_>,
) {
    let possible = reply.legal();
    let replies = reply.by_value();
    let only = *stalemate & possible;
    let mut taken = 0;
    for value in Wdl::ALL.into_iter().rev() {
        let kept = by_value[value.index()] & !only;
        let reached = (kept | replies[(-value).index()]) & !taken;
        taken |= reached;
        by_value[value.index()] = reached;
    }
    if let Some(scores) = scores {
        for king in possible.ones() {
            let capture = reply.score(king as u8).before_move().0;
            let score = &mut scores[king as usize];
            *score = if only >> king & 1 == 1 {
                capture
            } else {
                capture.max(*score)
            };
        }
    }
    *stalemate &= !possible;
}
