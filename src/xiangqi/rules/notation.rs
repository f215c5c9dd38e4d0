//! Moves as people and programs write them: ICCS and WXF.
//!
//! ICCS, which the protocol UCCI uses too, names both squares: `h2e2`.
//!
//! WXF, the World Xiangqi Federation's, is written from the mover's point of view: the man (`H` is
//! a knight and `E` an elephant; `N` and `B` are read as well), its file, a direction and a number.
//! Files are counted from 1 to 9 from the mover's right. `+` is forward and `-` backward; the
//! number is the steps along the file, or for knights, elephants and advisors the file they go to.
//! `=` is sideways, and the number is the file.
//!
//! Two men of a kind on one file are told apart as the front one, `+`, and the rear one, `-`, in
//! place of the file: `C+=5`. Elephants and advisors need no such help, since only one of two on a
//! file can go each way. Pawns may be three or more on a file, or two on each of two files: they
//! are then numbered from the front, and the number stands in place of the letter: `15=4` is the
//! first pawn on the fifth file.

use super::{Move, Position, Role, Square, squares};
use crate::game::Color;

/// Why a text is no move of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseMoveError {
    /// Not written like an ICCS move.
    #[error("`{0}` is no move: write from and to squares, such as `h2e2`")]
    Iccs(String),
    /// Not written like a WXF move.
    #[error("`{0}` is no move: write it like `C2=5`, `H8+7`, `R+-1` or `15=4`")]
    Wxf(String),
    /// Readable, but not legal.
    #[error("`{text}` is not legal in {fen}")]
    Illegal {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// Readable, but two or more legal moves fit.
    #[error("`{text}` fits {first} and {second} in {fen}: write one of these")]
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

/// The number of a square's file as that side counts: 1 on its right to 9 on its left.
fn file_number(color: Color, square: Square) -> u8 {
    match color {
        Color::White => 9 - square.file(),
        Color::Black => square.file() + 1,
    }
}

/// Which way a man goes, as its side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
    Sideways,
}

impl Direction {
    fn of(color: Color, m: Move) -> Direction {
        let (from, to) = (m.from().rank_for(color), m.to().rank_for(color));
        match to.cmp(&from) {
            std::cmp::Ordering::Greater => Direction::Forward,
            std::cmp::Ordering::Less => Direction::Backward,
            std::cmp::Ordering::Equal => Direction::Sideways,
        }
    }

    const fn sign(self) -> char {
        match self {
            Direction::Forward => '+',
            Direction::Backward => '-',
            Direction::Sideways => '=',
        }
    }

    const fn from_sign(sign: u8) -> Option<Direction> {
        match sign {
            b'+' => Some(Direction::Forward),
            b'-' => Some(Direction::Backward),
            b'=' | b'.' => Some(Direction::Sideways),
            _ => None,
        }
    }
}

/// The last number of a WXF move: steps along a file, or the file it leads to.
fn extent(color: Color, m: Move) -> u8 {
    let leaves_its_file = m.from().file() != m.to().file();
    if leaves_its_file {
        file_number(color, m.to())
    } else {
        m.from().rank().abs_diff(m.to().rank())
    }
}

/// Which of the men of a kind.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// One on that file.
    File(u8),
    /// The first of two or more on any file.
    Front,
    /// The last of two or more on any file.
    Rear,
    /// A pawn by its place on its file, 1 in front, and by the file.
    Numbered(u8, u8),
}

/// What a WXF move says.
struct Wxf {
    role: Role,
    origin: Origin,
    direction: Direction,
    extent: u8,
}

impl Wxf {
    fn read(text: &str) -> Option<Wxf> {
        let &[who, which, sign, extent @ b'1'..=b'9'] = text.as_bytes() else {
            return None;
        };
        let (role, origin) = match (who, which) {
            (b'1'..=b'5', b'1'..=b'9') => (Role::Pawn, Origin::Numbered(who - b'0', which - b'0')),
            (letter, b'1'..=b'9') => (
                Role::from_letter(letter.into())?,
                Origin::File(which - b'0'),
            ),
            (letter, b'+') => (Role::from_letter(letter.into())?, Origin::Front),
            (letter, b'-') => (Role::from_letter(letter.into())?, Origin::Rear),
            _ => return None,
        };
        Some(Wxf {
            role,
            origin,
            direction: Direction::from_sign(sign)?,
            extent: extent - b'0',
        })
    }

    fn fits(&self, position: &Position, m: Move) -> bool {
        let us = position.turn();
        let file = file_number(us, m.from());
        let column = Column::of(position, m);
        m.role() == self.role
            && Direction::of(us, m) == self.direction
            && extent(us, m) == self.extent
            && match self.origin {
                Origin::File(number) => number == file,
                Origin::Front => column.men > 1 && column.place == 1,
                Origin::Rear => column.men > 1 && column.place == column.men,
                Origin::Numbered(place, number) => place == column.place && number == file,
            }
    }
}

/// The men of one side and kind on one file.
struct Column {
    men: u8,
    /// Which of them moves, 1 in front.
    place: u8,
}

impl Column {
    fn of(position: &Position, m: Move) -> Column {
        let us = position.turn();
        let (mut men, mut place) = (0, 1);
        for square in squares(position.pieces(us, m.role())) {
            if square.file() == m.from().file() {
                men += 1;
                place += u8::from(square.rank_for(us) > m.from().rank_for(us));
            }
        }
        Column { men, place }
    }
}

impl Move {
    /// Reads a move as ICCS or UCCI writes it: `h2e2`, `H2E2` or `H2-E2`.
    ///
    /// # Errors
    ///
    /// When the text is not a move, or not a legal one in this position.
    pub fn from_iccs(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let wrong = || ParseMoveError::Iccs(text.to_owned());
        let lower = text.to_ascii_lowercase();
        let (from, rest) = lower.split_at_checked(2).ok_or_else(wrong)?;
        let to = rest.strip_prefix('-').unwrap_or(rest);
        let from = from.parse().map_err(|_| wrong())?;
        let to = to.parse().map_err(|_| wrong())?;
        position
            .legal_move(from, to)
            .ok_or_else(|| illegal(position, text))
    }

    /// Reads a move in WXF notation.
    ///
    /// Letters may be those of any dialect and case, and `.` may stand for `=`. A file may be named
    /// where front and rear would be usual, as long as one legal move fits.
    ///
    /// # Errors
    ///
    /// When the text is not a move, not a legal one in this position, or fits several legal moves.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrograde::xiangqi::{Move, Position};
    ///
    /// let m = Move::from_wxf(&Position::start(), "C2=5")?;
    /// assert_eq!(m.to_iccs(), "h2e2");
    /// # Ok::<(), retrograde::xiangqi::rules::ParseMoveError>(())
    /// ```
    pub fn from_wxf(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let wxf = Wxf::read(text).ok_or_else(|| ParseMoveError::Wxf(text.to_owned()))?;
        let mut fitting = position
            .legal_moves()
            .into_iter()
            .filter(|&m| wxf.fits(position, m));
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

/// A legal move in WXF notation.
///
/// # Examples
///
/// ```
/// use retrograde::xiangqi::{Move, Position, wxf};
///
/// let position = Position::start();
/// let m = Move::from_iccs(&position, "b0c2")?;
/// assert_eq!(wxf(&position, m), "H8+7");
/// # Ok::<(), retrograde::xiangqi::rules::ParseMoveError>(())
/// ```
pub fn wxf(position: &Position, m: Move) -> String {
    let us = position.turn();
    let letter = wxf_letter(m.role());
    let origin = match origin(position, m) {
        Origin::File(number) => format!("{letter}{number}"),
        Origin::Front => format!("{letter}+"),
        Origin::Rear => format!("{letter}-"),
        Origin::Numbered(place, number) => format!("{place}{number}"),
    };
    format!("{origin}{}{}", Direction::of(us, m).sign(), extent(us, m))
}

/// The federation's own letters: elephant and horse.
const fn wxf_letter(role: Role) -> char {
    match role {
        Role::Elephant => 'E',
        Role::Knight => 'H',
        other => other.letter(),
    }
}

fn origin(position: &Position, m: Move) -> Origin {
    let us = position.turn();
    let column = Column::of(position, m);
    let file = file_number(us, m.from());
    if column.men == 1 || matches!(m.role(), Role::Advisor | Role::Elephant) {
        Origin::File(file)
    } else if m.role() == Role::Pawn && (column.men > 2 || has_two_columns(position)) {
        Origin::Numbered(column.place, file)
    } else if column.place == 1 {
        Origin::Front
    } else {
        Origin::Rear
    }
}

/// Whether two files have two or more pawns of the side to move each.
fn has_two_columns(position: &Position) -> bool {
    let mut pawns = [0; 9];
    for square in squares(position.pieces(position.turn(), Role::Pawn)) {
        pawns[usize::from(square.file())] += 1;
    }
    pawns.iter().filter(|&&men| men > 1).count() > 1
}
