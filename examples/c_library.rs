//! The C library as a crate of its own, for its tests.
//!
//! The library is made of this one's source with
//! `cargo rustc --lib --features capi --crate-type cdylib` (README). That compiles all of it once
//! more. On top of what the tests were linked with, the functions for C take a second.

#[path = "../src/capi/mod.rs"]
mod capi;
