//! A directory of tables, of either game: names of files, which of them there are and may be used,
//! decoded blocks, and what killed programs left behind.
//!
//! What a game has of its own it says by [`TableGame`](crate::game::TableGame). Who answers,
//! generates or verifies asks here where a table is, so one directory has one listing and one rule
//! for what is in it.
//!
//! # Examples
//!
//! ```
//! use std::path::Path;
//!
//! use retrograde::chess::{Chess, ChessRules};
//! use retrograde::metric::Metric;
//! use retrograde::tables::{find, list};
//!
//! let (directory, rules) = (Path::new("tables"), ChessRules::FiftyMoves);
//! // Those of three men are in the repository; there may be others that were generated since.
//! let mut files = list::<Chess>(directory, rules)?;
//! files.retain(|file| file.material.men() == 3);
//! assert_eq!(files.len(), 15);
//!
//! // In either colours; opening checks that it is what its name says.
//! let file = find::<Chess>(directory, rules, &"KvKR".parse()?, Metric::Dtm).expect("in the repository");
//! assert_eq!(file.path, directory.join("KRvK.dtm"));
//! assert_eq!(file.open(true)?.description().material, "KRvK");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "generate")]
mod begun;
mod cache;
mod counts;
mod files;
mod former;
#[cfg(feature = "generate")]
mod leftovers;
mod names;
mod places;

#[cfg(feature = "generate")]
pub(crate) use begun::{go_on, left_of_work, remove_begun};
pub(crate) use cache::BlockCache;
pub use cache::CacheStatistics;
pub(crate) use counts::Counts;
pub use files::{NativeFile, find, list};
pub(crate) use files::{check_header, check_streams, list_by_name};
pub(crate) use former::in_other_colors;
#[cfg(feature = "generate")]
pub use leftovers::remove_leftovers;
#[cfg(feature = "generate")]
pub(crate) use leftovers::{remove_leftovers_of, remove_unfinished};
pub use names::{
    Format, file_name, generate_arguments, parse_file_name, rules_directory, table_path,
};
pub(crate) use places::Places;
