//! Looking for the best of many candidates without looking at all of each.

use crate::Error;

/// How large the sample of each round is, in units of that of the first.
const ROUNDS: [usize; 3] = [1, 4, 16];
/// One candidate in so many goes on to the next round, but not fewer than some.
const GOING_ON: usize = 8;
const FEWEST: usize = 4;

/// The candidate that takes the least bytes, of equal ones the first. `bytes` says of each of some
/// how many a sample of so many pieces takes; `pieces` is how many the first round looks at.
///
/// # Errors
///
/// Those of `bytes`.
///
/// # Panics
///
/// If there is no candidate.
pub(super) fn best_of<C>(
    candidates: Vec<C>,
    pieces: usize,
    mut bytes: impl FnMut(&[C], usize) -> Result<Vec<u64>, Error>,
) -> Result<C, Error> {
    let mut running = candidates;
    for pieces in ROUNDS.map(|times| times * pieces) {
        if running.len() == 1 {
            break;
        }
        let sums = bytes(&running, pieces)?;
        let mut ranked: Vec<(u64, C)> = sums.into_iter().zip(running).collect();
        ranked.sort_by_key(|&(sum, _)| sum);
        let going_on = ranked.len().div_ceil(GOING_ON).max(FEWEST);
        ranked.truncate(going_on);
        running = ranked.into_iter().map(|(_, candidate)| candidate).collect();
    }
    Ok(running.swap_remove(0))
}

/// Place `number` of any number of places below `len` that lie apart: multiples of the golden
/// ratio. At halves and quarters all men but one would stand on the same square, where nothing is
/// asked for.
pub(super) fn place_apart(number: u64, len: u64) -> u64 {
    let fraction = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(fraction) * u128::from(len)) >> 64) as u64
}
