//! Symbols -> the lengths of their codes, and the numbers that make the code canonical.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Longest code that readers hold in their bit buffers.
const MAX_BITS: u8 = 32;

/// A canonical code. Symbols are numbered anew: those with longer codes first, those that have none
/// last.
#[derive(Debug)]
pub(super) struct Code {
    /// By old number: the new one.
    pub renumbered: Vec<u16>,
    /// By new number: the bits of the code; 0 for symbols that are only parts of others.
    pub bits: Vec<u8>,
    /// By new number: the code.
    pub codes: Vec<u32>,
    /// The shortest length of a code, in bits.
    pub shortest: u8,
    /// For each length from the shortest to the longest, the lowest symbol with such a code.
    pub lowest: Vec<u16>,
}

impl Code {
    /// The code for symbols that occur so often; at least one of them does.
    pub fn new(counts: &[u64]) -> Code {
        let lengths = code_lengths(counts);
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&symbol| (lengths[symbol] == 0, Reverse(lengths[symbol]), symbol));
        let mut renumbered = vec![0; counts.len()];
        for (new, &old) in order.iter().enumerate() {
            renumbered[old] = new as u16;
        }
        let bits: Vec<u8> = order.iter().map(|&old| lengths[old]).collect();
        let coded: Vec<u8> = bits.iter().copied().filter(|&bits| bits != 0).collect();
        let longest = coded.first().copied().unwrap_or(0);
        let shortest = coded.last().copied().unwrap_or(0);
        let lowest = (shortest..=longest)
            .map(|length| coded.iter().filter(|&&bits| bits > length).count() as u16)
            .collect();
        // The longest codes begin with 0; a shorter one follows by dropping the bits it does not
        // have.
        let mut codes = vec![0; bits.len()];
        let mut next = 0u64;
        let mut length = longest;
        for (code, &bits) in codes.iter_mut().zip(&coded) {
            next >>= length - bits;
            length = bits;
            *code = next as u32;
            next += 1;
        }
        Code {
            renumbered,
            bits,
            codes,
            shortest,
            lowest,
        }
    }

    /// Writes the lengths: the longest, the shortest, and the lowest symbol of each.
    pub fn write(&self, head: &mut Vec<u8>) {
        let longest = self.shortest + (self.lowest.len() - 1) as u8;
        head.extend([longest, self.shortest]);
        head.extend(self.lowest.iter().flat_map(|symbol| symbol.to_le_bytes()));
    }
}

/// The lengths of a Huffman code; 0 for what does not occur.
fn code_lengths(counts: &[u64]) -> Vec<u8> {
    let mut divisor = 1;
    loop {
        // A code that is too long becomes shorter when counts are brought nearer to each other.
        let scaled = counts.iter().map(|&count| count.div_ceil(divisor));
        let lengths = huffman(&scaled.collect::<Vec<u64>>());
        if lengths.iter().all(|&bits| bits <= MAX_BITS) {
            return lengths;
        }
        divisor *= 2;
    }
}

fn huffman(counts: &[u64]) -> Vec<u8> {
    let mut parents: Vec<usize> = vec![0; counts.len()];
    let occurring = counts.iter().enumerate().filter(|&(_, &count)| count != 0);
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = occurring
        .map(|(node, &count)| Reverse((count, node)))
        .collect();
    while let Some(Reverse((first, a))) = heap.pop() {
        let Some(Reverse((second, b))) = heap.pop() else {
            break;
        };
        let node = parents.len();
        parents.push(node);
        parents[a] = node;
        parents[b] = node;
        heap.push(Reverse((first + second, node)));
    }
    let mut depths = vec![0u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        if node >= counts.len() || counts[node] != 0 {
            depths[node] = depths[parents[node]].saturating_add(1);
        }
    }
    depths.truncate(counts.len());
    if let Some(only) = only_one(counts) {
        // There is no code of no bits.
        depths[only] = 1;
    }
    depths
}

/// The symbol that occurs, if it is the only one.
fn only_one(counts: &[u64]) -> Option<usize> {
    let mut occurring = (0..counts.len()).filter(|&symbol| counts[symbol] != 0);
    occurring.next().filter(|_| occurring.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_classic_example() {
        assert_eq!(
            code_lengths(&[45, 13, 12, 0, 16, 9, 5]),
            [1, 3, 3, 0, 3, 4, 4]
        );
    }

    #[test]
    fn codes_are_canonical_and_free_of_prefixes() {
        let counts: Vec<u64> = (0..300u64)
            .map(|n| if n % 7 == 3 { 0 } else { n * n * n + 1 })
            .collect();
        let code = Code::new(&counts);
        let coded = code.bits.iter().filter(|&&bits| bits != 0).count();
        let words: Vec<u64> = (0..coded)
            .map(|symbol| u64::from(code.codes[symbol]) << (64 - u32::from(code.bits[symbol])))
            .collect();
        assert!(words.is_sorted());
        for symbol in 1..coded {
            let before = u32::from(code.bits[symbol - 1]);
            assert_ne!(
                words[symbol] >> (64 - before),
                words[symbol - 1] >> (64 - before)
            );
        }
        let kraft: f64 = code.bits[..coded]
            .iter()
            .map(|&bits| 0.5f64.powi(bits.into()))
            .sum();
        assert!((kraft - 1.0).abs() < 1e-12);
    }

    #[test]
    fn codes_do_not_become_too_long() {
        let mut counts = vec![1u64, 1];
        while counts.len() < 60 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        let lengths = code_lengths(&counts);
        assert!(lengths.iter().all(|&bits| (1..=MAX_BITS).contains(&bits)));
    }
}
