//! How much memory a verification takes.

use super::MEN_IN_BYTES;
use super::layout::{Layout, Legality, PAGE};
use super::line::Line;
use super::places::NUMBERS_AT_HAND;
use super::source::{PIECE, TOGETHER, bytes_of_pairs, is_read_by_bands};
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;

/// Bytes of a line of results and of one of mate scores, which take a byte each as long as there
/// are few men.
fn values(material: &Material) -> u64 {
    match material.men() <= MEN_IN_BYTES {
        true => 2 * RESULTS,
        false => 3 * RESULTS,
    }
}

/// Bytes of a line of results, and of one of numbers.
const RESULTS: u64 = size_of::<Line<u8>>() as u64;
/// Bytes of a line of keys.
const KEYS: u64 = size_of::<Line<i16>>() as u64;
/// Bytes that say which positions of an address are legal.
const LEGALITY: u64 = size_of::<Legality>() as u64;

/// Bytes that one material may take in memory as a whole if nobody says otherwise.
pub(in crate::verify) const AT_HAND: u64 = 4 << 30;

/// Bytes that verifying a material takes, about: all of it, unless that is more than a limit, and
/// then the least.
pub(in crate::verify) fn memory_within(material: &Material, at_hand: u64) -> u64 {
    match whole(material) {
        whole if whole <= at_hand => whole,
        whole if Layout::new(*material).addresses() < 1 << PAGE => whole,
        whole => by_parts(material).min(whole),
    }
}

/// Bytes of a slice in memory: with both sides to move results, mate scores and keys, and the
/// numbers of one side while they become values, and what its moves lead to that are not quiet.
pub(super) fn slice(material: &Material) -> u64 {
    let layout = Layout::new(*material);
    let stream = IndexSpace::new(*material).len() / layout.slices() as u64;
    let address = 2 * (values(material) + KEYS) + values(material) + 3 * RESULTS + LEGALITY;
    layout.addresses() as u64 * address + stream
}

/// Bytes that a material takes where everything is in memory. Slices wait for those a step further
/// from promotion.
pub(super) fn whole(material: &Material) -> u64 {
    let layout = Layout::new(*material);
    let addresses = layout.addresses() as u64;
    let waiting = (longest_wait(&layout) - 1) * addresses * 2 * values(material);
    let dependencies = material.dependencies();
    let captured = dependencies
        .iter()
        .filter(|other| other.men() < material.men());
    let captured: u64 = captured.map(values_of).sum();
    let promotions = dependencies
        .iter()
        .filter(|other| other.men() == material.men());
    // A pawn on any of four files, the others being their mirror images.
    let promoted = promotions.count() as u64 * 4 * addresses * values(material);
    slice(material) + waiting + captured + promoted
}

/// Bytes of all values of a material, without keys.
fn values_of(material: &Material) -> u64 {
    let layout = Layout::new(*material);
    layout.slices() as u64 * layout.addresses() as u64 * 2 * values(material)
}

/// Bytes that a material takes where values wait in files. KQRvKQR has 167.8 million lines, 16.8
/// million of them with the same square of the white king.
fn by_parts(material: &Material) -> u64 {
    let layout = Layout::new(*material);
    let (band, step) = parts(&layout);
    let addresses = layout.addresses() as u64;
    // A piece of a stream, and the lines that it is brought to.
    let space = IndexSpace::new(*material);
    let is_by_bands = is_read_by_bands(&space, &layout.frame(0));
    let piece = (space.len() / layout.slices() as u64).min(PIECE);
    let together = (TOGETHER as u64 / band).max(1) * band;
    let reading = match is_by_bands {
        true => 0,
        false => piece + RESULTS * together.min(addresses),
    };
    // The other side's keys and mate scores in a band, and where the white king steps to: of bands
    // that are a step each all those up to nine before and after. The own values of a step, and its
    // numbers while they become values.
    let values = values(material);
    let around = if band == step { 19 } else { 9 };
    let steps =
        around * step * (KEYS + values - RESULTS) + step * (2 * (KEYS + values) + 5 * RESULTS);
    let comparing = band * (KEYS + values - RESULTS) + steps.min(addresses * (KEYS + values));
    let dependencies = material.dependencies();
    let (captured, promoted): (Vec<&Material>, Vec<&Material>) = dependencies
        .iter()
        .partition(|other| other.men() < material.men());
    // One is laid out in the other colours as a whole.
    let exchanged = 2 * captured
        .iter()
        .map(|other| values_of(other))
        .max()
        .unwrap_or(0);
    // With pawns, captures from a slice lead to a few slices.
    let reached = |other: &Material| values_of(other) / 2 / slices(other).div_ceil(4);
    let captured: u64 = captured.iter().map(|other| reached(other)).sum();
    // Where a promotion leads: all its values, and those of a band there, or of a slice.
    let arriving = promoted.iter().map(|other| {
        let other = Layout::new(**other);
        let reached = match other.material.has_pawns() {
            true => other.addresses() as u64,
            false => parts(&other).0,
        };
        (addresses + reached) * values
    });
    let arriving = arriving.max().unwrap_or(0);
    // Numbers of one side that are in memory until they are values: of a band, results and both
    // distances, one of them with two bytes (few bands have both), with what is brought together
    // for it and where the white king steps to; or up to a limit, and a piece of a stream.
    let resolving = if is_by_bands {
        bytes_of_pairs(&space) + 4 * RESULTS * band + steps.min(addresses * (KEYS + values))
    } else if RESULTS * addresses <= NUMBERS_AT_HAND {
        NUMBERS_AT_HAND.min(3 * 2 * RESULTS * addresses) + piece
    } else {
        piece
    };
    reading
        .max(comparing.max(resolving) + captured)
        .max(exchanged)
        .max(arriving)
}

/// Addresses of a band and of a step.
fn parts(layout: &Layout) -> (u64, u64) {
    let frame = layout.frame(0);
    let bands = frame.bands(true);
    let steps = bands.first().map(|band| frame.steps(band, true));
    let longest =
        |parts: &[std::ops::Range<usize>]| parts.first().map_or(1, |part| part.len() as u64);
    (longest(&bands), longest(&steps.unwrap_or_default()))
}

fn slices(material: &Material) -> u64 {
    Layout::new(*material).slices() as u64
}

/// The most slices whose values are there at the same time: all those that are as far from
/// promotion, or a step less.
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

    const GIBIBYTE: f64 = (1u64 << 30) as f64;

    #[test]
    fn what_was_verified_within_some_gibibytes_is_expected_to_take_no_more() {
        let gibibytes =
            |material: &str| memory_within(&material.parse().unwrap(), AT_HAND) as f64 / GIBIBYTE;
        assert!(gibibytes("KQRvKR") < 3.0);
        assert!(gibibytes("KRPvKR") < 4.0);
        assert!(gibibytes("KPPvKP") < 4.0);
    }
}
