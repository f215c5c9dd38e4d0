//! What the moves from an address lead to, for all squares of the man in the line at once.
//!
//! A man other than the one in the line moves from an address to another one, where the whole line
//! is what is reached, but for the squares where that man stands in the way. The man in the line
//! moves within it. Where a move leaves its own king in check there is no legal position, and the
//! line says so.

use std::collections::HashMap;
use std::sync::Arc;

use super::attack::{BOARD, kings_face, quiet_moves, taken_from, takers, takes};
use super::layout::{CampMove, Layout, Men};
use super::line::{Best, Turn, Values, key};
use super::values::{At, GUARDS, Resolved};
use crate::game::Color;
use crate::metric::MateScore;
use crate::xiangqi::Material;
use crate::xiangqi::rules::{Bitboard, Role, Square, squares};

/// What the capture of some man leads to.
#[derive(Debug)]
struct Route {
    values: Arc<Resolved>,
    /// Whether the colours are exchanged there.
    exchanged: bool,
    /// For each attacker there, which it is here.
    order: Vec<usize>,
}

impl Route {
    /// The way to the values of a material that `victim` is missing from, if it is an attacker.
    fn new(
        layout: &Layout,
        values: &Arc<Resolved>,
        target: &Material,
        victim: Option<usize>,
    ) -> Route {
        let exchanged = values.layout.material != *target;
        let mut left: Vec<Option<(Color, Role)>> =
            layout.attackers.iter().copied().map(Some).collect();
        if let Some(victim) = victim {
            left[victim] = None;
        }
        let mut order = Vec::new();
        for &(color, role) in &values.layout.attackers {
            let color = if exchanged { !color } else { color };
            let found = left.iter().position(|&man| man == Some((color, role)));
            if let Some(found) = found {
                left[found] = None;
                order.push(found);
            }
        }
        Route {
            values: Arc::clone(values),
            exchanged,
            order,
        }
    }

    /// The number there of a side's camp without a guard.
    fn camp_without(&self, layout: &Layout, men: &Men, color: Color, guard: Square) -> Option<u32> {
        let camp = layout.camp(men, color);
        let color = if self.exchanged { !color } else { color };
        let home = &self.values.layout.homes[color.index()];
        let turn = Turn {
            flipped: self.exchanged,
            mirrored: false,
        };
        let set = |set: Bitboard| {
            let left = squares(set & !guard.bit());
            left.fold(0, |set, square| set | turn.square(square).bit())
        };
        home.number(
            set(camp.king.bit()),
            set(camp.advisors),
            set(camp.elephants),
        )
    }

    /// The line there of some men of here, and how to read it; the camps are those of there.
    fn line(&self, men: &Men, mover: Color) -> (&Values, Turn, Square) {
        let mut there = *men;
        if self.exchanged {
            there.camps.swap(0, 1);
        }
        let flip = Turn {
            flipped: self.exchanged,
            mirrored: false,
        };
        for (square, &here) in there.squares.iter_mut().zip(&self.order) {
            *square = flip.square(men.squares[here]);
        }
        let place = self.values.layout.locate(&there);
        let turn = Turn {
            mirrored: place.mirrored,
            flipped: self.exchanged,
        };
        let next = if self.exchanged { mover } else { !mover };
        let line = &self.values.lines[place.address][next.index()];
        let mirror = Turn {
            mirrored: place.mirrored,
            flipped: false,
        };
        (line, turn, mirror.square(there.squares[0]))
    }
}

/// A value that is reached by a capture.
fn captured((key, score): (i32, u8)) -> (i32, u8) {
    (key::reached_by_capture(key), score)
}

/// The values that captures lead to; `None` where nobody can attack any more, which is a draw.
#[derive(Debug)]
pub(super) struct Captures {
    attackers: Vec<Option<Route>>,
    /// By color, advisors and elephants; `None` as well if nobody can take them.
    guards: [[Option<Route>; 2]; 2],
}

impl Captures {
    pub fn new(layout: &Layout, known: &HashMap<Material, Arc<Resolved>>) -> Captures {
        let route = |man: (Color, Role), victim| {
            let target = layout.material.without(man.0, man.1)?;
            let values = known.get(&target.normal_form())?;
            Some(Route::new(layout, values, &target, victim))
        };
        let attackers = layout.attackers.iter().enumerate();
        Captures {
            attackers: attackers
                .map(|(victim, &man)| route(man, Some(victim)))
                .collect(),
            guards: Color::ALL.map(|color| GUARDS.map(|role| route((color, role), None))),
        }
    }
}

/// The moves from one address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves<'a> {
    pub own: &'a Resolved,
    pub captures: &'a Captures,
    pub at: &'a At,
    pub address: usize,
    pub side: Color,
}

impl Moves<'_> {
    /// What all moves amount to.
    pub fn best(&self) -> Best {
        let mut best = Best::NONE;
        self.quiet(|line, turn, except| best.take(line, turn, except));
        self.in_line(&mut best, |line| line.clone());
        self.take_men(&mut best);
        best
    }

    /// What the quiet moves amount to that do not give check.
    pub fn best_without_check(&self) -> Best {
        let layout = &self.own.layout;
        let mut best = Best::NONE;
        let without_checks = |line: &Values, address: usize| {
            let mut line = line.clone();
            let checks = At::new(layout, address).map_or(0, |at| at.in_check[(!self.side).index()]);
            for square in squares(checks) {
                line.keys[square.index()] = key::NONE;
            }
            line
        };
        self.quiet_to(|address, line, turn, except| {
            best.take(&without_checks(line, address), turn, except);
        });
        self.in_line(&mut best, |line| without_checks(line, self.address));
        best
    }

    fn quiet(&self, mut visit: impl FnMut(&Values, Turn, Bitboard)) {
        self.quiet_to(|_, line, turn, except| visit(line, turn, except));
    }

    /// Visits the lines that the men reach whose squares are in the address, with the places where
    /// the way is not free.
    fn quiet_to(&self, mut visit: impl FnMut(usize, &Values, Turn, Bitboard)) {
        let layout = &self.own.layout;
        let At { men, fixed, .. } = self.at;
        let mut reach = |men: &Men, except: Bitboard| {
            let place = layout.locate(men);
            let line = &self.own.lines[place.address][(!self.side).index()];
            let turn = Turn {
                mirrored: place.mirrored,
                flipped: false,
            };
            visit(place.address, line, turn, except);
        };
        for step in self.camp_moves() {
            if fixed & step.to.bit() == 0 {
                let mut after = *men;
                after.camps[self.side.index()] = step.camp;
                reach(&after, step.eye);
            }
        }
        for (number, &(color, role)) in layout.attackers.iter().enumerate().skip(1) {
            if color != self.side {
                continue;
            }
            for (to, way) in quiet_moves(color, role, men.squares[number], *fixed) {
                let mut after = *men;
                after.squares[number] = to;
                reach(&after, way);
            }
        }
    }

    /// The quiet moves of the man in the line.
    fn in_line(&self, best: &mut Best, prepared: impl Fn(&Values) -> Values) {
        let (color, role) = self.own.layout.attackers[0];
        if color != self.side {
            return;
        }
        let line = prepared(&self.own.lines[self.address][(!self.side).index()]);
        let fixed = self.at.fixed;
        if matches!(role, Role::Rook | Role::Cannon) {
            best.slide(&line, fixed);
            return;
        }
        for from in squares(self.at.legal[self.side.index()]) {
            for (to, _) in quiet_moves(color, role, from, fixed) {
                best.take_one(line.at(to), from.bit());
            }
        }
    }

    /// The moves of king, advisors and elephants whose eyes are free but for the man in the line.
    fn camp_moves(&self) -> impl Iterator<Item = &CampMove> {
        let camp = self.own.layout.camp(&self.at.men, self.side);
        let fixed = self.at.fixed;
        camp.moves.iter().filter(move |step| fixed & step.eye == 0)
    }

    /// Attackers of a side whose squares are in the address.
    fn attackers(&self, side: Color) -> impl Iterator<Item = (usize, Role, Square)> {
        let attackers = self.own.layout.attackers.iter().enumerate().skip(1);
        attackers
            .filter(move |(_, (color, _))| *color == side)
            .map(|(number, &(_, role))| (number, role, self.at.men.squares[number]))
    }

    /// All captures.
    fn take_men(&self, best: &mut Best) {
        let layout = &self.own.layout;
        let men = &self.at.men;
        let enemy = !self.side;
        let camp = layout.camp(men, enemy);
        for (slot, set) in [camp.advisors, camp.elephants].into_iter().enumerate() {
            let Some(route) = &self.captures.guards[enemy.index()][slot] else {
                continue;
            };
            for victim in squares(set) {
                let mut after = *men;
                if let Some(camp) = route.camp_without(layout, men, enemy, victim) {
                    after.camps[enemy.index()] = camp;
                    self.taken_by_attackers(best, route, after, victim);
                }
            }
        }
        for (number, _, victim) in self.attackers(enemy) {
            // What nobody takes who could attack leaves attackers behind: that in the line.
            let Some(route) = &self.captures.attackers[number] else {
                continue;
            };
            self.taken_by_attackers(best, route, *men, victim);
            for step in self.camp_moves().filter(|step| step.to == victim) {
                let mut after = *men;
                after.camps[self.side.index()] = step.camp;
                self.reach(best, route, &after, BOARD & !step.eye);
            }
        }
        if layout.attackers[0].0 == enemy {
            self.take_first(best);
        }
    }

    /// The places of a set lead to the men that are left, whose camps are those of there.
    fn reach(&self, best: &mut Best, route: &Route, after: &Men, places: Bitboard) {
        let places = places & self.at.legal[self.side.index()];
        if places == 0 {
            return;
        }
        if route.order.first() == Some(&0) {
            let (line, turn, _) = route.line(after, self.side);
            let reached = Values {
                keys: line.keys.map(key::reached_by_capture),
                scores: line.scores,
            };
            best.take(&reached, turn, !places);
            return;
        }
        // Another man is in the line there: position by position.
        for place in squares(places) {
            let mut after = *after;
            after.squares[0] = place;
            let (line, _, there) = route.line(&after, self.side);
            best.take_one(captured(line.at(there)), place.bit());
        }
    }

    /// Attackers take a man that is not in the line.
    fn taken_by_attackers(&self, best: &mut Best, route: &Route, after: Men, victim: Square) {
        let fixed = self.at.fixed;
        for (number, role, from) in self.attackers(self.side) {
            let mut after = after;
            after.squares[number] = victim;
            let places = takes(self.side, role, from, victim, fixed);
            self.reach(best, route, &after, places);
        }
        let (color, role) = self.own.layout.attackers[0];
        if color == self.side {
            let places = takers(color, role, victim, fixed) & self.at.legal[self.side.index()];
            if places != 0 {
                // Wherever it comes from, it is the same position then.
                let mut after = after;
                after.squares[0] = victim;
                let (line, _, there) = route.line(&after, self.side);
                best.take_one(captured(line.at(there)), places);
            }
        }
    }

    /// The man in the line is taken.
    fn take_first(&self, best: &mut Best) {
        let legal = self.at.legal[self.side.index()];
        let men = &self.at.men;
        let mut take = |after: &Men, place: Square| {
            let value = match &self.captures.attackers[0] {
                Some(route) => {
                    let (line, _, there) = route.line(after, self.side);
                    captured(line.at(there))
                }
                None if self.kings_face(after) => return,
                None => (0, MateScore::DRAW.0),
            };
            best.take_one(value, place.bit());
        };
        for (number, role, from) in self.attackers(self.side) {
            for place in squares(taken_from(self.side, role, from, self.at.fixed) & legal) {
                let mut after = *men;
                after.squares[number] = place;
                take(&after, place);
            }
        }
        for step in self.camp_moves() {
            if legal & step.to.bit() & !step.eye != 0 {
                let mut after = *men;
                after.camps[self.side.index()] = step.camp;
                take(&after, step.to);
            }
        }
    }

    /// Whether the kings face each other where there are no attackers.
    fn kings_face(&self, men: &Men) -> bool {
        let camps = Color::ALL.map(|color| self.own.layout.camp(men, color));
        let occupied = camps[0].occupied() | camps[1].occupied();
        kings_face(camps.map(|camp| camp.king), occupied) != 0
    }
}
