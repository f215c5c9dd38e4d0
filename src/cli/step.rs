//! `retrograde step`: one material, from tables that are there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use indicatif::ProgressBar;
use retrograde::game::{Game, Numbered, Signature};
use retrograde::generate::{self, GenerateOptions, graph};
use retrograde::tables::{generate_arguments, rules_directory, table_path};
use serde::Serialize;

use super::generate::run;
use super::manifest::{Entry, entry};
use super::print::quoted;
use super::progress::ProgressOptions;
use super::wanted::{Format, Means, Wanted};
use super::{Outcome, TableDirectory, input, progress, room};

/// Make the tables of one material from those that are there, and write a receipt: a step of `plan`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    retrograde step KRPvKR --receipt receipts/KRPvKR.json\n\n\
    What is missing is an error and never made on the way. Where the tables are there and whole, only the receipt is\n\
    written.")]
pub struct Step {
    #[command(flatten)]
    wanted: Wanted,

    #[command(flatten)]
    means: Means,

    /// Where to write what was made: names, bytes and SHA-256 of the files and of those that were
    /// read
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,

    /// Leave in work files beside the tables what these materials read of this one, perhaps none,
    /// and read what other steps have left: steps are faster, and take room on the disk. When all
    /// steps are done, `generate` removes what they have left
    #[arg(long, value_name = "MATERIAL", num_args = 0..)]
    leave_for: Option<Vec<String>>,

    #[command(flatten)]
    progress: ProgressOptions,
}

/// What a step says of itself when its tables are there and whole.
#[derive(Debug, Serialize)]
struct Receipt {
    version: &'static str,
    material: String,
    /// The tables, named from the directory on.
    files: Vec<Entry>,
    /// The tables that they were made from.
    inputs: Vec<Entry>,
}

impl Step {
    /// Makes the tables.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.means.threads)?;
        let directory = tables.only("step")?;
        let Step { wanted, means, .. } = &self;
        match wanted.game(tables)? {
            Game::Chess => {
                let mut options = wanted.chess(means, Format::Native, directory)?;
                options.left_for = self.left_for(|named| Ok(input::material(named)?))?;
                self.make(&options, out)
            }
            Game::Xiangqi => {
                let mut options = wanted.xiangqi(means, directory)?;
                options.left_for = self.left_for(input::xiangqi_material)?;
                self.make(&options, out)
            }
        }
    }

    /// The materials for which work files are left.
    fn left_for<M>(&self, parse: impl Fn(&str) -> Result<M>) -> Result<Option<Vec<M>>> {
        let parse_all = |named: &Vec<String>| named.iter().map(|named| parse(named)).collect();
        self.leave_for.as_ref().map(parse_all).transpose()
    }

    fn make<G: generate::Generate>(
        &self,
        options: &GenerateOptions<G>,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let &[material] = &options.materials[..] else {
            bail!("a step is one material; `retrograde generate` makes many");
        };
        let material = material.normal_form();
        let plan = room::plan(options)?;
        if let Some(missing) = plan.first_missing() {
            bail!(
                "{material} is made from tables of {}, and {} is missing or damaged; make it first: `retrograde step {} \
                 --tables {} --receipt FILE`",
                missing.material,
                table_path(&own(options), &missing.material, missing.metrics[0]).display(),
                generate_arguments::<G>(&missing.material, options.rules),
                quoted(&options.directory)
            );
        }
        let is_there = plan.steps().all(|step| step.metrics.is_empty());
        if !is_there {
            room::refuse_what_does_not_fit(&plan, options)?;
            let cancel = progress::cancel_on_interrupt()?;
            match run(&plan, &self.progress, &cancel)? {
                Err(retrograde::Error::Cancelled) => {
                    bail!(
                        "stopped; the tables that were finished stay, and the same command carries on"
                    )
                }
                other => other?,
            };
        }
        let receipt = receipt(options, material)?;
        write_whole(&self.receipt, &serde_json::to_vec_pretty(&receipt)?).map_err(|error| {
            let receipt = self.receipt.display();
            anyhow!("cannot write the receipt {receipt}: {error}; check --receipt")
        })?;
        let said = if is_there { "there already" } else { "made" };
        writeln!(out, "{material}: {said}, {}", self.receipt.display())?;
        Ok(Outcome::Done)
    }
}

/// Where the tables of a game and its rules are.
fn own<G: generate::Generate>(options: &GenerateOptions<G>) -> PathBuf {
    rules_directory::<G>(&options.directory, options.rules)
}

/// Reads the files of a material and those that it was made from.
fn receipt<G: generate::Generate>(
    options: &GenerateOptions<G>,
    material: G::Material,
) -> Result<Receipt> {
    let nodes = graph(options)?;
    let reads = nodes.into_iter().find(|node| node.material == material);
    let reads = reads.map_or_else(Vec::new, |node| node.reads);
    let own = own(options);
    let entries = |material: &G::Material| -> Result<Vec<Entry>> {
        let metrics = G::Metric::LIST.iter();
        let paths = metrics.map(|&metric| table_path(&own, material, metric));
        let names = paths.filter(|path| path.exists()).map(|path| {
            let name = path.strip_prefix(&options.directory).unwrap_or(&path);
            name.display().to_string()
        });
        let (never, hidden) = (AtomicBool::new(false), ProgressBar::hidden());
        names
            .map(|name| entry(&options.directory, name, &never, &hidden))
            .collect()
    };
    let inputs: Vec<Vec<Entry>> = reads.iter().map(entries).collect::<Result<_>>()?;
    Ok(Receipt {
        version: env!("CARGO_PKG_VERSION"),
        material: material.to_string(),
        files: entries(&material)?,
        inputs: inputs.into_iter().flatten().collect(),
    })
}

/// Writes a file so that there is the whole of it or nothing.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let place = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(place)?;
    let mut file = tempfile::NamedTempFile::new_in(place)?;
    file.write_all(bytes)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
