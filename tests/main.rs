//! Everything that links once.

/// The file format: round trips, damage, publication.
mod table;
