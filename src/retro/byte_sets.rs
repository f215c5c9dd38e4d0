//! Eight bytes as one number, and sets of them as bits.
//!
//! Any processor can handle eight bytes so, and compilers turn loops over them into wider registers.

/// A bit in each byte: its lowest one.
pub const LOW: u64 = 0x0101_0101_0101_0101;
/// A bit in each byte: its highest one.
pub const HIGH: u64 = 0x8080_8080_8080_8080;

/// A bit in each byte, its highest one, where the byte is not zero.
#[inline(always)]
#[must_use]
pub const fn not_zero(bytes: u64) -> u64 {
    ((bytes & !HIGH).wrapping_add(!HIGH) | bytes) & HIGH
}

/// The highest bits of eight bytes, gathered.
#[inline(always)]
#[must_use]
pub const fn gather_high_bits(bytes: u64) -> u64 {
    // Bit 7 of byte i meets the factor's bit 7 * (8 - i) in bit 63 - 7 + i, and no two products meet.
    ((bytes & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The bytes that are not zero, as bits.
#[inline(always)]
#[must_use]
pub const fn not_zero_bytes(bytes: u64) -> u64 {
    gather_high_bits(not_zero(bytes))
}

/// All bits of byte `i` set where bit `i` of `bits` is.
#[inline(always)]
#[must_use]
pub const fn spread(bits: u8) -> u64 {
    let chosen = (bits as u64).wrapping_mul(LOW) & 0x8040_2010_0804_0201;
    (not_zero(chosen) >> 7).wrapping_mul(0xff)
}
