//! Retrograde analysis of one slice: from what is fixed outside it to the value of every position.
//!
//! One ply of the iteration, for each side to move (`pred` is one quiet move back):
//!
//! ```text
//! won'  = pred(newly lost of the opponent)  & legal & !won
//! cand  = pred(newly won of the opponent)   & legal & !won & !lost & !(has a zeroing move that does not lose)
//! lost' = cand & !pred(legal of the opponent & !won of the opponent)
//! ```
//!
//! Zeroing moves (captures, pawn moves) leave the slice; what they are worth is given in [`Fixed`].

mod behind;
mod chains;
mod decided;
mod distances;
mod due;
mod exchange;
mod gather;
mod outside;
mod perpetual;
mod plies;
mod watch;
mod wide;

use std::fmt::Display;
use std::io;

pub use behind::complete;
pub use chains::{
    ChainOptions, ChainSet, ChainSets, Found, SetsInMemory, solve_chains, solve_symmetric_chains,
};
pub use decided::{Chains, Wanted};
pub use exchange::ColorExchange;
pub use gather::{RankSlabs, gather};
pub use outside::{Outside, StoredSlab};
pub use watch::{Distance, PlyObserver, Watch};

use super::layer::{Layer, large_set};
use super::quiet::QuietMoves;
use super::score::{LONGEST_IN_BYTES, Score, Scores};
use crate::card::CardError;
use crate::error::SolveError;
use crate::game::Bits;
use crate::metric::{Plies, Wdl};
use crate::simd::{Kernel, Width};
use distances::Distances;
use due::DueScores;
use wide::WideMoves;

/// Below one non-empty word in this many, words are looked at one by one instead of sweeping
/// everything.
///
/// Measured on the four-man tables; between 6 and 24 the time hardly changes.
const SPARSE: usize = 12;

/// From one newest won word in this many on, candidates are not looked for: nearly all that is
/// losable would be one.
const MANY: usize = 50;

/// Whether a ply has won so many words, of so many, that candidates need not be found.
#[inline(always)]
#[must_use]
pub fn is_much_won(newest: usize, words: usize) -> bool {
    newest * MANY >= words
}

/// What is known of one side's positions before the slice is solved.
#[derive(Clone, Debug)]
pub struct Fixed<W> {
    /// Positions that can occur with this side to move.
    pub legal: Vec<W>,
    /// Those in which its king is attacked. Taken away once it is known which of them are mate.
    pub in_check: Vec<W>,
    /// For each [`Wdl`], the positions with a legal zeroing move of that value for the mover.
    pub zeroing: [Vec<W>; 5],
    /// The best mate score of a zeroing move; [`Score::MATED`] where there is none. Empty when
    /// distances to mate are not wanted.
    pub zeroing_score: Scores<'static>,
}

impl<W: Bits> Fixed<W> {
    /// Everything empty, for sets of `words` words, with scores of one byte.
    #[must_use]
    pub fn new(words: usize, with_scores: bool) -> Fixed<W> {
        Fixed::with_scores::<u8>(words, with_scores)
    }

    /// Everything empty, for sets of `words` words.
    pub(crate) fn with_scores<S: Score>(words: usize, with_scores: bool) -> Fixed<W> {
        let scores = if with_scores {
            words * W::WIDTH as usize
        } else {
            0
        };
        let empty = || vec![W::ZERO; words];
        Fixed {
            legal: empty(),
            in_check: empty(),
            zeroing: std::array::from_fn(|_| empty()),
            zeroing_score: S::wrap(vec![S::MATED; scores]),
        }
    }

    /// Whether zeroing moves of some position win or lose but for the fifty-move rule.
    fn has_cursed_moves(&self) -> bool {
        let mut sets = [Wdl::CursedWin, Wdl::BlessedLoss].into_iter();
        sets.any(|value| {
            let words = &self.zeroing[value.index()];
            words.iter().any(|word| !word.is_empty())
        })
    }

    /// The sets of positions with a zeroing move of each of some values.
    #[inline(always)]
    fn zeroing_to<const N: usize>(&self, values: [Wdl; N]) -> [&[W]; N] {
        values.map(|value| &self.zeroing[value.index()][..])
    }
}

/// The value of every position of one side.
#[derive(Clone, Debug)]
pub struct Values<W> {
    /// For each [`Wdl`] except the draw, the positions that have it; the others that are legal are
    /// drawn.
    pub decided: [Vec<W>; 5],
    /// Not in check, no legal move.
    pub stalemate: Vec<W>,
    /// Distance to zeroing in plies without sign, a byte a position; 0 for draws, mated and illegal
    /// positions.
    pub dtz: Vec<u8>,
    /// Its high bytes, where a distance is longer than 255 plies; else empty.
    pub dtz_high: Vec<u8>,
    /// Scores; that of a draw for illegal positions. Empty when not asked for.
    pub dtm: Scores<'static>,
    /// The longest mate among them and those of the other side to move, in plies.
    pub longest: Plies,
}

impl<W: Bits> Values<W> {
    /// The won positions of a word, cursed wins among them.
    #[inline(always)]
    fn won(&self, address: usize) -> W {
        self.decided[Wdl::Win.index()][address] | self.decided[Wdl::CursedWin.index()][address]
    }

    /// The lost positions of a word, blessed losses among them.
    #[inline(always)]
    fn lost(&self, address: usize) -> W {
        self.decided[Wdl::Loss.index()][address] | self.decided[Wdl::BlessedLoss.index()][address]
    }
}

/// The longest mate, and the scores of both sides to move.
type MateScores<S> = (Plies, [Vec<S>; 2]);

/// Why a slice has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// A distance does not fit into the one byte a value has, or a decided position has no
    /// distance.
    DistanceOverflow,
    /// The caller asked to stop.
    Cancelled,
    /// The scratch file cannot be written or read.
    Scratch(io::ErrorKind),
    /// The graphics card cannot do it, or failed.
    Card(CardError),
}

impl Unsolved {
    /// The same of a material.
    #[must_use]
    pub fn of(self, material: &impl Display) -> SolveError {
        match self {
            Unsolved::DistanceOverflow => SolveError::distance_overflow(material),
            Unsolved::Cancelled => SolveError::cancelled(material),
            Unsolved::Scratch(kind) => SolveError::scratch(material, kind),
            Unsolved::Card(error) => SolveError::card(material, error),
        }
    }
}

impl From<io::Error> for Unsolved {
    fn from(error: io::Error) -> Unsolved {
        match CardError::within(&error) {
            Some(error) => Unsolved::Card(error),
            None => Unsolved::Scratch(error.kind()),
        }
    }
}

impl From<CardError> for Unsolved {
    fn from(error: CardError) -> Unsolved {
        Unsolved::Card(error)
    }
}

/// How a slice is run. The values are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// What either side wins at the same time, with the value of every position at hand.
    #[default]
    Together,
    /// What one side wins after what the other does, noting what each ply decides: slower, in less
    /// memory.
    Chains,
}

/// What a slice is solved with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Plies without a zeroing move after which a draw can be claimed.
    pub draw: Plies,
    /// The longest mate kept in a byte.
    pub bytes: Plies,
}

/// Solves a slice for [`Wdl`] and [`Dtz`](crate::metric::Dtz), and for [`Dtm`](crate::metric::Dtm)
/// where the scores of the zeroing moves are given.
///
/// The result does not depend on `width`. `watch` is told of every ply. Of `fixed`, the positions
/// in check are taken away, since memory is dear.
///
/// # Errors
///
/// If a distance to zeroing exceeds 255 plies, or the caller cancelled.
pub fn solve<M: QuietMoves>(
    moves: M,
    fixed: &mut [Fixed<M::Word>; 2],
    limits: Limits,
    width: Width,
    watch: Watch<'_>,
) -> Result<[Values<M::Word>; 2], Unsolved> {
    let in_check = [0, 1].map(|side: usize| std::mem::take(&mut fixed[side].in_check));
    width.run(Solve {
        moves: WideMoves { moves, width },
        fixed,
        in_check,
        limits,
        watch,
    })
}

struct Solve<'a, M: QuietMoves> {
    moves: WideMoves<M>,
    fixed: &'a [Fixed<M::Word>; 2],
    in_check: [Vec<M::Word>; 2],
    limits: Limits,
    watch: Watch<'a>,
}

impl<M: QuietMoves> Kernel for Solve<'_, M> {
    type Output = Result<[Values<M::Word>; 2], Unsolved>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut iteration = Iteration::new(self.moves, self.fixed, self.watch);
        let WithoutMoves { mated, stalemated } =
            without_moves(&mut iteration.moves, self.fixed, &self.in_check);
        drop(self.in_check);
        let mut values = iteration.zeroing_distances(&mated, &stalemated, self.limits.draw)?;
        for (values, stalemated) in values.iter_mut().zip(stalemated) {
            values.stalemate = stalemated;
        }
        iteration.add_mate_scores(&mated, &mut values, self.limits.bytes)?;
        Ok(values)
    }
}

/// Solves a material of a game without pawn moves and limits, in which the side that has no move
/// has lost, for results and distances to conversion, and for distances to mate where the scores of
/// captures are given.
///
/// With `perpetual_check` whoever checks for ever loses. The rounds say how often that rule was
/// applied before a position was decided, a byte a position; they are empty where it decided
/// nothing. The result does not depend on `width`. Of `fixed`, the positions in check are taken
/// away.
///
/// # Errors
///
/// If a distance to conversion exceeds 255 plies or a mate 253, or the caller cancelled.
pub fn solve_without_limit<M: QuietMoves>(
    moves: M,
    fixed: &mut [Fixed<M::Word>; 2],
    perpetual_check: bool,
    width: Width,
    watch: Watch<'_>,
) -> Result<WithRounds<M::Word>, Unsolved> {
    let moves = WideMoves { moves, width };
    let in_check = [0, 1].map(|side: usize| std::mem::take(&mut fixed[side].in_check));
    let mut iteration = Iteration::new(moves, fixed, watch);
    let WithoutMoves { mated, stalemated } = without_moves(&mut iteration.moves, fixed, &in_check);
    let mut without_moves = mated;
    for (all, stalemated) in without_moves.iter_mut().zip(stalemated) {
        for (word, stalemated) in all.iter_mut().zip(stalemated) {
            *word |= stalemated;
        }
    }
    let in_check = perpetual_check.then_some(&in_check);
    let mut solved = iteration.conversion_distances(&without_moves, in_check)?;
    iteration.add_mate_scores(&without_moves, &mut solved.values, LONGEST_IN_BYTES)?;
    Ok(solved)
}

/// Values, and how often the rule of perpetual check was applied for each of them.
#[derive(Clone, Debug)]
pub struct WithRounds<W> {
    /// The values of both sides.
    pub values: [Values<W>; 2],
    /// A byte a position; empty where the rule decided nothing.
    pub rounds: [Vec<u8>; 2],
}

/// Checkmated and stalemated positions of each side.
struct WithoutMoves<W> {
    mated: [Vec<W>; 2],
    stalemated: [Vec<W>; 2],
}

/// The positions of each side that have no move.
#[inline(always)]
fn without_moves<M: QuietMoves>(
    moves: &mut WideMoves<M>,
    fixed: &[Fixed<M::Word>; 2],
    in_check: &[Vec<M::Word>; 2],
) -> WithoutMoves<M::Word> {
    let words = moves.words();
    let mut mated = [0, 1].map(|_| vec![M::Word::ZERO; words]);
    let stalemated = std::array::from_fn(|side| {
        let own = &fixed[side];
        let mut stuck = vec![M::Word::ZERO; words];
        for zeroing in &own.zeroing {
            add_all(&mut stuck, zeroing);
        }
        moves.sweep(side, &fixed[1 - side].legal, &mut stuck);
        let in_check = own.legal.iter().zip(&in_check[side]);
        for ((word, mated), (&legal, &in_check)) in
            stuck.iter_mut().zip(&mut mated[side]).zip(in_check)
        {
            let without_moves = legal & !*word;
            *mated = without_moves & in_check;
            *word = without_moves & !in_check;
        }
        stuck
    });
    WithoutMoves { mated, stalemated }
}

/// One side's state during the iteration.
struct Side<W> {
    lost: Vec<W>,
    /// Legal and not won: what the opponent looks for before he gives up.
    open: Vec<W>,
    /// Those of `open` that are not lost and that no zeroing move saves for now.
    losable: Vec<W>,
    won_layer: Layer<W>,
    lost_layer: Layer<W>,
    next_won: Layer<W>,
    next_lost: Layer<W>,
}

/// Words that are gone through together for several sets: they stay in the first-level cache.
const PIECE: usize = 512;

impl<W: Bits> Side<W> {
    /// Says anew which positions are losable: those in any of some sets, or all if there are none,
    /// but for those in any of others.
    #[inline(always)]
    fn say_what_is_losable(&mut self, among: &[&[W]], blocked: &[&[W]]) {
        let decided = self.open.chunks(PIECE).zip(self.lost.chunks(PIECE));
        for (number, (losable, (open, lost))) in
            self.losable.chunks_mut(PIECE).zip(decided).enumerate()
        {
            let start = number * PIECE;
            losable.fill(W::ZERO);
            for set in among {
                add_all(losable, &set[start..start + open.len()]);
            }
            if among.is_empty() {
                losable.copy_from_slice(open);
            }
            for ((losable, &open), &lost) in losable.iter_mut().zip(open).zip(lost) {
                *losable &= open & !lost;
            }
            for set in blocked {
                for (losable, &blocked) in losable.iter_mut().zip(&set[start..]) {
                    *losable &= !blocked;
                }
            }
        }
    }
}

struct Iteration<'a, M: QuietMoves> {
    moves: WideMoves<M>,
    words: usize,
    fixed: &'a [Fixed<M::Word>; 2],
    watch: Watch<'a>,
    /// Empty between two uses.
    reached: Layer<M::Word>,
    /// Empty between two uses.
    candidates: Layer<M::Word>,
    sides: [Side<M::Word>; 2],
}

impl<'a, M: QuietMoves> Iteration<'a, M> {
    #[inline(always)]
    fn new(moves: WideMoves<M>, fixed: &'a [Fixed<M::Word>; 2], watch: Watch<'a>) -> Self {
        let words = moves.words();
        Iteration {
            moves,
            words,
            fixed,
            watch,
            reached: Layer::new(words),
            candidates: Layer::new(words),
            sides: std::array::from_fn(|side| Side {
                lost: large_set(words),
                open: copied(&fixed[side].legal),
                losable: large_set(words),
                won_layer: Layer::new(words),
                lost_layer: Layer::new(words),
                next_won: Layer::new(words),
                next_lost: Layer::new(words),
            }),
        }
    }

    /// Everything undecided but the mated positions, which are the newest lost ones. What is losable
    /// is still to be said.
    #[inline(always)]
    fn restart(&mut self, mated: &[Vec<M::Word>; 2]) {
        for (number, side) in self.sides.iter_mut().enumerate() {
            side.open.copy_from_slice(&self.fixed[number].legal);
            side.lost.copy_from_slice(&mated[number]);
            for layer in [
                &mut side.won_layer,
                &mut side.lost_layer,
                &mut side.next_won,
                &mut side.next_lost,
            ] {
                layer.clear();
            }
            side.lost_layer.set.copy_from_slice(&side.lost);
            side.lost_layer.recount();
        }
    }

    /// Makes what a ply has found the newest layers, and says whether there is anything in them.
    #[inline(always)]
    fn end_ply(&mut self, distance: Distance, plies: u32) -> Result<bool, Unsolved> {
        self.watch.ply(distance, plies)?;
        self.take_over();
        Ok((self.sides.iter())
            .any(|side| !side.won_layer.is_empty() || !side.lost_layer.is_empty()))
    }

    /// Adds a whole set to `reached`.
    #[inline(always)]
    fn enter(&mut self, set: &[M::Word]) {
        add_all(&mut self.reached.set, set);
        self.reached.recount();
    }

    /// The positions in `reached`, and those that quiet moves make won, become the next won ones.
    #[inline(always)]
    fn find_won(&mut self, side: usize) {
        let [own, opponent] = own_and_opponent(&mut self.sides, side);
        let (newest, open) = (&opponent.lost_layer, &own.open);
        self.moves
            .find(side, newest, &mut self.reached, open, &mut own.next_won);
    }

    /// Of the positions in `reached`, and of those with a quiet move into won ones, those that
    /// cannot be saved become the next lost ones.
    #[inline(always)]
    fn find_lost(&mut self, side: usize) {
        let [own, opponent] = own_and_opponent(&mut self.sides, side);
        let (newest, open, losable) = (&opponent.won_layer, &opponent.open, &own.losable);
        let (reached, found) = (&mut self.reached, &mut own.next_lost);
        if is_much_won(newest.len(), self.words) {
            // Whatever had no move out of what was won before is lost already. So what has none now
            // need not be a candidate first, which saves a sweep.
            reached.clear();
            self.moves.find_stuck(side, open, losable, reached, found);
            return;
        }
        // What is won at this ply has a move into a position that is lost, and so open.
        let candidates = &mut self.candidates;
        self.moves.find(side, newest, reached, losable, candidates);
        self.moves
            .without_move_into(side, open, candidates, reached, found);
    }

    /// What was found for both sides becomes their newest layers.
    #[inline(always)]
    fn take_over(&mut self) {
        for side in &mut self.sides {
            std::mem::swap(&mut side.won_layer, &mut side.next_won);
            std::mem::swap(&mut side.lost_layer, &mut side.next_lost);
            side.next_won.clear();
            side.next_lost.clear();
        }
    }

    /// The newest layers are decided, at a distance that is kept.
    #[inline(always)]
    fn decide<S: Score>(&mut self, distances: &mut [Distances<M::Word, S>; 2], distance: S) {
        for (side, distances) in self.sides.iter_mut().zip(distances) {
            let Side {
                lost,
                open,
                losable,
                won_layer,
                lost_layer,
                ..
            } = side;
            distances.make_room(won_layer.len() + lost_layer.len());
            for address in won_layer.addresses() {
                let word = won_layer.set[address];
                open[address] &= !word;
                losable[address] &= !word;
                distances.push(address, word);
            }
            distances.end_run(distance);
            for address in lost_layer.addresses() {
                let word = lost_layer.set[address];
                lost[address] |= word;
                losable[address] &= !word;
                distances.push(address, word);
            }
            distances.end_run(distance);
        }
    }

    /// The positions of a side that are won by now.
    #[inline(always)]
    fn won(&self, side: usize) -> Vec<M::Word> {
        without(&self.fixed[side].legal, &self.sides[side].open)
    }

    #[inline(always)]
    fn zeroing_distances(
        &mut self,
        mated: &[Vec<M::Word>; 2],
        stalemated: &[Vec<M::Word>; 2],
        limit: Plies,
    ) -> Result<[Values<M::Word>; 2], Unsolved> {
        use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};
        let fixed = self.fixed;
        let mut distances = [0, 1].map(|_| Distances::new(self.words, 0));
        self.restart(mated);
        for (number, side) in self.sides.iter_mut().enumerate() {
            let [a, b, c, d] = fixed[number].zeroing_to([BlessedLoss, Draw, CursedWin, Win]);
            side.say_what_is_losable(&[], &[a, b, c, d, &stalemated[number]]);
        }
        let is_idle = self.iterate(1..=limit.0, [Win, Loss], &mut distances)?;
        let strict = [0, 1].map(|side| (self.won(side), self.sides[side].lost.clone()));
        if is_idle && !fixed.iter().any(Fixed::has_cursed_moves) {
            // Nothing more is saved or decided by the rule.
            let mut distances = Distances::into_both_values(distances).into_iter();
            return Ok(strict.map(|(win, loss)| {
                let mut values = Values::undecided(self.words);
                values.decided[Win.index()] = win;
                values.decided[Loss.index()] = loss;
                values.dtz = distances.next().unwrap_or_default();
                values
            }));
        }
        for (number, side) in self.sides.iter_mut().enumerate() {
            let [a, b, c] = fixed[number].zeroing_to([Draw, CursedWin, Win]);
            side.say_what_is_losable(&[], &[a, b, c, &stalemated[number]]);
        }
        let cursed = limit.0 + 1..=u32::MAX;
        self.iterate(cursed, [CursedWin, BlessedLoss], &mut distances)?;
        let mut distances = Distances::into_both_values(distances).into_iter();
        let mut strict = strict.into_iter();
        Ok(std::array::from_fn(|side| {
            let (win, loss) = strict.next().unwrap_or_default();
            let cursed_win = without(&self.won(side), &win);
            let blessed_loss = without(&self.sides[side].lost, &loss);
            Values {
                decided: [loss, blessed_loss, Vec::new(), cursed_win, win],
                stalemate: Vec::new(),
                dtz: distances.next().unwrap_or_default(),
                dtz_high: Vec::new(),
                dtm: Scores::default(),
                longest: Plies(0),
            }
        }))
    }

    /// Goes on, ply by ply, until nothing new is found, and says whether it ended by that and not
    /// with the last of the plies. Before the first ply, zeroing moves with the two values enter:
    /// those that win and those that lose.
    #[inline(always)]
    fn iterate(
        &mut self,
        plies: std::ops::RangeInclusive<u32>,
        [winning, losing]: [Wdl; 2],
        distances: &mut [Distances<M::Word>; 2],
    ) -> Result<bool, Unsolved> {
        let first = *plies.start();
        let fixed = self.fixed;
        for ply in plies {
            for (side, fixed) in fixed.iter().enumerate() {
                if ply == first {
                    self.enter(&fixed.zeroing[winning.index()]);
                }
                self.find_won(side);
                if ply == first {
                    self.enter(&fixed.zeroing[losing.index()]);
                }
                self.find_lost(side);
            }
            if !self.end_ply(Distance::Zeroing, ply)? {
                return Ok(true);
            }
            let ply = u8::try_from(ply).map_err(|_| Unsolved::DistanceOverflow)?;
            self.decide(distances, ply);
        }
        Ok(false)
    }

    /// Adds distances to mate where the scores of zeroing moves are given: in bytes if no mate is
    /// longer than `longest_in_bytes`, else in words.
    #[inline(always)]
    fn add_mate_scores(
        &mut self,
        mated: &[Vec<M::Word>; 2],
        values: &mut [Values<M::Word>; 2],
        longest_in_bytes: Plies,
    ) -> Result<(), Unsolved> {
        let fixed = self.fixed;
        let [white, black] = [0, 1].map(|side: usize| &fixed[side].zeroing_score);
        if white.is_empty() || black.is_empty() {
            return Ok(());
        }
        let fits = longest_in_bytes.min(LONGEST_IN_BYTES);
        let narrow = match (white, black) {
            (Scores::Bytes(white), Scores::Bytes(black)) => {
                self.mate_scores::<u8>(mated, values, [white, black], fits)?
            }
            _ => None,
        };
        let (longest, scores) = match narrow {
            Some((longest, scores)) => (longest, scores.map(Scores::from)),
            None => {
                let all = |scores| u16::of(scores, 0..Scores::len(scores));
                let zeroing = [all(white), all(black)];
                let zeroing = zeroing.each_ref().map(AsRef::as_ref);
                let (longest, scores) = self
                    .mate_scores::<u16>(mated, values, zeroing, Plies(u32::MAX))?
                    .ok_or(Unsolved::DistanceOverflow)?;
                (
                    longest,
                    scores.map(|scores| u16::wrap(scores).narrowed(fits)),
                )
            }
        };
        for (values, dtm) in values.iter_mut().zip(scores) {
            values.dtm = dtm;
            values.longest = longest;
        }
        Ok(())
    }

    /// The scores of both sides and the longest mate; nothing if there is one of more than `limit`
    /// plies, or one that does not fit into the numbers.
    #[inline(always)]
    fn mate_scores<S: Score>(
        &mut self,
        mated: &[Vec<M::Word>; 2],
        results: &[Values<M::Word>; 2],
        zeroing_score: [&[S]; 2],
        limit: Plies,
    ) -> Result<Option<MateScores<S>>, Unsolved> {
        let fixed = self.fixed;
        // What is known not to be lost needs no look; what is lost waits for its last zeroing move.
        self.restart(mated);
        for ((side, fixed), results) in self.sides.iter_mut().zip(fixed).zip(results) {
            let lost =
                [Wdl::Loss, Wdl::BlessedLoss].map(|value| &results.decided[value.index()][..]);
            side.say_what_is_losable(&lost, &fixed.zeroing_to(Wdl::ALL));
        }
        let [white, black] = zeroing_score;
        // What `map` calls would be compiled for any processor.
        let mut due = [
            DueScores::new(white, &results[0]),
            DueScores::new(black, &results[1]),
        ];
        let mut scores = [0, 1].map(|_| Distances::new(self.words, S::DRAW));
        self.decide(&mut scores, S::MATED);
        let mut longest = Plies(0);
        for ply in 1.. {
            let winning = ply % 2 == 1;
            for (side, due) in due.iter_mut().enumerate() {
                if !winning {
                    self.find_won(side);
                }
                let Side {
                    lost,
                    open,
                    losable,
                    ..
                } = &mut self.sides[side];
                due.take(ply, |address, word| {
                    if !winning {
                        losable[address] |= word & open[address] & !lost[address];
                    }
                    self.reached.insert(address, word);
                });
                if winning {
                    self.find_won(side);
                }
                self.find_lost(side);
            }
            if !self.end_ply(Distance::Mate, ply)? {
                if due.iter().all(|due| due.next().is_none()) {
                    break;
                }
                continue;
            }
            longest = Plies(ply);
            let score = S::from_plies(ply).filter(|_| longest <= limit);
            let Some(score) = score else {
                return Ok(None);
            };
            self.decide(&mut scores, score);
        }
        // A score that did not fit where it came from would be a draw by now.
        let all_are_scored =
            (self.sides.iter().zip(fixed).zip(results)).all(|((side, fixed), results)| {
                (0..side.open.len()).all(|address| {
                    side.open[address] == fixed.legal[address] & !results.won(address)
                        && side.lost[address] == results.lost(address)
                })
            });
        if !all_are_scored {
            return Err(Unsolved::DistanceOverflow);
        }
        Ok(Some((longest, Distances::into_both_values(scores))))
    }
}

/// A side and the other one.
#[inline(always)]
fn own_and_opponent<W>(sides: &mut [Side<W>; 2], side: usize) -> [&mut Side<W>; 2] {
    let [white, black] = sides;
    match side {
        0 => [white, black],
        _ => [black, white],
    }
}

#[inline(always)]
fn copied<W: Bits>(set: &[W]) -> Vec<W> {
    let mut copy = large_set(set.len());
    copy.copy_from_slice(set);
    copy
}

#[inline(always)]
fn add_all<W: Bits>(words: &mut [W], others: &[W]) {
    for (word, &other) in words.iter_mut().zip(others) {
        *word |= other;
    }
}

#[inline(always)]
fn without<W: Bits>(all: &[W], some: &[W]) -> Vec<W> {
    all.iter()
        .zip(some)
        .map(|(&all, &some)| all & !some)
        .collect()
}

/// Where the bytes of one word's positions stand.
#[inline(always)]
fn line_of<W: Bits>(address: usize) -> std::ops::Range<usize> {
    let width = W::WIDTH as usize;
    address * width..(address + 1) * width
}
