//! Memory from the system and back to it.
//!
//! The allocator of glibc keeps what lies between pieces that are still in use, and from material
//! to material more of it: with a limit of 2 GiB, 0.7 GiB were held by nothing after some thirty of
//! them, and the process was larger than was planned.
//!
//! What it does give back it asks for again with the next slice, 200 GB for all of five men, and
//! every page of it has to be cleared. In a virtual machine it may have gone back to the host by
//! then, which takes 2.4 s for a GB to find it again. So [`LargePages`] keeps large pieces itself.

mod kept;
mod large;
mod system;

pub use large::LargePages;
pub(super) use system::give_back;
