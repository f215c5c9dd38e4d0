//! Probes for a program that has its positions from the crate shakmaty.
//!
//! shakmaty is under the GPL, so this library has no feature for it; a program that is under the
//! GPL itself can take this text. Both crates number squares alike and keep sets of squares, so
//! nothing is written down and read again.
//!
//! ```text
//! cargo run --release --example shakmaty -- '8/8/8/8/8/2k5/1R6/K7 w - - 0 1' [DIRECTORY]
//! ```

use std::error::Error;

use retrograde::Tablebase;
use retrograde::chess::{Position, Role, Setup, SetupError, Square};
use retrograde::game::Color;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// The position of ours.
///
/// # Errors
///
/// If it is none of chess. Castling rights are left out: no table has positions with them, so ask
/// [`Chess::castles`] first.
fn position_of(theirs: &Chess) -> Result<Position, SetupError> {
    let color = |color: shakmaty::Color| match color {
        shakmaty::Color::White => Color::White,
        shakmaty::Color::Black => Color::Black,
    };
    let mut setup = Setup {
        turn: color(theirs.turn()),
        halfmoves: theirs.halfmoves() as u16,
        fullmoves: theirs.fullmoves().get(),
        ..Setup::empty()
    };
    for piece in shakmaty::Color::ALL
        .into_iter()
        .flat_map(|color| shakmaty::Role::ALL.map(|role| role.of(color)))
    {
        let role = match piece.role {
            shakmaty::Role::Pawn => Role::Pawn,
            shakmaty::Role::Knight => Role::Knight,
            shakmaty::Role::Bishop => Role::Bishop,
            shakmaty::Role::Rook => Role::Rook,
            shakmaty::Role::Queen => Role::Queen,
            shakmaty::Role::King => Role::King,
        };
        let men = theirs.board().by_piece(piece);
        setup.pieces[color(piece.color).index()][role.index()] = men.0;
    }
    let en_passant = theirs.ep_square(EnPassantMode::Legal);
    setup.en_passant = en_passant.and_then(|square| Square::from_index(square.to_usize()));
    Position::from_setup(&setup)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments
        .next()
        .unwrap_or_else(|| "8/8/8/8/8/2k5/1R6/K7 w - - 0 1".to_owned());
    let directory = arguments.next().unwrap_or_else(|| "tables".to_owned());
    let theirs: Chess = fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
    if !theirs.castles().is_empty() {
        return Err("a side may still castle, and no table covers that".into());
    }

    let tables = Tablebase::open(directory)?;
    let position = position_of(&theirs)?;
    println!("{}", tables.probe_wdl(&position)?);
    for ranked in tables.root_moves(&position)? {
        // Moves go back by their notation, which is not for the inside of a search.
        let uci: UciMove = ranked.played.to_uci().parse()?;
        let m = uci.to_move(&theirs)?;
        let value = ranked.wdl.map_or("unknown", |wdl| (-wdl).category());
        println!("{m} {value}");
    }
    Ok(())
}
