//! What to solve and how far to go.

use std::sync::atomic::AtomicBool;

use super::explore::Progress;
use super::handicap::Handicap;
use crate::game::Color;
use crate::xiangqi::Rules;

/// The most positions that can be explored.
pub const MAX_POSITIONS: usize = 960_000_000;

/// What to solve and how far to go.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Xiangqi: what an endless game is worth.
    pub rules: Rules,
    /// How many positions to find, at most; a few more may be found.
    pub max_positions: usize,
    /// What one side is denied. Then only its lower bound is found.
    pub handicap: Option<&'a Handicap>,
    /// The side whose lower bound is wanted where not everything is explored; both sides' if
    /// nothing is said.
    pub side: Option<Color>,
    /// Whether distances to mate are wanted. They are not found if a leaf does not have them, nor
    /// in xiangqi where perpetual check loses.
    pub mates: bool,
    /// Which bits of the keys count. For tests: with fewer of them, positions collide.
    pub key_mask: u64,
    /// Set to end the exploration; what was found is solved then.
    pub stop: &'a AtomicBool,
    /// Set to end the solving as well; there is an answer all the same if it is known by then.
    pub cancel: &'a AtomicBool,
    /// Told from time to time how far it has come.
    pub report: &'a (dyn Fn(Progress) + Sync),
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Options<'_> {
    /// As many positions as there can be, no handicap, with mates; perpetual check loses.
    fn default() -> Self {
        Options {
            rules: Rules::default(),
            max_positions: MAX_POSITIONS,
            handicap: None,
            side: None,
            mates: true,
            key_mask: u64::MAX,
            stop: &NEVER,
            cancel: &NEVER,
            report: &|_| (),
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("rules", &self.rules)
            .field("max_positions", &self.max_positions)
            .field("handicap", &self.handicap)
            .field("side", &self.side)
            .field("mates", &self.mates)
            .field("key_mask", &self.key_mask)
            .finish_non_exhaustive()
    }
}
