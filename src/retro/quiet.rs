//! What the iteration asks of a game: who can move where without leaving the slice.

use std::io;

use super::layer::{Layer, take_away};
use crate::game::Bits;
use crate::simd::Width;

/// The quiet moves between the positions of one slice, as relations between sets.
///
/// One relation is enough, "has a move into", in three forms that differ in what they cost. Moves
/// need not be reversible: nothing asks where moves out of a set lead.
pub trait QuietMoves {
    /// Positions that share an address.
    type Word: Bits;

    /// Number of words of a set.
    fn words(&self) -> usize;

    /// Adds to `from` every position from which `side` has a quiet move into `into`, which holds
    /// legal positions only. Positions that are not legal may be added as well; the caller masks
    /// them out.
    fn sweep(&mut self, side: usize, into: &[Self::Word], from: &mut [Self::Word]);

    /// The same for the positions of a single word.
    fn push(&self, side: usize, address: usize, word: Self::Word, from: &mut Layer<Self::Word>);

    /// The same for all words of a layer.
    #[inline(always)]
    fn push_all(&self, side: usize, into: &Layer<Self::Word>, from: &mut Layer<Self::Word>) {
        for address in into.addresses() {
            self.push(side, address, into.set[address], from);
        }
    }

    /// Those positions of a word from which `side` has a quiet move into a set.
    fn having_a_move_into(
        &self,
        side: usize,
        address: usize,
        word: Self::Word,
        into: &[Self::Word],
    ) -> Self::Word;
}

/// The positions that something is asked about.
#[derive(Debug)]
pub struct Among<'a, W> {
    /// The positions.
    pub set: &'a mut [W],
    /// Whether those that are found are decided, and so not asked about any more.
    pub is_decided: bool,
}

impl<W: Bits> Among<'_, W> {
    /// The same for whoever finds a part only, so that nothing is decided yet.
    pub fn undecided(&mut self) -> Among<'_, W> {
        Among {
            set: self.set,
            is_decided: false,
        }
    }

    /// Takes away what was found, if that is decided.
    pub fn take_away(self, found: &[W]) {
        if self.is_decided {
            take_away(self.set, found);
        }
    }
}

/// Quiet moves that all threads work on together, of a slice or of what one of several ranks has of
/// it.
///
/// A rank cannot see a move out of its words, so it is told what it may reach there:
/// [`tell_open`](Self::tell_open) and [`tell_newest`](Self::tell_newest). All ranks call what can
/// fail here equally often.
pub trait SharedMoves: Sync {
    /// Positions that share an address.
    type Word: Bits;

    /// Number of words of a set.
    fn words(&self) -> usize;

    /// Number of words of a set of the whole slice.
    fn all_words(&self) -> usize {
        self.words()
    }

    /// Makes `reached`, whatever it was, the positions of `side` among some with a quiet move into
    /// `into`, which holds legal positions only: of several ranks, what was told as the newest. If
    /// they are decided by that, they are taken away from `among`.
    fn reach_shared(
        &self,
        side: usize,
        into: &Layer<Self::Word>,
        among: Among<'_, Self::Word>,
        reached: &mut Layer<Self::Word>,
        width: Width,
    );

    /// Takes the positions with a quiet move of `side` into `into`, which holds legal positions
    /// only, away from the candidates, which are among some; those that stay, if they are decided
    /// by that, are taken away from `among`. Of several ranks, `into` is what was told as open.
    fn escape_shared(
        &self,
        side: usize,
        into: &[Self::Word],
        among: Among<'_, Self::Word>,
        candidates: &mut Layer<Self::Word>,
        width: Width,
    );

    /// Makes `stuck`, whatever it was, the positions of `side` among some that have no quiet move
    /// into `into`, which holds legal positions only; if they are decided by that, they are taken
    /// away from `among`. Of several ranks, `into` is what was told as open.
    fn stuck_shared(
        &self,
        side: usize,
        into: &[Self::Word],
        among: Among<'_, Self::Word>,
        stuck: &mut Layer<Self::Word>,
        width: Width,
    );

    /// What [`push`](QuietMoves::push) does for every word of a layer, on all threads. Of several
    /// ranks, the layer is what was told as the newest.
    fn push_shared(&self, side: usize, into: &Layer<Self::Word>, from: &mut Layer<Self::Word>);

    /// Those positions of a word from which `side` has a quiet move into a set. Of several ranks,
    /// the set is what was told as open.
    fn having_a_move_into_open(
        &self,
        side: usize,
        address: usize,
        word: Self::Word,
        open: &[Self::Word],
    ) -> Self::Word;

    /// Tells the other ranks which positions are open with a side to move.
    ///
    /// # Errors
    ///
    /// If a rank is gone.
    fn tell_open(&mut self, _side: usize, _open: &[Self::Word]) -> io::Result<()> {
        Ok(())
    }

    /// Tells the other ranks what the newest ply has decided with a side to move; it is not open
    /// any more.
    ///
    /// # Errors
    ///
    /// If a rank is gone.
    fn tell_newest(&mut self, _side: usize, _newest: &Layer<Self::Word>) -> io::Result<()> {
        Ok(())
    }

    /// The sum of what all ranks have.
    ///
    /// # Errors
    ///
    /// If a rank is gone.
    fn sum(&self, own: usize) -> io::Result<usize> {
        Ok(own)
    }

    /// The least of what all ranks have, of those that have any.
    ///
    /// # Errors
    ///
    /// If a rank is gone.
    fn least(&self, own: Option<u32>) -> io::Result<Option<u32>> {
        Ok(own)
    }
}
