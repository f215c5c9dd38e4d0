//! Values that wait, a byte a position: each line of 64 is predicted from lines before it, and what
//! differs is kept.
//!
//! A line is a word of positions, so lines 1, 8, 64 and 512 apart are those of the same men, one of
//! them a step away (see [`predicted`](super::predicted)). Distances change by steps more often
//! than sets do, so what they are is not said by sums of differences: it is a value that stands
//! there already. Of a few ways to choose it the best is taken for each 64 lines.
//!
//! *Example.* Before both of two steps the distance is `c = 9`, after one of them `a = 9`, after the
//! other `b = 11`. Then it is 11 after both: what one step leaves as it is, it leaves so after the
//! other. And if three neighbours say 9, 11 and 11, it is 11.
//!
//! Of 236 MB of distances of KRPvKR a fifth of the bytes differ. Which do takes 0.083 of all bytes,
//! and what stands there 0.079 when zstd's level 1 has compressed it, together 0.162; the same level
//! alone leaves 0.146 in twice the time, and twice the time to read it back.

use super::predicted::{read_word, write_word};
use crate::byte_sets;
use crate::simd::{Kernel, Width};

/// Bytes of a line.
const LINE: usize = 64;
type Line = [u8; LINE];
/// Lines that are predicted in one way.
const GROUP: usize = 64;
/// How far back a prediction looks. Before the first line all are zero.
const REACH: usize = 576;
/// A group and what is needed to predict it.
type Window = [Line; REACH + GROUP];
/// How many ways there are.
const WAYS: u8 = 4;
/// In a group's first byte, beside the number of the way: that some lines differ.
const DIFFERS: u8 = 0x80;

/// Values in two parts.
pub(super) struct Split {
    /// How each group is predicted, and where it differs.
    pub groups: Vec<u8>,
    /// What stands where it differs, one after the other.
    pub values: Vec<u8>,
}

/// `b` where two lines are the same, else `a`.
#[inline(always)]
fn chosen(a: &Line, b: &Line, [first, second]: [&Line; 2]) -> Line {
    std::array::from_fn(|place| {
        let is_same = if first[place] == second[place] {
            u8::MAX
        } else {
            0
        };
        a[place] ^ (a[place] ^ b[place]) & is_same
    })
}

/// `b` where `a` is what it was before its step, `c`; else `a`.
#[inline(always)]
fn after_both_steps(a: &Line, b: &Line, c: &Line) -> Line {
    chosen(a, b, [a, c])
}

/// What `b` and `c` agree on, else `a`.
#[inline(always)]
fn two_of_three(a: &Line, b: &Line, c: &Line) -> Line {
    chosen(a, b, [b, c])
}

/// What a line probably is.
#[inline(always)]
fn predicted<const WAY: u8>(window: &Window, place: usize) -> Line {
    let before = |lines: usize| &window[REACH + place - lines];
    match WAY {
        0 => after_both_steps(before(1), before(512), before(513)),
        1 => after_both_steps(before(64), before(512), before(576)),
        2 => after_both_steps(before(8), before(64), before(72)),
        _ => two_of_three(before(1), before(64), before(512)),
    }
}

/// In how many bytes a group differs from what is predicted.
#[inline(always)]
fn count<const WAY: u8>(window: &Window) -> u32 {
    // A group has fewer than 256 lines.
    let mut counts = [0u8; LINE];
    for place in 0..GROUP {
        let line = &window[REACH + place];
        let predicted = predicted::<WAY>(window, place);
        for (count, (value, predicted)) in counts.iter_mut().zip(line.iter().zip(predicted)) {
            *count += u8::from(*value != predicted);
        }
    }
    let mut sum = 0;
    for count in counts {
        sum += u32::from(count);
    }
    sum
}

/// The first lines, at most `REACH` of them, behind as many of zeros.
fn head(lines: &[Line]) -> Vec<Line> {
    let first = &lines[..lines.len().min(REACH)];
    let mut head = vec![[0; LINE]; REACH];
    head.extend_from_slice(first);
    head
}

/// Values in two parts; nothing if they are no whole groups.
pub(super) fn split(bytes: &[u8]) -> Option<Split> {
    let (lines, rest) = bytes.as_chunks();
    if !rest.is_empty() || !lines.len().is_multiple_of(GROUP) {
        return None;
    }
    let head = &head(lines);
    Some(Width::widest().run(Splitting { head, lines }))
}

struct Splitting<'a> {
    head: &'a [Line],
    lines: &'a [Line],
}

impl Kernel for Splitting<'_> {
    type Output = Split;

    #[inline(always)]
    fn run(self) -> Split {
        let mut split = Split {
            groups: Vec::with_capacity(self.lines.len() * 8),
            values: Vec::with_capacity(self.lines.len() * 16),
        };
        for part in [self.head, self.lines] {
            for first in (0..part.len().saturating_sub(REACH)).step_by(GROUP) {
                if let Some(window) = part[first..].first_chunk() {
                    split.add(window);
                }
            }
        }
        split
    }
}

impl Split {
    #[inline(always)]
    fn add(&mut self, window: &Window) {
        let counts = [
            count::<0>(window),
            count::<1>(window),
            count::<2>(window),
            count::<3>(window),
        ];
        let (mut way, mut least) = (0, counts[0]);
        for (other, count) in (1..).zip(&counts[1..]) {
            if *count < least {
                (way, least) = (other, *count);
            }
        }
        if least == 0 {
            self.groups.push(way);
            return;
        }
        match way {
            0 => self.add_differing::<0>(window),
            1 => self.add_differing::<1>(window),
            2 => self.add_differing::<2>(window),
            _ => self.add_differing::<3>(window),
        }
    }

    #[inline(always)]
    fn add_differing<const WAY: u8>(&mut self, window: &Window) {
        let mut sets = [0; 1 + 8 + GROUP * 9];
        // What is picked of a line is written with the zeros behind it.
        let mut values = [0; GROUP * LINE];
        let (mut differing, mut end, mut count) = (0u64, 9, 0);
        for place in 0..GROUP {
            let line = &window[REACH + place];
            let predicted = predicted::<WAY>(window, place);
            let set = !byte_sets::equal(line, &predicted);
            if set == 0 {
                continue;
            }
            differing |= 1 << place;
            end += write_word(set, &mut sets[end..]);
            values[count..][..LINE].copy_from_slice(&byte_sets::picked(line, set));
            count += set.count_ones() as usize;
        }
        sets[0] = WAY | DIFFERS;
        sets[1..9].copy_from_slice(&differing.to_le_bytes());
        self.groups.extend_from_slice(&sets[..end]);
        self.values.extend_from_slice(&values[..count]);
    }
}

/// Fills `bytes`, whole groups, with the values that the two parts of a [`Split`] stand for; nothing
/// if they stand for none.
pub(super) fn join(groups: &[u8], values: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (lines, rest) = bytes.as_chunks_mut();
    if !rest.is_empty() || !lines.len().is_multiple_of(GROUP) {
        return None;
    }
    let mut head = vec![[0; LINE]; REACH + lines.len().min(REACH)];
    Width::widest().run(Joining {
        rest: Rest { groups, values },
        head: &mut head,
        lines,
    })
}

struct Joining<'a> {
    rest: Rest<'a>,
    head: &'a mut [Line],
    lines: &'a mut [Line],
}

impl Kernel for Joining<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run(self) -> Option<()> {
        let mut rest = self.rest;
        let in_head = self.head.len() - REACH;
        for first in (0..in_head).step_by(GROUP) {
            rest.restore(self.head[first..].first_chunk_mut()?)?;
        }
        self.lines[..in_head].copy_from_slice(&self.head[REACH..]);
        for first in (0..self.lines.len() - in_head).step_by(GROUP) {
            rest.restore(self.lines[first..].first_chunk_mut()?)?;
        }
        (rest.groups.is_empty() && rest.values.is_empty()).then_some(())
    }
}

/// What is not read yet.
struct Rest<'a> {
    groups: &'a [u8],
    values: &'a [u8],
}

impl Rest<'_> {
    /// Reads the group of a window.
    #[inline(always)]
    fn restore(&mut self, window: &mut Window) -> Option<()> {
        let (&first, mut groups) = self.groups.split_first()?;
        let mut differing = 0u64;
        if first & DIFFERS != 0 {
            let bytes;
            (bytes, groups) = groups.split_first_chunk()?;
            differing = u64::from_le_bytes(*bytes);
        }
        self.groups = groups;
        match first & !DIFFERS {
            0 => self.restore_lines::<0>(window, differing),
            1 => self.restore_lines::<1>(window, differing),
            2 => self.restore_lines::<2>(window, differing),
            3 => self.restore_lines::<3>(window, differing),
            WAYS.. => None,
        }
    }

    #[inline(always)]
    fn restore_lines<const WAY: u8>(&mut self, window: &mut Window, differing: u64) -> Option<()> {
        for place in 0..GROUP {
            let mut line = predicted::<WAY>(window, place);
            if differing >> place & 1 == 1 {
                let set;
                (set, self.groups) = read_word(self.groups)?;
                let values;
                (values, self.values) = self.values.split_at_checked(set.count_ones() as usize)?;
                byte_sets::put(&mut line, set, values);
            }
            window[REACH + place] = line;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values as unlike each other as there are ways to predict them.
    fn values() -> Vec<Vec<u8>> {
        let mut random = fastrand::Rng::with_seed(5);
        let mut all = vec![Vec::new()];
        for groups in [1, 8, 9, 10, 40] {
            let len = groups * GROUP * LINE;
            all.push(vec![0; len]);
            all.push(vec![7; len]);
            all.push((0..len).map(|_| random.u8(..)).collect());
            all.push((0..len).map(|_| u8::from(random.u8(..) == 0)).collect());
            // The distance of two men who move with the address, now and then another one.
            let near = |at: usize| (at / LINE % 64).abs_diff(at / LINE / 64) as u8;
            let exception = |random: &mut fastrand::Rng| u8::from(random.u8(..) < 9);
            all.push(
                (0..len)
                    .map(|at| near(at) + exception(&mut random))
                    .collect(),
            );
        }
        all
    }

    #[test]
    fn values_come_back() {
        for bytes in values() {
            let split = split(&bytes).unwrap();
            let mut back = vec![3; bytes.len()];
            join(&split.groups, &split.values, &mut back).unwrap();
            assert!(back == bytes);
        }
    }

    #[test]
    fn parts_of_groups_are_not_split() {
        assert!(split(&[1; GROUP * LINE - 1]).is_none());
        assert!(split(&[1; GROUP * LINE - LINE]).is_none());
    }

    #[test]
    fn each_way_is_the_best_somewhere() {
        let mut random = fastrand::Rng::with_seed(8);
        // A group that is predicted exactly in one way after lines without any pattern.
        for way in 0..WAYS {
            let lines = REACH + GROUP;
            let mut bytes: Vec<u8> = (0..lines * LINE).map(|_| random.u8(..3)).collect();
            let window: &mut Window = bytes.as_chunks_mut().0.first_chunk_mut().unwrap();
            let mut rest = Rest {
                groups: &[way],
                values: &[],
            };
            rest.restore(window).unwrap();
            assert_eq!(split(&bytes).unwrap().groups.last(), Some(&way));
        }
    }

    #[test]
    fn other_bytes_are_no_values() {
        let mut random = fastrand::Rng::with_seed(6);
        for bytes in values().into_iter().filter(|bytes| !bytes.is_empty()) {
            let whole = split(&bytes).unwrap();
            let with = |change: &dyn Fn(&mut Split)| {
                let mut changed = Split {
                    groups: whole.groups.clone(),
                    values: whole.values.clone(),
                };
                change(&mut changed);
                join(&changed.groups, &changed.values, &mut vec![0; bytes.len()])
            };
            assert!(with(&|split| split.groups.truncate(split.groups.len() - 1)).is_none());
            assert!(with(&|split| split.groups.push(0)).is_none());
            assert!(with(&|split| split.values.push(0)).is_none());
            assert!(with(&|split| split.groups[0] |= 0x40).is_none());
            for _ in 0..100 {
                let place = random.usize(..whole.groups.len());
                let bit = 1 << random.u32(..8);
                // Other values or none: what waits has a checksum.
                let _ = with(&|split| split.groups[place] ^= bit);
            }
            for len in [bytes.len() - LINE, bytes.len() + GROUP * LINE] {
                assert!(join(&whole.groups, &whole.values, &mut vec![0; len]).is_none());
            }
        }
    }
}
