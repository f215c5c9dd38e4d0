//! One seam for wide registers: the same code compiled for several instruction sets, the widest one
//! the processor has chosen at run time.
//!
//! A [`Kernel`] is written once, as plain loops over words and bytes. [`Width::run`] calls a copy
//! of it that the compiler has made for 512-bit, 256-bit or any registers. Every copy computes the
//! same.

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
            #[cfg(target_arch = "x86_64")]
            Width::Bits256 => x86::has_256(),
            #[cfg(target_arch = "x86_64")]
            Width::Bits512 => x86::has_512(),
            #[cfg(not(target_arch = "x86_64"))]
            Width::Bits256 | Width::Bits512 => false,
        }
    }

    /// Runs a kernel in this width, or in portable code where the processor does not have it.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        {
            x86::run(self, kernel)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            kernel.run()
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use crate::simd::{Kernel, Width};

    pub(super) fn has_256() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    pub(super) fn has_512() -> bool {
        has_256()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_256<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn run_512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[inline]
    pub(super) fn run<K: Kernel>(width: Width, kernel: K) -> K::Output {
        if width == Width::Bits512 && has_512() {
            // SAFETY: the processor has every feature that the function is compiled for.
            unsafe { run_512(kernel) }
        } else if width >= Width::Bits256 && has_256() {
            // SAFETY: the processor has every feature that the function is compiled for.
            unsafe { run_256(kernel) }
        } else {
            kernel.run()
        }
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
