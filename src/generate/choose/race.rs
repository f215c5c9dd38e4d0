//! Orders that are compared.

use super::ordered::{Ordered, fastest, first_with_each, one_with_each_pair};
use super::sample::Sample;
use crate::Error;

/// Pairs of fastest dimensions for which every order of the others is tried.
const BEST_PAIRS: usize = 6;
/// Of the orders that are compared, one in so many goes on to the next round.
const GOING_ON: usize = 3;

/// A side to move, by its place in the list of those to choose from, and an order for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) struct Choice<O> {
    pub side: usize,
    pub order: O,
    /// Bytes of the sampled blocks.
    bytes: u64,
    /// How many blocks were sampled.
    sampled: usize,
}

impl<O> Choice<O> {
    /// Nothing is known of it yet.
    fn new(side: usize, order: O) -> Choice<O> {
        Choice {
            side,
            order,
            bytes: 0,
            sampled: 0,
        }
    }

    /// The same for the side to move at another place in a list.
    pub fn at(self, side: usize) -> Choice<O> {
        Choice { side, ..self }
    }
}

/// Orders that are compared, the better ones in more blocks than the others.
///
/// Every round looks at as many blocks, those of all orders together: few of each while there are
/// many orders, and many of the last ones (sequential halving: Karnin, Koren and Somekh, "Almost
/// Optimal Exploration in Multi-Armed Bandits", ICML 2013).
pub(super) struct Race<'a, 'b, S: Ordered> {
    samples: &'a [Sample<'b, S>],
    /// Blocks that are compressed in a round, those of all orders together.
    round: usize,
    /// The best first.
    choices: Vec<Choice<S::Order>>,
}

impl<'a, 'b, S: Ordered> Race<'a, 'b, S> {
    fn new(
        samples: &'a [Sample<'b, S>],
        orders: impl Iterator<Item = (usize, S::Order)>,
    ) -> Race<'a, 'b, S> {
        let choices = orders.map(|(side, order)| Choice::new(side, order));
        Race {
            samples,
            round: samples.iter().map(Sample::round).max().unwrap_or(0),
            choices: choices.collect(),
        }
    }

    /// One order of the first side, looked at in as many blocks as another choice.
    pub fn of_order(
        samples: &'a [Sample<'b, S>],
        order: S::Order,
        other: &Choice<S::Order>,
    ) -> Result<Race<'a, 'b, S>, Error> {
        let mut race = Race::new(samples, std::iter::once((0, order)));
        race.look_at(other.sampled)?;
        Ok(race)
    }

    /// One order with each pair of fastest dimensions, compared in one round for each side.
    pub fn of_pairs(samples: &'a [Sample<'b, S>]) -> Result<Race<'a, 'b, S>, Error> {
        let pairs = one_with_each_pair(samples[0].side);
        let of_side = |side| pairs.iter().map(move |&pair| (side, pair));
        let mut race = Race::new(samples, (0..samples.len()).flat_map(of_side));
        race.look_at(race.each_of(pairs.len()))?;
        Ok(race)
    }

    /// Only the choices with this side.
    pub fn of_side(&self, side: usize) -> Race<'a, 'b, S> {
        let choices = self.choices.iter().filter(|choice| choice.side == side);
        Race {
            choices: choices.copied().collect(),
            ..*self
        }
    }

    /// The best order of all, where these are the best ones with each pair of fastest dimensions.
    ///
    /// A block is a few planes of the fastest two dimensions: what they are decides most.
    pub fn best(&self) -> Result<Choice<S::Order>, Error> {
        let pairs = self.choices.iter().take(BEST_PAIRS);
        let with_pair_of = |pair: &Choice<S::Order>| {
            let sample = &self.samples[pair.side];
            let mut orders = sample.side.orders();
            orders.retain(|order| fastest::<S>(order, 2) == fastest::<S>(&pair.order, 2));
            let orders = first_with_each(&orders, |order| sample.told_apart_by(order));
            let is_known = |order: &S::Order| S::dimensions(order) == S::dimensions(&pair.order);
            // What was found out about an order in the race of pairs stays known.
            let choices = orders.into_iter().map(|order| match is_known(&order) {
                true => *pair,
                false => Choice::new(pair.side, order),
            });
            choices.collect::<Vec<_>>()
        };
        let race = Race {
            choices: pairs.flat_map(with_pair_of).collect(),
            ..*self
        };
        race.winner()
    }

    /// The share of a round that each of so many choices has, blocks.
    fn each_of(&self, choices: usize) -> usize {
        let blocks = self.round.div_ceil(choices.max(1));
        let even = self
            .samples
            .iter()
            .map(|sample| sample.of_all_slices(blocks));
        even.max().unwrap_or(blocks)
    }

    /// Blocks in a sample.
    fn blocks(&self) -> usize {
        let blocks = self.samples.iter().map(Sample::blocks);
        blocks.max().unwrap_or(0)
    }

    /// Estimated bytes of the stream of the best choice.
    pub fn smallest(&self) -> u64 {
        self.choices.first().map_or(0, |best| self.size(best))
    }

    /// Estimated bytes of the stream of a choice.
    pub fn size(&self, choice: &Choice<S::Order>) -> u64 {
        self.samples[choice.side].estimate(choice.bytes, choice.sampled)
    }

    /// Goes on until so many blocks of the sample have been looked at.
    fn look_at(&mut self, blocks: usize) -> Result<(), Error> {
        let samples = self.samples;
        let mut sides: Vec<usize> = (0..samples.len()).collect();
        sides.sort_by_key(|&side| !samples[side].side.is_prepared());
        for (side, sample) in sides.into_iter().map(|side| (side, &samples[side])) {
            let choices = self.choices.iter_mut().filter(|choice| choice.side == side);
            let choices: Vec<_> = choices.collect();
            if choices.is_empty() {
                continue;
            }
            let orders: Vec<(S::Order, usize)> = choices
                .iter()
                .map(|choice| (choice.order, choice.sampled))
                .collect();
            let end = blocks.min(sample.blocks());
            let bytes = sample.bytes(&orders, end)?;
            for (choice, bytes) in choices.into_iter().zip(bytes) {
                choice.bytes += bytes;
                choice.sampled = choice.sampled.max(end);
            }
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.sort_by_key(|choice| self.size(choice));
        self.choices = choices;
        Ok(())
    }

    /// Compares them in round after round.
    fn winner(mut self) -> Result<Choice<S::Order>, Error> {
        loop {
            let sampled = self.choices.iter().map(|choice| choice.sampled);
            let fewest = sampled.clone().min().unwrap_or(0);
            let most = sampled.max().unwrap_or(0);
            let each = self.each_of(self.choices.len());
            // Those of which nothing was known draw level with the others at least.
            let blocks = (fewest + each).max(most).min(self.blocks());
            self.look_at(blocks)?;
            if self.choices.len() <= GOING_ON || blocks == self.blocks() {
                return Ok(self.choices[0]);
            }
            self.choices.truncate(self.choices.len().div_ceil(GOING_ON));
        }
    }
}
