//! Positions to ask for, other probers, and a clock.

// Each benchmark needs a part of it.
#![allow(dead_code)]

pub mod fathom;
pub mod pyrrhic;

use std::time::Duration;

use retrograde::chess::Position;
use retrograde::chess::index::IndexSpace;
use retrograde::game::Color;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError};

/// Moves of a game, at most.
const LONGEST_GAME: usize = 40;

/// xorshift: every run asks the same.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % end
    }
}

/// A random legal position of one of the materials, either colours, either side to move.
pub fn random_position(spaces: &[IndexSpace], random: &mut Random) -> Position {
    loop {
        let space = &spaces[random.below(spaces.len() as u64) as usize];
        let digits = space.natural_order().digits(random.below(space.len()));
        let Some(placement) = space.placement(&digits) else {
            continue;
        };
        let placement = match random.below(2) {
            0 => placement,
            _ => placement.with_colors_exchanged(),
        };
        let turn = Color::ALL[random.below(2) as usize];
        if let Some(position) = placement.position(turn) {
            return position;
        }
    }
}

/// Positions of games of random moves, one after another: neighbours, and captures on the way to
/// fewer men.
pub fn games(spaces: &[IndexSpace], random: &mut Random, len: usize) -> Vec<Position> {
    let mut positions = Vec::with_capacity(len);
    while positions.len() < len {
        let mut position = random_position(spaces, random);
        for _ in 0..LONGEST_GAME {
            positions.push(position);
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() {
                break;
            }
            position = position.play(moves.as_slice()[random.below(moves.len() as u64) as usize]);
        }
    }
    positions.truncate(len);
    positions
}

/// A position as shakmaty has it.
pub fn shakmaty_position(position: &Position) -> Chess {
    let fen: Fen = position.to_fen().parse().expect("a FEN");
    Chess::from_setup(fen.into_setup(), CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .expect("a legal position")
}

/// What this thread has used.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time on the clock, for want of anything better.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
