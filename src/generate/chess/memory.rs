//! How much memory solving and writing a material takes.
//!
//! Sizes of arrays are exact. How far values shrink when they are packed is not known before; what
//! is assumed is less than any material of three to five men has shown.

use super::View;
use super::views::SLAB as VIEW_SLAB;
use crate::chess::Chess;
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::chess::rules::Role;
use crate::chess::solve::board::{captures, king_squares, words};
use crate::chess::solve::own::OwnRead;
use crate::chess::solve::slice::own_reads;
use crate::chess::solve::{
    CONVERSIONS_BYTES, Engine, SLAB, SOLVED_BYTES, SOLVING_BYTES, bytes_read_together,
};
use crate::game::Color;
use crate::generate::choose::sampled_slices;
use crate::generate::game::Needs;
use crate::generate::syzygy;
use crate::generate::windows::{self, CHAIN_BYTES};
use crate::metric::Metric;
use crate::parallel;
use crate::probe::Format;
use crate::verify::StoredNumbers;

/// Bytes of a word of a view: 64 scores and three sets.
const VIEW_BYTES: u64 = 64 + 3 * 8;
/// By how much packed values are smaller, at least.
const PACKED: u64 = 4;
/// Bits of an index in the order of a file: a byte, and up to five sets.
const ROW_BITS: u64 = 8 + 5;
/// Bytes of a word of values that a sample for choosing the order is taken from, or that are turned
/// into that order: five sets.
const SAMPLED_BYTES: u64 = 5 * 8;

/// The shape of a material's values.
#[derive(Clone, Copy, Debug)]
struct Shape<'a> {
    material: &'a Material,
    /// Of one side to move in one slice.
    words: u64,
    slices: u64,
}

impl Shape<'_> {
    fn new(material: &Material) -> Option<Shape<'_>> {
        Some(Shape {
            material,
            words: words(material)? as u64,
            slices: PawnSlices::count(material) as u64,
        })
    }

    /// Bytes of a slice of one side to move while a Syzygy file is made.
    fn syzygy_slice(&self) -> u64 {
        syzygy::bytes_of_slice(self.material.has_pawns(), self.words)
    }

    /// Bytes while a Syzygy file is made, beside those of values that are brought back for it.
    fn syzygy_bytes(&self) -> u64 {
        let slice = self.syzygy_slice();
        let of_file = syzygy::most_slices(self.material) * slice;
        syzygy::Limits::DEFAULT.bytes(self.slices * slice, of_file)
    }

    /// Both sides.
    fn all_words(&self) -> u64 {
        self.words * self.slices * 2
    }

    /// Bytes of the slices that the order of a file is tried on.
    fn sample_bytes(&self, metric: Metric) -> u64 {
        let slice_len = IndexSpace::len_of_slice(self.material);
        let sides = 2 * sampled_slices(self.slices, slice_len);
        sides * self.words * SAMPLE_BYTES[usize::from(metric.number())]
    }

    /// The most slices that are kept for others at a time, each side counted.
    fn own_views(&self) -> u64 {
        let pawns = PawnSlices::new(self.material);
        let mut order: Vec<(u32, usize)> = (0..pawns.len())
            .map(|slice| (pawns.placement(slice).steps_to_promotion(), slice))
            .collect();
        order.sort_unstable();
        let reads: Vec<Vec<OwnRead>> = parallel::map(pawns.len(), |slice| own_reads(&pawns, slice));
        let mut readers = vec![[0u32; 2]; pawns.len()];
        for read in reads.iter().flatten() {
            readers[read.slice][read.side] += 1;
        }
        let mut kept = 0u64;
        let mut most = 0;
        for equally_far in order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, slice) in equally_far {
                kept += readers[slice].iter().filter(|&&count| count > 0).count() as u64;
            }
            most = most.max(kept);
            for read in equally_far.iter().flat_map(|&(_, slice)| &reads[slice]) {
                let left = &mut readers[read.slice][read.side];
                *left -= 1;
                kept -= u64::from(*left == 0);
            }
        }
        most
    }

    /// The most pawns of a slice that can promote: all that a rank has room for.
    fn promoting_pawns(&self) -> u64 {
        let of_side = |color| self.material.count(color, Role::Pawn).min(8) as u64;
        Color::ALL.into_iter().map(of_side).sum()
    }
}

/// Positions of the solver with one side to move, in which like men are told apart.
pub(super) fn positions(material: &Material) -> u64 {
    Shape::new(material).map_or(0, |shape| shape.words * shape.slices * 64)
}

/// Bytes while a material is being solved, so many slices of it at a time, and written, at the
/// worst moment; nothing if its sets have more words than the solver can address.
pub(super) fn of_step(
    material: &Material,
    metrics: &[Metric],
    format: Format,
    slices_at_a_time: usize,
) -> Option<u64> {
    let shape = Shape::new(material)?;
    let threads = (rayon::current_num_threads() as u64).min(shape.slices);
    let at_a_time = threads.min(slices_at_a_time as u64);
    let mut read = 0;
    for target in captures(material) {
        read += Shape::new(&target)?.all_words() * VIEW_BYTES;
    }
    let after_promotions: u64 = View::read_by(material)
        .iter()
        .filter(|view| matches!(view, View::After(_)))
        .count() as u64;
    let packed_promotions = after_promotions * shape.slices * shape.words * VIEW_BYTES / PACKED;
    let solving_bytes = SOLVING_BYTES
        + if material.has_pawns() {
            CONVERSIONS_BYTES
        } else {
            0
        };
    let solving_one =
        2 * shape.words * solving_bytes + shape.promoting_pawns() * 4 * shape.words * VIEW_BYTES;
    let solved_one = 2 * shape.words * SOLVED_BYTES;
    let finished = if metrics.is_empty() || shape.slices == 1 {
        0
    } else {
        shape.slices * solved_one / PACKED
    };
    let solving = read
        + packed_promotions
        + at_a_time * solving_one
        + shape.own_views() * shape.words * VIEW_BYTES
        + finished;
    if format == Format::Syzygy && !metrics.is_empty() {
        let solved = match shape.slices {
            1 => solved_one,
            _ => finished + threads * solved_one / 2,
        };
        return Some(solving.max(solved + shape.syzygy_bytes()));
    }
    let row = IndexSpace::len_of_slice(material) * ROW_BITS / 8;
    let turned = shape.words * SAMPLED_BYTES;
    let writing = if shape.slices == 1 {
        solved_one + (2 * shape.words * SAMPLED_BYTES).max(2 * row + turned)
    } else {
        let in_order = (threads + 1) * (row + solved_one / 2) + threads * turned + solved_one;
        let sampled = metrics.iter().map(|&metric| shape.sample_bytes(metric));
        finished + in_order.max(sampled.max().unwrap_or(0) + threads * solved_one / 2)
    };
    Some(solving.max(writing))
}

/// Bytes of a word of one side while a metric is written: its sets and its bytes.
const LAID_OUT_BYTES: [u64; 3] = [5 * 8, 8 + 64, 2 * 8 + 64];
/// A byte of a word says which positions files hold.
const HELD_BYTES: u64 = 1;
/// Bytes that a thread has at hand of slabs.
const SLABS_BYTES: u64 = 64 << 20;
/// Bits of a position of one side in the scratch file, at most: what is fixed from outside, results
/// and distances to zeroing; and distances to mate.
const SCRATCH_BITS: [u64; 2] = [3, 7];

/// What is seen of a word of one side: legal positions, scores, and what the fifty-move rule
/// changes.
const SEEN_BYTES: u64 = 8 + 64 + 8;

/// Bytes of slabs whose values are made side by side, to put together what is seen of them.
const SEEN_SLABS_BYTES: u64 = 16 * SLAB as u64 * (SOLVED_BYTES + SEEN_BYTES);

/// Bytes while views are made from one slice of a material. From slabs they are made square by
/// square of the white king, where each of these is some slabs.
fn of_leaving(material: &Material, leaves: &[View], engine: Engine) -> Option<u64> {
    let words = Shape::new(material)?.words;
    let kings = if material.has_pawns() { 64 } else { 10 };
    let is_chain = engine == Engine::Chains;
    let mut by_kings = is_chain && (words / kings).is_multiple_of(SLAB as u64);
    let mut most = 0;
    for view in leaves {
        match view {
            View::Whole(_) => by_kings = false,
            View::After(promotion) => {
                let made = Shape::new(&promotion.material)?.words;
                most = most.max(made * VIEW_BYTES);
                let are_slabs = (made / 64).is_multiple_of(VIEW_SLAB as u64);
                by_kings &= are_slabs && promotion.target().is_normal();
            }
        }
    }
    let threads = rayon::current_num_threads() as u64;
    let at_a_time = if by_kings { kings } else { 1 };
    let seen = match leaves {
        [] => return Some(0),
        _ => words / at_a_time * SEEN_BYTES,
    };
    let made = if by_kings { most / 64 } else { most };
    let slabs = if is_chain { SEEN_SLABS_BYTES } else { 0 };
    Some(seen + threads * made + slabs)
}

/// Bytes of a word of what a file is made from, by metric: sets and distances.
const RESTORED_BYTES: [u64; 3] = [6 * 8, 5 * 8 + 64, 5 * 8 + 64];
/// Bytes of a word of a sample: what may stand there, of results a second time, and distances.
const SAMPLE_BYTES: [u64; 3] = [2 * 5 * 8, 8 + 64, 2 * 8 + 64];

/// What captures lead to may stay in memory where slices wait in files, if it is no more.
const STAYING_BYTES: u64 = 4 << 30;

/// Of what captures lead to, what stays in memory while a material is solved of which slices wait
/// in files: what all slices read, if there is room. Chains read it once for a slice, and slices
/// are few then.
pub(super) fn staying(
    material: &Material,
    engine: Engine,
    slices_at_a_time: usize,
) -> Vec<Material> {
    if engine == Engine::Chains || slices_at_a_time == 1 {
        return Vec::new();
    }
    let without_promotion = |color: Color| {
        let roles = material
            .side(color)
            .into_iter()
            .filter(|&role| role != Role::King);
        roles.map(move |role| material.without(color, role))
    };
    let targets = captures(material).into_iter();
    let targets: Vec<Material> = targets
        .filter(|target| {
            Color::ALL
                .into_iter()
                .any(|color| without_promotion(color).any(|taken| taken == *target))
        })
        .collect();
    let bytes = targets
        .iter()
        .map(|target| Shape::new(target).map_or(u64::MAX, |shape| shape.all_words() * VIEW_BYTES));
    match bytes.fold(0u64, u64::saturating_add) {
        0..=STAYING_BYTES => targets,
        _ => Vec::new(),
    }
}

/// Bytes while a material with pawns is solved and written of which slices wait in files, at the
/// worst moment; nothing if it is too large.
pub(super) fn of_step_in_files(
    needs: &Needs<'_, Chess>,
    format: Format,
    engine: Engine,
    slices_at_a_time: usize,
) -> Option<u64> {
    let material = needs.material;
    let shape = Shape::new(material)?;
    let pawns = material.pawns() as u64;
    let threads = rayon::current_num_threads() as u64;
    let at_a_time = match engine {
        Engine::Chains => 1,
        _ => threads.min(shape.slices).min(slices_at_a_time as u64),
    };
    // Of each material that captures lead to, each pawn and each of its captures leads to a slice
    // of its own.
    let staying = staying(material, engine, slices_at_a_time);
    let (mut stays, mut read) = (0, 0);
    for target in captures(material) {
        let shape = Shape::new(&target)?;
        match staying.contains(&target) {
            true => stays += shape.all_words() * VIEW_BYTES,
            false => {
                read += (2 + 2 * pawns).min(shape.slices * 2) * shape.words * VIEW_BYTES;
            }
        }
    }
    let solving = match engine {
        Engine::Chains => shape.words * CHAIN_BYTES + threads * SLABS_BYTES,
        _ => {
            let pushes = 2 * pawns + 4 * shape.promoting_pawns();
            2 * shape.words * (SOLVING_BYTES + CONVERSIONS_BYTES)
                + pushes * shape.words * VIEW_BYTES
        }
    };
    let solved = match engine {
        Engine::Chains => 0,
        _ => 2 * shape.words * SOLVED_BYTES,
    };
    let leaving = solved + of_leaving(material, needs.leaves, engine)?;
    let solving = stays + at_a_time * (read + solving).max(leaving);
    if needs.metrics.is_empty() {
        return Some(solving);
    }
    if format == Format::Syzygy {
        let restored = match engine {
            Engine::Chains => SLABS_BYTES,
            _ => shape.words * RESTORED_BYTES[usize::from(Metric::Dtz.number())],
        };
        return Some(solving.max(shape.syzygy_bytes() + threads * restored));
    }
    let row = IndexSpace::len_of_slice(material) * ROW_BITS / 8;
    let writing = needs.metrics.iter().map(|&metric| {
        let restored = shape.words * RESTORED_BYTES[usize::from(metric.number())];
        let sampled = shape.sample_bytes(metric);
        let turned = threads * shape.words * SAMPLED_BYTES;
        (sampled + threads * restored).max((threads + 1) * (row + restored) + turned)
    });
    Some(solving.max(writing.max().unwrap_or(0)))
}

/// Bits of a position of one side that waits for its readers, and for the writer, at most.
const WAITING_BITS: u64 = 3;
const FINISHED_BITS: [u64; 2] = [4, 6];

/// Bytes of the scratch files of a material with pawns, at most.
pub(super) fn scratch_in_files(needs: &Needs<'_, Chess>, mates: bool, engine: Engine) -> u64 {
    let Some(shape) = Shape::new(needs.material) else {
        return 0;
    };
    let finished = match needs.metrics {
        [] => 0,
        _ => FINISHED_BITS[usize::from(mates)],
    };
    let waiting = shape.all_words() * 8 * (WAITING_BITS + finished);
    let of_slice = match engine {
        Engine::Chains => scratch(needs.material, mates),
        _ => 0,
    };
    waiting + of_slice
}

/// Bytes while a material without pawns is solved and written slab by slab, at the worst moment;
/// nothing if it is too large.
pub(super) fn of_step_in_slabs(
    needs: &Needs<'_, Chess>,
    format: Format,
    in_parts: bool,
) -> Option<u64> {
    let material = needs.material;
    let shape = Shape::new(material)?;
    let words = shape.words;
    let mut read = 0;
    for target in captures(material) {
        read += Shape::new(&target)?.all_words() * VIEW_BYTES;
    }
    let written = (needs.metrics.iter()).map(|metric| match format {
        Format::Native => {
            let bytes = LAID_OUT_BYTES[usize::from(metric.number())];
            let laid_out = match in_parts {
                true => windows::bytes_in_memory(bytes),
                false => bytes,
            };
            words * (laid_out + HELD_BYTES)
        }
        Format::Syzygy => shape.syzygy_bytes(),
    });
    let most = written.max().unwrap_or(0).max(words * CHAIN_BYTES);
    let left = of_leaving(material, needs.leaves, Engine::Chains)?;
    let threads = rayon::current_num_threads() as u64;
    Some(read.max(most).max(left) + threads * SLABS_BYTES)
}

/// Bytes while what others read of a material is made from its finished tables, slab by slab.
pub(super) fn of_reading_back(needs: &Needs<'_, Chess>) -> Option<u64> {
    let material = needs.material;
    let shape = Shape::new(material)?;
    let pawns = material.pawns() as u64;
    let mut read = 0;
    for target in captures(material) {
        let shape = Shape::new(&target)?;
        read += (2 + 2 * pawns).min(shape.slices * 2) * shape.words * VIEW_BYTES;
    }
    let kings = king_squares(material) as u64;
    let numbers = bytes_read_together(shape.words, kings);
    let decoded = StoredNumbers::decoded(material);
    let left = of_leaving(material, needs.leaves, Engine::Chains)?;
    let threads = rayon::current_num_threads() as u64;
    Some(read + (numbers + decoded).max(left) + threads * SLABS_BYTES)
}

/// Bytes of the scratch file meanwhile, at most.
pub(super) fn scratch_of_reading_back(material: &Material) -> u64 {
    let words = Shape::new(material).map_or(0, |shape| shape.words);
    2 * words * 8 * WAITING_BITS
}

/// Bytes of the scratch file of a slice that is solved slab by slab, about.
pub(super) fn scratch(material: &Material, mates: bool) -> u64 {
    let words = Shape::new(material).map_or(0, |shape| shape.words);
    2 * words * 8 * (SCRATCH_BITS[0] + if mates { SCRATCH_BITS[1] } else { 0 })
}

/// Bytes of scratch files while a file is written, about.
pub(super) fn scratch_of_writing(needs: &Needs<'_, Chess>, format: Format) -> u64 {
    match (format, Shape::new(needs.material)) {
        (Format::Syzygy, Some(shape)) if !needs.metrics.is_empty() => {
            syzygy::scratch(shape.slices * shape.syzygy_slice())
        }
        _ => 0,
    }
}

/// Bytes that a view takes in memory.
pub(super) fn of_view(view: &View) -> u64 {
    match view {
        View::Whole(material) => {
            Shape::new(material).map_or(0, |shape| shape.all_words() * VIEW_BYTES / PACKED)
        }
        View::After(promotion) => Shape::new(&promotion.material)
            .map_or(0, |shape| shape.words * shape.slices * VIEW_BYTES / PACKED),
    }
}
