//! The camps of one side as a dimension: who stands where, and which camps are one move apart.

use crate::game::Color;
use crate::xiangqi::rules::attacks;
use crate::xiangqi::rules::{Bitboard, Square, flip, squares};
use crate::xiangqi::{Camp, Camps};

/// A camp that is folded away, or no eye.
pub(super) const NONE: u32 = u32::MAX;

/// A move of king, advisor or elephant.
#[derive(Clone, Copy, Debug)]
pub(super) struct HomeMove {
    /// The camp it leads to.
    pub to: u32,
    /// The square the man lands on.
    pub land: u8,
    /// The square that has to be empty, as a set: the eye of an elephant.
    pub eye: Bitboard,
}

/// All camps of one side, by number.
#[derive(Debug)]
pub(super) struct Home {
    camps: Camps,
    pub occupied: Vec<Bitboard>,
    pub king: Vec<u8>,
    pub advisors: Vec<Bitboard>,
    pub elephants: Vec<Bitboard>,
    /// The number of the mirror image.
    pub mirrored: Vec<u32>,
    /// Each move can be taken back by another of the list.
    pub moves: Vec<Vec<HomeMove>>,
    /// Where the camp stands in an address; [`NONE`] if only its mirror image does.
    pub places: Vec<u32>,
    /// The camps that stand in an address.
    pub numbers: Vec<u32>,
    color: Color,
}

/// A square as the side sees it that owns the camp.
fn own_square(color: Color, square: Square) -> Square {
    match color {
        Color::White => square,
        Color::Black => square.flipped(),
    }
}

fn own_set(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => set,
        Color::Black => flip(set),
    }
}

impl Home {
    pub fn new(color: Color, advisors: usize, elephants: usize) -> Home {
        let camps = Camps::new(advisors, elephants);
        let all: Vec<Camp> = (0..)
            .map_while(|number| camps.camp(number).copied())
            .collect();
        let number = |camp: &Camp| camps.number(camp).unwrap_or(NONE);
        let moves = all
            .iter()
            .map(|camp| {
                home_moves(color, camp)
                    .filter_map(|(after, land, eye)| {
                        Some(HomeMove {
                            to: camps.number(&after)?,
                            land: land.index() as u8,
                            eye,
                        })
                    })
                    .collect()
            })
            .collect();
        let set = |men: fn(&Camp) -> Bitboard| -> Vec<Bitboard> {
            all.iter().map(|camp| own_set(color, men(camp))).collect()
        };
        let count = all.len() as u32;
        Home {
            occupied: set(|camp| camp.occupied()),
            king: all
                .iter()
                .map(|camp| own_square(color, camp.king).index() as u8)
                .collect(),
            advisors: set(|camp| camp.advisors),
            elephants: set(|camp| camp.elephants),
            mirrored: all.iter().map(|camp| number(&camp.mirrored())).collect(),
            moves,
            places: (0..count).collect(),
            numbers: (0..count).collect(),
            camps,
            color,
        }
    }

    /// How many camps remain if one of each mirror pair does.
    pub fn folded_len(&self) -> usize {
        let canonical = (0..)
            .zip(&self.mirrored)
            .filter(|(number, mirrored)| number <= *mirrored);
        canonical.count()
    }

    /// How many camps there are.
    pub fn len(&self) -> usize {
        self.camps.len()
    }

    /// Keeps one camp of each mirror pair, the one of the smaller number.
    pub fn fold(&mut self) {
        self.numbers
            .retain(|&number| number <= self.mirrored[number as usize]);
        self.places.fill(NONE);
        for (place, &number) in (0..).zip(&self.numbers) {
            self.places[number as usize] = place;
        }
    }

    /// The number of a camp given by its squares on the board.
    pub fn number(&self, king: u8, advisors: Bitboard, elephants: Bitboard) -> Option<u32> {
        self.camps.number(&Camp {
            king: own_square(self.color, Square::new(king)?),
            advisors: own_set(self.color, advisors),
            elephants: own_set(self.color, elephants),
        })
    }
}

/// Camps one move away, the square landed on and the eye that has to be empty. Men of the camp
/// itself are taken into account.
fn home_moves(color: Color, camp: &Camp) -> impl Iterator<Item = (Camp, Square, Bitboard)> {
    let camp = *camp;
    let occupied = camp.occupied();
    let king = squares(attacks::king(camp.king) & !occupied)
        .map(move |to| (Camp { king: to, ..camp }, to, 0));
    let advisors = squares(camp.advisors).flat_map(move |from| {
        squares(attacks::advisor(from) & !occupied).map(move |to| {
            let advisors = camp.advisors & !from.bit() | to.bit();
            (Camp { advisors, ..camp }, to, 0)
        })
    });
    let elephants = squares(camp.elephants).flat_map(move |from| {
        squares(attacks::elephant(from, occupied) & !occupied).map(move |to| {
            let elephants = camp.elephants & !from.bit() | to.bit();
            let eye = attacks::diagonal(from) & attacks::diagonal(to);
            (Camp { elephants, ..camp }, to, eye)
        })
    });
    king.chain(advisors)
        .chain(elephants)
        .map(move |(after, land, eye)| (after, own_square(color, land), own_set(color, eye)))
}
