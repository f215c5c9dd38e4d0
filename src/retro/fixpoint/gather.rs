//! What ranks have solved of a slice, put together.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::Unsolved;
use super::decided::{Chains, Decided};
use super::outside::{Outside, StoredSlab};
use crate::game::Bits;
use crate::retro::ranks::Ranks;
use crate::store::{Part, Record, Scratch};

/// Where the slabs of a rank are in the slice.
#[derive(Clone, Debug)]
pub struct RankSlabs {
    /// Words of a set of the whole slice.
    pub words: usize,
    /// Those that the rank has.
    pub own: Range<usize>,
}

/// What is put together.
struct Gathered {
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
            fixed: vec![Default::default(); slabs],
            conversions: vec![Default::default(); slabs],
            decided: decided(),
            mates: decided(),
            stalemated: [(), ()].map(|()| vec![Part::default(); slabs]),
        }
    }

    /// Adds what [`Own::record`] says of a slab; nothing if it says something else.
    fn add(&mut self, record: &Record) -> Option<()> {
        let reader = &mut record.reader();
        let slab = reader.number()? as usize;
        for side in [0, 1] {
            *self.fixed.get_mut(slab)?.get_mut(side)? = StoredSlab::noted(reader)?;
            self.conversions[slab][side] = StoredSlab::noted(reader)?;
            self.stalemated[side][slab] = reader.part()?;
            for decided in [&mut self.decided[side], &mut self.mates[side]] {
                for plies in [&mut decided.won, &mut decided.lost] {
                    for _ in 0..reader.number()? {
                        plies.insert(reader.number()?, slab, reader.part()?);
                    }
                }
            }
        }
        Some(())
    }
}

/// What one rank has.
struct Own<'a, W> {
    chains: &'a Chains<W>,
    conversions: Option<&'a Outside<W>>,
}

impl<W: Bits> Own<'_, W> {
    /// Where everything of one of its slabs is, which is number `number` of all.
    fn record(&self, slab: usize, number: usize) -> Record {
        let Chains {
            outside,
            decided,
            stalemated,
            mates,
            ..
        } = self.chains;
        let mut record = Record::default();
        // There are fewer than 2^32 slabs, and plies that decide something there.
        record.numbers.push(number as u32);
        for side in [0, 1] {
            outside.stored(side, slab).note(&mut record);
            let conversions = self.conversions.map(|outside| *outside.stored(side, slab));
            conversions.unwrap_or_default().note(&mut record);
            record.parts.push(stalemated[side][slab]);
            for decided in [
                Some(&decided[side]),
                mates.as_ref().map(|mates| &mates[side]),
            ] {
                for plies in decided.map_or([None, None], |both| [&both.won, &both.lost].map(Some))
                {
                    let of_slab: Vec<(u32, Part)> = plies
                        .into_iter()
                        .flat_map(|plies| plies.parts_of(slab))
                        .collect();
                    record.numbers.push(of_slab.len() as u32);
                    for (ply, part) in of_slab {
                        record.numbers.push(ply);
                        record.parts.push(part);
                    }
                }
            }
        }
        record
    }
}

/// What was solved of a slice, and zeroing moves that are kept apart.
type Parts<W> = (Chains<W>, Option<Outside<W>>);

/// Gives rank 0 what all have: what was solved, and zeroing moves that are kept apart. The others
/// keep what they have.
///
/// # Errors
///
/// If a rank is gone, or the scratch file cannot be used.
pub fn gather<W: Bits>(
    ranks: &dyn Ranks,
    (chains, conversions): Parts<W>,
    place: &RankSlabs,
    scratch: &Arc<Scratch>,
) -> Result<Parts<W>, Unsolved> {
    let own = Own {
        chains: &chains,
        conversions: conversions.as_ref(),
    };
    let slab = chains.outside.slab();
    let receives = ranks.rank() == 0;
    let mut gathered = receives.then(|| Gathered::new(scratch, place.words, slab));
    let own_slabs = chains.outside.slabs();
    let most = ranks.tell(own_slabs as u64)?.into_iter().max();
    for number in 0..most.unwrap_or(0) as usize {
        let mut outgoing = vec![Vec::new(); ranks.count()];
        let mut records = Vec::new();
        if number < own_slabs {
            let record = own.record(number, place.own.start / slab + number);
            match receives {
                true => records.push(record),
                false => outgoing[0] = scratch.export(&record)?,
            }
        }
        let arrived = ranks.gather(outgoing)?.into_iter();
        for message in arrived.filter(|message| !message.is_empty()) {
            records.push(scratch.import(&message)?);
        }
        for record in records {
            let added = gathered.as_mut().and_then(|gathered| gathered.add(&record));
            added.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        }
    }
    let Some(gathered) = gathered else {
        return Ok((chains, conversions));
    };
    let outside = |slabs| Outside::new(Arc::clone(scratch), place.words, slab, slabs);
    let whole = Chains::new(
        outside(gathered.fixed),
        chains.limits,
        gathered.decided,
        gathered.stalemated,
        gathered.mates,
    );
    Ok((whole, conversions.map(|_| outside(gathered.conversions))))
}
