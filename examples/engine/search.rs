//! Alpha-beta with iterative deepening, quiescence and tables.
//!
//! Tables are asked at two places, and in two ways.
//!
//! **Inside the search** for the result alone, `probe_wdl`: it says what comes out under the
//! fifty-move rule if the clock stands at zero. So it is asked where the clock does stand at zero,
//! right after a capture or a pawn move; all positions of so few men that can be reached otherwise
//! are below such a one. It is not asked in the quiescence search, whose many positions are not
//! worth it, nor where a side may still castle.
//!
//! **At the root** for all moves, `rank_root_moves`: a result alone would let a won game go round
//! in circles. Ranks know the clock and what has been repeated, and only the moves that share the
//! best rank are searched. Where distances to mate are there, nothing is searched at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use retrograde::Tablebase;
use retrograde::chess::{Move, Position, Role};
use retrograde::game::repetition::Line;
use retrograde::metric::{Metric, Wdl};
use retrograde::probe::{CERTAIN, RankOptions, RankedMove};

use super::evaluation::{VALUES, evaluate};
use super::transposition::{Bound, Transpositions};

/// The score of a mated side; a mate some plies later is worth that much less.
pub const MATE: i32 = 32_000;
/// Scores from here on are mates.
pub const MATE_IN_SIGHT: i32 = MATE - MAX_PLY as i32;
/// The score of a win that a table knows of, less the plies until then.
pub const TABLE_WIN: i32 = 20_000;
/// What a table knows of, and mates: scores from here on depend on the ply.
const DECIDED: i32 = TABLE_WIN - MAX_PLY as i32;
/// A win that the fifty-move rule spoils, or a loss: a little better than a draw, as the other side
/// may go wrong.
const CURSED: i32 = 2;

/// Plies that a search goes down, at most.
pub const MAX_PLY: usize = 128;
/// Nodes between two looks at the clock.
const NODES_PER_LOOK: u64 = 1024;
/// Plies of a line that is played by the tables, to be shown.
const SHOWN_LINE: usize = 200;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub depth: usize,
    pub nodes: u64,
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: MAX_PLY - 1,
            nodes: u64::MAX,
            time: None,
        }
    }
}

/// What was found out so far.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub depth: usize,
    /// For the side to move.
    pub score: i32,
    pub nodes: u64,
    /// Answers of tables, those about the root moves included.
    pub table_hits: u64,
    pub time: Duration,
    /// The best line; its first move is the one to play. Empty if there is no move.
    pub line: Vec<Move>,
}

/// Whether the search goes on; nothing is known of where it was stopped.
struct Stopped;

/// One search.
pub struct Search<'a> {
    tables: Option<&'a Tablebase>,
    transpositions: &'a mut Transpositions,
    stop: &'a AtomicBool,
    limits: Limits,
    start: Instant,
    /// The game and the moves that are being tried.
    line: Line<Position>,
    /// Most men of a position that the tables are asked about inside the search.
    probed_men: usize,
    nodes: u64,
    table_hits: u64,
    /// Positions that tables were asked about and knew, if they are wanted.
    pub probed: Option<Vec<Position>>,
    /// Two quiet moves of each ply that were too good for the other side.
    killers: [[Option<Move>; 2]; MAX_PLY],
    /// How often a quiet move was, by role and target.
    history: [[i32; 64]; 6],
    /// The best line from each ply on.
    best_lines: Vec<Vec<Move>>,
}

impl<'a> Search<'a> {
    /// A search of the current position of a game. It ends early when `stop` is set.
    pub fn new(
        game: &Line<Position>,
        tables: Option<&'a Tablebase>,
        transpositions: &'a mut Transpositions,
        limits: Limits,
        stop: &'a AtomicBool,
    ) -> Search<'a> {
        Search {
            tables,
            transpositions,
            stop,
            limits,
            start: Instant::now(),
            line: game.clone(),
            probed_men: tables.map_or(0, Tablebase::max_men),
            nodes: 0,
            table_hits: 0,
            probed: None,
            killers: [[None; 2]; MAX_PLY],
            history: [[0; 64]; 6],
            best_lines: vec![Vec::new(); MAX_PLY + 1],
        }
    }

    /// Searches deeper and deeper and tells `tell` about each depth; returns the last report.
    pub fn run(&mut self, has_repeated: bool, tell: &mut dyn FnMut(&Report)) -> Report {
        let root = *self.line.current();
        let mut moves: Vec<Move> = root.legal_moves().into_iter().collect();
        // Something to play, should the time not suffice for one ply.
        let mut report = Report {
            line: moves.first().copied().into_iter().collect(),
            ..Report::default()
        };
        if moves.is_empty() {
            return report;
        }
        if let Some((best, metric)) = self.ranked(&root, has_repeated) {
            self.table_hits += moves.len() as u64;
            if let Some(by_mate) = self.by_mate(&root, &best) {
                tell(&by_mate);
                return by_mate;
            }
            // The moves left keep the result. What is missing is a way to make something of it, and
            // that tables would answer every position with the same score is no help to find it.
            if metric == Metric::Dtz || best[0].rank > 0 {
                self.probed_men = 0;
            }
            moves = best.iter().map(|ranked| ranked.played).collect();
            report.line.clone_from(&moves[..1].to_vec());
        }
        for depth in 1..=self.limits.depth.min(MAX_PLY - 1) {
            let Ok(score) = self.search_root(&mut moves, depth as i32) else {
                break;
            };
            report = Report {
                depth,
                score,
                line: self.best_lines[0].clone(),
                ..self.report()
            };
            tell(&report);
            // A mate that is found will not be found faster much deeper.
            if score.abs() >= MATE_IN_SIGHT && depth as i32 > MATE - score.abs() {
                break;
            }
        }
        Report {
            depth: report.depth,
            score: report.score,
            line: report.line,
            ..self.report()
        }
    }

    /// The counts as they are now.
    fn report(&self) -> Report {
        Report {
            nodes: self.nodes,
            table_hits: self.table_hits,
            time: self.start.elapsed(),
            ..Report::default()
        }
    }

    /// The root moves of the best rank, if the tables know them all, and what they know them by.
    fn ranked(&self, root: &Position, has_repeated: bool) -> Option<(Vec<RankedMove>, Metric)> {
        let tables = self.tables?;
        if root.occupied().count_ones() as usize > tables.max_men() {
            return None;
        }
        let options = RankOptions {
            has_repeated,
            by_mate: true,
            ..RankOptions::default()
        };
        let ranked = tables.rank_root_moves(root, &options).ok()?;
        Some((ranked.best().to_vec(), ranked.metric))
    }

    /// The shortest mate or the longest defence, where the tables have it.
    fn by_mate(&self, root: &Position, best: &[RankedMove]) -> Option<Report> {
        let first = best[0];
        if first.rank.abs() != CERTAIN {
            return None;
        }
        // Counted from the position after the move; a mated side has 0.
        let plies = first.dtm?.0;
        let score = match plies {
            ..=0 => MATE - (1 - plies),
            _ => -MATE + (1 + plies),
        };
        let after = root.play(first.played);
        let rest = self.tables?.line(&after, SHOWN_LINE);
        let rest = rest.map_or_else(|_| Vec::new(), |line| line.moves);
        let line = std::iter::once(first.played).chain(rest.into_iter().map(|m| m.played));
        Some(Report {
            depth: 1,
            score,
            line: line.collect(),
            ..self.report()
        })
    }

    /// Whether time is up; looks at the clock now and then.
    fn look(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            let is_late = self
                .limits
                .time
                .is_some_and(|time| self.start.elapsed() >= time);
            if is_late || self.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
        }
        if self.nodes > self.limits.nodes {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Searches the root moves and puts the best one first.
    fn search_root(&mut self, moves: &mut [Move], depth: i32) -> Result<i32, Stopped> {
        let mut alpha = -MATE;
        for number in 0..moves.len() {
            let m = moves[number];
            self.line.play(m);
            let score = self.search_after(depth - 1, alpha, MATE, 1, number == 0);
            self.line.pop();
            let score = score?;
            if number == 0 || score > alpha {
                alpha = score;
                self.keep_line(0, m);
                moves[..=number].rotate_right(1);
            }
        }
        Ok(alpha)
    }

    /// The best line from a ply on begins with a move.
    fn keep_line(&mut self, ply: usize, m: Move) {
        let (before, after) = self.best_lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(m);
        before[ply].extend_from_slice(&after[0]);
    }

    /// The score of the move that was just played, for the side that played it. Only the first move
    /// is expected to be good.
    fn search_after(
        &mut self,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        is_first: bool,
    ) -> Result<i32, Stopped> {
        if !is_first {
            let score = -self.search(depth, -alpha - 1, -alpha, ply)?;
            if score <= alpha || score >= beta {
                return Ok(score);
            }
        }
        Ok(-self.search(depth, -beta, -alpha, ply)?)
    }

    /// The score for the side to move if it lies between `alpha` and `beta`; else a bound.
    fn search(
        &mut self,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Result<i32, Stopped> {
        self.best_lines[ply].clear();
        let position = *self.line.current();
        let is_check = position.is_check();
        let depth = if is_check { depth + 1 } else { depth };
        if depth <= 0 || ply >= MAX_PLY - 1 {
            return self.quiescence(&position, alpha, beta, ply);
        }
        self.look()?;
        if position.is_insufficient_material() || self.line.is_repeated(2) {
            return Ok(0);
        }
        if position.halfmoves() >= 100 && (!is_check || position.has_legal_move()) {
            return Ok(0);
        }
        let key = position.key();
        let known = self.transpositions.get(key);
        if let Some(known) = known.filter(|known| known.depth >= depth) {
            let score = from_ply(known.score, ply);
            let is_enough = match known.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if is_enough {
                return Ok(score);
            }
        }
        if let Some(score) = self.probe(&position, ply) {
            // It does not get better by a deeper search.
            let (deepest, score_here) = (MAX_PLY as i32, to_ply(score, ply));
            self.transpositions
                .insert(key, None, score_here, deepest, Bound::Exact);
            return Ok(score);
        }
        let moves = self.ordered(&position, known.and_then(|known| known.best), ply);
        if moves.is_empty() {
            return Ok(if is_check { -MATE + ply as i32 } else { 0 });
        }
        let (mut best, mut best_move, old_alpha) = (-MATE, None, alpha);
        for (number, &m) in moves.iter().enumerate() {
            self.line.play(m);
            let score = self.search_after(depth - 1, alpha, beta, ply + 1, number == 0);
            self.line.pop();
            let score = score?;
            best = best.max(score);
            if score <= alpha {
                continue;
            }
            alpha = score;
            best_move = Some(m);
            self.keep_line(ply, m);
            if score >= beta {
                self.remember_quiet(m, depth, ply);
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > old_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.transpositions
            .insert(key, best_move, to_ply(best, ply), depth, bound);
        Ok(best)
    }

    /// What the tables say, where it is right to ask them.
    fn probe(&mut self, position: &Position, ply: usize) -> Option<i32> {
        let may_ask = position.occupied().count_ones() as usize <= self.probed_men
            && position.halfmoves() == 0
            && position.castling_rights().is_empty();
        if !may_ask {
            return None;
        }
        // A missing table is no reason to stop.
        let wdl = self.tables?.probe_wdl(position).ok()?;
        self.table_hits += 1;
        if let Some(probed) = &mut self.probed {
            probed.push(*position);
        }
        Some(match wdl {
            Wdl::Win => TABLE_WIN - ply as i32,
            Wdl::CursedWin => CURSED,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -CURSED,
            Wdl::Loss => -TABLE_WIN + ply as i32,
        })
    }

    /// The score once captures and promotions are done.
    fn quiescence(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Result<i32, Stopped> {
        self.look()?;
        let mut best = evaluate(position);
        if best >= beta || ply >= MAX_PLY - 1 {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let mut captures: Vec<Move> = position.legal_captures().into_iter().collect();
        captures.sort_by_key(|&m| -gain(m));
        for m in captures {
            let next = position.play(m);
            let score = -self.quiescence(&next, -beta, -alpha, ply + 1)?;
            best = best.max(score);
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        Ok(best)
    }

    /// All legal moves, those that are likely to be good first.
    fn ordered(&self, position: &Position, known: Option<Move>, ply: usize) -> Vec<Move> {
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        moves.sort_by_cached_key(|&m| {
            -if Some(m) == known {
                i32::MAX
            } else if m.changes_material() {
                1_000_000 + gain(m)
            } else if self.killers[ply].contains(&Some(m)) {
                900_000
            } else {
                self.history[m.role().index()][m.to().index()].min(800_000)
            }
        });
        moves
    }

    /// A quiet move that was too good for the other side may be so elsewhere.
    fn remember_quiet(&mut self, m: Move, depth: i32, ply: usize) {
        if m.changes_material() {
            return;
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        self.history[m.role().index()][m.to().index()] += depth * depth;
    }
}

/// What a capture or promotion wins: the greatest man by the least one first.
fn gain(m: Move) -> i32 {
    let value = |role: Option<Role>| role.map_or(0, |role| VALUES[role.index()]);
    16 * (value(m.capture()) + value(m.promotion())) - value(Some(m.role())) / 16
}

/// A score from the root as one from a position some plies below it.
fn to_ply(score: i32, ply: usize) -> i32 {
    match score.abs() >= DECIDED {
        true => score + score.signum() * ply as i32,
        false => score,
    }
}

/// The opposite.
fn from_ply(score: i32, ply: usize) -> i32 {
    match score.abs() >= DECIDED {
        true => score - score.signum() * ply as i32,
        false => score,
    }
}
