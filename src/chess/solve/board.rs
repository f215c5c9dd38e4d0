//! Chess as the solver sees it: a slice's space, and everything fixed from outside it.
//!
//! The black king is the man in the word. One attack look-up for each piece and *address* then
//! serves all 64 of his squares: he is not part of the occupancy, so x-rays come out right, and
//! where he stands between a slider and its target the square set between the two masks him out.

use super::space::{Board, Man, Moves, Space, Turned};
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::rules::{Role, Square, attacks};
use crate::chess::symmetry;
use crate::chess::symmetry::{Symmetry, TRIANGLE};
use crate::game::{Bits, Color};

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

/// The men of a material that are addressed, in the order of the address: the white king, White's
/// other pieces and Black's, each side strongest first. Pawns are fixed, the black king is the bit.
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

/// The materials that captures lead to, with and without promotion, in the colours of the one
/// before.
#[must_use]
pub fn captures(material: &Material) -> Vec<Material> {
    let mut targets = material.conversions();
    targets.retain(|target| target.men() < material.men());
    targets
}

/// How many squares of the white king are told apart.
pub fn king_squares(material: &Material) -> usize {
    if material.has_pawns() {
        64
    } else {
        TRIANGLE.len()
    }
}

/// Words of a set of one slice of a material: 10.7 billion of seven men without pawns. Nothing if
/// addresses of this processor cannot name them all.
#[must_use]
pub fn words(material: &Material) -> Option<usize> {
    let pieces = (addressed_men(material).len() - 1) as u32;
    64usize
        .checked_pow(pieces)?
        .checked_mul(king_squares(material))
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

pub(super) fn square(number: u8) -> Square {
    Square::wrapping(u32::from(number))
}

fn moves_of(role: Role) -> Moves {
    let ranks_and_files = [(1, 0), (0, 1)];
    let diagonals = [(1, 1), (1, -1)];
    match role {
        Role::Rook => Moves::Slide(lines(&ranks_and_files)),
        Role::Bishop => Moves::Slide(lines(&diagonals)),
        Role::Queen => Moves::Slide(lines(&[ranks_and_files, diagonals].concat())),
        Role::Knight => leaps(attacks::knight),
        Role::King | Role::Pawn => leaps(attacks::king),
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
