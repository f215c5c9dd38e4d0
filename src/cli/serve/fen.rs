//! Positions as clients write them: forgiving where the public interface is.
//!
//! Every field after the board may be missing, `_` is a space, castling rights may be written as
//! letters of files, and what cannot be (castling rights without a rook, a square for en passant
//! without a pawn, move number 0) is left out.

use anyhow::Result;
use retrograde::chess::{self, CastlingRights, CastlingSide, FenError, SetupError};
use retrograde::game::Color;
use retrograde::xiangqi;

/// A chess position.
///
/// # Errors
///
/// If there is no board, or if the position is impossible whatever the other fields say.
pub fn chess(text: &str) -> Result<chess::Position> {
    let text = text.replace('_', " ");
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().unwrap_or_default();
    let turn = fields.next().unwrap_or("w");
    let mut setup = chess::Setup::from_fen(&format!("{board} {turn} - -"))?;
    setup.castling = castling(fields.next().unwrap_or("-"))?;
    if let Some(square) = fields.next().filter(|&field| field != "-") {
        let wrong = |_| FenError::EnPassant(square.to_owned());
        setup.en_passant = Some(square.parse().map_err(wrong)?);
    }
    setup.halfmoves = counter("halfmove clock", fields.next())?.unwrap_or(0);
    setup.fullmoves = counter("move number", fields.next())?.unwrap_or(1).max(1);
    loop {
        match chess::Position::from_setup(&setup) {
            Ok(position) => return Ok(position),
            Err(SetupError::EnPassant { .. }) => setup.en_passant = None,
            Err(SetupError::Castling { right, .. }) => {
                setup.castling = without(setup.castling, right);
            }
            Err(error) => return Err(FenError::from(error).into()),
        }
    }
}

/// A xiangqi position.
///
/// # Errors
///
/// As for [`chess`].
pub fn xiangqi(text: &str) -> Result<xiangqi::Position> {
    let text = text.replace('_', " ");
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().unwrap_or_default();
    let turn = fields.next().unwrap_or("w");
    Ok(xiangqi::Position::from_fen(&format!("{board} {turn}"))?)
}

const RIGHTS: [(char, Color, CastlingSide); 4] = [
    ('K', Color::White, CastlingSide::King),
    ('Q', Color::White, CastlingSide::Queen),
    ('k', Color::Black, CastlingSide::King),
    ('q', Color::Black, CastlingSide::Queen),
];

/// The rights that `KQkq` name, or the files of the rooks: `H` is `K`, `a` is `q`. A rook elsewhere
/// has none.
fn castling(text: &str) -> Result<CastlingRights, FenError> {
    let mut rights = CastlingRights::NONE;
    if text == "-" {
        return Ok(rights);
    }
    for letter in text.chars() {
        let letter = match letter {
            'H' => 'K',
            'A' => 'Q',
            'h' => 'k',
            'a' => 'q',
            'B'..='G' | 'b'..='g' => continue,
            letter => letter,
        };
        let named = RIGHTS.into_iter().find(|&(name, ..)| name == letter);
        let (_, color, side) = named.ok_or_else(|| FenError::Castling(text.to_owned()))?;
        rights = rights.with(CastlingRights::of(color, side));
    }
    Ok(rights)
}

fn without(rights: CastlingRights, right: char) -> CastlingRights {
    RIGHTS
        .into_iter()
        .filter(|&(name, color, side)| name != right && rights.has(color, side))
        .fold(CastlingRights::NONE, |rights, (_, color, side)| {
            rights.with(CastlingRights::of(color, side))
        })
}

fn counter<T: std::str::FromStr>(
    name: &'static str,
    text: Option<&str>,
) -> Result<Option<T>, FenError> {
    let read = |text: &str| {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    };
    match text {
        None => Ok(None),
        Some(text) => read(text).map(Some).ok_or(FenError::Counter {
            name,
            text: text.to_owned(),
            max: u16::MAX.into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_impossible_is_left_out() {
        for (text, fen) in [
            ("8/8/8/8/8/2k5/1R6/K7", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"),
            ("8/8/8/8/8/2k5/1R6/K7_b", "8/8/8/8/8/2k5/1R6/K7 b - - 0 1"),
            (
                "8/8/8/8/8/2k5/1R6/K7 w KQkq e3 7 0",
                "8/8/8/8/8/2k5/1R6/K7 w - - 7 1",
            ),
            (
                "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1",
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            ),
            (
                "4k3/8/8/8/8/8/8/1R2K2R w KB -",
                "4k3/8/8/8/8/8/8/1R2K2R w K - 0 1",
            ),
        ] {
            assert_eq!(chess(text).unwrap().to_fen(), fen, "{text}");
        }
        for wrong in [
            "",
            "8/8/8/8/8/2k5/1R6/K7 x",
            "8/8/8/8/8/2k5/1R6/K7 w X",
            "8/8/8/8/8/8/8/8",
        ] {
            assert!(chess(wrong).is_err(), "{wrong}");
        }
        let red = xiangqi("3k5/9/9/9/9/9/9/9/9/R3K4").unwrap();
        assert_eq!(red.to_fen(), "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1");
    }
}
