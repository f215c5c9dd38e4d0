//! What the moves from an address lead to, for all squares of the black king at once.
//!
//! A man other than the black king moves from an address to another one, where the whole line is
//! what is reached, but for the squares of the black king that stand in the man's way. The black
//! king moves within the line. Where a move leaves its own king in check there is no legal
//! position, and the line says so. Of rules this shares only [`crate::metric`] with the solver;
//! what both use besides are signatures, symmetries and attack tables.

use super::layout::{Frame, squares_of};
use super::line::{ILLEGAL, Line, Score, Worth, result_before, take_best, take_best_turned};
use super::resolved::{
    CaptureWindows, Captures, Lines, LinesWindow, Reached, Resolved, ResolvedWindow,
};
use crate::byte_sets;
use crate::chess::index::Placement;
use crate::chess::rules::{Role, Square, attacks};
use crate::game::{Bits, Color};
use crate::metric::Wdl;
use crate::simd::{Kernel, Width};

/// The values reached by some moves that are the best for their mover: the smallest, as they are
/// for the opponent. Result and mate score may come from different moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best<S> {
    pub results: Line<u8>,
    pub scores: Line<S>,
}

impl<S: Score> Best<S> {
    pub const NO_MOVE: Best<S> = Best {
        results: [ILLEGAL; 64],
        scores: [S::ILLEGAL; 64],
    };

    pub fn take(&mut self, other: &Best<S>) {
        take_best(&mut self.results, &other.results, 0);
        take_best(&mut self.scores, &other.scores, 0);
    }
}

/// What the moves of a slice lead to.
#[derive(Debug)]
pub(super) struct Targets<'a, S> {
    pub frame: &'a Frame,
    /// The material itself: slices that pawns walk to.
    pub own: &'a Resolved<S>,
    pub captures: &'a Captures<S>,
    /// What promotions without a capture lead to, at the addresses of the slice, by the pawn's
    /// colour.
    pub promoted: Vec<(Color, &'a Lines<S>)>,
    /// How wide the registers are.
    pub width: Width,
}

impl<S: Score> Targets<'_, S> {
    /// The values through new windows.
    pub fn open(&self) -> Moves<'_, S> {
        let promoted = self.promoted.iter();
        Moves {
            own: self.own.open(),
            captures: self.captures.open(),
            promoted: promoted
                .map(|&(color, lines)| (color, lines.open()))
                .collect(),
            width: self.width,
        }
    }

    /// The values through new windows, but for captures: what they lead to is less, and asked for
    /// again.
    pub fn open_again<'a>(&'a self, before: Moves<'a, S>) -> Moves<'a, S> {
        Moves {
            captures: before.captures,
            ..self.open()
        }
    }
}

/// What the moves of a slice lead to, as far as it was asked for.
#[derive(Debug)]
pub(super) struct Moves<'a, S> {
    own: ResolvedWindow<'a, S>,
    captures: CaptureWindows<'a, S>,
    promoted: Vec<(Color, LinesWindow<'a, S>)>,
    pub width: Width,
}

impl<S: Score> Moves<'_, S> {
    /// Takes the values of a placement, seen from the frame's board.
    fn reach(
        &self,
        best: &mut Best<S>,
        target: Option<&ResolvedWindow<'_, S>>,
        placement: &Placement,
        side: Color,
        between: u64,
    ) {
        if let Some(reached) = target.and_then(|target| target.reach(placement, side)) {
            self.width.run(TakeReached {
                best,
                reached,
                between,
            });
        }
    }

    /// The best captures. `attacked` are the squares that White's men attack if there is no black
    /// king.
    pub fn captures(&self, placement: &Placement, side: Color, attacked: u64) -> Best<S> {
        let mut best = Best::NO_MOVE;
        let occupied = placement.occupied();
        let victims = placement.men[(!side).index()]
            .iter()
            .fold(0, |all, set| all | set);
        let victims = match side {
            Color::White => victims & attacked,
            // Nobody takes a king.
            Color::Black => victims & !placement.of(Color::White, Role::King),
        };
        let takers: &[Role] = if victims == 0 { &[] } else { &Role::ALL };
        for &role in takers {
            for from in squares_of(placement.of(side, role)) {
                let taken = attacks::attacks(side, role, from, occupied) & victims;
                for to in squares_of(taken) {
                    self.capture(&mut best, placement, side, role, from, to);
                }
            }
        }
        if side == Color::Black {
            for role in Role::ALL.into_iter().filter(|&role| role != Role::King) {
                // His king takes no man that another one protects.
                for square in squares_of(placement.of(Color::White, role) & !attacked) {
                    self.captures_by_king(&mut best, placement, role, square);
                }
            }
        }
        best
    }

    /// Takes the best promotions that do not take a man.
    pub fn take_promotions(&self, address: usize, side: Color, best: &mut Best<S>) {
        for (_, lines) in self.promoted.iter().filter(|(color, _)| *color == side) {
            take_best(&mut best.results, lines.results.line(address), 0);
            if let Some(scores) = lines.scores.get(address) {
                take_best(&mut best.scores, scores, 0);
            }
        }
    }

    fn victim(placement: &Placement, color: Color, square: Square) -> Role {
        Role::ALL
            .into_iter()
            .find(|&role| placement.of(color, role) & square.bit() != 0)
            .unwrap_or(Role::Pawn)
    }

    fn capture(
        &self,
        best: &mut Best<S>,
        placement: &Placement,
        side: Color,
        role: Role,
        from: Square,
        to: Square,
    ) {
        let victim = Self::victim(placement, !side, to);
        let between = if role == Role::Knight {
            0
        } else {
            attacks::between(from, to)
        };
        let mut after = *placement;
        after.men[(!side).index()][victim.index()] &= !to.bit();
        after.men[side.index()][role.index()] &= !from.bit();
        if role == Role::Pawn && to.rank_for(side) == 7 {
            for promoted in Role::PROMOTIONS {
                let mut after = after;
                after.men[side.index()][promoted.index()] |= to.bit();
                let target = self.captures.of(!side, victim, Some(promoted));
                self.reach(best, target, &after, !side, between);
            }
        } else {
            after.men[side.index()][role.index()] |= to.bit();
            self.reach(
                best,
                self.captures.of(!side, victim, None),
                &after,
                !side,
                between,
            );
        }
    }

    /// The black king takes a man, wherever it comes from: one value for up to eight squares.
    fn captures_by_king(
        &self,
        best: &mut Best<S>,
        placement: &Placement,
        victim: Role,
        square: Square,
    ) {
        let mut after = *placement;
        after.men[0][victim.index()] &= !square.bit();
        let target = self.captures.of(Color::White, victim, None);
        let Some(reached) = target.and_then(|target| target.reach(&after, Color::White)) else {
            return;
        };
        let place = usize::from(reached.symmetry.map(square.index() as u8));
        let result = reached.results[place];
        if result == ILLEGAL {
            return;
        }
        let score = reached.scores.map_or(S::ILLEGAL, |scores| scores[place]);
        let elsewhere = !attacks::king(square);
        take_best(&mut best.results, &[result; 64], elsewhere);
        take_best(&mut best.scores, &[score; 64], elsewhere);
    }

    /// The best pawn moves that neither take nor promote.
    pub fn pushes(&self, placement: &Placement, side: Color) -> Best<S> {
        let mut best = Best::NO_MOVE;
        let occupied = placement.occupied();
        for from in squares_of(placement.of(side, Role::Pawn)) {
            let one = from.ahead(side);
            if occupied & one.bit() != 0 || from.rank_for(side) == 6 {
                continue;
            }
            let mut after = *placement;
            let pawns = &mut after.men[side.index()][Role::Pawn.index()];
            *pawns = *pawns & !from.bit() | one.bit();
            self.reach(&mut best, Some(&self.own), &after, !side, 0);
            let two = one.ahead(side);
            if from.rank_for(side) == 1 && occupied & two.bit() == 0 {
                let pawns = &mut after.men[side.index()][Role::Pawn.index()];
                *pawns = *pawns & !one.bit() | two.bit();
                best.take(&self.double_step(&after, side, one, two));
            }
        }
        best
    }

    /// What a double step leads to, with the en-passant captures that answer it. Where nothing else
    /// can be played, the table's value is that of a stalemate or a mate, and the capture alone
    /// counts.
    fn double_step(&self, after: &Placement, side: Color, one: Square, two: Square) -> Best<S> {
        let mut reached = Best::NO_MOVE;
        self.reach(&mut reached, Some(&self.own), after, !side, one.bit());
        let takers = attacks::pawn(side, one) & after.of(!side, Role::Pawn);
        let mut replies = Best::NO_MOVE;
        for from in squares_of(takers) {
            let mut taken = *after;
            taken.men[side.index()][Role::Pawn.index()] &= !two.bit();
            let pawns = &mut taken.men[(!side).index()][Role::Pawn.index()];
            *pawns = *pawns & !from.bit() | one.bit();
            let target = self.captures.of(side, Role::Pawn, None);
            self.reach(&mut replies, target, &taken, side, one.bit());
        }
        let answered = byte_sets::places(|king| {
            replies.results[king] != ILLEGAL && reached.results[king] != ILLEGAL
        });
        for king in answered.ones() {
            let square = king as usize;
            let result = result_before(replies.results[square]);
            let score = S::before_move(replies.scores[square]);
            let own = &mut reached.results[square];
            let is_only_move = *own == Wdl::Draw.index() as u8
                && result < *own
                && Self::is_stalemate(after, !side, king);
            *own = if is_only_move {
                result
            } else {
                result.max(*own)
            };
            let own = &mut reached.scores[square];
            *own = if is_only_move { score } else { score.max(*own) };
        }
        reached
    }

    /// Rare enough for the ordinary move generator.
    fn is_stalemate(placement: &Placement, side: Color, king: u32) -> bool {
        let mut placement = *placement;
        placement.men[1][Role::King.index()] = 1 << king;
        placement
            .position(side)
            .is_some_and(|position| position.legal_moves().is_empty())
    }
}

/// Takes the values that a move leads to, but for squares of the black king where he is in the way.
struct TakeReached<'a, S> {
    best: &'a mut Best<S>,
    reached: Reached<'a, S>,
    between: u64,
}

impl<S: Score> Kernel for TakeReached<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let TakeReached {
            best: Best { results, scores },
            reached,
            between,
        } = self;
        take_best_turned(results, reached.results, reached.symmetry, between);
        if let Some(reached_scores) = reached.scores {
            take_best_turned(scores, reached_scores, reached.symmetry, between);
        }
    }
}

/// Finds what all moves from an address amount to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expect<'a, N, S> {
    /// The best numbers that quiet moves lead to.
    pub numbers: &'a Line<N>,
    /// The best mate scores, if they are known.
    pub scores: Option<&'a Line<S>>,
    /// What the moves lead to that are not quiet.
    pub zeroing: &'a Best<S>,
}

/// What all moves from an address amount to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<N, S> {
    pub numbers: Line<N>,
    pub scores: Line<S>,
    /// Squares of the black king for which there is no move.
    pub without_moves: u64,
}

impl<N: Worth, S: Score> Kernel for Expect<'_, N, S> {
    type Output = Expected<N, S>;

    #[inline(always)]
    fn run(self) -> Expected<N, S> {
        let mut numbers = *self.numbers;
        for (number, &result) in numbers.iter_mut().zip(&self.zeroing.results) {
            *number = N::reached_by_zeroing(result).min(*number);
        }
        let without_moves = byte_sets::places(|king| numbers[king] == N::NONE);
        for number in &mut numbers {
            *number = number.before();
        }
        Expected {
            numbers,
            scores: match self.scores {
                Some(scores) => ExpectScores(scores, self.zeroing).run(),
                None => [S::ILLEGAL; 64],
            },
            without_moves,
        }
    }
}

/// Finds mate scores alone: the best that quiet moves lead to, and what other moves do. Where there
/// is no move they are [`Score::NO_MOVE`], and may be so elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpectScores<'a, S>(pub &'a Line<S>, pub &'a Best<S>);

impl<S: Score> Kernel for ExpectScores<'_, S> {
    type Output = Line<S>;

    #[inline(always)]
    fn run(self) -> Line<S> {
        let mut scores = *self.0;
        take_best(&mut scores, &self.1.scores, 0);
        for score in &mut scores {
            *score = S::before_move(*score);
        }
        scores
    }
}
