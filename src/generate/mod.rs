//! From a list of materials to files: plan, solve, write.
//!
//! Materials that do not lead to each other are solved side by side. What a material leaves behind for others
//! ([`work`]) is small and compressed; its values are gone as soon as its files are written. Every file appears whole
//! or not at all, so an interrupted generation is carried on by starting it again: files that are there are kept.

mod course;
pub mod encode;
mod memory;
mod packed;
mod plan;
mod summary;
mod work;
mod write;

pub use course::{Generated, Observer};
pub use plan::{GenerateOptions, Plan, Step};
pub use summary::Summary;
pub use write::{Effort, table_path, write_metric};
