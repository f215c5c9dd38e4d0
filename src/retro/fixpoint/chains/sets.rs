//! The five sets of a chain, and what is done with all of one at once.

use std::io;

use crate::game::Bits;
use crate::retro::words::Words;

/// One of the five sets of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainSet {
    /// Legal positions of the winner that are not won: what the loser looks for before he gives up.
    Open,
    /// Positions of the loser that are not lost, in which he has a move, and that no zeroing move
    /// saves for now.
    Losable,
    /// What the newest ply has decided of the winner's positions.
    Won,
    /// The same of the loser's.
    Lost,
    /// What the ply adds to the lost positions, before it is the newest: candidates first. Between
    /// two plies it may be anything.
    Spare,
}

/// Where the sets of a chain are, by slabs of [`Outside`](crate::retro::fixpoint::Outside), and who
/// works on them.
///
/// All sets are empty in the beginning. Sides are numbers, 0 or 1, as everywhere.
pub trait ChainSets: Sync {
    /// Positions that share an address.
    type Word: Bits;

    /// Makes a set what is written to each of its slabs, of which any words may stand there before.
    ///
    /// # Errors
    ///
    /// What `make` says, or if whoever has the sets fails.
    fn fill(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize, &mut [Self::Word]) -> io::Result<()> + Sync,
    ) -> io::Result<()>;

    /// Makes a set empty.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn clear(&mut self, set: ChainSet) -> io::Result<()>;

    /// Adds to `Won` or `Spare` what is made of each slab, of that only what may be decided: what
    /// is open or losable.
    ///
    /// # Errors
    ///
    /// Those of [`fill`](Self::fill).
    fn enter_set(
        &mut self,
        set: ChainSet,
        make: impl Fn(usize) -> io::Result<Vec<Self::Word>> + Sync,
    ) -> io::Result<()>;

    /// The same with single words, given slab by slab.
    ///
    /// # Errors
    ///
    /// Those of [`fill`](Self::fill).
    fn enter_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<Self::Word>> + Sync,
    ) -> io::Result<()>;

    /// Adds single words to a set, given slab by slab.
    ///
    /// # Errors
    ///
    /// Those of [`fill`](Self::fill).
    fn add_words(
        &mut self,
        set: ChainSet,
        words: impl Fn(usize) -> io::Result<Words<Self::Word>> + Sync,
    ) -> io::Result<()>;

    /// Hands out each slab of a set as the bytes that `Words` reads.
    ///
    /// # Errors
    ///
    /// What `take` says, or if whoever has the sets fails.
    fn take_encoded<T: Send>(
        &mut self,
        set: ChainSet,
        take: impl Fn(usize, &[u8]) -> io::Result<T> + Sync,
    ) -> io::Result<Vec<T>>;

    /// What is open has been made anew, with a winner.
    ///
    /// # Errors
    ///
    /// If another rank is gone.
    fn tell_open(&mut self, _winner: usize) -> io::Result<()> {
        Ok(())
    }

    /// The newest won and lost positions are known: called before anything is asked about them.
    ///
    /// # Errors
    ///
    /// If another rank is gone, or whoever has the sets fails.
    fn tell_newest(&mut self, winner: usize) -> io::Result<()>;

    /// Makes `Won` what is open and has a quiet move into the newest lost positions.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn find_won(&mut self, winner: usize) -> io::Result<()>;

    /// Whether so much is newly won that candidates need not be found first.
    fn is_much_won(&self) -> bool;

    /// Makes `Spare` what is losable and has no quiet move into what is open, and takes that away
    /// from `Losable`.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn find_all_lost(&mut self, loser: usize) -> io::Result<()>;

    /// Makes `Spare` what is losable and has a quiet move into the newest won positions.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn find_candidates(&mut self, loser: usize) -> io::Result<()>;

    /// Takes away from `Spare` what has a quiet move into what is open, and what is left from
    /// `Losable`.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn find_lost(&mut self, loser: usize) -> io::Result<()>;

    /// Makes `Spare` the newest lost positions. What is newly won is not open any more.
    ///
    /// # Errors
    ///
    /// If whoever has the sets fails.
    fn end_ply(&mut self) -> io::Result<()>;

    /// Words of the newest won and lost positions that are not empty.
    fn newest_words(&self) -> usize;

    /// The least of what all ranks have, of those that have any.
    ///
    /// # Errors
    ///
    /// If another rank is gone.
    fn least(&self, own: Option<u32>) -> io::Result<Option<u32>> {
        Ok(own)
    }
}
