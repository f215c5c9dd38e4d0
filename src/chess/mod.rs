//! Chess as its tables see it.

pub mod index;
pub mod material;
pub(crate) mod men;
#[doc(hidden)]
pub mod placement;
pub mod rules;
#[cfg(feature = "generate")]
#[doc(hidden)]
pub mod solve;
pub(crate) mod symmetry;

pub use rules::*;

use std::fmt;
use std::str::FromStr;

use crate::game::{Game, Numbered, Signature, TableGame};
use crate::metric::Metric;
use index::IndexSpace;
use material::{MAX_MEN, Material};

/// Orthodox chess, for what is the same for tables of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chess;

/// The rules on which values of chess tables rest. There is one set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChessRules {
    /// Results and distances to zeroing under the fifty-move rule, distances to mate without it;
    /// repetitions count for nothing.
    #[default]
    FiftyMoves,
}

impl fmt::Display for ChessRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not the name of rules of chess.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rules `{0}`: chess has fifty-moves")]
pub struct ParseRulesError(String);

impl FromStr for ChessRules {
    type Err = ParseRulesError;

    fn from_str(name: &str) -> Result<ChessRules, ParseRulesError> {
        match name {
            "fifty-moves" => Ok(ChessRules::FiftyMoves),
            _ => Err(ParseRulesError(name.to_owned())),
        }
    }
}

impl Numbered for ChessRules {
    const LIST: &'static [ChessRules] = &[ChessRules::FiftyMoves];

    fn number(self) -> u8 {
        self as u8
    }

    fn name(self) -> &'static str {
        "fifty-moves"
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
        // Promotions can give a side any men.
        let most = if role == Role::King { 1 } else { MAX_MEN };
        Some((role.letter(), most))
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

    fn may_be_stored(&self) -> bool {
        self.is_normal() || self.was_normal()
    }
}

impl TableGame for Chess {
    const GAME: Game = Game::Chess;
    type Material = Material;
    type Metric = Metric;
    type Rules = ChessRules;
    type Space = IndexSpace;

    fn space(material: Material) -> Option<IndexSpace> {
        Some(IndexSpace::new(material))
    }

    fn positions(space: &IndexSpace) -> u64 {
        space.len()
    }

    /// A symmetric material has those of white to move. Otherwise what a side lacks is worked out
    /// one ply ahead: distances, and results unless the fifty-move rule changes some. A move into a
    /// loss wins if that takes 99 plies to the next zeroing move, and is a cursed win if it takes
    /// 100, which results do not tell apart.
    fn needs_side(material: &Material, metric: Metric, side: usize, has_cursed: bool) -> bool {
        match material.is_symmetric() {
            true => side == 0,
            false => metric == Metric::Wdl && has_cursed,
        }
    }

    fn subdirectory(_: ChessRules) -> &'static str {
        ""
    }
}
