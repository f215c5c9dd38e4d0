//! A processor of which nothing is known.

use super::{Kernel, Width};

pub(super) fn has_256() -> bool {
    false
}

pub(super) fn has_512() -> bool {
    false
}

#[inline]
pub(super) fn run<K: Kernel>(_: Width, kernel: K) -> K::Output {
    kernel.run()
}

#[inline(always)]
pub(crate) fn equal(_: &[u8; 64], _: &[u8; 64]) -> Option<u64> {
    None
}

#[inline(always)]
pub(crate) fn above(_: &[u8; 64], _: &[u8; 64]) -> Option<u64> {
    None
}

#[inline(always)]
pub(crate) fn equal_words(_: &[u16; 64], _: &[u16; 64]) -> Option<u64> {
    None
}

#[inline(always)]
pub(crate) fn keys_above(_: &[i16; 64], _: i16) -> Option<u64> {
    None
}

#[inline(always)]
pub(crate) fn expanded(_: u64) -> Option<[u8; 64]> {
    None
}

#[inline(always)]
pub(crate) fn picked(_: &[u8; 64], _: u64) -> Option<[u8; 64]> {
    None
}

#[inline(always)]
pub(crate) fn put(_: &mut [u8; 64], _: u64, _: &[u8]) -> bool {
    false
}

#[inline(always)]
pub(crate) fn looked_up(_: &[u8; 64], _: &[u8; 256]) -> Option<[u8; 64]> {
    None
}

#[inline(always)]
pub(crate) fn permuted(_: &[u8; 64], _: &[u8; 64]) -> Option<[u8; 64]> {
    None
}

#[inline(always)]
pub(crate) fn permuted_words(_: &[u16; 64], _: &[u8; 64]) -> Option<[u16; 64]> {
    None
}

#[inline(always)]
pub(crate) fn keep_smaller_bytes(_: &mut [u8; 64], _: &[u8; 64], _: u64) -> bool {
    false
}

#[inline(always)]
pub(crate) fn keep_smaller_keys(_: &mut [i16; 64], _: &[i16; 64], _: u64) -> bool {
    false
}

#[inline(always)]
pub(crate) fn keep_smaller_words(_: &mut [u16; 64], _: &[u16; 64], _: u64) -> bool {
    false
}

#[inline(always)]
pub(crate) fn moved_together(_: u64, _: u8) -> Option<u64> {
    None
}

#[inline(always)]
pub(crate) fn spread(_: u64, _: u8) -> Option<u64> {
    None
}
