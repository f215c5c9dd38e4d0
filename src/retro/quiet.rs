//! What the iteration asks of a game: who can move where without leaving the slice.

use super::layer::Layer;
use crate::game::Bits;
use crate::simd::Width;

/// The quiet moves between the positions of one slice, as relations between sets.
///
/// One relation is enough, "has a move into", in three forms that differ in what they cost. Moves need not be reversible:
/// nothing asks where moves out of a set lead.
pub trait QuietMoves {
    /// Positions that share an address.
    type Word: Bits;

    /// Number of words of a set.
    fn words(&self) -> usize;

    /// Adds to `from` every position from which `side` has a quiet move into `into`, which holds legal positions only.
    /// Positions that are not legal may be added as well; the caller masks them out.
    fn sweep(&mut self, side: usize, into: &[Self::Word], from: &mut [Self::Word]);

    /// The same for the positions of a single word.
    fn push(&self, side: usize, address: usize, word: Self::Word, from: &mut Layer<Self::Word>);

    /// Those positions of a word from which `side` has a quiet move into a set.
    fn having_a_move_into(
        &self,
        side: usize,
        address: usize,
        word: Self::Word,
        into: &[Self::Word],
    ) -> Self::Word;
}

/// Quiet moves that all threads work on together.
pub trait SharedMoves: QuietMoves + Sync {
    /// Makes `reached`, which is empty, the positions of `side` among `wanted` with a quiet move into `into`, which holds
    /// legal positions only.
    fn reach_shared(
        &self,
        side: usize,
        into: &[Self::Word],
        wanted: &[Self::Word],
        reached: &mut Layer<Self::Word>,
        width: Width,
    );

    /// Takes the positions with a quiet move of `side` into `into`, which holds legal positions only, away from the
    /// candidates.
    fn escape_shared(
        &self,
        side: usize,
        into: &[Self::Word],
        candidates: &mut Layer<Self::Word>,
        width: Width,
    );

    /// What [`push`](QuietMoves::push) does for every word of a layer, on all threads.
    fn push_shared(&self, side: usize, into: &Layer<Self::Word>, from: &mut Layer<Self::Word>);
}
