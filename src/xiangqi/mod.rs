//! Which xiangqi positions there are, and their numbers: what tables of xiangqi are made of.
//!
//! [`Material`] names the men, [`Camps`] numbers what stays at home, [`IndexSpace`] numbers whole
//! positions, [`Rules`] say what an endless game is worth, [`XiangqiValue`] what is known of a
//! position. The moves are in [`crate::xiangqi`], the solver in [`crate::xiangqi::solve`].

mod camp;
mod game;
mod index;
mod material;
mod metric;
mod order;
mod rule_set;
pub mod rules;
#[cfg(feature = "generate")]
#[doc(hidden)]
pub mod solve;
mod value;

pub use camp::{Camp, Camps};
pub use game::Xiangqi;
pub(crate) use index::Digits;
pub use index::{Group, IndexSpace, Placement};
pub use material::{Material, MaterialError};
pub(crate) use metric::needs_rounds;
pub use metric::{HAS_ROUNDS, Metric, ParseMetricError};
pub use order::{MAX_DIMENSIONS, Order, OrderError};
pub use rule_set::{ParseRulesError, Rules};
pub use rules::*;
pub use value::{XiangqiMove, XiangqiValue};
