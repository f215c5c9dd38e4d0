//! What is kept in memory of the tables that are asked.

use super::checkpoints::Checkpoints;
use super::preloaded::Budget;
use crate::error::SyzygyError;
use crate::reserve::Refused;

impl From<Refused> for SyzygyError {
    fn from(Refused { bytes }: Refused) -> SyzygyError {
        SyzygyError::OutOfMemory { bytes }
    }
}

/// What probes of many tables leave for later ones.
#[derive(Debug)]
pub(crate) struct Memory {
    pub checkpoints: Checkpoints,
    pub budget: Budget,
}

impl Memory {
    /// So many bytes for checkpoints, and for preloaded tables.
    pub fn new(checkpoint_bytes: usize, preloaded_bytes: usize) -> Result<Memory, Refused> {
        Ok(Memory {
            checkpoints: Checkpoints::new(checkpoint_bytes)?,
            budget: Budget::new(preloaded_bytes),
        })
    }
}

/// Where a table keeps what it comes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    pub memory: &'a Memory,
    /// The number of the table, which no other one has.
    pub table: u32,
}
