//! Values that wait, compressed: what the writer or another material wants later.
//!
//! Solved values shrink to a sixth or less, at the speed of a slow copy.

use std::io;

use super::rows::long_mates;
use crate::chess::solve::solved::{OwnValues, SideValues};
use crate::game::Bits;
use crate::metric::Metric;
use crate::store::{compress, compress_lines, compress_set, decompress, decompress_set};
use crate::table::Plane;

/// Bytes that are compressed.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub bytes: Vec<u8>,
    /// Before compression.
    pub len: usize,
}

impl Packed {
    pub fn new(bytes: &[u8]) -> Packed {
        Packed::smaller(compress(bytes).ok(), bytes.len(), || bytes.to_vec())
    }

    /// Values of positions, 64 for each word of a set.
    pub fn of_lines(bytes: &[u8]) -> Packed {
        Packed::smaller(compress_lines(bytes).ok(), bytes.len(), || bytes.to_vec())
    }

    pub fn of_words(words: &[u64]) -> Packed {
        let as_they_are = || Bits::to_le_bytes(words);
        Packed::smaller(Some(compress_set(words)), size_of_val(words), as_they_are)
    }

    /// What does not shrink is kept as it is, and known by its length.
    fn smaller(packed: Option<Vec<u8>>, len: usize, whole: impl FnOnce() -> Vec<u8>) -> Packed {
        let packed = packed.filter(|packed| packed.len() < len);
        Packed {
            bytes: packed.unwrap_or_else(whole),
            len,
        }
    }

    /// The bytes as they were; nothing if they cannot come from [`Packed::new`] or
    /// [`Packed::of_lines`].
    pub fn unpack(&self) -> Option<Vec<u8>> {
        if self.bytes.len() == self.len {
            return Some(self.bytes.clone());
        }
        decompress(&self.bytes, self.len).ok()
    }

    /// The words of a set; nothing if the bytes cannot come from [`Packed::of_words`].
    pub fn unpack_words(&self) -> Option<Vec<u64>> {
        match self.len.is_multiple_of(8) {
            true if self.bytes.len() == self.len => Some(Bits::from_le_bytes(&self.bytes)),
            true => decompress_set(&self.bytes, self.len / 8).ok(),
            false => None,
        }
    }
}

/// What is kept of one side of a solved slice, in this order.
#[derive(Clone, Copy, Debug)]
enum SidePart {
    Legal,
    Loss,
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
    WdlByConversion,
    Dtz,
    DtzHigh,
    WonByZeroing,
    /// Scores; where they take two bytes, the low bytes of what files have.
    Dtm,
    DtmHigh,
    DtmByConversion,
}

/// How many parts one side of a solved slice has.
pub(super) const SIDE_PARTS: usize = SidePart::DtmByConversion as usize + 1;

/// One side of a solved slice until it is written; each part packed, or where it was put then.
#[derive(Clone, Debug)]
pub(super) struct PackedSide<P = Packed> {
    /// In the order of [`SidePart`].
    pub parts: [P; SIDE_PARTS],
    /// Whether scores take two bytes.
    pub has_long_mates: bool,
}

impl PackedSide {
    /// Packs what files of some metrics are made from.
    pub fn new(values: &SideValues, metrics: &[Metric]) -> PackedSide {
        let bytes = |metric: Metric, bytes: &[u8]| match metrics.contains(&metric) {
            true => Packed::of_lines(bytes),
            false => Packed::default(),
        };
        let words = |metric: Metric, words: &[u64]| match metrics.contains(&metric) {
            true => Packed::of_words(words),
            false => Packed::default(),
        };
        let own = &values.own;
        let has_long_mates = values.dtm.are_wide();
        let of_mates = |plane: Plane| match (has_long_mates, plane) {
            (false, Plane::Low) => bytes(Metric::Dtm, values.dtm.bytes()),
            (false, Plane::High) => Packed::default(),
            (true, plane) => bytes(Metric::Dtm, &long_mates(&values.dtm, plane)),
        };
        let decided = values.decided.each_ref().map(|set| Packed::of_words(set));
        let [loss, blessed_loss, draw, cursed_win, win] = decided;
        PackedSide {
            parts: [
                words(Metric::Wdl, &values.legal),
                loss,
                blessed_loss,
                draw,
                cursed_win,
                win,
                words(Metric::Wdl, &own.wdl_by_conversion),
                bytes(Metric::Dtz, &own.dtz),
                bytes(Metric::Dtz, &own.dtz_high),
                words(Metric::Dtz, &own.won_by_zeroing),
                of_mates(Plane::Low),
                of_mates(Plane::High),
                words(Metric::Dtm, &own.dtm_by_conversion),
            ],
            has_long_mates,
        }
    }

    /// Puts every part somewhere.
    pub fn put<P: Default, E>(
        self,
        put: impl Fn(Packed) -> Result<P, E>,
    ) -> Result<PackedSide<P>, E> {
        let mut parts = [(); SIDE_PARTS].map(|()| P::default());
        for (place, part) in parts.iter_mut().zip(self.parts) {
            *place = put(part)?;
        }
        Ok(PackedSide {
            parts,
            has_long_mates: self.has_long_mates,
        })
    }
}

impl<P> PackedSide<P> {
    /// What a stream of the file of one metric is made from.
    pub fn unpack(
        &self,
        metric: Metric,
        plane: Plane,
        get: impl Fn(&P) -> io::Result<Packed>,
    ) -> io::Result<SideValues> {
        let part = |part: SidePart| get(&self.parts[part as usize]);
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let bytes = |number: SidePart| part(number)?.unpack().ok_or_else(damaged);
        let words = |number: SidePart| part(number)?.unpack_words().ok_or_else(damaged);
        let decided = [
            words(SidePart::Loss)?,
            words(SidePart::BlessedLoss)?,
            words(SidePart::Draw)?,
            words(SidePart::CursedWin)?,
            words(SidePart::Win)?,
        ];
        let mut values = SideValues {
            decided,
            ..SideValues::default()
        };
        let OwnValues {
            dtz,
            dtz_high,
            wdl_by_conversion,
            won_by_zeroing,
            dtm_by_conversion,
            mate_moves,
        } = &mut values.own;
        match metric {
            Metric::Wdl => {
                values.legal = words(SidePart::Legal)?;
                *wdl_by_conversion = words(SidePart::WdlByConversion)?;
            }
            Metric::Dtz => {
                match plane {
                    Plane::Low => *dtz = bytes(SidePart::Dtz)?,
                    Plane::High => *dtz_high = bytes(SidePart::DtzHigh)?,
                }
                *won_by_zeroing = words(SidePart::WonByZeroing)?;
            }
            Metric::Dtm => {
                match (self.has_long_mates, plane) {
                    (false, _) => values.dtm = bytes(SidePart::Dtm)?.into(),
                    (true, Plane::Low) => *mate_moves = bytes(SidePart::Dtm)?,
                    (true, Plane::High) => *mate_moves = bytes(SidePart::DtmHigh)?,
                }
                *dtm_by_conversion = words(SidePart::DtmByConversion)?;
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let mut state = 1u64;
        let noise: Vec<u64> = (0..1000)
            .map(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                state
            })
            .collect();
        for words in [vec![], vec![7; 5000], noise] {
            let packed = Packed::of_words(&words);
            assert_eq!(packed.unpack_words(), Some(words));
        }
        let mut damaged = Packed::new(&[1; 1000]);
        damaged.len += 1;
        assert_eq!(damaged.unpack(), None);
    }

    /// A slice that waits in slabs: some have long distances, others none.
    #[test]
    fn slabs_are_put_together_with_their_high_bytes() {
        let slab = |high: &[u8]| {
            let mut values = SideValues::undecided(2);
            values.own.dtz = vec![9; 128];
            values.own.dtz_high = high.to_vec();
            PackedSide::new(&values, &[Metric::Dtz])
        };
        let (short, long) = (slab(&[]), slab(&[1; 128]));
        let together = |slabs: &[&PackedSide], plane: Plane| {
            let mut all = SideValues::default();
            for slab in slabs {
                let get = |packed: &Packed| Ok(packed.clone());
                all.extend(&slab.unpack(Metric::Dtz, plane, get).unwrap());
            }
            all.own
        };
        let high = |slabs: &[&PackedSide]| together(slabs, Plane::High).dtz_high;
        let [none, some] = [[0u8; 128], [1; 128]];
        assert_eq!(high(&[&long, &long]), [some, some].as_flattened());
        assert_eq!(
            high(&[&short, &long, &short]),
            [none, some, none].as_flattened()
        );
        assert_eq!(high(&[&long, &short]), [some, none].as_flattened());
        assert!(high(&[&short, &short]).is_empty());
        assert_eq!(together(&[&short, &long], Plane::Low).dtz, [9; 256]);
    }
}
