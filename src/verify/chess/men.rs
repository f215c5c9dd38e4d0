//! What stands at an address.

use super::layout::{Legality, Squares};
use crate::chess::index::Placement;
use crate::game::Color;

/// The men at an address.
pub(super) struct Men {
    pub squares: Squares,
    pub placement: Placement,
    pub legality: Legality,
}

impl Men {
    /// The squares that White's men attack if there is no black king: those on which he is in
    /// check.
    pub fn attacked_by_white(&self) -> u64 {
        self.legality.in_check[Color::Black.index()]
    }

    /// The address, with a side to move.
    pub fn at(&self, side: Color, address: usize) -> At<'_> {
        At {
            side,
            address,
            men: self,
        }
    }
}

/// An address with a side to move.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub side: Color,
    pub address: usize,
    pub men: &'a Men,
}
