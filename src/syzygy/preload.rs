//! Decoding small tables of results as a whole; [`preloaded`](super::preloaded) says what for.

use super::layout::{Coded, Content};
use super::preloaded::{Budget, Density, Packer, Preloaded};
use super::sequence::Sequence;
use super::table::Table;
use crate::Error;
use crate::metric::{Metric, Wdl};
use crate::reserve::{Refused, reserved};

/// Results that are decoded at a time, about.
const PIECE: usize = 1 << 20;

/// All results of a stream that has no others than a set of them.
fn preload(table: &Table, stream: usize, set: u8) -> Result<Preloaded, Error> {
    let refused = |refused: Refused| table.error(refused.into());
    let sequence = Sequence::new(table, stream)?;
    let mut packer = Packer::new(set, sequence.len()).map_err(refused)?;
    let mut start = 0;
    for end in sequence.ends(PIECE)? {
        let piece = packer.next_piece(end - start).map_err(refused)?;
        sequence.decode(start, piece)?;
        start = end;
    }
    Ok(packer.finish())
}

/// Which results a stream may have, a bit for each; nothing if there are values that are no
/// results.
fn set_of_results(coded: &Coded) -> Option<u8> {
    let mut values = coded.pairs.values();
    values.try_fold(0, |set, value| {
        Wdl::from_index(value.into()).map(|wdl| set | 1 << wdl.index())
    })
}

impl Table {
    /// Decodes all results and keeps them, if they take no more than so many bytes: two bits each,
    /// or four if there are more than four different ones. Whether they are kept now. It takes
    /// about a nanosecond for each; probes are several times as fast afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::Syzygy`] if the file is damaged or cannot be read. Nothing is kept then, and probes
    /// find what can be found.
    pub fn preload(&self, bytes: usize) -> Result<bool, Error> {
        self.preload_into(&Budget::new(bytes))
    }

    /// The same if there is budget. If another thread is at it, this one waits.
    pub(crate) fn preload_into(&self, budget: &Budget) -> Result<bool, Error> {
        let mut is_done = self.preloading.is_done();
        if !*is_done {
            *is_done = self.preload_streams(budget)?;
        }
        Ok(*is_done)
    }

    /// The same, unless another thread is at it. What is damaged is an error of the probes that
    /// meet it.
    #[cold]
    pub(super) fn try_to_preload_into(&self, budget: &Budget) {
        if let Some(mut is_done) = self.preloading.is_done_unless_busy()
            && !*is_done
        {
            *is_done = self.preload_streams(budget).unwrap_or(false);
        }
    }

    fn preload_streams(&self, budget: &Budget) -> Result<bool, Error> {
        if self.metric() != Metric::Wdl {
            return Ok(false);
        }
        let most = self.layout.streams.len();
        let refused = |refused: Refused| self.error(refused.into());
        let mut streams = reserved(most).map_err(refused)?;
        let mut preloaded = reserved(most).map_err(refused)?;
        let mut bytes = 0usize;
        for (number, stream) in self.layout.streams.iter().enumerate() {
            let Content::Coded(coded) = &stream.content else {
                continue;
            };
            // Of a damaged file some are none. A probe says so if it meets them.
            let Some(set) = set_of_results(coded) else {
                return Ok(false);
            };
            let density = Density::of(set.count_ones());
            bytes = bytes.saturating_add(density.bytes(stream.encoder.len()));
            streams.push((number, coded, set));
        }
        if !budget.take(bytes) {
            return Ok(false);
        }
        for &(number, _, set) in &streams {
            let stream = preload(self, number, set).inspect_err(|_| budget.give_back(bytes))?;
            preloaded.push(stream);
        }
        for ((_, coded, _), preloaded) in streams.iter().zip(preloaded) {
            // Nobody else sets it, as one thread at a time is here, and none after it was done.
            let _ = coded.preloaded.set(preloaded);
        }
        Ok(true)
    }
}
