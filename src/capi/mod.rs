//! The C library: functions with C's calling convention over [`Tablebase`](retrograde::Tablebase).
//!
//! `include/retrograde.h` is the documentation; what is there under errors, threads and pointers is
//! what callers promise and may rely on. So the safety of each function here is that header's:
//! pointers that are not null point to what their types say. A null pointer is an error and never
//! read.
//!
//! `fathom` has the functions of another library instead, so that it can be exchanged for this one.
//!
//! All this uses the library as any other program does, by its name. So it can be a part of it
//! (feature `capi`) or a crate of its own on top (`examples/c_library.rs`).

#![allow(unsafe_code)]

mod error;
// The test library, built without features, has both.
#[cfg(any(feature = "fathom", not(feature = "capi")))]
mod fathom;
mod moves;
mod position;
mod probe;
mod tables;
mod xiangqi;
