//! Wins and losses within a level, by plies: retrograde analysis with a queue for each ply.

use std::sync::atomic::{AtomicBool, Ordering};

use super::graph::{Captures, Graph, Node};
use crate::game::Color;
use crate::metric::Wdl;

/// By what a distance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Plies to the next capture, or to the end of the game.
    Conversion,
    /// Plies to the end of the game.
    Mate,
}

/// A result for the side to move, and after how many plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The result; a draw if nothing is decided.
    pub wdl: Wdl,
    /// The plies; 0 for a draw.
    pub plies: u16,
}

/// Longer distances are not counted on.
const MAX_PLIES: u16 = u16::MAX - 1;

/// Nothing is decided.
const OPEN: Decision = Decision {
    wdl: Wdl::Draw,
    plies: 0,
};

impl Distance {
    /// The plies of a capture that leads to the end of the game in so many.
    fn of_capture(self, plies: u16) -> u16 {
        match self {
            Distance::Conversion => 1,
            Distance::Mate => plies,
        }
    }
}

/// What falls due, by plies.
#[derive(Default)]
struct Queue(Vec<Vec<(u32, Wdl)>>);

impl Queue {
    fn push(&mut self, plies: u16, number: usize, wdl: Wdl) {
        let plies = usize::from(plies);
        if self.0.len() <= plies {
            self.0.resize_with(plies + 1, Vec::new);
        }
        self.0[plies].push((number as u32, wdl));
    }
}

/// What a position is at the beginning, if its quiet moves do not matter.
fn begin(node: &Node, distance: Distance, lost_for: Color) -> Option<Decision> {
    if !node.is_expanded {
        let (wdl, plies) = match node.turn == lost_for {
            true => (Wdl::Loss, 0),
            false => (Wdl::Win, 1),
        };
        return Some(Decision { wdl, plies });
    }
    let Captures { win, loss, draw } = node.captures;
    if let Some(plies) = win {
        let plies = distance.of_capture(plies);
        return Some(Decision {
            wdl: Wdl::Win,
            plies,
        });
    }
    if draw || node.quiet != [0, 0] {
        return None;
    }
    // Whoever has no move has lost.
    let plies = loss.map_or(0, |plies| distance.of_capture(plies));
    Some(Decision {
        wdl: Wdl::Loss,
        plies,
    })
}

/// All results of a level that follow without the rule of perpetual check; nothing if that was
/// cancelled. Positions that were not looked at count as lost for one side.
pub fn decide(
    graph: &Graph,
    distance: Distance,
    lost_for: Color,
    cancel: &AtomicBool,
) -> Option<Vec<Decision>> {
    let mut decided = vec![OPEN; graph.nodes.len()];
    let mut left: Vec<u8> = graph
        .nodes
        .iter()
        .map(|node| node.quiet[0] + node.quiet[1])
        .collect();
    let mut queue = Queue::default();
    for (number, node) in graph.nodes.iter().enumerate() {
        if let Some(Decision { wdl, plies }) = begin(node, distance, lost_for) {
            queue.push(plies, number, wdl);
        }
    }
    let mut plies = 0;
    while let Some(due) = queue.0.get_mut(usize::from(plies)).map(std::mem::take) {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        for (number, wdl) in due {
            let number = number as usize;
            if decided[number] != OPEN {
                continue;
            }
            decided[number] = Decision { wdl, plies };
            let next = plies.saturating_add(1).min(MAX_PLIES);
            for edge in graph.before(number) {
                let source = edge.source();
                let node = &graph.nodes[source];
                if wdl == Wdl::Loss {
                    if decided[source] == OPEN {
                        queue.push(next, source, Wdl::Win);
                    }
                    continue;
                }
                left[source] -= 1;
                let captures = &node.captures;
                if left[source] == 0 && captures.win.is_none() && !captures.draw {
                    let captured = captures.loss.map_or(0, |plies| distance.of_capture(plies));
                    queue.push(next.max(captured), source, Wdl::Loss);
                }
            }
        }
        if plies == MAX_PLIES {
            break;
        }
        plies += 1;
    }
    Some(decided)
}
