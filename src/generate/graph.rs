//! Materials as steps of their own, each made from tables that are there: for programs that run
//! many of them on many machines.

use std::collections::HashMap;

use super::game::{Cost, Generate, GenerateOptions, Needs, Step, Thrift};
use super::plan::{BASE_MEMORY, FEWEST_IN_MEMORY};
use super::views::{ViewName, is_for_file};
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
    /// The metrics whose files it writes; which of them are not needed after all turns out when it
    /// is solved.
    pub metrics: Vec<G::Metric>,
    /// One more than those of the materials it reads, and at least 0: what is of one level can be
    /// made at the same time.
    pub level: usize,
    /// Bytes of memory at the worst moment, estimated from above.
    pub memory: u64,
    /// Bytes of scratch files and of work files that hold what it reads, estimated from above.
    pub scratch: u64,
    /// Bytes of the files it writes and seconds of one core, about, without those of `reading`.
    pub cost: Cost,
    /// Seconds of one core for bringing back what it reads of tables, about. Where other steps have
    /// left that in work files ([`left_for`](GenerateOptions::left_for)), it takes none.
    pub reading: f64,
    /// Bytes of the files it reads, about.
    pub read_bytes: u64,
}

/// All that some materials need, each after what it reads, whatever is in the directory. Where a
/// limit of memory is given, each takes no more if it can; one that cannot says what it needs.
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
    // Tables that are there are brought back into the form in which they are read, one after the
    // other.
    let restored = reads.iter().map(|read| {
        let leaves = views.iter().copied().filter(|view| view.source() == *read);
        alone(options, *read, &[], &leaves.collect::<Vec<_>>())
    });
    let cost = G::cost(&own, options);
    let mut steps = vec![own];
    steps.extend(restored.collect::<Result<Vec<_>, Error>>()?);
    // The sum of no floating-point numbers is -0.0.
    let restored = steps[1..].iter();
    let reading = restored.fold(0.0, |sum, step| sum + G::cost(step, options).solving);
    let (memory, scratch) = fitted(options, &views, &mut steps);
    let found = reads.iter().filter_map(|read| nodes.get(read));
    let level = found.clone().map(|node| node.level + 1).max();
    let node = Node {
        material,
        level: level.unwrap_or(0),
        read_bytes: found.map(|node| node.cost.bytes).sum(),
        reads,
        metrics: options.metrics.clone(),
        memory,
        scratch,
        cost,
        reading,
    };
    nodes.insert(material, node);
    Ok(())
}

/// Bytes of memory and of files that steps take one after the other, while what a material reads
/// waits: no more memory than allowed, if that can be.
fn fitted<G: Generate>(
    options: &GenerateOptions<G>,
    views: &[G::View],
    steps: &mut [Step<G>],
) -> (u64, u64) {
    let limit = options.memory.unwrap_or(u64::MAX);
    let mut men = options.men_in_memory;
    loop {
        let bytes = |in_files: bool| -> u64 {
            let views = views.iter().copied();
            let views = views.filter(|&view| is_for_file(view, men) == in_files);
            views.map(|view| G::memory_of_view(&view, options)).sum()
        };
        let apart = BASE_MEMORY + bytes(false);
        for step in &mut *steps {
            step.be_thrifty(options, limit.saturating_sub(apart));
        }
        let memory = apart + steps.iter().map(|step| step.memory).max().unwrap_or(0);
        if memory <= limit || men <= FEWEST_IN_MEMORY {
            let scratch = steps.iter().map(|step| step.scratch).max();
            return (memory, bytes(true) + scratch.unwrap_or(0));
        }
        men -= 1;
    }
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
