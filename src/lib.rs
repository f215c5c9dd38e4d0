//! Endgame tablebases: generate, verify, store and probe them.
//!
//! A tablebase knows the value of every position with few men. [`Tablebase`] answers questions
//! about positions from a directory of table files; [`generate`] makes the files, by retrograde
//! analysis on sets of 64 positions; [`verify`] checks them. The program `retrograde` does the same
//! on the command line.
//!
//! # Example
//!
//! The three-man tables are part of the repository.
//!
//! ```
//! use retrograde::Tablebase;
//! use retrograde::chess::{Position, san};
//! use retrograde::metric::{Dtm, Dtz, Wdl};
//!
//! let tables = Tablebase::open("tables")?;
//! let position = Position::from_fen("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")?;
//! assert_eq!(tables.probe_wdl(&position)?, Wdl::Win);
//! assert_eq!(tables.probe_dtz(&position)?, Dtz(31));
//! assert_eq!(tables.probe_dtm(&position)?, Some(Dtm(31)));
//!
//! let moves = tables.root_moves(&position)?;
//! assert_eq!(moves[0].dtm, Some(Dtm(-30)));
//! assert_eq!(san(&position, moves.last().unwrap().played), "Rb4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The [`manual`] goes on from here: positions from bitboards, the root of a search, probes inside
//! it.
//!
//! Making tables, and checking every value against its successors:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use retrograde::generate::{GenerateOptions, Plan};
//! use retrograde::chess::material::Material;
//! use retrograde::verify::verify;
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! let materials: Vec<Material> = vec!["KQvK".parse()?];
//! let options: GenerateOptions = GenerateOptions::new(directory, materials.clone());
//! let cancel = AtomicBool::new(false);
//! let generated = Plan::new(&options)?.run(&cancel, &())?;
//! assert_eq!(generated.files, 3);
//! assert!(verify(directory, &materials, &cancel, &())?.is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! For engines:
//!
//! - [`chess`]: positions, moves and notation ([`chess::rules`]); [`xiangqi`]: those of the other
//!   game.
//! - [`probe`]: answers from files, of xiangqi in [`probe::xiangqi`]; [`metric`]: what they
//!   are. [`syzygy`]: tables of others.
//! - [`reach`]: the value of one position with any number of men, by what it can reach.
//!
//! For whoever makes tables: [`generate`] and [`verify`], whole directories of either game.
//!
//! For tools that read them:
//!
//! - [`table`]: the file format, which knows no game. [`store`]: where the bytes of a file come
//!   from.
//! - [`tables`]: which files a directory has. [`game`]: what either game has of its own there.
//! - [`chess::index`], [`xiangqi::IndexSpace`]: the numbers of positions. [`chess::material`]: the
//!   names of tables.
//! - [`statistics`]: how the numbers in a table's statistics are counted.
//!
//! The solver and other insides that tests and benchmarks of this package look at can be reached
//! from outside, but are not shown here and may change in every version.
//!
//! # Errors
//!
//! Everything that reads a file can meet a damaged one: each block is checked before it is used,
//! and a wrong one is an error that says which file and what to do, never a wrong value and never a
//! panic. The library never prints, exits or keeps global state; two tablebases can be open at
//! once.
//!
//! # Features
//!
//! Without any, the library reads Syzygy tables and needs no C compiler.
//!
//! - `native`: reads tables of our own as well, which takes zstd.
//! - `generate`: makes and verifies tables and explores what a position can reach: [`generate`],
//!   [`verify`], [`reach`], [`statistics`], with `native`.
//! - `cli` (on by default): the program, with what only it needs, and all of these.
//! - `cuda`: tables are made on a graphics card of NVIDIA's as well, with `generate`. Its driver is
//!   looked for at run time.
//! - `capi`: the functions of `include/retrograde.h`, for a library that programs in C can use.
//!   `fathom`: those of `include/tbprobe.h` as well, which stand in for the library Fathom; they
//!   alone keep global state, as their interface asks. `docs/c.md` has the command that makes the
//!   library.
//! - `cozy-chess`: positions from boards of the crate of that name, and moves back (`chess::cozy`).
//!   `examples/shakmaty.rs` shows the same for shakmaty, whose licence does not allow such a
//!   feature.
//!
//! # Limits
//!
//! Tables of up to six men are generated; Syzygy tables of up to seven are read. Positions with
//! castling rights are in no table.

// What makers of tables use of the parts that everybody has is not taken out of them one by one.
#![cfg_attr(not(feature = "generate"), allow(dead_code, unused_imports))]

// By this name the C library finds what it uses, inside this crate or outside.
#[cfg(feature = "capi")]
extern crate self as retrograde;

#[cfg(feature = "generate")]
mod byte_sets;
#[cfg(feature = "capi")]
mod capi;
#[doc(hidden)]
pub mod card;
pub mod chess;
mod counted;
mod error;
pub mod game;
#[cfg(feature = "generate")]
pub mod generate;
pub mod metric;
#[cfg(feature = "generate")]
mod parallel;
pub mod probe;
#[cfg(feature = "generate")]
pub mod reach;
mod reserve;
#[cfg(feature = "generate")]
#[doc(hidden)]
pub mod retro;
mod seqlock;
pub mod simd;
#[cfg(feature = "generate")]
pub mod statistics;
#[allow(unsafe_code)]
pub mod store;
pub mod syzygy;
pub mod table;
pub mod tables;
#[cfg(feature = "generate")]
mod transpose;
#[cfg(feature = "generate")]
pub mod verify;
pub mod xiangqi;

pub use crate::error::Error;
pub use crate::probe::{ProbeError, Tablebase};

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// From bitboards to a search with tables: the page for authors of engines.
#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/rust.md")]
pub mod manual {}
