//! The rule of perpetual check within a level.
//!
//! An endless game is won by a side if from some point on every move of the other is a check while
//! its own go on not being checks. What a side wins by that is the fixed point `μZ. νY. μX` over
//!
//! - positions in which it moves: some move goes to Z, or is no check and goes to Y, or is a check
//!   and goes to X;
//! - positions in which the other side moves: no capture saves it, every move without check goes to
//!   Z, every check to X or Z.
//!
//! Z starts from what is won without the rule; each time it grows is a *round*. The step at which a
//! position joins the last X of its round is a measure of progress. The winner goes to an earlier
//! round if it can, else it moves without check to anywhere in its round, or with check to an
//! earlier step: checks on both sides come to an end, so the winner's moves without check never do,
//! unless the loser gives up checking, which leads to an earlier round.

use std::sync::atomic::{AtomicBool, Ordering};

use super::graph::Graph;
use crate::game::Color;
use crate::metric::Wdl;

/// What the rule decides: the round, from 1, and the step within it, from 1. Nothing has round 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ruled {
    /// How often the rule was applied.
    pub round: u8,
    /// The measure of progress.
    pub step: u16,
}

/// One side's wins by the rule, of positions whose results are `Draw` in `results`; both sides to
/// move. Nothing if that was cancelled.
pub fn perpetual(
    graph: &Graph,
    results: &[Wdl],
    winner: Color,
    cancel: &AtomicBool,
) -> Option<Vec<Ruled>> {
    Search::new(graph, results, winner).run(cancel)
}

struct Search<'a> {
    graph: &'a Graph,
    winner: Color,
    /// Positions that nothing has decided yet.
    is_open: Vec<bool>,
    /// What is won.
    won: Vec<bool>,
    /// Where the loser moves: moves without check, and with it, that do not lead to what is won.
    escapes: Vec<[u8; 2]>,
    ruled: Vec<Ruled>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, results: &[Wdl], winner: Color) -> Search<'a> {
        let is_won = |number: usize| match results[number] {
            Wdl::Win => graph.nodes[number].turn == winner,
            Wdl::Loss => graph.nodes[number].turn != winner,
            _ => false,
        };
        let len = graph.nodes.len();
        let mut search = Search {
            graph,
            winner,
            is_open: results.iter().map(|&wdl| wdl == Wdl::Draw).collect(),
            won: vec![false; len],
            escapes: graph.nodes.iter().map(|node| node.quiet).collect(),
            ruled: vec![Ruled::default(); len],
        };
        for number in (0..len).filter(|&number| is_won(number)) {
            search.win(number);
        }
        search
    }

    /// Adds a position to what is won.
    fn win(&mut self, number: usize) {
        self.won[number] = true;
        for edge in self.graph.before(number) {
            let escapes = &mut self.escapes[edge.source()];
            escapes[usize::from(edge.is_check())] -= 1;
        }
    }

    fn is_open_for(&self, number: usize, turn: Color) -> bool {
        self.is_open[number] && !self.won[number] && self.graph.nodes[number].turn == turn
    }

    /// Whether the loser can only check, and what he captures does not save him.
    fn can_only_check(&self, number: usize) -> bool {
        let captures = &self.graph.nodes[number].captures;
        self.is_open_for(number, !self.winner)
            && self.escapes[number][0] == 0
            && captures.win.is_none()
            && !captures.draw
    }

    fn run(mut self, cancel: &AtomicBool) -> Option<Vec<Ruled>> {
        let len = self.graph.nodes.len();
        let mut round: u8 = 0;
        loop {
            round = round.saturating_add(1);
            // The greatest Y of this round, from above: nobody outside of it stays.
            let mut inside = self.is_open.clone();
            let steps = loop {
                if cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let steps = self.steps(&inside);
                let mut is_same = true;
                for number in 0..len {
                    let stays = steps[number] > 0;
                    is_same &= stays == (inside[number] && !self.won[number]);
                    inside[number] = stays;
                }
                if is_same {
                    break steps;
                }
            };
            let mut has_grown = false;
            for (number, step) in steps.into_iter().enumerate() {
                if step > 0 {
                    self.ruled[number] = Ruled { round, step };
                    self.win(number);
                    has_grown = true;
                }
            }
            if !has_grown {
                return Some(self.ruled);
            }
        }
    }

    /// The least X for a Y: at which step each position joins it, 0 for never. What is won belongs
    /// to both.
    fn steps(&self, inside: &[bool]) -> Vec<u16> {
        let len = self.graph.nodes.len();
        let mut steps = vec![0u16; len];
        let mut checks: Vec<u8> = self.escapes.iter().map(|escapes| escapes[1]).collect();
        let mut due: Vec<usize> = Vec::new();
        for (number, step) in steps.iter_mut().enumerate() {
            if self.can_only_check(number) && checks[number] == 0 {
                *step = 1;
                due.push(number);
            }
        }
        for (number, (node, &is_inside)) in self.graph.nodes.iter().zip(inside).enumerate() {
            if node.turn == self.winner || !(is_inside || self.won[number]) {
                continue;
            }
            for edge in self.graph.before(number) {
                let source = edge.source();
                let joins = self.won[number] || !edge.is_check();
                if joins && steps[source] == 0 && self.is_open_for(source, self.winner) {
                    steps[source] = 1;
                    due.push(source);
                }
            }
        }
        let mut step = 1u16;
        while !due.is_empty() {
            step = step.saturating_add(1);
            let mut next = Vec::new();
            for number in due {
                for edge in self
                    .graph
                    .before(number)
                    .iter()
                    .filter(|edge| edge.is_check())
                {
                    let source = edge.source();
                    if steps[source] > 0 {
                        continue;
                    }
                    let joins = if self.graph.nodes[source].turn == self.winner {
                        self.is_open_for(source, self.winner)
                    } else {
                        checks[source] -= 1;
                        checks[source] == 0 && self.can_only_check(source)
                    };
                    if joins {
                        steps[source] = step;
                        next.push(source);
                    }
                }
            }
            due = next;
        }
        steps
    }
}
