//! Positions from what Python has: text in Forsyth-Edwards notation, or a board with the attributes
//! of `chess.Board`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use retrograde::chess::rules::SetupError;
use retrograde::chess::{CastlingRights, CastlingSide, Position, Role, Setup};
use retrograde::game::Color;

use crate::errors::{Kind, wrong_type};

/// What is wanted where a position is.
const WANTED: &str = "a position is a FEN or a board with the attributes of chess.Board";

/// The order of roles in boards and in rows of bitboards.
pub const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// What is read of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Men, side to move, en passant: what values depend on. Castling rights are an error.
    Values,
    /// The clock of the fifty-move rule as well.
    Clock,
    /// Castling rights and counters as well.
    Everything,
}

/// A position from a FEN or a board.
pub fn position(object: &Bound<'_, PyAny>, reading: Reading) -> PyResult<Position> {
    let setup = match object.cast::<PyString>() {
        Ok(fen) => return position_of_fen(fen.to_str()?),
        Err(_) => setup_of_board(object, reading)?,
    };
    position_of_setup(setup).map_err(|error| Kind::Position.error(error))
}

/// A position from a FEN of four or six fields.
fn position_of_fen(fen: &str) -> PyResult<Position> {
    parse(fen).map_err(|error| Kind::Position.error(error))
}

/// The same without an exception.
pub fn parse(fen: &str) -> Result<Position, retrograde::chess::rules::FenError> {
    match fen.trim() {
        "startpos" => Ok(Position::start()),
        fen => Position::from_fen(fen),
    }
}

/// The position of a setup. Boards may name an en-passant square that no pawn has just passed; it
/// counts for nothing.
pub fn position_of_setup(mut setup: Setup) -> Result<Position, SetupError> {
    match Position::from_setup(&setup) {
        Err(SetupError::EnPassant { .. }) => {
            setup.en_passant = None;
            Position::from_setup(&setup)
        }
        position => position,
    }
}

/// Reads a board by its attributes.
pub fn setup_of_board(board: &Bound<'_, PyAny>, reading: Reading) -> PyResult<Setup> {
    let py = board.py();
    let Ok(occupied) = board.getattr(intern!(py, "occupied_co")) else {
        return Err(wrong_type(WANTED, board));
    };
    let names = [
        intern!(py, "pawns"),
        intern!(py, "knights"),
        intern!(py, "bishops"),
        intern!(py, "rooks"),
        intern!(py, "queens"),
        intern!(py, "kings"),
    ];
    let mut setup = Setup::empty();
    // Its index is a bool: True for White.
    let [black, white]: [u64; 2] = [
        occupied.get_item(0)?.extract()?,
        occupied.get_item(1)?.extract()?,
    ];
    for (name, role) in names.into_iter().zip(ROLES) {
        let men: u64 = board.getattr(name)?.extract()?;
        setup.pieces[Color::White.index()][role.index()] = men & white;
        setup.pieces[Color::Black.index()][role.index()] = men & black;
    }
    setup.turn = match board.getattr(intern!(py, "turn"))?.is_truthy()? {
        true => Color::White,
        false => Color::Black,
    };
    let square: Option<usize> = board.getattr(intern!(py, "ep_square"))?.extract()?;
    setup.en_passant = square.and_then(retrograde::chess::Square::from_index);
    let variant = board.getattr_opt(intern!(py, "uci_variant"))?;
    if let Some(variant) = variant
        && variant
            .cast::<PyString>()
            .is_ok_and(|variant| variant != "chess")
    {
        let message = format!("these are tables of chess, and the board is of {variant}");
        return Err(Kind::NotCovered.error(message));
    }
    let rooks: u64 = board.getattr(intern!(py, "castling_rights"))?.extract()?;
    setup.castling = match (rooks, reading) {
        (0, _) => CastlingRights::NONE,
        (_, Reading::Values | Reading::Clock) => {
            return Err(crate::errors::probe_error(
                retrograde::ProbeError::CastlingRights,
            ));
        }
        (rooks, Reading::Everything) => castling(rooks),
    };
    let count = |name| -> PyResult<i64> { board.getattr(name)?.extract() };
    if reading != Reading::Values {
        let halfmoves = count(intern!(py, "halfmove_clock"))?;
        setup.halfmoves = u16::try_from(halfmoves.max(0)).unwrap_or(u16::MAX);
    }
    if reading == Reading::Everything {
        let fullmoves = count(intern!(py, "fullmove_number"))?;
        setup.fullmoves = u32::try_from(fullmoves.max(1)).unwrap_or(u32::MAX);
    }
    Ok(setup)
}

/// The rights of the rooks that may castle.
fn castling(rooks: u64) -> CastlingRights {
    let corners = [
        (0, Color::White, CastlingSide::Queen),
        (7, Color::White, CastlingSide::King),
        (56, Color::Black, CastlingSide::Queen),
        (63, Color::Black, CastlingSide::King),
    ];
    let rights = corners
        .into_iter()
        .filter(|(corner, ..)| rooks >> corner & 1 != 0);
    rights.fold(CastlingRights::NONE, |all, (_, color, side)| {
        all.with(CastlingRights::of(color, side))
    })
}
