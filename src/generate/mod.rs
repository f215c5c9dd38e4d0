//! From materials to files.
pub mod encode;
