//! What one side may be denied, so that there is less to explore.

use crate::chess::rules::Role;
use crate::counted::counted;
use crate::game::{Color, Game};

/// What one side is denied, so that there is less to explore. What it reaches all the same it
/// reaches in the game: its value is a lower bound.
///
/// Pawns of xiangqi promote to nothing, but they gain moves when they cross the river, and there is
/// no way back. What is said of promotion holds for crossing there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// The side.
    pub side: Color,
    /// Chess: what its pawns may become; not empty. All four roles deny nothing.
    pub promotions: Vec<Role>,
    /// With how many pieces beside the king its pawns may no longer promote; `None` denies nothing.
    /// In xiangqi those that can attack count: rooks, knights, cannons, and pawns across the river.
    pub pieces: Option<u32>,
    /// Whether it loses at once when a pawn of the other side promotes.
    pub loses_to_promotion: bool,
    /// With how many men, the king among them, it still plays: with fewer it has lost. 1 denies
    /// nothing.
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
            self.pieces.map(|most| {
                format!(
                    "{side} does not {crosses} with {} or more",
                    counted(most, "piece")
                )
            }),
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

    /// Whether a move of the other side wins at once, which captures or promotes; the side has so
    /// many men before it.
    #[inline]
    pub(super) fn concedes(&self, is_capture: bool, promotes: bool, men: u32) -> bool {
        self.loses_to_promotion && promotes || is_capture && men <= self.least_men
    }
}
