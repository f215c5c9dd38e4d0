//! What an iteration does with moves, compiled once for each width of registers.
//!
//! All that a kernel calls is compiled into it, and sweeping a slice is a large piece of code. An
//! iteration asks for it in a dozen places, so those are kernels of their own: one copy for all of
//! them.

use super::SPARSE;
use crate::game::Bits;
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;
use crate::simd::{Kernel, Width};

/// The quiet moves of a slice, and the registers they are made with.
pub(super) struct WideMoves<M> {
    pub moves: M,
    pub width: Width,
}

impl<M: QuietMoves> WideMoves<M> {
    /// Number of words of a set.
    pub fn words(&self) -> usize {
        self.moves.words()
    }

    /// Adds to `from` every position from which `side` has a quiet move into `into`, which holds
    /// legal positions only. Positions that are not legal may be added as well; the caller masks
    /// them out.
    pub fn sweep(&mut self, side: usize, into: &[M::Word], from: &mut [M::Word]) {
        self.width.run(Sweep {
            moves: &mut self.moves,
            side,
            into,
            from,
        });
    }

    /// The positions in `reached`, and those from which `side` has a quiet move into a layer, as far
    /// as they are among `wanted`, are added to `found`. `reached` is empty afterwards.
    pub fn find(
        &mut self,
        side: usize,
        into: &Layer<M::Word>,
        reached: &mut Layer<M::Word>,
        wanted: &[M::Word],
        found: &mut Layer<M::Word>,
    ) {
        if into.len() * SPARSE >= into.set.len() {
            self.sweep(side, &into.set, &mut reached.set);
            self.width.run(TakeAll {
                words: reached,
                other: wanted,
                found,
                keep: |word: M::Word, wanted: M::Word| word & wanted,
            });
            return;
        }
        self.reach(side, into, reached);
        self.width.run(TakeInUse {
            words: reached,
            other: wanted,
            found,
        });
    }

    /// Adds the positions of `side` among some that have no quiet move into `into` to `found`.
    /// `swept` is empty before and after.
    pub fn find_stuck(
        &mut self,
        side: usize,
        into: &[M::Word],
        among: &[M::Word],
        swept: &mut Layer<M::Word>,
        found: &mut Layer<M::Word>,
    ) {
        self.sweep(side, into, &mut swept.set);
        self.width.run(TakeAll {
            words: swept,
            other: among,
            found,
            keep: |swept: M::Word, among: M::Word| among & !swept,
        });
    }

    /// Adds the positions from which `side` has a quiet move into a layer to `from`: word by word
    /// where few have anything in them.
    pub fn reach(&mut self, side: usize, into: &Layer<M::Word>, from: &mut Layer<M::Word>) {
        if into.is_empty() {
            return;
        }
        if into.len() * SPARSE < into.set.len() {
            self.width.run(Push {
                moves: &self.moves,
                side,
                into,
                from,
            });
        } else {
            self.sweep(side, &into.set, &mut from.set);
            from.recount();
        }
    }

    /// Moves those of `candidates` from which `side` has no quiet move into a set to `found`.
    /// `swept` is empty before and after.
    pub fn without_move_into(
        &mut self,
        side: usize,
        into: &[M::Word],
        candidates: &mut Layer<M::Word>,
        swept: &mut Layer<M::Word>,
        found: &mut Layer<M::Word>,
    ) {
        if candidates.len() * SPARSE < candidates.set.len() {
            self.width.run(Stuck {
                moves: &self.moves,
                side,
                into,
                candidates,
                found,
            });
            return;
        }
        self.sweep(side, into, &mut swept.set);
        self.width.run(TakeAll {
            words: candidates,
            other: &swept.set,
            found,
            keep: |word: M::Word, swept: M::Word| word & !swept,
        });
        swept.set.fill(M::Word::ZERO);
    }
}

/// [`Layer::take_all`].
struct TakeAll<'a, W, F> {
    words: &'a mut Layer<W>,
    other: &'a [W],
    found: &'a mut Layer<W>,
    keep: F,
}

impl<W: Bits, F: Fn(W, W) -> W> Kernel for TakeAll<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.words.take_all(self.other, self.found, self.keep);
    }
}

/// [`Layer::take_in_use`], with what is in both.
struct TakeInUse<'a, W> {
    words: &'a mut Layer<W>,
    other: &'a [W],
    found: &'a mut Layer<W>,
}

impl<W: Bits> Kernel for TakeInUse<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        (self.words).take_in_use(self.other, self.found, |word, other| word & other);
    }
}

struct Sweep<'a, M: QuietMoves> {
    moves: &'a mut M,
    side: usize,
    into: &'a [M::Word],
    from: &'a mut [M::Word],
}

impl<M: QuietMoves> Kernel for Sweep<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.moves.sweep(self.side, self.into, self.from);
    }
}

/// A move back from each word of a layer.
struct Push<'a, M: QuietMoves> {
    moves: &'a M,
    side: usize,
    into: &'a Layer<M::Word>,
    from: &'a mut Layer<M::Word>,
}

impl<M: QuietMoves> Kernel for Push<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.moves.push_all(self.side, self.into, self.from);
    }
}

/// A look at each word of the candidates.
struct Stuck<'a, M: QuietMoves> {
    moves: &'a M,
    side: usize,
    into: &'a [M::Word],
    candidates: &'a mut Layer<M::Word>,
    found: &'a mut Layer<M::Word>,
}

impl<M: QuietMoves> Kernel for Stuck<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (address, word) in self.candidates.drain() {
            let escaping = self
                .moves
                .having_a_move_into(self.side, address, word, self.into);
            let word = word & !escaping;
            if !word.is_empty() {
                self.found.insert(address, word);
            }
        }
    }
}
