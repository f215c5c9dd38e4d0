//! One slice: the numbers of the files become values, as a prober sees them, and every value is
//! compared with those its moves lead to.
//!
//! A number that is not needed, because a capture or promotion decides, is replaced by what that
//! decides. The values of a side that no file has are those its moves lead to; then the stored side
//! is compared with values two plies ahead, which leaves one solution as well, as distances grow
//! with every ply.

use std::ops::Range;

use rayon::prelude::*;

use super::compare::{Compared, Comparison};
use super::files::{LoadError, Numbers, Twin};
use super::layout::{Canonical, Frame, Legality, Squares};
use super::line::{ILLEGAL, Lane, Line, Score, Worth, key};
use super::men::{At, Men};
use super::moves::{Best, Expect, Expected, Moves, Targets};
use super::numbers::{DistanceCode, Distances, Mates, Resolve};
use super::pages::{Around, CHUNK, Pages, optional_chunks};
use super::part::Part;
use super::places::{NumberPlaces, Places};
use super::quiet::BestOfRow;
use super::reading::{NumbersFrom, OpenNumbers, SideNumbers, Taken, ValueLine};
use super::resolved::Lines;
use super::source::{Source, sides};
use super::steps::{SideValues, Step, for_each_step};
use super::strange::{Strange, Strangeness};
use super::work::{BestNumbers, LineWork};
use crate::chess::rules::Role;
use crate::game::{Bits, Color};
use crate::metric::{Metric, Wdl};
use crate::parallel;
use crate::probe::Format;
use crate::simd::Width;
use crate::verify::report::Found;

pub(super) const DRAW: u8 = Wdl::Draw.index() as u8;

/// The values of a slice.
#[derive(Debug)]
pub(super) struct SliceValues<'a, S> {
    pub targets: Targets<'a, S>,
    pub sides: [SideValues<S>; 2],
    /// Numbers that are wrong whatever the moves lead to.
    pub strange: [Found; 2],
    /// What comparing a side gave, if that was done while its values were derived: both ask for the
    /// same moves.
    pub compared: [Option<Compared>; 2],
    /// What captures, promotions and pawn moves lead to, by side to move; empty unless a comparison
    /// is to ask for it again and there is memory for it. In memory, where there are positions.
    pub zeroing: [Lines<S>; 2],
    /// Whether promotions are left to the prober as captures are.
    leaves_promotions: bool,
    places: Places,
    /// By address, as it is asked for several times; empty if the slice is not in memory, or not
    /// the whole of it is asked for.
    legality: Vec<Legality>,
}

impl<'a, S: Score> SliceValues<'a, S> {
    /// Reads a slice and resolves its numbers. Distances are of use only for a slice that is asked
    /// for; where it is to be compared as well, this may be done for one side on the way.
    pub fn load(
        source: &Source,
        targets: Targets<'a, S>,
        part: &Part,
        (is_asked, comparison): (bool, Option<Comparison<'_>>),
        places: Places,
    ) -> Result<SliceValues<'a, S>, LoadError> {
        let frame = targets.frame;
        let is_derived = |side: Color| source.is_derived(Metric::Dtm, side, frame);
        let derives_results = |side: Color| source.is_derived(Metric::Wdl, side, frame);
        // A man that has just arrived leaves its square with the next move of its side, so what
        // that side's results are derived from may be anywhere.
        let part = match Color::ALL.into_iter().any(derives_results) {
            true => &Part::Whole,
            false => part,
        };
        // What is derived is derived from the other side's values.
        let both = part.with_both_turns();
        let part_of = |side: Color| match part.has_side(!side) && is_derived(!side) {
            true => &both,
            false => part,
        };
        let mut values = SliceValues {
            targets,
            sides: Default::default(),
            strange: Default::default(),
            compared: Default::default(),
            zeroing: Default::default(),
            leaves_promotions: source.leaves_promotions(),
            legality: match (part, &places.own) {
                (Part::Whole, None) => frame.all_legality(),
                _ => Vec::new(),
            },
            places,
        };
        // Keys are derived while results are read, and mate scores with them: looking for the moves
        // is most of the work. What a Syzygy file has is not complete before all is read, and of a
        // side whose results are derived nothing is known before.
        let derives_keys = |side: Color| {
            is_asked
                && source.format() == Format::Native
                && source.is_derived(Metric::Dtz, side, frame)
                && !derives_results(!side)
        };
        let mut order = Color::ALL;
        order.sort_by_key(|&side| (derives_results(side), derives_keys(side)));
        for side in order {
            let part = part_of(side);
            if !part.has_side(side) {
                continue;
            }
            let (numbers, taken) = values.numbers(source, side, part, is_asked)?;
            // What the moves lead to has to be known as a whole.
            let are_scores_known = !source.has(Metric::Dtm) || values.has_scores(!side);
            let reading = SideNumbers {
                comparison: comparison.filter(|_| derives_keys(side) && are_scores_known),
                in_place: [taken.results.is_some(), taken.scores.is_some()],
                has: numbers.metrics(),
                code: source.distance_code(side.index(), frame),
                draw_in_file: source.draw_in_file(),
                part,
                side,
                derives_keys: derives_keys(side),
                derives_scores: derives_keys(side) && is_derived(side),
                keeps_zeroing: comparison.is_some()
                    && !derives_keys(side)
                    && side.index() < sides(source.material())
                    && values.places.own.is_none(),
            };
            let mut twins = numbers.twins();
            let resolved = values.resolve(source, &reading, numbers, taken)?;
            let (own, mut found) = (resolved.values, resolved.found);
            values.compared[side.index()] = reading.comparison.map(|_| resolved.compared);
            values.zeroing[side.index()] = resolved.zeroing;
            twins.retain(|twin| values.is_in(part, side, twin.address));
            found.extend(values.unlike_twins(source, side, &own, &twins, &reading.code));
            if side.index() < sides(source.material()) {
                values.strange[side.index()] = found;
            }
            values.sides[side.index()] = own;
        }
        if source.has(Metric::Dtm) {
            for side in Color::ALL.into_iter().filter(|&side| part.has_side(side)) {
                if !values.has_scores(side) {
                    values.sides[side.index()].lines.scores = values.derive_scores(side, part);
                }
            }
        }
        if is_asked {
            values.find_keys(source);
        }
        Ok(values)
    }

    pub fn frame(&self) -> &'a Frame {
        self.targets.frame
    }

    /// The numbers of a side, and those that become values where they are. Distances to zeroing are
    /// read if they are asked for.
    fn numbers<'s>(
        &self,
        source: &'s Source,
        side: Color,
        part: &Part,
        is_asked: bool,
    ) -> Result<(NumbersFrom<'s>, Taken<S>), LoadError>
    where
        'a: 's,
    {
        let frame = self.frame();
        let is_read = Metric::ALL.map(|metric| {
            (metric != Metric::Dtz || is_asked) && source.is_stored(metric, side.index(), frame)
        });
        if self.places.own.is_some()
            && let Some(bands) = source.by_bands(side.index(), frame, is_read)?
        {
            return Ok((NumbersFrom::Bands(Box::new(bands)), Taken::NOTHING));
        }
        let mut places = NumberPlaces::new(&self.places);
        let mut read = |metric: Metric| {
            if is_read[usize::from(metric.number())] {
                let place = places.next(source.bytes_of_numbers(metric, frame));
                source.numbers(metric, side.index(), frame, part, &place)
            } else {
                Ok(Numbers::default())
            }
        };
        let mut numbers = [read(Metric::Wdl)?, read(Metric::Dtz)?, read(Metric::Dtm)?];
        let taken = match self.places.own {
            None => Taken::of(&mut numbers),
            Some(_) => Taken::NOTHING,
        };
        Ok((NumbersFrom::Frame(Box::new(numbers)), taken))
    }

    /// Whether the mate scores of a side are known.
    pub fn has_scores(&self, side: Color) -> bool {
        !self.sides[side.index()].lines.scores.is_empty()
    }

    /// Whether an address has values that somebody asks for.
    fn is_in(&self, part: &Part, side: Color, address: usize) -> bool {
        let frame = self.frame();
        let squares = frame.squares(address);
        frame.is_in_order(&squares) && part.has(side, &frame.men, &squares)
    }

    #[inline(always)]
    pub fn men(&self, address: usize) -> Men {
        self.men_on(address, self.frame().squares(address))
    }

    /// The men at an address whose squares are known.
    #[inline(always)]
    pub fn men_on(&self, address: usize, squares: Squares) -> Men {
        let frame = self.frame();
        let placement = frame.placement(&squares);
        let legality = match self.legality.get(address) {
            Some(&legality) => legality,
            None => frame.legality(&squares, &placement),
        };
        Men {
            squares,
            placement,
            legality,
        }
    }

    /// Which positions of an address are legal.
    #[inline]
    pub fn legality(&self, address: usize) -> Legality {
        match self.legality.get(address) {
            Some(&legality) => legality,
            None => self.men(address).legality,
        }
    }

    /// What stands for itself at an address.
    pub fn canonical(&self, address: usize, men: &Men) -> Option<Canonical> {
        self.frame().canonical(address, &men.squares)
    }

    /// Where the values wait.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Where a position is wrong, in words.
    fn strange(&self, source: &Source) -> Strange {
        Strange {
            material: *source.material(),
            format: source.format(),
        }
    }

    /// Goes through all addresses, with what the moves of a side lead to from there.
    ///
    /// # Errors
    ///
    /// The first that `take` returns.
    pub fn steps<E>(
        &self,
        side: Color,
        take: impl FnMut(&Step<'_, '_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_away = self.places.own.is_some();
        for_each_step(&self.targets, &self.sides[(!side).index()], is_away, take)
    }

    /// Goes through all addresses, where nothing can go wrong.
    pub fn all_steps(&self, side: Color, mut take: impl FnMut(&Step<'_, '_, S>)) {
        let taken = self.steps(side, |step| {
            take(step);
            Ok::<(), std::convert::Infallible>(())
        });
        match taken {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }

    /// Turns the numbers of a side into values. What was `taken` of them is not among the numbers
    /// any more.
    fn resolve(
        &self,
        source: &Source,
        reading: &SideNumbers<'_, S>,
        mut numbers: NumbersFrom<'_>,
        taken: Taken<S>,
    ) -> Result<ResolvedSide<S>, LoadError> {
        let side = reading.side;
        let addresses = self.frame().addresses;
        let (results, scores) = (taken.results, taken.scores);
        let mut own = SideValues {
            lines: Lines {
                results: results.unwrap_or_else(|| self.places.kept_pages(addresses)),
                scores: scores.unwrap_or_else(|| self.places.kept_pages(addresses)),
            },
            keys: self.places.pages(addresses),
        };
        let mut found = Found::default();
        let mut compared = Compared::default();
        let mut zeroing = Lines {
            results: self.places.pages(addresses),
            scores: self.places.pages(addresses),
        };
        let has_scores = source.has(Metric::Dtm);
        let strange = self.strange(source);
        self.steps(side, |step| {
            let numbers = numbers.of_band(reading.part, &step.band)?;
            let numbers = OpenNumbers::new(reading, numbers);
            let start = step.addresses.start;
            let len = step.addresses.len();
            let lines = |is_known: bool| if is_known { len } else { 0 };
            let results = own.lines.results.room(len);
            let scores = own.lines.scores.room(lines(reading.gives_scores()));
            let keys = own.keys.room(lines(reading.gives_keys()));
            let zeroing_results = zeroing.results.room(lines(reading.keeps_zeroing));
            let zeroing_scores = (zeroing.scores).room(lines(reading.keeps_zeroing && has_scores));
            let lines = results.chunks_mut(CHUNK);
            let lines = lines
                .zip(optional_chunks(scores))
                .zip(optional_chunks(keys))
                .zip(optional_chunks(zeroing_results).zip(optional_chunks(zeroing_scores)));
            let more = parallel::map_items(lines, |chunk, (lines, zeroing)| {
                let ((results, scores), keys) = lines;
                let mut found = Found::default();
                let mut work = LineWork::default();
                let first = start + chunk * CHUNK;
                let end = first + results.len();
                for (address, (place, results)) in (first..).zip(results.iter_mut().enumerate()) {
                    let line = ValueLine {
                        results,
                        scores: scores.get_mut(place),
                        keys: keys.get_mut(place),
                        zeroing: zeroing.0.get_mut(place),
                        zeroing_scores: zeroing.1.get_mut(place),
                    };
                    let kings = self.resolve_address(step, &numbers, address, line, &mut work);
                    if kings != [0; 3] {
                        let men = self.men(address);
                        for (metric, kings) in Metric::ALL.into_iter().zip(kings) {
                            for king in kings.ones() {
                                let what = Strangeness::Meaningless;
                                found
                                    .add(|| strange.told(metric, &men.placement, side, king, what));
                            }
                        }
                    }
                }
                if let Some(comparison) = &reading.comparison {
                    comparison.advance(&(first..end));
                }
                (found, work.comparing.finish())
            });
            for (more, compared_there) in more {
                found.extend(more);
                compared = std::mem::take(&mut compared).and(compared_there);
            }
            own.lines.results.settle();
            own.lines.scores.settle();
            own.keys.settle();
            zeroing.results.settle();
            zeroing.scores.settle();
            Ok(())
        })?;
        Ok(ResolvedSide {
            values: own,
            found,
            compared,
            zeroing,
        })
    }

    /// Turns the numbers of an address into values; returns where they have no meaning, by metric.
    fn resolve_address(
        &self,
        step: &Step<'_, '_, S>,
        numbers: &OpenNumbers<'_, '_, S>,
        address: usize,
        mut line: ValueLine<'_, S>,
        work: &mut LineWork<S>,
    ) -> [u64; 3] {
        let reading = numbers.reading;
        let side = reading.side;
        let (frame, squares) = (self.frame(), self.frame().squares(address));
        if !frame.is_in_order(&squares) {
            line.take_no_position();
            return [0; 3];
        }
        if !reading.part.has(side, &frame.men, &squares) {
            return [0; 3];
        }
        if reading.has[0] && !reading.in_place[0] {
            *line.results = *numbers.results(address);
        }
        let men = self.men_on(address, squares);
        let at = men.at(side, address);
        if men.legality.legal[side.index()] == 0 {
            line.take_no_position();
            return [0; 3];
        }
        let captures = step
            .moves
            .captures(&men.placement, side, men.attacked_by_white());
        if reading.derives_results() {
            *line.results = self.derived_results(step, at, captures, work);
        }
        let stored_scores = match reading.derives_scores {
            true => None,
            false => line.scores.as_deref_mut(),
        };
        let mates = stored_scores.map(|scores| {
            if !reading.in_place[1] {
                *scores = numbers.scores(address);
            }
            Mates {
                scores,
                draw: reading.draw_in_file,
            }
        });
        if reading.derives_keys {
            let reached = self.leading_on(step.moves, at, captures, false);
            let width = step.moves.width;
            let strange = self.resolve_line(width, at, &reached, line.results, mates, None);
            self.derive_line(step, at, captures, line, reading, work);
            return strange;
        }
        let plies;
        let distances = match line.keys {
            Some(keys) => {
                plies = numbers.distances(address);
                Some(Distances {
                    numbers: &plies,
                    code: &reading.code,
                    keys,
                })
            }
            None => None,
        };
        let are_all_asked = distances.is_some() || reading.keeps_zeroing;
        let reached = self.leading_on(step.moves, at, captures, are_all_asked);
        if let Some(results) = line.zeroing {
            *results = reached.zeroing.results;
        }
        if let Some(scores) = line.zeroing_scores {
            *scores = reached.zeroing.scores;
        }
        let width = step.moves.width;
        self.resolve_line(width, at, &reached, line.results, mates, distances)
    }

    /// What moves lead to that are not quiet, but for those that the prober does not look at unless
    /// they are asked for.
    fn leading_on(
        &self,
        moves: &Moves<'_, S>,
        At { side, address, men }: At<'_>,
        captures: Best<S>,
        are_all_asked: bool,
    ) -> LeadingOn<S> {
        let mut zeroing = captures;
        if self.leaves_promotions || are_all_asked {
            moves.take_promotions(address, side, &mut zeroing);
        }
        let probed = match self.leaves_promotions {
            true => zeroing,
            false => captures,
        };
        if are_all_asked && men.placement.of(side, Role::Pawn) != 0 {
            zeroing.take(&moves.pushes(&men.placement, side));
        }
        LeadingOn { probed, zeroing }
    }

    /// Resolves a line that has positions; returns where numbers have no meaning, by metric.
    fn resolve_line(
        &self,
        width: Width,
        At { side, address, men }: At<'_>,
        reached: &LeadingOn<S>,
        results: &mut Line<u8>,
        scores: Option<Mates<'_, S>>,
        distances: Option<Distances<'_>>,
    ) -> [u64; 3] {
        let legal = men.legality.legal[side.index()];
        let resolve = Resolve {
            legal,
            best: &reached.probed,
            zeroing: &reached.zeroing.results,
            results,
            scores,
            distances,
        };
        let strange = width.run(resolve);
        if strange == [0; 3] {
            return strange;
        }
        let canonical = self.canonical(address, men).map_or(0, |own| own.positions);
        strange.map(|kings| kings & canonical & legal)
    }

    /// Those of the numbers of mirror images that do not stand for the values of the positions
    /// themselves.
    fn unlike_twins(
        &self,
        source: &Source,
        side: Color,
        own: &SideValues<S>,
        twins: &[Twin],
        code: &DistanceCode,
    ) -> Found {
        if twins.is_empty() {
            return Found::default();
        }
        let (moves, own) = (self.targets.open(), own.open());
        let is_unlike = |twin: &&Twin| {
            let own_results = own.results.line(twin.address);
            let mut results = *own_results;
            let mut keys = [0; 64];
            let king = twin.king as usize;
            if results[king] == ILLEGAL {
                return false;
            }
            let numbers = [twin.number.into(); 64];
            let distances = match twin.metric {
                Metric::Dtz => Some(Distances {
                    numbers: &numbers,
                    code,
                    keys: &mut keys,
                }),
                _ => {
                    results = [twin.number; 64];
                    None
                }
            };
            let men = self.men(twin.address);
            let at = men.at(side, twin.address);
            let captures = moves.captures(&men.placement, side, men.attacked_by_white());
            let reached = self.leading_on(&moves, at, captures, distances.is_some());
            self.resolve_line(moves.width, at, &reached, &mut results, None, distances);
            match twin.metric {
                Metric::Dtz => keys[king] != own.keys.line(twin.address)[king],
                _ => results[king] != own_results[king],
            }
        };
        let strange = self.strange(source);
        twins
            .par_iter()
            .filter(is_unlike)
            .fold(Found::default, |mut found, twin| {
                let what = Strangeness::UnlikeMirrorImage;
                found.add(|| {
                    let men = self.men(twin.address);
                    strange.told(twin.metric, &men.placement, side, twin.king, what)
                });
                found
            })
            .reduce(Found::default, Found::and)
    }

    /// The best captures, promotions and pawn moves, where identical men are in order.
    pub(super) fn zeroing(&self, moves: &Moves<'_, S>, at: At<'_>) -> Best<S> {
        let At { side, address, men } = at;
        let kept = &self.zeroing[side.index()];
        if let Some(&results) = kept.results.line_here(address) {
            let scores = kept.scores.line_here(address);
            return Best {
                results,
                scores: scores.copied().unwrap_or([S::ILLEGAL; 64]),
            };
        }
        let captures = moves.captures(&men.placement, side, men.attacked_by_white());
        self.zeroing_with(captures, moves, at)
    }

    /// As [`zeroing`](Self::zeroing), the captures being known.
    pub(super) fn zeroing_with(
        &self,
        captures: Best<S>,
        moves: &Moves<'_, S>,
        At { side, address, men }: At<'_>,
    ) -> Best<S> {
        let mut best = captures;
        moves.take_promotions(address, side, &mut best);
        if men.placement.of(side, Role::Pawn) != 0 {
            best.take(&moves.pushes(&men.placement, side));
        }
        best
    }

    /// As [`expect`](Self::expect), the other moves being looked for.
    pub(super) fn expected<N: Mated>(
        &self,
        moves: &Moves<'_, S>,
        reached: (Around<'_, N>, Option<Around<'_, S>>),
        at: At<'_>,
        work: &mut LineWork<S>,
    ) -> Expected<N, S> {
        let zeroing = self.zeroing(moves, at);
        self.expect(reached, at, &zeroing, work)
    }

    /// What the moves of a side say about a line: its numbers, from those of the other side and from
    /// what moves lead to that are not quiet, and its mate scores, if those are known.
    pub(super) fn expect<N: Mated>(
        &self,
        (numbers, scores): (Around<'_, N>, Option<Around<'_, S>>),
        At { side, address, men }: At<'_>,
        zeroing: &Best<S>,
        work: &mut LineWork<S>,
    ) -> Expected<N, S> {
        let width = self.targets.width;
        work.moves.find(self.frame(), side, address);
        let scores = scores.map(|scores| work.scores.line(&work.moves, scores, address, width));
        let numbers = N::best(&mut work.numbers).line(&work.moves, numbers, address, width);
        let mut expected = width.run(Expect {
            numbers,
            scores,
            zeroing,
        });
        expected.without_moves &= men.legality.legal[side.index()];
        for king in expected.without_moves.ones() {
            let is_mate = men.legality.in_check[side.index()].contains(king);
            let place = king as usize;
            if is_mate {
                expected.numbers[place] = N::MATED;
                expected.scores[place] = S::MATED;
            } else {
                expected.numbers[place] = N::DRAWN;
                expected.scores[place] = S::DRAW;
            }
        }
        expected
    }
}

/// What moves that are not quiet lead to from a line.
struct LeadingOn<S> {
    /// Where the prober looks itself: a number that this decides may be any.
    probed: Best<S>,
    /// Captures, and promotions and pawn moves if they are asked for.
    zeroing: Best<S>,
}

/// A side whose numbers have become values.
struct ResolvedSide<S> {
    values: SideValues<S>,
    /// Numbers without a meaning.
    found: Found,
    /// What comparing them gave, if that was asked for.
    compared: Compared,
    /// See [`SliceValues::zeroing`].
    zeroing: Lines<S>,
}

/// A number for positions without moves.
pub(super) trait Mated: Worth {
    const MATED: Self;
    const DRAWN: Self;

    /// The best of such numbers.
    fn best(numbers: &mut BestNumbers) -> &mut BestOfRow<Self>;
}

impl Mated for u8 {
    const MATED: u8 = Wdl::Loss.index() as u8;
    const DRAWN: u8 = DRAW;

    fn best(numbers: &mut BestNumbers) -> &mut BestOfRow<u8> {
        &mut numbers.results
    }
}

impl Mated for i16 {
    const MATED: i16 = key::MATED;
    const DRAWN: i16 = key::DRAWN;

    fn best(numbers: &mut BestNumbers) -> &mut BestOfRow<i16> {
        &mut numbers.keys
    }
}

/// Adds the lines of some addresses, of which each is filled by `line`.
pub(super) fn fill<N: Lane, S: Score>(
    pages: &mut Pages<N>,
    addresses: &Range<usize>,
    line: impl Fn(&mut LineWork<S>, usize, &mut Line<N>) + Sync,
) {
    let chunks = pages.room(addresses.len()).chunks_mut(CHUNK);
    parallel::each_item(chunks, |chunk, lines| {
        let mut work = LineWork::default();
        let first = addresses.start + chunk * CHUNK;
        for (place, filled) in lines.iter_mut().enumerate() {
            line(&mut work, first + place, filled);
        }
    });
    pages.settle();
}
