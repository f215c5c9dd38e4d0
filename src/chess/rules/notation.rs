//! Moves as people and programs write them: SAN and UCI.

use super::{CastlingSide, Move, Position, Role, Square, squares};

/// Why a text is no move of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseMoveError {
    /// Not written like a UCI move.
    #[error("`{0}` is no move: write from and to squares, such as `e2e4` or `a7a8q`")]
    Uci(String),
    /// Not written like a SAN move.
    #[error("`{0}` is no move: write it like `Nf3`, `exd5`, `a8=Q` or `O-O`")]
    San(String),
    /// Readable, but not legal.
    #[error("`{text}` is not legal in {fen}")]
    Illegal {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// Readable, but two or more legal moves fit.
    #[error("`{text}` fits {first} and {second} in {fen}: name the file or rank it comes from")]
    Ambiguous {
        /// The move.
        text: String,
        /// One that fits.
        first: Move,
        /// Another that fits.
        second: Move,
        /// The position.
        fen: String,
    },
}

/// What a SAN move says.
struct San {
    role: Role,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<Role>,
}

impl San {
    /// Reads everything but castling; `text` has no check or comment signs.
    fn read(text: &str) -> Option<San> {
        let mut rest = text.as_bytes();
        let mut role = Role::Pawn;
        if let [
            letter @ (b'N' | b'B' | b'R' | b'Q' | b'K' | b'P'),
            tail @ ..,
        ] = rest
        {
            role = Role::from_letter(char::from(*letter))?;
            rest = tail;
        }
        let mut promotion = None;
        if role == Role::Pawn
            && let [head @ .., letter @ (b'N' | b'B' | b'R' | b'Q')] = rest
        {
            promotion = Role::from_letter(char::from(*letter));
            rest = head.strip_suffix(b"=").unwrap_or(head);
        }
        let (source, target) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = std::str::from_utf8(target).ok()?.parse().ok()?;
        let source = source
            .strip_suffix(b"x")
            .or_else(|| source.strip_suffix(b"-"))
            .unwrap_or(source);
        let (file, rank) = match *source {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        Some(San {
            role,
            file,
            rank,
            to,
            promotion,
        })
    }

    fn fits(&self, m: Move) -> bool {
        m.role() == self.role
            && m.to() == self.to
            && m.promotion() == self.promotion
            && self.file.is_none_or(|file| m.from().file() == file)
            && self.rank.is_none_or(|rank| m.from().rank() == rank)
    }
}

impl Move {
    /// Reads a move as UCI writes it; castling is the king's move, `e1g1`.
    ///
    /// # Errors
    ///
    /// When the text is not a move, or not a legal one in this position.
    pub fn from_uci(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let is_written_well = (4..=5).contains(&text.len())
            && text.get(..2).is_some_and(|s| s.parse::<Square>().is_ok())
            && text.get(2..4).is_some_and(|s| s.parse::<Square>().is_ok())
            && matches!(text.get(4..), Some("" | "q" | "r" | "b" | "n"));
        if !is_written_well {
            return Err(ParseMoveError::Uci(text.to_owned()));
        }
        position
            .legal_moves()
            .into_iter()
            .find(|m| m.to_uci() == text)
            .ok_or_else(|| illegal(position, text))
    }

    /// Reads a move in standard algebraic notation.
    ///
    /// Check and annotation signs are optional, and more of the origin than needed may be named.
    /// Castling may be written with zeros.
    ///
    /// # Errors
    ///
    /// When the text is not a move, not a legal one in this position, or fits several legal moves.
    pub fn from_san(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let castling = match bare {
            "O-O" | "0-0" => Some(CastlingSide::King),
            "O-O-O" | "0-0-0" => Some(CastlingSide::Queen),
            _ => None,
        };
        let moves = position.legal_moves();
        if castling.is_some() {
            return moves
                .into_iter()
                .find(|m| m.castling_side() == castling)
                .ok_or_else(|| illegal(position, text));
        }
        let san = San::read(bare).ok_or_else(|| ParseMoveError::San(text.to_owned()))?;
        let mut fitting = moves
            .into_iter()
            .filter(|m| !m.is_castling() && san.fits(*m));
        match (fitting.next(), fitting.next()) {
            (Some(m), None) => Ok(m),
            (None, _) => Err(illegal(position, text)),
            (Some(first), Some(second)) => Err(ParseMoveError::Ambiguous {
                text: text.to_owned(),
                first,
                second,
                fen: position.to_fen(),
            }),
        }
    }
}

fn illegal(position: &Position, text: &str) -> ParseMoveError {
    ParseMoveError::Illegal {
        text: text.to_owned(),
        fen: position.to_fen(),
    }
}

/// A legal move in standard algebraic notation, with `+` for check and `#` for mate.
///
/// # Examples
///
/// ```
/// use retrograde::chess::{Move, Position, san};
///
/// let position = Position::start();
/// let m = Move::from_uci(&position, "g1f3")?;
/// assert_eq!(san(&position, m), "Nf3");
/// # Ok::<(), retrograde::chess::rules::ParseMoveError>(())
/// ```
pub fn san(position: &Position, m: Move) -> String {
    let mut text = match m.castling_side() {
        Some(CastlingSide::King) => "O-O".to_owned(),
        Some(CastlingSide::Queen) => "O-O-O".to_owned(),
        None => san_of_one_man(position, m),
    };
    let next = position.play(m);
    if next.is_check() {
        text.push(if next.has_legal_move() { '+' } else { '#' });
    }
    text
}

fn san_of_one_man(position: &Position, m: Move) -> String {
    let from = m.from().to_string();
    let mut text = String::with_capacity(8);
    if m.role() == Role::Pawn {
        if m.is_capture() {
            text.push_str(&from[..1]);
        }
    } else {
        text.push(m.role().letter());
        text.push_str(origin(position, m, &from));
    }
    if m.is_capture() {
        text.push('x');
    }
    text.push_str(&m.to().to_string());
    if let Some(role) = m.promotion() {
        text.push('=');
        text.push(role.letter());
    }
    text
}

/// As much of the origin square as it takes to tell the move from other legal ones: file, rank, or
/// both.
fn origin<'a>(position: &Position, m: Move, from: &'a str) -> &'a str {
    let others = position
        .legal_moves()
        .into_iter()
        .filter(|o| o.role() == m.role() && o.to() == m.to() && o.from() != m.from())
        .fold(0, |set, o| set | o.from().bit());
    let shares_file = squares(others).any(|s| s.file() == m.from().file());
    let shares_rank = squares(others).any(|s| s.rank() == m.from().rank());
    match (others != 0, shares_file, shares_rank) {
        (false, _, _) => "",
        (true, false, _) => &from[..1],
        (true, true, false) => &from[1..],
        (true, true, true) => from,
    }
}
