//! What ranks have solved of a slice, put together.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::Unsolved;
use super::decided::{Chains, Decided};
use super::outside::{Outside, StoredSlab};
use super::plies::Plies;
use crate::game::Bits;
use crate::retro::ranks::Ranks;
use crate::store::{Part, Scratch};

/// Where the slabs of a rank are in the slice.
#[derive(Clone, Debug)]
pub struct RankSlabs {
    /// Words of a set of the whole slice.
    pub words: usize,
    /// Those that the rank has.
    pub own: Range<usize>,
}

/// What one rank tells of a slab.
#[derive(Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn part(&mut self, scratch: &Scratch, part: Part) -> io::Result<()> {
        let bytes = scratch.get(part)?;
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        Ok(())
    }

    fn stored(&mut self, scratch: &Scratch, stored: &StoredSlab) -> io::Result<()> {
        self.number(stored.score_bytes() as u64);
        for part in stored.parts() {
            self.part(scratch, part)?;
        }
        Ok(())
    }

    fn plies(&mut self, scratch: &Scratch, plies: &Plies, slab: usize) -> io::Result<()> {
        let of_slab = plies.by_ply().map(|(ply, slabs)| (ply, slabs[slab]));
        let of_slab: Vec<(u32, Part)> = of_slab.filter(|(_, part)| !part.is_empty()).collect();
        self.number(of_slab.len() as u64);
        for (ply, part) in of_slab {
            self.number(ply.into());
            self.part(scratch, part)?;
        }
        Ok(())
    }
}

/// Reads a message, and puts away what is in it.
struct Reader<'a> {
    rest: &'a [u8],
    scratch: &'a Scratch,
}

impl Reader<'_> {
    fn number(&mut self) -> io::Result<u64> {
        let (number, rest) = (self.rest.split_first_chunk()).ok_or(io::ErrorKind::InvalidData)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*number))
    }

    fn part(&mut self) -> io::Result<Part> {
        let len = self.number()? as usize;
        let (bytes, rest) = (self.rest.split_at_checked(len)).ok_or(io::ErrorKind::InvalidData)?;
        self.rest = rest;
        match bytes {
            [] => Ok(Part::default()),
            bytes => self.scratch.put(bytes),
        }
    }

    fn stored(&mut self) -> io::Result<StoredSlab> {
        let score_bytes = self.number()? as usize;
        let mut stored = StoredSlab::with_scores(score_bytes);
        for part in stored.parts_mut() {
            *part = self.part()?;
        }
        Ok(stored)
    }

    fn plies(&mut self, plies: &mut Plies, slab: usize) -> io::Result<()> {
        for _ in 0..self.number()? {
            let ply = self.number()? as u32;
            plies.insert(ply, slab, self.part()?);
        }
        Ok(())
    }
}

/// What is put together.
struct Gathered {
    scratch: Arc<Scratch>,
    fixed: Vec<[StoredSlab; 2]>,
    conversions: Vec<[StoredSlab; 2]>,
    decided: [Decided; 2],
    mates: [Decided; 2],
    stalemated: [Vec<Part>; 2],
}

impl Gathered {
    fn new(scratch: &Arc<Scratch>, words: usize, slab: usize) -> Gathered {
        let slabs = words.div_ceil(slab);
        let decided = || [(), ()].map(|()| Decided::of_slabs(scratch, words, slab));
        Gathered {
            scratch: Arc::clone(scratch),
            fixed: vec![Default::default(); slabs],
            conversions: vec![Default::default(); slabs],
            decided: decided(),
            mates: decided(),
            stalemated: [(), ()].map(|()| vec![Part::default(); slabs]),
        }
    }

    fn add(&mut self, message: &[u8]) -> io::Result<()> {
        let scratch = Arc::clone(&self.scratch);
        let mut reader = Reader {
            rest: message,
            scratch: &scratch,
        };
        let slab = reader.number()? as usize;
        if slab >= self.fixed.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        for side in [0, 1] {
            self.fixed[slab][side] = reader.stored()?;
            self.conversions[slab][side] = reader.stored()?;
            self.stalemated[side][slab] = reader.part()?;
            for decided in [&mut self.decided[side], &mut self.mates[side]] {
                reader.plies(&mut decided.won, slab)?;
                reader.plies(&mut decided.lost, slab)?;
            }
        }
        Ok(())
    }
}

/// What one rank has.
struct Own<'a, W> {
    chains: &'a Chains<W>,
    conversions: Option<&'a Outside<W>>,
}

impl<W: Bits> Own<'_, W> {
    /// What there is of one of its slabs, which is number `number` of all.
    fn message(&self, slab: usize, number: usize) -> io::Result<Vec<u8>> {
        let Chains {
            outside,
            decided,
            stalemated,
            mates,
            ..
        } = self.chains;
        let scratch = outside.scratch();
        let mut message = Message::default();
        message.number(number as u64);
        for side in [0, 1] {
            message.stored(scratch, outside.stored(side, slab))?;
            let conversions = self.conversions.map(|outside| *outside.stored(side, slab));
            message.stored(scratch, &conversions.unwrap_or_default())?;
            message.part(scratch, stalemated[side][slab])?;
            message.plies(scratch, &decided[side].won, slab)?;
            message.plies(scratch, &decided[side].lost, slab)?;
            match mates {
                Some(mates) => {
                    message.plies(scratch, &mates[side].won, slab)?;
                    message.plies(scratch, &mates[side].lost, slab)?;
                }
                None => {
                    message.number(0);
                    message.number(0);
                }
            }
        }
        Ok(message.0)
    }
}

/// What was solved of a slice, and zeroing moves that are kept apart.
type Whole<W> = (Chains<W>, Option<Outside<W>>);

/// Who of several ranks gets what all of them have solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// Every rank.
    All,
    /// Rank 0.
    First,
}

impl Receivers {
    fn has(self, rank: usize) -> bool {
        self == Receivers::All || rank == 0
    }
}

/// Gives some ranks what all have: what was solved, and zeroing moves that are kept apart. Others get nothing.
///
/// # Errors
///
/// If a rank is gone, or the scratch file cannot be used.
pub fn gather<W: Bits>(
    (ranks, receivers): (&dyn Ranks, Receivers),
    chains: Chains<W>,
    conversions: Option<Outside<W>>,
    place: &RankSlabs,
    scratch: &Arc<Scratch>,
) -> Result<Option<Whole<W>>, Unsolved> {
    let own = Own {
        chains: &chains,
        conversions: conversions.as_ref(),
    };
    let slab = chains.outside.slab();
    let mut gathered = Gathered::new(scratch, place.words, slab);
    let own_slabs = chains.outside.slabs();
    let most = ranks.tell(own_slabs as u64)?.into_iter().max();
    for number in 0..most.unwrap_or(0) as usize {
        let message = match number < own_slabs {
            true => own.message(number, place.own.start / slab + number)?,
            false => Vec::new(),
        };
        let outgoing = (0..ranks.count()).map(|rank| match receivers.has(rank) {
            true => message.clone(),
            false => Vec::new(),
        });
        for message in ranks.gather(outgoing.collect())? {
            if !message.is_empty() {
                gathered.add(&message)?;
            }
        }
    }
    if !receivers.has(ranks.rank()) {
        return Ok(None);
    }
    let outside = |slabs| Outside::new(Arc::clone(scratch), place.words, slab, slabs);
    let whole = Chains::new(
        outside(gathered.fixed),
        chains.limits,
        gathered.decided,
        gathered.stalemated,
        gathered.mates,
    );
    Ok(Some((
        whole,
        conversions.map(|_| outside(gathered.conversions)),
    )))
}
