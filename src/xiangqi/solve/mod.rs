//! Xiangqi for the solver: 90 positions at a time.
//!
//! What differs from chess, and where it is dealt with:
//!
//! - the man in the word is an attacker, so others can block it: its moves need the address
//!   ([`sweep`]);
//! - a camp of king, advisors and elephants is one dimension (`home`);
//! - legs, eyes and screens: what has to be empty is known from the address, but for the man in the
//!   word;
//! - the side without a legal move has lost, in check or not;
//! - there are no zeroing moves but captures and no limit of plies without one;
//! - perpetual check loses where that rule is in force.

mod collect;
mod home;
pub mod space;
mod steps;
pub mod sweep;
mod target;

use std::collections::HashMap;
use std::sync::Arc;

pub use crate::error::SolveError;

use super::{Material, Rules};
use crate::game::Bits;
use crate::metric::{MateScore, Wdl};
use crate::retro::fixpoint;
pub use crate::retro::fixpoint::{Distance, PlyObserver, Watch};
use crate::retro::fixpoint::{Fixed, Values, WithRounds};
use crate::simd::Width;
use collect::Collector;
use space::Space;
use sweep::Moves;

/// Bytes of memory for each word of one side to move while its material is being solved, at the
/// worst moment: what is fixed (112), the sets of the iteration (145), the distances and notes of
/// them (168), and results (64).
pub const SOLVING_BYTES: u64 = 489;
/// More of them where distances to mate are wanted: scores of captures (128), new distances and
/// notes of them (168), and when a score is due and notes of that (11).
pub const MATES_BYTES: u64 = 307;
/// More of them under the rule of perpetual check: rounds and notes of them (168), the sets of a
/// core and its ranks (160).
pub const PERPETUAL_CHECK_BYTES: u64 = 328;
/// Bytes of memory for each word of one side to move of a solved material: three sets and distances
/// to conversion.
pub const SOLVED_BYTES: u64 = 3 * 16 + 128;
/// More of them for distances to mate, and as many for rounds.
pub const MORE_DISTANCES_BYTES: u64 = 128;

/// The values of one side to move: words over the squares of one attacker.
#[derive(Clone, Debug, Default)]
pub struct SideValues {
    /// Positions that can occur.
    pub legal: Vec<u128>,
    /// Those that are won.
    pub won: Vec<u128>,
    /// Those that are lost.
    pub lost: Vec<u128>,
    /// Distance to conversion in plies without sign, 128 bytes a word; 0 for draws and where there
    /// is no move. Empty where nobody wants it any more.
    pub dtc: Vec<u8>,
    /// [`MateScore`] bytes, 128 a word; empty if not wanted.
    pub dtm: Vec<u8>,
    /// How often the rule of perpetual check was applied before a position was decided, 128 bytes a
    /// word; empty if it decided nothing.
    pub rounds: Vec<u8>,
}

impl SideValues {
    fn empty(words: usize, with_scores: bool) -> SideValues {
        SideValues {
            legal: vec![0; words],
            won: vec![0; words],
            lost: vec![0; words],
            dtc: Vec::new(),
            dtm: match with_scores {
                true => vec![MateScore::DRAW.0; words * u128::WIDTH as usize],
                false => Vec::new(),
            },
            rounds: Vec::new(),
        }
    }

    /// The result of one position, or nothing if it is not legal.
    #[must_use]
    #[inline]
    pub fn wdl(&self, address: usize, bit: u32) -> Option<Wdl> {
        if !self.legal[address].contains(bit) {
            return None;
        }
        Some(if self.won[address].contains(bit) {
            Wdl::Win
        } else if self.lost[address].contains(bit) {
            Wdl::Loss
        } else {
            Wdl::Draw
        })
    }

    /// The result of a legal position and its score if scores are kept.
    #[inline(always)]
    fn outcome(&self, address: usize, square: u8) -> Option<(Wdl, Option<MateScore>)> {
        let wdl = self.wdl(address, square.into())?;
        let at = address * u128::WIDTH as usize + usize::from(square);
        Some((wdl, self.dtm.get(at).copied().map(MateScore)))
    }

    /// Takes the value of a position over from somewhere else.
    fn copy(&mut self, address: usize, bit: u32, from: &SideValues, at: usize, at_bit: u32) {
        let here = u128::bit(bit);
        for (to, from) in [
            (&mut self.legal, &from.legal),
            (&mut self.won, &from.won),
            (&mut self.lost, &from.lost),
        ] {
            if from[at].contains(at_bit) {
                to[address] |= here;
            }
        }
        let width = u128::WIDTH as usize;
        if let Some(score) = self.dtm.get_mut(address * width + bit as usize) {
            *score = from.dtm[at * width + at_bit as usize];
        }
    }
}

/// Every value of a material.
#[derive(Debug)]
pub struct Solved {
    /// Which position is where.
    pub space: Space,
    /// The values by side to move.
    pub sides: [SideValues; 2],
}

impl Solved {
    /// Positions of the full board by result, with each side to move: every placement once, men of
    /// a kind not told apart.
    #[must_use]
    pub fn counts(&self) -> [Counts; 2] {
        self.sides.each_ref().map(|side| {
            let mut counts = Counts::default();
            for address in 0..self.space.words {
                let images = self.space.images(address);
                let count = |set: u128| images.weight * u64::from((set & images.counted).count());
                let [won, lost] = [side.won[address], side.lost[address]];
                counts.win += count(won);
                counts.loss += count(lost);
                counts.draw += count(side.legal[address] & !won & !lost);
            }
            counts
        })
    }
}

/// How many positions have which result for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions won.
    pub win: u64,
    /// Positions drawn.
    pub draw: u64,
    /// Positions lost.
    pub loss: u64,
}

/// Solved materials by their normal form.
pub type Targets = HashMap<Material, Arc<Solved>>;

/// What to solve and how to stop.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions<'a> {
    /// What an endless game is worth.
    pub rules: Rules,
    /// Whether distances to mate are wanted; the targets must have them too. Only without perpetual
    /// check.
    pub mates: bool,
    /// Who watches and may stop it.
    pub watch: Watch<'a>,
}

/// Every value of a material. `targets` holds at least what its captures lead to, solved under the
/// same rules.
///
/// # Errors
///
/// If a target is missing, a distance does not fit, or the caller cancelled.
pub fn solve(
    material: Material,
    targets: &Targets,
    options: SolveOptions<'_>,
) -> Result<Solved, SolveError> {
    solve_fixed(Problem::new(material, targets, options)?, options)
}

/// As [`solve`]; the targets are gone before the iteration begins, which takes the most memory.
///
/// # Errors
///
/// As for [`solve`].
pub(crate) fn solve_dropping(
    material: Material,
    targets: Targets,
    options: SolveOptions<'_>,
) -> Result<Solved, SolveError> {
    let problem = Problem::new(material, &targets, options)?;
    drop(targets);
    solve_fixed(problem, options)
}

/// The positions of a material, and what is fixed of their values by captures and by the rules.
struct Problem {
    space: Space,
    fixed: [Fixed<u128>; 2],
}

impl Problem {
    fn new(
        material: Material,
        targets: &Targets,
        options: SolveOptions<'_>,
    ) -> Result<Problem, SolveError> {
        let too_large = || SolveError::too_large(&material);
        let word_man = space::word_man(&material).ok_or_else(too_large)?;
        let space = Space::new(material, word_man).ok_or_else(too_large)?;
        let fixed = Collector::new(&space, targets, options.mates)?.collect();
        Ok(Problem { space, fixed })
    }
}

fn solve_fixed(problem: Problem, options: SolveOptions<'_>) -> Result<Solved, SolveError> {
    let Problem { space, mut fixed } = problem;
    let material = space.material;
    let solved = fixpoint::solve_without_limit(
        Moves::new(&space),
        &mut fixed,
        options.rules == Rules::PerpetualCheck,
        Width::widest(),
        options.watch,
    );
    let WithRounds { values, rounds } = solved.map_err(|reason| reason.of(&material))?;
    if values.iter().any(|values| values.dtm.are_wide()) {
        return Err(SolveError::distance_overflow(&material));
    }
    let parts = fixed.into_iter().zip(values).zip(rounds);
    let mut sides = parts.map(|((fixed, values), rounds)| {
        let Values {
            decided: [lost, _, _, _, won],
            dtz,
            dtm,
            ..
        } = values;
        SideValues {
            legal: fixed.legal,
            won,
            lost,
            dtc: dtz,
            dtm: dtm.into_bytes().unwrap_or_default(),
            rounds,
        }
    });
    let sides = std::array::from_fn(|_| sides.next().unwrap_or_default());
    Ok(Solved { space, sides })
}
