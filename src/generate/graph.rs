//! Materials as steps of their own, each made from tables that are there: for programs that run many of them
//! on many machines.

use std::collections::HashMap;

use super::game::{Cost, Generate, GenerateOptions, Needs, Step, Thrift};
use super::plan::BASE_MEMORY;
use super::views::ViewName;
use crate::Error;
use crate::error::SolveError;
use crate::game::Signature;

/// A material that is made alone, from tables that are there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Node<G: Generate> {
    /// The material, in normal form.
    pub material: G::Material,
    /// The materials whose tables have to be there, in normal form.
    pub reads: Vec<G::Material>,
    /// The metrics whose files it writes; which of them are not needed after all turns out when it is solved.
    pub metrics: Vec<G::Metric>,
    /// One more than those of the materials it reads, and at least 0: what is of one level can be made at the same time.
    pub level: usize,
    /// Bytes of memory at the worst moment, estimated from above.
    pub memory: u64,
    /// Bytes of scratch files, estimated from above.
    pub scratch: u64,
    /// Bytes of the files it writes and seconds of one core, about.
    pub cost: Cost,
    /// Bytes of the files it reads, about.
    pub read_bytes: u64,
}

/// All that some materials need, each after what it reads, whatever is in the directory.
///
/// # Errors
///
/// If a material is too large to be solved.
pub fn graph<G: Generate>(options: &GenerateOptions<G>) -> Result<Vec<Node<G>>, Error> {
    let mut options = options.clone();
    G::complete(&mut options);
    options.metrics.sort_unstable();
    options.metrics.dedup();
    let mut materials: Vec<G::Material> = Vec::new();
    let mut open: Vec<G::Material> = options
        .materials
        .iter()
        .map(G::Material::normal_form)
        .collect();
    while let Some(material) = open.pop() {
        if !materials.contains(&material) {
            open.extend(material.dependencies());
            materials.push(material);
        }
    }
    let mut nodes: HashMap<G::Material, Node<G>> = HashMap::new();
    for &material in &materials {
        visit(&options, material, &mut nodes)?;
    }
    let mut nodes: Vec<Node<G>> = nodes.into_values().collect();
    nodes.sort_by_cached_key(|node| (node.level, node.material.men(), node.material.to_string()));
    Ok(nodes)
}

fn visit<G: Generate>(
    options: &GenerateOptions<G>,
    material: G::Material,
    nodes: &mut HashMap<G::Material, Node<G>>,
) -> Result<(), Error> {
    if nodes.contains_key(&material) {
        return Ok(());
    }
    let views = G::reads(&material);
    let mut reads: Vec<G::Material> = views.iter().map(ViewName::source).collect();
    reads.sort_by_cached_key(G::Material::to_string);
    reads.dedup();
    for &read in &reads {
        visit(options, read, nodes)?;
    }
    let own = alone(options, material, &options.metrics, &[])?;
    let mut memory = own.memory;
    let mut scratch = own.scratch;
    let mut cost = G::cost(&own, options);
    // Tables that are there are brought back into the form in which they are read, one after the other.
    for read in &reads {
        let leaves: Vec<G::View> = views
            .iter()
            .copied()
            .filter(|view| view.source() == *read)
            .collect();
        let restored = alone(options, *read, &[], &leaves)?;
        memory = memory.max(restored.memory);
        scratch = scratch.max(restored.scratch);
        cost.solving += G::cost(&restored, options).solving;
    }
    let views: u64 = views
        .iter()
        .map(|view| G::memory_of_view(view, options))
        .sum();
    let found = reads.iter().filter_map(|read| nodes.get(read));
    let level = found.clone().map(|node| node.level + 1).max();
    let node = Node {
        material,
        level: level.unwrap_or(0),
        read_bytes: found.map(|node| node.cost.bytes).sum(),
        reads,
        metrics: own.metrics,
        memory: BASE_MEMORY + views + memory,
        scratch,
        cost,
    };
    nodes.insert(material, node);
    Ok(())
}

/// A material as the only step.
fn alone<G: Generate>(
    options: &GenerateOptions<G>,
    material: G::Material,
    metrics: &[G::Metric],
    leaves: &[G::View],
) -> Result<Step<G>, Error> {
    let needs = Needs {
        material: &material,
        metrics,
        leaves,
    };
    let too_large = || SolveError::too_large(&material);
    let memory = G::memory_of_step(&needs, options, Thrift::NONE);
    Ok(Step {
        memory: memory.ok_or_else(too_large)?,
        scratch: G::scratch_of_step(&needs, options, Thrift::NONE),
        thrift: Thrift::NONE,
        metrics: metrics.to_vec(),
        targets: Vec::new(),
        positions: G::positions(&G::space(material).ok_or_else(too_large)?),
        leaves: leaves.to_vec(),
        material,
    })
}
