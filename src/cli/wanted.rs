//! What `generate`, `plan` and `step` are asked for, and by what means they are to do it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, value_parser};
use retrograde::chess::material::{MAX_MEN, Material};
use retrograde::chess::solve;
use retrograde::game::{Game, Signature};
#[cfg(feature = "cuda")]
use retrograde::generate::CudaCard;
use retrograde::generate::{Card, GenerateOptions, xiangqi_materials};
use retrograde::metric::Metric;
use retrograde::probe;
use retrograde::simd::Width;
use retrograde::table;
use retrograde::xiangqi::{Material as XiangqiMaterial, Metric as XiangqiMetric, Rules, Xiangqi};

use super::names::{MEN_OF_A_PATTERN, Names, each_once};
use super::print::quoted;
use super::{TableDirectory, input};

/// Which tables.
#[derive(Debug, Args)]
pub struct Wanted {
    /// Materials such as KRPvKR, in any order and case, or patterns such as 'KRP*vKR?', where ?
    /// stands for a man and * for any men or none
    #[arg(value_name = "MATERIAL")]
    pub materials: Vec<String>,

    /// All materials of up to so many men, kings and guards included; beside a pattern, only those
    /// that it fits [default: 6 beside a pattern]
    #[arg(long, value_name = "N", value_parser = input::men)]
    men: Option<usize>,

    /// The game: chess or xiangqi; has to be said for a material of both where there are xiangqi
    /// tables [default: the game that has such materials; chess if both have]
    #[arg(long, value_name = "GAME")]
    pub game: Option<Game>,

    /// Xiangqi: what an endless game is worth, cycles-draw or perpetual-check
    /// [default: perpetual-check]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    /// Xiangqi: a set of materials with one attacker, and every defence of advisors and elephants
    #[arg(long, value_name = "SET", value_enum)]
    set: Option<Set>,

    /// What to store; results (wdl) always are, the other metrics are read together with them
    /// [default: wdl,dtz,dtm; Syzygy tables have no dtm; xiangqi tables have wdl,dtc, under
    /// cycles-draw also dtm]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    metric: Option<Vec<String>>,
}

/// How they are made; the tables do not depend on it, but for their compression.
#[derive(Debug, Args)]
pub struct Means {
    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    pub threads: Option<usize>,

    /// Memory that may be used, such as 512M or 8G; if that is too little nothing is begun
    /// [default: what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    pub memory: Option<u64>,

    /// Keep what materials of up to so many men leave behind for others in memory; that of larger
    /// ones goes into work files beside the tables, which a generation that was killed finds again
    #[arg(
        long,
        value_name = "N",
        value_parser = value_parser!(u8).range(2..=MAX_MEN as i64),
        default_value_t = GenerateOptions::MEN_IN_MEMORY as u8
    )]
    men_in_memory: u8,

    /// How materials of chess are solved; the tables do not depend on it [default: chains where a
    /// slice has more than 268 million positions]
    #[arg(long, value_name = "ENGINE", value_enum)]
    engine: Option<Engine>,

    /// Where scratch files go, which are gone at the end, and with which a generation that was
    /// killed goes on [default: .work beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// How wide the registers are that the solver uses; the tables do not depend on it
    #[arg(long, value_name = "WIDTH", value_enum, default_value_t = Simd::Auto)]
    simd: Simd,

    /// How hard to compress; there is one way for Syzygy tables
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Compression::Default)]
    compression: Compression,
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
pub enum Engine {
    /// What either side wins at the same time, with all values in memory
    Together,
    /// What one side wins after what the other does, in little memory, with a scratch file
    Chains,
    /// Chains on a graphics card of NVIDIA's, where they are the default; the processor goes on
    /// with what the card cannot do
    Cuda,
    /// As cuda if there is a card, else as if nothing was said
    Auto,
}

impl Engine {
    /// The engine that all materials are solved with; none if that depends on them.
    pub fn of_all(self) -> Option<solve::Engine> {
        match self {
            Engine::Together => Some(solve::Engine::Together),
            Engine::Chains => Some(solve::Engine::Chains),
            Engine::Cuda | Engine::Auto => None,
        }
    }

    /// The graphics card that is to be used. If there is none, the reason is said, and the
    /// processor does everything.
    pub fn card(self) -> Result<Option<Arc<dyn Card>>> {
        if matches!(self, Engine::Together | Engine::Chains) {
            return Ok(None);
        }
        #[cfg(feature = "cuda")]
        match CudaCard::open() {
            Ok(card) => return Ok(Some(Arc::new(card))),
            Err(error) if matches!(self, Engine::Cuda) => {
                eprintln!("retrograde: {error}; the processor does everything");
            }
            Err(_) => {}
        }
        #[cfg(not(feature = "cuda"))]
        if matches!(self, Engine::Cuda) {
            bail!(
                "this program knows no graphics cards; build it with `cargo install --path . --features cuda`, or choose \
                 another --engine"
            );
        }
        Ok(None)
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// For tables that are used once
    Fast,
    /// Small and quickly made
    Default,
    /// For tables that are kept: a third smaller, several times slower to write, twice the time of
    /// a cold probe
    Small,
    /// For archives: what is smallest, however long that takes, and slow to probe
    Smallest,
}

impl From<Compression> for table::Compression {
    fn from(compression: Compression) -> table::Compression {
        match compression {
            Compression::Fast => table::Compression::Fast,
            Compression::Default => table::Compression::Default,
            Compression::Small => table::Compression::Small,
            Compression::Smallest => table::Compression::Smallest,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Our own, see docs/FORMAT.md
    Native,
    /// Syzygy's .rtbw and .rtbz, for engines and other programs
    Syzygy,
}

impl Format {
    /// The one of the two that this is not.
    pub fn other(self) -> probe::Format {
        match self {
            Format::Native => probe::Format::Syzygy,
            Format::Syzygy => probe::Format::Native,
        }
    }
}

impl From<Format> for probe::Format {
    fn from(format: Format) -> probe::Format {
        match format {
            Format::Native => probe::Format::Native,
            Format::Syzygy => probe::Format::Syzygy,
        }
    }
}

/// A choice as it is written on the command line.
fn name(choice: &impl ValueEnum) -> String {
    let name = choice.to_possible_value();
    name.map_or_else(String::new, |name| name.get_name().to_owned())
}

impl Means {
    /// What a command for one step needs to do the same, but for its threads; each argument after a
    /// space.
    pub fn of_step(&self) -> String {
        let mut arguments = String::new();
        if let Some(memory) = self.memory {
            arguments += &format!(" --memory {memory}");
        }
        if let Some(engine) = &self.engine {
            arguments += &format!(" --engine {}", name(engine));
        }
        if let Some(scratch) = &self.scratch {
            arguments += &format!(" --scratch {}", quoted(scratch));
        }
        if self.compression != Compression::Default {
            arguments += &format!(" --compression {}", name(&self.compression));
        }
        arguments
    }
}

impl Wanted {
    /// The metrics, as an argument after a space; none if none were named.
    pub fn metric_argument(&self) -> String {
        let metrics = self.metric.as_ref();
        metrics.map_or_else(String::new, |metrics| {
            format!(" --metric {}", metrics.join(","))
        })
    }

    /// The game that is meant.
    ///
    /// # Errors
    ///
    /// If the materials leave that open.
    pub fn game(&self, tables: &TableDirectory) -> Result<Game> {
        tables.game_to_generate(&self.materials, self.game)
    }

    /// Chess as it is wanted.
    ///
    /// # Errors
    ///
    /// If nothing is, or what there is not.
    pub fn chess(
        &self,
        means: &Means,
        format: Format,
        directory: &Path,
    ) -> Result<GenerateOptions> {
        if self.rules.is_some() || self.set.is_some() {
            bail!("--rules and --set are for xiangqi; add --game xiangqi or leave them out");
        }
        let of_men = |men| (3..=men).flat_map(Material::all_with_men).collect();
        let materials = self.materials(Vec::new(), of_men)?;
        let metrics = self.metrics(Metric::ALL.to_vec())?;
        if format == Format::Syzygy && self.metric.is_some() && metrics.contains(&Metric::Dtm) {
            bail!("Syzygy tables have no distances to mate; leave dtm out of --metric");
        }
        if materials.is_empty() {
            bail!(
                "nothing to generate: name a material such as KRPvKR, or add --men 4 for all of them"
            );
        }
        Ok(GenerateOptions {
            metrics,
            format: format.into(),
            compression: means.compression.into(),
            memory: means.memory,
            men_in_memory: means.men_in_memory.into(),
            width: means.simd.width()?,
            engine: means.engine.and_then(Engine::of_all),
            card: means.engine.map_or(Ok(None), Engine::card)?,
            scratch: means.scratch.clone(),
            ..GenerateOptions::new(directory, materials)
        })
    }

    /// Xiangqi as it is wanted.
    ///
    /// # Errors
    ///
    /// If nothing is, or what there is not.
    pub fn xiangqi(&self, means: &Means, directory: &Path) -> Result<GenerateOptions<Xiangqi>> {
        let rules = self.rules.unwrap_or_default();
        let set = match self.set {
            Some(Set::OneAttacker) => XiangqiMaterial::one_attacker(),
            Some(Set::OneAttackerGuarded) => XiangqiMaterial::one_attacker_guarded(),
            None => Vec::new(),
        };
        let materials = self.materials(set, xiangqi_materials)?;
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
            compression: means.compression.into(),
            memory: means.memory,
            men_in_memory: means.men_in_memory.into(),
            ..GenerateOptions::xiangqi(directory, materials, rules)
        })
    }

    /// The materials that are named, those of a set and those of a number of men, each once. Beside
    /// a pattern the number says what the pattern may fit.
    fn materials<M: Signature>(
        &self,
        set: Vec<M>,
        of_men: impl Fn(usize) -> Vec<M>,
    ) -> Result<Vec<M>> {
        let names = Names::read(&self.materials)?;
        let has_patterns = names.has_patterns();
        let men = self
            .men
            .unwrap_or(if has_patterns { MEN_OF_A_PATTERN } else { 0 });
        let all = of_men(men);
        let advice = match men < MAX_MEN {
            true => format!("; allow more with --men {}", men + 1),
            false => String::new(),
        };
        let mut materials = names.among(&all, &format!("material of up to {men} men{advice}"))?;
        materials.extend(set);
        if !has_patterns {
            materials.extend(all);
        }
        Ok(each_once(materials))
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
}
