//! Where the positions of a xiangqi material are while it is verified.
//!
//! One attacker is the place in a line. The address of the line is made of both camps and of the
//! squares of the other attackers. Of a camp of one side and its mirror image only one has
//! addresses; a position whose camp there is its own mirror image is there twice, as itself and as
//! its mirror image.

use crate::game::Color;
use crate::xiangqi::rules::{Bitboard, Role, Square, attacks, squares};
use crate::xiangqi::{Camps, Material, Placement};

/// The most attackers that both sides together have.
const MAX_ATTACKERS: usize = 22;

/// A man that can cross the river.
pub(super) type Attacker = (Color, Role);

/// A quiet move or a capture of a king, an advisor or an elephant.
#[derive(Clone, Copy, Debug)]
pub(super) struct CampMove {
    /// The camp after it.
    pub camp: u32,
    pub to: Square,
    /// What has to be empty: an elephant's eye.
    pub eye: Bitboard,
}

/// One camp, with the squares it has on the board.
#[derive(Debug)]
pub(super) struct CampMen {
    pub king: Square,
    pub advisors: Bitboard,
    pub elephants: Bitboard,
    pub mirrored: u32,
    pub moves: Vec<CampMove>,
}

impl CampMen {
    pub fn occupied(&self) -> Bitboard {
        self.king.bit() | self.advisors | self.elephants
    }
}

/// The camps of one side.
#[derive(Debug)]
pub(super) struct Home {
    color: Color,
    camps: Camps,
    pub men: Vec<CampMen>,
}

impl Home {
    fn new(color: Color, material: &Material) -> Home {
        let camps = Camps::new(
            material.count(color, Role::Advisor),
            material.count(color, Role::Elephant),
        );
        let mut home = Home {
            color,
            camps,
            men: Vec::new(),
        };
        home.men = (0..home.camps.len() as u32)
            .filter_map(|number| home.camp_men(number))
            .collect();
        home
    }

    fn camp_men(&self, number: u32) -> Option<CampMen> {
        let camp = self.camps.camp(number)?;
        let [mut king, mut advisors, mut elephants] =
            [camp.king.bit(), camp.advisors, camp.elephants];
        if self.color == Color::Black {
            [king, advisors, elephants] =
                [king, advisors, elephants].map(crate::xiangqi::rules::flip);
        }
        let king = squares(king).next()?;
        let own = king.bit() | advisors | elephants;
        let mut moves = Vec::new();
        let mut add = |to: Square, eye: Bitboard, king, advisors, elephants| {
            if let Some(camp) = self.number(king, advisors, elephants) {
                moves.push(CampMove { camp, to, eye });
            }
        };
        for to in squares(attacks::king(king) & !own) {
            add(to, 0, to.bit(), advisors, elephants);
        }
        for from in squares(advisors) {
            for to in squares(attacks::advisor(from) & !own) {
                let moved = advisors & !from.bit() | to.bit();
                add(to, 0, king.bit(), moved, elephants);
            }
        }
        for from in squares(elephants) {
            for to in squares(attacks::elephant(from, own) & !own) {
                let eye = attacks::diagonal(from) & attacks::diagonal(to);
                let moved = elephants & !from.bit() | to.bit();
                add(to, eye, king.bit(), advisors, moved);
            }
        }
        Some(CampMen {
            king,
            advisors,
            elephants,
            mirrored: self.camps.mirrored(number)?,
            moves,
        })
    }

    /// The number of a camp by its squares on the board.
    pub fn number(&self, king: Bitboard, advisors: Bitboard, elephants: Bitboard) -> Option<u32> {
        self.camps.number_of(self.color, king, advisors, elephants)
    }
}

/// An attacker whose square is in the address.
#[derive(Debug)]
struct Axis {
    /// The squares it can stand on.
    squares: Vec<Square>,
    /// Where each square is among them; any where it cannot stand.
    places: [u8; 90],
    stride: usize,
}

/// The camps and the squares of all attackers; the first is that of the man in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Men {
    pub camps: [u32; 2],
    pub squares: [Square; MAX_ATTACKERS],
}

/// Where a position is: the address of its line, and whether its mirror image is there instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub address: usize,
    pub mirrored: bool,
}

/// The places of a line whose positions are counted and compared, each position on one address
/// only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Canonical {
    pub positions: Bitboard,
    /// Those that are their own mirror image.
    pub symmetric: Bitboard,
}

/// All positions of a material.
#[derive(Debug)]
pub(super) struct Layout {
    pub material: Material,
    pub homes: [Home; 2],
    /// The man in the line, then the others; men of a kind are neighbours.
    pub attackers: Vec<Attacker>,
    axes: Vec<Axis>,
    /// The side of whose camps one of each mirror pair has addresses.
    folded: usize,
    /// Those camps.
    rows: Vec<u32>,
    /// Where each camp is in `rows`; `None` if its mirror image is.
    row_of: Vec<Option<u32>>,
    /// Addresses that share both camps.
    inner: usize,
    pub addresses: usize,
}

/// The attackers of a material: that in the line first, which is one with many squares and few
/// moves to look at.
fn attackers(material: &Material) -> Vec<Attacker> {
    let kinds = [Role::Knight, Role::Rook, Role::Cannon, Role::Pawn].into_iter();
    kinds
        .flat_map(|role| Color::ALL.map(|color| (color, role)))
        .flat_map(|man| std::iter::repeat_n(man, material.count(man.0, man.1)))
        .collect()
}

impl Layout {
    /// The layout of a material; `None` if it has no attackers or more addresses than 32 bits can
    /// number.
    pub fn new(material: Material) -> Option<Layout> {
        let homes = Color::ALL.map(|color| Home::new(color, &material));
        let rows = homes.each_ref().map(|home| -> Vec<u32> {
            let all = (0..).zip(&home.men);
            all.filter(|(number, camp)| *number <= camp.mirrored)
                .map(|(number, _)| number)
                .collect()
        });
        // The camps that lose the larger share.
        let share = |side: usize| rows[side].len() as f64 / homes[side].men.len() as f64;
        let folded = usize::from(share(1) <= share(0));
        let [red, black] = rows;
        let rows = if folded == 0 { red } else { black };
        let mut row_of = vec![None; homes[folded].men.len()];
        for (row, &camp) in (0..).zip(&rows) {
            row_of[camp as usize] = Some(row);
        }
        let attackers = attackers(&material);
        let mut inner: usize = 1;
        let mut axes = Vec::new();
        for &(color, role) in attackers.get(1..)?.iter().rev() {
            let domain: Vec<Square> = squares(role.domain(color)).collect();
            let mut places = [0; 90];
            for (place, square) in (0..).zip(&domain) {
                places[square.index()] = place;
            }
            let stride = inner;
            inner = inner.checked_mul(domain.len())?;
            axes.push(Axis {
                squares: domain,
                places,
                stride,
            });
        }
        axes.reverse();
        let camps = rows.len() * homes[1 - folded].men.len();
        let addresses = inner.checked_mul(camps)?;
        u32::try_from(addresses).ok()?;
        Some(Layout {
            material,
            homes,
            attackers,
            axes,
            folded,
            rows,
            row_of,
            inner,
            addresses,
        })
    }

    /// The men of an address, the one in the line anywhere.
    pub fn men(&self, address: usize) -> Men {
        let (camps, mut rest) = (address / self.inner, address % self.inner);
        let others = self.homes[1 - self.folded].men.len();
        let mut men = Men {
            camps: [0; 2],
            squares: [Square::trusted(0); MAX_ATTACKERS],
        };
        men.camps[self.folded] = self.rows[camps / others];
        men.camps[1 - self.folded] = (camps % others) as u32;
        for (square, axis) in men.squares[1..].iter_mut().zip(&self.axes) {
            *square = axis.squares[rest / axis.stride];
            rest %= axis.stride;
        }
        men
    }

    pub fn camp(&self, men: &Men, color: Color) -> &CampMen {
        let side = color.index();
        &self.homes[side].men[men.camps[side] as usize]
    }

    pub fn mirrored(&self, men: &Men) -> Men {
        let mut mirrored = *men;
        for color in Color::ALL {
            mirrored.camps[color.index()] = self.camp(men, color).mirrored;
        }
        for square in &mut mirrored.squares[..self.attackers.len()] {
            *square = square.mirrored();
        }
        mirrored
    }

    #[inline]
    pub fn locate(&self, men: &Men) -> Place {
        let row = self.row_of[men.camps[self.folded] as usize];
        let mirrored = row.is_none();
        let mut camps = men.camps;
        if mirrored {
            for (side, camp) in camps.iter_mut().enumerate() {
                *camp = self.homes[side].men[*camp as usize].mirrored;
            }
        }
        let row = row
            .or(self.row_of[camps[self.folded] as usize])
            .unwrap_or(0);
        let others = self.homes[1 - self.folded].men.len();
        let mut address = row as usize * others + camps[1 - self.folded] as usize;
        address *= self.inner;
        for (&square, axis) in men.squares[1..].iter().zip(&self.axes) {
            let square = if mirrored { square.mirrored() } else { square };
            address += usize::from(axis.places[square.index()]) * axis.stride;
        }
        Place { address, mirrored }
    }

    /// The squares of all men but the one in the line; `None` if two are on one.
    pub fn fixed(&self, men: &Men) -> Option<Bitboard> {
        let mut fixed: Bitboard = 0;
        for color in Color::ALL {
            fixed |= self.camp(men, color).occupied();
        }
        for square in &men.squares[1..self.attackers.len()] {
            if fixed & square.bit() != 0 {
                return None;
            }
            fixed |= square.bit();
        }
        Some(fixed)
    }

    /// The placement of some men, with or without the one in the line.
    pub fn placement(&self, men: &Men, with_first: bool) -> Placement {
        let mut placement = Placement {
            pieces: [[0; 7]; 2],
        };
        for color in Color::ALL {
            let camp = self.camp(men, color);
            let pieces = &mut placement.pieces[color.index()];
            pieces[Role::King.index()] = camp.king.bit();
            pieces[Role::Advisor.index()] = camp.advisors;
            pieces[Role::Elephant.index()] = camp.elephants;
        }
        let skipped = usize::from(!with_first);
        for (&(color, role), square) in (self.attackers.iter().zip(&men.squares)).skip(skipped) {
            placement.pieces[color.index()][role.index()] |= square.bit();
        }
        placement
    }

    /// The men of a placement of the material.
    pub fn men_of(&self, placement: &Placement) -> Option<Men> {
        let mut left = placement.pieces;
        let mut men = Men {
            camps: [0; 2],
            squares: [Square::trusted(0); MAX_ATTACKERS],
        };
        for (side, camp) in men.camps.iter_mut().enumerate() {
            let [king, advisors, elephants] = [Role::King, Role::Advisor, Role::Elephant]
                .map(|role| placement.pieces[side][role.index()]);
            *camp = self.homes[side].number(king, advisors, elephants)?;
        }
        for (square, (color, role)) in men.squares.iter_mut().zip(&self.attackers) {
            let set = &mut left[color.index()][role.index()];
            *square = squares(*set).next()?;
            *set &= !square.bit();
        }
        Some(men)
    }

    /// Men of a kind in the order of their squares.
    fn sorted(&self, mut men: Men) -> Men {
        let mut first = 0;
        for kind in self.attackers.chunk_by(|a, b| a == b) {
            men.squares[first..first + kind.len()].sort_unstable();
            first += kind.len();
        }
        men
    }

    /// How many positions of the full board each one of a line stands for, and where in it men of a
    /// kind are in order. Where it is one, the mirror image has a place of its own.
    pub fn images(&self, men: &Men) -> (u64, Bitboard) {
        let folded = men.camps[self.folded];
        let is_own_image = self.homes[self.folded].men[folded as usize].mirrored == folded;
        let weight = if is_own_image { 1 } else { 2 };
        let kinds = &self.attackers;
        let is_out_of_order =
            |i: usize| kinds[i] == kinds[i - 1] && men.squares[i - 1] > men.squares[i];
        let in_order = if (2..kinds.len()).any(is_out_of_order) {
            0
        } else if kinds.len() > 1 && kinds[0] == kinds[1] {
            men.squares[1].bit() - 1
        } else {
            Bitboard::MAX
        };
        (weight, in_order)
    }

    /// Which of some positions of a line count.
    pub fn canonical(&self, men: &Men, positions: Bitboard) -> Canonical {
        let (weight, in_order) = self.images(men);
        let mut canonical = Canonical {
            positions: positions & in_order,
            symmetric: 0,
        };
        if weight == 2 {
            return canonical;
        }
        let mut men = *men;
        for square in squares(canonical.positions) {
            men.squares[0] = square;
            let mirrored = self.sorted(self.mirrored(&men));
            match men.cmp(&mirrored) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => canonical.symmetric |= square.bit(),
                std::cmp::Ordering::Greater => canonical.positions &= !square.bit(),
            }
        }
        canonical
    }
}
