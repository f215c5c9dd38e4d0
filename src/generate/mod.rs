//! From a list of materials to files: plan, solve, write.
//!
//! Materials that do not lead to each other are solved side by side. What a material leaves behind
//! for others is small and compressed; its values are gone as soon as its files are written. Every
//! file appears whole or not at all, so an interrupted generation is carried on by starting it
//! again: files that are there are kept.

mod addressing;
mod begun;
mod by_king;
mod by_parts;
mod chess;
mod choose;
mod effort;
mod estimate;
mod finished;
mod game;
mod gather;
mod graph;
mod heap;
mod laid_out;
mod observer;
mod packed;
mod plan;
mod recompress;
mod rows;
mod runs;
mod scheduler;
mod scratch_in_use;
mod side;
mod slabs;
mod slices;
mod source;
mod summary;
mod syzygy;
mod turn;
mod views;
mod windows;
mod write;
mod xiangqi;

#[cfg(feature = "cuda")]
pub use crate::card::CudaCard;
pub use crate::card::{Card, CardError};
pub use crate::chess::solve::most_ranks;
pub use crate::error::SolveError;
pub use crate::retro::ranks::{Ranks, ThreadRank};
pub use crate::tables::table_path;
pub use estimate::Estimate;
pub use game::{Cost, Generate, GenerateOptions, Needs, Step, Thrift};
pub use graph::{Node, graph};
pub use heap::LargePages;
pub use observer::{DoneBefore, Observer, Phase};
pub use plan::Plan;
pub use recompress::{first_difference, recompress};
pub use scheduler::Generated;
pub use scratch_in_use::ScratchInUse;
pub use xiangqi::xiangqi_materials;

#[doc(hidden)]
pub use effort::Effort;
#[doc(hidden)]
pub use slices::{LentValues, Slices};
#[doc(hidden)]
pub use summary::{SliceDigest, Summary};
#[doc(hidden)]
pub use write::write_metric;
#[doc(hidden)]
pub use xiangqi::statistics as xiangqi_statistics;
