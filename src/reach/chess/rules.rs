//! Where moves of chess lead, and which of them a handicap denies.

use super::packed::Packed;
use super::symmetry::has_images;
use crate::chess::rules::{Move, Position, Role};
use crate::reach::game::{Next, Rules};
use crate::reach::handicap::Handicap;
use crate::reach::positions::{Compact, Look};

/// Whether a promotion is denied.
fn denies(handicap: &Handicap, position: &Position, role: Role) -> bool {
    position.turn() == handicap.side
        && (!handicap.promotions.contains(&role)
            || handicap.pieces.is_some_and(|most| pieces(position) >= most))
}

/// How many men the side to move has that are neither king nor pawn.
fn pieces(position: &Position) -> u32 {
    let others = position.by_role(Role::King) | position.by_role(Role::Pawn);
    (position.by_color(position.turn()) & !others).count_ones()
}

/// Where a move leads; `is_covered` tells whether the position before it is covered itself.
#[inline]
pub fn next(
    rules: &Rules<'_, Position>,
    position: &Position,
    m: Move,
    is_covered: bool,
) -> Next<Position> {
    if let Some(handicap) = rules.handicap {
        if m.promotion()
            .is_some_and(|role| denies(handicap, position, role))
        {
            return Next::Denied;
        }
        let men = position.by_color(handicap.side).count_ones();
        if position.turn() != handicap.side
            && handicap.concedes(m.capture().is_some(), m.promotion().is_some(), men)
        {
            return Next::Conceded;
        }
    }
    // Coverage is by material and castling rights, so it stays unless a move changes one of them.
    if m.changes_material() || !position.castling_rights().is_empty() {
        let next = position.play(m);
        if rules.covers(&next) {
            return Next::Leaf(next);
        }
    } else if is_covered {
        return Next::Leaf(position.play(m));
    }
    Next::Inside
}

/// What is to be explored after a position.
pub fn visit(
    packed: &Packed,
    rules: &Rules<'_, Position>,
    is_covered: bool,
    mut found: impl FnMut(Packed, u64),
) -> Look {
    let position = packed.unpack();
    let has_images = has_images(&position);
    let (mut all_stay, mut counted) = (true, 0);
    for m in &position.legal_moves() {
        let is_inside = matches!(next(rules, &position, m, is_covered), Next::Inside);
        if is_inside {
            let (next, key) = packed.after(&position, m);
            found(next, key);
        }
        all_stay &= is_inside && stays(packed, &position, m);
        counted += usize::from(!has_images || !packed.is_image_of_another(m.to()));
    }
    match all_stay {
        true => Look::all_stay(counted),
        false => Look::AGAIN,
    }
}

/// Whether a move that is explored leads to a position of the same level.
#[inline]
pub fn stays(packed: &Packed, position: &Position, m: Move) -> bool {
    let rights = position.castling_rights();
    !m.is_zeroing()
        && !packed.has_en_passant()
        && (rights.is_empty() || position.play(m).castling_rights() == rights)
}
