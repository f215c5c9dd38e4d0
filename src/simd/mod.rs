//! One seam for wide registers: the same code compiled for several instruction sets, the widest one
//! the processor has chosen at run time.
//!
//! A [`Kernel`] is written once, as plain loops over words and bytes. [`Width::run`] calls a copy
//! of it that the compiler has made for 512-bit, 256-bit or any registers. Every copy computes the
//! same.
//!
//! What no compiler makes of loops is in the functions below: each is a few instructions where the
//! processor has them, and says nothing where it has not, so that whoever calls it does without.

#[cfg(not(target_arch = "x86_64"))]
#[path = "portable.rs"]
mod processor;
#[cfg(target_arch = "x86_64")]
#[path = "x86.rs"]
mod processor;

pub(crate) use processor::{
    above, equal, equal_words, expanded, keep_smaller_bytes, keep_smaller_keys, keep_smaller_words,
    keys_above, looked_up, moved_together, permuted, permuted_words, picked, put, spread,
};

/// Work that wide registers speed up.
///
/// Everything below [`run`](Kernel::run) has to be inlined into it, or it is compiled for any
/// processor only: mark it `#[inline(always)]`.
pub trait Kernel {
    /// What comes out.
    type Output;

    /// Does the work; to be implemented with `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// How wide the registers are that kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Width {
    /// Whatever every processor of this architecture has.
    Portable,
    /// 256 bits: AVX2 with BMI2.
    Bits256,
    /// 512 bits: AVX-512 with its byte and word instructions.
    Bits512,
}

impl Width {
    /// The widest that this processor has.
    #[must_use]
    pub fn widest() -> Width {
        [Width::Bits512, Width::Bits256]
            .into_iter()
            .find(|width| width.is_available())
            .unwrap_or(Width::Portable)
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Width::Portable => true,
            Width::Bits256 => processor::has_256(),
            Width::Bits512 => processor::has_512(),
        }
    }

    /// Runs a kernel in this width, or in portable code where the processor does not have it.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        processor::run(self, kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [u8]);

    impl Kernel for Sum<'_> {
        type Output = u32;

        #[inline(always)]
        fn run(self) -> u32 {
            self.0.iter().map(|&byte| u32::from(byte)).sum()
        }
    }

    #[test]
    fn every_width_computes_the_same() {
        let bytes: Vec<u8> = (0..1000).map(|i| (i * 7 % 251) as u8).collect();
        let expected: u32 = bytes.iter().map(|&byte| u32::from(byte)).sum();
        for width in [Width::Portable, Width::Bits256, Width::Bits512] {
            assert_eq!(width.run(Sum(&bytes)), expected);
        }
        assert!(Width::widest().is_available());
    }
}
