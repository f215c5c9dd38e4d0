//! What is known of every position before its material is solved: whether it is legal, whether it
//! is check, and what captures lead to.
//!
//! A word has all squares of one attacker, *the man in the word*; the address has everybody else.
//! So there are three kinds of captures, and each is looked at from its other end: not "where can
//! this man go", but "with which squares of the man in the word is there such a capture".
//!
//! # Example by hand
//!
//! KRvKN, the knight in the word. Squares are numbered file by file: a0 = 0, a9 = 9, b0 = 10,
//! i9 = 89. Camps are those of the kings alone, d0 d1 d2 e0 e1 e2 f0 f1 f2 = 0 to 8, seen by their
//! side; black's comes first and is folded:
//!
//! ```text
//! KRvKN:  address = (black camp * 9 + red camp) * 90 + rook      bit = knight
//! KvKN:   address =  black camp * 9 + red camp                   bit = knight
//! KRvK:   address =  black camp * 9 + red camp                   bit = rook
//! ```
//!
//! Red: king d0 (camp 0), rook a4. Black: king e9 (camp 3). Address `(3 * 9 + 0) * 90 + 4 = 2434`.
//!
//! *The man in the word takes.* A knight takes on a4 from b2, c3, c5 and b6, as b3 and b5, its
//! legs, are empty: [`attackers_of`] finds the bits 12, 23, 25 and 16 by going backwards from a4.
//! In all four positions the same one comes about, word 27 of KvKN, bit 4: one look-up
//! ([`Found::add_arrival`]).
//!
//! *The man in the word is taken.* The rook on a4 takes a knight on any of 17 squares
//! ([`attacked_from`]), and each leads to another position: in KRvK the rook is in the word, so a
//! knight on a7 leads to word 27, bit 7, one on e4 to bit 44 ([`Collector::capture_of_word`]).
//!
//! *Others take others*, and the man in the word only looks on, or stands in the way. A red rook on
//! e4 attacks the king on e9 unless the knight is on e5, e6, e7 or e8: [`captures_past`] gives all
//! squares but these. The values of a whole word pass to a whole word ([`Found::add`]). With a
//! cannon it is the other way round: it takes where the knight is the screen.
//!
//! *Mirror images.* With black's king on f9 the camp is 6, which is folded away. Mirrored he stands
//! on d9 (camp 0), red's king on f0 (camp 6), the rook on i4: address
//! `(0 * 9 + 6) * 90 + 84 = 624`, and a knight on b6 = 16 is bit 76, h6.

use std::sync::Arc;

use super::home::{Home, HomeMove};
use super::space::{MAX_ATTACKERS, Place, Space};
use super::steps::{attacked_from, attackers_of, captures_past, square};
use super::target::laid_out;
use super::{SolveError, Solved, Targets};
use crate::byte_sets::expanded;
use crate::game::Bits;
use crate::game::Color;
use crate::metric::{MateScore, Wdl};
use crate::retro::fixpoint::Fixed;
use crate::xiangqi::rules::Role;
use crate::xiangqi::rules::attacks::between;

/// Bytes of the scores of one word.
const BYTES: usize = 128;
/// Squares of a file, which are neighbouring bits.
const FILE: usize = 10;

/// The solved materials that captures lead to, by what is taken.
#[derive(Debug)]
struct Routes {
    /// An addressed attacker, by axis.
    attackers: Vec<Arc<Solved>>,
    /// The man in the word; `None` if nobody can attack then.
    word: Option<WordRoute>,
    /// An advisor or an elephant, by color; `None` if there is none or nobody can take him.
    guards: [[Option<GuardRoute>; 2]; 2],
}

/// What the capture of an advisor or of an elephant leads to.
#[derive(Debug)]
struct GuardRoute {
    solved: Arc<Solved>,
    /// For each camp, the squares on which there is one to take, and the camp without it.
    captures: Vec<Vec<(u8, u32)>>,
}

impl GuardRoute {
    fn new(solved: Arc<Solved>, home: &Home, color: Color, role: Role) -> GuardRoute {
        let after = &solved.space.homes[color.index()];
        let captures = (0..home.len())
            .map(|camp| {
                let [advisors, elephants] = [home.advisors[camp], home.elephants[camp]];
                let men = match role {
                    Role::Advisor => advisors,
                    _ => elephants,
                };
                men.ones()
                    .filter_map(|square| {
                        let rest = !(1 << square);
                        let number =
                            after.number(home.king[camp], advisors & rest, elephants & rest);
                        Some((square as u8, number?))
                    })
                    .collect()
            })
            .collect();
        GuardRoute { solved, captures }
    }
}

/// What the capture of the man in the word leads to.
#[derive(Debug)]
struct WordRoute {
    solved: Arc<Solved>,
    /// The axis of the man who is in the word after that.
    promoted: usize,
}

/// Looks at every address.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    space: &'a Space,
    routes: Routes,
    with_scores: bool,
}

/// One address while it is looked at.
struct At<'a> {
    space: &'a Space,
    place: Place,
    squares: [u8; MAX_ATTACKERS],
    kings: [u8; 2],
}

/// What is found for one side to move at one address.
struct Found<'a> {
    /// By [`Wdl`]: loss, draw and win.
    win: u128,
    draw: u128,
    loss: u128,
    /// Empty if not wanted.
    scores: &'a mut [u8],
}

impl Found<'_> {
    /// Captures in the positions of `mask` that lead to a word of another material with the
    /// opponent to move.
    #[inline(always)]
    fn add(
        &mut self,
        solved: &Solved,
        next: Color,
        (address, mirrored): (usize, bool),
        mask: u128,
    ) {
        let values = &solved.sides[next.index()];
        let [legal, won, lost] = [&values.legal, &values.won, &values.lost]
            .map(|set| Space::turned(set[address], mirrored) & mask);
        self.loss |= won;
        self.win |= lost;
        self.draw |= legal & !won & !lost;
        if !self.scores.is_empty() && legal != 0 {
            let line = &values.dtm[address * BYTES..(address + 1) * BYTES];
            self.improve_all(line, mirrored, legal);
        }
    }

    /// The best of the scores so far and of those of moves into a line, in the positions of a set.
    /// No move has the lowest score.
    #[inline(always)]
    fn improve_all(&mut self, line: &[u8], mirrored: bool, set: u128) {
        let mut scores = [0; BYTES];
        if mirrored {
            let files = scores
                .chunks_exact_mut(FILE)
                .zip(line[..90].chunks_exact(FILE).rev());
            for (to, from) in files {
                to.copy_from_slice(from);
            }
        } else {
            scores.copy_from_slice(line);
        }
        let mut chosen = [0; BYTES];
        for (line, half) in chosen.chunks_mut(64).zip([set as u64, (set >> 64) as u64]) {
            line.copy_from_slice(&expanded(half)[..line.len()]);
        }
        for ((best, score), chosen) in self.scores.iter_mut().zip(scores).zip(chosen) {
            *best = (*best).max(MateScore(score).before_move().0 & chosen);
        }
    }

    #[inline(always)]
    fn improve(&mut self, bit: usize, score: MateScore) {
        if let Some(best) = self.scores.get_mut(bit) {
            *best = (*best).max(score.0);
        }
    }
}

impl<'a> Collector<'a> {
    pub fn new(
        space: &'a Space,
        targets: &Targets,
        with_scores: bool,
    ) -> Result<Collector<'a>, SolveError> {
        let material = space.material;
        let find = |color: Color, role: Role| -> Result<Arc<Solved>, SolveError> {
            let target = material.without(color, role).unwrap_or(material);
            let missing = || SolveError::missing_target(&material, &target);
            let solved = targets.get(&target.normal_form()).ok_or_else(missing)?;
            laid_out(solved, target, space.word_man).ok_or_else(missing)
        };
        let attackers = (space.axes.iter())
            .map(|axis| find(axis.man.0, axis.man.1))
            .collect::<Result<_, _>>()?;
        let word = match space.axes.is_empty() {
            true => None,
            false => {
                let solved = find(space.word_man.0, space.word_man.1)?;
                let promoted = space
                    .axes
                    .iter()
                    .position(|axis| axis.man == solved.space.word_man);
                promoted.map(|promoted| WordRoute { solved, promoted })
            }
        };
        let mut guards: [[Option<GuardRoute>; 2]; 2] = Default::default();
        for color in Color::ALL {
            for (slot, role) in GUARDS.into_iter().enumerate() {
                if material.count(color, role) > 0 && material.has_attacker(!color) {
                    guards[color.index()][slot] = Some(GuardRoute::new(
                        find(color, role)?,
                        &space.homes[color.index()],
                        color,
                        role,
                    ));
                }
            }
        }
        Ok(Collector {
            space,
            routes: Routes {
                attackers,
                word,
                guards,
            },
            with_scores,
        })
    }

    /// What is fixed for both sides to move.
    pub fn collect(&self) -> [Fixed<u128>; 2] {
        let words = self.space.words;
        let mut fixed = [0, 1].map(|_| Fixed::new(words, self.with_scores));
        for address in 0..words {
            let at = At::new(self.space, address);
            let Some(at) = at else {
                continue;
            };
            let checks = Color::ALL.map(|color| at.in_check(color));
            let possible = at.possible();
            for color in Color::ALL {
                let fixed = &mut fixed[color.index()];
                let legal = possible & !checks[(!color).index()];
                fixed.legal[address] = legal;
                fixed.in_check[address] = checks[color.index()] & legal;
                if legal == 0 {
                    continue;
                }
                let scores = match self.with_scores {
                    true => {
                        let scores = fixed.zeroing_score.bytes_mut();
                        &mut scores[address * BYTES..(address + 1) * BYTES]
                    }
                    false => &mut [],
                };
                let mut found = Found {
                    win: 0,
                    draw: 0,
                    loss: 0,
                    scores,
                };
                self.captures(&at, color, legal, &mut found);
                let Found {
                    win, draw, loss, ..
                } = found;
                fixed.zeroing[Wdl::Win.index()][address] = win & legal;
                fixed.zeroing[Wdl::Draw.index()][address] = draw & legal;
                fixed.zeroing[Wdl::Loss.index()][address] = loss & legal;
            }
        }
        fixed
    }

    #[inline(always)]
    fn captures(&self, at: &At<'_>, color: Color, legal: u128, found: &mut Found<'_>) {
        let space = self.space;
        let occupied = at.place.occupied;
        let word_moves = space.word_man.0 == color;
        // Addressed attackers of the opponent are taken by attackers.
        for (victim, axis) in space.axes.iter().enumerate() {
            if axis.man.0 == color {
                continue;
            }
            let target = square(at.squares[victim]);
            let route = &self.routes.attackers[victim];
            if word_moves {
                let (_, role) = space.word_man;
                let from = attackers_of(color, role, target, occupied) & legal;
                if from != 0 {
                    let (address, mirrored) =
                        at.without_attacker(route, victim, None, at.place.camps);
                    found.add_arrival(route, !color, address, mirrored, target.index() as u8, from);
                }
            }
            for (taker, taking) in space.axes.iter().enumerate() {
                if taking.man.0 == color {
                    let mask = at.attack(taker, target.index() as u8) & legal;
                    if mask != 0 {
                        let place = at.without_attacker(
                            route,
                            victim,
                            Some((taker, target.index() as u8)),
                            at.place.camps,
                        );
                        found.add(route, !color, place, mask);
                    }
                }
            }
        }
        self.captures_of_guards(at, color, legal, found);
        self.captures_by_guards(at, color, legal, found);
        if !word_moves {
            // The man in the word is taken by attackers.
            for (taker, taking) in space.axes.iter().enumerate() {
                if taking.man.0 == color {
                    let (_, role) = taking.man;
                    let reached =
                        attacked_from(color, role, square(at.squares[taker]), occupied) & legal;
                    for bit in reached.ones() {
                        let mut squares = at.squares;
                        squares[taker] = bit as u8;
                        self.capture_of_word(at, color, at.place.camps, &squares, bit, found);
                    }
                }
            }
        }
    }

    /// Advisors and elephants of the opponent are taken by attackers.
    #[inline(always)]
    fn captures_of_guards(&self, at: &At<'_>, color: Color, legal: u128, found: &mut Found<'_>) {
        let space = self.space;
        let owner = (!color).index();
        let camp = at.place.camps[owner] as usize;
        for guards in self.routes.guards[owner].iter().flatten() {
            let route = &guards.solved;
            for &(victim, number) in &guards.captures[camp] {
                let mut camps = at.place.camps;
                camps[owner] = number;
                if space.word_man.0 == color {
                    let (_, role) = space.word_man;
                    let target = square(victim);
                    let from = attackers_of(color, role, target, at.place.occupied) & legal;
                    if from != 0 {
                        let (address, mirrored) = route.space.locate(camps, &at.squares);
                        found.add_arrival(route, !color, address, mirrored, victim, from);
                    }
                }
                for (taker, taking) in space.axes.iter().enumerate() {
                    if taking.man.0 != color {
                        continue;
                    }
                    let mask = at.attack(taker, victim) & legal;
                    if mask != 0 {
                        let mut squares = at.squares;
                        squares[taker] = victim;
                        found.add(route, !color, route.space.locate(camps, &squares), mask);
                    }
                }
            }
        }
    }

    /// King, advisors and elephants take attackers that come to them.
    #[inline(always)]
    fn captures_by_guards(&self, at: &At<'_>, color: Color, legal: u128, found: &mut Found<'_>) {
        let space = self.space;
        let home = &space.homes[color.index()];
        let moves: &[HomeMove] = &home.moves[at.place.camps[color.index()] as usize];
        for step in moves {
            if space.attackers[at.place.inner] & step.eye != 0 {
                continue;
            }
            let mut camps = at.place.camps;
            camps[color.index()] = step.to;
            let land = 1u128 << step.land;
            if space.word_man.0 != color && legal & land & !step.eye != 0 {
                let bit = u32::from(step.land);
                self.capture_of_word(at, color, camps, &at.squares, bit, found);
            }
            for (victim, axis) in space.axes.iter().enumerate() {
                if axis.man.0 != color && at.squares[victim] == step.land {
                    let route = &self.routes.attackers[victim];
                    let place = at.without_attacker(route, victim, None, camps);
                    found.add(route, !color, place, legal & !step.eye);
                }
            }
        }
    }

    /// The man in the word is taken on the square `bit`; camps and attackers are those after the
    /// move.
    #[inline(always)]
    fn capture_of_word(
        &self,
        at: &At<'_>,
        color: Color,
        camps: [u32; 2],
        squares: &[u8; MAX_ATTACKERS],
        bit: u32,
        found: &mut Found<'_>,
    ) {
        let here = 1u128 << bit;
        let Some(WordRoute { solved, promoted }) = &self.routes.word else {
            if !at.kings_face(camps) {
                found.draw |= here;
                found.improve(bit as usize, MateScore::DRAW);
            }
            return;
        };
        let mut rest = [0; MAX_ATTACKERS];
        let without = (squares.iter().enumerate())
            .filter(|(number, _)| number != promoted)
            .map(|(_, &square)| square);
        for (slot, square) in rest.iter_mut().zip(without) {
            *slot = square;
        }
        let (address, mirrored) = solved.space.locate(camps, &rest);
        let there = match mirrored {
            true => super::space::mirror_square(squares[*promoted]),
            false => squares[*promoted],
        };
        found.add_single(solved, !color, address, there, bit);
    }
}

/// The guards that can be taken, in the order of [`Routes::guards`].
const GUARDS: [Role; 2] = [Role::Advisor, Role::Elephant];

impl Found<'_> {
    /// The man in the word arrives on a square from any of `from`.
    #[inline(always)]
    fn add_arrival(
        &mut self,
        solved: &Solved,
        next: Color,
        address: usize,
        mirrored: bool,
        to: u8,
        from: u128,
    ) {
        let there = if mirrored {
            super::space::mirror_square(to)
        } else {
            to
        };
        let values = &solved.sides[next.index()];
        let Some((wdl, score)) = values.outcome(address, there) else {
            return;
        };
        match wdl {
            Wdl::Loss => self.win |= from,
            Wdl::Win => self.loss |= from,
            _ => self.draw |= from,
        }
        if let Some(score) = score {
            for bit in from.ones() {
                self.improve(bit as usize, score.before_move());
            }
        }
    }

    /// One position leads to one.
    #[inline(always)]
    fn add_single(&mut self, solved: &Solved, next: Color, address: usize, there: u8, bit: u32) {
        self.add_arrival(solved, next, address, false, there, 1 << bit);
    }
}

impl<'a> At<'a> {
    /// The men of an address, or `None` if two stand on one square.
    #[inline(always)]
    fn new(space: &'a Space, address: usize) -> Option<At<'a>> {
        let place = space.place(address);
        let men = space.material.men() as u32 - 1;
        if place.occupied.count_ones() != men {
            return None;
        }
        let kings = [0, 1].map(|side: usize| space.homes[side].king[place.camps[side] as usize]);
        Some(At {
            space,
            squares: space.attacker_squares(place.inner),
            place,
            kings,
        })
    }

    /// The squares of the man in the word that nobody else stands on and with which the kings do
    /// not face each other.
    #[inline(always)]
    fn possible(&self) -> u128 {
        let free = self.space.domain & !self.place.occupied;
        let [red, black] = self.kings.map(square);
        let line = between(red, black);
        if red.file() == black.file() && line & self.place.occupied == 0 {
            free & line
        } else {
            free
        }
    }

    /// Whether the kings face each other once the man in the word is gone and the camps are these;
    /// without other attackers.
    #[inline(always)]
    fn kings_face(&self, camps: [u32; 2]) -> bool {
        let homes = &self.space.homes;
        let [red, black] = [0, 1].map(|side: usize| square(homes[side].king[camps[side] as usize]));
        let occupied = homes[0].occupied[camps[0] as usize] | homes[1].occupied[camps[1] as usize];
        red.file() == black.file() && between(red, black) & occupied == 0
    }

    /// The positions in which that side's king is attacked.
    #[inline(always)]
    fn in_check(&self, color: Color) -> u128 {
        let king = self.kings[color.index()];
        let space = self.space;
        let mut checks = 0;
        if space.word_man.0 != color {
            let (owner, role) = space.word_man;
            checks = attackers_of(owner, role, square(king), self.place.occupied);
        }
        for (number, axis) in space.axes.iter().enumerate() {
            if axis.man.0 != color {
                checks |= self.attack(number, king);
            }
        }
        checks
    }

    /// The positions in which an addressed attacker captures on a square that is occupied.
    #[inline(always)]
    fn attack(&self, attacker: usize, to: u8) -> u128 {
        let (color, role) = self.space.axes[attacker].man;
        captures_past(
            color,
            role,
            square(self.squares[attacker]),
            square(to),
            self.place.occupied,
        )
    }

    /// Where an addressed attacker is gone, another one may have moved, and the camps are these.
    #[inline(always)]
    fn without_attacker(
        &self,
        route: &Solved,
        victim: usize,
        moved: Option<(usize, u8)>,
        camps: [u32; 2],
    ) -> (usize, bool) {
        let mut squares = self.squares;
        if let Some((taker, to)) = moved {
            squares[taker] = to;
        }
        squares.copy_within(victim + 1.., victim);
        route.space.locate(camps, &squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::solve::space::mirror_square;
    use crate::xiangqi::solve::steps::BOARD;

    #[test]
    fn the_example_by_hand_is_right() {
        let material: crate::xiangqi::Material = "KRvKN".parse().unwrap();
        let knight = (Color::Black, Role::Knight);
        let rook = (Color::White, Role::Rook);
        let space = Space::new(material, knight).unwrap();
        let squares = [4; MAX_ATTACKERS];
        assert_eq!(space.locate([0, 3], &squares), (2434, false));
        let place = space.place(2434);
        assert_eq!(place.camps, [0, 3]);
        // The knight takes.
        let from = attackers_of(knight.0, knight.1, square(4), place.occupied);
        assert_eq!(from, 1 << 12 | 1 << 16 | 1 << 23 | 1 << 25);
        let without_rook = Space::new(material.without(rook.0, rook.1).unwrap(), knight).unwrap();
        assert_eq!(without_rook.locate([0, 3], &[]), (27, false));
        // The knight is taken.
        let taken = attacked_from(rook.0, rook.1, square(4), place.occupied);
        assert_eq!(
            (taken.count_ones(), taken >> 7 & 1, taken >> 44 & 1),
            (17, 1, 1)
        );
        let without_knight = Space::new(material.without(knight.0, knight.1).unwrap(), rook);
        assert_eq!(without_knight.unwrap().locate([0, 3], &[]), (27, false));
        // The knight is in the way.
        let attack = captures_past(rook.0, rook.1, square(44), square(49), place.occupied);
        assert_eq!(BOARD & !attack, 0b1111 << 45);
        // Mirror images.
        assert_eq!(space.locate([0, 6], &squares), (624, true));
        assert_eq!(mirror_square(16), 76);
    }
}
