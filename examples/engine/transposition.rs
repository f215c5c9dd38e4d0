//! What a search knows of positions it has been at, by their Zobrist keys.

use retrograde::chess::Move;

/// What a score says of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is at least that.
    Lower,
    /// It is at most that.
    Upper,
    /// It is that.
    Exact,
}

/// What was found out about a position.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    key: u64,
    /// The best move, if one was better than nothing.
    pub best: Option<Move>,
    /// For the side to move, mates counted from this position.
    pub score: i32,
    /// How many plies deep the search was.
    pub depth: i32,
    pub bound: Bound,
}

/// A table of entries; each key has one place, and what comes later stays.
#[derive(Debug)]
pub struct Transpositions {
    entries: Vec<Option<Entry>>,
}

impl Transpositions {
    /// A table of about so many mebibytes, at least one entry.
    pub fn new(mebibytes: usize) -> Transpositions {
        let entries = (mebibytes << 20) / size_of::<Option<Entry>>();
        Transpositions {
            entries: vec![None; entries.max(1)],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill(None);
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    /// What is known of a position. Another position with the same key is not told apart; so its
    /// move may be impossible here.
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.entries[self.place(key)].filter(|entry| entry.key == key)
    }

    /// Remembers a position. Where nothing better than the best move of an earlier search is known,
    /// that stays.
    pub fn insert(&mut self, key: u64, best: Option<Move>, score: i32, depth: i32, bound: Bound) {
        let place = self.place(key);
        let earlier = self.get(key).and_then(|entry| entry.best);
        self.entries[place] = Some(Entry {
            key,
            best: best.or(earlier),
            score,
            depth,
            bound,
        });
    }
}
