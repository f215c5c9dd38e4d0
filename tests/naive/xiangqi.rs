//! The same for xiangqi: boards are arrays of letters, moves are made and looked at, every position
//! of the full board is there, and both sets of rules are iterated as they are written down.

use std::collections::HashMap;

use retrograde::metric::{MateScore, Wdl};
use retrograde::xiangqi::Role;
use retrograde::xiangqi::solve::{Solved, Targets};
use retrograde::xiangqi::{Material, Rules};

use super::xiangqi_statistics;
use crate::xiangqi::solve_into;

/// A win in n plies is `MATE - n`, a loss in n plies `n - MATE`.
pub(super) const MATE: i16 = 10_000;
pub(super) const DRAW: i16 = 0;
pub(super) const HOLE: i16 = i16::MIN;

/// The score before a move to a position of this score.
fn before(score: i16) -> i16 {
    score.signum() - score
}

/// A man and where he stands: upper case for red; file, rank.
type Man = (char, [i8; 2]);

const STRAIGHT: [[i8; 2]; 4] = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const OBLIQUE: [[i8; 2]; 4] = [[1, 1], [-1, 1], [1, -1], [-1, -1]];

fn is_red(letter: char) -> bool {
    letter.is_ascii_uppercase()
}

/// Ranks from that side's own end.
fn own_rank(red: bool, rank: i8) -> i8 {
    if red { rank } else { 9 - rank }
}

fn on_board([file, rank]: [i8; 2]) -> bool {
    (0..9).contains(&file) && (0..10).contains(&rank)
}

/// Where such a man can ever stand.
fn is_home(letter: char, [file, rank]: [i8; 2]) -> bool {
    let own = own_rank(is_red(letter), rank);
    match letter.to_ascii_uppercase() {
        'K' => (3..6).contains(&file) && own < 3,
        'A' => (3..6).contains(&file) && own < 3 && (file + own) % 2 == 1,
        'B' => [[2, 0], [6, 0], [0, 2], [4, 2], [8, 2], [2, 4], [6, 4]].contains(&[file, own]),
        'P' => own > 4 || (own > 2 && file % 2 == 0),
        _ => true,
    }
}

#[derive(Clone)]
pub(super) struct Board {
    men: Vec<Man>,
    squares: [[char; 10]; 9],
}

impl Board {
    pub(super) fn new(men: &[Man]) -> Option<Board> {
        let mut squares = [['.'; 10]; 9];
        for &(letter, [file, rank]) in men {
            let square = &mut squares[file as usize][rank as usize];
            if *square != '.' {
                return None;
            }
            *square = letter;
        }
        Some(Board {
            men: men.to_vec(),
            squares,
        })
    }

    fn at(&self, square: [i8; 2]) -> Option<char> {
        on_board(square).then(|| self.squares[square[0] as usize][square[1] as usize])
    }

    fn is_empty(&self, square: [i8; 2]) -> bool {
        self.at(square) == Some('.')
    }

    /// Where a man can go if nobody minds check.
    fn targets(&self, (letter, from): Man) -> Vec<[i8; 2]> {
        let red = is_red(letter);
        let step = |[file, rank]: [i8; 2]| [from[0] + file, from[1] + rank];
        let twice = |[file, rank]: [i8; 2]| [from[0] + 2 * file, from[1] + 2 * rank];
        let mut targets: Vec<[i8; 2]> = match letter.to_ascii_uppercase() {
            'K' => STRAIGHT.map(step).to_vec(),
            'A' => OBLIQUE.map(step).to_vec(),
            'B' => (OBLIQUE.into_iter())
                .filter(|&eye| self.is_empty(step(eye)))
                .map(twice)
                .collect(),
            'N' => (STRAIGHT.into_iter())
                .filter(|&leg| self.is_empty(step(leg)))
                .flat_map(|[f, r]| [[2 * f + r, 2 * r + f], [2 * f - r, 2 * r - f]])
                .map(step)
                .collect(),
            'P' => {
                let ahead = [0, if red { 1 } else { -1 }];
                let mut targets = vec![step(ahead)];
                if own_rank(red, from[1]) > 4 {
                    targets.extend([step([1, 0]), step([-1, 0])]);
                }
                targets
            }
            line => {
                let screens = usize::from(line == 'C');
                let mut targets = Vec::new();
                for [file, rank] in STRAIGHT {
                    let mut passed = 0;
                    for n in 1.. {
                        let to = step([n * file, n * rank]);
                        let Some(there) = self.at(to) else {
                            break;
                        };
                        if there == '.' && passed == 0 || there != '.' && passed == screens {
                            targets.push(to);
                        }
                        passed += usize::from(there != '.');
                    }
                }
                targets
            }
        };
        targets.retain(|&to| {
            on_board(to)
                && is_home(letter, to)
                && self
                    .at(to)
                    .is_some_and(|there| there == '.' || is_red(there) != red)
        });
        targets
    }

    fn king(&self, red: bool) -> [i8; 2] {
        let king = if red { 'K' } else { 'k' };
        self.men.iter().find(|man| man.0 == king).unwrap().1
    }

    pub(super) fn is_attacked(&self, red: bool) -> bool {
        let king = self.king(red);
        let enemies = self.men.iter().filter(|man| is_red(man.0) != red);
        enemies
            .into_iter()
            .any(|&man| self.targets(man).contains(&king))
    }

    fn kings_face(&self) -> bool {
        let [one, other] = [self.king(true), self.king(false)];
        one[0] == other[0] && (one[1] + 1..other[1]).all(|rank| self.is_empty([one[0], rank]))
    }

    /// With that side to move.
    fn is_legal(&self, red: bool) -> bool {
        !self.kings_face() && !self.is_attacked(!red)
    }

    fn after(&self, number: usize, to: [i8; 2]) -> Board {
        let mut men = self.men.clone();
        men[number].1 = to;
        let taken = (0..men.len()).find(|&other| other != number && men[other].1 == to);
        if let Some(taken) = taken {
            men.remove(taken);
        }
        Board::new(&men).unwrap()
    }
}

/// The letters of a signature such as `KRvKN`.
fn letters(signature: &str) -> Vec<char> {
    let (red, black) = signature.split_once('v').unwrap();
    red.chars()
        .chain(black.chars().map(|letter| letter.to_ascii_lowercase()))
        .collect()
}

/// All positions of the full board as numbers, and their values: distance to conversion, distance
/// to mate, and the result under the rule of perpetual check if asked for.
pub(super) struct Table {
    letters: Vec<char>,
    domains: Vec<Vec<[i8; 2]>>,
    pub(super) conversion: Vec<i16>,
    pub(super) mate: Vec<i16>,
    /// Decided by the rule only.
    ruled: HashMap<usize, i16>,
}

impl Table {
    fn empty(letters: Vec<char>) -> Table {
        let domains = letters
            .iter()
            .map(|&letter| {
                (0..9)
                    .flat_map(|file| (0..10).map(move |rank| [file, rank]))
                    .filter(|&square| is_home(letter, square))
                    .collect()
            })
            .collect();
        Table {
            letters,
            domains,
            conversion: Vec::new(),
            mate: Vec::new(),
            ruled: HashMap::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        2 * self.domains.iter().map(Vec::len).product::<usize>()
    }

    /// The men of a number and whether red is to move.
    pub(super) fn men(&self, number: usize) -> (Vec<Man>, bool) {
        let mut rest = number / 2;
        let mut men = Vec::new();
        for (&letter, domain) in self.letters.iter().zip(&self.domains) {
            men.push((letter, domain[rest % domain.len()]));
            rest /= domain.len();
        }
        (men, number.is_multiple_of(2))
    }

    /// The number of a position; men in the order of the letters, those of a kind in any.
    fn number(&self, men: &[Man], red: bool) -> usize {
        let mut left = men.to_vec();
        let mut number = 0;
        let mut radix = 1;
        for (&letter, domain) in self.letters.iter().zip(&self.domains) {
            let man = left.iter().position(|man| man.0 == letter).unwrap();
            let (_, square) = left.remove(man);
            number += radix * domain.iter().position(|&other| other == square).unwrap();
            radix *= domain.len();
        }
        2 * number + usize::from(!red)
    }

    /// In how many orders men of a kind stand on their squares.
    pub(super) fn orders_of_identical(&self) -> u64 {
        let same = self.letters.chunk_by(|a, b| a == b);
        same.map(|same| (1..=same.len() as u64).product::<u64>())
            .product()
    }

    pub(super) fn result(&self, number: usize) -> i16 {
        let score = self.conversion[number].signum();
        score + self.ruled.get(&number).copied().unwrap_or(0)
    }
}

/// A legal move: where it leads, or what it is worth if it captures.
enum Move {
    Quiet { to: usize, check: bool },
    Capture { conversion: i16, mate: i16 },
}

fn is_attacker(letter: char) -> bool {
    "RNCP".contains(letter.to_ascii_uppercase())
}

fn moves(table: &Table, smaller: &HashMap<String, Table>, number: usize) -> Option<Vec<Move>> {
    let (men, red) = table.men(number);
    let board = Board::new(&men).filter(|board| board.is_legal(red))?;
    let mut moves = Vec::new();
    for (moving, &man) in men.iter().enumerate() {
        if is_red(man.0) != red {
            continue;
        }
        for to in board.targets(man) {
            let next = board.after(moving, to);
            if !next.is_legal(!red) {
                continue;
            }
            if next.men.len() == men.len() {
                moves.push(Move::Quiet {
                    to: table.number(&next.men, !red),
                    check: next.is_attacked(!red),
                });
            } else if next.men.iter().any(|man| is_attacker(man.0)) {
                let name: String = next.men.iter().map(|man| man.0).collect();
                let target = &smaller[&name];
                let there = target.number(&next.men, !red);
                moves.push(Move::Capture {
                    conversion: -target.result(there) * (MATE - 1),
                    mate: before(target.mate[there]),
                });
            } else {
                moves.push(Move::Capture {
                    conversion: DRAW,
                    mate: DRAW,
                });
            }
        }
    }
    Some(moves)
}

/// Plies are tried one after the other; a position is decided when its moves say so.
fn iterate(moves: &[Option<Vec<Move>>], capture: impl Fn(&Move) -> i16) -> Vec<i16> {
    let mut scores: Vec<i16> = (moves.iter())
        .map(|moves| if moves.is_some() { DRAW } else { HOLE })
        .collect();
    let mut open: Vec<usize> = (0..moves.len()).filter(|&n| moves[n].is_some()).collect();
    let longest = (moves.iter().flatten().flatten())
        .map(&capture)
        .filter(|&score| score != DRAW)
        .map(|score| MATE - score.abs())
        .max()
        .unwrap_or(0);
    for n in 0.. {
        let mut decided = Vec::new();
        open.retain(|&number| {
            let mut best = -MATE;
            let mut unknown = false;
            for m in moves[number].as_ref().unwrap() {
                let score = match m {
                    Move::Quiet { to, .. } => {
                        unknown |= scores[*to] == DRAW;
                        before(scores[*to])
                    }
                    Move::Capture { .. } => {
                        let score = capture(m);
                        unknown |= score == DRAW;
                        score
                    }
                };
                best = best.max(score);
            }
            let is_decided = best == MATE - n || !unknown && best == n - MATE;
            if is_decided {
                decided.push((number, best));
            }
            !is_decided
        });
        for &(number, score) in &decided {
            scores[number] = score;
        }
        if decided.is_empty() && n > longest {
            break;
        }
    }
    scores
}

/// The fixed point as it is written down, for one side; `wins` is what it wins so far.
fn perpetual(moves: &[Option<Vec<Move>>], wins: &[bool], red: bool) -> Vec<bool> {
    let open: Vec<usize> = (0..moves.len())
        .filter(|&number| moves[number].is_some() && !wins[number])
        .collect();
    let mut z = wins.to_vec();
    loop {
        let mut y = vec![true; moves.len()];
        loop {
            let mut x = z.clone();
            loop {
                let mut grown = false;
                for &number in open
                    .iter()
                    .filter(|&&number| number.is_multiple_of(2) == red)
                {
                    let good = moves[number].as_ref().unwrap().iter().any(|m| match m {
                        Move::Quiet { to, check } => z[*to] || if *check { x[*to] } else { y[*to] },
                        Move::Capture { conversion, .. } => *conversion > DRAW,
                    });
                    grown |= good && !x[number];
                    x[number] |= good;
                }
                for &number in open
                    .iter()
                    .filter(|&&number| number.is_multiple_of(2) != red)
                {
                    let good = moves[number].as_ref().unwrap().iter().all(|m| match m {
                        Move::Quiet { to, check } => z[*to] || *check && x[*to],
                        Move::Capture { conversion, .. } => *conversion < DRAW,
                    });
                    grown |= good && !x[number];
                    x[number] |= good;
                }
                if !grown {
                    break;
                }
            }
            if x == y {
                break;
            }
            y = x;
        }
        if y == z {
            return z;
        }
        z = y;
    }
}

fn solve_naively(signature: &str, rules: Rules, tables: &mut HashMap<String, Table>) {
    let letters = letters(signature);
    let name: String = letters.iter().collect();
    if tables.contains_key(&name) {
        return;
    }
    // Whatever is taken, the others remain.
    for (taken, letter) in letters.iter().enumerate() {
        let mut rest = letters.clone();
        rest.remove(taken);
        if !letter.eq_ignore_ascii_case(&'K') && rest.iter().any(|&letter| is_attacker(letter)) {
            let black = rest.iter().position(|&letter| letter == 'k').unwrap();
            let [red, black] = [&rest[..black], &rest[black..]].map(String::from_iter);
            solve_naively(
                &format!("{red}v{}", black.to_ascii_uppercase()),
                rules,
                tables,
            );
        }
    }
    let mut table = Table::empty(letters);
    let moves: Vec<Option<Vec<Move>>> = (0..table.len())
        .map(|number| moves(&table, tables, number))
        .collect();
    table.conversion = iterate(&moves, |m| match m {
        Move::Capture { conversion, .. } => *conversion,
        Move::Quiet { .. } => DRAW,
    });
    table.mate = iterate(&moves, |m| match m {
        Move::Capture { mate, .. } => *mate,
        Move::Quiet { .. } => DRAW,
    });
    if rules == Rules::PerpetualCheck {
        for red in [true, false] {
            let sign = |number: usize| {
                if number.is_multiple_of(2) == red {
                    1
                } else {
                    -1
                }
            };
            let wins: Vec<bool> = (0..table.len())
                .map(|number| {
                    moves[number].is_some() && table.conversion[number].signum() == sign(number)
                })
                .collect();
            for (number, won) in perpetual(&moves, &wins, red).into_iter().enumerate() {
                if won && !wins[number] {
                    table.ruled.insert(number, sign(number));
                }
            }
        }
    }
    tables.insert(name, table);
}

pub(super) fn pieces(men: &[Man]) -> [[u128; 7]; 2] {
    let mut pieces = [[0; 7]; 2];
    for &(letter, [file, rank]) in men {
        let role = Role::from_letter(letter).unwrap();
        pieces[usize::from(!is_red(letter))][role.index()] |= 1u128 << (10 * file + rank);
    }
    pieces
}

/// Compares every position; returns how many the rule decides.
fn compare(table: &Table, solved: &Solved, rules: Rules) -> usize {
    let mut ruled = 0;
    for number in 0..table.len() {
        let (men, red) = table.men(number);
        let context = || format!("{men:?} red {red} {rules}");
        let pieces = pieces(&men);
        let found = solved.space.find(&pieces);
        let values = &solved.sides[usize::from(!red)];
        let wdl = found.and_then(|(address, bit)| values.wdl(address, bit));
        if table.conversion[number] == HOLE {
            // Men on one square: a set holds one of them only.
            let distinct = pieces.as_flattened().iter().fold(0, |all, set| all | set);
            if distinct.count_ones() as usize == men.len() {
                assert_eq!(wdl, None, "{}", context());
            }
            continue;
        }
        let expected = match table.result(number) {
            1 => Wdl::Win,
            -1 => Wdl::Loss,
            _ => Wdl::Draw,
        };
        assert_eq!(wdl, Some(expected), "{}", context());
        let (address, bit) = found.unwrap();
        let at = address * 128 + bit as usize;
        let round = values.rounds.get(at).copied().unwrap_or(0);
        if table.ruled.contains_key(&number) {
            ruled += 1;
            assert!(round > 0 && values.dtc[at] > 0, "{}", context());
            continue;
        }
        assert_eq!(round, 0, "{}", context());
        let plies = |score: i16| if score == DRAW { 0 } else { MATE - score.abs() };
        assert_eq!(
            i16::from(values.dtc[at]),
            plies(table.conversion[number]),
            "{}",
            context()
        );
        if rules == Rules::CyclesDraw {
            let mate = MateScore(values.dtm[at]).dtm().map(|dtm| dtm.0);
            let expected = table.mate[number];
            let signed = i32::from(expected.signum()) * i32::from(plies(expected));
            assert_eq!(mate, (expected != DRAW).then_some(signed), "{}", context());
        }
    }
    ruled
}

fn check(signature: &str, rules: Rules) -> usize {
    let mut tables = HashMap::new();
    solve_naively(signature, rules, &mut tables);
    let material: Material = signature.parse().unwrap();
    let mut targets = Targets::new();
    let solved = solve_into(material, rules, &mut targets);
    let name: String = letters(signature).iter().collect();
    xiangqi_statistics::check(&tables[&name], &solved, material, rules);
    compare(&tables[&name], &solved, rules)
}

#[test]
fn every_position_of_a_rook_against_a_bare_king() {
    assert_eq!(check("KRvK", Rules::CyclesDraw), 0);
}

#[test]
fn every_position_of_a_knight_against_an_advisor() {
    assert_eq!(check("KNvKA", Rules::CyclesDraw), 0);
    assert_eq!(check("KNvKA", Rules::PerpetualCheck), 0);
}

#[test]
fn every_position_of_a_pawn_against_an_elephant() {
    assert_eq!(check("KPvKB", Rules::CyclesDraw), 0);
}

#[test]
fn every_position_of_a_cannon_with_an_advisor() {
    assert_eq!(check("KCAvK", Rules::CyclesDraw), 0);
}

#[test]
fn every_position_of_a_rook_against_a_knight() {
    assert_eq!(check("KRvKN", Rules::CyclesDraw), 0);
    // Red wins 624 more and black loses 2570 more, by the published counts.
    assert_eq!(check("KRvKN", Rules::PerpetualCheck), 624 + 2570);
}

/// Men of a kind, which statistics do not tell apart.
#[test]
fn every_position_of_two_pawns_of_one_side() {
    assert_eq!(check("KPPvK", Rules::CyclesDraw), 0);
}

#[test]
fn every_position_of_two_pawns() {
    assert_eq!(check("KPvKP", Rules::CyclesDraw), 0);
    check("KPvKP", Rules::PerpetualCheck);
}
