//! Legal positions, checks and the values of all zeroing moves of a slice.

use super::outcome::{Outcome, answer_en_passant, outcome};
use super::routes::{Route, SliceRules};
use super::square;
use crate::game::chess::{Role, attacks};
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Wdl};
use crate::solve::fixpoint::Fixed;
use crate::solve::solved::Conversions;

/// The squares of one address, and what is attacked there.
struct Address<'a> {
    number: usize,
    squares: &'a [u8],
    occupied: u64,
}

/// Where the positions of a slice get their zeroing moves' values collected.
struct Collected {
    fixed: [Fixed<u64>; 2],
    conversions: [Conversions; 2],
}

impl<'a> SliceRules<'a> {
    /// Legal positions, checks, and the value of every zeroing move: by word operations, an address at a time.
    pub(in crate::solve) fn collect(&self) -> ([Fixed<u64>; 2], [Conversions; 2]) {
        let words = self.space.words;
        let mut collected = Collected {
            fixed: [0, 1].map(|_| Fixed::new(words, self.with_scores)),
            conversions: [0, 1].map(|_| Conversions::new(words, self.with_scores)),
        };
        let mut squares = [0u8; 8];
        for number in 0..words {
            self.space.squares(number, &mut squares);
            let squares = &squares[..self.men.len()];
            let pawns = self.placement.all();
            let mut occupied = pawns;
            for &square in squares {
                occupied |= 1 << square;
            }
            if occupied.count_ones() as usize != squares.len() + pawns.count_ones() as usize {
                continue;
            }
            let address = Address {
                number,
                squares,
                occupied,
            };
            self.legality(&address, &mut collected.fixed);
            for color in Color::ALL {
                if collected.fixed[color.index()].legal[number] != 0 {
                    self.captures_by_pieces(&address, color, &mut collected);
                    self.pawn_moves(&address, color, &mut collected);
                }
            }
        }
        (collected.fixed, collected.conversions)
    }

    fn attacks_of(&self, address: &Address<'_>, man: usize) -> u64 {
        let from = square(address.squares[man]);
        match self.men[man].1 {
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, address.occupied),
            Role::Rook => attacks::rook(from, address.occupied),
            Role::Queen => attacks::queen(from, address.occupied),
            Role::King | Role::Pawn => attacks::king(from),
        }
    }

    fn legality(&self, address: &Address<'_>, fixed: &mut [Fixed<u64>; 2]) {
        let white_king = address.squares[0];
        let mut attacked_by_white = 0;
        // Squares of the black king that leave the white king unattacked.
        let mut shielding = !0u64;
        for (man, &(color, role)) in self.men.iter().enumerate() {
            let attacked = self.attacks_of(address, man);
            match color {
                Color::White => attacked_by_white |= attacked,
                Color::Black if attacked >> white_king & 1 == 1 => {
                    shielding &= match role {
                        Role::Knight => 0,
                        _ => attacks::between(square(address.squares[man]), square(white_king)),
                    };
                }
                Color::Black => {}
            }
        }
        for pawn in self.placement.white.ones() {
            attacked_by_white |= attacks::pawn(Color::White, square(pawn as u8));
        }
        for pawn in self.placement.black.ones() {
            if attacks::pawn(Color::Black, square(pawn as u8)) >> white_king & 1 == 1 {
                shielding = 0;
            }
        }
        let free = !address.occupied & !attacks::king(square(white_king));
        let [white, black] = fixed;
        white.legal[address.number] = free & !attacked_by_white;
        white.in_check[address.number] = free & !attacked_by_white & !shielding;
        black.legal[address.number] = free & shielding;
        black.in_check[address.number] = free & shielding & attacked_by_white;
    }

    fn captures_by_pieces(&self, address: &Address<'_>, color: Color, collected: &mut Collected) {
        let king_takes = color == Color::Black;
        for (mover, &(owner, _)) in self.men.iter().enumerate() {
            if owner != color {
                continue;
            }
            let attacked = self.attacks_of(address, mover);
            let from = address.squares[mover];
            let mut take = |to: u8, route: &Route<'_>| {
                if attacked >> to & 1 == 1 {
                    let open = !attacks::between(square(from), square(to));
                    let outcome = outcome(route, address.squares, Some((mover, to)), !color);
                    collected.add_word(address.number, color, open, true, &outcome, &[]);
                }
            };
            self.for_each_victim(address, color, &mut take);
        }
        if king_takes {
            let mut take = |to: u8, route: &Route<'_>| {
                let outcome = outcome(route, address.squares, None, !color);
                collected.add_king_capture(address.number, color, to, &outcome);
            };
            self.for_each_victim(address, color, &mut take);
        }
    }

    fn for_each_victim(
        &self,
        address: &Address<'_>,
        taker: Color,
        take: &mut impl FnMut(u8, &Route<'a>),
    ) {
        for (victim, route) in self.captures_of_men.iter().enumerate() {
            if let Some(route) = route
                && self.men[victim].0 != taker
            {
                take(address.squares[victim], route);
            }
        }
        for (owner, square, route) in &self.captures_of_pawns {
            if *owner != taker {
                take(*square, route);
            }
        }
    }

    fn pawn_moves(&self, address: &Address<'_>, color: Color, collected: &mut Collected) {
        for pawn_move in &self.pawn_moves[color.index()] {
            let to = pawn_move.to;
            let mut open = match pawn_move.victim {
                Some(victim) if address.squares[victim] != to => continue,
                Some(_) => !0,
                // A pawn taken by a pawn is part of the placement and so of the occupancy.
                None if pawn_move.conversion && self.placement.of(!color) >> to & 1 == 1 => !0,
                None if address.occupied >> to & 1 == 1 => continue,
                None => !(1u64 << to),
            };
            if let Some(passed) = pawn_move.passed {
                if address.occupied >> passed & 1 == 1 {
                    continue;
                }
                open &= !(1 << passed);
            }
            let next = outcome(&pawn_move.route, address.squares, None, !color);
            let replies: Vec<Outcome<'_>> = pawn_move
                .en_passant
                .iter()
                .map(|route| outcome(route, address.squares, None, color))
                .collect();
            collected.add_word(
                address.number,
                color,
                open,
                pawn_move.conversion,
                &next,
                &replies,
            );
        }
    }
}

impl Collected {
    /// A zeroing move of anyone but the black king: one word of positions at a time.
    fn add_word(
        &mut self,
        address: usize,
        color: Color,
        open: u64,
        conversion: bool,
        outcome: &Outcome<'_>,
        en_passant: &[Outcome<'_>],
    ) {
        let fixed = &mut self.fixed[color.index()];
        let conversions = &mut self.conversions[color.index()];
        let positions = open & fixed.legal[address] & outcome.legal();
        if positions == 0 {
            return;
        }
        let mut by_value = outcome.by_value();
        let mut scores = if fixed.zeroing_score.is_empty() {
            None
        } else {
            Some(outcome.scores())
        };
        let mut stalemate = if en_passant.is_empty() {
            0
        } else {
            outcome.stalemate()
        };
        for reply in en_passant {
            answer_en_passant(&mut by_value, scores.as_mut(), &mut stalemate, reply);
        }
        for value in Wdl::ALL {
            let reached = by_value[value.index()] & positions;
            let own = (-value).index();
            fixed.zeroing[own][address] |= reached;
            if conversion {
                conversions.wdl[own][address] |= reached;
            }
        }
        if let Some(scores) = scores {
            let lines = address * 64..(address + 1) * 64;
            keep_best(&mut fixed.zeroing_score[lines.clone()], &scores, positions);
            if conversion {
                keep_best(&mut conversions.score[lines], &scores, positions);
            }
        }
    }

    /// The black king takes on a square: all his squares around it lead to the same position.
    fn add_king_capture(&mut self, address: usize, color: Color, to: u8, outcome: &Outcome<'_>) {
        let fixed = &mut self.fixed[color.index()];
        let conversions = &mut self.conversions[color.index()];
        let positions = attacks::king(square(to)) & fixed.legal[address];
        if positions == 0 || outcome.legal() >> to & 1 == 0 {
            return;
        }
        let by_value = outcome.by_value();
        for value in Wdl::ALL {
            if by_value[value.index()] >> to & 1 == 1 {
                fixed.zeroing[(-value).index()][address] |= positions;
                conversions.wdl[(-value).index()][address] |= positions;
            }
        }
        if !fixed.zeroing_score.is_empty() {
            let score = outcome.score(to).before_move().0;
            for from in positions.ones() {
                let position = address * 64 + from as usize;
                for best in [
                    &mut fixed.zeroing_score[position],
                    &mut conversions.score[position],
                ] {
                    *best = score.max(*best);
                }
            }
        }
    }
}

/// `best = max(best, score before the move)` at the positions of a word.
#[inline]
fn keep_best(best: &mut [u8], scores: &[u8; 64], positions: u64) {
    for (king, (best, &score)) in best.iter_mut().zip(scores).enumerate() {
        let chosen = 0u8.wrapping_sub((positions >> king & 1) as u8);
        *best = (MateScore(score).before_move().0 & chosen).max(*best);
    }
}
