//! Which xiangqi positions there are, and their numbers: what tables of xiangqi are made of.
//!
//! There are no such tables yet. [`Material`] names the men, [`Camps`] numbers what stays at home, [`IndexSpace`] numbers
//! whole positions. The moves are in [`crate::game::xiangqi`].

mod camp;
mod index;
mod material;
mod rules;

pub use camp::{Camp, Camps};
pub use index::{Group, IndexSpace, Placement};
pub use material::{Material, MaterialError};
pub use rules::{ParseRulesError, Rules};
