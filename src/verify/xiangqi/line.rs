//! Lines: the values of the positions that differ only in the square of one man.
//!
//! As in the lines of chess, the best move is one to the least value: values are those of the side
//! that then has the move. What is not legal has the largest number, so that nothing moves there.

use crate::xiangqi::rules::{Bitboard, SQUARES, Square};

/// The squares, and a few more for even numbers of registers.
pub(super) const WIDTH: usize = 96;

/// One number for each square.
pub(super) type Line<N> = [N; WIDTH];

/// The score of no position.
pub(super) const NO_SCORE: u8 = u8::MAX;

/// Keys: the result, the round and the distance to conversion in one number, ordered by preference
/// of the side to move. The winner goes for fewer rounds, then hurries; the loser goes for more
/// rounds, then takes his time.
///
/// With `m` = round * 512 + plies, a win has the key 2^18 - m, a draw 0, and a loss m - 2^18.
pub(super) mod key {
    use crate::metric::Wdl;

    const WON: i32 = 1 << 18;
    const ROUND: i32 = 512;

    /// No position.
    pub const NONE: i32 = i32::MAX;
    /// The side to move has no move.
    pub const MATED: i32 = -WON;

    pub fn of(result: Wdl, round: u8, plies: u8) -> i32 {
        let measure = i32::from(round) * ROUND + i32::from(plies);
        (WON - measure) * sign(result)
    }

    fn sign(result: Wdl) -> i32 {
        match result {
            Wdl::Win => 1,
            Wdl::Loss => -1,
            _ => 0,
        }
    }

    /// The key of a position from that of the position that its best move reaches.
    #[inline(always)]
    pub fn before(key: i32) -> i32 {
        key.signum() - key
    }

    /// What to take for a position that a capture reaches, so that what comes before is one ply
    /// from conversion.
    #[inline(always)]
    pub fn reached_by_capture(key: i32) -> i32 {
        let captured = key.signum() * WON;
        if key == NONE { NONE } else { captured }
    }

    pub fn result(key: i32) -> Wdl {
        match key.signum() {
            1 => Wdl::Win,
            -1 => Wdl::Loss,
            _ => Wdl::Draw,
        }
    }

    fn measure(key: i32) -> i32 {
        if key == 0 { 0 } else { WON - key.abs() }
    }

    pub fn round(key: i32) -> i32 {
        measure(key) / ROUND
    }

    pub fn plies(key: i32) -> i32 {
        measure(key) % ROUND
    }
}

/// How the board of one line lies on that of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Left and right are exchanged.
    pub mirrored: bool,
    /// Red's end and black's are exchanged.
    pub flipped: bool,
}

impl Turn {
    /// The square on the other board.
    pub fn square(self, mut square: Square) -> Square {
        if self.mirrored {
            square = square.mirrored();
        }
        if self.flipped {
            square = square.flipped();
        }
        square
    }

    const fn index(self) -> usize {
        self.mirrored as usize + 2 * self.flipped as usize
    }
}

static TURNED: [[u8; WIDTH]; 4] = {
    let mut turned = [[(WIDTH - 1) as u8; WIDTH]; 4];
    let mut index = 0;
    while let Some(square) = Square::from_index(index) {
        let images = [
            square,
            square.mirrored(),
            square.flipped(),
            square.mirrored().flipped(),
        ];
        let mut turn = 0;
        while turn < images.len() {
            turned[turn][index] = images[turn].index() as u8;
            turn += 1;
        }
        index += 1;
    }
    turned
};

/// Takes what is smaller, but for the squares of a set.
fn take<N: Copy + Ord>(best: &mut Line<N>, line: &Line<N>, except: Bitboard, none: N) {
    if except == 0 {
        for (best, &number) in best.iter_mut().zip(line) {
            *best = number.min(*best);
        }
        return;
    }
    for (place, (best, &number)) in best[..SQUARES].iter_mut().zip(line).enumerate() {
        let number = if except >> place & 1 == 1 {
            none
        } else {
            number
        };
        *best = number.min(*best);
    }
}

/// The values of one side to move at one address.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub keys: Line<i32>,
    /// Mate scores; any numbers where they are not known.
    pub scores: Line<u8>,
}

/// Those of the moves that there are which are best for the side that makes them. Result and mate
/// score may come from different moves.
pub(super) type Best = Values;

impl Values {
    /// No position, or no move.
    pub const NONE: Values = Values {
        keys: [key::NONE; WIDTH],
        scores: [NO_SCORE; WIDTH],
    };

    /// Takes what moves to the places of a line reach, but for the squares of a set.
    pub fn take(&mut self, line: &Values, turn: Turn, except: Bitboard) {
        if turn == Turn::default() {
            take(&mut self.keys, &line.keys, except, key::NONE);
            take(&mut self.scores, &line.scores, except, NO_SCORE);
        } else {
            let places = &TURNED[turn.index()];
            let keys = places.map(|place| line.keys[usize::from(place)]);
            let scores = places.map(|place| line.scores[usize::from(place)]);
            take(&mut self.keys, &keys, except, key::NONE);
            take(&mut self.scores, &scores, except, NO_SCORE);
        }
    }

    /// Takes one value on all squares of a set.
    pub fn take_one(&mut self, (key, score): (i32, u8), places: Bitboard) {
        for place in crate::xiangqi::rules::squares(places) {
            let place = place.index();
            self.keys[place] = key.min(self.keys[place]);
            self.scores[place] = score.min(self.scores[place]);
        }
    }

    /// The value of one square.
    pub fn at(&self, square: Square) -> (i32, u8) {
        (self.keys[square.index()], self.scores[square.index()])
    }

    /// Takes what the man in the line reaches by sliding along ranks and files.
    pub fn slide(&mut self, line: &Values, fixed: Bitboard) {
        slide(&mut self.keys, &line.keys, fixed, key::NONE);
        slide(&mut self.scores, &line.scores, fixed, NO_SCORE);
    }
}

/// For each square the least number on the squares that are reached from it along free ranks and
/// files.
fn slide<N: Copy + Ord>(best: &mut Line<N>, line: &Line<N>, fixed: Bitboard, none: N) {
    let files = (0..9).map(|file| (10 * file, 1, 10));
    let ranks = (0..10).map(|rank| (rank, 10, 9));
    for (first, step, count) in files.chain(ranks) {
        let mut pass = |square: usize, running: &mut N| {
            if fixed >> square & 1 == 1 {
                *running = none;
            } else {
                best[square] = best[square].min(*running);
                *running = line[square].min(*running);
            }
        };
        let (mut up, mut down) = (none, none);
        for place in 0..count {
            pass(first + step * place, &mut up);
            pass(first + step * (count - 1 - place), &mut down);
        }
    }
}
