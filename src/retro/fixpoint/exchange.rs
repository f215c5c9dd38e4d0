//! Slices that are their own image when the colors are exchanged.
//!
//! What Black wins is then what White wins with the colors exchanged, so one chain is enough. Its
//! plies are gone through position by position; where the images of neighboring positions go, they
//! are far apart. So images are sorted into groups of words that fit into a cache before they are
//! put into a set.

use std::io;

use super::plies::{Plies, put_layer};
use super::{Unsolved, Watch};
use crate::game::Bits;
use crate::parallel;
use crate::retro::layer::{Layer, add_to_slab};
use crate::retro::words::Words;
use crate::store::{Part, Record, RecordKind, Scratch};

/// Where positions go when the colors are exchanged.
pub trait ColorExchange<W>: Sync {
    /// Tells `found` the address and the bit of each image of the positions of a word.
    fn images(&self, address: usize, word: W, found: impl FnMut(usize, u32));

    /// A number that is the same for addresses whose images are near each other.
    fn neighborhood(&self, address: usize) -> usize;
}

/// Words of a group: two megabytes, of which the images of a neighborhood take a part.
const GROUP: usize = 1 << 18;
/// Bytes of what a ply decided that are looked at together: some 100 million positions at most.
const BATCH: usize = 16 << 20;

/// The images of what a chain has decided.
pub(super) struct Exchanged<'a, W, E> {
    exchange: &'a E,
    scratch: &'a Scratch,
    /// Words of a slab.
    slab: usize,
    /// For each thread, the positions of each group: `address * WIDTH + bit`, from its first on.
    found: Vec<Vec<Vec<u32>>>,
    /// Empty between two calls.
    layer: &'a mut Layer<W>,
    watch: Watch<'a>,
}

impl<'a, W: Bits, E: ColorExchange<W>> Exchanged<'a, W, E> {
    /// `layer` is empty.
    pub fn new(
        exchange: &'a E,
        scratch: &'a Scratch,
        slab: usize,
        layer: &'a mut Layer<W>,
        watch: Watch<'a>,
    ) -> Self {
        let groups = layer.set.len().div_ceil(GROUP);
        Exchanged {
            exchange,
            scratch,
            slab,
            found: vec![vec![Vec::new(); groups]; rayon::current_num_threads()],
            layer,
            watch,
        }
    }

    /// Adds the images of what plies from some ply on decided, which are recorded by a number.
    pub fn add_from(
        &mut self,
        number: usize,
        first: u32,
        plies: &Plies,
        images: &mut Plies,
    ) -> Result<(), Unsolved> {
        for (ply, parts) in plies.by_ply().filter(|&(ply, _)| ply >= first) {
            let made = self.recorded_images((number, ply), parts)?;
            for (slab, part) in made.into_iter().enumerate() {
                images.insert(ply, slab, part);
            }
        }
        Ok(())
    }

    /// The images of a set, given by slabs, which are recorded by a number and a ply.
    pub fn recorded_images(
        &mut self,
        (number, ply): (usize, u32),
        parts: &[Part],
    ) -> Result<Vec<Part>, Unsolved> {
        let key = RecordKind::Images.of([number, ply as usize, 0]);
        let recalled = self.scratch.recall(key).map(|record| record.parts);
        if let Some(made) = recalled.filter(|made| made.len() == parts.len()) {
            return Ok(made);
        }
        let parts = self.images(parts)?;
        let numbers = Vec::new();
        let record = Record { numbers, parts };
        self.scratch.record(key, &record)?;
        Ok(record.parts)
    }

    /// The images of a set, given by slabs.
    fn images(&mut self, parts: &[Part]) -> Result<Vec<Part>, Unsolved> {
        let used = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| !part.is_empty());
        let mut used: Vec<(usize, Part)> = used.map(|(slab, &part)| (slab, part)).collect();
        used.sort_by_key(|&(slab, _)| self.exchange.neighborhood(slab * self.slab));
        let mut rest = &used[..];
        while !rest.is_empty() {
            if self.watch.is_cancelled() {
                return Err(Unsolved::Cancelled);
            }
            let (batch, after) = rest.split_at(up_to(rest, BATCH));
            rest = after;
            self.find(batch)?;
            self.gather();
        }
        let images = put_layer(self.layer, self.slab, self.scratch)?;
        self.layer.clear_slabs(self.slab);
        Ok(images)
    }

    /// Sorts the images of some slabs into groups.
    fn find(&mut self, batch: &[(usize, Part)]) -> io::Result<()> {
        let (exchange, scratch, slab) = (self.exchange, self.scratch, self.slab);
        let all_words = self.layer.set.len();
        let bytes: usize = batch.iter().map(|(_, part)| part.len()).sum();
        let of_thread = bytes.div_ceil(self.found.len()).max(1);
        let mut rest = batch;
        let shares: Vec<_> = (self.found.iter_mut())
            .map(|found| {
                let (share, after) = rest.split_at(up_to(rest, of_thread));
                rest = after;
                (share, found)
            })
            .collect();
        parallel::try_each_item(shares, |_, (share, found)| {
            for &(number, part) in share {
                let words = (all_words - number * slab).min(slab);
                for (address, word) in Words::<W>::new(scratch, part, words)? {
                    exchange.images(number * slab + address, word, |address, bit| {
                        let within = (address % GROUP) as u32 * W::WIDTH + bit;
                        found[address / GROUP].push(within);
                    });
                }
            }
            Ok(())
        })
    }

    /// Puts what was found into the set.
    fn gather(&mut self) {
        let found = &self.found;
        let gathered = self.layer.change_slabs(GROUP, |group, set, active| {
            for found in found {
                let words = (found[group].iter())
                    .map(|&within| ((within / W::WIDTH) as usize, W::bit(within % W::WIDTH)));
                add_to_slab(set, active, words);
            }
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = gathered;
        for group in self.found.iter_mut().flatten() {
            group.clear();
        }
    }
}

/// How many of the first parts have about so many bytes together; at least one, if there are any.
fn up_to(parts: &[(usize, Part)], bytes: usize) -> usize {
    let mut sum = 0;
    let before = parts.iter().take_while(|(_, part)| {
        let is_before = sum < bytes;
        sum += part.len();
        is_before
    });
    before.count()
}
