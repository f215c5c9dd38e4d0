//! A line of play that knows when it repeats itself, and who gives check for ever.
//!
//! Two steps find a repetition. A small hash of the positions that occurred says cheaply that the
//! current one did not: that is nearly always the answer. Otherwise the moves are taken back one by
//! one, in thought, until every man that moved has come home; a capture ends the search, since a
//! captured man never comes home.
//!
//! The men of a kind are not told apart: two rooks that change places are both at home.

use super::{Move, Piece, Position, Square, Undo};
use crate::game::Color;

/// Entries of the small hash.
const FILTER: usize = 1024;

/// The current position occurred before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// How many plies ago.
    pub plies: usize,
    /// Whether each side, red first, gave check with every move since.
    pub always_checks: [bool; 2],
}

impl Repetition {
    /// The side that loses by giving check for ever while the other does not; `None` if the endless
    /// game is a draw.
    pub fn loser(&self) -> Option<Color> {
        match self.always_checks {
            [true, false] => Some(Color::White),
            [false, true] => Some(Color::Black),
            _ => None,
        }
    }
}

/// A line of play: a position, and the moves that led to it.
///
/// # Examples
///
/// ```
/// use retrograde::game::Color;
/// use retrograde::xiangqi::{History, Position};
///
/// let mut line = History::new(Position::from_fen("3k5/9/9/9/9/9/9/4K4/9/R8 w")?);
/// for name in ["a0a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8", "d8d9"] {
///     let m = retrograde::xiangqi::rules::Move::from_iccs(line.current(), name)?;
///     line.play(m);
/// }
/// let repetition = line.repetition().expect("the same position four plies ago");
/// assert_eq!(repetition.plies, 4);
/// assert_eq!(repetition.loser(), Some(Color::White));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct History {
    current: Position,
    played: Vec<(Move, Undo)>,
    /// By the lowest bits of a key: one more than the ply at which a position with such a key came
    /// first, or 0.
    filter: Box<[u32; FILTER]>,
}

impl History {
    /// A line that begins with that position.
    pub fn new(first: Position) -> History {
        History {
            current: first,
            played: Vec::new(),
            filter: Box::new([0; FILTER]),
        }
    }

    /// The position the line has arrived at.
    pub fn current(&self) -> &Position {
        &self.current
    }

    /// The moves played, oldest first.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator + '_ {
        self.played.iter().map(|&(m, _)| m)
    }

    /// Whether the last move gave check: whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.current.is_check()
    }

    fn entry(&mut self) -> &mut u32 {
        &mut self.filter[self.current.key() as usize % FILTER]
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        let ply = self.played.len() as u32 + 1;
        let entry = self.entry();
        if *entry == 0 {
            *entry = ply;
        }
        let undo = self.current.make(m);
        self.played.push((m, undo));
    }

    /// Takes the last move back and returns it, or `None` at the first position.
    pub fn take_back(&mut self) -> Option<Move> {
        let (m, undo) = self.played.pop()?;
        self.current.unmake(m, undo);
        let ply = self.played.len() as u32 + 1;
        let entry = self.entry();
        if *entry == ply {
            *entry = 0;
        }
        Some(m)
    }

    /// Whether the small hash allows that the current position occurred before. `false` is certain.
    pub fn may_repeat(&self) -> bool {
        self.filter[self.current.key() as usize % FILTER] != 0
    }

    /// The latest earlier occurrence of the current position.
    pub fn repetition(&self) -> Option<Repetition> {
        self.may_repeat().then(|| self.repetitions().next())?
    }

    /// All earlier occurrences of the current position, the latest first, by the home-coming test.
    pub fn repetitions(&self) -> impl Iterator<Item = Repetition> + '_ {
        let mut away = Away::default();
        let mut always_checks = [true; 2];
        let mut mover = self.current.turn();
        self.played
            .iter()
            .rev()
            .take_while(|(_, undo)| !undo.is_capture())
            .enumerate()
            .filter_map(move |(i, &(m, _))| {
                mover = !mover;
                always_checks[mover.index()] &= m.gives_check();
                away.take_back(m.role().of(mover), m);
                let is_home = away.is_empty() && i % 2 == 1;
                is_home.then_some(Repetition {
                    plies: i + 1,
                    always_checks,
                })
            })
    }
}

/// Where men are too few or too many, compared with the current position: nowhere when all are at
/// home.
#[derive(Default)]
struct Away(Vec<(Piece, Square, i8)>);

impl Away {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take_back(&mut self, piece: Piece, m: Move) {
        self.change(piece, m.to(), -1);
        self.change(piece, m.from(), 1);
    }

    fn change(&mut self, piece: Piece, square: Square, by: i8) {
        let known = (self.0.iter()).position(|&(p, s, _)| p == piece && s == square);
        match known {
            None => self.0.push((piece, square, by)),
            Some(i) => {
                self.0[i].2 += by;
                if self.0[i].2 == 0 {
                    self.0.swap_remove(i);
                }
            }
        }
    }
}
