//! The second engine: one winner at a time, plies instead of values, and nothing else at hand.
//!
//! What one side wins and the other loses is a chain: newly lost positions make won ones a ply
//! later, and these make lost ones. The chain in which the other side wins reads nothing of it,
//! since a position that its mover wins has always a move out of what his opponent wins. So one
//! chain at a time needs five sets, where both together with their values take a multiple. What is
//! fixed from outside is read from [`Outside`] when its ply comes; what a ply decides goes to
//! [`Plies`], and values are made from these slab by slab.

mod in_memory;
mod sets;

use std::io;

use super::decided::{Chains, Decided, lost_at};
use super::due::AllDue;
use super::exchange::{ColorExchange, Exchanged};
use super::outside::Outside;
use super::{Distance, Limits, Unsolved, Values, Watch};
use crate::game::Bits;
use crate::metric::{Plies as Number, Wdl};
use crate::parallel;
use crate::retro::quiet::SharedMoves;
use crate::retro::score::{Score, Scores};
use crate::retro::words::{Words, encoded};
use crate::simd::Width;
use crate::store::{Part, Record, RecordKind, Scratch};

pub use in_memory::SetsInMemory;
pub use sets::{ChainSet, ChainSets};

use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// The first ply.
const FIRST: u32 = 1;

/// What zeroing moves save, from the first ply on.
const SAVING_AT_ONCE: [Wdl; 4] = [BlessedLoss, Draw, CursedWin, Win];

/// What they save after as many plies as the fifty-move rule allows.
const SAVING_LATER: [Wdl; 3] = [Draw, CursedWin, Win];

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

/// The next ply of distances to mate: without anything new, one at which a zeroing move comes into
/// play.
fn next_of_mates(
    noted: Option<Noted>,
    due: &Decided,
    sets: &impl ChainSets,
) -> io::Result<Option<u32>> {
    match noted {
        None => Ok(Some(FIRST)),
        Some(Noted { ply, is_idle: true }) => {
            let next = [&due.won, &due.lost].map(|due| due.next(ply + 1));
            sets.least(next.into_iter().flatten().min())
        }
        Some(Noted { ply, .. }) => Ok(Some(ply + 1)),
    }
}

/// What a ply decided, by slabs, as it is recorded: how many slabs have won positions, the slabs of
/// all parts, and these.
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

/// What has been found of both chains: all of it is in the scratch file, so that whoever has the
/// sets can go on with it.
#[derive(Debug)]
pub struct Found {
    /// By winner.
    chains: [FoundChain; 2],
    /// The stalemated positions of each side, by slabs.
    stalemated: [Vec<Part>; 2],
}

/// What has been found of one chain.
#[derive(Debug)]
struct FoundChain {
    /// Results and distances to zeroing.
    decided: Decided,
    /// Distances to mate.
    mates: Decided,
    /// The last ply of either.
    noted: [Option<Noted>; 2],
}

impl Found {
    /// What the scratch file recalls.
    #[must_use]
    pub fn recall<W: Bits>(outside: &Outside<W>) -> Found {
        let mut stalemated = [Vec::new(), Vec::new()];
        let chains = [0, 1].map(|winner| {
            let mut chain = FoundChain {
                decided: Decided::new(outside),
                mates: Decided::new(outside),
                noted: [None; 2],
            };
            let key = RecordKind::WithoutMoves.of([winner, 0, 0]);
            let recalled = outside.scratch().recall(key);
            let parts = recalled.map(|record| record.parts.as_chunks::<2>().0.to_vec());
            let Some(parts) = parts.filter(|parts| parts.len() == outside.slabs()) else {
                return chain;
            };
            stalemated[1 - winner] = keep_without_moves(&parts, &mut chain.decided);
            chain.noted = [
                recall_plies(outside, RecordKind::Zeroing, winner, &mut chain.decided),
                recall_plies(outside, RecordKind::Mates, winner, &mut chain.mates),
            ];
            chain
        });
        Found { chains, stalemated }
    }

    /// A slice that is solved.
    #[must_use]
    pub fn into_chains<W: Bits>(self, outside: Outside<W>, limits: Limits) -> Chains<W> {
        let [white, black] = self.chains;
        let decided = [white.decided, black.decided];
        let mates = [white.mates, black.mates];
        Chains::new(outside, limits, decided, self.stalemated, mates)
    }
}

/// A run of one chain.
struct Chain<'a, S: ChainSets> {
    sets: S,
    outside: &'a Outside<S::Word>,
    width: Width,
    watch: Watch<'a>,
    winner: usize,
}

/// Keeps where the mated positions of each slab are, and returns where the stalemated ones are.
fn keep_without_moves(parts: &[[Part; 2]], decided: &mut Decided) -> Vec<Part> {
    for (slab, &[mated, _]) in parts.iter().enumerate() {
        decided.lost.insert(0, slab, mated);
    }
    parts.iter().map(|&[_, stalemated]| stalemated).collect()
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

impl<S: ChainSets> Chain<'_, S> {
    fn loser(&self) -> usize {
        1 - self.winner
    }

    /// Nothing is won yet but what plies have decided, and there are no newest positions.
    fn restart(&mut self, decided: Option<&Decided>) -> io::Result<()> {
        let (outside, winner) = (self.outside, self.winner);
        self.sets.clear(ChainSet::Won)?;
        self.sets.clear(ChainSet::Lost)?;
        self.sets.fill(ChainSet::Open, |slab, words| {
            words.copy_from_slice(&outside.legal(winner, slab)?);
            for won in decided.iter().flat_map(|decided| decided.won.all(slab)) {
                take_away(words, won?.1);
            }
            Ok(())
        })?;
        self.sets.tell_open(winner)
    }

    /// Goes on after a ply, when plies up to it have decided something.
    fn go_on(&mut self, decided: &Decided, ply: u32) -> io::Result<()> {
        self.restart(Some(decided))?;
        for (set, plies) in [
            (ChainSet::Won, &decided.won),
            (ChainSet::Lost, &decided.lost),
        ] {
            self.sets.add_words(set, |slab| plies.words(ply, slab))?;
        }
        self.sets.tell_newest(self.winner)
    }

    /// Says which positions of the loser are losable in the beginning, puts his mated positions
    /// away, and his stalemated ones apart.
    fn without_moves(&mut self, decided: &mut Decided) -> io::Result<Vec<Part>> {
        let (outside, loser) = (self.outside, self.loser());
        self.sets.fill(ChainSet::Losable, |slab, words| {
            outside.copy_unsaved(loser, slab, &SAVING_AT_ONCE, words)
        })?;
        // Nothing is won yet, so what these are is without a quiet move.
        self.sets.find_all_lost(loser)?;
        let stuck = self.sets.take_encoded(ChainSet::Spare, |slab, stuck| {
            if stuck.is_empty() {
                return Ok(([Part::default(); 2], Part::default()));
            }
            let in_check = outside.in_check(loser, slab)?;
            let zeroing = outside.zeroing(loser, slab, &[Loss])?;
            let put = |choose: &dyn Fn(usize) -> S::Word| {
                let words = Words::of(stuck, in_check.len());
                let words = words.map(|(at, word): (usize, S::Word)| (at, word & choose(at)));
                let words = words.filter(|(_, word)| !word.is_empty());
                outside.scratch().put(&encoded(words))
            };
            let without_moves = [
                put(&|at| in_check[at] & !zeroing[at])?,
                put(&|at| !in_check[at] & !zeroing[at])?,
            ];
            Ok((without_moves, put(&|at| zeroing[at])?))
        })?;
        let (parts, zeroing): (Vec<[Part; 2]>, Vec<Part>) = stuck.into_iter().unzip();
        // What has zeroing moves stays losable.
        self.sets.add_words(ChainSet::Losable, |slab| {
            let len = outside.addresses(slab).len();
            Words::new(outside.scratch(), zeroing[slab], len)
        })?;
        let record = Record {
            numbers: Vec::new(),
            parts: parts.as_flattened().to_vec(),
        };
        let key = RecordKind::WithoutMoves.of([self.winner, 0, 0]);
        outside.scratch().record(key, &record)?;
        Ok(keep_without_moves(&parts, decided))
    }

    /// Results and distances to zeroing up to ply `end`, after what was found before.
    fn begin(&mut self, end: u32, limit: Number, found: &mut Found) -> Result<(), Unsolved> {
        let loser = self.loser();
        let chain = &mut found.chains[self.winner];
        let stalemated = &mut found.stalemated[loser];
        if stalemated.is_empty() {
            self.restart(None)?;
            *stalemated = self.without_moves(&mut chain.decided)?;
            self.begin_with_mated(&chain.decided)?;
            return self.zeroing((limit, end), Some(FIRST), stalemated, chain);
        }
        let noted = chain.noted[0];
        let ply = noted.map_or(0, |noted| noted.ply);
        self.watch.goes_on(Distance::Zeroing, ply);
        let next = self.next_of_results(noted, limit)?;
        if next.is_some_and(|next| next <= end) {
            self.go_on(&chain.decided, ply)?;
            self.zeroing((limit, end), None, stalemated, chain)?;
        }
        Ok(())
    }

    /// The mated positions of the loser are the newest lost ones.
    fn begin_with_mated(&mut self, decided: &Decided) -> io::Result<()> {
        let mated = |slab: usize| decided.lost.words(0, slab);
        self.sets.add_words(ChainSet::Lost, mated)?;
        self.sets.tell_newest(self.winner)
    }

    /// Adds what zeroing moves decide of what may be decided.
    fn enter(&mut self, side: usize, entries: Entries<'_>) -> io::Result<()> {
        let (outside, is_winner) = (self.outside, side == self.winner);
        let set = match is_winner {
            true => ChainSet::Won,
            false => ChainSet::Spare,
        };
        match entries {
            Entries::None => Ok(()),
            Entries::Zeroing(winning, losing) => {
                let value = if is_winner { winning } else { losing };
                let entering = |slab: usize| outside.zeroing(side, slab, &[value]);
                self.sets.enter_set(set, entering)
            }
            Entries::Due(due, ply) => {
                let due = if is_winner { &due.won } else { &due.lost };
                self.sets.enter_words(set, |slab| due.words(ply, slab))
            }
        }
    }

    /// One ply.
    fn ply(&mut self, entries: Entries<'_>) -> io::Result<()> {
        let winner = self.winner;
        // The loser first: where he may go is what was open when the newest ply ended. Then the
        // newest won positions have had their say, and their place is for those of this ply.
        self.lose(entries)?;
        self.sets.find_won(winner)?;
        self.enter(winner, entries)?;
        self.sets.end_ply()?;
        self.sets.tell_newest(winner)
    }

    /// Finds the positions of the loser that have no move out of what is won since the newest ply.
    fn lose(&mut self, entries: Entries<'_>) -> io::Result<()> {
        let loser = self.loser();
        if self.sets.is_much_won() {
            // Whatever had no move out of what was won before is lost already. So what has none now
            // has a move into the newest layer, or a zeroing move that decides it at this ply: it
            // need not be a candidate first, which saves a sweep.
            return self.sets.find_all_lost(loser);
        }
        self.sets.find_candidates(loser)?;
        self.enter(loser, entries)?;
        self.sets.find_lost(loser)
    }

    /// Puts away what the newest ply has decided, even if that is nothing.
    fn note(&mut self, kind: RecordKind, ply: u32, decided: &mut Decided) -> io::Result<Noted> {
        let scratch = self.outside.scratch();
        let mut put = |set| self.sets.take_encoded(set, |_, bytes| scratch.put(bytes));
        let (won, lost) = (put(ChainSet::Won)?, put(ChainSet::Lost)?);
        let key = kind.of([self.winner, ply as usize, 0]);
        scratch.record(key, &of_ply(&won, &lost))?;
        decided.insert(ply, won, lost);
        Ok(Noted {
            ply,
            is_idle: self.sets.newest_words() == 0,
        })
    }

    /// Whether to stop before another ply.
    fn check(&self) -> Result<(), Unsolved> {
        match self.watch.is_cancelled() {
            true => Err(Unsolved::Cancelled),
            false => Ok(()),
        }
    }

    /// The ply that comes next. Without anything new that is the one at which the fifty-move rule
    /// has its say, if zeroing moves that win or lose but for it are there: otherwise nothing more
    /// is saved or decided.
    fn next_of_results(&self, noted: Option<Noted>, limit: Number) -> io::Result<Option<u32>> {
        match noted {
            None => Ok(Some(FIRST)),
            Some(Noted { ply, is_idle }) => match (is_idle, ply <= limit.0) {
                (false, _) => Ok(Some(ply + 1)),
                (true, true) => {
                    let outside = self.outside;
                    let is_said = outside.has_zeroing(self.winner, CursedWin)
                        || outside.has_zeroing(self.loser(), BlessedLoss);
                    self.sets.least(is_said.then_some(limit.0 + 1))
                }
                (true, false) => Ok(None),
            },
        }
    }

    /// Results and distances to zeroing after what is noted. Zeroing moves enter twice: at once
    /// those that keep the result under the rule, and after `limit` plies those that win or lose
    /// but for it. Ends after ply `end` if not before. `begun` is the ply for which it was said last
    /// what zeroing moves save.
    fn zeroing(
        &mut self,
        (limit, end): (Number, u32),
        mut begun: Option<u32>,
        stalemated: &[Part],
        chain: &mut FoundChain,
    ) -> Result<(), Unsolved> {
        let FoundChain {
            decided,
            noted: [noted, _],
            ..
        } = chain;
        while let Some(ply) = self.next_of_results(*noted, limit)? {
            if ply > end {
                break;
            }
            self.check()?;
            let (first, entering, saving) = match ply <= limit.0 {
                true => (FIRST, Entries::Zeroing(Win, Loss), &SAVING_AT_ONCE[..]),
                false => (
                    limit.0 + 1,
                    Entries::Zeroing(CursedWin, BlessedLoss),
                    &SAVING_LATER[..],
                ),
            };
            match begun.replace(first) {
                None => self.say_what_is_losable(saving, stalemated, decided)?,
                Some(before) if before != first => self.add_blessed()?,
                Some(_) => {}
            }
            let entering = match ply == first {
                true => entering,
                false => Entries::None,
            };
            self.ply(entering)?;
            *noted = Some(self.note(RecordKind::Zeroing, ply, decided)?);
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
        self.sets.fill(ChainSet::Losable, |slab, words| {
            outside.copy_unsaved(loser, slab, saving, words)?;
            let len = words.len();
            take_away(words, Words::new(outside.scratch(), stalemated[slab], len)?);
            for lost in lost.all(slab) {
                take_away(words, lost?.1);
            }
            Ok(())
        })
    }

    /// Adds to what is losable what was saved until now by zeroing moves that lose but for the
    /// fifty-move rule. Nothing of that is lost yet, as it was not losable.
    fn add_blessed(&mut self) -> io::Result<()> {
        let (outside, loser) = (self.outside, self.loser());
        if !outside.has_zeroing(loser, BlessedLoss) {
            return Ok(());
        }
        self.sets.add_words(ChainSet::Losable, |slab| {
            let blessed = outside.zeroing(loser, slab, &[BlessedLoss])?;
            let saved = outside.zeroing(loser, slab, &SAVING_LATER)?;
            let words = blessed
                .iter()
                .zip(saved)
                .map(|(&word, saved)| word & !saved);
            let words = words.enumerate().filter(|(_, word)| !word.is_empty());
            Ok(Words::of(encoded(words), blessed.len()))
        })
    }

    /// Distances to mate after those that were found before, of which zeroing moves come into play
    /// at their plies.
    fn mates(&mut self, chain: &mut FoundChain) -> Result<(), Unsolved> {
        let (outside, loser) = (self.outside, self.loser());
        let FoundChain {
            decided,
            mates,
            noted: [_, noted],
        } = chain;
        let due = self.due(decided)?;
        if let Some(Noted { ply, .. }) = noted {
            self.watch.goes_on(Distance::Mate, *ply);
        }
        if next_of_mates(*noted, &due, &self.sets)?.is_none() {
            return Ok(());
        }
        match noted {
            Some(Noted { ply, .. }) => self.go_on(mates, *ply)?,
            None => {
                self.restart(None)?;
                self.begin_with_mated(decided)?;
            }
        }
        let done = noted.map_or(0, |noted| noted.ply);
        self.sets.fill(ChainSet::Losable, |slab, words| {
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
        while let Some(ply) = next_of_mates(*noted, &due, &self.sets)? {
            self.check()?;
            let waited = |slab: usize| due.lost.words(ply, slab);
            self.sets.add_words(ChainSet::Losable, waited)?;
            self.ply(Entries::Due(&due, ply))?;
            *noted = Some(self.note(RecordKind::Mates, ply, mates)?);
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
                let mut results = Values::<S::Word>::undecided(words);
                match side == self.winner {
                    // What a zeroing move wins is won.
                    true => results.decided[Win.index()].fill(S::Word::FULL),
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

/// Plies of the second chain that are made as those of the first, although they are its images,
/// where what Black wins is wanted: half of all that is won is won at once, by one sweep.
const DIRECT: u32 = 1;

/// Numbers of images: of what is won and of what is lost, the same to mate, and of stalemates.
const WON: usize = 0;
const LOST: usize = 1;
const TO_MATE: usize = 2;
const STALEMATED: usize = 4;

/// How a slice is solved.
#[derive(Clone, Copy, Debug)]
pub struct ChainOptions<'a> {
    /// What a slice is solved with.
    pub limits: Limits,
    /// How wide the registers are. Nothing depends on it.
    pub width: Width,
    /// Who watches and may stop it.
    pub watch: Watch<'a>,
}

/// Runs the first chain, and the second one up to a ply of results if one is given, and hands the
/// sets back.
fn run_chains<S: ChainSets>(
    sets: S,
    outside: &Outside<S::Word>,
    end_of_second: Option<u32>,
    options: ChainOptions<'_>,
    found: &mut Found,
) -> Result<S, Unsolved> {
    let mut chain = Chain {
        sets,
        outside,
        width: options.width,
        watch: options.watch,
        winner: 0,
    };
    let second = end_of_second.map(|end| (1, end));
    for (winner, end) in [(0, u32::MAX)].into_iter().chain(second) {
        chain.winner = winner;
        chain.begin(end, options.limits.draw, found)?;
        if outside.has_scores() && end == u32::MAX {
            chain.mates(&mut found.chains[winner])?;
        }
    }
    Ok(chain.sets)
}

/// Solves a slice, one chain after the other, as far as that was not done before; the values are
/// those of [`solve`](super::solve).
///
/// # Errors
///
/// If the scratch file cannot be used, whoever has the sets fails, or the caller cancelled. What
/// was found stays.
pub fn solve_chains<S: ChainSets>(
    sets: S,
    outside: &Outside<S::Word>,
    options: ChainOptions<'_>,
    found: &mut Found,
) -> Result<(), Unsolved> {
    run_chains(sets, outside, Some(u32::MAX), options, found)?;
    Ok(())
}

/// The same for a slice that is its own image with the colors exchanged, which takes little more
/// than one chain. What Black wins is left out where `both_sides` does not ask for it; what White
/// loses is not.
///
/// # Errors
///
/// Those of [`solve_chains`].
pub fn solve_symmetric_chains<M: SharedMoves>(
    sets: SetsInMemory<M>,
    outside: &Outside<M::Word>,
    (exchange, both_sides): (&impl ColorExchange<M::Word>, bool),
    options: ChainOptions<'_>,
    found: &mut Found,
) -> Result<(), Unsolved> {
    let direct = both_sides.then_some(DIRECT);
    let sets = run_chains(sets, outside, direct, options, found)?;
    let mut layer = sets.into_layer();
    let (scratch, slab) = (outside.scratch(), outside.slab());
    let mut images = Exchanged::new(exchange, scratch, slab, &mut layer, options.watch);
    let Found { chains, stalemated } = found;
    let [white, black] = chains;
    // Without any ply of its own the second chain knows of neither mates nor stalemates yet.
    let first = direct.map_or(0, |direct| direct + 1);
    if direct.is_none() {
        stalemated[0] = images.recorded_images((STALEMATED, 0), &stalemated[1])?;
    }
    let decided = (&white.decided, &mut black.decided);
    let mates = (&white.mates, &mut black.mates);
    for (number, first, (white, black)) in [(0, first, decided), (TO_MATE, 0, mates)] {
        if both_sides {
            images.add_from(number + WON, first, &white.won, &mut black.won)?;
        }
        images.add_from(number + LOST, first, &white.lost, &mut black.lost)?;
    }
    Ok(())
}
