//! What there is to say of Black to move where both sides have the same men and no pawns: what is
//! said of White to move, with the colours exchanged.
//!
//! Numbers are the same. Positions that are kept by name are others: of the longest wins with Black
//! to move those that come first where *they* stand. In KQvKQ, White to move, his king on b1 and
//! queen on d1, Black's queen on h8 and king on g6, are bit 46 of the word at 4351. With the colours
//! exchanged and Black to move that is bit 55 of the word at 20519.

use std::ops::Range;

use super::sets::{DISTANCES, SliceWords};
use super::tally::{Found, Slice, SliceTally};
use super::zugzwang::exchanged_index;
use crate::chess::index::{IndexSpace, Placement};
use crate::chess::rules::Role;
use crate::chess::symmetry::{Symmetry, TRIANGLE, triangle_place};
use crate::game::{Bits, Color};

/// A position with Black to move: where its word is, which bit of it, and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Image {
    address: usize,
    bit: u32,
    index: u64,
}

impl Image {
    /// The first place of a position with the colours exchanged.
    fn new(space: &IndexSpace, placement: &Placement) -> Image {
        let exchanged = placement.with_colors_exchanged();
        let men = space.material().men_without_kings();
        let places = (0..Symmetry::COUNT).filter_map(|number| {
            let symmetry = Symmetry::from_index(number);
            let squares = |color: Color, role: Role| {
                let squares = exchanged.men[color.index()][role.index()].ones();
                squares.map(move |square| symmetry.map(square as u8))
            };
            let king = |color: Color| squares(color, Role::King).next();
            let place = triangle_place(king(Color::White)?);
            let mut address = Some(place).filter(|&place| place < TRIANGLE.len())?;
            for identical in men.chunk_by(|man, next| man == next) {
                let (color, role) = identical[0];
                // Identical men stand on squares in increasing order.
                let mut squares: Vec<u8> = squares(color, role).collect();
                squares.sort_unstable();
                for square in squares {
                    address = 64 * address + usize::from(square);
                }
            }
            Some((address, king(Color::Black)?.into()))
        });
        let (address, bit) = places.min().unwrap_or_default();
        Image {
            address,
            bit,
            index: exchanged_index(space, placement),
        }
    }
}

/// The first of some images in the order of addresses and squares, each position once.
fn first_images(mut images: Vec<Image>, listed: usize) -> Vec<u64> {
    images.sort_unstable();
    let mut first = Vec::new();
    for Image { index, .. } in images {
        if first.len() == listed {
            break;
        }
        if !first.contains(&index) {
            first.push(index);
        }
    }
    first
}

impl SliceTally {
    /// Goes through some words with White to move of a material without pawns that has the same men
    /// on both sides. Of Black to move only the lost positions are looked at. Those of consecutive
    /// parts are merged in order; then [`keep_images`](Self::keep_images) does what is left.
    pub fn of_white(
        space: &IndexSpace,
        words: usize,
        addresses: &Range<usize>,
        slice: &impl SliceWords,
        listed: usize,
    ) -> SliceTally {
        let mut tally = Slice::of_white(space, words, addresses, listed).tally(slice);
        tally.sides[1] = tally.sides[0].clone();
        for distance in &mut tally.sides[1].distances {
            distance.longest.clear();
        }
        tally
    }

    /// How many plies the longest wins with White to move take, to zeroing and to mate.
    pub fn longest_of_white(&self) -> [u32; 2] {
        self.longest_wins()[0]
    }

    /// The images of all wins with White to move at some addresses that take so many plies to
    /// zeroing and to mate.
    pub fn images(
        space: &IndexSpace,
        words: usize,
        addresses: &Range<usize>,
        slice: &impl SliceWords,
        plies: [u32; 2],
    ) -> [Vec<Image>; 2] {
        let white = Slice::of_white(space, words, addresses, 0);
        [0, 1].map(|distance| {
            let wins = (distance, plies[distance]);
            let wins = white.won_in(0, wins, addresses.clone(), slice);
            wins.map(|won| Image::new(space, &won)).collect()
        })
    }

    /// Keeps the first images of the longest wins with White to move as those with Black to move.
    pub fn keep_images(&mut self, images: [Vec<Image>; 2]) {
        let plies = self.longest_of_white();
        for ((distance, plies), images) in DISTANCES.zip(plies).zip(images) {
            let found = first_images(images, self.listed).into_iter();
            let found = found.map(|index| Found {
                plies,
                slice: 0,
                index,
            });
            self.sides[1].distances[distance].longest = found.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::placement::PawnPlacement;
    use crate::metric::{MateScore, Metric, Wdl};
    use crate::retro::score::Score;
    use crate::statistics::{LISTED, Sets};

    /// Results and distances by lot, the same for all images of a position.
    struct ByLot {
        sides: [Vec<Word>; 2],
    }

    #[derive(Clone)]
    struct Word {
        legal: u64,
        decided: [u64; 5],
        dtz: [u8; 64],
        dtm: [u8; 64],
    }

    impl ByLot {
        fn new(space: &IndexSpace, words: usize) -> ByLot {
            let all = 0..words;
            let slice = Slice::of_white(space, words, &all, 0);
            let word = |side: usize, address: usize| {
                let men = slice.squares(address);
                let mut word = Word {
                    legal: 0,
                    decided: [0; 5],
                    dtz: [0; 64],
                    dtm: [MateScore::DRAW.0; 64],
                };
                for bit in 0..64 {
                    let placement = slice.placement(&men, bit);
                    if placement.occupied().count_ones() as usize != space.material().men() {
                        continue;
                    }
                    let index = match side {
                        0 => space.natural_order().index(&space.digits(&placement)),
                        _ => exchanged_index(space, &placement),
                    };
                    let mut lot = fastrand::Rng::with_seed(index);
                    let value = Wdl::ALL[lot.usize(..5)];
                    let plies = 1 + lot.u8(..3);
                    word.legal |= 1 << bit;
                    word.decided[value.index()] |= 1 << bit;
                    word.dtz[bit as usize] = plies;
                    let mate = match value {
                        Wdl::Draw => MateScore::DRAW.0,
                        Wdl::Win | Wdl::CursedWin => {
                            u8::from_plies(2 * u32::from(plies) + 1).unwrap()
                        }
                        _ => u8::from_plies(2 * u32::from(plies)).unwrap(),
                    };
                    word.dtm[bit as usize] = mate;
                }
                word
            };
            ByLot {
                sides: [0, 1].map(|side| all.clone().map(|address| word(side, address)).collect()),
            }
        }
    }

    impl SliceWords for ByLot {
        fn sets(&self, side: usize, address: usize) -> Sets<'_> {
            let word = &self.sides[side][address];
            Sets {
                legal: word.legal,
                decided: word.decided,
                dtz: Some(&word.dtz),
                dtm: Some(&word.dtm),
                ..Sets::default()
            }
        }
    }

    #[test]
    fn the_example_is_right() {
        let space = IndexSpace::new("KQvKQ".parse().unwrap());
        let words = 10 << 12;
        let all = 0..words;
        let slice = Slice::of_white(&space, words, &all, 0);
        let placement = slice.placement(&slice.squares(4351), 46);
        let image = Image::new(&space, &placement);
        assert_eq!((image.address, image.bit), (20519, 55));
    }

    #[test]
    fn white_alone_tells_what_both_sides_tell() {
        let space = IndexSpace::new("KQvKQ".parse().unwrap());
        let material = *space.material();
        let words = 10 << 12;
        let lots = ByLot::new(&space, words);
        let slice = (0, PawnPlacement::default());
        let both = SliceTally::new(&space, slice, words, &(0..words), &lots, LISTED);
        // In two parts, as slabs are.
        let parts = [0..words / 3, words / 3..words];
        let tallies = parts
            .each_ref()
            .map(|part| SliceTally::of_white(&space, words, part, &lots, LISTED));
        let [first, second] = tallies;
        let mut white = first.merge(second);
        let plies = white.longest_of_white();
        assert_eq!(plies, [3, 7]);
        let mut images = [Vec::new(), Vec::new()];
        for part in &parts {
            let of_part = SliceTally::images(&space, words, part, &lots, plies);
            for (images, of_part) in images.iter_mut().zip(of_part) {
                images.extend(of_part);
            }
        }
        white.keep_images(images);
        for metric in Metric::ALL {
            let [both, white] = [&both, &white].map(|tally| tally.statistics(&material, metric));
            assert_eq!(both, white, "{metric}");
            let longest = metric != Metric::Wdl;
            assert!(!longest || both.sides.iter().all(|side| side.longest.len() == LISTED));
            assert!(
                longest
                    || both
                        .zugzwangs
                        .iter()
                        .all(|kind| kind.indices.len() == LISTED)
            );
        }
    }
}
