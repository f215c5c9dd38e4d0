//! Results of whole probes, kept for the next time that the same position is asked for.
//!
//! A search comes by the same positions again, by other moves or one ply deeper. A probe of results
//! may look at all captures and at captures after those; finding its answer here takes one line of
//! memory.
//!
//! The Zobrist key of a position says where to look. It does not say that what stands there is of
//! this position, since positions can share a key. But few men without castling or en-passant
//! rights, together with the side to move and a result, fit into one word of 64 bits ([`Packed`]):
//! so a place is one word and has the whole position. A word that is found to be of a position is
//! of that position, with certainty, and as a word is read and written at once, threads need no
//! lock and cannot see half of one answer and half of another.
//!
//! Places stand in buckets of [`PLACES`], less than a line of the processor's cache. What is new
//! comes first and pushes the others back, the last one out. Threads that write into one bucket at
//! the same time may lose an answer or have one twice, which does not harm.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::chess::material::MAX_MEN;
use crate::chess::rules::{Position, Role, squares};
use crate::game::Color;
use crate::metric::Wdl;
use crate::reserve::{Refused, defaults};
use crate::tables::Counts;

/// Places of a bucket.
const PLACES: usize = 4;

/// Bits of a word that are the result, counted from 1, so that no answer looks like an empty place.
const RESULT_BITS: u32 = 3;

/// What a man beside the kings can be: ten kinds on 64 squares, and 64 numbers that none has.
const MEN: u64 = 11 * 64;

/// What the cache of results did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultStatistics {
    /// Probes that were answered from here.
    pub hits: u64,
    /// Probes that were not, though their position can be kept.
    pub misses: u64,
    /// Bytes of memory, all of which are taken when the tables are opened.
    pub bytes: usize,
}

/// A position of up to seven men without castling or en-passant rights, clocks left aside, as a
/// number below 2^61 that no other position has.
///
/// Men other than kings are digits to the base [`MEN`], in the order of colour, role and square;
/// none is zero, so different lists of men are different numbers. Behind them follow 13 bits for
/// the side to move and the kings: `MEN^5 * 2^13` is less than 2^61.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u64);

impl Packed {
    #[inline]
    fn new(position: &Position) -> Option<Packed> {
        let is_small = position.occupied().count_ones() as usize <= MAX_MEN;
        let is_plain =
            position.castling_rights().is_empty() && position.en_passant_square().is_none();
        if !is_small || !is_plain {
            return None;
        }
        let mut men = 0;
        let mut kind = 0;
        for color in Color::ALL {
            for role in [
                Role::Pawn,
                Role::Knight,
                Role::Bishop,
                Role::Rook,
                Role::Queen,
            ] {
                kind += 64;
                for square in squares(position.pieces(color, role)) {
                    men = men * MEN + kind + square.index() as u64;
                }
            }
        }
        let king = |color| position.king(color).index() as u64;
        let turn = position.turn().index() as u64;
        Some(Packed(
            men << 13 | turn << 12 | king(Color::White) << 6 | king(Color::Black),
        ))
    }
}

/// The places of positions whose keys are alike.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Bucket([AtomicU64; PLACES]);

/// Answers to probes of results.
#[derive(Debug)]
pub(super) struct ResultCache {
    buckets: Box<[Bucket]>,
    counts: Counts,
}

impl ResultCache {
    /// A cache of up to so many bytes; of less than a bucket it keeps nothing. An error if the
    /// system has not so much memory.
    pub fn new(bytes: usize) -> Result<ResultCache, Refused> {
        Ok(ResultCache {
            buckets: defaults(bytes / size_of::<Bucket>())?,
            counts: Counts::new()?,
        })
    }

    /// What a position is kept under; nothing if nothing is kept or the position is of another
    /// kind.
    #[inline]
    pub fn slot(&self, position: &Position) -> Option<Slot<'_>> {
        // The high bits of the key times the number of buckets: evenly spread over any number.
        let number = (u128::from(position.key()) * self.buckets.len() as u128) >> 64;
        Some(Slot {
            bucket: self.buckets.get(number as usize)?,
            packed: Packed::new(position)?,
            counts: &self.counts,
        })
    }

    /// Forgets all answers; the counts of hits and misses stay.
    pub fn clear(&self) {
        for place in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// What happened so far.
    pub fn statistics(&self) -> ResultStatistics {
        let (hits, misses) = self.counts.sums();
        ResultStatistics {
            hits,
            misses,
            bytes: size_of_val(&*self.buckets),
        }
    }
}

/// Where the answer of a position is kept, if it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'a> {
    bucket: &'a Bucket,
    packed: Packed,
    counts: &'a Counts,
}

impl Slot<'_> {
    /// The answer, if it is here.
    #[inline]
    pub fn read(self) -> Option<Wdl> {
        for place in &self.bucket.0 {
            let word = place.load(Ordering::Relaxed);
            if word >> RESULT_BITS == self.packed.0 {
                let number = (word & ((1 << RESULT_BITS) - 1)) as usize;
                self.counts.hit();
                return Wdl::from_index(number.wrapping_sub(1));
            }
        }
        self.counts.miss();
        None
    }

    /// Keeps an answer that was not here.
    #[inline]
    pub fn write(self, wdl: Wdl) {
        let mut word = self.packed.0 << RESULT_BITS | (wdl.index() as u64 + 1);
        for place in &self.bucket.0 {
            let next = place.load(Ordering::Relaxed);
            place.store(word, Ordering::Relaxed);
            word = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::chess::rules::{Piece, Setup, Square};

    impl Packed {
        /// The position again: so no two have the same number.
        fn position(self) -> Position {
            let mut setup = Setup::empty();
            let mut rest = self.0 >> 13;
            while rest > 0 {
                let man = rest % MEN;
                rest /= MEN;
                let kind = (man / 64 - 1) as usize;
                let role = Role::from_index(kind % 5).unwrap();
                setup.put(role.of(Color::ALL[kind / 5]), square(man % 64));
            }
            setup.turn = Color::ALL[(self.0 >> 12 & 1) as usize];
            setup.put(Role::King.of(Color::White), square(self.0 >> 6 & 63));
            setup.put(Role::King.of(Color::Black), square(self.0 & 63));
            Position::from_setup(&setup).unwrap()
        }
    }

    fn square(number: u64) -> Square {
        Square::from_index(number as usize).unwrap()
    }

    /// Legal positions of two to seven men.
    fn positions() -> impl Strategy<Value = Position> {
        let men = prop::collection::vec((0..2usize, 0..5usize), 0..=MAX_MEN - 2);
        let places = prop::collection::vec(0..64usize, MAX_MEN);
        (men, places, 0..2usize).prop_filter_map("no position", |(men, places, turn)| {
            let mut setup = Setup::empty();
            setup.turn = Color::ALL[turn];
            let kings = Color::ALL.map(|color| Role::King.of(color));
            let others = men
                .iter()
                .map(|&(color, role)| Role::from_index(role).unwrap().of(Color::ALL[color]));
            let all: Vec<Piece> = kings.into_iter().chain(others).collect();
            for (&piece, &place) in all.iter().zip(&places) {
                setup.put(piece, square(place as u64));
            }
            let position = Position::from_setup(&setup).ok()?;
            (position.occupied().count_ones() as usize == all.len()).then_some(position)
        })
    }

    proptest! {
        #[test]
        fn a_number_is_that_of_its_position(position in positions()) {
            let packed = Packed::new(&position).unwrap();
            prop_assert!(packed.0 >> (64 - RESULT_BITS) == 0);
            prop_assert_eq!(packed.position(), position);
        }

        /// One bucket for all positions, so that every one collides with every other.
        #[test]
        fn what_is_found_is_of_the_position(asked in prop::collection::vec((positions(), 0..5usize), 1..60)) {
            let cache = ResultCache::new(size_of::<Bucket>()).unwrap();
            let mut known: HashMap<String, Wdl> = HashMap::new();
            let mut hits = 0;
            for &(position, number) in asked.iter().chain(&asked).chain(asked.iter().rev()) {
                let slot = cache.slot(&position).unwrap();
                match slot.read() {
                    Some(found) => {
                        hits += 1;
                        prop_assert_eq!(Some(&found), known.get(&position.to_fen()));
                    }
                    None => {
                        let wdl = *known.entry(position.to_fen()).or_insert(Wdl::ALL[number]);
                        slot.write(wdl);
                    }
                }
            }
            // The last ones are asked for again at once.
            prop_assert!(hits > 0);
            let statistics = cache.statistics();
            prop_assert_eq!(statistics.hits, hits);
            prop_assert_eq!(statistics.hits + statistics.misses, 3 * asked.len() as u64);
        }
    }

    #[test]
    fn other_positions_are_not_kept() {
        let cache = ResultCache::new(1 << 16).unwrap();
        for fen in [
            // En passant, castling, eight men.
            "8/8/8/8/Pp2k3/8/8/4K3 b - a3 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "4k3/pp6/8/8/8/8/PP6/R3K2R w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert!(cache.slot(&position).is_none(), "{fen}");
        }
        // Clocks make no difference.
        let slot = |fen| cache.slot(&Position::from_fen(fen).unwrap()).unwrap();
        slot("4k3/8/8/8/8/8/8/4K2R w - - 0 1").write(Wdl::Win);
        assert_eq!(
            slot("4k3/8/8/8/8/8/8/4K2R w - - 40 90").read(),
            Some(Wdl::Win)
        );
        assert_eq!(slot("4k3/8/8/8/8/8/8/4K2R b - - 0 1").read(), None);
        cache.clear();
        assert_eq!(slot("4k3/8/8/8/8/8/8/4K2R w - - 0 1").read(), None);
    }

    #[test]
    fn no_bytes_keep_nothing() {
        let cache = ResultCache::new(size_of::<Bucket>() - 1).unwrap();
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
        assert!(cache.slot(&position).is_none());
        assert_eq!(cache.statistics(), ResultStatistics::default());
    }
}
