//! Games in which whoever checks for ever loses, unless both do.
//!
//! What a side wins is a fixed point in three layers. For the side W and its opponent L:
//!
//! ```text
//! W = mu Z. nu Y. mu X.   W to move is in X if a move goes to Z, or a move without check to Y, or a check to X;
//!                         L to move is in X if no capture saves L, every move without check goes to Z, every check to X or Z
//! ```
//!
//! So L can go on only by checking, and W again and again makes a move that is no check. Z starts
//! as what is won without the rule. Each round finds the positions that one more use of the rule
//! wins, the *core* of the round, and then, by ordinary retrograde analysis, all that can be forced
//! into them. Those moves are in X as well, one a round; taking them together leads to the same
//! last Z in fewer rounds.
//!
//! A round finds its core from outside: of the positions in which L can only check, those are taken
//! out again in which a check finds W without a move that keeps L inside. What remains is Y, but
//! for positions in which W could only check back.

use super::distances::Distances;
use super::{Distance, Iteration, Unsolved, Values, WithRounds, without};
use crate::game::Bits;
use crate::metric::{Plies, Wdl};
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;
use crate::retro::score::Scores;

/// Words of some positions with their addresses, in order.
type Listed<W> = Vec<(usize, W)>;

/// What is decided at one distance of a core: won positions one ply before the lost ones that
/// follow.
struct Rank<W> {
    won: Listed<W>,
    lost: Listed<W>,
}

fn list<W: Bits>(layer: &Layer<W>) -> Listed<W> {
    layer
        .addresses()
        .map(|address| (address, layer.set[address]))
        .collect()
}

impl<M: QuietMoves> Iteration<'_, M> {
    /// Results and distances to conversion; with the positions in check, under the rule of
    /// perpetual check.
    pub(super) fn conversion_distances(
        &mut self,
        without_moves: &[Vec<M::Word>; 2],
        in_check: Option<&[Vec<M::Word>; 2]>,
    ) -> Result<WithRounds<M::Word>, Unsolved> {
        let fixed = self.fixed;
        let mut distances = [0, 1].map(|_| Distances::new(self.words, 0));
        self.restart(without_moves);
        for (side, fixed) in self.sides.iter_mut().zip(fixed) {
            side.say_what_is_losable(&[], &fixed.zeroing_to([Wdl::Draw, Wdl::Win]));
        }
        self.iterate(1..=u32::MAX, [Wdl::Win, Wdl::Loss], &mut distances)?;
        let rounds = match in_check {
            Some(in_check) => self.rounds(in_check, &mut distances)?,
            None => [Vec::new(), Vec::new()],
        };
        let mut distances = Distances::into_both_values(distances).into_iter();
        let values = std::array::from_fn(|side| Values {
            decided: [
                self.sides[side].lost.clone(),
                vec![M::Word::ZERO; self.words],
                Vec::new(),
                vec![M::Word::ZERO; self.words],
                self.won(side),
            ],
            stalemate: Vec::new(),
            dtz: distances.next().unwrap_or_default(),
            dtz_high: Vec::new(),
            dtm: Scores::default(),
            longest: Plies(0),
        });
        Ok(WithRounds { values, rounds })
    }

    /// Applies the rule until it decides nothing more.
    fn rounds(
        &mut self,
        in_check: &[Vec<M::Word>; 2],
        distances: &mut [Distances<M::Word>; 2],
    ) -> Result<[Vec<u8>; 2], Unsolved> {
        let mut rounds: Option<[Distances<M::Word>; 2]> = None;
        for round in 1u32.. {
            let cores = [0, 1].map(|winner| self.core(winner, in_check));
            if cores.iter().all(|core| core.is_empty()) {
                break;
            }
            let round = u8::try_from(round).map_err(|_| Unsolved::DistanceOverflow)?;
            let rounds =
                rounds.get_or_insert_with(|| [0, 1].map(|_| Distances::new(self.words, 0)));
            let longest = self.enter_cores(&cores, distances, rounds, round)?;
            for ply in longest + 1.. {
                for side in 0..2 {
                    self.find_won(side);
                    self.find_lost(side);
                }
                if !self.end_ply(Distance::Zeroing, ply)? {
                    break;
                }
                let ply = u8::try_from(ply).map_err(|_| Unsolved::DistanceOverflow)?;
                self.decide(distances, ply);
                self.decide(rounds, round);
            }
        }
        Ok(rounds.map(Distances::into_both_values).unwrap_or_default())
    }

    /// Decides the cores of both sides, rank by rank, and makes them the newest layers as a whole.
    /// Returns the longest distance.
    fn enter_cores(
        &mut self,
        cores: &[Vec<Rank<M::Word>>; 2],
        distances: &mut [Distances<M::Word>; 2],
        rounds: &mut [Distances<M::Word>; 2],
        round: u8,
    ) -> Result<u32, Unsolved> {
        let mut longest = 0;
        for (winner, ranks) in cores.iter().enumerate() {
            for (number, rank) in (0u32..).zip(ranks) {
                for (side, listed, distance) in [
                    (winner, &rank.won, 2 * number + 1),
                    (1 - winner, &rank.lost, 2 * number + 2),
                ] {
                    if listed.is_empty() {
                        continue;
                    }
                    for &(address, word) in listed {
                        let side = &mut self.sides[side];
                        match distance % 2 {
                            1 => side.won_layer.insert(address, word),
                            _ => side.lost_layer.insert(address, word),
                        }
                    }
                    longest = longest.max(distance);
                    let distance =
                        u8::try_from(distance).map_err(|_| Unsolved::DistanceOverflow)?;
                    self.decide(distances, distance);
                    self.decide(rounds, round);
                    self.sides[side].won_layer.clear();
                    self.sides[side].lost_layer.clear();
                }
            }
        }
        for (winner, ranks) in cores.iter().enumerate() {
            for rank in ranks {
                for &(address, word) in &rank.won {
                    self.sides[winner].won_layer.insert(address, word);
                }
                for &(address, word) in &rank.lost {
                    self.sides[1 - winner].lost_layer.insert(address, word);
                }
            }
        }
        Ok(longest)
    }

    /// What one more use of the rule wins for a side.
    fn core(&mut self, winner: usize, in_check: &[Vec<M::Word>; 2]) -> Vec<Rank<M::Word>> {
        if in_check[winner].iter().all(|word| word.is_empty()) {
            return Vec::new();
        }
        let mut inside = self.only_checking(winner, in_check);
        // The winner's positions in check that are not decided: what the loser's checks lead to.
        let mut checked = self.sides[winner].open.clone();
        for (word, &check) in checked.iter_mut().zip(&in_check[winner]) {
            *word &= check;
        }
        let mut outside = Layer::new(self.words);
        self.moves.sweep(winner, &inside, &mut self.reached.set);
        for (address, &word) in checked.iter().enumerate() {
            let word = word & !self.reached.set[address];
            if !word.is_empty() {
                outside.insert(address, word);
            }
        }
        self.reached.set.fill(M::Word::ZERO);
        let mut removed = Layer::new(self.words);
        loop {
            self.shrink(
                winner,
                &mut inside,
                &mut checked,
                &mut outside,
                &mut removed,
            );
            if inside.iter().all(|word| word.is_empty()) {
                return Vec::new();
            }
            let (ranks, reached) = self.forced_to_check(winner, in_check, &inside);
            for (address, word) in inside.iter_mut().enumerate() {
                let rest = *word & !reached[address];
                if !rest.is_empty() {
                    removed.insert(address, rest);
                    *word = reached[address];
                }
            }
            if removed.is_empty() {
                return ranks;
            }
            // The positions from which the winner may have lost his last move that keeps the loser
            // inside.
            self.reach_layer(winner, &removed);
            removed.clear();
            self.no_longer_inside(winner, &inside, &checked, &mut outside);
        }
    }

    /// The loser's positions that no capture saves, undecided, in which every move without check
    /// leads to what the winner has won.
    fn only_checking(&mut self, winner: usize, in_check: &[Vec<M::Word>; 2]) -> Vec<M::Word> {
        let loser = 1 - winner;
        let mut quiet = self.sides[winner].open.clone();
        for (word, &check) in quiet.iter_mut().zip(&in_check[winner]) {
            *word &= !check;
        }
        self.moves.sweep(loser, &quiet, &mut self.reached.set);
        let found = without(&self.sides[loser].losable, &self.reached.set);
        self.reached.set.fill(M::Word::ZERO);
        found
    }

    /// Takes out what leads outside, until nothing does. `outside` are the winner's newest
    /// positions in check without a move that keeps the loser inside; `checked` are those that have
    /// one.
    fn shrink(
        &mut self,
        winner: usize,
        inside: &mut [M::Word],
        checked: &mut [M::Word],
        outside: &mut Layer<M::Word>,
        removed: &mut Layer<M::Word>,
    ) {
        while !outside.is_empty() {
            for address in outside.addresses() {
                checked[address] &= !outside.set[address];
            }
            self.reach_layer(1 - winner, outside);
            outside.clear();
            for (address, word) in self.reached.drain() {
                let word = word & inside[address];
                if !word.is_empty() {
                    inside[address] &= !word;
                    removed.insert(address, word);
                }
            }
            self.reach_layer(winner, removed);
            removed.clear();
            self.no_longer_inside(winner, inside, checked, outside);
        }
    }

    /// Of the positions in `reached`, those of `checked` without a move that leads inside.
    fn no_longer_inside(
        &mut self,
        winner: usize,
        inside: &[M::Word],
        checked: &[M::Word],
        outside: &mut Layer<M::Word>,
    ) {
        for (address, word) in self.reached.drain() {
            let word = word & checked[address];
            if !word.is_empty() {
                self.candidates.insert(address, word);
            }
        }
        self.without_move_into(winner, inside, outside);
    }

    /// Adds the positions from which `side` has a quiet move into a layer to `reached`.
    fn reach_layer(&mut self, side: usize, layer: &Layer<M::Word>) {
        self.moves.reach(side, layer, &mut self.reached);
    }

    /// Moves those of `candidates` that have no quiet move into a set to `found`.
    fn without_move_into(&mut self, side: usize, into: &[M::Word], found: &mut Layer<M::Word>) {
        let (candidates, reached) = (&mut self.candidates, &mut self.reached);
        self.moves
            .without_move_into(side, into, candidates, reached, found);
    }

    /// The inner fixed point: from moves without check to `inside`, backwards along checks of both
    /// sides. Also returns those of `inside` that it reaches.
    fn forced_to_check(
        &mut self,
        winner: usize,
        in_check: &[Vec<M::Word>; 2],
        inside: &[M::Word],
    ) -> (Vec<Rank<M::Word>>, Vec<M::Word>) {
        let loser = 1 - winner;
        let mut open = self.sides[winner].open.clone();
        let mut escapes = open.clone();
        for (word, &check) in escapes.iter_mut().zip(&in_check[winner]) {
            *word &= check;
        }
        let mut reached = vec![M::Word::ZERO; self.words];
        let mut newest = Layer::new(self.words);
        let mut checks = Layer::new(self.words);
        let mut lost = Layer::new(self.words);
        let mut ranks = Vec::new();
        let quiet = without(inside, &in_check[loser]);
        self.moves.sweep(winner, &quiet, &mut self.reached.set);
        self.reached.recount();
        loop {
            newest.clear();
            for (address, word) in self.reached.drain() {
                let word = word & open[address];
                if !word.is_empty() {
                    newest.insert(address, word);
                }
            }
            if newest.is_empty() {
                return (ranks, reached);
            }
            checks.clear();
            for address in newest.addresses() {
                let word = newest.set[address];
                open[address] &= !word;
                escapes[address] &= !word;
                let check = word & in_check[winner][address];
                if !check.is_empty() {
                    checks.insert(address, check);
                }
            }
            self.reach_layer(loser, &checks);
            for (address, word) in self.reached.drain() {
                let word = word & inside[address] & !reached[address];
                if !word.is_empty() {
                    self.candidates.insert(address, word);
                }
            }
            lost.clear();
            self.without_move_into(loser, &escapes, &mut lost);
            checks.clear();
            for address in lost.addresses() {
                let word = lost.set[address];
                reached[address] |= word;
                let check = word & in_check[loser][address];
                if !check.is_empty() {
                    checks.insert(address, check);
                }
            }
            ranks.push(Rank {
                won: list(&newest),
                lost: list(&lost),
            });
            self.reach_layer(winner, &checks);
        }
    }
}
