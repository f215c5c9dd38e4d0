//! What a material of xiangqi takes, from what some hundred materials took.

use super::Xiangqi;
use crate::game::Color;
use crate::generate::game::{Cost, GenerateOptions, Step};
use crate::table::Compression;
use crate::xiangqi::rules::Role;
use crate::xiangqi::{Material, Metric, Rules};

/// Bits of a file for each index, both sides to move counted, by [`Metric`], at the default
/// compression: the sum of the files over the sum of the indices.
type Bits = [f64; 4];
/// The 324 materials of one attacker.
const ONE_ATTACKER: Bits = [0.056, 0.26, 0.414, 0.0];
/// KNPvKAABB and what it leads to.
const ONE_SIDE_ARMED: Bits = [0.47, 0.68, 1.23, 0.0];
/// KRCvKR and what it leads to.
const BOTH_ARMED: Bits = [0.15, 0.25, 0.28, 0.29];

fn bits(material: &Material) -> Bits {
    let attackers = |color| -> usize {
        let attackers = Role::ALL.into_iter().filter(|role| role.is_attacker());
        attackers.map(|role| material.count(color, role)).sum()
    };
    match Color::ALL.map(attackers) {
        [1, 0] => ONE_ATTACKER,
        [_, 0] => ONE_SIDE_ARMED,
        _ => BOTH_ARMED,
    }
}

/// Nanoseconds of one core for each index, both sides to move counted, on a core of an Intel Xeon
/// with AVX-512 that others use as well.
mod nanoseconds {
    /// Results and distances to conversion.
    pub const SOLVING: f64 = 18.0;
    /// Distances to mate as well.
    pub const SOLVING_MATES: f64 = 25.0;
    /// The rounds of perpetual check as well.
    pub const SOLVING_ROUNDS: f64 = 70.0;
    /// Writing a table, by [`Metric`](super::Metric), at the default compression.
    pub const WRITING: [f64; 4] = [4.0, 8.0, 10.0, 5.0];
}

/// Header and directory of the smallest file.
const SMALLEST_FILE: f64 = 300.0;

/// How much larger files are, and how much longer writing them takes, than at the default
/// compression.
fn relative(compression: Compression) -> (f64, f64) {
    match compression {
        Compression::Fast => (1.05, 0.65),
        Compression::Default => (1.0, 1.0),
        Compression::Small => (0.8, 13.0),
        Compression::Smallest => (0.75, 30.0),
    }
}

/// What a step takes, about.
pub(super) fn cost(step: &Step<Xiangqi>, options: &GenerateOptions<Xiangqi>) -> Cost {
    let mut each = nanoseconds::SOLVING;
    if options.metrics.contains(&Metric::Dtm) {
        each += nanoseconds::SOLVING_MATES;
    }
    if options.rules == Rules::PerpetualCheck {
        each += nanoseconds::SOLVING_ROUNDS;
    }
    let (size, time) = relative(options.compression);
    let indices = 2.0 * step.positions as f64;
    let bits = bits(&step.material);
    let mut cost = Cost {
        solving: indices * each / 1e9,
        is_on_one_thread: true,
        ..Cost::default()
    };
    for metric in &step.metrics {
        let number = usize::from(metric.number());
        cost.bytes += (SMALLEST_FILE + indices * bits[number] / 8.0 * size) as u64;
        cost.writing += indices * nanoseconds::WRITING[number] * time / 1e9;
    }
    cost
}
