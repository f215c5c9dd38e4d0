//! The solver itself: quiet moves as a list, forward from the mates.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use retrograde::chess::material::Material;
use retrograde::chess::{Move, Position, Role};
use retrograde::game::Color;

use super::numbering::Numbering;

/// A result for the side to move, the better the larger: `MATE - d` for a win in `d` plies,
/// `d - MATE` for a loss in `d` plies, zero for a draw. What a ply counts from is the metric's
/// business.
pub type Score = i16;
const MATE: Score = 1000;
pub const DRAW: Score = 0;
/// Not decided yet; worse than everything, so that it is also the best of no moves.
const OPEN: Score = -MATE - 1;
/// Not a position, or not the one of its mirror images that is kept.
pub const HOLE: Score = MATE + 1;

/// Distance to zeroing and distance to mate.
pub type Scores = [Score; 2];

pub fn distance(score: Score) -> Score {
    MATE - score.abs()
}

/// One ply earlier, the other side to move.
fn before_quiet_move(score: Score) -> Score {
    -score + (score > 0) as Score - (score < 0) as Score
}

/// The same for distance to zeroing and a move that starts the count anew: only the result counts,
/// and if a draw can be claimed after `limit` plies, before it is reached, the count starts there.
fn before_zeroing_move(score: Score, limit: Score) -> Score {
    let plies = if distance(score) <= limit {
        1
    } else {
        limit + 1
    };
    -score.signum() * (MATE - plies)
}

fn before(m: Move, [dtz, dtm]: Scores, limit: Score) -> Scores {
    let dtz = if m.is_zeroing() {
        before_zeroing_move(dtz, limit)
    } else {
        before_quiet_move(dtz)
    };
    [dtz, before_quiet_move(dtm)]
}

fn better(a: Scores, b: Scores) -> Scores {
    [a[0].max(b[0]), a[1].max(b[1])]
}

fn without_moves(position: &Position) -> Scores {
    if position.is_check() {
        [-MATE; 2]
    } else {
        [DRAW; 2]
    }
}

/// All values of a material.
pub struct Table {
    pub numbering: Numbering,
    pub scores: [Vec<Score>; 2],
}

/// What is solved so far: other materials, and the pawn placements of this one that are nearer to
/// promotion.
struct Known<'a> {
    tables: &'a HashMap<Material, Table>,
    current: (Material, &'a Table),
    limit: Score,
}

impl Known<'_> {
    /// The value of a position that a capture or a pawn move led to.
    fn scores(&self, position: &Position) -> Scores {
        if position.en_passant_square().is_some() {
            // One more move, and the right to take en passant is gone.
            let moves = position.legal_moves();
            let values = moves
                .as_slice()
                .iter()
                .map(|&m| before(m, self.scores(&position.play(m)), self.limit));
            return values
                .reduce(better)
                .unwrap_or_else(|| without_moves(position));
        }
        let counts = Color::ALL
            .map(|color| Role::ALL.map(|role| position.pieces(color, role).count_ones() as u8));
        let material = Material::from_counts(counts).expect("two kings");
        if material == Material::BARE_KINGS {
            return [DRAW; 2];
        }
        let normal = material.normal_form();
        let exchanged = material != normal;
        let table = if normal == self.current.0 {
            self.current.1
        } else {
            &self.tables[&normal]
        };
        let mut at = [0; 4];
        let mut seen = 0u64;
        for (square, &(color, role)) in at.iter_mut().zip(&table.numbering.men) {
            let color = if exchanged { !color } else { color };
            let left = position.pieces(color, role) & !seen;
            seen |= left & left.wrapping_neg();
            *square = left.trailing_zeros() as u8;
            *square ^= if exchanged { 56 } else { 0 };
        }
        let turn = if exchanged {
            !position.turn()
        } else {
            position.turn()
        };
        let men = table.numbering.men.len();
        let number = table.numbering.number(&at[..men], turn) as usize;
        let scores = [table.scores[0][number], table.scores[1][number]];
        let solved = scores.map(|score| score != HOLE && score != OPEN);
        assert_eq!(
            solved,
            [true; 2],
            "{} used before solved",
            position.to_fen()
        );
        scores
    }
}

/// The quiet moves between the positions of one group, and the best of all other moves.
#[derive(Default)]
struct Graph {
    /// For each metric and position; `OPEN` if there is no such move, `HOLE` if this is no
    /// position.
    fixed: [Vec<Score>; 2],
    /// Where the list of quiet moves of each position begins in its part.
    starts: Vec<u32>,
    /// How long it is.
    counts: Vec<u8>,
    /// By parts of [`PART`] positions: where quiet moves lead.
    successors: Vec<Vec<u32>>,
}

/// Positions whose moves are listed by one thread.
const PART: usize = 1 << 14;

impl Graph {
    fn new(numbering: &Numbering, group: std::ops::Range<u32>, known: &Known<'_>) -> Graph {
        let base = group.start;
        let numbers: Vec<u32> = group.collect();
        let parts: Vec<Graph> = numbers
            .par_chunks(PART)
            .map(|numbers| {
                let mut part = Graph::default();
                let mut successors = Vec::new();
                for &number in numbers {
                    part.add(numbering, number, base, known, &mut successors);
                }
                part.successors.push(successors);
                part
            })
            .collect();
        Graph::joined(parts)
    }

    fn add(
        &mut self,
        numbering: &Numbering,
        number: u32,
        base: u32,
        known: &Known<'_>,
        successors: &mut Vec<u32>,
    ) {
        let mut fixed = [HOLE; 2];
        let start = successors.len();
        if let Some((position, at)) = numbering.position(number) {
            fixed = [OPEN; 2];
            let moves = position.legal_moves();
            for &m in moves.as_slice() {
                if m.is_zeroing() {
                    let after = known.scores(&position.play(m));
                    fixed = better(fixed, before(m, after, known.limit));
                } else {
                    let to = m.to().index() as u8;
                    let from = m.from().index() as u8;
                    let at = at.map(|square| if square == from { to } else { square });
                    let next = numbering.number(&at[..numbering.men.len()], !position.turn());
                    successors.push(next - base);
                }
            }
            if moves.as_slice().is_empty() {
                fixed = without_moves(&position);
            }
        }
        self.fixed[0].push(fixed[0]);
        self.fixed[1].push(fixed[1]);
        self.starts.push(start as u32);
        let count = u8::try_from(successors.len() - start);
        self.counts.push(count.expect("few men move"));
    }

    fn joined(parts: Vec<Graph>) -> Graph {
        let mut all = Graph::default();
        for part in parts {
            all.fixed[0].extend(part.fixed[0].iter());
            all.fixed[1].extend(part.fixed[1].iter());
            all.starts.extend(part.starts);
            all.counts.extend(part.counts);
            all.successors.extend(part.successors);
        }
        all
    }

    fn successors(&self, position: u32) -> &[u32] {
        let position = position as usize;
        let list = &self.successors[position / PART][self.starts[position] as usize..];
        &list[..usize::from(self.counts[position])]
    }

    /// The same moves listed under the positions they lead to.
    fn predecessors(&self) -> Predecessors {
        let mut starts = vec![0u32; self.counts.len() + 1];
        for &successor in self.successors.iter().flatten() {
            starts[successor as usize + 1] += 1;
        }
        for position in 1..starts.len() {
            starts[position] += starts[position - 1];
        }
        let mut predecessors = vec![0; starts[self.counts.len()] as usize];
        for position in 0..self.counts.len() as u32 {
            for &successor in self.successors(position) {
                let next = &mut starts[successor as usize];
                predecessors[*next as usize] = position;
                *next += 1;
            }
        }
        // Every start has moved to the end of its list.
        starts.pop();
        Predecessors {
            ends: starts,
            lists: predecessors,
        }
    }

    /// Whether all moves of a position lose and the longest takes `n` plies.
    fn is_lost_at(&self, position: u32, n: Score, metric: usize, values: &[Score]) -> bool {
        let mut best = self.fixed[metric][position as usize];
        if best > n - MATE {
            return false;
        }
        for &successor in self.successors(position) {
            let value = values[successor as usize];
            if value == OPEN || value < DRAW {
                return false;
            }
            best = best.max(before_quiet_move(value));
        }
        best == n - MATE
    }

    fn solve(&self, metric: usize, predecessors: &Predecessors) -> Vec<Score> {
        let fixed = &self.fixed[metric];
        let mut values: Vec<Score> = fixed
            .iter()
            .map(|&score| if score == HOLE { HOLE } else { OPEN })
            .collect();
        let mut due: BTreeMap<Score, Vec<u32>> = BTreeMap::new();
        for (position, &score) in fixed.iter().enumerate() {
            if ![HOLE, OPEN, DRAW].contains(&score) {
                due.entry(distance(score))
                    .or_default()
                    .push(position as u32);
            }
        }
        // Quiet moves that are not known to lose: a position that has one is not looked at.
        let mut others = self.counts.clone();
        let mut last: Vec<u32> = Vec::new();
        for n in 0.. {
            let mut decided = Vec::new();
            let mut perhaps_lost = Vec::new();
            for position in due.remove(&n).unwrap_or_default() {
                if fixed[position as usize] > DRAW {
                    decided.push((position, MATE - n));
                } else {
                    perhaps_lost.push(position);
                }
            }
            for &successor in &last {
                let before_it = predecessors.of(successor);
                if values[successor as usize] < DRAW {
                    decided.extend(before_it.iter().map(|&position| (position, MATE - n)));
                } else {
                    for &position in before_it {
                        others[position as usize] -= 1;
                        if others[position as usize] == 0 {
                            perhaps_lost.push(position);
                        }
                    }
                }
            }
            perhaps_lost.retain(|&position| {
                others[position as usize] == 0
                    && values[position as usize] == OPEN
                    && self.is_lost_at(position, n, metric, &values)
            });
            decided.extend(perhaps_lost.iter().map(|&position| (position, n - MATE)));
            last.clear();
            for (position, value) in decided {
                if values[position as usize] == OPEN {
                    values[position as usize] = value;
                    last.push(position);
                }
            }
            if last.is_empty() && due.is_empty() {
                break;
            }
        }
        for value in &mut values {
            if *value == OPEN {
                *value = DRAW;
            }
        }
        values
    }
}

/// The positions from which quiet moves lead to each, one list after the other.
struct Predecessors {
    /// Where the list of each position ends.
    ends: Vec<u32>,
    lists: Vec<u32>,
}

impl Predecessors {
    fn of(&self, position: u32) -> &[u32] {
        let position = position as usize;
        let start = match position {
            0 => 0,
            _ => self.ends[position - 1],
        };
        &self.lists[start as usize..self.ends[position] as usize]
    }
}

/// All values of a material when a draw can be claimed after `limit` plies without a zeroing move.
pub fn solve(material: Material, tables: &HashMap<Material, Table>, limit: Score) -> Table {
    let numbering = Numbering::new(&material);
    let scores = [0, 1].map(|_| vec![HOLE; numbering.len()]);
    let groups = numbering.groups();
    let mut table = Table { numbering, scores };
    for equally_far in groups.chunk_by(|a, b| a.0 == b.0) {
        let known = Known {
            tables,
            current: (material, &table),
            limit,
        };
        let solved: Vec<_> = equally_far
            .par_iter()
            .map(|(_, group)| {
                let graph = Graph::new(&table.numbering, group.clone(), &known);
                let predecessors = graph.predecessors();
                [0, 1].map(|metric| graph.solve(metric, &predecessors))
            })
            .collect();
        for ((_, group), values) in equally_far.iter().zip(solved) {
            let group = group.start as usize..group.end as usize;
            for (all, values) in table.scores.iter_mut().zip(values) {
                all[group.clone()].copy_from_slice(&values);
            }
        }
    }
    table
}
