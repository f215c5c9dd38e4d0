//! Sets of positions that wait: each word is predicted from words before it, and what differs is
//! kept.
//!
//! Words 1 and 8 apart differ in the square of the fastest man of an address, by a file and by a
//! rank; words 64 and 512 apart in that of the next man, 4096 apart in that of the third. So a word
//! is much like those of the same position with a man a step away. Of a few ways to say so the best
//! is chosen for each 64 words. Of KQRvKR's sets a sixth or seventh is left, where zstd's level 1
//! leaves a ninth; packing takes a quarter of its time, unpacking half.
//!
//! *Example.* Let the fastest man's step to the next file add bit 20, and the next man's step to
//! the next rank bit 30. Before both steps, 513 words back, the word is `c = 0`; after one of them,
//! 512 words and one word back, it is `a = 1 << 20` and `b = 1 << 30`. After both it has both bits,
//! unless the men stand in each other's way, and that is `a ^ b ^ c`.

use crate::byte_sets;
use crate::game::Bits;
use crate::simd::{Kernel, Width};

/// Words that are predicted in one way.
const GROUP: usize = 64;
/// How far back a prediction looks. Before the first word all are empty.
const REACH: usize = 4096;
/// A group and what is needed to predict it.
type Window = [u64; REACH + GROUP];
/// How many ways there are.
const WAYS: usize = 7;
/// In a group's first byte, beside the number of the way: that some words differ.
const DIFFERS: u8 = 0x80;
/// Bytes of a group at most: the first, which words differ, and of each which bytes do and these.
const MOST_BYTES: usize = 1 + 8 + GROUP * 9;

/// What a word probably is; bit by bit what two of three say, or what a step changes in one
/// direction if it changes the same as elsewhere in the other.
#[inline(always)]
fn predicted<const WAY: usize>(window: &Window, place: usize) -> u64 {
    let before = |words: usize| window[REACH + place - words];
    let majority = |a: u64, b: u64, c: u64| a & b | c & (a | b);
    match WAY {
        0 => 0,
        1 => before(4096),
        2 => before(1) ^ before(512) ^ before(513),
        3 => before(64) ^ before(512) ^ before(576),
        4 => before(8) ^ before(64) ^ before(72),
        5 => majority(before(1), before(8), before(64)),
        _ => majority(before(1), before(64), before(512)),
    }
}

/// How a group differs from what is predicted, and in how many bytes.
#[inline(always)]
fn differences<const WAY: usize>(window: &Window, all: &mut [u64; GROUP]) -> u32 {
    // In each byte how often it differs; a group has fewer than 256 words.
    let mut counts = 0u64;
    for (place, difference) in all.iter_mut().enumerate() {
        let word = window[REACH + place] ^ predicted::<WAY>(window, place);
        *difference = word;
        let folded = word | word >> 4;
        let folded = folded | folded >> 2;
        counts += (folded | folded >> 1) & 0x0101_0101_0101_0101;
    }
    let mut sum = 0;
    for byte in counts.to_le_bytes() {
        sum += u32::from(byte);
    }
    sum
}

/// Fills the group of a window with what differs so.
#[inline(always)]
fn restore<const WAY: usize>(window: &mut Window, differences: &[u64; GROUP]) {
    for (place, difference) in differences.iter().enumerate() {
        window[REACH + place] = difference ^ predicted::<WAY>(window, place);
    }
}

/// The first words of a set, at most `REACH` of them, behind as many empty ones.
fn head(words: &[u64]) -> Vec<u64> {
    let first = &words[..words.len().min(REACH)];
    let mut head = vec![0; REACH + first.len().next_multiple_of(GROUP)];
    head[REACH..][..first.len()].copy_from_slice(first);
    head
}

/// How many words of 64 bits a word is.
fn parts<W: Bits>() -> usize {
    (W::WIDTH / u64::BITS) as usize
}

/// The set as bytes.
pub(super) fn pack<W: Bits>(set: &[W]) -> Vec<u8> {
    let words = W::parts_of(set);
    Width::widest().run(Pack {
        head: &head(&words),
        words: &words,
    })
}

struct Pack<'a> {
    head: &'a [u64],
    words: &'a [u64],
}

impl Kernel for Pack<'_> {
    type Output = Vec<u8>;

    #[inline(always)]
    fn run(self) -> Vec<u8> {
        let mut packing = Packing {
            bytes: Vec::with_capacity(self.words.len()),
            all: [[0; GROUP]; WAYS],
            room: [0; MOST_BYTES],
        };
        for first in (0..self.head.len() - REACH).step_by(GROUP) {
            if let Some(window) = self.head[first..].first_chunk() {
                packing.add(window);
            }
        }
        for first in (0..self.words.len().saturating_sub(REACH)).step_by(GROUP) {
            let rest = &self.words[first..];
            match rest.first_chunk() {
                Some(window) => packing.add(window),
                None => {
                    let mut window = [0; REACH + GROUP];
                    window[..rest.len()].copy_from_slice(rest);
                    packing.add(&window);
                }
            }
        }
        packing.bytes
    }
}

/// A set of which some groups are bytes.
struct Packing {
    bytes: Vec<u8>,
    /// How a group differs, by the way it is predicted.
    all: [[u64; GROUP]; WAYS],
    room: [u8; MOST_BYTES],
}

impl Packing {
    #[inline(always)]
    fn add(&mut self, window: &Window) {
        let (mut way, mut least) = (0, differences::<0>(window, &mut self.all[0]));
        self.look_for_less::<1>(window, &mut way, &mut least);
        self.look_for_less::<2>(window, &mut way, &mut least);
        self.look_for_less::<3>(window, &mut way, &mut least);
        self.look_for_less::<4>(window, &mut way, &mut least);
        self.look_for_less::<5>(window, &mut way, &mut least);
        self.look_for_less::<6>(window, &mut way, &mut least);
        let used = match least {
            0 => {
                self.room[0] = way as u8;
                1
            }
            _ => write_group(way as u8 | DIFFERS, &self.all[way], &mut self.room),
        };
        self.bytes.extend_from_slice(&self.room[..used]);
    }

    /// Whether a group is predicted better in another way; not looked at if it is exactly already.
    #[inline(always)]
    fn look_for_less<const WAY: usize>(
        &mut self,
        window: &Window,
        way: &mut usize,
        least: &mut u32,
    ) {
        if *least == 0 {
            return;
        }
        let count = differences::<WAY>(window, &mut self.all[WAY]);
        if count < *least {
            (*way, *least) = (WAY, count);
        }
    }
}

/// Writes a group of which some words differ, and says how many bytes that takes.
#[inline(always)]
fn write_group(first: u8, differences: &[u64; GROUP], room: &mut [u8; MOST_BYTES]) -> usize {
    let mut differing = 0u64;
    for (place, &word) in differences.iter().enumerate() {
        differing |= u64::from(word != 0) << place;
    }
    room[0] = first;
    room[1..9].copy_from_slice(&differing.to_le_bytes());
    let mut end = 9;
    while differing != 0 {
        let word = differences[differing.trailing_zeros() as usize];
        differing &= differing - 1;
        end += write_word(word, &mut room[end..]);
    }
    end
}

/// The set of so many words that some bytes stand for; nothing if they stand for none.
pub(super) fn unpack<W: Bits>(bytes: &[u8], len: usize) -> Option<Vec<W>> {
    let len = len * parts::<W>();
    let mut words = vec![0; len.next_multiple_of(GROUP)];
    Width::widest().run(Unpack {
        bytes,
        head: &mut head(&words),
        words: &mut words,
    })?;
    words.truncate(len);
    Some(W::from_parts(words))
}

struct Unpack<'a> {
    bytes: &'a [u8],
    head: &'a mut [u64],
    /// Whole groups.
    words: &'a mut [u64],
}

impl Kernel for Unpack<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let mut bytes = self.bytes;
        let in_head = self.head.len() - REACH;
        for first in (0..in_head).step_by(GROUP) {
            bytes = read_window(bytes, self.head[first..].first_chunk_mut()?)?;
        }
        self.words[..in_head].copy_from_slice(&self.head[REACH..]);
        for first in (0..self.words.len() - in_head).step_by(GROUP) {
            bytes = read_window(bytes, self.words[first..].first_chunk_mut()?)?;
        }
        bytes.is_empty().then_some(())
    }
}

/// Reads the group of a window, and returns the bytes after it.
#[inline(always)]
fn read_window<'a>(bytes: &'a [u8], window: &mut Window) -> Option<&'a [u8]> {
    let (&first, mut bytes) = bytes.split_first()?;
    let mut differences = [0; GROUP];
    if first & DIFFERS != 0 {
        bytes = read_group(bytes, &mut differences)?;
    }
    match first & !DIFFERS {
        0 => restore::<0>(window, &differences),
        1 => restore::<1>(window, &differences),
        2 => restore::<2>(window, &differences),
        3 => restore::<3>(window, &differences),
        4 => restore::<4>(window, &differences),
        5 => restore::<5>(window, &differences),
        6 => restore::<6>(window, &differences),
        _ => return None,
    }
    Some(bytes)
}

/// Reads the words of a group that differ, and returns the bytes after them.
#[inline(always)]
fn read_group<'a>(bytes: &'a [u8], differences: &mut [u64; GROUP]) -> Option<&'a [u8]> {
    let (differing, mut bytes) = bytes.split_first_chunk()?;
    let mut differing = u64::from_le_bytes(*differing);
    while differing != 0 {
        let place = differing.trailing_zeros() as usize;
        differing &= differing - 1;
        (differences[place], bytes) = read_word(bytes)?;
    }
    Some(bytes)
}

/// Writes which bytes of a word are not zero and then these, and says how many that makes: nine at
/// most, for which there must be room.
#[inline(always)]
pub(crate) fn write_word(word: u64, room: &mut [u8]) -> usize {
    let (used, kept) = byte_sets::kept(word);
    room[0] = used;
    room[1..9].copy_from_slice(&kept.to_le_bytes());
    1 + used.count_ones() as usize
}

/// The word that was written so, and the bytes after it; nothing if they end before.
#[inline(always)]
pub(crate) fn read_word(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (&used, bytes) = bytes.split_first()?;
    let (kept, rest) = bytes.split_at_checked(used.count_ones() as usize)?;
    let eight = match bytes.first_chunk() {
        Some(&eight) => eight,
        None => {
            let mut eight = [0; 8];
            eight[..kept.len()].copy_from_slice(kept);
            eight
        }
    };
    Some((byte_sets::spread(u64::from_le_bytes(eight), used), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets as unlike each other as there are ways to predict them, of any length.
    fn sets() -> Vec<Vec<u64>> {
        let mut random = fastrand::Rng::with_seed(5);
        let mut sets = vec![Vec::new()];
        for len in [1, 63, 64, 65, 4096, 5000, 32768] {
            sets.push(vec![0; len]);
            sets.push(vec![u64::MAX; len]);
            sets.push((0..len).map(|_| random.u64(..)).collect());
            let sparse = |_| random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..);
            sets.push((0..len).map(sparse).collect());
            // Squares around one that moves with the address, away from a few others.
            let near = |at: usize| 0x0007_0507_u64.rotate_left(at as u32 % 64);
            sets.push(
                (0..len)
                    .map(|at| near(at) & !near(at / 64) | near(at / 4096))
                    .collect(),
            );
        }
        sets
    }

    #[test]
    fn a_set_comes_back() {
        for set in sets() {
            let packed = pack(&set);
            assert_eq!(unpack::<u64>(&packed, set.len()).unwrap(), set);
            let wide: Vec<u128> = set.iter().map(|&word| u128::from(word) << 40).collect();
            assert_eq!(unpack::<u128>(&pack(&wide), wide.len()).unwrap(), wide);
        }
    }

    #[test]
    fn each_way_is_the_best_somewhere() {
        let mut seen = [false; WAYS];
        let mut random = fastrand::Rng::with_seed(8);
        // A group that is predicted exactly in one way after words without any pattern.
        for (way, seen) in seen.iter_mut().enumerate() {
            let mut words: Vec<u64> = (0..REACH).map(|_| random.u64(..)).collect();
            let mut window = [0; REACH + GROUP];
            window[..REACH].copy_from_slice(&words);
            let restore = [
                restore::<0>,
                restore::<1>,
                restore::<2>,
                restore::<3>,
                restore::<4>,
                restore::<5>,
                restore::<6>,
            ];
            restore[way](&mut window, &[0; GROUP]);
            words.extend_from_slice(&window[REACH..]);
            *seen = pack(&words).last() == Some(&(way as u8));
        }
        assert_eq!(seen, [true; WAYS]);
    }

    #[test]
    fn other_bytes_are_no_set() {
        let mut random = fastrand::Rng::with_seed(6);
        for set in sets().into_iter().filter(|set| set.len() > 1) {
            let packed = pack(&set);
            assert!(unpack::<u64>(&packed[..packed.len() - 1], set.len()).is_none());
            assert!(unpack::<u64>(&[&packed[..], &[0]].concat(), set.len()).is_none());
            assert!(unpack::<u64>(&packed, set.len() + GROUP).is_none());
            for _ in 0..100 {
                let mut damaged = packed.clone();
                let place = random.usize(..damaged.len());
                damaged[place] ^= 1 << random.u32(..8);
                // Another set or none: what waits has a checksum.
                let _ = unpack::<u64>(&damaged, set.len());
            }
        }
    }
}
