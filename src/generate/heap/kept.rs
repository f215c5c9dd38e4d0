//! Which memory an allocator keeps that nobody uses now, and when it has to go back to the system.

/// Pieces that are kept at the most.
const MOST_PIECES: usize = 1024;
/// A part of the most that was in use, one in so many, is left free: for what is not counted, and
/// for what was counted then without ever being written to.
const LEFT_FREE: usize = 8;

/// Consecutive bytes of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub start: usize,
    pub bytes: usize,
}

impl Piece {
    const NONE: Piece = Piece { start: 0, bytes: 0 };

    fn end(self) -> usize {
        self.start + self.bytes
    }
}

/// The memory that nobody uses now, and how much is in use.
///
/// As long as anything is kept, both together are less than the most that was in use at a time, but
/// for parts of pages that cannot go back. So a process takes no more memory than one that gives
/// everything back at once, and what was planned for it still holds.
#[derive(Debug)]
pub(super) struct Kept {
    /// By address; no two of them touch.
    pieces: [Piece; MOST_PIECES],
    len: usize,
    /// Bytes of a page. Only whole ones go back to the system.
    page: usize,
    /// Bytes of all pieces.
    kept: usize,
    used: usize,
    /// The most bytes that were in use at a time.
    most: usize,
}

impl Kept {
    pub const fn new(page: usize) -> Kept {
        Kept {
            pieces: [Piece::NONE; MOST_PIECES],
            len: 0,
            page,
            kept: 0,
            used: 0,
            most: 0,
        }
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.len]
    }

    /// Takes so many bytes, if there are as many in one piece: from the smallest one that has them.
    pub fn take(&mut self, bytes: usize) -> Option<usize> {
        let pieces = self.pieces().iter().enumerate();
        let large_enough = pieces.filter(|(_, piece)| piece.bytes >= bytes);
        let (place, piece) = large_enough.min_by_key(|(_, piece)| piece.bytes)?;
        let start = piece.start;
        self.cut(place, bytes);
        self.pieces[place].start += bytes;
        self.remove_if_empty(place);
        self.used += bytes;
        Some(start)
    }

    /// Counts what comes from the system.
    pub fn add(&mut self, bytes: usize) {
        self.used += bytes;
        self.most = self.most.max(self.used);
    }

    /// Counts what goes back to the system without being kept, or never came.
    pub fn subtract(&mut self, bytes: usize) {
        self.used -= bytes;
    }

    /// Keeps what is not used any more. Returns what there is no room to keep note of.
    pub fn put(&mut self, piece: Piece) -> Option<Piece> {
        self.used -= piece.bytes;
        self.kept += piece.bytes;
        let place = (self.pieces()).partition_point(|other| other.start < piece.start);
        let touches_next = place < self.len && piece.end() == self.pieces[place].start;
        let touches_last = place > 0 && self.pieces[place - 1].end() == piece.start;
        match (touches_last, touches_next) {
            (true, true) => {
                self.pieces[place - 1].bytes += piece.bytes + self.pieces[place].bytes;
                self.remove(place);
            }
            (true, false) => self.pieces[place - 1].bytes += piece.bytes,
            (false, true) => {
                let next = &mut self.pieces[place];
                next.start = piece.start;
                next.bytes += piece.bytes;
            }
            (false, false) if self.len == MOST_PIECES => {
                self.kept -= piece.bytes;
                return Some(piece);
            }
            (false, false) => self.insert(place, piece),
        }
        None
    }

    /// The most bytes in use and kept together, as long as whole pages are kept.
    fn limit(&self) -> usize {
        self.most - self.most / LEFT_FREE
    }

    /// What has to go back to the system now, piece by piece: pages of those that have most.
    pub fn surplus(&mut self) -> Option<Piece> {
        let surplus = (self.used + self.kept).saturating_sub(self.limit());
        if surplus == 0 {
            return None;
        }
        let of_pages = self.pieces().iter().map(|&piece| self.pages_of(piece));
        let (place, pages) = of_pages.enumerate().max_by_key(|(_, pages)| pages.bytes)?;
        if pages.bytes == 0 {
            return None;
        }
        let bytes = pages.bytes.min(surplus.next_multiple_of(self.page));
        let start = pages.end() - bytes;
        let piece = self.pieces[place];
        let before = Piece {
            start: piece.start,
            bytes: start - piece.start,
        };
        let mut behind = Piece {
            start: pages.end(),
            bytes: piece.end() - pages.end(),
        };
        let given_back = match self.len == MOST_PIECES && before.bytes > 0 {
            // There is no room to keep note of two.
            true => std::mem::take(&mut behind.bytes) + bytes,
            false => bytes,
        };
        self.kept -= given_back;
        match (before.bytes, behind.bytes) {
            (0, _) => self.pieces[place] = behind,
            (_, 0) => self.pieces[place] = before,
            _ => {
                self.pieces[place] = before;
                self.insert(place + 1, behind);
            }
        }
        self.remove_if_empty(place);
        Some(Piece {
            start,
            bytes: given_back,
        })
    }

    /// The whole pages of a piece.
    fn pages_of(&self, piece: Piece) -> Piece {
        let start = piece.start.next_multiple_of(self.page);
        Piece {
            start,
            bytes: (piece.end() / self.page * self.page).saturating_sub(start),
        }
    }

    /// A piece to be given back to the system, until there is none.
    pub fn pop(&mut self) -> Option<Piece> {
        let place = self.len.checked_sub(1)?;
        let piece = self.pieces[place];
        self.kept -= piece.bytes;
        self.len = place;
        Some(piece)
    }

    /// Makes a piece shorter.
    fn cut(&mut self, place: usize, bytes: usize) {
        self.pieces[place].bytes -= bytes;
        self.kept -= bytes;
    }

    fn remove_if_empty(&mut self, place: usize) {
        if self.pieces[place].bytes == 0 {
            self.remove(place);
        }
    }

    fn insert(&mut self, place: usize, piece: Piece) {
        self.pieces.copy_within(place..self.len, place + 1);
        self.pieces[place] = piece;
        self.len += 1;
    }

    fn remove(&mut self, place: usize) {
        self.pieces.copy_within(place + 1..self.len, place);
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start: usize, bytes: usize) -> Piece {
        Piece { start, bytes }
    }

    #[test]
    fn what_touches_is_one_piece_and_the_smallest_that_is_enough_is_taken() {
        let mut kept = Kept::new(10);
        kept.add(100);
        for part in [piece(10, 10), piece(30, 10), piece(60, 20)] {
            assert_eq!(kept.put(part), None);
        }
        assert_eq!(kept.put(piece(20, 10)), None);
        assert_eq!(kept.pieces(), [piece(10, 30), piece(60, 20)]);
        assert_eq!(kept.take(15), Some(60));
        assert_eq!(kept.take(15), Some(10));
        assert_eq!(kept.take(16), None);
        assert_eq!(kept.pieces(), [piece(25, 15), piece(75, 5)]);
        assert_eq!(kept.take(15), Some(25));
        assert_eq!((kept.kept, kept.used, kept.most), (5, 95, 100));
    }

    #[test]
    fn less_is_there_than_was_in_use() {
        let mut kept = Kept::new(10);
        kept.add(160);
        kept.put(piece(0, 20));
        kept.put(piece(31, 34));
        // 106 are in use and 54 kept. The pages of the second piece are those from 40 on.
        assert_eq!(kept.surplus(), Some(piece(40, 20)));
        assert_eq!(kept.surplus(), None);
        assert_eq!(kept.pieces(), [piece(0, 20), piece(31, 9), piece(60, 5)]);
        // Then 25 come from the system.
        kept.add(25);
        assert_eq!(kept.surplus(), Some(piece(0, 20)));
        assert_eq!(kept.surplus(), None);
        assert_eq!((kept.used, kept.kept, kept.most), (131, 14, 160));
        // What is no whole page stays.
        kept.add(40);
        assert_eq!(kept.surplus(), None);
        assert_eq!(kept.pieces(), [piece(31, 9), piece(60, 5)]);
        assert_eq!((kept.kept, kept.most), (14, 171));
    }

    /// Whatever is taken and put, no byte has two users and none is lost.
    #[test]
    fn every_byte_is_in_one_place() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut kept = Kept::new(8);
        let mut used: Vec<Piece> = Vec::new();
        let (mut mapped, mut given_back, mut times_full) = (0, 0, 0);
        for _ in 0..60_000 {
            if random.u32(..100) < 45 && !used.is_empty() {
                let place = random.usize(..used.len());
                let piece = used.swap_remove(place);
                given_back += kept.put(piece).map_or(0, |piece| piece.bytes);
            } else {
                let bytes = random.usize(1..50);
                let start = kept.take(bytes).unwrap_or_else(|| {
                    kept.add(bytes);
                    // Every other piece touches the one before.
                    let gap = random.usize(..2);
                    mapped += bytes + gap;
                    given_back += gap;
                    mapped - bytes
                });
                used.push(piece(start, bytes));
            }
            while let Some(piece) = kept.surplus() {
                given_back += piece.bytes;
            }
            if used.len() > 2500 {
                for piece in used.drain(100..) {
                    given_back += kept.put(piece).map_or(0, |piece| piece.bytes);
                }
            }
            times_full += usize::from(kept.len == MOST_PIECES);
            let in_use: usize = used.iter().map(|piece| piece.bytes).sum();
            let in_pieces: usize = kept.pieces().iter().map(|piece| piece.bytes).sum();
            assert_eq!((in_use, in_pieces), (kept.used, kept.kept));
            let pages = kept
                .pieces()
                .iter()
                .map(|&piece| kept.pages_of(piece).bytes);
            assert!(kept.used + kept.kept <= kept.limit() || pages.sum::<usize>() == 0);
            assert_eq!(in_use + in_pieces + given_back, mapped);
        }
        assert!(times_full > 100);
        let mut all: Vec<Piece> = used.into_iter().chain(kept.pieces().to_vec()).collect();
        all.sort_unstable_by_key(|piece| piece.start);
        assert!(all.windows(2).all(|two| two[0].end() <= two[1].start));
        while kept.pop().is_some() {}
        assert_eq!((kept.kept, kept.len), (0, 0));
    }
}
