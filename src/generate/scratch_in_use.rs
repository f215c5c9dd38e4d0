//! How much room scratch and work files take.

use std::path::PathBuf;

use super::views::bytes_of_files;
use crate::store::ScratchDirectory;

/// Scratch files, whose bytes [`Plan::scratch`](super::Plan::scratch) promises, and work files, with
/// what other generations have left in the same directory.
#[derive(Clone, Debug)]
pub struct ScratchInUse {
    pub(super) scratch: ScratchDirectory,
    /// Where work files are.
    pub(super) work_files: PathBuf,
}

impl ScratchInUse {
    /// Bytes of all of them now. What is left of a material that was begun counts as soon as the
    /// work on that goes on.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        // In this order a work file that is finished meanwhile does not count twice.
        let work_files = bytes_of_files(&self.work_files);
        work_files + self.scratch.bytes_in_use()
    }
}
