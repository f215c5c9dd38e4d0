//! The value of a position from those of the positions its moves lead to.
//!
//! This is the definition of the metrics, move by move with the ordinary move generator. Of rules it shares with the
//! solver only [`crate::metric`]; what both use besides are signatures, symmetries and attack tables.

use super::values::{Loaded, Values};
use crate::game::Color;
use crate::game::chess::{Move, Position, Role};
use crate::index::Placement;
use crate::material::Material;
use crate::metric::{FIFTY_MOVES, MateScore, Wdl};

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub wdl: Wdl,
    /// Plies to zeroing without sign; 0 for draws and mates.
    pub dtz: u16,
    pub score: MateScore,
}

impl Outcome {
    const DRAW: Outcome = Outcome {
        wdl: Wdl::Draw,
        dtz: 0,
        score: MateScore::DRAW,
    };
}

/// A result with its distance to zeroing, ordered by preference of the side to move: the winner hurries, the loser
/// takes his time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Preference(i32);

impl Preference {
    const WIN: i32 = 1 << 16;

    fn won_in(plies: i32) -> Preference {
        Preference(Self::WIN - plies)
    }

    fn lost_in(plies: i32) -> Preference {
        Preference(plies - Self::WIN)
    }

    fn of_zeroing_move(wdl: Wdl) -> Preference {
        let plies = wdl.dtz_of_zeroing_move().0.abs();
        if wdl.is_any_win() {
            Preference::won_in(plies)
        } else if wdl.is_any_loss() {
            Preference::lost_in(plies)
        } else {
            Preference(0)
        }
    }

    fn of_quiet_move(after: Outcome) -> Preference {
        let plies = i32::from(after.dtz) + 1;
        if after.wdl.is_any_loss() {
            Preference::won_in(plies)
        } else if after.wdl.is_any_win() {
            Preference::lost_in(plies)
        } else {
            Preference(0)
        }
    }

    /// The result under the fifty-move rule, and the distance.
    fn value(self) -> (Wdl, u16) {
        let plies = if self.0 > 0 {
            Self::WIN - self.0
        } else {
            self.0 + Self::WIN
        };
        let in_time = plies <= FIFTY_MOVES.0 as i32;
        match self.0 {
            0 => (Wdl::Draw, 0),
            1.. => (
                if in_time { Wdl::Win } else { Wdl::CursedWin },
                plies as u16,
            ),
            _ => (
                if in_time { Wdl::Loss } else { Wdl::BlessedLoss },
                plies as u16,
            ),
        }
    }
}

/// The men after a move.
fn after(placement: &Placement, turn: Color, played: Move) -> Placement {
    let mut men = placement.men;
    let (own, other) = (turn.index(), (!turn).index());
    let role = played.role();
    men[own][role.index()] &= !played.from().bit();
    men[own][played.promotion().unwrap_or(role).index()] |= played.to().bit();
    if played.is_en_passant() {
        let taken = 1u64 << (played.from().rank() * 8 + played.to().file());
        men[other][Role::Pawn.index()] &= !taken;
    } else if let Some(captured) = played.capture() {
        men[other][captured.index()] &= !played.to().bit();
    }
    Placement { men }
}

/// The value of a placement with a side to move, en-passant rights left aside.
fn value_of(placement: &Placement, turn: Color, own: &Values, loaded: &Loaded) -> Option<Outcome> {
    let material = Material::from_counts(placement.counts())?;
    if material == Material::BARE_KINGS {
        return Some(Outcome::DRAW);
    }
    let normal = material.normal_form();
    let values = if normal == *own.space.material() {
        own
    } else {
        loaded.get(&normal)?
    };
    let exchange = !material.is_normal() || normal.is_symmetric() && turn == Color::Black;
    if exchange {
        values.of(&placement.with_colors_exchanged(), (!turn).index())
    } else {
        values.of(placement, turn.index())
    }
}

/// The value after a move, for the side that moves then, en-passant captures included.
fn value_after(
    placement: &Placement,
    position: &Position,
    played: Move,
    own: &Values,
    loaded: &Loaded,
) -> Option<Outcome> {
    let turn = position.turn();
    let next = after(placement, turn, played);
    let value = value_of(&next, !turn, own, loaded);
    let is_double_step =
        played.role() == Role::Pawn && played.from().rank().abs_diff(played.to().rank()) == 2;
    if !is_double_step || next.of(!turn, Role::Pawn) == 0 {
        return value;
    }
    let reached = position.play(played);
    if reached.legal_en_passant_square().is_none() {
        return value;
    }
    let mut best: Option<Outcome> = None;
    let mut captures = 0;
    for capture in &reached.legal_captures() {
        if capture.is_en_passant() {
            captures += 1;
            let after_capture = after(&next, !turn, capture);
            let reply = before(value_of(&after_capture, turn, own, loaded)?);
            best = better(best, reply);
        }
    }
    // Where nothing else can be played, the table's value is that of a stalemate or a mate.
    if reached.count_legal_moves() > captures {
        best = better(best, value?);
    }
    best
}

/// The value for the mover of a zeroing move; its distance to zeroing is left out.
fn before(after: Outcome) -> Outcome {
    Outcome {
        wdl: -after.wdl,
        dtz: 0,
        score: after.score.before_move(),
    }
}

/// The better result and the better mate score, which may come from different moves.
fn better(best: Option<Outcome>, other: Outcome) -> Option<Outcome> {
    Some(match best {
        None => other,
        Some(best) => Outcome {
            wdl: best.wdl.max(other.wdl),
            dtz: 0,
            score: best.score.max(other.score),
        },
    })
}

/// The best of captures and promotions.
pub(super) fn best_conversion(
    placement: &Placement,
    position: &Position,
    own: &Values,
    loaded: &Loaded,
) -> Option<Outcome> {
    let mut best = None;
    for capture in &position.legal_captures() {
        let value = value_after(placement, position, capture, own, loaded)?;
        best = better(best, before(value));
    }
    best
}

/// The best result of a zeroing move.
pub(super) fn best_zeroing(
    placement: &Placement,
    position: &Position,
    own: &Values,
    loaded: &Loaded,
) -> Option<Wdl> {
    let mut best = None;
    for &played in position
        .legal_moves()
        .iter()
        .filter(|played| played.is_zeroing())
    {
        best = best.max(Some(
            -value_after(placement, position, played, own, loaded)?.wdl,
        ));
    }
    best
}

/// The value of a position from all its moves; nothing if the value of one of them is not known.
pub(super) fn from_successors(
    placement: &Placement,
    position: &Position,
    own: &Values,
    loaded: &Loaded,
) -> Option<Outcome> {
    let mut preference = None;
    let mut score = None;
    for played in &position.legal_moves() {
        let value = value_after(placement, position, played, own, loaded)?;
        let reached = if played.is_zeroing() {
            Preference::of_zeroing_move(-value.wdl)
        } else {
            Preference::of_quiet_move(value)
        };
        preference = preference.max(Some(reached));
        score = score.max(Some(value.score.before_move()));
    }
    Some(match (preference, score) {
        (Some(preference), Some(score)) => {
            let (wdl, dtz) = preference.value();
            Outcome { wdl, dtz, score }
        }
        _ if position.is_check() => Outcome {
            wdl: Wdl::Loss,
            dtz: 0,
            score: MateScore::MATED,
        },
        _ => Outcome::DRAW,
    })
}
