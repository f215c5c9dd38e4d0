//! The sets of a chain in memory, on which all threads work.

use std::convert::Infallible;
use std::io;

use super::sets::{ChainSet, ChainSets};
use crate::game::Bits;
use crate::parallel;
use crate::retro::fixpoint::{Outside, is_much_won};
use crate::retro::layer::{Layer, add_to_slab, large_set, recount_slab, update_slab};
use crate::retro::quiet::SharedMoves;
use crate::retro::words::{Words, encoded};
use crate::simd::Width;

/// Below one non-empty word in this many, words are pushed one by one instead of sweeping
/// everything. Sets here are far larger than any cache, so each word that is pushed to waits for
/// memory.
const FEW: usize = 200;

/// Below one candidate word in this many, the moves of each are looked at instead of sweeping
/// everything.
const FEW_CANDIDATES: usize = 24;

/// Five sets, and the moves between them.
#[derive(Debug)]
pub struct SetsInMemory<M: SharedMoves> {
    moves: M,
    /// Words of a slab.
    slab: usize,
    /// Words of a set of the whole slice.
    all_words: usize,
    width: Width,
    open: Vec<M::Word>,
    losable: Vec<M::Word>,
    won: Layer<M::Word>,
    lost: Layer<M::Word>,
    spare: Layer<M::Word>,
    /// Words of `won` and of `lost` that are not empty after the newest ply, on all ranks.
    newest: [usize; 2],
}

/// A set of which it is known which words are not empty, and what it may have at most.
type Newest<'a, W> = (&'a mut Layer<W>, &'a [W]);

/// Where a set is.
enum SetPlace<'a, W> {
    Newest(Newest<'a, W>),
    Whole(&'a mut [W]),
}

/// Writes every slab of a set, on all threads.
fn write_slabs<W: Bits>(
    set: &mut [W],
    slab: usize,
    write: impl Fn(usize, &mut [W]) -> io::Result<()> + Sync,
) -> io::Result<()> {
    parallel::try_each_item(set.chunks_mut(slab), write)
}

impl<M: SharedMoves> SetsInMemory<M> {
    /// Empty sets.
    #[must_use]
    pub fn new(moves: M, outside: &Outside<M::Word>, width: Width) -> Self {
        let words = moves.words();
        SetsInMemory {
            all_words: moves.all_words(),
            moves,
            slab: outside.slab(),
            width,
            open: large_set(words),
            losable: large_set(words),
            won: Layer::new(words),
            lost: Layer::new(words),
            spare: Layer::new(words),
            newest: [0; 2],
        }
    }

    /// An empty set for other uses, instead of all these.
    pub(super) fn into_layer(self) -> Layer<M::Word> {
        self.spare
    }

    fn place(&mut self, set: ChainSet) -> SetPlace<'_, M::Word> {
        match set {
            ChainSet::Won => SetPlace::Newest((&mut self.won, &self.open)),
            ChainSet::Spare => SetPlace::Newest((&mut self.spare, &self.open)),
            ChainSet::Lost => SetPlace::Newest((&mut self.lost, &self.losable)),
            ChainSet::Open => SetPlace::Whole(&mut self.open),
            ChainSet::Losable => SetPlace::Whole(&mut self.losable),
        }
    }

    /// A set of newest positions.
    fn newest_of(&mut self, set: ChainSet) -> io::Result<Newest<'_, M::Word>> {
        match self.place(set) {
            SetPlace::Newest(newest) => Ok(newest),
            SetPlace::Whole(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Finds the positions of a side that may be decided and have a quiet move into the newest
    /// layer.
    fn reach(&mut self, side: usize, set: ChainSet) {
        let [won, lost] = self.newest;
        let (layer, used, may_be, reached) = match set {
            ChainSet::Spare => (&self.lost, lost, &self.open, &mut self.spare),
            _ => (&self.won, won, &self.losable, &mut self.lost),
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
        let slab = self.slab;
        let Ok(()) = reached.change_slabs(slab, |number, set, active| {
            let may_be = &may_be[number * slab..][..set.len()];
            update_slab(set, active, |address, word| word & may_be[address]);
            Ok::<(), Infallible>(())
        });
    }
}

impl<M: SharedMoves> ChainSets for SetsInMemory<M> {
    type Word = M::Word;

    fn fill(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize, &mut [M::Word]) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let slab = self.slab;
        match self.place(set) {
            SetPlace::Whole(set) => write_slabs(set, slab, make),
            SetPlace::Newest((layer, _)) => layer.change_slabs(slab, |number, set, active| {
                make(number, set)?;
                recount_slab(set, active);
                Ok(())
            }),
        }
    }

    fn clear(&mut self, set: ChainSet) -> io::Result<()> {
        let slab = self.slab;
        match self.place(set) {
            SetPlace::Whole(set) => set.fill(M::Word::ZERO),
            SetPlace::Newest((layer, _)) => layer.clear_slabs(slab),
        }
        Ok(())
    }

    fn enter_set(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize) -> io::Result<Vec<M::Word>> + Sync,
    ) -> io::Result<()> {
        let slab = self.slab;
        let (layer, may_be) = self.newest_of(set)?;
        layer.change_slabs(slab, |number, set, active| {
            let may_be = &may_be[number * slab..];
            for ((word, entering), &may_be) in set.iter_mut().zip(make(number)?).zip(may_be) {
                *word |= entering & may_be;
            }
            recount_slab(set, active);
            Ok(())
        })
    }

    fn enter_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<M::Word>> + Sync,
    ) -> io::Result<()> {
        let slab = self.slab;
        let (layer, may_be) = self.newest_of(set)?;
        layer.change_slabs(slab, |number, set, active| {
            let may_be = &may_be[number * slab..][..set.len()];
            let allowed = words(number)?.map(|(at, word)| (at, word & may_be[at]));
            add_to_slab(set, active, allowed);
            Ok(())
        })
    }

    fn add_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<M::Word>> + Sync,
    ) -> io::Result<()> {
        let slab = self.slab;
        match self.place(set) {
            SetPlace::Whole(set) => write_slabs(set, slab, |number, set| {
                for (address, word) in words(number)? {
                    set[address] |= word;
                }
                Ok(())
            }),
            SetPlace::Newest((layer, _)) => layer.change_slabs(slab, |number, set, active| {
                add_to_slab(set, active, words(number)?);
                Ok(())
            }),
        }
    }

    fn take_encoded<T: Send>(
        &mut self,
        set: ChainSet,
        take: impl Fn(usize, &[u8]) -> io::Result<T> + Sync,
    ) -> io::Result<Vec<T>> {
        let layer = match set {
            ChainSet::Won => &self.won,
            ChainSet::Lost => &self.lost,
            ChainSet::Spare => &self.spare,
            ChainSet::Open | ChainSet::Losable => return Err(io::ErrorKind::Unsupported.into()),
        };
        let slab = self.slab;
        parallel::try_map(layer.set.len().div_ceil(slab), |number| {
            let addresses = layer.addresses_in(slab, number);
            let words = addresses.map(|at| (at - number * slab, layer.set[at]));
            take(number, &encoded(words))
        })
    }

    fn tell_open(&mut self, winner: usize) -> io::Result<()> {
        self.moves.tell_open(winner, &self.open)
    }

    fn tell_newest(&mut self, winner: usize) -> io::Result<()> {
        self.moves.tell_newest(winner, &self.won)?;
        self.moves.tell_newest(1 - winner, &self.lost)?;
        for (newest, layer) in self.newest.iter_mut().zip([&self.won, &self.lost]) {
            *newest = self.moves.sum(layer.len())?;
        }
        Ok(())
    }

    fn find_won(&mut self, winner: usize) -> io::Result<()> {
        self.reach(winner, ChainSet::Spare);
        Ok(())
    }

    fn is_much_won(&self) -> bool {
        is_much_won(self.newest[0], self.all_words)
    }

    fn find_all_lost(&mut self, loser: usize) -> io::Result<()> {
        let (among, lost) = (&self.losable, &mut self.lost);
        self.moves
            .stuck_shared(loser, &self.open, among, lost, self.width);
        Ok(())
    }

    fn find_candidates(&mut self, loser: usize) -> io::Result<()> {
        self.reach(loser, ChainSet::Lost);
        Ok(())
    }

    fn find_lost(&mut self, loser: usize) -> io::Result<()> {
        let (moves, open, slab) = (&self.moves, &self.open, self.slab);
        let candidates = &mut self.lost;
        if candidates.len() * FEW_CANDIDATES >= open.len() {
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

    fn end_ply(&mut self) -> io::Result<()> {
        let slab = self.slab;
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
        Ok(())
    }

    fn newest_words(&self) -> usize {
        self.newest.iter().sum()
    }

    fn least(&self, own: Option<u32>) -> io::Result<Option<u32>> {
        self.moves.least(own)
    }
}
