//! Men by kind, seen from either side, wherever they are kept.

use super::index::Placement;
use super::rules::{Board, Role};
use crate::game::Color;

/// Sets of squares for each kind of man.
pub trait Men: Copy {
    /// The men of one kind.
    #[must_use]
    fn of(&self, color: Color, role: Role) -> u64;

    /// Where the only man of a kind stands; some square if there is none or several.
    #[must_use]
    #[inline(always)]
    fn square(&self, color: Color, role: Role) -> u8 {
        (self.of(color, role).trailing_zeros() & 63) as u8
    }

    /// The colours exchanged and the board turned so that pawns walk the right way.
    #[must_use]
    fn with_colors_exchanged(&self) -> Self;
}

impl Men for Placement {
    #[inline(always)]
    fn of(&self, color: Color, role: Role) -> u64 {
        Placement::of(self, color, role)
    }

    #[inline]
    fn with_colors_exchanged(&self) -> Placement {
        Placement::with_colors_exchanged(self)
    }
}

/// The men of a board, which are not copied for being seen from the other side.
#[derive(Clone, Copy, Debug)]
pub struct BoardMen<'a> {
    board: &'a Board,
    is_exchanged: bool,
}

impl<'a> From<&'a Board> for BoardMen<'a> {
    #[inline]
    fn from(board: &'a Board) -> BoardMen<'a> {
        BoardMen {
            board,
            is_exchanged: false,
        }
    }
}

impl Men for BoardMen<'_> {
    #[inline(always)]
    fn of(&self, color: Color, role: Role) -> u64 {
        match self.is_exchanged {
            false => self.board.pieces(color, role),
            true => self.board.pieces(!color, role).swap_bytes(),
        }
    }

    #[inline(always)]
    fn square(&self, color: Color, role: Role) -> u8 {
        let exchanged = self.is_exchanged;
        let color = Color::ALL[color.index() ^ usize::from(exchanged)];
        let square = self.board.pieces(color, role).trailing_zeros() as u8;
        (square ^ (u8::from(exchanged) * 56)) & 63
    }

    #[inline]
    fn with_colors_exchanged(&self) -> Self {
        BoardMen {
            board: self.board,
            is_exchanged: !self.is_exchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::rules::Position;

    #[test]
    fn boards_and_placements_are_seen_alike() {
        let position = Position::from_fen("8/5p2/8/4r3/2k5/8/1K6/4R3 w - - 0 2").unwrap();
        let placement = Placement::from(&position);
        let men = BoardMen::from(position.board());
        for (men, placement) in [
            (men, placement),
            (
                men.with_colors_exchanged(),
                Men::with_colors_exchanged(&placement),
            ),
            (
                men.with_colors_exchanged().with_colors_exchanged(),
                placement,
            ),
        ] {
            for color in Color::ALL {
                for role in Role::ALL {
                    assert_eq!(men.of(color, role), placement.of(color, role));
                    if placement.of(color, role) != 0 {
                        assert_eq!(men.square(color, role), placement.square(color, role));
                    }
                }
            }
        }
    }
}
