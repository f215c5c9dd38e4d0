//! Results of zeroing moves, a row of addresses at a time.
//!
//! The addresses of a row differ only in the last man's square. So what the others attack is looked
//! up once, and where a capture of one of them leads are words in a row of the other material. All
//! is done for 64 addresses by loops that wide registers take several words at a time through.
//!
//! # Example by hand
//!
//! KQRvKR, the row of king a1, queen b1 and rook d3: the last man is Black's rook. Without him the
//! queen attacks along the diagonal c2, d3. If he is on c2, she attacks nothing behind it: of what
//! she attacked without him, `behind(b1)[c2]`, that is d3, e4, f5, g6 and h7, is taken away. For a
//! last man on any square `s` the same load at `behind(b1)[s]` says what is taken away, nothing for
//! most.

use super::{Address, Best, Conversions, Fixed, OtherMen, Route, SliceRules, shield};
use crate::chess::material::MAX_MEN;
use crate::chess::rules::attacks;
use crate::chess::solve::board::square;
use crate::chess::solve::slice::outcome::{Outcome, Word};
use crate::chess::symmetry::Symmetry;
use crate::game::{Bits, Color};
use crate::metric::Wdl;

/// Addresses of a row: the last man may be on any square.
pub(super) const PLACES: usize = 64;

/// A word for each square of the last man.
type Words = [u64; PLACES];

/// For each [`Wdl`], the positions with a move of that value.
type ByValue = [Words; Wdl::ALL.len()];

/// The legal positions of both sides to move, and those in check.
struct Legality {
    legal: [Words; 2],
    in_check: [Words; 2],
}

/// All bits if a bit of a word is set.
#[inline(always)]
fn spread(word: u64, bit: u8) -> u64 {
    (word >> (bit & 63) & 1).wrapping_neg()
}

/// What captures lead to, for each square of the last man.
struct Outcomes {
    legal: Words,
    won: Words,
    lost: Words,
    /// Nothing if there are none.
    cursed: Option<Words>,
}

impl Outcomes {
    /// Where a move that is not the last man's leads, who is not taken.
    #[inline(always)]
    fn new(route: &Route, squares: &[u8], moved: Option<(usize, u8)>) -> Outcomes {
        let Some(view) = route.view.as_deref() else {
            // Who is not taken is still there, so bare kings are never reached.
            return Outcomes {
                legal: [0; PLACES],
                won: [0; PLACES],
                lost: [0; PLACES],
                cursed: None,
            };
        };
        let (addresses, symmetry) = route.locate_row(squares, moved);
        let [won, lost] = view.results();
        Outcomes {
            legal: pulled(&view.legal, &addresses, symmetry),
            won: pulled(won, &addresses, symmetry),
            lost: pulled(lost, &addresses, symmetry),
            cursed: match view.cursed.is_empty() {
                true => None,
                false => Some(pulled(&view.cursed, &addresses, symmetry)),
            },
        }
    }

    /// Adds the moves that lead to some of the positions.
    #[inline(always)]
    fn add(&self, positions: &Words, moves: &mut ByValue) {
        let [loss, blessed_loss, draw, cursed_win, win] = moves;
        let (mut won, mut lost) = ([0; PLACES], [0; PLACES]);
        for s in 0..PLACES {
            let open = positions[s] & self.legal[s];
            won[s] = open & self.won[s];
            lost[s] = open & self.lost[s];
            draw[s] |= open & !(won[s] | lost[s]);
        }
        if let Some(cursed) = &self.cursed {
            for s in 0..PLACES {
                cursed_win[s] |= lost[s] & cursed[s];
                blessed_loss[s] |= won[s] & cursed[s];
                lost[s] &= !cursed[s];
                won[s] &= !cursed[s];
            }
        }
        for s in 0..PLACES {
            win[s] |= lost[s];
            loss[s] |= won[s];
        }
    }

    /// The same where all of them lead to the one with the black king on a square.
    #[inline(always)]
    fn add_at(&mut self, king: u8, positions: &Words, moves: &mut ByValue) {
        let sets = [&mut self.legal, &mut self.won, &mut self.lost];
        for set in sets.into_iter().chain(&mut self.cursed) {
            for word in set {
                *word = spread(*word, king);
            }
        }
        self.add(positions, moves);
    }
}

/// Words of a set, turned.
#[inline(always)]
fn pulled(set: &[u64], addresses: &[u32; PLACES], symmetry: Symmetry) -> Words {
    let first = addresses[0] as usize;
    let is_a_row = addresses[PLACES - 1] as usize == first + PLACES - 1 && symmetry.is_identity();
    if is_a_row && let Some(row) = set[first..].first_chunk() {
        return *row;
    }
    let mut words = [0; PLACES];
    for (word, &address) in words.iter_mut().zip(addresses) {
        *word = symmetry.pull(set[address as usize]);
    }
    words
}

/// Adds the moves to one word of positions, for one square of the last man.
#[inline(always)]
fn add_word(moves: &mut ByValue, place: usize, word: &Word<u8>, positions: u64) {
    for (own, set) in moves.iter_mut().rev().zip(word.by_value(positions)) {
        own[place] |= set;
    }
}

/// Puts words into a set, which is left alone if they are empty.
#[inline(always)]
fn put(set: &mut [u64], words: &Words) {
    let mut all = 0;
    for word in words {
        all |= word;
    }
    if all != 0
        && let Some(row) = set.first_chunk_mut()
    {
        *row = *words;
    }
}

impl SliceRules<'_> {
    /// Whether addresses can be looked at by rows.
    pub(super) fn has_rows(&self) -> bool {
        let last = self.space.axes.last();
        !self.with_scores
            && self.men.len() > 1
            && last.is_some_and(|last| last.squares.iter().copied().eq(0..PLACES as u8))
    }

    /// What is fixed at the addresses of a row, of which the first is given, from the word with a
    /// number on.
    #[inline(always)]
    pub(super) fn collect_row(
        &self,
        first: usize,
        number: usize,
        fixed: &mut [Fixed<u64>; 2],
        conversions: &mut [Option<Conversions>; 2],
    ) {
        let Some(others) = self.other_men(first) else {
            return;
        };
        let Legality { legal, in_check } = self.legality_of_row(&others);
        for color in Color::ALL {
            let legal = &legal[color.index()];
            let fixed = &mut fixed[color.index()];
            put(&mut fixed.legal[number..], legal);
            put(&mut fixed.in_check[number..], &in_check[color.index()]);
            let mut moves: ByValue = [[0; PLACES]; Wdl::ALL.len()];
            self.captures_of_row(&others, color, legal, &mut moves);
            if let Some(conversions) = &mut conversions[color.index()] {
                let mut staying: ByValue = [[0; PLACES]; Wdl::ALL.len()];
                self.pawn_moves_of_row(&others, color, legal, &mut staying, &mut moves);
                for (set, words) in conversions.wdl.iter_mut().zip(&moves) {
                    put(&mut set[number..], words);
                }
                for (all, staying) in moves.iter_mut().zip(&staying) {
                    for (all, staying) in all.iter_mut().zip(staying) {
                        *all |= staying;
                    }
                }
            }
            for (set, words) in fixed.zeroing.iter_mut().zip(&moves) {
                put(&mut set[number..], words);
            }
        }
    }

    #[inline(always)]
    fn legality_of_row(&self, others: &OtherMen) -> Legality {
        let (last, squares) = (self.men.len() - 1, &others.squares);
        let white_king = squares[0];
        let mut attacked_by_white = [self.attacked_by_pawns(Color::White); PLACES];
        // Squares of the black king that leave the white king unattacked.
        let mut shielding = [!0; PLACES];
        let men = self.men[..last].iter().zip(squares).zip(others.attacked);
        for ((&(color, role), &from), attacked) in men {
            let behind = attacks::behind(square(from));
            if color == Color::White {
                for s in 0..PLACES {
                    attacked_by_white[s] |= attacked & !behind[s];
                }
            } else if attacked >> white_king & 1 == 1 {
                let between = shield(role, from, white_king);
                for s in 0..PLACES {
                    shielding[s] &= between | spread(behind[s], white_king);
                }
            }
        }
        let (color, role) = self.men[last];
        if color == Color::White {
            for (s, attacked) in attacked_by_white.iter_mut().enumerate() {
                *attacked |= self.attacks_of(others.occupied, s as u8, last);
            }
        } else {
            let from = self.attacks_of(others.occupied, white_king, last) & !others.occupied;
            for s in from.ones() {
                shielding[s as usize] &= shield(role, s as u8, white_king);
            }
        }
        if self.attacked_by_pawns(Color::Black) >> white_king & 1 == 1 {
            shielding = [0; PLACES];
        }
        let free = !others.occupied & !attacks::king(square(white_king));
        let mut legality = Legality {
            legal: [[0; PLACES]; 2],
            in_check: [[0; PLACES]; 2],
        };
        let Legality {
            legal: [white_legal, black_legal],
            in_check: [white_in_check, black_in_check],
        } = &mut legality;
        for s in 0..PLACES {
            // Nobody stands where another man does.
            let free = free & !(1 << s) & !spread(others.occupied, s as u8);
            white_legal[s] = free & !attacked_by_white[s];
            white_in_check[s] = white_legal[s] & !shielding[s];
            black_legal[s] = free & shielding[s];
            black_in_check[s] = black_legal[s] & attacked_by_white[s];
        }
        legality
    }

    #[inline(always)]
    fn captures_of_row(&self, others: &OtherMen, color: Color, legal: &Words, moves: &mut ByValue) {
        let last = self.men.len() - 1;
        for (victim, route) in self.captures_of_men.iter().enumerate() {
            let Some(route) = route else { continue };
            if self.men[victim].0 == color {
                continue;
            }
            match victim == last {
                true => self.captures_of_last(others, color, legal, route, moves),
                false => {
                    let to = others.squares[victim];
                    self.captures_in_row(others, color, legal, (to, route), moves);
                }
            }
        }
        for (owner, to, route) in &self.captures_of_pawns {
            if *owner != color {
                self.captures_in_row(others, color, legal, (*to, route), moves);
            }
        }
    }

    /// All captures on one square, of another man than the last, by men that are no pawns.
    #[inline(always)]
    fn captures_in_row(
        &self,
        others: &OtherMen,
        color: Color,
        legal: &Words,
        (to, route): (u8, &Route),
        moves: &mut ByValue,
    ) {
        let (last, squares) = (self.men.len() - 1, &others.squares);
        let mut open = [0; PLACES];
        for man in 0..last {
            if self.men[man].0 != color || others.attacked[man] >> to & 1 == 0 {
                continue;
            }
            let from = square(squares[man]);
            let (behind, between) = (attacks::behind(from), attacks::between(from, square(to)));
            for s in 0..PLACES {
                open[s] = legal[s] & !between & !spread(behind[s], to);
            }
            Outcomes::new(route, squares, Some((man, to))).add(&open, moves);
        }
        if self.men[last].0 == color {
            let outcome = Outcome::new(route, squares, Some((last, to)));
            let (after, word) = (outcome.legal(), outcome.word(false));
            let from = self.attacks_of(others.occupied, to, last) & !others.occupied;
            for s in from.ones() {
                let between = attacks::between(square(s as u8), square(to));
                let positions = legal[s as usize] & !between & after;
                add_word(moves, s as usize, &word, positions);
            }
        }
        if color == Color::Black {
            let around = attacks::king(square(to));
            let mut any = 0;
            for s in 0..PLACES {
                open[s] = legal[s] & around;
                any |= open[s];
            }
            if any != 0 {
                Outcomes::new(route, squares, None).add_at(to, &open, moves);
            }
        }
    }

    /// All captures of the last man by men that are no pawns.
    #[inline(always)]
    fn captures_of_last(
        &self,
        others: &OtherMen,
        color: Color,
        legal: &Words,
        route: &Route,
        moves: &mut ByValue,
    ) {
        let (last, squares) = (self.men.len() - 1, &others.squares);
        for man in 0..last {
            if self.men[man].0 != color {
                continue;
            }
            for s in (others.attacked[man] & !others.occupied).ones() {
                let between = attacks::between(square(squares[man]), square(s as u8));
                let outcome = Outcome::new(route, squares, Some((man, s as u8)));
                let positions = legal[s as usize] & !between & outcome.legal();
                if positions != 0 {
                    add_word(moves, s as usize, &outcome.word(false), positions);
                }
            }
        }
        if color == Color::Black {
            let outcome = Outcome::new(route, squares, None);
            let (after, word) = (outcome.legal(), outcome.word::<u8>(false));
            for s in (after & !others.occupied).ones() {
                let positions = attacks::king(square(s as u8)) & legal[s as usize];
                for (own, set) in moves.iter_mut().rev().zip(word.by_value(after)) {
                    own[s as usize] |= positions & spread(set, s as u8);
                }
            }
        }
    }

    #[inline(always)]
    fn pawn_moves_of_row(
        &self,
        others: &OtherMen,
        color: Color,
        legal: &Words,
        staying: &mut ByValue,
        converting: &mut ByValue,
    ) {
        let last = self.men.len() - 1;
        let mut squares = others.squares;
        for s in 0..PLACES {
            if legal[s] == 0 {
                continue;
            }
            squares[last] = s as u8;
            let address = Address {
                squares: &squares[..=last],
                occupied: others.occupied | 1 << s,
                attacked: [0; MAX_MEN],
            };
            let (mut own_staying, mut own_converting) = (Best::<u8>::NOTHING, Best::NOTHING);
            self.pawn_moves(
                &address,
                color,
                legal[s],
                &mut own_staying,
                &mut own_converting,
            );
            for (all, own) in [(&mut *staying, own_staying), (converting, own_converting)] {
                for (all, own) in all.iter_mut().zip(own.moves) {
                    all[s] |= own;
                }
            }
        }
    }
}
