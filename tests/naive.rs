//! An independent solver, slow and plain, against which every value of the real one is checked.
//!
//! It knows squares of men, the slow move generator and nothing else: no bitsets, no sweeps, no unmoves. Every
//! position, one out of its mirror images, is a number; its quiet moves are listed once; what its captures and pawn
//! moves lead to is looked up among the materials and pawn placements solved before. A position is decided at
//! distance `n`, for `n` = 0, 1, 2, …, from the values of its successors alone, and looked at again only when one
//! of them was decided at distance `n - 1`. What is never decided is a draw.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::game::chess::{Move, Position, Role, Setup, squares};
use retrograde::index::Placement;
use retrograde::material::Material;
use retrograde::metric::{Dtm, Wdl};

use crate::solved::{self, Value};

/// A result for the side to move, the better the larger: `MATE - d` for a win in `d` plies, `d - MATE` for a
/// loss in `d` plies, zero for a draw. What a ply counts from is the metric's business.
type Score = i16;
const MATE: Score = 1000;
const DRAW: Score = 0;
/// Not decided yet; worse than everything, so that it is also the best of no moves.
const OPEN: Score = -MATE - 1;
/// Not a position, or not the one of its mirror images that is kept.
const HOLE: Score = MATE + 1;

/// Distance to zeroing and distance to mate.
type Scores = [Score; 2];

fn distance(score: Score) -> Score {
    MATE - score.abs()
}

/// One ply earlier, the other side to move.
fn before_quiet_move(score: Score) -> Score {
    -score + (score > 0) as Score - (score < 0) as Score
}

/// The same for distance to zeroing and a move that starts the count anew: only the result counts, and if the
/// fifty-move rule spoils it the count starts at 101.
fn before_zeroing_move(score: Score) -> Score {
    let plies = if distance(score) <= 100 { 1 } else { 101 };
    -score.signum() * (MATE - plies)
}

fn before(m: Move, [dtz, dtm]: Scores) -> Scores {
    let dtz = if m.is_zeroing() {
        before_zeroing_move(dtz)
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

/// One of the eight ways to turn or mirror the board.
fn image(number: u8, square: u8) -> u8 {
    let mirrored = square ^ ((number & 1) * 7) ^ ((number >> 1 & 1) * 56);
    if number & 4 == 0 {
        mirrored
    } else {
        mirrored >> 3 | (mirrored & 7) << 3
    }
}

/// Numbers for the positions of a material: the squares of its men, pawns first and kings next, are the digits,
/// and of all mirror images the one with the smallest squares is kept.
struct Numbering {
    men: Vec<(Color, Role)>,
    /// Where the first man stands in the images that are kept.
    firsts: Vec<u8>,
    /// For each square of the first man, the images that bring him to his smallest square, and its place in `firsts`.
    turns: Vec<(Vec<u8>, u32)>,
    images: [[u8; 64]; 8],
}

impl Numbering {
    fn new(material: &Material) -> Numbering {
        let mut men: Vec<(Color, Role)> = Color::ALL
            .into_iter()
            .flat_map(|color| {
                material
                    .side(color)
                    .into_iter()
                    .map(move |role| (color, role))
            })
            .collect();
        men.sort_by_key(|&(_, role)| (role != Role::Pawn, role != Role::King));
        let images: [[u8; 64]; 8] =
            std::array::from_fn(|number| std::array::from_fn(|s| image(number as u8, s as u8)));
        let allowed = if material.has_pawns() { 2 } else { 8 };
        let smallest = |s: usize| images[..allowed].iter().map(|image| image[s]).min();
        let mut firsts: Vec<u8> = (0..64).filter_map(smallest).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let turns = (0..64)
            .map(|s| {
                let best = smallest(s).expect("there is an image");
                let turns = (0..allowed as u8).filter(|&n| image(n, s as u8) == best);
                let place = firsts.iter().position(|&first| first == best);
                (turns.collect(), place.expect("listed") as u32)
            })
            .collect();
        Numbering {
            men,
            firsts,
            turns,
            images,
        }
    }

    fn len(&self) -> usize {
        self.firsts.len() << (6 * (self.men.len() - 1) + 1)
    }

    fn number(&self, squares: &[u8], turn: Color) -> u32 {
        let (turns, first) = &self.turns[usize::from(squares[0])];
        let smallest = turns
            .iter()
            .map(|&turn| {
                squares[1..].iter().fold(*first, |number, &square| {
                    number << 6 | u32::from(self.images[usize::from(turn)][usize::from(square)])
                })
            })
            .min();
        smallest.expect("there is an image") << 1 | turn.index() as u32
    }

    fn squares(&self, number: u32) -> ([u8; 4], Color) {
        let mut squares = [0; 4];
        let mut rest = number >> 1;
        for square in squares[1..self.men.len()].iter_mut().rev() {
            *square = (rest & 63) as u8;
            rest >>= 6;
        }
        squares[0] = self.firsts[rest as usize];
        (squares, Color::ALL[number as usize & 1])
    }

    fn placement(&self, squares: &[u8]) -> Placement {
        let mut placement = Placement::default();
        for (&(color, role), &square) in self.men.iter().zip(squares) {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        placement
    }

    /// The legal position of a number; nothing for a hole.
    fn position(&self, number: u32) -> Option<(Position, [u8; 4])> {
        let (squares, turn) = self.squares(number);
        let men = &squares[..self.men.len()];
        let setup = Setup {
            pieces: self.placement(men).men,
            turn,
            ..Setup::empty()
        };
        let kept =
            setup.occupied().count_ones() as usize == men.len() && self.number(men, turn) == number;
        let position = kept.then(|| Position::from_setup(&setup).ok()).flatten()?;
        Some((position, squares))
    }

    /// The numbers with the same pawns, those nearest to promotion first: quiet moves stay among them.
    fn groups(&self) -> Vec<(u32, std::ops::Range<u32>)> {
        let pawns = self.men.iter().filter(|man| man.1 == Role::Pawn).count();
        let size = if pawns == 0 {
            self.len()
        } else {
            2 << (6 * (self.men.len() - pawns))
        } as u32;
        let mut groups: Vec<_> = (0..self.len() as u32 / size)
            .map(|group| {
                let (squares, _) = self.squares(group * size);
                let steps = self.men[..pawns].iter().zip(squares);
                let steps = steps.map(|(man, square)| match man.0 {
                    Color::White => 7 - u32::from(square >> 3),
                    Color::Black => u32::from(square >> 3),
                });
                (steps.sum(), group * size..(group + 1) * size)
            })
            .collect();
        groups.sort_by_key(|&(steps, _)| steps);
        groups
    }
}

/// All values of a material.
struct Table {
    numbering: Numbering,
    scores: [Vec<Score>; 2],
}

/// What is solved so far: other materials, and the pawn placements of this one that are nearer to promotion.
struct Known<'a> {
    tables: &'a HashMap<Material, Table>,
    current: (Material, &'a Table),
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
                .map(|&m| before(m, self.scores(&position.play(m))));
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
        for (square, &(color, role)) in at.iter_mut().zip(&table.numbering.men) {
            let color = if exchanged { !color } else { color };
            *square = position.pieces(color, role).trailing_zeros() as u8;
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
    /// For each metric and position; `OPEN` if there is no such move, `HOLE` if this is no position.
    fixed: [Vec<Score>; 2],
    /// How many quiet moves each position has; after [`Graph::joined`], where its list ends.
    ends: Vec<u32>,
    successors: Vec<u32>,
}

impl Graph {
    fn new(numbering: &Numbering, group: std::ops::Range<u32>, known: &Known<'_>) -> Graph {
        let base = group.start;
        let numbers: Vec<u32> = group.collect();
        let parts: Vec<Graph> = numbers
            .par_chunks(1 << 14)
            .map(|numbers| {
                let mut part = Graph::default();
                for &number in numbers {
                    part.add(numbering, number, base, known);
                }
                part
            })
            .collect();
        Graph::joined(parts)
    }

    fn add(&mut self, numbering: &Numbering, number: u32, base: u32, known: &Known<'_>) {
        let mut fixed = [HOLE; 2];
        let before_this = self.successors.len();
        if let Some((position, at)) = numbering.position(number) {
            fixed = [OPEN; 2];
            let moves = position.legal_moves();
            for &m in moves.as_slice() {
                if m.is_zeroing() {
                    let after = known.scores(&position.play(m));
                    fixed = better(fixed, before(m, after));
                } else {
                    let to = m.to().index() as u8;
                    let from = m.from().index() as u8;
                    let at = at.map(|square| if square == from { to } else { square });
                    let next = numbering.number(&at[..numbering.men.len()], !position.turn());
                    self.successors.push(next - base);
                }
            }
            if moves.as_slice().is_empty() {
                fixed = without_moves(&position);
            }
        }
        self.fixed[0].push(fixed[0]);
        self.fixed[1].push(fixed[1]);
        self.ends.push((self.successors.len() - before_this) as u32);
    }

    fn joined(parts: Vec<Graph>) -> Graph {
        let mut all = Graph::default();
        all.successors
            .reserve_exact(parts.iter().map(|part| part.successors.len()).sum());
        let mut end = 0;
        for part in parts {
            all.fixed[0].extend(part.fixed[0].iter());
            all.fixed[1].extend(part.fixed[1].iter());
            all.successors.extend(part.successors.iter());
            all.ends.extend(part.ends.iter().map(|count| {
                end += count;
                end
            }));
        }
        all
    }

    fn list<'a>(ends: &[u32], lists: &'a [u32], position: u32) -> &'a [u32] {
        let position = position as usize;
        let start = if position == 0 { 0 } else { ends[position - 1] };
        &lists[start as usize..ends[position] as usize]
    }

    fn successors(&self, position: u32) -> &[u32] {
        Graph::list(&self.ends, &self.successors, position)
    }

    /// The same moves listed under the positions they lead to.
    fn predecessors(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.ends.len() + 1];
        for &successor in &self.successors {
            starts[successor as usize + 1] += 1;
        }
        for position in 1..starts.len() {
            starts[position] += starts[position - 1];
        }
        let mut predecessors = vec![0; self.successors.len()];
        for position in 0..self.ends.len() as u32 {
            for &successor in self.successors(position) {
                let next = &mut starts[successor as usize];
                predecessors[*next as usize] = position;
                *next += 1;
            }
        }
        // Every start has moved to the end of its list.
        starts.pop();
        (starts, predecessors)
    }

    /// The value of a position if its distance is `n` and everything nearer is decided.
    fn value_at(&self, position: u32, n: Score, metric: usize, values: &[Score]) -> Option<Score> {
        let mut best = self.fixed[metric][position as usize];
        let mut open = false;
        for &successor in self.successors(position) {
            match values[successor as usize] {
                OPEN => open = true,
                value => best = best.max(before_quiet_move(value)),
            }
        }
        let decided = best > DRAW || (best < DRAW && !open);
        (decided && distance(best) == n).then_some(best)
    }

    fn solve(&self, metric: usize, predecessors: &(Vec<u32>, Vec<u32>)) -> Vec<Score> {
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
        let mut last: Vec<u32> = Vec::new();
        for n in 0.. {
            let mut candidates = due.remove(&n).unwrap_or_default();
            for &decided in &last {
                candidates.extend(Graph::list(&predecessors.0, &predecessors.1, decided));
            }
            last.clear();
            for position in candidates {
                if values[position as usize] == OPEN
                    && let Some(value) = self.value_at(position, n, metric, &values)
                {
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

fn solve(material: Material, tables: &HashMap<Material, Table>) -> Table {
    let numbering = Numbering::new(&material);
    let scores = [0, 1].map(|_| vec![OPEN; numbering.len()]);
    let groups = numbering.groups();
    let mut table = Table { numbering, scores };
    for equally_far in groups.chunk_by(|a, b| a.0 == b.0) {
        let known = Known {
            tables,
            current: (material, &table),
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

/// The materials asked for and all that their moves lead to.
fn tables() -> &'static HashMap<Material, Table> {
    static TABLES: OnceLock<HashMap<Material, Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let parse = |signature: &str| signature.parse::<Material>().unwrap();
        let mut open = ["KPvKP", "KQvKR", "KBNvK"].map(parse).to_vec();
        let mut wanted = Material::all_with_men(3);
        while let Some(material) = open.pop() {
            if !wanted.contains(&material) {
                wanted.push(material);
                open.extend(material.dependencies());
            }
        }
        wanted.sort_by_key(|material| (material.men(), material.pawns()));
        let mut tables = HashMap::new();
        for material in wanted {
            let start = std::time::Instant::now();
            let table = solve(material, &tables);
            eprintln!("naive {material}: {:.1?}", start.elapsed());
            tables.insert(material, table);
        }
        tables
    })
}

fn expected([dtz, dtm]: Scores) -> Option<Value> {
    if dtz == HOLE {
        return None;
    }
    let real = distance(dtz) <= 100;
    let wdl = match (dtz.signum(), real) {
        (1, true) => Wdl::Win,
        (1, false) => Wdl::CursedWin,
        (-1, true) => Wdl::Loss,
        (-1, false) => Wdl::BlessedLoss,
        _ => Wdl::Draw,
    };
    Some(Value {
        wdl,
        dtz: if dtz == DRAW { 0 } else { distance(dtz) as u8 },
        dtm: (dtm != DRAW).then(|| Dtm(i32::from(dtm.signum() * distance(dtm)))),
    })
}

/// Compares every position and says how many there were.
fn assert_agreement(material: Material) -> u64 {
    let table = &tables()[&material];
    let solved = &solved::all()[&material];
    (0..table.numbering.len() as u32)
        .into_par_iter()
        .map(|number| {
            let (at, turn) = table.numbering.squares(number);
            let men = &at[..table.numbering.men.len()];
            let placement = table.numbering.placement(men);
            let distinct = placement.occupied().count_ones() as usize == men.len();
            let on_board = squares(
                placement.of(Color::White, Role::Pawn) | placement.of(Color::Black, Role::Pawn),
            )
            .all(|pawn| (1..7).contains(&pawn.rank()));
            if !distinct || !on_board || table.numbering.number(men, turn) != number {
                return 0;
            }
            let naive = table
                .scores
                .each_ref()
                .map(|scores| scores[number as usize]);
            let ours = solved::value(solved, turn, &placement);
            assert_eq!(ours, expected(naive), "{}", solved::fen(turn, &placement));
            u64::from(ours.is_some())
        })
        .sum()
}

fn assert_all_agree(materials: impl IntoIterator<Item = Material>) {
    for material in materials {
        let compared = assert_agreement(material);
        eprintln!("{material}: {compared} positions agree with the naive solver");
        assert!(compared > 20_000);
    }
}

#[test]
fn every_position_of_three_men_agrees_with_the_naive_solver() {
    assert_all_agree(Material::all_with_men(3));
}

#[test]
fn every_position_of_queen_against_rook_agrees_with_the_naive_solver() {
    assert_all_agree(["KQvKR".parse().unwrap()]);
}

#[test]
fn every_position_of_bishop_and_knight_agrees_with_the_naive_solver() {
    assert_all_agree(["KBNvK".parse().unwrap()]);
}

#[test]
fn every_position_of_pawn_against_pawn_and_what_it_leads_to_agrees_with_the_naive_solver() {
    let pawns: Material = "KPvKP".parse().unwrap();
    let one_each =
        |material: &&Material| material.men() == 4 && material.side(Color::White).len() == 2;
    let mut led_to: Vec<Material> = tables().keys().filter(one_each).copied().collect();
    assert!(led_to.contains(&pawns));
    assert_eq!(led_to.len(), 15);
    led_to.sort_by_key(|material| material.pawns());
    assert_all_agree(led_to);
}
