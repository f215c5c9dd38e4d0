//! What a file says of all its values together: how many positions have which value, and which of
//! them take longest.
//!
//! Opening a table does not read it. What a ply, an index or a kind of zugzwang means is up to the
//! layers above; `docs/FORMAT.md` describes the bytes.

use std::collections::BTreeMap;

use super::{Counts, Description, Longest};
use crate::counted::counted;
use crate::error::TableError;
use crate::reserve::room;

/// Numbers of positions and some of their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By side to move.
    pub sides: [SideStatistics; 2],
    /// Mutual zugzwangs by kind, as many kinds as the layers above tell apart; none in tables of
    /// distances.
    pub zugzwangs: Vec<Zugzwangs>,
}

/// The numbers of one side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideStatistics {
    /// Wins, cursed wins, draws, blessed losses, losses, in the order of [`Counts`].
    pub results: [Count; 5],
    /// In check and without a legal move.
    pub mated: Count,
    /// Not in check and without a legal move.
    pub stalemated: Count,
    /// All men on squares of their own, but no position with this side to move.
    pub illegal: Count,
    /// Won positions by plies, cursed ones too; empty in a table of results.
    pub wins: BTreeMap<u32, Count>,
    /// Lost positions by plies, those without a legal move left out.
    pub losses: BTreeMap<u32, Count>,
    /// Indices of some of the longest wins.
    pub longest: Vec<u64>,
}

/// How many positions there are of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Over the full board, identical men not told apart.
    pub positions: u64,
    /// Those of them with all men on one long diagonal, where all symmetries of the chess board are
    /// used; else 0.
    pub on_diagonal: u64,
}

/// Mutual zugzwangs of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zugzwangs {
    /// Over the full board.
    pub positions: u64,
    /// Those that count as the same counted once.
    pub different: u64,
    /// Indices of the first that are different, in increasing order.
    pub indices: Vec<u64>,
}

impl Zugzwangs {
    /// Adds one that is different from those before, whose indices are kept if it is among so many
    /// first.
    #[cfg(feature = "generate")]
    pub(crate) fn add_first(&mut self, index: u64, listed: usize) {
        self.different += 1;
        let at = self.indices.partition_point(|&other| other < index);
        if at < listed {
            self.indices.insert(at, index);
            self.indices.truncate(listed);
        }
    }
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.positions += other.positions;
        self.on_diagonal += other.on_diagonal;
    }
}

impl SideStatistics {
    /// The longest win in plies, 0 if there is none.
    #[must_use]
    pub fn longest_win(&self) -> u32 {
        self.wins.last_key_value().map_or(0, |(&plies, _)| plies)
    }

    /// The first of the longest wins that are named, as a header has it.
    #[must_use]
    pub fn first_longest(&self) -> Option<Longest> {
        let plies = self.longest_win();
        let &index = self.longest.first()?;
        Some(Longest { plies, index })
    }

    /// The results as a header has them.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::from_array(self.results.map(|count| count.positions))
    }

    fn counted(&self) -> impl Iterator<Item = &Count> {
        (self.results.iter())
            .chain([&self.mated, &self.stalemated, &self.illegal])
            .chain(self.wins.values())
            .chain(self.losses.values())
    }
}

const HAS_DIAGONAL: u64 = 1;

impl Statistics {
    /// The first thing in which others differ, in words: as it is here and as it is there.
    pub(crate) fn first_difference(&self, other: &Statistics) -> Option<[String; 2]> {
        let both = [self, other].map(Statistics::in_words);
        let at = |number: usize| {
            both.each_ref()
                .map(|words| words.get(number).cloned().unwrap_or_default())
        };
        let longest = both.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).map(at).find(|[own, other]| own != other)
    }

    fn in_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (number, side) in self.sides.iter().enumerate() {
            let mut add = |what: String| words.push(format!("side {number} to move: {what}"));
            for (name, count) in [
                ("mated", side.mated),
                ("stalemated", side.stalemated),
                ("illegal", side.illegal),
            ] {
                add(format!("{count} {name}"));
            }
            for (plies, count) in &side.wins {
                add(format!("{count} won in {}", counted(*plies, "ply")));
            }
            for (plies, count) in &side.losses {
                add(format!("{count} lost in {}", counted(*plies, "ply")));
            }
            add(format!("longest wins at {:?}", side.longest));
            add(format!(
                "results {}",
                side.results.map(|count| count.to_string()).join(", ")
            ));
        }
        for (number, kind) in self.zugzwangs.iter().enumerate() {
            words.push(format!("zugzwangs of kind {number}: {kind:?}"));
        }
        words
    }

    /// The payload of the section. Results over the full board are left to the header.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut counted = self.sides.iter().flat_map(SideStatistics::counted);
        let has_diagonal = counted.any(|count| count.on_diagonal > 0);
        let mut out = Out {
            bytes: Vec::new(),
            has_diagonal,
        };
        out.number(u64::from(has_diagonal) * HAS_DIAGONAL);
        for side in &self.sides {
            for count in &side.results {
                if has_diagonal {
                    out.number(count.on_diagonal);
                }
            }
            for count in [&side.mated, &side.stalemated, &side.illegal] {
                out.count(count);
            }
            out.histogram(&side.wins);
            out.histogram(&side.losses);
            out.numbers(&side.longest);
        }
        out.number(self.zugzwangs.len() as u64);
        for kind in &self.zugzwangs {
            out.number(kind.positions);
            out.number(kind.different);
            out.numbers(&kind.indices);
        }
        out.bytes
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub(super) fn decode(
        payload: &[u8],
        description: &Description,
    ) -> Result<Statistics, TableError> {
        let mut front = Front {
            bytes: payload,
            has_diagonal: false,
        };
        let flags = front.number()?;
        if flags > HAS_DIAGONAL {
            return Err(IMPOSSIBLE);
        }
        front.has_diagonal = flags == HAS_DIAGONAL;
        let mut statistics = Statistics::default();
        for (side, counts) in statistics.sides.iter_mut().zip(&description.counts) {
            for (result, positions) in side.results.iter_mut().zip(counts.to_array()) {
                *result = front.count_of(positions)?;
            }
            side.mated = front.count()?;
            side.stalemated = front.count()?;
            side.illegal = front.count()?;
            side.wins = front.histogram()?;
            side.losses = front.histogram()?;
            side.longest = front.numbers()?;
        }
        for _ in 0..front.number()? {
            let zugzwangs = Zugzwangs {
                positions: front.number()?,
                different: front.number()?,
                indices: front.numbers()?,
            };
            room(&mut statistics.zugzwangs, 1)?;
            statistics.zugzwangs.push(zugzwangs);
        }
        match front.bytes {
            [] => Ok(statistics),
            _ => Err(IMPOSSIBLE),
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.positions)?;
        match self.on_diagonal {
            0 => Ok(()),
            on_diagonal => write!(f, " ({on_diagonal} with all men on a long diagonal)"),
        }
    }
}

struct Out {
    bytes: Vec<u8>,
    has_diagonal: bool,
}

impl Out {
    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn count(&mut self, count: &Count) {
        self.number(count.positions);
        if self.has_diagonal {
            self.number(count.on_diagonal);
        }
    }

    fn histogram(&mut self, histogram: &BTreeMap<u32, Count>) {
        self.number(histogram.len() as u64);
        let mut next = 0;
        for (&plies, count) in histogram {
            self.number(u64::from(plies) - next);
            next = u64::from(plies) + 1;
            self.count(count);
        }
    }

    fn numbers(&mut self, numbers: &[u64]) {
        self.number(numbers.len() as u64);
        for &number in numbers {
            self.number(number);
        }
    }
}

const IMPOSSIBLE: TableError = TableError::ImpossibleStatistics;

/// Reads from the front of bytes; an error where they end too early or say something that is never
/// written, or where there is no memory for what they say.
struct Front<'a> {
    bytes: &'a [u8],
    has_diagonal: bool,
}

impl Front<'_> {
    fn number(&mut self) -> Result<u64, TableError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or(IMPOSSIBLE)?;
            self.bytes = rest;
            let digit = u64::from(byte & 0x7f);
            if digit << shift >> shift != digit || (shift > 0 && byte == 0) {
                return Err(IMPOSSIBLE);
            }
            number |= digit << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(IMPOSSIBLE)
    }

    fn count(&mut self) -> Result<Count, TableError> {
        let positions = self.number()?;
        self.count_of(positions)
    }

    fn count_of(&mut self, positions: u64) -> Result<Count, TableError> {
        let on_diagonal = match self.has_diagonal {
            true => self.number()?,
            false => 0,
        };
        if on_diagonal > positions {
            return Err(IMPOSSIBLE);
        }
        Ok(Count {
            positions,
            on_diagonal,
        })
    }

    fn histogram(&mut self) -> Result<BTreeMap<u32, Count>, TableError> {
        let mut histogram = BTreeMap::new();
        let mut next = 0u32;
        for _ in 0..self.number()? {
            let skipped = u32::try_from(self.number()?).map_err(|_| IMPOSSIBLE)?;
            let plies = next.checked_add(skipped).ok_or(IMPOSSIBLE)?;
            next = plies.checked_add(1).ok_or(IMPOSSIBLE)?;
            histogram.insert(plies, self.count()?);
        }
        Ok(histogram)
    }

    fn numbers(&mut self) -> Result<Vec<u64>, TableError> {
        let mut numbers = Vec::new();
        for _ in 0..self.number()? {
            room(&mut numbers, 1)?;
            numbers.push(self.number()?);
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(positions: u64, on_diagonal: u64) -> Count {
        Count {
            positions,
            on_diagonal,
        }
    }

    fn some(diagonal: u64) -> (Statistics, Description) {
        let side = SideStatistics {
            results: [5, 4, 3, 2, 1].map(|n| count(n * 1000, n * diagonal)),
            mated: count(7, diagonal),
            stalemated: count(u64::MAX, diagonal),
            illegal: count(300, diagonal),
            wins: BTreeMap::from([
                (0, count(1, 0)),
                (1, count(8, diagonal)),
                (101, count(9, 0)),
            ]),
            losses: BTreeMap::from([(u32::MAX - 1, count(20, 0))]),
            longest: vec![127, 128, u64::MAX - 1],
        };
        let zugzwangs = Zugzwangs {
            positions: 40,
            different: 20,
            indices: vec![3, 4000],
        };
        let statistics = Statistics {
            sides: [side, SideStatistics::default()],
            zugzwangs: vec![zugzwangs, Zugzwangs::default()],
        };
        let description = Description {
            counts: statistics.sides.each_ref().map(SideStatistics::counts),
            ..Description::default()
        };
        (statistics, description)
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for diagonal in [0, 1] {
            let (statistics, description) = some(diagonal);
            let payload = statistics.encode();
            assert_eq!(
                Statistics::decode(&payload, &description).unwrap(),
                statistics
            );
            for len in 0..payload.len() {
                assert!(Statistics::decode(&payload[..len], &description).is_err());
            }
            let longer = [&payload[..], &[0]].concat();
            assert!(Statistics::decode(&longer, &description).is_err());
        }
    }

    #[test]
    fn what_is_never_written_is_an_error() {
        let decode = |payload: &[u8]| Statistics::decode(payload, &Description::default());
        let (empty, _) = (Statistics::default().encode(), ());
        assert_eq!(decode(&empty).unwrap(), Statistics::default());
        // Unknown flags, a number that ends with a zero byte, one of more than 64 bits, more on the
        // diagonal than there are.
        let with = |at: usize, bytes: &[u8]| [&empty[..at], bytes, &empty[at + 1..]].concat();
        for payload in [
            with(0, &[2]),
            with(1, &[0x80, 0]),
            with(
                1,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            ),
            with(1, &[0xff; 12]),
            with(4, &[0xff, 0xff, 0x7f]),
        ] {
            assert!(decode(&payload).is_err(), "{payload:?}");
        }
        let with_diagonal = [&[1][..], &[1]].concat();
        assert!(decode(&with_diagonal).is_err());
    }
}
