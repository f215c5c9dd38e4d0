//! The moves between positions with equally many men.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::packed::Packed;
use super::rules::next;
use super::state::{State, States};
use crate::game::Color;
use crate::metric::Wdl;
use crate::reach::game::{LeafError, Next, Rules, States as _};
use crate::reach::positions::{Compact, Id, Positions, Run};
use crate::xiangqi::rules::Position;

/// Set in an edge if the move gives check.
const CHECK: u32 = 1 << 31;
/// Positions that a thread takes at a time.
const PIECE: usize = 1024;

/// What the captures of a position lead to, for the side that captures, and the moves that count as
/// winning at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Captures {
    /// Whether one wins, and the fewest plies to the end of the game.
    pub win: Option<u16>,
    /// Whether one loses, and the most plies to the end of the game.
    pub loss: Option<u16>,
    /// Whether one draws.
    pub draw: bool,
}

impl Captures {
    fn count(&mut self, next: State) {
        let plies = next.mate.saturating_add(1);
        match next.wdl {
            Wdl::Loss => self.win = Some(self.win.map_or(plies, |win| win.min(plies))),
            Wdl::Win => self.loss = self.loss.max(Some(plies)),
            _ => self.draw = true,
        }
    }
}

/// A position of the level.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The side to move.
    pub turn: Color,
    /// Whether its moves were looked at; if not, it counts as decided.
    pub is_expanded: bool,
    /// Quiet moves without check, and with it.
    pub quiet: [u8; 2],
    /// The other moves.
    pub captures: Captures,
}

/// A quiet move seen from where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Edge(u32);

impl Edge {
    /// The position before it.
    #[inline]
    pub fn source(self) -> usize {
        (self.0 & !CHECK) as usize
    }

    /// Whether it gives check.
    #[inline]
    pub fn is_check(self) -> bool {
        self.0 & CHECK != 0
    }
}

/// The positions of a level, and for each the quiet moves that lead to it.
#[derive(Debug)]
pub struct Graph {
    /// Where the positions are kept.
    pub members: Vec<Id>,
    /// What is known of them but for quiet moves.
    pub nodes: Vec<Node>,
    /// Where the edges of each position begin, and the end of the last.
    starts: Vec<usize>,
    edges: Vec<Edge>,
    /// Bytes of memory while it was made, beside what it takes itself.
    scratch: usize,
}

/// Where the positions of a level are among its members.
struct Places(Vec<Option<(usize, u32)>>);

impl Places {
    fn new(runs: &[Run]) -> Places {
        let shards = runs.iter().map(|run| run.shard + 1).max().unwrap_or(0);
        let mut places = vec![None; shards];
        let mut before = 0;
        for run in runs {
            places[run.shard] = Some((before, run.start));
            before += run.len();
        }
        Places(places)
    }

    /// The number of a position that is in the level.
    #[inline]
    fn of(&self, id: Id) -> Option<usize> {
        let (before, start) = (*self.0.get(id.shard())?)?;
        Some(before + id.local() - start as usize)
    }
}

impl Graph {
    /// Looks at the moves of all positions of a level; the states of what they capture into are
    /// known. Nothing if that was cancelled.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn new(
        positions: &Positions<Packed>,
        runs: &[Run],
        states: &States,
        rules: &Rules<'_, Position>,
        cancel: &AtomicBool,
    ) -> Result<Option<Graph>, LeafError> {
        let members: Vec<Id> = runs.iter().flat_map(|run| run.ids()).collect();
        let places = Places::new(runs);
        let parts = members
            .par_chunks(PIECE)
            .map(|part| {
                if cancel.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let mut nodes = Vec::with_capacity(part.len());
                let mut targets = Vec::new();
                for &id in part {
                    nodes.push(look(positions, id, &places, states, rules, &mut targets)?);
                }
                Ok(Some((nodes, targets)))
            })
            .collect::<Result<Option<Vec<(Vec<Node>, Vec<u32>)>>, LeafError>>()?;
        let Some(parts) = parts else {
            return Ok(None);
        };
        let mut starts = vec![0; members.len() + 1];
        let mut scratch = 0;
        for (_, targets) in &parts {
            scratch += 4 * targets.capacity();
            for &target in targets {
                starts[(target & !CHECK) as usize] += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut edges = vec![Edge(0); sum];
        let mut nodes = Vec::with_capacity(members.len());
        for (part, targets) in parts {
            let mut targets = targets.into_iter();
            for node in part {
                let source = nodes.len() as u32;
                let count = usize::from(node.quiet[0]) + usize::from(node.quiet[1]);
                for target in targets.by_ref().take(count) {
                    let start = &mut starts[(target & !CHECK) as usize];
                    edges[*start] = Edge(source | target & CHECK);
                    *start += 1;
                }
                nodes.push(node);
            }
        }
        // Each start has moved on to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        Ok(Some(Graph {
            members,
            nodes,
            starts,
            edges,
            scratch,
        }))
    }

    /// The quiet moves that lead to a position.
    #[inline]
    pub fn before(&self, number: usize) -> &[Edge] {
        &self.edges[self.starts[number]..self.starts[number + 1]]
    }

    /// Bytes of memory in use, at most.
    pub fn memory(&self) -> usize {
        self.scratch
            + self.members.capacity() * size_of::<Id>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.starts.capacity() * size_of::<usize>()
            + self.edges.capacity() * size_of::<Edge>()
    }
}

/// Looks at the moves of a position, and adds where the quiet ones lead.
fn look(
    positions: &Positions<Packed>,
    id: Id,
    places: &Places,
    states: &States,
    rules: &Rules<'_, Position>,
    targets: &mut Vec<u32>,
) -> Result<Node, LeafError> {
    let mut position = positions.get(id).unpack();
    let mut node = Node {
        turn: position.turn(),
        is_expanded: positions.is_expanded(id),
        quiet: [0; 2],
        captures: Captures::default(),
    };
    if !node.is_expanded {
        return Ok(node);
    }
    for m in &position.legal_moves() {
        let undo = position.make(m);
        match next(rules, &position, m) {
            Next::Leaf(leaf) => node.captures.count(rules.state(&leaf)?),
            Next::Conceded => node.captures.count(State::CONCEDED),
            Next::Denied => {}
            Next::Inside => match positions.find(&Packed::new(&position), position.key()) {
                Some(next) if m.is_capture() => node.captures.count(states.get(next)),
                Some(next) => {
                    if let Some(place) = places.of(next) {
                        node.quiet[usize::from(m.gives_check())] += 1;
                        let check = if m.gives_check() { CHECK } else { 0 };
                        targets.push(place as u32 | check);
                    }
                }
                None => {}
            },
        }
        position.unmake(m, undo);
    }
    Ok(node)
}
