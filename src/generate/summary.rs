//! Counts, longest wins, statistics and the numbers that occur, found slice by slice.

use crate::chess::index::IndexSpace;
use crate::chess::placement::PawnPlacement;
use crate::chess::solve::solved::{SideValues, SliceValues, Solved};
use crate::chess::solve::{Distance, SlabValues, SolveError, Wanted};
use crate::game::Bits;
use crate::metric::{Metric, Wdl};
use crate::parallel;
use crate::retro::score::Scores;
use crate::statistics::{
    DecidedPlies, Image, LISTED, Sets, Slice, SliceTally, SliceWords, TO_MATE, TO_ZEROING,
};
use crate::table::{Counts, Longest, Plane, SideStatistics, Statistics};

/// What the files of a material say about its values as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// By metric.
    statistics: [Statistics; 3],
    /// For each side to move and each metric by its number, the bytes that files have to hold: low
    /// and high ones.
    present: [[[[bool; 256]; 2]; 3]; 2],
}

impl Summary {
    /// Goes through all values.
    #[must_use]
    pub fn new(solved: &Solved, index_space: &IndexSpace) -> Summary {
        let digests = parallel::map(solved.slices.len(), |number| {
            let pawns = solved.pawns.placement(number);
            let values = solved.slices[number].get()?;
            Some(SliceDigest::new(index_space, pawns, number, values))
        });
        let digests = digests.into_iter().flatten();
        let digest = digests.fold(SliceDigest::default(), SliceDigest::merge);
        Summary::from_digest(&digest, index_space)
    }

    /// The same from the digest of all slices.
    #[must_use]
    pub fn from_digest(digest: &SliceDigest, index_space: &IndexSpace) -> Summary {
        let material = index_space.material();
        Summary {
            statistics: Metric::ALL.map(|metric| digest.tally.statistics(material, metric)),
            present: [0, 1].map(|side: usize| {
                Metric::ALL.map(|metric| {
                    let mut present = [[false; 256]; 2];
                    match metric {
                        Metric::Wdl => present[0][..5].copy_from_slice(&digest.results[side]),
                        _ => {
                            let asked = digest.tally.asked(side, metric).iter().enumerate();
                            for (number, _) in asked.filter(|&(_, &is)| is) {
                                present[0][number & 255] = true;
                                present[1][number >> 8] = true;
                            }
                        }
                    }
                    present
                })
            }),
        }
    }

    /// What the file of a metric says of all its values together.
    #[must_use]
    pub fn statistics(&self, metric: Metric) -> &Statistics {
        &self.statistics[usize::from(metric.number())]
    }

    /// For each side to move, every legal placement of the men once, identical men not told apart.
    #[must_use]
    pub fn counts(&self) -> [Counts; 2] {
        let results = self.statistics(Metric::Wdl);
        results.sides.each_ref().map(SideStatistics::counts)
    }

    /// The longest wins in one metric; a table of results has none.
    #[must_use]
    pub fn longest(&self, metric: Metric) -> [Option<Longest>; 2] {
        let sides = &self.statistics(metric).sides;
        sides.each_ref().map(SideStatistics::first_longest)
    }

    /// Whether some number does not fit into a byte.
    #[must_use]
    pub fn has_high_bytes(&self, metric: Metric) -> bool {
        let of_metric = |side: &[[[bool; 256]; 2]; 3]| side[usize::from(metric.number())][1];
        (self.present.iter()).any(|side| of_metric(side)[1..].contains(&true))
    }

    /// The bytes that a stream has to hold. Never none: where nothing is asked for, 0 stands.
    #[must_use]
    pub fn present(&self, side: usize, metric: Metric, plane: Plane) -> [bool; 256] {
        let mut present = self.present[side][usize::from(metric.number())][plane as usize];
        if present == [false; 256] {
            present[0] = true;
        }
        present
    }
}

/// What has to be known of a slice before any slice is written. Made when the slice has been
/// solved; those of all slices are merged, in any order, into that of the material.
#[derive(Clone, Debug, Default)]
pub struct SliceDigest {
    tally: SliceTally,
    /// The results that occur where they are asked for, by side to move.
    results: [[bool; 5]; 2],
}

impl SliceDigest {
    /// Goes through the values of a slice.
    #[must_use]
    pub fn new(
        index_space: &IndexSpace,
        pawns: PawnPlacement,
        slice: usize,
        values: &SliceValues,
    ) -> SliceDigest {
        let words = values[0].legal.len();
        let part = SlicePart { values, first: 0 };
        SliceDigest::of_part(index_space, (slice, pawns), words, &part)
    }

    /// Goes through the values of a part of a slice, which has so many words. Those of parts are
    /// merged in order.
    fn of_part(
        index_space: &IndexSpace,
        slice: (usize, PawnPlacement),
        words: usize,
        part: &SlicePart<'_>,
    ) -> SliceDigest {
        let addresses = part.first..part.first + part.values[0].legal.len();
        SliceDigest {
            tally: SliceTally::new(index_space, slice, words, &addresses, part, LISTED),
            results: part.values.each_ref().map(results_asked),
        }
    }

    /// Goes through the values of a slice, slab by slab, together with `visit`: what it says of
    /// each slab.
    pub(super) fn of_slabs<T: Send>(
        index_space: &IndexSpace,
        slice: (usize, PawnPlacement),
        slabs: &SlabValues,
        mates: bool,
        visit: impl Fn(&SliceValues) -> Result<T, SolveError> + Sync,
    ) -> Result<(SliceDigest, Vec<T>), SolveError> {
        let words = slabs.words();
        let all = parallel::try_map(slabs.slabs(), |slab| {
            let addresses = slabs.addresses(slab);
            let wanted = Wanted {
                to_zeroing: true,
                to_mate: mates,
            };
            let values = [slabs.side(0, slab, wanted)?, slabs.side(1, slab, wanted)?];
            let part = SlicePart {
                values: &values,
                first: addresses.start,
            };
            let digest = SliceDigest::of_part(index_space, slice, words, &part);
            Ok((digest, visit(&values)?))
        })?;
        let (digests, visited): (Vec<SliceDigest>, Vec<T>) = all.into_iter().unzip();
        let digest = digests
            .into_iter()
            .fold(SliceDigest::default(), SliceDigest::merge);
        Ok((digest, visited))
    }

    /// Goes through a slice slab by slab. Distances are counted as plies decided them, so that
    /// nobody has to make numbers of them.
    ///
    /// Where there are values with White to move only, those with Black to move are their images.
    pub(super) fn of_plies(
        index_space: &IndexSpace,
        slice: (usize, PawnPlacement),
        slabs: &SlabValues,
        mates: bool,
    ) -> Result<SliceDigest, SolveError> {
        let wanted = Wanted {
            to_zeroing: true,
            to_mate: mates,
        };
        let sides = if slabs.are_only_white() { 0..1 } else { 0..2 };
        let read = |slab: usize| {
            for side in sides.clone() {
                slabs.read_plies_ahead(side, slab, wanted);
            }
        };
        let digests = parallel::try_map_items_ahead(0..slabs.slabs(), read, |_, slab| {
            SliceDigest::of_plies_in(index_space, slice, slabs, slab, mates)
        })?;
        let longest = digests.iter().map(|digest| digest.tally.longest_of_white());
        let longest: Vec<[u32; 2]> = longest.collect();
        let digests = digests.into_iter();
        let mut digest = digests.fold(SliceDigest::default(), SliceDigest::merge);
        if slabs.are_only_white() {
            let images = longest_images(index_space, slabs, wanted, (&digest.tally, &longest))?;
            digest.tally.keep_images(images);
        }
        Ok(digest)
    }

    fn of_plies_in(
        index_space: &IndexSpace,
        slice: (usize, PawnPlacement),
        slabs: &SlabValues,
        slab: usize,
        mates: bool,
    ) -> Result<SliceDigest, SolveError> {
        let (words, addresses) = (slabs.words(), slabs.addresses(slab));
        let results = Wanted {
            to_zeroing: false,
            to_mate: false,
        };
        let white = slabs.side(0, slab, results)?;
        if slabs.are_only_white() {
            let part = WhitePart {
                white,
                lost_by_black: slabs.lost_by_black(slab)?,
                first: addresses.start,
            };
            let place = Slice::of_white(index_space, words, &addresses, LISTED);
            let mut digest = SliceDigest {
                tally: SliceTally::of_white(index_space, words, &addresses, &part, LISTED),
                results: [results_asked(&part.white); 2],
            };
            let white = &part.white;
            add_plies(
                &place,
                &mut digest.tally,
                (slabs, slab, mates),
                (0, white, &part),
            )?;
            return Ok(digest);
        }
        let values = [white, slabs.side(1, slab, results)?];
        let part = SlicePart {
            values: &values,
            first: addresses.start,
        };
        let place = Slice::new(index_space, slice, words, &addresses, LISTED);
        let mut digest = SliceDigest::of_part(index_space, slice, words, &part);
        for (side, of_side) in values.iter().enumerate() {
            add_plies(
                &place,
                &mut digest.tally,
                (slabs, slab, mates),
                (side, of_side, &part),
            )?;
        }
        Ok(digest)
    }

    /// It as bytes, for whoever goes on with a material that was begun.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let results = self.results.as_flattened().iter();
        let mut numbers: Vec<u64> = results.map(|&is| is.into()).collect();
        self.tally.note(&mut numbers);
        Bits::to_le_bytes(&numbers)
    }

    /// What [`to_bytes`](Self::to_bytes) has made; nothing if it is not that.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<SliceDigest> {
        let numbers: Vec<u64> = Bits::from_le_bytes(bytes);
        let mut rest = &numbers[..];
        let mut results = [[false; 5]; 2];
        for is in results.as_flattened_mut() {
            let (&first, others) = rest.split_first()?;
            *is = first != 0;
            rest = others;
        }
        let tally = SliceTally::noted(&mut rest)?;
        rest.is_empty().then_some(SliceDigest { tally, results })
    }

    /// That of two sets of slices together.
    #[must_use]
    pub fn merge(mut self, other: SliceDigest) -> SliceDigest {
        let results = self.results.as_flattened_mut();
        for (own, other) in results.iter_mut().zip(other.results.as_flattened()) {
            *own |= other;
        }
        SliceDigest {
            tally: self.tally.merge(other.tally),
            results: self.results,
        }
    }
}

/// Adds the distances of a side to what was counted of a slab without them.
fn add_plies(
    place: &Slice<'_>,
    tally: &mut SliceTally,
    (slabs, slab, mates): (&SlabValues, usize, bool),
    (side, values, words): (usize, &SideValues, &impl SliceWords),
) -> Result<(), SolveError> {
    let distances = [
        (TO_ZEROING, Distance::Zeroing, true),
        (TO_MATE, Distance::Mate, mates),
    ];
    for (number, distance, _) in distances.into_iter().filter(|&(.., is_known)| is_known) {
        let plies = DecidedPlies {
            won: slabs.plies(side, slab, distance, true)?,
            lost: slabs.plies(side, slab, distance, false)?,
        };
        let words = (words, &values.own.won_by_zeroing[..]);
        place.add_plies(tally, (side, number), words, plies)?;
    }
    Ok(())
}

/// The images of the longest wins with White to move, to zeroing and to mate, from the tally of all
/// slabs and how long those of each slab take.
fn longest_images(
    index_space: &IndexSpace,
    slabs: &SlabValues,
    wanted: Wanted,
    (tally, longest): (&SliceTally, &[[u32; 2]]),
) -> Result<[Vec<Image>; 2], SolveError> {
    // Few slabs have wins that take so long. Where there are none, or distances are not known, it
    // is no plies.
    let plies = tally.longest_of_white();
    let has_longest = |slab: &usize| {
        let mut of_distances = longest[*slab].iter().zip(&plies);
        of_distances.any(|(of, all)| of == all && *all > 0)
    };
    let with_longest: Vec<usize> = (0..slabs.slabs()).filter(has_longest).collect();
    let images = parallel::try_map_items(with_longest, |_, slab| {
        let addresses = slabs.addresses(slab);
        let part = WhitePart {
            white: slabs.side(0, slab, wanted)?,
            lost_by_black: Vec::new(),
            first: addresses.start,
        };
        let images = SliceTally::images(index_space, slabs.words(), &addresses, &part, plies);
        Ok::<_, SolveError>(images)
    })?;
    Ok([0, 1].map(|distance: usize| {
        let of_slabs = images.iter().flat_map(|images| &images[distance]);
        of_slabs.copied().collect()
    }))
}

/// Consecutive words of a slice.
struct SlicePart<'a> {
    values: &'a SliceValues,
    /// The address of the first.
    first: usize,
}

impl SliceWords for SlicePart<'_> {
    #[inline(always)]
    fn sets(&self, side: usize, address: usize) -> Sets<'_> {
        sets_at(&self.values[side], address - self.first)
    }
}

/// Consecutive words with White to move, and what Black to move has lost there.
struct WhitePart {
    white: SideValues,
    lost_by_black: Vec<u64>,
    /// The address of the first.
    first: usize,
}

impl SliceWords for WhitePart {
    #[inline(always)]
    fn sets(&self, side: usize, address: usize) -> Sets<'_> {
        let address = address - self.first;
        if side == 0 {
            return sets_at(&self.white, address);
        }
        let mut decided = [0; 5];
        decided[Wdl::Loss.index()] = self.lost_by_black.get(address).copied().unwrap_or(0);
        Sets {
            decided,
            ..Sets::default()
        }
    }
}

#[inline(always)]
fn sets_at(values: &SideValues, address: usize) -> Sets<'_> {
    Sets {
        legal: values.legal[address],
        decided: std::array::from_fn(|value| {
            values.decided[value].get(address).copied().unwrap_or(0)
        }),
        mated: 0,
        stalemated: values.stalemate[address],
        won_by_zeroing: values.own.won_by_zeroing[address],
        dtz: values.own.dtz.as_chunks().0.get(address),
        dtz_high: values.own.dtz_high.as_chunks().0.get(address),
        dtm: values.dtm.bytes().as_chunks().0.get(address),
        long_mates: match &values.dtm {
            Scores::Bytes(_) => None,
            Scores::Words(words) => words.as_chunks().0.get(address),
        },
    }
}

/// The results that occur where a prober does not find them elsewhere.
fn results_asked(values: &SideValues) -> [bool; 5] {
    let mut all = [0; 5];
    for (address, &legal) in values.legal.iter().enumerate() {
        let free = values.own.wdl_by_conversion[address];
        let mut drawn = legal;
        for value in [Wdl::Win, Wdl::CursedWin, Wdl::BlessedLoss, Wdl::Loss] {
            let set = values.decided[value.index()][address];
            drawn &= !set;
            // Less than a win, the true result bounds what may stand even where it is free.
            all[value.index()] |= if value == Wdl::Win { set & !free } else { set };
        }
        all[Wdl::Draw.index()] |= drawn;
    }
    all.map(|set| set != 0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::chess::material::Material;
    use crate::chess::solve::tests::solved;
    use crate::chess::solve::{Engine, SolveOptions, gather_targets, solve_in_slabs};
    use crate::metric::Plies;

    /// With cursed wins, in several slabs.
    #[test]
    fn what_black_gets_is_what_white_gets_with_colors_exchanged() {
        let cancel = AtomicBool::new(false);
        let options = SolveOptions {
            limit: Plies(6),
            ..SolveOptions::new(&cancel)
        };
        let stored = solved(&["KQvK", "KRvK", "KBvK", "KNvK"], options);
        for name in ["KQvKQ", "KRvKR", "KBvKB", "KNvKN"] {
            let material: Material = name.parse().unwrap();
            let index_space = IndexSpace::new(material);
            let [both_sides, white] = [true, false].map(|both_sides| {
                let options = SolveOptions {
                    engine: Engine::Chains,
                    slab: 320,
                    both_sides,
                    ..options
                };
                let targets = gather_targets(&material, &stored, options.width).unwrap();
                solve_in_slabs(material, targets, options).unwrap().unwrap()
            });
            assert!(!both_sides.are_only_white() && white.are_only_white());
            let wanted = Wanted {
                to_zeroing: true,
                to_mate: true,
            };
            assert!(white.side(1, 0, wanted).is_err());
            let slice = (0, PawnPlacement::default());
            let (numbers, _) =
                SliceDigest::of_slabs(&index_space, slice, &both_sides, true, |_| Ok(())).unwrap();
            let summary = |digest| Summary::from_digest(&digest, &index_space);
            let plies = [&both_sides, &white].map(|slabs| {
                summary(SliceDigest::of_plies(&index_space, slice, slabs, true).unwrap())
            });
            assert_eq!(plies[0], summary(numbers), "{name}");
            assert_eq!(plies[1], plies[0], "{name}");
        }
    }
}
