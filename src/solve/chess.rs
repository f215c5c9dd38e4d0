//! Chess as the solver sees it: a slice's space, and everything fixed from outside it.
//!
//! The black king is the man in the word. One attack look-up for each piece and *address* then serves all 64 of
//! his squares: he is not part of the occupancy, so x-rays come out right, and where he stands between a slider
//! and its target the square set between the two masks him out.

use std::collections::HashMap;
use std::sync::Arc;

use super::fixpoint::Fixed;
use super::solved::{Conversions, SideValues, SliceValues, Solved};
use super::space::{Board, Man, Moves, Space, Turned};
use crate::game::chess::{Role, Square, attacks};
use crate::game::{Bits, Color};
use crate::material::Material;
use crate::metric::{MateScore, Wdl};
use crate::placement::PawnPlacement;
use crate::symmetry::{self, Symmetry, TRIANGLE};

/// The chess board with a king in the word.
#[derive(Clone, Copy, Debug)]
pub struct ChessBoard;

impl Board for ChessBoard {
    type Word = u64;

    const SYMMETRIES: usize = Symmetry::COUNT;

    #[inline(always)]
    fn word_moves(word: u64) -> u64 {
        const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
        const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let sides = word << 1 & NOT_A | word >> 1 & NOT_H;
        let row = sides | word;
        sides | row << 8 | row >> 8
    }

    #[inline(always)]
    fn map(symmetry: usize, square: u8) -> u8 {
        Symmetry::from_index(symmetry).map(square)
    }

    #[inline(always)]
    fn pull(symmetry: usize, word: u64) -> u64 {
        Symmetry::from_index(symmetry).pull(word)
    }

    fn inverse(symmetry: usize) -> usize {
        Symmetry::from_index(symmetry).inverse().index()
    }
}

/// The men of a material that are addressed, in the order of the address: the white king, White's other pieces
/// and Black's, each side strongest first. Pawns are fixed, the black king is the bit.
#[must_use]
pub fn addressed_men(material: &Material) -> Vec<(Color, Role)> {
    std::iter::once((Color::White, Role::King))
        .chain(
            material
                .men_without_kings()
                .into_iter()
                .filter(|&(_, role)| role != Role::Pawn),
        )
        .collect()
}

/// The space of one slice of a material.
#[must_use]
pub fn space(material: &Material, placement: PawnPlacement) -> Space<ChessBoard> {
    let men = addressed_men(material)
        .into_iter()
        .enumerate()
        .map(|(number, (color, role))| {
            if number == 0 && !material.has_pawns() {
                Man {
                    squares: TRIANGLE.to_vec(),
                    side: color.index(),
                    moves: king_in_triangle(),
                }
            } else {
                Man {
                    squares: (0..64).collect(),
                    side: color.index(),
                    moves: moves_of(role),
                }
            }
        })
        .collect();
    let fixed = placement.all().ones().map(|square| square as u8).collect();
    Space::new(men, Color::Black.index(), fixed)
}

fn square(number: u8) -> Square {
    Square::wrapping(u32::from(number))
}

fn moves_of(role: Role) -> Moves {
    let ranks_and_files = [(1, 0), (0, 1)];
    let diagonals = [(1, 1), (1, -1)];
    match role {
        Role::Rook => Moves::Slide(lines(&ranks_and_files)),
        Role::Bishop => Moves::Slide(lines(&diagonals)),
        Role::Queen => Moves::Slide(lines(&[ranks_and_files, diagonals].concat())),
        Role::Knight => leaps(|from| attacks::knight(from)),
        Role::King | Role::Pawn => leaps(|from| attacks::king(from)),
    }
}

fn leaps(targets: impl Fn(Square) -> u64) -> Moves {
    Moves::Leap(
        (0..64)
            .map(|from| targets(square(from)).ones().map(|to| to as u8).collect())
            .collect(),
    )
}

/// All lines of at least two squares in the given directions.
fn lines(directions: &[(i8, i8)]) -> Vec<Vec<u8>> {
    let on_board = |file: i8, rank: i8| (0..8).contains(&file) && (0..8).contains(&rank);
    let mut lines = Vec::new();
    for &(file_step, rank_step) in directions {
        for start in 0..64i8 {
            let (mut file, mut rank) = (start % 8, start / 8);
            if on_board(file - file_step, rank - rank_step) {
                continue;
            }
            let mut line = Vec::new();
            while on_board(file, rank) {
                line.push((rank * 8 + file) as u8);
                file += file_step;
                rank += rank_step;
            }
            if line.len() > 1 {
                lines.push(line);
            }
        }
    }
    lines
}

fn king_in_triangle() -> Moves {
    let forth = TRIANGLE.map(|from| {
        attacks::king(square(from))
            .ones()
            .map(|to| turned(symmetry::into_triangle(to as u8), to as u8))
            .collect()
    });
    let back = TRIANGLE.map(|to| {
        attacks::king(square(to))
            .ones()
            .flat_map(|from| {
                let from = from as u8;
                let symmetry = symmetry::into_triangle(from);
                let twin = symmetry::is_on_diagonal(symmetry.map(from));
                std::iter::once(turned(symmetry, from))
                    .chain(twin.then(|| turned(symmetry.then_transpose(), from)))
            })
            .collect()
    });
    Moves::Turn {
        forth: forth.to_vec(),
        back: back.to_vec(),
    }
}

fn turned(symmetry: Symmetry, square: u8) -> Turned {
    Turned {
        place: symmetry::triangle_place(symmetry.map(square)) as u8,
        symmetry: symmetry.index() as u8,
    }
}

/// The solved materials that moves of another lead to, laid out with that one's colours.
pub type Targets = HashMap<Material, Arc<Solved>>;

/// What a zeroing move leads to.
#[derive(Clone, Copy, Debug)]
enum Target<'a> {
    BareKings,
    Solved(&'a Solved),
}

/// How the squares of the men after a zeroing move follow from those before.
#[derive(Clone, Debug)]
struct Route<'a> {
    target: Target<'a>,
    slice: usize,
    mirrored: bool,
    /// For each addressed man afterwards, the one he was before; a promoted pawn has its own square.
    men: Vec<Origin>,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Man(usize),
    Promoted(u8),
}

/// A word of values after a zeroing move, seen by the side that moves next.
#[derive(Clone, Copy, Debug)]
struct Outcome<'a> {
    /// Nothing for bare kings.
    values: Option<(&'a SideValues, usize, Symmetry)>,
    /// The white king's square, for bare kings.
    white_king: u8,
}

impl Outcome<'_> {
    #[inline]
    fn legal(&self) -> u64 {
        match self.values {
            Some((values, address, symmetry)) => symmetry.pull(values.legal[address]),
            None => !(attacks::king(square(self.white_king)) | 1 << self.white_king),
        }
    }

    /// The positions of each value, for the side that moves next.
    #[inline]
    fn by_value(&self) -> [u64; 5] {
        let legal = self.legal();
        let mut sets = [0; 5];
        if let Some((values, address, symmetry)) = self.values {
            for value in [Wdl::Loss, Wdl::BlessedLoss, Wdl::CursedWin, Wdl::Win] {
                let word = values.decided[value.index()][address];
                sets[value.index()] = if word == 0 { 0 } else { symmetry.pull(word) };
            }
        }
        sets[Wdl::Draw.index()] = legal & !(sets[0] | sets[1] | sets[3] | sets[4]);
        sets
    }

    fn stalemate(&self) -> u64 {
        match self.values {
            Some((values, address, symmetry)) => symmetry.pull(values.stalemate[address]),
            None => 0,
        }
    }

    /// The score of the position with the black king on a square, for the side that moves next.
    #[inline]
    fn score(&self, king: u8) -> MateScore {
        match self.values {
            Some((values, address, symmetry)) => {
                MateScore(values.dtm[address * 64 + usize::from(symmetry.map(king))])
            }
            None => MateScore::DRAW,
        }
    }

    /// All 64 scores.
    fn scores(&self) -> [u8; 64] {
        let mut scores = [MateScore::DRAW.0; 64];
        if let Some((values, address, symmetry)) = self.values {
            let line = &values.dtm[address * 64..(address + 1) * 64];
            if symmetry.is_identity() {
                scores.copy_from_slice(line);
            } else {
                for (king, score) in (0..64).zip(&mut scores) {
                    *score = line[usize::from(symmetry.map(king))];
                }
            }
        }
        scores
    }
}

/// A pawn's move within the board, before it is known what stands around.
#[derive(Clone, Debug)]
struct PawnMove<'a> {
    to: u8,
    /// The square a double step passes.
    passed: Option<u8>,
    /// The addressed man taken, by number; he must be on `to`.
    victim: Option<usize>,
    conversion: bool,
    route: Route<'a>,
    /// What en-passant captures in reply lead to.
    en_passant: Vec<Route<'a>>,
}

/// Everything about a slice that does not depend on the address.
#[derive(Debug)]
pub struct SliceRules<'a> {
    space: &'a Space<ChessBoard>,
    men: Vec<(Color, Role)>,
    placement: PawnPlacement,
    /// Captures of each addressed man by a piece; none for the white king.
    captures_of_men: Vec<Option<Route<'a>>>,
    /// Captures of each pawn by a piece.
    captures_of_pawns: Vec<(Color, u8, Route<'a>)>,
    /// Moves of each side's pawns.
    pawn_moves: [Vec<PawnMove<'a>>; 2],
    with_scores: bool,
}

/// A material that a move leads to is not among the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingTarget(pub Material);

struct RouteFinder<'a> {
    material: Material,
    men: Vec<(Color, Role)>,
    own: &'a Solved,
    targets: &'a Targets,
}

impl<'a> RouteFinder<'a> {
    fn route(
        &self,
        victim: Option<usize>,
        promotion: Option<(Color, Role, u8)>,
        placement: PawnPlacement,
    ) -> Result<Route<'a>, MissingTarget> {
        let mut counts = [[0u8; 6]; 2];
        let mut men: Vec<((Color, Role), Origin)> = self
            .men
            .iter()
            .enumerate()
            .filter(|&(number, _)| Some(number) != victim)
            .map(|(number, &man)| (man, Origin::Man(number)))
            .collect();
        if let Some((color, role, square)) = promotion {
            men.push(((color, role), Origin::Promoted(square)));
        }
        for &((color, role), _) in &men {
            counts[color.index()][role.index()] += 1;
        }
        counts[Color::Black.index()][Role::King.index()] += 1;
        for color in Color::ALL {
            counts[color.index()][Role::Pawn.index()] = placement.of(color).count_ones() as u8;
        }
        let material = Material::from_counts(counts).unwrap_or(Material::BARE_KINGS);
        let order = addressed_men(&material);
        let origins = order
            .iter()
            .map(|man| {
                let at = men.iter().position(|(other, _)| other == man);
                at.map_or(Origin::Man(0), |at| men.remove(at).1)
            })
            .collect();
        let target = if material == Material::BARE_KINGS {
            Target::BareKings
        } else if material == self.material {
            Target::Solved(self.own)
        } else {
            Target::Solved(self.targets.get(&material).ok_or(MissingTarget(material))?)
        };
        let (slice, mirrored) = match target {
            Target::BareKings => (0, false),
            Target::Solved(solved) => solved.slice(placement),
        };
        Ok(Route {
            target,
            slice,
            mirrored,
            men: origins,
        })
    }
}

impl<'a> SliceRules<'a> {
    /// Prepares the zeroing moves of one slice of `own`, some slices of which may still be unsolved.
    ///
    /// # Errors
    ///
    /// If a material that a move leads to is not among `targets`.
    pub fn new(
        space: &'a Space<ChessBoard>,
        own: &'a Solved,
        slice: usize,
        targets: &'a Targets,
        with_scores: bool,
    ) -> Result<SliceRules<'a>, MissingTarget> {
        let placement = own.pawns.placement(slice);
        let finder = RouteFinder {
            material: own.material,
            men: addressed_men(&own.material),
            own,
            targets,
        };
        let captures_of_men = (0..finder.men.len())
            .map(|victim| {
                (victim > 0)
                    .then(|| finder.route(Some(victim), None, placement))
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        let mut captures_of_pawns = Vec::new();
        let mut pawn_moves = [Vec::new(), Vec::new()];
        for color in Color::ALL {
            for from in placement.of(color).ones() {
                let rest = placement.with(color, placement.of(color) & !(1 << from));
                captures_of_pawns.push((color, from as u8, finder.route(None, None, rest)?));
                finder.pawn_moves(placement, color, from as u8, &mut pawn_moves[color.index()])?;
            }
        }
        Ok(SliceRules {
            space,
            placement,
            captures_of_men,
            captures_of_pawns,
            pawn_moves,
            with_scores,
            men: finder.men,
        })
    }
}

impl<'a> RouteFinder<'a> {
    fn pawn_moves(
        &self,
        placement: PawnPlacement,
        color: Color,
        from: u8,
        moves: &mut Vec<PawnMove<'a>>,
    ) -> Result<(), MissingTarget> {
        let (ahead, home_rank) = match color {
            Color::White => (8i8, 1),
            Color::Black => (-8, 6),
        };
        let rest = placement.with(color, placement.of(color) & !(1 << from));
        let step = from.wrapping_add_signed(ahead);
        if placement.all() >> step & 1 == 0 {
            self.arrivals(rest, color, step, None, moves)?;
            let double = step.wrapping_add_signed(ahead);
            if from / 8 == home_rank && placement.all() >> double & 1 == 0 {
                let pushed = rest.with(color, rest.of(color) | 1 << double);
                let beside = placement.of(!color) & neighbours_on_rank(double);
                let en_passant = beside
                    .ones()
                    .map(|taker| {
                        let takers = placement.of(!color) & !(1 << taker) | 1 << step;
                        self.route(None, None, rest.with(!color, takers))
                    })
                    .collect::<Result<_, _>>()?;
                moves.push(PawnMove {
                    to: double,
                    passed: Some(step),
                    victim: None,
                    conversion: false,
                    route: self.route(None, None, pushed)?,
                    en_passant,
                });
            }
        }
        for to in attacks::pawn(color, square(from)).ones() {
            let to = to as u8;
            if placement.of(color) >> to & 1 == 1 {
                continue;
            }
            if placement.of(!color) >> to & 1 == 1 {
                let taken = rest.with(!color, rest.of(!color) & !(1 << to));
                let after = taken.with(color, taken.of(color) | 1 << to);
                moves.push(PawnMove {
                    to,
                    passed: None,
                    victim: None,
                    conversion: true,
                    route: self.route(None, None, after)?,
                    en_passant: Vec::new(),
                });
                continue;
            }
            for (victim, &(owner, role)) in self.men.iter().enumerate() {
                if owner != color && role != Role::King {
                    self.arrivals(rest, color, to, Some(victim), moves)?;
                }
            }
        }
        Ok(())
    }

    /// A pawn arriving on a square, as itself or promoted, maybe taking an addressed man there.
    fn arrivals(
        &self,
        rest: PawnPlacement,
        color: Color,
        to: u8,
        victim: Option<usize>,
        moves: &mut Vec<PawnMove<'a>>,
    ) -> Result<(), MissingTarget> {
        let promotes = to < 8 || to >= 56;
        let mut arrive = |conversion, route| {
            moves.push(PawnMove {
                to,
                passed: None,
                victim,
                conversion,
                route,
                en_passant: Vec::new(),
            });
        };
        if promotes {
            for role in Role::PROMOTIONS {
                arrive(true, self.route(victim, Some((color, role, to)), rest)?);
            }
        } else {
            let after = rest.with(color, rest.of(color) | 1 << to);
            arrive(victim.is_some(), self.route(victim, None, after)?);
        }
        Ok(())
    }
}

fn neighbours_on_rank(square: u8) -> u64 {
    let bit = 1u64 << square;
    let rank = 0xffu64 << (square & !7);
    (bit << 1 | bit >> 1) & rank
}

/// The squares of one address, and what is attacked there.
struct Address<'a> {
    number: usize,
    squares: &'a [u8],
    occupied: u64,
}

/// Where the positions of a slice get their zeroing moves' values collected.
struct Collected {
    fixed: [Fixed<u64>; 2],
    conversions: [Conversions; 2],
}

impl<'a> SliceRules<'a> {
    /// Legal positions, checks, and the value of every zeroing move: by word operations, an address at a time.
    pub(super) fn collect(&self) -> ([Fixed<u64>; 2], [Conversions; 2]) {
        let words = self.space.words;
        let mut collected = Collected {
            fixed: [0, 1].map(|_| Fixed::new(words, self.with_scores)),
            conversions: [0, 1].map(|_| Conversions::new(words, self.with_scores)),
        };
        let mut squares = [0u8; 8];
        for number in 0..words {
            self.space.squares(number, &mut squares);
            let squares = &squares[..self.men.len()];
            let pawns = self.placement.all();
            let mut occupied = pawns;
            for &square in squares {
                occupied |= 1 << square;
            }
            if occupied.count_ones() as usize != squares.len() + pawns.count_ones() as usize {
                continue;
            }
            let address = Address {
                number,
                squares,
                occupied,
            };
            self.legality(&address, &mut collected.fixed);
            for color in Color::ALL {
                if collected.fixed[color.index()].legal[number] != 0 {
                    self.captures_by_pieces(&address, color, &mut collected);
                    self.pawn_moves(&address, color, &mut collected);
                }
            }
        }
        (collected.fixed, collected.conversions)
    }

    fn attacks_of(&self, address: &Address<'_>, man: usize) -> u64 {
        let from = square(address.squares[man]);
        match self.men[man].1 {
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, address.occupied),
            Role::Rook => attacks::rook(from, address.occupied),
            Role::Queen => attacks::queen(from, address.occupied),
            Role::King | Role::Pawn => attacks::king(from),
        }
    }

    fn legality(&self, address: &Address<'_>, fixed: &mut [Fixed<u64>; 2]) {
        let white_king = address.squares[0];
        let mut attacked_by_white = 0;
        // Squares of the black king that leave the white king unattacked.
        let mut shielding = !0u64;
        for (man, &(color, role)) in self.men.iter().enumerate() {
            let attacked = self.attacks_of(address, man);
            match color {
                Color::White => attacked_by_white |= attacked,
                Color::Black if attacked >> white_king & 1 == 1 => {
                    shielding &= match role {
                        Role::Knight => 0,
                        _ => attacks::between(square(address.squares[man]), square(white_king)),
                    };
                }
                Color::Black => {}
            }
        }
        for pawn in self.placement.white.ones() {
            attacked_by_white |= attacks::pawn(Color::White, square(pawn as u8));
        }
        for pawn in self.placement.black.ones() {
            if attacks::pawn(Color::Black, square(pawn as u8)) >> white_king & 1 == 1 {
                shielding = 0;
            }
        }
        let free = !address.occupied & !attacks::king(square(white_king));
        let [white, black] = fixed;
        white.legal[address.number] = free & !attacked_by_white;
        white.in_check[address.number] = free & !attacked_by_white & !shielding;
        black.legal[address.number] = free & shielding;
        black.in_check[address.number] = free & shielding & attacked_by_white;
    }

    fn captures_by_pieces(&self, address: &Address<'_>, color: Color, collected: &mut Collected) {
        let king_takes = color == Color::Black;
        for (mover, &(owner, _)) in self.men.iter().enumerate() {
            if owner != color {
                continue;
            }
            let attacked = self.attacks_of(address, mover);
            let from = address.squares[mover];
            let mut take = |to: u8, route: &Route<'_>| {
                if attacked >> to & 1 == 1 {
                    let open = !attacks::between(square(from), square(to));
                    let outcome = outcome(route, address.squares, Some((mover, to)), !color);
                    collected.add_word(address.number, color, open, true, &outcome, &[]);
                }
            };
            self.for_each_victim(address, color, &mut take);
        }
        if king_takes {
            let mut take = |to: u8, route: &Route<'_>| {
                let outcome = outcome(route, address.squares, None, !color);
                collected.add_king_capture(address.number, color, to, &outcome);
            };
            self.for_each_victim(address, color, &mut take);
        }
    }

    fn for_each_victim(
        &self,
        address: &Address<'_>,
        taker: Color,
        take: &mut impl FnMut(u8, &Route<'a>),
    ) {
        for (victim, route) in self.captures_of_men.iter().enumerate() {
            if let Some(route) = route
                && self.men[victim].0 != taker
            {
                take(address.squares[victim], route);
            }
        }
        for (owner, square, route) in &self.captures_of_pawns {
            if *owner != taker {
                take(*square, route);
            }
        }
    }

    fn pawn_moves(&self, address: &Address<'_>, color: Color, collected: &mut Collected) {
        for pawn_move in &self.pawn_moves[color.index()] {
            let to = pawn_move.to;
            let mut open = match pawn_move.victim {
                Some(victim) if address.squares[victim] != to => continue,
                Some(_) => !0,
                // A pawn taken by a pawn is part of the placement and so of the occupancy.
                None if pawn_move.conversion && self.placement.of(!color) >> to & 1 == 1 => !0,
                None if address.occupied >> to & 1 == 1 => continue,
                None => !(1u64 << to),
            };
            if let Some(passed) = pawn_move.passed {
                if address.occupied >> passed & 1 == 1 {
                    continue;
                }
                open &= !(1 << passed);
            }
            let next = outcome(&pawn_move.route, address.squares, None, !color);
            let replies: Vec<Outcome<'_>> = pawn_move
                .en_passant
                .iter()
                .map(|route| outcome(route, address.squares, None, color))
                .collect();
            collected.add_word(
                address.number,
                color,
                open,
                pawn_move.conversion,
                &next,
                &replies,
            );
        }
    }
}

/// The word of positions that a zeroing move leads to; `moved` is a piece and the square it takes on.
#[inline]
fn outcome<'a>(
    route: &Route<'a>,
    squares: &[u8],
    moved: Option<(usize, u8)>,
    next: Color,
) -> Outcome<'a> {
    let mut after = [0u8; 8];
    for (square, origin) in after.iter_mut().zip(&route.men) {
        *square = match *origin {
            Origin::Promoted(square) => square,
            Origin::Man(man) => match moved {
                Some((mover, to)) if mover == man => to,
                _ => squares[man],
            },
        };
    }
    let values = match route.target {
        Target::BareKings => None,
        Target::Solved(solved) => {
            let place = solved.place(route.slice, route.mirrored, &after[..route.men.len()]);
            let values: &SliceValues = solved.slices[place.slice]
                .get()
                .expect("slices nearer to promotion are solved first");
            Some((&values[next.index()], place.address, place.symmetry))
        }
    };
    Outcome {
        values,
        white_king: after[0],
    }
}

impl Collected {
    /// A zeroing move of anyone but the black king: one word of positions at a time.
    fn add_word(
        &mut self,
        address: usize,
        color: Color,
        open: u64,
        conversion: bool,
        outcome: &Outcome<'_>,
        en_passant: &[Outcome<'_>],
    ) {
        let fixed = &mut self.fixed[color.index()];
        let conversions = &mut self.conversions[color.index()];
        let positions = open & fixed.legal[address] & outcome.legal();
        if positions == 0 {
            return;
        }
        let mut by_value = outcome.by_value();
        let mut scores = if fixed.zeroing_score.is_empty() {
            None
        } else {
            Some(outcome.scores())
        };
        let mut stalemate = if en_passant.is_empty() {
            0
        } else {
            outcome.stalemate()
        };
        for reply in en_passant {
            answer_en_passant(&mut by_value, scores.as_mut(), &mut stalemate, reply);
        }
        for value in Wdl::ALL {
            let reached = by_value[value.index()] & positions;
            let own = (-value).index();
            fixed.zeroing[own][address] |= reached;
            if conversion {
                conversions.wdl[own][address] |= reached;
            }
        }
        if let Some(scores) = scores {
            let lines = address * 64..(address + 1) * 64;
            keep_best(&mut fixed.zeroing_score[lines.clone()], &scores, positions);
            if conversion {
                keep_best(&mut conversions.score[lines], &scores, positions);
            }
        }
    }

    /// The black king takes on a square: all his squares around it lead to the same position.
    fn add_king_capture(&mut self, address: usize, color: Color, to: u8, outcome: &Outcome<'_>) {
        let fixed = &mut self.fixed[color.index()];
        let conversions = &mut self.conversions[color.index()];
        let positions = attacks::king(square(to)) & fixed.legal[address];
        if positions == 0 || outcome.legal() >> to & 1 == 0 {
            return;
        }
        let by_value = outcome.by_value();
        for value in Wdl::ALL {
            if by_value[value.index()] >> to & 1 == 1 {
                fixed.zeroing[(-value).index()][address] |= positions;
                conversions.wdl[(-value).index()][address] |= positions;
            }
        }
        if !fixed.zeroing_score.is_empty() {
            let score = outcome.score(to).before_move().0;
            for from in positions.ones() {
                let position = address * 64 + from as usize;
                for best in [
                    &mut fixed.zeroing_score[position],
                    &mut conversions.score[position],
                ] {
                    *best = score.max(*best);
                }
            }
        }
    }
}

/// Changes the values of a position by an en-passant capture it allows.
///
/// The table it comes from knows nothing of the capture. Where it says stalemate, the capture is the only move
/// and its value alone counts; elsewhere the better of the two.
fn answer_en_passant(
    by_value: &mut [u64; 5],
    scores: Option<&mut [u8; 64]>,
    stalemate: &mut u64,
    reply: &Outcome<'_>,
) {
    let possible = reply.legal();
    let replies = reply.by_value();
    let only = *stalemate & possible;
    let mut taken = 0;
    for value in Wdl::ALL.into_iter().rev() {
        let kept = by_value[value.index()] & !only;
        let reached = (kept | replies[(-value).index()]) & !taken;
        taken |= reached;
        by_value[value.index()] = reached;
    }
    if let Some(scores) = scores {
        for king in possible.ones() {
            let capture = reply.score(king as u8).before_move().0;
            let score = &mut scores[king as usize];
            *score = if only >> king & 1 == 1 {
                capture
            } else {
                capture.max(*score)
            };
        }
    }
    *stalemate &= !possible;
}

/// `best = max(best, score before the move)` at the positions of a word.
#[inline]
fn keep_best(best: &mut [u8], scores: &[u8; 64], positions: u64) {
    for (king, (best, &score)) in best.iter_mut().zip(scores).enumerate() {
        let chosen = 0u8.wrapping_sub((positions >> king & 1) as u8);
        *best = (MateScore(score).before_move().0 & chosen).max(*best);
    }
}
