//! The shared move generator.
