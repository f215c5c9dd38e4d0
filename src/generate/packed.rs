//! Values that wait, compressed: what the writer or another material wants later.
//!
//! Solved values shrink to a tenth at the lowest level, at the speed of a slow copy.

use super::rows::long_mates;
use crate::chess::solve::solved::{OwnValues, SideValues};
use crate::game::Bits;
use crate::metric::Metric;
use crate::store::{compress, decompress};
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
        // What does not shrink is kept as it is, and known by its length.
        let packed = compress(bytes).ok();
        let packed = packed.filter(|packed| packed.len() < bytes.len());
        let packed = packed.unwrap_or_else(|| bytes.to_vec());
        Packed {
            bytes: packed,
            len: bytes.len(),
        }
    }

    pub fn of_words(words: &[u64]) -> Packed {
        Packed::new(&Bits::to_le_bytes(words))
    }

    /// The bytes as they were; nothing if these cannot come from [`Packed::new`].
    pub fn unpack(&self) -> Option<Vec<u8>> {
        if self.bytes.len() == self.len {
            return Some(self.bytes.clone());
        }
        decompress(&self.bytes, self.len).ok()
    }

    pub fn unpack_words(&self) -> Option<Vec<u64>> {
        let bytes = self.unpack()?;
        (bytes.len() % 8 == 0).then(|| words_of(&bytes))
    }
}

/// How many parts one side of a solved slice has.
pub(super) const SIDE_PARTS: usize = 13;

/// One side of a solved slice until it is written; each part packed, or where it was put then.
#[derive(Clone, Debug)]
pub(super) struct PackedSide<P = Packed> {
    legal: P,
    decided: [P; 5],
    wdl_by_conversion: P,
    dtz: P,
    dtz_high: P,
    won_by_zeroing: P,
    /// Scores; where they take two bytes, the low bytes of what files have.
    dtm: P,
    dtm_high: P,
    has_long_mates: bool,
    dtm_by_conversion: P,
}

impl PackedSide {
    /// Packs what files of some metrics are made from.
    pub fn new(values: &SideValues, metrics: &[Metric]) -> PackedSide {
        let bytes = |metric: Metric, bytes: &[u8]| match metrics.contains(&metric) {
            true => Packed::new(bytes),
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
        PackedSide {
            legal: words(Metric::Wdl, &values.legal),
            decided: values.decided.each_ref().map(|set| Packed::of_words(set)),
            wdl_by_conversion: words(Metric::Wdl, &own.wdl_by_conversion),
            dtz: bytes(Metric::Dtz, &own.dtz),
            dtz_high: bytes(Metric::Dtz, &own.dtz_high),
            won_by_zeroing: words(Metric::Dtz, &own.won_by_zeroing),
            dtm: of_mates(Plane::Low),
            dtm_high: of_mates(Plane::High),
            has_long_mates,
            dtm_by_conversion: words(Metric::Dtm, &own.dtm_by_conversion),
        }
    }

    /// Puts every part somewhere.
    pub fn put<P, E>(self, put: impl Fn(Packed) -> Result<P, E>) -> Result<PackedSide<P>, E> {
        let PackedSide {
            legal,
            decided: [loss, blessed_loss, draw, cursed_win, win],
            wdl_by_conversion,
            dtz,
            dtz_high,
            won_by_zeroing,
            dtm,
            dtm_high,
            has_long_mates,
            dtm_by_conversion,
        } = self;
        let parts = [
            put(legal)?,
            put(loss)?,
            put(blessed_loss)?,
            put(draw)?,
            put(cursed_win)?,
            put(win)?,
            put(wdl_by_conversion)?,
            put(dtz)?,
            put(dtz_high)?,
            put(won_by_zeroing)?,
            put(dtm)?,
            put(dtm_high)?,
            put(dtm_by_conversion)?,
        ];
        Ok(PackedSide::from_parts(parts, has_long_mates))
    }
}

impl<P> PackedSide<P> {
    /// All parts, and whether mates are long.
    pub fn parts(&self) -> ([&P; SIDE_PARTS], bool) {
        let [loss, blessed_loss, draw, cursed_win, win] = &self.decided;
        let parts = [
            &self.legal,
            loss,
            blessed_loss,
            draw,
            cursed_win,
            win,
            &self.wdl_by_conversion,
            &self.dtz,
            &self.dtz_high,
            &self.won_by_zeroing,
            &self.dtm,
            &self.dtm_high,
            &self.dtm_by_conversion,
        ];
        (parts, self.has_long_mates)
    }

    /// What has these [`parts`](Self::parts).
    pub fn from_parts(parts: [P; SIDE_PARTS], has_long_mates: bool) -> PackedSide<P> {
        let [
            legal,
            loss,
            blessed_loss,
            draw,
            cursed_win,
            win,
            wdl_by_conversion,
            dtz,
            dtz_high,
            won_by_zeroing,
            dtm,
            dtm_high,
            dtm_by_conversion,
        ] = parts;
        PackedSide {
            legal,
            decided: [loss, blessed_loss, draw, cursed_win, win],
            wdl_by_conversion,
            dtz,
            dtz_high,
            won_by_zeroing,
            dtm,
            dtm_high,
            has_long_mates,
            dtm_by_conversion,
        }
    }

    /// What a stream of the file of one metric is made from.
    pub fn unpack<E>(
        &self,
        metric: Metric,
        plane: Plane,
        get: impl Fn(&P) -> Result<Vec<u8>, E>,
    ) -> Result<SideValues, E> {
        let words = |part: &P| Ok(words_of(&get(part)?));
        let [loss, blessed_loss, draw, cursed_win, win] = &self.decided;
        let decided = [
            words(loss)?,
            words(blessed_loss)?,
            words(draw)?,
            words(cursed_win)?,
            words(win)?,
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
                values.legal = words(&self.legal)?;
                *wdl_by_conversion = words(&self.wdl_by_conversion)?;
            }
            Metric::Dtz => {
                match plane {
                    Plane::Low => *dtz = get(&self.dtz)?,
                    Plane::High => *dtz_high = get(&self.dtz_high)?,
                }
                *won_by_zeroing = words(&self.won_by_zeroing)?;
            }
            Metric::Dtm => {
                match (self.has_long_mates, plane) {
                    (false, _) => values.dtm = get(&self.dtm)?.into(),
                    (true, Plane::Low) => *mate_moves = get(&self.dtm)?,
                    (true, Plane::High) => *mate_moves = get(&self.dtm_high)?,
                }
                *dtm_by_conversion = words(&self.dtm_by_conversion)?;
            }
        }
        Ok(values)
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.as_chunks::<8>().0.iter();
    words.map(|&word| u64::from_le_bytes(word)).collect()
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
}
