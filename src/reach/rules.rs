//! Where the exploration ends, and which moves it leaves out.

use std::error::Error;
use std::fmt;

use super::Value;
use super::explore::Successors;
use super::packed::Packed;
use super::positions::Look;
use super::symmetry::has_images;
use crate::game::Color;
use crate::game::chess::{Move, Position, Role};
use crate::metric::Dtz;

/// Why a leaf has no value although it should.
pub type LeafError = Box<dyn Error + Send + Sync>;

/// Positions whose values are known: those of tables.
pub trait Leaves: Sync {
    /// Whether positions of this material and with these castling rights are known, all of them.
    fn covers(&self, position: &Position) -> bool;

    /// The value of a position that is covered. After a zeroing move only its result matters, and any distance to zeroing
    /// that stands for it will do.
    ///
    /// # Errors
    ///
    /// If it cannot be found out, for a damaged table.
    fn value(&self, position: &Position, after_zeroing: bool) -> Result<Value, LeafError>;

    /// Whether the values have distances to mate.
    fn has_mates(&self) -> bool;
}

/// No position is known.
#[derive(Clone, Copy, Debug)]
pub struct NoLeaves;

impl Leaves for NoLeaves {
    fn covers(&self, _: &Position) -> bool {
        false
    }

    fn value(&self, _: &Position, _: bool) -> Result<Value, LeafError> {
        Err("no position is known beforehand".into())
    }

    fn has_mates(&self) -> bool {
        true
    }
}

/// What one side is denied, so that there is less to explore. What it reaches all the same it reaches in the game: its
/// value is a lower bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handicap {
    /// The side.
    pub side: Color,
    /// What its pawns may become; not empty. All four roles deny nothing.
    pub promotions: Vec<Role>,
    /// With how many pieces beside the king its pawns may no longer become anything; nothing denies nothing.
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

    /// Whether a move of the other side wins at once.
    fn concedes(&self, position: &Position, m: Move) -> bool {
        if position.turn() == self.side {
            return false;
        }
        let men = position.by_color(self.side).count_ones();
        self.loses_to_promotion && m.promotion().is_some()
            || m.capture().is_some() && men <= self.least_men
    }

    /// Whether a promotion is denied.
    fn denies(&self, position: &Position, role: Role) -> bool {
        position.turn() == self.side
            && (!self.promotions.contains(&role)
                || self.pieces.is_some_and(|most| pieces(position) >= most))
    }
}

/// How many men the side to move has that are neither king nor pawn.
fn pieces(position: &Position) -> u32 {
    let others = position.by_role(Role::King) | position.by_role(Role::Pawn);
    (position.by_color(position.turn()) & !others).count_ones()
}

impl fmt::Display for Handicap {
    /// What is denied, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.side;
        let roles: String = self.promotions.iter().map(|role| role.letter()).collect();
        let parts = [
            self.denies_roles()
                .then(|| format!("{side} promotes to {roles} only")),
            self.pieces
                .map(|most| format!("{side} does not promote with {most} pieces or more")),
            self.loses_to_promotion
                .then(|| format!("{side} counts as lost once {} promotes", !side)),
            (self.least_men > 1).then(|| {
                let least = self.least_men;
                format!("{side} counts as lost with fewer than {least} men")
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// To a position whose value is known.
    Leaf(Position),
    /// To a position that counts as lost for the side with the handicap.
    Conceded,
    /// To a position that has to be explored.
    Inside,
}

/// What is explored.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    leaves: &'a dyn Leaves,
    handicap: Option<&'a Handicap>,
}

impl fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("handicap", &self.handicap)
            .finish_non_exhaustive()
    }
}

impl<'a> Rules<'a> {
    /// All moves count but those that a handicap denies.
    pub fn new(leaves: &'a dyn Leaves, handicap: Option<&'a Handicap>) -> Rules<'a> {
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
    pub fn covers(&self, position: &Position) -> bool {
        position.is_insufficient_material() || self.leaves.covers(position)
    }

    /// What is known of a position that is covered; see [`Leaves::value`].
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    pub fn value(&self, position: &Position, after_zeroing: bool) -> Result<Value, LeafError> {
        if position.is_insufficient_material() {
            return Ok(Value {
                dtz: Dtz(0),
                dtm: None,
            });
        }
        self.leaves.value(position, after_zeroing)
    }

    /// Whether a legal move counts. Where none does, the position counts as lost for the side with the handicap.
    #[inline]
    pub fn allows(&self, position: &Position, m: Move) -> bool {
        match (self.handicap, m.promotion()) {
            (Some(handicap), Some(role)) => !handicap.denies(position, role),
            _ => true,
        }
    }

    /// Where a move leads; `is_covered` tells whether the position before it is covered itself.
    #[inline]
    pub fn next(&self, position: &Position, m: Move, is_covered: bool) -> Next {
        if self
            .handicap
            .is_some_and(|handicap| handicap.concedes(position, m))
        {
            return Next::Conceded;
        }
        // Coverage is by material and castling rights, so it stays unless a move changes one of them.
        if m.changes_material() || !position.castling_rights().is_empty() {
            let next = position.play(m);
            if self.covers(&next) {
                return Next::Leaf(next);
            }
        } else if is_covered {
            return Next::Leaf(position.play(m));
        }
        Next::Inside
    }
}

impl Successors<Packed> for Rules<'_> {
    fn visit(&self, packed: &Packed, is_covered: bool, mut found: impl FnMut(Packed, u64)) -> Look {
        let position = packed.unpack();
        let has_images = has_images(&position);
        let (mut all_stay, mut counted) = (true, 0);
        for m in &position.legal_moves() {
            let is_inside = self.allows(&position, m)
                && matches!(self.next(&position, m, is_covered), Next::Inside);
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
}

/// Whether a move that is explored leads to a position of the same level.
#[inline]
pub fn stays(packed: &Packed, position: &Position, m: Move) -> bool {
    let rights = position.castling_rights();
    !m.is_zeroing()
        && !packed.has_en_passant()
        && (rights.is_empty() || position.play(m).castling_rights() == rights)
}
