//! Where the exploration of a xiangqi position ends.

use super::packed::Packed;
use crate::game::xiangqi::{Move, Position};
use crate::reach::explore::Successors;
use crate::reach::positions::Look;
use crate::xiangqi::XiangqiValue;

pub use crate::reach::LeafError;

/// Positions whose values are known: those of tables.
pub trait Leaves: Sync {
    /// Whether positions of this material are known, all of them.
    fn covers(&self, position: &Position) -> bool;

    /// The value of a position that is covered.
    ///
    /// # Errors
    ///
    /// If it cannot be found out, for a damaged table.
    fn value(&self, position: &Position) -> Result<XiangqiValue, LeafError>;

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

    fn value(&self, _: &Position) -> Result<XiangqiValue, LeafError> {
        Err("no position is known beforehand".into())
    }

    fn has_mates(&self) -> bool {
        true
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// To a position whose value is known.
    Leaf,
    /// To a position that has to be explored.
    Inside,
}

/// What is explored: everything with the men of the first position, and of what captures lead to whatever is not known.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    leaves: &'a dyn Leaves,
}

impl<'a> Rules<'a> {
    /// With these leaves.
    pub fn new(leaves: &'a dyn Leaves) -> Rules<'a> {
        Rules { leaves }
    }

    /// Whether distances to mate can be found.
    pub fn has_mates(&self) -> bool {
        self.leaves.has_mates()
    }

    /// Where a move led whose position after it is `next`.
    #[inline]
    pub fn next(&self, next: &Position, m: Move) -> Next {
        let is_leaf =
            m.is_capture() && (next.is_insufficient_material() || self.leaves.covers(next));
        if is_leaf { Next::Leaf } else { Next::Inside }
    }

    /// What is known of a leaf.
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
    pub fn value(&self, position: &Position) -> Result<XiangqiValue, LeafError> {
        if position.is_insufficient_material() {
            return Ok(XiangqiValue::DRAW);
        }
        self.leaves.value(position)
    }
}

impl Successors<Packed> for Rules<'_> {
    fn visit(&self, packed: &Packed, _: bool, mut found: impl FnMut(Packed, u64)) -> Look {
        let mut position = packed.unpack();
        for m in &position.legal_moves() {
            let undo = position.make(m);
            if matches!(self.next(&position, m), Next::Inside) {
                found(Packed::new(&position), position.key());
            }
            position.unmake(m, undo);
        }
        // Edges are found anew, whatever they are.
        Look::AGAIN
    }
}
