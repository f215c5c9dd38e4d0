//! What each of several ranks has of the slices of a material: some squares of the white king.

use std::io;
use std::ops::Range;

use super::board::ChessBoard;
use super::space::Space;
use super::sweep;
use crate::retro::fixpoint::RankSlabs;
use crate::retro::ranks::Ranks;
use crate::store::{Record, Scratch};

/// What one of several ranks has of each slice of a material: the same addresses of all of them.
#[derive(Clone, Debug)]
pub struct Division<'a> {
    /// All ranks.
    pub ranks: &'a dyn Ranks,
    /// Where its slabs are.
    pub place: RankSlabs,
    /// Its places of the first man.
    pub places: Range<usize>,
    /// Words of a slab: every rank has some whole ones.
    pub slab: usize,
}

impl<'a> Division<'a> {
    /// Nothing if slices such as this one are not worth dividing: if there is no man but the kings
    /// and pawns, or there are more ranks than squares of the first man.
    pub fn new(
        space: &Space<ChessBoard>,
        ranks: &'a dyn Ranks,
        slab: usize,
    ) -> Option<Division<'a>> {
        let first = &space.axes[0];
        let (stride, places) = (first.stride, first.squares.len());
        if space.axes.len() < 2 || ranks.count() > places || ranks.count() < 2 {
            return None;
        }
        let places_of = |rank| sweep::places_of(rank, ranks.count(), places);
        let own = places_of(ranks.rank());
        let ends: Vec<usize> = (0..ranks.count())
            .map(|rank| places_of(rank).end * stride)
            .collect();
        let are_whole = |words: &usize| ends.iter().all(|end| end.is_multiple_of(*words));
        let mut fitting = (1..=slab / 64).rev().map(|rows| rows * 64);
        Some(Division {
            ranks,
            place: RankSlabs {
                words: space.words,
                own: own.start * stride..own.end * stride,
            },
            places: own,
            slab: fitting.find(are_whole)?,
        })
    }

    /// The slabs that this rank has.
    #[must_use]
    pub fn own_slabs(&self) -> Range<usize> {
        let own = &self.place.own;
        own.start / self.slab..own.end / self.slab
    }

    /// Whether this rank is given what all have solved.
    #[must_use]
    pub fn has_all(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// The slabs that this rank has, by their places among those of which it has the values.
    #[must_use]
    pub fn own_slabs_here(&self) -> Range<usize> {
        match self.has_all() {
            true => self.own_slabs(),
            false => 0..self.own_slabs().len(),
        }
    }

    /// What every rank has put away of its own slabs, by ranks, put away here.
    ///
    /// # Errors
    ///
    /// If another rank is gone, and those of the scratch file.
    pub fn share(&self, scratch: &Scratch, own: &Record) -> io::Result<Vec<Record>> {
        let message = scratch.export(own)?;
        let arrived = self.ranks.gather(vec![message; self.ranks.count()])?;
        let records = arrived.into_iter().enumerate();
        let record = |(rank, message): (usize, Vec<u8>)| match rank == self.ranks.rank() {
            true => Ok(own.clone()),
            false => scratch.import(&message),
        };
        records.map(record).collect()
    }
}
