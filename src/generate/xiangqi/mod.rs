//! Whole directories of xiangqi tables.
//!
//! A material is solved after all that it can capture into; those of equally many men in parallel. Tables that are there are
//! kept, but what leads to missing ones is solved again: solving is faster than reading.

mod estimate;
mod memory;
mod numbers;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::Error;
use crate::game::{Color, Game};
use crate::probe::xiangqi::is_about;
use crate::solve::xiangqi::{SolveError, SolveOptions, Solved, Targets, solve};
use crate::table::{
    Compression, Counts, Description, StreamSource, Table, WriteOptions, write_table,
};
use crate::xiangqi::{IndexSpace, Material, Metric, Rules, rules_directory, table_path};
use memory::{Batches, Needs, batches};
use numbers::Numbers;

/// What to generate.
#[derive(Clone, Debug)]
pub struct XiangqiOptions {
    /// The directory of all tables; those of each set of rules have one of their own in it.
    pub directory: PathBuf,
    /// The materials asked for, in normal form.
    pub materials: Vec<Material>,
    /// The rules.
    pub rules: Rules,
    /// What to store.
    pub metrics: Vec<Metric>,
    /// How hard to compress.
    pub compression: Compression,
    /// Bytes of memory that may be used. If nothing is said, materials are solved at the same time within 5.5 GiB, and one by
    /// itself takes what it needs.
    pub memory: Option<u64>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// What is missing for some xiangqi materials.
#[derive(Clone, Debug)]
pub struct XiangqiPlan {
    options: XiangqiOptions,
    /// What is asked for and all it can capture into, fewer men first, each with what is to be written.
    steps: Vec<(Material, Vec<Metric>)>,
    present: usize,
    batches: Batches,
}

impl XiangqiPlan {
    /// Looks which tables are missing.
    ///
    /// # Errors
    ///
    /// If the memory limit is below what the plan needs, or a material is too large to be solved.
    pub fn new(options: XiangqiOptions) -> Result<XiangqiPlan, Error> {
        let mut open = options.materials.clone();
        let mut wanted: Vec<Material> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(material) = open.pop() {
            if seen.insert(material) {
                wanted.push(material);
                open.extend(material.dependencies());
            }
        }
        wanted.sort_by_cached_key(|material| (material.men(), material.to_string()));
        let mut steps: Vec<(Material, Vec<Metric>)> = Vec::new();
        let mut present = 0;
        for material in wanted {
            let missing: Vec<Metric> = (options.metrics.iter().copied())
                // Whether there are rounds is known when the other tables are written.
                .filter(|&metric| metric != Metric::Rounds && !options.has(&material, metric))
                .collect();
            present += usize::from(missing.is_empty());
            steps.push((material, missing));
        }
        // What nothing missing depends on need not be solved.
        let mut needed: HashSet<Material> = HashSet::new();
        for (material, missing) in steps.iter().rev() {
            if !missing.is_empty() || needed.contains(material) {
                needed.insert(*material);
                needed.extend(material.dependencies());
            }
        }
        steps.retain(|(material, _)| needed.contains(material));
        let needs = Needs::new(options.rules, &options.metrics);
        let threads = rayon::current_num_threads();
        let batches = batches(&steps, needs, threads, options.memory)?;
        Ok(XiangqiPlan {
            options,
            steps,
            present,
            batches,
        })
    }

    /// Bytes of memory at the worst moment, estimated from above.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.batches.peak
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// How many of the materials are there already.
    #[must_use]
    pub fn present(&self) -> usize {
        self.present
    }

    /// The materials to be solved, with what is to be written of each.
    #[must_use]
    pub fn steps(&self) -> &[(Material, Vec<Metric>)] {
        &self.steps
    }

    /// Solves and writes. `solved` is told each material when its tables are there.
    ///
    /// # Errors
    ///
    /// If a material cannot be solved or a table not be written, or [`Error::Cancelled`].
    pub fn run(
        &self,
        cancel: &AtomicBool,
        solved: &(dyn Fn(&Material) + Sync),
    ) -> Result<Written, Error> {
        let directory = rules_directory(&self.options.directory, self.options.rules);
        std::fs::create_dir_all(&directory)
            .map_err(|source| Error::Directory { directory, source })?;
        let mut targets = Targets::new();
        let mut written = Written::default();
        for batch in &self.batches.batches {
            let solved: Vec<(Material, Arc<Solved>, Written)> = self.steps[batch.clone()]
                .par_iter()
                .with_max_len(1)
                .map(|(material, metrics)| {
                    let (values, written) = self.step(*material, metrics, &targets, cancel)?;
                    solved(material);
                    Ok((*material, Arc::new(values), written))
                })
                .collect::<Result<_, Error>>()?;
            for (material, values, more) in solved {
                targets.insert(material, values);
                written.files += more.files;
                written.bytes += more.bytes;
            }
            let needed: HashSet<Material> = (self.steps[batch.end..].iter())
                .flat_map(|(material, _)| material.dependencies())
                .collect();
            targets.retain(|material, _| needed.contains(material));
        }
        Ok(written)
    }

    /// One material; what its captures lead to is among `targets`.
    fn step(
        &self,
        material: Material,
        metrics: &[Metric],
        targets: &Targets,
        cancel: &AtomicBool,
    ) -> Result<(Solved, Written), Error> {
        let options = &self.options;
        let solve_options = SolveOptions {
            rules: options.rules,
            mates: options.metrics.contains(&Metric::Dtm),
            cancel,
        };
        let mut solved = solve(material, targets, solve_options).map_err(|error| match error {
            SolveError::Cancelled { .. } => Error::Cancelled,
            error => error.into(),
        })?;
        let mut written = Written::default();
        if !metrics.is_empty() {
            let has_rounds = solved.sides.iter().any(|side| !side.rounds.is_empty());
            let rounds =
                (options.metrics.contains(&Metric::Rounds) && has_rounds).then_some(Metric::Rounds);
            for metric in rounds.into_iter().chain(metrics.iter().copied()) {
                written.bytes += options.write(&solved, metric, cancel)?;
                written.files += 1;
            }
        }
        // Others read results and mate scores.
        for side in &mut solved.sides {
            side.dtc = Vec::new();
            side.rounds = Vec::new();
        }
        Ok((solved, written))
    }
}

impl XiangqiOptions {
    fn has(&self, material: &Material, metric: Metric) -> bool {
        let path = table_path(&self.directory, self.rules, material, metric);
        Table::open(&path)
            .is_ok_and(|table| is_about(table.description(), material, metric, self.rules))
    }

    /// Writes one table and returns its bytes.
    fn write(&self, solved: &Solved, metric: Metric, cancel: &AtomicBool) -> Result<u64, Error> {
        let material = solved.space.material;
        let path = table_path(&self.directory, self.rules, &material, metric);
        let space = IndexSpace::new(material).ok_or(SolveError::too_large(&material))?;
        let numbers = Numbers::new(&space, &solved.space);
        let streams = solved.sides.each_ref().map(|side| numbers.of(side, metric));
        let counts = solved.counts().map(|counts| Counts {
            win: counts.win,
            draw: counts.draw,
            loss: counts.loss,
            ..Counts::default()
        });
        let description = Description {
            game: Game::Xiangqi.number(),
            metric: metric.number(),
            rules: self.rules.number(),
            material: material.to_string(),
            counts,
            longest: streams.each_ref().map(|stream| stream.longest),
            ..Description::default()
        };
        let sources = Color::ALL.map(|color| {
            StreamSource::new(
                color.index() as u8,
                space.len(),
                &streams[color.index()].values,
            )
        });
        let options = WriteOptions::from(self.compression);
        let go_on = |_, _| !cancel.load(Ordering::Relaxed);
        let sizes = write_table(&path, &description, &sources, &options, &go_on)?;
        Ok(sizes.file_bytes)
    }
}

/// All xiangqi materials of up to so many men, in normal form.
#[must_use]
pub fn xiangqi_materials(men: usize) -> Vec<Material> {
    let mut found: Vec<Material> = Vec::new();
    let mut level: HashSet<Material> = HashSet::from([Material::BARE_KINGS]);
    for _ in 2..men {
        level = (level.iter())
            .flat_map(|material| material.with_one_more())
            .map(|material| material.normal_form())
            .collect();
        found.extend(level.iter().filter(|material| {
            Color::ALL
                .into_iter()
                .any(|color| material.has_attacker(color))
        }));
    }
    found.sort_by_cached_key(|material| (material.men(), material.to_string()));
    found
}
