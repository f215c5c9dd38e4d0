//! The moves of what one rank has of a slice: some places of the first man, in chess squares of the
//! white king.
//!
//! All moves but those of the first man stay within a rank. He may go to a place of another one, so
//! each rank is told what others have at the places next to its own, called *planes* here: after
//! each ply the newest positions. What is open there it is told once, and takes the newest
//! positions away itself.
//!
//! With two ranks and KRvK, the first one has the white king on a1, b1, c1, d1 and b2, the second
//! one on c2, d2, c3, d3 and d4. From c1 he goes to c2 and d2, and from there a1 is never a move
//! away: so the first rank is told of the planes c2, d2 and c3 (from b2), and not of d3 and d4.

use std::io;
use std::ops::Range;

use super::neighbours::address_after_turn;
use super::turn::{mapped_places, mapped_row};
use super::{LineTable, SliceMoves, add};
use crate::chess::solve::space::{Board, Moves, Space, Turned};
use crate::game::Bits;
use crate::retro::layer::{Layer, add_to_slab, recount_slab};
use crate::retro::quiet::{Among, SharedMoves};
use crate::retro::ranks::Ranks;
use crate::retro::words::{Words, encoded};
use crate::simd::{Kernel, Width};

/// Words that a thread takes at a time, at most.
const TASK: usize = 1 << 14;

/// The places of the first man that a rank has, of so many.
#[must_use]
pub fn places_of(rank: usize, ranks: usize, places: usize) -> Range<usize> {
    rank * places / ranks..(rank + 1) * places / ranks
}

/// Where the first man can go, and where he can come from.
#[derive(Debug)]
struct FirstMan {
    side: usize,
    /// For each place, those a move away.
    forth: Vec<Vec<Turned>>,
    /// For each place, those from which it is a move away; where two symmetric twins of a position
    /// are there, both.
    back: Vec<Vec<Turned>>,
    /// For each symmetry and each other man, the mapped contribution of each of his places to the
    /// address.
    maps: Vec<Vec<Vec<usize>>>,
}

impl FirstMan {
    fn new<B: Board>(space: &Space<B>) -> FirstMan {
        let first = &space.axes[0];
        let (forth, back) = match &first.moves {
            Moves::Turn { forth, back } => (forth.clone(), back.clone()),
            Moves::Leap(targets) => {
                let straight = |&place: &u8| Turned { place, symmetry: 0 };
                let of_place = |targets: &Vec<u8>| targets.iter().map(straight).collect();
                let forth: Vec<Vec<Turned>> = targets.iter().map(of_place).collect();
                (forth.clone(), forth)
            }
            Moves::Slide(_) | Moves::Stay => Default::default(),
        };
        FirstMan {
            side: first.side,
            forth,
            back,
            maps: mapped_places(space),
        }
    }

    /// The places that may be reached from some.
    fn next_to(&self, places: Range<usize>) -> Vec<usize> {
        let mut found: Vec<usize> = self.forth[places.clone()]
            .iter()
            .flatten()
            .map(|turned| turned.place.into())
            .filter(|place| !places.contains(place))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The quiet moves of one rank.
#[derive(Debug)]
pub struct RankMoves<'a, B: Board> {
    whole: &'a Space<B>,
    inner: SliceMoves<'a, B>,
    ranks: &'a dyn Ranks,
    first: FirstMan,
    /// Its own places.
    own: Range<usize>,
    /// By rank, its own places that a rank is told of.
    told: Vec<Vec<usize>>,
    /// By place, what others have there: the newest positions of the first man's opponent, and
    /// those that are open.
    newest: Vec<Option<Layer<B::Word>>>,
    open: Vec<Vec<B::Word>>,
}

impl<'a, B: Board> RankMoves<'a, B> {
    /// The moves of a rank in its part of a slice, whose first man must slide nowhere; `lines` are
    /// those of the part.
    #[must_use]
    pub fn new(
        whole: &'a Space<B>,
        part: &'a Space<B>,
        lines: &'a LineTable,
        ranks: &'a dyn Ranks,
    ) -> Self {
        let first = FirstMan::new(whole);
        let places = first.forth.len();
        let own_of = |rank| places_of(rank, ranks.count(), places);
        let own = own_of(ranks.rank());
        let told = (0..ranks.count()).map(|rank| {
            let mut asked = match rank == ranks.rank() {
                true => Vec::new(),
                false => first.next_to(own_of(rank)),
            };
            asked.retain(|place| own.contains(place));
            asked
        });
        let told = told.collect();
        let mut newest: Vec<Option<Layer<B::Word>>> = Vec::new();
        newest.resize_with(places, || None);
        for place in first.next_to(own.clone()) {
            newest[place] = Some(Layer::new(whole.axes[0].stride));
        }
        RankMoves {
            whole,
            inner: SliceMoves::new(part, lines),
            ranks,
            own,
            told,
            newest,
            open: vec![Vec::new(); places],
            first,
        }
    }

    /// Words of a plane.
    fn stride(&self) -> usize {
        self.whole.axes[0].stride
    }

    /// The words of its own at a place.
    fn own_plane<'s>(&self, set: &'s [B::Word], place: usize) -> &'s [B::Word] {
        let start = (place - self.own.start) * self.stride();
        &set[start..start + self.stride()]
    }

    /// Gives each rank what it is told of, place by place, and hands out what others tell.
    fn swap(
        &self,
        plane: impl Fn(usize) -> Vec<u8>,
        mut told: impl FnMut(usize, &[u8]) -> Option<()>,
    ) -> io::Result<()> {
        let outgoing = self.told.iter().map(|places| {
            let mut bytes = Vec::new();
            for &place in places {
                let plane = plane(place);
                bytes.push(place as u8);
                bytes.extend((plane.len() as u64).to_le_bytes());
                bytes.extend(plane);
            }
            bytes
        });
        for bytes in self.ranks.swap(outgoing.collect())? {
            let mut rest = &bytes[..];
            while let Some((&place, after)) = rest.split_first() {
                let mut hand_out = || {
                    let (len, after) = after.split_first_chunk()?;
                    let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
                    let (plane, after) = after.split_at_checked(len)?;
                    told(place.into(), plane)?;
                    Some(after)
                };
                rest = hand_out().ok_or(io::ErrorKind::InvalidData)?;
            }
        }
        Ok(())
    }

    /// What there is of a set at each place: its own, and what others told; empty where nobody
    /// asks.
    fn planes<'s>(
        &self,
        own: &'s [B::Word],
        told: impl Fn(usize) -> Option<&'s [B::Word]>,
    ) -> Vec<&'s [B::Word]> {
        let places = 0..self.first.forth.len();
        let plane = |place: usize| match self.own.contains(&place) {
            true => self.own_plane(own, place),
            false => told(place).unwrap_or_default(),
        };
        places.map(plane).collect()
    }

    /// The moves of the first man, towards each word of a set of this rank.
    fn hop(
        &self,
        planes: &[&[B::Word]],
        goal: Goal<'_, B::Word>,
        target: &mut Layer<B::Word>,
        width: Width,
    ) {
        let stride = self.stride();
        let task = stride.min(TASK);
        let Ok(()) = target.change_slabs(task, |number, set, active| {
            let at = number * task;
            width.run(Hop {
                whole: self.whole,
                first: &self.first,
                place: self.own.start + at / stride,
                at: at % stride,
                planes,
                goal: match goal {
                    Goal::Add(wanted) => Goal::Add(&wanted[at..at + set.len()]),
                    Goal::TakeAway => Goal::TakeAway,
                },
                target: &mut *set,
            });
            recount_slab(set, active);
            Ok::<(), std::convert::Infallible>(())
        });
    }

    /// What moves within this rank find, and then those of the first man, to and from where others
    /// are: nothing is decided before both are done.
    fn within_and_beyond(
        &self,
        side: usize,
        mut among: Among<'_, B::Word>,
        found: &mut Layer<B::Word>,
        within: impl FnOnce(Among<'_, B::Word>, &mut Layer<B::Word>),
        beyond: impl FnOnce(&[B::Word], &mut Layer<B::Word>),
    ) {
        if side != self.first.side {
            within(among, found);
            return;
        }
        within(among.undecided(), found);
        beyond(among.set, found);
        among.take_away(&found.set);
    }

    /// Takes the positions away in which the first man has a move into what is open, here or where
    /// others are.
    fn escape_to_others(&self, open: &[B::Word], candidates: &mut Layer<B::Word>, width: Width) {
        let planes = self.planes(open, |place| Some(&self.open[place]));
        self.hop(&planes, Goal::TakeAway, candidates, width);
    }

    /// The first man's moves back from single words at a place, into the words of one of its own.
    fn push_from(
        &self,
        (from, to): (usize, usize),
        words: impl Iterator<Item = (usize, B::Word)> + Clone,
        set: &mut [B::Word],
        active: &mut [u64],
    ) {
        let stride = self.stride();
        for turned in &self.first.back[from] {
            if usize::from(turned.place) != to {
                continue;
            }
            let pushed = words.clone().map(|(address, word)| {
                let mut squares = [0; 8];
                self.whole.squares(from * stride + address, &mut squares);
                let at = address_after_turn(self.whole, &squares, *turned) - to * stride;
                (at, B::pull(B::inverse(turned.symmetry.into()), word))
            });
            add_to_slab(set, active, pushed);
        }
    }
}

impl<B: Board> SharedMoves for RankMoves<'_, B> {
    type Word = B::Word;

    fn words(&self) -> usize {
        SharedMoves::words(&self.inner)
    }

    fn all_words(&self) -> usize {
        self.whole.words
    }

    fn reach_shared(
        &self,
        side: usize,
        into: &Layer<B::Word>,
        among: Among<'_, B::Word>,
        reached: &mut Layer<B::Word>,
        width: Width,
    ) {
        let within = |among: Among<'_, B::Word>, reached: &mut Layer<B::Word>| {
            self.inner.reach_shared(side, into, among, reached, width);
        };
        self.within_and_beyond(side, among, reached, within, |wanted, reached| {
            let newest = |place: usize| Some(&self.newest[place].as_ref()?.set[..]);
            let planes = self.planes(&into.set, newest);
            self.hop(&planes, Goal::Add(wanted), reached, width);
        });
    }

    fn escape_shared(
        &self,
        side: usize,
        into: &[B::Word],
        among: Among<'_, B::Word>,
        candidates: &mut Layer<B::Word>,
        width: Width,
    ) {
        let within = |among: Among<'_, B::Word>, candidates: &mut Layer<B::Word>| {
            self.inner
                .escape_shared(side, into, among, candidates, width);
        };
        self.within_and_beyond(side, among, candidates, within, |_, candidates| {
            self.escape_to_others(into, candidates, width);
        });
    }

    fn stuck_shared(
        &self,
        side: usize,
        into: &[B::Word],
        among: Among<'_, B::Word>,
        stuck: &mut Layer<B::Word>,
        width: Width,
    ) {
        let within = |among: Among<'_, B::Word>, stuck: &mut Layer<B::Word>| {
            self.inner.stuck_shared(side, into, among, stuck, width);
        };
        self.within_and_beyond(side, among, stuck, within, |_, stuck| {
            self.escape_to_others(into, stuck, width);
        });
    }

    fn push_shared(&self, side: usize, into: &Layer<B::Word>, from: &mut Layer<B::Word>) {
        self.inner.push_shared(side, into, from);
        if side != self.first.side {
            return;
        }
        let stride = self.stride();
        let Ok(()) = from.change_slabs(stride, |number, set, active| {
            let to = self.own.start + number;
            for place in self.own.clone() {
                let base = (place - self.own.start) * stride;
                let words = into.addresses_in(stride, place - self.own.start);
                let words = words.map(|at| (at - base, into.set[at]));
                self.push_from((place, to), words, set, active);
            }
            for (place, newest) in self.newest.iter().enumerate() {
                if let Some(newest) = newest {
                    let words = newest.addresses().map(|at| (at, newest.set[at]));
                    self.push_from((place, to), words, set, active);
                }
            }
            Ok::<(), std::convert::Infallible>(())
        });
    }

    fn having_a_move_into_open(
        &self,
        side: usize,
        address: usize,
        word: B::Word,
        open: &[B::Word],
    ) -> B::Word {
        let inner = &self.inner;
        let mut found = inner.having_a_move_into_open(side, address, word, open);
        if side != self.first.side || found == word {
            return found;
        }
        let stride = self.stride();
        let place = self.own.start + address / stride;
        let mut squares = [0; 8];
        let in_whole = place * stride + address % stride;
        self.whole.squares(in_whole, &mut squares);
        for turned in &self.first.forth[place] {
            let to = usize::from(turned.place);
            let plane = match self.own.contains(&to) {
                true => self.own_plane(open, to),
                false => &self.open[to],
            };
            let at = address_after_turn(self.whole, &squares, *turned) - to * stride;
            found |= word & B::pull(turned.symmetry.into(), plane[at]);
        }
        found
    }

    fn tell_open(&mut self, side: usize, open: &[B::Word]) -> io::Result<()> {
        let mut told = vec![Vec::new(); self.open.len()];
        if side != self.first.side {
            let words = self.stride();
            self.swap(
                |place| encoded(self.own_plane(open, place).iter().copied().enumerate()),
                |place, bytes| {
                    let plane: &mut Vec<B::Word> = told.get_mut(place)?;
                    *plane = vec![B::Word::ZERO; words];
                    for (address, word) in Words::of(bytes, words) {
                        *plane.get_mut(address)? = word;
                    }
                    Some(())
                },
            )?;
        }
        self.open = told;
        Ok(())
    }

    fn tell_newest(&mut self, side: usize, newest: &Layer<B::Word>) -> io::Result<()> {
        if side == self.first.side {
            return Ok(());
        }
        let stride = self.stride();
        let mut told = std::mem::take(&mut self.newest);
        let mut open = std::mem::take(&mut self.open);
        for plane in told.iter_mut().flatten() {
            plane.clear();
        }
        self.swap(
            |place| {
                let number = place - self.own.start;
                let words = newest.addresses_in(stride, number);
                encoded(words.map(|at| (at - number * stride, newest.set[at])))
            },
            |place, bytes| {
                let plane = told.get_mut(place)?.as_mut()?;
                let open = &mut open[place];
                for (address, word) in Words::<B::Word, _>::of(bytes, stride) {
                    if word.is_empty() {
                        return None;
                    }
                    plane.insert(address, word);
                    if let Some(open) = open.get_mut(address) {
                        *open &= !word;
                    }
                }
                Some(())
            },
        )?;
        (self.newest, self.open) = (told, open);
        Ok(())
    }

    fn sum(&self, own: usize) -> io::Result<usize> {
        let all = self.ranks.tell(own as u64)?;
        Ok(all.iter().sum::<u64>() as usize)
    }

    fn least(&self, own: Option<u32>) -> io::Result<Option<u32>> {
        let all = self.ranks.tell(own.map_or(u64::MAX, u64::from))?;
        let least = all.into_iter().min();
        Ok(least.and_then(|least| u32::try_from(least).ok()))
    }
}

/// What happens to the positions from which there is a move.
#[derive(Clone, Copy, Debug)]
enum Goal<'a, W> {
    /// Those of a set are added.
    Add(&'a [W]),
    TakeAway,
}

/// The first man's moves towards some words at one of his places.
struct Hop<'a, B: Board> {
    whole: &'a Space<B>,
    first: &'a FirstMan,
    place: usize,
    /// Words from where the plane begins.
    at: usize,
    planes: &'a [&'a [B::Word]],
    goal: Goal<'a, B::Word>,
    target: &'a mut [B::Word],
}

impl<B: Board> Kernel for Hop<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let row = self.whole.axes.last().map_or(1, |last| last.squares.len());
        let mut reached = vec![B::Word::ZERO; row];
        let mut turned = vec![B::Word::ZERO; row];
        for (number, target) in self.target.chunks_exact_mut(row).enumerate() {
            let start = number * row;
            reached.fill(B::Word::ZERO);
            for to in &self.first.forth[self.place] {
                let plane = self.planes[usize::from(to.place)];
                let symmetry = usize::from(to.symmetry);
                if symmetry == 0 {
                    add(&mut reached, &plane[self.at + start..][..row]);
                    continue;
                }
                let Some((last, slower)) = self.first.maps[symmetry].split_last() else {
                    continue;
                };
                let words = &plane[mapped_row(self.whole, slower, self.at + start)..][..row];
                if words.iter().all(|word| word.is_empty()) {
                    continue;
                }
                for (word, &place) in turned.iter_mut().zip(last) {
                    *word = B::pull(symmetry, words[place]);
                }
                add(&mut reached, &turned);
            }
            match self.goal {
                Goal::Add(wanted) => {
                    let wanted = &wanted[start..start + row];
                    for ((word, &more), &wanted) in target.iter_mut().zip(&reached).zip(wanted) {
                        *word |= more & wanted;
                    }
                }
                Goal::TakeAway => {
                    for (word, &less) in target.iter_mut().zip(&reached) {
                        *word &= !less;
                    }
                }
            }
        }
    }
}
