//! Quiet moves applied to sets of positions.
//!
//! Whatever a man needs to be empty is known from the address, but for the square of the man in the
//! word: that square is taken out of the word.

use super::home::NONE;
use super::space::{Axis, MAX_ATTACKERS, Place, Space};
use super::steps::{square, word_predecessors};
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;
use crate::xiangqi::rules::attacks;
use crate::xiangqi::rules::{Bitboard, Role, mirror, squares};

/// A step of a knight or a pawn: to or from which square, and what has to be empty.
type Step = (u8, Bitboard);

/// How one addressed attacker moves.
#[derive(Debug)]
enum Gait {
    /// Along files and ranks.
    Slide,
    /// For each square, where it can go and where it can come from.
    Leap {
        forth: Vec<Vec<Step>>,
        back: Vec<Vec<Step>>,
    },
}

impl Gait {
    fn of(axis: &Axis) -> Gait {
        let (color, role) = axis.man;
        let targets = |from: u8| match role {
            Role::Knight => attacks::knight(square(from), 0),
            _ => attacks::pawn(color, square(from)),
        };
        let leg = |from: u8, to: u8| match role {
            Role::Knight => attacks::beside(square(from)) & attacks::diagonal(square(to)),
            _ => 0,
        };
        if matches!(role, Role::Rook | Role::Cannon) {
            return Gait::Slide;
        }
        let mut forth = vec![Vec::new(); 90];
        let mut back = vec![Vec::new(); 90];
        for &from in &axis.squares {
            for to in squares(targets(from)) {
                let to = to.index() as u8;
                forth[usize::from(from)].push((to, leg(from, to)));
                back[usize::from(to)].push((from, leg(from, to)));
            }
        }
        Gait::Leap { forth, back }
    }
}

/// For each square the other squares of its file and rank: up to four runs, nearest first.
fn rays() -> Vec<Vec<Vec<u8>>> {
    (0..90u8)
        .map(|from| {
            let (file, rank) = (from / 10, from % 10);
            let runs: [Vec<u8>; 4] = [
                (rank + 1..10).map(|rank| file * 10 + rank).collect(),
                (0..rank).rev().map(|rank| file * 10 + rank).collect(),
                (file + 1..9).map(|file| file * 10 + rank).collect(),
                (0..file).rev().map(|file| file * 10 + rank).collect(),
            ];
            runs.into_iter().filter(|run| !run.is_empty()).collect()
        })
        .collect()
}

/// The nine files and ten ranks.
fn lines() -> Vec<Vec<u8>> {
    let files = (0..9u8).map(|file| (0..10).map(|rank| file * 10 + rank).collect());
    let ranks = (0..10u8).map(|rank| (0..9).map(|file| file * 10 + rank).collect());
    files.chain(ranks).collect()
}

/// The quiet moves of a material.
#[derive(Debug)]
pub struct Moves<'a> {
    space: &'a Space,
    gaits: Vec<Gait>,
    rays: Vec<Vec<Vec<u8>>>,
    lines: Vec<Vec<u8>>,
}

impl<'a> Moves<'a> {
    /// The moves in a space.
    #[must_use]
    pub fn new(space: &'a Space) -> Moves<'a> {
        Moves {
            space,
            gaits: space.axes.iter().map(Gait::of).collect(),
            rays: rays(),
            lines: lines(),
        }
    }

    /// Words that share both camps.
    #[inline(always)]
    fn row(&self, first: usize, second: usize) -> std::ops::Range<usize> {
        let at = (first * self.space.others() + second) * self.space.inner;
        at..at + self.space.inner
    }

    /// The man in the word.
    fn sweep_words(&self, into: &[u128], from: &mut [u128]) {
        let space = self.space;
        let (color, role) = space.word_man;
        let rows = into
            .chunks_exact(space.inner)
            .zip(from.chunks_exact_mut(space.inner));
        for (row, (into, from)) in rows.enumerate() {
            let camps = self.camps_occupied(row);
            let words = into.iter().zip(from).zip(&space.attackers);
            for ((&into, from), &attackers) in words {
                if into != 0 {
                    *from |= word_predecessors(color, role, into, camps | attackers);
                }
            }
        }
    }

    /// The squares of both camps in a row.
    #[inline(always)]
    fn camps_occupied(&self, row: usize) -> Bitboard {
        let space = self.space;
        let place = space.place(row * space.inner);
        let [red, black] = place.camps.map(|camp| camp as usize);
        space.homes[0].occupied[red] | space.homes[1].occupied[black]
    }

    /// King, advisors and elephants of one side.
    fn sweep_camps(&self, side: usize, into: &[u128], from: &mut [u128]) {
        let space = self.space;
        let home = &space.homes[side];
        let other = &space.homes[space.other().index()];
        let is_folded = side == space.folded.index();
        for first in 0..space.homes[space.folded.index()].numbers.len() {
            for second in 0..space.others() {
                let camp = if is_folded {
                    home.numbers[first] as usize
                } else {
                    second
                };
                let target = self.row(first, second);
                for step in &home.moves[camp] {
                    let place = home.places[step.to as usize];
                    let source = match (is_folded, place) {
                        (false, _) => self.row(first, step.to as usize),
                        (true, NONE) => {
                            let place = home.places[home.mirrored[step.to as usize] as usize];
                            let source = self.row(place as usize, other.mirrored[second] as usize);
                            self.add_mirrored(&into[source], &mut from[target.clone()], step.eye);
                            continue;
                        }
                        (true, place) => self.row(place as usize, second),
                    };
                    self.add(&into[source], &mut from[target.clone()], step.eye);
                }
            }
        }
    }

    fn add(&self, into: &[u128], from: &mut [u128], eye: Bitboard) {
        if eye == 0 {
            for (from, &into) in from.iter_mut().zip(into) {
                *from |= into;
            }
            return;
        }
        for ((from, &into), &attackers) in from.iter_mut().zip(into).zip(&self.space.attackers) {
            if attackers & eye == 0 {
                *from |= into & !eye;
            }
        }
    }

    fn add_mirrored(&self, into: &[u128], from: &mut [u128], eye: Bitboard) {
        let space = self.space;
        for ((from, &at), &attackers) in from.iter_mut().zip(&space.mirrored).zip(&space.attackers)
        {
            let word = into[at as usize];
            if word != 0 && attackers & eye == 0 {
                *from |= mirror(word) & !eye;
            }
        }
    }

    /// One addressed attacker.
    fn sweep_attacker(&self, number: usize, into: &[u128], from: &mut [u128]) {
        let space = self.space;
        let axis = &space.axes[number];
        let block = axis.squares.len() * axis.stride;
        for outer in (0..space.words).step_by(block) {
            let camps = self.camps_occupied(outer / space.inner);
            for inner in 0..axis.stride {
                let base = outer + inner;
                let end = base + block - inner;
                let words = || (base..end).step_by(axis.stride);
                if words().all(|at| into[at] == 0) {
                    continue;
                }
                let occupied = camps | self.other_attackers(number, base % space.inner);
                match &self.gaits[number] {
                    Gait::Slide => {
                        for line in &self.lines {
                            slide(line.iter(), axis, base, occupied, into, from);
                            slide(line.iter().rev(), axis, base, occupied, into, from);
                        }
                    }
                    Gait::Leap { forth, .. } => {
                        for (at, &start) in words().zip(&axis.squares) {
                            for &(to, leg) in &forth[usize::from(start)] {
                                if leg & occupied == 0 {
                                    let place = usize::from(axis.places[usize::from(to)]);
                                    from[at] |= into[base + place * axis.stride] & !leg;
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The squares of the addressed attackers but for one.
    #[inline(always)]
    fn other_attackers(&self, but: usize, inner: usize) -> Bitboard {
        let numbers = self.space.attacker_squares(inner);
        let numbers = &numbers[..self.space.axes.len()];
        (numbers.iter().enumerate())
            .filter(|&(number, _)| number != but)
            .fold(0, |set, (_, &square)| set | 1 << square)
    }

    /// Visits every address one quiet move of an addressed attacker away, with the positions in
    /// which the way is free.
    #[inline(always)]
    fn visit_attackers(
        &self,
        side: usize,
        address: usize,
        place: &Place,
        backwards: bool,
        mut visit: impl FnMut(usize, Bitboard) -> bool,
    ) {
        let numbers: [u8; MAX_ATTACKERS] = self.space.attacker_squares(place.inner);
        let axes = self.space.axes.iter().zip(&self.gaits).zip(numbers);
        for ((axis, gait), here) in axes {
            if axis.man.0.index() != side {
                continue;
            }
            let at = |there: u8| {
                let [here, there] =
                    [here, there].map(|square| usize::from(axis.places[usize::from(square)]));
                address + there * axis.stride - here * axis.stride
            };
            match gait {
                Gait::Slide => {
                    for ray in &self.rays[usize::from(here)] {
                        let mut open = !0;
                        for &there in ray {
                            if place.occupied >> there & 1 == 1 {
                                break;
                            }
                            if !visit(at(there), open) {
                                return;
                            }
                            open &= !(1 << there);
                        }
                    }
                }
                Gait::Leap { forth, back } => {
                    let steps = if backwards { back } else { forth };
                    for &(there, leg) in &steps[usize::from(here)] {
                        if leg & place.occupied == 0 && !visit(at(there), !leg) {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// Along one line.
#[inline(always)]
fn slide<'a>(
    line: impl Iterator<Item = &'a u8>,
    axis: &Axis,
    base: usize,
    occupied: Bitboard,
    into: &[u128],
    from: &mut [u128],
) {
    let mut running = 0;
    for &square in line {
        let bit = 1 << square;
        if occupied & bit != 0 {
            running = 0;
            continue;
        }
        let at = base + usize::from(square) * axis.stride;
        from[at] |= running;
        running = (running | into[at]) & !bit;
    }
}

impl QuietMoves for Moves<'_> {
    type Word = u128;

    fn words(&self) -> usize {
        self.space.words
    }

    fn sweep(&mut self, side: usize, into: &[u128], from: &mut [u128]) {
        if self.space.word_man.0.index() == side {
            self.sweep_words(into, from);
        }
        self.sweep_camps(side, into, from);
        for (number, axis) in self.space.axes.iter().enumerate() {
            if axis.man.0.index() == side {
                self.sweep_attacker(number, into, from);
            }
        }
    }

    fn push(&self, side: usize, address: usize, word: u128, from: &mut Layer<u128>) {
        let space = self.space;
        let place = space.place(address);
        let mut insert = |at: usize, word: u128| {
            if word != 0 {
                from.insert(at, word);
            }
        };
        let (color, role) = space.word_man;
        if color.index() == side {
            insert(
                address,
                word_predecessors(color, role, word, place.occupied),
            );
        }
        let home = &space.homes[side];
        let camp = place.camps[side] as usize;
        for step in &home.moves[camp] {
            if space.attackers[place.inner] & step.eye != 0 {
                continue;
            }
            let mut camps = place.camps;
            camps[side] = step.to;
            let open = word & !step.eye;
            if side != space.folded.index() || home.places[step.to as usize] != NONE {
                insert(space.address(camps, place.inner), open);
            }
            // Where the camp before is its own mirror image, both mirror images of the position
            // have an address.
            if side == space.folded.index()
                && home.places[home.mirrored[step.to as usize] as usize] != NONE
            {
                let camps = space.mirrored_camps(camps);
                let inner = space.mirrored[place.inner] as usize;
                insert(space.address(camps, inner), mirror(open));
            }
        }
        self.visit_attackers(side, address, &place, true, |at, open| {
            insert(at, word & open);
            true
        });
    }

    fn having_a_move_into(&self, side: usize, address: usize, word: u128, into: &[u128]) -> u128 {
        let space = self.space;
        let place = space.place(address);
        let mut found = 0;
        let (color, role) = space.word_man;
        if color.index() == side && into[address] != 0 {
            found = word & word_predecessors(color, role, into[address], place.occupied);
        }
        let home = &space.homes[side];
        for step in &home.moves[place.camps[side] as usize] {
            if found == word {
                return found;
            }
            if space.attackers[place.inner] & step.eye != 0 {
                continue;
            }
            let mut camps = place.camps;
            camps[side] = step.to;
            let is_away = side == space.folded.index() && home.places[step.to as usize] == NONE;
            let target = if is_away {
                let camps = space.mirrored_camps(camps);
                mirror(into[space.address(camps, space.mirrored[place.inner] as usize)])
            } else {
                into[space.address(camps, place.inner)]
            };
            found |= word & target & !step.eye;
        }
        self.visit_attackers(side, address, &place, false, |at, open| {
            found |= word & open & into[at];
            found != word
        });
        found
    }
}
