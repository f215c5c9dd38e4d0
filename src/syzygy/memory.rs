//! What is kept in memory of the tables that are asked.

use super::checkpoints::Checkpoints;
use super::unfolded::Room;

/// What probes of many tables leave for later ones.
#[derive(Debug)]
pub(crate) struct Memory {
    pub checkpoints: Checkpoints,
    pub room: Room,
}

impl Memory {
    /// So many bytes for checkpoints, and for unfolded tables.
    pub fn new(checkpoint_bytes: usize, unfolded_bytes: usize) -> Memory {
        Memory {
            checkpoints: Checkpoints::new(checkpoint_bytes),
            room: Room::new(unfolded_bytes),
        }
    }
}

/// Where a table keeps what it comes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    pub memory: &'a Memory,
    /// The number of the table, which no other one has.
    pub table: u32,
}
