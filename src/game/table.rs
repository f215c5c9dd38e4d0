//! What tables ask of a game.
//!
//! Files, directories, plans and commands need little of a game, and that is the same for both:
//! names and numbers. Move generators, sweeps and collectors are different thoughts and have no
//! trait in common. Which game it is is known where code is compiled, so a probe does not ask.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::Game;

/// A game as its tables see it. `chess::Chess` and `xiangqi::Xiangqi` are the two.
pub trait TableGame: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Which one: its number stands in every file.
    const GAME: Game;
    /// The signature of a table.
    type Material: Signature;
    /// What a table stores.
    type Metric: Numbered;
    /// On which rules its values rest.
    type Rules: Numbered;
    /// The relation between placements and indices for one material.
    type Space: Debug + Send + Sync;

    /// The relation between placements and indices; `None` if a material has more positions than
    /// there are indices.
    fn space(material: Self::Material) -> Option<Self::Space>;

    /// How many indices there are.
    fn positions(space: &Self::Space) -> u64;

    /// Whether the table of a metric has to store the values of the side with this number to move.
    /// `has_cursed` says whether the fifty-move rule changes results of it.
    fn needs_side(
        material: &Self::Material,
        metric: Self::Metric,
        side: usize,
        has_cursed: bool,
    ) -> bool;

    /// Where the tables of some rules are, below the directory of all tables: a relative path,
    /// which may be empty.
    fn subdirectory(rules: Self::Rules) -> &'static str;
}

/// The men of both sides, by which tables are told apart.
pub trait Signature:
    Copy
    + Debug
    + Display
    + Eq
    + FromStr<Err: Error + Send + Sync + 'static>
    + Hash
    + Send
    + Sync
    + 'static
{
    /// The number of men, kings included.
    fn men(&self) -> usize;
    /// Whether both sides have the same men.
    fn is_symmetric(&self) -> bool;
    /// The letter that signatures have for a man, from what somebody may type for it, and how many
    /// such men a side can have; nothing if no man has such a letter.
    fn man(typed: char) -> Option<(char, usize)>;
    /// The form under which a table is stored: more men first, then the stronger ones.
    fn normal_form(&self) -> Self;
    /// The men of the other side for each side.
    fn with_colors_exchanged(&self) -> Self;
    /// The tables that moves of this material lead to, in normal form.
    fn dependencies(&self) -> Vec<Self>;

    /// Whether this is the form under which a table is stored.
    fn is_normal(&self) -> bool {
        self.normal_form() == *self
    }

    /// Whether a table may be stored in this form: the normal one, or that of earlier versions,
    /// whose tables are still read.
    fn may_be_stored(&self) -> bool {
        self.is_normal()
    }
}

/// One of a few things that have a number in files and a name for people.
pub trait Numbered:
    Copy + Debug + Display + Eq + FromStr + Hash + Ord + Send + Sync + 'static
{
    /// All of them, in the order of their numbers.
    const LIST: &'static [Self];
    /// The number in files.
    fn number(self) -> u8;
    /// The name on the command line and in names of files.
    fn name(self) -> &'static str;

    /// What a number in a file stands for.
    fn from_number(number: u8) -> Option<Self> {
        Self::LIST.iter().copied().find(|it| it.number() == number)
    }
}
