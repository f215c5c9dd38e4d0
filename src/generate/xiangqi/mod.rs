//! Generation of xiangqi: what the plan and the scheduler have to know of a material, and how one
//! is solved and written.

mod estimate;
mod memory;
mod numbers;
mod statistics;
mod views;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::choose::{Ordered, choose_against};
use super::effort::Effort;
use super::game::{
    Cost, Generate, GenerateOptions, Job, MEN_IN_FILES, MEN_IN_MEMORY, Needs, Step, Thrift,
};
use super::observer::Phase;
use super::views::ViewStore;
use crate::Error;
use crate::game::{Color, Game};
use crate::simd::Width;
use crate::table::{
    Compression, Description, SideStatistics, StreamSource, WriteOptions, values_present,
    write_table,
};
use crate::tables::{find, table_path};
use crate::xiangqi::rules::SQUARES;
use crate::xiangqi::solve::{SolveError, SolveOptions, Solved, Targets, solve_dropping};
use crate::xiangqi::{HAS_ROUNDS, IndexSpace, Material, Metric, Rules, Xiangqi, needs_rounds};
use numbers::{Dimensions, InOrder, Numbers, Side};
pub use statistics::statistics;

/// Blocks of a stream from which on the order of its dimensions is chosen. No stream of three and
/// four men has as many.
const FEWEST_BLOCKS: u64 = 64;

/// Another order than the natural one has to save one byte in so many.
const SAVED_PART: u64 = 50;

impl GenerateOptions<Xiangqi> {
    /// All metrics of some materials of xiangqi, in the way that is best without further knowledge.
    #[must_use]
    pub fn xiangqi(
        directory: impl Into<PathBuf>,
        materials: Vec<Material>,
        rules: Rules,
    ) -> GenerateOptions<Xiangqi> {
        GenerateOptions {
            directory: directory.into(),
            materials,
            alone: false,
            metrics: Metric::ALL.to_vec(),
            compression: Compression::Default,
            format: (),
            rules,
            memory: None,
            men_in_memory: MEN_IN_MEMORY,
            men_in_files: MEN_IN_FILES,
            width: Width::widest(),
            engine: None,
            scratch: None,
            scratch_room: None,
            left_for: None,
            ranks: None,
            card: None,
        }
    }
}

impl Generate for Xiangqi {
    type Format = ();
    type View = Material;
    type Solved = Solved;

    const ZEROING: Metric = Metric::Dtc;
    const MATES: Metric = Metric::Dtm;

    fn effort(compression: Compression, metric: Metric, _: &Material) -> Effort {
        let are_results = metric == Metric::Wdl;
        let options = WriteOptions {
            row: SQUARES,
            ..compression.into()
        };
        Effort::for_both_sides(compression, options, are_results)
    }

    fn complete(options: &mut GenerateOptions<Xiangqi>) {
        options.metrics.push(Metric::Wdl);
        // Distances to mate are defined where cycles are draws, rounds where they are not.
        match options.rules {
            Rules::CyclesDraw => options.metrics.retain(|&metric| metric != Metric::Rounds),
            Rules::PerpetualCheck => {
                options.metrics.retain(|&metric| metric != Metric::Dtm);
                options.metrics.push(Metric::Rounds);
            }
        }
    }

    fn rank(_: &Material) -> usize {
        0
    }

    fn missing(material: &Material, options: &GenerateOptions<Xiangqi>) -> Vec<Metric> {
        // The description of a table whose header fits its name and whose checksums are right.
        let usable = |metric: Metric| {
            let file = find::<Xiangqi>(&options.directory, options.rules, material, metric)?;
            let table = file.open(false).ok()?;
            table.verify_checksums(&|_, _| true).ok()?;
            Some(table.description().clone())
        };
        let results = usable(Metric::Wdl);
        let are_rounds_needed = results.as_ref().is_some_and(|of| needs_rounds(of.flags));
        let is_missing = |metric: Metric| match metric {
            Metric::Wdl => results.is_none(),
            // Without the results nobody knows yet whether there are any.
            Metric::Rounds => are_rounds_needed && usable(metric).is_none(),
            Metric::Dtc | Metric::Dtm => usable(metric).is_none(),
        };
        let metrics = options.metrics.iter().copied();
        metrics.filter(|&metric| is_missing(metric)).collect()
    }

    fn is_too_large(material: &Material) -> bool {
        IndexSpace::new(*material).is_none()
    }

    fn reads(material: &Material) -> Vec<Material> {
        material.dependencies()
    }

    fn memory_of_view(view: &Material, options: &GenerateOptions<Xiangqi>) -> u64 {
        memory::of_view(view, options)
    }

    fn memory_of_step(
        needs: &Needs<'_, Xiangqi>,
        options: &GenerateOptions<Xiangqi>,
        _: Thrift,
    ) -> Option<u64> {
        memory::of_step(needs.material, !needs.metrics.is_empty(), options)
    }

    fn cost(step: &Step<Xiangqi>, options: &GenerateOptions<Xiangqi>) -> Cost {
        estimate::cost(step, options)
    }

    fn solve(job: &Job<'_, Xiangqi>) -> Result<Solved, Error> {
        let material = job.step.material;
        let start = Instant::now();
        let options = SolveOptions {
            rules: job.options.rules,
            mates: job.options.metrics.contains(&Metric::Dtm),
            watch: job.watch(),
        };
        let solved = solve_dropping(material, targets(job)?, options);
        let solved = solved.map_err(|error| match error {
            SolveError::Cancelled { .. } => Error::Cancelled,
            error => error.into(),
        })?;
        job.observer
            .spent(material, Phase::Solving, start.elapsed());
        let start = Instant::now();
        if job.step.leaves.contains(&material) {
            job.views.put(material, views::pack(&solved))?;
        }
        job.observer
            .spent(material, Phase::Keeping, start.elapsed());
        job.observer.advanced(job.step.positions * 2);
        Ok(solved)
    }

    /// That there are rounds is known now. They come first: who finds the results with their flag
    /// finds the rounds.
    fn files(job: &Job<'_, Xiangqi>, solved: &Solved) -> Vec<Metric> {
        let mut metrics = job.step.metrics.clone();
        let is_wanted = metrics.contains(&Metric::Rounds) || metrics.contains(&Metric::Wdl);
        metrics.retain(|&metric| metric != Metric::Rounds);
        if is_wanted && has_rounds(solved) {
            metrics.insert(0, Metric::Rounds);
        }
        metrics
    }

    fn write(job: &Job<'_, Xiangqi>, solved: &Solved, metric: Metric) -> Result<u64, Error> {
        let options = job.options;
        let material = job.step.material;
        let path = table_path(&options.own_directory(), &material, metric);
        let space = IndexSpace::new(material).ok_or_else(|| SolveError::too_large(&material))?;
        let effort = Xiangqi::effort(options.compression, metric, &material);
        let numbers = Numbers::new(&space, &solved.space);
        let mut values = solved.sides.each_ref().map(|side| numbers.of(side, metric));
        let statistics = statistics(solved, &space, metric, job.cancel)?;
        let sides = Color::ALL.map(|color| {
            let values = &values[color.index()];
            Side {
                numbers: &numbers,
                values: &solved.sides[color.index()],
                metric,
                number: color.index() as u8,
                present: values_present(values, space.len()),
            }
        });
        let orders = [order(&sides[0], &effort)?, order(&sides[1], &effort)?];
        for (values, order) in values.iter_mut().zip(&orders) {
            if !order.is_natural() {
                *values = Vec::new();
            }
        }
        let description = Description {
            game: Game::Xiangqi.number(),
            metric: metric.number(),
            rules: options.rules.number(),
            flags: match metric == Metric::Wdl && has_rounds(solved) {
                true => HAS_ROUNDS,
                false => 0,
            },
            material: material.to_string(),
            counts: statistics.sides.each_ref().map(SideStatistics::counts),
            longest: statistics
                .sides
                .each_ref()
                .map(SideStatistics::first_longest),
        };
        let in_order = [0, 1].map(|side| InOrder {
            side: &sides[side],
            order: orders[side],
        });
        let sources = [0, 1].map(|side| match orders[side].is_natural() {
            true => StreamSource {
                values_present: Some(sides[side].present),
                ..StreamSource::new(side as u8, space.len(), &values[side])
            },
            false => sides[side].stream(&orders[side], &in_order[side]),
        });
        let go_on = |_, _| !job.cancel.load(Ordering::Relaxed);
        let head = (&description, &statistics);
        let sizes = write_table(&path, head, &sources, &effort.options, &go_on)?;
        Ok(sizes.file_bytes)
    }
}

/// The order of the dimensions of a stream.
fn order(side: &Side<'_>, effort: &Effort) -> Result<Dimensions, Error> {
    let natural = side.natural_order();
    let block_values = effort.options.block_values(side.symbols()) as u64;
    if side.len().div_ceil(block_values) < FEWEST_BLOCKS {
        return Ok(natural);
    }
    choose_against(side, natural, SAVED_PART, effort)
}

/// Whether the rule of perpetual check decides any position.
fn has_rounds(solved: &Solved) -> bool {
    solved.sides.iter().any(|side| !side.rounds.is_empty())
}

/// What the captures of a material lead to.
fn targets(job: &Job<'_, Xiangqi>) -> Result<Targets, Error> {
    let find = |target: Material| {
        let parts = job.views.get(&target);
        let values = parts.and_then(|parts| views::unpack(&*parts, target));
        let values = values.ok_or_else(|| match job.views.is_for_file(&target) {
            true => job.views.lost(),
            false => SolveError::missing_target(&job.step.material, &target).into(),
        })?;
        Ok((target, Arc::new(values)))
    };
    let targets = job.step.material.dependencies().into_iter();
    targets.map(find).collect()
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
