//! How much memory a verification takes.

use super::layout::Layout;
use super::line::Line;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;

/// Bytes of a line of results and of one of mate scores.
const VALUES: u64 = 2 * size_of::<Line<u8>>() as u64;
/// Bytes of a line of keys.
const KEYS: u64 = size_of::<Line<i16>>() as u64;

/// Bytes that verifying a material takes at most, about.
///
/// A slice is there with both sides to move: results, mate scores and keys, and the numbers of one stream while they are
/// brought into place. KQRvKQR is one slice of 167.8 million lines: 80 GiB, and 10 GiB for a stream. With pawns, slices
/// wait for those a step further from promotion, and promotions are kept for each square of the last rank.
pub(in crate::verify) fn memory(material: &Material) -> u64 {
    let layout = Layout::new(*material);
    let addresses = layout.addresses() as u64;
    let slices = layout.slices() as u64;
    let stream = IndexSpace::new(*material).len() / slices;
    let slice = addresses * 2 * (VALUES + KEYS) + addresses * size_of::<Line<u8>>() as u64 + stream;
    let waiting = (longest_wait(&layout) - 1) * addresses * 2 * VALUES;
    let dependencies = material.dependencies();
    let captured = dependencies
        .iter()
        .filter(|other| other.men() < material.men());
    let captured: u64 = captured
        .map(|other| {
            let layout = Layout::new(*other);
            layout.slices() as u64 * layout.addresses() as u64 * 2 * VALUES
        })
        .sum();
    let promotions = dependencies
        .iter()
        .filter(|other| other.men() == material.men());
    // A pawn on any of four files, the others being their mirror images.
    let promoted = promotions.count() as u64 * 4 * addresses * VALUES;
    slice + waiting + captured + promoted
}

/// The most slices whose values are there at the same time: all those that are as far from promotion, or a step less.
fn longest_wait(layout: &Layout) -> u64 {
    let mut by_steps = [0u64; 64];
    for slice in 0..layout.slices() {
        let steps = layout.pawns.placement(slice).steps_to_promotion() as usize;
        by_steps[steps.min(63)] += 1;
    }
    let both = by_steps.windows(2).map(|pair| pair[0] + pair[1]);
    both.max().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_verified_within_some_gibibytes_is_expected_to_take_no_more() {
        let gibibytes =
            |material: &str| memory(&material.parse().unwrap()) as f64 / (1u64 << 30) as f64;
        assert!(gibibytes("KQRvKR") < 2.0);
        assert!(gibibytes("KRPvKR") < 4.0);
        assert!(gibibytes("KPPvKP") < 4.0);
        assert!((80.0..110.0).contains(&gibibytes("KQRvKQR")));
        assert!(gibibytes("KRPvKRP") > gibibytes("KRPvKR"));
    }
}
