//! How much memory solving and writing xiangqi materials takes, and which are solved at the same time.
//!
//! Sizes of arrays are exact, of those that grow with what is found they are bounds.

use std::collections::HashSet;
use std::ops::Range;

use crate::Error;
use crate::game::Bits;
use crate::generate::memory::BASE;
use crate::generate::plan::DEFAULT_MEMORY;
use crate::solve::xiangqi::space::words;
use crate::solve::xiangqi::{
    MATES_BYTES, MORE_DISTANCES_BYTES, PERPETUAL_CHECK_BYTES, SOLVED_BYTES, SOLVING_BYTES,
    SolveError,
};
use crate::xiangqi::{IndexSpace, Material, Metric, Rules};

/// Bytes of a word of what others read: three sets.
const READ_BYTES: u64 = 3 * (u128::WIDTH as u64 / 8);
/// Bytes of an index while its tables are written: one for each side to move.
const INDEX_BYTES: u64 = 2;

/// What is needed to tell the memory of a material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub rules: Rules,
    pub mates: bool,
}

impl Needs {
    pub fn new(rules: Rules, metrics: &[Metric]) -> Needs {
        Needs {
            rules,
            mates: metrics.contains(&Metric::Dtm),
        }
    }

    /// Bytes of what others read of a solved material; nothing if it is too large to be solved.
    fn of_read(self, material: &Material) -> Option<u64> {
        let mates = if self.mates { MORE_DISTANCES_BYTES } else { 0 };
        Some(2 * words(material)? * (READ_BYTES + mates))
    }

    /// Bytes that a solved material takes while others may need it. Distances to conversion are given up when they are written, but
    /// they lie between what is kept, and the allocator finds little use for such holes.
    pub fn of_solved(self, material: &Material) -> Option<u64> {
        Some(self.of_read(material)? + 2 * words(material)? * MORE_DISTANCES_BYTES)
    }

    /// Bytes while a material is solved and written, at the worst moment, without what it reads.
    pub fn of_step(self, material: &Material, is_written: bool) -> Option<u64> {
        let words = 2 * words(material)?;
        let mut solving = SOLVING_BYTES;
        let mut solved = SOLVED_BYTES;
        if self.mates {
            solving += MATES_BYTES;
            solved += MORE_DISTANCES_BYTES;
        }
        if self.rules == Rules::PerpetualCheck {
            solving += PERPETUAL_CHECK_BYTES;
            solved += MORE_DISTANCES_BYTES;
        }
        let mut writing = words * solved;
        if is_written {
            writing += INDEX_BYTES * IndexSpace::new(*material)?.len();
        }
        // Captures are laid out anew for the material that reads them, before the iteration begins.
        let collected = 112 + if self.mates { 128 } else { 0 };
        let mut collecting = words * collected;
        for target in material.captures() {
            collecting += self.of_read(&target)?;
        }
        Some((words * solving).max(writing).max(collecting))
    }
}

/// The batches of a plan and their memory at the worst moment.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// Steps that are solved at the same time, by place in their list.
    pub batches: Vec<Range<usize>>,
    pub peak: u64,
}

/// Puts steps into batches: of equally many men, as many as fit into the memory that is allowed, or into what is usual.
///
/// # Errors
///
/// [`Error::Memory`] if a step does not fit by itself.
pub(super) fn batches(
    steps: &[(Material, Vec<Metric>)],
    needs: Needs,
    threads: usize,
    memory: Option<u64>,
) -> Result<Batches, Error> {
    let limit = memory.unwrap_or(DEFAULT_MEMORY);
    let mut found = Batches {
        batches: Vec::new(),
        peak: BASE,
    };
    let mut needed = BASE;
    // What is solved and read later.
    let mut held: Vec<(Material, u64)> = Vec::new();
    let mut start = 0;
    for level in steps.chunk_by(|a, b| a.0.men() == b.0.men()) {
        let end = start + level.len();
        let later: HashSet<Material> = (steps[start..].iter())
            .flat_map(|(material, _)| material.dependencies())
            .collect();
        held.retain(|(material, _)| later.contains(material));
        let mut room = room_for(&held);
        let mut first = start;
        let mut largest: Vec<u64> = Vec::new();
        let mut kept = 0;
        for (at, (material, write)) in (start..end).zip(level) {
            let material = *material;
            let too_large = || SolveError::too_large(&material);
            let of_step = needs.of_step(&material, !write.is_empty());
            let of_step = of_step.ok_or_else(too_large)?;
            let is_read = later.contains(&material);
            let of_solved = match is_read {
                true => needs.of_solved(&material).ok_or_else(too_large)?,
                false => 0,
            };
            needed = needed.max(room + kept + of_step);
            let mut together = largest.clone();
            together.push(of_step);
            // As many at the same time as there are threads.
            let at_once = |sizes: &mut Vec<u64>| -> u64 {
                sizes.sort_unstable_by(|a, b| b.cmp(a));
                sizes.iter().take(threads).sum()
            };
            if at > first && room + kept + at_once(&mut together) > limit {
                found.batches.push(first..at);
                room += kept;
                kept = 0;
                first = at;
                together = vec![of_step];
            }
            found.peak = found.peak.max(room + kept + at_once(&mut together));
            kept += of_solved;
            largest = together;
            held.push((material, of_solved));
        }
        found.batches.push(first..end);
        start = end;
    }
    match memory {
        Some(limit) if needed > limit => Err(Error::Memory { needed, limit }),
        _ => Ok(found),
    }
}

/// Bytes of the program and of what is held for others.
fn room_for(held: &[(Material, u64)]) -> u64 {
    BASE + held.iter().map(|(_, bytes)| bytes).sum::<u64>()
}
