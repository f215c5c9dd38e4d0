//! A slice that is solved without the values of all of its positions in memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::division::Division;
use super::exchange::ExchangedColors;
use super::on_card::CardSets;
use super::own::{Kept, OwnSlices};
use super::slice::SliceRules;
use super::solved::{Conversions, SideValues, SliceValues};
use super::space::Space;
use super::view::SideView;
use super::{SolveOptions, board::ChessBoard, sweep};
use crate::card::Card;
use crate::chess::material::Material;
use crate::error::SolveError;
use crate::game::Color;
use crate::parallel;
use crate::retro::fixpoint::{
    ChainOptions, Chains, Distance, Fixed, Found, Outside, SetsInMemory, StoredSlab, Unsolved,
    Values, Wanted, gather, solve_chains, solve_symmetric_chains,
};
use crate::retro::quiet::SharedMoves;
use crate::retro::words::Words;
use crate::simd::Width;
use crate::store::{Record, RecordKind, Scratch};

/// Slabs whose values are made side by side where all are put together.
const SLABS_AT_A_TIME: usize = 16;

/// The distances that others see.
const SEEN: Wanted = Wanted {
    to_zeroing: false,
    to_mate: true,
};

/// Where what is collected of a slab is: of both sides to move, and where there are pawns their
/// conversions.
#[derive(Clone, Copy, Debug, Default)]
struct StoredSides {
    fixed: [StoredSlab; 2],
    conversions: [StoredSlab; 2],
}

impl StoredSides {
    fn record(&self, scratch: &Scratch, slab: usize) -> io::Result<()> {
        let mut record = Record::default();
        for stored in self.fixed.iter().chain(&self.conversions) {
            stored.note(&mut record);
        }
        scratch.record(RecordKind::Fixed.of([slab, 0, 0]), &record)
    }
}

/// What was collected of a slab by the program before.
fn recall(scratch: &Scratch, slab: usize) -> Option<StoredSides> {
    let record = scratch.recall(RecordKind::Fixed.of([slab, 0, 0]))?;
    let reader = &mut record.reader();
    let mut noted = || Some([StoredSlab::noted(reader)?, StoredSlab::noted(reader)?]);
    Some(StoredSides {
        fixed: noted()?,
        conversions: noted()?,
    })
}

/// The values of a slice, made again for some consecutive addresses whenever somebody asks for
/// them.
#[derive(Debug)]
pub struct SlabValues {
    material: Material,
    chains: Chains<u64>,
    /// Zeroing moves that change the material, where there are others.
    conversions: Option<Outside<u64>>,
    mates: bool,
    /// Whether there are values with White to move only.
    only_white: bool,
    width: Width,
}

/// What is collected of slabs, zeroing moves that are kept apart with it.
type Collected = (Vec<[StoredSlab; 2]>, Vec<[StoredSlab; 2]>);

/// Collects what is fixed of some consecutive addresses, by slabs, but for what is recorded in
/// `scratch`. `rules` prepares what moves at some addresses lead to.
fn collect<'a>(
    material: &Material,
    (all, slab): (Range<usize>, usize),
    scratch: &Scratch,
    rules: impl Fn(Range<usize>) -> Result<SliceRules<'a>, SolveError> + Sync,
    options: SolveOptions<'_>,
) -> Result<Collected, SolveError> {
    let told = |reason: Unsolved| reason.of(material);
    let addresses = |number: usize| {
        let start = all.start + number * slab;
        start..all.end.min(start + slab)
    };
    let slabs = 0..all.len().div_ceil(slab);
    let recalled: Vec<Option<StoredSides>> = slabs.map(|slab| recall(scratch, slab)).collect();
    // What captures lead to is the same for all slabs, and stays as long as one has it.
    let first = match recalled.iter().all(Option::is_some) {
        true => None,
        false => Some(rules(addresses(0))?),
    };
    let collected = parallel::try_map_items(recalled, |slab, recalled| {
        let (None, Some(first)) = (&recalled, &first) else {
            return Ok(recalled.unwrap_or_default());
        };
        if options.watch.is_cancelled() {
            return Err(told(Unsolved::Cancelled));
        }
        let own = match (slab, material.has_pawns()) {
            (0, _) | (_, false) => None,
            (_, true) => Some(rules(addresses(slab))?),
        };
        let rules = own.as_ref().unwrap_or(first);
        let ([white, black], conversions) = rules.collect(options.width, addresses(slab));
        let [white_conversions, black_conversions] = conversions;
        let put = |fixed: &Fixed<u64>| StoredSlab::new(scratch, fixed);
        let put_conversions = |conversions: Option<Conversions>| match conversions {
            Some(conversions) => put(&conversions.into()),
            None => Ok(StoredSlab::default()),
        };
        let put_all = || {
            let stored = StoredSides {
                fixed: [put(&white)?, put(&black)?],
                conversions: [
                    put_conversions(white_conversions)?,
                    put_conversions(black_conversions)?,
                ],
            };
            stored.record(scratch, slab)?;
            Ok(stored)
        };
        put_all().map_err(|error: io::Error| told(error.into()))
    })?;
    Ok(collected
        .into_iter()
        .map(|stored| (stored.fixed, stored.conversions))
        .unzip())
}

/// By what means a slice, or a part of it, is solved.
struct Means<'a, M> {
    moves: M,
    /// A card, which takes the moves from a space.
    card: Option<(&'a dyn Card, &'a Space<ChessBoard>)>,
    exchange: Option<&'a ExchangedColors<'a>>,
}

/// Collects what is fixed of some consecutive addresses, in slabs of some words, and solves them:
/// what was solved, and conversions where there are others.
fn solve_part<'a>(
    material: &Material,
    (addresses, slab): (Range<usize>, usize),
    scratch: &Arc<Scratch>,
    means: Means<'_, impl SharedMoves<Word = u64>>,
    rules: impl Fn(Range<usize>) -> Result<SliceRules<'a>, SolveError> + Sync,
    options: SolveOptions<'_>,
) -> Result<(Chains<u64>, Option<Outside<u64>>), SolveError> {
    let words = addresses.len();
    let (fixed, conversions) = collect(material, (addresses, slab), scratch, rules, options)?;
    let stored = |slabs| Outside::new(Arc::clone(scratch), words, slab, slabs);
    let outside = stored(fixed);
    let mut found = Found::recall(&outside);
    let limits = options.limits();
    let how = ChainOptions {
        limits,
        width: options.width,
        watch: options.watch,
    };
    // A card is faster with the second chain than the processor with the images of the first.
    let mut on_card = means.card.map(|(card, space)| {
        let sets = CardSets::new(card, space, &outside)?;
        solve_chains(sets, &outside, how, &mut found)
    });
    if let Some(Err(Unsolved::Card(why))) = on_card {
        options.watch.goes_on_without_card(why);
        on_card = None;
    }
    let in_memory = || {
        let sets = SetsInMemory::new(means.moves, &outside, options.width);
        match means.exchange {
            Some(exchange) => {
                let exchange = (exchange, options.both_sides);
                solve_symmetric_chains(sets, &outside, exchange, how, &mut found)
            }
            None => solve_chains(sets, &outside, how, &mut found),
        }
    };
    let solved = on_card.unwrap_or_else(in_memory);
    solved.map_err(|reason| reason.of(material))?;
    let conversions = material.has_pawns().then(|| stored(conversions));
    Ok((found.into_chains(outside, limits), conversions))
}

impl SlabValues {
    /// Collects what is fixed and solves, but for what is recorded in `scratch`. `rules` prepares
    /// what moves at some addresses lead to. Where several ranks do so together, the first one gets
    /// all values, and each other one those of its own slabs.
    pub(super) fn solve<'a>(
        material: Material,
        space: &'a Space<ChessBoard>,
        scratch: Arc<Scratch>,
        division: Option<&Division<'_>>,
        rules: impl Fn(Range<usize>) -> Result<SliceRules<'a>, SolveError> + Sync,
        options: SolveOptions<'_>,
    ) -> Result<SlabValues, SolveError> {
        let mut only_white = false;
        let (chains, conversions) = match division {
            None => {
                let all = (0..space.words, options.slab);
                let lines = sweep::LineTable::new(space);
                let moves = sweep::SliceMoves::new(space, &lines);
                let exchange = ExchangedColors::new(&material, space);
                only_white = exchange.is_some() && !options.both_sides;
                let means = Means {
                    moves,
                    card: options.card.map(|card| (card, space)),
                    exchange: exchange.as_ref(),
                };
                solve_part(&material, all, &scratch, means, rules, options)?
            }
            Some(division) => {
                let own = (division.place.own.clone(), division.slab);
                let own_space = space.with_first_on(division.places.clone());
                let lines = sweep::LineTable::new(&own_space);
                let moves = sweep::RankMoves::new(space, &own_space, &lines, division.ranks);
                let means = Means {
                    moves,
                    card: None,
                    exchange: None,
                };
                let solved = solve_part(&material, own, &scratch, means, rules, options)?;
                gather(division.ranks, solved, &division.place, &scratch)
                    .map_err(|reason| reason.of(&material))?
            }
        };
        Ok(SlabValues {
            material,
            chains,
            conversions,
            mates: options.mates,
            only_white,
            width: options.width,
        })
    }

    /// Whether there are values with White to move only, of which those with Black to move are the
    /// images, and with Black to move only [`lost_by_black`](Self::lost_by_black).
    #[must_use]
    pub fn are_only_white(&self) -> bool {
        self.only_white
    }

    /// The positions of a slab with Black to move that are lost.
    ///
    /// # Errors
    ///
    /// If the scratch file cannot be read.
    pub fn lost_by_black(&self, slab: usize) -> Result<Vec<u64>, SolveError> {
        let lost = self.chains.lost(1, slab).map_err(Unsolved::from);
        lost.map_err(|reason| reason.of(&self.material))
    }

    /// Where what values are made from is.
    #[must_use]
    pub fn scratch(&self) -> &Arc<Scratch> {
        self.chains.outside().scratch()
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// Whether mates are longer than a byte can say.
    #[must_use]
    pub fn are_wide(&self) -> bool {
        self.mates && self.chains.are_wide()
    }

    /// Words of a side.
    #[must_use]
    pub fn words(&self) -> usize {
        self.addresses(self.slabs() - 1).end
    }

    /// The number of slabs.
    #[must_use]
    pub fn slabs(&self) -> usize {
        self.chains.outside().slabs()
    }

    /// The addresses of a slab.
    #[must_use]
    pub fn addresses(&self, slab: usize) -> Range<usize> {
        self.chains.addresses(slab)
    }

    /// The values of one side to move (0 is White) in a slab; distances only if they are wanted,
    /// and those to mate if they are known.
    ///
    /// # Errors
    ///
    /// If a distance does not fit, the scratch file cannot be read, or there are values with White
    /// to move only.
    pub fn side(&self, side: usize, slab: usize, wanted: Wanted) -> Result<SideValues, SolveError> {
        let with_scores = wanted.to_mate && self.mates;
        let make = || -> Result<SideValues, Unsolved> {
            let outside = self.chains.outside();
            let fixed = outside.fixed(side, slab, with_scores)?;
            let conversions = match &self.conversions {
                Some(outside) => Some(outside.fixed(side, slab, with_scores)?.into()),
                None => None,
            };
            let values = self.decided(side, slab, wanted)?;
            Ok(SideValues::new(fixed, conversions, values, self.width))
        };
        make().map_err(|reason| reason.of(&self.material))
    }

    /// Reads what the values of one side to move in a slab are made from, so that whoever asks for
    /// them soon does not wait for the disk.
    pub fn read_ahead(&self, side: usize, slab: usize, wanted: Wanted) {
        let wanted = Wanted {
            to_mate: wanted.to_mate && self.mates,
            ..wanted
        };
        self.chains.read_ahead(side, slab, wanted);
        if let Some(conversions) = &self.conversions {
            conversions.read_ahead(side, slab, wanted.to_mate);
        }
    }

    /// The positions of a slab that each ply decided with one side to move, in order: those that
    /// are won or those that are lost, mated ones at ply 0. Addresses begin with 0.
    ///
    /// # Errors
    ///
    /// If the scratch file cannot be read, or there are values with White to move only.
    pub fn plies(
        &self,
        side: usize,
        slab: usize,
        distance: Distance,
        won: bool,
    ) -> Result<impl Iterator<Item = Result<(u32, Words<u64>), SolveError>>, SolveError> {
        let told = |error: io::Error| Unsolved::from(error).of(&self.material);
        if side == 1 && self.only_white {
            return Err(told(io::ErrorKind::Unsupported.into()));
        }
        let plies = self.chains.plies(side, slab, distance, won);
        Ok(plies.map(move |ply| ply.map_err(told)))
    }

    /// Reads ahead what [`plies`](Self::plies) and values without distances are made from.
    pub fn read_plies_ahead(&self, side: usize, slab: usize, wanted: Wanted) {
        let outside = [Some(self.chains.outside()), self.conversions.as_ref()];
        for outside in outside.into_iter().flatten() {
            outside.read_ahead(side, slab, false);
        }
        self.chains.read_plies_ahead(side, slab, wanted);
    }

    /// What others see of one side to move in a slab: zeroing moves are not brought back for that.
    fn seen_side(&self, side: usize, slab: usize) -> Result<SideValues, SolveError> {
        let make = || -> Result<SideValues, Unsolved> {
            let legal = self.chains.outside().legal(side, slab)?;
            Ok(SideValues::seen(legal, self.decided(side, slab, SEEN)?))
        };
        make().map_err(|reason| reason.of(&self.material))
    }

    fn decided(&self, side: usize, slab: usize, wanted: Wanted) -> Result<Values<u64>, Unsolved> {
        if side == 1 && self.only_white {
            return Err(io::Error::from(io::ErrorKind::Unsupported).into());
        }
        let wanted = Wanted {
            to_mate: wanted.to_mate && self.mates,
            ..wanted
        };
        self.chains.values(side, slab, wanted, self.width)
    }

    /// All values of one side together.
    ///
    /// # Errors
    ///
    /// Those of [`side`](Self::side).
    pub fn whole_side(&self, side: usize, wanted: Wanted) -> Result<SideValues, SolveError> {
        let slabs = parallel::try_map(self.slabs(), |slab| self.side(side, slab, wanted))?;
        let mut slabs = slabs.into_iter();
        let mut values = slabs.next().unwrap_or_default();
        slabs.for_each(|slab| values.extend(&slab));
        Ok(values)
    }

    /// What others see of one side at some addresses, which begin and end with slabs.
    ///
    /// # Errors
    ///
    /// Those of [`side`](Self::side).
    pub fn view(
        &self,
        turn: Color,
        with_stalemates: bool,
        addresses: &Range<usize>,
    ) -> Result<SideView<'static>, SolveError> {
        put_together(self.addresses(0).len(), addresses, |slab| {
            let values = self.seen_side(turn.index(), slab)?;
            Ok(SideView::of(&values, with_stalemates).into_owned())
        })
    }

    /// All values of both sides together.
    ///
    /// # Errors
    ///
    /// Those of [`side`](Self::side).
    pub fn whole(&self) -> Result<SliceValues, SolveError> {
        let all = Wanted {
            to_zeroing: true,
            to_mate: true,
        };
        Ok([self.whole_side(0, all)?, self.whole_side(1, all)?])
    }
}

/// Puts together what is seen at some addresses, which begin and end with slabs of so many words.
pub(super) fn put_together(
    slab: usize,
    addresses: &Range<usize>,
    see: impl Fn(usize) -> Result<SideView<'static>, SolveError> + Sync,
) -> Result<SideView<'static>, SolveError> {
    let (first, end) = (addresses.start / slab, addresses.end.div_ceil(slab));
    let mut all = SideView::with_capacity(addresses.len());
    // Some slabs at a time: all values of a side are more than what is seen of them.
    for first in (first..end).step_by(SLABS_AT_A_TIME) {
        let slabs = first..end.min(first + SLABS_AT_A_TIME);
        for words in parallel::try_map_items(slabs, |_, slab| see(slab))? {
            all.extend(&words);
        }
    }
    Ok(all)
}

/// A slice of which somebody wants to see the values.
pub trait Seen: Sync {
    /// Words of a side.
    fn words(&self) -> usize;

    /// Words of a slab, where values are not in memory.
    fn slab(&self) -> Option<usize>;

    /// What others see of one side at some addresses, which begin and end with slabs; without
    /// stalemates.
    ///
    /// # Errors
    ///
    /// If a distance does not fit, or what values are made from cannot be read.
    fn seen(&self, turn: Color, addresses: &Range<usize>) -> Result<SideView<'_>, SolveError>;
}

impl Seen for SolvedSlice {
    fn words(&self) -> usize {
        match self {
            SolvedSlice::Whole(values) => values[0].legal.len(),
            SolvedSlice::Slabs(slabs) => slabs.words(),
        }
    }

    fn slab(&self) -> Option<usize> {
        match self {
            SolvedSlice::Whole(_) => None,
            SolvedSlice::Slabs(slabs) => Some(slabs.addresses(0).len()),
        }
    }

    fn seen(&self, turn: Color, addresses: &Range<usize>) -> Result<SideView<'_>, SolveError> {
        match self {
            SolvedSlice::Slabs(slabs) => slabs.view(turn, false, addresses),
            SolvedSlice::Whole(_) => self.view(turn, false),
        }
    }
}

/// A slice that has just been solved.
#[derive(Debug)]
pub enum SolvedSlice {
    /// All of its values.
    Whole(Box<SliceValues>),
    /// What its values are made from.
    Slabs(Box<SlabValues>),
}

impl SolvedSlice {
    /// All values of both sides.
    ///
    /// # Errors
    ///
    /// Those of [`SlabValues::side`].
    pub fn into_values(self) -> Result<SliceValues, SolveError> {
        match self {
            SolvedSlice::Whole(values) => Ok(*values),
            SolvedSlice::Slabs(slabs) => slabs.whole(),
        }
    }

    /// Whether mates are longer than a byte can say.
    #[must_use]
    pub fn are_wide(&self) -> bool {
        match self {
            SolvedSlice::Whole(values) => values.iter().any(|side| side.dtm.are_wide()),
            SolvedSlice::Slabs(slabs) => slabs.are_wide(),
        }
    }

    /// The scratch file of its plies.
    pub(super) fn plies(&self) -> Option<Arc<Scratch>> {
        match self {
            SolvedSlice::Whole(_) => None,
            SolvedSlice::Slabs(slabs) => Some(Arc::clone(slabs.scratch())),
        }
    }

    /// What others see of one side.
    ///
    /// # Errors
    ///
    /// Those of [`SlabValues::side`].
    pub fn view(&self, turn: Color, with_stalemates: bool) -> Result<SideView<'_>, SolveError> {
        match self {
            SolvedSlice::Whole(values) => Ok(SideView::of(&values[turn.index()], with_stalemates)),
            SolvedSlice::Slabs(slabs) => slabs.view(turn, with_stalemates, &(0..slabs.words())),
        }
    }

    /// Leaves what other slices read.
    ///
    /// # Errors
    ///
    /// Those of [`SlabValues::side`] and of the scratch file.
    pub(super) fn leave(
        &self,
        own: &OwnSlices<'_>,
        slice: usize,
        with_stalemates: bool,
    ) -> Result<(), SolveError> {
        for turn in Color::ALL {
            if !own.is_read(slice, turn) {
                continue;
            }
            let put = |view: SideView<'_>| own.put_away(&view);
            let kept = match (own.slab(), own.division(), self) {
                (None, ..) => {
                    let view = self.view(turn, with_stalemates)?.into_owned();
                    Kept::InMemory(Arc::new(view))
                }
                (Some(_), Some(division), SolvedSlice::Slabs(slabs)) => {
                    let here = division.own_slabs_here();
                    let seen = parallel::try_map_items(here, |_, slab| {
                        let values = slabs.seen_side(turn.index(), slab)?;
                        put(SideView::of(&values, with_stalemates))
                    })?;
                    own.share(slice, turn, seen)?
                }
                (Some(slab), ..) => {
                    let slabs = self.view_by_slabs(turn, with_stalemates, slab, put)?;
                    Kept::stored(slabs)
                }
            };
            own.insert(slice, turn, kept);
        }
        Ok(())
    }

    /// What others see of one side, in slabs of some words: what `visit` says of each, in order.
    ///
    /// # Errors
    ///
    /// Those of [`SlabValues::side`] and of `visit`.
    pub fn view_by_slabs<T: Send>(
        &self,
        turn: Color,
        with_stalemates: bool,
        slab: usize,
        visit: impl Fn(SideView<'_>) -> Result<T, SolveError> + Sync,
    ) -> Result<Vec<T>, SolveError> {
        let all = match self {
            SolvedSlice::Slabs(slabs) if slabs.addresses(0).len() == slab => {
                return parallel::try_map(slabs.slabs(), |slab| {
                    let values = slabs.seen_side(turn.index(), slab)?;
                    visit(SideView::of(&values, with_stalemates))
                });
            }
            _ => self.view(turn, with_stalemates)?,
        };
        let words = all.legal.len();
        parallel::try_map(words.div_ceil(slab), |number| {
            visit(all.words(number * slab..words.min((number + 1) * slab)))
        })
    }
}
