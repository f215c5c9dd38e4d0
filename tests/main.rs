//! Everything that links once.
