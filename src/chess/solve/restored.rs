//! The values of a slice from finished tables instead of solving it.
//!
//! A table may have any number where a prober finds the value elsewhere, in a capture or promotion.
//! What those are worth is collected as it is for solving, and the better of it and of the number
//! is the value.

use std::fmt::Debug;
use std::ops::Range;

use super::slice::SliceRules;
use super::solved::{Conversions, SideValues};
use super::space::Space;
use super::{SolveError, SolveOptions, SolvedSlice, board::ChessBoard, sweep};
use crate::byte_sets::expanded;
use crate::chess::material::Material;
use crate::metric::{Metric, Wdl};
use crate::retro::fixpoint::{Fixed, Values, complete};
use crate::retro::score::{Score, Scores};
use crate::simd::{Kernel, Width};

/// The numbers of one side to move in a slice, 64 at each address. Where no position is they may be
/// any.
#[derive(Debug, Default)]
pub struct FinishedNumbers {
    /// Their low bytes.
    pub low: Vec<[u8; 64]>,
    /// Their high bytes; empty if all are zero.
    pub high: Vec<[u8; 64]>,
}

/// The numbers of the tables of a material.
pub trait FinishedTables: Debug + Sync {
    /// Whether others read the values of a side to move.
    fn is_read(&self, side: usize) -> bool;

    /// The numbers of one side to move in a slice, at addresses with some squares of the white
    /// king; nothing if no file has that side.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn numbers(
        &self,
        slice: usize,
        side: usize,
        metric: Metric,
        addresses: &Range<usize>,
    ) -> Result<Option<FinishedNumbers>, SolveError>;
}

/// Reads a slice. Its values have no distances to zeroing.
pub(super) fn restore(
    space: &Space<ChessBoard>,
    material: &Material,
    slice: usize,
    tables: &dyn FinishedTables,
    rules: SliceRules<'_>,
    options: SolveOptions<'_>,
) -> Result<SolvedSlice, SolveError> {
    let all = 0..space.words;
    let (mut fixed, conversions) = rules.collect(options.width, all.clone());
    drop(rules);
    let mut values = [
        Values::undecided(space.words),
        Values::undecided(space.words),
    ];
    for (side, (values, conversions)) in values.iter_mut().zip(&conversions).enumerate() {
        let fixed = &fixed[side];
        let elsewhere = Elsewhere::new(fixed, conversions.as_ref());
        let results = tables.numbers(slice, side, Metric::Wdl, &all)?;
        let results = results.ok_or_else(|| incomplete(material))?;
        let width = options.width;
        elsewhere.read_results(&results.low, &fixed.legal, &mut values.decided, width);
        if options.mates
            && let Some(numbers) = tables.numbers(slice, side, Metric::Dtm, &all)?
        {
            values.dtm = match numbers.high.is_empty() {
                true => elsewhere.read_mates::<u8>(&numbers, &values.decided, width),
                false => elsewhere.read_mates::<u16>(&numbers, &values.decided, width),
            };
        }
    }
    drop(conversions);
    if options.mates && values.iter().all(|side| side.dtm.is_empty()) {
        return Err(incomplete(material));
    }
    let lines = sweep::LineTable::new(space);
    complete(
        sweep::SliceMoves::new(space, &lines),
        &mut fixed,
        &mut values,
        options.width,
    );
    let [white, black] = fixed;
    let [white_values, black_values] = values;
    let side = |fixed: Fixed<u64>, values: Values<u64>| SideValues {
        legal: fixed.legal,
        decided: values.decided,
        stalemate: values.stalemate,
        dtm: values.dtm,
        longest: values.longest,
        own: Default::default(),
    };
    Ok(SolvedSlice::Whole(Box::new([
        side(white, white_values),
        side(black, black_values),
    ])))
}

pub(super) fn incomplete(material: &Material) -> SolveError {
    SolveError::unreadable(material, "a side to move is not there".to_owned())
}

/// What a prober finds elsewhere.
pub(super) struct Elsewhere<'a> {
    wdl: &'a [Vec<u64>; 5],
    score: &'a Scores<'static>,
}

impl<'a> Elsewhere<'a> {
    pub fn new(fixed: &'a Fixed<u64>, conversions: Option<&'a Conversions>) -> Elsewhere<'a> {
        match conversions {
            Some(conversions) => Elsewhere {
                wdl: &conversions.wdl,
                score: &conversions.score,
            },
            // Without pawns every zeroing move is one.
            None => Elsewhere {
                wdl: &fixed.zeroing,
                score: &fixed.zeroing_score,
            },
        }
    }

    /// The better of the number and of what is found elsewhere, of positions without a draw.
    pub fn read_results(
        &self,
        numbers: &[[u8; 64]],
        legal: &[u64],
        decided: &mut [Vec<u64>; 5],
        width: Width,
    ) {
        width.run(ReadResults {
            elsewhere: self.wdl,
            numbers,
            legal,
            decided,
        });
    }

    fn read_mates<S: FileScore>(
        &self,
        numbers: &FinishedNumbers,
        decided: &[Vec<u64>; 5],
        width: Width,
    ) -> Scores<'static> {
        let mut scores = vec![S::DRAW; numbers.low.len() * 64];
        width.run(ReadMates {
            elsewhere: self.score,
            numbers,
            decided,
            scores: &mut scores,
        });
        S::wrap(scores)
    }
}

struct ReadResults<'a> {
    elsewhere: &'a [Vec<u64>; 5],
    numbers: &'a [[u8; 64]],
    legal: &'a [u64],
    decided: &'a mut [Vec<u64>; 5],
}

impl Kernel for ReadResults<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (address, line) in self.numbers.iter().enumerate() {
            let mut left = self.legal[address];
            if left == 0 {
                continue;
            }
            for value in (0..Wdl::ALL.len()).rev() {
                let own = <u8 as Score>::equal::<u64>(line, value as u8);
                let set = left & (own | self.elsewhere[value][address]);
                left &= !set;
                if value != Wdl::Draw.index() {
                    self.decided[value][address] = set;
                }
            }
        }
    }
}

struct ReadMates<'a, S> {
    elsewhere: &'a Scores<'static>,
    numbers: &'a FinishedNumbers,
    decided: &'a [Vec<u64>; 5],
    /// Draws everywhere.
    scores: &'a mut [S],
}

impl<S: FileScore> Kernel for ReadMates<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let either = |values: [Wdl; 2], address: usize| {
            self.decided[values[0].index()][address] | self.decided[values[1].index()][address]
        };
        let lines = self.scores.as_chunks_mut::<64>().0;
        for (address, (scores, low)) in lines.iter_mut().zip(&self.numbers.low).enumerate() {
            let won = either([Wdl::Win, Wdl::CursedWin], address);
            let decided = won | either([Wdl::Loss, Wdl::BlessedLoss], address);
            if decided == 0 {
                continue;
            }
            let high = self.numbers.high.get(address).unwrap_or(&[0; 64]);
            let elsewhere = S::line_of_either(self.elsewhere, address);
            let (is_won, is_decided) = (expanded(won), expanded(decided));
            for square in 0..64 {
                let number = S::number([low[square], high[square]]);
                // A number on the wrong side of the draw is worse than any mate of the right one.
                let own = match (number < S::DRAW, is_won[square] != 0) {
                    (false, _) => S::MATED,
                    (true, true) => number.as_win(),
                    (true, false) => number,
                };
                let best = own.max(elsewhere[square]);
                scores[square] = match is_decided[square] != 0 {
                    true => best,
                    false => S::DRAW,
                };
            }
        }
    }
}

/// A score as files count it.
trait FileScore: Score {
    /// A number from its low byte and its high byte.
    fn number(bytes: [u8; 2]) -> Self;

    /// That of a win of so many moves.
    fn as_win(self) -> Self;

    /// The scores of the positions of a word, which are of this width or of the other.
    fn line_of_either(scores: &Scores<'_>, address: usize) -> [Self; 64];
}

impl FileScore for u8 {
    #[inline(always)]
    fn number([low, _]: [u8; 2]) -> u8 {
        low
    }

    #[inline(always)]
    fn as_win(self) -> u8 {
        u8::MAX - self
    }

    #[inline(always)]
    fn line_of_either(scores: &Scores<'_>, address: usize) -> [u8; 64] {
        match scores {
            Scores::Bytes(_) => u8::line(scores, address),
            Scores::Words(_) => u16::line(scores, address).map(u8::from_wide),
        }
    }
}

impl FileScore for u16 {
    #[inline(always)]
    fn number(bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn as_win(self) -> u16 {
        u16::MAX - self
    }

    #[inline(always)]
    fn line_of_either(scores: &Scores<'_>, address: usize) -> [u16; 64] {
        u16::line(scores, address)
    }
}
