//! Counting the values of chess tables, a line at a time.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::layout::{Legality, squares_of};
use super::line::{Line, Score, key};
use super::men::Men;
use super::slice::SliceValues;
use super::source::Source;
use super::steps::{SideValues, SideWindow};
use super::{AT_HAND, Run, fits_bytes, sides};
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::rules::{Role, attacks};
use crate::chess::{Chess, ChessRules};
use crate::game::{Bits, Color};
use crate::metric::{Metric, Wdl};
use crate::parallel;
use crate::probe::Format;
use crate::simd::{Kernel, Width};
use crate::statistics::{Sets, SliceTally, SliceWords};
use crate::table::Statistics;
use crate::verify::recount::{self, Counting, Recount, RecountError};
use crate::verify::report::{Observer, Subject};

impl Recount for Chess {
    fn subject(_: ChessRules, material: Material) -> Subject {
        material.into()
    }

    fn recount(
        directory: &Path,
        rules: ChessRules,
        material: Material,
        metrics: &[Metric],
        listed: usize,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Vec<(Metric, Statistics)>, RecountError> {
        recount::check_presence::<Chess>(directory, rules, &material, metrics)?;
        let material = material.normal_form();
        let count = match fits_bytes(directory, Format::Native, &[material]) {
            true => counted::<u8>,
            false => counted::<u16>,
        };
        count(
            directory,
            material,
            Counting::new(metrics, listed),
            cancel,
            observer,
        )
    }
}

/// Counts with distances to mate of one or two bytes in memory.
fn counted<S: Score>(
    directory: &Path,
    material: Material,
    counting: Counting<Metric>,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Vec<(Metric, Statistics)>, RecountError> {
    let asked = (&[material][..], AT_HAND);
    let mut run: Run<'_, S> = Run::new(directory, Format::Native, asked, cancel, observer);
    run.counting = Some(counting);
    recount::count(&mut run, directory, material, cancel, observer)?;
    Ok(run.counting.map_or(Vec::new(), |counting| counting.found))
}

/// Counts the values of a slice.
pub(super) fn tally<S: Score>(
    space: &IndexSpace,
    source: &Source,
    values: &SliceValues<'_, S>,
    slice: usize,
    listed: usize,
) -> SliceTally {
    let frame = values.frame();
    let (number, all) = ((slice, frame.pawns), frame.addresses);
    let mut tally = SliceTally::default();
    let is_away = values.places().own.is_some();
    for step in frame.steps(&(0..all), is_away) {
        let windows = values.sides.each_ref().map(SideValues::open);
        let parts: Vec<usize> = step.clone().step_by(PART).collect();
        let tallies = parallel::map_items(parts, |_, start| {
            let addresses = start..step.end.min(start + PART);
            let words = Words::new(source, values, &windows, &addresses);
            SliceTally::new(space, number, all, &addresses, &words, listed)
        });
        tally = tallies.into_iter().fold(tally, SliceTally::merge);
    }
    tally
}

/// Addresses that are counted together: what they take fits into a processor's cache.
const PART: usize = 1 << 12;

/// Words of a slice.
struct Words {
    /// The address of the first.
    start: usize,
    /// By side to move.
    sets: Vec<[WordSets; 2]>,
    sides: [SideWords; 2],
}

/// Distances; empty where they are not known, and high bytes and long mates where there are none.
struct SideWords {
    dtz: Vec<Line<u8>>,
    dtz_high: Vec<Line<u8>>,
    dtm: Vec<Line<u8>>,
    long_mates: Vec<Line<u16>>,
}

#[derive(Clone, Copy, Default)]
struct WordSets {
    legal: u64,
    decided: [u64; 5],
    mated: u64,
    stalemated: u64,
}

impl SliceWords for Words {
    fn sets(&self, side: usize, address: usize) -> Sets<'_> {
        let address = address - self.start;
        let WordSets {
            legal,
            decided,
            mated,
            stalemated,
        } = self.sets[address][side];
        let side = &self.sides[side];
        Sets {
            legal,
            decided,
            mated,
            stalemated,
            won_by_zeroing: 0,
            dtz: side.dtz.get(address),
            dtz_high: side.dtz_high.get(address),
            dtm: side.dtm.get(address),
            long_mates: side.long_mates.get(address),
        }
    }
}

impl Words {
    fn new<S: Score>(
        source: &Source,
        values: &SliceValues<'_, S>,
        windows: &[SideWindow<'_, S>; 2],
        addresses: &Range<usize>,
    ) -> Words {
        let frame = values.frame();
        let sets = addresses.clone().map(|address| {
            // The other orders of identical men have no values.
            if !frame.is_in_order(&frame.squares(address)) {
                return Default::default();
            }
            let legality = values.legality(address);
            let men = OnceCell::new();
            Color::ALL.map(|side| {
                let results = windows[side.index()].results.line(address);
                let men = || men.get_or_init(|| values.men(address));
                let stuck = |set| stuck(men(), side, set);
                word_sets(&legality, side, results, stuck)
            })
        });
        Words {
            start: addresses.start,
            sets: sets.collect(),
            sides: windows
                .each_ref()
                .map(|window| SideWords::new(source, window, addresses, values.targets.width)),
        }
    }
}

impl SideWords {
    fn new<S: Score>(
        source: &Source,
        window: &SideWindow<'_, S>,
        addresses: &Range<usize>,
        width: Width,
    ) -> SideWords {
        let mut words = SideWords {
            dtz: Vec::new(),
            dtz_high: Vec::new(),
            dtm: Vec::new(),
            long_mates: Vec::new(),
        };
        if source.has(Metric::Dtz) {
            let keys = addresses.clone().map(|address| window.keys.line(address));
            words.dtz.resize(addresses.len(), [0; 64]);
            let has_high = width.run(Plies {
                keys: keys.clone(),
                shift: 0,
                bytes: &mut words.dtz,
            });
            if has_high {
                words.dtz_high.resize(addresses.len(), [0; 64]);
                width.run(Plies {
                    keys,
                    shift: 8,
                    bytes: &mut words.dtz_high,
                });
            }
        }
        if !window.scores.is_empty() {
            let scores = addresses.clone().map(|address| window.scores.line(address));
            let in_bytes = scores.clone().map(S::line_in_bytes);
            match in_bytes.collect() {
                Some(bytes) => words.dtm = bytes,
                None => words.long_mates = scores.map(|line| line.map(S::in_word)).collect(),
            }
        }
        words
    }
}

/// Finds a byte of the plies of keys; says whether any have more bytes.
struct Plies<'a, I> {
    keys: I,
    shift: u32,
    bytes: &'a mut [Line<u8>],
}

impl<'a, I: Iterator<Item = &'a Line<i16>>> Kernel for Plies<'_, I> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut more = 0;
        for (keys, bytes) in self.keys.zip(self.bytes) {
            for (&key, byte) in keys.iter().zip(bytes) {
                // Where no position is, there are no plies.
                let plies = if key == i16::MAX {
                    0
                } else {
                    key::shortest(key)
                };
                let plies = plies >> self.shift;
                *byte = plies as u8;
                more |= plies >> 8;
            }
        }
        more != 0
    }
}

/// The sets of an address. `stuck` finds those positions of a set in which the side to move has no
/// move.
fn word_sets(
    legality: &Legality,
    side: Color,
    results: &Line<u8>,
    stuck: impl FnOnce(u64) -> u64,
) -> WordSets {
    let legal = legality.legal[side.index()];
    if legal == 0 {
        return WordSets::default();
    }
    // A result is a number of three bits: 0 loss, 1 blessed loss, 2 draw, 3 cursed win, 4 win.
    let [low, middle, high] = [0, 1, 2].map(|bit| bits_of(results, bit));
    let mut decided = [0; 5];
    decided[Wdl::Loss.index()] = legal & !low & !middle & !high;
    decided[Wdl::BlessedLoss.index()] = legal & low & !middle;
    decided[Wdl::CursedWin.index()] = legal & low & middle;
    decided[Wdl::Win.index()] = legal & high;
    let in_check = legal & legality.in_check[side.index()];
    let lost = decided[Wdl::Loss.index()];
    let drawn = legal & !decided.iter().fold(0, |all, set| all | set);
    let stuck = match (lost & in_check) | (drawn & !in_check) {
        0 => 0,
        set => stuck(set),
    };
    WordSets {
        legal,
        decided,
        mated: stuck & in_check,
        stalemated: stuck & !in_check,
    }
}

/// One bit of each number of a line.
fn bits_of(line: &Line<u8>, bit: u32) -> u64 {
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    // Byte i has 1 at bit 8i; times 2^(56 - 7i) that is bit 56 + i, and all other products are
    // elsewhere.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = line.as_chunks::<8>();
    (eights.iter().zip((0..).step_by(8))).fold(0, |set, (eight, first)| {
        let bits = u64::from_le_bytes(*eight) >> bit & LOWEST;
        set | (bits.wrapping_mul(GATHER) >> 56) << first
    })
}

/// The positions of a set in which the side to move has no move. Most are ruled out by a step of
/// its king.
fn stuck(men: &Men, side: Color, set: u64) -> u64 {
    let Men {
        placement,
        legality,
        ..
    } = men;
    let mut left = set;
    match side {
        // Where Black's king may be with White to move, he may step to.
        Color::Black => left &= !a_step_from(legality.legal[0]),
        // White's king steps to a safe square unless Black's king is there or beside.
        Color::White => {
            let Some(king) = squares_of(placement.of(Color::White, Role::King)).next() else {
                return 0;
            };
            let occupied = placement.occupied() & !king.bit();
            let mut steps = attacks::king(king);
            for role in Role::ALL {
                steps &= !placement.of(Color::White, role);
                for square in squares_of(placement.of(Color::Black, role)) {
                    steps &= !attacks::attacks(Color::Black, role, square, occupied);
                }
            }
            for to in squares_of(steps) {
                left &= attacks::king(to) | to.bit();
            }
        }
    }
    (left.ones()).fold(0, |stuck, bit| {
        let mut placement = *placement;
        placement.men[1][Role::King.index()] = 1 << bit;
        let position = placement.position(side);
        let is_stuck = position.is_some_and(|position| position.legal_moves().is_empty());
        stuck | u64::from(is_stuck) << bit
    })
}

/// The squares one step of a king away from some of a set.
fn a_step_from(set: u64) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    let beside = set << 1 & !FILE_A | set >> 1 & !(FILE_A << 7);
    let row = set | beside;
    beside | row << 8 | row >> 8
}

/// How much is gone through for a slice, in the unit of [`Observer::advanced`].
pub(super) fn work_of_slice(source: &Source, work: u64) -> u64 {
    work * sides(source.material()) as u64
}
