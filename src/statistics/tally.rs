//! Counting the positions of a slice.

use std::ops::Range;

use super::sets::{DISTANCES, Sets, SliceWords, TO_MATE, TO_ZEROING};
use super::zugzwang::exchanged_index;
use super::{Kind, is_first, orders_of_identical, placements};
use crate::chess::index::{IndexSpace, Placement};
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::rules::Role;
use crate::chess::symmetry::{DIAGONAL, TRIANGLE, is_on_diagonal};
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Metric, Wdl};
use crate::parallel;
use crate::retro::score::Score;
use crate::simd::{self, Kernel, Width};
use crate::table::{Count, SideStatistics, Statistics, Zugzwangs};

/// Addresses that are counted together.
const CHUNK: usize = 1 << 14;

/// The numbers of some slices. Those of all slices are merged, in any order, into those of the
/// material.
#[derive(Clone, Debug, Default)]
pub(crate) struct SliceTally {
    /// How many positions are kept by name of each kind.
    pub(super) listed: usize,
    pub(super) sides: [SideTally; 2],
    pub(super) zugzwangs: [Zugzwangs; 3],
}

/// The numbers of one side to move, over the full board with identical men told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct SideTally {
    pub(super) results: [Count; 5],
    pub(super) mated: Count,
    pub(super) stalemated: Count,
    pub(super) distances: [DistanceTally; 2],
}

#[derive(Clone, Debug, Default)]
pub(super) struct DistanceTally {
    /// By plies; empty if distances are not known.
    pub(super) wins: Vec<Count>,
    pub(super) losses: Vec<Count>,
    /// The plies that occur where no zeroing move is known to win.
    pub(super) asked: Vec<bool>,
    pub(super) longest: Vec<Found>,
}

/// A longest win: by its slice and its place there, the first first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) plies: u32,
    pub(super) slice: usize,
    pub(super) index: u64,
}

/// Where the words of a slice are.
pub(crate) struct Slice<'a> {
    pub(super) space: &'a IndexSpace,
    pawns: PawnPlacement,
    number: usize,
    /// Of the whole slice.
    words: usize,
    /// Those that are gone through.
    pub(super) addresses: &'a Range<usize>,
    listed: usize,
    /// In how many orders identical men can stand on the same squares: each is an address, and one
    /// is looked at.
    orders: u64,
    /// By how much an address is shifted to the square of a man, and to that of an identical one
    /// which follows.
    identical: Vec<[u32; 2]>,
    /// Whether what is said of Black to move follows from White to move, with the colours
    /// exchanged. Of Black to move only the lost positions are known then.
    pub(super) only_white: bool,
}

/// Addresses whose positions all stand for equally many.
pub(super) struct Part {
    pub(super) addresses: Range<usize>,
    /// Positions of the full board for each of them that is looked at.
    pub(super) weight: u64,
    /// Whether the white king stands on the diagonal a1-h8.
    pub(super) on_diagonal: bool,
}

impl<'a> Slice<'a> {
    /// Some consecutive words of a slice, which has `words` of them.
    pub(crate) fn new(
        space: &'a IndexSpace,
        (number, pawns): (usize, PawnPlacement),
        words: usize,
        addresses: &'a Range<usize>,
        listed: usize,
    ) -> Slice<'a> {
        Slice {
            orders: orders_of_identical(space.material()),
            identical: identical_men(space.material()),
            space,
            pawns,
            number,
            words,
            addresses,
            listed,
            only_white: false,
        }
    }

    /// The same words with White to move of a material without pawns that has the same men on both
    /// sides.
    pub(crate) fn of_white(
        space: &'a IndexSpace,
        words: usize,
        addresses: &'a Range<usize>,
        listed: usize,
    ) -> Slice<'a> {
        let slice = (0, PawnPlacement::default());
        Slice {
            only_white: true,
            ..Slice::new(space, slice, words, addresses, listed)
        }
    }

    fn material(&self) -> &Material {
        self.space.material()
    }

    pub(super) fn parts(&self) -> Vec<Part> {
        let has_pawns = self.material().has_pawns();
        let places = if has_pawns { 1 } else { TRIANGLE.len() };
        let length = self.words / places;
        let of_place = |place: usize| {
            let on_diagonal = !has_pawns && is_on_diagonal(TRIANGLE[place]);
            let weight = match (has_pawns, on_diagonal) {
                (true, _) if self.pawns == self.pawns.mirrored() => 1,
                (true, _) => 2,
                // Both transposed twins are in the sets.
                (false, true) => 4,
                (false, false) => 8,
            };
            let weight = weight * self.orders;
            let end = self.addresses.end.min((place + 1) * length);
            let start = self.addresses.start.max(place * length);
            let starts = (start..end).step_by(CHUNK);
            starts.map(move |start| Part {
                addresses: start..(start + CHUNK).min(end),
                weight,
                on_diagonal,
            })
        };
        (0..places).flat_map(of_place).collect()
    }

    /// Whether identical men stand on squares in increasing order. Of all orders that address comes
    /// first.
    #[inline(always)]
    pub(super) fn is_in_order(&self, address: usize) -> bool {
        let square = |shift: u32| address >> shift & 63;
        (self.identical.iter()).all(|&[man, next]| square(man) < square(next))
    }

    /// Whether all men but the kings stand on the diagonal a1-h8, in a slice without pawns.
    pub(super) fn pieces_are_on_diagonal(&self, address: usize) -> bool {
        let pieces = self.material().men() - 2;
        (0..pieces).all(|piece| is_on_diagonal((address >> (6 * piece)) as u8 % 64))
    }

    pub(super) fn squares(&self, address: usize) -> Vec<(Color, Role, u8)> {
        let men = self.material().men_without_kings().into_iter();
        let mut men: Vec<(Color, Role, u8)> = std::iter::once((Color::White, Role::King))
            .chain(men.filter(|&(_, role)| role != Role::Pawn))
            .map(|(color, role)| (color, role, 0))
            .collect();
        let mut rest = address;
        for (_, _, square) in men[1..].iter_mut().rev() {
            *square = (rest % 64) as u8;
            rest /= 64;
        }
        men[0].2 = match self.material().has_pawns() {
            true => rest as u8,
            false => TRIANGLE[rest],
        };
        men
    }

    pub(super) fn placement(&self, men: &[(Color, Role, u8)], bit: u32) -> Placement {
        let mut placement = Placement::default();
        for &(color, role, square) in men {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        placement.men[Color::Black.index()][Role::King.index()] = 1 << bit;
        for color in Color::ALL {
            placement.men[color.index()][Role::Pawn.index()] = self.pawns.of(color);
        }
        placement
    }

    fn index(&self, placement: &Placement) -> u64 {
        let digits = self.space.digits(placement);
        self.space.natural_order().index(&digits)
    }
}

impl SliceTally {
    /// Goes through some consecutive words of a slice, which has `words` of them. Those of
    /// consecutive parts are merged in order.
    pub fn new(
        space: &IndexSpace,
        (number, pawns): (usize, PawnPlacement),
        words: usize,
        addresses: &Range<usize>,
        slice: &impl SliceWords,
        listed: usize,
    ) -> SliceTally {
        Slice::new(space, (number, pawns), words, addresses, listed).tally(slice)
    }

    /// How many plies the longest wins take, by side to move and one of [`DISTANCES`].
    pub(super) fn longest_wins(&self) -> [[u32; 2]; 2] {
        let of_side = |side: &SideTally| side.distances.each_ref().map(DistanceTally::longest_win);
        self.sides.each_ref().map(of_side)
    }

    /// That of two sets of slices together.
    #[must_use]
    pub fn merge(mut self, other: SliceTally) -> SliceTally {
        let listed = self.listed.max(other.listed);
        self.listed = listed;
        for (own, other) in self.sides.iter_mut().zip(other.sides) {
            add_all(&mut own.results, &other.results);
            own.mated += other.mated;
            own.stalemated += other.stalemated;
            for (own, other) in own.distances.iter_mut().zip(other.distances) {
                own.merge(other, listed);
            }
        }
        for (own, other) in self.zugzwangs.iter_mut().zip(other.zugzwangs) {
            own.positions += other.positions;
            own.different += other.different;
            own.indices.extend(other.indices);
            own.indices.sort_unstable();
            own.indices.truncate(listed);
        }
        self
    }

    /// Which plies a side's distances to zeroing and to mate have, but for those that a zeroing
    /// move is known to give.
    pub fn asked(&self, side: usize, metric: Metric) -> &[bool] {
        match metric {
            Metric::Wdl => &[],
            Metric::Dtz => &self.sides[side].distances[TO_ZEROING].asked,
            Metric::Dtm => &self.sides[side].distances[TO_MATE].asked,
        }
    }

    /// What the file of a metric says, from the tally of all slices.
    pub fn statistics(&self, material: &Material, metric: Metric) -> Statistics {
        let identical = orders_of_identical(material);
        let told_together = |count: &Count| Count {
            positions: count.positions / identical,
            on_diagonal: count.on_diagonal / identical,
        };
        let all = placements(material);
        let sides = self.sides.each_ref().map(|side| {
            let mut results = side.results.each_ref().map(told_together);
            // From the worst for the side to move to the best, as the header has them.
            results.reverse();
            let legal = results.iter().fold(Count::default(), |mut sum, &count| {
                sum += count;
                sum
            });
            let without_distance = |distance: usize| side.distances[distance].losses.first();
            let mated = without_distance(TO_ZEROING).or(without_distance(TO_MATE));
            let mut statistics = SideStatistics {
                results,
                mated: told_together(mated.unwrap_or(&side.mated)),
                stalemated: told_together(&side.stalemated),
                illegal: Count {
                    positions: all.positions - legal.positions,
                    on_diagonal: all.on_diagonal - legal.on_diagonal,
                },
                ..SideStatistics::default()
            };
            let distance = match metric {
                Metric::Wdl => return statistics,
                Metric::Dtz => TO_ZEROING,
                Metric::Dtm => TO_MATE,
            };
            let tally = &side.distances[distance];
            let rows = |counts: &[Count], from: usize| {
                (counts.iter().enumerate().skip(from))
                    .filter(|(_, count)| count.positions > 0)
                    .map(|(plies, count)| (plies as u32, told_together(count)))
                    .collect()
            };
            statistics.wins = rows(&tally.wins, 0);
            statistics.losses = rows(&tally.losses, 1);
            statistics.longest = tally.longest.iter().map(|found| found.index).collect();
            statistics
        });
        let zugzwangs = match metric {
            Metric::Wdl => {
                let mut zugzwangs = self.zugzwangs.to_vec();
                for kind in &mut zugzwangs {
                    kind.positions /= identical;
                }
                zugzwangs
            }
            _ => Vec::new(),
        };
        Statistics { sides, zugzwangs }
    }
}

/// Where the squares of identical men that follow each other are in an address.
fn identical_men(material: &Material) -> Vec<[u32; 2]> {
    let mut pieces = material.men_without_kings();
    pieces.retain(|&(_, role)| role != Role::Pawn);
    let shift = |place: usize| 6 * (pieces.len() - 1 - place) as u32;
    let pairs = pieces.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| pair[0] == pair[1])
        .map(|(place, _)| [shift(place), shift(place + 1)])
        .collect()
}

fn add_all(own: &mut [Count], other: &[Count]) {
    for (own, &other) in own.iter_mut().zip(other) {
        *own += other;
    }
}

impl DistanceTally {
    /// Rows for so many plies, if there are not more.
    pub(super) fn make_rows(&mut self, rows: usize) {
        let rows = rows.max(self.wins.len());
        self.wins.resize(rows, Count::default());
        self.losses.resize(rows, Count::default());
        self.asked.resize(rows, false);
    }

    /// Notes that so many positions which take so many plies are asked for.
    pub(super) fn ask(&mut self, distance: usize, plies: u32, count: Count) {
        let number = match distance {
            TO_ZEROING => plies,
            _ => plies / 2,
        };
        self.asked[number as usize] |= count.positions > 0;
    }

    pub(super) fn longest_win(&self) -> u32 {
        let won = self.wins.iter().rposition(|count| count.positions > 0);
        won.unwrap_or(0) as u32
    }

    fn merge(&mut self, other: DistanceTally, listed: usize) {
        if self.wins.is_empty() {
            *self = other;
            return;
        }
        let rows = self.wins.len().max(other.wins.len());
        self.wins.resize(rows, Count::default());
        self.losses.resize(rows, Count::default());
        self.asked.resize(rows, false);
        add_all(&mut self.wins, &other.wins);
        add_all(&mut self.losses, &other.losses);
        for (own, other) in self.asked.iter_mut().zip(other.asked) {
            *own |= other;
        }
        // A position and its transposed twin may be in different parts of a slice.
        for found in other.longest {
            let is_known = |known: &Found| (known.slice, known.index) == (found.slice, found.index);
            if !self.longest.iter().any(is_known) {
                self.longest.push(found);
            }
        }
        let longest = self.longest.iter().map(|found| found.plies).max();
        (self.longest).retain(|found| Some(found.plies) == longest);
        self.longest.sort_by_key(|found| found.slice);
        self.longest.truncate(listed);
    }
}

/// Positions of some addresses, not weighed. Neighbouring bits count in different parts, because
/// an addition waits for the one before to the same place.
struct Raw {
    results: [u64; 5],
    mated: u64,
    stalemated: u64,
    /// Won and cursed.
    won_by_zeroing: [u64; 2],
    wins: ByteCounts,
    losses: ByteCounts,
    scores: ByteCounts,
    /// From 256 plies on.
    long_wins: Vec<u64>,
    long_losses: Vec<u64>,
    /// By plies to mate, won (odd) and lost (even), where scores have two bytes.
    long_mates: Vec<u64>,
}

impl Raw {
    const EMPTY: Raw = Raw {
        results: [0; 5],
        mated: 0,
        stalemated: 0,
        won_by_zeroing: [0; 2],
        wins: [0; 1024],
        losses: [0; 1024],
        scores: [0; 1024],
        long_wins: Vec::new(),
        long_losses: Vec::new(),
        long_mates: Vec::new(),
    };

    /// Counts the positions of a mask.
    #[inline(always)]
    fn add(&mut self, sets: &Sets<'_>, mask: u64) {
        let count = |set: u64| u64::from((set & mask).count_ones());
        for value in Wdl::ALL {
            self.results[value.index()] += match value {
                Wdl::Draw => count(sets.drawn()),
                value => count(sets.decided[value.index()]),
            };
        }
        self.mated += count(sets.mated);
        self.stalemated += count(sets.stalemated);
        let [won, lost] = [sets.won() & mask, sets.lost() & mask];
        if let Some(line) = sets.dtz {
            for (number, value) in [Wdl::Win, Wdl::CursedWin].into_iter().enumerate() {
                self.won_by_zeroing[number] +=
                    count(sets.decided[value.index()] & sets.won_by_zeroing);
            }
            let (mut won, mut lost) = (won & !sets.won_by_zeroing, lost);
            if let Some(high) = sets.dtz_high {
                won = tally_long(&mut self.long_wins, won, line, high);
                lost = tally_long(&mut self.long_losses, lost, line, high);
            }
            tally_bytes(&mut self.wins, won, line);
            tally_bytes(&mut self.losses, lost, line);
        }
        if let Some(line) = sets.dtm {
            tally_bytes(&mut self.scores, won | lost, line);
        }
        if let Some(line) = sets.long_mates {
            for bit in (won | lost).ones() {
                let score = line[bit as usize];
                let plies = match score < <u16 as Score>::DRAW {
                    true => 2 * usize::from(score),
                    false => 2 * usize::from(u16::MAX - score) + 1,
                };
                let counts = &mut self.long_mates;
                counts.resize(counts.len().max(plies + 1), 0);
                counts[plies] += 1;
            }
        }
    }
}

/// How often each byte occurs, in four parts.
type ByteCounts = [u32; 4 * 256];

#[inline(always)]
fn tally_bytes(counts: &mut ByteCounts, set: u64, line: &[u8; 64]) {
    let mut count = |place: usize, byte: u8| counts[(place & 3) << 8 | usize::from(byte)] += 1;
    match simd::picked(line, set) {
        Some(bytes) => {
            for (place, &byte) in bytes[..set.count_ones() as usize].iter().enumerate() {
                count(place, byte);
            }
        }
        None => {
            for bit in set.ones().map(|bit| bit as usize) {
                count(bit, line[bit]);
            }
        }
    }
}

/// Counts the positions that take 256 plies or more, and returns the others.
#[cold]
fn tally_long(counts: &mut Vec<u64>, set: u64, low: &[u8; 64], high: &[u8; 64]) -> u64 {
    let mut short = set;
    for bit in set.ones() {
        let plies = u16::from_le_bytes([low[bit as usize], high[bit as usize]]);
        let Some(beyond) = plies.checked_sub(256).map(usize::from) else {
            continue;
        };
        counts.resize(counts.len().max(beyond + 1), 0);
        counts[beyond] += 1;
        short &= !(1 << bit);
    }
    short
}

fn counted(counts: &ByteCounts, number: usize) -> u64 {
    let parts = counts.as_chunks::<256>().0;
    parts.iter().map(|part| u64::from(part[number])).sum()
}

/// Of so many plies, which may be more than 255.
fn counted_plies(counts: &ByteCounts, long: &[u64], plies: usize) -> u64 {
    match plies.checked_sub(256) {
        None => counted(counts, plies),
        Some(beyond) => long.get(beyond).copied().unwrap_or(0),
    }
}

/// Counts the positions of a part: with the instruction that counts bits, where there is one.
struct Counting<'a, S> {
    place: &'a Slice<'a>,
    part: &'a Part,
    slice: &'a S,
}

impl<S: SliceWords> Kernel for Counting<'_, S> {
    type Output = SliceTally;

    #[inline(always)]
    fn run(self) -> SliceTally {
        self.place.count(self.part, self.slice)
    }
}

impl Slice<'_> {
    pub(super) fn tally(&self, slice: &impl SliceWords) -> SliceTally {
        let parts = self.parts();
        let width = Width::widest();
        let tallies = parallel::map(parts.len(), |number| {
            width.run(Counting {
                place: self,
                part: &parts[number],
                slice,
            })
        });
        let longest_wins = tallies.iter().map(SliceTally::longest_wins);
        let parts: Vec<_> = parts.iter().zip(longest_wins).collect();
        let merged = tallies.into_iter();
        let mut tally = merged.fold(SliceTally::default(), SliceTally::merge);
        for (side, longest) in tally.longest_wins().into_iter().enumerate() {
            for distance in DISTANCES {
                let plies = longest[distance];
                // Few parts have wins that take so long.
                let parts = parts.iter().filter(|(_, of)| of[side][distance] == plies);
                let parts = parts.map(|(part, _)| *part);
                let longest = self.longest(side, distance, plies, parts, slice);
                tally.sides[side].distances[distance].longest = longest;
            }
        }
        tally
    }

    #[inline(always)]
    fn count(&self, part: &Part, slice: &impl SliceWords) -> SliceTally {
        // All positions, and those with all men on the diagonal.
        let mut raw = [[Raw::EMPTY; 2], [Raw::EMPTY; 2]];
        let mut tally = SliceTally {
            listed: self.listed,
            ..SliceTally::default()
        };
        let mut has = [false; 2];
        let addresses = part.addresses.clone();
        for address in addresses.filter(|&address| self.is_in_order(address)) {
            let sets = [slice.sets(0, address), slice.sets(1, address)];
            let on_diagonal = part.on_diagonal && self.pieces_are_on_diagonal(address);
            let counted = if self.only_white { 1 } else { 2 };
            for (raw, sets) in raw.iter_mut().zip(&sets).take(counted) {
                if sets.legal == 0 {
                    continue;
                }
                let has_mates = sets.dtm.is_some() || sets.long_mates.is_some();
                has = [sets.dtz.is_some(), has_mates];
                raw[0].add(sets, u64::MAX);
                if on_diagonal {
                    raw[1].add(sets, DIAGONAL);
                }
            }
            self.count_zugzwangs(part, address, &sets, &mut tally.zugzwangs);
        }
        for (side, raw) in tally.sides.iter_mut().zip(&raw) {
            *side = SideTally::new(raw, part.weight, has);
        }
        tally
    }

    fn count_zugzwangs(
        &self,
        part: &Part,
        address: usize,
        [white, black]: &[Sets<'_>; 2],
        zugzwangs: &mut [Zugzwangs; 3],
    ) {
        let [white_loses, black_loses] = [white.lost(), black.lost()];
        if (white_loses | black_loses) == 0 {
            return;
        }
        for kind in Kind::ALL {
            let set = match kind {
                Kind::BlackLoses => white.drawn() & black_loses,
                // With the colours exchanged they are those in which Black loses.
                Kind::WhiteLoses if self.only_white => 0,
                Kind::WhiteLoses => white_loses & black.drawn(),
                Kind::BothLose => white_loses & black_loses,
            };
            if set == 0 {
                continue;
            }
            zugzwangs[kind as usize].positions += part.weight * u64::from(set.count_ones());
            let men = self.squares(address);
            for bit in set.ones() {
                let placement = self.placement(&men, bit);
                let digits = self.space.digits(&placement);
                let index = self.space.natural_order().index(&digits);
                // The transposed twin is the one that has the index.
                if self.space.placement(&digits) != Some(placement)
                    || !is_first(self.space, index, kind, &placement)
                {
                    continue;
                }
                zugzwangs[kind as usize].add_first(index, self.listed);
                if self.only_white && kind == Kind::BlackLoses {
                    let index = exchanged_index(self.space, &placement);
                    zugzwangs[Kind::WhiteLoses as usize].add_first(index, self.listed);
                }
            }
        }
        if self.only_white {
            let [black_loses, white_loses, _] = zugzwangs;
            white_loses.positions = black_loses.positions;
        }
    }

    /// The first longest wins in the order of addresses and squares, each once, of some parts.
    fn longest<'a>(
        &self,
        side: usize,
        distance: usize,
        plies: u32,
        parts: impl Iterator<Item = &'a Part>,
        slice: &impl SliceWords,
    ) -> Vec<Found> {
        let addresses = parts.flat_map(|part| part.addresses.clone());
        self.first_found(
            plies,
            self.words_won_in(side, (distance, plies), addresses, slice),
        )
    }

    /// The first positions of some words, which are won in so many plies, each once.
    pub(super) fn first_found(
        &self,
        plies: u32,
        words: impl Iterator<Item = (usize, u64)>,
    ) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for placement in self.placements(words) {
            if found.len() == self.listed {
                break;
            }
            let index = self.index(&placement);
            if !found.iter().any(|other| other.index == index) {
                found.push(Found {
                    plies,
                    slice: self.number,
                    index,
                });
            }
        }
        found
    }

    /// The wins at some addresses that take so many plies in one of [`DISTANCES`]; none take none.
    pub(super) fn won_in<'b>(
        &'b self,
        side: usize,
        (distance, plies): (usize, u32),
        addresses: impl Iterator<Item = usize> + 'b,
        slice: &'b impl SliceWords,
    ) -> impl Iterator<Item = Placement> + 'b {
        self.placements(self.words_won_in(side, (distance, plies), addresses, slice))
    }

    /// The same as words that are not empty, with their addresses.
    fn words_won_in<'b>(
        &'b self,
        side: usize,
        (distance, plies): (usize, u32),
        addresses: impl Iterator<Item = usize> + 'b,
        slice: &'b impl SliceWords,
    ) -> impl Iterator<Item = (usize, u64)> + 'b {
        let addresses = addresses.filter(move |&address| plies > 0 && self.is_in_order(address));
        let sets = addresses.map(move |address| {
            let set = slice.sets(side, address).won_in(distance, plies);
            (address, set)
        });
        sets.filter(|&(_, set)| set != 0)
    }

    fn placements<'b>(
        &'b self,
        words: impl Iterator<Item = (usize, u64)> + 'b,
    ) -> impl Iterator<Item = Placement> + 'b {
        words.flat_map(move |(address, set)| {
            let men = self.squares(address);
            set.ones().map(move |bit| self.placement(&men, bit))
        })
    }
}

impl SideTally {
    fn new([all, on_diagonal]: &[Raw; 2], weight: u64, has: [bool; 2]) -> SideTally {
        let count = |of: &dyn Fn(&Raw) -> u64| Count {
            positions: weight * of(all),
            on_diagonal: weight * of(on_diagonal),
        };
        let mut tally = SideTally {
            results: std::array::from_fn(|value| count(&|raw| raw.results[value])),
            mated: count(&|raw| raw.mated),
            stalemated: count(&|raw| raw.stalemated),
            ..SideTally::default()
        };
        let [to_zeroing, to_mate] = &mut tally.distances;
        if has[TO_ZEROING] {
            // All men on the diagonal are among all.
            let rows = 256 + all.long_wins.len().max(all.long_losses.len());
            let by_plies = |of: &dyn Fn(&Raw, usize) -> u64| -> Vec<Count> {
                (0..rows)
                    .map(|plies| count(&|raw| of(raw, plies)))
                    .collect()
            };
            to_zeroing.wins =
                by_plies(&|raw, plies| counted_plies(&raw.wins, &raw.long_wins, plies));
            to_zeroing.losses =
                by_plies(&|raw, plies| counted_plies(&raw.losses, &raw.long_losses, plies));
            let asked = to_zeroing.wins.iter().zip(&to_zeroing.losses);
            to_zeroing.asked = asked
                .map(|(wins, losses)| wins.positions + losses.positions > 0)
                .collect();
            for (number, value) in [Wdl::Win, Wdl::CursedWin].into_iter().enumerate() {
                let plies = value.dtz_of_zeroing_move().0 as usize;
                to_zeroing.wins[plies] += count(&|raw| raw.won_by_zeroing[number]);
            }
        }
        if has[TO_MATE] {
            let rows = all.long_mates.len().max(256);
            to_mate.wins = vec![Count::default(); rows];
            to_mate.losses = vec![Count::default(); rows];
            to_mate.asked = vec![false; rows];
            for score in 0..=u8::MAX {
                let of_score = count(&|raw| counted(&raw.scores, score.into()));
                let Some(dtm) = MateScore(score).dtm().filter(|_| of_score.positions > 0) else {
                    continue;
                };
                let plies = dtm.0.unsigned_abs() as usize;
                let counts = match dtm.0 > 0 {
                    true => &mut to_mate.wins,
                    false => &mut to_mate.losses,
                };
                counts[plies] += of_score;
                to_mate.asked[plies / 2] = true;
            }
            for plies in 0..all.long_mates.len() {
                let counted = count(&|raw| raw.long_mates.get(plies).copied().unwrap_or(0));
                let counts = match plies % 2 == 1 {
                    true => &mut to_mate.wins,
                    false => &mut to_mate.losses,
                };
                counts[plies] += counted;
                to_mate.asked[plies / 2] |= counted.positions > 0;
            }
        }
        tally
    }
}
