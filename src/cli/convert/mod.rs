//! `retrograde convert`: the tables of one format in the other, or of our own at another level of
//! compression.

mod recompress;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use retrograde::Error;
use retrograde::chess::material::Material;
use retrograde::game::Game;
use retrograde::generate::GenerateOptions;
use retrograde::metric::Metric;
use retrograde::probe::{Format, TableFile};
use retrograde::verify::{BothFormats, Difference};
use retrograde::xiangqi::Rules;
use serde_json::json;

use super::generate;
use super::names::{Names, each_once};
use super::print::counted;
use super::progress::ProgressOptions;
use super::wanted::{self, Compression};
use super::{Outcome, TableDirectory, input, progress, room};

/// Differences that are listed.
const LISTED: usize = 10;

/// Make Syzygy tables of our own, or our own of Syzygy tables, beside them; or compress our own
/// anew
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde convert --to syzygy\n  \
    retrograde convert --to native KQvKR KRPvKR\n  \
    retrograde convert --to syzygy --alone KRPvKRP\n  \
    retrograde convert --from native --to native --compression smallest\n  \
    retrograde convert --from native --to native --compression small --into archive KRPvKR\n\n\
    From one format to the other values are solved again, which takes less time than reading them one by one, and\n\
    rounded distances become exact; what the materials depend on is made as well, unless --alone says otherwise.\n\
    From our own to our own nothing is solved. A file is replaced when the new one is whole. Of a side to move that a\n\
    level leaves out nothing comes back at another level: that takes `generate`.\n\
    Then old and new tables are compared at some indices of each material; exit status 1 if they differ.")]
pub struct Convert {
    /// Materials such as KRPvKR, in any order and case, or patterns such as 'KRP*vKR?', where ?
    /// stands for a man and * for any men or none [default: all that have tables to convert]
    #[arg(value_name = "MATERIAL")]
    materials: Vec<String>,

    /// The format to convert to
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: wanted::Format,

    /// The format to convert from [default: the other one]
    #[arg(long, value_name = "FORMAT", value_enum)]
    from: Option<wanted::Format>,

    /// How hard to compress our own tables
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Compression::Default)]
    compression: Compression,

    /// From one format to the other: only these materials, not what they lead to, which is read from
    /// our own tables where they are there
    #[arg(long)]
    alone: bool,

    /// From our own to our own: where the new files go [default: in the place of the old ones]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// From our own to our own: the game; has to be said where both have tables of a name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// From our own to our own, xiangqi: the rules of the tables
    /// [default: perpetual-check; without materials, both]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Memory that may be used, such as 512M or 8G
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// From one format to the other: where scratch files go, which are gone at the end
    /// [default: .work beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// At how many indices of each material old and new tables are compared, spread over all; 0
    /// compares none
    #[arg(long, value_name = "INDICES", default_value_t = 100_000)]
    compare: u64,

    #[command(flatten)]
    progress: ProgressOptions,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was done.
struct Converted {
    materials: usize,
    files: usize,
    bytes: u64,
    positions: u64,
    differences: Vec<Difference>,
    seconds: f64,
}

impl Convert {
    /// Converts, compares and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        let from = self.from.map_or(self.to.other(), Into::into);
        match (from, self.to.into()) {
            (Format::Native, Format::Native) if self.alone || self.scratch.is_some() => {
                bail!(
                    "--alone and --scratch are for `convert` from one format to the other; here nothing else is \
                     touched and nothing solved"
                )
            }
            (Format::Native, Format::Native) => return self.recompress(directory, out),
            (Format::Syzygy, Format::Syzygy) => {
                bail!("there is one way to compress Syzygy tables; nothing to convert")
            }
            _ if self.into.is_some()
                || self.game == Some(Game::Xiangqi)
                || self.rules.is_some() =>
            {
                bail!(
                    "--into, --rules and --game xiangqi are for `convert --from native --to native`; from one format to \
                     the other new tables of chess go beside the old ones"
                )
            }
            _ => {}
        }
        let (materials, metrics) = self.wanted(directory, from)?;
        let start = Instant::now();
        let options = GenerateOptions {
            metrics,
            alone: self.alone,
            format: self.to.into(),
            compression: self.compression.into(),
            memory: self.memory,
            scratch: self.scratch.clone(),
            ..GenerateOptions::new(directory.only("convert")?, materials.clone())
        };
        let plan = room::plan(&options)?;
        room::refuse_what_does_not_fit(&plan, &options)?;
        let cancel = progress::cancel_on_interrupt()?;
        let generated = match generate::run(&plan, &self.progress, &cancel)? {
            Err(Error::Cancelled) => bail!("stopped; the same command carries on"),
            other => other?,
        };
        let (positions, differences) = compare(directory, &materials, self.compare, &cancel)
            .map_err(|error| {
                let files = counted(generated.files, "new file");
                let message = format!("{files} written, but not compared: {error}");
                error.context(message)
            })?;
        let converted = Converted {
            materials: materials.len(),
            files: generated.files,
            bytes: generated.bytes,
            positions,
            differences,
            seconds: start.elapsed().as_secs_f64(),
        };
        if self.json {
            print_json(&converted, out)?;
        } else {
            print(&converted, directory, out)?;
        }
        if converted.differences.is_empty() {
            return Ok(Outcome::Done);
        }
        Ok(Outcome::No(format!(
            "other values for {} in the tables that were there; check those with `retrograde verify`",
            counted(converted.differences.len(), "position")
        )))
    }

    /// The materials to convert, and the metrics that any of their tables has.
    fn wanted(
        &self,
        directory: &TableDirectory,
        from: Format,
    ) -> Result<(Vec<Material>, Vec<Metric>)> {
        let tables = directory.open()?;
        let is_source = |file: &&TableFile| file.format() == from;
        let sources: Vec<&TableFile> = tables.tables().iter().filter(is_source).collect();
        let present: Vec<Material> = sources.iter().map(|file| *file.material()).collect();
        let place = directory.display();
        let what = directory.looked_for(&format!("{} table", from.name()));
        let absent = |material: &Material| {
            anyhow!(
                "{place} has no {} table of {material} to convert",
                from.name()
            )
        };
        let mut materials = Names::read(&self.materials)?.present(&present, &what, absent)?;
        if materials.is_empty() {
            materials = each_once(present);
        }
        if materials.is_empty() {
            bail!("{place} has no {} tables to convert", from.name());
        }
        let mut metrics: Vec<Metric> = sources
            .iter()
            .filter(|file| materials.contains(file.material()))
            .map(|file| file.metric())
            .collect();
        metrics.sort_unstable();
        metrics.dedup();
        Ok((materials, metrics))
    }
}

/// How many positions were compared, and where the tables differ.
fn compare(
    directory: &TableDirectory,
    materials: &[Material],
    indices: u64,
    cancel: &AtomicBool,
) -> Result<(u64, Vec<Difference>)> {
    let both = BothFormats::open(directory.only("convert")?)?;
    let bar = progress::bar(materials.len() as u64, "materials");
    let mut positions = 0;
    let mut differences = Vec::new();
    for material in materials {
        bar.set_message(material.to_string());
        let compared = both.compare(material, indices, cancel)?;
        if cancel.load(Ordering::Relaxed) {
            bail!("stopped before all was compared");
        }
        positions += compared.positions;
        differences.extend(compared.differences);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((positions, differences))
}

fn print_json(converted: &Converted, out: &mut dyn Write) -> Result<()> {
    let listed = converted.differences.iter().take(LISTED);
    let listed: Vec<String> = listed.map(Difference::to_string).collect();
    let answer = json!({
        "materials": converted.materials,
        "files": converted.files,
        "bytes": converted.bytes,
        "positions": converted.positions,
        "difference_count": converted.differences.len(),
        "differences": listed,
        "seconds": converted.seconds,
    });
    writeln!(out, "{answer}")?;
    Ok(())
}

fn print(converted: &Converted, directory: &TableDirectory, out: &mut dyn Write) -> Result<()> {
    for difference in converted.differences.iter().take(LISTED) {
        writeln!(out, "{difference}")?;
    }
    writeln!(
        out,
        "{}: wrote {}, {}, to {} in {:.1} s; {} compared, {} differ",
        counted(converted.materials, "material"),
        counted(converted.files, "file"),
        HumanBytes(converted.bytes),
        directory.display(),
        converted.seconds,
        counted(converted.positions as usize, "position"),
        HumanCount(converted.differences.len() as u64)
    )?;
    Ok(())
}
