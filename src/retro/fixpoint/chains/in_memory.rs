//! The sets of a chain in memory, on which all threads work.

use std::convert::Infallible;
use std::io;

use super::sets::{ChainSet, ChainSets};
use crate::game::Bits;
use crate::parallel;
use crate::retro::fixpoint::{Outside, is_much_won};
use crate::retro::layer::{Layer, add_to_slab, large_set, recount_slab, take_away, update_slab};
use crate::retro::quiet::{Among, SharedMoves};
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
type Newest<'a, W> = (&'a mut Layer<W>, &'a mut [W]);

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
    pub(super) fn into_layer(mut self) -> Layer<M::Word> {
        self.spare.clear_slabs(self.slab);
        self.spare
    }

    fn place(&mut self, set: ChainSet) -> SetPlace<'_, M::Word> {
        match set {
            ChainSet::Won => SetPlace::Newest((&mut self.won, &mut self.open)),
            ChainSet::Spare => SetPlace::Newest((&mut self.spare, &mut self.losable)),
            ChainSet::Lost => SetPlace::Newest((&mut self.lost, &mut self.losable)),
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

    /// Makes a set the positions of a side that may be decided and have a quiet move into the newest
    /// layer.
    fn reach(&mut self, side: usize, set: ChainSet) {
        let [won, lost] = self.newest;
        let is_decided = are_decided(set);
        let (layer, used, may_be, reached) = match set {
            ChainSet::Won => (&self.lost, lost, &mut self.open, &mut self.won),
            _ => (&self.won, won, &mut self.losable, &mut self.spare),
        };
        if used > 0 && used * FEW >= self.all_words {
            let among = Among {
                set: may_be,
                is_decided,
            };
            self.moves
                .reach_shared(side, layer, among, reached, self.width);
            return;
        }
        reached.clear_slabs(self.slab);
        if used == 0 {
            return;
        }
        self.moves.push_shared(side, layer, reached);
        let Ok(()) = update_beside(reached, (self.slab, may_be), |_, word, may_be| {
            let found = word & *may_be;
            if is_decided {
                *may_be &= !found;
            }
            found
        });
    }
}

/// Whether what comes into a set is decided at once: what the winner has found is won, what the
/// loser has is a candidate.
fn are_decided(set: ChainSet) -> bool {
    set == ChainSet::Won
}

/// Changes every word of a layer that is not empty, given its address, the word and that of another
/// set there.
fn update_beside<W: Bits>(
    layer: &mut Layer<W>,
    (slab, beside): (usize, &mut [W]),
    change: impl Fn(usize, W, &mut W) -> W + Sync,
) -> Result<(), Infallible> {
    layer.change_slabs_beside(
        (slab, beside),
        || (),
        |(), part| {
            update_slab(part.set, part.active, |address, word| {
                let beside = &mut part.beside[address];
                change(part.number * slab + address, word, beside)
            });
            Ok(())
        },
    )
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
        let is_decided = are_decided(set);
        let (layer, may_be) = self.newest_of(set)?;
        layer.change_slabs_beside(
            (slab, may_be),
            || (),
            |(), slab| {
                let entering = make(slab.number)?;
                let words = slab.set.iter_mut().zip(entering).zip(&*slab.beside);
                for ((word, entering), &may_be) in words {
                    *word |= entering & may_be;
                }
                recount_slab(slab.set, slab.active);
                if is_decided {
                    take_away(slab.beside, slab.set);
                }
                Ok(())
            },
        )
    }

    fn enter_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<M::Word>> + Sync,
    ) -> io::Result<()> {
        let slab = self.slab;
        let is_decided = are_decided(set);
        let (layer, may_be) = self.newest_of(set)?;
        layer.change_slabs_beside(
            (slab, may_be),
            || (),
            |(), slab| {
                let allowed = words(slab.number)?.map(|(at, word)| {
                    let may_be = &mut slab.beside[at];
                    let allowed = word & *may_be;
                    if is_decided {
                        *may_be &= !allowed;
                    }
                    (at, allowed)
                });
                add_to_slab(slab.set, slab.active, allowed);
                Ok(())
            },
        )
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
        self.reach(winner, ChainSet::Won);
        Ok(())
    }

    fn is_much_won(&self) -> bool {
        is_much_won(self.newest[0], self.all_words)
    }

    fn find_all_lost(&mut self, loser: usize) -> io::Result<()> {
        let among = Among {
            set: &mut self.losable,
            is_decided: true,
        };
        self.moves
            .stuck_shared(loser, &self.open, among, &mut self.spare, self.width);
        Ok(())
    }

    fn find_candidates(&mut self, loser: usize) -> io::Result<()> {
        self.reach(loser, ChainSet::Spare);
        Ok(())
    }

    fn find_lost(&mut self, loser: usize) -> io::Result<()> {
        let (moves, open, losable) = (&self.moves, &self.open, &mut self.losable);
        let candidates = &mut self.spare;
        if candidates.len() * FEW_CANDIDATES >= open.len() {
            let among = Among {
                set: losable,
                is_decided: true,
            };
            moves.escape_shared(loser, open, among, candidates, self.width);
            return Ok(());
        }
        let Ok(()) = update_beside(
            candidates,
            (self.slab, losable),
            |address, word, losable| {
                let lost = word & !moves.having_a_move_into_open(loser, address, word, open);
                *losable &= !lost;
                lost
            },
        );
        Ok(())
    }

    fn end_ply(&mut self) -> io::Result<()> {
        // What is decided was taken away where it was found.
        std::mem::swap(&mut self.lost, &mut self.spare);
        Ok(())
    }

    fn newest_words(&self) -> usize {
        self.newest.iter().sum()
    }

    fn least(&self, own: Option<u32>) -> io::Result<Option<u32>> {
        self.moves.least(own)
    }
}
