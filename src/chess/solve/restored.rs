//! The values of a slice from finished tables instead of solving it.
//!
//! A table may have any number where a prober finds the value elsewhere, in a capture or promotion. What those are
//! worth is collected as it is for solving, and the better of it and of the number is the value.

use std::fmt::Debug;
use std::ops::Range;

use super::slice::SliceRules;
use super::solved::{Conversions, SideValues};
use super::space::Space;
use super::{SolveError, SolveOptions, SolvedSlice, board::ChessBoard, sweep};
use crate::chess::material::Material;
use crate::metric::{Metric, Wdl};
use crate::retro::fixpoint::{Fixed, Values, complete};
use crate::retro::score::{Score, Scores, widened};

/// The numbers of one side to move in a slice, 64 at each address. Where no position is they may be any.
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

    /// The numbers of one side to move in a slice, at addresses with some squares of the white king; nothing if no file
    /// has that side.
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
        elsewhere.read_results(&results.low, &fixed.legal, &mut values.decided);
        if options.mates
            && let Some(numbers) = tables.numbers(slice, side, Metric::Dtm, &all)?
        {
            values.dtm = match numbers.high.is_empty() {
                true => elsewhere.read_mates::<u8>(&numbers, &values.decided),
                false => elsewhere.read_mates::<u16>(&numbers, &values.decided),
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
    pub fn read_results(&self, numbers: &[[u8; 64]], legal: &[u64], decided: &mut [Vec<u64>; 5]) {
        for (address, line) in numbers.iter().enumerate() {
            let mut left = legal[address];
            if left == 0 {
                continue;
            }
            for value in Wdl::ALL.into_iter().rev().map(Wdl::index) {
                let own = <u8 as Score>::equal::<u64>(line, value as u8);
                let set = left & (own | self.wdl[value][address]);
                left &= !set;
                if value != Wdl::Draw.index() {
                    decided[value][address] = set;
                }
            }
        }
    }

    fn read_mates<S: FileScore>(
        &self,
        numbers: &FinishedNumbers,
        decided: &[Vec<u64>; 5],
    ) -> Scores<'static> {
        let mut scores = vec![S::DRAW; numbers.low.len() * 64];
        let sets = |values: [Wdl; 2], address: usize| {
            values
                .iter()
                .fold(0, |all, value| all | decided[value.index()][address])
        };
        for (address, low) in numbers.low.iter().enumerate() {
            let won = sets([Wdl::Win, Wdl::CursedWin], address);
            let lost = sets([Wdl::Loss, Wdl::BlessedLoss], address);
            if won | lost == 0 {
                continue;
            }
            let elsewhere = match self.score {
                Scores::Bytes(_) => <u8 as Score>::line(self.score, address)
                    .map(|score| S::from_wide(widened(score))),
                Scores::Words(_) => <u16 as Score>::line(self.score, address).map(S::from_wide),
            };
            let scores = &mut scores[address * 64..][..64];
            for (square, score) in scores.iter_mut().enumerate() {
                let [is_won, is_lost] = [won, lost].map(|set| set >> square & 1 == 1);
                let high = numbers.high.get(address).map_or(0, |line| line[square]);
                let number = S::number([low[square], high]);
                // A number on the wrong side of the draw is worse than any mate of the right one.
                let own = match (number < S::DRAW, is_won) {
                    (false, _) => S::MATED,
                    (true, true) => number.as_win(),
                    (true, false) => number,
                };
                let best = own.max(elsewhere[square]);
                *score = if is_won | is_lost { best } else { S::DRAW };
            }
        }
        S::wrap(scores)
    }
}

/// A score as files count it.
trait FileScore: Score {
    /// A number from its low byte and its high byte.
    fn number(bytes: [u8; 2]) -> Self;

    /// That of a win of so many moves.
    fn as_win(self) -> Self;
}

impl FileScore for u8 {
    fn number([low, _]: [u8; 2]) -> u8 {
        low
    }

    fn as_win(self) -> u8 {
        u8::MAX - self
    }
}

impl FileScore for u16 {
    fn number(bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(bytes)
    }

    fn as_win(self) -> u16 {
        u16::MAX - self
    }
}
