//! Level after level of a xiangqi position: results and distances, and then what the rule of
//! perpetual check decides.

use super::decide::{Distance, decide};
use super::graph::Graph;
use super::perpetual::perpetual;
use super::state::{State, States};
use crate::game::Color;
use crate::metric::Wdl;
use crate::reach::game::{Analysis, Extent, LeafError, Outlay, States as _};
use crate::xiangqi::Rules;
use crate::xiangqi::rules::Position;

/// Bytes that the iteration keeps for each position of a level.
const ITERATION: usize = 48;

/// Solves everything.
///
/// # Errors
///
/// If the value of a leaf cannot be found out.
pub fn run(analysis: &Analysis<'_, Position>, states: &mut States) -> Result<Outlay, LeafError> {
    states.clear();
    let positions = &analysis.exploration.positions;
    let options = analysis.options;
    let mut progress = analysis.exploration.progress();
    let kept = positions.memory() + states.memory();
    let mut memory = 0;
    for (_, runs) in analysis.levels {
        let graph = Graph::new(positions, runs, states, analysis.rules, options.cancel)?;
        let is_solved = match &graph {
            Some(graph) => {
                memory = memory.max(graph.memory() + ITERATION * graph.nodes.len());
                progress.solved += graph.members.len();
                progress.memory = kept + graph.memory();
                solve_level(graph, analysis, states).is_some()
            }
            None => false,
        };
        if !is_solved {
            let extent = Extent::Part;
            return Ok(Outlay { extent, memory });
        }
        (options.report)(progress);
    }
    let extent = Extent::All;
    Ok(Outlay { extent, memory })
}

/// Finds the states of a level; `None` if that was cancelled.
fn solve_level(
    graph: &Graph,
    analysis: &Analysis<'_, Position>,
    states: &mut States,
) -> Option<()> {
    let (lost_for, options) = (analysis.lost_for, analysis.options);
    let decided = decide(graph, Distance::Conversion, lost_for, options.cancel)?;
    let mates = match analysis.mates {
        true => decide(graph, Distance::Mate, lost_for, options.cancel)?,
        false => Vec::new(),
    };
    for (number, (&id, decision)) in graph.members.iter().zip(&decided).enumerate() {
        let state = State {
            wdl: decision.wdl,
            round: 0,
            conversion: decision.plies,
            mate: mates.get(number).map_or(0, |mate| mate.plies),
        };
        states.set(id, state);
    }
    if options.rules != Rules::PerpetualCheck {
        return Some(());
    }
    let results: Vec<Wdl> = decided.iter().map(|decision| decision.wdl).collect();
    for winner in Color::ALL {
        let ruled = perpetual(graph, &results, winner, options.cancel)?;
        for ((&id, node), ruled) in graph.members.iter().zip(&graph.nodes).zip(ruled) {
            if ruled.round > 0 {
                let wdl = match node.turn == winner {
                    true => Wdl::Win,
                    false => Wdl::Loss,
                };
                let state = State {
                    wdl,
                    round: ruled.round,
                    conversion: ruled.step,
                    mate: 0,
                };
                states.set(id, state);
            }
        }
    }
    Some(())
}
