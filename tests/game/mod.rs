//! The move generator.

mod attacks;
