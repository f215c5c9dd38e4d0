//! The sets of a chain in the memory of a graphics card.
//!
//! A thread for each word finds what has a move by looking where each man can go; where most words
//! are empty, what can move there is found from the others. Sets stay on the card. What a ply
//! decides comes back as the bytes that are put away, and what is fixed from outside goes there
//! slab by slab. So the processor makes what is fixed, keeps what was decided, and writes: the rest
//! of a generation knows nothing of cards.

#[cfg(all(test, unix))]
mod tests;

mod table;

use std::io;
use std::ops::Range;

use super::board::ChessBoard;
use super::space::Space;
use crate::card::{ARGUMENTS, Buffer, Card, CardError, Kernel, WARP};
use crate::game::Bits;
use crate::parallel;
use crate::retro::fixpoint::{ChainSet, ChainSets, Outside, is_much_won};
use crate::retro::words::Words;

/// Words of a row: what one bit of a mask each stands for.
const ROW: usize = 64;

/// Below one newest word in this many, those are gone out from, instead of all that may be decided.
const FEW: usize = 64;

/// Bytes that go to the card or come from it together, at most.
const WINDOW: usize = 64 << 20;

/// The most bytes of an encoded word: five say how far it is from the one before, and nine what is
/// in it.
const ENCODED_BYTES: usize = 14;

/// Bytes of the card's memory for each word: five sets.
const WORD_BYTES: usize = 5 * 8;
/// The same for each row: of the newest won and lost words which are not empty, and how many bytes
/// they take.
const ROW_BYTES: usize = 2 * (8 + 4);
/// The same for each slab: words and bytes of both, and where what is in the window begins.
const SLAB_BYTES: usize = 2 * 16 + 8;

/// Five sets on a card, and the moves between them.
#[derive(Debug)]
pub(super) struct CardSets<'a> {
    card: &'a dyn Card,
    words: usize,
    /// Words of a slab.
    slab: usize,
    /// The moves of each side.
    tables: [Buffer<'a>; 2],
    open: Buffer<'a>,
    losable: Buffer<'a>,
    won: Buffer<'a>,
    lost: Buffer<'a>,
    spare: Buffer<'a>,
    /// Of the newest won and lost positions.
    measures: [Measure<'a>; 2],
    /// What goes to the card or comes from it.
    window: Buffer<'a>,
    /// Where what is in the window begins, by slabs.
    starts: Buffer<'a>,
    /// Room for what the window has, which is kept: the system takes longer to give memory than to
    /// copy.
    room: Vec<u8>,
}

/// Where the words of a set are when it is encoded.
#[derive(Debug)]
struct Measure<'a> {
    masks: Buffer<'a>,
    /// Bytes of each row, then where they begin in their slab.
    lengths: Buffer<'a>,
    /// On the card, words and bytes of each slab.
    sums: Buffer<'a>,
    /// The same here.
    slabs: Vec<[u64; 2]>,
}

impl<'a> Measure<'a> {
    fn new(card: &'a dyn Card, rows: usize, slabs: usize) -> Result<Measure<'a>, CardError> {
        Ok(Measure {
            masks: Buffer::zeros(card, rows * 8)?,
            lengths: Buffer::zeros(card, rows * 4)?,
            sums: Buffer::zeros(card, slabs * 16)?,
            slabs: vec![[0; 2]; slabs],
        })
    }

    /// Words that are not empty.
    fn words(&self) -> usize {
        self.slabs.iter().map(|&[words, _]| words as usize).sum()
    }
}

/// Slabs of so many bytes each, in groups of as many bytes as the window has room for: their
/// numbers.
fn in_windows(bytes: &[usize], room: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut filled = 0;
    for (slab, &bytes) in bytes.iter().enumerate() {
        match windows.last_mut() {
            Some(window) if filled + bytes <= room => {
                window.end = slab + 1;
                filled += bytes;
            }
            _ => {
                windows.push(slab..slab + 1);
                filled = bytes;
            }
        }
    }
    windows
}

/// Where each of some parts begins that lie one after the other, and where the last ends.
fn begins(bytes: &[usize]) -> Vec<u64> {
    let mut at = 0;
    let ends = bytes.iter().map(|&bytes| {
        at += bytes as u64;
        at
    });
    std::iter::once(0).chain(ends).collect()
}

impl<'a> CardSets<'a> {
    /// Empty sets of the positions of a space.
    ///
    /// # Errors
    ///
    /// If the card has too little memory, or fails.
    pub fn new(
        card: &'a dyn Card,
        space: &Space<ChessBoard>,
        outside: &Outside<u64>,
    ) -> Result<CardSets<'a>, CardError> {
        let (words, slabs) = (space.words, outside.slabs());
        let slab = outside.addresses(0).len().next_multiple_of(ROW);
        let rows = words.div_ceil(ROW);
        let window = WINDOW
            .min(words * ENCODED_BYTES)
            .max(slab * ENCODED_BYTES)
            .next_multiple_of(8);
        let sets = words * WORD_BYTES + rows * ROW_BYTES + slabs * SLAB_BYTES;
        let needed = (sets + window) as u64;
        let free = card.free_bytes()?;
        if needed > free {
            return Err(CardError::TooLittleMemory { needed, free });
        }
        let table = |side: usize| {
            let table = table::table(space, side).ok_or(CardError::UnknownBoard)?;
            let buffer = Buffer::zeros(card, table.len())?;
            buffer.write(0, &table)?;
            Ok(buffer)
        };
        let set = || Buffer::zeros(card, words * 8);
        let measure = || Measure::new(card, rows, slabs);
        Ok(CardSets {
            card,
            words,
            slab,
            tables: [table(0)?, table(1)?],
            open: set()?,
            losable: set()?,
            won: set()?,
            lost: set()?,
            spare: set()?,
            measures: [measure()?, measure()?],
            window: Buffer::zeros(card, window)?,
            starts: Buffer::zeros(card, (slabs + 1) * 8)?,
            room: Vec::new(),
        })
    }

    fn slabs(&self) -> usize {
        self.words.div_ceil(self.slab)
    }

    /// The addresses of a slab.
    fn addresses(&self, slab: usize) -> Range<usize> {
        let start = slab * self.slab;
        start..self.words.min(start + self.slab)
    }

    fn buffer(&self, set: ChainSet) -> &Buffer<'a> {
        match set {
            ChainSet::Open => &self.open,
            ChainSet::Losable => &self.losable,
            ChainSet::Won => &self.won,
            ChainSet::Lost => &self.lost,
            ChainSet::Spare => &self.spare,
        }
    }

    /// What a set may have at most.
    fn may_be(&self, set: ChainSet) -> &Buffer<'a> {
        match set {
            ChainSet::Lost | ChainSet::Spare | ChainSet::Losable => &self.losable,
            ChainSet::Won | ChainSet::Open => &self.open,
        }
    }

    /// Runs a kernel that has a side's moves, for every word: into which set, among which one, and
    /// where to.
    fn sweep(
        &self,
        kernel: Kernel,
        side: usize,
        [into, among, target]: [&Buffer<'_>; 3],
    ) -> Result<(), CardError> {
        let table = &self.tables[side];
        let buffers = [table, into, among, target].map(Buffer::address);
        self.run(kernel, self.words, &buffers)
    }

    fn run(&self, kernel: Kernel, threads: usize, arguments: &[u64]) -> Result<(), CardError> {
        let mut all = [0; ARGUMENTS];
        all[..arguments.len()].copy_from_slice(arguments);
        self.card.run(kernel, threads, all)
    }

    /// Finds the positions of a side that may be decided and have a move into the newest words, of
    /// which so many are not empty.
    fn reach(&self, side: usize, used: usize, buffers: [&Buffer<'_>; 3]) -> io::Result<()> {
        match used {
            0 => {}
            few if few * FEW < self.words => self.sweep(Kernel::Push, side, buffers)?,
            _ => self.sweep(Kernel::Reach, side, buffers)?,
        }
        Ok(())
    }

    /// Takes the words of one set away from another.
    fn take_away(&self, from: &Buffer<'_>, words: &Buffer<'_>) -> Result<(), CardError> {
        let pair = [from, words].map(Buffer::address);
        self.run(Kernel::TakeAway, self.words, &pair)
    }

    /// Finds out where the words of a set are when it is encoded; returns words and bytes of each
    /// slab.
    fn measure(&self, set: &Buffer<'_>, to: &Measure<'_>) -> Result<Vec<[u64; 2]>, CardError> {
        let rows = self.words.div_ceil(ROW);
        let slab_rows = (self.slab / ROW) as u64;
        let [masks, lengths] = [&to.masks, &to.lengths].map(Buffer::address);
        let mask = [set.address(), self.words as u64, masks];
        self.run(Kernel::Mask, rows, &mask)?;
        let measure = [set.address(), slab_rows, masks, lengths];
        self.run(Kernel::Measure, rows, &measure)?;
        let sum = [slab_rows, rows as u64, masks, lengths, to.sums.address()];
        self.run(Kernel::Sum, self.slabs(), &sum)?;
        let sums: Vec<u64> = Bits::from_le_bytes(&to.sums.read(0, self.slabs() * 16)?);
        Ok(sums.as_chunks().0.to_vec())
    }

    /// Encodes some slabs of a set into the window, where those of each begin.
    fn encode(
        &self,
        set: &Buffer<'_>,
        measure: &Measure<'_>,
        slabs: Range<usize>,
        begins: &[u64],
    ) -> Result<(), CardError> {
        self.starts.write(0, &Bits::to_le_bytes(begins))?;
        let first = slabs.start * self.slab;
        let end = self.words.min(slabs.end * self.slab);
        let [set, masks, lengths] = [set, &measure.masks, &measure.lengths].map(Buffer::address);
        let arguments = [
            set,
            (self.slab / ROW) as u64,
            masks,
            lengths,
            self.starts.address(),
            self.window.address(),
            (first / ROW) as u64,
        ];
        let rows = (end - first).div_ceil(ROW);
        self.run(Kernel::Encode, rows, &arguments)
    }

    /// Writes some parts to the window, one after the other, so many bytes.
    fn put_together(&mut self, parts: &[Vec<u8>], all: usize) -> Result<(), CardError> {
        self.room.resize(self.room.len().max(all), 0);
        let mut rest = &mut self.room[..all];
        let places = parts.iter().map(|part| {
            let (place, after) = std::mem::take(&mut rest).split_at_mut(part.len());
            rest = after;
            (place, part)
        });
        let places: Vec<_> = places.collect();
        parallel::try_each_item(places, |_, (place, part)| {
            place.copy_from_slice(part);
            Ok::<(), CardError>(())
        })?;
        self.window.write(0, &self.room[..all])
    }

    /// Adds encoded words to a set, given slab by slab; only those that it may have, if it is so.
    fn add_encoded(
        &mut self,
        set: ChainSet,
        is_limited: bool,
        words: impl Fn(usize) -> io::Result<Words<u64>> + Sync,
    ) -> io::Result<()> {
        let encoded = parallel::try_map(self.slabs(), |slab| {
            Ok::<_, io::Error>(words(slab)?.into_bytes())
        })?;
        let bytes: Vec<usize> = encoded.iter().map(Vec::len).collect();
        for slabs in in_windows(&bytes, self.window.bytes()) {
            let begins = begins(&bytes[slabs.clone()]);
            let all = begins.last().map_or(0, |&end| end as usize);
            if all == 0 {
                continue;
            }
            self.put_together(&encoded[slabs.clone()], all)?;
            self.starts.write(0, &Bits::to_le_bytes(&begins))?;
            let first = slabs.start * self.slab;
            let among = match is_limited {
                true => self.may_be(set).address() + 8 * first as u64,
                false => 0,
            };
            let arguments = [
                self.window.address(),
                self.starts.address(),
                self.slab as u64,
                (self.words - first) as u64,
                among,
                self.buffer(set).address() + 8 * first as u64,
            ];
            self.run(Kernel::AddEncoded, slabs.len() * WARP, &arguments)?;
        }
        Ok(())
    }
}

impl ChainSets for CardSets<'_> {
    type Word = u64;

    fn fill(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize, &mut [u64]) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        parallel::try_each(self.slabs(), |slab| {
            let addresses = self.addresses(slab);
            let mut words = vec![0; addresses.len()];
            make(slab, &mut words)?;
            let bytes = Bits::to_le_bytes(&words);
            Ok(self.buffer(set).write(addresses.start * 8, &bytes)?)
        })
    }

    fn clear(&mut self, set: ChainSet) -> io::Result<()> {
        Ok(self.buffer(set).clear()?)
    }

    fn enter_set(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize) -> io::Result<Vec<u64>> + Sync,
    ) -> io::Result<()> {
        let bytes: Vec<usize> = (0..self.slabs())
            .map(|slab| self.addresses(slab).len() * 8)
            .collect();
        for slabs in in_windows(&bytes, self.window.bytes()) {
            let first = slabs.start * self.slab;
            parallel::try_each(slabs.len(), |number| {
                let words = make(slabs.start + number)?;
                let offset = number * self.slab * 8;
                Ok::<(), io::Error>(self.window.write(offset, &Bits::to_le_bytes(&words))?)
            })?;
            let at = 8 * first as u64;
            let among = self.may_be(set).address() + at;
            let arguments = [
                self.window.address(),
                among,
                self.buffer(set).address() + at,
            ];
            let words = self.words.min(slabs.end * self.slab) - first;
            self.run(Kernel::AddSet, words, &arguments)?;
        }
        Ok(())
    }

    fn enter_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<u64>> + Sync,
    ) -> io::Result<()> {
        self.add_encoded(set, true, words)
    }

    fn add_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<u64>> + Sync,
    ) -> io::Result<()> {
        self.add_encoded(set, false, words)
    }

    fn take_encoded<T: Send>(
        &mut self,
        set: ChainSet,
        take: impl Fn(usize, &[u8]) -> io::Result<T> + Sync,
    ) -> io::Result<Vec<T>> {
        let measured;
        let (measure, sums) = match set {
            ChainSet::Won => (&self.measures[0], &self.measures[0].slabs),
            ChainSet::Lost => (&self.measures[1], &self.measures[1].slabs),
            // Nothing is newly won where this is asked.
            other => {
                measured = self.measure(self.buffer(other), &self.measures[0])?;
                (&self.measures[0], &measured)
            }
        };
        let bytes: Vec<usize> = sums.iter().map(|&[_, bytes]| bytes as usize).collect();
        let mut taken = Vec::new();
        let mut room = std::mem::take(&mut self.room);
        for slabs in in_windows(&bytes, self.window.bytes()) {
            let begins = begins(&bytes[slabs.clone()]);
            let all = begins.last().map_or(0, |&end| end as usize);
            if all > 0 {
                self.encode(self.buffer(set), measure, slabs.clone(), &begins)?;
                room.resize(room.len().max(all), 0);
                self.window.read_into(0, &mut room[..all])?;
            }
            taken.extend(parallel::try_map(slabs.len(), |number| {
                let own = begins[number] as usize..begins[number + 1] as usize;
                take(slabs.start + number, &room[own])
            })?);
        }
        self.room = room;
        Ok(taken)
    }

    fn tell_newest(&mut self, _winner: usize) -> io::Result<()> {
        for (number, set) in [ChainSet::Won, ChainSet::Lost].into_iter().enumerate() {
            let slabs = self.measure(self.buffer(set), &self.measures[number])?;
            self.measures[number].slabs = slabs;
        }
        Ok(())
    }

    fn find_won(&mut self, winner: usize) -> io::Result<()> {
        let used = self.measures[1].words();
        self.won.clear()?;
        self.reach(winner, used, [&self.lost, &self.open, &self.won])
    }

    fn is_much_won(&self) -> bool {
        is_much_won(self.measures[0].words(), self.words)
    }

    fn find_all_lost(&mut self, loser: usize) -> io::Result<()> {
        self.spare.clear()?;
        let buffers = [&self.open, &self.losable, &self.spare];
        self.sweep(Kernel::Stay, loser, buffers)?;
        Ok(self.take_away(&self.losable, &self.spare)?)
    }

    fn find_candidates(&mut self, loser: usize) -> io::Result<()> {
        let used = self.measures[0].words();
        self.spare.clear()?;
        self.reach(loser, used, [&self.won, &self.losable, &self.spare])
    }

    fn find_lost(&mut self, loser: usize) -> io::Result<()> {
        let buffers = [&self.open, &self.spare, &self.spare];
        self.sweep(Kernel::Stay, loser, buffers)?;
        Ok(self.take_away(&self.losable, &self.spare)?)
    }

    fn end_ply(&mut self) -> io::Result<()> {
        std::mem::swap(&mut self.lost, &mut self.spare);
        Ok(self.take_away(&self.open, &self.won)?)
    }

    fn newest_words(&self) -> usize {
        self.measures.iter().map(Measure::words).sum()
    }
}
