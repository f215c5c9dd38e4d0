//! The 16 x 16 board and the numbers of men.

use retrograde::game::Color::{Black, White};
use retrograde::xiangqi::{Cell, Move, Position, Role, Square, piece_of, side_bit};

use super::square;

#[test]
fn squares_are_in_the_middle() {
    let on_board: Vec<Cell> = (0..=255)
        .map(Cell)
        .filter(|cell| cell.is_on_board())
        .collect();
    assert_eq!(on_board.len(), 90);
    for s in Square::all() {
        let cell = Cell::of(s);
        assert_eq!(cell.square(), Some(s));
        assert!(on_board.contains(&cell));
        assert_eq!(
            (cell.file(), cell.rank()),
            (s.file().into(), s.rank().into())
        );
        assert_eq!(cell.half(), if s.rank() < 5 { White } else { Black });
        assert_eq!(
            cell.is_in_palace(),
            (Role::King.domain(White) | Role::King.domain(Black)) & s.bit() != 0
        );
    }
    // The text's board: black's left rook on 0x33, red's king on 0xc7.
    assert_eq!(Cell::of(square("a9")), Cell(0x33));
    assert_eq!(Cell::of(square("e0")), Cell(0xc7));
}

/// No step of any man leads from a square around the edge to another.
#[test]
fn steps_off_the_board_end_in_the_margin() {
    for s in Square::all() {
        for files in -2i8..=2 {
            for ranks in -2i8..=2 {
                let to = Square::from_coords(
                    s.file().wrapping_add_signed(files),
                    s.rank().wrapping_add_signed(ranks),
                );
                assert_eq!(Cell::of(s).step(files - 16 * ranks).square(), to, "{s}");
            }
        }
    }
}

#[test]
fn numbers_of_men() {
    let board = *Position::start().board();
    let at = |name: &str| board.number_at(Cell::of(square(name)));
    assert_eq!(at("e0"), 16);
    assert_eq!(at("e9"), 32);
    assert!((27..32).contains(&at("e3")));
    assert!((43..48).contains(&at("e6")));
    assert_eq!(at("e4"), 0);
    for number in 0..=255 {
        let piece = piece_of(number);
        assert_eq!(piece.is_some(), (16..48).contains(&number));
        if let Some(piece) = piece {
            assert_ne!(number & side_bit(piece.color), 0);
            assert_eq!(number & side_bit(!piece.color), 0);
            assert_eq!(board.number_at(board.cell_of(number)), number);
            let square = board.cell_of(number).square().unwrap();
            assert_eq!(Position::start().piece_at(square), Some(piece));
        }
    }
}

/// A rook that comes back is the same rook; two that change places make the same position on
/// another board.
#[test]
fn men_of_a_kind() {
    let first = super::position("3k5/9/9/9/9/9/9/9/4K4/R7R w");
    let play = |moves: &str| {
        moves.split(' ').fold(first, |position, name| {
            position.play(Move::from_iccs(&position, name).unwrap())
        })
    };
    let back = play("a0a1 d9d8 a1a0 d8d9");
    assert_eq!(back.board(), first.board());
    let exchanged = play("a0a5 d9d8 i0a0 d8d9 a5i5 d9d8 i5i0 d8d9");
    assert_ne!(exchanged.board(), first.board());
    assert_eq!(exchanged.key(), first.key());
    assert_eq!(exchanged.to_setup().pieces, first.to_setup().pieces);
    assert_eq!(first.count(White, Role::Rook), 2);
}
