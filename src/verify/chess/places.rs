//! Where the values of a slice are while it is verified, and its numbers until they are values.

use std::sync::{Arc, Weak};

use super::layout::PAGE;
use super::line::Lane;
use super::pages::{Away, Pages, Place};
use super::spare::Spares;

/// Where the values of a slice are kept, and where they wait if they are too many.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// What only this slice needs.
    pub own: Option<Arc<Away>>,
    /// What is needed afterwards.
    pub kept: Option<Arc<Away>>,
    /// Memory of earlier slices.
    pub spares: Weak<Spares>,
}

impl Places {
    fn at(&self, away: Option<&Arc<Away>>) -> Place {
        Place {
            spares: self.spares.clone(),
            ..Place::new(away, PAGE)
        }
    }

    /// No lines of so many, which are of use for this slice alone.
    pub fn pages<N: Lane>(&self, lines: usize) -> Pages<N> {
        Pages::new(lines, &self.at(self.own.as_ref()))
    }

    /// No lines of so many, which are kept if it is for longer.
    pub fn kept_pages<N: Lane>(&self, lines: usize) -> Pages<N> {
        let place = self
            .own
            .as_ref()
            .and(self.kept.as_ref().or(self.own.as_ref()));
        Pages::new(lines, &self.at(place))
    }
}

/// Bytes of numbers of one side that stay in memory until they are values, where values wait in a
/// file.
pub(super) const NUMBERS_AT_HAND: u64 = if cfg!(test) { 1 << 19 } else { 1 << 31 };

/// Where the numbers of one side are kept until they are values. Those that need not wait in a file
/// are not compressed for it.
pub(super) struct NumberPlaces<'a> {
    places: &'a Places,
    /// Of no use once the numbers are values.
    away: Option<Arc<Away>>,
    /// Bytes that there is memory for.
    room: u64,
}

impl<'a> NumberPlaces<'a> {
    pub fn new(places: &'a Places) -> NumberPlaces<'a> {
        NumberPlaces {
            places,
            away: places.own.as_ref().map(Away::another),
            room: NUMBERS_AT_HAND,
        }
    }

    /// For numbers of so many bytes.
    pub fn next(&mut self, bytes: u64) -> Place {
        match (&self.away, self.room.checked_sub(bytes)) {
            (Some(away), Some(left)) => {
                away.clear();
                self.room = left;
                Place {
                    is_large: true,
                    ..Place::default()
                }
            }
            (away, _) => self.places.at(away.as_ref()),
        }
    }
}
