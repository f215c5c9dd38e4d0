//! Where moves of xiangqi lead, and which of them a handicap denies.

use super::packed::Packed;
use crate::game::Color;
use crate::reach::game::{Next, Rules};
use crate::reach::handicap::Handicap;
use crate::reach::positions::{Compact, Look};
use crate::xiangqi::rules::{Move, Position, Role, Square, squares};

/// The first rank behind the river, from the side that crosses it.
const BEYOND: u8 = 5;

fn is_across(square: Square, color: Color) -> bool {
    square.rank_for(color) >= BEYOND
}

/// Whether a pawn crosses the river.
fn crosses(m: Move, mover: Color) -> bool {
    m.role() == Role::Pawn && !is_across(m.from(), mover) && is_across(m.to(), mover)
}

/// How many men of a side can attack: rooks, knights, cannons, and pawns across the river.
fn attackers(position: &Position, color: Color) -> u32 {
    let men = [Role::Rook, Role::Knight, Role::Cannon].map(|role| position.pieces(color, role));
    let pawns = squares(position.pieces(color, Role::Pawn));
    let across = pawns.filter(|&square| is_across(square, color)).count();
    men.into_iter().map(u128::count_ones).sum::<u32>() + across as u32
}

/// Whether a move to `next` is denied to the side that has a handicap.
fn denies(handicap: &Handicap, next: &Position, m: Move) -> bool {
    let side = handicap.side;
    // The pawn that has crossed is one of them.
    next.turn() != side
        && crosses(m, side)
        && (handicap.pieces).is_some_and(|most| attackers(next, side) > most)
}

/// Whether a move to `next` wins at once against the side that has a handicap.
fn concedes(handicap: &Handicap, next: &Position, m: Move) -> bool {
    let men = next.by_color(handicap.side).count_ones() + u32::from(m.is_capture());
    next.turn() == handicap.side
        && handicap.concedes(m.is_capture(), crosses(m, !handicap.side), men)
}

/// Where a move led whose position after it is `next`.
#[inline]
pub fn next(rules: &Rules<'_, Position>, next: &Position, m: Move) -> Next<Position> {
    if let Some(handicap) = rules.handicap {
        if denies(handicap, next, m) {
            return Next::Denied;
        }
        if concedes(handicap, next, m) {
            return Next::Conceded;
        }
    }
    match m.is_capture() && rules.covers(next) {
        true => Next::Leaf(*next),
        false => Next::Inside,
    }
}

/// What is to be explored after a position: everything with its men, and what captures lead to
/// unless that is known.
pub fn visit(
    packed: &Packed,
    rules: &Rules<'_, Position>,
    mut found: impl FnMut(Packed, u64),
) -> Look {
    let mut position = packed.unpack();
    for m in &position.legal_moves() {
        let undo = position.make(m);
        if matches!(next(rules, &position, m), Next::Inside) {
            found(Packed::new(&position), position.key());
        }
        position.unmake(m, undo);
    }
    // Edges are found anew, whatever they are.
    Look::AGAIN
}
