//! How fast this machine solves positions that no table has.

use std::time::Instant;

use anyhow::Result;
use retrograde::chess::Position;
use retrograde::metric::Wdl;
use retrograde::reach::{NoLeaves, Options, solve};
use serde_json::{Value, json};

/// Bishops that cannot pass a wall of pawns, all drawn (0.15 million positions), and a rook that
/// wins (0.4 million, of which those that are the same but for a symmetry of the board are solved
/// once).
const POSITIONS: [(&str, &str); 2] = [
    (
        "a fortress",
        "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1",
    ),
    ("KRvK", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"),
];

/// One position that was solved.
pub struct ReachTime {
    name: &'static str,
    result: Option<Wdl>,
    positions: usize,
    images: u64,
    peak_memory: usize,
    seconds: f64,
}

/// Solves the positions, each one so many times, without tables; the middle times.
///
/// # Errors
///
/// If one cannot be solved.
pub fn reach_times(repeats: usize) -> Result<Vec<ReachTime>> {
    let times = POSITIONS.iter().map(|&(name, fen)| {
        let position = Position::from_fen(fen)?;
        let mut runs = Vec::new();
        for _ in 0..repeats.max(1) {
            let start = Instant::now();
            let solved = solve(&position, &NoLeaves, &Options::default())?;
            let seconds = start.elapsed().as_secs_f64();
            runs.push(ReachTime {
                name,
                result: solved.exact().map(|value| value.dtz.wdl()),
                positions: solved.progress.positions,
                images: solved.images(),
                peak_memory: solved.peak_memory,
                seconds,
            });
        }
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let middle = runs.len() / 2;
        Ok(runs.swap_remove(middle))
    });
    times.collect()
}

impl ReachTime {
    fn per_second(&self, count: f64) -> f64 {
        count / self.seconds.max(1e-9)
    }

    fn bytes_per_position(&self) -> f64 {
        self.peak_memory as f64 / self.positions.max(1) as f64
    }

    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "category": self.result.map(Wdl::category),
            "positions": self.positions,
            "images": self.images,
            "seconds": self.seconds,
            "positions_per_second": self.per_second(self.positions as f64),
            "images_per_second": self.per_second(self.images as f64),
            "bytes_per_position": self.bytes_per_position(),
            "threads": rayon::current_num_threads(),
        })
    }

    /// Row of a table: what was measured, and the figure.
    pub fn row(&self) -> (String, String) {
        (
            format!(
                "explore and solve {}, {} threads",
                self.name,
                rayon::current_num_threads()
            ),
            format!(
                "{:.2} million positions/s, {:.2} with their images, {:.1} bytes a position ({:.2} million in {:.2} s)",
                self.per_second(self.positions as f64) / 1e6,
                self.per_second(self.images as f64) / 1e6,
                self.bytes_per_position(),
                self.positions as f64 / 1e6,
                self.seconds
            ),
        )
    }
}
