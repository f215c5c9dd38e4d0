//! Numbers for positions: the plainest that still count mirror images once.

use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::chess::{Position, Role, Setup};
use retrograde::game::Color;

/// One of the eight ways to turn or mirror the board.
fn image(number: u8, square: u8) -> u8 {
    let mirrored = square ^ ((number & 1) * 7) ^ ((number >> 1 & 1) * 56);
    if number & 4 == 0 {
        mirrored
    } else {
        mirrored >> 3 | (mirrored & 7) << 3
    }
}

/// Numbers for the positions of a material: the squares of its men, pawns first and kings next, are
/// the digits, and of all mirror images and of all ways to tell men of a kind apart the one with
/// the smallest squares is kept.
pub struct Numbering {
    pub men: Vec<(Color, Role)>,
    /// Where the first man stands in the images that are kept.
    firsts: Vec<u8>,
    /// For each square of the first man, the images that bring him to his smallest square, and its
    /// place in `firsts`.
    turns: Vec<(Vec<u8>, u32)>,
    images: [[u8; 64]; 8],
    /// The ways to list the men: as they are, and with two of a kind exchanged.
    lists: Vec<Vec<usize>>,
}

impl Numbering {
    pub fn new(material: &Material) -> Numbering {
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
        let as_it_is: Vec<usize> = (0..men.len()).collect();
        let mut lists = vec![as_it_is.clone()];
        for (place, pair) in men.windows(2).enumerate() {
            if pair[0] == pair[1] {
                let mut exchanged = as_it_is.clone();
                exchanged.swap(place, place + 1);
                lists.push(exchanged);
            }
        }
        assert!(lists.len() <= 2, "three men of a kind");
        Numbering {
            men,
            firsts,
            turns,
            images,
            lists,
        }
    }

    pub fn len(&self) -> usize {
        self.firsts.len() << (6 * (self.men.len() - 1) + 1)
    }

    pub fn number(&self, squares: &[u8], turn: Color) -> u32 {
        let mut smallest = u32::MAX;
        for list in &self.lists {
            let (first, others) = list.split_first().expect("two kings");
            let (turns, place) = &self.turns[usize::from(squares[*first])];
            for &turn in turns {
                let image = &self.images[usize::from(turn)];
                let mut number = *place;
                for &man in others {
                    number = number << 6 | u32::from(image[usize::from(squares[man])]);
                }
                smallest = smallest.min(number);
            }
        }
        smallest << 1 | turn.index() as u32
    }

    pub fn squares(&self, number: u32) -> ([u8; 4], Color) {
        let mut squares = [0; 4];
        let mut rest = number >> 1;
        for square in squares[1..self.men.len()].iter_mut().rev() {
            *square = (rest & 63) as u8;
            rest >>= 6;
        }
        squares[0] = self.firsts[rest as usize];
        (squares, Color::ALL[number as usize & 1])
    }

    pub fn placement(&self, squares: &[u8]) -> Placement {
        let mut placement = Placement::default();
        for (&(color, role), &square) in self.men.iter().zip(squares) {
            placement.men[color.index()][role.index()] |= 1 << square;
        }
        placement
    }

    /// The legal position of a number; nothing for a hole.
    pub fn position(&self, number: u32) -> Option<(Position, [u8; 4])> {
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

    /// The numbers with the same pawns, all on ranks where a pawn may stand, those nearest to
    /// promotion first: quiet moves stay among them.
    pub fn groups(&self) -> Vec<(u32, std::ops::Range<u32>)> {
        let pawns = self.men.iter().filter(|man| man.1 == Role::Pawn).count();
        let size = if pawns == 0 {
            self.len()
        } else {
            2 << (6 * (self.men.len() - pawns))
        } as u32;
        let mut groups: Vec<_> = (0..self.len() as u32 / size)
            .filter_map(|group| {
                let (squares, _) = self.squares(group * size);
                if squares[..pawns]
                    .iter()
                    .any(|square| square >> 3 == 0 || square >> 3 == 7)
                {
                    return None;
                }
                let steps = self.men[..pawns].iter().zip(squares);
                let steps = steps.map(|(man, square)| match man.0 {
                    Color::White => 7 - u32::from(square >> 3),
                    Color::Black => u32::from(square >> 3),
                });
                Some((steps.sum(), group * size..(group + 1) * size))
            })
            .collect();
        groups.sort_by_key(|&(steps, _)| steps);
        groups
    }
}
