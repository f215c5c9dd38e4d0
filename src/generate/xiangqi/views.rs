//! What a material of xiangqi leaves for those that lead to it: its results, and its distances to
//! mate where those are wanted.

use crate::game::Bits;
use crate::generate::packed::Packed;
use crate::generate::views::{Parts, ViewName};
use crate::xiangqi::Material;
use crate::xiangqi::solve::space::{Space, word_man, words};
use crate::xiangqi::solve::{SideValues, Solved};

/// The parts of one side to move: legal, won and lost positions, and scores.
const SIDE_PARTS: usize = 4;

/// Bytes of a word of a set.
const WORD_BYTES: usize = u128::WIDTH as usize / 8;

impl ViewName for Material {
    type Material = Material;

    fn source(&self) -> Material {
        *self
    }

    fn fits(&self, lengths: &[u64]) -> bool {
        let Some(words) = words(self) else {
            return false;
        };
        let set = words * WORD_BYTES as u64;
        let scores = words * u64::from(u128::WIDTH);
        let is_side = |side: &[u64]| {
            let (sets, rest) = side.split_at(SIDE_PARTS - 1);
            sets.iter().all(|&len| len == set) && [0, scores].contains(&rest[0])
        };
        lengths.len() == 2 * SIDE_PARTS && lengths.chunks(SIDE_PARTS).all(is_side)
    }
}

fn pack_words(words: &[u128]) -> Packed {
    Packed::new(&Bits::to_le_bytes(words))
}

/// What others read of solved values.
pub(super) fn pack(solved: &Solved) -> Vec<Packed> {
    let sides = solved.sides.iter();
    sides
        .flat_map(|side| {
            [
                pack_words(&side.legal),
                pack_words(&side.won),
                pack_words(&side.lost),
                Packed::new(&side.dtm),
            ]
        })
        .collect()
}

/// The values of a material, without distances to conversion; nothing if a part is not there or
/// damaged.
pub(super) fn unpack(parts: &dyn Parts, material: Material) -> Option<Solved> {
    let bytes = |number: usize| parts.part(number)?.unpack();
    let set = |number: usize| -> Option<Vec<u128>> {
        let bytes = bytes(number)?;
        let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
        let words = words.iter().map(|&word| u128::from_le_bytes(word));
        rest.is_empty().then(|| words.collect())
    };
    let side = |first: usize| {
        Some(SideValues {
            legal: set(first)?,
            won: set(first + 1)?,
            lost: set(first + 2)?,
            dtm: bytes(first + 3)?,
            ..SideValues::default()
        })
    };
    Some(Solved {
        space: Space::new(material, word_man(&material)?)?,
        sides: [side(0)?, side(SIDE_PARTS)?],
    })
}
