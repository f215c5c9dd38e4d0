//! Where the exploration ends, and which moves it leaves out.

use std::error::Error;
use std::fmt;

use super::explore::Successors;
use super::game::{Outcome, Reach};
use super::positions::Look;
use crate::chess;
use crate::chess::rules::Role;
use crate::game::{Color, Game};

/// Why a leaf has no value although it should.
pub type LeafError = Box<dyn Error + Send + Sync>;

/// Positions whose values are known: those of tables.
pub trait Leaves<P: Reach = chess::Position>: Sync {
    /// Whether positions of this material are known, all of them; in chess, with these castling rights.
    fn covers(&self, position: &P) -> bool;

    /// The value of a position that is covered. After a zeroing move only its result matters in chess, and any distance to
    /// zeroing that stands for it will do.
    ///
    /// # Errors
    ///
    /// If it cannot be found out, for a damaged table.
    fn value(&self, position: &P, after_zeroing: bool) -> Result<P::Value, LeafError>;

    /// Whether the values have distances to mate.
    fn has_mates(&self) -> bool;
}

/// No position is known.
#[derive(Clone, Copy, Debug)]
pub struct NoLeaves;

impl<P: Reach> Leaves<P> for NoLeaves {
    fn covers(&self, _: &P) -> bool {
        false
    }

    fn value(&self, _: &P, _: bool) -> Result<P::Value, LeafError> {
        Err("no position is known beforehand".into())
    }

    fn has_mates(&self) -> bool {
        true
    }
}

/// What one side is denied, so that there is less to explore. What it reaches all the same it reaches in the game: its
/// value is a lower bound.
///
/// Pawns of xiangqi promote to nothing, but they gain moves when they cross the river, and there is no way back. What is said of
/// promotion holds for crossing there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// The side.
    pub side: Color,
    /// Chess: what its pawns may become; not empty. All four roles deny nothing.
    pub promotions: Vec<Role>,
    /// With how many pieces beside the king its pawns may no longer promote; `None` denies nothing. In xiangqi those that can
    /// attack count: rooks, knights, cannons, and pawns across the river.
    pub pieces: Option<u32>,
    /// Whether it loses at once when a pawn of the other side promotes.
    pub loses_to_promotion: bool,
    /// With how many men, the king among them, it still plays: with fewer it has lost. 1 denies nothing.
    pub least_men: u32,
}

impl Handicap {
    /// Nothing is denied to that side.
    pub fn none(side: Color) -> Handicap {
        Handicap {
            side,
            promotions: Role::PROMOTIONS.to_vec(),
            pieces: None,
            loses_to_promotion: false,
            least_men: 1,
        }
    }

    /// Whether anything is denied.
    pub fn is_any(&self) -> bool {
        self.loses_to_promotion
            || self.pieces.is_some()
            || self.least_men > 1
            || self.denies_roles()
    }

    fn denies_roles(&self) -> bool {
        let mut roles = Role::PROMOTIONS.iter();
        roles.any(|role| !self.promotions.contains(role))
    }

    /// What is denied, in the words of a game.
    pub fn describe(&self, game: Game) -> String {
        let roles: String = self.promotions.iter().map(|role| role.letter()).collect();
        let [side, other] = [self.side, !self.side].map(|side| game.name_of(side));
        let (promotes, crosses) = match game {
            Game::Chess => ("promotes", "promote"),
            Game::Xiangqi => ("crosses the river", "cross the river"),
        };
        let parts = [
            self.denies_roles()
                .then(|| format!("{side} promotes to {roles} only")),
            self.pieces
                .map(|most| format!("{side} does not {crosses} with {most} pieces or more")),
            self.loses_to_promotion
                .then(|| format!("{side} counts as lost once {other} {promotes}")),
            (self.least_men > 1).then(|| {
                let least = self.least_men;
                format!("{side} counts as lost with fewer than {least} men")
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ")
    }

    /// Whether a move of the other side wins at once, which captures or promotes; the side has so many men before it.
    #[inline]
    pub(super) fn concedes(&self, is_capture: bool, promotes: bool, men: u32) -> bool {
        self.loses_to_promotion && promotes || is_capture && men <= self.least_men
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
pub enum Next<P> {
    /// To a position whose value is known.
    Leaf(P),
    /// To a position that counts as lost for the side with the handicap.
    Conceded,
    /// To a position that has to be explored.
    Inside,
    /// Nowhere: a handicap denies it. Where all moves are denied, the position counts as lost for that side.
    Denied,
}

/// What is explored.
#[derive(Clone, Copy)]
pub struct Rules<'a, P: Reach> {
    leaves: &'a dyn Leaves<P>,
    /// What a side is denied, if anything.
    pub handicap: Option<&'a Handicap>,
}

impl<P: Reach> fmt::Debug for Rules<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("handicap", &self.handicap)
            .finish_non_exhaustive()
    }
}

impl<'a, P: Reach> Rules<'a, P> {
    /// All moves count but those that a handicap denies.
    pub fn new(leaves: &'a dyn Leaves<P>, handicap: Option<&'a Handicap>) -> Rules<'a, P> {
        Rules {
            leaves,
            handicap: handicap.filter(|handicap| handicap.is_any()),
        }
    }

    /// Whether distances to mate can be found.
    pub fn has_mates(&self) -> bool {
        self.leaves.has_mates()
    }

    /// Whether the value of a position is known.
    pub fn covers(&self, position: &P) -> bool {
        position.is_dead() || self.leaves.covers(position)
    }

    /// What is known of a position that is covered; see [`Leaves::value`].
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    pub fn value(&self, position: &P, after_zeroing: bool) -> Result<P::Value, LeafError> {
        if position.is_dead() {
            return Ok(P::Value::DRAW);
        }
        self.leaves.value(position, after_zeroing)
    }

    /// The state of a position that is covered.
    ///
    /// # Errors
    ///
    /// If its value cannot be found out.
    pub fn state(&self, position: &P) -> Result<P::State, LeafError> {
        Ok(position.state_of(self.value(position, false)?))
    }
}

impl<P: Reach> Successors<P::Packed> for Rules<'_, P> {
    fn visit(
        &self,
        packed: &P::Packed,
        is_covered: bool,
        found: impl FnMut(P::Packed, u64),
    ) -> Look {
        P::visit(packed, self, is_covered, found)
    }
}
