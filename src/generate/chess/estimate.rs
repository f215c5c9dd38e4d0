//! What a material of chess takes, from what the tables of up to five men took.

use super::{ReadBack, memory, read_back};
use crate::chess::material::Material;
use crate::chess::solve::Engine;
use crate::game::Color;
use crate::generate::game::{Cost, GenerateOptions, Step};
use crate::metric::Metric;
use crate::probe::Format;
use crate::table::Compression;

/// Bits of a file for each index, both sides to move counted: WDL, DTZ, DTM at the default
/// compression.
#[derive(Clone, Copy, Debug)]
struct Bits([f64; 3]);

/// Measured with the 110 materials of five men: the sum of the files over the sum of the indices.
/// Where one side has only its king the other wins or draws, and much less has to be said.
const WITHOUT_PAWNS: Bits = Bits([0.0454, 0.1823, 0.4900]);
const WITHOUT_PAWNS_BARE_KING: Bits = Bits([0.0057, 0.2198, 0.5368]);
const WITH_PAWNS: Bits = Bits([0.0712, 0.1099, 0.4741]);
const WITH_PAWNS_BARE_KING: Bits = Bits([0.0046, 0.0265, 0.4112]);

/// Nanoseconds of one core for each index, both sides to move counted, on a core of an AMD EPYC
/// (Zen 5) with nothing else to do. All five-man materials took 22.9 together, which these share as
/// the samples of a profile did.
mod nanoseconds {
    /// Results and distances to zeroing where one winner is solved after the other, for each
    /// position of the solver, in which like men are told apart. For 18 materials of six men
    /// without pawns or with one that says 0.6 to 1.5 times what was measured on an idle core, for
    /// all together 1.04.
    pub const CHAINS: f64 = 6.0;
    /// Distances to mate as well: for 14 of these the same, for all together 1.03. The longest of
    /// all, KRNvKNN, is not among them.
    pub const CHAINS_MATES: f64 = 12.0;
    /// Reading results back from finished tables instead, slab by slab. Measured with four of six
    /// men, of which Black to move was read, on a busy AMD EPYC.
    pub const READING_BACK: f64 = 5.0;
    /// Results and distances to zeroing.
    pub const SOLVING: f64 = 3.0;
    /// Distances to mate as well.
    pub const SOLVING_MATES: f64 = 5.6;
    /// Packing values and leaving behind what others read.
    pub const KEEPING: f64 = 2.3;
    /// Writing WDL, DTZ and DTM at the default compression.
    pub const WRITING: [f64; 3] = [2.0, 4.0, 6.0];
}

/// How much larger files are, and how much longer writing them takes, than at the default
/// compression. `fast` was measured with four men, the others with all of five, as what `convert`
/// makes of the default and as the time it takes.
fn relative(compression: Compression) -> ([f64; 3], [f64; 3]) {
    match compression {
        Compression::Fast => ([1.12, 1.02, 1.03], [0.65, 0.65, 0.62]),
        Compression::Default => ([1.0; 3], [1.0; 3]),
        Compression::Small => ([0.85, 0.80, 0.65], [2.6, 2.7, 4.3]),
        Compression::Smallest => ([0.48, 0.62, 0.51], [9.0, 20.0, 26.0]),
    }
}

/// Syzygy tables: how much larger they are than our own at the default compression, with five men.
const SYZYGY_SIZES: [f64; 3] = [1.25, 0.88, 0.0];

/// Nanoseconds of one core for each index of a Syzygy table. Without pawns five men took 80 to 170
/// for both metrics together, six men 80 to 200; with pawns five and six men took 40 to 60.
const SYZYGY_WRITING: [f64; 3] = [60.0, 90.0, 0.0];
const SYZYGY_WRITING_WITH_PAWNS: [f64; 3] = [25.0, 25.0, 0.0];

/// Header, symbol maps and directory of the smallest file.
const SMALLEST_FILE: f64 = 300.0;

fn bits(material: &Material) -> Bits {
    let is_bare = Color::ALL
        .iter()
        .any(|&color| material.side(color).len() == 1);
    match (material.has_pawns(), is_bare) {
        (false, false) => WITHOUT_PAWNS,
        (false, true) => WITHOUT_PAWNS_BARE_KING,
        (true, false) => WITH_PAWNS,
        (true, true) => WITH_PAWNS_BARE_KING,
    }
}

/// What a step takes, about.
pub(super) fn cost(step: &Step, options: &GenerateOptions) -> Cost {
    let (bytes, writing) = step.writing(options);
    let engine = super::engine(&step.material, &step.metrics, options);
    let solving = match read_back(&step.material, &step.metrics, options) {
        Some(ReadBack::Slabs) => {
            memory::positions(&step.material) as f64 * 2.0 * nanoseconds::READING_BACK / 1e9
        }
        _ => step.solving_seconds(engine, options.metrics.contains(&Metric::Dtm)),
    };
    Cost {
        bytes,
        solving,
        writing,
        // With both sides together one pawn placement is solved on one thread.
        is_on_one_thread: !step.material.has_pawns() && engine == Engine::Together,
    }
}

impl Step {
    fn solving_seconds(&self, engine: Engine, with_mates: bool) -> f64 {
        let indices = 2.0 * self.positions as f64;
        let (solved, each, mates) = match engine {
            Engine::Together => (indices, nanoseconds::SOLVING, nanoseconds::SOLVING_MATES),
            // With the same men on both sides what White wins is what Black wins.
            Engine::Chains => (
                memory::positions(&self.material) as f64 * self.sides(),
                nanoseconds::CHAINS,
                nanoseconds::CHAINS_MATES,
            ),
        };
        let each = if with_mates { each + mates } else { each };
        (solved * each + indices * nanoseconds::KEEPING) / 1e9
    }

    /// Sides whose values differ.
    fn sides(&self) -> f64 {
        match self.material.is_symmetric() {
            true => 1.0,
            false => 2.0,
        }
    }

    /// Bytes of the files and seconds of one core.
    fn writing(&self, options: &GenerateOptions) -> (u64, f64) {
        let (sizes, times) = match options.format {
            Format::Syzygy => match self.material.has_pawns() {
                false => (SYZYGY_SIZES, SYZYGY_WRITING),
                true => (SYZYGY_SIZES, SYZYGY_WRITING_WITH_PAWNS),
            },
            Format::Native => {
                let (sizes, times) = relative(options.compression);
                let ours = nanoseconds::WRITING;
                (
                    sizes,
                    std::array::from_fn(|metric| ours[metric] * times[metric]),
                )
            }
        };
        // A file of a material with the same men on both sides has one side to move.
        let indices = self.sides() * self.positions as f64;
        let Bits(bits) = bits(&self.material);
        let mut bytes = 0.0;
        let mut seconds = 0.0;
        for &metric in &self.metrics {
            let number = usize::from(metric.number());
            bytes += SMALLEST_FILE + indices * bits[number] / 8.0 * sizes[number];
            seconds += indices * times[number] / 1e9;
        }
        (bytes as u64, seconds)
    }
}
