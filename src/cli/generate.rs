//! `retrograde generate`: solves and writes tables.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{HumanBytes, HumanCount, HumanDuration};
use retrograde::game::{Game, Numbered};
use retrograde::generate::{
    self, CardError, DoneBefore, GenerateOptions, Generated, Observer, Phase, Plan, Step,
};
use serde_json::{Value, json};

use super::print::counted;
use super::progress::{Course, Doing, ProgressOptions, Total};
use super::wanted::{Format, Means, Wanted};
use super::{Outcome, TableDirectory, print, progress, room};

/// Seconds from which on progress is shown where nobody looks.
const LONG: f64 = 30.0;

/// Solve materials and write their tables, and all tables they depend on
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde generate --men 4\n  \
    retrograde generate KRPvKR KBNvK --metric wdl,dtz --threads 8\n  \
    retrograde generate --men 5 --dry-run\n  \
    retrograde generate --game xiangqi KRvKAABB --rules cycles-draw\n\n\
    Tables that are there are kept. Ctrl-C leaves no broken file (exit status 2); the same command carries on.")]
pub struct Generate {
    #[command(flatten)]
    wanted: Wanted,

    #[command(flatten)]
    means: Means,

    /// The format of the files
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Native)]
    format: Format,

    /// Say what would be done, how much memory it takes, and about how long and how many bytes
    #[arg(long)]
    dry_run: bool,

    /// With --dry-run, list every material
    #[arg(long, requires = "dry_run")]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressOptions,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Generate {
    /// Generates what is missing.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let game = match (self.wanted.game, self.format) {
            // There are no such tables of xiangqi.
            (None, Format::Syzygy) => Game::Chess,
            _ => self.wanted.game(tables)?,
        };
        progress::use_threads(self.means.threads)?;
        let directory = tables.only("generate")?;
        let Generate { wanted, means, .. } = &self;
        match game {
            Game::Chess => self.generate(&wanted.chess(means, self.format, directory)?, out),
            Game::Xiangqi => self.generate(&wanted.xiangqi(means, directory)?, out),
        }
    }

    /// Does it for one game.
    fn generate<G: generate::Generate>(
        &self,
        options: &GenerateOptions<G>,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let directory = &options.directory;
        let plan = room::plan(options)?;
        let mut answer = json!({
            "directory": directory.display().to_string(),
            "game": G::GAME.to_string(),
            "present": plan.present(),
        });
        if G::Rules::LIST.len() > 1 {
            answer["rules"] = options.rules.name().into();
        }
        if self.dry_run {
            self.show_plan(&plan, directory, answer, out)?;
            // What would not be begun is no plan.
            room::refuse_what_does_not_fit(&plan, options)?;
            return Ok(Outcome::Done);
        }
        room::refuse_what_does_not_fit(&plan, options)?;
        let start = Instant::now();
        let generated = match plan.is_empty() {
            // Only what killed generations have left is removed.
            true => plan.run(&AtomicBool::new(false), &())?,
            false => {
                let cancel = progress::cancel_on_interrupt()?;
                match run(&plan, &self.progress, &cancel)? {
                    Err(retrograde::Error::Cancelled) => bail!(
                        "stopped; the tables that were finished stay, and the same command carries on"
                    ),
                    other => other?,
                }
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        if self.json {
            answer["files"] = generated.files.into();
            answer["bytes"] = generated.bytes.into();
            answer["seconds"] = seconds.into();
            writeln!(out, "{answer}")?;
        } else if plan.is_empty() {
            print::nothing_to_do(plan.present(), directory, out)?;
        } else {
            print::written(generated.files, generated.bytes, directory, seconds, out)?;
        }
        Ok(Outcome::Done)
    }

    fn show_plan<G: generate::Generate>(
        &self,
        plan: &Plan<G>,
        directory: &Path,
        mut answer: Value,
        out: &mut dyn Write,
    ) -> Result<()> {
        let estimate = plan.estimate();
        let names = |step: &Step<G>| -> Vec<String> {
            step.metrics.iter().map(ToString::to_string).collect()
        };
        if self.json {
            let steps = plan.steps().map(|step| {
                json!({
                    "material": step.material.to_string(),
                    "write": names(step),
                    "indices": step.positions,
                })
            });
            answer["memory"] = plan.peak_memory().into();
            answer["scratch"] = plan.scratch().into();
            answer["steps"] = steps.collect();
            let begun = plan.begun().into_iter();
            let begun = begun.map(
                |(material, bytes)| json!({ "material": material.to_string(), "scratch": bytes }),
            );
            answer["begun"] = begun.collect();
            answer["estimate"] = json!({
                "bytes": estimate.bytes,
                "core_seconds": estimate.core_seconds,
                "seconds": estimate.seconds,
                "threads": rayon::current_num_threads(),
            });
            writeln!(out, "{answer}")?;
            return Ok(());
        }
        if plan.is_empty() {
            return print::nothing_to_do(plan.present(), directory, out);
        }
        writeln!(
            out,
            "{} to solve, {} there already; up to {} of memory{}; into {}",
            counted(plan.steps().count(), "material"),
            plan.present(),
            HumanBytes(plan.peak_memory()),
            match plan.scratch() {
                0 => String::new(),
                bytes => format!(", about {} of scratch files", HumanBytes(bytes)),
            },
            directory.display()
        )?;
        writeln!(
            out,
            "estimated, for a machine like the one it was measured on: {} in files, {} with {}",
            HumanBytes(estimate.bytes),
            HumanDuration(Duration::from_secs_f64(estimate.seconds.max(1.0))),
            counted(rayon::current_num_threads(), "thread")
        )?;
        for (material, bytes) in plan.begun() {
            let bytes = HumanBytes(bytes);
            writeln!(
                out,
                "goes on with {material}, of which {bytes} of scratch files are there"
            )?;
        }
        if !self.verbose {
            return Ok(());
        }
        let lengths = plan.steps().map(|step| step.material.to_string().len());
        let width = lengths.max().unwrap_or(0).max(10);
        writeln!(
            out,
            "{:<width$} {:>18}  write",
            "material", "indices a side"
        )?;
        for step in plan.steps() {
            let write = match step.metrics.is_empty() {
                true => "nothing, others need its values".to_owned(),
                false => names(step).join(" "),
            };
            let positions = HumanCount(step.positions).to_string();
            let material = step.material.to_string();
            writeln!(out, "{material:<width$} {positions:>18}  {write}")?;
        }
        Ok(())
    }
}

/// Does what is planned and shows how it goes: how it ended, unless progress cannot be shown.
///
/// # Errors
///
/// If the file that progress goes to cannot be written.
pub fn run<G: generate::Generate>(
    plan: &Plan<G>,
    options: &ProgressOptions,
    cancel: &AtomicBool,
) -> Result<Result<Generated, retrograde::Error>> {
    let estimate = plan.estimate();
    let total = Total {
        materials: plan.steps().count(),
        positions: plan.work(),
        costs: estimate.core_seconds,
        estimate: Some(estimate.seconds),
        is_long: estimate.seconds > LONG,
    };
    let running = Running {
        plan,
        course: Course::begin(options, total, Some(plan.scratch_in_use()))?,
    };
    let generated = plan.run(cancel, &running);
    running.course.end(generated.is_ok());
    Ok(generated)
}

/// A plan that is being done.
struct Running<'a, G: generate::Generate> {
    plan: &'a Plan<G>,
    course: Course,
}

impl<G: generate::Generate> Observer<G> for Running<'_, G> {
    fn started(&self, material: G::Material) {
        self.course.is_at(&material.to_string(), Doing::Preparing);
    }

    fn ply(&self, material: G::Material, metric: G::Metric, plies: u32) {
        let metric = metric.name();
        let doing = Doing::Solving { metric, plies };
        self.course.is_at(&material.to_string(), doing);
    }

    fn goes_on(&self, material: G::Material, done: DoneBefore<G::Metric>) {
        let doing = match done {
            DoneBefore::Plies(metric, plies) => {
                let metric = metric.name();
                Doing::GoingOn { metric, plies }
            }
            DoneBefore::Slices(slices, all_slices) => Doing::WithSlices { slices, all_slices },
            _ => return,
        };
        self.course.goes_on(&material.to_string(), doing);
    }

    fn goes_on_without_card(&self, material: G::Material, why: CardError) {
        self.course
            .say(&format!("{material}: {why}; the processor goes on"));
    }

    fn writing(&self, material: G::Material, metric: G::Metric) {
        let metric = metric.name();
        self.course
            .is_at(&material.to_string(), Doing::Writing { metric });
    }

    fn advanced(&self, work: u64) {
        self.course.advance(work);
    }

    fn spent(&self, material: G::Material, phase: Phase<G::Metric>, _: Duration) {
        let Some(step) = self.plan.steps().find(|step| step.material == material) else {
            return;
        };
        let cost = self.plan.cost(step);
        self.course.credit(match phase {
            Phase::Solving => cost.solving,
            Phase::Keeping => 0.0,
            Phase::Writing(_) => cost.writing / step.metrics.len().max(1) as f64,
        });
    }

    fn finished(&self, material: G::Material, bytes: u64) {
        self.course.finish(&material.to_string(), Some(bytes));
    }
}
