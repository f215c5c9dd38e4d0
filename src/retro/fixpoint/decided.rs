//! What chains have decided, and the values of a slab made from that.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::outside::Outside;
use super::plies::Plies;
use super::watch::Distance;
use super::{Limits, Unsolved, Values, line_of};
use crate::game::Bits;
use crate::metric::{Plies as Number, Wdl};
use crate::retro::score::{LONGEST_IN_BYTES, Score, Scores};
use crate::retro::words::Words;
use crate::simd::{Kernel, Width};
use crate::store::{Part, Scratch};

use Wdl::{BlessedLoss, CursedWin, Draw, Loss, Win};

/// A slice that was solved, as what each ply decided.
#[derive(Debug)]
pub struct Chains<W> {
    pub(super) outside: Outside<W>,
    pub(super) limits: Limits,
    /// Results and distances to zeroing, by winner.
    pub(super) decided: [Decided; 2],
    /// By side and slab.
    pub(super) stalemated: [Vec<Part>; 2],
    /// Distances to mate, by winner; the mated positions are those of `decided`.
    pub(super) mates: Option<[Decided; 2]>,
    pub(super) longest: Number,
    /// Whether the mates of each side fit into bytes.
    pub(super) are_bytes: [bool; 2],
}

/// What one side won, and the other lost, ply by ply. Mated positions are lost at ply 0.
#[derive(Debug)]
pub(super) struct Decided {
    pub won: Plies,
    pub lost: Plies,
}

impl Decided {
    pub fn new<W: Bits>(outside: &Outside<W>) -> Decided {
        Decided::of_slabs(outside.scratch(), outside.words(), outside.slab())
    }

    /// Nothing decided of so many words, in slabs of so many.
    pub fn of_slabs(scratch: &Arc<Scratch>, words: usize, slab: usize) -> Decided {
        let plies = || Plies::new(scratch, words, slab);
        Decided {
            won: plies(),
            lost: plies(),
        }
    }

    /// Says where that is which a ply decided, by slabs.
    pub fn insert(&mut self, ply: u32, won: Vec<Part>, lost: Vec<Part>) {
        for (plies, parts) in [(&mut self.won, won), (&mut self.lost, lost)] {
            for (slab, part) in parts.into_iter().enumerate() {
                plies.insert(ply, slab, part);
            }
        }
    }
}

/// What the loser of a chain has lost in a slab.
pub(super) fn lost_at<W: Bits>(decided: &Decided, slab: usize, words: usize) -> io::Result<Vec<W>> {
    let mut lost = vec![W::ZERO; words];
    for of_ply in decided.lost.all(slab) {
        for (address, word) in of_ply?.1 {
            lost[address] |= word;
        }
    }
    Ok(lost)
}

impl<W: Bits> Values<W> {
    /// Nothing is decided in so many words, and nothing is known of distances.
    pub(crate) fn undecided(words: usize) -> Values<W> {
        Values {
            decided: Wdl::ALL.map(|value| match value {
                Draw => Vec::new(),
                _ => vec![W::ZERO; words],
            }),
            stalemate: Vec::new(),
            dtz: Vec::new(),
            dtz_high: Vec::new(),
            dtm: Scores::default(),
            longest: Number(0),
        }
    }
}

/// Which distances are wanted with results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Those to zeroing.
    pub to_zeroing: bool,
    /// Those to mate.
    pub to_mate: bool,
}

/// Adds what a ply has decided to a set, and writes its number at the places of that: two where one
/// is a byte that does not hold it.
struct Store<'a, W, S> {
    words: Words<W>,
    set: &'a mut [W],
    numbers: [Option<(&'a mut Vec<S>, S)>; 2],
}

impl<W: Bits, S: Score> Kernel for Store<'_, W, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [mut first, mut second] = self.numbers;
        for (address, word) in self.words {
            self.set[address] |= word;
            let line = line_of::<W>(address);
            if let Some((numbers, number)) = &mut first {
                S::store(&mut numbers[line.clone()], word, *number);
            }
            if let Some((numbers, number)) = &mut second {
                S::store(&mut numbers[line], word, *number);
            }
        }
    }
}

impl<W: Bits> Chains<W> {
    /// From what both chains have decided, and where the stalemated positions are.
    pub(super) fn new(
        outside: Outside<W>,
        limits: Limits,
        decided: [Decided; 2],
        stalemated: [Vec<Part>; 2],
        mates: [Decided; 2],
    ) -> Chains<W> {
        let last = |side: usize| mates[side].won.last().max(mates[1 - side].lost.last());
        let longest = [0, 1].map(|side| last(side).unwrap_or(0));
        let fits = limits.bytes.min(LONGEST_IN_BYTES);
        Chains {
            limits,
            decided,
            stalemated,
            mates: outside.has_scores().then_some(mates),
            longest: Number(longest[0].max(longest[1])),
            are_bytes: longest.map(|longest| longest <= fits.0),
            outside,
        }
    }

    /// What is fixed outside.
    #[must_use]
    pub fn outside(&self) -> &Outside<W> {
        &self.outside
    }

    /// Whether mates are longer than a byte can say.
    #[must_use]
    pub fn are_wide(&self) -> bool {
        self.are_bytes.contains(&false)
    }

    /// The addresses of a slab.
    #[must_use]
    pub fn addresses(&self, slab: usize) -> Range<usize> {
        self.outside.addresses(slab)
    }

    /// The values of one side in a slab; distances as well if they are wanted, those to mate if
    /// they are known.
    ///
    /// The result does not depend on `width`.
    ///
    /// # Errors
    ///
    /// If a distance to zeroing exceeds 65 535 plies, a decided position has no distance to mate,
    /// or the scratch file cannot be read.
    pub fn values(
        &self,
        side: usize,
        slab: usize,
        wanted: Wanted,
        width: Width,
    ) -> Result<Values<W>, Unsolved> {
        let words = self.addresses(slab).len();
        let mut values = Values::<W>::undecided(words);
        values.longest = self.longest;
        let (won, lost) = (&self.decided[side].won, &self.decided[1 - side].lost);
        if wanted.to_zeroing {
            values.dtz = vec![0; words * W::WIDTH as usize];
            let longest = won.last().max(lost.last());
            if longest.is_some_and(|ply| ply > u8::MAX.into()) {
                values.dtz_high = vec![0; values.dtz.len()];
            }
        }
        for (plies, [strict, cursed]) in [(won, [Win, CursedWin]), (lost, [Loss, BlessedLoss])] {
            for of_ply in plies.all(slab) {
                let (ply, words) = of_ply?;
                let value = if ply <= self.limits.draw.0 {
                    strict
                } else {
                    cursed
                };
                let ply = u16::try_from(ply).map_err(|_| Unsolved::DistanceOverflow)?;
                let [low, high] = ply.to_le_bytes();
                let high = (high != 0).then_some((&mut values.dtz_high, high));
                let numbers = [Some((&mut values.dtz, low)), high];
                width.run(Store {
                    words,
                    set: &mut values.decided[value.index()],
                    numbers: numbers.map(|numbers| numbers.filter(|(all, _)| !all.is_empty())),
                });
            }
        }
        let stalemated = self.stalemated[side][slab];
        let stalemated = Words::new(self.outside.scratch(), stalemated, words)?;
        values.stalemate = vec![W::ZERO; words];
        for (address, word) in stalemated {
            values.stalemate[address] = word;
        }
        if let (true, Some(chains)) = (wanted.to_mate, &self.mates) {
            values.dtm = match self.are_bytes[side] {
                true => u8::wrap(self.scores(chains, side, slab, &values, width)?),
                false => u16::wrap(self.scores(chains, side, slab, &values, width)?),
            };
        }
        Ok(values)
    }

    /// Reads what the values of one side in a slab are made from, so that they do not wait for the
    /// disk.
    pub fn read_ahead(&self, side: usize, slab: usize, wanted: Wanted) {
        self.outside.read_ahead(side, slab, wanted.to_mate);
        self.read_plies_ahead(side, slab, wanted);
    }

    /// Reads what plies decided of one side in a slab.
    pub fn read_plies_ahead(&self, side: usize, slab: usize, wanted: Wanted) {
        let scratch = self.outside.scratch();
        let mates = self.mates.iter().filter(|_| wanted.to_mate);
        for chains in std::iter::once(&self.decided).chain(mates) {
            for plies in [&chains[side].won, &chains[1 - side].lost] {
                for (_, part) in plies.parts_of(slab) {
                    scratch.read_ahead(part);
                }
            }
        }
    }

    /// The positions of a slab that each ply decided for the side to move, in order: those that it
    /// won or those that it lost, mated ones at ply 0. None have a distance to mate where these are
    /// not known.
    pub fn plies(
        &self,
        side: usize,
        slab: usize,
        distance: Distance,
        won: bool,
    ) -> impl Iterator<Item = io::Result<(u32, Words<W>)>> {
        let (chains, mates) = match (distance, &self.mates) {
            (Distance::Zeroing, _) => (Some(&self.decided), false),
            (Distance::Mate, mates) => (mates.as_ref(), mates.is_some()),
        };
        let mated = (mates && !won).then(|| {
            let words = self.decided[1 - side].lost.words(0, slab);
            words.map(|words| (0, words))
        });
        let plies = chains.map(|chains| match won {
            true => &chains[side].won,
            false => &chains[1 - side].lost,
        });
        let decided = plies.into_iter().flat_map(move |plies| plies.all(slab));
        mated.into_iter().chain(decided)
    }

    /// The positions of a slab that are lost for the side to move.
    ///
    /// # Errors
    ///
    /// If the scratch file cannot be read.
    pub fn lost(&self, side: usize, slab: usize) -> io::Result<Vec<W>> {
        lost_at(&self.decided[1 - side], slab, self.addresses(slab).len())
    }

    /// The mate scores of one side in a slab. Those and only those that are decided must have one.
    fn scores<S: Score>(
        &self,
        mates: &[Decided; 2],
        side: usize,
        slab: usize,
        results: &Values<W>,
        width: Width,
    ) -> Result<Vec<S>, Unsolved> {
        let words = self.addresses(slab).len();
        let mut scores = vec![S::DRAW; words * W::WIDTH as usize];
        let mut scored = vec![W::ZERO; words];
        let mut store = |ply: u32, words: Words<W>| {
            let score = S::from_plies(ply).ok_or(Unsolved::DistanceOverflow)?;
            width.run(Store {
                words,
                set: &mut scored,
                numbers: [Some((&mut scores, score)), None],
            });
            Ok::<(), Unsolved>(())
        };
        store(0, self.decided[1 - side].lost.words(0, slab)?)?;
        for plies in [&mates[side].won, &mates[1 - side].lost] {
            for of_ply in plies.all(slab) {
                let (ply, words) = of_ply?;
                store(ply, words)?;
            }
        }
        let decided = |address| results.won(address) | results.lost(address);
        let mut all = scored.iter().enumerate();
        match all.all(|(address, &set)| set == decided(address)) {
            true => Ok(scores),
            false => Err(Unsolved::DistanceOverflow),
        }
    }
}
