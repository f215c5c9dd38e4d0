//! Values that moves of other materials lead to: results and mate scores as a prober would give
//! them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::exchanged::{self, Exchanged, InOtherColors, kings_by_band};
use super::layout::{Frame, Layout, Man, PAGE, Squares};
use super::line::{ILLEGAL, Lane, Line, Score, take_best};
use super::pages::{Away, CHUNK, Pages, Place, Window, optional_chunks};
use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::placement::PawnPlacement;
use crate::chess::rules::{Role, Square, attacks};
use crate::chess::symmetry::Symmetry;
use crate::game::Color;
use crate::metric::Wdl;
use crate::parallel;

/// The values of one side to move in a frame.
#[derive(Debug, Default)]
pub(super) struct Lines<S> {
    /// [`Wdl::index`], or [`ILLEGAL`].
    pub results: Pages<u8>,
    /// Scores of [`mate`]; empty if they are not known.
    pub scores: Pages<S>,
}

impl<S: Score> Lines<S> {
    /// Adds the lines of some addresses to the results and, if they are known, to the scores.
    fn extend(
        &mut self,
        addresses: Range<usize>,
        has_scores: bool,
        line: impl Fn(usize) -> (Line<u8>, Line<S>) + Sync,
    ) {
        let results = self.results.room(addresses.len()).chunks_mut(CHUNK);
        let lines = if has_scores { addresses.len() } else { 0 };
        let scores = optional_chunks(self.scores.room(lines));
        parallel::each_item(results.zip(scores), |chunk, (results, scores)| {
            let first = addresses.start + chunk * CHUNK;
            for (place, results) in results.iter_mut().enumerate() {
                let (result, score) = line(first + place);
                *results = result;
                if let Some(scores) = scores.get_mut(place) {
                    *scores = score;
                }
            }
        });
        if has_scores {
            self.scores.settle();
        }
        self.results.settle();
    }

    /// Adds so many lines that come next, which are those of no position unless they are filled.
    fn fill(
        &mut self,
        len: usize,
        has_scores: bool,
        fill: impl FnOnce(&mut [Line<u8>], &mut [Line<S>]),
    ) {
        let results = self.results.room(len);
        let scores = self.scores.room(if has_scores { len } else { 0 });
        clear(results, ILLEGAL);
        clear(scores, S::ILLEGAL);
        fill(results, scores);
        if has_scores {
            self.scores.settle();
        }
        self.results.settle();
    }

    /// No lines of so many, which are kept in a place.
    fn new(lines: usize, place: &Place) -> Lines<S> {
        Lines {
            results: Pages::new(lines, place),
            scores: Pages::new(lines, place),
        }
    }

    /// Whether others have the same kinds of values, and all are in memory.
    fn can_merge(&self, others: &Lines<S>) -> bool {
        let is_away = |lines: &Lines<S>| lines.results.is_away() || lines.scores.is_away();
        !is_away(self) && !is_away(others) && self.scores.is_empty() == others.scores.is_empty()
    }

    /// Takes the best of both for whoever moves there.
    fn merge(&mut self, others: &Lines<S>) {
        (self.results).merge(&others.results, |best, line| take_best(best, line, 0));
        (self.scores).merge(&others.scores, |best, line| take_best(best, line, 0));
    }

    /// Puts away what is in memory.
    pub fn put_away(&mut self, away: &Arc<Away>) {
        self.results.put_away(away, PAGE);
        self.scores.put_away(away, PAGE);
    }

    pub fn open(&self) -> LinesWindow<'_, S> {
        LinesWindow {
            results: self.results.open(),
            scores: self.scores.open(),
        }
    }
}

/// Makes every number of some lines the same.
fn clear<N: Lane>(lines: &mut [Line<N>], number: N) {
    parallel::each_item(lines.chunks_mut(1 << PAGE), |_, lines| {
        lines.fill([number; 64])
    });
}

/// The values of one side to move, as far as they were asked for.
#[derive(Debug)]
pub(super) struct LinesWindow<'a, S> {
    pub results: Window<'a, u8>,
    pub scores: Window<'a, S>,
}

/// The values of a material, slice by slice.
#[derive(Debug)]
pub(super) struct Resolved<S> {
    pub layout: Layout,
    pub slices: Vec<OnceLock<[Lines<S>; 2]>>,
}

/// Lines that a move leads to, and the symmetry that takes the mover's board to theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<'a, S> {
    pub results: &'a Line<u8>,
    pub scores: Option<&'a Line<S>>,
    pub symmetry: Symmetry,
}

impl<S: Score> Resolved<S> {
    /// A material without values so far.
    pub fn new(material: Material) -> Resolved<S> {
        let layout = Layout::new(material);
        Resolved {
            slices: (0..layout.slices()).map(|_| OnceLock::new()).collect(),
            layout,
        }
    }

    /// Gives the memory of some slices back.
    pub fn forget(&mut self, is_forgotten: impl Fn(usize) -> bool) {
        for (slice, lines) in self.slices.iter_mut().enumerate() {
            if is_forgotten(slice) {
                lines.take();
            }
        }
    }

    /// Two kings, which draw wherever they may stand.
    pub fn bare_kings() -> Resolved<S> {
        let kings = Resolved::new(Material::BARE_KINGS);
        let frame = kings.layout.frame(0);
        let lines = || {
            let legal = (0..frame.addresses).map(|address| {
                let king = Square::wrapping(frame.squares(address)[0].into());
                !(attacks::king(king) | king.bit())
            });
            fn line<N: Copy>(legal: u64, value: N, illegal: N) -> Line<N> {
                std::array::from_fn(|square| match legal >> square & 1 {
                    0 => illegal,
                    _ => value,
                })
            }
            let drawn = Wdl::Draw.index() as u8;
            let results = legal.clone().map(|set| line(set, drawn, ILLEGAL));
            let scores = legal.map(|set| line(set, S::DRAW, S::ILLEGAL));
            Lines {
                results: Pages::here(results.collect()),
                scores: Pages::here(scores.collect()),
            }
        };
        let _ = kings.slices[0].set([lines(), lines()]);
        kings
    }

    /// The values through a new window.
    pub fn open(&self) -> ResolvedWindow<'_, S> {
        let first = self.slices.iter().find_map(OnceLock::get);
        let is_away = first
            .into_iter()
            .flatten()
            .any(|lines| lines.results.is_away());
        let windows = if is_away { self.slices.len() } else { 0 };
        ResolvedWindow {
            resolved: self,
            slices: (0..windows).map(|_| OnceLock::new()).collect(),
        }
    }

    fn has_scores(&self) -> bool {
        let mut slices = self.slices.iter().filter_map(OnceLock::get).flatten();
        slices.any(|lines| !lines.scores.is_empty())
    }

    /// The same values with White and Black in each other's place, with one side to move.
    pub fn with_colors_exchanged(&self, side: Color, away: Option<&Arc<Away>>) -> Resolved<S> {
        let exchanged = Resolved::new(self.layout.material.with_colors_exchanged());
        let has_scores = self.has_scores();
        let window = self.open();
        parallel::each(exchanged.layout.slices(), |slice| {
            let frame = &exchanged.layout.frame(slice);
            let men = |squares: &Squares| {
                let men = || frame.placement(squares).without_white_king();
                frame.is_in_order(squares).then(men)
            };
            let mut lines = [Lines::default(), Lines::default()];
            let of_side = &mut lines[side.index()];
            *of_side = Lines::new(frame.addresses, &Place::new(away, PAGE));
            of_side.fill(frame.addresses, has_scores, |results, scores| {
                let values = OfSide(&window, !side);
                Exchanged { frame, men }.take(&values, u64::MAX, results, scores);
            });
            let _ = exchanged.slices[slice].set(lines);
        });
        exchanged
    }
}

/// Windows of a slice, by side to move.
type BothSides<'a, S> = Box<[LinesWindow<'a, S>; 2]>;

/// The values of a material, as far as they were asked for.
#[derive(Debug)]
pub(super) struct ResolvedWindow<'a, S> {
    resolved: &'a Resolved<S>,
    /// None if the values are in memory.
    slices: Box<[OnceLock<BothSides<'a, S>>]>,
}

impl<S: Score> ResolvedWindow<'_, S> {
    /// The lines of a placement, whose black king is left aside, in these colours.
    #[inline]
    pub fn reach(&self, placement: &Placement, side: Color) -> Option<Reached<'_, S>> {
        let (slice, address, symmetry) = self.resolved.layout.locate(placement);
        let lines = self.resolved.slices[slice].get()?;
        let Some(window) = self.slices.get(slice) else {
            let lines = &lines[side.index()];
            return Some(Reached {
                results: lines.results.line_here(address)?,
                scores: lines.scores.line_here(address),
                symmetry,
            });
        };
        let open = || Box::new(lines.each_ref().map(Lines::open));
        let window = &window.get_or_init(open)[side.index()];
        Some(Reached {
            results: window.results.get(address)?,
            scores: window.scores.get(address),
            symmetry,
        })
    }
}

/// Values with one side to move.
struct OfSide<'a, 'v, S>(&'a ResolvedWindow<'v, S>, Color);

impl<S: Score> InOtherColors<S> for OfSide<'_, '_, S> {
    fn find(&self, placement: &Placement) -> Option<exchanged::Found<'_, S>> {
        let OfSide(window, side) = self;
        let reached = window.reach(placement, *side)?;
        Some((reached.results, reached.scores, reached.symmetry))
    }
}

/// By the man taken, its colour and role, and what the taking pawn became, if it did.
type ByCapture<T> = [[[Option<T>; 7]; 6]; 2];

/// The materials that captures lead to.
#[derive(Debug, Default)]
pub(super) struct Captures<S> {
    materials: Vec<Arc<Resolved<S>>>,
    /// Which of the materials.
    targets: ByCapture<u8>,
}

impl<S: Score> Captures<S> {
    /// Looks up the materials that captures of a material lead to; those in the other colours are
    /// laid out anew.
    pub fn new(
        material: &Material,
        known: &HashMap<Material, Arc<Resolved<S>>>,
        away: Option<&Arc<Away>>,
    ) -> Captures<S> {
        let mut captures = Captures::default();
        let mut numbers: HashMap<Material, u8> = HashMap::new();
        for color in Color::ALL {
            let mut victims = material.side(color);
            victims.dedup();
            for victim in victims.into_iter().filter(|&role| role != Role::King) {
                let taken = material.without(color, victim);
                let mut targets = vec![(None, taken)];
                if material.count(!color, Role::Pawn) > 0 && victim != Role::Pawn {
                    targets.extend(Role::PROMOTIONS.map(|role| {
                        (
                            Some(role),
                            taken.without(!color, Role::Pawn).with(!color, role),
                        )
                    }));
                }
                for (promotion, target) in targets {
                    let Some(values) = known.get(&target.normal_form()) else {
                        continue;
                    };
                    let materials = &mut captures.materials;
                    let number = *numbers.entry(target).or_insert_with(|| {
                        materials.push(match target.is_normal() {
                            true => Arc::clone(values),
                            // Who has lost a man moves next.
                            false => Arc::new(values.with_colors_exchanged(color, away)),
                        });
                        (materials.len() - 1) as u8
                    });
                    captures.targets[color.index()][victim.index()][place(promotion)] =
                        Some(number);
                }
            }
        }
        captures
    }

    /// The values through a new window.
    pub fn open(&self) -> CaptureWindows<'_, S> {
        let windows: Vec<ResolvedWindow<'_, S>> =
            self.materials.iter().map(|values| values.open()).collect();
        CaptureWindows {
            windows,
            targets: &self.targets,
        }
    }
}

/// What captures lead to, as far as it was asked for.
#[derive(Debug)]
pub(super) struct CaptureWindows<'a, S> {
    windows: Vec<ResolvedWindow<'a, S>>,
    targets: &'a ByCapture<u8>,
}

impl<'a, S: Score> CaptureWindows<'a, S> {
    /// What taking a man leads to.
    #[inline]
    pub fn of(
        &self,
        color: Color,
        victim: Role,
        promotion: Option<Role>,
    ) -> Option<&ResolvedWindow<'a, S>> {
        let number = self.targets[color.index()][victim.index()][place(promotion)]?;
        self.windows.get(usize::from(number))
    }
}

/// Where captures with a promotion are found, and those without.
fn place(promotion: Option<Role>) -> usize {
    promotion.map_or(6, Role::index)
}

/// A promotion that leads from one material, in its normal form, to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Promotion {
    pub material: Material,
    pub color: Color,
    pub role: Role,
}

/// Values by the slice a pawn comes from and the square it reaches.
type ByPlace<S> = HashMap<(usize, u8), Vec<Lines<S>>>;

/// Values that promotions lead to, whatever the pawn becomes: by material and the pawn's colour,
/// then by the slice it comes from and the square it reaches, at the addresses of that slice.
#[derive(Debug, Default)]
pub(super) struct Promoted<S> {
    lines: HashMap<(Material, Color), ByPlace<S>>,
}

impl<S: Score> Promoted<S> {
    /// What promotions from a slice lead to. The best of several is meant.
    pub fn lines(&self, material: Material, color: Color, slice: usize, square: u8) -> &[Lines<S>] {
        let of_color = self.lines.get(&(material, color));
        of_color
            .and_then(|of_color| of_color.get(&(slice, square)))
            .map_or(&[], Vec::as_slice)
    }

    /// Forgets what promotions of a material lead to.
    pub fn forget(&mut self, material: &Material) {
        self.lines.retain(|(from, _), _| from != material);
    }

    /// Keeps what is found: of what is in memory only the best.
    pub fn extend(&mut self, found: Vec<Found<S>>) {
        for Found {
            promotion,
            place,
            lines,
        } in found
        {
            let of_color = self.lines.entry((promotion.material, promotion.color));
            let all = of_color.or_default().entry(place).or_default();
            match all.last_mut() {
                Some(best) if best.can_merge(&lines) => best.merge(&lines),
                _ => all.push(lines),
            }
        }
    }
}

/// A part of a slice that promotions lead to.
#[derive(Debug)]
pub(super) struct Found<S> {
    promotion: Promotion,
    place: (usize, u8),
    lines: Lines<S>,
}

/// A promotion that leads to a material, seen from there.
#[derive(Debug)]
pub(super) struct Wanted {
    promotion: Promotion,
    /// The material that promotes.
    from: Layout,
    /// Whether the promoted material is kept in the other colours.
    exchanged: bool,
    /// Where what is found is kept.
    place: Place,
}

impl Wanted {
    /// The promotions of some materials that lead to one material, whose values are to be kept in a
    /// place.
    pub fn from(later: &[Material], material: &Material, place: &Place) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        for &from in later {
            for color in Color::ALL {
                if from.count(color, Role::Pawn) == 0 {
                    continue;
                }
                for role in Role::PROMOTIONS {
                    let promoted = from.without(color, Role::Pawn).with(color, role);
                    if promoted.normal_form() == *material {
                        wanted.push(Wanted {
                            promotion: Promotion {
                                material: from,
                                color,
                                role,
                            },
                            from: Layout::new(from),
                            exchanged: !promoted.is_normal(),
                            place: place.clone(),
                        });
                    }
                }
            }
        }
        wanted
    }

    /// The promoted man, in the colours in which the material is kept.
    pub fn arrives_as(&self) -> Man {
        let Promotion { color, role, .. } = self.promotion;
        (if self.exchanged { !color } else { color }, role)
    }

    /// Puts away the part of a solved slice that the promotion leads to. `is_away` says that the
    /// slice itself waits in a file.
    pub fn find<S: Score>(
        &self,
        values: &Resolved<S>,
        slice: usize,
        is_away: bool,
    ) -> Vec<Found<S>> {
        let Promotion { color, role, .. } = self.promotion;
        let pawns = values.layout.pawns.placement(slice);
        let pawns = if self.exchanged {
            pawns.with_colors_exchanged()
        } else {
            pawns
        };
        let mut sides = vec![pawns, pawns.mirrored()];
        sides.dedup();
        let (rank, back) = match color {
            Color::White => (56, 48),
            Color::Black => (0, 8),
        };
        let mut arrivals = Vec::new();
        for rest in sides {
            for file in 0..8u8 {
                let pawn = 1 << (back + file);
                if rest.all() & pawn != 0 {
                    continue;
                }
                let before = rest.with(color, rest.of(color) | pawn);
                let (from, mirrored) = self.from.pawns.locate(before);
                if mirrored {
                    continue;
                }
                let place = (from, rank + file);
                let arrivals_there = Arrivals {
                    wanted: self,
                    from: self.from.frame(from),
                    rest,
                    role,
                    square: rank + file,
                };
                arrivals.push((place, arrivals_there));
            }
        }
        let (places, arrivals): (Vec<_>, Vec<_>) = arrivals.into_iter().unzip();
        let lines = match self.exchanged {
            true => self.lines_of_other_colors(&arrivals, values, is_away),
            false => self.lines(&arrivals, values, is_away),
        };
        let found = places.into_iter().zip(lines);
        found
            .map(|(place, lines)| Found {
                promotion: self.promotion,
                place,
                lines,
            })
            .collect()
    }

    /// The values after promotions on some squares, of a material that is kept in the other
    /// colours.
    fn lines_of_other_colors<S: Score>(
        &self,
        arrivals: &[Arrivals<'_>],
        values: &Resolved<S>,
        is_away: bool,
    ) -> Vec<Lines<S>> {
        // White's king is the other king there, so any address may lead to any band.
        let bands = kings_by_band(!values.layout.material.has_pawns(), is_away);
        // A slice that is not in bands is unpacked once for all.
        let window = values.open();
        self.for_all(arrivals, |arrivals| {
            let mut lines = Lines::new(self.from.addresses(), &self.place);
            if let Some((away, _)) = &self.place.away {
                away.clear();
            }
            lines.fill(
                self.from.addresses(),
                values.has_scores(),
                |results, scores| {
                    let mut take = |window: &ResolvedWindow<'_, S>, kings: u64| {
                        let exchanged = Exchanged {
                            frame: &arrivals.from,
                            men: |squares: &Squares| arrivals.men(squares),
                        };
                        let values = OfSide(window, self.promotion.color);
                        exchanged.take(&values, kings, results, scores);
                    };
                    match bands[..] {
                        [all] => take(&window, all),
                        _ => (bands.iter()).for_each(|&kings| take(&values.open(), kings)),
                    }
                },
            );
            lines
        })
    }

    /// What is found for each item. The lines of a small frame are one page, which one thread puts
    /// away; other threads take the next item then.
    fn for_all<I: Send, T: Send>(
        &self,
        items: impl IntoIterator<Item = I>,
        find: impl Fn(I) -> T + Sync,
    ) -> Vec<T> {
        match self.from.addresses() <= 1 << PAGE {
            true => parallel::map_items(items, |_, item| find(item)),
            false => items.into_iter().map(find).collect(),
        }
    }

    /// The values after promotions on some squares, all of a band before the next: they ask for the
    /// same pages.
    fn lines<S: Score>(
        &self,
        arrivals: &[Arrivals<'_>],
        values: &Resolved<S>,
        is_away: bool,
    ) -> Vec<Lines<S>> {
        let has_scores = values.has_scores();
        let no_lines = || Lines::new(self.from.addresses(), &self.place);
        let mut all: Vec<Lines<S>> = arrivals.iter().map(|_| no_lines()).collect();
        for band in self.from.frame(0).bands(is_away) {
            let window = values.open();
            self.for_all(arrivals.iter().zip(&mut all), |(arrivals, lines)| {
                lines.extend(band.clone(), has_scores, |address| {
                    arrivals.line(&window, address)
                });
            });
        }
        all
    }
}

/// The values after a promotion, at the addresses from which it is played.
struct Arrivals<'a> {
    wanted: &'a Wanted,
    from: Frame,
    /// The pawns that are left.
    rest: PawnPlacement,
    role: Role,
    square: u8,
}

impl Arrivals<'_> {
    /// The men after the promotion, without the black king; none if another man is there, or
    /// identical ones are not in order.
    fn placement(&self, squares: &Squares) -> Option<Placement> {
        self.promoted(self.from.placement(squares), squares)
    }

    /// The same without the white king.
    fn men(&self, squares: &Squares) -> Option<Placement> {
        let men = self.from.placement(squares).without_white_king();
        self.promoted(men, squares)
    }

    fn promoted(&self, mut placement: Placement, squares: &Squares) -> Option<Placement> {
        let color = self.wanted.promotion.color.index();
        if placement.occupied() >> self.square & 1 != 0 || !self.from.is_in_order(squares) {
            return None;
        }
        placement.men[color][Role::Pawn.index()] = self.rest.of(self.wanted.promotion.color);
        placement.men[color][self.role.index()] |= 1 << self.square;
        Some(placement)
    }

    fn line<S: Score>(
        &self,
        window: &ResolvedWindow<'_, S>,
        address: usize,
    ) -> (Line<u8>, Line<S>) {
        let side = !self.wanted.promotion.color;
        let placement = self.placement(&self.from.squares(address));
        match placement.and_then(|placement| window.reach(&placement, side)) {
            Some(reached) => (
                Lane::turned(reached.results, reached.symmetry),
                (reached.scores).map_or([S::ILLEGAL; 64], |scores| {
                    Lane::turned(scores, reached.symmetry)
                }),
            ),
            None => ([ILLEGAL; 64], [S::ILLEGAL; 64]),
        }
    }
}
