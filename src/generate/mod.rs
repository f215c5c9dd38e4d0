//! From a list of materials to files: plan, solve, write.
//!
//! Materials that do not lead to each other are solved side by side. What a material leaves behind for others
//! is small and compressed; its values are gone as soon as its files are written. Every file appears whole
//! or not at all, so an interrupted generation is carried on by starting it again: files that are there are kept.

mod addressing;
mod choose;
mod course;
mod estimate;
mod finished;
mod heap;
mod memory;
mod packed;
mod plan;
mod rows;
mod runs;
mod slices;
mod source;
mod summary;
mod syzygy;
mod work;
mod write;
pub mod xiangqi;

pub use crate::tables::table_path;
pub use course::{Generated, Observer, Phase};
pub use estimate::Estimate;
pub use plan::{GenerateOptions, Plan, Step};
pub use slices::{LentValues, Slices};
pub use summary::{SliceDigest, Summary};
pub use write::{Effort, write_metric};
