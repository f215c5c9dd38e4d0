//! x86-64: kernels compiled for its wide registers, and its instructions for lines of 64 bytes.
//!
//! What a processor has is asked for each line: a load from memory that is at hand and a branch that
//! always goes one way.
//!
//! Measured on a processor that has all of them, beside the loops that stand in for them elsewhere:
//! tables with a pawn are made in 0.90 of the time, those without in 0.98, and tables without pawns
//! are verified in 0.93. Look-ups, turned lines and sets of words came later: with them, and with
//! distances counted as they are picked, KRBvKR is verified in 3.4 s instead of 3.9.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_shuffle_epi8,
    _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
    _mm256_storeu_si256, _mm512_cmpeq_epi8_mask, _mm512_cmpeq_epi16_mask, _mm512_cmpgt_epi16_mask,
    _mm512_cmpgt_epu8_mask, _mm512_cvtepi16_epi8, _mm512_cvtepu8_epi16, _mm512_loadu_si512,
    _mm512_mask_expand_epi8, _mm512_mask_min_epi16, _mm512_mask_min_epu8, _mm512_mask_min_epu16,
    _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_movepi8_mask,
    _mm512_movm_epi8, _mm512_permutex2var_epi8, _mm512_permutex2var_epi16, _mm512_set1_epi16,
    _mm512_storeu_si512,
};
use std::sync::LazyLock;

use super::{Kernel, Width};

#[inline]
pub(super) fn has_256() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    });
    *HAS
}

#[inline]
pub(super) fn has_512() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        has_256()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    });
    *HAS
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

/// The places at which two lines have the same byte.
#[inline(always)]
pub(crate) fn equal(line: &[u8; 64], other: &[u8; 64]) -> Option<u64> {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { equal_512(line, other) })
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { equal_256(line, other) })
    } else {
        None
    }
}

/// The places at which a line has a greater byte than another one.
#[inline(always)]
pub(crate) fn above(line: &[u8; 64], other: &[u8; 64]) -> Option<u64> {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { above_512(line, other) })
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { above_256(line, other) })
    } else {
        None
    }
}

/// The places at which two lines have the same number.
#[inline(always)]
pub(crate) fn equal_words(line: &[u16; 64], other: &[u16; 64]) -> Option<u64> {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { equal_words_512(line, other) })
    } else {
        None
    }
}

/// The places at which a line has a number above a bound.
#[inline(always)]
pub(crate) fn keys_above(line: &[i16; 64], bound: i16) -> Option<u64> {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { keys_above_512(line, bound) })
    } else {
        None
    }
}

/// 255 at the places of a set, 0 elsewhere.
#[inline(always)]
pub(crate) fn expanded(set: u64) -> Option<[u8; 64]> {
    if is_x86_feature_detected!("avx512bw") {
        let mut bytes = [0; 64];
        // SAFETY: the processor has what the function is compiled for.
        unsafe { expand_512(set, &mut bytes) };
        Some(bytes)
    } else {
        None
    }
}

/// Whether bytes can be picked from a line and put into one.
#[inline(always)]
fn picks() -> bool {
    is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2")
}

/// The bytes of a line at the places of a set, one after the other, and then zeros.
#[inline(always)]
pub(crate) fn picked(line: &[u8; 64], set: u64) -> Option<[u8; 64]> {
    if picks() {
        let mut bytes = [0; 64];
        // SAFETY: the processor has what the function is compiled for.
        unsafe { pick_512(line, set, &mut bytes) };
        Some(bytes)
    } else {
        None
    }
}

/// Puts values, one after the other, at the places of a set; says whether it could. There must be
/// as many.
#[inline(always)]
pub(crate) fn put(line: &mut [u8; 64], set: u64, values: &[u8]) -> bool {
    let can = picks() && values.len() == set.count_ones() as usize;
    if can {
        // SAFETY: the processor has what the function is compiled for.
        unsafe { put_512(line, set, values) };
    }
    can
}

/// What a table has for each byte of a line.
#[inline(always)]
pub(crate) fn looked_up(line: &[u8; 64], table: &[u8; 256]) -> Option<[u8; 64]> {
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi") {
        let mut found = [0; 64];
        // SAFETY: the processor has what the function is compiled for.
        unsafe { look_up_512(line, table, &mut found) };
        Some(found)
    } else {
        None
    }
}

/// The bytes of a line at the places that are given, in that order.
///
/// There is an instruction for bytes as well, but code for wide registers is not compiled for it,
/// and a call takes longer than those for words.
#[inline(always)]
pub(crate) fn permuted(line: &[u8; 64], from: &[u8; 64]) -> Option<[u8; 64]> {
    if is_x86_feature_detected!("avx512bw") {
        let mut permuted = [0; 64];
        // SAFETY: the processor has what the function is compiled for.
        unsafe { permute_512(line, from, &mut permuted) };
        Some(permuted)
    } else {
        None
    }
}

/// The same for words.
#[inline(always)]
pub(crate) fn permuted_words(line: &[u16; 64], from: &[u8; 64]) -> Option<[u16; 64]> {
    if is_x86_feature_detected!("avx512bw") {
        let mut permuted = [0; 64];
        // SAFETY: the processor has what the function is compiled for.
        unsafe { permute_words_512(line, from, &mut permuted) };
        Some(permuted)
    } else {
        None
    }
}

/// Two functions for a number: the second is compiled for the instruction that the first asks for.
macro_rules! keep_smaller {
    ($name:ident, $wide:ident, $number:ty, $lanes:literal, $smaller:ident) => {
        /// Takes the smaller of two numbers at each place, but for those of a set, which keep the
        /// first; says whether it could.
        #[inline(always)]
        pub(crate) fn $name(best: &mut [$number; 64], line: &[$number; 64], except: u64) -> bool {
            let can = is_x86_feature_detected!("avx512bw");
            if can {
                // SAFETY: the processor has what the function is compiled for.
                unsafe { $wide(best, line, except) };
            }
            can
        }

        #[target_feature(enable = "avx512bw")]
        #[inline]
        fn $wide(best: &mut [$number; 64], line: &[$number; 64], mut except: u64) {
            let registers = best.as_chunks_mut::<$lanes>().0.iter_mut();
            for (best, line) in registers.zip(line.as_chunks::<$lanes>().0) {
                // SAFETY: there are the 64 bytes that are read and written.
                unsafe {
                    let before = _mm512_loadu_si512(best.as_ptr().cast());
                    let other = _mm512_loadu_si512(line.as_ptr().cast());
                    let after = $smaller(before, !except as _, before, other);
                    _mm512_storeu_si512(best.as_mut_ptr().cast(), after);
                }
                // The places of the second register, if there is one.
                except >>= $lanes % 64;
            }
        }
    };
}

keep_smaller!(
    keep_smaller_bytes,
    smaller_bytes_512,
    u8,
    64,
    _mm512_mask_min_epu8
);
keep_smaller!(
    keep_smaller_keys,
    smaller_keys_512,
    i16,
    32,
    _mm512_mask_min_epi16
);
keep_smaller!(
    keep_smaller_words,
    smaller_words_512,
    u16,
    32,
    _mm512_mask_min_epu16
);

/// The bytes of a word at the places of a set, one after the other, and then zeros.
#[inline(always)]
pub(crate) fn moved_together(word: u64, used: u8) -> Option<u64> {
    shuffled(word, TOGETHER[usize::from(used)])
}

/// The lowest bytes of a word, one after the other, at the places of a set, and zeros elsewhere.
#[inline(always)]
pub(crate) fn spread(bytes: u64, used: u8) -> Option<u64> {
    shuffled(bytes, APART[usize::from(used)])
}

/// The byte of the word from which each byte of a word is taken; none, which is zero, where the
/// highest bit is set.
type Shuffle = u64;

const NONE: Shuffle = 0x80;

/// For each set of places, where the bytes come from that stand there, one after the other.
static TOGETHER: [Shuffle; 256] = shuffles().0;

/// For each set of places, where the bytes come from that were moved together.
static APART: [Shuffle; 256] = shuffles().1;

const fn shuffles() -> ([Shuffle; 256], [Shuffle; 256]) {
    let (mut together, mut apart) = ([0; 256], [0; 256]);
    let mut used = 0;
    while used < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if used >> place & 1 == 1 {
                together[used] |= place << (8 * count);
                apart[used] |= count << (8 * place);
                count += 1;
            } else {
                apart[used] |= NONE << (8 * place);
            }
            place += 1;
        }
        while count < 8 {
            together[used] |= NONE << (8 * count);
            count += 1;
        }
        used += 1;
    }
    (together, apart)
}

#[inline(always)]
fn shuffled(word: u64, shuffle: Shuffle) -> Option<u64> {
    if is_x86_feature_detected!("ssse3") {
        // SAFETY: the processor has what the function is compiled for.
        Some(unsafe { shuffle_128(word, shuffle) })
    } else {
        None
    }
}

#[target_feature(enable = "ssse3")]
#[inline]
fn shuffle_128(word: u64, shuffle: Shuffle) -> u64 {
    let [word, shuffle]: [__m128i; 2] = [word, shuffle].map(|word| _mm_cvtsi64_si128(word as i64));
    _mm_cvtsi128_si64(_mm_shuffle_epi8(word, shuffle)) as u64
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn expand_512(set: u64, bytes: &mut [u8; 64]) {
    // SAFETY: there are the 64 bytes that are written.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_movm_epi8(set)) };
}

#[target_feature(enable = "avx512bw,avx512vbmi2")]
#[inline]
fn pick_512(line: &[u8; 64], set: u64, bytes: &mut [u8; 64]) {
    // SAFETY: there are the 64 bytes that are read and written.
    unsafe {
        let line = _mm512_loadu_si512(line.as_ptr().cast());
        let picked = _mm512_maskz_compress_epi8(set, line);
        _mm512_storeu_si512(bytes.as_mut_ptr().cast(), picked);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi2")]
#[inline]
fn put_512(line: &mut [u8; 64], set: u64, values: &[u8]) {
    let there = u64::MAX
        .checked_shr(64 - values.len().min(64) as u32)
        .unwrap_or(0);
    // SAFETY: of `values` no more is read than there is, and the line has 64 bytes.
    unsafe {
        let values = _mm512_maskz_loadu_epi8(there, values.as_ptr().cast());
        let before = _mm512_loadu_si512(line.as_ptr().cast());
        let after = _mm512_mask_expand_epi8(before, set, values);
        _mm512_storeu_si512(line.as_mut_ptr().cast(), after);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn look_up_512(line: &[u8; 64], table: &[u8; 256], found: &mut [u8; 64]) {
    // SAFETY: there are the 64 and the 256 bytes that are read, and the 64 that are written.
    unsafe {
        let line = _mm512_loadu_si512(line.as_ptr().cast());
        let quarter = |place: usize| _mm512_loadu_si512(table.as_ptr().add(64 * place).cast());
        let low = _mm512_permutex2var_epi8(quarter(0), line, quarter(1));
        let high = _mm512_permutex2var_epi8(quarter(2), line, quarter(3));
        let bytes = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(line), high);
        _mm512_storeu_si512(found.as_mut_ptr().cast(), bytes);
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn permute_512(line: &[u8; 64], from: &[u8; 64], permuted: &mut [u8; 64]) {
    let word = |bytes: &[u8; 32]| {
        // SAFETY: these are the 32 bytes that are read.
        _mm512_cvtepu8_epi16(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
    };
    let [low, high] = [0, 1].map(|half| word(&line.as_chunks().0[half]));
    let halves = permuted.as_chunks_mut::<32>().0.iter_mut();
    for (half, from) in halves.zip(from.as_chunks().0) {
        let bytes = _mm512_cvtepi16_epi8(_mm512_permutex2var_epi16(low, word(from), high));
        // SAFETY: these are the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), bytes) };
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn permute_words_512(line: &[u16; 64], from: &[u8; 64], permuted: &mut [u16; 64]) {
    let halves = permuted.as_chunks_mut::<32>().0.iter_mut();
    for (half, from) in halves.zip(from.as_chunks::<32>().0) {
        // SAFETY: there are the 32 bytes and twice 64 that are read, and the 64 that are written.
        unsafe {
            let low = _mm512_loadu_si512(line.as_ptr().cast());
            let high = _mm512_loadu_si512(line.as_ptr().add(32).cast());
            let from = _mm512_cvtepu8_epi16(_mm256_loadu_si256(from.as_ptr().cast()));
            let words = _mm512_permutex2var_epi16(low, from, high);
            _mm512_storeu_si512(half.as_mut_ptr().cast(), words);
        }
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn equal_512(line: &[u8; 64], other: &[u8; 64]) -> u64 {
    let [line, other] = both(line, other);
    _mm512_cmpeq_epi8_mask(line, other)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn above_512(line: &[u8; 64], other: &[u8; 64]) -> u64 {
    let [line, other] = both(line, other);
    _mm512_cmpgt_epu8_mask(line, other)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn equal_words_512(line: &[u16; 64], other: &[u16; 64]) -> u64 {
    let same = |half: usize| {
        let [line, other] = [line, other].map(|words| {
            let words = &words.as_chunks::<32>().0[half];
            // SAFETY: these are the 64 bytes that are read.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        });
        u64::from(_mm512_cmpeq_epi16_mask(line, other))
    };
    same(0) | same(1) << 32
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn keys_above_512(line: &[i16; 64], bound: i16) -> u64 {
    let above = |half: usize| {
        let keys = &line.as_chunks::<32>().0[half];
        // SAFETY: these are the 64 bytes that are read.
        let keys = unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) };
        u64::from(_mm512_cmpgt_epi16_mask(keys, _mm512_set1_epi16(bound)))
    };
    above(0) | above(1) << 32
}

/// The bytes of both lines.
#[target_feature(enable = "avx512bw")]
#[inline]
fn both(line: &[u8; 64], other: &[u8; 64]) -> [__m512i; 2] {
    // SAFETY: both have the 64 bytes that are read.
    [line, other].map(|bytes| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn equal_256(line: &[u8; 64], other: &[u8; 64]) -> u64 {
    let [low, high] = [0, 1].map(|half| {
        let [line, other] = halves(line, other, half);
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(line, other)) as u32
    });
    u64::from(low) | u64::from(high) << 32
}

#[target_feature(enable = "avx2")]
#[inline]
fn above_256(line: &[u8; 64], other: &[u8; 64]) -> u64 {
    let [low, high] = [0, 1].map(|half| {
        let [line, other] = halves(line, other, half);
        let greater = _mm256_max_epu8(line, other);
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(greater, other)) as u32
    });
    !(u64::from(low) | u64::from(high) << 32)
}

/// The 32 bytes of the first or the second half of both.
#[target_feature(enable = "avx2")]
#[inline]
fn halves(line: &[u8; 64], other: &[u8; 64], half: usize) -> [__m256i; 2] {
    [line, other].map(|bytes| {
        let bytes = &bytes.as_chunks::<32>().0[half];
        // SAFETY: these are the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_registers_find_what_wide_ones_do() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..1000 {
            let line: [u8; 64] = std::array::from_fn(|_| random.u8(..4) * 85);
            let other: [u8; 64] = std::array::from_fn(|_| random.u8(..4) * 85);
            // SAFETY: the processor has AVX2.
            let narrow = unsafe { [equal_256(&line, &other), above_256(&line, &other)] };
            let set_of = |is_chosen: &dyn Fn(usize) -> bool| {
                (0..64).fold(0, |set, at| set | u64::from(is_chosen(at)) << at)
            };
            let equal = set_of(&|at| line[at] == other[at]);
            let above = set_of(&|at| line[at] > other[at]);
            assert_eq!(narrow, [equal, above]);
        }
    }
}
