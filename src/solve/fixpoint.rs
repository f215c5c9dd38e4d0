//! Retrograde analysis of one slice: from what is fixed outside it to the value of every position.
//!
//! One ply of the iteration, for each side to move (`pred` is one quiet move back):
//!
//! ```text
//! won'  = pred(newly lost of the opponent)  & legal & !won
//! cand  = pred(newly won of the opponent)   & legal & !won & !lost & !(has a zeroing move that does not lose)
//! lost' = cand & !pred(legal of the opponent & !won of the opponent)
//! ```
//!
//! Zeroing moves (captures, pawn moves) leave the slice; what they are worth is given in [`Fixed`].

use bitvec::array::BitArray;
use bitvec::order::Lsb0;

use super::space::{Board, Space};
use super::sweep::{LineTable, Sweeper, having_a_move_into, push_predecessors};
use crate::game::Bits;
use crate::metric::{MateScore, Plies, Wdl};

/// Below one non-empty word in this many, words are looked at one by one instead of sweeping everything.
///
/// Measured on the four-man tables; between 6 and 24 the time hardly changes.
const SPARSE: usize = 12;

/// What is known of one side's positions before the slice is solved.
#[derive(Clone, Debug)]
pub struct Fixed<W> {
    /// Positions that can occur with this side to move.
    pub legal: Vec<W>,
    /// Those in which its king is attacked.
    pub in_check: Vec<W>,
    /// For each [`Wdl`], the positions with a legal zeroing move of that value for the mover.
    pub zeroing: [Vec<W>; 5],
    /// The best mate score of a zeroing move, a byte a position; [`MateScore::MATED`] where there is none.
    /// Empty when distances to mate are not wanted.
    pub zeroing_score: Vec<u8>,
}

impl<W: Bits> Fixed<W> {
    /// Everything empty, for sets of `words` words.
    #[must_use]
    pub fn new(words: usize, with_scores: bool) -> Fixed<W> {
        let empty = || vec![W::ZERO; words];
        Fixed {
            legal: empty(),
            in_check: empty(),
            zeroing: std::array::from_fn(|_| empty()),
            zeroing_score: if with_scores {
                vec![MateScore::MATED.0; words * W::WIDTH as usize]
            } else {
                Vec::new()
            },
        }
    }

    fn with_zeroing_to(&self, values: &[Wdl]) -> Vec<W> {
        let mut union = vec![W::ZERO; self.legal.len()];
        for value in values {
            for (all, &word) in union.iter_mut().zip(&self.zeroing[value.index()]) {
                *all |= word;
            }
        }
        union
    }
}

/// The value of every position of one side.
#[derive(Clone, Debug)]
pub struct Values<W> {
    /// For each [`Wdl`] except the draw, the positions that have it; the others that are legal are drawn.
    pub decided: [Vec<W>; 5],
    /// Not in check, no legal move.
    pub stalemate: Vec<W>,
    /// Distance to zeroing in plies without sign, a byte a position; 0 for draws, mated and illegal positions.
    pub dtz: Vec<u8>,
    /// [`MateScore`] bytes; the score of a draw for illegal positions. Empty when not asked for.
    pub dtm: Vec<u8>,
}

/// A distance that does not fit into the one byte a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistanceOverflow;

/// Solves a slice for [`Wdl`] and [`Dtz`](crate::metric::Dtz), and for [`Dtm`](crate::metric::Dtm) where the
/// scores of the zeroing moves are given.
///
/// `limit` is the number of plies without a zeroing move after which a draw can be claimed.
///
/// # Errors
///
/// If a distance to zeroing exceeds 255 plies or a mate 253.
pub fn solve_slice<B: Board>(
    space: &Space<B>,
    lines: &LineTable,
    fixed: &[Fixed<B::Word>; 2],
    limit: Plies,
) -> Result<[Values<B::Word>; 2], DistanceOverflow> {
    let mut iteration = Iteration::new(space, lines, fixed);
    let without_moves = iteration.without_moves();
    let mut values = iteration.zeroing_distances(&without_moves, limit)?;
    if fixed.iter().all(|side| !side.zeroing_score.is_empty()) {
        let scores = iteration.mate_scores(&without_moves)?;
        for (values, dtm) in values.iter_mut().zip(scores) {
            values.dtm = dtm;
        }
    }
    Ok(values)
}

/// Checkmated and stalemated positions of one side.
struct WithoutMoves<W> {
    mated: Vec<W>,
    stalemated: Vec<W>,
}

/// The newest positions of one kind.
struct Layer<W> {
    set: Vec<W>,
    /// Addresses of the non-empty words.
    addresses: Vec<u32>,
}

impl<W: Bits> Layer<W> {
    fn new(words: usize) -> Layer<W> {
        Layer {
            set: vec![W::ZERO; words],
            addresses: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    fn clear(&mut self) {
        for &address in &self.addresses {
            self.set[address as usize] = W::ZERO;
        }
        self.addresses.clear();
    }

    fn insert(&mut self, address: usize, word: W) {
        self.set[address] = word;
        self.addresses.push(address as u32);
    }
}

/// One side's state during the iteration.
struct Side<W> {
    won: Vec<W>,
    lost: Vec<W>,
    /// Legal and not won: what the opponent looks for before he gives up.
    open: Vec<W>,
    won_layer: Layer<W>,
    lost_layer: Layer<W>,
    next_won: Layer<W>,
    next_lost: Layer<W>,
}

/// What enters one ply from outside, for one side.
struct Entering<'a, W> {
    won: Option<&'a [W]>,
    candidates: Option<&'a [W]>,
    /// Positions that have a zeroing move that does not lose, or does not lose yet.
    blocked: &'a [W],
}

struct Iteration<'a, B: Board> {
    space: &'a Space<B>,
    lines: &'a LineTable,
    fixed: &'a [Fixed<B::Word>; 2],
    sweeper: Sweeper<B>,
    reached: Vec<B::Word>,
    sides: [Side<B::Word>; 2],
}

impl<'a, B: Board> Iteration<'a, B> {
    fn new(space: &'a Space<B>, lines: &'a LineTable, fixed: &'a [Fixed<B::Word>; 2]) -> Self {
        let words = space.words;
        Iteration {
            space,
            lines,
            fixed,
            sweeper: Sweeper::new(),
            reached: space.empty_set(),
            sides: std::array::from_fn(|side| Side {
                won: space.empty_set(),
                lost: space.empty_set(),
                open: fixed[side].legal.clone(),
                won_layer: Layer::new(words),
                lost_layer: Layer::new(words),
                next_won: Layer::new(words),
                next_lost: Layer::new(words),
            }),
        }
    }

    fn without_moves(&mut self) -> [WithoutMoves<B::Word>; 2] {
        std::array::from_fn(|side| {
            let mut can_move = self.fixed[side].with_zeroing_to(&Wdl::ALL);
            self.sweeper
                .predecessors(self.space, side, &self.fixed[1 - side].legal, &mut can_move);
            let fixed = &self.fixed[side];
            let stuck = |address: usize| fixed.legal[address] & !can_move[address];
            WithoutMoves {
                mated: (0..self.space.words)
                    .map(|address| stuck(address) & fixed.in_check[address])
                    .collect(),
                stalemated: (0..self.space.words)
                    .map(|address| stuck(address) & !fixed.in_check[address])
                    .collect(),
            }
        })
    }

    /// Everything undecided but the mated positions, which are the newest lost ones.
    fn restart(&mut self, without_moves: &[WithoutMoves<B::Word>; 2]) {
        for (number, side) in self.sides.iter_mut().enumerate() {
            side.won.fill(B::Word::ZERO);
            side.open.copy_from_slice(&self.fixed[number].legal);
            side.lost.copy_from_slice(&without_moves[number].mated);
            for layer in [
                &mut side.won_layer,
                &mut side.lost_layer,
                &mut side.next_won,
                &mut side.next_lost,
            ] {
                layer.clear();
            }
            for (address, &word) in side.lost.iter().enumerate() {
                if !word.is_empty() {
                    side.lost_layer.insert(address, word);
                }
            }
        }
    }

    fn is_still(&self) -> bool {
        self.sides
            .iter()
            .all(|side| side.won_layer.is_empty() && side.lost_layer.is_empty())
    }

    /// Leaves in `reached` the positions of `side` with a quiet move into the opponent's newest won or lost ones.
    fn reach(&mut self, side: usize, into_lost: bool) -> bool {
        let opponent = &self.sides[1 - side];
        let layer = if into_lost {
            &opponent.lost_layer
        } else {
            &opponent.won_layer
        };
        self.reached.fill(B::Word::ZERO);
        if layer.is_empty() {
            return false;
        }
        if layer.addresses.len() * SPARSE < self.space.words {
            for &address in &layer.addresses {
                let address = address as usize;
                let word = layer.set[address];
                push_predecessors(
                    self.space,
                    self.lines,
                    side,
                    address,
                    word,
                    &mut self.reached,
                );
            }
        } else {
            self.sweeper
                .predecessors(self.space, side, &layer.set, &mut self.reached);
        }
        true
    }

    /// One ply for both sides; afterwards the layers hold what is new.
    fn advance(&mut self, entering: &[Entering<'_, B::Word>; 2]) {
        for (side, entering) in entering.iter().enumerate() {
            self.find_won(side, entering);
            self.find_lost(side, entering);
        }
        for side in &mut self.sides {
            std::mem::swap(&mut side.won_layer, &mut side.next_won);
            std::mem::swap(&mut side.lost_layer, &mut side.next_lost);
            side.next_won.clear();
            side.next_lost.clear();
            for &address in &side.won_layer.addresses {
                let address = address as usize;
                let word = side.won_layer.set[address];
                side.won[address] |= word;
                side.open[address] &= !word;
            }
            for &address in &side.lost_layer.addresses {
                let address = address as usize;
                side.lost[address] |= side.lost_layer.set[address];
            }
        }
    }

    fn find_won(&mut self, side: usize, entering: &Entering<'_, B::Word>) {
        let reached = self.reach(side, true);
        if !reached && entering.won.is_none() {
            return;
        }
        let Side { open, next_won, .. } = &mut self.sides[side];
        for address in 0..self.space.words {
            let mut word = self.reached[address];
            if let Some(won) = entering.won {
                word |= won[address];
            }
            word &= open[address];
            if !word.is_empty() {
                next_won.insert(address, word);
            }
        }
    }

    fn find_lost(&mut self, side: usize, entering: &Entering<'_, B::Word>) {
        let reached = self.reach(side, false);
        if !reached && entering.candidates.is_none() {
            return;
        }
        let mut candidates = 0;
        let Side {
            open,
            lost,
            next_won,
            ..
        } = &self.sides[side];
        for address in 0..self.space.words {
            let mut word = self.reached[address];
            if let Some(more) = entering.candidates {
                word |= more[address];
            }
            word &= open[address]
                & !lost[address]
                & !next_won.set[address]
                & !entering.blocked[address];
            self.reached[address] = word;
            candidates += usize::from(!word.is_empty());
        }
        if candidates == 0 {
            return;
        }
        let [first, second] = &mut self.sides;
        let (own, opponent) = if side == 0 {
            (first, second)
        } else {
            (second, first)
        };
        if candidates * SPARSE < self.space.words {
            for (address, &word) in self.reached.iter().enumerate() {
                if word.is_empty() {
                    continue;
                }
                let escaping =
                    having_a_move_into(self.space, self.lines, side, address, word, &opponent.open);
                if escaping != word {
                    own.next_lost.insert(address, word & !escaping);
                }
            }
        } else {
            // The set of the next lost layer is clear and is as good a buffer as any.
            let escaping = &mut own.next_lost.set;
            self.sweeper
                .predecessors(self.space, side, &opponent.open, escaping);
            for (address, &word) in self.reached.iter().enumerate() {
                let word = word & !escaping[address];
                escaping[address] = word;
                if !word.is_empty() {
                    own.next_lost.addresses.push(address as u32);
                }
            }
        }
    }

    fn zeroing_distances(
        &mut self,
        without_moves: &[WithoutMoves<B::Word>; 2],
        limit: Plies,
    ) -> Result<[Values<B::Word>; 2], DistanceOverflow> {
        use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};
        let fixed = self.fixed;
        let zeroing = |side: usize, value: Wdl| Some(fixed[side].zeroing[value.index()].as_slice());
        let blocked_strictly = [0, 1]
            .map(|side: usize| fixed[side].with_zeroing_to(&[BlessedLoss, Draw, CursedWin, Win]));
        let blocked =
            [0, 1].map(|side: usize| fixed[side].with_zeroing_to(&[Draw, CursedWin, Win]));
        let mut distances = [0, 1].map(|_| vec![0u8; self.space.words * B::Word::WIDTH as usize]);
        self.restart(without_moves);
        for ply in 1..=limit.0 {
            let first = ply == 1;
            self.advance(&[0, 1].map(|side| Entering {
                won: first.then(|| zeroing(side, Win)).flatten(),
                candidates: first.then(|| zeroing(side, Loss)).flatten(),
                blocked: &blocked_strictly[side],
            }));
            if self.is_still() {
                break;
            }
            let ply = u8::try_from(ply).map_err(|_| DistanceOverflow)?;
            self.write_distances(&mut distances, ply);
        }
        let strict =
            [0, 1].map(|side: usize| (self.sides[side].won.clone(), self.sides[side].lost.clone()));
        let first_cursed = limit.0 + 1;
        for ply in first_cursed.. {
            let first = ply == first_cursed;
            self.advance(&[0, 1].map(|side| Entering {
                won: first.then(|| zeroing(side, CursedWin)).flatten(),
                candidates: first.then(|| zeroing(side, BlessedLoss)).flatten(),
                blocked: &blocked[side],
            }));
            if self.is_still() {
                break;
            }
            let ply = u8::try_from(ply).map_err(|_| DistanceOverflow)?;
            self.write_distances(&mut distances, ply);
        }
        let mut distances = distances.into_iter();
        let mut strict = strict.into_iter();
        Ok(std::array::from_fn(|side| {
            let (win, loss) = strict.next().unwrap_or_default();
            let state = &self.sides[side];
            let without = |all: &[B::Word], strict: &[B::Word]| -> Vec<B::Word> {
                all.iter()
                    .zip(strict)
                    .map(|(&all, &strict)| all & !strict)
                    .collect()
            };
            let cursed_win = without(&state.won, &win);
            let blessed_loss = without(&state.lost, &loss);
            Values {
                decided: [loss, blessed_loss, Vec::new(), cursed_win, win],
                stalemate: without_moves[side].stalemated.clone(),
                dtz: distances.next().unwrap_or_default(),
                dtm: Vec::new(),
            }
        }))
    }

    fn write_distances(&self, distances: &mut [Vec<u8>; 2], ply: u8) {
        for (side, distances) in self.sides.iter().zip(distances) {
            write_layer(&side.won_layer, distances, ply);
            write_layer(&side.lost_layer, distances, ply);
        }
    }

    fn mate_scores(
        &mut self,
        without_moves: &[WithoutMoves<B::Word>; 2],
    ) -> Result<[Vec<u8>; 2], DistanceOverflow> {
        let mut scores =
            [0, 1].map(|_| vec![MateScore::DRAW.0; self.space.words * B::Word::WIDTH as usize]);
        self.restart(without_moves);
        for (side, scores) in self.sides.iter().zip(&mut scores) {
            write_layer(&side.lost_layer, scores, MateScore::MATED.0);
        }
        let fixed = self.fixed;
        let due = [0, 1].map(|side: usize| DueScores::<B>::new(&fixed[side].zeroing_score));
        let mut waiting = [0, 1].map(|side: usize| fixed[side].with_zeroing_to(&Wdl::ALL));
        let mut entered = [0, 1].map(|_| self.space.empty_set());
        let last_due = due.iter().map(DueScores::last_plies).max().unwrap_or(0);
        for ply in 1.. {
            let score = MateScore::from_plies(ply);
            let mut enters = [false; 2];
            if let Some(score) = score {
                for side in 0..2 {
                    enters[side] = due[side].take(score, &waiting[side], &mut entered[side]);
                    if enters[side] {
                        for (waiting, &entered) in waiting[side].iter_mut().zip(&entered[side]) {
                            *waiting &= !entered;
                        }
                    }
                }
            }
            let winning = ply % 2 == 1;
            self.advance(&[0, 1].map(|side| {
                let set = enters[side].then_some(entered[side].as_slice());
                Entering {
                    won: set.filter(|_| winning),
                    candidates: set.filter(|_| !winning),
                    blocked: &waiting[side],
                }
            }));
            if self.is_still() {
                if ply >= last_due {
                    break;
                }
                continue;
            }
            let score = score.ok_or(DistanceOverflow)?.0;
            for (side, scores) in self.sides.iter().zip(&mut scores) {
                write_layer(&side.won_layer, scores, score);
                write_layer(&side.lost_layer, scores, score);
            }
        }
        Ok(scores)
    }
}

fn write_layer<W: Bits>(layer: &Layer<W>, values: &mut [u8], value: u8) {
    for &address in &layer.addresses {
        let address = address as usize;
        let values = &mut values[line_of::<W>(address)];
        let mut word = layer.set[address];
        while !word.is_empty() {
            values[word.lowest() as usize] = value;
            word = word.without_lowest();
        }
    }
}

/// The scores of zeroing moves, ready to be asked ply by ply which positions they concern.
struct DueScores<'a, B: Board> {
    scores: &'a [u8],
    /// For each block of words, which scores occur in it.
    present: Vec<ScoreSet>,
    board: std::marker::PhantomData<B>,
}

/// A set of [`MateScore`] bytes.
type ScoreSet = BitArray<[u64; 4], Lsb0>;

/// Words looked at together for the scores that occur in them.
const DUE_BLOCK: usize = 64;

impl<'a, B: Board> DueScores<'a, B> {
    fn new(scores: &'a [u8]) -> Self {
        let present = scores
            .chunks(DUE_BLOCK * B::Word::WIDTH as usize)
            .map(|block| {
                let mut present = ScoreSet::ZERO;
                for &score in block {
                    present.set(usize::from(score), true);
                }
                present
            })
            .collect();
        DueScores {
            scores,
            present,
            board: std::marker::PhantomData,
        }
    }

    /// The last ply at which a score is due.
    fn last_plies(&self) -> u32 {
        let all = self
            .present
            .iter()
            .fold(ScoreSet::ZERO, |all, block| all | *block);
        (0..=253)
            .rev()
            .find(|&plies| {
                MateScore::from_plies(plies).is_some_and(|score| all[usize::from(score.0)])
            })
            .unwrap_or(0)
    }

    /// Leaves in `set` the positions out of `within` whose score is this one; says whether there are any.
    fn take(&self, score: MateScore, within: &[B::Word], set: &mut [B::Word]) -> bool {
        if !self
            .present
            .iter()
            .any(|present| present[usize::from(score.0)])
        {
            return false;
        }
        set.fill(B::Word::ZERO);
        let mut any = false;
        for (block, present) in self.present.iter().enumerate() {
            if !present[usize::from(score.0)] {
                continue;
            }
            let first = block * DUE_BLOCK;
            let end = (first + DUE_BLOCK).min(set.len());
            for address in first..end {
                if within[address].is_empty() {
                    continue;
                }
                let scores = &self.scores
                    [address * B::Word::WIDTH as usize..(address + 1) * B::Word::WIDTH as usize];
                let word = equal_bytes::<B::Word>(scores, score.0) & within[address];
                set[address] = word;
                any |= !word.is_empty();
            }
        }
        any
    }
}

/// The set of places at which a value stands.
#[inline]
fn equal_bytes<W: Bits>(values: &[u8], wanted: u8) -> W {
    let mut set = W::ZERO;
    for (place, &value) in (0..).zip(values) {
        if value == wanted {
            set |= W::bit(place);
        }
    }
    set
}

/// Where the bytes of one word's positions stand.
#[inline(always)]
fn line_of<W: Bits>(address: usize) -> std::ops::Range<usize> {
    let width = W::WIDTH as usize;
    address * width..(address + 1) * width
}
