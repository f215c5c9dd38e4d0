//! The second engine: one winner at a time, plies instead of values, and nothing else at hand.
//!
//! What one side wins and the other loses is a chain: newly lost positions make won ones a ply
//! later, and these make lost ones. The chain in which the other side wins reads nothing of it,
//! since a position that its mover wins has always a move out of what his opponent wins. So one
//! chain at a time needs five sets, where both together with their values take a multiple. What is
//! fixed from outside is read from [`Outside`] when its ply comes; what a ply decides goes to
//! [`Plies`], and values are made from these slab by slab.

use std::convert::Infallible;
use std::io;

use super::decided::{Chains, Decided, lost_at};
use super::due::AllDue;
use super::exchange::{ColorExchange, Exchanged};
use super::outside::Outside;
use super::plies::put_layer;
use super::{Distance, Limits, Unsolved, Values, Watch};
use crate::game::Bits;
use crate::metric::{Plies as Number, Wdl};
use crate::parallel;
use crate::retro::layer::{Layer, add_to_slab, large_set, recount_slab, update_slab};
use crate::retro::quiet::SharedMoves;
use crate::retro::score::{Score, Scores};
use crate::retro::words::{Words, encoded};
use crate::simd::Width;
use crate::store::{Part, Record, RecordKind, Scratch};

use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// Below one non-empty word in this many, words are pushed one by one instead of sweeping
/// everything. Sets here are far larger than any cache, so each word that is pushed to waits for
/// memory.
const FEW: usize = 200;

/// Below one candidate word in this many, the moves of each are looked at instead of sweeping everything.
const FEW_CANDIDATES: usize = 24;

/// From one newest won word in this many on, candidates are not looked for: nearly all that is losable would be one.
const MANY: usize = 50;

/// Positions that zeroing moves decide at a ply. A move may decide nothing about some of them.
#[derive(Clone, Copy, Debug)]
enum Entries<'a> {
    None,
    /// Those with a zeroing move of such a value, of the winner and of the loser.
    Zeroing(Wdl, Wdl),
    /// Those that are due.
    Due(&'a Decided, u32),
}

/// The last ply that was done.
#[derive(Clone, Copy, Debug)]
struct Noted {
    ply: u32,
    /// Whether it has decided nothing.
    is_idle: bool,
}

/// The next ply of results and distances to zeroing: without anything new, the one at which the fifty-move rule
/// has its say.
fn next_of_results(noted: Option<Noted>, limit: Number) -> Option<u32> {
    match noted {
        None => Some(1),
        Some(Noted { ply, is_idle }) => match (is_idle, ply <= limit.0) {
            (false, _) => Some(ply + 1),
            (true, true) => Some(limit.0 + 1),
            (true, false) => None,
        },
    }
}

/// The next ply of distances to mate: without anything new, one at which a zeroing move comes into play.
fn next_of_mates(
    noted: Option<Noted>,
    due: &Decided,
    moves: &impl SharedMoves,
) -> io::Result<Option<u32>> {
    match noted {
        None => Ok(Some(1)),
        Some(Noted { ply, is_idle: true }) => {
            let next = [&due.won, &due.lost].map(|due| due.next(ply + 1));
            moves.least(next.into_iter().flatten().min())
        }
        Some(Noted { ply, .. }) => Ok(Some(ply + 1)),
    }
}

/// What a ply decided, by slabs, as it is recorded: how many slabs have won positions, the slabs of all parts, and
/// these.
fn of_ply(won: &[Part], lost: &[Part]) -> Record {
    let mut record = Record::default();
    let count = won.iter().filter(|part| !part.is_empty()).count();
    record.numbers.push(count as u32);
    for (slab, part) in won.iter().enumerate().chain(lost.iter().enumerate()) {
        if !part.is_empty() {
            record.numbers.push(slab as u32);
            record.parts.push(*part);
        }
    }
    record
}

/// Reads back what plies of a chain have decided, and says which was the last.
fn recall_plies<W: Bits>(
    outside: &Outside<W>,
    kind: RecordKind,
    winner: usize,
    decided: &mut Decided,
) -> Option<Noted> {
    let mut noted = None;
    for (ply, record) in outside.scratch().recall_all(kind, winner) {
        let mut slabs = [0, 1].map(|_| vec![Part::default(); outside.slabs()]);
        let (&won, numbers) = record.numbers.split_first()?;
        for (at, (&slab, &part)) in numbers.iter().zip(&record.parts).enumerate() {
            let of_side = &mut slabs[usize::from(at >= won as usize)];
            *of_side.get_mut(slab as usize)? = part;
        }
        let [won, lost] = slabs;
        decided.insert(ply, won, lost);
        let is_idle = record.parts.is_empty();
        noted = Some(Noted { ply, is_idle });
    }
    noted
}

/// A run of one chain.
struct Chain<'a, M: SharedMoves> {
    moves: M,
    outside: &'a Outside<M::Word>,
    width: Width,
    watch: Watch<'a>,
    winner: usize,
    /// Legal positions of the winner that are not won: what the loser looks for before he gives up.
    open: Vec<M::Word>,
    /// Positions of the loser that are not lost, in which he has a move, and that no zeroing move saves for now.
    losable: Vec<M::Word>,
    /// Words of a set of the whole slice.
    all_words: usize,
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
    parallel::try_each_item(set.chunks_mut(slab), write)
}

/// Keeps where the mated positions of each slab are, and returns where the stalemated ones are.
fn keep_without_moves(parts: &[[Part; 2]], decided: &mut Decided) -> Vec<Part> {
    for (slab, &[mated, _]) in parts.iter().enumerate() {
        decided.lost.insert(0, slab, mated);
    }
    parts.iter().map(|&[_, stalemated]| stalemated).collect()
}

/// The words of a slab that are not empty, with their addresses.
fn words_of<W: Bits>(set: &[W]) -> impl Iterator<Item = (usize, W)> {
    let words = set.iter().copied().enumerate();
    words.filter(|(_, word)| !word.is_empty())
}

/// Adds words to a slab.
fn add<W: Bits>(set: &mut [W], words: Words<W>) {
    for (address, word) in words {
        set[address] |= word;
    }
}

/// Takes words from a slab away.
fn take_away<W: Bits>(set: &mut [W], words: Words<W>) {
    for (address, word) in words {
        set[address] &= !word;
    }
}

impl<'a, M: SharedMoves> Chain<'a, M> {
    fn new(moves: M, outside: &'a Outside<M::Word>, width: Width, watch: Watch<'a>) -> Self {
        let words = moves.words();
        Chain {
            all_words: moves.all_words(),
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
        })?;
        self.moves.tell_open(winner, &self.open)
    }

    /// Goes on after a ply, when plies up to it have decided something.
    fn go_on(&mut self, winner: usize, decided: &Decided, ply: u32) -> io::Result<()> {
        self.restart(winner)?;
        let slab = self.outside.slab();
        write_slabs(&mut self.open, slab, |slab, words| {
            for won in decided.won.all(slab) {
                take_away(words, won?.1);
            }
            Ok(())
        })?;
        self.moves.tell_open(winner, &self.open)?;
        for (layer, plies) in [
            (&mut self.won, &decided.won),
            (&mut self.lost, &decided.lost),
        ] {
            layer.change_slabs(slab, |slab, set, active| {
                add_to_slab(set, active, plies.words(ply, slab)?);
                Ok::<(), io::Error>(())
            })?;
        }
        self.tell_newest()
    }

    /// Tells other ranks what the newest ply has decided.
    fn tell_newest(&mut self) -> io::Result<()> {
        let (winner, loser) = (self.winner, self.loser());
        self.moves.tell_newest(winner, &self.won)?;
        self.moves.tell_newest(loser, &self.lost)
    }

    /// Puts the loser's mated positions away, and his stalemated ones apart.
    fn without_moves(&mut self, decided: &mut Decided) -> io::Result<Vec<Part>> {
        let (outside, loser, slab) = (self.outside, self.loser(), self.outside.slab());
        let key = RecordKind::WithoutMoves.of([self.winner, 0, 0]);
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
        let parts = parallel::try_map(outside.slabs(), |number| {
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
            Ok::<[Part; 2], io::Error>([put(true)?, put(false)?])
        })?;
        self.spare.clear_slabs(self.outside.slab());
        let record = Record {
            numbers: Vec::new(),
            parts: parts.as_flattened().to_vec(),
        };
        outside.scratch().record(key, &record)?;
        Ok(keep_without_moves(&parts, decided))
    }

    /// Results and distances to zeroing up to ply `end`, those that are noted and the others; returns where the
    /// stalemated positions of the loser are.
    fn begin(
        &mut self,
        end: u32,
        limit: Number,
        decided: &mut Decided,
    ) -> Result<Vec<Part>, Unsolved> {
        let (outside, winner) = (self.outside, self.winner);
        let key = RecordKind::WithoutMoves.of([winner, 0, 0]);
        let recalled = outside.scratch().recall(key);
        let parts = recalled.map(|record| record.parts.as_chunks::<2>().0.to_vec());
        let Some(parts) = parts.filter(|parts| parts.len() == outside.slabs()) else {
            self.restart(winner)?;
            let stalemated = self.without_moves(decided)?;
            self.begin_with_mated(decided)?;
            self.zeroing(limit, end, None, &stalemated, decided)?;
            return Ok(stalemated);
        };
        let stalemated = keep_without_moves(&parts, decided);
        let noted = recall_plies(outside, RecordKind::Zeroing, winner, decided);
        let ply = noted.map_or(0, |noted| noted.ply);
        self.watch.goes_on(Distance::Zeroing, ply);
        if next_of_results(noted, limit).is_some_and(|next| next <= end) {
            self.go_on(winner, decided, ply)?;
            self.zeroing(limit, end, noted, &stalemated, decided)?;
        }
        Ok(stalemated)
    }

    /// The mated positions of the loser are the newest lost ones.
    fn begin_with_mated(&mut self, decided: &Decided) -> io::Result<()> {
        self.lost
            .change_slabs(self.outside.slab(), |slab, set, active| {
                add_to_slab(set, active, decided.lost.words(0, slab)?);
                Ok::<(), io::Error>(())
            })?;
        self.tell_newest()
    }

    /// Finds the positions of a side that may be decided and have a quiet move into the newest layer, of which so many words
    /// are used on all ranks.
    fn reach(&mut self, side: usize, used: usize) {
        let (layer, may_be, reached) = match side == self.winner {
            true => (&self.lost, &self.open, &mut self.spare),
            false => (&self.won, &self.losable, &mut self.lost),
        };
        if used == 0 {
            return;
        }
        if used * FEW >= self.all_words {
            self.moves
                .reach_shared(side, &layer.set, may_be, reached, self.width);
            return;
        }
        self.moves.push_shared(side, layer, reached);
        let outside = self.outside;
        let Ok(()) = reached.change_slabs(outside.slab(), |slab, set, active| {
            let may_be = &may_be[outside.addresses(slab)];
            update_slab(set, active, |address, word| word & may_be[address]);
            Ok::<(), Infallible>(())
        });
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
        let (winner, slab) = (self.winner, self.outside.slab());
        self.reach(winner, self.moves.sum(self.lost.len())?);
        self.enter(winner, entries)?;
        // The newest lost positions have had their say: their place is for candidates.
        self.lost.clear_slabs(slab);
        self.lose(entries)?;
        // So have the newest won ones.
        self.won.clear_slabs(slab);
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
        self.tell_newest()?;
        Ok(())
    }

    /// Finds the positions of the loser that have no move out of what is won since the newest ply.
    fn lose(&mut self, entries: Entries<'_>) -> io::Result<()> {
        let (loser, used) = (self.loser(), self.moves.sum(self.won.len())?);
        if used * MANY < self.all_words {
            self.reach(loser, used);
            self.enter(loser, entries)?;
            return self.find_lost();
        }
        // Whatever had no move out of what was won before is lost already. So what has none now has a move into the newest
        // layer, or a zeroing move that decides it at this ply: it need not be a candidate first, which saves a sweep.
        self.moves
            .stuck_shared(loser, &self.open, &self.losable, &mut self.lost, self.width);
        Ok(())
    }

    /// Of the candidates, those stay that have no move out of what is won.
    fn find_lost(&mut self) -> io::Result<()> {
        let (moves, open, loser) = (&self.moves, &self.open, self.loser());
        let (candidates, slab) = (&mut self.lost, self.outside.slab());
        if candidates.len() * FEW_CANDIDATES >= self.open.len() {
            moves.escape_shared(loser, open, candidates, self.width);
            return Ok(());
        }
        candidates.change_slabs(slab, |number, set, active| {
            update_slab(set, active, |address, word| {
                let address = number * slab + address;
                word & !moves.having_a_move_into_open(loser, address, word, open)
            });
            Ok(())
        })
    }

    /// Whether the newest ply has decided nothing.
    fn is_idle(&self) -> io::Result<bool> {
        Ok(self.moves.sum(self.won.len() + self.lost.len())? == 0)
    }

    /// Puts away what the newest ply has decided, even if that is nothing.
    fn note(&self, kind: RecordKind, ply: u32, decided: &mut Decided) -> io::Result<Noted> {
        let (outside, slab) = (self.outside, self.outside.slab());
        let put = |layer: &Layer<M::Word>| put_layer(layer, slab, outside.scratch());
        let (won, lost) = (put(&self.won)?, put(&self.lost)?);
        let key = kind.of([self.winner, ply as usize, 0]);
        outside.scratch().record(key, &of_ply(&won, &lost))?;
        decided.insert(ply, won, lost);
        Ok(Noted {
            ply,
            is_idle: self.is_idle()?,
        })
    }

    /// Whether to stop before another ply.
    fn check(&self) -> Result<(), Unsolved> {
        match self.watch.is_cancelled() {
            true => Err(Unsolved::Cancelled),
            false => Ok(()),
        }
    }

    /// Results and distances to zeroing after what is noted. Zeroing moves enter twice: at once those that keep the
    /// result under the rule, and after `limit` plies those that win or lose but for it. Ends after ply `end` if not
    /// before.
    fn zeroing(
        &mut self,
        limit: Number,
        end: u32,
        mut noted: Option<Noted>,
        stalemated: &[Part],
        decided: &mut Decided,
    ) -> Result<(), Unsolved> {
        // After how many plies it was said last what zeroing moves save.
        let mut begun = None;
        while let Some(ply) = next_of_results(noted, limit).filter(|&ply| ply <= end) {
            self.check()?;
            let (first, entering, saving) = match ply <= limit.0 {
                true => (
                    1,
                    Entries::Zeroing(Win, Loss),
                    &[BlessedLoss, Draw, CursedWin, Win][..],
                ),
                false => (
                    limit.0 + 1,
                    Entries::Zeroing(CursedWin, BlessedLoss),
                    &[Draw, CursedWin, Win][..],
                ),
            };
            if begun.replace(first) != Some(first) {
                self.say_what_is_losable(saving, stalemated, decided)?;
            }
            let entering = match ply == first {
                true => entering,
                false => Entries::None,
            };
            self.ply(entering)?;
            noted = Some(self.note(RecordKind::Zeroing, ply, decided)?);
            self.watch.ply(Distance::Zeroing, ply)?;
        }
        Ok(())
    }

    /// Says anew which positions of the loser are losable, where zeroing moves of some values save.
    fn say_what_is_losable(
        &mut self,
        saving: &[Wdl],
        stalemated: &[Part],
        decided: &Decided,
    ) -> io::Result<()> {
        let (outside, loser, lost) = (self.outside, self.loser(), &decided.lost);
        write_slabs(&mut self.losable, outside.slab(), |slab, words| {
            words.copy_from_slice(&outside.legal(loser, slab)?);
            let saved = outside.zeroing(loser, slab, saving)?;
            for (word, saved) in words.iter_mut().zip(saved) {
                *word &= !saved;
            }
            let len = words.len();
            take_away(words, Words::new(outside.scratch(), stalemated[slab], len)?);
            for lost in lost.all(slab) {
                take_away(words, lost?.1);
            }
            Ok(())
        })
    }

    /// Distances to mate, those that are noted and the others, of which zeroing moves come into play at their plies.
    fn mates(&mut self, decided: &Decided, mates: &mut Decided) -> Result<(), Unsolved> {
        let (outside, winner, loser) = (self.outside, self.winner, self.loser());
        let due = self.due(decided)?;
        let mut noted = recall_plies(outside, RecordKind::Mates, winner, mates);
        if let Some(Noted { ply, .. }) = noted {
            self.watch.goes_on(Distance::Mate, ply);
        }
        if next_of_mates(noted, &due, &self.moves)?.is_none() {
            return Ok(());
        }
        match noted {
            Some(Noted { ply, .. }) => self.go_on(winner, mates, ply)?,
            None => {
                self.restart(winner)?;
                self.begin_with_mated(decided)?;
            }
        }
        let done = noted.map_or(0, |noted| noted.ply);
        write_slabs(&mut self.losable, outside.slab(), |slab, words| {
            words.copy_from_slice(&lost_at(decided, slab, words.len())?);
            take_away(words, decided.lost.words(0, slab)?);
            // What has zeroing moves waits for the last of them.
            let waiting = outside.zeroing(loser, slab, &Wdl::ALL)?;
            for (word, waiting) in words.iter_mut().zip(waiting) {
                *word &= !waiting;
            }
            for due in due.lost.all(slab) {
                let (ply, due) = due?;
                if ply <= done {
                    add(words, due);
                }
            }
            for lost in mates.lost.all(slab) {
                take_away(words, lost?.1);
            }
            Ok(())
        })?;
        while let Some(ply) = next_of_mates(noted, &due, &self.moves)? {
            self.check()?;
            write_slabs(&mut self.losable, outside.slab(), |slab, words| {
                add(words, due.lost.words(ply, slab)?);
                Ok(())
            })?;
            self.ply(Entries::Due(&due, ply))?;
            noted = Some(self.note(RecordKind::Mates, ply, mates)?);
            self.watch.ply(Distance::Mate, ply)?;
        }
        Ok(())
    }

    /// When the zeroing moves of the winner that win and those of the loser come into play.
    fn due(&self, decided: &Decided) -> Result<Decided, Unsolved> {
        let outside = self.outside;
        let mut due = Decided::new(outside);
        for (side, plies) in [(self.winner, &mut due.won), (self.loser(), &mut due.lost)] {
            let of_slab = |slab: usize| {
                let key = RecordKind::Due.of([self.winner, side, slab]);
                if let Some(record) = outside.scratch().recall(key) {
                    let plies = record.numbers.into_iter();
                    return Ok::<_, Unsolved>(plies.zip(record.parts).collect());
                }
                self.check()?;
                let words = outside.addresses(slab).len();
                let mut results = Values::undecided(words);
                match side == self.winner {
                    // What a zeroing move wins is won.
                    true => results.decided[Win.index()].fill(M::Word::FULL),
                    false => results.decided[Loss.index()] = lost_at(decided, slab, words)?,
                }
                let scratch = outside.scratch();
                let due = match outside.scores(side, slab)? {
                    Scores::Bytes(scores) => due_in_slab(scratch, &scores, &results, self.width)?,
                    Scores::Words(scores) => due_in_slab(scratch, &scores, &results, self.width)?,
                };
                let (numbers, parts) = due.iter().copied().unzip();
                outside.scratch().record(key, &Record { numbers, parts })?;
                Ok(due)
            };
            let parts: Vec<Vec<(u32, Part)>> = parallel::try_map(outside.slabs(), of_slab)?;
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
    scratch: &Scratch,
    scores: &[S],
    results: &Values<W>,
    width: Width,
) -> io::Result<Vec<(u32, Part)>> {
    let due = width.run(AllDue { scores, results }).into_iter();
    let due = (0..).zip(due).filter(|(_, words)| !words.is_empty());
    let put = |(ply, words): (u32, Vec<(usize, W)>)| {
        let words = words.into_iter();
        Ok((ply, scratch.put(&encoded(words))?))
    };
    due.map(put).collect()
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
    moves: M,
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
    for winner in [0, 1] {
        let (decided, mates) = (&mut decided[winner], &mut mates[winner]);
        let end = match (winner, exchange) {
            (1, Some(_)) => DIRECT,
            _ => u32::MAX,
        };
        chain.winner = winner;
        stalemated[1 - winner] = chain.begin(end, limits.draw, decided)?;
        if outside.has_scores() && end == u32::MAX {
            chain.mates(decided, mates)?;
        }
    }
    if let Some(exchange) = exchange {
        let (scratch, slab) = (outside.scratch(), outside.slab());
        let mut images = Exchanged::new(exchange, scratch, slab, &mut chain.spare, watch);
        for (number, direct, [white, black]) in [(0, DIRECT, &mut decided), (2, 0, &mut mates)] {
            images.add_after(number, direct, &white.won, &mut black.won)?;
            images.add_after(number + 1, direct, &white.lost, &mut black.lost)?;
        }
    }
    drop(chain);
    Ok(Chains::new(outside, limits, decided, stalemated, mates))
}
