//! The second engine: one winner at a time, plies instead of values, and nothing else at hand.
//!
//! What one side wins and the other loses is a chain: newly lost positions make won ones a ply
//! later, and these make lost ones. The chain in which the other side wins reads nothing of it,
//! since a position that its mover wins has always a move out of what his opponent wins. So one
//! chain at a time needs five sets, where both together with their values take a multiple. What is
//! fixed from outside is read from [`Outside`] when its ply comes; what a ply decides goes to
//! [`Plies`], and values are made from these slab by slab.

use std::io;

use rayon::prelude::*;

use super::decided::{Chains, Decided, lost_at};
use super::due::DueScores;
use super::exchange::{ColorExchange, Exchanged};
use super::outside::Outside;
use super::plies::{Words, encoded, put_layer};
use super::{Distance, Limits, Unsolved, Values, Watch};
use crate::game::Bits;
use crate::metric::{Plies as Number, Wdl};
use crate::retro::layer::{Layer, add_to_slab, large_set, recount_slab, update_slab};
use crate::retro::quiet::SharedMoves;
use crate::retro::score::{LONGEST_IN_BYTES, Score, Scores};
use crate::simd::Width;
use crate::store::Part;

use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// Below one non-empty word in this many, words are pushed one by one instead of sweeping
/// everything. Sets here are far larger than any cache, so each word that is pushed to waits for
/// memory.
const FEW: usize = 200;

/// Below one candidate word in this many, the moves of each are looked at instead of sweeping everything.
const FEW_CANDIDATES: usize = 24;

/// Positions that zeroing moves decide at a ply. A move may decide nothing about some of them.
#[derive(Clone, Copy, Debug)]
enum Entries<'a> {
    None,
    /// Those with a zeroing move of such a value, of the winner and of the loser.
    Zeroing(Wdl, Wdl),
    /// Those that are due.
    Due(&'a Decided, u32),
}

/// A run of one chain.
struct Chain<'a, M: SharedMoves> {
    moves: &'a M,
    outside: &'a Outside<M::Word>,
    width: Width,
    watch: Watch<'a>,
    winner: usize,
    /// Legal positions of the winner that are not won: what the loser looks for before he gives up.
    open: Vec<M::Word>,
    /// Positions of the loser that are not lost and that no zeroing move saves for now.
    losable: Vec<M::Word>,
    /// What the newest ply has decided.
    won: Layer<M::Word>,
    lost: Layer<M::Word>,
    /// Empty between two plies.
    spare: Layer<M::Word>,
}

/// Writes every slab of a set, on all threads.
fn write_slabs<W: Bits>(
    set: &mut [W],
    slab: usize,
    write: impl Fn(usize, &mut [W]) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let slabs = set.par_chunks_mut(slab).enumerate();
    slabs.try_for_each(|(number, words)| write(number, words))
}

/// The words of a slab that are not empty, with their addresses.
fn words_of<W: Bits>(set: &[W]) -> impl Iterator<Item = (usize, W)> {
    let words = set.iter().copied().enumerate();
    words.filter(|(_, word)| !word.is_empty())
}

/// Takes words from a slab away.
fn take_away<W: Bits>(set: &mut [W], words: Words<W>) {
    for (address, word) in words {
        set[address] &= !word;
    }
}

impl<'a, M: SharedMoves> Chain<'a, M> {
    fn new(moves: &'a M, outside: &'a Outside<M::Word>, width: Width, watch: Watch<'a>) -> Self {
        let words = moves.words();
        Chain {
            moves,
            outside,
            width,
            watch,
            winner: 0,
            open: large_set(words),
            losable: large_set(words),
            won: Layer::new(words),
            lost: Layer::new(words),
            spare: Layer::new(words),
        }
    }

    fn loser(&self) -> usize {
        1 - self.winner
    }

    /// Nothing is won yet.
    fn restart(&mut self, winner: usize) -> io::Result<()> {
        self.winner = winner;
        self.won.clear_slabs(self.outside.slab());
        self.lost.clear_slabs(self.outside.slab());
        let outside = self.outside;
        write_slabs(&mut self.open, outside.slab(), |slab, words| {
            words.copy_from_slice(&outside.legal(winner, slab)?);
            Ok(())
        })
    }

    /// Puts the loser's mated positions away, and his stalemated ones apart.
    fn without_moves(&mut self, decided: &mut Decided) -> io::Result<Vec<Part>> {
        let (outside, loser, slab) = (self.outside, self.loser(), self.outside.slab());
        let stuck = &mut self.spare;
        stuck.change_slabs(slab, |slab, set, active| {
            set.copy_from_slice(&outside.legal(loser, slab)?);
            let zeroing = outside.zeroing(loser, slab, &Wdl::ALL)?;
            for (word, zeroing) in set.iter_mut().zip(zeroing) {
                *word &= !zeroing;
            }
            recount_slab(set, active);
            Ok::<(), io::Error>(())
        })?;
        self.moves
            .escape_shared(loser, &self.open, stuck, self.width);
        let parts = (0..outside.slabs()).into_par_iter().map(|number| {
            let in_check = outside.in_check(loser, number)?;
            let put = |is_mate: bool| {
                let words = stuck.addresses_in(slab, number).map(|at| {
                    let in_check = in_check[at - number * slab];
                    let chosen = if is_mate { in_check } else { !in_check };
                    (at - number * slab, stuck.set[at] & chosen)
                });
                let words = words.filter(|(_, word)| !word.is_empty());
                outside.scratch().put(&encoded(words))
            };
            Ok([put(true)?, put(false)?])
        });
        let parts: Vec<[Part; 2]> = parts.collect::<io::Result<_>>()?;
        self.spare.clear_slabs(self.outside.slab());
        for (slab, &[mated, _]) in parts.iter().enumerate() {
            decided.lost.insert(0, slab, mated);
        }
        Ok(parts
            .into_iter()
            .map(|[_, stalemated]| stalemated)
            .collect())
    }

    /// The mated positions of the loser are the newest lost ones.
    fn begin_with_mated(&mut self, decided: &Decided) -> io::Result<()> {
        self.lost
            .change_slabs(self.outside.slab(), |slab, set, active| {
                add_to_slab(set, active, decided.lost.words(0, slab)?);
                Ok(())
            })
    }

    /// Finds the positions of a side that may be decided and have a quiet move into the newest layer.
    fn reach(&mut self, side: usize) -> io::Result<()> {
        let (layer, may_be, reached) = match side == self.winner {
            true => (&self.lost, &self.open, &mut self.spare),
            false => (&self.won, &self.losable, &mut self.lost),
        };
        if layer.is_empty() {
            return Ok(());
        }
        if layer.len() * FEW >= layer.set.len() {
            self.moves
                .reach_shared(side, &layer.set, may_be, reached, self.width);
            return Ok(());
        }
        self.moves.push_shared(side, layer, reached);
        let outside = self.outside;
        reached.change_slabs(outside.slab(), |slab, set, active| {
            let may_be = &may_be[outside.addresses(slab)];
            update_slab(set, active, |address, word| word & may_be[address]);
            Ok(())
        })
    }

    /// Adds what zeroing moves decide of what may be decided.
    fn enter(&mut self, side: usize, entries: Entries<'_>) -> io::Result<()> {
        let (outside, is_winner) = (self.outside, side == self.winner);
        let (layer, may_be) = match is_winner {
            true => (&mut self.spare, &self.open),
            false => (&mut self.lost, &self.losable),
        };
        if matches!(entries, Entries::None) {
            return Ok(());
        }
        layer.change_slabs(outside.slab(), |slab, set, active| {
            let may_be = &may_be[outside.addresses(slab)];
            let allowed = |(address, word): (usize, M::Word)| (address, word & may_be[address]);
            match entries {
                Entries::None => {}
                Entries::Zeroing(winning, losing) => {
                    let value = if is_winner { winning } else { losing };
                    let entering = outside.zeroing(side, slab, &[value])?;
                    add_to_slab(set, active, words_of(&entering).map(allowed));
                }
                Entries::Due(due, ply) => {
                    let due = if is_winner { &due.won } else { &due.lost };
                    add_to_slab(set, active, due.words(ply, slab)?.map(allowed));
                }
            }
            Ok(())
        })
    }

    /// One ply.
    fn ply(&mut self, entries: Entries<'_>) -> Result<(), Unsolved> {
        let (winner, loser, slab) = (self.winner, self.loser(), self.outside.slab());
        self.reach(winner)?;
        self.enter(winner, entries)?;
        // The newest lost positions have had their say: their place is for candidates.
        self.lost.clear_slabs(self.outside.slab());
        self.reach(loser)?;
        self.enter(loser, entries)?;
        // So have the newest won ones.
        self.won.clear_slabs(self.outside.slab());
        self.find_lost()?;
        std::mem::swap(&mut self.won, &mut self.spare);
        let (won, lost) = (&self.won, &self.lost);
        for (set, layer) in [(&mut self.open, won), (&mut self.losable, lost)] {
            write_slabs(set, slab, |number, words| {
                for address in layer.addresses_in(slab, number) {
                    words[address - number * slab] &= !layer.set[address];
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Of the candidates, those stay that have no move out of what is won.
    fn find_lost(&mut self) -> io::Result<()> {
        let (moves, open, loser) = (self.moves, &self.open, self.loser());
        let (candidates, slab) = (&mut self.lost, self.outside.slab());
        if candidates.len() * FEW_CANDIDATES >= self.open.len() {
            moves.escape_shared(loser, open, candidates, self.width);
            return Ok(());
        }
        candidates.change_slabs(slab, |number, set, active| {
            update_slab(set, active, |address, word| {
                let address = number * slab + address;
                word & !moves.having_a_move_into(loser, address, word, open)
            });
            Ok(())
        })
    }

    /// Whether the newest ply has decided nothing.
    fn is_idle(&self) -> bool {
        self.won.is_empty() && self.lost.is_empty()
    }

    /// Puts away what the newest ply has decided.
    fn note(&self, ply: u32, decided: &mut Decided) -> io::Result<()> {
        let (outside, slab) = (self.outside, self.outside.slab());
        for (layer, plies) in [
            (&self.won, &mut decided.won),
            (&self.lost, &mut decided.lost),
        ] {
            let parts = put_layer(layer, slab, outside.scratch())?;
            for (number, part) in parts.into_iter().enumerate() {
                plies.insert(ply, number, part);
            }
        }
        Ok(())
    }

    /// Results and distances to zeroing. Zeroing moves enter twice: at once those that keep the result under the rule,
    /// and after `limit` plies those that win or lose but for it. Ends after ply `end` if not before.
    fn zeroing(&mut self, limit: Number, end: u32, decided: &mut Decided) -> Result<(), Unsolved> {
        let (outside, loser) = (self.outside, self.loser());
        let entries = [
            (
                1,
                limit.0,
                Entries::Zeroing(Win, Loss),
                &[BlessedLoss, Draw, CursedWin, Win][..],
            ),
            (
                limit.0 + 1,
                u32::MAX,
                Entries::Zeroing(CursedWin, BlessedLoss),
                &[Draw, CursedWin, Win],
            ),
        ];
        let begun = entries.into_iter().take_while(|&(first, ..)| first <= end);
        for (first, last, entering, saving) in begun {
            let lost = &decided.lost;
            write_slabs(&mut self.losable, outside.slab(), |slab, words| {
                words.copy_from_slice(&outside.legal(loser, slab)?);
                let saved = outside.zeroing(loser, slab, saving)?;
                for (word, saved) in words.iter_mut().zip(saved) {
                    *word &= !saved;
                }
                for lost in lost.all(slab) {
                    take_away(words, lost?.1);
                }
                Ok(())
            })?;
            for ply in first..=last.min(end) {
                let entering = if ply == first {
                    entering
                } else {
                    Entries::None
                };
                self.ply(entering)?;
                self.watch.ply(Distance::Zeroing, ply)?;
                if self.is_idle() {
                    break;
                }
                self.note(ply, decided)?;
            }
        }
        Ok(())
    }

    /// Distances to mate, of which zeroing moves come into play at their plies.
    fn mates(&mut self, decided: &Decided) -> Result<Decided, Unsolved> {
        let (outside, loser) = (self.outside, self.loser());
        let due = self.due(decided)?;
        write_slabs(&mut self.losable, outside.slab(), |slab, words| {
            words.copy_from_slice(&lost_at(decided, slab, words.len())?);
            take_away(words, decided.lost.words(0, slab)?);
            // What has zeroing moves waits for the last of them.
            let waiting = outside.zeroing(loser, slab, &Wdl::ALL)?;
            for (word, waiting) in words.iter_mut().zip(waiting) {
                *word &= !waiting;
            }
            Ok(())
        })?;
        let mut mates = Decided::new(outside);
        let mut ply = 1;
        loop {
            write_slabs(&mut self.losable, outside.slab(), |slab, words| {
                for (address, word) in due.lost.words(ply, slab)? {
                    words[address] |= word;
                }
                Ok(())
            })?;
            self.ply(Entries::Due(&due, ply))?;
            self.watch.ply(Distance::Mate, ply)?;
            self.note(ply, &mut mates)?;
            ply += 1;
            if self.is_idle() {
                let next = [&due.won, &due.lost].map(|due| due.next(ply));
                match next.into_iter().flatten().min() {
                    Some(next) => ply = next,
                    None => break,
                }
            }
        }
        Ok(mates)
    }

    /// When the zeroing moves of the winner that win and those of the loser come into play.
    fn due(&self, decided: &Decided) -> io::Result<Decided> {
        let outside = self.outside;
        let mut due = Decided::new(outside);
        for (side, plies) in [(self.winner, &mut due.won), (self.loser(), &mut due.lost)] {
            let of_slab = |slab: usize| {
                let words = outside.addresses(slab).len();
                let mut results = Values::undecided(words);
                match side == self.winner {
                    // What a zeroing move wins is won.
                    true => results.decided[Win.index()].fill(M::Word::FULL),
                    false => results.decided[Loss.index()] = lost_at(decided, slab, words)?,
                }
                match outside.scores(side, slab)? {
                    Scores::Bytes(scores) => due_in_slab(outside, &scores, &results),
                    Scores::Words(scores) => due_in_slab(outside, &scores, &results),
                }
            };
            let slabs = (0..outside.slabs()).into_par_iter();
            let parts: Vec<Vec<(u32, Part)>> = slabs.map(of_slab).collect::<io::Result<_>>()?;
            for (slab, parts) in parts.into_iter().enumerate() {
                for (ply, part) in parts {
                    plies.insert(ply, slab, part);
                }
            }
        }
        Ok(due)
    }
}

/// The plies at which scores of a slab are due, and where it is put which positions are.
fn due_in_slab<W: Bits, S: Score>(
    outside: &Outside<W>,
    scores: &[S],
    results: &Values<W>,
) -> io::Result<Vec<(u32, Part)>> {
    let mut due = DueScores::new(scores, results);
    let mut parts = Vec::new();
    while let Some(ply) = due.next() {
        let mut words = Vec::new();
        due.take(ply, |address, word| words.push((address, word)));
        parts.push((ply, outside.scratch().put(&encoded(words.into_iter()))?));
    }
    Ok(parts)
}

/// Plies of the second chain that are made as those of the first, although they are its images: half
/// of all that is won is won at once, by one sweep.
const DIRECT: u32 = 1;

/// Solves a slice, one chain after the other; the values are those of [`solve`](super::solve). One
/// that is its own image with the colors exchanged takes little more than one chain.
///
/// # Errors
///
/// If the scratch file cannot be used, or the caller cancelled.
pub fn solve_chains<M: SharedMoves>(
    moves: &M,
    outside: Outside<M::Word>,
    exchange: Option<&impl ColorExchange<M::Word>>,
    limits: Limits,
    width: Width,
    watch: Watch<'_>,
) -> Result<Chains<M::Word>, Unsolved> {
    let mut chain = Chain::new(moves, &outside, width, watch);
    let mut decided = [0, 1].map(|_| Decided::new(&outside));
    let mut mates = [0, 1].map(|_| Decided::new(&outside));
    let mut stalemated = [Vec::new(), Vec::new()];
    for (winner, decided) in decided.iter_mut().enumerate() {
        let end = match (winner, exchange) {
            (1, Some(_)) => DIRECT,
            _ => u32::MAX,
        };
        chain.restart(winner)?;
        stalemated[1 - winner] = chain.without_moves(decided)?;
        chain.begin_with_mated(decided)?;
        chain.zeroing(limits.draw, end, decided)?;
        if outside.has_scores() && end == u32::MAX {
            chain.restart(winner)?;
            chain.begin_with_mated(decided)?;
            mates[winner] = chain.mates(decided)?;
        }
    }
    if let Some(exchange) = exchange {
        let (scratch, slab) = (outside.scratch(), outside.slab());
        let mut images = Exchanged::new(exchange, scratch, slab, &mut chain.spare, watch);
        for (direct, [white, black]) in [(DIRECT, &mut decided), (0, &mut mates)] {
            images.add_after(direct, &white.won, &mut black.won)?;
            images.add_after(direct, &white.lost, &mut black.lost)?;
        }
    }
    drop(chain);
    let last = |side: usize| mates[side].won.last().max(mates[1 - side].lost.last());
    let longest = [0, 1].map(|side| last(side).unwrap_or(0));
    let fits = limits.bytes.min(LONGEST_IN_BYTES);
    Ok(Chains {
        limit: limits.draw,
        decided,
        stalemated,
        mates: outside.has_scores().then_some(mates),
        longest: Number(longest[0].max(longest[1])),
        are_bytes: longest.map(|longest| longest <= fits.0),
        outside,
    })
}
