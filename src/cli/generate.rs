//! `retrograde generate`: solves and writes tables.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, value_parser};
use indicatif::{HumanBytes, HumanCount, HumanDuration};
use retrograde::chess::material::{MAX_MEN, Material};
use retrograde::chess::solve;
use retrograde::game::{Game, Numbered};
use retrograde::generate::{
    self, GenerateOptions, Generated, Observer, Phase, Plan, Step, xiangqi_materials,
};
use retrograde::metric::Metric;
use retrograde::probe;
use retrograde::simd::Width;
use retrograde::table;
use retrograde::xiangqi::{Material as XiangqiMaterial, Metric as XiangqiMetric, Rules, Xiangqi};
use serde_json::{Value, json};
use sysinfo::{Disk, Disks};

use super::print::counted;
use super::progress::{Course, Doing, ProgressOptions, Total};
use super::{Outcome, TableDirectory, input, memory, print, progress};

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
    /// Materials such as KRPvKR, in any order and case
    #[arg(value_name = "MATERIAL")]
    materials: Vec<String>,

    /// All materials of up to so many men, kings included
    #[arg(long, value_name = "N", value_parser = input::men)]
    men: Option<usize>,

    /// The game: chess or xiangqi; has to be said for a material of both where there are xiangqi tables [default: the game
    /// that has such materials; chess if both have]
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: what an endless game is worth, cycles-draw or perpetual-check [default: perpetual-check]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    /// Xiangqi: a set of materials with one attacker, and every defence of advisors and elephants
    #[arg(long, value_name = "SET", value_enum)]
    set: Option<Set>,

    /// What to store; results (wdl) always are, the other metrics are read together with them [default:
    /// wdl,dtz,dtm; Syzygy tables have no dtm; xiangqi tables have wdl,dtc, under cycles-draw also dtm]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    metric: Option<Vec<String>>,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Memory that may be used, such as 512M or 8G; if that is too little nothing is begun [default:
    /// what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Keep what materials of up to so many men leave behind for others in memory; that of larger ones goes into
    /// work files beside the tables, which a generation that was killed finds again
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u8).range(2..=MAX_MEN as i64),
        default_value_t = GenerateOptions::MEN_IN_MEMORY as u8
    )]
    men_in_memory: u8,

    /// How materials of chess are solved; the tables do not depend on it [default: chains where a slice
    /// has more than 268 million positions]
    #[arg(long, value_name = "ENGINE", value_enum)]
    engine: Option<Engine>,

    /// Where scratch files go, which are gone when the program ends [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// How wide the registers are that the solver uses; the tables do not depend on it
    #[arg(long, value_name = "WIDTH", value_enum, default_value_t = Simd::Auto)]
    simd: Simd,

    /// How hard to compress; there is one way for Syzygy tables
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Compression::Default)]
    compression: Compression,

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

/// Sets of xiangqi materials.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Set {
    /// The 36 in which the attacker's side has nothing else
    OneAttacker,
    /// All 324, with every guard of the attacker's side
    OneAttackerGuarded,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Engine {
    /// What either side wins at the same time, with all values in memory
    Together,
    /// What one side wins after what the other does, in little memory, with a scratch file
    Chains,
}

impl From<Engine> for solve::Engine {
    fn from(engine: Engine) -> solve::Engine {
        match engine {
            Engine::Together => solve::Engine::Together,
            Engine::Chains => solve::Engine::Chains,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Simd {
    /// The widest that this processor has
    Auto,
    /// What every processor has
    Portable,
    /// 256 bits: AVX2
    #[value(name = "256")]
    Bits256,
    /// 512 bits: AVX-512
    #[value(name = "512")]
    Bits512,
}

impl Simd {
    fn width(self) -> Result<Width> {
        let width = match self {
            Simd::Auto => Width::widest(),
            Simd::Portable => Width::Portable,
            Simd::Bits256 => Width::Bits256,
            Simd::Bits512 => Width::Bits512,
        };
        if !width.is_available() {
            bail!("this processor does not have registers of that width; choose --simd auto");
        }
        Ok(width)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Compression {
    /// For tables that are used once
    Fast,
    /// Small and quickly made
    Default,
    /// For tables that are kept: some per cent smaller, many times slower to write, as fast to read
    Small,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Our own, see docs/FORMAT.md
    Native,
    /// Syzygy's .rtbw and .rtbz, for engines and other programs
    Syzygy,
}

impl From<Format> for probe::Format {
    fn from(format: Format) -> probe::Format {
        match format {
            Format::Native => probe::Format::Native,
            Format::Syzygy => probe::Format::Syzygy,
        }
    }
}

impl From<Compression> for table::Compression {
    fn from(compression: Compression) -> table::Compression {
        match compression {
            Compression::Fast => table::Compression::Fast,
            Compression::Default => table::Compression::Default,
            Compression::Small => table::Compression::Small,
        }
    }
}

impl Generate {
    /// Generates what is missing.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        let game = match (self.game, self.format) {
            // There are no such tables of xiangqi.
            (None, Format::Syzygy) => Game::Chess,
            (game, _) => tables.game_to_generate(&self.materials, game)?,
        };
        progress::use_threads(self.threads)?;
        match game {
            Game::Chess => self.generate(&self.chess(tables.only("generate")?)?, out),
            Game::Xiangqi => self.generate(&self.xiangqi(tables.only("generate")?)?, out),
        }
    }

    fn chess(&self, directory: &Path) -> Result<GenerateOptions> {
        if self.rules.is_some() || self.set.is_some() {
            bail!("--rules and --set are for xiangqi; add --game xiangqi or leave them out");
        }
        let named: Vec<Material> = (self.materials.iter())
            .map(|signature| input::material(signature))
            .collect::<Result<_, _>>()?;
        let materials = input::materials(&named, self.men);
        let metrics = self.metrics(Metric::ALL.to_vec())?;
        if self.format == Format::Syzygy && self.metric.is_some() && metrics.contains(&Metric::Dtm)
        {
            bail!("Syzygy tables have no distances to mate; leave dtm out of --metric");
        }
        if materials.is_empty() {
            bail!(
                "nothing to generate: name a material such as KRPvKR, or add --men 4 for all of them"
            );
        }
        Ok(GenerateOptions {
            metrics,
            format: self.format.into(),
            compression: self.compression.into(),
            memory: self.memory,
            men_in_memory: self.men_in_memory.into(),
            width: self.simd.width()?,
            engine: self.engine.map(Into::into),
            scratch: self.scratch.clone(),
            ..GenerateOptions::new(directory, materials)
        })
    }

    fn xiangqi(&self, directory: &Path) -> Result<GenerateOptions<Xiangqi>> {
        let rules = self.rules.unwrap_or_default();
        let mut materials: Vec<_> = (self.materials.iter())
            .map(|signature| input::xiangqi_material(signature))
            .collect::<Result<_>>()?;
        match self.set {
            Some(Set::OneAttacker) => materials.extend(XiangqiMaterial::one_attacker()),
            Some(Set::OneAttackerGuarded) => {
                materials.extend(XiangqiMaterial::one_attacker_guarded());
            }
            None => {}
        }
        if let Some(men) = self.men {
            materials.extend(xiangqi_materials(men));
        }
        if materials.is_empty() {
            bail!(
                "nothing to generate: name a material such as KRvKAABB, or add --set one-attacker or --men 4"
            );
        }
        let metrics = self.metrics(XiangqiMetric::ALL.to_vec())?;
        let named_mates = self.metric.is_some() && metrics.contains(&XiangqiMetric::Dtm);
        if rules == Rules::PerpetualCheck && named_mates {
            bail!(
                "distances to mate are defined under --rules cycles-draw only; add that, or leave dtm out of --metric"
            );
        }
        Ok(GenerateOptions {
            metrics,
            compression: self.compression.into(),
            memory: self.memory,
            men_in_memory: self.men_in_memory.into(),
            ..GenerateOptions::xiangqi(directory, materials, rules)
        })
    }

    /// The metrics that are asked for, or those that are made where none is named.
    fn metrics<M: FromStr<Err: Error + Send + Sync + 'static>>(
        &self,
        default: Vec<M>,
    ) -> Result<Vec<M>> {
        match &self.metric {
            Some(names) => Ok(names
                .iter()
                .map(|name| name.parse())
                .collect::<Result<_, _>>()?),
            None => Ok(default),
        }
    }

    /// Does it for one game.
    fn generate<G: generate::Generate>(
        &self,
        options: &GenerateOptions<G>,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let directory = &options.directory;
        let plan = Plan::new(options).map_err(|error| match error {
            // The library knows what is needed the way it was asked for; less will do if everything is done thriftily.
            retrograde::Error::Memory { limit, .. } => match least_memory(options) {
                Some(needed) if needed > limit => retrograde::Error::Memory { needed, limit },
                _ => error,
            },
            error => error,
        })?;
        let mut answer = json!({
            "directory": directory.display().to_string(),
            "game": G::GAME.to_string(),
            "present": plan.present(),
        });
        if G::Rules::LIST.len() > 1 {
            answer["rules"] = options.rules.name().into();
        }
        let fits = || {
            if self.memory.is_none() && !plan.is_empty() {
                refuse_more_than_there_is(plan.peak_memory(), options)?;
            }
            let scratch = options.scratch.as_deref().unwrap_or(directory);
            refuse_more_scratch_than_fits(plan.scratch(), scratch)
        };
        if self.dry_run {
            self.show_plan(&plan, directory, answer, out)?;
            // What would not be begun is no plan.
            fits()?;
            return Ok(Outcome::Done);
        }
        fits()?;
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
        course: Course::begin(options, total)?,
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

/// Ends with an error if a plan needs more memory than the machine has.
pub fn refuse_more_than_there_is<G: generate::Generate>(
    needed: u64,
    options: &GenerateOptions<G>,
) -> Result<()> {
    let there_is = memory::total();
    if needed <= there_is {
        return Ok(());
    }
    let (needs, has) = (HumanBytes(needed), HumanBytes(there_is));
    match least_memory(options) {
        Some(least) if least <= there_is => bail!(
            "this needs {needs} of memory and there is {has}; with --memory {}M it takes less at a time",
            least.div_ceil(1 << 20)
        ),
        least => bail!(
            "this needs {} of memory at the least and there is {has}; ask for fewer men, or set --memory to use swap",
            least.map_or(needs, HumanBytes)
        ),
    }
}

/// The least memory that will do if little is done at a time; nothing if that is not known.
fn least_memory<G: generate::Generate>(options: &GenerateOptions<G>) -> Option<u64> {
    let limited = GenerateOptions {
        memory: Some(0),
        ..options.clone()
    };
    match Plan::new(&limited) {
        Err(retrograde::Error::Memory { needed, .. }) => Some(needed),
        _ => None,
    }
}

/// Ends with an error if a plan needs larger scratch files than there is room for.
fn refuse_more_scratch_than_fits(needed: u64, directory: &Path) -> Result<()> {
    let mut there_is = directory
        .ancestors()
        .filter_map(|path| path.canonicalize().ok());
    let Some(place) = there_is.next().or_else(|| std::env::current_dir().ok()) else {
        return Ok(());
    };
    if needed == 0 {
        return Ok(());
    }
    let disks = Disks::new_with_refreshed_list();
    let holds = |disk: &&Disk| place.starts_with(disk.mount_point());
    let disk = (disks.iter().filter(holds)).max_by_key(|disk| disk.mount_point().as_os_str().len());
    // Where the system does not say, the solver finds out.
    if let Some(disk) = disk.filter(|disk| disk.available_space() < needed) {
        bail!(
            "this needs {} for scratch files and there are {} on the disk of {}; choose another with --scratch",
            HumanBytes(needed),
            HumanBytes(disk.available_space()),
            place.display()
        );
    }
    Ok(())
}
