//! What is known of a position that was solved, and of those it reaches.

use rayon::prelude::*;

use super::explore::{End, Exploration, Progress};
use super::game::{LeafError, Leaves, Outcome, Reach, Rules, States};
use super::play::{Line, MoveValue, Player};
use super::positions::{Compact, Id, Shard};
use crate::chess;
use crate::game::Color;
use crate::metric::Wdl;
use crate::xiangqi;

/// What one analysis found.
#[derive(Clone, Debug)]
pub struct Analysed<P: Reach = chess::Position> {
    /// The side whose lower bound it is; `None` if values are exact.
    pub side: Option<Color>,
    /// The value of the position, for the side to move.
    pub root: P::Value,
    /// All legal moves, the best first.
    pub moves: Vec<MoveValue<P>>,
    /// Best play by what was found.
    pub line: Line<P>,
}

impl<P: Reach> Analysed<P> {
    /// What is left of it if the analysis was broken off: that a side wins, with its moves that do.
    pub(super) fn only_decided(mut self, turn: Color) -> Option<Analysed<P>> {
        let winner = match self.root.wdl() {
            Wdl::Draw => return None,
            Wdl::Win | Wdl::CursedWin => turn,
            Wdl::Loss | Wdl::BlessedLoss => !turn,
        };
        if self.side.is_some_and(|side| side != winner) {
            return None;
        }
        self.side = Some(winner);
        for m in &mut self.moves {
            // After the move it is the other side's turn.
            let wins = |value: &P::Value| {
                value.wdl() != Wdl::Draw && (value.wdl() < Wdl::Draw) == (winner == turn)
            };
            m.value = m.value.filter(wins);
        }
        Some(self)
    }
}

/// What is known of a position.
#[derive(Debug)]
pub struct Solved<P: Reach = chess::Position> {
    /// The side to move.
    pub turn: Color,
    /// How the exploration ended.
    pub end: End,
    /// How far it came.
    pub progress: Progress,
    /// Bytes of memory at the worst moment.
    pub peak_memory: usize,
    /// Exact values, or bounds from one side or both.
    pub analysed: Vec<Analysed<P>>,
    pub(super) root: P,
    pub(super) exploration: Exploration<P::Packed>,
    pub(super) states: P::States,
    pub(super) mates: bool,
    pub(super) rules: xiangqi::Rules,
}

impl<P: Reach> Solved<P> {
    /// The value if everything was explored.
    #[must_use]
    pub fn exact(&self) -> Option<P::Value> {
        let exact = self.analysed.iter().find(|found| found.side.is_none())?;
        Some(exact.root)
    }

    /// The value of another position, if it was explored and values are exact. The clock does not
    /// matter.
    #[must_use]
    pub fn value(&self, position: &P) -> Option<P::Value> {
        self.exact()?;
        let packed = P::Packed::new(position).normal_form();
        let id = self.exploration.positions.find(&packed, packed.key())?;
        Some(P::value_of(self.states.get(id), self.mates))
    }

    /// All legal moves with their values, the best first, of a position that was explored, as the
    /// last analysis has them. The first wins a won position by being played again and again.
    ///
    /// `leaves` are those it was solved with.
    ///
    /// # Errors
    ///
    /// If the value of a leaf cannot be found out.
    pub fn moves(
        &self,
        position: &P,
        leaves: &dyn Leaves<P>,
    ) -> Result<Vec<MoveValue<P>>, LeafError> {
        self.player(&Rules::new(leaves, None)).moves(position)
    }

    /// The position that was solved.
    #[must_use]
    pub fn root(&self) -> &P {
        &self.root
    }

    /// Whether distances to mate are known.
    #[must_use]
    pub fn has_mates(&self) -> bool {
        self.mates
    }

    /// Xiangqi: what an endless game is worth.
    #[must_use]
    pub fn rules(&self) -> xiangqi::Rules {
        self.rules
    }

    /// How many positions were found, counting all that are the same but for a symmetry of the
    /// board.
    ///
    /// It takes the longer the more there are.
    #[must_use]
    pub fn images(&self) -> u64 {
        let shards = self.exploration.positions.shards.par_iter();
        let images = |shard: &Shard<P::Packed>| {
            let positions = (0..shard.len()).map(|local| shard.get(local).images());
            positions.sum::<u64>()
        };
        shards.map(images).sum()
    }

    /// Where all positions are, in the order of their keys in files.
    pub(crate) fn in_order(&self) -> Vec<Id> {
        let positions = &self.exploration.positions;
        let shards = positions.shards.iter().enumerate();
        let mut ids: Vec<Id> = shards
            .flat_map(|(shard, it)| (0..it.len() as u32).map(move |local| Id::new(shard, local)))
            .collect();
        ids.par_sort_unstable_by_key(|&id| positions.get(id).to_key());
        ids
    }

    /// A position and its value.
    pub(crate) fn entry(&self, id: Id) -> (P::Packed, P::Value) {
        let value = P::value_of(self.states.get(id), self.mates);
        (self.exploration.positions.get(id), value)
    }

    /// What is at least true for the side to move: an exact value, or a lower bound.
    #[must_use]
    pub fn lower(&self) -> Option<&Analysed<P>> {
        self.bound(|side| side == self.turn)
    }

    /// What is at most true for the side to move: an exact value, or an upper bound.
    #[must_use]
    pub fn upper(&self) -> Option<&Analysed<P>> {
        self.bound(|side| side != self.turn)
    }

    fn bound(&self, is_of: impl Fn(Color) -> bool) -> Option<&Analysed<P>> {
        let mut analysed = self.analysed.iter();
        analysed.find(|found| found.side.is_none_or(&is_of))
    }

    pub(super) fn player<'a>(&'a self, rules: &'a Rules<'a, P>) -> Player<'a, P> {
        Player {
            exploration: &self.exploration,
            states: &self.states,
            rules,
            mates: self.mates,
        }
    }
}
