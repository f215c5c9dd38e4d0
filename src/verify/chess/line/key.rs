//! Keys: a result with its distance to zeroing in one number, ordered by preference of the side to
//! move. The winner hurries, the loser takes his time.
//!
//! | key | meaning |
//! |---|---|
//! | 16384 - 2n | won in n plies |
//! | 0 | drawn |
//! | 2n - 16384 | lost in n plies |
//!
//! Syzygy tables may not tell a distance from the next one. What is known to be one of two
//! neighbours has the key between them, an odd number. So every key is the middle of a range. What
//! passes to the position before does so for both ends alike, and the least of several keys is the
//! range of the least distance: both ends of it are the least ones.

use super::{FIFTY_MOVES, ILLEGAL, Line};
use crate::byte_sets;
use crate::metric::DtzRange;

/// Won at once.
const WON: i16 = 1 << 14;
const LIMIT: i16 = FIFTY_MOVES.0 as i16;
/// Most plies that have a key which is not that of a draw.
pub const LONGEST: i32 = 8191;
/// Lost in no plies: the side to move is mated.
pub const MATED: i16 = -WON;
pub const DRAWN: i16 = 0;

/// The key of a position from that of the position the best move reaches, which is no zeroing
/// move.
#[inline(always)]
pub fn before_quiet_move(key: i16) -> i16 {
    2 * key.signum() - key
}

/// The key of a result ([`crate::metric::Wdl::index`]) with a distance, or with the longest
/// that has one.
#[inline(always)]
pub fn of(result: u8, distance: u16) -> i16 {
    let plies = 2 * distance.min(LONGEST as u16) as i16;
    match result {
        0 | 1 => plies - WON,
        2 => DRAWN,
        _ => WON - plies,
    }
}

/// The key of a range that does not reach from wins to losses; nothing if it is too far from
/// zero.
pub fn of_range(range: DtzRange) -> Option<i16> {
    let sum = range.shortest.0 + range.longest.0;
    let is_short = sum.abs() <= 2 * LONGEST;
    is_short.then(|| (i32::from(WON) * sum.signum() - sum) as i16)
}

/// A key of a result, as far from zero as another one.
#[inline(always)]
pub fn with_result(key: i16, result: u8) -> i16 {
    let decided = if key == DRAWN { WON } else { key.abs() };
    match result {
        0 | 1 => -decided,
        2 => DRAWN,
        _ => decided,
    }
}

/// Derived keys, where they agree with the results.
#[inline(always)]
pub fn take_expected(keys: &mut Line<i16>, expected: &Line<i16>, results: &Line<u8>) {
    for ((key, &expected), &result) in keys.iter_mut().zip(expected).zip(results) {
        let legal = with_result(expected, result);
        *key = if result == ILLEGAL { i16::MAX } else { legal };
    }
}

/// The key to take for a position that a zeroing move reaches, so that the key before it comes
/// out right: the distance is 1 ply, or 101 where the fifty-move rule spoils the result.
#[inline(always)]
pub fn reached_by_zeroing(result: u8) -> i16 {
    let from_draw = i16::from(result) - 2;
    // Of what is not legal it is not looked at.
    let key = from_draw.wrapping_mul(2 * LIMIT);
    let key = key.wrapping_add(from_draw.signum() * (WON - 4 * LIMIT));
    if result == super::ILLEGAL {
        i16::MAX
    } else {
        key
    }
}

/// The result under the fifty-move rule.
#[inline(always)]
pub fn result(key: i16) -> u8 {
    let won_in_time = WON - 2 * LIMIT;
    2 + u8::from(key > 0) + u8::from(key >= won_in_time)
        - u8::from(key < 0)
        - u8::from(key <= -won_in_time)
}

/// By [`result`], the places of a line that have it.
#[inline(always)]
pub fn results(keys: &Line<i16>) -> [u64; 5] {
    let in_time = WON - 2 * LIMIT;
    let [win, won, not_lost, not_loss] =
        [in_time - 1, DRAWN, DRAWN - 1, -in_time].map(|bound| byte_sets::keys_above(keys, bound));
    [
        !not_loss,
        !not_lost & not_loss,
        not_lost & !won,
        won & !win,
        win,
    ]
}

/// The least number of plies, without sign.
#[inline(always)]
pub fn shortest(key: i16) -> u16 {
    if key == DRAWN {
        0
    } else {
        (WON - key.abs()).unsigned_abs() / 2
    }
}

/// The largest number of plies, without sign.
pub fn longest(key: i16) -> u16 {
    shortest(key) + (key & 1).unsigned_abs()
}

/// Whether two ranges have a distance in common.
#[inline(always)]
pub fn meet(a: i16, b: i16) -> bool {
    a.wrapping_sub(b).unsigned_abs() <= ((a & 1) + (b & 1)).unsigned_abs()
}

/// What two ranges have in common, if they [`meet`]; else the first.
pub fn common(a: i16, b: i16) -> i16 {
    if a & 1 == 0 || !meet(a, b) {
        a
    } else if b & 1 == 0 {
        b
    } else {
        (a + b) / 2
    }
}

/// Whether a position of this key may be mated: a Syzygy table has one ply for that, or one or
/// two.
#[inline(always)]
pub fn may_be_mated(key: i16) -> bool {
    (key > MATED) & (key <= MATED + 3)
}
