//! Whoever watches a solver: he hears of every ply, and may stop it.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Unsolved;
use crate::card::CardError;

/// To what the plies lead that an iteration counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distance {
    /// The next zeroing move; in a game without such moves the next capture.
    Zeroing,
    /// Mate.
    Mate,
}

/// Told of plies, from the thread that has done them.
pub trait PlyObserver: Debug + Sync {
    /// All positions at this distance are known.
    fn ply(&self, distance: Distance, plies: u32);

    /// What another program has found at up to this distance is known again. It is not told of
    /// these plies.
    fn goes_on(&self, _distance: Distance, _plies: u32) {}

    /// The graphics card cannot do what is to be done, or has failed; the processor goes on from
    /// what is found.
    fn goes_on_without_card(&self, _why: CardError) {}
}

/// How a solver is watched and stopped.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// Looked at after every ply: whether to stop.
    pub cancel: &'a AtomicBool,
    /// Who is told of every ply.
    pub observer: Option<&'a dyn PlyObserver>,
}

impl<'a> Watch<'a> {
    /// Nobody is told of plies.
    #[must_use]
    pub fn new(cancel: &'a AtomicBool) -> Watch<'a> {
        Watch {
            cancel,
            observer: None,
        }
    }

    /// Whether the caller wants to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Tells that what was found up to a ply is known again.
    pub(super) fn goes_on(&self, distance: Distance, plies: u32) {
        if let Some(observer) = self.observer {
            observer.goes_on(distance, plies);
        }
    }

    /// Tells that the processor goes on with what a graphics card was to do.
    pub(crate) fn goes_on_without_card(&self, why: CardError) {
        if let Some(observer) = self.observer {
            observer.goes_on_without_card(why);
        }
    }

    /// Ends a ply.
    ///
    /// # Errors
    ///
    /// If the caller wants to stop.
    pub(super) fn ply(&self, distance: Distance, plies: u32) -> Result<(), Unsolved> {
        if self.is_cancelled() {
            return Err(Unsolved::Cancelled);
        }
        if let Some(observer) = self.observer {
            observer.ply(distance, plies);
        }
        Ok(())
    }
}
