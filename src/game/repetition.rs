//! Positions that come back along a line of play.

/// What a line of play needs to know of a position to tell whether it occurred before.
pub trait Repeatable {
    /// A number that is the same for positions that are the same, and rarely for others.
    fn repetition_key(&self) -> u64;

    /// How many plies back the position could have occurred before: since the last move that cannot
    /// be undone.
    fn reversible_plies(&self) -> usize;

    /// Whether the rules count the two positions as the same.
    fn is_same_position(&self, other: &Self) -> bool;
}

/// A line of play: the first position and every one after it.
///
/// Keys find earlier positions fast; since two positions can share a key, those found are compared
/// before they count.
///
/// # Examples
///
/// ```
/// use retrograde::chess::{Move, Position};
/// use retrograde::game::repetition::Line;
///
/// let mut line = Line::new(Position::start());
/// for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2) {
///     let m = Move::from_uci(line.current(), uci)?;
///     line.play(m);
/// }
/// assert_eq!(line.earlier_occurrences(), 2);
/// assert!(line.is_repeated(3));
/// # Ok::<(), retrograde::chess::rules::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Line<P> {
    /// Each position with its key, oldest first.
    earlier: Vec<(u64, P)>,
    key: u64,
    current: P,
}

impl<P: Repeatable> Line<P> {
    /// A line that begins with that position.
    pub fn new(first: P) -> Line<P> {
        Line {
            earlier: Vec::new(),
            key: first.repetition_key(),
            current: first,
        }
    }

    /// The position the line has arrived at.
    pub fn current(&self) -> &P {
        &self.current
    }

    /// How many plies were played since the first position.
    pub fn plies(&self) -> usize {
        self.earlier.len()
    }

    /// Adds the position after the next move.
    pub fn push(&mut self, next: P) {
        let key = next.repetition_key();
        let previous = std::mem::replace(&mut self.current, next);
        self.earlier.push((self.key, previous));
        self.key = key;
    }

    /// Goes back one ply and returns the position left behind, or `None` at the first position.
    pub fn pop(&mut self) -> Option<P> {
        let (key, previous) = self.earlier.pop()?;
        self.key = key;
        Some(std::mem::replace(&mut self.current, previous))
    }

    /// How often the current position occurred earlier in the line.
    pub fn earlier_occurrences(&self) -> usize {
        self.occurrences().count()
    }

    /// Whether the current position occurs for at least the `times`-th time: 3 for a claim, 5 for
    /// the end.
    pub fn is_repeated(&self, times: usize) -> bool {
        times <= 1 || self.occurrences().nth(times - 2).is_some()
    }

    /// How many plies ago the current position last occurred.
    pub fn plies_since_last(&self) -> Option<usize> {
        self.occurrences().next()
    }

    /// The distances in plies to earlier occurrences, nearest first.
    fn occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        // The same side is to move, so only every second position can be the same.
        self.earlier
            .iter()
            .rev()
            .take(self.current.reversible_plies())
            .enumerate()
            .skip(1)
            .step_by(2)
            .filter(|(_, (key, position))| {
                *key == self.key && self.current.is_same_position(position)
            })
            .map(|(i, _)| i + 1)
    }
}
