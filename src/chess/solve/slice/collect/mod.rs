//! Legal positions, checks and the values of all zeroing moves of a slice.

mod rows;

use std::marker::PhantomData;
use std::ops::Range;

use super::outcome::{Outcome, Word};
use super::routes::{Route, SliceRules};
use crate::chess::material::MAX_MEN;
use crate::chess::rules::{Role, attacks};
use crate::chess::solve::board::square;
use crate::chess::solve::solved::Conversions;
use crate::chess::solve::turned::BoardScore;
use crate::game::{Bits, Color};
use crate::retro::fixpoint::Fixed;
use crate::retro::score::Scores;
use crate::simd::{Kernel, Width};

use rows::PLACES;

/// The squares of one address, and what is attacked there.
struct Address<'a> {
    squares: &'a [u8],
    occupied: u64,
    /// For each man, the squares he attacks.
    attacked: [u64; MAX_MEN],
}

/// Where all men but the last stand.
struct OtherMen {
    /// The last man's is not meant.
    squares: [u8; 8],
    occupied: u64,
    /// What each of them attacks if the last man is not there.
    attacked: [u64; MAX_MEN],
}

/// The addresses that differ only in the last man's square.
#[derive(Default)]
struct Row {
    /// The first of them, and the first after them.
    addresses: Range<usize>,
    /// Nothing if two of them stand on one square.
    others: Option<OtherMen>,
}

impl Row {
    /// The place of the last man at an address, which becomes one of the row.
    #[inline(always)]
    fn place_of(&mut self, rules: &SliceRules<'_>, address: usize) -> usize {
        if !self.addresses.contains(&address) {
            let places = rules.space.axes[rules.men.len() - 1].squares.len();
            let start = address / places * places;
            self.addresses = start..start + places;
            self.others = rules.other_men(start);
        }
        address - self.addresses.start
    }

    /// The address where the last man stands on his square with a number; none if somebody is
    /// there.
    #[inline(always)]
    fn address(&mut self, rules: &SliceRules<'_>, place: usize) -> Option<Address<'_>> {
        let last = rules.men.len() - 1;
        let square = rules.space.axes[last].squares[place];
        let others = self.others.as_mut()?;
        if others.occupied >> square & 1 == 1 {
            return None;
        }
        others.squares[last] = square;
        let occupied = others.occupied | 1 << square;
        let mut attacked = others.attacked;
        for (man, attacked) in attacked[..last].iter_mut().enumerate() {
            // A man whose lines do not meet the last one attacks what he did without that one.
            if *attacked >> square & 1 == 1 {
                *attacked = rules.attacks_of(occupied, others.squares[man], man);
            }
        }
        attacked[last] = rules.attacks_of(occupied, square, last);
        Some(Address {
            squares: &others.squares[..=last],
            occupied,
            attacked,
        })
    }
}

/// What is known of one word of positions of one side.
#[derive(Clone, Copy)]
struct Side {
    legal: u64,
    in_check: u64,
}

/// The values of the zeroing moves of one word of positions.
struct Best<S> {
    /// For each [`Wdl`](crate::metric::Wdl), the positions with such a move.
    moves: [u64; 5],
    score: [S; 64],
}

impl<S: BoardScore> Best<S> {
    const NOTHING: Best<S> = Best {
        moves: [0; 5],
        score: [S::MATED; 64],
    };

    /// A move of anyone but the black king.
    #[inline(always)]
    fn add(&mut self, positions: u64, word: &Word<S>, with_scores: bool) {
        for (own, set) in self.moves.iter_mut().rev().zip(word.by_value(positions)) {
            *own |= set;
        }
        if with_scores {
            S::keep_best(&mut self.score, &word.scores, positions);
        }
    }

    #[inline(always)]
    fn store(
        &self,
        sets: &mut [Vec<u64>; 5],
        scores: &mut Scores<'static>,
        address: usize,
        with_scores: bool,
    ) {
        if self.moves == [0; 5] {
            return;
        }
        for (set, &word) in sets.iter_mut().zip(&self.moves) {
            if word != 0 {
                set[address] = word;
            }
        }
        if with_scores {
            S::unwrap(scores)[address * 64..][..64].copy_from_slice(&self.score);
        }
    }
}

/// What is fixed outside a slice, and the conversions of a material with pawns.
pub(crate) type Collected = ([Fixed<u64>; 2], [Option<Conversions>; 2]);

struct Collect<'a, 'b, S>(&'a SliceRules<'b>, Range<usize>, PhantomData<S>);

impl<S: BoardScore> Kernel for Collect<'_, '_, S> {
    type Output = Collected;

    #[inline(always)]
    fn run(self) -> Collected {
        self.0.collect_all::<S>(self.1)
    }
}

impl SliceRules<'_> {
    /// Legal positions, checks, and the value of every zeroing move at some addresses: by word
    /// operations, a row of addresses at a time where no scores are wanted, else one.
    ///
    /// Without pawns every zeroing move changes the material; then nothing is said of those that do
    /// apart.
    pub(crate) fn collect(&self, width: Width, addresses: Range<usize>) -> Collected {
        if self.is_wide {
            width.run(Collect::<u16>(self, addresses, PhantomData))
        } else {
            width.run(Collect::<u8>(self, addresses, PhantomData))
        }
    }

    #[inline(always)]
    fn collect_all<S: BoardScore>(&self, addresses: Range<usize>) -> Collected {
        let words = addresses.len();
        let mut fixed = [0, 1].map(|_| Fixed::with_scores::<S>(words, self.with_scores));
        let mut conversions = [0, 1].map(|_| {
            let has_pawns = self.placement.all() != 0;
            has_pawns.then(|| Conversions::new::<S>(words, self.with_scores))
        });
        let mut row = Row::default();
        let has_rows = self.has_rows();
        let mut number = 0;
        while number < words {
            let address = addresses.start + number;
            if has_rows && address.is_multiple_of(PLACES) && number + PLACES <= words {
                self.collect_row(address, number, &mut fixed, &mut conversions);
                number += PLACES;
                continue;
            }
            let place = row.place_of(self, address);
            if let Some(address) = row.address(self, place) {
                self.collect_address::<S>(&address, number, &mut fixed, &mut conversions);
            }
            number += 1;
        }
        (fixed, conversions)
    }

    /// What is fixed at an address, for the word with a number.
    #[inline(always)]
    fn collect_address<S: BoardScore>(
        &self,
        address: &Address<'_>,
        number: usize,
        fixed: &mut [Fixed<u64>; 2],
        conversions: &mut [Option<Conversions>; 2],
    ) {
        let sides = self.legality(address);
        let with_scores = self.with_scores;
        for color in Color::ALL {
            let side = sides[color.index()];
            if side.legal == 0 {
                continue;
            }
            let fixed = &mut fixed[color.index()];
            fixed.legal[number] = side.legal;
            fixed.in_check[number] = side.in_check;
            let mut converting = Best::<S>::NOTHING;
            self.captures_by_pieces(address, color, side.legal, &mut converting);
            let (sets, scores) = (&mut fixed.zeroing, &mut fixed.zeroing_score);
            let Some(conversions) = &mut conversions[color.index()] else {
                converting.store(sets, scores, number, with_scores);
                continue;
            };
            let mut zeroing = Best::NOTHING;
            self.pawn_moves(address, color, side.legal, &mut zeroing, &mut converting);
            let (wdl, score) = (&mut conversions.wdl, &mut conversions.score);
            converting.store(wdl, score, number, with_scores);
            zeroing.include(&converting, with_scores);
            zeroing.store(sets, scores, number, with_scores);
        }
    }

    #[inline(always)]
    fn attacks_of(&self, occupied: u64, from: u8, man: usize) -> u64 {
        let from = square(from);
        match self.men[man].1 {
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, occupied),
            Role::Rook => attacks::rook(from, occupied),
            Role::Queen => attacks::queen(from, occupied),
            Role::King | Role::Pawn => attacks::king(from),
        }
    }

    /// All men but the last at an address; nothing if two stand on one square.
    #[inline(always)]
    fn other_men(&self, first: usize) -> Option<OtherMen> {
        let last = self.men.len() - 1;
        let mut squares = [0; 8];
        self.space.squares(first, &mut squares);
        let pawns = self.placement.all();
        let mut occupied = pawns;
        for &square in &squares[..last] {
            occupied |= 1 << square;
        }
        if occupied.count_ones() as usize != last + pawns.count_ones() as usize {
            return None;
        }
        let mut attacked = [0; MAX_MEN];
        for (man, (attacked, &square)) in attacked.iter_mut().zip(&squares[..last]).enumerate() {
            *attacked = self.attacks_of(occupied, square, man);
        }
        Some(OtherMen {
            squares,
            occupied,
            attacked,
        })
    }

    /// The squares that a side's pawns attack.
    #[inline(always)]
    fn attacked_by_pawns(&self, color: Color) -> u64 {
        let mut attacked = 0;
        for pawn in self.placement.of(color).ones() {
            attacked |= attacks::pawn(color, square(pawn as u8));
        }
        attacked
    }

    #[inline(always)]
    fn legality(&self, address: &Address<'_>) -> [Side; 2] {
        let white_king = address.squares[0];
        let mut attacked_by_white = 0;
        // Squares of the black king that leave the white king unattacked.
        let mut shielding = !0u64;
        for (man, &(color, role)) in self.men.iter().enumerate() {
            let attacked = address.attacked[man];
            match color {
                Color::White => attacked_by_white |= attacked,
                Color::Black if attacked >> white_king & 1 == 1 => {
                    shielding &= shield(role, address.squares[man], white_king);
                }
                Color::Black => {}
            }
        }
        attacked_by_white |= self.attacked_by_pawns(Color::White);
        if self.attacked_by_pawns(Color::Black) >> white_king & 1 == 1 {
            shielding = 0;
        }
        let free = !address.occupied & !attacks::king(square(white_king));
        [
            Side {
                legal: free & !attacked_by_white,
                in_check: free & !attacked_by_white & !shielding,
            },
            Side {
                legal: free & shielding,
                in_check: free & shielding & attacked_by_white,
            },
        ]
    }

    #[inline(always)]
    fn captures_by_pieces<S: BoardScore>(
        &self,
        address: &Address<'_>,
        color: Color,
        legal: u64,
        best: &mut Best<S>,
    ) {
        for (victim, route) in self.captures_of_men.iter().enumerate() {
            if let Some(route) = route
                && self.men[victim].0 != color
            {
                self.captures_on(address, color, legal, address.squares[victim], route, best);
            }
        }
        for (owner, square, route) in &self.captures_of_pawns {
            if *owner != color {
                self.captures_on(address, color, legal, *square, route, best);
            }
        }
    }

    /// All captures on one square by men that are no pawns.
    #[inline(always)]
    fn captures_on<S: BoardScore>(
        &self,
        address: &Address<'_>,
        color: Color,
        legal: u64,
        to: u8,
        route: &Route,
        best: &mut Best<S>,
    ) {
        let squares = address.squares;
        for (mover, &(owner, _)) in self.men.iter().enumerate() {
            if owner != color || address.attacked[mover] >> to & 1 == 0 {
                continue;
            }
            let open = legal & !attacks::between(square(squares[mover]), square(to));
            let outcome = Outcome::new(route, squares, Some((mover, to)));
            let positions = open & outcome.legal();
            if positions != 0 {
                let word = outcome.word(self.with_scores);
                best.add(positions, &word, self.with_scores);
            }
        }
        if color == Color::Black {
            self.capture_by_black_king(squares, to, legal, route, best);
        }
    }

    /// The black king takes on a square: all his squares around it lead to the same position.
    #[inline(always)]
    fn capture_by_black_king<S: BoardScore>(
        &self,
        squares: &[u8],
        to: u8,
        legal: u64,
        route: &Route,
        best: &mut Best<S>,
    ) {
        let positions = attacks::king(square(to)) & legal;
        if positions == 0 {
            return;
        }
        if let Some((value, score)) = Outcome::new(route, squares, None).position::<S>(to) {
            best.moves[(-value).index()] |= positions;
            if self.with_scores {
                S::keep_best_of_one(&mut best.score, score.before_move(), positions);
            }
        }
    }

    #[inline(always)]
    fn pawn_moves<S: BoardScore>(
        &self,
        address: &Address<'_>,
        color: Color,
        legal: u64,
        staying: &mut Best<S>,
        converting: &mut Best<S>,
    ) {
        for pawn_move in &self.pawn_moves[color.index()] {
            let to = pawn_move.to;
            let mut open = match pawn_move.victim {
                Some(victim) if address.squares[victim] != to => continue,
                Some(_) => legal,
                // A pawn taken by a pawn is part of the placement and so of the occupancy.
                None if pawn_move.conversion && self.placement.of(!color) >> to & 1 == 1 => legal,
                None if address.occupied >> to & 1 == 1 => continue,
                None => legal & !(1u64 << to),
            };
            if let Some(passed) = pawn_move.passed {
                if address.occupied >> passed & 1 == 1 {
                    continue;
                }
                open &= !(1 << passed);
            }
            let outcome = Outcome::new(&pawn_move.route, address.squares, None);
            let after = outcome.legal();
            let positions = open & after;
            if positions == 0 {
                continue;
            }
            let mut word = outcome.word::<S>(self.with_scores);
            for route in &pawn_move.en_passant {
                let reply = Outcome::new(route, address.squares, None);
                word.answer_en_passant(after, &reply, self.with_scores);
            }
            let is_passed_over = self.captures_alone && pawn_move.is_quiet_promotion();
            let best = match pawn_move.conversion && !is_passed_over {
                true => &mut *converting,
                false => &mut *staying,
            };
            best.add(positions, &word, self.with_scores);
        }
    }
}

impl<S: BoardScore> Best<S> {
    /// The moves of another as well.
    #[inline(always)]
    fn include(&mut self, other: &Best<S>, with_scores: bool) {
        for (own, set) in self.moves.iter_mut().zip(other.moves) {
            *own |= set;
        }
        if with_scores {
            for (best, score) in self.score.iter_mut().zip(other.score) {
                *best = score.max(*best);
            }
        }
    }
}

/// Where the black king keeps a man from attacking a square that he attacks.
#[inline(always)]
fn shield(role: Role, from: u8, to: u8) -> u64 {
    match role {
        Role::Knight => 0,
        _ => attacks::between(square(from), square(to)),
    }
}
