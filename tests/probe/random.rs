//! Random positions, the same in every run.

use retrograde::chess::material::Material;
use retrograde::chess::{Position, Role, Setup, Square};
use retrograde::game::Color;

/// A linear congruential generator; its high bits are good enough to place men.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A legal position of a material, either colour the stronger one, either side to move.
    pub fn position(&mut self, material: &Material) -> Position {
        loop {
            if let Some(position) = self.try_position(material) {
                return position;
            }
        }
    }

    fn try_position(&mut self, material: &Material) -> Option<Position> {
        let material = match self.below(2) {
            0 => *material,
            _ => material.with_colors_exchanged(),
        };
        let mut setup = Setup::empty();
        for color in Color::ALL {
            for role in material.side(color) {
                let square = match role {
                    Role::Pawn => 8 + self.below(48),
                    _ => self.below(64),
                };
                setup.put(role.of(color), Square::from_index(square as usize)?);
            }
        }
        if setup.occupied().count_ones() as usize != material.men() {
            return None;
        }
        setup.turn = Color::ALL[self.below(2) as usize];
        Position::from_setup(&setup).ok()
    }
}

/// Every position of KPvKP, kings on a sample of squares, in which a double step can be captured en
/// passant as far as the pawns are concerned.
pub fn en_passant_positions(random: &mut Random, each: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    for turn in Color::ALL {
        let (capturing, passing, target) = match turn {
            Color::White => (4, 4, 5),
            Color::Black => (3, 3, 2),
        };
        for file in 0..8u8 {
            for beside in [file.wrapping_sub(1), file + 1] {
                let Some(from) = Square::from_coords(beside, capturing) else {
                    continue;
                };
                for _ in 0..each {
                    let mut setup = Setup::empty();
                    setup.turn = turn;
                    setup.put(Role::Pawn.of(turn), from);
                    setup.put(
                        Role::Pawn.of(!turn),
                        Square::from_coords(file, passing).unwrap(),
                    );
                    for color in Color::ALL {
                        let square = random.below(64) as usize;
                        setup.put(Role::King.of(color), Square::from_index(square).unwrap());
                    }
                    setup.en_passant = Square::from_coords(file, target);
                    positions.extend(Position::from_setup(&setup));
                }
            }
        }
    }
    positions
}
