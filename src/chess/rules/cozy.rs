//! Boards and moves of the crate cozy-chess, for engines that are built on it.
//!
//! Both crates number squares alike and keep sets of squares, so a board is translated without
//! being written down: about as fast as setting up a position.
//!
//! ```
//! use cozy_chess::Board;
//! use retrograde::Tablebase;
//! use retrograde::chess::rules::Position;
//! use retrograde::metric::Wdl;
//!
//! let tables = Tablebase::open("tables")?;
//! let mut board: Board = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1".parse()?;
//! let position = Position::try_from(&board)?;
//! assert_eq!(tables.probe_wdl(&position)?, Wdl::Win);
//!
//! let best = tables.root_moves(&position)?[0].played;
//! board.play(best.into());
//! assert_eq!(tables.probe_wdl(&Position::try_from(&board)?)?, Wdl::Loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use cozy_chess::{Board, File, Piece, Rank};

use super::castling::CastlingMove;
use super::{CastlingRights, CastlingSide, Move, Position, Role, Setup, SetupError, Square};
use crate::game::Color;

fn color_of(color: cozy_chess::Color) -> Color {
    match color {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

fn role_of(piece: Piece) -> Role {
    match piece {
        Piece::Pawn => Role::Pawn,
        Piece::Knight => Role::Knight,
        Piece::Bishop => Role::Bishop,
        Piece::Rook => Role::Rook,
        Piece::Queen => Role::Queen,
        Piece::King => Role::King,
    }
}

fn piece_of(role: Role) -> Piece {
    match role {
        Role::Pawn => Piece::Pawn,
        Role::Knight => Piece::Knight,
        Role::Bishop => Piece::Bishop,
        Role::Rook => Piece::Rook,
        Role::Queen => Piece::Queen,
        Role::King => Piece::King,
    }
}

fn square_of(square: Square) -> cozy_chess::Square {
    let file = File::index(usize::from(square.file()));
    cozy_chess::Square::new(file, Rank::index(usize::from(square.rank())))
}

/// The position of a board.
///
/// # Errors
///
/// [`SetupError`] if it is none of chess: rooks or kings that may castle from other squares, as in
/// Chess960.
impl TryFrom<&Board> for Position {
    type Error = SetupError;

    fn try_from(board: &Board) -> Result<Position, SetupError> {
        let mut setup = Setup {
            turn: color_of(board.side_to_move()),
            halfmoves: board.halfmove_clock().into(),
            fullmoves: board.fullmove_number().into(),
            ..Setup::empty()
        };
        for cozy_color in cozy_chess::Color::ALL {
            let color = color_of(cozy_color);
            for piece in Piece::ALL {
                let men = board.colored_pieces(cozy_color, piece);
                setup.pieces[color.index()][role_of(piece).index()] = men.0;
            }
            let rights = board.castle_rights(cozy_color);
            for (side, file) in [
                (CastlingSide::King, rights.short),
                (CastlingSide::Queen, rights.long),
            ] {
                let Some(file) = file else { continue };
                let square = CastlingMove::new(color, side).rook_from;
                if file as u8 != square.file() {
                    return Err(SetupError::Castling {
                        right: letter_of(color, side),
                        missing: "rook that may castle",
                        square,
                    });
                }
                setup.castling = setup.castling.with(CastlingRights::of(color, side));
            }
        }
        setup.en_passant = board.en_passant().and_then(|file| {
            // Behind the pawn, on the third rank of the side that moved it.
            let rank = match setup.turn {
                Color::White => 5,
                Color::Black => 2,
            };
            Square::from_coords(file as u8, rank)
        });
        Position::from_setup(&setup)
    }
}

fn letter_of(color: Color, side: CastlingSide) -> char {
    match (color, side) {
        (Color::White, CastlingSide::King) => 'K',
        (Color::White, CastlingSide::Queen) => 'Q',
        (Color::Black, CastlingSide::King) => 'k',
        (Color::Black, CastlingSide::Queen) => 'q',
    }
}

/// The same move as cozy-chess has it: castling is the king's move to the square of its rook.
impl From<Move> for cozy_chess::Move {
    fn from(m: Move) -> cozy_chess::Move {
        let to = match m.castling_side() {
            Some(side) => {
                let color = match m.from().rank() {
                    0 => Color::White,
                    _ => Color::Black,
                };
                CastlingMove::new(color, side).rook_from
            }
            None => m.to(),
        };
        cozy_chess::Move {
            from: square_of(m.from()),
            to: square_of(to),
            promotion: m.promotion().map(piece_of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::rules::perft;

    /// Both crates play the same games: the position of a board is the position after the same
    /// moves.
    #[test]
    fn boards_along_random_games_are_the_positions_of_those_games() {
        let mut seed = 1u64;
        let mut en_passant = 0;
        for game in 0..300 {
            let mut board = Board::default();
            let mut position = Position::start();
            for _ in 0..120 {
                assert_eq!(Position::try_from(&board), Ok(position), "game {game}");
                en_passant += u32::from(position.en_passant_square().is_some());
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let m = moves.as_slice()[(seed >> 33) as usize % moves.len()];
                assert!(board.is_legal(m.into()), "{m} in {board}");
                board.play(m.into());
                position = position.play(m);
            }
        }
        assert!(en_passant > 50, "{en_passant}");
    }

    #[test]
    fn every_kind_of_move_is_translated() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/P4k2/8/2pP4/8/8/5p1K/4R3 w - c6 0 2",
        ] {
            let board: Board = fen.parse().unwrap();
            let position = Position::try_from(&board).unwrap();
            assert_eq!(Ok(position), Position::from_fen(fen));
            let mut theirs = Vec::new();
            board.generate_moves(|moves| {
                theirs.extend(moves);
                false
            });
            assert_eq!(theirs.len() as u64, perft(&position, 1));
            for m in &position.legal_moves() {
                assert!(theirs.contains(&m.into()), "{m} in {fen}");
            }
        }
    }

    #[test]
    fn castling_of_chess960_is_an_error() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", true).unwrap();
        let error = Position::try_from(&board).unwrap_err();
        assert!(error.to_string().contains("rook"), "{error}");
    }
}
