//! The second engine: one winner at a time, and plies instead of values.
//!
//! What one side wins and the other loses is a chain: newly lost positions make won ones a ply later, and these make lost
//! ones. The chain in which the other side wins reads nothing of it, since a position that its mover wins has always a
//! move out of what his opponent wins. So one chain at a time needs five sets, where both together with
//! their values take a multiple. What a ply decides goes to [`Plies`]; values are made from these in the end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::due::DueScores;
use super::plies::Plies;
use super::{Fixed, Limits, SPARSE, Unsolved, Values, WithoutMoves, line_of, without_moves};
use crate::game::Bits;
use crate::metric::{Plies as Number, Wdl};
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;
use crate::retro::score::{LONGEST_IN_BYTES, Score, Scores};

use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// A run of one chain.
struct Chain<'a, M: QuietMoves> {
    moves: &'a mut M,
    winner: usize,
    words: usize,
    /// Legal positions of the winner that are not won: what the loser looks for before he gives up.
    open: Vec<M::Word>,
    /// Positions of the loser that are not lost and that no zeroing move saves for now.
    losable: Vec<M::Word>,
    /// What the newest ply has decided.
    won: Layer<M::Word>,
    lost: Layer<M::Word>,
    /// Empty between two plies.
    spare: Layer<M::Word>,
    cancel: &'a AtomicBool,
}

/// What one side won, and the other lost, ply by ply.
#[derive(Debug, Default)]
struct Decided {
    won: Plies,
    lost: Plies,
}

impl<'a, M: QuietMoves> Chain<'a, M> {
    /// The mated positions of the loser are the newest lost ones.
    #[inline(always)]
    fn new(
        moves: &'a mut M,
        winner: usize,
        legal: &[M::Word],
        mated: &[M::Word],
        cancel: &'a AtomicBool,
    ) -> Self {
        let words = moves.words();
        let mut lost = Layer::new(words);
        lost.set.copy_from_slice(mated);
        lost.recount();
        Chain {
            moves,
            winner,
            words,
            open: legal.to_vec(),
            losable: vec![M::Word::ZERO; words],
            won: Layer::new(words),
            lost,
            spare: Layer::new(words),
            cancel,
        }
    }

    /// Adds to `reached` the positions of `side` with a quiet move into a layer.
    #[inline(always)]
    fn reach(moves: &mut M, side: usize, layer: &Layer<M::Word>, reached: &mut Layer<M::Word>) {
        if layer.is_empty() {
            return;
        }
        if layer.len() * SPARSE < layer.set.len() {
            for address in layer.addresses() {
                moves.push(side, address, layer.set[address], reached);
            }
        } else {
            moves.sweep(side, &layer.set, &mut reached.set);
            reached.recount();
        }
    }

    /// One ply. Positions that zeroing moves decide enter, of the winner and of the loser; those that a move decides
    /// nothing about may be among them.
    #[inline(always)]
    fn ply(
        &mut self,
        winning: impl Iterator<Item = (usize, M::Word)>,
        losing: impl Iterator<Item = (usize, M::Word)>,
    ) -> Result<(), Unsolved> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Unsolved::Cancelled);
        }
        let loser = 1 - self.winner;
        let next_won = &mut self.spare;
        Self::reach(self.moves, self.winner, &self.lost, next_won);
        for (address, word) in winning {
            next_won.insert(address, word);
        }
        let open = &self.open;
        next_won.update(|address, word| word & open[address]);
        // The newest lost positions have had their say: their place is for candidates.
        self.lost.clear();
        let candidates = &mut self.lost;
        Self::reach(self.moves, loser, &self.won, candidates);
        for (address, word) in losing {
            candidates.insert(address, word);
        }
        let losable = &self.losable;
        candidates.update(|address, word| word & losable[address]);
        // So have the newest won ones: theirs is for those that escape.
        self.won.clear();
        if candidates.len() * SPARSE < self.words {
            let moves = &*self.moves;
            candidates.update(|address, word| {
                word & !moves.having_a_move_into(loser, address, word, open)
            });
        } else {
            let escaping = &mut self.won.set;
            self.moves.sweep(loser, open, escaping);
            candidates.update(|address, word| word & !escaping[address]);
            escaping.fill(M::Word::ZERO);
        }
        std::mem::swap(&mut self.won, &mut self.spare);
        for address in self.won.addresses() {
            self.open[address] &= !self.won.set[address];
        }
        for address in self.lost.addresses() {
            self.losable[address] &= !self.lost.set[address];
        }
        Ok(())
    }

    /// Whether the newest ply has decided nothing.
    fn is_idle(&self) -> bool {
        self.won.is_empty() && self.lost.is_empty()
    }

    /// Writes down what the newest ply has decided.
    #[inline(always)]
    fn note(&self, ply: u32, decided: &mut Decided) {
        decided.won.push(ply, &self.won);
        decided.lost.push(ply, &self.lost);
    }

    /// Results and distances to zeroing. Zeroing moves enter twice: at once those that keep the result under the rule,
    /// and after `limit` plies those that win or lose but for it.
    #[inline(always)]
    fn zeroing(
        &mut self,
        fixed: &[Fixed<M::Word>; 2],
        mated: &[M::Word],
        limit: Number,
    ) -> Result<Decided, Unsolved> {
        let (winner, loser) = (&fixed[self.winner], &fixed[1 - self.winner]);
        let mut decided = Decided::default();
        let entries = [
            (
                1,
                limit.0,
                Win,
                Loss,
                &[BlessedLoss, Draw, CursedWin, Win][..],
            ),
            (
                limit.0 + 1,
                u32::MAX,
                CursedWin,
                BlessedLoss,
                &[Draw, CursedWin, Win],
            ),
        ];
        for (first, last, winning, losing, saving) in entries {
            for (address, losable) in self.losable.iter_mut().enumerate() {
                let saved = loser.zeroing_to(saving, address) | mated[address];
                *losable = loser.legal[address] & !saved;
            }
            for (_, address, word) in decided.lost.all::<M::Word>() {
                self.losable[address] &= !word;
            }
            for ply in first..=last {
                if ply == first {
                    self.ply(
                        words_of(&winner.zeroing[winning.index()]),
                        words_of(&loser.zeroing[losing.index()]),
                    )?;
                } else {
                    self.ply(std::iter::empty(), std::iter::empty())?;
                }
                if self.is_idle() {
                    break;
                }
                self.note(ply, &mut decided);
            }
        }
        Ok(decided)
    }

    /// Distances to mate, of which zeroing moves come into play at their plies.
    #[inline(always)]
    fn mates(
        &mut self,
        fixed: &Fixed<M::Word>,
        lost: impl Fn(usize) -> M::Word,
        mated: &[M::Word],
        due: &Decided,
    ) -> Result<Decided, Unsolved> {
        for (address, losable) in self.losable.iter_mut().enumerate() {
            // What is lost waits for its last zeroing move.
            *losable = lost(address) & !mated[address] & !fixed.zeroing_to(&Wdl::ALL, address);
        }
        let mut decided = Decided::default();
        let mut ply = 1;
        loop {
            for (address, word) in due.lost.words::<M::Word>(ply) {
                self.losable[address] |= word;
            }
            self.ply(due.won.words(ply), due.lost.words(ply))?;
            self.note(ply, &mut decided);
            ply += 1;
            if self.is_idle() {
                let next = [&due.won, &due.lost].map(|due| due.next(ply));
                match next.into_iter().flatten().min() {
                    Some(next) => ply = next,
                    None => break,
                }
            }
        }
        Ok(decided)
    }
}

/// The words of a set that are not empty.
#[inline(always)]
fn words_of<W: Bits>(set: &[W]) -> impl Iterator<Item = (usize, W)> {
    let words = set.iter().copied().enumerate();
    words.filter(|(_, word)| !word.is_empty())
}

/// Solves a slice, one chain after the other; the values are those of [`solve_slice`](super::solve_slice).
#[inline(always)]
pub(super) fn solve<M: QuietMoves>(
    mut moves: M,
    fixed: &[Fixed<M::Word>; 2],
    in_check: [Vec<M::Word>; 2],
    limits: Limits,
    cancel: &AtomicBool,
) -> Result<[Values<M::Word>; 2], Unsolved> {
    let words = moves.words();
    let WithoutMoves { mated, stalemated } = without_moves(&mut moves, fixed, &in_check);
    drop(in_check);
    let mut run = |winner: usize| {
        let (legal, mated) = (&fixed[winner].legal, &mated[1 - winner]);
        Chain::new(&mut moves, winner, legal, mated, cancel).zeroing(fixed, mated, limits.draw)
    };
    let chains = [run(0)?, run(1)?];
    let mut stalemated = stalemated.into_iter();
    let mut values = [0, 1].map(|side: usize| Values {
        stalemate: stalemated.next().unwrap_or_default(),
        ..results(&chains, &mated[side], side, words, limits.draw)
    });
    for (side, values) in values.iter_mut().enumerate() {
        let mut dtz = vec![0; words * M::Word::WIDTH as usize];
        for (ply, address, word) in of_side::<M::Word>(&chains, side) {
            let ply = u8::try_from(ply).map_err(|_| Unsolved::DistanceOverflow)?;
            u8::store(&mut dtz[line_of::<M::Word>(address)], word, ply);
        }
        values.dtz = dtz;
    }
    drop(chains);
    if fixed.iter().any(|side| side.zeroing_score.is_empty()) {
        return Ok(values);
    }
    let due = [0, 1].map(|side: usize| due(&fixed[side].zeroing_score, &values[side]));
    let [white, black] = due;
    let [due_white, due_black] = [
        Decided {
            won: white.won,
            lost: black.lost,
        },
        Decided {
            won: black.won,
            lost: white.lost,
        },
    ];
    let mut run = |winner: usize, due: &Decided| {
        let loser = 1 - winner;
        let (legal, mated) = (&fixed[winner].legal, &mated[loser]);
        let lost = |address| values[loser].lost(address);
        let mut chain = Chain::new(&mut moves, winner, legal, mated, cancel);
        chain.mates(&fixed[loser], lost, mated, due)
    };
    let chains = [run(0, &due_white)?, run(1, &due_black)?];
    let fits = limits.bytes.min(LONGEST_IN_BYTES);
    let plies = chains
        .iter()
        .flat_map(|chain| [chain.won.last(), chain.lost.last()]);
    let longest = Number(plies.flatten().max().unwrap_or(0));
    for (side, values) in values.iter_mut().enumerate() {
        let mated = &mated[side];
        values.longest = longest;
        values.dtm = match longest <= fits {
            true => u8::wrap(scores(&chains, mated, side, values)?),
            false => u16::wrap(scores(&chains, mated, side, values)?).narrowed(fits),
        };
    }
    Ok(values)
}

/// What was decided of one side, won and lost, each ply by ply.
#[inline(always)]
fn of_side<W: Bits>(
    [white, black]: &[Decided; 2],
    side: usize,
) -> impl Iterator<Item = (u32, usize, W)> {
    let [won, lost] = match side {
        0 => [&white.won, &black.lost],
        _ => [&black.won, &white.lost],
    };
    won.all().chain(lost.all())
}

/// The results of one side, without distances.
#[inline(always)]
fn results<W: Bits>(
    [white, black]: &[Decided; 2],
    mated: &[W],
    side: usize,
    words: usize,
    limit: Number,
) -> Values<W> {
    let [won, lost] = match side {
        0 => [&white.won, &black.lost],
        _ => [&black.won, &white.lost],
    };
    let mut decided = Wdl::ALL.map(|value| match value {
        Draw => Vec::new(),
        Loss => mated.to_vec(),
        _ => vec![W::ZERO; words],
    });
    for (plies, [strict, cursed]) in [(won, [Win, CursedWin]), (lost, [Loss, BlessedLoss])] {
        for (ply, address, word) in plies.all::<W>() {
            let value = if ply <= limit.0 { strict } else { cursed };
            decided[value.index()][address] |= word;
        }
    }
    Values {
        decided,
        stalemate: Vec::new(),
        dtz: Vec::new(),
        dtm: Scores::default(),
        longest: Number(0),
    }
}

/// When the zeroing moves of one side come into play: those that win, and those that lose.
#[inline(always)]
fn due<W: Bits>(scores: &Scores<'_>, results: &Values<W>) -> Decided {
    #[inline(always)]
    fn of_width<W: Bits, S: Score>(scores: &[S], results: &Values<W>) -> Decided {
        let mut due = DueScores::new(scores, results);
        let mut decided = Decided::default();
        while let Some(ply) = due.next() {
            let mut words = Vec::new();
            due.take(ply, |address, word| words.push((address, word)));
            let plies = match ply % 2 {
                1 => &mut decided.won,
                _ => &mut decided.lost,
            };
            plies.push_words(ply, words.into_iter());
        }
        decided
    }
    match scores {
        Scores::Bytes(scores) => of_width(scores, results),
        Scores::Words(scores) => of_width(scores, results),
    }
}

/// The mate scores of one side. Those and only those that are decided must have one.
#[inline(always)]
fn scores<W: Bits, S: Score>(
    chains: &[Decided; 2],
    mated: &[W],
    side: usize,
    results: &Values<W>,
) -> Result<Vec<S>, Unsolved> {
    let mut scores = vec![S::DRAW; mated.len() * W::WIDTH as usize];
    let mut scored = mated.to_vec();
    for (address, word) in words_of(mated) {
        S::store(&mut scores[line_of::<W>(address)], word, S::MATED);
    }
    for (ply, address, word) in of_side::<W>(chains, side) {
        let score = S::from_plies(ply).ok_or(Unsolved::DistanceOverflow)?;
        S::store(&mut scores[line_of::<W>(address)], word, score);
        scored[address] |= word;
    }
    let decided = |address| results.won(address) | results.lost(address);
    let all_are_scored = (scored.iter().enumerate()).all(|(address, &set)| set == decided(address));
    all_are_scored
        .then_some(scores)
        .ok_or(Unsolved::DistanceOverflow)
}
