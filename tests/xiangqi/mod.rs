//! What the solver says of xiangqi, against published counts and by playing on.

mod counts;
mod engine;
mod fairy_stockfish;
mod generation;
pub mod play;
pub mod tables;
mod verify;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use retrograde::metric::{Dtm, MateScore, Wdl};
use retrograde::xiangqi::Position;
use retrograde::xiangqi::solve::{SideValues, SolveOptions, Solved, Targets, Watch, solve};
use retrograde::xiangqi::{Material, Placement, Rules};

/// Solves a material and all that it can capture into.
pub fn solve_into(material: Material, rules: Rules, targets: &mut Targets) -> Arc<Solved> {
    if let Some(solved) = targets.get(&material) {
        return Arc::clone(solved);
    }
    for target in material.dependencies() {
        solve_into(target, rules, targets);
    }
    let cancel = AtomicBool::new(false);
    let options = SolveOptions {
        rules,
        mates: rules == Rules::CyclesDraw,
        watch: Watch::new(&cancel),
    };
    let solved = Arc::new(solve(material, targets, options).unwrap());
    targets.insert(material, Arc::clone(&solved));
    solved
}

/// The material of a signature and all that it can capture into.
pub fn solved(signature: &str, rules: Rules) -> Targets {
    let mut targets = Targets::new();
    let material: Material = signature.parse().unwrap();
    solve_into(material.normal_form(), rules, &mut targets);
    targets
}

/// What the solver says of a legal position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub wdl: Wdl,
    pub round: u8,
    pub dtc: u8,
    pub dtm: Option<Dtm>,
}

pub fn value(position: &Position, targets: &Targets) -> Value {
    if position.is_insufficient_material() {
        return Value {
            wdl: Wdl::Draw,
            round: 0,
            dtc: 0,
            dtm: None,
        };
    }
    let material = Material::of(position);
    let exchanged = !material.is_normal();
    let solved = &targets[&material.normal_form()];
    let position = match exchanged {
        true => position.with_colors_exchanged(),
        false => *position,
    };
    let pieces = Placement::of(&position).pieces;
    let (address, bit) = solved.space.find(&pieces).unwrap();
    let values: &SideValues = &solved.sides[position.turn().index()];
    let at = address * 128 + bit as usize;
    Value {
        wdl: values.wdl(address, bit).unwrap(),
        round: values.rounds.get(at).copied().unwrap_or(0),
        dtc: values.dtc[at],
        dtm: values.dtm.get(at).and_then(|&score| MateScore(score).dtm()),
    }
}
