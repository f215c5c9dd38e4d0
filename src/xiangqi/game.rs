//! Xiangqi as its tables see it.

use super::{IndexSpace, Material, Metric, Role, Rules};
use crate::game::{Game, Numbered, Signature, TableGame};

/// Xiangqi, for what is the same for tables of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xiangqi;

impl Numbered for Rules {
    const LIST: &'static [Rules] = &Rules::ALL;

    fn number(self) -> u8 {
        self.number()
    }

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Numbered for Metric {
    const LIST: &'static [Metric] = &Metric::ALL;

    fn number(self) -> u8 {
        self.number()
    }

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Signature for Material {
    fn men(&self) -> usize {
        self.men()
    }

    fn is_symmetric(&self) -> bool {
        self.is_symmetric()
    }

    fn man(typed: char) -> Option<(char, usize)> {
        let role = Role::from_letter(typed)?;
        Some((role.letter(), role.limit() as usize))
    }

    fn normal_form(&self) -> Material {
        self.normal_form()
    }

    fn with_colors_exchanged(&self) -> Material {
        self.with_colors_exchanged()
    }

    fn dependencies(&self) -> Vec<Material> {
        self.dependencies()
    }
}

impl TableGame for Xiangqi {
    const GAME: Game = Game::Xiangqi;
    type Material = Material;
    type Metric = Metric;
    type Rules = Rules;
    type Space = IndexSpace;

    fn space(material: Material) -> Option<IndexSpace> {
        IndexSpace::new(material)
    }

    fn positions(space: &IndexSpace) -> u64 {
        space.len()
    }

    fn needs_side(_: &Material, _: Metric, _: usize, _: bool) -> bool {
        true
    }

    fn subdirectory(rules: Rules) -> &'static str {
        match rules {
            Rules::CyclesDraw => "xiangqi/cycles-draw",
            Rules::PerpetualCheck => "xiangqi/perpetual-check",
        }
    }
}
