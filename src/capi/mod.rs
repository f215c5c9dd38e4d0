//! The C library: functions with C's calling convention over [`Tablebase`](crate::Tablebase).
//!
//! `include/retrograde.h` is the documentation; what is there under errors, threads and pointers is what callers promise
//! and may rely on. So the safety of each function here is that header's: pointers that are not null point to what their types
//! say. A null pointer is an error and never read.
//!
//! [`fathom`] has the functions of another library instead, so that it can be exchanged for this one.

mod error;
#[cfg(feature = "fathom")]
mod fathom;
mod moves;
mod position;
mod probe;
mod tables;
