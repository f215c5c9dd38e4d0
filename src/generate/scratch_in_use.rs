//! How much room scratch and work files take.

use std::path::PathBuf;

use super::views::bytes_of_files;
use crate::store::ScratchDirectory;

/// What [`Plan::scratch`](super::Plan::scratch) promises, while the plan is being run.
#[derive(Clone, Debug)]
pub struct ScratchInUse {
    pub(super) scratch: ScratchDirectory,
    /// Where work files are.
    pub(super) work_files: PathBuf,
}

impl ScratchInUse {
    /// Bytes of all scratch and work files that are there now, and of those that a generation which
    /// was stopped has left there for this one.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.scratch.bytes_in_use() + bytes_of_files(&self.work_files)
    }
}
